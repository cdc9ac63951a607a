/* A viewer in a few lines: HTTP and WebSocket (RFC 6455) over a loopback socket, as far as the tests need them. */
#ifndef TESTS_SERVE_CLIENT_H
#define TESTS_SERVE_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdbool.h>

typedef struct client {
  int socket;
  unsigned char *data; /* what came and was not taken yet */
  size_t size, room;
} client;

/* NULL: what a browser would send. "": leave the header out. */
typedef struct client_options {
  const char *path, *token, *host, *origin, *protocol;
  int receive_buffer; /* bytes; 0: the system's */
  const void *behind; /* bytes sent with the request, in one piece; NULL: none */
  size_t behind_size;
} client_options;

/* The HTTP status of the upgrade; 101: it is open. */
int client_try(client *c, int port, const client_options *options);
void client_open(client *c, int port, const char *token);
void client_close(client *c);

/* One whole response to a request; its status. *body for free(), headers included. */
int client_get(int port, const char *request, char **answer);

void client_send(client *c, const char *text);
void client_send_raw(client *c, int opcode, const void *data, size_t size);
/* Bytes as they are. */
void client_send_bytes(client *c, const void *data, size_t size);

/* A message: 1 text, 2 binary, 8 close, 0 the connection is gone. Waits for long, then the test fails. */
int client_receive(client *c, unsigned char **data, size_t *size);

/* The next text of that type; frames and others before it are passed over. For cJSON_Delete(). */
cJSON *client_text(client *c, const char *type);
/* The next text of that type with that truth value under `name`. */
cJSON *client_text_where(client *c, const char *type, const char *name, bool value);
/* The next error; its message contains `part`. */
void client_error(client *c, const char *part);

/* A binary frame, taken apart. */
typedef struct client_frame {
  unsigned nbody, ncontact, nvalue;
  double time, step;
  float com[3];
  int nedge;                      /* -1: no stability */
  float *pose, *contact, *values; /* into data */
  float *edge, *stance;           /* [nedge][7], [17]; NULL likewise */
  int nface;                      /* -1: no pressures */
  float *face;                    /* [nface][12]; NULL likewise */
  unsigned char *data;
} client_frame;

void client_frame_read(client *c, client_frame *out); /* the next one */
/* The next one with that step, or (at least) one that is not before it. */
void client_frame_at(client *c, double step, client_frame *out);
void client_frame_from(client *c, double step, client_frame *out);
void client_frame_free(client_frame *frame);

/* The connection ends with that code. */
void client_closed(client *c, int code);
/* Nothing but frames and texts comes any more, then the end. */
void client_ended(client *c);

#endif
