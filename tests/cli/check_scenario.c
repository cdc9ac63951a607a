/* pronk check for scenarios, and the warnings of pronk run. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_good_scenario_is_explained(void **state)
{
  (void)state;
  write_file("check_good.yaml", "description: two of them\n"
                                "models:\n"
                                "  - {model: starleth, prefix: a_, on_ground: true}\n"
                                "  - {model: pendulum, prefix: b_, position: [9, 0, 0]}\n"
                                "terrain: [{shape: plane}, {shape: box, size: [1, 1, 1]}]\n"
                                "materials: {ice: {friction: 0.25}}\n"
                                "controller: {name: hold, kp: 50}\n"
                                "actuators: [{joints: 'a_*', effort: 20}]\n"
                                "constraints: [{kind: ball, link: b_body, to_position: [9, 0, 0]}]\n"
                                "push: [{link: a_base, at: 0.5, for: 0.1, force: [0, 30, 0]}]\n"
                                "disturb: [{link: a_base, every: 1, for: 0.1, force: 5}]\n"
                                "vary: [{what: friction, from: 0.5, to: 1}, {what: velocity, axis: x, "
                                "distribution: normal, mean: 0, deviation: 1}]\n"
                                "record: {rate: 200, channels: [state/*, contacts]}\n"
                                "certify: 1e-6\n"
                                "seed: 3\n"
                                "duration: 2\n");
  run_result r = run("check check_good.yaml");
  static const char *const lines[] = {
      "check_good.yaml: ok\n",
      "  check_good: two of them\n",
      "  robot       starleth: free root, 18 degrees of freedom, 13 bodies, ",
      "  robot       pendulum: fixed root, 1 degree of freedom, 1 body, 1 kg\n",
      "  ground      plane, box; ice (friction 0.25)\n",
      "  step        2 s in steps of 0.001 s: moreau, hard contact, solver auto to 1e-08, certified to 1",
      "  controller  hold: kp 50\n",
      "  actuators   a_*: effort 20\n",
      "  constraint  ball: b_body to the world\n",
      "  push        a_base at 0.5 s for 0.1 s with (0, 30, 0) N\n",
      "  disturb     a_base every 1 s for 0.1 s with 5 N, seed 3\n",
      "  vary        friction: 0.5 to 1\n",
      "  vary        velocity x: normal, 0 with deviation 1 m/s\n",
      "  recording   200 Hz, poses at 30 Hz, channels state/* contacts\n",
  };
  assert_int_equal(r.status, 0);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    if (!contains(r.out, lines[i])) {
      fail_msg("no line \"%s\" in\n%s", lines[i], r.out);
    }
  }
  run_free(&r);
  remove("check_good.yaml");
}

static void all_errors_come_by_line(void **state)
{
  (void)state;
  write_file("check_bad.yaml", "model: starleth\n"
                               "duration: long\n"
                               "controller: hald\n"
                               "step: {dt: 0, solver: best}\n"
                               "record: {rate: -1}\n");
  run_result r = run("check check_bad.yaml");
  assert_int_equal(r.status, 2);
  const char *last = r.out;
  static const char *const starts[] = {
      "check_bad.yaml:2: error: duration: ",    "check_bad.yaml:3: error: controller: ",
      "check_bad.yaml:4: error: step.dt: ",     "check_bad.yaml:4: error: step.solver: ",
      "check_bad.yaml:5: error: record.rate: ", "check_bad.yaml: not ok, 5 errors\n"};
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    const char *found = strstr(last, starts[i]);
    if (found == NULL) {
      fail_msg("no \"%s\" in its place in\n%s", starts[i], r.out);
      return;
    }
    last = found;
  }
  run_free(&r);
  cJSON *o = run_json("check check_bad.yaml --json", 2);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "errors")), 5);
  cJSON_Delete(o);
  remove("check_bad.yaml");
}

static void changes_of_the_gait_are_told_and_late_ones_warned_of(void **state)
{
  (void)state;
  write_file("check_gaits.yaml", "model: starleth\n"
                                 "duration: 5\n"
                                 "controller:\n"
                                 "  name: locomotion\n"
                                 "  gait: walk\n"
                                 "  gaits:\n"
                                 "    - {at: 2, gait: trot, forward: 0.4}\n"
                                 "    - {at: 5.5, gait: stand}\n"
                                 "record: {rate: 0}\n");
  run_result r = run("check check_gaits.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "  controller  locomotion: gait walk\n"
                              "  gaits       at 2, gait trot, forward 0.4\n"
                              "  gaits       at 5.5, gait stand\n"));
  assert_true(contains(r.out,
                       "check_gaits.yaml:8: warning: controller.gaits.1: this never comes: it begins at "
                       "5.5 s, and the run ends at 5 s"));
  assert_true(contains(r.out, "check_gaits.yaml: ok, 1 warning\n"));
  run_free(&r);
  remove("check_gaits.yaml");
}

static void a_word_that_has_another_name_now_is_a_warning(void **state)
{
  (void)state;
  write_file("check_old.yaml", "model: pendulum\n"
                               "duration: 0.01\n"
                               "step: {law: exact-lcp}\n"
                               "record: {rate: 0}\n");
  run_result r = run("check check_old.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.out, "check_old.yaml:3: warning: step.law: law \"exact-lcp\" is called \"lcp-pyramid\" now"));
  run_free(&r);
  r = run("run check_old.yaml --no-output");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "step.law: warning: law \"exact-lcp\" is called \"lcp-pyramid\" now"));
  run_free(&r);
  r = run("batch check_old.yaml --no-output --worlds 2 --set step.law=hard --set step.preset=paper");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "step.preset: warning: preset \"paper\" is called \"gehring-2014\" now"));
  assert_false(contains(r.err, "exact-lcp"));
  run_free(&r);
  remove("check_old.yaml");
}

static void a_push_that_never_acts_is_a_warning(void **state)
{
  (void)state;
  write_file("check_late.yaml", "model: pendulum\n"
                                "duration: 0.1\n"
                                "push: [{link: body, at: 2, for: 0.1, force: [1, 0, 0]}]\n"
                                "record: {rate: 0}\n");
  run_result r = run("check check_late.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "check_late.yaml:3: warning: push.0: this push never acts: it begins at 2 s"));
  assert_true(contains(r.out, "check_late.yaml: ok, 1 warning\n"));
  run_free(&r);
  cJSON *o = run_json("check check_late.yaml --json", 0);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "warnings")), 1);
  cJSON_Delete(o);
  r = run("run check_late.yaml --no-output");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "pronk run: check_late.yaml:3: push.0: warning: this push never acts"));
  run_free(&r);
  r = run("batch check_late.yaml --no-output --worlds 2");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "pronk batch: check_late.yaml:3: push.0: warning: this push never acts"));
  run_free(&r);
  /* a longer run reaches it */
  r = run("run check_late.yaml --no-output --duration 2.2");
  assert_int_equal(r.status, 0);
  assert_null(strstr(r.err, "never acts"));
  run_free(&r);
  remove("check_late.yaml");
}

static void long_steps_of_tracked_legs_want_rows_that_follow(void **state)
{
  (void)state;
  static const char *const long_steps = "check starleth-large-steps --set step.relinearise=0";
  run_result r = run(long_steps);
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.out, "warning: controller: steps are 0.05 s long and their contact rows do not follow the motion"));
  assert_true(contains(r.out, "set \"stepper: euler, relinearise: 4, landing_friction: false\" in \"step\""));
  run_free(&r);
  r = run("check starleth-large-steps");
  assert_int_equal(r.status, 0);
  assert_false(contains(r.out, "warning"));
  run_free(&r);
  r = run("check starleth-large-steps --set step.implicit=none");
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.out,
      "warning: controller: targets of the step need forces at its end: set \"implicit: all\" in \"step\""));
  run_free(&r);
  r = run("check starleth-large-steps --set controller.height=5");
  assert_int_equal(r.status, 2);
  assert_true(
      contains(r.out, "height is 5 m, and the leg of \"LF_FOOT\" does not reach the ground from there"));
  run_free(&r);
  r = run("check ur10-sine --set step.dt=0.05 --set controller.correction=0.05"); /* an arm has no feet */
  assert_int_equal(r.status, 0);
  assert_false(contains(r.out, "warning"));
  run_free(&r);
}

static void an_object_that_starts_in_something_is_a_warning(void **state)
{
  (void)state;
  write_file("check_in.yaml",
             "duration: 1\n"
             "terrain: [{shape: plane}]\n"
             "objects:\n"
             "  - {name: a, shape: box, size: [1, 1, 1], mass: 1, position: [0, 0, 0.5]}\n"
             "  - {name: b, shape: sphere, size: [0.3], mass: 1, position: [0, 0, 1.25]}\n"
             "  - {name: c, shape: sphere, size: [0.3], mass: 1, position: [3, 0, 0.25]}\n"
             "  - {name: d, shape: sphere, size: [0.3], mass: 1, position: [6, 0, 0.2995]}\n");
  run_result r = run("check check_in.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "warning: objects: b overlaps a by 50 mm at the start and will be pushed out"));
  assert_true(contains(r.out, "c overlaps the ground by 50 mm at the start"));
  assert_true(contains(r.out, "ok, 2 warnings")); /* half a millimetre is none */
  run_free(&r);
  remove("check_in.yaml");
}

static void overrides_are_checked_too(void **state)
{
  (void)state;
  write_file("check_set.yaml", "model: pendulum\nduration: 1\n");
  run_result r = run("check check_set.yaml --set push.0.link=boddy --set push.0.at=0 --set push.0.for=1 "
                     "--set 'push.0.force=[1, 0, 0]'");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "did you mean \"body\"?"));
  run_free(&r);
  remove("check_set.yaml");
}

static void channels_are_checked(void **state)
{
  (void)state;
  write_file("check_channels.yaml",
             "model: pendulum\nduration: 1\n"
             "record: {channels: [contcts, state/*, trunk/pendulum, '*/q', limbs/*, state, trunkk]}\n");
  run_result r = run("check check_channels.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(
      r.out, "check_channels.yaml:3: error: record.channels.0: there is no channel \"contcts\"; did you "
             "mean \"contacts\"? (one of: state/q, "));
  assert_true(contains(r.out, "record.channels.4: there is no channel \"limbs/*\""));
  assert_true(contains(r.out, "record.channels.6: there is no channel \"trunkk\"; did you mean \"trunk\"?"));
  assert_true(contains(r.out, "not ok, 3 errors"));
  run_free(&r);
  remove("check_channels.yaml");
}

static void actuators_and_sensors_are_explained(void **state)
{
  (void)state;
  write_file("check_motors.yaml",
             "model: {model: starleth, position: [0, 0, 1]}\nduration: 1\nactuators:\n"
             "  - {joints: '*_HAA', kind: dc, resistance: 2, constant: 0.05, inertia: 1e-5, gear: 100, "
             "voltage: 60, current: 8}\n"
             "  - {joints: LF_KFE, kind: torque, limit: 20, no_load_speed: 9}\n"
             "  - {joints: '*_HFE', effort: 10}\n"
             "battery: {full: 30, empty: 24, resistance: 0.1, capacity: 3600}\n"
             "sensors:\n  - {kind: encoder, joints: '*', latency: 0.002}\n");
  run_result r = run("check check_motors.yaml");
  assert_int_equal(r.status, 0);
  /* 100 0.05 N m/A times 8 A, which 30 V allow; 30 V over 5 V s/rad; 100^2 1e-5 kg m^2 */
  assert_true(contains(r.out, "  actuators   dc on 4 joints (*_HAA): up to 40 N m, 6 rad/s without load, "
                              "0.1 kg m^2 of rotor and gear at the joint\n"));
  assert_true(
      contains(r.out, "  actuators   torque on 1 joint (LF_KFE): up to 20 N m, 9 rad/s without load\n"));
  assert_true(contains(r.out, "  actuators   *_HFE: effort 10\n"));
  assert_true(contains(r.out, "  battery     30 V full, 24 V empty, 0.1 ohm, 3600 A s\n"));
  assert_true(contains(r.out, "  sensors     encoder on *, 0.002 s late\n"));
  assert_true(contains(r.out, "  sensors     12 with 24 numbers; the controller sees the truth\n"));
  assert_true(contains(r.out, "check_motors.yaml: ok\n"));
  run_free(&r);
  remove("check_motors.yaml");
}

static void sensors_that_are_hardly_meant_are_warnings(void **state)
{
  (void)state;
  static const char text[] =
      "model: {model: starleth, position: [0, 0, 1]}\nduration: 1\nstep: {dt: 2.5e-3}\nsensors:\n"
      "  - {kind: imu, links: base, part: bmi088}\n"
      "  - {kind: encoder, joints: '*', latency: 0.003}\n"
      "  - {kind: switch, links: '*_FOOT', latency: 0.005}\n"
      "controller: {name: hold, kp: 100, kd: 5, sees: sensors}\n";
  write_file("check_sense.yaml", text);
  run_result r = run("check check_sense.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out,
                       "check_sense.yaml:5: warning: sensors.0.part: it samples at 1600 Hz, steps come "
                       "at 400 Hz"));
  assert_true(contains(r.out, "check_sense.yaml:6: warning: sensors.1.latency: latency is 0.003 s, and is "
                              "taken as 0.0025 s: whole steps of 0.0025 s"));
  assert_true(contains(r.out, "check_sense.yaml:8: warning: controller.sees: the controller sees the trunk "
                              "\"base\" where it was at the start"));
  assert_true(contains(r.out, "ok, 3 warnings"));
  run_free(&r);
  char more[sizeof text + 64];
  snprintf(more, sizeof more, "%sestimator: {}\n", text);
  write_file("check_sense.yaml", more);
  r = run("check check_sense.yaml --set sensors.0.rate=400 --set sensors.1.latency=0.0026");
  assert_true(contains(r.out, "check_sense.yaml: ok\n"));
  assert_true(contains(r.out, "  estimator   base: pose and velocity of the trunk"));
  run_free(&r);
  r = run("check check_sense.yaml --set controller.sees=truth --set sensors.0.rate=400");
  assert_true(contains(r.out, "check_sense.yaml:9: warning: estimator: nobody uses the estimator"));
  run_free(&r);
  remove("check_sense.yaml");
}

static void names_and_folders_are_told_apart(void **state)
{
  (void)state;
  run_result r = run("check starleth-stand");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "starleth-stand.yaml: ok"));
  run_free(&r);
  mkdir("check_folder.yaml", 0755);
  r = run("check check_folder.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "this is a folder"));
  run_free(&r);
  r = run("run check_folder.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "check_folder.yaml: this is a folder"));
  run_free(&r);
  r = run("info check_folder.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "this folder holds no .urdf file"));
  run_free(&r);
  rmdir("check_folder.yaml");
}

/* A crate on a table, both of rubber. */
static void write_soft_scenario(const char *material)
{
  char text[512];
  snprintf(text, sizeof text,
           "objects: [{name: crate, shape: box, size: [0.2, 0.2, 0.1], mass: 2, position: [0, 0, 0.05], "
           "compliance: rubber}]\n"
           "terrain: [{shape: plane, material: table}]\n"
           "materials: {table: %s}\n"
           "compliance: {rubber: {stiffness: 1e6}}\n"
           "duration: 0.1\n",
           material);
  write_file("check_soft.yaml", text);
}

static void surfaces_that_give_way_are_explained(void **state)
{
  (void)state;
  write_soft_scenario("{compliance: rubber}");
  run_result r = run("check check_soft.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out,
                       "  compliance  rubber: elastic-foundation, stiffness 1e+06, layer 0.005 m, friction "
                       "stribeck 0.8; object crate, material table\n"));
  assert_true(contains(r.out, "  soft pairs  crate on table (elastic-foundation)\n"));
  assert_true(contains(r.out, "moreau, compliant surfaces, solver"));
  assert_false(contains(r.out, "warning"));
  run_free(&r);
  r = run("check check_soft.yaml --json");
  assert_true(contains(r.out, "\"soft_pairs\":[{\"of\":\"crate\",\"on\":\"table\",\"law\":"
                              "\"elastic-foundation\"}],\"contact\":\"compliant surfaces\""));
  run_free(&r);
  remove("check_soft.yaml");
}

static void compliances_that_do_nothing_are_warnings(void **state)
{
  (void)state;
  write_soft_scenario("{friction: 0.5}");
  run_result r = run("check check_soft.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "rubber: no pair gives way by it"));
  assert_true(contains(r.out, "moreau, hard contact"));
  run_free(&r);
  r = run("run check_soft.yaml --no-output");
  assert_true(contains(r.err, "no pair gives way by it"));
  run_free(&r);
  write_soft_scenario("{compliance: rubber}");
  r = run("check check_soft.yaml --set compliance.rubber.stiffness=2e9");
  assert_int_equal(r.status, 2);
  assert_true(contains(
      r.out,
      "pressure for each depth is 4e+11 N/m^3 (stiffness 2e+09, layer 0.005 m), expected at most 2e+11"));
  run_free(&r);
  write_soft_scenario("{compliance: rubber, restitution_n: 0.9}");
  r = run("check check_soft.yaml --set 'compliance.felt={stiffness: 1e5}'");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "felt: nobody has this compliance"));
  assert_true(contains(r.out, "restitution_n does not act where both surfaces give way"));
  run_free(&r);
  remove("check_soft.yaml");
}

/* Keys that nothing reads, by what they have in common; and what a scheme cannot do is an error. */
static void keys_that_nothing_reads_are_named(void **state)
{
  (void)state;
  write_file("check_unread.yaml",
             "model: pendulum\n"
             "duration: 0.01\n"
             "step: {law: penalty, impact: newton, swept: false, alpha: 0.5, solver: newton}\n"
             "record: {rate: 0, view_rate: 0}\n");
  run_result r = run("check check_unread.yaml");
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.out, "check_unread.yaml:3: warning: step.alpha: alpha is 0.5, which the solver \"newton\" does not "
             "read: \"jor\", \"sor\", \"jor-u\", \"sor-u\" do\n"));
  assert_true(contains(
      r.out,
      "step.swept: swept is false, which the law \"penalty\" does not read: \"hard\", \"lcp-pyramid\", "
      "\"impulse\" do\n"));
  assert_true(contains(r.out, "step.impact: impact is \"newton\", which the law \"penalty\" does not read: "
                              "\"hard\", \"lcp-pyramid\" do\n"));
  run_free(&r);
  r = run("run check_unread.yaml -o check_unread");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "step.alpha: warning: alpha is 0.5, which the solver"));
  run_free(&r);
  r = run("check thesis-trot --set step.law=hard");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "materials.ground: viscous is 0.4, which the law \"hard\" does not read"));
  run_free(&r);
  r = run("check starleth-stand --set step.stepper=rk4 --set step.law=compliant");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "steps of 0.0025 s: rk4, compliant contact\n"));
  assert_true(contains(r.out, "has a limit (a step that passes one ends the run; joint_limits: false"));
  run_free(&r);
  remove("check_unread.yaml");
}

int main(void)
{
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_scenario_is_explained),
      cmocka_unit_test(all_errors_come_by_line),
      cmocka_unit_test(changes_of_the_gait_are_told_and_late_ones_warned_of),
      cmocka_unit_test(a_word_that_has_another_name_now_is_a_warning),
      cmocka_unit_test(a_push_that_never_acts_is_a_warning),
      cmocka_unit_test(long_steps_of_tracked_legs_want_rows_that_follow),
      cmocka_unit_test(an_object_that_starts_in_something_is_a_warning),
      cmocka_unit_test(overrides_are_checked_too),
      cmocka_unit_test(channels_are_checked),
      cmocka_unit_test(actuators_and_sensors_are_explained),
      cmocka_unit_test(sensors_that_are_hardly_meant_are_warnings),
      cmocka_unit_test(names_and_folders_are_told_apart),
      cmocka_unit_test(surfaces_that_give_way_are_explained),
      cmocka_unit_test(compliances_that_do_nothing_are_warnings),
      cmocka_unit_test(keys_that_nothing_reads_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
