/* The order of the study: limits of explicit steps, the lift under several laws and schemes, the squat; then rows and report. */
#include "study/coman/coman.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

#define LIMP_ELBOWS "actuators.12.spring=1.2e-3"

/* A key of all surfaces: friction of two that meet is of one kind. */
#define ALL_SURFACES(change) \
  "compliance.box." change, "compliance.wrist." change, "compliance.foot." change, \
      "compliance.ground." change, "compliance.table." change

const pki_coman_variant pki_coman_variants[PKI_COMAN_CASES] = {
    [PKI_COMAN_HARD] = {.id = "hard",
                        .text = "hard contact, 1 ms",
                        .scenario = "coman-box",
                        .paper_factor = NAN},
    [PKI_COMAN_HARD_LIMP] = {.id = "hard-soft-elbows",
                             .text = "hard contact, 1 ms, soft elbows",
                             .scenario = "coman-box",
                             .sets = {LIMP_ELBOWS},
                             .paper_factor = NAN},
    [PKI_COMAN_HARD_TWO] = {.id = "hard-2ms",
                            .text = "hard contact, 2 ms",
                            .scenario = "coman-box",
                            .sets = {"step.dt=2e-3"},
                            .paper_factor = NAN},
    [PKI_COMAN_HARD_LONG] = {.id = "hard-4ms",
                             .text = "hard contact, 4 ms",
                             .scenario = "coman-box",
                             .sets = {"step.dt=4e-3"},
                             .paper_factor = NAN,
                             .least_factor = 100},
    [PKI_COMAN_SOFT] = {.id = "soft",
                        .text = "compliant surfaces, implicit, 1 ms",
                        .scenario = "coman-box-soft",
                        .paper_factor = NAN,
                        .least_factor = 20},
    [PKI_COMAN_SOFT_LIMP] = {.id = "soft-soft-elbows",
                             .text = "compliant surfaces, implicit, 1 ms, soft elbows",
                             .scenario = "coman-box-soft",
                             .sets = {LIMP_ELBOWS},
                             .paper_factor = NAN},
    [PKI_COMAN_CONVEX] = {.id = "convex",
                          .text = "compliant surfaces, implicit, 1 ms, convex friction",
                          .scenario = "coman-box-soft",
                          .sets = {ALL_SURFACES("friction=convex")},
                          .paper_factor = NAN},
    [PKI_COMAN_RK4] = {.id = "rk4",
                       .text = "compliant surfaces, RK4, 0.1 ms",
                       .scenario = "coman-box-soft",
                       .sets = {"step.stepper=rk4", "step.dt=1e-4"},
                       .paper_factor = 0.013,
                       .slow = true},
    [PKI_COMAN_RK4_CALM] = {.id = "rk4-calm",
                            .text = "compliant surfaces, RK4, 0.1 ms, 0.2 kg at each wrist",
                            .scenario = "coman-box-soft",
                            .sets = {"step.stepper=rk4", "step.dt=1e-4",
                                     "vary=[{what: payload, link: '*_wrist', from: 0.2, to: 0.2}]", "world=0",
                                     "compliance.foot.transition_speed=0.05",
                                     "compliance.ground.transition_speed=0.05"},
                            .paper_factor = 0.013,
                            .slow = true,
                            .least_factor = 1},
    [PKI_COMAN_LOCKED] = {.id = "rk4-locked",
                          .text = "compliant surfaces, RK4, 0.1 ms, feet locked",
                          .scenario = "coman-box-soft",
                          .sets = {"step.stepper=rk4", "step.dt=1e-4", PKI_COMAN_LOCKED_FEET},
                          .paper_factor = 0.033,
                          .slow = true},
    [PKI_COMAN_LARGEST] = {.id = "rk4-largest",
                           .text = "compliant surfaces, RK4, 0.9 ms, feet locked, up to the touch",
                           .scenario = "coman-box-soft",
                           .sets = {"step.stepper=rk4", "step.dt=9e-4", "duration=0.9",
                                    PKI_COMAN_LOCKED_FEET},
                           .paper_factor = 0.28},
};

/* Seconds of computing, about. */
static const double costs[PKI_COMAN_CASES] = {
    [PKI_COMAN_HARD] = 0.1,       [PKI_COMAN_HARD_LIMP] = 0.1, [PKI_COMAN_HARD_TWO] = 0.05,
    [PKI_COMAN_HARD_LONG] = 0.03, [PKI_COMAN_SOFT] = 0.2,      [PKI_COMAN_SOFT_LIMP] = 0.2,
    [PKI_COMAN_CONVEX] = 0.2,     [PKI_COMAN_RK4] = 2,         [PKI_COMAN_RK4_CALM] = 2,
    [PKI_COMAN_LOCKED] = 1,       [PKI_COMAN_LARGEST] = 0.1};

/* A quick study leaves out what is slow. */
static bool is_wanted(const pki_coman_data *d, int which)
{
  return !d->quick || !pki_coman_variants[which].slow;
}
static const double squat_cost = 2, limits_cost = 0.5;

static pk_status run_parts(pki_coman_data *d, const pki_study_options *options, pk_error *err)
{
  pki_study_progress j = {.options = options, .all = limits_cost + squat_cost * (d->quick ? 0.3 : 1)};
  for (int i = 0; i < PKI_COMAN_CASES; i++) {
    j.all += is_wanted(d, i) ? costs[i] : 0;
  }
  snprintf(j.what, sizeof j.what, "limits of explicit steps");
  pki_study_watch watch = pki_study_part_begin(&j, limits_cost);
  pk_status status = pki_coman_limits_compute(d->quick, &d->limits, err);
  pki_study_part_end(&j);
  for (int i = 0; i < PKI_COMAN_CASES && status == PK_OK; i++) {
    if (!is_wanted(d, i)) {
      continue;
    }
    snprintf(j.what, sizeof j.what, "lift: %s", pki_coman_variants[i].text);
    watch = pki_study_part_begin(&j, costs[i]);
    status = pki_coman_lift_run(&pki_coman_variants[i], &watch, &d->lifts[i], err);
    pki_study_part_end(&j);
  }
  if (status == PK_OK) {
    snprintf(j.what, sizeof j.what, "WALK-MAN squats");
    watch = pki_study_part_begin(&j, squat_cost * (d->quick ? 0.3 : 1));
    status = pki_coman_squat_run(d->quick, &watch, &d->squat, err);
    pki_study_part_end(&j);
  }
  return status;
}

static pk_status run_coman_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_coman_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  status = run_parts(d, options, err);
  if (status == PK_OK) {
    pki_coman_rows(d, result);
    status = pki_coman_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  for (int i = 0; i < PKI_COMAN_CASES; i++) {
    pki_coman_lift_free(&d->lifts[i]);
  }
  pki_coman_squat_free(&d->squat);
  free(d);
  return status;
}

const pki_study pki_coman_study = {
    "coman", "COMAN lifts a box under soft and hard contact, WALK-MAN squats, and what limits explicit steps",
    "Zobova et al. 2016, sections 6 and 7, Figures 9 to 12", run_coman_study};
