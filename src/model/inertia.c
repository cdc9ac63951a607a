#include "model/inertia.h"

#include <string.h>

#include "math/mat3.h"

/* Files print few digits: moments may break the rules of solid bodies by this much of the
 * largest one. */
static const double MOMENT_TOLERANCE = 1e-3;

static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};

void pki_inertia_add(double body[10], const pk_inertia *inertia, const pk_pose *pose)
{
  double c[3], I[6];
  pki_mat3_apply(pose->rot, inertia->com, c);
  for (int i = 0; i < 3; i++) {
    c[i] += pose->pos[i];
  }
  pki_sym3_rotate(pose->rot, inertia->moment, I);
  const double m = inertia->mass;
  const double cc = pki_dot3(c, c);
  body[0] += m;
  for (int i = 0; i < 3; i++) {
    body[1 + i] += m * c[i];
  }
  /* parallel axes: I_o = I_c + m (c'c 1 - c c') */
  for (int e = 0; e < 6; e++) {
    const double diagonal = row[e] == col[e] ? cc : 0;
    body[4 + e] += I[e] + m * (diagonal - c[row[e]] * c[col[e]]);
  }
}

pk_inertia pki_inertia_central(const double body[10])
{
  pk_inertia out = {.mass = body[0]};
  for (int i = 0; i < 3; i++) {
    out.com[i] = body[0] != 0 ? body[1 + i] / body[0] : 0;
  }
  const double *c = out.com, cc = pki_dot3(c, c);
  for (int e = 0; e < 6; e++) {
    const double diagonal = row[e] == col[e] ? cc : 0;
    out.moment[e] = body[4 + e] - body[0] * (diagonal - c[row[e]] * c[col[e]]);
  }
  return out;
}

pki_moments pki_check_moments(const double moment[6], double lambda[3])
{
  pki_sym3_eigenvalues(moment, lambda);
  const double slack = MOMENT_TOLERANCE * fmax(fabs(lambda[0]), fabs(lambda[2]));
  return lambda[0] < -slack                          ? PKI_MOMENTS_NEGATIVE
         : lambda[0] + lambda[1] < lambda[2] - slack ? PKI_MOMENTS_UNEQUAL
                                                     : PKI_MOMENTS_SOUND;
}

/* Eigenvalues of a symmetric matrix, and its eigenvectors as the columns of V, by Jacobi's rotations (see
 * pki_sym3_eigenvalues). Entries are of ordinary size. */
static void eigenvectors(const double s[6], double lambda[3], double V[9])
{
  double A[9];
  pki_mat3_from_sym(s, A);
  memcpy(V, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *V);
  for (int turn = 0; turn < 60; turn++) {
    const int k = turn % 3, p = (k + 1) % 3, q = (k + 2) % 3;
    if (A[3 * p + q] == 0) {
      continue;
    }
    const double cot = (A[4 * q] - A[4 * p]) / (2 * A[3 * p + q]);
    const double tan = (cot < 0 ? -1 : 1) / (fabs(cot) + sqrt(cot * cot + 1));
    const double c = 1 / sqrt(tan * tan + 1), sine = tan * c;
    for (int i = 0; i < 3; i++) { /* A G and V G */
      const double ap = A[3 * i + p], aq = A[3 * i + q], vp = V[3 * i + p], vq = V[3 * i + q];
      A[3 * i + p] = c * ap - sine * aq, A[3 * i + q] = sine * ap + c * aq;
      V[3 * i + p] = c * vp - sine * vq, V[3 * i + q] = sine * vp + c * vq;
    }
    for (int i = 0; i < 3; i++) { /* G' A */
      const double ap = A[3 * p + i], aq = A[3 * q + i];
      A[3 * p + i] = c * ap - sine * aq, A[3 * q + i] = sine * ap + c * aq;
    }
    A[3 * p + q] = A[3 * q + p] = 0;
  }
  for (int i = 0; i < 3; i++) {
    lambda[i] = A[4 * i];
  }
}

void pki_balance_moments(const double moment[6], double out[6])
{
  double size = 0, scaled[6], lambda[3], V[9];
  int exponent;
  for (int e = 0; e < 6; e++) {
    size = fmax(size, fabs(moment[e]));
  }
  frexp(size, &exponent);
  for (int e = 0; e < 6; e++) {
    scaled[e] = ldexp(moment[e], -exponent);
  }
  eigenvectors(scaled, lambda, V);
  /* S has the same axes: sigma_k = (lambda_i + lambda_j - lambda_k) / 2, and I = tr(S) 1 - S */
  const double half = 0.5 * (lambda[0] + lambda[1] + lambda[2]);
  double sigma[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    sigma[k] = fmax(half - lambda[k], 0);
    sum += sigma[k];
  }
  const double balanced[6] = {sum - sigma[0], 0, 0, sum - sigma[1], 0, sum - sigma[2]};
  pki_sym3_rotate(V, balanced, out);
  for (int e = 0; e < 6; e++) {
    out[e] = ldexp(out[e], exponent);
  }
}
