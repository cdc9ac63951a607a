#define _POSIX_C_SOURCE 200809L
#include "serve/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/hello.h"

static const double frame_period = 1.0 / 60; /* s, between frames at least */
static const double status_period = 0.1;     /* s, between status messages when nothing changes */
static const double rate_period = 0.5;       /* s, over which the real-time factor is measured */
static const double patience = 0.25;         /* s behind the clock until the rest is given up */
static const double unpaced = 1000;          /* speeds from here on mean as fast as it can */

struct pki_player {
  pki_source *source;
  pki_hub *hub;
  pki_player_options options;
  pthread_t thread;
  pki_frame back;
  bool *wanted; /* [channels] */
  bool playing, ended, dirty;
  bool waiting; /* for the first client, so that it sees the start */
  double speed;
  char message[400];
  double wall, time;         /* when the pace was set, on both clocks */
  double frame_at;           /* wall clock of the last frame */
  double status_at;          /* wall clock of the last status */
  bool status_set;           /* something changed that should be told at once */
  double rate_at, rate_time; /* since when the real-time factor is measured, on both clocks */
  double factor;             /* real-time factor */
  uint64_t epoch;
};

/* ---- telling ---- */

static void publish_frame(pki_player *p)
{
  for (int i = 0; i < p->source->catalog->count; i++) {
    p->wanted[i] = atomic_load_explicit(&p->hub->wanted[i], memory_order_relaxed);
  }
  pk_error err = {0};
  if (p->source->kind->show(p->source, p->wanted, &p->back, &err) != PK_OK) {
    snprintf(p->message, sizeof p->message, "%.390s", err.message);
    p->playing = false;
    p->status_set = true;
  }
  p->back.time = p->source->time;
  p->back.epoch = p->epoch;
  p->frame_at = pki_clock();
  p->dirty = false;
  pki_hub_publish(p->hub, &p->back);
}

static void start_rate(pki_player *p)
{
  p->rate_at = pki_clock();
  p->rate_time = p->source->time;
}

static void tell_status(pki_player *p)
{
  const double now = pki_clock(), passed = now - p->rate_at;
  if (!p->playing) {
    p->factor = 0;
  } else if (passed >= rate_period || (p->factor == 0 && passed > 0.05)) {
    p->factor = fmax(p->source->time - p->rate_time, 0) / passed;
  }
  if (passed >= rate_period) {
    start_rate(p);
  }
  pki_play_status s = {.time = p->source->time,
                       .speed = p->speed,
                       .real_time_factor = p->factor,
                       .playing = p->playing,
                       .ended = p->ended,
                       .health = p->source->kind->health(p->source)};
  memcpy(s.message, p->message, sizeof s.message);
  p->status_at = now;
  p->status_set = false;
  pki_hub_set_status(p->hub, &s);
}

static void tell_error(pki_player *p, const pki_command_in *c, const pk_error *err)
{
  size_t size = 0;
  const char *key = c->message.kind == PKI_MESSAGE_SET ? c->message.key : NULL;
  char *text = pki_error_json(err, key, &size);
  if (text != NULL) {
    pki_hub_reply(p->hub, c->client, text, size);
  }
}

static pk_status tell_hello(pki_player *p, pk_error *err)
{
  size_t size = 0;
  char *text = NULL;
  const pki_hello_options o = {p->options.render ? "render" : p->source->kind->mode, p->options.read_only};
  const pk_status status = pki_hello_json(p->source, &o, &text, &size, err);
  if (status == PK_OK) {
    pki_hub_set_hello(p->hub, text, size);
  }
  return status;
}

/* ---- doing ---- */

static void set_pace(pki_player *p)
{
  p->wall = pki_clock();
  p->time = p->source->time;
}

static void set_playing(pki_player *p, bool on)
{
  p->playing = on;
  p->status_set = true;
  set_pace(p);
  start_rate(p);
}

/* The world is at its start again. */
static void restart_player(pki_player *p)
{
  p->epoch++;
  p->ended = false;
  p->message[0] = '\0';
  p->dirty = p->status_set = true;
  set_pace(p);
  start_rate(p);
}

/* A step that failed, or the last one. */
static void settle_player(pki_player *p, pk_status status, bool ended, const pk_error *err)
{
  p->dirty = true;
  if (status != PK_OK) {
    snprintf(p->message, sizeof p->message, "%.390s",
             err->message[0] != '\0' ? err->message : pk_status_text(status));
    set_playing(p, false);
  } else if (ended) {
    p->ended = true;
    set_playing(p, false);
  }
}

static pk_status refuse_command(const pki_player *p, const pki_message *m, pk_error *err)
{
  const char *where = strcmp(p->source->kind->mode, "live") == 0 ? "in a live simulation" : "in a recording";
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "type"}, "'%s' has no meaning %s",
                  pki_message_name(m->kind), m->kind == PKI_MESSAGE_FRAME ? "except for rendering" : where);
}

static pk_status do_step(pki_player *p, int count, pk_error *err)
{
  if (p->source->kind->seek == NULL && count < 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "count"},
                    "only a recording can be stepped back");
  }
  bool ended = false;
  set_playing(p, false);
  p->ended = false;
  p->message[0] = '\0';
  pk_error why = {0};
  const pk_status status = p->source->kind->step(p->source, count, &ended, &why);
  settle_player(p, status, ended, &why);
  return PK_OK;
}

static pk_status do_reset(pki_player *p, pk_error *err)
{
  const pk_status status = p->source->kind->reset(p->source, err);
  if (status == PK_OK) {
    restart_player(p);
  }
  return status;
}

/* A recording that is at its end starts again. */
static pk_status do_play(pki_player *p, pk_error *err)
{
  pk_status status = PK_OK;
  if (p->ended && p->source->kind->seek != NULL) {
    status = do_reset(p, err);
  }
  p->ended = false;
  p->message[0] = '\0';
  set_playing(p, status == PK_OK);
  return status;
}

static pk_status do_set(pki_player *p, const pki_message *m, pk_error *err)
{
  bool restarted = false;
  pk_status status = p->source->kind->set(p->source, m->key, m->text, &restarted, err);
  if (status == PK_OK && restarted) {
    restart_player(p);
  }
  status = status == PK_OK ? tell_hello(p, err) : status;
  size_t size = 0;
  char *text = status == PK_OK ? pki_parameters_message(p->source, &size) : NULL;
  if (text != NULL) {
    pki_hub_set_parameters(p->hub, text, size);
  }
  return status;
}

static pk_status do_series(pki_player *p, const pki_command_in *c, pk_error *err)
{
  pki_text text = {0};
  pk_status status = p->source->kind->series(p->source, &c->message.values[0], &text, err);
  if (status == PK_OK && text.failed) {
    status = pki_fail_memory(err, NULL);
  }
  if (status != PK_OK) {
    pki_text_free(&text);
    return status;
  }
  pki_hub_reply(p->hub, c->client, text.data, text.size);
  return PK_OK;
}

static void do_seek(pki_player *p, double time, bool pauses)
{
  p->ended = p->source->kind->seek(p->source, time);
  p->dirty = p->status_set = true;
  p->playing = p->playing && !pauses && !p->ended;
  set_pace(p);
  start_rate(p);
}

static pk_status obey_command(pki_player *p, const pki_command_in *c, pk_error *err)
{
  const pki_source_kind *k = p->source->kind;
  const pki_message *m = &c->message;
  switch (m->kind) {
  case PKI_MESSAGE_PLAY: return do_play(p, err);
  case PKI_MESSAGE_PAUSE: set_playing(p, false); return PK_OK;
  case PKI_MESSAGE_STEP: return do_step(p, m->count, err);
  case PKI_MESSAGE_SPEED:
    p->speed = m->number;
    p->status_set = true;
    set_pace(p);
    start_rate(p);
    return PK_OK;
  case PKI_MESSAGE_RESET: return do_reset(p, err);
  case PKI_MESSAGE_SUBSCRIBE: p->dirty = true; return PK_OK; /* with the new values in it */
  case PKI_MESSAGE_PUSH:
    return k->push != NULL ? k->push(p->source, c->slot, m, err) : refuse_command(p, m, err);
  case PKI_MESSAGE_SET: return k->set != NULL ? do_set(p, m, err) : refuse_command(p, m, err);
  case PKI_MESSAGE_SERIES: return k->series != NULL ? do_series(p, c, err) : refuse_command(p, m, err);
  case PKI_MESSAGE_SEEK:
  case PKI_MESSAGE_FRAME:
    if (k->seek == NULL || (m->kind == PKI_MESSAGE_FRAME && !p->options.render)) {
      return refuse_command(p, m, err);
    }
    do_seek(p, m->number, m->kind == PKI_MESSAGE_FRAME);
    if (m->kind == PKI_MESSAGE_FRAME) {
      publish_frame(p);
    }
    return PK_OK;
  default: return PK_OK;
  }
}

static void release_client(pki_player *p, int slot)
{
  const pki_message release = {.kind = PKI_MESSAGE_PUSH, .body = -1};
  if (p->source->kind->push != NULL) {
    p->source->kind->push(p->source, slot, &release, NULL);
  }
}

static void obey_all(pki_player *p)
{
  pki_command_in c;
  while (pki_hub_next(p->hub, &c)) {
    pk_error err = {0};
    if (c.leaves) {
      release_client(p, c.slot);
    } else if (c.comes) {
      p->waiting = false;
      set_pace(p);
      start_rate(p);
    } else if (obey_command(p, &c, &err) != PK_OK) {
      tell_error(p, &c, &err);
    }
  }
}

/* ---- going on ---- */

/* One step when it is due; else sleep until then. */
static void advance_when_due(pki_player *p)
{
  const bool paced = p->speed > 0 && p->speed < unpaced;
  const double span = p->source->kind->span(p->source, paced ? p->speed : 0);
  const double now = pki_clock(), due = paced ? p->wall + (p->source->time + span - p->time) / p->speed : now;
  if (due > now) {
    pki_hub_sleep(p->hub, due);
    return;
  }
  if (now - due > patience) {
    set_pace(p);
  }
  bool ended = false;
  pk_error err = {0};
  const pk_status status = p->source->kind->advance(p->source, span, &ended, &err);
  settle_player(p, status, ended, &err);
}

static void *player_loop(void *user)
{
  pki_player *p = user;
  while (!pki_hub_stopped(p->hub)) {
    obey_all(p);
    const bool stands = !p->playing || p->waiting;
    if (!stands) {
      advance_when_due(p);
    }
    const double now = pki_clock();
    if (p->dirty && !p->options.render && (!p->playing || now - p->frame_at >= frame_period)) {
      publish_frame(p);
    }
    if (p->status_set || (p->playing && now - p->status_at >= status_period)) {
      tell_status(p);
    }
    if (!p->playing || stands) {
      pki_hub_sleep(p->hub, INFINITY);
    }
  }
  return NULL;
}

pk_status pki_player_start(pki_source *source, pki_hub *hub, const pki_player_options *options,
                           pki_player **out, pk_error *err)
{
  *out = NULL;
  pki_player *p = calloc(1, sizeof *p);
  if (p == NULL) {
    return pki_fail_memory(err, "the viewer");
  }
  *p = (pki_player){.source = source, .hub = hub, .options = *options, .speed = 1, .epoch = 1};
  p->playing = !options->paused && !options->render;
  p->waiting = true;
  p->wanted = calloc((size_t)source->catalog->count + 1, sizeof *p->wanted);
  pk_status status = pki_frame_init(&p->back, source->catalog, err);
  if (status == PK_OK && p->wanted == NULL) {
    status = pki_fail_memory(err, "the viewer");
  }
  status = status == PK_OK ? tell_hello(p, err) : status;
  if (status == PK_OK) {
    publish_frame(p);
    tell_status(p);
    set_pace(p);
    start_rate(p);
    if (pthread_create(&p->thread, NULL, player_loop, p) != 0) {
      status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no thread for the viewer");
    }
  }
  if (status != PK_OK) {
    pki_frame_free(&p->back);
    free(p->wanted);
    free(p);
    return status;
  }
  *out = p;
  return PK_OK;
}

void pki_player_stop(pki_player *player)
{
  if (player == NULL) {
    return;
  }
  pki_hub_stop(player->hub);
  pthread_join(player->thread, NULL);
  pki_frame_free(&player->back);
  free(player->wanted);
  free(player);
}
