/* What a run measures, against what mechanics says it must be. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "run/run.h"

#include <math.h>

#include "base/file.h"
#include "scenario/help.h"

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
  assert_true(fabs(change) > 1);
  assert_true(fabs(moved.result.energy_in - change) < 1e-3 * fabs(change));
  assert_true(moved.result.positive_work >= moved.result.energy_in);
  assert_int_equal(still.result.steps, 0);
  assert_true(moved.result.peak[0] > 0 && moved.result.peak[1] > 0);
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
    assert_true(fabs(o.result.duration - 1e-3 * (double)cases[i].steps) < 1e-12);
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
  assert_true(r->worst_step > 0 && r->worst_residual <= 1e-8 && r->bound == 1e-8);
  assert_int_equal(r->most_contacts, 4);
  assert_true(r->distance < 0.01 && r->height > 0.40 && r->height_max < 0.4351);
  assert_true(r->tilt_max < 0.1);
  assert_true(r->real_time_factor > 0);
  end(&o);
}

static void a_bound_that_is_too_small_is_exceeded(void **state)
{
  (void)state;
  outcome o = run(standing, "duration=0.05", NULL, 1e-15);
  assert_true(o.result.uncertified > 0 && o.result.uncertified <= o.result.steps);
  assert_true(o.result.bound == 1e-15 && o.result.worst_residual > 1e-15);
  end(&o);
}

static void a_low_trunk_on_the_ground_or_sixty_degrees_is_a_fall(void **state)
{
  (void)state;
  /* in the air it only falls */
  outcome o = run("model: {model: starleth, position: [0, 0, 1]}\nduration: 0.5\n", NULL, NULL, 0);
  assert_false(o.result.fell);
  assert_true(fabs(o.result.height - (1 - 0.5 * 9.81 * 0.25)) < 1e-2);
  end(&o);
  /* limp, onto the ground */
  o = run("model: {model: starleth, position: [0, 0, 0.6]}\nterrain: [{shape: plane}]\nduration: 2\n", NULL,
          NULL, 0);
  assert_true(o.result.fell && o.result.fell_at > 0.1);
  end(&o);
  /* pushed sideways far above its centre without gravity: it turns over without falling */
  o = run("model: {model: starleth, position: [0, 0, 1]}\ngravity: [0, 0, 0]\nduration: 1\n"
          "push:\n  - {link: base, at: 0, for: 0.1, force: [0, 20, 0], point: [0, 0, 1]}\n",
          NULL, NULL, 0);
  assert_true(o.result.fell && o.result.tilt_max > 1.0472 && o.result.height_min > 0.5);
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
  assert_true(o.result.path > 0.03);
  assert_true(o.result.distance < 0.2 * o.result.path);
  end(&o);
}

static void a_step_that_fails_ends_the_run_with_its_reason(void **state)
{
  (void)state;
  outcome o = run(standing, "step.max_contacts=2", NULL, 0);
  assert_int_equal(o.result.status, PK_ERROR_LIMIT);
  assert_int_equal(o.result.steps, 0);
  assert_string_equal(o.result.stopped,
                      "step 1 at 0 s: the input is larger than the limit, in max_contacts; does a robot "
                      "start in the ground? Else raise step.max_contacts");
  end(&o);
}

static int columns(const char *line)
{
  int count = 1;
  for (; *line != '\n' && *line != '\0'; line++) {
    count += *line == ',';
  }
  return count;
}

/* The forces on the feet carry the weight, whatever the world is computed in. */
static void expect_files(const char *set)
{
  outcome o = run(standing, set, "run_out", 0);
  size_t size;
  char *text = pki_file_read("run_out/states.csv", 1 << 24, &size);
  assert_non_null(text);
  const char *last = text, *second = strchr(text, '\n') + 1;
  int lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
    lines++;
    last = at[1] != '\0' ? at + 1 : last;
  }
  assert_int_equal(lines, 502); /* head, start, 500 steps */
  const int width = 1 + 13 + 3 * 12 + 3 * 5;
  assert_int_equal(columns(text), width);
  assert_int_equal(columns(second), width);
  assert_int_equal(columns(last), width);
  assert_non_null(strstr(text, ",force.LF_FOOT.z,"));
  double weight = 0;
  const char *at = last;
  for (int i = 0; i < width; i++, at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : at) {
    weight += i >= width - 15 && (i - (width - 15)) % 3 == 2 ? strtod(at, NULL) : 0;
  }
  assert_true(fabs(weight - 9.81 * o.world.model->mass) < 2);
  free(text);
  text = pki_file_read("run_out/report.html", 1 << 24, &size);
  assert_non_null(text);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "LF_FOOT"));
  free(text);
  assert_int_equal(remove("run_out/states.csv") + remove("run_out/report.html") + remove("run_out"), 0);
  end(&o);
}

static void states_and_report_are_written(void **state)
{
  (void)state;
  expect_files(NULL);
  expect_files("coordinates=maximal");
  expect_files("coordinates=[LF_KFE, RH_HAA]");
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

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_of_the_motors_is_the_change_of_energy),
      cmocka_unit_test(steps_and_time_do_not_depend_on_rounding),
      cmocka_unit_test(standing_is_told_as_standing),
      cmocka_unit_test(a_bound_that_is_too_small_is_exceeded),
      cmocka_unit_test(a_low_trunk_on_the_ground_or_sixty_degrees_is_a_fall),
      cmocka_unit_test(distance_is_straight_and_the_path_is_not),
      cmocka_unit_test(a_step_that_fails_ends_the_run_with_its_reason),
      cmocka_unit_test(states_and_report_are_written),
      cmocka_unit_test(the_documented_example_runs),
      cmocka_unit_test(the_same_run_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
