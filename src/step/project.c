/* Positions after a step: what the velocities left below zero is projected out (contact.h). */
#include <math.h>
#include <string.h>

#include "step/contact.h"
#include "step/joints.h"

static const double CLOSURE_TOLERANCE = 1e-11; /* m or rad, of bilateral constraints */

/* How far joint k is from its lower (side 0) or upper limit. */
static double limit_gap(const pki_sim_joints *j, int k, int side)
{
  return side ? j->model->dof_upper[k] - j->x[k] : j->x[k] - j->model->dof_lower[k];
}

/* The deepest violation of contacts and joint limits. */
static double deepest(const pk_sim *sim)
{
  const pki_sim_joints *j = &sim->joints;
  double most = 0;
  for (int i = 0; i < sim->contact.nfound; i++) {
    most = fmax(most, -sim->contact.found[i].gap);
  }
  for (int k = 0; k < j->n && sim->options.joint_limits; k++) {
    if (j->model->dof_q[k] >= 0) {
      most = fmax(most, -fmin(limit_gap(j, k, 0), limit_gap(j, k, 1)));
    }
  }
  return most;
}

/* Rows of the projection: the contacts found, sticking feet along the ground, joint limits nearer than `band`. Feet that
 * stick may yield a little along the ground: with every foot stuck and joints at their limits nothing else could
 * give way. */
static void add_position_rows(pk_sim *sim, double band)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  const pk_workspace *work = sim->workspace;
  const pki_sim_joints *j = &sim->joints;
  pki_assembly_clear(a);
  for (int i = 0; i < c->nfound; i++) {
    const pki_contact *f = &c->found[i];
    const int row = pk_contact_size(&a->problem);
    double second[3];
    const pki_ends ends = pki_contact_ends(f, second);
    pki_assembly_add_point(a, work, &ends, f->normal, 0, INFINITY);
    a->q[row] = f->gap, a->r[row] = 0;
    const int last = pki_contact_last(c, f);
    for (int t = 0; t < 2 && last >= 0 && c->last_sticks[last]; t++) {
      pki_assembly_add_point(a, work, &ends, t ? f->tangent2 : f->tangent1, -INFINITY, INFINITY);
      pki_assembly_soften(a, PKI_YIELDING - 1);
      a->q[row + 1 + t] = 0, a->r[row + 1 + t] = 0;
    }
  }
  for (int k = 0; k < j->n && sim->options.joint_limits; k++) {
    for (int side = 0; side < 2 && j->model->dof_q[k] >= 0; side++) {
      const double gap = limit_gap(j, k, side);
      if (gap < band) {
        const int row = pk_contact_size(&a->problem);
        pki_assembly_add_joint(sim, k, side ? -1 : 1, 0, INFINITY, 0);
        a->q[row] = gap, a->r[row] = 0;
      }
    }
  }
}

/* Contacts on springs sink in and stay there: they are no rows. The deepest comes back. */
static double take_away_contacts(pki_sim_contact *c)
{
  double deepest = 0;
  for (int i = 0; i < c->nfound; i++) {
    deepest = fmax(deepest, -c->found[i].gap);
  }
  c->nfound = 0;
  return deepest;
}

/* Contacts nearer than `band`, and what is violated; false when there is no room. */
static bool look(pk_sim *sim, double band, double *violated, pk_step_info *info)
{
  if (!pki_contact_find(sim, fmin(band, fmax(sim->options.margin, PKI_TOUCHING)), info)) {
    return false;
  }
  const double sunk = pki_laws[sim->options.law].springs ? take_away_contacts(&sim->contact) : 0;
  *violated = deepest(sim);
  info->penetration = fmax(sunk, *violated);
  return true;
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
  if (sim->model->nconstraint == 0) {
    w->kernels->ltl_factor(&w->work);
    sim->contact.factored = true;
    return;
  }
  for (int row = 0; row < sim->model->nbilateral; row++) {
    j->rows[row] = -j->bilateral.gap[row];
  }
  pki_bilateral_factor(&j->bilateral, w, NULL, true);
  pki_bilateral_solve(&j->bilateral, w, closing, j->rows);
}

/* Move q by the shortest way, in the measure of M, to where the constraints and the rows hold. */
static void move(pk_sim *sim, double *q, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  double *step = pki_scratch(sim, 4), *closing = pki_scratch(sim, 5);
  const int nu = sim->model->nu, rows = pk_contact_size(&a->problem);
  close_constraints(sim, closing);
  for (int row = 0; row < rows && sim->model->nconstraint > 0; row++) {
    a->q[row] += pki_assembly_velocity(a, row, closing);
  }
  if (rows > 0) {
    a->form = pki_contact_form(sim, true);
    pki_assembly_finish(a, sim->workspace);
    pki_contact_solve_step(sim, false, info);
  }
  pki_assembly_response(a, sim->workspace, a->r, step);
  for (int k = 0; k < nu; k++) {
    step[k] += closing[k];
  }
  sim->workspace->kernels->config_add(sim->model, q, 1, step, q);
}

/* Energy in the field of gravity at the workspace's configuration. */
static double potential(const pk_sim *sim)
{
  double sums[12];
  sim->workspace->kernels->sums(&sim->workspace->work, 0, sim->model->nbody, sums);
  return sums[11];
}

double pki_allowed_penetration(const pk_sim_options *options)
{
  static const double floor = 1e-3;
  return fmax(PKI_PENETRATION, floor * options->tolerance);
}

pk_status pki_contact_project(pk_sim *sim, double *q, pk_step_info *info)
{
  if (!pki_has_rows(sim) && !sim->contact.bodies_touch) {
    return PK_OK;
  }
  const double allowed = pki_allowed_penetration(&sim->options);
  double before = 0;
  for (int round = 0;; round++) {
    double violated;
    sim->workspace->kernels->kinematics(&sim->workspace->work, q);
    pki_joints_update(sim, q);
    info->closure = pki_bilateral_gap(sim);
    if (!look(sim, PKI_TOUCHING, &violated, info)) {
      return PK_ERROR_LIMIT;
    }
    const bool holds = violated <= allowed && info->closure <= CLOSURE_TOLERANCE;
    const int most = violated > PKI_DEEP ? PKI_MORE_PROJECTIONS : PKI_PROJECTIONS;
    if (holds || round >= most || sim->options.contact == PK_CONTACT_PAPER) {
      pki_lap(sim, PK_PART_PROJECT, info);
      /* a loop that stays open is no solution, however well its velocities fit */
      info->certified &= sim->options.contact == PK_CONTACT_PAPER || info->closure <= PKI_TOUCHING;
      info->stabilisation = round > 0 && sim->watched ? potential(sim) - before : 0;
      return PK_OK;
    }
    before = round == 0 && sim->watched ? potential(sim) : before;
    const double band = fmax(PKI_WIDENING * violated, PKI_TOUCHING);
    if (band > PKI_TOUCHING && !look(sim, band, &violated, info)) {
      return PK_ERROR_LIMIT;
    }
    add_position_rows(sim, band);
    move(sim, q, info);
  }
}
