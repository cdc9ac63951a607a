/* The graph: nodes in normal form, rule by rule; plain graphs; functions, what they need and their values. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/bounds.h"
#include "support/pace.h"
#include "symbolic/expressions.h"

enum { NINPUT = 4 };

static pki_graph *g; /* of the test that runs */
static pki_x x, y, z, w;

static int begin(void **state)
{
  (void)state;
  g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", NINPUT, "inputs");
  x = pki_input(g, port, 0), y = pki_input(g, port, 1), z = pki_input(g, port, 2), w = pki_input(g, port, 3);
  return g == NULL;
}

static int end(void **state)
{
  (void)state;
  pki_graph_destroy(g);
  return 0;
}

static pki_x num(double value)
{
  return pki_const(g, value);
}

static void constants_are_folded(void **state)
{
  (void)state;
  assert_int_equal(pki_plus(g, num(2), num(3)), num(5));
  assert_int_equal(pki_minus(g, num(2), num(3)), num(-1));
  assert_int_equal(pki_times(g, num(2), num(3)), num(6));
  assert_int_equal(pki_neg(g, num(2)), num(-2));
  assert_int_equal(pki_inverse(g, num(4)), num(0.25));
  assert_int_equal(pki_root(g, num(9)), num(3));
  assert_int_equal(pki_sine(g, num(0.3)), num(sin(0.3)));
  assert_int_equal(pki_cosine(g, num(0.3)), num(cos(0.3)));
  assert_int_equal(num(-0.0), num(0));
}

static void zero_and_one_vanish(void **state)
{
  (void)state;
  assert_int_equal(pki_plus(g, x, num(0)), x);
  assert_int_equal(pki_plus(g, num(0), x), x);
  assert_int_equal(pki_minus(g, x, num(0)), x);
  assert_int_equal(pki_minus(g, num(0), x), pki_neg(g, x));
  assert_int_equal(pki_times(g, x, num(1)), x);
  assert_int_equal(pki_times(g, num(-1), x), pki_neg(g, x));
  assert_int_equal(pki_times(g, num(0), x), num(0));
  assert_int_equal(pki_minus(g, x, x), num(0));
  assert_int_equal(pki_plus(g, x, pki_neg(g, x)), num(0));
  assert_int_equal(pki_times(g, x, pki_inverse(g, x)), num(1));
  assert_int_equal(pki_times(g, pki_neg(g, pki_inverse(g, x)), x), num(-1));
}

static void equal_operations_are_one_node(void **state)
{
  (void)state;
  const pki_x sum = pki_plus(g, x, y), product = pki_times(g, x, y), sine = pki_sine(g, sum);
  const int before = g->count;
  assert_int_equal(pki_plus(g, y, x), sum);
  assert_int_equal(pki_times(g, y, x), product);
  assert_int_equal(pki_sine(g, pki_plus(g, y, x)), sine);
  assert_int_equal(pki_input(g, 0, 0), x);
  assert_int_equal(g->count, before);
}

static void signs_stand_outside(void **state)
{
  (void)state;
  const pki_x product = pki_times(g, x, y), difference = pki_minus(g, x, y);
  assert_int_equal(pki_neg(g, pki_neg(g, x)), x);
  assert_int_equal(pki_times(g, pki_neg(g, x), y), pki_neg(g, product));
  assert_int_equal(pki_times(g, pki_neg(g, x), pki_neg(g, y)), product);
  assert_int_equal(pki_minus(g, y, x), pki_neg(g, difference));
  assert_int_equal(pki_minus(g, x, pki_neg(g, y)), pki_plus(g, x, y));
  assert_int_equal(pki_minus(g, pki_neg(g, x), y), pki_neg(g, pki_plus(g, x, y)));
  assert_int_equal(pki_inverse(g, pki_neg(g, x)), pki_neg(g, pki_inverse(g, x)));
  assert_int_equal(pki_inverse(g, pki_inverse(g, x)), x);
}

static void factors_stand_in_front_and_meet(void **state)
{
  (void)state;
  const pki_x two = num(2), three = num(3);
  assert_int_equal(pki_times(g, two, pki_times(g, three, x)), pki_times(g, num(6), x));
  assert_int_equal(pki_times(g, x, num(-2)), pki_neg(g, pki_times(g, two, x)));
  assert_int_equal(pki_times(g, num(0.5), pki_times(g, two, x)), x);
  assert_int_equal(pki_plus(g, pki_times(g, two, x), x), pki_times(g, three, x));
  assert_int_equal(pki_minus(g, pki_times(g, three, x), pki_times(g, two, x)), x);
  assert_int_equal(pki_plus(g, x, x), pki_times(g, two, x));
  assert_int_equal(pki_minus(g, x, pki_times(g, three, x)), pki_neg(g, pki_times(g, two, x)));
}

static void sines_know_their_signs_and_squares(void **state)
{
  (void)state;
  const pki_x s = pki_sine(g, x), c = pki_cosine(g, x), t = pki_cosine(g, y);
  const pki_x s2 = pki_times(g, s, s), c2 = pki_times(g, c, c);
  assert_int_equal(pki_sine(g, pki_neg(g, x)), pki_neg(g, s));
  assert_int_equal(pki_cosine(g, pki_neg(g, x)), c);
  assert_int_equal(pki_cosine(g, pki_minus(g, y, x)), pki_cosine(g, pki_minus(g, x, y)));
  assert_int_equal(pki_plus(g, s2, c2), num(1));
  assert_int_equal(pki_plus(g, c2, s2), num(1));
  assert_int_equal(pki_minus(g, pki_neg(g, s2), c2), num(-1));
  assert_int_not_equal(pki_plus(g, s2, pki_times(g, t, t)), num(1));
}

static void what_cannot_be_folded_stays(void **state)
{
  (void)state;
  assert_int_equal(g->nodes[pki_inverse(g, num(0))].op, PKI_OP_INV);
  assert_int_equal(g->nodes[pki_root(g, num(-1))].op, PKI_OP_SQRT);
}

static void a_plain_graph_keeps_every_operation(void **state)
{
  (void)state;
  pki_graph *plain = pki_graph_create(true);
  const int port = pki_graph_port(plain, "x", 1, "");
  const pki_x p = pki_input(plain, port, 0), zero = pki_const(plain, 0);
  assert_int_equal(pki_input(plain, port, 0), p);
  assert_int_equal(pki_const(plain, 0), zero);
  const pki_x a = pki_plus(plain, p, zero), b = pki_plus(plain, p, zero), c = pki_times(plain, zero, a);
  const pki_x d = pki_minus(plain, b, c), e = pki_neg(plain, pki_neg(plain, d));
  assert_int_not_equal(a, b);
  pki_function f;
  pki_function_init(&f, plain, "plain", "");
  pki_function_add(&f, "e", 1, "")[0] = e;
  const pki_operations n = pki_function_count(&f);
  assert_int_equal(n.adds, 3);
  assert_int_equal(n.muls, 1);
  assert_int_equal(n.ports, 1);
  double out;
  assert_true(pki_function_evaluate(&f, (const double *const[]){(const double[]){2.5}}, &out));
  assert_true(out == 2.5);
  /* many equal nodes, and the table grows over them */
  const int before = plain->count;
  for (int k = 0; k < 10000; k++) {
    pki_times(plain, p, p);
    pki_const(plain, k % 7);
  }
  assert_int_equal(plain->count, before + 10000 + 6);
  pki_function_free(&f);
  pki_graph_destroy(plain);
}

static void the_table_grows_with_the_graph(void **state)
{
  (void)state;
  enum { N = 20000 };
  pki_x *made = malloc(N * sizeof *made);
  for (int k = 0; k < N; k++) {
    made[k] = pki_plus(g, pki_times(g, num(k + 2), x), y);
  }
  const int before = g->count;
  for (int k = 0; k < N; k++) {
    assert_int_equal(pki_plus(g, y, pki_times(g, x, num(k + 2))), made[k]);
  }
  assert_int_equal(g->count, before);
  assert_false(pki_graph_failed(g));
  free(made);
}

static void again_makes_the_same_operation_elsewhere(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(20, 5); seed++) {
    pki_graph *from = pki_graph_create(true), *to = pki_graph_create(false);
    pki_random rng = pki_random_seeded(seed);
    pki_function a, b;
    make_expressions(from, &a, &rng, NINPUT, 10, 80);
    pki_x *made = malloc((size_t)from->count * sizeof *made);
    pki_graph_port(to, "x", NINPUT, "");
    for (int i = 0; i < from->count; i++) {
      const pki_graph_node n = from->nodes[i];
      const int operands = pki_op_operands(n.op);
      made[i] = pki_rebuild_node(to, n, operands > 0 ? made[n.a] : -1, operands > 1 ? made[n.b] : -1);
    }
    pki_function_init(&b, to, "again", "");
    pki_x *out = pki_function_add(&b, "y", 10, "");
    for (int i = 0; i < 10; i++) {
      out[i] = made[a.outputs[0].values[i]];
    }
    double at[NINPUT], va[10], vb[10];
    make_point(&rng, NINPUT, at);
    assert_true(pki_function_evaluate(&a, (const double *const[]){at}, va));
    assert_true(pki_function_evaluate(&b, (const double *const[]){at}, vb));
    assert_less(worst_error(va, vb, 10), 1e-13);
    assert_at_most(pki_count_all(pki_function_count(&b)), pki_count_all(pki_function_count(&a)));
    free(made);
    pki_function_free(&a);
    pki_function_free(&b);
    pki_graph_destroy(from);
    pki_graph_destroy(to);
  }
}

/* y[0] = sqrt(x) sin(y) - 1/z, y[1] = cos(y) + w */
static pki_function example(void)
{
  pki_function f;
  pki_function_init(&f, g, "example", "for tests");
  pki_x *out = pki_function_add(&f, "y", 2, "");
  out[0] = pki_minus(g, pki_times(g, pki_root(g, x), pki_sine(g, y)), pki_inverse(g, z));
  out[1] = pki_plus(g, pki_cosine(g, y), w);
  return f;
}

static void functions_are_evaluated(void **state)
{
  (void)state;
  pki_function f = example();
  const double at[] = {2, 0.7, 4, -1};
  double out[2];
  assert_true(pki_function_evaluate(&f, (const double *const[]){at}, out));
  assert_less(fabs(out[0] - (sqrt(2) * sin(0.7) - 0.25)), 1e-15);
  assert_less(fabs(out[1] - (cos(0.7) - 1)), 1e-15);
  const double complex p = 0.7 + 0.1 * I, q[] = {2, p, 4, -1};
  double complex zout[2];
  assert_true(pki_function_evaluate_complex(&f, (const double complex *const[]){q}, zout));
  assert_less(cabs(zout[0] - (sqrt(2) * csin(p) - 0.25)), 1e-15);
  assert_less(cabs(zout[1] - (ccos(p) - 1)), 1e-15);
  pki_function_free(&f);
}

static void functions_need_and_count_only_what_outputs_reach(void **state)
{
  (void)state;
  const pki_x dead = pki_times(g, pki_plus(g, x, y), w);
  pki_function f = example();
  unsigned char *used = malloc((size_t)g->count);
  pki_function_used(&f, used);
  assert_int_equal(used[dead], 0);
  assert_int_equal(used[x], 1);
  free(used);
  const pki_operations n = pki_function_count(&f);
  assert_int_equal(n.adds, 2);
  assert_int_equal(n.muls, 1);
  assert_int_equal(n.inverses, 1);
  assert_int_equal(n.roots, 1);
  assert_int_equal(n.sines, 1); /* sine and cosine of one angle */
  assert_int_equal(n.ports, 4);
  assert_int_equal(pki_count_all(n), 5);
  pki_function_free(&f);
}

static void sparse_outputs_have_the_entries_that_are_not_zero(void **state)
{
  (void)state;
  pki_function f;
  pki_function_init(&f, g, "sparse", "");
  const pki_x dense[] = {num(0), x, num(0), num(2), num(0), y};
  pki_function_add_sparse(&f, "A", 2, 3, dense, "");
  const pki_output *o = &f.outputs[0];
  assert_int_equal(o->count, 3);
  const int row[] = {0, 1, 1}, col[] = {1, 0, 2};
  const pki_x values[] = {x, num(2), y};
  assert_memory_equal(o->row, row, sizeof row);
  assert_memory_equal(o->col, col, sizeof col);
  assert_memory_equal(o->values, values, sizeof values);
  pki_function_free(&f);
}

static void too_many_ports_and_outputs_are_remembered(void **state)
{
  (void)state;
  for (int k = g->nport; k < PKI_PORTS; k++) {
    assert_int_equal(pki_graph_port(g, "p", 1, ""), k);
  }
  assert_false(pki_graph_failed(g));
  pki_graph_port(g, "one too many", 1, "");
  assert_true(pki_graph_failed(g));
  pki_function f;
  pki_function_init(&f, g, "f", "");
  for (int k = 0; k < PKI_OUTPUTS; k++) {
    assert_non_null(pki_function_add(&f, "o", 1, ""));
  }
  assert_null(pki_function_add(&f, "one too many", 1, ""));
  assert_true(f.failed);
  pki_function_free(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(constants_are_folded),
      TEST(zero_and_one_vanish),
      TEST(equal_operations_are_one_node),
      TEST(signs_stand_outside),
      TEST(factors_stand_in_front_and_meet),
      TEST(sines_know_their_signs_and_squares),
      TEST(what_cannot_be_folded_stays),
      TEST(a_plain_graph_keeps_every_operation),
      TEST(the_table_grows_with_the_graph),
      TEST(again_makes_the_same_operation_elsewhere),
      TEST(functions_are_evaluated),
      TEST(functions_need_and_count_only_what_outputs_reach),
      TEST(sparse_outputs_have_the_entries_that_are_not_zero),
      TEST(too_many_ports_and_outputs_are_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
