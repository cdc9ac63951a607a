/* StarLETH stands, trots and is pushed, on flat ground. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gait/walker.h"
#include "pronk/batch.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

static pk_sim_options world(double dt, pk_contact_scheme scheme)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.contact = scheme;
  return o;
}

static pk_locomotion_options trot(double forward, double sideways, double turn)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT;
  o.forward = forward, o.sideways = sideways, o.turn = turn;
  return o;
}

/* No step without its certificate, no joint at its limit, no contact but feet. */
static void assert_sound(const walker_facts *f)
{
  assert_int_equal(f->uncertified, 0);
  assert_int_equal(f->others, 0);
  assert_greater(f->margin, 0.05);
  assert_less(f->torque, 30);
}

static void it_stands_still(void **state)
{
  (void)state;
  const pk_contact_scheme schemes[2] = {PK_CONTACT_STABILISED, PK_CONTACT_GEHRING_2014};
  for (int k = 0; k < 2; k++) {
    const pk_sim_options o = world(2.5e-3, schemes[k]);
    walker w = walker_create(&o, NULL, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 1, NULL, &f)); /* the published scheme lands by millimetres */
    assert_true(walker_run(&w, 10, NULL, &f));
    walker_print(k == 0 ? "stand" : "stand, paper", &f);
    assert_sound(&f);
    assert_less(f.drift, 1e-4);
    assert_less(f.tilt, 1e-4);
    assert_less(fabs(f.peak - 0.25), 0.03);
    walker_destroy(&w);
  }
}

/* Before any gait has begun: its feet reach for the ground, meet it, and carry. */
static void it_stands_after_a_drop(void **state)
{
  (void)state;
  static const double drops[3] = {0.01, 0.04, 0.1};
  const walker_robot *robots[2] = {&walker_starleth, &walker_anymal};
  for (int i = 0; i < 6; i++) {
    walker w = walker_create_robot(robots[i / 3], NULL, NULL, NULL);
    pk_sim_q(w.sim)[2] += drops[i % 3];
    walker_facts f;
    assert_true(walker_run(&w, 2, NULL, &f));
    walker_print("dropped", &f);
    assert_int_equal(f.uncertified + f.others, 0);
    assert_less(f.tilt, 0.05);
    assert_true(walker_run(&w, 1, NULL, &f));
    assert_less(f.drift, 1e-3);
    walker_destroy(&w);
  }
}

typedef struct trot_case {
  const char *name;
  double speed[3], dt, period;
  pk_contact_scheme scheme;
} trot_case;

static void it_trots_at_the_wanted_speed(void **state)
{
  (void)state;
  static const trot_case cases[] = {
      {"in place", {0, 0, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"forward", {0.3, 0, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"backward", {-0.3, 0, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"fast", {0.5, 0, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"sideways", {0, 0.1, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"turning", {0, 0, 0.3}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"all at once", {0.3, 0.1, 0.2}, 2.5e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"forward, 1.25 ms", {0.3, 0, 0}, 1.25e-3, 2.5e-3, PK_CONTACT_STABILISED},
      {"forward, 1 ms", {0.3, 0, 0}, 1e-3, 2e-3, PK_CONTACT_STABILISED},
      {"forward, paper", {0.3, 0, 0}, 2.5e-3, 2.5e-3, PK_CONTACT_GEHRING_2014},
      {"turning, paper", {0, 0, 0.3}, 2.5e-3, 2.5e-3, PK_CONTACT_GEHRING_2014},
  };
  for (size_t i = 0; i < PACE(sizeof cases / sizeof cases[0], 2); i++) {
    const trot_case *c = &cases[i];
    const pk_sim_options o = world(c->dt, c->scheme);
    pk_locomotion_options options = trot(c->speed[0], c->speed[1], c->speed[2]);
    options.period = c->period;
    walker w = walker_create(&o, &options, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 2, NULL, &f)); /* to its speed */
    assert_true(walker_run(&w, 20, NULL, &f));
    walker_print(c->name, &f);
    assert_sound(&f);
    for (int k = 0; k < 3; k++) {
      assert_less(fabs(f.speed[k] - c->speed[k]), 0.01);
    }
    assert_greater(f.height[0], 0.43);
    assert_less(f.height[1], 0.44);
    assert_less(f.tilt, 0.02);
    assert_less(f.slip, 0.5e-3);
    walker_destroy(&w);
  }
}

/* Springs of 30000 N/m under the feet, which sink by millimetres and ring: the same tuning. */
static void it_trots_on_compliant_ground(void **state)
{
  (void)state;
  pk_sim_options o = world(1.25e-3, PK_CONTACT_STABILISED);
  o.law = PK_CONTACT_LAW_COMPLIANT;
  const pk_locomotion_options options = trot(0.3, 0, 0);
  walker w = walker_create(&o, &options, NULL);
  walker_facts f;
  assert_true(walker_run(&w, 2, NULL, &f));
  assert_true(walker_run(&w, 20, NULL, &f));
  walker_print("compliant ground", &f);
  assert_less(fabs(f.speed[0] - 0.3), 0.01);
  assert_less(fabs(f.speed[1]), 0.01);
  assert_less(fabs(f.speed[2]), 0.01);
  assert_greater(f.height[0], 0.425);
  assert_less(f.height[1], 0.44);
  assert_less(f.tilt, 0.02);
  assert_greater(f.margin, 0.05);
  walker_destroy(&w);
}

/* Impulse enough for 0.45 and 0.67 m/s, at four moments of a half cycle, from all sides. */
static void it_keeps_its_feet_when_pushed(void **state)
{
  (void)state;
  static const double forces[4][2] = {{0, 40}, {0, -40}, {60, 0}, {-60, 0}};
  const pk_sim_options o = world(2.5e-3, PK_CONTACT_STABILISED);
  walker_facts worst = {.margin = 1};
  for (int i = 0; i < PACE(32, 4); i++) {
    const double *force = forces[i % 4];
    const pk_locomotion_options options = trot(i < 16 ? 0 : 0.3, 0, 0);
    walker w = walker_create(&o, &options, NULL);
    const walker_push push = {2 + 0.1 * (i / 4 % 4), 0.3, {force[0], force[1], 0}};
    walker_facts f;
    assert_true(walker_run(&w, 6, &push, &f));
    assert_int_equal(f.uncertified + f.others, 0);
    worst.tilt = fmax(worst.tilt, f.tilt);
    worst.peak = fmax(worst.peak, f.peak);
    /* it is back at its speed */
    assert_true(walker_run(&w, 2.4, NULL, &f));
    assert_less(fabs(f.speed[0] - options.forward), 0.06);
    assert_less(fabs(f.speed[1]), 0.06);
    walker_destroy(&w);
  }
  print_message("pushed while trotting: tilt up to %.1f deg, %.2f weights on a foot\n", worst.tilt * 57.29578,
                worst.peak);
}

/* Not far below what it can take, at eight moments of a cycle. */
static void it_survives_hard_pushes(void **state)
{
  (void)state;
  static const double forces[4][2] = {{0, 60}, {0, -60}, {90, 0}, {-90, 0}};
  for (int i = 0; i < PACE(32, 4); i++) {
    const pk_locomotion_options options = trot(0.3, 0, 0);
    walker w = walker_create(NULL, &options, NULL);
    const int moment = i / 4;
    const walker_push push = {2 + 0.1 * moment, 0.3, {forces[i % 4][0], forces[i % 4][1], 0}};
    walker_facts f;
    assert_true(walker_run(&w, 6, &push, &f));
    assert_int_equal(f.uncertified, 0);
    walker_destroy(&w);
  }
}

static void it_stands_a_push(void **state)
{
  (void)state;
  static const double forces[4][2] = {{0, 100}, {0, -100}, {100, 0}, {-100, 0}};
  for (int i = 0; i < 4; i++) {
    pk_locomotion_options options = pk_locomotion_options_default();
    options.period = 0;
    walker w = walker_create(NULL, &options, NULL);
    const walker_push push = {1, 0.1, {forces[i][0], forces[i][1], 0}};
    walker_facts f;
    assert_true(walker_run(&w, 4, &push, &f));
    walker_print("pushed while standing", &f);
    assert_sound(&f);
    assert_true(walker_run(&w, 1, NULL, &f));
    assert_less(f.drift, 1e-3); /* at rest again */
    walker_destroy(&w);
  }
}

/* A trot ends in a stance; a changed speed is followed. */
static void it_starts_changes_and_stops(void **state)
{
  (void)state;
  const pk_sim_options o = world(2.5e-3, PK_CONTACT_STABILISED);
  pk_locomotion_options options = trot(0.3, 0, 0);
  options.stop = 10;
  walker w = walker_create(&o, &options, NULL);
  pk_error err = {.message = ""};
  walker_facts f;
  assert_true(walker_run(&w, 5, NULL, &f));
  assert_int_equal(pk_locomotion_set_speed(w.sim, -0.1, 0.05, 0.1, &err), PK_OK);
  assert_true(walker_run(&w, 2, NULL, &f));
  assert_true(walker_run(&w, 2.4, NULL, &f));
  assert_less(fabs(f.speed[0] + 0.1), 0.03);
  assert_less(fabs(f.speed[1] - 0.05), 0.03);
  assert_less(fabs(f.speed[2] - 0.1), 0.03);
  assert_int_equal(pk_locomotion_set_speed(w.sim, 9, 0, 0, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "forward");
  assert_true(walker_run(&w, 4, NULL, &f));
  assert_true(walker_run(&w, 2, NULL, &f)); /* stands since */
  walker_print("after the stop", &f);
  assert_sound(&f);
  assert_less(f.drift, 2e-3);
  assert_true(f.stance == 0 && f.swing == 0);
  walker_destroy(&w);
}

/* What is left of a run that steps a world `count` times: its first velocities. */
static void run_on(pk_sim *sim, int count, double end[6])
{
  for (int i = 0; i < count; i++) {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  }
  memcpy(end, pk_sim_u(sim), 6 * sizeof(double));
}

/* Speed and gait are asked of one world: another one of the same controller does not notice, a state carries them, a
 * reset forgets them, a batch has them world by world. */
static void what_is_asked_of_a_world_is_part_of_its_state(void **state)
{
  (void)state;
  enum { STEPS = 500 };
  const pk_locomotion_options options = trot(0.2, 0, 0);
  walker w = walker_create(NULL, &options, NULL);
  pk_error err = {.message = ""};
  void *start = malloc(pk_sim_state_size(w.sim)), *asked = malloc(pk_sim_state_size(w.sim));
  double calm[6], quick[6], again[6];
  pk_sim_get_state(w.sim, start);
  run_on(w.sim, STEPS, calm);
  assert_int_equal(pk_sim_set_state(w.sim, start, pk_sim_state_size(w.sim), &err), PK_OK);
  assert_int_equal(pk_locomotion_set_speed(w.sim, -0.3, 0, 0.2, &err), PK_OK);
  assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_WALK, &err), PK_OK);
  pk_sim_get_state(w.sim, asked);
  /* a batch of two, of which one was asked */
  pk_batch_options b = pk_batch_options_default();
  pk_batch *batch;
  b.worlds = 2, b.sim.dt = 2.5e-3;
  assert_int_equal(pk_batch_create(w.model, &b, &batch, &err), PK_OK);
  assert_int_equal(pk_batch_set_like(batch, w.sim, &err), PK_OK);
  assert_int_equal(pk_batch_set_controller(batch, w.controller, &err), PK_OK);
  assert_int_equal(pk_batch_set(batch, 1, w.sim, &err), PK_OK);
  run_on(w.sim, STEPS, quick);
  assert_memory_not_equal(quick, calm, sizeof calm);
  assert_int_equal(pk_sim_set_state(w.sim, asked, pk_sim_state_size(w.sim), &err), PK_OK);
  run_on(w.sim, STEPS, again);
  assert_memory_equal(again, quick, sizeof quick);
  /* the controller is as it was: the first state goes the first way */
  assert_int_equal(pk_sim_set_state(w.sim, start, pk_sim_state_size(w.sim), &err), PK_OK);
  assert_int_equal(pk_batch_set(batch, 0, w.sim, &err), PK_OK);
  run_on(w.sim, STEPS, again);
  assert_memory_equal(again, calm, sizeof calm);
  assert_int_equal(pk_batch_step(batch, STEPS, NULL), PK_OK);
  assert_memory_equal(pk_batch_view_world(pk_batch_u(batch), 0), calm, sizeof calm);
  assert_memory_equal(pk_batch_view_world(pk_batch_u(batch), 1), quick, sizeof quick);
  pk_batch_destroy(batch);
  /* a reset forgets */
  assert_int_equal(pk_locomotion_set_speed(w.sim, -0.3, 0, 0.2, &err), PK_OK);
  pk_sim_reset(w.sim);
  walker_place(&w, 0, 0);
  run_on(w.sim, STEPS, again);
  assert_memory_equal(again, calm, sizeof calm);
  free(start);
  free(asked);
  walker_destroy(&w);
}

static void only_locomotion_controllers_can_be_asked(void **state)
{
  (void)state;
  walker w = walker_create(NULL, NULL, NULL);
  pk_controller *hold;
  pk_error err = {.message = ""};
  assert_int_equal(pk_hold_create(w.model, NULL, &hold, &err), PK_OK);
  assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_COUNT, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "gait");
  assert_int_equal(pk_sim_set_controller(w.sim, hold, &err), PK_OK);
  assert_int_equal(pk_locomotion_set_speed(w.sim, 0.1, 0, 0, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "pk_locomotion_set_speed: the world has the controller \"hold\", expected a "
                      "controller of pk_locomotion_create");
  assert_int_equal(pk_sim_set_controller(w.sim, NULL, &err), PK_OK);
  assert_int_equal(pk_locomotion_set_gait(w.sim, PK_GAIT_TROT, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "pk_locomotion_set_gait: the world has no controller, expected a controller "
                      "of pk_locomotion_create");
  pk_hold_destroy(hold);
  walker_destroy(&w);
}

/* A trot with flight has no moment of four feet on the ground: it becomes one without, and ends. */
static void it_stops_from_a_trot_with_flight(void **state)
{
  (void)state;
  static const double duties[2] = {0.45, 0.5};
  for (int i = 0; i < 2; i++) {
    pk_locomotion_options options = trot(0.3, 0, 0);
    options.duty = duties[i];
    options.stop = 3;
    walker w = walker_create(NULL, &options, NULL);
    walker_facts f;
    assert_true(walker_run(&w, 7, NULL, &f));
    assert_true(walker_run(&w, 1, NULL, &f));
    walker_print("after a trot with flight", &f);
    assert_less(f.drift, 2e-3);
    assert_true(f.stance == 0 && f.swing == 0);
    walker_destroy(&w);
  }
}

/* 550 N for 0.2 s is too much: it lies down on its side and comes to rest. (On its back legs would sink for long, since joints are damped.) */
static void a_fallen_robot_comes_to_rest(void **state)
{
  (void)state;
  static const double origin[3] = {0, 0, 0}, force[3] = {0, 550, 0};
  const pk_sim_options o = world(2.5e-3, PK_CONTACT_STABILISED);
  const pk_locomotion_options options = trot(0.3, 0, 0);
  walker w = walker_create(&o, &options, NULL);
  int uncertified = 0;
  const int steps = PACE(4800, 1200); /* a robot on many points is slow under sanitizers */
  for (int i = 0; i < steps; i++) {
    pk_step_info info;
    if (i >= 800 && i < 880) {
      pk_sim_push(w.sim, w.base, origin, force);
    }
    assert_int_equal(pk_sim_step(w.sim, &info), PK_OK);
    uncertified += !info.certified;
  }
  double fastest = 0, torque = 0;
  for (int k = 0; k < w.model->nu; k++) {
    fastest = fmax(fastest, fabs(pk_sim_u(w.sim)[k]));
    torque = fmax(torque, fabs(pk_sim_tau(w.sim)[k]));
  }
  print_message("pushed over: trunk at %.3f m, fastest coordinate %.1e, %d of %d steps not certified\n",
                pk_sim_q(w.sim)[2], fastest, uncertified, steps);
  const double height = pk_sim_q(w.sim)[2];
  walker_destroy(&w);
  assert_int_equal(uncertified, 0);
  SKIP_WHEN_SLOW("that it comes to rest, and how low");
  assert_less(height, 0.3);
  assert_less(fastest, 0.02);
  assert_less(torque, 0.1);
}

/* Same start, same motion to the bit; a reset forgets all; a step allocates nothing. */
static void a_reset_repeats_the_run_without_allocating(void **state)
{
  (void)state;
  static const pk_gait gaits[] = {PK_GAIT_TROT, PK_GAIT_CRAWL, PK_GAIT_GALLOP, PK_GAIT_JUMP};
  const pk_sim_options o = world(2.5e-3, PK_CONTACT_STABILISED);
  for (size_t g = 0; g < sizeof gaits / sizeof gaits[0]; g++) {
    pk_locomotion_options options = trot(0.3, 0.1, 0.2);
    options.gait = gaits[g];
    walker w = walker_create(&o, &options, NULL);
    double q[2][64];
    for (int run = 0; run < 2; run++) {
      pk_sim_reset(w.sim);
      walker_place(&w, 0, 0);
      allocations = 0;
      for (int i = 0; i < PACE(1200, 400); i++) {
        assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
      }
      assert_int_equal(allocations, 0);
      memcpy(q[run], pk_sim_q(w.sim), (size_t)w.model->nq * sizeof q[0][0]);
    }
    assert_memory_equal(q[0], q[1], (size_t)w.model->nq * sizeof q[0][0]);
    walker_destroy(&w);
  }
}

static void wrong_options_are_named(void **state)
{
  (void)state;
  const pk_sim_options o = world(2.5e-3, PK_CONTACT_STABILISED);
  walker w = walker_create(&o, NULL, NULL);
  pk_controller *made;
  pk_error err = {.message = ""};
  pk_locomotion_options options = pk_locomotion_options_default();
  options.feet[1] = "RF_FOTO";
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(
      err.message, "there is no link \"RF_FOTO\" to be the right fore foot; did you mean \"RF_FOOT\"?"));
  options.feet[1] = "RF_THIGH";
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(
      strstr(err.message, "the leg of \"RF_THIGH\" has 2 joints below the trunk, expected three hinges"));
  options.feet[1] = "RF_SHANK"; /* where the foot is welded on */
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "feet");
  assert_non_null(
      strstr(err.message, "the link \"RF_SHANK\" is not the right fore foot: \"RF_FOOT\" is farther out"));
  options.feet[0] = "RF_FOOT", options.feet[1] = "LF_FOOT"; /* left and right */
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the feet are swapped; left fore, right fore, left hind, right hind are, by their "
                      "places: [LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT]");
  options.feet[0] = "LH_FOOT", options.feet[1] = "RH_FOOT", options.feet[2] = "LF_FOOT",
  options.feet[3] = "RF_FOOT";
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "[LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT]"));
  options.feet[0] = options.feet[1] = options.feet[2] = options.feet[3] = NULL;
  options.duty = 0.1;
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "duty");
  assert_string_equal(err.message, "duty is 0.1, expected 0 (the gait's own) or 0.2 to 0.95");
  options.duty = 0;
  options.cycle = 0.05;
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "cycle");
  options.cycle = 0;
  options.changes[0] = (pk_gait_change){.at = 3, .gait = PK_GAIT_WALK};
  options.changes[1] = (pk_gait_change){.at = 2, .gait = PK_GAIT_TROT};
  options.change_count = 2;
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "gaits");
  assert_string_equal(err.message,
                      "the change of the gait at 2 s comes after one at 3 s, expected times that rise");
  options.changes[1].at = 4;
  options.changes[1].forward = 7;
  assert_int_equal(pk_locomotion_create(w.model, &options, &made, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "forward");
  assert_null(made);
  walker_destroy(&w);
}

/* Nothing can stand without weight: every time scale would be infinite. */
static void a_world_without_gravity_is_refused(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model;
  pk_controller *made;
  assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &err), PK_OK);
  pk_builder_set_gravity(b, (const double[3]){0, 0, 0});
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  pk_builder_destroy(b);
  assert_int_equal(pk_locomotion_create(model, NULL, &made, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.message, "there is no gravity, expected some: nothing could stand or walk");
  assert_null(made);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_stands_still),
      cmocka_unit_test(it_stands_after_a_drop),
      cmocka_unit_test(it_trots_at_the_wanted_speed),
      cmocka_unit_test(it_trots_on_compliant_ground),
      cmocka_unit_test(it_keeps_its_feet_when_pushed),
      cmocka_unit_test(it_survives_hard_pushes),
      cmocka_unit_test(it_stands_a_push),
      cmocka_unit_test(it_starts_changes_and_stops),
      cmocka_unit_test(what_is_asked_of_a_world_is_part_of_its_state),
      cmocka_unit_test(only_locomotion_controllers_can_be_asked),
      cmocka_unit_test(it_stops_from_a_trot_with_flight),
      cmocka_unit_test(a_fallen_robot_comes_to_rest),
      cmocka_unit_test(a_reset_repeats_the_run_without_allocating),
      cmocka_unit_test(wrong_options_are_named),
      cmocka_unit_test(a_world_without_gravity_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
