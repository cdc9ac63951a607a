/* Runs whose controller sees sensors and an estimate of the trunk: what is refused, what is told of the estimate, and the
 * scenario that trots blind. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "math/mat3.h"
#include "run/channels.h"
#include "run/run.h"
#include "scenario/wrong.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/pace.h"

/* ---- what is refused ---- */

#define IMU "  - {kind: imu, links: base}\n"
#define ENCODERS "  - {kind: encoder, joints: \"*\"}\n"
#define SWITCHES "  - {kind: switch, links: \"*_FOOT\"}\n"
#define ESTIMATOR REST "estimator:\n"

static const wrong misread[] = {
    {REST "estimator: base\n", 3, "estimator", "estimator is a value, expected a mapping"},
    {ESTIMATOR "  foot_noise: -1\n", 4, "estimator.foot_noise",
     "foot_noise is -1, expected 0 to 10 m/s/sqrt(Hz) (how a standing foot creeps)"},
    {ESTIMATOR "  foot_nois: 1\n", 4, "estimator.foot_nois", NULL},
    {ESTIMATOR "  imu_position: [0, 0, 1]\n", 4, "estimator.imu_position", NULL},
    {ESTIMATOR "  feet: [a, b]\n", 4, "estimator.feet", "feet is a list of 2, expected 4 names"},
};

static const wrong unmade[] = {
    {REST "estimator: {}\n", 3, "estimator",
     "the estimator has nothing to read: add \"sensors\" with an imu on the trunk, an encoder on each joint "
     "of the legs and a switch on each foot"},
    {REST "estimator: {}\nsensors:\n" ENCODERS SWITCHES, 3, "estimator",
     "the trunk \"base\" has no sensor of the kind imu, which its estimator needs: add one"},
    {REST "estimator: {}\nsensors:\n" IMU SWITCHES, 3, "estimator",
     "the joint \"LF_HAA\" has no sensor of the kind encoder, which the estimator of the trunk needs: add "
     "one"},
    {REST "estimator: {}\nsensors:\n" IMU ENCODERS "  - {kind: switch, links: LF_FOOT}\n", 3, "estimator",
     "the foot \"RF_FOOT\" has no sensor of the kind switch, which the estimator of the trunk needs: add "
     "one"},
    {REST "estimator:\n  feet: [LF_FOOT, RF_FOOT, LH_FOOD, RH_FOOT]\nsensors:\n" IMU ENCODERS SWITCHES, 4,
     "estimator.feet", NULL},
};

static void wrong_estimators_are_refused_with_their_line(void **state)
{
  (void)state;
  refuse_scenarios(misread, sizeof misread / sizeof misread[0]);
  refuse_worlds(unmade, sizeof unmade / sizeof unmade[0]);
}

/* ---- what is told ---- */

static pki_scenario *load_blind(const char *const *sets, int nset)
{
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  if (pki_scenario_load(PK_SOURCE_DIR "/scenarios/starleth-blind.yaml", sets, nset, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return s;
}

static void starleth_trots_blind_over_rough_ground(void **state)
{
  (void)state;
  pki_scenario *s = load_blind(NULL, 0);
  pki_world w = good_world(s);
  pki_run_result r;
  pk_error err = {.message = ""};
  const pki_run_options o = {.duration = PACE(-1, 4)};
  assert_int_equal(pki_run(&w, &o, &r, &err), PK_OK);
  print_message("blind: velocity %.4f m/s, tilt %.3f degrees rms, %.3f m after %.1f m\n",
                pki_run_velocity_error(&r), pki_run_tilt_error(&r) * 57.29578, r.estimate_drift, r.path);
  assert_false(r.fell);
  assert_int_equal(r.status, PK_OK);
  assert_int_equal(r.uncertified, 0);
  assert_int_equal(r.estimate_steps, r.steps);
  assert_less(pki_run_velocity_error(&r), 0.05);
  assert_less(pki_run_tilt_error(&r), 0.05);
  assert_greater(pki_run_velocity_error(&r), 1e-4); /* there is noise, and it is late */
  pki_run_result_free(&r);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* The error of a run is that of its channels. */
static void the_estimate_is_recorded_and_compared_with_the_truth(void **state)
{
  (void)state;
  static const char *const only[] = {"estimate", "trunk"};
  pki_scenario *s = load_blind(NULL, 0);
  pki_world w = good_world(s);
  pki_watch watch;
  pki_run_result r;
  pki_channel_reader *reader;
  pk_error err = {.message = ""};
  double sum = 0;
  int rows, steps = 400;
  assert_int_equal(pki_watch_begin(&watch, &w, 1e-6, &r, &err), PK_OK);
  assert_int_equal(pki_channel_reader_create(&watch, &r, only, 2, &reader, &err), PK_OK);
  assert_int_equal(reader->count, 2);
  const int seen = strcmp(reader->channels[0].name, "estimate") == 0 ? 0 : 1;
  for (int n = 0; n <= steps; n++) {
    double value[2][12], R[2][9], v[2][3], off[3];
    for (int k = 0; k < 2; k++) {
      memcpy(value[k], pki_channel_reader_read(reader, k, &rows), sizeof value[k]);
      assert_int_equal(rows, 1);
      const pk_pose pose = pk_pose_from_xyz_rpy(value[k], value[k] + 3);
      memcpy(R[k], pose.rot, sizeof R[k]);
      pki_mat3_apply_transposed(R[k], value[k] + 6, v[k]);
    }
    pki_sub3(v[0], v[1], off);
    sum += n > 0 ? pki_dot3(off, off) : 0;
    if (n == 0) { /* it begins where the robot is */
      for (int k = 0; k < 6; k++) {
        assert_near(value[seen][k], value[1 - seen][k], 1e-12);
      }
    }
    if (n < steps) {
      assert_int_equal(pki_world_step(&w, &watch.info), PK_OK);
      pki_watch_step(&watch, &r);
    }
  }
  assert_near(pki_run_velocity_error(&r), sqrt(sum / steps), 1e-9);
  pki_channel_reader_destroy(reader);
  pki_watch_free(&watch);
  pki_run_result_free(&r);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* A pose sensor on the trunk is recorded, and does not hide what the estimator says. */
static void the_estimator_has_the_last_word_over_sensors_on_the_trunk(void **state)
{
  (void)state;
  static const char *const sets[] = {
      "sensors.3={kind: pose, links: base, noise: 0.5}",
      "sensors.4={kind: velocity, links: base, noise: 0.5}",
  };
  double seen[2][13];
  for (int k = 0; k < 2; k++) {
    pki_scenario *s = load_blind(sets, 2 * k);
    pki_world w = good_world(s);
    for (int n = 0; n < 50; n++) {
      assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    }
    memcpy(seen[k], w.sim->state.seen, 7 * sizeof(double));
    memcpy(seen[k] + 7, w.sim->state.seen + w.model->nq, 6 * sizeof(double));
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
}

static void a_controller_that_sees_the_truth_has_no_estimate(void **state)
{
  (void)state;
  static const char *const sets[] = {"controller.sees=truth"}, *const only[] = {"estimate"};
  pki_scenario *s = load_blind(sets, 1);
  pki_world w = good_world(s);
  pki_run_result r;
  pki_watch watch;
  pki_channel_reader *reader;
  pk_error err = {.message = ""};
  assert_int_equal(pki_watch_begin(&watch, &w, 1e-6, &r, &err), PK_OK);
  assert_int_equal(pki_world_step(&w, &watch.info), PK_OK);
  pki_watch_step(&watch, &r);
  assert_true(isnan(pki_run_velocity_error(&r)) && isnan(pki_run_tilt_error(&r)));
  assert_int_equal(pki_channel_reader_create(&watch, &r, NULL, 0, &reader, &err), PK_OK);
  for (int i = 0; i < reader->count; i++) {
    assert_string_not_equal(reader->channels[i].name, only[0]);
  }
  pki_channel_reader_destroy(reader);
  pki_watch_free(&watch);
  pki_run_result_free(&r);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_estimators_are_refused_with_their_line),
      cmocka_unit_test(starleth_trots_blind_over_rough_ground),
      cmocka_unit_test(the_estimate_is_recorded_and_compared_with_the_truth),
      cmocka_unit_test(the_estimator_has_the_last_word_over_sensors_on_the_trunk),
      cmocka_unit_test(a_controller_that_sees_the_truth_has_no_estimate),
  };
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return cmocka_run_group_tests_name("blind runs", tests, NULL, NULL);
}
