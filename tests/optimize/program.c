/* Programs as sums of terms: values, derivatives and patterns where instances share rows and variables. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimize/nlp/nlp.h"
#include "support/bounds.h"

static const pki_nlp_label plain = {.what = "number", .phase = -1, .point = -1};

enum { NX = 7, NG = 3, INSTANCES = 40, NW = 3, NY = 2 };

/* y0 = w0 w1 w2 + p sin(w0), y1 = w1^2 / (2 + w2^2), as a function of a program, */
static pki_nlp_function *curved_function(void)
{
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "w", NW + 1, "");
  pki_x w[NW + 1];
  for (int k = 0; k < NW + 1; k++) {
    w[k] = pki_input(g, port, k);
  }
  const pki_x y[NY] = {
      pki_plus(g, pki_times(g, w[0], pki_times(g, w[1], w[2])), pki_times(g, w[3], pki_sine(g, w[0]))),
      pki_times(g, pki_times(g, w[1], w[1]),
                pki_inverse(g, pki_plus(g, pki_const(g, 2), pki_times(g, w[2], w[2]))))};
  pki_nlp_function *f = NULL;
  pk_error err;
  assert_int_equal(pki_nlp_function_create(g, "curved", NW, w, 1, w + NW, NY, y, &f, &err), PK_OK);
  pki_graph_destroy(g);
  return f;
}

/* and by hand: values and first derivatives at complex numbers. */
static void curved_by_hand(const double _Complex w[NW], double p, double _Complex y[NY],
                           double _Complex slope[NY][NW])
{
  const double _Complex below = 2 + w[2] * w[2];
  y[0] = w[0] * w[1] * w[2] + p * csin(w[0]);
  slope[0][0] = w[1] * w[2] + p * ccos(w[0]), slope[0][1] = w[0] * w[2], slope[0][2] = w[0] * w[1];
  y[1] = w[1] * w[1] / below;
  slope[1][0] = 0, slope[1][1] = 2 * w[1] / below;
  slope[1][2] = -2 * w[1] * w[1] * w[2] / (below * below);
}

/* Instances of random variables, of which some are there twice, and of random rows. */
static pki_nlp *random_program(const pki_nlp_function *f)
{
  pki_random rng = pki_random_seeded(3);
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, NX, plain);
  pki_nlp_rows(nlp, NG, plain);
  for (int i = 0; i < INSTANCES; i++) {
    int in[NW], out[NY];
    for (int k = 0; k < NW; k++) {
      in[k] = (int)(NX * pki_random_unit(&rng));
    }
    for (int k = 0; k < NY; k++) {
      out[k] = (int)((NG + 2) * pki_random_unit(&rng)) - 2;
    }
    const double p = pki_random_unit(&rng);
    pki_nlp_add(nlp, f, in, &p, out);
  }
  pk_error err;
  assert_int_equal(pki_nlp_finish(nlp, &err), PK_OK);
  return nlp;
}

/* Row 0 is the objective, row 1 + i row i of the program. */
static void sums_by_hand(const pki_nlp *nlp, const double _Complex x[NX], double _Complex value[NG + 1],
                         double _Complex slope[NG + 1][NX])
{
  const pki_nlp_term *t = &nlp->terms[0];
  memset(value, 0, (NG + 1) * sizeof *value);
  memset(slope, 0, (NG + 1) * sizeof *slope);
  for (int i = 0; i < t->count; i++) {
    double _Complex w[NW], y[NY], d[NY][NW];
    for (int k = 0; k < NW; k++) {
      w[k] = x[t->in[i * NW + k]];
    }
    curved_by_hand(w, t->parameter[i], y, d);
    for (int k = 0; k < NY; k++) {
      const int row = t->out[i * NY + k];
      for (int j = 0; j < NW && row != PKI_NLP_NOWHERE; j++) {
        slope[row + 1][t->in[i * NW + j]] += d[k][j];
      }
      if (row != PKI_NLP_NOWHERE) {
        value[row + 1] += y[k];
      }
    }
  }
}

/* At some point: real numbers x, and the same with a small imaginary part of x[k]. */
static void some_point(double x[NX], double _Complex z[NX], int k)
{
  for (int i = 0; i < NX; i++) {
    x[i] = sin(1.0 + 2.3 * i);
    z[i] = x[i] + (i == k ? 1e-30 * I : 0);
  }
}

static void values_and_slopes_are_sums_over_instances(void **state)
{
  (void)state;
  pki_nlp_function *function = curved_function();
  pki_nlp *nlp = random_program(function);
  double x[NX], f, g[NG], gradient[NX], dense[NG][NX] = {{0}};
  double _Complex z[NX], value[NG + 1], slope[NG + 1][NX];
  some_point(x, z, -1);
  sums_by_hand(nlp, z, value, slope);
  const int n = pki_nlp_jacobian_count(nlp);
  int *row = calloc((size_t)n, sizeof *row), *col = calloc((size_t)n, sizeof *col);
  double *values = calloc((size_t)n, sizeof *values);
  pki_nlp_jacobian_pattern(nlp, row, col);
  assert_true(pki_nlp_objective(nlp, x, &f) && pki_nlp_constraints(nlp, x, g));
  assert_true(pki_nlp_gradient(nlp, x, gradient) && pki_nlp_jacobian(nlp, x, values));
  for (int e = 0; e < n; e++) {
    dense[row[e]][col[e]] = values[e];
    /* each place once, in the order of rows and columns */
    assert_true(e == 0 || row[e] > row[e - 1] || (row[e] == row[e - 1] && col[e] > col[e - 1]));
  }
  assert_near(f, creal(value[0]), 1e-13);
  for (int j = 0; j < NX; j++) {
    assert_near(gradient[j], creal(slope[0][j]), 1e-13);
    for (int i = 0; i < NG; i++) {
      assert_near(dense[i][j], creal(slope[1 + i][j]), 1e-13);
    }
  }
  for (int i = 0; i < NG; i++) {
    assert_near(g[i], creal(value[1 + i]), 1e-13);
  }
  free(row);
  free(col);
  free(values);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(function);
}

static void second_derivatives_are_those_of_the_lagrangian(void **state)
{
  (void)state;
  pki_nlp_function *function = curved_function();
  pki_nlp *nlp = random_program(function);
  const double factor = 0.7, lambda[NG] = {-1.1, 0.4, 2.3};
  double x[NX], dense[NX][NX] = {{0}};
  const int n = pki_nlp_hessian_count(nlp);
  int *row = calloc((size_t)n, sizeof *row), *col = calloc((size_t)n, sizeof *col);
  double *values = calloc((size_t)n, sizeof *values);
  pki_nlp_hessian_pattern(nlp, row, col);
  double _Complex z[NX], value[NG + 1], slope[NG + 1][NX];
  some_point(x, z, -1);
  assert_true(pki_nlp_hessian(nlp, x, factor, lambda, values));
  for (int e = 0; e < n; e++) {
    assert_true(row[e] >= col[e]);
    assert_true(e == 0 || row[e] > row[e - 1] || (row[e] == row[e - 1] && col[e] > col[e - 1]));
    dense[row[e]][col[e]] = dense[col[e]][row[e]] = values[e];
  }
  for (int k = 0; k < NX; k++) {
    some_point(x, z, k);
    sums_by_hand(nlp, z, value, slope);
    for (int j = 0; j < NX; j++) {
      double expected = factor * cimag(slope[0][j]) / 1e-30;
      for (int i = 0; i < NG; i++) {
        expected += lambda[i] * cimag(slope[1 + i][j]) / 1e-30;
      }
      assert_near(dense[j][k], expected, 1e-12);
    }
  }
  free(row);
  free(col);
  free(values);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(function);
}

static void values_follow_parameters_that_change(void **state)
{
  (void)state;
  pki_nlp_function *function = curved_function();
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, NW, plain);
  const double p = 2;
  pki_nlp_add(nlp, function, (const int[]){0, 1, 2}, &p, (const int[]){PKI_NLP_OBJECTIVE, PKI_NLP_NOWHERE});
  pk_error err;
  assert_int_equal(pki_nlp_finish(nlp, &err), PK_OK);
  const double x[NW] = {0.5, 0, 0};
  double f;
  assert_true(pki_nlp_objective(nlp, x, &f));
  assert_near(f, 2 * sin(0.5), 1e-15);
  nlp->terms[0].parameter[0] = 3;
  assert_true(pki_nlp_objective(nlp, x, &f));
  assert_near(f, 3 * sin(0.5), 1e-15);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(function);
}

static void the_worst_violation_is_found_by_scales(void **state)
{
  (void)state;
  pki_nlp_function *function = curved_function();
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, NW, plain);
  pki_nlp_rows(nlp, 1, plain);
  const double p = 0;
  pki_nlp_add(nlp, function, (const int[]){0, 1, 2}, &p, (const int[]){0, PKI_NLP_NOWHERE});
  pk_error err;
  assert_int_equal(pki_nlp_finish(nlp, &err), PK_OK);
  const double x[NW] = {2, 3, 4}; /* the row is 24 */
  int which;
  assert_near(pki_nlp_violation(nlp, x, &which), 24, 0);
  assert_int_equal(which, 0);
  nlp->row_scale[0] = 100;
  nlp->upper[2] = 3.5;
  assert_near(pki_nlp_violation(nlp, x, &which), 0.5, 0);
  assert_int_equal(which, 1 + 2);
  nlp->row_lower[0] = 20, nlp->row_upper[0] = 30, nlp->upper[2] = 4;
  assert_near(pki_nlp_violation(nlp, x, NULL), 0, 0);
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(function);
}

static void what_is_not_finite_is_told(void **state)
{
  (void)state;
  pki_nlp_function *function = curved_function();
  pki_nlp *nlp = random_program(function);
  double x[NX] = {0}, f;
  assert_true(pki_nlp_objective(nlp, x, &f));
  x[3] = NAN;
  assert_false(pki_nlp_objective(nlp, x, &f));
  assert_true(isinf(pki_nlp_violation(nlp, x, NULL)));
  x[3] = 0;
  assert_true(pki_nlp_objective(nlp, x, &f));
  pki_nlp_destroy(nlp);
  pki_nlp_function_destroy(function);
}

static void terms_beyond_the_program_are_refused(void **state)
{
  (void)state;
  static const struct {
    int in, out;
    const char *message;
  } cases[] = {{3, 0, "reads variable 3; there are 3"},
               {-1, 0, "reads variable -1; there are 3"},
               {0, 1, "adds to row 1; there are 1"},
               {0, -3, "adds to row -3; there are 1"}};
  pki_nlp_function *function = curved_function();
  for (int i = 0; i < 4; i++) {
    pki_nlp *nlp = pki_nlp_create();
    pki_nlp_variables(nlp, NW, plain);
    pki_nlp_rows(nlp, 1, plain);
    const double p = 0;
    const int in[NW] = {0, cases[i].in, 2}, out[NY] = {PKI_NLP_NOWHERE, cases[i].out};
    pki_nlp_add(nlp, function, in, &p, out);
    pk_error err;
    assert_int_equal(pki_nlp_finish(nlp, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.message, cases[i].message);
    assert_string_equal(err.field, "curved");
    pki_nlp_destroy(nlp);
  }
  pki_nlp_function_destroy(function);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_slopes_are_sums_over_instances),
      cmocka_unit_test(second_derivatives_are_those_of_the_lagrangian),
      cmocka_unit_test(values_follow_parameters_that_change),
      cmocka_unit_test(the_worst_violation_is_found_by_scales),
      cmocka_unit_test(what_is_not_finite_is_told),
      cmocka_unit_test(terms_beyond_the_program_are_refused),
  };
  return cmocka_run_group_tests_name("optimize/program", tests, NULL, NULL);
}
