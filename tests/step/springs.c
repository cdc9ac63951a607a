/* Springs in joints: closed forms of an oscillator, energy, stability, and that every way to compute says the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/build_help.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/hinge.h"

static const double pi = 3.14159265358979323846;

/* An arm of unit inertia about z, which gravity does not turn, at the coordinate 0.3 + 0.5 at rest. */
static pk_sim *sprung(const pk_model *m, pk_stepper stepper, double dt, pk_implicit_forces implicit)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = dt, o.implicit = implicit;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  pk_sim_q(sim)[0] = 0.8;
  return sim;
}

static pk_model *oscillator(double stiffness)
{
  pk_joint_desc joint = hinge_joint();
  joint.stiffness = stiffness, joint.spring_ref = 0.3;
  return hinge_model(&joint);
}

static void step_times(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
}

/* x = ref + a cos(w t), w = sqrt(k/I). */
static void an_arm_swings_with_the_period_of_its_spring(void **state)
{
  (void)state;
  pk_model *m = oscillator(4);
  pk_sim *sim = sprung(m, PK_STEPPER_RK4, 1e-3 * pi, 0);
  step_times(sim, 250); /* a quarter of the period, pi */
  assert_near(pk_sim_q(sim)[0], 0.3, 1e-10);
  assert_near(pk_sim_u(sim)[0], -1, 1e-10);
  step_times(sim, 750);
  assert_near(pk_sim_q(sim)[0], 0.8, 1e-10);
  assert_near(pk_sim_u(sim)[0], 0, 1e-10);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* How far the motion is off after 0.6 s. */
static double error_of(const pk_model *m, pk_stepper stepper, pk_implicit_forces implicit, int steps)
{
  pk_sim *sim = sprung(m, stepper, 0.6 / steps, implicit);
  step_times(sim, steps);
  const double error = fabs(pk_sim_q(sim)[0] - (0.3 + 0.5 * cos(1.2))) + fabs(pk_sim_u(sim)[0] + sin(1.2));
  pk_sim_destroy(sim);
  return error;
}

static void schemes_keep_their_order(void **state)
{
  (void)state;
  static const struct {
    pk_stepper stepper;
    pk_implicit_forces implicit;
    double order;
    int steps;
  } rows[] = {{PK_STEPPER_EULER, PK_IMPLICIT_FORCES_ALL, 1, 1000},
              {PK_STEPPER_EULER, PK_IMPLICIT_FORCES_NONE, 1, 1000},
              {PK_STEPPER_MOREAU, PK_IMPLICIT_FORCES_ALL, 1, 1000},
              {PK_STEPPER_RK4, PK_IMPLICIT_FORCES_ALL, 4, 40}};
  pk_model *m = oscillator(4);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const double coarse = error_of(m, rows[i].stepper, rows[i].implicit, rows[i].steps),
                 fine = error_of(m, rows[i].stepper, rows[i].implicit, 2 * rows[i].steps);
    assert_near(log2(coarse / fine), rows[i].order, 0.1);
  }
  pk_model_destroy(m);
}

/* One step by hand: at its end, u = (u - dt k (x - ref)) / (1 + dt^2 k). */
static void the_spring_pulls_at_the_end_of_the_step(void **state)
{
  (void)state;
  const double k = 1500, dt = 1e-2;
  pk_model *m = oscillator(k);
  pk_sim *sim = sprung(m, PK_STEPPER_EULER, dt, PK_IMPLICIT_FORCES_ALL);
  step_times(sim, 1);
  assert_near(pk_sim_u(sim)[0], -dt * k * 0.5 / (1 + dt * dt * k), 1e-13);
  pk_sim_destroy(sim);
  sim = sprung(m, PK_STEPPER_EULER, dt, PK_IMPLICIT_FORCES_NONE);
  step_times(sim, 1);
  assert_near(pk_sim_u(sim)[0], -dt * k * 0.5, 1e-13);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void stiff_springs_are_stable_at_long_steps(void **state)
{
  (void)state;
  pk_model *m = oscillator(1e6); /* dt^2 k = 100 */
  for (int i = 0; i < 2; i++) {
    pk_sim *sim = sprung(m, i == 0 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU, 1e-2, PK_IMPLICIT_FORCES_ALL);
    for (int step = 0; step < 1000; step++) {
      step_times(sim, 1);
      assert_at_most(fabs(pk_sim_q(sim)[0] - 0.3), 0.5);
    }
    assert_at_most(fabs(pk_sim_q(sim)[0] - 0.3), 1e-6);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* Three links that fall and swing, with springs in both joints. */
static world sprung_links(void)
{
  world w = one_robot();
  w.parts[0].robot.root = PK_ROOT_FIXED;
  w.parts[0].joints[0].stiffness = 3, w.parts[0].joints[0].spring_ref = 0.4;
  w.parts[0].joints[1].stiffness = 5, w.parts[0].joints[1].spring_ref = -0.2;
  return w;
}

static void energy_is_kept(void **state)
{
  (void)state;
  const world w = sprung_links();
  pk_model *m = compile(&w);
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_RK4, o.dt = 5e-4;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  double energy[2], least = INFINITY, most = 0;
  for (int end = 0; end < 2; end++) {
    pk_kinematics_compute(pk_sim_workspace(sim), pk_sim_q(sim), pk_sim_u(sim));
    const pk_energy e = pk_energy_compute(pk_sim_workspace(sim), pk_sim_u(sim));
    energy[end] = e.kinetic + e.potential + pk_spring_energy(m, pk_sim_q(sim));
    for (int i = 0; i < 4000 && end == 0; i++) {
      step_times(sim, 1);
      least = fmin(least, pk_spring_energy(m, pk_sim_q(sim)));
      most = fmax(most, pk_spring_energy(m, pk_sim_q(sim)));
    }
  }
  assert_near(energy[1], energy[0], 1e-9);
  assert_at_least(most - least, 0.1); /* the springs took part */
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* A follower at x = 2 q + 0.1 with stiffness k pulls on q as stiffness 4 k at rest at (ref - 0.1)/2. */
static void springs_of_followers_pull_on_their_leader(void **state)
{
  (void)state;
  world w = sprung_links();
  pk_joint_desc *follower = &w.parts[0].joints[1];
  follower->mimic = "j", follower->mimic_multiplier = 2, follower->mimic_offset = 0.1;
  pk_model *m = compile(&w);
  assert_near(m->dof_stiffness[0], 3 + 4 * 5, 1e-15);
  assert_near(m->dof_spring_ref[0], (3 * 0.4 + 2 * 5 * (-0.2 - 0.1)) / 23, 1e-15);
  /* by virtual work */
  const double q = 0.7, dq = 1e-6, x[2] = {q - dq, q + dq};
  const double force = -(pk_spring_energy(m, &x[1]) - pk_spring_energy(m, &x[0])) / (2 * dq);
  assert_near(force, -3 * (q - 0.4) - 2 * 5 * (2 * q + 0.1 + 0.2), 1e-7);
  pk_model_destroy(m);
}

static void cut_joints_keep_their_springs(void **state)
{
  (void)state;
  world w = sprung_links();
  w.parts[0].joints[0].ref = 0.25, w.parts[0].joints[1].ref = -0.5;
  double q[2][2], u[2][2];
  for (int cut = 0; cut < 2; cut++) {
    pk_builder *b = describe(&w);
    pk_model *m;
    pk_sim *sim;
    pk_sim_options o = pk_sim_options_default();
    o.stepper = PK_STEPPER_EULER, o.dt = 1e-4;
    if (cut) {
      assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
    }
    assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
    pk_builder_destroy(b);
    assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
    step_times(sim, 2000);
    pk_sim_get_joints(sim, q[cut], u[cut]);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  for (int k = 0; k < 2; k++) { /* the schemes differ by their first order */
    assert_near(q[1][k], q[0][k], 1e-3);
    assert_near(u[1][k], u[0][k], 1e-2);
    assert_at_least(fabs(u[0][k]), 0.02);
  }
}

static void a_reference_numbers_the_coordinate(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].robot.root = PK_ROOT_FIXED;
  w.parts[0].joints[0].ref = 0.25;
  w.parts[0].joints[1].kind = PK_JOINT_PRISMATIC, w.parts[0].joints[1].axis[1] = -3;
  w.parts[0].joints[1].ref = 0.5, w.parts[0].joints[1].upper = 0.4;
  pk_model *m = compile(&w);
  assert_true(m->q0[0] == 0.25 && m->q0[1] == 0.4); /* clamped into its limits */
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(m, &work, NULL), PK_OK);
  const double at[2] = {0.25, 0.5}, beyond[2] = {0.25, 0.75};
  pk_kinematics_compute(work, at, NULL);
  pk_pose c = pk_link_pose(work, 2);
  assert_near(c.pos[0], 0.2, 1e-15), assert_near(c.pos[1], 0, 1e-15), assert_near(c.pos[2], -0.6, 1e-15);
  assert_near(c.rot[4], 1, 1e-15);
  pk_kinematics_compute(work, beyond, NULL);
  assert_near(pk_link_pose(work, 2).pos[1], -0.25, 1e-15);
  pk_workspace_destroy(work);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_swings_with_the_period_of_its_spring),
      cmocka_unit_test(schemes_keep_their_order),
      cmocka_unit_test(the_spring_pulls_at_the_end_of_the_step),
      cmocka_unit_test(stiff_springs_are_stable_at_long_steps),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(springs_of_followers_pull_on_their_leader),
      cmocka_unit_test(cut_joints_keep_their_springs),
      cmocka_unit_test(a_reference_numbers_the_coordinate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
