/* Interior points, for what sweeps and active sets cannot finish: many contacts of few bodies that
 * slide at once, whose impulses are not unique. The path runs through the middle of the set of
 * solutions, where every contact that can carry carries, so W may have any rank.
 *
 * De Saxce's form of the laws: with v = u + mu |u_T| e_N,
 *
 *   r in K,  v in K*,  r'v = 0,       K = {|r_T| <= mu r_N},  K* = {v_N >= mu |v_T|}.
 *
 * v_T = u_T, so u = v - mu |v_T| e_N =: H(v) and the unknowns are r and v:
 *
 *   H(v) = W r + q,   x o y = tau e  with  x = E r, y = inv(E) v, E = diag(mu, 1, 1)
 *
 * both in the second-order cone, o its Jordan product, tau falling to zero. Nesterov and Todd's
 * scaling G x = inv(G) y = l turns the second equation into l o (G dx + inv(G) dy) = tau e - l o l - c with
 * Mehrotra's second-order term c, so dy = G (g - G dx), and one linear system is left for each step,
 *
 *   (W + dH E G^2 E) dr = H(v) - W r - q + dH E G g,    dH = 1 - mu e_N t',  t = v_T/|v_T|.
 *
 * |v_T| is rounded off by a part of tau where it bends. With dH = 1 the steps are those of the convex programs of
 * aclm.c (Acary, Cadoux, Lemarechal, Malick 2011), whose mu |v_T| follows from step to step: robust, and quick
 * where little slides. With the derivative they are Newton's, quick where much slides, but friction is
 * not monotone and the path may turn back. So dH = 1 comes first, the derivative when that is slow, and
 * dH = 1 again when steps get short. Box rows are a (r - lower) = tau, b (upper - r) = tau, u = a - b.
 *
 * Rows are scaled first, W_ij d_i d_j with d = 1/sqrt(mean of the block's diagonal), so that light and heavy
 * bodies look alike; one d for each contact keeps its cone. */
#include <math.h>
#include <string.h>

#include "contact/solvers/cone.h"
#include "contact/solvers/ipm.h"

/* ---- rows ---- */

static void scale_to_cone(double mu, const double *r, const double *v, double x[3], double y[3])
{
  x[0] = mu * r[0], x[1] = r[1], x[2] = r[2];
  y[0] = v[0] / mu, y[1] = v[1], y[2] = v[2];
}

static bool is_box(const pki_ipm *s, int row)
{
  return row >= 3 * s->p->ncontact + s->p->nbilateral;
}

static bool has_lower(const pki_ipm *s, int row)
{
  return is_box(s, row) && isfinite(s->lower[row]);
}

static bool has_upper(const pki_ipm *s, int row)
{
  return is_box(s, row) && isfinite(s->upper[row]);
}

static bool is_fixed(const pki_ipm *s, int row)
{
  return is_box(s, row) && !(s->lower[row] < s->upper[row]);
}

/* Scale, and begin in the middle: x = y = e, boxes inside their bounds. */
static void begin_in_the_middle(pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const int c = 3 * (i / 3);
    const double diagonal =
        i < first ? (pki_ipm_diagonal(s, c) + pki_ipm_diagonal(s, c + 1) + pki_ipm_diagonal(s, c + 2)) / 3
                  : pki_ipm_diagonal(s, i);
    s->d[i] = 1 / sqrt(diagonal);
    most = fmax(most, s->d[i] * fabs(p->q[i]));
  }
  s->unit = most > 0 ? most : 1;
  s->degree = 0;
  for (int i = 0; i < s->n; i++) {
    s->q[i] = s->d[i] * p->q[i] / s->unit;
    s->r[i] = s->v[i] = s->b[i] = 0;
    if (i < first) {
      const double mu = p->mu[i / 3];
      s->r[i] = i % 3 == 0 ? 1 / (mu > 0 ? mu : 1) : 0;
      s->v[i] = i % 3 == 0 ? (mu > 0 ? mu : 1) : 0;
      s->degree += i % 3 == 0;
    } else if (i >= boxes) {
      const double k = 1 / (s->d[i] * s->unit);
      s->lower[i] = p->lower[i - boxes] * k, s->upper[i] = p->upper[i - boxes] * k;
      const bool low = has_lower(s, i), high = has_upper(s, i), fixed = is_fixed(s, i);
      s->r[i] = fixed || (low && high && s->upper[i] - s->lower[i] < 2) ? 0.5 * (s->lower[i] + s->upper[i])
                : low                                                   ? s->lower[i] + 1
                : high                                                  ? s->upper[i] - 1
                                                                        : 0;
      s->v[i] = low && !fixed, s->b[i] = high && !fixed;
      s->degree += fixed ? 0 : low + high;
    }
  }
}

/* How far the equations are from holding: gap, tau. Returns the largest gap. */
static double measure_gap(pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  double sum = 0, most = 0;
  pki_ipm_velocity(s);
  for (int i = 0; i < s->n; i++) {
    const double u = s->u[i];
    const bool contact = i < 3 * p->ncontact;
    s->gap[i] = (contact ? s->v[i] : s->v[i] - s->b[i]) - u;
    if (contact) {
      sum += s->r[i] * s->v[i];
    } else if (!is_fixed(s, i)) {
      sum += has_lower(s, i) ? (s->r[i] - s->lower[i]) * s->v[i] : 0;
      sum += has_upper(s, i) ? (s->upper[i] - s->r[i]) * s->b[i] : 0;
    }
  }
  s->tau = s->degree ? sum / s->degree : 0;
  s->round = fmin(s->rounding * s->tau, 0.1);
  for (int i = 0; i < p->ncontact; i++) {
    const double *v = s->v + 3 * i;
    if (p->mu[i] > 0) {
      s->gap[3 * i] -= p->mu[i] * sqrt(v[1] * v[1] + v[2] * v[2] + s->round * s->round);
    } else {
      s->gap[3 * i + 1] = s->gap[3 * i + 2] = 0;
    }
  }
  for (int i = 0; i < s->n; i++) {
    most = is_fixed(s, i) ? most : fmax(most, fabs(s->gap[i]));
  }
  return most;
}

/* dH a for a contact, or inv(dH) a. */
static void apply_dH(const pki_ipm *s, int i, double sign, double *a)
{
  const double *v = s->v + 3 * i, mu = s->p->mu[i];
  if (s->derivative) {
    const double part = s->sparse ? 0.6 : 1; /* measured on heaps: in full it makes many steps short */
    const double size = sqrt(v[1] * v[1] + v[2] * v[2] + s->round * s->round);
    a[0] -= sign * part * mu * (v[1] * a[1] + v[2] * a[2]) / size;
  }
}

void pki_ipm_cone(const pki_ipm *s, int i, bool inverse, double a[3])
{
  const double mu = inverse ? 1 / s->p->mu[i] : s->p->mu[i], sign = inverse ? -1 : 1;
  if (inverse) {
    apply_dH(s, i, -1, a);
  }
  a[0] *= mu;
  pki_cone_scale(s->w + 3 * i, s->beta[i], sign, a, a);
  pki_cone_scale(s->w + 3 * i, s->beta[i], sign, a, a);
  a[0] *= mu;
  if (!inverse) {
    apply_dH(s, i, 1, a);
  }
}

static void scale_contact(pki_ipm *s, int i)
{
  double x[3], y[3];
  scale_to_cone(s->p->mu[i], s->r + 3 * i, s->v + 3 * i, x, y);
  const double sx = sqrt(fmax(pki_cone_gap(x), 1e-300)), sy = sqrt(fmax(pki_cone_gap(y), 1e-300));
  const double dot = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (sx * sy), gamma = sqrt(0.5 * (1 + dot));
  double *w = s->w + 3 * i;
  w[1] = (y[1] / sy - x[1] / sx) / (2 * gamma);
  w[2] = (y[2] / sy - x[2] / sx) / (2 * gamma);
  w[0] = sqrt(1 + w[1] * w[1] + w[2] * w[2]);
  s->beta[i] = sqrt(sy / sx);
  pki_cone_scale(w, s->beta[i], 1, x, s->l + 3 * i);
}

/* C = dH E G^2 E, and boxes' a/(r - lower) + b/(upper - r). */
static void fill_blocks(pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  const int first = 3 * p->ncontact;
  memset(s->C, 0, 9 * (size_t)(s->n - 2 * p->ncontact) * sizeof *s->C);
  for (int i = 0; i < p->ncontact; i++) {
    const double mu = p->mu[i];
    double *C = s->C + 9 * (size_t)i;
    C[0] = mu > 0 ? 0 : s->v[3 * i] / s->r[3 * i];
    for (int k = 0; mu > 0 && k < 3; k++) {
      double a[3] = {k == 0, k == 1, k == 2};
      pki_ipm_cone(s, i, false, a);
      for (int e = 0; e < 3; e++) {
        C[3 * e + k] = a[e];
      }
    }
  }
  for (int i = first; i < s->n; i++) {
    double *C = s->C + 9 * (size_t)(i - 2 * p->ncontact);
    C[0] += has_lower(s, i) && !is_fixed(s, i) ? s->v[i] / (s->r[i] - s->lower[i]) : 0;
    C[0] += has_upper(s, i) && !is_fixed(s, i) ? s->b[i] / (s->upper[i] - s->r[i]) : 0;
  }
}

/* The step for the target tau and the second-order terms: c of contacts (in scaled space) and of lower bounds,
 * cb of upper bounds. */
static void find_direction(pki_ipm *s, double tau, const double *c, const double *cb)
{
  const pk_contact_problem *p = s->p;
  const int n = s->n, first = 3 * p->ncontact;
  for (int i = 0; i < p->ncontact; i++) {
    const double mu = p->mu[i], *l = s->l + 3 * i;
    double *g = s->g + 3 * i, *dr = s->dr + 3 * i;
    if (mu > 0) {
      double b[3], a[3];
      pki_jordan_product(l, l, b);
      b[0] = tau - b[0] - c[3 * i], b[1] = -b[1] - c[3 * i + 1], b[2] = -b[2] - c[3 * i + 2];
      pki_jordan_divide(l, b, g);
      pki_cone_scale(s->w + 3 * i, s->beta[i], 1, g, a);
      a[0] *= mu;
      apply_dH(s, i, 1, a);
      for (int e = 0; e < 3; e++) {
        dr[e] = s->gap[3 * i + e] + a[e];
      }
    } else {
      g[0] = (tau - s->r[3 * i] * s->v[3 * i] - c[3 * i]) / s->r[3 * i];
      dr[0] = s->gap[3 * i] + g[0], dr[1] = -s->r[3 * i + 1], dr[2] = -s->r[3 * i + 2];
    }
  }
  for (int i = first; i < n; i++) {
    s->dr[i] = is_fixed(s, i) ? s->lower[i] - s->r[i] : s->gap[i];
    if (!is_fixed(s, i)) {
      s->dr[i] += has_lower(s, i) ? (tau - c[i]) / (s->r[i] - s->lower[i]) - s->v[i] : 0;
      s->dr[i] -= has_upper(s, i) ? (tau - cb[i]) / (s->upper[i] - s->r[i]) - s->b[i] : 0;
    }
  }
  pki_ipm_solve(s, s->dr);
  for (int i = 0; i < p->ncontact; i++) {
    const double mu = p->mu[i], *w = s->w + 3 * i, *dr = s->dr + 3 * i;
    double *dv = s->dv + 3 * i;
    if (mu > 0) {
      double a[3] = {mu * dr[0], dr[1], dr[2]};
      pki_cone_scale(w, s->beta[i], 1, a, a);
      for (int e = 0; e < 3; e++) {
        a[e] = s->g[3 * i + e] - a[e];
      }
      pki_cone_scale(w, s->beta[i], 1, a, dv);
      dv[0] *= mu;
    } else {
      dv[0] = s->g[3 * i] - s->v[3 * i] / s->r[3 * i] * dr[0], dv[1] = dv[2] = 0;
    }
  }
  for (int i = first; i < n; i++) {
    s->dv[i] = has_lower(s, i) && !is_fixed(s, i)
                   ? (tau - c[i] - s->v[i] * s->dr[i]) / (s->r[i] - s->lower[i]) - s->v[i]
                   : 0;
    s->db[i] = has_upper(s, i) && !is_fixed(s, i)
                   ? (tau - cb[i] + s->b[i] * s->dr[i]) / (s->upper[i] - s->r[i]) - s->b[i]
                   : 0;
  }
}

static double reach_of(double x, double dx)
{
  return dx < 0 ? -x / dx : 1e30;
}

/* The longest step that stays inside. */
static double longest_interior_step(const pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  double most = 1e30;
  for (int i = 0; i < p->ncontact; i++) {
    double x[3], y[3], dx[3], dy[3];
    if (p->mu[i] > 0) {
      scale_to_cone(p->mu[i], s->r + 3 * i, s->v + 3 * i, x, y);
      scale_to_cone(p->mu[i], s->dr + 3 * i, s->dv + 3 * i, dx, dy);
      most = fmin(most, fmin(pki_cone_reach(x, dx), pki_cone_reach(y, dy)));
    } else {
      most = fmin(most, fmin(reach_of(s->r[3 * i], s->dr[3 * i]), reach_of(s->v[3 * i], s->dv[3 * i])));
    }
  }
  for (int i = 3 * p->ncontact; i < s->n; i++) {
    if (is_fixed(s, i)) {
      continue;
    }
    if (has_lower(s, i)) {
      most = fmin(most, fmin(reach_of(s->r[i] - s->lower[i], s->dr[i]), reach_of(s->v[i], s->dv[i])));
    }
    if (has_upper(s, i)) {
      most = fmin(most, fmin(reach_of(s->upper[i] - s->r[i], -s->dr[i]), reach_of(s->b[i], s->db[i])));
    }
  }
  return most;
}

/* Mehrotra's second-order terms of the step at hand: c of contacts and lower bounds, rhs of upper. */
static void second_order(pki_ipm *s)
{
  const pk_contact_problem *p = s->p;
  for (int i = 0; i < p->ncontact; i++) {
    const double mu = p->mu[i], *dr = s->dr + 3 * i;
    double *c = s->c + 3 * i;
    if (mu > 0) {
      double a[3] = {mu * dr[0], dr[1], dr[2]}, b[3];
      pki_cone_scale(s->w + 3 * i, s->beta[i], 1, a, a);
      for (int e = 0; e < 3; e++) {
        b[e] = s->g[3 * i + e] - a[e];
      }
      pki_jordan_product(a, b, c);
    } else {
      c[0] = dr[0] * s->dv[3 * i], c[1] = c[2] = 0;
    }
  }
  for (int i = 3 * p->ncontact; i < s->n; i++) {
    s->c[i] = s->dr[i] * s->dv[i];
    s->rhs[i] = -s->dr[i] * s->db[i];
  }
}

/* One step; returns its length, 0 when there is none. Where the equations are further from
 * holding than the complementarity, that waits for them: the target of tau stays near the gap. */
static double interior_point_step(pki_ipm *s, double gap)
{
  static const double rounding = 1e-13; /* a gap of this size cannot get smaller */
  const pk_contact_problem *p = s->p;
  const size_t bytes = (size_t)s->n * sizeof *s->c;
  for (int i = 0; i < p->ncontact; i++) {
    if (p->mu[i] > 0) {
      scale_contact(s, i);
    }
  }
  fill_blocks(s);
  if (!pki_ipm_factor(s)) {
    return 0;
  }
  const double open = fmax(gap - rounding, 0);
  memset(s->c, 0, bytes);
  memset(s->rhs, 0, bytes);
  find_direction(s, 0, s->c, s->rhs);
  const double left = 1 - fmin(longest_interior_step(s), 1);
  second_order(s);
  find_direction(s, fmax(fmax(left * left * left, 1e-4) * s->tau, fmin(s->tau, 0.03 * open)), s->c, s->rhs);
  double length = fmin(1, fmin(fmax(0.9, 1 - s->tau), 0.99) * longest_interior_step(s));
  if (length < 0.3) { /* too near a wall: back to the middle */
    memset(s->c, 0, bytes);
    memset(s->rhs, 0, bytes);
    find_direction(s, fmax(s->tau, open), s->c, s->rhs);
    length = fmin(1, 0.9 * longest_interior_step(s));
  }
  for (int i = 0; i < s->n; i++) {
    s->r[i] += length * s->dr[i];
    s->v[i] += length * s->dv[i];
    s->b[i] += i >= 3 * p->ncontact ? length * s->db[i] : 0;
  }
  return length;
}

/* Which dH the next step takes; `since` counts steps with the one at hand. */
static void choose_derivative(pki_ipm *s, double before, double after, double length, int *since)
{
  const bool slow = !s->derivative && *since >= 4 && after > 0.3 * before;
  const bool stuck = s->derivative && length < 0.1;
  s->derivative = slow || (s->derivative && !stuck);
  *since = slow || stuck ? 0 : *since + 1;
}

/* The largest of |x_T| and x_N, so that x lies in the second-order cone, and `shift` more. */
static double height_inside_cone(const double *x, double shift)
{
  return fmax(x[0], pki_cone_length(x[1], x[2])) + shift;
}

/* Begin at the guess r, moved into the cones by `shift`: x = x_guess + shift e, y = y_guess + shift e. */
static void begin_at_guess(pki_ipm *s, const double *guess, double shift)
{
  const pk_contact_problem *p = s->p;
  const int first = 3 * p->ncontact, boxes = first + p->nbilateral;
  for (int i = 0; i < s->n; i++) {
    s->r[i] = is_fixed(s, i) ? s->lower[i] : guess[i] / s->unit;
  }
  pki_ipm_velocity(s);
  for (int i = 0; i < p->ncontact; i++) {
    double *r = s->r + 3 * i, *v = s->v + 3 * i, x[3], y[3];
    const double *u = s->u + 3 * i, mu = p->mu[i];
    if (mu > 0) {
      const double saxce[3] = {u[0] + mu * pki_cone_length(u[1], u[2]), u[1], u[2]};
      scale_to_cone(mu, r, saxce, x, y);
      r[0] = height_inside_cone(x, shift) / mu;
      v[0] = height_inside_cone(y, shift) * mu, v[1] = u[1], v[2] = u[2];
    } else {
      r[0] = fmax(r[0], 0) + shift, v[0] = fmax(u[0], 0) + shift;
      r[1] = r[2] = v[1] = v[2] = 0;
    }
  }
  for (int i = boxes; i < s->n; i++) {
    if (is_fixed(s, i)) {
      continue;
    }
    const double room = fmin(shift, 0.5 * (s->upper[i] - s->lower[i]));
    s->r[i] = fmin(fmax(s->r[i], s->lower[i] + room), s->upper[i] - room);
    s->v[i] = has_lower(s, i) ? fmax(s->u[i], 0) + shift : 0;
    s->b[i] = has_upper(s, i) ? fmax(-s->u[i], 0) + shift : 0;
  }
}

const pki_ipm_start pki_ipm_starts[PKI_IPM_STARTS] = {
    /* Measured on problems that active sets and the second of these do not solve: the first alone solves 49 % of
     * them; see docs/theory/contact.md. */
    {.shift = 1, .rounding = 0.01},
    {.shift = 0, .rounding = 0.1},
};

enum {
  PATH_STEPS = 60,     /* a path that is not at its end by then has turned back */
  PATIENCE = 6,        /* steps without halving max(gap, tau): paths that turned back did not recover */
  CROSSOVER_STEPS = 3, /* of active sets from an interior point */
};
/* max(gap, tau), of the size of |q|, at which the active set can be read off first, and what it falls by until the next
 * time. */
static const double crossover_first = 1e-3, crossover_factor = 1e-2;

/* r of the point is the nearest to the end of the path so far. */
static void keep_point(pki_ipm *s)
{
  memcpy(s->kept, s->r, (size_t)s->n * sizeof *s->r);
}

/* The residual of the interior point itself. */
static void evaluate_point(pki_ipm *s, pki_solve *run)
{
  for (int i = 0; i < s->n; i++) {
    s->dense->r[i] = s->r[i] * s->unit;
  }
  pki_scaled_velocity(s->dense);
  pki_scaled_check(s->dense, run);
}

bool pki_ipm_run(pki_solve *run, pki_scaled *z, pki_active_set *a, const pki_ipm_start *start,
                 const double *guess)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_ipm s = pki_ipm_take(&run->arena, run->p, z);
  for (size_t i = (size_t)s.n; i < z->stride; i++) {
    s.r[i] = 0; /* padding */
  }
  s.rounding = start->rounding;
  begin_in_the_middle(&s);
  if (start->shift > 0) {
    begin_at_guess(&s, guess, start->shift);
  }
  double gap = measure_gap(&s), far = fmax(gap, s.tau), length = 1, halved = far, cross = crossover_first;
  double least = far;
  int since = 0, idle = 0;
  bool stop = false;
  keep_point(&s);
  for (int k = 1; k <= PATH_STEPS && !stop && idle < PATIENCE && length > 1e-10; k++) {
    length = interior_point_step(&s, gap);
    run->iterations++;
    gap = measure_gap(&s);
    const double now = fmax(gap, s.tau);
    if (!isfinite(now)) {
      break;
    }
    choose_derivative(&s, far, now, length, &since);
    far = now;
    if (now < least) {
      least = now;
      keep_point(&s);
    }
    idle = now <= 0.5 * halved ? 0 : idle + 1;
    halved = idle == 0 ? now : halved;
    if (now < cross || (s.tau < 1e-6 && gap < 1e-4) || run->iterations >= run->limit) {
      evaluate_point(&s, run);
    }
    if (now < cross && !pki_solve_over(run)) {
      pki_active_set_run(a, z, run, CROSSOVER_STEPS, pki_active_set_crossover);
      cross = now * crossover_factor;
    }
    stop = pki_solve_over(run);
  }
  if (!pki_solve_done(
          run)) { /* a path that turned back may leave something better than the stages before it */
    memcpy(s.r, s.kept, (size_t)s.n * sizeof *s.r);
    evaluate_point(&s, run);
    stop = pki_solve_over(run);
  }
  pki_arena_release(&run->arena, mark);
  return stop;
}

static void solve_ipm(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_scaled z = pki_scaled_take(&run->arena, run->p);
  pki_active_set a = pki_active_set_take(&run->arena, run->p);
  double *guess = pki_arena_take(&run->arena, (size_t)z.n, sizeof(double));
  pki_scaled_begin(&z, run);
  z.symmetric = pki_scaled_is_symmetric(&z);
  memcpy(guess, z.r, (size_t)z.n * sizeof *guess);
  bool stop = false;
  for (int k = 0; k < PKI_IPM_STARTS && !stop; k++) {
    stop = pki_ipm_run(run, &z, &a, &pki_ipm_starts[k], guess);
  }
  pki_arena_release(&run->arena, mark);
}

/* The residual of the scaled impulses r [n]; true when the run must stop. */
static bool evaluate_velocity_point(pki_solve *run, const pki_ipm *s, const double *r)
{
  for (int i = 0; i < s->n; i++) {
    run->r[i] = r[i] * s->d[i] * s->unit;
  }
  return pki_solve_check(run);
}

static void solve_ipm_velocity(pki_solve *run)
{
  const size_t mark = pki_arena_mark(&run->arena);
  pki_ipm s = pki_ipm_take(&run->arena, run->p, NULL);
  if (!pki_ipm_prepare(&s)) {
    run->limit = run->iterations;
    pki_arena_release(&run->arena, mark);
    return;
  }
  s.rounding = 1;
  begin_in_the_middle(&s);
  s.elimination.timer = run->timer;
  enum { IDLE = 5 };
  double least = INFINITY;
  int idle = 0;
  double gap = measure_gap(&s), far = fmax(gap, s.tau), length = 1, shortest = far;
  int since = 0;
  keep_point(&s);
  for (bool stop = false; !stop && length > 1e-10;) {
    length = interior_point_step(&s, gap);
    run->iterations++;
    gap = measure_gap(&s);
    const double now = fmax(gap, s.tau);
    choose_derivative(&s, far, now, length, &since);
    far = now;
    stop = pki_solve_exhausted(run) || !isfinite(gap) || !isfinite(s.tau);
    if (now < shortest) {
      shortest = now;
      keep_point(&s);
    }
    if (isfinite(now) && ((s.tau < 1e-6 && gap < 1e-4) || stop)) {
      stop |= evaluate_velocity_point(run, &s, s.r);
      /* rounding ends the path early: the rows of C span more and more */
      idle = run->now_at > 0.8 * least ? idle + 1 : 0;
      least = fmin(least, run->now_at);
      stop |= idle >= IDLE;
    }
  }
  if (!pki_solve_done(run)) {
    evaluate_velocity_point(run, &s, s.kept);
  }
  run->fresh = false;
  pki_arena_release(&run->arena, mark);
}

static void reserve_ipm(pki_arena *arena, const pk_contact_problem *p)
{
  pki_scaled z = pki_scaled_take(arena, p);
  pki_active_set_take(arena, p);
  pki_arena_take(arena, (size_t)z.n, sizeof(double));
  pki_ipm_take(arena, p, &z);
}

static void reserve_ipm_velocity(pki_arena *arena, const pk_contact_problem *p)
{
  pki_ipm_take(arena, p, NULL);
}

const pki_solver_row pki_solver_ipm = {.name = "ipm",
                                       .doc = "interior points, for many contacts of few bodies",
                                       .solve = solve_ipm,
                                       .reserve = reserve_ipm,
                                       .reads_W = true,
                                       .velocity_form = PK_SOLVER_IPM_VELOCITY};

const pki_solver_row pki_solver_ipm_velocity = {.name = "ipm-u",
                                                .doc = "ipm in velocities, from the factors of W",
                                                .solve = solve_ipm_velocity,
                                                .reserve = reserve_ipm_velocity,
                                                .reads_factor = true};
