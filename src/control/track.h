/* Tables of joint references (docs/formats/track.md). */
#ifndef PKI_CONTROL_TRACK_H
#define PKI_CONTROL_TRACK_H

#include "pronk/gait.h"

/* Gains of a joint, in the order of its lines in the file. */
enum { PKI_TRACK_KP, PKI_TRACK_KD, PKI_TRACK_KI, PKI_TRACK_TAU_MAX, PKI_TRACK_GAINS };

/* A table as it was read: `joints` columns, `rows` lines with a time. One free() for each of the arrays. */
typedef struct pki_track_table {
  int joints, rows;
  int *dof;     /* [joints] velocity coordinates */
  double *gain; /* [PKI_TRACK_GAINS][joints] */
  double *time; /* [rows] s, ascending from 0 */
  double *q;    /* [rows][joints] rad or m */
} pki_track_table;

/* A table for the joints of a model, from text or from a file; lines of gains that it lacks are taken from the options. To be
 * freed also on failure. */
pk_status pki_track_parse(const char *file, const char *text, size_t size, const pk_model *model,
                          const pk_track_options *options, pki_track_table *out, pk_error *err);
pk_status pki_track_read(const char *file, const pk_model *model, const pk_track_options *options,
                         pki_track_table *out, pk_error *err);
void pki_track_free(pki_track_table *table);

#endif
