/* Pairs that have a closed form: half-spaces with everything that has a lowest point, balls with every convex shape
 * and with meshes,
 * capsules with capsules. Boxes that overlap are in closed_box.c. */
#include <math.h>
#include <string.h>

#include "collision/narrow/minkowski.h"
#include "collision/shapes/trimesh.h"

/* The answer seen from the other shape. */
void pki_proximity_turn(pk_proximity *p)
{
  for (int k = 0; k < 3; k++) {
    const double x = p->point[0][k];
    p->point[0][k] = p->point[1][k];
    p->point[1][k] = x;
    p->normal[k] = -p->normal[k];
  }
}

/* A normal, the distance along it and a point on the first shape make an answer. */
static void proximity_from_first(const double n[3], double distance, const double on_first[3],
                                 pk_proximity *out)
{
  out->distance = distance;
  memcpy(out->normal, n, sizeof out->normal);
  memcpy(out->point[0], on_first, sizeof out->point[0]);
  pki_along3(on_first, -distance, n, out->point[1]);
}

/* ---- half-spaces ---- */

/* The lowest vertex of a mesh along a direction in its frame. */
static void lowest_vertex(const pki_trimesh *mesh, const double down[3], double out[3])
{
  const double *best = mesh->vertex;
  double most = -INFINITY;
  for (int i = 0; i < mesh->nvertex; i++) {
    const double value = pki_dot3(&mesh->vertex[3 * i], down);
    if (value > most) {
      most = value;
      best = &mesh->vertex[3 * i];
    }
  }
  memcpy(out, best, 3 * sizeof(double));
}

/* A shape (first) and a half-space (second): the point of the shape that is lowest along the plane's normal. */
static void plane_distance(const pk_geometry *g, const pk_pose *pose, const pk_pose *plane, pk_proximity *out)
{
  const double n[3] = {plane->rot[2], plane->rot[5], plane->rot[8]}, down[3] = {-n[0], -n[1], -n[2]};
  pki_convex c = pki_convex_of(g, pose);
  double point[3];
  pki_sub3(pose->pos, plane->pos, c.pose.pos);
  if (g->kind == PK_SHAPE_MESH) {
    double local[3];
    pki_mat3_apply_transposed(pose->rot, down, local);
    lowest_vertex(g->mesh, local, point);
    pki_mat3_apply(pose->rot, point, point);
    pki_along3(point, 1, c.pose.pos, point);
  } else {
    pki_convex_support(&c, down, -1, point);
  }
  const double distance = pki_dot3(n, point) - c.rounding;
  pki_along3(point, -c.rounding, n, point);
  pki_along3(point, 1, plane->pos, point);
  proximity_from_first(n, distance, point, out);
}

/* ---- balls ---- */

static bool ball_distance(const pk_geometry *ball, const pk_pose *pose_ball, const pk_geometry *g,
                          const pk_pose *pose, double reach, pk_proximity *out)
{
  double centre[3], n[3], point[3], distance;
  pki_sub3(pose_ball->pos, pose->pos, centre);
  if (g->kind == PK_SHAPE_SPHERE) {
    const double length = pki_length3(centre);
    for (int k = 0; k < 3; k++) {
      n[k] = length > 0 ? centre[k] / length : k == 2;
    }
    distance = length - g->radius - ball->radius;
  } else {
    pki_mat3_apply_transposed(pose->rot, centre, centre);
    if (!pki_geometry_point(g, centre, reach + ball->radius, &distance, n)) {
      return false;
    }
    pki_mat3_apply(pose->rot, n, n);
    distance -= ball->radius;
  }
  pki_along3(pose_ball->pos, -ball->radius, n, point);
  proximity_from_first(n, distance, point, out);
  return distance <= reach;
}

/* ---- capsules ---- */

static double clamp_symmetric(double x, double most)
{
  return x < -most ? -most : x > most ? most : x;
}

/* Nearest points of two segments c + s u, |s| <= l (u unit) and d + t v, |t| <= m: with r = c - d,
 *   s (1 - (u'v)^2) = (u'v)(v'r) - u'r,   t = (u'v) s + v'r,
 * clamped one after the other (Ericson, "Real-time collision detection", 2005, 5.1.9). Where segments run side by side
 * every s of an interval is nearest: its middle is taken. */
static void nearest_on_segments(const double r[3], const double u[3], double l, const double v[3], double m,
                                double *s, double *t)
{
  const double uv = pki_dot3(u, v), ur = pki_dot3(u, r), vr = pki_dot3(v, r);
  double across[3];
  pki_cross3(u, v, across);
  const double sine2 = pki_dot3(across, across);
  if (sine2 > 1e-20) {
    *s = clamp_symmetric((uv * vr - ur) / sine2, l);
    *t = uv * *s + vr;
    if (fabs(*t) > m) {
      *t = clamp_symmetric(*t, m);
      *s = clamp_symmetric(uv * *t - ur, l);
    }
    return;
  }
  /* where the second segment ends along the first */
  const double sign = uv < 0 ? -1 : 1;
  const double low = fmax(-l, -ur - m), high = fmin(l, -ur + m);
  *s = low <= high ? (low + high) / 2 : low > l ? l : high < -l ? -l : -ur > 0 ? l : -l;
  *t = clamp_symmetric(sign * (*s + ur), m);
}

static void capsule_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                             const pk_pose *pose_b, pk_proximity *out)
{
  const double u[3] = {pose_a->rot[2], pose_a->rot[5], pose_a->rot[8]};
  const double v[3] = {pose_b->rot[2], pose_b->rot[5], pose_b->rot[8]};
  double r[3], s, t, apart[3], n[3], point[3];
  pki_sub3(pose_a->pos, pose_b->pos, r);
  nearest_on_segments(r, u, a->half_length, v, b->half_length, &s, &t);
  pki_along3(r, s, u, apart);
  pki_along3(apart, -t, v, apart);
  const double length = pki_length3(apart);
  if (length > 1e-12 * (a->half_length + b->half_length)) {
    for (int k = 0; k < 3; k++) {
      n[k] = apart[k] / length;
    }
  } else { /* they cross: out across both, where their centres are apart */
    pki_cross3(u, v, n);
    const double sine = pki_length3(n);
    if (sine > 1e-10) {
      const double side = pki_dot3(n, r) < 0 ? -sine : sine;
      for (int k = 0; k < 3; k++) {
        n[k] /= side;
      }
    } else {
      pki_across3(u, n);
    }
  }
  pki_along3(pose_a->pos, s, u, point);
  pki_along3(point, -a->radius, n, point);
  proximity_from_first(n, length - a->radius - b->radius, point, out);
}

bool pki_closed_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                         const pk_pose *pose_b, double reach, bool *near, pk_proximity *out)
{
  if (b->kind == PK_SHAPE_PLANE && a->kind != PK_SHAPE_PLANE && a->kind != PK_SHAPE_HEIGHTS) {
    plane_distance(a, pose_a, pose_b, out);
    *near = out->distance <= reach;
    return true;
  }
  if (a->kind == PK_SHAPE_CAPSULE && b->kind == PK_SHAPE_CAPSULE) {
    capsule_distance(a, pose_a, b, pose_b, out);
    *near = out->distance <= reach;
    return true;
  }
  if (a->kind == PK_SHAPE_SPHERE && (pki_is_convex(b) || b->kind == PK_SHAPE_MESH)) {
    *near = ball_distance(a, pose_a, b, pose_b, reach, out);
    return true;
  }
  if (a->kind == PK_SHAPE_BOX && b->kind == PK_SHAPE_BOX) {
    return pki_boxes_distance(a, pose_a, b, pose_b, reach, near, out);
  }
  const bool turned =
      (a->kind == PK_SHAPE_PLANE && b->kind != PK_SHAPE_PLANE && b->kind != PK_SHAPE_HEIGHTS) ||
      (b->kind == PK_SHAPE_SPHERE && (pki_is_convex(a) || a->kind == PK_SHAPE_MESH));
  if (turned) {
    pki_closed_distance(b, pose_b, a, pose_a, reach, near, out);
    if (*near) {
      pki_proximity_turn(out);
    }
  }
  return turned;
}
