/* How long a chain may be. */
#ifndef PKI_MODEL_CHAIN_H
#define PKI_MODEL_CHAIN_H

#include "pronk/model.h"

/* Most links of a chain alone in its world: each velocity has an entry in M with every one above it,
 * and a model keeps at most PKI_PLAN_MAX of them. */
int pki_chain_limit(pk_root_kind root);

#endif
