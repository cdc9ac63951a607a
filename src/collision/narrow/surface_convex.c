/* A convex shape on a surface.
 *
 * Every triangle near the shape is asked for the shortest way out of it (GJK, EPA). Where the surface itself could push
 * that way, the way is sound: the triangle touches with its face (the shape's own points over it, as on a plane, and the
 * places where its convex edges pass below the shape), or with an edge or a corner. Where it could not, the shape has
 * gone through: such triangles push along their normals, but count only beside sound ones that push a similar way, or
 * when there are none, or when these would leave the shape in them. What nothing pushes is outside, or deep inside: then the nearest place of the surface to the
 * shape's middle is the way out.
 *
 * The points of a shape over flat triangles bear the names that they have on a plane, so that a foot which slides from
 * triangle to triangle keeps them. */
#include <math.h>
#include <string.h>

#include "collision/narrow/surface.h"
#include "math/mat3.h"

static const double TILT_COSINE = 0.9968; /* of 0.08 rad: flatter is face on face */
static const double FACING = 0.5;         /* cosine: points over a triangle count up to here */
static const double SIMILAR = 0.7;        /* cosine */
static const double SHALLOW = 0.1;        /* of a triangle's height */
static const double SIDEWAYS = 4; /* how much longer than the way past a flat edge the face's way may be */
static const double MISSED =
    2; /* a vertex so many times deeper than the deepest touch needs one of its own */

enum { NONE = -1, UNKNOWN = -2 };

typedef struct scene {
  const pk_geometry *shape, *surface;
  const pk_pose *pose;
  pki_convex convex;
  bool solid;
  double margin, size, centre[3];
  int side_part; /* of an open mesh: the part nearest to the centre, UNKNOWN at first, */
  double side;   /* and on which side of it the centre is */
  pki_gather *sound, *through;
  bool deepest; /* of sound and through each the deepest for every normal; nothing else is wanted */
  double best;  /* the least gap in sound then */
  double depth; /* of the shallowest way out by a triangle that the shape went through */
  double way[3], at[3];
  double stuck; /* the most that the shape has to move to leave one of those */
  double known; /* those that less sets free are not looked at */
  double below; /* how far the shape reaches below the plane of a triangle that it meets, at most */
  /* the last plane that was asked for */
  double plane_normal[3], plane_at;
  int plane_count;
  pk_touch_point plane_touch[PK_TOUCH_MOST];
} scene;

/* How far the shape reaches below a plane along -n (or above, along n). */
static double reach_along(const scene *s, const double n[3], double sign)
{
  double x[3];
  const double d[3] = {sign * n[0], sign * n[1], sign * n[2]};
  (void)pki_convex_support(&s->convex, d, -1, x);
  return pki_dot3(n, x) + sign * s->convex.rounding;
}

/* The points of the shape at a plane through `at`. */
static int touch_plane(const scene *s, const double n[3], const double at[3],
                       pk_touch_point out[PK_TOUCH_MOST])
{
  pk_pose plane = {.pos = {at[0], at[1], at[2]}};
  /* any two axes beside the normal */
  const int k = fabs(n[0]) < 0.6 ? 0 : 1;
  double x[3] = {-n[k] * n[0], -n[k] * n[1], -n[k] * n[2]}, y[3];
  x[k] += 1;
  const double length = sqrt(pki_dot3(x, x));
  for (int i = 0; i < 3; i++) {
    x[i] /= length;
  }
  pki_cross3(n, x, y);
  for (int i = 0; i < 3; i++) {
    plane.rot[3 * i] = x[i], plane.rot[3 * i + 1] = y[i], plane.rot[3 * i + 2] = n[i];
  }
  return pki_plane_touch(s->shape, s->pose, &plane, s->margin, out);
}

/* Six classes of normals: one corner of a shape may touch floor and wall. */
static unsigned facing_of(const double n[3])
{
  int k = 0;
  for (int i = 1; i < 3; i++) {
    k = fabs(n[i]) > fabs(n[k]) + 1e-9 ? i : k;
  }
  return 2 * (unsigned)k + (n[k] > 0);
}

/* Keep a point if it is the deepest of its normal. */
static void note_point(scene *s, pki_gather *out, const pk_touch_point *t)
{
  int at = out->count;
  for (int i = 0; i < out->count; i++) {
    if (pki_dot3(out->touch[i].normal, t->normal) > 1 - 1e-9) {
      at = out->touch[i].gap <= t->gap ? NONE : i;
      break;
    }
  }
  if (at == PKI_GATHER) { /* for the shallowest */
    at = 0;
    for (int i = 1; i < PKI_GATHER; i++) {
      at = out->touch[i].gap > out->touch[at].gap ? i : at;
    }
    at = out->touch[at].gap > t->gap ? at : NONE;
  }
  if (at != NONE) {
    out->touch[at] = *t;
    out->count += at == out->count;
  }
  s->best = out == s->sound ? fmin(s->best, t->gap) : s->best;
}

/* Whether another vertex is so steeply below this one that the shape has to fall over before this one touches, as
 * manifold_plane.c has it; n in the hull's frame. */
static bool is_hidden(const pki_hull *h, int i, const double n[3])
{
  for (int j = 0; j < h->nvertex; j++) {
    double d[3];
    pki_sub3(h->vertex + 3 * i, h->vertex + 3 * j, d);
    const double rise = pki_dot3(n, d);
    if (rise > 0 && 5 * rise * rise > 4 * pki_dot3(d, d)) {
      return true;
    }
  }
  return false;
}

/* The deepest vertex of a hull over a triangle. */
static void note_vertex(scene *s, const pki_triangle *t, pki_gather *out)
{
  const pki_hull *const h = s->shape->hull;
  double n[3], from[3], most = s->margin;
  pk_touch_point touch = {.gap = INFINITY};
  pki_mat3_apply_transposed(s->pose->rot, t->normal, n);
  pki_sub3(s->pose->pos, t->point[0], from);
  const double base = pki_dot3(t->normal, from);
  for (int i = 0; i < h->nvertex; i++) {
    const double gap = base + pki_dot3(n, h->vertex + 3 * i);
    if (!(gap <= most)) {
      continue;
    }
    double x[3], foot[3];
    pki_mat3_apply(s->pose->rot, h->vertex + 3 * i, x);
    for (int k = 0; k < 3; k++) {
      x[k] += s->pose->pos[k];
      foot[k] = x[k] - gap * t->normal[k];
    }
    if (pki_triangle_bears(t, x, gap, 1e-7 * s->size) && !is_hidden(h, i, n)) {
      most = touch.gap = gap;
      memcpy(touch.point[0], x, sizeof x);
      memcpy(touch.point[1], foot, sizeof foot);
    }
  }
  if (isfinite(touch.gap)) {
    memcpy(touch.normal, t->normal, sizeof touch.normal);
    note_point(s, out, &touch);
  }
}

/* The shape's points over a triangle. */
static void add_points(scene *s, const pki_triangle *t, pki_gather *out)
{
  if (s->deepest && s->shape->kind == PK_SHAPE_CONVEX) {
    note_vertex(s, t, out);
    return;
  }
  double away[3];
  pki_sub3(t->normal, s->plane_normal, away);
  const double at = pki_dot3(t->normal, t->point[0]);
  if (!(pki_dot3(away, away) <= 1e-24) || !(fabs(at - s->plane_at) <= 1e-13 * s->size)) {
    memcpy(s->plane_normal, t->normal, sizeof s->plane_normal);
    s->plane_at = at;
    s->plane_count = touch_plane(s, t->normal, t->point[0], s->plane_touch);
  }
  for (int i = 0; i < s->plane_count; i++) {
    pk_touch_point touch = s->plane_touch[i];
    if (pki_triangle_bears(t, touch.point[0], touch.gap, 1e-7 * s->size)) {
      if (s->deepest) {
        note_point(s, out, &touch);
        continue;
      }
      touch.id = pki_surface_name(0, touch.id, facing_of(t->normal), 0);
      pki_gather_add(out, &touch);
    }
  }
}

/* An edge or a corner of the triangle. */
static void add_part(scene *s, const pki_triangle *t, const pk_proximity *near, const int *part, int npart)
{
  double points[6];
  const pk_pose here = pk_pose_identity();
  pk_touch_point touch[PK_TOUCH_MOST];
  if (s->deepest) {
    touch[0].gap = near->distance, touch[0].id = 0;
    memcpy(touch[0].point, near->point, sizeof near->point);
    memcpy(touch[0].normal, near->normal, sizeof near->normal);
    note_point(s, s->sound, touch);
    return;
  }
  for (int k = 0; k < npart; k++) {
    memcpy(points + 3 * k, t->point[part[k]], 3 * sizeof *points);
  }
  const pki_convex edge = pki_convex_points(points, npart, &here);
  const int n = pki_convex_touch(&s->convex, &edge, near, s->margin, touch);
  const unsigned v = (unsigned)t->vertex[part[0]], w = (unsigned)t->vertex[part[npart - 1]];
  for (int i = 0; i < n; i++) {
    touch[i].id = pki_surface_name(3, touch[i].id, v < w ? v : w, v < w ? w : v);
    pki_gather_add(s->sound, &touch[i]);
  }
}

/* Its edges that pass below the shape. */
static void add_border(scene *s, const pki_triangle *t)
{
  if (!s->deepest) {
    pki_triangle_border(t, &s->convex, s->margin, s->sound);
    return;
  }
  pki_gather found; /* big: filled as far as it is used */
  found.count = 0, found.same = s->sound->same;
  pki_triangle_border(t, &s->convex, s->margin, &found);
  for (int i = 0; i < found.count; i++) {
    note_point(s, s->sound, &found.touch[i]);
  }
}

/* ---- one triangle ---- */

/* On which side of an open mesh the middle of the shape is: by the normals around the nearest point. */
static void find_side(scene *s)
{
  const pki_trimesh *m = s->surface->mesh;
  double x[3], d[3], n[3];
  const int i = pki_trimesh_nearest(m, s->centre, INFINITY, x);
  s->side_part = NONE;
  if (i < 0) {
    return;
  }
  pki_triangle t;
  pki_trimesh_triangle(m, i, &t);
  const int on = pki_triangle_nearest(s->centre, t.point[0], t.point[1], t.point[2], t.normal, x);
  memcpy(n, t.normal, sizeof n);
  for (int k = 0; k < 3; k++) {
    if (on == 3 + k || on == k || on == (k + 1) % 3) {
      n[0] += t.neighbour[k][0], n[1] += t.neighbour[k][1], n[2] += t.neighbour[k][2];
    }
  }
  pki_sub3(s->centre, x, d);
  s->side = pki_dot3(d, n) < 0 ? -1 : 1;
  s->side_part = m->part[i];
}

/* Sheets have two sides: the shape's middle chooses. */
static void choose_side(scene *s, pki_triangle *t)
{
  double d[3];
  if (s->side_part == UNKNOWN) {
    find_side(s);
  }
  pki_sub3(s->centre, t->point[0], d);
  const bool known = s->surface->mesh->part[t->index] == s->side_part;
  if ((known ? s->side : pki_dot3(d, t->normal)) < 0) {
    pki_triangle_turn(t);
  }
}

/* The least height of a triangle. */
static double least_height(const pki_triangle *t)
{
  double longest = 0, e[2][3], area[3];
  for (int k = 0; k < 3; k++) {
    pki_sub3(t->point[(k + 1) % 3], t->point[k], e[0]);
    longest = fmax(longest, pki_dot3(e[0], e[0]));
  }
  pki_sub3(t->point[1], t->point[0], e[0]);
  pki_sub3(t->point[2], t->point[0], e[1]);
  pki_cross3(e[0], e[1], area);
  return sqrt(pki_dot3(area, area) / longest);
}

/* A triangle without edges to the outside, its front towards the shape's middle, and the shape not deep in it. */
static bool is_simple_overlap(const scene *s, const pki_triangle *t, double low)
{
  double d[3];
  for (int k = 0; k < 3; k++) {
    if (t->edge[k] == PKI_EDGE_CONVEX || t->edge[k] == PKI_EDGE_OPEN) {
      return false;
    }
  }
  pki_sub3(s->centre, t->point[0], d);
  return pki_dot3(d, t->normal) > 0 && low > -SHALLOW * least_height(t);
}

/* Whether a part of the triangle is an edge or a corner to the outside. */
static bool is_sharp(const pki_triangle *t, const int *part, int npart)
{
  const int one = npart == 2 && part[0] == 0 && part[1] == 2 ? 2 : part[0];
  const int other = npart == 1 ? (one + 2) % 3 : one;
  const pki_edge_kind a = t->edge[one], b = t->edge[other];
  return npart < 3 &&
         (a == PKI_EDGE_CONVEX || a == PKI_EDGE_OPEN || b == PKI_EDGE_CONVEX || b == PKI_EDGE_OPEN);
}

/* The shape has gone through: note the way back along m. */
static void note_way_back(scene *s, const pki_triangle *t, const double m[3])
{
  double top = -INFINITY;
  int at = 0;
  for (int k = 0; k < 3; k++) {
    const double height = pki_dot3(m, t->point[k]);
    at = height > top ? k : at;
    top = fmax(top, height);
  }
  const double depth = top - reach_along(s, m, -1);
  if (depth < s->depth) {
    s->depth = depth;
    memcpy(s->way, m, sizeof s->way);
    memcpy(s->at, t->point[at], sizeof s->at);
  }
}

/* Whether a triangle is clear of the box around the shape, in the shape's own axes, by more than the margin. */
static bool is_clear(const scene *s, const pki_triangle *t)
{
  const pki_aabb *const box = &s->shape->box;
  const double margin = fmax(s->margin, 0) + 1e-12 * s->size;
  double x[3][3];
  for (int k = 0; k < 3; k++) {
    pki_sub3(t->point[k], s->pose->pos, x[k]);
    pki_mat3_apply_transposed(s->pose->rot, x[k], x[k]);
  }
  for (int k = 0; k < 3; k++) {
    if (fmin(x[0][k], fmin(x[1][k], x[2][k])) > box->max[k] + margin ||
        fmax(x[0][k], fmax(x[1][k], x[2][k])) < box->min[k] - margin) {
      return true;
    }
  }
  return false;
}

/* The shortest way out of a triangle, or to it; false: it is farther than the margin. */
static bool find_way_out(const scene *s, const pki_triangle *t, pk_proximity *near)
{
  if (s->shape->kind == PK_SHAPE_BOX) {
    const pki_axes_end end = pki_box_triangle(s->shape, s->pose, t, fmax(s->margin, 0), near);
    if (end != PKI_AXES_UNSURE) {
      return end == PKI_AXES_MEET && near->distance <= s->margin;
    }
  } else if (is_clear(s, t)) {
    return false;
  }
  const pk_pose here = pk_pose_identity();
  const pki_convex triangle = pki_convex_points(t->point[0], 3, &here);
  return pki_gjk_distance(&s->convex, &triangle, fmax(s->margin, 0), near) && near->distance <= s->margin;
}

static bool visit_near_triangle(const pki_triangle *given, void *user)
{
  scene *s = user;
  pki_triangle t = *given;
  if (!s->solid) {
    choose_side(s, &t);
  }
  const double at = pki_dot3(t.normal, t.point[0]);
  double low = reach_along(s, t.normal, -1) - at;
  const double high = reach_along(s, t.normal, 1) - at;
  if (!s->solid && high < 0) {
    pki_triangle_turn(&t); /* all of it is on the other side */
    low = -high;
  } else if (!(high >= 0)) {
    return true; /* behind it */
  }
  /* no point of this triangle is deeper than the shape is below its plane */
  if (!(low <= s->margin) || (s->deepest && low >= s->best)) {
    return true;
  }
  if (is_simple_overlap(s, &t, low)) {
    s->below = fmax(s->below, -low);
    add_points(s, &t, s->sound);
    return true;
  }
  pk_proximity near;
  if (!find_way_out(s, &t, &near)) {
    return true;
  }
  const bool apart = near.distance + s->convex.rounding > 1e-9 * s->size;
  s->below = apart ? s->below : fmax(s->below, -low);
  double own[3];
  int part[3], npart;
  const bool sound = pki_triangle_owns(&t, near.normal, apart, own, part, &npart);
  const double facing = pki_dot3(near.normal, t.normal);
  /* the way out past an edge is shorter than through the face */
  const bool past = sound && !apart && npart < 3 && facing < TILT_COSINE;
  /* past a flat edge there is more of the same face */
  const bool along = !sound && !apart && facing > -0.1 && -low <= SIDEWAYS * fabs(near.distance);
  if ((facing > FACING && !past) || along) {
    add_points(s, &t, s->sound);
  }
  if (sound && (facing >= TILT_COSINE || npart == 3)) {
    add_border(s, &t);
  }
  if (sound && is_sharp(&t, part, npart) && pki_dot3(own, t.normal) < 1 - 1e-9 &&
      (npart > 1 || pki_vertex_stands_out(s->surface, &t, part[0], near.normal))) {
    add_part(s, &t, &near, part, npart);
  }
  if (!sound && !apart) {
    s->stuck = fmax(s->stuck, -near.distance);
    if (-near.distance > s->known) {
      note_way_back(s, &t, own);
    }
    if (!(facing > FACING) && !along) {
      add_points(s, &t, s->through);
    }
  }
  return true;
}

/* ---- all of them ---- */

static void keep_touch(scene *s, const pk_touch_point *t)
{
  if (s->deepest) {
    note_point(s, s->sound, t);
  } else {
    pki_gather_add(s->sound, t);
  }
}

/* Of the triangles that the shape went through those stay that push a way similar to `way`. */
static void keep_similar(scene *s, const double way[3])
{
  for (int i = 0; i < s->through->count; i++) {
    if (pki_dot3(s->through->touch[i].normal, way) > SIMILAR) {
      keep_touch(s, &s->through->touch[i]);
    }
  }
}

/* No triangle touches: the shape may be inside, as a whole. */
static int touch_deep(const scene *s, pk_touch_point out[PK_TOUCH_MOST])
{
  double d, n[3], at[3];
  if (!s->solid || !pki_geometry_point(s->surface, s->centre, 0, &d, n) || !(d < 0)) {
    return 0;
  }
  for (int k = 0; k < 3; k++) {
    at[k] = s->centre[k] - d * n[k];
  }
  return touch_plane(s, n, at, out);
}

static double deepest_of(const pki_gather *g)
{
  double most = 0;
  for (int i = 0; i < g->count; i++) {
    most = fmax(most, -g->touch[i].gap);
  }
  return most;
}

/* What touches elsewhere must not hide an overlap: a triangle that the shape went through and would still be in after it
 * moved by the deepest of the touches is not covered by them. The way out of such ones joins them; only where it is deepest, since
 * their plane goes on where the surface does not. */
static void resolve_uncovered_overlaps(scene *s, const pki_aabb *box)
{
  double least = 0;
  s->known = 1.01 * deepest_of(s->sound) + 1e-7 * s->size;
  if (!(s->stuck > s->known)) {
    return;
  }
  s->depth = INFINITY;
  pki_triangles_near(s->surface, box, visit_near_triangle,
                     s); /* again, for those alone; points that are there stay one */
  pk_touch_point touch[PK_TOUCH_MOST];
  const int n = isfinite(s->depth) ? touch_plane(s, s->way, s->at, touch) : 0;
  for (int i = 0; i < n; i++) {
    least = fmin(least, touch[i].gap);
  }
  for (int i = 0; i < n; i++) {
    if (touch[i].gap < 0.9 * least) {
      touch[i].id = pki_surface_name(4, touch[i].id, facing_of(s->way), 0);
      keep_touch(s, &touch[i]);
    }
  }
}

/* Each triangle alone may have a short way past its edge where all of them together have none, and where convex and concave
 * edges meet no triangle may answer for a vertex. Vertices far deeper than all touches go the shortest way. */
static void free_vertices(scene *s)
{
  const pki_hull *h = s->shape->hull;
  const double reported = deepest_of(s->sound);
  if (h == NULL || !s->solid || !(s->below > MISSED * reported)) {
    return;
  }
  for (int i = 0; i < h->nvertex; i++) {
    pk_touch_point t = {.gap = 0};
    double *const x = t.point[0];
    pki_mat3_apply(s->pose->rot, h->vertex + 3 * i, x);
    x[0] += s->pose->pos[0], x[1] += s->pose->pos[1], x[2] += s->pose->pos[2];
    if (pki_geometry_point(s->surface, x, 0, &t.gap, t.normal) && -t.gap > MISSED * reported) {
      for (int k = 0; k < 3; k++) {
        t.point[1][k] = x[k] - t.gap * t.normal[k];
      }
      t.id = pki_surface_name(5, (unsigned)i, facing_of(t.normal), 0);
      keep_touch(s, &t);
    }
  }
}

/* All touches into `sound`; what is said of them is in *s. */
static void gather_all(scene *s, const pk_pose *pose, double margin)
{
  s->pose = pose, s->margin = margin, s->depth = s->best = INFINITY, s->stuck = s->known = s->below = 0;
  s->convex = pki_convex_of(s->shape, pose);
  s->solid = pki_surface_solid(s->surface);
  s->side_part = UNKNOWN;
  s->size = s->shape->bound;
  s->sound->same = s->through->same = 1e-6 * s->size;
  pki_mat3_apply(pose->rot, s->shape->centre, s->centre);
  pki_aabb box;
  pki_geometry_bounds(s->shape, pose, &box);
  for (int k = 0; k < 3; k++) {
    s->centre[k] += pose->pos[k];
    box.min[k] -= fmax(margin, 0), box.max[k] += fmax(margin, 0);
  }
  pki_triangles_near(s->surface, &box, visit_near_triangle, s);
  if (s->sound->count > 0) {
    const int n = s->sound->count;
    for (int i = 0; i < n && i < s->sound->count; i++) {
      const double way[3] = {s->sound->touch[i].normal[0], s->sound->touch[i].normal[1],
                             s->sound->touch[i].normal[2]};
      keep_similar(s, way);
    }
    resolve_uncovered_overlaps(s, &box);
  } else if (isfinite(s->depth)) {
    s->sound->count = touch_plane(s, s->way, s->at, s->sound->touch);
  } else {
    s->sound->count = touch_deep(s, s->sound->touch);
  }
  free_vertices(s);
}

int pki_surface_touch_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                             double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  pki_gather sound, through; /* big: filled as far as they are used */
  sound.count = through.count = 0;
  scene s = {.shape = shape, .surface = surface, .sound = &sound, .through = &through};
  gather_all(&s, pose, margin);
  const int count = pki_touch_reduce(sound.touch, sound.count);
  memcpy(out, sound.touch, (size_t)count * sizeof *out);
  return count;
}

bool pki_surface_depth_convex(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                              pk_proximity *out)
{
  pki_gather sound, through;
  sound.count = through.count = 0;
  scene s = {.shape = shape, .surface = surface, .sound = &sound, .through = &through, .deepest = true};
  gather_all(&s, pose, 0);
  return pki_touch_deepest(sound.touch, sound.count, out);
}
