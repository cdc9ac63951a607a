/* best.yaml: the scenario with the best values in it. Comments and the layout of the original are not kept; what its texts name from
 * the scenario's folder is named from the root of the file system. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "tune/tune.h"

/* ---- YAML ---- */

static bool is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  return text[0] != '\0' && strspn(text, letters) == strlen(text);
}

static bool is_number(const char *text)
{
  double value;
  const char *cursor = text, *end = text + strlen(text);
  return text[0] != '\0' && pki_parse_real(&cursor, end, &value) && cursor == end;
}

/* The file or folder that a text names from the scenario's folder, for free(); NULL: it names none. Names of models and motors,
 * which are looked up elsewhere, have neither a dot nor a slash. */
static char *named_file(const pki_scenario *s, const char *text)
{
  char path[PKI_PATH_MAX];
  if (text[0] == '/' || strpbrk(text, "./") == NULL || is_number(text) || !pki_scenario_path(s, text, path) ||
      !(pki_is_file(path) || pki_is_folder(path))) {
    return NULL;
  }
  return realpath(path, NULL);
}

static void add_scalar(const pki_scenario *s, const pki_node *node, pki_text *out)
{
  char *file = named_file(s, node->text);
  if (file != NULL) {
    pki_text_add_json_string(out, file);
  } else if (pki_node_is_null(node)) {
    pki_text_add(out, "null");
  } else if (node->plain && strpbrk(node->text, ",[]{}:#\n\"'") == NULL) {
    pki_text_add(out, node->text);
  } else {
    pki_text_add_json_string(out, node->text);
  }
  free(file);
}

static void add_key(const char *key, pki_text *out)
{
  if (is_word(key) && !is_number(key)) {
    pki_text_add(out, key);
  } else {
    pki_text_add_json_string(out, key);
  }
  pki_text_add(out, ":");
}

/* In one line: every value is a value of JSON, or a plain scalar. */
static void add_flow(const pki_scenario *s, const pki_node *node, pki_text *out)
{
  if (node->kind == PKI_NODE_SCALAR) {
    add_scalar(s, node, out);
    return;
  }
  const bool map = node->kind == PKI_NODE_MAP;
  pki_text_add(out, map ? "{" : "[");
  for (const pki_node *n = node->first; n != NULL; n = n->next) {
    if (map) {
      add_key(n->key, out);
      pki_text_add(out, " ");
    }
    add_flow(s, n, out);
    pki_text_add(out, n->next != NULL ? ", " : "");
  }
  pki_text_add(out, map ? "}" : "]");
}

/* A list of scalars, or one of them. */
static bool fits_a_line(const pki_node *node)
{
  bool fits = node->kind != PKI_NODE_MAP || node->count == 0;
  for (const pki_node *n = node->first; n != NULL; n = n->next) {
    fits = fits && n->kind == PKI_NODE_SCALAR;
  }
  return fits;
}

/* Sections of the file over several lines, one for each key or entry. */
static void add_section(const pki_scenario *s, const pki_node *node, pki_text *out)
{
  add_key(node->key, out);
  if (fits_a_line(node)) {
    pki_text_add(out, " ");
    add_flow(s, node, out);
    pki_text_add(out, "\n");
    return;
  }
  pki_text_add(out, "\n");
  for (const pki_node *n = node->first; n != NULL; n = n->next) {
    pki_text_add(out, node->kind == PKI_NODE_MAP ? "  " : "  - ");
    if (node->kind == PKI_NODE_MAP) {
      add_key(n->key, out);
      pki_text_add(out, " ");
    }
    add_flow(s, n, out);
    pki_text_add(out, "\n");
  }
}

/* ---- the file ---- */

static void add_scenario(const pki_tune *tune, const pki_scenario *s, pki_text *out)
{
  char name[96];
  snprintf(name, sizeof name, "%.50s-tuned", s->name);
  pki_text_add(out, "# Tuned for ");
  pki_text_add(out, tune->objective.maximise ? "most " : "least ");
  pki_objective_text(&tune->objective, out);
  pki_text_add(out, ":");
  for (int i = 0; i < tune->nparameter; i++) {
    pki_text_addf(out, " %s", tune->parameters[i].key);
  }
  pki_text_add(out, "\nname: ");
  pki_text_add_json_string(out, name);
  pki_text_add(out, "\n");
  for (const pki_node *n = pki_document_root(s->document)->first; n != NULL; n = n->next) {
    if (strcmp(n->key, "name") != 0 && (strcmp(n->key, "duration") != 0 || tune->duration < 0)) {
      add_section(s, n, out);
    }
  }
  if (tune->duration >= 0) {
    pki_text_addf(out, "duration: %.12g\n", tune->duration);
  }
}

pk_status pki_tune_best(const pki_tune *tune, const pki_evaluation *best, const char *path, pk_error *err)
{
  int count;
  char **sets = pki_tune_sets(tune, best->as_written ? NULL : best->value, -1, &count);
  pki_scenario *s = NULL;
  pki_text text = {0};
  pk_status status = sets != NULL
                         ? pki_scenario_parse(tune->base->file, tune->base->text, tune->base->text_size,
                                              (const char *const *)sets, count, &s, err)
                         : pki_fail_memory(err, "a scenario");
  if (status == PK_OK) {
    add_scenario(tune, s, &text);
    status = pki_text_save(&text, path, err);
  }
  pki_text_free(&text);
  pki_scenario_destroy(s);
  pki_tune_sets_free(sets, count);
  return status;
}
