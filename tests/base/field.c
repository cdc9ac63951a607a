/* One table of fields gives defaults, validation and parsing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/field.h"

typedef enum flavour { SWEET, SOUR, BITTER } flavour;

typedef struct sample {
  char before;
  double dt;
  int count;
  bool loud;
  flavour taste;
  double open; /* any real number */
  char after;
} sample;

static const char *const tastes[] = {"sweet", "sour", "bitter"};

#define FIELD(member) #member, offsetof(sample, member)
static const pk_field fields[] = {
    {FIELD(dt), PK_FIELD_REAL, "s", 1e-3, 1e-9, 1, NULL, "time step"},
    {FIELD(count), PK_FIELD_INT, "", 7, 1, 100, NULL, "how many"},
    {FIELD(loud), PK_FIELD_BOOL, "", 1, 0, 1, NULL, "whether it is heard"},
    {FIELD(taste), PK_FIELD_ENUM, "", SOUR, 0, BITTER, tastes, "what it tastes of"},
    {FIELD(open), PK_FIELD_REAL, "m", -2.5, -INFINITY, INFINITY, NULL, "any length"},
};
enum { NFIELDS = sizeof fields / sizeof fields[0] };

static sample preset(void)
{
  sample s;
  memset(&s, 0xee, sizeof s);
  pki_fields_preset(fields, NFIELDS, &s);
  return s;
}

static void presets_fill_every_type_and_nothing_else(void **state)
{
  (void)state;
  const sample s = preset();
  assert_true(s.dt == 1e-3);
  assert_int_equal(s.count, 7);
  assert_true(s.loud);
  assert_int_equal(s.taste, SOUR);
  assert_true(s.open == -2.5);
  assert_int_equal((unsigned char)s.before, 0xee);
  assert_int_equal((unsigned char)s.after, 0xee);
  assert_int_equal(pki_fields_validate(fields, NFIELDS, &s, NULL), PK_OK);
}

static void expect_invalid(const sample *s, const char *field, const char *message)
{
  pk_error err = {.line = -1};
  assert_int_equal(pki_fields_validate(fields, NFIELDS, s, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(err.status, PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
  assert_int_equal(err.line, 0);
}

static void validation_names_the_field_the_value_and_the_range(void **state)
{
  (void)state;
  sample s = preset();
  s.dt = 2;
  expect_invalid(&s, "dt", "dt is 2, expected 1e-09 to 1 s (time step)");
  s.dt = -1;
  expect_invalid(&s, "dt", "dt is -1, expected 1e-09 to 1 s (time step)");
  s = preset();
  s.count = 0;
  expect_invalid(&s, "count", "count is 0, expected 1 to 100 (how many)");
  s.count = 101;
  expect_invalid(&s, "count", "count is 101, expected 1 to 100 (how many)");
  s = preset();
  s.taste = (flavour)3;
  expect_invalid(&s, "taste", "taste is 3, expected 0 to 2 (what it tastes of)");
  s.taste = (flavour)-1;
  expect_invalid(&s, "taste", "taste is -1, expected 0 to 2 (what it tastes of)");
}

static void the_ends_of_a_range_belong_to_it(void **state)
{
  (void)state;
  sample s = preset();
  s.dt = 1e-9, s.count = 100, s.open = -INFINITY;
  assert_int_equal(pki_fields_validate(fields, NFIELDS, &s, NULL), PK_OK);
  s.dt = 1, s.count = 1, s.open = INFINITY;
  assert_int_equal(pki_fields_validate(fields, NFIELDS, &s, NULL), PK_OK);
}

static void not_a_number_is_in_no_range(void **state)
{
  (void)state;
  sample s = preset();
  s.dt = NAN;
  expect_invalid(&s, "dt", "dt is nan, expected 1e-09 to 1 s (time step)");
  s = preset();
  s.open = NAN;
  expect_invalid(&s, "open", "open is nan, expected -inf to inf m (any length)");
}

static void expect_parsed(sample *s, const char *name, const char *text)
{
  pk_error err = {.message = ""};
  const pk_status status = pki_fields_parse(fields, NFIELDS, s, name, text, &err);
  if (status != PK_OK) {
    fail_msg("%s", err.message);
  }
}

/* A text that is refused leaves the options as they were. */
static void expect_refused(const char *name, const char *text, const char *message)
{
  sample s = preset();
  const sample before = s;
  pk_error err = {.message = ""};
  assert_int_equal(pki_fields_parse(fields, NFIELDS, &s, name, text, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, name);
  assert_string_equal(err.message, message);
  assert_memory_equal(&s, &before, sizeof s);
  assert_int_equal(pki_fields_parse(fields, NFIELDS, &s, name, text, NULL), PK_ERROR_ARGUMENT);
}

static void text_sets_fields_of_every_type(void **state)
{
  (void)state;
  sample s = preset();
  expect_parsed(&s, "dt", "2.5e-4");
  expect_parsed(&s, "count", "42");
  expect_parsed(&s, "loud", "false");
  expect_parsed(&s, "taste", "bitter");
  expect_parsed(&s, "open", "-inf");
  assert_true(s.dt == 2.5e-4);
  assert_int_equal(s.count, 42);
  assert_false(s.loud);
  assert_int_equal(s.taste, BITTER);
  assert_true(s.open == -INFINITY);
  expect_parsed(&s, "loud", "true");
  assert_true(s.loud);
  expect_parsed(&s, "count", "1e1"); /* a whole number, however written */
  assert_int_equal(s.count, 10);
  assert_int_equal((unsigned char)s.after, 0xee);
}

static void text_that_is_no_number_is_refused(void **state)
{
  (void)state;
  expect_refused("dt", "fast", "dt is \"fast\", expected a number");
  expect_refused("dt", "", "dt is \"\", expected a number");
  expect_refused("dt", "1e-3s", "dt is \"1e-3s\", expected a number");
  expect_refused("dt", "0x1p-3", "dt is \"0x1p-3\", expected a number");
  expect_refused("dt", "1,5", "dt is \"1,5\", expected a number");
  expect_refused("count", "2.5", "count is \"2.5\", expected a whole number");
  expect_refused("count", "two", "count is \"two\", expected a whole number");
  expect_refused("count", "nan", "count is \"nan\", expected a whole number");
}

static void numbers_out_of_range_are_refused(void **state)
{
  (void)state;
  expect_refused("dt", "2", "dt is 2, expected 1e-09 to 1 s (time step)");
  expect_refused("dt", "nan", "dt is nan, expected 1e-09 to 1 s (time step)");
  expect_refused("dt", "1e999", "dt is inf, expected 1e-09 to 1 s (time step)");
  expect_refused("open", "nan", "open is nan, expected -inf to inf m (any length)");
  expect_refused("count", "1e99", "count is 1e+99, expected 1 to 100 (how many)");
  expect_refused("count", "-1", "count is -1, expected 1 to 100 (how many)");
}

static void an_unknown_word_gets_the_list_and_the_nearest(void **state)
{
  (void)state;
  expect_refused("taste", "swet",
                 "taste is \"swet\", expected one of sweet, sour, bitter; did you mean \"sweet\"?");
  expect_refused("taste", "salty", "taste is \"salty\", expected one of sweet, sour, bitter");
  expect_refused("taste", "1", "taste is \"1\", expected one of sweet, sour, bitter");
  expect_refused("loud", "ture", "loud is \"ture\", expected one of false, true; did you mean \"true\"?");
  expect_refused("loud", "1", "loud is \"1\", expected one of false, true");
}

static void an_unknown_name_gets_the_nearest(void **state)
{
  (void)state;
  expect_refused("cuont", "1", "there is no option \"cuont\"; did you mean \"count\"?");
  expect_refused("viscosity", "1", "there is no option \"viscosity\"");
  expect_refused("", "1", "there is no option \"\"");
}

/* Stands for the C library's, whose decimal point depends on the locale. */
double __real_strtod(const char *text, char **end);
double __wrap_strtod(const char *text, char **end);
double __wrap_strtod(const char *text, char **end)
{
  assert_null(strchr(text, '.'));
  return __real_strtod(text, end);
}

static void numbers_are_read_alike_in_every_locale(void **state)
{
  (void)state;
  sample s = preset();
  expect_parsed(&s, "dt", "0.25");
  assert_true(s.dt == 0.25);
  expect_parsed(&s, "open", "3.14159265358979323846e2");
  assert_true(s.open == 314.159265358979323846);
}

typedef struct place {
  double point[3], turn[4], size;
  char name[9];
  char after;
} place;

#define PLACE(member) #member, offsetof(place, member)
static const pk_field place_fields[] = {
    {PLACE(point), PK_FIELD_VEC3, "m", 0.5, -10, 10, NULL, "where"},
    {PLACE(turn), PK_FIELD_VEC4, "", 0, -1, 1, NULL, "how"},
    {PLACE(size), PK_FIELD_REAL, "m", NAN, 0, 1, NULL, "how large"},
    {PLACE(name), PK_FIELD_TEXT, "", 0, 1, 8, NULL, "what it is called"},
    {"inside", 0, PK_FIELD_PART, "", 0, 0, 0, NULL, "what is in it"},
};
enum { NPLACE = sizeof place_fields / sizeof place_fields[0] };

static place preset_place(void)
{
  place p;
  memset(&p, 0xee, sizeof p);
  pki_fields_preset(place_fields, NPLACE, &p);
  return p;
}

static void refuse_place(const char *name, const char *text, const char *message)
{
  place p = preset_place();
  const place before = p;
  pk_error err = {.message = ""};
  assert_int_equal(pki_fields_parse(place_fields, NPLACE, &p, name, text, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, message);
  assert_memory_equal(&p, &before, sizeof p);
}

static void vectors_and_texts_are_fields_too(void **state)
{
  (void)state;
  place p = preset_place();
  assert_true(p.point[0] == 0.5 && p.point[2] == 0.5 && p.turn[3] == 0 && p.name[0] == '\0');
  assert_int_equal((unsigned char)p.after, 0xee);
  assert_int_equal(pki_fields_parse(place_fields, NPLACE, &p, "point", " 1 -2  3e0 ", NULL), PK_OK);
  assert_int_equal(pki_fields_parse(place_fields, NPLACE, &p, "name", "eightbig", NULL), PK_OK);
  assert_int_equal(pki_field_parse(&place_fields[1], &p, 2, "0.25", NULL), PK_OK);
  assert_true(p.point[0] == 1 && p.point[1] == -2 && p.point[2] == 3 && p.turn[2] == 0.25);
  assert_string_equal(p.name, "eightbig");
  assert_int_equal((unsigned char)p.after, 0xee);
  refuse_place("point", "1 2", "point is \"1 2\", expected 3 numbers");
  refuse_place("point", "1 2 3 4", "point is \"1 2 3 4\", expected 3 numbers");
  refuse_place("point", "1 2 11", "point is 11, expected -10 to 10 m (where)");
  refuse_place("name", "", "name has 0 bytes, expected 1 to 8 (what it is called)");
  refuse_place("name", "ninebytes", "name has 9 bytes, expected 1 to 8 (what it is called)");
}

static void a_field_whose_default_is_out_of_range_must_be_given(void **state)
{
  (void)state;
  const bool required[NPLACE] = {false, false, true, true, false};
  for (int i = 0; i < NPLACE; i++) {
    assert_int_equal(pki_field_is_required(&place_fields[i]), required[i]);
  }
  place p = preset_place();
  pk_error err;
  assert_int_equal(pki_fields_validate(place_fields, NPLACE, &p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "size is nan, expected 0 to 1 m (how large)");
  p.size = 1;
  p.point[1] = NAN;
  assert_int_equal(pki_fields_validate(place_fields, NPLACE, &p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "point is nan, expected -10 to 10 m (where)");
  memset(p.name, 'x', sizeof p.name);
  p.point[1] = 0;
  assert_int_equal(pki_fields_validate(place_fields, NPLACE, &p, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "name has 9 bytes, expected 1 to 8 (what it is called)");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_fill_every_type_and_nothing_else),
      cmocka_unit_test(validation_names_the_field_the_value_and_the_range),
      cmocka_unit_test(the_ends_of_a_range_belong_to_it),
      cmocka_unit_test(not_a_number_is_in_no_range),
      cmocka_unit_test(text_sets_fields_of_every_type),
      cmocka_unit_test(text_that_is_no_number_is_refused),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(an_unknown_word_gets_the_list_and_the_nearest),
      cmocka_unit_test(an_unknown_name_gets_the_nearest),
      cmocka_unit_test(numbers_are_read_alike_in_every_locale),
      cmocka_unit_test(vectors_and_texts_are_fields_too),
      cmocka_unit_test(a_field_whose_default_is_out_of_range_must_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
