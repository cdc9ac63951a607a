/* pronk sweep as a user meets it: killed, resumed, on threads and on ranks, always to the same bytes.
 *
 * With the word "long" (and PRONK_LONG set) the sweep of 2000 trots instead of a small one. PRONK_KILL_SEED repeats the times
 * at which processes are killed, as far as the clock lets them repeat. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <dirent.h>
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
#include "support/bounds.h"
#include "support/pace.h"
#include "sweep/store.h"

static const char *name = "starleth-trot-quick"; /* of the sweep */
static long long samples = 24;
static bool is_long;
static char folder[64];
static pki_random dice;

static void nap(double seconds)
{
  const struct timespec t = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
  nanosleep(&t, NULL);
}

/* ---- processes ---- */

enum { WORDS = 24 };

/* `ranks` 0: without mpirun; a group of its own, which can be killed as a whole. */
static pid_t start(int ranks, int threads, const char *output)
{
  char n[16], t[16];
  const char *words[WORDS];
  int count = 0;
  snprintf(n, sizeof n, "%d", ranks);
  snprintf(t, sizeof t, "%d", threads);
  if (ranks > 0) {
    const char *const mpi[] = {"mpirun", "--oversubscribe", "--allow-run-as-root", "-n", n};
    for (size_t i = 0; i < sizeof mpi / sizeof mpi[0]; i++) {
      words[count++] = mpi[i];
    }
  }
  static const char program[] = PK_BUILD_DIR "/pronk";
  const char *const own[] = {program, "sweep", name, "--threads", t, "-o", output, NULL};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    words[count++] = own[i];
  }
  const pid_t pid = fork();
  assert_at_least(pid, 0);
  if (pid == 0) {
    setpgid(0, 0);
    const int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(log, 1);
    dup2(log, 2);
    execvp(words[0], (char *const *)words);
    _exit(127);
  }
  setpgid(pid, pid);
  return pid;
}

static int wait_for(pid_t pid)
{
  int code;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static void run_whole(int ranks, int threads, const char *output)
{
  const int code = wait_for(start(ranks, threads, output));
  if (code != 0) {
    size_t size;
    char *log = pki_file_read("log", 1 << 20, &size);
    fail_msg("%d ranks, %d threads: status %d\n%s", ranks, threads, code, log != NULL ? log : "");
  }
}

/* ---- files ---- */

static char *path_in(const char *output, const char *file)
{
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", output, file);
  return path;
}

/* Records in the store of an output; each sample must be there once. */
static long long records_in(const char *output)
{
  size_t size;
  unsigned char *bytes = (unsigned char *)pki_file_read(path_in(output, "samples.pronk"), 1 << 28, &size);
  const long long whole =
      bytes == NULL || size < PKI_STORE_HEAD ? 0 : (long long)((size - PKI_STORE_HEAD) / pki_record_size());
  char *seen = calloc((size_t)samples, 1);
  for (long long i = 0; i < whole; i++) {
    pki_record r;
    assert_true(pki_record_decode(bytes + PKI_STORE_HEAD + (size_t)i * pki_record_size(), samples, &r));
    assert_int_equal(seen[r.index]++, 0);
  }
  free(seen);
  free(bytes);
  return whole;
}

static void same(const char *output, const char *file)
{
  size_t na, nb;
  char *a = pki_file_read(path_in("whole", file), 1 << 28, &na),
       *b = pki_file_read(path_in(output, file), 1 << 28, &nb);
  assert_non_null(a);
  assert_non_null(b);
  if (na != nb || memcmp(a, b, na) != 0) {
    fail_msg("%s of %s differs from that of an undisturbed run", file, output);
  }
  free(a);
  free(b);
}

static void same_results(const char *output)
{
  same(output, "results.csv");
  if (pki_is_file("whole/results.h5")) {
    same(output, "results.h5");
  }
  same(output, "report.html");
  assert_int_equal(records_in(output), samples);
}

/* ---- tests ---- */

static bool has_mpirun(void)
{
  return system("command -v mpirun >/dev/null 2>&1") == 0 &&
         pki_is_file(PK_BUILD_DIR "/plugins/pronk_mpi.so");
}

/* Bytes of its store, 0: there is none. */
static off_t size_of(const char *output)
{
  struct stat info;
  return stat(path_in(output, "samples.pronk"), &info) == 0 ? info.st_size : 0;
}

/* Until it has finished some more samples: the moment to kill it. */
static void wait_for_progress(pid_t pid, const char *output, long long more)
{
  const off_t end = PKI_STORE_HEAD + (off_t)((records_in(output) + more) * (long long)pki_record_size());
  while (size_of(output) < end) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
      return;
    }
    nap(1e-3);
  }
}

/* A machine that is busy may let a process end before it is killed: then all starts anew. */
enum { TRIES = 20 };

/* Killed in the middle; false when it had ended by itself. */
static bool kill_in_the_middle(void)
{
  const long long before = records_in("killed");
  const pid_t pid = start(0, 2, "killed");
  const long long sixth = samples / 6;
  wait_for_progress(pid, "killed", 1 + (long long)(pki_random_unit(&dice) * (double)sixth));
  nap(pki_random_unit(&dice) * 0.02);
  kill(pid, SIGKILL);
  if (wait_for(pid) != -1 || records_in("killed") == samples) {
    return false;
  }
  assert_greater(records_in("killed"), before);
  assert_false(pki_is_file("killed/results.csv"));
  return true;
}

static void killed_three_times_it_gives_the_same_bytes(void **state)
{
  (void)state;
  int kills = 0;
  for (int i = 0; i < TRIES && kills < 3; i++) {
    if (kill_in_the_middle()) {
      kills++;
      const pid_t pid = start(0, 2, "killed"); /* and once more while it starts */
      nap(pki_random_unit(&dice) * 0.03);
      kill(pid, SIGKILL);
      wait_for(pid);
    } else {
      kills = 0;
      assert_true(pki_folder_remove("killed"));
    }
  }
  assert_int_equal(kills, 3);
  run_whole(0, 2, "killed");
  same_results("killed");
}

static void one_thread_gives_the_same_bytes(void **state)
{
  (void)state;
  run_whole(0, 1, "one");
  same_results("one");
}

static void ranks_give_the_same_bytes(void **state)
{
  (void)state;
  if (!has_mpirun()) {
    skip();
  }
  for (int ranks = PACE(1, 2); ranks <= PACE(4, 2); ranks *= 2) {
    char output[16];
    snprintf(output, sizeof output, "ranks%d", ranks);
    run_whole(ranks, 1, output);
    same_results(output);
  }
}

/* The child of mpirun that has rank `rank`; 0: not found. */
static pid_t find_rank(pid_t mpirun, int rank)
{
  DIR *list = opendir("/proc");
  pid_t found = 0;
  for (const struct dirent *e; list != NULL && found == 0 && (e = readdir(list)) != NULL;) {
    char path[300], wanted[40], text[64] = "";
    const long pid = strtol(e->d_name, NULL, 10);
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
    FILE *file = pid > 0 ? fopen(path, "r") : NULL;
    if (file != NULL) {
      if (fscanf(file, "%*d %63s %*c %d", text, &parent) != 2) {
        parent = 0;
      }
      fclose(file);
    }
    if (parent != mpirun) {
      continue;
    }
    size_t size = 0;
    char environment[1 << 16];
    snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
    file = fopen(path, "r");
    if (file != NULL) {
      size = fread(environment, 1, sizeof environment - 1, file);
      fclose(file);
    }
    snprintf(wanted, sizeof wanted, "OMPI_COMM_WORLD_RANK=%d", rank);
    for (size_t i = 0; i < size; i += strnlen(environment + i, size - i) + 1) {
      environment[size] = '\0';
      found = strcmp(environment + i, wanted) == 0 ? (pid_t)pid : found;
    }
  }
  if (list != NULL) {
    closedir(list);
  }
  return found;
}

/* Rank `victim` of two is killed in the middle; false when they had ended by themselves. */
static bool kill_rank(int victim)
{
  const long long before = records_in("dead");
  const pid_t pid = start(2, 1, "dead");
  wait_for_progress(pid, "dead", samples / 8);
  const pid_t rank = find_rank(pid, victim);
  if (rank > 0) {
    kill(rank, SIGKILL);
  }
  const int code = wait_for(pid);
  if (rank == 0 || code == 0 || records_in("dead") == samples) {
    return false;
  }
  assert_greater(records_in("dead"), before);
  return true;
}

static void a_rank_that_dies_costs_its_unfinished_samples_alone(void **state)
{
  (void)state;
  if (!has_mpirun()) {
    skip();
  }
  int kills = 0;
  for (int i = 0; i < TRIES && kills < 2; i++) {
    if (kill_rank(1 - kills)) { /* one that computes, then the one that stores */
      kills++;
    } else {
      kills = 0;
      assert_true(pki_folder_remove("dead"));
    }
  }
  assert_int_equal(kills, 2);
  run_whole(4, 1, "dead");
  same_results("dead");
}

static void ctrl_c_ends_it_cleanly_and_it_goes_on(void **state)
{
  (void)state;
  int code = 0;
  for (int i = 0; i < TRIES && code == 0; i++) {
    assert_true(pki_folder_remove("stopped"));
    const pid_t pid = start(0, 1, "stopped");
    wait_for_progress(pid, "stopped", 1);
    kill(pid, SIGINT);
    code = wait_for(pid);
  }
  assert_int_equal(code, 1);
  size_t size;
  char *log = pki_file_read("log", 1 << 20, &size);
  assert_non_null(strstr(log, "samples finished; the same command resumes"));
  free(log);
  run_whole(0, 2, "stopped");
  same_results("stopped");
}

static void a_second_process_in_the_same_folder_is_refused(void **state)
{
  (void)state;
  char arguments[128];
  const pid_t pid = start(0, 1, "twice");
  wait_for_progress(pid, "twice", 1);
  kill(pid, SIGSTOP);
  snprintf(arguments, sizeof arguments, "sweep %s -o twice", name);
  run_result r = run(arguments);
  kill(pid, SIGKILL);
  wait_for(pid);
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "another process is at work in this folder"));
  run_free(&r);
}

static void another_sweep_in_the_same_folder_is_refused(void **state)
{
  (void)state;
  run_result r = run("sweep starleth-trot-quick -o whole --set controller.cycle=0.7");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "another scenario") && contains(r.err, "--again"));
  run_free(&r);
}

static void json_tells_how_it_went(void **state)
{
  (void)state;
  cJSON *o = run_json("sweep starleth-trot-quick -o whole --json", 0);
  assert_int_equal(cJSON_GetObjectItem(o, "samples")->valueint, 24);
  assert_int_equal(cJSON_GetObjectItem(o, "kept")->valueint, 24);
  assert_int_equal(cJSON_GetObjectItem(o, "ran")->valueint, 0);
  const cJSON *worst = cJSON_GetObjectItem(o, "worst");
  assert_int_equal(cJSON_GetArraySize(worst), 2);

  /* the command that it names gives the numbers that it names */
  const cJSON *first = cJSON_GetArrayItem(worst, 0);
  char command[2048];
  snprintf(command, sizeof command, "%s -n --json",
           cJSON_GetObjectItem(first, "command")->valuestring + strlen("pronk "));
  cJSON *again = run_json(command, 0);
  assert_true(cJSON_GetObjectItem(again, "distance")->valuedouble ==
              cJSON_GetObjectItem(first, "distance")->valuedouble);
  assert_true(cJSON_GetObjectItem(again, "energy_in")->valuedouble ==
              cJSON_GetObjectItem(first, "energy_in")->valuedouble);
  cJSON_Delete(again);
  cJSON_Delete(o);
}

static void check_knows_sweeps(void **state)
{
  (void)state;
  cJSON *o = run_json("check " PK_SOURCE_DIR "/sweeps/starleth-trot.yaml --json", 0);
  assert_int_equal(cJSON_GetObjectItem(o, "samples")->valueint, 2000);
  cJSON_Delete(o);
  write_file("wrong.yaml",
             "scenario: starleth-trot\nparameters:\n  - {key: controller.forward, gird: [1]}\n");
  run_result r = run("check wrong.yaml");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "wrong.yaml:3: error: ") && contains(r.out, "did you mean \"grid\""));
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  static const char *const lines[][2] = {
      {"sweep", "name one sweep"},
      {"sweep starleth-trot-quik", "did you mean 'starleth-trot-quick'?"},
      {"sweep starleth-trot-quick --threads 0", "--threads is '0', expected a number from 1 to 1024"},
      {"sweep starleth-trot-quick --threads 1.5", "expected a whole number"},
      {"sweep starleth-trot-quick --set contoller.cycle=1", "controller"},
  };
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    run_result r = run(lines[i][0]);
    assert_int_equal(r.status, 2);
    if (!contains(r.err, lines[i][1])) {
      fail_msg("%s: %s", lines[i][0], r.err);
    }
    run_free(&r);
  }
  run_result r = run("sweep starleth-trot-quick --plan");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "24 samples of starleth-trot") && contains(r.out, "--set seed=1"));
  run_free(&r);
}

/* Shorter samples where every step is slow: ./sweeps is searched first. */
static void write_short_sweep(void)
{
  size_t size;
  char *text = pki_file_read(PK_SOURCE_DIR "/sweeps/starleth-trot-quick.yaml", 1 << 16, &size);
  assert_non_null(text);
  char *duration = strstr(text, "duration: 1\n");
  assert_non_null(duration);
  FILE *file = mkdir("sweeps", 0777) == 0 ? fopen("sweeps/starleth-trot-quick.yaml", "w") : NULL;
  assert_non_null(file);
  fprintf(file, "%.*sduration: 0.2\n%s", (int)(duration - text), text, duration + strlen("duration: 1\n"));
  fclose(file);
  free(text);
}

static int enter(void **state)
{
  (void)state;
  const char *seed = getenv("PRONK_KILL_SEED");
  const uint64_t from = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
  printf("PRONK_KILL_SEED=%llu\n", (unsigned long long)from);
  dice = pki_random_seeded(from);
  snprintf(folder, sizeof folder, "/tmp/pronk-sweeps-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  setenv("PRONK_SWEEPS", PK_SOURCE_DIR "/sweeps", 1);
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
#if PK_TEST_SLOW
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* MPI keeps what it has */
#endif
  if (PACE(0, 1)) {
    write_short_sweep();
  }
  run_whole(0, 2, "whole");
  return records_in("whole") == samples ? 0 : -1;
}

static int leave(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

int main(int argc, char **argv)
{
  (void)argv;
  is_long = argc > 1;
  if (is_long && getenv("PRONK_LONG") == NULL) {
    puts("PRONK_LONG is not set");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(killed_three_times_it_gives_the_same_bytes),
      cmocka_unit_test(one_thread_gives_the_same_bytes),
      cmocka_unit_test(ranks_give_the_same_bytes),
      cmocka_unit_test(a_rank_that_dies_costs_its_unfinished_samples_alone),
      cmocka_unit_test(ctrl_c_ends_it_cleanly_and_it_goes_on),
      cmocka_unit_test(a_second_process_in_the_same_folder_is_refused),
  };
  const struct CMUnitTest all[] = {
      cmocka_unit_test(killed_three_times_it_gives_the_same_bytes),
      cmocka_unit_test(one_thread_gives_the_same_bytes),
      cmocka_unit_test(ranks_give_the_same_bytes),
      cmocka_unit_test(a_rank_that_dies_costs_its_unfinished_samples_alone),
      cmocka_unit_test(ctrl_c_ends_it_cleanly_and_it_goes_on),
      cmocka_unit_test(a_second_process_in_the_same_folder_is_refused),
      cmocka_unit_test(another_sweep_in_the_same_folder_is_refused),
      cmocka_unit_test(json_tells_how_it_went),
      cmocka_unit_test(check_knows_sweeps),
      cmocka_unit_test(wrong_usage_is_told),
  };
  if (is_long) {
    name = "starleth-trot";
    samples = 2000;
    return cmocka_run_group_tests_name("cli/sweep_long", tests, enter, leave);
  }
  return cmocka_run_group_tests_name("cli/sweep", all, enter, leave);
}
