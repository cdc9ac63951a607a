/* report.html of a batch: the summary, how outcomes are spread, what they depend on, where robots went, which worlds are
 * worth a look. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folders.h"
#include "report/report.h"
#include "run/run_batch.h"

enum { BINS = 30, DOTS = 600, PATHS = 120, WORST = 10 };

enum { INK_WALKED = 1, INK_FELL = 2 };

/* ---- histograms ---- */

/* A histogram as an outline: from the axis up, along the bins (Rice's rule: 2 n^(1/3) of them), and down again. */
static void report_histogram(pki_report *report, const pki_batch_result *r, pki_batch_quantity what)
{
  double x[2 * BINS + 2], y[2 * BINS + 2], count[BINS] = {0};
  int n;
  double *sorted = pki_batch_sorted(r, what, &n);
  if (n < 2 || !(sorted[n - 1] > sorted[0])) {
    free(sorted);
    return;
  }
  const int bins = (int)fmin(BINS, ceil(2 * cbrt(n)));
  const double least = sorted[0], width = (sorted[n - 1] - least) / bins;
  for (int i = 0; i < n; i++) {
    const int bin = (int)((sorted[i] - least) / width);
    count[bin < bins ? bin : bins - 1] += 1;
  }
  x[0] = least, y[0] = 0;
  for (int i = 0; i < bins; i++) {
    x[2 * i + 1] = least + i * width, x[2 * i + 2] = least + (i + 1) * width;
    y[2 * i + 1] = y[2 * i + 2] = count[i];
  }
  x[2 * bins + 1] = x[2 * bins], y[2 * bins + 1] = 0;
  const pki_svg_series series = {.x = x, .y = y, .n = 2 * bins + 2};
  const pki_svg_panel panel = {.title = pki_batch_rows[what].name,
                               .x = {.unit = pki_batch_rows[what].unit},
                               .y = {.label = "worlds"},
                               .series = &series,
                               .nseries = 1};
  char id[32];
  snprintf(id, sizeof id, "spread-%d", (int)what);
  pki_report_panel(
      report, &(pki_svg_figure){
                  .id = id, .panels = &panel, .npanels = 1, .width = 330, .height = 200, .compact = true});
  free(sorted);
}

static void report_spreads(pki_report *report, const pki_batch_result *r)
{
  pki_report_section(report, "spread", "How worlds differ");
  pki_report_panels_begin(report);
  for (int i = 0; i < PKI_BATCH_RESIDUAL; i++) {
    report_histogram(report, r, (pki_batch_quantity)i);
  }
  pki_report_panels_end(report, "Number of worlds in each of some equal parts of the range.");
}

/* ---- what outcomes depend on ---- */

/* Worlds that are drawn as dots: all that fell, and as many of the others as there is room for, evenly. */
typedef struct dots {
  int world[DOTS];
  int n, fell; /* the first `fell` fell */
} dots;

static void choose_dots(const pki_batch_result *r, dots *d)
{
  *d = (dots){.n = 0};
  for (int k = 0; k < r->worlds && d->n < DOTS / 2; k++) {
    if (r->of[k].fell) {
      d->world[d->n++] = k;
    }
  }
  d->fell = d->n;
  const int upright = r->worlds - r->fell, room = DOTS - d->n;
  const int every = room > 0 && upright > room ? (upright + room - 1) / room : 1;
  for (int k = 0, seen = 0; k < r->worlds && d->n < DOTS; k++) {
    if (!r->of[k].fell && seen++ % every == 0) {
      d->world[d->n++] = k;
    }
  }
}

/* One outcome over one varied number. */
static void report_scatter_plot(pki_report *report, const pki_batch_result *r, const dots *d, int number)
{
  double x[DOTS], y[DOTS];
  const pki_varied *v = &r->world->varied[number];
  for (int i = 0; i < d->n; i++) {
    x[i] = pki_varied_value(r->world->scenario, v, d->world[i]);
    y[i] = r->of[d->world[i]].distance;
  }
  const pki_svg_series series[2] = {
      {.name = "walked",
       .x = x + d->fell,
       .y = y + d->fell,
       .n = d->n - d->fell,
       .style = PKI_SVG_POINTS,
       .color = INK_WALKED},
      {.name = "fell", .x = x, .y = y, .n = d->fell, .style = PKI_SVG_POINTS, .color = INK_FELL}};
  const pki_svg_panel panel = {.title = v->name,
                               .x = {.unit = v->unit},
                               .y = {.label = "distance", .unit = "m"},
                               .series = series,
                               .nseries = d->fell > 0 ? 2 : 1};
  char id[32];
  snprintf(id, sizeof id, "over-%d", number);
  pki_report_panel(
      report, &(pki_svg_figure){
                  .id = id, .panels = &panel, .npanels = 1, .width = 330, .height = 220, .compact = true});
}

/* Which part of the worlds fell, over thirds of a number's range: a trend that dots hide. */
static void add_fall_row(pki_table *table, const pki_batch_result *r, int number)
{
  const pki_varied *v = &r->world->varied[number];
  double least = INFINITY, most = -INFINITY;
  for (int k = 0; k < r->worlds; k++) {
    const double x = pki_varied_value(r->world->scenario, v, k);
    least = fmin(least, x), most = fmax(most, x);
  }
  int all[3] = {0}, fell[3] = {0};
  for (int k = 0; k < r->worlds; k++) {
    const double x = pki_varied_value(r->world->scenario, v, k),
                 part = most > least ? (x - least) / (most - least) : 0;
    const int third = part < 1.0 / 3 ? 0 : part < 2.0 / 3 ? 1 : 2;
    all[third]++;
    fell[third] += r->of[k].fell;
  }
  char cells[5][160];
  snprintf(cells[0], sizeof cells[0], "%s", v->name);
  snprintf(cells[1], sizeof cells[1], "%.4g to %.4g %s", least, most, v->unit);
  for (int i = 0; i < 3; i++) {
    if (all[i] > 0) {
      snprintf(cells[2 + i], sizeof cells[0], "%.3g %% of %d", 100.0 * fell[i] / all[i], all[i]);
    } else {
      snprintf(cells[2 + i], sizeof cells[0], "—");
    }
  }
  pki_table_row(table, (const char *const[]){cells[0], cells[1], cells[2], cells[3], cells[4]});
}

static void report_dependences(pki_report *report, const pki_batch_result *r)
{
  dots d;
  if (r->world->nvaried == 0) {
    return;
  }
  choose_dots(r, &d);
  pki_report_section(report, "depends", "What it depends on");
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"number", "range", "fell, lowest third", "middle", "highest"},
                  5);
  for (int i = 0; i < r->world->nvaried; i++) {
    add_fall_row(&table, r, i);
  }
  pki_report_table(report, &table);
  pki_table_free(&table);
  pki_report_panels_begin(report);
  for (int i = 0; i < r->world->nvaried; i++) {
    report_scatter_plot(report, r, &d, i);
  }
  pki_report_panels_end(report, "Distance over each number that differs; a dot is a world.");
}

/* ---- from above ---- */

static void report_paths(pki_report *report, const pki_batch_result *r)
{
  pki_svg_series series[PATHS];
  int n = 0;
  for (int fell = 0; fell < 2; fell++) { /* those that fell are drawn over the others */
    for (int k = 0; k < r->ntrace && n < PATHS; k++) {
      if (r->of[k].fell == (fell != 0) && r->trace[k].n > 1) {
        const pki_svg_series way = {.x = r->trace[k].x,
                                    .y = r->trace[k].y,
                                    .n = r->trace[k].n,
                                    .color = fell ? INK_FELL : INK_WALKED};
        series[n++] = way;
      }
    }
  }
  if (n == 0) {
    return;
  }
  const pki_svg_panel panel = {
      .x = {.label = "x", .unit = "m"}, .y = {.label = "y", .unit = "m"}, .series = series, .nseries = n};
  char caption[160];
  snprintf(caption, sizeof caption, "Ways of the trunks of %d worlds from above; orange: worlds that fell.",
           n);
  pki_report_section(report, "paths", "From above");
  pki_report_figure(
      report, &(pki_svg_figure){.id = "paths", .panels = &panel, .npanels = 1, .width = 760, .height = 700},
      caption);
}

/* ---- worlds that are worth a look ---- */

static void worst_worlds(pki_report *report, const pki_batch_result *r)
{
  int worst[WORST];
  const int n = pki_batch_worst(r, worst, WORST);
  pki_table table;
  pki_text commands = {0};
  pki_table_begin(&table,
                  (const char *const[]){"world", "how it ended", "at", "distance", "tilt", "residual"}, 6);
  for (int i = 0; i < n; i++) {
    const pki_run_result *of = &r->of[worst[i]];
    char cells[5][64];
    snprintf(cells[0], sizeof cells[0], "%d", worst[i]);
    snprintf(cells[1], sizeof cells[1], "%.4g s",
             of->status == PK_OK && of->fell ? of->fell_at : of->duration);
    snprintf(cells[2], sizeof cells[2], "%.3g m", of->distance);
    snprintf(cells[3], sizeof cells[3], "%.3g rad", of->tilt_max);
    snprintf(cells[4], sizeof cells[4], "%.2g", of->worst_residual);
    const char *end = pki_batch_ending(of, "upright");
    pki_table_row(&table, (const char *const[]){cells[0], end, cells[1], cells[2], cells[3], cells[4]});
    pki_batch_replay(r, worst[i], &commands);
    pki_text_add(&commands, "\n");
  }
  pki_report_section(report, "worst", "Worth a look");
  pki_report_table(report, &table);
  pki_report_paragraph(report, "Each of them alone, with a recording and a report of its own, to the bit:");
  if (commands.data != NULL) {
    pki_report_code(report, commands.data, commands.size);
  }
  pki_table_free(&table);
  pki_text_free(&commands);
}

pk_status pki_batch_report(const pki_batch_result *r, const char *folder, pk_error *err)
{
  char path[PKI_PATH_MAX], title[128];
  const pki_scenario *s = r->world->scenario;
  if (!pki_path_join(path, folder, "report.html")) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  pki_report report = {0};
  pki_table table;
  snprintf(title, sizeof title, "%s in %d worlds", s->name, r->worlds);
  pki_report_begin(&report, title, s->description);
  pki_report_contents(&report);
  pki_report_section(&report, "summary", "Summary");
  pki_batch_table(r, &table);
  pki_report_facts(&report, &table);
  pki_table_free(&table);
  worst_worlds(&report, r);
  report_spreads(&report, r);
  report_dependences(&report, r);
  report_paths(&report, r);
  pki_report_section(&report, "scenario", "Scenario");
  pki_report_code(&report, s->text, s->text_size);
  pk_status status = pki_folder_create(folder, err);
  status = status == PK_OK ? pki_report_save(&report, path, err) : status;
  pki_report_free(&report);
  return status;
}
