/* Joint references along a table or along sinusoids.
 *
 * Between the lines of the table q is a cubic with continuous slopes (Hermite); a slope is that of the parabola through
 * three neighbours, zero at both ends unless the table goes round. The rate is its derivative, and continuous. The acceleration is
 * the second one: linear between two lines, it jumps in a line, where it is that of the cubic that begins there.
 *
 * Or q is a straight line from one line of the table to the next, its rate that of the line that begins, its acceleration 0.
 *
 * Sinusoids are q = mean + sum over k of a_k sin(2 pi k t/period + phase_k), with their exact derivatives.
 *
 * The ramp takes a joint from where it started, q_0, to the reference q_r: q = q_0 + s (q_r - q_0), s = x^3 (10 - 15 x + 6 x^2) with
 * x = t/ramp, so that s, s' and s'' are 0 at its start and s', s'' at its end. Rate and acceleration are those of the product. */
#include "control/reference.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double two_pi = 6.28318530717958647692;

/* Row and part of a time in a table with rows. */
static void find_row(const pki_reference *ref, double t, pki_reference_place *place)
{
  const double last = ref->time[ref->rows - 1];
  if (t >= last && ref->loop >= 0) {
    const double from = ref->time[ref->loop], length = last - from;
    t = from + fmod(t - from, length);
  }
  if (t >= last) {
    place->row = ref->rows - 1;
    return;
  }
  int low = 0, high = ref->rows - 1; /* time[low] <= t < time[high] */
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (ref->time[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  place->row = low;
  place->part = (t - ref->time[low]) / (ref->time[low + 1] - ref->time[low]);
}

pki_reference_place pki_reference_find(const pki_reference *ref, double t)
{
  pki_reference_place place = {.time = t, .fade = 1};
  if (ref->rows > 0) {
    find_row(ref, t, &place);
  }
  if (t < ref->ramp) {
    const double x = fmax(t / ref->ramp, 0), y = 1 - x;
    place.fade = x * x * x * (10 - 15 * x + 6 * x * x);
    place.fade_rate = 30 * x * x * y * y / ref->ramp;
    place.fade_acceleration = 60 * x * y * (y - x) / (ref->ramp * ref->ramp);
  }
  return place;
}

/* Sinusoids of column k. */
static pki_goal wave_at(const pki_reference *ref, double t, int k)
{
  const int joints = ref->joints;
  const double *wave = ref->wave + k, period = wave[PKI_WAVE_PERIOD * joints];
  const double turns = t / period, base = two_pi * (turns - floor(turns));
  pki_goal to = {.q = wave[PKI_WAVE_MEAN * joints]};
  for (int h = 1; h <= ref->harmonics; h++) {
    const int row = PKI_WAVE_HARMONICS + 2 * (h - 1);
    const double a = wave[row * joints], angle = h * base + wave[(row + 1) * joints], w = two_pi * h / period;
    const double sine = a * sin(angle);
    to.q += sine;
    to.u += w * a * cos(angle);
    to.a -= w * w * sine;
  }
  return to;
}

/* The straight line of column k. */
static pki_goal line_at(const pki_reference *ref, pki_reference_place place, int k)
{
  const int row = place.row, at = row * ref->joints + k;
  if (row == ref->rows - 1) {
    return (pki_goal){.q = ref->q[at]};
  }
  const double rise = ref->q[at + ref->joints] - ref->q[at];
  return (pki_goal){.q = ref->q[at] + place.part * rise, .u = rise / (ref->time[row + 1] - ref->time[row])};
}

/* The cubic of column k. */
static pki_goal cubic_at(const pki_reference *ref, pki_reference_place place, int k)
{
  const int row = place.row, at = row * ref->joints + k, next = at + ref->joints;
  if (row == ref->rows - 1) {
    return (pki_goal){.q = ref->q[at]};
  }
  const double h = ref->time[row + 1] - ref->time[row], s = place.part, r = 1 - place.part;
  const double m0 = h * ref->slope[at], m1 = h * ref->slope[next], rise = ref->q[next] - ref->q[at];
  return (pki_goal){.q = ref->q[at] + rise * s * s * (3 - 2 * s) + m0 * s * r * r - m1 * s * s * r,
                    .u = (6 * rise * s * r + m0 * r * (1 - 3 * s) + m1 * s * (3 * s - 2)) / h,
                    .a = (6 * rise * (r - s) + m0 * (6 * s - 4) + m1 * (6 * s - 2)) / (h * h)};
}

pki_goal pki_reference_at(const pki_reference *ref, pki_reference_place place, int k)
{
  if (ref->harmonics > 0) {
    return wave_at(ref, place.time, k);
  }
  if (ref->rows == 0) {
    return (pki_goal){0};
  }
  return ref->linear ? line_at(ref, place, k) : cubic_at(ref, place, k);
}

pki_goal pki_reference_from(const pki_reference *ref, pki_reference_place place, pki_goal to, double start)
{
  if (ref->rows == 0 && ref->harmonics == 0) {
    return (pki_goal){.q = start};
  }
  if (!(place.time < ref->ramp)) {
    return to;
  }
  const double way = to.q - start;
  return (pki_goal){.q = start + place.fade * way,
                    .u = place.fade_rate * way + place.fade * to.u,
                    .a = place.fade_acceleration * way + 2 * place.fade_rate * to.u + place.fade * to.a};
}

/* The row at the time `loop`, whose joints must be where the last row has them. */
static pk_status find_loop(const pki_reference_table *t, double loop, int *row, pk_error *err)
{
  const pki_where where = {.field = "loop"};
  *row = -1;
  if (loop < 0) {
    return PK_OK;
  }
  if (t->harmonics > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "loop is %g s, expected less than 0: sinusoids go on by themselves", loop);
  }
  for (int i = 0; i < t->rows - 1; i++) {
    *row = fabs(t->time[i] - loop) <= 1e-9 ? i : *row;
  }
  if (*row < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "loop is %g s, expected the time of a line of the table before its last", loop);
  }
  for (int k = 0; k < t->joints; k++) {
    const double from = t->q[(t->rows - 1) * t->joints + k], to = t->q[*row * t->joints + k];
    if (fabs(from - to) > 1e-9) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, where,
          "column %d is %g in the last line and %g in the one at %g s, expected the same for a loop", k + 1,
          from, to, loop);
    }
  }
  return PK_OK;
}

/* Slope of the parabola through three points at the middle one. */
static double parabola_slope(double h0, double d0, double h1, double d1)
{
  return (h1 * d0 + h0 * d1) / (h0 + h1);
}

/* Secant of column k from row i to the next. */
static double secant_slope(const pki_reference_table *t, int i, int k)
{
  return (t->q[(i + 1) * t->joints + k] - t->q[i * t->joints + k]) / (t->time[i + 1] - t->time[i]);
}

static void set_slopes(const pki_reference_table *t, int loop, double *slope)
{
  const int last = t->rows - 1;
  for (int k = 0; k < t->joints; k++) {
    for (int i = 0; i < t->rows; i++) {
      double s = 0;
      if (i > 0 && i < last) {
        s = parabola_slope(t->time[i] - t->time[i - 1], secant_slope(t, i - 1, k),
                           t->time[i + 1] - t->time[i], secant_slope(t, i, k));
      }
      slope[i * t->joints + k] = s;
    }
    if (loop >= 0) { /* the last line is the one that it goes back to */
      slope[last * t->joints + k] = slope[loop * t->joints + k] =
          parabola_slope(t->time[last] - t->time[last - 1], secant_slope(t, last - 1, k),
                         t->time[loop + 1] - t->time[loop], secant_slope(t, loop, k));
    }
  }
}

size_t pki_reference_size(const pki_reference_table *t)
{
  const size_t joints = (size_t)t->joints, rows = (size_t)t->rows,
               wave = t->harmonics > 0 ? PKI_WAVE_ROWS * joints : 0;
  return (rows + 2 * rows * joints + wave) * sizeof(double) + joints * sizeof(int);
}

pk_status pki_reference_init(const pki_reference_table *t, const pki_reference_options *o, void *memory,
                             pki_reference *out, pk_error *err)
{
  const size_t joints = (size_t)t->joints, rows = (size_t)t->rows,
               waves = t->harmonics > 0 ? PKI_WAVE_ROWS * joints : 0;
  *out = (pki_reference){
      .joints = t->joints, .rows = t->rows, .harmonics = t->harmonics, .linear = o->linear, .ramp = o->ramp};
  const pk_status status = find_loop(t, o->loop, &out->loop, err);
  if (status != PK_OK) {
    return status;
  }
  double *time = memory, *q = time + rows, *slope = q + rows * joints, *wave = slope + rows * joints;
  int *dof = (int *)(void *)(wave + waves);
  memcpy(dof, t->dof, joints * sizeof *dof);
  if (rows > 0) {
    memcpy(time, t->time, rows * sizeof *time);
    memcpy(q, t->q, rows * joints * sizeof *q);
  }
  if (waves > 0) {
    memcpy(wave, t->wave, waves * sizeof *wave);
  }
  set_slopes(t, out->loop, slope);
  out->dof = dof, out->time = time, out->q = q, out->slope = slope, out->wave = wave;
  return PK_OK;
}
