/* grid.csv and the report of a grid: costs over speed, line by line, and the best of each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "optimize/files/gait_grid.h"
#include "report/report.h"

enum { LINES = 14, QUANTITIES = 5 };

/* ---- quantities ---- */

static double objective_of(const pki_gait_cell *c)
{
  return c->objective;
}

static double transport_of(const pki_gait_cell *c)
{
  return c->figures.cost_of_transport;
}

static double joule_of(const pki_gait_cell *c)
{
  return c->figures.joule_cost;
}

static double stability_of(const pki_gait_cell *c)
{
  return c->figures.stability;
}

static double friction_of(const pki_gait_cell *c)
{
  return c->figures.friction_used;
}

static const struct {
  const char *id, *title, *unit;
  double (*of)(const pki_gait_cell *cell);
} quantities[QUANTITIES] = {{"transport", "Cost of transport", "", transport_of},
                            {"objective", "Objective", "", objective_of},
                            {"joule", "Joule heat for each weight and metre", "", joule_of},
                            {"stability", "Least S_H", "kg m²/s", stability_of},
                            {"friction", "Friction used", "", friction_of}};

/* ---- grid.csv ---- */

static void add_real(pki_text *out, double value)
{
  char text[PKI_REAL_TEXT];
  pki_text_addf(out, ",%s", isfinite(value) ? pki_format_real(value, text) : "");
}

/* A cell of CSV: in quotes, quotes doubled. */
static void add_quoted(pki_text *out, const char *text)
{
  pki_text_add(out, ",\"");
  for (const char *c = text; *c != '\0'; c++) {
    pki_text_addf(out, *c == '"' ? "\"\"" : "%c", *c == '\n' ? ' ' : *c);
  }
  pki_text_add(out, "\"");
}

pk_status pki_gait_grid_csv_save(const pki_gait_grid *grid, const char *path, pk_error *err)
{
  pki_text out = {0};
  for (int i = 0; i < grid->naxis; i++) {
    pki_text_addf(&out, "%s,", grid->axes[i].key);
  }
  pki_text_add(
      &out,
      "solved,objective,forward_speed,froude,stride,period,cost_of_transport,joule_per_metre,joule_cost,"
      "stability,friction_used,iterations,seconds,folder,message\n");
  for (int i = 0; i < grid->count; i++) {
    const pki_gait_cell *c = &grid->cells[i];
    const bool found = c->found;
    for (int k = 0; k < grid->naxis; k++) {
      pki_text_addf(&out, "%s,", grid->axes[k].text[pki_gait_grid_at(grid, i, k)]);
    }
    pki_text_addf(&out, "%d", c->solved);
    const double values[] = {c->objective,
                             c->figures.speed,
                             c->figures.froude,
                             c->stride,
                             c->period,
                             c->figures.cost_of_transport,
                             c->joule,
                             c->figures.joule_cost,
                             c->figures.stability,
                             c->figures.friction_used};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      add_real(&out, found ? values[k] : NAN);
    }
    pki_text_addf(&out, ",%d", c->iterations);
    add_real(&out, c->seconds);
    pki_text_addf(&out, ",%s", c->folder);
    add_quoted(&out, c->told);
    pki_text_add(&out, "\n");
  }
  const pk_status status = pki_text_save(&out, path, err);
  pki_text_free(&out);
  return status;
}

/* ---- the report ---- */

/* The cells that differ in the value of one axis alone: the first of each such line. */
static int list_lines(const pki_gait_grid *grid, int axis, int first[LINES])
{
  int count = 0;
  for (int i = 0; i < grid->count && count < LINES; i++) {
    if (pki_gait_grid_at(grid, i, axis) == 0) {
      first[count++] = i;
    }
  }
  return count;
}

/* The cell of the line of `cell` at another value of the axis. */
static int step_along(const pki_gait_grid *grid, int cell, int axis, int at)
{
  int stride = 1;
  for (int i = grid->naxis - 1; i > axis; i--) {
    stride *= grid->axes[i].count;
  }
  return cell + (at - pki_gait_grid_at(grid, cell, axis)) * stride;
}

static void add_quantity(pki_report *report, const pki_gait_grid *grid, int axis, int which)
{
  const pki_gait_axis *a = &grid->axes[axis];
  double y[LINES][PKI_GAIT_VALUES];
  char label[LINES][96];
  pki_svg_series series[LINES];
  int first[LINES];
  bool any = false;
  const int lines = list_lines(grid, axis, first);
  for (int l = 0; l < lines; l++) {
    for (int k = 0; k < a->count; k++) {
      const pki_gait_cell *c = &grid->cells[step_along(grid, first[l], axis, k)];
      y[l][k] = c->solved ? quantities[which].of(c) : NAN;
      any = any || isfinite(y[l][k]);
    }
    pki_gait_grid_label(grid, first[l], axis, label[l], sizeof label[l]);
    series[l] = (pki_svg_series){.name = label[l][0] != '\0' ? label[l] : NULL,
                                 .x = a->value,
                                 .y = y[l],
                                 .n = a->count,
                                 .style = PKI_SVG_LINE_POINTS};
  }
  if (!any) {
    return;
  }
  const pki_svg_panel panel = {.title = quantities[which].title,
                               .x = {.label = a->key},
                               .y = {.label = quantities[which].title, .unit = quantities[which].unit},
                               .series = series,
                               .nseries = lines};
  pki_report_panel(
      report, &(pki_svg_figure){
                  .id = quantities[which].id, .panels = &panel, .npanels = 1, .width = 480, .height = 320});
}

/* The best at each value of the axis. */
static void add_best(pki_report *report, const pki_gait_grid *grid, int axis)
{
  pki_table t;
  pki_table_begin(&t,
                  (const char *const[]){grid->axes[axis].key, "best", "objective", "cost of transport",
                                        "period s", "least S_H"},
                  6);
  for (int k = 0; k < grid->axes[axis].count; k++) {
    const int best = pki_gait_grid_best(grid, axis, k);
    char cell[4][32] = {"-", "-", "-", "-"}, label[96] = "none was solved";
    if (best >= 0) {
      const pki_gait_cell *c = &grid->cells[best];
      const double values[4] = {c->objective, c->figures.cost_of_transport, c->period, c->figures.stability};
      pki_gait_grid_label(grid, best, axis, label, sizeof label);
      for (int i = 0; i < 4; i++) {
        snprintf(cell[i], 32, isfinite(values[i]) ? "%.5g" : "-", values[i]);
      }
    }
    pki_table_row(&t,
                  (const char *const[]){grid->axes[axis].text[k], label, cell[0], cell[1], cell[2], cell[3]});
  }
  pki_report_section(report, "best", "The best of each");
  pki_report_table(report, &t);
  pki_table_free(&t);
}

static void add_cells(pki_report *report, const pki_gait_grid *grid)
{
  pki_table t;
  pki_table_begin(&t,
                  (const char *const[]){"problem", "objective", "speed m/s", "cost of transport", "least S_H",
                                        "iterations", "s", "outcome"},
                  8);
  for (int i = 0; i < grid->count; i++) {
    const pki_gait_cell *c = &grid->cells[i];
    char cell[6][32] = {"-", "-", "-", "-", "-", "-"}, label[96];
    pki_gait_grid_label(grid, i, -1, label, sizeof label);
    const double values[6] = {c->objective,         c->figures.speed, c->figures.cost_of_transport,
                              c->figures.stability, c->iterations,    c->seconds};
    for (int k = 0; k < 6 && c->found; k++) {
      snprintf(cell[k], 32, isfinite(values[k]) ? "%.5g" : "-", values[k]);
    }
    pki_table_row(&t, (const char *const[]){label, cell[0], cell[1], cell[2], cell[3], cell[4], cell[5],
                                            c->solved ? "solved" : c->told});
  }
  pki_report_section(report, "problems", "All problems");
  pki_report_table(report, &t);
  pki_report_note(report, "Each has a folder of its own beside this page, with its own report.");
  pki_table_free(&t);
}

pk_status pki_gait_grid_report_save(const pki_gait_grid *grid, const char *title, const char *about,
                                    const char *path, pk_error *err)
{
  pki_report report = {0};
  const int axis = pki_gait_grid_line(grid);
  pki_report_begin(&report, title, about);
  pki_report_contents(&report);
  if (axis >= 0) {
    pki_report_section(&report, "map", "Costs");
    pki_report_panels_begin(&report);
    for (int i = 0; i < QUANTITIES; i++) {
      add_quantity(&report, grid, axis, i);
    }
    pki_report_panels_end(&report, "Problems that were not solved leave gaps.");
    add_best(&report, grid, axis);
  }
  add_cells(&report, grid);
  const pk_status status = pki_report_save(&report, path, err);
  pki_report_free(&report);
  return status;
}
