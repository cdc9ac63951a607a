#include "step/contact.h"

#include <math.h>
#include <string.h>

#include "collision/terrain.h"
#include "contact/solver.h"
#include "model/motion.h"
#include "step/outside.h"

const pki_stepper pki_steppers[PK_STEPPER_COUNT] = {
    [PK_STEPPER_EULER] = {"euler", "semi-implicit Euler: velocity first, then position with it; order 1",
                          pki_step_euler, false, true},
    [PK_STEPPER_MOREAU] =
        {"moreau", "Moreau's midpoint scheme: M and h half a step on; order 1 (2 for constant M and h(q))",
         pki_step_moreau, false, true},
    [PK_STEPPER_RK4] = {"rk4", "Runge-Kutta on the group (Munthe-Kaas); order 4", pki_step_rk4, false, false},
    [PK_STEPPER_ARK_EXPLICIT] = {"ark-explicit", "adaptive explicit Runge-Kutta of order 5 (SUNDIALS ARKODE)",
                                 pki_step_ark, true, false},
    [PK_STEPPER_ARK_IMPLICIT] =
        {"ark-implicit", "adaptive diagonally implicit Runge-Kutta for stiff models (SUNDIALS ARKODE)",
         pki_step_ark, true, false},
};

static const char *const stepper_words[] = {"euler", "moreau", "rk4", "ark-explicit", "ark-implicit"};
static const char *const scheme_words[] = {"stabilised", "paper"};
static const char *const implicit_words[] = {"all", "none"};

const pk_field pki_sim_fields[] = {
    {"dt", offsetof(pk_sim_options, dt), PK_FIELD_REAL, "s", 1e-3, 1e-9, 10, NULL, "time step"},
    {"stepper", offsetof(pk_sim_options, stepper), PK_FIELD_ENUM, "", PK_STEPPER_MOREAU, 0,
     PK_STEPPER_COUNT - 1, stepper_words, "integration scheme"},
    {"implicit", offsetof(pk_sim_options, implicit), PK_FIELD_ENUM, "", PK_IMPLICIT_ALL, 0,
     PK_IMPLICIT_COUNT - 1, implicit_words, "forces taken at the end of the step"},
    {"rtol", offsetof(pk_sim_options, rtol), PK_FIELD_REAL, "", 1e-8, 1e-14, 0.1, NULL,
     "relative tolerance of adaptive steppers"},
    {"atol", offsetof(pk_sim_options, atol), PK_FIELD_REAL, "", 1e-10, 1e-16, 0.1, NULL,
     "absolute tolerance of adaptive steppers"},
    {"max_internal", offsetof(pk_sim_options, max_internal), PK_FIELD_INT, "", 100000, 1, 1e9, NULL,
     "internal steps of adaptive steppers in one step"},
    {"joint_limits", offsetof(pk_sim_options, joint_limits), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "joint limits act"},
    {"joint_friction", offsetof(pk_sim_options, joint_friction), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "joint friction acts"},
    {"contact", offsetof(pk_sim_options, contact), PK_FIELD_ENUM, "", PK_CONTACT_STABILISED, 0,
     PK_CONTACT_SCHEME_COUNT - 1, scheme_words, "how contact is stepped"},
    {"max_contacts", offsetof(pk_sim_options, max_contacts), PK_FIELD_INT, "", 128, 1, 10000, NULL,
     "room for contacts"},
    {"margin", offsetof(pk_sim_options, margin), PK_FIELD_REAL, "m", 0.02, 0, 10, NULL,
     "contacts nearer than this are looked at"},
    {"solver", offsetof(pk_sim_options, solver), PK_FIELD_ENUM, "", PK_SOLVER_AUTO, 0, PK_SOLVER_COUNT - 1,
     pki_solver_words, "method for contact problems"},
    {"tolerance", offsetof(pk_sim_options, tolerance), PK_FIELD_REAL, "", 1e-8, 1e-15, 1, NULL,
     "relative residual at which the solver stops"},
    {"max_iterations", offsetof(pk_sim_options, max_iterations), PK_FIELD_INT, "", 5000, 1, 1e9, NULL,
     "sweeps or Newton steps of the solver"},
    {"alpha", offsetof(pk_sim_options, alpha), PK_FIELD_REAL, "", 0, 0, 2, NULL,
     "relaxation of jor and sor, 0: chosen from W"},
};
const int pki_sim_field_count = sizeof pki_sim_fields / sizeof pki_sim_fields[0];

const pk_field pki_command_fields[] = {
    {"tau", offsetof(pk_command, tau), PK_FIELD_REAL, "N m or N", 0, -1e300, 1e300, NULL, "force"},
    {"q_des", offsetof(pk_command, q_des), PK_FIELD_REAL, "rad or m", 0, -1e300, 1e300, NULL,
     "desired coordinate"},
    {"u_des", offsetof(pk_command, u_des), PK_FIELD_REAL, "rad/s or m/s", 0, -1e300, 1e300, NULL,
     "desired velocity"},
    {"kp", offsetof(pk_command, kp), PK_FIELD_REAL, "N m/rad or N/m", 0, 0, 1e300, NULL, "stiffness"},
    {"kd", offsetof(pk_command, kd), PK_FIELD_REAL, "N m s/rad or N s/m", 0, 0, 1e300, NULL, "damping"},
    {"tau_max", offsetof(pk_command, tau_max), PK_FIELD_REAL, "N m or N", INFINITY, 0, INFINITY, NULL,
     "largest force"},
};
const int pki_command_field_count = sizeof pki_command_fields / sizeof pki_command_fields[0];

pk_status pk_command_validate(const pk_command *command, pk_error *err)
{
  return pki_fields_validate(pki_command_fields, pki_command_field_count, command, err);
}

pk_sim_options pk_sim_options_default(void)
{
  pk_sim_options options;
  memset(&options, 0, sizeof options);
  pki_fields_preset(pki_sim_fields, pki_sim_field_count, &options);
  return options;
}

pk_status pk_sim_options_validate(const pk_sim_options *options, pk_error *err)
{
  return pki_fields_validate(pki_sim_fields, pki_sim_field_count, options, err);
}

/* With a counting arena this counts, and NULL comes back. */
static pk_sim *carve(const pk_model *model, const pk_sim_options *options, pki_arena *arena)
{
  const size_t nq = (size_t)model->nq, nu = (size_t)model->nu, real = sizeof(double);
  pk_sim *sim = pki_arena_take(arena, 1, sizeof *sim);
  pk_sim s = {.model = model};
  s.q = pki_arena_take(arena, nq, real);
  s.u = pki_arena_take(arena, nu, real);
  s.carry_q = pki_arena_take(arena, nu, real);
  s.carry_u = pki_arena_take(arena, nu, real);
  s.commands = pki_arena_take(arena, nu, sizeof *s.commands);
  s.tau = pki_arena_take(arena, nu, real);
  s.q_next = pki_arena_take(arena, nq, real);
  s.u_next = pki_arena_take(arena, nu, real);
  s.carry_q_next = pki_arena_take(arena, nu, real);
  s.carry_u_next = pki_arena_take(arena, nu, real);
  s.tau_next = pki_arena_take(arena, nu, real);
  s.scratch = pki_arena_take(arena, PKI_STEP_SCRATCH * nu, real);
  s.q_stage = pki_arena_take(arena, nq, real);
  s.pushes = pki_arena_take(arena, 6 * (size_t)model->nbody, real);
  s.control.contacts = pki_arena_take(arena, (size_t)options->max_contacts, sizeof *s.control.contacts);
  pki_sim_contact_carve(&s.contact, model, options, arena);
  void *workspace = pki_arena_take(arena, pk_workspace_memsize(model), 1);
  if (sim != NULL) {
    *sim = s;
    sim->workspace = pk_workspace_init(model, workspace);
  }
  return sim;
}

size_t pk_sim_memsize(const pk_model *model, const pk_sim_options *options)
{
  const pk_sim_options chosen = options ? *options : pk_sim_options_default();
  pki_arena arena = pki_arena_over(NULL, 0);
  carve(model, &chosen, &arena);
  return arena.used;
}

pk_status pk_sim_init(const pk_model *model, const pk_sim_options *options, void *memory, pk_sim **out,
                      pk_error *err)
{
  *out = NULL;
  const pk_sim_options chosen = options ? *options : pk_sim_options_default();
  pk_status status = pk_sim_options_validate(&chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_arena arena = pki_arena_over(memory, pk_sim_memsize(model, &chosen));
  pk_sim *sim = carve(model, &chosen, &arena);
  PK_ASSERT(arena.used == arena.size);
  sim->options = chosen;
  pk_sim_reset(sim);
  if (pki_steppers[chosen.stepper].adaptive) {
    status = pki_ark_create(sim, err);
  }
  *out = status == PK_OK ? sim : NULL;
  return status;
}

pk_status pk_sim_create(const pk_model *model, const pk_sim_options *options, pk_sim **out, pk_error *err)
{
  *out = NULL;
  const pk_status valid = options ? pk_sim_options_validate(options, err) : PK_OK;
  if (valid != PK_OK) {
    return valid; /* sizes follow from the options */
  }
  void *memory = pki_aligned_alloc(pk_sim_memsize(model, options));
  if (memory == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for a world of %d bodies",
                    model->nbody);
  }
  const pk_status status = pk_sim_init(model, options, memory, out, err);
  if (status != PK_OK) {
    pki_aligned_free(memory);
  } else {
    (*out)->owns_memory = true;
  }
  return status;
}

void pk_sim_destroy(pk_sim *sim)
{
  if (sim == NULL) {
    return;
  }
  pki_ark_destroy(sim);
  pki_aligned_free(sim->control.state);
  if (sim->owns_memory) {
    pki_aligned_free(sim);
  }
}

void pk_sim_reset(pk_sim *sim)
{
  const size_t nq = (size_t)sim->model->nq, nu = (size_t)sim->model->nu;
  memcpy(sim->q, sim->model->q0, nq * sizeof *sim->q);
  memset(sim->u, 0, nu * sizeof *sim->u);
  memset(sim->carry_q, 0, nu * sizeof *sim->carry_q);
  memset(sim->carry_u, 0, nu * sizeof *sim->carry_u);
  memset(sim->tau, 0, nu * sizeof *sim->tau);
  for (size_t k = 0; k < nu; k++) {
    sim->commands[k] = (pk_command){.tau_max = INFINITY};
  }
  sim->steps = 0;
  pki_sim_contact_reset(&sim->contact, sim->model);
  pki_clear_pushes(sim);
  pki_control_reset(sim);
  pki_ark_reset(sim);
}

static bool finite_all(const double *v, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

/* The first body with a coordinate that is not finite; -1: none. */
static int bad_body(const pk_model *m, const double *v, bool is_config)
{
  for (int i = 0; i < m->nbody; i++) {
    const double *at = v + (is_config ? m->body_q[i] : m->body_u[i]);
    const int n = is_config ? pki_motion_nq(m->body_motion[i]) : pki_motion_nu(m->body_motion[i]);
    if (!finite_all(at, n)) {
      return i;
    }
  }
  return -1;
}

/* A configuration and velocities must be finite; otherwise the body and the term are named. */
static pk_status check_finite(const pk_model *m, const double *q, const double *u, const char *q_term,
                              const char *u_term, pk_step_info *info)
{
  const int body_q = bad_body(m, q, true), body_u = bad_body(m, u, false);
  if (body_q < 0 && body_u < 0) {
    return PK_OK;
  }
  info->body = body_q >= 0 ? body_q : body_u;
  info->term = body_q >= 0 ? q_term : u_term;
  return PK_ERROR_NONFINITE;
}

/* A quaternion of no length is no attitude. */
static pk_status check_quaternions(const pk_model *m, const double *q, pk_step_info *info)
{
  for (int i = 0; i < m->nbody; i++) {
    const int motion = m->body_motion[i];
    if (motion == PK_MOTION_FLOATING || motion == PK_MOTION_SPHERICAL) {
      const double *p = q + m->body_q[i] + (motion == PK_MOTION_FLOATING ? 3 : 0);
      if (!(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] > 1e-12)) {
        info->body = i;
        info->term = "q";
        return PK_ERROR_ARGUMENT;
      }
    }
  }
  return PK_OK;
}

/* The body that coordinate k moves. */
static int body_of(const pk_model *m, int k)
{
  int i = 0;
  while (k < m->body_u[i] || k >= m->body_u[i] + pki_motion_nu(m->body_motion[i])) {
    i++;
  }
  return i;
}

/* Numbers, gains and limits of all commands. */
static pk_status check_commands(const pk_sim *sim, pk_step_info *info)
{
  for (int k = 0; k < sim->model->nu; k++) {
    const pk_command *c = &sim->commands[k];
    const double sum = c->tau + c->q_des + c->u_des;
    if (!isfinite(sum) || !(c->kp >= 0) || !(c->kd >= 0) || !isfinite(c->kp + c->kd) || !(c->tau_max >= 0)) {
      info->body = body_of(sim->model, k);
      info->term = "command";
      return isnan(sum + c->kp + c->kd + c->tau_max) || isinf(sum) ? PK_ERROR_NONFINITE : PK_ERROR_ARGUMENT;
    }
  }
  return PK_OK;
}

pk_status pk_sim_step(pk_sim *sim, pk_step_info *info)
{
  const pk_model *m = sim->model;
  const size_t nq = (size_t)m->nq, nu = (size_t)m->nu, real = sizeof(double);
  pk_step_info local = {0};
  pk_step_info *report = info ? info : &local;
  *report = (pk_step_info){.body = -1, .term = "", .certified = true};

  memcpy(sim->carry_q_next, sim->carry_q, nu * real);
  memcpy(sim->carry_u_next, sim->carry_u, nu * real);
  pk_status status = check_finite(m, sim->q, sim->u, "q", "u", report);
  if (status == PK_OK) {
    status = check_quaternions(m, sim->q, report);
  }
  if (status == PK_OK) {
    status = pki_control(sim, report);
  }
  if (status == PK_OK) {
    status = check_commands(sim, report);
  }
  if (status == PK_OK) {
    status = pki_steppers[sim->options.stepper].step(sim, report);
  }
  if (status == PK_OK || status == PK_ERROR_CONVERGENCE) {
    const pk_status finite = check_finite(m, sim->q_next, sim->u_next, "q_end", "u_end", report);
    status = status == PK_OK ? finite : status;
  }
  if (status != PK_OK) {
    return status; /* the state is as it was */
  }
  memcpy(sim->q, sim->q_next, nq * real);
  memcpy(sim->u, sim->u_next, nu * real);
  memcpy(sim->carry_q, sim->carry_q_next, nu * real);
  memcpy(sim->carry_u, sim->carry_u_next, nu * real);
  memcpy(sim->tau, sim->tau_next, nu * real);
  sim->steps++;
  pki_clear_pushes(sim);
  return PK_OK;
}

pk_status pk_sim_set_terrain(pk_sim *sim, const pk_terrain *terrain, const pk_material *materials, int count,
                             pk_error *err)
{
  static const pk_material usual = {.friction = 0.8};
  const pki_stepper *stepper = &pki_steppers[sim->options.stepper];
  if (terrain != NULL && !stepper->contact) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
                    "the stepper \"%s\" knows no contact: use \"moreau\" or \"euler\"", stepper->name);
  }
  const bool given = materials != NULL;
  if (!given) {
    materials = &usual, count = 1;
  }
  if (count < 1 || count > PKI_MATERIAL_MAX) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "materials"},
                    "there are %d materials, expected 1 to %d", count, PKI_MATERIAL_MAX);
  }
  for (int i = 0; i < count; i++) {
    const pk_material *m = &materials[i];
    const bool sound = m->friction >= 0 && isfinite(m->friction) && m->restitution_n >= 0 &&
                       m->restitution_n <= 1 && m->restitution_t >= 0 && m->restitution_t <= 1;
    if (!sound) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "materials"},
          "material %d has friction %g and restitution %g, %g: expected friction of zero or more and "
          "restitution from 0 to 1",
          i, m->friction, m->restitution_n, m->restitution_t);
    }
  }
  const int needed = terrain ? pki_terrain_materials(terrain) : 0;
  if (needed > count && given) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "materials"},
                    "the terrain refers to material %d, but there are %d (counted from 0)", needed - 1,
                    count);
  }
  sim->contact.terrain = terrain;
  memcpy(sim->contact.materials, materials, (size_t)count * sizeof *materials);
  sim->contact.nmaterial = count;
  pki_sim_contact_reset(&sim->contact, sim->model);
  return PK_OK;
}

int pk_sim_contacts(const pk_sim *sim, pk_sim_contact *out, int most)
{
  const pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->nlast && i < most; i++) {
    const pki_contact *f = &c->last[i];
    const double *r = c->last_r + 3 * i;
    const int shape = c->features[f->feature].shape;
    out[i] = (pk_sim_contact){
        .link = sim->model->shapes[shape].link, .shape = shape, .material = f->material, .gap = f->gap};
    for (int k = 0; k < 3; k++) {
      out[i].point[k] = f->point[k];
      out[i].normal[k] = f->normal[k];
      out[i].impulse[k] = r[0] * f->normal[k] + r[1] * f->tangent1[k] + r[2] * f->tangent2[k];
    }
  }
  return c->nlast;
}

const pk_model *pk_sim_joint_model(const pk_sim *sim)
{
  return sim->model;
}

void pk_sim_get_joints(const pk_sim *sim, double *q, double *u)
{
  memcpy(q, sim->q, (size_t)sim->model->nq * sizeof *q);
  memcpy(u, sim->u, (size_t)sim->model->nu * sizeof *u);
}

void pk_sim_set_joints(pk_sim *sim, const double *q, const double *u)
{
  memcpy(sim->q, q, (size_t)sim->model->nq * sizeof *q);
  memcpy(sim->u, u, (size_t)sim->model->nu * sizeof *u);
}

double pk_sim_time(const pk_sim *sim)
{
  return (double)sim->steps * sim->options.dt;
}

double *pk_sim_q(pk_sim *sim)
{
  return sim->q;
}

double *pk_sim_u(pk_sim *sim)
{
  return sim->u;
}

pk_command *pk_sim_commands(pk_sim *sim)
{
  return sim->commands;
}

const double *pk_sim_tau(const pk_sim *sim)
{
  return sim->tau;
}

pk_workspace *pk_sim_workspace(pk_sim *sim)
{
  return sim->workspace;
}

const pk_model *pk_sim_model(const pk_sim *sim)
{
  return sim->model;
}
