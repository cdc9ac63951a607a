/* What the readers of robots promise for any bytes at all: read, compile, accelerate once, destroy. No mesh is opened. What
 * compiles must move: accelerations are finite, unless numbers are so large that their products cannot be. */
#ifndef PK_FUZZ_ROBOT_TARGET_H
#define PK_FUZZ_ROBOT_TARGET_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "pronk/dynamics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NU_MAX = 200 };

static const double TAME = 1e100;

static bool are_tame(const double *v, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (fabs(v[i]) > TAME) {
      return false;
    }
  }
  return true;
}

static bool is_tame(const pk_model *m)
{
  const size_t n = (size_t)m->nbody;
  return are_tame(m->body_pos, 3 * n) && are_tame(m->body_inertia, 10 * n) && are_tame(m->body_gain, n) &&
         are_tame(m->body_offset, n) && are_tame(m->dof_armature, (size_t)m->nu);
}

/* A configuration in general position, another one for each round. */
static void spread_out(const pk_model *m, int round, double *q)
{
  for (int i = 0; i < m->nq; i++) {
    q[i] = 0.2 + fmod(0.6180339887498949 * (i + 1) * (round + 1), 1);
  }
  for (int i = 0; i < m->nbody; i++) {
    const int motion = m->body_motion[i];
    if (motion == PK_MOTION_FLOATING || motion == PK_MOTION_SPHERICAL) {
      double *p = q + m->body_q[i] + (motion == PK_MOTION_FLOATING ? 3 : 0);
      const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
      for (int k = 0; k < 4; k++) {
        p[k] /= norm;
      }
    }
  }
}

/* M may be singular at some configurations; at three in general position it is not. */
static void accelerate(const pk_model *m)
{
  static double q[7 * NU_MAX], u[NU_MAX], tau[NU_MAX], a[NU_MAX];
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  bool finite = w == NULL;
  for (int round = 0; round < 3 && !finite; round++) {
    spread_out(m, round, q);
    for (int i = 0; i < m->nu; i++) {
      u[i] = 0.01 * (i % 7), tau[i] = 0.1 * (i % 5);
    }
    finite = pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, q, u, tau, a) == PK_OK;
  }
  pk_workspace_destroy(w);
  if (!finite && is_tame(m)) {
    abort();
  }
}

typedef pk_status robot_reader(pk_builder *b, const char *text, size_t size, const char *file,
                               const pk_load_options *options, pk_error *err);

static int try_robot(robot_reader *read, const char *file, const uint8_t *data, size_t size)
{
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    return 0;
  }
  pk_error err;
  if (read(b, (const char *)data, size, file, &options, &err) == PK_OK) {
    pk_model *model = NULL;
    if (pk_builder_compile(b, &model, &err) == PK_OK) {
      if (model->nu <= NU_MAX) {
        accelerate(model);
      }
      pk_model_destroy(model);
    }
  }
  pk_builder_destroy(b);
  return 0;
}

#endif
