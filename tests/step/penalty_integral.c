/* The law penalty-integral: what rests does not sink in; the way there in closed form; where the integral makes it unstable; what is
 * left when the contact ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/world.h"

static const double G = 9.81, BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625}, MASS = 3;

static pk_sim_options integral_options(double integral)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = 5e-4, o.law = PK_CONTACT_LAW_PENALTY_INTEGRAL, o.damping_n = o.damping_t = 300;
  o.integral_n = integral, o.stepper = PK_STEPPER_EULER;
  return o;
}

/* A block where the springs of its four corners carry it; returns how deep that is. */
static pk_sim *block_on_springs(const pk_model *m, const pk_terrain *t, const pk_sim_options *o,
                                double *depth)
{
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, o);
  *depth = MASS * G / (4 * o->stiffness_n);
  pk_sim_q(sim)[2] = 0.05 - *depth;
  return sim;
}

static double depth_of(pk_sim *sim)
{
  return 0.05 - pk_sim_q(sim)[2];
}

static void a_block_at_rest_does_not_sink_in(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 2; k++) {
    pk_sim_options o = integral_options(3e5);
    double depth, carried = 0;
    o.law = k ? PK_CONTACT_LAW_PENALTY_INTEGRAL : PK_CONTACT_LAW_PENALTY;
    pk_sim *sim = block_on_springs(m, t, &o, &depth);
    for (int i = 0; i < 8000; i++) { /* 40 times c/c_I */
      must_step(sim);
    }
    pk_sim_contact contacts[4];
    const int n = pk_sim_contacts(sim, contacts, 4);
    for (int c = 0; c < n; c++) {
      carried += contacts[c].impulse[2] / o.dt;
    }
    print_message("%s: %.3e m deep, carries %.9f of the weight\n", k ? "penalty-integral" : "penalty",
                  depth_of(sim), carried / (MASS * G));
    assert_near(carried / (MASS * G), 1, 1e-9);
    assert_near(depth_of(sim), k ? 0 : depth, 1e-12);
    assert_less(fastest(sim), 1e-12);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* The slow root of m s^3 + d s^2 + c s + c_I = 0 for a quarter of the block. */
static double slow_root(const pk_sim_options *o)
{
  const double m = MASS / 4, d = o->damping_n, c = o->stiffness_n;
  double s = -o->integral_n / c;
  for (int i = 0; i < 50; i++) {
    s -= (((m * s + d) * s + c) * s + o->integral_n) / ((3 * m * s + 2 * d) * s + c);
  }
  return s;
}

static void the_depth_decays_at_the_rate_of_the_closed_form(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  for (int k = 1; k <= 3; k++) {
    const pk_sim_options o = integral_options(1e5 * k);
    double depth;
    pk_sim *sim = block_on_springs(m, t, &o, &depth);
    for (int i = 0; i < 400; i++) {
      must_step(sim);
    }
    const double first = depth_of(sim);
    for (int i = 0; i < 400; i++) {
      must_step(sim);
    }
    const double rate = log(depth_of(sim) / first) / (400 * o.dt), expected = slow_root(&o);
    print_message("c_I %.0e: rate %.5f/s, closed form %.5f/s\n", o.integral_n, rate, expected);
    assert_near(rate / expected, 1, 3e-3); /* order 1 in dt times the rate */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Schemes that integrate forces, whether a step is one of theirs or many. */
static void the_integral_goes_on_by_time_in_every_scheme(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  for (int s = PK_STEPPER_RK4; s <= PK_STEPPER_ARK_IMPLICIT; s++) {
    pk_sim_options o = integral_options(3e5);
    pk_sim *sim;
    pk_error err;
    double depth;
    long long internal = 0;
    o.stepper = (pk_stepper)s, o.dt = 1e-3, o.rtol = 1e-10, o.atol = 1e-13;
    if (pk_sim_create(m, &o, &sim, &err) == PK_ERROR_UNSUPPORTED) {
      continue; /* built without SUNDIALS */
    }
    pk_sim_destroy(sim);
    sim = block_on_springs(m, t, &o, &depth);
    for (int i = 0; i < 200; i++) {
      must_step(sim);
    }
    const double first = depth_of(sim);
    for (int i = 0; i < 200; i++) {
      pk_step_info info;
      assert_int_equal(pk_sim_step(sim, &info), PK_OK);
      internal += s == PK_STEPPER_RK4 ? 1 : info.iterations;
    }
    const double rate = log(depth_of(sim) / first) / (200 * o.dt), expected = slow_root(&o);
    print_message("stepper %d, %lld internal steps: rate %.5f/s, closed form %.5f/s\n", s, internal, rate,
                  expected);
    assert_true(s == PK_STEPPER_RK4 || internal >= 400);
    assert_near(rate / expected, 1, 1e-3); /* the integral is held through an internal step */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Stable for c d > m c_I. Far below the limit the block settles; beyond it it hops for ever. */
static void an_integral_beyond_the_limit_is_unstable(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 2; k++) {
    pk_sim_options o = integral_options(0);
    const double part = k ? 1.3 : 0.03;
    o.dt = 1e-4;
    o.integral_n = part * o.stiffness_n * o.damping_n / (MASS / 4);
    double depth, late = 0;
    pk_sim *sim = block_on_springs(m, t, &o, &depth);
    for (int i = 0; i < 20000; i++) {
      must_step(sim);
      late = i >= 15000 ? fmax(late, fabs(depth_of(sim))) : 0;
    }
    print_message("c_I at %.2f of the limit: %.2e m from rest, began at %.2e m\n", part, late, depth);
    assert_true(k ? late > 0.1 * depth : late < 1e-6 * depth);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* What was lifted and set down again begins anew: it sinks in by the spring, and comes up again. */
static void a_contact_that_ends_forgets_its_integral(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = integral_options(3e5);
  double depth;
  pk_sim *sim = block_on_springs(m, t, &o, &depth);
  for (int i = 0; i < 8000; i++) {
    must_step(sim);
  }
  pk_sim_q(sim)[2] = 0.06;
  must_step(sim);
  pk_sim_contact contact;
  assert_int_equal(pk_sim_contacts(sim, &contact, 1), 0);
  pk_sim_q(sim)[2] = 0.05 - depth;
  memset(pk_sim_u(sim), 0, 6 * sizeof(double));
  must_step(sim);
  assert_near(fastest(sim), 0,
              1e-2 * G * o.dt); /* the springs alone carry it; the first step's integral is small */
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_at_rest_does_not_sink_in),
      cmocka_unit_test(the_depth_decays_at_the_rate_of_the_closed_form),
      cmocka_unit_test(the_integral_goes_on_by_time_in_every_scheme),
      cmocka_unit_test(an_integral_beyond_the_limit_is_unstable),
      cmocka_unit_test(a_contact_that_ends_forgets_its_integral),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
