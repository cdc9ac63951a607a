/* Principal pivoting with bounds (Cottle and Dantzig 1968; Baraff 1994 for contact; with friction as he has it, but
 * with bounds that move with the normal force instead of ones that are frozen).
 *
 * All z begin at the value nearest to zero. A row is settled when its condition holds; one row d after another that
 * is not settled is driven: z_d moves in the direction that the sign of w_d asks for, settled inner rows keep
 * w = 0, rows at bounds keep to them, all else follows from T z = b (lcp.h):
 *
 *   dz = inv(T) e_d,  dw = M dz
 *
 * until w_d = 0 or z_d meets a bound: d is settled. On the way others change state: an inner row meets a bound, or
 * the w of a row at a bound comes to zero. Each change is one row of T and a rank-one update of inv(T). Where
 * that row would make T singular (M semidefinite and not symmetric), d changes from being driven by z_d to being
 * driven by w_d in the same exchange, the 2 x 2 pivot of Cottle and Dantzig. Of several rows that block at once the
 * one with the least index goes first (Chang 1979), which keeps degenerate problems from cycling.
 *
 * For P-matrices and symmetric semidefinite ones with a solution each drive ends; for others a drive may find
 * nothing that blocks, or a singular T. That row then waits until others are settled; when no row can be settled
 * any more, or pivots go in a circle (friction on dependent rows can), it begins again with the rows in another
 * order, and in the end says how it failed. */
#include <math.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "contact/problem/problem.h"
#include "math/lu.h"

enum { REFRESH = 40 };

typedef struct dantzig {
  const pk_lcp *p;
  pki_lcp_run *run;
  int n;
  pki_lcp_state *state; /* [n] */
  bool *settled;        /* [n] */
  double *K;            /* [n][n] inv(T) */
  double *T;            /* [n][n] scratch */
  double *dz, *dw, *u;  /* [n] */
  double *dw_size;      /* [n] sum_j |M_ij dz_j| */
  double *noise;        /* [n] below this w is zero */
  int *pivot;           /* [n] */
  bool lost;            /* T became singular: nothing to go on from */
  int limit;            /* of iterations, for this order of rows */
  int since;            /* updates of K since it was computed */
  pki_lcp_polisher polisher;
} dantzig;

/* What ends a piece of a drive. */
typedef struct block {
  int row; /* -1: nothing */
  double step;
  pki_lcp_state state; /* what the row becomes */
} block;

static dantzig take_dantzig(int rows, pki_arena *arena)
{
  const size_t n = (size_t)rows;
  dantzig s = {.n = rows};
  s.state = pki_arena_take(arena, n, sizeof *s.state);
  s.settled = pki_arena_take(arena, n, sizeof *s.settled);
  s.K = pki_arena_take(arena, n * n, sizeof *s.K);
  s.dz = pki_arena_take(arena, n, sizeof *s.dz);
  s.dw = pki_arena_take(arena, n, sizeof *s.dw);
  s.u = pki_arena_take(arena, n, sizeof *s.u);
  s.dw_size = pki_arena_take(arena, n, sizeof *s.dw_size);
  s.noise = pki_arena_take(arena, n, sizeof *s.noise);
  s.polisher = pki_lcp_polisher_take(arena, rows);
  s.T = s.polisher.T, s.pivot = s.polisher.pivot;
  return s;
}

static void reserve_dantzig(pki_arena *arena, int n, int N)
{
  (void)N;
  take_dantzig(n, arena);
}

static void update_w(dantzig *s)
{
  const size_t n = (size_t)s->n;
  for (size_t i = 0; i < n; i++) {
    const double *M = s->p->M + i * n;
    double sum = s->p->q[i], size = fabs(sum);
    for (size_t j = 0; j < n; j++) {
      sum += M[j] * s->run->z[j], size += fabs(M[j] * s->run->z[j]);
    }
    s->run->w[i] = sum, s->noise[i] = 1e-13 * size;
  }
}

/* inv(T) anew, and z from it; `driven` keeps its z_d or its w_d. False when T is singular or the time is up. */
static bool refresh_inverse(dantzig *s, int driven)
{
  const size_t n = (size_t)s->n;
  for (size_t i = 0; i < n; i++) {
    pki_lcp_state_row(s->p, (int)i, s->state[i], s->T + i * n);
    const bool by_w = (int)i == driven && s->state[i] == PKI_LCP_INNER;
    s->u[i] = pki_lcp_state_value(s->p, (int)i, s->state[i], s->run->z[i]) + (by_w ? s->run->w[i] : 0);
  }
  if (!pki_lu_factor_timed(s->T, s->n, s->pivot, s->run->timer)) {
    return false;
  }
  double most = 0, least = INFINITY;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(s->T[i * n + i])), least = fmin(least, fabs(s->T[i * n + i]));
  }
  if (!(least > 1e-14 * most)) {
    return false;
  }
  if (!pki_lu_divide_timed(s->T, s->n, s->pivot, NULL, s->dz, s->K, s->run->timer)) {
    return false;
  }
  pki_lu_solve(s->T, s->n, s->pivot, s->u);
  memcpy(s->run->z, s->u, n * sizeof *s->u);
  update_w(s);
  s->since = 0;
  return true;
}

/* Row i of T becomes that of another state: K -= K e_i (t K - e_i') / (t K e_i). False when T would be singular. */
static bool replace_row(dantzig *s, int i, pki_lcp_state state, int driven)
{
  const size_t n = (size_t)s->n, at = (size_t)i;
  double most = 0;
  pki_lcp_state_row(s->p, i, state, s->T);
  memset(s->u, 0, n * sizeof *s->u);
  for (size_t j = 0; j < n; j++) {
    for (size_t c = 0; s->T[j] != 0 && c < n; c++) {
      s->u[c] += s->T[j] * s->K[j * n + c];
    }
  }
  /* the pivot is what is left of sum_j t_j K_ji: compare it with its terms */
  for (size_t j = 0; j < n; j++) {
    most = fmax(most, fabs(s->T[j] * s->K[j * n + at]));
  }
  const double pivot = s->u[at];
  if (!(fabs(pivot) > 1e-11 * most)) {
    return false;
  }
  s->state[i] = state;
  if (++s->since >= REFRESH) {
    return refresh_inverse(s, driven);
  }
  for (size_t j = 0; j < n; j++) {
    double *K = s->K + j * n;
    const double by = K[at] / pivot;
    for (size_t c = 0; by != 0 && c < n; c++) {
      K[c] -= c == at ? 0 : by * s->u[c];
    }
    K[at] = by;
  }
  return true;
}

/* ---- what blocks ---- */

/* dz and dw for one unit of the driven quantity. */
static void set_direction(dantzig *s, int d, double sense)
{
  const size_t n = (size_t)s->n;
  for (size_t j = 0; j < n; j++) {
    s->dz[j] = sense * s->K[j * n + (size_t)d];
  }
  for (size_t i = 0; i < n; i++) {
    const double *M = s->p->M + i * n;
    double sum = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
      sum += M[j] * s->dz[j], size += fabs(M[j] * s->dz[j]);
    }
    s->dw[i] = sum, s->dw_size[i] = size;
  }
}

static void consider_step(block *b, int row, double distance, double rate, double noise, pki_lcp_state state)
{
  const double step = rate > noise ? fmax(distance, 0) / rate : INFINITY;
  if (step < b->step) {
    *b = (block){row, step, state};
  }
}

/* An inner or driven row against its bounds, which may move. */
static void consider_bounds(const dantzig *s, block *b, int i, double noise)
{
  const int f = pki_lcp_friction(s->p, i);
  const double z = s->run->z[i], moving = f >= 0 ? s->dz[f] : 0;
  double lower, upper;
  pki_lcp_bounds(s->p, s->run->z, i, &lower, &upper);
  const double rate_lower = f >= 0 ? s->p->lower[i] * moving - s->dz[i] : -s->dz[i];
  const double rate_upper = f >= 0 ? s->dz[i] - s->p->upper[i] * moving : s->dz[i];
  consider_step(b, i, z - lower, isinf(lower) ? 0 : rate_lower, noise, PKI_LCP_LOWER);
  consider_step(b, i, upper - z, isinf(upper) ? 0 : rate_upper, noise, PKI_LCP_UPPER);
}

static block find_block(const dantzig *s, int d, double sense)
{
  const double *w = s->run->w;
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    most = fmax(most, fabs(s->dz[i]));
  }
  const double noise = 1e-13 * most;
  block b = {-1, INFINITY, PKI_LCP_INNER};
  /* the driven row first: with it settled nothing else has to change */
  const bool by_z = s->state[d] == PKI_LCP_FIXED;
  consider_step(&b, d, fabs(w[d]), by_z ? sense * s->dw[d] : 1, by_z ? 1e-12 * s->dw_size[d] : 0,
                PKI_LCP_INNER);
  consider_bounds(s, &b, d, noise);
  for (int i = 0; i < s->n; i++) {
    const bool fixed = pki_lcp_friction(s->p, i) < 0 && pki_lcp_lower(s->p, i) == pki_lcp_upper(s->p, i);
    if (i == d || !s->settled[i] || fixed) {
      continue;
    }
    if (s->state[i] == PKI_LCP_INNER) {
      consider_bounds(s, &b, i, noise);
    } else if (s->state[i] == PKI_LCP_FIXED) {
      consider_step(&b, i, 0, fabs(s->dw[i]), 1e-12 * s->dw_size[i], PKI_LCP_INNER);
    } else if (s->state[i] == PKI_LCP_LOWER) {
      consider_step(&b, i, w[i], -s->dw[i], 1e-12 * s->dw_size[i], PKI_LCP_INNER);
    } else {
      consider_step(&b, i, -w[i], s->dw[i], 1e-12 * s->dw_size[i], PKI_LCP_INNER);
    }
  }
  return b;
}

/* ---- drives ---- */

/* A row whose condition holds as it stands is settled. One with w = 0 between its bounds stays fixed until its w
 * wants to move: it may depend on rows that are inner, and T could not bear it. */
static bool settle_row(dantzig *s, int i)
{
  const double z = s->run->z[i], w = s->run->w[i];
  double lower, upper;
  pki_lcp_bounds(s->p, s->run->z, i, &lower, &upper);
  const bool one = lower == upper && pki_lcp_friction(s->p, i) < 0;
  const bool low = z == lower && w >= -s->noise[i], high = z == upper && w <= s->noise[i];
  if (!one && !low && !high && !(fabs(w) <= s->noise[i])) {
    return false;
  }
  s->state[i] = one || !(low || high) || pki_lcp_friction(s->p, i) >= 0 ? PKI_LCP_FIXED
                : low                                                   ? PKI_LCP_LOWER
                                                                        : PKI_LCP_UPPER;
  s->settled[i] = true;
  return true;
}

static void settle_rows(dantzig *s, int driven)
{
  for (int i = 0; i < s->n; i++) {
    if (!s->settled[i] && i != driven && pki_lcp_friction(s->p, i) < 0) {
      settle_row(s, i);
    }
  }
}

/* Row i takes the state that blocked it; when T does not bear that, d is driven the other way as well. */
static bool change_state(dantzig *s, int d, const block *b)
{
  if (replace_row(s, b->row, b->state, d)) {
    return true;
  }
  if (b->row == d) {
    return false;
  }
  const pki_lcp_state old = s->state[b->row], driven = s->state[d];
  s->state[b->row] = b->state;
  s->state[d] = driven == PKI_LCP_FIXED ? PKI_LCP_INNER : PKI_LCP_FIXED;
  if (refresh_inverse(s, d)) {
    return true;
  }
  s->state[b->row] = old, s->state[d] = driven;
  return false;
}

/* Drive row d until it is settled; false: it cannot be, now. */
static bool drive_row(dantzig *s, int d)
{
  pki_lcp_run *run = s->run;
  const double sense = run->w[d] < 0 ? 1 : -1;
  while (run->iterations < s->limit && !pki_timer_expired(run->timer)) {
    /* what is left may be rounding */
    if (s->state[d] == PKI_LCP_FIXED && pki_lcp_friction(s->p, d) < 0 && settle_row(s, d)) {
      return true;
    }
    set_direction(s, d, sense);
    const block b = find_block(s, d, sense);
    if (b.row < 0) {
      if (!run->proven) { /* a proof stays */
        pki_lcp_note_ray(run, s->dz);
      }
      break;
    }
    for (int i = 0; i < s->n; i++) {
      run->z[i] += b.step * s->dz[i];
    }
    if (b.state != PKI_LCP_INNER && pki_lcp_friction(s->p, b.row) < 0) {
      run->z[b.row] = pki_lcp_state_value(s->p, b.row, b.state, 0);
    }
    update_w(s);
    run->iterations++;
    const bool there = b.row == d, inner_already = there && s->state[d] == b.state;
    if (!inner_already && !change_state(s, d, &b)) {
      run->outcome = PK_LCP_OUTCOME_STALLED;
      break;
    }
    s->settled[d] = there;
    settle_rows(s, d);
    if (there) {
      return true;
    }
  }
  /* it waits where it stands */
  s->state[d] = PKI_LCP_FIXED;
  s->lost = !refresh_inverse(s, -1);
  return false;
}

static void begin_dantzig(dantzig *s)
{
  const pk_lcp *p = s->p;
  for (int i = 0; i < s->n; i++) {
    s->run->z[i] = pki_lcp_start(p, i);
    s->state[i] = PKI_LCP_FIXED, s->settled[i] = false;
  }
  update_w(s);
  settle_rows(s, -1);
  /* friction rows without a normal force are at both bounds: they go with the one that w asks for */
  for (int i = 0; i < s->n; i++) {
    const int f = pki_lcp_friction(p, i);
    if (f >= 0 && s->run->z[f] == 0) {
      s->state[i] = s->run->w[i] >= 0 ? PKI_LCP_LOWER : PKI_LCP_UPPER;
      s->settled[i] = true;
    }
  }
  s->lost = !refresh_inverse(s, -1);
}

/* Drive rows until all are settled or none can be; true: they are. */
static bool attempt_drive(dantzig *s, int number)
{
  bool progress = true;
  begin_dantzig(s);
  while (progress && !s->lost && s->run->iterations < s->limit && !pki_timer_expired(s->run->timer)) {
    int open = 0;
    progress = false;
    for (int k = 0; k < s->n && !s->lost; k++) {
      const int d = number % 2 == 0 ? (k + number * s->n / 3) % s->n : s->n - 1 - k;
      if (!s->settled[d]) {
        const bool done = drive_row(s, d);
        progress = progress || done;
        open += !done;
      }
    }
    if (open == 0 && !s->lost) {
      return true;
    }
  }
  return false;
}

static void solve_dantzig(pki_lcp_run *run)
{
  enum { TRIES = 4 };
  const int most = run->options->max_iterations;
  dantzig s = take_dantzig(run->p->n, &run->arena);
  bool solved = false;
  s.p = run->p, s.run = run;
  for (int number = 0; number < TRIES && !solved && !pki_lcp_exhausted(run); number++) {
    const long share = run->iterations + 50 + 20L * s.n;
    s.limit = number + 1 < TRIES && share < most ? (int)share : most;
    const bool settled = attempt_drive(&s, number);
    if (settled) {
      solved = pki_lcp_check(run);
      solved = (pki_lcp_polish(run, s.state, &s.polisher, run->z) && pki_lcp_check(run)) || solved;
    }
    run->outcome = settled || s.lost         ? PK_LCP_OUTCOME_STALLED
                   : run->iterations >= most ? PK_LCP_OUTCOME_LIMIT
                                             : run->outcome;
    if (pki_timer_expired(run->timer)) {
      pki_lcp_check(run); /* rows that wait may leave less than zero does */
    }
    solved = solved || run->proven;
  }
  run->outcome = run->proven ? PK_LCP_OUTCOME_INFEASIBLE : run->outcome;
}

const pki_lcp_row pki_lcp_dantzig = {.name = "dantzig",
                                     .doc = "principal pivoting with bounds, as Cottle, Dantzig and Baraff",
                                     .solve = solve_dantzig,
                                     .reserve = reserve_dantzig};
