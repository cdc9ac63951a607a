/* How far a point with its multipliers is from an optimum, by the first-order conditions alone. */
#include <math.h>
#include <stdlib.h>

#include "optimize/nlp/nlp.h"

/* A multiplier of an inequality that is not active: |multiplier| times how far it is from its bound. */
static double slack_product(double multiplier, double below, double above)
{
  const double gap = multiplier > 0 ? above : below;
  return isfinite(gap) ? fabs(multiplier) * fmax(gap, 0) : multiplier == 0 ? 0 : INFINITY;
}

/* slope += J' lambda */
static bool add_row_slopes(const pki_nlp *nlp, double *slope)
{
  const size_t n = (size_t)pki_nlp_jacobian_count(nlp);
  int *row = malloc((n + 1) * sizeof *row), *col = malloc((n + 1) * sizeof *col);
  double *values = malloc((n + 1) * sizeof *values);
  const bool good = row != NULL && col != NULL && values != NULL && pki_nlp_jacobian(nlp, nlp->x, values);
  if (good) {
    pki_nlp_jacobian_pattern(nlp, row, col);
    for (size_t e = 0; e < n; e++) {
      slope[col[e]] += nlp->lambda[row[e]] * values[e];
    }
  }
  free(row);
  free(col);
  free(values);
  return good;
}

/* The largest of grad f + J' lambda - z_lower + z_upper = 0 and of the products of multipliers and slacks. Fixed variables have no slope. */
static double worst_condition(const pki_nlp *nlp, const double *slope, const double *rows)
{
  double worst = 0;
  for (int i = 0; i < nlp->nx; i++) {
    const double left = slope[i] - nlp->z_lower[i] + nlp->z_upper[i], x = nlp->x[i];
    if (nlp->lower[i] != nlp->upper[i]) {
      worst = fmax(worst, fabs(left) * nlp->scale[i]);
      worst = fmax(worst, slack_product(-nlp->z_lower[i], x - nlp->lower[i], INFINITY));
      worst = fmax(worst, slack_product(nlp->z_upper[i], INFINITY, nlp->upper[i] - x));
    }
  }
  for (int i = 0; i < nlp->ng; i++) {
    if (nlp->row_lower[i] != nlp->row_upper[i]) {
      worst = fmax(worst,
                   slack_product(nlp->lambda[i], rows[i] - nlp->row_lower[i], nlp->row_upper[i] - rows[i]));
    }
  }
  return worst / nlp->objective_scale;
}

bool pki_nlp_lagrangian_slope(const pki_nlp *nlp, double *slope)
{
  return pki_nlp_gradient(nlp, nlp->x, slope) && add_row_slopes(nlp, slope);
}

double pki_nlp_optimality(const pki_nlp *nlp)
{
  double *slope = malloc(((size_t)nlp->nx + 1) * sizeof *slope),
         *rows = malloc(((size_t)nlp->ng + 1) * sizeof *rows), worst = INFINITY;
  if (slope != NULL && rows != NULL && pki_nlp_lagrangian_slope(nlp, slope) &&
      pki_nlp_constraints(nlp, nlp->x, rows)) {
    worst = fmax(worst_condition(nlp, slope, rows), pki_nlp_violation(nlp, nlp->x, NULL));
  }
  free(slope);
  free(rows);
  return worst;
}
