/* Cone programs on lanes: Newton's method on the natural map, and the proximal point method around it (cone_program.h has the
 * equations). */
#include "control/cone_work.h"
#include "control/kernels/cone_block.h"
#include "control/kernels/cone_declare.h"
#include "control/kernels/cone_dense.h"

enum {
  MOST_ROUNDS = 40,  /* of Newton's method */
  MOST_CUTS = 25,    /* of one step */
  MOST_CENTRES = 100 /* of the proximal point method */
};

static const double least_q = 1e-14; /* below, an axis has no room to move in */

/* A program in scaled numbers y = root x. */
typedef struct cone_work {
  int n, boxes, cones;
  size_t pitch;
  pk_r *H, *A; /* [n][pitch] */
  pk_r *root, *g, *y, *G, *R, *d, *Hd, *q, *inverse, *centre;
  pk_r *lower, *upper, *mu, *limit;
  pk_r *tangent[2], *c, *s; /* axes of dP in each cone */
  pk_r bound;               /* not less than the largest eigenvalue of H */
  pk_r rho, step;           /* of the proximal term; c of the envelope */
  pk_r rounds;
  double aim; /* rounds end at this residual */
} cone_work;

static pk_r *carve(pk_r **at, size_t count)
{
  pk_r *const taken = *at;
  *at += count;
  return taken;
}

static cone_work lay_out(const pki_cone_program *p, void *memory)
{
  const int n = p->boxes + 3 * p->cones;
  const size_t pitch = pki_cone_pitch(n), boxes = pki_cone_pitch(p->boxes), cones = pki_cone_pitch(p->cones);
  cone_work w = {.n = n, .boxes = p->boxes, .cones = p->cones, .pitch = pitch};
  w.aim = 0.01 * (p->accuracy > 0 ? p->accuracy : PKI_CONE_PROGRAM_ACCURACY);
  pk_r *at = memory;
  w.H = carve(&at, (size_t)n * pitch), w.A = carve(&at, (size_t)n * pitch);
  pk_r **const vectors[PKI_CONE_VECTORS] = {&w.root, &w.g,  &w.y, &w.G,       &w.R,
                                            &w.d,    &w.Hd, &w.q, &w.inverse, &w.centre};
  for (int k = 0; k < PKI_CONE_VECTORS; k++) {
    *vectors[k] = carve(&at, pitch);
  }
  w.lower = carve(&at, boxes), w.upper = carve(&at, boxes);
  pk_r **const shapes[PKI_CONE_SHAPES + PKI_CONE_AXES] = {&w.mu,         &w.limit, &w.tangent[0],
                                                          &w.tangent[1], &w.c,     &w.s};
  for (int k = 0; k < PKI_CONE_SHAPES + PKI_CONE_AXES; k++) {
    *shapes[k] = carve(&at, cones);
  }
  return w;
}

/* y = root x: root [n] from the diagonal of H, the same for the three numbers of a force. */
static void find_scales(cone_work *w, const pk_r *H)
{
  for (int i = 0; i < w->boxes; i++) {
    w->root[i] = pki_sqrt(H[(size_t)i * (size_t)w->n + (size_t)i]);
  }
  for (int i = w->boxes; i < w->n; i += 3) {
    const size_t n = (size_t)w->n, at = (size_t)i * n + (size_t)i;
    const pk_r most = pki_max(pki_max(H[at], H[at + n + 1]), H[at + 2 * n + 2]);
    w->root[i] = w->root[i + 1] = w->root[i + 2] = pki_sqrt(most);
  }
}

/* The scaled program, H whole, and the sum of its largest row. */
static void scale_program(cone_work *w, const pki_cone_program *p)
{
  const int n = w->n;
  const pk_r *const H = (const pk_r *)(const void *)p->H, *const g = (const pk_r *)(const void *)p->g;
  pk_r *const inverse = w->inverse, *const sums = w->d;
  find_scales(w, H);
  for (int i = 0; i < n; i++) {
    inverse[i] = 1.0 / w->root[i];
    w->g[i] = g[i] * inverse[i];
    sums[i] = pki_splat(0);
  }
  for (int i = 0; i < n; i++) {
    const pk_r *restrict from = H + (size_t)i * (size_t)n;
    pk_r *restrict to = w->H + (size_t)i * w->pitch;
    pk_r sum = sums[i];
    for (int k = i; k < n; k++) {
      to[k] = from[k] * inverse[i] * inverse[k];
    }
    for (int k = i; k < n; k++) {
      w->H[(size_t)k * w->pitch + (size_t)i] = to[k];
      sum += pki_abs(to[k]);
      sums[k] += pki_abs(to[k]);
    }
    w->bound = i > 0 ? pki_max(w->bound, sum) : sum;
  }
  const pk_r *const lower = (const pk_r *)(const void *)p->lower, *const upper =
                                                                      (const pk_r *)(const void *)p->upper;
  for (int i = 0; i < w->boxes; i++) {
    w->lower[i] = lower[i] * w->root[i], w->upper[i] = upper[i] * w->root[i];
  }
  const pk_r *const mu = (const pk_r *)(const void *)p->friction, *const limit =
                                                                      (const pk_r *)(const void *)p->limit;
  for (int i = 0; i < w->cones; i++) {
    w->mu[i] = mu[i], w->limit[i] = limit[i] * w->root[w->boxes + 3 * i];
  }
}

/* G = H y + g + rho (y - centre) */
static void find_slopes(cone_work *w)
{
  pki_cone_multiply(w->H, w->n, w->pitch, w->y, w->G);
  for (int i = 0; i < w->n; i++) {
    w->G[i] = w->G[i] + w->g[i] + w->rho * (w->y[i] - w->centre[i]);
  }
}

/* How large R is, and what it is compared with. */
typedef struct cone_size {
  pk_r most, scale, square;
} cone_size;

PKI_INLINE void add_size(const cone_work *w, int i, pk_r at, cone_size *size)
{
  const pk_r R = w->R[i];
  size->most = pki_max(size->most, pki_abs(R));
  size->scale = pki_max(size->scale, pki_max(pki_abs(at), pki_abs(w->g[i])));
  size->square += R * R;
}

/* R = y - P(z), z = y - step G, and the axes and eigenvalues of dP(z). */
static cone_size find_natural_map(cone_work *w)
{
  const pk_r *const y = w->y, *const G = w->G, c = w->step, zero = pki_splat(0);
  cone_size size = {zero, zero, zero};
  for (int i = 0; i < w->boxes; i++) {
    const pk_r z = y[i] - c * G[i], to = pki_clamp(z, w->lower[i], w->upper[i]);
    w->q[i] = pki_where_set(pki_less(w->lower[i], z) & pki_less(z, w->upper[i]), pki_splat(1));
    w->R[i] = y[i] - to;
    add_size(w, i, to, &size);
  }
  for (int k = 0; k < w->cones; k++) {
    const int i = w->boxes + 3 * k;
    const pki_v3 z = {y[i] - c * G[i], y[i + 1] - c * G[i + 1], y[i + 2] - c * G[i + 2]};
    pki_cone_slope slope;
    const pki_v3 to = pki_cone_project_slope(w->mu[k], w->limit[k], z, &slope);
    w->tangent[0][k] = slope.t[0], w->tangent[1][k] = slope.t[1], w->c[k] = slope.c, w->s[k] = slope.s;
    w->q[i] = slope.q.x, w->q[i + 1] = slope.q.y, w->q[i + 2] = slope.q.z;
    w->R[i] = y[i] - to.x, w->R[i + 1] = y[i + 1] - to.y, w->R[i + 2] = y[i + 2] - to.z;
    add_size(w, i, to.x, &size);
    add_size(w, i + 1, to.y, &size);
    add_size(w, i + 2, to.z, &size);
  }
  return size;
}

/* Where R is at most `accuracy` of the numbers. R at step 1, which the judge takes, is not more than R/step. */
PKI_INLINE pk_i is_solved(const cone_work *w, const cone_size *size, double accuracy)
{
  return pki_at_most(size->most, accuracy * w->step * size->scale);
}

/* Axes of cone k: out = B' v. */
PKI_INLINE pki_v3 to_axes(const cone_work *w, int k, pki_v3 v)
{
  const pk_r c = w->c[k], s = w->s[k], t0 = w->tangent[0][k], t1 = w->tangent[1][k];
  const pk_r along = t0 * v.y + t1 * v.z;
  return (pki_v3){c * v.x + s * along, c * along - s * v.x, t0 * v.z - t1 * v.y};
}

/* out = B v */
PKI_INLINE pki_v3 from_axes(const cone_work *w, int k, pki_v3 v)
{
  const pk_r c = w->c[k], s = w->s[k], t0 = w->tangent[0][k], t1 = w->tangent[1][k];
  const pk_r along = s * v.x + c * v.y;
  return (pki_v3){c * v.x - s * v.y, t0 * along - t1 * v.z, t1 * along + t0 * v.z};
}

/* A = B' H B, upper triangle; rows first. */
static void turn_matrix(cone_work *w)
{
  const int n = w->n;
  for (int i = 0; i < n; i++) {
    memcpy(w->A + (size_t)i * w->pitch, w->H + (size_t)i * w->pitch, (size_t)n * sizeof(pk_r));
  }
  for (int k = 0; k < w->cones; k++) {
    const int at = w->boxes + 3 * k;
    pk_r *restrict r0 = w->A + (size_t)at * w->pitch, *restrict r1 = r0 + w->pitch,
                   *restrict r2 = r1 + w->pitch;
    for (int j = at; j < n; j++) {
      const pki_v3 to = to_axes(w, k, (pki_v3){r0[j], r1[j], r2[j]});
      r0[j] = to.x, r1[j] = to.y, r2[j] = to.z;
    }
    for (int j = 0; j < at + 3; j++) {
      pk_r *row = w->A + (size_t)j * w->pitch + at;
      pki_v3_store(to_axes(w, k, pki_v3_load(row)), row);
    }
  }
}

/* v := B' v and v := B v of all cones. */
static void turn_to_axes(const cone_work *w, pk_r *v)
{
  for (int k = 0; k < w->cones; k++) {
    pk_r *const at = v + w->boxes + 3 * k;
    pki_v3_store(to_axes(w, k, pki_v3_load(at)), at);
  }
}

static void turn_from_axes(const cone_work *w, pk_r *v)
{
  for (int k = 0; k < w->cones; k++) {
    pk_r *const at = v + w->boxes + 3 * k;
    pki_v3_store(from_axes(w, k, pki_v3_load(at)), at);
  }
}

/* d: the right side of Newton's step in the axes of dP. What is fixed moves by -R; its part of H d goes to the right side of the
 * free rows. */
static void find_right_side(cone_work *w)
{
  const int n = w->n;
  const pk_r *const q = w->q, zero = pki_splat(0), one = pki_splat(1), least = pki_splat(least_q);
  pk_r *const d = w->d, *const fixed = w->Hd, *const moved = w->inverse;
  for (int i = 0; i < n; i++) {
    d[i] = -w->R[i];
  }
  turn_to_axes(w, d);
  for (int i = 0; i < n; i++) {
    fixed[i] = pki_select(pki_less(least, q[i]), zero, d[i]);
  }
  turn_from_axes(w, fixed);
  pki_cone_multiply(w->H, n, w->pitch, fixed, moved);
  turn_to_axes(w, moved);
  for (int i = 0; i < n; i++) {
    const pk_i here = pki_less(least, q[i]);
    d[i] = pki_select(here, d[i] / (w->step * pki_select(here, q[i], one)) - moved[i], d[i]);
  }
}

/* The step d of Newton's method, and H d with the proximal term; find_natural_map has been. */
static void find_newton_step(cone_work *w)
{
  const int n = w->n;
  const pk_r *const q = w->q, one = pki_splat(1), least = pki_splat(least_q);
  find_right_side(w);
  turn_matrix(w);
  for (int i = 0; i < n; i++) {
    pk_r *const row = w->A + (size_t)i * w->pitch;
    const pk_i here = pki_less(least, q[i]);
    const pk_r own = row[i] + w->rho + (1.0 - q[i]) / (w->step * pki_select(here, q[i], one));
    for (int k = i + 1; k < n; k++) {
      row[k] = pki_where_set(here & pki_less(least, q[k]), row[k]);
    }
    row[i] = pki_select(here, own, one);
  }
  pki_cone_factor(w->A, n, w->pitch, w->inverse);
  pki_cone_substitute(w->A, n, w->pitch, w->inverse, w->d);
  turn_from_axes(w, w->d);
  pki_cone_multiply(w->H, n, w->pitch, w->d, w->Hd);
  for (int i = 0; i < n; i++) {
    w->Hd[i] = w->Hd[i] + w->rho * w->d[i];
  }
}

/* The slope of the envelope along d, times step, at y + t d; and |R|^2 there. */
static pk_r find_line_slope(const cone_work *w, pk_r t, pk_r *square)
{
  const pk_r *const y = w->y, *const G = w->G, *const d = w->d, *const Hd = w->Hd, c = w->step;
  pk_r slope = pki_splat(0), sum = pki_splat(0);
  for (int i = 0; i < w->boxes; i++) {
    const pk_r at = y[i] + t * d[i], z = at - c * (G[i] + t * Hd[i]);
    const pk_r R = at - pki_clamp(z, w->lower[i], w->upper[i]);
    slope += R * (d[i] - c * Hd[i]);
    sum += R * R;
  }
  for (int k = 0; k < w->cones; k++) {
    const int i = w->boxes + 3 * k;
    const pki_v3 at = pki_add_scaled(pki_v3_load(y + i), t, pki_v3_load(d + i));
    const pki_v3 grad = pki_add_scaled(pki_v3_load(G + i), t, pki_v3_load(Hd + i));
    const pki_v3 to = pki_cone_project_slope(w->mu[k], w->limit[k], pki_add_scaled(at, -c, grad), NULL);
    const pki_v3 R = pki_sub(at, to);
    slope += pki_dot(R, pki_add_scaled(pki_v3_load(d + i), -c, pki_v3_load(Hd + i)));
    sum += pki_dot(R, R);
  }
  *square = sum;
  return slope;
}

/* How far to go along d: the whole step, where it ends before the slope has risen above zero or makes R small; else a point
 * below the minimum of the envelope on the line, between secants. */
static pk_r find_step_length(const cone_work *w, pk_i busy, pk_r square)
{
  pk_r there, t = pki_splat(1), low = pki_splat(0), high = t, unused;
  pk_r low_slope = find_line_slope(w, low, &unused), high_slope = find_line_slope(w, high, &there);
  const pk_r first = pki_abs(low_slope);
  pk_i left = busy & pki_less(0.01 * first, high_slope) & pki_less(0.25 * square, there);
  const pk_i cut = left;
  for (int k = 0; k < MOST_CUTS && pki_any(left); k++) {
    const pk_r width = high - low, part = -low_slope / (high_slope - low_slope);
    const pk_r at = low + width * pki_clamp(part, pki_splat(0.1), pki_splat(0.9));
    const pk_r slope = find_line_slope(w, at, &unused);
    const pk_i under = pki_at_most(slope, pki_splat(0));
    low = pki_select(left & under, at, low), low_slope = pki_select(left & under, slope, low_slope);
    high = pki_select(left & ~under, at, high), high_slope = pki_select(left & ~under, slope, high_slope);
    left &= ~(under & pki_at_most(-slope, 0.3 * first));
  }
  t = pki_select(cut, pki_select(pki_less(pki_splat(0), low), low, high), t);
  return t;
}

/* Newton's rounds in busy lanes, from y; R is that of y after it. Returns the lanes that have not reached w->aim. */
static pk_i run_rounds(cone_work *w, pk_i busy)
{
  w->step = 0.95 / (w->bound + w->rho);
  for (int round = 0;; round++) {
    find_slopes(w);
    const cone_size size = find_natural_map(w);
    busy &= ~is_solved(w, &size, w->aim);
    if (round == MOST_ROUNDS || !pki_any(busy)) {
      return busy;
    }
    find_newton_step(w);
    const pk_r t = find_step_length(w, busy, size.square);
    for (int i = 0; i < w->n; i++) {
      w->y[i] = pki_select(busy, w->y[i] + t * w->d[i], w->y[i]);
    }
    w->rounds += pki_where_set(busy, pki_splat(1));
  }
}

/* y := P(z) in lanes of the mask. */
static void take_nearest(cone_work *w, pk_i mask)
{
  for (int i = 0; i < w->n; i++) {
    w->y[i] = pki_select(mask, w->y[i] - w->R[i], w->y[i]);
  }
}

/* The proximal point method in lanes that Newton's rounds have left. */
static void run_proximal(cone_work *w, pk_i busy)
{
  const pk_r zero = pki_splat(0), all = w->bound;
  pk_r rho = 1e-2 * all;
  take_nearest(w, busy);
  for (int i = 0; i < w->n; i++) {
    w->centre[i] = w->y[i];
  }
  for (int k = 0; k < MOST_CENTRES && pki_any(busy); k++) {
    w->rho = rho;
    const pk_i failed = run_rounds(w, busy), good = busy & ~failed;
    take_nearest(w, good);
    for (int i = 0; i < w->n; i++) {
      w->centre[i] = pki_select(good, w->y[i], w->centre[i]);
      w->y[i] = pki_select(failed, w->centre[i], w->y[i]);
    }
    rho = pki_select(failed, pki_min(10.0 * rho, all), pki_max(0.1 * rho, 1e-12 * all));
    w->rho = zero;
    w->step = 0.95 / w->bound;
    find_slopes(w);
    const cone_size size = find_natural_map(w);
    busy &= ~is_solved(w, &size, w->aim);
  }
}

/* The free minimum -inv(H) g in lanes of the mask. */
static void take_free_minimum(cone_work *w, pk_i mask)
{
  for (int i = 0; i < w->n; i++) {
    memcpy(w->A + (size_t)i * w->pitch, w->H + (size_t)i * w->pitch, (size_t)w->n * sizeof(pk_r));
    w->d[i] = -w->g[i];
  }
  pki_cone_factor(w->A, w->n, w->pitch, w->inverse);
  pki_cone_substitute(w->A, w->n, w->pitch, w->inverse, w->d);
  for (int i = 0; i < w->n; i++) {
    w->y[i] = pki_select(mask, w->d[i], w->y[i]);
  }
  w->rounds += pki_where_set(mask, pki_splat(1));
}

/* x = P(z) in the program's own numbers, in its bounds to the bit. */
static void give_back(const cone_work *w, const pki_cone_program *p, pk_r *x)
{
  const pk_r *const lower = (const pk_r *)(const void *)p->lower,
                    *const upper = (const pk_r *)(const void *)p->upper,
                    *const limit = (const pk_r *)(const void *)p->limit;
  for (int i = 0; i < w->n; i++) {
    x[i] = (w->y[i] - w->R[i]) / w->root[i];
  }
  for (int i = 0; i < w->boxes; i++) {
    x[i] = pki_clamp(x[i], lower[i], upper[i]);
  }
  for (int k = 0; k < w->cones; k++) {
    pk_r *const f = x + w->boxes + 3 * k;
    pki_v3_store(pki_cone_project_slope(w->mu[k], limit[k], pki_v3_load(f), NULL), f);
  }
}

void PKI_NAME(cone_solve)(const pki_cone_program *p, const bool *warm, double *x, void *memory,
                          pki_cone_result *out)
{
  cone_work w = lay_out(p, memory);
  pk_r *const to = (pk_r *)(void *)x;
  pk_i cold = pki_mask_none();
  for (int l = 0; l < PKI_LANES; l++) {
    pki_set_mask(&cold, l, !warm[l]);
  }
  w.rho = w.rounds = pki_splat(0);
  scale_program(&w, p);
  for (int i = 0; i < w.n; i++) {
    w.y[i] = to[i] * w.root[i];
    w.centre[i] = pki_splat(0);
  }
  if (pki_any(cold)) {
    take_free_minimum(&w, cold);
  }
  const pk_i left = run_rounds(&w, pki_mask_all());
  if (pki_any(left)) {
    run_proximal(&w, left);
  }
  give_back(&w, p, to);
  for (int l = 0; l < PKI_LANES; l++) {
    out->residual[l] = pki_cone_program_residual(p, PKI_LANES, l, x);
    out->rounds[l] = (int)pki_lane(w.rounds, l);
    out->fallback[l] = pki_lane(pki_where_set(left, pki_splat(1)), l) > 0;
  }
}
