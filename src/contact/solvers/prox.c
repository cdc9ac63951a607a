/* Projected Jacobi and Gauss-Seidel in impulses (Gehring et al. 2014, equations 13 to 16):
 *
 *   r_N := max(r_N - alpha/W_NN xi_N, 0)
 *   r_T := P_disc(mu r_N)(r_T - alpha/W_TT xi_T)       W_TT the larger of the two diagonal values
 *   r_B := r_B - alpha/W_BB xi_B,   box rows clamped
 *
 * Jacobi takes all velocities before it changes an impulse; Gauss-Seidel takes each one with
 * what is known by then: the normal before the tangents, or a contact at once (option `succession`). With the option
 * `bilateral_direct` the third line is r_B := r_B - inv(W_BB) xi_B behind all others (equation 20), while the steps of
 * contacts stay those of W with all its rows, the diagonal of bodies that no joint holds. */
#include "contact/solvers/prox.h"

#include <math.h>
#include <string.h>

#include "contact/solvers/prox_bilateral.h"

void pki_prox_steps(const pk_contact_problem *p, double *step)
{
  const int n = pk_contact_size(p);
  for (int i = 0; i < n; i++) {
    step[i] = 1 / pki_diagonal(p, i);
  }
  for (int i = 0; i < p->ncontact; i++) {
    step[3 * i + 1] = step[3 * i + 2] = fmin(step[3 * i + 1], step[3 * i + 2]);
  }
}

void pki_prox_normal(double *r, double xi, double step)
{
  *r = fmax(*r - step * xi, 0);
}

void pki_prox_tangents(double *r, const double *xi, double step, double limit)
{
  const double x = r[0] - step * xi[0], y = r[1] - step * xi[1];
  const double size = sqrt(x * x + y * y);
  const double scale = size > limit ? limit / size : 1;
  r[0] = scale * x, r[1] = scale * y;
}

void pki_prox_contact(double *r, const double *xi, const double *step, double alpha, double mu, bool whole)
{
  const double before = fmax(r[0], 0);
  pki_prox_normal(r, xi[0], alpha * step[0]);
  pki_prox_tangents(r + 1, xi + 1, alpha * step[1], mu * (whole ? before : r[0]));
}

int pki_prox_together(const pk_contact_problem *p, int row, bool whole)
{
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  int end = row + 1;
  while (whole && p->constraint != NULL && end < boxes &&
         p->constraint[end - first] == p->constraint[row - first]) {
    end++;
  }
  return end;
}

/* Jacobi converges for alpha below 2 over the spectral radius of inv(D) W. Where bilateral rows are solved exactly contacts see
 * the Schur complement of their block, whose radius is no larger. */
double pki_jor_alpha(const pki_solve *run, double *x, double *y)
{
  const double radius = run->options->alpha > 0 ? 0 : pki_spectral_radius(run->p, true, x, y);
  return run->options->alpha > 0 ? run->options->alpha : fmin(1, 1.2 / fmax(radius, 1e-300));
}

/* Gauss-Seidel converges for alpha below 2; the two tangents of a contact, which move together, ask for
 * alpha below 2 W_TT over the larger eigenvalue of their block. */
double pki_sor_alpha(const pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  double alpha = 1;
  if (run->options->alpha > 0) {
    return run->options->alpha;
  }
  for (int i = 0; i < p->ncontact; i++) {
    const int t = 3 * i + 1;
    const double a = pki_diagonal(p, t), b = pki_diagonal(p, t + 1);
    const double c = fmax(fabs(pki_entry(p, t, t + 1)), fabs(pki_entry(p, t + 1, t)));
    const double largest = 0.5 * (a + b) + hypot(0.5 * (a - b), c);
    alpha = fmin(alpha, 1.8 * fmax(a, b) / largest);
  }
  return alpha;
}

bool pki_prox_runaway(pki_solve *run, pki_divergence_guard *guard, double *alpha)
{
  static const double far = 100; /* times the least so far */
  const bool by_residual = run->options->stop == PK_SOLVER_STOP_RESIDUAL;
  const double now = by_residual ? run->now_at : run->change.moved;
  if (run->options->alpha > 0 || now <= far * guard->least || guard->least == 0) {
    guard->least = guard->least == 0 ? now : fmin(guard->least, now);
    return false;
  }
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  *alpha *= 0.5;
  guard->least = 0;
  if (by_residual) {
    memcpy(run->r, run->best, bytes);
  } else {
    memset(run->r, 0, bytes);
    memset(run->before, 0, bytes);
  }
  pk_contact_velocity(run->p, run->r, run->u);
  return true;
}

/* Steps of the rows, and room for the choice of alpha. */
typedef struct prox_scratch {
  double *step, *x, *y; /* [n] */
} prox_scratch;

static prox_scratch take_prox(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  prox_scratch s;
  s.step = pki_arena_take(arena, n, sizeof *s.step);
  s.x = pki_arena_take(arena, n, sizeof *s.x);
  s.y = pki_arena_take(arena, n, sizeof *s.y);
  return s;
}

static void reserve_prox(pki_arena *arena, const pk_contact_problem *p)
{
  take_prox(arena, p);
}

/* r_B := r_B - inv(W_BB) xi_B */
static void solve_bilateral(const pk_contact_problem *p, const pki_bilateral_block *b, double *r)
{
  for (int i = 0; i < b->n; i++) {
    b->x[i] = pki_row_dot(p, b->first + i, r) + p->q[b->first + i];
  }
  pki_bilateral_block_solve(b);
  for (int i = 0; i < b->n; i++) {
    r[b->first + i] -= b->x[i];
  }
}

/* Factored, and exact for the impulses at the start; without rows when they are iterated over. */
static pki_bilateral_block begin_bilateral(pki_solve *run)
{
  pki_bilateral_block b = {.first = 3 * run->p->ncontact};
  if (run->options->bilateral_direct && run->p->nbilateral > 0) {
    b = pki_bilateral_block_take(&run->arena, run->p);
    pki_bilateral_block_factor(&b, run->p);
    solve_bilateral(run->p, &b, run->r);
    pk_contact_velocity(run->p, run->r, run->u);
  }
  return b;
}

static void jor_sweep(const pki_solve *run, const double *step, double alpha, const pki_bilateral_block *b)
{
  const pk_contact_problem *p = run->p;
  const bool whole = run->options->succession == PK_SOLVER_SUCCESSION_CONTACT;
  const double *u = run->u; /* W r + q after the last sweep */
  double *r = run->r;
  for (int i = 0; i < p->ncontact; i++) {
    pki_prox_contact(r + 3 * i, u + 3 * i, step + 3 * i, alpha, p->mu[i], whole);
  }
  for (int i = b->first + b->n; i < pk_contact_size(p); i++) {
    r[i] = pki_clamp_box(p, i, r[i] - alpha * step[i] * u[i]);
  }
  solve_bilateral(p, b, r);
}

static void solve_jor(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  const prox_scratch s = take_prox(&run->arena, run->p);
  double alpha = pki_jor_alpha(run, s.x, s.y);
  pki_divergence_guard guard = {0};
  bool stop = false;
  pki_prox_steps(run->p, s.step);
  const pki_bilateral_block b = begin_bilateral(run);
  while (!stop) {
    jor_sweep(run, s.step, alpha, &b);
    stop = pki_solve_swept(run, 1);
    stop = (!pki_prox_runaway(run, &guard, &alpha) && stop) || pki_solve_exhausted(run);
  }
  pki_arena_release(&run->arena, mark);
}

enum { CHECK_EVERY = 4 }; /* sweeps between two evaluations of the residual, each as dear as a sweep */

/* The velocity of a row as impulses are now. */
static double row_velocity(const pk_contact_problem *p, int row, const double *r)
{
  return pki_row_dot(p, row, r) + p->q[row];
}

static void sor_contact(const pk_contact_problem *p, int i, const double *step, double alpha, bool whole,
                        double *r)
{
  double *ri = r + 3 * i, xi[3] = {row_velocity(p, 3 * i, r)};
  if (!whole) {
    pki_prox_normal(ri, xi[0], alpha * step[3 * i]);
  }
  xi[1] = row_velocity(p, 3 * i + 1, r), xi[2] = row_velocity(p, 3 * i + 2, r);
  if (whole) {
    pki_prox_contact(ri, xi, step + 3 * i, alpha, p->mu[i], true);
  } else {
    pki_prox_tangents(ri + 1, xi + 1, alpha * step[3 * i + 1], p->mu[i] * ri[0]);
  }
}

/* Bilateral or box rows from the same velocities; xi [size] is scratch. */
static void sor_rows(const pk_contact_problem *p, int from, int end, double *xi, const double *step,
                     double alpha, double *r)
{
  for (int i = from; i < end; i++) {
    xi[i] = row_velocity(p, i, r);
  }
  for (int i = from; i < end; i++) {
    r[i] = pki_clamp_box(p, i, r[i] - alpha * step[i] * xi[i]);
  }
}

static void solve_sor(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const size_t mark = pki_arena_mark(&run->arena);
  const bool whole = run->options->succession == PK_SOLVER_SUCCESSION_CONTACT;
  const double alpha = pki_sor_alpha(run);
  const prox_scratch s = take_prox(&run->arena, p);
  double *step = s.step, *r = run->r;
  pki_prox_steps(p, step);
  const pki_bilateral_block b = begin_bilateral(run);
  do {
    for (int i = 0; i < p->ncontact; i++) {
      sor_contact(p, i, step, alpha, whole, r);
    }
    for (int i = b.first + b.n, end; i < pk_contact_size(p); i = end) {
      end = pki_prox_together(p, i, whole);
      sor_rows(p, i, end, s.x, step, alpha, r);
    }
    solve_bilateral(p, &b, r);
  } while (!pki_solve_swept(run, CHECK_EVERY));
  pki_arena_release(&run->arena, mark);
}

const pki_solver_row pki_solver_jor = {.name = "jor",
                                       .doc = "projected Jacobi with over-relaxation, in impulses",
                                       .reads = "alpha stop change_rel change_abs succession",
                                       .solve = solve_jor,
                                       .reserve = reserve_prox,
                                       .reads_W = true,
                                       .sweeps = true,
                                       .velocity_form = PK_SOLVER_JOR_VELOCITY};

const pki_solver_row pki_solver_sor = {
    .name = "sor",
    .doc = "projected Gauss-Seidel with over-relaxation, normal then tangential",
    .reads = "alpha stop change_rel change_abs succession",
    .solve = solve_sor,
    .reserve = reserve_prox,
    .reads_W = true,
    .sweeps = true,
    .velocity_form = PK_SOLVER_SOR_VELOCITY};
