/* Distances where one of two shapes is a mesh or a height field.
 *
 * Apart, the distance is the least over all triangles, found through the tree and exact. Where triangles cross, or one
 * shape lies inside the other, the depth is that of the deepest of the points at which they touch. */
#include "collision/narrow/surface.h"

#include <string.h>

#include "collision/shapes/heights.h"
#include "math/mat3.h"
#include "model/pose.h"

/* ---- gathering points ---- */

unsigned pki_surface_name(unsigned kind, unsigned a, unsigned b, unsigned c)
{
  const unsigned word[4] = {kind, a, b, c};
  return pki_touch_name(0x5ca1ab1e, word, 4);
}

void pki_gather_add(pki_gather *g, const pk_touch_point *t)
{
  pk_touch_point one = *t;
  for (int i = 0; i < g->count; i++) {
    pk_touch_point *known = &g->touch[i];
    double d[3];
    pki_sub3(known->point[0], one.point[0], d);
    if (pki_dot3(d, d) <= g->same * g->same && pki_dot3(known->normal, one.normal) > 0.999) {
      if (one.gap < known->gap - g->same) {
        one.id = known->id;
        *known = one;
      }
      return;
    }
  }
  /* one name, one point; no chain of names is longer than the list */
  bool taken = true;
  for (int tries = 0; taken && tries <= PKI_GATHER; tries++) {
    taken = false;
    for (int i = 0; i < g->count && !taken; i++) {
      taken = g->touch[i].id == one.id;
    }
    one.id = taken ? pki_surface_name(9, one.id, 0, 0) : one.id;
  }
  if (g->count == PKI_GATHER) {
    g->count = pki_touch_reduce(g->touch, g->count);
  }
  g->touch[g->count++] = one;
}

/* ---- depth ---- */

static void to_world(const pk_pose *pose, double x[3])
{
  pki_mat3_apply(pose->rot, x, x);
  for (int k = 0; k < 3; k++) {
    x[k] += pose->pos[k];
  }
}

bool pki_touch_deepest(const pk_touch_point *touch, int n, pk_proximity *out)
{
  int best = 0;
  for (int i = 1; i < n; i++) {
    best = touch[i].gap < touch[best].gap ? i : best;
  }
  if (n > 0) {
    memcpy(out->point, touch[best].point, sizeof out->point);
    memcpy(out->normal, touch[best].normal, sizeof out->normal);
    out->distance = touch[best].gap;
  }
  return n > 0;
}

/* Whether a point that is not on a surface is inside. */
static bool is_enclosed(const pk_geometry *surface, const double x[3])
{
  if (surface->kind == PK_SHAPE_MESH) {
    return pki_trimesh_inside(surface->mesh, x);
  }
  const pki_heights *const h = surface->heights;
  return x[0] >= 0 && x[1] >= 0 && x[0] <= (h->nx - 1) * h->cell && x[1] <= (h->ny - 1) * h->cell &&
         x[2] < pki_heights_surface(h, x[0], x[1]);
}

/* A shape that meets no triangle is outside, or inside as a whole. Over the front of a triangle, away from its edges, it is
 * outside; at an edge the triangles' normals need not tell: from the bottom of a narrow valley both sides look away. */
static bool is_outside(const pki_nearest *nearest, const double centre[3], const pk_geometry *surface)
{
  return !pki_surface_solid(surface) || nearest->facing > 1 - 1e-9 || !is_enclosed(surface, centre);
}

static bool convex_distance(const pk_geometry *shape, const pk_pose *pose, const pk_geometry *surface,
                            double reach, pk_proximity *out)
{
  pki_nearest s;
  pki_surface_search_convex(shape, pose, surface, reach, &s);
  double centre[3] = {shape->centre[0], shape->centre[1], shape->centre[2]};
  to_world(pose, centre);
  const bool meet = s.found && s.near.distance <= 0;
  if ((meet || !is_outside(&s, centre, surface)) && pki_surface_depth_convex(shape, pose, surface, out)) {
    return true;
  }
  *out = s.near;
  return s.found;
}

/* Whether a part of mesh a lies inside b, when no triangles meet; pose: of a in b's frame. */
static bool has_part_inside(const pki_trimesh *a, const pk_pose *pose, const pk_geometry *b)
{
  for (int i = 0; i < a->ntriangle && pki_surface_solid(b); i++) {
    double x[3];
    if (a->first_use[i] >> 6 & 1) {
      memcpy(x, a->vertex + 3 * (size_t)a->triangle[3 * (size_t)i], sizeof x);
      to_world(pose, x);
      if (is_enclosed(b, x)) {
        return true;
      }
    }
  }
  return false;
}

/* The nearest triangles of two meshes, or of a mesh and a field; one that is convex is searched for as its hull. */
static void search_mesh(const pk_geometry *a, const pk_pose *pose, const pk_geometry *b, double reach,
                        pki_nearest *out)
{
  if (a->mesh->convex && a->hull != NULL) {
    pki_surface_search_convex(a, pose, b, reach, out);
  } else if (b->kind == PK_SHAPE_MESH && b->mesh->convex && b->hull != NULL) {
    const pk_pose back = pki_pose_invert(pose);
    pki_surface_search_convex(b, &back, a, reach, out);
    if (out->found) {
      pki_proximity_turn(&out->near);
      to_world(pose, out->near.point[0]);
      to_world(pose, out->near.point[1]);
      pki_mat3_apply(pose->rot, out->near.normal, out->near.normal);
    }
  } else {
    pki_surface_search_mesh(a, pose, b, reach, out);
  }
}

static bool mesh_distance(const pk_geometry *a, const pk_pose *pose, const pk_geometry *b, double reach,
                          pk_proximity *out)
{
  pki_nearest s;
  pk_touch_point touch[PK_TOUCH_MOST];
  search_mesh(a, pose, b, reach, &s);
  bool overlap = (s.found && s.near.distance <= 0) || has_part_inside(a->mesh, pose, b);
  if (!overlap && b->kind == PK_SHAPE_MESH) {
    const pk_pose back = pki_pose_invert(pose);
    overlap = has_part_inside(b->mesh, &back, a);
  }
  const int count = overlap ? pki_surface_touch_mesh(a, pose, b, 0, touch) : 0;
  if (pki_touch_deepest(touch, count, out)) {
    return true;
  }
  *out = s.near;
  return s.found;
}

/* ---- which way a pair takes ---- */

/* Numbers in the order of a dictionary: < 0: a comes first, 0: they are the same. */
static int compare_numbers(const double *a, const double *b, int n)
{
  for (int k = 0; k < n; k++) {
    if (a[k] != b[k]) {
      return a[k] < b[k] ? -1 : 1;
    }
  }
  return 0;
}

/* Which of two meshes comes first, by what they look like; 0: copies of one. */
static int compare_meshes(const pk_geometry *a, const pk_geometry *b)
{
  const pki_trimesh *const s = a->mesh, *const t = b->mesh;
  const double of_a[6] = {s->ntriangle, s->nvertex, s->size, a->centre[0], a->centre[1], a->centre[2]};
  const double of_b[6] = {t->ntriangle, t->nvertex, t->size, b->centre[0], b->centre[1], b->centre[2]};
  const int order = compare_numbers(of_a, of_b, 6);
  return order != 0 ? order : compare_numbers(s->vertex, t->vertex, 9);
}

/* The surface is the second of the pair: the field, else the mesh, of two meshes the one that comes later. */
static bool needs_turn(const pk_geometry *a, const pk_geometry *b)
{
  if (a->kind == PK_SHAPE_MESH && b->kind == PK_SHAPE_MESH) {
    return compare_meshes(a, b) > 0;
  }
  return pki_is_convex(b) || (a->kind == PK_SHAPE_HEIGHTS && b->kind != PK_SHAPE_HEIGHTS);
}

/* Copies of one mesh, by their poses: for distances alone, since touches would be renamed when copies pass each other. */
static bool copies_need_turn(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                             const pk_pose *pose_b)
{
  if (a->kind != PK_SHAPE_MESH || b->kind != PK_SHAPE_MESH || compare_meshes(a, b) != 0) {
    return false;
  }
  const int order = compare_numbers(pose_a->pos, pose_b->pos, 3);
  return (order != 0 ? order : compare_numbers(pose_a->rot, pose_b->rot, 9)) > 0;
}

static bool can_touch(const pk_geometry *a, const pk_geometry *b)
{
  return a->kind != PK_SHAPE_PLANE && b->kind != PK_SHAPE_PLANE &&
         !(a->kind == PK_SHAPE_HEIGHTS && b->kind == PK_SHAPE_HEIGHTS);
}

bool pki_surface_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, double reach, pk_proximity *out)
{
  if (!can_touch(a, b)) {
    return false;
  }
  if (needs_turn(a, b) || copies_need_turn(a, pose_a, b, pose_b)) {
    const bool near = pki_surface_distance(b, pose_b, a, pose_a, reach, out);
    if (near) {
      pki_proximity_turn(out);
    }
    return near;
  }
  const pk_pose back = pki_pose_invert(pose_b), pose = pki_pose_mul(&back, pose_a);
  if (!(pki_is_convex(a) ? convex_distance(a, &pose, b, reach, out)
                         : mesh_distance(a, &pose, b, reach, out))) {
    return false;
  }
  to_world(pose_b, out->point[0]);
  to_world(pose_b, out->point[1]);
  pki_mat3_apply(pose_b->rot, out->normal, out->normal);
  return true;
}

int pki_surface_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                      const pk_pose *pose_b, double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  if (!can_touch(a, b)) {
    return 0;
  }
  const bool turn = needs_turn(a, b);
  const pk_geometry *shape = turn ? b : a, *surface = turn ? a : b;
  const pk_pose *at = turn ? pose_a : pose_b;
  const pk_pose back = pki_pose_invert(at), pose = pki_pose_mul(&back, turn ? pose_b : pose_a);
  const int n = pki_is_convex(shape) ? pki_surface_touch_convex(shape, &pose, surface, margin, out)
                                     : pki_surface_touch_mesh(shape, &pose, surface, margin, out);
  for (int i = 0; i < n; i++) {
    pk_touch_point *t = &out[i];
    to_world(at, t->point[0]);
    to_world(at, t->point[1]);
    pki_mat3_apply(at->rot, t->normal, t->normal);
    for (int k = 0; turn && k < 3; k++) {
      const double x = t->point[0][k];
      t->point[0][k] = t->point[1][k], t->point[1][k] = x;
      t->normal[k] = -t->normal[k];
    }
  }
  return n;
}
