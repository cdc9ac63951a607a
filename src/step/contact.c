#include "step/contact.h"

#include <math.h>
#include <string.h>

#include "contact/solver.h"
#include "math/mat3.h"
#include "step/compliant.h"
#include "step/impact.h"
#include "step/joints.h"
#include "step/outside.h"
#include "step/resting.h"
#include "step/swept.h"

enum { ROUNDS = 20 };

/* Command forces as lines a - g u, explicit ones as constants; [joints] each. */
typedef struct lines {
  double *a, *g;
} lines;

static lines command_lines(pk_sim *sim, double reach)
{
  const lines l = {pki_scratch(sim, 0), pki_scratch(sim, 1)};
  const pki_sim_joints *j = &sim->joints;
  const double *q = j->cut ? j->q : sim->q, *u = j->cut ? j->u : sim->u;
  for (int k = 0; k < j->n; k++) {
    if (sim->options.implicit == PK_IMPLICIT_NONE) {
      const int place = j->model->dof_q[k];
      pki_force_line(sim, k, place >= 0 ? q[place] : 0, 0, &l.a[k], &l.g[k]);
      l.a[k] = pki_limited(l.a[k] - l.g[k] * u[k], sim->acting[k].tau_max);
      l.g[k] = 0;
    } else {
      pki_force_line(sim, k, j->x[k], reach, &l.a[k], &l.g[k]);
      if (l.g[k] == 0) {
        l.a[k] = pki_limited(l.a[k], sim->acting[k].tau_max);
      }
    }
    sim->contact.limited[k] &= l.g[k] > 0; /* the gains may have gone since the last step */
  }
  return l;
}

/* What joint k adds to M and to the forces: s on its coordinate, f along it. Commands at their limit leave M~: they are
 * rows. */
static void joint_part(const pk_sim *sim, const lines *l, int k, double rate, double *s, double *f)
{
  const double dt = sim->options.dt, d = sim->joints.model->dof_damping[k];
  const bool limited = sim->contact.limited[k], implicit = sim->options.implicit == PK_IMPLICIT_ALL;
  const double g = limited ? 0 : l->g[k], a = limited ? 0 : l->a[k];
  *s = implicit ? dt * (d + g) : 0;
  *f = dt * (a - (g + d) * rate);
}

/* Cut joints drive the bodies that they hold. Their armature resists the change of the joint's velocity, which began
 * the step as j->u. */
static void drive_cut_joints(pk_sim *sim, const lines *l, double *drive)
{
  pki_sim_joints *j = &sim->joints;
  for (int k = 0; k < j->n; k++) {
    if (j->row[k] >= 0) {
      double s, f;
      const double rate = pki_bilateral_velocity(&j->bilateral, j->row[k], sim->u),
                   armature = j->model->dof_armature[k];
      joint_part(sim, l, k, rate, &s, &f);
      j->weights[j->row[k] - sim->model->nbilateral] = armature + s;
      pki_bilateral_add(&j->bilateral, j->row[k], f + armature * (j->u[k] - rate), drive);
    }
  }
}

/* The factor of M~ with the bilateral rows in it, what drives it (dt times the forces) and the velocity without
 * impulses: J u_free = 0 where constraints are eliminated. */
static void free_velocity(pk_sim *sim, const lines *l, const double *h, double *drive, double *u_free,
                          pk_step_info *info)
{
  const pk_model *m = sim->model;
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = sim->workspace;
  for (int k = 0; k < m->nu; k++) {
    drive[k] = -sim->options.dt * h[k];
    w->work.diag[k] = w->work.params.armature[k];
  }
  for (int k = 0; k < j->n; k++) {
    if (j->at[k] >= 0) {
      double s, f;
      joint_part(sim, l, k, sim->u[j->at[k]], &s, &f);
      w->work.diag[j->at[k]] += s;
      drive[j->at[k]] += f;
    }
  }
  if (j->cut) {
    drive_cut_joints(sim, l, drive);
  }
  memcpy(u_free, drive, (size_t)m->nu * sizeof *u_free);
  w->kernels->crba(&w->work);
  sim->contact.factored = true;
  pki_lap(sim, PK_PART_DYNAMICS, info);
  if (m->nconstraint == 0) {
    w->kernels->ltl_factor(&w->work);
    w->kernels->ltl_solve(&w->work, u_free);
  } else {
    const bool direct = sim->options.bilateral == PK_BILATERAL_DIRECT;
    for (int row = 0; row < m->nbilateral; row++) {
      j->rows[row] = -pki_bilateral_velocity(&j->bilateral, row, sim->u);
    }
    pki_bilateral_factor(&j->bilateral, w, j->weights, direct);
    pki_bilateral_solve(&j->bilateral, w, u_free, direct ? j->rows : NULL);
  }
  for (int k = 0; k < m->nu; k++) {
    u_free[k] += sim->u[k];
  }
  if (sim->options.bilateral == PK_BILATERAL_DIRECT) {
    pki_bilateral_refine(&j->bilateral, w, u_free);
  }
  pki_lap(sim, PK_PART_FACTOR, info);
}

/* Normal velocity of a contact. */
static double approach(const pki_work *w, const pki_contact *f)
{
  double v[3];
  pki_contact_velocity(w, f, v);
  return pki_dot3(f->normal, v);
}

/* How far open the velocities may leave a contact that joins all the same, m. In a world of several bodies every solution closes
 * some contacts that were left open before it, and another round costs more than rows that carry nothing. Bodies that are pushed or
 * released change their velocity by some g dt, hence their way by some reach g dt: with 4 of them the rounds of a step fall from 3.3
 * to 1.2 in scenarios/balls.yaml, from 2.6 to 1.4 in pile.yaml, from 1.1 to 1.0 in a stack of boxes. One robot has no use for it. */
static double joining_gap(const pk_sim *sim, double reach)
{
  static const double part = 4;
  const double *g = sim->model->gravity;
  return sim->contact.assembly.one_tree ? 0 : part * reach * sim->options.dt * sqrt(pki_dot3(g, g));
}

/* Which contacts the velocities u would break: those that take part. Contacts that are open wait in the
 * paper's scheme, and fast ones that will bounce wait in both: they close first. True when there are new
 * ones. Those that it would nearly break come along. */
static bool choose_contacts(pk_sim *sim, double reach, const double *u)
{
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  const double nearly = joining_gap(sim, reach);
  bool more = false, asleep = false;
  if (pki_rests_by_acceleration(sim)) {
    return pki_resting_choose(sim);
  }
  for (int i = 0; i < c->nfound; i++) {
    asleep |= !c->active[i];
  }
  if (!asleep) {
    return false;
  }
  w->kernels->velocities(&w->work, u);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    const bool waits = f->gap > 0 && (paper || pki_contact_bounces(c, i));
    const double left = f->gap <= 0 ? -1 : approach(&w->work, f) + f->gap / reach;
    const bool broken = left < 0;
    more |= broken && !waits && !c->active[i];
    c->active[i] |= (broken || left * reach < nearly) && !waits;
  }
  return more;
}

/* A contact that bounces closes first, by going below ground, and the projection takes it back: to a little above it where
 * the way is curved. So it has closed when its gap is small beside the way to the step's end; if it had to wait for a gap of
 * zero it could wait forever, and projections would push in the place of impulses. With resting contact in accelerations every
 * contact that approaches closes first. */
static void close_bouncing(pk_sim *sim, double reach)
{
  static const double part = 0.5;
  pki_sim_contact *c = &sim->contact;
  const bool all = pki_rests_by_acceleration(sim);
  for (int i = 0; i < c->nfound; i++) {
    pki_contact *f = &c->found[i];
    const bool bounces = all || pki_contact_bounces(c, i);
    f->gap = bounces && f->gap > 0 && f->gap < -part * reach * c->speed[i] ? 0 : f->gap;
  }
}

/* Speeds at the start of the step, for restitution; nobody takes part yet but who did in the last step. */
static void begin_contacts(pk_sim *sim, double reach)
{
  pki_sim_contact *c = &sim->contact;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  for (int i = 0; i < c->nfound; i++) {
    const int last = paper ? -1 : pki_contact_last(c, &c->found[i]);
    c->speed[i] = approach(&sim->workspace->work, &c->found[i]); /* the twists are those of rnea */
    c->active[i] = last >= 0 && c->last_r[3 * last] > 0 && c->found[i].gap < PKI_TOUCHING;
  }
  pki_swept_close(sim, reach);
  if (!paper) {
    close_bouncing(sim, reach);
  }
}

/* Rows of the contacts that take part, their q and their first guess. */
static void add_contacts(pk_sim *sim, double reach, const double *u_free)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (!c->active[i]) {
      continue;
    }
    double eps[3], second[3];
    pki_impact_eps(sim, i, eps);
    const int contact = a->problem.ncontact, row = 3 * contact, last = paper ? -1 : pki_contact_last(c, f);
    const pki_ends ends = pki_contact_ends(f, second);
    pki_assembly_add_contact(a, sim->workspace, &ends, f->normal, f->tangent1, f->tangent2,
                             pki_contact_friction(c, f));
    c->row_found[contact] = i;
    pki_assembly_contact_velocity(a, contact, u_free, a->q + row);
    if (eps[0] > 0 || eps[1] > 0) {
      double before[3];
      pki_assembly_contact_velocity(a, contact, sim->u, before);
      for (int d = 0; d < 3; d++) {
        a->q[row + d] += eps[d] * before[d];
      }
    }
    for (int d = 0; d < 3; d++) {
      a->r[row + d] = last >= 0 ? c->last_r[3 * last + d] : 0;
    }
    a->q[row] += paper ? 0 : fmax(f->gap, 0) / reach;
    if (pki_is_exact(sim)) {
      pki_resting_rows(sim, contact, u_free);
    }
  }
}

/* Bilateral rows that the solver sees, when they are not eliminated. */
static void add_bilateral_rows(pk_sim *sim, const double *u_free)
{
  pki_assembly *a = &sim->contact.assembly;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  for (int k = 0; k < sim->model->nbilateral && sim->options.bilateral == PK_BILATERAL_PROX; k++) {
    const int row = pk_contact_size(&a->problem);
    pki_assembly_add_bilateral(a, &sim->joints.bilateral, k);
    a->q[row] = pki_assembly_velocity(a, row, u_free);
    a->r[row] = paper ? 0 : sim->contact.last_bilateral[k];
  }
}

void pki_assembly_add_joint(pk_sim *sim, int k, double sign, double lower, double upper, double compliance)
{
  const pki_sim_joints *j = &sim->joints;
  pki_assembly *a = &sim->contact.assembly;
  if (j->at[k] >= 0) {
    pki_assembly_add_box(a, j->at[k], sign, lower, upper, compliance);
  } else {
    pki_assembly_add_relative(a, &j->bilateral, j->row[k], sign, lower, upper, compliance);
  }
}

/* One row on a joint coordinate; its impulse is kept for the next step. */
static void add_joint_row(pk_sim *sim, int kind, int k, double sign, double lower, double upper,
                          double compliance, double q)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const int row = pk_contact_size(&a->problem), slot = kind * sim->joints.n + k;
  c->row_slot[a->problem.nbox] = slot;
  pki_assembly_add_joint(sim, k, sign, lower, upper, compliance);
  a->q[row] = q;
  a->r[row] = sim->options.contact == PK_CONTACT_PAPER ? 0 : fmin(fmax(c->last_joint[slot], lower), upper);
}

/* Which joint limits the joint velocities v would break, x moved on by reach v: those that take part. True when there
 * are new ones. */
static bool choose_limits(pk_sim *sim, double reach, const double *v)
{
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  const pki_sim_joints *j = &sim->joints;
  const pk_model *m = j->model;
  bool more = false;
  for (int k = 0; k < j->n && sim->options.joint_limits; k++) {
    for (int side = 0; side < 2 && m->dof_q[k] >= 0; side++) {
      const double gap = side ? m->dof_upper[k] - j->x[k] : j->x[k] - m->dof_lower[k];
      const bool broken = gap <= 0 || (!paper && gap + reach * (side ? -v[k] : v[k]) < 0);
      bool *at = &sim->contact.at_limit[side * j->n + k];
      more |= broken && !*at;
      *at |= broken;
    }
  }
  return more;
}

/* Joint limits that take part, joint friction, commands at their limit; v_free are the joint velocities of u_free. */
static void add_joint_rows(pk_sim *sim, const lines *l, double reach, const double *v_free)
{
  const pki_sim_joints *j = &sim->joints;
  const pk_model *m = j->model;
  const double dt = sim->options.dt;
  for (int k = 0; k < j->n; k++) {
    if (sim->contact.at_limit[k]) {
      const double gap = fmax(j->x[k] - m->dof_lower[k], 0);
      add_joint_row(sim, PKI_ROW_LOWER, k, 1, 0, INFINITY, 0, v_free[k] + gap / reach);
    }
    if (sim->contact.at_limit[j->n + k]) {
      const double gap = fmax(m->dof_upper[k] - j->x[k], 0);
      add_joint_row(sim, PKI_ROW_UPPER, k, -1, 0, INFINITY, 0, -v_free[k] + gap / reach);
    }
    if (m->dof_friction[k] > 0 && sim->options.joint_friction) {
      const double most = dt * m->dof_friction[k];
      add_joint_row(sim, PKI_ROW_FRICTION, k, 1, -most, most, 0, v_free[k]);
    }
    if (sim->contact.limited[k]) {
      const double most = dt * sim->acting[k].tau_max;
      add_joint_row(sim, PKI_ROW_TORQUE, k, 1, -most, most, 1 / (dt * l->g[k]),
                    v_free[k] - l->a[k] / l->g[k]);
    }
  }
}

/* Contacts and impulses for the next step's first guess; which feet stick. */
static void keep_impulses(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  const pki_assembly *a = &c->assembly;
  const int ncontact = a->problem.ncontact;
  c->nlast =
      !pki_laws[sim->options.law].springs ? ncontact : c->nlast; /* those of springs are kept already */
  for (int i = 0; i < ncontact; i++) {
    const double *r = a->r + 3 * i;
    c->last[i] = c->found[c->row_found[i]];
    memcpy(c->last_r + 3 * i, r, 3 * sizeof *r);
    c->last_sticks[i] = r[0] > 0 && hypot(r[1], r[2]) < PKI_STICKING * a->mu[i] * r[0];
  }
  memcpy(c->last_bilateral, a->r + 3 * (size_t)ncontact, (size_t)a->problem.nbilateral * sizeof *a->r);
  memset(c->last_joint, 0, PKI_JOINT_ROWS * (size_t)sim->joints.n * sizeof *c->last_joint);
  for (int b = 0; b < a->problem.nbox; b++) {
    c->last_joint[c->row_slot[b]] = a->r[3 * ncontact + a->problem.nbilateral + b];
  }
}

/* Commands whose force left its limits become rows, for this step and until they come back. */
static bool find_limited(pk_sim *sim, const lines *l, const double *v_end)
{
  bool more = false;
  for (int k = 0; k < sim->joints.n; k++) {
    const bool beyond = fabs(l->a[k] - l->g[k] * v_end[k]) > sim->acting[k].tau_max;
    more |= beyond && !sim->contact.limited[k] && l->g[k] > 0;
    sim->contact.limited[k] |= beyond && l->g[k] > 0;
  }
  return more;
}

/* u_end = u_free + inv(M~) J' r */
static void apply_impulses(pk_sim *sim, const double *u_free, double *u_end)
{
  pk_workspace *w = sim->workspace;
  pki_assembly_response(&sim->contact.assembly, w, sim->contact.assembly.r, u_end);
  for (int k = 0; k < sim->model->nu; k++) {
    u_end[k] += u_free[k];
  }
  if (sim->options.bilateral == PK_BILATERAL_DIRECT) {
    pki_bilateral_refine(&sim->joints.bilateral, w, u_end);
  }
}

static void set_command_forces(pk_sim *sim, const lines *l, const double *v_end, pk_step_info *info)
{
  for (int k = 0; k < sim->joints.n; k++) {
    const double f = l->a[k] - l->g[k] * v_end[k];
    sim->tau_next[k] = pki_limited(f, sim->acting[k].tau_max);
    info->saturated += fabs(f) >= sim->acting[k].tau_max;
    sim->contact.limited[k] &= fabs(f) >= sim->acting[k].tau_max;
  }
}

/* h at (q, u_S) without pushes and compliant contacts, and the contacts there; false when there is no room. */
static bool begin(pk_sim *sim, const double *q, double reach, double *h, pk_step_info *info)
{
  pk_workspace *w = sim->workspace;
  double *pushes = pki_scratch(sim, 4);
  const bool springs = pki_laws[sim->options.law].springs;
  const bool closed_only = springs || sim->options.contact == PK_CONTACT_PAPER;
  memset(pushes, 0, (size_t)sim->model->nu * sizeof *pushes);
  pki_add_pushes(sim, q, pushes);
  w->kernels->rnea(&w->work, q, sim->u, NULL, h);
  for (int k = 0; k < sim->model->nu; k++) {
    h[k] -= pushes[k];
  }
  pki_update_origins(&w->work);
  pki_joints_update(sim, q);
  pki_lap(sim, PK_PART_DYNAMICS, info);
  if (!pki_swept_find(sim, q, info) || !pki_contact_find(sim, closed_only ? 0 : sim->options.margin, info)) {
    return false;
  }
  if (springs) {
    pki_compliant_forces(sim, h);
    sim->contact.nfound = 0; /* nothing is left for the contact problem */
  }
  if (pki_is_exact(sim)) {
    pki_exact_align(sim);
  }
  begin_contacts(sim, reach);
  pki_impact_begin(sim);
  pki_lap(sim, PK_PART_COLLISION, info);
  return true;
}

bool pki_contact_between_bodies(pk_sim *sim, const double *q, bool *near, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  const bool closed_only = pki_laws[sim->options.law].springs || sim->options.contact == PK_CONTACT_PAPER;
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, sim->u);
  pki_update_origins(&w->work);
  const bool room =
      pki_swept_find(sim, q, info) && pki_contact_find(sim, closed_only ? 0 : sim->options.margin, info);
  pki_lap(sim, PK_PART_COLLISION, info);
  *near = c->nfound > 0;
  if (!*near) {
    c->nlast = c->nspring_next = 0;
  }
  return room;
}

/* The assembled problem, to who asked for it. */
static void show_problem(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  pk_contact_problem p = c->assembly.problem;
  if (c->tap.see != NULL) {
    p.W = pki_assembly_dense(&c->assembly, sim->workspace);
    const pk_contact_factor factor = pki_assembly_factor(&c->assembly, sim->workspace);
    p.factor = &factor;
    c->tap.see(c->tap.user, &p, c->assembly.r);
  }
}

/* One problem: assemble, solve, and the velocity at the end. False where resting contact in accelerations has no
 * solution. */
static bool solve_round(pk_sim *sim, const lines *l, double reach, const double *u_free, const double *v_free,
                        double *u_end, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  pki_assembly_clear(a);
  pki_impact_choose(sim);
  add_contacts(sim, reach, u_free);
  add_bilateral_rows(sim, u_free);
  add_joint_rows(sim, l, reach, v_free);
  a->form = pki_contact_form(sim, false);
  pki_assembly_finish(a, sim->workspace);
  show_problem(sim);
  pki_lap(sim, PK_PART_ASSEMBLY, info);
  const bool exact = pki_is_exact(sim), solved = exact && pki_exact_solve(sim, info);
  if (exact) {
    pki_contact_report_still_rows(sim, true, info);
  } else {
    pki_contact_solve_step(sim, true, info);
  }
  keep_impulses(sim);
  apply_impulses(sim, u_free, u_end);
  pki_lap(sim, PK_PART_SOLVE, info);
  return solved || !pki_rests_by_acceleration(sim);
}

/* What the constraints that were eliminated leave is part of the certificate. */
static void certify_bilateral(const pk_sim *sim, const double *u_end, pk_step_info *info)
{
  if (sim->model->nbilateral == 0 || sim->options.bilateral == PK_BILATERAL_PROX) {
    return;
  }
  pk_certificate *c = &info->certificate;
  const double rate = pki_bilateral_rate(sim, u_end), scale = fmax(pki_bilateral_rate(sim, sim->u), 1e-3);
  c->bilateral = rate;
  c->residual = fmax(c->residual, rate);
  c->relative = fmax(c->relative, rate / scale);
  info->certified &= rate / scale <= sim->options.tolerance;
}

static pk_status end_velocity(pk_sim *sim, const double *q, double reach, double *u_end, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  double *h = pki_scratch(sim, 2), *u_free = pki_scratch(sim, 3), *drive = pki_scratch(sim, 5);
  if (!begin(sim, q, reach, h, info)) {
    return PK_ERROR_LIMIT;
  }
  lines l = command_lines(sim, reach);
  free_velocity(sim, &l, h, drive, u_free, info);
  bool collided = false;
  if (pki_rests_by_acceleration(sim) && !pki_resting_collide(sim, info, &collided)) {
    info->term = "collision";
    return PK_ERROR_CONVERGENCE;
  }
  if (collided) { /* anew with the velocities after it */
    begin(sim, q, reach, h, info);
    l = command_lines(sim, reach);
    free_velocity(sim, &l, h, drive, u_free, info);
  }
  const double *v_free = pki_joint_rates(sim, u_free, pki_scratch(sim, 7)), *v_end = v_free;
  choose_contacts(sim, reach, u_free);
  memset(c->at_limit, 0, 2 * (size_t)sim->joints.n * sizeof *c->at_limit);
  choose_limits(sim, reach, v_free);
  bool settled = false;
  for (int round = 0; round < ROUNDS && !settled; round++) {
    if (!solve_round(sim, &l, reach, u_free, v_free, u_end, info)) {
      info->term = "resting contact";
      return PK_ERROR_CONVERGENCE;
    }
    v_end = pki_joint_rates(sim, u_end, pki_scratch(sim, 8));
    const bool limited = find_limited(sim, &l, v_end), contacts = choose_contacts(sim, reach, u_end);
    const bool limits = choose_limits(sim, reach, v_end);
    settled = !limited && !contacts && !limits &&
              (pki_rests_by_acceleration(sim) || !pki_impact_gains(sim, drive, u_end, info));
    if (limited) {
      free_velocity(sim, &l, h, drive, u_free, info);
      v_free = pki_joint_rates(sim, u_free, pki_scratch(sim, 7));
    }
    info->iterations += !settled;
  }
  info->certified &= settled;
  info->contacts = c->nlast;
  certify_bilateral(sim, u_end, info);
  set_command_forces(sim, &l, v_end, info);
  return PK_OK;
}

pk_status pki_contact_end_velocity(pk_sim *sim, const double *q, double reach, double *u_end,
                                   pk_step_info *info)
{
  if (!pki_rests_by_acceleration(sim)) {
    return end_velocity(sim, q, reach, u_end, info);
  }
  double *before = sim->contact.exact.u; /* collisions change the velocities within the step */
  memcpy(before, sim->u, (size_t)sim->model->nu * sizeof *before);
  const pk_status status = end_velocity(sim, q, reach, u_end, info);
  memcpy(sim->u, before, (size_t)sim->model->nu * sizeof *before);
  if (status == PK_OK) {
    pki_resting_add_hits(sim);
  }
  return status;
}
