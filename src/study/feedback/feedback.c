/* The order of the feedback study: arm, quadrupeds, long runs, map, then rows, then the report. */
#include "study/feedback/feedback.h"

#include <stdio.h>
#include <stdlib.h>

/* Costs: seconds of computing, about. */
enum { ARM_COST = 6, LEGS_COST = 40, LONG_COST = 8, SHIFT_COST = 6, MAP_COST = 40 };

typedef pk_status (*feedback_part)(pki_feedback_data *d, const pki_study_watch *watch, pk_error *err);

static const struct {
  feedback_part run;
  int cost;
  const char *what;
} parts[] = {
    {pki_feedback_arm, ARM_COST, "UR10 under sinusoids"},
    {pki_feedback_legs, LEGS_COST, "quadrupeds at five steps"},
    {pki_feedback_lasting, LONG_COST, "StarLETH for a minute"},
    {pki_feedback_shifted, SHIFT_COST, "the mixed problem with regularisation"},
    {pki_feedback_chart, MAP_COST, "random starts and friction"},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static pk_status run_feedback_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_feedback_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  d->seconds = options->quick ? 2 : 5;
  d->long_seconds = options->quick ? 10 : 60;
  d->starts = options->quick ? 8 : PKI_FEEDBACK_STARTS;
  pki_study_progress j = {.options = options};
  for (int i = 0; i < PARTS; i++) {
    j.all += parts[i].cost;
  }
  for (int i = 0; i < PARTS && status == PK_OK; i++) {
    snprintf(j.what, sizeof j.what, "%s", parts[i].what);
    const pki_study_watch watch = pki_study_part_begin(&j, parts[i].cost);
    status = parts[i].run(d, &watch, err);
    pki_study_part_end(&j);
  }
  if (status == PK_OK) {
    pki_feedback_arm_rows(d, result);
    pki_feedback_leg_rows(d, result);
    pki_feedback_map_rows(d, result);
    status = pki_feedback_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  free(d);
  return status;
}

const pki_study pki_feedback_study = {
    "feedback", "largest steps under PD, inverse dynamics and joints as constraints: an arm and quadrupeds",
    "Shepherd, Zapolsky and Drumwright, Tables I and II, Figures 1 and 3", run_feedback_study};
