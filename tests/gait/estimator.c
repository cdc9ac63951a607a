/* The state estimator on motions that are known in closed form: StarLETH's trunk sways over feet that stand, joints by
 * inverse kinematics. Feet are points here, so that nothing rolls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/estimator.h"
#include "gait/walker.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "pronk/legs.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

enum { N = PK_BASE_ESTIMATOR_ERRORS, FEET = PK_BASE_ESTIMATOR_FEET };

static const double gravity = 9.81;

/* ---- the motion ---- */

/* Trunk at one moment. */
typedef struct trunk {
  double p[3], v[3], R[9], w[3]; /* world; w in its axes */
} trunk;

/* It starts at rest, level, 0.4 m above the feet; `much` scales how far it goes. */
static trunk trunk_at(double t, double much)
{
  static const double reach[3] = {0.04, 0.03, -0.02}, pace[3] = {3, 2, 4};
  static const double turn[3] = {0.08, 0.1, 0.12}, beat[3] = {2.5, 3.1, 1.3};
  trunk now;
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

typedef struct scene {
  pk_model *model;
  pk_base_estimator *estimator;
  pk_leg legs[FEET];
  double feet[FEET][3]; /* m, where they stand */
  double q[64], u[64];
  double gyro_bias[3], acc_bias[3];
  double much;
  pki_random random;
  bool noisy;
} scene;

/* The model is loaded once for all tests. */
static pk_model *model;

static int load_model(void **state)
{
  (void)state;
  model = walker_model(&walker_starleth, false);
  return 0;
}

static int unload_model(void **state)
{
  (void)state;
  pk_model_destroy(model);
  return 0;
}

static void begin(scene *s, const pk_base_estimator_options *options)
{
  static const char *const names[FEET] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  pk_error err = {.message = ""};
  memset(s, 0, sizeof *s);
  s->model = model;
  s->much = 1;
  if (pk_base_estimator_create(model, options, &s->estimator, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  const trunk start = trunk_at(0, 0);
  for (int i = 0; i < FEET; i++) {
    const int link = pk_model_find_link(model, names[i]);
    double point[3] = {0, 0, 0};
    for (int k = 0; k < model->nshape; k++) {
      const pk_model_shape *shape = &model->shapes[k];
      if (shape->link == link && shape->kind == PK_SHAPE_SPHERE) {
        double off[3];
        pki_sub3(shape->pose.pos, model->links[link].pose.pos, off);
        pki_mat3_apply_transposed(model->links[link].pose.rot, off, point);
      }
    }
    assert_int_equal(pk_leg_init(&s->legs[i], model, PK_LEG_POINT, link, point, &err), PK_OK);
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

static void end(scene *s)
{
  pk_base_estimator_destroy(s->estimator);
}

static void reset_to_truth(scene *s, pk_base_estimator_state *state)
{
  const trunk start = trunk_at(0, s->much);
  pk_pose pose = pk_pose_identity();
  memcpy(pose.pos, start.p, sizeof pose.pos);
  memcpy(pose.rot, start.R, sizeof pose.rot);
  pk_base_estimator_reset(s->estimator, &pose, state);
}

/* Readings at t of an interval dt, of sensors as the estimator's options have them if the scene is noisy. */
static pk_base_estimator_input read_sensors(scene *s, double t, double dt)
{
  const pk_base_estimator_options *o = &s->estimator->options;
  const trunk now = trunk_at(t, s->much), before = trunk_at(t - dt, s->much);
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
  for (int i = 0; i < FEET; i++) {
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

static void step(scene *s, double t, double dt, pk_base_estimator_state *state)
{
  pk_error err = {.message = ""};
  const pk_base_estimator_input in = read_sensors(s, t, dt);
  if (pk_base_estimator_update(s->estimator, &in, state, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* ---- errors ---- */

/* Rotation vector of a small matrix. */
static void log_rotation(const double R[9], double out[3])
{
  const double twice[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  const double size = pki_length3(twice), angle = atan2(size, R[0] + R[4] + R[8] - 1);
  for (int k = 0; k < 3; k++) {
    out[k] = (size > 1e-12 ? angle / size : 0.5) * twice[k];
  }
}

/* What an estimate gets wrong: turn (world), velocity as the trunk feels it, place. */
typedef struct miss {
  double turn[3], tilt, velocity, place;
} miss;

static miss miss_of(const scene *s, double t, const pk_base_estimator_state *state)
{
  const pk_base_estimate now = pk_base_estimator_get(s->estimator, state);
  const trunk is = trunk_at(t, s->much);
  double R[9], back[9], D[9], va[3], vb[3], off[3];
  miss out;
  pki_quat_to_mat3(now.rotation, R);
  pki_mat3_transpose(is.R, back);
  pki_mat3_mul(R, back, D);
  log_rotation(D, out.turn);
  out.tilt = hypot(out.turn[0], out.turn[1]);
  pki_mat3_apply_transposed(R, now.velocity, va);
  pki_mat3_apply_transposed(is.R, is.v, vb);
  pki_sub3(va, vb, off);
  out.velocity = pki_length3(off);
  pki_sub3(now.position, is.p, off);
  out.place = pki_length3(off);
  return out;
}

/* ---- tests ---- */

/* The largest errors over 4 s. */
static miss run_exact(const pk_base_estimator_options *o, double dt)
{
  scene s;
  pk_base_estimator_state state;
  miss worst = {.tilt = 0};
  begin(&s, o);
  reset_to_truth(&s, &state);
  for (int n = 1; n * dt <= 4; n++) {
    step(&s, n * dt, dt, &state);
    const miss m = miss_of(&s, n * dt, &state);
    worst.tilt = fmax(worst.tilt, pki_length3(m.turn));
    worst.velocity = fmax(worst.velocity, m.velocity), worst.place = fmax(worst.place, m.place);
  }
  end(&s);
  return worst;
}

static void exact_readings_give_the_motion_to_second_order(void **state)
{
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.settle = 0;
    if (turned) {
      o.imu_position[0] = 0.1, o.imu_position[1] = -0.05, o.imu_position[2] = 0.07;
      o.imu_rpy[0] = 0.5, o.imu_rpy[1] = -0.4, o.imu_rpy[2] = 2;
    }
    const miss a = run_exact(&o, 4e-3), b = run_exact(&o, 2e-3);
    print_message(
        "exact readings, errors at 4 ms and 2 ms: turn %.2e %.2e rad, velocity %.2e %.2e m/s, place "
        "%.2e %.2e m\n",
        a.tilt, b.tilt, a.velocity, b.velocity, a.place, b.place);
    assert_less(b.tilt, 3e-6);
    assert_less(b.velocity, 1e-5);
    assert_less(b.place, 1e-5);
    assert_greater(a.tilt / b.tilt, 3);
    assert_greater(a.velocity / b.velocity, 3);
    assert_greater(a.place / b.place, 3);
  }
}

static void at_rest_nothing_moves(void **state)
{
  (void)state;
  scene s;
  pk_base_estimator_state e;
  begin(&s, NULL);
  s.much = 0;
  reset_to_truth(&s, &e);
  for (int n = 1; n <= 2000; n++) {
    step(&s, n * 2.5e-3, 2.5e-3, &e);
  }
  const miss m = miss_of(&s, 5, &e);
  assert_less(m.tilt, 1e-12);
  assert_less(m.velocity, 1e-12);
  assert_less(m.place, 1e-12);
  end(&s);
}

static void attitude_converges_from_a_wrong_start(void **state)
{
  (void)state;
  const double tilted = 10 * 0.017453292519943295, wrong[3] = {tilted * 0.8, tilted * 0.6, 0};
  scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.start_tilt = 0.2;
  begin(&s, &o);
  const trunk start = trunk_at(0, 1);
  const double origin[3] = {0, 0, 0};
  pk_pose pose = pk_pose_from_xyz_rpy(origin, wrong);
  memcpy(pose.pos, start.p, sizeof pose.pos);
  pk_base_estimator_reset(s.estimator, &pose, &e);
  const miss first = miss_of(&s, 0, &e);
  miss soon = first, later = first;
  for (int n = 1; n <= 4000; n++) {
    step(&s, n * 2.5e-3, 2.5e-3, &e);
    soon = n == 400 ? miss_of(&s, n * 2.5e-3, &e) : soon;
  }
  later = miss_of(&s, 10, &e);
  print_message(
      "tilt error: %.2f degrees at first, %.4f after 1 s, %.5f after 10 s; velocity %.4f m/s after 1 s\n",
      first.tilt * 57.29578, soon.tilt * 57.29578, later.tilt * 57.29578, soon.velocity);
  assert_greater(first.tilt, 0.17);
  assert_less(soon.tilt, 0.01);
  assert_less(later.tilt, 1e-3);
  assert_less(soon.velocity, 0.01);
  end(&s);
}

static void biases_are_found(void **state)
{
  (void)state;
  static const double gyro[3] = {0.01, -0.02, 0.015}, acc[3] = {0.05, -0.08, 0.1};
  scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.gyro_noise = 2.5e-4, o.acc_noise = 1.7e-3,
  o.foot_noise = 1e-4; /* a good IMU on a robot that does not slip */
  begin(&s, &o);
  memcpy(s.gyro_bias, gyro, sizeof gyro);
  memcpy(s.acc_bias, acc, sizeof acc);
  reset_to_truth(&s, &e);
  for (int n = 1; n <= 16000; n++) {
    step(&s, n * 2.5e-3, 2.5e-3, &e);
  }
  double off[2][3];
  pki_sub3(e.gyro_bias, gyro, off[0]);
  pki_sub3(e.acc_bias, acc, off[1]);
  print_message("biases after 40 s: %.1e of %.3f rad/s, %.1e of %.3f m/s^2 wrong\n", pki_length3(off[0]),
                pki_length3(gyro), pki_length3(off[1]), pki_length3(acc));
  assert_less(pki_length3(off[0]), 1e-4);
  assert_less(pki_length3(off[1]), 5e-3);
  end(&s);
}

/* ---- consistency ---- */

enum { SEEN = 11 };

/* The errors that can be observed: tilt, velocity, biases; and their covariance. */
static double squared_error(const scene *s, double t, const pk_base_estimator_state *e)
{
  static const int at[SEEN] = {0, 1, 3, 4, 5, 9, 10, 11, 12, 13, 14};
  double error[SEEN], P[SEEN][SEEN], R[9], back[9], D[9], turn[3], turned[3];
  const trunk is = trunk_at(t, s->much);
  pki_quat_to_mat3(e->rotation, R);
  pki_mat3_transpose(is.R, back);
  pki_mat3_mul(R, back, D);
  log_rotation(D, turn);
  pki_mat3_apply(D, is.v, turned);
  error[0] = turn[0], error[1] = turn[1];
  for (int k = 0; k < 3; k++) {
    error[2 + k] = e->velocity[k] - turned[k];
    error[5 + k] = e->gyro_bias[k] - s->gyro_bias[k];
    error[8 + k] = e->acc_bias[k] - s->acc_bias[k];
  }
  for (int i = 0; i < SEEN; i++) {
    for (int j = 0; j < SEEN; j++) {
      P[i][j] = e->covariance[N * at[i] + at[j]];
    }
  }
  double solved[SEEN], sum = 0;
  memcpy(solved, error, sizeof error);
  pki_cholesky(&P[0][0], SEEN, SEEN);
  pki_cholesky_solve(&P[0][0], SEEN, SEEN, solved, 1);
  for (int i = 0; i < SEEN; i++) {
    sum += error[i] * solved[i];
  }
  return sum;
}

/* An estimate that is wrong by what the covariance of the reset says. */
static void reset_by_chance(scene *s, pk_base_estimator_state *e)
{
  const pk_base_estimator_options *o = &s->estimator->options;
  const double tilt[3] = {o->start_tilt * pki_random_normal(&s->random),
                          o->start_tilt * pki_random_normal(&s->random), 0};
  const double size = pki_length3(tilt);
  reset_to_truth(s, e);
  for (int k = 0; k < 3; k++) {
    e->velocity[k] = o->start_velocity * pki_random_normal(&s->random);
    s->gyro_bias[k] = o->start_gyro_bias * pki_random_normal(&s->random);
    s->acc_bias[k] = o->start_acc_bias * pki_random_normal(&s->random);
  }
  e->rotation[0] = cos(0.5 * size);
  for (int k = 0; k < 3; k++) {
    e->rotation[1 + k] = sin(0.5 * size) * tilt[k] / size;
  }
}

static void errors_are_as_large_as_the_covariance_says(void **state)
{
  (void)state;
  enum { TIMES = 4 };
  static const double times[TIMES] = {0.1, 1, 4, 10};
  const int runs = PACE(60, 12);
  double sums[TIMES] = {0};
  for (int run = 0; run < runs; run++) {
    scene s;
    pk_base_estimator_state e;
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.settle = 0, o.gate = 0, o.place_noise = 1e-5;
    o.gyro_walk = 1e-3, o.acc_walk = 1e-2; /* so that biases are uncertain to the end */
    begin(&s, &o);
    s.random = pki_random_seeded(1000 + (unsigned)run);
    s.noisy = true;
    reset_by_chance(&s, &e);
    for (int n = 1, next = 0; next < TIMES; n++) {
      step(&s, n * 2.5e-3, 2.5e-3, &e);
      if (n * 2.5e-3 >= times[next] - 1e-9) {
        sums[next++] += squared_error(&s, n * 2.5e-3, &e);
      }
    }
    end(&s);
  }
  /* the sum has the chi-square distribution with SEEN runs degrees of freedom: four deviations to either side */
  const double spread = 4 * sqrt(2.0 * SEEN * runs);
  for (int k = 0; k < TIMES; k++) {
    print_message("squared error at %4.1f s: %.2f, expected %d within %.2f\n", times[k], sums[k] / runs, SEEN,
                  spread / runs);
    assert_near(sums[k], SEEN * runs, spread);
  }
}

/* The parts of a state that turn with the world: attitude apart. */
static double *vector_of(pk_base_estimator_state *e, int part)
{
  return part == 0 ? e->velocity : part == 1 ? e->position : e->feet + 3 * (part - 2);
}

/* Error of a state against another, to first order, in the order of the covariance. */
static void error_between(pk_base_estimator_state *a, pk_base_estimator_state *b, double out[N])
{
  double R[9], Rb[9], D[9], turned[3];
  pki_quat_to_mat3(a->rotation, R);
  pki_quat_to_mat3(b->rotation, Rb);
  pki_mat3_transpose(Rb, Rb);
  pki_mat3_mul(R, Rb, D);
  log_rotation(D, out);
  for (int part = 0; part < 2 + FEET; part++) {
    pki_mat3_apply(D, vector_of(b, part), turned);
    pki_sub3(vector_of(a, part), turned, out + (part < 2 ? 3 + 3 * part : 9 + 3 * part));
  }
  pki_sub3(a->gyro_bias, b->gyro_bias, out + PKI_ERROR_BG);
  pki_sub3(a->acc_bias, b->acc_bias, out + PKI_ERROR_BA);
}

/* A state in the middle of things, far from the world's origin, and one that has a small error k against it. */
static pk_base_estimator_state wrong_state(int k, double size)
{
  static const double v[6][3] = {{1.5, -0.7, 0.4}, {5, -3, 2},       {5.3, -2.8, 1.6},
                                 {5.2, -3.3, 1.5}, {4.7, -2.7, 1.6}, {4.6, -3.2, 1.7}};
  const double at[3] = {0, 0, 0}, rpy[3] = {0.3, -0.2, 1.1};
  double turn[3] = {0, 0, 0}, E[9], R[9];
  pk_base_estimator_state e;
  memset(&e, 0, sizeof e);
  if (k >= 0 && k < 3) {
    turn[k] = size;
  }
  /* to first order in the size */
  const double first[9] = {1, -turn[2], turn[1], turn[2], 1, -turn[0], -turn[1], turn[0], 1};
  memcpy(E, first, sizeof E);
  const pk_pose pose = pk_pose_from_xyz_rpy(at, rpy);
  pki_mat3_mul(E, pose.rot, R);
  pki_quat_from_mat3(R, e.rotation);
  for (int part = 0; part < 2 + FEET; part++) {
    pki_mat3_apply(E, v[part], vector_of(&e, part));
    const int first_row = part < 2 ? 3 + 3 * part : 9 + 3 * part;
    if (k >= first_row && k < first_row + 3) {
      vector_of(&e, part)[k - first_row] += size;
    }
  }
  if (k >= PKI_ERROR_BG && k < PKI_ERROR_D) {
    (k < PKI_ERROR_BA ? e.gyro_bias : e.acc_bias)[k % 3] += size;
  }
  for (int i = 0; i < FEET; i++) {
    e.stands[i] = 1;
  }
  return e;
}

/* Both by differences: how an error goes on through the equations of motion, and what noise of each reading does. */
static void the_covariance_moves_as_errors_do(void **state)
{
  (void)state;
  static double columns[N][N], G[6][N];
  const double small = 1e-6, dt = 1e-4, still[3 * FEET] = {0};
  scene s;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.gyro_noise = 0.3, o.acc_noise = 0.2, o.foot_noise = 0, o.gyro_walk = o.acc_walk = 0;
  begin(&s, &o);
  pk_base_estimator_input in = {.dt = dt, .gyro = {0.5, -0.8, 0.4}, .acc = {1, -2, 8}, .q = s.q, .u = s.u};
  pk_base_estimator_state is = wrong_state(-1, 0);
  memset(is.covariance, 0, sizeof is.covariance);
  pki_filter_predict(s.estimator, &in, still, &is);
  for (int k = 0; k < N + 6; k++) {
    pk_base_estimator_state wrong = wrong_state(k < N ? k : -1, small);
    pk_base_estimator_input noisy = in;
    if (k >= N) {
      (k < N + 3 ? noisy.gyro : noisy.acc)[(k - N) % 3] += 1;
    }
    pki_filter_predict(s.estimator, &noisy, still, &wrong);
    double *to = k < N ? columns[k] : G[k - N];
    error_between(&wrong, &is, to);
    for (int j = 0; j < N && k < N; j++) {
      to[j] /= small;
    }
  }
  double worst = 0;
  for (int i = 0; i < N;
       i++) { /* noise of a reading lasts for dt, its variance is that of its density / dt */
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        sum += (k < 3 ? 0.09 : 0.04) / dt * G[k][i] * G[k][j];
      }
      worst = fmax(worst, fabs(sum - is.covariance[N * i + j]) / dt);
    }
  }
  assert_less(worst, 2e-3);     /* of densities times squares of places, up to 3 */
  for (int a = 0; a < N; a++) { /* the covariance e_a e_b' + e_b e_a' goes on to that of both columns */
    const int b = (7 * a + 3) % N;
    pk_base_estimator_state with = wrong_state(-1, 0);
    with.covariance[N * a + b] += 1, with.covariance[N * b + a] += 1;
    pki_filter_predict(s.estimator, &in, still, &with);
    for (int i = 0; i < N * N; i++) {
      const double sum = columns[a][i / N] * columns[b][i % N] + columns[b][i / N] * columns[a][i % N];
      assert_near(with.covariance[i] - is.covariance[i], sum, 1e-5);
    }
  }
  end(&s);
}

static void position_and_yaw_are_never_observed(void **state)
{
  (void)state;
  scene s;
  pk_base_estimator_state e;
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.start_tilt = 0.3;
  begin(&s, &o);
  s.random = pki_random_seeded(7);
  s.noisy = true;
  reset_to_truth(&s, &e);
  const double before = e.covariance[0];
  const int at[4] = {2, 6, 7, 8}; /* turn about the vertical, place */
  for (int k = 0; k < 4; k++) {
    e.covariance[(N + 1) * at[k]] += 1e-2;
  }
  for (int n = 1; n <= 4000; n++) {
    step(&s, n * 2.5e-3, 2.5e-3, &e);
    for (int k = 0; k < 4; k++) {
      assert_at_least(e.covariance[(N + 1) * at[k]], 1e-2);
    }
  }
  assert_less(e.covariance[0], 0.01 * before); /* the tilt is */
  end(&s);
}

/* ---- feet ---- */

static void feet_stand_when_they_have_settled(void **state)
{
  (void)state;
  scene s;
  pk_base_estimator_state e;
  pk_error err;
  begin(&s, NULL);
  reset_to_truth(&s, &e);
  for (int n = 1; n <= 20; n++) {
    pk_base_estimator_input in = read_sensors(&s, n * 2.5e-3, 2.5e-3);
    in.contact[1] = n > 8, in.contact[2] = n <= 12, in.contact[3] = n % 4 != 0;
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, &err), PK_OK);
    /* 10 ms are four updates, of which the first counts only that the foot touches */
    assert_true(e.stands[0] == (n >= 5));
    assert_true(e.stands[1] == (n >= 13));
    assert_true(e.stands[2] == (n >= 5 && n <= 12));
    assert_true(e.stands[3] == 0);
  }
  for (int k = 0; k < 3 * N; k++) { /* what does not stand is not known */
    assert_true(e.covariance[N * (15 + 6) + k] == 0);
  }
  end(&s);
}

/* A foot jumps by 3 cm while it stands. */
static void a_foot_that_slips_stands_anew(void **state)
{
  (void)state;
  double worst[2] = {0};
  for (int gated = 0; gated < 2; gated++) {
    scene s;
    pk_base_estimator_state e;
    pk_base_estimator_options o = pk_base_estimator_options_default();
    o.gate = gated ? o.gate : 0;
    begin(&s, &o);
    reset_to_truth(&s, &e);
    for (int n = 1; n <= 800; n++) {
      s.feet[2][0] += n == 600 ? 0.03 : 0;
      step(&s, n * 2.5e-3, 2.5e-3, &e);
      worst[gated] = n > 500 ? fmax(worst[gated], miss_of(&s, n * 2.5e-3, &e).velocity) : 0;
    }
    assert_true(e.slips == gated);
    end(&s);
  }
  print_message("a foot slips by 3 cm: velocity wrong by %.4f m/s, with a gate by %.4f\n", worst[0],
                worst[1]);
  assert_less(10 * worst[1], worst[0]);
}

/* ---- what is refused ---- */

static void wrong_options_are_named(void **state)
{
  (void)state;
  pk_base_estimator *made;
  pk_error err = {.message = ""};
  pk_base_estimator_options o = pk_base_estimator_options_default();
  o.acc_noise = -1;
  assert_int_equal(pk_base_estimator_create(model, &o, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "acc_noise");
  o = pk_base_estimator_options_default();
  o.feet[2] = "LH_FOOD";
  assert_int_equal(pk_base_estimator_create(model, &o, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "feet");
  if (strstr(err.message, "LH_FOOT") == NULL || made != NULL) {
    fail_msg("%s", err.message);
  }
}

static void readings_that_are_none_change_nothing(void **state)
{
  (void)state;
  scene s;
  pk_base_estimator_state e;
  pk_error err = {.message = ""};
  begin(&s, NULL);
  reset_to_truth(&s, &e);
  step(&s, 2.5e-3, 2.5e-3, &e);
  const pk_base_estimator_state kept = e;
  for (int k = 0; k < 4; k++) {
    pk_base_estimator_input in = read_sensors(&s, 5e-3, 2.5e-3);
    const double q = s.q[8];
    in.dt = k == 0 ? 0 : k == 1 ? 0.2 : in.dt;
    in.acc[1] = k == 2 ? NAN : in.acc[1];
    s.q[8] = k == 3 ? INFINITY : q;
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, &err),
                     k < 2 ? PK_ERROR_ARGUMENT : PK_ERROR_NONFINITE);
    assert_memory_equal(&e, &kept, sizeof e);
    s.q[8] = q;
  }
  end(&s);
}

static void an_update_allocates_nothing(void **state)
{
  (void)state;
  scene s;
  pk_base_estimator_state e;
  begin(&s, NULL);
  reset_to_truth(&s, &e);
  pk_base_estimator_input in = read_sensors(&s, 2.5e-3, 2.5e-3);
  const int before = allocations;
  for (int n = 0; n < 20; n++) {
    assert_int_equal(pk_base_estimator_update(s.estimator, &in, &e, NULL), PK_OK);
  }
  assert_int_equal(allocations, before);
  end(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_rest_nothing_moves),
      cmocka_unit_test(exact_readings_give_the_motion_to_second_order),
      cmocka_unit_test(attitude_converges_from_a_wrong_start),
      cmocka_unit_test(biases_are_found),
      cmocka_unit_test(errors_are_as_large_as_the_covariance_says),
      cmocka_unit_test(the_covariance_moves_as_errors_do),
      cmocka_unit_test(position_and_yaw_are_never_observed),
      cmocka_unit_test(feet_stand_when_they_have_settled),
      cmocka_unit_test(a_foot_that_slips_stands_anew),
      cmocka_unit_test(wrong_options_are_named),
      cmocka_unit_test(readings_that_are_none_change_nothing),
      cmocka_unit_test(an_update_allocates_nothing),
  };
  return cmocka_run_group_tests_name("the state estimator", tests, load_model, unload_model);
}
