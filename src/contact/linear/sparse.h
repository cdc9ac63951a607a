/* A problem in factor form, packed for sweeps and products in velocities. With z = weight Y' r,
 *
 *   u_i = Y_i z + extra_i r_i + q_i,
 *
 * contacts keep their three rows side by side on one list of coordinates; other rows come one by one. */
#ifndef PKI_CONTACT_LINEAR_SPARSE_H
#define PKI_CONTACT_LINEAR_SPARSE_H

#include "base/arena.h"
#include "contact/linear/block.h"
#include "contact/problem/problem.h"

typedef struct pki_sparse {
  const pk_contact_problem *p;
  int n;                /* length of the velocity space */
  int contacts, groups; /* groups: contacts, then the other rows */
  int *start;           /* [groups + 1] where a group's coordinates begin in col */
  int *col;             /* their coordinates */
  double *Y3;           /* [entries of contacts][3] */
  double *Y1;           /* [entries of the others] */
  const double *weight; /* [n] */
} pki_sparse;

/* Entries of the contacts and of the other rows: of a shape (count NULL) at most, rows of a contact having the same
 * coordinates; of a problem exactly. */
void pki_sparse_entries(const pk_contact_problem *p, size_t *contacts, size_t *singles);

/* Room for a problem of this shape: counts, and the factor's n and stride. */
pki_sparse pki_sparse_take(pki_arena *arena, const pk_contact_problem *p);

/* Fill it from the problem's factor. */
void pki_sparse_pack(pki_sparse *s);

/* z [n] = weight Y' r. */
void pki_sparse_gather(const pki_sparse *s, const double *r, double *z);

/* u [rows] = Y z + extra r + q. */
void pki_sparse_velocity(const pki_sparse *s, const double *z, const double *r, double *u);

/* Y_i z of a contact's three rows. */
static inline void pki_sparse_dot3(const pki_sparse *s, int contact, const double *z, double out[3])
{
  const int from = s->start[contact], to = s->start[contact + 1];
  const int *col = s->col;
  const double *Y = s->Y3 + 3 * (size_t)from;
  double a = 0, b = 0, c = 0;
  for (int e = from; e < to; e++, Y += 3) {
    const double x = z[col[e]];
    a += Y[0] * x, b += Y[1] * x, c += Y[2] * x;
  }
  out[0] = a, out[1] = b, out[2] = c;
}

/* z += weight Y' dr of a contact. */
static inline void pki_sparse_add3(const pki_sparse *s, int contact, const double dr[3], double *z)
{
  const int from = s->start[contact], to = s->start[contact + 1];
  const int *col = s->col;
  const double *Y = s->Y3 + 3 * (size_t)from, d0 = dr[0], d1 = dr[1], d2 = dr[2];
  for (int e = from; e < to; e++, Y += 3) {
    z[col[e]] += s->weight[col[e]] * (Y[0] * d0 + Y[1] * d1 + Y[2] * d2);
  }
}

/* The same for a single row. */
static inline double pki_sparse_dot1(const pki_sparse *s, int group, const double *z)
{
  const double *Y = s->Y1 - s->start[s->contacts];
  double sum = 0;
  for (int e = s->start[group]; e < s->start[group + 1]; e++) {
    sum += Y[e] * z[s->col[e]];
  }
  return sum;
}

static inline void pki_sparse_add1(const pki_sparse *s, int group, double dr, double *z)
{
  const double *Y = s->Y1 - s->start[s->contacts];
  for (int e = s->start[group]; e < s->start[group + 1]; e++) {
    z[s->col[e]] += s->weight[s->col[e]] * Y[e] * dr;
  }
}

/* The diagonal block of a contact, row-major. */
void pki_sparse_block(const pki_sparse *s, int contact, double W[9]);

/* The diagonal of W [rows]. */
void pki_sparse_diagonals(const pki_sparse *s, double *diagonal);

#endif
