#include "gait/estimator_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gait/walker.h"
#include "math/mat3.h"

static const double gravity = 9.81;

/* ---- the motion ---- */

/* It starts at rest, level, 0.4 m above the feet; `much` scales how far it goes. */
sway_trunk sway_trunk_at(double t, double much)
{
  static const double reach[3] = {0.04, 0.03, -0.02}, pace[3] = {3, 2, 4};
  static const double turn[3] = {0.08, 0.1, 0.12}, beat[3] = {2.5, 3.1, 1.3};
  sway_trunk now;
  double angle[3], rate[3];
  for (int k = 0; k < 3; k++) {
    now.p[k] = (k == 2 ? 0.4 : 0.3 * (k + 1)) + much * reach[k] * (1 - cos(pace[k] * t));
    now.v[k] = much * reach[k] * pace[k] * sin(pace[k] * t);
    angle[k] = much * turn[k] * (1 - cos(beat[k] * t)), rate[k] = much * turn[k] * beat[k] * sin(beat[k] * t);
  }
  const pk_pose pose = pk_pose_from_xyz_rpy(now.p, angle);
  memcpy(now.R, pose.rot, sizeof now.R);
  const double sr = sin(angle[0]), cr = cos(angle[0]), sp = sin(angle[1]), cp = cos(angle[1]);
  now.w[0] = rate[0] - rate[2] * sp;
  now.w[1] = rate[1] * cr + rate[2] * cp * sr;
  now.w[2] = -rate[1] * sr + rate[2] * cp * cr;
  return now;
}

/* The model is loaded once for all tests. */
pk_model *sway_model;

int sway_load_model(void **state)
{
  (void)state;
  sway_model = walker_model(&walker_starleth, false);
  return 0;
}

int sway_unload_model(void **state)
{
  (void)state;
  pk_model_destroy(sway_model);
  return 0;
}

void sway_begin(sway_scene *s, const pk_base_estimator_options *options)
{
  static const char *const names[SWAY_FEET] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  pk_error err = {.message = ""};
  memset(s, 0, sizeof *s);
  s->model = sway_model;
  s->much = 1;
  if (pk_base_estimator_create(sway_model, options, &s->estimator, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  const sway_trunk start = sway_trunk_at(0, 0);
  for (int i = 0; i < SWAY_FEET; i++) {
    const int link = pk_model_find_link(sway_model, names[i]);
    double point[3] = {0, 0, 0};
    for (int k = 0; k < sway_model->nshape; k++) {
      const pk_model_shape *shape = &sway_model->shapes[k];
      if (shape->link == link && shape->kind == PK_SHAPE_SPHERE) {
        double off[3];
        pki_sub3(shape->pose.pos, sway_model->links[link].pose.pos, off);
        pki_mat3_apply_transposed(sway_model->links[link].pose.rot, off, point);
      }
    }
    assert_int_equal(pk_leg_init(&s->legs[i], sway_model, PK_LEG_POINT, link, point, &err), PK_OK);
    s->estimator->legs[i].radius = 0;
    for (int k = 0; k < 3; k++) {
      s->q[s->legs[i].q[k]] = (i < 2 ? 1 : -1) * walker_starleth.leg[k];
    }
    double angles[PK_LEG_HINGES];
    pk_leg_get(&s->legs[i], s->q, angles);
    const pk_pose foot = pk_leg_foot(&s->legs[i], angles);
    pki_along3(start.p, 1, foot.pos, s->feet[i]);
  }
}

void sway_end(sway_scene *s)
{
  pk_base_estimator_destroy(s->estimator);
}

void sway_reset(sway_scene *s, pk_base_estimator_state *state)
{
  const sway_trunk start = sway_trunk_at(0, s->much);
  pk_pose pose = pk_pose_identity();
  memcpy(pose.pos, start.p, sizeof pose.pos);
  memcpy(pose.rot, start.R, sizeof pose.rot);
  pk_base_estimator_reset(s->estimator, &pose, state);
}

/* Readings at t of an interval dt, of sensors as the estimator's options have them if the scene is noisy. */
pk_base_estimator_input sway_read(sway_scene *s, double t, double dt)
{
  const pk_base_estimator_options *o = &s->estimator->options;
  const sway_trunk now = sway_trunk_at(t, s->much), before = sway_trunk_at(t - dt, s->much);
  pk_base_estimator_input in = {.dt = dt, .q = s->q, .u = s->u, .contact = {true, true, true, true}};
  /* the IMU where it is on the trunk, by its own velocity */
  double a[3], vn[3], vb[3], arm[3];
  pki_cross3(now.w, o->imu_position, arm), pki_mat3_apply(now.R, arm, arm), pki_along3(now.v, 1, arm, vn);
  pki_cross3(before.w, o->imu_position, arm), pki_mat3_apply(before.R, arm, arm);
  pki_along3(before.v, 1, arm, vb);
  for (int k = 0; k < 3; k++) {
    a[k] = (vn[k] - vb[k]) / dt + (k == 2 ? gravity : 0);
  }
  pki_mat3_apply_transposed(now.R, a, a);
  pki_mat3_apply_transposed(s->estimator->imu.rot, a, in.acc);
  pki_mat3_apply_transposed(s->estimator->imu.rot, now.w, in.gyro);
  for (int k = 0; k < 3; k++) {
    in.gyro[k] += s->gyro_bias[k];
    in.acc[k] += s->acc_bias[k];
    if (s->noisy) {
      in.gyro[k] += o->gyro_noise / sqrt(dt) * pki_random_normal(&s->random);
      in.acc[k] += o->acc_noise / sqrt(dt) * pki_random_normal(&s->random);
      s->gyro_bias[k] += o->gyro_walk * sqrt(dt) * pki_random_normal(&s->random);
      s->acc_bias[k] += o->acc_walk * sqrt(dt) * pki_random_normal(&s->random);
    }
  }
  for (int i = 0; i < SWAY_FEET; i++) {
    pk_pose foot = pk_pose_identity();
    double angles[PK_LEG_HINGES], off[3];
    for (int k = 0; k < 3; k++) {
      s->feet[i][k] += s->noisy ? o->foot_noise * sqrt(dt) * pki_random_normal(&s->random) : 0;
    }
    pki_sub3(s->feet[i], now.p, off);
    pki_mat3_apply_transposed(now.R, off, foot.pos);
    pk_leg_get(&s->legs[i], s->q, angles);
    assert_int_equal(pk_leg_solve(&s->legs[i], &foot, PK_LEG_NEAREST, angles, NULL), PK_OK);
    for (int k = 0; k < 3 && s->noisy; k++) {
      angles[k] += o->joint_noise * pki_random_normal(&s->random);
    }
    pk_leg_set(&s->legs[i], angles, s->q);
  }
  return in;
}

void sway_step(sway_scene *s, double t, double dt, pk_base_estimator_state *state)
{
  pk_error err = {.message = ""};
  const pk_base_estimator_input in = sway_read(s, t, dt);
  if (pk_base_estimator_update(s->estimator, &in, state, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* ---- errors ---- */

/* Rotation vector of a small matrix. */
void sway_log(const double R[9], double out[3])
{
  const double twice[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  const double size = pki_length3(twice), angle = atan2(size, R[0] + R[4] + R[8] - 1);
  for (int k = 0; k < 3; k++) {
    out[k] = (size > 1e-12 ? angle / size : 0.5) * twice[k];
  }
}

sway_miss sway_miss_of(const sway_scene *s, double t, const pk_base_estimator_state *state)
{
  const pk_base_estimate now = pk_base_estimator_get(s->estimator, state);
  const sway_trunk is = sway_trunk_at(t, s->much);
  double R[9], back[9], D[9], va[3], vb[3], off[3];
  sway_miss out;
  pki_quat_to_mat3(now.rotation, R);
  pki_mat3_transpose(is.R, back);
  pki_mat3_mul(R, back, D);
  sway_log(D, out.turn);
  out.tilt = hypot(out.turn[0], out.turn[1]);
  pki_mat3_apply_transposed(R, now.velocity, va);
  pki_mat3_apply_transposed(is.R, is.v, vb);
  pki_sub3(va, vb, off);
  out.velocity = pki_length3(off);
  pki_sub3(now.position, is.p, off);
  out.place = pki_length3(off);
  return out;
}
