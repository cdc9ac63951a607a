#define _POSIX_C_SOURCE 200809L /* strndup */
#include "run/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/single_run.h"

/* ---- the grid ---- */

/* The end of the value that begins at `at`: a comma outside of brackets and quotes, or the end. */
static const char *value_end(const char *at)
{
  int depth = 0;
  char quote = '\0';
  for (; *at != '\0'; at++) {
    if (quote != '\0') {
      quote = *at == quote ? '\0' : quote;
    } else if (*at == '"' || *at == '\'') {
      quote = *at;
    } else if (*at == ',' && depth == 0) {
      break;
    } else {
      depth += *at == '[' || *at == '{';
      depth -= *at == ']' || *at == '}';
    }
  }
  return at;
}

static pk_status read_vary(const char *text, pki_vary *out, pk_error *err)
{
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"},
                    "found '%s', expected KEY=A,B,... as in controller.forward=0.1,0.2", text);
  }
  out->key = strndup(text, (size_t)(equals - text));
  bool good = out->key != NULL;
  for (const char *at = equals + 1; good; at++) {
    const char *end = value_end(at);
    if (end == at) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"},
                      "'%s' has an empty value; values stand between commas", text);
    }
    char **more = realloc(out->values, ((size_t)out->count + 1) * sizeof *more);
    out->values = more != NULL ? more : out->values;
    char *value = strndup(at, (size_t)(end - at));
    good = more != NULL && value != NULL;
    if (!good) {
      free(value);
      break;
    }
    out->values[out->count++] = value;
    at = end;
    if (*at == '\0') {
      break;
    }
  }
  return good ? PK_OK : pki_fail_memory(err, "the comparison");
}

static const char *last_part(const char *key)
{
  const char *dot = strrchr(key, '.');
  return dot != NULL && dot[1] != '\0' ? dot + 1 : key;
}

/* Short labels that tell the keys apart. */
static pk_status label_keys(pki_comparison *c, pk_error *err)
{
  for (int i = 0; i < c->nvary; i++) {
    c->vary[i].label = last_part(c->vary[i].key);
    for (int k = 0; k < c->nvary; k++) {
      if (k < i && strcmp(c->vary[k].key, c->vary[i].key) == 0) {
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"}, "'%s' is varied twice",
                        c->vary[i].key);
      }
      if (k != i && strcmp(last_part(c->vary[k].key), c->vary[i].label) == 0) {
        c->vary[i].label = c->vary[i].key;
      }
    }
  }
  return PK_OK;
}

/* Name and folder of a combination; folders differ although signs that no file's name should hold are replaced. */
static void name_variant(const pki_comparison *c, int index)
{
  pki_variant *v = &c->variants[index];
  size_t used = 0;
  for (int i = 0; i < c->nvary; i++) {
    const int n = snprintf(v->name + used, sizeof v->name - used, "%s%s=%s", i > 0 ? ", " : "",
                           c->vary[i].label, c->vary[i].values[v->choice[i]]);
    used = n > 0 && used + (size_t)n < sizeof v->name ? used + (size_t)n : sizeof v->name - 1;
  }
  const int room = (int)sizeof v->folder - 8;
  snprintf(v->folder, sizeof v->folder, "%.*s", room, v->name);
  size_t k = 0;
  for (const char *s = v->folder; *s != '\0'; s++) { /* ", " becomes one '_' */
    const bool plain = isalnum((unsigned char)*s) || strchr("=.+-", *s) != NULL;
    if (plain || k == 0 || v->folder[k - 1] != '_') {
      const bool hides = *s == '.' && k == 0;
      v->folder[k++] = (char)(plain && !hides ? *s : '_');
    }
  }
  v->folder[k] = '\0';
  for (int i = 0; i < index; i++) {
    if (strcmp(c->variants[i].folder, v->folder) == 0) {
      snprintf(v->folder + k, sizeof v->folder - k, "-%d", index + 1);
      break;
    }
  }
}

pk_status pki_compare_plan(const pki_compare_options *options, pki_comparison *out, pk_error *err)
{
  *out = (pki_comparison){.vary = calloc((size_t)options->nvary + 1, sizeof *out->vary)};
  if (options->nvary < 1 || options->nvary > PKI_VARY_MAX) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--vary"},
                    "found %d keys to vary, expected 1 to %d", options->nvary, PKI_VARY_MAX);
  }
  if (out->vary == NULL) {
    return pki_fail_memory(err, "the comparison");
  }
  pki_file_stem(options->scenario != NULL ? options->scenario : "", out->name, sizeof out->name);
  pk_status status = PK_OK;
  long long count = 1;
  for (int i = 0; i < options->nvary && status == PK_OK; i++) {
    out->nvary++;
    status = read_vary(options->vary[i], &out->vary[i], err);
    count *= out->vary[i].count;
    if (status == PK_OK && count > PKI_VARIANTS_MAX) {
      status = pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "--vary"},
                        "more than %d combinations; vary less at a time", PKI_VARIANTS_MAX);
    }
  }
  status = status == PK_OK ? label_keys(out, err) : status;
  if (status != PK_OK) {
    return status;
  }
  out->variants = calloc((size_t)count, sizeof *out->variants);
  if (out->variants == NULL) {
    return pki_fail_memory(err, "the comparison");
  }
  out->count = (int)count;
  for (int i = 0; i < out->count; i++) {
    int rest = i;
    for (int k = out->nvary - 1; k >= 0; k--) {
      out->variants[i].choice[k] = rest % out->vary[k].count;
      rest /= out->vary[k].count;
    }
    name_variant(out, i);
  }
  return PK_OK;
}

void pki_comparison_free(pki_comparison *c)
{
  for (int i = 0; i < c->nvary; i++) {
    for (int k = 0; k < c->vary[i].count; k++) {
      free(c->vary[i].values[k]);
    }
    free(c->vary[i].values);
    free(c->vary[i].key);
  }
  free(c->vary);
  free(c->variants);
  *c = (pki_comparison){0};
}

/* ---- running ---- */

static void free_sets(char **sets, int nset)
{
  for (int i = 0; sets != NULL && i < nset; i++) {
    free(sets[i]);
  }
  free(sets);
}

/* Progress of one variant as a part of all. */
typedef struct part {
  const pki_compare_options *options;
  const char *name;
  int index, count;
} part;

static void show_part(void *user, double fraction, const char *what)
{
  const part *p = user;
  char text[384];
  snprintf(text, sizeof text, "%d of %d, %s: %s", p->index + 1, p->count, p->name, what);
  p->options->progress(p->options->user, (p->index + fraction) / p->count, text);
}

/* What outlives the world. */
static void keep_result(pki_variant *v, const pki_run_result *r)
{
  const int joint = pki_run_hardest_joint(r);
  v->ran = true;
  v->result = *r;
  v->result.peak = NULL;
  v->result.model = NULL;
  v->result.dynamics = v->result.not_compiled = NULL;
  if (r->not_compiled[0] != '\0') {
    snprintf(v->warning, sizeof v->warning, "dynamics are generic: %s", r->not_compiled);
  }
  v->speed = r->duration > 0 ? r->distance / r->duration : 0;
  v->cost_of_transport = pki_run_cost_of_transport(r);
  v->peak = v->peak_limit = NAN;
  if (joint >= 0) {
    v->peak = r->peak[joint];
    v->peak_limit = pki_run_force_limit(r, joint);
    snprintf(v->peak_joint, sizeof v->peak_joint, "%s", r->model->joints[r->model->dof_joint[joint]].name);
  }
  snprintf(v->message, sizeof v->message, "%s", r->stopped);
}

/* Where and what, as the command would say it. */
static void keep_message(pki_variant *v, const pk_error *err)
{
  pki_error_line(err, v->message, sizeof v->message);
}

/* A variant that runs. */
typedef struct running {
  const pki_compare_options *options;
  pki_comparison *comparison;
  int index;
  const char *folder;
  bool good; /* `finished` was */
} running;

static void note_made(void *user, const pki_world *world)
{
  pki_comparison *c = ((running *)user)->comparison;
  memcpy(c->name, world->scenario->name, sizeof c->name);
  memcpy(c->description, world->scenario->description, sizeof c->description);
}

static void note_ran(void *user, const pki_world *world, const pki_run_result *result)
{
  running *r = user;
  pki_variant *v = &r->comparison->variants[r->index];
  const pki_compare_options *o = r->options;
  keep_result(v, result);
  if (world->scenario->certify > 0 && result->uncertified > 0) {
    snprintf(v->message, sizeof v->message, "%lld of %lld steps above the bound %g", result->uncertified,
             result->steps, result->bound);
  }
  r->good = o->finished == NULL || o->finished(o->user, r->index, r->folder, world->scenario, result);
}

/* The overrides of one variant, for free_sets(); NULL without memory. */
static char **make_sets(const pki_compare_options *o, const pki_comparison *c, int index, int nset)
{
  char **sets = calloc((size_t)nset + 1, sizeof *sets);
  bool good = sets != NULL;
  for (int i = 0; i < nset && good; i++) {
    pki_text text = {0};
    const int k = i - o->nset;
    pki_text_add(&text, k < 0 ? o->sets[i] : c->vary[k].key);
    if (k >= 0) {
      pki_text_addf(&text, "=%s", c->vary[k].values[c->variants[index].choice[k]]);
    }
    good = !text.failed;
    sets[i] = text.data;
  }
  if (!good) {
    free_sets(sets, nset);
  }
  return good ? sets : NULL;
}

/* One variant. Failures that the others would share are returned, its own are a message; `own` tells why it was
 * refused. */
static pk_status run_variant(const pki_compare_options *o, pki_comparison *c, int index, pk_error *own,
                             pk_error *err)
{
  pki_variant *v = &c->variants[index];
  const int nset = o->nset + c->nvary;
  char folder[PKI_PATH_MAX];
  if (!pki_path_join(folder, o->folder, v->folder)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = o->folder}, "the folder's name is too long");
  }
  char **sets = make_sets(o, c, index, nset);
  if (sets == NULL) {
    return pki_fail_memory(err, "the comparison");
  }
  part p = {o, v->name, index, c->count};
  running r = {o, c, index, folder, true};
  const pki_single_run run_once = {.file = o->scenario,
                                   .sets = (const char *const *)sets,
                                   .nset = nset,
                                   .options = {.duration = o->duration,
                                               .folder = folder,
                                               .stop = o->stop,
                                               .progress = o->progress != NULL ? show_part : NULL,
                                               .user = &p},
                                   .made = note_made,
                                   .ran = note_ran,
                                   .user = &r};
  *own = (pk_error){0};
  pk_status status = pki_run_single(&run_once, &v->refused, own);
  free_sets(sets, nset);
  c->refused += v->refused;
  if (v->refused || (status != PK_OK && status != PK_ERROR_MEMORY && status != PK_ERROR_FILE)) {
    keep_message(v, own);
    return PK_OK;
  }
  if (status != PK_OK) {
    *err = *own;
    return status;
  }
  return r.good ? PK_OK : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "cannot be written to");
}

pk_status pki_compare_run(const pki_compare_options *options, pki_comparison *c, pk_error *err)
{
  pk_status status = PK_OK;
  pk_error first = {0}, own;
  c->bad = c->refused = 0;
  for (int i = 0; i < c->count && status == PK_OK; i++) {
    if (options->stop != NULL && *options->stop != 0) {
      snprintf(c->variants[i].message, sizeof c->variants[i].message, "not run: interrupted");
    } else {
      status = run_variant(options, c, i, &own, err);
      first = c->refused == 1 && c->variants[i].refused ? own : first;
    }
    c->bad += !c->variants[i].ran || c->variants[i].message[0] != '\0';
  }
  if (status == PK_OK && c->refused == c->count) {
    if (err != NULL) {
      *err = first;
    }
    return first.status;
  }
  status = status == PK_OK ? pki_folder_create(options->folder, err) : status;
  return status == PK_OK ? pki_compare_report(c, options->folder, err) : status;
}

/* ---- the table ---- */

static void number_cell(char *out, size_t size, const char *format, double value)
{
  if (isfinite(value)) {
    snprintf(out, size, format, value);
  } else {
    snprintf(out, size, "—");
  }
}

/* Whether any variant has motors, whose energy is worth a column. */
static bool any_motors(const pki_comparison *c)
{
  for (int i = 0; i < c->count; i++) {
    if (c->variants[i].ran && c->variants[i].result.nmotor > 0) {
      return true;
    }
  }
  return false;
}

void pki_compare_table(const pki_comparison *c, bool messages, pki_table *table)
{
  enum { COLUMNS = 13, ROOM = 176, ELECTRICAL = 5 };
  static const char *const heads[COLUMNS] = {"variant",    "distance", "speed", "energy", "work +",
                                             "electrical", "cost",     "peak",  "slips",  "certificate",
                                             "times real", "fell",     "note"};
  static const double none = NAN;
  const bool motors = any_motors(c);
  const int last = messages ? COLUMNS : COLUMNS - 1;
  const char *row[COLUMNS];
  int columns = 0;
  for (int k = 0; k < last; k++) {
    if (k != ELECTRICAL || motors) {
      row[columns++] = heads[k];
    }
  }
  pki_table_begin(table, row, columns);
  for (int i = 0; i < c->count; i++) {
    const pki_variant *v = &c->variants[i];
    const pki_run_result *r = &v->result;
    char cells[COLUMNS][ROOM];
    snprintf(cells[0], ROOM, "%s", v->name);
    number_cell(cells[1], ROOM, "%.4g m", v->ran ? r->distance : none);
    number_cell(cells[2], ROOM, "%.4g m/s", v->ran ? v->speed : none);
    number_cell(cells[3], ROOM, "%.4g J", v->ran ? r->energy_in : none);
    number_cell(cells[4], ROOM, "%.4g J", v->ran ? r->positive_work : none);
    number_cell(cells[ELECTRICAL], ROOM, "%.4g J", v->ran && r->nmotor > 0 ? r->flow.electrical : none);
    number_cell(cells[6], ROOM, "%.3g", v->ran ? v->cost_of_transport : none);
    number_cell(cells[7], ROOM, "%.4g N m", v->ran ? v->peak : none);
    number_cell(cells[8], ROOM, "%.0f", v->ran ? (double)r->slips : none);
    number_cell(cells[9], ROOM, "%.1e", v->ran && r->worst_step > 0 ? r->worst_residual : none);
    number_cell(cells[10], ROOM, "%.3g", v->ran ? r->real_time_factor : none);
    snprintf(cells[11], ROOM, "%s", !v->ran ? "—" : r->fell ? "yes" : "no");
    pki_copy_cut(cells[12], ROOM, v->message);
    columns = 0;
    for (int k = 0; k < last; k++) {
      if (k != ELECTRICAL || motors) {
        row[columns++] = cells[k];
      }
    }
    pki_table_row(table, row);
  }
}
