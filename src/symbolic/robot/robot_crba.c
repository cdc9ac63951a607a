/* Composite rigid bodies in body axes: M, its factor M = L' D L along the tree, and solves with it. */
#include <stdlib.h>

#include "model/motion.h"
#include "symbolic/robot/robot.h"

/* sum + b of a body seen by its parent: turned, then shifted by r (src/dynamics/kernels/composite.h). */
static void add_to_parent(pki_graph *g, pki_inertia_x *sum, const pki_inertia_x *b,
                          const pki_lane_world_x *seat)
{
  const pki_x *r = seat->r.v;
  const pki_x3 h0 = pki_to_parent(g, seat, b->h), h = pki_x3_plus_scaled(g, h0, b->m, seat->r);
  const pki_xs3 I = pki_symmetric_to_parent(g, seat, b->I);
  pki_x rh[3]; /* r_k (h0 + h)_k */
  for (int k = 0; k < 3; k++) {
    rh[k] = pki_times(g, r[k], pki_plus(g, h0.v[k], h.v[k]));
  }
  sum->m = pki_plus(g, sum->m, b->m);
  sum->h = pki_x3_plus(g, sum->h, h);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    pki_x *const ii = &sum->I.s[pki_at(i, i)], *const ij = &sum->I.s[pki_at(i, j)];
    *ii = pki_plus(g, *ii, pki_plus(g, I.s[pki_at(i, i)], pki_plus(g, rh[j], rh[k])));
    const pki_x off = pki_plus_times(g, pki_times(g, r[i], h.v[j]), h0.v[i], r[j]);
    *ij = pki_plus(g, *ij, pki_minus(g, I.s[pki_at(i, j)], off));
  }
}

static pki_inertia_x *composite_inertias(const pki_robot *robot)
{
  const pk_model *m = robot->m;
  pki_inertia_x *all = calloc((size_t)m->nbody + 1, sizeof *all);
  for (int i = 0; i < m->nbody && all != NULL; i++) {
    all[i] = robot->grouped[i];
  }
  for (int i = m->nbody - 1; i >= 0 && all != NULL; i--) {
    if (m->body_parent[i] >= 0) {
      add_to_parent(robot->g, &all[m->body_parent[i]], &all[i], &robot->seat[i]);
    }
  }
  return all;
}

/* The force that unit acceleration along a column takes. */
static pki_x6 inertia_times(pki_graph *g, const pki_inertia_x *b, pki_x6 s)
{
  return (pki_x6){pki_x3_plus(g, pki_xs3_apply(g, &b->I, s.a), pki_x3_cross(g, b->h, s.l)),
                  pki_x3_plus(g, pki_x3_scale(g, b->m, s.l), pki_x3_cross(g, s.a, b->h))};
}

/* Travels of a free body among themselves, whose axes are normal to each other. */
static void own_travel(pki_graph *g, const pki_inertia_x *b, int c, pki_x value[3])
{
  for (int e = 0; e < 3; e++) {
    value[e] = e == c ? b->m : pki_const(g, 0);
  }
}

/* Coordinate c of a body with its own and its ancestors' coordinates. */
static void fill_row(const pki_robot *robot, const pki_inertia_x *all, int body, int c, pki_x *M)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  const int row = m->body_u[body] + c;
  pki_x6 f = inertia_times(g, &all[body], pki_motion_column(robot, body, c));
  int count = c + 1;
  for (int i = body; i >= 0; i = m->body_parent[i]) {
    pki_x value[6] = {0};
    pki_motion_feel(robot, i, f, value);
    if (i == body && c < 3 && m->body_motion[i] == PK_MOTION_FLOATING) {
      own_travel(g, &all[i], c, value);
    }
    for (int e = 0; e < count; e++) {
      const int col = m->body_u[i] + e, high = row > col ? row : col, low = row > col ? col : row;
      pki_x *const to = &M[high * m->nu + low];
      /* followers share a coordinate with their leader: what is between them counts both ways round */
      const bool both = row == col && i != body;
      *to = pki_plus(g, *to, both ? pki_plus(g, value[e], value[e]) : value[e]);
    }
    f = m->body_parent[i] >= 0 ? pki_force_to_parent(g, &robot->seat[i], f) : f;
    count = m->body_parent[i] >= 0 ? pki_motion_nu(m->body_motion[m->body_parent[i]]) : 0;
  }
}

bool pki_robot_crba(const pki_robot *robot, pki_x *M)
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  pki_inertia_x *all = composite_inertias(robot);
  if (all == NULL) {
    return false;
  }
  for (int e = 0; e < m->nu * m->nu; e++) {
    M[e] = pki_const(g, 0);
  }
  for (int i = 0; i < m->nbody; i++) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      fill_row(robot, all, i, c, M);
    }
  }
  for (int k = 0; k < m->nu; k++) {
    M[k * m->nu + k] = pki_plus(g, M[k * m->nu + k], robot->diag[k]);
  }
  free(all);
  return true;
}

void pki_robot_factor(pki_graph *g, int n, int from, pki_x *M)
{
  for (int k = n - 1; k >= from; k--) {
    const pki_x inverse = pki_inverse(g, M[k * n + k]);
    for (int i = k - 1; i >= 0; i--) {
      /* columns after i are done with; i itself is still M_ki here */
      if (pki_is_const(g, M[k * n + i], 0)) {
        continue;
      }
      const pki_x l = pki_times(g, M[k * n + i], inverse);
      for (int j = 0; j <= i; j++) {
        M[i * n + j] = pki_minus_times(g, M[i * n + j], l, M[k * n + j]);
      }
      M[k * n + i] = l;
    }
    M[k * n + k] = inverse;
  }
}

void pki_robot_begin(pki_graph *g, int n, int from, const pki_x *L, pki_x *x)
{
  for (int k = n - 1; k >= from; k--) {
    for (int i = 0; i < k; i++) {
      x[i] = pki_minus_times(g, x[i], L[k * n + i], x[k]);
    }
    x[k] = pki_times(g, x[k], L[k * n + k]);
  }
}

void pki_robot_finish(pki_graph *g, int n, int from, const pki_x *L, pki_x *x)
{
  for (int k = from; k < n; k++) {
    for (int i = 0; i < k; i++) {
      x[k] = pki_minus_times(g, x[k], L[k * n + i], x[i]);
    }
  }
}

void pki_robot_solve(pki_graph *g, int n, const pki_x *L, pki_x *x)
{
  pki_robot_begin(g, n, 0, L, x);
  pki_robot_finish(g, n, 0, L, x);
}
