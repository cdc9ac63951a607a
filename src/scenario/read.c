#include "scenario/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { NAMES_MAX = 64, SCALAR = 64 };

/* ---- scalars ---- */

/* A number of the core schema as the project's number parser reads it: decimals as they are, 0x and 0o as
 * decimals, .inf and .nan without the dot; false: no number ("inf" is a word in YAML). */
static bool core_number(const char *text, char out[SCALAR])
{
  const char *body = text + (text[0] == '-' || text[0] == '+');
  const size_t size = strlen(text);
  if (size >= SCALAR || size == 0) {
    return false;
  }
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'o') && text[2] != '\0') {
    const int base = text[1] == 'x' ? 16 : 8;
    char *end;
    const bool digits = strspn(text + 2, base == 16 ? "0123456789abcdefABCDEF" : "01234567") == size - 2;
    const unsigned long long value = strtoull(text + 2, &end, base);
    snprintf(out, SCALAR, "%llu", value);
    return digits && size < 16;
  }
  static const char *const dotted[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
  for (size_t i = 0; i < sizeof dotted / sizeof dotted[0]; i++) {
    const bool signless = i >= 3; /* no number has no sign */
    if ((!signless || body == text) && strcmp(body, dotted[i]) == 0) {
      snprintf(out, SCALAR, "%.1s%s", body == text ? "" : text, body + 1);
      return true;
    }
  }
  snprintf(out, SCALAR, "%s", text);
  const char *cursor = text, *const end = text + size;
  double value;
  const bool starts = (body[0] >= '0' && body[0] <= '9') || body[0] == '.';
  return starts && pki_parse_real(&cursor, end, &value) && cursor == end;
}

static bool core_bool(const char *text, char out[SCALAR])
{
  static const char *const words[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strcmp(text, words[i]) == 0) {
      snprintf(out, SCALAR, "%s", i < 3 ? "true" : "false");
      return true;
    }
  }
  return false;
}

static const char *key_of(const pki_node *n)
{
  return n->key != NULL ? n->key : n->parent != NULL && n->parent->key != NULL ? n->parent->key : "the value";
}

static const char *expected_of(const pk_field *f)
{
  static const char *const words[] = {[PK_FIELD_REAL] = "a number",
                                      [PK_FIELD_INT] = "a whole number",
                                      [PK_FIELD_BOOL] = "true or false",
                                      [PK_FIELD_ENUM] = "a word",
                                      [PK_FIELD_ROW] = "a word",
                                      [PK_FIELD_RENAMED_ROW] = "a word",
                                      [PK_FIELD_VEC3] = "a list of 3 numbers",
                                      [PK_FIELD_VEC4] = "a list of 4 numbers",
                                      [PK_FIELD_TEXT] = "a text",
                                      [PK_FIELD_PART] = "a list or mapping"};
  return words[f->type];
}

/* One value of a field. */
static pk_status read_scalar(const pki_node *n, const pk_field *f, void *options, int part, pk_error *err)
{
  const bool wordy = pki_field_word_count(f) > 0 || f->type == PK_FIELD_TEXT;
  const char *expected = pki_field_width(f) > 1 ? "a number" : expected_of(f);
  if (n->kind != PKI_NODE_SCALAR || pki_node_is_null(n)) {
    return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "%s is %s, expected %s", key_of(n), pki_node_what(n),
                         expected);
  }
  if (!wordy && !n->plain) {
    return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "%s is the text \"%.80s\", expected %s", key_of(n),
                         n->text, expected);
  }
  char scalar[SCALAR] = "";
  if (f->type == PK_FIELD_BOOL) {
    return pki_node_place(
        pki_field_parse(f, options, part, core_bool(n->text, scalar) ? scalar : n->text, err), n, "", err);
  }
  if (!wordy && !core_number(n->text, scalar)) {
    return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "%s is \"%.80s\", expected %s", key_of(n), n->text,
                         expected);
  }
  return pki_node_place(pki_field_parse(f, options, part, wordy ? n->text : scalar, err), n, "", err);
}

pk_status pki_read_field(const pki_node *node, const pk_field *field, void *options, pk_error *err)
{
  const int width = pki_field_width(field);
  if (node == NULL || width == 1) {
    return node == NULL ? PK_OK : read_scalar(node, field, options, 0, err);
  }
  if (node->kind != PKI_NODE_LIST || node->count != width) {
    char found[48];
    snprintf(found, sizeof found, "a list of %d", node->count);
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %s, expected %s", key_of(node),
                         node->kind == PKI_NODE_LIST ? found : pki_node_what(node), expected_of(field));
  }
  pk_status status = PK_OK;
  int part = 0;
  for (const pki_node *n = node->first; n != NULL && status == PK_OK; n = n->next) {
    status = read_scalar(n, field, options, part++, err);
  }
  return status;
}

pk_status pki_read_real(const pki_node *node, double *out, pk_error *err)
{
  char scalar[SCALAR];
  if (node->kind != PKI_NODE_SCALAR || !node->plain || !core_number(node->text, scalar)) {
    const bool text = node->kind == PKI_NODE_SCALAR && !pki_node_is_null(node);
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %s%.80s%s, expected a number", key_of(node),
                         text ? "\"" : "", text ? node->text : pki_node_what(node), text ? "\"" : "");
  }
  const char *cursor = scalar;
  pki_parse_real(&cursor, scalar + strlen(scalar), out);
  if (!isfinite(*out)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %g, expected a finite number", key_of(node),
                         *out);
  }
  return PK_OK;
}

/* ---- words ---- */

pk_status pki_read_choice(const pki_node *node, const char *what, const char *text, const char *const *words,
                          int count, int *out, pk_error *err)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(text, words[i]) == 0) {
      *out = i;
      return PK_OK;
    }
  }
  char all[300];
  pki_join_words(words, count, all, sizeof all);
  const char *near = pki_nearest_word(text, words, count);
  return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "there is no %s \"%.80s\"%s%s%s (%s%s)", what, text,
                       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "",
                       count > 0 ? "one of: " : "there are none", all);
}

/* ---- mappings ---- */

pk_status pki_read_kind(const pki_node *node, pki_node_kind kind, pk_error *err)
{
  if (node->kind == kind) {
    return PK_OK;
  }
  return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "%s is %s, expected %s",
                       node->parent != NULL ? key_of(node) : "the file", pki_node_what(node),
                       kind == PKI_NODE_LIST ? "a list" : "a mapping");
}

static const pk_field *find_field(const pki_binding *bindings, int count, const char *key, void **options)
{
  const pk_field *found = NULL;
  for (int i = 0; i < count && found == NULL; i++) {
    found = pki_fields_find(bindings[i].fields, bindings[i].count, key);
    *options = bindings[i].options;
  }
  return found;
}

static pk_status fail_unknown(const pki_node *n, const pki_binding *bindings, int count, pk_error *err)
{
  const char *names[NAMES_MAX];
  int used = 0, chosen;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < bindings[i].count && used < NAMES_MAX; k++) {
      names[used++] = bindings[i].fields[k].name;
    }
  }
  return pki_read_choice(n, "key", n->key, names, used, &chosen, err);
}

/* A former word still means what it did, and its reader learns the new one. */
static void remark_renamed(const pki_node *n, const pk_field *f, pki_problems *remarks)
{
  const char *now = n->kind == PKI_NODE_SCALAR ? pki_field_renamed(f, n->text) : NULL;
  if (now != NULL && remarks != NULL) {
    pki_problem(remarks, n, "%s \"%s\" is called \"%s\" now; please write that", f->name, n->text, now);
  }
}

/* Values of the keys that are there. */
static void read_keys(const pki_node *map, const pki_binding *bindings, int count, pki_problems *problems)
{
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    pk_error err = {0};
    void *options = NULL;
    const pk_field *f = find_field(bindings, count, n->key, &options);
    pk_status status = PK_OK;
    if (f == NULL) {
      status = fail_unknown(n, bindings, count, &err);
    } else if (f->type != PK_FIELD_PART) {
      status = pki_read_field(n, f, options, &err);
      remark_renamed(n, f, problems->remarks);
    }
    pki_problems_note(problems, status, &err);
  }
}

pk_status pki_read_map(const pki_node *map, const pki_binding *bindings, int count, pki_problems *problems)
{
  const int before = pki_problems_total(problems);
  if (pki_expect_kind(map, PKI_NODE_MAP, problems) == PK_OK) {
    read_keys(map, bindings, count, problems);
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < bindings[i].count; k++) {
        const pk_field *f = &bindings[i].fields[k];
        if (pki_field_is_required(f) && pki_node_find(map, f->name) == NULL) {
          pki_problem(problems, map, "the key \"%s\" is missing: %s, %s", f->name, expected_of(f), f->doc);
        }
      }
    }
  }
  return pki_problems_total(problems) == before ? PK_OK : PK_ERROR_ARGUMENT;
}

/* ---- lists ---- */

pk_status pki_read_entries(const pki_node *list, const pk_field *fields, int nfield, size_t size, void **out,
                           int *count, pki_problems *problems)
{
  *out = NULL;
  *count = 0;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return list == NULL ? PK_OK : PK_ERROR_ARGUMENT;
  }
  char *entries = calloc((size_t)list->count + 1, size);
  if (entries == NULL) {
    return pki_problem_memory(problems);
  }
  pk_status first = PK_OK;
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    char *entry = entries + (size_t)(*count)++ * size;
    pki_fields_preset(fields, nfield, entry);
    memcpy(entry, &n, sizeof n);
    const pki_binding binding = {fields, nfield, entry};
    const pk_status status = pki_read_map(n, &binding, 1, problems);
    first = first == PK_OK ? status : first;
  }
  *out = entries;
  return first;
}

pk_status pki_read_names(const pki_node *list, int least, int most, char (**out)[64], int *count,
                         pki_problems *problems)
{
  *out = NULL;
  *count = 0;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return list == NULL ? PK_OK : PK_ERROR_ARGUMENT;
  }
  if (most > 0 && (list->count < least || list->count > most)) {
    char fewer[24] = "";
    if (least < most) {
      snprintf(fewer, sizeof fewer, "%d to ", least);
    }
    return pki_problem(problems, list, "%s is a list of %d, expected %s%d names", key_of(list), list->count,
                       fewer, most);
  }
  *out = calloc((size_t)list->count + 1, sizeof **out);
  if (*out == NULL) {
    return pki_problem_memory(problems);
  }
  pk_status first = PK_OK;
  const pk_field name = {key_of(list), 0, PK_FIELD_TEXT, "", 0, 1, sizeof **out - 1, NULL, "a name"};
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    pk_error err = {0};
    const pk_status status = pki_read_field(n, &name, (*out)[(*count)++], &err);
    pki_problems_note(problems, status, &err);
    first = first == PK_OK ? status : first;
  }
  return first;
}

/* ---- problems ---- */

pk_status pki_expect_kind(const pki_node *node, pki_node_kind kind, pki_problems *problems)
{
  pk_error err = {0};
  return pki_problems_note(problems, pki_read_kind(node, kind, &err), &err);
}

pk_status pki_problem(pki_problems *problems, const pki_node *node, const char *format, ...)
{
  pk_error err = {0};
  char message[sizeof err.message];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return pki_problems_note(problems, pki_node_fail(node, &err, PK_ERROR_ARGUMENT, "%s", message), &err);
}

pk_status pki_problem_memory(pki_problems *problems)
{
  pk_error err = {0};
  return pki_problems_note(problems, pki_fail_memory(&err, "the scenario"), &err);
}
