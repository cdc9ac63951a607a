#include "collision/contacts.h"

#include <math.h>

#include "collision/terrain.h"
#include "math/mat3.h"

/* Frisvad's basis ("Building an orthonormal basis from a 3D unit vector without normalization", 2012): the
 * rotation that takes z to n by the shortest way takes x and y to the tangents. It is singular at
 * n = -z; near there the mirrored one is used (Duff et al. 2017, but with the seam far from walls, whose
 * normals have z = 0 and would flip between the two by rounding). */
void pki_tangents(const double n[3], double t1[3], double t2[3])
{
  const double sign = n[2] > -0.9 ? 1 : -1;
  const double a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  t1[0] = 1 + sign * n[0] * n[0] * a, t1[1] = sign * b, t1[2] = -sign * n[0];
  t2[0] = b, t2[1] = sign + n[1] * n[1] * a, t2[2] = -n[1];
}

/* A point of a body in the world. */
static void to_world(const pki_work *w, int lane, int body, const double point[3], double out[3])
{
  const size_t lanes = (size_t)w->lanes, entry = (size_t)body + 1;
  const double *const R = w->pose + 12 * entry * lanes + (size_t)lane;
  const double *const o = w->origin + 3 * entry * lanes + (size_t)lane;
  for (size_t k = 0; k < 3; k++) {
    out[k] = o[k * lanes] + R[3 * k * lanes] * point[0] + R[(3 * k + 1) * lanes] * point[1] +
             R[(3 * k + 2) * lanes] * point[2];
  }
}

/* The plane that is all of the terrain; NULL: there is more to it. */
static const pki_plane *lone_plane(const pk_terrain *terrain)
{
  const bool lone = terrain->nsolid == 1 && terrain->solids[0].kind == PKI_SOLID_PLANE;
  return lone ? &terrain->solids[0].as.plane : NULL;
}

/* As pki_plane_query; a point that is not finite is near nothing. */
static double plane_distance(const pki_plane *p, const double point[3])
{
  const double arm[3] = {point[0] - p->point[0], point[1] - p->point[1], point[2] - p->point[2]};
  const double distance = pki_dot3(p->normal, arm);
  return isfinite(distance) ? distance : INFINITY;
}

/* Where contacts go. */
typedef struct collector {
  pki_contact *out;
  int count, most;
  int nshape; /* of the model: solids are counted after them */
} collector;

/* One contact of a feature at `centre`; false when there is no room. */
static bool keep(const pki_feature *f, int index, int solid, const double centre[3], double distance,
                 const double normal[3], int material, collector *to)
{
  if (to->count == to->most) {
    return false;
  }
  pki_contact *const c = &to->out[to->count++];
  c->geom[0] = f->shape, c->geom[1] = to->nshape + solid, c->id = (unsigned)index;
  c->body = f->body, c->other = -1, c->material = material;
  c->gap = distance - f->radius;
  for (int e = 0; e < 3; e++) {
    c->normal[e] = normal[e];
    c->point[e] = centre[e] - f->radius * normal[e];
  }
  pki_tangents(c->normal, c->tangent1, c->tangent2);
  return true;
}

/* The contacts of one feature; false when there is no room. */
static bool find_feature(const pki_work *w, int lane, const pki_feature *f, int index,
                         const pk_terrain *terrain, double margin, collector *to)
{
  const pki_plane *plane = lone_plane(terrain);
  double centre[3];
  to_world(w, lane, f->body, f->centre, centre);
  if (plane != NULL) {
    const double distance = plane_distance(plane, centre);
    return !(distance <= f->radius + margin || distance < 0) ||
           keep(f, index, 0, centre, distance, plane->normal, terrain->solids[0].material, to);
  }
  pki_near near[PKI_NEAR_MOST];
  const int nnear = pki_terrain_near(terrain, centre, f->radius + margin, near);
  bool room = true;
  for (int k = 0; k < nnear && room; k++) {
    const pk_terrain_hit *const hit = &near[k].hit;
    room = keep(f, index, near[k].solid, centre, hit->distance, hit->normal, hit->material, to);
  }
  return room;
}

/* Whether a feature of the group can be within the margin. */
static bool group_near(const pki_work *w, int lane, const pki_feature_group *group, const pk_terrain *terrain,
                       double margin)
{
  const pki_plane *plane = lone_plane(terrain);
  const double reach = group->radius + margin;
  double centre[3];
  to_world(w, lane, group->body, group->centre, centre);
  return (plane ? plane_distance(plane, centre) : pk_terrain_query(terrain, centre, reach).distance) <= reach;
}

int pki_contacts_find(const pki_work *w, int lane, const pki_feature *features,
                      const pki_feature_group *groups, int ngroup, const pk_terrain *terrain, double margin,
                      pki_contact *out, int most, bool *overflow)
{
  collector to = {.out = out, .most = most, .nshape = w->model->nshape};
  *overflow = false;
  for (int g = 0; g < ngroup; g++) {
    const pki_feature_group *group = &groups[g];
    if (group->count > 1 && !group_near(w, lane, group, terrain, margin)) {
      continue;
    }
    for (int i = group->first; i < group->first + group->count; i++) {
      if (!find_feature(w, lane, &features[i], i, terrain, margin, &to)) {
        *overflow = true;
        return to.count;
      }
    }
  }
  return to.count;
}
