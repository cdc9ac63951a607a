/* Files that appear whole, what may be written to, and drafts that a process left behind. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/draft.h"
#include "base/file.h"
#include "support/bounds.h"

static char folder[64];

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk_draft_XXXXXX");
  return mkdtemp(folder) == NULL || chdir(folder) != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

static int count_entries(void)
{
  DIR *list = opendir(".");
  assert_non_null(list);
  int count = 0;
  for (const struct dirent *e; (e = readdir(list)) != NULL;) {
    count += e->d_name[0] != '.';
  }
  closedir(list);
  return count;
}

static void assert_holds(const char *path, const char *text)
{
  size_t size;
  char *data = pki_file_read(path, 1 << 20, &size);
  assert_non_null(data);
  assert_string_equal(data, text);
  free(data);
}

static void write_text(const char *path, const char *text)
{
  pk_error err = {0};
  assert_int_equal(pki_file_write(path, text, strlen(text), &err), PK_OK);
}

static void assert_refused(const char *path, const char *message)
{
  pk_error err = {0};
  assert_int_equal(pki_file_write(path, "new", 3, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, path);
  assert_string_equal(err.message, message);
}

static void a_file_is_replaced_as_a_whole(void **state)
{
  (void)state;
  write_text("x", "old");
  pki_draft draft;
  assert_int_equal(pki_draft_begin(&draft, "x", NULL), PK_OK);
  assert_true(pki_write_all(draft.fd, "new", 3));
  assert_holds("x", "old");
  assert_int_equal(pki_draft_keep(&draft, NULL), PK_OK);
  assert_holds("x", "new");
  assert_int_equal(pki_draft_begin(&draft, "x", NULL), PK_OK);
  pki_draft_drop(&draft);
  assert_holds("x", "new");
  assert_int_equal(count_entries(), 1);
}

static void what_is_no_regular_file_is_refused_and_stays(void **state)
{
  (void)state;
  struct stat info;
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(mkdir("folder", 0700), 0);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
  assert_refused("pipe", "cannot be written: it is a FIFO, expected a regular file or a name that is free");
  assert_refused("folder",
                 "cannot be written: it is a folder, expected a regular file or a name that is free");
  assert_refused("socket",
                 "cannot be written: it is a socket, expected a regular file or a name that is free");
  assert_refused("/dev/null",
                 "cannot be written: it is a device, expected a regular file or a name that is free");
  assert_true(lstat("pipe", &info) == 0 && S_ISFIFO(info.st_mode));
  assert_true(lstat("socket", &info) == 0 && S_ISSOCK(info.st_mode));
  assert_true(lstat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
  assert_int_equal(count_entries(), 3);
  close(fd);
}

static void a_link_stays_and_the_file_behind_it_is_replaced(void **state)
{
  (void)state;
  struct stat info;
  assert_int_equal(mkdir("far", 0700), 0);
  write_text("far/file", "old");
  assert_int_equal(symlink("far/file", "link"), 0);
  assert_int_equal(symlink("link", "again"), 0);
  write_text("again", "new");
  assert_true(lstat("link", &info) == 0 && S_ISLNK(info.st_mode));
  assert_true(lstat("again", &info) == 0 && S_ISLNK(info.st_mode));
  assert_holds("far/file", "new");
  assert_int_equal(count_entries(), 3);
}

static void links_to_what_is_no_file_are_refused(void **state)
{
  (void)state;
  assert_int_equal(symlink("nothing", "dangling"), 0);
  assert_int_equal(symlink("circle", "circle"), 0);
  assert_int_equal(symlink("/dev/null", "device"), 0);
  assert_refused("dangling", "cannot be written: it is a link that leads nowhere: No such file or directory");
  assert_refused("circle",
                 "cannot be written: it is a link that leads nowhere: Too many levels of symbolic links");
  assert_refused("device",
                 "cannot be written: it is a device, expected a regular file or a name that is free");
  assert_int_not_equal(access("nothing", F_OK), 0);
  assert_int_equal(count_entries(), 3);
}

/* Begin a draft of x in another process and wait until it is there. The process ends with this one, too: then nobody
 * holds the other end of the pipe that it reads. */
static pid_t begin_elsewhere(void)
{
  int ends[2], life[2];
  char byte;
  assert_true(pipe(ends) == 0 && pipe(life) == 0);
  const pid_t pid = fork();
  assert_at_least(pid, 0);
  if (pid == 0) {
    pki_draft draft;
    const bool good = pki_draft_begin(&draft, "x", NULL) == PK_OK && pki_write_all(draft.fd, "half", 4) &&
                      write(ends[1], "", 1) == 1;
    close(life[1]);
    _exit(good && read(life[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  return pid;
}

static void end_process(pid_t pid)
{
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void drafts_of_killed_processes_go_at_the_next_write(void **state)
{
  (void)state;
  const pid_t first = begin_elsewhere(), second = begin_elsewhere(), third = begin_elsewhere();
  assert_int_equal(count_entries(), 3);
  end_process(first);
  end_process(third);
  assert_int_equal(count_entries(), 3);
  /* the second is at work and keeps its draft */
  write_text("x", "whole");
  assert_int_equal(count_entries(), 2);
  end_process(second);
  write_text("other", "whole");
  assert_int_equal(count_entries(), 3);
  write_text("x", "whole again");
  assert_int_equal(count_entries(), 2);
  assert_holds("x", "whole again");
}

static void files_of_the_user_beside_it_are_left_alone(void **state)
{
  (void)state;
  write_text("x.tmp", "mine");
  write_text("x.123.tmp", "mine");
  write_text("x.pronk-1.tmp.txt", "mine");
  assert_int_equal(mkdir("x.pronk-1.tmp", 0700), 0);
  assert_int_equal(symlink("x.tmp", "x.pronk-2.tmp"), 0);
  write_text("x", "new");
  assert_int_equal(count_entries(), 6);
  assert_holds("x.tmp", "mine");
}

static void writers_of_one_file_do_not_disturb_each_other(void **state)
{
  (void)state;
  pki_draft a, b;
  assert_int_equal(pki_draft_begin(&a, "x", NULL), PK_OK);
  assert_int_equal(pki_draft_begin(&b, "x", NULL), PK_OK);
  assert_true(pki_write_all(a.fd, "a", 1) && pki_write_all(b.fd, "b", 1));
  assert_int_equal(pki_draft_keep(&b, NULL), PK_OK);
  assert_holds("x", "b");
  assert_int_equal(pki_draft_keep(&a, NULL), PK_OK);
  assert_holds("x", "a");
  assert_int_equal(count_entries(), 1);
}

static bool put_much(FILE *out, const void *what)
{
  for (int i = 0; i < 100000; i++) {
    fputs(what, out);
  }
  return true; /* the stream remembers what failed */
}

static void a_limit_of_the_size_of_files_is_told_and_nothing_stays(void **state)
{
  (void)state;
  static char much[100000];
  struct rlimit before;
  pk_error bytes = {0}, stream = {0};
  write_text("x", "old");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max}), 0);
  const pk_status first = pki_file_write("x", much, sizeof much, &bytes);
  const pk_status second = pki_file_put_stream("x", put_much, "text", &stream);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(first, PK_ERROR_FILE);
  assert_int_equal(second, PK_ERROR_FILE);
  assert_string_equal(bytes.message, "cannot be written: File too large");
  assert_string_equal(stream.message, "cannot be written: File too large");
  assert_holds("x", "old");
  assert_int_equal(count_entries(), 1);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX + 8];
  memset(path, 'x', sizeof path);
  path[sizeof path - 1] = '\0';
  pk_error err = {0};
  assert_int_equal(pki_file_write(path, "", 0, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "the path is too long");
  path[PKI_PATH_MAX - 2] = '\0'; /* no room for the name of the draft; the system has a limit of its own */
  assert_int_equal(pki_file_write(path, "", 0, &err), PK_ERROR_FILE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_file_is_replaced_as_a_whole, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_regular_file_is_refused_and_stays, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_link_stays_and_the_file_behind_it_is_replaced, set_up, tear_down),
      cmocka_unit_test_setup_teardown(links_to_what_is_no_file_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(drafts_of_killed_processes_go_at_the_next_write, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files_of_the_user_beside_it_are_left_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(writers_of_one_file_do_not_disturb_each_other, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_limit_of_the_size_of_files_is_told_and_nothing_stays, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_path_that_is_too_long_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
