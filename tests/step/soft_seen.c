/* What a world tells of its compliant pairs: friction, contacts at lift-off, pairs without a law, hard pairs in schemes without rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"
#include "support/world.h"

static const double HALF[3] = {0.05, 0.05, 0.02}, MASS = 2, G = 9.81;

static pk_model *brick_model(void)
{
  soft_mesh brick = soft_brick(HALF, 6);
  const pk_mesh mesh = {.name = "brick",
                        .nvertex = brick.nvertex,
                        .ntriangle = brick.ntriangle,
                        .vertex = brick.vertex,
                        .triangle = brick.triangle};
  const free_solid solid = {.kind = PK_SHAPE_MESH, .mass = MASS, .moment = {5e-3, 5e-3, 5e-3}, .mesh = &mesh};
  pk_model *m = solids_model(&solid, 1, NULL);
  soft_mesh_free(&brick);
  return m;
}

static pk_sim *brick_world(const pk_model *m, const pk_terrain *t, const pk_compliance *brick,
                           const pk_compliance *ground)
{
  pk_error err = {.message = ""};
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 0, brick, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim, 0, ground, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  pk_sim_q(sim)[2] = HALF[2] - 1e-5;
  return sim;
}

static void friction_of_a_soft_contact_is_the_largest_of_its_law(void **state)
{
  (void)state;
  static const struct {
    pk_compliance_law law;
    pk_compliance_friction friction;
    double brick[2], ground[2], expected; /* static, dynamic */
  } rows[] = {
      {PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, PK_COMPLIANCE_FRICTION_STRIBECK, {0.9, 0.5}, {0.3, 0.2}, 0.45},
      {PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, PK_COMPLIANCE_FRICTION_HOLLARS, {0.9, 0.5}, {0.3, 0.2}, 0.45},
      {PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, PK_COMPLIANCE_FRICTION_CONVEX, {0.9, 0.6}, {0.3, 0.2}, 0.3},
      {PK_COMPLIANCE_LAW_ELASTIC_MESH, PK_COMPLIANCE_FRICTION_STRIBECK, {0.9, 0.5}, {0.3, 0.2}, 0.9}};
  pk_model *m = brick_model();
  pk_terrain *t = slope_terrain(0);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pk_compliance brick = pk_compliance_default();
    brick.law = rows[i].law, brick.friction = rows[i].friction, brick.stiffness = 1e8;
    pk_compliance ground = brick;
    brick.static_friction = rows[i].brick[0], brick.dynamic_friction = rows[i].brick[1];
    ground.static_friction = rows[i].ground[0], ground.dynamic_friction = rows[i].ground[1];
    pk_sim *sim = brick_world(m, t, &brick, &ground);
    pk_sim_contact contact;
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_at_least(pk_sim_contacts(sim, &contact, 1), 1);
    assert_near(contact.friction, rows[i].expected, 1e-12);
    assert_false(contact.slides);
    pk_sim_u(sim)[0] = 1;
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_at_least(pk_sim_contacts(sim, &contact, 1), 1);
    /* far behind the creep speed friction has reached its bound; Stribeck's has fallen below the static coefficient */
    assert_int_equal(contact.slides, rows[i].friction == PK_COMPLIANCE_FRICTION_CONVEX);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Convex friction is borne by the load at the start of the step. Where the normal force is gone at its end, what a step changes of the
 * momentum is still what gravity and the contacts that are told of do. */
static void friction_at_lift_off_is_told_of(void **state)
{
  (void)state;
  pk_model *m = brick_model();
  pk_terrain *t = slope_terrain(0);
  pk_compliance c = pk_compliance_default();
  c.friction = PK_COMPLIANCE_FRICTION_CONVEX, c.dissipation = 0, c.stiffness = 1e7;
  pk_sim *sim = brick_world(m, t, &c, &c);
  const double dt = pk_sim_options_default().dt, deep = 1e-4, up = 0.15;
  pk_sim_q(sim)[2] = HALF[2] - deep; /* deep in the middle of the step, and open dt later */
  pk_sim_u(sim)[0] = 0.5, pk_sim_u(sim)[2] = up;
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  pk_sim_contact contacts[16];
  const int n = pk_sim_contacts(sim, contacts, 16);
  double sum[3] = {0};
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) {
      sum[k] += contacts[i].impulse[k];
    }
    assert_near(contacts[i].normal[2], 1, 1e-9);
  }
  const double lost = MASS * (0.5 - pk_sim_u(sim)[0]);
  print_message("%d contacts, friction took %.6g N s, contacts tell %.6g N s\n", n, lost, -sum[0]);
  assert_greater(lost, 1e-3);
  assert_near(-sum[0], lost, 1e-9);
  assert_near(sum[2], MASS * (pk_sim_u(sim)[2] - up + G * dt), 1e-9);
  assert_near(sum[2], 0, 1e-9);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void a_step_names_the_pair_that_has_no_law(void **state)
{
  (void)state;
  pk_model *m = brick_model();
  pk_terrain *t = slope_terrain(0);
  pk_compliance c = pk_compliance_default();
  c.law = PK_COMPLIANCE_LAW_HERTZ;
  pk_sim *sim = brick_world(m, t, &c, &c);
  pk_step_info info;
  assert_true(isnan(pk_sim_elastic_energy(sim)));
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_UNSUPPORTED);
  print_message("%s\n", info.term);
  assert_int_equal(info.body, 0);
  assert_non_null(strstr(info.term, m->links[0].name));
  assert_non_null(strstr(info.term, "the ground"));
  assert_non_null(strstr(info.term, "hertz"));
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A ball above hard ground that an upward gravity turns round `clearance` above it, at t = 0.25 s, in one step of half a second. Euler's
 * guess, the second stage of explicit schemes, is far below the true path. */
static pk_status swing_by(pk_stepper stepper, double clearance, double *error, pk_step_info *info)
{
  static const double radius = 0.05, up[3] = {0, 0, 9.81};
  pk_error err = {.message = ""};
  const free_solid ball = {
      .kind = PK_SHAPE_SPHERE, .size = {radius}, .mass = 1, .moment = {1e-3, 1e-3, 1e-3}};
  pk_model *m = solids_model(&ball, 1, up);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = 0.5;
  pk_sim *sim;
  const pk_compliance c = pk_compliance_default();
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 1, &c, &err), PK_OK); /* that no shape has */
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  const double z = radius + clearance + 0.5 * up[2] * 0.25 * 0.25;
  pk_sim_q(sim)[2] = z, pk_sim_u(sim)[2] = -0.25 * up[2];
  const pk_status status = pk_sim_step(sim, info);
  *error = fabs(pk_sim_q(sim)[2] - z); /* the path is symmetric about its lowest point */
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  return status;
}

static void adaptive_schemes_refuse_hard_contact_on_the_path_alone(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_ARK_EXPLICIT, PK_STEPPER_ARK_IMPLICIT};
  for (int i = 0; i < 2; i++) {
    pk_step_info info;
    double error;
    assert_int_equal(swing_by(steppers[i], 2e-3, &error, &info), PK_OK);
    print_message("%d internal steps, %.2g m\n", info.iterations, error);
    assert_less(error, 1e-9);
    assert_int_equal(swing_by(steppers[i], -0.1, &error, &info), PK_ERROR_UNSUPPORTED);
    assert_non_null(strstr(info.term, "a hard contact"));
    assert_int_equal(info.body, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_of_a_soft_contact_is_the_largest_of_its_law),
      cmocka_unit_test(friction_at_lift_off_is_told_of),
      cmocka_unit_test(a_step_names_the_pair_that_has_no_law),
      cmocka_unit_test(adaptive_schemes_refuse_hard_contact_on_the_path_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
