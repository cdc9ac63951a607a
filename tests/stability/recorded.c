/* Stability of runs: what is measured on the way is what the recording tells afterwards; the section of scenarios; metrics. */
#define _POSIX_C_SOURCE 200809L
#include "run/stability_replay.h"

#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "run/report_data.h"
#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"
#include "sweep/metrics.h"

static char folder[] = "pronk-stability-XXXXXX";

/* The trot of the gallery with more keys, two seconds of it. */
static char *trot_text(const char *more)
{
  size_t size;
  char *text = pki_file_read(PK_SOURCE_DIR "/scenarios/starleth-trot.yaml", 1 << 20, &size);
  assert_non_null(text);
  char *all = malloc(size + strlen(more) + 2);
  assert_non_null(all);
  snprintf(all, size + strlen(more) + 2, "%s\n%s", text, more);
  free(text);
  return all;
}

/* Run it into the folder; the result for pki_run_result_free(). */
static pki_run_result run_trot(const char *more, const char *set, double duration)
{
  char *text = trot_text(more);
  pki_scenario *scenario = good_scenario(text, set);
  pki_world world = good_world(scenario);
  const pki_run_options options = {.duration = duration, .folder = folder};
  pki_run_result result;
  pk_error err = {.message = ""};
  if (pki_run(&world, &options, &result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  free(text);
  return result;
}

static pk_recording *open_recording(void)
{
  char path[256];
  pk_recording *recording;
  pk_error err = {.message = ""};
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  if (pk_recording_open(path, &recording, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return recording;
}

static pki_stability_track track_of(const pk_recording *recording, pki_stability_replay *replay)
{
  pki_stability_track track = {0};
  pk_error err = {.message = ""};
  if (pki_stability_replay_open(recording, NULL, replay, &err) != PK_OK ||
      pki_stability_track_compute(replay, -INFINITY, INFINITY, &track, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return track;
}

/* Every number of every channel of stability is what the states and contacts of the recording give. */
static void check_recording(const pki_run_result *r, double tolerance)
{
  pk_recording *recording = open_recording();
  pki_stability_replay replay;
  pki_stability_track t = track_of(recording, &replay);
  for (int m = 0; m < PK_STABILITY_MEASURE_COUNT; m++) {
    char name[96];
    pki_curves c;
    snprintf(name, sizeof name, "stability/%s", pki_stability_rows[m]->name);
    assert_int_equal(pki_curves_read(recording, name, &c, NULL), PK_OK);
    assert_int_equal(c.n, t.n);
    for (int k = 0; k < c.columns; k++) {
      for (int i = 0; i < c.n; i++) {
        const double online = pki_curve(&c, k)[i],
                     offline = pki_stability_curve(&t, (pk_stability_measure)m, k)[i];
        if (isnan(online) != isnan(offline) || fabs(online - offline) > tolerance * (1 + fabs(online))) {
          fail_msg("%s.%s at %g s: %.17g in the run, %.17g from its recording", name, c.channel->column[k],
                   c.time[i], online, offline);
        }
      }
    }
    pki_curves_free(&c);
    assert_near(pk_stability_least(&t.sum, (pk_stability_measure)m),
                pki_run_least_margin(r, (pk_stability_measure)m), tolerance * 100);
  }
  assert_near(t.sum.js1, pki_run_js1(r), 1e-9);
  pki_stability_track_free(&t);
  pki_stability_replay_free(&replay);
  pk_recording_close(recording);
}

static void a_recording_tells_what_the_run_measured(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {}\n", NULL, 2);
  assert_true(r.has_stability);
  assert_near(r.stability.time, 2, 1e-9);
  check_recording(&r, 1e-7);
  pki_run_result_free(&r);
}

/* With other masses than the model's the world is measured as it was. */
static void a_recording_of_a_varied_world_is_measured_with_its_masses(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {tip_speed: 1.5}\n"
                              "vary: [{what: payload, link: base, point: [0.1, 0.05, 0], from: 2, to: 4}]\n",
                              "world=3", 0.5);
  check_recording(&r, 1e-7);
  pki_run_result_free(&r);
}

/* Joint coordinates are recorded, whatever coordinates the world is computed in. */
static void a_recording_of_a_world_in_maximal_coordinates_is_measured_in_joint_coordinates(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {}\ncoordinates: maximal\n", NULL, 0.1);
  check_recording(&r, 1e-4); /* bodies of cut joints are where constraints hold them, to about 1e-6 m */
  pki_run_result_free(&r);
}

static void a_run_that_does_not_ask_measures_nothing(void **state)
{
  (void)state;
  pki_run_result r = run_trot("", NULL, 0.2);
  pk_recording *recording = open_recording();
  assert_false(r.has_stability);
  assert_true(isnan(pki_run_js2(&r)));
  assert_int_equal(pk_recording_find(recording, "stability/s_h"), -1);
  assert_int_equal(pk_recording_find(recording, "stability/edges"), -1);
  /* its recording can be measured afterwards */
  pki_stability_replay replay;
  pki_stability_track t = track_of(recording, &replay);
  assert_greater(pk_stability_mean(&t.sum, PK_STABILITY_STATIC_MARGIN), 0.01);
  pki_stability_track_free(&t);
  pki_stability_replay_free(&replay);
  pk_recording_close(recording);
  pki_run_result_free(&r);
}

static void only_the_measures_that_are_named_have_channels(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {measures: [s_h, zmp]}\n", NULL, 0.2);
  pk_recording *recording = open_recording();
  assert_at_least(pk_recording_find(recording, "stability/s_h"), 0);
  assert_at_least(pk_recording_find(recording, "stability/zmp"), 0);
  assert_at_least(pk_recording_find(recording, "stability/edges"), 0);
  assert_int_equal(pk_recording_find(recording, "stability/wrench_margin"), -1);
  assert_true(isnan(pki_run_least_margin(&r, PK_STABILITY_WRENCH_MARGIN)));
  assert_false(isnan(pki_run_least_margin(&r, PK_STABILITY_S_H)));
  pk_recording_close(recording);
  pki_run_result_free(&r);
}

static void the_report_of_a_run_shows_what_it_measured(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {}\n", NULL, 0.5);
  char path[256];
  size_t size;
  snprintf(path, sizeof path, "%s/report.html", folder);
  char *page = pki_file_read(path, 1 << 26, &size);
  assert_non_null(page);
  assert_non_null(strstr(page, "<h2 id=\"stability\">"));
  assert_non_null(strstr(page, "stability-s-h"));
  assert_non_null(strstr(page, "stability-plan"));
  free(page);
  pki_run_result_free(&r);
}

static void metrics_are_the_sums_of_the_run(void **state)
{
  (void)state;
  pki_run_result r = run_trot("stability: {}\n", NULL, 0.5);
  const struct {
    const char *name;
    double value;
  } expected[] = {{"s_h_min", pki_run_least_margin(&r, PK_STABILITY_S_H)},
                  {"s_h_mean", pki_run_mean_margin(&r, PK_STABILITY_S_H)},
                  {"static_margin_min", r.stability.least[PK_STABILITY_STATIC_MARGIN]},
                  {"wrench_margin_mean", pki_run_mean_margin(&r, PK_STABILITY_WRENCH_MARGIN)},
                  {"js1", r.stability.js1},
                  {"js1_mean", r.stability.js1 / r.stability.supported},
                  {"js2", -r.stability.least[PK_STABILITY_S_H]}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    const int k = pki_metric_find(expected[i].name);
    assert_at_least(k, 0);
    assert_near(pki_metrics[k].of(&r), expected[i].value, 0);
  }
  for (int m = 0; m < PK_STABILITY_MEASURE_COUNT; m++) { /* the list's unit is that of the margin */
    char name[96];
    snprintf(name, sizeof name, "%s_min", pki_stability_rows[m]->name);
    assert_string_equal(pki_metrics[pki_metric_find(name)].unit, pki_stability_rows[m]->columns[0].unit);
  }
  pki_run_result_free(&r);
}

/* A run that was stopped goes on with its sums. */
static void sums_survive_a_checkpoint(void **state)
{
  (void)state;
  char *text = trot_text("stability: {}\n");
  pki_scenario *scenario = good_scenario(text, NULL);
  pki_run_result whole = run_trot("stability: {}\n", NULL, 0.6), parts;
  atomic_int stop = 0;
  for (int part = 0; part < 2; part++) {
    pki_world world = good_world(scenario);
    const pki_run_options options = {.duration = part == 0 ? 0.3 : 0.6,
                                     .folder = folder,
                                     .checkpoint_every = 0.1,
                                     .stop = &stop,
                                     .resume = part == 1};
    pk_error err = {.message = ""};
    if (pki_run(&world, &options, &parts, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    if (part == 0) {
      pki_run_result_free(&parts);
    }
    pki_world_free(&world);
  }
  assert_memory_equal(&whole.stability, &parts.stability, sizeof whole.stability);
  pki_run_result_free(&whole);
  pki_run_result_free(&parts);
  pki_scenario_destroy(scenario);
  free(text);
}

/* ---- what is refused ---- */

static void expect_wrong(const char *more, const char *message)
{
  char *text = trot_text(more);
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(read_scenario(text, NULL, &s, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, message);
  free(text);
}

static void wrong_keys_of_the_section_are_named(void **state)
{
  (void)state;
  expect_wrong(
      "stability: {tip_speed: -1}\n",
      "tip_speed is -1, expected 0 to 1000 m/s (largest velocity of the tip of a swing leg, in H_max)");
  expect_wrong("stability: {measures: [s_g]}\n",
               "there is no measure \"s_g\"; did you mean \"s_h\"? (one of: static_margin, zmp, fri, s_h, "
               "dcm, energy_margin, force_angle, wrench_margin)");
  expect_wrong("stability: {tip_directon: horizontal}\n",
               "there is no key \"tip_directon\"; did you mean \"tip_direction\"? (one of: measures, "
               "tip_speed, tip_direction, least_force, friction_sides)");
}

static void a_recording_without_contacts_is_refused(void **state)
{
  (void)state;
  pki_run_result r = run_trot("", "record.channels=[state/q, state/u]", 0.1);
  pk_recording *recording = open_recording();
  pki_stability_replay replay;
  pk_error err = {.message = ""};
  assert_int_equal(pki_stability_replay_open(recording, NULL, &replay, &err), PK_ERROR_FILE);
  assert_string_equal(err.message,
                      "the recording has no channel contacts; stability needs state/q, state/u and "
                      "contacts (record.channels of the scenario)");
  pki_stability_replay_free(&replay);
  assert_int_equal(pki_stability_replay_open(recording, "starlet", &replay, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the recording has no robot \"starlet\"; did you mean \"starleth\"?");
  pki_stability_replay_free(&replay);
  pk_recording_close(recording);
  pki_run_result_free(&r);
}

/* The states of a recording at their first time, with one contact between two links. */
static void write_contact(const pk_recording *from, const char *path, double link, double other)
{
  static const char *const names[] = {"state/q", "state/u", "contacts"};
  pk_recorder_channel channels[3];
  pk_recorder *to;
  int count;
  for (int i = 0; i < 3; i++) {
    channels[i] = pk_recording_channels(from, &count)[pk_recording_find(from, names[i])];
  }
  assert_int_equal(pk_recording_create(path, NULL, &to, NULL), PK_OK);
  assert_int_equal(to->begin(to, pk_recording_get_about(from), channels, 3, NULL), PK_OK);
  for (int i = 0; i < 2; i++) {
    pk_recording_series s;
    assert_int_equal(pk_recording_read(from, pk_recording_find(from, names[i]), 0, 0, &s, NULL), PK_OK);
    assert_int_equal(to->write(to, i, 0, s.values, 1), PK_OK);
    pk_recording_series_free(&s);
  }
  const double contact[13] = {link, 0, 0, 0, 0, 0, 1, 0, 0, 100, 0, 0.8, other};
  assert_int_equal(to->write(to, 2, 0, contact, 1), PK_OK);
  assert_int_equal(to->end(to, NULL), PK_OK);
  to->destroy(to);
}

static void a_recording_whose_contacts_are_of_no_link_is_refused(void **state)
{
  (void)state;
  const struct {
    double link, other;
    bool right;
  } cases[] = {{5, -1, true},   {-1, 5, true},  {-2, 5, false},   {1e6, -1, false},
               {5, 1e6, false}, {5, -3, false}, {NAN, -1, false}, {5, INFINITY, false}};
  pki_run_result r = run_trot("", NULL, 0.1);
  pk_recording *whole = open_recording();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char path[256];
    pk_recording *recording;
    pki_stability_replay replay;
    pk_error err = {.message = ""};
    snprintf(path, sizeof path, "%s/contact.mcap", folder);
    write_contact(whole, path, cases[i].link, cases[i].other);
    assert_int_equal(pk_recording_open(path, &recording, NULL), PK_OK);
    const pk_status status = pki_stability_replay_open(recording, NULL, &replay, &err);
    assert_int_equal(status, cases[i].right ? PK_OK : PK_ERROR_FILE);
    if (cases[i].right) {
      pk_stability s;
      assert_int_equal(pki_stability_replay_at(&replay, 0, &s, NULL), PK_OK);
      assert_int_equal(s.feet, 1);
    } else {
      assert_non_null(strstr(err.message, "a contact at 0 s is of link "));
    }
    pki_stability_replay_free(&replay);
    pk_recording_close(recording);
  }
  pk_recording_close(whole);
  pki_run_result_free(&r);
}

static int make_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  return pki_folder_remove(folder) ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_tells_what_the_run_measured),
      cmocka_unit_test(a_recording_of_a_varied_world_is_measured_with_its_masses),
      cmocka_unit_test(a_recording_of_a_world_in_maximal_coordinates_is_measured_in_joint_coordinates),
      cmocka_unit_test(a_run_that_does_not_ask_measures_nothing),
      cmocka_unit_test(only_the_measures_that_are_named_have_channels),
      cmocka_unit_test(the_report_of_a_run_shows_what_it_measured),
      cmocka_unit_test(metrics_are_the_sums_of_the_run),
      cmocka_unit_test(sums_survive_a_checkpoint),
      cmocka_unit_test(wrong_keys_of_the_section_are_named),
      cmocka_unit_test(a_recording_without_contacts_is_refused),
      cmocka_unit_test(a_recording_whose_contacts_are_of_no_link_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
