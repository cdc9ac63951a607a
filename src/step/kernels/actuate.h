/* Actuators on lanes: their force laws at the start of the step, their states at its end. Motors in all lanes at once
 * (actuation/motor_kernel.h), other kinds lane by lane. */
#ifndef PKI_STEP_ACTUATE_H
#define PKI_STEP_ACTUATE_H

#include "step/kernels/force_law.h"

/* A part of the step's mean velocity is that of its end. */
PKI_INLINE double pki_late_part(const pki_group_plan *p)
{
  return p->midpoint ? 0.5 : 1;
}

PKI_INLINE pk_r pki_bus_voltage(const pki_lanes *f)
{
  const pk_actuation *a = f->p->actuation;
  return a->has_battery ? pki_reals(f->g->actuators.state)[pki_battery_limit(a)] : pki_splat(INFINITY);
}

/* What the step tells the motor of joint k. */
PKI_INLINE pki_motor_input pki_motor_input_of(const pki_lanes *f, int k, const double *rates)
{
  const pki_group *g = f->g;
  const pk_r *const c = pki_reals(g->joint.command) + PKI_COMMAND_NUMBERS * k;
  return (pki_motor_input){.warms = f->p->actuation->hot,
                           .simple = f->p->actuation->simple,
                           .dt = f->p->dt,
                           .reach = f->p->reach,
                           .late = pki_late_part(f->p),
                           .x = pki_reals(g->joint.x)[k],
                           .u = pki_reals(rates)[k],
                           .tau = c[0],
                           .q_des = c[1],
                           .u_des = c[2],
                           .kp = c[3],
                           .kd = c[4],
                           .most = c[5],
                           .bus = pki_bus_voltage(f)};
}

/* The same for an actuator of another kind, in one lane. */
static pk_actuator_input pki_actuator_input_of(const pki_lanes *f, int k, int lane, const double *rates)
{
  const pki_group *g = f->g;
  double c[PKI_COMMAND_NUMBERS];
  for (int e = 0; e < PKI_COMMAND_NUMBERS; e++) {
    c[e] = pki_entry_of(g->joint.command, PKI_COMMAND_NUMBERS * k + e, lane);
  }
  return (pk_actuator_input){.dt = f->p->dt,
                             .reach = f->p->reach,
                             .late = pki_late_part(f->p),
                             .x = pki_entry_of(g->joint.x, k, lane),
                             .u = pki_entry_of(rates, k, lane),
                             .command = {.tau = c[PKI_COMMAND_TAU],
                                         .q_des = c[PKI_COMMAND_Q],
                                         .u_des = c[PKI_COMMAND_U],
                                         .kp = c[PKI_COMMAND_KP],
                                         .kd = c[PKI_COMMAND_KD],
                                         .tau_max = c[PKI_COMMAND_MOST]},
                             .bus = pki_lane(pki_bus_voltage(f), lane)};
}

/* States of one lane, out of the group or into it. */
PKI_INLINE void pki_copy_states(const pki_group *g, const pki_actuator_entry *entry, int lane, double *one,
                                bool back)
{
  for (int e = 0; e < entry->actuator.kind->nstate; e++) {
    double *const at = g->actuators.state + (entry->state + e) * PKI_LANES + lane;
    *(back ? at : &one[e]) = back ? one[e] : *at;
  }
}

/* Laws of actuators that are no motors. Those that add to others join the constant line of their joint in `added`. */
static void pki_condense_others(const pki_lanes *f, const double *rates)
{
  const pki_group *g = f->g;
  const pk_actuation *a = f->p->actuation;
  double state[PKI_ACTUATOR_STATES_MOST], *const law = g->joint.law, *const added = g->joint.added;
  for (int n = a->nmotor; n < a->count; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const pk_actuator *actuator = &entry->actuator;
    const int k = actuator->dof;
    for (int l = 0; l < PKI_LANES; l++) {
      const pk_actuator_input in = pki_actuator_input_of(f, k, l, rates);
      pk_force_law made = pk_force_law_none();
      double numbers[PKI_LAW_NUMBERS];
      pki_copy_states(g, entry, l, state, false);
      actuator->kind->condense(actuator->parameters, &in, state, &made);
      memcpy(numbers, &made, sizeof made);
      for (int e = 0; e < PKI_LAW_NUMBERS && !actuator->kind->adds; e++) {
        law[(PKI_LAW_NUMBERS * k + e) * PKI_LANES + l] = numbers[e];
      }
      for (int e = 0; e < 2 && actuator->kind->adds; e++) {
        added[(2 * k + e) * PKI_LANES + l] += numbers[PKI_LAW_A + e];
      }
      if (actuator->kind->adds) {
        law[(PKI_LAW_NUMBERS * k + PKI_LAW_FRICTION) * PKI_LANES + l] += made.friction;
      }
    }
  }
}

/* The laws of all joints with actuators. */
static void pki_condense_actuators(const pki_lanes *f, const double *rates)
{
  const pki_group *g = f->g;
  const pk_actuation *a = f->p->actuation;
  const pk_r *const constants = pki_reals(g->actuators.motors);
  for (int n = 0; n < a->nmotor; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const int k = entry->actuator.dof;
    const pki_motor_input in = pki_motor_input_of(f, k, rates);
    const pk_r *const c = constants + n * PKI_MOTOR_CONSTANTS, *const state = pki_reals(g->actuators.state) +
                                                                              entry->state;
    pk_r *const law = pki_law_of_joint(g, k);
    if (a->has_spring[n]) {
      pki_motor_law(c, state, &in, true, law);
    } else {
      pki_motor_law(c, state, &in, false, law);
    }
  }
  pki_condense_others(f, rates);
}

/* What the battery's motors draw: the power of all; and of those at the limit of voltage the bus current that they would draw without
 * voltage, and how it grows by volt, with the power of the others. */
typedef struct pki_bus_load {
  pk_r power, others, current, conductance;
} pki_bus_load;

static pki_bus_load pki_load_of_bus(const pki_lanes *f)
{
  const pk_actuation *a = f->p->actuation;
  const pk_r *const state = pki_reals(f->g->actuators.state), *const constants =
                                                                  pki_reals(f->g->actuators.motors);
  const pk_r zero = pki_splat(0), limit = state[pki_battery_limit(a)];
  pki_bus_load load = {zero, zero, zero, zero};
  for (int n = 0; n < a->nmotor; n++) {
    const pk_r *const motor = state + a->list[a->order[n]].state, *const c =
                                                                      constants + n * PKI_MOTOR_CONSTANTS;
    const pk_r V = motor[PKI_MOTOR_STATE_VOLTAGE], i = motor[PKI_MOTOR_STATE_CURRENT], volts = pki_abs(V);
    const pk_i held = pki_at_most((1 - 1e-9) * limit, volts);
    const pk_r alpha = f->p->dt / (c[PKI_MOTOR_L] + f->p->dt * c[PKI_MOTOR_R]);
    load.power += V * i;
    load.others += pki_select(held, zero, V * i);
    load.conductance += pki_where_set(held, alpha);
    load.current += pki_where_set(held, pki_select(pki_less(V, zero), -i, i) - alpha * volts);
  }
  return load;
}

/* V with V = open - R (current + conductance V + power / V), the larger one; without one, half of what there is at no power. */
PKI_INLINE pk_r pki_bus_at(pk_r open, double R, pk_r current, pk_r conductance, pk_r power)
{
  const pk_r A = 1.0 + R * conductance, B = open - R * current;
  return (B + pki_sqrt(pki_max(pki_splat(0), B * B - 4 * R * A * power))) / (2.0 * A);
}

/* What the battery gives in the step: the bus at its end by the power that was drawn, and the charge. What motors can have in the next
 * step takes into account that those at the limit of voltage draw less when it falls: the bus would swing from step to step. */
static void pki_finish_battery(const pki_lanes *f)
{
  const pk_actuation *a = f->p->actuation;
  const pk_battery *b = &a->battery;
  pk_r *const state = pki_out(f->g->actuators.state), zero = pki_splat(0);
  pk_r *const bus = state + pki_battery_state(a), *const charge = bus + 1;
  const pki_bus_load load = pki_load_of_bus(f);
  const bool runs_down = b->capacity > 0;
  const pk_i full = runs_down ? pki_at_most(*charge, zero) : pki_mask_none();
  const pk_i empty = runs_down ? pki_at_most(pki_splat(b->capacity), *charge) : pki_mask_none();
  const pk_r least =
      pki_select(full, zero, pki_splat(-b->regeneration)); /* a full battery takes nothing back */
  const pk_r power = pki_max(load.power, least);
  const pk_r open = pki_battery_open(b, *charge);
  const pk_r limit =
      pki_bus_at(open, b->resistance, load.current, load.conductance, pki_max(load.others, least));
  const pk_r high = pki_bus_at(open, b->resistance, zero, zero, power);
  /* two voltages give the same power; a bus that is pulled below half of its open voltage is at the lower one */
  const pk_i low = pki_less(limit, 0.5 * open) & pki_less(zero, power);
  *bus = pki_select(low, open - high, high);
  state[pki_battery_limit(a)] = pki_select(empty, zero, limit);
  *charge += f->p->dt * (power / *bus);
}

/* The states at the end: rates are those of the end, `before` those of the start. */
static void pki_finish_actuators(const pki_lanes *f, const double *before, const double *rates)
{
  const pki_group *g = f->g;
  const pk_actuation *a = f->p->actuation;
  const pk_r *const constants = pki_reals(g->actuators.motors);
  double one[PKI_ACTUATOR_STATES_MOST];
  for (int n = 0; n < a->nmotor; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const int k = entry->actuator.dof;
    const pki_motor_input in = pki_motor_input_of(f, k, before);
    const pk_r *const c = constants + n * PKI_MOTOR_CONSTANTS, u = pki_reals(rates)[k],
                      tau = pki_reals(g->joint.tau)[k];
    pk_r *const state = pki_out(g->actuators.state) + entry->state;
    if (a->has_spring[n]) {
      pki_motor_end(c, &in, true, u, tau, state);
    } else {
      pki_motor_end(c, &in, false, u, tau, state);
    }
  }
  for (int n = a->nmotor; n < a->count; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const pk_actuator *actuator = &entry->actuator;
    const int k = actuator->dof;
    for (int l = 0; l < PKI_LANES && actuator->kind->finish != NULL; l++) {
      const pk_actuator_input in = pki_actuator_input_of(f, k, l, before);
      const double u = pki_entry_of(rates, k, l);
      double tau = pki_entry_of(g->joint.tau, k, l);
      pki_copy_states(g, entry, l, one, false);
      if (actuator->kind->adds) { /* its own line, not the law that it adds to */
        pk_force_law own = pk_force_law_none();
        actuator->kind->condense(actuator->parameters, &in, one, &own);
        tau = own.a - own.g * u;
      }
      actuator->kind->finish(actuator->parameters, &in, u, tau, one);
      pki_copy_states(g, entry, l, one, true);
    }
  }
  if (a->has_battery) {
    pki_finish_battery(f);
  }
}

#endif
