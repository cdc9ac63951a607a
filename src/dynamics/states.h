/* Random states of a model, the same for every engine. */
#ifndef PKI_DYNAMICS_STATES_H
#define PKI_DYNAMICS_STATES_H

#include <stdbool.h>

#include "base/random.h"
#include "pronk/model.h"

/* Joint angles in [-pi, pi] and travels in [-0.5, 0.5] m, both within the joints' limits; any
 * orientation; positions in [-1, 1] m; u, a in [-2, 2]; tau in [-10, 10]. Arrays as in dynamics.h. */
void pki_random_state(const pk_model *model, pki_random *random, double *q, double *u, double *tau,
                      double *a);

/* `count` of them: state k starts at q + k nq, u + k nu, ... */
typedef struct pki_states {
  int count;
  double *q, *u, *tau, *a;
} pki_states;

bool pki_states_create(pki_states *states, const pk_model *model, int count, unsigned seed);
void pki_states_destroy(pki_states *states);

/* |x - y| / |y| in the 2-norm; |x| where y is zero; infinite when a number is not finite. */
double pki_relative_difference(const double *x, const double *y, size_t count);

#endif
