/* Contacts of springs under the schemes that integrate forces: rk4 and the adaptive ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/world.h"

static const double G = 9.81, MASS = 2, RADIUS = 0.1, K = 5000;
static const double BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625};

static pk_sim_options springs(pk_stepper stepper, pk_contact_law law, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.law = law, o.dt = dt;
  o.stiffness_n = o.stiffness_t = K, o.damping_n = o.damping_t = 0;
  return o;
}

static pk_sim *ball_on(const pk_model *m, const pk_terrain *t, const pk_sim_options *o, double height)
{
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, o);
  pk_sim_q(sim)[2] = height;
  return sim;
}

static pk_model *ball(void)
{
  return solid_model(PK_SHAPE_SPHERE, (const double[3]){RADIUS, 0, 0}, MASS,
                     (const double[3]){0.008, 0.008, 0.008});
}

static void run(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    must_step(sim);
  }
}

/* m z'' = -K (z - z_0) - d z' about the depth at rest: z = z_0 + A exp(-a t) cos(w t + phase). */
static void a_ball_that_stays_on_its_spring_swings_with_order_four(void **state)
{
  (void)state;
  static const double span = 0.5, d = 30, depth = 0.8; /* of the rest's depth it is deflected */
  pk_model *m = ball();
  pk_terrain *t = slope_terrain(0);
  const double a = d / (2 * MASS), w = sqrt(K / MASS - a * a), rest = -MASS * G / K, A = depth * rest;
  const double decay = A * exp(-a * span), c = cos(w * span), sn = sin(w * span);
  const double z = RADIUS + rest + decay * (c + a / w * sn), v = -decay * (w + a * a / w) * sn;
  double error[3];
  for (int i = 0; i < 3; i++) {
    const int steps = 50 << i;
    pk_sim_options o = springs(PK_STEPPER_RK4, PK_CONTACT_LAW_COMPLIANT, span / steps);
    o.damping_n = d;
    pk_sim *sim = ball_on(m, t, &o, RADIUS + rest + A);
    run(sim, steps);
    error[i] = hypot(pk_sim_q(sim)[2] - z, (pk_sim_u(sim)[2] - v) / w);
    pk_sim_destroy(sim);
  }
  print_message("errors %.2e, %.2e, %.2e m: orders %.2f, %.2f\n", error[0], error[1], error[2],
                log2(error[0] / error[1]), log2(error[1] / error[2]));
  assert_near(log2(error[1] / error[2]), 4, 0.2);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Height of a ball that falls from rest by `fall` onto its spring without a damper: flight, half a swing and more, flight. */
static double bounced_height(double fall, double time)
{
  const double w = sqrt(K / MASS), rest = MASS * G / K, v = sqrt(2 * G * fall), t_down = v / G;
  /* in contact y = rest depth + ..., z = -rest + rest cos(w s) - v/w sin(w s); up again at phase 2 (pi - atan(v/(w rest))) */
  const double t_on = 2 * (acos(-1) - atan2(v, w * rest)) / w;
  const double s = time - t_down;
  if (s <= 0) {
    return RADIUS + fall - 0.5 * G * time * time;
  }
  if (s <= t_on) {
    return RADIUS - rest + rest * cos(w * s) - v / w * sin(w * s);
  }
  const double up = s - t_on;
  return RADIUS + v * up - 0.5 * G * up * up;
}

/* A spring that meets and leaves the ground has a kink in its force: of the second order where there is no damper, at any phase
 * of the step; no energy is gained beyond that. */
static void a_bounce_keeps_its_height_with_order_two(void **state)
{
  (void)state;
  static const double fall = 0.05, span = 0.22;
  enum { PHASES = 32 };
  pk_model *m = ball();
  pk_terrain *t = slope_terrain(0);
  double error[3] = {0}, gain[3] = {0};
  for (int i = 0; i < 3; i++) {
    for (int phase = 0; phase < PHASES; phase++) {
      const int steps = (110 << (2 * i)) + phase % 2;
      const pk_sim_options o = springs(PK_STEPPER_RK4, PK_CONTACT_LAW_PENALTY, span / steps);
      const double h = fall * (1 + 1e-2 * phase / PHASES);
      pk_sim *sim = ball_on(m, t, &o, RADIUS + h);
      run(sim, steps);
      const double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
      error[i] = fmax(error[i], fabs(q[2] - bounced_height(h, span)));
      gain[i] = fmax(gain[i], fabs((G * (q[2] - RADIUS - h) + 0.5 * u[2] * u[2]) / (G * h)));
      pk_sim_destroy(sim);
    }
  }
  print_message("errors %.2e, %.2e, %.2e m, energy %.2e, %.2e, %.2e of it: orders %.2f, %.2f\n", error[0],
                error[1], error[2], gain[0], gain[1], gain[2], 0.5 * log2(error[0] / error[1]),
                0.5 * log2(error[1] / error[2]));
  assert_greater(0.5 * log2(error[1] / error[2]), 1.7);
  assert_less(gain[2], 1e-5);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void adaptive_steppers_follow_a_bounce_to_their_tolerance(void **state)
{
  (void)state;
  static const double fall = 0.05, span = 0.22;
  pk_model *m = ball();
  pk_terrain *t = slope_terrain(0);
  for (int s = PK_STEPPER_ARK_EXPLICIT; s <= PK_STEPPER_ARK_IMPLICIT; s++) {
    pk_sim_options o = springs((pk_stepper)s, PK_CONTACT_LAW_COMPLIANT, 0.01);
    pk_sim *sim;
    pk_error err;
    o.rtol = 1e-8, o.atol = 1e-10;
    if (pk_sim_create(m, &o, &sim, &err) == PK_ERROR_UNSUPPORTED) {
      continue; /* built without SUNDIALS */
    }
    pk_sim_destroy(sim);
    sim = ball_on(m, t, &o, RADIUS + fall);
    run(sim, 22);
    const double error = fabs(pk_sim_q(sim)[2] - bounced_height(fall, span));
    print_message("stepper %d: error %.2e m\n", s, error);
    assert_less(error, 1e-6);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A block that sits askew on springs which stick: no closed form, but steps of a quarter must differ by 4^4 less. */
static void contacts_that_stick_keep_order_four(void **state)
{
  (void)state;
  static const double span = 0.1;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0.1);
  const pk_contact_law laws[] = {PK_CONTACT_LAW_COMPLIANT, PK_CONTACT_LAW_PENALTY};
  for (size_t l = 0; l < sizeof laws / sizeof laws[0]; l++) {
    double end[4][7], apart[3]; /* below 1e-9 m the rolling of anchors shows, which is counted step by step */
    for (int i = 0; i < 4; i++) {
      const int steps = 25 << i;
      pk_sim_options o = springs(PK_STEPPER_RK4, laws[l], span / steps);
      o.damping_t = 20;
      pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.9}, &o);
      double *q = pk_sim_q(sim);
      const double sunk = 0.05 - MASS * G * cos(0.1) / (4 * K);
      q[0] = sunk * sin(0.1), q[2] = sunk * cos(0.1), q[3] = cos(0.05), q[5] = sin(0.05);
      pk_sim_u(sim)[5] = 0.02;
      run(sim, steps);
      memcpy(end[i], pk_sim_q(sim), sizeof end[i]);
      pk_sim_destroy(sim);
    }
    for (int i = 0; i < 3; i++) {
      apart[i] = 0;
      for (int k = 0; k < 7; k++) {
        apart[i] = fmax(apart[i], fabs(end[i + 1][k] - end[i][k]));
      }
    }
    print_message("%d: %.2e, %.2e, %.2e: orders %.2f, %.2f\n", (int)laws[l], apart[0], apart[1], apart[2],
                  log2(apart[0] / apart[1]), log2(apart[1] / apart[2]));
    assert_near(log2(apart[0] / apart[1]), 4, 0.4);
    assert_near(log2(apart[1] / apart[2]), 4, 0.4);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Below the cone a block on a slope stays, above it slides with g (sin a - mu cos a), as far as springs and dampers let it. */
static void a_block_holds_on_a_slope_or_slides_down(void **state)
{
  (void)state;
  static const double angle = 0.3, mu[2] = {0.5, 0.2};
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(angle);
  const pk_stepper steppers[] = {PK_STEPPER_RK4, PK_STEPPER_ARK_EXPLICIT};
  const pk_contact_law laws[] = {PK_CONTACT_LAW_COMPLIANT, PK_CONTACT_LAW_PENALTY};
  for (int i = 0; i < 8; i++) {
    pk_sim_options o = springs(steppers[i & 1], laws[i >> 1 & 1], 5e-4);
    pk_sim *sim;
    pk_error err;
    o.damping_n = o.damping_t = 60, o.rtol = 1e-6, o.atol = 1e-8;
    if (pk_sim_create(m, &o, &sim, &err) == PK_ERROR_UNSUPPORTED) {
      continue; /* built without SUNDIALS */
    }
    pk_sim_destroy(sim);
    sim = start_world(m, t, (pk_material){.friction = mu[i >> 2]}, &o);
    double *q = pk_sim_q(sim);
    const double sunk = 0.05 - MASS * G * cos(angle) / (4 * K);
    q[0] = sunk * sin(angle), q[2] = sunk * cos(angle), q[3] = cos(angle / 2), q[5] = sin(angle / 2);
    run(sim, 800);
    const double before = pk_sim_u(sim)[0] * cos(angle) - pk_sim_u(sim)[2] * sin(angle);
    run(sim, 400);
    const double after = pk_sim_u(sim)[0] * cos(angle) - pk_sim_u(sim)[2] * sin(angle);
    const double wanted = i >> 2 ? G * (sin(angle) - mu[1] * cos(angle)) : 0;
    print_message("stepper %d, law %d, mu %g: %.4f m/s^2, closed form %.4f m/s^2\n", (int)o.stepper,
                  (int)o.law, mu[i >> 2], (after - before) / 0.2, wanted);
    assert_near((after - before) / 0.2, wanted, 1e-3 * G);
    assert_true(i >> 2 || fabs(after) < 1e-4);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A block on ice that viscous friction alone brakes: v = v_0 exp(-4 mu_v t / m). */
static void viscous_friction_brakes_what_slides_on_springs(void **state)
{
  (void)state;
  static const double mu_v = 0.4, v = 0.5, span = 1;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_contact_law laws[] = {PK_CONTACT_LAW_COMPLIANT, PK_CONTACT_LAW_PENALTY};
  for (size_t l = 0; l < sizeof laws / sizeof laws[0]; l++) {
    pk_sim_options o = springs(PK_STEPPER_RK4, laws[l], 1e-3);
    o.damping_n = 60;
    pk_sim *sim = start_world(m, t, (pk_material){.viscous = mu_v}, &o);
    pk_sim_q(sim)[2] = 0.05 - MASS * G / (4 * K);
    pk_sim_u(sim)[0] = v;
    run(sim, 1000);
    const double exact = v * exp(-4 * mu_v * span / MASS);
    print_message("law %d: %.6f m/s, closed form %.6f m/s\n", (int)laws[l], pk_sim_u(sim)[0], exact);
    assert_near(pk_sim_u(sim)[0], exact, 1e-3 * v); /* it also pitches a little */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* The anchor and the slip are part of the state, and of what a failed step leaves as it was. */
static void what_springs_remember_is_saved_and_survives_a_failed_step(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0.2);
  for (int s = PK_STEPPER_RK4; s <= PK_STEPPER_ARK_IMPLICIT; s++) {
    pk_sim_options o = springs((pk_stepper)s, PK_CONTACT_LAW_COMPLIANT, 1e-3);
    pk_sim *sim;
    pk_error err;
    o.damping_n = o.damping_t = 60, o.rtol = 1e-6, o.atol = 1e-8;
    if (pk_sim_create(m, &o, &sim, &err) == PK_ERROR_UNSUPPORTED) {
      continue; /* built without SUNDIALS */
    }
    pk_sim_destroy(sim);
    sim = start_world(m, t, (pk_material){.friction = 0.3}, &o);
    pk_sim_q(sim)[2] = 0.06;
    run(sim, 60);
    const size_t size = pk_sim_state_size(sim);
    void *kept = malloc(size), *now = malloc(size);
    pk_sim_get_state(sim, kept);
    for (int k = 0; k < 2; k++) { /* more than a number holds */
      pk_sim_push(sim, 0, (const double[3]){0}, (const double[3]){1.5e308, 0, 0});
    }
    assert_int_not_equal(pk_sim_step(sim, NULL), PK_OK);
    pk_sim_get_state(sim, now);
    assert_memory_equal(now, kept, size);
    run(sim, 40);
    double q[7];
    memcpy(q, pk_sim_q(sim), sizeof q);
    assert_int_equal(pk_sim_set_state(sim, kept, size, &err), PK_OK);
    run(sim, 40);
    assert_memory_equal(pk_sim_q(sim), q, sizeof q);
    free(kept), free(now);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void what_carries_a_body_is_seen_as_contacts(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = springs(PK_STEPPER_RK4, PK_CONTACT_LAW_COMPLIANT, 1e-3);
  pk_sim_contact contacts[8];
  pk_step_info info;
  double carried = 0;
  o.damping_n = 60;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.3}, &o);
  pk_sim_q(sim)[2] = 0.05;
  run(sim, 4000);
  info = must_step(sim);
  assert_int_equal(info.contacts, 4);
  assert_near(info.penetration, MASS * G / (4 * K), 1e-9);
  assert_int_equal(pk_sim_contacts(sim, contacts, 8), 4);
  for (int i = 0; i < 4; i++) {
    carried += contacts[i].impulse[2] / o.dt;
  }
  assert_near(carried, MASS * G, 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_that_stays_on_its_spring_swings_with_order_four),
      cmocka_unit_test(a_bounce_keeps_its_height_with_order_two),
      cmocka_unit_test(adaptive_steppers_follow_a_bounce_to_their_tolerance),
      cmocka_unit_test(contacts_that_stick_keep_order_four),
      cmocka_unit_test(a_block_holds_on_a_slope_or_slides_down),
      cmocka_unit_test(viscous_friction_brakes_what_slides_on_springs),
      cmocka_unit_test(what_springs_remember_is_saved_and_survives_a_failed_step),
      cmocka_unit_test(what_carries_a_body_is_seen_as_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
