/* Pronk's own entries: the lane kernels as the library calls them, generic or compiled, on states in lane order. */
#include "measure/dynamics_pronk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/code.h"
#include "pronk/code.h"

typedef struct engine {
  const pk_model *model;
  const pki_kernels *kernels;
  pk_code *code; /* NULL: the generic kernels */
  pki_work work;
  void *memory;              /* of the work and of the arrays below */
  size_t q_stride, u_stride; /* doubles from one lane group to the next, whole cache lines */
  double *q, *u, *tau, *a;   /* by lane group */
  double *result;            /* [nu] of the last run */
  double *M;                 /* [nM] of the last CRBA */
} engine;

static size_t whole_lines(size_t count)
{
  return (count + 7) / 8 * 8;
}

/* Lay everything out in one piece of memory; an arena that counts gives its size. */
static void carve_engine(engine *e, int groups, pki_arena *arena)
{
  const size_t lanes = (size_t)e->kernels->lanes, n = (size_t)groups;
  e->q_stride = whole_lines((size_t)e->model->nq * lanes);
  e->u_stride = whole_lines((size_t)e->model->nu * lanes);
  pki_work_carve(&e->work, e->model, e->kernels->lanes, arena);
  e->q = pki_arena_take(arena, n * e->q_stride, sizeof(double));
  e->u = pki_arena_take(arena, n * e->u_stride, sizeof(double));
  e->tau = pki_arena_take(arena, n * e->u_stride, sizeof(double));
  e->a = pki_arena_take(arena, n * e->u_stride, sizeof(double));
  e->result = pki_arena_take(arena, e->u_stride, sizeof(double));
  e->M = pki_arena_take(arena, (size_t)e->model->nM * lanes, sizeof(double));
}

static void destroy_engine(void *object)
{
  engine *e = object;
  if (!e) {
    return;
  }
  pki_aligned_free(e->memory);
  pk_code_close(e->code);
  free(e);
}

static void *create_engine(const pk_model *model, int slots, int lanes, char *message, size_t size)
{
  snprintf(message, size, "out of memory");
  if (model->has_mimic) {
    snprintf(message, size, "the articulated-body algorithm does not take mimic joints");
    return NULL;
  }
  engine *e = calloc(1, sizeof *e);
  if (!e) {
    return NULL;
  }
  e->model = model;
  e->kernels = pki_kernels_get(lanes);
  const int groups = (slots + lanes - 1) / lanes;
  pki_arena counting = pki_arena_over(NULL, 0);
  carve_engine(e, groups, &counting);
  e->memory = pki_aligned_alloc(counting.used);
  if (!e->memory) {
    destroy_engine(e);
    return NULL;
  }
  memset(e->memory, 0, counting.used);
  pki_arena arena = pki_arena_over(e->memory, counting.used);
  carve_engine(e, groups, &arena);
  memcpy(e->work.diag, e->work.params.armature, (size_t)model->nu * (size_t)lanes * sizeof(double));
  return e;
}

static void *create_compiled(const pk_model *model, int slots, int lanes, char *message, size_t size)
{
  pk_code_options options = pk_code_options_default();
  options.lanes = lanes == 1 ? 0 : lanes;
  pk_code *code = NULL;
  pk_error err = {0};
  if (pk_code_open(model, &options, &code, &err) != PK_OK) {
    snprintf(message, size, "%s", err.message);
    return NULL;
  }
  engine *e = create_engine(model, slots, lanes, message, size);
  if (!e) {
    pk_code_close(code);
    return NULL;
  }
  e->code = code;
  e->kernels = pki_work_use(&e->work, pki_code_find(code, lanes));
  return e;
}

/* Numbers of one robot into its lane. */
static void scatter_into_lane(double *group, int lanes, int lane, const double *from, int count)
{
  for (int i = 0; i < count; i++) {
    group[(size_t)i * (size_t)lanes + (size_t)lane] = from[i];
  }
}

static void store_state(void *object, int slot, const pki_dynamics_state *state)
{
  const engine *e = object;
  const int lanes = e->kernels->lanes, lane = slot % lanes, nu = e->model->nu;
  const size_t group = (size_t)(slot / lanes);
  scatter_into_lane(e->q + group * e->q_stride, lanes, lane, state->q, e->model->nq);
  scatter_into_lane(e->u + group * e->u_stride, lanes, lane, state->u, nu);
  scatter_into_lane(e->tau + group * e->u_stride, lanes, lane, state->tau, nu);
  scatter_into_lane(e->a + group * e->u_stride, lanes, lane, state->a, nu);
}

static void run_algorithm(void *object, pki_algorithm algorithm, int index)
{
  engine *e = object;
  const pki_kernels *k = e->kernels;
  const size_t group = (size_t)index;
  const double *q = e->q + group * e->q_stride, *u = e->u + group * e->u_stride;
  switch (algorithm) {
  case PKI_ALGORITHM_RNEA: k->inverse(&e->work, q, u, e->a + group * e->u_stride, e->result); break;
  case PKI_ALGORITHM_CRBA:
    k->kinematics(&e->work, q);
    k->crba(&e->work);
    break;
  case PKI_ALGORITHM_FACTOR:
    /* The factor takes the place of M, so that each run starts from a copy. */
    memcpy(e->work.M, e->M, (size_t)e->model->nM * (size_t)k->lanes * sizeof(double));
    k->ltl_factor(&e->work);
    break;
  case PKI_ALGORITHM_ABA: k->acceleration(&e->work, q, u, e->tau + group * e->u_stride, e->result); break;
  default: break;
  }
}

/* The dense matrix of one lane from the rows of the elimination plan. */
static void read_matrix(const engine *e, int lane, double *out)
{
  const pk_model *m = e->model;
  const size_t nu = (size_t)m->nu, lanes = (size_t)e->kernels->lanes;
  memset(out, 0, nu * nu * sizeof(double));
  for (size_t i = 0; i < nu; i++) {
    for (int k = m->M_row[i]; k < m->M_row[i + 1]; k++) {
      const size_t j = (size_t)m->M_col[k];
      out[i * nu + j] = out[j * nu + i] = e->work.M[(size_t)k * lanes + (size_t)lane];
    }
  }
}

static void read_result(void *object, pki_algorithm algorithm, int lane, double *out)
{
  const engine *e = object;
  if (algorithm == PKI_ALGORITHM_CRBA) {
    read_matrix(e, lane, out);
    return;
  }
  for (int i = 0; i < e->model->nu; i++) {
    out[i] = e->result[(size_t)i * (size_t)e->kernels->lanes + (size_t)lane];
  }
}

/* Keep the M of state `index` for the factorisation. */
static void prepare_factor(void *object, int index)
{
  engine *e = object;
  run_algorithm(e, PKI_ALGORITHM_CRBA, index);
  memcpy(e->M, e->work.M, (size_t)e->model->nM * (size_t)e->kernels->lanes * sizeof(double));
}

const pki_dynamics_peer *pki_dynamics_pronk(void)
{
  static const pki_dynamics_peer table = {
      .calls = {"RNEA kernel", "CRBA kernel", "LTL kernel", "ABA kernel"},
      .create = create_engine,
      .destroy = destroy_engine,
      .store = store_state,
      .prepare_factor = prepare_factor,
      .run = run_algorithm,
      .read = read_result,
  };
  return &table;
}

const pki_dynamics_peer *pki_dynamics_compiled(void)
{
  static const pki_dynamics_peer table = {
      .calls = {[PKI_ALGORITHM_RNEA] = "generated RNEA",
                [PKI_ALGORITHM_FACTOR] = "generated LTL",
                [PKI_ALGORITHM_ABA] = "generated ABA"},
      .create = create_compiled,
      .destroy = destroy_engine,
      .store = store_state,
      .prepare_factor = prepare_factor,
      .run = run_algorithm,
      .read = read_result,
  };
  return &table;
}
