/* Clients mask their frames (RFC 6455, section 5.1), or their connection ends and nothing of the frame counts. */
#define _XOPEN_SOURCE 700
#include "serve/masking.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/fixture.h"
#include "support/bounds.h"

static const pki_server_options paused = {.paused = true};

/* ---- frames as bytes ---- */

typedef struct bytes {
  unsigned char data[200000];
  size_t size;
} bytes;

enum { FIN = 0x80, CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static void put(bytes *b, unsigned value)
{
  assert_less(b->size, sizeof b->data);
  b->data[b->size++] = (unsigned char)value;
}

/* A frame whose length takes `extra` bytes of its own: 0, 2 or 8. */
static void put_frame(bytes *b, unsigned first, bool masked, int extra, const char *payload, size_t size)
{
  static const unsigned char key[4] = {0x11, 0x22, 0x83, 0x44};
  const unsigned length = extra == 8 ? 127 : extra == 2 ? 126 : (unsigned)size;
  put(b, first);
  put(b, (masked ? 0x80 : 0) | length);
  for (int i = extra - 1; i >= 0; i--) {
    put(b, (unsigned)((uint64_t)size >> (8 * i)));
  }
  for (int i = 0; masked && i < 4; i++) {
    put(b, key[i]);
  }
  for (size_t i = 0; i < size; i++) {
    put(b, (unsigned char)payload[i] ^ (masked ? key[i % 4] : 0u));
  }
}

static void put_text(bytes *b, unsigned first, bool masked, const char *text)
{
  put_frame(b, first, masked, strlen(text) < 126 ? 0 : 2, text, strlen(text));
}

/* ---- the readers ---- */

/* How many bytes pass, in pieces of `piece`. */
static size_t read_pieces(pki_frame_reader *r, const bytes *b, size_t piece)
{
  size_t passed = 0;
  for (size_t at = 0; at < b->size; at += piece) {
    passed += pki_frame_read(r, b->data + at, b->size - at < piece ? b->size - at : piece);
  }
  return passed;
}

static void masked_frames_pass_in_pieces_of_any_size(void **state)
{
  (void)state;
  static bytes b;
  static char payload[70000];
  memset(payload, 0x01, sizeof payload); /* as headers these would not be masked */
  b.size = 0;
  put_frame(&b, FIN | TEXT, true, 0, payload, 0);
  put_frame(&b, FIN | TEXT, true, 0, payload, 125);
  put_frame(&b, TEXT, true, 2, payload, 300);
  put_frame(&b, FIN | PING, true, 0, payload, 3);
  put_frame(&b, CONTINUATION, true, 2, payload, 5); /* longer than it need be */
  put_frame(&b, FIN | CONTINUATION, true, 8, payload, sizeof payload);
  put_frame(&b, FIN | CLOSE, true, 0, payload, 2);
  for (size_t piece = 1; piece < 700; piece++) {
    pki_frame_reader r = {0};
    assert_int_equal(read_pieces(&r, &b, piece), b.size);
    assert_false(r.broken);
  }
}

static void of_a_frame_without_a_mask_one_byte_passes_at_most(void **state)
{
  (void)state;
  static bytes b;
  static const int extra[] = {0, 2, 8};
  static const unsigned first[] = {FIN | TEXT,         TEXT,       FIN | BINARY,
                                   FIN | CONTINUATION, FIN | PING, FIN | CLOSE};
  for (size_t i = 0; i < 3 * 6; i++) {
    b.size = 0;
    put_frame(&b, FIN | TEXT, true, 2, "0123456789", 10);
    const size_t good = b.size;
    put_frame(&b, first[i / 3], false, extra[i % 3], "x", i % 2);
    put_frame(&b, FIN | TEXT, true, 0, "masked again", 12);
    for (size_t piece = 1; piece <= b.size; piece++) {
      pki_frame_reader r = {0};
      assert_int_equal(read_pieces(&r, &b, piece), good + 1);
      assert_true(r.broken);
    }
  }
}

static void a_length_of_more_than_63_bits_passes_no_more(void **state)
{
  (void)state;
  static const unsigned char longest[] = {0x82, 0xff, 0x7f, 255, 255, 255, 255, 255,
                                          255,  255,  1,    2,   3,   4,   0,   0};
  static const unsigned char longer[] = {0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0};
  pki_frame_reader r = {0};
  assert_int_equal(pki_frame_read(&r, longest, sizeof longest), sizeof longest);
  assert_false(r.broken);
  r = (pki_frame_reader){0};
  assert_int_equal(pki_frame_read(&r, longer, sizeof longer), 2);
  assert_true(r.broken);
}

static void a_head_ends_with_its_first_empty_line(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t head; /* 0: it does not end */
  } cases[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\nbehind", 27},
      {"GET /\n\nbehind", 7},
      {"GET /\r\n\nbehind", 8},
      {"GET /\n\r\nbehind", 8},
      {"\r\n\r\nGET /\r\n\r\n", 13},
      {"GET /\r\n \r\nA: b", 0},
      {"\r\n\r\n\r\n", 0},
      {"", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const size_t size = strlen(cases[i].text);
    for (size_t piece = 1; piece <= size + 1; piece++) {
      pki_head_reader r = {0};
      size_t passed = 0;
      for (size_t at = 0; at < size; at += piece) {
        const size_t most = size - at < piece ? size - at : piece;
        passed += pki_head_read(&r, (const unsigned char *)cases[i].text + at, most);
      }
      assert_int_equal(r.ended, cases[i].head > 0);
      assert_int_equal(passed, cases[i].head > 0 ? cases[i].head : size);
    }
  }
}

/* ---- the server ---- */

/* Another client finds the world paused, `steps` after its start. */
static void expect_paused(const fixture *f, int steps)
{
  client c;
  client_frame frame;
  fixture_client(f, &c, NULL);
  cJSON_Delete(client_text_where(&c, "status", "playing", false));
  client_send(&c, "{\"type\":\"step\",\"count\":1}");
  do {
    client_frame_read(&c, &frame);
    assert_at_most(frame.step, steps + 1);
  } while (frame.step < steps + 1 && (client_frame_free(&frame), true));
  client_frame_free(&frame);
  client_close(&c);
}

/* These bytes end the connection with 1002 after `steps` steps of the world. */
static void expect_refusal(const bytes *b, size_t piece, int steps)
{
  fixture f;
  client c;
  const int yes = 1;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  fixture_client(&f, &c, NULL);
  setsockopt(c.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  for (size_t at = 0; at < b->size; at += piece) {
    client_send_bytes(&c, b->data + at, b->size - at < piece ? b->size - at : piece);
  }
  client_closed(&c, 1002);
  client_ended(&c);
  client_close(&c);
  expect_paused(&f, steps);
  fixture_stop(&f);
}

static void a_message_without_a_mask_ends_the_connection_and_does_nothing(void **state)
{
  (void)state;
  static bytes b;
  b.size = 0;
  put_text(&b, FIN | TEXT, false, "{\"type\":\"play\"}");
  expect_refusal(&b, b.size, 0);
  expect_refusal(&b, 1, 0);
  b.size = 0;
  put_frame(&b, FIN | TEXT, false, 2, "{\"type\":\"play\"}", 15);
  expect_refusal(&b, 3, 0);
  b.size = 0;
  put_frame(&b, FIN | TEXT, false, 8, "{\"type\":\"play\"}", 15);
  expect_refusal(&b, b.size, 0);
}

static void a_control_frame_without_a_mask_ends_the_connection(void **state)
{
  (void)state;
  static bytes b;
  static const unsigned kinds[] = {PING, PONG, CLOSE};
  for (int i = 0; i < 3; i++) {
    b.size = 0;
    put_frame(&b, FIN | kinds[i], false, 0, "\x03\xe8", i == 0 ? 0 : 2);
    expect_refusal(&b, b.size, 0);
  }
}

static void what_came_before_the_frame_counts_and_what_comes_after_does_not(void **state)
{
  (void)state;
  static bytes b;
  b.size = 0;
  put_text(&b, FIN | TEXT, true, "{\"type\":\"step\",\"count\":3}");
  put_text(&b, FIN | TEXT, false, "{\"type\":\"play\"}");
  put_text(&b, FIN | TEXT, true, "{\"type\":\"step\",\"count\":5}");
  expect_refusal(&b, b.size, 3);
  expect_refusal(&b, 1, 3);
}

static void a_part_of_a_message_without_a_mask_ends_the_connection(void **state)
{
  (void)state;
  static bytes b;
  b.size = 0;
  put_text(&b, TEXT, true, "{\"type\":");
  put_text(&b, FIN | CONTINUATION, false, "\"play\"}");
  expect_refusal(&b, b.size, 0);
}

/* A message in parts, a ping among them; the ping comes back and the message is done. */
static void expect_service(client *c)
{
  unsigned char *data = NULL;
  size_t size = 0;
  client_frame frame;
  int kind;
  while ((kind = client_receive(c, &data, &size)) == TEXT || kind == BINARY) {
    free(data);
  }
  assert_int_equal(kind, PONG);
  assert_int_equal(size, 3);
  assert_memory_equal(data, "abc", 3);
  free(data);
  client_frame_at(c, 4, &frame);
  client_frame_free(&frame);
}

static void masked_parts_and_pings_are_served_in_pieces_of_any_size(void **state)
{
  (void)state;
  static bytes b;
  static const size_t pieces[] = {1, 2, 3, 7, 1000};
  const int yes = 1;
  b.size = 0;
  put_text(&b, TEXT, true, "{\"type\":");
  put_text(&b, FIN | PING, true, "abc");
  put_text(&b, CONTINUATION, true, "\"step\",");
  put_text(&b, FIN | CONTINUATION, true, "\"count\":4}");
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    fixture f;
    client c;
    fixture_live(&f, "starleth-stand", NULL, &paused);
    fixture_client(&f, &c, NULL);
    setsockopt(c.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    for (size_t at = 0; at < b.size; at += pieces[i]) {
      client_send_bytes(&c, b.data + at, b.size - at < pieces[i] ? b.size - at : pieces[i]);
    }
    expect_service(&c);
    client_close(&c);
    fixture_stop(&f);
  }
}

/* A client should wait for the answer; one that does not is held to the same. */
static void frames_that_come_with_the_request_are_looked_at_too(void **state)
{
  (void)state;
  static bytes b;
  fixture f;
  client c;
  client_frame frame;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  b.size = 0;
  put_text(&b, FIN | TEXT, true, "{\"type\":\"step\",\"count\":2}");
  client_options o = {.token = f.token, .behind = b.data, .behind_size = b.size};
  assert_int_equal(client_try(&c, f.port, &o), 101);
  client_frame_at(&c, 2, &frame);
  client_frame_free(&frame);
  client_close(&c);
  b.size = 0;
  put_text(&b, FIN | TEXT, false, "{\"type\":\"play\"}");
  o.behind_size = b.size;
  assert_int_equal(client_try(&c, f.port, &o), 101);
  client_closed(&c, 1002);
  client_ended(&c);
  client_close(&c);
  expect_paused(&f, 2);
  fixture_stop(&f);
}

static void requests_that_come_together_are_answered_one_after_the_other(void **state)
{
  (void)state;
  fixture f;
  char request[800], one[200], *answer = NULL;
  fixture_live(&f, "starleth-stand", NULL, &paused);
  snprintf(one, sizeof one, "GET /none.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n", f.port);
  snprintf(request, sizeof request, "%s\r\n%s\r\n%sConnection: close\r\n\r\n", one, one, one);
  assert_int_equal(client_get(f.port, request, &answer), 404);
  int answers = 0;
  for (const char *at = answer; (at = strstr(at, "HTTP/1.1 404")) != NULL; at++) {
    answers++;
  }
  assert_int_equal(answers, 3);
  free(answer);
  fixture_stop(&f);
}

static void write_large_file(const char *folder, const char *name)
{
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 20000; i++) {
    fputs("const filler = 'a file that takes more than one piece to send';\n", file);
  }
  assert_int_equal(fclose(file), 0);
}

/* The rest of a file is no answer to the request behind it: that one's frames still wait, though they end as a head does. */
static void frames_behind_two_requests_are_looked_at_too(void **state)
{
  (void)state;
  fixture f;
  char folder[] = "files_XXXXXX", command[64], request[1024], *answer = NULL;
  assert_non_null(mkdtemp(folder));
  write_large_file(folder, "main.js");
  fixture_live(&f, "starleth-stand", NULL, &(pki_server_options){.paused = true, .folder = folder});
  snprintf(request, sizeof request,
           "GET /main.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
           "GET /ws?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: pronk-1\r\n\r\n"
           "\x81\x11{\"type\":\"play\"}\n\n",
           f.port, f.token, f.port, f.port);
  assert_int_equal(client_get(f.port, request, &answer), 200);
  assert_non_null(strstr(answer, "HTTP/1.1 101"));
  free(answer);
  expect_paused(&f, 0);
  fixture_stop(&f);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masked_frames_pass_in_pieces_of_any_size),
      cmocka_unit_test(of_a_frame_without_a_mask_one_byte_passes_at_most),
      cmocka_unit_test(a_length_of_more_than_63_bits_passes_no_more),
      cmocka_unit_test(a_head_ends_with_its_first_empty_line),
      cmocka_unit_test(a_message_without_a_mask_ends_the_connection_and_does_nothing),
      cmocka_unit_test(a_control_frame_without_a_mask_ends_the_connection),
      cmocka_unit_test(what_came_before_the_frame_counts_and_what_comes_after_does_not),
      cmocka_unit_test(a_part_of_a_message_without_a_mask_ends_the_connection),
      cmocka_unit_test(masked_parts_and_pings_are_served_in_pieces_of_any_size),
      cmocka_unit_test(frames_that_come_with_the_request_are_looked_at_too),
      cmocka_unit_test(frames_behind_two_requests_are_looked_at_too),
      cmocka_unit_test(requests_that_come_together_are_answered_one_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
