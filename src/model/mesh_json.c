#include "model/mesh_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/mesh_internal.h"

enum { DEPTH_MAX = 64, MEMBER_MAX = 256 };

typedef struct parser {
  pki_mesh_json *json;
  const char *p, *end;
  pk_status status; /* why not, beside syntax */
} parser;

static bool read_value(parser *r, int depth, size_t *index);

static void skip_json_blanks(parser *r)
{
  while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r')) {
    r->p++;
  }
}

static bool accept(parser *r, char c)
{
  skip_json_blanks(r);
  if (r->p < r->end && *r->p == c) {
    r->p++;
    return true;
  }
  return false;
}

/* A string without its quotes. */
static bool read_string(parser *r, const char **at, int *length)
{
  if (!accept(r, '"')) {
    return false;
  }
  *at = r->p;
  for (; r->p < r->end && *r->p != '"'; r->p++) {
    r->p += *r->p == '\\' && r->p + 1 < r->end;
  }
  *length = (int)(r->p - *at);
  return r->p < r->end && *r->p++ == '"';
}

static bool add_value(parser *r, size_t *index)
{
  pki_mesh_json *j = r->json;
  if (j->count >= PKI_MESH_JSON_MAX) {
    r->status = PK_ERROR_LIMIT;
    return false;
  }
  pki_mesh_json_value *values = pki_mesh_grow(j->values, j->count, 1, sizeof *values, &j->room);
  if (values == NULL) {
    r->status = PK_ERROR_MEMORY;
    return false;
  }
  j->values = values;
  values[j->count] = (pki_mesh_json_value){.at = r->p};
  *index = j->count++;
  return true;
}

/* The children of the value `parent` up to its closing bracket. */
static bool read_children(parser *r, int depth, size_t parent, char close)
{
  int *link = NULL;
  size_t before = 0;
  if (accept(r, close)) {
    return true;
  }
  do {
    const char *key = NULL;
    int key_length = 0;
    size_t child;
    if (close == '}' && (!read_string(r, &key, &key_length) || !accept(r, ':'))) {
      return false;
    }
    if (!read_value(r, depth, &child)) {
      return false;
    }
    r->json->values[child].key = key, r->json->values[child].key_length = key_length;
    link = before == 0 ? &r->json->values[parent].child : &r->json->values[before].next;
    *link = (int)child;
    r->json->values[parent].count++;
    before = child;
  } while (accept(r, ','));
  return accept(r, close);
}

static bool read_value(parser *r, int depth, size_t *index)
{
  skip_json_blanks(r);
  if (r->p == r->end || depth > DEPTH_MAX || !add_value(r, index)) {
    return false;
  }
  const size_t at = *index;
  if (*r->p == '{' || *r->p == '[') {
    const char close = *r->p++ == '{' ? '}' : ']';
    r->json->values[at].kind = close == '}' ? PKI_MESH_JSON_OBJECT : PKI_MESH_JSON_ARRAY;
    return read_children(r, depth + 1, at, close);
  }
  pki_mesh_json_value *v = &r->json->values[at];
  if (*r->p == '"') {
    v->kind = PKI_MESH_JSON_STRING;
    return read_string(r, &v->at, &v->length);
  }
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < 3; i++) {
    const size_t n = strlen(words[i]);
    if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i], n) == 0) {
      v->kind = PKI_MESH_JSON_WORD, v->length = (int)n;
      r->p += n;
      return true;
    }
  }
  v->kind = PKI_MESH_JSON_NUMBER;
  return (*r->p == '-' || (*r->p >= '0' && *r->p <= '9')) && pki_parse_real(&r->p, r->end, &v->number);
}

pk_status pki_mesh_json_parse(const char *text, size_t size, pki_mesh_json *out, const char **at)
{
  parser r = {.json = out, .p = text, .end = text + size, .status = PK_ERROR_SYNTAX};
  size_t whole;
  *out = (pki_mesh_json){0};
  bool ok = read_value(&r, 0, &whole);
  skip_json_blanks(&r);
  ok = ok && (r.p == r.end || *r.p == '\0'); /* some writers pad with NUL */
  *at = r.p;
  if (!ok) {
    pki_mesh_json_free(out);
  }
  return ok ? PK_OK : r.status;
}

void pki_mesh_json_free(pki_mesh_json *json)
{
  free(json->values);
  *json = (pki_mesh_json){0};
}

const pki_mesh_json_value *pki_mesh_json_child(const pki_mesh_json *json, const pki_mesh_json_value *value)
{
  return value != NULL && value->child > 0 ? &json->values[value->child] : NULL;
}

const pki_mesh_json_value *pki_mesh_json_next(const pki_mesh_json *json, const pki_mesh_json_value *value)
{
  return value != NULL && value->next > 0 ? &json->values[value->next] : NULL;
}

const pki_mesh_json_value *pki_mesh_json_get(const pki_mesh_json *json, const pki_mesh_json_value *value,
                                             const char *key)
{
  if (value == NULL || value->kind != PKI_MESH_JSON_OBJECT) {
    return NULL;
  }
  const int length = (int)strlen(key);
  int budget = MEMBER_MAX;
  for (const pki_mesh_json_value *v = pki_mesh_json_child(json, value); v != NULL && budget-- > 0;
       v = pki_mesh_json_next(json, v)) {
    if (v->key_length == length && memcmp(v->key, key, (size_t)length) == 0) {
      return v;
    }
  }
  return NULL;
}

long pki_mesh_json_index(const pki_mesh_json *json, const pki_mesh_json_value *value, const char *key,
                         long most, long otherwise)
{
  const pki_mesh_json_value *v = pki_mesh_json_get(json, value, key);
  if (v == NULL) {
    return otherwise;
  }
  const bool whole = v->kind == PKI_MESH_JSON_NUMBER && v->number >= 0 && v->number <= (double)most &&
                     floor(v->number) == v->number;
  return whole ? (long)v->number : -1;
}

bool pki_mesh_json_is(const pki_mesh_json_value *value, const char *text)
{
  return value != NULL && value->kind == PKI_MESH_JSON_STRING && (size_t)value->length == strlen(text) &&
         memcmp(value->at, text, (size_t)value->length) == 0;
}
