/* The order of the thesis study: runs, maps, then rows, then the report. */
#include "study/thesis/thesis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  STANDS = 1 << PKI_THESIS_STANDS,
  INVERTED = 1 << PKI_THESIS_INVERTED,
  FAILS = 1 << PKI_THESIS_FLIES | 1 << PKI_THESIS_BURSTS
};

/* What the thesis says (sections 5.4.1 to 5.4.5). */
const pki_thesis_scene pki_thesis_scenes[PKI_THESIS_RUNS] = {
    {"trot",
     "thesis-trot",
     "Trot",
     0.745,
     INFINITY,
     2,
     {"around 0.9 m forward, 0.1 m to the side", "around 0.7 m forward, 0.18 m to the side; slips more"},
     {STANDS, STANDS}},
    {"drop-01",
     "thesis-drop-01",
     "Fall from 0.1 m",
     0.845,
     0.846,
     8,
     {"falls, stays at ground level", "the same"},
     {STANDS, STANDS}},
    {"drop-05",
     "thesis-drop-05",
     "Fall from 0.5 m",
     1.245,
     1.246,
     14,
     {"bounces, turns upside down, falls again; the trunk goes to -0.6 m, forces are high but reasonable and "
      "decline",
      "forces reach unrealistic values; flies to a very high altitude"},
     {INVERTED, FAILS}},
    {"drop-15",
     "thesis-drop-15",
     "Fall from 1.5 m",
     2.245,
     2.246,
     20,
     {"as from 0.5 m: bounces, falls upside down, settles", "fails; forces go to extremely high values"},
     {INVERTED, FAILS}},
    {"jump",
     "thesis-jump",
     "Jump",
     0.745,
     2.3,
     26,
     {"crouches, jumps, reaches 2.2 m; realistic forces", "extremely high forces while the legs extend"},
     {(unsigned)~FAILS, FAILS}},
};

static pki_study_watch begin_thesis_part(pki_study_progress *j, double cost, const char *what,
                                         const char *which)
{
  snprintf(j->what, sizeof j->what, "%s%s%s", what, which[0] != '\0' ? ": " : "", which);
  return pki_study_part_begin(j, cost);
}

/* Costs: seconds of computing, about. */
enum {
  RUN_COST = 2,
  LINEAR_COST = 65,
  HARDENING_COST = 55,
  OWN_COST = 13,
  TILT_COST = 65,
  ROLLED_COST = 9,
  EXTRA_COST = 8
};

static pk_status run_scenes(pki_thesis_data *d, pki_study_progress *j, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_THESIS_RUNS * PKI_THESIS_LAWS && status == PK_OK; i++) {
    const pki_thesis_scene *s = &pki_thesis_scenes[i / PKI_THESIS_LAWS];
    const int law = i % PKI_THESIS_LAWS;
    char set[64];
    const char *const sets[1] = {set};
    snprintf(set, sizeof set, "step.law=%s", pki_thesis_laws[law]);
    const pki_study_watch watch = begin_thesis_part(j, RUN_COST, s->title, pki_thesis_laws[law]);
    status = pki_thesis_run_scene(s, sets, 1, d->seconds, &watch, &d->curves[i / PKI_THESIS_LAWS][law],
                                  &d->runs[i / PKI_THESIS_LAWS][law], err);
    pki_study_part_end(j);
  }
  return status;
}

/* Ten times the step, on ground without the viscous friction that the hard law has not; the trot under Moreau's scheme, and with joints that do not ring. */
static pk_status run_extras(pki_thesis_data *d, pki_study_progress *j, pk_error *err)
{
  static const char *const large[] = {"step.law=hard", "materials.ground.viscous=0", "step.dt=5e-3",
                                      "step.implicit=all"};
  static const char *const damped[] = {"step.law=lcp-pyramid", "step.stepper=moreau", "step.implicit=all",
                                       "actuators=[{joints: '*', damping: 100}]"};
  static const char *const hard[] = {"step.law=hard", "materials.ground.viscous=0", "step.stepper=moreau",
                                     "step.implicit=all", "actuators=[{joints: '*', damping: 100}]"};
  const pki_thesis_scene *trot = &pki_thesis_scenes[PKI_THESIS_TROT];
  pk_status status = PK_OK;
  begin_thesis_part(j, EXTRA_COST, "ten times the step, damped joints", "");
  for (int i = 0; i < PKI_THESIS_RUNS && status == PK_OK; i++) {
    status = pki_thesis_run_scene(&pki_thesis_scenes[i], large, 4, 10.6, NULL, NULL, &d->large[i], err);
  }
  if (!d->quick) {
    status = status == PK_OK
                 ? pki_thesis_run_scene(trot, damped, 4, d->seconds, NULL, NULL, &d->damped[0], err)
                 : status;
    status = status == PK_OK ? pki_thesis_run_scene(trot, hard, 5, d->seconds, NULL, NULL, &d->damped[1], err)
                             : status;
    status =
        status == PK_OK ? pki_thesis_run_scene(trot, hard, 2, d->seconds, NULL, NULL, &d->hard, err) : status;
  }
  for (int i = 0; i < PKI_THESIS_SOFT && !d->quick && status == PK_OK; i++) {
    const double k = pki_thesis_soft[i];
    const pki_thesis_springs springs = {.linear = k, .tangential = k, .damping_n = 1000, .damping_t = 1000};
    status = pki_thesis_run_springs(PKI_THESIS_TROT, &springs, 0, d->seconds, &d->soft[i], err);
  }
  status = status == PK_OK ? pki_thesis_foot(&d->foot_inverse_mass, err) : status;
  pki_study_part_end(j);
  return status;
}

/* Parts with many runs each. */
static pk_status run_maps(pki_thesis_data *d, pki_study_progress *j, pk_error *err)
{
  static const struct {
    const char *what;
    double cost;
    pk_status (*run)(pki_thesis_data *d, const pki_study_watch *watch, pk_error *err);
  } parts[] = {
      {"linear springs over k and d", LINEAR_COST, pki_thesis_map_linear},
      {"hardening springs over c and d", HARDENING_COST, pki_thesis_map_hardening},
      {"starts near the scenarios'", OWN_COST, pki_thesis_own_springs},
      {"lcp-pyramid over roll and restitution", TILT_COST, pki_thesis_map_tilt},
      {"falls that start rolled", ROLLED_COST, pki_thesis_rolled_falls},
  };
  pk_status status = PK_OK;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == PK_OK; i++) {
    const pki_study_watch watch = begin_thesis_part(j, parts[i].cost, parts[i].what, "");
    status = parts[i].run(d, &watch, err);
    pki_study_part_end(j);
  }
  return status;
}

static pk_status run_thesis_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_thesis_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  d->seconds = options->quick ? 3 : 10.6;
  pki_study_progress j = {.options = options,
                          .all = RUN_COST * PKI_THESIS_RUNS * PKI_THESIS_LAWS + EXTRA_COST + LINEAR_COST +
                                 HARDENING_COST + OWN_COST + TILT_COST + ROLLED_COST};
  status = run_scenes(d, &j, err);
  status = status == PK_OK ? run_extras(d, &j, err) : status;
  status = status == PK_OK ? run_maps(d, &j, err) : status;
  if (status == PK_OK) {
    pki_thesis_rows(d, result);
    status = pki_thesis_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  for (int i = 0; i < PKI_THESIS_RUNS * PKI_THESIS_LAWS; i++) {
    free(d->curves[i / PKI_THESIS_LAWS][i % PKI_THESIS_LAWS].time);
  }
  free(d);
  return status;
}

const pki_study pki_thesis_study = {
    "thesis", "a quadruped trots, falls and jumps: exact contact against springs and dampers",
    "Ayit 2015, chapter 5, Figures 5.2 to 5.31", run_thesis_study};
