/* Joint forces and accelerations of smooth motion, which the schemes without contact evaluate at their stages. */
#include <math.h>
#include <string.h>

#include "step/contact.h"
#include "step/pushes.h"

/* x within +-most. */
static double clamp_symmetric(double x, double most)
{
  return x > most ? most : x < -most ? -most : x;
}

/* The command's force law of joint coordinate k, which is at x, as a - g u before clamping, with the joint moved on
 * by reach u. */
static void force_line(const pk_sim *sim, int k, double x, double reach, double *a, double *g)
{
  const pk_command *c = &sim->acting[k];
  const double kp = sim->joints.model->dof_q[k] >= 0 ? c->kp : 0;
  *a = c->tau + kp * (c->q_des - x) + c->kd * c->u_des;
  *g = kp * reach + c->kd;
}

/* What an actuator sees of smooth motion. */
static pk_actuator_input input_of(const pk_sim *sim, int k, const double *q, const double *u,
                                  const double *state)
{
  const pk_actuation *a = sim->options.actuation;
  pk_command c = sim->acting[k];
  c.tau_max = c.tau_max > 0 ? c.tau_max : INFINITY;
  return (pk_actuator_input){.late = 1,
                             .x = q[sim->model->dof_q[k]],
                             .u = u[k],
                             .command = c,
                             .bus = a->has_battery ? state[pki_battery_limit(a)] : INFINITY};
}

/* Forces of actuators in the place of those of commands, or added to them, and how their states change. */
static void add_actuator_forces(const pk_sim *sim, const double *q, const double *u, double *state,
                                double *rates, bool settle, double *tau, double *out)
{
  const pk_actuation *a = sim->options.actuation;
  rates[pki_battery_limit(a)] = rates[pki_battery_state(a)] = rates[pki_battery_state(a) + 1] = 0;
  for (int n = 0; n < a->count; n++) {
    const pki_actuator_entry *entry = &a->list[a->order[n]];
    const pk_actuator *actuator = &entry->actuator;
    const int k = actuator->dof;
    const pk_actuator_input in = input_of(sim, k, q, u, state);
    double *const own = state + entry->state, *const changes = rates + entry->state, current = 0, voltage = 0;
    const double force = n < a->nmotor
                             ? pki_motor_rate_of(sim->motors + (size_t)n * PKI_MOTOR_CONSTANTS,
                                                 a->has_spring[n], &in, own, changes, &current, &voltage)
                             : actuator->kind->rate(actuator->parameters, &in, own, changes);
    if (n < a->nmotor && settle) {
      own[PKI_MOTOR_STATE_CURRENT] = current, own[PKI_MOTOR_STATE_VOLTAGE] = voltage;
      own[PKI_MOTOR_STATE_VELOCITY] = a->has_spring[n] ? own[PKI_MOTOR_STATE_VELOCITY] : u[k];
    }
    const double replaced = actuator->kind->adds ? 0 : tau[k];
    tau[k] = actuator->kind->adds ? tau[k] : force;
    out[k] += force - replaced;
  }
}

int pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *state, bool settle,
                    double *tau, double *out)
{
  const pk_model *m = sim->model;
  int saturated = 0;
  for (int k = 0; k < m->nu; k++) {
    const double tau_max = sim->acting[k].tau_max, most = tau_max > 0 ? tau_max : INFINITY; /* 0: no limit */
    double a, g;
    force_line(sim, k, m->dof_q[k] >= 0 ? q[m->dof_q[k]] : 0, 0, &a, &g);
    tau[k] = clamp_symmetric(a - g * u[k], most);
    out[k] = tau[k] - m->dof_damping[k] * u[k];
    if (m->dof_stiffness[k] > 0) {
      out[k] += m->dof_stiffness[k] * (m->dof_spring_ref[k] - q[m->dof_q[k]]);
    }
    saturated += fabs(tau[k]) >= most;
  }
  if (sim->options.actuation != NULL) {
    add_actuator_forces(sim, q, u, state, sim->smooth.state_rate, settle, tau, out);
  }
  pki_add_pushes(sim, q, out);
  return saturated;
}

pk_status pki_smooth_check_limits(const pk_sim *sim, pk_step_info *info)
{
  const pk_model *m = sim->model;
  for (int k = 0; k < m->nu && sim->options.joint_limits; k++) {
    const double x = m->dof_q[k] >= 0 ? sim->q_next[m->dof_q[k]] : 0;
    if (m->dof_q[k] >= 0 && fmax(m->dof_lower[k] - x, x - m->dof_upper[k]) > PKI_TOUCHING) {
      info->body = pki_body_of_velocity(m, k);
      info->term = PKI_JOINT_LIMIT;
      return PK_ERROR_UNSUPPORTED;
    }
  }
  return PK_OK;
}

void pki_smooth_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau, double *a)
{
  if (!w->model->has_mimic) {
    w->kernels->acceleration(&w->work, q, u, tau, a);
    return;
  }
  pki_composite_acceleration(w, q, u, tau, a);
}
