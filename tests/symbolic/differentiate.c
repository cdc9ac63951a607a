/* Derivatives on the graph: known ones, against a complex step and differences, forward against reverse. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/bounds.h"
#include "support/pace.h"
#include "symbolic/expressions.h"
#include "symbolic/graph/differentiate.h"

enum { NINPUT = 7, NOUTPUT = 9, NODES = 150 };

typedef struct random_case {
  pki_graph *g;
  pki_function f;
  pki_x inputs[NINPUT];
  const pki_x *y;
  double x[NINPUT];
  pki_random rng;
} random_case;

static random_case begin(uint64_t seed, bool plain)
{
  random_case c = {.g = pki_graph_create(plain), .rng = pki_random_seeded(seed)};
  make_expressions(c.g, &c.f, &c.rng, NINPUT, NOUTPUT, NODES);
  for (int k = 0; k < NINPUT; k++) {
    c.inputs[k] = pki_input(c.g, 0, k);
  }
  c.y = c.f.outputs[0].values;
  make_point(&c.rng, NINPUT, c.x);
  return c;
}

static void end(random_case *c)
{
  pki_function_free(&c->f);
  pki_graph_destroy(c->g);
}

/* Values of nodes at x. */
static void values_of(pki_graph *g, int n, const pki_x *nodes, const double *x, double *out)
{
  pki_function f;
  pki_function_init(&f, g, "values", "");
  pki_x *v = pki_function_add(&f, "v", n, "");
  for (int i = 0; i < n; i++) {
    v[i] = nodes[i];
  }
  assert_true(pki_function_evaluate(&f, (const double *const[]){x}, out));
  pki_function_free(&f);
}

/* Column k of the Jacobian by a complex step. */
static void complex_step(const random_case *c, int k, double out[NOUTPUT])
{
  const double h = 1e-30;
  double complex x[NINPUT], y[NOUTPUT];
  for (int j = 0; j < NINPUT; j++) {
    x[j] = c->x[j] + (j == k ? h * I : 0);
  }
  assert_true(pki_function_evaluate_complex(&c->f, (const double complex *const[]){x}, y));
  for (int i = 0; i < NOUTPUT; i++) {
    out[i] = cimag(y[i]) / h;
  }
}

static void derivatives_of_each_operation_are_those_of_the_textbook(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 2, "");
  const pki_x x = pki_input(g, port, 0), y = pki_input(g, port, 1), one = pki_const(g, 1);
  const pki_x s = pki_sine(g, x), c = pki_cosine(g, x), r = pki_root(g, x), v = pki_inverse(g, x);
  const pki_x of[] = {
      pki_neg(g, x), pki_plus(g, x, y), pki_minus(g, y, x), pki_times(g, x, y), v, r, s, c, x, y};
  const pki_x expected[] = {pki_const(g, -1),
                            one,
                            pki_const(g, -1),
                            y,
                            pki_neg(g, pki_times(g, v, v)),
                            pki_times(g, pki_const(g, 0.5), pki_inverse(g, r)),
                            c,
                            pki_neg(g, s),
                            one,
                            pki_const(g, 0)};
  const int n = sizeof of / sizeof *of;
  pki_x got[sizeof of / sizeof *of];
  assert_true(pki_tangent(g, n, of, 1, &x, &one, got));
  for (int i = 0; i < n; i++) {
    assert_int_equal(got[i], expected[i]);
    pki_x reverse;
    assert_true(pki_gradient(g, 1, &of[i], &one, 1, &x, &reverse));
    assert_int_equal(reverse, expected[i]);
  }
  pki_graph_destroy(g);
}

static void jacobians_agree_with_a_complex_step(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(100, 20); seed++) {
    random_case c = begin(seed, seed % 4 == 0);
    pki_x J[NOUTPUT][NINPUT];
    double got[NOUTPUT][NINPUT], column[NOUTPUT];
    assert_true(pki_jacobian(c.g, NOUTPUT, c.y, NINPUT, c.inputs, J[0]));
    values_of(c.g, NOUTPUT * NINPUT, J[0], c.x, got[0]);
    for (int k = 0; k < NINPUT; k++) {
      complex_step(&c, k, column);
      for (int i = 0; i < NOUTPUT; i++) {
        assert_at_most(worst_error(&got[i][k], &column[i], 1), 1e-12);
      }
    }
    end(&c);
  }
}

static void tangents_agree_with_central_differences(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(50, 10); seed++) {
    random_case c = begin(seed, false);
    const double h = 1e-6;
    double direction[NINPUT], low[NINPUT], high[NINPUT], ylow[NOUTPUT], yhigh[NOUTPUT], got[NOUTPUT];
    pki_x seeds[NINPUT], out[NOUTPUT];
    make_point(&c.rng, NINPUT, direction);
    for (int k = 0; k < NINPUT; k++) {
      seeds[k] = pki_const(c.g, direction[k]);
      low[k] = c.x[k] - h * direction[k], high[k] = c.x[k] + h * direction[k];
    }
    assert_true(pki_tangent(c.g, NOUTPUT, c.y, NINPUT, c.inputs, seeds, out));
    values_of(c.g, NOUTPUT, out, c.x, got);
    values_of(c.g, NOUTPUT, c.y, low, ylow);
    values_of(c.g, NOUTPUT, c.y, high, yhigh);
    for (int i = 0; i < NOUTPUT; i++) {
      const double slope = (yhigh[i] - ylow[i]) / (2 * h);
      assert_at_most(worst_error(&got[i], &slope, 1), 1e-7);
    }
    end(&c);
  }
}

static void reverse_gives_what_forward_gives(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(50, 10); seed++) {
    random_case c = begin(seed, seed % 3 == 0);
    pki_x J[NOUTPUT][NINPUT], weights[NOUTPUT], rows[2][NINPUT], gradient[NINPUT];
    double w[NOUTPUT], j[NOUTPUT][NINPUT], r[2][NINPUT], got[NINPUT];
    make_point(&c.rng, NOUTPUT, w);
    for (int i = 0; i < NOUTPUT; i++) {
      weights[i] = pki_const(c.g, w[i]);
    }
    assert_true(pki_jacobian(c.g, NOUTPUT, c.y, NINPUT, c.inputs, J[0])); /* forward */
    assert_true(pki_jacobian(c.g, 2, c.y, NINPUT, c.inputs, rows[0]));    /* reverse */
    assert_true(pki_gradient(c.g, NOUTPUT, c.y, weights, NINPUT, c.inputs, gradient));
    values_of(c.g, NOUTPUT * NINPUT, J[0], c.x, j[0]);
    values_of(c.g, 2 * NINPUT, rows[0], c.x, r[0]);
    values_of(c.g, NINPUT, gradient, c.x, got);
    assert_at_most(worst_error(r[0], j[0], 2 * NINPUT), 1e-12);
    for (int k = 0; k < NINPUT; k++) {
      double sum = 0;
      for (int i = 0; i < NOUTPUT; i++) {
        sum += w[i] * j[i][k];
      }
      assert_at_most(worst_error(&got[k], &sum, 1), 1e-12);
    }
    end(&c);
  }
}

static void hessians_are_symmetric_and_the_slopes_of_gradients(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(30, 8); seed++) {
    random_case c = begin(seed, false);
    const pki_x one = pki_const(c.g, 1);
    pki_x H[NINPUT][NINPUT], gradient[NINPUT];
    double h[NINPUT][NINPUT], slope[NINPUT];
    assert_true(pki_hessian(c.g, c.y[0], NINPUT, c.inputs, H[0]));
    assert_true(pki_gradient(c.g, 1, c.y, &one, NINPUT, c.inputs, gradient));
    values_of(c.g, NINPUT * NINPUT, H[0], c.x, h[0]);
    /* the slopes of the gradient by a complex step */
    random_case of_gradient = c;
    pki_function_init(&of_gradient.f, c.g, "gradient", "");
    pki_x *v = pki_function_add(&of_gradient.f, "g", NOUTPUT, "");
    for (int j = 0; j < NINPUT; j++) {
      v[j] = gradient[j];
    }
    for (int k = 0; k < NINPUT; k++) {
      double column[NOUTPUT];
      complex_step(&of_gradient, k, column);
      for (int j = 0; j < NINPUT; j++) {
        assert_int_equal(H[j][k], H[k][j]);
        slope[j] = column[j];
        assert_at_most(worst_error(&h[j][k], &slope[j], 1), 1e-11);
      }
    }
    pki_function_free(&of_gradient.f);
    end(&c);
  }
}

/* Whether node x is made from node input: by looking at all of it. */
static bool made_from(const pki_graph *g, pki_x x, pki_x input, signed char *known)
{
  if (x == input) {
    return true;
  }
  if (known[x] < 0) {
    const pki_graph_node *n = &g->nodes[x];
    const int operands = pki_op_operands(n->op);
    known[x] = (operands > 0 && made_from(g, n->a, input, known)) ||
               (operands > 1 && made_from(g, n->b, input, known));
  }
  return known[x];
}

static void sparsity_is_what_the_structure_says(void **state)
{
  (void)state;
  enum { MANY = 150, OUT = 12 };
  pki_x inputs[MANY], J[OUT * MANY];
  unsigned char pattern[OUT * MANY];
  for (uint64_t seed = 1; seed <= PACE(10, 3); seed++) {
    pki_graph *g = pki_graph_create(false);
    pki_function f;
    pki_random rng = pki_random_seeded(seed);
    make_expressions(g, &f, &rng, MANY, OUT, 300);
    const pki_x *y = f.outputs[0].values;
    for (int k = 0; k < MANY; k++) {
      inputs[k] = pki_input(g, 0, k);
    }
    assert_true(pki_sparsity(g, OUT, y, MANY, inputs, pattern));
    int ones = 0;
    for (int k = 0; k < MANY; k++) {
      signed char *known = malloc((size_t)g->count);
      for (int x = 0; x < g->count; x++) {
        known[x] = -1;
      }
      for (int i = 0; i < OUT; i++) {
        assert_int_equal(pattern[i * MANY + k], made_from(g, y[i], inputs[k], known));
        ones += pattern[i * MANY + k];
      }
      free(known);
    }
    assert_in_range(ones, 1, OUT * MANY - 1);
    /* where nothing depends, the Jacobian is the constant zero; in these graphs, only there */
    assert_true(pki_jacobian(g, OUT, y, MANY, inputs, J));
    for (int e = 0; e < OUT * MANY; e++) {
      assert_int_equal(pattern[e], !pki_is_const(g, J[e], 0));
    }
    pki_function_free(&f);
    pki_graph_destroy(g);
  }
}

static void a_tangent_makes_nothing_that_its_direction_does_not_reach(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 2, "");
  const pki_x x = pki_input(g, port, 0), y = pki_input(g, port, 1), one = pki_const(g, 1);
  pki_x long_one = x;
  for (int k = 0; k < 1000; k++) {
    long_one = pki_sine(g, pki_times(g, long_one, x));
  }
  const pki_x values[] = {long_one, y, pki_times(g, long_one, y)};
  const int before = g->count;
  pki_x out[3];
  pki_const(g, 0);
  assert_true(pki_tangent(g, 3, values, 1, &y, &one, out));
  assert_int_equal(g->count, before);
  assert_true(pki_is_const(g, out[0], 0));
  assert_int_equal(out[1], one);
  assert_int_equal(out[2], long_one);
  pki_graph_destroy(g);
}

static void an_input_that_is_there_twice_has_the_sum_of_its_rates(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const pki_x x = pki_input(g, pki_graph_port(g, "x", 1, ""), 0);
  const pki_x value = pki_times(g, x, x), inputs[] = {x, x};
  const pki_x seeds[] = {pki_const(g, 2), pki_const(g, 3)};
  pki_x out;
  assert_true(pki_tangent(g, 1, &value, 2, inputs, seeds, &out));
  assert_int_equal(out, pki_times(g, pki_const(g, 10), x));
  pki_graph_destroy(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_each_operation_are_those_of_the_textbook),
      cmocka_unit_test(jacobians_agree_with_a_complex_step),
      cmocka_unit_test(tangents_agree_with_central_differences),
      cmocka_unit_test(reverse_gives_what_forward_gives),
      cmocka_unit_test(hessians_are_symmetric_and_the_slopes_of_gradients),
      cmocka_unit_test(sparsity_is_what_the_structure_says),
      cmocka_unit_test(a_tangent_makes_nothing_that_its_direction_does_not_reach),
      cmocka_unit_test(an_input_that_is_there_twice_has_the_sum_of_its_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
