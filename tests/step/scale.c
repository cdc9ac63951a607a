/* A robot and the same robot at another size move alike: lengths by s, masses by s^3, times by sqrt(s). Nothing in a step is small by
 * itself, only beside the robot. */
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

enum { LEGS = 4, NU = 6 + LEGS, NQ = 7 + LEGS };

static void must(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fail_msg("%s", err->message);
  }
}

/* A box on four stiff legs with one hinge each, which has limits and friction; a ball at each end. */
static pk_model *crab(double s)
{
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  pk_model *m;
  const double m3 = s * s * s, m5 = m3 * s * s;
  const pk_link_desc trunk = {
      .name = "trunk", .inertia = {.mass = 10 * m3, .moment = {0.1 * m5, 0, 0, 0.2 * m5, 0, 0.25 * m5}}};
  pk_shape_desc box = {
      .link = "trunk", .kind = PK_SHAPE_BOX, .pose = pk_pose_identity(), .size = {0.4 * s, 0.3 * s, 0.1 * s}};
  robot.root = PK_ROOT_FREE;
  must(pk_builder_add_robot(b, &robot, &err), &err);
  must(pk_builder_add_link(b, &trunk, &err), &err);
  must(pk_builder_add_shape(b, &box, &err), &err);
  for (int i = 0; i < LEGS; i++) {
    char name[8], hinge[8];
    snprintf(name, sizeof name, "leg%d", i), snprintf(hinge, sizeof hinge, "hip%d", i);
    const pk_link_desc leg = {.name = name,
                              .inertia = {.mass = m3,
                                          .com = {0, 0, -0.1 * s},
                                          .moment = {4e-3 * m5, 0, 0, 4e-3 * m5, 0, 1e-3 * m5}}};
    pk_joint_desc hip = pk_joint_desc_default();
    hip.name = hinge, hip.parent = "trunk", hip.child = name, hip.kind = PK_JOINT_REVOLUTE;
    hip.axis[0] = 0, hip.axis[1] = 1;
    hip.origin.pos[0] = (i < 2 ? 0.2 : -0.2) * s, hip.origin.pos[1] = (i % 2 ? 0.18 : -0.18) * s;
    hip.lower = -0.6, hip.upper = 0.5, hip.friction = 0.2 * m3 * s, hip.damping = 0.05 * m3 * s * sqrt(s);
    pk_shape_desc foot = {
        .link = name, .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.03 * s}};
    foot.pose.pos[2] = -0.25 * s;
    must(pk_builder_add_link(b, &leg, &err), &err);
    must(pk_builder_add_joint(b, &hip, &err), &err);
    must(pk_builder_add_shape(b, &foot, &err), &err);
  }
  must(pk_builder_compile(b, &m, &err), &err);
  pk_builder_destroy(b);
  return m;
}

/* Thrown on the ground, held by motors that are too weak; the path of its trunk and joints in the lengths of the robot. */
static void fall(double s, pk_stepper stepper, bool bounces, int steps, double (*path)[NQ])
{
  pk_model *m = crab(s);
  pk_terrain *t = slope_terrain(0.1);
  const double m4 = s * s * s * s;
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = 2e-3 * sqrt(s), o.margin *= s, o.tolerance = 1e-12;
  pk_material material = pk_material_default();
  material.friction = 0.5, material.restitution_n = bounces ? 0.5 : 0;
  pk_sim *sim = start_world(m, t, material, &o);
  double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
  q[2] = 0.45 * s, q[3] = 0.98, q[4] = 0.15, q[5] = 0.1;
  u[0] = 0.6 * sqrt(s), u[4] = 1 / sqrt(s);
  for (int i = 0; i < LEGS; i++) {
    pk_sim_commands(sim)[6 + i] =
        (pk_command){.kp = 20 * m4, .kd = 2 * m4 * sqrt(s), .q_des = 0.1 * i, .tau_max = 3 * m4};
  }
  for (int i = 0; i < steps; i++) {
    const pk_step_info info = must_step(sim);
    assert_true(info.penetration <= 1.01e-9 * s || info.penetration <= 1.01e-3 * o.tolerance);
    for (int k = 0; k < NQ; k++) {
      path[i][k] = k < 3 ? q[k] / s : q[k];
    }
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void robots_of_any_size_fall_alike(void **state)
{
  (void)state;
  enum { STEPS = 300 };
  static const double scales[] = {0.003, 0.1, 30};
  static double path[2][STEPS][NQ];
  for (int kind = 0; kind < 3; kind++) {
    const pk_stepper stepper = kind == 1 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU;
    fall(1, stepper, kind == 2, STEPS, path[0]);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
      double apart = 0;
      fall(scales[i], stepper, kind == 2, STEPS, path[1]);
      for (int k = 0; k < STEPS * NQ; k++) {
        apart = fmax(apart, fabs(path[0][k / NQ][k % NQ] - path[1][k / NQ][k % NQ]));
      }
      print_message("%s%s, %g times as large: %.1e of its size or rad off\n",
                    stepper == PK_STEPPER_EULER ? "euler" : "moreau", kind == 2 ? ", bouncing" : "",
                    scales[i], apart);
      assert_less(apart, 1e-8);
    }
    /* it did something: it fell, and its legs moved */
    assert_greater(path[0][0][2] - path[0][STEPS - 1][2], 0.1);
    assert_greater(fabs(path[0][STEPS - 1][7]), 0.01);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_of_any_size_fall_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
