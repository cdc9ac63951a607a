/* What a solver of nonlinear programs sees: numbers and functions, and nothing of how they are made. A solver is a plugin (ipopt_plugin.c),
 * so that neither the library nor the command needs it. */
#ifndef PKI_OPTIMIZE_NLP_SOLVER_H
#define PKI_OPTIMIZE_NLP_SOLVER_H

#include <stdbool.h>

/* After an iteration. */
typedef struct pki_solver_iterate {
  int iteration;
  double objective, dual, mu, step;
  bool restoration;
} pki_solver_iterate;

typedef struct pki_solver_problem {
  int nx, ng, jacobian, hessian;       /* variables, rows, entries of the derivatives */
  const double *lower, *upper;         /* [nx] infinite: none */
  const double *row_lower, *row_upper; /* [ng] */
  const double *x_factor, *row_factor; /* [nx], [ng] the solver works with x * x_factor, g * row_factor */
  double objective_factor;
  double tolerance, acceptable; /* of the scaled optimality conditions */
  int iterations;
  double seconds; /* of the processor; 0: no limit */
  bool warm;
  double mu;
  /* Functions; false: not finite there. Patterns are written once, before any values. */
  void *user;
  void (*jacobian_pattern)(void *user, int *row, int *col);
  void (*hessian_pattern)(void *user, int *row, int *col); /* lower triangle */
  bool (*objective)(void *user, const double *x, double *f);
  bool (*gradient)(void *user, const double *x, double *gradient);
  bool (*constraints)(void *user, const double *x, double *g);
  bool (*jacobian_values)(void *user, const double *x, double *values);
  bool (*hessian_values)(void *user, const double *x, double factor, const double *lambda, double *values);
  /* After each iteration with its x; false: stop. */
  bool (*progress)(void *user, const pki_solver_iterate *iterate, const double *x);
  /* Start, and with `warm` the multipliers; then where the solver ended. */
  double *x, *lambda, *z_lower, *z_upper;
} pki_solver_problem;

typedef enum pki_solver_end {
  PKI_SOLVER_SOLVED,
  PKI_SOLVER_ACCEPTABLE,
  PKI_SOLVER_INFEASIBLE,
  PKI_SOLVER_LIMIT,
  PKI_SOLVER_STOPPED,
  PKI_SOLVER_FAILED
} pki_solver_end;

/* What a plugin exports as `pk_nlp_solve`; *why is a constant text that stays while the plugin is loaded. */
typedef pki_solver_end (*pki_solver_fn)(const pki_solver_problem *problem, const char **why);

#endif
