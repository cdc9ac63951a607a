/* Reports of all kinds of worlds: what they show, what they leave out, and that no text in them does harm. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_report.h"

#include <math.h>

#include "run/page.h"
#include "run/report_data.h"
#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"

static char folder[] = "pronk-report-XXXXXX";

/* Run a scenario and read its report, for free(). */
static char *report_of(const char *text, const char *set)
{
  pki_scenario *scenario = good_scenario(text, set);
  pki_world world = good_world(scenario);
  const pki_run_options options = {.duration = -1, .folder = folder};
  pki_run_result result;
  pk_error err = {.message = ""};
  if (pki_run(&world, &options, &result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  pki_run_result_free(&result);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return read_page(folder, "report.html");
}

static void assert_sections(const char *page, const char *const *there, const char *const *missing)
{
  char id[64];
  for (; *there != NULL; there++) {
    snprintf(id, sizeof id, "<h2 id=\"%s\">", *there);
    if (!has(page, id)) {
      fail_msg("the section %s is missing", *there);
    }
    snprintf(id, sizeof id, "<a href=\"#%s\">", *there);
    assert_true(has(page, id)); /* and the contents list it */
  }
  for (; *missing != NULL; missing++) {
    snprintf(id, sizeof id, "<h2 id=\"%s\">", *missing);
    if (has(page, id)) {
      fail_msg("there is a section %s", *missing);
    }
  }
}

#define LIST(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static const char standing[] =
    "name: stand\nmodel:\n  model: starleth\n  position: [0, 0, 0.435]\n"
    "  joints: {LF_HFE: 0.7343, LF_KFE: -1.3411, RF_HFE: 0.7343, RF_KFE: -1.3411,\n"
    "    LH_HFE: -0.7343, LH_KFE: 1.3411, RH_HFE: -0.7343, RH_KFE: 1.3411}\n"
    "terrain:\n  - shape: plane\ncontroller: {name: hold, kp: 400, kd: 10}\n"
    "push: [{link: base, at: 0.1, for: 0.1, force: [50, 0, 0]}]\nduration: 0.3\n";

/* One that takes time only to draw, so that the tests need no built viewer. */
static void use_viewer(bool there)
{
  char path[256];
  snprintf(path, sizeof path, "%s/viewer", folder);
  pk_error err;
  assert_int_equal(pki_folder_create(path, &err), PK_OK);
  setenv("PRONK_VIEWER", path, 1);
  snprintf(path, sizeof path, "%s/viewer/replay.js", folder);
  remove(path);
  if (there) {
    static const char script[] =
        "var PronkReplay={mount:function(){}};var a='</script><!--</SCRIPT>';if(1<2&&a<'b'){}\n";
    pki_text text = {0};
    pki_text_add(&text, script);
    assert_int_equal(pki_text_save(&text, path, &err), PK_OK);
    pki_text_free(&text);
  }
}

static void a_robot_on_the_ground_has_every_section(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of(standing, NULL);
  check_page(page, 5); /* scene, data, viewer, its start, cursor */
  assert_sections(
      page, LIST("replay", "trunk", "feet", "joints", "energy", "solver", "phase", "scenario", "versions"),
      LIST());
  /* the viewer's script ends where it ends, and its code is as it was */
  assert_true(has(page, "a='\\x3c/script>\\x3c!--\\x3c/SCRIPT>';if(1<2&&a<'b'){}"));
  /* feet, joints and limits by name; units; peaks; the scenario's text */
  assert_true(has(page, ">LF_FOOT (N)<") && has(page, "Gait diagram") && has(page, ">RH_KFE (N m)<"));
  assert_true(has(page, ">LF_HFE (°)<") && has(page, "Trunk pitch") && has(page, "Energy balance"));
  assert_true(has(page, "work of pushes") && has(page, "<td>LF_KFE</td>"));
  assert_true(has(page, "controller: {name: hold, kp: 400, kd: 10}") && has(page, "model_hash"));
  assert_true(has(page, "stroke-dasharray")); /* limits */
  assert_true(has(page, "class=\"cursor\"") && has(page, "pronktime"));
  assert_true(has(page, "prefers-color-scheme:dark") && has(page, "@media print"));
  free(page);
}

static void the_replay_is_thinned_and_complete(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of(standing, "record.view_rate=200");
  cJSON *scene = page_json(page, "replay-scene"), *data = page_json(page, "replay-data");
  assert_string_equal(cJSON_GetObjectItem(scene, "format")->valuestring, "pronk-scene-1");
  const cJSON *time = cJSON_GetObjectItem(data, "time");
  const int n = cJSON_GetArraySize(time), nbody = cJSON_GetArraySize(cJSON_GetObjectItem(scene, "bodies"));
  assert_at_least(n, 9);
  assert_at_most(n, 11); /* 30 Hz over 0.3 s, from 200 Hz */
  assert_true(cJSON_GetArrayItem(time, 0)->valuedouble == 0);
  assert_less(fabs(cJSON_GetArrayItem(time, n - 1)->valuedouble - 0.3), 1e-6);
  const size_t bytes = 4 * (size_t)(7 * nbody * n);
  assert_int_equal(strlen(cJSON_GetObjectItem(data, "pose")->valuestring), (bytes + 2) / 3 * 4);
  assert_int_equal(strlen(cJSON_GetObjectItem(data, "com")->valuestring), (12 * (size_t)n + 2) / 3 * 4);
  const cJSON *contacts = cJSON_GetObjectItem(data, "contacts"),
              *offset = cJSON_GetObjectItem(contacts, "offset");
  assert_int_equal(cJSON_GetArraySize(offset), n + 1);
  const size_t rows = (size_t)cJSON_GetArrayItem(offset, n)->valuedouble;
  assert_at_least(rows, 4);
  assert_int_equal(strlen(cJSON_GetObjectItem(contacts, "values")->valuestring), (40 * rows + 2) / 3 * 4);
  cJSON_Delete(scene);
  cJSON_Delete(data);
  free(page);
}

static void without_the_viewer_a_line_says_how_to_get_it(void **state)
{
  (void)state;
  use_viewer(false);
  char *page = report_of(standing, NULL);
  if (!has(page, "replay-data")) { /* one that is built in this tree is found all the same */
    check_page(page, 1);
    assert_true(has(page, "No 3D replay") && has(page, "PRONK_VIEWER"));
  }
  free(page);
}

static void without_poses_a_line_says_why_there_is_no_replay(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of(standing, "record.channels=[feet]");
  assert_sections(page, LIST("replay", "feet"), LIST("joints"));
  assert_true(has(page, "No 3D replay: the recording has no channel <code>bodies</code>"));
  assert_false(has(page, "PronkReplay"));
  free(page);
}

/* No step was made at the start of a run, so that there is no force yet. */
static void forces_begin_with_the_first_step(void **state)
{
  (void)state;
  double time[] = {0, 0.1, 0.2}, values[] = {0, 1, 2, 0, 0, 3};
  pki_curves c = {.n = 3, .columns = 2, .time = time, .values = values};
  assert_int_equal(pki_curves_first(&c), 1);
  values[3] = 5; /* a force */
  assert_int_equal(pki_curves_first(&c), 0);
  values[3] = 0;
  time[0] = 0.05; /* a part of a run */
  assert_int_equal(pki_curves_first(&c), 0);
}

static void a_pendulum_shows_only_what_moves(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of("name: swing\nmodel: {model: pendulum, joints: {hinge: 1}}\nduration: 0.5\n", NULL);
  check_page(page, 5);
  assert_sections(page, LIST("replay", "joints", "energy", "phase", "scenario"),
                  LIST("trunk", "feet", "solver"));
  assert_true(has(page, "Energy balance") && !has(page, "Power of the joints") && !has(page, ">Torques<"));
  free(page);
}

static void a_trunk_that_is_seen_by_sensors_is_compared_with_the_true_one(void **state)
{
  (void)state;
  char text[2000];
  use_viewer(true);
  snprintf(text, sizeof text,
           "%ssensors:\n  - {kind: imu, links: base, part: bmi088}\n  - {kind: encoder, joints: '*'}\n"
           "  - {kind: switch, links: '*_FOOT'}\nestimator: {}\n",
           standing);
  char *page = report_of(text, "controller.sees=sensors");
  check_page(page, 5);
  assert_sections(page, LIST("trunk", "estimate"), LIST("actuators"));
  assert_true(has(page, ">Velocity (m/s)<") && has(page, ">Tilt (°)<") && has(page, ">Place (m)<"));
  free(page);
  page = report_of(text, NULL);
  assert_sections(page, LIST("trunk"), LIST("estimate"));
  free(page);
}

static void several_robots_share_their_figures(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of("name: two\nmodels:\n  - {model: starleth, prefix: a_, position: [0, 0, 1]}\n"
                         "  - {model: starleth, prefix: b_, position: [0, 2, 1]}\nduration: 0.05\n",
                         NULL);
  check_page(page, 5);
  assert_sections(page, LIST("trunk", "joints"), LIST());
  assert_true(has(page, ">a_LF_HAA (°)<") && has(page, ">b_LF_HAA (°)<"));
  assert_true(has(page, "class=\"legend\"")); /* which line is whose */
  free(page);
}

static void a_run_without_steps_has_a_report(void **state)
{
  (void)state;
  use_viewer(true);
  char *page = report_of(standing, "duration=0");
  check_page(page, has(page, "class=\"cursor\"") ? 5 : 4);
  assert_false(has(page, "nan") && has(page, "<td>nan"));
  free(page);
}

/* A recording that says what it should not, and carries a scene that is none. */
static void text_of_a_recording_does_no_harm(void **state)
{
  (void)state;
  static const char evil[] = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \"'&";
  static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char *const units[] = {"m", "m", "m", "", "", "", ""};
  static const char *const trunk[] = {"x", "</text><script>"};
  const pk_recorder_channel channels[] = {
      {"bodies", evil, 7, pose, units, false},
      {"trunk/a", evil, 2, trunk, units, false},
  };
  char scene[256], path[256], page_path[256];
  snprintf(scene, sizeof scene, "{\"joints\":[{\"name\":\"%s\"}],\"bodies\":[{}]}", "<\\/script><!--");
  const pk_recorder_note notes[] = {{"scenario", evil}, {"description", evil}, {"version", evil}};
  const pk_recorder_attachment attachments[] = {{"scene.json", "application/json", scene, strlen(scene)},
                                                {"scenario.yaml", "application/yaml", evil, strlen(evil)},
                                                {"overrides.txt", "text/plain", evil, strlen(evil)}};
  const pk_recording_about about = {notes, 3, attachments, 3};
  pk_recorder *file = NULL;
  pk_recording *recording = NULL;
  pk_error err = {.message = ""};
  use_viewer(true);
  snprintf(path, sizeof path, "%s/evil.mcap", folder);
  assert_int_equal(pk_recording_create(path, NULL, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &about, channels, 2, &err), PK_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(file->write(file, 0, i, (double[7]){i, NAN, INFINITY, 1}, 1), PK_OK);
    assert_int_equal(file->write(file, 1, i, (double[2]){i, 1}, 1), PK_OK);
  }
  assert_int_equal(file->end(file, &err), PK_OK);
  file->destroy(file);
  assert_int_equal(pk_recording_open(path, &recording, &err), PK_OK);
  snprintf(page_path, sizeof page_path, "%s/evil.html", folder);
  if (pki_report_run(recording, NULL, page_path, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_recording_close(recording);
  char *page = read_page(folder, "evil.html");
  check_page(page, 5);
  assert_false(has(page, "<script>alert") || has(page, "<img"));
  assert_true(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  assert_sections(page, LIST("replay", "trunk", "scenario", "versions"), LIST("feet", "energy"));
  free(page);
}

static int set_up(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return mkdtemp(folder) == NULL;
}

static int tear_down(void **state)
{
  (void)state;
  remove_folder(folder);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_on_the_ground_has_every_section),
      cmocka_unit_test(the_replay_is_thinned_and_complete),
      cmocka_unit_test(without_the_viewer_a_line_says_how_to_get_it),
      cmocka_unit_test(without_poses_a_line_says_why_there_is_no_replay),
      cmocka_unit_test(forces_begin_with_the_first_step),
      cmocka_unit_test(a_pendulum_shows_only_what_moves),
      cmocka_unit_test(a_trunk_that_is_seen_by_sensors_is_compared_with_the_true_one),
      cmocka_unit_test(several_robots_share_their_figures),
      cmocka_unit_test(a_run_without_steps_has_a_report),
      cmocka_unit_test(text_of_a_recording_does_no_harm),
  };
  const int failed = cmocka_run_group_tests(tests, set_up, tear_down);
  xmlCleanupParser();
  return failed;
}
