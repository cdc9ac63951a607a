/* What a run measures, against what mechanics says it must be. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "run/run.h"

#include <math.h>

#include "base/file.h"
#include "pronk/record.h"
#include "scenario/help.h"
#include "support/bounds.h"

typedef struct outcome {
  pki_scenario *scenario;
  pki_world world;
  pki_run_result result;
} outcome;

static outcome run(const char *text, const char *set, const char *folder, double bound)
{
  outcome o = {.scenario = good_scenario(text, set)};
  o.world = good_world(o.scenario);
  const pki_run_options options = {.duration = -1, .bound = bound, .folder = folder};
  pk_error err = {.message = ""};
  if (pki_run(&o.world, &options, &o.result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  return o;
}

static void end(outcome *o)
{
  pki_run_result_free(&o->result);
  pki_world_free(&o->world);
  pki_scenario_destroy(o->scenario);
}

#define STANCE \
  "  joints: {LF_HFE: 0.7343101344764329, LF_KFE: -1.3411529067300831, RF_HFE: 0.7343101344764329,\n" \
  "    RF_KFE: -1.3411529067300831, LH_HFE: -0.7343101344764329, LH_KFE: 1.3411529067300831,\n" \
  "    RH_HFE: -0.7343101344764329, RH_KFE: 1.3411529067300831}\n"

static const char standing[] =
    "model:\n  model: starleth\n  position: [0, 0, 0.435]\n" STANCE "terrain:\n  - shape: plane\n"
    "controller: {name: hold, kp: 400, kd: 10}\n"
    "duration: 0.5\n";

static double energy(outcome *o)
{
  pk_workspace *w = pk_sim_workspace(o->world.sim);
  pk_kinematics_compute(w, pk_sim_q(o->world.sim), pk_sim_u(o->world.sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(o->world.sim));
  return e.kinetic + e.potential;
}

/* A free robot without gravity is pushed; then its motors are all that changes its energy. */
static void work_of_the_motors_is_the_change_of_energy(void **state)
{
  (void)state;
  static const char text[] = "model:\n  model: double_pendulum\n  joints: {hinge_1: 1, hinge_2: 0.5}\n"
                             "controller: {name: hold, kp: 30, kd: 0.5}\nstep: {dt: 1e-4}\nduration: 1\n";
  outcome still = run(text, "duration=0", NULL, 0), moved = run(text, NULL, NULL, 0);
  const double change = energy(&moved) - energy(&still);
  assert_greater(fabs(change), 1);
  assert_less(fabs(moved.result.energy_in - change), 1e-3 * fabs(change));
  assert_at_least(moved.result.positive_work, moved.result.energy_in);
  assert_int_equal(still.result.steps, 0);
  assert_greater(moved.result.peak[0], 0);
  assert_greater(moved.result.peak[1], 0);
  end(&still);
  end(&moved);
}

static void steps_and_time_do_not_depend_on_rounding(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    long long steps;
  } cases[] = {{"duration=0.3", 300}, {"duration=0.7", 700}, {"duration=0.1005", 101}, {"duration=0", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    outcome o = run("model: pendulum\nduration: 1\n", cases[i].set, NULL, 0);
    assert_int_equal(o.result.steps, cases[i].steps);
    assert_less(fabs(o.result.duration - 1e-3 * (double)cases[i].steps), 1e-12);
    assert_false(o.result.fell);
    end(&o);
  }
}

static void standing_is_told_as_standing(void **state)
{
  (void)state;
  outcome o = run(standing, NULL, NULL, 0);
  const pki_run_result *r = &o.result;
  assert_string_equal(r->stopped, "");
  assert_false(r->fell);
  assert_int_equal(r->uncertified, 0);
  assert_greater(r->worst_step, 0);
  assert_at_most(r->worst_residual, 1e-8);
  assert_true(r->bound == 1e-8);
  assert_int_equal(r->most_contacts, 4);
  assert_less(r->distance, 0.01);
  assert_greater(r->height, 0.40);
  assert_less(r->height_max, 0.4351);
  assert_less(r->tilt_max, 0.1);
  assert_greater(r->real_time_factor, 0);
  end(&o);
}

static void a_bound_that_is_too_small_is_exceeded(void **state)
{
  (void)state;
  outcome o = run(standing, "duration=0.05", NULL, 1e-15);
  assert_greater(o.result.uncertified, 0);
  assert_at_most(o.result.uncertified, o.result.steps);
  assert_true(o.result.bound == 1e-15);
  assert_greater(o.result.worst_residual, 1e-15);
  end(&o);
}

static void a_low_trunk_on_the_ground_or_sixty_degrees_is_a_fall(void **state)
{
  (void)state;
  /* in the air it only falls */
  outcome o = run("model: {model: starleth, position: [0, 0, 1]}\nduration: 0.5\n", NULL, NULL, 0);
  assert_false(o.result.fell);
  assert_less(fabs(o.result.height - (1 - 0.5 * 9.81 * 0.25)), 1e-2);
  end(&o);
  /* limp, onto the ground */
  o = run("model:\n  model: starleth\n  position: [0, 0, 0.5]\n" STANCE
          "terrain: [{shape: plane}]\nduration: 2\n",
          NULL, NULL, 0);
  assert_true(o.result.fell);
  assert_greater(o.result.fell_at, 0.1);
  end(&o);
  /* pushed sideways far above its centre without gravity: it turns over without falling */
  o = run("model: {model: starleth, position: [0, 0, 1]}\ngravity: [0, 0, 0]\nduration: 1\n"
          "push:\n  - {link: base, at: 0, for: 0.1, force: [0, 20, 0], point: [0, 0, 1]}\n",
          NULL, NULL, 0);
  assert_true(o.result.fell);
  assert_greater(o.result.tilt_max, 1.0472);
  assert_greater(o.result.height_min, 0.5);
  end(&o);
}

/* It began twice as high as it stands, or it crouched: it is up again. */
static void who_lands_on_its_feet_has_not_fallen(void **state)
{
  (void)state;
  outcome o = run("model:\n  model: starleth\n  position: [0, 0, 0.8]\n" STANCE "terrain:\n  - shape: plane\n"
                  "controller: {name: hold, kp: 400, kd: 10}\nduration: 2\n",
                  NULL, NULL, 0);
  assert_less(o.result.height, 0.6 * o.result.height_start);
  assert_false(o.result.fell);
  end(&o);
  o = run("model:\n  model: starleth\n  position: [0, 0, 0.435]\n" STANCE "terrain:\n  - shape: plane\n"
          "controller: {name: locomotion, gait: jump, jump: 0.25}\nstep: {dt: 2.5e-3}\nduration: 3\n",
          NULL, NULL, 0);
  assert_greater(o.result.height_max, 0.66);
  assert_less(o.result.height_min, 0.3);
  assert_greater(o.result.height, 0.42);
  assert_false(o.result.fell);
  end(&o);
}

static void distance_is_straight_and_the_path_is_not(void **state)
{
  (void)state;
  /* there and back again */
  outcome o = run("model: starleth\ngravity: [0, 0, 0]\nduration: 0.4\npush:\n"
                  "  - {link: base, at: 0, for: 0.1, force: [100, 0, 0]}\n"
                  "  - {link: base, at: 0.1, for: 0.2, force: [-100, 0, 0]}\n"
                  "  - {link: base, at: 0.3, for: 0.1, force: [100, 0, 0]}\n",
                  NULL, NULL, 0);
  assert_greater(o.result.path, 0.03);
  assert_less(o.result.distance, 0.2 * o.result.path);
  end(&o);
}

static void a_step_that_fails_ends_the_run_with_its_reason(void **state)
{
  (void)state;
  outcome o = run(standing, "step.max_contacts=2", NULL, 0);
  assert_int_equal(o.result.status, PK_ERROR_LIMIT);
  assert_int_equal(o.result.steps, 0);
  assert_string_equal(o.result.stopped,
                      "step 1 at 0 s: the input is larger than the limit, in max_contacts: there are more "
                      "than 2 contacts in this step; leave step.max_contacts out, and the room grows");
  end(&o);
}

/* The last sample of a channel, summed over columns whose names end so. */
static double last_sum(const pk_recording *r, const char *name, const char *ending)
{
  pk_recording_series s;
  pk_error err = {.message = ""};
  int count;
  const int channel = pk_recording_find(r, name);
  assert_at_least(channel, 0);
  const pk_recorder_channel *c = &pk_recording_channels(r, &count)[channel];
  assert_int_equal(pk_recording_read(r, channel, -INFINITY, INFINITY, &s, &err), PK_OK);
  assert_greater(s.n, 0);
  double sum = 0;
  for (int k = 0; k < c->columns; k++) {
    const size_t length = strlen(c->column[k]), tail = strlen(ending);
    if (length >= tail && strcmp(c->column[k] + length - tail, ending) == 0) {
      sum += s.values[(size_t)s.row[s.n - 1] * (size_t)s.columns + (size_t)k];
    }
  }
  pk_recording_series_free(&s);
  return sum;
}

static int samples(const pk_recording *r, const char *name)
{
  pk_recording_series s;
  pk_error err = {.message = ""};
  assert_int_equal(pk_recording_read(r, pk_recording_find(r, name), -INFINITY, INFINITY, &s, &err), PK_OK);
  const int n = s.n;
  assert_true(s.time[0] == 0);
  pk_recording_series_free(&s);
  return n;
}

static pk_recording *open_recording(const char *path)
{
  pk_recording *r = NULL;
  pk_error err = {.message = ""};
  if (pk_recording_open(path, &r, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  return r;
}

static void remove_files(const char *folder)
{
  static const char *const names[] = {"run.mcap", "report.html", "checkpoint.pronk"};
  char path[PKI_PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_true(pki_path_join(path, folder, names[i]));
    remove(path);
  }
  assert_int_equal(remove(folder), 0); /* nothing else was left */
}

/* The forces on the feet carry the weight, whatever the world is computed in. */
static void expect_files(const char *set)
{
  outcome o = run(standing, set, "run_out", 0);
  pk_recording *r = open_recording("run_out/run.mcap");
  assert_true(pk_recording_is_complete(r));
  assert_int_equal(samples(r, "state/q"), 501); /* start, 500 steps */
  assert_int_equal(samples(r, "bodies"), 17);   /* every 33 steps, and the last */
  assert_less(fabs(last_sum(r, "feet", ".fz") - 9.81 * o.world.model->mass), 2);
  assert_true(last_sum(r, "state/q", "base.z") == o.result.height);
  assert_string_equal(pk_recording_note(r, "version"), pk_version());
  const pk_recorder_attachment *text = pk_recording_attachment(r, "scenario.yaml");
  assert_non_null(text);
  assert_int_equal(text->size, strlen(standing));
  assert_memory_equal(text->data, standing, text->size);
  assert_non_null(pk_recording_attachment(r, "scene.json"));
  assert_non_null(pk_recording_attachment(r, "models/starleth.urdf"));
  pk_recording_close(r);
  size_t size;
  char *page = pki_file_read("run_out/report.html", 1 << 26, &size);
  assert_non_null(page);
  assert_non_null(strstr(page, "LF_FOOT"));
  free(page);
  remove_files("run_out");
  end(&o);
}

static void the_recording_and_the_report_are_written(void **state)
{
  (void)state;
  expect_files(NULL);
  expect_files("coordinates=maximal");
  expect_files("coordinates=[LF_KFE, RH_HAA]");
}

static void a_recording_can_be_small_or_none(void **state)
{
  (void)state;
  outcome o =
      run(standing, "record={rate: 100, view_rate: 0, channels: [feet, \"state/*\"]}", "run_small", 0);
  pk_recording *r = open_recording("run_small/run.mcap");
  int count;
  pk_recording_channels(r, &count);
  assert_int_equal(count, 3);
  assert_int_equal(samples(r, "feet"), 51);
  pk_recording_close(r);
  end(&o);
  remove_files("run_small");
  o = run(standing, "record={rate: 0, view_rate: 0}", "run_small", 0);
  assert_false(pki_is_file("run_small/run.mcap"));
  end(&o);
  remove_files("run_small");
}

/* Asks for the end once a run has come this far. */
typedef struct stopper {
  atomic_int stop;
  double at;
} stopper;

static void ask_to_stop(void *user, double fraction, const char *what)
{
  stopper *s = user;
  (void)what;
  s->stop = fraction >= s->at;
}

static outcome run_with(const pki_run_options *options)
{
  outcome o = {.scenario = good_scenario(standing, NULL)};
  o.world = good_world(o.scenario);
  pk_error err = {.message = ""};
  if (pki_run(&o.world, options, &o.result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  return o;
}

/* All samples of two recordings are equal to the bit. */
static void expect_equal_recordings(const char *one, const char *other)
{
  pk_recording *a = open_recording(one), *b = open_recording(other);
  pk_error err;
  int count;
  const pk_recorder_channel *channels = pk_recording_channels(a, &count);
  assert_greater(count, 5);
  for (int i = 0; i < count; i++) {
    pk_recording_series x, y;
    assert_int_equal(pk_recording_read(a, i, -INFINITY, INFINITY, &x, &err), PK_OK);
    const int same = pk_recording_find(b, channels[i].name);
    assert_int_equal(pk_recording_read(b, same, -INFINITY, INFINITY, &y, &err), PK_OK);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.time, y.time, (size_t)x.n * sizeof(double));
    assert_memory_equal(x.values, y.values, (size_t)x.row[x.n] * (size_t)x.columns * sizeof(double));
    pk_recording_series_free(&x);
    pk_recording_series_free(&y);
  }
  pk_recording_close(a);
  pk_recording_close(b);
}

/* Stopped or short, gone on, and never stopped: the same bits in the world, the sums and the recording. */
static void a_run_that_ended_early_goes_on_to_the_same_bits(void **state)
{
  (void)state;
  const pki_run_options all = {
      .duration = 3, .folder = "run_whole", .checkpoint_every = 0.2, .no_report = true};
  outcome whole = run_with(&all);
  for (int stops = 0; stops < 2; stops++) {
    stopper s = {.at = 0};
    pki_run_options o = all;
    o.folder = "run_parts";
    o.duration = stops ? 3 : 1;
    o.stop = &s.stop;
    o.progress = stops ? ask_to_stop : NULL;
    o.user = &s;
    outcome first = run_with(&o);
    assert_true(first.result.interrupted == (stops == 1));
    assert_at_most(first.result.steps, 1000);
    assert_true(!stops || strstr(first.result.stopped, "interrupted at ") != NULL);
    pk_recording *r = open_recording("run_parts/run.mcap");
    assert_true(pk_recording_is_complete(r)); /* a clean end with what there was */
    pk_recording_close(r);
    o = all;
    o.folder = "run_parts";
    o.resume = true;
    outcome second = run_with(&o);
    assert_int_equal(second.result.steps, 3000);
    assert_memory_equal(pk_sim_q(whole.world.sim), pk_sim_q(second.world.sim),
                        (size_t)whole.world.model->nq * sizeof(double));
    assert_true(whole.result.energy_in == second.result.energy_in && whole.result.path == second.result.path);
    assert_memory_equal(whole.result.peak, second.result.peak, (size_t)whole.result.ndof * sizeof(double));
    expect_equal_recordings("run_whole/run.mcap", "run_parts/run.mcap");
    end(&first);
    end(&second);
    remove_files("run_parts");
  }
  end(&whole);
  remove_files("run_whole");
}

/* Samples that are rarer than pictures, or none at all of a kind. */
static void rates_may_be_small_or_zero(void **state)
{
  (void)state;
  outcome o = run(standing, "record={rate: 2, view_rate: 200}", "run_rare", 0);
  pk_recording *r = open_recording("run_rare/run.mcap");
  assert_int_equal(samples(r, "contacts"), 2);
  assert_int_equal(samples(r, "bodies"), 101);
  pk_recording_close(r);
  end(&o);
  o = run(standing, "record.view_rate=0", "run_rare", 0);
  r = open_recording("run_rare/run.mcap");
  assert_int_equal(pk_recording_find(r, "bodies"), -1);
  assert_int_equal(samples(r, "feet"), 501);
  pk_recording_close(r);
  end(&o);
  o = run(standing, "record.rate=0", "run_rare", 0);
  r = open_recording("run_rare/run.mcap");
  assert_int_equal(pk_recording_find(r, "feet"), -1);
  assert_int_equal(samples(r, "com"), 17);
  pk_recording_close(r);
  end(&o);
  remove_files("run_rare");
}

/* The last sample is off the grid, and the checkpoint is of that very step. */
static void a_run_resumed_at_its_end_has_the_same_last_sample(void **state)
{
  (void)state;
  pki_run_options o = {.duration = 0.5, .folder = "run_once", .checkpoint_every = 0.5, .no_report = true};
  const char *set = "record={rate: 300, view_rate: 7}";
  for (int again = 0; again < 2; again++) {
    outcome out = {.scenario = good_scenario(standing, set)};
    out.world = good_world(out.scenario);
    pk_error err = {.message = ""};
    o.folder = "run_once";
    o.resume = false;
    assert_int_equal(pki_run(&out.world, &o, &out.result, &err), PK_OK);
    end(&out);
    if (again == 0) {
      assert_int_equal(rename("run_once", "run_whole"), 0);
    }
  }
  outcome out = {.scenario = good_scenario(standing, set)};
  out.world = good_world(out.scenario);
  pk_error err = {.message = ""};
  o.resume = true;
  assert_int_equal(pki_run(&out.world, &o, &out.result, &err), PK_OK);
  end(&out);
  expect_equal_recordings("run_whole/run.mcap", "run_once/run.mcap");

  /* one that is asked for less is refused before anything is cut */
  out = (outcome){.scenario = good_scenario(standing, set)};
  out.world = good_world(out.scenario);
  o.duration = 0.1;
  assert_int_equal(pki_run(&out.world, &o, &out.result, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message,
                      "the run is at 0.5 s already, which is more than the 0.1 s that are asked for");
  end(&out);
  expect_equal_recordings("run_whole/run.mcap", "run_once/run.mcap");
  remove_files("run_whole");
  remove_files("run_once");
}

/* The example of docs/formats/scenario.md, as a reader would copy it. */
static void the_documented_example_runs(void **state)
{
  (void)state;
  size_t size;
  char *page = pki_file_read(PK_SOURCE_DIR "/docs/formats/scenario.md", 1 << 20, &size);
  assert_non_null(page);
  char *start = strstr(page, "```yaml\n");
  assert_non_null(start);
  start += strlen("```yaml\n");
  char *stop = strstr(start, "```");
  assert_non_null(stop);
  *stop = '\0';
  outcome o = run(start, NULL, NULL, 0);
  assert_int_equal(o.result.steps, 1200);
  assert_int_equal(o.result.uncertified, 0);
  assert_false(o.result.fell);
  end(&o);
  free(page);
}

static void the_same_run_gives_the_same_bits(void **state)
{
  (void)state;
  outcome a = run(standing, NULL, NULL, 0), b = run(standing, NULL, NULL, 0);
  const size_t size = (size_t)a.world.model->nq * sizeof(double);
  assert_memory_equal(pk_sim_q(a.world.sim), pk_sim_q(b.world.sim), size);
  assert_true(a.result.energy_in == b.result.energy_in && a.result.worst_residual == b.result.worst_residual);
  end(&a);
  end(&b);
}

/* No step that was made is above the bound; the run is not certified for that. */
static void a_run_that_ends_in_numbers_that_are_none_is_not_certified(void **state)
{
  (void)state;
  outcome o = {.scenario = good_scenario(standing, NULL)};
  o.world = good_world(o.scenario);
  const pki_run_options options = {.duration = -1};
  pk_error err = {.message = ""};
  pk_sim_u(o.world.sim)[3] = 1e200; /* its square is beyond all numbers */
  assert_int_equal(pki_run(&o.world, &options, &o.result, &err), PK_OK);
  assert_int_equal(o.result.status, PK_ERROR_NONFINITE);
  assert_int_equal(o.result.uncertified, 0);
  assert_false(pki_run_certified(&o.result));
  pki_table table;
  pki_run_table(&o.result, &table);
  bool told = false;
  for (int i = 0; i < table.nrow; i++) {
    told |= strstr(table.cells[2 * i + 1], "the step that failed has no certificate") != NULL;
  }
  assert_true(told);
  pki_table_free(&table);
  end(&o);
}

static void numbers_that_are_none_are_not_forgotten(void **state)
{
  (void)state;
  outcome o = run(standing, NULL, NULL, 0);
  assert_true(pki_run_certified(&o.result));
  pki_run_result r = o.result;
  r.penetration = NAN;
  assert_false(pki_run_certified(&r));
  r = o.result, r.worst_residual = INFINITY;
  assert_false(pki_run_certified(&r));
  end(&o);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_of_the_motors_is_the_change_of_energy),
      cmocka_unit_test(steps_and_time_do_not_depend_on_rounding),
      cmocka_unit_test(standing_is_told_as_standing),
      cmocka_unit_test(a_bound_that_is_too_small_is_exceeded),
      cmocka_unit_test(a_run_that_ends_in_numbers_that_are_none_is_not_certified),
      cmocka_unit_test(numbers_that_are_none_are_not_forgotten),
      cmocka_unit_test(a_low_trunk_on_the_ground_or_sixty_degrees_is_a_fall),
      cmocka_unit_test(who_lands_on_its_feet_has_not_fallen),
      cmocka_unit_test(distance_is_straight_and_the_path_is_not),
      cmocka_unit_test(a_step_that_fails_ends_the_run_with_its_reason),
      cmocka_unit_test(the_recording_and_the_report_are_written),
      cmocka_unit_test(a_recording_can_be_small_or_none),
      cmocka_unit_test(a_run_that_ended_early_goes_on_to_the_same_bits),
      cmocka_unit_test(rates_may_be_small_or_zero),
      cmocka_unit_test(a_run_resumed_at_its_end_has_the_same_last_sample),
      cmocka_unit_test(the_documented_example_runs),
      cmocka_unit_test(the_same_run_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
