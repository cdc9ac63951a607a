/* One collision with friction: balls in closed form, random bodies against small implicit steps of the impulse, energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/problem/strike.h"
#include "support/bounds.h"
#include "support/pace.h"

/* A solid ball: 1/m along the normal, 7/(2 m) along the surface, nothing between them. It slides throughout below
 * mu = 2/7 s/((1 + e) |v_n|) and rolls away above. */
static void a_ball_slides_below_two_sevenths_of_its_slip_and_rolls_above(void **state)
{
  (void)state;
  const double m = 2, K[9] = {1 / m, 0, 0, 0, 3.5 / m, 0, 0, 0, 3.5 / m}, fall = 1.5, slip = 3;
  int slid = 0, rolled = 0;
  for (int k = 0; k < 200; k++) {
    const double e = 0.25 * (k % 5), angle = 0.1 * k, parts = 0.05 + 0.01 * k;
    const double most = 2.0 / 7 * slip / ((1 + e) * fall), mu = parts * most;
    const double v[3] = {-fall, slip * cos(angle), slip * sin(angle)};
    const double normal = m * (1 + e) * fall, along = parts < 1 ? mu * normal : slip * m / 3.5;
    double p[3];
    pki_strike(K, v, mu, e, p);
    assert_near(p[0], normal, 1e-12 * normal);
    assert_near(p[1], -along * cos(angle), 1e-12 * normal);
    assert_near(p[2], -along * sin(angle), 1e-12 * normal);
    slid += parts<1, rolled += parts> 1;
  }
  assert_true(slid > 50 && rolled > 50);
}

/* ---- any body ---- */

typedef struct blow {
  double K[9], v[3], mu, e;
} blow;

/* K of a contact at r from the centre of a body: 1/m - r x inv(I) r x, about principal axes that do not lie along the contact's. */
static blow random_blow(pki_random *rng)
{
  blow b = {.mu = 1.5 * pki_random_unit(rng), .e = pki_random_unit(rng)};
  double r[3], inertia[3];
  for (int i = 0; i < 3; i++) {
    r[i] = 2 * pki_random_unit(rng) - 1;
    inertia[i] = 0.05 + pki_random_unit(rng);
    b.v[i] = 2 * pki_random_unit(rng) - 1;
  }
  b.v[0] = -fabs(b.v[0]) - 0.05;
  const double X[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      b.K[3 * i + j] = i == j;
      for (int k = 0; k < 3; k++) {
        b.K[3 * i + j] += X[i][k] * X[j][k] / inertia[k];
      }
    }
  }
  return b;
}

static void velocity_after(const blow *b, const double p[3], double v[3])
{
  for (int i = 0; i < 3; i++) {
    v[i] = b->v[i] + b->K[3 * i] * p[0] + b->K[3 * i + 1] * p[1] + b->K[3 * i + 2] * p[2];
  }
}

/* Friction of a small normal impulse that is against the slip after it, or leaves none: projected steps on the disc. */
static void small_friction(const blow *b, const double v[3], double dp, double f[2])
{
  const double *K = b->K, step = 1 / (K[4] + K[8]);
  for (int k = 0; k < 400; k++) {
    const double x = f[0] - step * (v[1] + K[3] * dp + K[4] * f[0] + K[5] * f[1]);
    const double y = f[1] - step * (v[2] + K[6] * dp + K[7] * f[0] + K[8] * f[1]);
    const double size = hypot(x, y), part = size > b->mu * dp ? b->mu * dp / size : 1;
    const double moved = fabs(part * x - f[0]) + fabs(part * y - f[1]);
    f[0] = part * x, f[1] = part * y;
    if (moved < 1e-12 * dp) {
      break;
    }
  }
}

/* The same collision in many such impulses. */
static void small_impulses(const blow *b, double dp, double p[3])
{
  double work = 0, least = 0, f[2] = {0, 0};
  p[0] = p[1] = p[2] = 0;
  for (int k = 0; k < 10000000; k++) {
    double v[3], next[3];
    velocity_after(b, p, v);
    small_friction(b, v, dp, f);
    p[0] += dp, p[1] += f[0], p[2] += f[1];
    velocity_after(b, p, next);
    work += 0.5 * dp * (v[0] + next[0]);
    least = fmin(least, work);
    if (next[0] >= 0 && work >= (1 - b->e * b->e) * least) {
      return;
    }
  }
  fail();
}

static void any_body_is_struck_as_by_many_small_impulses(void **state)
{
  (void)state;
  const int cases = PACE(60, 12);
  pki_random rng = pki_random_seeded(5);
  double worst = 0;
  for (int k = 0; k < cases; k++) {
    const blow b = random_blow(&rng);
    double p[3], q[3], size = 0, apart = 0;
    pki_strike(b.K, b.v, b.mu, b.e, p);
    small_impulses(&b, p[0] / 20000, q);
    for (int i = 0; i < 3; i++) {
      size = fmax(size, fabs(p[i])), apart = fmax(apart, fabs(p[i] - q[i]));
    }
    worst = fmax(worst, apart / size);
  }
  print_message("%d bodies: apart by %.1e of the impulse, the small ones are 5e-5 of it\n", cases, worst);
  assert_less(worst, 2e-4);
}

static void no_collision_gains_energy_or_leaves_the_cone(void **state)
{
  (void)state;
  const int cases = PACE(20000, 2000);
  pki_random rng = pki_random_seeded(7);
  double gain = -INFINITY, newton = 0;
  int jammed = 0;
  for (int k = 0; k < cases; k++) {
    blow b = random_blow(&rng);
    b.mu *= 2;
    double p[3], v[3], energy = 0;
    pki_strike(b.K, b.v, b.mu, b.e, p);
    velocity_after(&b, p, v);
    for (int i = 0; i < 3; i++) {
      energy += 0.5 * p[i] * (b.v[i] + v[i]);
    }
    const double slip = hypot(b.v[1], b.v[2]);
    jammed += b.K[0] < b.mu * (b.K[1] * b.v[1] + b.K[2] * b.v[2]) / slip;
    gain = fmax(gain, energy / (p[0] * fabs(b.v[0])));
    newton = fmax(newton, fabs(-v[0] / b.v[0] - b.e));
    assert_at_least(v[0], -1e-12);
    assert_at_most(hypot(p[1], p[2]), b.mu * p[0] * (1 + 1e-12));
  }
  print_message("gains at most %.1e of what was exchanged; %d would jam; Newton's e is off by up to %.2f\n",
                gain, jammed, newton);
  assert_at_most(gain, 1e-12);
  assert_greater(jammed, cases / 100);
  assert_greater(newton, 0.1); /* with friction the two laws differ */
}

/* Without friction Stronge's law is Newton's: p = (1 + e) |v_n| / K_nn. */
static void without_friction_the_laws_of_restitution_agree(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(9);
  for (int k = 0; k < 200; k++) {
    const blow b = random_blow(&rng);
    double p[3];
    pki_strike(b.K, b.v, 0, b.e, p);
    assert_near(p[0], -(1 + b.e) * b.v[0] / b.K[0], 1e-12 * p[0]);
    assert_true(p[1] == 0 && p[2] == 0);
  }
}

/* A contact of a mechanism in a plane moves along one tangent alone: it is struck as in that plane, however its tangents lie. */
static void a_contact_that_moves_in_a_plane_is_struck_there(void **state)
{
  (void)state;
  for (int k = 0; k < 40; k++) {
    const double angle = 0.1 * k, c = cos(angle), s = sin(angle), mu = 0.1 * (k % 12), e = 0.3, cross = 0.7;
    const double along[9] = {1, cross, 0, cross, 1.5, 0, 0, 0, 1}, v[3] = {-1, k % 2 ? 0.8 : -0.8, 0};
    const double turned[9] = {1,           cross * c, cross * s,   cross * c,  1.5 * c * c,
                              1.5 * c * s, cross * s, 1.5 * c * s, 1.5 * s * s};
    const double w[3] = {v[0], c * v[1], s * v[1]};
    double p[3], q[3];
    pki_strike(along, v, mu, e, p);
    pki_strike(turned, w, mu, e, q);
    assert_near(q[0], p[0], 1e-8);
    assert_near(c * q[1] + s * q[2], p[1], 1e-8);
    assert_near(c * q[2] - s * q[1], 0, 1e-8);
  }
}

static void what_does_not_approach_is_not_struck(void **state)
{
  (void)state;
  const double K[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {0, 1, 0};
  double p[3];
  pki_strike(K, v, 0.5, 0.5, p);
  assert_true(p[0] == 0 && p[1] == 0 && p[2] == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_slides_below_two_sevenths_of_its_slip_and_rolls_above),
      cmocka_unit_test(any_body_is_struck_as_by_many_small_impulses),
      cmocka_unit_test(no_collision_gains_energy_or_leaves_the_cone),
      cmocka_unit_test(without_friction_the_laws_of_restitution_agree),
      cmocka_unit_test(a_contact_that_moves_in_a_plane_is_struck_there),
      cmocka_unit_test(what_does_not_approach_is_not_struck),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
