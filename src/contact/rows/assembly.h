/* From a state to a contact problem.
 *
 * A row is a direction J in velocity space: contacts have three (normal, two tangents), joint rows
 * one coordinate. J is kept on the row's chain: the unknowns of the elimination plan that can move the
 * point, ascending. With M = L' D L in the plan (src/dynamics/kernels/crba.c),
 *
 *   Y = inv(L') J',   W_ij = Y_i' inv(D) Y_j,
 *
 * and Y stays on the chain, because the chain is a path of the elimination tree: all of an
 * unknown's columns lie on the path above it. Two chains share their beginning and nothing else, and
 * an unknown has the same place in every chain: its level. Bilateral constraints in the plan
 * (bilateral.h) are unknowns with D < 0: W is then the response of the constrained world.
 *
 * The rows of relative motion between two bodies have two ends; their chain is the union of two paths, and what moves
 * both ends alike cancels.
 *
 * Rows on one chain form a group, four side by side: the three of a contact, or a single one. */
#ifndef PKI_CONTACT_ROWS_ASSEMBLY_H
#define PKI_CONTACT_ROWS_ASSEMBLY_H

#include "base/arena.h"
#include "contact/rows/bilateral.h"
#include "dynamics/kernels.h"
#include "pronk/contact.h"

/* What a solver reads: W while it has room, islands of their own from factors (W alone where the model is one tree and rows are
 * few), or factors. */
typedef enum pki_form { PKI_FORM_DENSE, PKI_FORM_ISLANDS, PKI_FORM_FACTOR } pki_form;

typedef struct pki_assembly {
  const pk_model *model;
  int max_contacts, max_rows, depth; /* room; depth: longest chain */
  pk_contact_problem problem;        /* points at the arrays below */
  pki_form form;                     /* of the problem */
  bool one_tree;                     /* M couples all velocities */
  /* groups: contacts, then single rows */
  int *count;        /* [groups] length of the chain */
  int *cols;         /* [groups][depth] */
  bool *is_path;     /* [groups] false: the union of two */
  double *J, *Y, *Z; /* [groups][depth][4] Z = inv(D) Y */
  /* rows */
  double *extra;         /* [rows] added to the diagonal of W: compliance of a row */
  double *soft;          /* [rows] likewise, as a part of the row's own W */
  double *diagonal;      /* [rows] of W, compliance included, before still rows are marked */
  bool *still;           /* [rows] nothing moves the row: its `extra` is all of its W */
  double *W, *q, *r;     /* [PKI_DENSE_ROWS at most]^2, [rows], [rows] */
  double *mu;            /* [max_contacts] */
  double *lower, *upper; /* [rows] */
  int *constraint;       /* [rows] of bilateral rows */
  /* the factor, for solvers that iterate in velocities */
  pk_contact_factor factor;
  int *row_count, *row_cols; /* [rows], [rows][depth] */
  double *row_Y, *weight;    /* [rows][depth], [nplan] inv(D) */
  /* of the model */
  int *up, *level; /* [nplan] the unknown above it, -1: none; how many there are */
  int *place;      /* [nbody] level of a body's first coordinate */
  int *plan_to_u;  /* [nplan] velocity, -1: an unknown of constraints */
  int *path;       /* [nplan] scratch */
  double *sum;     /* [nplan] scratch */
  double *ends;    /* [2][depth][4] scratch: the rows of a group's two ends */
} pki_assembly;

/* Whether shapes of two moving bodies may touch: two bodies have some. */
bool pki_bodies_touch(const pk_model *model);

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_assembly_carve(pki_assembly *a, const pk_model *model, int max_contacts, int max_rows,
                        pki_arena *arena);

void pki_assembly_clear(pki_assembly *a);

/* Two points, of a body and of another one (-1: the world) or the same, which are at or near one place; world. */
typedef struct pki_ends {
  int body, other;
  const double *point, *other_point; /* [3]; NULL: the same point */
} pki_ends;

/* A group of rows between two ends, along up to four directions: of the velocity of the first relative to the second, or (turns)
 * of its angular velocity. After kinematics. */
void pki_assembly_fill_group(pki_assembly *a, const pk_workspace *w, int group, const pki_ends *ends,
                             const double *const *directions, int count, bool turns);

/* Three rows of the velocity of the first end relative to the second, along n, t1, t2 (world); false when there is no
 * room. Contacts come before boxes. After kinematics. */
bool pki_assembly_add_contact(pki_assembly *a, const pk_workspace *w, const pki_ends *ends, const double n[3],
                              const double t1[3], const double t2[3], double mu);

/* One coordinate with an impulse between bounds; `compliance` (m/s per N s) is added to its W. */
bool pki_assembly_add_box(pki_assembly *a, int dof, double sign, double lower, double upper,
                          double compliance);

/* One such row, with an impulse between bounds. After kinematics. */
bool pki_assembly_add_point(pki_assembly *a, const pk_workspace *w, const pki_ends *ends,
                            const double direction[3], double lower, double upper);

/* Let the last row yield by a part of its own W, beside its compliance. */
void pki_assembly_soften(pki_assembly *a, double part);

/* A bilateral row of the model as a row that a solver sees; before boxes. */
bool pki_assembly_add_bilateral(pki_assembly *a, const pki_bilateral *b, int row);

/* A row of the model's constraints or a drive, with an impulse between bounds. */
bool pki_assembly_add_relative(pki_assembly *a, const pki_bilateral *b, int row, double sign, double lower,
                               double upper, double compliance);

/* The three rows of a contact times a velocity [nu]. */
void pki_assembly_contact_velocity(const pki_assembly *a, int contact, const double *u, double out[3]);

/* Row times a velocity [nu]. */
double pki_assembly_velocity(const pki_assembly *a, int row, const double *u);

/* W, its factors, or both (islands.h) from the factor in w->M (after crba and ltl_factor). */
void pki_assembly_finish(pki_assembly *a, const pk_workspace *w);

/* W, up to PKI_DENSE_ROWS rows, where the problem goes without it; NULL: too many. After pki_assembly_finish. */
const double *pki_assembly_dense(pki_assembly *a, const pk_workspace *w);

/* The factors of W row by row, also where the problem goes without them; after pki_assembly_finish, until the next. */
pk_contact_factor pki_assembly_factor(const pki_assembly *a, const pk_workspace *w);

/* out [nu] = sum over rows of J' r. */
void pki_assembly_forces(const pki_assembly *a, const double *r, double *out);

/* x [nu] = inv(M) J' r, from Z; after pki_assembly_finish. */
void pki_assembly_response(const pki_assembly *a, const pk_workspace *w, const double *r, double *x);

#endif
