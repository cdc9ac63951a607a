/* The law lcp-pyramid against closed forms: friction and its direction, viscous friction, collisions, energy, Painleve's rod. */
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

static const double G = 9.81, BOX[3] = {0.4, 0.3, 0.1}, MOMENT[3] = {0.025, 0.043, 0.0625}, MASS = 3;

static pk_sim_options exact_options(double dt, pk_contact_resting resting)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt, o.law = PK_CONTACT_LAW_LCP_PYRAMID, o.resting = resting, o.tolerance = 1e-10;
  return o;
}

static const char *name_of(int resting)
{
  return resting == PK_CONTACT_RESTING_VELOCITY ? "velocity" : "acceleration";
}

/* A point mass of a block slides across its axes, at 30 degrees: v^2/(2 mu g) far, straight, and stays. */
static void friction_opposes_the_slip_in_any_direction(void **state)
{
  (void)state;
  const double mu = 0.3, speed = 1, angle = 0.5;
  static const double round[3] = {1e9, 1e9, 1e9}; /* it does not turn */
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, MASS, round);
  pk_terrain *t = slope_terrain(0);
  for (int resting = 0; resting < PK_CONTACT_RESTING_COUNT; resting++) {
    const pk_sim_options o = exact_options(5e-4, (pk_contact_resting)resting);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
    pk_sim_q(sim)[2] = 0.05;
    pk_sim_u(sim)[0] = speed * cos(angle), pk_sim_u(sim)[1] = speed * sin(angle);
    for (int i = 0; i < 1500; i++) {
      assert_true(must_step(sim).certified);
    }
    const double *q = pk_sim_q(sim), far = speed * speed / (2 * mu * G), was[2] = {q[0], q[1]};
    print_message("%s: slid by %.6f m at %.6f rad, closed form %.6f m at %.6f rad\n", name_of(resting),
                  hypot(was[0], was[1]), atan2(was[1], was[0]), far, angle);
    assert_less(fabs(hypot(was[0], was[1]) - far), 5e-4);
    assert_less(fabs(atan2(was[1], was[0]) - angle), 1e-5);
    for (int i = 0; i < 1000; i++) {
      must_step(sim);
    }
    assert_less(hypot(q[0] - was[0], q[1] - was[1]), 1e-9);
    assert_less(fabs(q[2] - 0.05), 1e-8);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* m dv/dt = F - mu m g - 4 mu_v v, one mu_v for each corner. */
static void a_pushed_block_reaches_the_speed_that_viscous_friction_allows(void **state)
{
  (void)state;
  const double mu = 0.3, viscous = 0.4, drive = 6, time = 4, rate = 4 * viscous / MASS,
               last = drive / (4 * viscous), point[3] = {0, 0, -0.05},
               force[3] = {mu * MASS * G + drive, 0, 0};
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = exact_options(1e-3, PK_CONTACT_RESTING_VELOCITY);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu, .viscous = viscous}, &o);
  pk_sim_q(sim)[2] = 0.05;
  for (int i = 0; i < (int)lround(time / o.dt); i++) {
    pk_sim_push(sim, 0, point, force);
    assert_true(must_step(sim).certified);
  }
  const double v = pk_sim_u(sim)[0], expected = last * (1 - exp(-rate * time));
  print_message("speed after %g s: %.5f m/s, closed form %.5f m/s\n", time, v, expected);
  assert_less(fabs(v / expected - 1), 5e-4);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* (4.3): a ball leaves with eps times the speed that it came with; a slow one stays. */
static void a_ball_leaves_with_its_restitution(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, MASS,
                            (const double[3]){0.003, 0.003, 0.003});
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 6; k++) {
    const double eps = 0.5 * (k / 2);
    pk_sim_options o = exact_options(1e-4, (pk_contact_resting)(k % 2));
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.3, .restitution_n = eps}, &o);
    pk_sim_q(sim)[2] = 0.05 + 1e-5;
    pk_sim_u(sim)[2] = -2;
    double after = -1;
    for (int i = 0; i < 20 && after < 0; i++) {
      must_step(sim);
      after = pk_sim_u(sim)[2] > -1 ? fmax(pk_sim_u(sim)[2], 0) : -1;
    }
    print_message("%s, eps %.1f: leaves with %.6f m/s\n", name_of(k % 2), eps, after);
    assert_less(fabs(after - 2 * eps), 3 * G * o.dt);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A ball that leaves with v has max(v - g dt, 0) after a step in accelerations: the ground does not keep up its speed. */
static void a_contact_that_leaves_is_not_pushed(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){0.05, 0, 0}, MASS,
                            (const double[3]){0.003, 0.003, 0.003});
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 4; k++) {
    pk_sim_options o = exact_options(1e-3, PK_CONTACT_RESTING_ACCELERATION);
    o.stepper = PK_STEPPER_EULER; /* it touches where it starts */
    const double fall = G * o.dt, v = 0.5 * k * fall;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.3}, &o);
    pk_sim_q(sim)[2] = 0.05;
    pk_sim_u(sim)[2] = v;
    assert_true(must_step(sim).certified);
    print_message("leaves with %.5f m/s, then %.5f m/s\n", v, pk_sim_u(sim)[2]);
    assert_less(fabs(pk_sim_u(sim)[2] - fmax(v - fall, 0)), 1e-9);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Balls without gravity: between collisions nothing changes their energy, so that every rise is the law's. Friction in accelerations is
 * explicit and promises nothing: there it is left out. */
static void collisions_of_many_balls_never_add_energy(void **state)
{
  (void)state;
  enum { BALLS = 12 };
  const int steps = PACE(600, 150);
  free_solid solids[BALLS];
  for (int i = 0; i < BALLS; i++) {
    solids[i] = (free_solid){PK_SHAPE_SPHERE, {0.05, 0, 0}, 0.5 + 0.1 * i, {1e-3, 1e-3, 1e-3}, NULL};
  }
  pk_model *m = solids_model(solids, BALLS, (const double[3]){0, 0, 0});
  pk_terrain *t = slope_terrain(0);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  for (int k = 0; k < 6; k++) {
    const pk_material law = {
        .friction = k % 2 ? 0 : 0.4, .restitution_n = 0.5 * (k / 2), .viscous = k % 2 ? 0 : 5};
    const pk_sim_options o =
        exact_options(1e-3, k % 2 ? PK_CONTACT_RESTING_ACCELERATION : PK_CONTACT_RESTING_VELOCITY);
    pk_sim *sim = start_world(m, t, law, &o);
    pk_error err = {0};
    assert_int_equal(pk_sim_set_body_material(sim, &law, &err), PK_OK);
    pki_random rng = pki_random_seeded((uint64_t)k);
    for (int i = 0; i < BALLS; i++) {
      double *q = pk_sim_q(sim) + 7 * i, *u = pk_sim_u(sim) + 6 * i;
      q[0] = 0.12 * (i % 3), q[1] = 0.12 * (i / 3 % 2), q[2] = 0.06 + 0.12 * (i / 6);
      for (int d = 0; d < 6; d++) { /* towards each other and the ground */
        u[d] = (d < 3 ? 1 : 5) * (2 * pki_random_unit(&rng) - 1) + (d == 2 ? -0.5 : 0);
      }
    }
    double energy = INFINITY, rise = -INFINITY, first = 0;
    int touched = 0;
    for (int i = 0; i < steps; i++) {
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      touched += info.contacts;
      pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
      const double now = pk_energy_compute(w, pk_sim_u(sim)).kinetic;
      first = i == 0 ? now : first;
      rise = fmax(rise, (now - energy) / first);
      energy = now;
    }
    print_message("%s, eps %.1f: %d contacts, %.1f J of %.1f J left, rises by at most %.1e of it\n",
                  name_of(k % 2), law.restitution_n, touched, energy, first, rise);
    assert_greater(touched, 5);
    assert_less(rise, 1e-9);
    pk_sim_destroy(sim);
  }
  pk_workspace_destroy(w);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* ---- Painleve's rod (painleve.c) at tan(phi) = 2: N = m g/(1.6 - 1.2 mu) below mu = 4/3, beyond it no force ---- */

static const double LENGTH = 1, RADIUS = 1e-6, SLIP = 2;

static pk_sim *sliding_rod(const pk_model *m, const pk_terrain *t, double mu, pk_contact_resting resting)
{
  const pk_sim_options o = exact_options(1e-5, resting);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = mu}, &o);
  const double lean = atan(0.5);
  double *q = pk_sim_q(sim);
  q[2] = RADIUS + LENGTH / sqrt(5);
  q[3] = cos(0.5 * lean), q[5] = -sin(0.5 * lean);
  pk_sim_u(sim)[0] = SLIP;
  return sim;
}

/* Where there is no force in accelerations the step is that in velocities, and says so. */
static void a_sliding_rod_has_a_force_up_to_four_thirds_and_then_none(void **state)
{
  (void)state;
  const double mus[4] = {0.5, 1.3, 1.34, 1.5}, I = LENGTH * LENGTH / 12;
  pk_model *m =
      solid_model(PK_SHAPE_CAPSULE, (const double[3]){RADIUS, LENGTH, 0}, 1, (const double[3]){I, I, 1e-6});
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 8; k++) {
    const double mu = mus[k % 4], exact = G / (1.6 - 1.2 * mu);
    pk_sim *sim = sliding_rod(m, t, mu, (pk_contact_resting)(k / 4));
    pk_sim_contact contact = {0};
    double before[7];
    pk_step_info info;
    memcpy(before, pk_sim_q(sim), sizeof before);
    const pk_status status = pk_sim_step(sim, &info);
    assert_int_equal(status, PK_OK);
    assert_true(info.fell_back == (k / 4 == PK_CONTACT_RESTING_ACCELERATION && mu > 4.0 / 3));
    assert_true(info.certified && pk_sim_contacts(sim, &contact, 1) == 1);
    const double N = contact.impulse[2] / 1e-5, slip = pk_sim_u(sim)[0] + pk_sim_u(sim)[4] * -before[2];
    print_message("%s, mu %.2f: N %.4g N (finite force: %.4g N), slip %.3g m/s%s\n", name_of(k / 4), mu, N,
                  exact, slip, info.fell_back ? ", in velocities" : "");
    assert_true(mu < 4.0 / 3 ? fabs(N / exact - 1) < 1e-3 && slip > 0.9 * SLIP
                             : fabs(slip) < 1e-4 && N * 1e-5 > 0.01); /* it jams */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* The thesis' own settings end after 100 sweeps and say what is left. */
static void each_solver_of_the_law_can_be_chosen(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_terrain *t = slope_terrain(0.2);
  double way[PK_LCP_CHOICE_COUNT];
  for (int k = 0; k < PK_LCP_CHOICE_COUNT; k++) {
    pk_sim_options o = exact_options(1e-3, PK_CONTACT_RESTING_VELOCITY);
    o.lcp = (pk_lcp_choice)k, o.tolerance = 1e-8;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.1}, &o);
    pk_sim_q(sim)[0] = 0.05 * sin(0.2), pk_sim_q(sim)[2] = 0.05 * cos(0.2);
    pk_sim_q(sim)[3] = cos(0.1), pk_sim_q(sim)[5] = sin(0.1);
    for (int i = 0; i < 500; i++) {
      assert_true(must_step(sim).certified);
    }
    way[k] = pk_sim_u(sim)[0] / cos(0.2);
    assert_less(fabs(way[k] - 0.5 * G * (sin(0.2) - 0.1 * cos(0.2))), 1e-6);
    pk_sim_destroy(sim);
  }
  pk_sim_options o = exact_options(1e-3, PK_CONTACT_RESTING_VELOCITY);
  o.lcp = PK_LCP_CHOICE_PGS, o.max_iterations = 2, o.tolerance = 1e-14;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.1}, &o);
  pk_sim_q(sim)[2] = 0.0499;
  const pk_step_info info = must_step(sim);
  assert_true(!info.certified);
  assert_greater(info.certificate.residual, 0);
  assert_at_least(info.solver_iterations, 2);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void too_many_contacts_for_a_dense_matrix_are_refused(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, MASS, MOMENT);
  pk_sim_options o = exact_options(1e-3, PK_CONTACT_RESTING_VELOCITY);
  pk_sim *sim;
  pk_error err = {0};
  o.max_contacts = 1000;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.field, "max_contacts");
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_opposes_the_slip_in_any_direction),
      cmocka_unit_test(a_pushed_block_reaches_the_speed_that_viscous_friction_allows),
      cmocka_unit_test(a_ball_leaves_with_its_restitution),
      cmocka_unit_test(a_contact_that_leaves_is_not_pushed),
      cmocka_unit_test(collisions_of_many_balls_never_add_energy),
      cmocka_unit_test(a_sliding_rod_has_a_force_up_to_four_thirds_and_then_none),
      cmocka_unit_test(each_solver_of_the_law_can_be_chosen),
      cmocka_unit_test(too_many_contacts_for_a_dense_matrix_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
