/* Access to a contact problem, for the judge and the solvers. */
#ifndef PKI_CONTACT_PROBLEM_H
#define PKI_CONTACT_PROBLEM_H

#include "pronk/contact.h"

/* W_row,col; zero where nothing is stored. */
double pki_entry(const pk_contact_problem *p, int row, int col);

/* Row of W times r. */
double pki_row_dot(const pk_contact_problem *p, int row, const double *r);

/* The diagonal block of a contact, row-major. */
void pki_block(const pk_contact_problem *p, int contact, double B[9]);

/* A row's impulse within its bounds, for the solvers; rows other than boxes have none. */
double pki_clamp_box(const pk_contact_problem *p, int row, double impulse);

#endif
