/* Pictures and videos of a recording: the viewer's page in a headless browser draws them, one by one. */
#ifndef PKI_SERVE_FILM_H
#define PKI_SERVE_FILM_H

#include <stdatomic.h>

#include "serve/source.h"

typedef enum pki_film_kind {
  PKI_FILM_VIDEO,   /* one MP4 */
  PKI_FILM_PICTURE, /* one PNG */
  PKI_FILM_FRAMES   /* a folder of PNG, frame-000001.png, ... */
} pki_film_kind;

typedef struct pki_film_options {
  pki_film_kind kind;
  const char *out;    /* file or folder */
  const char *folder; /* of the viewer's page */
  double fps;         /* pictures in a second of the recording */
  double from, to;    /* s; equal: one picture */
  int width, height;
  const char *camera;     /* a name that the page knows */
  const char *show;       /* layers, names with commas between; NULL: as the page has them */
  double patience;        /* s without a new picture until it is given up */
  const atomic_int *stop; /* not 0: end without a film; NULL: never */
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
} pki_film_options;

/* How many pictures that makes: at from + i / fps before `to`, one at least. */
int pki_film_count(const pki_film_options *options);

/* Browser, encoder and folder are there; a failure says what to install. */
pk_status pki_film_check(const pki_film_options *options, pk_error *err);

/* Draw it. *count: pictures that were drawn. The caller ignores SIGPIPE: an encoder that ends early is then a write that
 * fails. */
pk_status pki_film_make(pki_source *recording, const pki_film_options *options, int *count, pk_error *err);

#endif
