/* What whole-body control refuses and why; robots without feet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/whole_body.h"
#include "pronk/sim.h"
#include "support/bounds.h"

static pk_model *load(const char *name)
{
  char path[512];
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  if (pk_model_load_urdf(path, NULL, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return m;
}

/* Options that are refused with this message about this field. */
static void assert_refused(const pk_model *m, const pk_whole_body_options *o, pk_status expected,
                           const char *field, const char *message)
{
  pk_controller *c = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_whole_body_create(m, o, &c, &err), expected);
  assert_null(c);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

static void wrong_feet_are_refused_by_name(void **state)
{
  (void)state;
  pk_model *coman = load("coman"), *starleth = load("starleth"), *ur10 = load("ur10");
  pk_whole_body_options o = pk_whole_body_options_default();
  o.feet[0] = "RFot";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "feet",
                 "there is no link \"RFot\" to be a foot; did you mean \"RFoot\"?");
  o.feet[0] = "RFoot", o.feet[1] = "r_sole";
  assert_refused(coman, &o, PK_ERROR_ARGUMENT, "feet", "\"r_sole\" and \"RFoot\" are the same foot");
  o.feet[0] = "r_sole", o.feet[1] = NULL;
  assert_refused(coman, &o, PK_ERROR_UNSUPPORTED, "feet",
                 "the foot \"r_sole\" has no box, no ball and no mesh to stand on");
  o.feet[0] = "base_link";
  assert_refused(ur10, &o, PK_ERROR_ARGUMENT, "feet",
                 "\"base_link\" is fixed in the world, expected a link that moves");
  pk_model_destroy(coman), pk_model_destroy(starleth), pk_model_destroy(ur10);
}

static void wrong_moves_are_refused(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  pk_whole_body_options o = pk_whole_body_options_default();
  o.move_count = 2;
  o.moves[0] = (pk_whole_body_move){.at = 1, .time = 0.5};
  o.moves[1] = (pk_whole_body_move){.at = 1.2, .time = 0.5};
  assert_refused(m, &o, PK_ERROR_ARGUMENT, "moves",
                 "the move at 1.2 s begins before the one at 1 s has ended, expected 1.5 s or later");
  o.moves[1].at = 2;
  strcpy(o.moves[1].lift, "LF_FOOT LF_FEET");
  assert_refused(m, &o, PK_ERROR_ARGUMENT, "moves",
                 "lift names \"LF_FEET\", expected names of feet separated by spaces");
  o.move_count = 17;
  assert_refused(m, &o, PK_ERROR_ARGUMENT, "moves", "there are 17 moves, expected at most 16");
  o.move_count = 0;
  o.friction = -1;
  assert_refused(m, &o, PK_ERROR_ARGUMENT, "friction",
                 "friction is -1, expected 0 to 10 (contact forces stay within this friction cone)");
  pk_model_destroy(m);
}

/* Of a table every joint must have a motor, and lines of times must be there to go back to. */
static void wrong_tables_are_refused(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  pk_model own = *m;
  double effort[64];
  memcpy(effort, m->dof_effort, (size_t)m->nu * sizeof *effort);
  effort[m->joints[pk_model_find_joint(m, "LF_KFE")].u] = 0;
  own.dof_effort = effort;
  pk_whole_body_options o = pk_whole_body_options_default();
  snprintf(o.file, sizeof o.file, "%s", PK_BUILD_DIR "/tests/control/knee.csv");
  FILE *file = fopen(o.file, "w");
  assert_non_null(file);
  fputs("time LF_KFE\n0 0\n1 0\n", file);
  fclose(file);
  assert_refused(&own, &o, PK_ERROR_ARGUMENT, "file",
                 "the joint \"LF_KFE\" of the table has no motor, or is of another robot");
  o.loop = 0.5;
  assert_refused(m, &o, PK_ERROR_ARGUMENT, "loop",
                 "loop is 0.5 s, expected the time of a line of the table before its last");
  remove(o.file);
  pk_model_destroy(m);
}

static void a_world_of_another_controller_has_no_report(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  pk_error err = {.message = ""};
  pk_sim *sim;
  pk_controller *hold;
  pk_whole_body_report report;
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  assert_int_equal(pk_whole_body_get_report(sim, &report, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "pk_whole_body_get_report: the world has no controller, expected a controller of "
                      "pk_whole_body_create");
  assert_int_equal(pk_hold_create(m, NULL, &hold, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, hold, &err), PK_OK);
  assert_int_equal(pk_whole_body_get_report(sim, &report, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "pk_whole_body_get_report: the world has the controller \"hold\", expected a "
                      "controller of pk_whole_body_create");
  pk_sim_destroy(sim);
  pk_hold_destroy(hold);
  pk_model_destroy(m);
}

/* Each joint is then a damped oscillator, q'' = kp (q_start - q) - kd q': it goes back as this does, here from a push. */
static void an_arm_on_a_fixed_base_follows_its_posture(void **state)
{
  (void)state;
  pk_model *m = load("ur10");
  pk_error err = {.message = ""};
  pk_sim_options so = pk_sim_options_default();
  so.dt = 1e-3;
  pk_whole_body_options o = pk_whole_body_options_default();
  o.period = 0, o.damping = 0;
  o.tasks[PK_WHOLE_BODY_POSTURE].kp = 64, o.tasks[PK_WHOLE_BODY_POSTURE].kd = 16; /* critically damped */
  o.effort_weight = 1e-12;
  pk_sim *sim;
  pk_controller *c;
  assert_int_equal(pk_sim_create(m, &so, &sim, &err), PK_OK);
  assert_int_equal(pk_whole_body_create(m, &o, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, c, &err), PK_OK);
  double start[6];
  for (int k = 0; k < 6; k++) {
    pk_sim_q(sim)[k] = start[k] = 0.3 * (k - 2);
    pk_sim_u(sim)[k] = 0.2;
  }
  double worst = 0;
  for (int i = 1; i <= 1000; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    const double t = 1e-3 * i;
    for (int k = 0; k < 6; k++) {
      worst = fmax(worst, fabs(pk_sim_q(sim)[k] - start[k] - 0.2 * t * exp(-8 * t)));
    }
  }
  pk_whole_body_report report;
  assert_int_equal(pk_whole_body_get_report(sim, &report, &err), PK_OK);
  print_message("the arm is at most %.1e rad from 0.2 t exp(-8 t); posture missed by %.1e rad/s^2\n", worst,
                report.missed[PK_WHOLE_BODY_POSTURE]);
  assert_less(worst, 2e-4); /* the way back is 9e-3 long; a step of 1 ms lags by dt kd/2 of it */
  assert_less(report.missed[PK_WHOLE_BODY_POSTURE], 1e-6);
  assert_int_equal(report.held, 0);
  pk_sim_destroy(sim);
  pk_whole_body_destroy(c);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_feet_are_refused_by_name),
      cmocka_unit_test(wrong_moves_are_refused),
      cmocka_unit_test(wrong_tables_are_refused),
      cmocka_unit_test(a_world_of_another_controller_has_no_report),
      cmocka_unit_test(an_arm_on_a_fixed_base_follows_its_posture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
