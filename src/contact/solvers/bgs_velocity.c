/* Block Gauss-Seidel in velocities: each contact solved exactly (block.h), W never formed. With
 * z = weight Y' r a contact's velocity is Y_i z + extra r + q, and z follows each change of impulses: a sweep
 * costs what the rows hold, however many there are.
 *
 * Sweeps are accelerated as in the nonsmooth nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben 2010): with G a sweep
 * and g_k = r_k - G(r_k), whose length is measured by the diagonal of W,
 *
 *   beta = |g_k|^2/|g_k-1|^2,   r_k+1 = G(r_k) + beta p_k-1,   p_k = beta p_k-1 - g_k,
 *
 * and p = 0 anew when beta > 1. The residual is that of the impulses after a sweep. */
#include <string.h>

#include "contact/linear/sparse.h"
#include "contact/solvers/solver.h"

typedef struct bgs {
  pki_sparse s;
  pki_local *blocks; /* [ncontact] */
  double *diagonal;  /* [n] of W */
  double *z;         /* [velocities] */
  /* the accelerated sequence */
  double *before, *z_before; /* r_k and its z */
  double *p, *z_p;           /* the direction */
  double length;             /* |g|^2 of the last sweep, 0: none */
} bgs;

static bgs take_bgs_velocity(pki_arena *arena, const pk_contact_problem *p)
{
  bgs b = {.s = pki_sparse_take(arena, p)};
  b.blocks = pki_arena_take(arena, (size_t)p->ncontact, sizeof *b.blocks);
  b.diagonal = pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof *b.diagonal);
  b.z = pki_arena_take(arena, (size_t)b.s.n, sizeof *b.z);
  b.before = pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof *b.before);
  b.p = pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof *b.p);
  b.z_before = pki_arena_take(arena, (size_t)b.s.n, sizeof *b.z_before);
  b.z_p = pki_arena_take(arena, (size_t)b.s.n, sizeof *b.z_p);
  return b;
}

static void reserve_bgs_velocity(pki_arena *arena, const pk_contact_problem *p)
{
  take_bgs_velocity(arena, p);
}

static void contact_step(const bgs *b, int i, double *r)
{
  const pk_contact_problem *p = b->s.p;
  const double *W = b->blocks[i].W, *extra = p->factor->extra + 3 * i, *q = p->q + 3 * i;
  double *ri = r + 3 * i, u[3], next[3];
  pki_sparse_dot3(&b->s, i, b->z, u);
  for (int k = 0; k < 3; k++) {
    u[k] += extra[k] * ri[k] + q[k] - (W[3 * k] * ri[0] + W[3 * k + 1] * ri[1] + W[3 * k + 2] * ri[2]);
  }
  pki_local_solve(&b->blocks[i], u, next);
  const double dr[3] = {next[0] - ri[0], next[1] - ri[1], next[2] - ri[2]};
  if (dr[0] != 0 || dr[1] != 0 || dr[2] != 0) {
    memcpy(ri, next, sizeof next);
    pki_sparse_add3(&b->s, i, dr, b->z);
  }
}

static void single_step(const bgs *b, int group, double *r)
{
  const pk_contact_problem *p = b->s.p;
  const int row = pki_first_row(b->s.p, group);
  const double u = pki_sparse_dot1(&b->s, group, b->z) + p->factor->extra[row] * r[row] + p->q[row];
  const double next = pki_clamp_box(p, row, r[row] - u / b->diagonal[row]), dr = next - r[row];
  if (dr != 0) {
    r[row] = next;
    pki_sparse_add1(&b->s, group, dr, b->z);
  }
}

static void bgs_velocity_sweep(const bgs *b, double *r)
{
  for (int g = 0; g < b->s.contacts; g++) {
    contact_step(b, g, r);
  }
  for (int g = b->s.contacts; g < b->s.groups; g++) {
    single_step(b, g, r);
  }
}

static bgs begin_bgs_velocity(pki_solve *run)
{
  bgs b = take_bgs_velocity(&run->arena, run->p);
  pki_sparse_pack(&b.s);
  for (int i = 0; i < b.s.contacts; i++) {
    double W[9];
    pki_sparse_block(&b.s, i, W);
    pki_local_prepare(W, run->p->mu[i], &b.blocks[i]);
  }
  pki_sparse_diagonals(&b.s, b.diagonal);
  return b;
}

enum { CHECK_EVERY = 4 }; /* sweeps between two evaluations of the residual */

/* After a sweep from b->before to r: on along the direction. */
static void accelerate_sweep(bgs *b, double *r)
{
  const int rows = pk_contact_size(b->s.p);
  double length = 0;
  for (int i = 0; i < rows; i++) {
    const double g = r[i] - b->before[i];
    length += b->diagonal[i] * g * g;
  }
  const double beta = b->length > 0 ? length / b->length : 0;
  const double kept = beta <= 1 ? beta : 0;
  for (int i = 0; i < rows; i++) {
    const double moved = r[i] - b->before[i], along = kept * b->p[i];
    b->p[i] = along + moved;
    r[i] += along;
  }
  for (int k = 0; k < b->s.n; k++) {
    const double moved = b->z[k] - b->z_before[k], along = kept * b->z_p[k];
    b->z_p[k] = along + moved;
    b->z[k] += along;
  }
  b->length = length;
}

static void solve_bgs_velocity(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena), rows = (size_t)pk_contact_size(run->p);
  const bool by_change = run->options->stop == PK_SOLVER_STOP_CHANGE;
  bgs b = begin_bgs_velocity(run);
  memset(b.p, 0, rows * sizeof *b.p);
  memset(b.z_p, 0, (size_t)b.s.n * sizeof *b.z_p);
  pki_sparse_gather(&b.s, run->r, b.z);
  for (bool stop = false; !stop;) {
    memcpy(b.before, run->r, rows * sizeof *b.before);
    memcpy(b.z_before, b.z, (size_t)b.s.n * sizeof *b.z_before);
    bgs_velocity_sweep(&b, run->r);
    if (by_change) {
      stop = pki_solve_swept(run, CHECK_EVERY);
      continue;
    }
    if (++run->iterations % CHECK_EVERY == 0 || pki_solve_exhausted(run)) {
      pki_sparse_gather(&b.s, run->r, b.z); /* without the rounding of following */
      pki_sparse_velocity(&b.s, b.z, run->r, run->u);
      stop = pki_solve_check_diagonal(run, b.diagonal);
    }
    if (!stop) {
      accelerate_sweep(&b, run->r);
    }
  }
  run->fresh = false;
  pki_arena_release(&run->arena, mark);
}

const pki_solver_row pki_solver_bgs_velocity = {.name = "bgs-u",
                                                .doc = "bgs in velocities, from the factors of W",
                                                .reads = "stop change_rel change_abs",
                                                .solve = solve_bgs_velocity,
                                                .reserve = reserve_bgs_velocity,
                                                .reads_factor = true,
                                                .sweeps = true};
