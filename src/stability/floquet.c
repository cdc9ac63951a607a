/* Floquet multipliers: the eigenvalues of the derivative of a return map, without what is neutral by symmetry. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "base/random.h"
#include "math/lu.h"
#include "stability/differences.h"
#include "stability/realisation.h"
#include "stability/return_map.h"

static const pk_field floquet_fields[] = {
    {"step", offsetof(pk_floquet_options, step), PK_FIELD_REAL, "", 1e-3, 1e-12, 1, NULL,
     "largest change of a coordinate for central differences"},
    {"levels", offsetof(pk_floquet_options, levels), PK_FIELD_INT, "", 6, 2, 16, NULL,
     "changes that are tried, each half of the last"},
    {"strides", offsetof(pk_floquet_options, strides), PK_FIELD_INT, "", 1, 1, 8, NULL,
     "strides that are looked at: 1, or an even number to find what the map remembers"},
    {"tolerance", offsetof(pk_floquet_options, tolerance), PK_FIELD_REAL, "", 1e-11, 1e-15, 1, NULL,
     "largest component of P(x) - x at a fixed point"},
    {"max_iterations", offsetof(pk_floquet_options, max_iterations), PK_FIELD_INT, "", 30, 1, 1000, NULL,
     "steps of Newton's method"},
};
enum { FIELDS = sizeof floquet_fields / sizeof floquet_fields[0] };

pk_floquet_options pk_floquet_options_default(void)
{
  pk_floquet_options o;
  pki_fields_default(floquet_fields, FIELDS, &o, sizeof o);
  return o;
}

pk_floquet_options pki_floquet_options_fill(const pk_floquet_options *options)
{
  const pk_floquet_options preset = pk_floquet_options_default();
  pk_floquet_options o = options != NULL ? *options : preset;
  o.step = o.step != 0 ? o.step : preset.step;
  o.levels = o.levels != 0 ? o.levels : preset.levels;
  o.strides = o.strides != 0 ? o.strides : preset.strides;
  o.tolerance = o.tolerance != 0 ? o.tolerance : preset.tolerance;
  o.max_iterations = o.max_iterations != 0 ? o.max_iterations : preset.max_iterations;
  return o;
}

pk_status pk_floquet_options_validate(const pk_floquet_options *options, pk_error *err)
{
  const pk_floquet_options filled = pki_floquet_options_fill(options);
  const pk_status status = pki_fields_validate(floquet_fields, FIELDS, &filled, err);
  if (status != PK_OK) {
    return status;
  }
  if (options->strides > 1 && options->strides % 2 != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "strides"},
                    "strides is %d, expected 1 or an even number", options->strides);
  }
  if (options->nneutral < 0 || (options->nneutral > 0 && options->neutral == NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "neutral"},
                    "nneutral is %d, expected the number of directions in neutral", options->nneutral);
  }
  return PK_OK;
}

const char *pk_stability_verdict_name(pk_stability_verdict verdict)
{
  static const char *const words[PK_STABILITY_VERDICT_COUNT] = {"stable", "unstable", "undecided"};
  return (unsigned)verdict < PK_STABILITY_VERDICT_COUNT ? words[verdict] : "";
}

/* ---- neutral directions ---- */

/* Column k of J takes direction k to nothing but neutral ones, within errors; `strict`: to itself with the factor 1. */
static bool column_is_neutral(const pki_differences *d, const bool *neutral, size_t k, bool strict)
{
  const size_t n = (size_t)d->n;
  for (size_t i = 0; i < n; i++) {
    const double expected = i == k, off = fabs(d->J[i * n + k] - expected);
    const bool counts = i == k ? strict : !neutral[i];
    if (counts && off > 1e-6 + 4 * d->E[i * n + k]) {
      return false;
    }
  }
  return true;
}

/* Take away directions that are not, until the span of the others goes to itself. */
static void drop_directions(const pki_differences *d, bool strict, bool *neutral)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (int k = 0; k < d->n; k++) {
      if (neutral[k] && !column_is_neutral(d, neutral, (size_t)k, strict)) {
        neutral[k] = false;
        changed = true;
      }
    }
  }
}

/* The block of neutral directions keeps volumes: it is a turn, as of a gait that goes in circles, or nothing. */
static bool keeps_volume(const pki_differences *d, const bool *neutral)
{
  enum { MOST = 16 };
  double block[MOST * MOST], error = 0, volume = 1;
  int pivot[MOST], which[MOST], m = 0;
  for (int k = 0; k < d->n && m < MOST; k++) {
    if (neutral[k]) {
      which[m++] = k;
    }
  }
  for (int i = 0; i < m * m; i++) {
    const int at = which[i / m] * d->n + which[i % m];
    block[i] = d->J[at];
    error = fmax(error, d->E[at]);
  }
  if (m == 0 || !pki_lu_factor(block, m, pivot)) {
    return m == 0;
  }
  for (int i = 0; i < m; i++) {
    volume *= block[i * m + i];
  }
  return fabs(fabs(volume) - 1) <= m * (1e-6 + 4 * error);
}

/* Of the directions that may be neutral those that are. */
static void keep_neutral(const pki_differences *d, bool *neutral)
{
  drop_directions(d, false, neutral);
  if (!keeps_volume(d, neutral)) {
    drop_directions(d, true, neutral);
  }
}

/* out [count][r][r]: rows and columns that are not neutral of M [count][n][n], directions in units of their scales. */
static void reduce_matrices(const double *M, int count, int n, const bool *neutral, const double *scale,
                            double *out)
{
  for (int s = 0; s < count; s++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n && !neutral[i]; j++) {
        if (!neutral[j]) {
          const double unit = scale != NULL ? scale[j] / scale[i] : 1;
          *out++ = unit * M[((size_t)s * (size_t)n + (size_t)i) * (size_t)n + (size_t)j];
        }
      }
    }
  }
}

/* ---- memory ---- */

/* Below this share of two strides memory does not count. */
static const double least_memory = 1e-3;

/* |A_2 - A A| over |A A|, as far as it is beyond the errors entry by entry, and the norm of these alone. */
static void measure_memory(const double *A, const double *E, int r, pk_floquet *out)
{
  const size_t n = (size_t)r;
  double defect = 0, error = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double square = 0, spread = E[(n + i) * n + j];
      for (size_t k = 0; k < n; k++) {
        square += A[i * n + k] * A[k * n + j];
        spread = hypot(spread, hypot(A[i * n + k] * E[k * n + j], E[i * n + k] * A[k * n + j]));
      }
      defect = hypot(defect, fmax(0, fabs(A[(n + i) * n + j] - square) - spread));
      error = hypot(error, spread);
      size = hypot(size, square);
    }
  }
  out->memory = size > 0 ? defect / size : defect;
  out->memory_error = size > 0 ? error / size : error;
}

/* ---- multipliers ---- */

/* The reduced problem: A, E [strides][r][r], of which multipliers come with memory or without. */
typedef struct reduced {
  int r, strides;
  int hidden; /* directions that may be neutral and do not show it */
  bool remembers;
  double *A, *E;
} reduced;

/* Those nearest to 1, within 0.001 and three times their errors: as many as neutral directions are missing. */
static void mark_neutral(const reduced *p, pk_multiplier *multipliers, int count)
{
  for (int k = 0; k < p->hidden && p->remembers; k++) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
      const double off = hypot(multipliers[i].re - 1, multipliers[i].im);
      if (!multipliers[i].neutral && off < least && off <= 1e-3 + 3 * multipliers[i].error) {
        best = i, least = off;
      }
    }
    if (best >= 0) {
      multipliers[best].neutral = true;
    }
  }
}

static pk_status find_multipliers(const reduced *p, const double *A, pk_multiplier *out, int *count,
                                  pk_error *err)
{
  *count = p->r;
  const pk_status status = p->remembers ? pki_realise(A, p->E, p->r, p->strides / 2, out, count, err)
                                        : pki_multipliers_of(A, p->E, p->r, out, err);
  mark_neutral(p, out, status == PK_OK ? *count : 0);
  return status;
}

/* The largest modulus of those that are not neutral; -1: there is none. */
static int leading(const pk_multiplier *multipliers, int count)
{
  int k = 0;
  while (k < count && multipliers[k].neutral) {
    k++;
  }
  return k < count ? k : -1;
}

/* The error of the radius: that of its multiplier, and how it moves when the entries of A move within their errors. (The latter would
 * bring modes of errors alone above the cut of a realisation.) */
static pk_status find_radius(const reduced *p, pk_floquet *out, pk_error *err)
{
  enum { TRIALS = 12 };
  const size_t numbers = (size_t)p->strides * (size_t)p->r * (size_t)p->r;
  pki_random random = pki_random_seeded(20);
  double *A = malloc(numbers * sizeof *A);
  pk_multiplier *trial = malloc((size_t)p->strides * (size_t)p->r * sizeof *trial);
  pk_status status = A != NULL && trial != NULL ? PK_OK : pki_fail_memory(err, "multipliers");
  const int first = leading(out->multipliers, out->count);
  out->radius = first >= 0 ? out->multipliers[first].modulus : 0;
  out->radius_error = first >= 0 ? out->multipliers[first].error : 0;
  for (int t = 0; t < TRIALS && status == PK_OK && out->levels > 0 && !p->remembers; t++) {
    int count = 0;
    for (size_t i = 0; i < numbers; i++) {
      A[i] = p->A[i] + pki_random_between(&random, -1, 1) * p->E[i];
    }
    status = find_multipliers(p, A, trial, &count, err);
    const int largest = status == PK_OK ? leading(trial, count) : -1;
    if (largest >= 0) {
      out->radius_error = fmax(out->radius_error, fabs(trial[largest].modulus - out->radius));
    }
  }
  out->verdict = out->radius + out->radius_error < 1   ? PK_STABILITY_VERDICT_STABLE
                 : out->radius - out->radius_error > 1 ? PK_STABILITY_VERDICT_UNSTABLE
                                                       : PK_STABILITY_VERDICT_UNDECIDED;
  free(A);
  free(trial);
  return status;
}

/* The radius by plain differences with each change. */
static pk_status find_step_radii(const pki_differences *d, const reduced *p, const pk_floquet_options *o,
                                 pk_floquet *out, pk_error *err)
{
  const size_t r = (size_t)p->r;
  double *A = malloc(r * r * sizeof *A);
  pk_multiplier *of = malloc(r * sizeof *of);
  pk_status status = A != NULL && of != NULL ? PK_OK : pki_fail_memory(err, "multipliers");
  for (int l = 0; l < d->levels && status == PK_OK; l++) {
    reduce_matrices(d->plain + (size_t)l * (size_t)d->n * (size_t)d->n, 1, d->n, out->neutral, o->scale, A);
    status = pki_multipliers_of(A, p->E, p->r, of, err);
    out->step[l] = ldexp(o->step, -l);
    out->step_radius[l] = status == PK_OK ? of[0].modulus : NAN;
  }
  free(A);
  free(of);
  return status;
}

static pk_status analyse(const pki_differences *d, reduced *p, const pk_floquet_options *o, pk_floquet *out,
                         pk_error *err)
{
  out->memory = NAN;
  if (p->strides > 1) {
    measure_memory(p->A, p->E, p->r, out);
    p->remembers = out->memory > least_memory;
  }
  pk_status status = find_multipliers(p, p->A, out->multipliers, &out->count, err);
  out->order = p->remembers ? out->count : 0;
  status = status == PK_OK ? find_radius(p, out, err) : status;
  return status == PK_OK && d->levels > 0 ? find_step_radii(d, p, o, out, err) : status;
}

/* ---- all of it ---- */

static bool allocate_floquet(const pki_differences *d, pk_floquet *out)
{
  const size_t n = (size_t)d->n, levels = (size_t)d->levels;
  out->multipliers = calloc((size_t)d->strides * n, sizeof *out->multipliers);
  out->neutral = calloc(n, sizeof *out->neutral);
  out->derivative = malloc(n * n * sizeof *out->derivative);
  out->error = malloc(n * n * sizeof *out->error);
  out->step = calloc(levels + 1, sizeof *out->step);
  out->step_radius = calloc(levels + 1, sizeof *out->step_radius);
  return out->multipliers != NULL && out->neutral != NULL && out->derivative != NULL && out->error != NULL &&
         out->step != NULL && out->step_radius != NULL;
}

/* Multipliers from the derivatives of the iterates. */
static pk_status compute_from(const pk_return_map *map, const double *x, const pki_differences *d,
                              const pk_floquet_options *o, pk_floquet *out, pk_error *err)
{
  const size_t n = (size_t)d->n, numbers = (size_t)d->strides * n * n;
  if (!allocate_floquet(d, out)) {
    return pki_fail_memory(err, "multipliers");
  }
  pki_map_neutral(map, o, out->neutral);
  /* the room of the derivative holds the difference for a moment */
  out->residual = pki_map_residual(map, out->neutral, x, d->image, out->derivative);
  memcpy(out->derivative, d->J, n * n * sizeof *out->derivative);
  memcpy(out->error, d->E, n * n * sizeof *out->error);
  keep_neutral(d, out->neutral);
  for (size_t k = 0; k < n; k++) {
    out->nneutral += out->neutral[k];
  }
  reduced p = {.r = d->n - out->nneutral, .strides = d->strides, .hidden = o->nneutral - out->nneutral};
  if (p.r == 0) {
    out->verdict = PK_STABILITY_VERDICT_UNDECIDED;
    return PK_OK;
  }
  p.A = malloc(2 * numbers * sizeof *p.A);
  if (p.A == NULL) {
    return pki_fail_memory(err, "multipliers");
  }
  p.E = p.A + numbers;
  reduce_matrices(d->J, d->strides, d->n, out->neutral, o->scale, p.A);
  reduce_matrices(d->E, d->strides, d->n, out->neutral, o->scale, p.E);
  const pk_status status = analyse(d, &p, o, out, err);
  free(p.A);
  return status;
}

pk_status pk_floquet_compute(const pk_return_map *map, const double *x, const pk_floquet_options *options,
                             pk_floquet *result, pk_error *err)
{
  const pk_floquet_options o = pki_floquet_options_fill(options);
  pki_differences d = {0};
  *result = (pk_floquet){.memory = NAN};
  pk_status status = pki_map_check(map, &o, err);
  status = status == PK_OK ? pki_differences_take(map, x, &o, &d, err) : status;
  if (status == PK_OK) {
    result->n = map->n;
    result->levels = d.levels;
    status = compute_from(map, x, &d, &o, result, err);
  }
  pki_differences_free(&d);
  return status;
}

void pk_floquet_free(pk_floquet *result)
{
  free(result->multipliers);
  free(result->neutral);
  free(result->derivative);
  free(result->error);
  free(result->step);
  free(result->step_radius);
  *result = (pk_floquet){0};
}
