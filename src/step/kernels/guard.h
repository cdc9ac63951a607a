/* Shapes that are no feet: which pairs of them, and which of them and the ground, are near (step/group.h). */
#ifndef PKI_STEP_GUARD_H
#define PKI_STEP_GUARD_H

#include "step/kernels/lanes.h"

/* How near two covers are before the narrow phase sees them, as a part of the world's length, beside what their motion in the step
 * adds: joints at up to PKI_COVER_HASTE times the rates that they have before impulses. */
#define PKI_COVER_SLACK 1e-3
#define PKI_COVER_HASTE 2.0

/* Likewise, for distances of parallel segments, so that a look that is not due would change nothing; and for what rounding hides. */
#define PKI_COVER_HAIR 1e-5
#define PKI_COVER_ROUNDING 1e-9

PKI_INLINE pki_v3 pki_place(const pki_work *w, int body, const double local[3])
{
  return pki_add(pki_origins(w)[body], pki_m3_apply_plain(pki_poses(w)[body].R, local));
}

PKI_INLINE pki_v3 *pki_ends_of(const pki_group *g, int cover)
{
  return (pki_v3 *)(void *)g->search.ends + 2 * cover;
}

/* Axes of a box in world axes. */
PKI_INLINE pki_v3 *pki_axes_of(const pki_group *g, int cover)
{
  return (pki_v3 *)(void *)g->search.axes + 3 * cover;
}

/* Heights above the plane of points of a body: n . (place - at) = along . local + base. */
typedef struct pki_above {
  pki_v3 along;
  pk_r base;
} pki_above;

PKI_INLINE pki_above pki_above_of(const pki_group *g, int body)
{
  const pki_group_plan *p = g->plan;
  const pki_m3 *const R = &pki_poses(g->work)[body].R;
  const pki_v3 o = pki_origins(g->work)[body];
  if (p->level) {
    return (pki_above){R->z, o.z - p->at[2]};
  }
  const pki_v3 n = pki_v3_splat(p->normal);
  return (pki_above){pki_m3_apply_t(*R, n), pki_dot(n, pki_sub(o, pki_v3_splat(p->at)))};
}

PKI_INLINE pk_r pki_height_at(const pki_above *h, const double local[3])
{
  return h->base + h->along.x * local[0] + h->along.y * local[1] + h->along.z * local[2];
}

/* How high the lowest point of a cover is above the plane, but for what is within a foot. */
PKI_INLINE pk_r pki_cover_height(const pki_group *g, const pki_cover *c)
{
  const pki_above h = pki_above_of(g, c->body);
  if (!c->box) {
    const int low = c->low[0] ? 0 : 1, other = c->low[1] ? 1 : 0;
    return pki_min(pki_height_at(&h, c->end[low]), pki_height_at(&h, c->end[other])) - pki_splat(c->radius);
  }
  pk_r below = pki_splat(0);
  for (int k = 0; k < 3; k++) {
    const pk_r up = h.along.x * c->rot[k] + h.along.y * c->rot[3 + k] + h.along.z * c->rot[6 + k];
    below += c->half[k] * pki_abs(up);
  }
  return pki_height_at(&h, c->end[0]) - below;
}

PKI_INLINE pk_r pki_unit_clamp(pk_r x)
{
  return pki_min(pki_max(x, pki_splat(0)), pki_splat(1));
}

/* Distance of two segments (Ericson, Real-Time Collision Detection, 2005, section 5.1.9, with masks for branches). */
PKI_INLINE pk_r pki_segments_apart(const pki_v3 *a, const pki_v3 *b)
{
  const pk_r none = pki_splat(1e-300); /* of a point, whose products are all zero */
  const pki_v3 x = pki_sub(a[1], a[0]), y = pki_sub(b[1], b[0]), r = pki_sub(a[0], b[0]);
  const pk_r xx = pki_dot(x, x), yy = pki_dot(y, y), xy = pki_dot(x, y), xr = pki_dot(x, r),
             yr = pki_dot(y, r);
  const pk_r parallel = 1e-12 * (xx * yy) + none; /* below it rounding is all there is */
  const pk_r first = pki_unit_clamp((xy * yr - xr * yy) / pki_max(xx * yy - xy * xy, parallel));
  const pk_r t = pki_unit_clamp((xy * first + yr) / pki_max(yy, none));
  const pk_r s = pki_unit_clamp((xy * t - xr) / pki_max(xx, none));
  const pki_v3 way = pki_add_scaled(pki_add_scaled(r, s, x), -t, y);
  return pki_sqrt(pki_dot(way, way));
}

/* How far a box and a segment are apart at least: along one of the box's axes. */
PKI_INLINE pk_r pki_box_apart(const pki_group *g, int box, const pki_v3 *b)
{
  const pki_v3 *const axes = pki_axes_of(g, box), centre = *pki_ends_of(g, box);
  const pki_v3 first = pki_sub(b[0], centre), second = pki_sub(b[1], centre);
  pk_r apart = pki_splat(-1);
  for (int k = 0; k < 3; k++) {
    const pk_r x = pki_dot(axes[k], first), y = pki_dot(axes[k], second);
    apart = pki_max(apart, pki_max(pki_min(x, y), -pki_max(x, y)) - g->plan->covers[box].half[k]);
  }
  return apart;
}

/* The same of two boxes, along the axes of both (Gottschalk, Lin and Manocha, "OBBTree", 1996, without the cross products). */
PKI_INLINE pk_r pki_boxes_apart(const pki_group *g, int i, int j)
{
  const pki_v3 *const a = pki_axes_of(g, i), *const b = pki_axes_of(g, j);
  const double *const x = g->plan->covers[i].half, *const y = g->plan->covers[j].half;
  const pki_v3 way = pki_sub(*pki_ends_of(g, j), *pki_ends_of(g, i));
  pk_r apart = pki_splat(-1), width[3] = {pki_splat(y[0]), pki_splat(y[1]), pki_splat(y[2])};
  for (int k = 0; k < 3; k++) {
    pk_r other = pki_splat(x[k]);
    for (int l = 0; l < 3; l++) {
      const pk_r turn = pki_abs(pki_dot(a[k], b[l]));
      other += y[l] * turn;
      width[l] += x[k] * turn;
    }
    apart = pki_max(apart, pki_abs(pki_dot(a[k], way)) - other);
  }
  for (int l = 0; l < 3; l++) {
    apart = pki_max(apart, pki_abs(pki_dot(b[l], way)) - width[l]);
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
  const pk_r along = !a->box   ? pki_box_apart(g, j, x) - a->radius
                     : !b->box ? pki_box_apart(g, i, y) - b->radius
                               : pki_boxes_apart(g, i, j);
  return pki_max(along, 0.5 * pki_sqrt(centres) - (a->reach + b->reach));
}

/* What a check of all shapes gives: how far joints may turn before any two can come within PKI_COVER_SLACK of each other: a pair that
 * is d apart stays so while swing angle < d - slack; and how high the lowest one is above the ground. */
typedef struct pki_clearance {
  pk_r angle, height;
} pki_clearance;

static void pki_add_candidate(pki_lanes *f, int a, int b, double swing, pk_i mask)
{
  if (pki_any(mask)) {
    f->g->search.candidates[f->ncandidate++] = (pki_candidate){a, b, pki_lane_bits(mask), swing};
  }
}

/* How near shapes are when they are candidates: to the ground, to each other, and what each radian of turning adds to that. */
typedef struct pki_margins {
  pk_r ground, pair, turn;
} pki_margins;

/* The same of one candidate in a lane: contacts with larger gaps do not count, whatever the cover says, so that a look which was not due would
 * have found none. */
PKI_INLINE double pki_candidate_margin(const pki_margins *m, const pki_candidate *c, int lane)
{
  return c->swing < 0
             ? pki_lane(m->ground, lane)
             : fmin(pki_lane(m->ground, lane), pki_lane(m->pair, lane) + c->swing * pki_lane(m->turn, lane));
}

/* Pair k of covers, in the lanes of a mask. */
PKI_INLINE void pki_check_cover_pair(pki_lanes *f, int k, const pki_margins *margin, pk_i mask,
                                     pki_clearance *look)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const double apart = (PKI_COVER_SLACK + PKI_COVER_HAIR) * p->length;
  const int i = p->pairs[k][0], j = p->pairs[k][1];
  const double swing = p->pair_swing[k];
  const double reach = p->covers[i].reach + p->covers[j].reach + PKI_COVER_ROUNDING * p->length;
  const pk_r centres = pki_centres_apart(pki_ends_of(g, i), pki_ends_of(g, j));
  const pk_r near = margin->pair + swing * margin->turn;
  const pk_r most =
      2.0 * (pki_max(swing * look->angle + apart, near) + reach); /* others would change nothing */
  if (pki_any(pki_at_most(centres, most * most) & mask)) {
    const pk_r d = pki_pair_apart(g, i, j, centres);
    look->angle = pki_min(look->angle, (d - apart) * (1 / swing));
    pki_add_candidate(f, i, j, swing, mask & pki_at_most(d, near));
  }
}

static void pki_place_covers(const pki_group *g)
{
  for (int i = 0; i < g->plan->ncover; i++) {
    const pki_cover *c = &g->plan->covers[i];
    pki_v3 *const ends = pki_ends_of(g, i), *const axes = pki_axes_of(g, i);
    ends[0] = pki_place(g->work, c->body, c->end[0]);
    ends[1] = c->box ? ends[0] : pki_place(g->work, c->body, c->end[1]);
    for (int k = 0; k < 3 && c->box; k++) {
      const double axis[3] = {c->rot[k], c->rot[3 + k], c->rot[6 + k]};
      axes[k] = pki_m3_apply_plain(pki_poses(g->work)[c->body].R, axis);
    }
  }
}

/* ---- limbs ---- */

/* The boxes around the covers of each limb, along the axes of the first body; and which pairs of limbs have been compared, as bits. */
typedef struct pki_limbs {
  pki_v3 lower[PKI_LIMBS], upper[PKI_LIMBS];
  unsigned known[PKI_LIMBS], near[PKI_LIMBS];
} pki_limbs;

PKI_INLINE pki_v3 pki_v3_min(pki_v3 a, pki_v3 b)
{
  return (pki_v3){pki_min(a.x, b.x), pki_min(a.y, b.y), pki_min(a.z, b.z)};
}

PKI_INLINE pki_v3 pki_v3_max(pki_v3 a, pki_v3 b)
{
  return (pki_v3){pki_max(a.x, b.x), pki_max(a.y, b.y), pki_max(a.z, b.z)};
}

static void pki_box_limbs(const pki_group *g, pki_limbs *limbs)
{
  const pki_group_plan *p = g->plan;
  const pki_m3 R = pki_poses(g->work)[0].R;
  const pki_v3 o = pki_origins(g->work)[0];
  for (int l = 0; l < p->nlimb; l++) {
    limbs->lower[l] = (pki_v3){pki_splat(1e6), pki_splat(1e6), pki_splat(1e6)};
    limbs->upper[l] = pki_scale(pki_splat(-1), limbs->lower[l]);
    limbs->known[l] = limbs->near[l] = 0;
  }
  for (int i = 0; i < p->ncover; i++) {
    const pki_cover *c = &p->covers[i];
    const pki_v3 span = pki_v3_splat(c->span), a = pki_m3_apply_t(R, pki_sub(pki_ends_of(g, i)[0], o)),
                 b = c->box ? a : pki_m3_apply_t(R, pki_sub(pki_ends_of(g, i)[1], o));
    limbs->lower[c->limb] = pki_v3_min(limbs->lower[c->limb], pki_sub(pki_v3_min(a, b), span));
    limbs->upper[c->limb] = pki_v3_max(limbs->upper[c->limb], pki_add(pki_v3_max(a, b), span));
  }
}

/* Some pair of two limbs may be a candidate in a lane of the mask, or change what the look tells. They are compared once in a look:
 * its angle is largest then. */
static bool pki_limbs_near(const pki_group *g, pki_limbs *limbs, int a, int b, const pki_margins *margin,
                           pk_i mask, const pki_clearance *look)
{
  if (!(limbs->known[a] >> b & 1)) {
    const double swing = g->plan->limb_swing[a][b],
                 apart = (PKI_COVER_SLACK + PKI_COVER_HAIR) * g->plan->length;
    const pki_v3 one = pki_sub(limbs->lower[b], limbs->upper[a]),
                 other = pki_sub(limbs->lower[a], limbs->upper[b]);
    const pki_v3 way = pki_v3_max(one, other);
    const pk_r gap = pki_max(way.x, pki_max(way.y, way.z)) - pki_splat(PKI_COVER_ROUNDING * g->plan->length);
    const pk_r angle = pki_max(look->angle, pki_splat(0));
    const pk_r most = pki_max(swing * angle + apart, margin->pair + swing * margin->turn);
    limbs->known[a] |= 1u << b;
    limbs->near[a] |= (unsigned)pki_any(pki_at_most(gap, most) & mask) << b;
  }
  return limbs->near[a] >> b & 1;
}

/* ---- checks ---- */

/* Pairs of one cover with others, from run r on. */
static void pki_check_cover(pki_lanes *f, pki_limbs *limbs, int cover, int *r, const pki_margins *margin,
                            pk_i due, pki_clearance *look)
{
  const pki_group_plan *p = f->p;
  const pki_cover *c = &p->covers[cover];
  for (; *r < p->nrun && p->runs[*r].cover == cover; (*r)++) {
    if (pki_limbs_near(f->g, limbs, c->limb, p->runs[*r].limb, margin, due, look)) {
      for (int k = *r > 0 ? p->runs[*r - 1].end : 0; k < p->runs[*r].end; k++) {
        pki_check_cover_pair(f, k, margin, due, look);
      }
    }
  }
}

/* Lanes in which covers have to be compared with each other, and with the ground: those with pairs are among the latter. */
typedef struct pki_due {
  pk_i pairs, ground;
} pki_due;

/* Pairs for the narrow phase, sorted: covers that are near the ground, or each other. What the look tells of
 * pairs that are not near is computed when it is to be remembered. */
static pki_clearance pki_find_candidates(pki_lanes *f, const pki_margins *margin, pki_due due,
                                         bool remembered)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  pki_clearance look = {pki_splat(remembered ? 1e3 : 0), pki_splat(1e3)};
  f->ncandidate = 0;
  if (!pki_any(due.ground)) {
    return look;
  }
  const bool pairs = p->npair > 0 && pki_any(due.pairs);
  pki_limbs limbs;
  if (pairs) {
    pki_place_covers(g);
    pki_box_limbs(g, &limbs);
  }
  for (int i = 0, r = 0; i < p->ncover; i++) {
    if (pairs) {
      pki_check_cover(f, &limbs, i, &r, margin, due.pairs, &look);
    }
    if (p->covers[i].low[0] || p->covers[i].low[1]) {
      const pk_r height = pki_cover_height(g, &p->covers[i]);
      look.height = pki_min(look.height, height);
      pki_add_candidate(f, i, p->plane, -1, due.ground & pki_at_most(height, margin->ground));
    }
  }
  return look;
}

/* The largest angle by which a joint has turned since all shapes were looked at. */
static pk_r pki_turned(const pki_group *g, const double *q)
{
  const pk_model *m = g->plan->model;
  pk_r most = pki_splat(0);
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      most = pki_max(most, pki_abs(pki_reals(q)[m->dof_q[k]] - pki_reals(g->search.guard)[k]));
    }
  }
  return most;
}

/* How far the trunk may have lowered anything since then: by its way along the normal, and by its turn, whose angle is at most pi times
 * the way of the unit quaternion. */
static pk_r pki_lowered(const pki_group *g, const double *q)
{
  const pki_group_plan *p = g->plan;
  const pk_r *const x = pki_reals(q), *const at = pki_reals(g->search.guard) + p->model->nu + PKI_GUARD_TRUNK;
  const pki_v3 way = pki_sub(pki_v3_load(x), pki_v3_load(at));
  pk_r turn = pki_splat(0);
  for (int k = 3; k < 7; k++) {
    turn += (x[k] - at[k]) * (x[k] - at[k]);
  }
  const double arm = 3.14159265358979 * p->swing[0];
  return pki_abs(p->normal[0] * way.x + p->normal[1] * way.y + p->normal[2] * way.z) + arm * pki_sqrt(turn);
}

/* Lanes in which some shape that is no foot may be a candidate at q. */
static pki_due pki_lanes_to_check(const pki_lanes *f, const double *q, const pki_margins *margin)
{
  const pki_group *g = f->g;
  const pki_group_plan *p = f->p;
  const pk_r *const guard = pki_reals(g->search.guard) + p->model->nu;
  if (!p->hinged || !p->free) {
    return (pki_due){f->going, f->going};
  }
  const pk_r turned = pki_turned(g, q);
  pki_due due = {.pairs = pki_less(pki_splat(PKI_COVER_SLACK * p->length), margin->pair)};
  due.pairs |= ~pki_less(turned + margin->turn, guard[PKI_GUARD_ANGLE]);
  due.ground = due.pairs;
  if (p->plane >= 0) {
    const pk_r height = guard[PKI_GUARD_HEIGHT] - p->swing_most * turned - pki_lowered(g, q);
    due.ground |= ~pki_less(margin->ground, height);
  }
  return (pki_due){due.pairs & f->going, due.ground & f->going};
}

/* The margins before impulses: what joints may turn until the end of the step counts. */
static pki_margins pki_margins_of(const pki_lanes *f)
{
  const pki_group *g = f->g;
  const pk_model *m = f->p->model;
  const pk_r near = pki_splat(f->p->near);
  pk_r rate = pki_splat(0);
  if (!f->p->hinged) {
    return (pki_margins){near, near, rate};
  }
  for (int k = 0; k < m->nu; k++) {
    if (m->dof_q[k] >= 0) {
      rate = pki_max(rate, pki_max(pki_abs(pki_reals(g->u)[k]), pki_abs(pki_reals(g->u_free)[k])));
    }
  }
  return (pki_margins){near, pki_splat(PKI_COVER_SLACK * f->p->length),
                       (PKI_COVER_HASTE * f->p->reach) * rate};
}

/* A look at all shapes at q, pairs among them, is what the next ones go by. */
static void pki_remember_clearance(pki_lanes *f, const double *q, pk_i due, pki_clearance look)
{
  pki_group *g = f->g;
  const pk_model *m = f->p->model;
  pk_r *const guard = pki_out(g->search.guard), *const more = guard + m->nu;
  if (!f->p->hinged || !f->p->free || !pki_any(due)) {
    return;
  }
  more[PKI_GUARD_ANGLE] = pki_select(due, look.angle, more[PKI_GUARD_ANGLE]);
  more[PKI_GUARD_HEIGHT] = pki_select(due, look.height, more[PKI_GUARD_HEIGHT]);
  for (int k = 0; k < 7; k++) {
    more[PKI_GUARD_TRUNK + k] = pki_select(due, pki_reals(q)[k], more[PKI_GUARD_TRUNK + k]);
  }
  for (int k = 0; k < m->nu; k++) {
    guard[k] = m->dof_q[k] >= 0 ? pki_select(due, pki_reals(q)[m->dof_q[k]], guard[k]) : pki_splat(0);
  }
  f->looked = true;
}

/* How far anything can have moved against the trunk in this step. */
static pk_r pki_largest_swing(const pki_group *g)
{
  const pki_group_plan *p = g->plan;
  const pk_model *m = p->model;
  pk_r *const far = pki_out(g->search.swung), most = pki_splat(0);
  far[0] = most;
  for (int i = 1; i < m->nbody; i++) {
    const int q = m->dof_q[m->body_u[i]];
    far[i] = far[m->body_parent[i]] + p->swing[i] * pki_abs(pki_reals(g->q_end)[q] - pki_reals(g->q)[q]);
    most = pki_max(most, far[i]);
  }
  return most;
}

#endif
