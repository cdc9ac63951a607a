/* What pk_actuation_create refuses: every field of a list, of parameters and of a battery, by its name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "actuation/actuation.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/named_model.h"

static void push(const void *parameters, const pk_actuator_input *in, const double *state, pk_force_law *law)
{
  (void)parameters, (void)state;
  law->a = in->command.tau;
}

/* The list is refused by this field, with a message in which this text stands. */
static void expect_refused(const pk_model *m, const pk_actuator *list, int count, const pk_battery *battery,
                           const char *field, const char *text)
{
  pk_error err = {.message = ""};
  pk_actuation other, *a = &other; /* NULL comes back in its place */
  assert_int_equal(pk_actuation_create(m, list, count, battery, &a, &err), PK_ERROR_ARGUMENT);
  assert_null(a);
  assert_string_equal(err.field, field);
  if (strstr(err.message, text) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, text);
  }
  assert_int_equal(pk_actuation_create(m, list, count, battery, &a, NULL), PK_ERROR_ARGUMENT);
}

static void wrong_lists_are_refused_by_their_field(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  pk_actuator_kind kind = {.name = "mine", .condense = push};
  pk_actuator one = {.kind = &kind};
  expect_refused(m, NULL, 1, NULL, "count", "1 actuators");
  expect_refused(m, &one, -1, NULL, "count", "-1 actuators");
  one.dof = -1;
  expect_refused(m, &one, 1, NULL, "dof", "drives the coordinate -1, expected 0 to 0");
  one.dof = 1;
  expect_refused(m, &one, 1, NULL, "dof", "drives the coordinate 1, expected 0 to 0");
  one.dof = 0, one.kind = NULL;
  expect_refused(m, &one, 1, NULL, "kind", "actuator 0 has no kind");
  one.kind = &kind, kind.name = NULL;
  expect_refused(m, &one, 1, NULL, "kind", "with a name");
  kind.name = "mine", kind.condense = NULL;
  expect_refused(m, &one, 1, NULL, "kind", "the function condense");
  kind.condense = push, kind.nstate = -1;
  expect_refused(m, &one, 1, NULL, "kind", "has no kind");
  kind.nstate = PKI_ACTUATOR_STATES_MOST + 1;
  expect_refused(m, &one, 1, NULL, "nstate", "remembers 65 numbers, expected at most 64");
  kind.nstate = 0, kind.parameters_size = 8;
  expect_refused(m, &one, 1, NULL, "parameters", "\"mine\" has no parameters");
  kind.parameters_size = 0;
  const pk_actuator two[] = {one, one};
  expect_refused(m, two, 2, NULL, "dof", "two actuators drive the joint \"hinge\", mine and mine");
  kind.adds = true;
  pk_actuation *a;
  assert_int_equal(pk_actuation_create(m, two, 2, NULL, &a, NULL), PK_OK);
  assert_int_equal(pk_actuation_count(a), 2);
  assert_string_equal(pk_actuation_get(a, 1).name, "hinge");
  pk_actuation_destroy(a);
  pk_model_destroy(m);
}

static void coordinates_of_free_roots_are_refused(void **state)
{
  (void)state;
  pk_model *m = named_model("starleth");
  const pk_actuator_kind kind = {.name = "mine", .condense = push};
  for (int k = 0; k < 6; k++) {
    const pk_actuator one = {.dof = k, .kind = &kind};
    expect_refused(m, &one, 1, NULL, "dof", "actuators drive hinges and sliders");
  }
  pk_model_destroy(m);
}

/* Every field of every kind that comes with Pronk, beyond both ends of its range, and not a number. */
static void parameters_out_of_their_range_are_refused_by_name(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  int tried = 0;
  for (int r = 0; pki_actuators[r] != NULL; r++) {
    const pki_actuator_row *row = pki_actuators[r];
    void *parameters = test_malloc(row->kind.parameters_size);
    for (int f = 0; f < row->nfield; f++) {
      const pk_field *field = &row->fields[f];
      const double wrong[] = {field->least - 1 - fabs(field->least), field->most + 1 + fabs(field->most),
                              NAN};
      for (int i = 0; i < 3 && field->type == PK_FIELD_REAL; i++) {
        pki_fields_default(row->fields, row->nfield, parameters, row->kind.parameters_size);
        memcpy((char *)parameters + field->offset, &wrong[i], sizeof wrong[i]);
        const pk_actuator one = {.kind = &row->kind, .parameters = parameters};
        expect_refused(m, &one, 1, NULL, field->name, field->name);
        tried++;
      }
    }
    test_free(parameters);
  }
  assert_greater(tried, 150);
  pk_model_destroy(m);
}

static void wrong_batteries_are_refused_by_their_field(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  const pk_motor_parameters p = pk_motor_parameters_default();
  const pk_actuator one = {.kind = pk_actuator_kind_find("dc"), .parameters = &p};
  const pk_battery good = {
      .full = 24, .empty = 20, .resistance = 0.1, .capacity = 100, .regeneration = INFINITY};
  pk_battery b = good;
  b.full = 0;
  expect_refused(m, &one, 1, &b, "full", "above 0 V");
  b = good, b.empty = 25;
  expect_refused(m, &one, 1, &b, "empty", "when empty is above 0 V, at most that when full");
  b = good, b.resistance = -1;
  expect_refused(m, &one, 1, &b, "resistance", "0 ohm or more");
  b = good, b.capacity = -1;
  expect_refused(m, &one, 1, &b, "capacity", "0 A s");
  b = good, b.regeneration = -1;
  expect_refused(m, &one, 1, &b, "regeneration", "0 W or more");
  b = good, b.full = NAN;
  expect_refused(m, &one, 1, &b, "full", "above 0 V");
  pk_actuation *a;
  assert_int_equal(pk_actuation_create(m, &one, 1, &good, &a, NULL), PK_OK);
  pk_actuation_destroy(a);
  pk_model_destroy(m);
}

/* Names lead to kinds, and only names do. */
static void kinds_are_found_by_name(void **state)
{
  (void)state;
  int count = 0;
  for (; pk_actuator_kind_name(count) != NULL; count++) {
    const pk_actuator_kind *kind = pk_actuator_kind_find(pk_actuator_kind_name(count));
    assert_string_equal(kind->name, pk_actuator_kind_name(count));
  }
  assert_int_equal(count, 6);
  assert_null(pk_actuator_kind_find("muscle"));
  assert_null(pk_actuator_kind_name(-1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_lists_are_refused_by_their_field),
      cmocka_unit_test(coordinates_of_free_roots_are_refused),
      cmocka_unit_test(parameters_out_of_their_range_are_refused_by_name),
      cmocka_unit_test(wrong_batteries_are_refused_by_their_field),
      cmocka_unit_test(kinds_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
