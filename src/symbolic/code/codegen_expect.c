#include "symbolic/code/codegen_expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "dynamics/workspace.h"
#include "symbolic/robot/robot_parts.h"

/* ---- states ---- */

bool pki_expect_init(pki_expect *e, const pk_model *m)
{
  const size_t nu = (size_t)m->nu, nq = (size_t)m->nq;
  *e = (pki_expect){.m = m};
  pk_workspace_create(m, &e->w, NULL);
  double *all = calloc(2 * nq + 10 * nu + 3 * nu * nu + 1, sizeof *all);
  if (all == NULL || e->w == NULL) {
    free(all);
    pk_workspace_destroy(e->w);
    return false;
  }
  e->q = all, e->u = e->q + nq, e->a = e->u + nu, e->tau = e->a + nu;
  e->h = e->tau + nu, e->some = e->h + nu, e->wide = e->some + 4 * nu;
  e->M = e->wide + nq + 2 * nu, e->inverse = e->M + nu * nu, e->dense = e->inverse + nu * nu;
  return true;
}

void pki_expect_free(pki_expect *e)
{
  free(e->q);
  pk_workspace_destroy(e->w);
}

void pki_expect_state(pki_expect *e, int s)
{
  pki_random random = pki_random_seeded((uint64_t)s + 1);
  const int nu = e->m->nu;
  for (int k = 0; k < nu; k++) {
    e->some[k] = pki_random_between(&random, -1, 1);
    e->u[k] = pki_random_between(&random, -2, 2);
    e->a[k] = pki_random_between(&random, -5, 5);
    e->tau[k] = pki_random_between(&random, -10, 10);
  }
  pk_config_add(e->m, e->m->q0, e->some, e->q);
  pk_mass_matrix_inverse(e->w, e->q, e->inverse);
  pk_inverse_dynamics(e->w, e->q, e->u, NULL, e->h);
  pk_mass_matrix(e->w, e->q, e->M);
}

/* ---- values ---- */

static double largest_magnitude(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static void fill_constant(double *x, int n, double value)
{
  for (int i = 0; i < n; i++) {
    x[i] = value;
  }
}

/* Of forces: sum over k of |M_ik| |a_k|, and |h|. */
static void force_scale(const pki_expect *e, const double *a, double *scale)
{
  const int n = e->m->nu;
  for (int i = 0; i < n; i++) {
    scale[i] = largest_magnitude(e->h, n) + 1e-3;
    for (int k = 0; k < n && a != NULL; k++) {
      scale[i] += fabs(e->M[i * n + k] * a[k]);
    }
  }
}

/* Of accelerations: what forces that are off by so much change, |inv(M)| (|M| |a| + |h| + |tau|). */
static void acceleration_scale(const pki_expect *e, const double *a, double *scale)
{
  const int n = e->m->nu;
  double *force = e->some + n;
  force_scale(e, a, force);
  for (int i = 0; i < n; i++) {
    scale[i] = 0;
    for (int k = 0; k < n; k++) {
      scale[i] += fabs(e->inverse[i * n + k]) * (force[k] + fabs(e->tau[k]));
    }
  }
}

/* Entries of a matrix [rows][cols] in the order of an output. */
static void gather_entries(const pki_output *o, const double *dense, double *value, double *scale)
{
  for (int k = 0; k < o->count; k++) {
    value[k] = dense[o->row[k] * o->cols + o->col[k]];
  }
  fill_constant(scale, o->count, largest_magnitude(value, o->count) + 1e-3);
}

/* L in M = L' D L, 1/D on the diagonal: from the last row up, as in the kernels, but on the full triangle. */
static void factor_dense_ldl(const pki_expect *e, double *L)
{
  const int n = e->m->nu;
  memcpy(L, e->M, (size_t)(n * n) * sizeof *L);
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k - 1; i >= 0; i--) {
      const double ratio = L[k * n + i] / L[k * n + k];
      for (int j = i; j >= 0; j--) {
        L[i * n + j] -= ratio * L[k * n + j];
      }
      L[k * n + i] = ratio;
    }
    L[k * n + k] = 1 / L[k * n + k];
  }
}

/* Arrays of bodies have the world in front. */
static bool expect_kinematics(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  const int n = e->m->nbody;
  pk_kinematics_compute(e->w, e->q, e->u);
  const pki_work *work = &e->w->work;
  for (int i = 0; i < n; i++) {
    memcpy(value + 9 * i, work->pose + 12 * (i + 1), 9 * sizeof *value);
    memcpy(value + 9 * n + 3 * i, work->origin + 3 * (i + 1), 3 * sizeof *value);
  }
  fill_constant(scale, 12 * n, 1 + largest_magnitude(value, 12 * n));
  return true;
}

static bool expect_velocities(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  const int n = 6 * e->m->nbody;
  pk_kinematics_compute(e->w, e->q, e->u);
  memcpy(value, e->w->work.twist + 6, (size_t)n * sizeof *value);
  fill_constant(scale, n, 1 + largest_magnitude(value, n));
  return true;
}

static bool expect_jacobian(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  static const double origin[3] = {0, 0, 0};
  const size_t block = 6 * (size_t)e->m->nu;
  double *J = calloc(block * (size_t)e->m->nbody + 1, sizeof *J);
  pk_kinematics_compute(e->w, e->q, e->u);
  for (int i = 0; i < e->m->nbody && J != NULL; i++) {
    e->w->kernels->jacobian(&e->w->work, i, origin, J + block * (size_t)i);
  }
  if (J != NULL) {
    gather_entries(&f->outputs[0], J, value, scale);
  }
  free(J);
  return J != NULL;
}

/* One row of a point's Jacobian: what a unit force there does to the coordinates. */
static void point_row(const pki_work *work, int body, const double arm[3], int axis, double *row)
{
  const double f[3] = {axis == 0, axis == 1, axis == 2};
  const double wrench[6] = {arm[1] * f[2] - arm[2] * f[1],
                            arm[2] * f[0] - arm[0] * f[2],
                            arm[0] * f[1] - arm[1] * f[0],
                            f[0],
                            f[1],
                            f[2]};
  pki_add_wrench(work, body, wrench, row);
}

static bool expect_points(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  const int n = pki_robot_points(e->m, NULL, NULL), nu = e->m->nu;
  int *body = calloc((size_t)n + 1, sizeof *body);
  double(*at)[3] = calloc((size_t)n + 1, sizeof *at);
  double *J = calloc((size_t)(3 * n * nu) + 1, sizeof *J);
  const bool good = body != NULL && at != NULL && J != NULL;
  if (good) {
    pki_robot_points(e->m, body, at);
    pk_kinematics_compute(e->w, e->q, e->u);
  }
  for (int i = 0; i < 3 * n && good; i++) {
    const pki_work *work = &e->w->work;
    const double *R = work->pose + 12 * (body[i / 3] + 1), *o = work->origin + 3 * (body[i / 3] + 1);
    double arm[3];
    for (int k = 0; k < 3; k++) {
      arm[k] = R[3 * k] * at[i / 3][0] + R[3 * k + 1] * at[i / 3][1] + R[3 * k + 2] * at[i / 3][2];
    }
    point_row(work, body[i / 3], arm, i % 3, J + (size_t)i * (size_t)nu);
    value[i] = o[i % 3] + arm[i % 3];
    value[3 * n + i] = 0;
    for (int k = 0; k < nu; k++) {
      value[3 * n + i] += J[i * nu + k] * e->u[k];
    }
  }
  if (good) {
    gather_entries(&f->outputs[2], J, value + 6 * n, scale + 6 * n);
    fill_constant(scale, 6 * n, 1 + largest_magnitude(value, 6 * n));
  }
  free(body);
  free(at);
  free(J);
  return good;
}

static bool expect_rnea(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  pk_inverse_dynamics(e->w, e->q, e->u, e->a, value);
  force_scale(e, e->a, scale);
  return true;
}

static bool expect_bias(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  memcpy(value, e->h, (size_t)e->m->nu * sizeof *value);
  force_scale(e, NULL, scale);
  return true;
}

static bool expect_crba(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  gather_entries(&f->outputs[0], e->M, value, scale);
  return true;
}

static bool expect_factor(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  const int n = e->m->nu;
  factor_dense_ldl(e, e->dense);
  gather_entries(&f->outputs[0], e->dense, value, scale);
  /* what entries of M that are off by the largest one change: (1 + |L_ki|) |M| / D_k, and |M| / D_k^2 */
  for (int k = 0; k < f->outputs[0].count; k++) {
    const int row = f->outputs[0].row[k], col = f->outputs[0].col[k];
    const double inverse = fabs(e->dense[row * n + row]);
    scale[k] = largest_magnitude(e->M, n * n) * inverse * (row == col ? inverse : 1 + fabs(value[k]));
  }
  return true;
}

static bool expect_solve(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  const int n = e->m->nu;
  for (int i = 0; i < n; i++) {
    e->some[i] = e->tau[i] + e->h[i];
  }
  const bool good = pk_forward_dynamics(e->w, PK_DYNAMICS_METHOD_AUTO, e->q, e->u, e->some, value) == PK_OK;
  acceleration_scale(e, value, scale);
  return good;
}

static bool expect_aba(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  const bool good = pk_forward_dynamics(e->w, PK_DYNAMICS_METHOD_AUTO, e->q, e->u, e->tau, value) == PK_OK;
  acceleration_scale(e, value, scale);
  return good;
}

static bool expect_energy(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  pk_kinematics_compute(e->w, e->q, e->u);
  const pk_energy sum = pk_energy_compute(e->w, e->u);
  value[0] = sum.kinetic, value[1] = sum.potential;
  fill_constant(scale, 2, 10 * e->m->mass + largest_magnitude(value, 2));
  return true;
}

static bool expect_momentum(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  (void)f;
  double velocity[3];
  pk_kinematics_compute(e->w, e->q, e->u);
  pk_com_compute(e->w, -1, value, velocity);
  pk_momentum_compute(e->w, -1, value + 3);
  fill_constant(scale, 9, 1 + e->m->mass + largest_magnitude(value, 9));
  return true;
}

/* ---- derivatives ---- */

typedef struct derivative {
  pki_expect *e;
  bool forward; /* accelerations of forces; else forces of accelerations */
  int by;       /* 0: q, 1: u, 2: accelerations or forces */
} derivative;

/* The function at the state moved by `step` in coordinate k. */
static bool evaluate_moved(const derivative *d, int k, double step, double *out)
{
  pki_expect *e = d->e;
  const int n = e->m->nu, nq = e->m->nq;
  double *q = e->wide, *x = e->wide + nq, *move = e->wide + nq + n;
  memset(move, 0, (size_t)n * sizeof *move);
  move[k] = step;
  pk_config_add(e->m, e->q, move, q);
  const double *from = d->by == 1 ? e->u : d->forward ? e->tau : e->a;
  memcpy(x, from, (size_t)n * sizeof *x);
  x[k] += step;
  const double *u = d->by == 1 ? x : e->u, *given = d->by == 2 ? x : d->forward ? e->tau : e->a;
  const double *at = d->by == 0 ? q : e->q;
  if (d->forward) {
    return pk_forward_dynamics(e->w, PK_DYNAMICS_METHOD_AUTO, at, u, given, out) == PK_OK;
  }
  pk_inverse_dynamics(e->w, at, u, given, out);
  return true;
}

/* Differences of fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h). */
static bool central_differences(const derivative *d, double *out)
{
  static const double steps[] = {1, -1, 2, -2}, weights[] = {8, -8, -1, 1};
  const int n = d->e->m->nu;
  const double h = 1e-3;
  bool good = true;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      out[i * n + k] = 0;
    }
    for (int s = 0; s < 4; s++) {
      good = evaluate_moved(d, k, steps[s] * h, d->e->some) && good;
      for (int i = 0; i < n; i++) {
        out[i * n + k] += weights[s] * d->e->some[i] / (12 * h);
      }
    }
  }
  return good;
}

/* Differences are good to 1e-7 of the largest value. */
static bool all_derivatives(pki_expect *e, const pki_function *f, bool forward, double *value, double *scale)
{
  bool good = true;
  for (int i = 0; i < 3; i++) {
    const pki_output *o = &f->outputs[i];
    good = central_differences(&(derivative){.e = e, .forward = forward, .by = i}, e->dense) && good;
    gather_entries(o, e->dense, value, scale);
    for (int k = 0; k < o->count; k++) {
      scale[k] *= 1e5;
    }
    value += o->count, scale += o->count;
  }
  return good;
}

static bool rnea_derivatives(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  return all_derivatives(e, f, false, value, scale);
}

static bool aba_derivatives(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  return all_derivatives(e, f, true, value, scale);
}

bool pki_expect_values(pki_expect *e, const pki_function *f, double *value, double *scale)
{
  static const struct {
    const char *name;
    bool (*values)(pki_expect *e, const pki_function *f, double *value, double *scale);
  } rows[] = {{"kinematics", expect_kinematics},
              {"velocities", expect_velocities},
              {"jacobian", expect_jacobian},
              {"points", expect_points},
              {"rnea", expect_rnea},
              {"bias", expect_bias},
              {"crba", expect_crba},
              {"factor", expect_factor},
              {"solve", expect_solve},
              {"aba", expect_aba},
              {"energy", expect_energy},
              {"momentum", expect_momentum},
              {"rnea_derivatives", rnea_derivatives},
              {"aba_derivatives", aba_derivatives}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].name, f->name) == 0) {
      return rows[i].values(e, f, value, scale);
    }
  }
  return false;
}
