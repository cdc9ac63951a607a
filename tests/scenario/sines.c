/* The shipped scenarios of joint sinusoids: how well an arm follows them by PD and by computed torques, and that the quadruped
 * goes by them, and trots by a controller that balances it. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "scenario/help.h"
#include "support/bounds.h"

static pki_scenario *shipped_scenario(const char *name, const char *const *sets, int count)
{
  char path[512];
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/scenarios/%s.yaml", name);
  if (pki_scenario_load(path, sets, count, &s, &err) != PK_OK) {
    fail_msg("%s:%d: %s", path, err.line, err.message);
  }
  return s;
}

/* Mean over time and joints of the distance from what the commands ask for, rad, after the ramp of 2 s. */
static double mean_error(const char *const *sets, int count)
{
  pki_scenario *scenario = shipped_scenario("ur10-sine", sets, count);
  pki_world world = good_world(scenario);
  const double dt = scenario->step.dt;
  const int steps = (int)lround(scenario->duration / dt);
  double sum = 0;
  long samples = 0;
  for (int k = 0; k < steps; k++) {
    double before[6];
    memcpy(before, pk_sim_q(world.sim), sizeof before); /* a command is for the start of its step */
    assert_int_equal(pki_world_step(&world, NULL), PK_OK);
    for (int i = 0; i < 6 && k * dt >= 2; i++, samples++) {
      sum += fabs(pk_sim_commands(world.sim)[i].q_des - before[i]);
    }
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return sum / (double)samples;
}

/* Measured: 5.2e-3, 8.2e-5 and 4.0e-3 rad. A PD of 10 Hz lags behind accelerations of up to 9 rad/s^2 by about a/w^2 = 2e-3 rad, and
 * wrists, whose gains are for their own inertia, by what the whole arm does to them. */
static void an_arm_follows_better_by_its_model_than_by_pd_alone(void **state)
{
  (void)state;
  const char *const computed[] = {"controller.name=computed-torque", "step.dt=0.05"};
  const double pd = mean_error(NULL, 0), model = mean_error(computed, 1), large = mean_error(computed, 2);
  print_message("PD %.2g rad, computed torque %.2g rad, at 50 ms %.2g rad\n", pd, model, large);
  assert_less(pd, 1e-2);
  assert_less(model, pd / 30);
  assert_less(large, 50 * model * 1.1); /* of first order in the step */
}

typedef struct walk {
  double forward, lowest, tilt; /* m, m, cosine of the largest tilt */
} walk;

static walk go(const char *set)
{
  pki_scenario *scenario = shipped_scenario("links-sine", &set, set != NULL);
  pki_world world = good_world(scenario);
  const int steps = (int)lround(scenario->duration / scenario->step.dt);
  const double *q = pk_sim_q(world.sim), start = q[0];
  walk w = {.lowest = INFINITY, .tilt = 1};
  for (int k = 0; k < steps; k++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&world, &info), PK_OK);
    assert_true(info.certified);
    w.lowest = fmin(w.lowest, q[2]);
    w.tilt = fmin(w.tilt, 1 - 2 * (q[4] * q[4] + q[5] * q[5]));
  }
  w.forward = q[0] - start;
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return w;
}

/* 10 s each. */
static void a_quadruped_goes_by_sinusoids_and_trots_by_a_controller_that_balances(void **state)
{
  (void)state;
  const walk sines = go(NULL), trot = go("controller={name: locomotion, gait: trot, forward: 0.08}");
  print_message("sinusoids: %.3f m, at least %.3f m high; trot: %.3f m, %.3f m\n", sines.forward,
                sines.lowest, trot.forward, trot.lowest);
  assert_greater(sines.lowest, 0.12); /* it stands at 0.1407 m */
  assert_greater(sines.tilt, cos(0.35));
  assert_greater(sines.forward, 0.1);          /* its feet swing forward while they are up */
  assert_near(trot.forward, 0.08 * 9.5, 0.08); /* it starts after 0.5 s */
  assert_greater(trot.tilt, cos(0.02));
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_follows_better_by_its_model_than_by_pd_alone),
      cmocka_unit_test(a_quadruped_goes_by_sinusoids_and_trots_by_a_controller_that_balances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
