/* Pushes of scenarios: shapes over time, torques, axes and tables, by the momentum that they leave. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */
#include <math.h>
#include <unistd.h>

#include "scenario/help.h"
#include "scenario/wrong.h"
#include "support/bounds.h"

static const double PI = 3.14159265358979323846;

#define BOX \
  "gravity: [0, 0, 0]\nduration: 1\n" \
  "objects:\n  - {name: box, shape: box, size: [0.2, 0.2, 0.2], mass: 2, rpy: [0, 0, 1.5707963267948966]}\n"
#define TABLE "push-table.csv"

/* Linear and angular velocity of the box after the run, its own axes for the second. */
static void run_box(const char *push, double u[6])
{
  char text[1024];
  snprintf(text, sizeof text, BOX "push:\n%s", push);
  pki_scenario *s = good_scenario(text, NULL);
  pki_world world = good_world(s);
  for (int k = 0; k < 1000; k++) {
    assert_int_equal(pki_world_step(&world, NULL), PK_OK);
  }
  memcpy(u, pk_sim_u(world.sim), 6 * sizeof *u);
  pki_world_free(&world);
  pki_scenario_destroy(s);
}

/* F T all along; 2/pi F T for a half sine: the steps' middles are a midpoint rule, right to (dt/T)^2. */
static void the_impulse_is_the_integral_of_the_shape(void **state)
{
  (void)state;
  double u[6];
  run_box("  - {link: box, at: 0.1, for: 0.2, force: [3, 0, 5]}\n", u);
  assert_near(u[0], 3 * 0.2 / 2, 1e-12);
  assert_near(u[2], 5 * 0.2 / 2, 1e-12);
  run_box("  - {link: box, at: 0.1, for: 0.2, force: [3, 0, 0], shape: half-sine}\n", u);
  assert_near(u[0], 2 / PI * 3 * 0.2 / 2, 1e-5);
  run_box("  - {link: box, at: 0.5, force: [0, 4, 0]}\n", u); /* to the end */
  assert_near(u[1], 4 * 0.5 / 2, 1e-12);
}

/* A cube of 2 kg and 0.2 m has a moment of 2 0.04/6. */
static void a_torque_turns_and_axes_may_be_the_link_s(void **state)
{
  (void)state;
  double u[6];
  run_box("  - {link: box, at: 0, for: 0.1, torque: [0, 0, 0.3]}\n", u);
  assert_near(u[5], 0.3 * 0.1 / (2 * 0.04 / 6), 1e-9);
  assert_near(u[0], 0, 1e-12);
  /* the box is a quarter turn about z: its x is the world's y */
  run_box("  - {link: box, at: 0, for: 0.1, force: [3, 0, 0], axes: link}\n", u);
  assert_near(u[0], 0, 1e-12);
  assert_near(u[1], 3 * 0.1 / 2, 1e-12);
}

/* A table is linear between its lines, begins with the push, and ends it. */
static void a_table_s_impulse_is_its_integral(void **state)
{
  (void)state;
  double u[6];
  FILE *f = fopen(TABLE, "w");
  assert_non_null(f);
  fputs("# a gust\ntime, fy, tz\n0, 0, 0\n0.1, 20, 0.4\n0.3, 0, 0\n", f);
  fclose(f);
  char folder[256], push[512];
  assert_non_null(getcwd(folder, sizeof folder));
  snprintf(push, sizeof push, "  - {link: box, at: 0.2, file: %s/" TABLE "}\n", folder);
  run_box(push, u);
  assert_near(u[1], 0.5 * 20 * 0.3 / 2, 1e-9);
  assert_near(u[5], 0.5 * 0.4 * 0.3 / (2 * 0.04 / 6), 1e-9);
  snprintf(push, sizeof push, "  - {link: box, at: 0.2, for: 0.1, file: %s/" TABLE "}\n", folder);
  run_box(push, u); /* cut short at its peak */
  assert_near(u[1], 0.5 * 20 * 0.1 / 2, 1e-9);
  remove(TABLE);
}

static void wrong_pushes_are_told(void **state)
{
  (void)state;
  static const wrong cases[] = {
      {BOX "push:\n  - {link: box, at: 1}\n", 6, "push.0",
       "a push has no force: give `force`, `torque` or `file`"},
      {BOX "push:\n  - {link: box, at: 0, force: [1, 0, 0], shape: half-sine}\n", 6, "push.0",
       "a half sine has no end: give `for`"},
      {BOX "push:\n  - {link: box, at: 0, force: [1, 0, 0], axes: body}\n", 6, "push.0.axes",
       "axes is \"body\", expected one of world, link"},
      {BOX "push:\n  - {link: box, at: 0, file: nowhere.csv}\n", 6, "push.0.file",
       "there is no file \"nowhere.csv\""},
      {BOX "push:\n  - {link: box, at: 0, file: walkman/squat.csv, force: [1, 0, 0]}\n", 6, "push.0.force",
       "force stands beside a file, which has the forces: leave one of them out"},
  };
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
}

/* Lines of a table that are wrong, by their message. */
static void wrong_tables_are_told_with_their_line(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line;
    const char *message;
  } cases[] = {
      {"fx, time\n", 1, "found \"fx\", expected \"time\" and some of fx, fy, fz, tx, ty, tz"},
      {"time, fw\n", 1, "a column \"fw\", expected some of fx, fy, fz, tx, ty, tz"},
      {"time, fx, fx\n", 1, "a second column \"fx\", expected some of fx, fy, fz, tx, ty, tz"},
      {"time\n", 1, "no column follows \"time\", expected some of fx, fy, fz, tx, ty, tz"},
      {"time, fx\n0, 1\n0, 2\n", 3, "the time is 0 s, expected more than in the line before"},
      {"time, fx\n-1, 1\n", 2, "the time is -1 s, expected zero or more"},
      {"time, fx\n0, 1, 2\n", 2, "2 values, expected 1: one for each column"},
      {"time, fx\n0, much\n", 2, "found \"much\", expected a number"},
      {"time, fx\n0, 1\n", 3, "the file has 1 lines with a time, expected two at least"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_push_table t;
    pk_error err = {0};
    FILE *f = fopen(TABLE, "w");
    assert_non_null(f);
    fputs(cases[i].text, f);
    fclose(f);
    assert_int_equal(pki_push_table_load(TABLE, &t, &err), PK_ERROR_SYNTAX);
    assert_string_equal(err.message, cases[i].message);
    assert_int_equal(err.line, cases[i].line);
    pki_push_table_free(&t);
    remove(TABLE);
  }
}

int main(void)
{
  char folder[] = "/tmp/pronk-pushes-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return 1;
  }
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_impulse_is_the_integral_of_the_shape),
      cmocka_unit_test(a_torque_turns_and_axes_may_be_the_link_s),
      cmocka_unit_test(a_table_s_impulse_is_its_integral),
      cmocka_unit_test(wrong_pushes_are_told),
      cmocka_unit_test(wrong_tables_are_told_with_their_line),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)rmdir(folder);
  return failed;
}
