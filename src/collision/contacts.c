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

/* Where contacts go. */
typedef struct collector {
  pki_contact *out;
  int count, most;
} collector;

/* The contacts of one feature; false when there is no room. */
static bool find_feature(const pki_work *w, int lane, const pki_feature *f, int index,
                         const pk_terrain *terrain, double margin, collector *to)
{
  double centre[3];
  pki_near near[PKI_NEAR_MOST];
  to_world(w, lane, f->body, f->centre, centre);
  const int nnear = pki_terrain_near(terrain, centre, f->radius + margin, near);
  for (int k = 0; k < nnear; k++) {
    if (to->count == to->most) {
      return false;
    }
    const pk_terrain_hit *const hit = &near[k].hit;
    pki_contact *const c = &to->out[to->count++];
    *c = (pki_contact){.feature = index,
                       .solid = near[k].solid,
                       .body = f->body,
                       .material = hit->material,
                       .gap = hit->distance - f->radius};
    for (int e = 0; e < 3; e++) {
      c->normal[e] = hit->normal[e];
      c->point[e] = centre[e] - f->radius * hit->normal[e];
    }
    pki_tangents(c->normal, c->tangent1, c->tangent2);
  }
  return true;
}

int pki_contacts_find(const pki_work *w, int lane, const pki_feature *features,
                      const pki_feature_group *groups, int ngroup, const pk_terrain *terrain, double margin,
                      pki_contact *out, int most, bool *overflow)
{
  collector to = {.out = out, .most = most};
  *overflow = false;
  for (int g = 0; g < ngroup; g++) {
    const pki_feature_group *group = &groups[g];
    if (group->count > 1) {
      double centre[3];
      to_world(w, lane, group->body, group->centre, centre);
      if (!(pk_terrain_query(terrain, centre, group->radius + margin).distance <= group->radius + margin)) {
        continue;
      }
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
