/* Worlds at the edge: no room left, nothing that can give way, steps that fail. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/bounds.h"
#include "support/world.h"

enum { BOXES = 3 };

static pk_model *boxes(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  for (int i = 0; i < BOXES; i++) {
    char prefix[16];
    snprintf(prefix, sizeof prefix, "b%d_", i);
    pk_robot_desc robot = pk_robot_desc_default();
    robot.root = PK_ROOT_FREE, robot.prefix = prefix;
    const pk_link_desc link = {.name = "box", .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
    const pk_shape_desc shape = {
        .link = "box", .kind = PK_SHAPE_BOX, .pose = pk_pose_identity(), .size = {0.2, 0.2, 0.2}};
    assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
    assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* As many contacts as there is room for, all sticking and all below the ground: each has three rows in a projection. */
static void a_full_world_is_lifted_out_of_the_ground(void **state)
{
  (void)state;
  pk_model *m = boxes();
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.max_contacts = 4 * BOXES;
  pk_sim *sim = start_world(m, t, pk_material_default(), &o);
  for (int i = 0; i < BOXES; i++) {
    pk_sim_q(sim)[7 * i] = i, pk_sim_q(sim)[7 * i + 2] = 0.1;
  }
  for (int k = 0; k < 10; k++) {
    must_step(sim);
  }
  for (int i = 0; i < BOXES; i++) {
    pk_sim_q(sim)[7 * i + 2] -= 1e-5 * (i + 1);
  }
  const pk_step_info info = must_step(sim);
  assert_int_equal(info.contacts, 4 * BOXES);
  assert_true(info.certified);
  assert_less(info.penetration, 1e-9);
  for (int i = 0; i < BOXES; i++) {
    assert_less(fabs(pk_sim_q(sim)[7 * i + 2] - 0.1), 1e-8);
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A slider along x with its ball below the ground: the step goes on and says how deep it is. */
static void a_depth_that_nothing_can_resolve_stays(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"},
                     ball = {.name = "ball", .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
  const pk_shape_desc shape = {
      .link = "ball", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.1}};
  pk_joint_desc rail = pk_joint_desc_default();
  rail.name = "rail", rail.kind = PK_JOINT_PRISMATIC, rail.parent = "base", rail.child = "ball";
  rail.lower = -10, rail.upper = 10, rail.origin.pos[2] = 0.099;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &ball, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &rail, NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = start_world(m, t, pk_material_default(), &o);
  pk_sim_u(sim)[0] = 1;
  for (int k = 0; k < 10; k++) {
    const pk_step_info info = must_step(sim);
    assert_less(fabs(info.penetration - 1e-3), 1e-12);
  }
  assert_true(isfinite(pk_sim_q(sim)[0]));
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_step_that_fails_leaves_contacts_as_they_were(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = start_world(m, t, pk_material_default(), &o);
  pk_sim_contact before[8], after[8];
  starleth_pose(sim, 0.449, true);
  for (int k = 0; k < 200; k++) {
    must_step(sim);
  }
  const int n = pk_sim_contacts(sim, before, 8);
  assert_int_equal(n, 4);
  const double point[3] = {0, 0, 0}, huge[3] = {1e308, 0, -1e308};
  assert_int_equal(pk_sim_push(sim, 0, point, huge), PK_OK);
  assert_int_not_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_int_equal(pk_sim_contacts(sim, after, 8), n);
  assert_memory_equal(before, after, (size_t)n * sizeof *before);
  assert_true(must_step(sim).certified); /* the push is spent */
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A cylinder on its end has eight contacts, four of which take part from the beginning. A push at half its height that moves the load
 * close to the rim, between any two of them, brings in those that it needs: it does not tip, and all steps are certified. */
static void a_cylinder_on_its_end_is_held_by_the_contacts_that_it_needs(void **state)
{
  (void)state;
  enum { WAYS = 16 };
  const double radius = 0.1, height = 0.2, mass = 2, size[3] = {radius, height, 0}, pi = 3.14159265358979;
  const double moment[3] = {0.01, 0.01, 0.01}, middle[3] = {0};
  pk_model *m = solid_model(PK_SHAPE_CYLINDER, size, mass, moment);
  pk_terrain *t = slope_terrain(0);
  const pk_material rough = {.friction = 2};
  int fewest = 8, most = 0;
  for (int way = 0; way < WAYS; way++) {
    pk_sim *sim = start_world(m, t, rough, NULL);
    pk_sim_q(sim)[2] = 0.5 * height;
    for (int k = 0; k < 200; k++) {
      /* the octagon of contacts reaches to cos(pi/8) of the radius at least, the square of four to cos(pi/4) */
      const double far = k < 20 ? 0 : 0.95 * cos(pi / 8) * radius, force = mass * 9.81 * far / (0.5 * height);
      const double push[3] = {force * cos(2 * pi * way / WAYS), force * sin(2 * pi * way / WAYS), 0};
      assert_int_equal(pk_sim_push(sim, 0, middle, push), PK_OK);
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      fewest = info.contacts < fewest ? info.contacts : fewest;
      most = info.contacts > most ? info.contacts : most;
    }
    assert_float_equal(pk_sim_q(sim)[2], 0.5 * height, 1e-8);
    assert_float_equal(fabs(pk_sim_q(sim)[3]), 1, 1e-12);
    pk_sim_destroy(sim);
  }
  assert_int_equal(fewest, 4);
  assert_greater(most, 4);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Damping of 5 N m s/rad on a light shank: dt inv(M) kd is far above 2, which no explicit step bears. */
static void stiff_gains_do_not_force_small_steps(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  for (int explicit = 0; explicit < 2; explicit ++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = 2.5e-3;
    o.implicit = explicit ? PK_IMPLICIT_FORCES_NONE : PK_IMPLICIT_FORCES_ALL;
    pk_sim *sim = start_world(m, t, pk_material_default(), &o);
    starleth_pose(sim, 0.455, true);
    for (int k = 6; k < m->nu; k++) {
      pk_sim_commands(sim)[k].kp = 1000, pk_sim_commands(sim)[k].tau_max = INFINITY;
    }
    double late = 0, most = 0;
    for (int k = 0; k < 800 && most < 50; k++) { /* 50 rad/s: it has run away */
      must_step(sim);
      most = fmax(most, fastest(sim));
      late = k > 600 ? fmax(late, fastest(sim)) : late;
    }
    assert_true(explicit ? most > 50 : most < 50 && late < 1e-3);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void wrong_pushes_are_refused(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  const pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = start_world(m, NULL, pk_material_default(), &o);
  const double zero[3] = {0, 0, 0}, bad[3] = {0, NAN, 0};
  assert_int_equal(pk_sim_push(sim, -1, zero, zero), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_push(sim, m->nlink, zero, zero), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_sim_push(sim, 0, zero, bad), PK_ERROR_ARGUMENT);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_full_world_is_lifted_out_of_the_ground),
      cmocka_unit_test(a_depth_that_nothing_can_resolve_stays),
      cmocka_unit_test(a_step_that_fails_leaves_contacts_as_they_were),
      cmocka_unit_test(a_cylinder_on_its_end_is_held_by_the_contacts_that_it_needs),
      cmocka_unit_test(stiff_gains_do_not_force_small_steps),
      cmocka_unit_test(wrong_pushes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
