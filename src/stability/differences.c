#include "stability/differences.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stability/return_map.h"

/* The least of many differences is also small by chance. */
static const double safety = 3;

static double change_of(const pk_floquet_options *o, int direction, int level)
{
  return ldexp(o->step * (o->scale != NULL ? o->scale[direction] : 1), -level);
}

/* ---- values of the map ---- */

/* points [2 n][nx]: x changed by +h and by -h in each direction. */
static void place_points(const pk_return_map *map, const double *x, const pk_floquet_options *o, int level,
                         double *d, double *points)
{
  memset(d, 0, (size_t)map->n * sizeof *d);
  for (int k = 0; k < 2 * map->n; k++) {
    d[k / 2] = (k % 2 == 0 ? 1 : -1) * change_of(o, k / 2, level);
    pki_map_add(map, x, d, points + (size_t)k * (size_t)map->nx);
    d[k / 2] = 0;
  }
}

/* D [strides][n][n] from values [strides][2 n][nx] of the map; d [2][n] is scratch. */
static void difference_values(const pk_return_map *map, const pki_differences *of,
                              const pk_floquet_options *o, int level, const double *values, double *d,
                              double *D)
{
  const size_t n = (size_t)map->n, nx = (size_t)map->nx;
  for (size_t s = 0; s < (size_t)of->strides; s++) {
    for (size_t k = 0; k < n; k++) {
      const double *at = values + (s * 2 * n + 2 * k) * nx, *image = of->image + s * nx;
      const double h = change_of(o, (int)k, level);
      pki_map_subtract(map, at, image, d);
      pki_map_subtract(map, at + nx, image, d + n);
      for (size_t i = 0; i < n; i++) {
        D[(s * n + i) * n + k] = (d[i] - d[n + i]) / (2 * h);
      }
    }
  }
}

/* tableau [levels][strides][n][n]: plain differences of every level. */
static pk_status take_levels(const pk_return_map *map, const double *x, const pk_floquet_options *o,
                             const pki_differences *of, double *tableau, pk_error *err)
{
  const size_t n = (size_t)map->n, nx = (size_t)map->nx, s = (size_t)of->strides;
  double *points = malloc(2 * n * nx * sizeof *points), *values = malloc(s * 2 * n * nx * sizeof *values),
         *d = malloc(2 * n * sizeof *d);
  pk_status status =
      points != NULL && values != NULL && d != NULL ? PK_OK : pki_fail_memory(err, "differences");
  for (int level = 0; level < of->levels && status == PK_OK; level++) {
    place_points(map, x, o, level, d, points);
    status = pki_map_iterate(map, 2 * map->n, of->strides, points, values, err);
    if (status == PK_OK) {
      difference_values(map, of, o, level, values, d, tableau + (size_t)level * s * n * n);
    }
  }
  free(points);
  free(values);
  free(d);
  return status;
}

/* ---- extrapolation ---- */

/* One column of one iterate: rows of numbers at `stride` from each other, levels at `step`. */
typedef struct column {
  size_t n, stride, step;
  int levels;
} column;

/* Replace level l of order m - 1 by order m, from the last level downwards: a_m(l) = a_(m-1)(l) + (a_(m-1)(l) -
 * a_(m-1)(l-1)) / (4^m - 1). `was` [n] receives a_(m-1)(l); the largest distance of the new entry from both. */
static double extrapolate_entry(const column *c, double *a, int l, int m, double *was)
{
  const double factor = 1 / (ldexp(1, 2 * m) - 1);
  double worst = 0;
  for (size_t i = 0; i < c->n; i++) {
    double *now = a + (size_t)l * c->step + i * c->stride;
    const double above = *(now - c->step);
    was[i] = *now;
    *now += factor * (*now - above);
    worst = fmax(worst, fmax(fabs(*now - was[i]), fabs(*now - above)));
  }
  return worst;
}

/* The best entry of a column's triangle into J, its error into E, both at the column's stride. */
static void extrapolate_column(const column *c, double *a, double floor_error, double *scratch, double *J,
                               double *E)
{
  double best = INFINITY;
  /* order 0: plain differences, each judged by the one with twice its change */
  for (int l = 1; l < c->levels; l++) {
    double worst = 0;
    for (size_t i = 0; i < c->n; i++) {
      worst = fmax(
          worst, fabs(a[(size_t)l * c->step + i * c->stride] - a[(size_t)(l - 1) * c->step + i * c->stride]));
    }
    for (size_t i = 0; i < c->n && worst < best; i++) {
      J[i * c->stride] = a[(size_t)l * c->step + i * c->stride];
      E[i * c->stride] = fabs(J[i * c->stride] - a[(size_t)(l - 1) * c->step + i * c->stride]);
    }
    best = fmin(best, worst);
  }
  for (int m = 1; m < c->levels; m++) {
    for (int l = c->levels - 1; l >= m; l--) {
      const double worst = extrapolate_entry(c, a, l, m, scratch);
      for (size_t i = 0; i < c->n && worst < best; i++) {
        const double now = a[(size_t)l * c->step + i * c->stride];
        J[i * c->stride] = now;
        /* the entry above is still of the order before */
        E[i * c->stride] =
            fmax(fabs(now - scratch[i]), fabs(now - a[(size_t)(l - 1) * c->step + i * c->stride]));
      }
      best = fmin(best, worst);
    }
  }
  for (size_t i = 0; i < c->n; i++) {
    E[i * c->stride] = fmax(safety * E[i * c->stride], floor_error);
  }
}

static void extrapolate_all(const pk_floquet_options *o, pki_differences *d, double *tableau, double *scratch)
{
  const size_t n = (size_t)d->n, s = (size_t)d->strides;
  const column c = {.n = n, .stride = n, .step = s * n * n, .levels = d->levels};
  for (size_t k = 0; k < n; k++) {
    /* a rounding error of numbers of size 1, over the largest change */
    const double floor_error = DBL_EPSILON / change_of(o, (int)k, 0);
    for (size_t i = 0; i < s; i++) {
      const size_t at = i * n * n + k;
      extrapolate_column(&c, tableau + at, floor_error, scratch, d->J + at, d->E + at);
    }
  }
}

/* ---- all of it ---- */

static bool allocate_differences(const pk_return_map *map, pki_differences *d)
{
  const size_t n = (size_t)map->n, all = (size_t)d->strides * n * n;
  d->J = calloc(all, sizeof *d->J);
  d->E = calloc(all, sizeof *d->E);
  d->image = malloc((size_t)d->strides * (size_t)map->nx * sizeof *d->image);
  if (d->levels > 0) {
    d->plain = malloc((size_t)d->levels * n * n * sizeof *d->plain);
  }
  return d->J != NULL && d->E != NULL && d->image != NULL && (d->levels == 0 || d->plain != NULL);
}

static pk_status take_by_differences(const pk_return_map *map, const double *x, const pk_floquet_options *o,
                                     pki_differences *d, pk_error *err)
{
  const size_t n = (size_t)map->n, all = (size_t)d->strides * n * n;
  double *tableau = malloc((size_t)d->levels * all * sizeof *tableau), *scratch = malloc(n * sizeof *scratch);
  pk_status status = tableau != NULL && scratch != NULL ? PK_OK : pki_fail_memory(err, "differences");
  status = status == PK_OK ? take_levels(map, x, o, d, tableau, err) : status;
  if (status == PK_OK) {
    for (size_t l = 0; l < (size_t)d->levels; l++) {
      memcpy(d->plain + l * n * n, tableau + l * all, n * n * sizeof *d->plain);
    }
    extrapolate_all(o, d, tableau, scratch);
  }
  free(tableau);
  free(scratch);
  return status;
}

pk_status pki_differences_take(const pk_return_map *map, const double *x, const pk_floquet_options *options,
                               pki_differences *out, pk_error *err)
{
  const bool exact = map->differentiate != NULL;
  *out = (pki_differences){
      .n = map->n, .strides = exact ? 1 : options->strides, .levels = exact ? 0 : options->levels};
  if (!allocate_differences(map, out)) {
    return pki_fail_memory(err, "differences");
  }
  pk_status status = pki_map_iterate(map, 1, out->strides, x, out->image, err);
  if (status == PK_OK && !exact) {
    return take_by_differences(map, x, options, out, err);
  }
  if (status == PK_OK) {
    status = map->differentiate(map, x, out->J);
    return status == PK_OK ? PK_OK
                           : pki_fail(err, status, (pki_where){.field = "differentiate"},
                                      "the return map has no derivative: %s", pk_status_text(status));
  }
  return status;
}

void pki_differences_free(pki_differences *differences)
{
  free(differences->J);
  free(differences->E);
  free(differences->plain);
  free(differences->image);
  *differences = (pki_differences){0};
}
