/* `pronk bench`: exit status, table and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "bench/bench.h"

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
  int found = 0;
  cJSON_ArrayForEach(result, results)
  {
    static const char *const numbers[] = {"lanes", "threads",   "median",  "spread",
                                          "ratio", "per_robot", "per_link"};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      assert_true(cJSON_IsNumber(cJSON_GetObjectItem(result, numbers[k])));
    }
    assert_string_equal(cJSON_GetObjectItem(result, "unit")->valuestring, "us/call");
    assert_string_equal(cJSON_GetObjectItem(result, "engine")->valuestring, "pronk");
    found += strcmp(cJSON_GetObjectItem(result, "work")->valuestring, "aba chain-10") == 0;
  }
  assert_true(found >= 1);
  cJSON_Delete(root);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_shows_an_example),
      cmocka_unit_test(wrong_usage_is_status_two),
      cmocka_unit_test(a_work_is_chosen_by_part_of_its_name_but_not_of_its_number),
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(the_table_names_work_and_engine),
      cmocka_unit_test(contact_has_the_promised_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
