/* At rest equation (1) of the notes on reduced dynamics is h = tau + J' f. Nothing drives the trunk, so that its rows J_b' f = h_b are
 * what the forces must obey; of those that do the shortest are taken, f = (J_b')^+ h_b. The hinges then need tau = h - J' f. With
 * these torques the reduced dynamics give accelerations, which are zero where the trunk is balanced, and by (2) and (3) the forces of
 * the feet. */
#include "cli/stance_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "math/svd.h"
#include "model/pose.h"

enum { ROOT = 6, FORCES = 6 * PKI_LIMBS };

static const double bend = 0.785; /* of a leg's reach */

void pki_stance_preset(pki_stance_question *s)
{
  double height = 0;
  pk_pose inside[PKI_LIMBS];
  for (int i = 0; i < s->count; i++) {
    const pk_leg *leg = &s->limbs[i].leg;
    double hip[3];
    pki_leg_hip(leg, hip);
    inside[i] = leg->foot;
    /* a pose leg's ankle is below the hip, its foot where it is below the ankle */
    for (int k = 0; k < 3; k++) {
      inside[i].pos[k] = hip[k] + (leg->kind == PK_LEG_POSE ? leg->foot.pos[k] - leg->at[4][k] : 0);
    }
    inside[i].pos[2] -= bend * s->limbs[i].reach.full[1];
    height += (s->limbs[i].radius - inside[i].pos[2]) / s->count;
  }
  s->trunk = pk_pose_identity();
  s->trunk.pos[2] = height;
  for (int i = 0; i < s->count; i++) {
    s->feet[i] = pki_pose_mul(&s->trunk, &inside[i]);
    s->feet[i].pos[2] = s->limbs[i].radius;
  }
}

/* ---- the pose ---- */

/* The middle of the limits, where there are two; else zero. */
static double middle_of(const pk_model *m, int u)
{
  const double sum = m->dof_lower[u] + m->dof_upper[u];
  return isfinite(sum) ? 0.5 * sum : 0;
}

static bool is_within(const pk_model *m, const pk_leg *leg, const double *angles)
{
  bool within = true;
  for (int k = 0; k < leg->nsolve; k++) {
    within =
        within && angles[k] >= m->dof_lower[leg->u[k]] - 1e-9 && angles[k] <= m->dof_upper[leg->u[k]] + 1e-9;
  }
  return within;
}

/* Of the ways to place a foot one within the limits, the nearest to their middle; else the nearest of all. */
static pk_status bend_leg(const pk_model *m, const pk_leg *leg, const pk_pose *foot, double *angles,
                          bool *within, pk_error *err)
{
  double start[PK_LEG_HINGES], best = INFINITY;
  for (int k = 0; k < leg->nhinge; k++) {
    start[k] = k < leg->nsolve ? middle_of(m, leg->u[k]) : m->q0[leg->q[k]];
  }
  memcpy(angles, start, sizeof start);
  *within = false;
  for (int which = 0; which < leg->nbranch; which++) {
    double found[PK_LEG_HINGES], far = 0;
    memcpy(found, start, sizeof found);
    if (pk_leg_solve(leg, foot, which, found, NULL) != PK_OK || !is_within(m, leg, found)) {
      continue;
    }
    for (int k = 0; k < leg->nsolve; k++) {
      far += (found[k] - start[k]) * (found[k] - start[k]);
    }
    if (far < best) {
      best = far, *within = true;
      memcpy(angles, found, sizeof found);
    }
  }
  return *within ? PK_OK : pk_leg_solve(leg, foot, PK_LEG_NEAREST, angles, err);
}

/* How far the foot, of a pose leg its ankle, may be from where. */
static pk_status fail_reach(const pki_stance_question *s, int i, pk_error *err)
{
  const pki_robot_leg *limb = &s->limbs[i];
  const double *p = s->feet[i].pos, *reach = limb->reach.full;
  pk_pose hip = pk_pose_identity();
  pki_leg_hip(&limb->leg, hip.pos);
  hip = pki_pose_mul(&s->trunk, &hip);
  return pki_fail(
      err, PK_ERROR_REACH, (pki_where){.field = s->model->links[limb->leg.link].name},
      "it cannot stand at (%.4g, %.4g, %.4g) m, which is out of its leg's reach: %s%.4g to %.4g m "
      "from the hip at (%.4g, %.4g, %.4g) m",
      p[0], p[1], p[2], limb->leg.kind == PK_LEG_POSE ? "the ankle " : "", reach[0], reach[1], hip.pos[0],
      hip.pos[1], hip.pos[2]);
}

static pk_status take_pose(const pki_stance_question *s, pki_stance_answer *out, pk_error *err)
{
  const pk_model *m = s->model;
  const pk_pose back = pki_pose_invert(&s->trunk);
  double *root = out->q + m->robots[0].q;
  memcpy(out->q, m->q0, (size_t)m->nq * sizeof *out->q);
  /* the root link may be turned in its body */
  const pk_pose inside = pki_pose_invert(&m->links[m->robots[0].root_link].pose);
  const pk_pose body = pki_pose_mul(&s->trunk, &inside);
  memcpy(root, body.pos, sizeof body.pos);
  pki_quat_from_mat3(body.rot, root + 3);
  for (int i = 0; i < s->count; i++) {
    double angles[PK_LEG_HINGES];
    const pk_leg *leg = &s->limbs[i].leg;
    const pk_pose foot = pki_pose_mul(&back, &s->feet[i]);
    const pk_status status = bend_leg(m, leg, &foot, angles, &out->within[i], err);
    if (status != PK_OK) {
      return status == PK_ERROR_REACH ? fail_reach(s, i, err) : status;
    }
    pk_leg_set(leg, angles, out->q);
  }
  return PK_OK;
}

/* ---- forces at rest ---- */

/* The shortest f with A f nearest to b, A [ROOT][n]: by A A' = U S V', f = A' V S^+ U' b. */
static pk_status shortest_forces(const double *A, int n, const double b[ROOT], double *f, pk_error *err)
{
  double G[ROOT * ROOT], S[ROOT], V[ROOT * ROOT], y[ROOT] = {0};
  for (int r = 0; r < ROOT * ROOT; r++) {
    G[r] = 0;
    for (int k = 0; k < n; k++) {
      G[r] += A[r / ROOT * n + k] * A[r % ROOT * n + k];
    }
  }
  if (!pki_svd(G, ROOT, S, V)) {
    return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0}, "the places of the feet are no numbers");
  }
  for (int e = 0; e < ROOT && S[e] > 1e-12 * S[0]; e++) {
    double along = 0; /* columns of G are U S now */
    for (int r = 0; r < ROOT; r++) {
      along += G[r * ROOT + e] * b[r];
    }
    for (int r = 0; r < ROOT; r++) {
      y[r] += V[r * ROOT + e] * along / (S[e] * S[e]);
    }
  }
  for (int k = 0; k < n; k++) {
    f[k] = 0;
    for (int r = 0; r < ROOT; r++) {
      f[k] += A[r * n + k] * y[r];
    }
  }
  return PK_OK;
}

/* Torques of the hinges by the shortest forces, and what is left on the trunk. J: [6 count][nu] scratch. */
static pk_status hold_still(const pki_stance_question *s, pk_workspace *w, double *J, pki_stance_answer *out,
                            pk_error *err)
{
  const pk_model *m = s->model;
  const int nu = m->nu, root = m->robots[0].u;
  double A[ROOT * FORCES], f[FORCES];
  int n = 0;
  memset(out->a1, 0, (size_t)nu * sizeof *out->a1);
  pk_inverse_dynamics(w, out->q, out->a1, NULL, out->tau); /* a1 is zero yet: at rest */
  pk_kinematics_compute(w, out->q, NULL);
  for (int i = 0; i < s->count; i++) {
    const pk_leg *leg = &s->limbs[i].leg;
    double *const rows = J + (size_t)(n * nu); /* there is room for six */
    pk_link_jacobian(w, leg->link, leg->point, rows);
    memmove(rows, rows + (6 - leg->nsolve) * nu, (size_t)(leg->nsolve * nu) * sizeof *J);
    n += leg->nsolve;
  }
  for (int r = 0; r < ROOT; r++) {
    for (int k = 0; k < n; k++) {
      A[r * n + k] = J[k * nu + root + r];
    }
  }
  const pk_status status = shortest_forces(A, n, out->tau + root, f, err);
  for (int u = 0; u < nu && status == PK_OK; u++) {
    for (int k = 0; k < n; k++) {
      out->tau[u] -= J[k * nu + u] * f[k];
    }
  }
  memcpy(out->unbalanced, out->tau + root, sizeof out->unbalanced);
  memset(out->tau + root, 0, sizeof out->unbalanced);
  return status;
}

/* What the reduced dynamics make of these torques. */
static pk_status reduce(const pki_stance_question *s, double *q1, const double *rest, pki_stance_answer *out,
                        pk_error *err)
{
  pk_leg legs[PKI_LIMBS];
  pk_reduced *r = NULL;
  for (int i = 0; i < s->count; i++) {
    legs[i] = s->limbs[i].leg;
  }
  pk_status status = pk_reduced_create(s->model, s->count, legs, &r, err);
  status = status == PK_OK ? pk_reduced_stand(r, (1u << s->count) - 1, NULL, out->q, err) : status;
  if (status == PK_OK) {
    pk_reduced_take(r, out->q, NULL, q1, NULL);
    out->nq1 = pk_reduced_nq(r), out->nu1 = pk_reduced_nu(r);
    status = pk_reduced_forward(r, q1, rest, out->tau, out->a1, NULL, out->force[0], err);
  }
  for (int k = 0; k < out->nu1 && status == PK_OK; k++) {
    out->fastest = fmax(out->fastest, fabs(out->a1[k]));
  }
  pk_reduced_destroy(r);
  return status;
}

pk_status pki_stance_solve(const pki_stance_question *s, pki_stance_answer *out, pk_error *err)
{
  const size_t nu = (size_t)s->model->nu, nq = (size_t)s->model->nq;
  double *J = calloc(FORCES * nu + nq + nu, sizeof *J), *q1 = J + FORCES * nu, *rest = q1 + nq;
  pk_workspace *w = NULL;
  pk_workspace_create(s->model, &w, NULL);
  pk_status status = w != NULL && J != NULL ? take_pose(s, out, err) : pki_fail_memory(err, "a stance");
  status = status == PK_OK ? hold_still(s, w, J, out, err) : status;
  status = status == PK_OK ? reduce(s, q1, rest, out, err) : status;
  pk_workspace_destroy(w);
  free(J);
  return status;
}
