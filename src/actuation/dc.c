/* A motor behind a rigid gear: its rotor turns with the joint, and is part of the joint's inertia. */
#include "actuation/actuation.h"

static pk_status validate(const void *parameters, pk_error *err)
{
  return pki_motor_validate(parameters, false, err);
}

static double rotor_inertia(const void *parameters)
{
  const pk_motor_parameters *p = parameters;
  return p->gear * p->gear * p->inertia;
}

static void reset(const void *parameters, double *state)
{
  pki_motor_reset(parameters, state);
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  pki_motor_condense(parameters, false, in, state, law);
}

static void finish(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state)
{
  pki_motor_finish(parameters, false, in, u, tau, state);
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  return pki_motor_rate(parameters, false, in, state, rates);
}

const pki_actuator_row pki_actuator_dc = {
    .kind = {.name = "dc",
             .parameters_size = sizeof(pk_motor_parameters),
             .nstate = PKI_MOTOR_STATES,
             .state_names = pki_motor_state_names,
             .state_units = pki_motor_state_units,
             .validate = validate,
             .inertia = rotor_inertia,
             .reset = reset,
             .condense = condense,
             .finish = finish,
             .rate = rate},
    .doc = "an electric motor behind a rigid gear: current, voltage, heat and their limits",
    .fields = pki_motor_parameter_fields,
    .nfield = PKI_MOTOR_FIELD_COUNT};
