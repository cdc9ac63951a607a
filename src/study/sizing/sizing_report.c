/* What the study leaves behind: tables, Figure 6 and rows, as text and as one HTML file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/sizing/sizing_study.h"
#include "study/study_tables.h"

enum { SHOWN = 24 };

static const char *format_number(double v, char out[PKI_STUDY_NUMBER])
{
  snprintf(out, PKI_STUDY_NUMBER, isnan(v) ? "—" : "%.3g", v);
  return out;
}

static const pki_study_rows_style rows_style = {
    .heads = {"", "paper or bound", "measured", "unit", "note"}, .notes = true, .number = format_number};

/* Figure 6 for every joint of the left leg; that of the knee is a file, too. */
static pk_status draw_joints(const pki_sizing *z, const char *folder, pki_report *report, pk_error *err)
{
  const pki_size_group *g = &z->groups[0];
  const int index = pki_sizing_find(g, PKI_SIZING_MOTOR, PKI_SIZING_RATIO, PKI_SIZING_VOLTAGE);
  const pki_drive_candidate *front = index >= 0 ? &g->candidates[index] : NULL;
  pk_status status = PK_OK;
  for (int i = 0; i < g->njoint && status == PK_OK; i++) {
    char path[PKI_PATH_MAX], id[32];
    const bool knee = strcmp(g->joints[i], "L_KNEE_PITCH") == 0;
    snprintf(id, sizeof id, "fig-6-%d", i);
    if (g->joints[i][0] == 'L') {
      const bool placed = knee && pki_path_join(path, folder, "fig-6.svg");
      status = pki_size_plot_cloud(z, g, i, front, id, placed ? path : NULL, report, err);
    }
  }
  return status;
}

pk_status pki_sizing_report(const pki_size_result *result, const pki_study_options *options,
                            pki_study_result *out, pk_error *err)
{
  const pki_sizing *z = &result->sizing;
  pki_report report = {0};
  pki_table table;
  pki_size_candidate_table(&z->groups[0], SHOWN, &table);
  pki_study_summary_table("Drives of the legs", &table, &out->summary);
  pki_study_rows_table(out, &rows_style, &table);
  pki_study_summary_table("Beside the paper", &table, &out->summary);
  snprintf(out->report, sizeof out->report, "%s/report.html", options->folder);
  pki_report_begin(
      &report, "Motors for the biped of Hardt and von Stryk",
      "Hardt and von Stryk 2003: The Role of Motion Dynamics in the Design, Control and Stability of "
      "Bipedal and Quadrupedal Robots, section 6");
  pki_report_contents(&report);
  pki_report_section(&report, "figure", "Figure 6");
  pki_report_paragraph(
      &report, "Torque over speed at the rotor of an RE 40 behind each of the gears, against its lines on "
               "both voltages; the choice of the paper, 66:1 on 42 V, in front.");
  pki_report_note(
      &report,
      "The paper names no motor. The RE 40, the six ratios and the losses of the gears were put on the "
      "list after the first results had been seen: that the paper's choice comes first shows that it "
      "can be the best of a motor of its time, not that it would have been foreseen.");
  const pk_status status = draw_joints(z, options->folder, &report, err);
  pki_report_section(&report, "candidates", "Candidates");
  pki_size_put_candidates(&z->groups[0], z->groups[0].ncandidate, &report);
  pki_size_plot_front(&z->groups[0], "front", &report);
  return pki_study_end_report(&report, out, &rows_style, status, err);
}
