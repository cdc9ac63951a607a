/* A series-elastic actuator: a motor and its gear behind a spring, with a rotor that moves on its own. */
#include "actuation/actuation.h"

static pk_status validate(const void *parameters, pk_error *err)
{
  return pki_motor_validate(parameters, true, err);
}

static void reset(const void *parameters, double *state)
{
  pki_motor_reset(parameters, state);
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  pki_motor_condense(parameters, true, in, state, law);
}

static void finish(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state)
{
  pki_motor_finish(parameters, true, in, u, tau, state);
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  return pki_motor_rate(parameters, true, in, state, rates);
}

const pki_actuator_row pki_actuator_sea = {
    .kind = {.name = "sea",
             .parameters_size = sizeof(pk_motor_parameters),
             .nstate = PKI_MOTOR_STATES,
             .state_names = pki_motor_state_names,
             .state_units = pki_motor_state_units,
             .validate = validate,
             .reset = reset,
             .condense = condense,
             .finish = finish,
             .rate = rate},
    .doc = "a series-elastic actuator: an electric motor and its gear behind a spring",
    .fields = pki_motor_parameter_fields,
    .nfield = PKI_MOTOR_FIELD_COUNT};
