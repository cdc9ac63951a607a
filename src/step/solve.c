/* The contact problem of a step, and what stands for it where it resists: problems whose gaps are shifted by nanometres. */
#include <math.h>

#include "base/random.h"
#include "contact/solver.h"
#include "step/contact.h"
#include "step/sim.h"

enum { ATTEMPTS = 8, HEAP_ROWS = 36 }; /* HEAP_ROWS: more are a heap */

/* Normal velocities as if each contact were open by another part of `most` (m); 0: as they are. */
static void shift_gaps(pk_sim *sim, double reach, double most, int attempt)
{
  pki_sim_contact *c = &sim->contact;
  pki_random rng = pki_random_seeded((uint64_t)attempt);
  for (int i = 0; i < c->assembly.problem.ncontact; i++) {
    c->assembly.q[3 * i] = c->true_q[i] + most / reach * pki_random_unit(&rng);
  }
}

/* One solve of the problem with shifted gaps, or of the problem itself. */
static pk_status solve_at(pk_sim *sim, const pk_solver_options *o, double reach, double most, int attempt,
                          pk_solver_result *result, pk_step_info *info)
{
  pki_assembly *a = &sim->contact.assembly;
  shift_gaps(sim, reach, most, attempt);
  const pk_status status = pk_contact_solve(&a->problem, o, a->r, sim->contact.solver_memory, result);
  info->solver_iterations += result->iterations;
  return status;
}

/* Where a flat side slides on many corners a problem can resist: which corners carry hangs on gaps of 1e-12 m. Problems
 * with gaps that differ by up to what a projection leaves are solved, and the problem itself from their solutions. When
 * that does not help either, the first of them stands for it, or one with gaps larger by up to 1e-7 m, and the info says so. */
static void solve_shifted(pk_sim *sim, const pk_solver_options *o, double reach, pk_solver_result *result,
                          pk_step_info *info)
{
  enum { WIDER = 6 };
  static const double wider[WIDER] = {1e-8, 1e-8, 1e-8, 1e-7, 1e-7, 1e-7}; /* m */
  int stand_in = 0;
  pk_status status = PK_ERROR_CONVERGENCE;
  for (int k = 1; k < ATTEMPTS && status != PK_OK; k++) {
    status = solve_at(sim, o, reach, PKI_PENETRATION, k, result, info);
    stand_in = status == PK_OK && stand_in == 0 ? k : stand_in;
    status = solve_at(sim, o, reach, 0, k, result, info);
  }
  for (int k = stand_in; status != PK_OK && stand_in > 0 && k < stand_in + ATTEMPTS; k++) {
    status = solve_at(sim, o, reach, PKI_PENETRATION, k, result,
                      info); /* from elsewhere than before: it may fail */
    info->gap_shift = PKI_PENETRATION;
  }
  for (int k = 0; status != PK_OK && stand_in == 0 && k < WIDER; k++) { /* not one of them: as with heaps */
    status = solve_at(sim, o, reach, wider[k], k, result, info);
    info->gap_shift = wider[k];
  }
}

/* In a heap contacts hold each other in more ways than one, and some slide by micrometres a second: solvers then crawl
 * along a fold of the problem for thousands of iterations, where problems whose gaps differ by nanometres are solved at
 * once. So nobody tries for long; gaps are shifted by more and more, and the first problem that is solved stands for the
 * step's. A heap that needed a shift will need it again: the step's next solve begins with the shift that helped, the next
 * step's with the one before it. Only when none helps, the problem itself has all iterations. */
static void solve_heap(pk_sim *sim, const pk_solver_options *o, double reach, pk_solver_result *result,
                       pk_step_info *info)
{
  static const double shifts[PKI_SHIFTS] = {0, 1e-9, 1e-9, 1e-8, 1e-8, 1e-7, 1e-7, 1e-6, 1e-6, 1e-6}; /* m */
  enum { FEW = 500, SOME = 2500 };
  pki_sim_contact *c = &sim->contact;
  const int patience = c->assembly.problem.W != NULL ? FEW : SOME;
  pk_solver_options brief = *o;
  brief.max_iterations = o->max_iterations < patience ? o->max_iterations : patience;
  pk_status status = PK_ERROR_CONVERGENCE;
  for (int k = c->shift; k < PKI_SHIFTS && status == PK_ERROR_CONVERGENCE; k++) {
    status = solve_at(sim, &brief, reach, shifts[k], k, result, info);
    info->gap_shift = status == PK_OK ? fmax(info->gap_shift, shifts[k]) : info->gap_shift;
    c->shift = k;
  }
  if (status == PK_ERROR_CONVERGENCE) {
    solve_at(sim, o, reach, 0, 0, result, info);
  }
}

void pki_contact_solve_step(pk_sim *sim, double reach, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_assembly *a = &c->assembly;
  pk_solver_options o = pki_step_solver(&sim->options);
  o.solver = a->problem.W != NULL && pki_solvers[o.solver].factor ? PK_SOLVER_AUTO
                                                                  : pki_solver_for(o.solver, &a->problem);
  const bool may_shift = reach > 0 && o.solver == PK_SOLVER_AUTO &&
                         sim->options.contact == PK_CONTACT_STABILISED && a->problem.ncontact > 0;
  pk_solver_result result;
  for (int i = 0; i < a->problem.ncontact && may_shift; i++) {
    c->true_q[i] = a->q[3 * i];
  }
  if (may_shift && pk_contact_size(&a->problem) > HEAP_ROWS) {
    solve_heap(sim, &o, reach, &result, info);
  } else {
    const pk_status status = pk_contact_solve(&a->problem, &o, a->r, c->solver_memory, &result);
    info->solver_iterations += result.iterations;
    if (status == PK_ERROR_CONVERGENCE && may_shift) {
      solve_shifted(sim, &o, reach, &result, info);
    }
  }
  info->solver = result.used;
  info->certified &= result.certificate.relative <= o.tolerance;
  if (result.certificate.relative >= info->certificate.relative) {
    info->certificate = result.certificate;
  }
}
