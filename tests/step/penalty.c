/* The penalty law: springs that carry, friction that is a spring and gives way, viscous friction, and what stiffness does to
 * energy. */
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

static pk_sim *block_at_rest(const pk_model *m, const pk_terrain *t, double mu, double viscous, double dt,
                             pk_sim_options *o)
{
  *o = pk_sim_options_default();
  o->dt = dt, o->law = PK_CONTACT_LAW_PENALTY, o->damping_n = 300, o->damping_t = 300;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu, .viscous = viscous}, o);
  pk_sim_q(sim)[2] = 0.05 - MASS * G / (4 * o->stiffness_n); /* on its four corners */
  return sim;
}

/* Pushed at its lower side so that it does not tip; the force grows in the first `grows` steps. */
static void run_pushed(pk_sim *sim, double force, int grows, int steps)
{
  for (int i = 0; i < steps; i++) {
    const double f[3] = {i < grows ? force * i / grows : force, 0, 0};
    const double point[3] = {0, 0, -0.05};
    pk_sim_push(sim, 0, point, f);
    must_step(sim);
  }
}

static void friction_gives_by_its_spring_and_comes_back(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o;
  pk_sim *sim = block_at_rest(m, t, 0.5, 0, 5e-4, &o);
  const double force = 0.9 * 0.5 * MASS * G;
  run_pushed(sim, force, 4000, 8000);
  const double given = pk_sim_q(sim)[0];
  print_message("given way by %.9f m, closed form %.9f m\n", given, force / (4 * o.stiffness_t));
  assert_less(fabs(given - force / (4 * o.stiffness_t)), 1e-9);
  assert_less(fastest(sim), 1e-9);
  run_pushed(sim, 0, 0, 4000);
  assert_less(fabs(pk_sim_q(sim)[0]), 1e-9); /* it never slipped */
  run_pushed(sim, 1.1 * 0.5 * MASS * G, 0, 500);
  run_pushed(sim, 0, 0, 4000);
  assert_greater(pk_sim_q(sim)[0], 0.01);
  assert_less(fastest(sim), 1e-9); /* it did, and stays where it came to */
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* m dv/dt = F - mu m g - 4 mu_v v, one mu_v for each corner. */
static void a_pushed_block_reaches_the_speed_that_viscous_friction_allows(void **state)
{
  (void)state;
  const double mu = 0.3, viscous = 0.4, drive = 6;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o;
  pk_sim *sim = block_at_rest(m, t, mu, viscous, 2e-4, &o);
  const double rate = 4 * viscous / MASS, last = drive / (4 * viscous), time = 4;
  run_pushed(sim, mu * MASS * G + drive, 0, (int)lround(time / o.dt));
  const double v = pk_sim_u(sim)[0], expected = last * (1 - exp(-rate * time));
  print_message("speed after %g s: %.5f m/s, closed form %.5f m/s\n", time, v, expected);
  assert_less(fabs(v / expected - 1), 2e-3);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A ball without damping that falls on a spring comes up again: as high as before when steps are small against
 * sqrt(m/k), higher when they are not. That is what the thesis calls its main drawback. */
static void a_spring_that_is_stiff_for_the_step_throws_a_ball_up(void **state)
{
  (void)state;
  static const double MOMENTS[3] = {0.008, 0.008, 0.008};
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, 1, MOMENTS);
  pk_terrain *t = slope_terrain(0);
  double top[2];
  for (int k = 0; k < 2; k++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = 5e-4, o.law = PK_CONTACT_LAW_PENALTY, o.stepper = PK_STEPPER_EULER;
    o.stiffness_n = k ? 1.2e7 : 1e4, o.damping_n = 0;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0}, &o);
    pk_sim_q(sim)[2] = 0.55; /* falls by 0.5 m */
    top[k] = 0;
    bool touched = false;
    for (int i = 0; i < 3000; i++) {
      touched |= must_step(sim).contacts > 0;
      top[k] = touched ? fmax(top[k], pk_sim_q(sim)[2]) : 0;
    }
    pk_sim_destroy(sim);
  }
  print_message("it comes up to %.3f m from a soft spring, to %.3f m from a stiff one, of 0.55 m\n", top[0],
                top[1]);
  assert_less(fabs(top[0] - 0.55), 0.01);
  assert_greater(top[1], 0.7);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A block rests where four springs of c x^3 carry it. */
static void a_spring_that_hardens_carries_by_the_third_power(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 5e-4, o.law = PK_CONTACT_LAW_PENALTY, o.damping_n = 300, o.damping_t = 300;
  o.stiffness_n = 0, o.stiffness_cubic = 1e11;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
  const double depth = cbrt(MASS * G / (4 * o.stiffness_cubic));
  pk_sim_q(sim)[2] = 0.05 - 1.5 * depth;
  for (int i = 0; i < 8000; i++) {
    must_step(sim);
  }
  print_message("at rest %.9f m deep, closed form %.9f m\n", 0.05 - pk_sim_q(sim)[2], depth);
  assert_near(0.05 - pk_sim_q(sim)[2], depth, 1e-6 * depth);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A ball that lands deeper than 3 c x^2 dt^2 / m + 2 dt d / m = 4 in one step comes up higher than it was; one that lands
 * less deep does not. No linear spring tells the two apart: its edge has no depth. */
static void a_spring_that_hardens_throws_up_deep_landings_alone(void **state)
{
  (void)state;
  static const double MOMENTS[3] = {0.008, 0.008, 0.008}, falls[2] = {0.05, 1.5};
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, 1, MOMENTS);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 5e-4, o.law = PK_CONTACT_LAW_PENALTY, o.stepper = PK_STEPPER_EULER;
  o.stiffness_n = 0, o.stiffness_cubic = 3e12, o.damping_n = 400;
  const double edge = sqrt((4 - 2 * o.dt * o.damping_n) / (3 * o.stiffness_cubic * o.dt * o.dt));
  for (int k = 0; k < 2; k++) {
    const double landing = o.dt * sqrt(2 * G * falls[k]);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0}, &o);
    pk_sim_q(sim)[2] = 0.05 + falls[k];
    double top = 0;
    bool touched = false;
    for (int i = 0; i < 6000; i++) {
      touched |= must_step(sim).contacts > 0;
      top = touched ? fmax(top, pk_sim_q(sim)[2] - 0.05) : 0;
    }
    print_message("falls by %g m, %.2f of the edge's depth in a step: comes up to %.3f m\n", falls[k],
                  landing / edge, top);
    assert_true(k == 0 ? landing < edge : landing > edge);
    assert_true(k == 0 ? top < falls[k] : top > falls[k]);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_gives_by_its_spring_and_comes_back),
      cmocka_unit_test(a_pushed_block_reaches_the_speed_that_viscous_friction_allows),
      cmocka_unit_test(a_spring_that_is_stiff_for_the_step_throws_a_ball_up),
      cmocka_unit_test(a_spring_that_hardens_carries_by_the_third_power),
      cmocka_unit_test(a_spring_that_hardens_throws_up_deep_landings_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
