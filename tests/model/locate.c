/* Finding a model by what a user calls it. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/locate.h"
#include "support/bounds.h"

/* A folder to work in:
 *   library/one/one.urdf, library/one/other.urdf   two files, one of them of the folder's name
 *   library/two/only.urdf                          the only one there
 *   library/none/                                  none
 *   library/many/a.urdf, b.urdf                    none of the folder's name
 *   other/mjcf/mjcf.xml, package.xml               other formats: the folder's name,
 *   other/pack/it.pkm, package.xml                 or a compiled file alone
 *   models/one/one.urdf                            hides the library's when standing here */
typedef struct place {
  char folder[64], home[PKI_PATH_MAX];
} place;

static const char *const folders[] = {"library", "library/one", "library/two", "library/none", "library/many",
                                      "models",  "models/one",  "other",       "other/mjcf",   "other/pack"};
static const char *const files[] = {
    "library/one/one.urdf", "library/one/other.urdf", "library/two/only.urdf", "library/many/a.urdf",
    "library/many/b.urdf",  "models/one/one.urdf",    "other/mjcf/mjcf.xml",   "other/mjcf/package.xml",
    "other/pack/it.pkm",    "other/pack/package.xml"};
enum { FOLDERS = sizeof folders / sizeof folders[0], FILES = sizeof files / sizeof files[0] };

static int set_up(void **state)
{
  place *p = calloc(1, sizeof *p);
  assert_non_null(p);
  assert_non_null(getcwd(p->home, sizeof p->home));
  snprintf(p->folder, sizeof p->folder, "pronk-locate-XXXXXX");
  assert_non_null(mkdtemp(p->folder));
  assert_int_equal(chdir(p->folder), 0);
  for (int i = 0; i < FOLDERS; i++) {
    assert_int_equal(mkdir(folders[i], 0777), 0);
  }
  for (int i = 0; i < FILES; i++) {
    FILE *file = fopen(files[i], "w");
    assert_non_null(file);
    fputs("<robot/>\n", file);
    fclose(file);
  }
  setenv("PRONK_MODELS", "library", 1);
  *state = p;
  return 0;
}

static int tear_down(void **state)
{
  place *p = *state;
  for (int i = 0; i < FILES; i++) {
    remove(files[i]);
  }
  for (int i = FOLDERS - 1; i >= 0; i--) {
    rmdir(folders[i]);
  }
  assert_int_equal(chdir(p->home), 0);
  rmdir(p->folder);
  free(p);
  return 0;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void a_path_is_taken_as_it_is(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  assert_int_equal(pki_model_locate("library/one/other.urdf", path, NULL), PK_OK);
  assert_string_equal(path, "library/one/other.urdf");
}

static void a_folder_stands_for_the_file_of_its_name_or_the_only_one(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  assert_int_equal(pki_model_locate("library/one", path, NULL), PK_OK);
  assert_string_equal(path, "library/one/one.urdf");
  assert_int_equal(pki_model_locate("library/one/", path, NULL), PK_OK);
  assert_string_equal(path, "library/one/one.urdf");
  assert_int_equal(pki_model_locate("library/two", path, NULL), PK_OK);
  assert_string_equal(path, "library/two/only.urdf");
  assert_int_equal(pki_model_locate("other/mjcf", path, NULL), PK_OK);
  assert_string_equal(path, "other/mjcf/mjcf.xml");
  assert_int_equal(pki_model_locate("other/pack", path, NULL), PK_OK);
  assert_string_equal(path, "other/pack/it.pkm");
}

static void a_folder_without_one_clear_file_is_an_error(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  assert_int_equal(pki_model_locate("library/none", path, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "this folder holds no .urdf file");
  assert_int_equal(pki_model_locate("library/many", path, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "this folder holds several .urdf files; name the one you mean");
}

static void names_are_looked_up_here_first_and_then_in_the_users_folder(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  assert_int_equal(pki_model_locate("one", path, NULL), PK_OK);
  assert_string_equal(path, "models/one/one.urdf");
  assert_int_equal(pki_model_locate("two", path, NULL), PK_OK);
  assert_true(ends_with(path, "/library/two/only.urdf"));
}

static void an_unknown_name_gets_the_nearest_one(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  assert_int_equal(pki_model_locate("twoo", path, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, "twoo");
  assert_non_null(strstr(err.message, "did you mean 'two'?"));
  assert_non_null(strstr(err.message, "known models: one, two"));
}

static void a_name_does_not_lead_out_of_the_models_folders(void **state)
{
  (void)state;
  char path[PKI_PATH_MAX];
  assert_int_equal(pki_model_locate("none/../two", path, NULL), PK_ERROR_FILE);
  assert_int_equal(pki_model_locate("..", path, NULL), PK_ERROR_FILE);
  assert_int_equal(pki_model_locate("", path, NULL), PK_ERROR_FILE);
}

static void the_list_has_each_name_once_in_order(void **state)
{
  (void)state;
  int count;
  pki_model_entry *entries = pki_model_list(&count);
  assert_at_least(count, 2);
  assert_string_equal(entries[0].name, "one");
  assert_string_equal(entries[0].path, "models/one/one.urdf");
  assert_string_equal(entries[1].name, "two");
  for (int i = 1; i < count; i++) {
    assert_less(strcmp(entries[i - 1].name, entries[i].name), 0);
  }
  free(entries);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_path_is_taken_as_it_is, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_folder_stands_for_the_file_of_its_name_or_the_only_one, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_folder_without_one_clear_file_is_an_error, set_up, tear_down),
      cmocka_unit_test_setup_teardown(names_are_looked_up_here_first_and_then_in_the_users_folder, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(an_unknown_name_gets_the_nearest_one, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_name_does_not_lead_out_of_the_models_folders, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_list_has_each_name_once_in_order, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
