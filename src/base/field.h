/* Field tables: the one description of an options struct. Defaults, validation, files,
 * command lines, help and reference pages all read the same rows. */
#ifndef PKI_BASE_FIELD_H
#define PKI_BASE_FIELD_H

#include <stddef.h>

#include "base/error.h"

typedef enum pk_field_type {
  PK_FIELD_REAL,
  PK_FIELD_INT,
  PK_FIELD_BOOL,
  PK_FIELD_ENUM /* an int-sized enum; `words` holds its names */
} pk_field_type;

typedef struct pk_field {
  const char *name;
  size_t offset;
  pk_field_type type;
  const char *unit;         /* "" when it has none */
  double preset;            /* the default, whatever the type */
  double least, most;       /* allowed range, ends included */
  const char *const *words; /* PK_FIELD_ENUM: names of 0 .. most */
  const char *doc;
} pk_field;

/* Set every field of `options` to its default. */
void pki_fields_preset(const pk_field *fields, int count, void *options);

/* Check every field against its range; the message names the field, the value, the range. */
pk_status pki_fields_validate(const pk_field *fields, int count, const void *options, pk_error *err);

/* Set one field from text ("1e-3", "true", "rk4"); an unknown name or word gets the nearest one. */
pk_status pki_fields_parse(const pk_field *fields, int count, void *options, const char *name,
                           const char *text, pk_error *err);

#endif
