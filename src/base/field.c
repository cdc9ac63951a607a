#include "base/field.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* Enums are stored as int-sized values, which every supported ABI does. */
_Static_assert(sizeof(pk_field_type) == sizeof(int), "enums must have the size of int");

int pki_field_width(const pk_field *field)
{
  return field->type == PK_FIELD_VEC3 ? 3 : field->type == PK_FIELD_VEC4 ? 4 : 1;
}

/* Arrays of pointers to different structs are read by their bytes. */
static const void *row_at(const void *registry, int row)
{
  const void *at;
  memcpy(&at, (const char *)registry + (size_t)row * sizeof at, sizeof at);
  return at;
}

int pki_row_count(const void *registry)
{
  int count = 0;
  while (row_at(registry, count) != NULL) {
    count++;
  }
  return count;
}

const char *pki_row_name(const void *registry, int row)
{
  const char *name;
  memcpy(&name, row_at(registry, row), sizeof name);
  return name;
}

int pki_row_find(const void *registry, const char *name)
{
  for (int row = 0; row_at(registry, row) != NULL; row++) {
    if (strcmp(pki_row_name(registry, row), name) == 0) {
      return row;
    }
  }
  return -1;
}

static bool is_row(const pk_field *f)
{
  return f->type == PK_FIELD_ROW || f->type == PK_FIELD_RENAMED_ROW;
}

int pki_field_word_count(const pk_field *field)
{
  return is_row(field)                  ? pki_row_count(field->words)
         : field->type == PK_FIELD_ENUM ? (int)field->most + 1
                                        : 0;
}

const char *pki_field_word(const pk_field *field, int index)
{
  if (index < 0 || index >= pki_field_word_count(field)) {
    return NULL;
  }
  const char *const *words = field->words;
  return is_row(field) ? pki_row_name(field->words, index) : words[index];
}

static bool is_real(const pk_field *f)
{
  return f->type == PK_FIELD_REAL || f->type == PK_FIELD_VEC3 || f->type == PK_FIELD_VEC4;
}

double pki_field_get(const pk_field *f, const void *options, int part)
{
  const char *at = (const char *)options + f->offset;
  if (is_real(f)) {
    double value;
    memcpy(&value, at + (size_t)part * sizeof value, sizeof value);
    return value;
  }
  if (f->type == PK_FIELD_BOOL) {
    bool value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  if (f->type == PK_FIELD_TEXT) {
    const char *end = memchr(at, '\0', (size_t)f->most + 1);
    return end != NULL ? (double)(end - at) : f->most + 1;
  }
  int value;
  memcpy(&value, at, sizeof value);
  return value;
}

static void field_set(const pk_field *f, void *options, int part, double value)
{
  char *at = (char *)options + f->offset;
  if (is_real(f)) {
    memcpy(at + (size_t)part * sizeof value, &value, sizeof value);
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
    const pk_field *f = &fields[i];
    if (f->type == PK_FIELD_PART) {
      continue;
    }
    if (f->type == PK_FIELD_TEXT) {
      ((char *)options)[f->offset] = '\0';
      continue;
    }
    for (int part = 0; part < pki_field_width(f); part++) {
      field_set(f, options, part, f->preset);
    }
  }
}

void pki_fields_default(const pk_field *fields, int count, void *options, size_t size)
{
  memset(options, 0, size);
  pki_fields_preset(fields, count, options);
}

/* The largest value; registries know their own. */
static double largest_of(const pk_field *f)
{
  return is_row(f) ? pki_row_count(f->words) - 1 : f->most;
}

static bool in_range(const pk_field *f, double value)
{
  return value >= f->least && value <= largest_of(f);
}

bool pki_field_is_required(const pk_field *field)
{
  return field->type != PK_FIELD_PART && !in_range(field, field->type == PK_FIELD_TEXT ? 0 : field->preset);
}

static pk_status check_range(const pk_field *f, double value, pk_error *err)
{
  if (in_range(f, value)) {
    return PK_OK;
  }
  const pki_where where = {.field = f->name};
  if (f->type == PK_FIELD_TEXT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s has %g bytes, expected %g to %g (%s)", f->name, value,
                    f->least, f->most, f->doc);
  }
  return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s is %g, expected %g to %g%s%s (%s)", f->name, value,
                  f->least, largest_of(f), f->unit[0] ? " " : "", f->unit, f->doc);
}

pk_status pki_fields_validate(const pk_field *fields, int count, const void *options, pk_error *err)
{
  for (int i = 0; i < count; i++) {
    const pk_field *f = &fields[i];
    const int parts = f->type == PK_FIELD_PART ? 0 : pki_field_width(f);
    for (int part = 0; part < parts; part++) {
      const pk_status status = check_range(f, pki_field_get(f, options, part), err);
      if (status != PK_OK) {
        return status;
      }
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

const char *pki_field_renamed(const pk_field *field, const char *text)
{
  const int count = field->type == PK_FIELD_RENAMED_ROW ? pki_row_count(field->words) : 0;
  for (int row = 0; row < count; row++) {
    const char *names[2]; /* the name, the former one */
    memcpy(names, row_at(field->words, row), sizeof names);
    if (names[1] != NULL && strcmp(text, names[1]) == 0) {
      return names[0];
    }
  }
  return NULL;
}

static pk_status parse_word(const pk_field *f, const char *text, double *value, pk_error *err)
{
  static const char *const bools[] = {"false", "true"};
  enum { MOST = 64 };
  const char *words[MOST];
  const int count = f->type == PK_FIELD_BOOL ? 2 : pki_field_word_count(f);
  const char *now = pki_field_renamed(f, text), *wanted = now != NULL ? now : text;
  PK_ASSERT(count <= MOST);
  for (int i = 0; i < count; i++) {
    words[i] = f->type == PK_FIELD_BOOL ? bools[i] : pki_field_word(f, i);
    if (strcmp(wanted, words[i]) == 0) {
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

static pk_status parse_text(const pk_field *f, void *options, const char *text, pk_error *err)
{
  const size_t size = strlen(text);
  const pk_status status = check_range(f, (double)size, err);
  if (status == PK_OK) {
    memcpy((char *)options + f->offset, text, size + 1);
  }
  return status;
}

pk_status pki_field_parse(const pk_field *field, void *options, int part, const char *text, pk_error *err)
{
  PK_ASSERT(part < pki_field_width(field) && field->type != PK_FIELD_PART);
  if (field->type == PK_FIELD_TEXT) {
    return parse_text(field, options, text, err);
  }
  double value = 0;
  const bool wordy = pki_field_word_count(field) > 0 || field->type == PK_FIELD_BOOL;
  const pk_status status =
      wordy ? parse_word(field, text, &value, err) : parse_number(field, text, &value, err);
  if (status == PK_OK) {
    field_set(field, options, part, value);
  }
  return status;
}

/* "0 0 1" */
static pk_status parse_vector(const pk_field *f, void *options, const char *text, pk_error *err)
{
  const char *cursor = text, *const end = text + strlen(text);
  double values[4];
  int count = 0;
  const int width = pki_field_width(f);
  for (pki_skip_blanks(&cursor, end); count < width && cursor < end; count++) {
    if (!pki_parse_real(&cursor, end, &values[count])) {
      break;
    }
    pki_skip_blanks(&cursor, end);
  }
  if (count < width || cursor < end) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = f->name},
                    "%s is \"%s\", expected %d numbers", f->name, text, width);
  }
  for (int i = 0; i < width; i++) {
    const pk_status status = check_range(f, values[i], err);
    if (status != PK_OK) {
      return status;
    }
  }
  for (int i = 0; i < width; i++) {
    field_set(f, options, i, values[i]);
  }
  return PK_OK;
}

const pk_field *pki_fields_find(const pk_field *fields, int count, const char *name)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(name, fields[i].name) == 0) {
      return &fields[i];
    }
  }
  return NULL;
}

pk_status pki_fields_parse(const pk_field *fields, int count, void *options, const char *name,
                           const char *text, pk_error *err)
{
  const pk_field *field = pki_fields_find(fields, count, name);
  const char *names[64];
  PK_ASSERT(count <= 64);
  for (int i = 0; i < count; i++) {
    names[i] = fields[i].name;
  }
  if (field == NULL) {
    const char *near = pki_nearest_word(name, names, count);
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = name}, "there is no option \"%s\"%s%s%s",
                    name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return pki_field_width(field) > 1 ? parse_vector(field, options, text, err)
                                    : pki_field_parse(field, options, 0, text, err);
}
