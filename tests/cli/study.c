/* pronk study, from the outside. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "base/file.h"
#include "cli/run.h"
#include "support/bounds.h"
#include "support/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "cli_study_out";

/* Files and folders that a command left must be there, and nothing else. */
static void remove_files(const char *const *files, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    assert_int_equal(remove(path), 0);
  }
}

static void remove_report(void)
{
  static const char *const files[] = {"pendulum/report.html",
                                      "pendulum/period.svg",
                                      "pendulum/height.svg",
                                      "pendulum/energy.svg",
                                      "pendulum",
                                      ""};
  remove_files(files, sizeof files / sizeof files[0]);
}

static void json_has_the_promised_fields(void **state)
{
  (void)state;
  char line[256];
  snprintf(line, sizeof line, "study pendulum --quick --json -o %s", folder);
  cJSON *o = run_json(line, 0);
  assert_string_equal(cJSON_GetObjectItem(o, "study")->valuestring, "pendulum");
  const cJSON *rows = cJSON_GetObjectItem(o, "rows"), *row;
  assert_greater(cJSON_GetArraySize(rows), 30);
  int held = 0;
  cJSON_ArrayForEach(row, rows)
  {
    static const char *const texts[] = {"id", "what", "unit", "note", "verdict", "tolerance", "why"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
      assert_true(cJSON_IsString(cJSON_GetObjectItem(row, texts[i])));
    }
    static const char *const numbers[] = {"paper", "measured"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      const cJSON *value = cJSON_GetObjectItem(row, numbers[i]);
      assert_true(cJSON_IsNumber(value) || cJSON_IsNull(value));
    }
    assert_false(cJSON_IsFalse(cJSON_GetObjectItem(row, "ok")));
    held += cJSON_IsTrue(cJSON_GetObjectItem(row, "ok"));
  }
  assert_int_equal(held, 8);
  FILE *report = fopen(cJSON_GetObjectItem(o, "report")->valuestring, "r");
  assert_non_null(report);
  char text[64];
  assert_non_null(fgets(text, sizeof text, report));
  assert_string_equal(text, "<!DOCTYPE html>\n");
  fclose(report);
  cJSON_Delete(o);
  remove_report();
}

static void a_person_sees_the_papers_table_and_where_the_report_is(void **state)
{
  (void)state;
  char line[256];
  snprintf(line, sizeof line, "study pendulum --quick --output=%s", folder);
  run_result r = run(line);
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "Table 1."));
  assert_true(contains(r.out, "Fig. 3."));
  assert_true(contains(r.out, "3.147033054308"));
  assert_true(contains(r.out, "8 of 8"));
  assert_true(contains(r.out, "Report: cli_study_out/pendulum/report.html"));
  assert_string_equal(r.err, "");
  run_free(&r);
  remove_report();
}

/* One after the other; each of their files is there. */
static void all_studies_write_their_reports(void **state)
{
  (void)state;
  static const char *const files[] = {"coman/report.html",
                                      "coman/fig-9.svg",
                                      "coman/fig-10.svg",
                                      "coman/fig-11.svg",
                                      "coman/fig-12.svg",
                                      "coman",
                                      "feedback/report.html",
                                      "feedback/fig-1-links.svg",
                                      "feedback/fig-1-trot.svg",
                                      "feedback/fig-1-sinusoids.svg",
                                      "feedback/fig-3.svg",
                                      "feedback/slip-links.svg",
                                      "feedback/slip-trot.svg",
                                      "feedback/slip-sinusoids.svg",
                                      "feedback/map.svg",
                                      "feedback",
                                      "hardt/report.html",
                                      "hardt/fig-3.svg",
                                      "hardt/js2/motion.csv",
                                      "hardt/js2/scenario.yaml",
                                      "hardt/js2",
                                      "hardt",
                                      "sizing/report.html",
                                      "sizing/fig-6.svg",
                                      "sizing/walk-1.8-km-h-0.pronk",
                                      "sizing/simulated/chosen/run.mcap",
                                      "sizing/simulated/chosen",
                                      "sizing/simulated/weaker/run.mcap",
                                      "sizing/simulated/weaker",
                                      "sizing/simulated/motion.csv",
                                      "sizing/simulated/scenario.yaml",
                                      "sizing/simulated",
                                      "sizing",
                                      "starleth/report.html",
                                      "starleth/force.svg",
                                      "starleth/iterations.svg",
                                      "starleth/time.svg",
                                      "starleth",
                                      "solvers/report.html",
                                      "solvers/profile.svg",
                                      "solvers/accuracy.svg",
                                      "solvers/time.svg",
                                      "solvers/kind.svg",
                                      "solvers",
                                      "symbolic/report.html",
                                      "symbolic/time.svg",
                                      "symbolic/operations.svg",
                                      "symbolic/inverse.svg",
                                      "symbolic/period.svg",
                                      "symbolic"};
  static const char *const thesis[] = {"thesis/report.html", "thesis/linear.svg", "thesis/hardening.svg",
                                       "thesis/tilt.svg", "thesis"};
  SKIP_WHEN_SLOW("the studies of whole robots");
  char line[256];
  snprintf(line, sizeof line, "study all --quick --output=%s", folder);
  run_result r = run(line);
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "Report: cli_study_out/feedback/report.html"));
  assert_true(contains(r.out, "Report: cli_study_out/pendulum/report.html"));
  assert_true(contains(r.out, "Report: cli_study_out/starleth/report.html"));
  assert_true(contains(r.out, "Report: cli_study_out/symbolic/report.html"));
  assert_true(contains(r.out, "Report: cli_study_out/thesis/report.html"));
  assert_string_equal(r.err, "");
  run_free(&r);
  remove_files(files, sizeof files / sizeof files[0]);
  for (int figure = 2; figure <= 31; figure++) {
    char path[64];
    snprintf(path, sizeof path, "%s/thesis/fig-5-%d.svg", folder, figure);
    assert_int_equal(remove(path), 0);
  }
  remove_files(thesis, sizeof thesis / sizeof thesis[0]);
  remove_report();
}

/* The exit status is 1 when one row misses, in text and as JSON, and 2 when no such row is held. */
static void a_spoilt_row_fails_the_study(void **state)
{
  (void)state;
  char line[256];
  snprintf(line, sizeof line, "study pendulum --quick --spoil fig3/period-error -o %s", folder);
  run_result r = run(line);
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "misses: error of the period, relative coordinates: paper 5e-09"));
  assert_true(contains(r.out, "(at most 5e-09, 95 revolutions)"));
  assert_true(contains(r.out, "7 of 8"));
  run_free(&r);
  snprintf(line, sizeof line, "study pendulum --quick --json --spoil fig3/period-error -o %s", folder);
  cJSON *o = run_json(line, 1);
  const cJSON *row;
  int missed = 0;
  cJSON_ArrayForEach(row, cJSON_GetObjectItem(o, "rows"))
  {
    missed += cJSON_IsFalse(cJSON_GetObjectItem(row, "ok"));
  }
  assert_int_equal(missed, 1);
  cJSON_Delete(o);
  snprintf(line, sizeof line, "study pendulum --quick --spoil fig3/nothing -o %s", folder);
  r = run(line);
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--spoil fig3/nothing: no row of this id is held"));
  run_free(&r);
  remove_report();
}

static void without_the_plugin_it_says_what_to_install(void **state)
{
  (void)state;
  char line[256];
  snprintf(line, sizeof line, "study pendulum --quick -o %s", folder);
  run_result r = run(line);
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "ODE's plugin was not found: install libode-dev, then run make."));
  assert_true(contains(r.out, "left out by --quick"));
  run_free(&r);
  remove_report();
}

int main(void)
{
  setenv("PRONK_PEERS", "no_such_folder",
         1); /* how many values are held depends on the engines that are installed */
  char cache[] = "/tmp/pronk-cache-XXXXXX"; /* of the code that a study compiles */
  if (mkdtemp(cache) == NULL) {
    return 1;
  }
  setenv("PRONK_CACHE", cache, 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  pki_folder_remove(folder); /* what a run that was killed left */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_the_plugin_it_says_what_to_install),
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(a_person_sees_the_papers_table_and_where_the_report_is),
      cmocka_unit_test(a_spoilt_row_fails_the_study),
      cmocka_unit_test(all_studies_write_their_reports),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pki_folder_remove(cache);
  return failed;
}
