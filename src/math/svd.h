/* Singular values A = U S V^T by one-sided Jacobi rotations (Hestenes 1958), for small matrices: slow, short, and small
 * singular values as accurate as large ones, down to rounding errors of the largest. */
#ifndef PKI_MATH_SVD_H
#define PKI_MATH_SVD_H

#include <stdbool.h>

/* A [n][n] row-major becomes U with columns scaled by the singular values, S [n] holds these by falling size, V [n][n]. False: rotations
 * did not come to an end, or A is not finite. */
bool pki_svd(double *A, int n, double *S, double *V);

#endif
