/* `pronk bench`: exit status, table, JSON and pages. */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "base/file.h"
#include "bench/bench.h"
#include "support/bounds.h"

/* Run the command and keep what it printed. */
static int run_bench(int argc, const char *const *words, char *text, size_t size)
{
  char *argv[8];
  for (int i = 0; i < argc; i++) {
    argv[i] = (char *)words[i];
  }
  FILE *out = tmpfile();
  assert_non_null(out);
  const int code = pki_bench_main(argc, argv, out);
  rewind(out);
  text[fread(text, 1, size - 1, out)] = '\0';
  fclose(out);
  return code;
}

static void help_shows_an_example(void **state)
{
  (void)state;
  char text[8192];
  assert_int_equal(run_bench(2, (const char *[]){"bench", "--help"}, text, sizeof text), 0);
  assert_non_null(strstr(text, "Example: pronk bench dynamics"));
  assert_non_null(strstr(text, "--json"));
}

static void wrong_usage_is_status_two(void **state)
{
  (void)state;
  char text[8192];
  assert_int_equal(run_bench(2, (const char *[]){"bench", "dynamic"}, text, sizeof text), 2);
  assert_int_equal(run_bench(3, (const char *[]){"bench", "dynamics", "--jsn"}, text, sizeof text), 2);
  assert_int_equal(run_bench(3, (const char *[]){"bench", "dynamics", "--work"}, text, sizeof text), 2);
  assert_int_equal(
      run_bench(4, (const char *[]){"bench", "dynamics", "--work", "no such work"}, text, sizeof text), 2);
}

static void a_work_is_chosen_by_part_of_its_name_but_not_of_its_number(void **state)
{
  (void)state;
  const pki_bench_options options = {.work = "chain-10"};
  assert_true(pki_bench_wants(&options, "aba chain-10"));
  assert_false(pki_bench_wants(&options, "aba chain-100"));
  assert_false(pki_bench_wants(&options, "aba coman"));
  assert_true(pki_bench_wants(&(pki_bench_options){.work = "chain"}, "aba chain-100"));
  assert_true(pki_bench_wants(&(pki_bench_options){.work = NULL}, "aba coman"));
}

static void json_has_the_promised_fields(void **state)
{
  (void)state;
  char text[32768];
  const char *const words[] = {"bench", "dynamics", "--quick", "--json", "--work", "aba chain-10"};
  assert_int_equal(run_bench(6, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  assert_string_equal(cJSON_GetObjectItem(root, "bench")->valuestring, "dynamics");
  assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "machine"), "cpu"));
  const cJSON *results = cJSON_GetObjectItem(root, "results"), *result;
  int found = 0, compiled = 0;
  cJSON_ArrayForEach(result, results)
  {
    static const char *const numbers[] = {"lanes", "threads",   "median",  "spread",
                                          "ratio", "per_robot", "per_link"};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, numbers[k])));
    }
    assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "us/call");
    const bool is_compiled =
        strcmp(cJSON_GetObjectItem(result, "engine")->valuestring, "pronk compiled") == 0;
    if (!is_compiled) {
      assert_string_equal(cJSON_GetObjectItem(result, "engine")->valuestring, "pronk");
    } else {
      assert_less(cJSON_GetObjectItem(result, "agreement")->valuedouble, 1e-12);
      compiled += cJSON_GetObjectItem(result, "lanes")->valueint;
    }
    found += strcmp(cJSON_GetObjectItem(result, "work")->valuestring, "aba chain-10") == 0;
  }
  assert_at_least(found, 1);
  assert_int_equal(compiled, 1 + 4);
  cJSON_Delete(root);
}

static void without_a_compiler_a_note_stands_for_compiled_rows(void **state)
{
  (void)state;
  char text[32768];
  const char *const words[] = {"bench", "dynamics", "--quick", "--work=rnea chain-10"};
  setenv("PRONK_CC", "/nowhere/cc", 1);
  assert_int_equal(run_bench(4, words, text, sizeof text), 0);
  unsetenv("PRONK_CC");
  assert_non_null(strstr(text, "Note: pronk compiled with 1 lane left out on chain-10: "));
  assert_null(strstr(text, "pronk compiled 0"));
}

static void the_table_names_work_and_engine(void **state)
{
  (void)state;
  char text[32768];
  const char *const words[] = {"bench", "dynamics", "--quick", "--work=rnea starleth"};
  assert_int_equal(run_bench(4, words, text, sizeof text), 0);
  assert_non_null(strstr(text, "\nrnea starleth"));
  assert_non_null(strstr(text, "pronk "));
  assert_null(strstr(text, "coman"));
}

static void optimize_has_the_promised_fields(void **state)
{
  (void)state;
  char text[32768];
  const char *const words[] = {"bench", "optimize", "--quick", "--work=dynamics ur10", "--json"};
  assert_int_equal(run_bench(5, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  const cJSON *results = cJSON_GetObjectItem(root, "results"), *result;
  assert_int_equal(cJSON_GetArraySize(results), 3);
  cJSON_ArrayForEach(result, results)
  {
    static const char *const numbers[] = {"median",     "spread",  "ratio",
                                          "operations", "entries", "ns_per_operation"};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      assert_greater(cJSON_GetObjectItem(result, numbers[k])->valuedouble, k == 1 ? -1 : 0);
    }
    assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "us/point");
  }
  /* a force for each of six joints; 6 forces by 18 numbers, less those that are zero by structure */
  assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(results, 0), "entries")->valueint, 6);
  assert_at_most(cJSON_GetObjectItem(cJSON_GetArrayItem(results, 1), "entries")->valueint, 6 * 18);
  cJSON_Delete(root);
}

static void contact_has_the_promised_fields(void **state)
{
  (void)state;
  char text[32768];
  const char *const words[] = {"bench", "contact", "--quick", "--json", "--work", "stand 2.5ms"};
  assert_int_equal(run_bench(6, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  assert_string_equal(cJSON_GetObjectItem(root, "bench")->valuestring, "contact");
  const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "results"), 0);
  assert_non_null(result);
  static const char *const numbers[] = {"lanes",   "threads",          "median",  "spread",
                                        "sink_mm", "drift_um_per_min", "residual"};
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, numbers[k])));
  }
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(result, "creep_um_per_s"))); /* there is no slope */
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(result, "fell")));
  assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "steps/s");
  assert_string_equal(cJSON_GetObjectItem(result, "config")->valuestring, "auto 1e-8");
  cJSON_Delete(root);
}

/* The first result by an engine with so many lanes. */
static const cJSON *find_result(const cJSON *root, const char *engine, int lanes)
{
  const cJSON *result;
  cJSON_ArrayForEach(result, cJSON_GetObjectItem(root, "results"))
  {
    if (strcmp(cJSON_GetObjectItem(result, "engine")->valuestring, engine) == 0 &&
        cJSON_GetObjectItem(result, "lanes")->valueint == lanes) {
      return result;
    }
  }
  return NULL;
}

/* What a file holds, NUL at its end. */
static void read_text(const char *path, char *text, size_t size)
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static void batch_has_the_promised_fields_and_a_page(void **state)
{
  (void)state;
  static char text[1 << 20];
  char folder[] = "/tmp/pronk-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  const char *const words[] = {"bench",    "batch", "--quick", "--json", "--work", "16 worlds 1 thread",
                               "--report", folder};
  assert_int_equal(run_bench(8, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  assert_string_equal(cJSON_GetObjectItem(root, "bench")->valuestring, "batch");
  assert_greater(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "core"), "peak_gflops")->valuedouble, 0);
  static const int lanes[] = {1, 4, 8};
  for (int l = 0; l < 3; l++) {
    const cJSON *result = find_result(root, "pronk", lanes[l]);
    assert_non_null(result);
    static const char *const numbers[] = {"threads",         "median",         "spread",      "worlds",
                                          "steps",           "residual",       "uncertified", "alone",
                                          "bytes_per_world", "cycles_per_step"};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, numbers[k])));
    }
    assert_string_equal(cJSON_GetObjectItem(result, "work")->valuestring, "trot 16 worlds 1 thread");
    assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "robot-steps/s");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(result, "fell")));
    assert_at_most(cJSON_GetObjectItem(result, "residual")->valuedouble, 1e-6);
    assert_int_equal(cJSON_GetObjectItem(result, "uncertified")->valueint, 0);
  }
  cJSON_Delete(root);
  snprintf(path, sizeof path, "%s/batch.html", folder);
  read_text(path, text, sizeof text);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "Operations were not counted"));
  remove(path);
  rmdir(folder);
}

/* Without peers: PRONK_PEERS is nowhere in this test. */
static void robots_have_one_world_and_a_batch(void **state)
{
  (void)state;
  static char text[1 << 16];
  const char *const words[] = {"bench", "robots", "--quick", "--json", "--work", "hold boxdog"};
  assert_int_equal(run_bench(6, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  assert_string_equal(cJSON_GetObjectItem(root, "bench")->valuestring, "robots");
  assert_non_null(strstr(text, "MuJoCo's plugin was not found"));
  const cJSON *results = cJSON_GetObjectItem(root, "results");
  assert_int_equal(cJSON_GetArraySize(results), 2);
  for (int k = 0; k < 2; k++) {
    const cJSON *result = cJSON_GetArrayItem(results, k);
    static const char *const numbers[] = {
        "lanes",          "threads",     "median",   "spread", "steps",       "dt",      "alone",
        "impulses_alone", "us_per_step", "residual", "frozen", "uncertified", "shifted", "shift"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, numbers[i])));
    }
    assert_string_equal(cJSON_GetObjectItem(result, "work")->valuestring, "hold boxdog");
    assert_string_equal(cJSON_GetObjectItem(result, "engine")->valuestring, "pronk");
    assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "steps/s");
    assert_int_equal(cJSON_GetObjectItem(result, "worlds")->valueint, k == 0 ? 1 : 256);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(result, "ratio")));
    const cJSON *why = cJSON_GetObjectItem(result, "alone_why"), *reason;
    double left = 0;
    cJSON_ArrayForEach(reason, why)
    {
      left += reason->valuedouble;
    }
    assert_int_equal(cJSON_GetArraySize(why), PK_LANE_EXIT_COUNT - 1);
    assert_less(fabs(left - cJSON_GetObjectItem(result, "alone")->valuedouble), 1e-9);
    assert_at_most(cJSON_GetObjectItem(result, "residual")->valuedouble, 1e-8);
    assert_int_equal(cJSON_GetObjectItem(result, "frozen")->valueint, 0);
  }
  cJSON_Delete(root);
}

static void loose_bodies_are_stepped_at_two_tolerances(void **state)
{
  (void)state;
  static char text[1 << 16];
  const char *const words[] = {"bench", "robots", "--quick", "--work=boxes 10"};
  assert_int_equal(run_bench(4, words, text, sizeof text), 0);
  assert_non_null(strstr(text, "\nboxes 10 "));
  assert_null(strstr(text, "boxes 100"));
  assert_non_null(strstr(text, "hard contact 1e-8"));
  assert_non_null(strstr(text, "hard contact 1e-3"));
}

static void scaling_fits_an_exponent_to_each_engine(void **state)
{
  (void)state;
  static char text[1 << 20];
  char folder[] = "/tmp/pronk-test-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  const char *const words[] = {"bench",  "scaling", "--quick",  "--json",
                               "--work", "chain",   "--report", folder};
  assert_int_equal(run_bench(8, words, text, sizeof text), 0);
  cJSON *root = cJSON_Parse(text);
  assert_non_null(root);
  const cJSON *results = cJSON_GetObjectItem(root, "results");
  assert_int_equal(cJSON_GetArraySize(results), 3);
  const cJSON *result = cJSON_GetArrayItem(results, 2);
  assert_string_equal(cJSON_GetObjectItem(result, "series")->valuestring, "chain");
  assert_int_equal(cJSON_GetObjectItem(result, "size")->valueint, 25);
  assert_int_equal(cJSON_GetObjectItem(result, "dof")->valueint, 25);
  assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, "median")));
  assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, "exponent")));
  cJSON_Delete(root);
  snprintf(path, sizeof path, "%s/scaling.html", folder);
  read_text(path, text, sizeof text);
  assert_non_null(strstr(text, "Links of a chain"));
  assert_null(strstr(text, "Balls on the ground"));
  remove(path);
  rmdir(folder);
}

static void benches_without_a_page_refuse_to_write_one(void **state)
{
  (void)state;
  char text[256];
  assert_int_equal(run_bench(4, (const char *[]){"bench", "contact", "--report", "out"}, text, sizeof text),
                   2);
  assert_int_equal(run_bench(3, (const char *[]){"bench", "batch", "--report"}, text, sizeof text), 2);
}

/* What stands on stderr, which is no terminal here, while `call` runs. */
static void stderr_of(void (*call)(pki_bench_report *), pki_bench_report *report, char *text, size_t size)
{
  FILE *kept = tmpfile();
  assert_non_null(kept);
  fflush(stderr);
  const int old = dup(STDERR_FILENO);
  assert_at_least(old, 0);
  assert_at_least(dup2(fileno(kept), STDERR_FILENO), 0);
  call(report);
  fflush(stderr);
  assert_at_least(dup2(old, STDERR_FILENO), 0);
  close(old);
  rewind(kept);
  text[fread(text, 1, size - 1, kept)] = '\0';
  fclose(kept);
}

static void announce_long(pki_bench_report *report)
{
  pki_bench_announce(report, 15, 800);
}

static void announce_short(pki_bench_report *report)
{
  pki_bench_announce(report, 15, 30);
}

static void how_long_a_bench_takes_is_told_at_the_start(void **state)
{
  (void)state;
  char text[400];
  pki_bench_report report = {.bench = "batch"};
  stderr_of(announce_long, &report, text, sizeof text);
  assert_string_equal(text,
                      "pronk bench batch: 15 works, about 14 min; --work picks some, --quick is short\n");
  assert_int_equal(report.works, 15);
  pki_bench_next_work(&report, "one");
  assert_int_equal(report.begun, 1);
  stderr_of(announce_short, &report, text, sizeof text);
  assert_string_equal(text, "");
}

int main(void)
{
  char cache[] = "/tmp/pronk-cache-XXXXXX";
  if (mkdtemp(cache) == NULL) {
    return 1;
  }
  setenv("PRONK_CACHE", cache, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(how_long_a_bench_takes_is_told_at_the_start),
      cmocka_unit_test(help_shows_an_example),
      cmocka_unit_test(wrong_usage_is_status_two),
      cmocka_unit_test(a_work_is_chosen_by_part_of_its_name_but_not_of_its_number),
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(without_a_compiler_a_note_stands_for_compiled_rows),
      cmocka_unit_test(the_table_names_work_and_engine),
      cmocka_unit_test(optimize_has_the_promised_fields),
      cmocka_unit_test(contact_has_the_promised_fields),
      cmocka_unit_test(batch_has_the_promised_fields_and_a_page),
      cmocka_unit_test(robots_have_one_world_and_a_batch),
      cmocka_unit_test(loose_bodies_are_stepped_at_two_tolerances),
      cmocka_unit_test(scaling_fits_an_exponent_to_each_engine),
      cmocka_unit_test(benches_without_a_page_refuse_to_write_one),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pki_folder_remove(cache);
  return failed;
}
