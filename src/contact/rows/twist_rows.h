/* Rows of the twist of one body relative to another: angular velocity, then the velocity of the first's point that is at a place
 * minus that of the second's. They say how wrenches at that place act on the velocities of a world, and how these move it. */
#ifndef PKI_CONTACT_ROWS_TWIST_ROWS_H
#define PKI_CONTACT_ROWS_TWIST_ROWS_H

#include "contact/rows/assembly.h"

typedef struct pki_twist_rows {
  int count;    /* length of the chain */
  bool is_path; /* of the elimination tree; false: the union of two */
  int *cols;    /* [room] unknowns of the elimination plan, ascending */
  double *J;    /* [room][8] angular (3), 0, linear (3), 0 */
} pki_twist_rows;

enum { PKI_TWIST_ROW = 8 };

/* Take the arrays from an arena, for chains as long as those of an assembly; with a counting arena this counts. */
void pki_twist_rows_carve(pki_twist_rows *t, int depth, pki_arena *arena);

/* The rows of two ends; the assembly's first group is scratch. After kinematics. */
void pki_twist_rows_fill(pki_twist_rows *t, pki_assembly *a, const pk_workspace *w, const pki_ends *ends);

/* V [6] = J u. */
void pki_twist_rows_velocity(const pki_twist_rows *t, const pki_assembly *a, const double *u, double V[6]);

/* out [nu] += J' f, f a wrench (moment, force). */
void pki_twist_rows_add_force(const pki_twist_rows *t, const pki_assembly *a, const double f[6], double *out);

/* M += scale J' C J, C [6][6] symmetric; M as `crba` leaves it. The rows are a path: M has room for it. */
void pki_twist_rows_add_inertia(const pki_twist_rows *t, const pk_model *m, double scale, const double C[36],
                                double *M);

/* A bilateral row of the problem: the velocity along' V is zero but for the row's compliance; behind all other bilateral rows,
 * before boxes. False: no room. */
bool pki_twist_rows_add_bilateral(const pki_twist_rows *t, pki_assembly *a, const double along[6],
                                  double compliance);

#endif
