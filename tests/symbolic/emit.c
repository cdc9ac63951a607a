/* Emitted C, compiled and run. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "compile.h"
#include "math/lane.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "symbolic/emit/emit.h"

enum { NX = 9, NY = 12 };

typedef void (*code_function)(const double *x, double *y);

static const char *const compilers[] = {"clang", "gcc"};

static pki_x any(pki_random *random, const pki_x *pool, int count)
{
  return pool[pki_random_bits(random) % (uint64_t)count];
}

/* Numbers of the size of one, whatever is combined: x / (1 + x^2) of what could grow. */
static pki_x tamed(pki_graph *g, pki_x x)
{
  return pki_times(g, x, pki_inverse(g, pki_plus(g, pki_const(g, 1), pki_times(g, x, x))));
}

/* A function of count nodes or so; with angles, early and late ones, or without. */
static void make_mix(pki_graph *g, pki_function *f, uint64_t seed, int count, bool angles)
{
  pki_random random = pki_random_seeded(seed);
  const int port = pki_graph_port(g, "x", NX, "Numbers.");
  pki_x *pool = malloc((size_t)count * sizeof *pool);
  int n = 0;
  for (int i = 0; i < NX; i++) {
    pool[n++] = pki_input(g, port, i);
  }
  for (int i = 0; angles && i < NX; i++) {
    pool[n++] = pki_sine(g, pool[i]);
    pool[n++] = pki_cosine(g, pki_plus(g, pool[i], pool[(i + 1) % NX]));
  }
  while (n < count) {
    const int first = n > 300 ? n - 300 : 0;
    const pki_x a = any(&random, pool + first, n - first), b = any(&random, pool + first, n - first);
    const pki_x c = any(&random, pool + first, n - first);
    switch (pki_random_bits(&random) % 6) {
    case 0: pool[n++] = pki_plus(g, pki_times(g, a, b), pki_times(g, pki_const(g, -0.3), c)); break;
    case 1: pool[n++] = pki_minus(g, pki_const(g, 0.7), pki_times(g, a, b)); break;
    case 2: pool[n++] = tamed(g, pki_minus(g, pki_times(g, a, b), c)); break;
    case 3: pool[n++] = tamed(g, pki_plus(g, a, pki_plus(g, b, pki_const(g, -1.25)))); break;
    case 4: pool[n++] = pki_neg(g, tamed(g, pki_times(g, a, pki_plus(g, b, c)))); break;
    default:
      pool[n++] = tamed(g, angles && c % 7 == 0 ? pki_sine(g, pki_times(g, a, b)) : pki_minus(g, a, b));
      break;
    }
  }
  pki_function_init(f, g, "mix", "A mix of operations.");
  pki_x *y = pki_function_add(f, "y", NY, "Results.");
  for (int i = 0; i < NY - 3; i++) {
    y[i] = pool[n - 1 - i];
  }
  y[1] = pki_root(g, pki_times(g, y[1], y[1]));
  y[NY - 3] = pki_const(g, 0.1), y[NY - 2] = y[0], y[NY - 1] = pool[2];
  free(pool);
}

static char *source_of(const pki_function *f)
{
  pki_text text = {0};
  pki_emit_lanes("robot", &text);
  pki_emit_function(f, "robot", &text);
  assert_false(text.failed);
  return text.data;
}

/* States beside each other, and each alone. */
static void run_lanes(void *code, const char *name, int lanes, double in[8][NX], double out[8][NY])
{
  char symbol[80];
  snprintf(symbol, sizeof symbol, lanes > 1 ? "robot_%s_x%d" : "robot_%s", name, lanes);
  code_function function = (code_function)(uintptr_t)dlsym(code, symbol);
  assert_non_null(function);
  for (int first = 0; first < 8; first += lanes) {
    _Alignas(64) double x[NX * 8], y[NY * 8];
    memset(y, 0xff, sizeof y);
    for (int i = 0; i < NX; i++) {
      for (int l = 0; l < lanes; l++) {
        x[i * lanes + l] = in[first + l][i];
      }
    }
    function(x, y);
    for (int i = 0; i < NY; i++) {
      for (int l = 0; l < lanes; l++) {
        out[first + l][i] = y[i * lanes + l];
      }
    }
  }
}

static void make_states(double in[8][NX], double size)
{
  pki_random random = pki_random_seeded(17);
  for (int s = 0; s < 8; s++) {
    for (int i = 0; i < NX; i++) {
      in[s][i] = pki_random_between(&random, -size, size);
    }
  }
}

/* All lane counts of one function with some flags: they agree to the bit; those of one lane come back. */
static void run_all(const pki_function *f, const char *compiler, const char *flags, double in[8][NX],
                    double out[8][NY])
{
  char *source = source_of(f);
  static const int lanes[] = {1, 4, 8};
  for (int i = 0; i < 3; i++) {
    char all[256];
    snprintf(all, sizeof all, "%s -DROBOT_LANES=%d", flags, lanes[i]);
    void *code = compiled(source, compiler, all);
    assert_non_null(code);
    double mine[8][NY];
    run_lanes(code, f->name, lanes[i], in, i == 0 ? out : mine);
    if (i > 0) {
      assert_memory_equal(mine, out, sizeof mine);
    }
    dlclose(code);
  }
  free(source);
}

static void check(uint64_t seed, int count, bool angles, const char *flags, double tolerance)
{
  pki_graph *g = pki_graph_create(false);
  pki_function f;
  make_mix(g, &f, seed, count, angles);
  double in[8][NX], out[8][NY];
  make_states(in, 2);
  for (int c = 0; c < PACE(2, 1); c++) {
    if (!found(compilers[c])) {
      continue;
    }
    char all[128];
    snprintf(all, sizeof all, "%s -fno-math-errno -ffp-contract=%s", flags,
             c == 0 && tolerance > 0 ? "on" : "off");
    run_all(&f, compilers[c], all, in, out);
    for (int s = 0; s < 8; s++) {
      double expected[NY];
      assert_true(pki_function_evaluate(&f, (const double *const[]){in[s]}, expected));
      for (int i = 0; i < NY; i++) {
        if (tolerance == 0) {
          assert_memory_equal(&out[s][i], &expected[i], sizeof expected[i]);
        } else {
          assert_at_most(fabs(out[s][i] - expected[i]), tolerance * (1 + fabs(expected[i])));
        }
      }
    }
  }
  pki_function_free(&f);
  pki_graph_destroy(g);
}

static void code_gives_the_bits_of_the_graph(void **state)
{
  (void)state;
  check(1, 200, false, "", 0);
  check(2, 300, false, "-march=native", 0);
}

static void fused_code_and_sines_agree_with_the_graph(void **state)
{
  (void)state;
  check(3, 150, true, "-march=native", 1e-12);
  check(4, 150, true, "", 1e-12);
}

static void long_functions_are_split_and_stay_the_same(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  pki_function f;
  make_mix(g, &f, 5, 6000, false);
  pki_emit_info info;
  assert_true(pki_emit_measure(&f, &info));
  assert_greater(info.parts, 1);
  assert_greater(info.scratch, 0);
  char *source = source_of(&f);
  double in[8][NX], out[8][NY];
  make_states(in, 2);
  for (int lanes = 1; lanes <= 4; lanes += 3) { /* without optimisation: splitting is what is tested */
    void *code = compiled(source, found("clang") ? "clang" : "gcc",
                          lanes > 1 ? "-O0 -ffp-contract=off -DROBOT_LANES=4" : "-O0 -ffp-contract=off");
    assert_non_null(code);
    run_lanes(code, f.name, lanes, in, out);
    for (int s = 0; s < 8; s++) {
      double expected[NY];
      assert_true(pki_function_evaluate(&f, (const double *const[]){in[s]}, expected));
      assert_memory_equal(out[s], expected, sizeof expected);
    }
    dlclose(code);
  }
  free(source);
  pki_function_free(&f);
  pki_graph_destroy(g);
}

static void sines_are_those_of_the_kernels(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", NX, "Angles.");
  pki_function f;
  pki_function_init(&f, g, "turn", "Sines and cosines.");
  pki_x *y = pki_function_add(&f, "y", NY, "Sines, cosines.");
  for (int i = 0; i < 6; i++) {
    y[i] = pki_sine(g, pki_input(g, port, i));
    y[6 + i] = pki_cosine(g, pki_input(g, port, i));
  }
  static const double sizes[] = {1, 1e3, 1.5e6, 1e9};
  for (int k = 0; k < 4; k++) {
    double in[8][NX], out[8][NY];
    make_states(in, sizes[k]);
    in[0][2] = 0, in[1][3] = 1e300;
    run_all(&f, found("clang") ? "clang" : "gcc", "", in, out);
    for (int s = 0; s < 8; s++) {
      for (int i = 0; i < 6; i++) {
        double sine, cosine;
        pki_sincos(in[s][i], &sine, &cosine);
        assert_memory_equal(&out[s][i], &sine, sizeof sine);
        assert_memory_equal(&out[s][6 + i], &cosine, sizeof cosine);
      }
    }
  }
  pki_function_free(&f);
  pki_graph_destroy(g);
}

/* The function with its output apart and in the place of its input. */
static void expect_in_place(pki_function *f)
{
  char *source = source_of(f);
  void *code = compiled(source, found("clang") ? "clang" : "gcc", "");
  assert_non_null(code);
  code_function function = (code_function)(uintptr_t)dlsym(code, "robot_replace");
  double x[NX], apart[NX];
  for (int i = 0; i < NX; i++) {
    x[i] = 0.3 * i - 1;
  }
  function(x, apart);
  function(x, x);
  assert_memory_equal(x, apart, sizeof x);
  dlclose(code);
  free(source);
  pki_function_free(f);
}

/* y_i = sin x_i + sums of others: each depends on its own input. */
static void an_output_may_be_the_input(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "x", NX, "Numbers.");
  pki_function f;
  pki_function_init(&f, g, "replace", "In place.");
  f.in_place = true;
  pki_x *y = pki_function_add(&f, "y", NX, "Results."), x[NX];
  for (int i = 0; i < NX; i++) {
    x[i] = pki_input(g, port, i);
    pki_x sum = pki_sine(g, x[i]);
    for (int j = 0; j < NX; j++) {
      sum = i == 0 ? sum
                   : pki_plus(g, sum, pki_times(g, pki_const(g, i + j), pki_input(g, port, (i * j) % NX)));
    }
    y[i] = sum;
  }
  expect_in_place(&f);

  /* a product that two sums take in: its factors are read before the first is stored */
  pki_function_init(&f, g, "replace", "In place.");
  f.in_place = true;
  y = pki_function_add(&f, "y", NX, "Results.");
  memcpy(y, x, sizeof x);
  const pki_x product = pki_times(g, x[1], x[2]);
  y[1] = pki_plus(g, product, x[3]);
  y[2] = pki_minus(g, product, x[4]);
  expect_in_place(&f);
  pki_graph_destroy(g);
}

static void plain_graphs_and_constants_compile(void **state)
{
  (void)state;
  pki_graph *g = pki_graph_create(true);
  const int port = pki_graph_port(g, "x", NX, "Numbers.");
  const pki_x two = pki_const(g, 2), three = pki_const(g, -3), x = pki_input(g, port, 0);
  pki_function f;
  pki_function_init(&f, g, "plain", "Nothing is folded.");
  pki_x *y = pki_function_add(&f, "y", NY, "Results.");
  y[0] = pki_times(g, two, three);
  y[1] = pki_plus(g, pki_times(g, two, three), x);
  y[2] = pki_minus(g, pki_neg(g, two), pki_neg(g, x));
  y[3] = pki_inverse(g, two);
  y[4] = pki_root(g, two);
  y[5] = pki_sine(g, three);
  y[6] = pki_cosine(g, pki_root(g, two));
  y[7] = pki_minus(g, x, three);
  y[8] = pki_times(g, x, pki_neg(g, pki_plus(g, x, three)));
  y[9] = pki_neg(g, pki_neg(g, x));
  y[10] = pki_minus(g, x, pki_minus(g, x, two));
  y[11] = pki_times(g, x, pki_inverse(g, pki_times(g, x, x)));
  double in[8][NX], out[8][NY], expected[NY];
  make_states(in, 1);
  for (int c = 0; c < PACE(2, 1); c++) {
    if (!found(compilers[c])) {
      continue;
    }
    run_all(&f, compilers[c], "-ffp-contract=off", in, out);
    for (int s = 0; s < 8; s++) {
      assert_true(pki_function_evaluate(&f, (const double *const[]){in[s]}, expected));
      for (int i = 0; i < NY; i++) {
        assert_at_most(fabs(out[s][i] - expected[i]), (i == 5 || i == 6 ? 1e-15 : 0));
      }
    }
  }
  pki_function_free(&f);
  pki_graph_destroy(g);
}

static void numbers_come_back_exactly(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } rows[] = {{3, "3.0"}, {0.1, "0.1"}, {-1e300, "-1e+300"}, {1.0 / 3, "0.3333333333333333"}, {0, "0.0"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pki_text text = {0};
    pki_emit_number(rows[i].value, &text);
    assert_string_equal(text.data, rows[i].text);
    assert_true(strtod(text.data, NULL) == rows[i].value);
    pki_text_free(&text);
  }
}

static void the_same_function_gives_the_same_text(void **state)
{
  (void)state;
  char *sources[2];
  for (int i = 0; i < 2; i++) {
    pki_graph *g = pki_graph_create(false);
    pki_function f;
    make_mix(g, &f, 8, 500, true);
    sources[i] = source_of(&f);
    pki_function_free(&f);
    pki_graph_destroy(g);
  }
  assert_string_equal(sources[0], sources[1]);
  free(sources[0]);
  free(sources[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_gives_the_bits_of_the_graph),
      cmocka_unit_test(fused_code_and_sines_agree_with_the_graph),
      cmocka_unit_test(long_functions_are_split_and_stay_the_same),
      cmocka_unit_test(sines_are_those_of_the_kernels),
      cmocka_unit_test(an_output_may_be_the_input),
      cmocka_unit_test(plain_graphs_and_constants_compile),
      cmocka_unit_test(numbers_come_back_exactly),
      cmocka_unit_test(the_same_function_gives_the_same_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
