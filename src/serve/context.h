/* What the serving thread's files share. */
#ifndef PKI_SERVE_CONTEXT_H
#define PKI_SERVE_CONTEXT_H

#include <libwebsockets.h>

#include "serve/hub.h"
#include "serve/server.h"

enum {
  PKI_SESSION_TEXTS = 32,       /* that may wait for a client; one more and it is closed */
  PKI_PICTURE_BYTES = 64 << 20, /* the largest picture */
  PKI_SESSION_CHUNK = 1 << 16,  /* bytes that are read or written at a time */
  PKI_GATE_SECONDS = 20         /* for a client to take what is left when its connection ends */
};

/* One client. */
typedef struct pki_session {
  struct lws *wsi;
  int slot;
  uint64_t gate; /* the number of its connection's gate */
  bool unmasked; /* it sent a frame that was not masked: the connection ends */
  uint64_t serial;
  bool greeted;
  uint64_t epoch, status, parameters, frame; /* what was sent last */
  int value[PKI_MESSAGE_VALUES], nvalue;
  struct {
    char *text;
    size_t size;
  } texts[PKI_SESSION_TEXTS];
  int ntext;
  unsigned char *input; /* of the present message */
  size_t input_size, input_room;
  double asked; /* time of the frame that it asked for */
} pki_session;

struct pki_server {
  pki_server_options options;
  char host[256];
  char token[PKI_TOKEN_SIZE];
  int port;
  struct lws_context *context;
  struct lws_vhost *listener, *pages; /* where clients arrive; where their requests are answered */
  struct pki_gate *gates;             /* a list: one for each connection */
  uint64_t gate_count;                /* that there ever were */
  pki_hub *hub;
  const pki_catalog *catalog;
  struct pki_player *player;
  pthread_t thread;
  bool threaded;
  atomic_bool stop;
  pki_session *sessions[PKI_HUB_CLIENTS];
  _Atomic uint64_t clients; /* that there ever were */
};

/* --- http.c --- */

int pki_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

/* --- gate.c --- */

/* What the two ends of a gate call, both raw sockets to libwebsockets. */
int pki_gate_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

/* The request that this connection sent last is being answered. */
void pki_gate_take(pki_server *server, struct lws *wsi);

/* That request has made the connection a WebSocket: from here on frames come, and they are masked. The gate's number; 0:
 * the client is gone, or bytes may have passed that were not looked at. */
uint64_t pki_gate_upgrade(pki_server *server, struct lws *wsi);

/* --- session.c --- */

int pki_session_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size);

/* Something new from the player: replies to who asked, and everybody may write. */
void pki_sessions_wake(pki_server *server);

/* The client behind this gate sent a frame that was not masked: its connection ends with code 1002. */
void pki_session_refuse(pki_server *server, uint64_t gate);

#endif
