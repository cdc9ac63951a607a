#include "dynamics/code.h"

#include <string.h>

#include "base/error.h"
#include "dynamics/workspace.h"
#include "model/match.h"

#define ENTRY(name) \
  { \
#name, offsetof(pki_code_functions, name) \
  }

const pki_code_entry pki_code_entries[] = {
    ENTRY(kinematics), ENTRY(inertial),     ENTRY(free_velocity), ENTRY(factor), ENTRY(solve),
    ENTRY(finish),     ENTRY(acceleration), ENTRY(bias),          ENTRY(rnea),   ENTRY(acceleration_open),
    ENTRY(rnea_open),
};
const int pki_code_entry_count = sizeof pki_code_entries / sizeof pki_code_entries[0];

const int pki_lane_counts[PKI_LANE_COUNTS] = {1, 4, 8};

/* ---- wrappers ---- */

/* Body 0 of an array of `size` numbers for each body. */
static double *first_body(const pki_work *w, double *array, int size)
{
  return array + size * w->lanes;
}

static void code_kinematics(pki_work *w, const double *q)
{
  w->code->kinematics(q, first_body(w, w->pose, 12), first_body(w, w->origin, 3));
}

static void code_inertial(pki_work *w, const double *q, const double *u, double *h)
{
  w->code->inertial(q, u, w->params.grouped, w->diag, first_body(w, w->pose, 12), first_body(w, w->origin, 3),
                    first_body(w, w->twist, 6), h, w->M);
}

static void code_free_velocity(pki_work *w, const double *q, const double *u, const double *force,
                               const double *gain, double dt, double *x)
{
  double lanes[8] __attribute__((aligned(64)));
  for (int l = 0; l < w->lanes; l++) {
    lanes[l] = dt;
  }
  w->code->free_velocity(q, u, w->params.grouped, w->diag, force, gain, lanes, first_body(w, w->pose, 12),
                         first_body(w, w->origin, 3), first_body(w, w->twist, 6), w->M, x);
}

static void code_factor(pki_work *w)
{
  w->code->factor(w->M, w->M);
}

static void code_solve(const pki_work *w, double *x)
{
  w->code->solve(w->M, x, x);
}

static void code_finish(const pki_work *w, double *x)
{
  w->code->finish(w->M, x, x);
}

/* Inertias are the model's, and nothing but the armature is on the diagonal. */
static bool has_model_inertias(const pki_work *w)
{
  return !w->params.varied &&
         memcmp(w->diag, w->params.armature, (size_t)(w->model->nu * w->lanes) * sizeof *w->diag) == 0;
}

/* The diagonal has nothing where the model has no armature. */
static bool is_armature(const pki_work *w)
{
  bool good = true;
  for (int k = 0; k < w->model->nu * w->lanes; k++) {
    good &= w->diag[k] == 0 || w->model->dof_armature[k / w->lanes] != 0;
  }
  return good;
}

static void code_acceleration(pki_work *w, const double *q, const double *u, const double *tau, double *a)
{
  if (has_model_inertias(w)) {
    w->code->acceleration(q, u, tau, a);
  } else if (w->code->acceleration_open != NULL && is_armature(w)) {
    w->code->acceleration_open(q, u, tau, w->params.grouped, w->diag, a);
  } else {
    w->code->generic->aba(w, q, u, tau, a);
  }
}

static void code_inverse_dynamics(pki_work *w, const double *q, const double *u, const double *a, double *tau)
{
  const double *const given = a != NULL ? a : w->zero;
  if (!w->params.varied && a == NULL && w->code->bias != NULL) {
    w->code->bias(q, u, tau);
  } else if (!w->params.varied) {
    w->code->rnea(q, u, given, tau);
  } else if (w->code->rnea_open != NULL) {
    w->code->rnea_open(q, u, given, w->params.grouped, w->params.armature, tau);
  } else {
    w->code->generic->rnea(w, q, u, a, tau);
  }
}

void pki_code_wrap(pki_code_lanes *code, int lanes)
{
  const pki_code_functions *f = &code->functions;
  pki_kernels *k = &code->kernels;
  code->lanes = lanes;
  code->functions.generic = pki_kernels_get(lanes);
  *k = *code->functions.generic;
  k->kinematics = f->kinematics != NULL ? code_kinematics : k->kinematics;
  k->inertial = f->inertial != NULL ? code_inertial : k->inertial;
  k->free_velocity = f->free_velocity != NULL ? code_free_velocity : k->free_velocity;
  k->ltl_factor = f->factor != NULL ? code_factor : k->ltl_factor;
  k->ltl_solve = f->solve != NULL ? code_solve : k->ltl_solve;
  k->ltl_finish = f->finish != NULL ? code_finish : k->ltl_finish;
  k->acceleration = f->acceleration != NULL ? code_acceleration : k->acceleration;
  k->inverse = f->rnea != NULL ? code_inverse_dynamics : k->inverse;
}

/* ---- use ---- */

const pki_code_lanes *pki_code_find(const pk_code *code, int lanes)
{
  for (int i = 0; i < PKI_LANE_COUNTS && code != NULL; i++) {
    if (code->lanes[i].lanes == lanes) {
      return &code->lanes[i];
    }
  }
  return NULL;
}

pk_status pki_code_check(const pk_code *code, const pk_model *model, int lanes, pk_error *err)
{
  if (code == NULL) {
    return PK_OK;
  }
  const pk_status status = pki_model_match(model, code->model, "code", "the code", err);
  if (status != PK_OK) {
    return status;
  }
  if (pki_code_find(code, lanes) == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "code"},
                    "the code was not compiled for %d lanes: ask for them in pk_code_options", lanes);
  }
  return PK_OK;
}

/* The world's own entries, which generic kernels write anew each time and code never does. */
static void place_world(pki_work *w)
{
  const size_t real = (size_t)w->lanes * sizeof(double);
  memset(w->pose, 0, 12 * real);
  memset(w->origin, 0, 3 * real);
  memset(w->twist, 0, 6 * real);
  for (int i = 0; i < 3 * w->lanes; i++) {
    w->pose[4 * (i / w->lanes) * w->lanes + i % w->lanes] = 1; /* entries 0, 4, 8 of a rotation */
  }
}

const pki_kernels *pki_work_use(pki_work *work, const pki_code_lanes *code)
{
  work->code = code != NULL ? &code->functions : NULL;
  if (code != NULL) {
    place_world(work);
  }
  return code != NULL ? &code->kernels : pki_kernels_get(work->lanes);
}

pk_status pk_workspace_use(pk_workspace *w, const pk_code *code, pk_error *err)
{
  const pk_status status = pki_code_check(code, w->model, 1, err);
  if (status == PK_OK) {
    w->kernels = pki_work_use(&w->work, pki_code_find(code, 1));
  }
  return status;
}
