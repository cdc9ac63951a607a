/* A terrain: a union of solids. Its signed distance is the smallest of theirs; the solid that was
 * added first wins a tie. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "collision/ground/terrain.h"
#include "math/mat3.h"

static bool is_finite3(const double v[3])
{
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static pk_status check_finite3(const double v[3], const char *field, pk_error *err)
{
  if (!is_finite3(v)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "%s is (%g, %g, %g), expected finite numbers", field, v[0], v[1], v[2]);
  }
  return PK_OK;
}

/* ---- building ---- */

pk_status pk_terrain_create(pk_terrain **out, pk_error *err)
{
  *out = calloc(1, sizeof **out);
  return *out != NULL ? PK_OK : pki_fail_memory(err, "a terrain");
}

void pk_terrain_destroy(pk_terrain *t)
{
  if (t == NULL) {
    return;
  }
  for (int i = 0; i < t->nsolid; i++) {
    pk_geometry_destroy(t->solids[i].geometry);
  }
  free(t->solids);
  free(t);
}

/* Room for `count` more solids of a sound material. */
static pk_status reserve_solids(pk_terrain *t, int count, int material, pk_error *err)
{
  if (material < 0 || material >= PK_TERRAIN_MATERIALS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "material"},
                    "material is %d, expected 0 to %d", material, PK_TERRAIN_MATERIALS - 1);
  }
  if (count > INT_MAX / 2 - t->nsolid) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "count"}, "the terrain has too many solids");
  }
  if (t->nsolid + count > t->room) {
    const int room = t->nsolid + count > 2 * t->room ? t->nsolid + count : 2 * t->room;
    pki_solid *solids = realloc(t->solids, (size_t)room * sizeof *solids);
    if (solids == NULL) {
      return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for %d solids", room);
    }
    t->solids = solids, t->room = room;
  }
  return PK_OK;
}

/* Rows of a rotation are orthonormal and right-handed. */
static bool is_rotation(const double R[9])
{
  double z[3];
  pki_cross3(R, R + 3, z);
  const double error[6] = {pki_dot3(R, R) - 1, pki_dot3(R + 3, R + 3) - 1,
                           pki_dot3(R, R + 3), z[0] - R[6],
                           z[1] - R[7],        z[2] - R[8]};
  for (int k = 0; k < 6; k++) {
    if (!(fabs(error[k]) <= 1e-9)) {
      return false;
    }
  }
  return true;
}

/* One more solid, for which there is room. */
static pk_status add_solid_to_terrain(pk_terrain *t, const pk_pose *pose, const pk_geometry_desc *desc,
                                      int material, pk_error *err)
{
  pki_solid *s = &t->solids[t->nsolid];
  *s = (pki_solid){.material = material, .pose = *pose};
  const pk_status status = pk_geometry_create(desc, &s->geometry, err);
  t->nsolid += status == PK_OK;
  return status;
}

pk_status pk_terrain_add_geometry(pk_terrain *t, const pk_pose *pose, const pk_geometry_desc *desc,
                                  int material, pk_error *err)
{
  pk_status status = reserve_solids(t, 1, material, err);
  if (status == PK_OK) {
    status = check_finite3(pose->pos, "pose", err);
  }
  if (status != PK_OK) {
    return status;
  }
  if (!is_rotation(pose->rot)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "pose"},
                    "the solid's rotation is not orthonormal and right-handed");
  }
  return add_solid_to_terrain(t, pose, desc, material, err);
}

/* The pose has any rotation that takes z to the normal. */
pk_status pk_terrain_add_plane(pk_terrain *t, const double point[3], const double normal[3], int material,
                               pk_error *err)
{
  pk_status status = reserve_solids(t, 1, material, err);
  status = status == PK_OK ? check_finite3(point, "point", err) : status;
  status = status == PK_OK ? check_finite3(normal, "normal", err) : status;
  if (status != PK_OK) {
    return status;
  }
  /* the largest entry first, so that no length overflows or vanishes */
  const double size = fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2])));
  if (size == 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "normal"},
                    "normal is zero, expected a direction");
  }
  double n[3] = {normal[0] / size, normal[1] / size, normal[2] / size}, t1[3], t2[3];
  const double length = sqrt(pki_dot3(n, n));
  pk_pose pose;
  for (int k = 0; k < 3; k++) {
    n[k] /= length;
  }
  pki_tangents(n, t1, t2);
  for (int k = 0; k < 3; k++) {
    pose.pos[k] = point[k];
    pose.rot[3 * k] = t1[k], pose.rot[3 * k + 1] = t2[k], pose.rot[3 * k + 2] = n[k];
  }
  return add_solid_to_terrain(t, &pose, &(pk_geometry_desc){.kind = PK_SHAPE_PLANE}, material, err);
}

pk_status pk_terrain_add_box(pk_terrain *t, const pk_pose *pose, const double size[3], int material,
                             pk_error *err)
{
  const pk_geometry_desc desc = {.kind = PK_SHAPE_BOX, .size = {size[0], size[1], size[2]}};
  return pk_terrain_add_geometry(t, pose, &desc, material, err);
}

pk_status pk_terrain_add_mesh(pk_terrain *t, const pk_pose *pose, const pk_mesh *mesh, int material,
                              pk_error *err)
{
  const pk_geometry_desc desc = {.kind = PK_SHAPE_MESH, .mesh = mesh};
  return pk_terrain_add_geometry(t, pose, &desc, material, err);
}

pk_status pk_terrain_add_heights(pk_terrain *t, const double origin[3], int nx, int ny, double cell,
                                 const double *heights, int material, pk_error *err)
{
  const pk_geometry_desc desc = {
      .kind = PK_SHAPE_HEIGHTS, .nx = nx, .ny = ny, .cell = cell, .heights = heights};
  const pk_status status = check_finite3(origin, "origin", err);
  if (status != PK_OK) {
    return status;
  }
  pk_pose pose = pk_pose_identity();
  memcpy(pose.pos, origin, sizeof pose.pos);
  return pk_terrain_add_geometry(t, &pose, &desc, material, err);
}

static pk_status check_stairs(const double start[3], double depth, double height, double width, int count,
                              pk_error *err)
{
  const pk_status status = check_finite3(start, "start", err);
  if (status != PK_OK) {
    return status;
  }
  const char *const names[3] = {"depth", "height", "width"};
  const double lengths[3] = {depth, height, width};
  for (int k = 0; k < 3; k++) {
    if (!(lengths[k] > 0) || !isfinite(lengths[k])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = names[k]},
                      "%s is %g m, expected a positive length", names[k], lengths[k]);
    }
  }
  if (count < 1) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "count"}, "count is %d, expected 1 or more",
                    count);
  }
  if (!isfinite(start[0] + count * depth) || !isfinite(start[2] + (count + 1.0) * height)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "count"},
                    "%d steps of %g m by %g m end beyond all numbers", count, depth, height);
  }
  return PK_OK;
}

/*            +--- 2     Step i is a box from its riser to the end of the flight, and from one height
 *       +----+-- 1      below the foot of the stairs to its tread: the boxes overlap, so that the only
 *  +----+------- 0      faces near the stairs' surface are treads and risers, and the risers go on below
 *  :                    the ground in front of them. */
pk_status pk_terrain_add_stairs(pk_terrain *t, const double start[3], double depth, double height,
                                double width, int count, int material, pk_error *err)
{
  pk_status status = check_stairs(start, depth, height, width, count, err);
  if (status == PK_OK) {
    status = reserve_solids(t, count, material, err);
  }
  const int before = t->nsolid;
  for (int i = 0; i < count && status == PK_OK; i++) {
    const double size[3] = {(count - i) * depth, width, (i + 2) * height};
    pk_pose pose = pk_pose_identity();
    pose.pos[0] = start[0] + i * depth + 0.5 * size[0];
    pose.pos[1] = start[1];
    pose.pos[2] = start[2] - height + 0.5 * size[2];
    status = pk_terrain_add_box(t, &pose, size, material, err);
  }
  while (status != PK_OK && t->nsolid > before) {
    pk_geometry_destroy(t->solids[--t->nsolid].geometry);
  }
  return status;
}

/* ---- queries ---- */

pk_terrain_hit pk_terrain_query(const pk_terrain *t, const double point[3], double reach)
{
  pk_terrain_hit best = {.distance = INFINITY, .material = -1};
  if (!is_finite3(point) || isnan(reach)) {
    return best;
  }
  double within = reach;
  for (int i = 0; i < t->nsolid; i++) {
    pk_terrain_hit hit;
    if (pki_solid_query(&t->solids[i], point, within, &hit) && hit.distance < best.distance) {
      best = hit;
      within = fmin(within, hit.distance);
    }
  }
  return best;
}

int pki_terrain_materials(const pk_terrain *t)
{
  int count = 0;
  for (int i = 0; i < t->nsolid; i++) {
    count = t->solids[i].material >= count ? t->solids[i].material + 1 : count;
  }
  return count;
}
