/* One client: what it sends is read in bounded pieces, what it gets is the newest there is. A client that does not read
 * does not delay the others: nothing is written to it until its socket takes more. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/context.h"
#include "serve/hello.h"

static pki_server *server_of(struct lws *wsi)
{
  return lws_context_user(lws_get_context(wsi));
}

/* ---- coming and going ---- */

static int open_session(pki_server *server, pki_session *s, struct lws *wsi)
{
  memset(s, 0, sizeof *s);
  s->wsi = wsi;
  s->slot = -1;
  s->gate = pki_gate_upgrade(server, wsi);
  if (s->gate == 0) {
    return -1;
  }
  for (int i = 0; i < PKI_HUB_CLIENTS && s->slot < 0; i++) {
    s->slot = server->sessions[i] == NULL ? i : -1;
  }
  if (s->slot < 0) {
    return -1;
  }
  server->sessions[s->slot] = s;
  s->serial = ++server->clients;
  lws_callback_on_writable(wsi);
  if (s->serial == 1) {
    pki_hub_post(server->hub, &(pki_command_in){.slot = s->slot, .client = s->serial, .comes = true});
  }
  return 0;
}

static void close_session(pki_server *server, pki_session *s)
{
  if (s->slot < 0 || server->sessions[s->slot] != s) {
    return;
  }
  server->sessions[s->slot] = NULL;
  for (int i = 0; i < s->ntext; i++) {
    free(s->texts[i].text);
  }
  s->ntext = 0;
  free(s->input);
  s->input = NULL;
  pki_command_in gone = {.slot = s->slot, .client = s->serial, .leaves = true};
  pki_hub_post(server->hub, &gone);
}

/* ---- to the client ---- */

/* Takes the text over. A client that lets too many wait is closed. */
static void send_later(pki_session *s, char *text, size_t size)
{
  if (text == NULL) {
    return;
  }
  if (s->ntext == PKI_SESSION_TEXTS) {
    free(text);
    lws_set_timeout(s->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    return;
  }
  s->texts[s->ntext].text = text;
  s->texts[s->ntext++].size = size;
  lws_callback_on_writable(s->wsi);
}

static void send_error(pki_session *s, const pk_error *err)
{
  size_t size = 0;
  char *text = pki_error_json(err, NULL, &size);
  send_later(s, text, size);
}

void pki_sessions_wake(pki_server *server)
{
  pki_reply replies[PKI_HUB_REPLIES];
  const int n = server->hub != NULL ? pki_hub_take(server->hub, replies, PKI_HUB_REPLIES) : 0;
  for (int i = 0; i < n; i++) {
    pki_session *to = NULL;
    for (int k = 0; k < PKI_HUB_CLIENTS; k++) {
      pki_session *s = server->sessions[k];
      to = s != NULL && s->serial == replies[i].client ? s : to;
    }
    if (to != NULL) {
      send_later(to, replies[i].text, replies[i].size);
    } else {
      free(replies[i].text);
    }
  }
  for (int k = 0; k < PKI_HUB_CLIENTS; k++) {
    if (server->sessions[k] != NULL) {
      lws_callback_on_writable(server->sessions[k]->wsi);
    }
  }
}

/* Bytes with LWS_PRE of room before them; frees them. */
static int put_and_free(pki_session *s, unsigned char *bytes, size_t size, enum lws_write_protocol kind)
{
  const int sent = bytes != NULL ? lws_write(s->wsi, bytes + LWS_PRE, size, kind) : -1;
  free(bytes);
  lws_callback_on_writable(s->wsi); /* until nothing is left */
  return sent < 0 ? -1 : 0;
}

static int put_text(pki_session *s, const char *text, size_t size)
{
  unsigned char *bytes = malloc(LWS_PRE + size);
  if (bytes != NULL) {
    memcpy(bytes + LWS_PRE, text, size);
  }
  return put_and_free(s, bytes, size, LWS_WRITE_TEXT);
}

static int put_hello(pki_server *server, pki_session *s)
{
  size_t size = 0;
  uint64_t frame = 0;
  pki_hub_frame_serial(server->hub, &frame, &s->epoch);
  s->parameters = pki_hub_parameters_serial(server->hub); /* the hello has them */
  s->greeted = true;
  s->frame = server->options.render ? frame : 0; /* a renderer asks for each frame */
  unsigned char *bytes = (unsigned char *)pki_hub_hello(server->hub, LWS_PRE, &size);
  return put_and_free(s, bytes, size, LWS_WRITE_TEXT);
}

static int put_status(pki_session *s, const pki_play_status *status)
{
  size_t size = 0;
  char *text = pki_status_json(status, &size);
  s->status = status->serial;
  const int code = text != NULL ? put_text(s, text, size) : -1;
  free(text);
  return code;
}

static int put_parameters(pki_server *server, pki_session *s)
{
  size_t size = 0;
  unsigned char *bytes = (unsigned char *)pki_hub_parameters(server->hub, LWS_PRE, &size, &s->parameters);
  return put_and_free(s, bytes, size, LWS_WRITE_TEXT);
}

static int put_frame(pki_server *server, pki_session *s)
{
  size_t size = 0;
  uint64_t serial = 0, epoch = 0;
  unsigned char *bytes = pki_hub_frame(server->hub, s->value, s->nvalue, LWS_PRE, &size, &serial, &epoch);
  if (bytes != NULL && epoch != s->epoch) { /* the world restarted just now: say so first */
    free(bytes);
    lws_callback_on_writable(s->wsi);
    return 0;
  }
  s->frame = serial;
  return put_and_free(s, bytes, size, LWS_WRITE_BINARY);
}

static int close_with(struct lws *wsi, enum lws_close_status code, const char *why)
{
  lws_close_reason(wsi, code, (unsigned char *)why, strlen(why));
  return -1;
}

/* Bytes have come that were not read yet. */
static bool has_input(struct lws *wsi)
{
  char byte;
  return recv(lws_get_socket_fd(wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* The frame was not masked; what came before it still counts. */
static int end_unmasked(struct lws *wsi)
{
  if (has_input(wsi)) {
    lws_callback_on_writable(wsi);
    return 0;
  }
  return close_with(wsi, LWS_CLOSE_STATUS_PROTOCOL_ERR, "a frame was not masked");
}

void pki_session_refuse(pki_server *server, uint64_t gate)
{
  for (int k = 0; k < PKI_HUB_CLIENTS; k++) {
    pki_session *s = server->sessions[k];
    if (s != NULL && s->gate == gate) {
      s->unmasked = true;
      lws_callback_on_writable(s->wsi);
      lws_set_timeout(s->wsi, PENDING_TIMEOUT_USER_OK, PKI_GATE_SECONDS); /* if it does not read either */
    }
  }
}

/* The socket takes more: one message, the most urgent. */
static int write_next(pki_server *server, pki_session *s)
{
  if (s->unmasked) {
    return end_unmasked(s->wsi);
  }
  if (lws_send_pipe_choked(s->wsi)) {
    lws_callback_on_writable(s->wsi);
    return 0;
  }
  if (!s->greeted) {
    return put_hello(server, s);
  }
  if (s->ntext > 0) {
    char *text = s->texts[0].text;
    const int code = put_text(s, text, s->texts[0].size);
    free(text);
    s->ntext--;
    memmove(s->texts, s->texts + 1, (size_t)s->ntext * sizeof s->texts[0]);
    return code;
  }
  if (pki_hub_parameters_serial(server->hub) != s->parameters) {
    return put_parameters(server, s);
  }
  uint64_t serial = 0, epoch = 0;
  pki_hub_frame_serial(server->hub, &serial, &epoch);
  if (epoch != s->epoch) {
    static const char reset[] = "{\"type\":\"reset\"}";
    s->epoch = epoch;
    return put_text(s, reset, sizeof reset - 1);
  }
  const pki_play_status status = pki_hub_status(server->hub);
  if (status.serial != s->status) {
    return put_status(s, &status);
  }
  return serial != s->frame ? put_frame(server, s) : 0;
}

/* ---- from the client ---- */

static pk_status subscribe_channels(pki_server *server, pki_session *s, const pki_message *m, pk_error *err)
{
  int value[PKI_MESSAGE_VALUES];
  int channels[PKI_MESSAGE_VALUES];
  for (int i = 0; i < m->nvalue; i++) {
    const pk_status status = pki_catalog_find(server->catalog, &m->values[i], &channels[i], err);
    if (status != PK_OK) {
      return status;
    }
    value[i] = server->catalog->offset[channels[i]] + m->values[i].column;
  }
  for (int i = 0; i < m->nvalue; i++) {
    atomic_store_explicit(&server->hub->wanted[channels[i]], true, memory_order_relaxed);
    s->value[i] = value[i];
  }
  s->nvalue = m->nvalue;
  return PK_OK;
}

static pk_status take_message(pki_server *server, pki_session *s, pk_error *err)
{
  pki_command_in c = {.slot = s->slot, .client = s->serial};
  const pki_message *m = &c.message;
  pk_status status = pki_message_parse((const char *)s->input, s->input_size, &c.message, err);
  if (status == PK_OK && server->options.read_only && pki_message_changes(m->kind)) {
    status =
        pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "type"},
                 "'%s' is refused: this viewer is for looking only (--read-only)", pki_message_name(m->kind));
  }
  if (status == PK_OK && m->kind == PKI_MESSAGE_SUBSCRIBE) {
    status = subscribe_channels(server, s, m, err);
  }
  if (status == PK_OK && m->kind == PKI_MESSAGE_FRAME) {
    s->asked = m->number;
  }
  if (status == PK_OK && !pki_hub_post(server->hub, &c)) {
    status = pki_fail(err, PK_ERROR_LIMIT, (pki_where){0}, "too many messages wait for the simulation");
  }
  return status;
}

/* A part of a message behind what came before. */
static bool append_input(pki_session *s, const void *in, size_t size, size_t most)
{
  if (s->input_size + size > most) {
    return false;
  }
  if (s->input_size + size > s->input_room) {
    const size_t twice = 2 * s->input_room, needed = s->input_size + size;
    const size_t room = twice > needed ? twice : needed;
    unsigned char *more = realloc(s->input, room);
    if (more == NULL) {
      return false;
    }
    s->input = more;
    s->input_room = room;
  }
  if (size > 0) {
    memcpy(s->input + s->input_size, in, size);
  }
  s->input_size += size;
  return true;
}

static int receive_message(pki_server *server, pki_session *s, struct lws *wsi, const void *in, size_t size)
{
  const bool binary = lws_frame_is_binary(wsi) != 0;
  if (binary && !server->options.render) {
    return close_with(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
  }
  if (lws_is_first_fragment(wsi)) {
    s->input_size = 0;
  }
  if (!append_input(s, in, size, binary ? (size_t)PKI_PICTURE_BYTES : (size_t)PKI_MESSAGE_BYTES)) {
    return close_with(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too long");
  }
  if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) {
    return 0;
  }
  if (binary && server->options.picture != NULL) {
    server->options.picture(server->options.user, s->asked, s->input, s->input_size);
  }
  pk_error err = {0};
  if (!binary && take_message(server, s, &err) != PK_OK) {
    send_error(s, &err);
  }
  s->input_size = 0;
  return 0;
}

int pki_session_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
  pki_session *s = user;
  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED: return open_session(server_of(wsi), s, wsi);
  case LWS_CALLBACK_SERVER_WRITEABLE: return write_next(server_of(wsi), s);
  case LWS_CALLBACK_RECEIVE: return receive_message(server_of(wsi), s, wsi, in, size);
  case LWS_CALLBACK_CLOSED: close_session(server_of(wsi), s); return 0;
  default: return 0;
  }
}
