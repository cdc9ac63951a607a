/* Simplification: known identities collapse, sharing stays, values stay, costs never rise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/builder.h"
#include "support/pace.h"
#include "symbolic/expressions.h"
#include "symbolic/graph/differentiate.h"
#include "symbolic/graph/simplify.h"
#include "symbolic/robot/robot.h"

enum { NINPUT = 8, MANY = 400 };

/* A function under construction: inputs x[], outputs y[]. */
typedef struct bench {
  pki_graph *g, *to;
  pki_function in, out;
  pki_x x[NINPUT], *y;
} bench;

static bench begin(int noutput)
{
  bench b = {.g = pki_graph_create(false), .to = pki_graph_create(false)};
  const int port = pki_graph_port(b.g, "x", NINPUT, "");
  for (int k = 0; k < NINPUT; k++) {
    b.x[k] = pki_input(b.g, port, k);
  }
  pki_function_init(&b.in, b.g, "test", "");
  b.y = pki_function_add(&b.in, "y", noutput, "");
  return b;
}

static void end(bench *b)
{
  pki_function_free(&b->in);
  pki_function_free(&b->out);
  pki_graph_destroy(b->g);
  pki_graph_destroy(b->to);
}

static void assert_same_values(const pki_function *a, const pki_function *b, uint64_t seed)
{
  pki_random rng = pki_random_seeded(seed);
  double x[NINPUT], va[MANY], vb[MANY];
  int n = 0;
  for (int i = 0; i < a->noutput; i++) {
    assert_int_equal(a->outputs[i].count, b->outputs[i].count);
    n += a->outputs[i].count;
  }
  for (int k = 0; k < 5; k++) {
    make_point(&rng, NINPUT, x);
    assert_true(pki_function_evaluate(a, (const double *const[]){x}, va));
    assert_true(pki_function_evaluate(b, (const double *const[]){x}, vb));
    const double worst = worst_error(vb, va, n);
    if (!(worst <= 1e-12)) {
      fail_msg("values differ by %g", worst);
    }
  }
}

/* Simplify; values stay; so many operations and angles are left. */
static void assert_left(bench *b, int operations, int angles)
{
  assert_true(pki_simplify(&b->in, b->to, &b->out));
  assert_same_values(&b->in, &b->out, 7);
  const pki_operations c = pki_function_count(&b->out);
  assert_int_equal(pki_count_all(c), operations);
  assert_int_equal(c.sines, angles);
  pki_cost cost;
  assert_true(pki_function_cost(&b->out, &cost));
  assert_int_equal(cost.operations, operations + PKI_SINE_COST * angles);
}

#define MUL(p, q) pki_times(b.g, p, q)
#define ADD(p, q) pki_plus(b.g, p, q)
#define SUB(p, q) pki_minus(b.g, p, q)
#define SIN(p) pki_sine(b.g, p)
#define COS(p) pki_cosine(b.g, p)
#define NUM(v) pki_const(b.g, v)
#define SQUARE(p) MUL(p, p)

static void squares_of_sine_and_cosine_are_one_with_any_factor(void **state)
{
  (void)state;
  bench b = begin(1);
  const pki_x s = SIN(b.x[0]), c = COS(b.x[0]), k = MUL(b.x[1], b.x[2]);
  /* x1 x2 s^2 + x3 + x1 x2 c^2 = x1 x2 + x3 */
  b.y[0] = ADD(ADD(MUL(b.x[1], MUL(b.x[2], SQUARE(s))), b.x[3]), MUL(MUL(k, c), c));
  assert_left(&b, 2, 0);
  end(&b);
}

static void unequal_factors_of_squares_leave_one_square(void **state)
{
  (void)state;
  bench b = begin(1);
  /* 0.3 s^2 + 0.5 c^2 = 0.3 + 0.2 c^2 */
  b.y[0] = ADD(MUL(NUM(0.3), SQUARE(SIN(b.x[0]))), MUL(NUM(0.5), SQUARE(COS(b.x[0]))));
  assert_left(&b, 3, 1);
  end(&b);
}

static void one_minus_a_square_is_the_other_square(void **state)
{
  (void)state;
  bench b = begin(2);
  b.y[0] = SUB(b.x[1], MUL(b.x[1], SQUARE(SIN(b.x[0]))));
  b.y[1] = SUB(NUM(3), MUL(NUM(3), SQUARE(COS(b.x[2]))));
  assert_left(&b, 4, 2); /* x1 c c, 3 s s */
  end(&b);
}

static void double_angles_are_used_where_their_sines_are_there(void **state)
{
  (void)state;
  bench b = begin(6);
  const pki_x x = b.x[0], k = b.x[1], s = SIN(x), c = COS(x);
  b.y[0] = SIN(MUL(NUM(2), x));
  b.y[1] = SUB(MUL(k, SQUARE(c)), MUL(k, SQUARE(s)));
  b.y[2] = MUL(NUM(2), MUL(s, MUL(c, b.x[2])));
  b.y[3] = SUB(b.x[3], MUL(MUL(NUM(2), b.x[3]), SQUARE(s)));
  b.y[4] = SUB(MUL(MUL(NUM(2), b.x[4]), SQUARE(c)), b.x[4]);
  b.y[5] = s;
  assert_left(&b, 1 + 4, 2); /* 2 x; four products */
  end(&b);
}

static void double_angles_are_not_used_where_they_cost_more(void **state)
{
  (void)state;
  bench b = begin(2);
  const pki_x s = SIN(b.x[0]), c = COS(b.x[0]);
  b.y[0] = MUL(NUM(2), MUL(s, c));
  b.y[1] = s;
  assert_left(&b, 2, 1);
  end(&b);
}

static void sums_of_angles_are_used_where_their_sines_are_there(void **state)
{
  (void)state;
  bench b = begin(7);
  const pki_x p = b.x[0], q = b.x[1], k = b.x[2];
  const pki_x sp = SIN(p), cp = COS(p), sq = SIN(q), cq = COS(q);
  b.y[0] = ADD(MUL(k, MUL(sp, cq)), MUL(MUL(cp, k), sq));           /* k sin(p + q) */
  b.y[1] = SUB(MUL(MUL(sq, b.x[3]), cp), MUL(cq, MUL(sp, b.x[3]))); /* x3 sin(q - p) */
  b.y[2] = SUB(MUL(MUL(k, cp), cq), MUL(sp, MUL(k, sq)));           /* k cos(p + q) */
  b.y[3] = ADD(MUL(NUM(2), MUL(cp, cq)), MUL(MUL(sp, NUM(2)), sq)); /* 2 cos(p - q) */
  b.y[4] = SIN(ADD(p, q));
  b.y[5] = COS(SUB(p, q));
  b.y[6] = ADD(sp, sq);
  assert_left(&b, 2 + 4 + 1, 4); /* two angles, a product each, the sum */
  end(&b);
}

/* The tip of two links that turn about parallel axes: the second joint's own sine goes. */
static void a_planar_arm_becomes_sums_of_angles(void **state)
{
  (void)state;
  bench b = begin(2);
  const pki_x s1 = SIN(b.x[0]), c1 = COS(b.x[0]), s2 = SIN(b.x[1]), c2 = COS(b.x[1]);
  const pki_x l1 = b.x[2], l2 = b.x[3];
  b.y[0] = ADD(MUL(l1, c1), MUL(l2, SUB(MUL(c1, c2), MUL(s1, s2))));
  b.y[1] = ADD(MUL(l1, s1), MUL(l2, ADD(MUL(s1, c2), MUL(c1, s2))));
  assert_left(&b, 7, 2); /* q1 + q2; l1 c1 + l2 c12, l1 s1 + l2 s12 */
  end(&b);
}

/* Three links, written out; sines of two partial sums appear one after the other. */
static void three_parallel_joints_become_sums_of_three_angles(void **state)
{
  (void)state;
  bench b = begin(2);
  pki_x s = SIN(b.x[0]), c = COS(b.x[0]);
  pki_x tip[2] = {MUL(b.x[3], c), MUL(b.x[3], s)};
  for (int k = 1; k < 3; k++) {
    const pki_x sk = SIN(b.x[k]), ck = COS(b.x[k]);
    const pki_x c_next = SUB(MUL(c, ck), MUL(s, sk)), s_next = ADD(MUL(s, ck), MUL(c, sk));
    c = c_next, s = s_next;
    tip[0] = ADD(tip[0], MUL(b.x[3 + k], c));
    tip[1] = ADD(tip[1], MUL(b.x[3 + k], s));
  }
  b.y[0] = tip[0], b.y[1] = tip[1];
  assert_left(&b, 2 + 5 + 5, 3);
  end(&b);
}

static void like_terms_are_collected(void **state)
{
  (void)state;
  bench b = begin(1);
  const pki_x u = MUL(b.x[0], b.x[1]);
  /* x0 x1 + x2 + 2 (x1 x0) - x2 + x3 - 3 x0 x1 = x3 */
  b.y[0] = SUB(ADD(SUB(ADD(ADD(u, b.x[2]), MUL(NUM(2), u)), b.x[2]), b.x[3]), MUL(NUM(3), u));
  assert_left(&b, 0, 0);
  end(&b);
  b = begin(1);
  /* 0.1 + 0.2 - 0.3 is not quite zero */
  b.y[0] = SUB(ADD(ADD(MUL(NUM(0.1), b.x[0]), b.x[1]), MUL(NUM(0.2), b.x[0])), MUL(NUM(0.3), b.x[0]));
  assert_left(&b, 0, 0);
  end(&b);
}

static void powers_are_made_by_squaring(void **state)
{
  (void)state;
  bench b = begin(2);
  b.y[0] = b.x[0], b.y[1] = b.x[1];
  for (int k = 1; k < 8; k++) {
    b.y[0] = MUL(b.y[0], b.x[0]);
    b.y[1] = k < 7 ? MUL(b.y[1], b.x[1]) : b.y[1];
  }
  assert_left(&b, 3 + 4, 0); /* ((x^2)^2)^2; y^7 = (y^2 y)^2 y */
  end(&b);
}

static void roots_and_inverses_cancel(void **state)
{
  (void)state;
  bench b = begin(2);
  const pki_x r = pki_root(b.g, ADD(NUM(2), b.x[0])), v = pki_inverse(b.g, ADD(NUM(4), b.x[1]));
  b.y[0] = MUL(MUL(r, b.x[2]), r);                   /* (2 + x0) x2 */
  b.y[1] = MUL(MUL(v, b.x[3]), ADD(NUM(4), b.x[1])); /* x3 */
  assert_left(&b, 2, 0);
  end(&b);
}

static void common_factors_go_out_where_an_instruction_is_saved(void **state)
{
  (void)state;
  bench b = begin(1);
  /* x0 x1 x2 + x0 x3: three instructions; x0 (x1 x2 + x3): two */
  b.y[0] = ADD(MUL(MUL(b.x[0], b.x[1]), b.x[2]), MUL(b.x[0], b.x[3]));
  assert_left(&b, 3, 0);
  end(&b);
  b = begin(1);
  /* x0 x1 + x0 x2 is a product and a multiply-add, x0 (x1 + x2) a sum and a product */
  b.y[0] = ADD(MUL(b.x[0], b.x[1]), MUL(b.x[0], b.x[2]));
  assert_left(&b, 3, 0);
  end(&b);
}

static void polynomials_become_horners(void **state)
{
  (void)state;
  bench b = begin(1);
  const pki_x x = b.x[0];
  pki_x power = x;
  b.y[0] = b.x[1];
  for (int k = 2; k < 6; k++) {
    b.y[0] = ADD(b.y[0], MUL(b.x[k], power));
    power = MUL(power, x);
  }
  assert_true(pki_simplify(&b.in, b.to, &b.out));
  assert_same_values(&b.in, &b.out, 3);
  pki_cost before, after;
  assert_true(pki_function_cost(&b.in, &before) && pki_function_cost(&b.out, &after));
  assert_int_equal(before.instructions, 3 + 4); /* powers are shared: nothing is won by taking them apart */
  assert_in_range(after.instructions, 4, 7);
  end(&b);
  b = begin(1);
  /* x1 x x + x2 x + x3 with powers of its own */
  b.y[0] = ADD(ADD(MUL(MUL(b.x[1], b.x[0]), b.x[0]), MUL(b.x[2], b.x[0])), b.x[3]);
  assert_left(&b, 4, 0);
  end(&b);
}

static void what_has_two_users_stays_a_node(void **state)
{
  (void)state;
  bench b = begin(3);
  const pki_x shared = ADD(MUL(b.x[0], b.x[1]), b.x[2]);
  b.y[0] = ADD(shared, b.x[3]);
  b.y[1] = MUL(shared, b.x[4]);
  b.y[2] = SUB(MUL(NUM(2), shared), b.x[5]);
  assert_left(&b, 2 + 1 + 1 + 2, 0);
  end(&b);
  /* also when there is something to save elsewhere, which would pay for computing it twice */
  b = begin(3);
  const pki_x both = ADD(ADD(MUL(b.x[2], b.x[3]), b.x[4]), b.x[5]);
  b.y[0] = ADD(both, b.x[0]);
  b.y[1] = ADD(both, b.x[1]);
  b.y[2] = b.x[6];
  for (int k = 0; k < 6; k++) {
    b.y[2] = ADD(ADD(MUL(b.x[k], b.x[7]), MUL(NUM(2), b.x[6])), b.y[2]);
  }
  for (int k = 0; k < 6; k++) {
    b.y[2] = SUB(b.y[2], MUL(b.x[7], b.x[k]));
  }
  assert_left(&b, 3 + 2 + 1, 0); /* the last is 13 x6 */
  end(&b);
}

static void dead_code_stays_behind_and_ports_keep_their_numbers(void **state)
{
  (void)state;
  bench b = begin(1);
  const int second = pki_graph_port(b.g, "z", 2, "more");
  for (int k = 0; k < 1000; k++) {
    MUL(b.x[0], ADD(b.x[1], NUM(k + 2)));
  }
  b.y[0] = pki_input(b.g, second, 1);
  assert_true(pki_simplify(&b.in, b.to, &b.out));
  assert_in_range(b.to->count, 1, 4);
  assert_int_equal(b.to->nport, 2);
  assert_string_equal(b.to->ports[1].name, "z");
  assert_int_equal(b.to->ports[1].count, 2);
  assert_int_equal(b.to->nodes[b.out.outputs[0].values[0]].a, second);
  /* a second function into the same graph; a graph with other ports is refused */
  pki_function again, refused;
  assert_true(pki_simplify(&b.in, b.to, &again));
  assert_int_equal(again.outputs[0].values[0], b.out.outputs[0].values[0]);
  pki_function_free(&again);
  pki_graph *foreign = pki_graph_create(false);
  pki_graph_port(foreign, "q", 3, "");
  assert_false(pki_simplify(&b.in, foreign, &refused));
  pki_function_free(&refused);
  pki_graph_destroy(foreign);
  end(&b);
}

static void patterns_of_matrices_are_kept(void **state)
{
  (void)state;
  bench b = begin(1);
  const pki_x zero = NUM(0), dense[] = {b.x[0], zero, zero, MUL(b.x[0], b.x[1]), zero, b.x[2]};
  pki_function_add_sparse(&b.in, "A", 2, 3, dense, "a matrix");
  b.y[0] = b.x[0];
  assert_true(pki_simplify(&b.in, b.to, &b.out));
  const pki_output *a = &b.in.outputs[1], *o = &b.out.outputs[1];
  assert_int_equal(o->count, 3);
  assert_int_equal(o->rows, 2);
  assert_int_equal(o->cols, 3);
  assert_memory_equal(o->row, a->row, 3 * sizeof *o->row);
  assert_memory_equal(o->col, a->col, 3 * sizeof *o->col);
  assert_string_equal(o->about, "a matrix");
  end(&b);
}

static void random_functions_keep_their_values_and_cost_no_more(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(150, 30); seed++) {
    pki_graph *g = pki_graph_create(seed % 3 == 0), *to = pki_graph_create(false);
    pki_random rng = pki_random_seeded(seed);
    pki_function f, out;
    make_expressions(g, &f, &rng, NINPUT, 20, 40 + (int)(seed % 7) * 60);
    if (seed % 2 == 0) { /* with derivatives there is much to simplify */
      pki_x inputs[NINPUT];
      for (int k = 0; k < NINPUT; k++) {
        inputs[k] = pki_input(g, 0, k);
      }
      pki_x *J = pki_function_add(&f, "J", 20 * NINPUT, "");
      assert_true(pki_jacobian(g, 20, f.outputs[0].values, NINPUT, inputs, J));
    }
    assert_true(pki_simplify(&f, to, &out));
    assert_same_values(&f, &out, seed);
    pki_cost before, after;
    assert_true(pki_function_cost(&f, &before) && pki_function_cost(&out, &after));
    assert_in_range(after.operations, 0, before.operations);
    if (!g->plain) { /* where a product was computed twice, each for a multiply-add, it is now shared */
      assert_in_range(after.instructions, 0, before.instructions);
    }
    /* the same again, to the node */
    pki_graph *to2 = pki_graph_create(false);
    pki_function out2;
    assert_true(pki_simplify(&f, to2, &out2));
    assert_int_equal(to->count, to2->count);
    for (int i = 0; i < to->count; i++) {
      assert_int_equal(to->nodes[i].op, to2->nodes[i].op);
      assert_int_equal(to->nodes[i].a, to2->nodes[i].a);
      assert_int_equal(to->nodes[i].b, to2->nodes[i].b);
    }
    pki_function_free(&f);
    pki_function_free(&out);
    pki_function_free(&out2);
    pki_graph_destroy(g);
    pki_graph_destroy(to);
    pki_graph_destroy(to2);
  }
}

/* Sums of products of sines and cosines with few atoms, so that all rules meet. */
static void random_sums_of_sines_keep_their_values(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= PACE(300, 60); seed++) {
    bench b = begin(10);
    pki_random rng = pki_random_seeded(seed);
    const pki_x atoms[] = {SIN(b.x[0]),
                           COS(b.x[0]),
                           SIN(b.x[1]),
                           COS(b.x[1]),
                           SIN(ADD(b.x[0], b.x[1])),
                           COS(MUL(NUM(2), b.x[0])),
                           b.x[2],
                           NUM(2)};
    for (int i = 0; i < 10; i++) {
      b.y[i] = NUM(0);
      for (int t = 0; t < 2 + (int)(seed % 9); t++) {
        pki_x p = NUM(1);
        for (int k = 0; k < 3; k++) {
          p = MUL(p, atoms[(int)(pki_random_unit(&rng) * 8)]);
        }
        b.y[i] = pki_random_unit(&rng) < 0.5 ? ADD(b.y[i], p) : SUB(b.y[i], p);
      }
    }
    assert_true(pki_simplify(&b.in, b.to, &b.out));
    assert_same_values(&b.in, &b.out, seed);
    end(&b);
  }
}

static void very_long_sums_and_products_are_fine(void **state)
{
  (void)state;
  bench b = begin(2);
  pki_graph *plain = pki_graph_create(true);
  const int port = pki_graph_port(plain, "x", NINPUT, "");
  pki_x sum = pki_input(plain, port, 0), product = sum;
  for (int k = 1; k < 20000; k++) {
    const pki_x x = pki_input(plain, port, k % NINPUT);
    sum = pki_plus(plain, sum,
                   pki_times(plain, pki_sine(plain, x), pki_times(plain, x, pki_const(plain, 1e-4 * k))));
    product = pki_times(plain, product, k % 50 == 0 ? x : pki_const(plain, 1.00001));
  }
  pki_function_free(&b.in);
  pki_function_init(&b.in, plain, "long", "");
  b.y = pki_function_add(&b.in, "y", 2, "");
  b.y[0] = sum, b.y[1] = pki_times(plain, product, pki_const(plain, 0));
  assert_true(pki_simplify(&b.in, b.to, &b.out));
  assert_same_values(&b.in, &b.out, 5);
  pki_cost cost;
  assert_true(pki_function_cost(&b.out, &cost));
  assert_in_range(cost.operations, 1, 20000 * 2);
  pki_graph_destroy(plain);
  end(&b);
}

static pk_model *model_of(const char *name)
{
  char path[512];
  pk_error err;
  pk_model *model = NULL;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  assert_int_equal(pk_builder_add_urdf(b, path, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  pk_builder_destroy(b);
  return model;
}

static int numbers_of(const pki_function *f)
{
  int n = 0;
  for (int i = 0; i < f->noutput; i++) {
    n += f->outputs[i].count;
  }
  return n;
}

/* Both functions at a random point: the largest difference over the largest number. */
static double difference(const pki_function *a, const pki_function *b, pki_random *rng)
{
  const int n = numbers_of(a);
  assert_int_equal(numbers_of(b), n);
  double *ports[PKI_PORTS] = {0}, *va = malloc(2 * (size_t)n * sizeof *va), *vb = va + n, worst = 0, size = 0;
  for (int p = 0; p < a->graph->nport; p++) {
    ports[p] = calloc((size_t)a->graph->ports[p].count + 1, sizeof *ports[p]);
    make_point(rng, a->graph->ports[p].count, ports[p]);
  }
  assert_true(pki_function_evaluate(a, (const double *const *)ports, va));
  assert_true(pki_function_evaluate(b, (const double *const *)ports, vb));
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, isnan(va[i] - vb[i]) ? INFINITY : fabs(va[i] - vb[i]));
    size = fmax(size, fabs(va[i]));
  }
  for (int p = 0; p < a->graph->nport; p++) {
    free(ports[p]);
  }
  free(va);
  return worst / size;
}

static void functions_of_robots_keep_their_values_and_signatures(void **state)
{
  (void)state;
  const char *const robots[] = {"double_pendulum", "ur10", "starleth"};
  pki_random rng = pki_random_seeded(11);
  for (int k = 0; k < 3; k++) {
    pk_model *m = model_of(robots[k]);
    for (int i = 0; i < pki_robot_function_count(); i++) {
      pki_graph *g = pki_graph_create(false), *to = pki_graph_create(false);
      const pki_robot_options options = {.free = i % 2 == 0 ? 0 : PKI_FREE_INERTIA | PKI_FREE_GRAVITY};
      pki_function f, out;
      pk_error err;
      assert_int_equal(pki_robot_function(g, m, &options, pki_robot_function_name(i), &f, &err), PK_OK);
      assert_true(pki_simplify(&f, to, &out));
      const double worst = numbers_of(&f) > 0 ? difference(&f, &out, &rng) : 0;
      if (!(worst < 1e-12)) {
        fail_msg("%s of %s differs by %g", f.name, robots[k], worst);
      }
      pki_cost before, after;
      assert_true(pki_function_cost(&f, &before) && pki_function_cost(&out, &after));
      assert_in_range(after.operations, 0, before.operations);
      assert_in_range(after.instructions, 0, before.instructions);
      assert_int_equal(pki_function_ports(&out), pki_function_ports(&f));
      pki_function_free(&f);
      pki_function_free(&out);
      pki_graph_destroy(g);
      pki_graph_destroy(to);
    }
    pk_model_destroy(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(squares_of_sine_and_cosine_are_one_with_any_factor),
      cmocka_unit_test(unequal_factors_of_squares_leave_one_square),
      cmocka_unit_test(one_minus_a_square_is_the_other_square),
      cmocka_unit_test(double_angles_are_used_where_their_sines_are_there),
      cmocka_unit_test(double_angles_are_not_used_where_they_cost_more),
      cmocka_unit_test(sums_of_angles_are_used_where_their_sines_are_there),
      cmocka_unit_test(a_planar_arm_becomes_sums_of_angles),
      cmocka_unit_test(three_parallel_joints_become_sums_of_three_angles),
      cmocka_unit_test(like_terms_are_collected),
      cmocka_unit_test(powers_are_made_by_squaring),
      cmocka_unit_test(roots_and_inverses_cancel),
      cmocka_unit_test(common_factors_go_out_where_an_instruction_is_saved),
      cmocka_unit_test(polynomials_become_horners),
      cmocka_unit_test(what_has_two_users_stays_a_node),
      cmocka_unit_test(dead_code_stays_behind_and_ports_keep_their_numbers),
      cmocka_unit_test(patterns_of_matrices_are_kept),
      cmocka_unit_test(random_functions_keep_their_values_and_cost_no_more),
      cmocka_unit_test(random_sums_of_sines_keep_their_values),
      cmocka_unit_test(very_long_sums_and_products_are_fine),
      cmocka_unit_test(functions_of_robots_keep_their_values_and_signatures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
