/* Many worlds of the trotting StarLETH for `pronk bench batch`: where each starts, and how engines step them.
 *
 * One robot trots until it is steady; every world begins with its state at some place of the cycle, turned and moved along the
 * ground, the joints a little off, and goes on with the targets of its place. Places are all of the cycle's in a random
 * order (seeded: the same in every run), or all the same. */
#ifndef PKI_BENCH_CROWD_H
#define PKI_BENCH_CROWD_H

#include "bench/contact_scene.h"
#include "pronk/batch.h"

typedef struct pki_crowd {
  const pki_contact_stage *stage;
  int n;
  int *place; /* [n] in the cycle */
  double *q;  /* [n][nq] */
  double *u;  /* [n][nu] */
} pki_crowd;

/* s, after which all worlds begin again: an open-loop trot wanders and stumbles in the end. */
#define PKI_CROWD_LIFE 10.0

/* The tolerance of every step: relative residual. */
#define PKI_CROWD_TOLERANCE 1e-6

pk_status pki_crowd_create(pki_crowd *crowd, const pki_contact_stage *stage, int n, bool in_phase,
                           pk_error *err);
void pki_crowd_destroy(pki_crowd *crowd);

/* Targets of a world's step k, counted from its start. */
static inline const double *pki_crowd_target(const pki_crowd *crowd, int world, long long k)
{
  return pki_contact_target(crowd->stage, crowd->place[world] + k);
}

/* ---- Pronk ---- */

typedef struct pki_crowd_batch {
  const pki_crowd *crowd;
  pk_terrain *ground;
  pk_batch *batch;
  int steps;          /* of each world in one call */
  long long done;     /* of each world since its start */
  pk_batch_info info; /* of all calls so far */
  pk_status status;   /* of the first call that failed */
  double resident;    /* bytes that the process grew by for each world, NAN: unknown */
} pki_crowd_batch;

/* The scene's hard contact at PKI_CROWD_TOLERANCE, gains taken implicitly; with the robot's own code, or NULL. */
pk_status pki_crowd_batch_create(pki_crowd_batch *b, const pki_crowd *crowd, const pk_code *code, int lanes,
                                 int threads, int steps, pk_error *err);
void pki_crowd_batch_destroy(pki_crowd_batch *b);
void pki_crowd_batch_call(void *batch, int index); /* `steps` steps of all worlds */
bool pki_crowd_batch_fell(const pki_crowd_batch *b);

/* ---- a peer: each thread has one world of the engine, which the crowd's worlds take turns in ---- */

typedef struct pki_crowd_peer {
  const pki_crowd *crowd;
  const pki_contact_peer *table;
  int config, threads, steps;
  void *first;    /* the world that the others are clones of */
  void **worlds;  /* [threads] */
  int size;       /* of a state */
  double *states; /* [n][size] */
  long long done; /* steps of each world since its start */
  bool *failed;   /* [threads] a step failed */
} pki_crowd_peer;

/* False: the engine cannot, `message` says why. */
bool pki_crowd_peer_create(pki_crowd_peer *p, const pki_crowd *crowd, const pki_contact_peer *table,
                           int config, int threads, int steps, char *message, size_t size);
void pki_crowd_peer_destroy(pki_crowd_peer *p);
void pki_crowd_peer_call(void *peer, int index);
bool pki_crowd_peer_fell(const pki_crowd_peer *p);

#endif
