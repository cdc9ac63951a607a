/* The viewer's server: one thread serves pages and WebSockets, another plays (player.h).
 *
 *   server.c   threads and the address      session.c  one client
 *   gate.c     the bytes of a connection    masking.c  which of them pass
 *   http.c     pages and who may come in    message.c  what a client asks for
 *   player.c   the world's thread           hub.c      where the two threads meet
 *   live.c     a simulation                 replay.c   a recording
 *
 * docs/formats/viewer.md has the protocol. */
#ifndef PKI_SERVE_SERVER_H
#define PKI_SERVE_SERVER_H

#include "serve/source.h"
#include "serve/token.h"

typedef struct pki_server pki_server;

typedef struct pki_server_options {
  const char *host;   /* the address to listen at; NULL: 127.0.0.1 */
  int port;           /* 0: any that is free */
  const char *folder; /* of the page; NULL: there is none, only WebSockets are served */
  bool paused, read_only;
  bool render; /* frames on request, and pictures come back: */
  void (*picture)(void *user, double time, const void *png, size_t size); /* called by the serving thread */
  void *user;
} pki_server_options;

/* The source must outlive the server. */
pk_status pki_server_start(pki_source *source, const pki_server_options *options, pki_server **out,
                           pk_error *err);
void pki_server_stop(pki_server *server); /* NULL is fine */

int pki_server_port(const pki_server *server);
const char *pki_server_token(const pki_server *server);

/* How many clients there ever were. */
uint64_t pki_server_clients(const pki_server *server);

/* http://127.0.0.1:PORT/?token=..., and `query` after it ("&render=1", "" for none). */
void pki_server_url(const pki_server *server, const char *query, char *out, size_t size);

#endif
