/* Oscillators and preview control by themselves, against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/pronk.h"
#include "support/bounds.h"

enum { N = 1200 };

/* ---- oscillators ---- */

static const double pi = 3.141592653589793;
static const double pull = 0.4; /* k of cpg.c */

/* Errors e_i of the three legs follow T de_i/dt = -k sin(pi e_i) - k/3 sum sin(pi e_j). With all e alike that is
 * -2 k sin(pi e), with errors a, -a, 0 it is -k sin(pi a): tan(pi e/2) dies as exp(-2 pi k t/T) and exp(-pi k t/T). */
static double error_after(double e, double rate, double cycles)
{
  return 2 / pi * atan(tan(0.5 * pi * e) * exp(-pi * pull * rate * cycles));
}

static void phases_lock_as_the_closed_form_does(void **state)
{
  (void)state;
  static const double dt = 1e-4;
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait++) {
    for (int together = 0; together < 2; together++) {
      pk_rhythm r;
      pk_cpg g;
      pk_error err;
      assert_int_equal(pk_rhythm_of_gait((pk_gait)gait, 4, 0.25, &r, &err), PK_OK);
      pk_cpg_start(&g, 4, &r);
      const double e = 0.3, parts[2][3] = {{e, -e, 0}, {e, e, e}};
      double place[3];
      for (int i = 1; i < 4; i++) {
        place[i - 1] = g.phase[i] - g.phase[0];
        g.phase[i] += parts[together][i - 1];
      }
      for (int k = 1; k <= 20000; k++) {
        pk_cpg_step(&g, &r, dt);
        if (k % 2000 == 0) {
          for (int i = 1; i < 4; i++) {
            const double found = g.phase[i] - g.phase[0] - place[i - 1];
            assert_near(found, error_after(parts[together][i - 1], 1 + together, k * dt / r.cycle), 2e-4);
          }
        }
      }
      assert_less(pk_cpg_distance(&g, &r), e);
    }
  }
}

/* From a trot to a walk: the differences of phase become those of the walk's footfalls, the duty its duty. */
static void a_trot_becomes_a_walk(void **state)
{
  (void)state;
  pk_rhythm trot, walk;
  pk_cpg g;
  pk_error err;
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_TROT, 4, 0.25, &trot, &err), PK_OK);
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_WALK, 4, 0.25, &walk, &err), PK_OK);
  pk_cpg_start(&g, 4, &trot);
  assert_greater(pk_cpg_distance(&g, &walk), 0.2);
  for (double t = 0; t < 12 * walk.cycle; t += 1e-3) {
    pk_cpg_step(&g, &walk, 1e-3);
    int standing = 0;
    for (int i = 0; i < 4; i++) {
      assert_greater(g.rate[i], 0);
      standing += pk_cpg_stands(&g, i);
    }
    assert_greater(standing, 0);
  }
  assert_less(pk_cpg_distance(&g, &walk), 1e-6);
  assert_near(g.duty, walk.duty, 1e-6);
  assert_near(g.cycle, walk.cycle, 1e-6);
}

static void gaits_without_a_rhythm_are_refused(void **state)
{
  (void)state;
  pk_rhythm r;
  pk_error err;
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_JUMP, 4, 0.25, &r, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_TROT, 4, 0, &r, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_TROT, 5, 0.25, &r, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_rhythm_of_gait(PK_GAIT_GALLOP, 6, 0.25, &r, &err), PK_ERROR_ARGUMENT);
}

/* ---- preview ---- */

static pk_preview *preview_of(double height, double step, int count, double jerk_weight)
{
  pk_preview_options o = pk_preview_options_default();
  o.height = height, o.step = step, o.count = count, o.jerk_weight = jerk_weight;
  pk_preview *p;
  pk_error err;
  if (pk_preview_create(&o, &p, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return p;
}

/* The gains of the regulator by going back from the end of 40 000 steps: P = F'PF - F'Pg inv(R + g'Pg) g'PF + Q. */
static void gains_are_those_of_the_riccati_recursion(void **state)
{
  (void)state;
  static const double height = 0.7, step = 0.02, weight = 1e-3, gravity = 9.81;
  const double tau = sqrt(height / gravity), T = step / tau;
  const double F[4][4] = {{1, 1, T, T * T / 2 - 1}, {0, 1, T, T * T / 2}, {0, 0, 1, T}, {0, 0, 0, 1}};
  const double g[4] = {T * T * T / 6 - T, T * T * T / 6, T * T / 2, T};
  double P[4][4] = {{1}}, gain[4] = {0};
  for (int round = 0; round < 40000; round++) {
    double Pg[4], PF[4][4], size = weight, next[4][4];
    for (int i = 0; i < 4; i++) {
      Pg[i] = 0;
      for (int j = 0; j < 4; j++) {
        Pg[i] += P[i][j] * g[j];
        PF[i][j] = 0;
        for (int k = 0; k < 4; k++) {
          PF[i][j] += P[i][k] * F[k][j];
        }
      }
      size += g[i] * Pg[i];
    }
    for (int j = 0; j < 4; j++) {
      gain[j] = 0;
      for (int k = 0; k < 4; k++) {
        gain[j] += g[k] * PF[k][j] / size;
      }
    }
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        next[i][j] = i == 0 && j == 0;
        for (int k = 0; k < 4; k++) {
          next[i][j] += F[k][i] * (PF[k][j] - Pg[k] * gain[j]);
        }
      }
    }
    memcpy(P, next, sizeof P);
  }
  pk_preview *p = preview_of(height, step, 200, weight);
  double error, of_state[3], cube = 1 / (tau * tau * tau);
  const double *ahead;
  pk_preview_gains(p, &error, of_state, &ahead);
  assert_near(error, cube * gain[0], 1e-8 * fabs(error));
  for (int k = 0; k < 3; k++, cube *= tau) {
    assert_near(of_state[k], cube * gain[k + 1], 1e-8 * fabs(of_state[k]));
  }
  assert_near(ahead[0], -error, 0);
  pk_preview_destroy(p);
}

static void fill(double *zmp, int n, double (*wanted)(double), double step)
{
  for (int k = 0; k < n; k++) {
    zmp[k] = wanted(k * step);
  }
}

static double ramp_from_two(double t)
{
  return t < 2 ? 0 : 0.2 * (t - 2);
}

static double step_at_six(double t)
{
  return t < 6 ? 0 : 0.1;
}

/* On a steady ramp the mass goes at the same speed over it, and the zero moment point is on it. */
static void a_ramp_is_followed_without_an_error(void **state)
{
  (void)state;
  double zmp[N], com[3 * N];
  pk_preview *p = preview_of(0.7, 0.01, 600, 1e-3); /* farther than starts and ends are felt */
  fill(zmp, N, ramp_from_two, 0.01);
  pk_preview_plan(p, zmp, N, com);
  for (int k = 560; k < 600; k++) {
    assert_near(com[3 * k], zmp[k], 1e-6);
    assert_near(com[3 * k + 1], 0.2, 1e-6);
    assert_near(com[3 * k + 2], 0, 1e-6);
  }
  pk_preview_destroy(p);
}

/* x - x''/omega^2 = p, p a step from 0 to D at t0, has one bounded solution: D/2 exp(omega (t - t0)) before, D (1 - exp(-omega (t - t0))/2)
 * after. With steps and weights of the jerk that vanish the preview comes to it. */
static double worst_of_step(double step, double weight)
{
  static double zmp[8 * N], com[24 * N];
  const int n = (int)(12 / step), count = (int)fmin(PK_PREVIEW_MOST, 3 / step);
  const double omega = sqrt(9.81 / 0.7);
  double worst = 0;
  pk_preview *p = preview_of(0.7, step, count, weight);
  fill(zmp, n, step_at_six, step);
  pk_preview_plan(p, zmp, n, com);
  for (int k = 0; k < n; k++) {
    const double t = k * step - 6;
    const double x = t < 0 ? 0.05 * exp(omega * t) : 0.1 - 0.05 * exp(-omega * t);
    worst = fmax(worst, fabs(com[3 * k] - x));
  }
  pk_preview_destroy(p);
  return worst;
}

static void a_step_is_met_as_the_cart_on_a_table_asks(void **state)
{
  (void)state;
  const double coarse = worst_of_step(0.02, 1e-4), fine = worst_of_step(0.005, 1e-6);
  print_message("off by %.2g m, and %.2g m with steps of a quarter\n", coarse, fine);
  assert_less(coarse, 5e-3);
  assert_less(fine, 1e-3);
  assert_less(fine, 0.4 * coarse);
}

/* Mass and zero moment point of a plan obey the equation of the cart. */
static void the_zero_moment_point_of_a_plan_is_where_it_was_asked_for(void **state)
{
  (void)state;
  double zmp[N], com[3 * N];
  pk_preview *p = preview_of(0.7, 0.01, 300, 1e-6);
  fill(zmp, N, step_at_six, 0.01);
  pk_preview_plan(p, zmp, N, com);
  for (int k = 0; k < 900; k++) {
    if (abs(k - 600) > 20) {
      assert_near(com[3 * k] - 0.7 / 9.81 * com[3 * k + 2], zmp[k], 1e-3);
    }
  }
  pk_preview_destroy(p);
}

static void options_out_of_range_are_refused(void **state)
{
  (void)state;
  pk_preview_options o = pk_preview_options_default();
  pk_preview *p;
  pk_error err;
  o.height = 0;
  assert_int_equal(pk_preview_create(&o, &p, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "height"));
  o = pk_preview_options_default(), o.count = PK_PREVIEW_MOST + 1;
  assert_int_equal(pk_preview_create(&o, &p, &err), PK_ERROR_ARGUMENT);
  pk_preview_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases_lock_as_the_closed_form_does),
      cmocka_unit_test(a_trot_becomes_a_walk),
      cmocka_unit_test(gaits_without_a_rhythm_are_refused),
      cmocka_unit_test(gains_are_those_of_the_riccati_recursion),
      cmocka_unit_test(a_ramp_is_followed_without_an_error),
      cmocka_unit_test(a_step_is_met_as_the_cart_on_a_table_asks),
      cmocka_unit_test(the_zero_moment_point_of_a_plan_is_where_it_was_asked_for),
      cmocka_unit_test(options_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
