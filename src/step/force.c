/* Joint forces, and the velocity at the end of a step without contact.
 *
 * A command asks for clamp(tau + kp (q_des - q) + kd (u_des - u), -tau_max, tau_max). Taken at
 * the end of the step, q + reach u_end and u_end stand for q and u:
 *
 *   M (u_end - u) = dt (-h - d u_end + phi(u_end)),   phi_i = clamp(a_i - g_i u_i),
 *   a = tau + kp (q_des - q) + kd u_des,   g = kp reach + kd.
 *
 * Without a limit in reach that is one solve with M + dt (d + g). Commands at their limit, joint limits,
 * joint friction and contacts are rows of a contact problem (contact.c). */
#include <math.h>
#include <string.h>

#include "step/contact.h"
#include "step/outside.h"

int pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *tau, double *out)
{
  const pk_model *m = sim->model;
  int saturated = 0;
  for (int k = 0; k < m->nu; k++) {
    double a, g;
    pki_force_line(sim, k, m->dof_q[k] >= 0 ? q[m->dof_q[k]] : 0, 0, &a, &g);
    tau[k] = pki_limited(a - g * u[k], sim->acting[k].tau_max);
    out[k] = tau[k] - m->dof_damping[k] * u[k];
    saturated += fabs(tau[k]) >= sim->acting[k].tau_max;
  }
  pki_add_pushes(sim, q, out);
  return saturated;
}

void pki_smooth_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau, double *a)
{
  if (!w->model->has_mimic) {
    w->kernels->acceleration(&w->work, q, u, tau, a);
    return;
  }
  pki_composite_acceleration(w, q, u, tau, a);
}

/* As if there were no limits: (M + dt (d + g)) x = dt (a - (d + g) u - h). False when a command would
 * leave its limits. */
static bool end_velocity_free(pk_sim *sim, const double *q, double reach, double *u_end)
{
  const pk_model *m = sim->model;
  const double dt = sim->options.dt;
  pki_work *work = &sim->workspace->work;
  double *a = pki_scratch(sim, 0), *g = pki_scratch(sim, 1), *force = pki_scratch(sim, 2),
         *acc = pki_scratch(sim, 3);
  bool within = true;
  for (int k = 0; k < m->nu; k++) {
    pki_force_line(sim, k, m->dof_q[k] >= 0 ? q[m->dof_q[k]] : 0, reach, &a[k], &g[k]);
    work->diag[k] = work->params.armature[k] + dt * (m->dof_damping[k] + g[k]);
    force[k] = a[k] - (m->dof_damping[k] + g[k]) * sim->u[k];
  }
  pki_add_pushes(sim, q, force);
  pki_smooth_acceleration(sim->workspace, q, sim->u, force, acc);
  for (int k = 0; k < m->nu; k++) {
    u_end[k] = sim->u[k] + dt * acc[k];
    sim->tau_next[k] = a[k] - g[k] * u_end[k];
    within &= fabs(sim->tau_next[k]) <= sim->acting[k].tau_max;
  }
  return within;
}

/* Explicit: forces at the start of the step. */
static void end_velocity_explicit(pk_sim *sim, const double *q, double *u_end, pk_step_info *info)
{
  const int nu = sim->model->nu;
  double *force = pki_scratch(sim, 0), *acc = pki_scratch(sim, 1);
  pki_reset_diagonal(&sim->workspace->work);
  info->saturated = pki_joint_force(sim, sim->q, sim->u, sim->tau_next, force);
  pki_smooth_acceleration(sim->workspace, q, sim->u, force, acc);
  for (int k = 0; k < nu; k++) {
    u_end[k] = sim->u[k] + sim->options.dt * acc[k];
  }
}

pk_status pki_end_velocity(pk_sim *sim, const double *q, double reach, double *u_end, pk_step_info *info)
{
  bool rows = pki_has_rows(sim);
  sim->contact.factored = false;
  sim->contact.nswept = 0;
  if (!rows && sim->contact.bodies_touch && !pki_contact_between_bodies(sim, q, &rows, info)) {
    return PK_ERROR_LIMIT;
  }
  if (!rows && sim->options.implicit == PK_IMPLICIT_NONE) {
    end_velocity_explicit(sim, q, u_end, info);
    return PK_OK;
  }
  if (!rows && end_velocity_free(sim, q, reach, u_end)) {
    return PK_OK;
  }
  return pki_contact_end_velocity(sim, q, reach, u_end, info);
}
