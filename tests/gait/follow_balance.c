/* Balance along a motion: the regulator of footholds and pressure against what is known of the linear inverted pendulum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gait/follow_balance.h"
#include "support/bounds.h"

static const double gravity = 9.81, height = 0.5;
enum { STEPS = PKI_BALANCE_STEPS };

typedef struct plan {
  pki_balance_sample samples[STEPS];
  pki_balance balance;
  double *gains;
} plan;

static double own_rate(void)
{
  return sqrt(gravity / height);
}

static void design(plan *p, int feet, double length, bool repeats, const pki_balance_weights *weights)
{
  p->gains = malloc(pki_balance_size(feet) * sizeof(double));
  assert_non_null(p->gains);
  pki_balance_design(p->samples, feet, length, repeats, height, gravity, weights, p->gains, &p->balance);
}

/* Two point feet in turn, as a biped on stilts. */
static plan walk_on_stilts(double length, const pki_balance_weights *weights)
{
  plan p = {.gains = NULL};
  for (int i = 0; i < STEPS; i++) {
    const int on = i >= STEPS / 2;
    p.samples[i] = (pki_balance_sample){.rate = own_rate()};
    p.samples[i].stands[on] = true, p.samples[i].share[on] = 1;
  }
  design(&p, 2, length, true, weights);
  return p;
}

/* Four feet; two stand at all times, on a side or on a diagonal, each for half of the cycle. Left fore, right fore, left hind, right hind. */
static plan amble(double length, const pki_balance_weights *weights)
{
  static const double at[4][2] = {{0.3, 0.2}, {0.3, -0.2}, {-0.3, 0.2}, {-0.3, -0.2}};
  static const int pairs[4][2] = {{0, 3}, {1, 3}, {1, 2}, {0, 2}};
  plan p = {.gains = NULL};
  for (int i = 0; i < STEPS; i++) {
    const int *pair = pairs[4 * i / STEPS];
    const double x = 0.5 * (at[pair[0]][0] - at[pair[1]][0]), y = 0.5 * (at[pair[0]][1] - at[pair[1]][1]),
                 size = hypot(x, y);
    p.samples[i] =
        (pki_balance_sample){.rate = own_rate(), .spread = {x * x / size, x * y / size, y * y / size}};
    for (int k = 0; k < 2; k++) {
      p.samples[i].stands[pair[k]] = true, p.samples[i].share[pair[k]] = 0.5;
    }
  }
  design(&p, 4, length, true, weights);
  return p;
}

/* The pendulum itself, integrated finely, with the feedback; errors after some repetitions. */
static void run_pendulum(const plan *p, int cycles, double *x)
{
  enum { FINE = 8 };
  const pki_balance *b = &p->balance;
  const double dt = b->length / STEPS / FINE;
  double push[2], places[PKI_WHOLE_MOTION_FEET][2];
  for (int i = 0; i < cycles * STEPS; i++) {
    const pki_balance_sample *now = &p->samples[i % STEPS], *before = &p->samples[(i + STEPS - 1) % STEPS];
    for (int f = 0; f < b->feet; f++) {
      if (now->stands[f] && !before->stands[f] && i > 0) { /* as the last sample of its swing says */
        pki_balance_at(b, ((i + STEPS - 1) % STEPS + 0.99) / STEPS * b->length, x, push, places);
        x[4 + 2 * f] = places[f][0], x[5 + 2 * f] = places[f][1];
      }
      if (!now->stands[f]) {
        x[4 + 2 * f] = x[5 + 2 * f] = 0;
      }
    }
    for (int k = 0; k < FINE; k++) {
      pki_balance_at(b, (i % STEPS + 0.5) / STEPS * b->length, x, push, places);
      for (int e = 0; e < 2; e++) {
        x[e] += dt * (x[2 + e] + 0.5 * dt * push[e]);
        x[2 + e] += dt * push[e];
      }
    }
  }
}

/* The divergent part e + e'/w grows by exp(wT) in a long step: whatever the weights are, a foot that does not land on it costs most. */
static void long_steps_land_on_the_capture_point(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  const double w = own_rate();
  plan p = walk_on_stilts(2 * 8 / w, &weights);
  const double errors[8] = {0.02, -0.01, 0.1, 0.05, 0, 0, 0, 0};
  double push[2], places[PKI_WHOLE_MOTION_FEET][2];
  /* just before the second foot lands */
  pki_balance_at(&p.balance, (STEPS / 2 - 0.5) / STEPS * p.balance.length, errors, push, places);
  /* what is left of the first foot's last sample lets them grow a little */
  const double grown = exp(w * p.balance.length / STEPS);
  for (int e = 0; e < 2; e++) {
    assert_near(places[1][e], grown * (errors[e] + errors[2 + e] / w), 2e-3 * fabs(places[1][e]));
  }
  free(p.gains);
}

/* Without feedback errors would grow by exp(5) in each cycle. */
static void errors_vanish_on_two_feet(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = amble(5 / own_rate(), &weights);
  double x[PKI_BALANCE_STATES] = {0.02, -0.03, 0.1, 0.1};
  run_pendulum(&p, 12, x);
  for (int k = 0; k < 4; k++) {
    assert_less(fabs(x[k]), 1e-3);
  }
  free(p.gains);
}

static void errors_vanish_on_stilts(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = walk_on_stilts(3 / own_rate(), &weights);
  double x[PKI_BALANCE_STATES] = {0.02, -0.03, 0.1, 0.1};
  run_pendulum(&p, 12, x);
  for (int k = 0; k < 4; k++) {
    assert_less(fabs(x[k]), 1e-3);
  }
  free(p.gains);
}

/* Across the line through two feet the pendulum falls as it must; along it the pressure can do something. */
static void pressure_acts_only_along_the_line_through_two_feet(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = amble(5 / own_rate(), &weights);
  const double errors[PKI_BALANCE_STATES] = {0.02, -0.03, 0.1, 0.2}, w = own_rate();
  for (int i = 0; i < STEPS; i++) {
    /* a matrix of rank one: its longer column is along the line */
    const double *s = p.samples[i].spread, *column = s[0] > s[2] ? s : s + 1,
                 size = hypot(column[0], column[1]);
    const double line[2] = {column[0] / size, column[1] / size};
    double push[2], places[PKI_WHOLE_MOTION_FEET][2];
    pki_balance_at(&p.balance, (i + 0.5) / STEPS * p.balance.length, errors, push, places);
    const double across = push[1] * line[0] - push[0] * line[1],
                 fall = w * w * (errors[1] * line[0] - errors[0] * line[1]);
    assert_near(across, fall, 1e-12);
  }
  free(p.gains);
}

/* On a support that never changes each axis is a regulator whose closed loop is known: with b = w^2 S, the ratios q_e = place/(pressure h^2)
 * and q_v = speed/(pressure g h) of weights, and by the spectral factor of (s^2 - w^2)^2 + b^2 (q_e - q_v s^2) (Kalman 1964),
 *
 *   e'' = -a_0 e - a_1 e',   a_0 = sqrt(w^4 + b^2 q_e),   a_1 = sqrt(2 a_0 + 2 w^2 + b^2 q_v)
 *
 * up to the length of the design's steps, 0.7 % of the pendulum's time. */
static void a_stand_has_the_feedback_of_the_known_regulator(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 2, 1};
  const double spread[2] = {0.3, 0.2}, w2 = gravity / height;
  for (int repeats = 0; repeats < 2; repeats++) {
    plan p = {.gains = NULL};
    for (int i = 0; i < STEPS; i++) {
      p.samples[i] = (pki_balance_sample){.rate = own_rate(), .spread = {spread[0], 0, spread[1]}};
      for (int f = 0; f < 4; f++) {
        p.samples[i].stands[f] = true, p.samples[i].share[f] = 0.25;
      }
    }
    design(&p, 4, 0.2, repeats == 1, &weights);
    for (int e = 0; e < 2; e++) {
      const double b = w2 * spread[e], a0 = sqrt(w2 * w2 + b * b * 0.3 / (2 * height * height)),
                   a1 = sqrt(2 * a0 + 2 * w2 + b * b / (2 * gravity * height));
      double push[2], places[PKI_WHOLE_MOTION_FEET][2], place[PKI_BALANCE_STATES] = {0},
                                                        rate[PKI_BALANCE_STATES] = {0};
      place[e] = 1, rate[2 + e] = 1;
      pki_balance_at(&p.balance, 0.05, place, push, places);
      assert_near(push[e], -a0, 0.03 * a0);
      pki_balance_at(&p.balance, 0.05, rate, push, places);
      assert_near(push[e], -a1, 0.03 * a1);
    }
    free(p.gains);
  }
}

static void nothing_is_asked_where_there_is_no_error(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = amble(5 / own_rate(), &weights);
  const double errors[PKI_BALANCE_STATES] = {0};
  double push[2], places[PKI_WHOLE_MOTION_FEET][2];
  pki_balance_at(&p.balance, 0.1, errors, push, places);
  assert_near(hypot(push[0], push[1]), 0, 0);
  assert_near(hypot(places[1][0], places[2][1]), 0, 0);
  free(p.gains);
}

static void nothing_pushes_in_flight(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = walk_on_stilts(3 / own_rate(), &weights);
  for (int i = 0; i < STEPS / 4; i++) {
    p.samples[i] = (pki_balance_sample){.rate = 0};
  }
  free(p.gains);
  design(&p, 2, 3 / own_rate(), true, &weights);
  const double errors[PKI_BALANCE_STATES] = {0.02, -0.03, 0.1, 0.1};
  double push[2], places[PKI_WHOLE_MOTION_FEET][2];
  pki_balance_at(&p.balance, 0.1 * p.balance.length, errors, push, places);
  assert_near(hypot(push[0], push[1]), 0, 0);
  assert_greater(hypot(places[0][0], places[0][1]), 0.01); /* but the next foothold knows */
  free(p.gains);
}

/* A support that cannot be kept has no finite cost; numbers stay numbers. */
static void an_end_on_one_line_gives_finite_gains(void **state)
{
  (void)state;
  const pki_balance_weights weights = {0.3, 1, 1, 1};
  plan p = {.gains = NULL};
  for (int i = 0; i < STEPS; i++) {
    p.samples[i] = (pki_balance_sample){.rate = own_rate(), .spread = {0.3, 0, 0}};
    p.samples[i].stands[0] = p.samples[i].stands[1] = true,
    p.samples[i].share[0] = p.samples[i].share[1] = 0.5;
  }
  design(&p, 2, 1, false, &weights);
  for (size_t i = 0; i < pki_balance_size(2); i++) {
    assert_true(isfinite(p.gains[i]));
  }
  free(p.gains);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_steps_land_on_the_capture_point),
      cmocka_unit_test(errors_vanish_on_two_feet),
      cmocka_unit_test(errors_vanish_on_stilts),
      cmocka_unit_test(pressure_acts_only_along_the_line_through_two_feet),
      cmocka_unit_test(a_stand_has_the_feedback_of_the_known_regulator),
      cmocka_unit_test(nothing_is_asked_where_there_is_no_error),
      cmocka_unit_test(nothing_pushes_in_flight),
      cmocka_unit_test(an_end_on_one_line_gives_finite_gains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
