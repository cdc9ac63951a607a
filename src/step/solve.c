/* The contact problem of a step: solved once, as it is. Where the tolerance is not met the best impulses stand, and the
 * step is not certified. */
#include <math.h>

#include "contact/solver.h"
#include "model/motion.h"
#include "step/contact.h"
#include "step/exact.h"
#include "step/sim.h"

/* The body that a row of the assembled problem moves; -1: none. */
static int body_of_row(const pk_sim *sim, int row, bool velocities)
{
  const pki_sim_contact *c = &sim->contact;
  const pk_contact_problem *p = &c->assembly.problem;
  const int box = row - 3 * p->ncontact - p->nbilateral;
  if (row < 3 * p->ncontact) {
    return c->found[c->row_found[row / 3]].body;
  }
  return velocities && box >= 0 ? pki_body_of_velocity(sim->joints.model, c->row_slot[box] % sim->joints.n)
                                : -1;
}

/* Rows that nothing can move were solved with a response that the world does not have. Where that response stands for a velocity
 * that the certificate would see, the impulses do not solve the step's own problem: the step is not certified, and says which row
 * it was. A tangent that a planar mechanism cannot move needs none. */
void pki_contact_report_still_rows(const pk_sim *sim, bool velocities, pk_step_info *info)
{
  const pki_assembly *a = &sim->contact.assembly;
  const double scale = pki_contact_scale(&a->problem), seen = sim->options.tolerance * scale;
  for (int row = 0; row < pk_contact_size(&a->problem); row++) {
    const double shift = a->still[row] ? fabs(a->extra[row] * a->r[row]) : 0;
    if (!(shift > seen)) {
      continue;
    }
    info->shifted++;
    info->certified = false;
    info->term = "a row that nothing can move";
    info->body = shift >= info->shift ? body_of_row(sim, row, velocities) : info->body;
    info->shift = fmax(info->shift, shift);
    /* as the judge of the unaltered problem would see it */
    info->certificate.residual = fmax(info->certificate.residual, shift);
    info->certificate.relative = fmax(info->certificate.relative, shift / scale);
  }
}

pki_form pki_contact_form(const pk_sim *sim, bool positions)
{
  const pk_solver solver = sim->options.solver;
  const bool factor = pki_solvers[solver].factor;
  if (pki_is_exact(sim) && !positions) {
    return PKI_FORM_DENSE;
  }
  return solver == PK_SOLVER_AUTO || (factor && positions) ? PKI_FORM_ISLANDS
         : factor                                          ? PKI_FORM_FACTOR
                                                           : PKI_FORM_DENSE;
}

void pki_contact_solve_step(pk_sim *sim, bool velocities, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  pk_solver_options o = pki_step_solver(&sim->options);
  pk_solver_result result;
  o.solver = a->form == PKI_FORM_ISLANDS ? PK_SOLVER_AUTO : pki_solver_for(o.solver, &a->problem);
  pk_contact_solve(&a->problem, &o, a->r, c->solver_memory, &result);
  info->solver_iterations += result.iterations;
  info->solver = result.used;
  info->certified &= result.certificate.relative <= o.tolerance;
  if (result.certificate.relative >= info->certificate.relative) {
    info->certificate = result.certificate;
  }
  pki_contact_report_still_rows(sim, velocities, info);
}
