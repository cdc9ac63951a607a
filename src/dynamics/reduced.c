/* Motion with feet that stand, on independent states. With J the rows of all stance feet, split into the columns J1 of
 * independent and J2 of dependent velocities, J u = 0 gives
 *
 *   u2 = E u1,  E = -inv(J2) J1                 T = [1; E]
 *   du/dt = T du1/dt + g,  g = [0; -inv(J2) dJ/dt u]
 *
 * and since J T = 0, the equations of motion M du/dt + h = tau + J' f lose f when T' is put before them:
 *
 *   T' M T du1/dt = T' (tau - (M g + h))        one inverse dynamics gives M g + h
 *   J2' f = (M du/dt + h - tau)_2               another one gives the right side
 *
 * A foot hangs on its own leg alone, so J2 is block diagonal, a block of 3 or 6 for each leg. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "dynamics/leg.h"
#include "math/cholesky.h"
#include "math/lu.h"
#include "model/match.h"
#include "pronk/reduced.h"

/* A leg and what is known of it while it stands. */
typedef struct stance_leg {
  pk_leg leg;
  const char *name;
  bool stands;
  int branch, row; /* row: its first dependent velocity among all */
  pk_pose foot;    /* world */
  double start[PK_LEG_HINGES];
  double inverse[36]; /* of its block of J2 */
} stance_leg;

struct pk_reduced {
  const pk_model *model;
  pk_workspace *work;
  void *memory;
  int nleg, nq1, nu1, ndep;
  stance_leg *legs;             /* [nleg] */
  int *q1, *u1, *dep;           /* indices: independent in q and u, dependent in u */
  double *q, *u, *a, *g, *bias; /* [nq], [nu] each: of the last call */
  double *J;                    /* [6][nu] of one leg */
  double *E;                    /* [ndep][nu1] */
  double *M, *MT, *Mr;          /* [nu][nu], [nu][nu1], [nu1][nu1] */
  double *v;                    /* [nu] */
};

static void carve_reduced(pk_reduced *r, pki_arena *arena)
{
  const size_t nu = (size_t)r->model->nu, nq = (size_t)r->model->nq, real = sizeof(double);
  r->legs = pki_arena_take(arena, (size_t)r->nleg, sizeof *r->legs);
  r->q1 = pki_arena_take(arena, nq, sizeof(int));
  r->u1 = pki_arena_take(arena, nu, sizeof(int));
  r->dep = pki_arena_take(arena, nu, sizeof(int));
  r->q = pki_arena_take(arena, nq, real);
  double **vectors[] = {&r->u, &r->a, &r->g, &r->bias, &r->v};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = pki_arena_take(arena, nu, real);
  }
  r->J = pki_arena_take(arena, 6 * nu, real);
  double **matrices[] = {&r->E, &r->M, &r->MT, &r->Mr};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    *matrices[i] = pki_arena_take(arena, nu * nu, real);
  }
}

/* Legs of this model, none of which may move another's foot but by the trunk. */
static pk_status check_legs(const pk_model *model, int nleg, const pk_leg *legs, pk_error *err)
{
  if (nleg < 0 || nleg > PK_REDUCED_LEGS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "legs"}, "%d legs, expected 0 to %d", nleg,
                    PK_REDUCED_LEGS);
  }
  if (model->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "model"},
                    "the model has %d loops or cut joints, expected a tree", model->nconstraint);
  }
  for (int i = 0; i < nleg; i++) {
    char what[24];
    snprintf(what, sizeof what, "leg %d", i);
    const pk_status status = pki_model_match(model, legs[i].model, "legs", what, err);
    if (status != PK_OK) {
      return status;
    }
    if (legs[i].link < 0 || legs[i].link >= model->nlink) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "legs"},
                      "leg %d ends at link %d, expected 0 to %d", i, legs[i].link, model->nlink - 1);
    }
  }
  for (int i = 0; i < nleg; i++) {
    for (int j = 0; j < nleg; j++) {
      for (int k = 0; k < legs[i].nsolve * legs[j].nhinge && i != j; k++) {
        if (legs[i].u[k / legs[j].nhinge] == legs[j].u[k % legs[j].nhinge]) {
          return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "legs"},
                          "the legs of \"%s\" and \"%s\" share a hinge, expected legs that move apart",
                          model->links[legs[i].link].name, model->links[legs[j].link].name);
        }
      }
    }
  }
  return PK_OK;
}

/* Which velocities and positions are independent: those that no leg that stands solves for. */
static void split_coordinates(pk_reduced *r)
{
  const pk_model *m = r->model;
  r->ndep = r->nq1 = r->nu1 = 0;
  for (int i = 0; i < r->nleg; i++) {
    r->legs[i].row = r->ndep;
    for (int k = 0; k < r->legs[i].leg.nsolve && r->legs[i].stands; k++) {
      r->dep[r->ndep++] = r->legs[i].leg.u[k];
    }
  }
  for (int k = 0; k < m->nu; k++) {
    bool own = true;
    for (int d = 0; d < r->ndep && own; d++) {
      own = r->dep[d] != k;
    }
    if (own) {
      r->u1[r->nu1++] = k;
    }
  }
  for (int k = 0; k < m->nq; k++) {
    bool own = true;
    for (int d = 0; d < r->ndep && own; d++) {
      own = m->dof_q[r->dep[d]] != k;
    }
    if (own) {
      r->q1[r->nq1++] = k;
    }
  }
}

pk_status pk_reduced_create(const pk_model *model, int nleg, const pk_leg *legs, pk_reduced **out,
                            pk_error *err)
{
  *out = NULL;
  const pk_status status = check_legs(model, nleg, legs, err);
  if (status != PK_OK) {
    return status;
  }
  pk_reduced *r = calloc(1, sizeof *r);
  pk_workspace *work;
  pk_workspace_create(model, &work, NULL);
  pki_arena arena = pki_arena_over(NULL, 0);
  void *memory = NULL;
  if (r != NULL) {
    *r = (pk_reduced){.model = model, .nleg = nleg};
    carve_reduced(r, &arena);
    memory = arena.overflow ? NULL : pki_aligned_alloc(arena.used);
  }
  if (r == NULL || work == NULL || memory == NULL) {
    pk_workspace_destroy(work);
    pki_aligned_free(memory);
    free(r);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for reduced dynamics");
  }
  r->work = work, r->memory = memory;
  arena = pki_arena_over(memory, arena.used);
  carve_reduced(r, &arena);
  memcpy(r->q, model->q0, (size_t)model->nq * sizeof *r->q);
  for (int i = 0; i < nleg; i++) {
    r->legs[i] = (stance_leg){.leg = legs[i], .name = model->links[legs[i].link].name};
  }
  split_coordinates(r);
  *out = r;
  return PK_OK;
}

void pk_reduced_destroy(pk_reduced *r)
{
  if (r != NULL) {
    pk_workspace_destroy(r->work);
    pki_aligned_free(r->memory);
    free(r);
  }
}

int pk_reduced_nq(const pk_reduced *r)
{
  return r->nq1;
}

int pk_reduced_nu(const pk_reduced *r)
{
  return r->nu1;
}

const int *pk_reduced_q(const pk_reduced *r)
{
  return r->q1;
}

const int *pk_reduced_u(const pk_reduced *r)
{
  return r->u1;
}

/* The place of a leg's point, and its link's axes, at the workspace's state. */
static pk_pose foot_pose(const pk_reduced *r, const pk_leg *leg)
{
  pk_pose pose = pk_link_pose(r->work, leg->link);
  double shift[3];
  pki_mat3_apply(pose.rot, leg->point, shift);
  pki_along3(pose.pos, 1, shift, pose.pos);
  return pose;
}

/* A leg's angles for its foot in the world; only the trunk's pose at the workspace's state matters. */
static pk_status solve_leg_angles(const pk_reduced *r, const stance_leg *s, const pk_pose *foot, int which,
                                  double *angles, pk_error *err)
{
  const pk_pose trunk = pk_link_pose(r->work, s->leg.trunk);
  pk_pose inside;
  double back[9], off[3];
  pki_mat3_transpose(trunk.rot, back);
  pki_mat3_mul(back, foot->rot, inside.rot);
  pki_sub3(foot->pos, trunk.pos, off);
  pki_mat3_apply(back, off, inside.pos);
  const pk_status status = pk_leg_solve(&s->leg, &inside, which, angles, err);
  return status == PK_ERROR_REACH
             ? pki_fail(err, status, (pki_where){.field = s->name},
                        "it stands at (%.4g, %.4g, %.4g) m, out of its leg's reach from the trunk at (%.4g, "
                        "%.4g, %.4g) m",
                        foot->pos[0], foot->pos[1], foot->pos[2], trunk.pos[0], trunk.pos[1], trunk.pos[2])
             : status;
}

pk_status pk_reduced_stand(pk_reduced *r, unsigned stance, const pk_pose *feet, const double *q,
                           pk_error *err)
{
  pk_pose at[PK_REDUCED_LEGS];
  double start[PK_REDUCED_LEGS][PK_LEG_HINGES];
  if (stance >> r->nleg != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "stance"},
                    "stance 0x%x names a leg beyond the %d that there are", stance, r->nleg);
  }
  pk_kinematics_compute(r->work, q, NULL);
  for (int i = 0; i < r->nleg; i++) {
    const stance_leg *s = &r->legs[i];
    pk_leg_get(&s->leg, q, start[i]);
    at[i] = feet != NULL ? feet[i] : foot_pose(r, &s->leg);
    const pk_status status = feet != NULL && stance >> i & 1
                                 ? solve_leg_angles(r, s, &at[i], PK_LEG_NEAREST, start[i], err)
                                 : PK_OK;
    if (status != PK_OK) {
      return status;
    }
  }
  for (int i = 0; i < r->nleg; i++) {
    stance_leg *s = &r->legs[i];
    s->stands = stance >> i & 1;
    s->foot = at[i];
    s->branch = pk_leg_branch(&s->leg, start[i]);
    memcpy(s->start, start[i], sizeof s->start);
  }
  memcpy(r->q, q, (size_t)r->model->nq * sizeof *q);
  split_coordinates(r);
  return PK_OK;
}

void pk_reduced_take(const pk_reduced *r, const double *q, const double *u, double *q1, double *u1)
{
  for (int k = 0; k < r->nq1; k++) {
    q1[k] = q[r->q1[k]];
  }
  for (int k = 0; k < r->nu1 && u != NULL && u1 != NULL; k++) {
    u1[k] = u[r->u1[k]];
  }
}

/* Largest sum of a column. */
static double norm_1(const double *A, int n)
{
  double most = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += fabs(A[i * n + j]);
    }
    most = fmax(most, sum);
  }
  return most;
}

/* A leg's rows of E, and the inverse of its block, at the workspace's state. */
static pk_status couple_leg(pk_reduced *r, stance_leg *s, pk_error *err)
{
  const int n = s->leg.nsolve, nu = r->model->nu;
  double block[36], column[6], size;
  int pivot[6];
  pk_link_jacobian(r->work, s->leg.link, s->leg.point, r->J);
  const double *J = r->J + (6 - n) * nu; /* a point leg has the linear rows only */
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      block[n * i + k] = J[i * nu + s->leg.u[k]];
    }
  }
  size = norm_1(block, n);
  const bool regular = pki_lu_factor(block, n, pivot);
  if (regular) {
    pki_lu_invert(block, n, pivot, column, s->inverse);
  }
  if (!regular || !(size * norm_1(s->inverse, n) < 1e6)) {
    return pki_fail(err, PK_ERROR_SINGULAR, (pki_where){.field = s->name},
                    "its leg is stretched or folded and cannot hold the foot while the trunk moves");
  }
  for (int k = 0; k < n; k++) {
    double *E = r->E + (s->row + k) * r->nu1;
    memset(E, 0, (size_t)r->nu1 * sizeof *E);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < r->nu1; j++) {
        E[j] -= s->inverse[n * k + i] * J[i * nu + r->u1[j]];
      }
    }
  }
  return PK_OK;
}

/* out = T v1 + out, in the model's order. */
static void expand_independent(const pk_reduced *r, const double *v1, double *out)
{
  for (int j = 0; j < r->nu1; j++) {
    out[r->u1[j]] += v1[j];
  }
  for (int d = 0; d < r->ndep; d++) {
    for (int j = 0; j < r->nu1; j++) {
      out[r->dep[d]] += r->E[d * r->nu1 + j] * v1[j];
    }
  }
}

/* q, u, E and the legs' inverses; leaves the workspace at q, and u. */
static pk_status complete_state(pk_reduced *r, const double *q1, const double *u1, pk_error *err)
{
  for (int k = 0; k < r->nq1; k++) {
    r->q[r->q1[k]] = q1[k];
  }
  pk_kinematics_compute(r->work, r->q, NULL); /* for the trunk */
  for (int i = 0; i < r->nleg; i++) {
    const stance_leg *s = &r->legs[i];
    double angles[PK_LEG_HINGES];
    if (!s->stands) {
      continue;
    }
    pk_leg_get(&s->leg, r->q, angles);
    memcpy(angles, s->start, (size_t)s->leg.nsolve * sizeof *angles);
    const pk_status status = solve_leg_angles(r, s, &s->foot, s->branch, angles, err);
    if (status != PK_OK) {
      return status;
    }
    pk_leg_set(&s->leg, angles, r->q);
  }
  pk_kinematics_compute(r->work, r->q, NULL);
  for (int i = 0; i < r->nleg; i++) {
    const pk_status status = r->legs[i].stands ? couple_leg(r, &r->legs[i], err) : PK_OK;
    if (status != PK_OK) {
      return status;
    }
  }
  memset(r->u, 0, (size_t)r->model->nu * sizeof *r->u);
  if (u1 != NULL) {
    expand_independent(r, u1, r->u);
    pk_kinematics_compute(r->work, r->q, r->u);
  }
  return PK_OK;
}

pk_status pk_reduced_complete(pk_reduced *r, const double *q1, const double *u1, double *q, double *u,
                              pk_error *err)
{
  const pk_status status = complete_state(r, q1, u1, err);
  if (status != PK_OK) {
    return status;
  }
  memcpy(q, r->q, (size_t)r->model->nq * sizeof *q);
  if (u != NULL) {
    memcpy(u, r->u, (size_t)r->model->nu * sizeof *u);
  }
  return PK_OK;
}

/* g: what dependent velocities change at when independent ones are constant. */
static void dependent_drift(pk_reduced *r)
{
  memset(r->g, 0, (size_t)r->model->nu * sizeof *r->g);
  for (int i = 0; i < r->nleg; i++) {
    const stance_leg *s = &r->legs[i];
    const int n = s->leg.nsolve;
    double rate[6];
    if (!s->stands) {
      continue;
    }
    pk_link_jacobian_dot_u(r->work, s->leg.link, s->leg.point, r->u, rate);
    for (int k = 0; k < n * n; k++) {
      r->g[s->leg.u[k / n]] -= s->inverse[k] * rate[6 - n + k % n];
    }
  }
}

/* out1 = T' v. */
static void gather_independent(const pk_reduced *r, const double *v, double *out1)
{
  for (int j = 0; j < r->nu1; j++) {
    out1[j] = v[r->u1[j]];
  }
  for (int d = 0; d < r->ndep; d++) {
    for (int j = 0; j < r->nu1; j++) {
      out1[j] += r->E[d * r->nu1 + j] * v[r->dep[d]];
    }
  }
}

/* Mr = T' M T, by M T. */
static void project_mass_matrix(pk_reduced *r)
{
  const int nu = r->model->nu, n1 = r->nu1;
  for (int i = 0; i < nu; i++) {
    gather_independent(r, r->M + i * nu, r->MT + i * n1);
  }
  for (int i = 0; i < n1; i++) {
    memcpy(r->Mr + i * n1, r->MT + r->u1[i] * n1, (size_t)n1 * sizeof *r->Mr);
    for (int d = 0; d < r->ndep; d++) {
      const double e = r->E[d * n1 + i], *row = r->MT + r->dep[d] * n1;
      for (int j = 0; j <= i && e != 0; j++) {
        r->Mr[i * n1 + j] += e * row[j];
      }
    }
  }
}

/* f of each stance foot from the dependent rows of M a + h - tau. */
static void find_forces(pk_reduced *r, const double *tau, double *force)
{
  memset(force, 0, 6 * (size_t)r->nleg * sizeof *force);
  pk_inverse_dynamics(r->work, r->q, r->u, r->a, r->bias);
  for (int i = 0; i < r->nleg; i++) {
    const stance_leg *s = &r->legs[i];
    const int n = s->leg.nsolve;
    for (int k = 0; k < n * n && s->stands; k++) {
      const int u = s->leg.u[k / n];
      force[6 * i + 6 - n + k % n] += s->inverse[k] * (r->bias[u] - tau[u]);
    }
  }
}

pk_status pk_reduced_forward(pk_reduced *r, const double *q1, const double *u1, const double *tau, double *a1,
                             double *a, double *force, pk_error *err)
{
  const pk_status status = complete_state(r, q1, u1, err);
  if (status != PK_OK) {
    return status;
  }
  const int nu = r->model->nu;
  dependent_drift(r);
  pk_inverse_dynamics(r->work, r->q, r->u, r->g, r->bias);
  for (int k = 0; k < nu; k++) {
    r->v[k] = tau[k] - r->bias[k];
  }
  gather_independent(r, r->v, a1);
  pk_mass_matrix(r->work, r->q, r->M);
  project_mass_matrix(r);
  pki_cholesky(r->Mr, r->nu1, r->nu1);
  pki_cholesky_solve(r->Mr, r->nu1, r->nu1, a1, 1);
  memcpy(r->a, r->g, (size_t)nu * sizeof *r->a);
  expand_independent(r, a1, r->a);
  double sum = 0;
  for (int k = 0; k < nu; k++) {
    sum += r->a[k];
  }
  if (!isfinite(sum)) {
    return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0},
                    "accelerations are no numbers: the state or tau is none, or a mass is missing");
  }
  if (force != NULL) {
    find_forces(r, tau, force);
  }
  if (a != NULL) {
    memcpy(a, r->a, (size_t)nu * sizeof *a);
  }
  return PK_OK;
}

void pk_reduced_add(pk_reduced *r, const double *q1, const double *v1, double *q1_out)
{
  memset(r->v, 0, (size_t)r->model->nu * sizeof *r->v);
  for (int k = 0; k < r->nq1; k++) {
    r->q[r->q1[k]] = q1[k];
  }
  for (int k = 0; k < r->nu1; k++) {
    r->v[r->u1[k]] = v1[k];
  }
  pk_config_add(r->model, r->q, r->v, r->q);
  pk_reduced_take(r, r->q, NULL, q1_out, NULL);
}
