/* Pushes: forces that a user puts on links, each for one step. */
#include "step/pushes.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

pk_status pk_sim_push(pk_sim *sim, int link, const double point[3], const double force[3])
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += point[k] + force[k];
  }
  if (link < 0 || link >= sim->model->nlink || !isfinite(sum)) {
    return PK_ERROR_ARGUMENT;
  }
  const pk_model_link *l = &sim->model->links[link];
  if (l->body < 0) {
    return PK_OK; /* fixed in the world: nothing moves */
  }
  double at[3], arm[3], moment[3];
  pki_mat3_apply(l->pose.rot, point, at);
  for (int k = 0; k < 3; k++) {
    at[k] += l->pose.pos[k];
  }
  sim->workspace->kernels->kinematics(&sim->workspace->work, sim->state.q);
  pki_mat3_apply(sim->workspace->work.pose + 12 * ((size_t)l->body + 1), at, arm);
  pki_cross3(arm, force, moment);
  double *wrench = sim->state.pushes + 6 * (size_t)l->body;
  for (int k = 0; k < 3; k++) {
    wrench[k] += moment[k];
    wrench[3 + k] += force[k];
  }
  sim->state.n.pushed = true;
  return PK_OK;
}

void pki_add_pushes(const pk_sim *sim, const double *q, double *out)
{
  if (!sim->state.n.pushed) {
    return;
  }
  sim->workspace->kernels->kinematics(&sim->workspace->work, q);
  for (int i = 0; i < sim->model->nbody; i++) {
    pki_add_wrench(&sim->workspace->work, i, sim->state.pushes + 6 * (size_t)i, out);
  }
}

double pki_push_work(pk_sim *sim)
{
  if (!sim->state.n.pushed) {
    return 0;
  }
  const int nu = sim->model->nu;
  double *const Q = sim->smooth.force, work = 0;
  memset(Q, 0, (size_t)nu * sizeof *Q);
  pki_add_pushes(sim, sim->state.q, Q);
  pki_add_pushes(sim, sim->q_next, Q);
  for (int k = 0; k < nu; k++) {
    work += 0.25 * sim->options.dt * Q[k] * (sim->state.u[k] + sim->u_next[k]);
  }
  return work;
}

void pki_clear_pushes(pk_sim *sim)
{
  memset(sim->state.pushes, 0, 6 * (size_t)sim->model->nbody * sizeof *sim->state.pushes);
  sim->state.n.pushed = false;
}
