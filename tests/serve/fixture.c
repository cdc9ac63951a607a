#define _POSIX_C_SOURCE 200809L
#include "serve/fixture.h"
#include "support/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(call) \
  do { \
    pk_error err = {0}; \
    if ((call) != PK_OK) { \
      fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message); \
    } \
  } while (0)

static void start(fixture *f, const pki_server_options *options)
{
  MUST(pki_server_start(f->source, options, &f->server, &err));
  f->port = pki_server_port(f->server);
  f->token = pki_server_token(f->server);
  assert_greater(f->port, 0);
}

void fixture_live(fixture *f, const char *scenario, const char *set, const pki_server_options *options)
{
  char path[512];
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  snprintf(path, sizeof path, "%s/scenarios/%s.yaml", PK_SOURCE_DIR, scenario);
  MUST(pki_live_create(path, &set, set != NULL, &f->source, &err));
  start(f, options);
}

void fixture_text(fixture *f, const char *yaml, const pki_server_options *options)
{
  char path[64];
  snprintf(path, sizeof path, "fixture.%ld.yaml", (long)getpid());
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(yaml, file);
  assert_int_equal(fclose(file), 0);
  MUST(pki_live_create(path, NULL, 0, &f->source, &err));
  remove(path);
  start(f, options);
}

void fixture_replay(fixture *f, const char *recording, const pki_server_options *options)
{
  MUST(pki_replay_create(recording, &f->source, &err));
  start(f, options);
}

void fixture_stop(fixture *f)
{
  pki_server_stop(f->server);
  f->source->kind->destroy(f->source);
}

void fixture_client(const fixture *f, client *c, cJSON **hello)
{
  client_open(c, f->port, f->token);
  cJSON *o = client_text(c, "hello");
  if (hello != NULL) {
    *hello = o;
  } else {
    cJSON_Delete(o);
  }
}
