/* From words of the command line to what is asked for. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "tune/tune.h"

const char *const pki_tune_scale_words[PKI_TUNE_SCALES] = {"linear", "log", "whole"};

/* ---- parameters ---- */

static pk_status fail_vary(const char *text, const char *what, pk_error *err)
{
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"},
                  "'%.200s': %s, expected KEY=LOW:HIGH or KEY=LOW:HIGH:SCALE, as controller.kp=10:1000:log",
                  text, what);
}

/* One bound, and what follows it: ':' or the end. */
static bool read_bound(const char **cursor, const char *end, double *out)
{
  return *cursor < end && pki_parse_real(cursor, end, out) && isfinite(*out) &&
         (*cursor == end || **cursor == ':');
}

static pk_status read_scale(const char *word, pki_tune_scale *out, pk_error *err)
{
  for (int i = 0; i < PKI_TUNE_SCALES; i++) {
    if (strcmp(word, pki_tune_scale_words[i]) == 0) {
      *out = (pki_tune_scale)i;
      return PK_OK;
    }
  }
  const char *nearest = pki_nearest_word(word, pki_tune_scale_words, PKI_TUNE_SCALES);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"},
                  "unknown scale '%.60s'%s%s%s (one of: linear, log, whole)", word,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Bounds that can be searched. */
static pk_status check_bounds(const pki_tune_parameter *p, pk_error *err)
{
  const pki_where where = {.field = "--vary"};
  if (!(p->low < p->high)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "%s goes from %g to %g, expected a lower bound below the upper one", p->key, p->low,
                    p->high);
  }
  if (p->scale == PKI_TUNE_LOG && !(p->low > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "%s goes from %g to %g by its logarithm, expected a lower bound above zero", p->key,
                    p->low, p->high);
  }
  if (p->scale == PKI_TUNE_WHOLE && (p->low != floor(p->low) || p->high != floor(p->high))) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s goes from %g to %g, expected whole numbers", p->key,
                    p->low, p->high);
  }
  return PK_OK;
}

pk_status pki_tune_add_parameter(pki_tune *tune, const char *text, pk_error *err)
{
  const char *equals = strchr(text, '='), *end = text + strlen(text);
  pki_tune_parameter p = {.scale = PKI_TUNE_LINEAR};
  if (equals == NULL || equals == text) {
    return fail_vary(text, "there is no key", err);
  }
  const int length = (int)(equals - text);
  if (snprintf(p.key, sizeof p.key, "%.*s", length, text) >= (int)sizeof p.key) {
    return fail_vary(text, "the key is too long", err);
  }
  const char *cursor = equals + 1;
  if (!read_bound(&cursor, end, &p.low) || cursor == end || (cursor++, !read_bound(&cursor, end, &p.high))) {
    return fail_vary(text, "there are no two bounds", err);
  }
  pk_status status = cursor < end ? read_scale(cursor + 1, &p.scale, err) : PK_OK;
  status = status == PK_OK ? check_bounds(&p, err) : status;
  for (int i = 0; i < tune->nparameter && status == PK_OK; i++) {
    if (strcmp(tune->parameters[i].key, p.key) == 0) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"}, "%s comes twice", p.key);
    }
  }
  if (status == PK_OK && tune->nparameter == PKI_TUNE_PARAMETERS) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"}, "more than %d keys",
                      PKI_TUNE_PARAMETERS);
  }
  if (status == PK_OK) {
    tune->parameters[tune->nparameter++] = p;
  }
  return status;
}

void pki_tune_number(double value, char out[PKI_TUNE_NUMBER])
{
  snprintf(out, PKI_TUNE_NUMBER, "%.12g", value);
}

/* As a run reads it: the number that its text says. */
double pki_tune_value(const pki_tune_parameter *parameter, double t)
{
  const pki_tune_parameter *p = parameter;
  char text[PKI_TUNE_NUMBER];
  double value =
      p->scale == PKI_TUNE_LOG ? p->low * pow(p->high / p->low, t) : p->low + (p->high - p->low) * t;
  value = fmin(fmax(p->scale == PKI_TUNE_WHOLE ? round(value) : value, p->low), p->high);
  pki_tune_number(value, text);
  const char *cursor = text;
  pki_parse_real(&cursor, text + strlen(text), &value);
  return value;
}

double pki_tune_unit(const pki_tune_parameter *parameter, double value)
{
  const pki_tune_parameter *p = parameter;
  return p->scale == PKI_TUNE_LOG ? log(value / p->low) / log(p->high / p->low)
                                  : (value - p->low) / (p->high - p->low);
}

/* ---- methods ---- */

static pk_status find_method(const char *word, const pki_tune_method **out, pk_error *err)
{
  *out = pki_tune_method_find(word);
  if (*out != NULL) {
    return PK_OK;
  }
  const char *words[32];
  for (int i = 0; i < pki_tune_method_count; i++) {
    words[i] = pki_tune_methods[i].name;
  }
  const char *nearest = pki_nearest_word(word, words, pki_tune_method_count);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--method"},
                  "there is no method '%.60s'%s%s%s (pronk list methods)", word,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

pk_status pki_tune_set_method(pki_tune *tune, const char *text, pk_error *err)
{
  char words[2][64];
  const char *plus = strchr(text, '+');
  const pki_tune_method *first = NULL, *second = NULL;
  snprintf(words[0], sizeof words[0], "%.*s", plus != NULL ? (int)fmin((double)(plus - text), 60) : 60, text);
  snprintf(words[1], sizeof words[1], "%.60s", plus != NULL ? plus + 1 : "");
  pk_status status = find_method(words[0], &first, err);
  if (status == PK_OK && plus != NULL) {
    status = find_method(words[1], &second, err);
  }
  if (status == PK_OK && plus != NULL && (!first->global || second->global)) {
    status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--method"},
                      "'%.120s': expected a global method, then a local one, as sobol+sbplx", text);
  }
  if (status == PK_OK) {
    tune->global = first->global ? first : NULL;
    tune->local = first->global ? second : first;
  }
  return status;
}

/* ---- overrides ---- */

char **pki_tune_sets(const pki_tune *tune, const double *value, int world, int *count)
{
  const pki_scenario *s = tune->base;
  char **sets = calloc((size_t)(s->nset + tune->nparameter) + 2, sizeof *sets);
  bool good = sets != NULL;
  *count = 0;
  for (int i = 0; i < s->nset && good; i++) {
    sets[*count] = strdup(s->sets[i]);
    good = sets[(*count)++] != NULL;
  }
  for (int i = 0; value != NULL && i < tune->nparameter && good; i++) {
    pki_text line = {0};
    char number[PKI_TUNE_NUMBER];
    pki_tune_number(value[i], number);
    pki_text_addf(&line, "%s=%s", tune->parameters[i].key, number);
    sets[(*count)++] = line.data;
    good = !line.failed;
  }
  if (world >= 0 && good) {
    char line[32];
    snprintf(line, sizeof line, "world=%d", world);
    sets[*count] = strdup(line);
    good = sets[(*count)++] != NULL;
  }
  if (!good) {
    pki_tune_sets_free(sets, *count);
    sets = NULL;
  }
  return sets;
}

void pki_tune_sets_free(char **sets, int count)
{
  for (int i = 0; sets != NULL && i < count; i++) {
    free(sets[i]);
  }
  free(sets);
}

void pki_tune_command(const pki_tune *tune, const double *value, pki_text *out)
{
  int count;
  char **sets = pki_tune_sets(tune, value, -1, &count);
  out->failed = out->failed || sets == NULL;
  pki_text_add(out, "pronk run ");
  if (strncmp(tune->base->file, "--model ", 8) == 0) {
    pki_text_add(out, "--model ");
    pki_text_add_word(out, tune->base->file + 8);
  } else {
    pki_text_add_word(out, tune->base->file);
  }
  for (int i = 0; sets != NULL && i < count; i++) {
    pki_text_add(out, " --set ");
    pki_text_add_word(out, sets[i]);
  }
  if (tune->duration >= 0) {
    pki_text_addf(out, " --duration %.12g", tune->duration);
  }
  pki_tune_sets_free(sets, count);
}

/* The node that a key leads to; NULL: the document has none. */
static const pki_node *find_key(const pki_node *root, const char *key)
{
  const pki_node *node = root;
  char word[256];
  for (const char *at = key; node != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    at += length + (at[length] == '.');
    if (node->kind == PKI_NODE_LIST) {
      const char *cursor = word;
      long index = -1;
      const bool number = pki_parse_int(&cursor, word + strlen(word), &index) && *cursor == '\0';
      const pki_node *child = number && index >= 0 ? node->first : NULL;
      while (child != NULL && index-- > 0) {
        child = child->next;
      }
      node = child;
    } else {
      node = node->kind == PKI_NODE_MAP ? pki_node_find(node, word) : NULL;
    }
  }
  return node;
}

double pki_tune_written(const pki_tune *tune, int parameter)
{
  const pki_node *node = find_key(pki_document_root(tune->base->document), tune->parameters[parameter].key);
  double value = NAN;
  if (node != NULL && node->kind == PKI_NODE_SCALAR && node->plain) {
    const char *cursor = node->text, *end = cursor + strlen(cursor);
    value = cursor < end && pki_parse_real(&cursor, end, &value) && cursor == end ? value : NAN;
  }
  return value;
}

/* ---- checks ---- */

/* Whether the scenario can be read with one value, and makes a world. */
static pk_status try_value(const pki_tune *t, int parameter, double value, bool *read, pk_error *err)
{
  pki_tune one = *t;
  one.parameters[0] = t->parameters[parameter];
  one.nparameter = 1;
  int count;
  char **sets = pki_tune_sets(&one, &value, -1, &count);
  pki_scenario *s = NULL;
  pki_world world = {0};
  *read = false;
  if (sets == NULL) {
    return pki_fail_memory(err, "a scenario");
  }
  pk_status status = pki_scenario_parse(t->base->file, t->base->text, t->base->text_size,
                                        (const char *const *)sets, count, &s, err);
  *read = status == PK_OK;
  status = status == PK_OK ? pki_world_create(s, &world, err) : status;
  pki_world_free(&world);
  pki_scenario_destroy(s);
  pki_tune_sets_free(sets, count);
  return status;
}

/* Both bounds can be read, and one of them at least makes a world by itself. */
static pk_status check_parameter(const pki_tune *t, int i, pk_error *err)
{
  const pki_tune_parameter *p = &t->parameters[i];
  pk_error own[2] = {{0}, {0}};
  bool read[2];
  pk_status status[2];
  for (int k = 0; k < 2; k++) {
    status[k] = try_value(t, i, k == 0 ? p->low : p->high, &read[k], &own[k]);
    if (status[k] == PK_ERROR_MEMORY) {
      *err = own[k];
      return status[k];
    }
  }
  const int bad = !read[0] || (status[0] != PK_OK && status[1] != PK_OK) ? 0 : !read[1] ? 1 : -1;
  if (bad < 0) {
    return PK_OK;
  }
  char line[sizeof own[0].message + 320];
  pki_error_line(&own[bad], line, sizeof line);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"}, "%.200s: %s", p->key, line);
}

pk_status pki_tune_check(pki_tune *tune, pk_error *err)
{
  pki_world world = {0};
  pk_status status = pki_world_create(tune->base, &world, err);
  if (status == PK_OK) {
    tune->model_hash = pk_model_hash(world.model);
    if (tune->worlds > 0 && world.nvaried == 0 && tune->base->ndisturb == 0) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--worlds"},
                        "there are %d worlds to average over, but the scenario's are all equal: give it a "
                        "section vary or disturb (docs/formats/scenario.md)",
                        tune->worlds);
    }
  }
  pki_world_free(&world);
  for (int i = 0; i < tune->nparameter && status == PK_OK; i++) {
    status = check_parameter(tune, i, err);
  }
  return status;
}

void pki_tune_free(pki_tune *tune)
{
  pki_scenario_destroy(tune->base);
  tune->base = NULL;
}
