/* pronk list motors, pronk info motors/NAME, pronk check of motors. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"
#include "support/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const cJSON *object, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsNumber(item)) {
    fail_msg("%s is no number", name);
    return 0;
  }
  return item->valuedouble;
}

static bool is_null(const cJSON *object, const char *name)
{
  return cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void the_list_has_voltage_torque_speed_and_mass(void **state)
{
  (void)state;
  run_result r = run("list motors");
  assert_int_equal(r.status, 0);
  char head[160];
  snprintf(head, sizeof head, "%.*s", (int)strcspn(r.out, "\n"), r.out);
  static const char *const words[] = {"motors", "what", "V", "N m", "rad/s", "kg"};
  const char *at = head;
  for (size_t i = 0; i < sizeof words / sizeof words[0] && at != NULL; i++) {
    at = strstr(at, words[i]);
  }
  assert_true(at != NULL);
  assert_true(contains(r.out, "24   2.424  794.7   0.48\n"));
  run_free(&r);
  cJSON *o = run_json("list motors --json", 0);
  const cJSON *item;
  int found = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(o, "items"))
  {
    if (strcmp(cJSON_GetObjectItem(item, "name")->valuestring, "coman-drive") == 0) {
      found++;
      assert_near(number(item, "voltage"), 24, 1e-12);
      assert_near(number(item, "torque"), 41, 1e-9);
      assert_near(number(item, "speed"), 24 / 4.1, 1e-9);
      assert_true(is_null(item, "mass"));
    }
  }
  assert_int_equal(found, 1);
  cJSON_Delete(o);
}

/* N K V/R is 148.193 N m at standstill, N K 10 A = 41 N m; the voltage's line meets it at (24 - 6.64)/4.1 rad/s, which
 * is 43.4 of 59 columns, and ends at 24/4.1 rad/s. */
static void a_person_sees_numbers_what_follows_and_the_line(void **state)
{
  (void)state;
  run_result r = run("info motors/coman-drive");
  assert_int_equal(r.status, 0);
  static const char *const parts[] = {
      "\n  resistance      0.664  ohm        R at 25 degrees C\n",
      "\n  not known: friction, continuous_current, winding_resistance, ",
      "\n  speed at no load                      5.854  rad/s\n",
      "\n  torque at standstill, by voltage      148.2  N m\n",
      "\n  largest torque                           41  N m\n",
      "\n  up to                                 4.234  rad/s\n",
      "\n  largest power                         173.6  W\n",
      "\n  inertia at the output                0.1387  kg m²\n",
      "\n  electrical time constant L/R      0.0004819  s\n",
      "\n  mechanical time constant J R/K²    0.005479  s\n",
      "\n  N m\n     57.4 ┤                                    .\n",
      /* the row of 41 N m: 44 columns of what it can do, then the limit of current alone */
      "\n          │********************************************................\n",
      "\n        0 ┤                                                           *\n",
      "\n           0                                                      5.854 rad/s\n",
      "\n  Sources\n    all: RBE1211_CSD17_CoMan_drive.m",
  };
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (!contains(r.out, parts[i])) {
      fail_msg("there is no %s in\n%s", parts[i], r.out);
    }
  }
  run_free(&r);
}

static void a_program_gets_values_what_follows_and_what_was_published(void **state)
{
  (void)state;
  cJSON *o = run_json("info maxon-re40 --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "motor")->valuestring, "maxon-re40");
  assert_string_equal(cJSON_GetObjectItem(o, "kind")->valuestring, "dc");
  const cJSON *values = cJSON_GetObjectItem(o, "values"), *derived = cJSON_GetObjectItem(o, "derived");
  assert_near(number(values, "resistance"), 0.299, 1e-15);
  assert_near(number(values, "gear"), 1, 0);
  assert_true(is_null(values, "current"));
  assert_near(number(derived, "no_load_speed"), 24 / 0.0302, 1e-9);
  assert_near(number(derived, "stall_torque"), 0.0302 * 24 / 0.299, 1e-12);
  assert_near(number(derived, "power"), 24.0 * 24 / (4 * 0.299), 1e-9);
  assert_true(is_null(derived, "current_torque"));
  assert_near(number(cJSON_GetObjectItem(o, "published"), "no_load_speed"), 794, 0);
  cJSON_Delete(o);
}

static void a_motor_without_a_voltage_has_no_picture(void **state)
{
  (void)state;
  run_result r = run("info motors/erob80-50");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "\n  Its line is not drawn: its voltage is not known.\n"));
  assert_true(!contains(r.out, "nan"));
  run_free(&r);
  r = run("check motors/erob80-50");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "erob80-50.yaml: ok\n  ZeroErr eRob80, 50:1, of ZeroErr: kind dc\n"));
  run_free(&r);
}

/* The example of docs/formats/motor.md, as it stands there: the lines after "    # my-motor.yaml". */
static void write_example(const char *path)
{
  FILE *page = fopen(PK_SOURCE_DIR "/docs/formats/motor.md", "r"), *file = fopen(path, "w");
  char line[512];
  bool on = false;
  int count = 0;
  while (page != NULL && file != NULL && fgets(line, sizeof line, page) != NULL) {
    on = on ? strncmp(line, "    ", 4) == 0 || line[0] == '\n' : contains(line, "    # my-motor.yaml");
    if (on) {
      fputs(line[0] == '\n' ? line : line + 4, file);
      count++;
    } else if (count > 0) {
      break;
    }
  }
  if (page == NULL || file == NULL) {
    fail_msg("the page or the example cannot be opened");
    return;
  }
  fclose(page);
  fclose(file);
  assert_greater(count, 8);
}

static void the_example_of_the_page_is_read_from_its_path(void **state)
{
  (void)state;
  write_example("my-motor.yaml");
  run_result r = run("check my-motor.yaml");
  if (r.status != 0) {
    fail_msg("%s%s", r.out, r.err);
  }
  run_free(&r);
  cJSON *o = run_json("info my-motor.yaml --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "motor")->valuestring, "my-motor");
  const cJSON *derived = cJSON_GetObjectItem(o, "derived");
  /* what the page says of it */
  assert_near(number(derived, "no_load_speed"), 30, 1e-9);
  assert_near(number(derived, "peak_torque"), 7.2, 1e-9);
  assert_near(number(derived, "armature"), 0.005, 1e-9);
  cJSON_Delete(o);
  remove("my-motor.yaml");
}

static void everything_that_is_wrong_with_a_file_is_told(void **state)
{
  (void)state;
  write_file("bad-motor.yaml",
             "name: a\nmaker: b\nkind: dc\nresistence: 1\nconstant: 1\ninertia: 1\ngear: 0\n");
  run_result r = run("check bad-motor.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out,
                       "bad-motor.yaml:4: error: resistence: there is no key \"resistence\"; did you mean "
                       "\"resistance\"?"));
  assert_true(contains(r.out, "bad-motor.yaml:7: error: gear: gear is 0, expected 1e-06 to 1e+06"));
  assert_true(contains(r.out, "bad-motor.yaml: not ok, 3 errors\n"));
  run_free(&r);
  cJSON *o = run_json("check bad-motor.yaml --json", 2);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "errors")), 3);
  cJSON_Delete(o);
  r = run("info bad-motor.yaml");
  assert_int_equal(r.status, 2);
  run_free(&r);
  remove("bad-motor.yaml");
}

static void an_unknown_motor_gets_the_nearest_name(void **state)
{
  (void)state;
  run_result r = run("info motors/maxon-re4");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "did you mean 'maxon-re40'?"));
  run_free(&r);
}

int main(void)
{
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_list_has_voltage_torque_speed_and_mass),
      cmocka_unit_test(a_person_sees_numbers_what_follows_and_the_line),
      cmocka_unit_test(a_program_gets_values_what_follows_and_what_was_published),
      cmocka_unit_test(a_motor_without_a_voltage_has_no_picture),
      cmocka_unit_test(the_example_of_the_page_is_read_from_its_path),
      cmocka_unit_test(everything_that_is_wrong_with_a_file_is_told),
      cmocka_unit_test(an_unknown_motor_gets_the_nearest_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
