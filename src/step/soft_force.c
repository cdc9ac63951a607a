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
  pki_soft_begin_search(sim, 0);
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

double pki_soft_energy(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  pk_workspace *w = sim->workspace;
  bool overflow;
  if (s == NULL) {
    return 0;
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
