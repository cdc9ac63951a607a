/* Pieces of JSON schemas (draft 2020-12), made of field tables. */
#ifndef PKI_CLI_SCHEMA_VALUES_H
#define PKI_CLI_SCHEMA_VALUES_H

#include <cjson/cJSON.h>

#include "base/field.h"

cJSON *pki_schema_typed(const char *type);

/* A text of `least` to `most` bytes, a list of as many items; 0: no bound. */
cJSON *pki_schema_text(int least, int most);
cJSON *pki_schema_list(cJSON *items, int least, int most);

/* A mapping from any name. */
cJSON *pki_schema_map(cJSON *values);

/* What is defined under $defs. */
cJSON *pki_schema_reference(const char *name);

/* One or the other. */
cJSON *pki_schema_either(cJSON *one, cJSON *other);

/* The schema of a field that is a part: a list or a mapping with a reader of its own. */
typedef cJSON *(*pki_schema_part)(const pk_field *field);

/* A mapping by one table and no other keys; and the keys of one table more. */
cJSON *pki_schema_mapping(const char *doc, const pk_field *fields, int count, pki_schema_part part);
void pki_schema_add_fields(cJSON *o, const pk_field *fields, int count, pki_schema_part part);

/* The schema of a gait file (cmd_schema_gait.c). */
cJSON *pki_schema_of_gait(void);

/* The schema of a sizing study (cmd_schema_size.c). */
cJSON *pki_schema_of_sizing(void);

#endif
