/* The distance of two convex polytopes from feature to feature (Mirtich, "V-Clip: fast and robust polyhedral collision
 * detection", ACM Transactions on Graphics 17, 1998).
 *
 * A feature is a vertex, an edge or a face. Two features hold the nearest points when each of those lies in the Voronoi
 * region of the other feature: what is nearer to it than to any other of its hull. The regions are bounded by planes,
 * and every plane has a feature behind it. While a point, or the nearest place of an edge, lies beyond a plane, the walk
 * steps to the feature behind; the distance falls or, at the same distance, the dimension:
 *
 *        vertex | along edges away from it      -> that edge
 *        edge   | beyond an end -> the vertex;    above a face -> the face
 *        face   | beyond a side -> the edge
 *
 * From the features of the last step few steps are left. An answer counts only with its certificate: no vertex of either
 * hull reaches into the slab between the two points. On a convex hull the neighbours of one vertex prove it. */
#include <math.h>

#include "collision/narrow/narrow.h"
#include "math/mat3.h"

typedef enum kind { VERTEX, EDGE, FACE } kind;
typedef enum outcome { STEPPED, FOUND, MET } outcome;

typedef struct feature {
  kind kind;
  int index;
} feature;

typedef struct walk {
  const pki_hull *hull[2];
  double rot[9], pos[3]; /* hull 1 in the frame of hull 0 */
  feature at[2];
} walk;

/* The part of a segment that is left by clipping, and the planes (by number) that cut its ends; -1: none. */
typedef struct clip {
  double t[2];
  int cut[2];
  bool out; /* all of it is behind plane cut[0] */
} clip;

/* ---- features ---- */

/* Vertex i of hull s in the frame of hull `frame`. */
static void vertex_in_frame(const walk *w, int s, int i, int frame, double out[3])
{
  const double *const v = w->hull[s]->vertex + 3 * i;
  if (s == frame) {
    memcpy(out, v, 3 * sizeof *out);
  } else if (frame == 0) {
    pki_mat3_apply(w->rot, v, out);
    pki_along3(out, 1, w->pos, out);
  } else {
    pki_sub3(v, w->pos, out);
    pki_mat3_apply_transposed(w->rot, out, out);
  }
}

/* Edge e of hull s: its tail and the way to its head. */
static void edge_in_frame(const walk *w, int s, int e, int frame, double a[3], double u[3])
{
  const int *const end = w->hull[s]->edge + 4 * e;
  vertex_in_frame(w, s, end[0], frame, a);
  vertex_in_frame(w, s, end[1], frame, u);
  pki_sub3(u, a, u);
}

/* The end of an edge that is not v. */
static int other_end(const pki_hull *h, int e, int v)
{
  return h->edge[4 * e] == v ? h->edge[4 * e + 1] : h->edge[4 * e];
}

static outcome step_to_feature(walk *w, int s, kind what, int index)
{
  w->at[s] = (feature){what, index};
  return STEPPED;
}

/* ---- clipping: a plane holds what has a value of at most 0 ---- */

static clip clip_all(void)
{
  return (clip){.t = {0, 1}, .cut = {-1, -1}};
}

/* Values of the plane at both ends of the segment. */
static void clip_by(clip *c, double d0, double d1, int plane)
{
  if (c->out || (d0 <= 0 && d1 <= 0)) {
    return;
  }
  if (d0 > 0 && d1 > 0) {
    c->out = true, c->cut[0] = c->cut[1] = plane;
    return;
  }
  const double t = d0 / (d0 - d1);
  if (d0 > 0 && t > c->t[0]) {
    c->t[0] = t, c->cut[0] = plane;
  } else if (d1 > 0 && t < c->t[1]) {
    c->t[1] = t, c->cut[1] = plane;
  }
}

/* ---- the five states ---- */

/* Whether x (frame of s) lies beyond the region of vertex v of hull s; the edge it lies along. */
static int edge_beyond_vertex(const walk *w, int s, int v, const double x[3])
{
  const pki_hull *const h = w->hull[s];
  int best = -1;
  double most = 0, d[3], u[3];
  pki_sub3(x, h->vertex + 3 * v, d);
  for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
    const int e = h->vertex_edge[k];
    pki_sub3(h->vertex + 3 * other_end(h, e, v), h->vertex + 3 * v, u);
    const double far = pki_dot3(d, u);
    if (far > 0 && far > most * sqrt(pki_dot3(u, u))) {
      most = far / sqrt(pki_dot3(u, u)), best = e;
    }
  }
  return best;
}

static outcome vertex_vertex(walk *w)
{
  double x[3];
  for (int s = 0; s < 2; s++) {
    vertex_in_frame(w, 1 - s, w->at[1 - s].index, s, x);
    const int e = edge_beyond_vertex(w, s, w->at[s].index, x);
    if (e >= 0) {
      return step_to_feature(w, s, EDGE, e);
    }
  }
  return FOUND;
}

/* In the plane of a face of hull s, across edge u of it, into the face: n x u left of the edge, u x n right. */
static void direction_into_face(const pki_hull *h, int e, int right, const double u[3], double out[3])
{
  const double *const n = h->plane + 4 * h->edge[4 * e + 2 + right];
  if (right) {
    pki_cross3(u, n, out);
  } else {
    pki_cross3(n, u, out);
  }
}

/* A vertex of hull s and an edge of hull t. */
static outcome vertex_edge(walk *w, int s)
{
  const int t = 1 - s, v = w->at[s].index, e = w->at[t].index;
  const pki_hull *const h = w->hull[t], *const g = w->hull[s];
  double x[3], a[3], u[3], d[3], side[3], y[3];
  vertex_in_frame(w, s, v, t, x);
  edge_in_frame(w, t, e, t, a, u);
  pki_sub3(x, a, d);
  pki_sub3(x, h->vertex + 3 * h->edge[4 * e + 1], y);
  if (pki_dot3(d, u) < 0 || pki_dot3(y, u) > 0) {
    return step_to_feature(w, t, VERTEX, h->edge[4 * e + (pki_dot3(d, u) >= 0)]);
  }
  for (int right = 0; right < 2; right++) {
    direction_into_face(h, e, right, u, side);
    if (pki_dot3(d, side) > 0) {
      return step_to_feature(w, t, FACE, h->edge[4 * e + 2 + right]);
    }
  }
  /* the edge within the vertex's region */
  edge_in_frame(w, t, e, s, a, u);
  clip c = clip_all();
  pki_sub3(a, g->vertex + 3 * v, d);
  for (int k = g->vertex_start[v]; k < g->vertex_start[v + 1] && !c.out; k++) {
    pki_sub3(g->vertex + 3 * other_end(g, g->vertex_edge[k], v), g->vertex + 3 * v, side);
    const double d0 = pki_dot3(d, side);
    clip_by(&c, d0, d0 + pki_dot3(u, side), g->vertex_edge[k]);
  }
  if (c.out) {
    return step_to_feature(w, s, EDGE, c.cut[0]);
  }
  /* where it enters or leaves nearer than within, its nearest place is outside */
  for (int end = 0; end < 2; end++) {
    pki_along3(d, c.t[end], u, y);
    const double rate = pki_dot3(u, y);
    if (c.cut[end] >= 0 && (end ? rate < 0 : rate > 0)) {
      return step_to_feature(w, s, EDGE, c.cut[end]);
    }
  }
  return FOUND;
}

/* The edge at[1-s] against the region of the edge at[s]: its ends, then its faces. */
static outcome edge_region(walk *w, int s)
{
  const int e = w->at[s].index;
  const pki_hull *const h = w->hull[s];
  double a[3], u[3], b[3], v[3], side[3], x[3], d[3];
  edge_in_frame(w, s, e, s, a, u);
  edge_in_frame(w, 1 - s, w->at[1 - s].index, s, b, v);
  pki_sub3(b, a, d);
  clip c = clip_all();
  clip_by(&c, -pki_dot3(d, u), -pki_dot3(d, u) - pki_dot3(v, u), h->edge[4 * e]);
  pki_sub3(b, h->vertex + 3 * h->edge[4 * e + 1], x);
  clip_by(&c, pki_dot3(x, u), pki_dot3(x, u) + pki_dot3(v, u), h->edge[4 * e + 1]);
  if (c.out) {
    return step_to_feature(w, s, VERTEX, c.cut[0]);
  }
  for (int end = 0; end < 2; end++) {
    if (c.cut[end] >= 0) {
      pki_along3(b, c.t[end], v, x);
      pki_sub3(x, h->vertex + 3 * c.cut[end], x);
      const double rate = pki_dot3(v, x);
      if (end ? rate < 0 : rate > 0) {
        return step_to_feature(w, s, VERTEX, c.cut[end]);
      }
    }
  }
  c = clip_all();
  for (int right = 0; right < 2; right++) {
    direction_into_face(h, e, right, u, side);
    clip_by(&c, pki_dot3(d, side), pki_dot3(d, side) + pki_dot3(v, side), h->edge[4 * e + 2 + right]);
  }
  if (c.out) {
    return step_to_feature(w, s, FACE, c.cut[0]);
  }
  for (int end = 0; end < 2; end++) {
    if (c.cut[end] >= 0) {
      const double *const n = h->plane + 4 * c.cut[end];
      pki_along3(b, c.t[end], v, x);
      const double rate = pki_dot3(v, n) * (pki_dot3(x, n) - n[3] < 0 ? -1 : 1);
      if (end ? rate < 0 : rate > 0) {
        return step_to_feature(w, s, FACE, c.cut[end]);
      }
    }
  }
  return FOUND;
}

/* A vertex below the face it stands over: the face that it is farthest above. None: it is inside. */
static outcome escape_below_face(walk *w, int t, const double x[3])
{
  const pki_hull *const h = w->hull[t];
  int best = 0;
  double most = -INFINITY;
  for (int f = 0; f < h->nface; f++) {
    const double d = pki_dot3(h->plane + 4 * f, x) - h->plane[4 * f + 3];
    if (d > most) {
      most = d, best = f;
    }
  }
  return most <= 0 ? MET : step_to_feature(w, t, FACE, best);
}

/* The value of the side over edge k of the loop, per length of the edge. */
static void face_side(const pki_hull *h, int f, int k, double side[3])
{
  const int n = h->face_start[f + 1] - h->face_start[f], *const loop = h->loop + h->face_start[f];
  double u[3];
  pki_sub3(h->vertex + 3 * loop[(k + 1) % n], h->vertex + 3 * loop[k], u);
  pki_cross3(u, h->plane + 4 * f, side);
}

/* A vertex of hull s and a face of hull t. */
static outcome vertex_face(walk *w, int s)
{
  const int t = 1 - s, v = w->at[s].index, f = w->at[t].index;
  const pki_hull *const h = w->hull[t], *const g = w->hull[s];
  const double *const n = h->plane + 4 * f;
  double x[3], d[3], side[3], y[3], most = 0;
  int best = -1;
  vertex_in_frame(w, s, v, t, x);
  for (int k = 0; k < h->face_start[f + 1] - h->face_start[f]; k++) {
    face_side(h, f, k, side);
    pki_sub3(x, h->vertex + 3 * h->loop[h->face_start[f] + k], d);
    const double far = pki_dot3(d, side);
    if (far > 0 && far > most * sqrt(pki_dot3(side, side))) {
      most = far / sqrt(pki_dot3(side, side)), best = h->loop_edge[h->face_start[f] + k];
    }
  }
  if (best >= 0) {
    return step_to_feature(w, t, EDGE, best);
  }
  /* an edge that leads closer to the plane */
  const double height = pki_dot3(n, x) - n[3];
  most = 0;
  for (int k = g->vertex_start[v]; k < g->vertex_start[v + 1]; k++) {
    vertex_in_frame(w, s, other_end(g, g->vertex_edge[k], v), t, y);
    pki_sub3(y, x, y);
    const double fall = -pki_dot3(n, y) * (height < 0 ? -1 : 1) / sqrt(pki_dot3(y, y));
    if (fall > 1e-14 && fall > most) {
      most = fall, best = g->vertex_edge[k];
    }
  }
  if (best >= 0) {
    return step_to_feature(w, s, EDGE, best);
  }
  return height > 0 ? FOUND : escape_below_face(w, t, x);
}

/* Parameters of the nearest points of segments a + r u and b + q v, r, q in [0, 1] (Ericson, "Real-Time Collision
 * Detection", section 5.1.9). */
static double nearest_on_edges(const double a[3], const double u[3], const double b[3], const double v[3],
                               double out[2])
{
  double d[3], x[3], y[3];
  pki_sub3(a, b, d);
  const double uu = pki_dot3(u, u), vv = pki_dot3(v, v), uv = pki_dot3(u, v), ud = pki_dot3(u, d),
               vd = pki_dot3(v, d);
  pki_cross3(u, v, x);
  const double det = pki_dot3(x, x); /* uu vv - uv^2, without its cancellation */
  double r = det > 1e-24 * uu * vv ? fmin(fmax((uv * vd - ud * vv) / det, 0), 1) : 0;
  double q = (uv * r + vd) / vv;
  if (q < 0 || q > 1) {
    q = q < 0 ? 0 : 1;
    r = fmin(fmax((q * uv - ud) / uu, 0), 1);
  }
  out[0] = r, out[1] = q;
  pki_along3(a, r, u, x);
  pki_along3(b, q, v, y);
  pki_sub3(x, y, d);
  return pki_dot3(d, d);
}

/* The side of a face that is nearest to an edge beside it. */
static outcome nearest_side(walk *w, int t, const double b[3], const double v[3])
{
  const pki_hull *const h = w->hull[t];
  const int f = w->at[t].index;
  double least = INFINITY, a[3], u[3], place[2];
  int best = h->loop_edge[h->face_start[f]];
  for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
    edge_in_frame(w, t, h->loop_edge[k], t, a, u);
    const double d = nearest_on_edges(a, u, b, v, place);
    if (d < least) {
      least = d, best = h->loop_edge[k];
    }
  }
  return step_to_feature(w, t, EDGE, best);
}

/* An edge of hull s and a face of hull t. */
static outcome edge_face(walk *w, int s)
{
  const int t = 1 - s, e = w->at[s].index, f = w->at[t].index;
  const pki_hull *const h = w->hull[t];
  const double *const n = h->plane + 4 * f;
  double b[3], v[3], d[3], side[3];
  edge_in_frame(w, s, e, t, b, v);
  clip c = clip_all();
  for (int k = 0; k < h->face_start[f + 1] - h->face_start[f]; k++) {
    face_side(h, f, k, side);
    pki_sub3(b, h->vertex + 3 * h->loop[h->face_start[f] + k], d);
    const double d0 = pki_dot3(d, side);
    clip_by(&c, d0, d0 + pki_dot3(v, side), h->loop_edge[h->face_start[f] + k]);
  }
  if (c.out || c.t[0] > c.t[1]) {
    return nearest_side(w, t, b, v);
  }
  const double at = pki_dot3(n, b) - n[3], rate = pki_dot3(n, v);
  const double low = at + c.t[0] * rate, high = at + c.t[1] * rate;
  if ((low <= 0 && high >= 0) || (low >= 0 && high <= 0)) {
    return MET; /* it pierces the face */
  }
  const int end = !(rate * (low < 0 ? -1 : 1) >= 0);
  return c.cut[end] >= 0 ? step_to_feature(w, t, EDGE, c.cut[end])
                         : step_to_feature(w, s, VERTEX, w->hull[s]->edge[4 * e + end]);
}

static outcome next_features(walk *w)
{
  const kind k0 = w->at[0].kind, k1 = w->at[1].kind;
  if (k0 == VERTEX && k1 == VERTEX) {
    return vertex_vertex(w);
  }
  if (k0 == EDGE && k1 == EDGE) {
    const outcome o = edge_region(w, 0);
    return o == FOUND ? edge_region(w, 1) : o;
  }
  if (k0 == FACE && k1 == FACE) { /* only at the start */
    return step_to_feature(w, 0, EDGE, w->hull[0]->loop_edge[w->hull[0]->face_start[w->at[0].index]]);
  }
  const int s = k0 > k1; /* whose feature is the smaller */
  if (w->at[s].kind == EDGE) {
    return edge_face(w, s);
  }
  return w->at[1 - s].kind == EDGE ? vertex_edge(w, s) : vertex_face(w, s);
}

/* ---- the answer ---- */

/* Points of both hulls and the normal from 1 to 0, in the frame of hull 0; false: too near to tell a direction. */
static bool nearest_points(const walk *w, double x[2][3], double n[3])
{
  const int s = w->at[0].kind > w->at[1].kind, t = 1 - s; /* s: the smaller feature */
  double a[3], u[3], b[3], v[3], place[2], d[3];
  if (w->at[t].kind == FACE) {
    const double *const plane = w->hull[t]->plane + 4 * w->at[t].index;
    vertex_in_frame(w, s, w->at[s].index, t, a);
    const double height = pki_dot3(plane, a) - plane[3];
    pki_along3(a, -height, plane, b);
    memcpy(n, plane, 3 * sizeof *n);
    memcpy(x[s], a, sizeof x[s]), memcpy(x[t], b, sizeof x[t]);
    for (int k = 0; k < 2 && t == 1; k++) {
      pki_mat3_apply(w->rot, x[k], x[k]);
      pki_along3(x[k], 1, w->pos, x[k]);
    }
    if (t == 1) {
      pki_mat3_apply(w->rot, n, n);
    } else {
      n[0] = -n[0], n[1] = -n[1], n[2] = -n[2];
    }
    return height > 0;
  }
  memset(u, 0, sizeof u), memset(v, 0, sizeof v);
  if (w->at[s].kind == EDGE) {
    edge_in_frame(w, 0, w->at[0].index, 0, a, u);
    edge_in_frame(w, 1, w->at[1].index, 0, b, v);
    nearest_on_edges(a, u, b, v, place);
    pki_along3(a, place[0], u, x[0]);
    pki_along3(b, place[1], v, x[1]);
  } else {
    vertex_in_frame(w, s, w->at[s].index, 0, x[s]);
    if (w->at[t].kind == VERTEX) {
      vertex_in_frame(w, t, w->at[t].index, 0, x[t]);
    } else {
      edge_in_frame(w, t, w->at[t].index, 0, a, u);
      pki_sub3(x[s], a, d);
      pki_along3(a, fmin(fmax(pki_dot3(d, u) / pki_dot3(u, u), 0), 1), u, x[t]);
    }
  }
  pki_sub3(x[0], x[1], d);
  /* two edges have their common perpendicular, which is sharp however near they are */
  double cross[3];
  pki_cross3(u, v, cross);
  if (pki_dot3(cross, cross) > 1e-6 * pki_dot3(u, u) * pki_dot3(v, v)) {
    const double sign = pki_dot3(cross, d) < 0 ? -1 : 1;
    d[0] = sign * cross[0], d[1] = sign * cross[1], d[2] = sign * cross[2];
  }
  const double length = sqrt(pki_dot3(d, d));
  if (!(length > 0)) {
    return false;
  }
  n[0] = d[0] / length, n[1] = d[1] / length, n[2] = d[2] / length;
  return true;
}

/* No vertex of hull s is beyond x along n by more than the tolerance (frame of hull 0). */
static bool is_support_plane(const walk *w, int s, const double x[3], const double n[3], double tolerance)
{
  const pki_hull *const h = w->hull[s];
  const feature at = w->at[s];
  const int v = at.kind == VERTEX ? at.index
                : at.kind == EDGE ? h->edge[4 * at.index]
                                  : h->loop[h->face_start[at.index]];
  double y[3];
  vertex_in_frame(w, s, v, 0, y);
  pki_sub3(y, x, y);
  if (!(fabs(pki_dot3(y, n)) <= tolerance)) {
    return false;
  }
  for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++) {
    vertex_in_frame(w, s, other_end(h, h->vertex_edge[k], v), 0, y);
    pki_sub3(y, x, y);
    if (!(pki_dot3(y, n) <= tolerance)) {
      return false;
    }
  }
  return true;
}

static bool write_proximity(const walk *w, const pk_pose *pose, pk_proximity *out)
{
  double x[2][3], n[3], d[3];
  if (!nearest_points(w, x, n)) {
    return false;
  }
  pki_sub3(x[0], x[1], d);
  const double apart = pki_dot3(d, n);
  const double size =
      sqrt(pki_dot3(x[0], x[0])) + sqrt(pki_dot3(x[1], x[1])) + sqrt(pki_dot3(w->pos, w->pos));
  const double back[3] = {-n[0], -n[1], -n[2]}, tolerance = 1e-10 * size;
  pki_along3(d, -apart, n, d); /* what the normal does not explain */
  if (!(apart > 0) || pki_dot3(d, d) > tolerance * tolerance ||
      !is_support_plane(w, 0, x[0], back, tolerance) || !is_support_plane(w, 1, x[1], n, tolerance)) {
    return false;
  }
  out->distance = apart;
  pki_mat3_apply(pose->rot, n, out->normal);
  for (int s = 0; s < 2; s++) {
    pki_mat3_apply(pose->rot, x[s], out->point[s]);
    pki_along3(out->point[s], 1, pose->pos, out->point[s]);
  }
  return true;
}

/* ---- features by number: vertices, edges, faces ---- */

static int feature_number(const pki_hull *h, feature f)
{
  return f.index + (f.kind == VERTEX ? 0 : f.kind == EDGE ? h->nvertex : h->nvertex + h->nedge);
}

static feature feature_of(const pki_hull *h, int number)
{
  if (number < 0 || number >= h->nvertex + h->nedge + h->nface) {
    return (feature){VERTEX, 0};
  }
  return number < h->nvertex              ? (feature){VERTEX, number}
         : number < h->nvertex + h->nedge ? (feature){EDGE, number - h->nvertex}
                                          : (feature){FACE, number - h->nvertex - h->nedge};
}

static bool same_features(const feature a[2], const feature b[2])
{
  return a[0].kind == b[0].kind && a[0].index == b[0].index && a[1].kind == b[1].kind &&
         a[1].index == b[1].index;
}

bool pki_walk_distance(const pki_hull *a, const pk_pose *pose_a, const pki_hull *b, const pk_pose *pose_b,
                       pki_pair_memory *memory, pk_proximity *out, int *steps)
{
  walk w = {.hull = {a, b}};
  double transposed[9];
  pki_mat3_transpose(pose_a->rot, transposed);
  pki_mat3_mul(transposed, pose_b->rot, w.rot);
  pki_sub3(pose_b->pos, pose_a->pos, w.pos);
  pki_mat3_apply(transposed, w.pos, w.pos);
  w.at[0] = feature_of(a, memory ? memory->feature[0] - 1 : -1);
  w.at[1] = feature_of(b, memory ? memory->feature[1] - 1 : -1);
  /* there and back again is a tie that roundings decide: either is right if its certificate is */
  const int most = 64 + a->nvertex + b->nvertex;
  int count = 0;
  outcome o = STEPPED;
  bool circle = false;
  feature last[2][2] = {{{FACE, -1}, {FACE, -1}}, {{FACE, -1}, {FACE, -1}}};
  for (; o == STEPPED && !circle && count <= most; count++) {
    feature *const past = last[count % 2]; /* two steps ago */
    circle = same_features(past, w.at) && w.at[0].kind != FACE && w.at[1].kind != FACE;
    past[0] = w.at[0], past[1] = w.at[1];
    o = circle ? FOUND : next_features(&w);
  }
  if (memory) {
    memory->feature[0] = 1 + feature_number(a, w.at[0]);
    memory->feature[1] = 1 + feature_number(b, w.at[1]);
  }
  if (steps) {
    *steps = count - 1; /* the last look changed nothing */
  }
  return o == FOUND && write_proximity(&w, pose_a, out);
}
