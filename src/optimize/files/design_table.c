/* Design parameters as they were found, for the terminal, the report and summary.json. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimize/files/motion_files.h"
#include "optimize/motion/design.h"

static const char *show(char *cell, size_t size, double value, const char *format)
{
  if (isfinite(value)) {
    snprintf(cell, size, format, value);
  } else {
    snprintf(cell, size, "-");
  }
  return cell;
}

/* How much more than at the optimum, in per cent. */
static double per_cent(double value, double optimum)
{
  return optimum != 0 ? 100 * (value - optimum) / fabs(optimum) : NAN;
}

double pki_design_rate(const pki_design_result *d, double below, double above)
{
  return (above - below) / (d->at[1] - d->at[0]);
}

static const char *place_of(const pki_motion_design *row, double value)
{
  const double near = 1e-3 * (row->upper - row->lower);
  return row->lower == row->upper     ? "fixed"
         : value <= row->lower + near ? "at its lower bound"
         : value >= row->upper - near ? "at its upper bound"
                                      : "inside its bounds";
}

void pki_design_table(const pki_motion_problem *problem, const pki_motion_solution *solution, pki_table *out)
{
  pki_table_begin(out,
                  (const char *const[]){"parameter", "of", "value", "unit", "where", "slope of the objective",
                                        "tried", "objective %", "heat %", "tried", "objective %", "heat %"},
                  12);
  for (int i = 0; i < solution->ndesign; i++) {
    const pki_motion_design *row = &problem->designs[i];
    const pki_design_result *d = &solution->design[i];
    char cell[8][32];
    show(cell[0], 32, d->value, "%.5g");
    show(cell[1], 32, d->slope, "%.3g");
    for (int side = 0; side < 2; side++) {
      const pki_motion_costs *c = &d->scanned[side];
      show(cell[2 + 3 * side], 32, d->at[side], "%.5g");
      show(cell[3 + 3 * side], 32, per_cent(c->objective, solution->objective), "%+.3g");
      show(cell[4 + 3 * side], 32, per_cent(c->joule, solution->joule), "%+.3g");
    }
    pki_table_row(out, (const char *const[]){pki_design_words[row->kind], row->name, cell[0],
                                             pki_design_unit(row->kind), place_of(row, d->value), cell[1],
                                             cell[2], cell[3], cell[4], cell[5], cell[6], cell[7]});
  }
}

/* ---- JSON ---- */

static void add_key(pki_text *out, const char *key, double value, bool last)
{
  pki_text_addf(out, "\"%s\": ", key);
  pki_text_add_json_number(out, value);
  pki_text_add(out, last ? "" : ", ");
}

static void add_costs(pki_text *out, double at, const pki_motion_costs *c)
{
  pki_text_add(out, "{");
  add_key(out, "value", at, false);
  add_key(out, "objective", c->objective, false);
  add_key(out, "joule_per_metre", c->joule, false);
  add_key(out, "cost_of_transport", c->work, false);
  add_key(out, "torque_squared", c->torque, false);
  add_key(out, "line_margin", c->line_margin, false);
  add_key(out, "torque_margin", c->torque_margin, true);
  pki_text_add(out, "}");
}

/* Differences of the two problems that were solved again, for each unit of the parameter. */
static void add_rates(pki_text *out, const pki_design_result *d)
{
  const pki_motion_costs *below = &d->scanned[0], *above = &d->scanned[1];
  pki_text_add(out, "{");
  add_key(out, "joule_per_metre", pki_design_rate(d, below->joule, above->joule), false);
  add_key(out, "cost_of_transport", pki_design_rate(d, below->work, above->work), false);
  add_key(out, "line_margin", pki_design_rate(d, below->line_margin, above->line_margin), false);
  add_key(out, "torque_margin", pki_design_rate(d, below->torque_margin, above->torque_margin), true);
  pki_text_add(out, "}");
}

void pki_design_json(const pki_motion_problem *problem, const pki_motion_solution *solution, pki_text *out)
{
  pki_text_add(out, "  \"design\": [\n");
  for (int i = 0; i < solution->ndesign; i++) {
    const pki_motion_design *row = &problem->designs[i];
    const pki_design_result *d = &solution->design[i];
    const double h = (d->at[1] - d->at[0]) / 2;
    pki_text_add(out, "    {\"what\": ");
    pki_text_add_json_string(out, pki_design_words[row->kind]);
    pki_text_add(out, ", \"of\": ");
    pki_text_add_json_string(out, row->name);
    pki_text_add(out, ", \"unit\": ");
    pki_text_add_json_string(out, pki_design_unit(row->kind));
    pki_text_add(out, ", ");
    add_key(out, "value", d->value, false);
    add_key(out, "lower", row->lower, false);
    add_key(out, "upper", row->upper, false);
    pki_text_addf(out, "\"where\": \"%s\", ", place_of(row, d->value));
    add_key(out, "slope", d->slope, false);
    add_key(out, "curvature",
            (d->scanned[1].objective - 2 * solution->objective + d->scanned[0].objective) / (h * h), false);
    pki_text_add(out, "\"below\": ");
    add_costs(out, d->at[0], &d->scanned[0]);
    pki_text_add(out, ", \"above\": ");
    add_costs(out, d->at[1], &d->scanned[1]);
    pki_text_add(out, ", \"rates\": ");
    add_rates(out, d);
    pki_text_addf(out, "}%s\n", i + 1 < solution->ndesign ? "," : "");
  }
  pki_text_add(out, "  ],\n");
}
