/* Compiled dynamics, from the outside. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/run.h"
#include "support/bounds.h"

static char cache[64];

static int set_up(void **state)
{
  (void)state;
  strcpy(cache, "/tmp/pronk-compiled-XXXXXX");
  return mkdtemp(cache) == NULL || setenv("PRONK_CACHE", cache, 1) != 0;
}

static int tear_down(void **state)
{
  (void)state;
  chmod(cache, 0700);
  return !pki_folder_remove(cache);
}

static const char *text(const cJSON *object, const char *key)
{
  const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
  return value != NULL ? value : "";
}

static double number(const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem(object, key);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static void a_run_says_which_dynamics_it_had(void **state)
{
  (void)state;
  cJSON *generic = run_json("run starleth-trot --duration 0.5 -n --json", 0);
  assert_string_equal(text(generic, "dynamics"), "generic");
  cJSON *compiled = run_json("run starleth-trot --duration 0.5 -n --compiled --json", 0);
  assert_string_equal(text(compiled, "dynamics"), "compiled");
  assert_null(cJSON_GetObjectItem(compiled, "not_compiled"));
  /* the same robot, up to rounding that half a second of a trot lets grow */
  const double apart = number(generic, "distance") - number(compiled, "distance");
  assert_less(apart, 1e-6);
  assert_greater(apart, -1e-6);
  cJSON *again = run_json("run starleth-trot --duration 0.5 -n --set dynamics=compiled --json", 0);
  assert_true(number(again, "distance") == number(compiled, "distance"));
  cJSON_Delete(generic);
  cJSON_Delete(compiled);
  cJSON_Delete(again);
  run_result r = run("run starleth-trot --duration 0.1 -n --compiled");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "dynamics") && contains(r.out, "compiled"));
  assert_string_equal(r.err, ""); /* no terminal: nobody waits for news */
  run_free(&r);
}

static void without_a_compiler_it_runs_and_says_so(void **state)
{
  (void)state;
  setenv("PRONK_CC", "no-such-compiler", 1);
  run_result r = run("run starleth-trot --duration 0.1 -n --compiled");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "pronk run: warning: dynamics are generic: compiler: the C compiler "
                              "\"no-such-compiler\", which PRONK_CC asks for, is not there"));
  assert_true(contains(r.out, "generic: compiler: the C compiler \"no-such-compiler\""));
  run_free(&r);
  cJSON *o = run_json("batch starleth-rough -w 2 --duration 0.1 -n --compiled --json", 0);
  assert_string_equal(text(o, "dynamics"), "generic");
  assert_true(contains(text(o, "not_compiled"), "no-such-compiler"));
  cJSON_Delete(o);
  unsetenv("PRONK_CC");
}

static void a_replay_of_a_compiled_world_is_compiled_and_goes_its_way(void **state)
{
  (void)state;
  cJSON *o = run_json("batch starleth-rough --worlds 3 --duration 0.5 -n --compiled --json --set "
                      "'vary=[{what: friction, from: 0.5, to: 1}, {what: yaw, from: -3, to: 3}]'",
                      0);
  assert_string_equal(text(o, "dynamics"), "compiled");
  assert_true(number(o, "generic_worlds") == 0);
  const cJSON *distance = cJSON_GetObjectItem(o, "distance"), *replay = cJSON_GetObjectItem(o, "replay");
  double least = 1e9, most = 0;
  for (int i = 0; i < 3; i++) {
    char line[1200];
    const char *command = cJSON_GetStringValue(cJSON_GetArrayItem(replay, i));
    assert_true(contains(command, "dynamics=compiled"));
    snprintf(line, sizeof line, "%s --json", command + strlen("pronk "));
    cJSON *alone = run_json(line, 0);
    assert_string_equal(text(alone, "dynamics"), "compiled");
    least = number(alone, "distance") < least ? number(alone, "distance") : least;
    most = number(alone, "distance") > most ? number(alone, "distance") : most;
    cJSON_Delete(alone);
  }
  assert_true(least == number(distance, "least") && most == number(distance, "most"));
  cJSON_Delete(o);
}

static void worlds_with_masses_of_their_own_are_compiled(void **state)
{
  (void)state;
  cJSON *o = run_json("batch starleth-rough -w 3 --duration 0.2 -n --compiled --json", 0);
  assert_true(number(o, "generic_worlds") == 0);
  const cJSON *distance = cJSON_GetObjectItem(o, "distance");
  double most = 0;
  for (int k = 0; k < 3; k++) {
    char line[160];
    snprintf(line, sizeof line, "run starleth-rough --compiled --set world=%d --duration 0.2 -n --json", k);
    cJSON *alone = run_json(line, 0);
    assert_string_equal(text(alone, "dynamics"), "compiled");
    most = number(alone, "distance") > most ? number(alone, "distance") : most;
    cJSON_Delete(alone);
  }
  assert_true(most == number(distance, "most"));
  cJSON_Delete(o);
}

static void a_compiled_run_goes_on_with_its_own_code_alone(void **state)
{
  (void)state;
  cJSON *whole = run_json("run starleth-trot --compiled --duration 1 -o compiled-whole --json", 0);
  cJSON_Delete(run_json(
      "run starleth-trot --compiled --duration 0.5 --checkpoint-every 0.5 -o compiled-half --json", 0));
  setenv("PRONK_CC", "no-such-compiler", 1);
  run_result r = run("run --resume compiled-half --duration 1");
  assert_int_equal(r.status, 2);
  assert_true(
      contains(r.err, "the checkpoint was written with compiled dynamics, this run has generic ones"));
  run_free(&r);
  unsetenv("PRONK_CC");
  cJSON *rest = run_json("run --resume compiled-half --duration 1 --json", 0);
  assert_string_equal(text(rest, "dynamics"), "compiled");
  assert_true(number(rest, "distance") == number(whole, "distance"));
  cJSON_Delete(rest);
  cJSON_Delete(whole);
  r = run("run --resume compiled-half --compiled");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--compiled cannot change it"));
  run_free(&r);
}

static void models_that_are_not_compiled_run_all_the_same(void **state)
{
  (void)state;
  run_result r = run("run starleth-trot --duration 0.05 -n --compiled --set coordinates=maximal");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "models with loops or cut joints are not compiled"));
  run_free(&r);
  r = run("run starleth-trot -n --set dynamics=compield");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "did you mean \"compiled\"?"));
  run_free(&r);
}

static void a_cache_that_is_not_safe_is_not_used(void **state)
{
  (void)state;
  assert_int_equal(chmod(cache, 0777), 0);
  run_result r = run("run starleth-trot --duration 0.05 -n --compiled");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "others may write into the cache folder"));
  run_free(&r);
  assert_int_equal(chmod(cache, 0700), 0);
}

int main(void)
{
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  unsetenv("PRONK_CC");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_says_which_dynamics_it_had),
      cmocka_unit_test(without_a_compiler_it_runs_and_says_so),
      cmocka_unit_test(a_replay_of_a_compiled_world_is_compiled_and_goes_its_way),
      cmocka_unit_test(worlds_with_masses_of_their_own_are_compiled),
      cmocka_unit_test(a_compiled_run_goes_on_with_its_own_code_alone),
      cmocka_unit_test(models_that_are_not_compiled_run_all_the_same),
      cmocka_unit_test(a_cache_that_is_not_safe_is_not_used),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
