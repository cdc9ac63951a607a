/* Painleve's rod: a slender rod slides on its lower end, which goes ahead of its middle. With phi its angle above the
 * ground and no rotation yet, the normal force is N = m g / (1 + 3 cos(phi) (cos(phi) - mu sin(phi))). The bracket has
 * its zero at mu = (1 + 3 cos^2)/(3 sin cos), which is least, 4/3, at tan(phi) = 2: beyond it no finite force
 * solves the equations, and an impulse must stop the slip at once. */
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

static const double G = 9.81, LENGTH = 1, MASS = 1, RADIUS = 1e-6, SLIP = 2;

static pk_sim *sliding_rod(const pk_model *m, const pk_terrain *t, double mu, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.tolerance = 1e-10;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  const double phi = atan(2), lean = atan(0.5); /* above the ground, from the vertical */
  double *q = pk_sim_q(sim);
  q[2] = RADIUS + 0.5 * LENGTH * sin(phi);
  q[3] = cos(0.5 * lean), q[5] = -sin(0.5 * lean); /* leans to -x, slides to +x */
  pk_sim_u(sim)[0] = SLIP;
  return sim;
}

static pk_model *rod_model(void)
{
  const double I = MASS * LENGTH * LENGTH / 12, moment[3] = {I, I, 1e-6};
  return solid_model(PK_SHAPE_CAPSULE, (const double[3]){RADIUS, LENGTH, 0}, MASS, moment);
}

/* Horizontal velocity of the lower end. */
static double slip_of(pk_sim *sim, const pk_sim_contact *c)
{
  const double *u = pk_sim_u(sim), *q = pk_sim_q(sim);
  return u[0] + u[4] * (c->point[2] - q[2]);
}

static void the_first_step_finds_the_force_below_the_threshold_and_jams_beyond_it(void **state)
{
  (void)state;
  const double dt = 1e-5, mus[4] = {0.5, 1.3, 1.34, 1.5};
  pk_model *m = rod_model();
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 4; k++) {
    pk_sim *sim = sliding_rod(m, t, mus[k], dt);
    pk_sim_contact contact;
    assert_true(must_step(sim).certified);
    assert_int_equal(pk_sim_contacts(sim, &contact, 1), 1);
    const double N = contact.impulse[2] / dt, slip = slip_of(sim, &contact),
                 exact = MASS * G / (1.6 - 1.2 * mus[k]);
    print_message("mu %.2f: N %.4g N (finite force: %.4g N), slip %.3g m/s\n", mus[k], N, exact, slip);
    if (mus[k] < 4.0 / 3) {
      assert_less(fabs(N / exact - 1), 1e-3);
      assert_greater(slip, 0.9 * SLIP);
    } else {
      assert_less(fabs(slip), 1e-4); /* an impact without a collision */
      assert_greater(N * dt, 0.01);
    }
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void the_rod_does_not_explode(void **state)
{
  (void)state;
  const double mus[2] = {1.3, 1.5}, dts[3] = {1e-2, 1e-3, 1e-4};
  pk_model *m = rod_model();
  pk_terrain *t = slope_terrain(0);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  for (int k = 0; k < 6; k++) {
    const double mu = mus[k % 2], dt = dts[k / 2];
    pk_sim *sim = sliding_rod(m, t, mu, dt);
    double energy = MASS * G * pk_sim_q(sim)[2] + 0.5 * MASS * SLIP * SLIP, rise = -1;
    for (int i = 0; i < (int)(2 / dt); i++) {
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      assert_less(info.penetration, 1e-8);
      pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
      const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
      rise = fmax(rise, e.kinetic + e.potential - energy);
      energy = e.kinetic + e.potential;
    }
    print_message("mu %.1f, dt %g: energy rises by at most %.2g J in a step, %.2g J at the end\n", mu, dt,
                  rise, energy);
    /* -m g dt v/2 - m v^2/2 for a jump v of the velocity: the scheme's own bound */
    assert_less(rise, MASS * G * G * dt * dt / 8 + 1e-7);
    assert_less(fastest(sim), 1e-3);
    assert_less(energy, 1e-3);
    pk_sim_destroy(sim);
  }
  pk_workspace_destroy(w);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_step_finds_the_force_below_the_threshold_and_jams_beyond_it),
      cmocka_unit_test(the_rod_does_not_explode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
