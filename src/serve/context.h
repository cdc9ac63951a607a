/* What the serving thread's files share. */
#ifndef PKI_SERVE_CONTEXT_H
#define PKI_SERVE_CONTEXT_H

#include <libwebsockets.h>

#include "serve/hub.h"
#include "serve/server.h"

enum {
  PKI_SESSION_TEXTS = 32,       /* that may wait for a client; one more and it is closed */
  PKI_PICTURE_BYTES = 64 << 20, /* the largest picture */
  PKI_SESSION_CHUNK = 1 << 16   /* bytes that are read or written at a time */
};

/* One client. */
typedef struct pki_session {
  struct lws *wsi;
  int slot;
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

/* --- session.c --- */

int pki_session_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size);

/* Something new from the player: replies to who asked, and everybody may write. */
void pki_sessions_wake(pki_server *server);

#endif
