/* The energies of a sim's actuators, step by step. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pronk/energy.h"
#include "step/world.h"

struct pk_energy_meter {
  pk_sim *sim;
  const pk_actuation *actuation;
  const pk_model *joints;
  int count;
  double late;
  pk_actuator_flow *last, *total; /* [count] */
  pk_battery_flow battery;
  /* at the start of the step that comes next, and at its end */
  double *state;           /* [nstate] */
  double *q;               /* [nq] */
  double *x, *u, *u_after; /* [nu] */
  double *tau;             /* [nu] */
};

/* Part of a step's mean velocity that is the one at its end; 0: the scheme is smooth. */
static double late_part(const pk_sim *sim)
{
  const bool contact = pki_steppers[sim->options.stepper]->contact;
  return !contact ? 0 : sim->options.stepper == PK_STEPPER_MOREAU ? 0.5 : 1;
}

pk_status pk_energy_meter_create(pk_sim *sim, pk_energy_meter **out, pk_error *err)
{
  const pk_actuation *a = sim->options.actuation;
  *out = NULL;
  if (a == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "actuation"},
                    "the sim has no actuators whose energy could be measured: set pk_sim_options.actuation");
  }
  const pk_model *joints = pk_sim_joint_model(sim);
  const size_t nu = (size_t)joints->nu, count = (size_t)a->count;
  pk_energy_meter *m = calloc(1, sizeof *m);
  double *memory = calloc((size_t)a->nstate + (size_t)joints->nq + 4 * nu + 1, sizeof *memory);
  pk_actuator_flow *flows = calloc(2 * count + 1, sizeof *flows);
  if (m == NULL || memory == NULL || flows == NULL) {
    free(m);
    free(memory);
    free(flows);
    return pki_fail_memory(err, "the energy meter");
  }
  *m = (pk_energy_meter){.sim = sim,
                         .actuation = a,
                         .joints = joints,
                         .count = a->count,
                         .late = late_part(sim),
                         .last = flows,
                         .total = flows + count,
                         .state = memory,
                         .q = memory + a->nstate};
  m->x = m->q + joints->nq;
  m->u = m->x + nu, m->u_after = m->u + nu, m->tau = m->u_after + nu;
  pk_energy_meter_begin(m);
  *out = m;
  return PK_OK;
}

void pk_energy_meter_destroy(pk_energy_meter *m)
{
  if (m != NULL) {
    free(m->state);
    free(m->last);
    free(m);
  }
}

void pk_energy_meter_begin(pk_energy_meter *m)
{
  const size_t real = sizeof(double);
  pk_sim_get_joints(m->sim, m->q, m->u);
  for (int k = 0; k < m->joints->nu; k++) {
    m->x[k] = m->joints->dof_q[k] >= 0 ? m->q[m->joints->dof_q[k]] : 0;
  }
  memcpy(m->state, m->sim->state.actuation, (size_t)m->actuation->nstate * real);
  memcpy(m->tau, pk_sim_tau(m->sim), (size_t)m->joints->nu * real);
}

void pk_energy_meter_step(pk_energy_meter *m)
{
  const pk_sim *sim = m->sim;
  const int n = m->joints->nu;
  pk_sim_get_joints(m->sim, m->q, m->u_after);
  const pk_flow_step step = {.dt = sim->options.dt,
                             .late = m->late,
                             .explicit_forces =
                                 m->late > 0 && sim->options.implicit != PK_IMPLICIT_FORCES_ALL,
                             .state_before = m->state,
                             .state = sim->state.actuation,
                             .x = m->x,
                             .u_before = m->u,
                             .u = m->u_after,
                             .tau_before = m->tau,
                             .tau = pk_sim_tau(sim),
                             .friction = sim->state.last_joint + (size_t)PKI_ROW_FRICTION * (size_t)n,
                             .own_friction = m->joints->dof_friction,
                             .commands = sim->acting,
                             .motors = sim->motors};
  pk_battery_flow battery;
  pk_actuation_flow(m->actuation, &step, m->last, &battery);
  for (int i = 0; i < m->count; i++) {
    pk_actuator_flow_add(&m->total[i], &m->last[i]);
  }
  pk_battery_flow_add(&m->battery, &battery);
  pk_energy_meter_begin(m);
}

pk_actuator_flow *pk_energy_meter_flows(pk_energy_meter *m)
{
  return m->total;
}

pk_battery_flow *pk_energy_meter_battery(pk_energy_meter *m)
{
  return &m->battery;
}

const pk_actuator_flow *pk_energy_meter_last(const pk_energy_meter *m)
{
  return m->last;
}

pk_actuator_flow pk_energy_meter_sum(const pk_energy_meter *m)
{
  pk_actuator_flow sum = {0};
  for (int i = 0; i < m->count; i++) {
    pk_actuator_flow_add(&sum, &m->total[i]);
  }
  return sum;
}
