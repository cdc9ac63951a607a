/* Patches as contacts of a step, and their pressures. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"
#include "step/soft.h"

/* The normal forces of a patch together. Where it has let go, but the load of the step's start still bears friction, they are those of that
 * load, and no element presses. */
typedef struct resultant {
  pki_soft_spot *spots; /* the elements that press */
  int n;
  double total, deepest;
  double normal[3]; /* of their sum, unit */
  double centre[3]; /* from patch.at */
} resultant;

/* False: there is no force. */
static bool resultant_of(const pki_soft_patch *p, const double (*force)[3], pki_soft_spot *spots,
                         resultant *out)
{
  double sum[3] = {0}, centre[3] = {0};
  const bool rubs = !(p->end.normal_force > 0) && pki_dot3(p->end.wrench + 3, p->end.wrench + 3) > 0;
  *out = (resultant){.spots = spots};
  for (int e = 0; e < p->patch.n; e++) {
    const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
    const double push = rubs ? p->patch.load[e] : pki_dot3(n, force[e]);
    if (!(push > 0)) {
      continue;
    }
    pki_soft_spot *const s = &spots[out->n];
    out->n += !rubs;
    out->total += push;
    out->deepest = fmax(out->deepest, p->patch.depth[e]);
    for (int k = 0; k < 3; k++) {
      s->arm[k] = p->patch.arm[k][e], s->force[k] = force[e][k];
      sum[k] += push * n[k];
      centre[k] += push * s->arm[k];
    }
  }
  const double size = pki_length3(sum);
  if (!(out->total > 0) || !(size > 1e-9 * out->total)) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    out->normal[k] = sum[k] / size;
    out->centre[k] = centre[k] / out->total;
  }
  return true;
}

/* ---- the rectangle of a patch ---- */

/* Around the elements that press, about the centre of their pressure, across the normal. */
typedef struct rectangle {
  double axis[2][3], low[2], high[2];
} rectangle;

/* One side lies along the part of a direction that is across the normal; elements are placed along its sides. Returns by how much the
 * main axes of the pressures are turned against its own, rad, at most an eighth of a turn; 0 where they are about the same along both. */
static double place_along(resultant *r, const double along[3], rectangle *out)
{
  double middle[2], xx = 0, xy = 0, yy = 0;
  pki_along3(along, -pki_dot3(along, r->normal), r->normal, out->axis[0]);
  const double size = pki_length3(out->axis[0]);
  for (int k = 0; k < 3; k++) {
    out->axis[0][k] /= size;
  }
  pki_cross3(r->normal, out->axis[0], out->axis[1]);
  for (int k = 0; k < 2; k++) {
    middle[k] = pki_dot3(out->axis[k], r->centre);
    out->low[k] = INFINITY, out->high[k] = -INFINITY;
  }
  for (int i = 0; i < r->n; i++) {
    pki_soft_spot *const s = &r->spots[i];
    const double push = pki_dot3(r->normal, s->force);
    for (int k = 0; k < 2; k++) {
      const double at = pki_dot3(out->axis[k], s->arm) - middle[k];
      out->low[k] = at < out->low[k] ? at : out->low[k];
      out->high[k] = at > out->high[k] ? at : out->high[k];
      s->place[k] = at;
    }
    xx += push * s->place[0] * s->place[0];
    xy += push * s->place[0] * s->place[1];
    yy += push * s->place[1] * s->place[1];
  }
  static const double alike = 0.2, right = 1.57079632679489661923;
  if (hypot(xx - yy, 2 * xy) < alike * (xx + yy)) {
    return 0;
  }
  const double turn = 0.5 * atan2(2 * xy, xx - yy);
  return turn - right * round(turn / right);
}

static double area_of(const rectangle *q)
{
  return (q->high[0] - q->low[0]) * (q->high[1] - q->low[1]);
}

/* Along the axes of the first shape, which turn with it, unless one along the main axes of the pressures is clearly smaller. */
static rectangle rectangle_of(const pki_soft_patch *p, resultant *r)
{
  static const double steep = 0.8, turned = 0.05, smaller = 0.9;
  const double *const R = p->pose[0].rot;
  const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]};
  rectangle own = {0}, other = {0};
  const double turn = place_along(r, fabs(pki_dot3(x, r->normal)) < steep ? x : y, &own);
  if (fabs(turn) < turned) {
    return own;
  }
  const double c = cos(turn), s = sin(turn);
  double along[3], first[3];
  memcpy(first, own.axis[0], sizeof first);
  for (int k = 0; k < 3; k++) {
    along[k] = c * own.axis[0][k] + s * own.axis[1][k];
  }
  place_along(r, along, &other);
  if (area_of(&other) < smaller * area_of(&own)) {
    return other;
  }
  place_along(r, first, &own);
  return own;
}

/* ---- contacts of a patch ---- */

/* Forces at the corners of a rectangle. */
typedef struct corners {
  bool thin[2]; /* no wider than a line along this axis */
  double force[4][3];
} corners;

/* Each element's force goes to the corners as bilinear interpolation weighs them: w_i >= 0 with sum w_i = 1 and sum w_i P_i the element's
 * place in the rectangle's plane. What the sum lacks of the step's own force is added in parts as the normal forces. */
static corners spread_forces(const pki_soft_patch *p, const resultant *r, const rectangle *q)
{
  static const double line = 1e-6;
  corners out = {0};
  double rest[3] = {p->end_wrench[3], p->end_wrench[4], p->end_wrench[5]}, share[4], total = 0;
  const double width[2] = {q->high[0] - q->low[0], q->high[1] - q->low[1]};
  out.thin[0] = !(width[0] > line * width[1]), out.thin[1] = !(width[1] > line * width[0]);
  const double per[2] = {out.thin[0] ? 0 : 1 / width[0], out.thin[1] ? 0 : 1 / width[1]};
  for (int i = 0; i < r->n; i++) {
    const pki_soft_spot *const s = &r->spots[i];
    const double x = fmin((s->place[0] - q->low[0]) * per[0], 1),
                 y = fmin((s->place[1] - q->low[1]) * per[1], 1);
    const double w[4] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
    for (int c = 0; c < 4; c++) {
      for (int k = 0; k < 3; k++) {
        out.force[c][k] += w[c] * s->force[k];
      }
    }
  }
  for (int c = 0; c < 4; c++) {
    pki_sub3(rest, out.force[c], rest);
    share[c] = pki_dot3(r->normal, out.force[c]);
    total += share[c];
  }
  for (int c = 0; c < 4; c++) {
    pki_along3(out.force[c], share[c] / total, rest, out.force[c]);
  }
  return out;
}

/* A contact of a patch at its centre, and the impulse of a force there. */
static pki_contact contact_of(const pki_soft_patch *p, const resultant *r)
{
  pki_contact f = {.geom = {p->geom[0], p->geom[1]},
                   .body = p->body[0],
                   .other = p->body[1],
                   .material = p->material,
                   .gap = -r->deepest};
  for (int k = 0; k < 3; k++) {
    f.normal[k] = r->normal[k];
    f.point[k] = p->patch.at[k] + r->centre[k];
  }
  pki_tangents(f.normal, f.tangent1, f.tangent2);
  return f;
}

static void impulse_of(const pki_contact *f, const double force[3], double dt, double out[3])
{
  out[0] = dt * pki_dot3(f->normal, force);
  out[1] = dt * pki_dot3(f->tangent1, force);
  out[2] = dt * pki_dot3(f->tangent2, force);
}

/* Contacts and their impulses; returns how many. */
static int contacts_of(const pki_soft_patch *p, resultant *r, double dt, int most,
                       pki_contact out[PKI_SOFT_SHOWN], double impulse[PKI_SOFT_SHOWN][3])
{
  bool whole = p->patch.hertz || r->n < 3 || most < PKI_SOFT_SHOWN;
  int n = 0;
  if (!whole) {
    const rectangle q = rectangle_of(p, r);
    const corners c = spread_forces(p, r, &q);
    for (int i = 0; i < PKI_SOFT_SHOWN; i++) {
      const int side[2] = {i & 1, i >> 1};
      if ((c.thin[0] && side[0] == 1) || (c.thin[1] && side[1] == 1)) {
        continue;
      }
      out[n] = contact_of(p, r);
      out[n].id = (unsigned)i;
      for (int a = 0; a < 2; a++) {
        const double along = c.thin[a] ? 0 : side[a] ? q.high[a] : q.low[a];
        pki_along3(out[n].point, along, q.axis[a], out[n].point);
      }
      impulse_of(&out[n], c.force[i], dt, impulse[n]);
      whole |= !(impulse[n++][0] >= 0);
    }
  }
  if (whole) {
    n = 1;
    out[0] = contact_of(p, r);
    impulse_of(&out[0], p->end_wrench + 3, dt, impulse[0]);
  }
  return n;
}

/* One more contact of the last step, in the order of all. */
static void insert_contact(pki_sim_state *to, const pki_contact *f, const double r[3])
{
  int at = to->n.nlast++;
  for (; at > 0 && pki_contact_order(to->last[at - 1].geom, to->last[at - 1].id, f) > 0; at--) {
    to->last[at] = to->last[at - 1];
    to->last_sticks[at] = to->last_sticks[at - 1];
    memcpy(to->last_r + 3 * (size_t)at, to->last_r + 3 * ((size_t)at - 1), 3 * sizeof *r);
  }
  to->last[at] = *f;
  to->last_sticks[at] = false;
  memcpy(to->last_r + 3 * (size_t)at, r, 3 * sizeof *r);
}

void pki_soft_show(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  double(*force)[3] = s->forces;
  s->shown = true;
  s->ncontact = 0;
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    const int left = sim->options.max_contacts - sim->state.n.nlast, others = s->npatch - i - 1;
    const int most = left - others >= PKI_SOFT_SHOWN ? PKI_SOFT_SHOWN : left > 0;
    pki_contact f[PKI_SOFT_SHOWN];
    double r[PKI_SOFT_SHOWN][3];
    resultant all;
    pki_patch_press(&p->patch, p->end_twist, p->look, false, &p->end, force);
    if (most > 0 && resultant_of(p, (const double(*)[3])force, s->spots, &all)) {
      const int n = contacts_of(p, &all, sim->options.dt, most, f, r);
      for (int k = 0; k < n; k++) {
        insert_contact(&sim->state, &f[k], r[k]);
      }
      s->ncontact += n;
    }
    force += p->patch.n;
  }
}
