/* Material pairs: what a surface does on a material of the ground. Pairs of surfaces: step/bodies. */
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

/* How fast a box that slides at 1 m/s slows down. */
static double deceleration(pk_sim *sim)
{
  pk_sim_reset(sim);
  pk_sim_q(sim)[2] = 0.05, pk_sim_u(sim)[0] = 1;
  for (int i = 0; i < 50; i++) {
    must_step(sim);
  }
  return (1 - pk_sim_u(sim)[0]) / 0.05;
}

static void a_pair_overrules_the_ground_and_nothing_else_does(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.tolerance = 1e-10;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.5}, &o);
  pk_error err;
  assert_less(fabs(deceleration(sim) - 0.5 * G), 1e-6);
  /* of another surface, of another material: no change */
  assert_int_equal(pk_sim_set_pair(sim, 2, 0, &(pk_material){.friction = 0.2}, &err), PK_OK);
  assert_int_equal(pk_sim_set_pair(sim, 0, 3, &(pk_material){.friction = 0.9}, &err), PK_OK);
  assert_less(fabs(deceleration(sim) - 0.5 * G), 1e-6);
  /* the box gets that surface: a reset keeps it */
  assert_int_equal(pk_sim_set_surface(sim, 0, 2, &err), PK_OK);
  assert_less(fabs(deceleration(sim) - 0.2 * G), 1e-6);
  /* a pair is replaced, and outlives a new ground */
  assert_int_equal(pk_sim_set_pair(sim, 2, 0, &(pk_material){.friction = 0.3}, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  assert_less(fabs(deceleration(sim) - 0.3 * G), 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* ---- materials that change after steps have been made ---- */

/* Who is given restitution. */
enum { PAIR, GROUND, SURFACES, BODIES, CHANGES };

static void make_bouncy(pk_sim *sim, const pk_terrain *t, int change, double eps)
{
  const pk_material law = {.friction = 0.5, .restitution_n = eps};
  pk_error err = {.message = ""};
  const pk_status status = change == PAIR       ? pk_sim_set_pair(sim, 0, 0, &law, &err)
                           : change == GROUND   ? pk_sim_set_terrain(sim, t, &law, 1, &err)
                           : change == SURFACES ? pk_sim_set_surface_pair(sim, 0, 0, &law, &err)
                                                : pk_sim_set_body_material(sim, &law, &err);
  assert_int_equal(status, PK_OK);
}

/* How fast the first body goes away from what it hits with 1 m/s: its velocity less that of the second. */
static double speed_after_impact(pk_sim *sim, int steps)
{
  const bool two = pk_sim_model(sim)->nu > 6;
  double *const u = pk_sim_u(sim);
  pk_sim_reset(sim);
  pk_sim_q(sim)[2] = 0.06, u[2] = -1; /* a centimetre to go */
  if (two) {
    pk_sim_q(sim)[9] = -0.05;
  }
  for (int i = 0; i < steps; i++) {
    must_step(sim);
  }
  return u[2] - (two ? u[8] : 0);
}

/* A box above the ground, or two boxes without any; there is no weight. */
static void a_world_that_has_been_stepped_bounces_as_soon_as_its_materials_do(void **state)
{
  (void)state;
  const free_solid box = {PK_SHAPE_BOX, {0.4, 0.3, 0.1}, 3, {0.025, 0.043, 0.0625}, NULL};
  const free_solid boxes[2] = {box, box};
  pk_terrain *t = slope_terrain(0);
  for (int k = 0; k < 2 * CHANGES; k++) {
    const int change = k / 2;
    const bool two = change == SURFACES || change == BODIES;
    pk_model *m = solids_model(boxes, two ? 2 : 1, (const double[3]){0});
    pk_sim_options o = pk_sim_options_default();
    o.stepper = k % 2 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU;
    pk_sim *sim = start_world(m, two ? NULL : t, (pk_material){.friction = 0.5}, &o);
    assert_less(fabs(speed_after_impact(sim, 40)), 1e-6);
    make_bouncy(sim, t, change, 0.5);
    const double some = speed_after_impact(sim, 40);
    make_bouncy(sim, t, change, 0.25);
    const double less = speed_after_impact(sim, 40);
    make_bouncy(sim, t, change, 0);
    const double none = speed_after_impact(sim, 40);
    print_message("change %d: it leaves with %.6f, %.6f and %.6f m/s\n", change, some, less, none);
    assert_less(fabs(some - 0.5), 1e-6);
    assert_less(fabs(less - 0.25), 1e-6);
    assert_less(fabs(none), 1e-6);
    /* in the air */
    speed_after_impact(sim, 3);
    make_bouncy(sim, t, change, 0.5);
    for (int i = 3; i < 40; i++) {
      must_step(sim);
    }
    assert_less(fabs(pk_sim_u(sim)[2] - (two ? pk_sim_u(sim)[8] : 0) - 0.5), 1e-6);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  pk_terrain_destroy(t);
}

static void wrong_surfaces_materials_and_pairs_are_named(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_BOX, BOX, 3, MOMENT);
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  const pk_material fine = pk_material_default();
  assert_true(fine.friction == 0.8 && fine.restitution_n == 0 && fine.restitution_t == 0);
  assert_int_equal(pk_sim_set_surface(sim, 1, 0, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "shape is 1, expected 0 to 0");
  assert_int_equal(pk_sim_set_surface(sim, 0, -1, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "surface is -1, expected 0 to 63");
  assert_int_equal(pk_sim_set_pair(sim, 64, 0, &fine, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "surface is 64, expected 0 to 63");
  assert_int_equal(pk_sim_set_pair(sim, 0, 64, &fine, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "material is 64, expected 0 to 63");
  assert_int_equal(pk_sim_set_pair(sim, 0, 0, &(pk_material){.restitution_t = 1.5}, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "restitution_t");
  assert_int_equal(pk_sim_set_pair(sim, 0, 0, &(pk_material){.friction = NAN}, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "friction");
  const pk_material two[2] = {fine, {.friction = -1}};
  assert_int_equal(pk_sim_set_terrain(sim, NULL, two, 2, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "material 1: friction is -1, expected 0 to 1e+06 (Coulomb's coefficient)");
  assert_int_equal(pk_sim_set_surface_pair(sim, -1, 0, &fine, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "surface_a is -1, expected 0 to 63");
  assert_int_equal(pk_sim_set_surface_pair(sim, 0, 64, &fine, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "surface_b is 64, expected 0 to 63");
  assert_int_equal(pk_sim_set_surface_pair(sim, 0, 1, &(pk_material){.restitution_n = -1}, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "restitution_n");
  assert_int_equal(pk_sim_set_body_material(sim, &(pk_material){.friction = -1}, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "friction");
  for (int i = 0; i < 64; i++) {
    assert_int_equal(pk_sim_set_pair(sim, i, 0, &fine, &err), PK_OK);
  }
  assert_int_equal(pk_sim_set_pair(sim, 3, 0, &fine, &err), PK_OK); /* replaces */
  assert_int_equal(pk_sim_set_pair(sim, 3, 1, &fine, &err), PK_ERROR_LIMIT);
  assert_int_equal(pk_sim_set_surface_pair(sim, 3, 1, &fine, &err), PK_ERROR_LIMIT);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pair_overrules_the_ground_and_nothing_else_does),
      cmocka_unit_test(a_world_that_has_been_stepped_bounces_as_soon_as_its_materials_do),
      cmocka_unit_test(wrong_surfaces_materials_and_pairs_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
