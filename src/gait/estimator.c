/* The state estimator: its options, the legs by which it feels the ground, and the order of an update. */
#include "gait/estimator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "gait/locomotion.h"
#include "math/mat3.h"
#include "model/pose.h"

/* ---- options ---- */

#define OPTION(name) #name, offsetof(pk_base_estimator_options, name)
/* Not of scenarios, where the IMU is a sensor with a place of its own. */
static const pk_field imu_fields[] = {
    {OPTION(imu_position), PK_FIELD_VEC3, "m", 0, -100, 100, NULL, "where the IMU is on the trunk"},
    {OPTION(imu_rpy), PK_FIELD_VEC3, "rad", 0, -7, 7, NULL, "how the IMU is turned: roll, pitch, yaw"},
};
enum { IMU_FIELDS = sizeof imu_fields / sizeof imu_fields[0] };

const pk_field pki_base_estimator_fields[] = {
    {OPTION(gyro_noise), PK_FIELD_REAL, "rad/s/sqrt(Hz)", 1e-3, 1e-9, 10, NULL, "noise of the gyroscope"},
    {OPTION(acc_noise), PK_FIELD_REAL, "m/s^2/sqrt(Hz)", 2e-2, 1e-9, 100, NULL, "noise of the accelerometer"},
    {OPTION(gyro_walk), PK_FIELD_REAL, "rad/s^2/sqrt(Hz)", 1e-5, 0, 10, NULL, "walk of the gyroscope's bias"},
    {OPTION(acc_walk), PK_FIELD_REAL, "m/s^3/sqrt(Hz)", 1e-4, 0, 100, NULL,
     "walk of the accelerometer's bias"},
    {OPTION(foot_noise), PK_FIELD_REAL, "m/s/sqrt(Hz)", 1e-3, 0, 10, NULL, "how a standing foot creeps"},
    {OPTION(joint_noise), PK_FIELD_REAL, "rad", 1e-3, 0, 1, NULL, "error of a joint's angle"},
    {OPTION(place_noise), PK_FIELD_REAL, "m", 1e-3, 1e-9, 1, NULL,
     "error of a foot's place on the trunk beside that of the joints"},
    {OPTION(settle), PK_FIELD_REAL, "s", 0.01, 0, 10, NULL, "how long a foot touches until it stands"},
    {OPTION(gate), PK_FIELD_REAL, "", 5, 0, 1e6, NULL,
     "standard deviations beyond which a foot has slipped; 0: none slips"},
    {OPTION(start_tilt), PK_FIELD_REAL, "rad", 0.02, 0, 3, NULL, "deviation of roll and pitch at the start"},
    {OPTION(start_velocity), PK_FIELD_REAL, "m/s", 0.1, 0, 100, NULL,
     "deviation of the velocity at the start"},
    {OPTION(start_gyro_bias), PK_FIELD_REAL, "rad/s", 0.02, 0, 10, NULL,
     "deviation of the gyroscope's bias at the start"},
    {OPTION(start_acc_bias), PK_FIELD_REAL, "m/s^2", 0.2, 0, 100, NULL,
     "deviation of the accelerometer's bias at the start"},
};
const int pki_base_estimator_field_count =
    sizeof pki_base_estimator_fields / sizeof pki_base_estimator_fields[0];

pk_base_estimator_options pk_base_estimator_options_default(void)
{
  pk_base_estimator_options options;
  pki_fields_default(pki_base_estimator_fields, pki_base_estimator_field_count, &options, sizeof options);
  return options;
}

/* ---- legs ---- */

/* The hinges of a leg in the IMU's frame, all at zero: the product of all poses between the trunk and each. */
static void place_leg(const pk_model *m, const pki_leg *leg, const pk_pose *imu, pki_estimator_leg *out)
{
  pk_pose pose = pki_pose_invert(imu);
  for (int k = 0; k < 3; k++) {
    const int body = leg->body[k];
    pk_pose joint;
    memcpy(joint.pos, m->body_pos + 3 * (size_t)body, sizeof joint.pos);
    memcpy(joint.rot, m->body_rot + 9 * (size_t)body, sizeof joint.rot);
    pose = pki_pose_mul(&pose, &joint);
    for (int i = 0; i < 3; i++) {
      out->axis[k][i] = pose.rot[3 * i + m->body_axis[body]];
      out->at[k][i] = pose.pos[i];
    }
    out->q[k] = m->body_q[body], out->u[k] = leg->u[k];
    out->gain[k] = m->body_gain[body], out->offset[k] = m->body_offset[body];
  }
  pki_mat3_apply(pose.rot, leg->at, out->foot);
  pki_along3(pose.pos, 1, out->foot, out->foot);
  out->radius = leg->radius;
}

/* v turned about a unit axis. */
static void turn_about(const double axis[3], double sine, double cosine, double v[3])
{
  double across[3];
  const double along = (1 - cosine) * pki_dot3(axis, v);
  pki_cross3(axis, v, across);
  for (int i = 0; i < 3; i++) {
    v[i] = cosine * v[i] + sine * across[i] + along * axis[i];
  }
}

/* Where a leg's angles have its foot: from the foot up to the trunk each hinge turns all that is below it. */
static void find_foot(const pki_estimator_leg *leg, const pk_base_estimator_input *in,
                      pki_estimator_foot *out)
{
  double axes[3][3];
  memcpy(out->arm, leg->foot, sizeof out->arm);
  memcpy(axes, leg->axis, sizeof axes);
  for (int k = 2; k >= 0; k--) {
    const double angle = leg->gain[k] * in->q[leg->q[k]] + leg->offset[k], s = sin(angle), c = cos(angle);
    pki_sub3(out->arm, leg->at[k], out->arm);
    turn_about(leg->axis[k], s, c, out->arm);
    for (int j = k + 1; j < 3; j++) {
      turn_about(leg->axis[k], s, c, axes[j]);
      turn_about(leg->axis[k], s, c, out->column[j]);
    }
    pki_cross3(leg->axis[k], out->arm, out->column[k]);
    pki_along3(out->arm, 1, leg->at[k], out->arm);
  }
  memset(out->turning, 0, sizeof out->turning);
  for (int k = 0; k < 3; k++) {
    pki_along3(out->turning, leg->gain[k] * in->u[leg->u[k]], axes[k], out->turning);
  }
}

/* A ball that rolls on level ground: its centre moves by its turning about the point below it. */
static void roll_foot(const pk_base_estimator *e, int leg, const double R[9],
                      const pk_base_estimator_input *in, const pki_estimator_foot *foot,
                      const pk_base_estimator_state *s, double velocity[3])
{
  const double size = pki_length3(e->gravity), r = size > 0 ? -e->legs[leg].radius / size : 0;
  double w[3];
  for (int k = 0; k < 3; k++) {
    w[k] = in->gyro[k] - s->gyro_bias[k] + foot->turning[k];
  }
  pki_mat3_apply(R, w, w);
  const double up[3] = {r * e->gravity[0], r * e->gravity[1], r * e->gravity[2]};
  pki_cross3(w, up, velocity);
}

/* ---- making one ---- */

pk_status pk_base_estimator_create(const pk_model *model, const pk_base_estimator_options *options,
                                   pk_base_estimator **out, pk_error *err)
{
  *out = NULL;
  pk_base_estimator made = {.options = options != NULL ? *options : pk_base_estimator_options_default()};
  pki_locomotion robot = {.options = pk_locomotion_options_default()};
  memcpy(robot.options.feet, made.options.feet, sizeof made.options.feet);
  if (robot.options.feet[0] == NULL) { /* a name, so that a robot on six legs has four feet here, too */
    robot.options.feet[0] = "LF_FOOT";
  }
  pk_status status = pki_fields_validate(imu_fields, IMU_FIELDS, &made.options, err);
  status = status == PK_OK ? pki_fields_validate(pki_base_estimator_fields, pki_base_estimator_field_count,
                                                 &made.options, err)
                           : status;
  status = status == PK_OK ? pki_legs_find(&robot, model, err) : status;
  if (status != PK_OK) {
    return status;
  }
  memcpy(made.gravity, model->gravity, sizeof made.gravity);
  memset(made.options.feet, 0, sizeof made.options.feet); /* the caller's texts need not live on */
  made.imu = pk_pose_from_xyz_rpy(made.options.imu_position, made.options.imu_rpy);
  made.robot = robot.robot, made.trunk = robot.trunk;
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    made.feet[i] = robot.legs[i].foot;
    place_leg(model, &robot.legs[i], &made.imu, &made.legs[i]);
  }
  pk_base_estimator *e = malloc(sizeof *e);
  if (e == NULL) {
    return pki_fail_memory(err, "a state estimator");
  }
  *e = made;
  *out = e;
  return PK_OK;
}

void pk_base_estimator_destroy(pk_base_estimator *estimator)
{
  free(estimator);
}

/* ---- running ---- */

/* Covariance at the start: position and yaw are exact, all else has its deviation. The turn of the error is about the
 * world's origin: p^ = Exp(xi_R) p + xi_p with p^ = p, so that xi_p = [p] xi_R. */
static void spread_start(const pk_base_estimator *e, pk_base_estimator_state *s)
{
  enum { N = PK_BASE_ESTIMATOR_ERRORS };
  const pk_base_estimator_options *o = &e->options;
  const double *p = s->position, *g = e->gravity, tilt = o->start_tilt * o->start_tilt;
  const double arm[9] = {0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0};
  const double deviation[3] = {o->start_velocity, o->start_gyro_bias, o->start_acc_bias};
  const int at[3] = {PKI_ERROR_V, PKI_ERROR_BG, PKI_ERROR_BA};
  double R[9], moved[9], both[9], *const P = s->covariance;
  for (int k = 0; k < 9; k++) {
    R[k] = tilt * ((k % 4 == 0) - g[k / 3] * g[k % 3] / pki_dot3(g, g));
  }
  pki_mat3_mul(arm, R, moved);
  pki_mat3_transpose(arm, both);
  pki_mat3_mul(moved, both, both);
  for (int k = 0; k < 9; k++) {
    const int i = k / 3, j = k % 3;
    P[N * i + j] = R[k];
    P[N * (PKI_ERROR_P + i) + j] = P[N * j + PKI_ERROR_P + i] = moved[k];
    P[N * (PKI_ERROR_P + i) + PKI_ERROR_P + j] = both[k];
    P[(N + 1) * (at[i] + j)] = deviation[i] * deviation[i];
  }
}

void pk_base_estimator_reset(const pk_base_estimator *e, const pk_pose *trunk, pk_base_estimator_state *s)
{
  const pk_pose identity = pk_pose_identity(), imu = pki_pose_mul(trunk != NULL ? trunk : &identity, &e->imu);
  memset(s, 0, sizeof *s);
  pki_quat_from_mat3(imu.rot, s->rotation);
  memcpy(s->position, imu.pos, sizeof s->position);
  spread_start(e, s);
}

/* What is wrong with readings. */
static pk_status check_input(const pk_base_estimator *e, const pk_base_estimator_input *in, pk_error *err)
{
  if (!(in->dt > 0 && in->dt <= 0.1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "dt"},
                    "dt is %g s, expected more than 0 and at most 0.1: update more often", in->dt);
  }
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += 0 * in->gyro[k] + 0 * in->acc[k];
  }
  for (int i = 0; i < 3 * PK_BASE_ESTIMATOR_FEET; i++) {
    const pki_estimator_leg *leg = &e->legs[i / 3];
    sum += 0 * in->q[leg->q[i % 3]] + 0 * in->u[leg->u[i % 3]];
  }
  if (sum != 0) {
    return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0},
                    "a reading is infinite or not a number, expected readings of working sensors");
  }
  return PK_OK;
}

pk_status pk_base_estimator_update(const pk_base_estimator *e, const pk_base_estimator_input *in,
                                   pk_base_estimator_state *s, pk_error *err)
{
  const pk_status status = check_input(e, in, err);
  if (status != PK_OK) {
    return status;
  }
  pki_estimator_foot feet[PK_BASE_ESTIMATOR_FEET];
  double rolling[3 * PK_BASE_ESTIMATOR_FEET], R[9];
  pki_quat_to_mat3(s->rotation, R);
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    find_foot(&e->legs[i], in, &feet[i]);
    roll_foot(e, i, R, in, &feet[i], s, rolling + 3 * i);
    s->touched[i] = in->contact[i] ? s->touched[i] + in->dt : 0;
    if (!in->contact[i] && s->stands[i] > 0) {
      pki_filter_drop_foot(i, s);
    }
  }
  pki_filter_predict(e, in, rolling, s);
  for (int i = 0; i < PK_BASE_ESTIMATOR_FEET; i++) {
    const bool stood = s->stands[i] > 0;
    const bool slipped = stood && !pki_filter_correct(e, i, &feet[i], s);
    s->slips += slipped;
    if (slipped || (!stood && s->touched[i] > e->options.settle)) {
      pki_filter_place_foot(e, i, &feet[i], s);
    }
  }
  return PK_OK;
}

/* The part of xi_R along gravity is yaw. What the trunk feels of its velocity is R'v, the error of which is R'xi_v. */
static void find_deviations(const pk_base_estimator *e, const pk_base_estimator_state *s,
                            pk_base_estimate *out)
{
  enum { N = PK_BASE_ESTIMATOR_ERRORS };
  const double *P = s->covariance, *g = e->gravity, size2 = pki_dot3(g, g);
  double along = 0, trace = 0;
  for (int i = 0; i < 3; i++) {
    trace += P[(N + 1) * i];
    for (int j = 0; j < 3; j++) {
      along += g[i] * P[N * i + j] * g[j] / size2;
    }
  }
  out->tilt_deviation = sqrt(fmax(0, trace - along));
  out->velocity_deviation = sqrt(
      fmax(0, P[(N + 1) * PKI_ERROR_V] + P[(N + 1) * (PKI_ERROR_V + 1)] + P[(N + 1) * (PKI_ERROR_V + 2)]));
}

pk_base_estimate pk_base_estimator_get(const pk_base_estimator *e, const pk_base_estimator_state *s)
{
  pk_base_estimate out;
  double R[9], back[9], arm[3], w[3], swing[3];
  pki_quat_to_mat3(s->rotation, R);
  pki_mat3_transpose(e->imu.rot, back);
  pki_mat3_mul(R, back, R); /* of the trunk */
  for (int k = 0; k < 3; k++) {
    w[k] = s->gyro[k] - s->gyro_bias[k];
  }
  pki_mat3_apply(e->imu.rot, w, out.omega);
  pki_cross3(out.omega, e->imu.pos, swing);
  pki_mat3_apply(R, swing, swing);
  pki_mat3_apply(R, e->imu.pos, arm);
  pki_sub3(s->position, arm, out.position);
  pki_sub3(s->velocity, swing, out.velocity);
  pki_quat_from_mat3(R, out.rotation);
  memcpy(out.gyro_bias, s->gyro_bias, sizeof out.gyro_bias);
  memcpy(out.acc_bias, s->acc_bias, sizeof out.acc_bias);
  find_deviations(e, s, &out);
  return out;
}
