#define _POSIX_C_SOURCE 200809L
#include "serve/hub.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- begin, end ---- */

static bool init_locks(pki_hub *hub)
{
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&hub->lock, NULL) != 0) {
    return false;
  }
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  const bool good = pthread_cond_init(&hub->wake, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  if (!good) {
    pthread_mutex_destroy(&hub->lock);
  }
  return good;
}

pk_status pki_hub_init(pki_hub *hub, const pki_catalog *catalog, pk_error *err)
{
  memset(hub, 0, sizeof *hub);
  hub->catalog = catalog;
  pk_status status = pki_frame_init(&hub->front, catalog, err);
  hub->wanted = calloc((size_t)catalog->count + 1, sizeof *hub->wanted);
  if (status == PK_OK && (hub->wanted == NULL || !init_locks(hub))) {
    status = pki_fail_memory(err, "the viewer");
  }
  if (status != PK_OK) {
    pki_frame_free(&hub->front);
    free(hub->wanted);
    hub->wanted = NULL;
  }
  return status;
}

void pki_hub_free(pki_hub *hub)
{
  for (int i = 0; i < hub->nreply; i++) {
    free(hub->replies[i].text);
  }
  pki_frame_free(&hub->front);
  free(hub->hello);
  free(hub->parameters);
  free(hub->wanted);
  pthread_cond_destroy(&hub->wake);
  pthread_mutex_destroy(&hub->lock);
}

static void notify_listener(pki_hub *hub)
{
  if (hub->notify != NULL) {
    hub->notify(hub->user);
  }
}

/* ---- for the server ---- */

bool pki_hub_post(pki_hub *hub, const pki_command_in *command)
{
  pthread_mutex_lock(&hub->lock);
  /* the last place is kept for clients that leave */
  const bool fits = hub->count < PKI_HUB_COMMANDS - (command->leaves ? 0 : 1);
  if (fits) {
    hub->commands[(hub->first + hub->count++) % PKI_HUB_COMMANDS] = *command;
    atomic_fetch_add(&hub->waiting, 1);
    pthread_cond_signal(&hub->wake);
  }
  pthread_mutex_unlock(&hub->lock);
  return fits;
}

void pki_hub_stop(pki_hub *hub)
{
  pthread_mutex_lock(&hub->lock);
  hub->stop = true;
  atomic_fetch_add(&hub->waiting, 1);
  pthread_cond_signal(&hub->wake);
  pthread_mutex_unlock(&hub->lock);
}

int pki_hub_take(pki_hub *hub, pki_reply *out, int most)
{
  pthread_mutex_lock(&hub->lock);
  const int n = hub->nreply < most ? hub->nreply : most;
  memcpy(out, hub->replies, (size_t)n * sizeof *out);
  hub->nreply -= n;
  memmove(hub->replies, hub->replies + n, (size_t)hub->nreply * sizeof *out);
  pthread_mutex_unlock(&hub->lock);
  return n;
}

pki_play_status pki_hub_status(pki_hub *hub)
{
  pthread_mutex_lock(&hub->lock);
  const pki_play_status status = hub->status;
  pthread_mutex_unlock(&hub->lock);
  return status;
}

void pki_hub_frame_serial(pki_hub *hub, uint64_t *serial, uint64_t *epoch)
{
  pthread_mutex_lock(&hub->lock);
  *serial = hub->front.serial;
  *epoch = hub->front.epoch;
  pthread_mutex_unlock(&hub->lock);
}

unsigned char *pki_hub_frame(pki_hub *hub, const int *index, int count, size_t room, size_t *size,
                             uint64_t *serial, uint64_t *epoch)
{
  pthread_mutex_lock(&hub->lock);
  *size = pki_frame_size(&hub->front, count);
  *serial = hub->front.serial;
  *epoch = hub->front.epoch;
  unsigned char *bytes = malloc(room + *size);
  if (bytes != NULL) {
    pki_frame_write(&hub->front, index, count, bytes + room);
  }
  pthread_mutex_unlock(&hub->lock);
  return bytes;
}

/* A text with room before it; NULL: out of memory. */
static char *copy_after(const char *text, size_t size, size_t room)
{
  char *bytes = malloc(room + size + 1);
  if (bytes != NULL && size > 0) {
    memcpy(bytes + room, text, size);
  }
  return bytes;
}

char *pki_hub_hello(pki_hub *hub, size_t room, size_t *size)
{
  pthread_mutex_lock(&hub->lock);
  *size = hub->hello_size;
  char *bytes = copy_after(hub->hello, *size, room);
  pthread_mutex_unlock(&hub->lock);
  return bytes;
}

uint64_t pki_hub_parameters_serial(pki_hub *hub)
{
  pthread_mutex_lock(&hub->lock);
  const uint64_t serial = hub->parameters_serial;
  pthread_mutex_unlock(&hub->lock);
  return serial;
}

char *pki_hub_parameters(pki_hub *hub, size_t room, size_t *size, uint64_t *serial)
{
  pthread_mutex_lock(&hub->lock);
  *size = hub->parameters_size;
  *serial = hub->parameters_serial;
  char *bytes = copy_after(hub->parameters, *size, room);
  pthread_mutex_unlock(&hub->lock);
  return bytes;
}

/* ---- for the player ---- */

bool pki_hub_next(pki_hub *hub, pki_command_in *out)
{
  if (atomic_load(&hub->waiting) == 0) {
    return false;
  }
  pthread_mutex_lock(&hub->lock);
  const bool some = hub->count > 0;
  if (some) {
    *out = hub->commands[hub->first];
    hub->first = (hub->first + 1) % PKI_HUB_COMMANDS;
    hub->count--;
    atomic_fetch_sub(&hub->waiting, 1);
  }
  pthread_mutex_unlock(&hub->lock);
  return some;
}

bool pki_hub_stopped(pki_hub *hub)
{
  if (atomic_load(&hub->waiting) == 0) {
    return false;
  }
  pthread_mutex_lock(&hub->lock);
  const bool stop = hub->stop;
  pthread_mutex_unlock(&hub->lock);
  return stop;
}

void pki_hub_sleep(pki_hub *hub, double until)
{
  pthread_mutex_lock(&hub->lock);
  if (isinf(until)) {
    while (hub->count == 0 && !hub->stop) {
      pthread_cond_wait(&hub->wake, &hub->lock);
    }
  } else {
    struct timespec t = {.tv_sec = (time_t)until};
    t.tv_nsec = (long)(1e9 * (until - (double)t.tv_sec));
    int code = 0;
    while (hub->count == 0 && !hub->stop && code == 0) {
      code = pthread_cond_timedwait(&hub->wake, &hub->lock, &t);
    }
  }
  pthread_mutex_unlock(&hub->lock);
}

void pki_hub_publish(pki_hub *hub, pki_frame *back)
{
  pthread_mutex_lock(&hub->lock);
  back->serial = hub->front.serial + 1;
  const pki_frame old = hub->front;
  hub->front = *back;
  *back = old;
  pthread_mutex_unlock(&hub->lock);
  notify_listener(hub);
}

void pki_hub_set_status(pki_hub *hub, const pki_play_status *status)
{
  pthread_mutex_lock(&hub->lock);
  const uint64_t serial = hub->status.serial + 1;
  hub->status = *status;
  hub->status.serial = serial;
  pthread_mutex_unlock(&hub->lock);
  notify_listener(hub);
}

void pki_hub_set_hello(pki_hub *hub, char *text, size_t size)
{
  pthread_mutex_lock(&hub->lock);
  char *old = hub->hello;
  hub->hello = text;
  hub->hello_size = size;
  pthread_mutex_unlock(&hub->lock);
  free(old);
}

void pki_hub_set_parameters(pki_hub *hub, char *text, size_t size)
{
  pthread_mutex_lock(&hub->lock);
  char *old = hub->parameters;
  hub->parameters = text;
  hub->parameters_size = size;
  hub->parameters_serial++;
  pthread_mutex_unlock(&hub->lock);
  free(old);
  notify_listener(hub);
}

void pki_hub_reply(pki_hub *hub, uint64_t client, char *text, size_t size)
{
  pthread_mutex_lock(&hub->lock);
  const bool fits = hub->nreply < PKI_HUB_REPLIES;
  if (fits) {
    hub->replies[hub->nreply++] = (pki_reply){client, text, size};
  }
  pthread_mutex_unlock(&hub->lock);
  if (!fits) {
    free(text);
  }
  notify_listener(hub);
}
