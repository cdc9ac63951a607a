/* Joint references: coordinate, rate and acceleration of tables at any time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/reference.h"
#include "pronk/builder.h"
#include "support/bounds.h"

typedef struct fixture {
  pk_model *model;
  pki_reference ref;
  void *memory;
} fixture;

static fixture prepare(const char *text, double loop, double ramp)
{
  fixture f = {0};
  pk_error err = {0};
  pki_reference_table table;
  const pki_reference_options o = {.loop = loop, .ramp = ramp};
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/pendulum/pendulum.urdf", NULL, &f.model, &err),
                   PK_OK);
  assert_int_equal(pki_reference_parse("t.csv", text, strlen(text), f.model, &table, &err), PK_OK);
  f.memory = malloc(pki_reference_size(&table));
  assert_int_equal(pki_reference_init(&table, &o, f.memory, &f.ref, &err), PK_OK);
  pki_reference_free(&table);
  return f;
}

static void release(fixture *f)
{
  free(f->memory);
  pk_model_destroy(f->model);
}

static pki_goal goal_at(const fixture *f, double t)
{
  return pki_reference_at(&f->ref, pki_reference_find(&f->ref, t), 0);
}

static const double start = 0.35; /* rad */

/* For a world that started there. */
static pki_goal goal_from_start(const fixture *f, double t)
{
  return pki_reference_from(&f->ref, pki_reference_find(&f->ref, t), goal_at(f, t), start);
}

/* Central differences of cubics: the rate's error is h^2 q'''/6, below 1e-9 here; the acceleration's is rounding. */
static void check_derivatives(const fixture *f, double from, double to)
{
  const double h = 1e-5;
  for (int i = 1; i < 200; i++) {
    const double t = from + (to - from) * i / 200;
    const pki_goal before = goal_at(f, t - h), at = goal_at(f, t), after = goal_at(f, t + h);
    assert_less(fabs((after.q - before.q) / (2 * h) - at.u), 1e-8);
    assert_less(fabs((after.u - before.u) / (2 * h) - at.a), 1e-8);
  }
}

/* Of a reference that is smooth: third derivatives are below 1000 here, errors h^2/6 of them. */
static void check_smooth(const fixture *f, double from, double to)
{
  const double h = 1e-6;
  for (int i = 1; i < 200; i++) {
    const double t = from + (to - from) * i / 200;
    const pki_goal before = goal_from_start(f, t - h), at = goal_from_start(f, t),
                   after = goal_from_start(f, t + h);
    assert_less(fabs((after.q - before.q) / (2 * h) - at.u), 1e-8);
    assert_less(fabs((after.u - before.u) / (2 * h) - at.a), 1e-7);
  }
}

static void rates_and_accelerations_are_derivatives_between_the_lines(void **state)
{
  (void)state;
  fixture f = prepare("time hinge\n0 0\n0.5 0.7\n0.8 -0.3\n2 0.4\n", -1, 0);
  check_derivatives(&f, 1e-4, 0.5 - 1e-4);
  check_derivatives(&f, 0.5 + 1e-4, 0.8 - 1e-4);
  check_derivatives(&f, 0.8 + 1e-4, 2 - 1e-4);
  const pki_goal end = goal_at(&f, 2);
  assert_true(end.q == 0.4 && end.u == 0 && end.a == 0);
  release(&f);
}

/* q = t^2, which the cubics are wherever their slopes are those of parabolas. */
static void the_acceleration_of_a_parabola_is_constant(void **state)
{
  (void)state;
  fixture f = prepare("time hinge\n0 0\n0.5 0.25\n1 1\n2 4\n3 9\n", -1, 0);
  for (int i = 0; i < 150; i++) {
    assert_less(fabs(goal_at(&f, 0.5 + 0.01 * i).a - 2), 1e-11);
  }
  release(&f);
}

/* Up and down by 1 rad in 1 s each, at rest at every line: the acceleration goes from 6 to -6 rad/s^2 and back. */
static void the_acceleration_in_a_line_is_that_of_the_cubic_which_begins_there(void **state)
{
  (void)state;
  fixture f = prepare("time hinge\n0 0\n1 1\n2 0\n", 0, 0);
  assert_less(fabs(goal_at(&f, 1 - 1e-9).a + 6), 1e-6);
  assert_less(fabs(goal_at(&f, 1).a + 6), 1e-12);
  assert_less(fabs(goal_at(&f, 0).a - 6), 1e-12);
  assert_less(fabs(goal_at(&f, 2).a - 6), 1e-12); /* it goes round */
  release(&f);
  f = prepare("time hinge\n0 0\n1 1\n2 1\n", -1, 0); /* the slope at 1 s is 0.5 1/s */
  assert_less(fabs(goal_at(&f, 1 - 1e-9).a + 4), 1e-6);
  assert_less(fabs(goal_at(&f, 1).a + 2), 1e-12);
  release(&f);
}

static void sinusoids_are_their_closed_form_with_exact_derivatives(void **state)
{
  (void)state;
  fixture f = prepare("time hinge\nperiod 0.8\nmean 0.2\nsine 0.5\nphase 0.3\nsine3 0.1\nphase3 -1\n", -1, 0);
  const double w = 2 * 3.14159265358979323846 / 0.8;
  for (int i = 0; i < 300; i++) {
    const double t = 0.01 * i;
    const pki_goal at = goal_at(&f, t);
    assert_less(fabs(at.q - (0.2 + 0.5 * sin(w * t + 0.3) + 0.1 * sin(3 * w * t - 1))), 1e-12);
    assert_less(fabs(at.u - (0.5 * w * cos(w * t + 0.3) + 0.3 * w * cos(3 * w * t - 1))), 1e-11);
    assert_less(fabs(at.a + 0.5 * w * w * sin(w * t + 0.3) + 0.9 * w * w * sin(3 * w * t - 1)), 1e-10);
    /* a million periods later it is where it was */
    assert_less(fabs(goal_at(&f, t + 8e5).q - at.q), 1e-8);
  }
  release(&f);
}

static void the_ramp_leads_from_rest_at_the_start_into_the_reference(void **state)
{
  (void)state;
  fixture f = prepare("time hinge\nperiod 0.8\nmean 0.2\nsine 0.5\nphase 0.3\n", -1, 1.5);
  const pki_goal first = goal_from_start(&f, 0);
  assert_true(first.q == start && first.u == 0 && first.a == 0);
  check_smooth(&f, 1e-4, 3);
  for (int i = 0; i < 100; i++) {
    const double t = 1.5 + 0.01 * i;
    const pki_goal at = goal_from_start(&f, t), to = goal_at(&f, t);
    assert_true(at.q == to.q && at.u == to.u && at.a == to.a);
  }
  release(&f);
  f = prepare("time hinge\n0 0\n1 0.7\n", -1, 1); /* along a table too */
  check_smooth(&f, 1e-4, 1 - 1e-4);
  release(&f);
}

static void sinusoids_have_no_line_to_go_back_to(void **state)
{
  (void)state;
  static const char *const text = "time hinge\nperiod 0.8\nsine 0.5\n";
  fixture f = prepare(text, -1, 0);
  pki_reference_table table;
  pk_error err = {0};
  const pki_reference_options o = {.loop = 0};
  assert_int_equal(pki_reference_parse("t.csv", text, strlen(text), f.model, &table, &err), PK_OK);
  assert_int_equal(pki_reference_init(&table, &o, f.memory, &f.ref, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "loop is 0 s, expected less than 0: sinusoids go on by themselves");
  assert_string_equal(err.field, "loop");
  pki_reference_free(&table);
  release(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_and_accelerations_are_derivatives_between_the_lines),
      cmocka_unit_test(the_acceleration_of_a_parabola_is_constant),
      cmocka_unit_test(the_acceleration_in_a_line_is_that_of_the_cubic_which_begins_there),
      cmocka_unit_test(sinusoids_are_their_closed_form_with_exact_derivatives),
      cmocka_unit_test(the_ramp_leads_from_rest_at_the_start_into_the_reference),
      cmocka_unit_test(sinusoids_have_no_line_to_go_back_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
