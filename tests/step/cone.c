/* The cones of the law lcp-pyramid in closed form, which law certificates judge, what Coulomb's law says beside them. */
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

static const double G = 9.81, MASS = 3, R = 0.05;

static pk_sim_options cone_options(pk_friction_cone cone)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = 5e-4, o.law = PK_CONTACT_LAW_LCP_PYRAMID, o.cone = cone, o.tolerance = 1e-10;
  return o;
}

/* A point mass: it does not turn. */
static pk_model *point_model(void)
{
  static const double heavy[3] = {1e9, 1e9, 1e9};
  return solid_model(PK_SHAPE_SPHERE, (const double[3]){R, 0, 0}, MASS, heavy);
}

static pk_sim *point_on_ground(const pk_model *m, const pk_terrain *t, pk_material material,
                               const pk_sim_options *o)
{
  pk_sim *sim = start_world(m, t, material, o);
  pk_sim_q(sim)[2] = R;
  return sim;
}

/* How much force along a direction, in parts of mu m g, the ground holds against and brakes a slip with. */
static void pulled(const pk_model *m, const pk_terrain *t, pk_friction_cone cone, double angle, double part,
                   bool *holds, pk_step_info *info)
{
  const double mu = 0.4, force[3] = {part * mu * MASS * G * cos(angle), part * mu * MASS * G * sin(angle), 0};
  const pk_sim_options o = cone_options(cone);
  pk_sim *sim = point_on_ground(m, t, (pk_material){.friction = mu}, &o);
  must_step(sim);
  pk_sim_push(sim, 0, (const double[3]){0, 0, 0}, force);
  *info = must_step(sim);
  *holds = hypot(pk_sim_u(sim)[0], pk_sim_u(sim)[1]) < 1e-9;
  pk_sim_destroy(sim);
}

/* At 45 degrees a corner of the square holds sqrt(2) mu N, and so does the pyramid's, which has no slip to turn along; the norm holds mu N. */
static void corners_hold_more_than_the_norm_does(void **state)
{
  (void)state;
  const double corner = acos(-1.0) / 4;
  static const struct {
    double part;
    bool holds[PK_FRICTION_CONE_COUNT];
  } cases[] = {
      {0.99, {true, true, true}}, {1.01, {true, true, false}}, {1.41, {true, true, false}}, {1.42, {0}}};
  pk_model *m = point_model();
  pk_terrain *t = slope_terrain(0);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    for (int cone = 0; cone < PK_FRICTION_CONE_COUNT; cone++) {
      bool holds;
      pk_step_info info;
      pulled(m, t, (pk_friction_cone)cone, corner, cases[k].part, &holds, &info);
      assert_true(info.certified);
      assert_true(holds == cases[k].holds[cone]);
      const bool beyond = holds && cases[k].part > 1; /* more than Coulomb's law allows */
      print_message("cone %d, %.2f mu N: %s, Coulomb's residual %.1e\n", cone, cases[k].part,
                    holds ? "holds" : "slides", info.coulomb_relative);
      assert_true(beyond || cone == PK_FRICTION_CONE_NORM ? (info.coulomb_relative > 1e-3) == beyond : true);
    }
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* What slides at 45 degrees is braked by mu g with the norm and the pyramid, and by sqrt(2) mu g with the square. */
static void a_slip_across_the_axes_is_braked_as_the_cone_says(void **state)
{
  (void)state;
  const double mu = 0.3, speed = 1, corner = acos(-1.0) / 4;
  pk_model *m = point_model();
  pk_terrain *t = slope_terrain(0);
  for (int cone = 0; cone < PK_FRICTION_CONE_COUNT; cone++) {
    const pk_sim_options o = cone_options((pk_friction_cone)cone);
    pk_sim *sim = point_on_ground(m, t, (pk_material){.friction = mu}, &o);
    double *u = pk_sim_u(sim);
    u[0] = speed * cos(corner), u[1] = speed * sin(corner);
    double coulomb = 0;
    for (int i = 0; i < 200; i++) {
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      coulomb = fmax(coulomb, info.coulomb_relative);
    }
    const double brake = (speed - hypot(u[0], u[1])) / 0.1,
                 most = cone == PK_FRICTION_CONE_SQUARE ? sqrt(2) : 1;
    print_message("cone %d: brakes with %.6f mu g, Coulomb's residual up to %.1e\n", cone, brake / (mu * G),
                  coulomb);
    assert_near(brake, most * mu * G, 1e-7);
    assert_near(atan2(u[1], u[0]), corner, 1e-9);
    assert_true(cone == PK_FRICTION_CONE_SQUARE ? coulomb > 1e-3 : coulomb < 1e-8);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* (4.22): m dv/dt = F - mu m g - mu_v v, viscous friction within the bound. Coulomb's law is that of the rest. */
static void the_norm_has_viscous_friction_in_its_bound(void **state)
{
  (void)state;
  const double mu = 0.3, viscous = 1.6, drive = 6, time = 4, corner = 0.7;
  const double force = mu * MASS * G + drive, push[3] = {force * cos(corner), force * sin(corner), 0};
  pk_model *m = point_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = cone_options(PK_FRICTION_CONE_NORM);
  pk_sim *sim = point_on_ground(m, t, (pk_material){.friction = mu, .viscous = viscous}, &o);
  for (int i = 0; i < (int)lround(time / o.dt); i++) {
    pk_sim_push(sim, 0, (const double[3]){0, 0, 0}, push);
    const pk_step_info info = must_step(sim);
    assert_true(info.certified);
    assert_less(info.coulomb_relative, 1e-7);
  }
  const double v = hypot(pk_sim_u(sim)[0], pk_sim_u(sim)[1]),
               expected = drive / viscous * (1 - exp(-viscous / MASS * time));
  print_message("speed after %g s: %.6f m/s, closed form %.6f m/s\n", time, v, expected);
  assert_less(fabs(v / expected - 1), 5e-4);
  assert_near(atan2(pk_sim_u(sim)[1], pk_sim_u(sim)[0]), corner, 1e-9);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Where impulses are unique the norm moves as the hard law does, whose solver and certificate share nothing with it: a ball that slides with
 * spin, and rolls in the end. */
static void the_norm_moves_a_ball_as_hard_contact_does(void **state)
{
  (void)state;
  const double I = 0.4 * MASS * R * R;
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){R, 0, 0}, MASS, (const double[3]){I, I, I});
  pk_terrain *t = slope_terrain(0.1);
  pk_sim *sims[2];
  for (int k = 0; k < 2; k++) {
    pk_sim_options o = cone_options(PK_FRICTION_CONE_NORM);
    o.law = k ? PK_CONTACT_LAW_HARD : PK_CONTACT_LAW_LCP_PYRAMID;
    sims[k] = start_world(m, t, (pk_material){.friction = 0.2}, &o);
    double *u = pk_sim_u(sims[k]);
    pk_sim_q(sims[k])[2] = 0.06, u[0] = 1.2, u[1] = 0.7, u[3] = 30, u[5] = 20;
  }
  double apart = 0;
  for (int i = 0; i < 2000; i++) {
    const pk_step_info norm = must_step(sims[0]), hard = must_step(sims[1]);
    assert_true(norm.certified && hard.certified && hard.coulomb == hard.certificate.residual);
    assert_less(norm.coulomb_relative, 1e-9);
    for (int d = 0; d < 6; d++) {
      apart = fmax(apart, fabs(pk_sim_u(sims[0])[d] - pk_sim_u(sims[1])[d]));
    }
  }
  print_message("velocities apart by %.1e m/s or rad/s\n", apart);
  assert_less(apart, 1e-7);
  pk_sim_destroy(sims[0]);
  pk_sim_destroy(sims[1]);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A block that slides and turns on four corners, where impulses are not unique: those of the norm obey Coulomb's law. */
static void the_norms_impulses_of_many_contacts_obey_coulombs_law(void **state)
{
  (void)state;
  static const double box[3] = {0.4, 0.3, 0.1}, moment[3] = {0.025, 0.043, 0.0625};
  pk_model *m = solid_model(PK_SHAPE_BOX, box, MASS, moment);
  pk_terrain *t = slope_terrain(0.1);
  const pk_sim_options o = cone_options(PK_FRICTION_CONE_NORM);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.4}, &o);
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim), coulomb = 0;
  q[2] = 0.08, u[0] = 1.2, u[1] = 0.7, u[5] = 2;
  for (int i = 0; i < 1000; i++) {
    const pk_step_info info = must_step(sim);
    assert_true(info.certified);
    coulomb = fmax(coulomb, info.coulomb_relative);
  }
  print_message("Coulomb's residual up to %.1e\n", coulomb);
  assert_less(coulomb, 1e-8);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void every_certificate_names_its_law(void **state)
{
  (void)state;
  static const struct {
    pk_contact_law law;
    pk_friction_cone cone;
    pk_judged_law judged;
    const char *name;
  } cases[] = {
      {PK_CONTACT_LAW_HARD, PK_FRICTION_CONE_PYRAMID, PK_JUDGED_LAW_COULOMB, "coulomb"},
      {PK_CONTACT_LAW_LCP_PYRAMID, PK_FRICTION_CONE_PYRAMID, PK_JUDGED_LAW_PYRAMID, "pyramid"},
      {PK_CONTACT_LAW_LCP_PYRAMID, PK_FRICTION_CONE_SQUARE, PK_JUDGED_LAW_SQUARE, "square"},
      {PK_CONTACT_LAW_LCP_PYRAMID, PK_FRICTION_CONE_NORM, PK_JUDGED_LAW_NORM, "norm"},
      {PK_CONTACT_LAW_PENALTY, PK_FRICTION_CONE_NORM, PK_JUDGED_LAW_NONE, "none"},
      {PK_CONTACT_LAW_PENALTY_INTEGRAL, PK_FRICTION_CONE_NORM, PK_JUDGED_LAW_NONE, "none"},
      {PK_CONTACT_LAW_COMPLIANT, PK_FRICTION_CONE_NORM, PK_JUDGED_LAW_NONE, "none"},
      {PK_CONTACT_LAW_IMPULSE, PK_FRICTION_CONE_NORM, PK_JUDGED_LAW_COULOMB, "coulomb"},
  };
  pk_model *m = point_model();
  pk_terrain *t = slope_terrain(0);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    pk_sim_options o = cone_options(cases[k].cone);
    o.law = cases[k].law;
    pk_sim *sim = point_on_ground(m, t, (pk_material){.friction = 0.4}, &o);
    const pk_step_info info = must_step(sim);
    assert_int_equal(info.certificate.law, cases[k].judged);
    assert_string_equal(pk_judged_law_name(info.certificate.law), cases[k].name);
    assert_true(isnan(info.coulomb) == (cases[k].judged == PK_JUDGED_LAW_NONE));
    pk_sim_destroy(sim);
  }
  assert_string_equal(pk_judged_law_name(PK_JUDGED_LAW_COUNT), "unknown");
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void cones_that_a_method_cannot_solve_are_refused(void **state)
{
  (void)state;
  pk_error err = {0};
  pk_sim_options o = cone_options(PK_FRICTION_CONE_NORM);
  o.lcp = PK_LCP_CHOICE_LEMKE;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "lcp");
  o.lcp = PK_LCP_CHOICE_PGS;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_OK);
  o = cone_options(PK_FRICTION_CONE_SQUARE);
  o.resting = PK_CONTACT_RESTING_ACCELERATION;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "cone");
}

/* 100 sweeps whatever is left, as the thesis has it (Table 5.2): the step goes on and says what it missed. */
static void the_listings_own_stop_is_certified_by_what_is_left(void **state)
{
  (void)state;
  static const double box[3] = {0.4, 0.3, 0.1}, moment[3] = {0.025, 0.043, 0.0625};
  pk_model *m = solid_model(PK_SHAPE_BOX, box, MASS, moment);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = cone_options(PK_FRICTION_CONE_NORM);
  o.stop = PK_SOLVER_STOP_CHANGE, o.change_rel = 1e-20, o.max_iterations = 100, o.tolerance = 1e-8;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.4}, &o);
  pk_sim_q(sim)[2] = 0.05, pk_sim_u(sim)[0] = 1;
  for (int i = 0; i < 100; i++) {
    const pk_step_info info = must_step(sim);
    assert_int_equal(info.lcp_solver, PK_LCP_SOLVER_PGS);
    assert_true(info.certified == (info.certificate.relative <= o.tolerance));
    assert_at_most(info.solver_iterations, 4 * 100);
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_hold_more_than_the_norm_does),
      cmocka_unit_test(a_slip_across_the_axes_is_braked_as_the_cone_says),
      cmocka_unit_test(the_norm_has_viscous_friction_in_its_bound),
      cmocka_unit_test(the_norm_moves_a_ball_as_hard_contact_does),
      cmocka_unit_test(the_norms_impulses_of_many_contacts_obey_coulombs_law),
      cmocka_unit_test(every_certificate_names_its_law),
      cmocka_unit_test(cones_that_a_method_cannot_solve_are_refused),
      cmocka_unit_test(the_listings_own_stop_is_certified_by_what_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
