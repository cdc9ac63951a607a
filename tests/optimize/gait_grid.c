/* Grids of gait files: their axes, their cells, their table. */
#define _XOPEN_SOURCE 700 /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/folders.h"
#include "optimize/files/gait_grid.h"
#include "support/bounds.h"

static pki_gait_grid good_grid(const char *first, const char *second)
{
  pki_gait_grid grid = {0};
  pk_error err = {.message = ""};
  if (pki_gait_grid_add(&grid, first, &err) != PK_OK ||
      (second != NULL && pki_gait_grid_add(&grid, second, &err) != PK_OK) ||
      pki_gait_grid_finish(&grid, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return grid;
}

static void the_last_key_changes_fastest(void **state)
{
  (void)state;
  static const char *const folders[] = {"trot_0.2", "trot_0.5", "trot_0.8",
                                        "walk_0.2", "walk_0.5", "walk_0.8"};
  pki_gait_grid g = good_grid("gait.pattern=trot,walk", "speed=0.2:0.8:3");
  char text[96];
  assert_int_equal(g.count, 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(g.cells[i].folder, folders[i]);
    assert_int_equal(pki_gait_grid_at(&g, i, 0), i / 3);
    assert_int_equal(pki_gait_grid_at(&g, i, 1), i % 3);
  }
  assert_near(g.axes[1].value[1], 0.5, 1e-12);
  assert_true(isnan(g.axes[0].value[0]));
  pki_gait_grid_set(&g, 4, 1, text, sizeof text);
  assert_string_equal(text, "speed=0.5");
  pki_gait_grid_label(&g, 4, -1, text, sizeof text);
  assert_string_equal(text, "walk, speed 0.5");
  pki_gait_grid_label(&g, 4, 1, text, sizeof text);
  assert_string_equal(text, "walk");
  assert_int_equal(pki_gait_grid_line(&g), 1);
  pki_gait_grid_free(&g);
}

static void long_values_have_folders_of_their_own(void **state)
{
  (void)state;
  pki_gait_grid g = good_grid("name=aaaaaaaaaaaaaaaaaaaaaaaaX,aaaaaaaaaaaaaaaaaaaaaaaaY,a/b", NULL);
  assert_string_not_equal(g.cells[0].folder, g.cells[1].folder);
  assert_string_equal(g.cells[2].folder, "a-b");
  assert_int_equal(pki_gait_grid_line(&g), -1);
  pki_gait_grid_free(&g);
}

static void the_best_is_the_solved_one_of_least_objective(void **state)
{
  (void)state;
  pki_gait_grid g = good_grid("gait.pattern=trot,walk", "speed=1,2");
  const double objective[4] = {5, 7, 3, 9};
  for (int i = 0; i < 4; i++) {
    g.cells[i].solved = i != 2;
    g.cells[i].objective = objective[i];
  }
  assert_int_equal(pki_gait_grid_best(&g, 1, 0), 0);
  assert_int_equal(pki_gait_grid_best(&g, 1, 1), 1);
  assert_int_equal(pki_gait_grid_best(&g, -1, 0), 0);
  g.cells[0].solved = false;
  assert_int_equal(pki_gait_grid_best(&g, 1, 0), -1);
  pki_gait_grid_free(&g);
}

static void wrong_axes_are_told(void **state)
{
  (void)state;
#define EXPECTED "expected KEY=A,B,... or KEY=LOW:HIGH:COUNT, as gait.pattern=trot,walk or speed=0.2:0.8:4"
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"speed", "'speed': " EXPECTED},
      {"=1", "'=1': " EXPECTED},
      {"speed=", "'speed=': " EXPECTED},
      {"speed=1,,2", "speed has an empty value, " EXPECTED},
      {"speed=0:1:1", "speed: expected finite bounds and a whole COUNT from 2 to 256"},
      {"speed=0:1:2.5", "speed: expected finite bounds and a whole COUNT from 2 to 256"},
      {"period=2", "period comes twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_gait_grid g = {0};
    pk_error err = {.message = ""};
    assert_int_equal(pki_gait_grid_add(&g, "period=1", &err), PK_OK);
    assert_int_not_equal(pki_gait_grid_add(&g, cases[i].text, &err), PK_OK);
    assert_string_equal(err.message, cases[i].message);
    pki_gait_grid_free(&g);
  }
}

static void the_table_has_a_row_for_each_problem(void **state)
{
  (void)state;
  pki_gait_grid g = good_grid("gait.pattern=trot,walk", "speed=1,2");
  char folder[PKI_PATH_MAX], path[PKI_PATH_MAX];
  pk_error err = {.message = ""};
  size_t size;
  assert_int_equal(pki_temporary_folder(NULL, "grid", "the test", folder, &err), PK_OK);
  g.cells[1] =
      (pki_gait_cell){.folder = "trot_2", .found = true, .solved = true, .objective = 4, .period = 0.5};
  g.cells[1].figures.stability = NAN;
  snprintf(g.cells[3].told, sizeof g.cells[3].told, "a \"row\"");
  assert_true(pki_path_join(path, folder, "grid.csv"));
  assert_int_equal(pki_gait_grid_csv_save(&g, path, &err), PK_OK);
  char *text = pki_file_read(path, 1 << 20, &size);
  assert_non_null(text);
  assert_non_null(strstr(text, "gait.pattern,speed,solved,objective,"));
  assert_non_null(strstr(text, "\ntrot,2,1,4,0,0,0,0.5,0,0,0,,0,0,0,trot_2,\"\"\n"));
  assert_non_null(strstr(text, ",walk_2,\"a \"\"row\"\"\"\n"));
  free(text);
  assert_true(pki_path_join(path, folder, "report.html"));
  assert_int_equal(pki_gait_grid_report_save(&g, "four", "about", path, &err), PK_OK);
  text = pki_file_read(path, 1 << 24, &size);
  assert_non_null(text);
  assert_non_null(strstr(text, "The best of each"));
  free(text);
  pki_folder_remove(folder);
  pki_gait_grid_free(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_key_changes_fastest),
      cmocka_unit_test(long_values_have_folders_of_their_own),
      cmocka_unit_test(the_best_is_the_solved_one_of_least_objective),
      cmocka_unit_test(wrong_axes_are_told),
      cmocka_unit_test(the_table_has_a_row_for_each_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
