#define _POSIX_C_SOURCE 200809L
#include "tune/workers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* What one caller asked for. It lives on the caller's stack until all of it is done. */
typedef struct order {
  struct order *next;
  void (*work)(void *job);
  char *jobs;
  size_t size;
  int count, begun, done;
} order;

struct pki_workers {
  pthread_mutex_t mutex;
  pthread_cond_t asked, finished;
  order *first; /* those with jobs that nobody has begun */
  pthread_t *threads;
  int nthread;
  bool ends;
};

/* With the mutex: the next job; NULL: there will be none any more. */
static order *begin_job(pki_workers *w, int *index)
{
  while (!w->ends && w->first == NULL) {
    pthread_cond_wait(&w->asked, &w->mutex);
  }
  order *o = w->ends ? NULL : w->first;
  if (o != NULL) {
    *index = o->begun++;
    w->first = o->begun == o->count ? o->next : o;
  }
  return o;
}

static void *work_on_orders(void *user)
{
  pki_workers *w = user;
  int index;
  pthread_mutex_lock(&w->mutex);
  for (order *o; (o = begin_job(w, &index)) != NULL;) {
    pthread_mutex_unlock(&w->mutex);
    o->work(o->jobs + (size_t)index * o->size);
    pthread_mutex_lock(&w->mutex);
    if (++o->done == o->count) {
      pthread_cond_broadcast(&w->finished);
    }
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

pki_workers *pki_workers_create(int threads)
{
  pki_workers *w = calloc(1, sizeof *w);
  if (w == NULL) {
    return NULL;
  }
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->asked, NULL);
  pthread_cond_init(&w->finished, NULL);
  w->threads = calloc((size_t)threads, sizeof *w->threads);
  bool good = w->threads != NULL;
  while (good && w->nthread < threads) {
    good = pthread_create(&w->threads[w->nthread], NULL, work_on_orders, w) == 0;
    w->nthread += good;
  }
  if (!good) {
    pki_workers_destroy(w);
  }
  return good ? w : NULL;
}

void pki_workers_destroy(pki_workers *workers)
{
  if (workers == NULL) {
    return;
  }
  pthread_mutex_lock(&workers->mutex);
  workers->ends = true;
  pthread_cond_broadcast(&workers->asked);
  pthread_mutex_unlock(&workers->mutex);
  for (int i = 0; i < workers->nthread; i++) {
    pthread_join(workers->threads[i], NULL);
  }
  pthread_cond_destroy(&workers->finished);
  pthread_cond_destroy(&workers->asked);
  pthread_mutex_destroy(&workers->mutex);
  free(workers->threads);
  free(workers);
}

void pki_workers_run(pki_workers *workers, void (*work)(void *job), void *jobs, size_t size, int count)
{
  order mine = {.work = work, .jobs = jobs, .size = size, .count = count};
  if (count <= 0) {
    return;
  }
  pthread_mutex_lock(&workers->mutex);
  order **last = &workers->first;
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = &mine;
  pthread_cond_broadcast(&workers->asked);
  while (mine.done < mine.count) {
    pthread_cond_wait(&workers->finished, &workers->mutex);
  }
  pthread_mutex_unlock(&workers->mutex);
}
