/* The problem itself: its shape, its checks, its velocities. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/problem/problem.h"

int pk_contact_size(const pk_contact_problem *p)
{
  return 3 * p->ncontact + p->nbilateral + p->nbox;
}

/* Row i of W: its columns, when it is sparse; whether its diagonal is there. */
static pk_status check_row(const pk_contact_problem *p, int i, bool *diagonal, pk_error *err)
{
  const int n = pk_contact_size(p);
  *diagonal = p->W_col == NULL;
  const int from = *diagonal ? 0 : p->W_row[i], to = *diagonal ? 0 : p->W_row[i + 1];
  for (int e = from; e < to; e++) {
    if (p->W_col[e] < 0 || p->W_col[e] >= n || (e > from && p->W_col[e] <= p->W_col[e - 1])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "W"},
                      "row %d of W has column %d, expected ascending columns from 0 to %d", i, p->W_col[e],
                      n - 1);
    }
    *diagonal |= p->W_col[e] == i;
  }
  return PK_OK;
}

/* Row i of the factors. */
static pk_status check_factor(const pk_contact_factor *f, int i, pk_error *err)
{
  const pki_where where = {.field = "factor"};
  const size_t at = (size_t)i * (size_t)f->stride;
  if (f->count[i] < 0 || f->count[i] > f->stride) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "row %d of the factor has %d entries, expected 0 to %d", i,
                    f->count[i], f->stride);
  }
  for (size_t e = 0; e < (size_t)f->count[i]; e++) {
    const int col = f->col[at + e];
    if (col < 0 || col >= f->n || (e > 0 && col <= f->col[at + e - 1])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where,
                      "row %d of the factor has column %d, expected ascending columns from 0 to %d", i, col,
                      f->n - 1);
    }
    if (!isfinite(f->Y[at + e]) || !isfinite(f->weight[col])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "row %d of the factor is not finite at column %d", i,
                      col);
    }
  }
  if (!isfinite(f->extra[i])) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "extra[%d] is not finite", i);
  }
  return PK_OK;
}

static pk_status check_rows(const pk_contact_problem *p, pk_error *err)
{
  const int n = pk_contact_size(p);
  if (n > 0 && p->W == NULL && p->factor == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "W"},
                    "there is neither W nor a factor of it");
  }
  for (int i = 0; i < n; i++) {
    bool diagonal = true;
    pk_status status = p->W ? check_row(p, i, &diagonal, err) : PK_OK;
    if (status == PK_OK && p->factor != NULL) {
      status = check_factor(p->factor, i, err);
    }
    if (status != PK_OK) {
      return status;
    }
    if (!diagonal || !(pki_entry(p, i, i) > 0)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "W"},
                      "the diagonal of W in row %d is %g, expected a positive number", i,
                      diagonal ? pki_entry(p, i, i) : 0.0);
    }
    if (!isfinite(p->q[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "q"}, "q[%d] is not finite", i);
    }
  }
  const size_t count = p->W == NULL ? 0 : p->W_col ? (size_t)p->W_row[n] : (size_t)n * (size_t)n;
  for (size_t e = 0; e < count; e++) {
    if (!isfinite(p->W[e])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "W"}, "entry %zu of W is not finite", e);
    }
  }
  return PK_OK;
}

pk_status pk_contact_validate(const pk_contact_problem *p, pk_error *err)
{
  if (p->ncontact < 0 || p->nbilateral < 0 || p->nbox < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "ncontact"}, "a count of rows is negative");
  }
  for (int i = 0; i < p->ncontact; i++) {
    if (!(p->mu[i] >= 0) || !isfinite(p->mu[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mu"},
                      "mu[%d] is %g, expected zero or more", i, p->mu[i]);
    }
  }
  for (int i = 0; i < p->nbox; i++) {
    if (!(p->lower[i] <= p->upper[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "lower"},
                      "box %d is %g to %g, expected lower <= upper", i, p->lower[i], p->upper[i]);
    }
  }
  return check_rows(p, err);
}

/* sum_k Y_ik weight_k Y_jk over the coordinates that two different rows share */
static double factor_entry(const pk_contact_factor *f, int row, int col)
{
  const size_t i = (size_t)row * (size_t)f->stride, j = (size_t)col * (size_t)f->stride;
  double sum = 0;
  for (int a = 0, b = 0; a < f->count[row] && b < f->count[col];) {
    const int ca = f->col[i + (size_t)a], cb = f->col[j + (size_t)b];
    sum += ca == cb ? f->Y[i + (size_t)a] * f->weight[ca] * f->Y[j + (size_t)b] : 0;
    a += ca <= cb, b += cb <= ca;
  }
  return sum;
}

static double factor_diagonal(const pk_contact_factor *f, int row)
{
  const size_t from = (size_t)row * (size_t)f->stride;
  double sum = f->extra[row];
  for (size_t e = from; e < from + (size_t)f->count[row]; e++) {
    sum += f->Y[e] * f->weight[f->col[e]] * f->Y[e];
  }
  return sum;
}

void pki_diagonals(const pk_contact_problem *p, double *diagonal)
{
  for (int i = 0; i < pk_contact_size(p); i++) {
    diagonal[i] = pki_diagonal(p, i);
  }
}

double pki_entry(const pk_contact_problem *p, int row, int col)
{
  if (p->W == NULL) {
    return row == col ? factor_diagonal(p->factor, row) : factor_entry(p->factor, row, col);
  }
  if (p->W_col == NULL) {
    return p->W[(size_t)row * (size_t)pk_contact_size(p) + (size_t)col];
  }
  int lo = p->W_row[row], hi = p->W_row[row + 1];
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (p->W_col[mid] < col) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo < p->W_row[row + 1] && p->W_col[lo] == col ? p->W[lo] : 0;
}

double pki_row_dot(const pk_contact_problem *p, int row, const double *r)
{
  double sum = 0;
  if (p->W_col == NULL) {
    const int n = pk_contact_size(p);
    return pki_dot(p->W + (size_t)row * (size_t)n, r, n);
  }
  for (int e = p->W_row[row]; e < p->W_row[row + 1]; e++) {
    sum += p->W[e] * r[p->W_col[e]];
  }
  return sum;
}

double pki_clamp_box(const pk_contact_problem *p, int row, double impulse)
{
  const int box = row - 3 * p->ncontact - p->nbilateral;
  return box < 0 ? impulse : fmin(fmax(impulse, p->lower[box]), p->upper[box]);
}

void pki_block(const pk_contact_problem *p, int contact, double B[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      B[3 * i + j] = pki_entry(p, 3 * contact + i, 3 * contact + j);
    }
  }
}

/* u = extra r + Y inv(D) Y' r over the coordinates from `base` to `end`; v has room for them. */
static void add_factor_velocity(const pk_contact_factor *f, int n, int base, int end, const double *r,
                                double *v, double *u)
{
  const bool all = base == 0 && end == f->n;
  memset(v, 0, (size_t)(end - base) * sizeof *v);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      const size_t at = (size_t)i * (size_t)f->stride;
      const int *col = f->col + at;
      const double *Y = f->Y + at, ri = r[i];
      int from = 0, to = f->count[i];
      while (!all && from < to && col[from] < base) {
        from++;
      }
      while (!all && from < to && col[to - 1] >= end) {
        to--;
      }
      if (pass == 0) {
        for (int e = from; e < to && ri != 0; e++) {
          v[col[e] - base] += Y[e] * ri;
        }
      } else {
        double sum = 0;
        for (int e = from; e < to; e++) {
          sum += Y[e] * v[col[e] - base];
        }
        u[i] += sum;
      }
    }
    for (int k = base; pass == 0 && k < end; k++) {
      v[k - base] *= f->weight[k];
    }
  }
}

/* u = W r from the factors. The velocity space goes by in pieces, so that no scratch is needed. */
static void factor_velocity(const pk_contact_factor *f, int n, const double *r, double *u)
{
  enum { PIECE = 8192 };
  double v[PIECE];
  for (int i = 0; i < n; i++) {
    u[i] = f->extra[i] * r[i];
  }
  for (int base = 0; base < f->n; base += PIECE) {
    add_factor_velocity(f, n, base, f->n - base < PIECE ? f->n : base + PIECE, r, v, u);
  }
}

/* u = W r for a dense W, four rows at a time. */
static void dense_velocity(const double *W, int n, const double *r, double *u)
{
  const size_t size = (size_t)n;
  size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    const double *w = W + i * size;
    double s[4] = {0, 0, 0, 0};
    for (size_t j = 0; j < size; j++) {
      s[0] += w[j] * r[j], s[1] += w[size + j] * r[j];
      s[2] += w[2 * size + j] * r[j], s[3] += w[3 * size + j] * r[j];
    }
    u[i] = s[0], u[i + 1] = s[1], u[i + 2] = s[2], u[i + 3] = s[3];
  }
  for (; i < size; i++) {
    u[i] = pki_dot(W + i * size, r, n);
  }
}

void pk_contact_velocity(const pk_contact_problem *p, const double *r, double *u)
{
  const int n = pk_contact_size(p);
  if (p->W == NULL && n > 0) {
    factor_velocity(p->factor, n, r, u);
  } else if (p->W_col == NULL) {
    dense_velocity(p->W, n, r, u);
  }
  for (int i = 0; i < n; i++) {
    u[i] = (p->W_col != NULL ? pki_row_dot(p, i, r) : u[i]) + p->q[i];
  }
}
