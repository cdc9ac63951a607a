/* A terrain: a union of solids. Its signed distance is the smallest of theirs; the solid that was
 * added first wins a tie. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "collision/terrain.h"
#include "math/mat3.h"

bool pki_finite3(const double v[3])
{
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

pk_status pki_check_finite3(const double v[3], const char *field, pk_error *err)
{
  if (!pki_finite3(v)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "%s is (%g, %g, %g), expected finite numbers", field, v[0], v[1], v[2]);
  }
  return PK_OK;
}

/* ---- building ---- */

pk_terrain *pk_terrain_create(void)
{
  return calloc(1, sizeof(pk_terrain));
}

void pk_terrain_destroy(pk_terrain *t)
{
  if (t == NULL) {
    return;
  }
  for (int i = 0; i < t->nsolid; i++) {
    if (t->solids[i].kind == PKI_SOLID_HEIGHTS) {
      free(t->solids[i].as.heights.z);
    }
  }
  free(t->solids);
  free(t);
}

/* Room for `count` more solids of a sound material. */
static pk_status reserve(pk_terrain *t, int count, int material, pk_error *err)
{
  if (material < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "material"},
                    "material is %d, expected 0 or more", material);
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

/* The next free place, which `commit` makes part of the terrain. */
static pki_solid *next(pk_terrain *t, pki_solid_kind kind, int material)
{
  pki_solid *s = &t->solids[t->nsolid];
  *s = (pki_solid){.kind = kind, .material = material};
  return s;
}

static pk_status commit(pk_terrain *t, pk_status status)
{
  t->nsolid += status == PK_OK;
  return status;
}

pk_status pk_terrain_add_plane(pk_terrain *t, const double point[3], const double normal[3], int material,
                               pk_error *err)
{
  const pk_status status = reserve(t, 1, material, err);
  if (status != PK_OK) {
    return status;
  }
  return commit(t, pki_plane_init(&next(t, PKI_SOLID_PLANE, material)->as.plane, point, normal, err));
}

pk_status pk_terrain_add_box(pk_terrain *t, const pk_pose *pose, const double size[3], int material,
                             pk_error *err)
{
  const pk_status status = reserve(t, 1, material, err);
  if (status != PK_OK) {
    return status;
  }
  return commit(t, pki_box_init(&next(t, PKI_SOLID_BOX, material)->as.box, pose, size, err));
}

pk_status pk_terrain_add_heights(pk_terrain *t, const double origin[3], int nx, int ny, double cell,
                                 const double *heights, int material, pk_error *err)
{
  const pk_status status = reserve(t, 1, material, err);
  if (status != PK_OK) {
    return status;
  }
  pki_heights *f = &next(t, PKI_SOLID_HEIGHTS, material)->as.heights;
  return commit(t, pki_heights_init(f, origin, nx, ny, cell, heights, err));
}

static pk_status check_stairs(const double start[3], double depth, double height, double width, int count,
                              pk_error *err)
{
  const pk_status status = pki_check_finite3(start, "start", err);
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
    status = reserve(t, count, material, err);
  }
  const int before = t->nsolid;
  for (int i = 0; i < count && status == PK_OK; i++) {
    const double size[3] = {(count - i) * depth, width, (i + 2) * height};
    pk_pose pose = pk_pose_identity();
    pose.pos[0] = start[0] + i * depth + 0.5 * size[0];
    pose.pos[1] = start[1];
    pose.pos[2] = start[2] - height + 0.5 * size[2];
    status = commit(t, pki_box_init(&next(t, PKI_SOLID_BOX, material)->as.box, &pose, size, err));
  }
  if (status != PK_OK) {
    t->nsolid = before;
  }
  return status;
}

/* ---- queries ---- */

bool pki_solid_query(const pki_solid *s, const double point[3], double reach, pk_terrain_hit *hit)
{
  hit->material = s->material;
  switch (s->kind) {
  case PKI_SOLID_PLANE: return pki_plane_query(&s->as.plane, point, reach, hit);
  case PKI_SOLID_BOX: return pki_box_query(&s->as.box, point, reach, hit);
  default: return pki_heights_query(&s->as.heights, point, reach, hit);
  }
}

pk_terrain_hit pk_terrain_query(const pk_terrain *t, const double point[3], double reach)
{
  pk_terrain_hit best = {.distance = INFINITY, .material = -1};
  if (!pki_finite3(point) || isnan(reach)) {
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

/* ---- several solids at once ---- */

/* How far a surface must stand out of a nearer solid to be seen, m; well above the rounding of positions. */
static const double SKIN = 1e-6;

/* The point of a solid's surface that a query from `from` found. */
static void foot(const double from[3], const pk_terrain_hit *hit, double out[3])
{
  for (int k = 0; k < 3; k++) {
    out[k] = from[k] - hit->distance * hit->normal[k];
  }
}

/* Whether surface b, found from `point`, can be touched next to the nearer surface a.
 *
 * Its foot s_b can, when it lies in the open. When a covers it, b may still come out of a further on: slide
 * from s_b along b's tangent plane, out of a's by a skin. If that place is on b, a and b form a corner and
 * both hold. If not, b ends there: an edge or side between solids that join. */
static bool stands_out(const pk_terrain *t, const double point[3], const pki_near *a, const pki_near *b)
{
  double sa[3], sb[3];
  pk_terrain_hit hit;
  foot(point, &a->hit, sa), foot(point, &b->hit, sb);
  if (!pki_solid_query(&t->solids[a->solid], sb, SKIN, &hit)) {
    return true;
  }
  const double *const na = a->hit.normal, *const nb = b->hit.normal;
  const double cosine = pki_dot3(na, nb);
  const double tangent[3] = {na[0] - cosine * nb[0], na[1] - cosine * nb[1], na[2] - cosine * nb[2]};
  const double square = pki_dot3(tangent, tangent);
  if (square < 1e-6) {
    return false;
  }
  const double from_a[3] = {sb[0] - sa[0], sb[1] - sa[1], sb[2] - sa[2]};
  const double slide = fmax(SKIN - pki_dot3(na, from_a), 0) / square;
  const double there[3] = {sb[0] + slide * tangent[0], sb[1] + slide * tangent[1],
                           sb[2] + slide * tangent[2]};
  return pki_solid_query(&t->solids[b->solid], there, 0.1 * SKIN, &hit) && hit.distance >= -0.1 * SKIN;
}

int pki_terrain_near(const pk_terrain *t, const double point[3], double reach, pki_near out[PKI_NEAR_MOST])
{
  if (!pki_finite3(point) || isnan(reach)) {
    return 0;
  }
  /* the nearest, in order of distance */
  int count = 0;
  for (int i = 0; i < t->nsolid; i++) {
    pki_near found = {.solid = i};
    if (!pki_solid_query(&t->solids[i], point, reach, &found.hit)) {
      continue;
    }
    int at = count < PKI_NEAR_MOST ? count++ : PKI_NEAR_MOST;
    for (; at > 0 && found.hit.distance < out[at - 1].hit.distance; at--) {
      if (at < PKI_NEAR_MOST) {
        out[at] = out[at - 1];
      }
    }
    if (at < PKI_NEAR_MOST) {
      out[at] = found;
    }
  }
  /* without what hides behind another */
  int kept = 0;
  for (int i = 0; i < count; i++) {
    bool seen = true;
    for (int k = 0; k < kept && seen; k++) {
      seen = stands_out(t, point, &out[k], &out[i]);
    }
    if (seen) {
      out[kept++] = out[i];
    }
  }
  return kept;
}

int pki_terrain_materials(const pk_terrain *t)
{
  int count = 0;
  for (int i = 0; i < t->nsolid; i++) {
    count = t->solids[i].material >= count ? t->solids[i].material + 1 : count;
  }
  return count;
}
