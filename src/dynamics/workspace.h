/* The scratch of one thread and one world: a lane group of one lane. */
#ifndef PKI_DYNAMICS_WORKSPACE_H
#define PKI_DYNAMICS_WORKSPACE_H

#include "dynamics/kernels.h"
#include "pronk/dynamics.h"

struct pk_workspace {
  const pk_model *model;
  const pki_kernels *kernels;
  pki_work work;
  double *scratch; /* [6 nu] */
  double *grouped; /* [nbody][10] the model's inertias regrouped, whatever those of the work are */
};

/* Positions from the offsets that the recursions leave: the one part of kinematics they skip. */
void pki_update_origins(pki_work *work);

/* The diagonal holds the armature, and nothing that a step may have added. */
void pki_reset_diagonal(pki_work *work);

/* Velocities x [nu] to unknowns of the plan [nplan], those of constraints zero; and back. */
void pki_plan_spread(const pk_model *model, const double *x, double *plan);
void pki_plan_collect(const pk_model *model, const double *plan, double *x);

/* x [nu] := inv(M) x with the factor in the plan; with bilateral rows in it, the velocities of [M J'; J 0] for no right
 * side in their rows. One lane. */
void pki_plan_solve(const pk_workspace *w, double *x);

/* What the coordinates of body i alone feel of a moment about its origin and a force (world axes), one number each;
 * after kinematics. One lane. */
void pki_body_columns(const pki_work *work, int i, const double moment[3], const double force[3],
                      double out[6]);

/* out [nu] += J' f for a moment and force (world axes) at the origin of a body; after kinematics. One lane. */
void pki_add_wrench(const pki_work *work, int body, const double wrench[6], double *out);

/* a with (M + diag - armature) a = tau - h, by composite bodies and the factor in the plan. */
void pki_composite_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau,
                                double *a);

#endif
