/* Joint references within the dynamics of the whole robot: what robots do at steps of any length, alone and in batches. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gait/walker.h"
#include "pronk/batch.h"
#include "run/tracking_error.h"
#include "scenario/scenario.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

#define STARLETH PK_SOURCE_DIR "/scenarios/starleth-large-steps.yaml"
#define COMAN PK_SOURCE_DIR "/scenarios/coman-sway.yaml"

enum { SETS = 12, WORD = 96, COORDINATES = 64 };

typedef struct stage {
  pki_scenario *scenario;
  pki_world world;
} stage;

/* A scenario with overrides at a step; contacts are looked for as far as a foot goes in it. */
static stage set_stage(const char *file, double dt, const char *const *sets, int nset)
{
  stage s = {0};
  pk_error err = {.message = ""};
  char step[WORD], margin[WORD];
  const char *all[SETS] = {step, margin};
  snprintf(step, sizeof step, "step.dt=%g", dt);
  snprintf(margin, sizeof margin, "step.margin=%g", fmax(0.02, 1.5 * dt));
  for (int i = 0; i < nset; i++) {
    all[2 + i] = sets[i];
  }
  if (pki_scenario_load(file, all, 2 + nset, &s.scenario, &err) != PK_OK ||
      pki_world_create(s.scenario, &s.world, &err) != PK_OK) {
    fail_msg("%s: %s", file, err.message);
  }
  return s;
}

static void clear_stage(stage *s)
{
  pki_world_free(&s->world);
  pki_scenario_destroy(s->scenario);
}

/* Of a run. */
typedef struct facts {
  double error, torque, slip, tilt, forward;
  int uncertified;
} facts;

static facts run_stage(stage *s, double time)
{
  pk_sim *sim = s->world.sim;
  const pk_model *m = s->world.model;
  const int steps = (int)lround(time / s->scenario->step.dt);
  pki_tracking_error error = {0};
  facts f = {.forward = -pk_sim_q(sim)[0]};
  for (int i = 0; i < steps; i++) {
    double before[COORDINATES];
    pk_step_info info;
    memcpy(before, pk_sim_q(sim), (size_t)m->nq * sizeof *before);
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    pki_tracking_error_add(m, pk_sim_commands(sim), before, pk_sim_q(sim), &error);
    f.uncertified += !info.certified;
    f.slip = fmax(f.slip, info.slip);
    for (int k = 0; k < m->nu; k++) {
      f.torque = fmax(f.torque, fabs(pk_sim_tau(sim)[k]));
    }
    pk_workspace *w = pk_sim_workspace(sim);
    pk_kinematics_compute(w, pk_sim_q(sim), NULL);
    f.tilt = fmax(f.tilt, acos(fmin(1, pk_link_pose(w, m->robots[0].root_link).rot[8])));
  }
  f.error = pki_tracking_error_mean(&error);
  f.forward += pk_sim_q(sim)[0];
  return f;
}

/* ---- what robots do ---- */

/* Whatever the step: 0.3 m/s from 0.4 s on, less what the start and the first strides cost. */
static void starleth_trots_by_both_kinds_of_constraints_at_all_steps(void **state)
{
  (void)state;
  static const double steps[] = {2.5e-3, 0.01, 0.025, 0.05, 0.1};
  static const char *const methods[2] = {"controller.method=two-stage", "controller.method=constraint"};
  for (int i = 0; i < 2 * 5; i++) {
    const double time = PACE(6, 2);
    stage s =
        set_stage(STARLETH, steps[i / 2], (const char *const[]){methods[i % 2], "controller.tau_max=30"}, 2);
    const facts f = run_stage(&s, time);
    assert_int_equal(f.uncertified, 0);
    assert_less(f.error, i % 2 == 0 ? 1e-3 : 5e-3);
    assert_at_most(f.torque, 30 * (1 + 1e-12));
    assert_less(f.tilt, 0.2); /* measured: 0.152 at most */
    const double rise =
        0.3 * 0.3 / (2 * 0.05 * 9.81); /* m, that the wanted speed loses while it rises by 0.05 g */
    assert_greater(f.forward, 0.75 * (0.3 * (time - 0.4) - rise));
    assert_less(f.forward, 1.05 * 0.3 * (time - 0.4));
    clear_stage(&s);
  }
}

static void sinusoids_give_way_to_feet_that_stand(void **state)
{
  (void)state;
  static const double steps[] = {0.01, 0.1};
  for (int i = 0; i < 2; i++) {
    stage s = set_stage(
        STARLETH, steps[i],
        (const char *const[]){"controller.motion=sinusoids", "controller.lift=0.04", "controller.tau_max=30"},
        3);
    const facts f = run_stage(&s, PACE(6, 2));
    assert_int_equal(f.uncertified, 0);
    assert_less(f.error, 0.05);
    assert_greater(f.error, 1e-3); /* nothing could follow them */
    assert_less(f.tilt, 0.2);
    clear_stage(&s);
  }
}

/* A pose on feet with area: joints stay to what the cone program's small terms leave, no foot moves. */
static void coman_stands_on_its_soles(void **state)
{
  (void)state;
  static const char *const sets[] = {"controller={name: inverse-dynamics}", "step.stepper=euler",
                                     "step.relinearise=4", "step.landing_friction=false"};
  static const double steps[] = {2.5e-3, 0.01};
  for (int i = 0; i < 2; i++) {
    stage s = set_stage(COMAN, steps[i], sets, 4);
    const facts f = run_stage(&s, PACE(3, 0.5));
    assert_int_equal(f.uncertified, 0);
    assert_less(f.error, 1e-3);
    assert_less(f.slip, 1e-6);
    assert_less(f.tilt, 0.02);
    assert_near(f.forward, 0, 1e-3);
    clear_stage(&s);
  }
}

/* ---- worlds ---- */

/* Trunks that are pushed differently. */
static void start_world(stage *s, const void *start, size_t size, int k)
{
  pk_error err;
  assert_int_equal(pk_sim_set_state(s->world.sim, start, size, &err), PK_OK);
  pk_sim_u(s->world.sim)[k % 6] += 0.01 * k;
}

static void assert_batch_is_sims(const char *method, double dt, int lanes, int threads)
{
  enum { WORLDS = 5 };
  const int steps = PACE(40, 10);
  stage s = set_stage(STARLETH, dt, &method, 1);
  pki_world *w = &s.world;
  pk_error err = {.message = ""};
  pk_batch_options o = pk_batch_options_default();
  o.worlds = WORLDS, o.lanes = lanes, o.threads = threads, o.sim = s.scenario->step;
  pk_batch *batch;
  if (pk_batch_create(w->model, &o, &batch, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_batch_set_like(batch, w->sim, &err), PK_OK);
  assert_int_equal(pk_batch_set_controller(batch, w->controller, &err), PK_OK);
  const size_t size = pk_sim_state_size(w->sim);
  unsigned char *start = malloc(size), *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(w->sim, start);
  for (int k = 0; k < WORLDS; k++) {
    start_world(&s, start, size, k);
    assert_int_equal(pk_batch_set(batch, k, w->sim, &err), PK_OK);
  }
  pk_batch_info info;
  assert_int_equal(pk_batch_step(batch, steps, &info), PK_OK);
  for (int k = 0; k < WORLDS; k++) {
    start_world(&s, start, size, k);
    for (int i = 0; i < steps; i++) {
      assert_int_equal(pk_sim_step(w->sim, NULL), PK_OK);
    }
    pk_sim_get_state(w->sim, mine);
    assert_int_equal(pk_batch_get(batch, k, w->sim, &err), PK_OK);
    pk_sim_get_state(w->sim, theirs);
    assert_memory_equal(mine, theirs, size);
  }
  free(start), free(mine), free(theirs);
  pk_batch_destroy(batch);
  clear_stage(&s);
}

static void a_world_of_a_batch_is_the_world_alone_to_the_bit(void **state)
{
  (void)state;
  static const char *const methods[] = {"controller.method=two-stage", "controller.method=constraint",
                                        "controller.method=torque", "controller.method=pd"};
  for (int i = 0; i < 4; i++) {
    const double dt = i < 2 ? 0.05 : 0.01; /* torques alone are unstable at 50 ms */
    assert_batch_is_sims(methods[i], dt, 1, 1);
    assert_batch_is_sims(methods[i], dt, 4, 2);
  }
}

static void steps_allocate_nothing(void **state)
{
  (void)state;
  static const char *const methods[] = {"controller.method=two-stage", "controller.method=constraint"};
  for (int i = 0; i < 2; i++) {
    stage s = set_stage(STARLETH, 0.05, &methods[i], 1);
    const int before = allocations;
    for (int k = 0; k < 40; k++) {
      assert_int_equal(pk_sim_step(s.world.sim, NULL), PK_OK);
    }
    assert_int_equal(allocations, before);
    clear_stage(&s);
  }
}

static void a_run_goes_on_from_a_checkpoint_to_the_bit(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  stage one = set_stage(STARLETH, 0.05, NULL, 0), other = set_stage(STARLETH, 0.05, NULL, 0);
  for (int i = 0; i < 21; i++) { /* amid a stride */
    assert_int_equal(pk_sim_step(one.world.sim, NULL), PK_OK);
  }
  const size_t size = pk_sim_state_size(one.world.sim);
  unsigned char *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(one.world.sim, mine);
  assert_int_equal(pk_sim_set_state(other.world.sim, mine, size, &err), PK_OK);
  for (int i = 0; i < 30; i++) {
    assert_int_equal(pk_sim_step(one.world.sim, NULL), PK_OK);
    assert_int_equal(pk_sim_step(other.world.sim, NULL), PK_OK);
  }
  pk_sim_get_state(one.world.sim, mine);
  pk_sim_get_state(other.world.sim, theirs);
  assert_memory_equal(mine, theirs, size);
  free(mine), free(theirs);
  clear_stage(&one);
  clear_stage(&other);
}

/* ---- wrong options ---- */

static void assert_refused(const pk_model *m, const pk_inverse_dynamics_options *o, const char *field,
                           const char *message)
{
  pk_controller *c = NULL;
  pk_error err = {.message = ""};
  assert_int_not_equal(pk_inverse_dynamics_create(m, o, &c, &err), PK_OK);
  assert_null(c);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

static void wrong_options_are_refused_by_name(void **state)
{
  (void)state;
  pk_model *m = walker_model(&walker_starleth, false);
  const pk_inverse_dynamics_options good = pk_inverse_dynamics_options_default();
  pk_inverse_dynamics_options o = good;
  o.correction = 0;
  assert_refused(m, &o, "correction",
                 "correction is 0, expected 1e-09 to 1000 s (time in which errors vanish)");
  o = good, o.forward = 3;
  assert_refused(m, &o, "forward",
                 "forward is 3, expected -2 to 2 m/s (wanted speed of the trunk, along its x)");
  o = good, o.sideways = NAN;
  assert_refused(m, &o, "sideways",
                 "sideways is nan, expected -2 to 2 m/s (wanted speed of the trunk, to the left)");
  o = good, o.turn = -4;
  assert_refused(m, &o, "turn", "turn is -4, expected -3 to 3 rad/s (wanted yaw rate, to the left)");
  o = good, o.lift = 2;
  assert_refused(m, &o, "lift",
                 "lift is 2, expected 0 to 1 m (of a swinging foot; 0: a tenth of the height)");
  o = good, o.cycle = 11;
  assert_refused(m, &o, "cycle", "cycle is 11, expected 0 to 10 s (time of one cycle; 0: 3.913 sqrt(h/g))");
  o = good, o.tau_max = -1;
  assert_refused(
      m, &o, "tau_max",
      "tau_max is -1, expected 0 to inf N m (largest torque, beside the model's effort limits; 0: none)");
  o = good, o.compliance = 0;
  assert_refused(m, &o, "compliance",
                 "compliance is 0, expected 1e-09 to 1e+09 (rad/s)/(N m s) (how far the step may leave the "
                 "planned rates for each impulse)");
  o = good, o.kd = -1;
  assert_refused(m, &o, "kd", "kd is -1, expected 0 to 1e+09 N m s/rad (damping of the method pd)");
  o = good, o.motion = PK_INVERSE_DYNAMICS_MOTION_TROT, o.feet[3] = "NONE";
  assert_refused(m, &o, "feet", "there is no link \"NONE\" to be the right hind foot");
  pk_model_destroy(m);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starleth_trots_by_both_kinds_of_constraints_at_all_steps),
      cmocka_unit_test(sinusoids_give_way_to_feet_that_stand),
      cmocka_unit_test(coman_stands_on_its_soles),
      cmocka_unit_test(a_world_of_a_batch_is_the_world_alone_to_the_bit),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(a_run_goes_on_from_a_checkpoint_to_the_bit),
      cmocka_unit_test(wrong_options_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
