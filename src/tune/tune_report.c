/* report.html: what was found, how it was found, and the landscape as far as it was seen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/svg_box.h"
#include "tune/tune.h"

enum { CELLS = 14, PAIRS = 6, BEST_ROWS = 10 };

typedef struct page {
  const pki_tune *tune;
  const pki_tune_result *result;
  pki_report report;
  pki_text objective; /* its text */
  double worst;       /* objective of the worst good evaluation; where those with penalties are drawn */
  double *x, *y;      /* [2 count] room for points */
} page;

/* The objective of a good evaluation; of others the worst that is shown. */
static double shown_value(const page *p, const pki_evaluation *e)
{
  return pki_evaluation_is_good(e) ? e->objective : p->worst;
}

/* Positive, and over more than a decade or two. */
static bool wants_log(const page *p)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < p->result->count; i++) {
    const double v = shown_value(p, &p->result->list[i]);
    least = fmin(least, v);
    most = fmax(most, v);
  }
  return least > 0 && most > 30 * least;
}

/* Whether a is a better value than b. */
static bool beats(const page *p, double a, double b)
{
  return p->tune->objective.maximise ? a > b : a < b;
}

static void find_worst(page *p)
{
  p->worst = NAN;
  for (int i = 0; i < p->result->count; i++) {
    const pki_evaluation *e = &p->result->list[i];
    if (pki_evaluation_is_good(e) && (isnan(p->worst) || beats(p, p->worst, e->objective))) {
      p->worst = e->objective;
    }
  }
}

/* ---- numbers ---- */

static void add_fact(pki_table *t, const char *name, const char *format, double a, double b)
{
  char text[128];
  snprintf(text, sizeof text, format, a, b);
  pki_table_row(t, (const char *const[]){name, text});
}

/* A number and the unit of the objective. */
static void add_valued_fact(const page *p, pki_table *t, const char *name, const pki_evaluation *e)
{
  char text[128];
  const char *unit = pki_objective_unit(&p->tune->objective);
  snprintf(text, sizeof text, isnan(e->objective) ? "none" : "%.6g%s%s%s", e->objective,
           unit[0] != '\0' ? " " : "", unit, pki_evaluation_is_good(e) ? "" : ", with penalties");
  pki_table_row(t, (const char *const[]){name, text});
}

static void add_facts(page *p)
{
  const pki_tune_result *r = p->result;
  const pki_tune *tune = p->tune;
  pki_table t;
  char text[128];
  pki_table_begin(&t, (const char *const[]){"quantity", "value"}, 2);
  pki_table_row(&t, (const char *const[]){tune->objective.maximise ? "maximised" : "minimised",
                                          p->objective.data != NULL ? p->objective.data : ""});
  if (r->best >= 0) {
    add_valued_fact(p, &t, "best", &r->list[r->best]);
  }
  if (r->count > 0) {
    add_valued_fact(p, &t, "the scenario as it is", &r->list[0]);
  }
  add_fact(&t, "evaluations", "%.0f of at most %.0f", r->count, tune->evaluations);
  snprintf(text, sizeof text, "%s%s%s", tune->global != NULL ? tune->global->name : "",
           tune->global != NULL && tune->local != NULL ? ", then " : "",
           tune->local != NULL ? tune->local->name : "");
  pki_table_row(&t, (const char *const[]){"method", text});
  if (tune->worlds > 0) {
    add_fact(&t, "worlds of each", "%.0f", tune->worlds, 0);
  }
  add_fact(&t, "seed", "%.0f", tune->seed, 0);
  add_fact(&t, "penalty of a fall", "%.4g", r->penalty.fall, 0);
  pki_report_facts(&p->report, &t);
  pki_table_free(&t);
}

/* ---- the best ---- */

static void add_best(page *p)
{
  const pki_tune_result *r = p->result;
  const pki_tune *tune = p->tune;
  pki_report_section(&p->report, "best", "The best values");
  if (r->best < 0) {
    pki_report_note(&p->report, "No evaluation has a value of the objective.");
    return;
  }
  const pki_evaluation *e = &r->list[r->best];
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"key", "best", "as it is", "from", "to"}, 5);
  for (int i = 0; i < tune->nparameter; i++) {
    const pki_tune_parameter *q = &tune->parameters[i];
    char cell[4][32] = {"", "", "", ""};
    const double now = r->list[0].value[i];
    snprintf(cell[0], 32, isnan(e->value[i]) ? "as it is" : "%.8g", e->value[i]);
    snprintf(cell[1], 32, isnan(now) ? "by default" : "%.8g", now);
    snprintf(cell[2], 32, "%g", q->low);
    snprintf(cell[3], 32, "%g", q->high);
    pki_table_row(&t, (const char *const[]){q->key, cell[0], cell[1], cell[2], cell[3]});
  }
  pki_report_table(&p->report, &t);
  pki_table_free(&t);
  pki_text command = {0};
  pki_tune_command(tune, e->as_written ? NULL : e->value, &command);
  pki_text_add(&command, "\n");
  pki_report_note(&p->report, "This runs it; best.yaml beside this page is the same as a file.");
  pki_report_code(&p->report, command.data != NULL ? command.data : "", command.size);
  p->report.html.failed = p->report.html.failed || command.failed;
  pki_text_free(&command);
}

/* ---- how it was found ---- */

/* Every evaluation as a point, and the best so far as a line. */
static void add_progress(page *p)
{
  const pki_tune_result *r = p->result;
  double *x = p->x, *y = p->y, *best = p->y + r->count, so_far = NAN;
  for (int i = 0; i < r->count; i++) {
    const pki_evaluation *e = &r->list[i];
    x[i] = i;
    y[i] = shown_value(p, e);
    if (pki_evaluation_is_good(e) && (isnan(so_far) || beats(p, e->objective, so_far))) {
      so_far = e->objective;
    }
    best[i] = so_far;
  }
  const pki_svg_series series[] = {
      {.name = "evaluations", .x = x, .y = y, .n = r->count, .style = PKI_SVG_POINTS, .color = 6},
      {.name = "best so far", .x = x, .y = best, .n = r->count, .style = PKI_SVG_LINE, .color = 2}};
  const pki_svg_panel panel = {
      .x = {.label = "evaluation, search by search"},
      .y = {.label = p->objective.data, .unit = pki_objective_unit(&p->tune->objective), .log = wants_log(p)},
      .series = series,
      .nseries = 2};
  pki_report_section(&p->report, "searches", "How it was found");
  pki_report_figure(
      &p->report,
      &(pki_svg_figure){.id = "best-so-far", .panels = &panel, .npanels = 1, .width = 900, .height = 300},
      "Evaluations that fell, failed or have uncertified steps stand at the worst value of the "
      "others.");
}

static void add_legs(page *p)
{
  const pki_tune_result *r = p->result;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"search", "method", "evaluations", "best", "ended"}, 5);
  for (int k = 0; k < r->nleg; k++) {
    const pki_tune_leg *leg = &r->legs[k];
    char cell[3][32];
    snprintf(cell[0], 32, "%d", k + 1);
    snprintf(cell[1], 32, "%d", leg->count);
    snprintf(cell[2], 32, leg->best >= 0 ? "%.6g" : "none",
             leg->best >= 0 ? r->list[leg->best].objective : 0);
    pki_table_row(&t, (const char *const[]){cell[0], leg->method->name, cell[1], cell[2], leg->ended});
  }
  pki_report_table(&p->report, &t);
  pki_table_free(&t);
}

/* ---- the landscape ---- */

/* The objective over one parameter. */
static void add_parameter(page *p, int parameter)
{
  const pki_tune_result *r = p->result;
  const pki_tune_parameter *q = &p->tune->parameters[parameter];
  double *x = p->x, *y = p->y;
  int good = 0, bad = 0;
  for (int i = 1; i < r->count; i++) { /* the good ones from the front, the others behind them */
    good += pki_evaluation_is_good(&r->list[i]);
  }
  for (int i = 1, g = 0; i < r->count; i++) {
    const int at = pki_evaluation_is_good(&r->list[i]) ? g++ : good + bad++;
    x[at] = r->list[i].value[parameter];
    y[at] = shown_value(p, &r->list[i]);
  }
  const double here = r->best >= 0 ? r->list[r->best].value[parameter] : NAN;
  const double bx[2] = {here, here}, by[2] = {p->worst, r->best >= 0 ? r->list[r->best].objective : NAN};
  char id[32];
  snprintf(id, sizeof id, "over-%d", parameter);
  const pki_svg_series series[] = {
      {.name = "evaluations", .x = x, .y = y, .n = good, .style = PKI_SVG_POINTS, .color = 1},
      {.name = "best", .x = bx, .y = by, .n = 2, .style = PKI_SVG_DASHED, .color = 2},
      {.name = "with penalties",
       .x = x + good,
       .y = y + good,
       .n = bad,
       .style = PKI_SVG_POINTS,
       .color = 5}};
  const pki_svg_panel panel = {
      .title = q->key,
      .x = {.log = q->scale == PKI_TUNE_LOG, .least = q->low, .most = q->high},
      .y = {.label = p->objective.data, .unit = pki_objective_unit(&p->tune->objective), .log = wants_log(p)},
      .series = series,
      .nseries = bad > 0 ? 3 : 2};
  pki_report_panel(&p->report,
                   &(pki_svg_figure){.id = id, .panels = &panel, .npanels = 1, .width = 360, .height = 280});
}

/* Cells along each side of a map: enough to see something, few enough that most of them are met. */
static int count_cells(const pki_tune_result *r)
{
  const int wanted = (int)lround(0.8 * sqrt(r->count));
  return wanted < 5 ? 5 : wanted > CELLS ? CELLS : wanted;
}

/* Names of the cells along one parameter: their middles. */
static void name_cells(const pki_tune_parameter *q, int count, char name[CELLS][24], const char *names[CELLS])
{
  for (int i = 0; i < count; i++) {
    snprintf(name[i], 24, "%.3g", pki_tune_value(q, (i + 0.5) / count));
    names[i] = name[i];
  }
}

static int cell_at(double t, int count)
{
  return t >= 1 ? count - 1 : (int)(t * count);
}

/* The best value in each cell of two parameters, whatever the others are; NAN: none. */
static void fill_cells(const page *p, int x, int y, int count, double *cells)
{
  for (int i = 0; i < count * count; i++) {
    cells[i] = NAN;
  }
  for (int i = 1; i < p->result->count; i++) {
    const pki_evaluation *e = &p->result->list[i];
    double *cell = &cells[cell_at(e->t[y], count) * count + cell_at(e->t[x], count)];
    if (pki_evaluation_is_good(e) && (isnan(*cell) || beats(p, e->objective, *cell))) {
      *cell = e->objective;
    }
  }
}

static int compare_rising(const void *a, const void *b)
{
  const double u = *(const double *)a, v = *(const double *)b;
  return u < v ? -1 : u > v;
}

/* The range of colours: a few cells that are far worse than all others would leave one colour for these. */
static void range_of_cells(const page *p, const double *cells, int n, double *least, double *most)
{
  double sorted[CELLS * CELLS] = {0};
  int found = 0;
  for (int i = 0; i < n; i++) {
    if (isfinite(cells[i])) {
      sorted[found++] = cells[i];
    }
  }
  qsort(sorted, (size_t)found, sizeof *sorted, compare_rising);
  *least = pki_quantile(sorted, found, p->tune->objective.maximise ? 0.15 : 0);
  *most = pki_quantile(sorted, found, p->tune->objective.maximise ? 1 : 0.85);
  if (!(*least < *most)) {
    *least = *most = 0; /* what the data need */
  }
}

static void add_map(page *p, int x, int y)
{
  const pki_tune_parameter *px = &p->tune->parameters[x], *py = &p->tune->parameters[y];
  const int count = count_cells(p->result);
  double cells[CELLS * CELLS], least, most;
  char name[2][CELLS][24];
  const char *names[2][CELLS];
  fill_cells(p, x, y, count, cells);
  range_of_cells(p, cells, count * count, &least, &most);
  name_cells(px, count, name[0], names[0]);
  name_cells(py, count, name[1], names[1]);
  const pki_svg_map map = {.title = "Best value found",
                           .x = {px->key, NULL, names[0], count},
                           .y = {py->key, NULL, names[1], count},
                           .values = cells,
                           .unit = pki_objective_unit(&p->tune->objective),
                           .scale = PKI_SVG_SCALE_SEA,
                           .least = least,
                           .most = most};
  pki_svg_map_render(&map, &p->report.html);
}

static void add_landscape(page *p)
{
  const int n = p->tune->nparameter;
  pki_report_section(&p->report, "landscape", "The landscape");
  pki_report_panels_begin(&p->report);
  for (int i = 0; i < n; i++) {
    add_parameter(p, i);
  }
  pki_report_panels_end(&p->report, NULL);
  if (n < 2) {
    return;
  }
  pki_report_note(&p->report, "A cell of a map holds the best value that was found in it, whatever the other "
                              "keys were; where no run went well it is empty.");
  pki_report_panels_begin(&p->report);
  for (int y = 0, pairs = 0; y < n; y++) {
    for (int x = y + 1; x < n && pairs < PAIRS; x++, pairs++) {
      add_map(p, x, y);
    }
  }
  pki_report_panels_end(&p->report, NULL);
}

/* ---- the best few ---- */

/* The index of the best evaluation behind `before` in rank; -1: none. */
static int next_best(const pki_tune_result *r, int before)
{
  int next = -1;
  for (int i = 0; i < r->count; i++) {
    const pki_evaluation *e = &r->list[i];
    const double passed = before >= 0 ? r->list[before].cost : -INFINITY;
    const bool later = e->cost > passed || (e->cost == passed && i > before);
    if (later && !isnan(e->objective) && (next < 0 || e->cost < r->list[next].cost)) {
      next = i;
    }
  }
  return next;
}

static void add_list(page *p)
{
  const pki_tune *tune = p->tune;
  const int shown = tune->nparameter < 10 ? tune->nparameter : 10;
  const char *heads[PKI_TABLE_COLUMNS] = {"evaluation", "objective"};
  for (int i = 0; i < shown; i++) {
    heads[2 + i] = tune->parameters[i].key;
  }
  heads[2 + shown] = "outcome";
  pki_table t;
  pki_table_begin(&t, heads, shown + 3);
  for (int rank = 0, i = -1; rank < BEST_ROWS && (i = next_best(p->result, i)) >= 0; rank++) {
    const pki_evaluation *e = &p->result->list[i];
    char cell[PKI_TABLE_COLUMNS][32];
    const char *cells[PKI_TABLE_COLUMNS];
    snprintf(cell[0], 32, e->as_written ? "as it is" : "%d", i);
    snprintf(cell[1], 32, "%.6g", e->objective);
    for (int k = 0; k < shown; k++) {
      snprintf(cell[2 + k], 32, isnan(e->value[k]) ? "—" : "%.6g", e->value[k]);
    }
    snprintf(cell[2 + shown], 32, "%s",
             e->refused > 0       ? "refused"
             : e->failed > 0      ? "a step failed"
             : e->fell > 0        ? "fell"
             : e->uncertified > 0 ? "uncertified steps"
                                  : "good");
    for (int k = 0; k < shown + 3; k++) {
      cells[k] = cell[k];
    }
    pki_table_row(&t, cells);
  }
  pki_report_section(&p->report, "list", "The best ten");
  pki_report_table(&p->report, &t);
  pki_table_free(&t);
}

/* ---- the page ---- */

static void write_page(page *p)
{
  char title[128];
  snprintf(title, sizeof title, "%.64s, tuned", p->tune->base->name);
  pki_objective_text(&p->tune->objective, &p->objective);
  find_worst(p);
  pki_report_begin(&p->report, title, p->tune->base->description);
  add_facts(p);
  pki_report_contents(&p->report);
  add_best(p);
  add_progress(p);
  add_legs(p);
  add_landscape(p);
  add_list(p);
}

pk_status pki_tune_report(const pki_tune *tune, const pki_tune_result *result, const char *path,
                          pk_error *err)
{
  page p = {.tune = tune, .result = result};
  if (result->list == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){0}, "nothing was evaluated");
  }
  const size_t room = 2 * (size_t)result->count + 2;
  p.x = calloc(2 * room, sizeof *p.x);
  if (p.x == NULL) {
    return pki_fail_memory(err, "the report");
  }
  p.y = p.x + room;
  write_page(&p);
  p.report.html.failed = p.report.html.failed || p.objective.failed;
  const pk_status status = pki_report_save(&p.report, path, err);
  pki_report_free(&p.report);
  pki_text_free(&p.objective);
  free(p.x);
  return status;
}
