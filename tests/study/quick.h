/* A study's quick form: its progress grows and says what it is at, and it comes to its end. */
#ifndef QUICK_H
#define QUICK_H

#include "study/study.h"
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

#endif
