#define _POSIX_C_SOURCE 200809L /* strdup */
#include "optimize/files/gait_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "optimize/files/solution_file.h"

#define EXPECTED "expected KEY=A,B,... or KEY=LOW:HIGH:COUNT, as gait.pattern=trot,walk or speed=0.2:0.8:4"

/* ---- axes ---- */

static bool parse_number(const char *text, size_t size, double *out)
{
  const char *cursor = text;
  return size > 0 && pki_parse_real(&cursor, text + size, out) && cursor == text + size;
}

static pk_status add_value(pki_gait_axis *a, const char *text, size_t size, pk_error *err)
{
  if (a->count >= PKI_GAIT_VALUES) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "--grid"}, "%s has more than %d values", a->key,
                    PKI_GAIT_VALUES);
  }
  char *copy = strndup(text, size);
  if (copy == NULL) {
    return pki_fail_memory(err, NULL);
  }
  a->value[a->count] = parse_number(text, size, &a->value[a->count]) ? a->value[a->count] : NAN;
  a->text[a->count++] = copy;
  return PK_OK;
}

/* LOW:HIGH:COUNT; false: it has another form. */
static bool is_span(const char *text, double *low, double *high, int *count)
{
  const char *first = strchr(text, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
  double number = 0;
  if (second == NULL || strchr(text, ',') != NULL || !parse_number(text, (size_t)(first - text), low) ||
      !parse_number(first + 1, (size_t)(second - first - 1), high) ||
      !parse_number(second + 1, strlen(second + 1), &number)) {
    return false;
  }
  *count = number >= 2 && number <= PKI_GAIT_VALUES && number == floor(number) ? (int)number : 0;
  return true;
}

static pk_status add_span(pki_gait_axis *a, double low, double high, int count, pk_error *err)
{
  pk_status status = PK_OK;
  if (count == 0 || !isfinite(low) || !isfinite(high)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--grid"},
                    "%s: expected finite bounds and a whole COUNT from 2 to %d", a->key, PKI_GAIT_VALUES);
  }
  for (int i = 0; i < count && status == PK_OK; i++) {
    char text[PKI_REAL_TEXT];
    /* twelve digits: the number that is shown is the number that is used */
    const int n = snprintf(text, sizeof text, "%.12g", low + (high - low) * i / (count - 1));
    status = add_value(a, text, (size_t)n, err);
  }
  return status;
}

static pk_status add_list(pki_gait_axis *a, const char *text, pk_error *err)
{
  pk_status status = PK_OK;
  for (const char *begin = text; status == PK_OK;) {
    const size_t size = strcspn(begin, ",");
    if (size == 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "--grid"},
                      "%s has an empty value, " EXPECTED, a->key);
    }
    status = add_value(a, begin, size, err);
    if (begin[size] == '\0') {
      break;
    }
    begin += size + 1;
  }
  return status;
}

pk_status pki_gait_grid_add(pki_gait_grid *grid, const char *text, pk_error *err)
{
  const pki_where where = {.field = "--grid"};
  const char *equal = strchr(text, '=');
  double low, high;
  int count;
  if (equal == NULL || equal == text || equal[1] == '\0' ||
      (size_t)(equal - text) >= sizeof grid->axes[0].key) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "'%.80s': " EXPECTED, text);
  }
  if (grid->naxis == PKI_GAIT_AXES) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "more than %d keys", PKI_GAIT_AXES);
  }
  pki_gait_axis *a = &grid->axes[grid->naxis++];
  memcpy(a->key, text, (size_t)(equal - text));
  a->text = calloc(PKI_GAIT_VALUES, sizeof *a->text);
  a->value = calloc(PKI_GAIT_VALUES, sizeof *a->value);
  if (a->text == NULL || a->value == NULL) {
    return pki_fail_memory(err, NULL);
  }
  for (int i = 0; i + 1 < grid->naxis; i++) {
    if (strcmp(grid->axes[i].key, a->key) == 0) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "%s comes twice", a->key);
    }
  }
  return is_span(equal + 1, &low, &high, &count) ? add_span(a, low, high, count, err)
                                                 : add_list(a, equal + 1, err);
}

/* ---- cells ---- */

int pki_gait_grid_at(const pki_gait_grid *grid, int cell, int axis)
{
  for (int i = grid->naxis - 1; i > axis; i--) {
    cell /= grid->axes[i].count;
  }
  return cell % grid->axes[axis].count;
}

void pki_gait_grid_set(const pki_gait_grid *grid, int cell, int axis, char *out, size_t size)
{
  const pki_gait_axis *a = &grid->axes[axis];
  snprintf(out, size, "%s=%s", a->key, a->text[pki_gait_grid_at(grid, cell, axis)]);
}

/* "trot_0.4": what no file's name should hold becomes '-'. */
static void name_folder(const pki_gait_grid *grid, int cell, char *out, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < grid->naxis; i++) {
    const char *text = grid->axes[i].text[pki_gait_grid_at(grid, cell, i)];
    used += (size_t)snprintf(out + used, size - used, "%s%.20s", i > 0 ? "_" : "", text);
    used = used < size ? used : size - 1;
  }
  for (char *c = out; *c != '\0'; c++) {
    const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                       strchr("._-+", *c) != NULL;
    *c = plain ? *c : '-';
  }
}

pk_status pki_gait_grid_finish(pki_gait_grid *grid, pk_error *err)
{
  double count = grid->naxis > 0 ? 1 : 0;
  for (int i = 0; i < grid->naxis; i++) {
    count *= grid->axes[i].count;
  }
  if (!(count >= 1 && count <= PKI_GAIT_CELLS)) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "--grid"}, "%.0f problems, expected 1 to %d",
                    count, PKI_GAIT_CELLS);
  }
  grid->cells = calloc((size_t)count, sizeof *grid->cells);
  if (grid->cells == NULL) {
    return pki_fail_memory(err, "the grid");
  }
  grid->count = (int)count;
  for (int i = 0; i < grid->count; i++) {
    char *name = grid->cells[i].folder;
    name_folder(grid, i, name, sizeof grid->cells[i].folder - 12);
    for (int k = 0; k < i; k++) {
      if (strcmp(grid->cells[k].folder, name) == 0) { /* long values, cut alike */
        snprintf(name + strlen(name), 12, "-%d", i);
      }
    }
  }
  return PK_OK;
}

void pki_gait_grid_free(pki_gait_grid *grid)
{
  for (int i = 0; i < grid->naxis; i++) {
    for (int k = 0; k < grid->axes[i].count; k++) {
      free(grid->axes[i].text[k]);
    }
    free(grid->axes[i].text);
    free(grid->axes[i].value);
  }
  free(grid->cells);
  *grid = (pki_gait_grid){0};
}

/* ---- what came of them ---- */

static void keep_result(pki_gait_cell *cell, const pki_gait_file *g, const pki_motion_solution *s)
{
  pki_course course;
  pk_error err = {.message = ""};
  const pki_motion_stage *last = s->nstage > 0 ? &s->stages[s->nstage - 1] : NULL;
  cell->found = true;
  cell->solved = s->solved;
  cell->objective = s->objective;
  for (int i = 0; i < s->nstage; i++) {
    cell->iterations += s->stages[i].result.iterations;
    cell->seconds += s->stages[i].result.seconds;
  }
  if (!s->solved && last != NULL) {
    snprintf(cell->told, sizeof cell->told, "%s %s: %s", last->name, pki_nlp_end_word(last->result.end),
             last->worst);
  }
  if (pki_course_make(g, s, &course, &err) == PK_OK) {
    cell->figures = pki_motion_figures_of(&course);
    cell->stride = course.whole.stride;
    cell->period = course.whole.period;
    cell->joule = course.whole.joule;
  } else {
    cell->solved = false;
    pki_copy_cut(cell->told, sizeof cell->told, err.message);
  }
  pki_course_free(&course);
}

void pki_gait_grid_load(const pki_gait_grid *grid, int cell, const char *path, const char *const *sets,
                        int nset, pki_gait_file **out, pki_problems *problems)
{
  char own[PKI_GAIT_AXES][320];
  const char **all = calloc((size_t)nset + PKI_GAIT_AXES, sizeof *all);
  pk_error err = {0};
  *out = NULL;
  if (all == NULL) {
    pki_problems_note(problems, pki_fail_memory(&err, "the grid"), &err);
    return;
  }
  for (int i = 0; i < nset; i++) {
    all[i] = sets[i];
  }
  for (int i = 0; i < grid->naxis; i++) {
    pki_gait_grid_set(grid, cell, i, own[i], sizeof own[i]);
    all[nset + i] = own[i];
  }
  pki_gait_file_load(path, all, nset + grid->naxis, out, problems);
  free((void *)all);
}

void pki_gait_grid_collect(pki_gait_grid *grid, int cell, const char *path, const char *const *sets, int nset,
                           const char *folder)
{
  pki_gait_cell *c = &grid->cells[cell];
  char file[PKI_PATH_MAX], below[PKI_PATH_MAX];
  pki_gait_file *g = NULL;
  pki_problems problems = {0};
  pk_error err = {.message = "out of memory"};
  pki_motion_solution *solution = calloc(1, sizeof *solution);
  if (solution != NULL) {
    pki_gait_grid_load(grid, cell, path, sets, nset, &g, &problems);
    if (pki_problems_first(&problems, &err) == PK_OK && g != NULL &&
        pki_path_join(below, folder, c->folder) && pki_path_join(file, below, "solution.pronk") &&
        pki_solution_load(file, &g->problem, g->hash, solution, &err) == PK_OK) {
      keep_result(c, g, solution);
      err.message[0] = '\0';
    }
    pki_motion_solution_free(solution);
  }
  if (err.message[0] != '\0') {
    snprintf(c->told, sizeof c->told, "%.299s", err.message);
  }
  free(solution);
  pki_gait_file_destroy(g);
}

int pki_gait_grid_best(const pki_gait_grid *grid, int axis, int at)
{
  int best = -1;
  for (int i = 0; i < grid->count; i++) {
    if (grid->cells[i].solved && (axis < 0 || pki_gait_grid_at(grid, i, axis) == at) &&
        (best < 0 || grid->cells[i].objective < grid->cells[best].objective)) {
      best = i;
    }
  }
  return best;
}

int pki_gait_grid_line(const pki_gait_grid *grid)
{
  for (int i = grid->naxis - 1; i >= 0; i--) {
    bool numbers = grid->axes[i].count > 1;
    for (int k = 0; k < grid->axes[i].count; k++) {
      numbers = numbers && !isnan(grid->axes[i].value[k]);
    }
    if (numbers) {
      return i;
    }
  }
  return -1;
}

void pki_gait_grid_label(const pki_gait_grid *grid, int cell, int without, char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < grid->naxis && used < size; i++) {
    const pki_gait_axis *a = &grid->axes[i];
    const int at = pki_gait_grid_at(grid, cell, i);
    const char *dot = strrchr(a->key, '.'), *name = dot != NULL ? dot + 1 : a->key;
    if (i != without) {
      used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", used > 0 ? ", " : "",
                               isnan(a->value[at]) ? "" : name, isnan(a->value[at]) ? "" : " ", a->text[at]);
    }
  }
}
