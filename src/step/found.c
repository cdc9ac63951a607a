/* Contacts as a step finds them: their order, and which ones they were in the last step. */
#include <math.h>

#include "math/mat3.h"
#include "step/contact.h"
#include "step/swept.h"

int pki_contact_order(const int geom[2], unsigned id, const pki_contact *f)
{
  for (int k = 0; k < 2; k++) {
    if (geom[k] != f->geom[k]) {
      return geom[k] < f->geom[k] ? -1 : 1;
    }
  }
  return id < f->id ? -1 : id > f->id;
}

int pki_contact_search(const pki_contact *list, int n, const pki_contact *f)
{
  int from = 0, to = n;
  while (from < to) {
    const int middle = from + (to - from) / 2;
    const bool before = pki_contact_order(list[middle].geom, list[middle].id, f) < 0;
    from = before ? middle + 1 : from;
    to = before ? to : middle;
  }
  return from < n && pki_same_contact(list[from].geom, list[from].id, f) ? from : -1;
}

int pki_contact_last(const pki_sim_state *s, const pki_contact *f)
{
  return pki_contact_search(s->last, s->n.nlast, f);
}

/* Into their order, which they mostly have. */
static void sort_contacts(pki_contact *f, int n)
{
  for (int i = 1; i < n; i++) {
    const pki_contact moved = f[i];
    int to = i;
    for (; to > 0 && pki_contact_order(f[to - 1].geom, f[to - 1].id, &moved) > 0; to--) {
      f[to] = f[to - 1];
    }
    f[to] = moved;
  }
}

/* ---- flat patches ---- */

/* The plane c[0] + c[1] x + c[2] y that is nearest to `height` at n places, about their mean; false: they lie on a line. */
static bool fit_plane(const double (*at)[2], const double *height, int n, double c[3])
{
  double xx = 0, xy = 0, yy = 0, xh = 0, yh = 0, h = 0;
  for (int i = 0; i < n; i++) {
    xx += at[i][0] * at[i][0], xy += at[i][0] * at[i][1], yy += at[i][1] * at[i][1];
    xh += at[i][0] * height[i], yh += at[i][1] * height[i], h += height[i];
  }
  const double det = xx * yy - xy * xy;
  c[0] = h / n, c[1] = (yy * xh - xy * yh) / det, c[2] = (xx * yh - xy * xh) / det;
  return det > 1e-6 * xx * yy;
}

/* Places of contacts in the plane across their normal, about their mean. */
static void place_patch(const pki_contact *patch, int n, double (*at)[2])
{
  double mean[2] = {0, 0};
  for (int i = 0; i < n; i++) {
    at[i][0] = pki_dot3(patch[i].point, patch->tangent1),
    at[i][1] = pki_dot3(patch[i].point, patch->tangent2);
    mean[0] += at[i][0] / n, mean[1] += at[i][1] / n;
  }
  for (int i = 0; i < n; i++) {
    at[i][0] -= mean[0], at[i][1] -= mean[1];
  }
}

/* Whether contacts of one pair are a flat patch with a corner below the surface. */
static bool is_sunk_patch(const pki_contact *patch, int n)
{
  bool sunk = false, flat = n >= 4 && n <= PK_TOUCH_MOST;
  for (int i = 0; i < n && flat; i++) {
    sunk |= patch[i].gap < 0;
    flat = pki_dot3(patch[i].normal, patch->normal) > 1 - 1e-12;
  }
  return flat && sunk;
}

/* The gaps of one patch. */
static void flatten_patch(pki_contact *patch, int n, double touching)
{
  double at[PK_TOUCH_MOST][2], gap[PK_TOUCH_MOST], c[3], least = INFINITY, off = 0;
  place_patch(patch, n, at);
  for (int i = 0; i < n; i++) {
    gap[i] = patch[i].gap > touching ? patch[i].gap : 0;
  }
  if (!fit_plane(at, gap, n, c)) {
    return;
  }
  for (int i = 0; i < n; i++) {
    gap[i] = c[0] + c[1] * at[i][0] + c[2] * at[i][1];
    least = fmin(least, gap[i]);
  }
  for (int i = 0; i < n; i++) {
    gap[i] -= least;
    off = fmax(off, fabs(gap[i] - fmax(patch[i].gap, 0)));
  }
  for (int i = 0; i < n && off <= touching; i++) {
    patch[i].gap = gap[i];
  }
}

void pki_flatten_patches(pki_contact *list, int n, double touching)
{
  for (int first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && list[end].geom[0] == list[first].geom[0] && list[end].geom[1] == list[first].geom[1]) {
      end++;
    }
    if (is_sunk_patch(list + first, end - first)) {
      flatten_patch(list + first, end - first, touching);
    }
  }
}

bool pki_contact_find(pk_sim *sim, double margin, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  bool overflow = false;
  c->nfound = pki_contacts_find(&sim->scene.colliders, &sim->workspace->work, 0, margin, c->found,
                                sim->options.max_contacts, &overflow);
  if (c->nswept > 0) {
    overflow = !pki_swept_place(sim) || overflow;
    sort_contacts(c->found, c->nfound);
  }
  if (overflow) {
    info->term = "max_contacts";
    info->contacts = c->nfound;
  }
  return !overflow;
}

/* Velocity (world) of a body's point that is at `point`, in one lane. */
static void body_point_velocity(const pki_work *w, int lane, int body, const double point[3], double v[3])
{
  const size_t lanes = (size_t)w->lanes, at = (size_t)body + 1;
  const double *twist = w->twist + 6 * at * lanes + lane, *o = w->origin + 3 * at * lanes + lane;
  double t[6], arm[3];
  for (size_t i = 0; i < 6; i++) {
    t[i] = twist[i * lanes];
  }
  for (size_t i = 0; i < 3; i++) {
    arm[i] = point[i] - o[i * lanes];
  }
  pki_twist_at(t, arm, v);
}

void pki_contact_velocity(const pki_work *w, int lane, const pki_contact *f, double v[3])
{
  body_point_velocity(w, lane, f->body, f->point, v);
  if (f->other >= 0) {
    const double *p = f->point, *apart = f->apart;
    const double at[3] = {p[0] - apart[0], p[1] - apart[1], p[2] - apart[2]};
    double second[3];
    body_point_velocity(w, lane, f->other, at, second);
    for (int i = 0; i < 3; i++) {
      v[i] -= second[i];
    }
  }
}

double pki_contact_opening(const pki_work *w, int lane, const pki_contact *f)
{
  double v[3];
  pki_contact_velocity(w, lane, f, v);
  return pki_dot3(f->normal, v);
}
