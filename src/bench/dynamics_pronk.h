/* Pronk behind the table that its peers use. */
#ifndef PKI_BENCH_DYNAMICS_PRONK_H
#define PKI_BENCH_DYNAMICS_PRONK_H

#include "bench/dynamics_peer.h"

const pki_dynamics_peer *pki_dynamics_pronk(void);

#endif
