/* What the study leaves behind: tables, figures and rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>

#include "study/coman/coman.h"
#include "study/study_tables.h"

enum { WORD = PKI_STUDY_NUMBER };

static const char *format_number(double v, char out[WORD])
{
  if (isnan(v)) {
    snprintf(out, WORD, "—");
  } else {
    snprintf(out, WORD, v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e5) ? "%.2e" : "%.4g", v);
  }
  return out;
}

static const pki_study_rows_style rows_style = {
    .heads = {"", "paper or bound", "measured", "unit", "note"}, .notes = true, .number = format_number};

static void build_lifts(const pki_coman_data *d, pki_table *table)
{
  static const char *const heads[] = {"lift",      "step, ms",   "touch, s",        "leaves the table, s",
                                      "before, N", "after, N",   "grasp, N",        "slip, mm/s",
                                      "slid, mm",  "lifted, mm", "turned, degrees", "real-time factor",
                                      "paper"};
  pki_table_begin(table, heads, 13);
  for (int i = 0; i < PKI_COMAN_CASES; i++) {
    const pki_coman_lift *r = &d->lifts[i];
    char words[12][WORD];
    const double values[12] = {1e3 * r->dt,     r->touch, r->leave,      r->before,
                               r->after,        r->grasp, 1e3 * r->slip, 1e3 * r->slid,
                               1e3 * r->lifted, r->tilt,  r->factor,     pki_coman_variants[i].paper_factor};
    const char *cells[13] = {pki_coman_variants[i].text};
    for (int k = 0; k < 12; k++) {
      cells[k + 1] = format_number(values[k], words[k]);
    }
    if (r->ran) {
      pki_table_row(table, cells);
    }
  }
}

static void build_limits(const pki_coman_data *d, pki_table *table)
{
  static const char *const heads[] = {"joint", "spring, N m/rad", "inertia, kg m²", "eigenvalue, 1/s",
                                      "RK4 limit, ms"};
  const pki_coman_limits *l = &d->limits;
  pki_table_begin(table, heads, 5);
  for (int i = 0; i < l->nmode; i++) {
    const pki_coman_mode *m = &l->modes[i];
    char words[3][WORD], value[WORD];
    snprintf(value, sizeof value, m->fastest[1] > 0 ? "%.0f ± %.0f i" : "%.0f", m->fastest[0], m->fastest[1]);
    const char *cells[5] = {m->joint, format_number(m->spring, words[0]), format_number(m->inertia, words[1]),
                            value, format_number(1e3 * m->limit, words[2])};
    pki_table_row(table, cells);
  }
}

static pk_status write_html(const pki_coman_data *d, const pki_study_result *result, const char *folder,
                            pk_error *err)
{
  pki_report report = {0};
  pki_table table;
  pki_report_begin(
      &report, "A compliant humanoid lifts and squats",
      "Zobova, Habra, Van der Noot, Dallali, Tsagarakis, Fisette, Ronsse 2016, sections 6 and 7");
  pki_report_contents(&report);
  if (d->quick) {
    pki_report_paragraph(&report, "A quick run: what takes long is left out, and the squat has one cycle.");
  }
  pki_report_section(&report, "lifts", "The lift");
  pki_report_paragraph(&report, "COMAN takes a box of 1.5 kg off a table between its wrists. Voltages of its "
                                "motors are PI on their own angles; springs lie between motors and joints.");
  build_lifts(d, &table);
  pki_study_report_table(&report, &table);
  pki_report_section(&report, "figures", "Figures");
  pk_status status = pki_coman_figures(d, folder, &report, err);
  pki_report_section(&report, "limits", "What limits explicit steps");
  pki_report_paragraph(
      &report, "Each motor, its spring and its joint alone, the joint with the inertia that the robot "
               "has about it while all other joints are free: the eigenvalue that limits RK4.");
  build_limits(d, &table);
  pki_study_report_table(&report, &table);
  return pki_study_end_report(&report, result, &rows_style, status, err);
}

pk_status pki_coman_report(const pki_coman_data *d, const pki_study_options *options,
                           pki_study_result *result, pk_error *err)
{
  pki_text *out = &result->summary;
  pki_table table;
  build_lifts(d, &table);
  pki_study_summary_table("The lift", &table, out);
  build_limits(d, &table);
  pki_study_summary_table("RK4 limits joint by joint", &table, out);
  pki_study_rows_table(result, &rows_style, &table);
  pki_study_summary_table("All values", &table, out);
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  return write_html(d, result, options->folder, err);
}
