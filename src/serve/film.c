#define _XOPEN_SOURCE 700
#include "serve/film.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/process.h"
#include "serve/browser.h"
#include "serve/server.h"

enum { FRAMES_MAX = 1000000 };

/* Shared by the thread that waits and the thread that serves. */
typedef struct film {
  const pki_film_options *options;
  int wanted;
  pki_process encoder;
  pki_draft video; /* until it is whole */
  pthread_mutex_t lock;
  int drawn;         /* pictures that have come */
  char failure[256]; /* why no more can be used; "": all is well */
} film;

int pki_film_count(const pki_film_options *options)
{
  const double n = ceil((options->to - options->from) * options->fps - 1e-6);
  return (int)fmin(fmax(n, 1), FRAMES_MAX);
}

/* ---- pictures ---- */

/* A PNG of the size that was asked for. */
static bool is_picture(const film *f, const unsigned char *png, size_t size)
{
  static const unsigned char start[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                        0,    0,   0,   13,  'I',  'H',  'D',  'R'};
  if (size < 33 || memcmp(png, start, sizeof start) != 0) {
    return false;
  }
  const unsigned width = (unsigned)png[18] << 8 | png[19], height = (unsigned)png[22] << 8 | png[23];
  return width == (unsigned)f->options->width && height == (unsigned)f->options->height;
}

static pk_status keep_picture(const film *f, int number, const void *png, size_t size, pk_error *err)
{
  char path[PKI_PATH_MAX + 32];
  switch (f->options->kind) {
  case PKI_FILM_VIDEO:
    return pki_write_all(f->encoder.in, png, size)
               ? PK_OK
               : pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "ffmpeg ended");
  case PKI_FILM_PICTURE: return pki_file_write(f->options->out, png, size, err);
  default:
    snprintf(path, sizeof path, "%s/frame-%06d.png", f->options->out, number);
    return pki_file_write(path, png, size, err);
  }
}

/* Called by the serving thread. */
static void receive_picture(void *user, double time, const void *png, size_t size)
{
  (void)time;
  film *f = user;
  pthread_mutex_lock(&f->lock);
  const int number = f->drawn + 1;
  const bool wanted = number <= f->wanted && f->failure[0] == '\0';
  pthread_mutex_unlock(&f->lock);
  if (!wanted) {
    return;
  }
  char failure[sizeof f->failure] = "";
  pk_error err = {0};
  if (!is_picture(f, png, size)) {
    snprintf(failure, sizeof failure, "the browser sent no picture of %d x %d", f->options->width,
             f->options->height);
  } else if (keep_picture(f, number, png, size, &err) != PK_OK) {
    snprintf(failure, sizeof failure, "picture %d: %.200s", number, err.message);
  }
  pthread_mutex_lock(&f->lock);
  memcpy(f->failure, failure, sizeof failure);
  f->drawn += failure[0] == '\0';
  pthread_mutex_unlock(&f->lock);
}

/* ---- the encoder ---- */

static pk_status start_encoder(film *f, pk_error *err)
{
  const pki_film_options *o = f->options;
  if (o->kind != PKI_FILM_VIDEO) {
    return PK_OK;
  }
  const pk_status status = pki_draft_begin(&f->video, o->out, err);
  if (status != PK_OK) {
    return status;
  }
  char rate[32];
  snprintf(rate, sizeof rate, "%.9g", o->fps);
  const char *const arguments[] = {"ffmpeg",
                                   "-y",
                                   "-loglevel",
                                   "error",
                                   "-f",
                                   "image2pipe",
                                   "-framerate",
                                   rate,
                                   "-c:v",
                                   "png",
                                   "-i",
                                   "-",
                                   "-an",
                                   "-c:v",
                                   "libx264",
                                   "-crf",
                                   "20",
                                   "-vf",
                                   "scale=trunc(iw/2)*2:trunc(ih/2)*2",
                                   "-pix_fmt",
                                   "yuv420p",
                                   "-movflags",
                                   "+faststart",
                                   "-f",
                                   "mp4",
                                   f->video.name,
                                   NULL};
  if (!pki_process_start(arguments, true, NULL, &f->encoder)) {
    pki_draft_drop(&f->video);
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = o->out}, "ffmpeg cannot be started");
  }
  return PK_OK;
}

/* The video is whole when ffmpeg says so. */
static pk_status end_encoder(film *f, bool good, pk_error *err)
{
  const pki_film_options *o = f->options;
  if (f->video.fd < 0) {
    return PK_OK;
  }
  if (!good) {
    pki_process_kill(&f->encoder);
    pki_draft_drop(&f->video);
    return PK_OK;
  }
  const int code = pki_process_end(&f->encoder, 600);
  if (code != 0) {
    pki_draft_drop(&f->video);
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = o->out},
                    "ffmpeg failed with status %d; does it know libx264, and can the file be written?", code);
  }
  return pki_draft_keep(&f->video, err);
}

/* ---- waiting ---- */

static pk_status wait_for_all(film *f, const pki_server *server, pki_process *browser, pk_error *err)
{
  const pki_film_options *o = f->options;
  double last = pki_clock();
  int drawn = 0, code = 0;
  char failure[sizeof f->failure];
  while (drawn < f->wanted) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    pthread_mutex_lock(&f->lock);
    const int now = f->drawn;
    memcpy(failure, f->failure, sizeof failure);
    pthread_mutex_unlock(&f->lock);
    if (now != drawn && o->progress != NULL) {
      char what[64];
      snprintf(what, sizeof what, "picture %d of %d", now, f->wanted);
      o->progress(o->user, (double)now / f->wanted, what);
    }
    last = now != drawn ? pki_clock() : last;
    drawn = now;
    if (failure[0] != '\0') {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = o->out}, "%s", failure);
    }
    if (o->stop != NULL && *o->stop != 0) {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "interrupted after %d of %d pictures", drawn,
                      f->wanted);
    }
    if (drawn < f->wanted && pki_process_ended(browser, &code)) {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){0},
                      "the browser ended with status %d after %d of %d pictures", code, drawn, f->wanted);
    }
    if (pki_clock() - last > o->patience) {
      return pki_fail(err, PK_ERROR_FILE, (pki_where){0},
                      pki_server_clients(server) == 0
                          ? "the browser did not open the page for %g s (%d of %d pictures are drawn)"
                          : "no picture came from the browser for %g s (%d of %d are drawn)",
                      o->patience, drawn, f->wanted);
    }
  }
  return PK_OK;
}

static pk_status draw_film(film *f, pki_server *server, pk_error *err)
{
  const pki_film_options *o = f->options;
  char query[512], url[896];
  snprintf(query, sizeof query, "&render=1&fps=%.17g&from=%.17g&to=%.17g&camera=%s&width=%d&height=%d%s%s",
           o->fps, o->from, o->to, o->camera, o->width, o->height, o->show != NULL ? "&show=" : "",
           o->show != NULL ? o->show : "");
  pki_server_url(server, query, url, sizeof url);
  pki_browser browser = {0};
  pk_status status = pki_browser_start(url, o->width, o->height, &browser, err);
  status = status == PK_OK ? wait_for_all(f, server, &browser.process, err) : status;
  pki_browser_stop(&browser);
  return status;
}

pk_status pki_film_check(const pki_film_options *options, pk_error *err)
{
  char path[PKI_PATH_MAX];
  if (!pki_browser_find(path)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){0},
                    "no browser that can draw was found: install chromium, or name one in PRONK_CHROMIUM");
  }
  if (options->kind == PKI_FILM_VIDEO && !pki_program_find("ffmpeg", path)) {
    return pki_fail(
        err, PK_ERROR_FILE, (pki_where){0},
        "ffmpeg, which makes a video of the pictures, was not found: install ffmpeg, or write the "
        "pictures into a folder (-o DIR)");
  }
  return PK_OK;
}

pk_status pki_film_make(pki_source *recording, const pki_film_options *options, int *count, pk_error *err)
{
  film f = {
      .options = options, .wanted = pki_film_count(options), .encoder = {.in = -1}, .video = {.fd = -1}};
  const pki_server_options serving = {
      .folder = options->folder, .render = true, .read_only = true, .picture = receive_picture, .user = &f};
  pki_server *server = NULL;
  *count = 0;
  pk_status status = pki_film_check(options, err);
  if (status == PK_OK && options->kind == PKI_FILM_FRAMES) {
    status = pki_folder_create(options->out, err);
  } else if (status == PK_OK) {
    char target[PKI_PATH_MAX];
    status = pki_target_find(options->out, target, err); /* before anything is drawn */
  }
  if (status != PK_OK || pthread_mutex_init(&f.lock, NULL) != 0) {
    return status != PK_OK ? status : pki_fail_memory(err, NULL);
  }
  status = start_encoder(&f, err);
  status = status == PK_OK ? pki_server_start(recording, &serving, &server, err) : status;
  status = status == PK_OK ? draw_film(&f, server, err) : status;
  /* a write to the encoder that hangs ends with it, and the server with the write */
  if (status != PK_OK) {
    end_encoder(&f, false, NULL);
  }
  pki_server_stop(server);
  if (status == PK_OK) {
    status = end_encoder(&f, true, err);
  }
  pthread_mutex_destroy(&f.lock);
  *count = f.drawn;
  return status;
}
