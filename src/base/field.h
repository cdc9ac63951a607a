/* Field tables: the one description of an options struct. Defaults, validation, files,
 * command lines, help and reference pages all read the same rows. */
#ifndef PKI_BASE_FIELD_H
#define PKI_BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum pk_field_type {
  PK_FIELD_REAL,
  PK_FIELD_INT,
  PK_FIELD_BOOL,
  PK_FIELD_ENUM, /* an int-sized enum; `words` holds its names */
  PK_FIELD_ROW,  /* an int-sized enum that counts the rows of a registry; `words` is the registry */
  /* The same of rows whose second member is the name that the row had formerly, a const char *, NULL: no
   * other. It is read too. */
  PK_FIELD_RENAMED_ROW,
  PK_FIELD_VEC3, /* double [3]: each in the range, each with the default */
  PK_FIELD_VEC4, /* double [4] */
  PK_FIELD_TEXT, /* char [most + 1]: least to most bytes; the default is "" */
  PK_FIELD_PART  /* a list or mapping with a reader of its own: named here, not stored */
} pk_field_type;

typedef struct pk_field {
  const char *name;
  size_t offset;
  pk_field_type type;
  const char *unit;   /* "" when it has none */
  double preset;      /* the default, whatever the type; out of the range: it must be given */
  double least, most; /* allowed range, ends included */
  const void *words;  /* PK_FIELD_ENUM: const char *[most + 1]; rows: up to NULL, most is 0 */
  const char *doc;
} pk_field;

/* A registry is an array of pointers to rows that ends with NULL; each row is a struct whose first member is its name, a
 * const char *. How many rows there are, and the name of one. */
int pki_row_count(const void *registry);
const char *pki_row_name(const void *registry, int row);

/* The row of that name; -1: there is none. */
int pki_row_find(const void *registry, const char *name);

/* How many words a field has that is an enum or a row, and one of them; no words and NULL for all others. */
int pki_field_word_count(const pk_field *field);
const char *pki_field_word(const pk_field *field, int index);

/* Zero the `size` bytes of `options` and set every field to its default: the body of all functions *_options_default. */
void pki_fields_default(const pk_field *fields, int count, void *options, size_t size);

/* Set every field of `options` to its default; what is no field stays. */
void pki_fields_preset(const pk_field *fields, int count, void *options);

/* Check every field against its range; the message names the field, the value, the range. */
pk_status pki_fields_validate(const pk_field *fields, int count, const void *options, pk_error *err);

/* Set one field from text ("1e-3", "true", "rk4", "0 0 1"); an unknown name or word gets the nearest one. */
pk_status pki_fields_parse(const pk_field *fields, int count, void *options, const char *name,
                           const char *text, pk_error *err);

/* The field of that name, NULL: there is none. */
const pk_field *pki_fields_find(const pk_field *fields, int count, const char *name);

/* How many values it holds: 3 and 4 for vectors, 1 for all others. */
int pki_field_width(const pk_field *field);

/* One value as a number (`part` 0 but for vectors); of a text its length. */
double pki_field_get(const pk_field *field, const void *options, int part);

/* Its default is no valid value, so a value must be given. */
bool pki_field_is_required(const pk_field *field);

/* Set one value of a field (`part` 0 but for vectors) from text, with the same checks. */
pk_status pki_field_parse(const pk_field *field, void *options, int part, const char *text, pk_error *err);

/* What a row is called now whose former name is `text`; NULL: there is none. Fields read former names, and
 * those who read files for people should warn of them. */
const char *pki_field_renamed(const pk_field *field, const char *text);

#endif
