/* Patches as contacts of a step, and their pressures. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "step/contact.h"
#include "step/soft.h"

/* The resultant of a patch: where its pressure has its centre, and the normal of the sum of its normal forces. False: nothing presses. */
static bool resultant_of(const pki_soft_patch *p, const double (*force)[3], pki_contact *f)
{
  double total = 0, sum[3] = {0}, centre[3] = {0}, deepest = 0;
  for (int e = 0; e < p->patch.n; e++) {
    const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
    const double push = pki_dot3(n, force[e]);
    total += push;
    deepest = fmax(deepest, p->patch.depth[e]);
    for (int k = 0; k < 3; k++) {
      sum[k] += push * n[k];
      centre[k] += push * p->patch.arm[k][e];
    }
  }
  const double size = sqrt(pki_dot3(sum, sum));
  if (!(total > 0) || !(size > 1e-9 * total)) {
    return false;
  }
  *f = (pki_contact){.geom = {p->geom[0], p->geom[1]},
                     .body = p->body[0],
                     .other = p->body[1],
                     .material = p->material,
                     .gap = -deepest};
  for (int k = 0; k < 3; k++) {
    f->normal[k] = sum[k] / size;
    f->point[k] = p->patch.at[k] + centre[k] / total;
  }
  pki_tangents(f->normal, f->tangent1, f->tangent2);
  return true;
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
  const double dt = sim->options.dt;
  double(*force)[3] = s->forces;
  s->shown = true;
  for (int i = 0; i < s->npatch; i++) {
    pki_soft_patch *p = &s->patches[i];
    pki_contact f;
    pki_patch_press(&p->patch, p->end_twist, p->look, false, &p->end, force);
    if (resultant_of(p, (const double(*)[3])force, &f) && sim->state.n.nlast < sim->options.max_contacts) {
      const double *push = p->end_wrench + 3;
      const double r[3] = {dt * pki_dot3(f.normal, push), dt * pki_dot3(f.tangent1, push),
                           dt * pki_dot3(f.tangent2, push)};
      insert_contact(&sim->state, &f, r);
    }
    force += p->patch.n;
  }
}
