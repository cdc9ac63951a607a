/* pronk batch, from the outside. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"
#include "support/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double number(const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem(object, key);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

/* The commands that it prints run the same worlds. */
static void a_replay_goes_the_way_of_its_world(void **state)
{
  (void)state;
  cJSON *o = run_json("batch starleth-rough --worlds 3 --duration 0.5 -o batch-out --json", 0);
  assert_true(number(o, "worlds") == 3 && number(o, "steps") == 600 && number(o, "frozen") == 0);
  assert_true(number(o, "uncertified_steps") == 0);
  assert_at_most(number(o, "worst_residual"), 1e-6);
  const cJSON *distance = cJSON_GetObjectItem(o, "distance"), *replay = cJSON_GetObjectItem(o, "replay");
  assert_int_equal(cJSON_GetArraySize(replay), 3);
  double least = 1e9, most = 0;
  for (int i = 0; i < 3; i++) {
    char line[1200];
    const char *command = cJSON_GetStringValue(cJSON_GetArrayItem(replay, i));
    assert_int_equal(strncmp(command, "pronk ", 6), 0);
    snprintf(line, sizeof line, "%s --json", command + 6); /* as it stands, duration and folder too */
    cJSON *alone = run_json(line, 0);
    least = number(alone, "distance") < least ? number(alone, "distance") : least;
    most = number(alone, "distance") > most ? number(alone, "distance") : most;
    cJSON_Delete(alone);
  }
  assert_true(least == number(distance, "least") && most == number(distance, "most"));
  cJSON_Delete(o);
  assert_true(access("batch-out/worlds.csv", F_OK) == 0 && access("batch-out/report.html", F_OK) == 0);
}

static void a_person_sees_a_table_and_commands(void **state)
{
  (void)state;
  run_result r = run("batch starleth-rough -w 2 --duration 0.1 -n --lanes 4 --threads 1");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "worlds") && contains(r.out, "2 for 0.1 s") &&
              contains(r.out, "4 lanes, 1 thread"));
  assert_true(contains(r.out, "--set world=0") && contains(r.out, "--set world=1"));
  assert_false(contains(r.out, "Report"));
  run_free(&r);
}

static void worlds_that_stop_early_are_a_failure(void **state)
{
  (void)state;
  run_result r = run("batch starleth-rough -w 2 --duration 0.5 -n --set step.max_contacts=1");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "pronk batch: 2 worlds stopped early"));
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"batch", "name one scenario (pronk list scenarios shows them), or a robot with --model FILE"},
      {"batch starleth-rouhg", "did you mean 'starleth-rough'?"},
      {"batch starleth-rough --worlds 0", "--worlds"},
      {"batch starleth-rough --worlds 1.5", "--worlds is no whole number"},
      {"batch starleth-rough --lanes 3", "--lanes is neither 1, 4 nor 8"},
      {"batch starleth-rough -n -o x", "--output and --no-output exclude each other"},
      {"batch starleth-rough --set world=3", "a batch has all worlds: leave `world` out"},
      {"batch starleth-rough --set vary.4.to=40", "where not all of it has ground below"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i][0]);
    if (r.status != 2 || !contains(r.err, cases[i][1])) {
      fail_msg("pronk %s: %d, %s", cases[i][0], r.status, r.err);
    }
    run_free(&r);
  }
}

static int set_up(void **state)
{
  (void)state;
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  return 0;
}

static int clean(void **state)
{
  (void)state;
  return system("rm -rf batch-out") != 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_replay_goes_the_way_of_its_world),
      cmocka_unit_test(a_person_sees_a_table_and_commands),
      cmocka_unit_test(worlds_that_stop_early_are_a_failure),
      cmocka_unit_test(wrong_usage_is_told),
  };
  return cmocka_run_group_tests(tests, set_up, clean);
}
