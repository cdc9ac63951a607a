/* Pictures of a sizing study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size/size_report.h"

enum { SERIES = 24, POINTS = 500, NAME = 64, RATIOS = 10 };

static const double RPM = 60 / (2 * 3.14159265358979323846);

/* Series with their numbers. */
typedef struct drawing {
  pki_svg_series series[SERIES];
  char names[SERIES][NAME];
  double *numbers; /* [SERIES][2][POINTS + 1] */
  int n;
} drawing;

/* Room for one more series; NULL: there is none. */
static double *begin_series(drawing *d, pki_svg_style style, int color, double **y)
{
  if (d->n >= SERIES) {
    return NULL;
  }
  double *x = d->numbers + (size_t)d->n * 2 * (POINTS + 1);
  *y = x + POINTS + 1;
  d->series[d->n] = (pki_svg_series){.name = d->names[d->n], .x = x, .y = *y, .style = style, .color = color};
  return x;
}

/* ---- clouds ---- */

/* Samples of a joint at the rotor: the magnitude of its speed, and the torque along it. */
static void add_cloud(drawing *d, const pki_sizing *z, const pki_drive *drive, const char *joint, int color)
{
  int samples = 0, seen = 0, n = 0;
  double *y, *x = begin_series(d, PKI_SVG_POINTS, color, &y);
  for (int k = 0; k < z->duty.count; k++) {
    samples += z->duty.motions[k].n;
  }
  for (int k = 0; x != NULL && k < z->duty.count; k++) {
    const pki_duty_motion *m = &z->duty.motions[k];
    const pki_joint_duty *j = pki_duty_joint(m, joint);
    for (int i = 0; j != NULL && i < m->n; i++, seen++) {
      if (samples > POINTS &&
          (long long)seen * POINTS / samples == (long long)(seen - 1) * POINTS / samples) {
        continue;
      }
      const pki_rotor_point p = pki_drive_at(drive, j->speed[i], j->acceleration[i], j->torque[i]);
      if (n < POINTS) {
        x[n] = fabs(p.speed) * RPM;
        y[n++] = p.speed < 0 ? -p.torque : p.torque;
      }
    }
  }
  if (x != NULL) {
    d->series[d->n++].n = n;
  }
}

/* A straight line from standstill to a speed. */
static void add_line(drawing *d, double at_rest, double torque, double rpm, pki_svg_style style, int color)
{
  double *y, *x = begin_series(d, style, color, &y);
  if (x != NULL) {
    x[0] = 0, y[0] = at_rest;
    x[1] = rpm, y[1] = torque;
    d->series[d->n++].n = 2;
  }
}

/* Ratios that the motor has among the candidates, each once. */
static int list_ratios(const pki_size_group *g, const pki_drive *front, const pki_drive *out[RATIOS])
{
  int n = 0;
  for (int i = 0; i < g->ncandidate && n < RATIOS; i++) {
    const pki_drive *d = &g->candidates[i].drive;
    bool known = strcmp(d->motor->id, front->motor->id) != 0 || d->gear.ratio == front->gear.ratio;
    for (int k = 0; k < n; k++) {
      known |= out[k]->gear.ratio == d->gear.ratio;
    }
    if (!known) {
      out[n++] = d;
    }
  }
  return n;
}

static void add_voltages(drawing *d, const pki_size_group *g, const pki_drive_candidate *front)
{
  const pk_motor_parameters *m = &front->drive.motor->motor;
  double drawn[8];
  int n = 0;
  for (int i = -1; i < g->ncandidate && n < 8; i++) {
    const pki_drive *c = i < 0 ? &front->drive : &g->candidates[i].drive;
    bool known = strcmp(c->motor->id, front->drive.motor->id) != 0 || !(c->voltage > 0);
    for (int k = 0; k < n; k++) {
      known |= drawn[k] == c->voltage;
    }
    if (!known && d->n < SERIES) {
      snprintf(d->names[d->n], NAME, "%g V", c->voltage);
      drawn[n++] = c->voltage;
      add_line(d, m->constant * c->voltage / m->resistance, 0, c->voltage / m->constant * RPM,
               n == 1 ? PKI_SVG_LINE : PKI_SVG_DASHED, n);
    }
  }
}

/* The part of the plane that the clouds need, and a little more. */
static void find_extent(const drawing *d, int clouds, double *rpm, double *low, double *high)
{
  *rpm = *low = *high = 0;
  for (int i = 0; i < clouds; i++) {
    for (int k = 0; k < d->series[i].n; k++) {
      *rpm = fmax(*rpm, d->series[i].x[k]);
      *low = fmin(*low, d->series[i].y[k]);
      *high = fmax(*high, d->series[i].y[k]);
    }
  }
}

void pki_size_plot_cloud(const pki_sizing *z, const pki_size_group *g, int joint, const char *id,
                         pki_report *report)
{
  const pki_drive_candidate *chosen = pki_group_choice(g), *front = chosen != NULL ? chosen : g->candidates;
  drawing d = {.numbers = calloc((size_t)SERIES * 2 * (POINTS + 1), sizeof(double))};
  const pki_drive *ratios[RATIOS];
  double rpm, low, high;
  char title[200], words[160];
  if (d.numbers == NULL || g->ncandidate == 0) {
    free(d.numbers);
    return;
  }
  const int count = list_ratios(g, &front->drive, ratios);
  for (int i = 0; i < count; i++) {
    snprintf(d.names[d.n], NAME, "%.4g:1", ratios[i]->gear.ratio);
    add_cloud(&d, z, ratios[i], g->joints[joint], 3 + i % 6);
  }
  const double continuous = pki_drive_continuous(&front->drive), peak = pki_drive_peak(&front->drive);
  find_extent(&d, d.n, &rpm, &low, &high);
  add_voltages(&d, g, front);
  const double reach = fmax(rpm, front->drive.voltage / front->drive.motor->motor.constant * RPM);
  if (!isnan(continuous)) {
    snprintf(d.names[d.n < SERIES ? d.n : 0], NAME, "for long");
    add_line(&d, continuous, continuous, reach, PKI_SVG_DASHED, 8);
  }
  if (!isnan(peak)) {
    snprintf(d.names[d.n < SERIES ? d.n : 0], NAME, "largest current");
    add_line(&d, peak, peak, reach, PKI_SVG_LINE, 8);
  }
  if (d.n < SERIES) {
    snprintf(d.names[d.n], NAME, "%.4g:1, %s", front->drive.gear.ratio,
             chosen != NULL ? "chosen" : "best that fails");
    add_cloud(&d, z, &front->drive, g->joints[joint], 2);
  }
  pki_drive_words(&front->drive, words, sizeof words);
  snprintf(title, sizeof title, "%s: %s", g->joints[joint], words);
  const pki_svg_panel panel = {.title = title,
                               .x = {.label = "speed of the rotor", .unit = "rpm"},
                               .y = {.label = "torque of the rotor, along its speed", .unit = "N m"},
                               .series = d.series,
                               .nseries = d.n};
  const pki_svg_figure figure = {.id = id, .panels = &panel, .npanels = 1, .width = 620, .height = 380};
  pki_report_figure(report, &figure, NULL);
  free(d.numbers);
}

/* ---- the front ---- */

/* Candidates that fit, by two of their numbers: all, those of the front, the chosen one. */
static void add_front(drawing *d, const pki_size_group *g, bool price)
{
  static const char *const names[] = {"fits", "front", "chosen"};
  for (int kind = 0; kind < 3; kind++) {
    double *y, *x = begin_series(d, PKI_SVG_POINTS, kind == 0 ? 6 : kind == 1 ? 1 : 2, &y);
    int n = 0;
    for (int i = 0; i < g->ncandidate && n < POINTS; i++) {
      const pki_drive_candidate *c = &g->candidates[i];
      if (c->fits && (kind == 0 || (kind == 1 && c->front) || i == g->chosen)) {
        x[n] = price ? c->demand.price : c->demand.mass;
        y[n++] = c->demand.power;
      }
    }
    snprintf(d->names[d->n], NAME, "%s", names[kind]);
    d->series[d->n++].n = n;
  }
}

void pki_size_plot_front(const pki_size_group *g, const char *id, pki_report *report)
{
  drawing d = {.numbers = calloc((size_t)SERIES * 2 * (POINTS + 1), sizeof(double))};
  int masses = 0, prices = 0;
  pki_svg_panel panels[2];
  if (d.numbers == NULL) {
    return;
  }
  for (int i = 0; i < g->ncandidate; i++) {
    masses += g->candidates[i].fits && !isnan(g->candidates[i].demand.mass);
    prices += g->candidates[i].fits && !isnan(g->candidates[i].demand.price);
  }
  int n = 0;
  for (int price = 0; price < 2; price++) {
    if ((price ? prices : masses) > 0) {
      const int first = d.n;
      add_front(&d, g, price);
      panels[n++] =
          (pki_svg_panel){.title = g->name,
                          .x = {.label = price ? "price of all its drives" : "mass of all its drives",
                                .unit = price ? "EUR" : "kg"},
                          .y = {.label = "mean electrical power", .unit = "W"},
                          .series = &d.series[first],
                          .nseries = d.n - first};
    }
  }
  const pki_svg_figure figure = {.id = id, .panels = panels, .npanels = n};
  if (n > 0) {
    pki_report_figure(report, &figure, NULL);
  }
  free(d.numbers);
}
