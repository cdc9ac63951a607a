/* The classical Runge-Kutta scheme in exponential coordinates (Munthe-Kaas 1998):
 *
 *   q = q_0 (+) xi,   dxi/dt = B(xi) u,   du/dt = a(q, u)
 *
 * so that quaternions stay on the group and the order is four on the whole state. What
 * rounding keeps back from the sums is carried to the next step (Kahan 1965): over millions of
 * steps the energy of a pendulum would show it. */
#include "model/motion.h"
#include "step/pushes.h"
#include "step/smooth_contact.h"

/* One evaluation: rates of xi and u at (q_0 (+) xi, u) and a time, which counts by a weight; returns how many commands are at their limit. */
static int evaluate_rates(pk_sim *sim, double time, double weight, const double *xi, const double *u,
                          double *xi_dot, double *u_dot)
{
  pk_workspace *w = sim->workspace;
  const pki_smooth *s = &sim->smooth;
  w->kernels->config_add(sim->model, sim->state.q, 1, xi, s->q);
  pki_force_stage(sim, time, s->q, u, weight);
  const int saturated = pki_joint_force(sim, s->q, u, s->state, false, sim->tau_next, s->force);
  pki_smooth_contact_add(sim, 0, s->q, u, weight, s->force);
  pki_smooth_acceleration(w, s->q, u, s->force, u_dot);
  w->kernels->config_rate(sim->model, xi, u, xi_dot);
  return saturated;
}

/* sum + step with the rounding of earlier steps; what is lost now goes to carry. */
static double add_carried(double sum, double step, double carry, double *carry_out)
{
  const double corrected = step - carry;
  const double total = sum + corrected;
  *carry_out = (total - sum) - corrected;
  return total;
}

/* q_next = q (+) xi; coordinates that simply add up carry their rounding. */
static void move_config(pk_sim *sim, const double *xi)
{
  const pk_model *m = sim->model;
  sim->workspace->kernels->config_add(m, sim->state.q, 1, xi, sim->q_next);
  for (int i = 0; i < m->nbody; i++) {
    const int quaternion = pki_motion_quaternion(m->body_motion[i]), plain = quaternion < 0 ? 1 : quaternion;
    for (int k = 0; k < plain; k++) {
      const int u = m->body_u[i] + k, q = m->body_q[i] + k;
      sim->q_next[q] = add_carried(sim->state.q[q], xi[u], sim->state.carry_q[u], &sim->carry_q_next[u]);
    }
  }
}

static pk_status step_rk4(pk_sim *sim, pk_step_info *info)
{
  const int nu = sim->model->nu, nstate = sim->options.actuation != NULL ? sim->options.actuation->nstate : 0;
  const double dt = sim->options.dt;
  const pki_smooth *const act = &sim->smooth;
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double *const xi = sim->smooth.xi, *const u = sim->smooth.u, *const k_xi = sim->smooth.xi_rate;
  double *const k_u = sim->smooth.u_rate, *const sum_xi = sim->smooth.xi_total,
                *const sum_u = sim->smooth.u_total;
  pki_reset_diagonal(&sim->workspace->work);
  pki_smooth_contact_start(sim, act->force);

  for (int s = 0; s < 4; s++) {
    for (int k = 0; k < nu; k++) {
      xi[k] = s == 0 ? 0 : dt * node[s] * k_xi[k];
      u[k] = s == 0 ? sim->state.u[k] : sim->state.u[k] + dt * node[s] * k_u[k];
    }
    for (int k = 0; k < nstate; k++) {
      act->state[k] = sim->state.actuation[k] + (s == 0 ? 0 : dt * node[s] * act->state_rate[k]);
    }
    info->saturated = evaluate_rates(sim, pk_sim_time(sim) + dt * node[s], weight[s], xi, u, k_xi, k_u);
    for (int k = 0; k < nstate; k++) {
      act->state_total[k] = (s == 0 ? 0 : act->state_total[k]) + weight[s] * act->state_rate[k];
    }
    for (int k = 0; k < nu; k++) {
      sum_xi[k] = s == 0 ? weight[s] * k_xi[k] : sum_xi[k] + weight[s] * k_xi[k];
      sum_u[k] = s == 0 ? weight[s] * k_u[k] : sum_u[k] + weight[s] * k_u[k];
    }
  }
  for (int k = 0; k < nu; k++) {
    xi[k] = dt * sum_xi[k];
    sim->u_next[k] =
        add_carried(sim->state.u[k], dt * sum_u[k], sim->state.carry_u[k], &sim->carry_u_next[k]);
  }
  move_config(sim, xi);
  pki_force_end(sim);
  if (nstate > 0) {
    for (int k = 0; k < nstate; k++) {
      sim->actuation_next[k] = sim->state.actuation[k] + dt * act->state_total[k];
    }
    pki_joint_force(sim, sim->q_next, sim->u_next, sim->actuation_next, true, sim->tau_next,
                    sim->smooth.force);
  }
  pki_smooth_contact_settle(sim, dt, sim->q_next, sim->u_next, sim->smooth.force);
  return pki_smooth_contact_end(sim, info);
}

const pki_stepper pki_stepper_rk4 = {
    .name = "rk4", .doc = "Runge-Kutta on the group (Munthe-Kaas); order 4", .step = step_rk4};
