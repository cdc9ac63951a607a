/* The problem of one lane, gathered for the scalar solvers and for an observer. */
#ifndef PKI_STEP_ALONE_H
#define PKI_STEP_ALONE_H

#include "step/kernels/sweep.h"

enum { PKI_SCALAR_ROWS = 3 * PKI_SLOTS + PKI_BOXES };

/* The rows of a lane in the order of a contact problem: slots, then boxes. */
typedef struct pki_lane_rows {
  int nslot, slot[PKI_SLOTS], nbox, box[PKI_BOXES];
  pk_contact_problem p;
  double *W, *q, *r, *u, *mu, *lower, *upper;
} pki_lane_rows;
static void pki_fill_lane_W(const pki_group *g, int lane, pki_lane_rows *s)
{
  const int nc = 3 * s->nslot, n = nc + s->nbox;
  for (int i = 0; i < s->nslot; i++) {
    for (int j = 0; j < s->nslot; j++) {
      const int block = 9 * (s->slot[i] * PKI_SLOTS + s->slot[j]);
      for (int e = 0; e < 9; e++) {
        s->W[(3 * i + e / 3) * n + 3 * j + e % 3] = pki_entry_of(g->W, block + e, lane);
      }
    }
    for (int b = 0; b < s->nbox; b++) {
      for (int d = 0; d < 3; d++) {
        const double w = pki_entry_of(g->cross, 3 * (s->slot[i] * PKI_BOXES + s->box[b]) + d, lane);
        s->W[(3 * i + d) * n + nc + b] = s->W[(nc + b) * n + 3 * i + d] = w;
      }
    }
  }
  for (int b = 0; b < s->nbox; b++) {
    for (int c = 0; c < s->nbox; c++) {
      s->W[(nc + b) * n + nc + c] = pki_entry_of(g->box_W, s->box[b] * PKI_BOXES + s->box[c], lane);
    }
  }
}

/* The problem of a lane, with the impulses r and box_r as its first guess. */
static pki_lane_rows pki_gather_problem(const pki_lanes *f, int lane, const double *r, const double *box_r)
{
  const pki_group *g = f->g;
  const int most = PKI_SCALAR_ROWS;
  pki_lane_rows s = {.nslot = 0};
  s.W = g->scalar, s.q = s.W + most * most, s.r = s.q + most, s.u = s.r + most;
  s.mu = s.u + most, s.lower = s.mu + PKI_SLOTS, s.upper = s.lower + most;
  for (int i = 0; i < PKI_SLOTS; i++) {
    if (f->in >> i & 1 && g->active[i * PKI_LANES + lane] != 0) {
      for (int d = 0; d < 3; d++) {
        s.q[3 * s.nslot + d] = pki_entry_of(g->fixed, 3 * i + d, lane);
        s.r[3 * s.nslot + d] = pki_entry_of(r, 3 * i + d, lane);
      }
      s.mu[s.nslot] = pki_entry_of(g->mu, i, lane);
      s.slot[s.nslot++] = i;
    }
  }
  for (int b = 0; b < PKI_BOXES; b++) {
    if (f->box_in >> b & 1 && g->box_active[b * PKI_LANES + lane] != 0) {
      const int row = 3 * s.nslot + s.nbox;
      s.q[row] = pki_entry_of(g->box_q, b, lane), s.r[row] = pki_entry_of(box_r, b, lane);
      s.lower[s.nbox] = pki_entry_of(g->box_lower, b, lane);
      s.upper[s.nbox] = pki_entry_of(g->box_upper, b, lane);
      s.box[s.nbox++] = b;
    }
  }
  pki_fill_lane_W(g, lane, &s);
  s.p = (pk_contact_problem){.ncontact = s.nslot,
                             .nbox = s.nbox,
                             .W = s.W,
                             .q = s.q,
                             .mu = s.mu,
                             .lower = s.lower,
                             .upper = s.upper};
  return s;
}

/* A row of Y on the unknowns of a path. */
PKI_INLINE void pki_gather_row(uint64_t path, const double *Y, int stride, int *count, int *col, double *to)
{
  *count = 0;
  for (; path != 0; path &= path - 1) {
    const int k = __builtin_ctzll(path);
    col[*count] = k;
    to[(*count)++] = Y[k * stride];
  }
}

/* W of one lane as Y' inv(D) Y (contact/rows/assembly.h). */
static pk_contact_factor pki_gather_factor(const pki_lanes *f, const pki_lane_rows *s)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const int nu = m->nu, rows = PKI_SCALAR_ROWS, nc = 3 * s->nslot;
  double *const Y = g->observed_Y, *const weight = Y + rows * nu, *const extra = weight + nu;
  int *const col = g->observed_col, *const count = col + rows * nu;
  for (int k = 0; k < nu; k++) {
    weight[k] = g->work->M[m->M_row[k + 1] - 1];
  }
  for (int i = 0; i < nc + s->nbox; i++) {
    const int slot = i < nc ? s->slot[i / 3] : s->box[i - nc];
    const double *const from = i < nc ? g->Y + 4 * slot * nu + i % 3 : g->box_Y + slot * nu;
    pki_gather_row(i < nc ? f->path[slot] : f->box_path[slot], from, i < nc ? PKI_ROWS : 1, &count[i],
                   col + i * nu, Y + i * nu);
    extra[i] = i < nc ? 0 : g->box_soft[slot];
  }
  return (pk_contact_factor){
      .n = nu, .stride = nu, .count = count, .col = col, .Y = Y, .weight = weight, .extra = extra};
}

/* The gathered problem of a lane by the scalar solvers, from the impulses in it. One that misses the tolerance makes the lane leave: on
 * chains there are solvers over the bodies, too. Where the user's cap on iterations has ended the solve it stays with the best impulses,
 * uncertified: another solve would only cost more. */
static pk_solver_result pki_solve_gathered(pki_lanes *f, int lane, const pki_lane_rows *s)
{
  const pk_solver_options o = {
      .solver = PK_SOLVER_AUTO, .tolerance = f->p->tolerance, .max_iterations = f->p->iterations};
  pk_solver_result result;
  pk_contact_solve(&s->p, &o, s->r, f->g->solver_memory, &result);
  if (!(result.certificate.relative <= f->p->tolerance) && result.iterations < f->p->iterations) {
    pki_leave_one_lane(f, lane, PK_LANE_EXIT_ROUNDS);
  }
  return result;
}

/* Impulses of one lane by the scalar solvers; they are the lane's. */
static void pki_solve_lane(pki_lanes *f, int lane)
{
  pki_group *g = f->g;
  const pki_lane_rows s = pki_gather_problem(f, lane, g->impulse, g->box_impulse);
  const pk_solver_result result = pki_solve_gathered(f, lane, &s);
  for (int i = 0; i < s.nslot; i++) {
    for (int d = 0; d < 3; d++) {
      g->r[(3 * s.slot[i] + d) * PKI_LANES + lane] = s.r[3 * i + d];
    }
  }
  for (int b = 0; b < s.nbox; b++) {
    g->box_r[s.box[b] * PKI_LANES + lane] = s.r[3 * s.nslot + b];
  }
  g->relative[lane] = result.certificate.relative;
  g->sweeps[lane] += result.iterations;
  f->solver[lane] = result.used;
  f->scalar_fallback |= 1u << lane;
}

/* The shortest way out of one lane's positions by the scalar solvers: normals and limits push, what is held has no way along the
 * surface but for what PKI_YIELDING lets it give. */
static void pki_resolve_penetration_of_lane(pki_lanes *f, int lane)
{
  pki_group *g = f->g;
  pki_lane_rows s = pki_gather_problem(f, lane, g->r, g->box_r);
  const int n = 3 * s.nslot + s.nbox;
  int at[PKI_SCALAR_ROWS], rows = 0;
  for (int i = 0; i < n; i++) {
    const bool tangent = i < 3 * s.nslot && i % 3 != 0;
    const bool moves =
        s.W[i * (n + 1)] > 1e-12 * s.W[(i - i % 3) * (n + 1)]; /* a planar leg has no way aside */
    if (!tangent || (moves && pki_is_set(f->held[s.slot[i / 3]], lane))) {
      s.lower[rows] = tangent ? -INFINITY : 0, s.upper[rows] = INFINITY;
      at[rows++] = i;
    }
  }
  for (int i = 0; i < rows; i++) { /* forward, in place */
    for (int j = 0; j < rows; j++) {
      s.W[i * rows + j] = s.W[at[i] * n + at[j]] * (i == j && s.lower[i] < 0 ? PKI_YIELDING : 1);
    }
    s.q[i] = s.q[at[i]] / f->p->length, s.r[i] = 0; /* as parts of the world's length */
  }
  s.p = (pk_contact_problem){.nbox = rows, .W = s.W, .q = s.q, .lower = s.lower, .upper = s.upper};
  pki_solve_gathered(f, lane, &s);
  for (int i = 0; i < s.nslot; i++) {
    for (int d = 0; d < 3; d++) {
      g->r[(3 * s.slot[i] + d) * PKI_LANES + lane] = 0;
    }
  }
  for (int i = 0; i < rows; i++) {
    const int row = at[i];
    double *const to = row < 3 * s.nslot ? &g->r[(3 * s.slot[row / 3] + row % 3) * PKI_LANES + lane]
                                         : &g->box_r[s.box[row - 3 * s.nslot] * PKI_LANES + lane];
    *to = f->p->length * s.r[i];
  }
}

#endif
