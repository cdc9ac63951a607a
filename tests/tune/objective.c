/* What a run is worth. */
#define _XOPEN_SOURCE 700
#include "tune/support.h"

static pki_record record_with(const char *name, double value)
{
  pki_record r;
  pki_record_begin(&r, 0);
  for (int i = 0; i < pki_metric_count; i++) {
    r.metric[i] = 0;
  }
  r.metric[pki_metric_find("simulated")] = 4;
  r.metric[pki_metric_find("fell_at")] = NAN;
  r.metric[pki_metric_find(name)] = value;
  return r;
}

static pki_objective of(const char *first, const char *second)
{
  pki_objective o = {.penalty = -1};
  pk_error err = {.message = ""};
  assert_int_equal(pki_objective_add(&o, first, &err), PK_OK);
  assert_true(second == NULL || pki_objective_add(&o, second, &err) == PK_OK);
  return o;
}

static void terms_are_weighted_and_added(void **state)
{
  (void)state;
  const pki_objective o = of("distance=-2", "tilt_max=0.5");
  pki_record r = record_with("distance", 3);
  r.metric[pki_metric_find("tilt_max")] = 4;
  assert_true(pki_objective_value(&o, &r) == -4);
  pki_text text = {0};
  pki_objective_text(&o, &text);
  assert_string_equal(text.data, "-2 distance + 0.5 tilt_max");
  pki_text_free(&text);
  assert_string_equal(pki_objective_unit(&o), "");
  const pki_objective one = of("distance", NULL);
  assert_string_equal(pki_objective_unit(&one), "m");
}

static void maximising_turns_the_sign_of_the_cost(void **state)
{
  (void)state;
  pki_objective o = of("distance", NULL);
  const pki_record r = record_with("distance", 3);
  const pki_penalty p = pki_objective_penalty(&o, 1);
  assert_true(pki_objective_cost(&o, &p, &r, 4) == 3);
  o.maximise = true;
  assert_true(pki_objective_cost(&o, &p, &r, 4) == -3 && pki_objective_value(&o, &r) == 3);
}

/* A fall at a quarter of the time costs 2 - 1/4 penalties, a later one less. */
static void falls_cost_less_the_later_they_are(void **state)
{
  (void)state;
  const pki_objective o = of("distance", NULL);
  const pki_penalty p = pki_objective_penalty(&o, -0.5); /* 5 */
  pki_record r = record_with("distance", 1);
  r.metric[pki_metric_find("fell")] = 1;
  r.metric[pki_metric_find("fell_at")] = 1;
  assert_near(pki_objective_cost(&o, &p, &r, 4), 1 + 5 * 1.75, 1e-14);
  r.metric[pki_metric_find("fell_at")] = 4;
  assert_near(pki_objective_cost(&o, &p, &r, 4), 1 + 5, 1e-14);
  r.metric[pki_metric_find("uncertified")] = 3;
  assert_near(pki_objective_cost(&o, &p, &r, 4), 1 + 10, 1e-14);
}

static void what_has_no_value_is_worse_than_a_fall(void **state)
{
  (void)state;
  pki_objective o = of("fell_at", NULL);
  const pki_penalty p = pki_objective_penalty(&o, NAN);
  assert_true(p.fall == 1 && p.lost == 1);
  pki_record r = record_with("distance", 1);
  assert_true(isnan(pki_objective_value(&o, &r)));
  assert_near(pki_objective_cost(&o, &p, &r, 4), 2, 1e-14); /* it ran to its end */
  r.outcome = PKI_OUTCOME_FAILED;
  r.metric[pki_metric_find("simulated")] = 1;
  assert_near(pki_objective_cost(&o, &p, &r, 4), 3.5, 1e-14);
  r.outcome = PKI_OUTCOME_REFUSED;
  assert_near(pki_objective_cost(&o, &p, &r, 4), 4, 1e-14);
  o.penalty = 0; /* falls may be free, this is not */
  const pki_penalty none = pki_objective_penalty(&o, 0.3);
  assert_true(none.fall == 0 && none.lost == 3);
}

static void expect_refused(const char *text, const char *message)
{
  pki_objective o = {.penalty = -1};
  pk_error err = {.message = ""};
  assert_int_equal(pki_objective_add(&o, "speed", &err), PK_OK);
  assert_int_equal(pki_objective_add(&o, text, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "--metric");
  assert_string_equal(err.message, message);
}

static void wrong_metrics_are_told(void **state)
{
  (void)state;
  expect_refused("traking_error",
                 "there is no metric 'traking_error'; did you mean 'tracking_error'? (pronk list metrics)");
  expect_refused("tilt_max=fast", "the weight of tilt_max is 'fast', expected a number other than zero");
  expect_refused("tilt_max=0", "the weight of tilt_max is '0', expected a number other than zero");
  expect_refused("tilt_max=", "the weight of tilt_max is '', expected a number other than zero");
  expect_refused("speed=2", "speed comes twice");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_are_weighted_and_added),
      cmocka_unit_test(maximising_turns_the_sign_of_the_cost),
      cmocka_unit_test(falls_cost_less_the_later_they_are),
      cmocka_unit_test(what_has_no_value_is_worse_than_a_fall),
      cmocka_unit_test(wrong_metrics_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
