/* DART's table of the interface "contact/3". */
#ifndef BENCH_DART_CONTACT_H
#define BENCH_DART_CONTACT_H

#include "bench/contact_peer.h"

const pki_contact_peer *dart_contact();

#endif
