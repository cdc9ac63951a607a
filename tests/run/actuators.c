/* Runs of robots with motors: what channels, sums, the summary, metrics and the report tell of them. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, setenv */
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "run/channels.h"
#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"
#include "sweep/metrics.h"

#define STARLETH \
  "name: legs\nmodel:\n  model: starleth\n  position: [0, 0, 0.435]\n" \
  "  joints: {LF_HFE: 0.7343101344764329, LF_KFE: -1.3411529067300831, RF_HFE: 0.7343101344764329,\n" \
  "    RF_KFE: -1.3411529067300831, LH_HFE: -0.7343101344764329, LH_KFE: 1.3411529067300831,\n" \
  "    RH_HFE: -0.7343101344764329, RH_KFE: 1.3411529067300831}\n" \
  "terrain:\n  - shape: plane\n" \
  "controller: {name: locomotion, gait: trot, forward: 0.3, cycle: 0.8}\nstep: {dt: 2.5e-3}\nduration: 2\n"

static const char trotting[] =
    STARLETH "actuators:\n"
             "  - {joints: '*_H*', kind: dc, motor: maxon-ec-4pole-30, gear: 100, current: 25}\n"
             "  - {joints: '*_KFE', kind: sea, motor: maxon-ec-4pole-30, gear: 100, current: 25, spring: "
             "400, spring_damping: 1}\n"
             "  - {joints: 'LF_KFE', kind: parallel-spring, radius: 0.03, stiffness: 500, both_ways: true}\n"
             "battery: {full: 29, empty: 24, resistance: 0.1, capacity: 3600, regeneration: 100}\n";

static char folder[] = "pronk-run-actuators-XXXXXX";

static int make_folder(void **state)
{
  (void)state;
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
  (void)state;
  static const char *const names[] = {"run.mcap", "report.html", "checkpoint.pronk"};
  char path[PKI_PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_true(pki_path_join(path, folder, names[i]));
    remove(path);
  }
  return rmdir(folder);
}

/* ---- channels ---- */

typedef struct fixture {
  pki_scenario *scenario;
  pki_world world;
  pki_watch watch;
  pki_run_result result;
  pki_channel_reader *reader;
} fixture;

static void begin(fixture *f, const char *text)
{
  pk_error err = {.message = ""};
  *f = (fixture){.scenario = good_scenario(text, NULL)};
  f->world = good_world(f->scenario);
  assert_int_equal(pki_watch_begin(&f->watch, &f->world, 1e-8, &f->result, &err), PK_OK);
  if (pki_channel_reader_create(&f->watch, &f->result, NULL, 0, &f->reader, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

static void end(fixture *f)
{
  pki_channel_reader_destroy(f->reader);
  pki_watch_free(&f->watch);
  pki_run_result_free(&f->result);
  pki_world_free(&f->world);
  pki_scenario_destroy(f->scenario);
}

static void step(fixture *f, int count)
{
  for (int i = 0; i < count; i++) {
    assert_int_equal(pki_world_step(&f->world, &f->watch.info), PK_OK);
    pki_watch_step(&f->watch, &f->result);
  }
}

static int find_channel(const fixture *f, const char *name)
{
  int i = 0;
  while (i < f->reader->count && strcmp(f->reader->channels[i].name, name) != 0) {
    i++;
  }
  return i < f->reader->count ? i : -1;
}

static double value(fixture *f, const char *name, const char *column)
{
  const int i = find_channel(f, name);
  int rows = 0;
  assert_at_least(i, 0);
  const double *values = pki_channel_reader_read(f->reader, i, &rows);
  for (int k = 0; k < f->reader->channels[i].columns; k++) {
    if (strcmp(f->reader->channels[i].column[k], column) == 0) {
      return values[k];
    }
  }
  fail_msg("no column %s in %s", column, name);
  return NAN;
}

/* The state of that name of the actuator that drives a joint. */
static double state_of(fixture *f, const char *actuator, const char *state)
{
  const pk_actuation *a = pki_watch_actuation(&f->watch);
  for (int i = 0; i < pk_actuation_count(a); i++) {
    const pk_actuator one = pk_actuation_get(a, i);
    for (int k = 0; k < one.kind->nstate && strcmp(one.name, actuator) == 0; k++) {
      if (strcmp(one.kind->state_names[k], state) == 0) {
        return pk_sim_actuation(f->world.sim)[pk_actuation_state_at(a, i) + k];
      }
    }
  }
  fail_msg("no state %s of %s", state, actuator);
  return NAN;
}

static void channels_tell_what_actuators_remember(void **state)
{
  (void)state;
  fixture f;
  begin(&f, trotting);
  step(&f, 300);
  assert_true(value(&f, "actuators/current", "RH_HFE") == state_of(&f, "RH_HFE", "current"));
  assert_true(value(&f, "actuators/voltage", "LF_KFE") == state_of(&f, "LF_KFE", "voltage"));
  assert_true(value(&f, "actuators/temperature", "LF_HAA") == state_of(&f, "LF_HAA", "winding_temperature"));
  assert_true(value(&f, "actuators/rotor_velocity", "RF_KFE") == state_of(&f, "RF_KFE", "rotor_velocity"));
  assert_true(value(&f, "actuators/spring_deflection", "RF_KFE") != 0);
  assert_true(value(&f, "actuators/spring_deflection", "RF_KFE") ==
              state_of(&f, "RF_KFE", "spring_deflection"));
  /* springs of the knees alone; of cylinders there are none */
  assert_int_equal(f.reader->channels[find_channel(&f, "actuators/spring_deflection")].columns, 4);
  assert_int_equal(f.reader->channels[find_channel(&f, "actuators/current")].columns, 12);
  assert_int_equal(f.reader->channels[find_channel(&f, "actuators/work")].columns, 13);
  assert_int_equal(find_channel(&f, "actuators/pressure_a"), -1);
  assert_true(isfinite(value(&f, "actuators/work", "LF_KFE.parallel-spring")));
  end(&f);
}

/* Powers are those of the last step, energies add up to what they were, and everything sums to zero. */
static void powers_and_energies_agree_and_sum_to_zero(void **state)
{
  (void)state;
  fixture f;
  begin(&f, trotting);
  static const char *const out[] = {"joule",    "viscous", "rotor_friction", "spring_damping", "gear",
                                    "magnetic", "rotor",   "spring",         "mechanical",     "numerical"};
  double electrical = 0, joule = 0, each = 0;
  for (int i = 0; i < 400; i++) {
    step(&f, 1);
    electrical += 2.5e-3 * value(&f, "actuators/power", "electrical");
    joule += 2.5e-3 * value(&f, "actuators/power", "joule");
  }
  double rest = value(&f, "actuators/energy", "electrical") + value(&f, "actuators/energy", "other");
  for (size_t i = 0; i < sizeof out / sizeof out[0]; i++) {
    rest -= value(&f, "actuators/energy", out[i]);
  }
  const int all = find_channel(&f, "actuators/joule_heat");
  int rows;
  const double *values = pki_channel_reader_read(f.reader, all, &rows);
  for (int k = 0; k < f.reader->channels[all].columns; k++) {
    each += values[k];
  }
  assert_greater(joule, 1);
  assert_near(rest, 0, 1e-9 * joule);
  assert_near(electrical, value(&f, "actuators/energy", "electrical"), 1e-9 * joule);
  assert_near(joule, value(&f, "actuators/energy", "joule"), 1e-9 * joule);
  assert_near(each, joule, 1e-9 * joule);
  /* the battery gives what motors take, and loses some on the way */
  assert_near(value(&f, "battery", "given") - value(&f, "battery", "lost") - value(&f, "battery", "braked"),
              electrical, 1e-9 * joule);
  assert_in_range((int)value(&f, "battery", "voltage"), 20, 29);
  assert_true(value(&f, "battery", "charge") == f.result.charge);
  /* the work that joints saw is the actuators', the parallel spring's among it */
  assert_near(f.result.energy_in, f.result.flow.mechanical + f.result.flow.gear, 1e-9 * joule);
  end(&f);
}

static void a_world_without_actuators_has_none_of_it(void **state)
{
  (void)state;
  fixture f;
  begin(&f, STARLETH);
  step(&f, 3);
  for (int i = 0; i < f.reader->count; i++) {
    assert_true(strncmp(f.reader->channels[i].name, "actuators/", 10) != 0);
  }
  assert_int_equal(find_channel(&f, "battery"), -1);
  assert_int_equal(f.result.nactuator, 0);
  assert_true(isnan(pki_metrics[pki_metric_find("electrical_energy")].of(&f.result)));
  assert_true(isnan(pki_metrics[pki_metric_find("battery_charge")].of(&f.result)));
  end(&f);
}

/* ---- runs ---- */

static pki_run_result run(const char *text, const pki_run_options *options, pki_table *table)
{
  pki_scenario *scenario = good_scenario(text, NULL);
  pki_world world = good_world(scenario);
  pki_run_result result;
  pk_error err = {.message = ""};
  if (pki_run(&world, options, &result, &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  if (table != NULL) {
    pki_run_table(&result, table);
  }
  pki_run_result_free(&result);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return result;
}

static const char *row_of(const pki_table *table, const char *what)
{
  for (int i = 0; i < table->nrow; i++) {
    if (strcmp(table->cells[2 * i], what) == 0) {
      return table->cells[2 * i + 1];
    }
  }
  return NULL;
}

static void the_summary_has_a_line_for_each_cost(void **state)
{
  (void)state;
  static const char *const lines[] = {"electrical energy",
                                      "heat of motors",
                                      "hottest winding",
                                      "battery",
                                      "numerical loss",
                                      "electrical cost",
                                      "J_e1",
                                      "J_e2"};
  pki_table with, without;
  const pki_run_options options = {.duration = 2};
  const pki_run_result r = run(trotting, &options, &with);
  run(STARLETH, &options, &without);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    if (row_of(&with, lines[i]) == NULL || row_of(&without, lines[i]) != NULL) {
      fail_msg("the line \"%s\" is missing, or there without actuators", lines[i]);
    }
  }
  char cost[16];
  snprintf(cost, sizeof cost, "%.3g (", r.battery.given / (r.mass * 9.81 * r.distance));
  assert_memory_equal(row_of(&with, "electrical cost"), cost, strlen(cost));
  assert_greater(r.hottest, 25);
  assert_greater(r.effort.specific_resistance, 0);
  /* what torque alone would heat is most of what currents heated: rotors and friction took the rest */
  assert_near(r.effort.joule / r.flow.joule, 1, 0.5);
  pki_table_free(&with);
  pki_table_free(&without);
}

static void a_run_that_goes_on_has_the_energies_of_one_that_never_stopped(void **state)
{
  (void)state;
  const pki_run_options whole = {.duration = 1};
  const pki_run_result once = run(trotting, &whole, NULL);
  pki_run_options part = {.duration = 0.5, .folder = folder, .checkpoint_every = 0.1, .no_report = true};
  run(trotting, &part, NULL);
  part.duration = 1, part.resume = true;
  const pki_run_result twice = run(trotting, &part, NULL);
  assert_memory_equal(&once.flow, &twice.flow, sizeof once.flow);
  assert_memory_equal(&once.battery, &twice.battery, sizeof once.battery);
  assert_memory_equal(&once.effort, &twice.effort, sizeof once.effort);
  assert_true(once.hottest == twice.hottest && once.charge == twice.charge);
  assert_true(once.energy_in == twice.energy_in);
}

/* For free(). */
static char *read_report(void)
{
  char path[PKI_PATH_MAX];
  size_t size;
  assert_true(pki_path_join(path, folder, "report.html"));
  char *page = pki_file_read(path, (size_t)1 << 28, &size);
  if (page == NULL) {
    fail_msg("there is no report");
  }
  return page;
}

static void the_report_draws_the_flow_and_each_motor_with_its_line(void **state)
{
  (void)state;
  const pki_run_options options = {.duration = 0.5, .folder = folder};
  run(trotting, &options, NULL);
  char *page = read_report();
  assert_non_null(strstr(page, "<h2 id=\"actuators\">"));
  assert_non_null(strstr(page, "aria-label=\"energy-flow\""));
  assert_non_null(strstr(page, ">lost in the battery -"));
  assert_non_null(strstr(page, "id=\"motor-12-"));
  assert_null(strstr(page, "id=\"motor-13-"));
  assert_non_null(strstr(page, "id=\"current-11-"));
  assert_non_null(strstr(page, ">RH_KFE (A)<"));
  assert_non_null(strstr(page, ">Temperature of windings (°C)<"));
  assert_non_null(strstr(page, ">Voltage of the bus (V)<"));
  assert_non_null(strstr(page, ">Charge taken from the battery (A s)<"));
  assert_null(strstr(page, "<h2 id=\"estimate\">"));
  const char *sum = strstr(page, "They sum to ");
  if (sum == NULL) {
    fail_msg("the figure says no sum");
  } else {
    assert_near(strtod(sum + strlen("They sum to "), NULL), 0, 1e-9);
  }
  free(page);
}

/* A carriage on a rail, driven by a motor behind a spring. */
static void joints_that_slide_have_lengths_and_their_rotors_angles(void **state)
{
  (void)state;
  char model[PKI_PATH_MAX], text[2048];
  pk_error err = {.message = ""};
  pki_text file = {0};
  pki_text_add(&file,
               "<robot name=\"rail\"><link name=\"base\"/><link name=\"cart\"><inertial><mass value=\"1\"/>"
               "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
               "<joint name=\"rail\" type=\"prismatic\"><parent link=\"base\"/><child link=\"cart\"/>"
               "<axis xyz=\"1 0 0\"/><limit lower=\"-9\" upper=\"9\" effort=\"99\" velocity=\"9\"/></joint>"
               "</robot>\n");
  char here[PKI_PATH_MAX / 2];
  assert_non_null(getcwd(here, sizeof here));
  snprintf(model, sizeof model, "%s/%s/rail.urdf", here, folder);
  assert_int_equal(pki_text_save(&file, model, &err), PK_OK);
  pki_text_free(&file);
  snprintf(text, sizeof text,
           "model: {model: %.900s, root: fixed}\nactuators:\n"
           "  - {joints: rail, kind: sea, motor: maxon-ec-4pole-30, gear: 100, current: 25, spring: 4e4}\n"
           "sensors:\n  - {kind: motor-encoder, joints: rail}\n  - {kind: encoder, joints: rail}\n"
           "controller: {name: hold, kp: 100, kd: 5}\n"
           "push: [{link: cart, at: 0.01, for: 0.05, force: [20, 0, 0]}]\nduration: 0.1\n",
           model);
  fixture f;
  begin(&f, text);
  const pk_recorder_channel *c = &f.reader->channels[find_channel(&f, "sensors")];
  assert_string_equal(c->unit[0], "rad");
  assert_string_equal(c->unit[1], "rad/s");
  assert_string_equal(c->unit[2], "m");
  assert_string_equal(c->unit[3], "m/s");
  end(&f);
  const pki_run_options options = {.duration = 0.1, .folder = folder};
  run(text, &options, NULL);
  char *page = read_report();
  assert_non_null(strstr(page, "speed (m/s)"));
  assert_non_null(strstr(page, "force (N)"));
  assert_null(strstr(page, "torque (N m)"));
  assert_non_null(strstr(page, " m</td>")); /* the spring's deflection */
  assert_null(strstr(page, "of the bus"));  /* there is no battery */
  free(page);
  remove(model);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels_tell_what_actuators_remember),
      cmocka_unit_test(powers_and_energies_agree_and_sum_to_zero),
      cmocka_unit_test(a_world_without_actuators_has_none_of_it),
      cmocka_unit_test(the_summary_has_a_line_for_each_cost),
      cmocka_unit_test(a_run_that_goes_on_has_the_energies_of_one_that_never_stopped),
      cmocka_unit_test(the_report_draws_the_flow_and_each_motor_with_its_line),
      cmocka_unit_test(joints_that_slide_have_lengths_and_their_rotors_angles),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
