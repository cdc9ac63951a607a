/* A source of force: the command's, within a limit that may fall with the speed, as the envelopes that makers publish do.
 *
 * In the direction of motion the limit is whole up to full_speed and falls to zero at no_load_speed: the line through both
 * points. Beyond no_load_speed it brakes, with no more than the whole limit. Against the motion the limit stays whole. */
#include <math.h>

#include "actuation/actuation.h"

#define TORQUE(name) #name, offsetof(pk_torque_parameters, name)
const pk_field pki_actuator_torque_fields[] = {
    {TORQUE(limit), PK_FIELD_REAL, "N m", 0, 0, 1e9, NULL, "largest force; 0: no limit but the command's"},
    {TORQUE(no_load_speed), PK_FIELD_REAL, "rad/s", 0, 0, 1e9, NULL,
     "where the limit has fallen to zero in the direction of motion; 0: it does not fall"},
    {TORQUE(full_speed), PK_FIELD_REAL, "rad/s", 0, 0, 1e9, NULL, "up to which the whole limit is there"},
};
enum { TORQUE_FIELDS = sizeof pki_actuator_torque_fields / sizeof pki_actuator_torque_fields[0] };
const int pki_actuator_torque_field_count = TORQUE_FIELDS;

pk_torque_parameters pk_torque_parameters_default(void)
{
  pk_torque_parameters p;
  pki_fields_default(pki_actuator_torque_fields, TORQUE_FIELDS, &p, sizeof p);
  return p;
}

static pk_status validate(const void *parameters, pk_error *err)
{
  const pk_torque_parameters *p = parameters;
  const pk_status status = pki_fields_validate(pki_actuator_torque_fields, TORQUE_FIELDS, p, err);
  if (status == PK_OK && p->no_load_speed > 0 && !(p->limit > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "limit"},
                    "a limit that falls to zero at no_load_speed must be given");
  }
  if (status == PK_OK && p->full_speed > 0 && !(p->no_load_speed > p->full_speed)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "no_load_speed"},
                    "no_load_speed is %g, expected more than full_speed, which is %g", p->no_load_speed,
                    p->full_speed);
  }
  return status;
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  const pk_torque_parameters *p = parameters;
  const pk_command *c = &in->command;
  const double most = fmin(p->limit > 0 ? p->limit : INFINITY, c->tau_max);
  (void)state;
  law->a = c->tau + c->kp * (c->q_des - in->x) + c->kd * c->u_des;
  law->g = c->kp * in->reach + c->kd;
  law->low[1] = -most, law->high[1] = most;
  if (p->no_load_speed > 0) {
    law->slope[0] = p->limit / (p->no_load_speed - p->full_speed);
    law->high[0] = law->slope[0] * p->no_load_speed, law->low[0] = -law->high[0];
  }
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  pk_force_law law = pk_force_law_none();
  (void)rates;
  condense(parameters, in, state, &law);
  return pk_force_law_at(&law, in->u);
}

const pki_actuator_row pki_actuator_torque = {.kind = {.name = "torque",
                                                       .parameters_size = sizeof(pk_torque_parameters),
                                                       .validate = validate,
                                                       .condense = condense,
                                                       .rate = rate},
                                              .doc = "a source of the command's force, within limits",
                                              .fields = pki_actuator_torque_fields,
                                              .nfield = TORQUE_FIELDS};
