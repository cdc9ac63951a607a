#include "dynamics/states.h"

#include <math.h>
#include <stdlib.h>

void pki_random_state(const pk_model *model, pki_random *random, double *q, double *u, double *tau, double *a)
{
  for (int i = 0; i < model->nbody; i++) {
    double *mine = q + model->body_q[i];
    switch (model->body_motion[i]) {
    case PK_MOTION_REVOLUTE:
    case PK_MOTION_PRISMATIC: {
      const int dof = model->body_u[i];
      const double reach = model->body_motion[i] == PK_MOTION_REVOLUTE ? 0x1.921fb54442d18p+1 : 0.5;
      *mine =
          pki_random_between(random, fmax(-reach, model->dof_lower[dof]), fmin(reach, model->dof_upper[dof]));
      break;
    }
    case PK_MOTION_FLOATING:
      for (int k = 0; k < 3; k++) {
        mine[k] = pki_random_between(random, -1.0, 1.0);
      }
      pki_random_quaternion(random, mine + 3);
      break;
    default: pki_random_quaternion(random, mine);
    }
  }
  for (int i = 0; i < model->nu; i++) {
    u[i] = pki_random_between(random, -2.0, 2.0);
    tau[i] = pki_random_between(random, -10.0, 10.0);
    a[i] = pki_random_between(random, -2.0, 2.0);
  }
}

bool pki_states_create(pki_states *states, const pk_model *model, int count, unsigned seed)
{
  const size_t n = (size_t)count, nq = (size_t)model->nq, nu = (size_t)model->nu;
  *states = (pki_states){.count = count,
                         .q = calloc(n * nq + 1, sizeof(double)),
                         .u = calloc(n * nu + 1, sizeof(double)),
                         .tau = calloc(n * nu + 1, sizeof(double)),
                         .a = calloc(n * nu + 1, sizeof(double))};
  if (!states->q || !states->u || !states->tau || !states->a) {
    pki_states_destroy(states);
    return false;
  }
  pki_random random = pki_random_seeded(seed);
  for (size_t k = 0; k < n; k++) {
    pki_random_state(model, &random, states->q + k * nq, states->u + k * nu, states->tau + k * nu,
                     states->a + k * nu);
  }
  return true;
}

void pki_states_destroy(pki_states *states)
{
  free(states->q);
  free(states->u);
  free(states->tau);
  free(states->a);
  *states = (pki_states){0};
}

double pki_relative_difference(const double *x, const double *y, size_t count)
{
  double difference = 0.0, size = 0.0;
  for (size_t i = 0; i < count; i++) {
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  const double relative = size > 0.0 ? sqrt(difference / size) : sqrt(difference);
  return isfinite(relative) ? relative : INFINITY;
}
