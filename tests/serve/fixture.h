/* A server for a test, and clients of it. */
#ifndef TESTS_SERVE_FIXTURE_H
#define TESTS_SERVE_FIXTURE_H

#include "serve/client.h"
#include "serve/server.h"

typedef struct fixture {
  pki_source *source;
  pki_server *server;
  int port;
  const char *token;
} fixture;

/* A scenario of the scenarios folder, or the text of one; `set` an override or NULL. */
void fixture_live(fixture *f, const char *scenario, const char *set, const pki_server_options *options);
void fixture_text(fixture *f, const char *yaml, const pki_server_options *options);
void fixture_replay(fixture *f, const char *recording, const pki_server_options *options);
void fixture_stop(fixture *f);

/* A client that has had its hello; NULL: nobody wants the hello. */
void fixture_client(const fixture *f, client *c, cJSON **hello);

#endif
