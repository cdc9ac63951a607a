/* The swing-up of a cart-pole (Kelly 2017, "An introduction to trajectory optimization", section 6), as a program of intervals: cubic states and
 * linear forces, Simpson's rule for the integral of the squared force. The optima of three grids are known to ten digits from
 * another program with the same collocation. */
#define _GNU_SOURCE /* setenv beside C17 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "optimize/nlp/nlp.h"
#include "support/bounds.h"

enum { NS = 4, NZ = NS + 1 }; /* cart, pole and their rates; with the force */

static const pki_nlp_label plain = {.what = "number", .phase = -1, .point = -1};

static pki_x number(pki_graph *g, double value)
{
  return pki_const(g, value);
}

/* Rates of the state z = (cart, pole, rates, force): 1 kg, 0.3 kg, 0.5 m, 9.81 m/s^2; Kelly (6.1), (6.2). */
static void add_rates(pki_graph *g, const pki_x z[NZ], pki_x rate[NS])
{
  const double m1 = 1, m2 = 0.3, l = 0.5, gravity = 9.81;
  const pki_x s = pki_sine(g, z[1]), c = pki_cosine(g, z[1]);
  const pki_x swing = pki_times(g, number(g, l * m2), pki_times(g, s, pki_times(g, z[3], z[3])));
  const pki_x mass = pki_plus(g, number(g, m1), pki_times(g, number(g, m2), pki_times(g, s, s)));
  const pki_x down = pki_inverse(g, mass);
  const pki_x cart =
      pki_plus(g, pki_plus(g, swing, z[4]), pki_times(g, number(g, m2 * gravity), pki_times(g, c, s)));
  const pki_x pole =
      pki_plus(g, pki_times(g, c, pki_plus(g, swing, z[4])), pki_times(g, number(g, (m1 + m2) * gravity), s));
  rate[0] = z[2], rate[1] = z[3];
  rate[2] = pki_times(g, cart, down);
  rate[3] = pki_times(g, number(g, -1 / l), pki_times(g, pole, down));
}

/* From both ends of an interval of length h: the middle's state and force by the cubic, what its slope differs from the dynamics, and
 * Simpson's rule. Inputs (z0, z1), parameter h; results: four defects, the integral. */
static pki_nlp_function *interval_function(void)
{
  pki_graph *g = pki_graph_create(false);
  const int port = pki_graph_port(g, "z", 2 * NZ + 1, "ends of the interval, its length");
  pki_x in[2 * NZ + 1], f0[NS], f1[NS], middle[NZ], fc[NS], y[NS + 1];
  for (int k = 0; k < 2 * NZ + 1; k++) {
    in[k] = pki_input(g, port, k);
  }
  const pki_x *z0 = in, *z1 = in + NZ, h = in[2 * NZ];
  const pki_x half = number(g, 0.5);
  add_rates(g, z0, f0);
  add_rates(g, z1, f1);
  for (int k = 0; k < NS; k++) {
    /* x_c = (x_0 + x_1)/2 + h/8 (f_0 - f_1) */
    middle[k] = pki_plus(g, pki_times(g, half, pki_plus(g, z0[k], z1[k])),
                         pki_times(g, pki_times(g, number(g, 0.125), h), pki_minus(g, f0[k], f1[k])));
  }
  middle[NS] = pki_times(g, half, pki_plus(g, z0[NS], z1[NS]));
  add_rates(g, middle, fc);
  for (int k = 0; k < NS; k++) {
    /* x_1 - x_0 = h/6 (f_0 + 4 f_c + f_1) */
    const pki_x sum = pki_plus(g, pki_plus(g, f0[k], f1[k]), pki_times(g, number(g, 4), fc[k]));
    y[k] = pki_minus(g, pki_minus(g, z1[k], z0[k]), pki_times(g, pki_times(g, number(g, 1.0 / 6), h), sum));
  }
  const pki_x ends = pki_plus(g, pki_times(g, z0[NS], z0[NS]), pki_times(g, z1[NS], z1[NS]));
  const pki_x sum = pki_plus(g, ends, pki_times(g, number(g, 4), pki_times(g, middle[NS], middle[NS])));
  y[NS] = pki_times(g, pki_times(g, number(g, 1.0 / 6), h), sum);
  pki_nlp_function *f = NULL;
  pk_error err;
  assert_int_equal(pki_nlp_function_create(g, "interval", 2 * NZ, in, 1, in + 2 * NZ, NS + 1, y, &f, &err),
                   PK_OK);
  pki_graph_destroy(g);
  return f;
}

/* One metre in 2 s, from hanging to standing upside down, |force| <= 20, |cart| <= 2; guess: a straight line without force. */
static pki_nlp *swing_up(const pki_nlp_function *f, int n)
{
  static const double last[NS] = {1, 3.14159265358979323846, 0, 0};
  pki_nlp *nlp = pki_nlp_create();
  pki_nlp_variables(nlp, NZ * (n + 1), plain);
  pki_nlp_rows(nlp, NS * n, plain);
  const double h = 2.0 / n;
  for (int i = 0; i <= n; i++) {
    double *x = nlp->x + NZ * i, *lower = nlp->lower + NZ * i, *upper = nlp->upper + NZ * i;
    for (int k = 0; k < NS; k++) {
      x[k] = last[k] * i / n;
      if (i == 0 || i == n) {
        lower[k] = upper[k] = x[k];
      }
    }
    if (i > 0 && i < n) {
      lower[0] = -2, upper[0] = 2;
    }
    lower[NS] = -20, upper[NS] = 20;
  }
  for (int i = 0; i < n; i++) {
    int in[2 * NZ], out[NS + 1];
    for (int k = 0; k < 2 * NZ; k++) {
      in[k] = NZ * i + k;
    }
    for (int k = 0; k < NS; k++) {
      out[k] = NS * i + k;
    }
    out[NS] = PKI_NLP_OBJECTIVE;
    pki_nlp_add(nlp, f, in, &h, out);
  }
  pk_error err;
  assert_int_equal(pki_nlp_finish(nlp, &err), PK_OK);
  return nlp;
}

static pki_nlp_result solve(pki_nlp *nlp, const pki_nlp_options *options)
{
  pki_nlp_result result;
  pk_error err;
  assert_int_equal(pki_nlp_solve(nlp, options, &result, &err), PK_OK);
  assert_int_equal(result.end, PKI_NLP_SOLVED);
  return result;
}

static void the_swing_up_has_its_known_optimum_on_each_grid(void **state)
{
  (void)state;
  static const struct {
    int n;
    double optimum;
  } grids[] = {{20, 58.8169385256}, {40, 58.8125340236}, {80, 58.8079434065}};
  pki_nlp_function *f = interval_function();
  for (int i = 0; i < 3; i++) {
    pki_nlp *nlp = swing_up(f, grids[i].n);
    const pki_nlp_result result = solve(nlp, NULL);
    assert_near(result.objective, grids[i].optimum, 1e-6);
    assert_less(result.violation, 1e-8);
    assert_at_most(result.iterations, 40);
    pki_nlp_destroy(nlp);
  }
  pki_nlp_function_destroy(f);
}

static void the_same_program_gives_the_same_bits(void **state)
{
  (void)state;
  pki_nlp_function *f = interval_function();
  pki_nlp *first = swing_up(f, 20), *second = swing_up(f, 20);
  solve(first, NULL);
  solve(second, NULL);
  assert_memory_equal(first->x, second->x, (size_t)first->nx * sizeof *first->x);
  assert_memory_equal(first->lambda, second->lambda, (size_t)first->ng * sizeof *first->lambda);
  pki_nlp_destroy(first);
  pki_nlp_destroy(second);
  pki_nlp_function_destroy(f);
}

/* The distance grows from 1 m to 1.01 m. */
static void a_neighbour_is_found_from_a_solution_in_fewer_iterations(void **state)
{
  (void)state;
  enum { N = 40 };
  pki_nlp_function *f = interval_function();
  pki_nlp *cold = swing_up(f, N), *warm = swing_up(f, N);
  solve(warm, NULL);
  const int end = NZ * N;
  cold->lower[end] = cold->upper[end] = cold->x[end] = 1.01;
  warm->lower[end] = warm->upper[end] = warm->x[end] = 1.01;
  const pki_nlp_options options = {.warm = true};
  const pki_nlp_result from_guess = solve(cold, NULL), from_solution = solve(warm, &options);
  assert_near(from_solution.objective, from_guess.objective, 1e-6);
  assert_less(from_solution.iterations, from_guess.iterations);
  assert_at_most(from_solution.iterations, 8);
  pki_nlp_destroy(cold);
  pki_nlp_destroy(warm);
  pki_nlp_function_destroy(f);
}

int main(void)
{
  setenv("PRONK_PLUGINS", PK_BUILD_DIR "/plugins", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_swing_up_has_its_known_optimum_on_each_grid),
      cmocka_unit_test(the_same_program_gives_the_same_bits),
      cmocka_unit_test(a_neighbour_is_found_from_a_solution_in_fewer_iterations),
  };
  return cmocka_run_group_tests_name("optimize/cart_pole", tests, NULL, NULL);
}
