/* Lemke's algorithm (Cottle, Pang, Stone, The Linear Complementarity Problem, 4.4) with the lexicographic ratio test.
 *
 * A box becomes a plain problem. With x = z - lower (x = upper - z where only that is finite), a slack and its
 * multiplier for a second bound, and z = x+ - x- where there is none,
 *
 *   v = M z + q + y,   s = upper - z,   0 <= (v, s), 0 <= (x, y), complementary,
 *
 * which stays linear when the bounds are multiples of another x. Call it w = A x + b, of size N. With a covering
 * vector d > 0 the artificial variable t in w = A x + b + d t makes x = 0 feasible; pivots then follow the path on
 * which one pair at most is not complementary, until t leaves (solved) or nothing blocks (a ray). The ratio test is
 * lexicographic on the rows of [inv(B) b, inv(B)], so that no basis comes twice.
 *
 * A ray (x, w) of a copositive-plus A has A'x <= 0 and b'x < 0: no x satisfies w >= 0. The check of rays
 * (pk_lcp_proves_infeasible) looks at it whatever the class of M. When it proves nothing, two other covering
 * vectors are tried. */
#include <math.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "math/lu.h"

enum { REFRESH = 40, TRIES = 3 };

typedef struct lemke {
  const pk_lcp *p;
  int n, N;
  int *of;       /* [N] the row that an unknown belongs to; from n on second bounds and negative parts */
  int *second;   /* [n] its place from n on, -1: none */
  double *S;     /* [N] scales: A and b here are S A S and S b / size */
  double size;   /* of b */
  double *A;     /* [N][N] by columns */
  double *b, *d; /* [N] */
  double *K;     /* [N][N] inv(B) */
  double *x;     /* [N] values of the basis */
  double *col;   /* [N] the entering column, inv(B) a */
  int *basis;    /* [N] 0..N-1: w, N..2N-1: x, 2N: t */
  double *B;     /* [N][N] scratch */
  int *pivot;    /* [N] */
  double *v;     /* [n] */
  pki_lcp_state *state; /* [n] */
  pki_lcp_polisher polisher;
} lemke;

/* Only an upper bound: z = upper - x. */
static bool is_flipped(const pk_lcp *p, int i)
{
  return pki_lcp_friction(p, i) < 0 && isinf(pki_lcp_lower(p, i)) && !isinf(pki_lcp_upper(p, i));
}

static bool is_free(const pk_lcp *p, int i)
{
  return pki_lcp_friction(p, i) < 0 && isinf(pki_lcp_lower(p, i)) && isinf(pki_lcp_upper(p, i));
}

static bool has_second_bound(const pk_lcp *p, int i)
{
  return is_free(p, i) || (!is_flipped(p, i) && !isinf(pki_lcp_upper(p, i)));
}

int pki_lcp_plain_size(const pk_lcp *p)
{
  int N = p->n;
  for (int i = 0; i < p->n; i++) {
    N += has_second_bound(p, i);
  }
  return N;
}

static lemke take_lemke(int rows, int unknowns, pki_arena *arena)
{
  lemke l = {.n = rows, .N = unknowns};
  const size_t n = (size_t)l.n, N = (size_t)l.N;
  l.of = pki_arena_take(arena, N, sizeof *l.of);
  l.second = pki_arena_take(arena, n, sizeof *l.second);
  l.S = pki_arena_take(arena, N, sizeof *l.S);
  l.A = pki_arena_take(arena, N * N, sizeof *l.A);
  l.b = pki_arena_take(arena, N, sizeof *l.b);
  l.d = pki_arena_take(arena, N, sizeof *l.d);
  l.K = pki_arena_take(arena, N * N, sizeof *l.K);
  l.x = pki_arena_take(arena, N, sizeof *l.x);
  l.col = pki_arena_take(arena, N, sizeof *l.col);
  l.basis = pki_arena_take(arena, N, sizeof *l.basis);
  l.B = pki_arena_take(arena, N * N, sizeof *l.B);
  l.pivot = pki_arena_take(arena, N, sizeof *l.pivot);
  l.v = pki_arena_take(arena, n, sizeof *l.v);
  l.state = pki_arena_take(arena, n, sizeof *l.state);
  l.polisher = pki_lcp_polisher_take(arena, l.n);
  return l;
}

static void reserve_lemke(pki_arena *arena, int n, int N)
{
  take_lemke(n, N, arena);
}

/* ---- the plain problem ---- */

/* out [N] += what a change of z_j by `dz` does to all rows */
static void add_column(const lemke *l, int j, double dz, double *out)
{
  const pk_lcp *p = l->p;
  for (int i = 0; i < l->n; i++) {
    const double dw = p->M[(size_t)i * (size_t)l->n + (size_t)j] * dz;
    out[i] += is_flipped(p, i) ? -dw : dw;
    if (l->second[i] >= 0 && is_free(p, i)) {
      out[l->second[i]] -= dw;
    }
    if (l->second[i] >= 0 && pki_lcp_friction(p, i) == j) {
      out[l->second[i]] += p->upper[i] * dz;
    }
  }
  if (l->second[j] >= 0 && !is_free(p, j)) {
    out[l->second[j]] -= dz;
  }
}

/* The same for z_j and the friction rows whose lower bounds move with it. */
static void add_columns(const lemke *l, int j, double dz, double *out)
{
  add_column(l, j, dz, out);
  for (int k = 0; k < l->n && l->p->findex != NULL; k++) {
    if (l->p->findex[k] == j) {
      add_column(l, k, l->p->lower[k] * dz, out);
    }
  }
}

/* z at x = 0; friction rows follow their normal rows. */
static double value_at_origin(const pk_lcp *p, int i)
{
  const double lower = pki_lcp_lower(p, i), upper = pki_lcp_upper(p, i);
  return is_free(p, i) || pki_lcp_friction(p, i) >= 0 ? 0 : is_flipped(p, i) ? upper : lower;
}

static void set_scales(lemke *l)
{
  const size_t n = (size_t)l->n;
  for (int i = 0; i < l->n; i++) {
    const double *M = l->p->M + (size_t)i * n;
    double most = 0;
    for (size_t j = 0; j < n; j++) {
      most = fmax(most, fabs(M[j]));
    }
    const double by = M[i] > 1e-6 * most ? M[i] : most;
    l->S[i] = by > 0 ? 1 / sqrt(by) : 1;
    if (l->second[i] >= 0) {
      l->S[l->second[i]] = is_free(l->p, i) ? l->S[i] : 1 / l->S[i];
    }
  }
}

static void build_complementary_system(lemke *l)
{
  const pk_lcp *p = l->p;
  const size_t N = (size_t)l->N;
  int next = l->n;
  for (int i = 0; i < l->n; i++) {
    l->of[i] = i;
    l->second[i] = has_second_bound(p, i) ? next++ : -1;
    if (l->second[i] >= 0) {
      l->of[l->second[i]] = i;
    }
  }
  set_scales(l);
  memset(l->A, 0, N * N * sizeof *l->A);
  memset(l->b, 0, N * sizeof *l->b);
  for (int i = 0; i < l->n; i++) {
    const int k = l->second[i];
    add_columns(l, i, is_flipped(p, i) ? -1 : 1, l->A + (size_t)i * N);
    if (k >= 0 && is_free(p, i)) {
      add_columns(l, i, -1, l->A + (size_t)k * N);
    } else if (k >= 0) {
      l->A[(size_t)k * N + (size_t)i] = 1; /* v = w + y */
      l->b[k] += pki_lcp_friction(p, i) < 0 ? p->upper[i] : 0;
    }
    l->b[i] += is_flipped(p, i) ? -p->q[i] : p->q[i];
    if (k >= 0 && is_free(p, i)) {
      l->b[k] -= p->q[i];
    }
    if (value_at_origin(p, i) != 0) {
      add_columns(l, i, value_at_origin(p, i), l->b);
    }
  }
  l->size = 0;
  for (size_t k = 0; k < N; k++) {
    l->b[k] *= l->S[k];
    for (size_t i = 0; i < N; i++) {
      l->A[k * N + i] *= l->S[i] * l->S[k];
    }
  }
  for (size_t k = 0; k < N; k++) {
    /* bounds far away do not set the scale */
    l->size = l->b[k] < 0 ? fmax(l->size, -l->b[k]) : l->size;
  }
  for (size_t k = 0; k < N && l->size > 0; k++) {
    l->b[k] /= l->size;
  }
}

/* ---- pivots ---- */

/* The column of a variable in w - A x - d t = b. */
static void column_of(const lemke *l, int variable, double *out)
{
  const int N = l->N;
  for (int i = 0; i < N; i++) {
    out[i] = variable < N       ? (double)(i == variable)
             : variable < 2 * N ? -l->A[(size_t)(variable - N) * (size_t)N + (size_t)i]
                                : -l->d[i];
  }
}

/* inv(B) and its values anew; false when B is singular or the time is up. */
static bool refresh_basis(lemke *l, pki_timer *timer)
{
  const size_t N = (size_t)l->N;
  for (size_t r = 0; r < N; r++) {
    column_of(l, l->basis[r], l->col);
    for (size_t i = 0; i < N; i++) {
      l->B[i * N + r] = l->col[i];
    }
  }
  if (!pki_lu_factor_timed(l->B, l->N, l->pivot, timer) ||
      !pki_lu_divide_timed(l->B, l->N, l->pivot, NULL, l->col, l->K, timer)) {
    return false;
  }
  memcpy(l->x, l->b, N * sizeof *l->x);
  pki_lu_solve(l->B, l->N, l->pivot, l->x);
  return true;
}

/* col := inv(B) a; returns its largest entry in absolute value. */
static double compute_entering_column(lemke *l, int variable)
{
  const size_t N = (size_t)l->N;
  double most = 0;
  column_of(l, variable, l->B); /* B is scratch */
  for (size_t i = 0; i < N; i++) {
    double sum = 0;
    for (size_t j = 0; j < N; j++) {
      sum += l->K[i * N + j] * l->B[j];
    }
    l->col[i] = sum;
    most = fmax(most, fabs(sum));
  }
  return most;
}

static void exchange_basis(lemke *l, int r, int variable)
{
  const size_t N = (size_t)l->N, row = (size_t)r;
  const double inverse = 1 / l->col[row];
  l->x[row] *= inverse;
  for (size_t j = 0; j < N; j++) {
    l->K[row * N + j] *= inverse;
  }
  for (size_t i = 0; i < N; i++) {
    const double by = l->col[i];
    if (i != row && by != 0) {
      l->x[i] -= by * l->x[row];
      for (size_t j = 0; j < N; j++) {
        l->K[i * N + j] -= by * l->K[row * N + j];
      }
    }
  }
  l->basis[r] = variable;
}

/* Whether row i of [inv(B)] / col comes before row j in the order of the lexicon. */
static bool is_lexicographically_first(const lemke *l, int i, int j)
{
  const size_t N = (size_t)l->N;
  const double *a = l->K + (size_t)i * N, *b = l->K + (size_t)j * N;
  for (size_t c = 0; c < N; c++) {
    const double x = a[c] / l->col[i], y = b[c] / l->col[j];
    if (fabs(x - y) > 1e-11 * (fabs(x) + fabs(y)) + 1e-13) {
      return x < y;
    }
  }
  return l->col[i] > l->col[j];
}

/* The row that blocks the entering variable, -1: none. The artificial variable leaves where it can. */
static int find_row(const lemke *l, double most)
{
  const double small = 1e-11 * fmax(most, 1e-3);
  double ratio = INFINITY;
  int out = -1;
  for (int i = 0; i < l->N; i++) {
    if (l->col[i] > small) {
      ratio = fmin(ratio, fmax(l->x[i], 0) / l->col[i]);
    }
  }
  for (int i = 0; i < l->N; i++) {
    if (!(l->col[i] > small) || !(fmax(l->x[i], 0) - ratio * l->col[i] <= 1e-14 * fmax(l->x[i], 1))) {
      continue;
    }
    if (l->basis[i] == 2 * l->N) {
      return i;
    }
    if (out < 0 || is_lexicographically_first(l, i, out)) {
      out = i;
    }
  }
  return out;
}

/* ---- one path ---- */

/* The basis of all w, then t instead of the lexicographically least: of several the last. Returns who left. */
static int start_path(lemke *l, int attempt)
{
  const size_t N = (size_t)l->N;
  int r = 0;
  memset(l->K, 0, N * N * sizeof *l->K);
  for (size_t i = 0; i < N; i++) {
    l->K[i * N + i] = 1;
    l->x[i] = l->b[i];
    l->basis[i] = (int)i;
    l->d[i] = 1 + 0.5 * attempt * (double)((i * 7919 + (size_t)attempt) % 13);
    r = l->b[i] / l->d[i] <= l->b[r] / l->d[r] ? (int)i : r;
  }
  compute_entering_column(l, 2 * l->N);
  exchange_basis(l, r, 2 * l->N);
  return r;
}

typedef enum path_end { PATH_SOLVED, PATH_RAY, PATH_LIMIT, PATH_LOST } path_end;

static path_end follow_path(lemke *l, pki_lcp_run *run, int *entering)
{
  const int N = l->N;
  for (int since = 1;; since++) {
    if (pki_lcp_exhausted(run)) {
      return PATH_LIMIT;
    }
    if (since % REFRESH == 0 && !refresh_basis(l, run->timer)) {
      return pki_timer_expired(run->timer) ? PATH_LIMIT : PATH_LOST;
    }
    const double most = compute_entering_column(l, *entering);
    if (!isfinite(most)) {
      return PATH_LOST;
    }
    const int r = find_row(l, most);
    if (r < 0) {
      return PATH_RAY;
    }
    const int leaving = l->basis[r];
    exchange_basis(l, r, *entering);
    run->iterations++;
    if (leaving == 2 * N) {
      return PATH_SOLVED;
    }
    *entering = leaving < N ? leaving + N : leaving - N; /* its complement */
  }
}

/* x -> z of the values in `x` [N] (basis order is undone by the caller). */
static void add_unknown(const lemke *l, int k, double value, double *z)
{
  const int i = l->of[k];
  const bool negative = is_flipped(l->p, i) || (k >= l->n && is_free(l->p, i));
  if (k < l->n || is_free(l->p, i)) {
    z[i] += negative ? -value : value;
  }
}

/* The basis: z as it stands, and the states that it means. */
static void read_basis(lemke *l, pki_lcp_run *run)
{
  const pk_lcp *p = l->p;
  for (int i = 0; i < l->n; i++) {
    run->z[i] = value_at_origin(p, i);
    l->state[i] = is_free(p, i) ? PKI_LCP_FIXED : is_flipped(p, i) ? PKI_LCP_UPPER : PKI_LCP_LOWER;
  }
  for (int r = 0; r < l->N; r++) {
    const int k = l->basis[r] - l->N;
    if (k >= 0 && k < l->N) {
      add_unknown(l, k, l->S[k] * l->size * fmax(l->x[r], 0), run->z);
      l->state[l->of[k]] = PKI_LCP_INNER;
    }
  }
  /* the multiplier of a second bound is at work: there it is */
  for (int r = 0; r < l->N; r++) {
    const int k = l->basis[r] - l->N;
    if (k >= l->n && k < l->N && !is_free(p, l->of[k])) {
      l->state[l->of[k]] = PKI_LCP_UPPER;
    }
  }
  for (int i = 0; i < l->n; i++) {
    const int f = pki_lcp_friction(p, i);
    run->z[i] += f >= 0 ? p->lower[i] * run->z[f] : 0;
  }
  pki_lcp_check(run);
}

/* The final basis: z as it stands, then z from the states. */
static bool read_solution(lemke *l, pki_lcp_run *run)
{
  read_basis(l, run);
  return (pki_lcp_polish(run, l->state, &l->polisher, run->z) && pki_lcp_check(run)) ||
         run->at <= run->options->tolerance;
}

/* The direction in which nothing blocks, in z. */
static void note_ray(lemke *l, pki_lcp_run *run, int entering)
{
  memset(l->v, 0, (size_t)l->n * sizeof *l->v);
  for (int r = 0; r <= l->N; r++) {
    const int variable = r < l->N ? l->basis[r] : entering, k = variable - l->N;
    const double rate = r < l->N ? fmax(-l->col[r], 0) : 1;
    if (k >= 0 && k < l->N) {
      add_unknown(l, k, l->S[k] * rate, l->v);
    }
  }
  pki_lcp_note_ray(run, l->v);
}

static void solve_lemke(pki_lcp_run *run)
{
  lemke l = take_lemke(run->p->n, pki_lcp_plain_size(run->p), &run->arena);
  l.p = run->p;
  build_complementary_system(&l);
  bool done = l.size == 0 && l.N > 0; /* x = 0 is the answer */
  if (done) {
    for (int k = 0; k < l.N; k++) {
      l.basis[k] = k, l.x[k] = l.b[k];
    }
    read_solution(&l, run);
  }
  for (int attempt = 0; attempt < TRIES && !done; attempt++) {
    const int first = start_path(&l, attempt);
    int entering = first + l.N;
    run->iterations++;
    const path_end end = follow_path(&l, run, &entering);
    if (end == PATH_RAY) {
      note_ray(&l, run, entering);
      done = run->proven;
    } else if (end == PATH_LIMIT) {
      run->outcome = PK_LCP_OUTCOME_LIMIT;
      done = true;
      if (pki_timer_expired(run->timer)) {
        read_basis(&l, run); /* t is not zero yet, but z may be better than nothing */
      }
    } else if (end == PATH_SOLVED) {
      done = read_solution(&l, run);
    }
  }
}

const pki_lcp_row pki_lcp_lemke = {
    .name = "lemke",
    .doc = "complementary pivoting, lexicographic; proves that a problem has no solution",
    .solve = solve_lemke,
    .reserve = reserve_lemke};
