/* Stability of robots that move in the simulator: the measures against contact forces, against a batch, as controllers and meters see
 * them. */
#include "stability/stances.h"

#include <string.h>

#include "math/mat3.h"
#include "support/allocations.h"
#include "support/fleet.h"
#include "support/world.h"

static const fleet_setting trotting = {
    "trot", FLEET_FEET, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 400, true};
static const fleet_setting varied = {"worlds that differ",
                                     FLEET_STARLETH,
                                     0,
                                     FLEET_PLANE,
                                     FLEET_VARIED,
                                     0.8,
                                     PK_STEPPER_MOREAU,
                                     0,
                                     2.5e-3,
                                     120,
                                     true};
static const fleet_setting cut = {
    "cut joints", FLEET_MAXIMAL, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 20, false};

/* ---- a trot on flat ground ---- */

/* Where contact forces press, at [2]; the largest height of a contact comes back. */
static double centre_of_pressure(const pk_sim_contact *contacts, int n, double at[2])
{
  double moment[2] = {0, 0}, pressed = 0, highest = 0;
  for (int i = 0; i < n; i++) {
    moment[0] += contacts[i].impulse[2] * contacts[i].point[0];
    moment[1] += contacts[i].impulse[2] * contacts[i].point[1];
    pressed += contacts[i].impulse[2];
    highest = fmax(highest, fabs(contacts[i].point[2]));
  }
  at[0] = moment[0] / pressed, at[1] = moment[1] / pressed;
  return highest;
}

/* The zero-moment point is the centre of pressure of the contact forces; and by the change of momentum over the step, an independent way, it
 * is there to the order of the step. */
static void in_a_trot_the_zero_moment_point_is_the_centre_of_pressure(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &trotting);
  pk_sim *sim = fleet_sim(&f, 0);
  pk_workspace *w = pk_sim_workspace(sim);
  const double dt = f.options.dt;
  double before[6], apart = 0;
  int seen = 0, flat = 0, diagonals = 0;
  for (int k = 0; k < 400; k++) {
    pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
    pk_momentum_compute(w, 0, before);
    must_step(sim);
    pk_stability s;
    pk_sim_contact contacts[64];
    assert_int_equal(pk_sim_stability(sim, 0, NULL, NULL, &s, NULL), PK_OK);
    const int n = pk_sim_contacts(sim, contacts, 64);
    if (s.ncontact == 0) {
      continue;
    }
    double pressure[2];
    const double highest = centre_of_pressure(contacts, n, pressure);
    if (highest < 1e-6) { /* no foot lands within the step: contacts are where it was half way */
      assert_near(s.zmp[0], pressure[0], 1e-6);
      assert_near(s.zmp[1], pressure[1], 1e-6);
      assert_at_least(s.zmp_margin, -1e-6);
      flat++;
    }
    /* by momenta */
    double after[6], rate[6], com[3], v[3];
    pk_momentum_compute(w, 0, after);
    pk_com_compute(w, 0, com, v);
    for (int i = 0; i < 6; i++) {
      rate[i] = (after[i] - before[i]) / dt;
    }
    for (int i = 0; i < 3; i++) {
      com[i] -= 0.5 * dt * v[i]; /* half way, where the step takes its contacts */
    }
    const double m = pk_sim_mass(sim, 0), pressed = rate[5] + m * G;
    const double x = com[0] - (com[2] * rate[3] + rate[1]) / pressed;
    const double y = com[1] - (com[2] * rate[4] - rate[0]) / pressed;
    if (highest < 1e-6) {
      apart = fmax(apart, fmax(fabs(x - s.zmp[0]), fabs(y - s.zmp[1])));
    }
    seen++;
    for (int i = 0; i < s.nedge; i++) {
      diagonals += s.edges[i].kind == PK_EDGE_KIND_DIAGONAL;
    }
  }
  assert_greater(seen, 300);
  assert_greater(flat, 300);
  assert_greater(diagonals, 50);
  assert_less(apart, 0.02);
  pk_sim_destroy(sim);
  fleet_free(&f);
}

/* Feet are known by where their legs hang on the trunk: a trot stands on diagonals, a quadruped on four feet on none. */
static void legs_are_placed_by_their_hips(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &trotting);
  pk_sim *sim = fleet_sim(&f, 0);
  int on_two = 0, on_four = 0;
  for (int k = 0; k < 400; k++) {
    must_step(sim);
    pk_stability s;
    assert_int_equal(pk_sim_stability(sim, 0, NULL, NULL, &s, NULL), PK_OK);
    if (s.feet == 2 && s.nedge == 1) {
      assert_int_equal(s.edges[0].kind, PK_EDGE_KIND_DIAGONAL);
      assert_true(s.edges[0].branch == PK_EDGE_BRANCH_BEFORE || s.edges[0].branch == PK_EDGE_BRANCH_PAST);
      /* from the right foot to the left one: the robot goes along +x */
      assert_greater(s.edges[0].to[1], s.edges[0].from[1]);
      on_two++;
    }
    if (s.feet == 4 && s.nedge == 4) {
      for (int i = 0; i < 4; i++) {
        assert_int_equal(s.edges[i].kind, PK_EDGE_KIND_SIDE);
      }
      on_four++;
    }
  }
  assert_greater(on_two, 100);
  assert_greater(on_four, 1);
  pk_sim_destroy(sim);
  fleet_free(&f);
}

/* ---- the foot rotation indicator of links with mass ---- */

/* A block of one link turns over its edge: it is all foot. The rate of its momentum is all that contact and weight give, so that nothing is
 * left to act but its own weight, at its centre of mass, while the ground presses on the edge. */
static void of_a_robot_that_is_all_foot_the_indicator_is_under_its_centre_of_mass(void **state)
{
  (void)state;
  const double size[3] = {0.6, 0.6, 0.8}, moment[3] = {10 / 12.0, 10 / 12.0, 0.6};
  pk_model *model = solid_model(PK_SHAPE_BOX, size, 10, moment);
  pk_terrain *ground = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2e-4;
  pk_sim *sim = start_world(model, ground, pk_material_default(), &o);
  pk_stability_meter *meter;
  pk_sim_q(sim)[2] = 0.4;
  /* about the edge at x = 0.3, z = 0: v = omega y x r */
  pk_sim_u(sim)[0] = 1.5 * 0.4, pk_sim_u(sim)[2] = 1.5 * 0.3, pk_sim_u(sim)[4] = 1.5;
  assert_int_equal(pk_stability_meter_create(sim, 0, NULL, &meter, NULL), PK_OK);
  assert_true(isnan(pk_stability_meter_last(meter)->zmp[0]));
  for (int k = 0; k < 300; k++) {
    must_step(sim);
    const pk_stability *s = pk_stability_meter_step(meter);
    if (k < 5) {
      continue; /* it comes off the ground with all but the edge */
    }
    assert_near(s->fri[0], s->gcom[0], 5e-4); /* a step's way is 1.2e-4 m */
    assert_near(s->fri[1], s->gcom[1], 1e-6);
    assert_near(s->zmp[0], 0.3, 1e-3);
    assert_greater(s->zmp[0] - s->gcom[0], 0.15);
  }
  assert_near(pk_stability_meter_sum(meter)->time, 0.06, 1e-12);
  pk_stability_meter_destroy(meter);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
}

/* ---- online and in batches ---- */

static void same_measures(const pk_stability *a, const pk_stability *b)
{
  assert_int_equal(a->nedge, b->nedge);
  assert_int_equal(a->feet, b->feet);
  for (int i = 0; i < PK_STABILITY_MEASURE_COUNT; i++) {
    const double x = pk_stability_margin(a, (pk_stability_measure)i),
                 y = pk_stability_margin(b, (pk_stability_measure)i);
    if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y))) {
      fail_msg("%s is %.17g and %.17g", pk_stability_measure_name((pk_stability_measure)i), x, y);
    }
  }
}

enum { WORLDS = 11 };

/* A callback measures its own worlds before each of their steps. */
static void measure_in_callback(void *user, pk_batch *batch, int first, int count)
{
  pk_stability *all = user;
  pk_batch_stability(batch, first, count, 0, NULL, all + first, NULL);
}

static void compare_batch(const fleet_setting *setting, int lanes, int threads)
{
  static pk_stability found[WORLDS], seen[WORLDS];
  fleet f;
  fleet_make(&f, setting);
  pk_batch *batch = fleet_batch(&f, WORLDS, lanes, threads);
  const int steps = setting->steps < 60 ? setting->steps : 60;
  assert_int_equal(pk_batch_step(batch, steps, NULL), PK_OK);
  memset(found, 0x7f, sizeof found);
  assert_int_equal(pk_batch_stability(batch, 0, WORLDS, 0, NULL, found, NULL), PK_OK);
  int supported = 0;
  for (int k = 0; k < WORLDS; k++) {
    pk_sim *sim = fleet_sim(&f, k);
    pk_stability s;
    for (int i = 0; i < steps; i++) {
      must_step(sim);
    }
    assert_int_equal(pk_sim_stability(sim, 0, NULL, NULL, &s, NULL), PK_OK);
    same_measures(&s, &found[k]);
    supported += s.nedge > 0;
    pk_sim_destroy(sim);
  }
  assert_greater(supported, 0);
  pk_batch_set_callback(batch, measure_in_callback, seen);
  assert_int_equal(pk_batch_step(batch, 1, NULL), PK_OK);
  for (int k = 0; k < WORLDS; k++) {
    same_measures(&seen[k], &found[k]);
  }
  pk_batch_destroy(batch);
  fleet_free(&f);
}

static void a_batch_measures_what_sims_measure_to_the_bit(void **state)
{
  (void)state;
  static const int lanes[] = {1, 4, 8};
  for (int i = 0; i < 3; i++) {
    compare_batch(&trotting, lanes[i], 2);
    compare_batch(&varied, lanes[i], 1);
  }
  compare_batch(&cut, 4, 2);
}

static void worlds_and_robots_that_there_are_not_are_refused(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &trotting);
  pk_batch *batch = fleet_batch(&f, 3, 1, 1);
  pk_sim *sim = fleet_sim(&f, 0);
  static pk_stability s[4];
  pk_error err = {.message = ""};
  pk_stability_options o = pk_stability_options_default();
  pk_stability_meter *meter;
  assert_int_equal(pk_batch_stability(batch, 1, 3, 0, NULL, s, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "worlds 1 to 3 are asked for, expected some of 0 to 2");
  assert_int_equal(pk_batch_stability(batch, 0, 3, 1, NULL, s, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "robot is 1, expected 0 to 0");
  assert_int_equal(pk_sim_stability(sim, 1, NULL, NULL, s, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "robot is 1, expected 0 to 0");
  assert_true(isnan(s[0].static_margin));
  assert_int_equal(pk_stability_meter_create(sim, -1, NULL, &meter, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "robot is -1, expected 0 to 0");
  o.tip_speed = -1;
  assert_int_equal(pk_stability_meter_create(sim, 0, &o, &meter, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "tip_speed");
  assert_int_equal(pk_batch_stability(batch, 0, 3, 0, &o, s, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "tip_speed");
  pk_batch_destroy(batch);
  pk_sim_destroy(sim);
  fleet_free(&f);
}

/* ---- as controllers see them ---- */

typedef struct seen_by_controller {
  pk_stability now;
  int updates;
} seen_by_controller;

static pk_status look(const pk_controller *self, const pk_observation *seen, void *block,
                      pk_command *commands)
{
  (void)self, (void)commands;
  seen_by_controller *mine = block;
  mine->updates++;
  return pk_observation_stability(seen, 0, NULL, NULL, &mine->now, NULL);
}

static seen_by_controller *last_seen;

static pk_status look_and_tell(const pk_controller *self, const pk_observation *seen, void *block,
                               pk_command *commands)
{
  last_seen = block;
  return look(self, seen, block, commands);
}

static void a_controller_sees_the_measures_of_the_last_step(void **state)
{
  (void)state;
  pk_model *model = starleth_model();
  pk_terrain *ground = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = start_world(model, ground, pk_material_default(), &o);
  const pk_controller looking = {
      .name = "look", .state_size = sizeof(seen_by_controller), .update = look_and_tell};
  assert_int_equal(pk_sim_set_controller(sim, &looking, NULL), PK_OK);
  starleth_pose(sim, 0.45, true);
  pk_stability s = {0};
  const int before = allocations;
  for (int k = 0; k < 200; k++) {
    must_step(sim);
    if (k > 0) { /* what it saw in this step is what was measured after the one before */
      same_measures(&s, &last_seen->now);
    }
    assert_int_equal(pk_sim_stability(sim, 0, NULL, NULL, &s, NULL), PK_OK);
  }
  assert_int_equal(allocations, before);
  assert_int_equal(last_seen->updates, 200);
  assert_int_equal(s.feet, 4);
  assert_greater(s.static_margin, 0.05);
  assert_greater(s.s_h, 0);
  assert_greater(s.wrench_margin, 10);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
}

/* ---- tipping ---- */

/* A block that stands on its edge tips over when it turns faster than its energy asks for, and S_H tells a point mass from it: between the
 * two the index is negative though the block comes back. */
static void a_block_tips_when_its_turn_has_the_energy(void **state)
{
  (void)state;
  const double size[3] = {0.3, 0.3, 0.4}, mass = 10, I = mass * (0.36 + 0.64) / 12;
  const double moment[3] = {I, I, mass * 0.72 / 12};
  pk_model *model =
      solid_model(PK_SHAPE_BOX, (const double[]){2 * size[0], 2 * size[1], 2 * size[2]}, mass, moment);
  pk_terrain *ground = slope_terrain(0);
  for (int faster = 0; faster < 2; faster++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = 2e-4;
    pk_sim *sim = start_world(model, ground, pk_material_default(), &o);
    const double omega = 2.4261079943 * (faster ? 1.02 : 0.98);
    double *q = pk_sim_q(sim), *u = pk_sim_u(sim);
    q[2] = 0.4;
    /* about the edge at x = 0.3, z = 0: v = omega y x r */
    u[0] = omega * 0.4, u[2] = omega * 0.3, u[4] = omega;
    double turned = 0;
    for (int k = 0; k < 10000 && fabs(turned) < 0.1; k++) {
      must_step(sim);
      turned = k > 500 && q[2] < 0.41 ? (q[0] > 0.3 ? 1 : -1) : 0;
    }
    assert_true(faster ? turned > 0 : turned < 0);
    pk_sim_destroy(sim);
  }
  pk_terrain_destroy(ground);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_a_trot_the_zero_moment_point_is_the_centre_of_pressure),
      cmocka_unit_test(legs_are_placed_by_their_hips),
      cmocka_unit_test(of_a_robot_that_is_all_foot_the_indicator_is_under_its_centre_of_mass),
      cmocka_unit_test(a_batch_measures_what_sims_measure_to_the_bit),
      cmocka_unit_test(worlds_and_robots_that_there_are_not_are_refused),
      cmocka_unit_test(a_controller_sees_the_measures_of_the_last_step),
      cmocka_unit_test(a_block_tips_when_its_turn_has_the_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
