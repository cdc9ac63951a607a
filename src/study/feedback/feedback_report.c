/* What the feedback study leaves behind: tables, figures and rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "study/feedback/feedback.h"
#include "study/study_tables.h"

enum { WORD = PKI_STUDY_NUMBER, PATH = 4096 };

static const char *format_number(double v, char out[WORD])
{
  if (isnan(v)) {
    snprintf(out, WORD, "—");
  } else if (v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e5)) {
    snprintf(out, WORD, "%.1e", v);
  } else {
    snprintf(out, WORD, fabs(v) >= 100 ? "%.0f" : "%.3g", v);
  }
  return out;
}

static const pki_study_rows_style rows_style = {
    .heads = {"", "paper or bound", "measured", "unit", "note"}, .notes = true, .number = format_number};

/* --- tables ---------------------------------------------------------------------------- */

static void build_arm(const pki_feedback_data *d, pki_table *table)
{
  static const char *const heads[] = {"control",  "largest step, ms", "error there, rad", "at 1 ms",
                                      "at 10 ms", "between steps",    "time of 5 s, ms",  "over PD at 1 ms"};
  pki_table_begin(table, heads, 8);
  for (int i = 0; i < PKI_ARM_METHODS; i++) {
    const pki_feedback_arm_data *a = &d->arm[i];
    const bool tracks = i != PKI_ARM_LIMP, ten = pki_feedback_stable(&a->cells[2]);
    char words[7][WORD];
    const char *cells[8] = {pki_arm_names[i].text,
                            format_number(a->limit > 0 ? 1e3 * a->limit : NAN, words[0]),
                            format_number(tracks ? a->at.error : NAN, words[1]),
                            format_number(tracks ? a->cells[0].error : NAN, words[2]),
                            tracks && !ten ? "unstable"
                                           : format_number(tracks ? a->cells[2].error : NAN, words[3]),
                            format_number(a->at.between, words[4]),
                            format_number(1e3 * a->wall * 5 / d->seconds, words[5]),
                            format_number(d->arm[PKI_ARM_PD].wall_1 / a->wall, words[6])};
    pki_table_row(table, cells);
  }
}

static const char *state_of(const pki_feedback_run *r)
{
  return r->failed ? "blows up" : r->fell ? "falls" : pki_feedback_stable(r) ? "" : "lost";
}

/* Every method at every step of one scene. */
static void build_scene(const pki_feedback_data *d, int scene, pki_table *table)
{
  static const char *const heads[] = {
      "control",          "step, ms",    "",           "error, rad",     "slip per stance, mm",
      "largest slip, mm", "torque, N m", "speed, m/s", "worst residual", "uncertified"};
  pki_table_begin(table, heads, 10);
  for (int i = 0; i < PKI_LEG_METHODS * PKI_FEEDBACK_STEPS; i++) {
    const int step = i % PKI_FEEDBACK_STEPS;
    const pki_feedback_run *r = &d->legs[scene][i / PKI_FEEDBACK_STEPS].cells[step];
    char words[7][WORD], count[WORD];
    snprintf(count, sizeof count, "%lld of %lld", r->uncertified, r->steps);
    const char *cells[10] = {step == 0 ? pki_leg_names[i / PKI_FEEDBACK_STEPS].text : "",
                             format_number(1e3 * pki_feedback_steps[step], words[0]),
                             state_of(r),
                             format_number(r->error, words[1]),
                             format_number(1e3 * r->slip_mean, words[2]),
                             format_number(1e3 * r->slip, words[3]),
                             format_number(r->torque, words[4]),
                             format_number(r->speed, words[5]),
                             format_number(r->residual, words[6]),
                             count};
    if (r->steps > 0 || r->failed) {
      pki_table_row(table, cells);
    }
  }
}

/* Table I as the paper has it: largest steps. */
static void build_limits(const pki_feedback_data *d, pki_table *table)
{
  static const char *const heads[] = {"control", "largest step, ms", "error there, rad",
                                      "slip per stance, mm", "time of 5 s, ms"};
  pki_table_begin(table, heads, 5);
  for (int i = 0; i < PKI_SCENES * PKI_LEG_METHODS; i++) {
    const int scene = i / PKI_LEG_METHODS, method = i % PKI_LEG_METHODS;
    const pki_feedback_leg_data *l = &d->legs[scene][method];
    const bool has = l->limit > 0;
    char words[4][WORD];
    if (method == 0) {
      pki_table_group(table, pki_scene_names[scene].text);
    }
    const char *cells[5] = {pki_leg_names[method].text, format_number(has ? 1e3 * l->limit : NAN, words[0]),
                            format_number(has ? l->at.error : NAN, words[1]),
                            format_number(has ? 1e3 * l->at.slip_mean : NAN, words[2]),
                            format_number(has ? 1e3 * l->wall * 5 / d->seconds : NAN, words[3])};
    pki_table_row(table, cells);
  }
}

static void build_lasting(const pki_feedback_data *d, pki_table *table)
{
  static const char *const heads[] = {"references",          "step, ms",           "walks, s",
                                      "slip per stance, mm", "stances above 1 mm", "error, rad",
                                      "speed, m/s",          "torque, N m",        "worst residual",
                                      "uncertified",         "real time"};
  pki_table_begin(table, heads, 11);
  for (int i = 0; i < 2 * PKI_FEEDBACK_LONG; i++) {
    const pki_feedback_run *r = &d->lasting[i / PKI_FEEDBACK_LONG][i % PKI_FEEDBACK_LONG];
    char words[8][WORD], bad[WORD], count[WORD];
    snprintf(bad, sizeof bad, "%lld of %lld", r->bad, r->stances);
    snprintf(count, sizeof count, "%lld", r->uncertified);
    const char *cells[11] = {i < PKI_FEEDBACK_LONG ? "consistent" : "sinusoids",
                             format_number(1e3 * r->dt, words[0]),
                             format_number(r->ended, words[1]),
                             format_number(1e3 * r->slip_mean, words[2]),
                             bad,
                             format_number(r->error, words[3]),
                             format_number(r->speed, words[4]),
                             format_number(r->torque, words[5]),
                             format_number(r->residual, words[6]),
                             count,
                             format_number(r->ended / r->wall, words[7])};
    pki_table_row(table, cells);
  }
}

static void build_shifts(const pki_feedback_data *d, pki_table *table)
{
  static const char *const heads[] = {"added",
                                      "step, ms",
                                      "solved",
                                      "",
                                      "at, s",
                                      "error, rad",
                                      "slip per stance, mm",
                                      "deepest foot, mm",
                                      "torque, N m"};
  pki_table_begin(table, heads, 9);
  for (int i = 0; i < 2 * PKI_FEEDBACK_SHIFTS; i++) {
    const pki_dense_run *r = &d->shifted[i / 2][i % 2];
    char words[7][WORD], solved[WORD];
    snprintf(solved, sizeof solved, "%lld of %lld", r->solved, r->run.steps);
    const char *cells[9] = {i % 2 == 0 ? format_number(pki_feedback_shifts[i / 2], words[0]) : "",
                            format_number(1e3 * r->run.dt, words[1]),
                            solved,
                            state_of(&r->run),
                            format_number(r->run.ended, words[2]),
                            format_number(r->run.error, words[3]),
                            format_number(1e3 * r->run.slip_mean, words[4]),
                            format_number(1e3 * r->sink, words[5]),
                            format_number(r->run.torque, words[6])};
    pki_table_row(table, cells);
  }
}

/* --- the page -------------------------------------------------------------------------- */

static pk_status add_picture(pki_text *svg, const char *name, const char *caption, const char *folder,
                             pki_report *report, pk_error *err)
{
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  pki_text_add(&report->html, "<figure>\n<div class=\"scroll\">");
  pki_text_add(&report->html, svg->data != NULL ? svg->data : "");
  pki_text_add(&report->html, "</div><figcaption>");
  pki_text_add_escaped(&report->html, caption);
  pki_text_add(&report->html, "</figcaption>\n</figure>\n");
  const pk_status status = pki_text_save(svg, path, err);
  pki_text_free(svg);
  return status;
}

static pk_status report_arm(const pki_feedback_data *d, const char *folder, pki_report *report, pk_error *err)
{
  pki_table table;
  pki_text svg = {0};
  pki_report_section(report, "arm", "Table II and Figure 3: the arm");
  build_arm(d, &table);
  pki_study_report_table(report, &table);
  pki_report_paragraph(report, "The largest step is found by doubling from 1 ms and halving the last "
                               "interval, up to 100 ms. Between steps: the mean "
                               "error at the largest step along the straight lines between the ends of "
                               "steps. Errors of the paper are those at the ends.");
  pki_feedback_arm_svg(d, &svg);
  return add_picture(&svg, "fig-3",
                     "Figures 1 (b) and 3 of the paper: mean absolute error of the UR10's joints against the "
                     "step. Transparent: unstable.",
                     folder, report, err);
}

static pk_status report_legs(const pki_feedback_data *d, const char *folder, pki_report *report,
                             pk_error *err)
{
  pki_table table;
  pk_status status = PK_OK;
  pki_report_section(report, "legs", "Table I and Figure 1: quadrupeds");
  build_limits(d, &table);
  pki_study_report_table(report, &table);
  pki_report_paragraph(report, "Links is the paper's quadruped, whose joints follow sinusoids while nothing "
                               "balances it. StarLETH's footholds hold its balance. "
                               "The paper's own solvers have no torque limits, as in the paper; all others "
                               "have 30 N m (StarLETH) and 4 N m (links).");
  for (int scene = 0; scene < PKI_SCENES && status == PK_OK; scene++) {
    char name[64], caption[256];
    pki_text svg = {0}, slips = {0};
    snprintf(name, sizeof name, "fig-1-%s", pki_scene_names[scene].id);
    snprintf(caption, sizeof caption, "Figure 1 (a) of the paper: %s. Transparent: it falls or blows up.",
             pki_scene_names[scene].text);
    pki_feedback_leg_svg(d, (pki_feedback_scene)scene, false, &svg);
    status = add_picture(&svg, name, caption, folder, report, err);
    snprintf(name, sizeof name, "slip-%s", pki_scene_names[scene].id);
    snprintf(
        caption, sizeof caption,
        "Slip of a loaded foot in a stance, mean: %s. Columns at the foot of the axis: a micrometre or less.",
        pki_scene_names[scene].text);
    pki_feedback_leg_svg(d, (pki_feedback_scene)scene, true, &slips);
    status = status == PK_OK ? add_picture(&slips, name, caption, folder, report, err) : status;
    pki_text_free(&slips);
    build_scene(d, scene, &table);
    pki_study_report_table(report, &table);
  }
  return status;
}

static pk_status report_map(const pki_feedback_data *d, const char *folder, pki_report *report, pk_error *err)
{
  pki_text svg = {0};
  char text[512];
  pki_report_section(report, "map", "Random starts and friction");
  snprintf(text, sizeof text,
           "%d starts, the same in every cell: joints off by up to 0.1 rad, the trunk turned by up to 0.06 "
           "rad, velocities of up to 0.1 m/s, 0.1 rad/s and "
           "0.3 rad/s (joints), the lowest foot on the ground. A start holds when the robot does not fall in "
           "5 s, no loaded foot slips by 1 mm in a stance "
           "after 1.2 s, and every step is certified at 1e-8.",
           d->starts);
  pki_report_paragraph(report, text);
  pki_feedback_map_svg(d, &svg);
  return add_picture(&svg, "map", "Share of the starts that hold, in percent.", folder, report, err);
}

static pk_status write_html(const pki_feedback_data *d, const pki_study_result *result, const char *folder,
                            pk_error *err)
{
  pki_report report = {0};
  pki_table table;
  pki_report_begin(&report, "Large steps under error feedback",
                   "Shepherd, Zapolsky and Drumwright: Fast Multi-Body Simulations of Robots Controlled with "
                   "Error Feedback");
  pki_report_contents(&report);
  if (d->quick) {
    pki_report_paragraph(
        &report,
        "A quick run: 2 s instead of 5 s, 10 s instead of 60 s, steps of 10 ms and more, 8 random starts.");
  }
  pk_status status = report_arm(d, folder, &report, err);
  pki_report_section(&report, "open", "The open problem: a quadruped that neither blows up nor skates");
  pki_report_paragraph(&report, "StarLETH with joints as constraints in two stages, torques within 30 N m. A "
                                "foot slips where it is loaded by a twentieth of the "
                                "weight and moves along the ground by more than its ball rolls.");
  build_lasting(d, &table);
  pki_study_report_table(&report, &table);
  status = status == PK_OK ? report_legs(d, folder, &report, err) : status;
  pki_report_section(&report, "mlcp", "The paper's mixed problem, regularised");
  pki_report_paragraph(&report, "Equations (2) to (7) for StarLETH's trot, polygons of four sides, Dantzig's "
                                "pivoting; a number is added to the diagonal. Steps that are not solved "
                                "go on with the best that was found.");
  build_shifts(d, &table);
  pki_study_report_table(&report, &table);
  status = status == PK_OK ? report_map(d, folder, &report, err) : status;
  return pki_study_end_report(&report, result, &rows_style, status, err);
}

pk_status pki_feedback_report(const pki_feedback_data *d, const pki_study_options *options,
                              pki_study_result *result, pk_error *err)
{
  pki_text *out = &result->summary;
  pki_table table;
  build_arm(d, &table);
  pki_study_summary_table("Table II: UR10 under sinusoids", &table, out);
  build_limits(d, &table);
  pki_study_summary_table("Table I: quadrupeds", &table, out);
  build_lasting(d, &table);
  pki_study_summary_table("The open problem: StarLETH, two stages, 30 N m", &table, out);
  pki_text_addf(out, "Random starts that hold, of %d, friction 0.2 to 1.4\n\n", d->starts);
  for (int panel = 0; panel < PKI_FEEDBACK_PANELS; panel++) {
    pki_text_addf(out, "  %-26s", pki_feedback_panels[panel].text);
    for (int i = 0; i < PKI_FEEDBACK_FRICTIONS; i++) {
      pki_text_addf(out, "%5d", pki_feedback_held(d, panel, i));
    }
    pki_text_add(out, "\n");
  }
  snprintf(result->report, sizeof result->report, "%s/report.html", options->folder);
  return write_html(d, result, options->folder, err);
}
