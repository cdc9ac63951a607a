/* Depth of two convex cores that overlap: the expanding polytope of van den Bergen, "Proximity queries and penetration
 * depth computation on 3D game objects", GDC 2001.
 *
 * With h(n) the largest n'x over A - B, the depth is the least h over unit n. A polytope of points of A - B gives bounds
 * on both sides,
 *
 *   least offset of its faces  <=  depth  <=  least h(n) over all n that were asked,
 *
 * and grows at the face with the least offset until they meet. The upper bound is an answer whatever happens to the
 * polytope: thin faces or a full memory make it looser, never wrong. It starts from the corners around the origin that GJK
 * ended with, or else from the widest tetrahedron that a few directions show; the origin need not be inside (offsets may
 * be negative), so cores that just touch need no care.
 *
 * A polytope creeps along round surfaces. There support_newton.c tells what is above a face, once it is near; where that fails,
 * and where faces got too thin, polish.c takes over. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"

enum { CORNERS = 256, FACES = 2 * CORNERS, EDGES = 3 * FACES / 2 };

static const double tight = 4e-15;    /* of the scale: gap of the bounds, polytopes */
static const double loose = 1e-9;     /* the same, round shapes: then polish */
static const double small = 1e-3;     /* of the scale: gap of a face above which support_newton.c is asked */
static const double rounding = 1e-15; /* of the scale: this far above a face is on it */
static const double flat = 1e-13;     /* of the scale: thinner differences have no inside */

typedef struct face {
  int corner[3]; /* counter-clockwise from outside */
  int beside[3]; /* the face behind the edge from corner k to k+1 */
  double normal[3], offset;
  bool alive, thin, seen; /* thin: no normal to trust */
} face;

typedef struct polytope {
  int ncorner, nface;
  pki_corner corner[CORNERS];
  face face[FACES];
  double rank
      [FACES]; /* offsets of the faces that may grow, else INFINITY: dead, thin, or known what lies above */
  int spare[FACES], nspare;
  double scale;
} polytope;

/* The best normal so far and the face that gave it. */
typedef struct answer {
  double normal[3], depth; /* outward of A - B */
  int corner[3];
  double offset;     /* of that face */
  bool least;        /* support_newton.c found it, */
  double a[3], b[3]; /* with these points */
} answer;

static double largest_coordinate(double scale, const pki_corner *c)
{
  for (int k = 0; k < 3; k++) {
    scale = fmax(scale, fmax(fabs(c->a[k]), fabs(c->b[k])));
  }
  return scale;
}

/* ---- the first tetrahedron ---- */

static void normalise_vector(double v[3])
{
  const double length = pki_length3(v);
  for (int k = 0; k < 3; k++) {
    v[k] /= length;
  }
}

/* Ask along v and -v. */
static void ask_both(pki_difference *d, const double v[3], pki_corner out[2])
{
  const double back[3] = {-v[0], -v[1], -v[2]};
  pki_difference_support(d, v, &out[0]);
  pki_difference_support(d, back, &out[1]);
}

/* How far a point is from the line (n = 2: along unit u) or the plane (n = 3: across unit u) through p. */
static double distance_from_flat(int n, const double w[3], const double p[3], const double u[3])
{
  double e[3];
  pki_sub3(w, p, e);
  const double t = pki_dot3(e, u);
  if (n == 3) {
    return fabs(t);
  }
  pki_along3(e, -t, u, e);
  return pki_length3(e);
}

/* The farthest of n candidates from `from`, across or along u as `away` counts; returns how far. */
static double farthest_candidate(int dimension, const pki_corner *c, int n, const double from[3],
                                 const double u[3], pki_corner *out)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    const double length = distance_from_flat(dimension, c[i].w, from, u);
    if (length > most) {
      most = length, *out = c[i];
    }
  }
  return most;
}

/* Four corners that span much of A - B; fewer when it is flat (3), a line (2), a point (1). `across` is then normal to
 * it. */
static int find_wide_corners(pki_difference *d, polytope *p, double across[3])
{
  pki_corner c[12], *const first = p->corner;
  for (int k = 0; k < 3; k++) {
    ask_both(d, (double[3]){k == 0, k == 1, k == 2}, &c[2 * k]);
  }
  double most = 0, u[3];
  for (int i = 0; i < 6; i++) {
    p->scale = largest_coordinate(p->scale, &c[i]);
    for (int j = 0; j < i; j++) {
      pki_sub3(c[i].w, c[j].w, u);
      const double length = pki_length3(u);
      if (length > most) {
        most = length, first[0] = c[i], first[1] = c[j];
      }
    }
  }
  memcpy(across, (double[3]){0, 0, 1}, 3 * sizeof(double));
  if (!(most > flat * p->scale)) {
    first[0] = c[0];
    return 1;
  }
  pki_sub3(first[1].w, first[0].w, u);
  normalise_vector(u);
  double v[3], n[3];
  pki_across3(u, v);
  pki_cross3(u, v, n);
  ask_both(d, v, &c[6]);
  ask_both(d, n, &c[8]);
  most = farthest_candidate(2, c, 10, first[0].w, u, &first[2]);
  memcpy(across, v, sizeof v);
  if (!(most > flat * p->scale)) {
    return 2;
  }
  pki_sub3(first[2].w, first[0].w, v);
  pki_cross3(u, v, n);
  normalise_vector(n);
  ask_both(d, n, &c[10]);
  most = farthest_candidate(3, c, 12, first[0].w, n, &first[3]);
  memcpy(across, n, sizeof n);
  return most > flat * p->scale ? 4 : 3;
}

/* The corners around the origin that GJK ended with, unless they are too flat. */
static bool take_gjk_simplex(const pki_gjk_result *met, polytope *p)
{
  if (met->ncorner < 4) {
    return false;
  }
  double e[3][3], n[3], size = 1;
  for (int k = 0; k < 3; k++) {
    pki_sub3(met->corner[k + 1].w, met->corner[0].w, e[k]);
    size *= pki_length3(e[k]);
  }
  pki_cross3(e[0], e[1], n);
  memcpy(p->corner, met->corner, sizeof met->corner);
  return fabs(pki_dot3(n, e[2])) > 1e-3 * size;
}

/* ---- growing ---- */

/* Normal from the two shortest edges, offset. */
static void set_plane(const polytope *p, face *f)
{
  const double *const u = p->corner[f->corner[0]].w, *const v = p->corner[f->corner[1]].w,
                      *const w = p->corner[f->corner[2]].w;
  double uv[3], vw[3], wu[3], n[3];
  pki_sub3(v, u, uv);
  pki_sub3(w, v, vw);
  pki_sub3(u, w, wu);
  const double a = pki_dot3(uv, uv), b = pki_dot3(vw, vw), c = pki_dot3(wu, wu);
  double longest;
  const double *tip; /* across from the longest edge */
  if (a >= b && a >= c) {
    pki_cross3(vw, wu, n);
    longest = a, tip = w;
  } else if (b >= c) {
    pki_cross3(wu, uv, n);
    longest = b, tip = u;
  } else {
    pki_cross3(uv, vw, n);
    longest = c, tip = v;
  }
  const double square = pki_dot3(n, n), area = sqrt(square), inverse = 1 / area, side = 4e-16 * p->scale;
  f->thin = !(area > 1e-11 * longest) || !(square > side * side * longest);
  f->normal[0] = n[0] * inverse, f->normal[1] = n[1] * inverse, f->normal[2] = n[2] * inverse;
  f->offset = area > 0 ? pki_dot3(f->normal, tip) : INFINITY;
}

static int add_face(polytope *p, int a, int b, int c)
{
  const int at = p->nspare > 0 ? p->spare[--p->nspare] : p->nface++;
  face *f = &p->face[at];
  f->corner[0] = a, f->corner[1] = b, f->corner[2] = c;
  f->alive = true, f->seen = false;
  set_plane(p, f);
  p->rank[at] = f->thin ? INFINITY : f->offset;
  return at;
}

static void begin_tetrahedron(polytope *p)
{
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  double e[3][3], n[3];
  for (int k = 0; k < 3; k++) {
    pki_sub3(p->corner[k + 1].w, p->corner[0].w, e[k]);
  }
  pki_cross3(e[0], e[1], n);
  if (pki_dot3(n, e[2]) > 0) {
    const pki_corner c = p->corner[1];
    p->corner[1] = p->corner[2];
    p->corner[2] = c;
  }
  p->ncorner = 4;
  for (int k = 0; k < 4; k++) {
    add_face(p, corner[k][0], corner[k][1], corner[k][2]);
    memcpy(p->face[k].beside, beside[k], sizeof beside[k]);
  }
}

/* The border of what a new corner sees: edges counter-clockwise, the face outside each. */
typedef struct border {
  int count, from[EDGES], to[EDGES], outside[EDGES];
} border;

static bool sees_face(const polytope *p, const face *f, const double w[3])
{
  return f->thin || pki_dot3(f->normal, w) - f->offset > rounding * p->scale;
}

/* Take away the faces that w sees, from face `at` on. */
static void remove_seen_faces(polytope *p, int at, const double w[3], border *out)
{
  int stack[FACES], count = 1;
  stack[0] = at;
  p->face[at].seen = true;
  out->count = 0;
  for (int i = 0; i < count; i++) {
    const face *const f = &p->face[stack[i]];
    for (int k = 0; k < 3; k++) {
      face *const g = &p->face[f->beside[k]];
      if (!g->seen && sees_face(p, g, w)) {
        g->seen = true;
        stack[count++] = f->beside[k];
      }
    }
  }
  for (int i = 0; i < count; i++) {
    const face *const f = &p->face[stack[i]];
    for (int k = 0; k < 3; k++) {
      if (!p->face[f->beside[k]].seen) {
        out->from[out->count] = f->corner[k];
        out->to[out->count] = f->corner[(k + 1) % 3];
        out->outside[out->count++] = f->beside[k];
      }
    }
  }
  for (int i = 0; i < count; i++) {
    p->face[stack[i]].alive = p->face[stack[i]].seen = false;
    p->rank[stack[i]] = INFINITY;
    p->spare[p->nspare++] = stack[i];
  }
}

/* Join a corner to the border. False when the border is not one simple loop. */
static bool add_cap(polytope *p, int corner, const border *b)
{
  int starts[CORNERS]; /* the border's edge from each corner */
  for (int i = 0; i < b->count; i++) {
    starts[b->from[i]] = starts[b->to[i]] = -1;
  }
  for (int i = 0; i < b->count; i++) {
    if (starts[b->from[i]] >= 0) {
      return false;
    }
    starts[b->from[i]] = i;
  }
  int made[FACES], i = 0;
  for (int n = 0; n < b->count; n++) {
    if (i < 0 || (n > 0 && i == 0) || p->nface - p->nspare >= FACES) {
      return false;
    }
    const int at = made[n] = add_face(p, b->from[i], b->to[i], corner);
    p->face[at].beside[0] = b->outside[i];
    face *const out = &p->face[b->outside[i]];
    for (int k = 0; k < 3; k++) {
      if (out->corner[k] == b->to[i] && out->corner[(k + 1) % 3] == b->from[i]) {
        out->beside[k] = at;
      }
    }
    i = starts[b->to[i]];
  }
  for (int n = 0; n < b->count; n++) {
    p->face[made[n]].beside[1] = made[(n + 1) % b->count];
    p->face[made[n]].beside[2] = made[(n + b->count - 1) % b->count];
  }
  return b->count >= 3 && i == 0;
}

static int lowest_face(const polytope *p)
{
  int at = 0;
  for (int i = 1; i < p->nface; i++) {
    at = p->rank[i] < p->rank[at] ? i : at;
  }
  return p->rank[at] < INFINITY ? at : -1;
}

static bool has_corner(const polytope *p, const double w[3])
{
  for (int i = 0; i < p->ncorner; i++) {
    const double *const x = p->corner[i].w;
    if (x[0] == w[0] && x[1] == w[1] && x[2] == w[2]) {
      return true;
    }
  }
  return false;
}

/* Round shapes: what the least h above a face is. Its corners have to lie on few pieces, so that nothing else hides
 * there. */
static bool settle_on_face(pki_difference *d, polytope *p, int at, const pki_corner *c, answer *best)
{
  const face *const f = &p->face[at];
  const pki_corner *const corner[4] = {c, &p->corner[f->corner[0]], &p->corner[f->corner[1]],
                                       &p->corner[f->corner[2]]};
  pki_least least;
  if (!pki_least_find(d, corner, 4, f->normal, p->scale, &least)) {
    return false;
  }
  /* what was found far aside, or without a piece that is there, leaves room for another */
  const bool here =
      least.whole && pki_dot3(least.normal, f->normal) > 0.95 && least.h >= f->offset - tight * p->scale;
  p->rank[at] = here ? INFINITY : p->rank[at];
  if (least.h < best->depth) {
    best->depth = least.h;
    best->least = true;
    memcpy(best->normal, least.normal, sizeof best->normal);
    memcpy(best->a, least.a, sizeof best->a);
    memcpy(best->b, least.b, sizeof best->b);
  }
  return here;
}

/* True: the bounds met. */
static bool expand_polytope(pki_difference *d, polytope *p, bool curved, answer *best)
{
  const double gap = curved ? loose : tight;
  border b;
  best->depth = INFINITY;
  best->least = false;
  while (true) {
    const int at = lowest_face(p);
    if (at < 0) {
      return best->least;
    }
    const face *const f = &p->face[at];
    if (best->least && f->offset >= best->depth - tight * p->scale) {
      return true;
    }
    pki_corner c; /* hulls are climbed from the face on */
    memcpy(d->hint, p->corner[f->corner[2]].piece, sizeof d->hint);
    pki_difference_support(d, f->normal, &c);
    const double h = pki_dot3(f->normal, c.w);
    if (curved && h - f->offset <= small * p->scale && settle_on_face(d, p, at, &c, best)) {
      continue;
    }
    if (h <= best->depth + (best->least ? -tight : tight) *
                               p->scale) { /* of equals the last: its face is the outermost */
      best->depth = fmin(h, best->depth);
      memcpy(best->normal, f->normal, sizeof best->normal);
      memcpy(best->corner, f->corner, sizeof best->corner);
      best->offset = f->offset;
      best->least = false;
    }
    if (best->depth - f->offset <= gap * p->scale) {
      return true;
    }
    if (has_corner(p, c.w) || p->ncorner == CORNERS) {
      return false;
    }
    p->corner[p->ncorner++] = c;
    remove_seen_faces(p, at, c.w, &b);
    if (!add_cap(p, p->ncorner - 1, &b)) {
      return false;
    }
  }
}

/* ---- answers ---- */

/* Weights of the origin's projection in a triangle; returns the least of them. */
static double origin_weights(const polytope *p, const int corner[3], double weight[3])
{
  const double *const w = p->corner[corner[0]].w;
  double e[3], f[3], n[3], x[3];
  pki_sub3(p->corner[corner[1]].w, w, e);
  pki_sub3(p->corner[corner[2]].w, w, f);
  pki_cross3(e, f, n);
  const double square = pki_dot3(n, n);
  pki_cross3(f, w, x);
  weight[1] = pki_dot3(x, n) / square;
  pki_cross3(w, e, x);
  weight[2] = pki_dot3(x, n) / square;
  weight[0] = 1 - weight[1] - weight[2];
  return fmin(weight[0], fmin(weight[1], weight[2]));
}

/* The points that make depth times normal: of the face, or of one beside it in the same plane that has the origin below
 * it. False: none has, or the face was not yet on the border when its normal was asked. */
static bool find_witness_points(const polytope *p, const answer *best, double a[3], double b[3])
{
  const int *corner = best->corner;
  double weight[3], inside = origin_weights(p, corner, weight);
  for (int i = 0; i < p->nface && inside < 0; i++) {
    const face *const f = &p->face[i];
    double other[3];
    if (f->alive && !f->thin && pki_dot3(f->normal, best->normal) > 1 - 1e-12 &&
        origin_weights(p, f->corner, other) > inside) {
      inside = fmin(other[0], fmin(other[1], other[2]));
      corner = f->corner;
      memcpy(weight, other, sizeof weight);
    }
  }
  memset(a, 0, 3 * sizeof(double));
  memset(b, 0, 3 * sizeof(double));
  for (int k = 0; k < 3; k++) {
    pki_along3(a, weight[k], p->corner[corner[k]].a, a);
    pki_along3(b, weight[k], p->corner[corner[k]].b, b);
  }
  return inside > -1e-9 && best->depth - best->offset <= 1e-12 * p->scale;
}

/* A difference without inside: out across it, on the side where A is. */
static void leave_flat(pki_difference *d, const double across[3], const pki_gjk_result *met,
                       pk_proximity *out)
{
  const double side = pki_dot3(across, d->apart) < 0 ? -1 : 1;
  pki_corner c;
  const double n[3] = {-side * across[0], -side * across[1], -side * across[2]};
  pki_difference_support(d, n, &c);
  pki_depth_answer(n, fmax(pki_dot3(n, c.w), 0), met->a, met->b, out);
}

void pki_epa_run(pki_difference *d, const pki_gjk_result *met, pk_proximity *out)
{
  polytope p;
  p.ncorner = p.nface = p.nspare = 0;
  p.scale = met->scale;
  double across[3], a[3], b[3];
  if (!take_gjk_simplex(met, &p) && find_wide_corners(d, &p, across) < 4) {
    leave_flat(d, across, met, out);
    return;
  }
  begin_tetrahedron(&p);
  answer best;
  const bool curved = pki_convex_is_round(&d->a) || pki_convex_is_round(&d->b);
  const bool done = expand_polytope(d, &p, curved, &best);
  if (!(best.depth < INFINITY)) {
    leave_flat(d, across, met, out);
    return;
  }
  if (best.least) {
    pki_depth_answer(best.normal, best.depth, best.a, best.b, out);
    return;
  }
  const bool clean = find_witness_points(&p, &best, a, b);
  pki_depth_answer(best.normal, best.depth, a, b, out);
  const bool flat_there = best.depth - best.offset <= tight * p.scale; /* a face of A - B, as of a disc */
  if ((curved && !flat_there) || !done || !clean) {
    pki_depth_polish(d, p.scale, out);
  }
}

void pki_epa_depth(const pki_convex *a, const pki_convex *b, pk_proximity *out)
{
  pki_difference d;
  pki_gjk_result met;
  pki_difference_make(a, b, &d);
  const double up[3] = {0, 0, 1};
  pki_gjk_run(&d, pki_length3(d.apart) > 0 ? d.apart : up, INFINITY, &met);
  pki_epa_run(&d, &met, out);
  for (int k = 0; k < 3; k++) {
    out->point[0][k] += d.origin[k];
    out->point[1][k] += d.origin[k];
  }
}
