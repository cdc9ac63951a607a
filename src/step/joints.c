#include "step/joints.h"

#include <math.h>
#include <string.h>

#include "contact/problem/speed_floor.h"
#include "contact/rows/coordinates.h"
#include "model/motion.h"

void pki_sim_joints_carve(pki_sim_joints *j, const pk_model *model, pki_arena *arena)
{
  const pk_model *of = pki_joint_model(model);
  const size_t n = (size_t)of->nu, nq = (size_t)of->nq, ndrive = (size_t)model->ndrive, real = sizeof(double);
  *j = (pki_sim_joints){.model = of, .n = of->nu, .cut = model->tree != NULL};
  j->at = pki_arena_take(arena, n, sizeof *j->at);
  j->row = pki_arena_take(arena, n, sizeof *j->row);
  j->inertia = pki_arena_take(arena, n, real);
  j->q = pki_arena_take(arena, j->cut ? nq : 0, real);
  j->u = pki_arena_take(arena, j->cut ? n : 0, real);
  j->moved = pki_arena_take(arena, ndrive, real);
  j->weights = pki_arena_take(arena, ndrive, real);
  j->rows = pki_arena_take(arena, (size_t)model->nbilateral, real);
  j->held_free = pki_arena_take(arena, (size_t)model->nbilateral, real);
  j->held = pki_arena_take(arena, (size_t)model->nbilateral, real);
  pki_bilateral_carve(&j->bilateral, model, arena);
  void *workspace = pki_arena_take(arena, j->cut ? pk_workspace_memsize(of) : 0, 1);
  if (arena->base == NULL || arena->overflow) {
    return;
  }
  for (int k = 0; k < of->nu; k++) {
    const int joint = of->dof_joint[k], constraint = joint >= 0 ? model->joints[joint].constraint : -1;
    const int within = joint >= 0 ? k - of->joints[joint].u : 0;
    j->row[k] = constraint >= 0 ? model->nbilateral + model->constraints[constraint].drive + within : -1;
    j->at[k] = constraint >= 0 ? -1 : joint >= 0 ? model->joints[joint].u + within : k;
  }
  for (int r = 0; r < of->nrobot && j->cut; r++) { /* roots have no joint */
    for (int k = 0; k < 6 && of->robots[r].root != PK_ROOT_FIXED; k++) {
      j->at[of->robots[r].u + k] = model->robots[r].u + k;
    }
  }
  j->workspace = NULL;
  if (j->cut) {
    pk_workspace_init(of, workspace, &j->workspace, NULL);
  }
}

void pki_sim_joints_weigh(pk_sim *sim)
{
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = j->cut ? j->workspace : sim->workspace;
  w->kernels->kinematics(&w->work, j->model->q0);
  w->kernels->crba(&w->work);
  for (int k = 0; k < j->n; k++) {
    j->inertia[k] = w->work.M[j->model->M_row[j->model->plan_u[k] + 1] - 1];
  }
}

void pki_sim_joints_reset(pk_sim *sim)
{
  const pk_model *m = sim->model;
  for (int i = 0; i < m->nconstraint; i++) {
    const pk_model_constraint *c = &m->constraints[i];
    for (int k = 0; k < c->ndrive; k++) {
      const pk_model_joint *joint = &m->tree->joints[c->joint];
      sim->state.drives[c->drive + k] = k < joint->nq ? m->tree->q0[joint->q + k] : 0;
    }
  }
}

void pki_joints_observe(pk_sim *sim)
{
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = sim->workspace;
  if (!j->cut) {
    return;
  }
  memcpy(j->moved, sim->state.drives, (size_t)sim->model->ndrive * sizeof *j->moved);
  w->kernels->kinematics(&w->work, sim->state.q);
  pki_bilateral_update(&j->bilateral, &w->work, sim->state.q);
  pki_joints_from_model(sim->model, &w->work, &j->bilateral, sim->state.q, sim->state.u, j->moved, j->q,
                        j->u);
}

void pki_joints_update(pk_sim *sim, const double *q, double *x)
{
  pki_sim_joints *j = &sim->joints;
  const pk_model *m = j->model;
  pki_bilateral_update(&j->bilateral, &sim->workspace->work, q);
  memcpy(j->moved, sim->state.drives, (size_t)sim->model->ndrive * sizeof *j->moved);
  pki_bilateral_coordinates(sim->model, &sim->workspace->work, j->moved);
  for (int k = 0; k < j->n; k++) {
    if (j->at[k] >= 0) {
      const int place = sim->model->dof_q[j->at[k]];
      x[k] = place >= 0 ? q[place] : 0;
    } else {
      x[k] = m->dof_q[k] >= 0 ? j->moved[j->row[k] - sim->model->nbilateral] : 0;
    }
  }
}

const double *pki_joint_rates(const pk_sim *sim, const double *u, double *out)
{
  const pki_sim_joints *j = &sim->joints;
  if (!j->cut) {
    return u;
  }
  for (int k = 0; k < j->n; k++) {
    out[k] = j->at[k] >= 0 ? u[j->at[k]] : pki_bilateral_velocity(&j->bilateral, j->row[k], u);
  }
  return out;
}

double pki_bilateral_rate(const pk_sim *sim, const double *u)
{
  double most = 0;
  for (int row = 0; row < sim->model->nbilateral; row++) {
    most = fmax(most, fabs(pki_bilateral_velocity(&sim->joints.bilateral, row, u)));
  }
  return most;
}

double pki_bilateral_gap(const pk_sim *sim)
{
  double most = 0;
  for (int row = 0; row < sim->model->nbilateral; row++) {
    most = fmax(most, fabs(sim->joints.bilateral.gap[row]));
  }
  return most;
}

const pk_model *pk_sim_joint_model(const pk_sim *sim)
{
  return sim->joints.model;
}

void pk_sim_get_joints(pk_sim *sim, double *q, double *u)
{
  const pki_sim_joints *j = &sim->joints;
  pk_workspace *w = sim->workspace;
  if (!j->cut) {
    memcpy(q, sim->state.q, (size_t)sim->model->nq * sizeof *q);
    memcpy(u, sim->state.u, (size_t)sim->model->nu * sizeof *u);
    return;
  }
  pki_bilateral rows = j->bilateral;
  memcpy(j->moved, sim->state.drives, (size_t)sim->model->ndrive * sizeof *j->moved);
  w->kernels->kinematics(&w->work, sim->state.q);
  pki_bilateral_update(&rows, &w->work, sim->state.q);
  pki_joints_from_model(sim->model, &w->work, &rows, sim->state.q, sim->state.u, j->moved, q, u);
}

void pk_sim_set_joints(pk_sim *sim, const double *q, const double *u)
{
  pki_sim_joints *j = &sim->joints;
  if (!j->cut) {
    memcpy(sim->state.q, q, (size_t)sim->model->nq * sizeof *q);
    memcpy(sim->state.u, u, (size_t)sim->model->nu * sizeof *u);
    return;
  }
  pki_joints_to_model(sim->model, j->workspace, q, u, sim->state.q, sim->state.u);
  for (int k = 0; k < j->n; k++) {
    if (j->row[k] >= 0 && j->model->dof_q[k] >= 0) {
      sim->state.drives[j->row[k] - sim->model->nbilateral] = q[j->model->dof_q[k]];
    }
  }
}

void pki_add_rotors(const pk_sim *sim, pki_work *work)
{
  const pki_sim_joints *j = &sim->joints;
  const pk_actuation *a = sim->options.actuation;
  for (int k = 0; a != NULL && k < j->n; k++) {
    for (int l = 0; l < work->lanes && j->at[k] >= 0; l++) {
      work->params.armature[j->at[k] * work->lanes + l] += a->inertia[k];
    }
  }
  memcpy(work->diag, work->params.armature, (size_t)(work->model->nu * work->lanes) * sizeof *work->diag);
}

int pki_body_of_velocity(const pk_model *m, int k)
{
  int i = 0;
  while (k < m->body_u[i] || k >= m->body_u[i] + pki_motion_nu(m->body_motion[i])) {
    i++;
  }
  return i;
}

/* ---- impulses of constraints that are eliminated ---- */

static void add_solved(const pki_sim_joints *j, double *held)
{
  for (int row = 0; row < j->bilateral.model->nbilateral; row++) {
    held[row] += j->bilateral.solved[row];
  }
}

void pki_held_begin(pk_sim *sim)
{
  const pki_sim_joints *j = &sim->joints;
  memcpy(j->held_free, j->bilateral.solved, (size_t)sim->model->nbilateral * sizeof *j->held_free);
}

void pki_held_refine(pk_sim *sim, double *u, double *held)
{
  pki_sim_joints *j = &sim->joints;
  pki_bilateral_refine(&j->bilateral, sim->workspace, u);
  if (j->bilateral.has_loops) {
    add_solved(j, held);
  }
}

void pki_held_end_free(pk_sim *sim)
{
  memcpy(sim->joints.held, sim->joints.held_free, (size_t)sim->model->nbilateral * sizeof *sim->joints.held);
}

void pki_held_respond(pk_sim *sim)
{
  pki_sim_joints *j = &sim->joints;
  pki_bilateral_read(&j->bilateral, sim->workspace);
  pki_held_end_free(sim);
  add_solved(j, j->held);
}

void pki_held_finish(pk_sim *sim, const double *u_end, pk_step_info *info)
{
  if (sim->model->nbilateral == 0 || sim->options.bilateral != PK_BILATERAL_METHOD_DIRECT) {
    return;
  }
  memcpy(sim->state.last_bilateral, sim->joints.held,
         (size_t)sim->model->nbilateral * sizeof *sim->joints.held);
  pk_contact_certificate *c = &info->certificate;
  const double rate = pki_bilateral_rate(sim, u_end),
               scale = fmax(pki_bilateral_rate(sim, sim->state.u), PKI_SPEED_FLOOR);
  c->bilateral = rate;
  c->residual = fmax(c->residual, rate);
  c->relative = fmax(c->relative, rate / scale);
  info->certified &= rate / scale <= sim->options.tolerance;
}
