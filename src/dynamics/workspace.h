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
};

/* Positions from the offsets that the recursions leave: the one part of kinematics they skip. */
void pki_update_origins(pki_work *work);

/* The diagonal holds the armature, and nothing that a step may have added. */
void pki_reset_diagonal(pki_work *work);

/* a with (M + diag - armature) a = tau - h, by composite bodies and the factor in the plan. */
void pki_composite_acceleration(pk_workspace *w, const double *q, const double *u, const double *tau,
                                double *a);

#endif
