/* Ctrl-C: what there is stays, and the run can go on. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/run.h"
#include "pronk/record.h"
#include "support/bounds.h"

static void nap(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Start a run that takes far too long, and ask it to end once it has recorded something; its exit status. */
static int interrupted_run(const char *folder, int number)
{
  const pid_t pid = fork();
  assert_at_least(pid, 0);
  if (pid == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
    execl(PK_BUILD_DIR "/pronk", "pronk", "run", PK_SOURCE_DIR "/scenarios/starleth-trot.yaml", "--duration",
          "100000", "-o", folder, (char *)NULL);
    _exit(127);
  }
  char path[256];
  double end = 0;
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  while (!(end > 1)) {
    pk_recording *r = NULL;
    double start;
    nap();
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    if (pki_is_file(path) && pk_recording_open(path, &r, NULL) == PK_OK) {
      pk_recording_span(r, &start, &end);
    }
    pk_recording_close(r);
  }
  kill(pid, number);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status)); /* it was not killed: it ended */
  return WEXITSTATUS(status);
}

static void an_interrupted_run_ends_cleanly_and_goes_on(void **state)
{
  (void)state;
  static const int numbers[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(interrupted_run("cut", numbers[i]), 1);
    size_t size;
    char *text = pki_file_read("cut/summary.json", 1 << 20, &size);
    assert_non_null(text);
    cJSON *summary = cJSON_Parse(text);
    free(text);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(summary, "interrupted")));
    const double until = cJSON_GetObjectItem(summary, "duration")->valuedouble;
    assert_greater(until, 1);
    assert_true(contains(cJSON_GetObjectItem(summary, "stopped")->valuestring, "interrupted at "));
    cJSON_Delete(summary);

    pk_recording *r = NULL;
    double start, end;
    assert_int_equal(pk_recording_open("cut/run.mcap", &r, NULL), PK_OK);
    assert_true(pk_recording_is_complete(r));
    pk_recording_span(r, &start, &end);
    assert_true(start == 0);
    assert_greater(end, until - 1e-6);
    assert_less(end, until + 1e-6);
    pk_recording_close(r);
    assert_true(pki_is_file("cut/report.html"));

    char command[128];
    snprintf(command, sizeof command, "run --resume cut --duration %.17g --json", until + 0.5);
    summary = run_json(command, 0);
    const double longer = cJSON_GetObjectItem(summary, "duration")->valuedouble;
    assert_greater(longer, until + 0.4999);
    assert_less(longer, until + 0.5001);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(summary, "fell")));
    cJSON_Delete(summary);

    run_result other = run("run starleth-stand --resume cut");
    assert_int_equal(other.status, 2);
    assert_true(contains(other.err, "scenario"));
    run_free(&other);
    static const char *const files[] = {"cut/run.mcap", "cut/summary.json", "cut/report.html",
                                        "cut/checkpoint.pronk", "cut"};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
      assert_int_equal(remove(files[k]), 0);
    }
  }
}

static void resuming_what_is_not_there_is_told(void **state)
{
  (void)state;
  run_result r = run("run --resume nowhere");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "nowhere/run.mcap"));
  run_free(&r);
  r = run("run --resume x -n");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--output, --no-output and --resume exclude each other"));
  run_free(&r);
}

int main(void)
{
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interrupted_run_ends_cleanly_and_goes_on),
      cmocka_unit_test(resuming_what_is_not_there_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
