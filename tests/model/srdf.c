/* SRDF files: pairs that do not collide, poses by name, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/srdf.h"

static pk_status parse(const char *text, pki_srdf **out, pk_error *err)
{
  *err = (pk_error){.message = ""};
  return pki_srdf_parse(text, strlen(text), "robot.srdf", out, err);
}

static void pairs_are_read_and_all_else_is_passed_over(void **state)
{
  (void)state;
  pki_srdf *s;
  pk_error err;
  const char text[] = "<?xml version='1.0'?>\n"
                      "<robot name='dog' version='1.0'>\n"
                      "  <group name='leg'><chain base_link='a' tip_link='b'/><link name='c'/></group>\n"
                      "  <group_state name='home' group='leg'><joint name='j' value='0'/></group_state>\n"
                      "  <virtual_joint name='v' type='floating' parent_frame='w' child_link='a'/>\n"
                      "  <disable_collisions link1='a' link2='b' reason='Adjacent'/>\n"
                      "  <end_effector name='e' parent_link='b' group='leg'/>\n"
                      "  <disable_collisions link1='foot_\xc3\xa9' link2='a'/>\n"
                      "  <enable_collisions link1='a' link2='b'/>\n"
                      "</robot>\n";
  assert_int_equal(parse(text, &s, &err), PK_OK);
  assert_string_equal(s->robot, "dog");
  assert_int_equal(s->npair, 2);
  assert_string_equal(s->pairs[0].link[0], "a");
  assert_string_equal(s->pairs[0].link[1], "b");
  assert_int_equal(s->pairs[0].line, 6);
  assert_string_equal(s->pairs[1].link[0], "foot_\xc3\xa9");
  assert_int_equal(s->pairs[1].line, 8);
  pki_srdf_destroy(s);
}

static void poses_are_read_by_name(void **state)
{
  (void)state;
  pki_srdf *s;
  pk_error err;
  const char text[] =
      "<robot name='dog'>\n"
      "  <group_state name='home' group='leg'>\n"
      "    <joint name='hip' value='0.5'/>\n"
      "    <joint name='ball' value=' 1 0\t0 0 '/>\n"
      "  </group_state>\n"
      "  <group_state name='home' group='arm'><joint name='elbow' value='-1e-1'/></group_state>\n"
      "  <group_state name='empty' group='arm'/>\n"
      "</robot>\n";
  assert_int_equal(parse(text, &s, &err), PK_OK);
  assert_int_equal(s->nvalue, 3);
  assert_string_equal(s->values[0].state, "home");
  assert_string_equal(s->values[0].joint, "hip");
  assert_int_equal(s->values[0].count, 1);
  assert_true(s->values[0].value[0] == 0.5);
  assert_int_equal(s->values[0].line, 3);
  assert_int_equal(s->values[1].count, 4);
  assert_true(s->values[1].value[0] == 1 && s->values[1].value[3] == 0);
  assert_string_equal(s->values[2].joint, "elbow");
  assert_true(s->values[2].value[0] == -0.1);
  pki_srdf_destroy(s);
}

static void wrong_poses_are_told_with_their_line(void **state)
{
  (void)state;
  static const struct {
    const char *inside, *message;
  } cases[] = {
      {"<group_state group='leg'><joint name='j' value='0'/></group_state>",
       "<group_state> has no name, expected the name of a pose"},
      {"<group_state name='home'><joint value='0'/></group_state>",
       "<joint> of <group_state> has no name, expected the name of a joint"},
      {"<group_state name='home'><joint name='j'/></group_state>",
       "value of <joint> in <group_state> has 0 numbers, expected 1 to 7"},
      {"<group_state name='home'><joint name='j' value='1 2 3 4 5 6 7 8'/></group_state>",
       "value of <joint> in <group_state> has 8 numbers, expected 1 to 7"},
      {"<group_state name='home'><joint name='j' value='zero'/></group_state>", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_srdf *s;
    pk_error err;
    char text[300];
    snprintf(text, sizeof text, "<robot>\n%s\n</robot>", cases[i].inside);
    assert_int_equal(parse(text, &s, &err), PK_ERROR_SYNTAX);
    assert_null(s);
    assert_int_equal(err.line, 2);
    if (cases[i].message != NULL) {
      assert_string_equal(err.message, cases[i].message);
    }
  }
}

static void a_robot_without_pairs_or_a_name_is_fine(void **state)
{
  (void)state;
  pki_srdf *s;
  pk_error err;
  assert_int_equal(parse("<robot/>", &s, &err), PK_OK);
  assert_int_equal(s->npair, 0);
  assert_string_equal(s->robot, "");
  pki_srdf_destroy(s);
  pki_srdf_destroy(NULL);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *message, *field;
    pk_status status;
    int line;
  } rows[] = {
      {"", "the file is empty", "", PK_ERROR_SYNTAX, 0},
      {"<robot>\n<disable_collisions link1='a'", "not well-formed XML", "", PK_ERROR_SYNTAX, 2},
      {"<mujoco/>", "expected <robot>, found <mujoco>", "mujoco", PK_ERROR_SYNTAX, 1},
      {"<robot name='r'>\n<link name='a'/></robot>", "this is a URDF file", "robot", PK_ERROR_SYNTAX, 1},
      {"<robot>\n<disable_collisions link2='b'/></robot>",
       "<disable_collisions> has no link1, expected the name of a link", "disable_collisions",
       PK_ERROR_SYNTAX, 2},
      {"<robot>\n\n<disable_collisions link1='a'/></robot>", "<disable_collisions> has no link2",
       "disable_collisions", PK_ERROR_SYNTAX, 3},
      {"<robot>\n<disable_collisions link1='a' link2=''/></robot>", "link2 of <disable_collisions> is empty",
       "disable_collisions@link2", PK_ERROR_SYNTAX, 2},
      {"<robot>\n<disable_collisions link1='a' link2='a'/></robot>", "names the link \"a\" twice",
       "disable_collisions@link2", PK_ERROR_SYNTAX, 2},
      {"<!DOCTYPE r [<!ENTITY a 'b'>]>\n<robot name='&a;'/>", "DOCTYPE", "", PK_ERROR_UNSUPPORTED, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pki_srdf *s = (pki_srdf *)1;
    pk_error err;
    const pk_status status = parse(rows[i].text, &s, &err);
    if (status != rows[i].status || strstr(err.message, rows[i].message) == NULL ||
        err.line != rows[i].line || strcmp(err.field, rows[i].field) != 0) {
      fail_msg("row %zu: status %d, line %d, field \"%s\": %s", i, (int)status, err.line, err.field,
               err.message);
    }
    assert_null(s);
    assert_string_equal(err.file, "robot.srdf");
  }
}

/* The reader of numbers is that of URDF, which warns where it can go on. */
static void numbers_that_urdf_warns_about_are_read(void **state)
{
  (void)state;
  pki_srdf *s;
  pk_error err;
  const char text[] = "<robot name='dog'><group_state name='home' group='leg'>"
                      "<joint name='j' value='0.5,'/></group_state></robot>";
  assert_int_equal(parse(text, &s, &err), PK_OK);
  assert_int_equal(s->nvalue, 1);
  assert_true(s->values[0].value[0] == 0.5);
  pki_srdf_destroy(s);
}

static void a_file_that_is_not_there_is_told(void **state)
{
  (void)state;
  pki_srdf *s;
  pk_error err;
  assert_int_equal(pki_srdf_load("no/such.srdf", &s, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: there is no such file");
  assert_string_equal(err.file, "no/such.srdf");
  assert_null(s);
  assert_int_equal(pki_srdf_load(PK_SOURCE_DIR "/tests", &s, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: it is a folder, name the .srdf file in it");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_read_and_all_else_is_passed_over),
      cmocka_unit_test(poses_are_read_by_name),
      cmocka_unit_test(wrong_poses_are_told_with_their_line),
      cmocka_unit_test(a_robot_without_pairs_or_a_name_is_fine),
      cmocka_unit_test(what_is_wrong_is_told_with_its_line),
      cmocka_unit_test(numbers_that_urdf_warns_about_are_read),
      cmocka_unit_test(a_file_that_is_not_there_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
