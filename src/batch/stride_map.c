/* The stride map of a world: many copies of it, each from another state, taken through the steps of a stride by a batch.
 *
 * Directions of a free body with place p, rotation R, velocity v of its origin and angular velocity w in its own axes, at a state
 * with heading psi, Z = Rz(psi):
 *
 *   place      Z^T dp
 *   turn       Z^T log(R' R^T)
 *   velocity   R'^T v' - R^T v
 *   rate       w' - w
 *
 * Moving and turning everything on flat ground, p -> Rz(a) p + (x, y, 0), changes none of these but x, y and the turn about z,
 * whatever psi is: derivatives of strides that turn are those of strides that do not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "pronk/batch.h"
#include "pronk/collision.h"
#include "pronk/floquet.h"
#include "step/world.h"

struct pk_stride_map {
  pk_return_map map;
  const pk_model *model;
  pk_sim *sim; /* one world, from which worlds of the batch are set */
  pk_batch *batch;
  pk_batch_options batch_options;
  const pk_controller *controller;
  int steps;
  void *state; /* [state_size] of `sim` at the start, with all that it remembers */
  size_t state_size;
  double *start; /* [nx] */
  double *v;     /* [nu] scratch */
};

/* ---- directions ---- */

/* A free body whose frame stands as the world's, z up. */
static bool is_free_body(const pk_model *m, int body)
{
  return m->body_parent[body] < 0 && m->body_motion[body] == PK_MOTION_FLOATING && !m->body_turned[body];
}

/* Rz(heading) of R. */
static void heading_axes(const double R[9], double Z[9])
{
  const double length = hypot(R[0], R[3]), c = length > 0 ? R[0] / length : 1,
               s = length > 0 ? R[3] / length : 0;
  const double axes[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  memcpy(Z, axes, sizeof axes);
}

static void add_stride(const pk_return_map *map, const double *x, const double *d, double *out)
{
  const pk_stride_map *s = map->user;
  const pk_model *m = s->model;
  memcpy(s->v, d, (size_t)m->nu * sizeof *s->v);
  for (int b = 0; b < m->nbody; b++) {
    double R[9], Z[9], turn[3], *v = s->v + m->body_u[b];
    if (is_free_body(m, b)) {
      pki_quat_to_mat3(x + m->body_q[b] + 3, R);
      heading_axes(R, Z);
      pki_mat3_apply(Z, d + m->body_u[b], v);
      pki_mat3_apply(Z, d + m->body_u[b] + 3, turn);
      pki_mat3_apply_transposed(R, turn, v + 3);
    }
  }
  pk_config_add(m, x, s->v, out);
  for (int k = 0; k < m->nu; k++) {
    out[m->nq + k] = x[m->nq + k] + d[m->nu + k];
  }
  for (int b = 0; b < m->nbody; b++) {
    double R[9], own[3];
    if (is_free_body(m, b)) {
      const size_t at = (size_t)(m->nq + m->body_u[b]);
      pki_quat_to_mat3(x + m->body_q[b] + 3, R);
      pki_mat3_apply_transposed(R, x + at, own);
      for (int i = 0; i < 3; i++) {
        own[i] += d[m->nu + m->body_u[b] + i];
      }
      pki_quat_to_mat3(out + m->body_q[b] + 3, R);
      pki_mat3_apply(R, own, out + at);
    }
  }
}

static void subtract_stride(const pk_return_map *map, const double *a, const double *b, double *d)
{
  const pk_stride_map *s = map->user;
  const pk_model *m = s->model;
  pk_config_subtract(m, a, b, d);
  for (int k = 0; k < m->nu; k++) {
    d[m->nu + k] = a[m->nq + k] - b[m->nq + k];
  }
  for (int body = 0; body < m->nbody; body++) {
    double R[9], Z[9], turn[3], own[2][3], *at = d + m->body_u[body];
    if (is_free_body(m, body)) {
      pki_quat_to_mat3(b + m->body_q[body] + 3, R);
      heading_axes(R, Z);
      pki_mat3_apply(R, at + 3, turn);
      pki_mat3_apply_transposed(Z, turn, at + 3);
      memcpy(turn, at, sizeof turn);
      pki_mat3_apply_transposed(Z, turn, at);
      pki_mat3_apply_transposed(R, b + m->nq + m->body_u[body], own[0]);
      pki_quat_to_mat3(a + m->body_q[body] + 3, R);
      pki_mat3_apply_transposed(R, a + m->nq + m->body_u[body], own[1]);
      pki_sub3(own[1], own[0], at + m->nu);
    }
  }
}

/* ---- strides ---- */

/* The world at its start, but at x. */
static pk_status place_world(const pk_stride_map *s, const double *x)
{
  const pk_status status = pk_sim_set_state(s->sim, s->state, s->state_size, NULL);
  if (status == PK_OK) {
    memcpy(pk_sim_q(s->sim), x, (size_t)s->model->nq * sizeof *x);
    memcpy(pk_sim_u(s->sim), x + s->model->nq, (size_t)s->model->nu * sizeof *x);
  }
  return status;
}

static pk_status stride_alone(const pk_stride_map *s, int strides, const double *x, double *out)
{
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu;
  pk_status status = place_world(s, x);
  for (int k = 0; k < strides && status == PK_OK; k++) {
    for (int i = 0; i < s->steps && status == PK_OK; i++) {
      status = pk_sim_step(s->sim, NULL);
    }
    memcpy(out, pk_sim_q(s->sim), nq * sizeof *out);
    memcpy(out + nq, pk_sim_u(s->sim), nu * sizeof *out);
    out += nq + nu;
  }
  return status;
}

/* Worlds first .. first + some - 1 of `count`, all strides. */
static pk_status stride_together(const pk_stride_map *s, int first, int some, int count, int strides,
                                 const double *x, double *out)
{
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu, nx = nq + nu;
  pk_status status = PK_OK;
  for (int i = 0; i < some && status == PK_OK; i++) {
    status = place_world(s, x + (size_t)(first + i) * nx);
    status = status == PK_OK ? pk_batch_set(s->batch, i, s->sim, NULL) : status;
  }
  for (int k = 0; k < strides && status == PK_OK; k++) {
    status = pk_batch_step(s->batch, s->steps, NULL);
    for (int i = 0; i < some && status == PK_OK; i++) {
      double *to = out + ((size_t)k * (size_t)count + (size_t)(first + i)) * nx;
      status = pk_batch_world_status(s->batch, i);
      memcpy(to, pk_batch_view_world(pk_batch_q(s->batch), i), nq * sizeof *to);
      memcpy(to + nq, pk_batch_view_world(pk_batch_u(s->batch), i), nu * sizeof *to);
    }
  }
  return status;
}

static pk_status iterate_stride(const pk_return_map *map, int count, int strides, const double *x,
                                double *out)
{
  const pk_stride_map *s = map->user;
  const int most = s->batch_options.worlds;
  pk_status status = PK_OK;
  if (count == 1) {
    return stride_alone(s, strides, x, out);
  }
  for (int first = 0; first < count && status == PK_OK; first += most) {
    status = stride_together(s, first, count - first < most ? count - first : most, count, strides, x, out);
  }
  return status;
}

/* ---- making one ---- */

static pk_status check_stride(const pk_model *m, const pk_stride_options *o, pk_error *err)
{
  if (o->steps < 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "steps"},
                    "steps is %d, expected those of one stride, at least 1", o->steps);
  }
  if (o->threads < 0 || o->worlds < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = o->threads < 0 ? "threads" : "worlds"},
                    "%s is %d, expected 0 or more", o->threads < 0 ? "threads" : "worlds",
                    o->threads < 0 ? o->threads : o->worlds);
  }
  if (m->nconstraint > 0) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){0},
        "the model has %d bilateral constraint%s, whose states cannot be changed coordinate by coordinate; "
        "strides of models without any can be differentiated",
        m->nconstraint, m->nconstraint == 1 ? "" : "s");
  }
  return PK_OK;
}

/* A batch like the world, and a world of the map's own like that one. */
static pk_status copy_world(pk_stride_map *s, const pk_sim *sim, pk_error *err)
{
  pk_status status = pk_batch_create(s->model, &s->batch_options, &s->batch, err);
  status = status == PK_OK ? pk_batch_set_like(s->batch, sim, err) : status;
  status = status == PK_OK ? pk_batch_set_controller(s->batch, s->controller, err) : status;
  status = status == PK_OK ? pk_batch_set(s->batch, 0, sim, err) : status;
  const pk_sim_options options = status == PK_OK ? pk_batch_sim_options(s->batch) : s->batch_options.sim;
  status = status == PK_OK ? pk_sim_create(s->model, &options, &s->sim, err) : status;
  status = status == PK_OK ? pk_sim_set_like(s->sim, sim, err) : status;
  status = status == PK_OK ? pk_sim_set_controller(s->sim, s->controller, err) : status;
  return status == PK_OK ? pk_batch_get(s->batch, 0, s->sim, err) : status;
}

static pk_status keep_start(pk_stride_map *s, pk_error *err)
{
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu;
  s->state_size = pk_sim_state_size(s->sim);
  s->state = malloc(s->state_size);
  s->start = malloc((nq + 2 * nu) * sizeof *s->start);
  if (s->state == NULL || s->start == NULL) {
    return pki_fail_memory(err, "a stride map");
  }
  s->v = s->start + nq + nu;
  pk_sim_get_state(s->sim, s->state);
  memcpy(s->start, pk_sim_q(s->sim), nq * sizeof *s->start);
  memcpy(s->start + nq, pk_sim_u(s->sim), nu * sizeof *s->start);
  return PK_OK;
}

pk_status pk_stride_map_create(const pk_sim *sim, const pk_controller *controller,
                               const pk_stride_options *options, pk_stride_map **out, pk_error *err)
{
  const pk_model *m = pk_sim_model(sim);
  *out = NULL;
  pk_status status = check_stride(m, options, err);
  pk_stride_map *s = status == PK_OK ? calloc(1, sizeof *s) : NULL;
  if (s == NULL) {
    return status != PK_OK ? status : pki_fail_memory(err, "a stride map");
  }
  s->model = m;
  s->controller = controller;
  s->steps = options->steps;
  s->batch_options = pk_batch_options_default();
  s->batch_options.worlds = options->worlds > 0 ? options->worlds : 4 * m->nu < 256 ? 4 * m->nu : 256;
  s->batch_options.threads = options->threads;
  s->batch_options.sim = sim->options;
  s->map = (pk_return_map){.nx = m->nq + m->nu,
                           .n = 2 * m->nu,
                           .iterate = iterate_stride,
                           .add = add_stride,
                           .subtract = subtract_stride,
                           .user = s};
  status = copy_world(s, sim, err);
  status = status == PK_OK ? keep_start(s, err) : status;
  if (status != PK_OK) {
    pk_stride_map_destroy(s);
    return status;
  }
  *out = s;
  return PK_OK;
}

void pk_stride_map_destroy(pk_stride_map *stride)
{
  if (stride == NULL) {
    return;
  }
  pk_batch_destroy(stride->batch);
  pk_sim_destroy(stride->sim);
  free(stride->state);
  free(stride->start);
  free(stride);
}

const pk_return_map *pk_stride_map_get(const pk_stride_map *stride)
{
  return &stride->map;
}

const double *pk_stride_map_start(const pk_stride_map *stride)
{
  return stride->start;
}

int pk_stride_map_neutral(const pk_stride_map *stride, int directions[3])
{
  const pk_model *m = stride->model;
  int roots = 0;
  for (int b = 0; b < m->nbody; b++) {
    roots += m->body_parent[b] < 0;
  }
  if (roots != 1 || !is_free_body(m, 0)) {
    return 0;
  }
  directions[0] = m->body_u[0], directions[1] = m->body_u[0] + 1, directions[2] = m->body_u[0] + 5;
  return 3;
}

void pk_stride_map_direction(const pk_stride_map *stride, int direction, char *out, int size)
{
  static const char *const place[6] = {"x", "y", "z", "roll", "pitch", "yaw"}, *const rate[6] = {"vx", "vy",
                                                                                                 "vz", "wx",
                                                                                                 "wy", "wz"};
  const pk_model *m = stride->model;
  const bool of_u = direction >= m->nu;
  const int k = of_u ? direction - m->nu : direction, joint = m->dof_joint[k];
  for (int b = 0; b < m->nbody && joint < 0; b++) {
    if (m->body_motion[b] == PK_MOTION_FLOATING && k >= m->body_u[b] && k < m->body_u[b] + 6) {
      const int link = m->body_link[b];
      snprintf(out, (size_t)size, "%s %s", link >= 0 ? m->links[link].name : "body",
               (of_u ? rate : place)[k - m->body_u[b]]);
      return;
    }
  }
  snprintf(out, (size_t)size, "%s%s", joint >= 0 ? m->joints[joint].name : "root", of_u ? " rate" : "");
}
