/* What the controller `biped` refuses, and why. */
#include <string.h>

#include "pronk/gait.h"
#include "pronk/sim.h"
#include "support/bounds.h"

static pk_model *load(const char *path)
{
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_model_load_urdf(path, NULL, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return m;
}

static pk_biped_options good_options(void)
{
  pk_biped_options o = pk_biped_options_default();
  o.feet[0] = "LFoot", o.feet[1] = "RFoot";
  return o;
}

static void assert_refused(const pk_model *m, const pk_biped_options *o, pk_status expected,
                           const char *field, const char *message)
{
  pk_controller *c = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_biped_create(m, o, &c, &err), expected);
  assert_null(c);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

static void wrong_options_are_refused_by_name(void **state)
{
  (void)state;
  pk_model *coman = load(PK_SOURCE_DIR "/models/coman/coman.urdf");
  pk_biped_options o = pk_biped_options_default();
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "feet",
                 "there are no feet, expected two links: the left foot, the right foot");
  o = good_options();
  o.feet[1] = "RFot";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "feet",
                 "there is no link \"RFot\" to be a foot; did you mean \"RFoot\"?");
  o = good_options();
  o.feet[1] = "r_wrist";
  assert_refused(coman, &o, PK_ERROR_UNSUPPORTED, "feet",
                 "\"r_wrist\" is a point, expected a sole on a robot with a free trunk");
  o = good_options();
  o.feet[0] = "RFoot", o.feet[1] = "LFoot";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "feet",
                 "\"RFoot\" is 0.145 m to the right of \"LFoot\" at the start, expected the left foot, then "
                 "the right foot");
  o = good_options();
  o.arms[1] = "RShSg";
  assert_refused(
      coman, &o, PK_ERROR_ARGUMENT, "arms",
      "there is no joint \"RShSg\" with a motor in this robot to swing an arm; did you mean \"RShSag\"?");
  o = good_options();
  o.arms[0] = "shoulder";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "arms",
                 "there is no joint \"shoulder\" with a motor in this robot to swing an arm");
  o = good_options();
  o.arms[0] = "LShSag", o.arms[1] = "LShSag";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "arms",
                 "\"LShSag\" is given for both arms, expected one joint for each");
  o = good_options();
  o.wide = 0.1;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "wide", "wide is 0.1 m, expected narrow, 0.11, or more");
  o = good_options();
  o.swing = 0.3;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "swing",
                 "swing is 0.3 s, expected soonest, 0.35, to latest, 0.9");
  o = good_options();
  o.turn = 2;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "turn",
                 "turn is 2 rad/s, expected at most 0.857: 0.6 rad in swing and support, 0.7 s");
  o = good_options();
  o.change_count = 1;
  o.changes[0].turn = -2;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "turn",
                 "turn is -2 rad/s, expected at most 0.857: 0.6 rad in swing and support, 0.7 s");
  o = good_options();
  o.change_count = 33;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "speeds",
                 "there are 33 changes of the speed, expected at most 32");
  o = good_options();
  o.change_count = 2;
  o.changes[0].at = 3, o.changes[1].at = 2;
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "speeds",
                 "the change of the speed at 2 s comes after one at 3 s, expected times that rise");
  pk_model_destroy(coman);
}

static void worlds_of_other_controllers_are_told_so(void **state)
{
  (void)state;
  pk_model *coman = load(PK_SOURCE_DIR "/models/coman/coman.urdf");
  pk_sim *sim = NULL;
  pk_controller *hold = NULL;
  pk_error err = {.message = ""};
  pk_biped_report report = {.steps = 7};
  assert_int_equal(pk_sim_create(coman, NULL, &sim, &err), PK_OK);
  assert_int_equal(pk_biped_get_report(sim, &report, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message,
      "pk_biped_get_report: the world has no controller, expected a controller of pk_biped_create");
  assert_int_equal(report.steps, 0);
  assert_int_equal(pk_hold_create(coman, NULL, &hold, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, hold, &err), PK_OK);
  assert_int_equal(pk_biped_set_speed(sim, 0.1, 0, 0, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message,
      "pk_biped_set_speed: the world has the controller \"hold\", expected a controller of pk_biped_create");
  pk_sim_destroy(sim);
  pk_hold_destroy(hold);
  pk_model_destroy(coman);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_options_are_refused_by_name),
                                     cmocka_unit_test(worlds_of_other_controllers_are_told_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
