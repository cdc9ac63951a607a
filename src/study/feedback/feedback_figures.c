/* Figures 1 and 3 of the paper as columns, transparent where the method is unstable; and the map. */
#include <math.h>
#include <stdio.h>

#include "report/svg_columns.h"
#include "study/feedback/feedback.h"

enum { CELLS = PKI_LEG_METHODS * PKI_FEEDBACK_STEPS };

static const char *const step_names[PKI_FEEDBACK_STEPS] = {"1", "2.5", "10", "50", "100"};

static void fill_cell(const pki_feedback_run *run, int i, double *values, bool *faint)
{
  values[i] = run->error;
  faint[i] = !pki_feedback_stable(run);
}

void pki_feedback_arm_svg(const pki_feedback_data *d, pki_text *out)
{
  enum { METHODS = PKI_ARM_LIMP }; /* all but the arm that falls */
  const char *names[METHODS];
  double values[CELLS];
  bool faint[CELLS];
  for (int i = 0; i < METHODS * PKI_FEEDBACK_STEPS; i++) {
    const int method = i / PKI_FEEDBACK_STEPS;
    names[method] = pki_arm_names[method].text;
    fill_cell(&d->arm[method].cells[i % PKI_FEEDBACK_STEPS], i, values, faint);
  }
  const pki_svg_columns columns = {.title = "UR10 under sinusoids",
                                   .x = {"step", "ms", step_names, PKI_FEEDBACK_STEPS},
                                   .label = "mean absolute error",
                                   .unit = "rad",
                                   .names = names,
                                   .series = METHODS,
                                   .values = values,
                                   .faint = faint,
                                   .least = 1e-11,
                                   .most = 10};
  pki_svg_columns_render(&columns, out);
}

/* One scene: errors, or slips per stance. */
void pki_feedback_leg_svg(const pki_feedback_data *d, pki_feedback_scene scene, bool slip, pki_text *out)
{
  const char *names[PKI_LEG_METHODS];
  double values[CELLS];
  bool faint[CELLS];
  char title[96];
  for (int i = 0; i < CELLS; i++) {
    const int method = i / PKI_FEEDBACK_STEPS;
    const pki_feedback_run *run = &d->legs[scene][method].cells[i % PKI_FEEDBACK_STEPS];
    names[method] = pki_leg_names[method].text;
    fill_cell(run, i, values, faint);
    values[i] = slip ? 1e3 * run->slip_mean : values[i];
    values[i] = slip && run->slip_mean < 1e-6 ? 1e-3 : values[i]; /* at the foot of the axis */
  }
  snprintf(title, sizeof title, "%s", pki_scene_names[scene].text);
  const pki_svg_columns columns = {.title = title,
                                   .x = {"step", "ms", step_names, PKI_FEEDBACK_STEPS},
                                   .label = slip ? "slip per stance" : "mean absolute error",
                                   .unit = slip ? "mm" : "rad",
                                   .names = names,
                                   .series = PKI_LEG_METHODS,
                                   .values = values,
                                   .faint = faint,
                                   .least = slip ? 1e-3 : 1e-6,
                                   .most = slip ? 1e3 : 10};
  pki_svg_columns_render(&columns, out);
}

void pki_feedback_map_svg(const pki_feedback_data *d, pki_text *out)
{
  static const char *const frictions[PKI_FEEDBACK_FRICTIONS] = {"0.2", "0.4", "0.6", "0.8",
                                                                "1.0", "1.2", "1.4"};
  const char *names[PKI_FEEDBACK_PANELS];
  double values[PKI_FEEDBACK_PANELS * PKI_FEEDBACK_FRICTIONS];
  for (int i = 0; i < PKI_FEEDBACK_PANELS * PKI_FEEDBACK_FRICTIONS; i++) {
    const int panel = i / PKI_FEEDBACK_FRICTIONS;
    names[panel] = pki_feedback_panels[panel].text;
    values[i] = (double)pki_feedback_held(d, panel, i % PKI_FEEDBACK_FRICTIONS) / d->starts;
  }
  const pki_svg_map map = {.title = "Random starts that hold",
                           .x = {"friction", NULL, frictions, PKI_FEEDBACK_FRICTIONS},
                           .y = {"", NULL, names, PKI_FEEDBACK_PANELS},
                           .values = values,
                           .unit = "%",
                           .scale = PKI_SVG_SCALE_SEA,
                           .least = 0,
                           .most = 1,
                           .width = 720,
                           .height = 240};
  pki_svg_map_render(&map, out);
}
