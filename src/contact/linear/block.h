/* One contact alone, solved exactly. */
#ifndef PKI_CONTACT_LINEAR_BLOCK_H
#define PKI_CONTACT_LINEAR_BLOCK_H

#include <stdbool.h>

/* One contact, prepared. */
typedef struct pki_local {
  double W[9];
  double S[4], inverse[4]; /* the Schur complement, and its inverse where it is regular */
  double wnt[2], wtn[2];   /* divided by W_NN */
  double inv_wnn, mu;
  bool regular; /* det S > 0 */
  double a;     /* of the last slip */
} pki_local;

/* From the diagonal block W 3x3, row-major with positive diagonal. */
void pki_local_prepare(const double W[9], double mu, pki_local *k);

/* Its impulses; q without its own impulses. */
void pki_local_solve(pki_local *k, const double q[3], double r[3]);

/* One contact alone: W 3x3 row-major with positive diagonal, u = W r + q, Coulomb's law. */
void pki_solve_contact(const double W[9], const double q[3], double mu, double r[3]);

#endif
