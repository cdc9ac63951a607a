/* Many worlds of one scene for `pronk bench batch` and `robots`: where each starts, and how engines step them.
 *
 * In a trot one robot trots until it is steady; every world begins with its state at some place of the cycle, turned and moved along the
 * ground, the joints a little off, and goes on with the targets of its place. Places are all of the cycle's in a random
 * order (seeded: the same in every run), or all the same. */
#ifndef PKI_BENCH_CROWD_H
#define PKI_BENCH_CROWD_H

#include "bench/contact_scene.h"
#include "pronk/batch.h"

typedef struct pki_crowd {
  const pki_contact_scene *scene;
  int n;
  double *q;             /* [n][nq] */
  double *u;             /* [n][nu] */
  int *place;            /* [n] in the cycle of targets */
  int ntarget;           /* steps until targets repeat */
  const double *targets; /* [ntarget][nu], the caller's */
  double *poses;         /* [n][nu] targets of each world, which stay, in place of the cycle's; NULL: none */
  double tolerance;      /* relative residual of every step */
  double life;           /* s, after which all worlds begin again */
} pki_crowd;

/* What a trot has unless something else is set: an open-loop trot wanders and stumbles in the end. */
#define PKI_CROWD_LIFE 10.0
#define PKI_CROWD_TOLERANCE 1e-6

/* Worlds at the scene's start, at rest, place 0; targets are the caller's to set. */
pk_status pki_crowd_init(pki_crowd *crowd, const pki_contact_scene *scene, int n, pk_error *err);

/* Worlds all over the trot that the targets describe. */
pk_status pki_crowd_trot(pki_crowd *crowd, const pki_contact_scene *scene, const double *targets, int ntarget,
                         int n, bool in_phase, pk_error *err);
/* Worlds all over a cycle whose states [ntarget][nq + nu] are known. */
pk_status pki_crowd_cycle(pki_crowd *crowd, const pki_contact_scene *scene, const double *targets,
                          int ntarget, const double *cycle, int n, pk_error *err);
pk_status pki_crowd_create(pki_crowd *crowd, const pki_contact_stage *stage, int n, bool in_phase,
                           pk_error *err);
void pki_crowd_destroy(pki_crowd *crowd);

/* Targets of a world's step k, counted from its start. */
static inline const double *pki_crowd_target(const pki_crowd *crowd, int world, long long k)
{
  const size_t nu = (size_t)crowd->scene->model->nu;
  return crowd->poses ? crowd->poses + (size_t)world * nu
                      : crowd->targets + (size_t)((crowd->place[world] + k) % crowd->ntarget) * nu;
}

/* True when worlds have come to the end of their life after so many steps. */
static inline bool pki_crowd_is_over(const pki_crowd *crowd, long long done)
{
  return ((double)done + 0.5) * crowd->scene->dt > crowd->life;
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

/* Hard contact at the crowd's tolerance, gains taken implicitly; with the robot's own code, or NULL, and with actuators, or NULL.
 * lanes 0: what suits the machine. */
pk_status pki_crowd_batch_create(pki_crowd_batch *b, const pki_crowd *crowd, const pk_code *code,
                                 const pk_actuation *actuation, int lanes, int threads, int steps,
                                 pk_error *err);
void pki_crowd_batch_destroy(pki_crowd_batch *b);
void pki_crowd_batch_call(void *batch, int index); /* `steps` steps of all worlds */
bool pki_crowd_batch_fell(const pki_crowd_batch *b);

/* ---- Pronk, one pk_sim that goes through the worlds one after the other ---- */

typedef struct pki_crowd_sim {
  const pki_crowd *crowd;
  pk_terrain *ground;
  pk_sim *sim;
  int steps;          /* of each world in one call */
  pk_batch_info info; /* of the call that is watched; nothing is `alone` */
  pk_status status;   /* of the first step that failed */
} pki_crowd_sim;

pk_status pki_crowd_sim_create(pki_crowd_sim *s, const pki_crowd *crowd, int steps, pk_error *err);
void pki_crowd_sim_destroy(pki_crowd_sim *s);
void pki_crowd_sim_call(void *sim, int index); /* `steps` steps of all worlds from their starts */
void pki_crowd_sim_watch(pki_crowd_sim *s);    /* the same, with a certificate of each step */

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
bool pki_crowd_peer_failed(const pki_crowd_peer *p); /* a step did */
bool pki_crowd_peer_fell(const pki_crowd_peer *p);

#endif
