/* Energies of actuators in a step (docs/theory/energy.md).
 *
 * With w_m = late w_E + (1 - late) w_S, the velocity that a step works with, and everything at the joint's side of the gear, the
 * equations of motor_kernel.h times dt i_E, dt w_m and dt (w_m - u_m) are
 *
 *   dt V i_E   = dt R i_E^2 + d(L i^2 / 2) + L di^2 / 2 + dt K i_E w_m
 *   dt K i w_m = d(J w^2 / 2) + (late - 1/2) J dw^2 + dt (D w_E + rub + tau) w_m
 *   dt tau (w_m - u_m) = dt D_s (w_E - u_E) (w_m - u_m) + T de,   de = dt (w_m - u_m)
 *   dt tau u_m = dt tau (u_S + u_E) / 2 + (late - 1/2) dt tau du
 *
 * where T is the torque that the step took from the spring, and T de less the change of its energy is the step's own. */
#include <math.h>
#include <string.h>

#include "actuation/motor_kernel.h"

/* ---- sums ---- */

void pk_actuator_flow_add(pk_actuator_flow *sum, const pk_actuator_flow *more)
{
  enum { NUMBERS = sizeof(pk_actuator_flow) / sizeof(double) };
  double *const to = &sum->electrical;
  const double *const from = &more->electrical;
  for (int e = 0; e < NUMBERS; e++) {
    to[e] += from[e];
  }
}

void pk_battery_flow_add(pk_battery_flow *sum, const pk_battery_flow *more)
{
  sum->given += more->given;
  sum->taken_back += more->taken_back;
  sum->lost += more->lost;
  sum->braked += more->braked;
  sum->overdrawn += more->overdrawn;
}

/* What went out, the numerical loss not counted. */
static double flow_out(const pk_actuator_flow *f)
{
  return f->joule + f->viscous + f->rotor_friction + f->spring_damping + f->gear + f->magnetic + f->rotor +
         f->spring + f->mechanical;
}

double pk_actuator_flow_residual(const pk_actuator_flow *f)
{
  return f->electrical + f->other - flow_out(f) - f->scheme;
}

double pk_battery_flow_residual(const pk_battery_flow *f, double electrical)
{
  return f->given - f->lost + f->overdrawn - electrical - f->braked;
}

/* ---- one joint ---- */

/* What a step did at the joint of an actuator. */
typedef struct joint_step {
  double dt, late;
  double u_start, u_end; /* of the joint */
  double u_seen;         /* that which the force is of: the end, or with explicit forces the start */
  double tau, tau_start;
  double rubbed; /* J, heat of the gear's part of the joint's dry friction */
} joint_step;

/* Of the joint and of a rotor: the velocity that the step works with. */
static double working_mean(const joint_step *j, double start, double end)
{
  return j->late * end + (1 - j->late) * start;
}

/* Work of the force on the joint. What gear takes of it is lost on the way. */
static double joint_work(const joint_step *j)
{
  return j->late > 0 ? j->dt * j->tau * 0.5 * (j->u_start + j->u_end)
                     : 0.5 * j->dt * (j->tau_start * j->u_start + j->tau * j->u_end);
}

/* Beyond the play the spring of a motor has the torque k d (1 + s d^2). Within it the step gives it next to no stiffness, and no
 * torque. */
static const double LOOSE = 1e-6;

static double spring_stretch(const double *c, double e)
{
  return copysign(fmax(fabs(e) - c[PKI_MOTOR_PLAY], 0), e);
}

static double spring_energy(const double *c, double e)
{
  const double d = spring_stretch(c, e);
  return c[PKI_MOTOR_SPRING] * d * d * (0.5 + 0.25 * c[PKI_MOTOR_STIFFENING] * d * d);
}

/* The tangent at e, where it is `on` further. */
static double spring_tangent(const double *c, double e, double on)
{
  const double k = c[PKI_MOTOR_SPRING] * (fabs(e) < c[PKI_MOTOR_PLAY] ? LOOSE : 1), d = spring_stretch(c, e);
  const double stiff = c[PKI_MOTOR_STIFFENING] * d * d;
  return k * ((1 + stiff) * d + (1 + 3 * stiff) * on);
}

static double square(double x)
{
  return x * x;
}

/* ---- motors ---- */

/* What motors store, by their states alone. */
static void store_in_motor(const double *c, bool spring, const double *before, const double *after,
                           pk_actuator_flow *f)
{
  enum { I = PKI_MOTOR_STATE_CURRENT, W = PKI_MOTOR_STATE_VELOCITY, E = PKI_MOTOR_STATE_DEFLECTION };
  f->magnetic = 0.5 * c[PKI_MOTOR_L] * (square(after[I]) - square(before[I]));
  if (spring) {
    f->rotor = 0.5 * c[PKI_MOTOR_J] * (square(after[W]) - square(before[W]));
    f->spring = spring_energy(c, after[E]) - spring_energy(c, before[E]);
  }
}

/* In euler and moreau: term by term. */
static void motor_flow(const double *c, bool spring, const joint_step *j, const double *before,
                       const double *after, pk_actuator_flow *f)
{
  const double dt = j->dt, i = after[PKI_MOTOR_STATE_CURRENT], di = i - before[PKI_MOTOR_STATE_CURRENT];
  const double w_start = spring ? before[PKI_MOTOR_STATE_VELOCITY] : j->u_start;
  const double w = spring ? after[PKI_MOTOR_STATE_VELOCITY] : j->u_seen, dw = w - w_start;
  const double w_mean = working_mean(j, w_start, w), u_mean = working_mean(j, j->u_start, j->u_seen);
  store_in_motor(c, spring, before, after, f);
  f->electrical = dt * after[PKI_MOTOR_STATE_VOLTAGE] * i;
  f->joule = dt * pki_winding_resistance(c, before) * i * i;
  f->viscous = dt * c[PKI_MOTOR_D] * w * w_mean;
  f->scheme = 0.5 * c[PKI_MOTOR_L] * di * di;
  if (spring) {
    const double e = before[PKI_MOTOR_STATE_DEFLECTION], damper = c[PKI_MOTOR_SPRING_D] * (w - j->u_seen);
    const double moved = dt * (w_mean - u_mean);
    /* the torque at the deflection that the step foresaw, and its tangent from there */
    const double foreseen = e + (1 - j->late) * dt * (w_start - j->u_start);
    const double torque = spring_tangent(c, foreseen, e + moved - foreseen);
    f->rotor_friction = dt * after[PKI_MOTOR_STATE_RUB] * w_mean;
    f->spring_damping = damper * moved;
    f->scheme += (j->late - 0.5) * c[PKI_MOTOR_J] * dw * dw + torque * moved - f->spring;
  }
  f->scheme += dt * j->tau * (u_mean - 0.5 * (j->u_start + j->u_end));
}

/* In smooth schemes: powers at both ends of the step. */
static void smooth_motor_flow(const double *c, bool spring, const joint_step *j, const double *before,
                              const double *after, pk_actuator_flow *f)
{
  const double *const ends[2] = {before, after}, rates[2] = {j->u_start, j->u_end};
  store_in_motor(c, spring, before, after, f);
  for (int e = 0; e < 2; e++) {
    const double *s = ends[e], i = s[PKI_MOTOR_STATE_CURRENT];
    const double w = spring ? s[PKI_MOTOR_STATE_VELOCITY] : rates[e], half = 0.5 * j->dt;
    f->electrical += half * s[PKI_MOTOR_STATE_VOLTAGE] * i;
    f->joule += half * pki_winding_resistance(c, s) * i * i;
    f->viscous += half * c[PKI_MOTOR_D] * w * w;
    f->spring_damping += spring ? half * c[PKI_MOTOR_SPRING_D] * square(w - rates[e]) : 0;
  }
  f->scheme = f->electrical - flow_out(f);
}

/* ---- other kinds ---- */

/* The force of one that adds to others is not in the joint's: its law tells it. In smooth schemes its rate does, at both ends. */
static void added_force(const pk_actuator *a, const pk_actuator_input *in, const double *before,
                        const double *after, joint_step *j)
{
  double unused[PKI_ACTUATOR_STATES_MOST];
  if (j->late > 0) {
    pk_force_law law = pk_force_law_none();
    a->kind->condense(a->parameters, in, before, &law);
    j->tau = pk_force_law_at(&law, j->u_seen);
    return;
  }
  pk_actuator_input end = *in;
  end.x += 0.5 * j->dt * (j->u_start + j->u_end), end.u = j->u_end;
  j->tau_start = a->kind->rate(a->parameters, in, before, unused);
  j->tau = a->kind->rate(a->parameters, &end, after, unused);
}

static void other_flow(const pk_actuator *a, const pk_actuator_input *in, joint_step *j, const double *before,
                       const double *after, pk_actuator_flow *f)
{
  if (a->kind->adds) {
    added_force(a, in, before, after, j);
  }
  const double work = joint_work(j), u_mean = working_mean(j, j->u_start, j->u_seen);
  f->gear = a->kind->adds ? 0 : j->rubbed;
  f->mechanical = work - f->gear;
  f->scheme = j->late > 0 ? j->dt * j->tau * (u_mean - 0.5 * (j->u_start + j->u_end)) : 0;
  f->other = work + f->scheme;
  if (a->kind->flow != NULL) {
    a->kind->flow(a->parameters, in, before, after, j->late > 0 ? j->u_seen : j->u_end, j->tau, f);
  }
}

/* ---- all of them ---- */

static pk_actuator_input input_of(const pk_actuation *a, const pk_flow_step *s, int k)
{
  const pk_command none = {.tau_max = INFINITY};
  const bool smooth = s->late == 0;
  pk_actuator_input in = {.dt = s->dt,
                          .reach = smooth ? 0 : s->late * s->dt,
                          .late = s->late,
                          .x = s->x[k],
                          .u = s->u_before[k],
                          .command = s->commands != NULL ? s->commands[k] : none,
                          .bus = a->has_battery ? s->state_before[pki_battery_limit(a)] : INFINITY};
  in.x += smooth || s->explicit_forces ? 0 : (in.dt - in.reach) * in.u;
  in.command.tau_max = in.command.tau_max > 0 ? in.command.tau_max : INFINITY;
  return in;
}

/* The dry friction that the actuator puts on its joint, N m or N. */
static double friction_of(const pk_actuator *a, const double *c, bool spring, const pk_actuator_input *in,
                          const double *before)
{
  if (c != NULL) {
    return spring ? 0 : pki_motor_friction(c, before[PKI_MOTOR_STATE_CURRENT], in->u);
  }
  pk_force_law law = pk_force_law_none();
  a->kind->condense(a->parameters, in, before, &law);
  return law.friction;
}

/* The joint of an actuator, whose friction is of gear and joint together, each by its part of the bound. */
static joint_step joint_of(const pk_flow_step *s, int k, double friction)
{
  joint_step j = {.dt = s->dt,
                  .late = s->late,
                  .u_start = s->u_before[k],
                  .u_end = s->u[k],
                  .u_seen = s->explicit_forces ? s->u_before[k] : s->u[k],
                  .tau = s->tau[k],
                  .tau_start = s->tau_before != NULL ? s->tau_before[k] : 0};
  if (s->friction != NULL && friction > 0) {
    const double all = friction + (s->own_friction != NULL ? s->own_friction[k] : 0);
    j.rubbed = -s->friction[k] * (friction / all) * 0.5 * (j.u_start + j.u_end);
  }
  return j;
}

/* The battery's step, kernels in step/kernels/actuate.h: the power of all motors at the end, the open voltage at the start. */
static pk_battery_flow battery_flow(const pk_actuation *a, const pk_flow_step *s, double electrical)
{
  const pk_battery *b = &a->battery;
  const double *before = s->state_before + pki_battery_state(a), *after = s->state + pki_battery_state(a);
  pk_battery_flow f = {.given = electrical};
  if (s->late > 0) {
    const double open = pki_battery_open(b, before[1]),
                 least = b->capacity > 0 && before[1] <= 0 ? 0 : -s->dt * b->regeneration;
    const double taken = fmax(electrical, least), current = taken / (s->dt * after[0]);
    f.given = s->dt * open * current;
    f.lost = s->dt * b->resistance * current * current;
    f.braked = taken - electrical;
    /* beyond its largest power the bus stays at half of the open voltage */
    const bool beyond = square(open) < 4 * b->resistance * (taken / s->dt);
    f.overdrawn = beyond ? taken - (f.given - f.lost) : 0;
  }
  f.taken_back = fmax(-f.given, 0);
  return f;
}

void pk_actuation_flow(const pk_actuation *a, const pk_flow_step *s, pk_actuator_flow *flow,
                       pk_battery_flow *battery)
{
  const double *const constants = s->motors != NULL ? s->motors : a->constants;
  double electrical = 0;
  for (int n = 0; n < a->count; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const pk_actuator *actuator = &entry->actuator;
    const double *before = s->state_before + entry->state, *after = s->state + entry->state;
    const double *c = n < a->nmotor ? constants + (size_t)n * PKI_MOTOR_CONSTANTS : NULL;
    const bool spring = c != NULL && a->has_spring[n];
    const pk_actuator_input in = input_of(a, s, actuator->dof);
    joint_step j = joint_of(s, actuator->dof, friction_of(actuator, c, spring, &in, before));
    pk_actuator_flow f = {0};
    if (c != NULL) {
      f.gear = j.rubbed, f.mechanical = joint_work(&j) - f.gear;
      (s->late > 0 ? motor_flow : smooth_motor_flow)(c, spring, &j, before, after, &f);
      f.regenerated = fmax(-f.electrical, 0);
    } else {
      other_flow(actuator, &in, &j, before, after, &f);
    }
    electrical += f.electrical;
    if (flow != NULL) {
      flow[a->order[n]] = f;
    }
  }
  if (battery != NULL) {
    *battery = a->has_battery ? battery_flow(a, s, electrical) : (pk_battery_flow){0};
  }
}
