#include "base/field.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* Enums are stored as int-sized values, which every supported ABI does. */
_Static_assert(sizeof(pk_field_type) == sizeof(int), "enums must have the size of int");

static double field_get(const pk_field *f, const void *options)
{
  const char *at = (const char *)options + f->offset;
  if (f->type == PK_FIELD_REAL) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  if (f->type == PK_FIELD_BOOL) {
    bool value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  int value;
  memcpy(&value, at, sizeof value);
  return value;
}

static void field_set(const pk_field *f, void *options, double value)
{
  char *at = (char *)options + f->offset;
  if (f->type == PK_FIELD_REAL) {
    memcpy(at, &value, sizeof value);
  } else if (f->type == PK_FIELD_BOOL) {
    const bool flag = value != 0;
    memcpy(at, &flag, sizeof flag);
  } else {
    const int number = (int)value;
    memcpy(at, &number, sizeof number);
  }
}

void pki_fields_preset(const pk_field *fields, int count, void *options)
{
  for (int i = 0; i < count; i++) {
    field_set(&fields[i], options, fields[i].preset);
  }
}

static pk_status check_range(const pk_field *f, double value, pk_error *err)
{
  if (value >= f->least && value <= f->most) {
    return PK_OK;
  }
  const pki_where where = {.field = f->name};
  return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s is %g, expected %g to %g%s%s (%s)", f->name, value,
                  f->least, f->most, f->unit[0] ? " " : "", f->unit, f->doc);
}

pk_status pki_fields_validate(const pk_field *fields, int count, const void *options, pk_error *err)
{
  for (int i = 0; i < count; i++) {
    const pk_status status = check_range(&fields[i], field_get(&fields[i], options), err);
    if (status != PK_OK) {
      return status;
    }
  }
  return PK_OK;
}

/* "a, b, c" for messages. */
static void join_words(const char *const *words, int count, char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < count && used < size; i++) {
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
  }
}

static pk_status parse_word(const pk_field *f, const char *text, double *value, pk_error *err)
{
  static const char *const bools[] = {"false", "true"};
  const char *const *words = f->type == PK_FIELD_BOOL ? bools : f->words;
  const int count = (int)f->most + 1;
  for (int i = 0; i < count; i++) {
    if (strcmp(text, words[i]) == 0) {
      *value = i;
      return PK_OK;
    }
  }
  char all[256];
  join_words(words, count, all, sizeof all);
  const char *near = pki_nearest_word(text, words, count);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = f->name},
                  "%s is \"%s\", expected one of %s%s%s%s", f->name, text, all,
                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static pk_status parse_number(const pk_field *f, const char *text, double *value, pk_error *err)
{
  const char *cursor = text, *const end = text + strlen(text);
  const bool read = pki_parse_real(&cursor, end, value) && cursor == end;
  const bool whole = f->type != PK_FIELD_INT || (read && *value == floor(*value));
  if (!read || !whole) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = f->name},
                    "%s is \"%s\", expected a %snumber", f->name, text,
                    f->type == PK_FIELD_INT ? "whole " : "");
  }
  return check_range(f, *value, err);
}

pk_status pki_fields_parse(const pk_field *fields, int count, void *options, const char *name,
                           const char *text, pk_error *err)
{
  const pk_field *field = NULL;
  const char *names[64];
  PK_ASSERT(count <= 64);
  for (int i = 0; i < count; i++) {
    names[i] = fields[i].name;
    if (strcmp(name, fields[i].name) == 0) {
      field = &fields[i];
    }
  }
  if (field == NULL) {
    const char *near = pki_nearest_word(name, names, count);
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name}, "there is no option \"%s\"%s%s%s",
                    name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  double value = 0;
  const bool wordy = field->type == PK_FIELD_ENUM || field->type == PK_FIELD_BOOL;
  const pk_status status =
      wordy ? parse_word(field, text, &value, err) : parse_number(field, text, &value, err);
  if (status == PK_OK) {
    field_set(field, options, value);
  }
  return status;
}
