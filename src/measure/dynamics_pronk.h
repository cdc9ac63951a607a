/* Pronk behind the table that its peers use: its generic kernels, and a model's own code (pronk/code.h). */
#ifndef PKI_MEASURE_DYNAMICS_PRONK_H
#define PKI_MEASURE_DYNAMICS_PRONK_H

#include "measure/dynamics_peer.h"

const pki_dynamics_peer *pki_dynamics_pronk(void);

/* The same with compiled code, of which there is no mass matrix by itself. Its `create` generates and compiles
 * what the user's cache does not have yet. */
const pki_dynamics_peer *pki_dynamics_compiled(void);

#endif
