#include "study/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows, each in the file of its study. */
extern const pki_study pki_coman_study, pki_feedback_study, pki_hardt_study, pki_pendulum_study,
    pki_sizing_study, pki_solvers_study, pki_starleth_study, pki_symbolic_study, pki_thesis_study;

static const pki_study *const studies[] = {&pki_coman_study,    &pki_feedback_study, &pki_hardt_study,
                                           &pki_pendulum_study, &pki_sizing_study,   &pki_solvers_study,
                                           &pki_starleth_study, &pki_symbolic_study, &pki_thesis_study};

static void tell_study_progress(void *user, double fraction)
{
  const pki_study_progress *progress = user;
  if (progress->options->progress != NULL) {
    progress->options->progress(progress->options->user,
                                fmin(1, (progress->done + progress->now * fraction) / progress->all),
                                progress->what);
  }
}

pki_study_watch pki_study_part_begin(pki_study_progress *progress, double work)
{
  progress->now = work;
  tell_study_progress(progress, 0);
  return (pki_study_watch){tell_study_progress, progress};
}

void pki_study_part_end(pki_study_progress *progress)
{
  progress->done += progress->now;
  progress->now = 0;
  tell_study_progress(progress, 0);
}

const pki_study *const *pki_studies(int *count)
{
  *count = (int)(sizeof studies / sizeof studies[0]);
  return studies;
}

const pki_study *pki_study_find(const char *name)
{
  for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
    if (strcmp(studies[i]->name, name) == 0) {
      return studies[i];
    }
  }
  return NULL;
}

pki_study_row *pki_study_add(pki_study_result *result, const pki_study_row *row)
{
  pki_study_row *rows = realloc(result->rows, (size_t)(result->nrow + 1) * sizeof *rows);
  if (rows == NULL) {
    result->failed = true;
    return NULL;
  }
  result->rows = rows;
  rows[result->nrow] = *row;
  if (row->tolerance[0] == '\0') {
    rows[result->nrow].least = -INFINITY;
    rows[result->nrow].most = INFINITY;
    rows[result->nrow].unmet = row->verdict == PKI_VERDICT_MISSES;
  }
  return &rows[result->nrow++];
}

void pki_study_put(pki_study_result *result, const char *section, const char *group, const char *id,
                   const char *unit, double paper, double measured, pki_verdict verdict, const char *what,
                   ...)
{
  pki_study_row r = {.paper = paper, .measured = measured, .verdict = verdict};
  va_list list;
  va_start(list, what);
  vsnprintf(r.what, sizeof r.what, what, list);
  va_end(list);
  snprintf(r.id, sizeof r.id, "%s/%s", group, id);
  snprintf(r.section, sizeof r.section, "%s", section);
  snprintf(r.unit, sizeof r.unit, "%s", unit);
  pki_study_add(result, &r);
}

void pki_study_note(pki_study_result *result, const char *text, ...)
{
  if (result->nrow > 0 && !result->failed) {
    pki_study_row *r = &result->rows[result->nrow - 1];
    va_list list;
    va_start(list, text);
    vsnprintf(r->note, sizeof r->note, text, list);
    va_end(list);
  }
}

const pki_study_row *pki_study_get(const pki_study_result *result, const char *id)
{
  for (int i = 0; i < result->nrow; i++) {
    if (strcmp(result->rows[i].id, id) == 0) {
      return &result->rows[i];
    }
  }
  return NULL;
}

void pki_study_free(pki_study_result *result)
{
  free(result->rows);
  pki_text_free(&result->summary);
  *result = (pki_study_result){0};
}
