#include "sweep/sweep_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/report.h"
#include "report/svg_box.h"

/* Pairs of parameters that are drawn, at most. */
enum { PAIRS = 10 };

/* What is shown: the share of a yes, or the mean and spread of a number. */
typedef struct shown {
  const char *metric, *title, *unit;
  bool share;   /* of samples for which the metric is not 0 */
  bool upright; /* of samples that did not fall alone */
  int color;
} shown;

static const shown shows[] = {
    {"fell", "Fell", "%", true, false, 2},
    {"speed", "Speed", "m/s", false, true, 1},
    {"cost_of_transport", "Cost of transport", "", false, true, 3},
    {"electrical_cost_of_transport", "Electrical cost of transport", "", false, true, 4},
    {"joule_heat", "Heat of windings", "J", false, true, 5},
    {"hottest_winding", "Hottest winding", "°C", false, true, 2},
    {"velocity_error", "Error of the velocity seen", "m/s", false, true, 6},
};
enum { SHOWS = sizeof shows / sizeof shows[0], ALWAYS = 3 };

typedef struct page {
  const pki_samples *samples;
  const pki_sweep *sweep;
  pki_levels *levels; /* [nparameter] */
  int *level;         /* [count][nparameter] of each sample */
  pki_report report;
} page;

/* Whether a sample counts for a metric, and its value. */
static bool value_of(const pki_record *r, const shown *s, double *out)
{
  const int metric = pki_metric_find(s->metric), fell = pki_metric_find("fell");
  *out = r->metric[metric];
  return r->outcome != PKI_OUTCOME_REFUSED && isfinite(*out) && !(s->upright && r->metric[fell] > 0);
}

/* Whether any sample has a number for it: without motors there is no heat of them. */
static bool has_values(const page *p, const shown *s)
{
  double value;
  for (int i = 0; i < p->samples->count; i++) {
    if (value_of(&p->samples->record[i], s, &value)) {
      return true;
    }
  }
  return false;
}

/* The first are always shown, others where there are some. */
static bool is_shown(const page *p, int k)
{
  return has_values(p, &shows[k]) || k < ALWAYS;
}

/* ---- maps ---- */

static int compare_rising(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* A value that belongs to a cell. */
typedef struct placed {
  int cell;
  double value;
} placed;

static int by_cell(const void *a, const void *b)
{
  const placed *x = a, *y = b;
  return x->cell != y->cell ? (x->cell < y->cell ? -1 : 1) : compare_rising(&x->value, &y->value);
}

/* The share, or the median, of values that lie in one cell, in rising order. */
static double middle_of(const placed *v, int n, bool share)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += v[i].value != 0;
  }
  return share ? sum / n : 0.5 * (v[(n - 1) / 2].value + v[n / 2].value);
}

/* Cells of a map, NAN where there are no samples; for free(). */
static double *fill_cells(const page *p, int x, int y, const shown *s)
{
  const int nx = p->levels[x].count, cells = nx * p->levels[y].count, stride = p->sweep->nparameter;
  double *out = calloc((size_t)cells, sizeof *out);
  placed *values = calloc((size_t)p->samples->count + 1, sizeof *values);
  int n = 0;
  for (int i = 0; i < p->samples->count && values != NULL; i++) {
    if (value_of(&p->samples->record[i], s, &values[n].value)) {
      values[n++].cell = p->level[i * stride + y] * nx + p->level[i * stride + x];
    }
  }
  if (n > 1) {
    qsort(values, (size_t)n, sizeof *values, by_cell);
  }
  for (int cell = 0, from = 0; cell < cells && out != NULL && values != NULL; cell++) {
    int to = from;
    while (to < n && values[to].cell == cell) {
      to++;
    }
    out[cell] = to > from ? middle_of(values + from, to - from, s->share) : NAN;
    from = to;
  }
  if (values == NULL) {
    free(out);
    out = NULL;
  }
  free(values);
  return out;
}

static bool draw_map(page *p, int x, int y, const shown *s)
{
  const pki_levels *lx = &p->levels[x], *ly = &p->levels[y];
  double *cells = fill_cells(p, x, y, s);
  if (cells == NULL) {
    return false;
  }
  const pki_svg_map map = {.title = s->title,
                           .x = {lx->label, lx->unit, lx->names, lx->count},
                           .y = {ly->label, ly->unit, ly->names, ly->count},
                           .values = cells,
                           .unit = s->unit,
                           .scale = s->share ? PKI_SVG_SCALE_HEAT : PKI_SVG_SCALE_SEA,
                           .most = s->share ? 1 : 0};
  pki_svg_map_render(&map, &p->report.html);
  free(cells);
  return true;
}

static bool add_maps(page *p)
{
  int pairs = 0;
  bool good = true;
  if (p->sweep->nparameter < 2) {
    return true;
  }
  pki_report_section(&p->report, "maps", "Maps");
  pki_report_note(
      &p->report,
      "A cell tells of all samples in it, whatever their other parameters are: the share that fell, and the "
      "medians of speed, cost of transport and what follows of those that did not. Where all fell, these are "
      "empty.");
  for (int y = 0; y < p->sweep->nparameter && good; y++) {
    for (int x = y + 1; x < p->sweep->nparameter && good && pairs < PAIRS; x++, pairs++) {
      char caption[160];
      snprintf(caption, sizeof caption, "%.60s and %.60s", p->levels[x].label, p->levels[y].label);
      pki_report_subheading(&p->report, caption);
      pki_report_panels_begin(&p->report);
      for (int k = 0; k < SHOWS && good; k++) {
        good = !is_shown(p, k) || draw_map(p, x, y, &shows[k]);
      }
      pki_report_panels_end(&p->report, NULL);
    }
  }
  return good;
}

/* ---- one parameter ---- */

/* The values of a metric, sorted into levels of a parameter; `all` holds them one after another. */
typedef struct groups {
  double *all;
  const double *group[PKI_LEVELS_MOST];
  int n[PKI_LEVELS_MOST];
} groups;

static bool sort_groups(const page *p, int parameter, const shown *s, groups *g)
{
  const int count = p->samples->count, stride = p->sweep->nparameter;
  *g = (groups){.all = calloc((size_t)count + 1, sizeof *g->all)};
  int used = 0;
  for (int level = 0; level < p->levels[parameter].count && g->all != NULL; level++) {
    double *start = g->all + used;
    for (int i = 0; i < count; i++) {
      double value;
      if (p->level[i * stride + parameter] == level && value_of(&p->samples->record[i], s, &value)) {
        start[g->n[level]++] = value;
      }
    }
    g->group[level] = start;
    used += g->n[level];
    if (g->n[level] > 1) {
      qsort(start, (size_t)g->n[level], sizeof *start, compare_rising);
    }
  }
  return g->all != NULL;
}

/* The share of those that fell, as a line. */
static void draw_share(page *p, int parameter, const groups *g)
{
  const pki_levels *l = &p->levels[parameter];
  double x[PKI_LEVELS_MOST], y[PKI_LEVELS_MOST];
  char id[32];
  bool numbers = true;
  for (int i = 0; i < l->count; i++) {
    double sum = 0;
    for (int k = 0; k < g->n[i]; k++) {
      sum += g->group[i][k] != 0;
    }
    numbers = numbers && isfinite(l->middle[i]);
    x[i] = l->middle[i];
    y[i] = g->n[i] > 0 ? 100 * sum / g->n[i] : NAN;
  }
  for (int i = 0; i < l->count && !numbers; i++) {
    x[i] = i + 1;
  }
  snprintf(id, sizeof id, "fell-%d", parameter);
  const pki_svg_series series = {
      .x = x, .y = y, .n = l->count, .style = PKI_SVG_LINE_POINTS, .color = shows[0].color};
  const pki_svg_panel panel = {.title = "Fell (%)",
                               .x = {.label = l->label, .unit = l->unit, .log = l->log && numbers},
                               .y = {.least = -4, .most = 104},
                               .series = &series,
                               .nseries = 1};
  pki_report_panel(
      &p->report,
      &(pki_svg_figure){
          .id = id, .panels = &panel, .npanels = 1, .width = 360, .height = 270, .compact = false});
}

static bool add_parameter(page *p, int parameter)
{
  const pki_levels *l = &p->levels[parameter];
  bool good = true;
  pki_report_subheading(&p->report, l->label);
  pki_report_panels_begin(&p->report);
  for (int k = 0; k < SHOWS && good; k++) {
    groups g;
    if (!is_shown(p, k)) {
      continue;
    }
    good = sort_groups(p, parameter, &shows[k], &g);
    if (good && shows[k].share) {
      draw_share(p, parameter, &g);
    } else if (good) {
      const pki_svg_boxes boxes = {.title = shows[k].title,
                                   .x = {l->label, l->unit, l->names, l->count},
                                   .unit = shows[k].unit,
                                   .group = g.group,
                                   .n = g.n,
                                   .color = shows[k].color};
      pki_svg_boxes_render(&boxes, &p->report.html);
    }
    free(g.all);
  }
  pki_report_panels_end(&p->report, NULL);
  return good;
}

static bool add_parameters(page *p)
{
  bool good = true;
  if (p->sweep->nparameter == 0) {
    return true;
  }
  pki_report_section(&p->report, "parameters", "By parameter");
  pki_report_note(
      &p->report,
      "Boxes hold the middle half of the samples that did not fall, with a line at their median; whiskers "
      "reach to the last one within one and a half times the box, points lie beyond; +n counts those outside "
      "of "
      "the picture.");
  for (int i = 0; i < p->sweep->nparameter && good; i++) {
    good = add_parameter(p, i);
  }
  return good;
}

/* ---- numbers ---- */

static void add_fact(pki_table *t, const char *name, const char *format, double a, double b)
{
  char text[128];
  snprintf(text, sizeof text, format, a, b);
  pki_table_row(t, (const char *const[]){name, text});
}

static bool add_facts(page *p)
{
  const pki_samples *s = p->samples;
  pki_table t;
  bool good = true;
  pki_table_begin(&t, (const char *const[]){"quantity", "value"}, 2);
  add_fact(&t, "samples", s->count < p->sweep->count ? "%.0f of %.0f" : "%.0f", s->count,
           (double)p->sweep->count);
  add_fact(&t, "fell", "%.0f (%.3g %%)", (double)s->fell,
           s->count > 0 ? 100.0 * (double)s->fell / s->count : 0);
  if (s->failed > 0 || s->refused > 0) {
    add_fact(&t, "failed, refused", "%.0f, %.0f", (double)s->failed, (double)s->refused);
  }
  add_fact(&t, "with uncertified steps", "%.0f", (double)s->uncertified, 0);
  for (int k = 1; k < SHOWS && good; k++) {
    double *values = calloc((size_t)s->count + 1, sizeof *values);
    int n = 0;
    for (int i = 0; i < s->count && values != NULL; i++) {
      n += value_of(&s->record[i], &shows[k], &values[n]);
    }
    if (n > 0) {
      char text[128], name[64];
      qsort(values, (size_t)n, sizeof *values, compare_rising);
      snprintf(name, sizeof name, "%s, those upright", shows[k].title);
      snprintf(text, sizeof text, "median %.3g %s%s(%.3g to %.3g)", pki_quantile(values, n, 0.5),
               shows[k].unit, shows[k].unit[0] ? " " : "", values[0], values[n - 1]);
      pki_table_row(&t, (const char *const[]){name, text});
    }
    good = values != NULL;
    free(values);
  }
  pki_report_facts(&p->report, &t);
  pki_table_free(&t);
  return good;
}

/* ---- the worst ---- */

static void add_number(pki_text *html, const char *format, double value)
{
  pki_text_add(html, "<td class=\"number\">");
  if (isfinite(value)) {
    pki_text_addf(html, format, value);
  } else {
    pki_text_add(html, "—");
  }
  pki_text_add(html, "</td>");
}

static void add_worst_row(page *p, const pki_record *r, const char *folder)
{
  pki_text *html = &p->report.html;
  char name[64], path[PKI_PATH_MAX], file[96];
  pki_sweep_point point;
  pki_sweep_sample(p->sweep, r->index, &point);
  pki_replay_folder(r->index, name);
  snprintf(file, sizeof file, "%s/report.html", name);
  const bool there = pki_path_join(path, folder, file) && pki_is_file(path);
  pki_text_addf(html, "<tr><td class=\"number\">%lld</td>", r->index);
  for (int i = 0; i < p->sweep->nparameter; i++) {
    const bool angle = strcmp(p->sweep->parameters[i].unit, "rad") == 0;
    if (isnan(point.value[i])) {
      pki_text_add(html, "<td>");
      pki_text_add_escaped(html, point.text[i]);
      pki_text_add(html, "</td>");
    } else {
      add_number(html, "%.4g", point.value[i] * (angle ? 57.29577951308232 : 1));
    }
  }
  pki_text_addf(html, "<td>%s</td>",
                r->outcome == PKI_OUTCOME_FAILED         ? "a step failed"
                : r->metric[pki_metric_find("fell")] > 0 ? "fell"
                                                         : "upright");
  add_number(html, "%.3g s", r->metric[pki_metric_find("fell_at")]);
  add_number(html, "%.3g m", r->metric[pki_metric_find("distance")]);
  add_number(html, "%.3g°", r->metric[pki_metric_find("tilt_max")] * 57.29577951308232);
  if (there) {
    pki_text_addf(html, "<td><a href=\"%s\">replay</a></td></tr>\n", file);
  } else {
    pki_text_add(html, "<td>—</td></tr>\n");
  }
}

static void add_worst(page *p, const char *folder)
{
  pki_text *html = &p->report.html;
  const pki_samples *s = p->samples;
  if (s->nworst == 0) {
    return;
  }
  pki_report_section(&p->report, "worst", "Worst cases");
  pki_report_note(&p->report, "Failed steps first, then falls, the soonest first, then the largest tilt. "
                              "Each was run again and gave the "
                              "same numbers, bit by bit; the commands below run them alone.");
  pki_text_add(html, "<div class=\"scroll\"><table>\n<thead><tr><th>sample</th>");
  for (int i = 0; i < p->sweep->nparameter; i++) {
    const pki_levels *l = &p->levels[i];
    pki_text_add(html, "<th>");
    pki_text_add_escaped(html, l->label);
    pki_text_add(html, l->unit[0] ? " (" : "");
    pki_text_add_escaped(html, l->unit);
    pki_text_add(html, l->unit[0] ? ")</th>" : "</th>");
  }
  pki_text_add(
      html, "<th>outcome</th><th>fell at</th><th>distance</th><th>tilt</th><th>recording</th></tr></thead>\n"
            "<tbody>\n");
  pki_text commands = {0};
  for (int i = 0; i < s->nworst; i++) {
    const pki_record *r = &s->record[s->worst[i]];
    pki_sweep_point point;
    add_worst_row(p, r, folder);
    pki_sweep_sample(p->sweep, r->index, &point);
    pki_sweep_command(p->sweep, &point, &commands);
    pki_text_add(&commands, "\n");
  }
  pki_text_add(html, "</tbody></table></div>\n");
  pki_report_code(&p->report, commands.data != NULL ? commands.data : "", commands.size);
  html->failed = html->failed || commands.failed;
  pki_text_free(&commands);
}

/* Samples that have no numbers, and why; the first of them. */
static void add_refused(page *p)
{
  enum { MOST = 20 };
  const pki_samples *s = p->samples;
  pki_table t;
  int count = 0;
  if (s->failed + s->refused == 0) {
    return;
  }
  pki_report_section(&p->report, "failed", "Failed and refused");
  pki_table_begin(&t, (const char *const[]){"sample", "outcome", "why"}, 3);
  for (int i = 0; i < s->count && count < MOST; i++) {
    const pki_record *r = &s->record[i];
    if (r->outcome != PKI_OUTCOME_RAN) {
      char index[32];
      snprintf(index, sizeof index, "%lld", r->index);
      pki_table_row(&t, (const char *const[]){index, pki_outcome_words[r->outcome], r->message});
      count++;
    }
  }
  pki_report_table(&p->report, &t);
  pki_table_free(&t);
}

/* ---- the page ---- */

static bool find_levels(page *p)
{
  const int n = p->sweep->nparameter;
  p->levels = calloc((size_t)n + 1, sizeof *p->levels);
  p->level = calloc((size_t)p->samples->count * (size_t)n + 1, sizeof *p->level);
  for (int k = 0; k < n && p->levels != NULL; k++) {
    pki_levels_of(p->sweep, k, &p->levels[k]);
  }
  for (int i = 0; i < p->samples->count && p->levels != NULL && p->level != NULL; i++) {
    pki_sweep_point point;
    pki_sweep_sample(p->sweep, p->samples->record[i].index, &point);
    for (int k = 0; k < n; k++) {
      p->level[i * n + k] = pki_level_at(p->sweep, k, &p->levels[k], &point);
    }
  }
  return p->levels != NULL && p->level != NULL;
}

static void describe_sweep(const pki_sweep *s, char *out, size_t size)
{
  size_t used =
      (size_t)snprintf(out, size, "%lld run%s of %s", s->count, s->count == 1 ? "" : "s", s->scenario);
  if (s->duration >= 0 && used < size) {
    used += (size_t)snprintf(out + used, size - used, " over %g s", s->duration);
  }
  for (int i = 0; i < s->nparameter && used < size; i++) {
    const pki_sweep_parameter *p = &s->parameters[i];
    used += p->count > 0
                ? (size_t)snprintf(out + used, size - used, "%s %s at %d values", i > 0 ? "," : ":", p->name,
                                   p->count)
                : (size_t)snprintf(out + used, size - used, "%s %s drawn", i > 0 ? "," : ":", p->name);
  }
  if (s->samples > 0 && used < size) {
    used += (size_t)snprintf(out + used, size - used, "; %d draws (%s)", s->samples, pki_draw_words[s->draw]);
  }
  if (s->seeds > 0 && used < size) {
    snprintf(out + used, size - used, "; %d seeds", s->seeds);
  }
}

pk_status pki_sweep_report(const pki_samples *samples, const char *folder, pk_error *err)
{
  page p = {.samples = samples, .sweep = samples->sweep};
  char path[PKI_PATH_MAX], text[768];
  if (!pki_path_join(path, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  describe_sweep(p.sweep, text, sizeof text);
  pki_report_begin(&p.report, p.sweep->name, p.sweep->description);
  pki_report_paragraph(&p.report, text);
  pki_report_contents(&p.report);
  bool good = find_levels(&p) && add_facts(&p) && add_maps(&p) && add_parameters(&p);
  if (good) {
    add_worst(&p, folder);
    add_refused(&p);
  }
  const pk_status status = good ? pki_report_save(&p.report, path, err) : pki_fail_memory(err, "the report");
  pki_report_free(&p.report);
  free(p.levels);
  free(p.level);
  return status;
}
