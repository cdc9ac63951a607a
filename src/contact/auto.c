/* Climb from the cheap to the strong until the tolerance is met. Each solver starts from the best
 * impulses so far, or afresh: Newton's method finds from zero what it misses from a point that
 * Gauss-Seidel has crept to. */
#include <string.h>

#include "contact/solver.h"

typedef struct rung {
  pk_solver solver;
  int iterations; /* at most */
  bool afresh;    /* from zero */
} rung;

static const rung ladder[] = {
    {PK_SOLVER_BGS, 60, false}, /* most problems of robots end here */
    {PK_SOLVER_NEWTON, 200, false},  {PK_SOLVER_NEWTON, 2000, true}, {PK_SOLVER_BGS, 2000, false},
    {PK_SOLVER_NEWTON, 2000, false}, {PK_SOLVER_ACLM, 5000, false},  {PK_SOLVER_NEWTON, 2000, false},
    {PK_SOLVER_BGS, 1 << 30, false},
};

void pki_solve_auto(pki_solve *run)
{
  const size_t bytes = (size_t)pk_contact_size(run->p) * sizeof *run->r;
  for (size_t k = 0; k < sizeof ladder / sizeof ladder[0] && !pki_solve_done(run); k++) {
    const int left = run->options->max_iterations - run->iterations;
    if (left <= 0) {
      break;
    }
    run->now = ladder[k].solver;
    run->limit = run->iterations + (left < ladder[k].iterations ? left : ladder[k].iterations);
    if (ladder[k].afresh) {
      memset(run->r, 0, bytes);
    } else {
      memcpy(run->r, run->best, bytes);
    }
    pki_solvers[run->now].solve(run);
  }
}
