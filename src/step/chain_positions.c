/* Projections of positions with rows on chains. */
#include <math.h>
#include <string.h>

#include "step/chain_rows.h"
#include "step/contact.h"
#include "step/joints.h"

static const double CLOSURE_TOLERANCE = 1e-11; /* of the world's length, or rad; of bilateral constraints */

bool pki_chain_is_closed(const pk_sim *sim, const pk_step_info *info)
{
  return info->closure <= CLOSURE_TOLERANCE * sim->scene.length;
}

pk_status pki_chain_find_at_end(pk_sim *sim, double margin, double *sunk, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  *sunk = 0;
  c->nfound = 0;
  if (sim->scene.terrain == NULL && !sim->scene.bodies_touch) {
    return PK_OK;
  }
  if (!pki_contact_find(sim, fmin(margin, fmax(sim->options.margin, pki_touching(sim))), info)) {
    return PK_ERROR_LIMIT;
  }
  if (pki_law_of(&sim->options)->force != NULL) {
    for (int i = 0; i < c->nfound; i++) {
      *sunk = fmax(*sunk, -c->found[i].gap);
    }
    c->nfound = 0;
  }
  return PK_OK;
}

/* Rows of the projection: the contacts found, sticking feet along the ground, joint limits nearer than `band`. Feet that
 * stick may yield a little along the ground: with every foot stuck and joints at their limits nothing else could
 * give way. */
static void add_position_rows(pk_sim *sim, const pki_group *g, double band)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pk_workspace *work = sim->workspace;
  const pki_group_plan *plan = g->plan;
  const pk_model *m = plan->joints;
  const double part = 1 / plan->length; /* gaps as parts of the world's length */
  pki_assembly_clear(a);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    const int row = pk_contact_size(&a->problem);
    double second[3];
    const pki_ends ends = pki_contact_ends(f, second);
    pki_assembly_add_point(a, work, &ends, f->normal, 0, INFINITY);
    a->q[row] = f->gap * part, a->r[row] = 0;
    const int last = pki_contact_last(&sim->state, f);
    for (int t = 0; t < 2 && last >= 0 && sim->state.last_sticks[last]; t++) {
      pki_assembly_add_point(a, work, &ends, t ? f->tangent2 : f->tangent1, -INFINITY, INFINITY);
      pki_assembly_soften(a, PKI_YIELDING - 1);
      a->q[row + 1 + t] = 0, a->r[row + 1 + t] = 0;
    }
  }
  for (int i = 0; i < plan->nlimit; i++) {
    for (int side = 0; side < 2; side++) {
      const int k = plan->limit[i];
      const double gap = side ? m->dof_upper[k] - g->joint.x[k] : g->joint.x[k] - m->dof_lower[k];
      if (plan->arm[i] * gap < band) {
        const int row = pk_contact_size(&a->problem);
        pki_chain_add_joint(sim, k, side ? -1 : 1, 0, INFINITY, 0);
        a->q[row] = gap * part, a->r[row] = 0;
      }
    }
  }
}

/* The factor of M with the constraints in it, and the move that closes them alone. Without constraints the factor of
 * the step's M~ stays, where there is one: any metric near M does. */
static void close_constraints(pk_sim *sim, double *closing)
{
  pki_sim_joints *j = &sim->joints;
  pk_workspace *w = sim->workspace;
  memset(closing, 0, (size_t)sim->model->nu * sizeof *closing);
  if (sim->model->nconstraint == 0 && sim->contact.factored) {
    return;
  }
  pki_reset_diagonal(&w->work);
  w->kernels->crba(&w->work);
  sim->contact.factored = true;
  if (sim->model->nconstraint == 0) {
    w->kernels->ltl_factor(&w->work);
    return;
  }
  for (int row = 0; row < sim->model->nbilateral; row++) {
    j->rows[row] = -j->bilateral.gap[row];
  }
  pki_bilateral_factor(&j->bilateral, w, NULL, true);
  pki_bilateral_solve(&j->bilateral, w, closing, j->rows);
}

void pki_chain_project(pk_sim *sim, pki_group *g, double band, double *q, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  double *const closing = g->move;
  const int nu = sim->model->nu;
  add_position_rows(sim, g, band);
  const int rows = pk_contact_size(&a->problem);
  close_constraints(sim, closing);
  for (int row = 0; row < rows && sim->model->nconstraint > 0; row++) {
    a->q[row] += pki_assembly_velocity(a, row, closing) / g->plan->length;
  }
  if (rows > 0) {
    a->form = pki_chain_form(sim, true);
    pki_assembly_finish(a, sim->workspace);
    pki_chain_solve_assembled(sim, false, info);
  }
  pki_assembly_response(a, sim->workspace, a->r, g->drive);
  for (int k = 0; k < nu; k++) {
    g->drive[k] = g->plan->length * g->drive[k] + closing[k];
  }
  sim->workspace->kernels->config_add(sim->model, q, 1, g->drive, q);
}
