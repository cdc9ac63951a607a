/* Derivatives of dynamics against complex steps, and differences of the generic kernels. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef I
#include "support/bounds.h"
#include "support/pace.h"
#include "support/worst.h"
#include "symbolic/robot_case.h"

/* d out / d direction of the function `name` by a complex step along velocity k of the configuration, of u (which 1), or of
 * the third input (which 2). */
static void complex_step(const robot_case *c, const made *x, int which, int third, int k, double *out)
{
  const pk_model *m = c->model;
  static double complex q[NQ_MAX], u[NU_MAX], z[NU_MAX], y[NU_MAX];
  const double h = 1e-150;
  for (int i = 0; i < m->nq; i++) {
    q[i] = c->q[i];
  }
  for (int i = 0; i < m->nu; i++) {
    u[i] = c->u[i] + (which == 1 && i == k ? h * _Complex_I : 0);
    z[i] = (third == 2 ? c->a : c->tau)[i] + (which == 2 && i == k ? h * _Complex_I : 0);
  }
  for (int b = 0; b < m->nbody && which == 0; b++) {
    const int motion = m->body_motion[b], at = k - m->body_u[b],
              travels = motion == PK_MOTION_FLOATING ? 3 : 0;
    double complex *const qb = q + m->body_q[b];
    if (at < 0 || at >= (motion == PK_MOTION_FLOATING ? 6 : motion == PK_MOTION_SPHERICAL ? 3 : 1)) {
      continue;
    }
    if (motion <= PK_MOTION_PRISMATIC || at < travels) {
      q[m->body_q[b] + (travels ? at : 0)] += h * _Complex_I;
    } else { /* q (1, h i e / 2) */
      const double *v = c->q + m->body_q[b] + travels;
      const double complex s = 0.5 * h * _Complex_I;
      const int e = at - travels, i1 = (e + 1) % 3, i2 = (e + 2) % 3;
      qb[travels] -= s * v[1 + e];
      qb[travels + 1 + e] += s * v[0];
      qb[travels + 1 + i1] += s * v[1 + i2];
      qb[travels + 1 + i2] -= s * v[1 + i1];
    }
    break; /* followers read the same input */
  }
  const double complex *ports[PKI_PORTS] = {q, u, z, z};
  assert_true(pki_function_evaluate_complex(&x->f, ports, y));
  for (int i = 0; i < m->nu; i++) {
    out[i] = cimag(y[i]) / h;
  }
}

/* The same by central differences of the generic kernels. */
static void central_difference(const robot_case *c, bool forward, int which, int k, double *out)
{
  const pk_model *m = c->model;
  const double step = 1e-5;
  double sides[2][NU_MAX];
  for (int side = 0; side < 2; side++) {
    double q[NQ_MAX], u[NU_MAX], z[NU_MAX], v[NU_MAX] = {0};
    v[k] = side == 0 ? step : -step;
    memcpy(q, c->q, sizeof q);
    memcpy(u, c->u, sizeof u);
    memcpy(z, forward ? c->tau : c->a, sizeof z);
    if (which == 0) {
      pk_config_add(m, c->q, v, q);
    } else {
      (which == 1 ? u : z)[k] += v[k];
    }
    if (forward) {
      assert_int_equal(pk_forward_dynamics(c->work, PK_DYNAMICS_METHOD_AUTO, q, u, z, sides[side]), PK_OK);
    } else {
      pk_inverse_dynamics(c->work, q, u, z, sides[side]);
    }
  }
  for (int i = 0; i < m->nu; i++) {
    out[i] = (sides[0][i] - sides[1][i]) / (2 * step);
  }
}

static void hold_derivatives(const robot_case *c, bool forward, double *complex_worst, double *central_worst)
{
  const int n = c->model->nu;
  static double D[NU_MAX * NU_MAX];
  made value = make(c, forward ? "aba" : "rnea", 0),
       derivative = make(c, forward ? "aba_derivatives" : "rnea_derivatives", 0);
  for (int which = 0; which < 3; which++) {
    dense(&derivative, which, false, D);
    const double scale = norm(D, n * n) + 1e-300;
    double by_complex = 0, by_difference = 0;
    for (int k = 0; k < n; k++) {
      double want[NU_MAX], column[NU_MAX];
      for (int i = 0; i < n; i++) {
        column[i] = D[i * n + k];
      }
      complex_step(c, &value, which, forward ? 3 : 2, k, want);
      by_complex = larger(by_complex, difference(column, want, n) / scale);
      central_difference(c, forward, which, k, want);
      by_difference = larger(by_difference, difference(column, want, n) / scale);
    }
    *complex_worst = larger(*complex_worst, by_complex);
    *central_worst = larger(*central_worst, by_difference);
  }
  unmake(&value);
  unmake(&derivative);
}

static void derivatives_of_robots_are_those_of_complex_steps_and_differences(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  for (size_t i = 0; i < sizeof robot_names / sizeof robot_names[0]; i++) {
    double by_complex = 0, by_difference = 0;
    robot_case c = named_case(&rng, robot_names[i]);
    hold_derivatives(&c, false, &by_complex, &by_difference);
    hold_derivatives(&c, true, &by_complex, &by_difference);
    print_message("%s: complex step %.2g, central differences %.2g\n", robot_names[i], by_complex,
                  by_difference);
    assert_less(by_complex, 1e-12);
    assert_less(by_difference, 1e-7);
    free_case(&c);
  }
}

static void derivatives_of_random_trees_are_those_of_complex_steps(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  double by_complex = 0, by_difference = 0;
  for (int k = 0; k < PACE(60, 8); k++) {
    robot_case c = tree_case(&rng, k);
    hold_derivatives(&c, false, &by_complex, &by_difference);
    hold_derivatives(&c, true, &by_complex, &by_difference);
    free_case(&c);
  }
  print_message("complex step %.2g, central differences %.2g\n", by_complex, by_difference);
  assert_less(by_complex, 1e-12);
  assert_less(by_difference, 1e-7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_robots_are_those_of_complex_steps_and_differences),
      cmocka_unit_test(derivatives_of_random_trees_are_those_of_complex_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
