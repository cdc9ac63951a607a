/* Block Gauss-Seidel in velocities: each contact solved exactly (block.h), W never formed. With
 * z = weight Y' r a contact's velocity is Y_i z + extra r + q, and z follows each change of impulses: a sweep
 * costs what the rows hold, however many there are. */
#include <string.h>

#include "contact/solver.h"
#include "contact/sparse.h"

typedef struct bgs {
  pki_sparse s;
  pki_local *blocks; /* [ncontact] */
  double *diagonal;  /* [n] of W */
  double *z;         /* [velocities] */
} bgs;

static bgs take(pki_arena *arena, const pk_contact_problem *p)
{
  bgs b = {.s = pki_sparse_take(arena, p)};
  b.blocks = pki_arena_take(arena, (size_t)p->ncontact, sizeof *b.blocks);
  b.diagonal = pki_arena_take(arena, (size_t)pk_contact_size(p), sizeof *b.diagonal);
  b.z = pki_arena_take(arena, (size_t)b.s.n, sizeof *b.z);
  return b;
}

size_t pki_bgs_velocity_memsize(const pk_contact_problem *p)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  take(&arena, p);
  return arena.used;
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

static void sweep(const bgs *b, double *r)
{
  for (int g = 0; g < b->s.contacts; g++) {
    contact_step(b, g, r);
  }
  for (int g = b->s.contacts; g < b->s.groups; g++) {
    single_step(b, g, r);
  }
}

static bgs begin(pki_solve *run)
{
  bgs b = take(&run->arena, run->p);
  pki_sparse_pack(&b.s);
  for (int i = 0; i < b.s.contacts; i++) {
    double W[9];
    pki_sparse_block(&b.s, i, W);
    pki_local_prepare(W, run->p->mu[i], &b.blocks[i]);
  }
  pki_sparse_diagonals(&b.s, b.diagonal);
  return b;
}

enum { CHECK_EVERY = 4 }; /* sweeps between two looks of the judge */

void pki_solve_bgs_velocity(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const bool by_change = run->options->stop == PK_STOP_CHANGE;
  bgs b = begin(run);
  pki_sparse_gather(&b.s, run->r, b.z);
  for (bool stop = false; !stop;) {
    sweep(&b, run->r);
    if (by_change) {
      stop = pki_solve_swept(run, CHECK_EVERY);
    } else if (++run->iterations % CHECK_EVERY == 0 || run->iterations >= run->limit) {
      pki_sparse_gather(&b.s, run->r, b.z); /* without the rounding of following */
      pki_sparse_velocity(&b.s, b.z, run->r, run->u);
      stop = pki_solve_check_diagonal(run, b.diagonal);
    }
  }
  run->fresh = false;
  pki_arena_release(&run->arena, mark);
}
