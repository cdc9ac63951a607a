/* Which way a pair takes. Pairs are put in one order by kind, so that both orders give the same answer. */
#include "collision/narrow/narrow.h"

#include <math.h>

#include "collision/narrow/method.h"
#include "collision/narrow/minkowski.h"
#include "collision/shapes/trimesh.h"

bool pki_pose_finite(const pk_pose *p)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += p->pos[k] * 0;
  }
  for (int k = 0; k < 9; k++) {
    sum += p->rot[k] * 0;
  }
  return sum == 0;
}

static bool is_ground(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_PLANE || g->kind == PK_SHAPE_HEIGHTS;
}

static bool is_surface(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_MESH || g->kind == PK_SHAPE_HEIGHTS;
}

/* A convex shape, or a mesh that is one: its hull then answers for it. */
static bool is_body(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_MESH ? g->mesh->convex && g->hull != NULL : g->kind != PK_SHAPE_HEIGHTS;
}

/* The order of kinds in a pair: round ones first, the ground last. */
static int kind_rank(const pk_geometry *g)
{
  static const int ranks[PK_SHAPE_KIND_COUNT] = {
      [PK_SHAPE_SPHERE] = 0,  [PK_SHAPE_CAPSULE] = 1, [PK_SHAPE_ELLIPSOID] = 2, [PK_SHAPE_CYLINDER] = 3,
      [PK_SHAPE_CONE] = 4,    [PK_SHAPE_BOX] = 5,     [PK_SHAPE_CONVEX] = 6,    [PK_SHAPE_MESH] = 7,
      [PK_SHAPE_HEIGHTS] = 8, [PK_SHAPE_PLANE] = 9,
  };
  return ranks[g->kind];
}

/* Two hulls: by their features, and by GJK and EPA when that finds no end or hardly a gap to take a normal from. */
static bool hull_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, pki_pair_memory *memory, pk_proximity *out)
{
  return memory != NULL && a->hull != NULL && b->hull != NULL &&
         pki_walk_distance(a->hull, pose_a, b->hull, pose_b, memory, out, NULL) &&
         out->distance > 1e-11 * (a->bound + b->bound);
}

static bool distance_in_order(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                              const pk_pose *pose_b, double reach, pki_pair_memory *memory, pk_proximity *out)
{
  bool near = false;
  if (pki_closed_distance(a, pose_a, b, pose_b, reach, &near, out)) {
    return near;
  }
  if (!is_body(a) || !is_body(b)) {
    return pki_surface_distance(a, pose_a, b, pose_b, reach, out);
  }
  if (hull_distance(a, pose_a, b, pose_b, memory, out)) {
    return out->distance <= reach;
  }
  const pki_convex x = pki_convex_of(a, pose_a), y = pki_convex_of(b, pose_b);
  return pki_gjk_distance(&x, &y, reach, out);
}

static void turn_memory(pki_pair_memory *memory)
{
  if (memory != NULL) {
    const int first = memory->feature[0];
    memory->feature[0] = memory->feature[1];
    memory->feature[1] = first;
  }
}

bool pki_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
                  double reach, pki_pair_memory *memory, pk_proximity *out)
{
  if (!pki_pose_finite(pose_a) || !pki_pose_finite(pose_b) || isnan(reach) ||
      (is_ground(a) && is_ground(b))) {
    return false;
  }
  const double within = fmax(reach, 0); /* overlaps are always told */
  if (kind_rank(a) <= kind_rank(b)) {
    return distance_in_order(a, pose_a, b, pose_b, within, memory, out);
  }
  turn_memory(memory);
  const bool near = distance_in_order(b, pose_b, a, pose_a, within, memory, out);
  turn_memory(memory);
  if (near) {
    pki_proximity_turn(out);
  }
  return near;
}

void pki_touch_turn(pk_touch_point *touch, int n)
{
  for (pk_touch_point *t = touch; t < touch + n; t++) {
    for (int k = 0; k < 3; k++) {
      const double x = t->point[0][k];
      t->point[0][k] = t->point[1][k];
      t->point[1][k] = x;
      t->normal[k] = -t->normal[k];
    }
  }
}

bool pki_kinds_turn(const pk_geometry *a, const pk_geometry *b)
{
  return kind_rank(a) > kind_rank(b);
}

int pki_body_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
                   const pk_proximity *near, double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  if (near->distance > margin) {
    return 0;
  }
  if (a->kind == PK_SHAPE_SPHERE) { /* one point, always the same */
    out[0] = (pk_touch_point){.gap = near->distance, .id = 0};
    for (int k = 0; k < 3; k++) {
      out[0].point[0][k] = near->point[0][k];
      out[0].point[1][k] = near->point[1][k];
      out[0].normal[k] = near->normal[k];
    }
    return 1;
  }
  const pki_convex x = pki_convex_of(a, pose_a), y = pki_convex_of(b, pose_b);
  return pki_convex_touch(&x, &y, near, margin, out);
}

static int touch_in_order(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, double margin, pki_pair_memory *memory,
                          pk_touch_point out[PK_TOUCH_MOST])
{
  if (b->kind == PK_SHAPE_PLANE) {
    return pki_plane_touch(a, pose_a, pose_b, margin, out);
  }
  if (is_surface(a) || is_surface(b)) {
    return pki_surface_touch(a, pose_a, b, pose_b, margin, out);
  }
  pk_proximity near;
  return distance_in_order(a, pose_a, b, pose_b, fmax(margin, 0), memory, &near)
             ? pki_body_touch(a, pose_a, b, pose_b, &near, margin, out)
             : 0;
}

int pki_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
              double margin, pki_pair_memory *memory, pk_touch_point out[PK_TOUCH_MOST])
{
  if (!pki_pose_finite(pose_a) || !pki_pose_finite(pose_b) || isnan(margin) ||
      (is_ground(a) && is_ground(b))) {
    return 0;
  }
  if (kind_rank(a) <= kind_rank(b)) {
    return touch_in_order(a, pose_a, b, pose_b, margin, memory, out);
  }
  turn_memory(memory);
  const int count = touch_in_order(b, pose_b, a, pose_a, margin, memory, out);
  turn_memory(memory);
  pki_touch_turn(out, count);
  return count;
}

bool pk_geometry_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, double reach, pk_proximity *out)
{
  return pki_distance(a, pose_a, b, pose_b, reach, NULL, out);
}

int pk_geometry_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                      const pk_pose *pose_b, double margin, pk_touch_point out[PK_TOUCH_MOST])
{
  return pki_touch(a, pose_a, b, pose_b, margin, NULL, out);
}
