#include "optimize/files/gait_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "optimize/files/gait_fields.h"
#include "scenario/yaml_file.h"

const pki_yaml_kind pki_gait_kind = {"gaits", "PRONK_GAITS", "motion"};

/* ---- the hash ---- */

static void hash_reals(uint64_t *hash, const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    const double v = isnan(values[i]) ? 1e308 : values[i] + 0.0; /* one NAN; -0 as 0 */
    *hash = pki_hash_bytes(*hash, &v, sizeof v);
  }
}

static void hash_real(uint64_t *hash, double value)
{
  hash_reals(hash, &value, 1);
}

static void hash_parts(const pki_motion_problem *p, uint64_t *hash)
{
  for (int i = 0; i < p->nfoot; i++) {
    const pki_motion_foot *f = &p->feet[i];
    *hash = pki_hash_bytes(*hash, f->name, strlen(f->name) + 1);
    hash_reals(hash, f->at, 3);
    hash_reals(hash, f->rot, f->area ? 9 : 0);
    hash_reals(hash, (const double[]){f->body, f->radius, f->area, f->length, f->width, f->ankle}, 6);
  }
  for (int i = 0; i < p->nphase; i++) {
    const pki_motion_phase *f = &p->phases[i];
    hash_reals(
        hash,
        (const double[]){f->stance, f->intervals, f->shortest, f->longest, f->guess, f->crossing, f->soft},
        7);
  }
  for (int i = 0; i < p->model->nu; i++) {
    const pki_motion_motor *m = &p->motor[i];
    hash_reals(hash, (const double[]){m->resistance, m->constant, m->gear, m->efficiency, m->speed, m->stall},
               6);
    hash_real(hash, p->locked[i]);
  }
}

static void hash_numbers(const pki_motion_problem *p, uint64_t *hash)
{
  const double *const arrays[] = {p->pose,       p->q_lower, p->q_upper, p->v_upper, p->tau_upper,
                                  p->rate_upper, p->q_start, p->q_end,   p->v_start, p->v_end};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    hash_reals(hash, arrays[i], p->model->nu);
  }
  const pki_motion_objective *o = &p->objective;
  hash_reals(
      hash,
      (const double[]){o->torque, o->joule, o->work, o->time, o->polygon, o->stability, o->acceleration}, 7);
  const double numbers[] = {
      p->closure,        p->scheme,          p->motor_lines,       p->planar,          p->plane_first,
      p->speed,          p->stride_shortest, p->stride_longest,    p->period_shortest, p->period_longest,
      p->friction,       p->friction_share,  p->spin_friction,     p->slope,           p->clearance,
      p->least_force,    p->tip_speed,       p->tip_perpendicular, p->least_stability, p->tolerance,
      p->grid_tolerance, p->grid_rounds,     p->most_intervals};
  hash_reals(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
}

/* Without any a problem keeps the hash that it has always had. */
static void hash_designs(const pki_motion_problem *p, uint64_t *hash)
{
  for (int i = 0; i < p->ndesign; i++) {
    const pki_motion_design *d = &p->designs[i];
    *hash = pki_hash_bytes(*hash, d->name, strlen(d->name) + 1);
    *hash = pki_hash_bytes(*hash, d->sign, sizeof d->sign);
    hash_reals(hash, (const double[]){d->kind, d->lower, d->upper, d->start, d->scan, d->constant_mass}, 6);
  }
  for (int k = 0; k < p->model->nu && p->ndesign > 0; k++) {
    const pki_motion_motor *m = &p->motor[k];
    hash_reals(hash, (const double[]){m->inertia, m->damping, m->peak, m->effort}, 4);
  }
}

/* How many iterations the solver may take is left out: a solution that ran out of them goes on with more. */
static uint64_t hash_of(const pki_gait_file *g)
{
  uint64_t hash = PKI_HASH_START;
  const uint64_t model = pk_model_hash(g->model);
  hash = pki_hash_bytes(hash, &model, sizeof model);
  hash_parts(&g->problem, &hash);
  hash_numbers(&g->problem, &hash);
  for (int i = 0; i < g->problem.ngap; i++) {
    const pki_motion_gap *gap = &g->problem.gaps[i];
    hash_reals(&hash, (const double[]){gap->body[0], gap->body[1], gap->least}, 3);
    hash_reals(&hash, gap->at[0], 6);
  }
  hash_designs(&g->problem, &hash);
  return hash;
}

/* ---- the whole ---- */

static void read_phases(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *root = pki_document_root(g->document);
  const pki_node *gait = pki_node_find(root, "gait"), *phases = pki_node_find(root, "phases");
  if (gait != NULL && phases != NULL) {
    pki_problem(problems, gait, "gait and phases are both there; give one");
  } else if (gait != NULL) {
    pki_gait_make_phases(g, gait, problems);
  } else if (phases == NULL || (phases->kind == PKI_NODE_LIST && phases->count == 0)) {
    pki_problem(problems, phases != NULL ? phases : root,
                "there are no phases, expected a list `phases` or a pattern `gait`");
  } else {
    pki_gait_read_phases(g, phases, problems);
  }
}

static void read_gait(pki_gait_file *g, const char *text, size_t size, const char *const *sets, int nset,
                      pki_problems *problems)
{
  const pki_node *root = pki_document_root(g->document);
  const pki_binding binding = {pki_gait_fields, pki_gait_field_count, g};
  pki_fields_preset(pki_gait_fields, pki_gait_field_count, g);
  g->settings.gravity[2] = -9.81;
  pki_file_stem(g->file, g->name, sizeof g->name);
  if (pki_expect_kind(root, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_read_map(root, &binding, 1, problems);
  pki_gait_read_model(g, text, size, sets, nset, problems);
  if (g->model == NULL || g->problem.model == NULL) {
    return; /* nothing else can be looked up */
  }
  pki_copy_cut(g->problem.name, sizeof g->problem.name, g->name);
  pki_gait_read_numbers(g, problems);
  read_phases(g, problems);
  pki_gait_read_joints(g, problems);
  pki_gait_read_gaps(g, problems);
  pki_gait_read_design(g, problems);
  if (problems->status == PK_OK) {
    pk_error err = {0};
    const pk_status status = pki_motion_validate(&g->problem, &err);
    const pki_node *design = pki_gait_design_node(g, err.field);
    pki_problems_note(problems, pki_node_place(status, design != NULL ? design : root, "", &err), &err);
    g->hash = hash_of(g);
  }
}

pk_status pki_gait_file_parse(const char *file, const char *text, size_t size, const char *const *sets,
                              int nset, pki_gait_file **out, pki_problems *problems)
{
  *out = NULL;
  pki_gait_file *g = calloc(1, sizeof *g);
  if (g == NULL) {
    return pki_problem_memory(problems);
  }
  snprintf(g->file, sizeof g->file, "%s", file);
  g->document = pki_yaml_parse(file, text, size, sets, nset, problems);
  if (problems->status == PK_OK) {
    read_gait(g, text, size, sets, nset, problems);
  }
  if (problems->status != PK_OK) {
    pki_gait_file_destroy(g);
    return problems->status;
  }
  *out = g;
  return PK_OK;
}

pk_status pki_gait_file_load(const char *path, const char *const *sets, int nset, pki_gait_file **out,
                             pki_problems *problems)
{
  size_t size = 0;
  *out = NULL;
  char *text = NULL;
  pk_error err = {0};
  pk_status status = pki_yaml_read(path, &text, &size, &err);
  if (status != PK_OK) {
    return pki_problems_note(problems, status, &err);
  }
  status = pki_gait_file_parse(path, text, size, sets, nset, out, problems);
  free(text);
  return status;
}

void pki_gait_file_destroy(pki_gait_file *gait)
{
  if (gait == NULL) {
    return;
  }
  pk_model_destroy(gait->model);
  pki_scenario_destroy(gait->scenario);
  pki_document_destroy(gait->document);
  free(gait);
}

bool pki_is_gait_file(const char *path)
{
  static const char *const own[] = {"feet", "phases", "gait", "closure"};
  return pki_yaml_has_key(path, own, (int)(sizeof own / sizeof own[0]));
}
