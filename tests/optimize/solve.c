/* Programs with known optima, solved; what is told of programs that have none. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/nlp/nlp.h"
#include "support/bounds.h"

static const pki_nlp_label plain = {.what = "number", .phase = -1, .point = -1};

/* A graph of inputs x [n] to write one function in. */
typedef struct sheet {
  pki_graph *g;
  pki_x x[8];
} sheet;

static sheet sheet_of(int n)
{
  sheet s = {.g = pki_graph_create(false)};
  const int port = pki_graph_port(s.g, "x", n, "variables");
  for (int k = 0; k < n; k++) {
    s.x[k] = pki_input(s.g, port, k);
  }
  return s;
}

/* The function of the first nw inputs as variables and the next np as parameters; the sheet is used up. */
static pki_nlp_function *function_of(sheet *s, const char *name, int nw, int np, int ny, const pki_x *y)
{
  pki_nlp_function *f = NULL;
  pk_error err = {0};
  assert_int_equal(pki_nlp_function_create(s->g, name, nw, s->x, np, s->x + nw, ny, y, &f, &err), PK_OK);
  pki_graph_destroy(s->g);
  return f;
}

static pki_nlp_result solve(pki_nlp *nlp, const pki_nlp_options *options)
{
  pki_nlp_result result;
  pk_error err = {0};
  const pk_status status = pki_nlp_solve(nlp, options, &result, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(status, PK_OK);
  return result;
}

static void finish(pki_nlp *nlp)
{
  pk_error err = {0};
  assert_int_equal(pki_nlp_finish(nlp, &err), PK_OK);
}

/* ---- Hock and Schittkowski 71: min x0 x3 (x0 + x1 + x2) + x2, x0 x1 x2 x3 >= 25, |x|^2 = 40, 1 <= x <= 5 ---- */

static pki_nlp_function *hs71_function(void)
{
  sheet s = sheet_of(4);
  pki_graph *g = s.g;
  const pki_x *x = s.x;
  pki_x square = pki_const(g, 0);
  for (int k = 0; k < 4; k++) {
    square = pki_plus(g, square, pki_times(g, x[k], x[k]));
  }
  const pki_x y[3] = {
      pki_plus(g, pki_times(g, pki_times(g, x[0], x[3]), pki_plus(g, x[0], pki_plus(g, x[1], x[2]))), x[2]),
      pki_times(g, pki_times(g, x[0], x[1]), pki_times(g, x[2], x[3])), square};
  return function_of(&s, "hs71", 4, 0, 3, y);
}

static pki_nlp *hs71(const pki_nlp_function *f)
{
  pki_nlp *nlp = pki_nlp_create();
  const double start[4] = {1, 5, 5, 1};
  const int first = pki_nlp_variables(nlp, 4, plain), row = pki_nlp_rows(nlp, 2, plain);
  for (int k = 0; k < 4; k++) {
    nlp->x[first + k] = start[k], nlp->lower[first + k] = 1, nlp->upper[first + k] = 5;
  }
  nlp->row_lower[row] = 25, nlp->row_upper[row] = INFINITY;
  nlp->row_lower[row + 1] = nlp->row_upper[row + 1] = 40;
  pki_nlp_add(nlp, f, (const int[]){0, 1, 2, 3}, NULL, (const int[]){PKI_NLP_OBJECTIVE, row, row + 1});
  finish(nlp);
  return nlp;
}

static void hock_and_schittkowski_71_has_its_known_optimum(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  assert_near(result.objective, 17.0140172891, 1e-7);
  assert_less(result.violation, 1e-7);
  const double x[4] = {1, 4.7429996, 3.8211500, 1.3794083};
  for (int k = 0; k < 4; k++) {
    assert_near(nlp->x[k], x[k], 1e-6);
  }
  /* multipliers of the published solution: f + lambda'g - z_lower'x */
  assert_near(nlp->lambda[0], -0.55229366, 1e-6);
  assert_near(nlp->lambda[1], 0.16146857, 1e-6);
  assert_near(nlp->z_lower[0], 1.0878712, 1e-5);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

static void scales_do_not_change_the_optimum(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  for (int k = 0; k < 4; k++) {
    nlp->scale[k] = pow(10, k - 2);
  }
  nlp->row_scale[0] = 25, nlp->row_scale[1] = 0.1, nlp->objective_scale = 20;
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  assert_near(result.objective, 17.0140172891, 1e-6);
  assert_near(nlp->lambda[0], -0.55229366, 1e-6);
  assert_near(nlp->z_lower[0], 1.0878712, 1e-5);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

static void a_warm_start_at_the_solution_takes_few_iterations(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  solve(nlp, NULL);
  const pki_nlp_options options = {.warm = true};
  const pki_nlp_result result = solve(nlp, &options);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  assert_at_most(result.iterations, 5);
  assert_near(result.objective, 17.0140172891, 1e-7);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* Remembers what it was told, and stops after some iterations. */
typedef struct watcher {
  const pki_nlp *nlp;
  int calls, stop_after, restorations;
  double least_violation, least_objective;
  double worst_mismatch; /* of the objective at x and the one that was told */
} watcher;

static bool watch(void *user, const pki_nlp_progress *progress, const double *x)
{
  watcher *w = user;
  double objective;
  assert_true(pki_nlp_objective(w->nlp, x, &objective));
  const double mismatch = progress->restoration ? 0 : fabs(objective - progress->objective);
  w->worst_mismatch = fmax(w->worst_mismatch, mismatch);
  w->least_violation = w->calls == 0 ? progress->violation : fmin(w->least_violation, progress->violation);
  w->calls++;
  w->restorations += progress->restoration;
  return w->calls < w->stop_after;
}

/* Waechter and Biegler (2000): min x0 with x0^2 - x1 = 1, x0 - x2 = 0.5, x1, x2 >= 0. From x0 < 0
 * line searches along Newton steps fail, feasibility is sought alone, and what there is of it is the point (-1, 0, 0). */
static pki_nlp_function *waechter_function(void)
{
  sheet s = sheet_of(3);
  pki_graph *g = s.g;
  const pki_x *x = s.x;
  const pki_x y[3] = {x[0], pki_minus(g, pki_times(g, x[0], x[0]), x[1]), pki_minus(g, x[0], x[2])};
  return function_of(&s, "waechter", 3, 0, 3, y);
}

static pki_nlp *waechter(const pki_nlp_function *f)
{
  pki_nlp *nlp = pki_nlp_create();
  const double start[3] = {-2, 3, 1};
  pki_nlp_variables(nlp, 3, plain);
  pki_nlp_rows(nlp, 2, plain);
  memcpy(nlp->x, start, sizeof start);
  nlp->lower[1] = nlp->lower[2] = 0;
  nlp->row_lower[0] = nlp->row_upper[0] = 1;
  nlp->row_lower[1] = nlp->row_upper[1] = 0.5;
  pki_nlp_add(nlp, f, (const int[]){0, 1, 2}, NULL, (const int[]){PKI_NLP_OBJECTIVE, 0, 1});
  finish(nlp);
  return nlp;
}

static void progress_comes_with_the_iterate_itself(void **state)
{
  (void)state;
  pki_nlp_function *f[2] = {hs71_function(), waechter_function()};
  pki_nlp *nlp[2] = {hs71(f[0]), waechter(f[1])};
  for (int i = 0; i < 2; i++) {
    watcher w = {.nlp = nlp[i], .stop_after = 1000};
    const pki_nlp_options options = {.progress = watch, .user = &w};
    const pki_nlp_result result = solve(nlp[i], &options);
    assert_int_equal(result.end, i == 0 ? PKI_NLP_SOLVED : PKI_NLP_INFEASIBLE);
    assert_at_least(w.calls, result.iterations + 1);
    assert_int_equal(w.restorations > 0, i == 1);
    assert_at_most(result.violation, w.least_violation + 1e-9);
    assert_at_most(w.worst_mismatch, 1e-12);
    pki_nlp_destroy(nlp[i]);
    pki_nlp_function_destroy(f[i]);
  }
}

static void a_solve_that_is_stopped_keeps_the_best_iterate(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  for (int stop = 1; stop < 8; stop++) {
    pki_nlp *nlp = hs71(f);
    watcher w = {.nlp = nlp, .stop_after = stop};
    const pki_nlp_options options = {.progress = watch, .user = &w};
    const pki_nlp_result result = solve(nlp, &options);
    assert_int_equal(result.end, PKI_NLP_STOPPED);
    assert_int_equal(w.calls, stop);
    assert_near(result.violation, w.least_violation, 1e-9);
    pki_nlp_destroy(nlp);
  }
  pki_nlp_function_destroy(f);
}

static void iterations_can_be_limited(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  const pki_nlp_options options = {.iterations = 3};
  const pki_nlp_result result = solve(nlp, &options);
  assert_int_equal(result.end, PKI_NLP_ITERATIONS);
  assert_int_equal(result.iterations, 3);
  assert_string_equal(result.why, "all iterations are used up");
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* ---- Rosenbrock: sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, one function at many places ---- */

static void rosenbrocks_chain_ends_at_ones(void **state)
{
  (void)state;
  enum { N = 30 };
  sheet s = sheet_of(2);
  pki_graph *g = s.g;
  const pki_x a = pki_minus(g, s.x[1], pki_times(g, s.x[0], s.x[0])),
              b = pki_minus(g, pki_const(g, 1), s.x[0]);
  const pki_x y = pki_plus(g, pki_times(g, pki_const(g, 100), pki_times(g, a, a)), pki_times(g, b, b));
  pki_nlp_function *f = function_of(&s, "rosenbrock", 2, 0, 1, &y);
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, N, plain);
  for (int i = 0; i < N; i++) {
    nlp->x[i] = i % 2 == 0 ? -1.2 : 1;
  }
  const int objective = PKI_NLP_OBJECTIVE;
  for (int i = 0; i + 1 < N; i++) {
    pki_nlp_add(nlp, f, (const int[]){i, i + 1}, NULL, &objective);
  }
  finish(nlp);
  assert_int_equal(nlp->nterm, 1);
  assert_int_equal(nlp->terms[0].count, N - 1);
  assert_int_equal(pki_nlp_hessian_count(nlp), 2 * N - 1);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  /* the least one, or the local one beside it that this start may lead to, where x_0 is near -1 */
  assert_true(result.objective < 1e-12 || fabs(nlp->x[0] + 1) < 0.1);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* ---- an equality QP: min half |x|^2 with a'x = b: x = a b / |a|^2, lambda = -b / |a|^2 ---- */

static void an_equality_program_has_its_closed_form(void **state)
{
  (void)state;
  enum { N = 5 };
  const double a[N] = {1, -2, 3, 0.5, 4}, b = 7;
  sheet s = sheet_of(2);
  const pki_x y[2] = {pki_times(s.g, pki_const(s.g, 0.5), pki_times(s.g, s.x[0], s.x[0])),
                      pki_times(s.g, s.x[1], s.x[0])};
  pki_nlp_function *f = function_of(&s, "term", 1, 1, 2, y);
  pki_nlp *nlp = pki_nlp_create();
  const int first = pki_nlp_variables(nlp, N, plain), row = pki_nlp_rows(nlp, 1, plain);
  double square = 0;
  for (int i = 0; i < N; i++) {
    const int in = first + i;
    pki_nlp_add(nlp, f, &in, &a[i], (const int[]){PKI_NLP_OBJECTIVE, row});
    square += a[i] * a[i];
  }
  nlp->row_lower[row] = nlp->row_upper[row] = b;
  finish(nlp);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  for (int i = 0; i < N; i++) {
    assert_near(nlp->x[first + i], a[i] * b / square, 1e-12);
  }
  assert_near(nlp->lambda[row], -b / square, 1e-12);
  assert_near(result.objective, b * b / square / 2, 1e-12);
  /* parameters may change after the structure is fixed */
  nlp->terms[0].parameter[0] = 3;
  solve(nlp, NULL);
  assert_near(nlp->lambda[row], -b / (square - 1 + 9), 1e-12);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* ---- the double integrator: x'' = u, rest to rest, distance 1 in 1 s, least integral of u^2: 12 ----
 *
 * Cubic states and linear controls on N intervals: the optimum is a cubic, so that every grid is exact. Of an interval of length h,
 * with (x0, v0, u0) and (x1, v1, u1): x1 = x0 + h v0 + h^2 (2 u0 + u1)/6, v1 = v0 + h (u0 + u1)/2, and Simpson's rule is exact:
 * h (u0^2 + u0 u1 + u1^2)/3. */

static pki_nlp_function *interval_function(void)
{
  sheet s = sheet_of(7);
  pki_graph *g = s.g;
  const pki_x x0 = s.x[0], v0 = s.x[1], u0 = s.x[2], x1 = s.x[3], v1 = s.x[4], u1 = s.x[5], h = s.x[6];
  const pki_x mean = pki_times(g, pki_const(g, 0.5), pki_plus(g, u0, u1));
  const pki_x bend = pki_times(g, pki_const(g, 1.0 / 6), pki_plus(g, pki_times(g, pki_const(g, 2), u0), u1));
  const pki_x square =
      pki_plus(g, pki_times(g, u0, u0), pki_plus(g, pki_times(g, u0, u1), pki_times(g, u1, u1)));
  const pki_x y[3] = {pki_minus(g, pki_minus(g, x1, x0),
                                pki_plus(g, pki_times(g, h, v0), pki_times(g, pki_times(g, h, h), bend))),
                      pki_minus(g, pki_minus(g, v1, v0), pki_times(g, h, mean)),
                      pki_times(g, pki_times(g, h, pki_const(g, 1.0 / 3)), square)};
  return function_of(&s, "interval", 6, 1, 3, y);
}

static pki_nlp *integrator(const pki_nlp_function *f, int n)
{
  pki_nlp *nlp = pki_nlp_create();
  const int first = pki_nlp_variables(nlp, 3 * (n + 1), plain), row = pki_nlp_rows(nlp, 2 * n, plain);
  const double h = 1.0 / n;
  for (int i = 0; i < n; i++) {
    int in[6];
    for (int k = 0; k < 6; k++) {
      in[k] = first + 3 * i + k;
    }
    pki_nlp_add(nlp, f, in, &h, (const int[]){row + 2 * i, row + 2 * i + 1, PKI_NLP_OBJECTIVE});
  }
  const int last = first + 3 * n;
  const int fixed[4] = {first, first + 1, last, last + 1};
  const double at[4] = {0, 0, 1, 0};
  for (int k = 0; k < 4; k++) {
    nlp->lower[fixed[k]] = nlp->upper[fixed[k]] = nlp->x[fixed[k]] = at[k];
  }
  finish(nlp);
  return nlp;
}

static void the_double_integrator_is_exact_on_any_grid(void **state)
{
  (void)state;
  pki_nlp_function *f = interval_function();
  for (int n = 2; n <= 40; n = 2 * n + 1) {
    pki_nlp *nlp = integrator(f, n);
    const pki_nlp_result result = solve(nlp, NULL);
    assert_int_equal(result.end, PKI_NLP_SOLVED);
    assert_near(result.objective, 12, 1e-10);
    assert_at_most(result.iterations, 2);
    for (int i = 0; i <= n; i++) { /* u = 6 - 12 t */
      assert_near(nlp->x[3 * i + 2], 6 - 12.0 * i / n, 1e-9);
    }
    pki_nlp_destroy(nlp);
  }
  pki_nlp_function_destroy(f);
}

/* ---- no optimum ---- */

/* x^2 + y^2 <= 1 and x + y >= 3; the least largest violation is where both are violated alike. */
static void a_program_without_a_feasible_point_is_told_as_such(void **state)
{
  (void)state;
  sheet s = sheet_of(2);
  pki_graph *g = s.g;
  const pki_x y[3] = {pki_plus(g, pki_times(g, s.x[0], s.x[0]), pki_times(g, s.x[1], s.x[1])),
                      pki_plus(g, s.x[0], s.x[1]), s.x[0]};
  pki_nlp_function *f = function_of(&s, "apart", 2, 0, 3, y);
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, 2, plain);
  pki_nlp_rows(nlp, 2, plain);
  nlp->row_lower[0] = -INFINITY, nlp->row_upper[0] = 1;
  nlp->row_lower[1] = 3, nlp->row_upper[1] = INFINITY;
  pki_nlp_add(nlp, f, (const int[]){0, 1}, NULL, (const int[]){0, 1, PKI_NLP_OBJECTIVE});
  finish(nlp);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_INFEASIBLE);
  assert_string_equal(result.why, "a point of locally least violation");
  assert_greater(result.violation, 1);
  int which;
  assert_near(pki_nlp_violation(nlp, nlp->x, &which), result.violation, 0);
  assert_true(which == 0 || which == 1);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* f of one variable x, with bounds on neither side. */
static pki_nlp *unbounded_variable(const pki_nlp_function *f, double start)
{
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, 1, plain);
  nlp->x[0] = start;
  pki_nlp_add(nlp, f, (const int[]){0}, NULL, (const int[]){PKI_NLP_OBJECTIVE});
  finish(nlp);
  return nlp;
}

static void an_unbounded_program_fails_and_says_so(void **state)
{
  (void)state;
  sheet s = sheet_of(1);
  const pki_x y = pki_neg(s.g, s.x[0]);
  pki_nlp_function *f = function_of(&s, "downhill", 1, 0, 1, &y);
  pki_nlp *nlp = unbounded_variable(f, 1);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_FAILED);
  assert_string_equal(result.why, "the variables grow without bound");
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

static void a_start_that_is_not_finite_fails_and_says_so(void **state)
{
  (void)state;
  sheet s = sheet_of(1);
  const pki_x y = pki_root(s.g, s.x[0]);
  pki_nlp_function *f = function_of(&s, "root", 1, 0, 1, &y);
  pki_nlp *nlp = unbounded_variable(f, -1);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_FAILED);
  assert_string_equal(result.why, "a function or a derivative is not finite");
  assert_near(nlp->x[0], -1, 0);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* Full steps from this start leave the domain of the root. */
static void steps_that_leave_the_domain_are_shortened(void **state)
{
  (void)state;
  sheet s = sheet_of(1);
  pki_graph *g = s.g;
  /* x - 2 sqrt(x): least at x = 1 */
  const pki_x y = pki_minus(g, s.x[0], pki_times(g, pki_const(g, 2), pki_root(g, s.x[0])));
  pki_nlp_function *f = function_of(&s, "root", 1, 0, 1, &y);
  pki_nlp *nlp = unbounded_variable(f, 100);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  assert_near(nlp->x[0], 1, 1e-6);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

static void more_equations_than_variables_are_told(void **state)
{
  (void)state;
  sheet s = sheet_of(1);
  const pki_x y[2] = {s.x[0], pki_times(s.g, s.x[0], s.x[0])};
  pki_nlp_function *f = function_of(&s, "two", 1, 0, 2, y);
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, 1, plain);
  pki_nlp_rows(nlp, 2, plain);
  pki_nlp_add(nlp, f, (const int[]){0}, NULL, (const int[]){0, 1});
  finish(nlp);
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_FAILED);
  assert_string_equal(result.why, "there are more equations than free variables");
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

/* One program for each number that is wrong. */
static void numbers_that_cannot_be_are_refused_by_name(void **state)
{
  (void)state;
  static const pki_nlp_label cone = {.what = "friction cone", .of = "LF", .phase = 2, .point = 7};
  static const char *const messages[] = {"the lower bound 6 is not below the upper bound 5",
                                         "the scale 0 is not positive", "the start inf is not finite",
                                         "the lower bound 3 is not below the upper bound nan",
                                         "the scale -2 is not positive"};
  pki_nlp_function *f = hs71_function();
  for (int i = 0; i < 5; i++) {
    pki_nlp *nlp = hs71(f);
    nlp->x_label[1] = nlp->row_label[1] = cone;
    switch (i) {
    case 0: nlp->lower[1] = 6; break;
    case 1: nlp->scale[1] = 0; break;
    case 2: nlp->x[1] = INFINITY; break;
    case 3: nlp->row_lower[1] = 3, nlp->row_upper[1] = (double)NAN; break;
    default: nlp->row_scale[1] = -2; break;
    }
    pki_nlp_result result;
    pk_error err;
    assert_int_equal(pki_nlp_solve(nlp, NULL, &result, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.message, messages[i]);
    assert_string_equal(err.field, "friction cone of LF, phase 2, point 7");
    pki_nlp_destroy(nlp);
  }
  pki_nlp_function_destroy(f);
}

/* All variables are fixed: what there is to find are values. */
static void a_program_without_free_variables_ends(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  for (int k = 0; k < 4; k++) {
    nlp->lower[k] = nlp->upper[k] = nlp->x[k];
  }
  const pki_nlp_result result = solve(nlp, NULL);
  assert_int_equal(result.end, PKI_NLP_INFEASIBLE);
  assert_near(result.objective, 16, 1e-12);
  assert_near(result.violation, 12, 1e-12);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

static void without_the_plugin_it_is_told_what_to_install(void **state)
{
  (void)state;
  pki_nlp_function *f = hs71_function();
  pki_nlp *nlp = hs71(f);
  setenv("PRONK_PLUGINS", PK_SOURCE_DIR "/docs", 1);
  pki_nlp_result result;
  pk_error err;
  assert_int_equal(pki_nlp_solve(nlp, NULL, &result, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(
      strstr(err.message, "Install coinor-libipopt-dev (Debian) and build with PK_WITH_IPOPT=ON"));
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(f);
}

int main(void)
{
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hock_and_schittkowski_71_has_its_known_optimum),
      cmocka_unit_test(scales_do_not_change_the_optimum),
      cmocka_unit_test(a_warm_start_at_the_solution_takes_few_iterations),
      cmocka_unit_test(progress_comes_with_the_iterate_itself),
      cmocka_unit_test(a_solve_that_is_stopped_keeps_the_best_iterate),
      cmocka_unit_test(iterations_can_be_limited),
      cmocka_unit_test(rosenbrocks_chain_ends_at_ones),
      cmocka_unit_test(an_equality_program_has_its_closed_form),
      cmocka_unit_test(the_double_integrator_is_exact_on_any_grid),
      cmocka_unit_test(a_program_without_a_feasible_point_is_told_as_such),
      cmocka_unit_test(an_unbounded_program_fails_and_says_so),
      cmocka_unit_test(a_start_that_is_not_finite_fails_and_says_so),
      cmocka_unit_test(steps_that_leave_the_domain_are_shortened),
      cmocka_unit_test(more_equations_than_variables_are_told),
      cmocka_unit_test(numbers_that_cannot_be_are_refused_by_name),
      cmocka_unit_test(a_program_without_free_variables_ends),
      cmocka_unit_test(without_the_plugin_it_is_told_what_to_install),
  };
  return cmocka_run_group_tests_name("optimize/solve", tests, NULL, NULL);
}
