/* Coulomb friction with known answers. */
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

static const double G = 9.81, BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625};

static pk_sim_options tight_options(double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.tolerance = 1e-10;
  return o;
}

static void step_certified(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    assert_true(must_step(sim).certified);
  }
}

/* A flat disc that spins on its rim: every point of the rim slides, so the moment is mu m g R until it stops. */
static void a_spinning_disc_slows_down_by_mu_m_g_r_and_stops(void **state)
{
  (void)state;
  const double R = 0.2, height = 0.02, mass = 2, mu = 0.3, omega = 30, inertia = 0.04;
  const double moment[3] = {0.02, 0.02, inertia}, slowing = mu * mass * G * R / inertia;
  pk_model *m = solid_model(PK_SHAPE_CYLINDER, (const double[3]){R, height, 0}, mass, moment);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = tight_options(1e-3);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  pk_sim_q(sim)[2] = 0.5 * height, pk_sim_u(sim)[5] = omega;
  const int steps = (int)(omega / slowing / o.dt);
  for (int i = 1; i <= steps; i++) {
    step_certified(sim, 1);
    assert_less(fabs(pk_sim_u(sim)[5] - (omega - slowing * i * o.dt)), 1e-6);
    assert_less(hypot(pk_sim_q(sim)[0], pk_sim_q(sim)[1]), 1e-7);
  }
  step_certified(sim, 10);
  print_message("stopped after %g s, spin %.1g rad/s\n", omega / slowing, pk_sim_u(sim)[5]);
  assert_less(fastest(sim), 1e-9);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* v^2/(2 mu g), to the last step's own way. */
static void a_sliding_block_stops_after_its_distance(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  pk_terrain *t = slope_terrain(0);
  for (double mu = 0.1; mu < 0.7; mu += 0.25) {
    const pk_sim_options o = tight_options(1e-3);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
    const double v = 1.7, exact = v * v / (2 * mu * G);
    pk_sim_q(sim)[2] = 0.05, pk_sim_u(sim)[0] = v;
    step_certified(sim, (int)(v / (mu * G) / o.dt) + 100);
    print_message("mu %.2f: slid %.9f m, closed form %.9f m\n", mu, pk_sim_q(sim)[0], exact);
    assert_less(fabs(pk_sim_q(sim)[0] - exact), mu * G * o.dt * o.dt);
    assert_less(fastest(sim), 1e-9);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Around the friction angle: still below it, in closed form beyond it. The creep over a minute at 99 % is in
 * step/contact. */
static void a_block_knows_the_friction_angle(void **state)
{
  (void)state;
  const double mu = 0.5, parts[7] = {0.5, 0.9, 0.99, 0.999, 1.001, 1.01, 1.1}, time = 1;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  for (int k = 0; k < 7; k++) {
    const double angle = atan(parts[k] * mu);
    pk_terrain *t = slope_terrain(angle);
    const pk_sim_options o = tight_options(1e-3);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
    double *q = pk_sim_q(sim);
    q[0] = 0.05 * sin(angle), q[2] = 0.05 * cos(angle), q[3] = cos(0.5 * angle), q[5] = sin(0.5 * angle);
    const double x = q[0], z = q[2], a = fmax(G * (sin(angle) - mu * cos(angle)), 0);
    step_certified(sim, (int)lround(time / o.dt));
    const double way = hypot(q[0] - x, q[2] - z);
    print_message("%5.1f %% of the limit: slid %.9f m, closed form %.9f m\n", 100 * parts[k], way,
                  0.5 * a * time * time);
    assert_less(fabs(way - 0.5 * a * time * time), (parts[k] < 1 ? 1e-10 : 1e-7));
    pk_sim_destroy(sim);
    pk_terrain_destroy(t);
  }
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spinning_disc_slows_down_by_mu_m_g_r_and_stops),
      cmocka_unit_test(a_sliding_block_stops_after_its_distance),
      cmocka_unit_test(a_block_knows_the_friction_angle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
