/* Bilateral constraints of a model at a configuration: their rows, their gaps, and their place in the factor.
 *
 * Frames a and b are fixed in two bodies. A locked travel along an axis e of a, and a locked turn, are
 *
 *   g = e . (p_b - p_a)     dg/dt = e . (v_b(p_b) - v_a(p_b))    both velocities taken at p_b: e turns with a
 *   g = e . theta           dg/dt = e . (w_b - w_a) at g = 0     theta: the turn that takes a to b, small
 *
 * where theta is the turn between two axes when the turn about that axis is free. A distance is g = |p_b - p_a| - length along
 * e = (p_b - p_a)/|p_b - p_a|. A coupling of two coordinates is g = y - p(x), dg/dt = y' - p_x(x) x'. Drives are the same rows along what a cut joint leaves free: its coordinates.
 *
 * Written into the elimination plan beside M they are eliminated with it (Gehring et al. 2014, equation 20, in the
 * order of Baraff 1996):
 *
 *   [M  J'      S'] [x]        [f]
 *   [J  -c 1    0 ] [lambda] = [b]      S = sqrt(s) J_drive
 *   [S  0      -1 ] [mu]       [0]
 *
 * x is then inv(M + J_drive' s J_drive) f within J x = b, and the impulse of the rows -lambda. c is zero for cut joints:
 * a tree of them is never redundant. Loops can be; c, a 1e-11 of what their row responds with, keeps the factor finite
 * and leaves a velocity of c lambda, which a refinement takes out. */
#ifndef PKI_CONTACT_ROWS_BILATERAL_H
#define PKI_CONTACT_ROWS_BILATERAL_H

#include "base/arena.h"
#include "dynamics/workspace.h"

typedef struct pki_bilateral {
  const pk_model *model;
  int n, stride;  /* rows: nbilateral, then ndrive; room in each */
  int *count;     /* [n] */
  int *col;       /* [n][stride] velocities */
  double *J;      /* [n][stride] */
  int *plan;      /* [n] unknown in the elimination plan */
  int *of;        /* [nbilateral] its constraint */
  double *gap;    /* [nbilateral] m or rad */
  double *rest;   /* [nbilateral] what a refinement takes out, */
  double *change; /* [nu] and how */
  double *solved; /* [nbilateral] N s or N m s, impulses of the last solve */
  bool has_loops;
} pki_bilateral;

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_bilateral_carve(pki_bilateral *b, const pk_model *model, pki_arena *arena);

/* A frame fixed in a body (-1: the world) in the world: origin, and axes as columns. */
void pki_frame_in_world(const pki_work *work, int body, const pk_pose *frame, double p[3], double R[9]);

/* Rows and gaps at the workspace's configuration, which is q; after kinematics and origins. */
void pki_bilateral_update(pki_bilateral *b, const pki_work *work, const double *q);

/* The coordinates of all drives at the workspace's configuration into out [ndrive]. Turns count on from their last value,
 * so that they pass half a turn; those of spherical and floating joints, which have none, are left alone. */
void pki_bilateral_coordinates(const pk_model *model, const pki_work *work, double *out);

/* Write rows (when `direct`) and drives with weights s [ndrive] (NULL: none) into w->work.M, which crba has filled. Then
 * factor it. */
void pki_bilateral_factor(const pki_bilateral *b, pk_workspace *w, const double *s, bool direct);

/* x [nu] := the velocities for the right side x, and b in the rows (NULL: zero). */
void pki_bilateral_solve(pki_bilateral *b, pk_workspace *w, double *x, const double *rows);

/* What c has left of J u = 0 in u [nu] is taken out by one more solve. For loops only: cut joints have no c. */
void pki_bilateral_refine(pki_bilateral *b, pk_workspace *w, double *u);

/* What the last solve with the factor has left in the plan: impulses of the rows into solved [nbilateral]. */
void pki_bilateral_read(pki_bilateral *b, const pk_workspace *w);

/* The force at a point and the moment, world axes, that rows of a constraint with the forces `rows` [nrow] make on its second body; on
 * the first one the opposite, at the same point. At the configuration of the work; not for couplings. */
void pki_bilateral_force(const pki_work *work, const pk_model_constraint *c, const double *rows,
                         double point[3], double force[3], double moment[3]);

/* A row times a velocity [nu]; out [nu] += its direction times f. */
double pki_bilateral_velocity(const pki_bilateral *b, int row, const double *u);
void pki_bilateral_add(const pki_bilateral *b, int row, double f, double *out);

#endif
