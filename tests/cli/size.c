/* pronk size as a user meets it: what it prints and writes, wrong words, how it ends. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "support/bounds.h"

static char folder[64];

/* A hoist: 10 kg on a drum of 0.05 m at 0.5 m/s, up for a second. */
static const char hoist[] = "time,u:drum,tau:drum,a:drum\n0,10,4.905,0\n1,10,4.905,0\n";

static const char study[] =
    "description: a hoist\nmotions: [{motion: hoist.csv}]\n"
    "drives: [{joints: drum, motors: maxon-re40, gears: [5, 20, 40, 200], voltages: [24]}]\n";

static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_GAITS", PK_SOURCE_DIR "/gaits", 1);
  setenv("PRONK_SIZINGS", PK_SOURCE_DIR "/sizings", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-size-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_file("hoist.csv", hoist);
  write_file("study.yaml", study);
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

static double number_at(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static void a_study_leaves_a_report_and_lists(void **state)
{
  (void)state;
  static const char *const files[] = {"out/report.html", "out/parts.csv", "out/candidates.csv"};
  run_result r = run("size study.yaml -o out");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "study: a hoist\n"));
  assert_true(contains(r.out, "maxon-re40"));
  assert_true(contains(r.out, "Parts:      out/parts.csv\n"));
  run_free(&r);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    assert_true(pki_is_file(files[i]));
  }
  size_t size;
  char *text = pki_file_read("out/parts.csv", 1 << 16, &size);
  assert_non_null(text);
  assert_true(contains(text, "motor,\"maxon RE 40, 150 W, 24 V (148867)\",1,0.48,"));
  free(text);
  text = pki_file_read("out/report.html", 1 << 24, &size);
  assert_true(contains(text, "drum: maxon-re40, "));
  assert_true(contains(text, "Parts list"));
  assert_true(contains(text, "no price"));
  assert_true(contains(text, ">What fits<") && contains(text, ">What fails, and why<"));
  assert_true(contains(text, "kg, without gears of unknown mass"));
  assert_true(contains(text, "No price: none of the drives that fit has one"));
  free(text);
}

/* A motor with a price, and its gear: the front has a second side, and the parts add up. */
static void prices_that_are_known_are_drawn_and_summed(void **state)
{
  (void)state;
  char out[256];
  size_t size;
  assert_int_equal(shell("sed 's/^gear: 1 .*/price: 300/; s/^  gear: .*/  price: the test/' " PK_SOURCE_DIR
                         "/motors/maxon-re40.yaml > priced.yaml",
                         out, sizeof out),
                   0);
  cJSON *o = run_json("size study.yaml -o priced --json --set drives.0.motors=priced.yaml --set "
                      "'drives.0.gears=[{ratio: 40, price: 80}]' --set 'rank={price: 1}'",
                      0);
  assert_near(number_at(cJSON_GetObjectItem(o, "supply"), "price"), 380, 0);
  cJSON_Delete(o);
  char *text = pki_file_read("priced/report.html", 1 << 24, &size);
  assert_non_null(text);
  assert_true(contains(text, "price of all its drives"));
  assert_false(contains(text, "no price"));
  assert_false(contains(text, "No price"));
  free(text);
}

/* K = 0.0302, R = 0.299: the current at 40:1 is 4.905/40/K = 4.06 A. At 5:1 it is 32 A, 0.98 of 0.18 N m, which no cooling bears; at 200:1 the back-EMF alone takes
 * 60 of 24 V. */
static void candidates_say_what_they_need_and_why_they_fail(void **state)
{
  (void)state;
  cJSON *o = run_json("size study.yaml -o out --json", 0);
  const cJSON *group = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "groups"), 0);
  const cJSON *all = cJSON_GetObjectItem(group, "candidates"), *c;
  int found = 0;
  assert_int_equal(cJSON_GetArraySize(all), 4);
  cJSON_ArrayForEach(c, all)
  {
    const double ratio = number_at(c, "ratio");
    const char *reason = cJSON_GetObjectItem(c, "reason")->valuestring;
    if (ratio == 40) {
      assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "chosen")));
      assert_near(number_at(c, "rms_torque"), 4.905 / 40, 1e-12);
      assert_near(number_at(c, "speed"), 400, 1e-9);
      found++;
    } else if (ratio == 5) {
      assert_string_equal(reason, "winding: runs away, drum");
      found++;
    } else if (ratio == 200) {
      assert_non_null(strstr(reason, "voltage: needs 60.6"));
      assert_non_null(strstr(reason, " of 24 V, drum at 0 s of hoist"));
      found++;
    }
  }
  assert_int_equal(found, 3);
  assert_near(number_at(cJSON_GetObjectItem(o, "supply"), "voltage"), 24, 0);
  cJSON_Delete(o);
}

/* The same by words, and the best ratio of all: without a rotor's acceleration the largest that the voltage allows has the least heat. */
static void words_are_enough_for_the_simple_case(void **state)
{
  (void)state;
  cJSON *o = run_json("size hoist.csv --joints drum --motors maxon-re40 --gears 5:200 --voltages 24 --by "
                      "heat -o words --json",
                      0);
  const cJSON *group = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "groups"), 0);
  const cJSON *c = cJSON_GetArrayItem(cJSON_GetObjectItem(group, "candidates"), 0);
  const cJSON *line = cJSON_GetObjectItem(cJSON_GetObjectItem(c, "lines"), "voltage");
  assert_near(number_at(line, "used"), 1, 1e-6);
  assert_greater(number_at(c, "ratio"), 60);
  char gear[64];
  snprintf(gear, sizeof gear, "gear,\"%.4g:1\",1,", number_at(c, "ratio"));
  cJSON_Delete(o);
  size_t size;
  char *text = pki_file_read("words/parts.csv", 1 << 16, &size);
  assert_true(contains(text, gear));
  free(text);
}

/* The folder of an optimised motion stands for its motion.csv. */
static void a_folder_stands_for_the_motion_in_it(void **state)
{
  (void)state;
  char out[256];
  assert_int_equal(shell("mkdir -p made && cp hoist.csv made/motion.csv", out, sizeof out), 0);
  run_result r = run("size made --motors maxon-re40 --gears 40 --voltages 24 -o from-folder");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "maxon-re40"));
  run_free(&r);
}

static void what_does_not_fit_ends_with_status_1(void **state)
{
  (void)state;
  run_result r = run("size hoist.csv --motors maxon-ec45-flat-50w --gears 5 --voltages 24 -o none");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "none fits"));
  assert_true(contains(r.out, "drum: nearest is maxon-ec45-flat-50w, 5:1, 24 V; "));
  assert_true(contains(r.err, "pronk size: not every group of joints has a drive that fits\n"));
  run_free(&r);
}

static void wrong_words_end_with_status_2(void **state)
{
  (void)state;
  static const struct {
    const char *words, *message;
  } cases[] = {
      {"size", "pronk size: name a sizing study, or motions: recordings, motion.csv, gaits, scenarios\n"},
      {"size hoist.csv --by weight", "pronk size: "},
      {"size hoist.csv hoist.csv --weights 1",
       "pronk size: --weights has fewer numbers than there are motions, which are 2\n"},
      {"size hoist.csv --weights 1,2",
       "pronk size: --weights has more numbers than there are motions, which are 1\n"},
      {"size hoist.csv --efficiency 0.3 --gears 5", "pronk size: --efficiency"},
      {"size hoist.csv --gears 5,x", "expected a number"},
      {"size hoist.csv --joints dum", "there is no joint \"dum\"; did you mean \"drum\"? (one of: drum)\n"},
      {"size hoist.csv --rounds 2",
       "rounds need motions that can be made again, gait or scenario; hoist is a motion\n"},
      {"size none.csv", "none.csv"},
      {"size hoist.csv --gears ''",
       "pronk size: --gears is empty, expected numbers with commas between them\n"},
      {"size hoist.csv --efficiency 0.8",
       "pronk size: --efficiency is that of the ratios in --gears, which are missing\n"},
      {"size study.yaml --voltages 48", "pronk size: --voltages goes with motions, not with the sizing study "
                                        "study.yaml, whose keys say that: change them by "
                                        "--set, as in --set 'drives.0.voltages=[48]'\n"},
      {"size biped-drive",
       "there is no file, sizing study, motion or scenario \"biped-drive\"; did you mean \"biped-drives\"?"},
      {"size biped-wak --gears 5", "did you mean \"biped-walk\"?"},
      {"size arm.urdf", "pronk size: arm.urdf is a model, which does nothing by itself: "},
      {"size study.yaml --set margn=1", "did you mean \"margin\"?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i].words);
    if (r.status != 2 || !contains(r.err, cases[i].message)) {
      fail_msg("pronk %s ends with %d: %s", cases[i].words, r.status, r.err);
    }
    run_free(&r);
  }
}

static void check_list_and_schema_know_sizing_studies(void **state)
{
  (void)state;
  run_result r = run("check study.yaml");
  assert_int_equal(r.status, 0);
  assert_string_equal(r.out, "study.yaml: ok\n  study: a hoist\n  1 motion, 1 group of drives\n");
  run_free(&r);
  r = run("check study.yaml --set duration=-1");
  assert_int_equal(r.status, 2);
  run_free(&r);
  r = run("list sizings");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "biped-drives"));
  run_free(&r);
  cJSON *o = run_json("schema sizing", 0);
  assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(o, "$defs"), "gear"));
  cJSON_Delete(o);
  o = run_json("check study.yaml --json", 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")));
  cJSON_Delete(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_study_leaves_a_report_and_lists),
      cmocka_unit_test(prices_that_are_known_are_drawn_and_summed),
      cmocka_unit_test(candidates_say_what_they_need_and_why_they_fail),
      cmocka_unit_test(words_are_enough_for_the_simple_case),
      cmocka_unit_test(a_folder_stands_for_the_motion_in_it),
      cmocka_unit_test(what_does_not_fit_ends_with_status_1),
      cmocka_unit_test(wrong_words_end_with_status_2),
      cmocka_unit_test(check_list_and_schema_know_sizing_studies),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
