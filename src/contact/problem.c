/* The problem itself: its shape, its checks, its velocities. */
#include <math.h>

#include "base/error.h"
#include "contact/problem.h"

int pk_contact_size(const pk_contact_problem *p)
{
  return 3 * p->ncontact + p->nbilateral + p->nbox;
}

static pk_status check_rows(const pk_contact_problem *p, pk_error *err)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < n; i++) {
    bool diagonal = p->W_col == NULL;
    const int from = diagonal ? 0 : p->W_row[i], to = diagonal ? 0 : p->W_row[i + 1];
    for (int e = from; e < to; e++) {
      if (p->W_col[e] < 0 || p->W_col[e] >= n || (e > from && p->W_col[e] <= p->W_col[e - 1])) {
        return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "W"},
                        "row %d of W has column %d, expected ascending columns from 0 to %d", i, p->W_col[e],
                        n - 1);
      }
      diagonal |= p->W_col[e] == i;
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
  const size_t count = p->W_col ? (size_t)p->W_row[n] : (size_t)n * (size_t)n;
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

double pki_entry(const pk_contact_problem *p, int row, int col)
{
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
    const double *W = p->W + (size_t)row * (size_t)n;
    for (int j = 0; j < n; j++) {
      sum += W[j] * r[j];
    }
    return sum;
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

void pk_contact_velocity(const pk_contact_problem *p, const double *r, double *u)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < n; i++) {
    u[i] = pki_row_dot(p, i, r) + p->q[i];
  }
}
