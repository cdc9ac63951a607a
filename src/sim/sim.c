#include "step/contact.h"

#include <math.h>
#include <string.h>

#include "dynamics/code.h"
#include "model/match.h"
#include "model/motion.h"
#include "sim/grow.h"
#include "sim/memory.h"
#include "sim/parameters.h"
#include "sim/query.h"
#include "sim/reads.h"
#include "sim/sim_control.h"
#include "sim/sim_sense.h"
#include "step/compliant.h"
#include "step/joints.h"
#include "step/lcp_pyramid.h"
#include "step/pushes.h"
#include "step/soft.h"

/* With a counting arena this counts, and NULL comes back. */
static pk_sim *carve_sim(const pk_model *model, const pk_sim_options *options, pki_arena *arena)
{
  const size_t nq = (size_t)model->nq, nu = (size_t)model->nu, real = sizeof(double);
  const size_t joints = (size_t)pki_joint_model(model)->nu;
  pk_sim *sim = pki_arena_take(arena, 1, sizeof *sim);
  pk_sim s = {.model = model};
  pki_memory_carve(&s, model, options, false, arena);
  s.q_next = pki_arena_take(arena, nq, real);
  s.u_next = pki_arena_take(arena, nu, real);
  s.carry_q_next = pki_arena_take(arena, nu, real);
  s.carry_u_next = pki_arena_take(arena, nu, real);
  s.tau_next = pki_arena_take(arena, joints, real);
  const pk_actuation *actuation = options->actuation;
  s.actuation_next = pki_arena_take(arena, actuation != NULL ? (size_t)actuation->nstate : 0, real);
  double **const of_states[] = {&s.smooth.state, &s.smooth.state_rate, &s.smooth.state_total};
  for (size_t i = 0; i < sizeof of_states / sizeof of_states[0]; i++) {
    *of_states[i] = pki_arena_take(arena, actuation != NULL ? (size_t)actuation->nstate : 0, real);
  }
  s.motors =
      pki_arena_take(arena, actuation != NULL ? (size_t)actuation->nmotor * PKI_MOTOR_CONSTANTS : 0, real);
  s.smooth.q = pki_arena_take(arena, nq, real);
  double **const of_smooth[] = {&s.smooth.force,  &s.smooth.xi,       &s.smooth.u,      &s.smooth.xi_rate,
                                &s.smooth.u_rate, &s.smooth.xi_total, &s.smooth.u_total};
  for (size_t i = 0; i < sizeof of_smooth / sizeof of_smooth[0]; i++) {
    *of_smooth[i] = pki_arena_take(arena, nu, real);
  }
  pki_scene_carve(&s.scene, model, options, arena);
  pki_room_carve(&s, model, options, arena);
  pki_sim_joints_carve(&s.joints, model, arena);
  s.late_room = pki_latency_room(options);
  s.parameters.friction = 1;
  pki_single_group_carve(&s.single, model, actuation, arena);
  s.sense_scratch = pki_arena_take(arena, pki_sense_scratch(model, options), real);
  s.past.q = pki_arena_take(arena, nq, real);
  s.past.u = pki_arena_take(arena, nu, real);
  double **const of_bodies[] = {&s.past.pushes, &s.force.asked, &s.force.mean};
  for (size_t i = 0; i < sizeof of_bodies / sizeof of_bodies[0]; i++) {
    *of_bodies[i] = pki_arena_take(arena, 6 * (size_t)model->nbody, real);
  }
  void *workspace = pki_arena_take(arena, pk_workspace_memsize(model), 1);
  if (sim != NULL) {
    *sim = s;
    pk_workspace_init(model, workspace, &sim->workspace, NULL);
  }
  return sim;
}

/* The options with what is left to the model chosen. */
static pk_sim_options fill_sim_options(const pk_model *model, const pk_sim_options *options)
{
  enum { FEW = 128 };
  pk_sim_options o = options ? *options : pk_sim_options_default();
  if (o.max_contacts == 0) {
    const int usual = pki_usual_contacts(model);
    o.max_contacts = usual > FEW ? usual : FEW;
    const int room = pki_laws[o.law]->room != NULL ? pki_laws[o.law]->room(model, &o) : o.max_contacts;
    o.max_contacts = room > 0 && room < o.max_contacts ? room : o.max_contacts;
  }
  return o;
}

size_t pk_sim_memsize(const pk_model *model, const pk_sim_options *options)
{
  const pk_sim_options chosen = fill_sim_options(model, options);
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_sim(model, &chosen, &arena);
  return arena.used;
}

/* Actuators are those of this model, and the stepper can integrate them. */
static pk_status check_actuation(const pk_model *model, const pk_sim_options *o, pk_error *err)
{
  const pk_actuation *a = o->actuation;
  if (a == NULL) {
    return PK_OK;
  }
  if (a->has_battery && !pki_steppers[o->stepper]->contact) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
        "the stepper \"%s\" knows no battery: use \"moreau\" or \"euler\", or leave the battery out",
        pki_steppers[o->stepper]->name);
  }
  for (int i = 0; i < a->count && !pki_steppers[o->stepper]->contact; i++) {
    if (a->list[i].actuator.kind->rate == NULL) {
      return pki_fail(
          err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
          "the stepper \"%s\" integrates states of actuators, and the kind \"%s\" has no function rate: use "
          "\"moreau\" or \"euler\"",
          pki_steppers[o->stepper]->name, a->list[i].actuator.kind->name);
    }
  }
  return pki_model_match(pki_joint_model(model), a->model, "actuation", "the actuation", err);
}

/* Constants of motors are the world's own, and rotors behind rigid gears are part of the joints' inertia. */
static void use_actuation(pk_sim *sim)
{
  const pk_actuation *a = sim->options.actuation;
  if (a == NULL) {
    return;
  }
  memcpy(sim->motors, a->constants, (size_t)a->nmotor * PKI_MOTOR_CONSTANTS * sizeof *sim->motors);
  pki_add_rotors(sim, &sim->workspace->work);
}

pk_status pk_sim_init(const pk_model *model, const pk_sim_options *options, void *memory, pk_sim **out,
                      pk_error *err)
{
  *out = NULL;
  if (!pki_is_aligned(memory)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "memory"},
                    "the memory begins at %p, expected a multiple of %d bytes", memory, PKI_ALIGN);
  }
  const pk_sim_options chosen = fill_sim_options(model, options);
  pk_status status = pk_sim_options_validate(&chosen, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_code_check(chosen.code, model, 1, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_lcp_pyramid_check(model, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_sense_check(model, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_stepper *stepper = pki_steppers[chosen.stepper];
  status = check_actuation(model, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  if (model->nconstraint > 0 && !stepper->contact) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "stepper"},
                    "the stepper \"%s\" knows no constraints: use \"moreau\" or \"euler\"", stepper->name);
  }
  status = pki_check_friction_read(model, &chosen, err);
  if (status != PK_OK) {
    return status;
  }
  pki_arena arena = pki_arena_over(memory, pk_sim_memsize(model, &chosen));
  pk_sim *sim = carve_sim(model, &chosen, &arena);
  PK_ASSERT(arena.used == arena.size);
  sim->options = chosen;
  sim->room_given = options != NULL && options->max_contacts != 0;
  sim->workspace->kernels = pki_work_use(&sim->workspace->work, pki_code_find(chosen.code, 1));
  use_actuation(sim);
  pki_sim_joints_weigh(sim);
  pk_sim_reset(sim);
  status = pki_sim_collide_init(sim, err);
  if (status == PK_OK && stepper->adaptive) {
    status = pki_ark_create(sim, err);
  }
  if (status != PK_OK) {
    pki_sim_collide_free(sim);
    return status;
  }
  *out = sim;
  return PK_OK;
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
  if (*out == NULL) {
    pki_aligned_free(memory);
  } else {
    (*out)->owns_memory = true;
    (*out)->grows = options == NULL || options->max_contacts == 0;
  }
  return status;
}

void pk_sim_destroy(pk_sim *sim)
{
  if (sim == NULL) {
    return;
  }
  pki_ark_destroy(sim);
  pki_sim_collide_free(sim);
  pki_aligned_free(sim->control.state);
  pki_aligned_free(sim->control.scratch);
  pki_aligned_free(sim->grown);
  if (sim->owns_memory) {
    pki_aligned_free(sim);
  }
}

void pk_sim_reset(pk_sim *sim)
{
  pki_memory_reset(sim);
  sim->past.known = false;
  pki_soft_forget(sim);
  pki_colliders_forget(&sim->scene.colliders);
  sim->acting = sim->state.commands;
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

/* All numbers are finite, and small enough that no further check is needed; four sums, since additions wait for each other. */
static bool is_finite_sum(const double *v, int n)
{
  double sum[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int e = 0; e < 4; e++) {
      sum[e] += fabs(v[i + e]);
    }
  }
  for (; i < n; i++) {
    sum[0] += fabs(v[i]);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) < 1e300;
}

/* A configuration and velocities must be finite; otherwise the body and the term are named. */
static pk_status check_finite(const pk_model *m, const double *q, const double *u, const char *q_term,
                              const char *u_term, pk_step_info *info)
{
  if (is_finite_sum(q, m->nq) && is_finite_sum(u, m->nu)) {
    return PK_OK;
  }
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
    const int quaternion = pki_motion_quaternion(m->body_motion[i]);
    if (quaternion >= 0) {
      const double *p = q + m->body_q[i] + quaternion;
      if (!(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] > 1e-12)) {
        info->body = i;
        info->term = "q";
        return PK_ERROR_ARGUMENT;
      }
    }
  }
  return PK_OK;
}

pk_status pki_check_command(const pk_command *c)
{
  const double sum = c->tau + c->q_des + c->u_des;
  if (!isfinite(sum) || !(c->kp >= 0) || !(c->kd >= 0) || !isfinite(c->kp + c->kd) || !(c->tau_max >= 0) ||
      !(c->correction >= 0) || !isfinite(c->correction)) {
    return isnan(sum + c->kp + c->kd + c->tau_max + c->correction) || isinf(sum) ? PK_ERROR_NONFINITE
                                                                                 : PK_ERROR_ARGUMENT;
  }
  return PK_OK;
}

/* Numbers, gains and limits of all commands, and whether the scheme can do what they ask for. */
static pk_status check_commands(const pk_sim *sim, pk_step_info *info)
{
  const bool tracks =
      pki_steppers[sim->options.stepper]->contact && sim->options.implicit == PK_IMPLICIT_FORCES_ALL;
  for (int k = 0; k < sim->joints.n; k++) {
    pk_status status = pki_check_command(&sim->state.commands[k]);
    if (status == PK_OK && sim->state.commands[k].correction > 0 && !tracks) {
      status = PK_ERROR_UNSUPPORTED;
    }
    if (status != PK_OK) {
      info->body = pki_body_of_velocity(sim->joints.model, k);
      info->term = "command";
      return status;
    }
  }
  return PK_OK;
}

/* What actuators will remember must be finite; otherwise the body of the first that is not is named. */
static pk_status check_actuators(const pk_sim *sim, pk_step_info *info)
{
  const pk_actuation *a = sim->options.actuation;
  if (a == NULL || is_finite_sum(sim->actuation_next, a->nstate)) {
    return PK_OK;
  }
  for (int i = 0; i < a->count; i++) {
    if (!finite_all(sim->actuation_next + a->list[i].state, a->list[i].actuator.kind->nstate)) {
      info->body = pki_body_of_velocity(sim->joints.model, a->list[i].actuator.dof);
      break;
    }
  }
  info->term = "actuation";
  return PK_ERROR_NONFINITE;
}

/* Room for what a step found too much of. Compliant pairs get it whatever the options say of contacts. */
static bool grow_for(pk_sim *sim, const char *term)
{
  return strcmp(term, PKI_SOFT_FULL) == 0
             ? pki_soft_grow(sim)
             : strcmp(term, "max_contacts") == 0 && pki_room_grow(sim, 2 * sim->options.max_contacts);
}

/* The stepper's work, into the next state; what it changed besides is undone when it fails. */
static pk_status advance_state(pk_sim *sim, pk_step_info *info)
{
  const pk_model *m = sim->model;
  const pk_step_info begun = *info;
  const pk_status soft = pki_soft_ready(sim, info);
  if (soft != PK_OK) {
    return soft;
  }
  pki_memory_keep(sim);
  pk_status status = pki_steppers[sim->options.stepper]->step(sim, info);
  while (status == PK_ERROR_LIMIT) {
    pki_memory_restore(sim);
    if (!grow_for(sim, info->term)) {
      return strcmp(info->term, PKI_SOFT_FULL) == 0 ? PK_ERROR_MEMORY : status;
    }
    *info = begun;
    pki_memory_keep(sim);
    status = pki_steppers[sim->options.stepper]->step(sim, info);
  }
  if (status == PK_OK || status == PK_ERROR_CONVERGENCE) {
    const pk_status finite = check_finite(m, sim->q_next, sim->u_next, "q_end", "u_end", info);
    status = status == PK_OK ? finite : status;
    status = status == PK_OK ? check_actuators(sim, info) : status;
  }
  if (status != PK_OK) {
    pki_memory_restore(sim);
  }
  return status;
}

pk_status pki_state_check(const pk_model *m, const double *q, const double *u, pk_step_info *report)
{
  *report = (pk_step_info){.body = -1, .term = "", .certified = true};
  const pk_status status = check_finite(m, q, u, "q", "u", report);
  return status == PK_OK ? check_quaternions(m, q, report) : status;
}

/* Pushes have acted, and are gone. */
static void spend_pushes(pk_sim *sim)
{
  sim->past.pushed = sim->state.n.pushed;
  if (sim->past.pushed) {
    memcpy(sim->past.pushes, sim->state.pushes, 6 * (size_t)sim->model->nbody * sizeof *sim->past.pushes);
    pki_clear_pushes(sim);
  }
}

/* The next state becomes the state. */
static void accept_next_state(pk_sim *sim, const pk_step_info *report)
{
  const size_t nq = (size_t)sim->model->nq, nu = (size_t)sim->model->nu, real = sizeof(double);
  memcpy(sim->past.q, sim->state.q, nq * real);
  memcpy(sim->past.u, sim->state.u, nu * real);
  sim->past.known = true;
  memcpy(sim->state.q, sim->q_next, nq * real);
  memcpy(sim->state.u, sim->u_next, nu * real);
  memcpy(sim->state.tau, sim->tau_next, (size_t)sim->joints.n * real);
  if (sim->options.actuation != NULL) {
    memcpy(sim->state.actuation, sim->actuation_next, (size_t)sim->options.actuation->nstate * real);
  }
  memcpy(sim->state.drives, sim->joints.moved, (size_t)sim->model->ndrive * real); /* turns count on */
  pki_compliant_commit(sim);
  sim->state.n.steps++;
  sim->state.n.uncertified += !report->certified;
  pki_sense_end(sim);
  spend_pushes(sim);
}

/* The stepper's work and its end. */
static pk_status step_with(pk_sim *sim, pk_step_info *report)
{
  const size_t bytes = pki_memory_used(sim, PKI_MEMORY_CARRY_Q) * sizeof(double); /* 0: nothing is carried */
  memcpy(sim->carry_q_next, sim->state.carry_q, bytes);
  memcpy(sim->carry_u_next, sim->state.carry_u, bytes);
  pk_status status = check_commands(sim, report);
  if (status == PK_OK) {
    status = advance_state(sim, report);
  }
  report->push_work = status == PK_OK && sim->wants_info ? pki_push_work(sim) : 0;
  if (status != PK_OK) {
    pki_clear_pushes(sim);
    return status; /* the state is as it was */
  }
  memcpy(sim->state.carry_q, sim->carry_q_next, bytes);
  memcpy(sim->state.carry_u, sim->carry_u_next, bytes);
  accept_next_state(sim, report);
  return PK_OK;
}

/* How a step ended. One that failed has no certificate; when numbers ran away, what was found of them on the way is none. */
static pk_status conclude_step(pk_status status, pk_step_info *report)
{
  if (status == PK_OK) {
    return status;
  }
  report->certified = false;
  if (status == PK_ERROR_NONFINITE) {
    report->certificate = (pk_contact_certificate){.residual = INFINITY, .relative = INFINITY, .worst = -1};
    report->penetration = report->closure = NAN;
  }
  return status;
}

/* Commands set out, and those that arrive act. Where some wait they are checked at once, since what acts now was asked for
 * earlier. */
static pk_status pass_commands(pk_sim *sim, pk_step_info *report)
{
  const pk_status status = sim->late_room > 0 ? check_commands(sim, report) : PK_OK;
  if (status == PK_OK) {
    pki_latency_pass(sim);
  }
  return status;
}

pk_status pki_sim_step_unobserved(pk_sim *sim, pk_step_info *info)
{
  sim->wants_info = false;
  pk_status status = pki_state_check(sim->model, sim->state.q, sim->state.u, info);
  status = status == PK_OK ? pass_commands(sim, info) : status;
  if (status != PK_OK) {
    return conclude_step(status, info);
  }
  pki_joints_observe(sim);
  pki_force_begin(sim);
  return conclude_step(step_with(sim, info), info);
}

pk_status pk_sim_step(pk_sim *sim, pk_step_info *info)
{
  pk_step_info local, *report = info != NULL ? info : &local; /* cppcheck-suppress uninitvar */
  sim->wants_info = info != NULL;
  pk_status status = pki_state_check(sim->model, sim->state.q, sim->state.u, report);
  if (status == PK_OK) {
    pki_lap(sim, PK_STEP_PART_CONTROL, NULL);
    pki_sense_begin(sim);
    pki_joints_observe(sim);
    status = pki_control(sim, report);
    pki_lap(sim, PK_STEP_PART_CONTROL, report);
  }
  status = status == PK_OK ? pass_commands(sim, report) : status;
  if (status != PK_OK) {
    pki_clear_pushes(sim);
    return conclude_step(status, report);
  }
  pki_force_begin(sim);
  if (pki_group_step(sim, report)) {
    if (sim->state.n.pushed) {
      report->push_work = sim->wants_info ? pki_push_work(sim) : 0;
    }
    accept_next_state(sim, report);
  } else {
    status = conclude_step(step_with(sim, report), report);
  }
  pki_name_judged_law(sim, report);
  return status;
}

long long pk_sim_uncertified(const pk_sim *sim)
{
  return sim->state.n.uncertified;
}

int pk_sim_max_contacts(const pk_sim *sim)
{
  return sim->options.max_contacts;
}

void pki_show_contacts(const pk_sim *sim, double factor, const pki_contact *last, const double *last_r, int n,
                       pk_sim_contact *out)
{
  const pk_model_shape *const shapes = sim->model->shapes;
  for (int i = 0; i < n; i++) {
    const pki_contact *f = &last[i];
    const double *r = last_r + 3 * i;
    const int shape = f->geom[0], other = f->material < 0 ? f->geom[1] : -1;
    const double mu = factor * pki_contact_coefficient(&sim->scene, f);
    pk_sim_contact *const to = &out[i]; /* every field is written */
    to->link = shapes[shape].link, to->shape = shape;
    to->other_link = other >= 0 ? shapes[other].link : -1, to->other_shape = other;
    to->material = f->material;
    to->slides = r[0] > 0 && !pki_contact_sticks(mu, r);
    to->gap = f->gap, to->friction = mu;
    for (int k = 0; k < 3; k++) {
      to->point[k] = f->point[k];
      to->normal[k] = f->normal[k];
      to->impulse[k] = r[0] * f->normal[k] + r[1] * f->tangent1[k] + r[2] * f->tangent2[k];
    }
  }
}

int pk_sim_contacts(const pk_sim *sim, pk_sim_contact *out, int most)
{
  const pki_sim_state *s = &sim->state;
  const int n = s->n.nlast;
  pki_show_contacts(sim, sim->parameters.friction, s->last, s->last_r, n < most ? n : most, out);
  return n;
}

double pk_sim_time(const pk_sim *sim)
{
  return (double)sim->state.n.steps * sim->options.dt;
}

double *pk_sim_q(pk_sim *sim)
{
  return sim->state.q;
}

double *pk_sim_u(pk_sim *sim)
{
  return sim->state.u;
}

pk_command *pk_sim_commands(pk_sim *sim)
{
  return sim->state.commands;
}

double *pk_sim_actuation(pk_sim *sim)
{
  return sim->options.actuation != NULL ? sim->state.actuation : NULL;
}

const double *pk_sim_tau(const pk_sim *sim)
{
  return sim->state.tau;
}

pk_workspace *pk_sim_workspace(pk_sim *sim)
{
  return sim->workspace;
}

const pk_model *pk_sim_model(const pk_sim *sim)
{
  return sim->model;
}
