/* pronk schema: its structure follows the tables and registries. */
#include <stdio.h>
#include <string.h>

#include "cli/run.h"
#include "scenario/scenario.h"
#include "step/world.h"
#include "support/bounds.h"

static const cJSON *at(const cJSON *o, const char *key)
{
  const cJSON *found = cJSON_GetObjectItemCaseSensitive(o, key);
  if (found == NULL) {
    fail_msg("there is no \"%s\"", key);
  }
  return found;
}

static const cJSON *definition(const cJSON *schema, const char *name)
{
  return strcmp(name, "scenario") == 0 ? schema : at(at(schema, "$defs"), name);
}

static bool is_required(const cJSON *mapping, const char *key)
{
  const cJSON *word;
  cJSON_ArrayForEach(word, at(mapping, "required"))
  {
    if (strcmp(word->valuestring, key) == 0) {
      return true;
    }
  }
  return false;
}

/* One key of a table, as the schema tells it. */
static void expect_field(const cJSON *mapping, const pk_field *f)
{
  const cJSON *schema = at(at(mapping, "properties"), f->name);
  assert_memory_equal(at(schema, "description")->valuestring, f->doc, strlen(f->doc));
  assert_true(cJSON_IsString(cJSON_GetObjectItem(schema, "type")) || cJSON_HasObjectItem(schema, "enum") ||
              cJSON_HasObjectItem(schema, "const") || cJSON_HasObjectItem(schema, "anyOf") ||
              cJSON_HasObjectItem(schema, "$ref"));
  if (f->type != PK_FIELD_PART) {
    assert_int_equal(is_required(mapping, f->name), pki_field_is_required(f));
  }
  if (f->unit[0] != '\0') {
    assert_true(contains(at(schema, "description")->valuestring, f->unit));
  }
  if (pki_field_word_count(f) > 0 && !cJSON_HasObjectItem(schema, "const")) {
    assert_int_equal(cJSON_GetArraySize(at(schema, "enum")), pki_field_word_count(f));
  }
  if (f->type == PK_FIELD_REAL && f->least > -1e300) {
    assert_true(at(schema, "minimum")->valuedouble == f->least);
  }
}

static void every_table_is_in_the_schema(void **state)
{
  (void)state;
  cJSON *schema = run_json("schema", 0);
  assert_string_equal(at(schema, "$schema")->valuestring, "https://json-schema.org/draft/2020-12/schema");
  pki_schema_table table;
  for (int t = 0; pki_schema_get(t, &table); t++) {
    const cJSON *mapping = definition(schema, table.name);
    assert_true(cJSON_IsFalse(at(mapping, "additionalProperties")));
    for (int i = 0; i < *table.count; i++) {
      expect_field(mapping, &table.fields[i]);
    }
  }
  pk_field keys[PKI_SECTIONS_MAX];
  const int count = pki_section_fields(keys);
  assert_greater(count, 10);
  for (int i = 0; i < count; i++) {
    expect_field(definition(schema, "scenario"), &keys[i]);
  }
  cJSON_Delete(schema);
}

static void every_controller_has_its_parameters(void **state)
{
  (void)state;
  cJSON *schema = run_json("schema", 0);
  for (int c = 0; pki_controllers[c] != NULL; c++) {
    char name[80];
    snprintf(name, sizeof name, "controller-%s", pki_controllers[c]->name);
    const cJSON *mapping = definition(schema, name);
    assert_string_equal(at(at(at(mapping, "properties"), "name"), "const")->valuestring,
                        pki_controllers[c]->name);
    for (int i = 0; i < pki_controllers[c]->nfield; i++) {
      expect_field(mapping, &pki_controllers[c]->fields[i]);
    }
  }
  cJSON_Delete(schema);
}

static void every_reference_leads_somewhere(void **state)
{
  (void)state;
  cJSON *schema = run_json("schema", 0);
  run_result r = run("schema");
  int count = 0;
  for (const char *ref = strstr(r.out, "#/$defs/"); ref != NULL; ref = strstr(ref + 1, "#/$defs/")) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(ref + 8, "\""), ref + 8);
    definition(schema, name);
    count++;
  }
  assert_greater(count, 12);
  run_free(&r);
  cJSON_Delete(schema);
}

static void defaults_are_those_of_the_tables(void **state)
{
  (void)state;
  cJSON *schema = run_json("schema", 0);
  const cJSON *record = at(definition(schema, "record"), "properties");
  assert_true(at(at(record, "rate"), "default")->valuedouble == 1000);
  assert_string_equal(at(at(record, "compression"), "default")->valuestring, "lz4");
  const cJSON *step = at(definition(schema, "step"), "properties");
  assert_true(cJSON_IsTrue(at(at(step, "joint_limits"), "default")));
  const cJSON *actuator = at(definition(schema, "actuator"), "properties");
  assert_false(cJSON_HasObjectItem(at(actuator, "effort"), "default")); /* the model's */
  cJSON_Delete(schema);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_table_is_in_the_schema),
      cmocka_unit_test(every_controller_has_its_parameters),
      cmocka_unit_test(every_reference_leads_somewhere),
      cmocka_unit_test(defaults_are_those_of_the_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
