/* Eigenvalues of a real matrix without symmetry, with both kinds of eigenvectors, for matrices of up to some hundred rows.
 *
 * The complex Schur form A = Q T Q^H by a reduction to Hessenberg form (Householder) and the QR algorithm with Wilkinson's
 * shift; eigenvectors by substitution in the triangle T (Golub and Van Loan 2013, 7.4 to 7.6). The eigenvalues are those of
 * a matrix that differs from A by a few rounding errors of its norm. */
#ifndef PKI_MATH_EIGEN_H
#define PKI_MATH_EIGEN_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct pki_eigen {
  int n;
  double complex *value; /* [n] by falling modulus; of a pair the one above the real axis first */
  double complex *right; /* [n][n] row k: v with A v = value[k] v, |v| = 1 */
  double complex *left;  /* [n][n] row k: w with w^H A = value[k] w^H, |w| = 1 */
} pki_eigen;

/* A [n][n] row-major, which stays. False: memory is out, A is not finite, or the iteration did not end (it has not been seen
 * to). Free it in any case. */
bool pki_eigen_compute(const double *A, int n, pki_eigen *out);
void pki_eigen_free(pki_eigen *eigen);

/* How far value[k] moves when the entries of A change independently of each other by E [n][n], at first order: the root of
 * the sum of the squares of conj(w_i) E_ij v_j, over |w^H v|. Infinite where w^H v is zero. */
double pki_eigen_spread(const pki_eigen *eigen, int k, const double *E);

/* How far a change of A of norm 1 can move value[k] at first order: 1 / |w^H v|, one for a normal matrix. */
double pki_eigen_condition(const pki_eigen *eigen, int k);

#endif
