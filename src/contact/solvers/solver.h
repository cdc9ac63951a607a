/* What the solvers share: one run over one problem, and the registry.
 *
 * A solver improves run->r and calls pki_solve_check now and then, which evaluates the residual, keeps the
 * best impulses so far and says when to stop. Solvers by sweeps call pki_solve_swept after each one,
 * which knows both rules for stopping. */
#ifndef PKI_CONTACT_SOLVERS_SOLVER_H
#define PKI_CONTACT_SOLVERS_SOLVER_H

#include "base/arena.h"
#include "base/field.h"
#include "base/timer.h"
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
  pki_timer *timer;       /* NULL: no time limit */
  pki_change change;
  pki_arena arena; /* scratch of the solver at work */
} pki_solve;

/* A solver's row, in the file that solves: const pki_solver_row pki_solver_NAME, NAME as PK_SOLVER_LIST has it. */
typedef struct pki_solver_row {
  const char *name, *doc;
  /* Words of options that it reads beside tolerance and max_iterations (sim/reads.h); NULL: none. */
  const char *reads;
  void (*solve)(pki_solve *run);
  /* Take from the arena what solve() takes, alternatives between mark and release: the high-water mark of an arena that
   * counts is the scratch. NULL: it takes nothing. */
  void (*reserve)(pki_arena *arena, const pk_contact_problem *p);
  /* What it can work from; at least one. */
  bool reads_W, reads_factor;
  /* Knows the stop rule in changes (pki_solve_swept). */
  bool sweeps;
  /* Runs also where the start meets the tolerance already, as its islands may not. */
  bool always_runs;
  /* The same method from the factors alone; PK_SOLVER_AUTO: there is none. */
  pk_solver velocity_form;
} pki_solver_row;

/* By pk_solver; ends with NULL. */
extern const pki_solver_row *const pki_solvers[];
extern const char *const pki_stop_words[PK_SOLVER_STOP_COUNT];
extern const char *const pki_succession_words[PK_SOLVER_SUCCESSION_COUNT];
extern const pk_field pki_solver_fields[];
extern const int pki_solver_field_count;

/* The solver itself where the problem has what it reads, or the same method in velocities, or auto. */
pk_solver pki_solver_for(pk_solver solver, const pk_contact_problem *p);

/* r is an iterate of this residual, m/s: kept when it is the best so far. */
void pki_solve_keep(pki_solve *run, double residual);

/* Evaluate the residual of r; true when the tolerance is met, or iterations or time are used up. */
bool pki_solve_check(pki_solve *run);

/* The same for r whose velocities are in run->u already. */
bool pki_solve_check_velocity(pki_solve *run);

/* And with the diagonal of W [size] at hand. */
bool pki_solve_check_diagonal(pki_solve *run, const double *diagonal);

/* True when the tolerance is met. */
bool pki_solve_done(const pki_solve *run);

/* True when the time is up. */
bool pki_solve_expired(const pki_solve *run);

/* True when no iterations or no time are left. */
bool pki_solve_exhausted(const pki_solve *run);

/* True when the tolerance is met, or no iterations or no time are left. */
bool pki_solve_over(const pki_solve *run);

/* After a sweep: count it, and say whether to stop. By the residual every `every` sweeps, or by the
 * change. With `every` 1, run->u is W r + q afterwards. */
bool pki_solve_swept(pki_solve *run, int every);

/* A problem with W, whole: active sets, interior points, the proximal Newton loop (dense.c), from run->r, which has been
 * evaluated. */
void pki_solve_dense(pki_solve *run);

/* The scratch of pki_solve_dense. */
void pki_reserve_dense(pki_arena *arena, const pk_contact_problem *p);

/* Every solver with W from `guess` [n], each as if it were alone, until one meets the tolerance; the best of all is kept. run->r is lost. */
void pki_solve_rivals(pki_solve *run, const double *guess);
void pki_reserve_rivals(pki_arena *arena, const pk_contact_problem *p);

/* pk_contact_solve with the time limit by a clock of one's own. */
pk_status pki_contact_solve(const pk_contact_problem *p, const pk_solver_options *options, double *r,
                            void *memory, pki_clock_source clock, pk_solver_result *result);

/* The scratch of a solver for a problem of this shape, bytes. */
size_t pki_solver_scratch(pk_solver solver, const pk_contact_problem *p);

/* The largest eigenvalue of inv(D) W in absolute value, D the diagonal (or 1), from below, by a few
 * powers; `x`, `y` [size] are scratch. */
double pki_spectral_radius(const pk_contact_problem *p, bool scaled, double *x, double *y);

#endif
