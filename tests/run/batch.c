/* Many worlds of a scenario: each is what it is alone, to the bit, on lanes and threads; falls, frozen worlds and uncertified steps are
 * told; the files hold a row for each world. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */
#include "run/run_batch.h"

#include <math.h>

#include "base/file.h"
#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"
#include "support/pace.h"

#define LEGS \
  "  joints: {LF_HFE: 0.7343101344764329, LF_KFE: -1.3411529067300831, RF_HFE: 0.7343101344764329,\n" \
  "    RF_KFE: -1.3411529067300831, LH_HFE: -0.7343101344764329, LH_KFE: 1.3411529067300831,\n" \
  "    RH_HFE: -0.7343101344764329, RH_KFE: 1.3411529067300831}\n" \
  "  surfaces: {LF_FOOT: worn, RH_FOOT: worn}\n"
#define REST \
  "model:\n  model: starleth\n  position: [0, 0, 0.44]\n" LEGS \
  "controller: {name: locomotion, gait: trot, forward: 0.3}\n" \
  "step: {dt: 2.5e-3, tolerance: 1e-7, max_contacts: 48}\n" \
  "disturb: [{link: base, every: 0.2, for: 0.05, force: 60, from: 0.1}]\n" \
  "push: [{link: base, at: 0.3, for: 0.02, force: [0, 20, 0]}]\n" \
  "seed: 2\n" \
  "duration: 0.6\n" \
  "vary:\n" \
  "  - {what: mass, link: base, from: 0.85, to: 1.15}\n" \
  "  - {what: payload, link: base, from: 0, to: 2, point: [0, 0, 0.1]}\n" \
  "  - {what: friction, from: 0.4, to: 1}\n" \
  "  - {what: latency, from: 0, to: 0.01}\n" \
  "  - {what: position, from: -2, to: 2}\n" \
  "  - {what: yaw, from: -3, to: 3}\n" \
  "  - {what: joint, joints: '*', distribution: normal, mean: 0, deviation: 0.02}\n" \
  "  - {what: velocity, distribution: normal, mean: 0, deviation: 0.05}\n" \
  "  - {what: push, from: 0, to: 1}\n"

static const char plane[] = REST "terrain: [{shape: plane}]\n";
static const char rough[] =
    REST "terrain: [{shape: heights, position: [-4, -4, 0], cell: 0.1, nx: 81, ny: 81, function: rough, "
         "amplitude: 0.04, length: 0.8}]\n";

/* feet without grip, links that pass through each other: what sims know besides the ground */
static const char set_up_otherwise[] =
    REST "terrain: [{shape: plane}]\nmaterials:\n  wet: {friction: 0.7}\n"
         "pairs: [{surface: worn, material: wet, friction: 0.15}, {surface: worn, with: worn, friction: 0}]\n"
         "collide: {ignore: [[LF_SHANK, RF_SHANK]]}\nbodies: {friction: 0.3}\n";

typedef struct outcome {
  pki_scenario *scenario;
  pki_world world;
  pki_batch_result result;
} outcome;

static outcome run_batch(const char *text, const char *set, int worlds, int lanes, int threads)
{
  outcome o = {.scenario = good_scenario(text, set)};
  o.world = good_world(o.scenario);
  const pki_batch_options options = {.worlds = worlds, .lanes = lanes, .threads = threads, .duration = -1};
  pk_error err = {.message = ""};
  if (pki_batch_run(&o.world, &options, &o.result, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
  return o;
}

static void end(outcome *o)
{
  pki_batch_result_free(&o->result);
  pki_world_free(&o->world);
  pki_scenario_destroy(o->scenario);
}

/* ---- the same worlds ---- */

/* A sim's step is judged once more when somebody watches: the same number in another order of sums, of terms of size 1. */
static bool residuals_agree(const pki_run_result *a, const pki_run_result *b)
{
  return fabs(a->worst_residual - b->worst_residual) <= 1e-14;
}

static void same(const pki_run_result *a, const pki_run_result *b, int k)
{
  if (a->steps != b->steps || a->distance != b->distance || a->height != b->height ||
      a->energy_in != b->energy_in || a->positive_work != b->positive_work || !residuals_agree(a, b) ||
      a->fell != b->fell || a->uncertified != b->uncertified || a->mass != b->mass) {
    fail_msg("world %d: distance %.17g %.17g, work %.17g %.17g, residual %.17g %.17g", k, a->distance,
             b->distance, a->positive_work, b->positive_work, a->worst_residual, b->worst_residual);
  }
}

static void a_world_of_a_batch_is_the_world_alone(void **state)
{
  (void)state;
  enum { WORLDS = 6 };
  const char *const grounds[] = {plane, rough, set_up_otherwise};
  for (int g = 0; g < 3; g++) {
    outcome many = run_batch(grounds[g], NULL, WORLDS, 4, 2);
    assert_int_equal(many.result.worlds, WORLDS);
    assert_true(many.result.steps == WORLDS * 240LL);
    assert_true(g == 1 || many.result.alone < many.result.steps / 2); /* lanes did most of it */
    for (int k = 0; k < PACE(WORLDS, 2); k++) {
      char set[32];
      snprintf(set, sizeof set, "world=%d", k);
      pki_scenario *s = good_scenario(grounds[g], set);
      pki_world w = good_world(s);
      pki_run_result alone;
      const pki_run_options options = {.duration = -1};
      assert_int_equal(pki_run(&w, &options, &alone, NULL), PK_OK);
      assert_true(alone.steps == 240);
      assert_greater(alone.path, 0.01);
      same(&many.result.of[k], &alone, k);
      pki_run_result_free(&alone);
      pki_world_free(&w);
      pki_scenario_destroy(s);
    }
    assert_true(many.result.of[0].distance != many.result.of[1].distance);
    end(&many);
  }
}

static void worlds_do_not_depend_on_lanes_threads_and_number(void **state)
{
  (void)state;
  static const int lanes[] = {1, 4, 8}, threads[] = {1, 2};
  const int worlds = PACE(11, 5);
  outcome first = run_batch(plane, NULL, worlds, 1, 1);
  for (int l = 0; l < 3; l++) {
    for (int t = 0; t < 2; t++) {
      outcome other = run_batch(plane, NULL, worlds - l, lanes[l], threads[t]);
      for (int k = 0; k < worlds - l; k++) {
        same(&first.result.of[k], &other.result.of[k], k);
      }
      end(&other);
    }
  }
  end(&first);
}

/* ---- what went wrong ---- */

static void robots_that_fall_are_counted(void **state)
{
  (void)state;
  enum { WORLDS = 8 }; /* more than half of such worlds fall */
  outcome o = {.scenario = good_scenario(plane, "disturb.0.force=3000")};
  o.world = good_world(o.scenario);
  const pki_batch_options options = {.worlds = WORLDS, .duration = 1.5};
  assert_int_equal(pki_batch_run(&o.world, &options, &o.result, NULL), PK_OK);
  int fell = 0, worst[WORLDS];
  for (int k = 0; k < WORLDS; k++) {
    fell += o.result.of[k].fell;
    assert_true(!o.result.of[k].fell || (o.result.of[k].fell_at > 0.1 && o.result.of[k].fell_at <= 1.5));
  }
  assert_greater(fell, 0);
  assert_true(o.result.fell == fell && o.result.frozen == 0);
  assert_int_equal(pki_batch_worst(&o.result, worst, WORLDS), WORLDS);
  assert_true(o.result.of[worst[0]].fell); /* the first to fall comes first */
  for (int k = 0; k < WORLDS; k++) {
    assert_true(!o.result.of[k].fell || o.result.of[k].fell_at >= o.result.of[worst[0]].fell_at);
  }
  pki_text line = {0};
  pki_batch_replay(&o.result, worst[0], &line);
  assert_non_null(strstr(line.data, "a.yaml --set 'disturb.0.force=3000' --set world="));
  pki_text_free(&line);
  end(&o);
}

static void a_world_without_room_for_its_contacts_stops_alone(void **state)
{
  (void)state;
  /* dropped from where its feet do not touch yet: the step in which more than two come near stops it */
  outcome o = run_batch(plane, "step.max_contacts=2", 5, 0, 1);
  assert_greater(o.result.frozen, 0);
  for (int k = 0; k < 5; k++) {
    const pki_run_result *of = &o.result.of[k];
    assert_true(of->status == PK_OK ? of->steps == 240 : of->status == PK_ERROR_LIMIT && of->steps < 240);
  }
  end(&o);
}

static void steps_above_the_bound_are_counted(void **state)
{
  (void)state;
  outcome o = {.scenario = good_scenario(plane, "step.tolerance=1e-4")};
  o.world = good_world(o.scenario);
  const pki_batch_options options = {.worlds = 3, .duration = 0.3, .bound = 1e-9};
  assert_int_equal(pki_batch_run(&o.world, &options, &o.result, NULL), PK_OK);
  long long sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += o.result.of[k].uncertified;
    assert_at_most(o.result.of[k].worst_residual, o.result.worst);
  }
  assert_greater(sum, 0);
  assert_true(sum == o.result.uncertified);
  assert_greater(o.result.worst, 1e-9);
  assert_true(o.result.worst == o.result.of[o.result.worst_world].worst_residual);
  end(&o);
}

/* ---- files ---- */

static void the_files_hold_a_row_for_each_world(void **state)
{
  (void)state;
  char folder[] = "/tmp/pronk-batch-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  outcome o = run_batch(plane, "duration=0.1", 7, 0, 1);
  pk_error err = {.message = ""};
  assert_int_equal(pki_batch_csv(&o.result, folder, &err), PK_OK);
  assert_int_equal(pki_batch_report(&o.result, folder, &err), PK_OK);
  size_t size;
  snprintf(path, sizeof path, "%s/worlds.csv", folder);
  char *csv = pki_file_read(path, 1 << 20, &size);
  assert_non_null(csv);
  int lines = 0, commas = 0, first = 0;
  for (const char *c = csv; *c != '\0'; c++) {
    commas += *c == ',';
    if (*c == '\n') {
      first = lines++ == 0 ? commas : first;
      assert_int_equal(commas, first);
      commas = 0;
    }
  }
  assert_int_equal(lines, 8);
  static const char heads[] = "world,\"mass base\",\"payload base [kg]\",\"friction\",\"latency [s]\",";
  assert_int_equal(strncmp(csv, heads, sizeof heads - 1), 0);
  char value[64];
  snprintf(value, sizeof value, "\n3,%.17g,", pki_varied_value(o.scenario, &o.world.varied[0], 3));
  assert_non_null(strstr(csv, value));
  free(csv);
  remove(path);
  snprintf(path, sizeof path, "%s/report.html", folder);
  char *page = pki_file_read(path, 1 << 24, &size);
  assert_non_null(page);
  assert_true(strstr(page, "a in 7 worlds") != NULL && strstr(page, "payload base") != NULL &&
              strstr(page, "--set world=") != NULL && strstr(page, "From above") != NULL);
  free(page);
  remove(path), remove(folder);
  end(&o);
}

/* Steps of 10 ms, so that each is looked at. */
static void windings_are_as_hot_as_those_of_the_world_alone(void **state)
{
  (void)state;
  static const char text[] =
      "model: pendulum\nduration: 1\nstep: {dt: 0.01}\ncontroller: {name: hold, kp: 40, kd: 2}\n"
      "actuators: [{joints: hinge, kind: dc, motor: maxon-ec-4pole-30, gear: 100, current: 10}]\n"
      "vary: [{what: joint, joints: hinge, from: 0.5, to: 1.5}]\n";
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  outcome many = run_batch(text, NULL, 3, 4, 1), plain = run_batch(plane, "duration=0.1", 1, 0, 1);
  pki_scenario *s = good_scenario(text, "world=2");
  pki_world w = good_world(s);
  pki_run_result alone;
  const pki_run_options options = {.duration = -1};
  assert_int_equal(pki_run(&w, &options, &alone, NULL), PK_OK);
  assert_greater(alone.hottest, 25);
  assert_true(many.result.of[2].hottest == alone.hottest);
  assert_true(many.result.of[0].hottest != alone.hottest);
  assert_true(isnan(plain.result.of[0].hottest));
  pki_run_result_free(&alone);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  end(&plain);
  end(&many);
}

static void quantiles_lie_between_what_there_is(void **state)
{
  (void)state;
  const double x[] = {1, 2, 4, 8, 16};
  assert_true(pki_quantile(x, 5, 0) == 1 && pki_quantile(x, 5, 1) == 16 && pki_quantile(x, 5, 0.5) == 4);
  assert_true(pki_quantile(x, 5, 0.125) == 1.5 && isnan(pki_quantile(x, 0, 0.5)) &&
              pki_quantile(x, 1, 0.9) == 1);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_of_a_batch_is_the_world_alone),
      cmocka_unit_test(worlds_do_not_depend_on_lanes_threads_and_number),
      cmocka_unit_test(robots_that_fall_are_counted),
      cmocka_unit_test(a_world_without_room_for_its_contacts_stops_alone),
      cmocka_unit_test(steps_above_the_bound_are_counted),
      cmocka_unit_test(the_files_hold_a_row_for_each_world),
      cmocka_unit_test(windings_are_as_hot_as_those_of_the_world_alone),
      cmocka_unit_test(quantiles_lie_between_what_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
