#define _GNU_SOURCE
#include "serve/client.h"
#include "support/bounds.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG = 30000 }; /* ms */

/* ---- bytes ---- */

static int connect_to(int port, int buffer)
{
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  assert_at_least(s, 0);
  if (buffer > 0) {
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  }
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert_int_equal(connect(s, (struct sockaddr *)&at, sizeof at), 0);
  return s;
}

static void send_all(int s, const void *data, size_t size)
{
  for (const char *at = data; size > 0;) {
    const ssize_t n = send(s, at, size, MSG_NOSIGNAL);
    if (n <= 0) {
      return; /* the server has closed; what it said comes with the next read */
    }
    at += n;
    size -= (size_t)n;
  }
}

/* More bytes; false: there are no more. */
static bool more(client *c)
{
  struct pollfd p = {.fd = c->socket, .events = POLLIN};
  assert_int_equal(poll(&p, 1, LONG), 1);
  if (c->size + 65536 > c->room) {
    c->room = 2 * c->room + 65536;
    c->data = realloc(c->data, c->room);
    assert_non_null(c->data);
  }
  const ssize_t n = recv(c->socket, c->data + c->size, 65536, 0);
  c->size += n > 0 ? (size_t)n : 0;
  return n > 0;
}

static bool need(client *c, size_t size)
{
  while (c->size < size) {
    if (!more(c)) {
      return false;
    }
  }
  return true;
}

static void drop(client *c, size_t size)
{
  memmove(c->data, c->data + size, c->size - size);
  c->size -= size;
}

/* ---- opening ---- */

static void header(char *request, size_t room, const char *name, const char *value)
{
  if (value[0] != '\0') {
    const size_t used = strlen(request);
    snprintf(request + used, room - used, "%s: %s\r\n", name, value);
  }
}

int client_try(client *c, int port, const client_options *o)
{
  char host[64], origin[80], request[1024];
  snprintf(host, sizeof host, "127.0.0.1:%d", port);
  snprintf(origin, sizeof origin, "http://127.0.0.1:%d", port);
  *c = (client){.socket = connect_to(port, o->receive_buffer)};
  snprintf(request, sizeof request,
           "GET %s?token=%s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
           o->path != NULL ? o->path : "/ws", o->token);
  header(request, sizeof request, "Host", o->host != NULL ? o->host : host);
  header(request, sizeof request, "Origin", o->origin != NULL ? o->origin : origin);
  header(request, sizeof request, "Sec-WebSocket-Protocol", o->protocol != NULL ? o->protocol : "pronk-1");
  snprintf(request + strlen(request), sizeof request - strlen(request), "\r\n");
  size_t size = strlen(request);
  if (o->behind != NULL) {
    assert_at_most(size + o->behind_size, sizeof request);
    memcpy(request + size, o->behind, o->behind_size);
    size += o->behind_size;
  }
  send_all(c->socket, request, size);
  unsigned char *end = NULL;
  while (end == NULL) {
    if (!more(c)) {
      return 0;
    }
    end = memmem(c->data, c->size, "\r\n\r\n", 4);
  }
  const int status = atoi((const char *)c->data + 9);
  if (status == 101) { /* the key's answer is that of RFC 6455 */
    assert_non_null(memmem(c->data, c->size, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28));
  }
  drop(c, (size_t)(end - c->data) + 4);
  return status;
}

void client_open(client *c, int port, const char *token)
{
  assert_int_equal(client_try(c, port, &(client_options){.token = token}), 101);
}

void client_close(client *c)
{
  close(c->socket);
  free(c->data);
  *c = (client){.socket = -1};
}

int client_get(int port, const char *request, char **answer)
{
  client c = {.socket = connect_to(port, 0)};
  send_all(c.socket, request, strlen(request));
  while (more(&c)) {}
  close(c.socket);
  assert_greater(c.size, 12);
  assert_less(c.size, c.room);
  c.data[c.size] = '\0';
  *answer = (char *)c.data;
  return atoi(*answer + 9);
}

/* ---- messages ---- */

void client_send_raw(client *c, int opcode, const void *data, size_t size)
{
  unsigned char *bytes = malloc(size + 14);
  assert_non_null(bytes);
  static const unsigned char mask[4] = {1, 2, 3, 4};
  size_t n = 0;
  bytes[n++] = (unsigned char)(0x80 | opcode);
  if (size < 126) {
    bytes[n++] = (unsigned char)(0x80 | size);
  } else if (size < 65536) {
    bytes[n++] = 0x80 | 126;
    bytes[n++] = (unsigned char)(size >> 8);
    bytes[n++] = (unsigned char)size;
  } else {
    bytes[n++] = 0x80 | 127;
    for (int i = 7; i >= 0; i--) {
      bytes[n++] = (unsigned char)((uint64_t)size >> (8 * i));
    }
  }
  memcpy(bytes + n, mask, 4);
  n += 4;
  for (size_t i = 0; i < size; i++) {
    bytes[n++] = ((const unsigned char *)data)[i] ^ mask[i % 4];
  }
  send_all(c->socket, bytes, n);
  free(bytes);
}

void client_send_bytes(client *c, const void *data, size_t size)
{
  send_all(c->socket, data, size);
}

void client_send(client *c, const char *text)
{
  client_send_raw(c, 1, text, strlen(text));
}

/* One piece of a message: its opcode, and whether it is the last. 0 and *last: the connection is gone. */
static int receive_piece(client *c, unsigned char **data, size_t *size, bool *last)
{
  *last = true;
  if (!need(c, 2)) {
    return 0;
  }
  size_t length = c->data[1] & 127, head = 2;
  if (length >= 126) {
    const int bytes = length == 126 ? 2 : 8;
    head += (size_t)bytes;
    if (!need(c, head)) {
      return 0;
    }
    length = 0;
    for (int i = 0; i < bytes; i++) {
      length = length << 8 | c->data[2 + i];
    }
  }
  if (!need(c, head + length)) {
    return 0;
  }
  const int opcode = c->data[0] & 15;
  *last = (c->data[0] & 128) != 0;
  *data = realloc(*data, *size + length + 1);
  assert_non_null(*data);
  memcpy(*data + *size, c->data + head, length);
  *size += length;
  (*data)[*size] = '\0';
  drop(c, head + length);
  return opcode;
}

int client_receive(client *c, unsigned char **data, size_t *size)
{
  *data = NULL;
  *size = 0;
  bool last = false;
  const int kind = receive_piece(c, data, size, &last);
  while (!last) {
    receive_piece(c, data, size, &last);
  }
  return kind;
}

cJSON *client_text(client *c, const char *type)
{
  for (;;) {
    unsigned char *data = NULL;
    size_t size = 0;
    const int kind = client_receive(c, &data, &size);
    if (kind != 1 && kind != 2) {
      fail_msg("the connection ended while waiting for '%s'", type);
    }
    cJSON *o = kind == 1 ? cJSON_ParseWithLength((const char *)data, size) : NULL;
    free(data);
    assert_true(kind == 2 || o != NULL);
    if (o != NULL && strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(o, "type")), type) == 0) {
      return o;
    }
    cJSON_Delete(o);
  }
}

cJSON *client_text_where(client *c, const char *type, const char *name, bool value)
{
  for (;;) {
    cJSON *o = client_text(c, type);
    if (cJSON_IsTrue(cJSON_GetObjectItem(o, name)) == value) {
      return o;
    }
    cJSON_Delete(o);
  }
}

void client_error(client *c, const char *part)
{
  cJSON *o = client_text(c, "error");
  const char *message = cJSON_GetStringValue(cJSON_GetObjectItem(o, "message"));
  if (strstr(message, part) == NULL) {
    fail_msg("'%s' is not in '%s'", part, message);
  }
  cJSON_Delete(o);
}

/* ---- frames ---- */

static unsigned get_u32(const unsigned char *p)
{
  return (unsigned)p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

static void take_apart(unsigned char *data, size_t size, client_frame *out)
{
  assert_at_least(size, 48);
  assert_int_equal(get_u32(data), 0x31464b50);
  *out = (client_frame){
      .nbody = get_u32(data + 4), .ncontact = get_u32(data + 8), .nvalue = get_u32(data + 12), .data = data};
  float nedge;
  memcpy(&nedge, data + 44, 4);
  out->nedge = (int)nedge;
  const unsigned stability = nedge >= 0 ? 7 * (unsigned)nedge + 17 : 0;
  const size_t known =
      48 + 4 * ((size_t)7 * out->nbody + (size_t)10 * out->ncontact + out->nvalue + stability);
  float nface = -1;
  if (size > known) {
    memcpy(&nface, data + known, 4);
    out->face = (float *)(void *)(data + known + 4);
  }
  out->nface = (int)nface;
  assert_int_equal(size, known + (nface >= 0 ? 4 + 48 * (size_t)nface : 0));
  memcpy(&out->time, data + 16, 8);
  memcpy(&out->step, data + 24, 8);
  memcpy(out->com, data + 32, 12);
  out->pose = (float *)(void *)(data + 48);
  out->contact = out->pose + 7 * out->nbody;
  out->values = out->contact + 10 * out->ncontact;
  if (nedge >= 0) {
    out->edge = out->values + out->nvalue;
    out->stance = out->edge + 7 * out->nedge;
  }
}

void client_frame_read(client *c, client_frame *out)
{
  for (;;) {
    unsigned char *data = NULL;
    size_t size = 0;
    const int kind = client_receive(c, &data, &size);
    assert_true(kind == 1 || kind == 2);
    if (kind == 2) {
      take_apart(data, size, out);
      return;
    }
    free(data);
  }
}

void client_frame_at(client *c, double step, client_frame *out)
{
  for (;;) {
    client_frame frame;
    client_frame_read(c, &frame);
    if (frame.step == step) {
      *out = frame;
      return;
    }
    client_frame_free(&frame);
  }
}

void client_frame_from(client *c, double step, client_frame *out)
{
  for (;;) {
    client_frame frame;
    client_frame_read(c, &frame);
    if (frame.step >= step) {
      *out = frame;
      return;
    }
    client_frame_free(&frame);
  }
}

void client_frame_free(client_frame *frame)
{
  free(frame->data);
  *frame = (client_frame){0};
}

void client_closed(client *c, int code)
{
  for (;;) {
    unsigned char *data = NULL;
    size_t size = 0;
    const int kind = client_receive(c, &data, &size);
    const int got = kind == 8 && size >= 2 ? data[0] << 8 | data[1] : 0;
    free(data);
    if (kind == 8 || kind == 0) {
      assert_int_equal(got, code);
      return;
    }
  }
}

void client_ended(client *c)
{
  while (more(c)) {}
}
