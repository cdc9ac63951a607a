/* Concave meshes as convex parts.
 *
 * A piece of the mesh is concave by as much as its surface lies inside of its hull, along its normals, or as the middles of its hull's
 * faces lie outside of a closed mesh. The piece that is most concave is cut in two
 * by a plane across one of the axes, until no piece is concave by more than what is allowed or there are as many as allowed:
 *
 *       +--+                 +--+
 *       |  |                 |  |          the surface is looked at in places that can be seen from outside; the
 *       |  x-----+    --->   +--x-----+    deepest of them, x, and the corners of its triangle propose planes, beside
 *       |        |           |        |    15 even ones across each axis. That plane is taken whose two hulls have
 *       +--------+           +--------+    the least volume together and are the least concave.
 *
 * Hulls of pieces need no caps: the corners of a cut lie on the surface that was cut. Everything depends on the mesh alone. */
#include "collision/shapes/decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

enum {
  PLACES = 4000, /* of the surface that are looked at, about */
  EACH = 7,      /* of one triangle: corners, middles of edges, its middle */
  TRIANGLES = PLACES / EACH,
  EVEN = 15,          /* planes across each axis, beside those of the deepest place */
  JUDGED = 4000,      /* triangles by which planes are compared, at most, */
  JUDGED_PLACES = 500 /* and places, about */
};

/* A place of the surface, its normal on the side from which it can be seen, a point a little within the triangle and behind it, by
 * which it belongs to one side of a cut, and the corners of its triangle. */
typedef struct place {
  double at[3], normal[3], home[3], corner[3][3];
} place;

/* What is left of the surface between some cuts. */
typedef struct piece {
  double *point; /* [npoint][3] */
  int *triangle; /* [ntriangle][3] */
  int npoint, ntriangle, point_room, triangle_room;
  place *places;
  int nplace, place_room;
  pki_hull *hull;
  double error, concavity;
  place deepest;
  bool final; /* no plane cuts it */
} piece;

static void free_piece(piece *p)
{
  free(p->point), free(p->triangle), free(p->places);
  pki_hull_destroy(p->hull);
  *p = (piece){0};
}

static bool grow_array(void **array, int count, int more, int *room, size_t size)
{
  if (count + more <= *room) {
    return true;
  }
  const int wanted = 2 * *room + more + 64;
  void *bigger = realloc(*array, (size_t)wanted * size);
  if (bigger != NULL) {
    *array = bigger, *room = wanted;
  }
  return bigger != NULL;
}

static int add_point(piece *p, const double x[3])
{
  if (!grow_array((void **)&p->point, p->npoint, 1, &p->point_room, 3 * sizeof(double))) {
    return -1;
  }
  memcpy(p->point + 3 * p->npoint, x, 3 * sizeof(double));
  return p->npoint++;
}

static bool add_triangle(piece *p, int a, int b, int c)
{
  if (a < 0 || b < 0 || c < 0 ||
      !grow_array((void **)&p->triangle, p->ntriangle, 1, &p->triangle_room, 3 * sizeof(int))) {
    return false;
  }
  int *t = p->triangle + 3 * p->ntriangle++;
  t[0] = a, t[1] = b, t[2] = c;
  return true;
}

static bool add_place(piece *p, const place *x)
{
  if (!grow_array((void **)&p->places, p->nplace, 1, &p->place_room, sizeof *x)) {
    return false;
  }
  p->places[p->nplace++] = *x;
  return true;
}

/* ---- places that can be seen ---- */

/* From just above a triangle along one of 26 directions, out of the mesh. */
static bool is_visible(const pki_trimesh *t, const double x[3], const double normal[3], double size)
{
  for (int code = -1; code < 27; code++) {
    double d[3] = {normal[0], normal[1], normal[2]};
    if (code >= 0) {
      d[0] = code % 3 - 1, d[1] = code / 3 % 3 - 1, d[2] = code / 9 - 1; /* NOLINT: small numbers */
    }
    const double length = sqrt(pki_dot3(d, d));
    if (length == 0) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      d[k] /= length;
    }
    if (pki_dot3(d, normal) < 0.1) {
      continue;
    }
    const double from[3] = {x[0] + 1e-6 * size * normal[0], x[1] + 1e-6 * size * normal[1],
                            x[2] + 1e-6 * size * normal[2]};
    double distance;
    if (pki_trimesh_ray(t, from, d, 4 * size, &distance) < 0) {
      return true;
    }
  }
  return false;
}

/* Place k of a triangle: its corners, the middles of its edges, its middle. Borders are looked from a little inside. */
static bool look_at_place(const pki_trimesh *t, int i, int k, double size, piece *out)
{
  place p = {0};
  double middle[3], from[3];
  for (int c = 0; c < 3; c++) {
    memcpy(p.corner[c], t->vertex + 3 * t->triangle[3 * i + c], sizeof p.corner[c]);
  }
  for (int e = 0; e < 3; e++) {
    const double a = p.corner[k % 3][e], b = p.corner[(k + 1) % 3][e];
    middle[e] = (p.corner[0][e] + p.corner[1][e] + p.corner[2][e]) / 3;
    p.at[e] = k < 3 ? a : k < 6 ? 0.5 * (a + b) : middle[e];
    from[e] = p.at[e] + 0.01 * (middle[e] - p.at[e]);
    p.normal[e] = t->normal[3 * i + e];
  }
  bool seen = is_visible(t, from, p.normal, size);
  if (!seen && !t->closed) { /* a sheet has two sides */
    for (int e = 0; e < 3; e++) {
      p.normal[e] = -p.normal[e];
    }
    seen = is_visible(t, from, p.normal, size);
  }
  for (int e = 0; e < 3; e++) {
    p.home[e] = from[e] - 1e-6 * size * p.normal[e];
  }
  return !seen || add_place(out, &p);
}

static double area_of(const pki_trimesh *t, int i)
{
  const int *v = t->triangle + 3 * i;
  double u[3], w[3], n[3];
  pki_sub3(t->vertex + 3 * v[1], t->vertex + 3 * v[0], u);
  pki_sub3(t->vertex + 3 * v[2], t->vertex + 3 * v[0], w);
  pki_cross3(u, w, n);
  return 0.5 * sqrt(pki_dot3(n, n));
}

/* Every triangle in all of its places, or of many those that come when even parts of the area have gone by. */
static bool find_places(const pki_trimesh *t, double size, piece *out)
{
  double total = 0, gone = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    total += area_of(t, i);
  }
  bool memory = true;
  int next = 0;
  for (int i = 0; i < t->ntriangle && memory; i++) {
    gone += area_of(t, i);
    if (EACH * t->ntriangle > PLACES && gone * TRIANGLES < next * total) {
      continue;
    }
    next = (int)(gone * TRIANGLES / total) + 1;
    for (int k = 0; k < EACH && memory; k++) {
      memory = look_at_place(t, i, k, size, out);
    }
  }
  return memory;
}

/* ---- hulls of pieces ---- */

static double hull_volume(const pki_hull *h)
{
  double six = 0;
  const double *o = h->vertex;
  for (int f = 0; f < h->nface; f++) {
    const int *loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++) {
      double a[3], b[3], c[3], w[3];
      pki_sub3(h->vertex + 3 * loop[0], o, a);
      pki_sub3(h->vertex + 3 * loop[k], o, b);
      pki_sub3(h->vertex + 3 * loop[k + 1], o, c);
      pki_cross3(b, c, w);
      six += pki_dot3(a, w);
    }
  }
  return six / 6;
}

/* How far it is from a place along its normal to the hull's surface. */
static double depth_in(const pki_hull *h, const place *p)
{
  double least = INFINITY;
  for (int f = 0; f < h->nface; f++) {
    const double *n = h->plane + 4 * f, slope = pki_dot3(n, p->normal);
    if (slope > 1e-9) {
      least = fmin(least, (n[3] - pki_dot3(n, p->at)) / slope);
    }
  }
  return isfinite(least) ? least : 0;
}

/* Faces of the hull, as fans of triangles, that span what is outside of a closed mesh. */
static void look_at_hull(piece *p, const pki_trimesh *t)
{
  const pki_hull *h = p->hull;
  for (int f = 0; f < h->nface && t->closed; f++) {
    const int *loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++) {
      const int corner[3] = {loop[0], loop[k], loop[k + 1]};
      place x = {.at = {0}};
      for (int c = 0; c < 3; c++) {
        memcpy(x.corner[c], h->vertex + 3 * corner[c], sizeof x.corner[c]);
        for (int e = 0; e < 3; e++) {
          x.at[e] += x.corner[c][e] / 3;
        }
      }
      double near[3], arm[3];
      if (pki_trimesh_nearest(t, x.at, INFINITY, near) < 0) {
        continue;
      }
      pki_sub3(x.at, near, arm);
      const double distance = sqrt(pki_dot3(arm, arm));
      if (distance > p->concavity && !pki_trimesh_inside(t, x.at)) {
        p->concavity = distance;
        p->deepest = x;
      }
    }
  }
}

/* The hull of a piece, and how concave it is. */
static pk_status finish_piece(piece *p, const pki_trimesh *t, const pk_convex_options *o, double size,
                              pk_error *err)
{
  const pk_status status =
      pki_hull_few(p->point, p->npoint, o->max_vertices, o->tolerance * size, &p->hull, &p->error, err);
  p->concavity = 0;
  for (int i = 0; i < p->nplace && status == PK_OK; i++) {
    const double depth = depth_in(p->hull, &p->places[i]);
    if (depth > p->concavity) {
      p->concavity = depth;
      p->deepest = p->places[i];
    }
  }
  if (status == PK_OK) {
    look_at_hull(p, t);
  }
  return status;
}

/* ---- cuts ---- */

/* Where an edge meets the plane x[axis] = at. */
static void cross_edge(const double *a, const double *b, int axis, double at, double out[3])
{
  const double s = (at - a[axis]) / (b[axis] - a[axis]);
  for (int k = 0; k < 3; k++) {
    out[k] = k == axis ? at : a[k] + s * (b[k] - a[k]);
  }
}

/* The part of one triangle on one side, as a polygon of at most 4 corners; none of what only touches the plane from the other. */
static int clip_triangle(const piece *p, int i, int axis, double at, int side, double out[4][3])
{
  int n = 0;
  bool inside = false;
  for (int k = 0; k < 3; k++) {
    const double *a = p->point + 3 * p->triangle[3 * i + k];
    const double *b = p->point + 3 * p->triangle[3 * i + (k + 1) % 3];
    const double da = side * (a[axis] - at), db = side * (b[axis] - at);
    inside |= da > 0;
    if (da >= 0) {
      memcpy(out[n++], a, 3 * sizeof(double));
    }
    if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
      cross_edge(a, b, axis, at, out[n++]);
    }
  }
  return inside ? n : 0;
}

/* All of a piece on one side (-1, 1) of a plane, of every `stride`-th triangle; when it is only judged, without places. `map` has room for
 * the piece's points. False: no memory. */
static bool cut_side(const piece *p, int axis, double at, int side, int stride, bool judged, int *map,
                     piece *out)
{
  bool memory = true;
  memset(map, -1, (size_t)p->npoint * sizeof *map);
  for (int i = 0; i < p->ntriangle && memory; i += stride) {
    const int *t = p->triangle + 3 * i;
    double corner[4][3];
    const int n = clip_triangle(p, i, axis, at, side, corner);
    int name[4];
    for (int k = 0; k < n && memory; k++) {
      name[k] = -1;
      for (int e = 0; e < 3; e++) { /* a corner of the piece stays one point */
        if (memcmp(corner[k], p->point + 3 * t[e], sizeof corner[k]) == 0) {
          map[t[e]] = map[t[e]] >= 0 ? map[t[e]] : add_point(out, corner[k]);
          name[k] = map[t[e]];
          break;
        }
      }
      name[k] = name[k] >= 0 ? name[k] : add_point(out, corner[k]);
      memory = name[k] >= 0;
    }
    for (int k = 1; k + 1 < n && memory; k++) {
      memory = add_triangle(out, name[0], name[k], name[k + 1]);
    }
  }
  for (int i = 0; i < p->nplace && memory && !judged; i++) {
    memory = (p->places[i].home[axis] < at) != (side < 0) || add_place(out, &p->places[i]);
  }
  return memory;
}

/* The points that are farthest along 98 directions, from the middle of a cube to a grid on its sides, of n; how many. */
static int farthest_points(const double *point, int n, double out[98][3])
{
  int count = 0;
  for (int code = 0; code < 125 && point != NULL; code++) {
    const int cell[3] = {code % 5, code / 5 % 5, code / 25};
    const double d[3] = {cell[0] - 2.0, cell[1] - 2.0, cell[2] - 2.0};
    if (fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))) < 2) {
      continue;
    }
    double most = -INFINITY;
    int best = 0;
    for (int i = 0; i < n; i++) {
      const double along = pki_dot3(d, point + 3 * i);
      if (along > most) {
        most = along, best = i;
      }
    }
    bool known = false;
    for (int k = 0; k < count && !known; k++) {
      known = memcmp(out[k], point + 3 * best, sizeof out[k]) == 0;
    }
    if (!known) {
      memcpy(out[count++], point + 3 * best, sizeof out[0]);
    }
  }
  return count;
}

/* What a plane would leave: about the volume of the hull on one side, and how concave it is; infinite where there is none. */
typedef struct verdict {
  double volume, concavity;
} verdict;

static verdict judge_side(const piece *p, int axis, double at, int side, int *map, bool *memory)
{
  const int stride = p->nplace / JUDGED_PLACES + 1;
  piece half = {0};
  pki_hull *h = NULL;
  double far[98][3];
  verdict out = {INFINITY, INFINITY};
  *memory = cut_side(p, axis, at, side, p->ntriangle / JUDGED + 1, true, map, &half);
  const int n = *memory ? farthest_points(half.point, half.npoint, far) : 0;
  const pk_status status = n >= 4 ? pki_hull_create(far[0], n, &h, NULL) : PK_ERROR_MESH;
  *memory = *memory && status != PK_ERROR_MEMORY;
  if (status == PK_OK) {
    out = (verdict){.volume = hull_volume(h)};
    for (int i = 0; i < p->nplace; i += stride) {
      if ((p->places[i].home[axis] < at) == (side < 0)) {
        out.concavity = fmax(out.concavity, depth_in(h, &p->places[i]));
      }
    }
  }
  pki_hull_destroy(h);
  free_piece(&half);
  return out;
}

typedef struct cut {
  int axis;
  double at, score;
} cut;

static bool try_cut(const piece *p, int axis, double at, double size, int *map, cut *best)
{
  bool memory;
  const verdict low = judge_side(p, axis, at, -1, map, &memory);
  if (!memory || !isfinite(low.volume)) {
    return memory;
  }
  const verdict high = judge_side(p, axis, at, 1, map, &memory);
  const double score =
      (low.volume + high.volume) / hull_volume(p->hull) + fmax(low.concavity, high.concavity) / size;
  if (memory && score < (1 - 1e-6) * best->score) {
    *best = (cut){axis, at, score};
  }
  return memory;
}

/* The best plane for a piece; its score is infinite where none cuts it. */
static bool find_cut(const piece *p, int *map, double size, cut *best)
{
  bool memory = true;
  *best = (cut){.axis = 0, .score = INFINITY};
  for (int axis = 0; axis < 3 && memory; axis++) {
    double min = INFINITY, max = -INFINITY;
    for (int i = 0; i < p->npoint; i++) {
      min = fmin(min, p->point[3 * i + axis]), max = fmax(max, p->point[3 * i + axis]);
    }
    /* corners first: of planes that are as good, those along the surface leave nothing to cut beside them */
    const double hair = 1e-3 * size, *const at[4] = {p->deepest.corner[0], p->deepest.corner[1],
                                                     p->deepest.corner[2], p->deepest.at};
    for (int k = 0; k < 4 && memory; k++) {
      const double x = at[k][axis];
      memory = x <= min + hair || x >= max - hair || try_cut(p, axis, x, size, map, best);
    }
    for (int k = 1; k <= EVEN && memory && max - min > 4 * hair; k++) {
      memory = try_cut(p, axis, min + k * (max - min) / (EVEN + 1), size, map, best);
    }
  }
  return memory;
}

/* A piece becomes two, the second at `other`; it is final when that does not go. */
static pk_status split_piece(piece *p, piece *other, const pki_trimesh *t, const pk_convex_options *o,
                             double size, bool *done, pk_error *err)
{
  int *map = malloc((size_t)p->npoint * sizeof *map);
  piece half[2] = {{0}, {0}};
  cut best = {.score = INFINITY};
  bool memory = map != NULL && find_cut(p, map, size, &best);
  *done = false;
  p->final = true;
  pk_status status = PK_OK;
  if (memory && best.score < INFINITY) {
    memory = cut_side(p, best.axis, best.at, -1, 1, false, map, &half[0]) &&
             cut_side(p, best.axis, best.at, 1, 1, false, map, &half[1]);
    status = memory ? finish_piece(&half[0], t, o, size, err) : PK_OK;
    status = memory && status == PK_OK ? finish_piece(&half[1], t, o, size, err) : status;
    *done = memory && status == PK_OK;
    status = status == PK_ERROR_MESH ? PK_OK : status; /* a half without a volume: it stays whole */
  }
  free(map);
  if (*done) {
    free_piece(p);
    *p = half[0], *other = half[1];
  } else {
    free_piece(&half[0]), free_piece(&half[1]);
  }
  return memory ? status : pki_fail_memory(err, "the parts of a mesh");
}

/* ---- all of it ---- */

/* The piece that is most concave and can be cut; -1: none needs to be. */
static int most_concave(const piece *pieces, int count, double allowed)
{
  int worst = -1;
  for (int i = 0; i < count; i++) {
    if (!pieces[i].final && pieces[i].concavity > allowed &&
        (worst < 0 || pieces[i].concavity > pieces[worst].concavity)) {
      worst = i;
    }
  }
  return worst;
}

/* The whole mesh as one piece. */
static pk_status begin_piece(const pki_trimesh *t, const pk_convex_options *o, double size, piece *out,
                             pk_error *err)
{
  bool memory = find_places(t, size, out);
  for (int i = 0; i < t->nvertex && memory; i++) {
    memory = add_point(out, t->vertex + 3 * i) >= 0;
  }
  for (int i = 0; i < t->ntriangle && memory; i++) {
    memory = add_triangle(out, t->triangle[3 * i], t->triangle[3 * i + 1], t->triangle[3 * i + 2]);
  }
  return memory ? finish_piece(out, t, o, size, err) : pki_fail_memory(err, "the parts of a mesh");
}

/* Pieces until none is too concave; *count of them. */
static pk_status cut_pieces(const pki_trimesh *t, const pk_convex_options *o, double size, piece *pieces,
                            int *count, pk_error *err)
{
  pk_status status = begin_piece(t, o, size, &pieces[0], err);
  *count = 1;
  while (status == PK_OK && *count < o->max_parts) {
    const int worst = most_concave(pieces, *count, o->concavity * size);
    if (worst < 0) {
      break;
    }
    bool done;
    status = split_piece(&pieces[worst], &pieces[*count], t, o, size, &done, err);
    *count += done;
  }
  return status;
}

void pki_decomposition_free(pki_decomposition *d)
{
  for (int i = 0; i < d->count; i++) {
    pki_hull_destroy(d->hulls[i]);
  }
  free(d->hulls);
  *d = (pki_decomposition){0};
}

pk_status pki_decompose(const pk_mesh *mesh, const pk_convex_options *options, double size,
                        pki_decomposition *out, pk_error *err)
{
  const size_t most = (size_t)options->max_parts;
  piece *pieces = calloc(most, sizeof *pieces);
  pki_trimesh *t = NULL;
  int count = 0;
  *out = (pki_decomposition){.hulls = calloc(most, sizeof *out->hulls)};
  pk_status status = pieces != NULL && out->hulls != NULL ? pki_trimesh_create(mesh, &t, err)
                                                          : pki_fail_memory(err, "the parts of a mesh");
  status = status == PK_OK ? cut_pieces(t, options, size, pieces, &count, err) : status;
  pki_trimesh_destroy(t);
  for (int i = 0; i < count && pieces != NULL; i++) {
    if (status == PK_OK) {
      out->hulls[out->count++] = pieces[i].hull;
      out->error = fmax(out->error, pieces[i].error);
      out->concavity = fmax(out->concavity, pieces[i].concavity);
      pieces[i].hull = NULL;
    }
    free_piece(&pieces[i]);
  }
  free(pieces);
  if (status != PK_OK) {
    pki_decomposition_free(out);
  }
  return status;
}
