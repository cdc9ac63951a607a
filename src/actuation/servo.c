/* A servo: PID with gains of its own. All parts are taken at the end of the step; with the integral I of ki e,
 *
 *   position:  tau + kp e + I + kd (u_des - u),  e = q_des - x
 *   velocity:  tau + kp e + I,                   e = u_des - u
 *   torque:    the command's force
 *
 * Where the force is at its limit and the error drives it further out, the integral stays: no windup. */
#include <math.h>

#include "actuation/actuation.h"

static const char *const mode_words[] = {"position", "velocity", "torque"};

#define SERVO(name) #name, offsetof(pk_servo_parameters, name)
const pk_field pki_actuator_servo_fields[] = {
    {SERVO(mode), PK_FIELD_ENUM, "", PK_SERVO_MODE_POSITION, 0, PK_SERVO_MODE_COUNT - 1, mode_words,
     "what it regulates"},
    {SERVO(kp), PK_FIELD_REAL, "N m/rad", 0, 0, 1e12, NULL, "gain on the error; of velocity N m s/rad"},
    {SERVO(ki), PK_FIELD_REAL, "N m/(rad s)", 0, 0, 1e12, NULL,
     "gain on the error's integral; of velocity N m/rad"},
    {SERVO(kd), PK_FIELD_REAL, "N m s/rad", 0, 0, 1e12, NULL, "of position: gain on the velocity's error"},
    {SERVO(limit), PK_FIELD_REAL, "N m", 0, 0, 1e9, NULL, "largest force; 0: no limit but the command's"},
};
enum { SERVO_FIELDS = sizeof pki_actuator_servo_fields / sizeof pki_actuator_servo_fields[0] };
const int pki_actuator_servo_field_count = SERVO_FIELDS;

static const char *const state_names[] = {"integral"};
static const char *const state_units[] = {"N m"};

pk_servo_parameters pk_servo_parameters_default(void)
{
  pk_servo_parameters p;
  pki_fields_default(pki_actuator_servo_fields, SERVO_FIELDS, &p, sizeof p);
  return p;
}

static pk_status validate(const void *parameters, pk_error *err)
{
  const pk_servo_parameters *p = parameters;
  const pk_status status = pki_fields_validate(pki_actuator_servo_fields, SERVO_FIELDS, p, err);
  if (status == PK_OK && p->mode == PK_SERVO_MODE_VELOCITY && p->kd > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "kd"},
                    "a servo that regulates the velocity has no kd: kp is its gain on the velocity's error");
  }
  if (status == PK_OK && p->mode == PK_SERVO_MODE_TORQUE && p->kp + p->ki + p->kd > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "kp"},
                    "a servo in mode torque has no gains: it makes the command's force");
  }
  return status;
}

/* The largest force, by itself and by its command. */
static double largest_force(const pk_servo_parameters *p, const pk_command *c)
{
  return fmin(p->limit > 0 ? p->limit : INFINITY, c->tau_max);
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  const pk_servo_parameters *p = parameters;
  const pk_command *c = &in->command;
  const double most = largest_force(p, c), kp = p->kp + p->ki * in->dt;
  law->low[0] = -most, law->high[0] = most;
  switch (p->mode) {
  case PK_SERVO_MODE_POSITION:
    law->a = c->tau + kp * (c->q_des - in->x) + p->kd * c->u_des + state[0];
    law->g = kp * in->reach + p->kd;
    break;
  case PK_SERVO_MODE_VELOCITY:
    law->a = c->tau + kp * c->u_des + state[0];
    law->g = kp;
    break;
  default:
    law->a = c->tau + c->kp * (c->q_des - in->x) + c->kd * c->u_des;
    law->g = c->kp * in->reach + c->kd;
  }
}

/* What the integral grows by, N m/s: nothing where the force is at its limit and would go beyond. */
static double integral_rate(const pk_servo_parameters *p, const pk_command *c, double x, double u, double tau)
{
  const double error = p->mode == PK_SERVO_MODE_POSITION   ? c->q_des - x
                       : p->mode == PK_SERVO_MODE_VELOCITY ? c->u_des - u
                                                           : 0;
  const double most = largest_force(p, c);
  return (tau >= most && error > 0) || (tau <= -most && error < 0) ? 0 : p->ki * error;
}

static void finish(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state)
{
  state[0] += in->dt * integral_rate(parameters, &in->command, in->x + in->reach * u, u, tau);
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  pk_actuator_input now = *in;
  pk_force_law law = pk_force_law_none();
  now.dt = now.reach = 0;
  condense(parameters, &now, state, &law);
  const double tau = pk_force_law_at(&law, in->u);
  rates[0] = integral_rate(parameters, &in->command, in->x, in->u, tau);
  return tau;
}

const pki_actuator_row pki_actuator_servo = {.kind = {.name = "servo",
                                                      .parameters_size = sizeof(pk_servo_parameters),
                                                      .nstate = 1,
                                                      .state_names = state_names,
                                                      .state_units = state_units,
                                                      .validate = validate,
                                                      .condense = condense,
                                                      .finish = finish,
                                                      .rate = rate},
                                             .doc = "PID on position or velocity with gains of its own",
                                             .fields = pki_actuator_servo_fields,
                                             .nfield = SERVO_FIELDS};
