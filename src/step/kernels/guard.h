/* Shapes that must keep away from the ground and from each other (step/group.h). */
#ifndef PKI_STEP_GUARD_H
#define PKI_STEP_GUARD_H

#include "step/kernels/rows.h"

/* m, so much earlier than they touch: where the general step stops what velocities would push together, shapes may still be
 * apart at the end of a step on a curved way. */
#define PKI_COVER_SLACK 1e-3

PKI_INLINE pki_v3 pki_place(const pki_work *w, int body, const double local[3])
{
  return pki_add(pki_origins(w)[body], pki_m3_apply_plain(pki_poses(w)[body].R, local));
}

PKI_INLINE pki_v3 *pki_ends_of(const pki_group *g, int cover)
{
  return (pki_v3 *)(void *)g->ends + 2 * cover;
}

/* Axis k of a box in world axes. */
PKI_INLINE pki_v3 pki_box_axis(const pki_work *w, const pki_cover *c, int k)
{
  const double axis[3] = {c->rot[k], c->rot[3 + k], c->rot[6 + k]};
  return pki_m3_apply_plain(pki_poses(w)[c->body].R, axis);
}

/* The lanes in which a cover is in the plane, or nearly. */
PKI_INLINE pk_i pki_cover_in_plane(const pki_group *g, const pki_cover *c)
{
  const pki_group_plan *p = g->plan;
  const pki_v3 n = pki_v3_splat(p->normal), at = pki_v3_splat(p->at);
  pk_i in = pki_mask_none();
  for (int e = 0; e < 2 && !c->box; e++) {
    if (c->low[e]) {
      in |= pki_less(pki_dot(n, pki_sub(pki_place(g->work, c->body, c->end[e]), at)),
                     pki_splat(c->radius + PKI_COVER_SLACK));
    }
  }
  if (c->box && c->low[0]) {
    pk_r below = pki_splat(PKI_COVER_SLACK);
    for (int k = 0; k < 3; k++) {
      below += c->half[k] * pki_abs(pki_dot(n, pki_box_axis(g->work, c, k)));
    }
    in |= pki_less(pki_dot(n, pki_sub(pki_place(g->work, c->body, c->end[0]), at)), below);
  }
  return in;
}

PKI_INLINE pk_r pki_unit_clamp(pk_r x)
{
  return pki_min(pki_max(x, pki_splat(0)), pki_splat(1));
}

/* Distance of two segments (Ericson, Real-Time Collision Detection, 2005, section 5.1.9, with masks for branches). */
PKI_INLINE pk_r pki_segments_apart(const pki_v3 *a, const pki_v3 *b)
{
  const pk_r tiny = pki_splat(1e-12);
  const pki_v3 x = pki_sub(a[1], a[0]), y = pki_sub(b[1], b[0]), r = pki_sub(a[0], b[0]);
  const pk_r xx = pki_dot(x, x), yy = pki_dot(y, y), xy = pki_dot(x, y), xr = pki_dot(x, r),
             yr = pki_dot(y, r);
  const pk_r first = pki_unit_clamp((xy * yr - xr * yy) / pki_max(xx * yy - xy * xy, tiny));
  const pk_r t = pki_unit_clamp((xy * first + yr) / pki_max(yy, tiny));
  const pk_r s = pki_unit_clamp((xy * t - xr) / pki_max(xx, tiny));
  const pki_v3 way = pki_add_scaled(pki_add_scaled(r, s, x), -t, y);
  return pki_sqrt(pki_dot(way, way));
}

/* How far a box and a segment are apart at least: along one of the box's axes. */
PKI_INLINE pk_r pki_box_apart(const pki_group *g, const pki_cover *box, const pki_v3 *centre, const pki_v3 *b)
{
  const pki_v3 first = pki_sub(b[0], *centre), second = pki_sub(b[1], *centre);
  pk_r apart = pki_splat(-1);
  for (int k = 0; k < 3; k++) {
    const pki_v3 axis = pki_box_axis(g->work, box, k);
    const pk_r x = pki_dot(axis, first), y = pki_dot(axis, second);
    apart = pki_max(apart, pki_max(pki_min(x, y), -pki_max(x, y)) - box->half[k]);
  }
  return apart;
}

/* How far apart the nearest two of all pairs are, at least. */
static pk_r pki_covers_apart(const pki_group *g)
{
  const pki_group_plan *p = g->plan;
  pk_r least = pki_splat(1e3);
  for (int i = 0; i < p->ncover; i++) {
    for (int e = 0; e < 2; e++) {
      pki_ends_of(g, i)[e] = pki_place(g->work, p->covers[i].body, p->covers[i].end[e]);
    }
  }
  for (int k = 0; k < p->npair; k++) {
    const int i = p->pairs[k][0], j = p->pairs[k][1];
    const pki_cover *a = &p->covers[i], *b = &p->covers[j];
    const pki_v3 *x = pki_ends_of(g, i), *y = pki_ends_of(g, j);
    const pk_r apart = a->box   ? pki_box_apart(g, a, x, y) - b->radius
                       : b->box ? pki_box_apart(g, b, y, x) - a->radius
                                : pki_segments_apart(x, y) - (a->radius + b->radius);
    least = pki_min(least, apart);
  }
  return least;
}

#endif
