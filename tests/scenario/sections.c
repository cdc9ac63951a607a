/* Sections of scenarios and what they do: actuators, constraints, disturbances, feet, recording, warnings. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "scenario/help.h"
#include "support/bounds.h"

/* ---- actuators ---- */

static void actuators_replace_what_the_model_says(void **state)
{
  (void)state;
  pki_scenario *s =
      good_scenario("models:\n"
                    "  - {model: starleth, prefix: a_}\n"
                    "  - {model: starleth, prefix: b_, position: [0, 2, 0]}\n"
                    "actuators:\n"
                    "  - {joints: 'a_*', effort: 12, damping: 0.5}\n"
                    "  - {joints: 'a_*_KFE', effort: 40, velocity: 5, friction: 0.25, armature: 0.01}\n"
                    "  - {joints: a_LF_HAA, effort: .inf}\n"
                    "duration: 1\n",
                    NULL);
  pki_world w = good_world(s);
  const pk_model *m = pk_sim_joint_model(w.sim);
  const pk_model_joint *haa = &m->joints[pk_model_find_joint(m, "a_LF_HAA")];
  const pk_model_joint *hfe = &m->joints[pk_model_find_joint(m, "a_RH_HFE")];
  const pk_model_joint *kfe = &m->joints[pk_model_find_joint(m, "a_RH_KFE")];
  const pk_model_joint *other = &m->joints[pk_model_find_joint(m, "b_RH_KFE")];
  assert_true(haa->effort == INFINITY && haa->damping == 0.5);
  assert_true(hfe->effort == 12 && hfe->velocity == other->velocity);
  assert_true(kfe->effort == 40 && kfe->velocity == 5 && kfe->damping == 0.5 && kfe->friction == 0.25);
  assert_true(kfe->armature == 0.01);
  assert_true(other->effort != 40 && other->effort != 12 && other->damping != 0.5);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* ---- constraints ---- */

/* The angles of two pendulums after some time. */
static void swing(const char *text, const char *set, double angles[2])
{
  pki_scenario *s = good_scenario(text, set);
  pki_world w = good_world(s);
  const pk_model *m = pk_sim_joint_model(w.sim);
  for (int i = 0; i < 1000; i++) {
    pk_step_info info;
    assert_int_equal(pki_world_step(&w, &info), PK_OK);
    assert_less(info.closure, 1e-5);
  }
  double q[4], u[4];
  assert_at_most(m->nq, 4);
  pk_sim_get_joints(w.sim, q, u);
  angles[0] = q[m->joints[pk_model_find_joint(m, "a_hinge")].q];
  angles[1] = q[m->joints[pk_model_find_joint(m, "b_hinge")].q];
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

#define BAR \
  "models:\n" \
  "  - {model: pendulum, prefix: a_, joints: {hinge: 0.5}}\n" \
  "  - {model: pendulum, prefix: b_, position: [3, 0, 0], joints: {hinge: 0.5}}\n" \
  "step: {dt: 2e-3}\n" \
  "duration: 2\n"

/* A parallelogram: the rod between two equal pendulums carries nothing when both swing alike, and a weight on one of
 * them is shared by both. */
static void a_four_bar_closes_its_loop(void **state)
{
  (void)state;
  double alone[2], held[2], shared[2];
  swing(BAR, NULL, alone);
  assert_true(alone[0] == alone[1]);
  assert_less(fabs(alone[0]), 0.6);
  assert_true(alone[0] != 0.5);
  swing(BAR "constraints:\n"
            "  - {kind: distance, name: rod, link: a_body, position: [0, 0, -2], to: b_body,\n"
            "     to_position: [0, 0, -2], length: 3}\n",
        NULL, held);
  assert_less(fabs(held[0] - alone[0]), 1e-6);
  assert_less(fabs(held[1] - alone[0]), 1e-6);
  swing(BAR "constraints:\n"
            "  - {kind: distance, link: a_body, position: [0, 0, -2], to: b_body, to_position: [0, 0, -2], "
            "length: 3}\n"
            "push:\n"
            "  - {link: a_body, at: 0, for: 2, force: [20, 0, 0], point: [0, 0, -1]}\n",
        NULL, shared);
  assert_less(fabs(shared[0] - shared[1]), 1e-5);
  assert_greater(fabs(shared[0] - alone[0]), 0.1);
}

static void a_loop_that_starts_open_is_warned_of(void **state)
{
  (void)state;
  static const char *const kinds[] = {
      "{kind: ball, link: a_body, to: b_body}",
      "{kind: ball, link: a_body, to: b_body, to_position: [-2.9, 0, 0]}",
      "{kind: slider, link: a_body, rpy: [0, 1.5707963267948966, 0], to: b_body}",
      "{kind: distance, link: a_body, to: b_body, length: 2.5}",
      "{kind: distance, link: a_body, to: b_body, length: 3}"};
  static const double gaps[] = {3, 0.1, 0, 0.5, 0};
  for (int i = 0; i < 5; i++) {
    char set[200], expected[100];
    snprintf(set, sizeof set, "constraints=[%s]", kinds[i]);
    pki_scenario *s = good_scenario("models:\n"
                                    "  - {model: pendulum, prefix: a_}\n"
                                    "  - {model: pendulum, prefix: b_, position: [3, 0, 0]}\n"
                                    "duration: 2\n",
                                    set);
    pki_world w = good_world(s);
    pki_problems warnings = {0};
    pki_world_check_constraints(&w, &warnings);
    snprintf(expected, sizeof expected, "this constraint starts open by %.3g m; the first step closes it",
             gaps[i]);
    assert_int_equal(warnings.count, gaps[i] > 0);
    if (gaps[i] > 0) {
      assert_string_equal(warnings.errors[0].message, expected);
    }
    pki_problems_free(&warnings);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
}

static void a_weld_to_the_world_holds_a_robot(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("model: {model: starleth, position: [0, 0, 1]}\n"
                                  "constraints:\n"
                                  "  - {kind: weld, link: base, to_position: [0, 0, 1]}\n"
                                  "controller: hold\n"
                                  "duration: 1\n",
                                  NULL);
  pki_world w = good_world(s);
  for (int i = 0; i < 200; i++) {
    assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  }
  assert_less(fabs(pk_sim_q(w.sim)[2] - 1), 1e-6);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* ---- disturbances ---- */

static const char floating[] = "model: starleth\n"
                               "gravity: [0, 0, 0]\n"
                               "step: {dt: 2e-3}\n"
                               "disturb:\n"
                               "  - {link: base, every: 0.1, for: 0.05, force: 40, from: 0.1, to: 0.35}\n"
                               "seed: 3\n"
                               "duration: 1\n";

/* Momentum after 0.5 s. */
static void pushed_momentum(const char *set, double out[3])
{
  pki_scenario *s = good_scenario(floating, set);
  pki_world w = good_world(s);
  for (int i = 0; i < 250; i++) {
    assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  }
  double momentum[6];
  pk_kinematics_compute(pk_sim_workspace(w.sim), pk_sim_q(w.sim), pk_sim_u(w.sim));
  pk_momentum_compute(pk_sim_workspace(w.sim), -1, momentum);
  memcpy(out, momentum + 3, 3 * sizeof *out);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void disturbances_are_drawn_from_the_seed_alone(void **state)
{
  (void)state;
  double first[3], again[3], other[3], expected[2] = {0, 0};
  pushed_momentum(NULL, first);
  pushed_momentum(NULL, again);
  pushed_momentum("seed=4", other);
  assert_memory_equal(first, again, sizeof first);
  assert_greater(hypot(first[0] - other[0], first[1] - other[1]), 0.1);
  /* three pushes of 40 N for 0.05 s: those that begin at 0.1, 0.2, 0.3 s */
  for (int k = 0; k < 3; k++) {
    double direction[2];
    pki_disturb_direction(3, -1, 0, k, direction);
    assert_less(fabs(hypot(direction[0], direction[1]) - 1), 1e-15);
    expected[0] += 2 * direction[0];
    expected[1] += 2 * direction[1];
  }
  assert_less(fabs(first[0] - expected[0]), 5e-3);
  assert_less(fabs(first[1] - expected[1]), 5e-3);
  assert_less(fabs(first[2]), 1e-3);
}

static void directions_are_spread_evenly(void **state)
{
  (void)state;
  enum { DRAWS = 4000 };
  int quarter[4] = {0};
  for (int k = 0; k < DRAWS; k++) {
    double d[2];
    pki_disturb_direction(1, -1, 0, k, d);
    quarter[(d[0] > 0) + 2 * (d[1] > 0)]++;
    double e[2];
    pki_disturb_direction(1, -1, 1, k, e);
    assert_true(d[0] != e[0]);
  }
  for (int i = 0; i < 4; i++) {
    assert_in_range(quarter[i], DRAWS / 4 - 150, DRAWS / 4 + 150);
  }
}

/* ---- feet ---- */

static void feet_of_a_robot_with_a_prefix_can_be_named(void **state)
{
  (void)state;
  static const char text[] = "model: {model: starleth, prefix: x_, position: [0, 0, 0.435]}\n"
                             "step: {dt: 2.5e-3}\n"
                             "controller: {name: locomotion}\n"
                             "duration: 1\n";
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w;
  pk_error err;
  assert_int_not_equal(pki_world_create(s, &w, &err), PK_OK);
  assert_non_null(strstr(err.message, "LF_FOOT"));
  pki_scenario_destroy(s);
  s = good_scenario(text, "controller.feet=[x_LF_FOOT, x_RF_FOOT, x_LH_FOOT, x_RH_FOOT]");
  const pk_locomotion_options *o = s->controller_options;
  assert_string_equal(o->feet[3], "x_RH_FOOT");
  w = good_world(s);
  assert_int_equal(pki_world_step(&w, NULL), PK_OK);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* ---- recording, source, hash ---- */

static void the_recording_is_described(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("model: starleth\nduration: 1\n", NULL);
  assert_true(s->record.rate == 1000 && s->record.view_rate == 30 && s->nrecord_channel == 0);
  assert_int_equal(s->record.compression, PK_RECORDING_COMPRESSION_LZ4);
  pki_scenario_destroy(s);
  s = good_scenario("model: starleth\nduration: 1\n"
                    "record: {rate: 500, view_rate: 30, channels: [state/*, contacts], compression: lz4}\n",
                    NULL);
  assert_true(s->record.rate == 500 && s->record.view_rate == 30);
  assert_int_equal(s->record.compression, PK_RECORDING_COMPRESSION_LZ4);
  assert_int_equal(s->nrecord_channel, 2);
  assert_string_equal(s->record_channels[0], "state/*");
  assert_string_equal(s->record_channels[1], "contacts");
  pki_scenario_destroy(s);
}

static void the_source_is_kept(void **state)
{
  (void)state;
  static const char text[] = "model: starleth # a comment\nduration: 1\n";
  pki_scenario *s = good_scenario(text, "step.dt=2e-3");
  assert_int_equal(s->text_size, strlen(text));
  assert_string_equal(s->text, text);
  assert_int_equal(s->nset, 1);
  assert_string_equal(s->sets[0], "step.dt=2e-3");
  pki_scenario_destroy(s);
}

static uint64_t hash_of(const char *text, const char *set)
{
  pki_scenario *s = good_scenario(text, set);
  const uint64_t hash = pki_scenario_hash(s);
  pki_scenario_destroy(s);
  return hash;
}

static void the_hash_is_of_what_changes_results(void **state)
{
  (void)state;
  static const char text[] = "model: starleth\nduration: 1\nstep: {dt: 1e-3}\nseed: 1\n";
  const uint64_t hash = hash_of(text, NULL);
  static const char *const same[] = {"duration=2",     "name=x",       "description=y",
                                     "record.rate=10", "certify=1e-6", "step.dt=1e-3"};
  static const char *const others[] = {"seed=2", "step.dt=2e-3", "model=pendulum", "controller=hold"};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    assert_true(hash_of(text, same[i]) == hash);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_true(hash_of(text, others[i]) != hash);
  }
  assert_true(hash_of("# other layout\nmodel:   starleth\nduration: 1\nstep:\n  dt: 1e-3\nseed: 1\n", NULL) ==
              hash);
}

/* ---- overrides, encoding, warnings, all that is wrong ---- */

static void overrides_start_and_grow_lists(void **state)
{
  (void)state;
  const char *const sets[] = {"push.0.link=base", "push.0.at=0.5", "push.0.for=0.1", "push.0.force=[1, 0, 0]",
                              "push.+={link: base, at: 1, for: 0.1, force: [0, 2, 0]}"};
  static const char *const texts[] = {"model: starleth\nduration: 2\n",
                                      "model: starleth\nduration: 2\npush:\n"};
  for (int i = 0; i < 2; i++) {
    pki_scenario *s = NULL;
    pk_error err;
    if (pki_scenario_parse("a.yaml", texts[i], strlen(texts[i]), sets, 5, &s, &err) != PK_OK) {
      fail_msg("%s: %s", err.file, err.message);
    }
    assert_int_equal(s->npush, 2);
    assert_true(s->pushes[0].at == 0.5 && s->pushes[1].force[1] == 2);
    pki_scenario_check_times(s, s->duration, &s->warnings);
    assert_int_equal(s->warnings.count, 0);
    pki_scenario_destroy(s);
  }
}

static void a_mark_of_the_encoding_is_skipped(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("\xEF\xBB\xBFmodel: starleth\nduration: 1\n", NULL);
  assert_string_equal(s->models[0].model, "starleth");
  pki_scenario_destroy(s);
}

static void pushes_that_never_act_are_warned_of(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("model: starleth\n"
                                  "duration: 1\n"
                                  "push:\n"
                                  "  - {link: base, at: 0.5, for: 0.1, force: [1, 0, 0]}\n"
                                  "  - {link: base, at: 2, for: 0.1, force: [1, 0, 0]}\n"
                                  "  - {link: base, at: 0.5, for: 4e-4, force: [1, 0, 0]}\n"
                                  "  - {link: base, at: 0.4996, for: 1e-3, force: [1, 0, 0]}\n"
                                  "disturb:\n"
                                  "  - {link: base, every: 1, for: 0.1, force: 1, from: 3}\n"
                                  "  - {link: base, every: 1, for: 0.1, force: 1, from: 0.5, to: 0.5}\n"
                                  "  - {link: base, every: 1, for: 1e-4, force: 1}\n",
                                  NULL);
  static const struct {
    int line;
    const char *message;
  } expected[] = {
      {5, "this push never acts: it begins at 2 s, and the run ends at 1 s"},
      {6, "this push never acts: no step of 0.001 s has its middle in the 0.0004 s after 0.5 s"},
      {9, "these pushes never act: the first begins at 3 s, and the run ends at 1 s"},
      {10, "these pushes never act: the first begins at 0.5 s, and none may at 0.5 s"},
      {11, "some of these pushes may never act: they last 0.0001 s, a step is 0.001 s"},
  };
  pki_scenario_check_times(s, s->duration, &s->warnings);
  assert_int_equal(s->warnings.count, 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(s->warnings.errors[i].line, expected[i].line);
    assert_string_equal(s->warnings.errors[i].message, expected[i].message);
  }
  pki_scenario_destroy(s);
}

static void all_that_is_wrong_is_told(void **state)
{
  (void)state;
  static const char text[] = "record: {rate: -1}\n" /* 1 */
                             "push:\n"
                             "  - {link: base}\n" /* 3: a time and a force are missing */
                             "model: starleth\n"
                             "duration: long\n"    /* 5 */
                             "gravty: [0, 0, 1]\n" /* 6 */
                             "terrain:\n"
                             "  - shape: plain\n"                  /* 8 */
                             "  - {shape: plane, material: ise}\n" /* 9 */
                             "materials:\n"
                             "  ice: {friction: -1}\n" /* 11 */
                             "step:\n"
                             "  dt: 0\n"                                  /* 13 */
                             "  solver: sro\n"                            /* 14 */
                             "controller: {name: hold, kp: -1, kq: 2}\n"; /* 15, 15 */
  static const int lines[] = {1, 3, 3, 5, 6, 8, 9, 11, 13, 14, 15, 15};
  pki_scenario *s = NULL;
  pki_problems problems = {0};
  assert_int_not_equal(pki_scenario_parse_all("a.yaml", text, strlen(text), NULL, 0, &s, &problems), PK_OK);
  assert_null(s);
  pki_problems_sort(&problems);
  assert_int_equal(problems.count, sizeof lines / sizeof lines[0]);
  for (int i = 0; i < problems.count; i++) {
    assert_int_equal(problems.errors[i].line, lines[i]);
  }
  pki_problems_free(&problems);
  /* and what only the world can tell */
  s = good_scenario("model: {model: starleth, joints: {LF: 0, RF: 0}, surfaces: {LF: a}}\n"
                    "push: [{link: bse, at: 0, for: 1, force: [0, 0, 1]}]\n"
                    "controller: {name: hold, period: 1.5e-3}\n"
                    "duration: 1\n",
                    NULL);
  pki_world w;
  assert_int_not_equal(pki_world_create_all(s, &w, &problems), PK_OK);
  assert_int_equal(problems.count, 5);
  pki_problems_free(&problems);
  pki_scenario_destroy(s);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(actuators_replace_what_the_model_says),
      cmocka_unit_test(a_four_bar_closes_its_loop),
      cmocka_unit_test(a_loop_that_starts_open_is_warned_of),
      cmocka_unit_test(a_weld_to_the_world_holds_a_robot),
      cmocka_unit_test(disturbances_are_drawn_from_the_seed_alone),
      cmocka_unit_test(directions_are_spread_evenly),
      cmocka_unit_test(feet_of_a_robot_with_a_prefix_can_be_named),
      cmocka_unit_test(the_recording_is_described),
      cmocka_unit_test(the_source_is_kept),
      cmocka_unit_test(the_hash_is_of_what_changes_results),
      cmocka_unit_test(overrides_start_and_grow_lists),
      cmocka_unit_test(a_mark_of_the_encoding_is_skipped),
      cmocka_unit_test(pushes_that_never_act_are_warned_of),
      cmocka_unit_test(all_that_is_wrong_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
