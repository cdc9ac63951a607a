/* PI of a motor's own angle behind a spring, by voltage: what a steady load leaves of the error and in the spring, in every scheme, and that the
 * integral is part of what a world remembers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "actuation/actuation.h"
#include "pronk/batch.h"
#include "pronk/gait.h"
#include "support/bounds.h"

static const char *const FILE_NAME = "track_motors_test.csv";
static const double KP = 1235, KI = 12350, SLOW = 60, SPRING = 395.46, TARGET = 0.5;

/* A pendulum of 1 kg on a series-elastic drive of COMAN, led to 0.5 rad against its weight. */
typedef struct drive {
  pk_model *model;
  pk_actuation *actuation;
  pk_controller *controller;
  pk_sim_options options;
} drive;

static void must(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fail_msg("%s", err->message);
  }
}

static drive make_drive(pk_stepper stepper, double kp, double ki, pk_motor_feedback feedback)
{
  drive d = {0};
  pk_error err = {.message = ""};
  pk_motor_parameters p = pk_motor_parameters_default();
  p.drive = PK_MOTOR_DRIVE_VOLTAGE, p.resistance = 0.664, p.inductance = 0.32e-3, p.constant = 0.041;
  p.inertia = 1.387e-5, p.damping = 1.996e-5, p.gear = 100, p.voltage = 24;
  p.spring = SPRING, p.spring_damping = 60, p.feedback = feedback;
  const pk_actuator list[] = {{.kind = pk_actuator_kind_find("sea"), .parameters = &p}};
  must(pk_model_load_urdf(PK_SOURCE_DIR "/models/pendulum/pendulum.urdf", NULL, &d.model, &err), &err);
  must(pk_actuation_create(d.model, list, 1, NULL, &d.actuation, &err), &err);
  FILE *f = fopen(FILE_NAME, "w");
  assert_non_null(f);
  fputs("time hinge\n0 0\n0.25 0.5\n", f);
  fclose(f);
  pk_track_options o = pk_track_options_default();
  snprintf(o.file, sizeof o.file, "%s", FILE_NAME);
  o.interpolation = PK_TRACK_INTERPOLATION_LINEAR, o.kp = kp, o.kd = 0, o.ki = ki;
  must(pk_track_create(d.model, &o, &d.controller, &err), &err);
  remove(FILE_NAME);
  d.options = pk_sim_options_default();
  d.options.stepper = stepper, d.options.actuation = d.actuation;
  return d;
}

static pk_sim *make_sim(const drive *d)
{
  pk_sim *sim;
  pk_error err = {.message = ""};
  must(pk_sim_create(d->model, &d->options, &sim, &err), &err);
  must(pk_sim_set_controller(sim, d->controller, &err), &err);
  return sim;
}

static void free_drive(drive *d)
{
  pk_track_destroy(d->controller);
  pk_actuation_destroy(d->actuation);
  pk_model_destroy(d->model);
}

static void run_steps(pk_sim *sim, int steps)
{
  for (int i = 0; i < steps; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
}

/* Angles of motor and joint at rest; the spring between them carries the weight, 9.81 N m sin x, whatever leads the motor. */
static void angles_at_rest(pk_stepper stepper, double kp, double ki, pk_motor_feedback feedback,
                           double *motor, double *joint)
{
  drive d = make_drive(stepper, kp, ki, feedback);
  pk_sim *sim = make_sim(&d);
  run_steps(sim, 40000);
  const double deflection = pk_sim_actuation(sim)[PKI_MOTOR_STATE_DEFLECTION];
  *joint = pk_sim_q(sim)[0], *motor = *joint + deflection;
  assert_near(SPRING * deflection, 9.81 * sin(*joint), 1e-7);
  pk_sim_destroy(sim);
  free_drive(&d);
}

/* P alone stops where kp e carries the weight; PI brings the side of the spring that it looks at to the reference. From
 * the far side of the spring the gains must be slow. */
static void the_integral_looks_at_the_side_of_the_spring_that_the_gains_look_at(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU, PK_STEPPER_RK4};
  for (size_t i = 0; i < sizeof steppers / sizeof steppers[0]; i++) {
    double motor, joint;
    angles_at_rest(steppers[i], KP, 0, PK_MOTOR_FEEDBACK_MOTOR, &motor, &joint);
    assert_near(KP * (TARGET - motor), 9.81 * sin(joint), 1e-7);
    angles_at_rest(steppers[i], KP, KI, PK_MOTOR_FEEDBACK_MOTOR, &motor, &joint);
    assert_near(motor, TARGET, 1e-9);
    angles_at_rest(steppers[i], SLOW, SLOW, PK_MOTOR_FEEDBACK_JOINT, &motor, &joint);
    assert_near(joint, TARGET, 1e-9);
  }
}

static void a_checkpoint_keeps_the_integral(void **state)
{
  (void)state;
  drive d = make_drive(PK_STEPPER_MOREAU, KP, KI, PK_MOTOR_FEEDBACK_MOTOR);
  pk_sim *sim = make_sim(&d), *other = make_sim(&d);
  pk_error err = {.message = ""};
  run_steps(sim, 150);
  const size_t size = pk_sim_state_size(sim);
  void *saved = malloc(size);
  assert_non_null(saved);
  pk_sim_get_state(sim, saved);
  must(pk_sim_set_state(other, saved, size, &err), &err);
  run_steps(sim, 150);
  run_steps(other, 150);
  assert_true(pk_sim_q(sim)[0] == pk_sim_q(other)[0] && pk_sim_u(sim)[0] == pk_sim_u(other)[0]);
  pk_sim_reset(other);
  run_steps(other, 300);
  assert_true(pk_sim_q(sim)[0] == pk_sim_q(other)[0]);
  free(saved);
  pk_sim_destroy(other);
  pk_sim_destroy(sim);
  free_drive(&d);
}

static void worlds_of_a_batch_see_their_own_motors(void **state)
{
  (void)state;
  enum { WORLDS = 6, STEPS = 300 };
  drive d = make_drive(PK_STEPPER_MOREAU, KP, KI, PK_MOTOR_FEEDBACK_MOTOR);
  pk_batch *batch;
  pk_error err = {.message = ""};
  pk_batch_options o = pk_batch_options_default();
  o.worlds = WORLDS, o.lanes = 4, o.threads = 1, o.sim = d.options;
  must(pk_batch_create(d.model, &o, &batch, &err), &err);
  must(pk_batch_set_controller(batch, d.controller, &err), &err);
  double alone[WORLDS];
  for (int k = 0; k < WORLDS; k++) {
    pk_sim *sim = make_sim(&d);
    pk_sim_q(sim)[0] = 0.02 * k;
    must(pk_batch_set(batch, k, sim, &err), &err);
    run_steps(sim, STEPS);
    alone[k] = pk_sim_q(sim)[0];
    pk_sim_destroy(sim);
  }
  pk_batch_info info;
  assert_int_equal(pk_batch_step(batch, STEPS, &info), PK_OK);
  for (int k = 0; k < WORLDS; k++) {
    pk_sim *sim = make_sim(&d);
    must(pk_batch_get(batch, k, sim, &err), &err);
    assert_true(pk_sim_q(sim)[0] == alone[k]);
    assert_true(k == 0 || alone[k] != alone[k - 1]);
    pk_sim_destroy(sim);
  }
  pk_batch_destroy(batch);
  free_drive(&d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_integral_looks_at_the_side_of_the_spring_that_the_gains_look_at),
      cmocka_unit_test(a_checkpoint_keeps_the_integral),
      cmocka_unit_test(worlds_of_a_batch_see_their_own_motors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
