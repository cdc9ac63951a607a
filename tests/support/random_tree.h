/* Random robots and states for tests: any topology, all joint kinds, sound inertias. */
#ifndef PK_TESTS_RANDOM_TREE_H
#define PK_TESTS_RANDOM_TREE_H

#include "base/random.h"
#include "pronk/dynamics.h"

typedef struct random_tree_options {
  int links;     /* of all robots, besides their roots; at most RANDOM_TREE_LINKS */
  bool mimic;    /* some one-axis joints follow others, before or after them */
  bool massless; /* some inner links have no mass */
  int cut;       /* 1: every other joint is cut, 2: all are; those that can be */
  bool shapes;   /* every link has a small ball, so that any two may touch */
  int robots;    /* that share the world, named r0, r1, ...; 0: one */
  pk_root_kind root;
} random_tree_options;

enum { RANDOM_TREE_LINKS = 64 };

/* A compiled random world; the test fails when it does not compile. */
pk_model *random_tree(pki_random *rng, const random_tree_options *options);

/* An inertia that a solid has: a few point masses. */
pk_inertia random_inertia(pki_random *rng);

/* A random configuration: angles in +-pi, travels in +-1, unit quaternions. */
void random_config(pki_random *rng, const pk_model *model, double *q);

/* n numbers in +-scale. */
void random_vector(pki_random *rng, int n, double scale, double *v);

#endif
