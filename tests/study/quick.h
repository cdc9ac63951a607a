/* A study's quick form: its progress grows and says what it is at, and it comes to its end. */
#ifndef QUICK_H
#define QUICK_H

#include "study/study_verdict.h"
#include "support/bounds.h"

static inline void remember_progress(void *user, double fraction, const char *what)
{
  double *last = user;
  assert_at_least(fraction, *last);
  assert_at_most(fraction, 1);
  assert_true(what[0] != '\0');
  *last = fraction;
}

/* `folder` is a pattern of mkdtemp and becomes the folder's name. */
static inline bool run_quick_study(const char *name, char *folder, pki_study_result *result)
{
  double last = 0;
  pk_error err = {.message = ""};
  assert_non_null(mkdtemp(folder));
  const pki_study_options options = {
      .folder = folder, .quick = true, .progress = remember_progress, .user = &last};
  const pk_status status = pki_study_find(name)->run(&options, result, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  return status == PK_OK && last > 0.99;
}

/* Every value of the paper has a verdict that follows from its bounds, or says why it has none; nothing misses. */
static inline void assert_judged(const pki_study_result *result)
{
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *r = &result->rows[i];
    const bool judged = r->verdict == PKI_VERDICT_HOLDS || r->verdict == PKI_VERDICT_MISSES;
    if (r->verdict == PKI_VERDICT_MISSES || r->verdict != pki_study_judge(r) ||
        (judged && r->tolerance[0] == '\0') || (!judged && !(r->paper != r->paper) && r->why[0] == '\0')) {
      print_error("%s: %s (%s), paper %g, measured %g\n", r->id, pki_verdict_name(r->verdict), r->tolerance,
                  r->paper, r->measured);
      fail();
    }
    assert_ptr_equal(pki_study_get(result, r->id), r); /* ids are unique */
  }
  assert_true(pki_study_passes(result));
}

#endif
