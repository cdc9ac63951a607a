/* From a state to a contact problem.
 *
 * A row is a direction J in velocity space: contacts have three (normal, two tangents), joint rows
 * one coordinate. J is kept on the row's chain: the coordinates that can move the point, ascending.
 * With M = L' D L in the elimination plan (src/dynamics/kernels/crba.c),
 *
 *   Y = inv(L') J',   W_ij = Y_i' inv(D) Y_j,
 *
 * and Y stays on the chain, because the chain is a path of the elimination tree: all of a
 * coordinate's columns lie on the path above it. Two chains of a tree share their beginning
 * and nothing else. */
#ifndef PKI_CONTACT_ASSEMBLY_H
#define PKI_CONTACT_ASSEMBLY_H

#include "base/arena.h"
#include "dynamics/kernels.h"
#include "pronk/contact.h"

typedef struct pki_assembly {
  const pk_model *model;
  int max_contacts, max_rows, depth; /* room; depth: longest chain */
  pk_contact_problem problem;        /* points at the arrays below */
  int *count;                        /* [rows] length of the chain */
  int *cols;                         /* [rows][depth] */
  double *J, *Y;                     /* [rows][depth] */
  double *extra;                     /* [rows] added to the diagonal of W: compliance of a row */
  double *W, *q, *r;                 /* [rows][rows], [rows], [rows] */
  double *mu;                        /* [max_contacts] */
  double *lower, *upper;             /* [rows] */
  int *path;                         /* [nu] scratch */
} pki_assembly;

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_assembly_carve(pki_assembly *a, const pk_model *model, int max_contacts, int max_rows,
                        pki_arena *arena);

void pki_assembly_clear(pki_assembly *a);

/* Three rows at a world point of a body, along n, t1, t2 (world); false when there is no room.
 * Contacts come before boxes. After kinematics. */
bool pki_assembly_add_contact(pki_assembly *a, const pki_work *w, int body, const double point[3],
                              const double n[3], const double t1[3], const double t2[3], double mu);

/* One coordinate with an impulse between bounds; `compliance` (m/s per N s) is added to its W. */
bool pki_assembly_add_box(pki_assembly *a, int dof, double sign, double lower, double upper,
                          double compliance);

/* One direction at a world point of a body, with an impulse between bounds. After kinematics. */
bool pki_assembly_add_point(pki_assembly *a, const pki_work *w, int body, const double point[3],
                            const double direction[3], double lower, double upper);

/* Row times a velocity [nu]. */
double pki_assembly_velocity(const pki_assembly *a, int row, const double *u);

/* W from the factor in w->M (after crba and ltl_factor). */
void pki_assembly_finish(pki_assembly *a, const pki_work *w);

/* out [nu] = sum over rows of J' r. */
void pki_assembly_forces(const pki_assembly *a, const double *r, double *out);

#endif
