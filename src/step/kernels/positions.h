/* The configuration at the end: out of the ground, within the limits, other shapes apart. */
#ifndef PKI_STEP_POSITIONS_H
#define PKI_STEP_POSITIONS_H

#include "step/kernels/ground.h"
#include "step/kernels/guard.h"
#include "step/kernels/impulses.h"

enum { PKI_LANE_PROJECTIONS = 4, PKI_POSITION_SWEEPS = 4 };

/* How deep each lane's deepest ball is. */
static pk_r pki_depth_of(const pki_group *g)
{
  pk_r deepest = pki_splat(0);
  for (int b = 0; b < g->plan->nball; b++) {
    deepest = pki_max(deepest, -pki_reals(g->gap_end)[b]);
  }
  return deepest;
}

/* Feet that stick: their friction is within the cone. */
PKI_INLINE pk_i pki_sticks(const pki_group *g, int b)
{
  const pki_v3 r = pki_v3_load(pki_reals(g->r) + 3 * b);
  const pk_r limit = (1 - 1e-6) * pki_reals(g->mu)[b] * r.x;
  return pki_less(pki_splat(0), r.x) & pki_less(r.y * r.y + r.z * r.z, limit * limit);
}

/* The shortest way out of the ground (project.c), by sweeps over the balls in W: r and v are impulses and gaps of positions
 * from here on. `deep` are the lanes that need it. */
static void pki_push_out(pki_flight *f, pk_i deep, pk_r band, const pk_i *stuck, double *move)
{
  static const double soft = 1.01; /* tangents of feet that stick may yield a little */
  pki_group *g = f->g;
  const pk_r zero = pki_splat(0);
  pk_r *const r = pki_out(g->r), *const v = pki_out(g->v);
  for (int b = 0; b < f->p->nball; b++) {
    pki_v3_store(pki_v3_zero(), r + 3 * b);
    pki_v3_store((pki_v3){pki_reals(g->gap_end)[b], zero, zero}, v + 3 * b);
  }
  for (int sweep = 0; sweep < PKI_POSITION_SWEEPS; sweep++) {
    for (int b = 0; b < f->p->nball; b++) {
      if (!(f->in >> b & 1)) {
        continue;
      }
      const pki_m3 W = *pki_block(g, b, b);
      const pki_v3 old = pki_v3_load(r + 3 * b);
      const pki_v3 q = pki_sub(pki_v3_load(v + 3 * b), pki_m3_apply(W, old));
      const pki_m3 S = {W.x, {W.y.x, soft * W.y.y, W.y.z}, {W.z.x, W.z.y, soft * W.z.z}};
      const pki_v3 held = pki_scale(pki_splat(-1), pki_m3_apply(pki_invert_symmetric(S), q));
      const pk_r inv = 1.0 / (S.y.y * S.z.z - S.y.z * S.y.z);
      const pki_v3 lifted = {zero, -inv * (S.z.z * q.y - S.y.z * q.z), -inv * (S.y.y * q.z - S.y.z * q.y)};
      const pki_v3 slides = {pki_max(-q.x / W.x.x, zero), zero, zero};
      const pki_v3 next =
          pki_v3_select(stuck[b], pki_v3_select(pki_less(zero, held.x), held, lifted), slides);
      pki_change(f, b, deep & pki_at_most(pki_reals(g->gap_end)[b], band), next);
    }
  }
  pki_balls_response(g, f->in, g->r, move);
}

/* Energy in the field of gravity at the work's configuration. */
static pk_r pki_potential(const pki_group *g)
{
  pk_r sums[12];
  PKI_NAME(sums)(g->work, 0, g->plan->model->nbody, (double *)(void *)sums);
  return sums[11];
}

/* The configuration at the end: what is below ground is projected out, where it has to be. */
static void pki_arrive(pki_flight *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  pk_i stuck[PKI_BALLS];
  for (int b = 0; b < p->nball; b++) {
    stuck[b] = pki_sticks(g, b) & pki_masks(g->active)[b];
    pki_v3_store(pki_v3_load(pki_reals(g->r) + 3 * b), pki_out(g->impulse) + 3 * b);
    pki_v3_store(pki_v3_load(pki_reals(g->v) + 3 * b), pki_out(g->velocity) + 3 * b);
  }
  for (int round = 0; round <= PKI_LANE_PROJECTIONS; round++) {
    g->dynamics->kinematics(g->work, g->q_end);
    pki_look(g, g->gap_end, NULL);
    const pk_r depth = pki_depth_of(g);
    *pki_out(g->penetration) = depth;
    pk_i deep = f->going & ~pki_at_most(depth, pki_splat(PKI_PENETRATION));
    if (round == PKI_LANE_PROJECTIONS || !pki_any(deep)) {
      f->going &= ~deep;
      *pki_out(g->lift) += round > 0 && g->watched ? pki_potential(g) : pki_splat(0);
      return;
    }
    *pki_out(g->lift) -= round == 0 && g->watched ? pki_potential(g) : pki_splat(0);
    const pk_r band = pki_max(8.0 * depth, pki_splat(PKI_TOUCHING));
    unsigned more = 0;
    for (int b = 0; b < p->nball; b++) {
      const pk_i near = deep & pki_at_most(pki_reals(g->gap_end)[b], band);
      pk_i far = pki_less(pki_splat(p->near), pki_reals(g->gap)[b]); /* it came from nowhere */
      if (p->field != NULL) {
        far |= pki_less(pki_splat(0), pki_reals(g->turned)[b]); /* or met another side */
      }
      more |= (unsigned)(pki_any(near & ~far) != 0) << b;
      f->going &= ~(near & far);
    }
    deep &= f->going;
    pki_join(f, more);
    pki_push_out(f, deep, band, stuck, g->move);
    PKI_NAME(config_add)(m, g->q_end, 1, g->move, g->q_try);
    for (int k = 0; k < m->nq; k++) {
      pk_r *const q = pki_out(g->q_end) + k;
      *q = pki_select(deep, pki_reals(g->q_try)[k], *q);
    }
  }
}

/* How far anything can have moved against the trunk in this step. */
static pk_r pki_swung(const pki_group *g)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  pk_r *const far = pki_out(g->swung), most = pki_splat(0);
  far[0] = most;
  for (int i = 1; i < m->nbody; i++) {
    const int q = m->dof_q[m->body_u[i]];
    far[i] = far[m->body_parent[i]] + p->swing[i] * pki_abs(pki_reals(g->q_end)[q] - pki_reals(g->q)[q]);
    most = pki_max(most, far[i]);
  }
  return most;
}

/* The largest angle by which a joint has turned since all pairs were looked at. */
static pk_r pki_turned(const pki_group *g)
{
  const pk_model *m = g->plan->model;
  pk_r most = pki_splat(0);
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      most = pki_max(most, pki_abs(pki_reals(g->q_end)[m->dof_q[k]] - pki_reals(g->guard)[k]));
    }
  }
  return most;
}

/* Lanes in which other shapes touch at the end fall out: the plane, or each other. */
static void pki_keep_away(pki_flight *f)
{
  static const double slack = PKI_COVER_SLACK;
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_model *m = p->model;
  for (int i = 0; i < p->ncover; i++) {
    f->going &= ~pki_cover_in_plane(g, &p->covers[i]);
  }
  if (p->npair == 0) {
    return;
  }
  pk_r *const allowed = pki_out(g->guard) + m->nu, angle;
  const pk_r most = 2.0 * pki_swung(g);
  const pk_i quick =
      ~pki_less(most, pki_splat(slack + 2 * p->thin)); /* it could have passed through something near */
  const pk_i due = f->going & (quick | ~pki_less(pki_turned(g), *allowed));
  if (!pki_any(due)) {
    return;
  }
  const pk_r apart = pki_covers_apart(g, &angle);
  *allowed = pki_select(due, angle, *allowed);
  f->looked = true;
  f->going &= ~due | pki_less(pki_splat(slack), apart);
  /* nothing has passed through anything: to do so in a step it would have come this far past it. Who is not quick has not,
   * whatever was seen before: when pairs were looked at last must not matter */
  f->going &= ~(due & quick) | pki_less(most, apart + 2.0 * p->thin);
  for (int k = 0; k < m->nu; k++) {
    pk_r *const at = pki_out(g->guard) + k;
    *at = m->dof_q[k] >= 0 ? pki_select(due, pki_reals(g->q_end)[m->dof_q[k]], *at) : pki_splat(0);
  }
}

/* Joint limits at the end, and numbers that are not finite: lanes fall out. */
static void pki_check_end(pki_flight *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_r sum = pki_splat(0);
  for (int k = 0; k < m->nq; k++) {
    sum += pki_abs(pki_reals(g->q_end)[k]);
  }
  for (int k = 0; k < m->nu; k++) {
    sum += pki_abs(pki_reals(g->u_end)[k]);
    if (f->p->limits && m->dof_q[k] >= 0) {
      const pk_r x = pki_reals(g->q_end)[m->dof_q[k]];
      f->going &= pki_at_most(pki_splat(m->dof_lower[k]), x) & pki_at_most(x, pki_splat(m->dof_upper[k]));
    }
  }
  f->going &= pki_less(sum, pki_splat(1e300));
}

#endif
