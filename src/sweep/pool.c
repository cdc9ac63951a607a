#define _POSIX_C_SOURCE 200809L
#include "sweep/pool.h"

#include <errno.h>
#include <libxml/parser.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/single_run.h"

/* ---- one sample ---- */

/* What a run tells of itself. */
typedef struct teller {
  pki_record *record;
  bool interrupted;
} teller;

static void note_ran(void *user, const pki_world *world, const pki_run_result *result)
{
  (void)world;
  teller *t = user;
  t->interrupted = result->interrupted;
  pki_record_fill(t->record, result);
}

pk_status pki_sample_run(const pki_sweep *sweep, long long index, const char *folder, const atomic_int *stop,
                         pki_record *out, bool *interrupted, pk_error *err)
{
  pki_sweep_point point;
  pki_record_begin(out, index);
  pki_sweep_sample(sweep, index, &point);
  int nset;
  char **sets = pki_sweep_sets(sweep, &point, &nset);
  if (sets == NULL) {
    return pki_fail_memory(err, "a sample");
  }
  teller t = {.record = out};
  const pki_single_run run_once = {.file = sweep->scenario_file,
                                   .text = sweep->base->text,
                                   .size = sweep->base->text_size,
                                   .sets = (const char *const *)sets,
                                   .nset = nset,
                                   .options = {.duration = sweep->duration, .folder = folder, .stop = stop},
                                   .ran = note_ran,
                                   .user = &t};
  bool refused = false;
  pk_error own = {0};
  pk_status status = pki_run_single(&run_once, &refused, &own);
  pki_sweep_sets_free(sets, nset);
  if (status != PK_OK && !refused) {
    *err = own;
    return status;
  }
  if (refused) {
    pki_record_refuse(out, &own);
  }
  *interrupted = t.interrupted;
  return PK_OK;
}

/* ---- threads ---- */

struct pki_pool {
  const pki_sweep *sweep;
  const atomic_int *stop;
  pthread_mutex_t mutex;
  pthread_cond_t work, done;
  pthread_t *threads;
  int nthread;
  long long *waiting; /* [room] from first on, round and round */
  int room, first, nwaiting, running;
  pki_record *finished; /* [room] */
  int nfinished;
  bool ends;
  pk_status status;
  pk_error err;
};

/* With the mutex: the next sample, when there is one and its record will have a place. */
static bool next_sample(pki_pool *p, long long *index)
{
  while (!p->ends && p->nwaiting == 0) {
    pthread_cond_wait(&p->work, &p->mutex);
  }
  if (p->ends) {
    return false;
  }
  *index = p->waiting[p->first];
  p->first = (p->first + 1) % p->room;
  p->nwaiting--;
  p->running++;
  return true;
}

static void *run_samples(void *user)
{
  pki_pool *p = user;
  long long index;
  pthread_mutex_lock(&p->mutex);
  while (next_sample(p, &index)) {
    pthread_mutex_unlock(&p->mutex);
    pki_record record;
    pk_error err = {0};
    bool interrupted = false;
    const pk_status status = pki_sample_run(p->sweep, index, NULL, p->stop, &record, &interrupted, &err);
    pthread_mutex_lock(&p->mutex);
    p->running--;
    if (status != PK_OK && p->status == PK_OK) {
      p->status = status;
      p->err = err;
    } else if (status == PK_OK && !interrupted) {
      p->finished[p->nfinished++] = record;
    }
    pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

pki_pool *pki_pool_create(const pki_sweep *sweep, int threads, const atomic_int *stop)
{
  xmlInitParser(); /* before there are threads */
  pki_pool *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return NULL;
  }
  *p = (pki_pool){.sweep = sweep, .stop = stop, .room = 3 * threads + 2};
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, &clock);
  pthread_condattr_destroy(&clock);
  p->waiting = calloc((size_t)p->room, sizeof *p->waiting);
  p->finished = calloc((size_t)p->room, sizeof *p->finished);
  p->threads = calloc((size_t)threads, sizeof *p->threads);
  bool good = p->waiting != NULL && p->finished != NULL && p->threads != NULL;
  while (good && p->nthread < threads) {
    good = pthread_create(&p->threads[p->nthread], NULL, run_samples, p) == 0;
    p->nthread += good;
  }
  if (!good) {
    pki_pool_destroy(p);
  }
  return good ? p : NULL;
}

void pki_pool_destroy(pki_pool *pool)
{
  if (pool == NULL) {
    return;
  }
  pthread_mutex_lock(&pool->mutex);
  pool->ends = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->nthread; i++) {
    pthread_join(pool->threads[i], NULL);
  }
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->threads);
  free(pool->waiting);
  free(pool->finished);
  free(pool);
}

/* ---- the caller's side ---- */

int pki_pool_room(pki_pool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  /* every sample inside has a place among the finished */
  const int room = pool->room - pool->nwaiting - pool->running - pool->nfinished;
  pthread_mutex_unlock(&pool->mutex);
  return room;
}

void pki_pool_put(pki_pool *pool, long long index)
{
  pthread_mutex_lock(&pool->mutex);
  pool->waiting[(pool->first + pool->nwaiting) % pool->room] = index;
  pool->nwaiting++;
  pthread_cond_signal(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
}

bool pki_pool_take(pki_pool *pool, pki_record *out)
{
  pthread_mutex_lock(&pool->mutex);
  const bool any = pool->nfinished > 0;
  if (any) {
    *out = pool->finished[--pool->nfinished];
  }
  pthread_mutex_unlock(&pool->mutex);
  return any;
}

bool pki_pool_idle(pki_pool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  const bool idle = pool->nwaiting == 0 && pool->running == 0 && pool->nfinished == 0;
  pthread_mutex_unlock(&pool->mutex);
  return idle;
}

void pki_pool_clear(pki_pool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  pool->nwaiting = 0;
  pthread_mutex_unlock(&pool->mutex);
}

void pki_pool_wait(pki_pool *pool, double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const double end = (double)until.tv_nsec * 1e-9 + seconds;
  until.tv_sec += (time_t)floor(end);
  until.tv_nsec = (long)((end - floor(end)) * 1e9);
  pthread_mutex_lock(&pool->mutex);
  if (pool->nfinished == 0) {
    pthread_cond_timedwait(&pool->done, &pool->mutex, &until);
  }
  pthread_mutex_unlock(&pool->mutex);
}

pk_status pki_pool_status(pki_pool *pool, pk_error *err)
{
  pthread_mutex_lock(&pool->mutex);
  const pk_status status = pool->status;
  if (status != PK_OK) {
    *err = pool->err;
  }
  pthread_mutex_unlock(&pool->mutex);
  return status;
}
