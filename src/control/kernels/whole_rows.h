/* The rows of all tasks on torques and wrenches y, on lanes: X = inv(M) [S' J'] with a_0, and r y + o of each row. */
#ifndef PKI_CONTROL_WHOLE_ROWS_H
#define PKI_CONTROL_WHOLE_ROWS_H

#include "control/kernels/cone_dense.h"
#include "control/kernels/whole_declare.h"
#include "dynamics/kernels/composite.h"

/* J of a foot's middle [width][nu], angular rows first where it has an area. */
static inline void pki_whole_jacobian(const pki_whole_body *c, const pki_whole_lanes *w, int f)
{
  const pk_model *m = w->work.model;
  const pki_whole_foot *foot = &c->feet[f];
  const int angular = foot->width - 3;
  pk_r *const J = pki_out(w->J) + (size_t)(foot->wrench - c->nact) * (size_t)c->nu;
  const pki_v3 at = pki_v3_load(pki_reals(w->foot_at) + 3 * f);
  for (int e = 0; e < foot->width * c->nu; e++) {
    J[e] = pki_splat(0);
  }
  for (int i = foot->body; i >= 0; i = m->body_parent[i]) {
    for (int k = 0; k < pki_motion_nu(m->body_motion[i]); k++) {
      int linear;
      const pki_v3 s = pki_column(&w->work, i, k, &linear);
      const pki_v3 v = linear ? s : pki_cross(s, pki_sub(at, pki_origins(&w->work)[i]));
      pk_r *const to = J + (m->body_u[i] - c->u + k);
      const size_t n = (size_t)c->nu;
      if (angular > 0 && !linear) {
        to[0] += s.x, to[n] += s.y, to[2 * n] += s.z;
      }
      pk_r *const lin = to + (size_t)angular * n;
      lin[0] += v.x, lin[n] += v.y, lin[2 * n] += v.z;
    }
  }
}

/* X := [S' J' | -(h + damping u + springs)] */
static inline void pki_whole_forces(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const pk_model *m = w->work.model;
  const size_t pitch = (size_t)pki_whole_pitch(c), nu = (size_t)c->nu;
  pk_r *const X = pki_out(w->X);
  const pk_r *const J = pki_reals(w->J), *const h = pki_reals(w->h), *const u = pki_reals(w->u),
                    *const q = pki_reals(w->q);
  for (size_t k = 0; k < nu; k++) {
    for (int e = 0; e < c->columns; e++) {
      X[k * pitch + (size_t)e] = pki_splat(0);
    }
    const int at = c->u + (int)k;
    pk_r rest = h[at] + m->dof_damping[at] * u[at];
    if (m->dof_q[at] >= 0) {
      rest += m->dof_stiffness[at] * (q[m->dof_q[at]] - m->dof_spring_ref[at]);
    }
    X[k * pitch + (size_t)c->columns] = -rest;
  }
  for (int j = 0; j < c->nact; j++) {
    X[(size_t)c->act[j] * pitch + (size_t)j] = pki_splat(1);
  }
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    for (int r = 0; r < foot->width; r++) {
      const pk_r *const row = J + (size_t)(foot->wrench - c->nact + r) * nu;
      for (int e = 0; e < foot->npath; e++) {
        X[(size_t)foot->path[e] * pitch + (size_t)(foot->wrench + r)] = row[foot->path[e]];
      }
    }
  }
}

/* X := inv(M) X by the factor M = L' D L in the plan, all columns at once. */
static inline void pki_whole_respond(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const pk_model *m = w->work.model;
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const int first = m->plan_u[c->u], columns = c->columns + 1;
  const pk_r *const L = pki_reals(w->work.M);
  pk_r *const X = pki_out(w->X);
  for (int k = c->nu - 1; k >= 0; k--) {
    const int from = m->M_row[first + k], end = m->M_row[first + k + 1] - 1;
    pk_r *const row = X + (size_t)k * pitch;
    for (int e = from; e < end; e++) {
      pki_cone_axpy(0, columns, L[e], row, X + (size_t)(m->M_col[e] - first) * pitch);
    }
    for (int e = 0; e < columns; e++) {
      row[e] *= L[end];
    }
  }
  for (int k = 0; k < c->nu; k++) {
    const int from = m->M_row[first + k], end = m->M_row[first + k + 1] - 1;
    pk_r *const row = X + (size_t)k * pitch;
    for (int e = from; e < end; e++) {
      pki_cone_axpy(0, columns, L[e], X + (size_t)(m->M_col[e] - first) * pitch, row);
    }
  }
}

/* Rows of the feet: J X, and the acceleration that velocities alone give. */
static inline void pki_whole_foot_rows(const pki_whole_body *c, const pki_whole_lanes *w, int f)
{
  const pki_whole_foot *foot = &c->feet[f];
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const int columns = c->columns + 1;
  for (int r = 0; r < foot->width; r++) {
    const pk_r *const J = pki_reals(w->J) + (size_t)(foot->wrench - c->nact + r) * (size_t)c->nu;
    pk_r *const row = pki_out(w->R) + (size_t)(foot->row + r) * pitch;
    for (int e = 0; e < columns; e++) {
      row[e] = pki_splat(0);
    }
    for (int e = 0; e < foot->npath; e++) {
      pki_cone_axpy(0, columns, -J[foot->path[e]], pki_reals(w->X) + (size_t)foot->path[e] * pitch, row);
    }
    row[c->columns] += pki_reals(w->foot_bias)[6 * f + 6 - foot->width + r];
  }
}

/* Rows of the mass, sum of forces over mass and gravity; of angular momentum, moments about the mass over the mean inertia. */
static inline void pki_whole_momentum_rows(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const pk_r *const I = pki_reals(w->inertia), zero = pki_splat(0);
  const pk_r part = 3.0 / (I[0] + I[3] + I[5]), one = pki_splat(1 / c->mass);
  pk_r *const rows = pki_out(w->R) + (size_t)c->mass_row * pitch;
  for (int r = 0; r < 6; r++) {
    for (int e = 0; e <= c->columns; e++) {
      rows[(size_t)r * pitch + (size_t)e] = zero;
    }
    if (r < 3) {
      rows[(size_t)r * pitch + (size_t)c->columns] = pki_splat(w->work.model->gravity[r]);
    }
  }
  for (int f = 0; f < c->nfoot; f++) {
    const pki_whole_foot *foot = &c->feet[f];
    const pki_v3 arm = pki_scale(
        part, pki_sub(pki_v3_load(pki_reals(w->foot_at) + 3 * f), pki_v3_load(pki_reals(w->mass_at))));
    pk_r *const moment = rows + foot->wrench, *const force = moment + (foot->width - 3);
    for (size_t r = 0; r < 3; r++) {
      force[r * pitch + r] = one;
      if (foot->width == 6) {
        moment[(3 + r) * pitch + r] = part;
      }
    }
    /* arm x f */
    force[3 * pitch + 1] = -arm.z, force[3 * pitch + 2] = arm.y;
    force[4 * pitch + 0] = arm.z, force[4 * pitch + 2] = -arm.x;
    force[5 * pitch + 0] = -arm.y, force[5 * pitch + 1] = arm.x;
  }
}

/* Rows of the trunk: its coordinates' accelerations, of rotations those that are tasks. Rows of joints likewise. */
static inline void pki_whole_coordinate_rows(const pki_whole_body *c, const pki_whole_lanes *w)
{
  const size_t pitch = (size_t)pki_whole_pitch(c);
  const int columns = c->columns + 1;
  const pk_r *const X = pki_reals(w->X), *const keep = pki_reals(w->keep);
  pk_r *const R = pki_out(w->R);
  if (c->is_free) {
    memcpy(R, X, 3 * pitch * sizeof *R);
    for (int r = 0; r < 3; r++) {
      const pk_r k0 = keep[3 * r], k1 = keep[3 * r + 1], k2 = keep[3 * r + 2];
      const pk_r *const x0 = X + 3 * pitch, *const x1 = x0 + pitch, *const x2 = x1 + pitch;
      pk_r *const to = R + (size_t)(3 + r) * pitch;
      for (int e = 0; e < columns; e++) {
        to[e] = k0 * x0[e] + k1 * x1[e] + k2 * x2[e];
      }
    }
  }
  for (int j = 0; j < c->nact; j++) {
    memcpy(R + (size_t)(c->posture_row + j) * pitch, X + (size_t)c->act[j] * pitch, pitch * sizeof *R);
  }
}

#endif
