/* Patches as contacts of a step, and their pressures. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"
#include "step/soft.h"

/* The normal forces of a patch together. Where it has let go, but the load of the step's start still bears friction, they are those of that
 * load, and no element presses. */
typedef struct resultant {
  int pressing; /* elements */
  double total, deepest;
  double normal[3]; /* of their sum, unit */
  double centre[3]; /* from patch.at */
} resultant;

/* False: there is no force. */
static bool resultant_of(const pki_soft_patch *p, const double (*force)[3], resultant *out)
{
  double sum[3] = {0}, centre[3] = {0};
  const bool rubs = !(p->end.normal_force > 0) && pki_dot3(p->end.wrench + 3, p->end.wrench + 3) > 0;
  *out = (resultant){0};
  for (int e = 0; e < p->patch.n; e++) {
    const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
    const double push = rubs ? p->patch.load[e] : pki_dot3(n, force[e]);
    out->pressing += !rubs && push > 0;
    out->total += push;
    out->deepest = fmax(out->deepest, p->patch.depth[e]);
    for (int k = 0; k < 3; k++) {
      sum[k] += push * n[k];
      centre[k] += push * p->patch.arm[k][e];
    }
  }
  const double size = sqrt(pki_dot3(sum, sum));
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

/* Where an element is along the axes. */
static void place_element(const pki_soft_patch *p, int e, const resultant *r, const rectangle *q,
                          double out[2])
{
  const double away[3] = {p->patch.arm[0][e] - r->centre[0], p->patch.arm[1][e] - r->centre[1],
                          p->patch.arm[2][e] - r->centre[2]};
  out[0] = pki_dot3(q->axis[0], away), out[1] = pki_dot3(q->axis[1], away);
}

/* One side lies along the part of a direction that is across the normal. */
static rectangle rectangle_along(const pki_soft_patch *p, const double (*force)[3], const resultant *r,
                                 const double along[3])
{
  rectangle q = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
  pki_along3(along, -pki_dot3(along, r->normal), r->normal, q.axis[0]);
  const double size = pki_length3(q.axis[0]);
  for (int k = 0; k < 3; k++) {
    q.axis[0][k] /= size;
  }
  pki_cross3(r->normal, q.axis[0], q.axis[1]);
  for (int e = 0; e < p->patch.n; e++) {
    double at[2];
    if (force[e][0] == 0 && force[e][1] == 0 && force[e][2] == 0) {
      continue;
    }
    place_element(p, e, r, &q, at);
    for (int k = 0; k < 2; k++) {
      q.low[k] = fmin(q.low[k], at[k]), q.high[k] = fmax(q.high[k], at[k]);
    }
  }
  return q;
}

static double area_of(const rectangle *q)
{
  return (q->high[0] - q->low[0]) * (q->high[1] - q->low[1]);
}

/* The main axis of the pressures, as seen in the axes of a rectangle; of the two the one that is nearer to its first. */
static void main_axis(const pki_soft_patch *p, const double (*force)[3], const resultant *r,
                      const rectangle *q, double out[3])
{
  double xx = 0, xy = 0, yy = 0, at[2];
  for (int e = 0; e < p->patch.n; e++) {
    const double push = pki_dot3(r->normal, force[e]);
    place_element(p, e, r, q, at);
    xx += push * at[0] * at[0], xy += push * at[0] * at[1], yy += push * at[1] * at[1];
  }
  double turn = 0.5 * atan2(2 * xy, xx - yy);
  const double right = 2 * atan(1);
  turn -= right * round(turn / right);
  const double c = cos(turn), s = sin(turn);
  for (int k = 0; k < 3; k++) {
    out[k] = c * q->axis[0][k] + s * q->axis[1][k];
  }
}

/* Along the axes of the first shape, which turn with it, unless one along the main axes of the pressures is clearly smaller. */
static rectangle rectangle_of(const pki_soft_patch *p, const double (*force)[3], const resultant *r)
{
  static const double steep = 0.8, smaller = 0.9;
  const double *const R = p->pose[0].rot;
  const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]};
  double along[3];
  const rectangle own = rectangle_along(p, force, r, fabs(pki_dot3(x, r->normal)) < steep ? x : y);
  main_axis(p, force, r, &own, along);
  const rectangle turned = rectangle_along(p, force, r, along);
  return area_of(&turned) < smaller * area_of(&own) ? turned : own;
}

/* ---- contacts of a patch ---- */

/* Forces at the corners of a rectangle. */
typedef struct corners {
  bool thin[2]; /* no wider than a line along this axis */
  double share[4], force[4][3];
} corners;

/* Each element's force goes to the corners as bilinear interpolation weighs them: w_i >= 0 with sum w_i = 1 and sum w_i P_i the element's
 * place in the rectangle's plane. What the sum lacks of the step's own force is added in the same parts. */
static corners spread_forces(const pki_soft_patch *p, const double (*force)[3], const resultant *r,
                             const rectangle *q)
{
  static const double line = 1e-6;
  corners out = {0};
  double rest[3] = {p->end_wrench[3], p->end_wrench[4], p->end_wrench[5]};
  const double width[2] = {q->high[0] - q->low[0], q->high[1] - q->low[1]};
  out.thin[0] = !(width[0] > line * width[1]), out.thin[1] = !(width[1] > line * width[0]);
  for (int e = 0; e < p->patch.n; e++) {
    double at[2], part[2][2];
    if (force[e][0] == 0 && force[e][1] == 0 && force[e][2] == 0) {
      continue;
    }
    const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
    const double push = pki_dot3(n, force[e]) / r->total;
    place_element(p, e, r, q, at);
    for (int k = 0; k < 2; k++) {
      part[k][1] = out.thin[k] ? 0 : (at[k] - q->low[k]) / width[k];
      part[k][0] = 1 - part[k][1];
    }
    for (int i = 0; i < 4; i++) {
      const double w = part[0][i & 1] * part[1][i >> 1];
      out.share[i] += w * push;
      for (int k = 0; k < 3; k++) {
        out.force[i][k] += w * force[e][k];
      }
    }
    for (int k = 0; k < 3; k++) {
      rest[k] -= force[e][k];
    }
  }
  for (int i = 0; i < 12; i++) {
    out.force[i / 3][i % 3] += out.share[i / 3] * rest[i % 3];
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
static int contacts_of(const pki_soft_patch *p, const double (*force)[3], double dt, int most,
                       pki_contact out[PKI_SOFT_SHOWN], double impulse[PKI_SOFT_SHOWN][3])
{
  resultant r;
  if (most == 0 || !resultant_of(p, force, &r)) {
    return 0;
  }
  bool whole = p->patch.hertz || r.pressing < 3 || most < PKI_SOFT_SHOWN;
  int n = 0;
  if (!whole) {
    const rectangle q = rectangle_of(p, force, &r);
    const corners c = spread_forces(p, force, &r, &q);
    for (int i = 0; i < PKI_SOFT_SHOWN; i++) {
      const int side[2] = {i & 1, i >> 1};
      if ((c.thin[0] && side[0] == 1) || (c.thin[1] && side[1] == 1)) {
        continue;
      }
      out[n] = contact_of(p, &r);
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
    out[0] = contact_of(p, &r);
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
    pki_patch_press(&p->patch, p->end_twist, p->look, false, &p->end, force);
    const int n = contacts_of(p, (const double(*)[3])force, sim->options.dt, most, f, r);
    for (int k = 0; k < n; k++) {
      insert_contact(&sim->state, &f[k], r[k]);
    }
    s->ncontact += n;
    force += p->patch.n;
  }
}
