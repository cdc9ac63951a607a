/* Tracking errors against motions whose error is known. */
#define _XOPEN_SOURCE 700 /* realpath, setenv */
#include "run/tracking_error.h"

#include <math.h>

#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"

static pki_run_result run_text(const char *text, const char *set)
{
  pki_scenario *s = good_scenario(text, set);
  pki_world world = good_world(s);
  pki_run_result result;
  pk_error err = {.message = ""};
  const pki_run_options options = {.duration = -1};
  if (pki_run(&world, &options, &result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  pki_run_result_free(&result);
  pki_world_free(&world);
  pki_scenario_destroy(s);
  return result;
}

/* Coordinates that count: a place of their own, and a stiffness or a reference. */
static void only_coordinates_with_a_reference_count(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("model: {model: starleth, root: free}\nduration: 1\n", NULL);
  pki_world world = good_world(s);
  const pk_model *m = world.model;
  pk_command *commands = calloc((size_t)m->nu, sizeof *commands);
  double *q = calloc((size_t)m->nq, sizeof *q), *end = calloc((size_t)m->nq, sizeof *end);
  pki_tracking_error e = {0};
  pki_tracking_error_add(m, commands, q, end, &e);
  assert_int_equal(e.count, 0);
  assert_true(isnan(pki_tracking_error_mean(&e)) && isnan(pki_tracking_error_most(&e)));
  for (int k = 0; k < m->nu; k++) {
    commands[k].kp = 1; /* also of the free root, which has no such coordinates */
  }
  commands[6] = (pk_command){.q_des = 0.5, .tau = 3};
  commands[7] = (pk_command){.q_des = -0.25, .kp = 10};
  commands[8] = (pk_command){.tau = 3, .kd = 1}; /* no reference: a torque alone */
  q[m->dof_q[6]] = 0.25;
  end[m->dof_q[6]] = 9;
  pki_tracking_error_add(m, commands, q, end, &e);
  assert_int_equal(e.count, 11);
  assert_near(pki_tracking_error_mean(&e), 0.5 / 11, 1e-16);
  assert_near(pki_tracking_error_rms(&e), 0.25 * sqrt(2.0 / 11), 1e-16);
  assert_true(pki_tracking_error_most(&e) == 0.25);
  free(commands), free(q), free(end);
  pki_world_free(&world);
  pki_scenario_destroy(s);
}

/* An offset that decays critically damped, e = e0 (1 + w t) exp(-w t), has the mean e0 (2 - (2 + w T) exp(-w T))/(w T). The
 * scheme is of first order. */
static void a_critically_damped_offset_has_its_mean_in_closed_form(void **state)
{
  (void)state;
  static const char text[] = "gravity: [0, 0, 0]\nduration: 2\n"
                             "model: {model: pendulum, joints: {hinge: 0.4}}\n"
                             "controller: {name: hold, kp: 162.5, kd: 65}\nstep: {dt: 1e-4}\n";
  /* it holds where it starts */
  const pki_run_result still = run_text(text, NULL);
  assert_int_equal(still.tracking.count, still.steps);
  assert_true(pki_tracking_error_most(&still.tracking) == 0);
  FILE *file = fopen("tracking-error.csv", "w");
  assert_non_null(file);
  fputs("time, hinge\n0, 0\n", file);
  fclose(file);
  char set[4096];
  assert_non_null(realpath("tracking-error.csv", set + 2048));
  snprintf(set, 2048, "controller={name: track, file: %.1500s, kp: 162.5, kd: 65}", set + 2048);
  const pki_run_result r = run_text(text, set);
  const double w = 5, end = 2, mean = 0.4 * (2 - (2 + w * end) * exp(-w * end)) / (w * end);
  assert_near(pki_tracking_error_mean(&r.tracking), mean, 2e-3 * mean);
  /* and the integral of its square is 5/(4 w), but for exp(-20) */
  assert_near(pki_tracking_error_rms(&r.tracking), 0.4 * sqrt(1.25 / (w * end)), 2e-3 * 0.4);
  assert_near(pki_tracking_error_most(&r.tracking), 0.4, 1e-15); /* at the start of the first step */
  remove("tracking-error.csv");
}

static void without_commands_there_is_none(void **state)
{
  (void)state;
  const pki_run_result r = run_text("model: pendulum\nduration: 0.1\n", NULL);
  assert_true(isnan(pki_tracking_error_mean(&r.tracking)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_coordinates_with_a_reference_count),
      cmocka_unit_test(a_critically_damped_offset_has_its_mean_in_closed_form),
      cmocka_unit_test(without_commands_there_is_none),
  };
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
