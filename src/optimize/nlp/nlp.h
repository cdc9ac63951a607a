/* A sparse nonlinear program, made of terms:
 *
 *   minimise f(x)   subject to   lower <= x <= upper,   row_lower <= g(x) <= row_upper
 *
 * A function y = F(w; p) is an expression graph with nw inputs, np parameters and ny results, differentiated once and
 * exactly (function.h). A term applies it at many places at once: instance i reads the variables in[i][nw] and the numbers p[i][np], and
 * adds each of its results to the row out[i][ny] or, where that is PKI_NLP_OBJECTIVE, to the objective. Rows and the objective
 * are sums of what terms add to them; a result that goes to PKI_NLP_NOWHERE is not used. So the patterns of the Jacobian and of the Hessian of the
 * Lagrangian are known before the first evaluation, entry by entry, and whatever repeats along a motion is one function
 * evaluated for many points in lanes.
 *
 * Build: variables and rows, terms, then pki_nlp_finish, after which values may change (bounds, start, scales, parameters) but no structure. */
#ifndef PKI_OPTIMIZE_NLP_NLP_H
#define PKI_OPTIMIZE_NLP_NLP_H

#include "base/error.h"
#include "optimize/nlp/function.h"

enum { PKI_NLP_OBJECTIVE = -1, PKI_NLP_NOWHERE = -2 };

/* Where a row or a variable belongs, for messages: "friction cone of LF, phase 2, at 0.31 s". */
typedef struct pki_nlp_label {
  const char *what; /* a constant text: "inverse dynamics", "friction cone"; never freed */
  const char *of;   /* of which part: a joint or foot; NULL: none; lives as long as the program */
  int phase;        /* -1: of the whole */
  int point;        /* of its phase, -1: none */
} pki_nlp_label;

typedef struct pki_nlp_term {
  const pki_nlp_function *function; /* not owned */
  int count;                        /* instances */
  int *in;                          /* [count][nw] variables */
  double *parameter;                /* [count][np] */
  int *out;                         /* [count][ny] rows */
} pki_nlp_term;

typedef struct pki_nlp {
  int nx, ng;
  /* of variables, [nx] */
  double *x, *lower, *upper;
  double *scale;   /* x / scale is of order one; positive */
  double *z_lower; /* multipliers of the bounds, of the last solution or for a warm start */
  double *z_upper;
  pki_nlp_label *x_label;
  /* of rows, [ng] */
  double *row_lower, *row_upper;
  double *row_scale; /* a violation / row_scale is of order one; positive */
  double *lambda;    /* multipliers */
  pki_nlp_label *row_label;
  double objective_scale; /* f / objective_scale is of order one; positive */
  /* terms */
  pki_nlp_term *terms;
  int nterm;
  bool failed;                     /* out of memory; remembered until pki_nlp_finish */
  struct pki_nlp_pattern *pattern; /* by pki_nlp_finish */
} pki_nlp;

pki_nlp *pki_nlp_create(void); /* NULL: out of memory */
void pki_nlp_destroy(pki_nlp *nlp);

/* `count` more variables, without bounds, at zero, of scale 1, or rows, equal to zero; the first one's number. */
int pki_nlp_variables(pki_nlp *nlp, int count, pki_nlp_label label);
int pki_nlp_rows(pki_nlp *nlp, int count, pki_nlp_label label);

/* One more instance of a function; arrays are copied. `parameter` may be NULL where np = 0. */
void pki_nlp_add(pki_nlp *nlp, const pki_nlp_function *function, const int *in, const double *parameter,
                 const int *out);

/* Patterns: after this the structure is fixed. */
pk_status pki_nlp_finish(pki_nlp *nlp, pk_error *err);

/* "friction cone of LF, phase 2, point 3"; phases and points count from 0. */
void pki_nlp_label_text(pki_nlp_label label, char *out, size_t size);

/* ---- values; after pki_nlp_finish. What was evaluated last is remembered in the program: one thread at a time. ---- */

int pki_nlp_jacobian_count(const pki_nlp *nlp); /* entries, each place once */
int pki_nlp_hessian_count(const pki_nlp *nlp);  /* of the lower triangle, each place once */
void pki_nlp_jacobian_pattern(const pki_nlp *nlp, int *row, int *col);
void pki_nlp_hessian_pattern(const pki_nlp *nlp, int *row, int *col); /* row >= col */

/* False: a value is not finite. */
bool pki_nlp_objective(const pki_nlp *nlp, const double *x, double *f);
bool pki_nlp_gradient(const pki_nlp *nlp, const double *x, double *gradient);
bool pki_nlp_constraints(const pki_nlp *nlp, const double *x, double *g);
bool pki_nlp_jacobian(const pki_nlp *nlp, const double *x, double *values);
/* of factor * f + lambda' g */
bool pki_nlp_hessian(const pki_nlp *nlp, const double *x, double factor, const double *lambda,
                     double *values);

/* The largest violation of rows and bounds, each divided by its scale; which: rows are 0 .. ng - 1, variables ng + i; NULL: not asked. */
double pki_nlp_violation(const pki_nlp *nlp, const double *x, int *which);

/* The slope [nx] of f + lambda' g at x with its multipliers, those of the bounds left out. At an optimum it is, of a variable that its bounds fix, what the
 * least objective changes with it. False: a value is not finite, or out of memory. */
bool pki_nlp_lagrangian_slope(const pki_nlp *nlp, double *slope);

/* How far x and its multipliers are from an optimum, scaled: the largest violation, slope of the Lagrangian, or product of a multiplier and the
 * distance from its bound. INFINITY: a value is not finite, or out of memory. */
double pki_nlp_optimality(const pki_nlp *nlp);

/* ---- solving ---- */

/* What is known after an iteration. */
typedef struct pki_nlp_progress {
  int iteration;
  double objective, violation, dual; /* violation and dual infeasibility are scaled */
  double mu, step;                   /* barrier parameter; length of the last step, 0 to 1 */
  double seconds;
  bool restoration; /* the solver works on feasibility alone */
} pki_nlp_progress;

typedef struct pki_nlp_options {
  double tolerance; /* of the optimality conditions, scaled; 0: 1e-8 */
  int iterations;   /* at most; 0: 500 */
  double seconds;   /* of the processor, at most; 0: no limit */
  bool warm;        /* start at x with the multipliers that are there */
  double mu;        /* first barrier parameter; 0: 0.1, with `warm` 1e-6 */
  /* After each iteration, with x of the iterate (unscaled); false: stop, keeping the best. NULL: none. */
  bool (*progress)(void *user, const pki_nlp_progress *progress, const double *x);
  void *user;
} pki_nlp_options;

typedef enum pki_nlp_end {
  PKI_NLP_SOLVED,
  PKI_NLP_ACCEPTABLE, /* to a hundred times the tolerance, and no better */
  PKI_NLP_INFEASIBLE, /* converged to a point of locally least violation */
  PKI_NLP_ITERATIONS, /* or seconds, used up */
  PKI_NLP_STOPPED,    /* by `progress` */
  PKI_NLP_FAILED,     /* numerically; `why` says how */
} pki_nlp_end;

typedef struct pki_nlp_result {
  pki_nlp_end end;
  const char *why; /* a constant text */
  int iterations;
  double objective, violation, dual;
  double seconds, evaluation_seconds; /* in all, and of these in functions and derivatives */
} pki_nlp_result;

/* Solve from nlp->x; x is then the solution, or the best iterate: the least violation where none is feasible, else the least objective
 * among the feasible. lambda, z_lower and z_upper are those of the last iterate. PK_ERROR_ARGUMENT: bounds that cross, a scale that is not positive, a
 * start that is not finite. PK_ERROR_UNSUPPORTED: the plugin is not there, with how to install it. One solve at a time in a process. */
pk_status pki_nlp_solve(pki_nlp *nlp, const pki_nlp_options *options, pki_nlp_result *out, pk_error *err);

#endif
