/* The runs of a step limit as a table, and as report.html. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tune/step_limit.h"

static const char *const heads[8] = {"step (ms)",      "verdict",   "tracking error", "largest speed",
                                     "kinetic energy", "slip (mm)", "uncertified",    "real-time factor"};

void pki_step_limit_cells(const pki_step_trial *trial, char cells[8][64])
{
  const pki_step_trial *t = trial;
  snprintf(cells[0], 64, "%.6g", 1e3 * t->dt);
  snprintf(cells[1], 64, "%s", t->reference ? "reference" : pki_instability_words[t->verdict]);
  snprintf(cells[2], 64, isnan(t->error) ? "none" : "%.3e", t->error);
  snprintf(cells[3], 64, "%.4g", t->speed);
  snprintf(cells[4], 64, "%.4g", t->kinetic);
  snprintf(cells[5], 64, "%.3g", 1e3 * t->slip);
  snprintf(cells[6], 64, "%lld", t->uncertified);
  snprintf(cells[7], 64, "%.3g", t->wall > 0 ? t->duration / t->wall : 0);
}

void pki_step_limit_table(const pki_step_limit *limit, pki_table *table)
{
  pki_table_begin(table, heads, 8);
  for (int i = 0; i < limit->count; i++) {
    char text[8][64];
    const char *cells[8];
    pki_step_limit_cells(&limit->trials[i], text);
    for (int k = 0; k < 8; k++) {
      cells[k] = text[k];
    }
    pki_table_row(table, cells);
  }
}

/* ---- the page ---- */

static int by_step(const void *a, const void *b)
{
  const pki_step_trial *x = a, *y = b;
  return x->dt < y->dt ? -1 : x->dt > y->dt;
}

static double error_of(const pki_step_trial *t)
{
  return t->error;
}

static double speed_of(const pki_step_trial *t)
{
  return t->speed;
}

static double pace_of(const pki_step_trial *t)
{
  return t->wall > 0 ? t->duration / t->wall : NAN;
}

/* A quantity over the step, stable and unstable runs apart. */
static void add_quantity(pki_report *report, const pki_step_limit *l, const char *id, const char *title,
                         const char *unit, double (*of)(const pki_step_trial *trial))
{
  double x[2][PKI_STEP_TRIALS], y[2][PKI_STEP_TRIALS];
  int n[2] = {0, 0};
  for (int i = 0; i < l->count; i++) {
    const int bad = l->trials[i].verdict != PKI_STABLE;
    x[bad][n[bad]] = 1e3 * l->trials[i].dt;
    y[bad][n[bad]++] = of(&l->trials[i]);
  }
  const pki_svg_series series[2] = {
      {.name = "stable", .x = x[0], .y = y[0], .n = n[0], .style = PKI_SVG_LINE_POINTS, .color = 1},
      {.name = "unstable", .x = x[1], .y = y[1], .n = n[1], .style = PKI_SVG_POINTS, .color = 2}};
  const pki_svg_panel panel = {.title = title,
                               .x = {.label = "step", .unit = "ms", .log = true},
                               .y = {.unit = unit, .log = true},
                               .series = series,
                               .nseries = n[1] > 0 ? 2 : 1};
  pki_report_panel(report,
                   &(pki_svg_figure){.id = id, .panels = &panel, .npanels = 1, .width = 360, .height = 280});
}

static void add_facts(pki_report *report, const pki_step_limit_options *o, const pki_step_limit *l)
{
  pki_table t;
  char text[96];
  pki_table_begin(&t, (const char *const[]){"quantity", "value"}, 2);
  snprintf(text, sizeof text, l->stable > 0 ? "%.6g ms" : "none", 1e3 * l->stable);
  pki_table_row(&t, (const char *const[]){"largest stable step", text});
  snprintf(text, sizeof text, isinf(l->unstable) ? "none up to the cap" : "%.6g ms", 1e3 * l->unstable);
  pki_table_row(&t, (const char *const[]){"smallest unstable step", text});
  snprintf(text, sizeof text, "%.6g ms", 1e3 * l->trials[0].dt);
  pki_table_row(&t, (const char *const[]){"step of the reference", text});
  snprintf(text, sizeof text, "%g times the reference's", o->factor);
  pki_table_row(&t, (const char *const[]){"bound on joint speeds", text});
  snprintf(text, sizeof text, isinf(o->error) ? "none" : "%g rad", o->error);
  pki_table_row(&t, (const char *const[]){"bound on the tracking error", text});
  pki_report_facts(report, &t);
  pki_table_free(&t);
}

pk_status pki_step_limit_report(const pki_scenario *scenario, const pki_step_limit_options *options,
                                const pki_step_limit *limit, const char *path, pk_error *err)
{
  pki_report report = {0};
  pki_step_limit *rising = malloc(sizeof *rising);
  char title[128];
  if (rising == NULL) {
    return pki_fail_memory(err, "the report");
  }
  *rising = *limit;
  qsort(rising->trials, (size_t)rising->count, sizeof rising->trials[0], by_step);
  snprintf(title, sizeof title, "%.64s: the largest stable step", scenario->name);
  pki_report_begin(&report, title, scenario->description);
  add_facts(&report, options, limit);
  pki_report_section(&report, "steps", "By step");
  pki_report_panels_begin(&report);
  add_quantity(&report, rising, "error", "Mean tracking error", "rad", error_of);
  add_quantity(&report, rising, "speed", "Largest joint speed", "rad/s", speed_of);
  add_quantity(&report, rising, "pace", "Real-time factor", "", pace_of);
  pki_report_panels_end(&report, "Runs that are unstable end where that shows.");
  pki_report_section(&report, "runs", "Runs, in their order");
  pki_table table;
  pki_step_limit_table(limit, &table);
  pki_report_table(&report, &table);
  pki_table_free(&table);
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  free(rising);
  return status;
}
