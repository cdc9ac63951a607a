/* Distance of two convex shapes: Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between
 * complex objects in three-dimensional space", IEEE J. Robotics and Automation 4, 1988.
 *
 * A simplex inside A - B walks to the origin. With v its nearest point to the origin and w = argmin over A - B of v'x,
 *
 *   v'w / |v|  <=  distance  <=  |v|
 *
 * and the walk ends when the bounds meet, when w is already a corner of the simplex, or when |v| falls no more. The
 * answer is the v with the narrowest bounds. On round shapes the walk gains a digit or less each step; once the bounds
 * are near each other support_newton.c finds the end, and proves it by the same bounds.
 *
 * The simplex has to be reduced without trusting determinants of thin simplices. The nearest point lies on a part that
 * has the newest corner; every such part onto whose inside the origin projects is a candidate, and the nearest
 * candidate is taken. Each is a point of A - B, so a candidate that rounding lets in or leaves out costs progress, never
 * correctness. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"

enum { STEPS = 128, IDLE = 8, LEAP = 3 };

static const double gap_relative = 1e-13; /* of the distance */
static const double gap_rounding = 2e-16; /* of the scale */
/* of the scale: nearer cores touch, v says nothing about the normal */
static const double touch_relative = 1e-12;

static void centre_of(const pki_convex *c, double out[3])
{
  double local[3] = {0};
  if (c->geometry != NULL) {
    memcpy(local, c->geometry->centre, sizeof local);
  } else {
    for (int i = 0; i < c->npoint; i++) {
      pki_along3(local, 1.0 / c->npoint, &c->points[3 * i], local);
    }
  }
  pki_mat3_apply(c->pose.rot, local, out);
}

void pki_difference_make(const pki_convex *a, const pki_convex *b, pki_difference *out)
{
  double ca[3], cb[3], between[3];
  centre_of(a, ca);
  centre_of(b, cb);
  pki_sub3(a->pose.pos, b->pose.pos, between);
  *out = (pki_difference){.a = *a, .b = *b, .hint = {-1, -1}};
  for (int k = 0; k < 3; k++) {
    out->a.pose.pos[k] = -ca[k];
    out->b.pose.pos[k] = -ca[k] - between[k];
    out->origin[k] = a->pose.pos[k] + ca[k];
    out->apart[k] = between[k] + ca[k] - cb[k];
  }
}

void pki_difference_support(pki_difference *d, const double along[3], pki_corner *out)
{
  const double back[3] = {-along[0], -along[1], -along[2]};
  out->piece[0] = d->hint[0] = pki_convex_piece(&d->a, along, d->hint[0], out->a);
  out->piece[1] = d->hint[1] = pki_convex_piece(&d->b, back, d->hint[1], out->b);
  pki_sub3(out->a, out->b, out->w);
}

/* ---- the simplex ---- */

typedef struct simplex {
  int n;
  pki_corner corner[4]; /* the newest last */
  double weight[4];     /* of the nearest point */
} simplex;

/* The best part found so far. */
typedef struct part {
  int n, corner[3]; /* rising */
  double weight[3], v[3], square;
} part;

static void offer_part(part *best, int n, const int corner[3], const double weight[3], const double v[3])
{
  const double square = pki_dot3(v, v);
  if (square < best->square) {
    best->n = n;
    best->square = square;
    memcpy(best->corner, corner, sizeof best->corner);
    memcpy(best->weight, weight, sizeof best->weight);
    memcpy(best->v, v, sizeof best->v);
  }
}

/* The segment from the newest corner p to q. */
static void offer_edge(const simplex *s, int p, int q, part *best)
{
  double e[3], v[3];
  pki_sub3(s->corner[q].w, s->corner[p].w, e);
  const double square = pki_dot3(e, e), t = -pki_dot3(s->corner[p].w, e);
  if (t > 0 && t < square) {
    pki_along3(s->corner[p].w, t / square, e, v);
    offer_part(best, 2, (int[3]){q, p, 0}, (double[3]){t / square, 1 - t / square, 0}, v);
  }
}

/* The triangle of the newest corner p, q and r. Its nearest point is along its normal, which keeps its direction however
 * near the origin is. */
static void offer_face(const simplex *s, int p, int q, int r, part *best)
{
  const double *const w = s->corner[p].w;
  double e[3], f[3], n[3], x[3], v[3] = {0};
  pki_sub3(s->corner[q].w, w, e);
  pki_sub3(s->corner[r].w, w, f);
  pki_cross3(e, f, n);
  const double square = pki_dot3(n, n);
  if (!(square > 0)) {
    return;
  }
  pki_cross3(f, w, x);
  const double along = pki_dot3(x, n);
  if (!(along > 0)) {
    return;
  }
  pki_cross3(w, e, x);
  const double tq = along / square, tr = pki_dot3(x, n) / square;
  if (tr > 0 && tq + tr < 1) {
    pki_along3(v, pki_dot3(w, n) / square, n, v);
    offer_part(best, 3, (int[3]){q, r, p}, (double[3]){tq, tr, 1 - tq - tr}, v);
  }
}

/* Whether the origin is inside the tetrahedron; weights then. */
static bool encloses_origin(simplex *s)
{
  for (int k = 0; k < 4; k++) {
    const double *const p = s->corner[(k + 1) % 4].w;
    double e[3], f[3], g[3], n[3];
    pki_sub3(s->corner[(k + 2) % 4].w, p, e);
    pki_sub3(s->corner[(k + 3) % 4].w, p, f);
    pki_sub3(s->corner[k].w, p, g);
    pki_cross3(e, f, n);
    const double whole = pki_dot3(n, g), share = -pki_dot3(n, p) / whole;
    if (!(share >= 0 && share <= 1)) {
      return false;
    }
    s->weight[k] = share;
  }
  return true;
}

/* The nearest point of the simplex to the origin; the simplex shrinks to the part that has it. True: the origin is
 * inside. */
static bool reduce_simplex(simplex *s, double v[3])
{
  if (s->n == 4 && encloses_origin(s)) {
    memset(v, 0, 3 * sizeof(double));
    return true;
  }
  const int p = s->n - 1;
  part best = {.n = 0, .square = INFINITY};
  offer_part(&best, 1, (int[3]){p, 0, 0}, (double[3]){1, 0, 0}, s->corner[p].w);
  for (int q = 0; q < p; q++) {
    offer_edge(s, p, q, &best);
    for (int r = q + 1; r < p; r++) {
      offer_face(s, p, q, r, &best);
    }
  }
  s->n = best.n;
  for (int k = 0; k < best.n; k++) {
    if (best.corner[k] != k) {
      s->corner[k] = s->corner[best.corner[k]];
    }
    s->weight[k] = best.weight[k];
  }
  memcpy(v, best.v, 3 * sizeof(double));
  return false;
}

static bool is_corner(const simplex *s, const double w[3])
{
  for (int k = 0; k < s->n; k++) {
    if (s->corner[k].w[0] == w[0] && s->corner[k].w[1] == w[1] && s->corner[k].w[2] == w[2]) {
      return true;
    }
  }
  return false;
}

/* The points of A and B behind the nearest point. */
static void find_witness_points(const simplex *s, const double v[3], pki_gjk_result *out)
{
  memset(out->a, 0, sizeof out->a);
  memset(out->b, 0, sizeof out->b);
  for (int k = 0; k < s->n; k++) {
    pki_along3(out->a, s->weight[k], s->corner[k].a, out->a);
    pki_along3(out->b, s->weight[k], s->corner[k].b, out->b);
  }
  memcpy(out->v, v, sizeof out->v);
  out->distance = pki_length3(v);
  out->ncorner = s->n;
  memcpy(out->corner, s->corner, (size_t)s->n * sizeof s->corner[0]);
}

static double largest_coordinate(double scale, const pki_corner *c)
{
  for (int k = 0; k < 3; k++) {
    scale = fmax(scale, fmax(fabs(c->a[k]), fabs(c->b[k])));
  }
  return scale;
}

/* Where the walk stands, and the best it had: |v| falls, but the gap of the bounds need not. */
typedef struct walk {
  simplex s;
  double v[3], distance, scale;
  simplex best;
  double best_v[3], best_gap;
  int idle; /* steps in which |v| did not fall */
  int leap; /* the step at which support_newton.c is asked */
} walk;

static void keep_best(walk *w, double gap)
{
  if (gap < w->best_gap) {
    w->best_gap = gap;
    w->best = w->s;
    memcpy(w->best_v, w->v, sizeof w->best_v);
  }
}

typedef enum verdict { GO_ON, ENOUGH, INSIDE } verdict;

/* Take a new corner in. Thin simplices may let |v| rise by rounding: a few times that is borne. */
static verdict add_simplex_corner(walk *w, const pki_corner *c)
{
  if (is_corner(&w->s, c->w)) {
    return ENOUGH;
  }
  w->s.corner[w->s.n++] = *c;
  if (reduce_simplex(&w->s, w->v)) {
    w->best = w->s;
    memset(w->best_v, 0, sizeof w->best_v);
    return INSIDE;
  }
  const double distance = pki_length3(w->v);
  w->idle += !(distance < w->distance);
  w->distance = distance;
  return w->idle > IDLE ? ENOUGH : GO_ON;
}

/* Round shapes: from corners that are near the answer straight to it. */
static bool jump_to_solution(pki_difference *d, walk *w, const double towards[3], const pki_corner *c,
                             pki_gjk_result *out)
{
  if (out->steps < w->leap) {
    return false;
  }
  w->leap = out->steps + 2;
  const pki_corner *corner[4] = {c};
  for (int k = 0; k < w->s.n; k++) {
    corner[1 + k] = &w->s.corner[k];
  }
  pki_least least;
  if (!pki_least_find(d, corner, 1 + w->s.n, towards, w->scale, &least) ||
      !(-least.h > touch_relative * w->scale)) {
    return false;
  }
  out->distance = -least.h;
  out->scale = w->scale;
  out->ncorner = 0;
  memcpy(out->a, least.a, sizeof out->a);
  memcpy(out->b, least.b, sizeof out->b);
  for (int k = 0; k < 3; k++) {
    out->v[k] = least.h * least.normal[k];
  }
  return true;
}

pki_gjk_end pki_gjk_run(pki_difference *d, const double start[3], double reach, pki_gjk_result *out)
{
  walk w;
  w.s.n = 1, w.s.weight[0] = 1, w.best_gap = INFINITY, w.idle = 0;
  w.best.n = 0, w.best_v[0] = w.best_v[1] = w.best_v[2] = 0;
  w.leap = pki_convex_is_round(&d->a) || pki_convex_is_round(&d->b) ? LEAP : STEPS;
  const double length = pki_length3(start);
  double towards[3] = {-start[0] / length, -start[1] / length, -start[2] / length};
  pki_corner c;
  pki_difference_support(d, towards, &c);
  w.s.corner[0] = c;
  memcpy(w.v, c.w, sizeof w.v);
  w.scale = largest_coordinate(0, &c);
  w.distance = pki_length3(w.v);
  out->steps = 0;
  if (-pki_dot3(towards, c.w) > reach + gap_rounding * w.scale) {
    return PKI_GJK_FAR;
  }
  pki_gjk_end end = PKI_GJK_APART;
  for (out->steps = 1; out->steps < STEPS; out->steps++) {
    if (w.distance <= touch_relative * w.scale) {
      keep_best(&w, 0);
      end = PKI_GJK_MEET;
      break;
    }
    for (int k = 0; k < 3; k++) {
      towards[k] = -w.v[k] / w.distance;
    }
    pki_difference_support(d, towards, &c);
    w.scale = largest_coordinate(w.scale, &c);
    const double lower = -pki_dot3(towards, c.w), gap = w.distance - lower;
    keep_best(&w, gap);
    if (lower > reach + gap_rounding * w.scale) {
      return PKI_GJK_FAR;
    }
    if (gap <= gap_relative * w.distance + gap_rounding * w.scale) {
      break;
    }
    if (lower > 0.5 * w.distance && jump_to_solution(d, &w, towards, &c, out)) {
      return out->distance > reach ? PKI_GJK_FAR : PKI_GJK_APART;
    }
    const verdict v = add_simplex_corner(&w, &c);
    if (v != GO_ON) {
      end = v == INSIDE ? PKI_GJK_MEET : end;
      break;
    }
  }
  find_witness_points(&w.best, w.best_v, out);
  out->scale = w.scale;
  /* round shapes that touch creep towards zero and never prove a gap: that is for EPA to say */
  const bool creeping = out->distance < 1e-6 * w.scale && w.best_gap > 1e-6 * out->distance;
  return creeping ? PKI_GJK_MEET : end;
}

/* ---- shapes with their roundings ---- */

/* From the answer for the cores, in the frame of the difference, to that of the shapes, in the world's. */
static void round_off(const pki_difference *d, pk_proximity *out)
{
  const double ra = d->a.rounding, rb = d->b.rounding;
  for (int k = 0; k < 3; k++) {
    out->point[0][k] += d->origin[k] - ra * out->normal[k];
    out->point[1][k] += d->origin[k] + rb * out->normal[k];
  }
  out->distance -= ra + rb;
}

bool pki_gjk_distance(const pki_convex *a, const pki_convex *b, double reach, pk_proximity *out)
{
  pki_difference d;
  pki_difference_make(a, b, &d);
  const double up[3] = {0, 0, 1};
  pki_gjk_result r;
  const pki_gjk_end end =
      pki_gjk_run(&d, pki_length3(d.apart) > 0 ? d.apart : up, reach + a->rounding + b->rounding, &r);
  if (end == PKI_GJK_FAR) {
    return false;
  }
  if (end == PKI_GJK_MEET) {
    pki_epa_run(&d, &r, out);
  } else {
    const double outward[3] = {-r.v[0] / r.distance, -r.v[1] / r.distance, -r.v[2] / r.distance};
    pki_depth_answer(outward, -r.distance, r.a, r.b, out);
  }
  round_off(&d, out);
  return out->distance <= reach;
}
