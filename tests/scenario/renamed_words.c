/* Words that have another name now are still read, and warned of with the new one. */
#include "scenario/help.h"

static pki_scenario *parse(const char *step, const char *set)
{
  char text[256];
  const int size = snprintf(text, sizeof text, "model: starleth\nduration: 1\nstep:\n  %s\n", step);
  const char *const sets[] = {set};
  pki_scenario *s = NULL;
  pk_error err = {0};
  if (pki_scenario_parse("old.yaml", text, (size_t)size, sets, set != NULL, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return s;
}

static void expect_warning(const pki_scenario *s, int line, const char *field, const char *message)
{
  assert_int_equal(s->warnings.count, 1);
  assert_int_equal(s->warnings.errors[0].line, line);
  assert_string_equal(s->warnings.errors[0].field, field);
  assert_string_equal(s->warnings.errors[0].message, message);
}

static void the_former_law_is_read_and_warned_of(void **state)
{
  (void)state;
  pki_scenario *s = parse("law: exact-lcp", NULL);
  assert_int_equal(s->step.law, PK_CONTACT_LAW_LCP_PYRAMID);
  expect_warning(s, 4, "step.law", "law \"exact-lcp\" is called \"lcp-pyramid\" now; please write that");
  pki_scenario_check_times(s, 2, &s->warnings); /* nothing to add: the warning stays */
  assert_int_equal(s->warnings.count, 1);
  pki_scenario_destroy(s);
}

static void the_former_preset_is_read_and_warned_of_once(void **state)
{
  (void)state;
  pki_scenario *s = parse("preset: paper", NULL);
  assert_int_equal(s->step.contact, PK_CONTACT_GEHRING_2014);
  assert_true(s->step.dt == 2.5e-3);
  expect_warning(s, 4, "step.preset", "preset \"paper\" is called \"gehring-2014\" now; please write that");
  pki_scenario_destroy(s);
}

static void a_former_word_in_an_override_is_warned_of(void **state)
{
  (void)state;
  pki_scenario *s = parse("dt: 1e-3", "step.contact=paper");
  assert_int_equal(s->step.contact, PK_CONTACT_GEHRING_2014);
  assert_int_equal(s->warnings.count, 1);
  assert_string_equal(s->warnings.errors[0].message,
                      "contact \"paper\" is called \"gehring-2014\" now; please write that");
  pki_scenario_destroy(s);
}

static void the_new_words_give_no_warning(void **state)
{
  (void)state;
  pki_scenario *s = parse("{preset: gehring-2014, law: lcp-pyramid, contact: gehring-2014}", NULL);
  assert_int_equal(s->step.law, PK_CONTACT_LAW_LCP_PYRAMID);
  assert_int_equal(s->step.contact, PK_CONTACT_GEHRING_2014);
  assert_int_equal(s->warnings.count, 0);
  pki_scenario_destroy(s);
}

static void a_former_word_means_nothing_in_other_fields(void **state)
{
  (void)state;
  const char text[] = "model: starleth\nduration: 1\nstep: {solver: paper}\n";
  pki_scenario *s = NULL;
  pk_error err = {0};
  assert_int_equal(pki_scenario_parse("old.yaml", text, sizeof text - 1, NULL, 0, &s, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "step.solver");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_former_law_is_read_and_warned_of),
      cmocka_unit_test(the_former_preset_is_read_and_warned_of_once),
      cmocka_unit_test(a_former_word_in_an_override_is_warned_of),
      cmocka_unit_test(the_new_words_give_no_warning),
      cmocka_unit_test(a_former_word_means_nothing_in_other_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
