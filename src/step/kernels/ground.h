/* Feet and the ground. */
#ifndef PKI_STEP_GROUND_H
#define PKI_STEP_GROUND_H

#include "collision/ground/terrain.h"
#include "collision/shapes/heights.h"
#include "step/kernels/lanes.h"

/* A foot on a height field, in one lane: its gap, and its nearest point and axes when asked for; else whether that is on
 * another side of the ground than the axes say. */
static void pki_measure_foot_on_heights(const pki_group *g, int b, int lane, const double centre[3],
                                        double *gap, double *point)
{
  const pki_group_plan *p = g->plan;
  const double r = p->radius[b];
  pk_terrain_hit hit = {.normal = {0, 0, 1}};
  const bool high = centre[2] - r > p->at[2] + p->feet_near; /* above all of it */
  const double *const o = p->field->pose.pos,
                      local[3] = {centre[0] - o[0], centre[1] - o[1], centre[2] - o[2]};
  const bool found = !high && pki_heights_point(p->field->geometry->heights, local, r + p->feet_near,
                                                &hit.distance, hit.normal); /* the field is upright */
  gap[b * PKI_LANES + lane] = found ? hit.distance - r : p->feet_near + 1;  /* out of reach */
  if (point == NULL) {
    double along = 0;
    for (int k = 0; k < 3; k++) {
      along += hit.normal[k] * g->axes[(9 * b + k) * PKI_LANES + lane];
    }
    g->turned[b * PKI_LANES + lane] = found && along < 0.999; /* 2.6 degrees */
    return;
  }
  double axes[9];
  memcpy(axes, hit.normal, sizeof hit.normal);
  if (found) {
    pki_tangents(axes, axes + 3, axes + 6);
  } else {
    memcpy(axes, (const double[9]){0, 0, 1, 1, 0, 0, 0, 1, 0}, sizeof axes);
  }
  for (int k = 0; k < 9; k++) {
    g->axes[(9 * b + k) * PKI_LANES + lane] = axes[k];
  }
  for (int k = 0; k < 3; k++) {
    point[(3 * b + k) * PKI_LANES + lane] = centre[k] - r * axes[k];
  }
}

/* Gaps of all feet at the work's configuration, and their lowest points when asked for. */
static void pki_measure_feet(const pki_group *g, double *gap, double *point)
{
  const pki_group_plan *p = g->plan;
  const pki_pose_r *const pose = pki_poses(g->work);
  const pki_v3 *const origin = pki_origins(g->work);
  for (int b = 0; b < p->nball; b++) {
    const pki_v3 c = pki_add(origin[p->body[b]], pki_m3_apply_plain(pose[p->body[b]].R, p->centre[b]));
    if (p->field != NULL) {
      for (int l = 0; l < PKI_LANES; l++) {
        pki_measure_foot_on_heights(
            g, b, l, (const double[3]){pki_lane(c.x, l), pki_lane(c.y, l), pki_lane(c.z, l)}, gap, point);
      }
      continue;
    }
    const pk_r r =
        pki_splat(p->radius[b]); /* a product of two plain numbers would round before it is spread */
    const double *n = p->normal, *o = p->at;
    pki_out(gap)[b] = (c.x - o[0]) * n[0] + (c.y - o[1]) * n[1] + (c.z - o[2]) * n[2] - r;
    if (point != NULL) {
      pki_v3_store((pki_v3){c.x - r * n[0], c.y - r * n[1], c.z - r * n[2]}, pki_out(point) + 3 * b);
    }
  }
}

/* The square of a bound of how fast any point of a body within `extent` of its origin is: (x + y)^2 <= 2 (x^2 + y^2). */
PKI_INLINE pk_r pki_speed_bound(const pki_group *g, int body, double extent)
{
  const pki_v6 t = pki_v6s(g->work->twist)[body];
  return 2.0 * (pki_dot(t.l, t.l) + extent * extent * pki_dot(t.a, t.a));
}

/* Lanes in which shapes move by more than half their thickness in a step leave, where there is something that they could pass:
 * they have to be met on their way. Nothing passes a half-space, and links that hinges join are looked at in the end. */
static void pki_leave_fast_lanes(pki_lanes *f)
{
  const pki_group_plan *p = f->p;
  pk_i bad = pki_mask_none();
  for (int b = 0; b < p->nball && p->swept && p->field != NULL; b++) { /* no ridge is narrower than a cell */
    const double most = fmax(0.5 * p->radius[b], p->cell) / p->dt;
    bad |= pki_less(pki_splat(most * most), pki_speed_bound(f->g, p->body[b], p->extent[b]));
  }
  for (int i = 0; i < p->ncover && p->swept && (!p->hinged || p->scan); i++) {
    const double most = p->covers[i].slow / p->dt;
    bad |= pki_less(pki_splat(most * most), pki_speed_bound(f->g, p->covers[i].body, p->covers[i].extent));
  }
  pki_leave_lanes(f, bad, PK_LANE_EXIT_FAST);
}

#endif
