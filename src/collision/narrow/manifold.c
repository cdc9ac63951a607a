/* The points at which two convex shapes touch, made from their nearest points.
 *
 * With n the normal (from b to a), each shape shows the part of itself that is farthest towards the other: a face, an edge
 * or a corner. A face is the reference: the other's part is clipped to the prism over it (Sutherland and Hodgman,
 * "Reentrant polygon clipping", CACM 17, 1974) and every corner of what remains is a point of touch. The gap is
 * measured along the reference's normal N, from p on the other core to q on the reference:
 *
 *         o-----p-----------o      other (incident) face
 *               |           |
 *         . . . q===========|====  reference face       gap = (p - q)'N - rounding_a - rounding_b
 *
 * Points are named by what they are made of: a corner of a or of b, or the crossing of an edge of a with one of b. The
 * names do not tell which shape was the reference, so they outlive its change. */
#include <math.h>
#include <stdint.h>

#include "collision/narrow/narrow.h"
#include "math/mat3.h"

/* How far (rad) a face may lean and still be one: corners of a box that is about to lie flat take part early. A proximity's
 * normal within this of the reference's is replaced by it. */
static const double TILT = 0.08;

/* Of sharp edges, which part along a line only when parallel. */
static const double TILT_SHARP = 1e-3;

/* Outside a side by less of the face's size is inside: corners over corners stay corners. */
static const double SKIN = 1e-6;

/* A corner of the polygon that is clipped, and the name of the edge that leaves it: k for edge k of the incident face,
 * ~k for edge k of the reference. */
typedef struct corner {
  double x[3];
  int edge;
} corner;

enum { CLIP_MOST = 2 * PKI_FACE_MOST + 2, KIND_CORNER = 0, KIND_CROSSING = 2, KIND_NEAREST = 3 };

typedef struct pair {
  const pki_convex *shape[2];
  pki_face face[2];
  const pk_proximity *near;
  double n[2][3]; /* away from the other shape's side: n[1] = normal, n[0] = -normal, outward of each */
  double margin, size;
  double lean; /* 1 - cosine between the proximity's normal and the one in use */
  int count;
  pk_touch_point touch[CLIP_MOST + 1];
} pair;

/* ---- names ---- */

unsigned pki_touch_name(unsigned seed, const unsigned *word, int n)
{
  /* the finaliser of SplitMix64 over each word */
  uint64_t h = seed;
  for (int k = 0; k < n; k++) {
    h = (h + (uint32_t)word[k]) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    h ^= h >> 31;
  }
  return (unsigned)(h >> 32);
}

static unsigned name_touch(int kind, int a, int b, int c, int d)
{
  const unsigned word[5] = {(unsigned)kind, (unsigned)a, (unsigned)b, (unsigned)c, (unsigned)d};
  return pki_touch_name(0, word, 5);
}

static unsigned name_corner(const pair *p, int side, int k)
{
  return name_touch(KIND_CORNER + side, p->face[side].id[k], 0, 0, 0);
}

/* Where edge k0 of a crosses edge k1 of b. */
static unsigned name_crossing(const pair *p, int k0, int k1)
{
  const int k[2] = {k0, k1};
  int end[2][2];
  for (int s = 0; s < 2; s++) {
    const pki_face *const f = &p->face[s];
    const int i = f->id[k[s]], j = f->id[(k[s] + 1) % f->count];
    end[s][0] = i < j ? i : j, end[s][1] = i < j ? j : i;
  }
  return name_touch(KIND_CROSSING, end[0][0], end[0][1], end[1][0], end[1][1]);
}

/* The corner between two edges of the clipped polygon. */
static unsigned name_between(const pair *p, int incident, int before, int after)
{
  const int reference = 1 - incident;
  if (before >= 0 && after >= 0) {
    return name_corner(p, incident, after);
  }
  if (before < 0 && after < 0) {
    /* the incident face is seen from behind: sides of the reference come in reverse */
    const int n = p->face[reference].count, i = ~before, j = ~after;
    return name_corner(p, reference, (i + 1) % n == j ? j : i);
  }
  const int mine = before >= 0 ? before : after, its = before >= 0 ? ~after : ~before;
  return incident == 0 ? name_crossing(p, mine, its) : name_crossing(p, its, mine);
}

/* ---- points ---- */

/* A core point x of the incident shape and one of the reference's at height 0: D is the normal, away from the
 * reference. */
static void add_touch(pair *p, int incident, const double x[3], const double D[3], double height, unsigned id)
{
  const double own = p->shape[incident]->rounding, its = p->shape[1 - incident]->rounding;
  const double gap = height - own - its;
  if (!(gap <= p->margin)) {
    return;
  }
  pk_touch_point *const t = &p->touch[p->count++];
  for (int k = 0; k < 3; k++) {
    t->point[incident][k] = x[k] - own * D[k];
    t->point[1 - incident][k] = t->point[incident][k] - gap * D[k];
    t->normal[k] = incident == 0 ? D[k] : -D[k];
  }
  t->gap = gap, t->id = id;
}

static void add_nearest(pair *p, unsigned id)
{
  pk_touch_point *const t = &p->touch[p->count++];
  memcpy(t->point, p->near->point, sizeof t->point);
  memcpy(t->normal, p->near->normal, sizeof t->normal);
  t->gap = p->near->distance, t->id = id;
}

/* ---- which shape is the reference ---- */

/* Of equals the one whose face looks up (else along y, x): the same whichever comes first. */
static int faces_up(const pair *p)
{
  for (int k = 2; k > 0; k--) {
    if (fabs(p->n[1][k]) > 0.5) {
      return p->n[1][k] > 0;
    }
  }
  return p->n[1][0] > 0;
}

static double face_area(const pki_face *f)
{
  double sum[3] = {0, 0, 0}, u[3], v[3], w[3];
  for (int k = 1; k + 1 < f->count; k++) {
    pki_sub3(f->point[k], f->point[0], u);
    pki_sub3(f->point[k + 1], f->point[0], v);
    pki_cross3(u, v, w);
    for (int i = 0; i < 3; i++) {
      sum[i] += 0.5 * w[i];
    }
  }
  return sqrt(pki_dot3(sum, sum));
}

/* The face that looks along the normal; then the bigger one. */
static int reference_of(const pair *p)
{
  if (p->face[0].count < 3 || p->face[1].count < 3) {
    return p->face[1].count >= 3;
  }
  const double lean0 = 1 - pki_dot3(p->face[0].normal, p->n[0]);
  const double lean1 = 1 - pki_dot3(p->face[1].normal, p->n[1]);
  if (fabs(lean0 - lean1) > 1e-6) {
    return lean1 < lean0;
  }
  const double area0 = face_area(&p->face[0]), area1 = face_area(&p->face[1]);
  if (fabs(area0 - area1) > 0.01 * fmax(area0, area1)) {
    return area1 > area0;
  }
  return faces_up(p);
}

/* ---- clipping ---- */

/* Outward normal of the side over edge k of the reference, perpendicular to D; false: the edge has no length. */
static bool side_of(const pki_face *f, int k, const double D[3], double out[3])
{
  double u[3];
  pki_sub3(f->point[(k + 1) % f->count], f->point[k], u);
  pki_cross3(u, D, out);
  const double length = sqrt(pki_dot3(out, out));
  if (!(length > 0)) {
    return false;
  }
  out[0] /= length, out[1] /= length, out[2] /= length;
  return true;
}

static double height_above(const double x[3], const double at[3], const double n[3])
{
  const double d[3] = {x[0] - at[0], x[1] - at[1], x[2] - at[2]};
  return pki_dot3(d, n);
}

static void crossing_point(const double a[3], double da, const double b[3], double db, double out[3])
{
  const double t = da / (da - db);
  for (int k = 0; k < 3; k++) {
    out[k] = a[k] + t * (b[k] - a[k]);
  }
}

/* One side: corners behind it stay, edges that pass it are cut. */
static int clip_polygon(const corner *in, int n, const double at[3], const double side[3], double skin,
                        int label, corner *out)
{
  int m = 0;
  for (int k = 0; k < n && m + 2 <= CLIP_MOST; k++) {
    const corner *const a = &in[k], *const b = &in[(k + 1) % n];
    const double da = height_above(a->x, at, side), db = height_above(b->x, at, side);
    const bool a_in = da <= skin, b_in = db <= skin;
    if (a_in) {
      out[m++] = *a;
    }
    if (a_in == b_in) {
      continue;
    }
    /* a corner within the skin is its own cut */
    if ((a_in ? da : db) <= 0) {
      crossing_point(a->x, da, b->x, db, out[m].x);
      out[m++].edge = a_in ? label : a->edge;
    } else if (a_in) {
      out[m - 1].edge = label;
    }
  }
  return m;
}

/* Of a polygon: the prism over a face can cut it to nothing. */
static int clip_face(const pair *p, int reference, const double D[3], corner *ring, corner *spare)
{
  const pki_face *const f = &p->face[reference], *const g = &p->face[1 - reference];
  int n = g->count;
  for (int k = 0; k < n; k++) {
    memcpy(ring[k].x, g->point[k], sizeof ring[k].x);
    ring[k].edge = k;
  }
  for (int k = 0; k < f->count && n > 0; k++) {
    double side[3];
    if (side_of(f, k, D, side)) {
      n = clip_polygon(ring, n, f->point[k], side, SKIN * p->size, ~k, spare);
      memcpy(ring, spare, (size_t)n * sizeof *ring);
    }
  }
  return n;
}

static void touch_face(pair *p, int reference, const double D[3])
{
  const int incident = 1 - reference;
  const pki_face *const f = &p->face[reference];
  const double slope = pki_dot3(D, f->normal);
  corner ring[CLIP_MOST], spare[CLIP_MOST];
  const int n = clip_face(p, reference, D, ring, spare);
  for (int k = 0; k < n; k++) {
    const double height = height_above(ring[k].x, f->point[0], f->normal) / slope;
    const unsigned id = name_between(p, incident, ring[(k + n - 1) % n].edge, ring[k].edge);
    add_touch(p, incident, ring[k].x, D, height, id);
  }
}

/* An edge over a face: the part of it within all sides, each end named by its corner or by what cut it. */
static void touch_edge(pair *p, int reference, const double D[3])
{
  const int incident = 1 - reference;
  const pki_face *const f = &p->face[reference], *const g = &p->face[incident];
  const double slope = pki_dot3(D, f->normal);
  double t[2] = {0, 1};
  int cut[2] = {-1, -1};
  for (int k = 0; k < f->count; k++) {
    double side[3];
    if (!side_of(f, k, D, side)) {
      continue;
    }
    const double d0 = height_above(g->point[0], f->point[k], side),
                 d1 = height_above(g->point[1], f->point[k], side);
    const double skin = SKIN * p->size;
    if (d0 > skin && d1 > skin) {
      return;
    }
    if (d0 > skin && d1 < d0) {
      const double at = d1 < 0 ? d0 / (d0 - d1) : 1;
      if (at > t[0]) {
        t[0] = at, cut[0] = k;
      }
    } else if (d1 > skin && d0 < d1) {
      const double at = d0 < 0 ? d0 / (d0 - d1) : 0;
      if (at < t[1]) {
        t[1] = at, cut[1] = k;
      }
    }
  }
  const int ends = t[1] - t[0] > SKIN ? 2 : t[1] >= t[0]; /* one where it only grazes the border */
  for (int end = 0; end < ends; end++) {
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = g->point[0][k] + t[end] * (g->point[1][k] - g->point[0][k]);
    }
    const double height = height_above(x, f->point[0], f->normal) / slope;
    const unsigned id = cut[end] < 0    ? name_corner(p, incident, end)
                        : incident == 0 ? name_crossing(p, 0, cut[end])
                                        : name_crossing(p, cut[end], 0);
    add_touch(p, incident, x, D, height, id);
  }
}

/* Parameter of the point of a segment that is nearest to x, and the point. */
static double nearest_on(const pki_face *f, const double x[3], double out[3])
{
  double u[3], d[3];
  pki_sub3(f->point[1], f->point[0], u);
  pki_sub3(x, f->point[0], d);
  const double t = fmin(fmax(pki_dot3(d, u) / pki_dot3(u, u), 0), 1);
  for (int k = 0; k < 3; k++) {
    out[k] = f->point[0][k] + t * u[k];
  }
  return t;
}

/* Two edges side by side: the ends of the part that they share. Around rounded cores the normal is that of each end,
 * sharp edges share the proximity's. */
static void touch_lines(pair *p)
{
  const int reference = faces_up(p), incident = 1 - reference;
  const pki_face *const f = &p->face[reference], *const g = &p->face[incident];
  const double radius = p->shape[0]->rounding + p->shape[1]->rounding;
  double u[3], v[3], w[3], x[3], y[3], t[2];
  pki_sub3(g->point[1], g->point[0], u);
  pki_sub3(f->point[1], f->point[0], v);
  pki_cross3(u, v, w);
  const double lengths = sqrt(pki_dot3(u, u) * pki_dot3(v, v)), sine = sqrt(pki_dot3(w, w));
  if (!(lengths > 0) || sine > (radius > 0 ? TILT : TILT_SHARP) * lengths) {
    return;
  }
  t[0] = nearest_on(g, f->point[0], x), t[1] = nearest_on(g, f->point[1], x);
  if (fabs(t[0] - t[1]) * sqrt(pki_dot3(u, u)) <= SKIN * p->size) {
    return;
  }
  for (int end = 0; end < 2; end++) {
    for (int k = 0; k < 3; k++) {
      x[k] = g->point[0][k] + t[end] * u[k];
    }
    nearest_on(f, x, y);
    double D[3], d[3];
    pki_sub3(x, y, d);
    memcpy(D, p->n[reference], sizeof D);
    const double apart = sqrt(pki_dot3(d, d));
    if (radius > 0 && p->near->distance + radius > SKIN * p->size && apart > 0) {
      D[0] = d[0] / apart, D[1] = d[1] / apart, D[2] = d[2] / apart;
    }
    /* the incident's own end, or the one opposite the reference's */
    const bool own = t[end] <= 0 || t[end] >= 1;
    add_touch(p, incident, x, D, pki_dot3(d, D),
              own ? name_corner(p, incident, t[end] > 0.5) : name_corner(p, reference, end));
  }
}

/* ---- the whole ---- */

/* One point: a corner, or two edges that cross. */
static unsigned name_single(const pair *p)
{
  if (p->face[0].count == 1) {
    return name_corner(p, 0, 0);
  }
  if (p->face[1].count == 1) {
    return name_corner(p, 1, 0);
  }
  return p->face[0].count == 2 && p->face[1].count == 2 ? name_crossing(p, 0, 0)
                                                        : name_touch(KIND_NEAREST, 0, 0, 0, 0);
}

static void touch_parts(pair *p)
{
  const int least = p->face[0].count < p->face[1].count ? p->face[0].count : p->face[1].count;
  const int most = p->face[0].count + p->face[1].count - least;
  if (least < 2) {
    return;
  }
  if (most == 2) {
    touch_lines(p);
    return;
  }
  const int reference = reference_of(p);
  const double *const N = p->face[reference].normal, *const n = p->n[reference];
  const double *const D = pki_dot3(N, n) >= cos(TILT) ? N : n;
  if (pki_dot3(N, D) < 0.1) {
    return;
  }
  p->lean = 1 - pki_dot3(D, n);
  if (least == 2) {
    touch_edge(p, reference, D);
  } else {
    touch_face(p, reference, D);
  }
}

/* The size of both parts, for tolerances. */
static double feature_extent(const pair *p)
{
  double most = 0, d[3];
  for (int s = 0; s < 2; s++) {
    for (int k = 1; k < p->face[s].count; k++) {
      pki_sub3(p->face[s].point[k], p->face[s].point[0], d);
      most = fmax(most, pki_dot3(d, d));
    }
  }
  return sqrt(most) + p->shape[0]->rounding + p->shape[1]->rounding;
}

int pki_convex_touch(const pki_convex *a, const pki_convex *b, const pk_proximity *near, double margin,
                     pk_touch_point out[PK_TOUCH_MOST])
{
  if (!(near->distance <= margin)) {
    return 0;
  }
  pair p; /* big: filled as far as it is used */
  p.shape[0] = a, p.shape[1] = b, p.near = near;
  p.margin = margin, p.lean = 0, p.count = 0;
  for (int k = 0; k < 3; k++) {
    p.n[0][k] = -near->normal[k], p.n[1][k] = near->normal[k];
  }
  for (int s = 0; s < 2; s++) {
    pki_convex_face(p.shape[s], p.n[s], TILT, &p.face[s]);
  }
  p.size = feature_extent(&p);
  touch_parts(&p);
  /* the nearest points are always there: round parts, edges that cross, corners beside a face */
  double least = INFINITY;
  for (int k = 0; k < p.count; k++) {
    least = fmin(least, p.touch[k].gap);
  }
  if (least > near->distance + p.lean * fabs(near->distance) + 1e-7 * p.size) {
    add_nearest(&p, p.count ? name_touch(KIND_NEAREST, 0, 0, 0, 0) : name_single(&p));
  }
  p.count = pki_touch_reduce(p.touch, p.count);
  memcpy(out, p.touch, (size_t)p.count * sizeof *out);
  return p.count;
}

/* ---- the best few of many ---- */

static bool touch_comes_before(const pk_touch_point *a, const pk_touch_point *b)
{
  if (a->id != b->id || a->gap != b->gap) {
    return a->id != b->id ? a->id < b->id : a->gap < b->gap;
  }
  for (int k = 0; k < 3; k++) {
    if (a->point[0][k] != b->point[0][k]) {
      return a->point[0][k] < b->point[0][k];
    }
  }
  return false;
}

static double point_distance(const double a[3], const double b[3])
{
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(pki_dot3(d, d));
}

/* How much point i adds to the first m: its distance from the nearest of them and a share of the mean distance, which
 * draws it outwards, normals counted as far apart as the whole set is wide; less 4 times what it is higher than the
 * deepest, so that low points go before wide ones. */
static double point_worth(const pk_touch_point *points, int m, int i, double width)
{
  if (m == 0) {
    return -points[i].gap;
  }
  double nearest = INFINITY, sum = 0;
  for (int j = 0; j < m; j++) {
    const double d = point_distance(points[i].point[0], points[j].point[0]) +
                     width * point_distance(points[i].normal, points[j].normal);
    nearest = fmin(nearest, d), sum += d;
  }
  return nearest + 0.5 * sum / m - 4 * (points[i].gap - points[0].gap);
}

static double width_of(const pk_touch_point *points, int n)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < n; i++) {
      least = fmin(least, points[i].point[0][k]), most = fmax(most, points[i].point[0][k]);
    }
    sum += (most - least) * (most - least);
  }
  return sqrt(sum);
}

int pki_touch_reduce(pk_touch_point *points, int n)
{
  if (n > PK_TOUCH_MOST) {
    const double width = width_of(points, n);
    for (int m = 0; m < PK_TOUCH_MOST; m++) {
      /* the best; of equals (to a hair) the first by name */
      double best = -INFINITY;
      for (int i = m; i < n; i++) {
        best = fmax(best, point_worth(points, m, i, width > 0 ? width : 1));
      }
      int chosen = -1;
      for (int i = m; i < n; i++) {
        if (point_worth(points, m, i, width > 0 ? width : 1) >= best - (m ? 1e-9 : 1e-12) * width &&
            (chosen < 0 || touch_comes_before(&points[i], &points[chosen]))) {
          chosen = i;
        }
      }
      chosen = chosen < 0 ? m : chosen;
      const pk_touch_point t = points[m];
      points[m] = points[chosen], points[chosen] = t;
    }
    n = PK_TOUCH_MOST;
  }
  for (int i = 1; i < n; i++) {
    const pk_touch_point t = points[i];
    int j = i;
    for (; j > 0 && touch_comes_before(&t, &points[j - 1]); j--) {
      points[j] = points[j - 1];
    }
    points[j] = t;
  }
  return n;
}
