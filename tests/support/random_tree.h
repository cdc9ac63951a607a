/* Random robots and states for tests: any topology, all joint kinds, sound inertias. */
#ifndef PK_TESTS_RANDOM_TREE_H
#define PK_TESTS_RANDOM_TREE_H

#include "base/random.h"
#include "pronk/dynamics.h"

typedef struct random_tree_options {
  int links;     /* besides the root */
  bool mimic;    /* some one-axis joints follow others */
  bool massless; /* some inner links have no mass */
  pk_root_kind root;
} random_tree_options;

/* A compiled random robot; the test fails when it does not compile. */
pk_model *random_tree(pki_random *rng, const random_tree_options *options);

/* A random configuration: angles in +-pi, travels in +-1, unit quaternions. */
void random_config(pki_random *rng, const pk_model *model, double *q);

/* n numbers in +-scale. */
void random_vector(pki_random *rng, int n, double scale, double *v);

#endif
