/* Forces of commands and actuators, joint friction, pushes, and the velocity without impulses. */
#ifndef PKI_STEP_COMMAND_H
#define PKI_STEP_COMMAND_H

#include "step/kernels/actuate.h"

/* Commands that were at their limit in the last step, and joints whose friction was, and on which side. The friction of a joint that
 * hardly moves is better begun as a row: its sign is not known. */
static void pki_recall_limits(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  const int n = p->joints->nu;
  const double *const rate = pki_is_cut(f) ? g->world->joints.u : lane_world->u;
  for (int k = 0; k < n; k++) {
    pki_set_mask(&pki_masks(g->joint.limited)[k], lane, false);
    pki_set_mask(&pki_masks(g->joint.sliding)[k], lane, false);
    g->joint.pin[k * PKI_LANES + lane] = g->joint.drag[k * PKI_LANES + lane] = 0;
  }
  for (int k = 0; k < n && !*lane_world->plain; k++) {
    pki_set_mask(&pki_masks(g->joint.limited)[k], lane, lane_world->limited[k]);
    g->joint.pin[k * PKI_LANES + lane] = lane_world->last_joint[PKI_ROW_TORQUE * n + k];
    if (p->rubs) { /* the bound of an actuator's friction changes: whether it slid is told by its velocity */
      const double last = lane_world->last_joint[PKI_ROW_FRICTION * n + k], most = p->joints->dof_friction[k];
      const bool whole = p->actuation != NULL || fabs(last) >= PKI_STICKING * p->dt * most;
      const bool slides = whole && last * rate[k] < 0 && fabs(rate[k]) > PKI_SPEED_FLOOR;
      pki_set_mask(&pki_masks(g->joint.sliding)[k], lane, slides);
      g->joint.drag[k * PKI_LANES + lane] = last < 0 ? -1 : 1;
    }
  }
}

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

/* Velocities of joint coordinates at the start. */
PKI_INLINE const double *pki_start_rates(const pki_lanes *f)
{
  return pki_is_cut(f) ? f->g->world->joints.u : f->g->u;
}

/* The law of a command without an actuator: the line of its gains, within its limit. The coordinate is at x, and moves on by
 * reach u. */
PKI_INLINE void pki_command_law(const pki_group *g, int k, pk_r x, double reach)
{
  const pk_r *const c = pki_reals(g->joint.command) + PKI_COMMAND_NUMBERS * k;
  const pk_r kp = g->plan->joints->dof_q[k] >= 0 ? c[3] : pki_splat(0);
  pk_r *const law = pki_law_of_joint(g, k);
  law[PKI_LAW_A] = c[0] + kp * (c[1] - x) + c[4] * c[2];
  law[PKI_LAW_G] = kp * reach + c[4];
  law[PKI_LAW_LOW] = -c[5], law[PKI_LAW_HIGH] = c[5];
}

/* The rest of such a law in a world with actuators. */
PKI_INLINE void pki_complete_law(const pki_group *g, int k)
{
  pk_r *const law = pki_law_of_joint(g, k);
  const pk_r zero = pki_splat(0), infinite = pki_splat(INFINITY);
  for (int e = PKI_LAW_SLOPE; e < PKI_LAW_NUMBERS; e++) {
    law[e] = zero;
  }
  law[PKI_LAW_LOW + 1] = -infinite, law[PKI_LAW_HIGH + 1] = infinite;
  pki_out(g->joint.added)[2 * k] = pki_out(g->joint.added)[2 * k + 1] = zero;
}

/* A force that does not fall is within its limits from the start. */
PKI_INLINE void pki_limit_level_law(const pki_lanes *f, int k)
{
  pk_r *const law = pki_law_of_joint(f->g, k);
  const pk_r zero = pki_splat(0),
             within = pki_max(pki_min(law[PKI_LAW_A], law[PKI_LAW_HIGH]), law[PKI_LAW_LOW]);
  pk_i level = pki_at_most(law[PKI_LAW_G], zero);
  if (f->p->actuation != NULL) {
    level &= pki_at_most(law[PKI_LAW_SLOPE], zero) & pki_at_most(law[PKI_LAW_RUB], zero);
  }
  law[PKI_LAW_A] = pki_select(level, within, law[PKI_LAW_A]);
}

/* Bounds of dry friction, of joints and of actuators. */
static void pki_fill_dry(const pki_lanes *f)
{
  for (int k = 0; k < f->p->joints->nu && f->p->rubs; k++) {
    const pk_r own = pki_splat(f->p->joints->dof_friction[k]);
    pki_out(f->g->joint.dry)[k] =
        f->p->actuation != NULL ? own + pki_law_of_joint(f->g, k)[PKI_LAW_FRICTION] : own;
  }
}

/* Laws of all joints, coordinates being where g->joint.x says. */
static void pki_fill_laws(const pki_lanes *f, double reach)
{
  const pki_group *g = f->g;
  const int nu = f->p->joints->nu;
  for (int k = 0; k < nu; k++) {
    pki_command_law(g, k, pki_reals(g->joint.x)[k], reach);
    if (f->p->actuation != NULL) {
      pki_complete_law(g, k);
    }
  }
  if (f->p->actuation != NULL) {
    pki_condense_actuators(f, pki_start_rates(f));
  }
  for (int k = 0; k < nu; k++) {
    pki_limit_level_law(f, k);
  }
  pki_fill_dry(f);
}

/* Joint coordinates at the start of the step into g->joint.x. */
static void pki_place_joints_at_start(const pki_lanes *f)
{
  const double *q = pki_is_cut(f) ? f->g->world->joints.q : f->g->q;
  for (int k = 0; k < f->p->joints->nu; k++) {
    const int at = f->p->joints->dof_q[k];
    pki_out(f->g->joint.x)[k] = at >= 0 ? pki_reals(q)[at] : pki_splat(0);
  }
}

/* Forces at the start of the step, as constants. What is inside of actuators (circuits, rotors, springs) is taken at the end all the
 * same, with the joint's velocity of the start. */
static void pki_actuate_explicitly(pki_lanes *f)
{
  pki_group *g = f->g;
  pki_place_joints_at_start(f);
  pki_fill_laws(f, 0);
  for (int k = 0; k < f->p->joints->nu; k++) {
    pki_piece p = pki_piece_at(f, k, pki_reals(pki_start_rates(f))[k]);
    p.a = p.f, p.g = pki_splat(0);
    pki_use_piece(g, k, pki_mask_all(), p);
    pki_masks(g->joint.limited)[k] = pki_masks(g->joint.pinned)[k] = pki_mask_none();
  }
}

/* rad/s or m/s: a step hardly changes a joint's velocity by more. */
static const double PKI_NEAR_VELOCITY = 100;

/* How the force law of joint k begins: the velocity of the start tells which of its pieces will hold. At a limit, one that was there
 * in the last step keeps its line. One that was not becomes a row, which may end at the limit or within: either is likely. Where the
 * limit ends at a velocity that is far away it keeps its line, too: a row would bring that velocity into the problem, by whose size
 * the certificate measures residuals. */
PKI_INLINE void pki_begin_law(const pki_lanes *f, int k, const double *rates)
{
  const pki_group *g = f->g;
  const pk_r zero = pki_splat(0), last = pki_reals(g->joint.pin)[k], *const law = pki_law_of_joint(g, k);
  const pk_r u = pki_reals(rates)[k];
  if (pki_is_free(f, k, u, pki_law_value(f, k, u))) { /* mostly no limit is near */
    pki_out(g->joint.line_a)[k] = law[PKI_LAW_A], pki_out(g->joint.line_g)[k] = law[PKI_LAW_G];
    pki_out(g->joint.piece)[k] = zero;
    pki_masks(g->joint.limited)[k] = pki_masks(g->joint.pinned)[k] = pki_mask_none();
    return;
  }
  /* damping that is more than the joint's inertia in a step decides its velocity, and that of the start says nothing: such a line begins free, unless
   * it was not in the last step */
  const pk_r *const c = pki_reals(g->joint.command) + PKI_COMMAND_NUMBERS * k;
  const pk_i steep = pki_at_most(c[PKI_COMMAND_KP], zero) &
                     pki_less(pki_splat(f->p->inertia[k]), f->p->dt * c[PKI_COMMAND_KD]) &
                     ~pki_masks(g->joint.limited)[k];
  const pki_piece line = {law[PKI_LAW_A], law[PKI_LAW_G], pki_line_value(law[PKI_LAW_A], law[PKI_LAW_G], u),
                          zero};
  const pki_piece p = pki_piece_select(steep, line, pki_piece_at(f, k, u));
  const pk_i beyond = pki_less(zero, p.id);
  const pk_i was_there = pki_masks(g->joint.limited)[k] & pki_less(zero, last * p.f);
  const pk_r free = line.f;
  const pk_i near = pki_at_most(pki_abs(free - p.f), PKI_NEAR_VELOCITY * pki_abs(law[PKI_LAW_G] - p.g));
  pk_i rows = beyond & ~was_there & near;
  pki_masks(g->joint.limited)[k] = beyond;
  pki_use_piece(g, k, pki_mask_all(), p);
  if (pki_any(rows)) {
    const bool inner = f->p->actuation != NULL && f->p->actuation->rubs;
    for (int l = 0; l < PKI_LANES; l++) {
      const int id = (int)pki_lane(p.id, l);
      if (pki_is_set(rows, l) && (inner || !pki_form_torque_row(f, k, l, PKI_PIECE_FREE, id,
                                                                pki_lane(p.f, l) < pki_lane(free, l)))) {
        pki_set_mask(&rows, l, false);
      }
    }
  }
  pki_masks(g->joint.pinned)[k] = beyond & ~rows;
}

/* Forces as lines a - g u_E; lanes with commands that are not valid leave. */
static void pki_actuate(pki_lanes *f, const double *q)
{
  pki_group *g = f->g;
  const pk_r zero = pki_splat(0);
  pk_i good = pki_mask_all(), pins = pki_mask_none();
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_r *const c = pki_reals(g->joint.command) + PKI_COMMAND_NUMBERS * k;
    good &= pki_at_most(zero, c[3]) & pki_at_most(zero, c[4]) & pki_at_most(zero, c[5]);
    good &= pki_at_most(zero, c[PKI_COMMAND_CORRECTION]);
    good &= pki_less(pki_abs(c[0]) + pki_abs(c[1]) + pki_abs(c[2]), pki_splat(1e300));
  }
  if (f->p->implicit) {
    pki_place_joints(f, q, false);
    pki_fill_laws(f, f->p->reach);
    for (int k = 0; k < f->p->joints->nu; k++) {
      pki_begin_law(f, k, pki_start_rates(f));
      pins |= pki_masks(g->joint.pinned)[k];
    }
  } else {
    pki_actuate_explicitly(f);
    pki_place_joints(f, q, false);
  }
  f->pins = f->p->rubs || pki_any(pins);
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

/* What acts from outside at the start of the step: pushes, contact by a law of forces, compliant pairs of explicit steps. */
static void pki_add_external_forces(pki_lanes *f, const double *q)
{
  pki_add_push_forces(f, q);
  if (f->p->law->force != NULL) {
    pki_fail_step(f, pki_chain_add_forces(f->g->world, q, f->g->push, f->g->info));
  }
  if (pki_on_chains(f) && !f->p->implicit) {
    pki_fail_step(f, pki_chain_add_patches(f->g->world, q, f->g->push, f->g->info));
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

/* The lines of commands and actuators, with friction of joints that slide and pushes; and what they add to M. */
static void pki_drive(pki_lanes *f)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->joints;
  const double dt = f->p->dt;
  const bool cut = pki_is_cut(f), implicit = f->p->implicit, rubs = f->p->rubs;
  for (int k = 0; k < m->nu; k++) {
    pk_r force = pki_reals(g->joint.line_a)[k], gain = pki_reals(g->joint.line_g)[k];
    if (f->p->actuation != NULL) {
      force += pki_reals(g->joint.added)[2 * k], gain += pki_reals(g->joint.added)[2 * k + 1];
    }
    pki_out(g->joint.gain)[k] = gain;
    if (rubs) {
      force += pki_where_set(pki_masks(g->joint.sliding)[k],
                             pki_reals(g->joint.drag)[k] * pki_reals(g->joint.dry)[k]);
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

/* Forces of commands and actuators at the end, and what actuators then remember. */
static void pki_set_forces(pki_lanes *f)
{
  pki_group *g = f->g;
  const double *rates = f->p->implicit ? pki_rates_of(f, g->u_end) : pki_start_rates(f);
  for (int k = 0; k < f->p->joints->nu; k++) {
    const pk_r u = pki_reals(rates)[k], value = pki_law_value(f, k, u);
    const bool free = pki_is_free(f, k, u, value);
    pki_out(g->joint.tau)[k] = f->p->implicit ? value : pki_reals(g->joint.line_a)[k];
    pki_out(g->joint.piece)[k] = free ? pki_splat(0) : pki_piece_at(f, k, u).id;
    pki_masks(g->joint.limited)[k] &= pki_less(pki_splat(0), pki_reals(g->joint.piece)[k]);
  }
  if (f->p->actuation != NULL) {
    if (!f->p->implicit) { /* where they were condensed */
      pki_place_joints_at_start(f);
    }
    pki_finish_actuators(f, pki_start_rates(f), rates);
  }
}

/* Impulses of forces at their limits and of friction, where they are no rows. */
static void pki_keep_pins(const pki_lanes *f, int lane)
{
  const pki_group *g = f->g;
  const pki_lane_world *lane_world = &f->lane_worlds[lane];
  const int n = f->p->joints->nu;
  for (int k = 0; k < n; k++) {
    const int at = k * PKI_LANES + lane;
    lane_world->limited[k] = g->joint.limited[at] != 0;
    if (g->joint.pinned[at] != 0) {
      lane_world->last_joint[PKI_ROW_TORQUE * n + k] = f->p->dt * g->joint.tau[at];
    }
    if (g->joint.sliding[at] != 0) {
      lane_world->last_joint[PKI_ROW_FRICTION * n + k] = f->p->dt * (g->joint.drag[at] * g->joint.dry[at]);
    }
  }
}

#endif
