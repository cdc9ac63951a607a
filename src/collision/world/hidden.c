/* The ground is a union of solids. A ball in the corner of a step must stay clear of tread and riser at once, but the edge
 * of a box beside another box of the same height is no obstacle.
 *
 *        x         x: the centre of what touches. Solids a and b have their nearest points s_a, s_b and normals there.
 *   -----s_a--     With a nearer than b,
 *    a   |  b        s_b is not in a nor at it:   b stands free
 *        s_b         the normals are parallel:    b repeats a or lies beneath it
 *                    else: slide s_b along b's tangent plane out of a. If that place is on b's surface, a and b form a
 *                    corner, and both hold. If not, b ends where a begins.
 *
 * Faces back to back, with opposite normals, are inside the ground whichever is nearer. */
#include "collision/world/hidden.h"

#include <math.h>
#include <string.h>

#include "collision/ground/terrain.h"
#include "math/mat3.h"

enum { NEAR_MOST = 8 };

/* How far a surface must stand out of a nearer solid to be seen, m; well above the rounding of positions. */
static const double SKIN = 1e-6;

/* The surface of one collider near a point. */
typedef struct surface {
  int collider;
  double distance, normal[3];
} surface;

/* Signed distance from a point; false: farther than `reach`. */
static bool query_collider(const pki_colliders *c, int i, const double point[3], double reach, surface *out)
{
  const pk_pose *pose = &c->pose[i];
  out->collider = i;
  if (i >= c->nshape) {
    pk_terrain_hit hit = {0};
    const bool near = pki_solid_query(&c->ground->solids[i - c->nshape], point, reach, &hit);
    out->distance = hit.distance;
    memcpy(out->normal, hit.normal, sizeof hit.normal);
    return near;
  }
  double x[3] = {point[0] - pose->pos[0], point[1] - pose->pos[1], point[2] - pose->pos[2]}, n[3];
  pki_mat3_apply_transposed(pose->rot, x, x);
  if (!pki_geometry_point(c->of[i].geometry, x, reach, &out->distance, n)) {
    return false;
  }
  pki_mat3_apply(pose->rot, n, out->normal);
  return true;
}

/* The point of a surface nearest to x. */
static void nearest_surface_point(const double x[3], const surface *s, double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = x[k] - s->distance * s->normal[k];
  }
}

/* Whether surface b, found from x, can be touched next to the nearer surface a. */
static bool can_touch_beside(const pki_colliders *c, const double x[3], const surface *a, const surface *b)
{
  double sa[3], sb[3];
  surface there;
  nearest_surface_point(x, a, sa), nearest_surface_point(x, b, sb);
  if (!query_collider(c, a->collider, sb, SKIN, &there)) {
    return true;
  }
  const double *const na = a->normal, *const nb = b->normal;
  const double cosine = pki_dot3(na, nb);
  const double tangent[3] = {na[0] - cosine * nb[0], na[1] - cosine * nb[1], na[2] - cosine * nb[2]};
  const double square = pki_dot3(tangent, tangent);
  if (square < 1e-6) {
    return false;
  }
  const double from_a[3] = {sb[0] - sa[0], sb[1] - sa[1], sb[2] - sa[2]};
  const double slide = fmax(SKIN - pki_dot3(na, from_a), 0) / square;
  const double place[3] = {sb[0] + slide * tangent[0], sb[1] + slide * tangent[1],
                           sb[2] + slide * tangent[2]};
  return query_collider(c, b->collider, place, 0.1 * SKIN, &there) && there.distance >= -0.1 * SKIN;
}

/* Whether a and b lie back to back. */
static bool back_to_back(const pki_colliders *c, const double x[3], const surface *a, const surface *b)
{
  double sb[3];
  surface there;
  nearest_surface_point(x, b, sb);
  return pki_dot3(a->normal, b->normal) < -1 + 1e-6 && query_collider(c, a->collider, sb, SKIN, &there);
}

/* Into the list by distance, then by collider; the farthest falls off. */
static void insert_surface(surface *list, int *count, const surface *s)
{
  int at = *count < NEAR_MOST ? (*count)++ : NEAR_MOST;
  for (; at > 0 && (s->distance < list[at - 1].distance ||
                    (s->distance == list[at - 1].distance && s->collider < list[at - 1].collider));
       at--) {
    if (at < NEAR_MOST) {
      list[at] = list[at - 1];
    }
  }
  if (at < NEAR_MOST) {
    list[at] = *s;
  }
}

bool pki_touch_hidden(const pki_colliders *c, const pki_ground *ground, int own, const pk_touch_point *touch,
                      double rounding, double margin)
{
  surface near[NEAR_MOST], mine = {.collider = own, .distance = touch->gap + rounding};
  double x[3];
  int count = 0, kept = 0;
  for (int k = 0; k < 3; k++) {
    mine.normal[k] = touch->normal[k];
    x[k] = touch->point[0][k] + rounding * touch->normal[k];
  }
  near[count++] = mine;
  for (int i = 0; i < ground->count; i++) {
    surface other;
    if (ground->collider[i] == own || !query_collider(c, ground->collider[i], x, rounding + margin, &other)) {
      continue;
    }
    if (back_to_back(c, x, &other, &mine)) {
      return true;
    }
    insert_surface(near, &count, &other);
  }
  /* only what is seen itself hides others */
  for (int i = 0; i < count; i++) {
    bool seen = true;
    for (int k = 0; k < kept && seen; k++) {
      seen = can_touch_beside(c, x, &near[k], &near[i]);
    }
    if (near[i].collider == own) {
      return !seen;
    }
    if (seen) {
      near[kept++] = near[i];
    }
  }
  return true; /* too many are nearer */
}
