/* What the pendulum study leaves behind: the two plots of Fig. 3, the energy error, Table 1 as
 * the paper draws it, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/pendulum/pendulum.h"

enum { CELL = 32, COLUMNS = 11 };

/* "3e-8", "0.31", "21000", "—". */
static const char *format_number(double v, char out[CELL])
{
  if (isnan(v)) {
    snprintf(out, CELL, "—");
  } else if (v != 0 && (fabs(v) < 0.0999 || fabs(v) >= 1e6)) {
    char text[CELL];
    snprintf(text, sizeof text, "%.1e", v);
    const char *e = strchr(text, 'e');
    const int digits = (int)(e - text),
              whole = digits > 2 && strncmp(e - 2, ".0", 2) == 0 ? digits - 2 : digits;
    int exponent = 0;
    sscanf(e + 1, "%d", &exponent);
    snprintf(out, CELL, "%.*se%d", whole, text, exponent);
  } else {
    snprintf(out, CELL, fabs(v) >= 100 ? "%.0f" : "%.2g", v);
  }
  return out;
}

/* Table 1: the paper's value, then the measured one, for each quantity. */
static void build_table(const pki_pendulum_data *d, pki_table *table)
{
  static const char *const heads[COLUMNS] = {"dt",    "ΔE Robotran",   "Pronk", "RTF Robotran",
                                             "Pronk", "ΔE ODE paper",  "here",  "ΔAC ODE paper",
                                             "here",  "RTF ODE paper", "here"};
  static const char *const groups[2] = {
      "Single pendulum: 1 coordinate, no constraint (ODE: 7 coordinates, 6 constraints)",
      "Double pendulum: 2 coordinates, no constraint (ODE: 14 coordinates, 12 constraints)"};
  pki_table_begin(table, heads, COLUMNS);
  for (int m = 0; m < 2; m++) {
    pki_table_group(table, groups[m]);
    for (int s = 0; s < PKI_PENDULUM_STEPS; s++) {
      const pki_pendulum_paper *p = &pki_pendulum_table[m][s];
      const pki_pendulum_cell *a = &d->pronk[m][s], *b = &d->other[m][s];
      char text[COLUMNS][CELL];
      const char *cells[COLUMNS];
      const double values[COLUMNS] = {
          pki_pendulum_dt[s], p->energy,          a->energy,    p->rtf,       a->rtf, p->other_energy,
          b->energy,          p->other_violation, b->violation, p->other_rtf, b->rtf};
      for (int i = 0; i < COLUMNS; i++) {
        cells[i] = format_number(values[i], text[i]);
      }
      pki_table_row(table, cells);
    }
  }
}

static void describe_peer(const pki_pendulum_data *d, char *out, size_t size)
{
  if (d->peer == NULL) {
    snprintf(out, size, "%s.", pki_pendulum_no_peer);
  } else {
    snprintf(out, size, "ODE%s%s here: %s.", d->peer->version[0] ? " " : "", d->peer->version,
             d->peer_functions->settings);
  }
}

/* "— at dt 1e-6: left out by --quick." */
static void describe_left_out(char *out, size_t size)
{
  char step[CELL];
  snprintf(out, size, "— at dt %s: %s.", format_number(pki_pendulum_dt[PKI_PENDULUM_STEPS - 1], step),
           pki_pendulum_left_out);
}

static const char state_text[] =
    "State: hanging straight down, every body turning at 2.1; potential zero at the fixed axis; m2 = 2; "
    "gravity 1. ΔE = max |(E(t) - E(0)) / E(t)| over 10 time units; ΔAC = relative error of the distance "
    "from a "
    "body's axis to its COM; RTF = simulated over computing time, one time unit taken as one second.";

static void write_summary(const pki_pendulum_data *d, const pki_table *table, pki_text *out)
{
  char peer[256], left_out[96];
  describe_peer(d, peer, sizeof peer);
  describe_left_out(left_out, sizeof left_out);
  pki_text_add(out, "Table 1. Energy and constraint error of two pendulums\n\n");
  pki_table_text(table, "  ", true, out);
  pki_text_add(out,
               "\n  Hanging straight down, every body turning at 2.1; potential zero at the fixed axis;\n"
               "  m2 = 2. ΔE: largest relative energy error over 10 time units; ΔAC: of the distance\n"
               "  axis to COM; RTF: simulated over computing time (the paper's on its machine).\n");
  if (d->quick) {
    pki_text_addf(out, "  %s\n", left_out);
  }
  pki_text_addf(out, "  %s\n\n", peer);
  pki_text_add(out, "Fig. 3. The double pendulum turning as one, 300 time units, dt 1e-2\n\n");
  pki_text_addf(out, "  period in theory              %.12f   (paper 3.15)\n", d->period_agm);
  char text[CELL];
  pki_text_addf(out, "  largest error of the period   %-14s   (paper about 5e-9, %d revolutions)\n",
                format_number(d->period_error, text), d->rotation.nperiod);
  if (d->peer != NULL) {
    pki_text_addf(out, "  ODE: last revolution          %-14.6f   (paper: grows almost linearly)\n",
                  d->other_period);
    pki_text_addf(out, "  ODE: gap of heights to t = 80 %-14.2f   (of the span 2 l; paper: approaches 0.5)\n",
                  d->height_gap);
    pki_text_addf(out, "  ODE: half a turn apart at     %-14.1f   (paper 124)\n", d->antiphase);
  }
  pki_text_add(out,
               "\nBeyond the paper. Released at rest, first body level, second folded up, 10 time units\n\n");
  for (int s = 0; s < 2; s++) {
    char step[CELL];
    pki_text_addf(out, "  ΔE at dt %-21s%s\n", format_number(pki_pendulum_dt[s], step),
                  format_number(d->swing_energy[s], text));
  }
}

/* The three figures; arrays of the caller's, because the panels point into them. */
typedef struct plots {
  pki_svg_series period[3], error[2], height[2], energy[2];
  pki_svg_panel period_panels[2], height_panels[2], energy_panel;
  pki_svg_figure figures[3];
  double theory_x[2], theory_y[2], paper_y[2];
} plots;

/* All of the 300 time units. */
static const pki_svg_axis all_time = {.label = "time", .unit = "time units", .least = 0, .most = 300};

/* Left of Fig. 3, and what cannot be seen there: the error of Pronk's period. */
static void plot_periods(const pki_pendulum_data *d, double *absolute_error, plots *p)
{
  const pki_pendulum_history *a = &d->rotation, *b = &d->other_rotation;
  for (int i = 0; i < a->nperiod; i++) {
    absolute_error[i] = fabs(a->period[i] - d->period_agm);
  }
  p->theory_x[1] = 300;
  p->theory_y[0] = p->theory_y[1] = d->period_agm;
  p->paper_y[0] = p->paper_y[1] = 5e-9;
  p->period[0] = (pki_svg_series){
      .name = "Pronk", .x = a->period_time, .y = a->period, .n = a->nperiod, .style = PKI_SVG_LINE_POINTS};
  p->period[1] = (pki_svg_series){
      .name = "theory", .x = p->theory_x, .y = p->theory_y, .n = 2, .color = 7, .style = PKI_SVG_DASHED};
  p->period[2] = (pki_svg_series){.name = "ODE",
                                  .x = b->period_time,
                                  .y = b->period,
                                  .n = b->nperiod,
                                  .color = 2,
                                  .style = PKI_SVG_LINE_POINTS};
  p->period_panels[0] = (pki_svg_panel){.title = "Period of a revolution",
                                        .x = all_time,
                                        .y = {.label = "period", .unit = "time units"},
                                        .series = p->period,
                                        .nseries = 2 + (d->peer != NULL)};
  p->error[0] = (pki_svg_series){.name = "Pronk",
                                 .x = a->period_time,
                                 .y = absolute_error,
                                 .n = a->nperiod,
                                 .style = PKI_SVG_LINE_POINTS};
  p->error[1] = (pki_svg_series){.name = "Robotran (paper: about 5e-9)",
                                 .x = p->theory_x,
                                 .y = p->paper_y,
                                 .n = 2,
                                 .color = 3,
                                 .style = PKI_SVG_DASHED};
  p->period_panels[1] = (pki_svg_panel){
      .title = "Error of the period",
      .x = all_time,
      .y = {.label = "|T − theory|", .unit = "time units", .log = true, .least = 1e-14, .most = 1e-7},
      .series = p->error,
      .nseries = 2};
}

/* Right of Fig. 3: a stretch where the curves still meet, and one where they do not. */
static void plot_heights(const pki_pendulum_data *d, plots *p)
{
  const pki_pendulum_history *a = &d->rotation, *b = &d->other_rotation;
  p->height[0] = (pki_svg_series){.name = "Pronk", .x = a->time, .y = a->height, .n = a->n};
  p->height[1] =
      (pki_svg_series){.name = "ODE", .x = b->time, .y = b->height, .n = b->n, .style = PKI_SVG_DASHED};
  const double window[2][2] = {{0, 15}, {115, 130}};
  static const char *const titles[2] = {"Height of the first COM, at the start",
                                        "Around the paper's antiphase, t = 124"};
  for (int i = 0; i < 2; i++) {
    p->height_panels[i] = (pki_svg_panel){
        .title = titles[i],
        .x = {.label = "time", .unit = "time units", .least = window[i][0], .most = window[i][1]},
        .y = {.label = "height", .unit = "l", .least = -1.1, .most = 1.1},
        .series = p->height,
        .nseries = 1 + (d->peer != NULL)};
  }
}

static void plot_energy(const pki_pendulum_data *d, plots *p)
{
  const pki_pendulum_history *a = &d->rotation, *b = &d->other_rotation;
  p->energy[0] = (pki_svg_series){.name = "Pronk", .x = a->time, .y = a->energy_error, .n = a->n};
  p->energy[1] =
      (pki_svg_series){.name = "ODE", .x = b->time, .y = b->energy_error, .n = b->n, .style = PKI_SVG_LINE};
  p->energy_panel = (pki_svg_panel){.title = "Relative energy error",
                                    .x = all_time,
                                    .y = {.label = "|E(t) − E(0)| / E(t)", .log = true},
                                    .series = p->energy,
                                    .nseries = 1 + (d->peer != NULL)};
}

static void build_plots(const pki_pendulum_data *d, double *absolute_error, plots *p)
{
  plot_periods(d, absolute_error, p);
  plot_heights(d, p);
  plot_energy(d, p);
  p->figures[0] = (pki_svg_figure){.id = "period", .panels = p->period_panels, .npanels = 2};
  p->figures[1] = (pki_svg_figure){.id = "height", .panels = p->height_panels, .npanels = 2};
  p->figures[2] = (pki_svg_figure){.id = "energy", .panels = &p->energy_panel, .npanels = 1, .width = 960};
}

static pk_status write_html(const pki_pendulum_data *d, const pki_table *table, const plots *p,
                            const char *path, pk_error *err)
{
  static const char *const captions[3] = {
      "Fig. 3, left: period of a revolution, and the error of Pronk's period; the paper's: about 5e-9.",
      "Fig. 3, right: height of the first body's centre of mass.",
      "Energy over the 300 time units of Fig. 3."};
  char text[512];
  pki_report report = {0};
  pki_report_begin(
      &report, "Pendulums: relative against absolute coordinates",
      "Zobova, Habra, Van der Noot, Dallali, Tsagarakis, Fisette, Ronsse: Multi-physics modelling of a "
      "compliant humanoid robot, section 3.1");
  pki_report_heading(&report, "Table 1: energy and constraint error");
  pki_report_table(&report, table);
  pki_report_paragraph(&report, state_text);
  if (d->quick) {
    describe_left_out(text, sizeof text);
    pki_report_paragraph(&report, text);
  }
  describe_peer(d, text, sizeof text);
  pki_report_paragraph(&report, text);
  pki_report_heading(&report, "Fig. 3: the period over 300 time units");
  snprintf(text, sizeof text,
           "The two bodies turn as one. Period in theory: %.12f time units (elliptic integral by the "
           "arithmetic-geometric mean; the paper prints 3.15). Largest error of Pronk's period over %d "
           "revolutions: "
           "%.1e time units.",
           d->period_agm, d->rotation.nperiod, d->period_error);
  pki_report_paragraph(&report, text);
  for (int i = 0; i < 3; i++) {
    pki_report_figure(&report, &p->figures[i], captions[i]);
  }
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}

pk_status pki_pendulum_report(const pki_pendulum_data *data, const pki_study_options *options,
                              pki_study_result *result, pk_error *err)
{
  enum { REVOLUTIONS_MAX = 4000 };
  double absolute_error[REVOLUTIONS_MAX];
  if (data->rotation.nperiod > REVOLUTIONS_MAX) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "more revolutions than a plot can show");
  }
  plots p = {0};
  build_plots(data, absolute_error, &p);
  pk_status status = PK_OK;
  for (int i = 0; i < 3 && status == PK_OK; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", options->folder, p.figures[i].id);
    status = pki_svg_save(&p.figures[i], path, err);
  }
  pki_table table;
  build_table(data, &table);
  write_summary(data, &table, &result->summary);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  status = status == PK_OK ? write_html(data, &table, &p, result->report, err) : status;
  pki_table_free(&table);
  return status;
}
