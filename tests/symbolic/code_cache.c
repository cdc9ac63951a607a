/* The cache of compiled robots goes by the folder that it has open. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "pronk/code.h"
#include "support/bounds.h"
#include "symbolic/code/code_cache.h"
#include "symbolic/code/code_compiler.h"

static const char key[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

typedef struct fixture {
  char folder[64], moved[64];
  pki_cache cache;
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/pronk-cache-XXXXXX");
  *state = f;
  if (mkdtemp(f->folder) == NULL || pki_cache_open(f->folder, &f->cache, NULL) != PK_OK) {
    return -1;
  }
  snprintf(f->moved, sizeof f->moved, "%s-moved", f->folder);
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  pki_cache_close(&f->cache);
  const bool good = pki_folder_remove(f->folder) && pki_folder_remove(f->moved);
  free(f);
  return !good;
}

static int entries_in(const char *folder)
{
  int n = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (struct dirent *e; (e = readdir(list)) != NULL;) {
    n += e->d_name[0] != '.';
  }
  closedir(list);
  return n;
}

static bool is_there(const char *folder, const char *name)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* Somebody puts another folder in the checked one's place: nothing is made, kept or removed there. */
static void a_folder_in_the_place_of_the_checked_one_is_not_touched(void **state)
{
  fixture *f = *state;
  char file[128], other[256];
  pki_cache_build build;
  pki_compiler compiler;
  pki_text source = {0}, bytes = {0};
  pki_text_add(&source, "int robot_number(void) { return 7; }\n");
  assert_int_equal(pki_compiler_find(NULL, &compiler, NULL), PK_OK);
  assert_int_equal(rename(f->folder, f->moved), 0);
  assert_int_equal(mkdir(f->folder, 0700), 0);
  assert_int_equal(pki_cache_begin(&f->cache, &build, NULL), PK_OK);
  assert_true(is_there(f->moved, build.name));
  /* one of the same name there, with a file of the right name in it */
  snprintf(other, sizeof other, "%s/%s", f->folder, build.name);
  assert_int_equal(mkdir(other, 0700), 0);
  snprintf(other + strlen(other), sizeof other - strlen(other), "/%s", PKI_CACHE_FILE);
  FILE *wrong = fopen(other, "w");
  fputs("wrong", wrong);
  fclose(wrong);
  assert_int_equal(pki_compile(&compiler, 1, &source, build.folder, PKI_CACHE_FILE, NULL), PK_OK);
  assert_int_equal(pki_cache_keep(&f->cache, key, &build, &bytes, NULL), PK_OK);
  assert_greater(bytes.size, 100);
  assert_true(memcmp(bytes.data, "\177ELF", 4) == 0);
  pki_cache_end(&f->cache, &build);
  assert_false(is_there(f->moved, build.name));
  assert_true(is_there(f->folder, build.name) && access(other, F_OK) == 0);
  assert_int_equal(entries_in(f->folder), 1);
  snprintf(file, sizeof file, "%s.so", key);
  assert_true(is_there(f->moved, file));
  assert_int_equal(entries_in(f->moved), 2); /* and its hash */
  pki_text_free(&source);
  pki_text_free(&bytes);
}

/* A folder of a build that broke off, some hours ago. */
static void leave_build(const fixture *f, const char *name, int hours)
{
  char path[256], file[280];
  snprintf(path, sizeof path, "%s/%s", f->folder, name);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(file, sizeof file, "%s/robot.so", path);
  const int fd = open(file, O_WRONLY | O_CREAT, 0600);
  assert_at_least(fd, 0);
  close(fd);
  const time_t then = time(NULL) - (time_t)hours * 3600;
  const struct timespec times[2] = {{.tv_sec = then}, {.tv_sec = then}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_broken_builds_left_goes_after_a_day(void **state)
{
  fixture *f = *state;
  pki_cache_build build;
  pki_text bytes = {0};
  leave_build(f, "build-yester", 25);
  leave_build(f, "build-todays", 23);
  assert_int_equal(pki_cache_begin(&f->cache, &build, NULL), PK_OK);
  const int fd = openat(build.folder, PKI_CACHE_FILE, O_WRONLY | O_CREAT, 0700);
  assert_true(pki_write_all(fd, "code", 4));
  close(fd);
  assert_int_equal(pki_cache_keep(&f->cache, key, &build, &bytes, NULL), PK_OK);
  pki_cache_end(&f->cache, &build);
  assert_false(is_there(f->folder, "build-yester"));
  assert_true(is_there(f->folder, "build-todays")); /* somebody may be at it */
  pki_text_free(&bytes);
}

static void a_compiler_by_a_relative_path_is_found_from_the_root(void **state)
{
  fixture *f = *state;
  pki_compiler compiler;
  char here[4096], link[128], found[4096];
  assert_int_equal(pki_compiler_find(NULL, &compiler, NULL), PK_OK);
  strcpy(found, compiler.path);
  assert_non_null(getcwd(here, sizeof here));
  snprintf(link, sizeof link, "%s/mycc", f->folder);
  assert_int_equal(symlink(found, link), 0);
  assert_int_equal(chdir(f->folder), 0);
  const pk_status status = pki_compiler_find("./mycc", &compiler, NULL);
  assert_int_equal(chdir(here), 0);
  assert_int_equal(status, PK_OK);
  assert_int_equal(compiler.path[0], '/');
  assert_int_equal(access(compiler.path, X_OK), 0);
}

static void lanes_that_no_code_is_for_are_refused(void **state)
{
  (void)state;
  for (int lanes = -1; lanes < 20; lanes++) {
    pk_code_options o = pk_code_options_default();
    pk_error err = {.message = ""};
    o.lanes = lanes;
    const bool good = lanes == 0 || lanes == 4 || lanes == 8 || lanes == 12;
    assert_int_equal(pk_code_options_validate(&o, &err), good ? PK_OK : PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, good ? "" : "lanes");
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_folder_in_the_place_of_the_checked_one_is_not_touched),
      TEST(what_broken_builds_left_goes_after_a_day),
      TEST(a_compiler_by_a_relative_path_is_found_from_the_root),
      cmocka_unit_test(lanes_that_no_code_is_for_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
