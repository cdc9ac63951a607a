/* Where the two threads of the viewer meet.
 *
 *   server (clients)  -- commands, a short queue -->  player (the world)
 *                     <-- the newest frame, the newest status, replies --
 *
 * Nothing here waits for a client: a frame that no client has taken is replaced by the next, a full queue refuses, a reply
 * that finds no room is dropped. */
#ifndef PKI_SERVE_HUB_H
#define PKI_SERVE_HUB_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "serve/source.h"

enum { PKI_HUB_COMMANDS = 64, PKI_HUB_REPLIES = 64, PKI_HUB_CLIENTS = 16 };

/* What a client asked the player for. */
typedef struct pki_command_in {
  int slot;        /* of the client, 0 .. PKI_HUB_CLIENTS - 1 */
  uint64_t client; /* its serial number, never used again */
  bool comes;      /* it is the first: the clock may start */
  bool leaves;     /* it is gone: let go of what it holds */
  pki_message message;
} pki_command_in;

/* An answer to one client. */
typedef struct pki_reply {
  uint64_t client;
  char *text; /* JSON, malloc */
  size_t size;
} pki_reply;

typedef struct pki_play_status {
  uint64_t serial; /* counts changes */
  double time, speed, real_time_factor;
  pki_health health;
  bool playing, ended;
  char message[400];
} pki_play_status;

typedef struct pki_hub {
  pthread_mutex_t lock;
  pthread_cond_t wake; /* the player: something in the queue */
  const pki_catalog *catalog;
  void (*notify)(void *user); /* the server: something new from the player */
  void *user;

  /* under the lock */
  pki_command_in commands[PKI_HUB_COMMANDS];
  int first, count;
  bool stop;
  pki_frame front;
  pki_play_status status;
  pki_reply replies[PKI_HUB_REPLIES];
  int nreply;
  char *hello; /* malloc */
  size_t hello_size;
  char *parameters; /* malloc; what was set last */
  size_t parameters_size;
  uint64_t parameters_serial; /* counts changes */

  atomic_int waiting;  /* commands, and 1 more to stop: looked at between steps without the lock */
  atomic_bool *wanted; /* [channels] a client has subscribed to it at some time */
} pki_hub;

pk_status pki_hub_init(pki_hub *hub, const pki_catalog *catalog, pk_error *err);
void pki_hub_free(pki_hub *hub);

/* --- for the server --- */

bool pki_hub_post(pki_hub *hub, const pki_command_in *command); /* false: the queue is full */
void pki_hub_stop(pki_hub *hub);
/* Replies that have come, at most `most`; their texts are the caller's. */
int pki_hub_take(pki_hub *hub, pki_reply *out, int most);
pki_play_status pki_hub_status(pki_hub *hub);
void pki_hub_frame_serial(pki_hub *hub, uint64_t *serial, uint64_t *epoch);
/* The newest frame as bytes after `room` bytes, malloc; NULL when memory is out. */
unsigned char *pki_hub_frame(pki_hub *hub, const int *index, int count, size_t room, size_t *size,
                             uint64_t *serial, uint64_t *epoch);
char *pki_hub_hello(pki_hub *hub, size_t room, size_t *size); /* likewise */
uint64_t pki_hub_parameters_serial(pki_hub *hub);
char *pki_hub_parameters(pki_hub *hub, size_t room, size_t *size, uint64_t *serial); /* likewise */

/* --- for the player --- */

/* The next command; false: none. */
bool pki_hub_next(pki_hub *hub, pki_command_in *out);
bool pki_hub_stopped(pki_hub *hub);
/* Sleep until there is a command or the monotonic clock says `until` (s; INFINITY: no end). */
void pki_hub_sleep(pki_hub *hub, double until);
/* Swap the new frame in; `back` becomes the old one, to be filled again. */
void pki_hub_publish(pki_hub *hub, pki_frame *back);
void pki_hub_set_status(pki_hub *hub, const pki_play_status *status);       /* its serial is counted here */
void pki_hub_set_hello(pki_hub *hub, char *text, size_t size);              /* text: malloc, taken over */
void pki_hub_set_parameters(pki_hub *hub, char *text, size_t size);         /* likewise */
void pki_hub_reply(pki_hub *hub, uint64_t client, char *text, size_t size); /* likewise */

#endif
