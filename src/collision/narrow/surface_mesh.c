/* A mesh on a mesh or a height field.
 *
 * Points come from corners of one in or near the other (its nearest place, with the sign of inside and outside) and from
 * convex edges that cross: their common perpendicular m is a contact when m lies between the normals beside the one edge
 * and -m between those beside the other, so that it is a face of the Minkowski difference. A corner that slips along the
 * side of the other solid would be told to go sideways: its own normal must look against the face that pushes it, and if
 * that of the nearest place does not, the nearest of those that do is taken.
 *
 * Sheets have no inside: a corner has gone through a sheet when the way to it from the middle of its mesh does. */
#include <math.h>
#include <string.h>

#include "collision/narrow/surface.h"
#include "collision/shapes/volume.h"
#include "math/mat3.h"
#include "model/pose.h"

typedef struct scene {
  const pk_geometry *mesh, *surface;
  pk_pose pose, back; /* of the mesh in the surface's frame, and the other way round */
  double margin, size, deepest;
  pki_triangle mine; /* the mesh's triangle at hand, in the surface's frame */
  unsigned own_edges;
  pki_gather found;
  bool lost,
      any_way; /* a corner inside found no face to push it; corners go the shortest way, whatever they look at */
  /* the shallowest edge that pierces a face, for when nothing else is found */
  bool pierced;
  pk_touch_point pierce;
} scene;

static void transform_point(const pk_pose *pose, const double x[3], double out[3])
{
  pki_mat3_apply(pose->rot, x, out);
  for (int k = 0; k < 3; k++) {
    out[k] += pose->pos[k];
  }
}

static double vector_length3(const double x[3])
{
  return sqrt(pki_dot3(x, x));
}

/* Whether an edge stands out, of a sheet to either side. */
static bool is_sharp(const pk_geometry *g, const pki_triangle *t, int k)
{
  return t->edge[k] == PKI_EDGE_CONVEX || t->edge[k] == PKI_EDGE_OPEN ||
         (t->edge[k] == PKI_EDGE_CONCAVE && !pki_surface_solid(g));
}

/* ---- corners ---- */

/* The angle-weighted normal at corner k of triangle i (Baerentzen and Aanaes, "Signed distance computation using the
 * angle weighted pseudonormal", 2005), gathered from neighbour to neighbour. False: the surface is flat there. */
static bool corner_normal(const pki_trimesh *t, int i, int k, double out[3])
{
  enum { MOST = 64 };
  const int v = t->triangle[3 * (size_t)i + (size_t)k];
  out[0] = out[1] = out[2] = 0;
  double angles = 0;
  int at = i;
  for (int step = 0; step < MOST && at >= 0 && (step == 0 || at != i); step++) {
    const int *w = t->triangle + 3 * (size_t)at;
    const int c = w[0] == v ? 0 : w[1] == v ? 1 : 2;
    double a[3], b[3], n[3];
    pki_sub3(t->vertex + 3 * (size_t)w[(c + 1) % 3], t->vertex + 3 * (size_t)v, a);
    pki_sub3(t->vertex + 3 * (size_t)w[(c + 2) % 3], t->vertex + 3 * (size_t)v, b);
    pki_cross3(a, b, n);
    const double angle = atan2(vector_length3(n), pki_dot3(a, b));
    angles += angle;
    for (int e = 0; e < 3; e++) {
      out[e] += angle * t->normal[3 * (size_t)at + (size_t)e];
    }
    at = t->neighbour[3 * (size_t)at + (size_t)c]; /* behind the edge that leaves v */
  }
  const bool sharp = at != i || vector_length3(out) < (1 - 1e-9) * angles;
  if (!t->closed) {
    out[0] = out[1] = out[2] = 0; /* a sheet's corner may be pushed to either side */
  }
  return sharp;
}

typedef struct answer {
  double distance, normal[3]; /* outward */
} answer;

/* Triangles over which a point lies and whose normals look against `against`; the nearest of them. */
typedef struct facing {
  const double *point, *against;
  double reach, hair;
  bool found;
  answer best;
} facing;

static bool try_facing(const pki_triangle *t, void *user)
{
  facing *f = user;
  double d[3];
  pki_sub3(f->point, t->point[0], d);
  const double height = pki_dot3(d, t->normal);
  if (pki_dot3(t->normal, f->against) < 0 && fabs(height) <= f->reach &&
      pki_triangle_holds(t, f->point, f->hair) && (!f->found || fabs(height) < fabs(f->best.distance))) {
    f->found = true;
    f->best.distance = height;
    memcpy(f->best.normal, t->normal, sizeof f->best.normal);
  }
  return true;
}

/* Signed distance of a point to a closed mesh; on a face the normal is the face's. */
static bool corner_against_solid(const pki_trimesh *t, const double p[3], double reach, answer *out)
{
  double low = -INFINITY, high = INFINITY, x[3];
  if (t->volume != NULL) {
    pki_volume_bounds(t->volume, p, &low, &high);
  }
  if (low > reach) {
    return false;
  }
  const bool inside = high < 0 || (low <= 0 && pki_trimesh_inside(t, p));
  const int i = pki_trimesh_nearest(t, p, inside ? INFINITY : reach, x);
  if (i < 0) {
    return false;
  }
  const int *v = t->triangle + 3 * (size_t)i;
  const double *n = t->normal + 3 * (size_t)i;
  const int on = pki_triangle_nearest(p, t->vertex + 3 * (size_t)v[0], t->vertex + 3 * (size_t)v[1],
                                      t->vertex + 3 * (size_t)v[2], n, x);
  double d[3];
  pki_sub3(p, x, d);
  const double length = vector_length3(d);
  const double sign = inside ? -1 : 1;
  const bool face = on == 6 || !(length > 1e-12 * t->size);
  out->distance = sign * length;
  for (int k = 0; k < 3; k++) {
    out->normal[k] = face ? n[k] : sign * d[k] / length;
  }
  return true;
}

/* The same for a sheet: through, when the way from `middle` is. */
static bool corner_against_sheet(const pki_trimesh *t, const double p[3], const double middle[3],
                                 double reach, answer *out)
{
  double way[3], x[3], d[3], at = 0;
  pki_sub3(p, middle, way);
  const double length = vector_length3(way);
  for (int k = 0; k < 3 && length > 0; k++) {
    way[k] /= length;
  }
  const int hit = length > 0 ? pki_trimesh_ray(t, middle, way, length, &at) : -1;
  if (hit >= 0) {
    const double *n = t->normal + 3 * (size_t)hit, slope = pki_dot3(n, way);
    out->distance = -(length - at) * fabs(slope);
    for (int k = 0; k < 3; k++) {
      out->normal[k] = slope > 0 ? -n[k] : n[k];
    }
    return true;
  }
  const int near = pki_trimesh_nearest(t, p, reach, x);
  if (near < 0) {
    return false;
  }
  pki_sub3(p, x, d);
  out->distance = vector_length3(d);
  /* on the sheet itself: away from it, to the side of the middle */
  const double *n = t->normal + 3 * (size_t)near, sign = pki_dot3(n, way) > 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) {
    out->normal[k] = out->distance > 1e-12 * t->size ? d[k] / out->distance : sign * n[k];
  }
  return true;
}

/* A corner p with its own normal `own` against surface g (all in g's frame). */
static bool corner_against_surface(scene *s, const pk_geometry *g, const double p[3], const double own[3],
                                   const double middle[3], answer *out)
{
  if (g->kind == PK_SHAPE_HEIGHTS) {
    return pki_geometry_point(g, p, s->margin, &out->distance, out->normal);
  }
  if (!g->mesh->closed) {
    return corner_against_sheet(g->mesh, p, middle, s->margin, out);
  }
  if (!corner_against_solid(g->mesh, p, s->margin, out)) {
    return false;
  }
  if (s->any_way || pki_dot3(out->normal, own) <= 0.3 * vector_length3(own)) {
    return true;
  }
  const bool inside = out->distance < 0;
  facing f = {.point = p, .against = own};
  f.hair = 1e-7 * s->size, f.reach = s->margin + fabs(out->distance) + 0.02 * s->size;
  pki_aabb box;
  for (int k = 0; k < 3; k++) {
    box.min[k] = p[k] - f.reach, box.max[k] = p[k] + f.reach;
  }
  pki_triangles_near(g, &box, try_facing, &f);
  *out = f.best;
  const bool borne = f.found && f.best.distance <= s->margin;
  s->lost = s->lost || (inside && !borne);
  return borne;
}

/* Corner k of the mesh's triangle i. */
static void add_corner(scene *s, int i, int k)
{
  const pki_trimesh *t = s->mesh->mesh;
  const int v = t->triangle[3 * (size_t)i + (size_t)k];
  double p[3], own[3], middle[3];
  answer a;
  if (!corner_normal(t, i, k, own)) {
    return;
  }
  transform_point(&s->pose, t->vertex + 3 * (size_t)v, p);
  pki_mat3_apply(s->pose.rot, own, own);
  transform_point(&s->pose, s->mesh->centre, middle);
  if (!corner_against_surface(s, s->surface, p, own, middle, &a)) {
    return;
  }
  pk_touch_point touch = {.gap = a.distance, .id = pki_surface_name(4, (unsigned)v, 0, 0)};
  for (int c = 0; c < 3; c++) {
    touch.point[0][c] = p[c], touch.point[1][c] = p[c] - a.distance * a.normal[c];
    touch.normal[c] = a.normal[c];
  }
  s->deepest = fmin(s->deepest, a.distance);
  pki_gather_add(&s->found, &touch);
}

/* Corner k of a triangle of the surface, against the mesh. */
static void add_its_corner(scene *s, const pki_triangle *t, int k)
{
  double p[3], own[3], middle[3];
  answer a;
  memcpy(own, t->normal, sizeof own);
  if (s->surface->kind == PK_SHAPE_MESH) {
    if (!corner_normal(s->surface->mesh, t->index, k, own)) {
      return;
    }
    transform_point(&s->back, s->surface->centre, middle);
  } else if (!s->mesh->mesh->closed ||
             !(is_sharp(s->surface, t, k) || is_sharp(s->surface, t, (k + 2) % 3))) {
    return; /* a sheet's own corners know better which side the ground is on */
  }
  transform_point(&s->back, t->point[k], p);
  pki_mat3_apply(s->back.rot, own, own);
  if (!corner_against_surface(s, s->mesh, p, own, middle, &a)) {
    return;
  }
  pki_mat3_apply(s->pose.rot, a.normal, a.normal);
  pk_touch_point touch = {.gap = a.distance, .id = pki_surface_name(5, (unsigned)t->vertex[k], 0, 0)};
  for (int c = 0; c < 3; c++) {
    touch.point[1][c] = t->point[k][c];
    touch.point[0][c] = t->point[k][c] - a.distance * a.normal[c];
    touch.normal[c] = -a.normal[c];
  }
  s->deepest = fmin(s->deepest, a.distance);
  pki_gather_add(&s->found, &touch);
}

static bool visit_corners(const pki_triangle *t, void *user)
{
  scene *s = user;
  const unsigned first = s->surface->kind == PK_SHAPE_MESH ? s->surface->mesh->first_use[t->index] : 7u;
  for (int k = 0; k < 3; k++) {
    if (first >> k & 1) {
      add_its_corner(s, t, k);
    }
  }
  return true;
}

/* ---- edges ---- */

/* Whether direction m, perpendicular to edge k, looks out between the normals beside it. */
static bool is_outward_at_edge(const pk_geometry *g, const pki_triangle *t, int k, const double m[3])
{
  const double *n = t->normal, *o = t->neighbour[k];
  double e[3], a[3], b[3];
  if (t->edge[k] == PKI_EDGE_OPEN) {
    return true;
  }
  pki_sub3(t->point[(k + 1) % 3], t->point[k], e);
  pki_cross3(n, m, a);
  pki_cross3(m, o, b);
  const double skin = -1e-6 * vector_length3(e);
  /* seen from behind, normals and edge are turned, and the signs of these stay */
  return pki_dot3(a, e) >= skin && pki_dot3(b, e) >= skin &&
         (!pki_surface_solid(g) || pki_dot3(n, m) + pki_dot3(o, m) > 0);
}

/* Edge j of the mesh's triangle and edge k of the surface's. */
static void cross_edges(scene *s, const pki_triangle *t, int j, int k)
{
  const pki_triangle *a = &s->mine;
  double u[3], v[3], m[3], d[3];
  pki_sub3(a->point[(j + 1) % 3], a->point[j], u);
  pki_sub3(t->point[(k + 1) % 3], t->point[k], v);
  pki_cross3(u, v, m);
  const double square = pki_dot3(m, m);
  if (!(square > 1e-6 * pki_dot3(u, u) * pki_dot3(v, v))) {
    return; /* side by side: corners tell more */
  }
  pki_sub3(t->point[k], a->point[j], d);
  /* a_j + x u and t_k + y v are the ends of the common perpendicular */
  double dv[3], du[3];
  pki_cross3(d, v, dv);
  pki_cross3(d, u, du);
  const double x = pki_dot3(dv, m) / square, y = pki_dot3(du, m) / square;
  if (!(x > 0 && x < 1 && y > 0 && y < 1)) {
    return;
  }
  double p[3], q[3], between[3];
  for (int c = 0; c < 3; c++) {
    p[c] = a->point[j][c] + x * u[c], q[c] = t->point[k][c] + y * v[c];
  }
  pki_sub3(p, q, between);
  const double *n = t->normal, *o = t->neighbour[k];
  const bool sheet = t->edge[k] == PKI_EDGE_OPEN || !pki_surface_solid(s->surface);
  const double up = sheet ? pki_dot3(between, m) : pki_dot3(n, m) + pki_dot3(o, m);
  const double scale = (up < 0 ? -1 : 1) / sqrt(square);
  const double back[3] = {-scale * m[0], -scale * m[1], -scale * m[2]};
  m[0] *= scale, m[1] *= scale, m[2] *= scale;
  const double gap = pki_dot3(m, between);
  if (!(gap <= s->margin) || gap < 2 * s->deepest - 0.02 * s->size ||
      !is_outward_at_edge(s->surface, t, k, m) || !is_outward_at_edge(s->mesh, a, j, back)) {
    return;
  }
  const unsigned i0 = (unsigned)a->vertex[j], i1 = (unsigned)a->vertex[(j + 1) % 3];
  const unsigned k0 = (unsigned)t->vertex[k], k1 = (unsigned)t->vertex[(k + 1) % 3];
  pk_touch_point touch = {
      .gap = gap,
      .id = pki_surface_name(6, pki_surface_name(8, i0, i1, 0), k0 < k1 ? k0 : k1, k0 < k1 ? k1 : k0)};
  memcpy(touch.point[0], p, sizeof p);
  memcpy(touch.point[1], q, sizeof q);
  memcpy(touch.normal, m, sizeof m);
  pki_gather_add(&s->found, &touch);
}

/* Where edge k of `edged` pierces the face of `faced`: how far its end is behind. */
static void note_piercing_edge(scene *s, const pki_triangle *edged, int k, const pki_triangle *faced,
                               bool mine)
{
  double p[3], q[3];
  pki_sub3(edged->point[k], faced->point[0], p);
  pki_sub3(edged->point[(k + 1) % 3], faced->point[0], q);
  const double hp = pki_dot3(p, faced->normal), hq = pki_dot3(q, faced->normal);
  if (!(hp < 0) == !(hq < 0)) {
    return;
  }
  const double part = hp / (hp - hq), depth = -fmin(hp, hq);
  if (s->pierced && depth >= -s->pierce.gap) {
    return;
  }
  pk_touch_point t = {.gap = -depth, .id = pki_surface_name(7, mine, 0, 0)};
  double x[3];
  for (int c = 0; c < 3; c++) {
    x[c] = edged->point[k][c] + part * (q[c] - p[c]);
    t.normal[c] = mine ? faced->normal[c] : -faced->normal[c];
  }
  if (!pki_triangle_holds(faced, x, 0)) {
    return;
  }
  for (int c = 0; c < 3; c++) {
    t.point[0][c] = x[c] + 0.5 * t.gap * t.normal[c], t.point[1][c] = x[c] - 0.5 * t.gap * t.normal[c];
  }
  s->pierced = true;
  s->pierce = t;
}

static bool visit_edges(const pki_triangle *t, void *user)
{
  scene *s = user;
  const unsigned first = s->surface->kind == PK_SHAPE_MESH ? s->surface->mesh->first_use[t->index] >> 3 : 7u;
  for (int j = 0; j < 3; j++) {
    const bool own = (s->own_edges >> j & 1) && is_sharp(s->mesh, &s->mine, j);
    for (int k = 0; own && k < 3; k++) {
      if ((first >> k & 1) && is_sharp(s->surface, t, k)) {
        cross_edges(s, t, j, k);
      }
    }
    if (s->found.count == 0) { /* else it is not needed */
      note_piercing_edge(s, &s->mine, j, t, true);
      note_piercing_edge(s, t, j, &s->mine, false);
    }
  }
  return true;
}

/* ---- all of them ---- */

/* The mesh's triangle in the surface's frame. */
static bool take_triangle(const pki_triangle *t, scene *s)
{
  s->mine = *t;
  for (int k = 0; k < 3; k++) {
    transform_point(&s->pose, t->point[k], s->mine.point[k]);
    pki_mat3_apply(s->pose.rot, t->neighbour[k], s->mine.neighbour[k]);
  }
  pki_mat3_apply(s->pose.rot, t->normal, s->mine.normal);
  return true;
}

static bool visit_mine_corners(const pki_triangle *t, void *user)
{
  scene *s = user;
  for (int k = 0; k < 3; k++) {
    if (s->mesh->mesh->first_use[t->index] >> k & 1) {
      add_corner(s, t->index, k);
    }
  }
  return true;
}

static bool visit_mine_edges(const pki_triangle *t, void *user)
{
  scene *s = user;
  s->own_edges = s->mesh->mesh->first_use[t->index] >> 3;
  (void)take_triangle(t, s);
  /* edges that overlap are as far apart as they are deep; in what is deeper, corners lead out */
  const double wide = fmax(s->margin, 0) + fmin(fmax(-s->deepest, 0), 0.05 * s->size) + 1e-9 * s->size;
  pki_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) {
      box.min[c] = fmin(box.min[c], s->mine.point[k][c] - wide);
      box.max[c] = fmax(box.max[c], s->mine.point[k][c] + wide);
    }
  }
  pki_triangles_near(s->surface, &box, visit_edges, s);
  return true;
}

/* A box around the surface in the mesh's frame, that much wider; around a field all there is. */
static pki_aabb box_of(const pk_geometry *g, const pk_pose *pose, double wider)
{
  pki_aabb box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  if (g->kind == PK_SHAPE_MESH) {
    pki_geometry_bounds(g, pose, &box);
  }
  for (int k = 0; k < 3; k++) {
    box.min[k] -= wider, box.max[k] += wider;
  }
  return box;
}

int pki_surface_touch_mesh(const pk_geometry *mesh, const pk_pose *pose, const pk_geometry *surface,
                           double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  scene s = {
      .mesh = mesh, .surface = surface, .pose = *pose, .back = pki_pose_invert(pose), .margin = margin};
  s.size = surface->kind == PK_SHAPE_MESH ? fmin(mesh->mesh->size, surface->mesh->size) : mesh->mesh->size;
  s.found.same = 1e-6 * s.size;
  const double wider = fmax(margin, 0) + 1e-9 * s.size;
  const pki_aabb its = box_of(surface, &s.back, wider), mine = box_of(mesh, pose, wider);
  pki_triangles_near(mesh, &its, visit_mine_corners, &s);
  pki_triangles_near(surface, &mine, visit_corners, &s);
  pki_triangles_near(mesh, &its, visit_mine_edges, &s);
  if (s.found.count == 0 && s.pierced) {
    s.found.touch[s.found.count++] = s.pierce;
  } else if (s.found.count == 0 && s.lost) { /* inside as a whole */
    s.any_way = true;
    pki_triangles_near(mesh, &its, visit_mine_corners, &s);
    pki_triangles_near(surface, &mine, visit_corners, &s);
  }
  const int count = pki_touch_reduce(s.found.touch, s.found.count);
  memcpy(out, s.found.touch, (size_t)count * sizeof *out);
  return count;
}
