/* The order of the study: the closed form, the optimum, its walk, energies, other readings, what it depends on; then rows and report. */
#include "study/hardt/hardt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

/* Seconds of computing of each case, about. */
static const double costs[PKI_HARDT_CASES] = {14, 6, 8, 20, 30, 10, 5, 5, 5, 5, 5, 5};

/* A quick study has the optimum of J_s2 and its walk alone. */
static bool is_wanted(const pki_hardt_data *d, int which)
{
  return !d->quick || which == PKI_HARDT_JS2;
}

static pk_status run_cases(pki_hardt_data *d, const pki_study_options *options, pk_error *err)
{
  pki_study_progress j = {.options = options};
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_HARDT_CASES; i++) {
    j.all += is_wanted(d, i) ? costs[i] : 0;
  }
  for (int i = 0; i < PKI_HARDT_CASES && status == PK_OK; i++) {
    if (!is_wanted(d, i)) {
      continue;
    }
    snprintf(j.what, sizeof j.what, "%s", pki_hardt_variants[i].text);
    const pki_study_watch watch = pki_study_part_begin(&j, costs[i]);
    status = pki_hardt_solve(d, (pki_hardt_case)i, &watch, err);
    if (status == PK_OK && i <= PKI_HARDT_JE2 && d->motions[i].solved) {
      status = pki_hardt_replay(d, (pki_hardt_case)i, err);
    }
    pki_study_part_end(&j);
  }
  return status;
}

static pk_status run_hardt_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_hardt_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  snprintf(d->folder, sizeof d->folder, "%s", options->folder);
  for (int i = 0; i < PKI_HARDT_READINGS; i++) {
    d->point[i] = pki_hardt_point(&pki_hardt_readings[i]);
  }
  status = run_cases(d, options, err);
  if (status == PK_OK) {
    pki_hardt_rows(d, result);
    status = pki_hardt_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  pki_motion_solution_free(&d->best);
  free(d);
  return status;
}

const pki_study pki_hardt_study = {
    "hardt",
    "the optimal amble of the Sony quadruped in three readings, its stability and energy, and its walk",
    "Hardt and von Stryk 2003, section 4.2, Figure 3", run_hardt_study};
