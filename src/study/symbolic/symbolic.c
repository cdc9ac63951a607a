/* The order of the study of symbolic dynamics: robots, counts, pendulums, then rows, then the report. */
#include "study/symbolic/symbolic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/locate.h"

const char *const pki_symbolic_engines[PKI_SYMBOLIC_ENGINES] = {"generic", "generated", "generated-x4",
                                                                "simbody", "mujoco"};
const char *const pki_symbolic_titles[PKI_SYMBOLIC_ENGINES] = {
    "Pronk, generic", "Pronk, generated", "Pronk, generated, 4 lanes", "Simbody", "MuJoCo"};

/* COMAN's bodies: waist, right leg (6), left leg (6), torso (3), arms (4 each). */
const int pki_symbolic_bodies[PKI_SYMBOLIC_SIZES] = {7, 13, 16, 24};
const char *const pki_symbolic_parts[PKI_SYMBOLIC_SIZES] = {"waist and one leg", "waist and two legs",
                                                            "torso and two legs", "whole"};

enum { STATES = 1000 };

/* What one robot takes, in steps of a pendulum. */
static const double size_work = 1.3e7, size_work_quick = 3e6, count_work = 1e6;

static pk_status load_coman(pk_model **out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  const pk_status status = pki_model_locate("coman", path, err);
  return status != PK_OK ? status : pk_model_load_urdf(path, &options, out, err);
}

bool pki_symbolic_is_timed(const pki_symbolic_data *d, int size)
{
  return !d->quick || size == 0 || size == PKI_SYMBOLIC_SIZES - 1;
}

static pk_status run_size(pki_symbolic_data *d, const pk_model *coman, int i, pki_study_progress *j,
                          pk_error *err)
{
  pk_model *part = NULL;
  pki_symbolic_size *size = &d->sizes[i];
  snprintf(j->what, sizeof j->what, "COMAN, %s", pki_symbolic_parts[i]);
  const pki_study_watch watch = pki_study_part_begin(j, d->quick ? size_work_quick : size_work);
  pk_status status = pki_symbolic_part(coman, pki_symbolic_bodies[i], &part, err);
  if (status == PK_OK) {
    size->dof = part->nu;
    for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
      size->median[e] = size->spread[e] = size->by_entry[e] = size->by_state[e] = NAN;
    }
    status = pki_symbolic_weigh(d, part, size, pki_symbolic_is_timed(d, i), err);
    watch.tell(watch.user, 0.3);
  }
  if (status == PK_OK && pki_symbolic_is_timed(d, i)) {
    status = pki_symbolic_measure(d, part, size, &watch, err);
  }
  pki_study_part_end(j);
  pk_model_destroy(part);
  return status;
}

static pk_status run_all(pki_symbolic_data *d, pki_study_progress *j, pk_error *err)
{
  pk_model *coman = NULL;
  pk_status status = load_coman(&coman, err);
  for (int i = 0; i < PKI_SYMBOLIC_SIZES && status == PK_OK; i++) {
    status = run_size(d, coman, i, j, err);
  }
  if (status == PK_OK) {
    pki_symbolic_fit(d);
    snprintf(j->what, sizeof j->what, "operations of all functions");
    pki_study_part_begin(j, count_work);
    status = pki_symbolic_count_all(d, coman, err);
    status = status == PK_OK ? pki_inverse_count(&d->inverse, d->quick ? 8 : 48, err) : status;
    pki_study_part_end(j);
  }
  pk_model_destroy(coman);
  return status == PK_OK ? pki_symbolic_swing(d, j, err) : status;
}

static pk_status run_symbolic_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_symbolic_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  d->states = STATES;
  pki_study_progress j = {.options = options};
  j.all =
      PKI_SYMBOLIC_SIZES * (d->quick ? size_work_quick : size_work) + count_work + pki_symbolic_swing_work(d);
  status = run_all(d, &j, err);
  if (status == PK_OK) {
    pki_symbolic_rows(d, result);
    status = pki_symbolic_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  pki_pendulum_history_free(&d->rotation[0]);
  pki_pendulum_history_free(&d->rotation[1]);
  free(d);
  return status;
}

const pki_study pki_symbolic_study = {
    "symbolic", "a humanoid's own equations against programs for all robots: time of one forward dynamics",
    "Zobova et al. 2016, sections 3.1 and 3.2, Table 1, Fig. 3 and Fig. 4", run_symbolic_study};
