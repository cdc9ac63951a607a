/* Preview control is the best there is, against a dense least-squares solution of the same problem. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gait/preview.h"
#include "math/lu.h"
#include "support/bounds.h"

enum { LONG = 200 };
static const double T = PKI_PREVIEW_STEP;

static void advance(double x[3], double u)
{
  x[0] += T * (x[1] + T * (0.5 * x[2] + T * u / 6));
  x[1] += T * (x[2] + 0.5 * T * u);
  x[2] += T * u;
}

/* Steps to and fro, all seen from the start. */
static double wanted(int k)
{
  return k >= 30 && k < 45 ? 1 : k >= 45 && k < 60 ? -0.5 : 0;
}

/* min sum Q e^2 + R (u - u_before)^2 over LONG steps: normal equations in the changes v of u. */
static void best(double Q, double R, double out[LONG])
{
  static double H[LONG * LONG], response[LONG];
  static int pivot[LONG];
  double x[3] = {0, 0, 0};
  for (int k = 0; k < LONG; k++) { /* of p to v = 1 at the first step: u = 1 from then on */
    advance(x, 1);
    response[k] = x[0] - x[2];
  }
  for (int i = 0; i < LONG; i++) {
    out[i] = 0;
    for (int j = 0; j < LONG; j++) {
      double sum = i == j ? R : 0;
      for (int k = i > j ? i : j; k < LONG; k++) {
        sum += Q * response[k - i] * response[k - j];
      }
      H[LONG * i + j] = sum;
    }
    for (int k = i; k < LONG; k++) {
      out[i] += Q * response[k - i] * wanted(k + 1);
    }
  }
  assert_true(pki_lu_factor(H, LONG, pivot));
  pki_lu_solve(H, LONG, pivot, out);
}

static void it_is_the_best_path(void **state)
{
  (void)state;
  static const double Q = 1, R = 1e-3;
  double v[LONG], x[3] = {0, 0, 0}, u = 0, worst = 0;
  best(Q, R, v);
  pki_preview gains;
  pki_preview_design(Q, R, &gains);
  pki_cart cart;
  memset(&cart, 0, sizeof cart);
  for (int k = 0; k < 140; k++) {
    double coming[PKI_PREVIEW];
    for (int j = 0; j < PKI_PREVIEW; j++) {
      coming[j] = wanted(k + 1 + j);
    }
    pki_preview_step(&gains, coming, &cart);
    u += v[k];
    advance(x, u);
    worst = fmax(worst, fabs(cart.x[0] - x[0]));
  }
  print_message("largest distance from the best path: %.1e\n", worst);
  assert_less(worst, 1e-6);
}

/* The zero moment point follows; the mass starts to move before it. */
static void the_zero_moment_point_follows(void **state)
{
  (void)state;
  pki_preview gains;
  pki_preview_design(1, 1e-3, &gains);
  pki_cart cart;
  memset(&cart, 0, sizeof cart);
  for (int k = 0; k < 400; k++) {
    double coming[PKI_PREVIEW];
    for (int j = 0; j < PKI_PREVIEW; j++) {
      coming[j] = (k + 1 + j) % 80 < 40 ? 0 : 1;
    }
    pki_preview_step(&gains, coming, &cart);
    const int place = (k + 1) % 40;
    if (k > 100 && place > 5 && place < 35) {
      assert_less(fabs(cart.x[0] - cart.x[2] - coming[0]), 5e-3);
    }
  }
}

/* If all references move, the mass moves with them: gains of state and references cancel. */
static void gains_of_state_and_references_cancel(void **state)
{
  (void)state;
  pki_preview gains;
  pki_preview_design(1, 1e-3, &gains);
  double sum = gains.state[0];
  for (int j = 0; j < PKI_PREVIEW; j++) {
    sum += gains.ahead[j];
  }
  assert_less(fabs(sum), 1e-3 * gains.state[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_best_path),
      cmocka_unit_test(the_zero_moment_point_follows),
      cmocka_unit_test(gains_of_state_and_references_cancel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
