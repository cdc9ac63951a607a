/* Pronk behind the table that its peers use. */
#ifndef PKI_BENCH_CONTACT_PRONK_H
#define PKI_BENCH_CONTACT_PRONK_H

#include "bench/contact_peer.h"

const pki_contact_peer *pki_contact_pronk(void);

#endif
