/* A recording that clients look at. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/run.h"
#include "serve/fixture.h"
#include "support/bounds.h"

static const pki_server_options paused = {.paused = true};
static char folder[64], recording[96];

/* StarLETH stands for a second. */
static int record(void **state)
{
  (void)state;
  pki_scenario *scenario = NULL;
  pki_world world = {0};
  pki_run_result result = {0};
  pk_error err = {0};
  static const char *const sets[] = {"push=[{link: base, at: 0.2, for: 0.3, force: [0, 60, 0]}]",
                                     "record.view_rate=60"};
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  snprintf(folder, sizeof folder, "replay.%ld", (long)getpid());
  snprintf(recording, sizeof recording, "%s/run.mcap", folder);
  const pki_run_options options = {.duration = 1, .folder = folder, .no_report = true};
  pk_status status =
      pki_scenario_load(PK_SOURCE_DIR "/scenarios/starleth-stand.yaml", sets, 2, &scenario, &err);
  status = status == PK_OK ? pki_world_create(scenario, &world, &err) : status;
  status = status == PK_OK ? pki_run(&world, &options, &result, &err) : status;
  if (status != PK_OK) {
    print_error("%s: %s\n", err.field, err.message);
  }
  pki_run_result_free(&result);
  pki_world_free(&world);
  pki_scenario_destroy(scenario);
  return status == PK_OK ? 0 : -1;
}

static int forget(void **state)
{
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static double number(const cJSON *o, const char *name)
{
  const cJSON *item = cJSON_GetObjectItem(o, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

/* The next frame that shows that time. */
static void frame_of(client *c, double time, client_frame *out)
{
  client_frame_read(c, out);
  while (fabs(out->time - time) > 1e-9) {
    client_frame_free(out);
    client_frame_read(c, out);
  }
}

static void seek(client *c, double time, client_frame *out)
{
  char text[80];
  snprintf(text, sizeof text, "{\"type\":\"seek\",\"time\":%.17g}", time);
  client_send(c, text);
  frame_of(c, fmin(fmax(time, 0), 1), out);
}

static void the_hello_tells_of_a_recording(void **state)
{
  (void)state;
  fixture f;
  client c;
  cJSON *hello = NULL;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, &hello);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(hello, "mode")), "replay");
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(hello, "name")), "starleth-stand");
  assert_true(number(hello, "start") == 0 && number(hello, "duration") == 1 && number(hello, "dt") == 0.0025);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(hello, "parameters")), 0);
  assert_true(cJSON_IsArray(cJSON_GetObjectItem(hello, "motors")));
  const cJSON *scene = cJSON_GetObjectItem(hello, "scene");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(scene, "bodies")), 13);
  cJSON_Delete(hello);
  client_close(&c);
  fixture_stop(&f);
}

static void a_seek_shows_that_moment_with_poses_between_samples(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame a, b, middle, late;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"subscribe\",\"values\":[[\"trunk/starleth\",2],[\"com\",0]]}");
  seek(&c, 0.4, &a); /* in the middle of the push */
  client_frame_free(&a);
  client_send(&c, "{\"type\":\"step\",\"count\":1}");
  client_frame_read(&c, &a);
  client_send(&c, "{\"type\":\"step\",\"count\":1}");
  client_frame_read(&c, &b);
  assert_greater(b.time, a.time);
  assert_less(b.time - a.time, 0.03);
  seek(&c, 0.5 * (a.time + b.time), &middle);
  assert_true(a.pose[1] != b.pose[1]);
  assert_less(fabsf(middle.pose[1] - 0.5F * (a.pose[1] + b.pose[1])), 1e-6F);
  int most = 3; /* the part of a quaternion that changes most */
  for (int k = 0; k < 7 * 13; k++) {
    most = k % 7 >= 3 && fabsf(a.pose[k] - b.pose[k]) > fabsf(a.pose[most] - b.pose[most]) ? k : most;
  }
  assert_greater(fabsf(a.pose[most] - b.pose[most]), 1e-5F);
  assert_less(fabsf(middle.pose[most] - 0.5F * (a.pose[most] + b.pose[most])), 1e-6F);
  double length = 0;
  for (int k = 3; k < 7; k++) {
    length += (double)middle.pose[k] * (double)middle.pose[k];
  }
  assert_less(fabs(length - 1), 1e-6);
  assert_int_equal(middle.nvalue, 2);
  assert_int_equal(middle.ncontact, 4);
  assert_less(fabsf(middle.values[0] - middle.pose[2]), 1e-4F);
  seek(&c, 99, &late); /* no farther than there is something */
  assert_true(late.time == 1);
  client_frame_free(&a);
  client_frame_free(&b);
  client_frame_free(&middle);
  client_frame_free(&late);
  client_close(&c);
  fixture_stop(&f);
}

/* The scenario has no section `stability`: it is computed from states and contacts. */
static void frames_of_a_recording_tell_how_stably_the_robot_stood(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame rest, pushed;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, NULL);
  seek(&c, 0.15, &rest);
  seek(&c, 0.4, &pushed); /* 60 N to the left */
  assert_int_equal(rest.nedge, 4);
  assert_int_equal(pushed.nedge, 4);
  /* 60 N at the trunk's height of about 0.43 m move the ZMP by 60 x 0.43 / weight, 250 N: towards +y, less what accelerates it */
  assert_near(rest.stance[4], rest.stance[1], 5e-3);
  assert_greater(pushed.stance[4] - pushed.stance[1], 0.03);
  client_frame_free(&rest);
  client_frame_free(&pushed);
  client_close(&c);
  fixture_stop(&f);
}

static void steps_go_from_sample_to_sample_in_both_directions(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame a, b, back;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, NULL);
  client_frame_read(&c, &a);
  client_frame_free(&a);
  client_send(&c, "{\"type\":\"step\",\"count\":5}");
  client_frame_read(&c, &a);
  client_send(&c, "{\"type\":\"step\",\"count\":1}");
  client_frame_read(&c, &b);
  client_send(&c, "{\"type\":\"step\",\"count\":-1}");
  client_frame_read(&c, &back);
  assert_greater(a.time, 0.07);
  assert_less(a.time, 0.1);
  assert_greater(b.time, a.time);
  assert_true(back.time == a.time);
  assert_memory_equal(a.pose, back.pose, 7 * 13 * sizeof(float));
  client_frame_free(&back);
  client_send(&c, "{\"type\":\"step\",\"count\":-100}");
  client_frame_read(&c, &back);
  assert_true(back.time == 0);
  client_frame_free(&a);
  client_frame_free(&b);
  client_frame_free(&back);
  client_close(&c);
  fixture_stop(&f);
}

static void it_plays_to_its_end_pauses_and_starts_again(void **state)
{
  (void)state;
  fixture f;
  client c;
  client_frame frame;
  fixture_replay(&f, recording, &(pki_server_options){0});
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"speed\",\"value\":4}");
  cJSON *status = client_text_where(&c, "status", "ended", true);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(status, "playing")) && number(status, "time") == 1);
  cJSON_Delete(status);
  client_send(&c, "{\"type\":\"speed\",\"value\":0.01}");
  client_send(&c, "{\"type\":\"play\"}");
  cJSON_Delete(client_text(&c, "reset"));
  client_frame_read(&c, &frame);
  assert_less(frame.time, 0.5);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void a_series_is_the_whole_recording_thinned_with_its_peaks(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"series\",\"channel\":\"trunk/starleth\",\"column\":1}");
  cJSON *o = client_text(&c, "series");
  const cJSON *time = cJSON_GetObjectItem(o, "time"), *values = cJSON_GetObjectItem(o, "values");
  const int n = cJSON_GetArraySize(time);
  assert_greater(n, 100);
  assert_at_most(n, 2000);
  assert_true(n == cJSON_GetArraySize(values));
  assert_true(cJSON_GetArrayItem(time, 0)->valuedouble == 0 &&
              cJSON_GetArrayItem(time, n - 1)->valuedouble == 1);
  double most = 0, last = -1;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, values)
  {
    most = fmax(most, item->valuedouble);
  }
  cJSON_ArrayForEach(item, time)
  {
    assert_greater(item->valuedouble, last);
    last = item->valuedouble;
  }
  assert_greater(most, 1e-3); /* the push is in it */
  cJSON_Delete(o);
  client_send(&c, "{\"type\":\"series\",\"channel\":\"trunk\",\"column\":1}");
  client_error(&c, "there is no channel 'trunk'");
  client_close(&c);
  fixture_stop(&f);
}

static void nobody_pushes_or_changes_what_has_been(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_replay(&f, recording, &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{\"type\":\"push\",\"body\":0,\"point\":[0,0,0],\"force\":[1,0,0]}");
  client_error(&c, "'push' has no meaning in a recording");
  client_send(&c, "{\"type\":\"set\",\"key\":\"duration\",\"value\":1}");
  client_error(&c, "'set' has no meaning in a recording");
  client_close(&c);
  fixture_stop(&f);
}

/* ---- rendering ---- */

typedef struct gallery {
  pthread_mutex_t lock;
  int count;
  double time;
  size_t size;
} gallery;

static void hang(void *user, double time, const void *png, size_t size)
{
  gallery *g = user;
  pthread_mutex_lock(&g->lock);
  g->count += ((const unsigned char *)png)[size - 1] == 0x5a;
  g->time = time;
  g->size = size;
  pthread_mutex_unlock(&g->lock);
}

static void a_renderer_gets_the_frames_that_it_asks_for_and_sends_pictures(void **state)
{
  (void)state;
  enum { SIZE = 300000 };
  fixture f;
  client c;
  client_frame frame;
  gallery g = {.lock = PTHREAD_MUTEX_INITIALIZER};
  unsigned char *picture = malloc(SIZE);
  assert_non_null(picture);
  memset(picture, 0x5a, SIZE);
  const pki_server_options render = {.render = true, .picture = hang, .user = &g};
  cJSON *hello = NULL;
  fixture_replay(&f, recording, &render);
  fixture_client(&f, &c, &hello);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(hello, "mode")), "render");
  cJSON_Delete(hello);
  for (int i = 0; i < 5; i++) {
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"frame\",\"time\":%.17g}", 0.1 * i);
    client_send(&c, text);
    client_frame_read(&c, &frame); /* the very next one: nobody else's comes between */
    assert_true(frame.time == 0.1 * i);
    client_frame_free(&frame);
    client_send_raw(&c, 2, picture, SIZE);
  }
  client_send(&c, "{\"type\":\"frame\",\"time\":0.9}");
  client_frame_read(&c, &frame); /* after that all pictures have been taken */
  client_frame_free(&frame);
  pthread_mutex_lock(&g.lock);
  assert_int_equal(g.count, 5);
  assert_int_equal(g.size, SIZE);
  assert_true(g.time == 0.1 * 4);
  pthread_mutex_unlock(&g.lock);
  client other;
  assert_int_equal(client_try(&other, f.port, &(client_options){.token = f.token}),
                   503); /* it has the stage alone */
  client_close(&other);
  client_close(&c);
  fixture_stop(&f);
  free(picture);
}

/* ---- files ---- */

static void copy(const char *from, const char *to, size_t size)
{
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  char *bytes = malloc(size);
  assert_true(in != NULL && out != NULL && bytes != NULL);
  assert_int_equal(fread(bytes, 1, size, in), size);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(in);
  fclose(out);
  free(bytes);
}

static long size_of(const char *path)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  return size;
}

static void a_recording_that_grows_is_followed(void **state)
{
  (void)state;
  char path[128];
  fixture f;
  client c;
  cJSON *hello = NULL;
  const size_t size = (size_t)size_of(recording);
  snprintf(path, sizeof path, "%s/grows.mcap", folder);
  copy(recording, path, size * 6 / 10); /* as it was some time before the end */
  fixture_replay(&f, path, &paused);
  fixture_client(&f, &c, &hello);
  const double end = number(hello, "duration");
  cJSON_Delete(hello);
  assert_greater(end, 0.1);
  assert_less(end, 0.95);
  copy(recording, path, size * 8 / 10);
  client_send(&c, "{\"type\":\"speed\",\"value\":0}");
  client_send(&c, "{\"type\":\"play\"}");
  cJSON *status = client_text_where(&c, "status", "ended", true);
  assert_greater(number(status, "time"), end + 0.05);
  cJSON_Delete(status);
  copy(recording, path, size);
  client_frame frame;
  client_send(&c, "{\"type\":\"seek\",\"time\":1}");
  frame_of(&c, 1, &frame);
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

static void a_file_that_is_no_recording_of_a_run_is_refused(void **state)
{
  (void)state;
  char path[128];
  pki_source *source = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, "%s/none.mcap", folder);
  assert_int_not_equal(pki_replay_create(path, &source, &err), PK_OK);
  assert_null(source);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("no recording", file);
  fclose(file);
  assert_int_not_equal(pki_replay_create(path, &source, &err), PK_OK);
  assert_null(source);
  assert_true(err.message[0] != '\0');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hello_tells_of_a_recording),
      cmocka_unit_test(a_seek_shows_that_moment_with_poses_between_samples),
      cmocka_unit_test(frames_of_a_recording_tell_how_stably_the_robot_stood),
      cmocka_unit_test(steps_go_from_sample_to_sample_in_both_directions),
      cmocka_unit_test(it_plays_to_its_end_pauses_and_starts_again),
      cmocka_unit_test(a_series_is_the_whole_recording_thinned_with_its_peaks),
      cmocka_unit_test(nobody_pushes_or_changes_what_has_been),
      cmocka_unit_test(a_renderer_gets_the_frames_that_it_asks_for_and_sends_pictures),
      cmocka_unit_test(a_recording_that_grows_is_followed),
      cmocka_unit_test(a_file_that_is_no_recording_of_a_run_is_refused),
  };
  return cmocka_run_group_tests(tests, record, forget);
}
