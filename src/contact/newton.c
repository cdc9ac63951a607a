/* Semi-smooth Newton on the equations of Alart and Curnier (1991), inside a proximal-point loop.
 *
 * With d = r - rho u the laws of a contact are F = 0 for
 *
 *   F_N = r_N - max(d_N, 0),   F_T = r_T - P_disc(mu max(d_N, 0))(d_T)
 *
 * and a generalised derivative is J = A + B W with 3x3 blocks A, B on the diagonal:
 *
 *   open (d_N <= 0)   A = 1, B = 0
 *   stick             A = 0, B = rho
 *   slip              normal as in stick; tangents with t = d_T/|d_T|, s = mu d_N,
 *                     G = s (1 - t t')/|d_T|:
 *                     dF_T = (1 - G) dr_T + rho_T G W_T dr - mu t (dr_N - rho_N W_N dr)
 *
 * The proximal-point loop solves the problem with W + sigma 1 and q - sigma r_k, r_k the last
 * solution: its fixed points are solutions of the problem itself, and redundant contacts, which
 * make W singular, do not trouble it. */
#include <math.h>
#include <string.h>

#include "contact/solver.h"
#include "math/lu.h"

typedef struct newton {
  double *J;                                    /* [n][n] */
  double *F, *trial, *step, *centre, *velocity; /* [n] */
  int *pivot;                                   /* [n] */
  double sigma;                                 /* what is added to the diagonal of W, m/s per N s */
} newton;

enum { NEWTON_STEPS = 60, PROXIMAL_STEPS = 300, HALVINGS = 12 };

static newton take(pki_arena *arena, size_t n)
{
  newton s = {.sigma = 0};
  s.J = pki_arena_take(arena, n * n, sizeof(double));
  s.F = pki_arena_take(arena, n, sizeof(double));
  s.trial = pki_arena_take(arena, n, sizeof(double));
  s.step = pki_arena_take(arena, n, sizeof(double));
  s.centre = pki_arena_take(arena, n, sizeof(double));
  s.velocity = pki_arena_take(arena, n, sizeof(double));
  s.pivot = pki_arena_take(arena, n, sizeof(int));
  return s;
}

size_t pki_newton_memsize(const pk_contact_problem *p)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  take(&arena, (size_t)pk_contact_size(p));
  return arena.used;
}

/* F of one contact; with A and B not NULL its derivative too. rho are steps for the normal and the
 * tangents. Rows of F and of the derivative are scaled by 1/rho, so that F is a velocity. */
static void contact_equations(double mu, const double *r, const double *u, const double rho[2], double *F,
                              double *A, double *B)
{
  const double dn = r[0] - rho[0] * u[0], dx = r[1] - rho[1] * u[1], dy = r[2] - rho[1] * u[2];
  const double limit = mu * dn, size = hypot(dx, dy);
  const bool open = dn <= 0, stick = !open && size <= limit;
  F[0] = open ? r[0] / rho[0] : u[0];
  for (int k = 1; k < 3; k++) {
    const double direction = size > 0 ? (k == 1 ? dx : dy) / size : 0;
    F[k] = open ? r[k] / rho[1] : stick ? u[k] : (r[k] - limit * direction) / rho[1];
  }
  if (A == NULL) {
    return;
  }
  memset(A, 0, 9 * sizeof *A);
  memset(B, 0, 9 * sizeof *B);
  *(open ? &A[0] : &B[0]) = open ? 1 / rho[0] : 1;
  if (open || stick) {
    for (int k = 1; k < 3; k++) {
      *(open ? &A[4 * k] : &B[4 * k]) = open ? 1 / rho[1] : 1;
    }
    return;
  }
  const double t[2] = {dx / size, dy / size};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      const double G = limit / size * ((i == j) - t[i] * t[j]);
      A[3 * (1 + i) + 1 + j] = ((i == j) - G) / rho[1];
      B[3 * (1 + i) + 1 + j] = G;
    }
    A[3 * (1 + i)] = -mu * t[i] / rho[1];
    B[3 * (1 + i)] = mu * t[i] * rho[0] / rho[1];
  }
}

/* Steps for a contact from its diagonal block, sigma included. */
static void contact_rho(const pk_contact_problem *p, int i, double sigma, double rho[2])
{
  const double t = fmax(pki_diagonal(p, 3 * i + 1), pki_diagonal(p, 3 * i + 2));
  rho[0] = 1 / (pki_diagonal(p, 3 * i) + sigma);
  rho[1] = 1 / (t + sigma);
}

/* J rows first .. first+2 = A + B (W + sigma 1). */
static void fill_rows(const pk_contact_problem *p, const newton *s, int first, const double A[9],
                      const double B[9])
{
  const int n = pk_contact_size(p);
  double *J = s->J + (size_t)first * (size_t)n;
  memset(J, 0, 3 * (size_t)n * sizeof *J);
  for (int k = 0; k < 3; k++) {
    const int row = first + k;
    const int from = p->W_col ? p->W_row[row] : row * n, to = p->W_col ? p->W_row[row + 1] : (row + 1) * n;
    for (int e = from; e < to; e++) {
      const int col = p->W_col ? p->W_col[e] : e - from;
      for (int i = 0; i < 3; i++) {
        J[i * n + col] += B[3 * i + k] * p->W[e];
      }
    }
    for (int i = 0; i < 3; i++) {
      J[i * n + row] += A[3 * i + k] + s->sigma * B[3 * i + k];
    }
  }
}

/* A bilateral or box row: F = u inside, (r - bound)/rho outside; its row of J when asked for. */
static void single_equation(const pk_contact_problem *p, newton *s, int row, const double *r, bool derivative)
{
  const int n = pk_contact_size(p), box = row - 3 * p->ncontact - p->nbilateral;
  const double rho = 1 / (pki_diagonal(p, row) + s->sigma), d = r[row] - rho * s->velocity[row];
  const bool below = box >= 0 && d < p->lower[box], above = box >= 0 && d > p->upper[box];
  s->F[row] = below   ? (r[row] - p->lower[box]) / rho
              : above ? (r[row] - p->upper[box]) / rho
                      : s->velocity[row];
  if (!derivative) {
    return;
  }
  double *J = s->J + (size_t)row * (size_t)n;
  memset(J, 0, (size_t)n * sizeof *J);
  if (below || above) {
    J[row] = 1 / rho;
    return;
  }
  const int from = p->W_col ? p->W_row[row] : row * n, to = p->W_col ? p->W_row[row + 1] : (row + 1) * n;
  for (int e = from; e < to; e++) {
    J[p->W_col ? p->W_col[e] : e - from] = p->W[e];
  }
  J[row] += s->sigma;
}

/* F at r of the problem with W + sigma 1 and q - sigma centre; its norm comes back. */
static double equations(const pk_contact_problem *p, newton *s, const double *r, bool derivative)
{
  const int n = pk_contact_size(p);
  double sum = 0;
  pk_contact_velocity(p, r, s->velocity);
  for (int i = 0; i < n; i++) {
    s->velocity[i] += s->sigma * (r[i] - s->centre[i]);
  }
  for (int i = 0; i < p->ncontact; i++) {
    double A[9], B[9], rho[2];
    contact_rho(p, i, s->sigma, rho);
    contact_equations(p->mu[i], r + 3 * i, s->velocity + 3 * i, rho, s->F + 3 * i, derivative ? A : NULL, B);
    if (derivative) {
      fill_rows(p, s, 3 * i, A, B);
    }
  }
  for (int i = 3 * p->ncontact; i < n; i++) {
    single_equation(p, s, i, r, derivative);
  }
  for (int i = 0; i < n; i++) {
    sum += s->F[i] * s->F[i];
  }
  return sqrt(sum);
}

/* Newton on the proximal problem until its norm is below `goal`; false when it stalls. */
static bool inner(pki_solve *run, newton *s, double goal)
{
  const pk_contact_problem *p = run->p;
  const int n = pk_contact_size(p);
  double *r = run->r;
  for (int k = 0; k < NEWTON_STEPS && run->iterations < run->limit; k++) {
    const double norm = equations(p, s, r, true);
    if (norm <= goal) {
      return true;
    }
    for (int i = 0; i < n; i++) {
      s->step[i] = -s->F[i];
    }
    run->iterations++;
    if (!isfinite(norm) || !pki_lu_factor(s->J, n, s->pivot)) {
      return false;
    }
    pki_lu_solve(s->J, n, s->pivot, s->step);
    /* shorten the step until the norm falls; a full step is allowed to raise it a little */
    double t = 1, found = INFINITY;
    for (int h = 0; h < HALVINGS; h++, t *= 0.5) {
      for (int i = 0; i < n; i++) {
        s->trial[i] = r[i] + t * s->step[i];
      }
      found = equations(p, s, s->trial, false);
      if (found < (1 - 1e-4 * t) * norm) {
        break;
      }
    }
    if (!(found < norm)) {
      return false;
    }
    memcpy(r, s->trial, (size_t)n * sizeof *r);
  }
  return equations(p, s, r, false) <= goal;
}

void pki_solve_newton(pki_solve *run)
{
  const pk_contact_problem *p = run->p;
  const size_t n = (size_t)pk_contact_size(p), mark = pki_arena_mark(&run->arena);
  newton s = take(&run->arena, n);
  double most = 1e-3, mean = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(p->q[i]));
    mean += pki_diagonal(p, (int)i) / (double)n;
  }
  const double goal = 0.1 * run->options->tolerance * most;

  /* plain Newton first, then proximal terms, weaker while they can be solved */
  memcpy(s.centre, run->r, n * sizeof *s.centre);
  inner(run, &s, goal);
  bool stop = pki_solve_check(run);
  s.sigma = 0.1 * mean;
  for (int k = 0; k < PROXIMAL_STEPS && !stop; k++) {
    memcpy(run->r, s.centre, n * sizeof *run->r);
    if (inner(run, &s, goal)) {
      stop = pki_solve_check(run);
      memcpy(s.centre, run->r, n * sizeof *s.centre);
      s.sigma = fmax(0.3 * s.sigma, 1e-9 * mean);
    } else {
      stop = run->iterations >= run->limit || s.sigma > 1e3 * mean;
      s.sigma *= 10;
    }
  }
  pki_arena_release(&run->arena, mark);
}
