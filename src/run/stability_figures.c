/* Stability in pictures: margins along a run, and paths of points on the ground from above. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report_data.h"
#include "run/stability_replay.h"

/* ---- along the run ---- */

/* Stretches of time in which each phase lasts. */
typedef struct phase_bands {
  double *from[PKI_SUPPORT_PHASES], *to[PKI_SUPPORT_PHASES];
  int n[PKI_SUPPORT_PHASES];
} phase_bands;

static bool find_bands(const pki_stability_curves *c, phase_bands *bands)
{
  bool good = true;
  for (int p = 0; p < PKI_SUPPORT_PHASES; p++) {
    bands->from[p] = malloc(((size_t)c->n + 1) * sizeof(double));
    bands->to[p] = malloc(((size_t)c->n + 1) * sizeof(double));
    good = good && bands->from[p] != NULL && bands->to[p] != NULL;
  }
  for (int i = 1; i < c->n && good && c->phase != NULL; i++) {
    const pki_support_phase p = c->phase[i];
    int *n = &bands->n[p];
    if (*n > 0 && bands->to[p][*n - 1] == c->time[i - 1]) {
      bands->to[p][*n - 1] = c->time[i];
    } else {
      bands->from[p][*n] = c->time[i - 1];
      bands->to[p][(*n)++] = c->time[i];
    }
  }
  return good;
}

static void free_bands(phase_bands *bands)
{
  for (int p = 0; p < PKI_SUPPORT_PHASES; p++) {
    free(bands->from[p]);
    free(bands->to[p]);
  }
}

/* S_H over the phases of the gait. */
static void momentum_figure(pki_report *report, const pki_stability_curves *c, pki_svg_axis time)
{
  phase_bands bands = {0};
  pki_svg_series series[PKI_SUPPORT_PHASES + 1];
  int n = 0;
  if (c->margin[PK_STABILITY_S_H] != NULL && find_bands(c, &bands)) {
    for (int p = 0; p < PKI_SUPPORT_PHASES; p++) {
      if (bands.n[p] > 0) {
        series[n] = (pki_svg_series){.name = pki_support_phase_names[p],
                                     .x = bands.from[p],
                                     .y = bands.to[p],
                                     .n = bands.n[p],
                                     .style = PKI_SVG_BANDS,
                                     .color = p + 1};
        n++;
      }
    }
    series[n] = (pki_svg_series){
        .name = "S_H", .x = c->time, .y = c->margin[PK_STABILITY_S_H], .n = c->n, .color = PKI_INK_DARK};
    n++;
    const pki_svg_panel panel = {.x = time,
                                 .y = {.label = "S_H", .unit = pk_stability_measure_unit(PK_STABILITY_S_H)},
                                 .series = series,
                                 .nseries = n,
                                 .time = true};
    const pki_svg_figure figure = {
        .id = "stability-s-h", .panels = &panel, .npanels = 1, .width = 1040, .height = 300};
    pki_report_figure(report, &figure,
                      "S_H: angular momentum about the support edge where least is left. Negative: the robot "
                      "tips over that edge, or falls back before a diagonal one.");
  }
  free_bands(&bands);
}

static void margin_panels(pki_report *report, const pki_stability_curves *c, pki_svg_axis time)
{
  pki_report_panels_begin(report);
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const pk_stability_measure measure = (pk_stability_measure)i;
    if (c->margin[i] == NULL || measure == PK_STABILITY_S_H) {
      continue;
    }
    char title[96], id[32];
    snprintf(title, sizeof title, "%s (%s)", pk_stability_measure_name(measure),
             pk_stability_measure_unit(measure));
    snprintf(id, sizeof id, "stability-%d", i);
    const pki_svg_series series = {.x = c->time, .y = c->margin[i], .n = c->n, .color = PKI_INK_MAIN};
    const pki_svg_panel panel = {.title = title, .x = time, .series = &series, .nseries = 1, .time = true};
    pki_report_panel(
        report, &(pki_svg_figure){
                    .id = id, .panels = &panel, .npanels = 1, .width = 350, .height = 200, .compact = true});
  }
  pki_report_panels_end(report, "Margins along the run; negative is outside. Gaps: nothing supports, or the "
                                "measure needs more feet.");
}

/* ---- from above ---- */

enum { PATHS = 4, PLAN_WIDTH = 1040, PLAN_HEIGHT_MOST = 620 };

static void widen(double range[2], const double *x, int n)
{
  for (int i = 0; i < n && x != NULL; i++) {
    if (isfinite(x[i])) {
      range[0] = fmin(range[0], x[i]);
      range[1] = fmax(range[1], x[i]);
    }
  }
}

/* Ranges of the plot with a metre as long in x as in y, and the height that it needs. */
static double equal_scale(double x[2], double y[2])
{
  static const double beside = 88, above = 92; /* pixels around the plot, wide margins with a legend */
  const double air = 0.05 * fmax(x[1] - x[0], y[1] - y[0]) + 1e-3;
  x[0] -= air, x[1] += air, y[0] -= air, y[1] += air;
  double scale = (PLAN_WIDTH - beside) / (x[1] - x[0]); /* pixels per metre */
  double height = scale * (y[1] - y[0]);
  if (height > PLAN_HEIGHT_MOST - above) {
    height = PLAN_HEIGHT_MOST - above;
    scale = height / (y[1] - y[0]);
    const double more = 0.5 * ((PLAN_WIDTH - beside) / scale - (x[1] - x[0]));
    x[0] -= more, x[1] += more;
  } else if (height < 120) {
    const double more = 0.5 * (120 - height) / scale;
    y[0] -= more, y[1] += more;
    height = 120;
  }
  return height + above;
}

static void plan_figure(pki_report *report, const pki_stability_curves *c)
{
  static const char *const names[PATHS] = {"GCoM", "ZMP", "FRI", "capture point"};
  static const int colors[PATHS] = {PKI_INK_DARK, 1, 2, 4};
  const double *const x[PATHS] = {c->gcom[0], c->zmp[0], c->fri[0], c->dcm[0]}, *const y[PATHS] = {
                                                                                    c->gcom[1], c->zmp[1],
                                                                                    c->fri[1], c->dcm[1]};
  pki_svg_series series[PKI_OUTLINES + PATHS];
  double range_x[2] = {INFINITY, -INFINITY}, range_y[2] = {INFINITY, -INFINITY};
  int n = 0;
  for (int i = 0; i < c->noutline; i++) {
    const pki_support_outline *o = &c->outlines[i];
    series[n] = (pki_svg_series){.name = i == 0 ? "support" : NULL,
                                 .x = o->x,
                                 .y = o->y,
                                 .n = o->n,
                                 .style = o->n > 1 ? PKI_SVG_LINE : PKI_SVG_POINTS,
                                 .color = PKI_INK_PALE};
    n++;
    widen(range_x, o->x, o->n);
    widen(range_y, o->y, o->n);
  }
  for (int i = 0; i < PATHS; i++) {
    if (x[i] != NULL && y[i] != NULL) {
      series[n] = (pki_svg_series){.name = names[i],
                                   .x = x[i],
                                   .y = y[i],
                                   .n = c->n,
                                   .style = i == 2 ? PKI_SVG_DASHED : PKI_SVG_LINE,
                                   .color = colors[i]};
      n++;
      widen(range_x, i < 3 ? x[i] : NULL, c->n);
      widen(range_y, i < 3 ? y[i] : NULL, c->n);
    }
  }
  if (n == c->noutline || !(range_x[1] >= range_x[0])) {
    return;
  }
  const double height = equal_scale(range_x, range_y);
  const pki_svg_panel panel = {.x = {.label = "x", .unit = "m", .least = range_x[0], .most = range_x[1]},
                               .y = {.label = "y", .unit = "m", .least = range_y[0], .most = range_y[1]},
                               .series = series,
                               .nseries = n};
  const pki_svg_figure figure = {
      .id = "stability-plan", .panels = &panel, .npanels = 1, .width = PLAN_WIDTH, .height = height};
  pki_report_subheading(report, "From above");
  pki_report_figure(report, &figure,
                    c->noutline > 0
                        ? "Paths on the ground, and supports half way through phases spread over the run."
                        : "Paths on the ground.");
}

void pki_stability_figures(pki_report *report, const pki_stability_curves *curves, pki_svg_axis time)
{
  momentum_figure(report, curves, time);
  margin_panels(report, curves, time);
  plan_figure(report, curves);
}
