#include "contact/solvers/scaled.h"

#include <math.h>
#include <string.h>

pki_scaled pki_scaled_take(pki_arena *arena, const pk_contact_problem *p)
{
  const int n = pk_contact_size(p);
  pki_scaled z = {.p = p, .n = n, .stride = pki_dense_stride(n)};
  const size_t rows = (size_t)n;
  double **const vectors[] = {&z.s, &z.q, &z.lower, &z.upper, &z.r, &z.u, &z.rhs, &z.inverse};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    *vectors[k] = pki_arena_take(arena, z.stride, sizeof(double));
  }
  z.line = pki_arena_take(arena, 4 * z.stride, sizeof(double));
  z.W = pki_arena_take(arena, rows * z.stride, sizeof(double));
  z.A = pki_arena_take(arena, rows * z.stride, sizeof(double));
  z.pivot = pki_arena_take(arena, rows, sizeof(int));
  return z;
}

static void scale_matrix(pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  const int n = z->n;
  for (int i = 0; i < n; i++) {
    double *row = z->W + (size_t)i * z->stride;
    const double k = z->s[i];
    if (p->W_col != NULL) {
      memset(row, 0, z->stride * sizeof *row);
      for (int e = p->W_row[i]; e < p->W_row[i + 1]; e++) {
        row[p->W_col[e]] = k * p->W[e] * z->s[p->W_col[e]];
      }
      continue;
    }
    const double *from = p->W + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) {
      row[j] = k * from[j] * z->s[j];
    }
    memset(row + n, 0, (z->stride - (size_t)n) * sizeof *row);
  }
}

/* Entries of W~ are of size 1: what differs by more than their rounding is not symmetric. */
bool pki_scaled_is_symmetric(const pki_scaled *z)
{
  static const double rounding = 1e-12;
  double most = 0;
  for (int i = 0; i < z->n; i++) {
    for (int j = 0; j < i; j++) {
      most =
          fmax(most, fabs(z->W[(size_t)i * z->stride + (size_t)j] - z->W[(size_t)j * z->stride + (size_t)i]));
    }
  }
  return most <= rounding;
}

void pki_scaled_begin(pki_scaled *z, const pki_solve *run)
{
  const pk_contact_problem *p = z->p;
  const double *r = run->r;
  const int n = z->n, first = 3 * p->ncontact, boxes = first + p->nbilateral;
  z->kernels = pki_dense_kernels_get();
  z->timer = run->timer;
  for (int i = 0; i < first; i += 3) {
    const double trace = pki_diagonal(p, i) + pki_diagonal(p, i + 1) + pki_diagonal(p, i + 2);
    z->s[i] = z->s[i + 1] = z->s[i + 2] = 1 / sqrt(trace / 3);
  }
  for (int i = first; i < n; i++) {
    z->s[i] = 1 / sqrt(pki_diagonal(p, i));
  }
  for (int i = boxes; i < n; i++) {
    z->lower[i - boxes] = p->lower[i - boxes] / z->s[i], z->upper[i - boxes] = p->upper[i - boxes] / z->s[i];
  }
  for (int i = 0; i < n; i++) {
    z->q[i] = z->s[i] * p->q[i], z->r[i] = r[i] / z->s[i];
  }
  for (size_t i = (size_t)n; i < z->stride; i++) { /* padding, read by whole cache lines */
    z->r[i] = z->u[i] = z->rhs[i] = 0;
  }
  scale_matrix(z);
}

void pki_scaled_velocity(pki_scaled *z)
{
  z->kernels->multiply(z->W, z->n, z->stride, z->r, z->u);
  for (int i = 0; i < z->n; i++) {
    z->u[i] += z->q[i];
  }
}

static double larger_or_nan(double most, double value)
{
  return value > most || isnan(value) ? value : most;
}

double pki_scaled_contact_residual(double mu, const double r[3], const double u[3])
{
  const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  const double x = r[0] - (u[0] + mu * slip), y = r[1] - u[1], z = r[2] - u[2], t = sqrt(y * y + z * z);
  double a = x, b = 1; /* the projection: a along the normal, b times the tangents */
  if (mu * t <= -x) {
    a = b = 0;
  } else if (t > mu * x) {
    a = (x + mu * t) / (1 + mu * mu), b = mu * a / t;
  }
  const double dx = r[0] - a, dy = r[1] - b * y, dz = r[2] - b * z;
  return sqrt(dx * dx + dy * dy + dz * dz);
}

double pki_scaled_residual(const pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  double most = 0;
  for (int i = 0; i < p->ncontact; i++) {
    most =
        larger_or_nan(most, pki_scaled_contact_residual(p->mu[i], z->r + 3 * i, z->u + 3 * i) / z->s[3 * i]);
  }
  for (int i = first; i < boxes; i++) {
    most = larger_or_nan(most, fabs(z->u[i]) / z->s[i]);
  }
  for (int i = boxes; i < z->n; i++) {
    const double moved = fmin(fmax(z->r[i] - z->u[i], z->lower[i - boxes]), z->upper[i - boxes]);
    most = larger_or_nan(most, fabs(z->r[i] - moved) / z->s[i]);
  }
  return most;
}

bool pki_scaled_check(const pki_scaled *z, pki_solve *run)
{
  const double residual = pki_scaled_residual(z);
  run->now_at = residual;
  run->fresh = false;
  if (residual < run->residual) {
    for (int i = 0; i < z->n; i++) {
      run->r[i] = z->s[i] * z->r[i];
    }
    if (residual <= run->options->tolerance * run->scale) {
      return pki_solve_check(run); /* the problem itself has the last word */
    }
    run->residual = residual, run->used = run->now;
    memcpy(run->best, run->r, (size_t)z->n * sizeof *run->r);
  }
  return pki_solve_exhausted(run) || !isfinite(residual);
}
