#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static void text_grows(void **state)
{
  (void)state;
  pki_text t = {0};
  for (int i = 0; i < 1000; i++) {
    pki_text_addf(&t, "%03d,", i);
  }
  assert_int_equal(t.size, 4000);
  assert_memory_equal(t.data + 4 * 537, "537,", 4);
  assert_int_equal(t.data[4000], '\0');
  pki_text_free(&t);
  assert_null(t.data);
}

static void markup_is_escaped(void **state)
{
  (void)state;
  pki_text t = {0};
  pki_text_add_escaped(&t, "a<b> & \"c\" 'd' µ");
  assert_string_equal(t.data, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; µ");
  pki_text_free(&t);
}

static void what_xml_cannot_hold_is_replaced(void **state)
{
  (void)state;
  pki_text t = {0};
  /* a control character, a lone continuation byte, a cut sequence, an overlong one, a surrogate */
  pki_text_add_escaped(&t, "\x01|\x80|\xC3|\xC0\xAF|\xED\xA0\x80|\n");
  assert_string_equal(t.data, "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|"
                              "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\n");
  pki_text_free(&t);
}

static void json_strings_hold_any_text(void **state)
{
  (void)state;
  pki_text t = {0};
  pki_text_add_json_string(&t, "a \"b\" \\ c\n\x01 </script> µ \xC3");
  assert_string_equal(t.data, "\"a \\\"b\\\" \\\\ c\\u000a\\u0001 \\u003c/script> µ \xEF\xBF\xBD\"");
  pki_text_free(&t);
}

static void json_numbers_are_finite(void **state)
{
  (void)state;
  pki_text t = {0};
  const double values[] = {0.1, -1e-300, INFINITY, NAN, 123456789};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    pki_text_add_json_number(&t, values[i]);
    pki_text_add(&t, " ");
  }
  assert_string_equal(t.data, "0.1 -1e-300 null null 123456789 ");
  pki_text_free(&t);
}

/* The examples of RFC 4648, section 10. */
static void base64_is_that_of_the_standard(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_text t = {0};
    pki_text_add_base64(&t, cases[i][0], strlen(cases[i][0]));
    assert_string_equal(t.data, cases[i][1]);
    pki_text_free(&t);
  }
}

static int count_files(const char *folder)
{
  int count = 0;
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  for (const struct dirent *e; (e = readdir(listing)) != NULL;) {
    count += e->d_name[0] != '.';
  }
  closedir(listing);
  return count;
}

static void capitals_are_those_of_ascii(void **state)
{
  (void)state;
  char out[16], little[4];
  assert_string_equal(pki_capitals("ur10_Zz\xc3\xa4", out, sizeof out), "UR10_ZZ\xc3\xa4");
  assert_string_equal(pki_capitals("robot", little, sizeof little), "ROB");
  assert_string_equal(pki_capitals("", little, sizeof little), "");
}

static void a_file_appears_whole_and_leaves_nothing_beside_it(void **state)
{
  (void)state;
  char folder[] = "pronk-text-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[256], line[64];
  snprintf(path, sizeof path, "%s/a.txt", folder);
  for (int i = 0; i < 2; i++) { /* the second time over the first */
    pki_text t = {0};
    pki_text_addf(&t, "round %d\n", i);
    pk_error err;
    assert_int_equal(pki_text_save(&t, path, &err), PK_OK);
    pki_text_free(&t);
  }
  assert_int_equal(count_files(folder), 1);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  assert_string_equal(line, "round 1\n");
  remove(path);
  rmdir(folder);
}

static void a_file_that_cannot_be_written_says_so(void **state)
{
  (void)state;
  pki_text t = {0};
  pki_text_add(&t, "x");
  pk_error err = {0};
  assert_int_equal(pki_text_save(&t, "/nowhere/at/all.txt", &err), PK_ERROR_FILE);
  assert_string_equal(err.file, "/nowhere/at/all.txt");
  assert_non_null(strstr(err.message, "No such file"));
  t.failed = true;
  assert_int_equal(pki_text_save(&t, "never.txt", &err), PK_ERROR_MEMORY);
  pki_text_free(&t);
}

static void folders_are_made_from_the_top(void **state)
{
  (void)state;
  char folder[] = "pronk-text-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[256];
  pk_error err = {0};
  snprintf(path, sizeof path, "%s/a/b", folder);
  assert_int_equal(pki_folder_create(path, &err), PK_OK);
  assert_int_equal(pki_folder_create(path, &err), PK_OK);
  char file[300];
  snprintf(file, sizeof file, "%s/file", path);
  pki_text t = {0};
  pki_text_add(&t, "x");
  assert_int_equal(pki_text_save(&t, file, &err), PK_OK);
  pki_text_free(&t);
  /* A file in the way is an error, not a folder. */
  assert_int_equal(pki_folder_create(file, &err), PK_ERROR_FILE);
  remove(file);
  rmdir(path);
  snprintf(path, sizeof path, "%s/a", folder);
  rmdir(path);
  rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_grows),
      cmocka_unit_test(markup_is_escaped),
      cmocka_unit_test(what_xml_cannot_hold_is_replaced),
      cmocka_unit_test(json_strings_hold_any_text),
      cmocka_unit_test(json_numbers_are_finite),
      cmocka_unit_test(base64_is_that_of_the_standard),
      cmocka_unit_test(capitals_are_those_of_ascii),
      cmocka_unit_test(a_file_appears_whole_and_leaves_nothing_beside_it),
      cmocka_unit_test(a_file_that_cannot_be_written_says_so),
      cmocka_unit_test(folders_are_made_from_the_top),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
