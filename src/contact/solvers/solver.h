/* What the solvers share: one run over one problem, and the registry.
 *
 * A solver improves run->r and calls pki_solve_check now and then, which asks the judge, keeps the
 * best impulses so far and says when to stop. Solvers by sweeps call pki_solve_swept after each one,
 * which knows both rules for stopping. */
#ifndef PKI_CONTACT_SOLVERS_SOLVER_H
#define PKI_CONTACT_SOLVERS_SOLVER_H

#include "base/arena.h"
#include "base/field.h"
#include "contact/problem/problem.h"

/* The stop rule in changes: the last sweep, and what the guard against cycling remembers. */
typedef struct pki_change {
  double largest;             /* of the sweep: |dr| over what is allowed */
  double moved;               /* of the sweep: |dr|, N s */
  double window;              /* largest of this window of sweeps */
  double last_window;         /* and of the one before; 0: none yet */
  double energy, last_energy; /* at the ends of the windows, J */
  bool rests;                 /* the rule is met */
} pki_change;

typedef struct pki_solve {
  const pk_contact_problem *p;
  const pk_solver_options *options;
  double *r;              /* [size] current impulses */
  double *best;           /* [size] the best so far */
  double *u;              /* [size] W r + q after a check */
  const double *diagonal; /* [size] of W; NULL: looked up */
  double *before;         /* [size] r before the sweep, for the stop rule in changes */
  double scale;           /* of residuals, m/s */
  double residual;        /* of best, m/s */
  double now_at;          /* of the last check, m/s */
  bool fresh;             /* u belongs to r */
  bool final;             /* and r is the answer */
  pk_solver used;         /* who found it */
  pk_solver now;          /* who is at work */
  int iterations;         /* done so far */
  int limit;              /* where the solver at work must stop */
  int cost;               /* sweeps that an elimination counts for */
  pki_change change;
  pki_arena arena; /* scratch of the solver at work */
} pki_solve;

typedef struct pki_solver_row {
  const char *name, *doc;
  void (*solve)(pki_solve *run);
  size_t (*memsize)(const pk_contact_problem *p); /* scratch, NULL: none */
  bool factor;                                    /* reads the factor, not W */
  bool sweeps;                                    /* knows the stop rule in changes */
} pki_solver_row;

extern const pki_solver_row pki_solvers[PK_SOLVER_COUNT];
extern const char *const pki_solver_words[PK_SOLVER_COUNT]; /* their names */
extern const char *const pki_stop_words[PK_SOLVER_STOP_COUNT];
extern const pk_field pki_solver_fields[];
extern const int pki_solver_field_count;

/* The solver itself where the problem has what it reads, or the same method in velocities, or auto. */
pk_solver pki_solver_for(pk_solver solver, const pk_contact_problem *p);

/* Judge r; true when the tolerance is met or the iterations are used up. */
bool pki_solve_check(pki_solve *run);

/* The same for r whose velocities are in run->u already. */
bool pki_solve_check_velocity(pki_solve *run);

/* And with the diagonal of W [size] at hand. */
bool pki_solve_check_diagonal(pki_solve *run, const double *diagonal);

/* True when the tolerance is met. */
bool pki_solve_done(const pki_solve *run);

/* True when it is met, or no iterations are left. */
bool pki_solve_over(const pki_solve *run);

/* After a sweep: count it, and say whether to stop. By the residual every `every` sweeps, or by the
 * change. With `every` 1, run->u is W r + q afterwards. */
bool pki_solve_swept(pki_solve *run, int every);

void pki_solve_jor(pki_solve *run);
void pki_solve_sor(pki_solve *run);
void pki_solve_bgs(pki_solve *run);
void pki_solve_newton(pki_solve *run);
void pki_solve_aclm(pki_solve *run);
void pki_solve_ipm(pki_solve *run);
void pki_solve_jor_velocity(pki_solve *run);
void pki_solve_sor_velocity(pki_solve *run);
void pki_solve_bgs_velocity(pki_solve *run);
void pki_solve_ipm_velocity(pki_solve *run);
void pki_solve_newton_velocity(pki_solve *run);
void pki_solve_active_set(pki_solve *run);
void pki_solve_auto(pki_solve *run);

/* A problem with W, whole: active sets, interior points, the proximal Newton loop (dense.c), from run->r, which has been
 * judged. */
void pki_solve_dense(pki_solve *run);

size_t pki_prox_memsize(const pk_contact_problem *p);
size_t pki_bgs_memsize(const pk_contact_problem *p);
size_t pki_newton_memsize(const pk_contact_problem *p);
size_t pki_aclm_memsize(const pk_contact_problem *p);
size_t pki_ipm_memsize(const pk_contact_problem *p);
size_t pki_prox_velocity_memsize(const pk_contact_problem *p);
size_t pki_bgs_velocity_memsize(const pk_contact_problem *p);
size_t pki_ipm_velocity_memsize(const pk_contact_problem *p);
size_t pki_newton_velocity_memsize(const pk_contact_problem *p);
size_t pki_active_set_memsize(const pk_contact_problem *p);
size_t pki_dense_memsize(const pk_contact_problem *p);
size_t pki_auto_memsize(const pk_contact_problem *p);

/* The largest eigenvalue of inv(D) W in absolute value, D the diagonal (or 1), from below, by a few
 * powers; `x`, `y` [size] are scratch. */
double pki_spectral_radius(const pk_contact_problem *p, bool scaled, double *x, double *y);

#endif
