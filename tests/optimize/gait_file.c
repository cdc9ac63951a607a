/* Gait files: what arrives in the problem, what is refused, and phases from patterns of footfalls. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optimize/files/gait_file.h"

#include "base/file.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"

#define ROBOT \
  "model:\n" \
  "  model: starleth\n" \
  "  joints: {LF_HFE: 0.7, LF_KFE: -1.3, RF_HFE: 0.7, RF_KFE: -1.3, LH_HFE: -0.7, LH_KFE: 1.3, RH_HFE: " \
  "-0.7, " \
  "RH_KFE: 1.3}\n" \
  "feet: [LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT]\n"

static const char trot[] = ROBOT "gait: {pattern: trot, duty: 0.5}\nspeed: 0.3\nperiod: 0.8\n";

static pki_gait_file *good_gait(const char *text, const char *set)
{
  pki_gait_file *g = NULL;
  pki_problems problems = {0};
  pk_error err = {.message = ""};
  pki_gait_file_parse("test.yaml", text, strlen(text), &set, set != NULL ? 1 : 0, &g, &problems);
  if (pki_problems_first(&problems, &err) != PK_OK) {
    char line[512];
    pki_error_line(&err, line, sizeof line);
    fail_msg("%s", line);
  }
  assert_non_null(g);
  return g;
}

/* The first of what is wrong, as a line. */
static void refuse_gait(const char *text, const char *set, const char *expected)
{
  pki_gait_file *g = NULL;
  pki_problems problems = {0};
  pk_error err = {.message = ""};
  char line[1024];
  pki_gait_file_parse("test.yaml", text, strlen(text), &set, set != NULL ? 1 : 0, &g, &problems);
  assert_null(g);
  pki_problems_sort(&problems);
  assert_int_not_equal(pki_problems_first(&problems, &err), PK_OK);
  pki_error_line(&err, line, sizeof line);
  assert_string_equal(line, expected);
}

/* ---- what arrives ---- */

static void every_key_arrives(void **state)
{
  (void)state;
  static const char text[] =
      "name: hop\ndescription: a hop\n" ROBOT "gravity: [0, 0, -3.7]\n"
      "phases:\n"
      "  - {name: push, stance: [LF_FOOT, RH_FOOT], intervals: 7, duration: [0.1, 0.4], guess: 0.2, ends: "
      "crossing}\n"
      "  - {stance: [LF_FOOT, RH_FOOT], duration: 0.3, landing: soft}\n"
      "closure: once\nscheme: linear\nspeed: -0.2\nstride: [0.1, 0.2]\nperiod: 0.5\n"
      "limits:\n  - {joints: \"*\", torque: 25, speed: 7, rate: 300, margin: 0.1}\n  - {joints: LF_HAA, "
      "lower: -0.1, upper: 0.2}\n"
      "lock: [y, \"*_HAA\"]\nplanar: false\nmotor_lines: true\nleast_force: 0.1\nclearance: 0.03\n"
      "motors:\n  - {joints: \"*\", motor: maxon-re40, gear: 50, voltage: 20, efficiency: 0.8}\n"
      "ground: {friction: 0.6, friction_share: 0.9, spin_friction: 0.01, slope: 0}\n"
      "stability: {tip_speed: 1.5, tip: perpendicular, least: 0.3}\n"
      "objective: {torque: 1, joule: 2, work: 3, time: 4, polygon: 5, stability: 6, acceleration: 7}\n"
      "start: {rest: true, pose: true, joints: {z: 0.4}}\n"
      "end: {velocities: {x: 0.1}, travel: [0.3, 0.1], turn: 0.2}\n"
      "solver: {tolerance: 1e-7, iterations: 77, plane_first: true}\ngrid: {tolerance: 1e-4, rounds: 2, "
      "most: 99}\n";
  pki_gait_file *g = good_gait(text, NULL);
  const pki_motion_problem *p = &g->problem;
  const int knee = g->model->joints[pk_model_find_joint(g->model, "LF_KFE")].u;
  const int hip = g->model->joints[pk_model_find_joint(g->model, "LF_HAA")].u;
  assert_string_equal(g->name, "hop");
  assert_string_equal(g->description, "a hop");
  assert_true(g->model->gravity[2] == -3.7);
  assert_int_equal(p->nphase, 2);
  assert_string_equal(p->phases[0].name, "push");
  assert_string_equal(p->phases[1].name, "LF_FOOT RH_FOOT");
  assert_int_equal(p->phases[0].stance, 1 | 8);
  assert_int_equal(p->phases[0].intervals, 7);
  assert_true(p->phases[0].shortest == 0.1 && p->phases[0].longest == 0.4 && p->phases[0].guess == 0.2);
  assert_true(p->phases[0].crossing && !p->phases[0].soft && !p->phases[1].crossing && p->phases[1].soft);
  assert_true(p->phases[1].shortest == 0.3 && p->phases[1].longest == 0.3 && p->phases[1].guess == 0.3);
  assert_int_equal(p->closure, PKI_MOTION_ONCE);
  assert_int_equal(p->scheme, PKI_MOTION_LINEAR);
  assert_true(p->speed == -0.2 && p->stride_shortest == 0.1 && p->stride_longest == 0.2);
  assert_true(p->period_shortest == 0.5 && p->period_longest == 0.5);
  assert_true(p->v_upper[knee] == 7 && p->rate_upper[knee] == 300);
  assert_near(p->q_upper[knee], -0.1 - 0.1, 1e-15);
  assert_near(p->q_lower[knee], -2.46 + 0.1, 1e-14);
  assert_true(p->q_lower[hip] == -0.1 && p->q_upper[hip] == 0.2);
  assert_true(p->locked[1] && p->locked[hip] && !p->locked[knee] && !p->locked[0]);
  assert_true(p->motor_lines && p->least_force == 0.1 && p->clearance == 0.03);
  assert_true(p->friction == 0.6 && p->friction_share == 0.9 && p->spin_friction == 0.01 && p->slope == 0);
  assert_true(p->tip_speed == 1.5 && p->tip_perpendicular && p->least_stability == 0.3);
  const pki_motion_objective o = p->objective;
  assert_true(o.torque == 1 && o.joule == 2 && o.work == 3 && o.time == 4 && o.polygon == 5 &&
              o.stability == 6 && o.acceleration == 7);
  assert_true(p->tolerance == 1e-7 && p->iterations == 77 && p->plane_first);
  assert_true(p->grid_tolerance == 1e-4 && p->grid_rounds == 2 && p->most_intervals == 99);
  assert_true(p->q_start[2] == 0.4 && p->q_start[knee] == -1.3 && p->v_start[knee] == 0 &&
              p->v_start[0] == 0);
  assert_true(p->q_end[0] == 0.3 && p->q_end[1] == 0.1 && p->q_end[5] == 0.2 && p->q_start[5] == 0);
  assert_true(p->v_end[0] == 0.1 && isnan(p->v_end[knee]) && isnan(p->q_end[knee]));
  pki_gait_file_destroy(g);
}

static void what_is_not_given_has_its_default(void **state)
{
  (void)state;
  pki_gait_file *g = good_gait(trot, NULL);
  const pki_motion_problem *p = &g->problem;
  const int knee = g->model->joints[pk_model_find_joint(g->model, "LF_KFE")].u;
  assert_string_equal(g->name, "test");
  assert_int_equal(p->scheme, PKI_MOTION_HERMITE_SIMPSON);
  assert_true(p->objective.torque == 1 && p->objective.work == 0);
  assert_true(isnan(p->stride_shortest) && isnan(p->least_stability) && isinf(p->grid_tolerance));
  assert_true(p->tau_upper[knee] == 30 && p->v_upper[knee] == 10 && isinf(p->rate_upper[knee]));
  assert_true(!p->motor_lines && !p->planar && p->friction == 0.7 && p->tip_speed == 2);
  pki_gait_file_destroy(g);
}

/* A chain of sliders and hinges has as many rates as coordinates; the pose is that of a robot whose feet just touch the ground. */
static void the_robot_stands_on_the_ground_in_its_pose(void **state)
{
  (void)state;
  pki_gait_file *g = good_gait(trot, NULL);
  const pki_motion_problem *p = &g->problem;
  assert_int_equal(g->model->nq, g->model->nu);
  assert_int_equal(g->model->robots[0].root, PK_ROOT_CHAIN);
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(g->model, &w, NULL), PK_OK);
  pk_kinematics_compute(w, p->pose, NULL);
  const pk_pose foot = pk_link_pose(w, pk_model_find_link(g->model, "LF_FOOT"));
  assert_near(foot.pos[2], p->feet[0].radius, 1e-6);
  assert_near(p->pose[3], 0, 1e-12);
  pk_workspace_destroy(w);
  pki_gait_file_destroy(g);
}

/* The torque-speed line of section 5.1 of Hardt and von Stryk: free speed V/(K N), stall torque e N K V/R. */
static void motors_have_the_line_of_their_numbers(void **state)
{
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "%smotors:\n  - {joints: \"*_KFE\", motor: maxon-re40, gear: 50, voltage: 20, efficiency: 0.8}\n",
           trot);
  pki_gait_file *g = good_gait(text, NULL);
  const int knee = g->model->joints[pk_model_find_joint(g->model, "LF_KFE")].u;
  const pki_motion_motor *m = &g->problem.motor[knee];
  assert_near(m->speed, 20 / (0.0302 * 50), 1e-12);
  assert_near(m->stall, 0.8 * 50 * 0.0302 * 20 / 0.299, 1e-10);
  assert_true(m->resistance == 0.299 && m->constant == 0.0302 && m->gear == 50 && m->efficiency == 0.8);
  pki_gait_file_destroy(g);
}

static void overrides_come_before_reading(void **state)
{
  (void)state;
  pki_gait_file *g = good_gait(trot, "speed=0.55");
  assert_true(g->problem.speed == 0.55);
  pki_gait_file_destroy(g);
  g = good_gait(trot, "ground.slope=0.1");
  assert_true(g->problem.slope == 0.1);
  pki_gait_file_destroy(g);
  g = good_gait(trot, "model.joints.LF_KFE=-1.1");
  assert_true(g->problem.pose[g->model->joints[pk_model_find_joint(g->model, "LF_KFE")].u] == -1.1);
  pki_gait_file_destroy(g);
}

static void the_hash_is_of_the_problem_and_not_of_its_text(void **state)
{
  (void)state;
  static const char other[] =
      "# a comment\nperiod: 8e-1\nspeed: 0.3\ngait: {duty: 0.5, pattern: trot}\nname: x\n" ROBOT;
  pki_gait_file *a = good_gait(trot, NULL), *b = good_gait(other, NULL), *c = good_gait(trot, "speed=0.31"),
                *d = good_gait(trot, "solver.iterations=9"), *e = good_gait(trot, "model.joints.LF_KFE=-1.1"),
                *f = good_gait(trot, "grid.most=77");
  assert_true(a->hash == b->hash);
  assert_true(a->hash != c->hash);
  assert_true(a->hash == d->hash);
  assert_true(a->hash != e->hash);
  assert_true(a->hash != f->hash);
  pki_gait_file_destroy(a), pki_gait_file_destroy(b), pki_gait_file_destroy(c), pki_gait_file_destroy(d);
  pki_gait_file_destroy(e), pki_gait_file_destroy(f);
}

/* ---- patterns ---- */

/* Stance and guess of each phase, and the closure. */
static void expect_phases(const char *set, pki_motion_closure closure, int count, const unsigned *stance,
                          const double *seconds)
{
  char text[1024];
  snprintf(text, sizeof text, ROBOT "gait: %s\nspeed: 0.3\nperiod: 1\n", set);
  pki_gait_file *g = good_gait(text, NULL);
  assert_int_equal(g->problem.closure, closure);
  assert_int_equal(g->problem.nphase, count);
  for (int i = 0; i < count; i++) {
    assert_int_equal(g->problem.phases[i].stance, stance[i]);
    assert_near(g->problem.phases[i].guess, seconds[i], 1e-12);
    assert_near(g->problem.phases[i].shortest, seconds[i], 1e-12);
    assert_near(g->problem.phases[i].longest, seconds[i], 1e-12);
  }
  pki_gait_file_destroy(g);
}

enum { LF = 1, RF = 2, LH = 4, RH = 8 };

static void patterns_become_phases_between_footfalls(void **state)
{
  (void)state;
  expect_phases("{pattern: trot, duty: 0.5}", PKI_MOTION_HALF, 1, (const unsigned[]){LF | RH},
                (const double[]){0.5});
  expect_phases("{pattern: trot, duty: 0.6}", PKI_MOTION_HALF, 2,
                (const unsigned[]){LF | RF | LH | RH, LF | RH}, (const double[]){0.1, 0.4});
  expect_phases("{pattern: trot, duty: 0.4}", PKI_MOTION_HALF, 2, (const unsigned[]){LF | RH, 0},
                (const double[]){0.4, 0.1});
  expect_phases("{pattern: pace, duty: 0.5}", PKI_MOTION_HALF, 1, (const unsigned[]){LF | LH},
                (const double[]){0.5});
  /* lateral sequence: each foot has three quarters of the cycle, three feet always stand */
  expect_phases("{pattern: walk, duty: 0.75}", PKI_MOTION_HALF, 2,
                (const unsigned[]){LF | RF | LH, LF | LH | RH}, (const double[]){0.25, 0.25});
  /* the single-foot amble of Hardt and von Stryk: LF-LR, LF-RR, and their mirror images */
  expect_phases("{pattern: amble, lag: 0.25, duty: 0.5}", PKI_MOTION_HALF, 2,
                (const unsigned[]){LF | LH, LF | RH}, (const double[]){0.25, 0.25});
  expect_phases("{pattern: bound, duty: 0.4}", PKI_MOTION_CYCLE, 4,
                (const unsigned[]){LF | RF, 0, LH | RH, 0}, (const double[]){0.4, 0.1, 0.4, 0.1});
}

/* Each foot stands for its duty, whatever the pattern. */
static void every_foot_stands_for_its_duty(void **state)
{
  (void)state;
  static const char *const patterns[] = {"trot",  "crawl",  "walk",   "pace", "amble",
                                         "bound", "canter", "gallop", "pronk"};
  for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
    for (int d = 0; d < 3; d++) {
      const double duty = 0.3 + 0.23 * d;
      char text[1024];
      snprintf(text, sizeof text, ROBOT "gait: {pattern: %s, duty: %g}\nperiod: 2\nclosure: cycle\n",
               patterns[k], duty);
      pki_gait_file *g = good_gait(text, NULL);
      double stands[4] = {0}, total = 0;
      for (int i = 0; i < g->problem.nphase; i++) {
        total += g->problem.phases[i].guess;
        for (int f = 0; f < 4; f++) {
          stands[f] += (g->problem.phases[i].stance >> f & 1) != 0 ? g->problem.phases[i].guess : 0;
        }
      }
      assert_near(total, 2, 1e-9);
      for (int f = 0; f < 4; f++) {
        assert_near(stands[f], 2 * duty, 1e-5);
      }
      pki_gait_file_destroy(g);
    }
  }
}

static void stability_divides_diagonal_phases_at_the_crossing(void **state)
{
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           ROBOT "gait: {pattern: amble, lag: 0.25, duty: 0.5}\nperiod: 1\nobjective: {stability: 1}\n");
  pki_gait_file *g = good_gait(text, NULL);
  const pki_motion_phase *p = g->problem.phases;
  assert_int_equal(g->problem.nphase, 3);
  assert_int_equal(p[0].stance, LF | LH);
  assert_int_equal(p[1].stance, LF | RH);
  assert_int_equal(p[2].stance, LF | RH);
  assert_true(!p[0].crossing && p[1].crossing && !p[2].crossing);
  assert_near(p[1].guess + p[2].guess, 0.25, 1e-12);
  pki_gait_file_destroy(g);
}

/* Centres are given in links and kept in bodies; without `from` it is the ground. */
static void gaps_are_balls_on_bodies(void **state)
{
  (void)state;
  pki_gait_file *g =
      good_gait(ROBOT "gait: {pattern: trot}\nperiod: 1\ngaps:\n"
                      "  - {link: LF_SHANK, least: 0.05}\n"
                      "  - {link: LF_FOOT, from: LH_SHANK, from_at: [0.01, 0.02, -0.1], least: 0.06}\n",
                NULL);
  const pki_motion_gap *gaps = g->problem.gaps;
  const pk_model *m = g->problem.model;
  assert_int_equal(g->problem.ngap, 2);
  assert_int_equal(gaps[0].body[0], m->links[pk_model_find_link(m, "LF_SHANK")].body);
  assert_int_equal(gaps[0].body[1], -1);
  assert_near(gaps[0].least, 0.05, 0);
  assert_int_equal(gaps[1].body[1], m->links[pk_model_find_link(m, "LH_SHANK")].body);
  assert_near(gaps[1].at[1][2] - m->links[pk_model_find_link(m, "LH_SHANK")].pose.pos[2], -0.1, 1e-15);
  pki_gait_file_destroy(g);
}

/* ---- what is refused ---- */

static void what_is_wrong_is_told_where_it_stands(void **state)
{
  (void)state;
  static const struct {
    const char *set, *told; /* told: after the override and a colon */
  } cases[] = {
      {"objective.torq=1", "objective.torq: there is no key \"torq\"; did you mean \"torque\"? (one of: "
                           "torque, joule, work, time, "
                           "polygon, stability, acceleration)"},
      {"gaps=[{link: LF_TOE, least: 0.1}]", "gaps.0: there is no moving link \"LF_TOE\""},
      {"objective={torque: 0}", "objective: all weights are 0, expected one above 0 at least"},
      {"feet.1=LF_FOOT", "feet.1: the foot LF_FOOT comes twice"},
      {"feet=LF", "feet: feet is a value, expected a list"},
      {"gait.pattern=trott",
       "gait.pattern: pattern is \"trott\", expected one of stand, trot, crawl, walk, pace, "
       "amble, bound, canter, gallop, pronk, jump; did you mean \"trot\"?"},
      {"gait.pattern=jump", "gait.pattern: jump has no cycle of footfalls, expected one that has"},
      {"closure=quarter", "closure: closure is \"quarter\", expected one of once, cycle, half"},
      {"period=[1, 0.5]", "period: found 1 to 0.5, expected the smaller first and at least 1e-06"},
      {"period=[1]", "period: found a list of another length, expected a number or [least, most]"},
      {"limits=[{torque: 1}]",
       "limits.0: the key \"joints\" is missing: a text, a joint, or a pattern with *"},
      {"limits=[{joints: LF_KFE, lower: 1, upper: 0}]",
       "limits.0: LF_KFE may go from 1 to 0, expected the smaller first"},
      {"motor_lines=true", "motor_lines: motor_lines is true and there are no motors: `motors` names them"},
      {"start={rest: true}", "start: a motion that repeats has no ends of its own: closure: once has them"},
      {"model.joints.LF_KFE=3", "model.joints.LF_KFE: LF_KFE is 3, but its limits are -2.46 to -0.1"},
      {"motors=[{joints: LF_KFE, motor: anydrive-3, gear: 3}]",
       "motors.0: anydrive-3 is known by its torque-speed envelope alone: it has no gear, voltage or "
       "efficiency to "
       "change"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char line[1024];
    snprintf(line, sizeof line, "--set %s: %s", cases[i].set, cases[i].told);
    refuse_gait(trot, cases[i].set, line);
  }
}

static void wrong_design_parameters_are_told(void **state)
{
  (void)state;
  const struct {
    const char *set, *told;
  } cases[] = {
      {"design=[{joints: '*_KFE', lower: 0, upper: 1}]", "design.0: the key \"what\" is missing"},
      {"design=[{what: gear, lower: 1, upper: 2}]", "design.0: the key \"joints\" is missing"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', upper: 2}]",
       "design.0: the key \"lower\" is missing"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', lower: 2}]",
       "design.0: the key \"upper\" is missing"},
      {"design=[{what: spring, joints: '*_KFE', lower: 0, upper: 2}]",
       "design.0.what: what is \"spring\", expected one of parallel-stiffness, parallel-rest, "
       "series-stiffness, gear, length"},
      {"design=[{what: parallel-stiffness, joints: LF_KNE, lower: 0, upper: 2}]",
       "design.0.joints: there is no joint \"LF_KNE\"; did you mean \"LF_KFE\"? (one of: x, y, z, roll, "
       "pitch, "
       "yaw, LF_HAA, LF_HFE, LF_KFE, RF_HAA, RF_HFE, RF_KFE, LH_HAA, LH_HFE, LH_KFE, RH_HAA, RH_HFE, "
       "RH_KFE)"},
      {"design=[{what: parallel-stiffness, joints: [[LF_KFE]], lower: 0, upper: 2}]",
       "design.0.joints.0: this is a list, expected the name of a joint"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', lower: 3, upper: 2}]",
       "design.0: lies between 3 and 2 and starts at 2.5, expected lower <= start <= upper"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', lower: 0, upper: 2, scan: 2}]",
       "design.0.scan: scan is 2, expected 0 to 0.9 (share of the value found (of a rest angle, rad) by "
       "which it is "
       "changed to see how flat the optimum is, 0: not)"},
      {"design=[{what: length, joints: '*_KFE', lower: 1, upper: 2}]",
       "design.0.joints: a length is one of links: `links` names them"},
      {"design=[{what: gear, links: '*_SHANK', lower: 1, upper: 2}]",
       "design.0.links: a gear is one of joints: `joints` names them"},
      {"design=[{what: gear, joints: '*_KFE', mass: constant, lower: 1, upper: 2}]",
       "design.0.mass: a gear has no mass: `mass` is for length alone"},
      {"design=[{what: length, links: '*_SHANKS', lower: 1, upper: 2}]",
       "design.0.links: there is no link \"*_SHANKS\" that hangs on a joint"},
      {"design=[{what: length, links: LF_SHANK, lower: 1, upper: 2}]",
       "design.0: has LF_KFE and not its mirror image RF_KFE, expected both in half a cycle"},
      {"design=[{what: gear, joints: '*_KFE', opposite: '*H_KFE', lower: 1, upper: 2}]",
       "design.0.opposite: a gear has no sign: `opposite` is for parallel-rest alone"},
      {"design=[{what: gear, joints: '*_KFE', lower: 1, upper: 2}]",
       "design.0: the joint \"LF_KFE\" has no motor of the kind dc whose gear could be chosen"},
      {"design=[{what: parallel-stiffness, joints: LF_KFE, lower: 0, upper: 2}]",
       "design.0: has LF_KFE and not its mirror image RF_KFE, expected both in half a cycle"},
      {"design=[{what: parallel-stiffness, joints: pitch, lower: 0, upper: 2}]",
       "design.0: a coordinate of the trunk, expected joints"},
      {"design=[{what: parallel-stiffness, joints: '*', lower: 0, upper: 2}, {what: parallel-rest, joints: "
       "'*_HAA', lower: 0, upper: 1}]",
       "design.1: the rest angle of LF_HAA is that of its mirror image RF_HAA with the opposite "
       "sign: "
       "`opposite` says so"},
      {"design=[{what: parallel-stiffness, joints: '*', lower: 0, upper: 2}, {what: parallel-rest, joints: "
       "'*_HAA', opposite: LF_KFE, lower: 0, upper: 1}]",
       "design.1.opposite: LF_KFE is none of the joints of the row"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', lower: 0, upper: 2, name: legs}, {what: "
       "parallel-stiffness, joints: '*_HFE', lower: 0, upper: 2, name: legs}]",
       "design.1: two rows are called parallel-stiffness \"legs\": `name` tells them apart"},
      {"design=[{what: parallel-stiffness, joints: '*_KFE', lower: 0, upper: 2}, {what: "
       "parallel-stiffness, joints: ['*_KFE', '*_HFE'], lower: 0, upper: 2}]",
       "design.1: the joint \"LF_KFE\" has a parallel-stiffness already"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char line[1024];
    snprintf(line, sizeof line, "--set %s: %s", cases[i].set, cases[i].told);
    refuse_gait(trot, cases[i].set, line);
  }
}

/* The seventeenth row is one too many, whatever is wrong with the others. */
static void more_design_parameters_than_there_is_room_for_are_refused(void **state)
{
  (void)state;
  char text[4096], line[128];
  int lines = 1;
  snprintf(text, sizeof text, "%sdesign:\n", trot);
  for (int i = 0; i < 17; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used,
             "  - {what: parallel-stiffness, joints: '*_KFE', lower: 0, upper: 2}\n");
  }
  for (const char *c = text; *c != '\0'; c++) {
    lines += *c == '\n';
  }
  snprintf(line, sizeof line, "test.yaml:%d: design.16: more than 16 rows", lines - 1);
  refuse_gait(text, NULL, line);
}

static void lines_of_the_file_are_told(void **state)
{
  (void)state;
  refuse_gait(ROBOT, NULL, "test.yaml:1: there are no phases, expected a list `phases` or a pattern `gait`");
  refuse_gait("feet: []\nspeed: 1\n", NULL, "test.yaml:1: the key \"model\" is missing: the robot");
  refuse_gait(ROBOT "gait: {pattern: trot}\nphases: [{stance: [], duration: 1}]\n", NULL,
              "test.yaml:5: gait: gait and phases are both there; give one");
  refuse_gait(ROBOT "phases:\n  - {stance: [LF_FOOT]}\n", NULL,
              "test.yaml:6: phases.0: the key \"duration\" is missing: s, a number or [least, most]");
  refuse_gait(
      ROBOT "phases:\n  - {stance: [LF_FOT], duration: 1}\n", NULL,
      "test.yaml:6: phases.0.stance.0: there is no foot \"LF_FOT\"; did you mean \"LF_FOOT\"? (one of: "
      "LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT)");
  refuse_gait(
      ROBOT "gait: {pattern: bound}\nclosure: half\n", NULL,
      "test.yaml:6: closure: left and right feet of this pattern are not half a cycle apart: its half has no "
      "mirror image");
}

static void the_documentation_names_every_key_and_word(void **state)
{
  (void)state;
  size_t size;
  char *page = pki_file_read(PK_SOURCE_DIR "/docs/formats/gait.md", 1 << 20, &size);
  assert_non_null(page);
  pki_schema_table table;
  for (int t = 0; pki_gait_table(t, &table); t++) {
    for (int i = 0; i < *table.count; i++) {
      const pk_field *f = &table.fields[i];
      assert_greater(strlen(f->doc), 3);
      for (int k = -1; k < pki_field_word_count(f); k++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s`", k < 0 ? f->name : pki_field_word(f, k));
        if (strstr(page, quoted) == NULL) {
          fail_msg("docs/formats/gait.md does not name %s of %s", quoted, table.name);
        }
      }
    }
  }
  free(page);
}

static void the_example_of_the_documentation_is_read(void **state)
{
  (void)state;
  size_t size;
  char *page = pki_file_read(PK_SOURCE_DIR "/docs/formats/gait.md", 1 << 20, &size);
  assert_non_null(page);
  char *begin = strstr(page, "\n```yaml\n") + 9;
  *strstr(begin, "\n```") = '\0';
  pki_gait_file_destroy(good_gait(begin, NULL));
  free(page);
}

static void every_shipped_gait_is_read(void **state)
{
  (void)state;
  int count;
  pki_scenario_entry *entries = pki_yaml_list(&pki_gait_kind, &count);
  assert_at_least(count, 1);
  for (int i = 0; i < count; i++) {
    pki_gait_file *g = NULL;
    pki_problems problems = {0};
    pk_error err = {.message = ""};
    pki_gait_file_load(entries[i].path, NULL, 0, &g, &problems);
    if (pki_problems_first(&problems, &err) != PK_OK) {
      fail_msg("%s: %s", entries[i].path, err.message);
    }
    assert_true(pki_is_gait_file(entries[i].path));
    assert_greater(strlen(g->description), 3);
    pki_gait_file_destroy(g);
  }
  free(entries);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  setenv("PRONK_GAITS", PK_SOURCE_DIR "/gaits", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_arrives),
      cmocka_unit_test(what_is_not_given_has_its_default),
      cmocka_unit_test(the_robot_stands_on_the_ground_in_its_pose),
      cmocka_unit_test(motors_have_the_line_of_their_numbers),
      cmocka_unit_test(overrides_come_before_reading),
      cmocka_unit_test(the_hash_is_of_the_problem_and_not_of_its_text),
      cmocka_unit_test(patterns_become_phases_between_footfalls),
      cmocka_unit_test(every_foot_stands_for_its_duty),
      cmocka_unit_test(stability_divides_diagonal_phases_at_the_crossing),
      cmocka_unit_test(gaps_are_balls_on_bodies),
      cmocka_unit_test(what_is_wrong_is_told_where_it_stands),
      cmocka_unit_test(wrong_design_parameters_are_told),
      cmocka_unit_test(more_design_parameters_than_there_is_room_for_are_refused),
      cmocka_unit_test(lines_of_the_file_are_told),
      cmocka_unit_test(the_documentation_names_every_key_and_word),
      cmocka_unit_test(the_example_of_the_documentation_is_read),
      cmocka_unit_test(every_shipped_gait_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
