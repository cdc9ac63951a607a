/* The trunk of the first robot as a controller sees it that sees sensors, beside the truth. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/pose.h"
#include "run/channels.h"
#include "step/world.h"

bool pki_watch_is_blind(const pki_watch *w)
{
  return w->world->sim->options.sees == PK_SEES_SENSORS && w->model->nrobot > 0 &&
         w->model->robots[0].root == PK_ROOT_FREE;
}

/* Coordinates and velocities of the root, as they are seen. */
static void seen_root(const pki_watch *w, const double **q, const double **u)
{
  const double *const seen = w->world->sim->state.seen;
  *q = seen + w->model->robots[0].q;
  *u = seen + w->model->nq + w->model->robots[0].u;
}

void pki_watch_estimate(const pki_watch *w, pki_run_result *r)
{
  const double *q, *u, *is = w->q + w->model->robots[0].q, *moves = w->u + w->model->robots[0].u;
  double R[9], S[9], v[3], felt[3], off[3], tilt = 0;
  seen_root(w, &q, &u);
  pki_quat_to_mat3(is + 3, R);
  pki_quat_to_mat3(q + 3, S);
  pki_mat3_apply_transposed(R, moves, v);
  pki_mat3_apply_transposed(S, u, felt);
  pki_sub3(felt, v, off);
  const double up[3] = {R[6], R[7], R[8]},
               seen_up[3] = {S[6], S[7], S[8]}; /* the vertical in the trunk's axes */
  for (int k = 0; k < 3; k++) {
    tilt += (seen_up[k] - up[k]) * (seen_up[k] - up[k]);
  }
  r->estimate_steps++;
  r->estimate_velocity += pki_dot3(off, off);
  r->estimate_tilt += tilt;
  pki_sub3(q, is, off);
  r->estimate_drift = pki_length3(off);
}

double pki_run_velocity_error(const pki_run_result *r)
{
  return r->estimate_steps > 0 ? sqrt(r->estimate_velocity / (double)r->estimate_steps) : NAN;
}

double pki_run_tilt_error(const pki_run_result *r)
{
  return r->estimate_steps > 0 ? sqrt(r->estimate_tilt / (double)r->estimate_steps) : NAN;
}

/* Columns as those of the trunk: place, roll, pitch, yaw, velocity, angular velocity (its axes). */
int pki_read_estimate(pki_channel_reader *reader, int robot, double *out)
{
  const pk_model *m = reader->watch->model;
  const pk_pose *const link = &m->links[m->robots[robot].root_link].pose;
  const double *q, *u;
  pk_pose root, pose;
  double arm[3];
  seen_root(reader->watch, &q, &u);
  memcpy(root.pos, q, sizeof root.pos);
  pki_quat_to_mat3(q + 3, root.rot);
  pose = pki_pose_mul(&root, link);
  memcpy(out, pose.pos, sizeof pose.pos);
  pki_mat3_to_rpy(pose.rot, out + 3);
  pki_cross3(u + 3, link->pos, arm);
  pki_mat3_apply(root.rot, arm, arm);
  pki_along3(u, 1, arm, out + 6);
  pki_mat3_apply_transposed(link->rot, u + 3, out + 9);
  return 1;
}
