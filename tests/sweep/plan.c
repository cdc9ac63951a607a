/* The file of a sweep and the samples that it means. */
#define _XOPEN_SOURCE 700
#include "sweep/support.h"

#include "base/text.h"
#include "support/bounds.h"

static const char head[] = "scenario: ball.yaml\nparameters:\n";

/* A sweep of some parameters. */
static pki_sweep sweep_of(const char *parameters)
{
  char text[2048];
  snprintf(text, sizeof text, "%s%s", head, parameters);
  return read_sweep(text);
}

static void grids_multiply_and_the_last_is_fastest(void **state)
{
  (void)state;
  pki_sweep s = sweep_of("  - {key: materials.floor.friction, grid: [0.1, 0.2]}\n"
                         "  - {key: objects.0.mass, from: 1, to: 3, count: 5}\n"
                         "seeds: 3\n");
  pki_sweep_point p;
  assert_int_equal(s.count, 2 * 5 * 3);
  for (int i = 0; i < 30; i++) {
    pki_sweep_sample(&s, i, &p);
    assert_int_equal(p.seed, i % 3);
    assert_int_equal(p.level[1], i / 3 % 5);
    assert_int_equal(p.level[0], i / 15);
    assert_true(p.value[1] == 1 + 0.5 * (i / 3 % 5));
    assert_string_equal(p.text[0], i < 15 ? "0.1" : "0.2");
  }
  pki_sweep_free(&s);
}

static void equal_ratios_end_where_they_should(void **state)
{
  (void)state;
  pki_sweep s = sweep_of("  - {key: objects.0.mass, from: 0.01, to: 100, count: 5, spacing: log}\n");
  static const char *const values[5] = {"0.01", "0.1", "1", "10", "100"};
  for (int i = 0; i < 5; i++) {
    assert_string_equal(s.parameters[0].text[i], values[i]);
  }
  pki_sweep_free(&s);
}

static void draws_stay_in_their_bounds_and_are_the_same_at_every_grid_point(void **state)
{
  (void)state;
  pki_sweep s =
      sweep_of("  - {key: materials.floor.friction, grid: [0.1, 0.2, 0.3]}\n"
               "  - {key: objects.0.mass, random: log-uniform, from: 0.1, to: 10}\n"
               "  - {key: step.tolerance, random: uniform, from: 1e-8, to: 1e-7}\n"
               "  - {key: objects.0.velocity.0, random: normal, mean: 1, deviation: 2, from: -1, to: 4}\n"
               "samples: 64\n");
  double below = 0;
  assert_int_equal(s.count, 3 * 64);
  for (int i = 0; i < 64; i++) {
    pki_sweep_point p, q;
    pki_sweep_sample(&s, i, &p);
    pki_sweep_sample(&s, 128 + i, &q);
    assert_at_least(p.value[1], 0.1);
    assert_at_most(p.value[1], 10);
    assert_at_least(p.value[2], 1e-8);
    assert_at_most(p.value[2], 1e-7);
    assert_at_least(p.value[3], -1);
    assert_at_most(p.value[3], 4);
    assert_true(p.value[1] == q.value[1] && p.value[2] == q.value[2] && p.value[3] == q.value[3]);
    assert_true(p.value[0] == 0.1 && q.value[0] == 0.3);
    assert_true(strtod(p.text[1], NULL) == p.value[1]);
    below += p.value[1] < 1;
  }
  assert_true(below == 32); /* the median of the logarithms, exactly: Sobol's points are a net */
  pki_sweep_free(&s);
}

static void seeds_repeat_each_draw(void **state)
{
  (void)state;
  pki_sweep s = sweep_of(
      "  - {key: objects.0.mass, random: uniform, from: 1, to: 2}\nsamples: 4\nseeds: 3\nset: {seed: 7}\n");
  assert_int_equal(s.count, 12);
  for (int i = 0; i < 12; i++) {
    pki_sweep_point p, first;
    pki_sweep_sample(&s, i, &p);
    pki_sweep_sample(&s, i - i % 3, &first);
    assert_int_equal(p.seed, 7 + i % 3);
    assert_true(p.value[0] == first.value[0]);
    pki_sweep_sample(&s, (i + 3) % 12, &first);
    assert_true(p.value[0] != first.value[0]);
  }
  pki_sweep_free(&s);
}

/* All overrides of a sample, in lines. */
static void lines_of(const pki_sweep *s, long long index, pki_text *out)
{
  pki_sweep_point p;
  int count;
  pki_sweep_sample(s, index, &p);
  char **sets = pki_sweep_sets(s, &p, &count);
  assert_non_null(sets);
  for (int i = 0; i < count; i++) {
    pki_text_addf(out, "%s\n", sets[i]);
  }
  pki_sweep_sets_free(sets, count);
}

static void overrides_come_in_order_those_of_parameters_last(void **state)
{
  (void)state;
  static const char text[] =
      "scenario: ball.yaml\n"
      "set:\n  step.dt: 1e-3\n  objects.0.position: [0, 0, 0.2]\n  description: \"a: b\"\n"
      "parameters:\n  - {keys: [materials.floor.friction, bodies.friction], name: mu, grid: [1]}\n";
  static const char *const more[] = {"step.dt=2e-3"};
  pki_sweep s;
  pki_text lines = {0};
  pk_error err = {.message = ""};
  assert_int_equal(pki_sweep_parse("x.yaml", text, strlen(text), more, 1, &s, &err), PK_OK);
  lines_of(&s, 0, &lines);
  assert_string_equal(lines.data,
                      "step.dt=1e-3\nobjects.0.position=[0, 0, 0.2]\ndescription=\"a: b\"\nstep.dt=2e-3\n"
                      "materials.floor.friction=1\nbodies.friction=1\n");
  assert_true(s.base->step.dt == 2e-3);
  pki_text_free(&lines);
  pki_sweep_free(&s);
}

/* Ten degrees give the numbers of scenarios/starleth-slope.yaml. */
static void a_slope_tilts_ground_and_robot(void **state)
{
  (void)state;
  pki_sweep s =
      read_sweep("scenario: starleth-trot\nparameters:\n  - {as: slope, grid: [0.17453292519943295]}\n");
  pki_text lines = {0};
  double n[3], x[3], rpy[3];
  lines_of(&s, 0, &lines);
  if (lines.data == NULL) {
    fail_msg("the sweep has no lines");
    return;
  }
  const char *at = strstr(lines.data, "terrain.0.normal=[");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "terrain.0.normal=[%lf, %lf, %lf]", &n[0], &n[1], &n[2]), 3);
  at = strstr(lines.data, "model.position=[");
  assert_int_equal(sscanf(at, "model.position=[%lf, %lf, %lf]", &x[0], &x[1], &x[2]), 3);
  at = strstr(lines.data, "model.rpy=[");
  assert_int_equal(sscanf(at, "model.rpy=[%lf, %lf, %lf]", &rpy[0], &rpy[1], &rpy[2]), 3);
  assert_less(fabs(n[0] + 0.173648178), 1e-9);
  assert_true(n[1] == 0);
  assert_less(fabs(n[2] - 0.984807753), 1e-9);
  assert_less(fabs(x[0] + 0.075537), 1e-6);
  assert_true(x[1] == 0);
  assert_less(fabs(x[2] - 0.428391), 1e-6);
  assert_true(rpy[0] == 0);
  assert_less(fabs(rpy[1] + 0.174532925), 1e-9);
  assert_true(rpy[2] == 0);
  assert_string_equal(s.parameters[0].name, "slope");
  assert_string_equal(s.parameters[0].unit, "rad");
  pki_text_free(&lines);
  pki_sweep_free(&s);
}

static void commands_can_be_given_to_a_shell(void **state)
{
  (void)state;
  pki_sweep s = sweep_of("  - {key: objects.0.velocity, grid: [[1, 0, 0], [\"it's\"]]}\nduration: 0.5\n");
  pki_sweep_point p;
  pki_text text = {0};
  pki_sweep_sample(&s, 0, &p);
  pki_sweep_command(&s, &p, &text);
  assert_string_equal(text.data, "pronk run ball.yaml --set 'objects.0.velocity=[1, 0, 0]' --duration 0.5");
  text.size = 0;
  pki_sweep_sample(&s, 1, &p);
  pki_sweep_command(&s, &p, &text);
  assert_string_equal(text.data,
                      "pronk run ball.yaml --set 'objects.0.velocity=[\"it'\\''s\"]' --duration 0.5");
  pki_text_free(&text);
  pki_sweep_free(&s);
}

static void the_hash_tells_sweeps_apart_and_nothing_else(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "  - {key: objects.0.mass, from: 1, to: 3, count: 3}\n",
      "  # the same in other words\n  - {key: objects.0.mass, grid: [1, 2, 3], unit: kg}\nreplays: 1\n",
      "  - {key: objects.0.mass, grid: [1, 2, 4]}\n",
      "  - {key: objects.0.mass, grid: [1, 2, 3]}\nduration: 1\n",
      "  - {key: objects.0.mass, grid: [1, 2, 3]}\nseeds: 1\n",
  };
  uint64_t hash[5];
  for (int i = 0; i < 5; i++) {
    pki_sweep s = sweep_of(texts[i]);
    hash[i] = pki_sweep_hash(&s);
    pki_sweep_free(&s);
  }
  assert_true(hash[0] == hash[1]);
  for (int i = 2; i < 5; i++) {
    assert_true(hash[i] != hash[0]);
  }
}

/* The hash of a sweep of ball.yaml, which holds `more` besides. */
static uint64_t hash_with(const char *more, const char *parameters)
{
  char text[1024];
  const char *rest = strchr(ball_scenario, '\n') + 1; /* without its duration */
  snprintf(text, sizeof text, "%s%s", more, rest);
  write_text("ball.yaml", text);
  pki_sweep s = sweep_of(parameters);
  const uint64_t hash = pki_sweep_hash(&s);
  pki_sweep_free(&s);
  write_text("ball.yaml", ball_scenario);
  return hash;
}

static void the_hash_knows_how_long_samples_run_and_what_certifies_them(void **state)
{
  (void)state;
  static const char plain[] = "  - {key: objects.0.mass, grid: [1, 2]}\n",
                    timed[] = "  - {key: objects.0.mass, grid: [1, 2]}\nduration: 0.05\n";
  const uint64_t hash = hash_with("duration: 0.05\n", plain);
  assert_true(hash_with("duration: 0.06\n", plain) != hash);
  assert_true(hash_with("duration: 0.05\ncertify: 1e-6\n", plain) != hash);
  assert_true(hash_with("duration: 0.05\n# the same\n", plain) == hash);
  assert_true(hash_with("duration: 0.06\n", timed) == hash); /* the sweep's own counts, not the scenario's */
}

static void write_pendulum(const char *file, const char *mass)
{
  char text[512];
  snprintf(text, sizeof text,
           "<robot name='p'><link name='base'/><link name='rod'><inertial><mass value='%s'/>"
           "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
           "<joint name='j' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/>"
           "</joint></robot>\n",
           mass);
  write_text(file, text);
}

static void the_hash_knows_files_that_only_a_level_names(void **state)
{
  (void)state;
  static const char text[] = "scenario: rod.yaml\nparameters:\n"
                             "  - {key: model.model, name: rod, grid: [./a.urdf, ./b.urdf, ./none.urdf]}\n";
  uint64_t hash[4];
  write_text("rod.yaml", "duration: 0.01\nmodel: {model: ./a.urdf}\nstep: {dt: 1e-3}\n");
  for (int i = 0; i < 4; i++) { /* the base's model stays as it is */
    write_pendulum("a.urdf", "1");
    write_pendulum("b.urdf", i == 1 ? "2.5" : "2");
    if (i == 3) {
      write_pendulum("none.urdf", "1");
    }
    pki_sweep s = read_sweep(text);
    hash[i] = pki_sweep_hash(&s);
    pki_sweep_free(&s);
  }
  assert_true(hash[1] != hash[0]);
  assert_true(hash[2] == hash[0]);
  assert_true(hash[3] != hash[0]); /* refused before, now it is there */
}

/* ---- what is refused ---- */

static void refused(const char *parameters, const char *message)
{
  char text[2048];
  pki_sweep s;
  pk_error err = {.message = ""};
  snprintf(text, sizeof text, "%s%s", head, parameters);
  assert_true(pki_sweep_parse("test.yaml", text, strlen(text), NULL, 0, &s, &err) != PK_OK);
  if (strstr(err.message, message) == NULL) {
    fail_msg("\"%s\" is not in \"%s\"", message, err.message);
  }
  assert_string_equal(err.file, "test.yaml");
  assert_greater(err.line, 0);
}

static void what_is_wrong_is_told(void **state)
{
  (void)state;
  refused("  - {key: a, grid: [1], count: 3}\n", "several of grid, count and random, expected one of them");
  refused("  - {key: a}\n", "none of grid, count and random, expected one of them");
  refused("  - {grid: [1]}\n", "expected one of key, keys, and as: slope");
  refused("  - {key: a, grid: []}\n", "grid has 0 values, expected 1 to");
  refused("  - {key: a, count: 3, from: 1}\n", "count goes with from and to, and is 2 at least");
  refused("  - {key: a, count: 3, from: 0, to: 1, spacing: log}\n", "both must be above 0");
  refused("  - {key: a, random: uniform, from: 1}\nsamples: 2\n", "random: uniform needs from and to");
  refused("  - {key: a, random: log-uniform, from: 0, to: 1}\nsamples: 2\n", "expected a bound above 0");
  refused("  - {key: a, random: uniform, from: 2, to: 1}\nsamples: 2\n", "expected the smaller first");
  refused("  - {key: a, random: normal}\nsamples: 2\n", "needs a deviation above 0");
  refused("  - {key: a, random: uniform, from: 0, to: 1}\n", "the key \"samples\" is missing");
  refused("  - {key: a, grid: [1]}\nsamples: 2\n", "samples is 2, and nothing is random");
  refused("  - {key: a, grid: [1]}\n  - {key: b.a, grid: [2]}\n", "there is a column \"a\" already");
  refused("  - {key: a, name: speed, grid: [1]}\n", "there is a column \"speed\" already");
  refused("  - {key: a, name: a/b, grid: [1]}\n", "expected letters, digits, _, - and .");
  refused("  - {key: objects.0.masss, grid: [1]}\n", "mass");
  refused("  - {key: objects.0.masss, grid: [1]}\n", "objects.0.masss=1: ");
  refused("  - {key: a, random: unifrm, from: 0, to: 1}\nsamples: 2\n",
          "expected one of uniform, log-uniform, normal; did you");
  refused("  - {key: a, grid: [1], spacin: log}\n", "did you mean \"spacing\"");
  refused("  - {as: slope, grid: [steep]}\n", "expected an angle in rad");
}

static void a_value_that_only_some_samples_have_wrong_is_no_failure_of_the_file(void **state)
{
  (void)state;
  pki_sweep s = sweep_of("  - {key: objects.0.mass, grid: [1, -1]}\n");
  assert_int_equal(s.count, 2);
  pki_sweep_free(&s);
}

static void scenarios_are_found_beside_the_sweep_and_by_name(void **state)
{
  (void)state;
  pki_sweep s;
  pk_error err = {.message = ""};
  static const char text[] = "scenario: bal\n";
  assert_int_equal(pki_sweep_parse("a/test.yaml", text, strlen(text), NULL, 0, &s, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, "a/test.yaml");
  assert_int_equal(err.line, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_multiply_and_the_last_is_fastest),
      cmocka_unit_test(equal_ratios_end_where_they_should),
      cmocka_unit_test(draws_stay_in_their_bounds_and_are_the_same_at_every_grid_point),
      cmocka_unit_test(seeds_repeat_each_draw),
      cmocka_unit_test(overrides_come_in_order_those_of_parameters_last),
      cmocka_unit_test(a_slope_tilts_ground_and_robot),
      cmocka_unit_test(commands_can_be_given_to_a_shell),
      cmocka_unit_test(the_hash_tells_sweeps_apart_and_nothing_else),
      cmocka_unit_test(the_hash_knows_how_long_samples_run_and_what_certifies_them),
      cmocka_unit_test(the_hash_knows_files_that_only_a_level_names),
      cmocka_unit_test(what_is_wrong_is_told),
      cmocka_unit_test(a_value_that_only_some_samples_have_wrong_is_no_failure_of_the_file),
      cmocka_unit_test(scenarios_are_found_beside_the_sweep_and_by_name),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
