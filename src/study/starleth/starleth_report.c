/* What the StarLETH study leaves behind: Table 1, Fig. 5 to 7 and the rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/starleth/starleth.h"
#include "study/study_tables.h"

enum { CELL = 32, COLUMNS = 12, SERIES = 3 * PKI_STARLETH_PAPER + 1, NOTE = 400 };

static const char *format_number(double v, char out[CELL])
{
  if (isnan(v)) {
    snprintf(out, CELL, "—");
  } else if (v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e6)) {
    snprintf(out, CELL, "%.1e", v);
  } else {
    snprintf(out, CELL, fabs(v) >= 100 ? "%.0f" : "%.2g", v);
  }
  return out;
}

/* --- tables ---------------------------------------------------------------------------- */

static void build_table(const pki_starleth_data *d, pki_table *table)
{
  static const char *const heads[COLUMNS] = {"",     "coordinates", "scheme",         "α",    "eval/s paper",
                                             "here", "with G",      "over HmJ paper", "here", "RTF paper",
                                             "here", "sweeps"};
  const double hmj = d->trots[PKI_STARLETH_HMJ].rate, paper = pki_starleth_configs[PKI_STARLETH_HMJ].rate;
  pki_table_begin(table, heads, COLUMNS);
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    const pki_starleth_config *c = &pki_starleth_configs[i];
    const pki_starleth_trot *t = &d->trots[i];
    const bool own = i == PKI_STARLETH_DEFAULT;
    const double values[COLUMNS] = {0,
                                    0,
                                    0,
                                    c->alpha > 0 ? c->alpha : NAN,
                                    c->rate,
                                    t->rate,
                                    t->form_rate[PKI_STARLETH_IMPULSES],
                                    c->rate / paper,
                                    t->rate / hmj,
                                    c->rtf,
                                    t->rtf,
                                    c->hard ? t->iterations : NAN};
    char text[COLUMNS][CELL];
    const char *cells[COLUMNS];
    for (int k = 3; k < COLUMNS; k++) {
      cells[k] = format_number(values[k], text[k]);
    }
    snprintf(text[2], CELL, "%s%s",
             own        ? "auto"
             : !c->hard ? "compliant"
             : c->sor   ? "SOR"
                        : "JOR",
             c->set == PKI_STARLETH_MINIMAL ? ""
             : c->prox                      ? ", prox"
                                            : ", direct");
    cells[0] = c->name, cells[1] = pki_starleth_set_names[c->set], cells[2] = text[2];
    pki_table_row(table, cells);
  }
}

static bool is_drawn(const pki_study_row *row)
{
  return strncmp(row->id, "table1", 6) == 0 || strncmp(row->id, "fig7", 4) == 0;
}

/* Rows of all sections but Table 1 and Fig. 7, which are drawn. A terminal gets what was measured, without notes. */
static void build_rows(const pki_study_result *result, bool notes, pki_table *table)
{
  const pki_study_rows_style style = {.heads = {"", "paper", "measured", "unit", "why"},
                                      .notes = notes,
                                      .number = format_number,
                                      .is_left_out = is_drawn};
  pki_study_rows_table(result, &style, table);
}

/* Where a configuration's speed relative to HmJ is more than a factor of 2 from the paper's, and why. */
static bool differs_from_paper(const pki_starleth_data *d, int i)
{
  const double paper = pki_starleth_configs[i].rate / pki_starleth_configs[PKI_STARLETH_HMJ].rate;
  const double ours = d->trots[i].rate / d->trots[PKI_STARLETH_HMJ].rate;
  return i == PKI_STARLETH_DEFAULT || !(ours > paper / 2 && ours < 2 * paper);
}

static void write_summary(const pki_starleth_data *d, const pki_table *table, const pki_table *rows,
                          pki_text *out)
{
  pki_text_addf(out, "Table 1. %g s of trot in twelve ways, one controller, one tuning\n\n", 0.8 * d->cycles);
  pki_table_text(table, "  ", true, out);
  pki_text_add(
      out, "\n  eval/s: steps per second without the controller's time, iterating in velocities; with G: in\n"
           "  impulses. RTF: simulated over computing time. sweeps: iterations of one step. The machines\n"
           "  differ: what compares is the speed over HmJ's.\n");
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    if (differs_from_paper(d, i)) {
      char text[NOTE];
      pki_starleth_explain_rate(d, i, text, sizeof text);
      pki_text_addf(out, "  %s: %s.\n", pki_starleth_configs[i].name, text);
    }
  }
  pki_text_add(out, "\n");
  pki_table_text(rows, "  ", true, out);
}

/* --- figures --------------------------------------------------------------------------- */

/* Arrays of the caller's, because the panels point into them. */
typedef struct plots {
  pki_svg_series force[2][PKI_STARLETH_CURVES], sweep[2][SERIES];
  pki_svg_panel force_panels[2], sweep_panels[2];
  pki_svg_figure figures[2];
  double alpha[PKI_STARLETH_ALPHAS], chosen[PKI_STARLETH_PAPER], at_chosen[PKI_STARLETH_PAPER];
  double limit[PKI_STARLETH_PAPER][2],
      at_limit[PKI_STARLETH_PAPER][2]; /* the paper's, as a line of two points */
} plots;

static void plot_forces(const pki_starleth_data *d, plots *p)
{
  /* hard with Cm; then hard with the two damped ones */
  static const int which[2][3] = {{0, 1, -1}, {1, PKI_STARLETH_DAMPED, 4}};
  static const char *const titles[2] = {"Compliant and hard", "Ten times the damping"};
  for (int k = 0; k < 2; k++) {
    int n = 0;
    for (int i = 0; i < 3 && which[k][i] >= 0; i++) {
      const pki_starleth_curve *c = &d->curves[which[k][i]];
      p->force[k][n] =
          (pki_svg_series){.name = c->name, .x = c->time, .y = c->force, .n = c->n, .color = which[k][i] + 1};
      n++;
    }
    p->force_panels[k] =
        (pki_svg_panel){.title = titles[k],
                        .x = {.label = "time since landing", .unit = "s", .least = 0, .most = 0.8},
                        .y = {.label = "normal force", .unit = "N"},
                        .series = p->force[k],
                        .nseries = n};
  }
  p->figures[0] = (pki_svg_figure){.id = "force", .panels = p->force_panels, .npanels = 2};
}

/* A configuration's curve, the point of Table 1, and the paper's limit from the fewest to the most iterations; returns how
 * many series that are. */
static int plot_sweep(const pki_starleth_data *d, int i, int colour, plots *p, pki_svg_series *s)
{
  const pki_starleth_config *c = &pki_starleth_configs[i];
  const double *y = d->sweeps[i].iterations;
  double *ends = p->at_limit[i];
  ends[0] = INFINITY, ends[1] = 0;
  for (int k = 0; k < PKI_STARLETH_ALPHAS && !isnan(y[k]); k++) {
    ends[0] = fmin(ends[0], y[k]), ends[1] = fmax(ends[1], y[k]);
  }
  p->limit[i][0] = p->limit[i][1] = 2 * c->alpha;
  p->chosen[i] = c->alpha;
  p->at_chosen[i] = y[(int)lround(10 * c->alpha) - 1];
  s[0] = (pki_svg_series){.name = c->name, .x = p->alpha, .y = y, .n = PKI_STARLETH_ALPHAS, .color = colour};
  s[1] = (pki_svg_series){
      .x = &p->chosen[i], .y = &p->at_chosen[i], .n = 1, .style = PKI_SVG_POINTS, .color = colour};
  s[2] = (pki_svg_series){.x = p->limit[i], .y = ends, .n = 2, .style = PKI_SVG_DASHED, .color = colour};
  return 3;
}

static void plot_sweeps(const pki_starleth_data *d, plots *p)
{
  static const char *const others[2] = {"HMJD, eliminated", "HmS, normal before tangents"};
  const pki_starleth_sweep *other[2] = {&d->eliminated_sweep, &d->fine_sweep};
  for (int k = 0; k < PKI_STARLETH_ALPHAS; k++) {
    p->alpha[k] = 0.1 * (k + 1);
  }
  for (int sor = 0; sor < 2; sor++) {
    pki_svg_series *s = p->sweep[sor];
    int n = 0, colour = 0;
    for (int i = PKI_STARLETH_HMJ; i < PKI_STARLETH_PAPER; i++) {
      if (pki_starleth_configs[i].sor == (sor == 1) && !isnan(d->sweeps[i].limit)) {
        n += plot_sweep(d, i, ++colour, p, s + n);
      }
    }
    if (!isnan(other[sor]->limit)) {
      s[n++] = (pki_svg_series){.name = others[sor],
                                .x = p->alpha,
                                .y = other[sor]->iterations,
                                .n = PKI_STARLETH_ALPHAS,
                                .color = colour + 1};
    }
    p->sweep_panels[sor] = (pki_svg_panel){.title = sor ? "SOR" : "JOR",
                                           .x = {.label = "α", .least = 0, .most = 2.1},
                                           .y = {.label = "iterations of one step", .log = true},
                                           .series = s,
                                           .nseries = n};
  }
  p->figures[1] = (pki_svg_figure){.id = "iterations", .panels = p->sweep_panels, .npanels = 2};
}

static void report_table(const pki_starleth_data *d, const pki_table *table, pki_report *report)
{
  pki_report_heading(report, "Table 1: speed");
  pki_report_table(report, table);
  pki_report_paragraph(
      report,
      "eval/s: steps per second without the controller's time, the median of the gait cycles, all "
      "configurations in turn, iterating in velocities (equations 17 to 19); with G: iterating in "
      "impulses. RTF: simulated over computing time. sweeps: mean iterations of one step. The machines "
      "differ: what compares is the speed over HmJ's.");
  for (int i = 0; i < PKI_STARLETH_CONFIGS; i++) {
    if (differs_from_paper(d, i)) {
      char text[NOTE], line[NOTE + 32];
      pki_starleth_explain_rate(d, i, text, sizeof text);
      snprintf(line, sizeof line, "%s: %s.", pki_starleth_configs[i].name, text);
      pki_report_paragraph(report, line);
    }
  }
}

static pk_status write_html(const pki_starleth_data *d, const pki_table *table, const pki_table *rows,
                            const plots *p, const pki_text *bars, const char *path, pk_error *err)
{
  pki_report report = {0};
  pki_report_begin(
      &report, "StarLETH: Moreau's time-stepping scheme in eleven ways",
      "Gehring, Diethelm, Siegwart, Nützi, Leine: An evaluation of Moreau's time-stepping scheme for "
      "the simulation of a legged robot (2014)");
  if (d->quick) {
    pki_report_paragraph(&report, "A quick run: short trots, fewer stretches. — marks what was left out.");
  }
  report_table(d, table, &report);
  pki_report_heading(&report, "Fig. 5: normal force of the left fore foot");
  pki_report_figure(&report, &p->figures[0],
                    "One cycle of the trot from a landing on. Right: ten times the damping along the normal "
                    "at a quarter of the step, "
                    "and in all directions at an eighth; the paper's text has no number of this figure.");
  pki_report_heading(&report, "Fig. 6: iterations against α");
  pki_report_figure(
      &report, &p->figures[1],
      "Mean iterations of one step in 0.6 s of trot. Points: Table 1's α. Lines end at the largest α at "
      "which every step converged; dashed, the paper's, twice its α.");
  pki_report_heading(&report, "Fig. 7: time of one step");
  pki_text_add(&report.html, "<figure>\n");
  pki_text_add(&report.html, bars->data != NULL ? bars->data : "");
  pki_text_add(&report.html,
               "<figcaption>Mean and standard deviation over the trot, µs, without the controller. Cut "
               "bars are longer than shown. Lines: the paper's step, scaled so that its HmJ is as long as "
               "here.</figcaption>\n</figure>\n");
  pki_report_heading(&report, "Everything else");
  pki_report_table(&report, rows);
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}

static pk_status save_figures(const plots *p, const pki_text *bars, const char *folder, pk_error *err)
{
  char path[4096];
  pk_status status = PK_OK;
  for (int i = 0; i < 2 && status == PK_OK; i++) {
    snprintf(path, sizeof path, "%s/%s.svg", folder, p->figures[i].id);
    status = pki_svg_save(&p->figures[i], path, err);
  }
  snprintf(path, sizeof path, "%s/time.svg", folder);
  return status == PK_OK ? pki_text_save(bars, path, err) : status;
}

pk_status pki_starleth_report(const pki_starleth_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err)
{
  plots p = {0};
  pki_text bars = {0};
  pki_table table, rows, short_rows;
  plot_forces(d, &p);
  plot_sweeps(d, &p);
  pki_starleth_bars(d, &bars);
  build_table(d, &table);
  build_rows(result, true, &rows);
  build_rows(result, false, &short_rows);
  write_summary(d, &table, &short_rows, &result->summary);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  pk_status status = save_figures(&p, &bars, options->folder, err);
  status = status == PK_OK ? write_html(d, &table, &rows, &p, &bars, result->report, err) : status;
  pki_table_free(&table);
  pki_table_free(&rows);
  pki_table_free(&short_rows);
  pki_text_free(&bars);
  return status;
}
