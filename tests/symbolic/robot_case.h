/* Robots and states for tests of dynamics on the graph, and functions evaluated there: by the graph or by emitted code. */
#ifndef PK_TESTS_SYMBOLIC_ROBOT_CASE_H
#define PK_TESTS_SYMBOLIC_ROBOT_CASE_H

#include "support/random_tree.h"
#include "symbolic/robot/robot.h"

enum { LINKS = 12, ROBOTS = 2, NU_MAX = 6 * (LINKS + ROBOTS), NQ_MAX = 7 * (LINKS + ROBOTS) };

/* A model and a state. */
typedef struct robot_case {
  pk_model *model;
  pk_workspace *work;
  double q[NQ_MAX], u[NU_MAX], a[NU_MAX], tau[NU_MAX];
} robot_case;

void place(robot_case *c, pki_random *rng); /* a random state of c->model */
robot_case tree_case(pki_random *rng,
                     int k); /* tree number k: all roots, mimic joints, massless links, cut joints */
robot_case named_case(pki_random *rng, const char *name);
void free_case(robot_case *c);

extern const char *const robot_names[4]; /* StarLETH, the thesis quadruped, UR10, COMAN */

/* A function and its outputs at a state. */
typedef struct made {
  pki_graph *g;
  pki_function f;
  double *out;
  const double *at[PKI_OUTPUTS]; /* where each output begins */
} made;

made make(const robot_case *c, const char *name, unsigned open);
void unmake(made *x);

/* Emitted code that computes instead of the graph, and the prefix of its names; NULL: the graph does. */
extern void *robot_code;
extern char robot_prefix[16];

/* Output i as a dense matrix, the upper triangle from the lower when `mirror`. */
void dense(const made *x, int i, bool mirror, double *out);

double norm(const double *v, int n);
double difference(const double *a, const double *b, int n);

#endif
