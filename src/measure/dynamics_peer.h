/* The interface "dynamics/1" of peers (measure/peer.h): smooth dynamics of a compiled model.
 *
 * Every engine is built from the numbers of the same pk_model, so that differences are the
 * engine's own. Work has three parts: `store` turns states of Pronk's conventions into the
 * engine's once, outside of all timing; `run` loads the stored states into the engine and
 * computes everything from positions on (this is what is timed); `read` turns the last
 * run's result back. Pronk's own kernels stand behind the same table.
 *
 * An engine computes `lanes` robots at once: run k takes slots k * lanes and on.
 */
#ifndef PKI_MEASURE_DYNAMICS_PEER_H
#define PKI_MEASURE_DYNAMICS_PEER_H

#include <stddef.h>

#include "pronk/model.h"

#define PKI_DYNAMICS_INTERFACE "dynamics/1"

/* What is computed, and what `read` then gives. M includes armature, h holds gravity,
 * joint damping and friction play no part. */
typedef enum pki_algorithm {
  PKI_ALGORITHM_RNEA,   /* tau = M a + h [nu] */
  PKI_ALGORITHM_CRBA,   /* M [nu][nu] */
  PKI_ALGORITHM_FACTOR, /* factors of the M that was prepared; nothing to read */
  PKI_ALGORITHM_ABA,    /* a = inv(M) (tau - h) [nu], forward dynamics in the engine's own way */
  PKI_ALGORITHM_COUNT
} pki_algorithm;

/* One state: q [nq], u, tau, a [nu]. */
typedef struct pki_dynamics_state {
  const double *q, *u, *tau, *a;
} pki_dynamics_state;

typedef struct pki_dynamics_peer {
  /* For each algorithm the engine's calls as its users know them; NULL: not offered. */
  const char *calls[PKI_ALGORITHM_COUNT];

  /* An engine with room for `slots` states and `lanes` robots at once. NULL when it cannot
   * take this model or lane count; `message` then says why. */
  void *(*create)(const pk_model *model, int slots, int lanes, char *message, size_t size);
  void (*destroy)(void *engine);

  void (*store)(void *engine, int slot, const pki_dynamics_state *state);

  /* Compute the M that PKI_ALGORITHM_FACTOR then factors at every run. */
  void (*prepare_factor)(void *engine, int run);
  void (*run)(void *engine, pki_algorithm algorithm, int run);
  void (*read)(void *engine, pki_algorithm algorithm, int lane, double *out);
} pki_dynamics_peer;

#endif
