/* The law impulse: balls that spin, bounce and hand on a blow, in closed form; energy; what rests; what the certificate says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/world.h"

static const double G = 9.81, R = 0.05, MASS = 3;

static pk_sim_options impulse_options(double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.law = PK_CONTACT_LAW_IMPULSE;
  return o;
}

static pk_model *ball_model(void)
{
  const double I = 0.4 * MASS * R * R;
  return solid_model(PK_SHAPE_SPHERE, (const double[3]){R, 0, 0}, MASS, (const double[3]){I, I, I});
}

/* A ball comes down with its spin: s the slip of its lowest point, w its approach. It slides throughout below mu = 2/7 s/((1 + e) w), and
 * rolls off above. */
static void a_spinning_ball_slides_or_rolls_by_two_sevenths(void **state)
{
  (void)state;
  pk_model *m = ball_model();
  pk_terrain *t = slope_terrain(0);
  const double e = 0.5, down = 1, along = 2, spin = -20, slip = along - R * spin;
  const double threshold = 2.0 / 7 * slip / ((1 + e) * down);
  for (int k = 0; k < 8; k++) {
    const double mu = threshold * (0.2 + 0.25 * k);
    const pk_sim_options o = impulse_options(1e-4);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = mu, .restitution_n = e}, &o);
    double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
    q[2] = R, u[0] = along, u[2] = -down, u[4] = spin;
    const pk_step_info info = must_step(sim);
    const double braked = fmin(mu * (1 + e) * down, 2.0 / 7 * slip);
    print_message("mu %.3f of %.3f: %.6f m/s and %.4f rad/s\n", mu, threshold, u[0], u[4]);
    assert_int_equal(info.collisions, 1);
    assert_near(u[0], along - braked, 1e-12);
    assert_near(u[4], spin + 2.5 * braked / R, 1e-10);
    assert_near(u[2], e * down - G * o.dt, 1e-12);
    if (mu > threshold) {
      assert_near(u[0] - R * u[4], 0, 1e-12); /* it rolls */
    }
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* The energy of a ball that bounces falls with each bounce by 1 - e^2, never rises but by what the projection of positions lifts, and the
 * ball comes to rest where it belongs. */
static void a_ball_bounces_lower_each_time_and_rests(void **state)
{
  (void)state;
  const double e = 0.7, height = 0.2;
  pk_model *m = ball_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = impulse_options(2e-4);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5, .restitution_n = e}, &o);
  const double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  pk_sim_q(sim)[2] = R + height;
  double before = INFINITY, rise = -INFINITY, top = 0, tops[3] = {0};
  int bounce = -1;
  for (int i = 0; i < 20000; i++) {
    const double fell = u[2];
    const pk_step_info info = must_step(sim);
    assert_true(info.certified && info.certificate.law == PK_JUDGED_LAW_COULOMB);
    const double energy = 0.5 * u[2] * u[2] + G * q[2];
    rise = fmax(rise, energy - before - info.stabilisation / MASS), before = energy;
    if (fell < 0 && u[2] > 0 && ++bounce > 0 && bounce <= 3) {
      tops[bounce - 1] = top;
    }
    top = fell < 0 && u[2] > 0 ? 0 : fmax(top, q[2] - R);
  }
  print_message("tops %.4f %.4f %.4f m, closed form %.4f %.4f %.4f m; energy rises by %.1e J/kg\n", tops[0],
                tops[1], tops[2], height * pow(e, 2), height * pow(e, 4), height * pow(e, 6), rise);
  for (int k = 0; k < 3; k++) {
    assert_near(tops[k] / (height * pow(e, 2 * k + 2)), 1, 0.02);
  }
  assert_less(rise, 1e-9);
  assert_less(fastest(sim), 1e-9);
  assert_near(q[2], R, 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Newton's cradle: the last of five balls leaves with the speed of the first, and no simultaneous law does that. */
static void balls_in_a_row_hand_on_a_blow(void **state)
{
  (void)state;
  enum { BALLS = 5 };
  free_solid solids[BALLS];
  for (int i = 0; i < BALLS; i++) {
    solids[i] = (free_solid){PK_SHAPE_SPHERE, {R, 0, 0}, 1, {1e-3, 1e-3, 1e-3}, NULL};
  }
  pk_model *m = solids_model(solids, BALLS, (const double[3]){0, 0, 0});
  const pk_sim_options o = impulse_options(1e-3);
  const pk_material steel = {.friction = 0.2, .restitution_n = 1};
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = start_world(m, t, steel, &o);
  pk_error err = {0};
  assert_int_equal(pk_sim_set_body_material(sim, &steel, &err), PK_OK);
  for (int i = 0; i < BALLS; i++) {
    pk_sim_q(sim)[7 * i] = 2 * R * i, pk_sim_q(sim)[7 * i + 2] = 1;
  }
  pk_sim_u(sim)[0] = 2;
  const pk_step_info info = must_step(sim);
  assert_int_equal(info.collisions, BALLS - 1);
  for (int i = 0; i < BALLS; i++) {
    assert_near(pk_sim_u(sim)[6 * i], i == BALLS - 1 ? 2 : 0, 1e-12);
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A point that cannot turn slides down a slope with g (sin - mu cos), or stays. */
static void a_point_on_a_slope_slides_or_stays_as_in_closed_form(void **state)
{
  (void)state;
  static const double heavy[3] = {1e9, 1e9, 1e9};
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){R, 0, 0}, MASS, heavy);
  const double angle = 0.3;
  pk_terrain *t = slope_terrain(angle);
  for (int k = 0; k < 2; k++) {
    const double mu = tan(angle) * (k == 0 ? 1.01 : 0.5), time = 1;
    const pk_sim_options o = impulse_options(1e-3);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
    double *q = pk_sim_q(sim);
    q[0] = R * sin(angle), q[2] = R * cos(angle);
    const double from[2] = {q[0], q[2]};
    for (int i = 0; i < (int)lround(time / o.dt); i++) {
      assert_true(must_step(sim).certified);
    }
    const double speed = hypot(pk_sim_u(sim)[0], pk_sim_u(sim)[2]),
                 way = hypot(q[0] - from[0], q[2] - from[1]);
    print_message("mu %.4f: %.3e m, %.3e m/s\n", mu, way, speed);
    if (k == 0) {
      assert_less(way, 1e-8);
    } else {
      assert_near(speed / (G * time * (sin(angle) - mu * cos(angle))), 1, 1e-6);
    }
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Balls without gravity, with friction and any restitution. */
static void collisions_of_many_balls_never_add_energy(void **state)
{
  (void)state;
  enum { BALLS = 12 };
  const int steps = PACE(300, 60);
  free_solid solids[BALLS];
  for (int i = 0; i < BALLS; i++) {
    solids[i] = (free_solid){PK_SHAPE_SPHERE, {R, 0, 0}, 0.5 + 0.1 * i, {1e-3, 1e-3, 1e-3}, NULL};
  }
  pk_model *m = solids_model(solids, BALLS, (const double[3]){0, 0, 0});
  pk_terrain *t = slope_terrain(0);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  for (int k = 0; k < 3; k++) {
    const pk_material law = {.friction = 0.4, .restitution_n = 0.5 * k};
    const pk_sim_options o = impulse_options(1e-3);
    pk_sim *sim = start_world(m, t, law, &o);
    pk_error err = {0};
    assert_int_equal(pk_sim_set_body_material(sim, &law, &err), PK_OK);
    pki_random rng = pki_random_seeded((uint64_t)k);
    for (int i = 0; i < BALLS; i++) {
      double *q = pk_sim_q(sim) + 7 * i, *u = pk_sim_u(sim) + 6 * i;
      q[0] = 0.12 * (i % 3), q[1] = 0.12 * (i / 3 % 2), q[2] = 0.06 + 0.12 * (i / 6);
      for (int d = 0; d < 6; d++) {
        u[d] = (d < 3 ? 1 : 5) * (2 * pki_random_unit(&rng) - 1) + (d == 2 ? -0.5 : 0);
      }
    }
    double energy = INFINITY, rise = -INFINITY, first = 0;
    int collisions = 0;
    for (int i = 0; i < steps; i++) {
      collisions += must_step(sim).collisions;
      pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
      const double now = pk_energy_compute(w, pk_sim_u(sim)).kinetic;
      first = i == 0 ? now : first;
      rise = fmax(rise, (now - energy) / first);
      energy = now;
    }
    print_message("eps %.1f: %d collisions, %.1f J of %.1f J left, rises by at most %.1e of it\n",
                  law.restitution_n, collisions, energy, first, rise);
    assert_greater(collisions, 5);
    assert_less(rise, 1e-12);
    pk_sim_destroy(sim);
  }
  pk_workspace_destroy(w);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Contacts that rest together are not solved together: a block on its four corners stays within what was measured, and the
 * certificate says by how much each step misses Coulomb's law. */
static void a_block_rests_but_not_by_coulombs_law(void **state)
{
  (void)state;
  static const double box[3] = {0.4, 0.3, 0.1}, moment[3] = {0.025, 0.043, 0.0625};
  const int steps = PACE(1000, 200);
  pk_model *m = solid_model(PK_SHAPE_BOX, box, MASS, moment);
  for (int k = 0; k < 2; k++) {
    const double angle = 0.2 * k;
    pk_terrain *t = slope_terrain(angle);
    const pk_sim_options o = impulse_options(1e-3);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
    double *q = pk_sim_q(sim), worst = 0, carried = 0;
    q[0] = 0.05 * sin(angle), q[2] = 0.05 * cos(angle), q[3] = cos(0.5 * angle), q[5] = sin(0.5 * angle);
    const double from[3] = {q[0], q[1], q[2]};
    int certified = 0;
    for (int i = 0; i < steps; i++) {
      const pk_step_info info = must_step(sim);
      pk_sim_contact contacts[8];
      const int n = pk_sim_contacts(sim, contacts, 8);
      for (int c = 0; c < n; c++) {
        carried += contacts[c].impulse[2];
      }
      worst = fmax(worst, info.certificate.relative);
      assert_true(info.coulomb_relative == info.certificate.relative);
      certified += info.certified;
    }
    const double part = carried / (MASS * G * steps * o.dt);
    const double crept = hypot(hypot(q[0] - from[0], q[1] - from[1]), q[2] - from[2]);
    print_message(
        "slope %.1f: crept %.2e m in %d steps, %d certified, Coulomb's residual up to %.2e, carried "
        "%.4f of the weight\n",
        angle, crept, steps, certified, worst, part);
    assert_near(part, 1, 0.01);
    assert_less(crept, 1e-6);
    assert_true(isfinite(worst));
    pk_sim_destroy(sim);
    pk_terrain_destroy(t);
  }
  pk_model_destroy(m);
}

/* Painleve's rod beyond its threshold, where no finite force solves the equations: a collision always has an outcome, and none gains energy. */
static void painleves_rod_is_struck_without_gaining_energy(void **state)
{
  (void)state;
  const double length = 1, radius = 1e-6, I = length * length / 12, lean = atan(0.5);
  pk_model *m =
      solid_model(PK_SHAPE_CAPSULE, (const double[3]){radius, length, 0}, 1, (const double[3]){I, I, 1e-6});
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 2; k++) {
    const pk_sim_options o = impulse_options(1e-4);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = k ? 1.5 : 0.5}, &o);
    double *q = pk_sim_q(sim), *u = pk_sim_u(sim), before = INFINITY, rise = -INFINITY;
    q[2] = radius + length / sqrt(5), q[3] = cos(0.5 * lean), q[5] = -sin(0.5 * lean), u[0] = 2;
    for (int i = 0; i < 5000; i++) {
      must_step(sim);
      const double turn = u[3] * u[3] + u[4] * u[4], speed = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      const double energy = 0.5 * speed + 0.5 * I * turn + G * q[2];
      rise = fmax(rise, energy - before), before = energy;
    }
    print_message("mu %.1f: energy rises by at most %.1e J in a step\n", k ? 1.5 : 0.5, rise);
    assert_less(rise, 1e-5); /* g dt times the speed of what swings, squared steps */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spinning_ball_slides_or_rolls_by_two_sevenths),
      cmocka_unit_test(a_ball_bounces_lower_each_time_and_rests),
      cmocka_unit_test(balls_in_a_row_hand_on_a_blow),
      cmocka_unit_test(a_point_on_a_slope_slides_or_stays_as_in_closed_form),
      cmocka_unit_test(collisions_of_many_balls_never_add_energy),
      cmocka_unit_test(a_block_rests_but_not_by_coulombs_law),
      cmocka_unit_test(painleves_rod_is_struck_without_gaining_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
