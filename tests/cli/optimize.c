/* pronk optimize as a user meets it: what it prints and writes, wrong words, interrupted, killed, resumed. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "support/bounds.h"

static char folder[64];

/* A hinge that turns by a radian in a second, from rest to rest, without gravity. */
static const char turn[] = "description: a hinge turns\n"
                           "model: pendulum\ngravity: [0, 0, 0]\nclosure: once\nscheme: linear\n"
                           "phases: [{stance: [], duration: 1, intervals: 8, name: turn}]\n"
                           "start: {rest: true, joints: {hinge: 0}}\nend: {rest: true, joints: {hinge: 1}}\n";

static int enter_folder(void **state)
{
  (void)state;
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_GAITS", PK_SOURCE_DIR "/gaits", 1);
  snprintf(folder, sizeof folder, "/tmp/pronk-optimize-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
    return -1;
  }
  write_file("turn.yaml", turn);
  return 0;
}

static int leave_folder(void **state)
{
  (void)state;
  return chdir("/") == 0 && pki_folder_remove(folder) ? 0 : -1;
}

static double number_at(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

/* The least integral of squared torques is 12 I^2 angle^2 / T^3, on any grid; the pendulum has I = 5.5 + 1 kg m^2. */
static void a_turn_from_rest_to_rest_has_the_known_cost(void **state)
{
  (void)state;
  static const char *const files[] = {"motion.csv",  "track.txt",    "scenario.yaml",
                                      "report.html", "summary.json", "solution.pronk"};
  cJSON *o = run_json("optimize turn.yaml -o turned --json", 0);
  assert_near(number_at(o, "objective"), 12 * 6.5 * 6.5, 1e-6);
  assert_near(number_at(o, "period"), 1, 1e-12);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "solved")));
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "resumed")));
  const cJSON *joint = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "joints"), 0);
  /* torque 6 I at the start, falling linearly to -6 I; speed 3/2 in the middle */
  assert_near(number_at(joint, "peak_torque"), 6 * 6.5, 1e-6);
  assert_near(number_at(joint, "peak_speed"), 1.5, 1e-6);
  cJSON_Delete(o);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[64];
    snprintf(path, sizeof path, "turned/%s", files[i]);
    assert_true(pki_is_file(path));
  }
}

/* The scenario beside the motion: the hinge ends where the motion ends. */
static void the_motion_runs_in_the_simulator(void **state)
{
  (void)state;
  cJSON *o = run_json("run turned/scenario.yaml --json -o run", 0);
  assert_near(number_at(o, "tracking_error"), 0, 1e-3);
  cJSON_Delete(o);
}

/* How the root meets the world, and how it is turned, as the gait file says. */
static void the_scenario_holds_the_root_as_the_gait_does(void **state)
{
  (void)state;
  write_file("held.yaml",
             "model: {model: starleth, root: fixed, position: [0, 0, 1], quaternion: [0.5, 0.5, 0.5, 0.5]}\n"
             "closure: once\nphases: [{stance: [], duration: 1, intervals: 4}]\n"
             "start: {rest: true, pose: true}\nend: {rest: true, pose: true}\n");
  run_result r = run("optimize held.yaml -o held");
  assert_int_equal(r.status, 0);
  run_free(&r);
  size_t size;
  char *text = pki_file_read("held/scenario.yaml", 1 << 20, &size);
  assert_non_null(text);
  assert_true(contains(
      text, "  root: fixed\n  position: [0, 0, 1]\n  quaternion: [0.5, 0.5, 0.5, 0.5]\n  joints:\n"));
  free(text);
}

static void a_solution_that_is_there_is_not_computed_again(void **state)
{
  (void)state;
  run_result r = run("optimize turn.yaml -o turned");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "note: turned/solution.pronk has the solution; --again computes it anew\n"));
  assert_true(contains(r.out, "turn: a hinge turns\n"));
  assert_true(contains(r.out, "Motion:   turned/motion.csv\n"));
  run_free(&r);
}

static void a_solution_of_another_problem_is_kept(void **state)
{
  (void)state;
  run_result r = run("optimize turn.yaml -o turned --set phases.0.duration=2");
  assert_int_equal(r.status, 2);
  assert_string_equal(r.err,
                      "pronk optimize: turned/solution.pronk: it is the solution of another problem; --again "
                      "throws it away, -o DIR keeps it\n");
  run_free(&r);
  cJSON *o = run_json("optimize turn.yaml -o turned --set phases.0.duration=2 --again --json", 0);
  assert_near(number_at(o, "objective"), 12 * 6.5 * 6.5 / 8, 1e-6);
  cJSON_Delete(o);
}

/* A torque that is too small for the turn: 6 I at the least. */
static void what_cannot_be_solved_names_the_worst_row(void **state)
{
  (void)state;
  run_result r = run("optimize turn.yaml -o weak --set 'limits=[{joints: hinge, torque: 20}]'");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.err, "pronk optimize: not solved: "));
  assert_true(contains(r.err, "pronk optimize: worst: "));
  assert_true(contains(r.err, ", phase 1 (turn), at "));
  run_free(&r);
}

static void wrong_files_are_told_line_by_line(void **state)
{
  (void)state;
  run_result r = run("optimize turn.yaml --set 'end.joints={hing: 1}' --set closur=once");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "end.joints.hing: there is no joint \"hing\"; did you mean \"hinge\"?"));
  assert_true(contains(r.err, "there is no key \"closur\"; did you mean \"closure\"?"));
  run_free(&r);
  r = run("optimize starleth-least-torqe");
  assert_int_equal(r.status, 2);
  assert_true(
      contains(r.err, "no such file or motion; did you mean 'starleth-least-torque'? known motions: "));
  run_free(&r);
  r = run("optimize");
  assert_int_equal(r.status, 2);
  assert_string_equal(r.err, "pronk optimize: name one gait file or one of `pronk list motions`\n");
  run_free(&r);
}

static void check_explains_a_gait(void **state)
{
  (void)state;
  run_result r = run("check turn.yaml starleth-least-torque");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "turn.yaml: ok\n  turn: a hinge turns\n"));
  assert_true(contains(r.out, "closure half, 1 phase, 16 intervals, hermite-simpson"));
  run_free(&r);
  r = run("check starleth-least-torque --set ground.friction=0.8 --set ground.friction_share=0.5 --set "
          "least_force=0.1 --set 'gaps=[{link: LF_SHANK, least: 0.05}]'");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "friction 0.8, of which the motion uses 0.4, slope 0 rad"));
  assert_true(contains(r.out, "  least force 0.1 of the weight on every foot that stands\n"));
  assert_true(contains(r.out, "LF_SHANK"));
  run_free(&r);
  cJSON *o = run_json("check turn.yaml --json", 0);
  assert_int_equal(number_at(o, "intervals"), 8);
  assert_string_equal(cJSON_GetObjectItem(o, "closure")->valuestring, "once");
  cJSON_Delete(o);
  r = run("check turn.yaml --set scheme=linar");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "turn.yaml: not ok, 1 error\n"));
  run_free(&r);
}

/* The cost is 12 I^2 angle^2 / T^3 in every cell; one whose torque is too weak is told. */
static void a_grid_solves_every_combination(void **state)
{
  (void)state;
  static const char line[] =
      "optimize turn.yaml --grid phases.0.duration=1,2 --grid end.joints.hinge=1:3:3 -o grid "
      "--jobs 2 --json";
  cJSON *o = run_json(line, 0);
  assert_int_equal(number_at(o, "solved"), 6);
  for (int i = 0; i < 6; i++) {
    const cJSON *cell = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "problems"), i);
    const double T = i < 3 ? 1 : 2, angle = 1 + i % 3;
    assert_near(number_at(cell, "objective"), 12 * 6.5 * 6.5 * angle * angle / (T * T * T), 1e-5);
    assert_near(number_at(cJSON_GetObjectItem(cell, "values"), "end.joints.hinge"), angle, 1e-12);
  }
  cJSON_Delete(o);
  assert_true(pki_is_file("grid/grid.csv") && pki_is_file("grid/report.html"));
  assert_true(pki_is_file("grid/2_3/motion.csv") && pki_is_file("grid/1_1/log.txt"));
  run_result r = run("optimize turn.yaml --set 'limits=[{joints: hinge, torque: 100}]' --grid "
                     "limits.0.torque=20,100 -o weak-grid");
  assert_int_equal(r.status, 1);
  assert_true(contains(r.out, "1 of 2 problems solved\n"));
  run_free(&r);
  r = run("optimize turn.yaml --grid nonsuch=1,2 -o no-grid");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "there is no key \"nonsuch\""));
  assert_false(pki_is_folder("no-grid"));
  run_free(&r);
  r = run("optimize turn.yaml --grid phases.0.duration");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--grid: 'phases.0.duration': expected KEY=A,B,..."));
  run_free(&r);
}

/* ---- ends before the end ---- */

#define LONG \
  "optimize", "starleth-least-torque", "--set", "gait.intervals=6", "--set", "grid.tolerance=1e-9", "--set", \
      "grid.rounds=3", "-o"
static const char long_line[] =
    "optimize starleth-least-torque --set gait.intervals=6 --set grid.tolerance=1e-9 "
    "--set grid.rounds=3 --json -o ";

/* Start it, and send a signal as soon as the first problem of the ladder was kept. */
static int end_early(const char *output, int signal)
{
  char path[128];
  int status = 0;
  snprintf(path, sizeof path, "%s/solution.pronk", output);
  const pid_t id = fork();
  assert_true(id >= 0);
  if (id == 0) {
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
      _exit(99);
    }
    execl(PK_BUILD_DIR "/pronk", "pronk", LONG, output, (char *)NULL);
    _exit(98);
  }
  while (!pki_is_file(path) && waitpid(id, &status, WNOHANG) == 0) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  kill(id, signal);
  waitpid(id, &status, 0);
  return status;
}

static void what_was_killed_goes_on_to_the_same_result(void **state)
{
  (void)state;
  char line[256];
  snprintf(line, sizeof line, "%swhole", long_line);
  cJSON *whole = run_json(line, 0);
  const int status = end_early("killed", SIGKILL);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_false(pki_is_file("killed/motion.csv"));
  snprintf(line, sizeof line, "%skilled", long_line);
  cJSON *resumed = run_json(line, 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(resumed, "resumed")));
  assert_near(number_at(resumed, "objective"), number_at(whole, "objective"),
              1e-4 * number_at(whole, "objective"));
  const cJSON *stages = cJSON_GetObjectItem(resumed, "stages");
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(stages, 0), "name")->valuestring, "all");
  assert_at_least(cJSON_GetArraySize(stages), 2);
  cJSON_Delete(whole), cJSON_Delete(resumed);
}

/* The motion in the world of hard contact, from its own first state: as fast as it was planned, and on its feet. */
static void an_optimal_trot_walks_in_the_simulator(void **state)
{
  (void)state;
  cJSON *o = run_json("run whole/scenario.yaml --json -o walked", 0);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "fell_at")));
  assert_near(number_at(o, "mean_speed"), 0.3, 0.015);
  cJSON_Delete(o);
}

static void an_interrupt_writes_the_best_so_far(void **state)
{
  (void)state;
  const int status = end_early("interrupted", SIGINT);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  assert_true(pki_is_file("interrupted/motion.csv"));
  assert_true(pki_is_file("interrupted/report.html"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turn_from_rest_to_rest_has_the_known_cost),
      cmocka_unit_test(the_motion_runs_in_the_simulator),
      cmocka_unit_test(the_scenario_holds_the_root_as_the_gait_does),
      cmocka_unit_test(a_solution_that_is_there_is_not_computed_again),
      cmocka_unit_test(a_solution_of_another_problem_is_kept),
      cmocka_unit_test(what_cannot_be_solved_names_the_worst_row),
      cmocka_unit_test(wrong_files_are_told_line_by_line),
      cmocka_unit_test(check_explains_a_gait),
      cmocka_unit_test(a_grid_solves_every_combination),
      cmocka_unit_test(what_was_killed_goes_on_to_the_same_result),
      cmocka_unit_test(an_optimal_trot_walks_in_the_simulator),
      cmocka_unit_test(an_interrupt_writes_the_best_so_far),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
