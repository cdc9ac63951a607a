/* A rotor as a body of its own, held to the joint by a gear constraint, and the same rotor as inertia of the joint. */
#include "actuation/actuation.h"
#include "model/build_help.h"
#include "pronk/sim.h"

/* Ratio, and kg m^2 of the rotor about its axis. */
static const double N = 50, J = 3e-4;

/* A pendulum b on a fixed base a, which joint j turns; with `rotor` a body c of its own turns about a parallel axis by joint k, N times as
 * fast. Its centre of mass is on its axis. */
static pk_model *pendulum(bool rotor)
{
  world w = one_robot();
  part *p = &w.parts[0];
  p->robot.root = PK_ROOT_FIXED;
  for (int j = 0; j < 2; j++) {
    p->joints[j].axis[0] = 1, p->joints[j].axis[1] = p->joints[j].axis[2] = 0;
    p->joints[j].damping = 0;
  }
  p->joints[1].parent = "a";
  p->links[2].inertia = (pk_inertia){.mass = 0.2, .moment = {J, 0, 0, 0.8 * J, 0, 0.8 * J}};
  if (!rotor) {
    p->nlink = 2, p->njoint = 1;
  }
  pk_builder *b = describe(&w);
  if (rotor) {
    pk_constraint_desc c = pk_constraint_desc_default();
    c.name = "gear", c.kind = PK_CONSTRAINT_COUPLING, c.joint[0] = "k", c.joint[1] = "j";
    c.polynomial[0] = 0, c.polynomial[1] = N;
    assert_int_equal(pk_builder_add_constraint(b, &c, NULL), PK_OK);
  }
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* Ten seconds by a voltage that a hand has made: the motor is on the joint behind its gear, or on the rotor itself. Where the joint is
 * every tenth of a second. */
static void swing(bool rotor, pk_stepper stepper, double q[100], double u[100])
{
  pk_model *m = pendulum(rotor);
  pk_motor_parameters p = pk_motor_parameters_default();
  p.drive = PK_MOTOR_DRIVE_VOLTAGE, p.resistance = 0.664, p.inductance = 0.32e-3, p.constant = 0.041;
  p.gear = rotor ? 1 : N, p.inertia = rotor ? 0 : J;
  const int drives = rotor ? 1 : 0;
  const pk_actuator one = {.dof = drives, .kind = pk_actuator_kind_find("dc"), .parameters = &p};
  pk_actuation *a;
  pk_sim *sim;
  pk_error err = {.message = ""};
  pk_sim_options o = pk_sim_options_default();
  if (pk_actuation_create(m, &one, 1, NULL, &a, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  o.dt = 1e-3, o.stepper = stepper, o.actuation = a;
  if (pk_sim_create(m, &o, &sim, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < 10000; i++) {
    const double t = i * o.dt, force = 3 * sin(2 * t) + 2 * sin(7.3 * t);
    pk_sim_commands(sim)[drives].tau = rotor ? force / N : force;
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    if (i % 100 == 99) {
      q[i / 100] = pk_sim_q(sim)[0], u[i / 100] = pk_sim_u(sim)[0];
    }
  }
  pk_sim_destroy(sim), pk_actuation_destroy(a), pk_model_destroy(m);
}

static void a_rotor_of_its_own_and_reflected_inertia_move_alike(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  for (size_t s = 0; s < 2; s++) {
    double q[2][100], u[2][100], most = 0;
    for (int rotor = 0; rotor < 2; rotor++) {
      swing(rotor, steppers[s], q[rotor], u[rotor]);
    }
    for (int i = 0; i < 100; i++) {
      assert_near(q[1][i], q[0][i], 1e-10);
      assert_near(u[1][i], u[0][i], 1e-10);
      most = fmax(most, fabs(q[0][i]));
    }
    assert_greater(most, 0.1); /* it has moved */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rotor_of_its_own_and_reflected_inertia_move_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
