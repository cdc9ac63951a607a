/* Reading scenarios: every key arrives where it belongs, and the documentation names them all. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "scenario/help.h"
#include "scenario/section.h"

#include "base/file.h"
#include "support/bounds.h"

static const char everything[] =
    "name: all of it\n"
    "description: every key once\n"
    "models:\n"
    "  - model: starleth\n"
    "    prefix: a_\n"
    "    root: free\n"
    "    position: [1, 2, 3e-1]\n"
    "    rpy: [0.1, 0.2, 0.3]\n"
    "    joints: {LF_KFE: -1}\n"
    "    surfaces: {LF_FOOT: rubber}\n"
    "  - model: pendulum\n"
    "    prefix: b_\n"
    "    quaternion: [0, 0, 0, 2]\n"
    "gravity: [0, 0.5, -1.62]\n"
    "coordinates: minimal\n"
    "terrain:\n"
    "  - {shape: plane, position: [0, 0, -1], normal: [0, 0, 2], material: ice}\n"
    "  - {shape: box, position: [3, 0, 0], rpy: [0, 0, 0.5], size: [1, 1, 0.5]}\n"
    "  - {shape: stairs, position: [5, 0, 0], depth: 0.3, height: 0.1, width: 1, count: 3}\n"
    "  - {shape: heights, position: [9, 0, 0], cell: 0.5, heights: [[0, 0], [0, 1]]}\n"
    "materials:\n"
    "  dirt: {}\n"
    "  ice: {friction: 0.05, restitution_n: 0.25, restitution_t: 0.125}\n"
    "pairs:\n"
    "  - {surface: rubber, material: ice, friction: 0.2}\n"
    "step:\n"
    "  preset: gehring-2014\n"
    "  dt: 5e-4\n"
    "  solver: sor\n"
    "  joint_friction: FALSE\n"
    "  max_contacts: 0x40\n"
    "controller: {name: hold, kp: 50, tau_max: .inf}\n"
    "push:\n"
    "  - {link: a_base, at: 0.5, for: 0.25, force: [1, 2, 3], point: [0, 0, 0.1]}\n"
    "duration: 2\n"
    "certify: 1e-7\n"
    "seed: 7\n";

static void every_key_arrives(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(everything, NULL);
  assert_string_equal(s->name, "all of it");
  assert_string_equal(s->description, "every key once");
  assert_int_equal(s->nmodel, 2);
  assert_string_equal(s->models[0].model, "starleth");
  assert_string_equal(s->models[0].prefix, "a_");
  assert_int_equal(s->models[0].root, PK_ROOT_FREE);
  assert_true(s->models[0].position[2] == 0.3 && s->models[0].rpy[1] == 0.2);
  assert_int_equal(s->models[1].root, PK_ROOT_AUTO);
  assert_true(s->models[1].quaternion[3] == 2);
  assert_true(s->gravity[1] == 0.5 && s->gravity[2] == -1.62);
  assert_int_equal(s->nmaterial, 2);
  assert_string_equal(s->materials[1].name, "ice");
  assert_true(s->materials[0].material.friction == 0.8);
  assert_true(s->materials[1].material.friction == 0.05 && s->materials[1].material.restitution_n == 0.25 &&
              s->materials[1].material.restitution_t == 0.125);
  assert_true(s->step.dt == 5e-4);
  assert_int_equal(s->step.contact, PK_CONTACT_GEHRING_2014);
  assert_int_equal(s->step.solver, PK_SOLVER_SOR);
  assert_int_equal(s->step.max_contacts, 64);
  assert_false(s->step.joint_friction);
  assert_true(s->step.joint_limits);
  assert_string_equal(s->controller->name, "hold");
  const pk_hold_options *hold = s->controller_options;
  assert_true(hold->kp == 50 && hold->kd == 2 && hold->tau_max == INFINITY);
  assert_int_equal(s->npush, 1);
  assert_true(s->pushes[0].at == 0.5 && s->pushes[0].duration == 0.25 && s->pushes[0].force[1] == 2 &&
              s->pushes[0].point[2] == 0.1);
  assert_true(s->duration == 2 && s->certify == 1e-7);
  assert_int_equal(s->seed, 7);
  /* the ground: each solid where it was put */
  const double above[4][3] = {{-5, 0, -0.5}, {3, 0, 0.5}, {5.45, 0, 0.3}, {9.25, 0.25, 0.5}};
  for (int i = 0; i < 4; i++) {
    const pk_terrain_hit hit = pk_terrain_query(s->terrain, above[i], 2);
    assert_true(isfinite(hit.distance));
    assert_int_equal(hit.material, i == 0 ? 1 : 0);
  }
  pki_scenario_destroy(s);
}

static void what_is_not_given_has_its_default(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario("model: starleth\nduration: 1\n", NULL);
  const pk_sim_options usual = pk_sim_options_default();
  assert_string_equal(s->name, "a"); /* by its file */
  assert_string_equal(s->description, "");
  assert_true(s->gravity[0] == 0 && s->gravity[1] == 0 && s->gravity[2] == -9.81);
  assert_memory_equal(&s->step, &usual, sizeof usual);
  assert_null(s->terrain);
  assert_null(s->controller);
  assert_int_equal(s->npush + s->nmaterial + s->seed, 0);
  assert_true(s->certify == 0);
  pki_scenario_destroy(s);
}

static void numbers_follow_the_core_schema(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
  } numbers[] = {{"1e-3", 1e-3}, {"+2.5", 2.5}, {".5", 0.5},   {"12.", 12},
                 {"0x10", 16},   {"0o17", 15},  {"1E+2", 100}, {"007", 7}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    char set[64];
    snprintf(set, sizeof set, "duration=%s", numbers[i].text);
    pki_scenario *s = good_scenario("model: starleth\nduration: 1\n", set);
    assert_true(s->duration == numbers[i].value);
    pki_scenario_destroy(s);
  }
}

static void overrides_come_before_reading(void **state)
{
  (void)state;
  pki_scenario *s = good_scenario(everything, "models.0.position=[4, 5, 6]");
  assert_true(s->models[0].position[0] == 4 && s->models[0].position[2] == 6);
  pki_scenario_destroy(s);
  s = good_scenario(everything, "step={preset: default}");
  assert_int_equal(s->step.contact, PK_CONTACT_STABILISED);
  assert_true(s->step.dt == 1e-3);
  pki_scenario_destroy(s);
  s = good_scenario(everything, "push.0.force.1=-7");
  assert_true(s->pushes[0].force[1] == -7);
  pki_scenario_destroy(s);
  s = good_scenario(everything, "materials.dirt.friction=0.4");
  assert_true(s->materials[0].material.friction == 0.4);
  pki_scenario_destroy(s);
}

/* `key` in backquotes. */
static void expect_named(const char *page, const char *table, const char *key)
{
  char quoted[128];
  snprintf(quoted, sizeof quoted, "`%s`", key);
  if (strstr(page, quoted) == NULL) {
    fail_msg("docs/formats/scenario.md does not name `%s` of %s", key, table);
  }
}

static void the_documentation_names_every_key_and_word(void **state)
{
  (void)state;
  size_t size;
  char *page = pki_file_read(PK_SOURCE_DIR "/docs/formats/scenario.md", 1 << 20, &size);
  assert_non_null(page);
  for (int i = 0; pki_sections[i] != NULL; i++) {
    assert_greater(strlen(pki_sections[i]->doc), 3);
    expect_named(page, "the whole file", pki_sections[i]->name);
  }
  pki_schema_table table;
  for (int t = 0; pki_schema_get(t, &table); t++) {
    for (int i = 0; i < *table.count; i++) {
      const pk_field *f = &table.fields[i];
      assert_greater(strlen(f->doc), 3);
      expect_named(page, table.name, f->name);
      for (int k = 0; k < pki_field_word_count(f); k++) {
        expect_named(page, f->name, pki_field_word(f, k));
      }
    }
  }
  for (int c = 0; pki_controllers[c] != NULL; c++) {
    expect_named(page, "controllers", pki_controllers[c]->name);
    for (int i = 0; i < pki_controllers[c]->nfield; i++) {
      expect_named(page, pki_controllers[c]->name, pki_controllers[c]->fields[i].name);
    }
  }
  free(page);
}

/* The text of the next ```yaml block, for free(); NULL: there is none. */
static char *next_example(const char **page)
{
  const char *start = strstr(*page, "\n```yaml\n"), *end = start != NULL ? strstr(start + 9, "\n```") : NULL;
  if (end == NULL) {
    return NULL;
  }
  start += 9;
  *page = end + 4;
  char *text = calloc((size_t)(end - start) + 2, 1);
  assert_non_null(text);
  memcpy(text, start, (size_t)(end - start) + 1);
  return text;
}

static void every_example_of_the_documentation_runs(void **state)
{
  (void)state;
  size_t size;
  char *page = pki_file_read(PK_SOURCE_DIR "/docs/formats/scenario.md", 1 << 20, &size);
  assert_non_null(page);
  const char *at = page;
  int count = 0;
  for (char *text; (text = next_example(&at)) != NULL; count++) {
    pki_scenario *s = good_scenario(text, NULL);
    pki_world w = good_world(s);
    pki_world_check_constraints(&w, &s->warnings);
    assert_int_equal(s->warnings.count, 0);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(pki_world_step(&w, NULL), PK_OK);
    }
    pki_world_free(&w);
    pki_scenario_destroy(s);
    free(text);
  }
  assert_at_least(count, 9);
  free(page);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_key_arrives),
      cmocka_unit_test(what_is_not_given_has_its_default),
      cmocka_unit_test(numbers_follow_the_core_schema),
      cmocka_unit_test(overrides_come_before_reading),
      cmocka_unit_test(the_documentation_names_every_key_and_word),
      cmocka_unit_test(every_example_of_the_documentation_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
