/* Contact problems: what assembly writes and every solver reads.
 *
 * With W the Delassus matrix and u = W r + q the velocities that the impulses r leave, find r with
 *
 *   contacts   u_N >= 0, r_N >= 0, u_N r_N = 0, and Coulomb's law on the true disc:
 *              |r_T| <= mu r_N, u_T = 0 inside it, u_T against r_T on its rim
 *   bilateral  u = 0
 *   box        u >= 0 at r = lower, u <= 0 at r = upper, u = 0 between
 *
 * Rows come in this order: three for each contact (normal, two tangents), then bilateral rows,
 * then box rows. Restitution is part of q. W is never symmetrised.
 *
 * pk_contact_certify knows no solver, and the result of every solver is certified by it.
 *
 * Threads: all functions may run at the same time; a problem may be shared while nobody writes to it, memory
 * and results may not. */
#ifndef PRONK_CONTACT_H
#define PRONK_CONTACT_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* W without W: in a velocity space of n coordinates row i is a short vector Y_i, and
 *   W_ij = sum_k Y_ik weight_k Y_jk + (i == j) extra_i.
 * With M = L' D L this is Y = inv(L') J', weight = 1/D. */
typedef struct pk_contact_factor {
  /* Length of the velocity space. */
  int n;
  /* Room for entries in each row. */
  int stride;
  /* [size] entries of each row. */
  const int *count;
  /* [size][stride] their coordinates, ascending. */
  const int *col;
  /* [size][stride] their values. */
  const double *Y;
  /* [n] may be negative for eliminated constraints. */
  const double *weight;
  /* [size] m/s per N s, added to the diagonal. */
  const double *extra;
} pk_contact_factor;

typedef struct pk_contact_problem {
  /* Contacts, of three rows each. */
  int ncontact;
  /* Bilateral rows. */
  int nbilateral;
  /* Box rows. */
  int nbox;
  /* [size+1] The Delassus matrix by rows: row i holds columns W_col[W_row[i]] .. W_col[W_row[i+1]-1],
   * ascending, the diagonal always among them. */
  const int *W_row;
  /* [W_row[size]] columns of its entries; NULL: W is dense, [size][size]. */
  const int *W_col;
  /* m/s per N s, its values; NULL: the factor is all there is. */
  const double *W;
  /* [size] m/s, velocities without impulses, restitution included. */
  const double *q;
  /* [ncontact] friction coefficients. */
  const double *mu;
  /* [nbox] N s, least impulses. */
  const double *lower;
  /* [nbox] N s, largest impulses. */
  const double *upper;
  /* The factors of W; NULL: none. With W NULL they are all there is: enough for the certificate and for the
   * solvers that iterate in velocities. */
  const pk_contact_factor *factor;
  /* [nbilateral] which constraint a bilateral row belongs to, rows of one being neighbours; NULL: each row is one. For
   * successions by constraint (PK_SOLVER_SUCCESSION_CONTACT). */
  const int *constraint;
} pk_contact_problem;

/* Rows of a problem: 3 ncontact + nbilateral + nbox. */
PK_API int pk_contact_size(const pk_contact_problem *p);

/* Check sizes, finite numbers, mu >= 0, lower <= upper, positive diagonal. */
PK_API pk_status pk_contact_validate(const pk_contact_problem *p, pk_error *err);

/* The law of friction that a certificate judges. */
typedef enum pk_judged_law {
  /* "coulomb": |r_T| <= mu r_N, against the slip where it is reached */
  PK_JUDGED_LAW_COULOMB,
  /* "pyramid": |r_t| <= mu r_N along the slip at the start of the step, and across it */
  PK_JUDGED_LAW_PYRAMID,
  /* "square": the same along two tangents of the surface */
  PK_JUDGED_LAW_SQUARE,
  /* "norm": |r_T| <= mu r_N + dt mu_v |u_T|, Coulomb's and viscous friction in one bound */
  PK_JUDGED_LAW_NORM,
  /* "none": contacts are forces of springs, and rows of joints alone are judged */
  PK_JUDGED_LAW_NONE,
  PK_JUDGED_LAW_COUNT
} pk_judged_law;

PK_API const char *pk_judged_law_name(pk_judged_law law);

/* How well impulses satisfy the laws. With rho_i = 3/tr W_ii, K the friction cone and
 *   F_i = r_i - P_K(r_i - rho_i (u_i + mu_i |u_Ti| e_N)),
 * and the same with the sets of bilateral and box rows (rho = 1/W_ll), the residual is the
 * largest |F_i|/rho_i. The parts say which law is broken by how much. */
typedef struct pk_contact_certificate {
  /* m/s, of the worst row. */
  double residual;
  /* residual / max(|q|_inf, 1e-3 m/s): what is compared with a tolerance. */
  double relative;
  /* Row of the residual, of contacts their normal row; -1: none. */
  int worst;
  /* m/s, largest |min(u_N, r_N W_NN)|. */
  double unilateral;
  /* m/s, largest excess of |r_T| over mu r_N, as a velocity by W. */
  double disc;
  /* m/s, largest slip that friction does not oppose, |u_T| + u_T . r_T/|r_T|, or that it could still
   * brake. */
  double dissipation;
  /* m/s, largest |u| of bilateral rows. */
  double bilateral;
  /* m/s, largest residual of box rows. */
  double box;
  /* Siconos' measure: |r - P_K(r - (u + mu |u_T| e_N))| / max(|q|, eps). */
  double siconos;
  /* Of friction, to which the residual and its parts belong: coulomb, unless a step had another law. */
  pk_judged_law law;
} pk_contact_certificate;

/* u = W r + q. */
PK_API void pk_contact_velocity(const pk_contact_problem *p, const double *r, double *u);

/* Certify impulses r; `scratch` holds at least pk_contact_size numbers. */
PK_API pk_contact_certificate pk_contact_certify(const pk_contact_problem *p, const double *r,
                                                 double *scratch);

/* Every solver with the name of its row (pki_solver_NAME, in the file that solves). */
#define PK_SOLVER_LIST(X) \
  /* islands: with W by active-set, ipm, newton; many bodies by newton-u, bgs-u */ \
  X(PK_SOLVER_AUTO, auto) \
  /* projected Jacobi */ \
  X(PK_SOLVER_JOR, jor) \
  /* projected Gauss-Seidel, normal then tangential */ \
  X(PK_SOLVER_SOR, sor) \
  /* block Gauss-Seidel, each contact solved exactly */ \
  X(PK_SOLVER_BGS, bgs) \
  /* Alart-Curnier semi-smooth Newton in a proximal-point loop */ \
  X(PK_SOLVER_NEWTON, newton) \
  /* fixed point over cone programs */ \
  X(PK_SOLVER_ACLM, aclm) \
  /* interior points */ \
  X(PK_SOLVER_IPM, ipm) \
  /* jor, sor, bgs, newton, ipm in velocities: they need factor, not W */ \
  X(PK_SOLVER_JOR_VELOCITY, jor_velocity) \
  X(PK_SOLVER_SOR_VELOCITY, sor_velocity) \
  X(PK_SOLVER_BGS_VELOCITY, bgs_velocity) \
  X(PK_SOLVER_NEWTON_VELOCITY, newton_velocity) \
  X(PK_SOLVER_IPM_VELOCITY, ipm_velocity) \
  /* Newton on active sets: quick from a good warm start, without a fallback */ \
  X(PK_SOLVER_ACTIVE_SET, active_set)

#define PK_SOLVER_ENUM(id, row) id,
typedef enum pk_solver { PK_SOLVER_LIST(PK_SOLVER_ENUM) PK_SOLVER_COUNT } pk_solver;
#undef PK_SOLVER_ENUM

/* When jor, sor (both forms) and bgs stop; the other solvers go by the residual always. */
typedef enum pk_solver_stop {
  /* the certificate meets the tolerance */
  PK_SOLVER_STOP_RESIDUAL,
  /* a sweep changes no impulse by more than |r| change_rel + change_abs, or impulses cycle at constant
   * kinetic energy */
  PK_SOLVER_STOP_CHANGE,
  PK_SOLVER_STOP_COUNT
} pk_solver_stop;

/* In which order jor and sor (both forms) project (Gehring et al. 2014, below equation 19). */
typedef enum pk_solver_succession {
  /* the normal of a contact, then its tangents on the disc of the new normal impulse; sor: each from the velocities that
   * the one before has left */
  PK_SOLVER_SUCCESSION_FINE,
  /* normal and tangents of a contact from the same velocities, on the disc of the old normal impulse, and all rows of a
   * bilateral constraint from the same; sor: contact after contact, constraint after constraint */
  PK_SOLVER_SUCCESSION_CONTACT,
  PK_SOLVER_SUCCESSION_COUNT
} pk_solver_succession;

/* Start from pk_solver_options_default(). */
typedef struct pk_solver_options {
  /* Default PK_SOLVER_AUTO. */
  pk_solver solver;
  /* Relative residual at which a solver stops. Default 1e-8. */
  double tolerance;
  /* Sweeps, or Newton steps. Default 20000. */
  int max_iterations;
  /* Relaxation of jor and sor; 0: chosen from W. Default 0. */
  double alpha;
  /* When jor, sor and bgs stop. Default PK_SOLVER_STOP_RESIDUAL. */
  pk_solver_stop stop;
  /* Of PK_SOLVER_STOP_CHANGE. Default 1e-6. */
  double change_rel;
  /* N s, of PK_SOLVER_STOP_CHANGE. Default 1e-6. */
  double change_abs;
  /* s after which a solver stops and returns the best so far; 0: none, so that results do not depend on the
   * clock. It is asked in every iteration and within long factorisations: the overrun is that of a product of W
   * and a vector, or of some columns of a factorisation. Default 0. */
  double time_limit;
  /* Of auto, for problems with W: where its stages end above the tolerance, every solver that works from W follows
   * from the first guess, each with max_iterations of its own, until one meets it. The answer is then not worse than
   * that of any of them. With a time limit the stages have half of it, the others equal shares of the rest. For
   * problems that are solved once; a step has other means, and no time for it. Default false. */
  bool thorough;
  /* Of jor and sor. Default PK_SOLVER_SUCCESSION_FINE. */
  pk_solver_succession succession;
  /* Of jor and sor: bilateral rows are not iterated over, but solved exactly in each sweep, from the velocities that contacts
   * and box rows leave (Gehring et al. 2014, equation 20). Default false. */
  bool bilateral_direct;
} pk_solver_options;

PK_API pk_solver_options pk_solver_options_default(void);
PK_API pk_status pk_solver_options_validate(const pk_solver_options *options, pk_error *err);

typedef struct pk_solver_result {
  /* Of the impulses that were found, whatever the status. */
  pk_contact_certificate certificate;
  /* Sweeps, or Newton steps. */
  int iterations;
  /* The solver that reached (or came nearest to) the tolerance. */
  pk_solver used;
  /* The time limit ended it above the tolerance. */
  bool timed_out;
} pk_solver_result;

/* Scratch of pk_contact_solve for problems of this shape, in bytes, 64-byte aligned. Reads the counts of
 * rows, whether there is W, and of the factor its n, its stride and, unless they are NULL, its count and col.
 * 0: there is no such solver. */
PK_API size_t pk_contact_solve_memsize(const pk_contact_problem *p, const pk_solver_options *options);

/* Solve; r [size] holds the first guess and then the solution: the best found, with PK_SOLVER_STOP_CHANGE the
 * last. PK_OK when the tolerance is met (with PK_SOLVER_STOP_CHANGE: when the impulses came to rest),
 * PK_ERROR_CONVERGENCE when not, for whatever reason (result->timed_out: the time limit), PK_ERROR_UNSUPPORTED when the solver needs W or factor and the problem has
 * none, PK_ERROR_NONFINITE when q is none or beyond 1e100, PK_ERROR_ARGUMENT when there is no such solver or
 * the memory is not aligned: r is then as it was. The certificate is that of r, INFINITY where none could be
 * computed. */
PK_API pk_status pk_contact_solve(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                                  void *memory, pk_solver_result *result);

/* Whether the problem has what the solver reads: W, or the factor. */
PK_API bool pk_solver_suits(pk_solver solver, const pk_contact_problem *p);

PK_API const char *pk_solver_name(pk_solver solver);

#ifdef __cplusplus
}
#endif
#endif
