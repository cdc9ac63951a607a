/* The whole way: an arm moves, drives are chosen, the arm carries them and moves again until the choice stays; then it moves on these drives as
 * `dc` actuators with their mass, and on weaker ones. Tables and recordings as sources. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actuation/motor_kernel.h"
#include "base/file.h"
#include "base/text.h"
#include "size/size_report.h"
#include "support/bounds.h"

static char folder[64];

/* A horizontal arm of two hinges about z: 1 kg on 0.5 m, 0.5 kg on 0.4 m, thin rods. */
static const char robot[] =
    "<robot name=\"arm\"><link name=\"base\"/>"
    "<joint name=\"shoulder\" type=\"continuous\"><parent link=\"base\"/><child link=\"upper\"/><axis "
    "xyz=\"0 0 1\"/></joint>"
    "<link name=\"upper\"><inertial><origin xyz=\"0.25 0 0\"/><mass value=\"1\"/>"
    "<inertia ixx=\"1e-3\" iyy=\"0.021\" izz=\"0.021\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    "<joint name=\"elbow\" type=\"continuous\"><parent link=\"upper\"/><child link=\"lower\"/>"
    "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 0 1\"/></joint>"
    "<link name=\"lower\"><inertial><origin xyz=\"0.2 0 0\"/><mass value=\"0.5\"/>"
    "<inertia ixx=\"5e-4\" iyy=\"0.007\" izz=\"0.007\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial></link></robot>";

static const char scenario[] =
    "model: {model: arm.urdf, root: fixed, joints: {shoulder: 0, elbow: 0.5}}\n"
    "duration: 4\nstep: {dt: 5e-4}\nrecord: {rate: 2000}\n"
    "controller: {name: computed-torque, file: swing.csv, ramp: 1, frequency: 8}\n";

static const char swing[] = "time, shoulder, elbow\nperiod, 1.5, 1\nmean, 0, 0.5\nsine, 0.6, 0.7\n";

/* The elbow's drive is carried by the upper arm, and so changes what the shoulder needs. */
static const char study[] = "motions: [{scenario: arm.yaml, from: 1}]\n"
                            "drives:\n"
                            "  - {joints: shoulder, motors: [maxon-re40, maxon-ec45-flat-70w], gears: "
                            "[{ratio: 20, mass: 0.1}, {ratio: 40, mass: "
                            "0.1}, {ratio: 80, mass: 0.1}, {ratio: 160, mass: 0.1}], voltages: [24]}\n"
                            "  - {joints: elbow, motors: [maxon-re40, maxon-ec45-flat-70w], gears: [{ratio: "
                            "20, mass: 0.1}, {ratio: 40, mass: 0.1}, "
                            "{ratio: 80, mass: 0.1}, {ratio: 160, mass: 0.1}], voltages: [24]}\n"
                            "margin: 0.05\nrounds: 5\nduration: 600\nregeneration: 0\n";

static void write_text(const char *path, const char *text)
{
  pk_error err = {0};
  pki_text t = {0};
  pki_text_add(&t, text);
  assert_int_equal(pki_text_save(&t, path, &err), PK_OK);
  pki_text_free(&t);
}

static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-size-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_text("arm.urdf", robot);
  write_text("arm.yaml", scenario);
  write_text("swing.csv", swing);
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

static pki_size_study *parse(const char *text)
{
  pki_problems problems = {0};
  pki_size_study *s = NULL;
  if (pki_size_study_parse("study.yaml", text, strlen(text), NULL, 0, &s, &problems) != PK_OK) {
    fail_msg("%s", problems.errors[0].message);
  }
  return s;
}

static pki_size_result work(const pki_size_study *s, int rounds)
{
  pki_size_result r;
  pki_problems problems = {0};
  const pki_size_work_options options = {.folder = folder, .rounds = rounds};
  if (pki_size_work(s, &options, &r, &problems) != PK_OK) {
    fail_msg("%s", problems.errors[0].message);
  }
  return r;
}

/* ---- in the simulator ---- */

/* Largest share of voltage that any motor uses, and largest distance from the reference after the ramp. */
static void run_on(const pki_drive *const drives[2], double *voltage, double *error)
{
  static const char *const joints[2] = {"shoulder", "elbow"};
  char set[2][400];
  const char *sets[2] = {set[0], set[1]};
  pki_scenario *s = NULL;
  pki_world world = {0};
  pk_error err = {0};
  for (int i = 0; i < 2; i++) {
    const pk_motor_parameters p = pki_drive_parameters(drives[i]);
    snprintf(set[i], sizeof set[i],
             "actuators.%d={joints: %s, kind: dc, resistance: %.17g, constant: %.17g, inertia: %.17g, gear: "
             "%.17g, "
             "voltage: %g}",
             i, joints[i], p.resistance, p.constant, p.inertia, p.gear, p.voltage);
  }
  char mass[200];
  snprintf(mass, sizeof mass, "actuators.2={joints: elbow, mass: %.17g}", pki_drive_mass(drives[1]));
  const char *all[3] = {sets[0], sets[1], mass};
  if (pki_scenario_load("arm.yaml", all, 3, &s, &err) != PK_OK ||
      pki_world_create(s, &world, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  *voltage = *error = 0;
  for (int k = 0; k < 8000; k++) {
    double before[2];
    memcpy(before, pk_sim_q(world.sim), sizeof before);
    assert_int_equal(pki_world_step(&world, NULL), PK_OK);
    for (int i = 0; i < 2; i++) {
      const double *a = pk_sim_actuation(world.sim) + pk_actuation_state_at(world.actuation, i);
      *voltage = fmax(*voltage, k >= 2000 ? fabs(a[PKI_MOTOR_STATE_VOLTAGE]) / drives[i]->voltage : 0);
      *error = fmax(*error, k >= 2000 ? fabs(pk_sim_commands(world.sim)[i].q_des - before[i]) : 0);
    }
  }
  pki_world_free(&world);
  pki_scenario_destroy(s);
}

/* The first candidate that fails by its voltage alone. */
static const pki_drive *weaker(const pki_size_group *g)
{
  for (int i = 0; i < g->ncandidate; i++) {
    const pki_drive_candidate *c = &g->candidates[i];
    if (!c->fits && c->worst == PKI_LINE_VOLTAGE &&
        pki_line_used(&c->demand.lines[PKI_LINE_VOLTAGE]) > 1.02) {
      return &c->drive;
    }
  }
  return NULL;
}

static void an_arm_moves_on_its_drives_and_not_on_weaker_ones(void **state)
{
  (void)state;
  pki_size_study *s = parse(study);
  pki_size_result r = work(s, -1);
  double voltage, error;
  assert_true(r.agreed);
  assert_true(pki_sizing_is_complete(&r.sizing));
  assert_greater(r.nround, 1);
  assert_near(r.rounds[0].carried, 0, 0);
  assert_near(r.rounds[r.nround - 1].carried, r.rounds[r.nround - 1].mass, 1e-12);
  const pki_drive *const chosen[2] = {&pki_group_choice(&r.sizing.groups[0])->drive,
                                      &pki_group_choice(&r.sizing.groups[1])->drive};
  run_on(chosen, &voltage, &error);
  print_message("%s %g:1 and %s %g:1: %.3f of the voltage, %.2g rad\n", chosen[0]->motor->id,
                chosen[0]->gear.ratio, chosen[1]->motor->id, chosen[1]->gear.ratio, voltage, error);
  assert_less(voltage, 1 - 1e-6);
  assert_less(error, 2e-3);
  int tried = 0;
  for (int i = 0; i < 2; i++) {
    const pki_drive *weak = weaker(&r.sizing.groups[i]);
    if (weak != NULL) {
      const pki_drive *const drives[2] = {i == 0 ? weak : chosen[0], i == 1 ? weak : chosen[1]};
      run_on(drives, &voltage, &error);
      print_message("with %s %g:1 instead: %.3f of the voltage, %.2g rad\n", weak->motor->id,
                    weak->gear.ratio, voltage, error);
      assert_greater(voltage, 1 - 1e-6);
      assert_greater(error, 2e-3);
      tried++;
    }
  }
  assert_greater(tried, 0);
  pki_size_result_free(&r);
  pki_size_study_destroy(s);
}

/* ---- sources ---- */

/* What a slope over the window of 10 ms loses of an acceleration that swings with w rad/s: 1 - sin(x)/x = x^2/6 with x = w 0.01/2. */
static double lost_by_window(double w)
{
  return w * 0.01 * w * 0.01 / 24;
}

/* What the arm carries makes its motion dearer: the elbow's drive, m kg at 0.5 m of the upper arm, adds m 0.25 a to the torque of the shoulder, with a
 * in the middle of the step that the force belongs to. What the window loses of m 0.25 a and of the rotor's A a, which was taken out, is all that they
 * may differ by, twice, because the arm does not follow its reference alike. */
static void drives_that_are_carried_ask_for_more(void **state)
{
  (void)state;
  pki_size_study *s = parse(study);
  pki_size_result light = work(s, 0), heavy = work(s, 5);
  const pki_duty_motion *a = &light.sizing.duty.motions[0], *b = &heavy.sizing.duty.motions[0];
  const pki_joint_duty *p = pki_duty_joint(a, "shoulder"), *q = pki_duty_joint(b, "shoulder");
  const pki_drive_candidate *elbow = pki_sizing_choice(&heavy.sizing, "elbow");
  const double inertia = 0.25 * pki_drive_mass(&elbow->drive);
  double apart = 0, rotor = 0;
  assert_int_equal(a->n, b->n);
  for (int i = 100; i < a->n - 100; i++) {
    const double expected = inertia * (q->acceleration[i] + q->acceleration[i - 1]) / 2;
    rotor = fmax(rotor, fabs(q->armature * q->acceleration[i]));
    apart = fmax(apart, fabs(q->torque[i] - p->torque[i] - expected));
  }
  assert_greater(inertia, 0.05);
  assert_greater(rotor, 1);
  assert_less(apart,
              2 * lost_by_window(2 * 3.14159265358979 / 1.5) * (rotor + inertia * rotor / q->armature));
  pki_size_result_free(&light);
  pki_size_result_free(&heavy);
  pki_size_study_destroy(s);
}

/* ---- what the robot has already ---- */

#define ONE_DRIVE \
  "drives: [{joints: '*', motors: maxon-re40, gears: [{ratio: 40, mass: 0.1}], voltages: [24]}]\n"
#define SPRING "{joints: elbow, kind: parallel-spring, stiffness: 2, both_ways: true}"

/* The arm with 0.4 kg at the elbow in the inertia of its upper arm: m = 1.4 kg, c = 0.45/1.4 m, and about it
 * 0.021 + 1 (c - 0.25)^2 + 0.4 (0.5 - c)^2 kg m^2. */
static void write_loaded_arm(void)
{
  const double c = 0.45 / 1.4, moment = 0.021 + (c - 0.25) * (c - 0.25) + 0.4 * (0.5 - c) * (0.5 - c);
  const char *at = strstr(robot, "<origin xyz=\"0.25 0 0\"/>"), *end = strstr(at, "</inertial>");
  char text[4096];
  snprintf(text, sizeof text,
           "%.*s<origin xyz=\"%.17g 0 0\"/><mass value=\"1.4\"/><inertia ixx=\"1e-3\" iyy=\"%.17g\" "
           "izz=\"%.17g\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>%s",
           (int)(at - robot), robot, c, moment, moment, end);
  write_text("loaded.urdf", text);
}

static const char *loaded_sets =
    "set: [model.model=loaded.urdf, 'actuators=[{joints: \"*\", kind: dc, motor: "
    "maxon-re40, gear: 60, efficiency: 0.7}, " SPRING "]']";

/* Largest difference between the torques of a joint in two studies' last rounds, over the largest of the first. */
static double apart(const pki_size_result *a, const pki_size_result *b, const char *joint)
{
  const pki_duty_motion *m = &a->sizing.duty.motions[0];
  const pki_joint_duty *p = pki_duty_joint(m, joint), *q = pki_duty_joint(&b->sizing.duty.motions[0], joint);
  double largest = 0, most = 0;
  assert_int_equal(m->n, b->sizing.duty.motions[0].n);
  for (int i = 0; i < m->n; i++) {
    largest = fmax(largest, fabs(p->torque[i]));
    most = fmax(most, fabs(p->torque[i] - q->torque[i]));
  }
  return most / largest;
}

/* An arm that has a motor of 0.4 kg in its upper arm, rotors and dc actuators carries, in rounds, what the bare arm does: its own are gone, and
 * the spring at its elbow is not. */
static void what_the_robot_has_already_is_replaced(void **state)
{
  (void)state;
  static const char bare[] =
      "motions: [{scenario: arm.yaml, from: 1, set: ['actuators=[" SPRING "]']}]\n" ONE_DRIVE;
  static const char slack[] = "motions: [{scenario: arm.yaml, from: 1}]\n" ONE_DRIVE;
  char loaded[1024];
  write_loaded_arm();
  snprintf(loaded, sizeof loaded,
           "motions: [{scenario: arm.yaml, from: 1, %s}]\n%spresent: [{joints: elbow, mass: 0.4}]\n",
           loaded_sets, ONE_DRIVE);
  pki_size_study *studies[3] = {parse(bare), parse(slack), parse(loaded)};
  pki_size_result r[3];
  for (int i = 0; i < 3; i++) {
    r[i] = work(studies[i], 2);
    assert_true(r[i].agreed);
  }
  assert_less(apart(&r[0], &r[2], "shoulder"), 1e-9);
  assert_less(apart(&r[0], &r[2], "elbow"), 1e-9);
  /* 2 N m/rad at 1.2 rad beside some 3 N m */
  assert_greater(apart(&r[0], &r[1], "elbow"), 0.2);
  /* 0.58 kg at the elbow and, on the base, at the shoulder */
  assert_near(r[0].rounds[1].carried, 1.16, 1e-12);
  assert_near(r[0].rounds[1].added, 1.16, 1e-12);
  assert_near(r[2].rounds[1].carried, 1.16, 1e-12);
  assert_near(r[2].rounds[1].added, 0.76, 1e-12);
  assert_int_equal(r[0].nreplaced, 0);
  assert_int_equal(r[2].nreplaced, 2);
  for (int i = 0; i < 2; i++) {
    const pki_size_replaced *p = &r[2].replaced[i];
    assert_string_equal(p->joint, i == 0 ? "shoulder" : "elbow");
    assert_near(p->mass, i == 0 ? 0 : 0.4, 0);
    assert_near(p->armature, 60 * 60 * 1.42e-5, 1e-12);
    assert_string_equal(p->actuators, "dc maxon-re40");
  }
  for (int i = 0; i < 3; i++) {
    pki_size_result_free(&r[i]);
    pki_size_study_destroy(studies[i]);
  }
}

/* What is left of the upper arm must be a body: 1 kg cannot lose 2 kg less 0.58 kg, and at 0.5 m its rod cannot lose 0.9 kg less 0.58 kg. */
static void a_present_drive_that_the_link_cannot_have_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *mass, *message;
  } cases[] = {
      {"2", "the masses that are taken away leave -0.42 kg of the link upper, expected more than 0"},
      {"0.9", "the masses that are taken away leave the link upper with 0.68 kg and principal moments of "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "motions: [{scenario: arm.yaml, from: 1}]\n" ONE_DRIVE "present: [{joints: elbow, mass: %s}]\n",
             cases[i].mass);
    pki_size_study *s = parse(text);
    pki_size_result r;
    pki_problems problems = {0};
    const pki_size_work_options options = {.folder = folder, .rounds = 1};
    assert_int_not_equal(pki_size_work(s, &options, &r, &problems), PK_OK);
    if (strstr(problems.errors[0].message, cases[i].message) == NULL) {
      fail_msg("%s", problems.errors[0].message);
    }
    assert_string_equal(problems.errors[0].file, "study.yaml");
    assert_int_equal(problems.errors[0].line, 3);
    pki_problems_free(&problems);
    pki_size_result_free(&r);
    pki_size_study_destroy(s);
  }
}

/* The recording of that run, by itself: the same loads, and its bearings. Rotors of the run are taken out: with an armature in the scenario
 * torques are those of the same motion without. */
static void a_recording_has_the_loads_of_its_run(void **state)
{
  (void)state;
  pki_size_study *s = parse(study);
  pki_size_result r = work(s, 0);
  pki_duty_motion m;
  pk_error err = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/arm-0/run.mcap", folder);
  const pki_duty_window window = {.from = 1, .to = 1e9, .window = 0.01, .armature = -1};
  assert_int_equal(pki_duty_read_recording(path, &window, &m, &err), PK_OK);
  const pki_duty_motion *same = &r.sizing.duty.motions[0];
  assert_int_equal(m.n, same->n);
  for (int i = 0; i < m.n; i++) {
    assert_near(pki_duty_joint(&m, "elbow")->torque[i], pki_duty_joint(same, "elbow")->torque[i], 1e-12);
  }
  const pki_bearing b = pki_duty_bearing(&r.sizing.duty, "shoulder");
  assert_true(b.known);
  assert_near(b.largest[2], 1.5 * 9.81, 1e-3); /* the weight of the arm hangs on the shoulder */
  assert_at_least(b.force, 1.5 * 9.81);
  pki_duty_motion_free(&m);
  pki_size_result_free(&r);
  pki_size_study_destroy(s);
}

static void rotors_of_the_source_are_taken_out(void **state)
{
  (void)state;
  static const char heavy[] =
      "motions: [{scenario: arm.yaml, from: 1, set: ['actuators=[{joints: \"*\", armature: 0.2}]']}]\n"
      "drives: [{joints: '*', motors: maxon-re40, gears: [80]}]\n";
  static const char light[] = "motions: [{scenario: arm.yaml, from: 1}]\n"
                              "drives: [{joints: '*', motors: maxon-re40, gears: [80]}]\n";
  pki_size_study *a = parse(light), *b = parse(heavy);
  pki_size_result x = work(a, 0), y = work(b, 0);
  const pki_joint_duty *p = pki_duty_joint(&x.sizing.duty.motions[0], "elbow"),
                       *q = pki_duty_joint(&y.sizing.duty.motions[0], "elbow");
  double largest = 0, apart = 0;
  for (int i = 100; i < x.sizing.duty.motions[0].n - 100; i++) {
    largest = fmax(largest, fabs(p->torque[i]));
    apart = fmax(apart, fabs(p->torque[i] - q->torque[i]));
  }
  /* the elbow swings by 0.7 rad at 1 Hz: of 0.2 kg m^2 times 27.6 rad/s^2 the window loses 9.1e-4 N m, where a step of 0.5 ms too early or too late
   * would cost 1.7e-2 N m */
  const double w = 2 * 3.14159265358979;
  assert_greater(largest, 1);
  assert_less(apart, 1.2 * lost_by_window(w) * 0.2 * 0.7 * w * w);
  pki_size_result_free(&x);
  pki_size_result_free(&y);
  pki_size_study_destroy(a);
  pki_size_study_destroy(b);
}

static void a_table_is_read_and_its_mistakes_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"# nothing\n", "the file has no columns"},
      {"time,u:a\n0,1\n1,1\n", "the joint a has no column tau:a"},
      {"u:a,tau:a\n0,1\n", "expected one column \"time\", found 0"},
      {"time,q:a\n0,1\n", "found 0 joints, expected columns u:JOINT and tau:JOINT"},
      {"time,u:a,tau:a\n0,1,2\n1,x,2\n", "column 2 of 3 is no number"},
      {"time,u:a,tau:a\n1,1,2\n0,1,2\n", "time is 0 s after 1 s, expected times that do not fall"},
      {"time,u:a,tau:a\n0,1,2x\n1,1,2\n", "column 3 of 3 is no number"},
      {"time,u:a,tau:a\n0,1\n1,1,2\n", "column 3 of 3 is no number"},
      {"time,u:a,tau:a\n0,1,2,3\n1,1,2\n", "more values than columns, which are 3"},
      {"time,u:a,tau:a,u:a\n0,1,2,3\n", "the column u:a is there twice"},
      {"time;u:a;tau:a\n0;1;2\n",
       "columns are separated by semicolons, expected commas, and points in numbers"},
      {"time,u:a,tau:a\n1,1,2\n",
       "1 samples between 0 and 1e+09 s, expected two times or more; the table goes from 1 to 1 s"},
  };
  const pki_duty_window window = {.from = 0, .to = 1e9, .window = 0, .armature = 0.5};
  pki_duty_motion m;
  pk_error err = {0};
  write_text("table.csv",
             "\xEF\xBB\xBF# a comment\r\ntime, phase, u:a, tau:a\r\n0, up, 0, 1\r\n0.5, , 1, 2 \r\n1, "
             "down, 2, 3\n");
  assert_int_equal(pki_duty_read_table("table.csv", &window, &m, &err), PK_OK);
  assert_int_equal(m.n, 3);
  assert_near(m.joints[0].acceleration[1], 2, 1e-15);
  assert_near(m.joints[0].torque[1], 2 - 0.5 * 2, 1e-15);
  assert_near(m.span[1], 0.5, 1e-15);
  pki_duty_motion_free(&m);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    write_text("wrong.csv", wrong[i].text);
    assert_int_not_equal(pki_duty_read_table("wrong.csv", &window, &m, &err), PK_OK);
    assert_string_equal(err.message, wrong[i].message);
    pki_duty_motion_free(&m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_moves_on_its_drives_and_not_on_weaker_ones),
      cmocka_unit_test(drives_that_are_carried_ask_for_more),
      cmocka_unit_test(what_the_robot_has_already_is_replaced),
      cmocka_unit_test(a_present_drive_that_the_link_cannot_have_is_refused),
      cmocka_unit_test(a_recording_has_the_loads_of_its_run),
      cmocka_unit_test(rotors_of_the_source_are_taken_out),
      cmocka_unit_test(a_table_is_read_and_its_mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
