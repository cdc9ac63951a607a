/* Whole solves of `pronk bench optimize`: shipped gait files, from the first guess to the optimum. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/bench_solves.h"
#include "optimize/files/gait_file.h"
#include "optimize/motion/solution.h"

static const char *const gaits[] = {
    "five-link-walk", "starleth-least-torque", "starleth-bound", "starleth-hop", "biped-walk", "sony-amble"};
enum { GAITS = sizeof gaits / sizeof gaits[0], QUICK = 1 };

static pk_status load_gait(const char *name, pki_gait_file **out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pki_problems problems = {0};
  pk_status status = pki_yaml_locate(&pki_gait_kind, name, path, err);
  if (status == PK_OK) {
    status = pki_gait_file_load(path, NULL, 0, out, &problems);
    if (status != PK_OK && problems.count > 0) {
      *err = problems.errors[0];
    }
  }
  pki_problems_free(&problems);
  return status;
}

/* One line: the seconds of the whole ladder, and what it was. */
static pk_status add_solve(const char *name, const pki_motion_solution *s, double seconds,
                           pki_bench_report *report, pk_error *err)
{
  pki_bench_result *r = pki_bench_add_result(report);
  if (r == NULL || s->nstage == 0) {
    return pki_fail_memory(err, NULL);
  }
  const pki_motion_stage *last = &s->stages[s->nstage - 1];
  snprintf(r->work, sizeof r->work, "solve %s", name);
  r->engine = "pronk", r->version = pk_version(), r->config = s->solved ? "solved" : "not solved";
  r->lanes = 16, r->threads = 1;
  r->unit = "s/solve";
  r->median = seconds;
  r->optimize =
      (pki_bench_optimize_figures){.variables = last->variables, .rows = last->rows, .problems = s->nstage};
  for (int i = 0; i < s->nstage; i++) {
    r->optimize.iterations += s->stages[i].result.iterations;
    r->optimize.in_functions += s->stages[i].result.evaluation_seconds;
  }
  r->optimize.last = last->result.seconds;
  return PK_OK;
}

pk_status pki_bench_solves(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < (options->quick ? QUICK : GAITS) && status == PK_OK; i++) {
    char work[64];
    pki_gait_file *gait = NULL;
    pki_motion_solution solution = {0};
    snprintf(work, sizeof work, "solve %s", gaits[i]);
    if (!pki_bench_wants(options, work)) {
      continue;
    }
    pki_bench_progress(work);
    status = load_gait(gaits[i], &gait, err);
    if (status == PK_OK) {
      const double start = pki_clock();
      status = pki_motion_solve(&gait->problem, NULL, &solution, err);
      status = status == PK_OK ? add_solve(gaits[i], &solution, pki_clock() - start, report, err) : status;
      pki_bench_show(report);
    }
    pki_motion_solution_free(&solution);
    pki_gait_file_destroy(gait);
  }
  return status;
}
