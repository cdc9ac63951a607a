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

/* Where the samples of a bucket go furthest: by torque, and by what they need of the voltage. */
typedef struct bucket {
  pki_rotor_point torque, volts;
  double most_torque, most_volts; /* negative: it is empty */
} bucket;

static void add_to_bucket(bucket *b, const pk_motor_parameters *m, pki_rotor_point p)
{
  const double volts = fabs(m->resistance * p.torque / m->constant + m->constant * p.speed);
  if (fabs(p.torque) > b->most_torque) {
    b->torque = p;
    b->most_torque = fabs(p.torque);
  }
  if (volts > b->most_volts) {
    b->volts = p;
    b->most_volts = volts;
  }
}

static void put_point(double *x, double *y, int *n, pki_rotor_point p)
{
  x[*n] = fabs(p.speed) * RPM;
  y[(*n)++] = p.speed < 0 ? -p.torque : p.torque;
}

static void put_bucket(double *x, double *y, int *n, const bucket *b)
{
  if (b->most_torque >= 0) {
    put_point(x, y, n, b->torque);
    put_point(x, y, n, b->volts);
  }
}

/* Samples of a joint at the rotor: the magnitude of its speed, and the torque along it. Where there are more than can be told apart, two of each
 * bucket, so that what comes nearest to a line is among them. */
static void add_cloud(drawing *d, const pki_sizing *z, const pki_drive *drive, const char *joint, int color)
{
  const bucket empty = {.most_torque = -1, .most_volts = -1};
  bucket b = empty;
  long samples = 0, seen = 0;
  int n = 0;
  double *y = NULL, *x = begin_series(d, PKI_SVG_POINTS, color, &y);
  for (int k = 0; k < z->duty.count; k++) {
    samples += pki_duty_joint(&z->duty.motions[k], joint) != NULL ? z->duty.motions[k].n : 0;
  }
  const long buckets = samples > POINTS ? POINTS / 2 : samples;
  for (int k = 0; x != NULL && k < z->duty.count; k++) {
    const pki_duty_motion *m = &z->duty.motions[k];
    const pki_joint_duty *j = pki_duty_joint(m, joint);
    for (int i = 0; j != NULL && i < m->n; i++, seen++) {
      const pki_rotor_point p = pki_drive_at(drive, j->speed[i], j->acceleration[i], j->torque[i]);
      if (samples <= POINTS) {
        put_point(x, y, &n, p);
        continue;
      }
      if (seen > 0 && seen * buckets / samples != (seen - 1) * buckets / samples) {
        put_bucket(x, y, &n, &b);
        b = empty;
      }
      add_to_bucket(&b, &drive->motor->motor, p);
    }
  }
  if (x != NULL) {
    put_bucket(x, y, &n, &b);
    d->series[d->n++].n = n;
  }
}

/* A straight line from standstill to a speed. */
static void add_line(drawing *d, double at_rest, double torque, double rpm, pki_svg_style style, int color)
{
  double *y = NULL, *x = begin_series(d, style, color, &y);
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

/* The line of a voltage with a winding of so many ohm, from where it comes below `top` to its end at the axis. */
static void add_voltage(drawing *d, const pki_drive *drive, double resistance, double top, bool front)
{
  const pk_motor_parameters *m = &drive->motor->motor;
  const double voltage = pki_drive_volts(drive);
  const double stall = m->constant * voltage / resistance, fastest = voltage / m->constant * RPM;
  double *y = NULL, *x = begin_series(d, front ? PKI_SVG_LINE : PKI_SVG_DASHED, 1, &y);
  if (x != NULL) {
    snprintf(d->names[d->n], NAME, "%g V", drive->voltage);
    x[0] = stall > top ? fastest * (1 - top / stall) : 0, y[0] = fmin(stall, top);
    x[1] = fastest, y[1] = 0;
    d->series[d->n++].n = 2;
  }
}

/* Those of all voltages of the motor, the front's first; the winding is as warm as the front's, by which its demand is judged. */
static void add_voltages(drawing *d, const pki_size_group *g, const pki_drive_candidate *front, double top)
{
  const double resistance =
      front->drive.motor->motor.resistance * pki_drive_warmth(&front->drive, &front->demand);
  double drawn[8];
  int n = 0;
  for (int i = -1; i < g->ncandidate && n < 8; i++) {
    const pki_drive *c = i < 0 ? &front->drive : &g->candidates[i].drive;
    bool known = strcmp(c->motor->id, front->drive.motor->id) != 0 || !(c->voltage > 0);
    for (int k = 0; k < n; k++) {
      known |= drawn[k] == c->voltage;
    }
    if (!known) {
      drawn[n++] = c->voltage;
      add_voltage(d, c, resistance, top, i < 0);
    }
  }
}

/* Largest torque of the clouds. */
static double largest_torque(const drawing *d)
{
  double most = 0;
  for (int i = 0; i < d->n; i++) {
    for (int k = 0; k < d->series[i].n; k++) {
      most = fmax(most, fabs(d->series[i].y[k]));
    }
  }
  return most;
}

/* What the motor does for long, and by its largest current. */
static void add_limits(drawing *d, const pki_drive *drive, double ambient)
{
  const double volts = pki_drive_volts(drive);
  const double reach = volts > 0 ? volts / drive->motor->motor.constant * RPM : 1000;
  const double torques[2] = {pki_drive_continuous(drive, ambient), pki_drive_peak(drive)};
  static const char *const names[2] = {"for long", "largest current"};
  for (int i = 0; i < 2; i++) {
    if (!isnan(torques[i]) && d->n < SERIES) {
      snprintf(d->names[d->n], NAME, "%s", names[i]);
      add_line(d, torques[i], torques[i], reach, i == 0 ? PKI_SVG_DASHED : PKI_SVG_LINE, 2);
    }
  }
}

pk_status pki_size_plot_cloud(const pki_sizing *sizing, const pki_size_group *g, int joint,
                              const pki_drive_candidate *front, const char *id, const char *path,
                              pki_report *report, pk_error *err)
{
  const pki_drive_candidate *chosen = pki_group_choice(g);
  front = front != NULL ? front : chosen != NULL ? chosen : g->candidates;
  drawing d = {.numbers = calloc((size_t)SERIES * 2 * (POINTS + 1), sizeof(double))};
  const pki_drive *ratios[RATIOS];
  char title[200], words[160];
  if (d.numbers == NULL || g->ncandidate == 0) {
    free(d.numbers);
    return d.numbers == NULL ? pki_fail_memory(err, "a plot") : PK_OK;
  }
  const int count = list_ratios(g, &front->drive, ratios);
  for (int i = 0; i < count; i++) {
    snprintf(d.names[d.n], NAME, "%.4g:1", ratios[i]->gear.ratio);
    add_cloud(&d, sizing, ratios[i], g->joints[joint], 3 + i % 5);
  }
  if (d.n < SERIES) {
    snprintf(d.names[d.n], NAME, "%.4g:1, %s", front->drive.gear.ratio,
             front == chosen ? "chosen"
             : front->fits   ? "fits"
                             : "fails");
    add_cloud(&d, sizing, &front->drive, g->joints[joint], 2);
  }
  /* clouds first, so that the lines know how far they reach; the last one is drawn in front of its neighbours */
  add_voltages(&d, g, front, 3 * largest_torque(&d));
  add_limits(&d, &front->drive, sizing->options.ambient);
  pki_drive_words(&front->drive, words, sizeof words);
  snprintf(title, sizeof title, "%s: %s", g->joints[joint], words);
  const pki_svg_panel panel = {.title = title,
                               .x = {.label = "speed of the rotor", .unit = "rpm"},
                               .y = {.label = "torque of the rotor, along its speed", .unit = "N m"},
                               .series = d.series,
                               .nseries = d.n};
  const pki_svg_figure figure = {.id = id, .panels = &panel, .npanels = 1, .width = 620, .height = 380};
  pki_report_figure(report, &figure, NULL);
  const pk_status status = path != NULL ? pki_svg_save(&figure, path, err) : PK_OK;
  free(d.numbers);
  return status;
}

/* ---- the front ---- */

/* Candidates that fit, by two of their numbers: all, those of the front, the chosen one. */
static void add_front(drawing *d, const pki_size_group *g, bool price)
{
  static const char *const names[] = {"fits", "front", "chosen"};
  for (int kind = 0; kind < 3; kind++) {
    double *y = NULL, *x = begin_series(d, PKI_SVG_POINTS, kind == 0 ? 6 : kind == 1 ? 1 : 2, &y);
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

/* The range of the points of a series along x, with air beside them. */
static void find_width(const pki_svg_series *s, double *least, double *most)
{
  *least = INFINITY, *most = -INFINITY;
  for (int i = 0; i < s->n; i++) {
    *least = fmin(*least, s->x[i]); /* the other where one is NAN */
    *most = fmax(*most, s->x[i]);
  }
  const double air = *most > *least ? 0.06 * (*most - *least) : 0.06 * fabs(*most);
  *least -= air;
  *most += air;
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
      double least, most;
      add_front(&d, g, price);
      find_width(&d.series[first], &least, &most);
      panels[n++] =
          (pki_svg_panel){.title = g->name,
                          .x = {.label = price ? "price of all its drives" : "mass of all its drives",
                                .unit = price ? "EUR" : "kg",
                                .least = least,
                                .most = most},
                          .y = {.label = "mean electrical power", .unit = "W"},
                          .series = &d.series[first],
                          .nseries = d.n - first};
    }
  }
  const pki_svg_figure figure = {.id = id, .panels = panels, .npanels = n};
  if (n > 0) {
    pki_report_figure(report, &figure, NULL);
  }
  if (prices == 0) {
    pki_report_note(report,
                    "No price: none of the drives that fit has one in its file, so the front is that of mass "
                    "and power alone. A price in files of motors and gears adds it.");
  }
  free(d.numbers);
}
