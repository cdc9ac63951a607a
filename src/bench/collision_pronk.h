/* Pronk behind the table of collision_peer.h. */
#ifndef PKI_BENCH_COLLISION_PRONK_H
#define PKI_BENCH_COLLISION_PRONK_H

#include "bench/collision_peer.h"

const pki_collision_peer *pki_collision_pronk(void);

#endif
