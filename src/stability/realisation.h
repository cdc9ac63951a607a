/* The multipliers of a map that remembers more than its states show.
 *
 * A stride takes (x, m) to (x, m), m what a controller or contacts remember, and its derivative is F. Only x can be
 * changed and seen: changes of x give A_k = C F^k B, the derivatives of the iterates, for k = 1, 2, ..., 2 p. These are Markov
 * parameters, and the Hankel matrices
 *
 *   H_0 = [A_(i+j+1)],  H_1 = [A_(i+j+2)],  i, j = 0 .. p - 1,
 *
 * are O F C and O F^2 C of one observability and one controllability matrix: with H_0 = U S V^T cut to what is above its errors,
 * S^(-1/2) U^T H_1 V S^(-1/2) has those eigenvalues of F that changes of x excite and states show (Ho and Kalman 1966; Juang and
 * Pappa 1985, J. Guidance 8: 620). Multipliers near zero go under in the errors.
 *
 * Rows and columns are weighted by their errors, which changes no eigenvalue: what is known badly then hides nothing. The largest
 * singular value of a matrix of N x N independent errors of size 1 is about 2 sqrt(N) (Geman 1980). Cuts are ten and three times above
 * it: modes of the motion are the same for both, modes of errors are not, and the error of a multiplier is no less than its distance
 * from those of the other cut (the stabilisation diagram of modal analysis). */
#ifndef PKI_STABILITY_REALISATION_H
#define PKI_STABILITY_REALISATION_H

#include "pronk/floquet.h"

/* A, E [2 p][n][n]. *order numbers, multipliers [p n] room, by falling modulus; *order 0: everything is below the errors. */
pk_status pki_realise(const double *A, const double *E, int n, int p, pk_multiplier *multipliers, int *order,
                      pk_error *err);

/* The same without memory: the eigenvalues of A [n][n]. */
pk_status pki_multipliers_of(const double *A, const double *E, int n, pk_multiplier *multipliers,
                             pk_error *err);

#endif
