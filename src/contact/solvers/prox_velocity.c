/* Projected Jacobi and Gauss-Seidel in velocities (Gehring et al. 2014, equations 17 to 19): the Delassus
 * matrix is never formed. With W = Y inv(D) Y' + extra, Y the rows of the factor,
 *
 *   z = inv(D) sum_i Y_i r_i,    xi_i = Y_i z + extra_i r_i + q_i,
 *
 * where z takes the place of the paper's u - u_free: M = L' D L, z = L (u - u_free). After a projection
 * z follows by inv(D) Y_i dr_i: at once in Gauss-Seidel, normal and tangents apart; after all
 * projections in Jacobi. The iterates are those of prox.c to rounding. */
#include <string.h>

#include "contact/solvers/prox.h"
#include "contact/solvers/prox_bilateral.h"

typedef struct space {
  const pk_contact_factor *f;
  const double *q;
  double *z;                 /* [f->n] */
  double *step;              /* [size] */
  double *xi, *dr;           /* [size], for Jacobi */
  pki_bilateral_block exact; /* equation 20 in the place of 19 */
  bool whole;                /* a contact at once */
} space;

static space take_velocity_space(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p);
  space s = {.f = p->factor, .q = p->q};
  s.z = pki_arena_take(arena, p->factor ? (size_t)p->factor->n : 0, sizeof *s.z);
  s.step = pki_arena_take(arena, n, sizeof *s.step);
  s.xi = pki_arena_take(arena, n, sizeof *s.xi);
  s.dr = pki_arena_take(arena, n, sizeof *s.dr);
  return s;
}

static void reserve_prox_velocity(pki_arena *arena, const pk_contact_problem *p)
{
  take_velocity_space(arena, p);
}

/* xi_i */
static double row_velocity(const space *s, int i, const double *r)
{
  const size_t at = (size_t)i * (size_t)s->f->stride;
  const int *col = s->f->col + at;
  const double *Y = s->f->Y + at;
  double sum = s->f->extra[i] * r[i] + s->q[i];
  for (int e = 0; e < s->f->count[i]; e++) {
    sum += Y[e] * s->z[col[e]];
  }
  return sum;
}

/* z += inv(D) Y_i dr */
static void update_coordinates(const space *s, int i, double dr)
{
  const size_t at = (size_t)i * (size_t)s->f->stride;
  const int *col = s->f->col + at;
  const double *Y = s->f->Y + at;
  for (int e = 0; dr != 0 && e < s->f->count[i]; e++) {
    s->z[col[e]] += s->f->weight[col[e]] * Y[e] * dr;
  }
}

/* z from r. */
static void gather_coordinates(const space *s, int n, const double *r)
{
  memset(s->z, 0, (size_t)s->f->n * sizeof *s->z);
  for (int i = 0; i < n; i++) {
    update_coordinates(s, i, r[i]);
  }
}

/* r_B := r_B - inv(G_B) xi_B */
static void solve_bilateral(const space *s, double *r)
{
  const pki_bilateral_block *b = &s->exact;
  for (int i = 0; i < b->n; i++) {
    b->x[i] = row_velocity(s, b->first + i, r);
  }
  pki_bilateral_block_solve(b);
  for (int i = 0; i < b->n; i++) {
    r[b->first + i] -= b->x[i];
    update_coordinates(s, b->first + i, -b->x[i]);
  }
}

/* Equation 20 from now on, exact for the impulses at the start. */
static void begin_bilateral(pki_solve *run, space *s)
{
  s->exact = (pki_bilateral_block){.first = 3 * run->p->ncontact};
  if (run->options->bilateral_direct && run->p->nbilateral > 0) {
    s->exact = pki_bilateral_block_take(&run->arena, run->p);
    pki_bilateral_block_factor(&s->exact, run->p);
    solve_bilateral(s, run->r);
  }
}

/* Velocities of rows before any of them changes; and what their changes do. */
static void read_rows(const space *s, int from, int to, const double *r)
{
  for (int i = from; i < to; i++) {
    s->xi[i] = row_velocity(s, i, r);
    s->dr[i] = -r[i];
  }
}

static void apply_rows(const space *s, int from, int to, const double *r)
{
  for (int i = from; i < to; i++) {
    update_coordinates(s, i, s->dr[i] + r[i]);
  }
}

static void jor_sweep(const pk_contact_problem *p, const space *s, double alpha, double *r)
{
  const int n = pk_contact_size(p), contacts = 3 * p->ncontact, rest = contacts + s->exact.n;
  read_rows(s, 0, contacts, r);
  read_rows(s, rest, n, r);
  for (int i = 0; i < p->ncontact; i++) {
    pki_prox_contact(r + 3 * i, s->xi + 3 * i, s->step + 3 * i, alpha, p->mu[i], s->whole);
  }
  for (int i = rest; i < n; i++) {
    r[i] = pki_clamp_box(p, i, r[i] - alpha * s->step[i] * s->xi[i]);
  }
  apply_rows(s, 0, contacts, r);
  apply_rows(s, rest, n, r);
  solve_bilateral(s, r);
}

static void sor_contact(const pk_contact_problem *p, const space *s, int i, double alpha, double *r)
{
  const int t = 3 * i + 1;
  const double before[3] = {r[3 * i], r[t], r[t + 1]};
  double xi[3] = {row_velocity(s, 3 * i, r)};
  if (!s->whole) {
    pki_prox_normal(r + 3 * i, xi[0], alpha * s->step[3 * i]);
    update_coordinates(s, 3 * i, r[3 * i] - before[0]);
  }
  xi[1] = row_velocity(s, t, r), xi[2] = row_velocity(s, t + 1, r);
  if (s->whole) {
    pki_prox_contact(r + 3 * i, xi, s->step + 3 * i, alpha, p->mu[i], true);
    update_coordinates(s, 3 * i, r[3 * i] - before[0]);
  } else {
    pki_prox_tangents(r + t, xi + 1, alpha * s->step[t], p->mu[i] * r[3 * i]);
  }
  update_coordinates(s, t, r[t] - before[1]);
  update_coordinates(s, t + 1, r[t + 1] - before[2]);
}

static void sor_sweep(const pk_contact_problem *p, const space *s, double alpha, double *r)
{
  for (int i = 0; i < p->ncontact; i++) {
    sor_contact(p, s, i, alpha, r);
  }
  for (int i = s->exact.first + s->exact.n, end; i < pk_contact_size(p); i = end) {
    end = pki_prox_together(p, i, s->whole);
    read_rows(s, i, end, r);
    for (int k = i; k < end; k++) {
      r[k] = pki_clamp_box(p, k, r[k] - alpha * s->step[k] * s->xi[k]);
    }
    apply_rows(s, i, end, r);
  }
  solve_bilateral(s, r);
}

enum {
  CHECK_EVERY = 4,  /* sweeps between two evaluations of the residual */
  GATHER_EVERY = 64 /* sweeps after which z is summed afresh, against rounding */
};

static void solve_in_velocities(pki_solve *run, bool jor)
{
  /* residual, energy and steps read only the factor */
  const pk_contact_problem *whole = run->p;
  pk_contact_problem p = *whole;
  p.W = NULL, p.W_row = p.W_col = NULL;
  run->p = &p; /* cppcheck-suppress autoVariables */
  const int n = pk_contact_size(&p);
  const size_t mark = pki_arena_mark(&run->arena);
  space s = take_velocity_space(&run->arena, &p);
  double alpha = jor ? pki_jor_alpha(run, s.xi, s.dr) : pki_sor_alpha(run);
  pki_divergence_guard guard = {0};
  pki_prox_steps(&p, s.step);
  gather_coordinates(&s, n, run->r);
  s.whole = run->options->succession == PK_SOLVER_SUCCESSION_CONTACT;
  begin_bilateral(run, &s);
  for (bool stop = false; !stop;) {
    (jor ? jor_sweep : sor_sweep)(&p, &s, alpha, run->r);
    stop = pki_solve_swept(run, CHECK_EVERY);
    if (jor && (run->options->stop == PK_SOLVER_STOP_CHANGE || run->iterations % CHECK_EVERY == 0) &&
        pki_prox_runaway(run, &guard, &alpha)) {
      stop = pki_solve_exhausted(run);
      gather_coordinates(&s, n, run->r);
    } else if (run->iterations % GATHER_EVERY == 0) {
      gather_coordinates(&s, n, run->r);
    }
  }
  pki_arena_release(&run->arena, mark);
  run->p = whole;
}

static void solve_jor_velocity(pki_solve *run)
{
  solve_in_velocities(run, true);
}

static void solve_sor_velocity(pki_solve *run)
{
  solve_in_velocities(run, false);
}

const pki_solver_row pki_solver_jor_velocity = {.name = "jor-u",
                                                .doc = "jor in velocities, from the factors of W",
                                                .reads = "alpha stop change_rel change_abs succession",
                                                .solve = solve_jor_velocity,
                                                .reserve = reserve_prox_velocity,
                                                .reads_factor = true,
                                                .sweeps = true};

const pki_solver_row pki_solver_sor_velocity = {.name = "sor-u",
                                                .doc = "sor in velocities, from the factors of W",
                                                .reads = "alpha stop change_rel change_abs succession",
                                                .solve = solve_sor_velocity,
                                                .reserve = reserve_prox_velocity,
                                                .reads_factor = true,
                                                .sweeps = true};
