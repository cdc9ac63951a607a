/* Linear complementarity problems, with boxes and with bounds that depend on another unknown.
 *
 * With w = M z + q find z with lower <= z <= upper and, row by row,
 *
 *   w >= 0 where z = lower,  w <= 0 where z = upper,  w = 0 between.
 *
 * Without bounds (lower = 0, upper = infinity) this is 0 <= z, 0 <= w, z'w = 0. Bounds may be infinite. A row
 * i with findex[i] = f >= 0 is a friction row: its bounds are lower[i] z_f and upper[i] z_f, coefficients
 * times the normal force of row f; with lower = -mu and upper = mu this is Coulomb's law for one direction.
 *
 * Three solvers that fail in different ways: docs/theory/lcp.md says which one can do what. pk_lcp_certify
 * knows no solver and certifies them all.
 *
 * Threads: all functions may run at the same time; a problem may be shared while nobody writes to it, memory
 * and results may not. */
#ifndef PRONK_LCP_H
#define PRONK_LCP_H

#include <stdbool.h>
#include <stddef.h>

#include "contact.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_lcp {
  /* Unknowns. */
  int n;
  /* [n][n] row-major. */
  const double *M;
  /* [n]. */
  const double *q;
  /* [n] least z, or its coefficient; NULL (then upper is, too): 0. */
  const double *lower;
  /* [n] largest z, or its coefficient; NULL (then lower is, too): infinity. */
  const double *upper;
  /* [n] the row that a row's bounds are multiples of, -1: they are constants; NULL: all -1. */
  const int *findex;
} pk_lcp;

/* Check that the numbers are finite (bounds may be infinite, coefficients not), lower <= upper, and for
 * friction rows lower <= 0 <= upper, that findex names a row with constant bounds and lower >= 0. */
PK_API pk_status pk_lcp_validate(const pk_lcp *p, pk_error *err);

/* How well z satisfies the conditions: with d_i the largest |M_ij| of the row (1 when all are zero) and P the
 * projection on the row's bounds at z, the residual is the largest d_i |z_i - P(z_i - w_i / d_i)|, which
 * without bounds is |min(d_i z_i, w_i)|. */
typedef struct pk_lcp_certificate {
  /* In units of w; infinite when z is not finite. */
  double residual;
  /* residual over the largest |w_i| at the z nearest to zero: without bounds over |q|_inf. */
  double relative;
  /* Row of the residual; -1: none. */
  int worst;
} pk_lcp_certificate;

/* Certify z [n]; w [n] gets M z + q. */
PK_API pk_lcp_certificate pk_lcp_certify(const pk_lcp *p, const double *z, double *w);

/* Whether v [n] proves that no z within the bounds has w >= 0 where there is no upper bound, w <= 0 where
 * there is no lower one and w = 0 where there is neither: v has the sign that w must have and is 0 elsewhere,
 * so that v'w >= 0, yet v'(M z + q) < 0 for all z within the bounds. Without bounds: v >= 0, M'v <= 0,
 * q'v < 0. Signs of M'v are trusted down to rounding, 1e-12 of the sum of the moduli. */
PK_API bool pk_lcp_proves_infeasible(const pk_lcp *p, const double *v);

/* Every solver, as a choice of worlds (pk_lcp_choice), and the name of its row (pki_lcp_NAME, in the file
 * that solves). */
#define PK_LCP_SOLVER_LIST(X) \
  /* complementary pivoting, lexicographic */ \
  X(PK_LCP_SOLVER_LEMKE, PK_LCP_CHOICE_LEMKE, lemke) \
  /* principal pivoting with bounds (Cottle and Dantzig 1968, Baraff 1994) */ \
  X(PK_LCP_SOLVER_DANTZIG, PK_LCP_CHOICE_DANTZIG, dantzig) \
  /* projected Gauss-Seidel */ \
  X(PK_LCP_SOLVER_PGS, PK_LCP_CHOICE_PGS, pgs)

#define PK_LCP_SOLVER_ENUM(id, choice, row) id,
typedef enum pk_lcp_solver { PK_LCP_SOLVER_LIST(PK_LCP_SOLVER_ENUM) PK_LCP_SOLVER_COUNT } pk_lcp_solver;
#undef PK_LCP_SOLVER_ENUM

/* How a solver ended. */
typedef enum pk_lcp_outcome {
  /* the residual meets the tolerance */
  PK_LCP_OUTCOME_SOLVED,
  /* a ray ended the search and proves that there is nothing to find: result.ray */
  PK_LCP_OUTCOME_INFEASIBLE,
  /* a ray ended the search and proves nothing: there may be solutions */
  PK_LCP_OUTCOME_RAY,
  /* max_iterations are used up */
  PK_LCP_OUTCOME_LIMIT,
  /* no progress is left or pgs diverged, and the residual is above the tolerance */
  PK_LCP_OUTCOME_STALLED,
  /* time_limit is used up */
  PK_LCP_OUTCOME_TIME,
  /* the problem with `regularisation` is solved, which the given one is not: certificate says how far it is off */
  PK_LCP_OUTCOME_REGULARISED,
  PK_LCP_OUTCOME_COUNT
} pk_lcp_outcome;

/* Start from pk_lcp_options_default(). */
typedef struct pk_lcp_options {
  /* Default PK_LCP_SOLVER_LEMKE. */
  pk_lcp_solver solver;
  /* Relative residual to reach. Default 1e-8. */
  double tolerance;
  /* Pivots or sweeps. Default 20000. */
  int max_iterations;
  /* Of pgs: by the residual, or by the change of a sweep. Default PK_SOLVER_STOP_RESIDUAL. */
  pk_solver_stop stop;
  /* Of pgs with PK_SOLVER_STOP_CHANGE: |z_new - z_old| <= change_rel |z_new| ends it. Default 1e-12. */
  double change_rel;
  /* s after which a solver stops and returns the best so far; 0: none, so that results do not depend on the
   * clock. Default 0. */
  double time_limit;
  /* Tikhonov regularisation, in units of M: what is solved is (M + regularisation 1) z + q in the place of w, which has
   * one solution where M is symmetric semidefinite, whatever q is. The certificate judges the given problem; its residual is at
   * most regularisation max |z_i| beyond that of the problem solved. 0: none. Default 0. */
  double regularisation;
} pk_lcp_options;

PK_API pk_lcp_options pk_lcp_options_default(void);
PK_API pk_status pk_lcp_options_validate(const pk_lcp_options *options, pk_error *err);

typedef struct pk_lcp_result {
  /* How the solver ended. */
  pk_lcp_outcome outcome;
  /* Of z in the given problem, whatever the outcome. */
  pk_lcp_certificate certificate;
  /* Of z in the problem with `regularisation`; the same as certificate without. */
  pk_lcp_certificate regularised;
  /* Pivots or sweeps. */
  int iterations;
  /* [n] in the solver's memory: the proof, or the ray; NULL: there is none. */
  const double *ray;
} pk_lcp_result;

/* Scratch of pk_lcp_solve, in bytes, 64-byte aligned. Reads n and the bounds. 0: there is no such solver. */
PK_API size_t pk_lcp_solve_memsize(const pk_lcp *p, const pk_lcp_options *options);

/* Solve; z [n] gets the best found, and is where pgs starts. PK_OK when solved, PK_ERROR_CONVERGENCE when
 * not, PK_ERROR_NONFINITE when the problem has a number that is none or beyond 1e100, or bounds that exclude
 * each other, PK_ERROR_ARGUMENT when there is no such solver or the memory is not aligned: z is then as it
 * was. */
PK_API pk_status pk_lcp_solve(const pk_lcp *p, const pk_lcp_options *options, double *z, void *memory,
                              pk_lcp_result *result);

PK_API const char *pk_lcp_solver_name(pk_lcp_solver solver);
PK_API const char *pk_lcp_outcome_text(pk_lcp_outcome outcome);

/* ---- files: text, docs/formats/lcp.md ---- */

/* A problem and the memory that it lives in. */
typedef struct pk_lcp_file pk_lcp_file;

PK_API pk_status pk_lcp_load(const char *path, pk_lcp_file **out, pk_error *err);

/* NULL is fine. */
PK_API void pk_lcp_file_destroy(pk_lcp_file *file);

/* The problem, alive as long as the file is. */
PK_API const pk_lcp *pk_lcp_file_problem(const pk_lcp_file *file);

/* [n] an answer stored with the problem; NULL: none. */
PK_API const double *pk_lcp_file_solution(const pk_lcp_file *file);

/* Write to a temporary name beside `path`, then rename. Numbers are read back to the bit; `solution` [n] may
 * be NULL. */
PK_API pk_status pk_lcp_save(const pk_lcp *problem, const double *solution, const char *path, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
