/* Drives that belong to a robot, from the file in its folder. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */
#include <unistd.h>

#include "actuation/actuation.h"
#include "scenario/help.h"
#include "scenario/wrong.h"
#include "support/bounds.h"

#define COMAN "model: {model: coman, position: [0, 0, 0.53]}\nduration: 1\n"

/* COMAN's drives are those that coman-box writes out, to the bit. */
static void coman_s_drives_are_those_of_its_lift(void **state)
{
  (void)state;
  pki_scenario *written = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pki_scenario_load(PK_SOURCE_DIR "/scenarios/coman-box.yaml", NULL, 0, &written, &err),
                   PK_OK);
  pki_scenario *named = good_scenario(COMAN "actuators: [{drives: coman}]\n", NULL);
  pki_world a = good_world(written), b = good_world(named);
  assert_int_equal(pk_actuation_count(a.actuation), 23);
  assert_int_equal(pk_actuation_count(b.actuation), 23);
  for (int i = 0; i < 23; i++) {
    const pk_actuator of = pk_actuation_get(b.actuation, i);
    int same = 0;
    for (int k = 0; k < 23; k++) {
      const pk_actuator other = pk_actuation_get(a.actuation, k);
      same += other.dof == of.dof && other.kind == of.kind &&
              memcmp(other.parameters, of.parameters, of.kind->parameters_size) == 0;
    }
    assert_int_equal(same, 1);
  }
  pki_world_free(&a), pki_world_free(&b);
  pki_scenario_destroy(written), pki_scenario_destroy(named);
}

static void entries_before_and_after_drives_count_too(void **state)
{
  (void)state;
  pki_scenario *s =
      good_scenario(COMAN "actuators:\n  - {joints: '*KneeSag', kind: parallel-spring, stiffness: 100}\n"
                          "  - {drives: coman}\n  - {joints: '*', damping: 0.5}\n",
                    NULL);
  pki_world w = good_world(s);
  assert_int_equal(s->nactuator, 15);
  assert_int_equal(pk_actuation_count(w.actuation), 25);
  assert_near(w.model->joints[0].damping, 0.5, 0);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* COMAN walks on the drives that it does knee bends on, with loops on the torque of their springs. */
static void parameters_beside_drives_replace_those_of_all(void **state)
{
  (void)state;
  pki_scenario *plain = good_scenario(COMAN "actuators: [{drives: coman, feedback: joint}]\n", NULL);
  pki_scenario *s =
      good_scenario(COMAN "actuators: [{drives: coman, feedback: joint, torque_gain: 20}]\n", NULL);
  assert_int_equal(s->nactuator, 13);
  for (int i = 0; i < s->nactuator; i++) {
    pk_motor_parameters expected = *(const pk_motor_parameters *)plain->actuators[i].parameters;
    assert_int_equal(expected.feedback, PK_MOTOR_FEEDBACK_JOINT);
    expected.torque_gain = 20;
    assert_memory_equal(s->actuators[i].parameters, &expected, sizeof expected);
  }
  pki_scenario_destroy(plain), pki_scenario_destroy(s);
}

/* Motors of one knee are taken away, with their rotors; the spring beside them and the other knee keep theirs. */
static void an_undriven_joint_keeps_its_spring_alone(void **state)
{
  (void)state;
#define KNEES \
  COMAN "actuators:\n  - {joints: '*KneeSag', kind: parallel-spring, stiffness: 100}\n" \
        "  - {joints: '*KneeSag', kind: dc, motor: maxon-re40, gear: 100}\n"
  pki_scenario *all = good_scenario(KNEES, NULL);
  pki_scenario *less = good_scenario(KNEES "  - {joints: LKneeSag, undriven: true}\n", NULL);
  pki_scenario *none = good_scenario(KNEES "  - {joints: '*', undriven: true}\n", NULL);
  pki_world a = good_world(all), b = good_world(less), c = good_world(none);
  const int left = a.model->joints[pk_model_find_joint(a.model, "LKneeSag")].u,
            right = a.model->joints[pk_model_find_joint(a.model, "RKneeSag")].u;
  const double rotor = 100 * 100 * 1.42e-5;
  assert_int_equal(pk_actuation_count(a.actuation), 4);
  assert_int_equal(pk_actuation_count(b.actuation), 3);
  assert_int_equal(pk_actuation_count(c.actuation), 2);
  assert_near(a.model->dof_armature[left] - b.model->dof_armature[left], rotor, 1e-12);
  assert_near(a.model->dof_armature[right] - b.model->dof_armature[right], 0, 0);
  assert_near(a.model->dof_armature[right] - c.model->dof_armature[right], rotor, 1e-12);
  for (int i = 0; i < 3; i++) {
    const pk_actuator kept = pk_actuation_get(b.actuation, i);
    assert_true(kept.dof == right || kept.kind->adds);
  }
  pki_world_free(&a), pki_world_free(&b), pki_world_free(&c);
  pki_scenario_destroy(all), pki_scenario_destroy(less), pki_scenario_destroy(none);
}

/* A point that is taken away leaves a body. StarLETH's thighs have less than 5 kg, and less than 1 kg at their knees. */
static void masses_that_are_taken_away_leave_bodies(void **state)
{
  (void)state;
  static const wrong cases[] = {
      {REST "actuators: [{joints: LF_KFE, mass: -5}]\n", 3, "actuators.0",
       "the masses that are taken away leave -4.69 kg of the link LF_THIGH, expected more than 0"},
      {REST "actuators: [{joints: LF_KFE, mass: -1}]\n", 3, "actuators.0", NULL},
      {REST "actuators: [{joints: LF_HAA, damping: 1}, {joints: 'LF_KFE', mass: -1}]\n", 3, "actuators.1",
       NULL},
  };
  refuse_worlds(cases, sizeof cases / sizeof cases[0]);
  pki_scenario *s =
      good_scenario(REST "actuators: [{joints: LF_KFE, mass: -5}, {joints: LF_KFE, mass: 5.2}]\n", NULL);
  pki_world w = good_world(s);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void drives_that_are_not_there_are_told(void **state)
{
  (void)state;
  static const wrong cases[] = {
      {COMAN "actuators: [{drives: starleth}]\n", 3, "actuators.0.drives",
       "the model \"starleth\" has no drives: there is no drives.yaml beside its file"},
      {COMAN "actuators: [{drives: comann}]\n", 3, "actuators.0.drives", NULL},
      {COMAN "actuators: [{drives: coman, joints: '*'}]\n", 3, "actuators.0.joints",
       "there is no key \"joints\" beside drives, expected parameters of kind: sea"},
      {COMAN "actuators: [{drives: coman, torque_gain: high}]\n", 3, "actuators.0.torque_gain", NULL},
      {COMAN "actuators: [{drives: [coman]}]\n", 3, "actuators.0.drives",
       "drives is no text, expected the name of a model or of a file"},
      {COMAN "actuators: [{drives: ./0123456789.yaml}]\n", 3, "actuators.0.drives",
       "there is no file \"./0123456789.yaml\""},
  };
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
}

/* What is wrong in the file is told with its line there. */
static void a_wrong_line_of_drives_is_told_where_it_is(void **state)
{
  (void)state;
  char folder[] = "/tmp/pronk-drives-XXXXXX", path[64], text[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/own.yaml", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("- {joints: '*KneeSag', kind: servo, kp: 10}\n- {joints: '*HipSag', kind: servo, kq: 10}\n", f);
  fclose(f);
  snprintf(text, sizeof text, COMAN "actuators: [{drives: %s}]\n", path);
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  assert_int_not_equal(read_scenario(text, NULL, &s, &err), PK_OK);
  assert_string_equal(err.file, path);
  assert_int_equal(err.line, 2);
  assert_non_null(strstr(err.message, "there is no key \"kq\""));
  remove(path);
  (void)rmdir(folder);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coman_s_drives_are_those_of_its_lift),
      cmocka_unit_test(entries_before_and_after_drives_count_too),
      cmocka_unit_test(parameters_beside_drives_replace_those_of_all),
      cmocka_unit_test(an_undriven_joint_keeps_its_spring_alone),
      cmocka_unit_test(masses_that_are_taken_away_leave_bodies),
      cmocka_unit_test(drives_that_are_not_there_are_told),
      cmocka_unit_test(a_wrong_line_of_drives_is_told_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
