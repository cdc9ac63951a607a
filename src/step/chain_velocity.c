/* Forces on one world on chains, and its velocities without impulses. */
#include <math.h>
#include <string.h>

#include "step/chain_rows.h"
#include "step/contact.h"
#include "step/joints.h"
#include "step/soft.h"

void pki_chain_place_joints(pk_sim *sim, const double *q, bool placed, double *x)
{
  if (!placed) {
    sim->workspace->kernels->kinematics(&sim->workspace->work, q);
  }
  pki_joints_update(sim, q, x);
}

/* The workspace at q, with the twists of the velocities u. */
static void kinematics_at(pk_sim *sim, const double *q, const double *u)
{
  pk_workspace *w = sim->workspace;
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, u);
}

pk_status pki_chain_add_forces(pk_sim *sim, const double *q, double *out, pk_step_info *info)
{
  const pki_law *law = pki_law_of(&sim->options);
  kinematics_at(sim, q, sim->state.u);
  if (!pki_contact_find(sim, law->hovers ? pki_touching(sim) : 0, info)) {
    return PK_ERROR_LIMIT;
  }
  law->force(sim, sim->options.dt, out);
  return PK_OK;
}

pk_status pki_chain_add_patches(pk_sim *sim, const double *q, double *out, pk_step_info *info)
{
  return sim->scene.soft != NULL ? pki_soft_add_forces(sim, q, sim->state.u, out, info) : PK_OK;
}

/* The inertia of a cut joint's drive: armature, and what its actuator brings. */
static double drive_inertia(const pk_sim *sim, int k)
{
  const pk_actuation *a = sim->options.actuation;
  return sim->joints.model->dof_armature[k] + (a != NULL ? a->inertia[k] : 0);
}

void pki_chain_weigh_joints(pk_sim *sim, const pki_group *g)
{
  pki_sim_joints *j = &sim->joints;
  pki_work *w = &sim->workspace->work;
  const double dt = sim->options.implicit == PK_IMPLICIT_FORCES_ALL ? sim->options.dt : 0;
  pki_reset_diagonal(w);
  for (int k = 0; k < j->n; k++) {
    const double added = dt * (j->model->dof_damping[k] + g->joint.gain[k]);
    if (j->at[k] >= 0) {
      w->diag[j->at[k]] += added;
    } else {
      j->weights[j->row[k] - sim->model->nbilateral] = drive_inertia(sim, k) + added;
    }
  }
}

bool pki_chain_smooth_velocity(pk_sim *sim, pki_group *g, const double *q)
{
  const pk_model *m = sim->model;
  sim->contact.factored = false;
  if (pki_has_rows(sim)) {
    return false;
  }
  for (int k = 0; k < m->nu; k++) {
    g->drive[k] = g->joint.force[k] - (g->joint.gain[k] + m->dof_damping[k]) * g->u[k];
  }
  pki_smooth_acceleration(sim->workspace, q, g->u, g->drive, g->u_free);
  for (int k = 0; k < m->nu; k++) {
    g->u_free[k] = g->u[k] + sim->options.dt * g->u_free[k];
  }
  return true;
}

/* Forces on a world whose joints are cut, dt times them, into out. The armature of a cut joint resists the change of the joint's
 * velocity, which began the step as j->u. */
static void drive_cut_joints(pk_sim *sim, const pki_group *g, double *out)
{
  const pki_sim_joints *j = &sim->joints;
  const double dt = sim->options.dt;
  for (int k = 0; k < sim->model->nu; k++) {
    out[k] = dt * (g->push[k] - g->h[k]);
  }
  for (int k = 0; k < j->n; k++) {
    const double slope = g->joint.gain[k] + j->model->dof_damping[k];
    if (j->at[k] >= 0) {
      out[j->at[k]] += dt * (g->joint.force[k] - slope * g->u[j->at[k]]);
    } else {
      const double rate = pki_bilateral_velocity(&j->bilateral, j->row[k], g->u);
      const double inertial = drive_inertia(sim, k) * (j->u[k] - rate);
      pki_bilateral_add(&j->bilateral, j->row[k], dt * (g->joint.force[k] - slope * rate) + inertial, out);
    }
  }
}

/* x := inv(M~) x within J x = -J u, J the constraints where they are eliminated. */
static void solve_constrained(pk_sim *sim, const pki_group *g, double *x)
{
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = sim->workspace;
  const bool direct = sim->options.bilateral == PK_BILATERAL_METHOD_DIRECT;
  for (int row = 0; row < sim->model->nbilateral; row++) {
    j->rows[row] = -pki_bilateral_velocity(&j->bilateral, row, g->u);
  }
  pki_bilateral_factor(&j->bilateral, w, j->weights, direct);
  pki_bilateral_solve(&j->bilateral, w, x, direct ? j->rows : NULL);
  pki_held_begin(sim);
}

/* u_free from M~ in the workspace and dt times the forces in u_free. */
static void solve_free_velocity(pk_sim *sim, pki_group *g)
{
  const pk_model *m = sim->model;
  pk_workspace *w = sim->workspace;
  if (m->nconstraint == 0) {
    if (sim->scene.soft == NULL || !sim->scene.soft->kept) {
      w->kernels->ltl_factor(&w->work);
    }
    w->kernels->ltl_solve(&w->work, g->u_free);
  } else {
    solve_constrained(sim, g, g->u_free);
  }
  sim->contact.factored = true;
  for (int k = 0; k < m->nu; k++) {
    g->u_free[k] += g->u[k];
  }
  if (sim->options.bilateral == PK_BILATERAL_METHOD_DIRECT) {
    pki_held_refine(sim, g->u_free, sim->joints.held_free);
  }
  pki_lap(sim, PK_STEP_PART_FACTOR, g->info);
}

void pki_chain_free_velocity(pk_sim *sim, pki_group *g)
{
  pk_workspace *w = sim->workspace;
  pki_update_origins(&w->work);
  if (g->plan->cut) {
    drive_cut_joints(sim, g, g->u_free);
  }
  memcpy(g->drive, g->u_free, (size_t)sim->model->nu * sizeof *g->drive);
  pki_lap(sim, PK_STEP_PART_DYNAMICS, g->info);
  if (sim->scene.soft != NULL) {
    memcpy(sim->scene.soft->M, w->work.M, (size_t)sim->model->nM * sizeof *w->work.M);
    sim->scene.soft->kept = false;
  }
  if (pki_soft_awaits(sim, g->plan->implicit)) {
    sim->contact.factored = true; /* by pki_chain_stiffen, which follows the search */
    return;
  }
  if (pki_soft_acts(sim)) {
    pki_soft_stiffen(sim, g->u_free);
  }
  solve_free_velocity(sim, g);
}

void pki_chain_stiffen(pk_sim *sim, pki_group *g)
{
  pki_work *w = &sim->workspace->work;
  if (!sim->scene.soft->kept) {
    memcpy(w->M, sim->scene.soft->M, (size_t)sim->model->nM * sizeof *w->M);
  }
  memcpy(g->u_free, g->drive, (size_t)sim->model->nu * sizeof *g->drive);
  pki_soft_stiffen(sim, g->u_free);
  solve_free_velocity(sim, g);
}

bool pki_chain_press(pk_sim *sim, pki_group *g, pk_step_info *info)
{
  if (!pki_soft_acts(sim) || !pki_soft_relinearise(sim, g->u_end)) {
    return false;
  }
  pki_chain_stiffen(sim, g);
  pki_chain_forget_certificate(info);
  return true;
}

void pki_chain_correct(pk_sim *sim, double *u)
{
  if (pki_soft_acts(sim)) {
    if (pki_soft_correct(sim, u)) {
      pki_held_respond(sim);
    } else {
      pki_held_end_free(sim);
    }
    if (sim->options.bilateral == PK_BILATERAL_METHOD_DIRECT) {
      pki_held_refine(sim, u, sim->joints.held);
    }
  }
}
