/* The schemes of order one. */
#include "step/contact.h"

/* u_end from M and h at the start; then the configuration moves with u_end. */
pk_status pki_step_euler(pk_sim *sim, pk_step_info *info)
{
  const double dt = sim->options.dt;
  const pk_status status = pki_end_velocity(sim, sim->q, dt, sim->u_next, info);
  sim->workspace->kernels->config_add(sim->model, sim->q, dt, sim->u_next, sim->q_next);
  return status == PK_OK ? pki_contact_project(sim, sim->q_next, info) : status;
}

/* Moreau's midpoint scheme (Moreau 1988; Gehring et al. 2014, equations 6 to 8): M, h and contacts at the
 * midpoint q_M, which is reached with the velocity of the start; the second half goes with that of the
 * end. */
pk_status pki_step_moreau(pk_sim *sim, pk_step_info *info)
{
  const double half = 0.5 * sim->options.dt;
  const pki_kernels *kernels = sim->workspace->kernels;
  double *q_mid = sim->q_stage;
  kernels->config_add(sim->model, sim->q, half, sim->u, q_mid);
  const pk_status status = pki_end_velocity(sim, q_mid, half, sim->u_next, info);
  kernels->config_add(sim->model, q_mid, half, sim->u_next, sim->q_next);
  return status == PK_OK ? pki_contact_project(sim, sim->q_next, info) : status;
}
