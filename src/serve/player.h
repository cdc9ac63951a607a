/* The thread that owns the world: it does what clients ask, goes on at the pace of the wall clock times the speed, and
 * publishes what there is to see. */
#ifndef PKI_SERVE_PLAYER_H
#define PKI_SERVE_PLAYER_H

#include "serve/hub.h"

typedef struct pki_player pki_player;

typedef struct pki_player_options {
  bool paused;    /* it starts so */
  bool render;    /* frames come only when they are asked for */
  bool read_only; /* as the hello says; the server refuses before the player is asked */
} pki_player_options;

/* Starts the thread. The source and the hub must outlive it; the hub has a first frame, status and hello when this
 * returns. */
pk_status pki_player_start(pki_source *source, pki_hub *hub, const pki_player_options *options,
                           pki_player **out, pk_error *err);

/* Stops the thread and waits for it; NULL is fine. */
void pki_player_stop(pki_player *player);

#endif
