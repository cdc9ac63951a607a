/* The table of lane kernels, and the memory that they work in.
 *
 * All arrays of numbers hold `lanes` consecutive doubles for each entry (lane fastest) and are
 * 64-byte aligned: entry e of world l is x[e * lanes + l]. With one lane that is a plain
 * array. Kernels neither allocate nor fail; what they need of each other is in the comments.
 *
 * docs/theory/dynamics.md derives the recursions. */
#ifndef PKI_DYNAMICS_KERNELS_H
#define PKI_DYNAMICS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "pronk/model.h"

/* Numbers of the model that may differ from world to world. */
typedef struct pki_params {
  double *gravity;  /* [3] m/s^2 */
  double *inertia;  /* [nbody][10] as pk_model.body_inertia */
  double *armature; /* [nu] */
  double *grouped;  /* [nbody][10] regrouped (model/grouped.h): what a model's own code reads */
  bool varied;      /* some inertias are not the model's */
} pki_params;

/* Scratch of one lane group. Body arrays have one more entry in front, the world, so that
 * index -1 is valid. World axes; each body's vectors are taken at its own origin. */
typedef struct pki_work {
  const pk_model *model;
  int lanes;
  pki_params params;
  double *pose;    /* [nbody] rotation body to world (9), offset from the parent's origin (3) */
  double *origin;  /* [nbody][3] position in the world */
  double *twist;   /* [nbody][6] angular velocity, velocity of the origin */
  double *accel;   /* [nbody][6] angular acceleration, acceleration of the origin, minus gravity */
  double *force;   /* [nbody][6] moment and force of inertia */
  double *artic;   /* [nbody][21] articulated inertia of the children: A (6), B (9), C (6) */
  double *rigid;   /* [nbody][10] inertia, or composite inertia: m, m c, I */
  double *factor;  /* [nbody][8] one-axis bodies: U/D (6), 1/D, remaining joint force */
  double *multi;   /* [nmulti][PKI_MULTI] factors of spherical and floating bodies */
  double *delta;   /* [nbody][6] acceleration beyond the velocity products */
  double *zero;    /* [nu] zeros */
  double *diag;    /* [nu] what is added to the diagonal of M, armature included */
  double *M;       /* [nM] mass matrix, then its factor, in the elimination plan */
  double *tmp;     /* [2][nu] */
  double *plan;    /* [nplan] unknowns of the elimination plan */
  int *body_multi; /* [nbody] index into multi, -1 for one-axis bodies */
  int *chain;      /* [nchain+1] where chains of unknowns begin (kernels/ltl.c) */
  int nchain;      /* 0: the plan is no tree */
  const struct pki_code_functions *code; /* compiled for this model (code.h); NULL: none */
  int *body_place; /* [nbody] PKI_LEAF: no children; PKI_LAST: last child of its parent */
} pki_work;

enum { PKI_LEAF = 1, PKI_LAST = 2 };

/* Entries of one `multi` slot: V = IA S / D (6 columns of 6), factor of D (21), remaining joint force (6). */
enum { PKI_MULTI_V = 0, PKI_MULTI_D = 36, PKI_MULTI_REST = 57, PKI_MULTI = 63 };

typedef struct pki_kernels {
  const char *isa;
  int lanes;

  /* pose and origin from q */
  void (*kinematics)(pki_work *w, const double *q);
  /* twist from u; after kinematics */
  void (*velocities)(pki_work *w, const double *u);

  /* tau = M a + h; a NULL: zero. Computes pose, twist, accel, force. */
  void (*rnea)(pki_work *w, const double *q, const double *u, const double *a, double *tau);

  /* w->M = mass matrix with w->diag on its diagonal, 1 for the unknowns of constraints; after kinematics. */
  void (*crba)(pki_work *w);
  /* rnea without accelerations into h, and crba, origins included: what a step needs, in one pass. armature is in diag. */
  void (*inertial)(pki_work *w, const double *q, const double *u, double *h);
  /* All that a step needs before contacts, in one: poses, origins, twists, the factor of M + diag in M, and
   *   x = u + inv(M + diag) dt (force - (gain + damping) u - h).
   * Only code of a model has it; NULL: by inertial, ltl_factor and ltl_solve. */
  void (*free_velocity)(pki_work *w, const double *q, const double *u, const double *force,
                        const double *gain, double dt, double *x);
  /* M := L, D with M = L' D L; the diagonal becomes 1/D */
  void (*ltl_factor)(pki_work *w);
  /* x [nplan] := inv(M) x with that factor, unknowns in the order of the plan (pki_plan_solve for velocities) */
  void (*ltl_solve)(const pki_work *w, double *x);

  /* x := inv(L) x: what is left of a solve for sum of Z r (below) */
  void (*ltl_finish)(const pki_work *w, double *x);

  /* J [path][4] += rows of the point [3] (world) of a body along four directions [3][4] (world; component by
   * component), the coordinates of body i from entry place[i] on; after kinematics */
  void (*point_rows)(const pki_work *w, int body, const double *point, const double *along, const int *place,
                     double *J);
  /* The same of its angular velocity along four directions; `point` is not read. */
  void (*turn_rows)(const pki_work *w, int body, const double *point, const double *along, const int *place,
                    double *J);
  /* Y [n][4] := inv(L') Y and Z = inv(D) Y, four rows on one path [n] of the elimination tree */
  void (*whiten)(const pki_work *w, const int *path, int n, double *Y, double *Z);
  /* block [3][4] = Y' Z over the first n entries: three rows by four */
  void (*gram)(int n, const double *Y, const double *Z, double *block);

  /* a = inv(M + diag) (tau - h), articulated bodies. Leaves the factor of M + diag, and the
   * velocity-product accelerations in accel, the rest in delta. Not for models with mimic joints. */
  void (*aba)(pki_work *w, const double *q, const double *u, const double *tau, double *a);
  /* The same a and nothing else that could be relied on: aba, or compiled code. */
  void (*acceleration)(pki_work *w, const double *q, const double *u, const double *tau, double *a);
  /* Likewise the tau of rnea alone. */
  void (*inverse)(pki_work *w, const double *q, const double *u, const double *a, double *tau);
  /* The factor alone; after kinematics. */
  void (*aba_factor)(pki_work *w);
  /* x = inv(M) (b + J' f): b NULL: zero; f [6] a moment and force (world axes) at the origin of
   * `body`, -1: none. After aba or aba_factor. */
  void (*aba_solve)(pki_work *w, const double *b, int body, const double *f, double *x);

  /* J [6][nu] of a point [3] (body axes) of a body, world axes; after kinematics. */
  void (*jacobian)(const pki_work *w, int body, const double *point, double *J);
  /* dJ/dt [6][nu]; after velocities */
  void (*jacobian_dot)(const pki_work *w, int body, const double *point, double *Jdot);

  /* Sums over bodies first .. first+count-1: m, m c relative to the world (3), linear momentum
   * (3), angular momentum about the centre of mass (3), kinetic, potential energy: out [12].
   * Armature is not in the kinetic energy. After velocities. */
  void (*sums)(const pki_work *w, int first, int count, double *out);
  /* Centroidal momentum matrix [6][nu] of all bodies; after kinematics. */
  void (*momentum_matrix)(pki_work *w, double *A);

  /* q_out = q (+) scale v on the group; q_out may be q. */
  void (*config_add)(const pk_model *m, const double *q, double scale, const double *v, double *q_out);
  /* d(xi)/dt = B(xi) u for coordinates xi with q = q_0 (+) xi; out may be u */
  void (*config_rate)(const pk_model *m, const double *xi, const double *u, double *out);
} pki_kernels;

/* The variant for this machine, or the one that PRONK_ISA asks for when the machine has it.
 * lanes is 1, 4 or 8. Never NULL. */
const pki_kernels *pki_kernels_get(int lanes);

/* The variant of a named instruction set, NULL when it is not built or the machine lacks it. */
const pki_kernels *pki_kernels_find(const char *isa, int lanes);

/* Take the arrays of a lane group from an arena and fill parameters from the model; with a
 * counting arena only its size is counted. */
void pki_work_carve(pki_work *w, const pk_model *model, int lanes, pki_arena *arena);

#endif
