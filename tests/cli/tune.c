/* pronk tune as a user meets it: what it prints and writes, interrupted, killed, resumed. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "support/bounds.h"

static char folder[64];

static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-tune-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_file("zero.csv", "time, hinge\n0, 0\n");
  write_file("offset.yaml", "gravity: [0, 0, 0]\nduration: 3\n"
                            "model: {model: pendulum, joints: {hinge: 0.4}}\nstep: {dt: 2e-3}\n"
                            "controller: {name: track, file: zero.csv, kp: 162.5, kd: 65}\n");
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

#define KEYS \
  "tune offset.yaml --vary controller.kp=50:300 --vary controller.kd=5:200:log --metric tracking_error "

static double number_at(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static void assert_same(const char *a, const char *b)
{
  static const char *const files[] = {"best.yaml", "evaluations.csv", "report.html"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char left[128], right[128];
    size_t na, nb;
    snprintf(left, sizeof left, "%s/%s", a, files[i]);
    snprintf(right, sizeof right, "%s/%s", b, files[i]);
    char *x = pki_file_read(left, 1 << 26, &na), *y = pki_file_read(right, 1 << 26, &nb);
    if (x == NULL || y == NULL || na != nb || memcmp(x, y, na) != 0) {
      fail_msg("%s and %s differ", left, right);
    }
    free(x), free(y);
  }
}

static void the_best_values_are_printed_and_run(void **state)
{
  (void)state;
  run_result r = run(KEYS "--evaluations 40 --threads 1 -o one");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "offset: least tracking_error\n"));
  assert_true(contains(r.out, "\n  --set controller.kp="));
  assert_true(contains(r.out, "\n  --set controller.kd="));
  assert_true(contains(r.out, "Scenario: one/best.yaml\n"));
  run_free(&r);
  cJSON *o = run_json(KEYS "--evaluations 40 --threads 3 -o three --json", 0);
  assert_int_equal(number_at(o, "evaluations"), 40);
  const cJSON *best = cJSON_GetObjectItem(o, "best"), *sets = cJSON_GetObjectItem(best, "set");
  const double found = number_at(best, "objective");
  assert_less(found, number_at(cJSON_GetObjectItem(o, "as_written"), "objective"));
  assert_int_equal(cJSON_GetArraySize(sets), 2);
  assert_true(contains(cJSON_GetArrayItem(sets, 0)->valuestring, "controller.kp="));
  char command[256];
  snprintf(command, sizeof command, "run offset.yaml -n --json --set %s --set %s",
           cJSON_GetArrayItem(sets, 0)->valuestring, cJSON_GetArrayItem(sets, 1)->valuestring);
  cJSON *alone = run_json(command, 0), *file = run_json("run three/best.yaml -n --json", 0);
  assert_true(number_at(alone, "tracking_error") == found);
  assert_true(number_at(file, "tracking_error") == found);
  cJSON_Delete(alone), cJSON_Delete(file), cJSON_Delete(o);
  assert_same("one", "three");
}

static void expect_complaint(const char *arguments, const char *message)
{
  run_result r = run(arguments);
  if (r.status != 2 || strcmp(r.err, message) != 0) {
    fail_msg("%d: %s", r.status, r.err);
  }
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  expect_complaint("tune offset.yaml --metric speed",
                   "pronk tune: nothing to tune: give a key of the scenario and its bounds, as --vary "
                   "controller.kp=10:1000:log\n");
  expect_complaint(
      "tune offset.yaml --vary controller.kp=1:2",
      "pronk tune: nothing to tune for: give a metric, as --metric tracking_error (pronk list metrics)\n");
  expect_complaint(
      KEYS "--method bobyka",
      "pronk tune: --method: there is no method 'bobyka'; did you mean 'bobyqa'? (pronk list methods)\n");
  expect_complaint(KEYS "--metric sped",
                   "pronk tune: --metric: there is no metric 'sped'; did you mean 'speed'? "
                   "(pronk list metrics)\n");
  expect_complaint(KEYS "--evaluations 1",
                   "pronk tune: --evaluations is '1', expected a number from 2 to 100000\n");
  expect_complaint(KEYS "--starts 1.5", "pronk tune: --starts is 1.5, expected a whole number\n");
  expect_complaint(KEYS "--evaluations 100000 --worlds 50",
                   "pronk tune: 100000 evaluations in 50 worlds are more than a million runs\n");
  expect_complaint(
      KEYS "--worlds 3",
      "pronk tune: --worlds: there are 3 worlds to average over, but the scenario's are all equal: give "
      "it a section vary or disturb (docs/formats/scenario.md)\n");
  run_result r = run("tune offset.yaml --vary controller.kq=1:2 --metric speed");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err,
                       "pronk tune: --vary: controller.kq: --set controller.kq=1: controller.kq: there is no "
                       "key \"kq\"; did you mean \"kp\"?"));
  run_free(&r);
}

static void a_folder_of_another_tuning_is_refused(void **state)
{
  (void)state;
  run_result r =
      run("tune offset.yaml --vary controller.kp=50:300 --metric tracking_error --evaluations 4 -o mine");
  assert_int_equal(r.status, 0);
  run_free(&r);
  expect_complaint(
      KEYS "--evaluations 4 -o mine",
      "pronk tune: mine/evaluations.pronk: these are evaluations of other keys: those of --vary, their "
      "order, --duration or the scenario's certify have changed. Give another --output, or start afresh "
      "with --again\n");
  r = run(KEYS "--evaluations 4 -o mine --again");
  assert_int_equal(r.status, 0);
  run_free(&r);
}

/* No metric of it: a world without motors has no heat of them. */
static void a_metric_that_no_run_has_is_a_failure(void **state)
{
  (void)state;
  run_result r =
      run("tune offset.yaml --vary controller.kp=50:300 --metric joule_heat --evaluations 4 -o none");
  assert_int_equal(r.status, 1);
  assert_string_equal(
      r.err, "pronk tune: no evaluation has a value; the first: a metric has none in this scenario\n");
  assert_false(pki_is_file("none/best.yaml"));
  assert_true(pki_is_file("none/report.html"));
  run_free(&r);
}

/* ---- interruptions ---- */

static pid_t start_tune(const char *output)
{
  const pid_t pid = fork();
  assert_at_least(pid, 0);
  if (pid == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execl(PK_BUILD_DIR "/pronk", "pronk", "tune", "offset.yaml", "--vary", "controller.kp=50:300", "--vary",
          "controller.kd=5:200:log", "--metric", "tracking_error", "--method", "crs+sbplx", "--evaluations",
          "300", "-o", output, (char *)NULL);
    _exit(127);
  }
  return pid;
}

/* Start it, send a signal once its store has grown by so many bytes; its status as of waitpid. */
static int cut_tune(const char *output, int number, off_t more)
{
  char path[128];
  struct stat info = {.st_size = 0};
  snprintf(path, sizeof path, "%s/evaluations.pronk", output);
  const off_t before = stat(path, &info) == 0 ? info.st_size : 0;
  const pid_t pid = start_tune(output);
  int status = 0;
  bool ended = false;
  while (!ended && (stat(path, &info) != 0 || info.st_size < before + more)) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    ended = waitpid(pid, &status, WNOHANG) == pid;
  }
  if (!ended) {
    kill(pid, number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
  }
  return status;
}

static void interrupted_and_killed_it_ends_where_it_would_have(void **state)
{
  (void)state;
  const pid_t pid = start_tune("whole");
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  status = cut_tune("cut", SIGINT, 8000);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 1) { /* it was in time: what there is can be read and run */
    run_result r = run("run cut/best.yaml -n --json");
    assert_int_equal(r.status, 0);
    run_free(&r);
    size_t size;
    char *page = pki_file_read("cut/report.html", 1 << 26, &size);
    assert_true(page != NULL && contains(page, " of at most 300"));
    free(page);
  }
  cut_tune("cut", SIGKILL, 8000);
  cut_tune("cut", SIGTERM, 8000);
  status = cut_tune("cut", SIGINT, (off_t)1 << 40); /* never */
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_same("whole", "cut");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_values_are_printed_and_run),
      cmocka_unit_test(wrong_usage_is_told),
      cmocka_unit_test(a_folder_of_another_tuning_is_refused),
      cmocka_unit_test(a_metric_that_no_run_has_is_a_failure),
      cmocka_unit_test(interrupted_and_killed_it_ends_where_it_would_have),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
