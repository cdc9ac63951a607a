/* A spring beside the motor, on a pulley of radius r of the joint (Zobova 2017, eq. 5, with the factor r that makes a torque
 * of its force):
 *
 *   tau = r (k (p - r x) + d (p' - r u))  where p - r x < 0, else 0
 *
 * It pulls one way: a cable. Whether it is taut in a step follows from where the joint would be at its end with the velocity
 * of the start. */
#include <math.h>

#include "actuation/actuation.h"

#define SPRING(name) #name, offsetof(pk_parallel_spring_parameters, name)
const pk_field pki_actuator_parallel_spring_fields[] = {
    {SPRING(radius), PK_FIELD_REAL, "m", 1, 1e-9, 1e6, NULL, "of the joint's pulley"},
    {SPRING(stiffness), PK_FIELD_REAL, "N/m", 0, 0, 1e12, NULL, "of the spring"},
    {SPRING(damping), PK_FIELD_REAL, "N s/m", 0, 0, 1e12, NULL, "of the spring"},
    {SPRING(pretension), PK_FIELD_REAL, "m", 0, -1e6, 1e6, NULL, "where its far end is at first"},
    {SPRING(speed), PK_FIELD_REAL, "m/s", 0, 0, 1e6, NULL, "how fast its far end can move; 0: at once"},
    {SPRING(both_ways), PK_FIELD_BOOL, "", 0, 0, 1, NULL, "it pushes, too"},
};
enum {
  SPRING_FIELDS = sizeof pki_actuator_parallel_spring_fields / sizeof pki_actuator_parallel_spring_fields[0]
};
const int pki_actuator_parallel_spring_field_count = SPRING_FIELDS;

/* What is asked for comes first, so that a user can write it. */
enum { ASKED, PRETENSION };
static const char *const state_names[] = {"pretension_asked", "pretension"};
static const char *const state_units[] = {"m", "m"};

/* s, in which the far end settles in smooth schemes, where it cannot stop from one instant to the next. */
static const double LAG = 5e-3;

pk_parallel_spring_parameters pk_parallel_spring_parameters_default(void)
{
  pk_parallel_spring_parameters p;
  pki_fields_default(pki_actuator_parallel_spring_fields, SPRING_FIELDS, &p, sizeof p);
  return p;
}

static pk_status validate(const void *parameters, pk_error *err)
{
  const pk_parallel_spring_parameters *p = parameters;
  const pk_status status = pki_fields_validate(pki_actuator_parallel_spring_fields, SPRING_FIELDS, p, err);
  if (status == PK_OK && !(p->stiffness > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "stiffness"},
                    "a parallel spring needs a stiffness above 0 N/m");
  }
  return status;
}

static void reset(const void *parameters, double *state)
{
  const pk_parallel_spring_parameters *p = parameters;
  state[ASKED] = state[PRETENSION] = p->pretension;
}

/* The pretension at the end of the step. */
static double pretension_after(const pk_parallel_spring_parameters *p, double dt, const double *state)
{
  const double most = p->speed > 0 ? p->speed * dt : INFINITY;
  return state[PRETENSION] + fmax(fmin(state[ASKED] - state[PRETENSION], most), -most);
}

static void condense(const void *parameters, const pk_actuator_input *in, const double *state,
                     pk_force_law *law)
{
  const pk_parallel_spring_parameters *p = parameters;
  const double end = pretension_after(p, in->dt, state), r = p->radius;
  if (!p->both_ways && end - r * (in->x + in->reach * in->u) >= 0) {
    return; /* slack */
  }
  const double moves = p->speed > 0 && in->dt > 0 ? (end - state[PRETENSION]) / in->dt : 0;
  law->a = r * (p->stiffness * (end - r * in->x) + p->damping * moves);
  law->g = r * r * (p->stiffness * in->reach + p->damping);
}

static void finish(const void *parameters, const pk_actuator_input *in, double u, double tau, double *state)
{
  (void)u, (void)tau;
  state[PRETENSION] = pretension_after(parameters, in->dt, state);
}

static double rate(const void *parameters, const pk_actuator_input *in, const double *state, double *rates)
{
  const pk_parallel_spring_parameters *p = parameters;
  const double away = state[ASKED] - state[PRETENSION];
  const double at = p->speed > 0 ? state[PRETENSION] : state[ASKED];
  const double e = at - p->radius * in->x;
  rates[ASKED] = 0;
  rates[PRETENSION] = fmax(fmin(away / LAG, p->speed), -p->speed);
  return !p->both_ways && e >= 0
             ? 0
             : p->radius * (p->stiffness * e + p->damping * (rates[PRETENSION] - p->radius * in->u));
}

/* What it holds where its far end is e further out than the joint's. */
static double held_energy(const pk_parallel_spring_parameters *p, double e)
{
  return p->both_ways || e < 0 ? 0.5 * p->stiffness * e * e : 0;
}

/* With the tension T = tau / r, of which T_d is the damper's, and e = p - r x: what moves the far end does the work T dp, the damper
 * takes T_d de, the spring gets d(k e^2 / 2), and the step loses (T - T_d) de less that. */
static void flow(const void *parameters, const pk_actuator_input *in, const double *before,
                 const double *after, double u, double tau, pk_actuator_flow *f)
{
  const pk_parallel_spring_parameters *p = parameters;
  const bool smooth = in->late == 0, at_once = smooth && !(p->speed > 0);
  const double r = p->radius, start = before[at_once ? ASKED : PRETENSION],
               end = after[at_once ? ASKED : PRETENSION];
  const double x_start = smooth ? in->x : in->x - (in->dt - in->reach) * in->u;
  const double x_end = smooth ? in->x + 0.5 * in->dt * (in->u + u) : in->x + in->reach * u;
  const double e_start = start - r * x_start, e_end = end - r * x_end;
  const double foreseen = smooth ? e_end : end - r * (in->x + in->reach * in->u);
  const bool taut = p->both_ways || foreseen < 0;
  const double moves = p->speed > 0 && in->dt > 0 ? (end - start) / in->dt : 0;
  const double damper = taut ? p->damping * (moves - r * u) : 0, tension = tau / r;
  f->spring = held_energy(p, e_end) - held_energy(p, e_start);
  f->spring_damping = damper * (e_end - e_start);
  f->other = tension * (end - start);
  f->scheme += (tension - damper) * (e_end - e_start) - f->spring;
  if (smooth) { /* whatever is left */
    f->scheme = f->other - f->spring - f->spring_damping - f->mechanical;
  }
}

const pki_actuator_row pki_actuator_parallel_spring = {
    .kind = {.name = "parallel-spring",
             .parameters_size = sizeof(pk_parallel_spring_parameters),
             .nstate = 2,
             .state_names = state_names,
             .state_units = state_units,
             .adds = true,
             .validate = validate,
             .reset = reset,
             .condense = condense,
             .finish = finish,
             .rate = rate,
             .flow = flow},
    .doc = "a spring on a pulley beside another actuator, with a pretension",
    .fields = pki_actuator_parallel_spring_fields,
    .nfield = SPRING_FIELDS};
