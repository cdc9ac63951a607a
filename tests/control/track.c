/* PID along a table of joint references: what it commands between the lines, and which tables it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/gait.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/update.h"

static const char *const FILE_NAME = "track_test.csv";

static pk_model *load(const char *name)
{
  char path[512];
  pk_model *model = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  assert_int_equal(pk_model_load_urdf(path, NULL, &model, &err), PK_OK);
  return model;
}

static void write_table(const char *text)
{
  FILE *f = fopen(FILE_NAME, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static pk_track_options table_options(const char *text)
{
  pk_track_options o = pk_track_options_default();
  write_table(text);
  snprintf(o.file, sizeof o.file, "%s", FILE_NAME);
  return o;
}

/* What it commands the pendulum at a time, alone: nothing is stepped. */
static pk_command command_at(const pk_controller *c, const pk_model *m, double time, double q)
{
  double state[8] = {0};
  const double u = 0;
  pk_command command = {0};
  const pk_observation seen = {.time = time, .dt = 1e-3, .model = m, .q = &q, .u = &u};
  assert_at_most(c->state_size, sizeof state);
  assert_int_equal(update_one(c, &seen, state, &command), PK_OK);
  return command;
}

static void references_pass_through_the_lines_and_their_rate_is_the_derivative(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  pk_controller *c;
  pk_error err = {0};
  /* q = t^2: the slopes of parabolas are exact inside, and so is the cubic between two of them */
  const pk_track_options o = table_options("# a parabola\n\ntime hinge\nkp 70\nkd 3\ntau_max 9\n"
                                           "0, 0\n0.5, 0.25\n1, 1\n2, 4 # the step changes\n3, 9\n4, 16\n");
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
  for (int i = 0; i <= 250; i++) {
    const double t = 0.5 + 0.01 * i;
    const pk_command at = command_at(c, m, t, 0);
    assert_less(fabs(at.q_des - t * t), 1e-12);
    assert_less(fabs(at.u_des - 2 * t), 1e-12);
    assert_true(at.kp == 70 && at.kd == 3 && at.tau_max == 9);
  }
  const double h = 1e-6;
  for (int i = 1; i < 50; i++) {
    const double t = 0.01 * i,
                 rate = (command_at(c, m, t + h, 0).q_des - command_at(c, m, t - h, 0).q_des) / (2 * h);
    assert_less(fabs(command_at(c, m, t, 0).u_des - rate), 1e-8);
  }
  const pk_command end = command_at(c, m, 7, 0);
  assert_true(end.q_des == 16 && end.u_des == 0);
  pk_track_destroy(c);
  pk_model_destroy(m);
}

static void a_table_that_goes_round_does_so_without_a_break(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  pk_controller *c;
  pk_error err = {0};
  pk_track_options o = table_options("time hinge\n0 0\n1 0.5\n1.5 1\n2 0.25\n3 0.5\n");
  o.loop = 1;
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
  for (int i = 0; i < 200; i++) {
    const pk_command first = command_at(c, m, 1 + 0.01 * i, 0), later = command_at(c, m, 7 + 0.01 * i, 0);
    assert_less(fabs(first.q_des - later.q_des), 1e-12);
    assert_less(fabs(first.u_des - later.u_des), 1e-11);
  }
  const pk_command before = command_at(c, m, 3 - 1e-9, 0), after = command_at(c, m, 3 + 1e-9, 0);
  assert_less(fabs(before.q_des - after.q_des), 1e-8);
  assert_less(fabs(before.u_des - after.u_des), 1e-7);
  assert_greater(fabs(before.u_des), 0.1);
  pk_track_destroy(c);
  o.loop = 1.5; /* the last line is elsewhere */
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "loop");
  o.loop = 1.2; /* no line */
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_ERROR_ARGUMENT);
  pk_model_destroy(m);
}

/* A pendulum held at 0.5 rad: PD leaves e with kp e = m g l sin(0.5 - e); the integral leaves nothing. */
static void the_integral_takes_the_error_that_a_load_leaves(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  const double weight = 9.81; /* 1 kg, 1 m */
  double left[2];
  for (int k = 0; k < 2; k++) {
    pk_track_options o = table_options("time hinge\n0 0.5\n");
    o.kp = 100, o.kd = 40, o.ki = k ? 200 : 0;
    pk_controller *c;
    pk_sim *sim;
    pk_error err = {0};
    assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
    assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
    assert_int_equal(pk_sim_set_controller(sim, c, &err), PK_OK);
    for (int i = 0; i < 20000; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    left[k] = 0.5 - pk_sim_q(sim)[0];
    pk_sim_destroy(sim);
    pk_track_destroy(c);
  }
  print_message("PD leaves %.6f rad, PID %.2g rad\n", left[0], left[1]);
  assert_less(fabs(100 * left[0] - weight * sin(0.5 - left[0])), 1e-9);
  assert_less(fabs(left[1]), 1e-9);
  pk_model_destroy(m);
}

/* kp 0.7 = 70 N m of 5: after 10 s of that the integral has not grown; near the reference it goes on. */
static void the_integral_does_not_wind_up_at_the_torque_limit(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  pk_track_options o = table_options("time hinge\n0 1.2\n");
  o.kp = 100, o.kd = 0, o.ki = 200, o.tau_max = 5;
  pk_controller *c;
  pk_error err = {0};
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
  double memory[8] = {0}, q = 0.5, u = 0;
  pk_command command = {0};
  for (int i = 0; i <= 10000; i++) {
    const pk_observation seen = {.time = 1e-3 * i, .dt = 1e-3, .model = m, .q = &q, .u = &u};
    assert_int_equal(update_one(c, &seen, memory, &command), PK_OK);
  }
  assert_true(command.tau == 0 && command.tau_max == 5);
  q = 1.19; /* 100 0.01 N m is within the limit: the integral goes on */
  const pk_observation near = {.time = 5, .dt = 1e-3, .model = m, .q = &q, .u = &u};
  assert_int_equal(update_one(c, &near, memory, &command), PK_OK);
  assert_less(fabs(command.tau - 200 * 1e-3 * 0.01), 1e-12);
  pk_track_destroy(c);
  pk_model_destroy(m);
}

/* Straight lines: their rate is that of the line that begins, also where the table goes round. */
static void references_can_be_straight_lines(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  pk_controller *c;
  pk_error err = {0};
  pk_track_options o = table_options("time hinge\n0 0\n0.5 1\n2 0\n");
  o.interpolation = PK_TRACK_INTERPOLATION_LINEAR, o.loop = 0;
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
  for (int i = 0; i < 800; i++) {
    const double t = 0.005 * i + 1e-4, at = fmod(t, 2);
    const pk_command command = command_at(c, m, t, 0);
    assert_near(command.q_des, at < 0.5 ? 2 * at : 1 - (at - 0.5) / 1.5, 1e-12);
    assert_near(command.u_des, at < 0.5 ? 2 : -1 / 1.5, 1e-12);
  }
  pk_track_destroy(c);
  o.loop = -1;
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_OK);
  const pk_command end = command_at(c, m, 3, 0);
  assert_true(end.q_des == 0 && end.u_des == 0);
  pk_track_destroy(c);
  pk_model_destroy(m);
}

static void what_is_wrong_with_a_table_is_told_with_its_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *says;
    int line;
  } wrong[] = {
      {"hinge\n", "expected \"time\"", 1},
      {"time\n", "no joint follows", 1},
      {"time hnge\n", "did you mean \"hinge\"", 1},
      {"time hinge hinge\n", "comes twice", 1},
      {"time hinge\nkq 1\n", "did you mean \"kp\"", 2},
      {"time hinge\nkp -1\n", "expected zero or more", 2},
      {"time hinge\n0 1 2\n", "2 values, expected 1", 2},
      {"time hinge\n0 x\n", "expected a number", 2},
      {"time hinge\n0 inf\n", "expected a number", 2},
      {"time hinge\n1 0\n", "expected 0 in the first line", 2},
      {"time hinge\n0 0\n0 1\n", "more than in the line before", 3},
      {"time hinge\nsime 1\n", "did you mean \"sine\"", 2},
      {"time hinge\nsine9 1\n", "found \"sine9\", expected a time, a gain", 2},
      {"time hinge\nsine inf\n", "expected a number", 2},
      {"time hinge\nperiod 0\n", "the period is 0 s, expected 1e-6 or more", 2},
      {"time hinge\nsine 1\n", "the sinusoids have no line \"period\"", 3},
      {"time hinge\nperiod 1\n", "the sinusoids have no line \"sine\"", 3},
      {"time hinge\nperiod 1\nsine 1\nphase2 1\n", "\"phase2\" has no line \"sine2\"", 5},
      {"time hinge\nsine 1\n0 1\n", "a line with a time after sinusoids", 3},
      {"time hinge\n0 1\nsine 1\n", "found \"sine\" after lines with times", 3},
      {"time hinge\n# nothing\n", "no line with a time", 3},
  };
  pk_model *m = load("pendulum");
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const pk_track_options o = table_options(wrong[i].text);
    pk_controller *c;
    pk_error err = {0};
    assert_int_equal(pk_track_create(m, &o, &c, &err), PK_ERROR_SYNTAX);
    assert_null(c);
    if (strstr(err.message, wrong[i].says) == NULL || err.line != wrong[i].line) {
      fail_msg("line %d: %s; expected line %d: %s", err.line, err.message, wrong[i].line, wrong[i].says);
    }
  }
  pk_track_options o = pk_track_options_default();
  pk_controller *c;
  pk_error err = {0};
  snprintf(o.file, sizeof o.file, "nowhere.csv");
  assert_int_equal(pk_track_create(m, &o, &c, &err), PK_ERROR_FILE);
  assert_string_equal(err.field, "file");
  pk_model_destroy(m);
  remove(FILE_NAME);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references_pass_through_the_lines_and_their_rate_is_the_derivative),
      cmocka_unit_test(a_table_that_goes_round_does_so_without_a_break),
      cmocka_unit_test(the_integral_takes_the_error_that_a_load_leaves),
      cmocka_unit_test(the_integral_does_not_wind_up_at_the_torque_limit),
      cmocka_unit_test(references_can_be_straight_lines),
      cmocka_unit_test(what_is_wrong_with_a_table_is_told_with_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
