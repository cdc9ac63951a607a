/* `pronk bench optimize`: what a point of an optimal motion costs. Inverse dynamics tau(q, u, a) of a robot with all first derivatives and
 * all second derivatives of mu'tau, as tapes over many points (optimize/nlp/function.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_solves.h"
#include "dynamics/states.h"
#include "measure/measure.h"
#include "model/locate.h"
#include "optimize/nlp/function.h"
#include "symbolic/robot/robot.h"

enum { POINTS = 64, SEED = 1 };

typedef enum level { VALUE, JACOBIAN, HESSIAN, LEVELS } level;

static const char *const level_names[LEVELS] = {"value", "Jacobian", "Hessian"};

/* A robot's inverse dynamics at POINTS states. */
typedef struct subject {
  pk_model *model;
  pki_nlp_function *function;
  double *w, *mu, *out; /* [POINTS][nw], [POINTS][nu], room for all results */
  double made;          /* s to differentiate and to make the tapes */
} subject;

/* One of its levels, as the timer sees it. */
typedef struct call {
  const subject *subject;
  level level;
} call;

static void run_call(void *user, int index)
{
  const call *c = user;
  const subject *s = c->subject;
  (void)index;
  switch (c->level) {
  case VALUE: pki_nlp_function_value(s->function, POINTS, s->w, NULL, s->out); break;
  case JACOBIAN: pki_nlp_function_jacobian_values(s->function, POINTS, s->w, NULL, s->out); break;
  default: pki_nlp_function_hessian_values(s->function, POINTS, s->w, NULL, s->mu, s->out); break;
  }
}

/* ---- the function ---- */

static pk_status make_function(subject *s, pk_error *err)
{
  const int nq = s->model->nq, nu = s->model->nu, nw = nq + 2 * nu;
  const pki_robot_options options = {0};
  pki_robot robot = {0};
  pki_graph *g = pki_graph_create(false);
  pki_x *nodes = malloc((size_t)(nw + nu) * sizeof *nodes);
  pk_status status = PK_ERROR_MEMORY;
  if (g != NULL && nodes != NULL && pki_robot_init(&robot, g, s->model, &options) &&
      pki_robot_rnea(&robot, robot.u, robot.a, nodes + nw)) {
    memcpy(nodes, robot.q, (size_t)nq * sizeof *nodes);
    memcpy(nodes + nq, robot.u, (size_t)nu * sizeof *nodes);
    memcpy(nodes + nq + nu, robot.a, (size_t)nu * sizeof *nodes);
    const double start = pki_clock();
    status =
        pki_nlp_function_create(g, "inverse dynamics", nw, nodes, 0, NULL, nu, nodes + nw, &s->function, err);
    s->made = pki_clock() - start;
  } else {
    pki_fail_memory(err, "inverse dynamics");
  }
  pki_robot_free(&robot);
  pki_graph_destroy(g);
  free(nodes);
  return status;
}

/* Random states, and weights of the results between -1 and 1. */
static pk_status make_points(subject *s, pk_error *err)
{
  const size_t nq = (size_t)s->model->nq, nu = (size_t)s->model->nu, nw = nq + 2 * nu;
  const int *i, *j;
  const size_t jacobian = (size_t)pki_nlp_function_jacobian(s->function, &i, &j),
               hessian = (size_t)pki_nlp_function_hessian(s->function, &i, &j);
  const size_t most = nu + (jacobian > hessian ? jacobian : hessian);
  pki_states states;
  const bool has_states = pki_states_create(&states, s->model, POINTS, SEED);
  s->w = malloc(POINTS * nw * sizeof *s->w);
  s->mu = malloc(POINTS * nu * sizeof *s->mu);
  s->out = malloc(POINTS * most * sizeof *s->out);
  const bool good = has_states && s->w != NULL && s->mu != NULL && s->out != NULL;
  for (size_t k = 0; k < POINTS && good; k++) {
    memcpy(s->w + k * nw, states.q + k * nq, nq * sizeof *s->w);
    memcpy(s->w + k * nw + nq, states.u + k * nu, nu * sizeof *s->w);
    memcpy(s->w + k * nw + nq + nu, states.a + k * nu, nu * sizeof *s->w);
    for (size_t r = 0; r < nu; r++) {
      s->mu[k * nu + r] = sin((double)(k * nu + r));
    }
  }
  pki_states_destroy(&states);
  return good ? PK_OK : pki_fail_memory(err, "points");
}

static pk_status open_subject(subject *s, const char *name, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  pk_status status = pki_model_locate(name, path, err);
  status = status == PK_OK ? pk_model_load_urdf(path, &options, &s->model, err) : status;
  status = status == PK_OK ? make_function(s, err) : status;
  return status == PK_OK ? make_points(s, err) : status;
}

static void close_subject(subject *s)
{
  pki_nlp_function_destroy(s->function);
  pk_model_destroy(s->model);
  free(s->w);
  free(s->mu);
  free(s->out);
}

/* ---- the bench ---- */

static pk_status time_subject(const subject *s, const char *work, const pki_bench_options *options,
                              pki_bench_report *report, pk_error *err)
{
  const pki_measure_options normal = {.round = 2e-3, .total = 1.5, .least = 5, .most = 101};
  const pki_measure_options quick = {.round = 5e-4, .total = 0.1, .least = 3, .most = 21};
  const pki_nlp_cost cost = pki_nlp_function_cost(s->function);
  const int operations[LEVELS] = {cost.value, cost.jacobian, cost.hessian};
  const int *i, *j;
  const int entries[LEVELS] = {s->model->nu, pki_nlp_function_jacobian(s->function, &i, &j),
                               pki_nlp_function_hessian(s->function, &i, &j)};
  call calls[LEVELS];
  pki_entrant entrants[LEVELS];
  for (int k = 0; k < LEVELS; k++) {
    calls[k] = (call){.subject = s, .level = (level)k};
    entrants[k] = (pki_entrant){.run = run_call, .user = &calls[k], .inputs = 1};
  }
  if (!pki_measure(entrants, LEVELS, options->quick ? &quick : &normal)) {
    return pki_fail_memory(err, NULL);
  }
  for (int k = 0; k < LEVELS; k++) {
    pki_bench_result *r = pki_bench_add_result(report);
    if (r == NULL) {
      return pki_fail_memory(err, NULL);
    }
    snprintf(r->work, sizeof r->work, "%s", work);
    r->engine = "pronk", r->version = pk_version(), r->config = level_names[k];
    r->lanes = 16, r->threads = 1;
    r->unit = "us/point";
    r->median = 1e6 * entrants[k].median / POINTS;
    r->spread = 1e6 * entrants[k].spread / POINTS;
    r->ratio = entrants[k].median / entrants[VALUE].median;
    r->optimize = (pki_bench_optimize_figures){
        .operations = operations[k], .entries = entries[k], .per_operation = 1e3 * r->median / operations[k]};
  }
  pki_bench_add_note(report, "%s: %d velocities; derivatives and tapes were made in %.0f ms", work,
                     s->model->nu, 1e3 * s->made);
  pki_bench_show(report);
  return PK_OK;
}

pk_status pki_bench_optimize(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  static const struct {
    const char *work, *model;
  } works[] = {{"dynamics ur10", "ur10"}, {"dynamics starleth", "starleth"}, {"dynamics coman", "coman"}};
  enum { WORKS = sizeof works / sizeof works[0] };
  pk_status status = PK_OK;
  report->kind = PKI_BENCH_OPTIMIZE;
  for (int i = 0; i < WORKS && status == PK_OK; i++) {
    if (!pki_bench_wants(options, works[i].work)) {
      continue;
    }
    subject s = {0};
    pki_bench_progress(works[i].work);
    status = open_subject(&s, works[i].model, err);
    status = status == PK_OK ? time_subject(&s, works[i].work, options, report, err) : status;
    close_subject(&s);
  }
  return status == PK_OK ? pki_bench_solves(options, report, err) : status;
}

/* ---- as a table ---- */

static void head_optimize(const pki_bench_report *report, FILE *out)
{
  (void)report;
  fprintf(out, "\n%-18s %-10s %9s %9s %7s %11s %8s %13s\n", "work", "what", "us/point", "spread", "ratio",
          "operations", "entries", "ns/operation");
}

/* A whole solve has other figures than a point. */
static void row_solve(const pki_bench_result *r, FILE *out)
{
  const pki_bench_optimize_figures *f = &r->optimize;
  fprintf(out, "%-30s %-10s", r->work, r->config);
  pki_bench_print_number(out, 8, r->median);
  fprintf(out, " s: %d problem%s of up to %d variables and %d rows, %d iterations,", f->problems,
          f->problems == 1 ? "" : "s", f->variables, f->rows, f->iterations);
  pki_bench_print_number(out, 8, f->in_functions);
  fputs(" s in functions, the last", out);
  pki_bench_print_number(out, 8, f->last);
  fputs(" s\n", out);
}

static void row_optimize(const pki_bench_report *report, int i, FILE *out)
{
  const pki_bench_result *r = &report->results[i];
  if (r->optimize.iterations > 0) {
    row_solve(r, out);
    return;
  }
  const bool is_new = i == 0 || strcmp(r[-1].work, r->work) != 0;
  fprintf(out, "%s%-18s %-10s", is_new && i > 0 ? "\n" : "", is_new ? r->work : "", r->config);
  pki_bench_print_number(out, 9, r->median);
  pki_bench_print_number(out, 9, r->spread);
  pki_bench_print_number(out, 7, r->ratio);
  fprintf(out, " %11d %8d", r->optimize.operations, r->optimize.entries);
  pki_bench_print_number(out, 13, r->optimize.per_operation);
  fputc('\n', out);
}

const pki_bench_table pki_bench_optimize_table = {
    head_optimize, row_optimize,
    "Inverse dynamics as a tape, 64 points in lanes of 16, one core. Value: forces; Jacobian: by q, u and a; "
    "Hessian: of a weighted sum of\n"
    "the forces, lower triangle; entries that are not zero by structure. Medians over rounds in which the "
    "three take turns; spread is from\n"
    "the first to the third quartile. Ratio is to the time of the value. A fused multiply-add is one "
    "operation.\n"
    "Solve: a shipped gait file from its first guess to its optimum by Ipopt, one core, once.\n"};
