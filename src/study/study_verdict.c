#include "study/study_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char pki_study_other_machine[] = "a speed of another machine",
           pki_study_quick[] = "left out by --quick";

pki_verdict pki_study_judge(const pki_study_row *row)
{
  if (row->tolerance[0] == '\0') {
    return PKI_VERDICT_NONE;
  }
  if (row->why[0] != '\0') {
    return PKI_VERDICT_LEFT_OUT;
  }
  /* false for a value that is no number */
  const bool inside = row->measured >= row->least && row->measured <= row->most;
  return inside && !row->unmet ? PKI_VERDICT_HOLDS : PKI_VERDICT_MISSES;
}

const char *pki_verdict_name(pki_verdict verdict)
{
  static const char *const names[] = {"none", "holds", "misses", "left out"};
  return names[verdict];
}

static pki_study_row *last_row(pki_study_result *result)
{
  return result->nrow > 0 && !result->failed ? &result->rows[result->nrow - 1] : NULL;
}

/* What was said before stays in front: "within 5 %, no fall". */
__attribute__((format(printf, 2, 0))) static void append_tolerance(pki_study_row *row, const char *text,
                                                                   va_list list)
{
  char words[sizeof row->tolerance];
  const size_t used = strlen(row->tolerance);
  vsnprintf(words, sizeof words, text, list);
  snprintf(row->tolerance + used, sizeof row->tolerance - used, "%s%s", used > 0 ? ", " : "", words);
}

__attribute__((format(printf, 4, 5))) static void hold(pki_study_result *result, double least, double most,
                                                       const char *text, ...)
{
  pki_study_row *row = last_row(result);
  va_list list;
  if (row == NULL) {
    return;
  }
  va_start(list, text);
  append_tolerance(row, text, list);
  va_end(list);
  row->least = least;
  row->most = most;
  row->verdict = pki_study_judge(row);
}

static double paper_of(pki_study_result *result)
{
  const pki_study_row *row = last_row(result);
  return row != NULL ? row->paper : NAN;
}

void pki_study_hold_part(pki_study_result *result, double part)
{
  const double paper = paper_of(result), away = part * fabs(paper);
  hold(result, paper - away, paper + away, "within %.3g %%", 100 * part);
}

void pki_study_hold_near(pki_study_result *result, double distance)
{
  const double paper = paper_of(result);
  const pki_study_row *row = last_row(result);
  const char *unit = row != NULL ? row->unit : "";
  if (distance == 0) {
    hold(result, paper, paper, "exactly");
  } else {
    hold(result, paper - distance, paper + distance, "within %.3g%s%s", distance, unit[0] != '\0' ? " " : "",
         unit);
  }
}

void pki_study_hold_factor(pki_study_result *result, double factor)
{
  const double paper = paper_of(result);
  hold(result, paper / factor, paper * factor, "within a factor of %.3g", factor);
}

void pki_study_hold_most(pki_study_result *result, double most)
{
  hold(result, -INFINITY, most, "at most %.4g", most);
}

void pki_study_hold_least(pki_study_result *result, double least)
{
  hold(result, least, INFINITY, "at least %.4g", least);
}

void pki_study_hold_between(pki_study_result *result, double least, double most)
{
  hold(result, least, most, "from %.4g to %.4g", least, most);
}

void pki_study_require(pki_study_result *result, bool met, const char *text, ...)
{
  pki_study_row *row = last_row(result);
  va_list list;
  if (row == NULL) {
    return;
  }
  va_start(list, text);
  append_tolerance(row, text, list);
  va_end(list);
  row->unmet |= !met;
  row->verdict = pki_study_judge(row);
}

void pki_study_excuse(pki_study_result *result, const char *why, ...)
{
  pki_study_row *row = last_row(result);
  va_list list;
  if (row == NULL) {
    return;
  }
  va_start(list, why);
  vsnprintf(row->why, sizeof row->why, why, list);
  va_end(list);
  row->verdict = pki_study_judge(row);
}

int pki_study_count(const pki_study_result *result, pki_verdict verdict)
{
  int count = 0;
  for (int i = 0; i < result->nrow; i++) {
    count += result->rows[i].verdict == verdict;
  }
  return count;
}

int pki_study_count_unjudged(const pki_study_result *result)
{
  int count = 0;
  for (int i = 0; i < result->nrow; i++) {
    const pki_study_row *row = &result->rows[i];
    count += !isnan(row->paper) && row->verdict == PKI_VERDICT_NONE && row->why[0] == '\0';
  }
  return count;
}

bool pki_study_passes(const pki_study_result *result)
{
  return pki_study_count(result, PKI_VERDICT_MISSES) == 0 && pki_study_count_unjudged(result) == 0;
}

/* A value beyond the bounds of a row; one without bounds, held by conditions alone, loses its value. */
static double value_outside(const pki_study_row *row)
{
  return isfinite(row->most)    ? row->most + 1 + fabs(row->most)
         : isfinite(row->least) ? row->least - 1 - fabs(row->least)
                                : NAN;
}

bool pki_study_spoil(pki_study_result *result, const char *id)
{
  for (int i = 0; i < result->nrow; i++) {
    pki_study_row *row = &result->rows[i];
    if (strcmp(row->id, id) == 0 && row->verdict == PKI_VERDICT_HOLDS) {
      row->measured = value_outside(row);
      row->verdict = pki_study_judge(row);
      return true;
    }
  }
  return false;
}
