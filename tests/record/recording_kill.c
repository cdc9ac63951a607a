/* kill -9 while samples are written: what is in the file reaches to within a second of the last of them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/record.h"
#include "support/bounds.h"

enum { COLUMNS = 150, KILLS = 8 };

/* Write at 1 kHz of a run's time, as fast as it goes; *last is the time that has been written. */
static void write_samples(const char *path, volatile double *last)
{
  static const char *column[COLUMNS], *unit[COLUMNS];
  static char names[COLUMNS][8];
  double values[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) {
    snprintf(names[i], sizeof names[i], "c%d", i);
    column[i] = names[i];
    unit[i] = "";
  }
  const pk_recorder_channel channel = {
      .name = "all", .doc = "", .columns = COLUMNS, .column = column, .unit = unit};
  const pk_recording_about about = {0};
  pk_recorder *file = NULL;
  pki_random random = pki_random_seeded(1);
  if (pk_recording_create(path, NULL, &file, NULL) != PK_OK ||
      file->begin(file, &about, &channel, 1, NULL) != PK_OK) {
    _exit(1);
  }
  for (long step = 0;; step++) {
    for (int i = 0; i < COLUMNS; i++) {
      values[i] = pki_random_unit(&random); /* nothing that compresses */
    }
    const double time = 1e-3 * (double)step;
    if (file->write(file, 0, time, values, 1) != PK_OK) {
      _exit(1);
    }
    *last = time;
  }
}

static void a_kill_costs_less_than_a_second_of_the_run(void **state)
{
  (void)state;
  static const char path[] = "killed.mcap";
  volatile double *last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(last != MAP_FAILED);
  pki_random random = pki_random_seeded(7);
  for (int i = 0; i < KILLS; i++) {
    *last = -1;
    const pid_t pid = fork();
    assert_at_least(pid, 0);
    if (pid == 0) {
      write_samples(path, last);
    }
    while (*last < 2 && waitpid(pid, NULL, WNOHANG) == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)(5e7 * pki_random_unit(&random))}, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    pk_recording *r = NULL;
    pk_error err = {.message = ""};
    double start, end;
    if (pk_recording_open(path, &r, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    pk_recording_span(r, &start, &end);
    print_message("written %.3f s, in the file %.3f s\n", *last, end);
    assert_true(start == 0);
    assert_greater(end, *last - 1);
    assert_false(pk_recording_is_complete(r));
    pk_recording_close(r);
  }
  remove(path);
  munmap((void *)last, sizeof *last);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_kill_costs_less_than_a_second_of_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
