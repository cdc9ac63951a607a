#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/contact_run.h"
#include "bench/crowd.h"

/* What one thread steps. */
typedef struct share {
  pki_crowd_peer *peer;
  int thread;
} share;

/* q, u, and what else there is from zero. */
static void start_worlds(pki_crowd_peer *p)
{
  const pki_crowd *crowd = p->crowd;
  const size_t nq = (size_t)crowd->scene->model->nq, nu = (size_t)crowd->scene->model->nu;
  p->done = 0;
  memset(p->states, 0, (size_t)crowd->n * (size_t)p->size * sizeof *p->states);
  for (int k = 0; k < crowd->n; k++) {
    double *state = p->states + (size_t)k * (size_t)p->size;
    memcpy(state, crowd->q + (size_t)k * nq, nq * sizeof *state);
    memcpy(state + nq, crowd->u + (size_t)k * nu, nu * sizeof *state);
  }
}

static bool make_worlds(pki_crowd_peer *p)
{
  const pki_crowd *crowd = p->crowd;
  p->size = p->table->state_size(p->first);
  p->worlds = calloc((size_t)p->threads, sizeof *p->worlds);
  p->failed = calloc((size_t)p->threads, sizeof *p->failed);
  p->states = calloc((size_t)crowd->n * (size_t)p->size, sizeof *p->states);
  if (!p->worlds || !p->failed || !p->states) {
    return false;
  }
  start_worlds(p);
  bool ok = true;
  for (int t = 0; t < p->threads && ok; t++) {
    p->worlds[t] = p->table->clone(p->first);
    ok = p->worlds[t] != NULL;
  }
  return ok;
}

bool pki_crowd_peer_create(pki_crowd_peer *p, const pki_crowd *crowd, const pki_contact_peer *table,
                           int config, int threads, int steps, char *message, size_t size)
{
  *p = (pki_crowd_peer){.crowd = crowd, .table = table, .config = config, .threads = threads, .steps = steps};
  p->first = table->create(crowd->scene, config, message, size);
  if (!p->first) {
    return false;
  }
  if (!make_worlds(p)) {
    strncpy(message, "out of memory", size - 1);
    pki_crowd_peer_destroy(p);
    return false;
  }
  return true;
}

void pki_crowd_peer_destroy(pki_crowd_peer *p)
{
  for (int t = 0; t < p->threads && p->worlds; t++) {
    if (p->worlds[t]) {
      p->table->destroy(p->worlds[t]);
    }
  }
  if (p->first) {
    p->table->destroy(p->first);
  }
  free(p->worlds);
  free(p->failed);
  free(p->states);
  *p = (pki_crowd_peer){0};
}

/* All steps of one world, then of the next: its engine's memory stays in the cache. */
static void *step_share(void *user)
{
  const share *mine = user;
  pki_crowd_peer *p = mine->peer;
  const int n = p->crowd->n, t = mine->thread;
  const int from = (int)((long long)n * t / p->threads), to = (int)((long long)n * (t + 1) / p->threads);
  bool ok = true;
  for (int k = from; k < to && ok; k++) {
    double *state = p->states + (size_t)k * (size_t)p->size;
    p->table->set_state(p->worlds[t], state);
    for (int i = 0; i < p->steps && ok; i++) {
      ok = p->table->step(p->worlds[t], pki_crowd_target(p->crowd, k, p->done + i));
    }
    p->table->get_state(p->worlds[t], state);
  }
  p->failed[t] |= !ok;
  return NULL;
}

void pki_crowd_peer_call(void *peer, int index)
{
  enum { THREADS_MOST = 256 };
  pki_crowd_peer *p = peer;
  pthread_t threads[THREADS_MOST];
  bool started[THREADS_MOST] = {false};
  share shares[THREADS_MOST];
  (void)index;
  if (pki_crowd_is_over(p->crowd, p->done + p->steps - 1)) {
    start_worlds(p);
  }
  for (int t = 0; t < p->threads; t++) {
    shares[t] = (share){p, t};
    started[t] = t > 0 && pthread_create(&threads[t], NULL, step_share, &shares[t]) == 0;
  }
  for (int t = 0; t < p->threads; t++) { /* the first share, and those that found no thread, here */
    if (!started[t]) {
      step_share(&shares[t]);
    }
  }
  for (int t = 0; t < p->threads; t++) {
    if (started[t]) {
      pthread_join(threads[t], NULL);
    }
  }
  p->done += p->steps;
}

bool pki_crowd_peer_failed(const pki_crowd_peer *p)
{
  bool failed = false;
  for (int t = 0; t < p->threads; t++) {
    failed |= p->failed[t];
  }
  return failed;
}

bool pki_crowd_peer_fell(const pki_crowd_peer *p)
{
  bool fell = pki_crowd_peer_failed(p);
  for (int k = 0; k < p->crowd->n; k++) {
    double *state = p->states + (size_t)k * (size_t)p->size;
    fell |= pki_contact_is_down(&(pki_contact_sample){.q = state});
  }
  return fell;
}
