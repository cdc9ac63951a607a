/* A hydraulic cylinder on a lever, fed by a servo valve (docs/theory/actuation.md). With the length l(x) of the cylinder, its
 * arm r = dl/dx, the speed v = r u of the piston and the opening y of the valve,
 *
 *   V_A / beta p_A' = Q_A - A_A v - c (p_A - p_B),   V_B / beta p_B' = -Q_B + A_B v + c (p_A - p_B)
 *   Q_A = K y root(supply - p_A) or K y root(p_A - tank),  Q_B = K y root(p_B - tank) or K y root(supply - p_B)
 *   F   = A_A p_A - A_B p_B - d v,   tau = r F,   y'' = w^2 (y_asked - y) - 2 zeta w y'
 *
 * by the sign of y; root(d) = d / (d^2 + (1e4 Pa)^2)^(1/4), a square root with a sign that is smooth at zero. In a step the
 * spool comes first, then pressures at the end with flows linearised at the start, which are lines of v. */
#include <math.h>

#include "actuation/actuation.h"

#define HYDRAULIC(name) #name, offsetof(pk_hydraulic_parameters, name)
const pk_field pki_actuator_hydraulic_fields[] = {
    {HYDRAULIC(area_a), PK_FIELD_REAL, "m^2", 2.011e-4, 1e-9, 1e3, NULL,
     "of the piston, the side that pushes"},
    {HYDRAULIC(area_b), PK_FIELD_REAL, "m^2", 1.225e-4, 1e-9, 1e3, NULL, "of the other side, around the rod"},
    {HYDRAULIC(stroke), PK_FIELD_REAL, "m", 0.08, 1e-6, 1e3, NULL, "of the piston"},
    {HYDRAULIC(dead_a), PK_FIELD_REAL, "m^3", 2.90e-6, 1e-12, 1e3, NULL,
     "volume that the piston never fills, first side"},
    {HYDRAULIC(dead_b), PK_FIELD_REAL, "m^3", 1.68e-6, 1e-12, 1e3, NULL, "likewise, other side"},
    {HYDRAULIC(supply), PK_FIELD_REAL, "Pa", 16e6, 0, 1e12, NULL, "pressure of the pump"},
    {HYDRAULIC(tank), PK_FIELD_REAL, "Pa", 0.1e6, 0, 1e12, NULL, "pressure of the return"},
    {HYDRAULIC(bulk), PK_FIELD_REAL, "Pa", 1.34e9, 1, 1e15, NULL, "modulus of the oil"},
    {HYDRAULIC(leakage), PK_FIELD_REAL, "m^3/(s Pa)", 1.7e-13, 0, 1, NULL, "past the piston"},
    {HYDRAULIC(damping), PK_FIELD_REAL, "N s/m", 700, 0, 1e12, NULL, "of the piston"},
    {HYDRAULIC(friction), PK_FIELD_REAL, "N", 100, 0, 1e12, NULL, "dry, of the piston"},
    {HYDRAULIC(rated_flow), PK_FIELD_REAL, "m^3/s", 1.25e-4, 1e-12, 1e3, NULL, "of the valve, fully open"},
    {HYDRAULIC(rated_drop), PK_FIELD_REAL, "Pa", 3.5e6, 1, 1e12, NULL, "over one edge of it at that flow"},
    {HYDRAULIC(spool_frequency), PK_FIELD_REAL, "Hz", 250, 1e-3, 1e9, NULL, "of the spool"},
    {HYDRAULIC(spool_damping), PK_FIELD_REAL, "", 0.5, 0, 1e3, NULL, "of the spool, 1: critical"},
    {HYDRAULIC(side_a), PK_FIELD_REAL, "m", 0, 0, 1e3, NULL,
     "from the joint to one end of the cylinder; 0: no lever"},
    {HYDRAULIC(side_b), PK_FIELD_REAL, "m", 0, 0, 1e3, NULL, "from the joint to the other end"},
    {HYDRAULIC(angle), PK_FIELD_REAL, "rad", 1.5707963267948966, -10, 10, NULL, "between the two at x = 0"},
    {HYDRAULIC(sign), PK_FIELD_REAL, "", 1, -1, 1, NULL, "1 or -1: the angle grows or falls with x"},
    {HYDRAULIC(retracted), PK_FIELD_REAL, "m", 0, 0, 1e3, NULL,
     "length of the cylinder with the piston all the way in; without a lever it is at mid-stroke for x = 0"},
    {HYDRAULIC(force_gain), PK_FIELD_REAL, "1/s", 0, 0, 1e9, NULL,
     "bandwidth of a loop that makes the command's force; 0: the command is the valve's opening, -1 to 1"},
};
enum { HYDRAULIC_FIELDS = sizeof pki_actuator_hydraulic_fields / sizeof pki_actuator_hydraulic_fields[0] };
const int pki_actuator_hydraulic_field_count = HYDRAULIC_FIELDS;

enum { PRESSURE_A, PRESSURE_B, OPENING, SPOOL, STATES };
static const char *const state_names[] = {"pressure_a", "pressure_b", "opening", "spool_rate"};
static const char *const state_units[] = {"Pa", "Pa", "", "1/s"};

/* Pa, below which the root of a drop is smooth. */
static const double SMOOTH = 1e4;

pk_hydraulic_parameters pk_hydraulic_parameters_default(void)
{
  pk_hydraulic_parameters p;
  pki_fields_default(pki_actuator_hydraulic_fields, HYDRAULIC_FIELDS, &p, sizeof p);
  return p;
}

static pk_status validate(const void *parameters, pk_error *err)
{
  const pk_hydraulic_parameters *p = parameters;
  const pk_status status = pki_fields_validate(pki_actuator_hydraulic_fields, HYDRAULIC_FIELDS, p, err);
  if (status == PK_OK && !(p->supply > p->tank)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "supply"},
                    "supply is %g Pa, expected more than tank, which is %g Pa", p->supply, p->tank);
  }
  if (status == PK_OK && (p->side_a > 0) != (p->side_b > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "side_b"},
                    "a lever has two sides: give side_a and side_b, or none");
  }
  const double shortest = fabs(p->side_a - p->side_b), longest = p->side_a + p->side_b;
  if (status == PK_OK && p->side_a > 0 && !(p->retracted < longest && p->retracted + p->stroke > shortest)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "retracted"},
                    "the cylinder is %g to %g m long, but its lever asks for %g to %g m: give retracted, its "
                    "length with the piston all the way in",
                    p->retracted, p->retracted + p->stroke, shortest, longest);
  }
  if (status == PK_OK && fabs(p->sign) != 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sign"}, "sign is %g, expected 1 or -1",
                    p->sign);
  }
  return status;
}

static void reset(const void *parameters, double *state)
{
  const pk_hydraulic_parameters *p = parameters;
  state[PRESSURE_B] = 0.5 * (p->supply + p->tank);
  state[PRESSURE_A] = state[PRESSURE_B] * p->area_b / p->area_a; /* no force */
}

/* ---- the lever ---- */

/* m: how far the piston is out, within its stroke; and its arm, m/rad. */
static double piston_at(const pk_hydraulic_parameters *p, double x, double *arm)
{
  double out = x + 0.5 * p->stroke;
  *arm = 1;
  if (p->side_a > 0) {
    const double angle = p->angle + p->sign * x, a = p->side_a, b = p->side_b;
    const double length = sqrt(fmax(a * a + b * b - 2 * a * b * cos(angle), 1e-12));
    *arm = p->sign * a * b * sin(angle) / length;
    out = length - p->retracted;
  }
  return fmax(fmin(out, p->stroke), 0);
}

/* ---- the valve ---- */

/* A signed root that is smooth at zero, and its slope. */
static double smooth_root(double drop, double *slope)
{
  const double square = drop * drop + SMOOTH * SMOOTH, root = sqrt(sqrt(square));
  *slope = (1 - 0.5 * drop * drop / square) / root;
  return drop / root;
}

/* Flows into A and out of B, and how they change with the pressure there. */
typedef struct flows {
  double a, b, a_by_p, b_by_p;
} flows;

static flows valve_flows(const pk_hydraulic_parameters *p, double y, const double *state)
{
  const double K = p->rated_flow / sqrt(p->rated_drop) * fmax(fmin(y, 1), -1); /* no more than open */
  const double drop_a = y > 0 ? p->supply - state[PRESSURE_A] : state[PRESSURE_A] - p->tank;
  const double drop_b = y > 0 ? state[PRESSURE_B] - p->tank : p->supply - state[PRESSURE_B];
  double slope_a, slope_b;
  flows q = {.a = K * smooth_root(drop_a, &slope_a), .b = K * smooth_root(drop_b, &slope_b)};
  q.a_by_p = -fabs(K) * slope_a; /* a higher pressure lets less in */
  q.b_by_p = fabs(K) * slope_b;  /* and more out */
  return q;
}

/* The opening that is asked for: the command itself, or that of the flow which moves with the piston and corrects the force. */
static double opening_asked(const pk_hydraulic_parameters *p, const pk_actuator_input *in,
                            const double *state)
{
  const pk_command *c = &in->command;
  const double wanted = c->tau + c->kp * (c->q_des - in->x) + c->kd * (c->u_des - in->u);
  if (p->force_gain == 0) {
    return fmax(fmin(wanted, 1), -1);
  }
  double arm, slope;
  const double out = piston_at(p, in->x, &arm), v = arm * in->u;
  const double most = c->tau_max, tau = fmax(fmin(wanted, most), -most);
  const double by = fabs(arm) > 1e-6 ? arm : 1e-6;
  const double force = p->area_a * state[PRESSURE_A] - p->area_b * state[PRESSURE_B];
  const double Va = p->dead_a + p->area_a * out, Vb = p->dead_b + p->area_b * (p->stroke - out);
  const double stiff = p->bulk * (p->area_a * p->area_a / Va + p->area_b * p->area_b / Vb);
  const double speed = v + p->force_gain * (tau / by - force + p->damping * v) / stiff;
  const double drop = speed > 0 ? p->supply - state[PRESSURE_A] : state[PRESSURE_A] - p->tank;
  const double flow = p->rated_flow / sqrt(p->rated_drop) * smooth_root(fmax(drop, SMOOTH), &slope);
  return fmax(fmin(p->area_a * speed / flow, 1), -1);
}

/* The spool at the end of the step, by the implicit Euler scheme. */
static void move_spool(const pk_hydraulic_parameters *p, double asked, double dt, double *opening,
                       double *rate)
{
  const double w = 2 * 3.141592653589793 * p->spool_frequency, h = dt * w;
  *rate = (*rate + h * w * (asked - *opening)) / (1 + 2 * p->spool_damping * h + h * h);
  *opening += dt * *rate;
}

/* ---- a step ---- */

/* Pressures at the end as lines of the piston's speed: p - by v; and the arm. */
typedef struct chambers {
  double a, b, a_by_v, b_by_v, arm, opening, spool;
} chambers;

static chambers condense_chambers(const pk_hydraulic_parameters *p, const pk_actuator_input *in,
                                  const double *state)
{
  chambers c = {.opening = state[OPENING], .spool = state[SPOOL]};
  const double out = piston_at(p, in->x, &c.arm);
  move_spool(p, opening_asked(p, in, state), in->dt, &c.opening, &c.spool);
  const flows q = valve_flows(p, c.opening, state);
  const double leak = p->leakage * (state[PRESSURE_A] - state[PRESSURE_B]);
  const double stiff_a = in->dt * p->bulk / (p->dead_a + p->area_a * out);
  const double stiff_b = in->dt * p->bulk / (p->dead_b + p->area_b * (p->stroke - out));
  const double by_a = stiff_a / (1 - stiff_a * (q.a_by_p - p->leakage));
  const double by_b = stiff_b / (1 + stiff_b * (q.b_by_p + p->leakage));
  c.a = state[PRESSURE_A] + by_a * (q.a - leak), c.a_by_v = by_a * p->area_a;
  c.b = state[PRESSURE_B] + by_b * (leak - q.b), c.b_by_v = -by_b * p->area_b;
  return c;
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  const pk_hydraulic_parameters *p = parameters;
  const chambers c = condense_chambers(p, in, state);
  law->a = c.arm * (p->area_a * c.a - p->area_b * c.b);
  law->g = c.arm * c.arm * (p->area_a * c.a_by_v - p->area_b * c.b_by_v + p->damping);
  law->friction = fabs(c.arm) * p->friction;
}

static void finish(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state)
{
  const chambers c = condense_chambers(parameters, in, state);
  (void)tau;
  state[PRESSURE_A] = c.a - c.a_by_v * c.arm * u;
  state[PRESSURE_B] = c.b - c.b_by_v * c.arm * u;
  state[OPENING] = c.opening, state[SPOOL] = c.spool;
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  const pk_hydraulic_parameters *p = parameters;
  const double w = 2 * 3.141592653589793 * p->spool_frequency;
  const flows q = valve_flows(p, state[OPENING], state);
  const double leak = p->leakage * (state[PRESSURE_A] - state[PRESSURE_B]);
  double arm;
  const double out = piston_at(p, in->x, &arm), v = arm * in->u;
  rates[PRESSURE_A] = p->bulk / (p->dead_a + p->area_a * out) * (q.a - p->area_a * v - leak);
  rates[PRESSURE_B] = p->bulk / (p->dead_b + p->area_b * (p->stroke - out)) * (-q.b + p->area_b * v + leak);
  rates[OPENING] = state[SPOOL];
  rates[SPOOL] =
      w * w * (opening_asked(p, in, state) - state[OPENING]) - 2 * p->spool_damping * w * state[SPOOL];
  return arm * (p->area_a * state[PRESSURE_A] - p->area_b * state[PRESSURE_B] - p->damping * v);
}

const pki_actuator_row pki_actuator_hydraulic = {
    .kind = {.name = "hydraulic",
             .parameters_size = sizeof(pk_hydraulic_parameters),
             .nstate = STATES,
             .state_names = state_names,
             .state_units = state_units,
             .validate = validate,
             .reset = reset,
             .condense = condense,
             .finish = finish,
             .rate = rate},
    .doc = "a cylinder on a lever, two chambers and a servo valve; defaults: HyQ's leg",
    .fields = pki_actuator_hydraulic_fields,
    .nfield = HYDRAULIC_FIELDS};
