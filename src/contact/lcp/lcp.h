/* What the solvers of linear complementarity problems share: bounds, the states of rows, one run.
 *
 * A pivoting solver moves rows between states. The states alone say what z is: the rows of T z = b are
 *
 *   inner         M_i z = -q_i
 *   lower, upper  z_i = bound, for friction rows z_i - c z_f = 0
 *   fixed         z_i as it is
 *
 * so the answer of pivoting is computed anew from the final states (pki_lcp_polish), and is good to rounding
 * however many pivots led there. */
#ifndef PKI_CONTACT_LCP_LCP_H
#define PKI_CONTACT_LCP_LCP_H

#include "base/arena.h"
#include "base/field.h"
#include "base/timer.h"
#include "pronk/lcp.h"

typedef enum pki_lcp_state { PKI_LCP_FIXED, PKI_LCP_LOWER, PKI_LCP_UPPER, PKI_LCP_INNER } pki_lcp_state;

typedef struct pki_lcp_run {
  const pk_lcp *p;
  const pk_lcp_options *options;
  double *z, *w; /* [n] now */
  double *best;  /* [n] the best so far */
  double *ray;   /* [n] */
  double scale;  /* of residuals */
  double at;     /* relative residual of best */
  bool has_ray, proven;
  pk_lcp_outcome outcome; /* why the solver stopped, unless it is solved */
  int iterations;
  pki_timer *timer; /* NULL: no time limit */
  pki_arena arena;  /* scratch of the solver at work */
} pki_lcp_run;

/* A solver's row, in the file that solves: const pki_lcp_row pki_lcp_NAME, NAME as PK_LCP_SOLVER_LIST has it. */
typedef struct pki_lcp_row {
  const char *name, *doc;
  /* As in pki_solver_row. */
  const char *reads;
  void (*solve)(pki_lcp_run *run);
  /* Take from the arena what solve() takes, for n rows and N = pki_lcp_plain_size. NULL: it takes nothing. */
  void (*reserve)(pki_arena *arena, int n, int N);
  /* Starts from the caller's z and stops at the tolerance; the others start at the z nearest to zero and go on to the
   * last digit. */
  bool sweeps;
} pki_lcp_row;

/* By pk_lcp_solver; and by pk_lcp_choice. Both end with NULL. */
extern const pki_lcp_row *const pki_lcp_solvers[];
extern const pki_lcp_row *const pki_lcp_choices[];
extern const pk_field pki_lcp_fields[];
extern const int pki_lcp_field_count;

/* Unknowns of the plain problem that lemke solves: n, one more for each second bound and each row without bounds; 2n at
 * most. */
int pki_lcp_plain_size(const pk_lcp *p);

/* What pk_lcp_solve_memsize gives for problems of these sizes. */
size_t pki_lcp_room(pk_lcp_solver solver, int n, int N);

/* ---- the problem ---- */

/* The row that row i's bounds are multiples of; -1: they are constants. */
int pki_lcp_friction(const pk_lcp *p, int i);

/* The given numbers: bounds, or coefficients in a friction row. */
double pki_lcp_lower(const pk_lcp *p, int i);
double pki_lcp_upper(const pk_lcp *p, int i);

/* Row i's bounds at z. */
void pki_lcp_bounds(const pk_lcp *p, const double *z, int i, double *lower, double *upper);

/* The z nearest to zero within the bounds. */
double pki_lcp_start(const pk_lcp *p, int i);

/* What residuals are relative to: the largest |M z0 + q|, z0 the z nearest to zero. */
double pki_lcp_scale(const pk_lcp *p);

/* d_i |z_i - P(z_i - w_i / d_i)|, d_i the largest of the row. */
double pki_lcp_row_residual(const pk_lcp *p, const double *z, double w, int i);

/* z_i after a step of projected Gauss-Seidel (lcp_pgs.c). */
double pki_lcp_pgs_step(const pk_lcp *p, const double *z, int i);

/* ---- one run ---- */

/* Evaluate the residual of run->z, keep z when it is the best; true when the tolerance is met. */
bool pki_lcp_check(pki_lcp_run *run);

/* True when no pivots or sweeps are left, or no time. */
bool pki_lcp_exhausted(const pki_lcp_run *run);

/* pk_lcp_solve with the time limit by a clock of one's own. */
pk_status pki_lcp_solve(const pk_lcp *given, const pk_lcp_options *options, double *z, void *memory,
                        pki_clock_source clock, pk_lcp_result *result);

/* Keep a ray [n] and see what it proves. */
void pki_lcp_note_ray(pki_lcp_run *run, const double *v);

/* ---- T z = b ---- */

/* Row i of T in that state, [n]. */
void pki_lcp_state_row(const pk_lcp *p, int i, pki_lcp_state state, double *row);

/* The right side of that row; z is what a fixed one has. */
double pki_lcp_state_value(const pk_lcp *p, int i, pki_lcp_state state, double z);

/* Scratch of pki_lcp_polish. */
typedef struct pki_lcp_polisher {
  double *T;  /* [n][n] */
  double *dz; /* [n] */
  int *pivot; /* [n] */
} pki_lcp_polisher;

pki_lcp_polisher pki_lcp_polisher_take(pki_arena *arena, int n);

/* z from states (and from the z of fixed rows): LU, then refinement with residuals in extended precision, then into the
 * bounds. False and z as it was when T is singular or the time is up. */
bool pki_lcp_polish(const pki_lcp_run *run, const pki_lcp_state *state, const pki_lcp_polisher *s, double *z);

/* ---- files ---- */

enum { PKI_LCP_MAX = 2048 }; /* rows of a file: M is dense */

/* Read text from memory; `file` is for messages. */
pk_status pki_lcp_parse(const char *file, const char *data, size_t size, pk_lcp_file **out, pk_error *err);

#endif
