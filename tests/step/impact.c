/* Impacts with known answers, and what they do to the energy. */
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

static const double G = 9.81;

/* Arcs of height h, e^2 h, e^4 h, ... that take 2 e^n sqrt(2 h/g): the height at any time in closed form. */
static double arc_height(double h, double e, double time)
{
  const double fall = sqrt(2 * h / G);
  double begin = -fall, speed = G * fall; /* of the current arc, and its speed off the ground */
  while (e > 0 && time > begin + 2 * speed / G) {
    begin += 2 * speed / G;
    speed *= e;
  }
  const double t = time - begin;
  return e > 0 || time < fall ? speed * t - 0.5 * G * t * t : 0;
}

static void a_ball_follows_three_arcs(void **state)
{
  (void)state;
  const double radius = 0.1, height = 1, moment[3] = {0.008, 0.008, 0.008}, restitution[3] = {0, 0.5, 1};
  const double frictions[2] = {0, 0.8};
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (const double[3]){radius, 0, 0}, 2, moment);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-4, o.tolerance = 1e-10;
  for (int k = 0; k < 6; k++) {
    const double e = restitution[k / 2], fall = sqrt(2 * height / G);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = frictions[k % 2], .restitution_n = e}, &o);
    pk_sim_q(sim)[2] = height + radius;
    double worst = 0;
    for (int i = 1; i * o.dt < fall * (1 + 2 * e + 2 * e * e + 1.9 * e * e * e); i++) {
      assert_true(must_step(sim).certified);
      worst = fmax(worst, fabs(pk_sim_q(sim)[2] - radius - arc_height(height, e, i * o.dt)));
    }
    print_message("restitution %g, friction %g: off the arcs by at most %.2g m\n", e, frictions[k % 2],
                  worst);
    assert_less(worst,
                2 * sqrt(2 * G * height) * o.dt); /* two steps' way: an impact is late by less than one */
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Two rods, the first hanging from a fixed point, with a ball at the end. */
static pk_model *double_pendulum(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "base"}, &err), PK_OK);
  const char *names[3] = {"base", "upper", "lower"}, *joints[3] = {"", "shoulder", "elbow"};
  for (int k = 1; k < 3; k++) {
    const pk_link_desc link = {
        .name = names[k],
        .inertia = {.mass = 1.5 - 0.5 * k, .com = {0, 0, -0.2}, .moment = {0.02, 0, 0, 0.02, 0, 0.001}}};
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joints[k], joint.parent = names[k - 1], joint.child = names[k];
    joint.axis[0] = 0, joint.axis[1] = 1, joint.origin.pos[2] = k == 1 ? 0 : -0.4;
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  }
  pk_shape_desc ball = {.link = "lower", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.03}};
  ball.pose.pos[2] = -0.4;
  assert_int_equal(pk_builder_add_shape(b, &ball, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* u_+ = u_- - inv(M) J' (1 + eps) J u_- / (J inv(M) J'), J the row of the ball's height. */
static void exact_jump(const pk_model *m, const double *q, const double *u, double eps, double *out)
{
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  const double tip[3] = {0, 0, -0.4};
  double J[12], Minv[4];
  assert_int_equal(pk_mass_matrix_inverse(w, q, Minv), PK_OK);
  pk_kinematics_compute(w, q, NULL);
  pk_link_jacobian(w, pk_model_find_link(m, "lower"), tip, J);
  const double *row = J + 10; /* linear, z */
  const double a[2] = {Minv[0] * row[0] + Minv[1] * row[1], Minv[2] * row[0] + Minv[3] * row[1]};
  const double scale = (1 + eps) * (row[0] * u[0] + row[1] * u[1]) / (row[0] * a[0] + row[1] * a[1]);
  for (int k = 0; k < 2; k++) {
    out[k] = u[k] - a[k] * scale;
  }
  pk_workspace_destroy(w);
}

static void a_double_pendulum_hits_the_floor_with_the_exact_jump(void **state)
{
  (void)state;
  const double q[2] = {0.4, -0.9}, u[2] = {-1.5, 2}, restitution[3] = {0, 0.5, 1};
  pk_model *m = double_pendulum();
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  pk_kinematics_compute(w, q, u);
  const pk_pose pose = pk_link_pose(w, pk_model_find_link(m, "lower"));
  const double floor[3] = {0, 0, pose.pos[2] - 0.4 * pose.rot[8] - 0.03}, up[3] = {0, 0, 1};
  pk_workspace_destroy(w);
  pk_error err;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, floor, up, 0, &err), PK_OK);
  for (int k = 0; k < 3; k++) {
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
      pk_sim_options o = pk_sim_options_default();
      o.dt = fine ? 1e-8 : 1e-6, o.tolerance = 1e-12;
      pk_sim *sim = start_world(m, t, (pk_material){.restitution_n = restitution[k]}, &o);
      memcpy(pk_sim_q(sim), q, sizeof q);
      memcpy(pk_sim_u(sim), u, sizeof u);
      double jump[2];
      exact_jump(m, q, u, restitution[k], jump);
      must_step(sim);
      off[fine] = fmax(fabs(pk_sim_u(sim)[0] - jump[0]), fabs(pk_sim_u(sim)[1] - jump[1]));
      assert_greater(fabs(jump[0] - u[0]), 0.1); /* there is a jump at all */
      pk_sim_destroy(sim);
    }
    print_message("eps %g: off the exact jump by %.2g at 1 us, %.2g at 10 ns\n", restitution[k], off[0],
                  off[1]);
    assert_less(off[0], 2e-5);
    assert_less(off[1], 2e-7);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A tilted rod hits the ground with one end while it slides: Newton's law with friction and unequal coefficients gains
 * energy for some of the tilts and speeds. No gravity: dT is all there is. */
static double hit(double tilt, double speed, pk_impact_law impact, double *reported)
{
  const double length = 1, moment[3] = {1.0 / 12, 1.0 / 12, 1e-3};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_link_desc rod = {.name = "rod",
                            .inertia = {.mass = 1, .moment = {moment[0], 0, 0, moment[1], 0, moment[2]}}};
  const pk_shape_desc ends = {
      .link = "rod", .kind = PK_SHAPE_CAPSULE, .pose = pk_pose_identity(), .size = {1e-6, length}};
  pk_builder_set_gravity(b, (const double[3]){0, 0, 0});
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &rod, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &ends, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-6, o.tolerance = 1e-12, o.impact = impact;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.6, .restitution_n = 0.9}, &o);
  pk_sim_q(sim)[2] = 0.5 * length * cos(tilt) + 1e-6;
  pk_sim_q(sim)[3] = cos(0.5 * tilt), pk_sim_q(sim)[5] = sin(0.5 * tilt);
  pk_sim_u(sim)[0] = speed, pk_sim_u(sim)[2] = -1;
  const double before = 0.5 * (speed * speed + 1);
  const pk_step_info info = must_step(sim);
  const double *u = pk_sim_u(sim);
  assert_int_equal(info.contacts, 1);
  assert_true(info.certified);
  *reported = info.impact_gain;
  const double after = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) + 0.5 * moment[1] * u[4] * u[4];
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  return after - before;
}

static void newtons_law_reports_the_energy_that_it_gains_and_groups_gain_none(void **state)
{
  (void)state;
  double most = 0, newton, group;
  int gains = 0, cases = 0;
  for (double tilt = 0.1; tilt < 1.5; tilt += 0.1) {
    for (double speed = -4; speed <= 4; speed += 0.5) {
      const double plain = hit(tilt, speed, PK_IMPACT_LAW_NEWTON, &newton);
      const double safe = hit(tilt, speed, PK_IMPACT_LAW_GROUP, &group);
      assert_less(fabs(newton - fmax(plain, 0)), 1e-9);
      assert_less(safe, 1e-9);
      assert_true(group == 0);
      if (plain <= 0) {
        assert_less(fabs(safe - plain), 1e-9); /* where the plain law is sound it stays */
      }
      gains += plain > 0;
      cases++;
      most = fmax(most, plain);
    }
  }
  print_message("%d of %d impacts gain energy by Newton's law, at most %.3g J\n", gains, cases, most);
  assert_greater(gains, 5);
  assert_greater(most, 1e-3);
}

/* Two free balls are two groups: the dull one does not take the bounce from the other. The two ends of one body are
 * one group. */
static void groups_are_what_motion_couples(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  for (int k = 0; k < 3; k++) {
    pk_robot_desc robot = pk_robot_desc_default();
    const char *prefix[3] = {"a_", "b_", "c_"};
    robot.root = PK_ROOT_FREE, robot.prefix = prefix[k], robot.name = prefix[k], robot.pose.pos[0] = 2 * k;
    robot.pose.pos[2] = 0.1;
    const pk_link_desc link = {.name = "body", .inertia = {.mass = 1, .moment = {0.1, 0, 0, 0.1, 0, 0.1}}};
    assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    for (int side = 0; side < (k < 2 ? 1 : 2); side++) {
      pk_shape_desc ball = {
          .link = "body", .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.1}};
      ball.pose.pos[0] = k < 2 ? 0 : side - 0.5;
      assert_int_equal(pk_builder_add_shape(b, &ball, &err), PK_OK);
    }
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-5;
  const double exact[2][3] = {{0.8, 0.2, 0.2}, {0.8, 0.2, 0.5}}; /* speeds of the middles: group, newton */
  for (int k = 0; k < 2; k++) {
    o.impact = k ? PK_IMPACT_LAW_NEWTON : PK_IMPACT_LAW_GROUP;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0, .restitution_n = 0.8}, &o);
    const pk_material dull = {.restitution_n = 0.2};
    assert_int_equal(pk_sim_set_pair(sim, 1, 0, &dull, &err), PK_OK);
    assert_int_equal(pk_sim_set_surface(sim, 1, 1, &err), PK_OK); /* ball b, one end of c */
    assert_int_equal(pk_sim_set_surface(sim, 3, 1, &err), PK_OK);
    for (int i = 0; i < 3; i++) {
      pk_sim_u(sim)[6 * i + 2] = -1;
    }
    must_step(sim);
    for (int i = 0; i < 3; i++) {
      assert_less(fabs(pk_sim_u(sim)[6 * i + 2] - exact[k][i]), 1e-3);
    }
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_follows_three_arcs),
      cmocka_unit_test(a_double_pendulum_hits_the_floor_with_the_exact_jump),
      cmocka_unit_test(newtons_law_reports_the_energy_that_it_gains_and_groups_gain_none),
      cmocka_unit_test(groups_are_what_motion_couples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
