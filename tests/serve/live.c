/* A simulation that clients look at and play with. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/fixture.h"
#include "support/bounds.h"

static const pki_server_options paused = {.paused = true};

static double number(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

/* Where body 0 is after `steps` steps from where the world is, paused. */
static client_frame after(client *c, int steps, double end)
{
  char text[64];
  client_frame frame;
  snprintf(text, sizeof text, "{\"type\":\"step\",\"count\":%d}", steps);
  client_send(c, text);
  client_frame_at(c, end, &frame);
  return frame;
}

static void the_hello_describes_the_world(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &c, &hello);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(hello, "mode")), "live");
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(hello, "name")), "starleth-trot");
  assert_true(number(hello, "protocol") == 1 && number(hello, "dt") == 0.0025 &&
              number(hello, "duration") == 20);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(hello, "read_only")));
  const cJSON *scene = cJSON_GetObjectItem(hello, "scene");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(scene, "bodies")), 13);
  const cJSON *channel = NULL, *parameter = NULL;
  bool bodies = false, forward = false;
  cJSON_ArrayForEach(channel, cJSON_GetObjectItem(hello, "channels"))
  {
    const int columns = cJSON_GetArraySize(cJSON_GetObjectItem(channel, "columns"));
    assert_int_equal(columns, cJSON_GetArraySize(cJSON_GetObjectItem(channel, "units")));
    bodies = bodies || (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(channel, "name")), "bodies") == 0 &&
                        columns == 7 * 13);
  }
  cJSON_ArrayForEach(parameter, cJSON_GetObjectItem(hello, "parameters"))
  {
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(parameter, "key")), "controller.forward") == 0) {
      forward = number(parameter, "value") == 0.3 && number(parameter, "least") == -2 &&
                number(parameter, "most") == 2 && cJSON_IsTrue(cJSON_GetObjectItem(parameter, "live"));
    }
  }
  assert_true(bodies && forward);
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

/* At rest the weight is carried under the centre of mass: GCoM, ZMP, FRI and capture point are the same. */
static void frames_tell_how_stably_the_first_robot_stands(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_frame frame = after(&c, 2000, 2000);
  assert_int_equal(frame.nedge, 4);
  for (int point = 1; point < 4; point++) {
    for (int k = 0; k < 3; k++) {
      assert_near(frame.stance[3 * point + k], frame.stance[k], 1e-3);
    }
  }
  float least = INFINITY;
  for (int i = 0; i < 4; i++) {
    least = fminf(least, frame.edge[7 * i + 6]);
    /* edges follow each other around */
    for (int k = 0; k < 3; k++) {
      assert_near(frame.edge[7 * i + 3 + k], frame.edge[7 * ((i + 1) % 4) + k], 0);
    }
  }
  assert_near(frame.stance[16], least, 0);
  assert_greater(least, 1);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

/* A cube of 2 kg on its face: triangles in the body's frame whose pressures are its weight. */
static void frames_tell_what_presses_on_compliant_surfaces(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(
      &f,
      "duration: 1\nobjects:\n  - {shape: box, size: [0.2, 0.2, 0.2], mass: 2, position: [0, 0, 0.1], "
      "compliance: rubber}\n"
      "terrain:\n  - {shape: plane, material: ground}\nmaterials: {ground: {compliance: rubber}}\n"
      "compliance: {rubber: {stiffness: 1e6, layer: 0.01, dissipation: 5}}\n",
      &paused);
  fixture_client(&f, &c, NULL);
  client_frame frame = after(&c, 500, 500);
  float push = 0;
  assert_greater(frame.nface, 8);
  for (int i = 0; i < frame.nface; i++) {
    const float *face = frame.face + (size_t)12 * (size_t)i, *a = face + 3, *b = face + 6, *d = face + 9;
    assert_true(face[0] == 0 && face[1] >= 0 && face[2] > 0);
    assert_near(a[2], -0.1, 1e-6);
    push += face[2] * fabsf((b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0])) / 2;
  }
  assert_near(push, 2 * 9.81, 0.01);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void worlds_without_a_robot_have_no_stability(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(&f,
               "duration: 1\nobjects:\n  - {shape: sphere, size: [0.1], mass: 1, position: [0, 0, 0.1]}\n"
               "terrain:\n  - shape: plane\n",
               &paused);
  fixture_client(&f, &c, NULL);
  client_frame frame = after(&c, 1, 1);
  assert_int_equal(frame.nedge, -1);
  assert_int_equal(frame.nface, -1); /* and nothing gives way */
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void frames_arrive_while_it_plays_and_time_goes_on(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame a, b;
  fixture_live(&f, "starleth-trot", NULL, &(pki_server_options){0});
  fixture_client(&f, &c, NULL);
  client_frame_read(&c, &a);
  client_frame_from(&c, a.step + 20, &b);
  assert_int_equal(a.nbody, 13);
  assert_less(fabs(b.time - 0.0025 * b.step), 1e-9);
  assert_at_least(b.ncontact, 1);
  assert_at_most(b.ncontact, 4);
  assert_true(b.contact[5] == 1);
  assert_less(fabsf(b.contact[9] - 0.8F), 1e-6F);
  assert_greater(b.contact[8], 0);
  assert_less(fabsf(b.pose[2] - 0.435F), 0.05F);
  assert_less(fabsf(b.com[2] - 0.4F), 0.05F);
  client_frame_free(&a);
  client_frame_free(&b);
  client_close(&c);
  fixture_stop(&f);
}

static void pause_stops_it_and_a_step_is_exactly_that_many_steps(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-trot", NULL, &(pki_server_options){0});
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"pause\"}");
  cJSON *status = client_text_where(&c, "status", "playing", false);
  const double step = round(number(status, "time") / 0.0025);
  cJSON_Delete(status);
  client_frame one = after(&c, 1, step + 1), five = after(&c, 5, step + 6);
  assert_greater(five.time, one.time);
  client_frame_free(&one);
  client_frame_free(&five);
  client_close(&c);
  fixture_stop(&f);
}

static void a_reset_brings_back_the_first_state_to_the_bit(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame start, again;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_frame_at(&c, 0, &start);
  client_frame once = after(&c, 300, 300);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset")); /* comes before the first frame of the new life */
  client_frame_read(&c, &again);
  assert_true(again.step == 0 && again.time == 0 && again.ncontact == start.ncontact);
  assert_memory_equal(start.pose, again.pose, 7 * 13 * sizeof(float));
  client_frame twice = after(&c, 300, 300);
  assert_memory_equal(once.pose, twice.pose, 7 * 13 * sizeof(float));
  assert_greater(fabsf(once.pose[0] - start.pose[0]), 1e-3F);
  client_frame_free(&start);
  client_frame_free(&again);
  client_frame_free(&once);
  client_frame_free(&twice);
  client_close(&c);
  fixture_stop(&f);
}

static void a_push_moves_the_robot_until_it_is_let_go(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_frame calm = after(&c, 20, 20);
  client_send(&c, "{\"type\":\"reset\"}");
  client_send(&c, "{\"type\":\"push\",\"body\":0,\"point\":[0,0,0],\"force\":[0,200,0]}");
  client_frame pushed = after(&c, 20, 20);
  client_send(&c, "{\"type\":\"reset\"}");
  client_send(&c, "{\"type\":\"push\",\"body\":0,\"point\":[0,0,0],\"force\":[0,200,0]}");
  client_send(&c, "{\"type\":\"push\",\"body\":-1}");
  client_frame free_again = after(&c, 20, 20);
  assert_greater(pushed.pose[1], calm.pose[1] + 1e-4F);
  assert_memory_equal(calm.pose, free_again.pose, 7 * 13 * sizeof(float));
  client_send(&c, "{\"type\":\"push\",\"body\":13,\"point\":[0,0,0],\"force\":[0,1,0]}");
  client_error(&c, "13, expected one of 13 bodies");
  client_frame_free(&calm);
  client_frame_free(&pushed);
  client_frame_free(&free_again);
  client_close(&c);
  fixture_stop(&f);
}

/* A force along x above the trunk pitches it forward, one below it backward. */
static void a_push_acts_at_its_point(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_text(
      &f,
      "model: {model: starleth, position: [0, 0, 5]}\ngravity: [0, 0, 0]\nduration: 10\nstep: {dt: 1e-3}\n",
      &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"push\",\"body\":0,\"point\":[0,0,1],\"force\":[100,0,0]}");
  client_frame above = after(&c, 50, 50);
  client_send(&c, "{\"type\":\"reset\"}");
  client_send(&c, "{\"type\":\"push\",\"body\":0,\"point\":[0,0,-1],\"force\":[100,0,0]}");
  client_frame below = after(&c, 50, 50);
  assert_greater(above.pose[0], 0);
  assert_greater(above.pose[5], 1e-4F);
  assert_less(below.pose[5], -1e-4F); /* the quaternion's y */
  client_frame_free(&above);
  client_frame_free(&below);
  client_close(&c);
  fixture_stop(&f);
}

static void speeds_change_while_it_walks_and_other_parameters_restart_it(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_frame at_300 = after(&c, 800, 800);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset"));
  client_send(&c, "{\"type\":\"set\",\"key\":\"controller.forward\",\"value\":\"0.1\"}");
  client_frame slower = after(&c, 800, 800); /* no restart came between: the steps add up */
  assert_less(slower.pose[0], at_300.pose[0] - 0.02F);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset"));
  client_frame again = after(&c, 800, 800); /* a reset keeps what the slider says */
  assert_less(fabsf(again.pose[0] - slower.pose[0]), 0.02F);
  client_frame_free(&again);
  client_send(&c, "{\"type\":\"set\",\"key\":\"materials.rubber.friction\",\"value\":0.5}");
  cJSON_Delete(client_text(&c, "reset"));
  client_frame slippery = after(&c, 800, 800); /* the speed stays what it was set to */
  assert_less(fabsf(slippery.pose[0] - slower.pose[0]), 0.02F);
  for (unsigned i = 0; i < slippery.ncontact; i++) {
    assert_true(slippery.contact[10 * i + 9] == 0.5F);
  }
  client other;
  cJSON *hello = NULL;
  const cJSON *p = NULL;
  fixture_client(&f, &other, &hello);
  cJSON_ArrayForEach(p, cJSON_GetObjectItem(hello, "parameters"))
  {
    const char *key = cJSON_GetStringValue(cJSON_GetObjectItem(p, "key"));
    assert_true(strcmp(key, "controller.forward") != 0 || number(p, "value") == 0.1);
    assert_true(strcmp(key, "materials.rubber.friction") != 0 || number(p, "value") == 0.5);
  }
  cJSON_Delete(hello);
  client_frame_free(&at_300);
  client_frame_free(&slower);
  client_frame_free(&slippery);
  client_close(&other);
  client_close(&c);
  fixture_stop(&f);
}

static void a_wrong_value_is_an_error_and_the_world_goes_on(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-trot", "controller.period=2.5e-3", &paused);
  fixture_client(&f, &c, NULL);
  client_frame before = after(&c, 10, 10);
  client_send(&c, "{\"type\":\"set\",\"key\":\"controller.forward\",\"value\":\"9\"}");
  client_error(&c, "controller.forward: '9', expected a number from -2 to 2 m/s");
  client_send(&c, "{\"type\":\"set\",\"key\":\"controller.forward\",\"value\":\"0.2 # x\"}");
  client_error(&c, "expected a number");
  client_send(&c, "{\"type\":\"set\",\"key\":\"step.dt\",\"value\":\"1e-3\"}");
  client_error(&c, "expected a whole number of steps of 0.001 s");
  client_send(&c, "{\"type\":\"set\",\"key\":\"controller.foward\",\"value\":\"1\"}");
  client_error(&c, "did you mean 'controller.forward'?");
  client_send(&c, "{\"type\":\"set\",\"key\":\"model.model\",\"value\":\"/etc/passwd\"}");
  client_error(&c, "is no parameter that can be changed here");
  client_frame still = after(&c, 1, 11);
  client_frame_free(&before);
  client_frame_free(&still);
  client_close(&c);
  fixture_stop(&f);
}

static void subscribed_values_come_with_every_frame(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame frame;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_send(
      &c, "{\"type\":\"subscribe\",\"values\":[[\"trunk/starleth\",2],[\"com\",0],[\"joints/force\",0]]}");
  do { /* also while it is paused */
    client_frame_read(&c, &frame);
  } while (frame.nvalue == 0 && (client_frame_free(&frame), true));
  assert_int_equal(frame.nvalue, 3);
  client_frame_free(&frame);
  frame = after(&c, 10, 10);
  assert_int_equal(frame.nvalue, 3);
  assert_true(frame.values[0] == frame.pose[2] && frame.values[1] == frame.com[0] && frame.values[2] != 0);
  client_send(&c, "{\"type\":\"subscribe\",\"values\":[[\"joint/force\",0]]}");
  client_error(&c, "did you mean 'joints/force'?");
  client_send(&c, "{\"type\":\"subscribe\",\"values\":[[\"com\",6]]}");
  client_error(&c, "channel 'com' has 6 columns");
  client_send(&c, "{\"type\":\"subscribe\",\"values\":[[\"contacts\",0]]}");
  client_error(&c, "is a table");
  client_frame_free(&frame);
  frame = after(&c, 1, 11); /* the old subscription stands */
  assert_int_equal(frame.nvalue, 3);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void it_goes_on_beyond_its_duration(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame frame;
  fixture_live(&f, "starleth-trot", "duration=0.05", &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"speed\",\"value\":0}");
  client_send(&c, "{\"type\":\"play\"}");
  client_frame_from(&c, 40, &frame);
  client_frame_free(&frame);
  client_send(&c, "{\"type\":\"pause\"}");
  cJSON *status = client_text_where(&c, "status", "playing", false);
  while (number(status, "time") == 0) { /* the one from before it played */
    cJSON_Delete(status);
    status = client_text_where(&c, "status", "playing", false);
  }
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(status, "ended")));
  assert_greater(number(status, "time"), 0.099);
  cJSON_Delete(status);
  client_close(&c);
  fixture_stop(&f);
}

static void the_clock_waits_for_the_first_client(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame frame;
  fixture_live(&f, "starleth-trot", NULL, &(pki_server_options){0});
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  assert_true(f.source->time == 0); /* nobody steps it */
  fixture_client(&f, &c, NULL);
  client_frame_from(&c, 10, &frame);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static double value_of(const cJSON *message, const char *key)
{
  const cJSON *p = NULL;
  cJSON_ArrayForEach(p, cJSON_GetObjectItem(message, "parameters"))
  {
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(p, "key")), key) == 0) {
      return number(p, "value");
    }
  }
  return NAN;
}

static void all_clients_hear_of_a_new_value_and_the_sender_of_a_refused_one(void **state)
{
  (void)state;
  fixture f;
  client a, b;
  fixture_live(&f, "starleth-trot", NULL, &paused);
  fixture_client(&f, &a, NULL);
  fixture_client(&f, &b, NULL);
  client_send(&a, "{\"type\":\"set\",\"key\":\"duration\",\"value\":\"7\"}");
  client *const both[] = {&a, &b};
  for (int i = 0; i < 2; i++) {
    cJSON *said = client_text(both[i], "parameters");
    assert_true(value_of(said, "duration") == 7 && number(said, "duration") == 7 &&
                number(said, "dt") == 0.0025 && value_of(said, "controller.forward") == 0.3);
    cJSON_Delete(said);
  }
  client_send(&a, "{\"type\":\"set\",\"key\":\"controller.forward\",\"value\":\"9\"}");
  cJSON *refused = client_text(&a, "error");
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(refused, "key")), "controller.forward");
  cJSON_Delete(refused);
  client_close(&a);
  client_close(&b);
  fixture_stop(&f);
}

static void a_step_that_fails_pauses_with_a_word_and_a_reset_helps(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame frame;
  fixture_live(&f, "starleth-drop", "step.max_contacts=1", &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"speed\",\"value\":0}");
  client_send(&c, "{\"type\":\"play\"}");
  cJSON *status = client_text(&c, "status");
  while (cJSON_GetStringValue(cJSON_GetObjectItem(status, "message"))[0] == '\0') {
    cJSON_Delete(status);
    status = client_text(&c, "status");
  }
  assert_non_null(strstr(cJSON_GetStringValue(cJSON_GetObjectItem(status, "message")), "max_contacts"));
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(status, "playing")));
  cJSON_Delete(status);
  client_send(&c, "{\"type\":\"reset\"}");
  cJSON_Delete(client_text(&c, "reset"));
  client_frame_at(&c, 0, &frame);
  client_frame_free(&frame);
  frame = after(&c, 1, 1);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void what_belongs_to_recordings_is_refused(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"seek\",\"time\":1}");
  client_error(&c, "'seek' has no meaning in a live simulation");
  client_send(&c, "{\"type\":\"step\",\"count\":-1}");
  client_error(&c, "only a recording can be stepped back");
  client_send(&c, "{\"type\":\"series\",\"channel\":\"com\",\"column\":0}");
  client_error(&c, "'series' has no meaning");
  client_send(&c, "{\"type\":\"frame\",\"time\":0}");
  client_error(&c, "'frame' has no meaning except for rendering");
  client_close(&c);
  fixture_stop(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hello_describes_the_world),
      cmocka_unit_test(frames_tell_how_stably_the_first_robot_stands),
      cmocka_unit_test(frames_tell_what_presses_on_compliant_surfaces),
      cmocka_unit_test(worlds_without_a_robot_have_no_stability),
      cmocka_unit_test(frames_arrive_while_it_plays_and_time_goes_on),
      cmocka_unit_test(pause_stops_it_and_a_step_is_exactly_that_many_steps),
      cmocka_unit_test(a_reset_brings_back_the_first_state_to_the_bit),
      cmocka_unit_test(a_push_moves_the_robot_until_it_is_let_go),
      cmocka_unit_test(a_push_acts_at_its_point),
      cmocka_unit_test(speeds_change_while_it_walks_and_other_parameters_restart_it),
      cmocka_unit_test(a_wrong_value_is_an_error_and_the_world_goes_on),
      cmocka_unit_test(subscribed_values_come_with_every_frame),
      cmocka_unit_test(it_goes_on_beyond_its_duration),
      cmocka_unit_test(the_clock_waits_for_the_first_client),
      cmocka_unit_test(all_clients_hear_of_a_new_value_and_the_sender_of_a_refused_one),
      cmocka_unit_test(a_step_that_fails_pauses_with_a_word_and_a_reset_helps),
      cmocka_unit_test(what_belongs_to_recordings_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
