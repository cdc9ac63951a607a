/* Shapes that must keep away from the ground and from each other (step/group.h). */
#ifndef PKI_STEP_GUARD_H
#define PKI_STEP_GUARD_H

#include "step/kernels/rows.h"

/* m, so much earlier than they touch: where the general step stops what velocities would push together, shapes may still be
 * apart at the end of a step on a curved way. */
#define PKI_COVER_SLACK 1e-3

/* m, for distances of parallel segments, so that a look that is not due would change nothing. */
#define PKI_COVER_HAIR 1e-5

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

/* Heights above the plane of points of a body: n . (place - at) = along . local + base. */
typedef struct pki_heights {
  pki_v3 along;
  pk_r base;
} pki_heights;

PKI_INLINE pki_heights pki_heights_of(const pki_group *g, int body)
{
  const pki_group_plan *p = g->plan;
  const pki_m3 *const R = &pki_poses(g->work)[body].R;
  const pki_v3 o = pki_origins(g->work)[body];
  if (p->level) {
    return (pki_heights){R->z, o.z - p->at[2]};
  }
  const pki_v3 n = pki_v3_splat(p->normal);
  return (pki_heights){pki_m3_apply_t(*R, n), pki_dot(n, pki_sub(o, pki_v3_splat(p->at)))};
}

PKI_INLINE pk_r pki_height_at(const pki_heights *h, const double local[3])
{
  return h->base + h->along.x * local[0] + h->along.y * local[1] + h->along.z * local[2];
}

/* The lanes in which a cover is in the plane, or nearly. */
PKI_INLINE pk_i pki_cover_in_plane(const pki_group *g, const pki_cover *c)
{
  pk_i in = pki_mask_none();
  if (!c->low[0] && !c->low[1]) {
    return in;
  }
  const pki_heights h = pki_heights_of(g, c->body);
  for (int e = 0; e < 2 && !c->box; e++) {
    if (c->low[e]) {
      in |= pki_less(pki_height_at(&h, c->end[e]), pki_splat(c->radius + PKI_COVER_SLACK));
    }
  }
  if (c->box) {
    pk_r below = pki_splat(PKI_COVER_SLACK);
    for (int k = 0; k < 3; k++) {
      const pk_r up = h.along.x * c->rot[k] + h.along.y * c->rot[3 + k] + h.along.z * c->rot[6 + k];
      below += c->half[k] * pki_abs(up);
    }
    in |= pki_less(pki_height_at(&h, c->end[0]), below);
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

/* The square of twice the way between the centres of two covers. */
PKI_INLINE pk_r pki_centres_apart(const pki_v3 *a, const pki_v3 *b)
{
  const pki_v3 way = pki_sub(pki_add(a[0], a[1]), pki_add(b[0], b[1]));
  return pki_dot(way, way);
}

/* How far two covers are apart, at least; never less than the balls around them, whose centres are known. */
PKI_INLINE pk_r pki_pair_apart(const pki_group *g, int i, int j, pk_r centres)
{
  const pki_cover *a = &g->plan->covers[i], *b = &g->plan->covers[j];
  const pki_v3 *x = pki_ends_of(g, i), *y = pki_ends_of(g, j);
  if (!a->box && !b->box) {
    return pki_segments_apart(x, y) - (a->radius + b->radius);
  }
  const pk_r along = a->box ? pki_box_apart(g, a, x, y) - b->radius : pki_box_apart(g, b, y, x) - a->radius;
  return pki_max(along, 0.5 * pki_sqrt(centres) - (a->reach + b->reach));
}

/* How far apart the nearest two of all pairs are, at least; and how far joints may turn before any two can touch: a pair that
 * is d apart stays so while (swing_i + swing_j) angle < d. */
static pk_r pki_covers_apart(const pki_group *g, pk_r *angle)
{
  const pki_group_plan *p = g->plan;
  const double apart = PKI_COVER_SLACK + PKI_COVER_HAIR;
  pk_r least = pki_splat(1e3);
  *angle = least;
  for (int i = 0; i < p->ncover; i++) {
    for (int e = 0; e < 2; e++) {
      pki_ends_of(g, i)[e] = pki_place(g->work, p->covers[i].body, p->covers[i].end[e]);
    }
  }
  for (int k = 0; k < p->npair; k++) {
    const int i = p->pairs[k][0], j = p->pairs[k][1];
    const double swing = p->covers[i].swing + p->covers[j].swing + 1e-12;
    const double reach =
        p->covers[i].reach + p->covers[j].reach + 1e-9; /* rounding hides no pair that counts: */
    const pk_r centres = pki_centres_apart(pki_ends_of(g, i), pki_ends_of(g, j));
    const pk_r counts = pki_max(pki_max(least, swing * *angle + apart), pki_splat(0));
    const pk_r most = 2.0 * (counts + reach); /* a world sees the same in any company */
    if (pki_any(pki_at_most(centres, most * most))) {
      const pk_r d = pki_pair_apart(g, i, j, centres);
      least = pki_min(least, d);
      *angle = pki_min(*angle, (d - apart) * (1 / swing));
    }
  }
  return least;
}

#endif
