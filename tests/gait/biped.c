/* Walking humanoids in the scenarios that come with Pronk: speed, turns, side steps, stops, pushes, a bump, another robot. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/whole_body.h"
#include "scenario/scenario.h"
#include "step/world.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"

#define SCENE(name) PK_SOURCE_DIR "/scenarios/" name ".yaml"

typedef struct walk {
  pki_scenario *scenario;
  pki_world world;
  pk_workspace *work;
  double at[3], yaw, tilt; /* of the trunk now */
  double most_tilt;
  int uncertified;
  pk_biped_report report;
} walk;

static walk set_out(const char *file, const char *const *sets, int nset)
{
  walk w = {.uncertified = 0};
  pk_error err = {.message = ""};
  if (pki_scenario_load(file, sets, nset, &w.scenario, &err) != PK_OK ||
      pki_world_create(w.scenario, &w.world, &err) != PK_OK ||
      pk_workspace_create(w.world.model, &w.work, &err) != PK_OK) {
    fail_msg("%s: %s", file, err.message);
  }
  return w;
}

static void end_walk(walk *w)
{
  pk_workspace_destroy(w->work);
  pki_world_free(&w->world);
  pki_scenario_destroy(w->scenario);
}

/* Go on until a time, without an allocation. */
static void go_until(walk *w, double time)
{
  pk_error err;
  while (pk_sim_time(w->world.sim) < time - 1e-9) {
    pk_step_info info;
    const int before = allocations;
    assert_int_equal(pki_world_step(&w->world, &info), PK_OK);
    assert_int_equal(allocations, before);
    w->uncertified += !info.certified;
    pk_kinematics_compute(w->work, pk_sim_q(w->world.sim), pk_sim_u(w->world.sim));
    const pk_pose trunk = pk_link_pose(w->work, w->world.model->robots[0].root_link);
    w->tilt = acos(fmin(1, trunk.rot[8]));
    w->most_tilt = fmax(w->most_tilt, w->tilt);
    w->yaw = atan2(trunk.rot[3], trunk.rot[0]);
    memcpy(w->at, trunk.pos, sizeof w->at);
  }
  assert_int_equal(pk_biped_get_report(w->world.sim, &w->report, &err), PK_OK);
}

/* Both feet carry, and nothing moves. */
static void assert_rests(const walk *w)
{
  const double *u = pk_sim_u(w->world.sim);
  double fastest = 0;
  for (int k = 0; k < w->world.model->nu; k++) {
    fastest = fmax(fastest, fabs(u[k]));
  }
  pk_whole_body_report report;
  assert_int_equal(pk_whole_body_get_report(w->world.sim, &report, NULL), PK_OK);
  assert_int_equal(w->report.phase, PK_BIPED_STANDS);
  assert_int_equal(report.standing, 3);
  assert_at_most(fastest, 0.05);
}

/* Over whole steps, so that sway does not count: where the mean of the feet is. */
static double middle_of_feet(walk *w, int axis)
{
  const pki_whole_body *c = w->world.controller->user;
  return 0.5 * (pk_link_pose(w->work, c->feet[0].link).pos[axis] +
                pk_link_pose(w->work, c->feet[1].link).pos[axis]);
}

static void coman_walks_at_its_speed_turns_steps_aside_and_stops(void **state)
{
  (void)state;
  walk w = set_out(SCENE("coman-walk"), NULL, 0);
  go_until(&w, 5.3);
  const double from = w.at[0];
  go_until(&w, PACE(20.3, 8.3));
  const double time = PACE(15, 3), speed = (w.at[0] - from) / time; /* whole cycles of two steps */
  print_message("coman-walk: %.4f m/s, tilt %.2f degrees\n", speed, w.most_tilt * 180 / acos(-1.0));
  assert_near(speed, 0.2, 0.05 * 0.2);
  assert_near(w.at[1], 0, 0.1);
  if (PK_TEST_SLOW) {
    end_walk(&w);
  }
  SKIP_WHEN_SLOW("turns, side steps and the stop");
  go_until(&w, 27.5);
  assert_near(w.report.heading, 0.3 * 5.2, 0.01);
  assert_near(w.yaw, w.report.heading, 0.05);
  /* to the left, now along -x */
  const double aside[2] = {middle_of_feet(&w, 0), middle_of_feet(&w, 1)}, cs = cos(w.report.heading),
               sn = sin(w.report.heading);
  go_until(&w, 29.5);
  const double gone[2] = {middle_of_feet(&w, 0) - aside[0], middle_of_feet(&w, 1) - aside[1]};
  assert_near(-sn * gone[0] + cs * gone[1], 0.06 * 2, 0.03);
  assert_near(cs * gone[0] + sn * gone[1], 0, 0.03);
  go_until(&w, 34);
  assert_rests(&w);
  assert_int_equal(w.uncertified, 0);
  assert_at_most(w.most_tilt, 0.15);
  end_walk(&w);
}

/* rad for each height: by how much the left shoulder turns with the way of its foot ahead of the other one, over a cycle of two steps. A positive angle of it
 * takes the arm back. */
static double swing_of_left_arm(const char *const *sets, int nset)
{
  enum { SAMPLES = 50 };
  walk w = set_out(SCENE("coman-walk"), sets, nset);
  const pk_model *m = w.world.model;
  const pki_whole_body *c = w.world.controller->user;
  const int q = m->joints[pk_model_find_joint(m, "LShSag")].q;
  double x[SAMPLES], y[SAMPLES], mean[2] = {0, 0}, product = 0, square = 0;
  for (int k = 0; k < SAMPLES; k++) {
    go_until(&w, 3.3 + 0.02 * k);
    const pk_pose own = pk_link_pose(w.work, c->feet[0].link), other = pk_link_pose(w.work, c->feet[1].link);
    x[k] = cos(w.yaw) * (own.pos[0] - other.pos[0]) + sin(w.yaw) * (own.pos[1] - other.pos[1]);
    y[k] = pk_sim_q(w.world.sim)[q];
    mean[0] += x[k] / SAMPLES, mean[1] += y[k] / SAMPLES;
  }
  for (int k = 0; k < SAMPLES; k++) {
    product += (x[k] - mean[0]) * (y[k] - mean[1]);
    square += (x[k] - mean[0]) * (x[k] - mean[0]);
  }
  const double swing = c->height * product / square;
  print_message("the left arm swings by %.3f rad over a height\n", swing);
  assert_int_equal(w.uncertified, 0);
  end_walk(&w);
  return swing;
}

/* The keys `arms` and `arm_swing` of scenarios, and any heading at the start. */
static void arms_swing_against_the_legs_as_far_as_they_are_asked_to(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("arms");
  const char *const still[] = {"controller.arm_swing=0"}, *const far[] = {"controller.arm_swing=1"},
                    *const back[] = {"controller.arm_swing=1", "model.rpy=[0, 0, 3]"};
  assert_near(swing_of_left_arm(NULL, 0), 0.5, 0.15);
  assert_near(swing_of_left_arm(still, 1), 0, 0.1);
  assert_near(swing_of_left_arm(far, 1), 1, 0.3);
  assert_near(swing_of_left_arm(back, 2), 1, 0.3);
}

static void coman_recovers_from_pushes_in_four_directions_at_two_phases(void **state)
{
  (void)state;
  static const double force[4][2] = {{80, 0}, {-80, 0}, {0, 80}, {0, -80}};
  for (int i = 0; i < PACE(8, 1); i++) {
    char push[128];
    snprintf(push, sizeof push, "push=[{link: Waist, at: %g, for: 0.1, force: [%g, %g, 0]}]", i < 4 ? 3 : 3.3,
             force[i % 4][0], force[i % 4][1]);
    const char *const sets[] = {push};
    walk w = set_out(SCENE("coman-push"), sets, 1);
    go_until(&w, 6);
    print_message("%s: tilt %.1f degrees, %d of %d steps moved\n", push, w.most_tilt * 180 / acos(-1.0),
                  w.report.moved, w.report.steps);
    assert_int_equal(w.report.phase != PK_BIPED_FALLEN, 1);
    assert_at_least(w.report.moved, 1);
    assert_at_most(w.tilt, 0.12);
    assert_int_equal(w.uncertified, 0);
    end_walk(&w);
  }
}

/* Pushes that it recovers from by moving steps throw it over when it may not: to the left throughout one step, to the right in the next. Pushes along its way
 * and to the other side are survived without, too. */
static void steps_that_may_not_move_do_not_catch_a_push(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("pushes without moved steps");
  static const char *const pushes[] = {"push=[{link: Waist, at: 3, for: 0.1, force: [0, 80, 0]}]",
                                       "push=[{link: Waist, at: 3.3, for: 0.1, force: [0, 80, 0]}]",
                                       "push=[{link: Waist, at: 3.6, for: 0.1, force: [0, -80, 0]}]"};
  for (int i = 0; i < 6; i++) {
    const char *const sets[] = {pushes[i / 2], "controller.adjust=false"};
    const bool moves = i % 2 == 0;
    walk w = set_out(SCENE("coman-push"), sets, moves ? 1 : 2);
    go_until(&w, 6);
    assert_int_equal(w.report.phase == PK_BIPED_FALLEN, !moves);
    assert_int_equal(w.report.moved > 0, moves);
    end_walk(&w);
  }
}

static void coman_crosses_a_bump_that_it_does_not_see(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("the bump");
  walk w = set_out(SCENE("coman-bump"), NULL, 0);
  const double start = 0.49;
  go_until(&w, 5.5); /* on its top */
  print_message("coman-bump: trunk at %.3f m, x %.2f m\n", w.at[2], w.at[0]);
  assert_near(w.at[2], start + 0.03, 0.01);
  go_until(&w, 11);
  assert_near(w.at[2], start, 0.01);
  assert_at_least(w.at[0], 1.7);
  assert_at_most(w.most_tilt, 0.2);
  assert_int_equal(w.uncertified, 0);
  end_walk(&w);
}

static void walkman_walks_turns_and_stops(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("WALK-MAN");
  walk w = set_out(SCENE("walkman-walk"), NULL, 0);
  go_until(&w, 4.5);
  const double from = w.at[0];
  go_until(&w, 10.5);
  print_message("walkman-walk: %.4f m/s\n", (w.at[0] - from) / 6);
  assert_near((w.at[0] - from) / 6, 0.3, 0.05 * 0.3);
  go_until(&w, 24);
  assert_near(w.yaw, 0.3 * 5.2, 0.05);
  assert_rests(&w);
  assert_int_equal(w.uncertified, 0);
  end_walk(&w);
}

/* Soles of meshes have corners, on hard ground and on surfaces that give way. */
static void coman_walks_on_meshes_of_its_feet(void **state)
{
  (void)state;
  SKIP_WHEN_SLOW("feet of meshes");
  static const char *const sets[] = {"model.model=coman_mesh_feet",
                                     "model.collision_meshes=triangles",
                                     "compliance.sole.stiffness=1e6",
                                     "compliance.sole.layer=2e-3",
                                     "compliance.sole.dissipation=1",
                                     "model.surfaces={RFoot: {compliance: sole}, LFoot: {compliance: sole}}",
                                     "materials.rubber.compliance=sole"};
  for (int i = 0; i < 2; i++) {
    walk w = set_out(SCENE("coman-walk"), sets, i == 0 ? 1 : 7);
    go_until(&w, 3.3);
    const double from = w.at[0];
    go_until(&w, 8.3);
    print_message("coman_mesh_feet%s: %.4f m/s\n", i == 0 ? "" : ", compliant", (w.at[0] - from) / 5);
    assert_near((w.at[0] - from) / 5, 0.2, 0.1 * 0.2);
    assert_at_most(w.most_tilt, 0.15);
    assert_int_equal(w.uncertified, 0);
    end_walk(&w);
  }
}

static void speeds_can_be_asked_for_while_it_walks(void **state)
{
  (void)state;
  static const char *const sets[] = {"controller.forward=0", "controller.speeds=[]"};
  walk w = set_out(SCENE("coman-walk"), sets, 2);
  pk_error err = {.message = ""};
  go_until(&w, 1);
  assert_int_equal(w.report.phase, PK_BIPED_STANDS);
  assert_int_equal(pk_biped_set_speed(w.world.sim, 0.1, 0, 0, &err), PK_OK);
  go_until(&w, 4);
  assert_at_least(w.report.steps, 3);
  assert_int_equal(pk_biped_set_speed(w.world.sim, 0, 0, 0, &err), PK_OK);
  go_until(&w, 7);
  assert_int_equal(w.report.phase, PK_BIPED_STANDS);
  assert_int_equal(pk_biped_set_speed(w.world.sim, 3, 0, 0, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "forward");
  end_walk(&w);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coman_walks_at_its_speed_turns_steps_aside_and_stops),
      cmocka_unit_test(arms_swing_against_the_legs_as_far_as_they_are_asked_to),
      cmocka_unit_test(coman_recovers_from_pushes_in_four_directions_at_two_phases),
      cmocka_unit_test(steps_that_may_not_move_do_not_catch_a_push),
      cmocka_unit_test(coman_crosses_a_bump_that_it_does_not_see),
      cmocka_unit_test(walkman_walks_turns_and_stops),
      cmocka_unit_test(coman_walks_on_meshes_of_its_feet),
      cmocka_unit_test(speeds_can_be_asked_for_while_it_walks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
