/* Computed torques: what the errors do with the true model and with a wrong one, and which robots it is for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/batch.h"
#include "pronk/gait.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/update.h"

enum { ARM = 6 };
static const double pi = 3.14159265358979323846;
static const char *const FILE_NAME = "computed_torque_test.csv";

/* Sinusoids of the UR10 that stay within its efforts. */
static const char *const SINES =
    "time shoulder_pan_joint shoulder_lift_joint elbow_joint wrist_1_joint wrist_2_joint wrist_3_joint\n"
    "kp 1 1 1 1 1 1\n" /* gains of `track`: they do not count here */
    "period 3 4 2.5 2 2 1.5\n"
    "mean 0 -1.2 1 0.3 0.2 0\n"
    "sine 0.4 0.2 0.3 0.3 0.3 0.5\n"
    "phase 0 0.5 1 1.5 2 2.5\n";

static pk_computed_torque_options table_options(const char *text)
{
  pk_computed_torque_options o = pk_computed_torque_options_default();
  FILE *f = fopen(FILE_NAME, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  snprintf(o.file, sizeof o.file, "%s", FILE_NAME);
  return o;
}

static pk_model *load(const char *name)
{
  char path[512];
  pk_model *model = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  assert_int_equal(pk_model_load_urdf(path, NULL, &model, &err), PK_OK);
  return model;
}

static pk_controller *create(const pk_model *m, const pk_computed_torque_options *o)
{
  pk_controller *c = NULL;
  pk_error err = {0};
  if (pk_computed_torque_create(m, o, &c, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return c;
}

static pk_sim *start(const pk_model *m, const pk_controller *c, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  pk_sim *sim = NULL;
  pk_error err = {0};
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, c, &err), PK_OK);
  return sim;
}

/* Sinusoid of SINES. */
static void sine_at(int k, double t, double *q, double *u)
{
  static const double period[] = {3, 4, 2.5, 2, 2, 1.5}, mean[] = {0, -1.2, 1, 0.3, 0.2, 0},
                      sine[] = {0.4, 0.2, 0.3, 0.3, 0.3, 0.5};
  const double w = 2 * pi / period[k];
  *q = mean[k] + sine[k] * sin(w * t + 0.5 * k);
  *u = sine[k] * w * cos(w * t + 0.5 * k);
}

/* Largest difference in 2 s between the errors of the arm and e'' + 2 zeta w e' + w^2 e = 0 with w = 4 pi, zeta = 0.5. */
static double deviation(const pk_model *m, const pk_controller *c, double dt)
{
  const double w = 2 * pi * 2, zeta = 0.5, wd = w * sqrt(1 - zeta * zeta);
  pk_sim *sim = start(m, c, dt);
  double e0[ARM], v0[ARM], worst = 0;
  for (int k = 0; k < ARM; k++) {
    double q, u;
    sine_at(k, 0, &q, &u);
    e0[k] = 0.05 - 0.02 * k, v0[k] = 0.1;
    pk_sim_q(sim)[k] = q - e0[k];
    pk_sim_u(sim)[k] = u - v0[k];
  }
  for (int i = 1; i * dt < 2; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    const double t = i * dt;
    for (int k = 0; k < ARM; k++) {
      double q, u;
      sine_at(k, t, &q, &u);
      const double e =
          exp(-zeta * w * t) * (e0[k] * cos(wd * t) + (v0[k] + zeta * w * e0[k]) / wd * sin(wd * t));
      worst = fmax(worst, fabs(q - pk_sim_q(sim)[k] - e));
    }
  }
  pk_sim_destroy(sim);
  return worst;
}

static void errors_of_an_arm_obey_a_linear_equation_each_by_itself(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  pk_computed_torque_options o = table_options(SINES);
  o.frequency = 2, o.damping = 0.5;
  pk_controller *c = create(m, &o);
  const double coarse = deviation(m, c, 2e-3), middle = deviation(m, c, 1e-3), fine = deviation(m, c, 5e-4);
  print_message("from the closed form: %.3g, %.3g, %.3g rad at 2, 1, 0.5 ms\n", coarse, middle, fine);
  assert_less(fine, 1e-3); /* of 0.05 rad: the torque is held for a step, which delays it by half of one */
  assert_near(coarse / middle, 2, 0.2);
  assert_near(middle / fine, 2, 0.1);
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

/* An arm with a follower, a slide, damping and a spring; a free box beside it. */
static pk_model *make_arm(const char *effort)
{
  static const char *const box =
      "<robot name='box'><link name='box'><inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
  char text[4000], links[1200] = "";
  for (int i = 0; i < 3; i++) {
    const size_t n = strlen(links);
    snprintf(links + n, sizeof links - n,
             "<link name='l%d'><inertial><origin xyz='.1 .02 -.2'/><mass value='%g'/><inertia ixx='.02' "
             "iyy='.03' izz='.01' ixy='.001' ixz='0' iyz='0'/></inertial></link>",
             i, 1.5 - 0.4 * i);
  }
  snprintf(
      text, sizeof text,
      "<robot name='arm'><link name='world'/>%s"
      "<joint name='a' type='revolute'><parent link='world'/><child link='l0'/><axis xyz='0 1 0'/>"
      "<dynamics damping='0.7'/><limit lower='-3' upper='3' effort='%s' velocity='9'/></joint>"
      "<joint name='b' type='revolute'><parent link='l0'/><child link='l1'/><origin xyz='0 0 -.4'/><axis "
      "xyz='1 0 0'/><mimic joint='a' multiplier='-0.5'/><limit lower='-3' upper='3' effort='90' "
      "velocity='9'/></joint>"
      "<joint name='c' type='prismatic'><parent link='l1'/><child link='l2'/><origin xyz='0 .1 -.3'/><axis "
      "xyz='0 0 1'/><dynamics damping='3'/><limit lower='-1' upper='1' effort='200' velocity='9'/></joint>"
      "</robot>",
      links, effort);
  pk_builder *b;
  pk_error err = {0};
  pk_model *m = NULL;
  pk_builder_create(&b, NULL);
  pk_load_options load = pk_load_options_default();
  load.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_urdf_memory(b, box, strlen(box), "box.urdf", &load, &err), PK_OK);
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "arm.urdf", NULL, &err), PK_OK);
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* Forward dynamics of the torques, damping taken off, are the accelerations that the law asks for. Followers and the free box
 * beside the arm change nothing; the box gets no command. */
static void torques_give_the_accelerations_that_are_asked_for(void **state)
{
  (void)state;
  pk_model *m = make_arm("90");
  pk_computed_torque_options o = table_options("time a c\n0 0.3 0.1\n1 0.5 -0.1\n2 0.2 0.2\n");
  o.kp = 50, o.kd = 8;
  pk_controller *c = create(m, &o);
  pk_workspace *w;
  pk_error err = {0};
  assert_int_equal(pk_workspace_create(m, &w, &err), PK_OK);
  assert_int_equal(m->nu, 8);
  double memory[64] = {0}, q[9] = {0, 0, 1, 1, 0, 0, 0, 0.4, -0.05}, u[8] = {0, 0, 0, 1, 2, 3, 0.8, -0.6};
  double tau[8] = {0}, a[8];
  assert_at_most(c->state_size, sizeof memory);
  pk_command commands[8] = {{.tau = 7}};
  const pk_observation seen = {.time = 0.25, .dt = 1e-3, .model = m, .q = q, .u = u, .workspace = w};
  assert_int_equal(update_one(c, &seen, memory, commands), PK_OK);
  assert_true(commands[0].tau == 7); /* the box */
  for (int k = 6; k < 8; k++) {
    assert_true(commands[k].kp == 0 && commands[k].kd == 0);
    tau[k] = commands[k].tau - m->dof_damping[k] * u[k];
  }
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, q, u, tau, a), PK_OK);
  /* the cubics from rest at 0 with the parabola's slope at 1 s: 0.2 s^2 (3 - 2 s) - m1 s^2 (1 - s), m1 = -0.05 and 0.05 */
  const double s = 0.25, rise[2] = {0.2, -0.2}, m1[2] = {-0.05, 0.05}, from[2] = {0.3, 0.1};
  for (int i = 0; i < 2; i++) {
    const double to = from[i] + rise[i] * s * s * (3 - 2 * s) - m1[i] * s * s * (1 - s),
                 rate = 6 * rise[i] * s * (1 - s) + m1[i] * s * (3 * s - 2),
                 acceleration = 6 * rise[i] * (1 - 2 * s) + m1[i] * (6 * s - 2);
    assert_near(commands[6 + i].q_des, to, 1e-12);
    assert_near(commands[6 + i].u_des, rate, 1e-12);
    assert_near(a[6 + i], acceleration + 50 * (to - q[7 + i]) + 8 * (rate - u[6 + i]), 1e-9);
  }
  pk_workspace_destroy(w);
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

/* A hinge with a spring that is at rest elsewhere is held at rest where it is: the spring is part of the model. */
static void springs_in_joints_are_taken_into_account(void **state)
{
  (void)state;
  static const char *const text =
      "<mujoco><worldbody><body name='rod'><joint name='hinge' type='hinge' axis='0 1 0' stiffness='70' "
      "springref='0.4' damping='0.5'/><geom type='capsule' size='0.05' fromto='0 0 0 0 0 -1' "
      "mass='2'/></body></worldbody></mujoco>";
  pk_builder *b;
  pk_error err = {0};
  pk_model *m = NULL;
  pk_builder_create(&b, NULL);
  assert_int_equal(pk_builder_add_mjcf_memory(b, text, strlen(text), "rod.xml", NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  assert_true(m->dof_stiffness[0] > 0);
  pk_controller *c = create(m, NULL);
  pk_sim *sim = start(m, c, 1e-3);
  pk_sim_q(sim)[0] = -0.3;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  assert_near(pk_sim_q(sim)[0], -0.3, 1e-12);
  pk_sim_destroy(sim);
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

/* 3 kg on the forearm that the controller does not know: it rests where M kp e is their weight at the joints. */
static void a_load_that_it_does_not_know_leaves_the_error_of_statics(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  const double load_mass = 3, at[3] = {-0.3, 0.03, 0.05}, pose[ARM] = {0.2, -1.2, 1, 0.3, 0.4, 0};
  const int link = pk_model_find_link(m, "forearm_link");
  for (int integral = 0; integral < 2; integral++) {
    pk_computed_torque_options o = pk_computed_torque_options_default();
    o.kp = 150, o.ki = integral ? 400 : 0;
    pk_controller *c = create(m, &o);
    pk_sim *sim = start(m, c, 1e-3);
    pk_error err = {0};
    memcpy(pk_sim_q(sim), pose, sizeof pose);
    assert_int_equal(pk_sim_add_mass(sim, link, load_mass, at, &err), PK_OK);
    for (int i = 0; i < 25000; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    pk_workspace *w;
    double M[ARM * ARM], J[6 * ARM];
    assert_int_equal(pk_workspace_create(m, &w, &err), PK_OK);
    pk_mass_matrix(w, pk_sim_q(sim), M);
    pk_kinematics_compute(w, pk_sim_q(sim), NULL);
    pk_link_jacobian(w, link, at, J);
    double worst = 0;
    for (int r = 0; r < ARM; r++) {
      const double weight = J[5 * ARM + r] * load_mass * 9.81;
      double pull = 0;
      for (int k = 0; k < ARM; k++) {
        const double e = pose[k] - pk_sim_q(sim)[k];
        pull += M[r * ARM + k] * 150 * e;
        worst = fmax(worst, fabs(e));
      }
      assert_near(pull, integral ? 0 : weight, 1e-6);
    }
    print_message("it leaves %.3g rad\n", worst);
    if (integral) {
      assert_less(worst, 1e-8);
    } else {
      assert_greater(worst, 0.01);
    }
    pk_workspace_destroy(w);
    pk_sim_destroy(sim);
    pk_computed_torque_destroy(c);
  }
  pk_model_destroy(m);
}

static void gains_follow_from_frequency_and_damping_unless_they_are_given(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  pk_workspace *w;
  pk_error err = {0};
  assert_int_equal(pk_workspace_create(m, &w, &err), PK_OK);
  static const double given[3][2] = {{-1, -1}, {40, -1}, {40, 3}};
  const double omega = 2 * pi * 1.5,
               expected[3][2] = {{omega * omega, 0.4 * omega}, {40, 0.4 * sqrt(40)}, {40, 3}};
  for (int i = 0; i < 3; i++) {
    pk_computed_torque_options o = table_options("time hinge\n0 0.5\n");
    o.frequency = 1.5, o.damping = 0.2, o.kp = given[i][0], o.kd = given[i][1];
    pk_controller *c = create(m, &o);
    const double q = 0.3, u = 0.7;
    double memory[8] = {0}, a;
    pk_command command = {0};
    const pk_observation seen = {.dt = 1e-3, .model = m, .q = &q, .u = &u, .workspace = w};
    assert_int_equal(update_one(c, &seen, memory, &command), PK_OK);
    assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, &q, &u, &command.tau, &a), PK_OK);
    assert_near(a, expected[i][0] * 0.2 - expected[i][1] * 0.7, 1e-9);
    pk_computed_torque_destroy(c);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

static void torques_stay_within_limits_and_integrals_wait_there(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  pk_computed_torque_options o = table_options("time elbow_joint wrist_1_joint\ntau_max 20 inf\n0 2 0\n");
  o.tau_max = 40, o.ki = 100;
  pk_controller *c = create(m, &o);
  pk_sim *sim = start(m, c, 1e-3);
  static const double most[ARM] = {40, 40, 20,
                                   56, 40, 40}; /* of options, table, and the model where it has less */
  for (int i = 0; i < 500; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    for (int k = 0; k < ARM; k++) {
      assert_true(pk_sim_commands(sim)[k].tau_max == most[k]);
      assert_at_most(fabs(pk_sim_tau(sim)[k]), most[k]);
    }
  }
  assert_greater(fabs(pk_sim_commands(sim)[1].tau), 40); /* the stretched arm is too heavy for that */
  pk_sim_destroy(sim);

  /* torque and error of the elbow point the same way, beyond the limit: nothing is summed up in 10 s */
  pk_workspace *w;
  pk_error err = {0};
  assert_int_equal(pk_workspace_create(m, &w, &err), PK_OK);
  const double q[ARM] = {0}, u[ARM] = {0};
  double memory[64] = {0}, first = 0;
  pk_command commands[ARM] = {{0}};
  for (int i = 0; i < 10000; i++) {
    const pk_observation seen = {.time = 1e-3 * i, .dt = 1e-3, .model = m, .q = q, .u = u, .workspace = w};
    assert_int_equal(update_one(c, &seen, memory, commands), PK_OK);
    first = i == 0 ? commands[2].tau : first;
  }
  assert_greater(first, 20);
  assert_true(commands[2].tau == first);
  pk_workspace_destroy(w);
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

static void joints_without_a_reference_of_their_own_keep_their_pose(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  const pk_computed_torque_options o = table_options("time wrist_3_joint\nperiod 1\nsine 0.5\n");
  pk_controller *c = create(m, &o);
  pk_sim *sim = start(m, c, 1e-3);
  static const double pose[ARM] = {0.2, -1.2, 1, 0.3, 0.4, 0};
  memcpy(pk_sim_q(sim), pose, sizeof pose);
  double worst = 0, moved = 0;
  for (int i = 0; i < 2000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    for (int k = 0; k < ARM - 1; k++) {
      worst = fmax(worst, fabs(pk_sim_q(sim)[k] - pose[k]));
    }
    moved = fmax(moved, fabs(pk_sim_q(sim)[5]));
  }
  assert_less(worst, 1e-4); /* 0.5 rad at 1 Hz of the last wrist would push them by more */
  assert_near(moved, 0.5, 0.05);
  pk_sim_destroy(sim);
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

static void worlds_of_a_batch_are_those_of_single_sims_to_the_bit(void **state)
{
  (void)state;
  enum { WORLDS = 13, STEPS = 200 };
  pk_model *m = load("ur10");
  pk_computed_torque_options o = table_options(SINES);
  o.ramp = 0.1, o.ki = 20;
  pk_controller *c = create(m, &o);
  static const int lanes[] = {1, 4, 8};
  for (int l = 0; l < 3; l++) {
    pk_batch_options bo = pk_batch_options_default();
    bo.worlds = WORLDS, bo.lanes = lanes[l], bo.threads = 2;
    pk_batch *batch = NULL;
    pk_error err = {0};
    assert_int_equal(pk_batch_create(m, &bo, &batch, &err), PK_OK);
    assert_int_equal(pk_batch_set_controller(batch, c, &err), PK_OK);
    const pk_batch_view q = pk_batch_q(batch);
    for (int i = 0; i < WORLDS; i++) {
      double *world = q.data + i * q.stride;
      for (int k = 0; k < ARM; k++) {
        world[k] = 0.1 * k - 0.02 * i;
      }
    }
    assert_int_equal(pk_batch_step(batch, STEPS, NULL), PK_OK);
    for (int i = 0; i < WORLDS; i++) {
      pk_sim *sim = start(m, c, bo.sim.dt);
      for (int k = 0; k < ARM; k++) {
        pk_sim_q(sim)[k] = 0.1 * k - 0.02 * i;
      }
      for (int s = 0; s < STEPS; s++) {
        assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      }
      assert_memory_equal(q.data + i * q.stride, pk_sim_q(sim), ARM * sizeof(double));
      pk_sim_destroy(sim);
    }
    pk_batch_destroy(batch);
  }
  pk_computed_torque_destroy(c);
  pk_model_destroy(m);
}

static void expect_failure(const pk_model *m, const pk_computed_torque_options *o, pk_status status,
                           const char *says)
{
  pk_controller *c;
  pk_error err = {0};
  assert_int_equal(pk_computed_torque_create(m, o, &c, &err), status);
  assert_null(c);
  if (strstr(err.message, says) == NULL) {
    fail_msg("%s; expected: %s", err.message, says);
  }
}

static void robots_that_it_is_not_for_are_refused(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  expect_failure(
      m, NULL, PK_ERROR_UNSUPPORTED,
      "the trunk of \"starleth\" moves freely, and no motor drives it: computed-torque is for robots that "
      "are fixed to the world");
  pk_model_destroy(m);
  m = make_arm("0");
  expect_failure(m, NULL, PK_ERROR_UNSUPPORTED,
                 "the joint \"a\" of \"arm\" has no motor (its effort limit is 0)");
  pk_model_destroy(m);

  pk_error err = {0};
  pk_builder *b;
  pk_load_options load_options = pk_load_options_default();
  load_options.root = PK_ROOT_CHAIN;
  assert_int_equal(
      pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", &load_options, &m, &err), PK_OK);
  expect_failure(m, NULL, PK_ERROR_UNSUPPORTED, "moves freely");
  pk_model_destroy(m);

  pk_builder_create(&b, NULL);
  assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/ur10/ur10.urdf", NULL, &err), PK_OK);
  pk_constraint_desc rod = pk_constraint_desc_default();
  rod.name = "rod", rod.kind = PK_CONSTRAINT_DISTANCE, rod.length = 1;
  rod.link[0] = "wrist_3_link";
  if (pk_builder_add_constraint(b, &rod, &err) != PK_OK || pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  expect_failure(m, NULL, PK_ERROR_UNSUPPORTED, "the constraint \"rod\" holds \"ur10\"");
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

static void wrong_options_are_told_by_name(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  pk_computed_torque_options o = pk_computed_torque_options_default();
  static const struct {
    size_t at;
    double value;
    const char *name;
  } wrong[] = {
      {offsetof(pk_computed_torque_options, period), -1, "period"},
      {offsetof(pk_computed_torque_options, loop), -2, "loop"},
      {offsetof(pk_computed_torque_options, ramp), -1, "ramp"},
      {offsetof(pk_computed_torque_options, frequency), -1, "frequency"},
      {offsetof(pk_computed_torque_options, damping), -1, "damping"},
      {offsetof(pk_computed_torque_options, kp), NAN, "kp"},
      {offsetof(pk_computed_torque_options, kd), -2, "kd"},
      {offsetof(pk_computed_torque_options, ki), -1, "ki"},
      {offsetof(pk_computed_torque_options, tau_max), -1, "tau_max"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pk_computed_torque_options bad = o;
    memcpy((char *)&bad + wrong[i].at, &wrong[i].value, sizeof wrong[i].value);
    pk_controller *c;
    pk_error err = {0};
    assert_int_equal(pk_computed_torque_create(m, &bad, &c, &err), PK_ERROR_ARGUMENT);
    assert_string_equal(err.field, wrong[i].name);
  }
  snprintf(o.file, sizeof o.file, "nowhere.csv");
  expect_failure(m, &o, PK_ERROR_FILE, "\"nowhere.csv\" cannot be read");
  o = table_options("time elbow_joint\nperiod 1\nsine 1\n");
  o.loop = 0;
  expect_failure(m, &o, PK_ERROR_ARGUMENT, "sinusoids go on by themselves");
  pk_model_destroy(m);
  remove(FILE_NAME);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_of_an_arm_obey_a_linear_equation_each_by_itself),
      cmocka_unit_test(torques_give_the_accelerations_that_are_asked_for),
      cmocka_unit_test(springs_in_joints_are_taken_into_account),
      cmocka_unit_test(a_load_that_it_does_not_know_leaves_the_error_of_statics),
      cmocka_unit_test(gains_follow_from_frequency_and_damping_unless_they_are_given),
      cmocka_unit_test(torques_stay_within_limits_and_integrals_wait_there),
      cmocka_unit_test(joints_without_a_reference_of_their_own_keep_their_pose),
      cmocka_unit_test(worlds_of_a_batch_are_those_of_single_sims_to_the_bit),
      cmocka_unit_test(robots_that_it_is_not_for_are_refused),
      cmocka_unit_test(wrong_options_are_told_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
