/* The order of the StarLETH study: worlds, motions, then rows, then the report. */
#include "study/starleth/starleth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- progress -------------------------------------------------------------------------- */

static pki_study_watch begin_part(pki_study_progress *j, double cost, const char *what, const char *which)
{
  snprintf(j->what, sizeof j->what, "%s%s%s", what, which[0] != '\0' ? ": " : "", which);
  return pki_study_part_begin(j, cost);
}

/* Minimal, extended, maximal; prox in maximal coordinates takes a hundred times as long. */
static double cost_of(const pki_starleth_config *c)
{
  return c->set == PKI_STARLETH_MAXIMAL && c->prox ? (c->sor ? 9 : 30) : c->prox ? 5 : 2;
}

/* --- stretches ------------------------------------------------------------------------- */

static pk_status run_trots(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                           pk_error *err)
{
  const pki_study_watch watch = begin_part(j, 3.2 * d->cycles, "trot", "all configurations in turn");
  const pk_status status = pki_starleth_trots(lab, d, &watch, err);
  pki_study_part_end(j);
  if (status != PK_OK) {
    return status;
  }
  begin_part(j, 1, "force of a foot", "");
  const pk_status curves = pki_starleth_curves(lab, d, err);
  pki_study_part_end(j);
  return curves;
}

/* Nothing was swept yet. */
static void clear_sweep(pki_starleth_sweep *s)
{
  s->limit = s->fastest = NAN;
  for (int k = 0; k < PKI_STARLETH_ALPHAS; k++) {
    s->iterations[k] = NAN;
  }
}

static pk_status run_sweep(const pki_starleth_lab *lab, const pki_starleth_config *c, pki_starleth_form form,
                           pki_starleth_sweep *s, pki_study_progress *j, pk_error *err)
{
  const pki_study_watch watch = begin_part(j, 0.3 * cost_of(c), "iterations against alpha", c->name);
  const pk_status status = pki_starleth_sweep_alpha(lab, c, form, 0.6, &watch, s, err);
  pki_study_part_end(j);
  return status;
}

static pk_status run_sweeps(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                            pk_error *err)
{
  const pki_starleth_config *hms = &pki_starleth_configs[PKI_STARLETH_HMS],
                            *hmjd = &pki_starleth_configs[PKI_STARLETH_HMJD];
  pk_status status = PK_OK;
  for (int i = PKI_STARLETH_HMJ; i < PKI_STARLETH_PAPER && status == PK_OK; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    clear_sweep(&d->sweeps[i]);
    if (!d->quick || c->set == PKI_STARLETH_MINIMAL) {
      status = run_sweep(lab, c, PKI_STARLETH_PUBLISHED, &d->sweeps[i], j, err);
    }
  }
  clear_sweep(&d->fine_sweep);
  clear_sweep(&d->eliminated_sweep);
  status = status == PK_OK ? run_sweep(lab, hms, PKI_STARLETH_FINE, &d->fine_sweep, j, err) : status;
  if (!d->quick && status == PK_OK) {
    status = run_sweep(lab, hmjd, PKI_STARLETH_ELIMINATED, &d->eliminated_sweep, j, err);
  }
  return status;
}

static pk_status run_standing(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                              pk_error *err)
{
  const double seconds = d->quick ? 3 : 10;
  pk_status status = PK_OK;
  begin_part(j, 3, "standing drift", "");
  for (int k = 0; k < PKI_STARLETH_STEPS && status == PK_OK; k++) {
    pk_sim_options o = pki_starleth_options(&pki_starleth_configs[PKI_STARLETH_HMJ]);
    o.dt /= 1 << k;
    d->drift_dt[k] = o.dt;
    d->drift[k] = NAN;
    status = d->quick && k > 0 ? PK_OK : pki_starleth_stand(lab, &o, seconds, &d->drift[k], err);
  }
  pk_sim_options o = pki_starleth_options(&pki_starleth_configs[PKI_STARLETH_HMJ]);
  o.change_rel = o.change_abs = 1e-8;
  status = status == PK_OK ? pki_starleth_stand(lab, &o, seconds, &d->drift_fine, err) : status;
  o = pki_starleth_options(&pki_starleth_configs[PKI_STARLETH_DEFAULT]);
  status = status == PK_OK ? pki_starleth_stand(lab, &o, seconds, &d->drift_default, err) : status;
  pki_study_part_end(j);
  return status;
}

/* What the bilateral drift depends on: the step in maximal coordinates, the stop rule where it is iterated, how the trunk
 * turns in extended ones. */
static pk_status run_evidence(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                              pk_error *err)
{
  static const double seconds = 8;
  static const struct {
    int config;
    double step, tolerance, forward;
  } runs[PKI_STARLETH_EVIDENCE] = {{PKI_STARLETH_HMJD, 0.5, 1e-6, PKI_STARLETH_FORWARD},
                                   {PKI_STARLETH_HEJP, 1, 1e-8, PKI_STARLETH_FORWARD},
                                   {PKI_STARLETH_HEJD, 1, 1e-6, 0}};
  pk_status status = PK_OK;
  begin_part(j, d->quick ? 0 : 3, "bilateral drift", "");
  for (int k = 0; k < PKI_STARLETH_EVIDENCE && status == PK_OK; k++) {
    const pki_starleth_config *c = &pki_starleth_configs[runs[k].config];
    pk_sim_options o = pki_starleth_options(c);
    o.dt *= runs[k].step;
    o.change_rel = o.change_abs = runs[k].tolerance;
    d->evidence_gap[k] = d->evidence_velocity[k] = NAN;
    if (!d->quick) {
      status = pki_starleth_opening(lab, c->set, &o, seconds, runs[k].forward, &d->evidence_gap[k],
                                    &d->evidence_velocity[k], err);
    }
  }
  pki_study_part_end(j);
  return status;
}

/* A push, and with alpha from G where Table 1's lets the robot burst. */
static pk_status run_push(const pki_starleth_lab *lab, int config, pki_starleth_push *table,
                          pki_starleth_push *own, pk_error *err)
{
  const pki_starleth_config *c = &pki_starleth_configs[config];
  pk_status status = pki_starleth_push_over(lab, c, false, table, err);
  if (status == PK_OK && !table->finite && c->hard && !c->sor) {
    status = pki_starleth_push_over(lab, c, true, own, err);
  }
  return status;
}

static pk_status run_pushes(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                            pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < PKI_STARLETH_CONFIGS && status == PK_OK; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    if (!d->quick || c->set == PKI_STARLETH_MINIMAL) {
      begin_part(j, cost_of(c), "push", c->name);
      status = run_push(lab, i, &d->pushes[i], &d->auto_pushes[i], err);
      pki_study_part_end(j);
    }
  }
  return status;
}

/* HmJ on the boxes and cylinders of models/starleth, which are not the paper's. */
static pk_status run_shapes(pki_starleth_data *d, pki_study_progress *j, pk_error *err)
{
  pki_starleth_lab lab;
  begin_part(j, 2, "push", "HmJ on shapes");
  pk_status status = pki_starleth_lab_create(&lab, false, err);
  status =
      status == PK_OK ? run_push(&lab, PKI_STARLETH_HMJ, &d->shape_push, &d->shape_auto_push, err) : status;
  pki_starleth_lab_free(&lab);
  pki_study_part_end(j);
  return status;
}

/* G8 and G9 in numbers. */
static void count_parts(const pki_starleth_lab *lab, pki_starleth_data *d)
{
  const pk_model *m = lab->models[PKI_STARLETH_MINIMAL];
  for (int set = 0; set < PKI_STARLETH_SETS; set++) {
    d->sizes[set][0] = lab->models[set]->nu, d->sizes[set][1] = lab->models[set]->nbilateral;
  }
  d->bodies = m->nbody;
  for (int k = 0; k < m->nbody; k++) {
    d->hinges += m->body_motion[k] == PK_MOTION_REVOLUTE;
  }
  for (int k = 0; k < m->nshape; k++) {
    d->points += !m->shapes[k].visual;
  }
}

static pk_status run_agreement(const pki_starleth_lab *lab, pki_starleth_data *d, pki_study_progress *j,
                               pk_error *err)
{
  pk_status status = PK_OK;
  for (int set = 0; set < PKI_STARLETH_SETS && status == PK_OK; set++) {
    d->agreement[set] = d->agreement_residual[set] = NAN;
    if (d->quick && set == PKI_STARLETH_MAXIMAL) {
      continue;
    }
    begin_part(j, set == PKI_STARLETH_MAXIMAL ? 20 : 1, "agreement", pki_starleth_set_names[set]);
    status = pki_starleth_agree(lab, (pki_starleth_set)set, 1, &d->agreement[set],
                                &d->agreement_residual[set], err);
    pki_study_part_end(j);
  }
  begin_part(j, 1, "convergence of coordinate sets", "");
  status = status == PK_OK ? pki_starleth_converge(lab, 0.3, d->apart, err) : status;
  pki_study_part_end(j);
  return status;
}

/* --- the study ------------------------------------------------------------------------- */

static double all_costs(const pki_starleth_data *d)
{
  double all = 3.2 * d->cycles + 1 + 3 + 1 + 2 + 0.6 + (d->quick ? 2 : 26.6);
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    const bool swept =
        i >= PKI_STARLETH_HMJ && i < PKI_STARLETH_PAPER && (!d->quick || c->set == PKI_STARLETH_MINIMAL);
    const bool pushed = !d->quick || c->set == PKI_STARLETH_MINIMAL;
    all += (swept ? 0.3 * cost_of(c) : 0) + (pushed ? cost_of(c) : 0);
  }
  return all;
}

static pk_status run_starleth_study(const pki_study_options *options, pki_study_result *result, pk_error *err)
{
  pk_status status = pki_folder_create(options->folder, err);
  if (status != PK_OK) {
    return status;
  }
  pki_starleth_data *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return pki_fail_memory(err, NULL);
  }
  d->quick = options->quick;
  d->cycles = options->quick ? 2 : 25;
  pki_study_progress j = {.options = options, .all = all_costs(d)};
  pki_starleth_lab lab;
  status = pki_starleth_lab_create(&lab, true, err);
  if (status == PK_OK) {
    count_parts(&lab, d);
  }
  status = status == PK_OK ? run_trots(&lab, d, &j, err) : status;
  status = status == PK_OK ? run_sweeps(&lab, d, &j, err) : status;
  status = status == PK_OK ? run_standing(&lab, d, &j, err) : status;
  status = status == PK_OK ? run_evidence(&lab, d, &j, err) : status;
  status = status == PK_OK ? run_pushes(&lab, d, &j, err) : status;
  status = status == PK_OK ? run_shapes(d, &j, err) : status;
  status = status == PK_OK ? run_agreement(&lab, d, &j, err) : status;
  if (status == PK_OK) {
    pki_starleth_rows(d, result);
    status = pki_starleth_report(d, options, result, err);
  }
  if (status == PK_OK && result->failed) {
    status = pki_fail_memory(err, NULL);
  }
  for (int k = 0; k < PKI_STARLETH_CURVES; k++) {
    free(d->curves[k].time);
  }
  pki_starleth_lab_free(&lab);
  free(d);
  return status;
}

const pki_study pki_starleth_study = {
    "starleth", "a quadruped trots in eleven ways: speed, accuracy and robustness of Moreau's scheme",
    "Gehring et al. 2014, Table 1 and Fig. 5 to 7", run_starleth_study};
