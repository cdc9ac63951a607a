#define _POSIX_C_SOURCE 200809L /* setenv */
/* Sensors in scenarios: what entries stand for, worlds of a batch that are the same alone, and what is refused. */
#include <math.h>

#include "pronk/batch.h"
#include "pronk/sensing.h"
#include "scenario/wrong.h"
#include "support/bounds.h"

#define SENSORS REST "sensors:\n"

static const wrong misread[] = {
    {REST "sensors: imu\n", 3, "sensors", "sensors is a value, expected a list"},
    {SENSORS "  - imu\n", 4, "sensors.0", "sensors is a value, expected a mapping"},
    {SENSORS "  - {links: base}\n", 4, "sensors.0",
     "the key \"kind\" is missing: a word, what it measures (pronk list sensors)"},
    {SENSORS "  - {kind: imo, links: base}\n", 4, "sensors.0.kind",
     "kind is \"imo\", expected one of pose, velocity, imu, encoder, tachometer, torque, motor-encoder, "
     "motor-current, motor-temperature, switch, contact-force, force-torque, ray, height-scan; did you mean "
     "\"imu\"?"},
    {SENSORS "  - {kind: imu}\n", 4, "sensors.0",
     "the sensor \"imu\" needs one of the keys \"links\" and \"site\""},
    {SENSORS "  - {kind: imu, links: base, site: nose}\n", 4, "sensors.0",
     "the sensor \"imu\" has both \"links\" and \"site\", expected one of them: a site is on a link"},
    {SENSORS "  - {kind: encoder}\n", 4, "sensors.0", "the sensor \"encoder\" needs the key \"joints\""},
    {SENSORS "  - {kind: encoder, joints: LF_HAA, links: base}\n", 4, "sensors.0.links",
     "links has no meaning for the sensor \"encoder\""},
    {SENSORS "  - {kind: imu, links: base, joints: LF_HAA}\n", 4, "sensors.0.joints",
     "joints has no meaning for the sensor \"imu\""},
    {SENSORS "  - {kind: encoder, joints: LF_HAA, position: [0, 0, 1]}\n", 4, "sensors.0.position",
     "position has no meaning for the sensor \"encoder\""},
    {SENSORS "  - {kind: imu, site: nose, rpy: [0, 0, 1]}\n", 4, "sensors.0.rpy",
     "rpy has no meaning for the sensor \"imu\""},
    {SENSORS "  - kind: imu\n    links: base\n    threshold: 3\n", 6, "sensors.0.threshold",
     "threshold has no meaning for the sensor \"imu\""},
    {SENSORS "  - {kind: imu, links: base, axes: own}\n", 4, "sensors.0.axes",
     "axes has no meaning for the sensor \"imu\""},
    {SENSORS "  - {kind: torque, joints: LF_HAA, velocity: exact}\n", 4, "sensors.0.velocity",
     "velocity has no meaning for the sensor \"torque\""},
    {SENSORS "  - {kind: switch, links: LF_FOOT, reach: 2}\n", 4, "sensors.0.reach",
     "reach has no meaning for the sensor \"switch\""},
    {SENSORS "  - {kind: torque, joints: LF_HAA, angular_noise: 1}\n", 4, "sensors.0.angular_noise",
     "angular_noise has no meaning for the sensor \"torque\""},
    {SENSORS "  - {kind: pose, links: base, angular_range: 1}\n", 4, "sensors.0.angular_range",
     "angular_range has no meaning for the sensor \"pose\""},
    {SENSORS "  - {kind: imu, links: base, part: bmi8}\n", 4, "sensors.0.part", NULL},
    {SENSORS "  - {kind: encoder, joints: LF_HAA, part: bmi088}\n", 4, "sensors.0.part",
     "the part \"bmi088\" is of the kind \"imu\", this sensor is \"encoder\""},
    {SENSORS "  - {kind: imu, links: base, rate: -1}\n", 4, "sensors.0.rate",
     "rate is -1, expected 0 to 1e+06 Hz (samples; between them the last one stands; 0: each step)"},
    {SENSORS "  - {kind: imu, links: base, dropout: 1.5}\n", 4, "sensors.0.dropout",
     "dropout is 1.5, expected 0 to 1 (probability that a sample is lost, and the one before stands)"},
    {SENSORS "  - {kind: imu, links: base, noice: 1}\n", 4, "sensors.0.noice", NULL},
    {SENSORS "  - {kind: velocity, links: base, axes: link}\n", 4, "sensors.0.axes",
     "axes is \"link\", expected one of world, own"},
    {REST "controller:\n  name: hold\n  sees: nothing\n", 5, "controller.sees",
     "sees is \"nothing\", expected one of truth, sensors"},
};

static const wrong unmade[] = {
    {SENSORS "  - {kind: imu, links: trunk}\n", 4, "sensors.0.links", NULL},
    {SENSORS "  - {kind: encoder, joints: LF_HA}\n", 4, "sensors.0.joints", NULL},
    {SENSORS "  - {kind: imu, site: nose}\n", 4, "sensors.0.site",
     "there is no site \"nose\" (there are none)"},
    {SENSORS "  - {kind: imu, links: base}\n  - {kind: imu, links: base}\n", 5, "sensors.1",
     "the sensor \"imu/base\": there are two of that name: give one a name"},
    {SENSORS "  - {kind: pose, links: base}\n  - kind: pose\n    links: LF_FOOT\n    bandwidth: 10\n", 7,
     "sensors.1.bandwidth",
     "the sensor \"pose/LF_FOOT\": bandwidth is 10 Hz, but an attitude is not filtered: leave it out"},
    {SENSORS "  - {kind: ray, links: base, reach: 0}\n", 4, "sensors.0.reach",
     "the sensor \"ray/base\": reach is 0 m, expected more"},
    {SENSORS "  - {kind: height-scan, links: base, points_x: 0}\n", 4, "sensors.0", NULL},
    {SENSORS "  - {kind: motor-current, joints: LF_HAA}\n", 4, "sensors.0.joints",
     "the sensor \"motor-current/LF_HAA\" reads a motor, but its joint has none: give it one by "
     "\"actuators\""},
    {REST "controller:\n  name: hold\n  sees: sensors\n", 5, "controller.sees",
     "the controller is to see sensors, but the scenario has none: add \"sensors\""},
};

static void wrong_sensors_are_refused_with_their_line(void **state)
{
  (void)state;
  refuse_scenarios(misread, sizeof misread / sizeof misread[0]);
  refuse_worlds(unmade, sizeof unmade / sizeof unmade[0]);
}

static void an_entry_is_a_sensor_for_each_match(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(
      SENSORS "  - {kind: imu, links: base, part: bmi088, rate: 200, name: unit, position: [0.1, 0, 0]}\n"
              "  - {kind: encoder, joints: \"*\", part: encoder-14bit}\n"
              "  - {kind: switch, links: \"*_FOOT\", name: foot, threshold: 5}\n"
              "  - {kind: height-scan, links: base, points_x: 3, points_y: 5, reach: 1}\n",
      NULL);
  pki_world w = good_world(s);
  const pk_sensing *sensing = w.sensing;
  pk_sensor_part bmi088;
  assert_true(pk_sensor_part_find("bmi088", &bmi088));
  assert_int_equal(pk_sensing_count(sensing), 1 + 12 + 4 + 1);
  assert_int_equal(pk_sensing_values(sensing), 6 + 24 + 4 + 15);
  const pk_sensor unit = pk_sensing_get(sensing, pk_sensing_find(sensing, "unit"));
  assert_near(unit.part.rate, 200, 0);
  assert_near(unit.part.bandwidth, bmi088.bandwidth, 0);
  assert_near(unit.position[0], 0.1, 0);
  assert_int_equal(pk_sensing_get(sensing, pk_sensing_find(sensing, "foot/LF_FOOT")).link,
                   pk_model_find_link(w.model, "LF_FOOT"));
  const int knee = pk_sensing_find(sensing, "encoder/LF_KFE");
  assert_int_equal(pk_sensing_get(sensing, knee).dof,
                   w.model->joints[pk_model_find_joint(w.model, "LF_KFE")].u);
  assert_int_equal(pk_sensing_find_on(sensing, "encoder", pk_sensing_get(sensing, knee).dof, 0), knee);
  assert_int_equal(pk_sensing_find(sensing, "nobody"), -1);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

#define STANDING \
  "model: {model: starleth, on_ground: true, joints: {LF_HFE: 0.73, LF_KFE: -1.34, RF_HFE: 0.73, RF_KFE: " \
  "-1.34, " \
  "LH_HFE: -0.73, LH_KFE: 1.34, RH_HFE: -0.73, RH_KFE: 1.34}}\nduration: 1\nstep: {dt: 2.5e-3}\nseed: " \
  "4\n" GROUND "vary:\n  - {what: mass, link: base, from: 0.9, to: 1.1}\n" \
  "sensors:\n" \
  "  - {kind: imu, links: base, part: adis16448, latency: 5e-3}\n" \
  "  - {kind: encoder, joints: \"*\", part: encoder-12bit}\n" \
  "  - {kind: pose, links: base, noise: 1e-3, angular_noise: 1e-3}\n" \
  "  - {kind: velocity, links: base, noise: 1e-3, angular_noise: 1e-3}\n" \
  "  - {kind: velocity, links: \"*_FOOT\", name: foot}\n" \
  "  - {kind: switch, links: \"*_FOOT\"}\n" \
  "  - {kind: contact-force, links: \"*_FOOT\", noise: 1}\n" \
  "controller: {name: locomotion, gait: trot, sees: sensors}\n"

/* World k of a batch is the world of `--set world=k`, to the bit; with what its controller sees. */
static void worlds_of_a_batch_are_the_worlds_of_their_numbers(void **state)
{
  (void)state;
  enum { WORLDS = 6, STEPS = 200 };
  pki_scenario *s = good_scenario(STANDING, NULL);
  pki_world w = good_world(s);
  pk_batch_options o = pk_batch_options_default();
  pk_batch *b;
  pk_error err = {0};
  o.worlds = WORLDS, o.threads = 1, o.sim = pk_batch_options_default().sim;
  pk_sim_options mine = s->step;
  mine.sensing = w.sensing, mine.max_contacts = pk_sim_max_contacts(w.sim);
  o.sim = mine;
  if (pk_batch_create(w.model, &o, &b, &err) != PK_OK || pk_batch_set_like(b, w.sim, &err) != PK_OK ||
      pk_batch_set_controller(b, w.controller, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int k = 0; k < WORLDS; k++) {
    if (pki_world_vary(&w, k, &err) != PK_OK || pk_batch_set(b, k, w.sim, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
  pk_batch_step(b, STEPS, NULL);
  for (int k = 0; k < WORLDS; k++) {
    char set[32];
    snprintf(set, sizeof set, "world=%d", k);
    pki_scenario *one = good_scenario(STANDING, set);
    pki_world alone = good_world(one);
    for (int i = 0; i < STEPS; i++) {
      assert_int_equal(pki_world_step(&alone, NULL), PK_OK);
    }
    assert_int_equal(pk_batch_world_status(b, k), PK_OK);
    assert_true(pk_sim_get_stream(alone.sim) == (unsigned long long)k);
    assert_memory_equal(pk_batch_view_world(pk_batch_q(b), k), pk_sim_q(alone.sim),
                        (size_t)w.model->nq * sizeof(double));
    assert_memory_equal(pk_batch_view_world(pk_batch_readings(b), k), pk_sim_readings(alone.sim),
                        (size_t)pk_sensing_values(w.sensing) * sizeof(double));
    pki_world_free(&alone);
    pki_scenario_destroy(one);
  }
  pk_batch_destroy(b);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* What the last update was shown. */
typedef struct shown {
  double q[19], u[18];
  int ncontact, link;
} shown;

static pk_status look(const pk_controller *self, const pk_observation *seen, void *state,
                      pk_command *commands)
{
  (void)self, (void)commands;
  shown *s = state;
  memcpy(s->q, seen->q, sizeof s->q);
  memcpy(s->u, seen->u, sizeof s->u);
  s->ncontact = seen->ncontact;
  s->link = seen->ncontact > 0 ? seen->contacts[0].link : -1;
  return PK_OK;
}

static pk_status see(const char *sensors, bool by_sensors, shown *out, const double **truth, pki_world *w,
                     pki_scenario **s)
{
  static const pk_controller looks = {.name = "looks", .state_size = sizeof(shown), .update = look};
  char text[2048];
  snprintf(text, sizeof text, "model: starleth\nduration: 1\n%s", sensors);
  *s = good_scenario(text, NULL);
  (*s)->step.sees = by_sensors ? PK_SEES_SENSORS : PK_SEES_TRUTH;
  *w = good_world(*s);
  pk_sim_u(w->sim)[3] = 0.5, pk_sim_u(w->sim)[9] = 0.4;
  const pk_status status = pk_sim_set_controller(w->sim, &looks, NULL);
  for (int i = 0; i < 21 && status == PK_OK; i++) {
    assert_int_equal(pk_sim_step(w->sim, NULL), PK_OK);
  }
  /* the block of a controller is the last part of a state */
  unsigned char *bytes = malloc(pk_sim_state_size(w->sim));
  pk_sim_get_state(w->sim, bytes);
  memcpy(out, bytes + pk_sim_state_size(w->sim) - (sizeof(shown) + 7) / 8 * 8, sizeof *out);
  free(bytes);
  *truth = pk_sim_q(w->sim);
  return status;
}

static void controllers_see_what_sensors_show(void **state)
{
  (void)state;
  static const char joints[] = "sensors:\n  - {kind: encoder, joints: \"*\", resolution: 0.01}\n";
  static const char poses[] =
      "sensors:\n  - {kind: pose, links: base, position: [0.2, 0, 0], rpy: [0.3, 0, 0]}\n"
      "  - {kind: velocity, links: base, position: [0.2, 0, 0], axes: own}\n";
  pki_scenario *s;
  pki_world w;
  shown by_sensors, by_truth;
  const double *truth;
  assert_int_equal(see(joints, true, &by_sensors, &truth, &w, &s), PK_OK);
  const double start[3] = {w.model->q0[0], w.model->q0[1], w.model->q0[2]};
  for (int i = 0; i < 3; i++) { /* nobody knows where the trunk is: it stays where the world began */
    assert_near(by_sensors.q[i], start[i], 0);
  }
  for (int i = 7; i < 19; i++) {
    assert_near(by_sensors.q[i], 0.01 * round(by_sensors.q[i] / 0.01), 1e-15);
    assert_near(by_sensors.q[i], truth[i], 0.02);
  }
  pki_world_free(&w), pki_scenario_destroy(s);
  assert_int_equal(see(joints, false, &by_truth, &truth, &w, &s), PK_OK);
  assert_less(by_truth.q[2], start[2] - 1e-3); /* it falls */
  pki_world_free(&w), pki_scenario_destroy(s);
  assert_int_equal(see(poses, true, &by_sensors, &truth, &w, &s), PK_OK);
  for (int i = 0; i < 19; i++) { /* ideal sensors show the truth, wherever they are */
    assert_near(by_sensors.q[i], by_truth.q[i], 1e-12);
  }
  for (int i = 0; i < 18; i++) {
    assert_near(by_sensors.u[i], by_truth.u[i], 1e-11);
  }
  pki_world_free(&w), pki_scenario_destroy(s);
}

static void controllers_see_the_feet_whose_switches_close(void **state)
{
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, "%s",
           "model: {model: starleth, on_ground: true}\nduration: 1\n" GROUND
           "sensors:\n  - {kind: switch, links: RH_FOOT}\n"
           "controller: {name: hold, sees: sensors}\n");
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w = good_world(s);
  static const pk_controller looks = {.name = "looks", .state_size = sizeof(shown), .update = look};
  assert_int_equal(pk_sim_set_controller(w.sim, &looks, NULL), PK_OK);
  int most = 0, closed = 0;
  for (int i = 0; i < 100; i++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
    unsigned char *bytes = malloc(pk_sim_state_size(w.sim));
    shown now;
    pk_sim_get_state(w.sim, bytes);
    memcpy(&now, bytes + pk_sim_state_size(w.sim) - (sizeof(shown) + 7) / 8 * 8, sizeof now);
    free(bytes);
    assert_at_most(now.ncontact, 1);
    most = pk_sim_contacts(w.sim, NULL, 0) > most ? pk_sim_contacts(w.sim, NULL, 0) : most;
    if (now.ncontact == 1) {
      closed++;
      assert_int_equal(now.link, pk_model_find_link(w.model, "RH_FOOT"));
    }
  }
  assert_greater(most, 1);
  assert_greater(closed, 0);
  pki_world_free(&w), pki_scenario_destroy(s);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_sensors_are_refused_with_their_line),
      cmocka_unit_test(an_entry_is_a_sensor_for_each_match),
      cmocka_unit_test(worlds_of_a_batch_are_the_worlds_of_their_numbers),
      cmocka_unit_test(controllers_see_what_sensors_show),
      cmocka_unit_test(controllers_see_the_feet_whose_switches_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
