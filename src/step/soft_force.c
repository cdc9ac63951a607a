/* Forces of compliant pairs at a state, for schemes that take them as they are there, and the energy that the pairs store. */
#include <math.h>
#include <string.h>

#include "step/contact.h"
#include "step/soft.h"

pk_status pki_soft_add_forces(pk_sim *sim, const double *q, const double *u, double *out, pk_step_info *info)
{
  struct pki_soft *s = sim->scene.soft;
  pk_workspace *w = sim->workspace;
  w->kernels->kinematics(&w->work, q);
  w->kernels->velocities(&w->work, u);
  pki_soft_begin_search(sim, 0, 0, 0);
  const bool room = pki_contact_find(sim, 0, info);
  if (!pki_soft_end_search(sim, info) || !room) {
    return PK_ERROR_LIMIT;
  }
  pki_soft_press(sim, u);
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    pki_twist_rows_add_force(&p->rows, &sim->contact.assembly, p->press.wrench, out);
  }
  return PK_OK;
}

void pki_soft_begin_smooth(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  if (s != NULL) {
    s->status = PK_OK;
    s->work = s->loss = 0;
  }
}

/* A hard pair that touches has no force here, unless its law is one of springs. */
static void refuse_hard_contacts(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  const bool hard = pki_laws[sim->options.law]->force == NULL;
  for (int i = 0; i < sim->contact.nfound && s->status == PK_OK && hard; i++) {
    if (sim->contact.found[i].gap <= 0) {
      s->status = PK_ERROR_UNSUPPORTED;
      s->term = PKI_SOFT_HARD_CONTACT;
      s->body = sim->contact.found[i].body;
    }
  }
}

pk_status pki_soft_add_smooth(pk_sim *sim, const double *q, const double *u, double weight, double *out)
{
  struct pki_soft *s = sim->scene.soft;
  if (s == NULL || s->status != PK_OK) {
    return s != NULL ? s->status : PK_OK;
  }
  pk_step_info info = {.term = ""};
  s->status = pki_soft_add_forces(sim, q, u, out, &info);
  s->term = info.term, s->body = -1;
  refuse_hard_contacts(sim);
  for (int i = 0; i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    for (int k = 0; k < 6; k++) {
      s->work += weight * sim->options.dt * p->press.wrench[k] * p->start[k];
    }
    s->loss += weight * sim->options.dt * p->press.power;
  }
  return s->status;
}

pk_status pki_soft_explain_smooth(const pk_sim *sim, pk_step_info *info)
{
  const struct pki_soft *s = sim->scene.soft;
  if (s == NULL || s->status == PK_OK) {
    return PK_OK;
  }
  info->term = s->term, info->body = s->body;
  return s->status;
}

pk_status pki_soft_end_smooth(pk_sim *sim, pk_step_info *info)
{
  const struct pki_soft *s = sim->scene.soft;
  const pk_status status = pki_soft_explain_smooth(sim, info);
  if (s == NULL || status != PK_OK) {
    return status;
  }
  pki_soft_show(sim);
  info->contacts = sim->state.n.nlast;
  info->compliant_work = s->work, info->compliant_loss = s->loss;
  return PK_OK;
}

double pki_soft_energy(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  pk_workspace *w = sim->workspace;
  bool overflow;
  pk_step_info info = {.term = ""};
  if (s == NULL) {
    return 0;
  }
  if (pki_soft_ready(sim, &info) != PK_OK) {
    return NAN;
  }
  s->energy = 0;
  s->search = PKI_SOFT_SEARCH_ENERGY;
  w->kernels->kinematics(&w->work, sim->state.q);
  w->kernels->velocities(&w->work, sim->state.u);
  pki_colliders_keep(&sim->scene.colliders); /* what pairs remember is the steps' business */
  pki_contacts_find(&sim->scene.colliders, &w->work, 0, 0, sim->contact.found, sim->options.max_contacts,
                    &overflow);
  pki_colliders_restore(&sim->scene.colliders);
  s->search = PKI_SOFT_SEARCH_NONE;
  return s->energy;
}
