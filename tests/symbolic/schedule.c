/* The order of a function's nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/bounds.h"
#include "symbolic/graph/schedule.h"

/* A full binary tree of sums over 2^depth inputs: needs depth + 1 registers. */
static pki_x tree(pki_graph *g, int port, int depth, int *next)
{
  if (depth == 0) {
    return pki_input(g, port, (*next)++);
  }
  const pki_x a = tree(g, port, depth - 1, next);
  return pki_times(g, a, tree(g, port, depth - 1, next));
}

static void a_tree_needs_as_many_registers_as_it_is_deep(void **state)
{
  (void)state;
  enum { DEPTH = 7 };
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 1 << DEPTH, "");
  /* made breadth first, the worst order */
  pki_x level[1 << DEPTH];
  for (int i = 0; i < 1 << DEPTH; i++) {
    level[i] = pki_input(g, port, i);
  }
  for (int n = 1 << DEPTH; n > 1; n /= 2) {
    for (int i = 0; i < n / 2; i++) {
      level[i] = pki_times(g, level[2 * i], level[2 * i + 1]);
    }
  }
  pki_function f;
  pki_function_init(&f, g, "product", "");
  pki_function_add(&f, "y", 1, "")[0] = level[0];
  int *order = calloc((size_t)g->count, sizeof *order), n, alive;
  assert_true(pki_schedule(&f, order, &n, &alive));
  assert_int_equal(n, 2 * (1 << DEPTH) - 1);
  assert_int_equal(alive, DEPTH + 1);
  free(order);
  pki_function_free(&f);
  pki_graph_destroy(g);
}

static void the_operand_that_needs_more_comes_first(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", 64, "");
  int next = 0;
  const pki_x small = pki_input(g, port, 63), large = tree(g, port, 4, &next);
  pki_function f;
  pki_function_init(&f, g, "sum", "");
  pki_function_add(&f, "y", 1, "")[0] = pki_minus(g, small, large);
  int *order = calloc((size_t)g->count, sizeof *order), n, alive;
  assert_true(pki_schedule(&f, order, &n, &alive));
  assert_int_equal(alive, 5);
  assert_int_equal(order[n - 2], small);
  free(order);
  pki_function_free(&f);
  pki_graph_destroy(g);
}

static void operands_come_before_results_and_nothing_twice(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(3);
  for (int round = 0; round < 20; round++) {
    pki_graph *g = pki_graph_create(false);
    const int port = pki_graph_port(g, "x", 9, "");
    pki_x pool[200];
    int count = 0;
    for (int i = 0; i < 9; i++) {
      pool[count++] = pki_input(g, port, i);
    }
    while (count < 200) {
      const pki_x a = pool[pki_random_bits(&random) % (uint64_t)count];
      const pki_x b = pool[pki_random_bits(&random) % (uint64_t)count];
      const int which = (int)(pki_random_bits(&random) % 5);
      pool[count++] = which == 0   ? pki_plus(g, a, b)
                      : which == 1 ? pki_minus(g, a, b)
                      : which == 2 ? pki_times(g, a, b)
                      : which == 3 ? pki_sine(g, a)
                                   : pki_cosine(g, b);
    }
    pki_function f;
    pki_function_init(&f, g, "mix", "");
    memcpy(pki_function_add(&f, "y", 10, ""), pool + 190, 10 * sizeof *pool);
    int *order = calloc((size_t)g->count, sizeof *order), *again = calloc((size_t)g->count, sizeof *again), n,
        m, alive;
    assert_true(pki_schedule(&f, order, &n, &alive));
    assert_true(pki_schedule(&f, again, &m, &alive));
    assert_int_equal(n, m);
    assert_memory_equal(order, again, (size_t)n * sizeof *order);
    pki_angles angles;
    assert_true(pki_angles_find(&f, &angles));
    unsigned char *done = calloc((size_t)g->count, 1);
    for (int i = 0; i < n; i++) {
      const pki_graph_node *node = &g->nodes[order[i]];
      assert_false(done[order[i]]);
      assert_true(node->op != PKI_OP_CONST);
      assert_less(angles.of[order[i]], 0);
      for (int k = 0; k < pki_op_operands(node->op); k++) {
        const pki_x x = k == 0 ? node->a : node->b;
        assert_true(done[x] || g->nodes[x].op == PKI_OP_CONST || angles.of[x] >= 0);
      }
      done[order[i]] = 1;
    }
    for (int k = 0; k < 10; k++) {
      const pki_x x = f.outputs[0].values[k];
      assert_true(done[x] || g->nodes[x].op == PKI_OP_CONST || angles.of[x] >= 0);
    }
    free(done);
    free(order);
    free(again);
    pki_angles_free(&angles);
    pki_function_free(&f);
    pki_graph_destroy(g);
  }
}

static void angles_of_inputs_come_early(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "q", 3, "");
  const pki_x a = pki_input(g, port, 0), b = pki_input(g, port, 1), c = pki_input(g, port, 2);
  const pki_x sum = pki_plus(g, pki_plus(g, a, b), pki_const(g, 0.5));
  const pki_x early[] = {pki_sine(g, a), pki_cosine(g, a), pki_sine(g, sum),
                         pki_cosine(g, pki_times(g, pki_const(g, 2), b))};
  const pki_x late = pki_sine(g, pki_times(g, a, c));
  pki_function f;
  pki_function_init(&f, g, "turn", "");
  pki_x *y = pki_function_add(&f, "y", 5, "");
  memcpy(y, early, sizeof early);
  y[4] = late;
  pki_angles angles;
  assert_true(pki_angles_find(&f, &angles));
  assert_int_equal(angles.count, 3);
  for (int i = 0; i < 4; i++) {
    assert_at_least(angles.of[early[i]], 0);
  }
  assert_int_equal(angles.of[early[0]], angles.of[early[1]]);
  assert_int_equal(angles.of[late], -1);
  /* a is read by angles and by the late one: first; b has no place */
  int *order = calloc((size_t)g->count, sizeof *order), n, alive;
  assert_true(pki_schedule(&f, order, &n, &alive));
  assert_int_equal(order[0], a);
  assert_int_equal(n, 4); /* a, c, a c, sin(a c) */
  free(order);
  pki_angles_free(&angles);
  pki_function_free(&f);
  pki_graph_destroy(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tree_needs_as_many_registers_as_it_is_deep),
      cmocka_unit_test(the_operand_that_needs_more_comes_first),
      cmocka_unit_test(operands_come_before_results_and_nothing_twice),
      cmocka_unit_test(angles_of_inputs_come_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
