/* Joint loads: the force and the moment that each joint has transmitted in the last step, by inverse dynamics.
 *
 * The step has solved M(q) (u_E - u_S) = dt (tau - h(q, u)) + J' r at a configuration of its scheme: q_S and u_S for `euler`, q_M and u_S for
 * `moreau`. There, with the accelerations (u_E - u_S)/dt and all that acted from outside, Newton's and Euler's equations of all bodies hold to
 * rounding, so that what is left for the joints is what they carried. Schemes of higher order are taken in the middle of the step, which
 * is right to second order. */
#include "sim/joint_loads.h"

#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "sense/loads.h"
#include "step/joints.h"
#include "step/soft.h"

/* A body of the world in the joint model: the same one, unless joints are cut; -1: the world, or one of no link. */
static int body_in_tree(const pk_sim *sim, int body)
{
  if (body < 0 || !sim->joints.cut) {
    return body;
  }
  const int link = sim->model->body_link[body];
  return link >= 0 ? sim->joints.model->links[link].body : -1;
}

/* The force, and its moment about a point, by which a contact of the last step pushed the first body are taken from a wrench. */
static void take_contact(const pk_sim *sim, int i, const double point[3], double moment[3], double force[3])
{
  const pki_contact *f = &sim->state.last[i];
  const double *const r = sim->state.last_r + 3 * (size_t)i;
  double push[3], arm[3], turn[3];
  for (int k = 0; k < 3; k++) {
    push[k] = (r[0] * f->normal[k] + r[1] * f->tangent1[k] + r[2] * f->tangent2[k]) / sim->options.dt;
  }
  pki_sub3(f->point, point, arm);
  pki_cross3(arm, push, turn);
  pki_sub3(moment, turn, moment);
  pki_sub3(force, push, force);
}

/* A patch of compliant surfaces is shown as a few contacts; what its wrench is beside theirs comes on top. */
static void relieve_by_patches(const pk_sim *sim, pk_workspace *w)
{
  const struct pki_soft *soft = sim->scene.soft;
  for (int i = 0; soft != NULL && soft->shown && i < soft->npatch; i++) {
    const pki_soft_patch *p = &soft->patches[i];
    const double *const at = p->patch.at;
    double rest[6];
    memcpy(rest, p->end_wrench, sizeof rest);
    for (int c = 0; c < sim->state.n.nlast; c++) {
      const int *const geom = sim->state.last[c].geom;
      if (geom[0] == p->geom[0] && geom[1] == p->geom[1]) {
        take_contact(sim, c, at, rest, rest + 3);
      }
    }
    pki_relieve_body(w, body_in_tree(sim, p->body[0]), at, rest + 3, rest);
    for (int k = 0; k < 6; k++) {
      rest[k] = -rest[k];
    }
    pki_relieve_body(w, body_in_tree(sim, p->body[1]), at, rest + 3, rest);
  }
}

void pki_relieve_by_world(const pk_sim *sim, pk_workspace *w, const double *pushes)
{
  const pk_model *m = sim->model;
  relieve_by_patches(sim, w);
  for (int i = 0; i < m->nbody && pushes != NULL; i++) {
    const double *const wrench = pushes + 6 * (size_t)i;
    const int body = body_in_tree(sim, i);
    pki_relieve_body(w, body, w->work.origin + 3 * ((size_t)body + 1), wrench + 3, wrench);
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const pk_model_constraint *c = &m->constraints[i];
    if (c->joint >= 0 || c->dof[0] >= 0) {
      continue; /* a joint of the tree; a coupling acts along joints */
    }
    double rows[6], point[3], force[3], moment[3];
    for (int k = 0; k < c->nrow; k++) {
      rows[k] = sim->state.last_bilateral[c->row + k] / sim->options.dt;
    }
    pki_bilateral_force(&sim->workspace->work, c, rows, point, force, moment);
    pki_relieve_body(w, body_in_tree(sim, c->body[1]), point, force, moment);
    for (int k = 0; k < 3; k++) {
      force[k] = -force[k], moment[k] = -moment[k];
    }
    pki_relieve_body(w, body_in_tree(sim, c->body[0]), point, force, moment);
  }
}

/* Where the scheme has taken its forces, q into smooth.q; returns the velocities there. */
static const double *place_of_step(pk_sim *sim)
{
  const pki_stepper *stepper = pki_steppers[sim->options.stepper];
  const double dt = sim->options.dt;
  double *const q = sim->smooth.q, *const u = sim->smooth.u;
  if (stepper->contact) {
    sim->workspace->kernels->config_add(sim->model, sim->past.q, stepper->midpoint ? 0.5 * dt : 0,
                                        sim->past.u, q);
    return sim->past.u;
  }
  for (int k = 0; k < sim->model->nu; k++) {
    u[k] = 0.5 * (sim->past.u[k] + sim->state.u[k]);
  }
  sim->workspace->kernels->config_add(sim->model, sim->past.q, 0.5 * dt, u, q);
  return u;
}

/* Inverse dynamics of the step in the world's own coordinates. */
static pk_workspace *move_through_step(pk_sim *sim)
{
  pk_workspace *w = sim->workspace;
  const double *const u = place_of_step(sim);
  double *const a = sim->smooth.u_rate;
  for (int k = 0; k < sim->model->nu; k++) {
    a[k] = (sim->state.u[k] - sim->past.u[k]) / sim->options.dt;
  }
  w->kernels->rnea(&w->work, sim->smooth.q, u, a, w->scratch);
  pki_update_origins(&w->work);
  return w;
}

/* The same in joint coordinates of a world whose joints are cut: at the end of the step, with the change of the joints' velocities. */
static pk_workspace *move_tree(pk_sim *sim)
{
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = j->workspace, *const own = sim->workspace;
  double *const a = sim->smooth.force, *const before = sim->smooth.u_rate;
  memcpy(j->moved, sim->state.drives, (size_t)sim->model->ndrive * sizeof *j->moved);
  own->kernels->kinematics(&own->work, sim->past.q);
  pki_bilateral_update(&j->bilateral, &own->work, sim->past.q);
  memcpy(before, pki_joint_rates(sim, sim->past.u, a), (size_t)j->n * sizeof *before);
  pki_joints_observe(sim);
  for (int k = 0; k < j->n; k++) {
    a[k] = (j->u[k] - before[k]) / sim->options.dt;
  }
  w->kernels->rnea(&w->work, j->q, j->u, a, w->scratch);
  pki_update_origins(&w->work);
  return w;
}

/* The load of joint j in the axes of its child, at the child's origin, force first. */
static void read_load(const pk_workspace *w, int j, double out[6])
{
  const pk_model *m = w->model;
  const int body = m->joints[j].body;
  const pk_pose *pose = &m->links[m->body_link[body]].pose;
  const pki_frame f = pki_frame_in_body(w, body, pose);
  double load[6];
  pki_load_at(w, body, f.p, load);
  pki_mat3_apply_transposed(f.R, load + 3, out);
  pki_mat3_apply_transposed(f.R, load, out + 3);
}

void pk_sim_joint_loads(pk_sim *sim, double *loads)
{
  const pk_model *m = sim->joints.model;
  if (!sim->past.known) {
    memset(loads, 0, 6 * (size_t)m->njoint * sizeof *loads);
    return;
  }
  pk_workspace *w = sim->joints.cut ? move_tree(sim) : move_through_step(sim);
  const int ncontact = pk_sim_contacts(sim, sim->control.contacts, sim->options.max_contacts);
  pki_relieve_contacts(w, sim->control.contacts, ncontact, sim->options.dt);
  pki_relieve_by_world(sim, w, sim->past.pushed ? sim->past.pushes : NULL);
  for (int j = 0; j < m->njoint; j++) {
    read_load(w, j, loads + 6 * (size_t)j);
  }
  pk_kinematics_compute(sim->workspace, sim->state.q, sim->state.u);
}
