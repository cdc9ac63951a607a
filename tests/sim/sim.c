/* Motion with known answers, commands and their limits, and what a step promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/hinge.h"

enum { NU_MAX = 64 };

static pk_model *load(const char *name, const double *gravity)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s/%s.urdf", PK_SOURCE_DIR, name, name);
  if (gravity != NULL) {
    pk_builder_set_gravity(b, gravity);
  }
  assert_int_equal(pk_builder_add_urdf(b, path, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static pk_sim *start(const pk_model *m, pk_stepper stepper, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper;
  o.dt = dt;
  o.joint_limits = false;
  o.self_collision = false; /* joints are thrown about anyhow */
  o.tolerance = 1e-10;
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  return sim;
}

/* One free box. */
static pk_model *box(double ixx, double iyy, double izz, const double gravity[3])
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "box", robot.root = PK_ROOT_FREE;
  const pk_link_desc link = {.name = "box", .inertia = {.mass = 2, .moment = {ixx, 0, 0, iyy, 0, izz}}};
  pk_builder_set_gravity(b, gravity);
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

static void moreau_is_exact_in_free_fall(void **state)
{
  (void)state;
  pk_model *m = box(1, 2, 2.5, (const double[3]){0, 0, -10});
  pk_sim *sim = start(m, PK_STEPPER_MOREAU, 0.125);
  pk_sim_u(sim)[0] = 3, pk_sim_u(sim)[2] = 4;
  for (int i = 0; i < 16; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_true(pk_sim_time(sim) == 2);
  assert_less(fabs(pk_sim_q(sim)[0] - 6), 1e-14);
  assert_less(fabs(pk_sim_q(sim)[2] - (4 * 2 - 0.5 * 10 * 4)), 1e-13);
  assert_less(fabs(pk_sim_u(sim)[2] - (4 - 20)), 1e-13);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* A body with two equal moments A, A, C: in body axes w turns about z at (A - C)/A w_z. */
static void a_symmetric_top_precesses_as_in_closed_form(void **state)
{
  (void)state;
  const double A = 2, C = 3, wz = 5, w0 = 1.2, t = 2;
  pk_model *m = box(A, A, C, (const double[3]){0, 0, 0});
  const pk_stepper steppers[] = {PK_STEPPER_RK4, PK_STEPPER_ARK_EXPLICIT};
  for (int s = 0; s < 2; s++) {
    pk_sim *sim = start(m, steppers[s], 1e-3);
    double *u = pk_sim_u(sim);
    u[3] = w0, u[5] = wz;
    for (int i = 0; i < 2000; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    const double turn = (C - A) / A * wz * t;
    assert_less(fabs(u[3] - w0 * cos(turn)), 1e-6);
    assert_less(fabs(u[4] - w0 * sin(turn)), 1e-6);
    assert_less(fabs(u[5] - wz), 1e-9);
    /* the angular momentum keeps its direction in the world */
    double L[6];
    pk_kinematics_compute(pk_sim_workspace(sim), pk_sim_q(sim), u);
    pk_momentum_compute(pk_sim_workspace(sim), -1, L);
    assert_less(fabs(L[0] - A * w0), 1e-6);
    assert_less(fabs(L[1]), 1e-6);
    assert_less(fabs(L[2] - C * wz), 1e-6);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* One hinge about z with inertia 1: commands act on a plain double integrator. */
static pk_model *hinge(double damping)
{
  pk_joint_desc joint = hinge_joint();
  joint.axis[2] = -1; /* a negative axis on purpose */
  joint.damping = damping;
  return hinge_model(&joint);
}

static void damping_is_implicit_and_cannot_overshoot(void **state)
{
  (void)state;
  pk_model *m = hinge(1000);
  const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  for (int s = 0; s < 2; s++) {
    pk_sim *sim = start(m, steppers[s], 0.1);
    pk_sim_u(sim)[0] = 1;
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_less(fabs(pk_sim_u(sim)[0] - 1.0 / 101), 1e-15); /* u / (1 + dt d / I) */
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void explicit_mode_is_the_plain_scheme(void **state)
{
  (void)state;
  pk_model *m = hinge(2);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 0.1, o.stepper = PK_STEPPER_EULER, o.implicit = PK_IMPLICIT_FORCES_NONE;
  pk_sim *sim;
  pk_error err;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  pk_sim_u(sim)[0] = 1;
  pk_sim_commands(sim)[0] = (pk_command){.tau = 0.5, .kp = 3, .q_des = 1, .kd = 1, .tau_max = INFINITY};
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  const double force = 0.5 + 3 * (1 - 0) + 1 * (0 - 1) - 2 * 1;
  assert_less(fabs(pk_sim_u(sim)[0] - (1 + 0.1 * force)), 1e-15);
  assert_less(fabs(pk_sim_tau(sim)[0] - (force + 2)), 1e-15);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void stiff_gains_settle_at_any_step(void **state)
{
  (void)state;
  pk_model *m = load("ur10", NULL);
  const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  for (int s = 0; s < 2; s++) {
    pk_sim *sim = start(m, steppers[s], 0.05);
    for (int k = 0; k < m->nu; k++) {
      pk_sim_commands(sim)[k] =
          (pk_command){.kp = 1e7, .kd = 1e5, .q_des = 0.3 * (k + 1), .tau_max = INFINITY};
    }
    for (int i = 0; i < 400; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    for (int k = 0; k < m->nu; k++) {
      assert_less(fabs(pk_sim_q(sim)[k] - 0.3 * (k + 1)), 1e-4);
      assert_less(fabs(pk_sim_u(sim)[k]), 1e-6);
    }
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* The step must satisfy its own equation, limits included; inverse dynamics is the judge. */
static void torque_limits_are_part_of_the_solution(void **state)
{
  (void)state;
  pk_model *m = load("starleth", NULL);
  pki_random rng = pki_random_seeded(5);
  int saturated = 0, worst_iterations = 0;
  double worst = 0;
  for (int trial = 0; trial < 300; trial++) {
    const double dt = trial % 2 ? 0.02 : 0.001;
    pk_sim_options o = pk_sim_options_default();
    o.stepper = PK_STEPPER_EULER, o.dt = dt, o.joint_limits = false, o.tolerance = 1e-14;
    o.self_collision = false;
    pk_sim *sim;
    pk_error err;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    double q[NU_MAX], u[NU_MAX], a[NU_MAX], force[NU_MAX];
    for (int k = 0; k < m->nu; k++) {
      pk_sim_u(sim)[k] = pki_random_between(&rng, -3, 3);
      if (m->dof_q[k] >= 0) {
        pk_sim_q(sim)[m->dof_q[k]] = pki_random_between(&rng, -1, 1);
        pk_sim_commands(sim)[k] = (pk_command){.tau = pki_random_between(&rng, -5, 5),
                                               .q_des = pki_random_between(&rng, -1, 1),
                                               .kp = pki_random_between(&rng, 0, 2000),
                                               .kd = pki_random_between(&rng, 0, 50),
                                               .tau_max = pki_random_between(&rng, 1, 30)};
      }
    }
    memcpy(q, pk_sim_q(sim), (size_t)m->nq * sizeof(double));
    memcpy(u, pk_sim_u(sim), (size_t)m->nu * sizeof(double));
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    saturated += info.saturated;
    worst_iterations = info.iterations > worst_iterations ? info.iterations : worst_iterations;
    for (int k = 0; k < m->nu; k++) {
      a[k] = (pk_sim_u(sim)[k] - u[k]) / dt;
    }
    pk_inverse_dynamics(pk_sim_workspace(sim), q, u, a, force);
    for (int k = 0; k < m->nu; k++) {
      const pk_command *c = &pk_sim_commands(sim)[k];
      const int at = m->dof_q[k];
      double law =
          at < 0 ? 0
                 : c->tau + c->kp * (c->q_des - pk_sim_q(sim)[at]) + c->kd * (c->u_des - pk_sim_u(sim)[k]);
      law = fmin(fmax(law, -c->tau_max), c->tau_max);
      worst = fmax(worst, fabs(force[k] - law));
      assert_less(fabs(pk_sim_tau(sim)[k] - law), 1e-9);
    }
    pk_sim_destroy(sim);
  }
  print_message("%d joints at their limit, at most %d iterations, law met to %.2g N m\n", saturated,
                worst_iterations, worst);
  assert_greater(saturated, 300);
  assert_less(worst, 1e-8);
  pk_model_destroy(m);
}

/* Two equal pendulums on one base, the second at twice the angle of the first and 0.4 rad on: one
 * coordinate with the inertia of both. */
static void a_follower_moves_with_its_leader(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "base"}, &err), PK_OK);
  const char *const links[] = {"a", "b"}, *const joints[] = {"ja", "jb"};
  for (int i = 0; i < 2; i++) {
    const pk_link_desc link = {.name = links[i],
                               .inertia = {.mass = 1, .com = {0, 0, -1}, .moment = {0.1, 0, 0, 0.1, 0, 0.1}}};
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joints[i], joint.parent = "base", joint.child = links[i];
    if (i == 1) {
      joint.mimic = "ja", joint.mimic_multiplier = 2, joint.mimic_offset = 0.4;
    }
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  assert_int_equal(m->nu, 1);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  double M, a;
  const double q = 0.3, u = 0.7, tau = 0.2;
  pk_mass_matrix(w, &q, &M);
  assert_less(fabs(M - (1.1 + 4 * 1.1)), 1e-14); /* I + m^2 I */
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, &q, &u, &tau, &a), PK_OK);
  const double gravity = -9.81 * (sin(q) + 2 * sin(2 * q + 0.4));
  assert_less(fabs(a - (tau + gravity) / M), 1e-13);
  /* and over time energy stays */
  pk_sim *sim = start(m, PK_STEPPER_RK4, 1e-3);
  pk_sim_q(sim)[0] = q, pk_sim_u(sim)[0] = u;
  pk_kinematics_compute(w, &q, &u);
  const pk_energy before = pk_energy_compute(w, &u);
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy after = pk_energy_compute(w, pk_sim_u(sim));
  assert_less(fabs(after.kinetic + after.potential - before.kinetic - before.potential), 1e-9);
  pk_sim_destroy(sim);
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* A step with a wrong input: its status, and the body and term that it names; the state stays. */
static void expect_refusal(pk_sim *sim, pk_status status, int body, const char *term)
{
  const pk_model *m = pk_sim_model(sim);
  double q[NU_MAX], u[NU_MAX];
  memcpy(q, pk_sim_q(sim), (size_t)m->nq * sizeof(double));
  memcpy(u, pk_sim_u(sim), (size_t)m->nu * sizeof(double));
  pk_step_info info;
  assert_int_equal(pk_sim_step(sim, &info), status);
  assert_int_equal(info.body, body);
  assert_string_equal(info.term, term);
  assert_false(info.certified);
  assert_true(status != PK_ERROR_NONFINITE || isinf(info.certificate.relative));
  assert_memory_equal(q, pk_sim_q(sim), (size_t)m->nq * sizeof(double));
  assert_memory_equal(u, pk_sim_u(sim), (size_t)m->nu * sizeof(double));
  assert_true(pk_sim_time(sim) == 0);
}

static void a_wrong_input_keeps_the_state_and_names_the_body(void **state)
{
  (void)state;
  pk_model *m = load("ur10", NULL);
  for (int s = 0; s < PK_STEPPER_COUNT; s++) {
    pk_sim *sim = start(m, (pk_stepper)s, 1e-3);
    pk_command *c = &pk_sim_commands(sim)[2];
    const pk_command none = *c;
    c->tau = NAN;
    expect_refusal(sim, PK_ERROR_NONFINITE, 2, "command");
    *c = none, c->kp = -1;
    expect_refusal(sim, PK_ERROR_ARGUMENT, 2, "command");
    *c = none, c->tau_max = -1;
    expect_refusal(sim, PK_ERROR_ARGUMENT, 2, "command");
    *c = none, c->tau_max = NAN;
    expect_refusal(sim, PK_ERROR_NONFINITE, 2, "command");
    *c = none, pk_sim_q(sim)[3] = INFINITY;
    expect_refusal(sim, PK_ERROR_NONFINITE, 3, "q");
    pk_sim_q(sim)[3] = 0, pk_sim_u(sim)[4] = NAN;
    expect_refusal(sim, PK_ERROR_NONFINITE, 4, "u");
    /* and it can go on */
    pk_sim_u(sim)[4] = 0;
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void a_quaternion_without_length_is_refused(void **state)
{
  (void)state;
  pk_model *m = box(1, 2, 2.5, (const double[3]){0, 0, -10});
  pk_sim *sim = start(m, PK_STEPPER_MOREAU, 1e-3);
  pk_sim_q(sim)[3] = 0;
  expect_refusal(sim, PK_ERROR_ARGUMENT, 0, "q");
  pk_sim_q(sim)[3] = 2; /* any other length is as good as one */
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_less(fabs(pk_sim_q(sim)[3] - 1), 1e-12);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void each_field_of_a_command_is_checked_by_name(void **state)
{
  (void)state;
  const pk_command sound = {0};
  pk_error err;
  assert_int_equal(pk_command_validate(&sound, &err), PK_OK);
  pk_command c = sound;
  c.tau = NAN;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "tau");
  c = sound, c.q_des = INFINITY;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "q_des");
  c = sound, c.u_des = -INFINITY;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "u_des");
  c = sound, c.kp = -1;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "kp");
  c = sound, c.kd = -1;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "kd");
  c = sound, c.tau_max = -1;
  assert_int_equal(pk_command_validate(&c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "tau_max");
  assert_string_equal(err.message, "tau_max is -1, expected 0 to inf N m or N (largest force; 0: no limit)");
}

/* A limit of zero is none, by every stepper, explicit and implicit, to the bit. */
static void a_command_that_names_no_limit_has_none(void **state)
{
  (void)state;
  pk_model *m = load("pendulum", NULL);
  const pk_command given[] = {{.tau = 1}, {.kp = 300, .q_des = 0.4}, {.tau = -2, .kd = 1.5, .u_des = 3}};
  for (int trial = 0; trial < 2 * 3 * PK_STEPPER_COUNT; trial++) {
    pk_sim_options o = pk_sim_options_default();
    o.stepper = (pk_stepper)(trial / 6),
    o.implicit = trial % 2 ? PK_IMPLICIT_FORCES_NONE : PK_IMPLICIT_FORCES_ALL;
    double end[2][2];
    for (int k = 0; k < 2; k++) {
      pk_sim *sim;
      pk_step_info info;
      assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
      pk_sim_commands(sim)[0] = given[trial / 2 % 3];
      pk_sim_commands(sim)[0].tau_max = k ? INFINITY : 0;
      for (int i = 0; i < 5; i++) {
        assert_int_equal(pk_sim_step(sim, &info), PK_OK);
        assert_int_equal(info.saturated, 0);
      }
      assert_greater(fabs(pk_sim_tau(sim)[0]), 0.9);
      end[k][0] = pk_sim_u(sim)[0], end[k][1] = pk_sim_tau(sim)[0];
      pk_sim_destroy(sim);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
  }
  pk_model_destroy(m);
}

static void every_stepper_counts_saturated_commands(void **state)
{
  (void)state;
  pk_model *m = load("pendulum", NULL);
  for (int s = 0; s < PK_STEPPER_COUNT; s++) {
    pk_sim *sim = start(m, (pk_stepper)s, 1e-3);
    pk_sim_commands(sim)[0] = (pk_command){.kp = 1e4, .q_des = 1, .tau_max = 0.5};
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    assert_int_equal(info.saturated, 1);
    assert_less(fabs(pk_sim_tau(sim)[0] - 0.5), 1e-12);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* A force that no step can follow ends with a status, in bounded time. */
static void adaptive_steppers_give_up_in_the_end(void **state)
{
  (void)state;
  pk_model *m = load("starleth", NULL);
  for (int s = PK_STEPPER_ARK_EXPLICIT; s < PK_STEPPER_COUNT; s++) {
    pk_sim_options o = pk_sim_options_default();
    o.stepper = (pk_stepper)s, o.dt = 0.1, o.max_internal = 200;
    pk_sim *sim;
    pk_error err;
    assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
    pk_sim_commands(sim)[8].tau = 1e20;
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_CONVERGENCE);
    assert_in_range(info.iterations, 0, 200);
    pk_sim_commands(sim)[8].tau = 0;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void a_world_that_cannot_move_steps_all_the_same(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc link = {.name = "table", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  assert_int_equal(m->nu, 0);
  for (int s = 0; s < PK_STEPPER_COUNT; s++) {
    pk_sim *sim = start(m, (pk_stepper)s, 0.5);
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    assert_true(pk_sim_time(sim) == 0.5);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* Gains and steps over many decades, half of the joints limited: the law holds and no step fails. */
static void limits_hold_for_any_gain_and_step(void **state)
{
  (void)state;
  pk_model *m = load("starleth", NULL);
  pki_random rng = pki_random_seeded(6);
  double worst = 0;
  int saturated = 0;
  for (int trial = 0; trial < 400; trial++) {
    const double dt = pow(10, -3 + trial % 3), stiff = pow(10, 2 + (trial / 3) % 7);
    pk_sim *sim = start(m, trial % 2 ? PK_STEPPER_EULER : PK_STEPPER_MOREAU, dt);
    for (int k = 6; k < m->nu; k++) {
      pk_sim_u(sim)[k] = pki_random_between(&rng, -1, 1);
      pk_sim_commands(sim)[k] = (pk_command){.q_des = pki_random_between(&rng, -1, 1),
                                             .kp = stiff * pki_random_unit(&rng),
                                             .kd = 0.01 * stiff * pki_random_unit(&rng),
                                             .tau_max = k % 2 ? INFINITY : pki_random_between(&rng, 1, 30)};
    }
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    worst = fmax(worst, info.certificate.relative);
    saturated += info.saturated;
    for (int k = 6; k < m->nu; k++) {
      assert_at_most(fabs(pk_sim_tau(sim)[k]), pk_sim_commands(sim)[k].tau_max);
    }
    pk_sim_destroy(sim);
  }
  print_message("%d saturated, worst certificate %.2g\n", saturated, worst);
  assert_greater(saturated, 400);
  assert_at_most(worst, 1e-10);
  pk_model_destroy(m);
}

static void options_out_of_range_are_named(void **state)
{
  (void)state;
  pk_model *m = hinge(0);
  pk_error err;
  pk_sim *sim;
  pk_sim_options o = pk_sim_options_default();
  o.dt = 0;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_ERROR_ARGUMENT);
  assert_null(sim);
  assert_string_equal(err.field, "dt");
  assert_string_equal(err.message, "dt is 0, expected 1e-09 to 10 s (time step)");
  o = pk_sim_options_default();
  o.dt = NAN;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "dt");
  o = pk_sim_options_default();
  o.stepper = PK_STEPPER_COUNT;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "stepper");
  o = pk_sim_options_default();
  o.implicit = PK_IMPLICIT_FORCES_COUNT;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "implicit");
  o = pk_sim_options_default();
  o.rtol = 1;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "rtol");
  o = pk_sim_options_default();
  o.atol = -1;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "atol");
  pk_model_destroy(m);
}

static void reset_goes_back_to_the_start_and_repeats_the_bits(void **state)
{
  (void)state;
  pk_model *m = load("coman", NULL);
  for (int s = 0; s < PK_STEPPER_COUNT; s++) {
    pk_sim *sim = start(m, (pk_stepper)s, 5e-3);
    double first[NU_MAX];
    for (int round = 0; round < 2; round++) {
      pk_sim_u(sim)[4] = 1;
      pk_sim_commands(sim)[8] = (pk_command){.kp = 50, .kd = 1, .q_des = 0.5, .tau_max = 4};
      for (int i = 0; i < 20; i++) {
        assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      }
      if (round == 0) {
        memcpy(first, pk_sim_q(sim), (size_t)m->nq * sizeof(double));
        pk_sim_reset(sim);
        assert_true(pk_sim_time(sim) == 0);
        assert_memory_equal(pk_sim_q(sim), m->q0, (size_t)m->nq * sizeof(double));
      }
    }
    assert_memory_equal(first, pk_sim_q(sim), (size_t)m->nq * sizeof(double));
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moreau_is_exact_in_free_fall),
      cmocka_unit_test(a_symmetric_top_precesses_as_in_closed_form),
      cmocka_unit_test(damping_is_implicit_and_cannot_overshoot),
      cmocka_unit_test(explicit_mode_is_the_plain_scheme),
      cmocka_unit_test(stiff_gains_settle_at_any_step),
      cmocka_unit_test(torque_limits_are_part_of_the_solution),
      cmocka_unit_test(a_follower_moves_with_its_leader),
      cmocka_unit_test(a_wrong_input_keeps_the_state_and_names_the_body),
      cmocka_unit_test(a_quaternion_without_length_is_refused),
      cmocka_unit_test(each_field_of_a_command_is_checked_by_name),
      cmocka_unit_test(a_command_that_names_no_limit_has_none),
      cmocka_unit_test(every_stepper_counts_saturated_commands),
      cmocka_unit_test(adaptive_steppers_give_up_in_the_end),
      cmocka_unit_test(a_world_that_cannot_move_steps_all_the_same),
      cmocka_unit_test(limits_hold_for_any_gain_and_step),
      cmocka_unit_test(options_out_of_range_are_named),
      cmocka_unit_test(reset_goes_back_to_the_start_and_repeats_the_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
