/* Failures carry what a user can act on, and nothing is written past its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "support/bounds.h"

static void a_failure_fills_every_part(void **state)
{
  (void)state;
  pk_error err;
  memset(&err, 0xee, sizeof err);
  const pki_where where = {.file = "robots/a.urdf", .line = 12, .field = "link[a]"};
  assert_int_equal(pki_fail(&err, PK_ERROR_SYNTAX, where, "found %d of \"%s\"", 3, "x"), PK_ERROR_SYNTAX);
  assert_int_equal(err.status, PK_ERROR_SYNTAX);
  assert_int_equal(err.line, 12);
  assert_string_equal(err.file, "robots/a.urdf");
  assert_string_equal(err.field, "link[a]");
  assert_string_equal(err.message, "found 3 of \"x\"");
}

static void a_failure_without_a_place_has_empty_parts(void **state)
{
  (void)state;
  pk_error err;
  memset(&err, 0xee, sizeof err);
  assert_int_equal(pki_fail(&err, PK_ERROR_MEMORY, (pki_where){0}, "none"), PK_ERROR_MEMORY);
  assert_int_equal(err.line, 0);
  assert_string_equal(err.file, "");
  assert_string_equal(err.field, "");
}

static void nobody_has_to_listen(void **state)
{
  (void)state;
  const pki_where where = {.file = "f", .line = 1, .field = "x"};
  assert_int_equal(pki_fail(NULL, PK_ERROR_LIMIT, where, "%s", "unheard"), PK_ERROR_LIMIT);
}

static void long_texts_are_cut_at_the_end(void **state)
{
  (void)state;
  enum { LONG = 2000 };
  static char text[LONG + 1];
  memset(text, 'x', LONG);
  /* what stands behind the error stays as it is */
  struct {
    pk_error err;
    unsigned char after[64];
  } pair;
  memset(&pair, 0xee, sizeof pair);
  pki_fail(&pair.err, PK_ERROR_FILE, (pki_where){.file = text, .field = text}, "begin %s", text);
  assert_int_equal(strlen(pair.err.file), sizeof pair.err.file - 1);
  assert_int_equal(strlen(pair.err.field), sizeof pair.err.field - 1);
  assert_int_equal(strlen(pair.err.message), sizeof pair.err.message - 1);
  assert_memory_equal(pair.err.message, "begin xxx", 9);
  assert_string_equal(pair.err.message + sizeof pair.err.message - 5, "x...");
  for (size_t i = 0; i < sizeof pair.after; i++) {
    assert_int_equal(pair.after[i], 0xee);
  }
}

static void what_is_cut_ends_with_dots_and_whole_letters(void **state)
{
  (void)state;
  static const char *const words[] = {"one", "two", "three", "four"};
  char text[17];
  pki_copy_cut(text, 8, "1234567");
  assert_string_equal(text, "1234567");
  pki_copy_cut(text, 8, "12345678");
  assert_string_equal(text, "1234...");
  pki_copy_cut(text, 8,
               "123\xc3\xa9"
               "5678"); /* the letter would lose its second half */
  assert_string_equal(text, "123...");
  pki_join_words(words, 2, text, sizeof text);
  assert_string_equal(text, "one, two");
  pki_join_words(words, 4, text, sizeof text);
  assert_string_equal(text, "one, two, ...");
}

static void every_status_has_its_own_text(void **state)
{
  (void)state;
  assert_int_equal(PK_OK, 0);
  assert_string_equal(pk_status_text(PK_OK), "ok");
  assert_string_equal(pk_status_text(PK_ERROR_LIMIT), "the input is larger than the limit");
  for (int i = 0; i < PK_STATUS_COUNT; i++) {
    assert_greater(strlen(pk_status_text((pk_status)i)), 1);
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(pk_status_text((pk_status)i), pk_status_text((pk_status)j));
    }
  }
}

static void a_number_that_is_no_status_is_called_unknown(void **state)
{
  (void)state;
  assert_string_equal(pk_status_text(PK_STATUS_COUNT), "unknown status");
  assert_string_equal(pk_status_text((pk_status)-1), "unknown status");
  assert_string_equal(pk_status_text((pk_status)1000), "unknown status");
}

static void the_version_is_three_numbers(void **state)
{
  (void)state;
  int major, minor, patch, length = -1;
  assert_int_equal(sscanf(pk_version(), "%d.%d.%d%n", &major, &minor, &patch, &length), 3);
  assert_int_equal(length, strlen(pk_version()));
}

static const char *const words[] = {"revolute", "continuous", "prismatic", "fixed", "rk4", "moreau"};
enum { NWORDS = sizeof words / sizeof words[0] };

static void expect_nearest(const char *word, const char *expected)
{
  const char *found = pki_nearest_word(word, words, NWORDS);
  if (expected == NULL) {
    assert_null(found);
  } else {
    assert_non_null(found);
    assert_string_equal(found, expected);
  }
}

static void the_nearest_word_forgives_typing_errors(void **state)
{
  (void)state;
  expect_nearest("revolute", "revolute");
  expect_nearest("revolut", "revolute");     /* one left out */
  expect_nearest("revoulte", "revolute");    /* two swapped */
  expect_nearest("prismattic", "prismatic"); /* one too many */
  expect_nearest("fixes", "fixed");          /* one wrong */
  expect_nearest("FIXED", "fixed");          /* case does not count */
  expect_nearest("Continous", "continuous");
  expect_nearest("rk5", "rk4");
}

static void distances_count_edits_and_swaps(void **state)
{
  (void)state;
  static const struct {
    const char *a, *b;
    int edits;
  } rows[] = {{"", "", 0},         {"", "abc", 3},           {"abc", "", 3},      {"abc", "ABC", 0},
              {"abc", "ab", 1},    {"abc", "acb", 1},        {"abcd", "badc", 2}, {"joint", "jiont", 1},
              {"link", "lnik", 1}, {"kitten", "sitting", 3}, {"a", "b", 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(pki_word_distance(rows[i].a, rows[i].b), rows[i].edits);
    assert_int_equal(pki_word_distance(rows[i].b, rows[i].a), rows[i].edits);
  }
}

static void a_word_that_is_far_from_all_has_no_nearest(void **state)
{
  (void)state;
  expect_nearest("banana", NULL);
  expect_nearest("", NULL);
  expect_nearest("x", NULL);
  expect_nearest("fi", NULL); /* three edits from "fixed": more than half of what was typed */
  assert_null(pki_nearest_word("fixed", words, 0));
}

static void among_equally_near_words_the_first_wins(void **state)
{
  (void)state;
  static const char *const pair[] = {"bat", "cat"};
  assert_string_equal(pki_nearest_word("rat", pair, 2), "bat");
}

static void very_long_words_are_near_to_nothing(void **state)
{
  (void)state;
  char text[301];
  for (int length = 60; length <= 300; length++) {
    memset(text, 'x', (size_t)length);
    text[length] = '\0';
    expect_nearest(text, NULL);
  }
  /* up to 64 letters are compared */
  char other[66];
  memset(text, 'x', 64), text[64] = '\0';
  strcpy(other, text);
  other[10] = 'y';
  const char *const one[] = {other};
  assert_ptr_equal(pki_nearest_word(text, one, 1), other);
  strcat(other, "x");
  assert_null(pki_nearest_word(text, one, 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failure_fills_every_part),
      cmocka_unit_test(a_failure_without_a_place_has_empty_parts),
      cmocka_unit_test(nobody_has_to_listen),
      cmocka_unit_test(long_texts_are_cut_at_the_end),
      cmocka_unit_test(what_is_cut_ends_with_dots_and_whole_letters),
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(a_number_that_is_no_status_is_called_unknown),
      cmocka_unit_test(the_version_is_three_numbers),
      cmocka_unit_test(the_nearest_word_forgives_typing_errors),
      cmocka_unit_test(distances_count_edits_and_swaps),
      cmocka_unit_test(a_word_that_is_far_from_all_has_no_nearest),
      cmocka_unit_test(among_equally_near_words_the_first_wins),
      cmocka_unit_test(very_long_words_are_near_to_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
