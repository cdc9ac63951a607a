/* Fixed points of return maps by Newton's method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/lu.h"
#include "stability/differences.h"
#include "stability/return_map.h"

typedef struct newton {
  const pk_return_map *map;
  const pk_floquet_options *options;
  bool *neutral;                     /* [n] */
  double *image, *trial;             /* [nx] P(x), the next x */
  double *trial_image;               /* [nx] */
  double *d, *move, *shorter, *wide; /* [n] P(x) - x; the step and a part of it; P(x) - x at the next x */
  double *A;                         /* [n][n] */
  int *pivot;                        /* [n] */
  double residual;
} newton;

static bool allocate_newton(newton *w)
{
  const size_t n = (size_t)w->map->n, nx = (size_t)w->map->nx;
  w->neutral = malloc(n * sizeof *w->neutral);
  w->image = malloc((3 * nx + 4 * n + n * n) * sizeof *w->image);
  w->pivot = malloc(n * sizeof *w->pivot);
  if (w->neutral == NULL || w->image == NULL || w->pivot == NULL) {
    return false;
  }
  w->trial = w->image + nx;
  w->trial_image = w->trial + nx;
  w->d = w->trial_image + nx;
  w->move = w->d + n;
  w->shorter = w->move + n;
  w->wide = w->shorter + n;
  w->A = w->wide + n;
  return true;
}

static void free_newton(newton *w)
{
  free(w->neutral);
  free(w->image);
  free(w->pivot);
}

/* move = (1 - P')^-1 (P(x) - x), neutral directions at rest. */
static pk_status newton_step(newton *w, const double *x, pk_error *err)
{
  const size_t n = (size_t)w->map->n;
  pki_differences of = {0};
  pk_floquet_options one = *w->options;
  one.strides = 1;
  const pk_status status = pki_differences_take(w->map, x, &one, &of, err);
  for (size_t i = 0; i < n && status == PK_OK; i++) {
    for (size_t j = 0; j < n; j++) {
      const bool still = w->neutral[i] || w->neutral[j];
      w->A[i * n + j] = (i == j ? 1 : 0) - (still ? 0 : of.J[i * n + j]);
    }
    w->move[i] = w->d[i];
  }
  pki_differences_free(&of);
  if (status != PK_OK) {
    return status;
  }
  if (!pki_lu_factor(w->A, (int)n, w->pivot)) {
    return pki_fail(
        err, PK_ERROR_CONVERGENCE, (pki_where){0},
        "the gait is not isolated: 1 - P' is singular; name the direction in which it is neutral");
  }
  pki_lu_solve(w->A, (int)n, w->pivot, w->move);
  return PK_OK;
}

/* The longest of the steps 1, 1/2, 1/4, ... that brings P(x) nearer to x; false: none does. */
static bool search_line(newton *w, double *x)
{
  const size_t n = (size_t)w->map->n, nx = (size_t)w->map->nx;
  for (double part = 1; part > 1e-4; part *= 0.5) {
    for (size_t i = 0; i < n; i++) {
      w->shorter[i] = part * w->move[i];
    }
    pki_map_add(w->map, x, w->shorter, w->trial);
    if (pki_map_iterate(w->map, 1, 1, w->trial, w->trial_image, NULL) != PK_OK) {
      continue; /* it may fall there */
    }
    const double residual = pki_map_residual(w->map, w->neutral, w->trial, w->trial_image, w->wide);
    if (residual < w->residual) {
      memcpy(x, w->trial, nx * sizeof *x);
      memcpy(w->d, w->wide, n * sizeof *w->d);
      w->residual = residual;
      return true;
    }
  }
  return false;
}

static pk_status iterate_newton(newton *w, double *x, int *iterations, pk_error *err)
{
  const double tolerance = w->options->tolerance;
  pk_status status = pki_map_iterate(w->map, 1, 1, x, w->image, err);
  if (status != PK_OK) {
    return status;
  }
  w->residual = pki_map_residual(w->map, w->neutral, x, w->image, w->d);
  for (; w->residual > tolerance && *iterations < w->options->max_iterations; ++*iterations) {
    status = newton_step(w, x, err);
    if (status != PK_OK) {
      return status;
    }
    if (!search_line(w, x)) {
      break;
    }
  }
  return w->residual <= tolerance ? PK_OK
                                  : pki_fail(err, PK_ERROR_CONVERGENCE, (pki_where){.field = "tolerance"},
                                             "after %d steps of Newton's method the state still changes by "
                                             "%.3g in a stride, expected at "
                                             "most %.3g: begin nearer to a gait, or allow more",
                                             *iterations, w->residual, tolerance);
}

pk_status pk_fixed_point_find(const pk_return_map *map, const pk_floquet_options *options, double *x,
                              pk_fixed_point *info, pk_error *err)
{
  const pk_floquet_options filled = pki_floquet_options_fill(options);
  newton w = {.map = map, .options = &filled, .residual = NAN};
  int iterations = 0;
  pk_status status = pki_map_check(map, w.options, err);
  if (status == PK_OK) {
    status = allocate_newton(&w) ? PK_OK : pki_fail_memory(err, "Newton's method");
  }
  if (status == PK_OK) {
    pki_map_neutral(map, w.options, w.neutral);
    status = iterate_newton(&w, x, &iterations, err);
  }
  if (info != NULL) {
    *info = (pk_fixed_point){.iterations = iterations, .residual = w.residual};
  }
  free_newton(&w);
  return status;
}
