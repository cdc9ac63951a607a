/* The command with joint kinds that the library does not have. It is linked from the objects of build/pronk and the table
 * of support/toy_joints.c: what a person does with a robot works for a kind that is a row of that table. */
#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pronk/builder.h"

/* A nut on an upright thread (0.07 m for each radian), a weight below it in a cross. */
static const char robot[] =
    "<robot name=\"press\">\n"
    "  <link name=\"world\"/>\n"
    "  <link name=\"nut\"><inertial><mass value=\"1\"/>\n"
    "    <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n"
    "  <joint name=\"thread\" type=\"screw\"><parent link=\"world\"/><child link=\"nut\"/>\n"
    "    <axis xyz=\"0 0 1\"/><limit lower=\"-20\" upper=\"20\" effort=\"3\" velocity=\"50\"/></joint>\n"
    "%s</robot>\n";
static const char weight[] =
    "  <link name=\"weight\"><inertial><origin xyz=\"0 0 -0.3\"/><mass value=\"0.5\"/>\n"
    "    <inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>\n"
    "  <joint name=\"cross\" type=\"universal\"><parent link=\"nut\"/><child link=\"weight\"/>\n"
    "    <axis xyz=\"1 0 0\"/></joint>\n";

static void write_press(const char *path, const char *more)
{
  char text[2048];
  snprintf(text, sizeof text, robot, more);
  write_file(path, text);
}

static void list_has_the_new_rows(void **state)
{
  (void)state;
  cJSON *o = run_json("list joints --json", 0);
  const cJSON *items = cJSON_GetObjectItem(o, "items");
  assert_int_equal(cJSON_GetArraySize(items), PK_JOINT_KIND_COUNT + 4);
  const cJSON *screw = cJSON_GetArrayItem(items, PK_JOINT_KIND_COUNT);
  assert_string_equal(cJSON_GetObjectItem(screw, "name")->valuestring, "screw");
  assert_string_equal(cJSON_GetObjectItem(screw, "doc")->valuestring,
                      "angle about an axis and travel along it, in proportion");
  cJSON_Delete(o);
}

static void info_and_check_read_a_robot_of_new_kinds(void **state)
{
  (void)state;
  write_press("toys_press.urdf", weight);
  run_result r = run("info toys_press.urdf");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "degrees of freedom  3  (nq 3, nu 3)"));
  assert_true(contains(r.out, "└─ thread    screw       z     -20 … 20 rad   3 N m  50 rad/s   1.0000  nut"));
  assert_true(contains(r.out, "└─ cross  universal   x"));
  run_free(&r);
  r = run("check toys_press.urdf");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "3 degrees of freedom, 4 bodies, 1.5 kg"));
  run_free(&r);
}

/* The last value of a column of an exported channel. */
static double last_value(const char *path, const char *column)
{
  char header[256] = "", line[256] = "", last[256] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] != '#') {
      memcpy(header[0] == '\0' ? header : last, line, sizeof line);
    }
  }
  fclose(file);
  const char *value = last;
  char *at = strstr(header, column);
  assert_non_null(at);
  for (const char *c = header; c < at; c++) {
    if (*c == ',') {
      value = strchr(value, ',') + 1;
    }
  }
  return strtod(value, NULL);
}

/* a = -g p / (1 + p^2), from rest at 2 rad. */
static void a_scenario_runs_a_nut_down_its_thread(void **state)
{
  (void)state;
  write_press("toys_nut.urdf", "");
  write_file("toys_nut.yaml", "description: A nut on its thread\n"
                              "duration: 1\n"
                              "model:\n"
                              "  model: toys_nut.urdf\n"
                              "  joints: {thread: 2}\n"
                              "step: {stepper: rk4, dt: 1e-3}\n");
  run_result r = run("run toys_nut.yaml -o toys_nut");
  assert_int_equal(r.status, 0);
  run_free(&r);
  r = run("export toys_nut --format csv --channels state/q -o toys_nut/csv");
  assert_int_equal(r.status, 0);
  run_free(&r);
  char path[256];
  assert_int_equal(shell("printf %s toys_nut/csv/*", path, sizeof path), 0);
  const double q = last_value(path, "thread"), expected = 2 - 0.5 * 9.81 * 0.07 / (1 + 0.07 * 0.07);
  if (!(fabs(q - expected) < 1e-9)) {
    fail_msg("the nut is at %.12g, expected %.12g", q, expected);
  }
}

static void generated_code_agrees_with_the_library(void **state)
{
  (void)state;
  write_press("toys_press.urdf", weight);
  run_result r = run("codegen toys_press.urdf -o toys_code");
  assert_int_equal(r.status, 0);
  run_free(&r);
  char out[4096];
  const int status = shell("cd toys_code && cc -std=c17 -O1 -c press.c -o one.o 2>&1 && "
                           "cc -std=c17 -O1 -DPRESS_LANES=4 -c press.c -o four.o 2>&1 && "
                           "cc -std=c17 test_press.c one.o four.o -lm -o test 2>&1 && ./test 2>&1",
                           out, sizeof out);
  if (status != 0) {
    fail_msg("%s", out);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(list_has_the_new_rows),
      cmocka_unit_test(info_and_check_read_a_robot_of_new_kinds),
      cmocka_unit_test(a_scenario_runs_a_nut_down_its_thread),
      cmocka_unit_test(generated_code_agrees_with_the_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
