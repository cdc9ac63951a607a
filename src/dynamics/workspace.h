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

#endif
