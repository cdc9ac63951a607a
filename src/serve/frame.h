/* One picture of the world: poses, contacts, and every value that a client may have subscribed to. */
#ifndef PKI_SERVE_FRAME_H
#define PKI_SERVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pronk/record.h"
#include "pronk/stability.h"
#include "serve/message.h"

/* Of an edge of the support: its ends and S_H. Of the stance: GCoM, ZMP, FRI, capture point, and the margins of the centre of mass, the
 * ZMP, the FRI, the capture point, and S_H. */
enum { PKI_FRAME_EDGE = 7, PKI_FRAME_STANCE = 17 };

/* Of a face that presses: its body, its number, its pressure, three corners in the body's frame. */
enum { PKI_FRAME_FACE = 12 };

/* The channels of a world or a recording. Fixed while the server runs, so that both threads may read it. */
typedef struct pki_catalog {
  int count;
  pk_recorder_channel *channels; /* [count] names and columns are the catalog's own */
  int *offset;                   /* [count] first value in pki_frame.values; -1: a table */
  int nvalue;
  int bodies, contacts, com, pressure; /* channels, -1: there is none */
  int nbody;
  int contact_column[10];          /* of x y z nx ny nz fx fy fz friction; -1: none */
  int face_column[PKI_FRAME_FACE]; /* of body face pressure ax ay az bx by bz cx cy cz */
} pki_catalog;

pk_status pki_catalog_create(const pk_recorder_channel *channels, int count, pki_catalog **out,
                             pk_error *err);
void pki_catalog_destroy(pki_catalog *catalog);

/* The channel and column that a client names; a failure says which ones there are. */
pk_status pki_catalog_find(const pki_catalog *catalog, const pki_message_column *wanted, int *channel,
                           pk_error *err);

typedef struct pki_frame {
  uint64_t serial;   /* counts frames, from 1; 0: none yet */
  uint64_t epoch;    /* counts restarts of the world */
  double time, step; /* s; steps made, or samples into the recording */
  float com[3];
  int nbody, ncontact, nvalue;
  float *pose;    /* [nbody][7] */
  float *contact; /* [ncontact][10] */
  float *values;  /* [nvalue] NAN: not known */
  int room;       /* for contacts */
  int nedge;      /* of the support of the first robot; -1: its stability is not known */
  float edge[PK_STABILITY_EDGES][PKI_FRAME_EDGE];
  float stance[PKI_FRAME_STANCE];
  int nface;     /* that press; -1: nobody tells of pressures */
  float *face;   /* [nface][PKI_FRAME_FACE] */
  int face_room; /* for them */
} pki_frame;

pk_status pki_frame_init(pki_frame *frame, const pki_catalog *catalog, pk_error *err);
void pki_frame_free(pki_frame *frame);

/* Put a sample of a channel where it belongs: poses, contacts, centre of mass, faces that press, values. */
void pki_frame_put(pki_frame *frame, const pki_catalog *catalog, int channel, const double *values, int rows);

/* Whether pictures are made of a channel, whoever has subscribed to what. */
bool pki_catalog_is_drawn(const pki_catalog *catalog, int channel);

/* Bits of the measures that a frame holds: no others need be computed. */
enum {
  PKI_FRAME_MEASURES = 1 << PK_STABILITY_STATIC_MARGIN | 1 << PK_STABILITY_ZMP | 1 << PK_STABILITY_FRI |
                       1 << PK_STABILITY_S_H | 1 << PK_STABILITY_DCM
};

/* The stability of the first robot; NULL: it is not known. */
void pki_frame_put_stability(pki_frame *frame, const pk_stability *stability);

/* The frame as it goes over the wire, with the values at `index` [count]; `out` has room for pki_frame_size bytes. */
size_t pki_frame_size(const pki_frame *frame, int count);
void pki_frame_write(const pki_frame *frame, const int *index, int count, unsigned char *out);

#endif
