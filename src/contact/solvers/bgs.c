/* Block Gauss-Seidel: one contact after the other, each solved exactly (block.h).
 *
 * What depends on W alone is computed once for a solve. W dense: the velocities u = W r + q are kept and
 * follow each change of r by columns, so a contact that does not change costs nothing, and the
 * residual of a sweep is at hand. */
#include <string.h>

#include "contact/linear/block.h"
#include "contact/solvers/solver.h"

typedef struct bgs {
  pki_local *blocks; /* [ncontact] */
  double *single;    /* [n - 3 ncontact] 1/W_ll of the other rows */
  double *u;         /* [n] W r + q, when W is dense */
} bgs;

static bgs take_bgs(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  bgs s;
  s.blocks = pki_arena_take(arena, (size_t)p->ncontact, sizeof *s.blocks);
  s.single = pki_arena_take(arena, n - 3 * (size_t)p->ncontact, sizeof *s.single);
  s.u = pki_arena_take(arena, n, sizeof *s.u);
  return s;
}

static void reserve_bgs(pki_arena *arena, const pk_contact_problem *p)
{
  take_bgs(arena, p);
}

/* u += W_c dr over `count` columns from `first` on. */
static void update_velocities(const pk_contact_problem *p, int first, int count, const double *dr, double *u)
{
  const size_t n = (size_t)pk_contact_size(p);
  const double *W = p->W + first;
  if (count == 3) {
    const double d0 = dr[0], d1 = dr[1], d2 = dr[2];
    for (size_t j = 0; j < n; j++, W += n) {
      u[j] += W[0] * d0 + W[1] * d1 + W[2] * d2;
    }
    return;
  }
  for (size_t j = 0; j < n; j++, W += n) {
    u[j] += W[0] * dr[0];
  }
}

static void bgs_sweep(const pk_contact_problem *p, bgs *s, double *r)
{
  const int n = pk_contact_size(p), first = 3 * p->ncontact;
  const bool dense = p->W_col == NULL;
  for (int i = 0; i < p->ncontact; i++) {
    const double *W = s->blocks[i].W;
    double *ri = r + 3 * i, q[3], next[3];
    for (int k = 0; k < 3; k++) {
      const double u = dense ? s->u[3 * i + k] : pki_row_dot(p, 3 * i + k, r) + p->q[3 * i + k];
      q[k] = u - (W[3 * k] * ri[0] + W[3 * k + 1] * ri[1] + W[3 * k + 2] * ri[2]);
    }
    pki_local_solve(&s->blocks[i], q, next);
    const double dr[3] = {next[0] - ri[0], next[1] - ri[1], next[2] - ri[2]};
    memcpy(ri, next, sizeof next);
    if (dense && (dr[0] != 0 || dr[1] != 0 || dr[2] != 0)) {
      update_velocities(p, 3 * i, 3, dr, s->u);
    }
  }
  for (int i = first; i < n; i++) {
    const double u = dense ? s->u[i] : pki_row_dot(p, i, r) + p->q[i];
    const double next = pki_clamp_box(p, i, r[i] - u * s->single[i - first]), dr = next - r[i];
    r[i] = next;
    if (dense && dr != 0) {
      update_velocities(p, i, 1, &dr, s->u);
    }
  }
}

enum { CHECK_EVERY = 2 }; /* sweeps between two evaluations of the residual, where W is sparse */

/* Whether to evaluate the certificate: the velocities that the sweep updated meet the tolerance, or it is the last sweep. Sweeps do not
 * converge on every problem: by the same velocities the best impulses are kept. */
static bool may_meet_tolerance(pki_solve *run, const double *u)
{
  if (run->iterations + 1 >= run->limit || pki_solve_expired(run)) {
    return true;
  }
  const double residual = pki_contact_residual(run->p, NULL, run->r, u);
  if (!(residual / run->scale > run->options->tolerance)) {
    return true;
  }
  pki_solve_keep(run, residual);
  return false;
}

static bgs begin_bgs(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const int n = pk_contact_size(p), first = 3 * p->ncontact;
  bgs s = take_bgs(&run->arena, p);
  for (int i = 0; i < p->ncontact; i++) {
    double W[9];
    pki_block(p, i, W);
    pki_local_prepare(W, p->mu[i], &s.blocks[i]);
  }
  for (int i = first; i < n; i++) {
    s.single[i - first] = 1 / pki_diagonal(p, i);
  }
  if (!run->fresh) {
    pk_contact_velocity(p, run->r, run->u);
  }
  memcpy(s.u, run->u, (size_t)n * sizeof *s.u);
  return s;
}

static void solve_bgs(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const size_t mark = pki_arena_mark(&run->arena);
  const bool plain = run->options->stop == PK_SOLVER_STOP_CHANGE || p->W_col != NULL;
  bgs s = begin_bgs(run);
  for (bool stop = false; !stop;) {
    bgs_sweep(p, &s, run->r);
    if (plain) {
      stop = pki_solve_swept(run, CHECK_EVERY);
    } else if (may_meet_tolerance(run, s.u)) {
      stop = pki_solve_swept(run, 1);
      memcpy(s.u, run->u, (size_t)pk_contact_size(p) * sizeof *s.u); /* without the rounding of following */
    } else {
      run->iterations++;
      run->fresh = false;
    }
  }
  pki_arena_release(&run->arena, mark);
}

const pki_solver_row pki_solver_bgs = {.name = "bgs",
                                       .doc = "block Gauss-Seidel, each contact solved exactly",
                                       .reads = "stop change_rel change_abs",
                                       .solve = solve_bgs,
                                       .reserve = reserve_bgs,
                                       .reads_W = true,
                                       .sweeps = true,
                                       .velocity_form = PK_SOLVER_BGS_VELOCITY};
