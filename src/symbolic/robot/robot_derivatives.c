/* Derivatives of inverse and forward dynamics along the model's velocities.
 *
 * A configuration changes by q (+) v (pk_config_add): angles and travels by v itself, quaternions by q v / 2, v in body axes.
 * Columns are tangents on the graph in those directions. In body axes a direction touches only what hangs on its joint, and what
 * carries it: the columns are as sparse as the tree.
 *
 * Forward dynamics is the inverse of inverse dynamics: with tau = ID(q, u, a(q, u, tau)),
 *
 *   da/dtau = inv(M),   da/dq = -inv(M) dID/dq,   da/du = -inv(M) dID/du   at that a,
 *
 * by the factor of M, column by column. */
#include <stdlib.h>
#include <string.h>

#include "model/motion.h"
#include "symbolic/graph/differentiate.h"
#include "symbolic/robot/robot_parts.h"

/* How the inputs q change along coordinate c of body i: inputs and rates, and how many there are. */
static int input_direction(const pki_robot *robot, int i, int c, pki_x inputs[4], pki_x rates[4])
{
  pki_graph *const g = robot->g;
  const pk_model *m = robot->m;
  const int motion = m->body_motion[i];
  const pki_x *q = robot->q + m->body_q[i];
  const int travels = motion == PK_MOTION_FLOATING ? 3 : 0;
  if (motion <= PK_MOTION_PRISMATIC || c < travels) {
    inputs[0] = q[motion <= PK_MOTION_PRISMATIC ? 0 : c];
    rates[0] = pki_const(g, 1);
    return 1;
  }
  /* half of (w, v) (0, e) = (-v.e, w e + v x e) */
  const pki_x half = pki_const(g, 0.5), *const x = q + travels;
  const int e = c - travels, j = (e + 1) % 3, k = (e + 2) % 3;
  memcpy(inputs, x, 4 * sizeof *inputs);
  rates[0] = pki_neg(g, pki_times(g, half, x[1 + e]));
  rates[1 + e] = pki_times(g, half, x[0]);
  rates[1 + j] = pki_times(g, half, x[1 + k]);
  rates[1 + k] = pki_neg(g, pki_times(g, half, x[1 + j]));
  return 4;
}

/* out [n][nu] = d values / d configuration, along velocities. */
static bool by_configuration(const pki_robot *robot, int n, const pki_x *values, pki_x *out)
{
  const pk_model *m = robot->m;
  pki_x *column = calloc((size_t)n + 1, sizeof *column);
  bool good = column != NULL;
  for (int i = 0; i < m->nbody && good; i++) {
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]) && good; c++) {
      pki_x inputs[4], rates[4];
      const int count = input_direction(robot, i, c, inputs, rates);
      good = pki_tangent(robot->g, n, values, count, inputs, rates, column);
      for (int k = 0; k < n && good; k++) {
        out[k * m->nu + m->body_u[i] + c] = column[k];
      }
    }
  }
  free(column);
  return good;
}

/* The upper triangle from the lower. */
static void mirror_triangle(int n, pki_x *M)
{
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      M[i * n + j] = M[j * n + i];
    }
  }
}

bool pki_robot_rnea_derivatives(const pki_robot *robot, pki_function *f)
{
  const int nu = robot->m->nu;
  const size_t square = (size_t)nu * (size_t)nu + 1;
  pki_x *tau = calloc((size_t)nu + 1, sizeof *tau), *by = calloc(3 * square, sizeof *by);
  if (tau == NULL || by == NULL) {
    free(tau);
    free(by);
    return false;
  }
  pki_x *const by_u = by + square, *const M = by_u + square;
  const bool good = pki_robot_rnea(robot, robot->u, robot->a, tau) && by_configuration(robot, nu, tau, by) &&
                    pki_jacobian(robot->g, nu, tau, nu, robot->u, by_u) && pki_robot_crba(robot, M);
  if (good) {
    mirror_triangle(nu, M);
    pki_function_add_sparse(f, "dtau_dq", nu, nu, by, "by the configuration, along velocities: q (+) v");
    pki_function_add_sparse(f, "dtau_du", nu, nu, by_u, "by velocities");
    pki_function_add_sparse(f, "dtau_da", nu, nu, M, "by accelerations: M");
  }
  free(tau);
  free(by);
  return good;
}

/* Columns of out := sign inv(M) columns. */
static bool solve_columns(pki_graph *g, int n, const pki_x *L, double sign, pki_x *out)
{
  pki_x *x = calloc((size_t)n + 1, sizeof *x);
  for (int j = 0; j < n && x != NULL; j++) {
    for (int k = 0; k < n; k++) {
      x[k] = out[k * n + j];
    }
    pki_robot_solve(g, n, L, x);
    for (int k = 0; k < n; k++) {
      out[k * n + j] = sign < 0 ? pki_neg(g, x[k]) : x[k];
    }
  }
  free(x);
  return x != NULL;
}

/* The graph of inverse dynamics takes the accelerations as inputs; when all tangents are made, they become those of forward
 * dynamics. */
static bool substitute_accelerations(const pki_robot *robot, const pki_x *a, int count, pki_x *values)
{
  pki_graph *const g = robot->g;
  const int before = g->count;
  pki_x *now = calloc((size_t)before + 1, sizeof *now);
  for (int i = 0; i < before && now != NULL; i++) {
    const pki_graph_node n = g->nodes[i];
    const int operands = pki_op_operands(n.op);
    now[i] = operands == 0 ? i : pki_rebuild_node(g, n, now[n.a], operands > 1 ? now[n.b] : -1);
    for (int k = 0; k < robot->m->nu && n.op == PKI_OP_INPUT; k++) {
      now[i] = robot->a[k] == i ? a[k] : now[i];
    }
  }
  for (int k = 0; k < count && now != NULL; k++) {
    values[k] = now[values[k]];
  }
  free(now);
  return now != NULL;
}

bool pki_robot_aba_derivatives(const pki_robot *robot, pki_function *f)
{
  pki_graph *const g = robot->g;
  const int nu = robot->m->nu;
  const size_t square = (size_t)nu * (size_t)nu;
  pki_x *all = calloc(4 * square + 2 * (size_t)nu + 1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  pki_x *const by_q = all, *const by_u = by_q + square, *const by_tau = by_u + square,
               *const L = by_tau + square;
  pki_x *const tau = L + square, *const a = tau + nu;
  bool good = pki_robot_rnea(robot, robot->u, robot->a, tau) && by_configuration(robot, nu, tau, by_q) &&
              pki_jacobian(robot->g, nu, tau, nu, robot->u, by_u) &&
              pki_robot_forward(robot, robot->u, robot->tau, a) &&
              substitute_accelerations(robot, a, 2 * (int)square, by_q) && pki_robot_crba(robot, L);
  if (good) {
    pki_robot_factor(g, nu, 0, L);
    for (int k = 0; k < nu; k++) {
      by_tau[k * nu + k] = pki_const(g, 1);
    }
    good = solve_columns(g, nu, L, -1, by_q) && solve_columns(g, nu, L, -1, by_u) &&
           solve_columns(g, nu, L, 1, by_tau);
  }
  if (good) {
    pki_function_add_sparse(f, "da_dq", nu, nu, by_q, "by the configuration, along velocities: q (+) v");
    pki_function_add_sparse(f, "da_du", nu, nu, by_u, "by velocities");
    pki_function_add_sparse(f, "da_dtau", nu, nu, by_tau, "by forces: inv(M)");
  }
  free(all);
  return good;
}
