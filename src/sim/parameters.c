#include "sim/parameters.h"

#include <math.h>
#include <string.h>

#include "dynamics/code.h"
#include "model/grouped.h"
#include "model/inertia.h"

/* Part of the model's inertia that must be left in every direction, and what rounding may take of it. */
static const double LEAST_PART = 1e-3, ROUNDING = 1e-9;

/* ---- inertia ---- */

/* [I h~; h~' m 1], body axes. */
static void spatial_inertia(const double p[10], double S[6][6])
{
  const double I[9] = {p[4], p[5], p[6], p[5], p[7], p[8], p[6], p[8], p[9]};
  const double hx[9] = {0, -p[3], p[2], p[3], 0, -p[1], -p[2], p[1], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      S[i][j] = I[3 * i + j];
      S[i][3 + j] = hx[3 * i + j];
      S[3 + i][j] = hx[3 * j + i];
      S[3 + i][3 + j] = i == j ? p[0] : 0;
    }
  }
}

/* S(of) - LEAST_PART S(than) is positive semidefinite, up to rounding: Cholesky's pivots on a diagonal of ones. */
static bool is_heavier(const double of[10], const double than[10])
{
  double S[6][6], S0[6][6], scale[6];
  spatial_inertia(of, S), spatial_inertia(than, S0);
  for (int i = 0; i < 6; i++) {
    if (S[i][i] < LEAST_PART * S0[i][i] || (S[i][i] == 0 && S0[i][i] > 0)) {
      return false;
    }
    scale[i] = S[i][i] > 0 ? 1 / sqrt(S[i][i]) : 1;
  }
  for (int j = 0; j < 6; j++) {
    for (int i = j; i < 6; i++) {
      double sum = (S[i][j] - LEAST_PART * S0[i][j]) * scale[i] * scale[j] + (i == j ? ROUNDING : 0);
      for (int k = 0; k < j; k++) {
        sum -= S[i][k] * S[j][k];
      }
      if (i == j && !(sum > 0)) {
        return false;
      }
      S[i][j] = i == j ? sqrt(sum) : sum / S[j][j];
    }
  }
  return true;
}

/* A body by the name of its link. */
static const char *body_name(const pk_model *m, int body)
{
  return m->body_link[body] >= 0 ? m->links[m->body_link[body]].name : "";
}

static pk_status check_inertia(const pk_model *m, int body, const double inertia[10], pk_error *err)
{
  const pki_where where = {.field = "inertia"};
  const double *own = m->body_inertia + 10 * (size_t)body;
  double sum = 0, lambda[3];
  for (int i = 0; i < 10; i++) {
    sum += fabs(inertia[i]);
  }
  const pk_inertia central = pki_inertia_central(inertia);
  if (!isfinite(sum)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the inertia of body %d (\"%s\") is not finite", body,
                    body_name(m, body));
  }
  if (inertia[0] < 0 || (inertia[0] == 0 && sum > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "the mass of body %d (\"%s\") is %g kg, expected more",
                    body, body_name(m, body), inertia[0]);
  }
  if (pki_check_moments(central.moment, lambda) != PKI_MOMENTS_SOUND) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "body %d (\"%s\") would have the principal moments %g, %g, %g about its centre of mass, "
                    "which no body has",
                    body, body_name(m, body), lambda[0], lambda[1], lambda[2]);
  }
  /* files may break the rules a little: such a body is its own measure */
  if (!is_heavier(inertia, own) && (is_heavier(own, own) || inertia[0] < LEAST_PART * own[0])) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "body %d (\"%s\") would have %g kg and the principal moments %g, %g, %g: in some "
                    "direction less than a thousandth of the model's %g kg, too little to move it by",
                    body, body_name(m, body), inertia[0], lambda[0], lambda[1], lambda[2], own[0]);
  }
  return PK_OK;
}

/* How many constants of motors a world has. */
static size_t motor_numbers(const pk_sim *sim)
{
  const pk_actuation *a = sim->options.actuation;
  return a != NULL ? (size_t)a->nmotor * PKI_MOTOR_CONSTANTS : 0;
}

/* The world differs from its model and its actuators. */
static bool is_varied(const pk_sim *sim)
{
  const pk_model *m = sim->model;
  const size_t motors = motor_numbers(sim);
  return memcmp(sim->workspace->work.params.inertia, m->body_inertia,
                10 * (size_t)m->nbody * sizeof(double)) != 0 ||
         (motors > 0 && memcmp(sim->motors, sim->options.actuation->constants, motors * sizeof(double)) != 0);
}

/* What a model's own code reads follows the inertias. */
static void regroup_inertias(pk_sim *sim)
{
  const pk_model *m = sim->model;
  pki_params *params = &sim->workspace->work.params;
  params->varied = is_varied(sim);
  pki_group_inertias(m, params->inertia, params->grouped);
}

pk_status pki_sim_use_code(pk_sim *sim, const pk_code *code, pk_error *err)
{
  const pk_status status = pki_code_check(code, sim->model, 1, err);
  if (status == PK_OK) {
    sim->options.code = code;
    sim->workspace->kernels = pki_work_use(&sim->workspace->work, pki_code_find(code, 1));
    regroup_inertias(sim);
  }
  return status;
}

static pk_status check_body(const pk_model *m, int body, pk_error *err)
{
  return body >= 0 && body < m->nbody ? PK_OK
                                      : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "body"},
                                                 "body is %d, expected 0 to %d", body, m->nbody - 1);
}

pk_status pk_sim_set_inertia(pk_sim *sim, int body, const double inertia[10], pk_error *err)
{
  pk_status status = check_body(sim->model, body, err);
  status = status == PK_OK ? check_inertia(sim->model, body, inertia, err) : status;
  if (status == PK_OK) {
    memcpy(sim->workspace->work.params.inertia + 10 * (size_t)body, inertia, 10 * sizeof *inertia);
    regroup_inertias(sim);
  }
  return status;
}

pk_status pk_sim_get_inertia(const pk_sim *sim, int body, double inertia[10])
{
  if (check_body(sim->model, body, NULL) != PK_OK) {
    return PK_ERROR_ARGUMENT;
  }
  memcpy(inertia, sim->workspace->work.params.inertia + 10 * (size_t)body, 10 * sizeof *inertia);
  return PK_OK;
}

pk_status pk_sim_scale_mass(pk_sim *sim, int body, double factor, pk_error *err)
{
  double inertia[10];
  if (!(factor > 0) || isinf(factor)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "factor"},
                    "the factor is %g, expected a number above zero", factor);
  }
  const pk_status status = check_body(sim->model, body, err);
  if (status != PK_OK) {
    return status;
  }
  (void)pk_sim_get_inertia(sim, body, inertia);
  for (int i = 0; i < 10; i++) {
    inertia[i] *= factor;
  }
  return pk_sim_set_inertia(sim, body, inertia, err);
}

pk_status pk_sim_add_mass(pk_sim *sim, int link, double mass, const double at[3], pk_error *err)
{
  const pk_model *m = sim->model;
  if (link < 0 || link >= m->nlink) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "link"}, "link is %d, expected 0 to %d",
                    link, m->nlink - 1);
  }
  const pk_model_link *l = &m->links[link];
  if (l->body < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "link"},
                    "link \"%s\" is fixed in the world: mass there moves nothing", l->name);
  }
  double inertia[10];
  const pk_inertia point = {.mass = mass, .com = {at[0], at[1], at[2]}};
  (void)pk_sim_get_inertia(sim, l->body, inertia);
  pki_inertia_add(inertia, &point, &l->pose);
  return pk_sim_set_inertia(sim, l->body, inertia, err);
}

double pk_sim_mass(const pk_sim *sim, int robot)
{
  const pk_model *m = sim->model;
  const double *inertia = sim->workspace->work.params.inertia;
  if (robot < -1 || robot >= m->nrobot) {
    return NAN;
  }
  const int first = robot >= 0 ? m->robots[robot].body : 0,
            n = robot >= 0 ? m->robots[robot].nbody : m->nbody;
  double mass = 0;
  for (int i = first; i < first + n; i++) {
    mass += inertia[10 * (size_t)i];
  }
  return mass;
}

/* ---- friction ---- */

pk_status pk_sim_set_friction(pk_sim *sim, double factor, pk_error *err)
{
  if (!(factor >= 0) || isinf(factor)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "friction"},
                    "the factor on friction is %g, expected zero or more", factor);
  }
  sim->parameters.friction = factor;
  return PK_OK;
}

double pk_sim_get_friction(const pk_sim *sim)
{
  return sim->parameters.friction;
}

/* ---- motors ---- */

/* The row of an actuator's constants; -1: it is no motor. */
static int motor_of(const pk_actuation *a, int actuator)
{
  for (int n = 0; n < a->nmotor; n++) {
    if (a->order[n] == actuator) {
      return n;
    }
  }
  return -1;
}

pk_status pk_sim_scale_motor(pk_sim *sim, int actuator, pk_motor_value what, double factor, pk_error *err)
{
  static const int entries[PK_MOTOR_VALUE_COUNT] = {PKI_MOTOR_NK, PKI_MOTOR_R, PKI_MOTOR_DRY,
                                                    PKI_MOTOR_SPRING};
  const pk_actuation *a = sim->options.actuation;
  if (a == NULL || actuator < 0 || actuator >= a->count || motor_of(a, actuator) < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "actuator"},
                    "actuator %d is no motor of this world: it has %d actuators, and dc and sea are motors",
                    actuator, a != NULL ? a->count : 0);
  }
  if ((unsigned)what >= PK_MOTOR_VALUE_COUNT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "what"}, "what is %d, expected 0 to %d",
                    (int)what, PK_MOTOR_VALUE_COUNT - 1);
  }
  if (!(factor > 0) || isinf(factor)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "factor"},
                    "the factor is %g, expected a number above zero", factor);
  }
  const size_t at = (size_t)motor_of(a, actuator) * PKI_MOTOR_CONSTANTS + (size_t)entries[what];
  if (sim->motors[at] == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "what"}, "actuator %d has no such value: %s",
                    actuator,
                    what == PK_MOTOR_VALUE_SPRING ? "a dc has no spring, a sea has"
                                                  : "the friction of its rotor is zero");
  }
  sim->motors[at] *= factor;
  sim->workspace->work.params.varied = is_varied(sim);
  return PK_OK;
}

/* ---- latency ---- */

int pki_latency_room(const pk_sim_options *o)
{
  const double steps = ceil(o->max_latency / o->dt - 1e-6);
  return steps >= 1 ? (int)steps + 1 : 0;
}

const pk_command *pki_latency_through(const pki_latency *l, const pk_command *commands, int joints,
                                      long long step)
{
  if (l->room == 0) {
    return commands;
  }
  const long long room = l->room;
  const size_t n = (size_t)joints;
  memcpy(l->queue + (size_t)(step % room) * n, commands, n * sizeof *commands);
  return l->queue + (size_t)((step + room - l->late) % room) * n;
}

void pki_latency_pass(pk_sim *sim)
{
  const pki_latency l = {sim->state.queue, sim->late_room, sim->parameters.late};
  sim->acting = pki_latency_through(&l, sim->state.commands, sim->joints.n, sim->state.n.steps);
}

pk_status pk_sim_set_latency(pk_sim *sim, double seconds, pk_error *err)
{
  const pki_where where = {.field = "latency"};
  const double dt = sim->options.dt, steps = seconds / dt;
  if (!(seconds >= 0) || round(steps) > fmax(sim->late_room - 1, 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the latency is %g s, expected 0 to the option max_latency, %g s", seconds,
                    sim->options.max_latency);
  }
  if (fabs(steps - round(steps)) > 1e-6 * fmax(steps, 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the latency is %g s, expected a whole number of steps of %g s, as %g or %g", seconds, dt,
                    dt * floor(steps), dt * ceil(steps));
  }
  sim->parameters.late = (int)round(steps);
  return PK_OK;
}

double pk_sim_get_latency(const pk_sim *sim)
{
  return sim->parameters.late * sim->options.dt;
}

/* ---- all together ---- */

size_t pki_parameters_size(const pk_sim *sim)
{
  return 10 * (size_t)sim->model->nbody + 2 + motor_numbers(sim);
}

void pki_parameters_save(const pk_sim *sim, double *out)
{
  const size_t n = 10 * (size_t)sim->model->nbody;
  memcpy(out, sim->workspace->work.params.inertia, n * sizeof *out);
  out[n] = sim->parameters.friction;
  out[n + 1] = sim->parameters.late;
  if (motor_numbers(sim) > 0) {
    memcpy(out + n + 2, sim->motors, motor_numbers(sim) * sizeof *out);
  }
}

void pki_parameters_load(pk_sim *sim, const double *in)
{
  const size_t n = 10 * (size_t)sim->model->nbody;
  memcpy(sim->workspace->work.params.inertia, in, n * sizeof *in);
  sim->parameters.friction = in[n];
  sim->parameters.late = (int)in[n + 1];
  if (motor_numbers(sim) > 0) {
    memcpy(sim->motors, in + n + 2, motor_numbers(sim) * sizeof *in);
  }
  regroup_inertias(sim);
}
