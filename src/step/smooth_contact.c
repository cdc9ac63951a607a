#include "step/smooth_contact.h"

#include <math.h>

#include "step/compliant.h"
#include "step/contact.h"
#include "step/soft.h"

static bool has_springs(const pk_sim *sim)
{
  return pki_laws[sim->options.law]->force != NULL && (sim->scene.terrain != NULL || sim->scene.bodies_touch);
}

void pki_smooth_contact_begin(pk_sim *sim)
{
  sim->smooth.status = PK_OK;
  sim->smooth.term = "";
  pki_soft_begin_smooth(sim);
}

/* out += J' f of the springs at a state. The search for compliant surfaces has found their contacts, where there are any. */
static pk_status add_springs(pk_sim *sim, double since, const double *q, const double *u, double *out)
{
  pk_workspace *w = sim->workspace;
  pk_step_info info = {.term = ""};
  const pki_law *law = pki_law_of(&sim->options);
  if (!has_springs(sim)) {
    return PK_OK;
  }
  if (sim->scene.soft == NULL) {
    w->kernels->kinematics(&w->work, q);
    w->kernels->velocities(&w->work, u);
    if (!pki_contact_find(sim, law->hovers ? pki_touching(sim) : 0, &info)) {
      sim->smooth.term = info.term;
      sim->smooth.status = PK_ERROR_LIMIT;
      return PK_ERROR_LIMIT;
    }
  }
  law->force(sim, since, out);
  return PK_OK;
}

pk_status pki_smooth_contact_add(pk_sim *sim, double since, const double *q, const double *u, double weight,
                                 double *out)
{
  if (sim->smooth.status != PK_OK) {
    return sim->smooth.status;
  }
  const pk_status soft = pki_soft_add_smooth(sim, q, u, weight, out);
  return soft == PK_OK ? add_springs(sim, since, q, u, out) : soft;
}

pk_status pki_smooth_contact_explain(const pk_sim *sim, pk_step_info *info)
{
  if (sim->smooth.status != PK_OK) {
    info->term = sim->smooth.term;
    return sim->smooth.status;
  }
  return pki_soft_explain_smooth(sim, info);
}

pk_status pki_smooth_contact_settle(pk_sim *sim, double since, const double *q, const double *u,
                                    double *scratch)
{
  if (!has_springs(sim)) {
    return PK_OK;
  }
  for (int k = 0; k < sim->model->nu; k++) {
    scratch[k] = 0;
  }
  return pki_smooth_contact_add(sim, since, q, u, 0, scratch);
}

pk_status pki_smooth_contact_start(pk_sim *sim, double *scratch)
{
  pki_smooth_contact_begin(sim);
  if (sim->state.n.nspring > 0) {
    return PK_OK;
  }
  const pk_status status = pki_smooth_contact_settle(sim, 0, sim->state.q, sim->state.u, scratch);
  if (status == PK_OK) {
    pki_compliant_commit(sim);
  }
  return status;
}

/* m, of the deepest contact of springs. */
static double deepest(const pk_sim *sim)
{
  double depth = 0;
  for (int i = 0; i < sim->state.n.nlast; i++) {
    depth = fmax(depth, -sim->state.last[i].gap);
  }
  return depth;
}

pk_status pki_smooth_contact_end(pk_sim *sim, pk_step_info *info)
{
  pk_status status = pki_smooth_contact_explain(sim, info);
  status = status == PK_OK ? pki_smooth_check_limits(sim, info) : status;
  if (status != PK_OK) {
    return status;
  }
  if (has_springs(sim)) {
    info->penetration = deepest(sim);
    info->contacts = sim->state.n.nlast;
  } else {
    sim->state.n.nlast = 0;
  }
  return pki_soft_end_smooth(sim, info);
}
