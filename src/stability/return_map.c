#include "stability/return_map.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* `apply` again and again, for maps without `iterate`. */
static pk_status iterate_by_apply(const pk_return_map *map, int count, int strides, const double *x,
                                  double *out)
{
  const size_t nx = (size_t)map->nx, row = (size_t)count * nx;
  pk_status status = PK_OK;
  for (size_t s = 0; s < (size_t)strides; s++) {
    const double *from = s == 0 ? x : out + (s - 1) * row;
    for (size_t i = 0; i < (size_t)count && status == PK_OK; i++) {
      status = map->apply(map, from + i * nx, out + s * row + i * nx);
    }
  }
  return status;
}

pk_status pki_map_iterate(const pk_return_map *map, int count, int strides, const double *x, double *out,
                          pk_error *err)
{
  const size_t numbers = (size_t)strides * (size_t)count * (size_t)map->nx;
  const pk_status status = map->iterate != NULL ? map->iterate(map, count, strides, x, out)
                                                : iterate_by_apply(map, count, strides, x, out);
  if (status != PK_OK) {
    return pki_fail(err, status, (pki_where){0}, "the return map has no value near the gait: %s",
                    pk_status_text(status));
  }
  for (size_t i = 0; i < numbers; i++) {
    if (!isfinite(out[i])) {
      return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0}, "a value of the return map is not finite");
    }
  }
  return PK_OK;
}

void pki_map_add(const pk_return_map *map, const double *x, const double *d, double *out)
{
  if (map->add != NULL) {
    map->add(map, x, d, out);
    return;
  }
  for (int i = 0; i < map->n; i++) {
    out[i] = x[i] + d[i];
  }
}

void pki_map_subtract(const pk_return_map *map, const double *a, const double *b, double *d)
{
  if (map->subtract != NULL) {
    map->subtract(map, a, b, d);
    return;
  }
  for (int i = 0; i < map->n; i++) {
    d[i] = a[i] - b[i];
  }
}

void pki_map_neutral(const pk_return_map *map, const pk_floquet_options *options, bool *mask)
{
  memset(mask, 0, (size_t)map->n * sizeof *mask);
  for (int i = 0; i < options->nneutral; i++) {
    mask[options->neutral[i]] = true;
  }
}

double pki_map_residual(const pk_return_map *map, const bool *neutral, const double *x, const double *image,
                        double *d)
{
  double worst = 0;
  pki_map_subtract(map, image, x, d);
  for (int i = 0; i < map->n; i++) {
    d[i] = neutral[i] ? 0 : d[i];
    worst = fmax(worst, fabs(d[i]));
  }
  return worst;
}

static pk_status check_map(const pk_return_map *map, pk_error *err)
{
  if (map->n < 1 || map->nx < map->n) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "n"},
        "n is %d and nx %d, expected at least one direction, and no fewer numbers than directions", map->n,
        map->nx);
  }
  if (map->apply == NULL && map->iterate == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "apply"},
                    "the return map has neither apply nor iterate, expected one of them");
  }
  if (map->n < map->nx && (map->add == NULL || map->subtract == NULL)) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "add"},
        "states have %d numbers and %d directions, expected add and subtract, which say how they change",
        map->nx, map->n);
  }
  return PK_OK;
}

pk_status pki_map_check(const pk_return_map *map, const pk_floquet_options *options, pk_error *err)
{
  pk_status status = check_map(map, err);
  status = status == PK_OK ? pk_floquet_options_validate(options, err) : status;
  for (int i = 0; i < map->n && status == PK_OK && options->scale != NULL; i++) {
    if (!(options->scale[i] > 0) || !isfinite(options->scale[i])) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "scale"},
                        "scale of direction %d is %g, expected a number above zero", i, options->scale[i]);
    }
  }
  for (int i = 0; i < options->nneutral && status == PK_OK; i++) {
    if (options->neutral[i] < 0 || options->neutral[i] >= map->n) {
      status = pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "neutral"},
                        "neutral direction is %d, expected one of the %d of the map, from 0",
                        options->neutral[i], map->n);
    }
  }
  return status;
}
