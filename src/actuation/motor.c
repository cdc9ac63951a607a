/* Motors: parameters, and what "dc" and "sea" share. */
#include <math.h>
#include <string.h>

#include "actuation/motor_kernel.h"

static const char *const drive_words[] = {"current", "voltage"};
static const char *const side_words[] = {"joint", "motor"};

#define MOTOR(name) #name, offsetof(pk_motor_parameters, name)
const pk_field pki_motor_parameter_fields[PKI_MOTOR_FIELD_COUNT] = {
    {MOTOR(drive), PK_FIELD_ENUM, "", PK_MOTOR_DRIVE_CURRENT, 0, PK_MOTOR_DRIVE_COUNT - 1, drive_words,
     "what the drive sets: a current that makes the command's force, or the voltage that would at rest"},
    {MOTOR(resistance), PK_FIELD_REAL, "ohm", 1, 1e-9, 1e9, NULL, "of the winding at 25 degrees C"},
    {MOTOR(inductance), PK_FIELD_REAL, "H", 0, 0, 1e6, NULL, "of the winding"},
    {MOTOR(constant), PK_FIELD_REAL, "N m/A", 0.1, 1e-9, 1e9, NULL,
     "torque constant, which is the back-EMF's in V s/rad"},
    {MOTOR(inertia), PK_FIELD_REAL, "kg m^2", 0, 0, 1e6, NULL, "of the rotor"},
    {MOTOR(damping), PK_FIELD_REAL, "N m s/rad", 0, 0, 1e9, NULL, "of the rotor"},
    {MOTOR(friction), PK_FIELD_REAL, "N m", 0, 0, 1e9, NULL, "dry, of the rotor"},
    {MOTOR(gear), PK_FIELD_REAL, "", 1, 1e-6, 1e9, NULL, "turns of the rotor for one of the joint, or rad/m"},
    {MOTOR(efficiency), PK_FIELD_REAL, "", 1, 0.501, 1, NULL, "of the gear when the motor drives"},
    {MOTOR(voltage), PK_FIELD_REAL, "V", 0, 0, 1e6, NULL, "largest; 0: no limit"},
    {MOTOR(current), PK_FIELD_REAL, "A", 0, 0, 1e6, NULL, "largest; 0: no limit"},
    {MOTOR(limit), PK_FIELD_REAL, "N m", 0, 0, 1e9, NULL,
     "largest force that is asked of it; 0: no limit but the current's"},
    {MOTOR(bandwidth), PK_FIELD_REAL, "Hz", 0, 0, 1e9, NULL,
     "of the current loop; 0: it follows within a step"},
    {MOTOR(resolution), PK_FIELD_REAL, "rad", 0, 0, 1e3, NULL, "of the encoder that gains look at; 0: exact"},
    {MOTOR(winding_resistance), PK_FIELD_REAL, "K/W", 0, 0, 1e6, NULL,
     "of heat, from the winding to the housing"},
    {MOTOR(housing_resistance), PK_FIELD_REAL, "K/W", 0, 0, 1e6, NULL,
     "of heat, from the housing to the air"},
    {MOTOR(winding_capacity), PK_FIELD_REAL, "J/K", 0, 0, 1e9, NULL,
     "of the winding for heat; 0: it stays as cold as the air"},
    {MOTOR(housing_capacity), PK_FIELD_REAL, "J/K", 0, 0, 1e9, NULL, "of the housing for heat"},
    {MOTOR(ambient), PK_FIELD_REAL, "degC", 25, -200, 1e3, NULL, "of the air, and of the motor at the start"},
    {MOTOR(temperature), PK_FIELD_REAL, "degC", 0, 0, 1e3, NULL,
     "largest of the winding, where the current's limit is zero; 0: no limit"},
    {MOTOR(derating), PK_FIELD_REAL, "K", 25, 1e-3, 1e3, NULL,
     "below the largest temperature, over which the current's limit falls"},
    {MOTOR(spring), PK_FIELD_REAL, "N m/rad", 0, 0, 1e12, NULL, "of sea: stiffness of the series spring"},
    {MOTOR(stiffening), PK_FIELD_REAL, "1/rad^2", 0, 0, 1e12, NULL,
     "of sea: the torque is spring (e + stiffening e^3)"},
    {MOTOR(spring_damping), PK_FIELD_REAL, "N m s/rad", 0, 0, 1e9, NULL, "of sea: damping of the spring"},
    {MOTOR(backlash), PK_FIELD_REAL, "rad", 0, 0, 10, NULL,
     "of sea: play between gear and spring, from side to side"},
    {MOTOR(feedback), PK_FIELD_ENUM, "", PK_MOTOR_FEEDBACK_JOINT, 0, PK_MOTOR_FEEDBACK_COUNT - 1, side_words,
     "of sea: the side of the spring that gains of commands look at"},
    {MOTOR(torque_gain), PK_FIELD_REAL, "", 0, 0, 1e6, NULL,
     "of sea: gain of the loop on the spring's torque"},
};

const int pki_motor_parameter_field_count = PKI_MOTOR_FIELD_COUNT;

const char *const pki_motor_state_names[PKI_MOTOR_STATES] = {"current",
                                                             "voltage",
                                                             "spring_deflection",
                                                             "rotor_velocity",
                                                             "winding_temperature",
                                                             "housing_temperature",
                                                             "rotor_friction"};
const char *const pki_motor_state_units[PKI_MOTOR_STATES] = {"A", "V", "rad", "rad/s", "degC", "degC", "N m"};

pk_motor_parameters pk_motor_parameters_default(void)
{
  pk_motor_parameters p;
  pki_fields_default(pki_motor_parameter_fields, PKI_MOTOR_FIELD_COUNT, &p, sizeof p);
  return p;
}

static pk_status refuse(pk_error *err, const char *field, const char *why)
{
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field}, "%s", why);
}

/* What a sea has and a dc has not, and the other way round. */
static pk_status check_spring(const pk_motor_parameters *p, bool spring, pk_error *err)
{
  if (spring && !(p->spring > 0)) {
    return refuse(err, "spring", "a sea needs a spring above 0 N m/rad; a rigid gear is kind: dc");
  }
  if (spring && !(p->inertia > 0)) {
    return refuse(err, "inertia",
                  "a sea needs the inertia of its rotor, above 0 kg m^2: it moves behind the spring");
  }
  if (spring && p->efficiency < 1) {
    return refuse(err, "efficiency",
                  "the efficiency of a sea's gear is not modelled: give its losses as friction and damping "
                  "of the rotor");
  }
  if (!spring && (p->spring > 0 || p->spring_damping > 0 || p->backlash > 0 || p->torque_gain > 0 ||
                  p->stiffening > 0 || p->feedback != PK_MOTOR_FEEDBACK_JOINT)) {
    return refuse(err, "spring",
                  "a dc has a rigid gear: spring, stiffening, spring_damping, backlash, feedback and "
                  "torque_gain are those of kind: sea");
  }
  return PK_OK;
}

pk_status pki_motor_validate(const pk_motor_parameters *p, bool spring, pk_error *err)
{
  pk_status status = pki_fields_validate(pki_motor_parameter_fields, PKI_MOTOR_FIELD_COUNT, p, err);
  status = status == PK_OK ? check_spring(p, spring, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const int given = (p->winding_resistance > 0) + (p->housing_resistance > 0) + (p->winding_capacity > 0) +
                    (p->housing_capacity > 0);
  if (given != 0 && given != 4) {
    return refuse(err, "winding_capacity",
                  "heat needs all of winding_resistance, housing_resistance, winding_capacity and "
                  "housing_capacity, or none");
  }
  if (p->temperature > 0 && given == 0) {
    return refuse(err, "temperature",
                  "a largest temperature needs the four values of heat, winding_resistance and the others");
  }
  if (p->temperature > 0 && !(p->temperature > p->ambient)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "temperature"},
                    "the largest temperature is %g degrees C, expected more than ambient, which is %g",
                    p->temperature, p->ambient);
  }
  if (p->temperature > 0 && !(p->current > 0)) {
    return refuse(err, "current", "a largest temperature derates the current's limit, which must be given");
  }
  return PK_OK;
}

static double or_infinite(double limit)
{
  return limit > 0 ? limit : INFINITY;
}

void pki_motor_constants(const pk_motor_parameters *p, bool spring, double c[PKI_MOTOR_CONSTANTS])
{
  const double N = p->gear;
  const bool heat = p->winding_capacity > 0;
  memset(c, 0, PKI_MOTOR_CONSTANTS * sizeof *c);
  c[PKI_MOTOR_NK] = N * p->constant;
  c[PKI_MOTOR_R] = p->resistance;
  c[PKI_MOTOR_L] = p->inductance;
  c[PKI_MOTOR_J] = N * N * p->inertia;
  c[PKI_MOTOR_D] = N * N * p->damping;
  c[PKI_MOTOR_DRY] = N * p->friction;
  c[PKI_MOTOR_DRIVING] = 1 - p->efficiency;
  c[PKI_MOTOR_DRIVEN] = (1 - p->efficiency) / (2 * p->efficiency - 1);
  c[PKI_MOTOR_VOLTAGE] = or_infinite(p->voltage);
  c[PKI_MOTOR_CURRENT] = or_infinite(p->current);
  c[PKI_MOTOR_LIMIT] = or_infinite(p->limit);
  c[PKI_MOTOR_BANDWIDTH] = or_infinite(2 * 3.141592653589793 * p->bandwidth);
  c[PKI_MOTOR_RESOLUTION] = p->resolution;
  c[PKI_MOTOR_BY_VOLTAGE] = p->drive == PK_MOTOR_DRIVE_VOLTAGE;
  c[PKI_MOTOR_ALPHA] = heat ? PKI_COPPER : 0;
  c[PKI_MOTOR_HOTTEST] = or_infinite(p->temperature);
  c[PKI_MOTOR_DERATING] = p->derating;
  c[PKI_MOTOR_WINDING] = heat ? 1 / p->winding_resistance : 0;
  c[PKI_MOTOR_HOUSING] = heat ? 1 / p->housing_resistance : 0;
  c[PKI_MOTOR_C_WINDING] = p->winding_capacity;
  c[PKI_MOTOR_C_HOUSING] = p->housing_capacity;
  c[PKI_MOTOR_AMBIENT] = p->ambient;
  c[PKI_MOTOR_SPRING] = spring ? p->spring : 0;
  c[PKI_MOTOR_STIFFENING] = p->stiffening;
  c[PKI_MOTOR_SPRING_D] = p->spring_damping;
  c[PKI_MOTOR_PLAY] = 0.5 * p->backlash;
  c[PKI_MOTOR_SIDE] = p->feedback == PK_MOTOR_FEEDBACK_MOTOR;
  c[PKI_MOTOR_TORQUE_GAIN] = p->torque_gain;
}

void pki_motor_reset(const pk_motor_parameters *p, double *state)
{
  state[PKI_MOTOR_STATE_WINDING] = state[PKI_MOTOR_STATE_HOUSING] = p->ambient;
}

static pki_motor_input motor_input(const pk_actuator_input *in)
{
  const pk_command *c = &in->command;
  return (pki_motor_input){.warms = true,
                           .dt = in->dt,
                           .reach = in->reach,
                           .late = in->late,
                           .x = in->x,
                           .u = in->u,
                           .tau = c->tau,
                           .q_des = c->q_des,
                           .u_des = c->u_des,
                           .kp = c->kp,
                           .kd = c->kd,
                           .most = c->tau_max,
                           .bus = in->bus};
}

void pki_motor_condense(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in,
                        const double *state, pk_force_law *law)
{
  double c[PKI_MOTOR_CONSTANTS], numbers[PKI_LAW_NUMBERS];
  const pki_motor_input input = motor_input(in);
  pki_motor_constants(p, spring, c);
  pki_motor_law(c, state, &input, spring, numbers);
  memcpy(law, numbers, sizeof *law);
}

void pki_motor_finish(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in, double u,
                      double tau, double *state)
{
  double c[PKI_MOTOR_CONSTANTS];
  const pki_motor_input input = motor_input(in);
  pki_motor_constants(p, spring, c);
  pki_motor_end(c, &input, spring, u, tau, state);
}

/* ---- smooth schemes ---- */

/* The current of a circuit without inductance, or of a loop without delay: what is asked for, within what the voltage and the
 * limit of current allow. */
static double current_at_once(double asked, double most, double emf, double R, double volts)
{
  const double i = fmax(fmin(asked, most), -most);
  return fmax(fmin(i, (volts - emf) / R), (-volts - emf) / R);
}

/* V, within its limit and such that a current at its limit does not grow, and one beyond comes back. */
static double limited_voltage(double V, double volts, double i, double most, double emf, double R)
{
  double held = V;
  held = i >= most ? fmin(held, R * most + emf) : held;
  held = i <= -most ? fmax(held, -R * most + emf) : held;
  return fmax(fmin(held, volts), -volts);
}

/* What the command asks of the motor's torque, by its gains and the loop on the spring's torque. */
static double asked_torque(const double *c, const pk_actuator_input *in, double e, double w, double torque)
{
  const pk_command *asked = &in->command;
  const bool side = c[PKI_MOTOR_SIDE] > 0;
  const double at = pki_quantised(side ? in->x + e : in->x, c[PKI_MOTOR_RESOLUTION]);
  const double wanted =
      asked->tau + asked->kp * (asked->q_des - at) + asked->kd * (asked->u_des - (side ? w : in->u));
  return wanted + c[PKI_MOTOR_TORQUE_GAIN] * (wanted - torque);
}

/* How the current changes; where it follows at once, *now becomes what it is. */
static double circuit_rate(const double *c, const pk_actuator_input *in, const double *state, double w,
                           double wanted, double *now, double *voltage)
{
  const pki_motor_input input = motor_input(in);
  const double K = c[PKI_MOTOR_NK], L = c[PKI_MOTOR_L], emf = K * w, i = *now;
  const double R = pki_winding_resistance(c, state);
  const bool by_voltage = c[PKI_MOTOR_BY_VOLTAGE] > 0;
  double most, volts;
  pki_motor_limits(c, state, &input, &most, &volts);
  most /= K;
  const bool follows = !by_voltage && isfinite(c[PKI_MOTOR_BANDWIDTH]); /* with the bandwidth of its loop */
  const double target = fmax(fmin(wanted / K, most), -most);
  if (follows && L == 0) {
    *now = current_at_once(i, most, emf, R, volts);
    *voltage = R * *now + emf;
    return c[PKI_MOTOR_BANDWIDTH] * (target - *now);
  }
  if (!follows && (L == 0 || !by_voltage)) {
    const double V = fmax(fmin(wanted * c[PKI_MOTOR_R] / K, volts), -volts);
    *now = current_at_once(by_voltage ? (V - emf) / R : wanted / K, most, emf, R, volts);
    *voltage = R * *now + emf;
    return 0;
  }
  const double V =
      by_voltage ? wanted * c[PKI_MOTOR_R] / K : R * i + emf + L * c[PKI_MOTOR_BANDWIDTH] * (target - i);
  *voltage = limited_voltage(V, volts, i, most, emf, R);
  return (*voltage - R * i - emf) / L;
}

double pki_motor_rate_of(const double *c, bool spring, const pk_actuator_input *in, const double *state,
                         double *rates, double *current, double *voltage)
{
  const double w = spring ? state[PKI_MOTOR_STATE_VELOCITY] : in->u;
  const double e = spring ? state[PKI_MOTOR_STATE_DEFLECTION] : 0;
  double torque = 0, stiffness;
  if (spring) {
    pki_motor_spring(c, e, &torque, &stiffness);
    torque += c[PKI_MOTOR_SPRING_D] * (w - in->u);
  }
  memset(rates, 0, PKI_MOTOR_STATES * sizeof *rates);
  *current = state[PKI_MOTOR_STATE_CURRENT];
  rates[PKI_MOTOR_STATE_CURRENT] =
      circuit_rate(c, in, state, w, asked_torque(c, in, e, w, torque), current, voltage);
  if (c[PKI_MOTOR_C_WINDING] > 0) {
    const double hot = state[PKI_MOTOR_STATE_WINDING];
    const double R = pki_winding_resistance(c, state);
    const double flow = (hot - state[PKI_MOTOR_STATE_HOUSING]) * c[PKI_MOTOR_WINDING];
    const double out = (state[PKI_MOTOR_STATE_HOUSING] - c[PKI_MOTOR_AMBIENT]) * c[PKI_MOTOR_HOUSING];
    rates[PKI_MOTOR_STATE_WINDING] = (R * *current * *current - flow) / c[PKI_MOTOR_C_WINDING];
    rates[PKI_MOTOR_STATE_HOUSING] = (flow - out) / c[PKI_MOTOR_C_HOUSING];
  }
  const double driving = c[PKI_MOTOR_NK] * *current - c[PKI_MOTOR_D] * w;
  if (!spring) {
    return driving;
  }
  rates[PKI_MOTOR_STATE_DEFLECTION] = w - in->u;
  rates[PKI_MOTOR_STATE_VELOCITY] = (driving - torque) / c[PKI_MOTOR_J];
  return torque;
}

double pki_motor_rate(const pk_motor_parameters *p, bool spring, const pk_actuator_input *in,
                      const double *state, double *rates)
{
  double c[PKI_MOTOR_CONSTANTS], current, voltage;
  pki_motor_constants(p, spring, c);
  return pki_motor_rate_of(c, spring, in, state, rates, &current, &voltage);
}
