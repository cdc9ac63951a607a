/* Command forces, joint friction, pushes, and the velocity without impulses. */
#ifndef PKI_STEP_COMMAND_H
#define PKI_STEP_COMMAND_H

#include "step/kernels/row_store.h"

/* Joint coordinates at the configuration q into g->joint.x; the work is there already, or not. */
static void pki_place_joints(const pki_lanes *f, const double *q, bool placed)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->joints;
  if (pki_is_constrained(f)) {
    pki_chain_place_joints(g->world, q, placed, g->joint.x);
    return;
  }
  for (int k = 0; k < m->nu; k++) {
    pki_out(g->joint.x)[k] = m->dof_q[k] >= 0 ? pki_reals(q)[m->dof_q[k]] : pki_splat(0);
  }
}

/* The rates of all joint coordinates when the velocities are x. */
PKI_INLINE const double *pki_rates_of(const pki_lanes *f, const double *x)
{
  return pki_is_cut(f) ? pki_joint_rates(f->g->world, x, f->g->joint.rates) : x;
}

/* Command k as the line a - g u: its coordinate is at x, and moves on by reach u. */
PKI_INLINE void pki_command_line(const pki_group *g, int k, pk_r x, double reach, pk_r *a, pk_r *slope)
{
  const pk_r *const c = pki_reals(g->joint.command) + 6 * k;
  const pk_r kp = g->plan->joints->dof_q[k] >= 0 ? c[3] : pki_splat(0);
  *a = c[0] + kp * (c[1] - x) + c[4] * c[2];
  *slope = kp * reach + c[4];
}

/* The force of command k at the joint rates v, before its limits. */
PKI_INLINE pk_r pki_command_force(const pki_group *g, const double *v, int k)
{
  return pki_reals(g->joint.a)[k] - pki_reals(g->joint.g)[k] * pki_reals(v)[k];
}

/* The forces of commands at the start of the step, as constants. */
static void pki_actuate_explicitly(pki_lanes *f)
{
  pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pki_sim_joints *cut = pki_is_cut(f) ? &g->world->joints : NULL;
  const double *q = cut != NULL ? cut->q : g->q, *u = cut != NULL ? cut->u : g->u;
  for (int k = 0; k < p->joints->nu; k++) {
    const int at = p->joints->dof_q[k];
    const pk_r most = pki_reals(g->joint.command)[6 * k + 5];
    pk_r a, slope;
    pki_command_line(g, k, at >= 0 ? pki_reals(q)[at] : pki_splat(0), 0, &a, &slope);
    pki_out(g->joint.a)[k] = pki_clamp(a - slope * pki_reals(u)[k], -most, most);
    pki_out(g->joint.g)[k] = pki_splat(0);
    pki_masks(g->joint.limited)[k] = pki_masks(g->joint.pinned)[k] = pki_mask_none();
  }
}

/* How command k begins: the velocity of the start tells whether its force will be beyond its limit. One that was there in the last
 * step is pinned where it was. One that was not becomes a row, which may end at the limit or within: either is likely. */
PKI_INLINE void pki_begin_command(const pki_group *g, int k, const double *rates, pk_i has_limit)
{
  const pk_r most = pki_reals(g->joint.command)[6 * k + 5], last = pki_reals(g->joint.pin)[k];
  const pk_r force = pki_command_force(g, rates, k);
  const pk_i beyond = has_limit & pki_at_most(most, pki_abs(force));
  pki_masks(g->joint.pinned)[k] =
      pki_masks(g->joint.limited)[k] & beyond & pki_less(pki_splat(0), last * force);
  pki_masks(g->joint.limited)[k] = beyond;
  pki_out(g->joint.pin)[k] = pki_select(pki_less(force, pki_splat(0)), -most, most);
}

/* Command forces as lines a - g u_E; lanes with commands that are not valid leave. */
static void pki_actuate(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pk_r zero = pki_splat(0);
  const double *const rates = pki_is_cut(f) ? g->world->joints.u : g->u;
  pk_i good = pki_mask_all(), pins = pki_mask_none();
  pki_place_joints(f, q, false);
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_r *const c = pki_reals(g->joint.command) + 6 * k;
    pk_r line, slope;
    pki_command_line(g, k, pki_reals(g->joint.x)[k], f->p->reach, &line, &slope);
    const pk_r free = pki_max(pki_min(line, c[5]), -c[5]);
    const pk_i has_gain = pki_less(zero, slope);
    good &= pki_at_most(zero, c[3]) & pki_at_most(zero, c[4]) & pki_at_most(zero, c[5]);
    good &= pki_less(pki_abs(c[0]) + pki_abs(c[1]) + pki_abs(c[2]), pki_splat(1e300));
    pki_out(g->joint.a)[k] = pki_select(has_gain, line, free);
    pki_out(g->joint.g)[k] = slope;
    pki_begin_command(g, k, rates, has_gain & pki_less(c[5], pki_splat(1e300)));
    pins |= pki_masks(g->joint.pinned)[k];
  }
  f->pins = f->p->rubs || pki_any(pins);
  if (!f->p->implicit) {
    pki_actuate_explicitly(f);
  }
  pki_leave_lanes(f, ~good, PK_LANE_EXIT_COMMAND);
}

/* Generalised forces of pushes at the configuration q: J' f, summed from the leaves to the root. */
static void pki_add_push_forces(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  bool any = false;
  for (int l = 0; l < f->count; l++) {
    any |= f->lane_worlds[l].pushes != NULL;
  }
  for (int k = 0; k < m->nu; k++) {
    pki_out(g->push)[k] = pki_splat(0);
  }
  if (!any) {
    return;
  }
  g->dynamics->kinematics(g->work, q);
  pki_v6 *const force = pki_v6s(g->work->force); /* scratch until the inertial pass */
  for (int i = 0; i < m->nbody; i++) {
    pk_r wrench[6];
    for (int e = 0; e < 6; e++) {
      wrench[e] = pki_splat(0);
      for (int l = 0; l < f->count; l++) {
        if (f->lane_worlds[l].pushes != NULL) {
          pki_set_lane(&wrench[e], l, f->lane_worlds[l].pushes[6 * i + e]);
        }
      }
    }
    force[i] = (pki_v6){pki_v3_load(wrench), pki_v3_load(wrench + 3)};
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    const int p = m->body_parent[i];
    pk_r value[6];
    pki_motion_products(g->work, i, force[i], value);
    for (int c = 0; c < pki_motion_nu(m->body_motion[i]); c++) {
      pki_out(g->push)[m->body_u[i] + c] += value[c]; /* followers share a velocity */
    }
    if (p >= 0) {
      force[p].l = pki_add(force[p].l, force[i].l);
      force[p].a = pki_add_cross(pki_add(force[p].a, force[i].a), pki_poses(g->work)[i].r, force[i].l);
    }
  }
}

/* What acts from outside at the start of the step: pushes, and contact by a law of forces. */
static void pki_add_external_forces(pki_lanes *f, const double *q)
{
  pki_add_push_forces(f, q);
  if (f->p->law->force != NULL) {
    pki_fail_step(f, pki_chain_add_forces(f->g->world, q, f->g->push, f->g->info));
  }
}

/* The spring of joint k joins the line of its command, which no limit holds: k (ref - x), and k reach u of it at the end. Where
 * forces are those of the start of the step it is a constant. */
static void pki_add_spring(const pki_lanes *f, int k)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->joints;
  const double stiffness = m->dof_stiffness[k];
  if (!(stiffness > 0)) {
    return;
  }
  pk_r x = pki_reals(g->joint.x)[k];
  if (f->p->implicit) {
    pki_out(g->joint.gain)[k] += pki_splat(stiffness * f->p->reach);
  } else {
    x = pki_reals(pki_is_cut(f) ? g->world->joints.q : g->q)[m->dof_q[k]];
  }
  pki_out(g->joint.force)[k] += stiffness * (m->dof_spring_ref[k] - x);
}

/* The lines of commands within their limits, with friction of joints that slide and pushes; and what they add to M. */
static void pki_drive(pki_lanes *f)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->joints;
  const double dt = f->p->dt;
  const bool cut = pki_is_cut(f), implicit = f->p->implicit, rubs = f->p->rubs;
  for (int k = 0; k < m->nu; k++) {
    const pk_i limited = pki_masks(g->joint.limited)[k];
    const pk_r gain = pki_select(limited, pki_splat(0), pki_reals(g->joint.g)[k]);
    pki_out(g->joint.gain)[k] = gain;
    const pk_r at_limit = pki_where_set(pki_masks(g->joint.pinned)[k], pki_reals(g->joint.pin)[k]);
    pk_r force = pki_select(limited, at_limit, pki_reals(g->joint.a)[k]);
    if (rubs) {
      force += pki_where_set(pki_masks(g->joint.sliding)[k], pki_reals(g->joint.drag)[k]);
    }
    pki_out(g->joint.force)[k] = force;
    if (f->p->springs) {
      pki_add_spring(f, k);
    }
    if (!cut) { /* a coordinate is a velocity */
      const pk_r slope = pki_reals(g->joint.gain)[k];
      const pk_r added = implicit ? dt * (m->dof_damping[k] + slope) : pki_splat(0);
      pki_out(g->joint.force)[k] += pki_reals(g->push)[k];
      pki_out(g->work->diag)[k] = pki_reals(g->work->params.armature)[k] + added;
    }
  }
  if (cut) {
    pki_chain_weigh_joints(g->world, g);
  }
}

static void pki_lap_lanes(const pki_group *g, pk_step_part part)
{
  if (g->lap != NULL) {
    g->lap(g->user, part);
  }
}

/* dt (force - (gain + d) u - h) into u_free. */
static void pki_sum_forces(pki_lanes *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const pk_r *const u = pki_reals(g->u), *const h = pki_reals(g->h);
  for (int k = 0; k < m->nu; k++) {
    const pk_r slope = pki_reals(g->joint.gain)[k] + m->dof_damping[k];
    pki_out(g->u_free)[k] = f->p->dt * (pki_reals(g->joint.force)[k] - slope * u[k] - h[k]);
  }
}

/* u_f = u + inv(M~) dt (force - (gain + d) u - h), and the factor of M~ */
static void pki_free_velocity(pki_lanes *f, const double *q)
{
  pki_drive(f);
  pki_store(f)->free_velocity(f, q);
}

/* u_E = u_f, where no impulses act. A zero is added nevertheless: -0 then gives the same bits whatever the other lanes hold. */
static void pki_end_at_free_velocity(pki_lanes *f)
{
  const pki_group *g = f->g;
  for (int k = 0; k < f->p->model->nu; k++) {
    pki_out(g->u_end)[k] = pki_splat(0) + pki_reals(g->u_free)[k];
  }
}

/* Command forces at the end. */
static void pki_set_forces(pki_lanes *f)
{
  pki_group *g = f->g;
  const double *rates = pki_rates_of(f, g->u_end);
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_r most = pki_reals(g->joint.command)[6 * k + 5], force = pki_command_force(g, rates, k);
    pki_out(g->joint.tau)[k] = pki_max(pki_min(force, most), -most);
    pki_masks(g->joint.limited)[k] &= pki_at_most(most, pki_abs(force));
  }
}

/* Impulses of commands at their limits and of friction, where they are no rows. */
static void pki_keep_pins(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  const int n = f->p->joints->nu;
  for (int k = 0; k < n; k++) {
    const int at = k * PKI_LANES + lane;
    lane_world->limited[k] = g->joint.limited[at] != 0;
    if (g->joint.pinned[at] != 0) {
      lane_world->last_joint[PKI_ROW_TORQUE * n + k] = f->p->dt * g->joint.pin[at];
    }
    if (g->joint.sliding[at] != 0) {
      lane_world->last_joint[PKI_ROW_FRICTION * n + k] = f->p->dt * g->joint.drag[at];
    }
  }
}

#endif
