/* Functions of nonlinear programs: values, Jacobians and Hessians against a complex step, their patterns, lanes. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/nlp/function.h"
#include "optimize/nlp/tape.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "symbolic/expressions.h"
#include "symbolic/graph/differentiate.h"

enum { NW = 6, NP = 3, NIN = NW + NP, NY = 5, NODES = 120 };

/* Random expressions of nine numbers, of which the last three are parameters. */
typedef struct random_case {
  pki_graph *g;
  pki_function f;
  pki_x inputs[NIN];
  pki_nlp_function *nlp;
  pki_random rng;
} random_case;

static random_case begin(uint64_t seed, bool plain)
{
  random_case c = {.g = pki_graph_create(plain), .rng = pki_random_seeded(seed)};
  make_expressions(c.g, &c.f, &c.rng, NIN, NY, NODES);
  for (int k = 0; k < NIN; k++) {
    c.inputs[k] = pki_input(c.g, 0, k);
  }
  pk_error err;
  assert_int_equal(pki_nlp_function_create(c.g, "random", NW, c.inputs, NP, c.inputs + NW, NY,
                                           c.f.outputs[0].values, &c.nlp, &err),
                   PK_OK);
  return c;
}

static void end(random_case *c)
{
  pki_nlp_function_destroy(c->nlp);
  pki_function_free(&c->f);
  pki_graph_destroy(c->g);
}

/* Values at x + i h e_k. */
static void complex_values(const pki_function *f, int n, const double *x, int k, double h,
                           double _Complex *out)
{
  double _Complex z[2 * NIN];
  for (int i = 0; i < n; i++) {
    z[i] = x[i] + (i == k ? h * I : 0);
  }
  assert_true(pki_function_evaluate_complex(f, (const double _Complex *const[]){z}, out));
}

static void values_are_those_of_the_graph(void **state)
{
  (void)state;
  for (int seed = 0; seed < PACE(200, 20); seed++) {
    random_case c = begin((uint64_t)seed, seed % 2 == 1);
    double x[NIN], y[NY], expected[NY];
    make_point(&c.rng, NIN, x);
    assert_true(pki_nlp_function_value(c.nlp, 1, x, x + NW, y));
    assert_true(pki_function_evaluate(&c.f, (const double *const[]){x}, expected));
    assert_less(worst_error(y, expected, NY), 1e-13);
    end(&c);
  }
}

static void jacobians_are_those_of_a_complex_step_and_zero_outside_their_pattern(void **state)
{
  (void)state;
  for (int seed = 0; seed < PACE(200, 20); seed++) {
    random_case c = begin((uint64_t)seed, false);
    double x[NIN], expected[NY * NW], found[NY * NW] = {0}, entries[NY * NW];
    double _Complex y[NY];
    make_point(&c.rng, NIN, x);
    for (int k = 0; k < NW; k++) {
      complex_values(&c.f, NIN, x, k, 1e-30, y);
      for (int i = 0; i < NY; i++) {
        expected[i * NW + k] = cimag(y[i]) / 1e-30;
      }
    }
    const int *i, *j;
    const int n = pki_nlp_function_jacobian(c.nlp, &i, &j);
    assert_true(pki_nlp_function_jacobian_values(c.nlp, 1, x, x + NW, entries));
    for (int e = 0; e < n; e++) {
      found[i[e] * NW + j[e]] += entries[e];
    }
    assert_less(worst_error(found, expected, NY * NW), 1e-12);
    end(&c);
  }
}

/* The gradient of mu'y on the graph; its complex step is the Hessian. */
static void hessians_are_those_of_a_complex_step_and_zero_outside_their_pattern(void **state)
{
  (void)state;
  for (int seed = 0; seed < PACE(100, 10); seed++) {
    random_case c = begin((uint64_t)seed, false);
    double x[NIN], mu[NY], expected[NW * NW], found[NW * NW] = {0}, entries[NW * NW];
    make_point(&c.rng, NIN, x);
    make_point(&c.rng, NY, mu);
    pki_x weights[NY];
    for (int i = 0; i < NY; i++) {
      weights[i] = pki_const(c.g, mu[i]);
    }
    pki_function slopes;
    pki_function_init(&slopes, c.g, "slopes", "");
    pki_x *slope = pki_function_add(&slopes, "slope", NW, "");
    assert_true(pki_gradient(c.g, NY, c.f.outputs[0].values, weights, NW, c.inputs, slope));
    double _Complex s[NW];
    for (int k = 0; k < NW; k++) {
      complex_values(&slopes, NIN, x, k, 1e-30, s);
      for (int i = 0; i < NW; i++) {
        expected[i * NW + k] = cimag(s[i]) / 1e-30;
      }
    }
    const int *j, *k;
    const int n = pki_nlp_function_hessian(c.nlp, &j, &k);
    assert_true(pki_nlp_function_hessian_values(c.nlp, 1, x, x + NW, mu, entries));
    for (int e = 0; e < n; e++) {
      assert_true(j[e] >= k[e]);
      found[j[e] * NW + k[e]] += entries[e];
      found[k[e] * NW + j[e]] = found[j[e] * NW + k[e]];
    }
    assert_less(worst_error(found, expected, NW * NW), 1e-11);
    pki_function_free(&slopes);
    end(&c);
  }
}

static void an_instance_has_the_same_bits_wherever_it_stands_among_others(void **state)
{
  (void)state;
  enum { COUNT = 45, ENTRIES = NW * NW };
  random_case c = begin(7, false);
  double w[COUNT * NW], p[COUNT * NP], mu[COUNT * NY];
  double y[COUNT * NY], alone[NY], h[COUNT * ENTRIES], h_alone[ENTRIES];
  make_point(&c.rng, COUNT * NW, w);
  make_point(&c.rng, COUNT * NP, p);
  make_point(&c.rng, COUNT * NY, mu);
  const int *j, *k;
  const int n = pki_nlp_function_hessian(c.nlp, &j, &k);
  for (int count = 1; count <= COUNT; count++) {
    assert_true(pki_nlp_function_value(c.nlp, count, w, p, y));
    assert_true(pki_nlp_function_hessian_values(c.nlp, count, w, p, mu, h));
    const int last = count - 1;
    assert_true(pki_nlp_function_value(c.nlp, 1, w + last * NW, p + last * NP, alone));
    assert_true(
        pki_nlp_function_hessian_values(c.nlp, 1, w + last * NW, p + last * NP, mu + last * NY, h_alone));
    assert_memory_equal(y + last * NY, alone, sizeof alone);
    assert_memory_equal(h + last * n, h_alone, (size_t)n * sizeof *h);
  }
  end(&c);
}

static void instruction_sets_agree_to_rounding(void **state)
{
  (void)state;
  static const char *const sets[] = {"base", "avx2", "avx512"};
  random_case c = begin(11, false);
  double x[16 * NW], p[16 * NP], y[16 * NY], expected[16 * NY];
  make_point(&c.rng, 16 * NW, x);
  make_point(&c.rng, 16 * NP, p);
  for (int i = 0; i < 3; i++) {
    setenv("PRONK_ISA", sets[i], 1);
    assert_true(pki_nlp_function_value(c.nlp, 16, x, p, i == 0 ? expected : y));
    assert_less(i == 0 ? 0 : worst_error(y, expected, 16 * NY), 1e-13);
  }
  unsetenv("PRONK_ISA");
  end(&c);
}

/* y = (2 w0 - 3 w1 + p0, -w1, 4): no second derivatives, and constants for first ones. */
static void linear_functions_have_no_hessian(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 3, "");
  pki_x in[3];
  for (int k = 0; k < 3; k++) {
    in[k] = pki_input(g, port, k);
  }
  const pki_x y[3] = {
      pki_plus(g, in[2],
               pki_minus(g, pki_times(g, pki_const(g, 2), in[0]), pki_times(g, pki_const(g, 3), in[1]))),
      pki_neg(g, in[1]), pki_const(g, 4)};
  pki_nlp_function *f;
  pk_error err;
  assert_int_equal(pki_nlp_function_create(g, "linear", 2, in, 1, in + 2, 3, y, &f, &err), PK_OK);
  pki_graph_destroy(g);
  const int *i, *j;
  assert_int_equal(pki_nlp_function_hessian(f, &i, &j), 0);
  assert_int_equal(pki_nlp_function_jacobian(f, &i, &j), 3);
  const double w[2] = {0.3, -0.7}, p = 5;
  double values[3], jacobian[3];
  assert_true(pki_nlp_function_value(f, 1, w, &p, values));
  assert_near(values[0], 7.7, 1e-15 * 8);
  assert_near(values[1], 0.7, 0);
  assert_near(values[2], 4, 0);
  assert_true(pki_nlp_function_jacobian_values(f, 1, w, &p, jacobian));
  const double expected[3] = {2, -3, -1};
  assert_memory_equal(jacobian, expected, sizeof expected);
  assert_int_equal(pki_nlp_function_cost(f).jacobian, 0);
  pki_nlp_function_destroy(f);
}

static void a_function_that_reads_what_it_was_not_given_is_refused(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "speed", 4, "");
  const pki_x in[2] = {pki_input(g, port, 0), pki_input(g, port, 3)};
  const pki_x y = pki_times(g, in[0], in[1]);
  pki_nlp_function *f;
  pk_error err;
  assert_int_equal(pki_nlp_function_create(g, "product", 1, in, 0, NULL, 1, &y, &f, &err), PK_ERROR_ARGUMENT);
  assert_null(f);
  assert_string_equal(err.message, "reads speed[3], which is neither an input nor a parameter");
  assert_string_equal(err.field, "product");
  pki_graph_destroy(g);
}

/* a b + c, a b - c and c - a b are one operation each; a sine and its cosine are one. */
static void sums_take_their_products_in(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 3, "");
  const pki_x a = pki_input(g, port, 0), b = pki_input(g, port, 1), c = pki_input(g, port, 2);
  const pki_x y[5] = {pki_plus(g, pki_times(g, a, b), c), pki_minus(g, pki_times(g, a, c), b),
                      pki_minus(g, a, pki_times(g, b, c)), pki_sine(g, a), pki_cosine(g, a)};
  pki_tape tape;
  assert_true(pki_tape_create(g, 5, y, &tape));
  assert_int_equal(pki_tape_operations(&tape), 4);
  const double x[3] = {0.5, -3, 7};
  const int sizes[1] = {3};
  double out[5];
  assert_true(pki_tape_evaluate(&tape, 1, 1, sizes, (const double *const[]){x}, out));
  const double expected[5] = {0.5 * -3 + 7, 0.5 * 7 + 3, 0.5 + 21, sin(0.5), cos(0.5)};
  for (int i = 0; i < 5; i++) {
    assert_near(out[i], expected[i], 2e-16);
  }
  pki_tape_free(&tape);
  pki_graph_destroy(g);
}

/* A long chain reuses few registers. */
static void registers_are_used_again(void **state)
{
  (void)state;
  enum { LENGTH = 5000 };
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 2, "");
  const pki_x a = pki_input(g, port, 0), b = pki_input(g, port, 1);
  pki_x y = a;
  for (int k = 0; k < LENGTH; k++) {
    y = pki_plus(g, pki_times(g, y, b), k % 7 == 0 ? pki_sine(g, y) : a);
  }
  pki_tape tape;
  assert_true(pki_tape_create(g, 1, &y, &tape));
  assert_at_least(pki_tape_operations(&tape), LENGTH);
  assert_less(tape.nregister, 20);
  pki_tape_free(&tape);
  pki_graph_destroy(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_graph),
      cmocka_unit_test(jacobians_are_those_of_a_complex_step_and_zero_outside_their_pattern),
      cmocka_unit_test(hessians_are_those_of_a_complex_step_and_zero_outside_their_pattern),
      cmocka_unit_test(an_instance_has_the_same_bits_wherever_it_stands_among_others),
      cmocka_unit_test(instruction_sets_agree_to_rounding),
      cmocka_unit_test(linear_functions_have_no_hessian),
      cmocka_unit_test(a_function_that_reads_what_it_was_not_given_is_refused),
      cmocka_unit_test(sums_take_their_products_in),
      cmocka_unit_test(registers_are_used_again),
  };
  return cmocka_run_group_tests_name("optimize/function", tests, NULL, NULL);
}
