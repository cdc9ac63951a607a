/* Sizing studies as they are read: what is right, and a message for each way in which they can be wrong. */
#define _XOPEN_SOURCE 700 /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size/size_work.h"
#include "support/bounds.h"

#define MOTIONS "motions: [{gait: biped-walk}]\n"
#define DRIVES "drives: [{joints: KNEE, motors: maxon-re40}]\n"

static pki_size_study *good_study(const char *text)
{
  pki_problems problems = {0};
  pki_size_study *s = NULL;
  if (pki_size_study_parse("a/study.yaml", text, strlen(text), NULL, 0, &s, &problems) != PK_OK) {
    fail_msg("%s", problems.errors[0].message);
  }
  pki_problems_free(&problems);
  return s;
}

static void what_is_not_given_has_its_default(void **state)
{
  (void)state;
  pki_size_study *s = good_study(MOTIONS DRIVES);
  assert_string_equal(s->name, "study");
  assert_near(s->options.duration, 3600, 0);
  assert_near(s->options.ambient, 25, 0);
  assert_near(s->options.regeneration, 1, 0);
  assert_near(s->options.margin, 0, 0);
  assert_true(s->one_voltage);
  assert_int_equal(s->rounds, 0);
  assert_near(s->rank.mass, 1, 0);
  assert_near(s->rank.energy, 1, 0);
  assert_near(s->rank.price, 0, 0);
  assert_near(s->motions[0].weight, 1, 0);
  assert_string_equal(s->motions[0].name, "biped-walk");
  assert_int_equal(pki_size_source_of(&s->motions[0]), PKI_SIZE_GAIT);
  pki_size_study_destroy(s);
}

static void what_is_given_is_kept(void **state)
{
  (void)state;
  pki_size_study *s =
      good_study("name: knees\ndescription: both\nduration: 60\nambient: 30\nregeneration: 0.5\nmargin: 0.1\n"
                 "one_voltage: false\nrounds: 2\nrank: {price: 3}\n"
                 "motions: [{scenario: starleth-trot, weight: 2, duration: 3, from: 1, to: 2, set: [a=b]}]\n"
                 "drives: [{joints: [A, B], motors: [maxon-re40], gears: [10, {from: 2, to: 9}], "
                 "voltages: [24, 42], each: true}]\n");
  assert_string_equal(s->name, "knees");
  assert_near(s->options.margin, 0.1, 0);
  assert_true(!s->one_voltage && s->rounds == 2 && s->drives[0].each);
  assert_near(s->rank.price, 3, 0);
  assert_near(s->rank.mass, 0, 0);
  assert_near(s->motions[0].window.from, 1, 0);
  assert_near(s->motions[0].window.to, 2, 0);
  pki_size_study_destroy(s);
}

/* The last entry that names a joint counts; a motor says its mass. */
static void present_drives_have_their_masses(void **state)
{
  (void)state;
  pki_size_study *s =
      good_study(MOTIONS DRIVES "present: [{joints: '*', mass: 0.3}, {joints: 'K*', motor: maxon-re40}]\n");
  assert_near(pki_size_find_present(s, "KNEE")->mass, 0.48, 0);
  assert_near(pki_size_find_present(s, "HIP")->mass, 0.3, 0);
  pki_size_study_destroy(s);
  s = good_study(MOTIONS DRIVES);
  assert_null(pki_size_find_present(s, "KNEE"));
  pki_size_study_destroy(s);
}

static const struct {
  const char *text;
  int line;
  const char *message;
} wrong[] = {
    {DRIVES, 1, "motions are missing: a list of mappings with gait, scenario, recording or motion"},
    {"motions: []\n" DRIVES, 1,
     "motions are missing: a list of mappings with gait, scenario, recording or motion"},
    {MOTIONS, 1, "drives are missing: a list of mappings with joints and motors"},
    {MOTIONS DRIVES "durations: 3\n", 3,
     "there is no key \"durations\"; did you mean \"duration\"? (one of: name, description, motions, drives, "
     "rank, present, "
     "duration, ambient, regeneration, margin, one_voltage, rounds)"},
    {MOTIONS DRIVES "duration: -1\n", 3,
     "duration is -1, expected 0 to 1e+09 s (of the work, over which motors warm up)"},
    {MOTIONS DRIVES "ambient: 300\n", 3, "ambient is 300, expected -100 to 200 degrees C (the air)"},
    {MOTIONS DRIVES "regeneration: 2\n", 3,
     "regeneration is 2, expected 0 to 1 (share of the power that motors generate which the bus takes)"},
    {MOTIONS DRIVES "margin: 1\n", 3,
     "margin is 1, expected 0 to 0.9 (least distance from every line, as a part of it)"},
    {MOTIONS DRIVES "rounds: 1000\n", 3,
     "rounds is 1000, expected 0 to 100 (most rounds in which the robot carries its drives and moves again; "
     "0: it does "
     "not)"},
    {MOTIONS DRIVES "rank: {mass: -1}\n", 3, "mass is -1, expected 0 to 1e+09 (weight of motor and gear)"},
    {MOTIONS DRIVES "rank: {mass: 0}\n", 3, "all weights are 0, expected one above it"},
    {MOTIONS DRIVES "present: [{joints: KNEE}]\n", 3,
     "a present drive has one of mass and motor, found none"},
    {MOTIONS DRIVES "present: [{joints: KNEE, mass: 1, motor: maxon-re40}]\n", 3,
     "a present drive has one of mass and motor, found both"},
    {MOTIONS DRIVES "present: [{joints: KNEE, mass: -1}]\n", 3,
     "mass is -1, expected 0 to 1e+06 kg (of the drive, a part of the link that the joint hangs on, at the "
     "joint's origin)"},
    {MOTIONS DRIVES "present: [{joints: KNEE, motor: coman-drive}]\n", 3,
     "the mass of the motor \"coman-drive\" is not known: give mass in its place"},
    {"motions: [{weight: 2}]\n" DRIVES, 1,
     "a motion has one of gait, scenario, recording and motion, found 0"},
    {"motions: [{gait: a, motion: b}]\n" DRIVES, 1,
     "a motion has one of gait, scenario, recording and motion, found 2"},
    {"motions: [{gait: a, weight: 0}]\n" DRIVES, 1,
     "weight is 0, expected 1e-09 to 1e+09 (its share of the working time)"},
    {"motions: [{recording: a, from: 2, to: 1}]\n" DRIVES, 1,
     "to is 1 s, expected more than from, which is 2 s"},
    {"motions: [{recording: a, set: [b=c]}]\n" DRIVES, 1,
     "set is for gait and scenario: a recording is as it is"},
    {"motions: [{gait: a, duration: 2}]\n" DRIVES, 1, "duration is for a scenario, not for a gait"},
    {"motions: [{recording: a, window: 11}]\n" DRIVES, 1,
     "window is 11, expected 0 to 10 s (over which speeds are differentiated, of recordings and tables "
     "without "
     "accelerations)"},
    {"motions: [{recording: a}]\n" DRIVES "rounds: 1\n", 3,
     "rounds need motions that can be made again, gait or scenario; a is a recording"},
    {MOTIONS "drives: [{motors: maxon-re40}]\n", 2,
     "the key \"joints\" is missing: a name, a pattern, or a list of them"},
    {MOTIONS "drives: [{joints: A}]\n", 2,
     "the key \"motors\" is missing: names or patterns of the catalogue, or files"},
    {MOTIONS "drives: [{joints: [[A]], motors: maxon-re40}]\n", 2,
     "this is a list, expected a name or a pattern"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re4}]\n", 2,
     "no such file or motor; did you mean 'maxon-re40'? known motors: "},
    {MOTIONS "drives: [{joints: A, motors: 'nobody-*'}]\n", 2,
     "no motor of kind dc in the catalogue matches \"nobody-*\""},
    {MOTIONS "drives: [{joints: A, motors: unitree-a1}]\n", 2,
     "of the motor \"unitree-a1\" only a torque-speed envelope is published: it cannot be sized"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [0]}]\n", 2,
     "the ratio is 0, expected more than 0 and at most 1e6"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [{}]}]\n", 2,
     "a gear needs a ratio above 0, or from and to"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [{ratio: 3, from: 2, to: 4}]}]\n", 2,
     "a gear has a ratio, or from and to, not both"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [{from: 5, to: 4}]}]\n", 2,
     "from is 5 and to is 4, expected 0 < from < to"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [{ratio: 5, efficiency: 0.4}]}]\n", 2,
     "efficiency is 0.4, expected 0.501 to 1 (when the motor drives)"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, gears: [{ratio: 5, torque: 4, peak_torque: 3}]}]\n", 2,
     "peak_torque is 3 N m, expected at least torque, which is 4 N m"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, voltages: [-4]}]\n", 2,
     "the voltage is -4 V, expected more than 0 and at most 1e6"},
    {MOTIONS "drives: [{joints: A, motors: maxon-re40, voltages: 24}]\n", 2,
     "voltages is a value, expected a list"},
};

static void each_wrong_field_is_told_with_its_line(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pki_problems problems = {0};
    pki_size_study *s = NULL;
    const pk_status status =
        pki_size_study_parse("study.yaml", wrong[i].text, strlen(wrong[i].text), NULL, 0, &s, &problems);
    if (status == PK_OK) {
      fail_msg("accepted: %s", wrong[i].text);
    }
    assert_null(s);
    /* the list of all motors, at the end of one message, may grow */
    const size_t length = strlen(wrong[i].message) + (strstr(wrong[i].message, "known motors") == NULL);
    if (problems.errors[0].line != wrong[i].line ||
        strncmp(problems.errors[0].message, wrong[i].message, length) != 0) {
      fail_msg("%s:\n  %d: %s\nexpected\n  %d: %s", wrong[i].text, problems.errors[0].line,
               problems.errors[0].message, wrong[i].line, wrong[i].message);
    }
    pki_problems_free(&problems);
  }
}

/* Joints are looked up when there is a duty. */
static void joints_that_the_motions_do_not_have_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *drives, *message;
  } cases[] = {
      {DRIVES "present: [{joints: KNE, mass: 1}]\n",
       "there is no joint \"KNE\"; did you mean \"KNEE\"? (one of: KNEE)"},
      {"drives: [{joints: KNE, motors: maxon-re40}]\n",
       "there is no joint \"KNE\"; did you mean \"KNEE\"? (one of: KNEE)"},
      {"drives: [{joints: KNEE, motors: maxon-re40}, {joints: 'K*', motors: maxon-re40}]\n",
       "the joint KNEE is in two groups, or twice in one"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[256];
    pki_sizing z = {0};
    pki_duty_motion m;
    pki_problems problems = {0};
    pk_error err = {0};
    snprintf(text, sizeof text, MOTIONS "%s", cases[i].drives);
    pki_size_study *s = good_study(text);
    assert_int_equal(pki_duty_motion_create(2, 1, &m, &err), PK_OK);
    snprintf(m.joints[0].name, sizeof m.joints[0].name, "KNEE");
    assert_int_equal(pki_duty_add(&z.duty, &m, &err), PK_OK);
    assert_int_not_equal(pki_size_make_groups(s, &z, &problems), PK_OK);
    assert_string_equal(problems.errors[0].message, cases[i].message);
    pki_problems_free(&problems);
    pki_sizing_free(&z);
    pki_size_study_destroy(s);
  }
}

/* A, B, C and then B again: what follows would be C. */
static void a_choice_that_comes_back_is_a_swing(void **state)
{
  (void)state;
  pki_size_carried drives[4] = {{.joint = "KNEE", .mass = 1, .armature = 0.1},
                                {.joint = "KNEE", .mass = 2, .armature = 0.1},
                                {.joint = "KNEE", .mass = 2, .armature = 0.2},
                                {.joint = "KNEE", .mass = 2, .armature = 0.1}};
  pki_size_round rounds[4];
  for (int i = 0; i < 4; i++) {
    rounds[i] = (pki_size_round){.chosen = &drives[i], .njoint = 1};
  }
  for (int n = 1; n <= 3; n++) {
    assert_int_equal(pki_size_find_swing(rounds, n), -1);
  }
  assert_int_equal(pki_size_find_swing(rounds, 4), 1);
  drives[2] = drives[1]; /* agrees with its neighbour: no swing */
  assert_int_equal(pki_size_find_swing(rounds, 3), -1);
}

/* docs/formats/size.md names every key. */
static void the_page_names_every_key(void **state)
{
  (void)state;
  FILE *page = fopen(PK_SOURCE_DIR "/docs/formats/size.md", "r");
  assert_non_null(page);
  char *text = calloc(1, 1 << 16);
  assert_greater(fread(text, 1, (1 << 16) - 1, page), 0);
  fclose(page);
  pki_schema_table t;
  for (int i = 0; pki_size_table(i, &t); i++) {
    for (int k = 0; k < *t.count; k++) {
      char word[80];
      snprintf(word, sizeof word, "`%s`", t.fields[k].name);
      if (strstr(text, word) == NULL) {
        fail_msg("docs/formats/size.md does not name %s", word);
      }
    }
  }
  free(text);
}

/* Files of motors with what they have for sizing. */
static void wrong_gears_and_prices_of_motors_are_told(void **state)
{
  (void)state;
#define MOTOR "name: a\nmaker: b\nkind: dc\nresistance: 1\nconstant: 1\ninertia: 1\n"
  static const struct {
    const char *text, *message;
  } cases[] = {
      {MOTOR "price: -1\n", "price is -1, expected 0 to 1e+09 EUR (of one, with its gear, where it has one)"},
      {MOTOR "speed: -1\n",
       "speed is -1, expected 0 to 1e+06 rad/s (of the rotor, largest that its bearings allow)"},
      {MOTOR "voltage: 24\nbus: 20\n", "bus is 20 V, expected at least voltage, which is 24 V"},
      {MOTOR "bus: 20\n", "bus needs voltage, what the motor has of it"},
      {MOTOR "gear: 3\ngears: [2]\n", "gears are for a bare motor, and this one has a gear of 3"},
      {MOTOR "gears: [x]\n", "gears is \"x\", expected a number"},
      {"name: a\nmaker: b\nkind: torque\nlimit: 1\ngears: [2]\n",
       "gears are for kind: dc, not for an envelope at the output"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_motor_entry m;
    pki_problems problems = {0};
    assert_int_not_equal(pki_motor_parse("m.yaml", cases[i].text, strlen(cases[i].text), &m, &problems),
                         PK_OK);
    assert_string_equal(problems.errors[0].message, cases[i].message);
    pki_problems_free(&problems);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_given_has_its_default),
      cmocka_unit_test(what_is_given_is_kept),
      cmocka_unit_test(present_drives_have_their_masses),
      cmocka_unit_test(each_wrong_field_is_told_with_its_line),
      cmocka_unit_test(joints_that_the_motions_do_not_have_are_told),
      cmocka_unit_test(a_choice_that_comes_back_is_a_swing),
      cmocka_unit_test(the_page_names_every_key),
      cmocka_unit_test(wrong_gears_and_prices_of_motors_are_told),
  };
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
