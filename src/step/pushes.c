/* Pushes: forces that a user puts on links, each for one step, and those of a function that is called within it. */
#include "step/pushes.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"

pk_status pk_sim_add_push(pk_sim *sim, const pk_push *push)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += push->point[k] + push->force[k] + push->torque[k];
  }
  if (push->link < 0 || push->link >= sim->model->nlink || !isfinite(sum)) {
    return PK_ERROR_ARGUMENT;
  }
  const pk_model_link *l = &sim->model->links[push->link];
  if (l->body < 0) {
    return PK_OK; /* fixed in the world: nothing moves */
  }
  double at[3], arm[3], moment[3], force[3], torque[3];
  pki_mat3_apply(l->pose.rot, push->point, at);
  for (int k = 0; k < 3; k++) {
    at[k] += l->pose.pos[k];
  }
  if (!sim->force.running) { /* within the user's function the workspace is at its stage */
    sim->workspace->kernels->kinematics(&sim->workspace->work, sim->state.q);
  }
  const double *const R = sim->workspace->work.pose + 12 * ((size_t)l->body + 1);
  memcpy(force, push->force, sizeof force), memcpy(torque, push->torque, sizeof torque);
  if (push->own_axes) {
    pki_mat3_apply(l->pose.rot, force, force), pki_mat3_apply(R, force, force);
    pki_mat3_apply(l->pose.rot, torque, torque), pki_mat3_apply(R, torque, torque);
  }
  pki_mat3_apply(R, at, arm);
  pki_cross3(arm, force, moment);
  double *wrench = sim->state.pushes + 6 * (size_t)l->body;
  for (int k = 0; k < 3; k++) {
    wrench[k] += moment[k] + torque[k];
    wrench[3 + k] += force[k];
  }
  sim->state.n.pushed = true;
  return PK_OK;
}

pk_status pk_sim_push(pk_sim *sim, int link, const double point[3], const double force[3])
{
  return pk_sim_add_push(sim, &(pk_push){.link = link,
                                         .point = {point[0], point[1], point[2]},
                                         .force = {force[0], force[1], force[2]}});
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

/* ---- forces of the user's own ---- */

void pk_sim_set_force(pk_sim *sim, pk_force_function function, void *user)
{
  sim->force.function = function, sim->force.user = user;
}

/* Pushes of the user's function at a state join those of the step. */
static void call_function(pk_sim *sim, double time, const double *q, const double *u)
{
  pk_kinematics_compute(sim->workspace, q, u);
  sim->force.running = true;
  sim->force.function(sim->force.user, sim, time, q, u);
  sim->force.running = false;
}

void pki_force_begin(pk_sim *sim)
{
  pki_user_force *f = &sim->force;
  if (f->function == NULL) {
    return;
  }
  if (pki_steppers[sim->options.stepper]->contact) {
    call_function(sim, pk_sim_time(sim), sim->state.q, sim->state.u);
    return;
  }
  const size_t bytes = 6 * (size_t)sim->model->nbody * sizeof *f->asked;
  memcpy(f->asked, sim->state.pushes, bytes);
  memset(f->mean, 0, bytes);
  f->pushed = sim->state.n.pushed;
}

void pki_force_stage(pk_sim *sim, double time, const double *q, const double *u, double weight)
{
  const pki_user_force *f = &sim->force;
  if (f->function == NULL) {
    return;
  }
  const size_t n = 6 * (size_t)sim->model->nbody;
  memcpy(sim->state.pushes, f->asked, n * sizeof *f->asked);
  sim->state.n.pushed = f->pushed;
  call_function(sim, time, q, u);
  for (size_t i = 0; i < n; i++) {
    f->mean[i] += weight * sim->state.pushes[i];
  }
}

void pki_force_end(pk_sim *sim)
{
  const pki_user_force *f = &sim->force;
  if (f->function != NULL) {
    memcpy(sim->state.pushes, f->mean, 6 * (size_t)sim->model->nbody * sizeof *f->mean);
    sim->state.n.pushed = true;
  }
}
