/* Figures 9 to 12 of the paper. */
#include <stdio.h>

#include "base/folders.h"
#include "report/report.h"
#include "study/coman/coman.h"

static pk_status add_figure(const pki_svg_figure *figure, const char *caption, const char *folder,
                            pki_report *report, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_report_figure(report, figure, caption);
  snprintf(path, sizeof path, "%s/%s.svg", folder, figure->id);
  return pki_svg_save(figure, path, err);
}

static pki_svg_series curve(const pki_coman_lift *r, const char *name, int channel, pki_svg_style style)
{
  return (pki_svg_series){.name = name,
                          .x = r->curves.values[PKI_COMAN_TIME],
                          .y = r->curves.values[channel],
                          .n = r->curves.n,
                          .style = style};
}

static const pki_svg_axis seconds = {.label = "time", .unit = "s"};

/* Fig. 9: references of the right arm's motors, and joints. */
static pk_status draw_arm(const pki_coman_lift *r, const char *folder, pki_report *report, pk_error *err)
{
  static const char *const titles[PKI_COMAN_ARM] = {"q22: shoulder, sagittal", "q23: shoulder, lateral",
                                                    "q24: shoulder, yaw", "q25: elbow"};
  pki_svg_series series[PKI_COMAN_ARM][3];
  pki_svg_panel panels[PKI_COMAN_ARM];
  for (int k = 0; k < PKI_COMAN_ARM; k++) {
    series[k][0] = curve(r, "reference", PKI_COMAN_REFERENCE + k, PKI_SVG_DASHED);
    series[k][1] = curve(r, "motor", PKI_COMAN_MOTOR + k, PKI_SVG_LINE);
    series[k][2] = curve(r, "joint", PKI_COMAN_JOINT + k, PKI_SVG_LINE);
    panels[k] = (pki_svg_panel){.title = titles[k],
                                .x = seconds,
                                .y = {.label = "angle", .unit = "rad"},
                                .series = series[k],
                                .nseries = 3};
  }
  const pki_svg_figure figure = {.id = "fig-9", .panels = panels, .npanels = PKI_COMAN_ARM, .columns = 2};
  return add_figure(&figure,
                    "Fig. 9: references of the motors of the right arm, their angles, and the joints'.",
                    folder, report, err);
}

/* Fig. 10: forces, under each law. */
static pk_status draw_forces(const pki_coman_data *d, const pki_coman_case *which, int count,
                             const char *folder, pki_report *report, pk_error *err)
{
  static const struct {
    const char *title, *label, *unit;
    int channel;
  } parts[] = {{"All contact forces on the box, upwards", "force", "N", PKI_COMAN_BOX_FORCE},
               {"Normal force of a wrist on the box", "force", "N", PKI_COMAN_GRASP},
               {"Vertical force on a foot", "force", "N", PKI_COMAN_FOOT},
               {"How far the box is turned", "angle", "deg", PKI_COMAN_BOX_TILT}};
  enum { PARTS = sizeof parts / sizeof parts[0] };
  pki_svg_series series[PARTS][PKI_COMAN_CASES];
  pki_svg_panel panels[PARTS];
  for (int p = 0; p < PARTS; p++) {
    for (int i = 0; i < count; i++) {
      series[p][i] =
          curve(&d->lifts[which[i]], pki_coman_variants[which[i]].text, parts[p].channel, PKI_SVG_LINE);
    }
    panels[p] = (pki_svg_panel){.title = parts[p].title,
                                .x = seconds,
                                .y = {.label = parts[p].label, .unit = parts[p].unit},
                                .series = series[p],
                                .nseries = count};
  }
  const pki_svg_figure figure = {.id = "fig-10", .panels = panels, .npanels = PARTS, .columns = 2};
  return add_figure(&figure, "Fig. 10: contact forces.", folder, report, err);
}

/* Fig. 11: the grasp with stiff and with soft elbows, and the soft elbow's motor and joint. */
static pk_status draw_elbows(const pki_coman_lift *stiff, const pki_coman_lift *soft, const char *folder,
                             pki_report *report, pk_error *err)
{
  const int elbow = PKI_COMAN_ARM - 1;
  const pki_svg_series grasps[] = {curve(stiff, "K_s 120 N m/rad", PKI_COMAN_GRASP, PKI_SVG_LINE),
                                   curve(soft, "K_s 1.2e-3 N m/rad", PKI_COMAN_GRASP, PKI_SVG_LINE)};
  const pki_svg_series angles[] = {curve(soft, "motor", PKI_COMAN_MOTOR + elbow, PKI_SVG_LINE),
                                   curve(soft, "joint", PKI_COMAN_JOINT + elbow, PKI_SVG_LINE)};
  const pki_svg_panel panels[] = {{.title = "Grasping force",
                                   .x = seconds,
                                   .y = {.label = "force", .unit = "N"},
                                   .series = grasps,
                                   .nseries = 2},
                                  {.title = "The soft elbow, q25",
                                   .x = seconds,
                                   .y = {.label = "angle", .unit = "rad"},
                                   .series = angles,
                                   .nseries = 2}};
  const pki_svg_figure figure = {.id = "fig-11", .panels = panels, .npanels = 2};
  return add_figure(&figure, "Fig. 11: softer springs in the elbows.", folder, report, err);
}

/* Fig. 12: the squat. */
static pk_status draw_squat(const pki_coman_squat *s, const char *folder, pki_report *report, pk_error *err)
{
  const pki_svg_series hip[] = {
      {.name = "reference", .x = s->time, .y = s->hip_reference, .n = s->n, .style = PKI_SVG_DASHED},
      {.name = "joint", .x = s->time, .y = s->hip, .n = s->n}};
  const pki_svg_series knee[] = {{.x = s->time, .y = s->knee, .n = s->n}};
  const pki_svg_series foot[] = {{.name = "contact", .x = s->time, .y = s->foot, .n = s->n},
                                 {.name = "m (g + a)", .x = s->time, .y = s->expected, .n = s->n}};
  const pki_svg_panel panels[] = {
      {.title = "Hip", .x = seconds, .y = {.label = "angle", .unit = "rad"}, .series = hip, .nseries = 2},
      {.title = "Knee", .x = seconds, .y = {.label = "torque", .unit = "N m"}, .series = knee, .nseries = 1},
      {.title = "Vertical force on both feet",
       .x = seconds,
       .y = {.label = "force", .unit = "N"},
       .series = foot,
       .nseries = 2}};
  const pki_svg_figure figure = {.id = "fig-12", .panels = panels, .npanels = 3, .columns = 2};
  return add_figure(&figure, "Fig. 12: the squat of WALK-MAN.", folder, report, err);
}

pk_status pki_coman_figures(const pki_coman_data *d, const char *folder, pki_report *report, pk_error *err)
{
  static const pki_coman_case shown[] = {PKI_COMAN_SOFT, PKI_COMAN_HARD};
  const pki_coman_lift *stiff = &d->lifts[PKI_COMAN_SOFT], *soft = &d->lifts[PKI_COMAN_SOFT_LIMP];
  pk_status status = draw_arm(stiff, folder, report, err);
  status =
      status == PK_OK ? draw_forces(d, shown, sizeof shown / sizeof shown[0], folder, report, err) : status;
  status = status == PK_OK ? draw_elbows(stiff, soft, folder, report, err) : status;
  return status == PK_OK ? draw_squat(&d->squat, folder, report, err) : status;
}
