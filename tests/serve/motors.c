/* Motors and gains of a simulation that clients look at and play with. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/fixture.h"
#include "support/bounds.h"

static const pki_server_options paused = {.paused = true};

static double number(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  if (!cJSON_IsNumber(item)) {
    fail_msg("'%s' is no number", name);
  }
  return item->valuedouble;
}

/* The item of a list whose `field` is `text`; NULL: there is none. */
static const cJSON *item_of(const cJSON *message, const char *list, const char *field, const char *text)
{
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(message, list))
  {
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(item, field)), text) == 0) {
      return item;
    }
  }
  return NULL;
}

static const cJSON *parameter(const cJSON *message, const char *key)
{
  const cJSON *found = item_of(message, "parameters", "key", key);
  if (found == NULL) {
    fail_msg("there is no parameter '%s'", key);
  }
  return found;
}

static bool is_live(const cJSON *message, const char *key)
{
  return cJSON_IsTrue(cJSON_GetObjectItem(parameter(message, key), "live"));
}

static double motor(const cJSON *message, const char *name, const char *field)
{
  const cJSON *found = item_of(message, "motors", "name", name);
  if (found == NULL) {
    fail_msg("there is no motor '%s'", name);
  }
  return number(found, field);
}

static void set(client *c, const char *key, const char *value)
{
  char text[160];
  snprintf(text, sizeof text, "{\"type\":\"set\",\"key\":\"%s\",\"value\":\"%s\"}", key, value);
  client_send(c, text);
}

/* The first subscribed value after `steps` more steps, up to `end`: a world that started anew never gets there. */
static double value_after(client *c, int steps, double end)
{
  char text[64];
  client_frame frame;
  snprintf(text, sizeof text, "{\"type\":\"step\",\"count\":%d}", steps);
  client_send(c, text);
  client_frame_at(c, end, &frame);
  assert_at_least(frame.nvalue, 1);
  const double value = frame.values[0];
  client_frame_free(&frame);
  return value;
}

static void subscribe(client *c, const char *channel, int column)
{
  char text[160];
  snprintf(text, sizeof text, "{\"type\":\"subscribe\",\"values\":[[\"%s\",%d]]}", channel, column);
  client_send(c, text);
}

static void the_hello_has_what_motors_can_do_and_which_body_they_move(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_live(&f, "starleth-sea", NULL, &paused);
  fixture_client(&f, &c, &hello);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(hello, "motors")), 12);
  assert_true(fabs(motor(hello, "LF_KFE", "constant") - 100 * 0.0136) < 1e-12);
  assert_true(motor(hello, "LF_KFE", "resistance") == 0.102 && motor(hello, "LF_KFE", "voltage") == 24);
  assert_true(motor(hello, "LF_KFE", "current") == 25);
  assert_true(motor(hello, "LF_KFE", "ambient") == 25 && motor(hello, "LF_KFE", "temperature") == 155);
  const cJSON *scene = cJSON_GetObjectItem(hello, "scene"),
              *joint = item_of(scene, "joints", "name", "LF_KFE");
  if (joint == NULL) {
    fail_msg("the scene has no joint LF_KFE");
    return;
  }
  const cJSON *body = cJSON_GetArrayItem(cJSON_GetObjectItem(scene, "bodies"), (int)number(joint, "body"));
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(body, "name")), "LF_SHANK");
  static const char *const channels[] = {"actuators/current", "actuators/temperature",
                                         "actuators/rotor_velocity", "actuators/voltage"};
  for (int i = 0; i < 4; i++) {
    const cJSON *channel = item_of(hello, "channels", "name", channels[i]);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(channel, "columns")), 12);
  }
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

static void a_robot_without_motors_has_an_empty_list(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, &hello);
  const cJSON *motors = cJSON_GetObjectItem(hello, "motors");
  assert_true(cJSON_IsArray(motors));
  assert_int_equal(cJSON_GetArraySize(motors), 0);
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

static void readings_of_sensors_are_values_to_subscribe_to(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_live(&f, "starleth-blind", NULL, &paused);
  fixture_client(&f, &c, &hello);
  const cJSON *channel = item_of(hello, "channels", "name", "sensors"), *column = NULL;
  int gravity = -1, i = 0;
  cJSON_ArrayForEach(column, cJSON_GetObjectItem(channel, "columns"))
  {
    gravity = strcmp(cJSON_GetStringValue(column), "imu/base.az") == 0 ? i : gravity;
    i++;
  }
  assert_at_least(gravity, 0);
  subscribe(&c, "sensors", gravity);
  assert_less(fabs(value_after(&c, 100, 100) - 9.81), 1); /* it stands */
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

static void every_number_of_an_actuator_is_a_parameter(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_live(&f, "starleth-dc", NULL, &paused);
  fixture_client(&f, &c, &hello);
  assert_true(number(parameter(hello, "actuators.0.gear"), "value") == 100);
  assert_true(number(parameter(hello, "actuators.0.voltage"), "value") == 24);
  assert_true(fabs(number(parameter(hello, "actuators.0.inertia"), "value") - 3.33e-6) < 1e-15);
  assert_true(is_live(hello, "actuators.0.constant") && is_live(hello, "actuators.0.resistance"));
  assert_false(is_live(hello, "actuators.0.gear") || is_live(hello, "actuators.0.current"));
  assert_false(is_live(hello, "actuators.0.friction")); /* it is 0, and no factor makes it more */
  assert_null(item_of(hello, "parameters", "key", "actuators.0.spring"));
  const cJSON *group = cJSON_GetObjectItem(parameter(hello, "actuators.0.gear"), "group");
  assert_string_equal(cJSON_GetStringValue(group), "actuators.0: dc *");
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

/* A body of 1 kg is held out level, 1 m from its hinge: 9.81 N m. */
#define LEVEL \
  "model: {model: pendulum, joints: {hinge: 1.5707963267948966}}\nduration: 100\nstep: {dt: 2e-3}\n"
#define DRIVE \
  "actuators: [{joints: hinge, kind: sea, resistance: 0.1, constant: 0.05, inertia: 1e-4, gear: 50, " \
  "spring: 400, " \
  "spring_damping: 20}]\n"

static void gains_of_hold_change_while_it_holds(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f, LEVEL "controller: {name: hold, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "state/q", 0);
  const double level = 1.5707963267948966, soft = level - value_after(&c, 1500, 1500);
  set(&c, "controller.kp", "2000");
  const double stiff = level - value_after(&c, 1500, 3000);
  assert_less(fabs(500 * soft - 9.81 * cos(soft)), 1e-3);
  assert_less(fabs(2000 * stiff - 9.81 * cos(stiff)), 1e-3);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset"));
  assert_less(fabs(level - value_after(&c, 1500, 1500) - stiff), 1e-6); /* a reset keeps it */
  client_close(&c);
  fixture_stop(&f);
}

static void gains_of_track_change_while_it_tracks(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f, LEVEL "controller: {name: track, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "state/q", 0);
  const double level = 1.5707963267948966, soft = level - value_after(&c, 1500, 1500);
  set(&c, "controller.ki", "1500");
  const double integrated = level - value_after(&c, 4000, 5500);
  assert_less(fabs(500 * soft - 9.81 * cos(soft)), 1e-3);
  assert_less(fabs(integrated), 1e-4);
  client_close(&c);
  fixture_stop(&f);
}

static void the_spring_of_a_motor_changes_while_it_carries(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f, LEVEL DRIVE "controller: {name: hold, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "actuators/spring_deflection", 0);
  const double load = 9.81 * cos(9.81 / 500); /* the joint sags by 9.81/500 rad */
  assert_less(fabs(400 * value_after(&c, 3000, 3000) - load), 1e-2);
  set(&c, "actuators.0.spring", "200");
  assert_less(fabs(200 * value_after(&c, 3000, 6000) - load), 1e-2);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset"));
  assert_less(fabs(200 * value_after(&c, 3000, 3000) - load), 1e-2); /* a reset keeps it */
  client_close(&c);
  fixture_stop(&f);
}

static void a_motor_constant_changes_at_once_and_a_gear_starts_the_world_anew(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f, LEVEL DRIVE "controller: {name: hold, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "actuators/current", 0);
  const double load = 9.81 * cos(9.81 / 500);
  assert_less(fabs(2.5 * value_after(&c, 3000, 3000) - load), 1e-2);
  set(&c, "actuators.0.constant", "0.1");
  cJSON *said = client_text(&c, "parameters");
  assert_true(fabs(motor(said, "hinge", "constant") - 5) < 1e-12 &&
              number(parameter(said, "actuators.0.constant"), "value") == 0.1);
  cJSON_Delete(said);
  assert_less(fabs(5 * value_after(&c, 3000, 6000) - load), 1e-2);
  set(&c, "actuators.0.gear", "100");
  cJSON_Delete(client_text(&c, "reset"));
  assert_less(fabs(10 * value_after(&c, 3000, 3000) - load), 1e-2); /* with the constant as it was set */
  client_close(&c);
  fixture_stop(&f);
}

/* 0 cannot be reached by factors, and nothing is a multiple of it: there and back are new worlds. */
static void a_friction_of_zero_starts_the_world_anew(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f, LEVEL DRIVE "controller: {name: hold, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  static const char *const values[] = {"0.01", "0"};
  for (int i = 0; i < 2; i++) {
    set(&c, "actuators.0.friction", values[i]);
    cJSON *said = client_text(&c, "parameters");
    assert_int_equal(is_live(said, "actuators.0.friction"), i == 0);
    cJSON_Delete(said);
    cJSON_Delete(client_text(&c, "reset"));
  }
  client_close(&c);
  fixture_stop(&f);
}

static void wrong_values_of_actuators_are_refused_and_change_nothing(void **state)
{
  (void)state;
  static const struct {
    const char *key, *value, *why;
  } wrong[] = {{"actuators.0.gear", "-1", "expected a number from 1e-06 to 1e+09"},
               {"actuators.0.gear", "nan", "expected a number"},
               {"actuators.0.gear", "inf", "expected a number"},
               {"actuators.0.gear", "", "expected a number"},
               {"actuators.0.gear", "7 kind: dc", "expected a number"},
               {"actuators.0.constant", "0", "expected a number from 1e-09"},
               {"actuators.0.spring", "0", "a sea needs a spring above 0"},
               {"actuators.0.temperature", "100", "needs the four values of heat"},
               {"actuators.1.gear", "2", "did you mean 'actuators.0.gear'?"},
               {"actuators.0.kind", "dc", "is no parameter that can be changed here"},
               {"actuators.0.joints", "*", "is no parameter that can be changed here"},
               {"actuators", "[]", "is no parameter that can be changed here"}};
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_text(&f, LEVEL DRIVE "controller: {name: hold, kp: 500, kd: 114}\n", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "actuators/current", 0);
  value_after(&c, 10, 10);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    set(&c, wrong[i].key, wrong[i].value);
    client_error(&c, wrong[i].why);
  }
  value_after(&c, 1, 11);
  client other;
  fixture_client(&f, &other, &hello);
  assert_true(number(parameter(hello, "actuators.0.gear"), "value") == 50 &&
              number(parameter(hello, "actuators.0.spring"), "value") == 400 &&
              motor(hello, "hinge", "constant") == 2.5);
  cJSON_Delete(hello);
  client_close(&other);
  client_close(&c);
  fixture_stop(&f);
}

static void an_entry_without_a_kind_has_what_it_gives(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_text(&f,
               LEVEL "actuators: [{joints: hinge, effort: 8}]\ncontroller: {name: hold, kp: 500, kd: 114}\n",
               &paused);
  fixture_client(&f, &c, &hello);
  assert_true(number(parameter(hello, "actuators.0.effort"), "value") == 8);
  assert_null(item_of(hello, "parameters", "key", "actuators.0.damping"));
  cJSON_Delete(hello);
  subscribe(&c, "joints/force", 0);
  assert_less(fabs(fabs(value_after(&c, 200, 200)) - 8), 1e-6); /* too weak to hold */
  set(&c, "actuators.0.effort", "20");
  cJSON_Delete(client_text(&c, "reset"));
  assert_greater(fabs(value_after(&c, 1500, 1500)), 9.8);
  client_close(&c);
  fixture_stop(&f);
}

static void height_and_cycle_of_a_gait_change_while_it_walks(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "trunk/starleth", 2);
  const double before = value_after(&c, 1200, 1200);
  set(&c, "controller.height", "0.36");
  set(&c, "controller.cycle", "0.6");
  set(&c, "controller.lift", "0.06");
  const double after = value_after(&c, 1600, 2800);
  assert_greater(before, 0.4);
  assert_less(fabs(after - before - (0.36 - 0.41)), 0.015); /* the scenario's stand has its hips 0.41 m up */
  set(&c, "controller.cycle", "0.05"); /* what ranges alone do not tell is checked, too */
  client_error(&c, "expected 0 (the gait's own) or 0.1 to 10");
  value_after(&c, 1, 2801);
  client_close(&c);
  fixture_stop(&f);
}

/* A slider that is no speed leaves the speeds of a schedule alone; one that is stands above them. */
static void a_schedule_of_gaits_goes_on_until_a_speed_is_asked_for(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-gaits", "controller.gaits=[{at: 1, gait: trot, forward: 0.4}]", &paused);
  fixture_client(&f, &c, NULL);
  subscribe(&c, "trunk/starleth", 0);
  value_after(&c, 100, 100);
  set(&c, "controller.friction", "0.55");
  const double walked = value_after(&c, 1900, 2000);
  assert_greater(walked, 0.9); /* 4 s at 0.4 m/s less the start; the scenario's own 0.07 m/s make 0.4 m */
  set(&c, "controller.forward", "0");
  const double slow = value_after(&c, 800, 2800), stopped = value_after(&c, 800, 3600);
  assert_less(fabs(stopped - slow), 0.1);
  client_close(&c);
  fixture_stop(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hello_has_what_motors_can_do_and_which_body_they_move),
      cmocka_unit_test(a_robot_without_motors_has_an_empty_list),
      cmocka_unit_test(readings_of_sensors_are_values_to_subscribe_to),
      cmocka_unit_test(every_number_of_an_actuator_is_a_parameter),
      cmocka_unit_test(gains_of_hold_change_while_it_holds),
      cmocka_unit_test(gains_of_track_change_while_it_tracks),
      cmocka_unit_test(the_spring_of_a_motor_changes_while_it_carries),
      cmocka_unit_test(a_motor_constant_changes_at_once_and_a_gear_starts_the_world_anew),
      cmocka_unit_test(a_friction_of_zero_starts_the_world_anew),
      cmocka_unit_test(wrong_values_of_actuators_are_refused_and_change_nothing),
      cmocka_unit_test(an_entry_without_a_kind_has_what_it_gives),
      cmocka_unit_test(height_and_cycle_of_a_gait_change_while_it_walks),
      cmocka_unit_test(a_schedule_of_gaits_goes_on_until_a_speed_is_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
