/* kill -9 at random times: the recording opens, holds what was known to be done, and the run goes on to the bytes of one
 * that was never killed.
 *
 * PRONK_KILLS: how many runs are killed (5); PRONK_KILL_SEED: repeats the times that a run of this test has printed, as far as
 * the clock lets them repeat. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "pronk/record.h"
#include "run/checkpoint.h"
#include "support/bounds.h"

/* Runs that are killed: how often they write a checkpoint, and how long they are, s. */
static const struct {
  const char *every, *duration;
} kinds[] = {{"0.2", "3"}, {"0.7", "7"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static const char *const scenario = "starleth-trot";

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds)
{
  const struct timespec t = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
  nanosleep(&t, NULL);
}

/* ---- runs ---- */

static pid_t start(const char *const arguments[])
{
  const pid_t pid = fork();
  assert_at_least(pid, 0);
  if (pid == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
    execv(PK_BUILD_DIR "/pronk", (char *const *)arguments);
    _exit(127);
  }
  return pid;
}

static pid_t start_run(const char *folder, int kind)
{
  const char *const arguments[] = {"pronk",
                                   "run",
                                   scenario,
                                   "-o",
                                   folder,
                                   "--duration",
                                   kinds[kind].duration,
                                   "--checkpoint-every",
                                   kinds[kind].every,
                                   NULL};
  return start(arguments);
}

static pid_t start_resume(const char *folder)
{
  const char *const arguments[] = {"pronk", "run", "--resume", folder, NULL};
  return start(arguments);
}

/* Kill it `after` seconds from now; false when it had ended by itself, well. */
static bool kill_later(pid_t pid, double after)
{
  nap(after);
  kill(pid, SIGKILL);
  int code;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  if (WIFEXITED(code)) {
    assert_int_equal(WEXITSTATUS(code), 0);
    return false;
  }
  assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL);
  return true;
}

/* A checkpoint of the run is there; it fails when the run ends without one. */
static void wait_for_checkpoint(pid_t pid, const char *folder)
{
  char path[256];
  snprintf(path, sizeof path, "%s/checkpoint.pronk", folder);
  while (!pki_is_file(path)) {
    int code;
    if (waitpid(pid, &code, WNOHANG) == pid) {
      fail_msg("pronk ended without a checkpoint: code %d", code);
    }
    nap(5e-4);
  }
}

/* ---- what it leaves ---- */

/* The checkpoint's time, s. */
static double checkpoint_time(const char *folder)
{
  char path[256];
  pki_checkpoint c;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, "%s/checkpoint.pronk", folder);
  if (pki_checkpoint_load(path, &c, &err) != PK_OK) {
    fail_msg("%s: %s", path, err.message);
  }
  const double time = c.time;
  pki_checkpoint_free(&c);
  return time;
}

static pk_recording *open_recording(const char *folder)
{
  char path[256];
  pk_recording *r = NULL;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  if (pk_recording_open(path, &r, &err) != PK_OK) {
    fail_msg("%s: %s", path, err.message);
  }
  return r;
}

/* Every sample of the killed run up to its end is one of the run that was never killed, and none is missing. */
static double check_samples(const char *folder, const pk_recording *whole)
{
  pk_recording *r = open_recording(folder);
  double from, to, last = 0;
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(r, &count);
  pk_recording_span(r, &from, &to);
  assert_greater(count, 5);
  assert_true(from == 0);
  for (int i = 0; i < count; i++) {
    const int other = pk_recording_find(whole, channels[i].name);
    assert_at_least(other, 0);
    pk_recording_series mine, its;
    assert_int_equal(pk_recording_read(r, i, 0, INFINITY, &mine, NULL), PK_OK);
    const double end = mine.n > 0 ? mine.time[mine.n - 1] : -1;
    assert_int_equal(pk_recording_read(whole, other, 0, end, &its, NULL), PK_OK);
    assert_true(mine.n == its.n && mine.columns == its.columns && mine.row[mine.n] == its.row[its.n]);
    assert_memory_equal(mine.time, its.time, (size_t)mine.n * sizeof *mine.time);
    if (mine.row[mine.n] > 0) {
      assert_memory_equal(mine.values, its.values,
                          (size_t)mine.row[mine.n] * (size_t)mine.columns * sizeof *mine.values);
    }
    last = strcmp(channels[i].name, "state/q") == 0 ? end : last;
    pk_recording_series_free(&mine);
    pk_recording_series_free(&its);
  }
  pk_recording_close(r);
  return last;
}

/* The same bytes. */
static void same_file(const char *a, const char *b)
{
  size_t size_a, size_b;
  char *bytes_a = pki_file_read(a, 1 << 28, &size_a), *bytes_b = pki_file_read(b, 1 << 28, &size_b);
  if (bytes_a == NULL || bytes_b == NULL) {
    fail_msg("%s or %s cannot be read", a, b);
    abort();
  }
  size_t i = 0;
  while (i < size_a && i < size_b && bytes_a[i] == bytes_b[i]) {
    i++;
  }
  if (i < size_a || i < size_b) {
    fail_msg("%s (%zu bytes) and %s (%zu bytes) differ at byte %zu", a, size_a, b, size_b, i);
  }
  free(bytes_a);
  free(bytes_b);
}

/* summary.json without what the clock says. */
static char *summary(const char *folder)
{
  char path[256];
  size_t size;
  snprintf(path, sizeof path, "%s/summary.json", folder);
  char *text = pki_file_read(path, 1 << 20, &size);
  assert_non_null(text);
  cJSON *json = cJSON_Parse(text);
  assert_non_null(json);
  cJSON_DeleteItemFromObject(json, "wall");
  cJSON_DeleteItemFromObject(json, "real_time_factor");
  char *rest = cJSON_Print(json);
  cJSON_Delete(json);
  free(text);
  return rest;
}

static void same_run(const char *folder, const char *reference)
{
  char a[256], b[256];
  snprintf(a, sizeof a, "%s/run.mcap", folder);
  snprintf(b, sizeof b, "%s/run.mcap", reference);
  same_file(a, b);
  char *mine = summary(folder), *its = summary(reference);
  assert_string_equal(mine, its);
  cJSON_free(mine);
  cJSON_free(its);
}

/* ---- the tests ---- */

typedef struct reference {
  char folder[64];
  double wall; /* s, from its first checkpoint to its last */
  pk_recording *recording;
} reference;

static reference references[KINDS]; /* made at the start */

static reference run_reference(int kind)
{
  reference r = {.wall = 0};
  int code = 0;
  snprintf(r.folder, sizeof r.folder, "killed/reference-%d", kind);
  const pid_t pid = start_run(r.folder, kind);
  wait_for_checkpoint(pid, r.folder);
  const double before = now();
  struct stat was = {0}, is;
  char path[256];
  snprintf(path, sizeof path, "%s/checkpoint.pronk", r.folder);
  for (pid_t ended = 0; ended != pid; nap(1e-3)) {
    ended = waitpid(pid, &code, WNOHANG);
    if (stat(path, &is) == 0 && is.st_ino != was.st_ino) { /* each is a new file */
      was = is;
      r.wall = now() - before;
    }
  }
  assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
  r.recording = open_recording(r.folder);
  assert_true(pk_recording_is_complete(r.recording));
  return r;
}

/* Kill a run, and with luck its continuation, too; then let it end. True when it was killed at least once. */
static bool kill_one(const reference *ref, int kind, int which, pki_random *random)
{
  char folder[64];
  snprintf(folder, sizeof folder, "killed/run-%d", which);
  pid_t pid = start_run(folder, kind);
  wait_for_checkpoint(pid, folder);
  bool any = false;
  for (int again = 0;; again++) {
    const double after = pki_random_unit(random) * 1.2 * ref->wall; /* the report is written after the last */
    const bool killed = kill_later(pid, after);
    any |= killed;
    const double known = checkpoint_time(folder), end = check_samples(folder, ref->recording);
    print_message("run %d, a checkpoint every %s s: %s after %.3f s, checkpoint %.2f s, recording %.4f s\n",
                  which, kinds[kind].every, killed ? "killed" : "ended", after, known, end);
    /* it was killed before its next checkpoint, which is less than a second later; recordings count nanoseconds */
    assert_at_least(end, known - 1e-9);
    assert_less(strtod(kinds[kind].every, NULL), 1);
    if (again > 1 || pki_random_unit(random) < 0.6) {
      break;
    }
    pid = start_resume(folder);
  }
  char arguments[128];
  snprintf(arguments, sizeof arguments, "run --resume %s", folder);
  run_result result = run(arguments);
  if (result.status != 0) {
    fail_msg("pronk %s: %s", arguments, result.err);
  }
  run_free(&result);
  same_run(folder, ref->folder);
  snprintf(arguments, sizeof arguments, "rm -rf %s", folder);
  assert_int_equal(system(arguments), 0);
  return any;
}

static void a_killed_run_goes_on_to_the_same_bytes(void **state)
{
  (void)state;
  const char *count = getenv("PRONK_KILLS"), *given = getenv("PRONK_KILL_SEED");
  const int kills = count != NULL ? atoi(count) : 5;
  const unsigned long long seed =
      given != NULL ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL) * 65536 + (unsigned)getpid();
  print_message("PRONK_KILL_SEED=%llu\n", seed);
  pki_random random = pki_random_seeded(seed);
  int killed = 0;
  for (int i = 0; killed < kills; i++) { /* one that was too quick does not count */
    assert_less(i, 4 * kills + 4);
    killed += kill_one(&references[i % KINDS], i % KINDS, i, &random);
  }
}

static void a_run_killed_without_a_checkpoint_is_told_so(void **state)
{
  (void)state;
  const char *const arguments[] = {"pronk", "run", scenario, "--duration", "1000", "-o", "killed/none", NULL};
  const pid_t pid = start(arguments);
  while (!pki_is_file("killed/none/run.mcap")) {
    nap(1e-3);
  }
  nap(0.2);
  assert_true(kill_later(pid, 0));
  pk_recording *recording = open_recording("killed/none");
  assert_false(pk_recording_is_complete(recording));
  pk_recording_close(recording);
  run_result r = run("run --resume killed/none");
  assert_true(r.status != 0);
  assert_true(contains(r.err, "checkpoint"));
  run_free(&r);
}

/* Ctrl-C ends a run well; its chunks differ then from those of a run that was not stopped, its values do not. */
static void a_run_stopped_with_ctrl_c_goes_on_to_the_same_values(void **state)
{
  (void)state;
  const int kind = KINDS - 1;
  const reference *ref = &references[kind];
  const pid_t pid = start_run("killed/stopped", kind);
  wait_for_checkpoint(pid, "killed/stopped");
  kill(pid, SIGINT);
  int code;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  assert_true(WIFEXITED(code));
  assert_at_most(WEXITSTATUS(code), 1);
  if (WEXITSTATUS(code) == 0) {
    print_message("it ended before it could be stopped\n"); /* on a machine that is busy otherwise */
  }
  pk_recording *recording = open_recording("killed/stopped");
  assert_true(pk_recording_is_complete(recording));
  pk_recording_close(recording);
  run_result r = run("run --resume killed/stopped");
  assert_int_equal(r.status, 0);
  run_free(&r);
  assert_true(check_samples("killed/stopped", ref->recording) == strtod(kinds[kind].duration, NULL));
  char *mine = summary("killed/stopped"), *its = summary(ref->folder);
  assert_string_equal(mine, its);
  cJSON_free(mine);
  cJSON_free(its);
}

static void a_resumed_run_must_be_its_own(void **state)
{
  (void)state;
  run_result r = run("run starleth-stand --duration 1 --checkpoint-every 0.25 -o killed/other");
  assert_int_equal(r.status, 0);
  run_free(&r);
  r = run("run starleth-stand --set controller.height=0.4 --resume killed/other");
  assert_true(r.status != 0);
  assert_true(contains(r.err, "the checkpoint is of another scenario: its hash is "));
  run_free(&r);
  r = run("run starleth-stand --duration 1 --resume killed/other"); /* it is */
  assert_int_equal(r.status, 0);
  run_free(&r);
}

static int set_up(void **state)
{
  (void)state;
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  if (system("rm -rf killed && mkdir killed") != 0) {
    return 1;
  }
  for (int i = 0; i < KINDS; i++) {
    references[i] = run_reference(i);
  }
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  for (int i = 0; i < KINDS; i++) {
    pk_recording_close(references[i].recording);
  }
  return system("rm -rf killed");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_run_goes_on_to_the_same_bytes),
      cmocka_unit_test(a_run_killed_without_a_checkpoint_is_told_so),
      cmocka_unit_test(a_run_stopped_with_ctrl_c_goes_on_to_the_same_values),
      cmocka_unit_test(a_resumed_run_must_be_its_own),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
