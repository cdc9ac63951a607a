/* Joint references along a table.
 *
 * Between the lines of the table q is a cubic with continuous slopes (Hermite); a slope is that of the parabola through
 * three neighbours, zero at both ends unless the table goes round. The rate is its derivative, and continuous. The acceleration is
 * the second one: linear between two lines, it jumps in a line, where it is that of the cubic that begins there. */
#include "control/reference.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

pki_reference_place pki_reference_find(const pki_reference *ref, double t)
{
  const double last = ref->time[ref->rows - 1];
  if (t >= last && ref->loop >= 0) {
    const double from = ref->time[ref->loop], length = last - from;
    t = from + fmod(t - from, length);
  }
  if (t >= last) {
    return (pki_reference_place){.row = ref->rows - 1};
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
  return (pki_reference_place){.row = low,
                               .part = (t - ref->time[low]) / (ref->time[low + 1] - ref->time[low])};
}

pki_goal pki_reference_at(const pki_reference *ref, pki_reference_place place, int k)
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

/* The row at the time `loop`, whose joints must be where the last row has them. */
static pk_status find_loop(const pki_reference_table *t, double loop, int *row, pk_error *err)
{
  const pki_where where = {.field = "loop"};
  *row = -1;
  if (loop < 0) {
    return PK_OK;
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
  const size_t joints = (size_t)t->joints, rows = (size_t)t->rows;
  return (rows + 2 * rows * joints) * sizeof(double) + joints * sizeof(int);
}

pk_status pki_reference_init(const pki_reference_table *t, double loop, void *memory, pki_reference *out,
                             pk_error *err)
{
  const size_t joints = (size_t)t->joints, rows = (size_t)t->rows;
  *out = (pki_reference){.joints = t->joints, .rows = t->rows};
  const pk_status status = find_loop(t, loop, &out->loop, err);
  if (status != PK_OK) {
    return status;
  }
  double *time = memory, *q = time + rows, *slope = q + rows * joints;
  int *dof = (int *)(void *)(slope + rows * joints);
  memcpy(dof, t->dof, joints * sizeof *dof);
  if (rows > 0) {
    memcpy(time, t->time, rows * sizeof *time);
    memcpy(q, t->q, rows * joints * sizeof *q);
  }
  set_slopes(t, out->loop, slope);
  out->dof = dof, out->time = time, out->q = q, out->slope = slope;
  return PK_OK;
}
