/* The file of a sweep, by its field tables. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "scenario/slope.h"
#include "scenario/yaml_file.h"
#include "sweep/metrics.h"
#include "sweep/sweep.h"

const pki_yaml_kind pki_sweep_kind = {"sweeps", "PRONK_SWEEPS", "sweep"};
const char *const pki_sweep_as_words[] = {"value", "slope"};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define PART(name, doc) \
  { \
    name, 0, PK_FIELD_PART, "", 0, 0, 0, NULL, doc \
  }
#define TEXT(type, member, least, doc) \
  { \
#member, offsetof(type, member), PK_FIELD_TEXT, "", 0, least, sizeof((type *)0)->member - 1, NULL, doc \
  }
#define SWEEP(member) #member, offsetof(pki_sweep, member)
const pk_field pki_sweep_fields[] = {
    TEXT(pki_sweep, name, 0, "what it is called; default: the file's name"),
    TEXT(pki_sweep, description, 0, "one line about it"),
    TEXT(pki_sweep, scenario, 1, "a path from the sweep's folder, or a scenario's name"),
    {SWEEP(duration), PK_FIELD_REAL, "s", -1, -1, 1e6, NULL, "of each sample; -1: the scenario's"},
    PART("set", "overrides for all samples: keys of the scenario and their values"),
    PART("parameters", "what varies: a list"),
    {SWEEP(draw), PK_FIELD_ENUM, "", PKI_DRAW_SOBOL, 0, PKI_DRAW_COUNT - 1, pki_draw_words,
     "how parameters with `random` are drawn"},
    {SWEEP(samples), PK_FIELD_INT, "", 0, 0, 1e8, NULL, "how many draws; needed when something is drawn"},
    {SWEEP(seed), PK_FIELD_INT, "", 0, 0, 2147483647, NULL, "of the draws"},
    {SWEEP(seeds), PK_FIELD_INT, "", 0, 0, 1e6, NULL,
     "each sample so many times, with the scenario's seed and those after it; 0: once, the seed left alone"},
    {SWEEP(replays), PK_FIELD_INT, "", 3, 0, 100, NULL, "how many of the worst samples are recorded"},
};
const int pki_sweep_field_count = COUNT(pki_sweep_fields);

static const char *const spacing_words[] = {"linear", "log"};

#define PARAMETER(member) offsetof(pki_sweep_parameter, member)
const pk_field pki_sweep_parameter_fields[] = {
    TEXT(pki_sweep_parameter, key, 0, "of the scenario, as --set takes it: controller.forward"),
    PART("keys", "several that get the same value, instead of key: a list"),
    TEXT(pki_sweep_parameter, name, 0, "of its column; default: the last part of the key"),
    TEXT(pki_sweep_parameter, unit, 0, "of its values, for tables and pictures"),
    {"as", PARAMETER(as), PK_FIELD_ENUM, "", PKI_SWEEP_AS_VALUE, 0, PKI_SWEEP_AS_COUNT - 1,
     pki_sweep_as_words,
     "value: what the key is set to; slope: the angle in rad by which ground, models and objects are tilted"},
    PART("grid", "its values: a list"),
    {"from", PARAMETER(from), PK_FIELD_REAL, "", 0, -1e300, 1e300, NULL, "the least value"},
    {"to", PARAMETER(to), PK_FIELD_REAL, "", 0, -1e300, 1e300, NULL, "the largest value"},
    {"count", PARAMETER(count), PK_FIELD_INT, "", 0, 0, PKI_SWEEP_VALUES, NULL,
     "so many values from the least to the largest"},
    {"spacing", PARAMETER(log), PK_FIELD_ENUM, "", 0, 0, 1, spacing_words,
     "of these values: equal differences or equal ratios"},
    {"random", PARAMETER(random), PK_FIELD_ENUM, "", PKI_DRAW_UNIFORM, 0, PKI_DRAW_KIND_COUNT - 1,
     pki_draw_kind_words, "drawn: between from and to, or by mean and deviation (from and to may cut it)"},
    {"mean", PARAMETER(mean), PK_FIELD_REAL, "", 0, -1e300, 1e300, NULL, "of the normal distribution"},
    {"deviation", PARAMETER(deviation), PK_FIELD_REAL, "", 0, 0, 1e300, NULL,
     "standard deviation of the normal distribution"},
};
const int pki_sweep_parameter_field_count = COUNT(pki_sweep_parameter_fields);

/* ---- values ---- */

/* A node as YAML in one line. */
static void add_flow(const pki_node *n, pki_text *out)
{
  if (n->kind == PKI_NODE_SCALAR) {
    if (n->plain) {
      pki_text_add(out, n->text);
    } else {
      pki_text_add_json_string(out, n->text);
    }
    return;
  }
  pki_text_add(out, n->kind == PKI_NODE_LIST ? "[" : "{");
  for (const pki_node *child = n->first; child != NULL; child = child->next) {
    pki_text_add(out, child == n->first ? "" : ", ");
    if (n->kind == PKI_NODE_MAP) {
      pki_text_addf(out, "%s: ", child->key);
    }
    add_flow(child, out);
  }
  pki_text_add(out, n->kind == PKI_NODE_LIST ? "]" : "}");
}

static char *flow_of(const char *key, const pki_node *n)
{
  pki_text text = {0};
  pki_text_addf(&text, "%s%s", key != NULL ? key : "", key != NULL ? "=" : "");
  add_flow(n, &text);
  if (text.failed) {
    pki_text_free(&text);
  }
  return text.data;
}

/* A number as a plain scalar; NAN: something else. */
static double number_of_node(const pki_node *n)
{
  double value;
  pk_error ignored;
  return pki_read_real(n, &value, &ignored) == PK_OK ? value : NAN;
}

static bool make_room(pki_sweep_parameter *p, int count)
{
  p->text = calloc((size_t)count, sizeof *p->text);
  p->value = calloc((size_t)count, sizeof *p->value);
  return p->text != NULL && p->value != NULL;
}

static void read_list(pki_sweep_parameter *p, const pki_node *list, pki_problems *problems)
{
  if (pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  if (list->count == 0 || list->count > PKI_SWEEP_VALUES) {
    pki_problem(problems, list, "grid has %d values, expected 1 to %d", list->count, PKI_SWEEP_VALUES);
    return;
  }
  if (!make_room(p, list->count)) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    p->value[p->count] = number_of_node(n);
    p->text[p->count] = flow_of(NULL, n);
    if (p->text[p->count++] == NULL) {
      pki_problem_memory(problems);
      return;
    }
    if (p->as == PKI_SWEEP_AS_SLOPE && isnan(p->value[p->count - 1])) {
      pki_problem(problems, n, "found %.60s, expected an angle in rad", p->text[p->count - 1]);
    }
  }
}

/* Twelve digits, and the number that they are: what is shown is what was computed with. */
static double round_to_digits(double value, char out[PKI_SWEEP_NUMBER])
{
  const int n = snprintf(out, PKI_SWEEP_NUMBER, "%.12g", value);
  const char *cursor = out;
  double back = value;
  pki_parse_real(&cursor, out + n, &back);
  return back;
}

static void read_span(pki_sweep_parameter *p, pki_problems *problems)
{
  const int count = p->count;
  p->count = 0;
  if (pki_node_find(p->node, "from") == NULL || pki_node_find(p->node, "to") == NULL || count < 2) {
    pki_problem(problems, p->node, "count goes with from and to, and is 2 at least");
    return;
  }
  if (p->log && !(p->from > 0 && p->to > 0)) {
    pki_problem(problems, p->node, "from %g to %g in equal ratios: both must be above 0", p->from, p->to);
    return;
  }
  if (!make_room(p, count)) {
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; i < count; i++) {
    char text[PKI_SWEEP_NUMBER];
    const double part = (double)i / (count - 1);
    const double value = p->log ? p->from * pow(p->to / p->from, part) : p->from + (p->to - p->from) * part;
    p->value[i] = round_to_digits(i == count - 1 ? p->to : value, text);
    p->text[i] = strdup(text);
    p->count++;
    if (p->text[i] == NULL) {
      pki_problem_memory(problems);
      return;
    }
  }
}

static void read_random(pki_sweep *s, pki_sweep_parameter *p, pki_problems *problems)
{
  const bool from = pki_node_find(p->node, "from") != NULL, to = pki_node_find(p->node, "to") != NULL;
  const char *word = pki_draw_kind_words[p->random];
  p->dimension = s->dimensions++;
  if (p->random == PKI_DRAW_NORMAL) {
    if (!(p->deviation > 0)) {
      pki_problem(problems, p->node, "a normal distribution needs a deviation above 0");
    }
  } else if (!from || !to) {
    pki_problem(problems, p->node, "random: %s needs from and to", word);
    return;
  } else if (p->random == PKI_DRAW_LOG_UNIFORM && !(p->from > 0)) {
    pki_problem(problems, p->node, "random: %s from %g, expected a bound above 0", word, p->from);
  }
  p->from = from ? p->from : -INFINITY;
  p->to = to ? p->to : INFINITY;
  if (!(p->from < p->to)) {
    pki_problem(problems, p->node, "from %g to %g, expected the smaller first", p->from, p->to);
  }
}

/* ---- parameters ---- */

static bool is_name(const char *name)
{
  for (const char *c = name; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && strchr("_-.", *c) == NULL) {
      return false;
    }
  }
  return name[0] != '\0' && name[0] != '.';
}

/* Its column in the table needs a name of its own. */
static void name_parameter(const pki_sweep *s, int index, pki_problems *problems)
{
  pki_sweep_parameter *p = &s->parameters[index];
  if (p->name[0] == '\0') {
    const char *key = p->nkey > 0 ? p->keys[0] : p->key, *dot = strrchr(key, '.');
    const char *last = p->as == PKI_SWEEP_AS_SLOPE ? "slope" : dot != NULL ? dot + 1 : key;
    snprintf(p->name, sizeof p->name, "%.63s", last);
  }
  bool taken = strcmp(p->name, "sample") == 0 || strcmp(p->name, "seed") == 0 ||
               strcmp(p->name, "outcome") == 0 || strcmp(p->name, "message") == 0 ||
               pki_metric_find(p->name) >= 0;
  for (int k = 0; k < index; k++) {
    taken = taken || strcmp(s->parameters[k].name, p->name) == 0;
  }
  if (taken) {
    pki_problem(problems, p->node, "there is a column \"%s\" already: give it another name", p->name);
  } else if (!is_name(p->name)) {
    pki_problem(problems, p->node, "its name is \"%s\", expected letters, digits, _, - and .", p->name);
  }
  if (p->as == PKI_SWEEP_AS_SLOPE) {
    snprintf(p->unit, sizeof p->unit, "rad");
  }
}

static void read_parameter(pki_sweep *s, pki_sweep_parameter *p, pki_problems *problems)
{
  const pki_node *grid = pki_node_find(p->node, "grid"), *keys = pki_node_find(p->node, "keys");
  const bool drawn = pki_node_find(p->node, "random") != NULL, slope = p->as == PKI_SWEEP_AS_SLOPE;
  p->random = drawn ? p->random : PKI_DRAW_KIND_COUNT;
  pki_read_names(keys, 0, 0, &p->keys, &p->nkey, problems);
  if ((p->key[0] != '\0') + (keys != NULL) + slope != 1 || (keys != NULL && p->nkey == 0)) {
    pki_problem(problems, p->node, "expected one of key, keys, and as: slope, which sets keys of its own");
  }
  const int ways = (grid != NULL) + (p->count > 0) + drawn;
  if (ways != 1) {
    pki_problem(problems, p->node, "%s of grid, count and random, expected one of them",
                ways == 0 ? "none" : "several");
    p->count = 0;
  } else if (grid != NULL) {
    read_list(p, grid, problems);
  } else if (drawn) {
    read_random(s, p, problems);
  } else {
    read_span(p, problems);
  }
}

static void read_parameters(pki_sweep *s, const pki_node *list, pki_problems *problems)
{
  void *entries = NULL;
  pki_read_entries(list, pki_sweep_parameter_fields, pki_sweep_parameter_field_count, sizeof *s->parameters,
                   &entries, &s->nparameter, problems);
  s->parameters = entries;
  if (s->nparameter > PKI_SWEEP_PARAMETERS) {
    pki_problem(problems, list, "%d parameters, expected at most %d", s->nparameter, PKI_SWEEP_PARAMETERS);
    return;
  }
  for (int i = 0; i < s->nparameter; i++) {
    read_parameter(s, &s->parameters[i], problems);
    name_parameter(s, i, problems);
  }
}

/* ---- the whole ---- */

static void read_sets(pki_sweep *s, const pki_node *map, const char *const *sets, int nset,
                      pki_problems *problems)
{
  const bool given = map != NULL && pki_expect_kind(map, PKI_NODE_MAP, problems) == PK_OK;
  s->sets = calloc((size_t)(given ? map->count : 0) + (size_t)nset + 1, sizeof *s->sets);
  bool good = s->sets != NULL;
  for (const pki_node *n = given ? map->first : NULL; n != NULL && good; n = n->next) {
    s->sets[s->nset] = flow_of(n->key, n);
    good = s->sets[s->nset++] != NULL;
  }
  for (int i = 0; i < nset && good; i++) {
    s->sets[s->nset] = strdup(sets[i]);
    good = s->sets[s->nset++] != NULL;
  }
  if (!good) {
    pki_problem_memory(problems);
  }
}

static void count_samples(pki_sweep *s, pki_problems *problems)
{
  const pki_node *root = pki_document_root(s->document);
  double count = 1;
  for (int i = 0; i < s->nparameter; i++) {
    count *= s->parameters[i].count > 0 ? s->parameters[i].count : 1;
  }
  if (s->dimensions > 0 && s->samples == 0) {
    pki_problem(problems, root, "the key \"samples\" is missing: how many draws of what is random");
  } else if (s->dimensions == 0 && s->samples > 0) {
    pki_problem(problems, root, "samples is %d, and nothing is random", s->samples);
  }
  count *= (s->samples > 0 ? s->samples : 1) * (double)(s->seeds > 0 ? s->seeds : 1);
  if (count > (double)PKI_SWEEP_SAMPLES) {
    pki_problem(problems, root, "%.3g samples, expected at most %.3g", count, (double)PKI_SWEEP_SAMPLES);
  }
  s->count = count <= (double)PKI_SWEEP_SAMPLES ? (long long)count : 0;
}

/* The scenario: beside the sweep, or known by name. */
static pk_status find_scenario(pki_sweep *s, pk_error *err)
{
  const char *slash = strrchr(s->file, '/');
  const int folder = slash != NULL && s->scenario[0] != '/' ? (int)(slash - s->file + 1) : 0;
  const int n = snprintf(s->scenario_file, PKI_PATH_MAX, "%.*s%s", folder, s->file, s->scenario);
  if (n > 0 && n < PKI_PATH_MAX && pki_is_file(s->scenario_file)) {
    return PK_OK;
  }
  const pk_status status = pki_scenario_locate(s->scenario, s->scenario_file, err);
  const pki_node *node = pki_node_find(pki_document_root(s->document), "scenario");
  return pki_node_place(status, node, s->scenario, err);
}

/* The scenario of a sample; one that is refused tells why. */
static pk_status read_sample(const pki_sweep *s, long long index, pki_scenario **out, pk_error *err)
{
  pki_sweep_point point;
  *out = NULL;
  pki_sweep_sample(s, index, &point);
  int nset = 0;
  char **sets = pki_sweep_sets(s, &point, &nset);
  const pk_status status = sets == NULL
                               ? pki_fail_memory(err, "a sample")
                               : pki_scenario_parse(s->scenario_file, s->base->text, s->base->text_size,
                                                    (const char *const *)sets, nset, out, err);
  pki_sweep_sets_free(sets, nset);
  return status;
}

static pk_status try_sample(const pki_sweep *s, long long index, pk_error *err)
{
  pki_scenario *scenario;
  const pk_status status = read_sample(s, index, &scenario, err);
  pki_scenario_destroy(scenario);
  return status;
}

/* The scenario and the model that a sample makes, as far as it is not refused; its text is hashed elsewhere. */
static pk_status hash_sample(const pki_sweep *s, long long index, uint64_t *hash, pk_error *err)
{
  pki_scenario *scenario;
  pki_world world = {0};
  pk_status status = read_sample(s, index, &scenario, err);
  if (status == PK_OK) {
    const uint64_t own = pki_scenario_hash(scenario);
    *hash = pki_hash_bytes(*hash, &own, sizeof own);
    status = pki_world_create(scenario, &world, err);
  }
  if (status == PK_OK) {
    const uint64_t model = pk_model_hash(world.model);
    *hash = pki_hash_bytes(*hash, &model, sizeof model);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status == PK_ERROR_MEMORY ? status : PK_OK;
}

/* A level that is no number may name a file, of a model or of ground: what is in it counts. Each is looked at by itself,
 * as the sample of a sweep of this parameter alone. */
static pk_status hash_levels(pki_sweep *s, pk_error *err)
{
  pk_status status = PK_OK;
  s->level_hash = PKI_HASH_START;
  for (int i = 0; i < s->nparameter; i++) {
    pki_sweep one = *s;
    one.parameters = &s->parameters[i];
    one.nparameter = 1;
    one.samples = one.seeds = 0;
    for (int k = 0; k < one.parameters->count && status == PK_OK; k++) {
      if (isnan(one.parameters->value[k])) {
        status = hash_sample(&one, k, &s->level_hash, err);
      }
    }
  }
  return status;
}

/* What is wrong with an override, at the parameter whose it is. */
static pk_status place_error(const pki_sweep *s, pk_status status, pk_error *err)
{
  char file[sizeof err->file], begin[sizeof s->parameters->key + 16];
  memcpy(file, err->file, sizeof file);
  for (int i = 0; i < s->nparameter && status != PK_OK; i++) {
    const pki_sweep_parameter *p = &s->parameters[i];
    for (int k = 0; k < (p->nkey > 0 ? p->nkey : 1); k++) {
      const int n = snprintf(begin, sizeof begin, "--set %s=", p->nkey > 0 ? p->keys[k] : p->key);
      if (strncmp(file, begin, (size_t)n) == 0) {
        return pki_node_place(status, p->node, file + strlen("--set "), err);
      }
    }
  }
  return status;
}

/* The scenario as all samples have it; a key that is wrong in the first and the last is wrong in all. */
static pk_status read_base(pki_sweep *s, pk_error *err)
{
  pki_world world = {0};
  pk_status status = find_scenario(s, err);
  status = status == PK_OK
               ? pki_scenario_load(s->scenario_file, (const char *const *)s->sets, s->nset, &s->base, err)
               : status;
  status = status == PK_OK ? pki_world_create(s->base, &world, err) : status;
  s->model_hash = status == PK_OK ? pk_model_hash(world.model) : 0;
  pki_world_free(&world);
  for (int i = 0; i < s->nparameter && status == PK_OK; i++) {
    pki_text ignored = {0};
    if (s->parameters[i].as == PKI_SWEEP_AS_SLOPE) {
      status = pki_slope_sets(s->base, 0, &ignored, err);
      pki_text_free(&ignored);
    }
  }
  if (status == PK_OK && try_sample(s, s->count - 1, err) != PK_OK) {
    status = place_error(s, try_sample(s, 0, err), err);
  }
  return status == PK_OK ? hash_levels(s, err) : status;
}

pk_status pki_sweep_parse(const char *file, const char *text, size_t size, const char *const *sets, int nset,
                          pki_sweep *out, pk_error *err)
{
  *out = (pki_sweep){0};
  pki_sweep *s = out;
  pki_fields_preset(pki_sweep_fields, pki_sweep_field_count, s);
  snprintf(s->file, sizeof s->file, "%s", file);
  pki_file_stem(s->file, s->name, sizeof s->name);
  pki_problems problems = {0};
  pk_status status = pki_document_parse(file, text, size, &s->document, err);
  if (status == PK_OK) {
    const pki_node *root = pki_document_root(s->document);
    const pki_binding binding = {pki_sweep_fields, pki_sweep_field_count, s};
    pki_read_map(root, &binding, 1, &problems);
    read_sets(s, pki_node_find(root, "set"), sets, nset, &problems);
    read_parameters(s, pki_node_find(root, "parameters"), &problems);
    count_samples(s, &problems);
    status = pki_problems_first(&problems, err);
  }
  status = status == PK_OK ? read_base(s, err) : status;
  if (status != PK_OK) {
    pki_sweep_free(s);
  }
  return status;
}

pk_status pki_sweep_load(const char *path, const char *const *sets, int nset, pki_sweep *out, pk_error *err)
{
  size_t size = 0;
  *out = (pki_sweep){0};
  char *text = NULL;
  pk_status status = pki_yaml_read(path, &text, &size, err);
  status = status == PK_OK ? pki_sweep_parse(path, text, size, sets, nset, out, err) : status;
  free(text);
  return status;
}

void pki_sweep_free(pki_sweep *sweep)
{
  for (int i = 0; i < sweep->nparameter; i++) {
    pki_sweep_parameter *p = &sweep->parameters[i];
    for (int k = 0; p->text != NULL && k < p->count; k++) {
      free(p->text[k]);
    }
    free(p->text);
    free(p->value);
    free(p->keys);
  }
  pki_sweep_sets_free(sweep->sets, sweep->nset);
  free(sweep->parameters);
  pki_scenario_destroy(sweep->base);
  pki_document_destroy(sweep->document);
  *sweep = (pki_sweep){0};
}
