/* What the study of symbolic dynamics leaves behind: Fig. 4, the operations, Table 1 and Fig. 3 with generated code, as
 * text, as plots and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "study/symbolic/symbolic.h"

enum { CELL = 64, COLUMNS = 10, WHOLE = PKI_SYMBOLIC_SIZES - 1 };
enum { TIME, COUNT, INVERSE, PERIOD, FIGURES };

/* The tables: all that the report says in numbers. */
typedef enum sheet { TIMES, AGREEMENT, OPERATIONS, CODE, INVERSES, PENDULUMS, SHEETS } sheet;

static const char *format_number(double v, char out[CELL])
{
  if (isnan(v)) {
    snprintf(out, CELL, "—");
  } else if (v != 0 && (fabs(v) < 1e-2 || fabs(v) >= 1e7)) {
    snprintf(out, CELL, "%.1e", v);
  } else {
    snprintf(out, CELL, fabs(v) >= 100 ? "%.0f" : "%.3g", v);
  }
  return out;
}

static void add_row(pki_table *table, const char *first, const double *values, int count)
{
  char text[COLUMNS][CELL];
  const char *cells[COLUMNS] = {first};
  for (int k = 0; k < count; k++) {
    cells[1 + k] = format_number(values[k], text[k]);
  }
  pki_table_row(table, cells);
}

/* --- tables ---------------------------------------------------------------------------- */

static void build_times(const pki_symbolic_data *d, pki_table *table)
{
  const char *heads[1 + PKI_SYMBOLIC_ENGINES] = {"µs for one robot"};
  memcpy(heads + 1, pki_symbolic_titles, sizeof pki_symbolic_titles);
  pki_table_begin(table, heads, 1 + PKI_SYMBOLIC_ENGINES);
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    char first[CELL];
    snprintf(first, sizeof first, "%d DOF: %s", d->sizes[i].dof, pki_symbolic_parts[i]);
    add_row(table, first, d->sizes[i].median, PKI_SYMBOLIC_ENGINES);
  }
  double slopes[PKI_SYMBOLIC_ENGINES], ratios[PKI_SYMBOLIC_ENGINES], off[PKI_SYMBOLIC_ENGINES];
  const double *t = d->sizes[WHOLE].median;
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    slopes[e] = d->lines[e].slope;
    off[e] = 100 * d->lines[e].off;
    ratios[e] = t[e] / t[PKI_SYMBOLIC_GENERATED];
  }
  add_row(table, "slope, µs/DOF", slopes, PKI_SYMBOLIC_ENGINES);
  add_row(table, "off the line, % of the largest", off, PKI_SYMBOLIC_ENGINES);
  add_row(table, "whole robot, over generated", ratios, PKI_SYMBOLIC_ENGINES);
}

static void build_agreement(const pki_symbolic_data *d, pki_table *table)
{
  static const char *const heads[4] = {"% from generated code", "by entry", "by state", "paper"};
  const pki_symbolic_size *s = &d->sizes[WHOLE];
  pki_table_begin(table, heads, 4);
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    if (e != PKI_SYMBOLIC_GENERATED) {
      add_row(table, pki_symbolic_titles[e],
              (const double[]){s->by_entry[e], s->by_state[e], e == PKI_SYMBOLIC_SIMBODY ? 1.9e-11 : NAN}, 3);
    }
  }
}

static void build_operations(const pki_symbolic_data *d, pki_table *table)
{
  static const char *const heads[9] = {"function",   "plain", "normal form", "simplified", "of plain, %",
                                       "statements", "alive", "sines",       "C, kB"};
  pki_table_begin(table, heads, 9);
  for (int i = 0; i < d->nfunction; i++) {
    const pki_symbolic_count *c = &d->functions[i];
    const double plain = c->plain, simple = c->simple;
    add_row(table, c->name,
            (const double[]){plain, c->normal, simple, 100 * simple / plain, c->statements, c->alive,
                             c->sines, 1e-3 * (double)c->bytes},
            8);
  }
}

static void build_code(const pki_symbolic_data *d, pki_table *table)
{
  static const char *const heads[9] = {"DOF",   "ABA plain",        "normal form", "simplified", "each DOF",
                                       "C, kB", "machine code, kB", "generate, s", "compile, s"};
  pki_table_begin(table, heads, 9);
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    const pki_symbolic_size *s = &d->sizes[i];
    const double simple = s->aba.simple;
    char first[CELL];
    snprintf(first, sizeof first, "%d", s->dof);
    add_row(table, first,
            (const double[]){s->aba.plain, s->aba.normal, simple, simple / s->dof, 1e-3 * s->source,
                             1e-3 * s->machine, s->generate, s->compile},
            8);
  }
}

static void build_pendulums(const pki_symbolic_data *d, pki_table *table)
{
  static const char *const heads[7] = {"dt",           "ΔE Robotran", "generic",  "generated",
                                       "RTF Robotran", "generic",     "generated"};
  pki_table_begin(table, heads, 7);
  for (int m = 0; m < 2; m++) {
    pki_table_group(table, m == 0 ? "Single pendulum" : "Double pendulum");
    for (int s = 0; s < PKI_PENDULUM_STEPS; s++) {
      const pki_pendulum_paper *p = &pki_pendulum_table[m][s];
      const pki_pendulum_cell *a = &d->generic[m][s], *b = &d->generated[m][s];
      char first[CELL];
      snprintf(first, sizeof first, "%.0e", pki_pendulum_dt[s]);
      add_row(table, first, (const double[]){p->energy, a->energy, b->energy, p->rtf, a->rtf, b->rtf}, 6);
    }
  }
}

static void build_inverses(const pki_symbolic_data *d, pki_table *table)
{
  pki_inverse_table(&d->inverse, table);
}

static void (*const builders[SHEETS])(const pki_symbolic_data *d, pki_table *table) = {
    build_times, build_agreement, build_operations, build_code, build_inverses, build_pendulums};

static const char left_out[] = "— at 18 and 21 DOF, and at dt 1e-06: left out by --quick.";

static const char *const titles[SHEETS] = {
    "Fig. 4: time of one forward dynamics of COMAN",
    "Average relative difference of accelerations from generated code, whole robot",
    "Operations of COMAN's functions",
    "What the code takes: operations of forward dynamics, all kernels with one lane",
    "Operations of inv(M) and of forward dynamics against links of a chain",
    "Table 1 with generated code",
};

/* --- words ----------------------------------------------------------------------------- */

/* What a reader of a table should know. */
static void describe_sheet(const pki_symbolic_data *d, sheet which, char *out, size_t size)
{
  const double *t = d->sizes[WHOLE].median;
  char a[CELL], b[CELL], aba[CELL], crba[CELL], least[CELL], here[2 * CELL + 64] = "";
  switch (which) {
  case TIMES:
    format_number(t[PKI_SYMBOLIC_SIMBODY] / t[PKI_SYMBOLIC_GENERATED], a);
    format_number(d->lines[PKI_SYMBOLIC_SIMBODY].slope / d->lines[PKI_SYMBOLIC_GENERATED].slope, b);
    if (isfinite(t[PKI_SYMBOLIC_SIMBODY] / t[PKI_SYMBOLIC_GENERATED])) {
      snprintf(here, sizeof here, " Here Simbody over generated code: %s and %s.", a, b);
    }
    snprintf(
        out, size,
        "The paper: Simbody takes 3.5 times as long as Robotran's generated code on the whole robot, its "
        "slope is about twice as steep, both grow linearly.%s Medians of rounds in which the engines take "
        "turns, states copied in included; times are those of this machine.",
        here);
    break;
  case AGREEMENT:
    snprintf(out, size,
             "By entry: mean over %d states and all coordinates of |a_i - b_i| / |b_i|; by state: mean over "
             "the states of "
             "|a - b| / |b|. The paper says \"the average relative difference\" and gives 1.9e-11 %%.",
             d->states);
    break;
  case OPERATIONS:
    snprintf(out, size,
             "Sums, products, reciprocals and roots. Plain: those of the numeric algorithm, one for one. "
             "Normal form: the "
             "graph folds constants and computes what is equal once. Simplified: rules of sines, common "
             "factors. Alive: "
             "values that wait for a later use, at most.");
    break;
  case CODE:
    snprintf(out, size, "Compiled by %s.",
             d->compiler[0] != '\0' ? d->compiler : "none: there is no compiler");
    break;
  case INVERSES:
    snprintf(out, size,
             "Floating point operations that the generic kernels with one lane execute, vectors by their "
             "elements. inv(M) by recursion "
             "over articulated bodies grows with N to the power %s at the end, by the factor of M with %s, "
             "dense with %s; forward "
             "dynamics with %s by articulated bodies, with %s by composite ones, which take fewer operations "
             "below %s links (the paper: 7 to 8).",
             format_number(pki_inverse_power(&d->inverse, PKI_INVERSE_RECURSIVE), a),
             format_number(pki_inverse_power(&d->inverse, PKI_INVERSE_FACTOR), b),
             format_number(pki_inverse_power(&d->inverse, PKI_INVERSE_DENSE), here),
             format_number(pki_inverse_power(&d->inverse, PKI_FORWARD_ABA), aba),
             format_number(pki_inverse_power(&d->inverse, PKI_FORWARD_CRBA), crba),
             format_number(pki_inverse_crossing(&d->inverse, PKI_FORWARD_ABA, PKI_FORWARD_CRBA), least));
    break;
  default:
    snprintf(out, size,
             "The same Runge-Kutta scheme of order 4 as in the study of pendulums, which tells of states and "
             "energies. "
             "Fig. 3: over 300 time units at dt 1e-2 the period is off by at most %s time units with "
             "generated code, "
             "%s with generic kernels; the paper: about 5e-9.",
             format_number(d->period_error[1], a), format_number(d->period_error[0], b));
  }
}

/* What there is to say of an engine: of a peer its version, of one without figures why; the same reason is told once. */
static const char *describe_engine(const pki_symbolic_data *d, int engine, char *out, size_t size)
{
  bool told = d->missing[engine][0] == '\0';
  for (int e = 0; e < engine; e++) {
    told = told || strcmp(d->missing[e], d->missing[engine]) == 0;
  }
  if (told) {
    return d->about[engine];
  }
  snprintf(out, size, "%s is left out: %s.", pki_symbolic_titles[engine], d->missing[engine]);
  return out;
}

/* Text in lines that fit a terminal. */
static void add_wrapped(pki_text *out, const char *text)
{
  enum { WIDTH = 96 };
  while (text[0] != '\0') {
    size_t n = strlen(text);
    if (n > WIDTH) {
      for (n = WIDTH; n > 0 && text[n] != ' '; n--) {}
      n = n > 0 ? n : strcspn(text, " ");
    }
    pki_text_addf(out, "  %.*s\n", (int)n, text);
    text += n + (text[n] == ' ');
  }
}

static void write_summary(const pki_symbolic_data *d, const pki_table *tables, pki_text *out)
{
  char text[1024];
  for (int i = 0; i < SHEETS; i++) {
    pki_text_addf(out, "%s%s\n\n", i > 0 ? "\n" : "", titles[i]);
    pki_table_text(&tables[i], "  ", true, out);
    pki_text_add(out, "\n");
    describe_sheet(d, (sheet)i, text, sizeof text);
    add_wrapped(out, text);
    for (int e = 0; i == TIMES && e < PKI_SYMBOLIC_ENGINES; e++) {
      add_wrapped(out, describe_engine(d, e, text, sizeof text));
    }
  }
  if (d->quick) {
    pki_text_addf(out, "  %s\n", left_out);
  }
}

/* --- plots ----------------------------------------------------------------------------- */

typedef struct plots {
  double dof[PKI_SYMBOLIC_SIZES], time[PKI_SYMBOLIC_ENGINES][PKI_SYMBOLIC_SIZES];
  double operations[3][PKI_SYMBOLIC_SIZES];
  double ends[2], paper[2], *error[2]; /* of the periods: [revolutions] */
  pki_svg_series times[PKI_SYMBOLIC_ENGINES], counts[3], periods[3];
  pki_svg_panel time_panels[2], count_panel, period_panel;
  pki_svg_figure figures[FIGURES];
  double links[PKI_INVERSE_SIZES];
  pki_svg_series inverses[PKI_INVERSE_WAYS];
  pki_svg_panel inverse_panel;
} plots;

static const pki_svg_axis degrees = {.label = "degrees of freedom", .least = 0, .most = 30};

/* Fig. 4 as the paper draws it, and Pronk's part of it again, which is low there. */
static void plot_times(const pki_symbolic_data *d, plots *p)
{
  int count = 0, mine = 0;
  double most[2] = {0, 0}; /* of all, of Pronk's */
  for (int e = 0; e < PKI_SYMBOLIC_ENGINES; e++) {
    if (d->missing[e][0] != '\0') {
      continue;
    }
    for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) { /* robots that were not timed leave gaps */
      p->time[e][i] = d->sizes[i].median[e];
      most[0] = fmax(most[0], p->time[e][i]);
      most[1] = e < PKI_SYMBOLIC_SIMBODY ? fmax(most[1], p->time[e][i]) : most[1];
    }
    p->times[count++] = (pki_svg_series){.name = pki_symbolic_titles[e],
                                         .x = p->dof,
                                         .y = p->time[e],
                                         .n = PKI_SYMBOLIC_SIZES,
                                         .style = PKI_SVG_LINE_POINTS,
                                         .color = e + 1};
    mine = e < PKI_SYMBOLIC_SIMBODY ? count : mine;
  }
  for (int k = 0; k < 2; k++) {
    p->time_panels[k] =
        (pki_svg_panel){.title = k == 0 ? "Time of one forward dynamics" : "The same: Pronk alone",
                        .x = degrees,
                        .y = {.label = "time", .unit = "µs", .most = 1.05 * most[k]},
                        .series = p->times,
                        .nseries = k == 0 ? count : mine};
  }
  p->figures[TIME] = (pki_svg_figure){.id = "time", .panels = p->time_panels, .npanels = 2};
}

/* What stands behind it. */
static void plot_operations(const pki_symbolic_data *d, plots *p)
{
  static const char *const forms[3] = {"plain", "normal form", "simplified"};
  for (int i = 0; i < PKI_SYMBOLIC_SIZES; i++) {
    const pki_symbolic_size *s = &d->sizes[i];
    p->dof[i] = s->dof;
    p->operations[0][i] = s->aba.plain;
    p->operations[1][i] = s->aba.normal;
    p->operations[2][i] = s->aba.simple;
  }
  for (int k = 0; k < 3; k++) {
    p->counts[k] = (pki_svg_series){.name = forms[k],
                                    .x = p->dof,
                                    .y = p->operations[k],
                                    .n = PKI_SYMBOLIC_SIZES,
                                    .style = PKI_SVG_LINE_POINTS};
  }
  p->count_panel = (pki_svg_panel){.title = "Operations of forward dynamics",
                                   .x = degrees,
                                   .y = {.label = "operations", .most = 1.05 * p->operations[0][WHOLE]},
                                   .series = p->counts,
                                   .nseries = 3};
  p->figures[COUNT] =
      (pki_svg_figure){.id = "operations", .panels = &p->count_panel, .npanels = 1, .width = 960};
}

/* Fig. 3: what cannot be seen in the period itself. */
static bool plot_periods(const pki_symbolic_data *d, plots *p)
{
  static const char *const names[2] = {"generic kernels", "generated code"};
  int count = 0;
  for (int way = 0; way < 2; way++) {
    const pki_pendulum_history *h = &d->rotation[way];
    p->error[way] = calloc((size_t)h->nperiod + 1, sizeof(double));
    if (p->error[way] == NULL) {
      return false;
    }
    for (int i = 0; i < h->nperiod; i++) {
      p->error[way][i] = fabs(h->period[i] - d->period);
    }
    if (h->nperiod > 0) {
      p->periods[count++] = (pki_svg_series){.name = names[way],
                                             .x = h->period_time,
                                             .y = p->error[way],
                                             .n = h->nperiod,
                                             .style = PKI_SVG_LINE_POINTS,
                                             .color = way + 1};
    }
  }
  p->ends[1] = 300;
  p->paper[0] = p->paper[1] = 5e-9;
  p->periods[count++] = (pki_svg_series){.name = "Robotran (paper: about 5e-9)",
                                         .x = p->ends,
                                         .y = p->paper,
                                         .n = 2,
                                         .color = 3,
                                         .style = PKI_SVG_DASHED};
  p->period_panel = (pki_svg_panel){
      .title = "Error of the period of a revolution",
      .x = {.label = "time", .unit = "time units", .least = 0, .most = 300},
      .y = {.label = "|T − theory|", .unit = "time units", .log = true, .least = 1e-14, .most = 1e-7},
      .series = p->periods,
      .nseries = count};
  p->figures[PERIOD] =
      (pki_svg_figure){.id = "period", .panels = &p->period_panel, .npanels = 1, .width = 960};
  return true;
}

/* Five lines over the links of a chain, both axes logarithmic: powers of N are slopes. */
static void plot_inverses(const pki_symbolic_data *d, plots *p)
{
  for (int i = 0; i < d->inverse.sizes; i++) {
    p->links[i] = pki_inverse_links[i];
  }
  for (int way = 0; way < PKI_INVERSE_WAYS; way++) {
    p->inverses[way] = (pki_svg_series){.name = pki_inverse_titles[way],
                                        .x = p->links,
                                        .y = d->inverse.flops[way],
                                        .n = d->inverse.sizes,
                                        .style = PKI_SVG_LINE_POINTS};
  }
  p->inverse_panel = (pki_svg_panel){.title = "Operations against links of a chain",
                                     .x = {.label = "links", .log = true, .least = 1, .most = 100},
                                     .y = {.label = "floating point operations", .log = true},
                                     .series = p->inverses,
                                     .nseries = PKI_INVERSE_WAYS};
  p->figures[INVERSE] =
      (pki_svg_figure){.id = "inverse", .panels = &p->inverse_panel, .npanels = 1, .width = 960};
}

/* --- files ----------------------------------------------------------------------------- */

static pk_status write_html(const pki_symbolic_data *d, const pki_table *tables, const plots *p,
                            const char *path, pk_error *err)
{
  char text[1024];
  pki_report report = {0};
  pki_report_begin(
      &report, "Symbolic dynamics: a humanoid's own equations",
      "Zobova, Habra, Van der Noot, Dallali, Tsagarakis, Fisette, Ronsse: Multi-physics modelling of a "
      "compliant humanoid robot, sections 3.1 and 3.2");
  for (int i = 0; i < SHEETS; i++) {
    pki_report_heading(&report, titles[i]);
    if (i == TIMES) {
      pki_report_figure(&report, &p->figures[TIME],
                        "Fig. 4: CPU time of generalized accelerations against degrees of freedom.");
    } else if (i == CODE) {
      pki_report_figure(&report, &p->figures[COUNT],
                        "Operations of the articulated-body algorithm for these robots.");
    } else if (i == INVERSES) {
      pki_report_figure(&report, &p->figures[INVERSE],
                        "What the inverse of M takes, and what forward dynamics take with and without M.");
    }
    pki_report_table(&report, &tables[i]);
    describe_sheet(d, (sheet)i, text, sizeof text);
    pki_report_paragraph(&report, text);
    for (int e = 0; i == TIMES && e < PKI_SYMBOLIC_ENGINES; e++) {
      const char *about = describe_engine(d, e, text, sizeof text);
      if (about[0] != '\0') {
        pki_report_note(&report, about);
      }
    }
  }
  if (d->quick) {
    pki_report_note(&report, left_out);
  }
  pki_report_figure(&report, &p->figures[PERIOD],
                    "Fig. 3 with generated code: error of the period over 300 time units.");
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}

static pk_status write_files(const pki_symbolic_data *d, const plots *p, const pki_study_options *options,
                             pki_study_result *result, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < FIGURES && status == PK_OK; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", options->folder, p->figures[i].id);
    status = pki_svg_save(&p->figures[i], path, err);
  }
  pki_table tables[SHEETS];
  for (int i = 0; i < SHEETS; i++) {
    builders[i](d, &tables[i]);
  }
  write_summary(d, tables, &result->summary);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  status = status == PK_OK ? write_html(d, tables, p, result->report, err) : status;
  for (int i = 0; i < SHEETS; i++) {
    pki_table_free(&tables[i]);
  }
  return status;
}

pk_status pki_symbolic_report(const pki_symbolic_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err)
{
  plots p = {0};
  plot_operations(d, &p);
  plot_times(d, &p);
  plot_inverses(d, &p);
  const pk_status status =
      plot_periods(d, &p) ? write_files(d, &p, options, result, err) : pki_fail_memory(err, NULL);
  free(p.error[0]);
  free(p.error[1]);
  return status;
}
