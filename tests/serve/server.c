/* Who may come in, and what one client does to the others. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/fixture.h"
#include "support/bounds.h"

static const pki_server_options paused = {.paused = true};

static int attempt(const fixture *f, client_options o)
{
  client c;
  o.token = o.token != NULL ? o.token : f->token;
  const int status = client_try(&c, f->port, &o);
  client_close(&c);
  return status;
}

static void a_wrong_token_origin_host_path_or_protocol_is_refused(void **state)
{
  (void)state;
  fixture f;
  char origin[64], host[64];
  fixture_live(&f, "starleth-stand", NULL, &paused);
  assert_int_equal(attempt(&f, (client_options){0}), 101);
  assert_int_equal(attempt(&f, (client_options){.token = ""}), 403);
  assert_int_equal(attempt(&f, (client_options){.token = "00000000000000000000000000000000"}), 403);
  assert_int_equal(attempt(&f, (client_options){.origin = "http://evil.com"}), 403);
  assert_int_equal(attempt(&f, (client_options){.origin = "null"}), 403);
  assert_int_equal(attempt(&f, (client_options){.origin = ""}), 403);
  assert_int_equal(attempt(&f, (client_options){.host = "evil.com"}), 403);
  snprintf(host, sizeof host, "evil.com:%d", f.port);
  snprintf(origin, sizeof origin, "http://evil.com:%d", f.port);
  assert_int_equal(attempt(&f, (client_options){.host = host, .origin = origin}), 403);
  snprintf(host, sizeof host, "localhost:%d", f.port);
  snprintf(origin, sizeof origin, "http://localhost:%d", f.port);
  assert_int_equal(attempt(&f, (client_options){.host = host, .origin = origin}), 101);
  assert_int_equal(attempt(&f, (client_options){.host = host}), 403); /* two names in one request */
  assert_int_equal(attempt(&f, (client_options){.path = "/"}), 400);
  assert_int_equal(attempt(&f, (client_options){.protocol = ""}), 400);
  assert_int_equal(attempt(&f, (client_options){.protocol = "http"}), 400);
  fixture_stop(&f);
}

static void there_is_room_for_sixteen_clients(void **state)
{
  (void)state;
  enum { MOST = 16 };
  fixture f;
  client c[MOST];
  fixture_live(&f, "starleth-stand", NULL, &paused);
  for (int i = 0; i < MOST; i++) {
    fixture_client(&f, &c[i], NULL);
  }
  assert_int_equal(attempt(&f, (client_options){0}), 503);
  for (int i = 0; i < MOST; i++) {
    client_close(&c[i]);
  }
  fixture_stop(&f);
}

static void a_message_that_is_too_long_or_of_the_wrong_kind_ends_the_connection(void **state)
{
  (void)state;
  fixture f;
  client c;
  static char text[200000];
  memset(text, ' ', sizeof text);
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_send_raw(&c, 1, text, 4096); /* as long as one may be, and no JSON */
  client_error(&c, "no JSON");
  client_send_raw(&c, 1, text, 4097);
  client_closed(&c, 1009);
  client_close(&c);
  fixture_client(&f, &c, NULL);
  client_send_raw(&c, 1, text, sizeof text);
  client_closed(&c, 1009);
  client_close(&c);
  fixture_client(&f, &c, NULL);
  client_send_raw(&c, 2, text, 16);
  client_closed(&c, 1003);
  client_close(&c);
  fixture_stop(&f);
}

static void nonsense_gets_an_error_and_the_connection_lives(void **state)
{
  (void)state;
  fixture f;
  client c;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  client_send(&c, "{");
  client_error(&c, "no JSON");
  client_send(&c, "{\"type\":\"fly\"}");
  client_error(&c, "unknown type 'fly'");
  client_send(&c, "{\"type\":\"play\"}");
  cJSON_Delete(client_text_where(&c, "status", "playing", true));
  client_close(&c);
  fixture_stop(&f);
}

static void two_clients_see_the_same_world(void **state)
{
  (void)state;
  fixture f;
  client a, b;
  client_frame fa, fb;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &a, NULL);
  fixture_client(&f, &b, NULL);
  client_send(&b, "{\"type\":\"subscribe\",\"values\":[[\"com\",2]]}");
  client_send(&a, "{\"type\":\"step\",\"count\":7}");
  client_frame_at(&a, 7, &fa);
  client_frame_at(&b, 7, &fb);
  assert_memory_equal(fa.pose, fb.pose, 7 * 13 * sizeof(float));
  assert_int_equal(fa.nvalue, 0);
  assert_int_equal(fb.nvalue, 1);
  client_frame_free(&fa);
  client_frame_free(&fb);
  client_send(&b, "{\"type\":\"play\"}");
  cJSON_Delete(client_text_where(&a, "status", "playing", true));
  client_close(&b); /* who goes takes nothing along */
  client_send(&a, "{\"type\":\"pause\"}");
  cJSON_Delete(client_text_where(&a, "status", "playing", false));
  client_close(&a);
  fixture_stop(&f);
}

/* Many robots, so that frames are large and the stuck client's buffers are soon full. */
static void write_crowd(char *text, size_t size)
{
  size_t n = (size_t)snprintf(text, size, "duration: 1000\nstep: {dt: 1e-3}\nmodels:\n");
  for (int i = 0; i < 24; i++) {
    n += (size_t)snprintf(text + n, size - n, "  - {model: starleth, prefix: r%d_, position: [%d, 0, 5]}\n",
                          i, i);
  }
}

static void a_client_that_never_reads_slows_nobody(void **state)
{
  (void)state;
  fixture f;
  client stuck, other;
  client_frame frame;
  static char text[4096];
  write_crowd(text, sizeof text);
  fixture_text(&f, text, &(pki_server_options){0});
  assert_int_equal(client_try(&stuck, f.port, &(client_options){.token = f.token, .receive_buffer = 2048}),
                   101);
  fixture_client(&f, &other, NULL);
  double step = -1;
  enum { FRAMES = 120 };
  for (int i = 0; i < FRAMES; i++) { /* about 1 MB passes the stuck client by */
    client_frame_from(&other, step + 1, &frame);
    step = frame.step;
    client_frame_free(&frame);
  }
  client_send(&other, "{\"type\":\"pause\"}");
  cJSON_Delete(client_text_where(&other, "status", "playing", false));
  /* when it reads at last, it is soon where the others are: what it missed was not kept for it */
  int frames = 0;
  do {
    client_frame_read(&stuck, &frame);
    frames++;
  } while (frame.step < step && (client_frame_free(&frame), true));
  client_frame_free(&frame);
  assert_less(frames, FRAMES);
  client_close(&stuck);
  client_close(&other);
  fixture_stop(&f);
}

static void a_client_that_asks_and_never_reads_is_dropped(void **state)
{
  (void)state;
  fixture f;
  client deaf, other;
  client_frame frame;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  assert_int_equal(client_try(&deaf, f.port, &(client_options){.token = f.token, .receive_buffer = 2048}),
                   101);
  fixture_client(&f, &other, NULL);
  for (int i = 0; i < 20000; i++) { /* each gets an error back, which nobody takes */
    client_send(&deaf, "{\"type\":\"nonsense that is echoed in the answer ....\"}");
  }
  client_send(&other, "{\"type\":\"step\",\"count\":3}");
  client_frame_at(&other, 3, &frame);
  client_frame_free(&frame);
  client_close(&deaf);
  client_close(&other);
  fixture_stop(&f);
}

static void read_only_refuses_what_changes_the_world(void **state)
{
  (void)state;
  static const char *const refused[] = {
      "{\"type\":\"play\"}",
      "{\"type\":\"pause\"}",
      "{\"type\":\"step\"}",
      "{\"type\":\"speed\",\"value\":2}",
      "{\"type\":\"reset\"}",
      "{\"type\":\"push\",\"body\":-1}",
      "{\"type\":\"set\",\"key\":\"duration\",\"value\":\"1\"}",
      "{\"type\":\"seek\",\"time\":0}",
  };
  fixture f;
  client c;
  cJSON *hello = NULL;
  client_frame frame;
  fixture_live(&f, "starleth-stand", NULL, &(pki_server_options){.paused = true, .read_only = true});
  fixture_client(&f, &c, &hello);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(hello, "read_only")));
  cJSON_Delete(hello);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    client_send(&c, refused[i]);
    client_error(&c, "is refused: this viewer is for looking only");
  }
  client_send(&c, "{\"type\":\"subscribe\",\"values\":[[\"com\",2]]}");
  do {
    client_frame_read(&c, &frame);
    assert_true(frame.step == 0);
  } while (frame.nvalue != 1 && (client_frame_free(&frame), true));
  client_frame_free(&frame);
  client_close(&c);
  fixture_stop(&f);
}

/* ---- pages ---- */

static int get(const fixture *f, const char *method, const char *path, const char *host, char **answer)
{
  char request[512], own[64];
  snprintf(own, sizeof own, "127.0.0.1:%d", f->port);
  snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, path,
           host != NULL ? host : own);
  return client_get(f->port, request, answer);
}

static void expect(const fixture *f, const char *path, const char *host, int status, const char *part)
{
  char *answer = NULL;
  assert_int_equal(get(f, "GET", path, host, &answer), status);
  if (part != NULL && strstr(answer, part) == NULL) {
    fail_msg("'%s' is not in: %s", part, answer);
  }
  free(answer);
}

static void write_page(const char *folder, const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void the_page_needs_the_token_and_its_parts_do_not(void **state)
{
  (void)state;
  fixture f;
  char folder[] = "page_XXXXXX", path[160], command[64];
  assert_non_null(mkdtemp(folder));
  write_page(folder, "index.html", "<p>hello");
  write_page(folder, "main.js", "let x = 1;");
  fixture_live(&f, "starleth-stand", NULL, &(pki_server_options){.paused = true, .folder = folder});
  expect(&f, "/", NULL, 403, NULL);
  expect(&f, "/index.html?token=1", NULL, 403, NULL);
  snprintf(path, sizeof path, "/?token=%s", f.token);
  expect(&f, path, NULL, 200, "<p>hello");
  expect(&f, path, NULL, 200, "content-security-policy: default-src 'none'; script-src 'self'");
  expect(&f, path, NULL, 200, "x-content-type-options: nosniff");
  expect(&f, path, NULL, 200, "cache-control: no-store");
  expect(&f, path, "evil.com", 403, NULL);
  expect(&f, "/main.js", NULL, 200, "text/javascript");
  expect(&f, "/main.js", "evil.com", 403, NULL);
  expect(&f, "/../fixture.c", NULL, 404, NULL);
  expect(&f, "/%2e%2e/%2e%2e/etc/passwd", NULL, 404, NULL);
  expect(&f, "/none.js", NULL, 404, NULL);
  char *answer = NULL;
  assert_int_equal(get(&f, "POST", path, NULL, &answer), 405);
  free(answer);
  fixture_stop(&f);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void a_port_in_use_is_a_failure_that_says_so(void **state)
{
  (void)state;
  fixture f;
  pki_server *second = NULL;
  pk_error err = {0};
  fixture_live(&f, "starleth-stand", NULL, &paused);
  const pki_server_options same = {.port = f.port, .paused = true};
  assert_int_equal(pki_server_start(f.source, &same, &second, &err), PK_ERROR_FILE);
  assert_null(second);
  assert_non_null(strstr(err.message, "cannot listen at 127.0.0.1"));
  const pki_server_options nowhere = {.host = "203.0.113.7", .paused = true};
  assert_int_equal(pki_server_start(f.source, &nowhere, &second, &err), PK_ERROR_FILE);
  fixture_stop(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_token_origin_host_path_or_protocol_is_refused),
      cmocka_unit_test(there_is_room_for_sixteen_clients),
      cmocka_unit_test(a_message_that_is_too_long_or_of_the_wrong_kind_ends_the_connection),
      cmocka_unit_test(nonsense_gets_an_error_and_the_connection_lives),
      cmocka_unit_test(two_clients_see_the_same_world),
      cmocka_unit_test(a_client_that_never_reads_slows_nobody),
      cmocka_unit_test(a_client_that_asks_and_never_reads_is_dropped),
      cmocka_unit_test(read_only_refuses_what_changes_the_world),
      cmocka_unit_test(the_page_needs_the_token_and_its_parts_do_not),
      cmocka_unit_test(a_port_in_use_is_a_failure_that_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
