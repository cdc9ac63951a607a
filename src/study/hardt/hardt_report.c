/* What the study leaves behind: tables, Figure 3 and rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/hardt/hardt.h"
#include "study/study_tables.h"

enum { WORD = PKI_STUDY_NUMBER, PATH = PKI_PATH_MAX };

static const char *format_number(double v, char out[WORD])
{
  if (isnan(v)) {
    snprintf(out, WORD, "—");
  } else {
    snprintf(out, WORD, v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e5) ? "%.1e" : "%.3g", v);
  }
  return out;
}

static const pki_study_rows_style rows_style = {
    .heads = {"", "paper, planned or bound", "measured", "unit", "note"},
    .notes = true,
    .number = format_number};

/* ---- tables ---- */

static void build_readings(const pki_hardt_data *d, pki_table *table)
{
  static const char *const heads[] = {"reading", "speed, m/s", "period, s", "stroke of a foot, m",
                                      "S_H of a point mass at the switch, kg m²/s"};
  pki_table_begin(table, heads, 5);
  for (int i = 0; i < PKI_HARDT_READINGS; i++) {
    const pki_hardt_numbers *r = &pki_hardt_readings[i];
    char words[4][WORD];
    const char *cells[5] = {r->name, format_number(r->speed, words[0]), format_number(r->period, words[1]),
                            format_number(r->speed * r->period / 2, words[2]),
                            format_number(d->point[i], words[3])};
    pki_table_row(table, cells);
  }
}

static void build_motions(const pki_hardt_data *d, pki_table *table)
{
  static const char *const heads[] = {"motion", "ends", "least S_H",  "mean S_H",  "J_e1, J/m",
                                      "J_e2",   "s",    "iterations", "violation", "grid error"};
  pki_table_begin(table, heads, 10);
  for (int i = 0; i < PKI_HARDT_CASES; i++) {
    const pki_hardt_motion *m = &d->motions[i];
    char words[7][WORD], count[WORD];
    const double none = m->solved ? 0 : NAN;
    snprintf(count, sizeof count, "%d", m->iterations);
    const char *cells[10] = {pki_hardt_variants[i].text,
                             m->end,
                             format_number(none + m->least, words[0]),
                             format_number(none + m->mean, words[1]),
                             format_number(none + m->joule, words[2]),
                             format_number(none + m->work, words[3]),
                             format_number(m->seconds, words[4]),
                             count,
                             format_number(m->violation, words[5]),
                             format_number(m->grid_error, words[6])};
    if (m->tried) {
      pki_table_row(table, cells);
    }
  }
}

static void build_walks(const pki_hardt_data *d, pki_table *table)
{
  static const char *const heads[] = {"motion",    "walks, s", "",          "speed, m/s",
                                      "least S_H", "mean S_H", "certified", "electrical energy, J/m",
                                      "heat, J"};
  pki_table_begin(table, heads, 9);
  for (int i = 0; i <= PKI_HARDT_JE2; i++) {
    const pki_hardt_walk *w = &d->walks[i];
    char words[6][WORD];
    const char *cells[9] = {pki_hardt_variants[i].text,
                            format_number(w->seconds, words[0]),
                            w->fell ? "falls" : "no fall",
                            format_number(w->speed, words[1]),
                            format_number(w->least, words[2]),
                            format_number(w->mean, words[3]),
                            w->certified ? "all steps" : "not all",
                            format_number(w->electrical_a_metre, words[4]),
                            format_number(w->heat, words[5])};
    if (w->ran) {
      pki_table_row(table, cells);
    }
  }
}

/* ---- Figure 3 ---- */

/* Of the motions that were found; curves have gaps where S_H jumps, at boundaries of phases. */
static pk_status draw_figure(const pki_hardt_data *d, const char *folder, pki_report *report, pk_error *err)
{
  static const char *const names[] = {"J_s2", "J_e1", "J_e2"};
  pki_svg_series series[PKI_HARDT_JE2 + 1];
  char path[PATH];
  int n = 0;
  for (int i = 0; i <= PKI_HARDT_JE2; i++) {
    const pki_hardt_motion *m = &d->motions[i];
    if (m->solved) {
      series[n] = (pki_svg_series){.name = names[i], .x = m->time, .y = m->margin, .n = m->n};
      n++;
    }
  }
  const pki_svg_panel panel = {.title = "Margin of angular momentum over a cycle",
                               .x = {.label = "time", .unit = "s"},
                               .y = {.label = "S_H", .unit = "kg m²/s"},
                               .series = series,
                               .nseries = n};
  const pki_svg_figure figure = {.id = "fig-3", .panels = &panel, .npanels = 1, .width = 620};
  pki_report_figure(
      report, &figure,
      "Figure 3 of the paper. It drops where RR lands and LR leaves, and half a cycle later where LR "
      "lands and RR leaves; it rises until the mass is over the diagonal, where another branch of S_H "
      "begins, and falls from there on.");
  snprintf(path, sizeof path, "%s/fig-3.svg", folder);
  return pki_svg_save(&figure, path, err);
}

/* ---- the page ---- */

static pk_status write_html(const pki_hardt_data *d, const pki_study_result *result, const char *folder,
                            pk_error *err)
{
  pki_report report = {0};
  pki_table table;
  pki_report_begin(
      &report, "The amble of Hardt and von Stryk",
      "Hardt and von Stryk 2003: The Role of Motion Dynamics in the Design, Control and Stability of "
      "Bipedal and Quadrupedal Robots, section 4.2");
  pki_report_contents(&report);
  if (d->quick) {
    pki_report_paragraph(&report, "A quick run: the optimum of J_s2 and four cycles of its walk.");
  }
  pki_report_section(&report, "readings", "What the printed numbers mean");
  pki_report_paragraph(
      &report, "40 m/min, a stride of 0.416 m and a period of 1.25 s contradict each other. Reading B keeps "
               "speed and stride; it is the only one in which a point mass rolls over the diagonal.");
  build_readings(d, &table);
  pki_study_report_table(&report, &table);
  pki_report_section(&report, "figure", "Figure 3");
  pk_status status = draw_figure(d, folder, &report, err);
  pki_report_section(&report, "motions", "Motions");
  pki_report_paragraph(
      &report, "The first is found from nothing; those that differ by an objective or a limit start from it. "
               "A motion whose grid error is above 0.1 is right at the points of its grid alone.");
  build_motions(d, &table);
  pki_study_report_table(&report, &table);
  pki_report_section(&report, "walks", "Walks");
  build_walks(d, &table);
  pki_study_report_table(&report, &table);
  return pki_study_end_report(&report, result, &rows_style, status, err);
}

pk_status pki_hardt_report(const pki_hardt_data *d, const pki_study_options *options,
                           pki_study_result *result, pk_error *err)
{
  pki_text *out = &result->summary;
  pki_table table;
  build_readings(d, &table);
  pki_study_summary_table("Section 4.2 in three readings", &table, out);
  build_motions(d, &table);
  pki_study_summary_table("Motions", &table, out);
  build_walks(d, &table);
  pki_study_summary_table("Walks", &table, out);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  return write_html(d, result, options->folder, err);
}
