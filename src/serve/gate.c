/* Between a client and libwebsockets. A server must end a connection on which a frame comes that is not masked (RFC
 * 6455, section 5.1); libwebsockets 4.1 takes such a frame, and shows nobody the bit. So each connection is two:
 *
 *   client <-- TCP --> client end | gate | server end <-- pair of sockets --> libwebsockets' HTTP and WebSockets
 *
 * Both ends are raw sockets to libwebsockets, in the same thread and loop. What comes from the client passes up to the end
 * of a request's head; the rest waits until the answer begins. If the answer is that the connection becomes a WebSocket,
 * the gate reads the frames' headers from then on. What comes from the server passes as it is. Where one side does not
 * take more, the other is not read. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/context.h"
#include "serve/masking.h"

typedef struct pki_gate {
  struct pki_gate *next;
  uint64_t number;
  struct lws *client, *server; /* the ends; NULL: closed */
  bool waiting;                /* a whole head has passed, and its answer has not begun */
  bool taken;                  /* that request is being answered; before, answers belong to earlier ones */
  bool upgraded;               /* frames come */
  pki_head_reader head;
  pki_frame_reader frames;
  unsigned char *held; /* what came behind a head, until its answer */
  size_t held_size;
} pki_gate;

/* ---- coming and going ---- */

static void set_send_buffer(int socket, int room)
{
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

static struct lws *adopt_end(struct lws_vhost *host, int socket, lws_adoption_type type, const char *protocol,
                             void *opaque)
{
  return lws_adopt_descriptor_vhost_via_info(&(lws_adopt_desc_t){.vh = host,
                                                                 .type = LWS_ADOPT_SOCKET | type,
                                                                 .fd.sockfd = socket,
                                                                 .vh_prot_name = protocol,
                                                                 .opaque = opaque});
}

static void free_gate(pki_server *server, pki_gate *g)
{
  pki_gate **at = &server->gates;
  while (*at != g) {
    at = &(*at)->next;
  }
  *at = g->next;
  free(g->held);
  free(g);
}

/* The two ends that are not there yet; false: one could not be made. */
static bool open_ends(pki_server *server, pki_gate *g)
{
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) {
    return false;
  }
  set_send_buffer(pair[0], PKI_SESSION_CHUNK);
  set_send_buffer(pair[1], PKI_SESSION_CHUNK);
  g->server = adopt_end(server->listener, pair[0], 0, "gate", g);
  /* by its number, not by address: that side may still be there when the gate is gone */
  void *number = (void *)(uintptr_t)g->number;
  return adopt_end(server->pages, pair[1], LWS_ADOPT_HTTP, NULL, number) != NULL && g->server != NULL;
}

static int open_gate(pki_server *server, struct lws *client)
{
  pki_gate *g = calloc(1, sizeof *g);
  if (g == NULL) {
    return -1;
  }
  g->number = ++server->gate_count;
  g->client = client;
  g->next = server->gates;
  server->gates = g;
  if (open_ends(server, g)) {
    lws_set_opaque_user_data(client, g);
    return 0;
  }
  g->client = NULL;
  if (g->server != NULL) {
    lws_callback_on_writable(g->server); /* and goes */
  } else {
    free_gate(server, g);
  }
  return -1;
}

/* ---- bytes ---- */

static bool write_end(struct lws *to, const unsigned char *bytes, size_t size)
{
  /* libwebsockets leaves the bytes of raw sockets alone, and keeps what the socket does not take */
  return size == 0 || lws_write(to, (unsigned char *)bytes, size, LWS_WRITE_RAW) >= 0;
}

/* Bytes went to `to`: while it takes no more, nothing is read from the other end. */
static void pause_if_choked(struct lws *from, struct lws *to)
{
  if (lws_send_pipe_choked(to)) {
    lws_rx_flow_control(from, 0);
    lws_callback_on_writable(to);
  }
}

/* What came behind the end of a head waits for the answer. */
static bool hold_rest(pki_gate *g, const unsigned char *bytes, size_t size)
{
  if (size == 0) {
    return true;
  }
  unsigned char *held = realloc(g->held, g->held_size + size);
  if (held == NULL) {
    return false;
  }
  memcpy(held + g->held_size, bytes, size);
  g->held = held;
  g->held_size += size;
  return true;
}

static bool pass_request(pki_gate *g, const unsigned char *bytes, size_t size)
{
  const size_t n = pki_head_read(&g->head, bytes, size);
  if (g->head.ended) {
    g->waiting = true;
    g->taken = false;
    g->head = (pki_head_reader){0};
    lws_rx_flow_control(g->client, 0);
  }
  return write_end(g->server, bytes, n) && hold_rest(g, bytes + n, size - n);
}

static bool pass_frames(pki_server *server, pki_gate *g, const unsigned char *bytes, size_t size)
{
  const bool before = g->frames.broken;
  const size_t n = pki_frame_read(&g->frames, bytes, size);
  if (g->frames.broken && !before) {
    pki_session_refuse(server, g->number);
  }
  return write_end(g->server, bytes, n);
}

static int read_client(pki_server *server, pki_gate *g, const unsigned char *bytes, size_t size)
{
  if (g->server == NULL) { /* it has been answered, and is about to be closed */
    return 0;
  }
  if (g->waiting) {
    return hold_rest(g, bytes, size) ? 0 : -1;
  }
  if (!(g->upgraded ? pass_frames(server, g, bytes, size) : pass_request(g, bytes, size))) {
    return -1;
  }
  pause_if_choked(g->client, g->server);
  return 0;
}

/* The answer has begun: what was held goes on, up to the end of the next head. */
static int release_client(pki_server *server, pki_gate *g)
{
  unsigned char *held = g->held;
  const size_t size = g->held_size;
  g->waiting = false;
  g->held = NULL;
  g->held_size = 0;
  lws_rx_flow_control(g->client, 1);
  const int code = size > 0 ? read_client(server, g, held, size) : 0;
  free(held);
  return code;
}

static int read_server(pki_server *server, pki_gate *g, const unsigned char *bytes, size_t size)
{
  if (g->client == NULL) {
    return -1;
  }
  const bool begins = g->waiting && g->taken;
  if (!write_end(g->client, bytes, size) || (begins && release_client(server, g) != 0)) {
    return -1;
  }
  pause_if_choked(g->server, g->client);
  return 0;
}

/* An end takes more: the other is read again, or this one has had all and goes too. */
static int write_more(pki_gate *g, const struct lws *wsi)
{
  struct lws *other = wsi == g->client ? g->server : g->client;
  if (other == NULL) {
    return -1;
  }
  if (!(other == g->client && g->waiting)) {
    lws_rx_flow_control(other, 1);
  }
  return 0;
}

/* ---- ending ---- */

/* The server's last bytes: it may go before they were read, when the client was slow. */
static void drain_server(pki_gate *g)
{
  unsigned char bytes[4096];
  const int socket = lws_get_socket_fd(g->server);
  for (ssize_t n; g->client != NULL && (n = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
    if (!write_end(g->client, bytes, (size_t)n)) {
      return;
    }
  }
}

/* The other end gets what is left for it, and follows. */
static void close_end(pki_server *server, pki_gate *g, const struct lws *wsi)
{
  if (wsi == g->server) {
    drain_server(g);
    g->server = NULL;
  } else if (wsi == g->client) {
    g->client = NULL;
  } else {
    return; /* never came to be an end */
  }
  struct lws *other = g->client != NULL ? g->client : g->server;
  if (other == NULL) {
    free_gate(server, g);
    return;
  }
  lws_callback_on_writable(other);
  lws_set_timeout(other, PENDING_TIMEOUT_USER_OK, PKI_GATE_SECONDS);
}

/* ---- what libwebsockets makes of it ---- */

/* The gate of a connection that libwebsockets serves; NULL: it is gone. */
static pki_gate *find_gate(pki_server *server, struct lws *wsi)
{
  const uint64_t number = (uint64_t)(uintptr_t)lws_get_opaque_user_data(wsi);
  pki_gate *g = server->gates;
  while (g != NULL && g->number != number) {
    g = g->next;
  }
  return g;
}

void pki_gate_take(pki_server *server, struct lws *wsi)
{
  pki_gate *g = find_gate(server, wsi);
  if (g != NULL) {
    g->taken = true;
  }
}

uint64_t pki_gate_upgrade(pki_server *server, struct lws *wsi)
{
  pki_gate *g = find_gate(server, wsi);
  if (g == NULL || g->client == NULL || !g->waiting || !g->taken) {
    return 0;
  }
  g->upgraded = true;
  /* a slow client should be behind by little, not by what a large buffer holds */
  set_send_buffer(lws_get_socket_fd(g->client), 4 * PKI_SESSION_CHUNK);
  return g->number;
}

int pki_gate_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
  (void)user;
  pki_server *server = lws_context_user(lws_get_context(wsi));
  pki_gate *g = lws_get_opaque_user_data(wsi);
  switch (reason) {
  case LWS_CALLBACK_RAW_ADOPT: return g == NULL ? open_gate(server, wsi) : 0;
  case LWS_CALLBACK_RAW_RX:
    return wsi == g->client ? read_client(server, g, in, size) : read_server(server, g, in, size);
  case LWS_CALLBACK_RAW_WRITEABLE: return write_more(g, wsi);
  case LWS_CALLBACK_RAW_CLOSE:
    if (g != NULL) {
      close_end(server, g, wsi);
    }
    return 0;
  default: return 0;
  }
}
