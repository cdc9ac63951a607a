/* Access to a contact problem, for the certificate and the solvers. */
#ifndef PKI_CONTACT_PROBLEM_PROBLEM_H
#define PKI_CONTACT_PROBLEM_PROBLEM_H

#include "contact/problem/speed_floor.h"
#include "pronk/contact.h"

/* a'b, in four sums that can run side by side. */
static inline double pki_dot(const double *a, const double *b, int n)
{
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i], s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2], s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) {
    s0 += a[i] * b[i];
  }
  return (s0 + s1) + (s2 + s3);
}

/* W_row,col, also from the factors; zero where nothing is stored. */
double pki_entry(const pk_contact_problem *p, int row, int col);

/* The diagonal of W [size]. */
void pki_diagonals(const pk_contact_problem *p, double *diagonal);

/* W_ii, quick where W is dense. */
static inline double pki_diagonal(const pk_contact_problem *p, int i)
{
  const size_t n = 3 * (size_t)p->ncontact + (size_t)p->nbilateral + (size_t)p->nbox;
  return p->W != NULL && p->W_col == NULL ? p->W[(size_t)i * (n + 1)] : pki_entry(p, i, i);
}

/* The first row of a group: contacts are groups of three rows, the others of one. */
static inline int pki_first_row(const pk_contact_problem *p, int group)
{
  return group < p->ncontact ? 3 * group : 2 * p->ncontact + group;
}

/* Row of W times r. */
double pki_row_dot(const pk_contact_problem *p, int row, const double *r);

/* The diagonal block of a contact, row-major. */
void pki_block(const pk_contact_problem *p, int contact, double B[9]);

/* A row's impulse within its bounds, for the solvers; rows other than boxes have none. */
double pki_clamp_box(const pk_contact_problem *p, int row, double impulse);

/* max(|q|_inf, PKI_SPEED_FLOOR): what residuals are relative to. */
double pki_contact_scale(const pk_contact_problem *p);

/* The certificate's residual alone, from impulses and the velocities that they leave; not a number when one of
 * them is none. The diagonal of W [size] saves looking it up; NULL: from the problem. */
double pki_contact_residual(const pk_contact_problem *p, const double *diagonal, const double *r,
                            const double *u);

/* The same of each group. */
void pki_contact_residuals(const pk_contact_problem *p, const double *diagonal, const double *r,
                           const double *u, double *residual);

/* The certificate of impulses r that leave the velocities u = W r + q; the diagonal as above. */
pk_contact_certificate pki_certify_velocity(const pk_contact_problem *p, const double *diagonal,
                                            const double *r, const double *u);

#endif
