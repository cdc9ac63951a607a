#include "contact/rows/twist_rows.h"

#include <string.h>

#include "base/error.h"

void pki_twist_rows_carve(pki_twist_rows *t, int depth, pki_arena *arena)
{
  *t = (pki_twist_rows){.count = 0};
  t->cols = pki_arena_take(arena, (size_t)depth, sizeof *t->cols);
  t->J = pki_arena_take(arena, PKI_TWIST_ROW * (size_t)depth, sizeof *t->J);
}

void pki_twist_rows_fill(pki_twist_rows *t, pki_assembly *a, const pk_workspace *w, const pki_ends *ends)
{
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  static const double *const axes[3] = {x, y, z};
  for (int linear = 0; linear < 2; linear++) {
    pki_assembly_fill_group(a, w, 0, ends, axes, 3, linear == 0);
    t->count = a->count[0];
    for (int e = 0; e < t->count; e++) {
      memcpy(t->J + PKI_TWIST_ROW * e + 4 * linear, a->J + 4 * e, 4 * sizeof *t->J);
    }
  }
  t->is_path = a->is_path[0];
  memcpy(t->cols, a->cols, (size_t)t->count * sizeof *t->cols);
}

void pki_twist_rows_velocity(const pki_twist_rows *t, const pki_assembly *a, const double *u, double V[6])
{
  double sum[PKI_TWIST_ROW] = {0};
  for (int e = 0; e < t->count; e++) {
    const int k = a->plan_to_u[t->cols[e]];
    const double x = k >= 0 ? u[k] : 0;
    for (int d = 0; d < PKI_TWIST_ROW; d++) {
      sum[d] += t->J[PKI_TWIST_ROW * e + d] * x;
    }
  }
  memcpy(V, sum, 3 * sizeof *V);
  memcpy(V + 3, sum + 4, 3 * sizeof *V);
}

void pki_twist_rows_add_force(const pki_twist_rows *t, const pki_assembly *a, const double f[6], double *out)
{
  const double wide[PKI_TWIST_ROW] = {f[0], f[1], f[2], 0, f[3], f[4], f[5], 0};
  for (int e = 0; e < t->count; e++) {
    const int k = a->plan_to_u[t->cols[e]];
    double sum = 0;
    for (int d = 0; d < PKI_TWIST_ROW; d++) {
      sum += t->J[PKI_TWIST_ROW * e + d] * wide[d];
    }
    if (k >= 0) {
      out[k] += sum;
    }
  }
}

/* C in the padded form of a row, times `scale`. */
static void pad_slope(double scale, const double C[36], double out[PKI_TWIST_ROW][PKI_TWIST_ROW])
{
  memset(out, 0, PKI_TWIST_ROW * sizeof *out);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      out[i + i / 3][j + j / 3] = scale * C[6 * i + j];
    }
  }
}

/* out = C J of one unknown. */
static void slope_times_row(const double C[PKI_TWIST_ROW][PKI_TWIST_ROW], const double *J,
                            double out[PKI_TWIST_ROW])
{
  double sum[PKI_TWIST_ROW] = {0};
  for (int k = 0; k < PKI_TWIST_ROW - 1; k++) {
    for (int d = 0; d < PKI_TWIST_ROW; d++) {
      sum[d] += J[k] * C[k][d];
    }
  }
  memcpy(out, sum, sizeof sum);
}

static double row_product(const double *a, const double *b)
{
  double sum[4];
  for (int d = 0; d < 4; d++) {
    sum[d] = a[d] * b[d] + a[4 + d] * b[4 + d];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void pki_twist_rows_add_inertia(const pki_twist_rows *t, const pk_model *m, double scale, const double C[36],
                                double *M)
{
  double wide[PKI_TWIST_ROW][PKI_TWIST_ROW], CJ[PKI_TWIST_ROW];
  pad_slope(scale, C, wide);
  for (int e = 0; e < t->count; e++) {
    const double *const J = t->J + (size_t)PKI_TWIST_ROW * (size_t)e;
    const int *const cols = m->M_col + m->M_row[t->cols[e]];
    double *const row = M + m->M_row[t->cols[e]];
    const bool whole =
        m->M_row[t->cols[e] + 1] - m->M_row[t->cols[e]] == e + 1; /* its columns are the path above it */
    slope_times_row((const double(*)[PKI_TWIST_ROW])wide, J, CJ);
    for (int f = 0; f <= e && whole; f++) {
      row[f] += row_product(CJ, t->J + (size_t)PKI_TWIST_ROW * (size_t)f);
    }
    for (int f = 0, at = 0; f <= e && !whole && row_product(J, J) > 0; f++) {
      const double *const other = t->J + (size_t)PKI_TWIST_ROW * (size_t)f;
      if (row_product(other, other) > 0) { /* both move the body: M has an entry for them */
        while (cols[at] != t->cols[f]) {
          at++;
        }
        row[at] += row_product(CJ, other);
      }
    }
  }
}

bool pki_twist_rows_add_bilateral(const pki_twist_rows *t, pki_assembly *a, const double along[6],
                                  double compliance)
{
  const int row = pk_contact_size(&a->problem), group = row - 2 * a->problem.ncontact;
  PK_ASSERT(a->problem.nbox == 0);
  if (row >= a->max_rows) {
    return false;
  }
  double *const J = a->J + 4 * (size_t)group * (size_t)a->depth;
  const double wide[PKI_TWIST_ROW] = {along[0], along[1], along[2], 0, along[3], along[4], along[5], 0};
  a->constraint[a->problem.nbilateral] = a->model->nconstraint + row; /* one of its own */
  a->problem.nbilateral++;
  a->extra[row] = compliance, a->soft[row] = 0;
  a->count[group] = t->count, a->is_path[group] = t->is_path;
  memcpy(a->cols + (size_t)group * (size_t)a->depth, t->cols, (size_t)t->count * sizeof *t->cols);
  memset(J, 0, 4 * (size_t)t->count * sizeof *J);
  for (int e = 0; e < t->count; e++) {
    for (int d = 0; d < PKI_TWIST_ROW; d++) {
      J[4 * e] += t->J[PKI_TWIST_ROW * e + d] * wide[d];
    }
  }
  return true;
}
