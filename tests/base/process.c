/* Programs that are run to their end. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "support/bounds.h"

/* What a shell's line says in an open folder; its exit status. */
static int shell(const char *line, int folder, char *said, size_t size)
{
  const char *const arguments[] = {"sh", "-c", line, NULL};
  int code = -1;
  const int out = memfd_create("said", MFD_CLOEXEC);
  assert_at_least(out, 0);
  assert_true(pki_process_run(arguments, NULL, folder, -1, out, &code));
  const ssize_t n = pread(out, said, size - 1, 0);
  said[n > 0 ? n : 0] = '\0';
  close(out);
  return code;
}

static void a_program_that_is_run_is_in_our_process_group(void **state)
{
  (void)state;
  char said[256], *rest;
  assert_int_equal(shell("cat /proc/$$/stat", -1, said, sizeof said), 0);
  /* pid (name) state parent group */
  rest = strrchr(said, ')');
  assert_non_null(rest);
  int parent = 0, group = 0;
  assert_int_equal(sscanf(rest, ") %*c %d %d", &parent, &group), 2);
  assert_int_equal(parent, getpid());
  assert_int_equal(group, getpgrp());
}

/* A signal to the group, as Ctrl-C sends it, ends us and the program that we wait for. */
static void what_interrupts_us_interrupts_it(void **state)
{
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_at_least(child, 0);
  if (child == 0) {
    const char *const arguments[] = {"sh", "-c", "echo here; sleep 20; echo late", NULL};
    int code;
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    close(ends[0]);
    pki_process_run(arguments, NULL, -1, -1, ends[1], &code);
    _exit(1);
  }
  char said[8] = "";
  close(ends[1]);
  assert_int_equal(read(ends[0], said, sizeof said), 5);
  assert_string_equal(said, "here\n");
  assert_int_equal(kill(-child, SIGINT), 0);
  assert_int_equal(read(ends[0], said, sizeof said), 0); /* ended, and never late */
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  close(ends[0]);
}

static void it_runs_in_the_folder_that_is_open(void **state)
{
  (void)state;
  char folder[] = "/tmp/pronk-process-XXXXXX", moved[64], path[128], said[256];
  assert_non_null(mkdtemp(folder));
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_at_least(fd, 0);
  snprintf(moved, sizeof moved, "%s-moved", folder);
  assert_int_equal(rename(folder, moved), 0); /* by whatever name */
  assert_int_equal(shell("echo here > file; exit 3", fd, said, sizeof said), 3);
  snprintf(path, sizeof path, "%s/file", moved);
  assert_true(pki_is_file(path));
  close(fd);
  assert_true(pki_folder_remove(moved));
}

static void what_does_not_start_is_told(void **state)
{
  (void)state;
  const char *const arguments[] = {"no-such-program", NULL};
  int code;
  assert_false(pki_process_run(arguments, NULL, -1, -1, -1, &code));
  char said[64];
  assert_int_equal(shell("kill -9 $$", -1, said, sizeof said), 128 + SIGKILL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_that_is_run_is_in_our_process_group),
      cmocka_unit_test(what_interrupts_us_interrupts_it),
      cmocka_unit_test(it_runs_in_the_folder_that_is_open),
      cmocka_unit_test(what_does_not_start_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
