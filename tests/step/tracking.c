/* Joints tracked as constraints of the step, contact rows that follow its motion, feet that land, motors that give way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/gait.h"
#include "pronk/sim.h"
#include "step/world.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/world.h"

static const double steps[] = {1e-3, 2.5e-3, 0.01, 0.05, 0.1};
enum { STEPS = sizeof steps / sizeof steps[0] };

static pk_sim_options options_of(double dt)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = dt;
  o.stepper = PK_STEPPER_EULER;
  o.relinearise = 4;
  o.landing_friction = false;
  o.margin = fmax(0.02, 1.5 * dt);
  return o;
}

static pk_sim *hinge_world(pk_model *m, pk_stepper stepper, double dt)
{
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim;
  o.dt = dt, o.stepper = stepper;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  return sim;
}

/* ---- one joint ---- */

/* u_E = v up to the compliance 1e-6 of its own response: |u_E - v| = 1e-6 |v - u_S| for an arm alone. */
static void a_tracked_joint_is_where_it_should_be_at_the_end_of_the_step(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  for (int i = 0; i < STEPS; i++) {
    pk_sim *sim = hinge_world(m, PK_STEPPER_EULER, steps[i]);
    pk_sim_u(sim)[0] = -3;
    pk_sim_commands(sim)[0] = (pk_command){.q_des = 0.2, .correction = steps[i]};
    const pk_step_info info = must_step(sim);
    const double v = 0.2 / steps[i], off = 1e-6 * (v + 3) / (1 + 1e-6);
    assert_near(pk_sim_u(sim)[0], v - off, 1e-9 * v);
    assert_near(pk_sim_q(sim)[0], 0.2 - steps[i] * off, 1e-12);
    assert_near(info.tracking, steps[i] * off, 1e-12);
    assert_near(pk_sim_tau(sim)[0], (v - off + 3) / steps[i], 1e-6 * v / steps[i]); /* unit inertia */
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

/* With a correction time T an error is 1 - dt/T of what it was after each step. */
static void errors_vanish_in_the_correction_time(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  const double dt = 2.5e-3, T = 0.05;
  pk_sim *sim = hinge_world(m, PK_STEPPER_EULER, dt);
  pk_sim_commands(sim)[0] = (pk_command){.q_des = 1, .correction = T};
  for (int k = 1; k <= 40; k++) {
    must_step(sim);
    assert_near(1 - pk_sim_q(sim)[0], pow(1 - dt / T, k), 1e-5);
  }
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* q_E = q_S + dt (u_S + u_E)/2 and u_E = e/dt give e'' = e'/2 - e/2: errors fall by sqrt(1/2) in each step, in turns. */
static void moreaus_scheme_tracks_at_any_step_too(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  for (int i = 0; i < STEPS; i++) {
    pk_sim *sim = hinge_world(m, PK_STEPPER_MOREAU, steps[i]);
    pk_sim_commands(sim)[0] = (pk_command){.q_des = 1, .correction = steps[i]};
    double before = 1, now = 1;
    for (int k = 0; k < 60; k++) {
      must_step(sim);
      const double next = 1 - pk_sim_q(sim)[0];
      assert_near(next, k == 0 ? 0.5 : 0.5 * now - 0.5 * before, 1e-5);
      before = k == 0 ? 1 : now, now = next;
    }
    assert_less(fabs(now), 1e-6);
    pk_sim_destroy(sim);
  }
  pk_model_destroy(m);
}

static void a_tracked_joint_stays_within_its_limit_of_force(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  pk_sim *sim = hinge_world(m, PK_STEPPER_EULER, 0.1);
  pk_sim_commands(sim)[0] = (pk_command){.q_des = 1, .correction = 0.1, .tau_max = 2};
  const pk_step_info info = must_step(sim);
  assert_near(pk_sim_tau(sim)[0], 2, 1e-12);
  assert_near(pk_sim_u(sim)[0], 0.2, 1e-12); /* 2 N m for 0.1 s on unit inertia */
  assert_near(info.tracking, 0.1 * (10 - 0.2), 1e-9);
  assert_int_equal(info.saturated, 1);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void a_tracked_joint_stops_at_its_limit(void **state)
{
  (void)state;
  pk_joint_desc joint = hinge_joint();
  joint.kind = PK_JOINT_REVOLUTE, joint.lower = -0.5, joint.upper = 0.5;
  pk_model *m = hinge_model(&joint);
  pk_sim *sim = hinge_world(m, PK_STEPPER_EULER, 0.05);
  pk_sim_commands(sim)[0] = (pk_command){.q_des = 2, .correction = 0.05, .tau_max = 50};
  for (int k = 0; k < 10; k++) {
    const pk_step_info info = must_step(sim);
    assert_true(info.certified);
    assert_at_most(pk_sim_q(sim)[0], 0.5 + 1e-9);
  }
  assert_near(pk_sim_q(sim)[0], 0.5, 1e-9);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void schemes_without_a_step_of_their_own_refuse_targets(void **state)
{
  (void)state;
  const pk_joint_desc joint = hinge_joint();
  pk_model *m = hinge_model(&joint);
  pk_step_info info;
  pk_sim *sim = hinge_world(m, PK_STEPPER_RK4, 1e-3);
  pk_sim_commands(sim)[0] = (pk_command){.q_des = 1, .correction = 0.1};
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_UNSUPPORTED);
  assert_string_equal(info.term, "command");
  pk_sim_destroy(sim);
  pk_sim_options o = pk_sim_options_default();
  o.implicit = PK_IMPLICIT_FORCES_NONE;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  pk_sim_commands(sim)[0] = (pk_command){.q_des = 1, .correction = 0.1};
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_UNSUPPORTED);
  pk_sim_commands(sim)[0].correction = -1;
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_ARGUMENT);
  pk_sim_commands(sim)[0].correction = NAN;
  assert_int_equal(pk_sim_step(sim, &info), PK_ERROR_NONFINITE);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void rows_that_follow_the_motion_need_eulers_scheme(void **state)
{
  (void)state;
  pk_error err;
  pk_sim_options o = pk_sim_options_default();
  o.relinearise = 4;
  assert_int_equal(pk_sim_options_validate(&o, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "relinearise");
  assert_string_equal(err.message,
                      "relinearise is 4, which the stepper \"moreau\" does not read: \"euler\" does");
}

/* ---- landing ---- */

/* A ball with a velocity along the ground: friction brakes it in the step that closes its gap, or from the next one on. */
static void what_lands_without_friction_keeps_its_velocity_along_the_ground(void **state)
{
  (void)state;
  const double radius = 0.1;
  pk_model *m = solid_model(PK_SHAPE_BOX, (const double[3]){radius, radius, radius}, 1,
                            (const double[3]){1e-3, 1e-3, 1e-3});
  pk_terrain *t = slope_terrain(0);
  for (int rough = 0; rough < 2; rough++) {
    pk_sim_options o = options_of(0.05);
    o.landing_friction = rough;
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.8}, &o);
    pk_sim_q(sim)[2] = 0.5 * radius + 0.01; /* it would fall 24 mm */
    pk_sim_u(sim)[0] = 2;
    must_step(sim);
    assert_near(pk_sim_q(sim)[2], 0.5 * radius, 1e-9);
    assert_near(pk_sim_u(sim)[0], rough ? 2 - 0.8 * (9.81 * 0.05 - 0.01 / 0.05) : 2, 1e-9);
    must_step(sim);
    assert_less(pk_sim_u(sim)[0], 1.9);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* ---- feet on arcs ---- */

static pk_controller *trot_of(const pk_model *m, pk_inverse_dynamics_method method)
{
  pk_inverse_dynamics_options o = pk_inverse_dynamics_options_default();
  pk_controller *c;
  o.method = method, o.motion = PK_INVERSE_DYNAMICS_MOTION_TROT;
  o.forward = 0.3, o.cycle = 0.8, o.lift = 0.05;
  assert_int_equal(pk_inverse_dynamics_create(m, &o, &c, NULL), PK_OK);
  return c;
}

/* The largest way of a standing foot in one step of a trot, and how the world ends. */
typedef struct trotted {
  double slip, forward, error;
  int relinearised;
} trotted;

static trotted trot_for(const pk_model *m, const pk_terrain *t, const pk_sim_options *o, double seconds,
                        bool chains)
{
  trotted out = {0};
  pk_controller *c = trot_of(m, PK_INVERSE_DYNAMICS_METHOD_CONSTRAINT);
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.8}, o);
  sim->single.chains_only = chains;
  assert_int_equal(pk_sim_set_controller(sim, c, NULL), PK_OK);
  starleth_pose(sim, 0.4461, false);
  const int n = (int)(seconds / o->dt + 0.5);
  for (int k = 0; k < n; k++) {
    const pk_step_info info = must_step(sim);
    assert_true(info.certified);
    out.slip = fmax(out.slip, k * o->dt > 0.6 ? info.slip : 0); /* on its feet, and under way */
    out.error = fmax(out.error, k * o->dt > 1 ? info.tracking : 0);
    out.relinearised += info.relinearised;
  }
  out.forward = pk_sim_q(sim)[0];
  pk_sim_destroy(sim);
  pk_inverse_dynamics_destroy(c);
  return out;
}

static void feet_that_stand_stay_in_place_while_their_legs_turn(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  for (int i = 1; i < STEPS; i++) {
    const pk_sim_options o = options_of(steps[i]);
    const trotted with = trot_for(m, t, &o, 4, false);
    assert_less(with.slip, 5e-4); /* measured: 2e-4 at 0.1 s, 3e-8 and less below */
    assert_greater(with.forward, 0.8);
    assert_at_most(with.relinearised, 4.0 * 9 * 4 / steps[i]);
  }
  /* of 50 ms alone: the same without rows that follow */
  pk_sim_options o = options_of(0.05);
  const trotted with = trot_for(m, t, &o, 2, false);
  o.relinearise = 1;
  const trotted once = trot_for(m, t, &o, 2, false);
  assert_less(with.slip, 1e-7);
  assert_greater(once.slip, 1e-6); /* of third order, and not of second as the rows of the start are */
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

static void slots_and_chains_make_the_same_steps(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = options_of(0.05);
  const trotted slots = trot_for(m, t, &o, 1.2, false), chains = trot_for(m, t, &o, 1.2, true);
  assert_near(slots.forward, chains.forward, 1e-6);
  assert_less(chains.slip, 1e-7);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A ball that rolls without slip goes on doing so, also when it turns by more than once in a step. */
static void a_ball_rolls_on_through_long_steps(void **state)
{
  (void)state;
  const double radius = 0.05;
  pk_model *m =
      solid_model(PK_SHAPE_SPHERE, (const double[3]){radius, 0, 0}, 1, (const double[3]){1e-3, 1e-3, 1e-3});
  pk_terrain *t = slope_terrain(0);
  for (double v = 0.3; v < 12; v *= 1.7) { /* 0.05 to 1.9 turns in a step */
    const pk_sim_options o = options_of(0.05);
    pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.8}, &o);
    pk_sim_q(sim)[2] = radius;
    pk_sim_u(sim)[0] = v, pk_sim_u(sim)[4] = v / radius;
    for (int k = 0; k < 10; k++) {
      const pk_step_info info = must_step(sim);
      assert_true(info.certified);
      assert_less(info.slip, 1e-9);
    }
    assert_near(pk_sim_u(sim)[0], v, 1e-6 * v);
    assert_near(pk_sim_q(sim)[0], 10 * 0.05 * v, 1e-6 * v);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* ---- giving way ---- */

/* Targets that pull the feet of a standing robot apart. */
static pk_step_info stretch(bool yield, double dt, double *moved)
{
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = options_of(dt);
  o.yield = yield;
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.8}, &o);
  pk_step_info info = {0};
  starleth_pose(sim, 0.4461, false);
  *moved = 0;
  enum { SETTLES = 20 };
  for (int k = 0; k < SETTLES + 3; k++) {
    const bool pulls = k >= SETTLES;
    for (int u = 6; u < m->nu; u++) {
      const double q = pk_sim_q(sim)[m->dof_q[u]];
      const bool hip = (u - 6) % 3 == 1;
      const double apart = u < 12 ? -0.3 : 0.3; /* rad/s: fore legs forward, hind legs backward */
      pk_sim_commands(sim)[u] = (pk_command){.q_des = q + (hip && pulls ? apart * dt : 0),
                                             .u_des = hip && pulls ? apart : 0,
                                             .correction = dt,
                                             .tau_max = 60};
    }
    info = must_step(sim);
    assert_true(info.certified);
    *moved = pulls ? fmax(*moved, info.slip) : 0;
  }
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
  return info;
}

static void motors_give_way_where_references_would_drag_standing_feet(void **state)
{
  (void)state;
  for (int i = 2; i < STEPS; i++) {
    double moved, dragged;
    const pk_step_info soft = stretch(true, steps[i], &moved), hard = stretch(false, steps[i], &dragged);
    assert_less(moved, 1e-8);
    assert_greater(dragged, 0.02 * steps[i]); /* 0.3 rad/s at 0.41 m is 0.12 m/s, of which some is trunk */
    assert_greater(soft.yielded, 0);
    assert_int_equal(hard.yielded, 0);
    assert_greater(soft.tracking, 0.01 * steps[i]); /* the step says how far they gave way */
    assert_less(hard.tracking, 1e-3 * steps[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tracked_joint_is_where_it_should_be_at_the_end_of_the_step),
      cmocka_unit_test(errors_vanish_in_the_correction_time),
      cmocka_unit_test(moreaus_scheme_tracks_at_any_step_too),
      cmocka_unit_test(a_tracked_joint_stays_within_its_limit_of_force),
      cmocka_unit_test(a_tracked_joint_stops_at_its_limit),
      cmocka_unit_test(schemes_without_a_step_of_their_own_refuse_targets),
      cmocka_unit_test(rows_that_follow_the_motion_need_eulers_scheme),
      cmocka_unit_test(what_lands_without_friction_keeps_its_velocity_along_the_ground),
      cmocka_unit_test(feet_that_stand_stay_in_place_while_their_legs_turn),
      cmocka_unit_test(slots_and_chains_make_the_same_steps),
      cmocka_unit_test(a_ball_rolls_on_through_long_steps),
      cmocka_unit_test(motors_give_way_where_references_would_drag_standing_feet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
