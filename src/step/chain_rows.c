#include "step/chain_rows.h"

#include <math.h>
#include <string.h>

#include "contact/problem/problem.h"
#include "contact/solvers/solver.h"
#include "step/contact.h"
#include "step/impact.h"
#include "step/joints.h"
#include "step/soft.h"
#include "step/swept.h"

/* The workspace at q, with the twists of the velocities u. */
static void kinematics_at(pk_sim *sim, const double *q, const double *u)
{
  pk_workspace *w = sim->workspace;
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, u);
}

/* ---- contacts ---- */

/* A contact that bounces closes first, by going below ground, and the projection takes it back: to a little above it where
 * the way is curved. So it has closed when its gap is small beside the way to the step's end; if it had to wait for a gap of
 * zero it could wait forever, and projections would push in the place of impulses. Where collisions come before all else every
 * contact that approaches closes first. */
static void close_bouncing_contacts(pk_sim *sim, double reach, bool all)
{
  static const double part = 0.5;
  pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->nfound; i++) {
    pki_contact *f = &c->found[i];
    const bool bounces = all || pki_contact_bounces(sim, i);
    f->gap = bounces && f->gap > 0 && f->gap < -part * reach * c->speed[i] ? 0 : f->gap;
  }
}

/* Contacts open by more than this are not looked at. */
static double margin_of(const pk_sim *sim)
{
  return sim->options.contact == PK_CONTACT_GEHRING_2014 ? 0 : sim->options.margin;
}

/* Contacts at the workspace's configuration; compliant pairs as patches, which then join M~ and u_free. */
static bool find_with_patches(pk_sim *sim, pki_group *g, pk_step_info *info)
{
  const bool implicit = sim->scene.soft != NULL && g->plan->implicit, awaits = pki_soft_awaits(sim, implicit);
  if (implicit) {
    pki_soft_begin_search(sim, g->plan->dt, g->plan->dt - g->plan->reach, margin_of(sim));
  }
  bool room = pki_contact_find(sim, margin_of(sim), info);
  if (implicit) {
    room = pki_soft_end_search(sim, info) && room;
    pki_soft_press(sim, g->u);
    if (room && (awaits || pki_soft_acts(sim))) {
      pki_chain_stiffen(sim, g);
    }
  }
  return room;
}

pk_status pki_chain_find(pk_sim *sim, pki_group *g, const double *q, pk_step_info *info)
{
  const pki_law *law = pki_law_of(&sim->options);
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  c->nfound = c->nswept = 0;
  pki_impact_begin(sim);
  if ((law->force != NULL && sim->scene.soft == NULL) ||
      (sim->scene.terrain == NULL && !sim->scene.bodies_touch)) {
    return PK_OK;
  }
  if (law->collide != NULL) { /* what is shifted needs the accelerations, too */
    w->kernels->rnea(&w->work, q, g->u, NULL, g->h);
    pki_update_origins(&w->work);
  } else if (!c->factored) {
    kinematics_at(sim, q, g->u);
  }
  if (!pki_swept_find(sim, q, g->u, info) || !find_with_patches(sim, g, info)) {
    return PK_ERROR_LIMIT;
  }
  if (law->force != NULL) { /* other contacts are forces already */
    c->nfound = 0;
    return PK_OK;
  }
  if (law->prepare != NULL) {
    law->prepare(sim);
  }
  for (int i = 0; i < c->nfound; i++) {
    c->speed[i] = pki_contact_opening(&w->work, 0, &c->found[i]);
  }
  pki_swept_close(sim, g->plan->reach);
  if (!g->plan->published) {
    pki_flatten_patches(c->found, c->nfound, g->plan->touching);
    close_bouncing_contacts(sim, g->plan->reach, law->collide != NULL);
  }
  return PK_OK;
}

bool pki_chain_waits(const pk_sim *sim, int contact)
{
  const bool published = sim->options.contact == PK_CONTACT_GEHRING_2014;
  return sim->contact.found[contact].gap > 0 && (published || pki_contact_bounces(sim, contact));
}

/* ---- rows ---- */

/* Rows of the active contacts, their q and their warm start. */
static void add_contacts(pk_sim *sim, const pki_group *g)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pki_law *law = pki_law_of(&sim->options);
  const bool published = g->plan->published;
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    if (c->slot_of[i] < 0) {
      continue;
    }
    double eps[3], second[3];
    pki_impact_eps(sim, i, eps);
    const int contact = a->problem.ncontact, row = 3 * contact,
              last = published ? -1 : pki_contact_last(&sim->state, f);
    const pki_ends ends = pki_contact_ends(f, second);
    pki_assembly_add_contact(a, sim->workspace, &ends, f->normal, f->tangent1, f->tangent2,
                             f->gap > g->plan->landing ? 0 : pki_contact_friction(sim, f));
    c->row_found[contact] = i;
    pki_assembly_contact_velocity(a, contact, g->u_free, a->q + row);
    if (eps[0] > 0 || eps[1] > 0) {
      double before[3];
      pki_assembly_contact_velocity(a, contact, g->u, before);
      for (int d = 0; d < 3; d++) {
        a->q[row + d] += eps[d] * before[d];
      }
    }
    for (int d = 0; d < 3; d++) {
      a->r[row + d] = last >= 0 ? sim->state.last_r[3 * last + d] : 0;
    }
    if (g->relinearised) {
      for (int d = 0; d < 3; d++) {
        a->q[row + d] += g->followed[0][PKI_BALLS + i].offset[d];
      }
    } else {
      a->q[row] += published ? 0 : fmax(f->gap, 0) / g->plan->reach;
    }
    if (law->shift != NULL) {
      law->shift(sim, contact, g->u, g->u_free);
    }
  }
}

/* Bilateral rows that the solver sees, when they are not eliminated. */
static void add_bilateral_rows(pk_sim *sim, const pki_group *g)
{
  pki_assembly *a = &sim->contact.assembly;
  for (int k = 0; k < sim->model->nbilateral && sim->options.bilateral != PK_BILATERAL_METHOD_DIRECT; k++) {
    const int row = pk_contact_size(&a->problem);
    pki_assembly_add_bilateral(a, &sim->joints.bilateral, k);
    a->q[row] = pki_assembly_velocity(a, row, g->u_free);
    a->r[row] = g->plan->published ? 0 : sim->state.last_bilateral[k];
  }
}

/* Slopes of compliant pairs of moving bodies. */
static void add_patch_rows(pk_sim *sim, const pki_group *g)
{
  if (pki_soft_acts(sim)) {
    pki_soft_add_rows(sim, g->u_free);
  }
}

void pki_chain_add_joint(pk_sim *sim, int k, double sign, double lower, double upper, double compliance)
{
  const pki_sim_joints *j = &sim->joints;
  pki_assembly *a = &sim->contact.assembly;
  if (j->at[k] >= 0) {
    pki_assembly_add_box(a, j->at[k], sign, lower, upper, compliance);
  } else {
    pki_assembly_add_relative(a, &j->bilateral, j->row[k], sign, lower, upper, compliance);
  }
}

/* Such a row of a kind, its impulse kept for the next step; `gap` of a limit. */
static void add_joint_row(pk_sim *sim, const pki_group *g, int kind, int k, double v, double gap)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const int at = pk_contact_size(&a->problem), slot = kind * sim->joints.n + k;
  const double *force = g->joint.row + (size_t)PKI_FORCE_NUMBERS * (size_t)k;
  const pki_joint_row row = pki_joint_row_of(kind, g->plan->dt, force, g->joint.dry[k]);
  c->row_slot[a->problem.nbox] = slot;
  pki_chain_add_joint(sim, k, row.sign, row.lower, row.upper, row.softness);
  a->q[at] = pki_joint_row_q(kind, v, gap, g->plan->reach, force);
  a->r[at] = g->plan->published ? 0 : pki_joint_row_guess(&row, sim->state.last_joint[slot]);
}

/* Friction of a joint that does not slide, and a command that may come back from its limit, are rows. */
static bool has_friction_row(const pki_group *g, int k)
{
  return g->plan->rubs && g->joint.dry[k] > 0 && !g->joint.sliding[k];
}

static bool has_torque_row(const pki_group *g, int k)
{
  return g->joint.limited[k] && !g->joint.pinned[k];
}

/* Active joint limits, joint friction, commands that may come back from their limit. */
static void add_joint_rows(pk_sim *sim, const pki_group *g)
{
  const pki_sim_joints *j = &sim->joints;
  const pk_model *m = j->model;
  const double *v = pki_joint_rates(sim, g->u_free, g->joint.rates);
  for (int k = 0; k < j->n; k++) {
    if (g->joint.at_limit[k]) {
      add_joint_row(sim, g, PKI_ROW_LOWER, k, v[k], g->joint.x[k] - m->dof_lower[k]);
    }
    if (g->joint.at_limit[j->n + k]) {
      add_joint_row(sim, g, PKI_ROW_UPPER, k, v[k], m->dof_upper[k] - g->joint.x[k]);
    }
    if (has_friction_row(g, k)) {
      add_joint_row(sim, g, PKI_ROW_FRICTION, k, v[k], 0);
    }
    if (has_torque_row(g, k)) {
      add_joint_row(sim, g, PKI_ROW_TORQUE, k, v[k], 0);
    }
  }
}

bool pki_chain_has_rows(const pk_sim *sim, const pki_group *g)
{
  const pki_sim_contact *c = &sim->contact;
  bool any = sim->model->nbilateral > 0 && sim->options.bilateral != PK_BILATERAL_METHOD_DIRECT;
  any |= pki_soft_acts(sim) && pki_soft_needs_rows(sim);
  for (int i = 0; i < c->nfound && !any; i++) {
    any = c->slot_of[i] >= 0;
  }
  for (int k = 0; k < sim->joints.n && !any; k++) {
    any = g->joint.at_limit[k] || g->joint.at_limit[sim->joints.n + k] || has_torque_row(g, k) ||
          has_friction_row(g, k);
  }
  return any;
}

pki_form pki_chain_form(const pk_sim *sim, bool positions)
{
  const pk_solver solver = sim->options.solver;
  const bool factor = !pki_solvers[solver]->reads_W;
  if (pki_law_of(&sim->options)->solve != NULL && !positions) {
    return PKI_FORM_DENSE;
  }
  return solver == PK_SOLVER_AUTO || (factor && positions) ? PKI_FORM_ISLANDS
         : factor                                          ? PKI_FORM_FACTOR
                                                           : PKI_FORM_DENSE;
}

/* The assembled problem, to who asked for it. */
static void show_problem(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  pk_contact_problem p = c->assembly.problem;
  if (c->observer.observe != NULL) {
    p.W = pki_assembly_dense(&c->assembly, sim->workspace);
    const pk_contact_factor factor = pki_assembly_factor(&c->assembly, sim->workspace);
    p.factor = &factor;
    c->observer.observe(c->observer.user, &p, c->assembly.r);
  }
}

void pki_chain_assemble(pk_sim *sim, const pki_group *g)
{
  pki_assembly *a = &sim->contact.assembly;
  pki_assembly_clear(a);
  pki_impact_choose(sim);
  add_contacts(sim, g);
  add_bilateral_rows(sim, g);
  add_patch_rows(sim, g);
  add_joint_rows(sim, g);
  a->form = pki_chain_form(sim, false);
  pki_assembly_finish(a, sim->workspace);
  show_problem(sim);
}

/* ---- impulses ---- */

/* The body that a row of the assembled problem moves; -1: none. */
static int body_of_row(const pk_sim *sim, int row, bool velocities)
{
  const pki_sim_contact *c = &sim->contact;
  const pk_contact_problem *p = &c->assembly.problem;
  const int box = row - 3 * p->ncontact - p->nbilateral;
  if (row < 3 * p->ncontact) {
    return c->found[c->row_found[row / 3]].body;
  }
  return velocities && box >= 0 ? pki_body_of_velocity(sim->joints.model, c->row_slot[box] % sim->joints.n)
                                : -1;
}

/* Rows that nothing can move were solved with a response that the world does not have. Where that response stands for a velocity
 * that the certificate would see, the impulses do not solve the step's own problem: the step is not certified, and says which row
 * it was. A tangent that a planar mechanism cannot move needs none. */
static void report_still_rows(const pk_sim *sim, bool velocities, pk_step_info *info)
{
  const pki_assembly *a = &sim->contact.assembly;
  const double scale = pki_contact_scale(&a->problem), seen = sim->options.tolerance * scale;
  for (int row = 0; row < pk_contact_size(&a->problem); row++) {
    const double unit = velocities ? 1 : sim->scene.length; /* positions are solved in parts of it */
    const double shift = a->still[row] ? fabs(a->extra[row] * a->r[row]) * unit : 0;
    if (!(shift > seen * unit)) {
      continue;
    }
    info->shifted++;
    info->certified = false;
    info->term = "a row that nothing can move";
    info->body = shift >= info->shift ? body_of_row(sim, row, velocities) : info->body;
    info->shift = fmax(info->shift, shift);
    /* the residual of the unaltered problem */
    info->certificate.residual = fmax(info->certificate.residual, shift);
    info->certificate.relative = fmax(info->certificate.relative, shift / (scale * unit));
  }
}

void pki_chain_solve_assembled(pk_sim *sim, bool velocities, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  pk_solver_options o = pki_step_solver(&sim->options);
  pk_solver_result result;
  o.solver = a->form == PKI_FORM_ISLANDS ? PK_SOLVER_AUTO : pki_solver_for(o.solver, &a->problem);
  pk_contact_solve(&a->problem, &o, a->r, c->solver_memory, &result);
  info->solver_iterations += result.iterations;
  info->solver = result.used;
  info->certified &= result.certificate.relative <= o.tolerance;
  if (result.certificate.relative >= info->certificate.relative) {
    info->certificate = result.certificate;
    info->certificate.residual *= velocities ? 1 : sim->scene.length;
  }
  report_still_rows(sim, velocities, info);
}

/* Contacts and impulses for the next step's first guess; which feet stick. */
static void keep_impulses(pk_sim *sim)
{
  const pki_sim_contact *c = &sim->contact;
  const pki_assembly *a = &c->assembly;
  pki_sim_state *to = &sim->state;
  const int ncontact = a->problem.ncontact;
  if (pki_law_of(&sim->options)->force == NULL) { /* contacts by forces are kept already */
    to->n.nlast = ncontact;
  }
  for (int i = 0; i < ncontact; i++) {
    const double *r = a->r + 3 * i;
    to->last[i] = c->found[c->row_found[i]];
    if (sim->options.relinearise > 0) {
      pki_follow_back(&c->followed[PKI_BALLS + c->row_found[i]], &to->last[i]);
    }
    memcpy(to->last_r + 3 * i, r, 3 * sizeof *r);
    to->last_sticks[i] = pki_contact_sticks(a->mu[i], r);
  }
  const int patches = a->problem.nbilateral > 0 && pki_soft_acts(sim) ? pki_soft_row_count(sim) : 0;
  memcpy(to->last_bilateral, a->r + 3 * (size_t)ncontact,
         (size_t)(a->problem.nbilateral - patches) * sizeof *a->r);
  memset(to->last_joint, 0, PKI_JOINT_ROWS * (size_t)sim->joints.n * sizeof *to->last_joint);
  for (int b = 0; b < a->problem.nbox; b++) {
    to->last_joint[c->row_slot[b]] = a->r[3 * ncontact + a->problem.nbilateral + b];
  }
}

void pki_chain_keep_nothing(pk_sim *sim)
{
  pki_assembly_clear(&sim->contact.assembly);
  keep_impulses(sim);
  if (!pki_soft_acts(sim)) { /* otherwise pki_chain_correct has found them */
    pki_held_end_free(sim);
  }
}

void pki_chain_solve(pk_sim *sim, pk_step_info *info)
{
  const pki_law *law = pki_law_of(&sim->options);
  if (law->solve != NULL) {
    law->solve(sim, info);
    report_still_rows(sim, true, info);
  } else {
    pki_chain_solve_assembled(sim, true, info);
  }
  keep_impulses(sim);
}

void pki_chain_load(const pk_sim *sim, int contact, double *gap, double *mu, double r[3])
{
  const pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->assembly.problem.ncontact; i++) {
    if (c->row_found[i] == contact) {
      *gap = c->found[contact].gap, *mu = c->assembly.mu[i];
      memcpy(r, c->assembly.r + 3 * i, 3 * sizeof *r);
    }
  }
}

void pki_chain_forget_certificate(pk_step_info *info)
{
  info->certified = true;
  info->certificate = (pk_contact_certificate){.worst = -1};
  info->coulomb = info->coulomb_relative = 0;
  info->shifted = 0, info->shift = 0;
}

void pki_chain_respond(pk_sim *sim, const pki_group *g)
{
  pk_workspace *w = sim->workspace;
  pki_assembly_response(&sim->contact.assembly, w, sim->contact.assembly.r, g->u_end);
  pki_held_respond(sim);
  for (int k = 0; k < sim->model->nu; k++) {
    g->u_end[k] += g->u_free[k];
  }
  if (sim->options.bilateral == PK_BILATERAL_METHOD_DIRECT) {
    pki_held_refine(sim, g->u_end, sim->joints.held);
  }
}

void pki_chain_finish(pk_sim *sim, const pki_group *g, pk_step_info *info)
{
  const pki_law *law = pki_law_of(&sim->options);
  pki_held_finish(sim, g->u_end, info);
  if (sim->scene.soft != NULL) {
    pki_soft_finish(sim, g->u_end, info);
  }
  if (law->finish != NULL) {
    law->finish(sim);
  }
}
