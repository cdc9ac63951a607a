/* Newton on active sets. In the coordinates of scaled.h, with d = r - u, a contact is
 *
 *   open    d_N <= 0             r = 0
 *   stick   |d_T| <= mu d_N      three unknowns r,                    u = 0
 *   slide   otherwise            two: r = r_N (n + mu t) + beta b,    u_N = 0,  b'u_T + h beta = 0
 *
 *   with t = d_T/|d_T|, b normal to it and h = (|d_T| - mu d_N)/(mu d_N),
 *
 * and a box row is at a bound or has one unknown. It is exactly the semi-smooth Newton step on the equations of Alart and
 * Curnier (1991), r_T = P_disc(mu d_N)(d_T), eliminated: the new d_T may turn, b'r_T = (mu d_N/|d_T|) b'(r_T - u_T), and
 * the part of the right side along b vanishes since b'd_T = 0.
 *
 * sigma (r - r_k), r_k the last iterate, is added to u. It only makes redundant impulses definite: of all that leave the
 * same velocities, those nearest to r_k. At a fixed point it is zero, so solutions are those of the problem.
 *
 * Steps are full, without a line search: where the active set settles the next step is exact, and where it does not a
 * few steps tell. The caller bounds them.
 *
 * Softened steps are for active sets that cycle. A contact in a wrong state fixes more than its bodies can do, and a small
 * sigma makes impulses diverge by 1/sigma; so sigma_i is in proportion to |F_i|/|r_i|, the contact's own residual beside its
 * impulse. Contacts that are right stay as stiff as they were, those that are wrong yield, and where all residuals vanish
 * the step is the plain one. Residuals do not fall steadily: methods that insist on that end where friction folds. */
#include "contact/solvers/active_set.h"

#include <math.h>
#include <string.h>

#include "contact/solvers/active_set_constants.h"

/* Part of the mean W_ii. 1e-9 is worse: a wrong set that overdetermines a body throws r by 1/sigma. Measured on COMAN
 * falling limp, see docs/theory/contact.md. */
const double pki_active_set_softness = PKI_SIGMA;

/* From an interior point: 99.7 % of the same problems are solved, with 1e-5 99.4 %, with 1e-6 98.8 %. */
const double pki_active_set_crossover = 1e-4;

/* A set that has settled and yet gets on by less than a factor of ten has directions that are softer than sigma, as under
 * a heavy body on a light one: sigma falls by this factor, to what rounding leaves of W_ii. */
static const double harden = PKI_SIGMA_FALLS, softness_least = PKI_SIGMA_LEAST;

/* A pivot of this size is rounding: the matrix has entries of size 1, and 1e-5 on the diagonal where it is singular. */
static const double least_pivot = 1e-13;

/* h beyond 1/rounding: beta is zero. */
static const double h_most = 1e16;

/* Alone it has as many steps as the caller allows, at most these: sets that have not settled by then go in circles. */
enum { STEPS = 100 };

pki_active_set pki_active_set_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t n = (size_t)pk_contact_size(p), contacts = (size_t)p->ncontact;
  pki_active_set a = {.unknowns = 0};
  a.activity = pki_arena_take(arena, n - 2 * contacts, sizeof *a.activity);
  a.last = pki_arena_take(arena, n - 2 * contacts, sizeof *a.last);
  a.t = pki_arena_take(arena, 2 * contacts, sizeof(double));
  a.h = pki_arena_take(arena, contacts, sizeof(double));
  a.sigma = pki_arena_take(arena, n - 2 * contacts, sizeof(double));
  a.d = pki_arena_take(arena, n, sizeof(double));
  a.centre = pki_arena_take(arena, n, sizeof(double));
  a.shift = pki_arena_take(arena, pki_dense_stride((int)n), sizeof(double));
  return a;
}

static int unknowns_of(pki_activity activity, double mu)
{
  return activity == PKI_STICK ? 3 : activity == PKI_SLIDE ? (mu > 0 ? 2 : 1) : activity == PKI_INSIDE;
}

static pki_activity choose_contact(pki_active_set *a, double mu, int i, double kappa)
{
  const double *d = a->d + 3 * i, limit = mu * d[0], size = sqrt(d[1] * d[1] + d[2] * d[2]);
  if (!(d[0] > 0)) {
    return PKI_OPEN;
  }
  if (mu > 0 && size <= limit) {
    return PKI_STICK;
  }
  a->t[2 * i] = size > 0 ? d[1] / size : 1, a->t[2 * i + 1] = size > 0 ? d[2] / size : 0;
  a->h[i] = mu > 0 ? fmin((size - limit) / (kappa * limit), h_most) : 0;
  return PKI_SLIDE;
}

void pki_active_set_choose(pki_active_set *a, const pki_scaled *z, double kappa)
{
  const pk_contact_problem *p = z->p;
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  a->unknowns = 0, a->has_bound = a->has_slip = false;
  for (int i = 0; i < p->ncontact; i++) {
    a->activity[i] = choose_contact(a, p->mu[i], i, kappa);
    a->unknowns += unknowns_of(a->activity[i], p->mu[i]);
    a->has_slip |= a->activity[i] == PKI_SLIDE && p->mu[i] > 0;
  }
  for (int i = first; i < z->n; i++) {
    const double lower = i < boxes ? -INFINITY : z->lower[i - boxes];
    const double upper = i < boxes ? INFINITY : z->upper[i - boxes];
    const pki_activity activity = !(a->d[i] > lower)   ? PKI_LOWER
                                  : !(a->d[i] < upper) ? PKI_UPPER
                                                       : PKI_INSIDE;
    a->activity[i - 2 * p->ncontact] = activity;
    a->unknowns += activity == PKI_INSIDE;
    a->has_bound |= (activity == PKI_LOWER && lower != 0) || (activity == PKI_UPPER && upper != 0);
  }
}

/* r of the rows that have no unknowns, zero elsewhere. */
static void set_bounds(const pki_active_set *a, pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  const int boxes = 3 * p->ncontact + p->nbilateral;
  memset(z->r, 0, (size_t)z->n * sizeof *z->r);
  for (int i = boxes; i < z->n; i++) {
    const pki_activity activity = a->activity[i - 2 * p->ncontact];
    z->r[i] = activity == PKI_LOWER ? z->lower[i - boxes] : activity == PKI_UPPER ? z->upper[i - boxes] : 0;
  }
}

/* A row of the reduced matrix from a row of W (or a combination of two): its columns in the unknowns. */
static void reduce_row(const pki_active_set *a, const pki_scaled *z, const double *w, double *out)
{
  const pk_contact_problem *p = z->p;
  const int groups = z->n - 2 * p->ncontact;
  for (int i = 0; i < p->ncontact; i++, w += 3) {
    if (a->activity[i] == PKI_STICK) {
      out[0] = w[0], out[1] = w[1], out[2] = w[2];
      out += 3;
    } else if (a->activity[i] == PKI_SLIDE) {
      const double mu = p->mu[i], t0 = a->t[2 * i], t1 = a->t[2 * i + 1];
      *out++ = w[0] + mu * (t0 * w[1] + t1 * w[2]);
      if (mu > 0) {
        *out++ = t0 * w[2] - t1 * w[1];
      }
    }
  }
  for (int i = p->ncontact; i < groups; i++, w++) {
    if (a->activity[i] == PKI_INSIDE) {
      *out++ = *w;
    }
  }
}

/* The reduced system as it is filled, row by row. */
typedef struct reduction {
  const pki_active_set *a;
  pki_scaled *z;
  size_t stride;
  int row;
} reduction;

static double *next_row(reduction *s, const double *w)
{
  double *out = s->z->A + (size_t)s->row * s->stride;
  reduce_row(s->a, s->z, w, out);
  for (size_t j = (size_t)s->a->unknowns; j < s->stride; j++) {
    out[j] = 0;
  }
  return out;
}

/* A row of W as it is, of a contact or alone: u_i + sigma (r_i - centre_i) = 0. */
static void plain_row(reduction *s, int group, int i)
{
  double *out = next_row(s, s->z->W + (size_t)i * s->z->stride);
  out[s->row++] += s->a->sigma[group];
}

/* b'(u_T + sigma (r_T - centre_T)) + h beta = 0. */
static void side_row(reduction *s, int contact, double *w)
{
  const size_t stride = s->z->stride;
  const double *w1 = s->z->W + (size_t)(3 * contact + 1) * stride, *w2 = w1 + stride;
  const double b1 = -s->a->t[2 * contact + 1], b2 = s->a->t[2 * contact];
  for (int j = 0; j < s->z->n; j++) {
    w[j] = b1 * w1[j] + b2 * w2[j];
  }
  double *out = next_row(s, w);
  out[s->row++] += s->a->sigma[contact] + s->a->h[contact];
}

/* r of the unknowns' solution in z->rhs. */
static void expand_impulses(const pki_active_set *a, pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  const double *x = z->rhs;
  for (int i = 0; i < p->ncontact; i++) {
    double *r = z->r + 3 * i;
    if (a->activity[i] == PKI_STICK) {
      r[0] = x[0], r[1] = x[1], r[2] = x[2];
      x += 3;
    } else if (a->activity[i] == PKI_SLIDE) {
      const double mu = p->mu[i], t0 = a->t[2 * i], t1 = a->t[2 * i + 1], beta = mu > 0 ? x[1] : 0;
      r[0] = x[0], r[1] = mu * x[0] * t0 - beta * t1, r[2] = mu * x[0] * t1 + beta * t0;
      x += mu > 0 ? 2 : 1;
    }
  }
  for (int i = 3 * p->ncontact; i < z->n; i++) {
    if (a->activity[i - 2 * p->ncontact] == PKI_INSIDE) {
      z->r[i] = *x++;
    }
  }
}

/* What the rows have to make up for: sigma centre - q, and the same along b. */
static void fill_right_side(const pki_active_set *a, pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  double *out = z->rhs;
  for (int i = 0; i < p->ncontact; i++) {
    const double *centre = a->centre + 3 * i, *shift = a->shift + 3 * i, sigma = a->sigma[i];
    const int count = unknowns_of(a->activity[i], p->mu[i]);
    for (int e = 0; e < (count == 2 ? 1 : count); e++) {
      *out++ = sigma * centre[e] - shift[e];
    }
    if (count == 2) {
      const double b1 = -a->t[2 * i + 1], b2 = a->t[2 * i];
      *out++ = b1 * (sigma * centre[1] - shift[1]) + b2 * (sigma * centre[2] - shift[2]);
    }
  }
  for (int i = 3 * p->ncontact; i < z->n; i++) {
    if (a->activity[i - 2 * p->ncontact] == PKI_INSIDE) {
      *out++ = a->sigma[i - 2 * p->ncontact] * a->centre[i] - a->shift[i];
    }
  }
}

static void fill_matrix(pki_active_set *a, pki_scaled *z)
{
  const pk_contact_problem *p = z->p;
  reduction s = {.a = a, .z = z, .stride = pki_dense_stride(a->unknowns)};
  double *w = z->line; /* scratch until the matrix is factored */
  for (int i = 0; i < p->ncontact; i++) {
    const int count = unknowns_of(a->activity[i], p->mu[i]);
    for (int e = 0; e < (count == 2 ? 1 : count); e++) {
      plain_row(&s, i, 3 * i + e);
    }
    if (count == 2) {
      side_row(&s, i, w);
    }
  }
  for (int i = 3 * p->ncontact; i < z->n; i++) {
    if (a->activity[i - 2 * p->ncontact] == PKI_INSIDE) {
      plain_row(&s, i - 2 * p->ncontact, i);
    }
  }
}

/* q + W r of the rows at their bounds, whose impulses are in z->r. */
static void shift_by_bounds(pki_active_set *a, pki_scaled *z)
{
  if (!a->has_bound) {
    memcpy(a->shift, z->q, (size_t)z->n * sizeof *a->shift);
    return;
  }
  z->kernels->multiply(z->W, z->n, z->stride, z->r, a->shift);
  for (int i = 0; i < z->n; i++) {
    a->shift[i] += z->q[i];
  }
}

void pki_active_set_soften(pki_active_set *a, const pki_scaled *z, double sigma)
{
  for (int g = 0; g < z->n - 2 * z->p->ncontact; g++) {
    a->sigma[g] = sigma;
  }
}

bool pki_active_set_solve(pki_active_set *a, pki_scaled *z, pki_active_set_factors factors)
{
  const pki_dense_kernels *k = z->kernels;
  const int m = a->unknowns;
  const size_t stride = pki_dense_stride(m);
  bool good = true;
  set_bounds(a, z);
  shift_by_bounds(a, z);
  fill_right_side(a, z);
  if (factors != PKI_FACTORS_KEPT) {
    fill_matrix(a, z);
    good = factors == PKI_FACTORS_PIVOTED
               ? k->factor_pivoted(z->A, m, stride, z->line, z->inverse, z->pivot, z->timer)
               : k->factor(z->A, m, stride, least_pivot, z->line, z->inverse, z->timer);
  }
  if (!good) {
    return false;
  }
  if (factors == PKI_FACTORS_PIVOTED) {
    k->solve_pivoted(z->A, m, stride, z->inverse, z->pivot, z->rhs);
  } else {
    k->solve(z->A, m, stride, z->inverse, z->rhs);
  }
  expand_impulses(a, z);
  return true;
}

/* Whether the set is the one of the step before; it is kept for the next. */
static bool is_settled(pki_active_set *a, int groups)
{
  const size_t bytes = (size_t)groups * sizeof *a->activity;
  const bool same = memcmp(a->activity, a->last, bytes) == 0;
  memcpy(a->last, a->activity, bytes);
  return same;
}

/* The active set of the iterate, which becomes the centre of the next one. */
static void begin_step(pki_active_set *a, const pki_scaled *z)
{
  for (int i = 0; i < z->n; i++) {
    a->d[i] = z->r[i] - z->u[i];
  }
  memcpy(a->centre, z->r, (size_t)z->n * sizeof *a->centre);
  pki_active_set_choose(a, z, 1);
}

bool pki_active_set_run(pki_active_set *a, pki_scaled *z, pki_solve *run, int steps, double sigma)
{
  double before = INFINITY;
  bool diverged = false;
  for (int k = 0; k < steps && !diverged; k++) {
    begin_step(a, z);
    const bool settled = is_settled(a, z->n - 2 * z->p->ncontact) && k > 0;
    const bool slow = settled && run->now_at > 0.1 * before;
    sigma = slow ? fmax(harden * sigma, softness_least) : sigma;
    before = run->now_at;
    run->iterations++;
    pki_active_set_soften(a, z, sigma);
    if (!pki_active_set_solve(a, z,
                              settled && !slow && !a->has_slip ? PKI_FACTORS_KEPT : PKI_FACTORS_PLAIN)) {
      return pki_solve_exhausted(run);
    }
    pki_scaled_velocity(z);
    if (pki_scaled_check(z, run)) {
      return true;
    }
    diverged = run->now_at > PKI_DIVERGED * run->scale;
  }
  return pki_solve_exhausted(run);
}

/* sigma of each contact by its own residual. */
static void soften_by_residuals(pki_active_set *a, const pki_scaled *z, double relative)
{
  const pk_contact_problem *p = z->p;
  const double least = fmax(fmin(relative, PKI_SOFT_LEAST), PKI_SIGMA_LEAST);
  double mean = 0;
  for (int i = 0; i < p->ncontact; i++) {
    mean += fabs(z->r[3 * i]) / p->ncontact;
  }
  pki_active_set_soften(a, z, least);
  for (int i = 0; i < p->ncontact; i++) {
    const double left = pki_scaled_contact_residual(p->mu[i], z->r + 3 * i, z->u + 3 * i);
    const double part = PKI_SOFT_PART * left / (fabs(z->r[3 * i]) + PKI_SOFT_SMALL * mean);
    a->sigma[i] = left > 0 ? fmin(fmax(part, least), 1) : least;
  }
}

bool pki_active_set_run_softened(pki_active_set *a, pki_scaled *z, pki_solve *run, int steps)
{
  for (int k = 0; k < steps; k++) {
    begin_step(a, z);
    soften_by_residuals(a, z, run->now_at / run->scale);
    run->iterations++;
    if (!pki_active_set_solve(a, z, PKI_FACTORS_PLAIN)) {
      return pki_solve_exhausted(run);
    }
    pki_scaled_velocity(z);
    if (pki_scaled_check(z, run)) {
      return true;
    }
  }
  return pki_solve_exhausted(run);
}

static void solve_active_set(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_scaled z = pki_scaled_take(&run->arena, run->p);
  pki_active_set a = pki_active_set_take(&run->arena, run->p);
  pki_scaled_begin(&z, run);
  pki_scaled_velocity(&z);
  pki_active_set_run(&a, &z, run, STEPS, pki_active_set_softness);
  pki_arena_release(&run->arena, mark);
}

static void reserve_active_set(pki_arena *arena, const pk_contact_problem *p)
{
  pki_scaled_take(arena, p);
  pki_active_set_take(arena, p);
}

const pki_solver_row pki_solver_active_set = {
    .name = "active-set",
    .doc = "Newton on active sets, quick from a good guess, not sure alone",
    .solve = solve_active_set,
    .reserve = reserve_active_set,
    .reads_W = true};
