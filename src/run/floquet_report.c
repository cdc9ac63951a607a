/* The multipliers of a gait as tables, and as report.html. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "run/floquet_run.h"

/* ---- tables ---- */

void pki_floquet_table(const pki_floquet_result *result, int most, pki_table *table)
{
  static const char *const heads[] = {"real",  "imaginary",        "modulus",
                                      "error", "strides to halve", "condition"};
  const pk_floquet *f = &result->floquet;
  pki_table_begin(table, heads, 6);
  for (int k = 0; k < f->count && k < most; k++) {
    const pk_multiplier *m = &f->multipliers[k];
    char text[6][32];
    snprintf(text[0], 32, "%.5f", m->re);
    snprintf(text[1], 32, "%.5f", m->im);
    snprintf(text[2], 32, "%.5f", m->modulus);
    snprintf(text[3], 32, "%.1e", m->error);
    if (m->neutral) {
      snprintf(text[4], 32, "neutral");
    } else {
      snprintf(text[4], 32, m->modulus + m->error < 1 ? "%.2f" : "never", log(0.5) / log(m->modulus));
    }
    snprintf(text[5], 32, "%.3g", m->condition);
    pki_table_row(table, (const char *const[]){text[0], text[1], text[2], text[3], text[4], text[5]});
  }
}

static void add_fact(pki_table *table, const char *name, const char *value)
{
  pki_table_row(table, (const char *const[]){name, value});
}

/* What the map remembers beside positions and velocities. */
static void add_memory(const pk_floquet *f, pki_table *table)
{
  char text[128];
  if (isnan(f->memory)) {
    add_fact(table, "memory of controller and contacts", "not looked at");
  } else if (f->order > 0) {
    snprintf(text, sizeof text, "counts (%.2g of two strides, errors %.2g): %d numbers above the errors",
             f->memory, f->memory_error, f->order);
    add_fact(table, "memory of controller and contacts", text);
  } else {
    snprintf(text, sizeof text, "does not count (%.1e of two strides, errors %.1e)", f->memory,
             f->memory_error);
    add_fact(table, "memory of controller and contacts", text);
  }
}

void pki_floquet_facts(const pki_floquet_result *result, pki_table *table)
{
  const pk_floquet *f = &result->floquet;
  char text[128];
  pki_table_begin(table, (const char *const[]){"quantity", "value"}, 2);
  add_fact(table, "verdict", pk_stability_verdict_name(f->verdict));
  snprintf(text, sizeof text, "%.5f +- %.1e", f->radius, f->radius_error);
  add_fact(table, "largest multiplier", text);
  snprintf(text, sizeof text, "%g s, %d steps%s", result->period, result->steps,
           result->found ? ", found from the motion" : "");
  add_fact(table, "stride", text);
  snprintf(text, sizeof text, "at %g s, to %.1e a stride", result->settled, result->residual);
  add_fact(table, "repeats", text);
  int marked = 0;
  for (int k = 0; k < f->count; k++) {
    marked += f->multipliers[k].neutral;
  }
  snprintf(text, sizeof text, "%d of %d, and %d among the multipliers", f->nneutral, f->n, marked);
  add_fact(table, "neutral directions", text);
  add_memory(f, table);
  for (int i = 0; i < PKI_DECAY_SIZES; i++) {
    const pki_decay *d = &result->decay[i];
    char name[64];
    snprintf(name, sizeof name, "random errors of %.0e", d->size);
    snprintf(text, sizeof text, isnan(d->rate) ? "a world failed" : "times %.4f a stride", d->rate);
    if (d->size > 0) {
      add_fact(table, name, text);
    }
  }
}

/* ---- figures ---- */

enum { CIRCLE = 181, SHOWN = 256 };

/* The unit circle and the multipliers. */
static void add_circle(pki_report *report, const pki_floquet_result *result)
{
  const pk_floquet *f = &result->floquet;
  double cx[CIRCLE], cy[CIRCLE], x[SHOWN], y[SHOWN];
  int n = 0;
  for (int i = 0; i < CIRCLE; i++) {
    const double angle = 2 * 3.14159265358979323846 * i / (CIRCLE - 1);
    cx[i] = cos(angle), cy[i] = sin(angle);
  }
  for (int k = 0; k < f->count && n < SHOWN; k++, n++) {
    x[n] = f->multipliers[k].re, y[n] = f->multipliers[k].im;
  }
  const double most = 1.15 * fmax(1, f->radius);
  const pki_svg_series series[2] = {
      {.name = "|z| = 1", .x = cx, .y = cy, .n = CIRCLE, .style = PKI_SVG_LINE, .color = 2},
      {.name = "multipliers", .x = x, .y = y, .n = n, .style = PKI_SVG_POINTS, .color = 1}};
  const pki_svg_panel panel = {.title = "Multipliers",
                               .x = {.label = "real part", .least = -most, .most = most},
                               .y = {.label = "imaginary part", .least = -most, .most = most},
                               .series = series,
                               .nseries = 2};
  pki_report_panel(
      report, &(pki_svg_figure){.id = "circle", .panels = &panel, .npanels = 1, .width = 380, .height = 372});
}

/* What is left of random errors over strides, and what the largest multiplier leaves. */
static void add_decay(pki_report *report, const pki_floquet_result *result)
{
  double stride[PKI_DECAY_STRIDES + 1], expected[PKI_DECAY_SIZES][PKI_DECAY_STRIDES + 1];
  char names[PKI_DECAY_SIZES][32];
  pki_svg_series series[2 * PKI_DECAY_SIZES];
  const int half = PKI_DECAY_STRIDES / 2;
  for (int i = 0; i < PKI_DECAY_SIZES; i++) {
    const pki_decay *d = &result->decay[i];
    snprintf(names[i], sizeof names[i], "errors of %.0e", d->size);
    for (int s = 0; s <= PKI_DECAY_STRIDES; s++) {
      stride[s] = s;
      expected[i][s] = d->left[half] * pow(result->floquet.radius, s - half);
    }
    series[2 * i] = (pki_svg_series){.name = names[i],
                                     .x = stride,
                                     .y = d->left,
                                     .n = PKI_DECAY_STRIDES + 1,
                                     .style = PKI_SVG_LINE_POINTS,
                                     .color = i + 1};
    series[2 * i + 1] = (pki_svg_series){.name = i == 0 ? "the largest multiplier alone" : NULL,
                                         .x = stride,
                                         .y = expected[i],
                                         .n = PKI_DECAY_STRIDES + 1,
                                         .style = PKI_SVG_DASHED,
                                         .color = i + 1};
  }
  const pki_svg_panel panel = {.title = "What is left of random errors",
                               .x = {.label = "strides"},
                               .y = {.label = "error", .log = true},
                               .series = series,
                               .nseries = 2 * PKI_DECAY_SIZES};
  pki_report_panel(
      report, &(pki_svg_figure){.id = "decay", .panels = &panel, .npanels = 1, .width = 380, .height = 372});
}

/* How the motion came to repeat; how plain differences depend on their size. */
static void add_method(pki_report *report, const pki_floquet_result *result)
{
  const pk_floquet *f = &result->floquet;
  double stride[1024];
  const int n = result->nchange < 1024 ? result->nchange : 1024;
  for (int i = 0; i < n; i++) {
    stride[i] = i + 1;
  }
  const pki_svg_series settling = {.x = stride, .y = result->change, .n = n, .style = PKI_SVG_LINE_POINTS};
  const pki_svg_panel left = {.title = "Change from stride to stride on the way",
                              .x = {.label = "strides"},
                              .y = {.log = true},
                              .series = &settling,
                              .nseries = 1};
  const pki_svg_series plateau = {
      .x = f->step, .y = f->step_radius, .n = f->levels, .style = PKI_SVG_LINE_POINTS};
  const pki_svg_panel right = {.title = "Largest modulus by plain differences",
                               .x = {.label = "change", .unit = "rad, m", .log = true},
                               .series = &plateau,
                               .nseries = 1};
  pki_report_panels_begin(report);
  pki_report_panel(report, &(pki_svg_figure){
                               .id = "settling", .panels = &left, .npanels = 1, .width = 380, .height = 280});
  pki_report_panel(report, &(pki_svg_figure){
                               .id = "plateau", .panels = &right, .npanels = 1, .width = 380, .height = 280});
  pki_report_panels_end(
      report,
      "Left: root mean square of what changes in a stride, neutral directions left out. Right: the "
      "derivative of one stride, memory left out, by one central difference in each direction: level where "
      "changes are neither so large that the map bends nor so small that its steps show.");
}

pk_status pki_floquet_report(const pki_scenario *scenario, const pki_floquet_result *result, const char *path,
                             pk_error *err)
{
  pki_report report = {0};
  pki_table table;
  char title[128];
  snprintf(title, sizeof title, "%.64s: stability of its gait", scenario->name);
  pki_report_begin(&report, title, scenario->description);
  pki_floquet_facts(result, &table);
  pki_report_facts(&report, &table);
  pki_table_free(&table);
  pki_report_section(&report, "multipliers", "Multipliers");
  pki_report_panels_begin(&report);
  add_circle(&report, result);
  add_decay(&report, result);
  pki_report_panels_end(
      &report,
      "Left: eigenvalues of the derivative of the stride map; inside of the circle errors die out. Right: "
      "random errors of all coordinates and velocities, followed in full simulations; dashed, what the "
      "largest "
      "multiplier makes of what is left in the middle.");
  pki_floquet_table(result, 40, &table);
  pki_report_table(&report, &table);
  pki_table_free(&table);
  pki_report_section(&report, "method", "How they were found");
  add_method(&report, result);
  if (result->pushes) {
    pki_report_note(&report, "The pushes of the scenario did not act.");
  }
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}
