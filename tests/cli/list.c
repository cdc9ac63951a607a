/* pronk list. */
#include "cli/run.h"
#include "support/bounds.h"

#include <stdio.h>
#include <string.h>

static bool has_item(const cJSON *items, const char *name)
{
  const cJSON *item;
  cJSON_ArrayForEach(item, items)
  {
    if (strcmp(cJSON_GetObjectItem(item, "name")->valuestring, name) == 0) {
      return true;
    }
  }
  return false;
}

static void the_lists_hold_what_there_is(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"models", "starleth"},   {"models", "chain:N"},        {"steppers", "rk4"},
      {"steppers", "euler"},    {"studies", "pendulum"},      {"benches", "dynamics"},
      {"joints", "revolute"},   {"roots", "chain"},           {"shapes", "capsule"},
      {"isas", "base"},         {"commands", "info"},         {"gaits", "trot"},
      {"sensors", "contacts"},  {"channels", "joints/force"}, {"broads", "tree"},
      {"motors", "maxon-re40"}, {"narrows", "volumes"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char line[64];
    snprintf(line, sizeof line, "list %s --json", cases[i][0]);
    cJSON *o = run_json(line, 0);
    assert_string_equal(cJSON_GetObjectItem(o, "list")->valuestring, cases[i][0]);
    assert_true(has_item(cJSON_GetObjectItem(o, "items"), cases[i][1]));
    cJSON_Delete(o);
  }
}

static void every_list_of_the_lists_can_be_printed(void **state)
{
  (void)state;
  cJSON *o = run_json("list --json", 0);
  const cJSON *item;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(o, "items"))
  {
    char line[64];
    snprintf(line, sizeof line, "list %s", cJSON_GetObjectItem(item, "name")->valuestring);
    run_result r = run(line);
    assert_int_equal(r.status, 0);
    assert_true(r.out[0] != '\0');
    run_free(&r);
  }
  cJSON_Delete(o);
}

static void every_item_says_what_it_is(void **state)
{
  (void)state;
  static const char *const lists[] = {"models",   "steppers", "studies", "benches", "joints",
                                      "roots",    "shapes",   "isas",    "gaits",   "sensors",
                                      "channels", "broads",   "narrows"};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    char line[64];
    snprintf(line, sizeof line, "list %s --json", lists[i]);
    cJSON *o = run_json(line, 0);
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(o, "items"))
    {
      assert_greater(strlen(cJSON_GetObjectItem(item, "doc")->valuestring), 3);
    }
    cJSON_Delete(o);
  }
}

static void every_model_of_the_list_is_ok(void **state)
{
  (void)state;
  cJSON *o = run_json("list models --json", 0);
  const cJSON *item;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(o, "items"))
  {
    const char *name = cJSON_GetObjectItem(item, "name")->valuestring;
    char line[128];
    snprintf(line, sizeof line, "check %s --json", strcmp(name, "chain:N") == 0 ? "chain:3" : name);
    cJSON *checked = run_json(line, 0);
    cJSON_Delete(checked);
  }
  cJSON_Delete(o);
}

/* --set may change any value: what a scenario says of itself must stay true. */
static void descriptions_of_scenarios_state_no_numbers(void **state)
{
  (void)state;
  cJSON *o = run_json("list scenarios --json", 0);
  const cJSON *item;
  assert_greater(cJSON_GetArraySize(cJSON_GetObjectItem(o, "items")), 10);
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(o, "items"))
  {
    const char *doc = cJSON_GetObjectItem(item, "doc")->valuestring;
    if (strpbrk(doc, "0123456789") != NULL) {
      fail_msg("%s: %s", cJSON_GetObjectItem(item, "name")->valuestring, doc);
    }
  }
  cJSON_Delete(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_lists_hold_what_there_is),
      cmocka_unit_test(every_list_of_the_lists_can_be_printed),
      cmocka_unit_test(every_item_says_what_it_is),
      cmocka_unit_test(every_model_of_the_list_is_ok),
      cmocka_unit_test(descriptions_of_scenarios_state_no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
