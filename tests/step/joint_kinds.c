/* Steps of worlds with joint kinds that the library does not have (support/toy_joints.c): integration, limits, energy,
 * and cut joints. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/toy_joints.h"

static pk_joint_desc upright(int kind)
{
  pk_joint_desc joint = hinge_joint();
  joint.kind = (pk_joint_kind)kind;
  return joint;
}

static pk_sim *start(const pk_model *m, pk_stepper stepper)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = 1e-3;
  pk_sim *sim = NULL;
  pk_error err = {.message = ""};
  if (pk_sim_create(m, &o, &sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return sim;
}

static void step(pk_sim *sim, int count)
{
  for (int i = 0; i < count; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
}

/* A nut of mass 1 and moment 1 runs down its thread: a = -g p / (1 + p^2). */
static const double RUN_DOWN = -9.81 * TOY_PITCH / (1 + TOY_PITCH * TOY_PITCH);

static void a_nut_runs_down_its_thread(void **state)
{
  (void)state;
  const pk_joint_desc joint = upright(TOY_SCREW);
  pk_model *m = hinge_model(&joint);
  for (int k = 0; k < 2; k++) {
    pk_sim *sim = start(m, k ? PK_STEPPER_RK4 : PK_STEPPER_EULER);
    step(sim, 1000);
    double q, u;
    pk_sim_get_joints(sim, &q, &u);
    /* Euler moves by the velocity at the end of a step, which adds a dt / 2 to each */
    assert_less(fabs(u - RUN_DOWN), 1e-12);
    assert_less(fabs(q - 0.5 * RUN_DOWN * (k ? 1 : 1.001)), 1e-12);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void a_nut_stops_at_the_end_of_its_thread(void **state)
{
  (void)state;
  pk_joint_desc joint = upright(TOY_SCREW);
  joint.lower = -0.3, joint.upper = 1;
  pk_model *m = hinge_model(&joint);
  pk_sim *sim = start(m, PK_STEPPER_MOREAU);
  double q, u;
  step(sim, 800);
  pk_sim_get_joints(sim, &q, &u);
  assert_greater(q, -0.3);
  assert_less(u, -0.5); /* on its way */
  step(sim, 1200);
  pk_sim_get_joints(sim, &q, &u);
  assert_less(fabs(q + 0.3), 1e-6);
  assert_less(fabs(u), 1e-9);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* An eccentric weight in a joint whose axis lies across gravity. */
static pk_model *swinging(int kind, bool cut)
{
  pk_builder *b = NULL;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"}, weight = {.name = "weight",
                                                        .inertia = {.mass = 2,
                                                                    .com = {0.1, -0.2, -0.3},
                                                                    .moment = {0.05, 0, 0, 0.06, 0, 0.04}}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "joint", joint.parent = "base", joint.child = "weight", joint.kind = (pk_joint_kind)kind;
  joint.axis[0] = 0, joint.axis[1] = -1, joint.axis[2] = 0.2;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &weight, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &joint, NULL), PK_OK);
  if (cut) {
    assert_int_equal(pk_builder_cut_joint(b, "joint", NULL), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static double energy(const pk_model *m, const double *q, const double *u)
{
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  pk_kinematics_compute(w, q, u);
  const pk_energy e = pk_energy_compute(w, u);
  pk_workspace_destroy(w);
  return e.kinetic + e.potential;
}

static void swings_keep_their_energy(void **state)
{
  (void)state;
  for (int kind = TOY_SCREW; kind < TOY_END; kind++) {
    pk_model *m = swinging(kind, false);
    pk_sim *sim = start(m, PK_STEPPER_RK4);
    double q[2] = {0.7, -0.4}, u[2] = {1.5, -2};
    pk_sim_set_joints(sim, q, u);
    const double before = energy(m, q, u);
    step(sim, 2000);
    pk_sim_get_joints(sim, q, u);
    assert_less(fabs(energy(m, q, u) - before), 1e-8);
    assert_greater(fabs(q[0] - 0.7), 1e-2);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
}

static void a_cut_joint_of_a_new_kind_moves_as_the_joint_does(void **state)
{
  (void)state;
  double q[2][2], u[2][2];
  for (int cut = 0; cut < 2; cut++) {
    pk_model *m = swinging(TOY_CYLINDRICAL, cut);
    assert_int_equal(m->nu, cut ? 6 : 2);
    assert_int_equal(m->nbilateral, cut ? 4 : 0);
    pk_sim *sim = start(m, PK_STEPPER_MOREAU);
    pk_sim_set_joints(sim, (const double[2]){0.1, 0.4}, (const double[2]){-0.5, 2});
    pk_sim_commands(sim)[0] = (pk_command){.q_des = 0.2, .kp = 100, .kd = 3, .tau_max = INFINITY};
    step(sim, 500);
    pk_sim_get_joints(sim, q[cut], u[cut]);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  for (int k = 0; k < 2; k++) { /* the schemes agree to first order in the step */
    assert_less(fabs(q[0][k] - q[1][k]), 5e-3);
    assert_less(fabs(u[0][k] - u[1][k]), 2e-2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_nut_runs_down_its_thread),
      cmocka_unit_test(a_nut_stops_at_the_end_of_its_thread),
      cmocka_unit_test(swings_keep_their_energy),
      cmocka_unit_test(a_cut_joint_of_a_new_kind_moves_as_the_joint_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
