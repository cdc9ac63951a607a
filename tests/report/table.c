#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "report/report.h"

static void columns_align_and_numbers_stand_to_the_right(void **state)
{
  (void)state;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"name", "value", "note"}, 3);
  pki_table_row(&t, (const char *const[]){"ω", "1.5", "yes"});
  pki_table_group(&t, "a group that is wider than its column");
  pki_table_row(&t, (const char *const[]){"longer", "—", ""});
  pki_table_row(&t, (const char *const[]){"\033[1mbold\033[0m", "-120", "no"});
  pki_text out = {0};
  pki_table_text(&t, "> ", true, &out);
  assert_string_equal(out.data, "> name    value  note\n"
                                "> ───────────────────\n"
                                "> ω         1.5  yes\n"
                                "> a group that is wider than its column\n"
                                "> longer      —\n"
                                "> \033[1mbold\033[0m     -120  no\n");
  pki_text_free(&out);
  pki_table_free(&t);
}

static void a_column_with_a_word_is_no_column_of_numbers(void **state)
{
  (void)state;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"a", "b", "c"}, 3);
  pki_table_row(&t, (const char *const[]){"1", "±2", "—"});
  pki_table_row(&t, (const char *const[]){"none", "3 N", ""});
  assert_false(pki_table_is_number(&t, 0));
  assert_true(pki_table_is_number(&t, 1));
  assert_false(pki_table_is_number(&t, 2));
  pki_table_free(&t);
}

static void a_text_that_begins_with_a_number_is_none(void **state)
{
  (void)state;
  static const char *const texts[] = {"6.12.1",
                                      "0.16.2, absolute coordinates",
                                      "3.7, built with assertions",
                                      "2 to 3 times",
                                      "1 … 2 rad",
                                      "12 robots in one world",
                                      "."};
  static const char *const numbers[] = {"12", "-1.5e-7", "<0.1", "±2 %", "3 kg m²", ".5", "1e+9", "4 rad/s"};
  pki_table t;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    pki_table_begin(&t, (const char *const[]){"a"}, 1);
    pki_table_row(&t, (const char *const[]){"1"});
    pki_table_row(&t, &texts[i]);
    assert_false(pki_table_is_number(&t, 0));
    pki_table_free(&t);
  }
  pki_table_begin(&t, (const char *const[]){"a"}, 1);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    pki_table_row(&t, &numbers[i]);
  }
  assert_true(pki_table_is_number(&t, 0));
  pki_table_free(&t);
}

static void a_report_holds_the_table_with_its_text_escaped(void **state)
{
  (void)state;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"a<b", "n"}, 2);
  pki_table_row(&t, (const char *const[]){"x & y", "7"});
  pki_table_row(&t, (const char *const[]){"maxon-re40", "8"});
  pki_report r = {0};
  pki_report_begin(&r, "Title <1>", NULL);
  pki_report_table(&r, &t);
  assert_non_null(strstr(r.html.data, "<title>Title &lt;1&gt;</title>"));
  assert_non_null(strstr(r.html.data, "<th>a&lt;b</th><th class=\"number\">n</th>"));
  assert_non_null(strstr(r.html.data, "<td>x &amp; y</td><td class=\"number\">7</td>"));
  assert_non_null(
      strstr(r.html.data, "<td class=\"word\">maxon-re40</td>")); /* does not break at its hyphen */
  pki_report_free(&r);
  pki_table_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_align_and_numbers_stand_to_the_right),
      cmocka_unit_test(a_column_with_a_word_is_no_column_of_numbers),
      cmocka_unit_test(a_text_that_begins_with_a_number_is_none),
      cmocka_unit_test(a_report_holds_the_table_with_its_text_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
