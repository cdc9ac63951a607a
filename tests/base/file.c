/* Files, folders, and what is neither. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

typedef struct place {
  char folder[64], file[96], pipe[96], nothing[96];
} place;

static int set_up(void **state)
{
  static place p;
  snprintf(p.folder, sizeof p.folder, "/tmp/pronk_file_XXXXXX");
  if (mkdtemp(p.folder) == NULL) {
    return -1;
  }
  snprintf(p.file, sizeof p.file, "%s/file", p.folder);
  snprintf(p.pipe, sizeof p.pipe, "%s/pipe", p.folder);
  snprintf(p.nothing, sizeof p.nothing, "%s/nothing", p.folder);
  FILE *out = fopen(p.file, "wb");
  *state = &p;
  return out != NULL && fwrite("a\0bc", 1, 4, out) == 4 && fclose(out) == 0 && mkfifo(p.pipe, 0600) == 0 ? 0
                                                                                                         : -1;
}

static int tear_down(void **state)
{
  const place *p = *state;
  unlink(p->file), unlink(p->pipe);
  return rmdir(p->folder);
}

static void files_and_folders_are_told_apart(void **state)
{
  const place *p = *state;
  assert_true(pki_is_file(p->file) && !pki_is_folder(p->file));
  assert_true(pki_is_folder(p->folder) && !pki_is_file(p->folder));
  assert_false(pki_is_file(p->pipe) || pki_is_folder(p->pipe));
  assert_false(pki_is_file(p->nothing) || pki_is_folder(p->nothing));
  assert_false(pki_is_file(NULL) || pki_is_folder(NULL));
}

static void a_file_is_read_whole_and_ends_with_zero(void **state)
{
  const place *p = *state;
  size_t size = 0;
  char *data = pki_file_read(p->file, 4, &size);
  assert_non_null(data);
  assert_int_equal(size, 4);
  assert_memory_equal(data, "a\0bc", 5);
  free(data);
}

static void what_cannot_be_read_says_why(void **state)
{
  const place *p = *state;
  size_t size = 0;
  alarm(10); /* waiting for the pipe ends the test */
  errno = 0, assert_null(pki_file_read(p->pipe, 4, &size)), assert_int_equal(errno, ESPIPE);
  alarm(0);
  errno = 0, assert_null(pki_file_read(p->folder, 4, &size)), assert_int_equal(errno, EISDIR);
  errno = 0, assert_null(pki_file_read(p->nothing, 4, &size)), assert_int_equal(errno, ENOENT);
  errno = 0, assert_null(pki_file_read(p->file, 3, &size)), assert_int_equal(errno, EFBIG);
  assert_int_equal(size, 4);
}

static void a_folder_goes_with_all_that_is_in_it(void **state)
{
  const place *p = *state;
  char root[96], deep[128], link[160];
  snprintf(root, sizeof root, "%s/root", p->folder);
  snprintf(deep, sizeof deep, "%s/deep", root);
  snprintf(link, sizeof link, "%s/link", deep);
  assert_int_equal(mkdir(root, 0700) + mkdir(deep, 0700) + symlink(p->file, link), 0);
  assert_true(pki_folder_remove(root));
  assert_false(pki_is_folder(root));
  assert_true(pki_is_file(p->file)); /* what a link led to stays */
  assert_true(pki_folder_remove(root));
}

static void bytes_that_cannot_be_written_say_why(void **state)
{
  const place *p = *state;
  FILE *out = fopen(p->file, "wb");
  assert_non_null(out);
  assert_true(pki_write_all(fileno(out), "a\0b", 3));
  fclose(out);
  size_t size;
  char *read = pki_file_read(p->file, 10, &size);
  assert_int_equal(size, 3);
  assert_memory_equal(read, "a\0b", 4);
  free(read);
  assert_false(pki_write_all(-1, "a", 1));
  assert_int_equal(errno, EBADF);
}

static void a_name_has_more_than_its_ending(void **state)
{
  (void)state;
  assert_true(pki_ends_with("run.mcap", ".mcap"));
  assert_false(pki_ends_with(".mcap", ".mcap"));
  assert_false(pki_ends_with("run.mcap.gz", ".mcap"));
}

static void a_stem_is_a_name_without_folder_and_ending(void **state)
{
  (void)state;
  static const struct {
    const char *path, *stem;
  } cases[] = {
      {"trot.yaml", "trot"},
      {"a.b/trot.yaml", "trot"},
      {"/gaits/trot", "trot"},
      {"trot.fast.yaml", "trot.fast"},
      {"folder/.hidden", ".hidden"},
      {"folder/", ""},
      {"", ""},
  };
  char out[64], small[4];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_file_stem(cases[i].path, out, sizeof out);
    assert_string_equal(out, cases[i].stem);
  }
  pki_file_stem("folder/trot.yaml", small, sizeof small);
  assert_string_equal(small, "tro");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(files_and_folders_are_told_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_file_is_read_whole_and_ends_with_zero, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_read_says_why, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_goes_with_all_that_is_in_it, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bytes_that_cannot_be_written_say_why, set_up, tear_down),
      cmocka_unit_test(a_name_has_more_than_its_ending),
      cmocka_unit_test(a_stem_is_a_name_without_folder_and_ending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
