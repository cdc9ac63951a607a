/* pronk solve: linear complementarity problems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "cli/cmd_solve.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "report/table.h"

/* What certificates of such problems judge. */
static const char LAW[] = "linear complementarity";

/* One solver on one problem. */
typedef struct outcome {
  pk_lcp_result result; /* without its ray */
  double seconds;
  pk_lcp_solver solver;
  double regularisation;
  double bound; /* of the residual: that of the regularised problem and regularisation max |z| */
} outcome;

/* Solve from zero into z [n]; false after a complaint when memory is out. */
static bool solve_lcp_problem(const pk_lcp *p, const pk_lcp_options *options, double *z, outcome *out)
{
  *out = (outcome){.solver = options->solver, .regularisation = options->regularisation};
  void *memory = pki_aligned_alloc(pk_lcp_solve_memsize(p, options));
  if (memory == NULL) {
    pki_complain("solve", "out of memory");
    return false;
  }
  for (int i = 0; i < p->n; i++) {
    z[i] = 0;
  }
  const double start = pki_clock();
  pk_lcp_solve(p, options, z, memory, &out->result);
  out->seconds = pki_clock() - start;
  out->result.ray = NULL;
  double most = 0;
  for (int i = 0; i < p->n; i++) {
    most = fmax(most, fabs(z[i]));
  }
  out->bound = out->result.regularised.residual + options->regularisation * most;
  pki_aligned_free(memory);
  return true;
}

static bool is_solved(const outcome *o)
{
  return o->result.outcome == PK_LCP_OUTCOME_SOLVED;
}

/* With regularisation: what was solved, and how far that is from what was asked. */
static void add_regularised(cJSON *json, const outcome *o)
{
  cJSON *part = cJSON_AddObjectToObject(json, "regularised");
  pki_json_number(part, "regularisation", o->regularisation);
  pki_json_number(part, "residual", o->result.regularised.residual);
  pki_json_number(part, "relative", o->result.regularised.relative);
  pki_json_number(part, "bound", o->bound);
}

static cJSON *make_json(const char *path, const pk_lcp *p, const outcome *o, const double *z, const double *w)
{
  const pk_lcp_certificate *c = &o->result.certificate;
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "file", path);
  cJSON_AddStringToObject(json, "solver", pk_lcp_solver_name(o->solver));
  cJSON_AddBoolToObject(json, "converged", is_solved(o));
  cJSON_AddStringToObject(json, "outcome", pk_lcp_outcome_text(o->result.outcome));
  cJSON_AddStringToObject(json, "law", LAW);
  pki_json_number(json, "residual", c->residual);
  pki_json_number(json, "relative", c->relative);
  if (o->regularisation > 0) {
    add_regularised(json, o);
  }
  cJSON_AddNumberToObject(json, "iterations", o->result.iterations);
  pki_json_number(json, "time_s", o->seconds);
  cJSON_AddNumberToObject(json, "worst", c->worst);
  cJSON_AddNumberToObject(json, "rows", p->n);
  cJSON *values = cJSON_AddArrayToObject(json, "z");
  for (int i = 0; i < p->n; i++) {
    cJSON_AddItemToArray(values, cJSON_CreateNumber(z[i]));
  }
  if (w != NULL) {
    pki_json_array(json, "w", w, p->n);
  }
  return json;
}

/* What was found, where it is asked for. */
static bool put_unknowns(pki_solve_sink *sink, const char *path, const pk_lcp *p, const outcome *o,
                         const double *z, const double *w)
{
  pki_text text = {0};
  if (sink->wanted) {
    pki_found_lcp_text(z, w, p->n, &text);
  }
  return !sink->wanted || pki_sink_put(sink, path, pk_lcp_solver_name(o->solver), &text);
}

/* The result on stdout; with --impulses=FILE the same with w into the file. */
static bool put_json(pki_solve_sink *sink, const char *path, const pk_lcp *p, const outcome *o,
                     const double *z, const double *w)
{
  const bool beside = sink->wanted && sink->path == NULL;
  return pki_json_print(make_json(path, p, o, z, beside ? w : NULL), false, "solve") &&
         (!sink->wanted || beside || pki_sink_put_json(sink, make_json(path, p, o, z, w)));
}

static void print_shape(const char *path, const pk_lcp *p)
{
  const pki_palette c = pki_palette_for(stdout);
  int friction = 0;
  for (int i = 0; i < p->n; i++) {
    friction += p->findex != NULL && p->findex[i] >= 0;
  }
  printf("%s%s%s\n  %d row%s%s", c.bold, path, c.plain, p->n, p->n == 1 ? "" : "s",
         p->lower != NULL ? " with bounds" : "");
  if (friction > 0) {
    printf(", %d of friction", friction);
  }
  putchar('\n');
}

/* The verdict in a word, and what it means where that is not plain. */
static const char *outcome_meaning(const outcome *o)
{
  switch (o->result.outcome) {
  case PK_LCP_OUTCOME_INFEASIBLE: return " (proven: no z meets the signs of w)";
  case PK_LCP_OUTCOME_RAY: return " (found nothing; there may be solutions)";
  case PK_LCP_OUTCOME_STALLED: return " (no progress is left)";
  case PK_LCP_OUTCOME_TIME: return " (what follows is the best so far)";
  case PK_LCP_OUTCOME_REGULARISED: return " (that problem is solved; the given one is not)";
  default: return "";
  }
}

/* The first few, on lines of five. */
static void print_z(const double *z, int n)
{
  enum { SHOWN = 20, WIDE = 5 };
  for (int i = 0; i < n && i < SHOWN; i++) {
    if (i % WIDE == 0) {
      printf("%s  %-17s", i > 0 ? "\n" : "", i == 0 ? "z" : "");
    }
    printf(" %.8g", z[i]);
  }
  if (n > SHOWN) {
    printf(" and %d more (--json has all)", n - SHOWN);
  }
  if (n > 0) {
    putchar('\n');
  }
}

static void print_text(const outcome *o, const pk_lcp_options *options, const double *z, int n)
{
  const pki_palette c = pki_palette_for(stdout);
  const pk_lcp_certificate *cert = &o->result.certificate;
  printf("\n  %-17s %s\n", "solver", pk_lcp_solver_name(o->solver));
  char stopped[64] = "";
  if (o->result.outcome == PK_LCP_OUTCOME_TIME) {
    snprintf(stopped, sizeof stopped, ", stopped after %g s", options->time_limit);
  }
  printf("  %-17s %s%s%s%s\n", "converged", is_solved(o) ? c.green : c.red, is_solved(o) ? "yes" : "no",
         c.plain, stopped);
  printf("  %-17s %s%s\n", "outcome", pk_lcp_outcome_text(o->result.outcome), outcome_meaning(o));
  printf("  %-17s %d\n", "iterations", o->result.iterations);
  printf("  %-17s %.4g ms\n", "time", 1e3 * o->seconds);
  printf("  %-17s %s\n", "judged law", LAW);
  printf("  %-17s %.3g", "residual", cert->residual);
  if (cert->worst >= 0) {
    printf(", worst at row %d", cert->worst);
  }
  printf("\n  %-17s %.3g, %s %.3g\n", "relative residual", cert->relative,
         is_solved(o) ? "asked" : "but asked", options->tolerance);
  if (o->regularisation > 0) {
    printf("  %-17s %.3g on the diagonal: residual %.3g there, at most %.3g in the problem given\n",
           "regularisation", o->regularisation, o->result.regularised.residual, o->bound);
  }
  if (is_solved(o) || o->result.outcome == PK_LCP_OUTCOME_REGULARISED) {
    print_z(z, n);
  }
}

static bool print_table(const outcome *all, int count)
{
  const pki_palette c = pki_palette_for(stdout);
  pki_table table;
  pki_table_begin(&table,
                  (const char *const[]){"solver", "converged", "outcome", "iterations", "time ms", "residual",
                                        "relative"},
                  7);
  for (int i = 0; i < count; i++) {
    const outcome *o = &all[i];
    char verdict[32], iterations[32], time[32], residual[32], relative[32];
    snprintf(verdict, sizeof verdict, "%s%s%s", is_solved(o) ? c.green : c.red, is_solved(o) ? "yes" : "no",
             c.plain);
    snprintf(iterations, sizeof iterations, "%d", o->result.iterations);
    snprintf(time, sizeof time, "%.4g", 1e3 * o->seconds);
    snprintf(residual, sizeof residual, "%.3g", o->result.certificate.residual);
    snprintf(relative, sizeof relative, "%.3g", o->result.certificate.relative);
    pki_table_row(&table, (const char *const[]){pk_lcp_solver_name(o->solver), verdict,
                                                pk_lcp_outcome_text(o->result.outcome), iterations, time,
                                                residual, relative});
  }
  return pki_solve_print(&table);
}

/* One solver, and what it found where that does not wait for the table; w [n] gets M z + q. */
static bool solve_by(const pki_args *args, const char *path, const pk_lcp *p, const pk_lcp_options *options,
                     double *z, double *w, pki_solve_sink *sink, outcome *out)
{
  if (!solve_lcp_problem(p, options, z, out)) {
    return false;
  }
  pk_lcp_certify(p, z, w);
  return !args->json || put_json(sink, path, p, out, z, w);
}

static int solve_problem(const pki_args *args, const char *path, const pk_lcp *p, pk_lcp_options options,
                         double *z, pki_solve_sink *sink)
{
  double *w = z + p->n + 1;
  const bool all = pki_args_has(args, "all");
  outcome outcomes[PK_LCP_SOLVER_COUNT];
  int count = 0;
  bool solved = false, good = true;
  if (!args->json) {
    print_shape(path, p);
  }
  for (int s = 0; s < PK_LCP_SOLVER_COUNT && good; s++) {
    if (!all && s != (int)options.solver) {
      continue;
    }
    pk_lcp_options one = options;
    one.solver = (pk_lcp_solver)s;
    outcome *o = &outcomes[count++];
    good = solve_by(args, path, p, &one, z, w, sink, o);
    if (good && all && sink->wanted && !args->json) {
      if (sink->path == NULL) {
        printf("\n  %s\n", pk_lcp_solver_name(o->solver));
      }
      good = put_unknowns(sink, path, p, o, z, w);
    }
    solved = solved || is_solved(o);
  }
  if (good && !args->json && all) {
    good = print_table(outcomes, count);
  } else if (good && !args->json) {
    print_text(&outcomes[0], &options, z, sink->wanted ? 0 : p->n);
    good = put_unknowns(sink, path, p, &outcomes[0], z, w);
  }
  return good && solved ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}

int pki_solve_lcp(const pki_args *args, const char *path, const pk_lcp_options *options, pki_solve_sink *sink,
                  bool gap)
{
  pk_lcp_file *file = NULL;
  pk_error err = {0};
  if (pk_lcp_load(path, &file, &err) != PK_OK) {
    pki_complain_error("solve", &err);
    return PKI_EXIT_USAGE;
  }
  if (gap) {
    putchar('\n');
  }
  const pk_lcp *p = pk_lcp_file_problem(file);
  double *z = calloc(2 * (size_t)p->n + 2, sizeof *z); /* and w */
  int code = PKI_EXIT_FAILURE;
  if (z == NULL) {
    pki_complain("solve", "out of memory");
  } else {
    code = solve_problem(args, path, p, *options, z, sink);
  }
  free(z);
  pk_lcp_file_destroy(file);
  return code;
}
