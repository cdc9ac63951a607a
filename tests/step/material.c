/* Material pairs: what a surface does on a material of the ground. Pairs of surfaces: step/bodies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
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
  assert_true(fabs(deceleration(sim) - 0.5 * G) < 1e-6);
  /* of another surface, of another material: no change */
  assert_int_equal(pk_sim_set_pair(sim, 2, 0, &(pk_material){.friction = 0.2}, &err), PK_OK);
  assert_int_equal(pk_sim_set_pair(sim, 0, 3, &(pk_material){.friction = 0.9}, &err), PK_OK);
  assert_true(fabs(deceleration(sim) - 0.5 * G) < 1e-6);
  /* the box gets that surface: a reset keeps it */
  assert_int_equal(pk_sim_set_surface(sim, 0, 2, &err), PK_OK);
  assert_true(fabs(deceleration(sim) - 0.2 * G) < 1e-6);
  /* a pair is replaced, and outlives a new ground */
  assert_int_equal(pk_sim_set_pair(sim, 2, 0, &(pk_material){.friction = 0.3}, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  assert_true(fabs(deceleration(sim) - 0.3 * G) < 1e-6);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
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
      cmocka_unit_test(wrong_surfaces_materials_and_pairs_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
