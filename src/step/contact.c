#include "step/contact.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/outside.h"

static const double PENETRATION_TOLERANCE = 1e-9; /* m or rad: less is left alone */
enum { PROJECTIONS = 3, ROUNDS = 20 };

/* A problem of the largest shape, for sizes: every command may reach its limit, and every joint limit and joint
 * friction that the model has may act. */
static pk_contact_problem largest_problem(const pk_model *model, const pk_sim_options *o)
{
  int joint_rows = model->nu;
  for (int k = 0; k < model->nu; k++) {
    joint_rows +=
        o->joint_limits ? (isfinite(model->dof_lower[k]) != 0) + (isfinite(model->dof_upper[k]) != 0) : 0;
    joint_rows += o->joint_friction && model->dof_friction[k] > 0;
  }
  return (pk_contact_problem){.ncontact = o->max_contacts, .nbox = joint_rows};
}

static pk_solver_options solver_options(const pk_sim_options *o)
{
  return (pk_solver_options){
      .solver = o->solver, .tolerance = o->tolerance, .max_iterations = o->max_iterations, .alpha = o->alpha};
}

void pki_sim_contact_carve(pki_sim_contact *c, const pk_model *model, const pk_sim_options *options,
                           pki_arena *arena)
{
  const size_t nu = (size_t)model->nu, contacts = (size_t)options->max_contacts;
  const int nfeature = pki_features_count(model);
  const pk_contact_problem shape = largest_problem(model, options);
  const int rows = pk_contact_size(&shape);
  const pk_solver_options o = solver_options(options);
  *c = (pki_sim_contact){.nfeature = nfeature};
  c->materials = pki_arena_take(arena, PKI_MATERIAL_MAX, sizeof *c->materials);
  c->features = pki_arena_take(arena, (size_t)nfeature, sizeof *c->features);
  c->groups = pki_arena_take(arena, (size_t)nfeature, sizeof *c->groups);
  c->found = pki_arena_take(arena, contacts, sizeof *c->found);
  c->last = pki_arena_take(arena, contacts, sizeof *c->last);
  c->speed = pki_arena_take(arena, contacts, sizeof *c->speed);
  c->active = pki_arena_take(arena, contacts, sizeof *c->active);
  c->row_found = pki_arena_take(arena, contacts, sizeof *c->row_found);
  c->last_r = pki_arena_take(arena, 3 * contacts, sizeof *c->last_r);
  c->last_sticks = pki_arena_take(arena, contacts, sizeof *c->last_sticks);
  c->last_joint = pki_arena_take(arena, PKI_JOINT_ROWS * nu, sizeof *c->last_joint);
  c->row_slot = pki_arena_take(arena, (size_t)rows, sizeof *c->row_slot);
  c->limited = pki_arena_take(arena, nu, sizeof *c->limited);
  c->at_limit = pki_arena_take(arena, 2 * nu, sizeof *c->at_limit);
  pki_assembly_carve(&c->assembly, model, options->max_contacts, rows, arena);
  c->solver_memory = pki_arena_take(arena, pk_contact_solve_memsize(&shape, &o), 1);
  c->has_joint_rows = shape.nbox > model->nu; /* more than commands */
  if (arena->base != NULL && !arena->overflow) {
    pki_features_fill(model, c->features);
    c->ngroup = pki_features_group(c->features, nfeature, c->groups);
    pki_sim_contact_reset(c, model);
  }
}

void pki_sim_contact_reset(pki_sim_contact *c, const pk_model *model)
{
  const size_t nu = (size_t)model->nu;
  c->nlast = 0;
  memset(c->last_joint, 0, PKI_JOINT_ROWS * nu * sizeof *c->last_joint);
  memset(c->limited, 0, nu * sizeof *c->limited);
}

/* The contact of the last step between the same two partners; -1: none. */
static int find_last(const pki_sim_contact *c, const pki_contact *f)
{
  for (int i = 0; i < c->nlast; i++) {
    if (c->last[i].feature == f->feature && c->last[i].solid == f->solid) {
      return i;
    }
  }
  return -1;
}

/* Contacts at the workspace's configuration; false when there is no room for all. */
static bool find_contacts(pk_sim *sim, double margin, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  bool overflow = false;
  c->nfound = c->terrain
                  ? pki_contacts_find(&sim->workspace->work, 0, c->features, c->groups, c->ngroup, c->terrain,
                                      margin, c->found, sim->options.max_contacts, &overflow)
                  : 0;
  if (overflow) {
    info->term = "max_contacts";
    info->contacts = c->nfound;
  }
  return !overflow;
}

/* Command forces as lines a - g u, explicit ones as constants; [nu] each. */
typedef struct lines {
  double *a, *g;
} lines;

static lines command_lines(pk_sim *sim, const double *q, double reach)
{
  const lines l = {pki_scratch(sim, 0), pki_scratch(sim, 1)};
  const pk_model *m = sim->model;
  for (int k = 0; k < m->nu; k++) {
    if (sim->options.implicit == PK_IMPLICIT_NONE) {
      pki_force_line(sim, k, sim->q, 0, &l.a[k], &l.g[k]);
      l.a[k] = pki_clamp(l.a[k] - l.g[k] * sim->u[k], sim->commands[k].tau_max);
      l.g[k] = 0;
    } else {
      pki_force_line(sim, k, q, reach, &l.a[k], &l.g[k]);
      if (l.g[k] == 0) {
        l.a[k] = pki_clamp(l.a[k], sim->commands[k].tau_max);
      }
    }
    sim->contact.limited[k] &= l.g[k] > 0; /* the gains may have gone since the last step */
  }
  return l;
}

/* The factor of M~ and the velocity without impulses. Commands at their limit leave M~: they are rows. */
static void free_velocity(pk_sim *sim, const lines *l, const double *h, double *u_free)
{
  const pk_model *m = sim->model;
  const double dt = sim->options.dt;
  const bool implicit = sim->options.implicit == PK_IMPLICIT_ALL;
  pk_workspace *w = sim->workspace;
  for (int k = 0; k < m->nu; k++) {
    const bool limited = sim->contact.limited[k];
    const double g = limited ? 0 : l->g[k], a = limited ? 0 : l->a[k], d = m->dof_damping[k];
    w->work.diag[k] = w->work.params.armature[k] + (implicit ? dt * (d + g) : 0);
    u_free[k] = dt * (a - (g + d) * sim->u[k] - h[k]);
  }
  w->kernels->crba(&w->work);
  w->kernels->ltl_factor(&w->work);
  w->kernels->ltl_solve(&w->work, u_free);
  for (int k = 0; k < m->nu; k++) {
    u_free[k] += sim->u[k];
  }
}

static const pk_material *material_of(const pki_sim_contact *c, int index)
{
  return &c->materials[index < c->nmaterial ? index : c->nmaterial - 1];
}

/* Normal velocity of a contact under the twists in the workspace. */
static double approach(const pki_work *w, const pki_contact *f)
{
  const double *twist = w->twist + 6 * ((size_t)f->body + 1), *o = w->origin + 3 * ((size_t)f->body + 1);
  const double arm[3] = {f->point[0] - o[0], f->point[1] - o[1], f->point[2] - o[2]};
  double v[3];
  pki_cross3(twist, arm, v);
  for (int i = 0; i < 3; i++) {
    v[i] += twist[3 + i];
  }
  return pki_dot3(f->normal, v);
}

/* Which contacts the velocities u would break: those that take part. Contacts that are open wait in the
 * paper's scheme, and fast ones that will bounce wait in both: they close first. True when there are new
 * ones. */
static bool choose_contacts(pk_sim *sim, double reach, const double *u)
{
  static const double bounce = 0.1; /* m/s; slower ones come to rest */
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  bool more = false;
  if (c->nfound == 0) {
    return false;
  }
  w->kernels->velocities(&w->work, u);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    const bool waits =
        f->gap > 0 && (paper || (material_of(c, f->material)->restitution_n > 0 && c->speed[i] < -bounce));
    const bool broken = f->gap <= 0 || approach(&w->work, f) + f->gap / reach < 0;
    more |= broken && !waits && !c->active[i];
    c->active[i] |= broken && !waits;
  }
  return more;
}

/* Speeds at the start of the step, for restitution; nobody takes part yet but who did in the last step. */
static void begin_contacts(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  const bool paper = sim->options.contact == PK_CONTACT_PAPER;
  for (int i = 0; i < c->nfound; i++) {
    const int last = paper ? -1 : find_last(c, &c->found[i]);
    c->speed[i] = approach(&sim->workspace->work, &c->found[i]); /* the twists are those of rnea */
    c->active[i] = last >= 0 && c->last_r[3 * last] > 0 && c->found[i].gap < 1e-6;
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
    const pk_material *mat = material_of(c, f->material);
    const int contact = a->problem.ncontact, row = 3 * contact, last = paper ? -1 : find_last(c, f);
    const double eps[3] = {f->gap > 0 ? 0 : mat->restitution_n, mat->restitution_t, mat->restitution_t};
    pki_assembly_add_contact(a, &sim->workspace->work, f->body, f->point, f->normal, f->tangent1, f->tangent2,
                             mat->friction);
    c->row_found[contact] = i;
    for (int d = 0; d < 3; d++) {
      a->q[row + d] = pki_assembly_velocity(a, row + d, u_free);
      a->q[row + d] += eps[d] > 0 ? eps[d] * pki_assembly_velocity(a, row + d, sim->u) : 0;
      a->r[row + d] = last >= 0 ? c->last_r[3 * last + d] : 0;
    }
    a->q[row] += paper ? 0 : fmax(f->gap, 0) / reach;
  }
}

/* One row on a coordinate; its impulse is kept for the next step. */
static void add_joint_row(pk_sim *sim, int kind, int dof, double sign, double lower, double upper,
                          double compliance, double q)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const int row = pk_contact_size(&a->problem), slot = kind * sim->model->nu + dof;
  c->row_slot[a->problem.nbox] = slot;
  pki_assembly_add_box(a, dof, sign, lower, upper, compliance);
  a->q[row] = q;
  a->r[row] = sim->options.contact == PK_CONTACT_PAPER ? 0 : fmin(fmax(c->last_joint[slot], lower), upper);
}

/* Which joint limits the velocities u would break, q moved on by reach u: those that take part. True when there
 * are new ones. */
static bool choose_limits(pk_sim *sim, const double *q, double reach, const double *u)
{
  const pk_model *m = sim->model;
  bool more = false;
  for (int k = 0; k < m->nu && sim->options.joint_limits; k++) {
    for (int side = 0; side < 2 && m->dof_q[k] >= 0; side++) {
      const double x = q[m->dof_q[k]], gap = side ? m->dof_upper[k] - x : x - m->dof_lower[k];
      const bool broken = gap <= 0 || gap + reach * (side ? -u[k] : u[k]) < 0;
      bool *at = &sim->contact.at_limit[side * m->nu + k];
      more |= broken && !*at;
      *at |= broken;
    }
  }
  return more;
}

/* Joint limits that take part, joint friction, commands at their limit. */
static void add_joint_rows(pk_sim *sim, const lines *l, const double *q, double reach, const double *u_free)
{
  const pk_model *m = sim->model;
  const double dt = sim->options.dt;
  for (int k = 0; k < m->nu; k++) {
    if (sim->contact.at_limit[k]) {
      const double gap = fmax(q[m->dof_q[k]] - m->dof_lower[k], 0);
      add_joint_row(sim, PKI_ROW_LOWER, k, 1, 0, INFINITY, 0, u_free[k] + gap / reach);
    }
    if (sim->contact.at_limit[m->nu + k]) {
      const double gap = fmax(m->dof_upper[k] - q[m->dof_q[k]], 0);
      add_joint_row(sim, PKI_ROW_UPPER, k, -1, 0, INFINITY, 0, -u_free[k] + gap / reach);
    }
    if (m->dof_friction[k] > 0 && sim->options.joint_friction) {
      const double most = dt * m->dof_friction[k];
      add_joint_row(sim, PKI_ROW_FRICTION, k, 1, -most, most, 0, u_free[k]);
    }
    if (sim->contact.limited[k]) {
      const double most = dt * sim->commands[k].tau_max;
      add_joint_row(sim, PKI_ROW_TORQUE, k, 1, -most, most, 1 / (dt * l->g[k]),
                    u_free[k] - l->a[k] / l->g[k]);
    }
  }
}

/* Solve the assembled problem; the worst certificate of the step is kept. */
static void solve(pk_sim *sim, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  const pk_solver_options o = solver_options(&sim->options);
  pk_solver_result result;
  (void)pk_contact_solve(&a->problem, &o, a->r, sim->contact.solver_memory, &result);
  info->solver_iterations += result.iterations;
  info->solver = result.used;
  info->certified &= result.certificate.relative <= o.tolerance;
  if (result.certificate.relative >= info->certificate.relative) {
    info->certificate = result.certificate;
  }
}

/* Contacts and impulses for the next step's first guess; which feet stick. */
static void keep_impulses(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  const pki_assembly *a = &c->assembly;
  c->nlast = a->problem.ncontact;
  for (int i = 0; i < c->nlast; i++) {
    const double *r = a->r + 3 * i;
    c->last[i] = c->found[c->row_found[i]];
    memcpy(c->last_r + 3 * i, r, 3 * sizeof *r);
    c->last_sticks[i] = r[0] > 0 && hypot(r[1], r[2]) < (1 - 1e-6) * a->mu[i] * r[0];
  }
  memset(c->last_joint, 0, PKI_JOINT_ROWS * (size_t)sim->model->nu * sizeof *c->last_joint);
  for (int b = 0; b < a->problem.nbox; b++) {
    c->last_joint[c->row_slot[b]] = a->r[3 * c->nlast + b];
  }
}

/* Commands whose force left its limits become rows, for this step and until they come back. */
static bool find_limited(pk_sim *sim, const lines *l, const double *u_end)
{
  bool more = false;
  for (int k = 0; k < sim->model->nu; k++) {
    const bool beyond = fabs(l->a[k] - l->g[k] * u_end[k]) > sim->commands[k].tau_max;
    more |= beyond && !sim->contact.limited[k] && l->g[k] > 0;
    sim->contact.limited[k] |= beyond && l->g[k] > 0;
  }
  return more;
}

/* u_end = u_free + inv(M~) J' r */
static void apply_impulses(pk_sim *sim, const double *u_free, double *u_end)
{
  pk_workspace *w = sim->workspace;
  pki_assembly_forces(&sim->contact.assembly, sim->contact.assembly.r, u_end);
  w->kernels->ltl_solve(&w->work, u_end);
  for (int k = 0; k < sim->model->nu; k++) {
    u_end[k] += u_free[k];
  }
}

static void set_command_forces(pk_sim *sim, const lines *l, const double *u_end, pk_step_info *info)
{
  for (int k = 0; k < sim->model->nu; k++) {
    const double f = l->a[k] - l->g[k] * u_end[k];
    sim->tau_next[k] = pki_clamp(f, sim->commands[k].tau_max);
    info->saturated += fabs(f) >= sim->commands[k].tau_max;
    sim->contact.limited[k] &= fabs(f) >= sim->commands[k].tau_max;
  }
}

pk_status pki_contact_end_velocity(pk_sim *sim, const double *q, double reach, double *u_end,
                                   pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  double *h = pki_scratch(sim, 2), *u_free = pki_scratch(sim, 3);
  double *pushes = pki_scratch(sim, 4);
  const double margin = sim->options.contact == PK_CONTACT_PAPER ? 0 : sim->options.margin;
  memset(pushes, 0, (size_t)sim->model->nu * sizeof *pushes);
  pki_add_pushes(sim, q, pushes);
  w->kernels->rnea(&w->work, q, sim->u, NULL, h);
  for (int k = 0; k < sim->model->nu; k++) {
    h[k] -= pushes[k];
  }
  pki_update_origins(&w->work);
  if (!find_contacts(sim, margin, info)) {
    return PK_ERROR_LIMIT;
  }
  begin_contacts(sim);
  const lines l = command_lines(sim, q, reach);
  free_velocity(sim, &l, h, u_free);
  choose_contacts(sim, reach, u_free);
  memset(c->at_limit, 0, 2 * (size_t)sim->model->nu * sizeof *c->at_limit);
  choose_limits(sim, q, reach, u_free);
  for (int round = 0; round < ROUNDS; round++) {
    pki_assembly_clear(&c->assembly);
    add_contacts(sim, reach, u_free);
    add_joint_rows(sim, &l, q, reach, u_free);
    pki_assembly_finish(&c->assembly, &w->work);
    solve(sim, info);
    keep_impulses(sim);
    apply_impulses(sim, u_free, u_end);
    const bool limited = find_limited(sim, &l, u_end), contacts = choose_contacts(sim, reach, u_end);
    const bool limits = choose_limits(sim, q, reach, u_end);
    if (!limited && !contacts && !limits) {
      break;
    }
    if (limited) {
      free_velocity(sim, &l, h, u_free);
    }
    info->iterations++;
  }
  info->contacts = c->assembly.problem.ncontact;
  set_command_forces(sim, &l, u_end, info);
  return PK_OK;
}

/* ---- positions ---- */

/* Rows of the projection: contacts below or near zero, sticking feet along the ground, joint limits. The
 * deepest violation comes back. */
static double add_position_rows(pk_sim *sim, const double *q)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pki_work *work = &sim->workspace->work;
  const pk_model *m = sim->model;
  double deepest = 0;
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    const int row = pk_contact_size(&a->problem);
    deepest = fmax(deepest, -f->gap);
    pki_assembly_add_point(a, work, f->body, f->point, f->normal, 0, INFINITY);
    a->q[row] = f->gap, a->r[row] = 0;
    const int last = find_last(c, f);
    for (int t = 0; t < 2 && last >= 0 && c->last_sticks[last]; t++) {
      pki_assembly_add_point(a, work, f->body, f->point, t ? f->tangent2 : f->tangent1, -INFINITY, INFINITY);
      a->q[row + 1 + t] = 0, a->r[row + 1 + t] = 0;
    }
  }
  for (int k = 0; k < m->nu; k++) {
    for (int side = 0; side < 2 && m->dof_q[k] >= 0 && sim->options.joint_limits; side++) {
      const double x = q[m->dof_q[k]], gap = side ? m->dof_upper[k] - x : x - m->dof_lower[k];
      if (gap < 1e-6) {
        const int row = pk_contact_size(&a->problem);
        deepest = fmax(deepest, -gap);
        pki_assembly_add_box(a, k, side ? -1 : 1, 0, INFINITY, 0);
        a->q[row] = gap, a->r[row] = 0;
      }
    }
  }
  return deepest;
}

/* Feet that stick may yield a little along the ground: with every foot stuck and joints at their limits
 * nothing else could give way. */
static void soften_tangents(pki_assembly *a)
{
  static const double softness = 0.01; /* of the row's own W */
  const int rows = pk_contact_size(&a->problem);
  for (int i = 0; i < rows; i++) {
    if (isinf(a->lower[i])) {
      a->W[i * rows + i] *= 1 + softness;
    }
  }
}

pk_status pki_contact_project(pk_sim *sim, double *q, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pk_workspace *w = sim->workspace;
  double *move = pki_scratch(sim, 4);
  if (c->terrain == NULL && !c->has_joint_rows) {
    return PK_OK;
  }
  for (int round = 0;; round++) {
    w->kernels->kinematics(&w->work, q);
    if (!find_contacts(sim, 1e-6, info)) {
      return PK_ERROR_LIMIT;
    }
    pki_assembly_clear(&c->assembly);
    info->penetration = add_position_rows(sim, q);
    if (info->penetration <= PENETRATION_TOLERANCE || round == PROJECTIONS ||
        sim->options.contact == PK_CONTACT_PAPER) {
      return PK_OK;
    }
    pki_reset_diagonal(&w->work);
    w->kernels->crba(&w->work);
    w->kernels->ltl_factor(&w->work);
    pki_assembly_finish(&c->assembly, &w->work);
    soften_tangents(&c->assembly);
    solve(sim, info);
    pki_assembly_forces(&c->assembly, c->assembly.r, move);
    w->kernels->ltl_solve(&w->work, move);
    w->kernels->config_add(sim->model, q, 1, move, q);
  }
}
