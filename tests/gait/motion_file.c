/* Files of motions: what is read, and each way in which one can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "gait/motion_file.h"
#include "pronk/builder.h"
#include "support/bounds.h"

#define TITLE "# pronk motion 1\n"
#define TRUNK "time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"
#define NAMES TRUNK ",q:LF_HAA,u:LF_HAA,stance:LF_FOOT\n"
#define ROW0 "0,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.1,0,1\n"
#define ROW1 "1,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.1,0,1\n"

static pk_model *model;

static int load_model(void **state)
{
  (void)state;
  return pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &model, NULL) != PK_OK;
}

static int free_model(void **state)
{
  (void)state;
  pk_model_destroy(model);
  return 0;
}

static pki_whole_motion read_text(const char *text)
{
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  if (pki_whole_motion_parse("m.csv", text, strlen(text), model, &motion, &err) != PK_OK) {
    fail_msg("line %d: %s", err.line, err.message);
  }
  return motion;
}

static void expect_failure(const char *text, pk_status status, int line, const char *message)
{
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  assert_int_equal(pki_whole_motion_parse("m.csv", text, strlen(text), model, &motion, &err), status);
  assert_string_equal(err.message, message);
  assert_string_equal(err.file, "m.csv");
  assert_int_equal(err.line, line);
  pki_whole_motion_free(&motion);
}

static void expect_syntax_error(const char *text, int line, const char *message)
{
  expect_failure(text, PK_ERROR_SYNTAX, line, message);
}

static void columns_may_come_in_any_order(void **state)
{
  (void)state;
  pki_whole_motion m = read_text(
      TITLE "# a comment\n# repeat: yes\n# travel: 0.5 0 0\n\n"
            "stance:LF_FOOT, u:LF_HAA ,q:LF_HAA,wz,wy,wx,vz,vy,vx,qz,qy,qx,qw,z,y,x,time,tau:LF_HAA,"
            "fz:LF_FOOT,fx:LF_FOOT,fy:LF_FOOT\r\n"
            "1,2,3,4,5,6,7,8,9,0,0,0,1,10,11,12,0,13,14,15,16\n"
            "1,2,3,4,5,6,7,8,9,0,0,0,1,10,11,12.5,1,13,14,15,16\n");
  const double *row = m.values, trunk[14] = {0, 12, 11, 10, 1, 0, 0, 0, 9, 8, 7, 6, 5, 4};
  assert_true(m.repeats && m.has_tau && m.has_forces);
  assert_near(m.travel[0], 0.5, 0);
  assert_int_equal(m.rows, 2);
  assert_int_equal(m.joints, 1);
  assert_int_equal(m.feet, 1);
  assert_string_equal(model->links[m.foot[0]].name, "LF_FOOT");
  assert_string_equal(model->joints[model->dof_joint[m.dof[0]]].name, "LF_HAA");
  assert_memory_equal(row, trunk, sizeof trunk);
  assert_near(row[pki_whole_motion_q_at(0)], 3, 0);
  assert_near(row[pki_whole_motion_u_at(&m, 0)], 2, 0);
  assert_near(row[pki_whole_motion_tau_at(&m, 0)], 13, 0);
  assert_near(row[pki_whole_motion_stance_at(&m, 0)], 1, 0);
  assert_near(row[pki_whole_motion_force_at(&m, 0)], 15, 0);
  assert_near(row[pki_whole_motion_force_at(&m, 0) + 2], 14, 0);
  pki_whole_motion_free(&m);
}

static void torques_and_forces_may_be_missing(void **state)
{
  (void)state;
  pki_whole_motion m = read_text(TITLE NAMES ROW0 ROW1);
  assert_false(m.repeats || m.has_tau || m.has_forces);
  assert_near(m.values[pki_whole_motion_tau_at(&m, 0)], 0, 0);
  assert_near(m.values[pki_whole_motion_force_at(&m, 0) + 2], 0, 0);
  pki_whole_motion_free(&m);
}

static void quaternions_have_unit_length_and_the_nearer_sign(void **state)
{
  (void)state;
  pki_whole_motion m = read_text(TITLE NAMES ROW0 "1,0,0,0.4,-1.0005,0,0,0,0,0,0,0,0,0,0.1,0,1\n");
  assert_near(m.values[m.width + PKI_WHOLE_MOTION_TURN], 1, 0);
  pki_whole_motion_free(&m);
}

static void velocities_may_jump_at_a_touchdown(void **state)
{
  (void)state;
  pki_whole_motion m = read_text(TITLE NAMES ROW0 ROW1 "1,0,0,0.4,1,0,0,0,0,0,0.5,0,0,0,0.1,2,0\n");
  assert_int_equal(m.rows, 3);
  pki_whole_motion_free(&m);
}

static void the_first_line_must_say_what_the_file_is(void **state)
{
  (void)state;
  expect_syntax_error("", 1, "expected \"# pronk motion 1\" in the first line");
  expect_syntax_error(NAMES ROW0 ROW1, 1, "expected \"# pronk motion 1\" in the first line");
  expect_syntax_error("# pronk motion 2\n" NAMES ROW0 ROW1, 1,
                      "found \"# pronk motion 2\", expected \"# pronk motion 1\" in the first line");
}

static void repeat_must_be_yes_or_no(void **state)
{
  (void)state;
  expect_syntax_error(TITLE "# repeat: often\n" NAMES ROW0 ROW1, 2,
                      "repeat is \"often\", expected yes or no");
}

static void travel_must_be_three_numbers(void **state)
{
  (void)state;
  expect_syntax_error(TITLE "# travel: 1 2\n" NAMES ROW0 ROW1, 2,
                      "travel is \"1 2\", expected three numbers: x and y in m, yaw in rad");
  expect_syntax_error(TITLE "# travel: 1 2 3 4\n" NAMES ROW0 ROW1, 2,
                      "travel is \"1 2 3 4\", expected three numbers: x and y in m, yaw in rad");
  expect_syntax_error(TITLE "# travel: 1 inf 3\n" NAMES ROW0 ROW1, 2,
                      "travel is \"1 inf 3\", expected three numbers: x and y in m, yaw in rad");
}

static void columns_must_be_known(void **state)
{
  (void)state;
  expect_syntax_error(
      TITLE TRUNK ",torque\n", 2,
      "found the column \"torque\", expected time, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, or "
      "q:, u:, tau: and a joint, or stance:, fx:, fy:, fz: and a foot");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAAA\n", 2,
                      "there is no joint \"LF_HAAA\"; did you mean \"LF_HAA\"?");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,u:LF_HAA,stance:LF_TOE\n", 2,
                      "there is no link \"LF_TOE\"; did you mean \"LF_HIP\"?");
}

static void columns_must_come_once(void **state)
{
  (void)state;
  expect_syntax_error(TITLE TRUNK ",x\n", 2, "the column \"x\" comes twice");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,q:LF_HAA\n", 2, "the column \"q:LF_HAA\" comes twice");
}

static void columns_that_belong_together_must_all_be_there(void **state)
{
  (void)state;
  expect_syntax_error(TITLE "time,x,y\n", 2, "the column \"z\" is missing");
  expect_syntax_error(TITLE TRUNK "\n", 2, "there is no column of a joint, expected q: and u: of each joint");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,u:LF_HAA\n", 2,
                      "there is no column of a foot, expected stance: of each foot");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,stance:LF_FOOT\n", 2, "the column \"u:LF_HAA\" is missing");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,u:LF_HAA,q:LF_HFE,u:LF_HFE,tau:LF_HAA,stance:LF_FOOT\n", 2,
                      "the column \"tau:LF_HFE\" is missing");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,u:LF_HAA,stance:LF_FOOT,fx:LF_FOOT,fz:LF_FOOT\n", 2,
                      "the column \"fy:LF_FOOT\" is missing");
  expect_syntax_error(TITLE TRUNK ",q:LF_HAA,u:LF_HAA,fx:LF_FOOT,fy:LF_FOOT,fz:LF_FOOT\n", 2,
                      "the column \"stance:LF_FOOT\" is missing");
}

static void values_must_be_finite_numbers_one_for_each_column(void **state)
{
  (void)state;
  expect_syntax_error(TITLE NAMES "0,x\n", 3, "found \"x\" in column 2, expected a number");
  expect_syntax_error(TITLE NAMES "0,inf\n", 3, "found \"inf\" in column 2, expected a number");
  expect_syntax_error(TITLE NAMES "0,,1\n", 3, "found \"\" in column 2, expected a number");
  expect_syntax_error(TITLE NAMES "0,1\n", 3, "2 values, expected 17: one for each column");
  expect_syntax_error(TITLE NAMES "0,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.1,0,1,1\n", 3,
                      "18 values, expected 17: one for each column");
}

static void stances_must_be_zero_or_one(void **state)
{
  (void)state;
  expect_syntax_error(TITLE NAMES "0,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.1,0,0.5\n", 3,
                      "the stance of \"LF_FOOT\" is 0.5, expected 0 or 1");
}

static void times_must_begin_at_zero_and_not_fall(void **state)
{
  (void)state;
  expect_syntax_error(TITLE NAMES ROW1, 3, "the time is 1 s, expected 0 in the first line");
  expect_syntax_error(TITLE NAMES ROW0 ROW1 ROW0, 5,
                      "the time is 0 s, expected 1 or more: that of the line before");
  expect_syntax_error(
      TITLE NAMES ROW0 ROW1 ROW1 ROW1, 6,
      "the time is 1 s for the third time, expected two lines at most: before and after a touchdown");
}

static void quaternions_must_have_a_length_of_one(void **state)
{
  (void)state;
  expect_syntax_error(TITLE NAMES "0,0,0,0.4,0,0,0,0,0,0,0,0,0,0,0.1,0,1\n", 3,
                      "the quaternion (qw, qx, qy, qz) has the length 0, expected 1");
}

static void places_must_not_jump_at_a_touchdown(void **state)
{
  (void)state;
  expect_syntax_error(
      TITLE NAMES ROW0 ROW1 "1,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.2,0,1\n", 5,
      "column 15 jumps from 0.1 to 0.2 at 1 s, expected that only rates, torques, stances and forces "
      "differ in two lines of one time");
}

static void a_motion_must_have_two_lines_and_a_length(void **state)
{
  (void)state;
  expect_syntax_error(TITLE NAMES ROW0, 3,
                      "there are 1 lines with times up to 0 s, expected two at least and a time above 0");
  expect_syntax_error(TITLE NAMES ROW0 ROW0, 4,
                      "there are 2 lines with times up to 0 s, expected two at least and a time above 0");
}

static void a_motion_that_repeats_must_end_where_it_began(void **state)
{
  (void)state;
  expect_syntax_error(
      TITLE "# repeat: yes\n" NAMES ROW0 "1,0,0,0.4,1,0,0,0,0,0,0,0,0,0,0.2,0,1\n", 5,
      "the joint \"LF_HAA\" is at 0.1 in the first line and at 0.2 in the last, expected the same in a "
      "motion that repeats");
  expect_syntax_error(
      TITLE "# repeat: yes\n# travel: 0.5 0 0\n" NAMES ROW0 ROW1, 6,
      "the trunk moves by 0 m along x, expected 0.5: what \"# travel:\" says of a motion that repeats");
}

static void the_robot_must_have_a_free_trunk(void **state)
{
  (void)state;
  pk_model *arm;
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  const char *text = TITLE TRUNK ",q:shoulder_pan_joint\n";
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/ur10/ur10.urdf", NULL, &arm, NULL), PK_OK);
  assert_int_equal(pki_whole_motion_parse("m.csv", text, strlen(text), arm, &motion, &err),
                   PK_ERROR_UNSUPPORTED);
  assert_string_equal(
      err.message, "\"shoulder_pan_joint\" is of a robot without a free root, expected one with a free root");
  pki_whole_motion_free(&motion);
  pk_model_destroy(arm);
}

static void a_file_must_be_given_and_readable(void **state)
{
  (void)state;
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  assert_int_equal(pki_whole_motion_read("", model, &motion, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "no file is given, expected one with a motion");
  assert_int_equal(pki_whole_motion_read("nowhere.csv", model, &motion, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "\"nowhere.csv\" cannot be read: No such file or directory");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_may_come_in_any_order),
      cmocka_unit_test(torques_and_forces_may_be_missing),
      cmocka_unit_test(quaternions_have_unit_length_and_the_nearer_sign),
      cmocka_unit_test(velocities_may_jump_at_a_touchdown),
      cmocka_unit_test(the_first_line_must_say_what_the_file_is),
      cmocka_unit_test(repeat_must_be_yes_or_no),
      cmocka_unit_test(travel_must_be_three_numbers),
      cmocka_unit_test(columns_must_be_known),
      cmocka_unit_test(columns_must_come_once),
      cmocka_unit_test(columns_that_belong_together_must_all_be_there),
      cmocka_unit_test(values_must_be_finite_numbers_one_for_each_column),
      cmocka_unit_test(stances_must_be_zero_or_one),
      cmocka_unit_test(times_must_begin_at_zero_and_not_fall),
      cmocka_unit_test(quaternions_must_have_a_length_of_one),
      cmocka_unit_test(places_must_not_jump_at_a_touchdown),
      cmocka_unit_test(a_motion_must_have_two_lines_and_a_length),
      cmocka_unit_test(a_motion_that_repeats_must_end_where_it_began),
      cmocka_unit_test(the_robot_must_have_a_free_trunk),
      cmocka_unit_test(a_file_must_be_given_and_readable),
  };
  return cmocka_run_group_tests(tests, load_model, free_model);
}
