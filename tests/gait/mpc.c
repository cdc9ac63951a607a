/* Forces over coming contacts: within their cones, dynamically true, and none that are allowed are better. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/cone.h"
#include "gait/mpc.h"
#include "math/mat3.h"
#include "support/bounds.h"

enum { X = PKI_MPC_STATES, N = PKI_MPC_KNOTS };

/* A body of unit mass and height on feet at the corners of a rectangle; each stands now and then. */
static pki_mpc problem_on(int legs, pki_random *random)
{
  pki_mpc m = {.legs = legs,
               .gravity = {0, 0, -1},
               .normal = {0, 0, 1},
               .friction = 0.6,
               .least = 0.05,
               .limit = 0.9,
               .weight = {1, 1, 3, 0.5, 0.5, 8, 0.1, 0.1, 0.1, 2, 2, 0.3},
               .last = 3,
               .effort = 0.05,
               .rounds = 400};
  m.inertia_inverse[0] = 12, m.inertia_inverse[4] = 5, m.inertia_inverse[8] = 4;
  for (int r = 0; r < X; r++) {
    m.start[r] = 0.1 * pki_random_between(random, -1, 1);
  }
  for (int k = 0; k < N; k++) {
    pki_mpc_knot *knot = &m.knots[k];
    knot->dt = 0.12;
    for (int i = 0; i < legs; i++) {
      const double part = pki_random_between(random, -0.5, 1.5);
      knot->share[i] = part < 0 ? 0 : fmin(part, 1);
      knot->arm[i][0] = i < 2 ? 0.6 : i < 4 ? -0.6 : 0;
      knot->arm[i][1] = i % 2 ? -0.4 : 0.4;
      knot->arm[i][2] = -1;
    }
  }
  return m;
}

static pki_mpc problem(pki_random *random)
{
  return problem_on(4, random);
}

/* One knot, written out again. */
static void roll(const pki_mpc *m, const pki_mpc_knot *knot, const double *f, double x[X])
{
  double a[3], moment[3] = {0, 0, 0}, alpha[3];
  memcpy(a, m->gravity, sizeof a);
  for (int i = 0; i < PKI_LEGS; i++) {
    double turn[3];
    pki_cross3(knot->arm[i], f + 3 * i, turn);
    for (int r = 0; r < 3; r++) {
      a[r] += knot->share[i] * f[3 * i + r];
      moment[r] += knot->share[i] * turn[r];
    }
  }
  pki_mat3_apply(m->inertia_inverse, moment, alpha);
  for (int r = 0; r < 3; r++) {
    x[r] += knot->dt * (x[6 + r] + 0.5 * knot->dt * alpha[r]);
    x[3 + r] += knot->dt * (x[9 + r] + 0.5 * knot->dt * a[r]);
    x[6 + r] += knot->dt * alpha[r];
    x[9 + r] += knot->dt * a[r];
  }
}

static double cost(const pki_mpc *m, double force[N][PKI_MPC_FORCES])
{
  double sum = 0, x[X];
  memcpy(x, m->start, sizeof x);
  for (int k = 0; k < N; k++) {
    const pki_mpc_knot *knot = &m->knots[k];
    roll(m, knot, force[k], x);
    for (int r = 0; r < X; r++) {
      const double off = x[r] - knot->wanted[r];
      sum += 0.5 * (k == N - 1 ? m->last : 1) * m->weight[r] * off * off;
    }
    for (int i = 0; i < PKI_MPC_FORCES; i++) {
      sum += 0.5 * m->effort * knot->dt * knot->share[i / 3] * force[k][i] * force[k][i];
    }
  }
  return sum;
}

/* Random allowed changes, and random ways towards other allowed forces, cost more. */
static double largest_gain(int legs)
{
  pki_random random = pki_random_seeded(3);
  double gain = 0;
  for (int trial = 0; trial < 20; trial++) {
    pki_mpc m = problem_on(legs, &random);
    pki_mpc_guess guess;
    memset(&guess, 0, sizeof guess);
    pki_mpc_solve(&m, &guess);
    const double least = cost(&m, m.force);
    for (int change = 0; change < 200; change++) {
      double other[N][PKI_MPC_FORCES];
      memcpy(other, m.force, sizeof other);
      const double size = pow(10, -1 - change % 3);
      for (int i = 0; i < N * PKI_MPC_FORCES; i++) {
        other[i / PKI_MPC_FORCES][i % PKI_MPC_FORCES] += size * pki_random_between(&random, -1, 1);
      }
      for (int i = 0; i < N * PKI_LEGS; i++) {
        double *f = other[i / PKI_LEGS] + 3 * (i % PKI_LEGS);
        if (m.knots[i / PKI_LEGS].share[i % PKI_LEGS] > 0) {
          pki_cone_project(m.normal, m.friction, m.least, m.limit, f);
        }
      }
      gain = fmax(gain, 1 - cost(&m, other) / least);
    }
  }
  print_message("%d legs: largest relative gain by other allowed forces: %.1e\n", legs, gain);
  return gain;
}

/* Forces settle to 1e-3 of themselves, the cost to about as much: measured 1.5e-3 and, with two more forces to settle, 3.2e-3. */
static void no_allowed_forces_are_better_by_more_than_the_stop_rule_leaves(void **state)
{
  (void)state;
  assert_less(largest_gain(4), 2e-3);
  assert_less(largest_gain(6), 5e-3);
}

static void forces_are_allowed_and_states_are_theirs(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(5);
  for (int trial = 0; trial < 50; trial++) {
    pki_mpc m = problem(&random);
    m.rounds = 15;
    pki_mpc_guess guess;
    memset(&guess, 0, sizeof guess);
    pki_mpc_solve(&m, &guess);
    double x[X];
    memcpy(x, m.start, sizeof x);
    for (int k = 0; k < N; k++) {
      roll(&m, &m.knots[k], m.force[k], x);
      for (int r = 0; r < X; r++) {
        assert_less(fabs(x[r] - m.state[k][r]), 1e-12);
      }
      for (int i = 0; i < PKI_LEGS; i++) {
        const double *f = m.force[k] + 3 * i, side = hypot(f[0], f[1]);
        const bool stands = m.knots[k].share[i] > 0;
        assert_true(stands
                        ? f[2] > m.least - 1e-12 && f[2] < m.limit + 1e-12 && side < m.friction * f[2] + 1e-12
                        : f[2] == 0 && side == 0);
      }
    }
  }
}

/* All in the air: nothing to decide, it falls. */
static void without_feet_it_falls(void **state)
{
  (void)state;
  pki_random random = pki_random_seeded(9);
  pki_mpc m = problem(&random);
  pki_mpc_guess guess;
  memset(&guess, 0, sizeof guess);
  memset(m.start, 0, sizeof m.start);
  for (int k = 0; k < N; k++) {
    memset(m.knots[k].share, 0, sizeof m.knots[k].share);
  }
  pki_mpc_solve(&m, &guess);
  const double t = N * 0.12;
  assert_less(fabs(m.state[N - 1][5] + 0.5 * t * t), 1e-12);
  assert_less(fabs(m.state[N - 1][11] + t), 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_allowed_forces_are_better_by_more_than_the_stop_rule_leaves),
      cmocka_unit_test(forces_are_allowed_and_states_are_theirs),
      cmocka_unit_test(without_feet_it_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
