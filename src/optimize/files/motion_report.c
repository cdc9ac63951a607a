/* report.html of a motion: what it is, how it was found, how stable it is. */
#include "optimize/files/motion_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/design.h"

enum { SERIES = 16 };

/* ---- panels over time ---- */

void pki_motion_page_panel(pki_motion_page *page, const char *id, const char *title, pki_svg_axis y,
                           const pki_svg_series *series, int nseries)
{
  pki_svg_series all[SERIES + 1];
  double *bound_y = NULL;
  const int n = 3 * page->course->whole.nphase;
  nseries = nseries < SERIES ? nseries : SERIES;
  memcpy(all, series, (size_t)nseries * sizeof *all);
  pki_svg_panel panel = {.title = title, .x = {.label = "time", .unit = "s"}, .y = y, .series = all};
  panel.nseries = nseries;
  double least, most;
  pki_svg_range(&panel, true, &least, &most);
  bound_y = calloc((size_t)n + 1, sizeof *bound_y);
  if (bound_y == NULL) {
    page->report.html.failed = true;
    return;
  }
  for (int i = 0; i < n; i++) {
    bound_y[i] = i % 3 == 0 ? least : i % 3 == 1 ? most : NAN;
  }
  if (!y.log) {
    panel.y.least = least, panel.y.most = most;
    all[panel.nseries++] =
        (pki_svg_series){.x = page->bound_x, .y = bound_y, .n = n, .style = PKI_SVG_DASHED, .color = 7};
  }
  pki_report_panel(&page->report,
                   &(pki_svg_figure){.id = id, .panels = &panel, .npanels = 1, .width = 360, .height = 260});
  free(bound_y);
}

/* ---- facts ---- */

static void add_fact(pki_table *t, const char *name, double value, const char *unit)
{
  char text[64];
  if (!isnan(value)) {
    snprintf(text, sizeof text, "%.5g%s%s", value, unit[0] != '\0' ? " " : "", unit);
    pki_table_row(t, (const char *const[]){name, text});
  }
}

static void add_facts(pki_motion_page *page)
{
  const pki_motion_solution *s = page->solution, *w = &page->course->whole;
  const pki_motion_figures *f = &page->figures;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"quantity", "value"}, 2);
  const pki_motion_stage *last = s->nstage > 0 ? &s->stages[s->nstage - 1] : NULL;
  const char *end = s->solved ? "solved" : last != NULL ? pki_nlp_end_word(last->result.end) : "not solved";
  pki_table_row(&t, (const char *const[]){"outcome", end});
  add_fact(&t, "objective", s->objective, "");
  add_fact(&t, "speed", f->speed, "m/s");
  add_fact(&t, "stride", isnan(f->speed) ? NAN : w->stride, "m");
  add_fact(&t, "period", w->period, "s");
  add_fact(&t, "Froude number v²/(g h)", f->froude, "");
  add_fact(&t, "cost of transport J_e2, ∫Σ|τ q'| dt / (m g d)", f->cost_of_transport, "");
  add_fact(&t, "Joule heat J_e1", w->joule, "J/m");
  add_fact(&t, "Joule heat for each weight and metre", f->joule_cost, "");
  add_fact(&t, "∫Στ² dt", w->torque, "N² m² s");
  add_fact(&t, "least S_H", f->stability, "kg m²/s");
  add_fact(&t, "friction used, largest", page->course->gait->problem.nfoot > 0 ? f->friction_used : NAN, "");
  add_fact(&t, "lift of the lowest swing", f->clearance, "m");
  pki_report_facts(&page->report, &t);
  pki_table_free(&t);
  if (!s->solved && last != NULL && last->worst[0] != '\0') {
    char line[260];
    snprintf(line, sizeof line, "Not solved; the worst row: %s.", last->worst);
    pki_report_paragraph(&page->report, line);
  }
}

/* ---- design ---- */

static void add_design(pki_motion_page *page)
{
  const pki_motion_solution *s = page->solution;
  pki_table t;
  if (s->ndesign == 0) {
    return;
  }
  pki_report_section(&page->report, "design", "Design parameters");
  pki_design_table(&page->course->gait->problem, s, &t);
  pki_report_table(&page->report, &t);
  pki_table_free(&t);
  pki_report_note(
      &page->report,
      "Values that the optimiser chose together with the motion. The slope is that of the least objective "
      "for "
      "each unit of the parameter; inside its bounds it is zero. The last columns are problems that were "
      "solved again with this parameter fixed beside its optimum and all else chosen anew: how much more "
      "they "
      "cost tells how flat the optimum is.");
  pki_table_begin(&t,
                  (const char *const[]){"parameter", "of", "J_e1 for each unit", "J_e2",
                                        "margin of motor lines", "margin of torques"},
                  6);
  for (int i = 0; i < s->ndesign; i++) {
    const pki_design_result *d = &s->design[i];
    const pki_motion_costs *a = &d->scanned[0], *b = &d->scanned[1];
    const double rates[] = {pki_design_rate(d, a->joule, b->joule), pki_design_rate(d, a->work, b->work),
                            pki_design_rate(d, a->line_margin, b->line_margin),
                            pki_design_rate(d, a->torque_margin, b->torque_margin)};
    char cell[4][32];
    for (int k = 0; k < 4; k++) {
      snprintf(cell[k], 32, isfinite(rates[k]) ? "%.3g" : "-", rates[k]);
    }
    const pki_motion_design *row = &page->course->gait->problem.designs[i];
    pki_table_row(&t, (const char *const[]){pki_design_words[row->kind], row->name, cell[0], cell[1], cell[2],
                                            cell[3]});
  }
  pki_report_table(&page->report, &t);
  pki_table_free(&t);
}

/* ---- how it was found ---- */

void pki_motion_ladder_table(const pki_motion_solution *solution, pki_table *out)
{
  pki_table_begin(out,
                  (const char *const[]){"problem", "intervals", "variables", "rows", "iterations", "s",
                                        "objective", "violation", "grid error", "end"},
                  10);
  for (int i = 0; i < solution->nstage; i++) {
    const pki_motion_stage *s = &solution->stages[i];
    char cell[8][32];
    snprintf(cell[0], 32, "%d", s->intervals);
    snprintf(cell[1], 32, "%d", s->variables);
    snprintf(cell[2], 32, "%d", s->rows);
    snprintf(cell[3], 32, "%d", s->result.iterations);
    snprintf(cell[4], 32, "%.3g", s->result.seconds);
    snprintf(cell[5], 32, "%.6g", s->result.objective);
    snprintf(cell[6], 32, "%.1e", s->result.violation);
    snprintf(cell[7], 32, isfinite(s->grid_error) ? "%.1e" : "-", s->grid_error);
    pki_table_row(out, (const char *const[]){s->name, cell[0], cell[1], cell[2], cell[3], cell[4], cell[5],
                                             cell[6], cell[7], pki_nlp_end_word(s->result.end)});
  }
}

static void add_convergence(pki_motion_page *page)
{
  const pki_motion_solution *s = page->solution;
  const int n = s->niteration;
  double *x = calloc(4 * (size_t)n + 4, sizeof *x);
  if (x == NULL || n < 2) {
    page->report.html.failed = page->report.html.failed || x == NULL;
    free(x);
    return;
  }
  double *objective = x + n, *violation = x + 2 * n, *dual = x + 3 * n;
  bool positive = true;
  for (int i = 0; i < n; i++) {
    const pki_motion_iteration *k = &s->iterations[i];
    x[i] = i;
    objective[i] = k->objective;
    violation[i] = fmax(k->violation, 1e-16);
    dual[i] = fmax(k->dual, 1e-16);
    positive = positive && k->objective > 0;
  }
  const pki_svg_series cost = {.name = "objective", .x = x, .y = objective, .n = n};
  const pki_svg_series errors[] = {{.name = "violation of rows and bounds", .x = x, .y = violation, .n = n},
                                   {.name = "dual infeasibility", .x = x, .y = dual, .n = n}};
  const pki_svg_panel panels[] = {{.title = "Objective",
                                   .x = {.label = "iteration, problem by problem"},
                                   .y = {.label = "objective", .log = positive},
                                   .series = &cost,
                                   .nseries = 1},
                                  {.title = "Errors, scaled",
                                   .x = {.label = "iteration, problem by problem"},
                                   .y = {.label = "error", .log = true},
                                   .series = errors,
                                   .nseries = 2}};
  pki_report_figure(
      &page->report, &(pki_svg_figure){.id = "convergence", .panels = panels, .npanels = 2},
      "Each problem of the ladder starts from the solution of the one before it; its objective may be "
      "another one.");
  free(x);
}

static void add_ladder(pki_motion_page *page)
{
  pki_table t;
  pki_report_section(&page->report, "ladder", "How it was found");
  pki_motion_ladder_table(page->solution, &t);
  pki_report_table(&page->report, &t);
  pki_table_free(&t);
  add_convergence(page);
}

/* ---- footfalls and stability ---- */

/* Hildebrand's diagram: a bar for each foot while it stands. */
static void add_footfalls(pki_motion_page *page)
{
  const pki_course *c = page->course;
  const pki_motion_problem *p = &c->gait->problem;
  double from[PKI_MOTION_FEET][PKI_MOTION_PHASES], to[PKI_MOTION_FEET][PKI_MOTION_PHASES];
  pki_svg_series bars[PKI_MOTION_FEET];
  const char *rows[PKI_MOTION_FEET];
  for (int i = 0; i < p->nfoot; i++) {
    int n = 0;
    for (int k = 0; k < c->whole.nphase; k++) {
      const bool before = n > 0 && k > 0 && (c->stance[k - 1] >> i & 1) != 0;
      if ((c->stance[k] >> i & 1) == 0) {
        continue;
      }
      if (!before) {
        from[i][n++] = c->start[k] - c->start[0];
      }
      to[i][n - 1] = c->start[k + 1] - c->start[0];
    }
    rows[i] = p->feet[i].name;
    bars[i] = (pki_svg_series){.x = from[i], .y = to[i], .n = n, .style = PKI_SVG_BARS, .row = i, .color = 1};
  }
  const pki_svg_panel panel = {.title = "Feet on the ground",
                               .x = {.label = "time", .unit = "s", .least = 0, .most = c->whole.period},
                               .series = bars,
                               .nseries = p->nfoot,
                               .rows = rows,
                               .nrow = p->nfoot};
  pki_report_figure(
      &page->report,
      &(pki_svg_figure){
          .id = "footfalls", .panels = &panel, .npanels = 1, .width = 900, .height = 60 + 26.0 * p->nfoot},
      "Hildebrand's diagram of one cycle.");
}

static void add_phase_table(pki_motion_page *page)
{
  const pki_course *c = page->course;
  const pki_motion_problem *p = &c->gait->problem;
  pki_table t;
  pki_table_begin(&t, (const char *const[]){"phase", "from s", "s", "part of the cycle", "impulse N s"}, 5);
  for (int i = 0; i < c->whole.nphase; i++) {
    double largest = 0;
    char cell[4][32];
    for (int k = 0; k < p->nfoot; k++) {
      const double *j = c->whole.impacts[i].impulse[k];
      largest = fmax(largest, sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]));
    }
    snprintf(cell[0], 32, "%.4g", c->start[i] - c->start[0]);
    snprintf(cell[1], 32, "%.4g", c->whole.duration[i]);
    snprintf(cell[2], 32, "%.3f", c->whole.duration[i] / c->whole.period);
    snprintf(cell[3], 32, "%.4g", largest);
    pki_table_row(&t, (const char *const[]){c->name[i], cell[0], cell[1], cell[2], cell[3]});
  }
  pki_report_table(&page->report, &t);
  pki_table_free(&t);
  pki_report_note(&page->report, "The impulse is the largest of the touchdowns at the start of the phase.");
}

/* S_H over the cycle, as Fig. 3 of Hardt and von Stryk (2003): the least of all edges, and what it is made of. */
static void add_stability(pki_motion_page *page)
{
  const pki_course *c = page->course;
  double *S = page->value[0], *H = page->value[1], *reference = page->value[2], *largest = page->value[3];
  bool any = false;
  for (int i = 0; i < c->nrow; i++) {
    const pki_motion_edges *e = &c->rows[i].edges;
    int worst = 0;
    for (int k = 1; k < e->count; k++) {
      worst = e->S[k] < e->S[worst] ? k : worst;
    }
    const bool has = e->count > 0;
    S[i] = e->least;
    H[i] = has ? e->H[worst] : NAN;
    reference[i] = has ? e->H_ref[worst] : NAN;
    largest[i] = has && e->diagonal[worst] ? e->H_max[worst] : NAN;
    any = any || isfinite(e->least);
  }
  if (!any) {
    return;
  }
  const pki_svg_series least = {.name = "S_H", .x = page->time, .y = S, .n = c->nrow, .color = 1};
  const pki_svg_series parts[] = {
      {.name = "H about the worst edge", .x = page->time, .y = H, .n = c->nrow, .color = 1},
      {.name = "H_ref", .x = page->time, .y = reference, .n = c->nrow, .color = 2},
      {.name = "H_max", .x = page->time, .y = largest, .n = c->nrow, .color = 3}};
  pki_report_section(&page->report, "stability", "Stability");
  pki_report_panels_begin(&page->report);
  pki_motion_page_panel(page, "stability-least", "Angular momentum margin",
                        (pki_svg_axis){.label = "S_H", .unit = "kg m²/s"}, &least, 1);
  pki_motion_page_panel(page, "stability-parts", "About the worst edge",
                        (pki_svg_axis){.label = "momentum", .unit = "kg m²/s"}, parts, 3);
  pki_report_panels_end(
      &page->report,
      "The least margin of all edges between standing feet; where it is positive the robot neither tips "
      "over an edge nor falls back before one. Boundaries of phases are dashed.");
}

/* ---- the page ---- */

static bool make_room(pki_motion_page *page)
{
  const pki_course *c = page->course;
  const size_t n = (size_t)c->nrow + 1, values = sizeof page->value / sizeof page->value[0];
  double *room = calloc((values + 1) * n + 3 * (size_t)c->whole.nphase + 3, sizeof *room);
  if (room == NULL) {
    return false;
  }
  page->time = room;
  for (size_t i = 0; i < values; i++) {
    page->value[i] = room + (i + 1) * n;
  }
  page->bound_x = room + (values + 1) * n;
  for (int i = 0; i < c->nrow; i++) {
    page->time[i] = c->rows[i].time;
  }
  for (int i = 0; i < 3 * c->whole.nphase; i++) {
    page->bound_x[i] = i % 3 == 2 ? NAN : c->start[i / 3] - c->start[0];
  }
  return true;
}

static void write_page(pki_motion_page *page)
{
  const pki_gait_file *g = page->course->gait;
  pki_report_begin(&page->report, g->name, g->description);
  add_facts(page);
  pki_report_contents(&page->report);
  pki_report_section(&page->report, "motion", "The motion");
  pki_motion_page_figures(page);
  if (g->problem.nfoot > 0) {
    add_footfalls(page);
    add_phase_table(page);
  }
  add_design(page);
  add_stability(page);
  pki_motion_page_contacts(page);
  pki_motion_page_joints(page);
  add_ladder(page);
}

pk_status pki_motion_report_save(const pki_course *course, const pki_motion_solution *solution,
                                 const char *path, pk_error *err)
{
  pki_motion_page page = {.course = course, .solution = solution, .figures = pki_motion_figures_of(course)};
  if (!make_room(&page)) {
    return pki_fail_memory(err, "the report");
  }
  write_page(&page);
  const pk_status status = pki_report_save(&page.report, path, err);
  pki_report_free(&page.report);
  free(page.time);
  return status;
}
