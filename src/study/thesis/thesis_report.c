/* What the thesis study leaves behind: Figures 5.2 to 5.31, maps and rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/study_tables.h"
#include "study/thesis/thesis.h"

enum { TEXT = 96, PANELS = 6, PATH = 4096 };

static const char *format_number(double v, char out[32])
{
  if (isnan(v)) {
    snprintf(out, 32, "—");
  } else if (v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e6)) {
    snprintf(out, 32, "%.1e", v);
  } else {
    snprintf(out, 32, fabs(v) >= 100 ? "%.0f" : "%.3g", v);
  }
  return out;
}

/* --- tables ---------------------------------------------------------------------------- */

/* A terminal gets them without the thesis' words. */
static void build_runs(const pki_thesis_data *d, bool words, pki_table *table)
{
  static const char *const heads[6] = {"",          "law", "here", "highest, m", "at the end: x, y, z, m",
                                       "the thesis"};
  pki_table_begin(table, heads, words ? 6 : 5);
  for (int i = 0; i < PKI_THESIS_RUNS * PKI_THESIS_LAWS; i++) {
    const pki_thesis_scene *s = &pki_thesis_scenes[i / PKI_THESIS_LAWS];
    const int law = i % PKI_THESIS_LAWS;
    const pki_thesis_run *r = &d->runs[i / PKI_THESIS_LAWS][law];
    char here[TEXT], end[TEXT], top[32];
    snprintf(here, sizeof here, r->finite ? "%s" : "%s at %.1f s", pki_thesis_outcome_names[r->outcome],
             r->ended);
    snprintf(end, sizeof end, r->finite ? "%.3f, %.3f, %.3f" : "—", r->end[0], r->end[1], r->end[2]);
    const char *cells[6] = {
        law == 0 ? s->title : "", pki_thesis_laws[law], here, format_number(r->top, top), end, s->said[law]};
    pki_table_row(table, cells);
  }
}

/* All rows; a terminal gets what was measured, without notes. */
static pki_study_rows_style rows_style(bool notes)
{
  return (pki_study_rows_style){
      .heads = {"", "thesis", "measured", "unit", "why"}, .notes = notes, .number = format_number};
}

/* --- Figures 5.2 to 5.31 --------------------------------------------------------------- */

static const char *const figure_names[PKI_THESIS_FIGURES] = {"position of the trunk",
                                                             "roll, pitch and yaw of the trunk",
                                                             "contact force of the right back leg",
                                                             "contact force of the left back leg",
                                                             "contact force of the right front leg",
                                                             "contact force of the left front leg"};

/* One figure: x, y, z down, exact contact left, springs right, as in the thesis. Panels point into it. */
typedef struct drawing {
  char id[16], titles[PANELS][TEXT];
  pki_svg_series series[PANELS];
  pki_svg_panel panels[PANELS];
  pki_svg_figure figure;
} drawing;

static void draw_curves(const pki_thesis_data *d, int scene, int which, drawing *g)
{
  static const char *const labels[3][3] = {{"x", "y", "z"}, {"roll", "pitch", "yaw"}, {"F_x", "F_y", "F_z"}};
  static const char *const units[3] = {"m", "rad", "N"};
  const int kind = which < 2 ? which : 2;
  memset(g, 0, sizeof *g);
  snprintf(g->id, sizeof g->id, "fig-5-%d", pki_thesis_scenes[scene].figure + which);
  for (int i = 0; i < PANELS; i++) {
    const int axis = i / 2, law = i % 2;
    const pki_thesis_curves *c = &d->curves[scene][law];
    snprintf(g->titles[i], TEXT, "(%c) %s, %s (%s)", 'a' + i, labels[kind][axis], pki_thesis_laws[law],
             units[kind]);
    g->series[i] =
        (pki_svg_series){.x = c->time, .y = c->values[3 * which + axis], .n = c->n, .color = law + 1};
    g->panels[i] = (pki_svg_panel){.title = g->titles[i],
                                   .x = {.label = "time", .unit = "s", .least = 0, .most = d->seconds},
                                   .series = &g->series[i],
                                   .nseries = 1};
  }
  g->figure = (pki_svg_figure){.id = g->id,
                               .panels = g->panels,
                               .npanels = PANELS,
                               .columns = 2,
                               .width = 510,
                               .height = 150,
                               .compact = true,
                               .share_x = true};
}

static pk_status report_scene(const pki_thesis_data *d, int s, const char *folder, pki_report *report,
                              pk_error *err)
{
  const pki_thesis_scene *scene = &pki_thesis_scenes[s];
  pk_status status = PK_OK;
  char text[1024];
  pki_report_section(report, scene->id, scene->title);
  for (int law = 0; law < PKI_THESIS_LAWS; law++) {
    const pki_thesis_run *r = &d->runs[s][law];
    char explained[512];
    pki_thesis_explain(d, s, law, explained, sizeof explained);
    snprintf(text, sizeof text,
             "%s. The thesis: %s. Here: %s; highest point of the trunk %.3g m, largest normal force of a leg "
             "%.3g kN%s. "
             "%s.",
             law == PKI_THESIS_EXACT ? "Exact contact" : "Penalty", scene->said[law],
             pki_thesis_outcome_names[r->outcome], r->top, 1e-3 * r->peak,
             r->finite ? "" : "; curves end where numbers do, or a kilometre away", explained);
    pki_report_paragraph(report, text);
  }
  for (int i = 0; i < PKI_THESIS_FIGURES && status == PK_OK; i++) {
    drawing g;
    char path[PATH];
    draw_curves(d, s, i, &g);
    snprintf(text, sizeof text, "Figure 5.%d of the thesis: %s, %s.", scene->figure + i, figure_names[i],
             scene->title);
    pki_report_figure(report, &g.figure, text);
    snprintf(path, sizeof path, "%s/%s.svg", folder, g.id);
    status = pki_svg_save(&g.figure, path, err);
  }
  return status;
}

/* What contacts have given so far, both laws. */
static void report_given(const pki_thesis_data *d, pki_report *report)
{
  pki_svg_series series[PKI_THESIS_RUNS][PKI_THESIS_LAWS];
  pki_svg_panel panels[PKI_THESIS_RUNS];
  for (int s = 0; s < PKI_THESIS_RUNS; s++) {
    for (int law = 0; law < PKI_THESIS_LAWS; law++) {
      const pki_thesis_curves *c = &d->curves[s][law];
      series[s][law] = (pki_svg_series){
          .name = pki_thesis_laws[law], .x = c->time, .y = c->given, .n = c->n, .color = law + 1};
    }
    panels[s] = (pki_svg_panel){.title = pki_thesis_scenes[s].title,
                                .x = {.label = "time", .unit = "s", .least = 0, .most = d->seconds},
                                .y = {.label = "work of contacts", .unit = "J"},
                                .series = series[s],
                                .nseries = PKI_THESIS_LAWS};
  }
  const pki_svg_figure figure = {
      .id = "given", .panels = panels, .npanels = PKI_THESIS_RUNS, .columns = 2, .width = 510, .height = 220};
  pki_report_figure(report, &figure,
                    "Work that contacts have done on the robot. A contact that only stores and dissipates "
                    "stays below zero: "
                    "what rises above it was made by the law.");
}

/* --- the page -------------------------------------------------------------------------- */

static pk_status report_map(const pki_text *svg, const char *name, const char *caption, const char *folder,
                            pki_report *report, pk_error *err)
{
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  pki_text_add(&report->html, "<figure>\n<div class=\"scroll\">");
  pki_text_add(&report->html, svg->data != NULL ? svg->data : "");
  pki_text_add(&report->html, "</div><figcaption>");
  pki_text_add_escaped(&report->html, caption);
  pki_text_add(&report->html, "</figcaption>\n</figure>\n");
  return pki_text_save(svg, path, err);
}

static pk_status report_maps(const pki_thesis_data *d, const char *folder, pki_report *report, pk_error *err)
{
  pki_text linear = {0}, hardening = {0}, tilt = {0};
  pki_thesis_linear_svg(d, &linear);
  pki_thesis_hardening_svg(d, &hardening);
  pki_thesis_tilt_svg(d, &tilt);
  pki_report_section(report, "springs", "Penalty: how likely is what the thesis saw?");
  pki_report_paragraph(
      report,
      "The thesis publishes neither the springs nor the integrator. Here all forces are explicit, in "
      "semi-implicit Euler at 0.5 ms. A cell is eight runs of 4 s, stiffnesses spread over 5 % to both "
      "sides and starts over a millimetre; its bands are shares of outcomes. Flies up: the trunk came "
      "above its start (in the jump: above 2.3 m); blows up: no numbers, or a kilometre away. Rings: "
      "one run of each panel is more likely than not to show what the thesis saw, standing after "
      "0.1 m, flying or blowing up in the other three.");
  pk_status status = report_map(
      &linear, "linear",
      "Linear springs, k and d the same along the normal and the ground. Dashed: one standing foot "
      "alone is at the edge of stability, dt² k W + 2 dt d W = 4.",
      folder, report, err);
  if (status == PK_OK) {
    status = report_map(&hardening, "hardening",
                        "Springs that harden, with the force c x³: soft where little is pressed, too stiff "
                        "for the step where "
                        "much is. The scenarios have 3.6e13 N/m³ and 1500 N s/m.",
                        folder, report, err);
  }
  pki_report_section(report, "tilt", "Exact contact: roll and restitution");
  if (status == PK_OK) {
    status = report_map(&tilt, "tilt",
                        "Falls under lcp-pyramid that start rolled, on ground with restitution, three each. "
                        "The scenarios are "
                        "the lower left cells. Upside down: as in the thesis.",
                        folder, report, err);
  }
  pki_text_free(&linear);
  pki_text_free(&hardening);
  pki_text_free(&tilt);
  return status;
}

static pk_status write_html(const pki_thesis_data *d, const pki_study_result *result, const char *folder,
                            pk_error *err)
{
  pki_report report = {0};
  pki_table runs;
  pk_status status = PK_OK;
  pki_report_begin(
      &report, "The thesis quadruped: exact contact and springs",
      "O. Ayit: Contact Modeling as Applied to the Dynamic Simulation of Legged Robots (2015), chapter 5");
  pki_report_contents(&report);
  if (d->quick) {
    pki_report_paragraph(&report, "A quick run: 3 s instead of 10.6 s, and few cells of the maps.");
  }
  pki_report_section(&report, "runs", "Five runs, two laws");
  build_runs(d, true, &runs);
  pki_report_table(&report, &runs);
  pki_table_free(&runs);
  pki_report_paragraph(&report, "Step 0.5 ms, 10.6 s, Tables 5.1 to 5.3. The robot's references, the "
                                "penalty's springs, the integrator and "
                                "the restitution are not published: ours stand in the scenarios.");
  for (int s = 0; s < PKI_THESIS_RUNS && status == PK_OK; s++) {
    status = report_scene(d, s, folder, &report, err);
  }
  pki_report_section(&report, "energy", "Energy");
  report_given(d, &report);
  status = status == PK_OK ? report_maps(d, folder, &report, err) : status;
  const pki_study_rows_style style = rows_style(true);
  return pki_study_end_report(&report, result, &style, status, err);
}

pk_status pki_thesis_report(const pki_thesis_data *d, const pki_study_options *options,
                            pki_study_result *result, pk_error *err)
{
  pki_table runs, rows;
  build_runs(d, false, &runs);
  const pki_study_rows_style style = rows_style(false);
  pki_study_rows_table(result, &style, &rows);
  pki_text_addf(&result->summary, "Five runs of %g s, two laws of contact\n\n", d->seconds);
  pki_table_text(&runs, "  ", true, &result->summary);
  pki_text_add(&result->summary, "\n");
  pki_table_text(&rows, "  ", true, &result->summary);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  const pk_status status = write_html(d, result, options->folder, err);
  pki_table_free(&runs);
  pki_table_free(&rows);
  return status;
}
