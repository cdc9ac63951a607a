/* JSON text as a flat list of values, for the mesh formats that carry it (RFC 8259). Strings stay as they stand in the
 * text: names in these formats have no escapes. */
#ifndef PKI_MODEL_MESH_JSON_H
#define PKI_MODEL_MESH_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "pronk/status.h"

typedef enum pki_mesh_json_kind {
  PKI_MESH_JSON_OBJECT,
  PKI_MESH_JSON_ARRAY,
  PKI_MESH_JSON_STRING,
  PKI_MESH_JSON_NUMBER,
  PKI_MESH_JSON_WORD
} pki_mesh_json_kind;

typedef struct pki_mesh_json_value {
  pki_mesh_json_kind kind;
  const char *key, *at; /* in the text, not ended by NUL; key NULL: not a member */
  int key_length, length;
  double number;
  int child, next; /* values, 0: none */
  int count;       /* of children */
} pki_mesh_json_value;

typedef struct pki_mesh_json {
  pki_mesh_json_value *values; /* [count] the first is the whole */
  size_t count, room;
} pki_mesh_json;

/* Most values of a text: each takes more memory than it has characters. */
enum { PKI_MESH_JSON_MAX = 4000000 };

/* PK_ERROR_SYNTAX when the text is not JSON or nests too deep, PK_ERROR_LIMIT with too many values, PK_ERROR_MEMORY; `at`
 * says where. */
pk_status pki_mesh_json_parse(const char *text, size_t size, pki_mesh_json *out, const char **at);
void pki_mesh_json_free(pki_mesh_json *json);

/* A member of an object among its first 256, NULL when there is none or when `value` is NULL or no object. */
const pki_mesh_json_value *pki_mesh_json_get(const pki_mesh_json *json, const pki_mesh_json_value *value,
                                             const char *key);

/* The first child of an array or object, and the one after a child; NULL: none. */
const pki_mesh_json_value *pki_mesh_json_child(const pki_mesh_json *json, const pki_mesh_json_value *value);
const pki_mesh_json_value *pki_mesh_json_next(const pki_mesh_json *json, const pki_mesh_json_value *value);

/* A member that is a whole number from 0 to `most`; `otherwise` when it is missing, -1 when it is something else. */
long pki_mesh_json_index(const pki_mesh_json *json, const pki_mesh_json_value *value, const char *key,
                         long most, long otherwise);

bool pki_mesh_json_is(const pki_mesh_json_value *value, const char *text);

#endif
