/* Joint forces and accelerations of smooth motion, which the schemes without contact evaluate at their stages. */
#include <math.h>
#include <string.h>

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

int pki_joint_force(const pk_sim *sim, const double *q, const double *u, double *tau, double *out)
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
