/* ODE's table of the interface "contact/3". */
#ifndef BENCH_ODE_CONTACT_H
#define BENCH_ODE_CONTACT_H

#include "bench/contact_peer.h"

const pki_contact_peer *ode_contact();

#endif
