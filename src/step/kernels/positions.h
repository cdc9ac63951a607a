/* The configuration at the end: what is below zero is moved out. */
#ifndef PKI_STEP_POSITIONS_H
#define PKI_STEP_POSITIONS_H

#include "step/kernels/ground.h"
#include "step/kernels/guard.h"
#include "step/kernels/impulses.h"

/* How deep each lane is, m: feet, other shapes, joint limits at the end of an arm. */
static pk_r pki_depth_of(const pki_lanes *f)
{
  const pki_group *g = f->g;
  pk_r deepest = pki_splat(0);
  for (int b = 0; b < f->p->nball; b++) {
    deepest = pki_max(deepest, -pki_reals(g->gap_end)[b]);
  }
  deepest = pki_max(deepest, f->shallow);
  for (int l = 0; l < f->count; l++) {
    double most = f->nend[l] > 0 ? pki_lane(deepest, l) : 0;
    for (int i = 0; i < f->nend[l]; i++) {
      most = fmax(most, -g->found_end[l][i].gap);
    }
    if (f->nend[l] > 0) {
      pki_set_lane(&deepest, l, most);
    }
  }
  for (int i = 0; i < f->p->nlimit; i++) {
    const int k = f->p->limit[i];
    const pk_r gap = pki_min(pki_limit_gap(f, k, false), pki_limit_gap(f, k, true));
    deepest = pki_max(deepest, -f->p->arm[i] * gap);
  }
  return deepest;
}

/* Energy in the field of gravity at the work's configuration. */
static pk_r pki_potential(const pki_group *g)
{
  pk_r sums[12];
  PKI_NAME(sums)(g->work, 0, g->plan->model->nbody, (double *)(void *)sums);
  return sums[11];
}

/* Kinematics at the configuration of the end, and how deep each lane is there. `moved` are the lanes that are elsewhere than at
 * the last call. */
static pk_r pki_place_at_end(pki_lanes *f, pk_i moved)
{
  pki_group *g = f->g;
  g->dynamics->kinematics(g->work, g->q_end);
  pki_place_joints(f, g->q_end, true);
  if (pki_is_constrained(f)) {
    g->info->closure = pki_bilateral_gap(g->world);
  }
  pki_measure_feet(g, g->gap_end, NULL);
  pki_store(f)->find_at_end(f, pki_splat(f->p->touching), moved, f->p->allowed);
  const pk_r depth = pki_depth_of(f);
  pk_r *const told = pki_out(g->penetration);
  *told = pki_select(f->going, pki_max(depth, pki_splat(f->sunk)), *told);
  return depth;
}

/* Lanes that need another projection after `round` of them. */
static pk_i pki_needs_projection(const pki_lanes *f, pk_r depth, int round)
{
  pk_i deep = ~pki_at_most(depth, pki_splat(f->p->allowed));
  if (pki_is_constrained(f) && !pki_chain_is_closed(f->g->world, f->g->info)) {
    deep = pki_mask_all();
  }
  const pk_i more = round < PKI_PROJECTIONS        ? pki_mask_all()
                    : round < PKI_MORE_PROJECTIONS ? pki_less(pki_splat(f->p->deep), depth)
                                                   : pki_mask_none();
  return f->p->published ? pki_mask_none() : deep & more & f->going;
}

/* One projection of the lanes of `deep`. What is further away than a step can reach has its turn in the next one. */
static void pki_project_once(pki_lanes *f, pk_i deep, pk_r depth)
{
  const pk_r touching = pki_splat(f->p->touching);
  const pk_r band = pki_max(pki_min(PKI_WIDENING * depth, pki_splat(f->p->near)), touching);
  const pk_i wide = deep & (pki_less(touching, band) | f->measured);
  if (pki_any(wide)) {
    pki_store(f)->find_at_end(f, band, wide, -1);
  }
  pki_store(f)->project(f, deep, depth, band);
}

/* The configuration at the end: what is below zero is projected out, where it has to be. */
static void pki_project(pki_lanes *f)
{
  pki_group *g = f->g;
  pk_i deep = pki_mask_all();
  for (int round = 0;; round++) {
    const pk_r depth = pki_place_at_end(f, deep);
    deep = pki_needs_projection(f, depth, round);
    if (!pki_any(deep)) {
      pki_leave_lanes(f, pki_less(pki_splat(f->p->deep), depth),
                      PK_LANE_EXIT_ROUNDS); /* chains may find a way */
      *pki_out(g->lift) += round > 0 && g->wants_info ? pki_potential(g) : pki_splat(0);
      return;
    }
    *pki_out(g->lift) -= round == 0 && g->wants_info ? pki_potential(g) : pki_splat(0);
    pki_project_once(f, deep, depth);
  }
}

/* How far any point of the first cover of a pair moves against the second one's body in a step, at the twists in the work. */
PKI_INLINE pk_r pki_travel(const pki_group *g, int k)
{
  const pki_group_plan *p = g->plan;
  const int i = p->pairs[k][0], j = p->pairs[k][1];
  const pki_cover *a = &p->covers[i], *b = &p->covers[j];
  const pki_v6 x = pki_v6s(g->work->twist)[a->body], y = pki_v6s(g->work->twist)[b->body];
  const pki_v3 centre = pki_scale(pki_splat(0.5), pki_add(pki_ends_of(g, i)[0], pki_ends_of(g, i)[1]));
  const pki_v3 va = pki_add_cross(x.l, x.a, pki_sub(centre, pki_origins(g->work)[a->body]));
  const pki_v3 vb = pki_add_cross(y.l, y.a, pki_sub(centre, pki_origins(g->work)[b->body]));
  const pki_v3 v = pki_sub(va, vb), w = pki_sub(x.a, y.a);
  return p->dt * (pki_sqrt(pki_dot(v, v)) + a->reach * pki_sqrt(pki_dot(w, w)));
}

/* Lanes in which two shapes may have passed through each other in the step leave: they have moved further against each other than they
 * are apart and thick. Only the motion of this step decides, whatever was looked at before. */
static void pki_check_passing(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  if (p->npair == 0 || !p->hinged || !p->swept) {
    return;
  }
  const pk_i quick = f->going & ~pki_less(pki_largest_swing(g), pki_splat(p->thin));
  if (!pki_any(quick)) {
    return;
  }
  pki_place_covers(g);
  for (int k = 0; k < p->model->nu;
       k++) { /* the mean velocity of the step: q_M = q (+) (dt - reach) u, q_E = q_M (+) reach u_E */
    pki_out(g->move)[k] =
        (1 - p->reach / p->dt) * pki_reals(g->u)[k] + p->reach / p->dt * pki_reals(g->u_end)[k];
  }
  g->dynamics->velocities(g->work, g->move);
  for (int k = 0; k < p->npair; k++) {
    const int i = p->pairs[k][0], j = p->pairs[k][1];
    const double thick = 2 * (p->covers[i].slow + p->covers[j].slow);
    const pk_r moved = pki_travel(g, k);
    const pk_i far = quick & ~pki_less(moved, pki_splat(thick));
    if (pki_any(far)) {
      const pk_r centres = pki_centres_apart(pki_ends_of(g, i), pki_ends_of(g, j));
      const pk_r apart = pki_max(pki_pair_apart(g, i, j, centres), pki_splat(0));
      pki_leave_lanes(f, far & ~pki_less(moved, apart + thick), PK_LANE_EXIT_FAST);
    }
  }
}

/* Numbers that are not finite: lanes leave. */
static void pki_check_end(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_i finite = pki_is_finite(g->q_end, m->nq) & pki_is_finite(g->u_end, m->nu);
  if (f->p->actuation != NULL) {
    finite &= pki_is_finite(g->actuators.state, f->p->actuation->nstate);
  }
  pki_leave_lanes(f, ~finite, PK_LANE_EXIT_NUMBERS);
}

#endif
