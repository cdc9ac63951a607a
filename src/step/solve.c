/* The contact problem of a step: solved once, as it is. Where the tolerance is not met the best impulses stand, and the
 * step is not certified. */
#include "contact/solver.h"
#include "step/contact.h"
#include "step/exact.h"
#include "step/sim.h"

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

void pki_contact_solve_step(pk_sim *sim, pk_step_info *info)
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
}
