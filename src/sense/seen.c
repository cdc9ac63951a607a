/* What a controller sees of a world through its sensors.
 *
 *   q, u of joints       encoders, and u from tachometers; joints without them: the world's
 *   tau                  torque sensors; joints without them: the world's
 *   free roots           the estimator, which has the last word; without one "pose" and "velocity" sensors on the root
 *                        link, and without these they stay as they were when the world began
 *   contacts             switches; in worlds without any: the world's
 *   robots without any sensor: the world's */
#include <string.h>

#include "math/mat3.h"
#include "sense/sensing.h"

enum { ROOT_Q = 7, ROOT_U = 6 };

/* The robot with sensors whose free root is that link; -1: none. */
static int root_robot(const pk_sensing *sensing, int link)
{
  const pk_model *m = sensing->model;
  const int robot = m->links[link].robot;
  const pk_model_robot *r = &m->robots[robot];
  return r->root == PK_ROOT_FREE && r->root_link == link ? robot : -1;
}

/* The pose of a root from one of a sensor on it. */
static void see_root_pose(const pki_sensor *s, const double reading[7], double *q)
{
  double R[9], back[9], turn[9], arm[3];
  pki_quat_to_mat3(reading + 3, R);
  pki_mat3_transpose(s->frame.rot, back);
  pki_mat3_mul(R, back, turn);
  pki_mat3_apply(turn, s->frame.pos, arm);
  pki_sub3(reading, arm, q);
  pki_quat_from_mat3(turn, q + 3);
}

/* The velocity of a root from one of a sensor on it, at the attitude that is seen. */
static void see_root_velocity(const pki_sensor *s, const double reading[6], const double *q, double *u)
{
  double R[9], v[3], w[3], arm[3], carried[3];
  pki_quat_to_mat3(q + 3, R);
  memcpy(v, reading, sizeof v);
  memcpy(w, reading + 3, sizeof w);
  if (s->as.axes == PK_SENSOR_AXES_OWN) {
    double axes[9];
    pki_mat3_mul(R, s->frame.rot, axes);
    pki_mat3_apply(axes, reading, v);
    pki_mat3_apply(axes, reading + 3, w);
  }
  pki_mat3_apply(R, s->frame.pos, arm);
  pki_cross3(w, arm, carried);
  pki_sub3(v, carried, u);
  pki_mat3_apply_transposed(R, w, u + 3);
}

/* What one sensor shows; `roots`: also of a free root. */
static void see_sensor(const pk_sensing *sensing, const pki_sensor *s, const double *reading, bool roots,
                       double *q, double *u, double *tau)
{
  const pk_model *m = sensing->model;
  const pk_sensing_kind *kind = s->as.kind;
  const bool on_joint = s->as.kind->place == PK_SENSING_ON_JOINT;
  const int robot = on_joint || !roots ? -1 : root_robot(sensing, s->as.link);
  if (kind == &pki_sense_encoder) {
    q[m->dof_q[s->as.dof]] = reading[0];
    u[s->as.dof] = reading[1];
  } else if (kind == &pki_sense_tachometer) {
    u[s->as.dof] = reading[0];
  } else if (kind == &pki_sense_torque) {
    tau[s->as.dof] = reading[0];
  } else if (kind == &pki_sense_pose && robot >= 0) {
    see_root_pose(s, reading, q + m->robots[robot].q);
  } else if (kind == &pki_sense_velocity && robot >= 0) {
    see_root_velocity(s, reading, q + m->robots[robot].q, u + m->robots[robot].u);
  }
}

/* The world's, but for free roots of robots with sensors, which stay as they are. */
static void see_world(const pk_sensing *sensing, const pk_sensing_input *in, double *q, double *u)
{
  for (int i = 0; i < in->model->nrobot; i++) {
    const pk_model_robot *r = &in->model->robots[i];
    const bool keeps = r->root == PK_ROOT_FREE && sensing->sensed[i];
    const int skip_q = keeps ? ROOT_Q : 0, skip_u = keeps ? ROOT_U : 0;
    memcpy(q + r->q + skip_q, in->q + r->q + skip_q, (size_t)(r->nq - skip_q) * sizeof *q);
    memcpy(u + r->u + skip_u, in->u + r->u + skip_u, (size_t)(r->nu - skip_u) * sizeof *u);
  }
}

void pki_see(const pk_sensing *sensing, const pk_sensing_input *in, bool begins, const double *readings,
             pk_workspace *workspace, double *state, double *seen)
{
  const pk_model *m = in->model;
  const pk_estimator *by = sensing->estimator;
  const bool updates = by != NULL && by->update != NULL;
  double *const q = seen, *const u = seen + m->nq, *const tau = u + m->nu;
  if (begins) {
    memcpy(q, in->q, (size_t)m->nq * sizeof *q);
    memcpy(u, in->u, (size_t)m->nu * sizeof *u);
    if (by != NULL && by->nstate > 0) {
      memset(state, 0, (size_t)by->nstate * sizeof *state);
    }
    if (by != NULL && by->reset != NULL) {
      by->reset(by, sensing, in->q, in->u, state);
    }
  }
  see_world(sensing, in, q, u);
  memcpy(tau, in->tau, (size_t)m->nu * sizeof *tau);
  /* poses before velocities, which need the attitude */
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < sensing->count; i++) {
      const pki_sensor *s = &sensing->sensors[i];
      if ((pass == 0) == s->as.kind->attitude) {
        /* an estimator begins in the pose of the world, which no sensor shall hide before its first update */
        see_sensor(sensing, s, readings + s->first, !(updates && in->anew), q, u, tau);
      }
    }
  }
  if (updates && !in->anew) {
    by->update(by, sensing, in->dt, readings, workspace, state, q, u);
  }
}

/* N, of a robot by each of its switches that are closed. */
static double shared_weight(const pk_sensing *sensing, const double *readings, int robot)
{
  const pk_model *m = sensing->model;
  int closed = 0;
  for (int i = 0; i < sensing->count; i++) {
    const pki_sensor *s = &sensing->sensors[i];
    closed +=
        s->as.kind == &pki_sense_switch && m->links[s->as.link].robot == robot && readings[s->first] > 0.5;
  }
  return m->robots[robot].mass * pki_length3(m->gravity) / (closed > 0 ? closed : 1);
}

int pki_see_contacts(const pk_sensing *sensing, const double *readings, const double *seen, double dt,
                     pk_workspace *workspace, pk_sim_contact *out, int room)
{
  int count = 0;
  if (!sensing->switches) {
    return -1;
  }
  for (int i = 0; i < sensing->count && count < room; i++) {
    const pki_sensor *s = &sensing->sensors[i];
    if (s->as.kind != &pki_sense_switch || readings[s->first] < 0.5) {
      continue;
    }
    if (count == 0) {
      pk_kinematics_compute(workspace, seen, NULL);
    }
    pk_sensing_input in = {.workspace = workspace, .frame = &s->frame};
    const pk_pose pose = pki_sensor_pose(&s->as, &in);
    const int force = pk_sensing_find_on(sensing, "contact-force", s->as.link, 0);
    pk_sim_contact *c = &out[count++];
    *c = (pk_sim_contact){.link = s->as.link,
                          .shape = -1,
                          .other_link = -1,
                          .other_shape = -1,
                          .material = -1,
                          .normal = {0, 0, 1}};
    memcpy(c->point, pose.pos, sizeof c->point);
    c->impulse[2] = shared_weight(sensing, readings, sensing->model->links[s->as.link].robot) * dt;
    if (force >= 0 && sensing->sensors[force].as.axes == PK_SENSOR_AXES_WORLD) {
      for (int k = 0; k < 3; k++) {
        c->impulse[k] = readings[sensing->sensors[force].first + k] * dt;
      }
    }
  }
  return count;
}
