/* Joint references that several controllers follow: a table (docs/formats/track.md), and the coordinate, rate and acceleration
 * that it asks of each of its joints at any time. */
#ifndef PKI_CONTROL_REFERENCE_H
#define PKI_CONTROL_REFERENCE_H

#include "pronk/control.h"

/* Lines of a file with a number for each joint, in this order; what they mean is up to the controller. */
enum { PKI_REFERENCE_KP, PKI_REFERENCE_KD, PKI_REFERENCE_KI, PKI_REFERENCE_TAU_MAX, PKI_REFERENCE_GAINS };

/* Lines of a table of sinusoids: the mean, the period, then amplitude and phase of each harmonic. */
enum {
  PKI_WAVE_MEAN,
  PKI_WAVE_PERIOD,
  PKI_WAVE_HARMONICS,
  PKI_WAVE_MOST_HARMONICS = 8,
  PKI_WAVE_ROWS = PKI_WAVE_HARMONICS + 2 * PKI_WAVE_MOST_HARMONICS
};

/* A table as it was read: `joints` columns and either `rows` lines with a time or sinusoids of `harmonics` harmonics. One free()
 * for each of the arrays. */
typedef struct pki_reference_table {
  int joints, rows, harmonics;
  int *dof;     /* [joints] velocity coordinates */
  double *gain; /* [PKI_REFERENCE_GAINS][joints], zero or more; NaN where the file has no such line */
  double *time; /* [rows] s, ascending from 0 */
  double *q;    /* [rows][joints] rad or m */
  double *wave; /* [PKI_WAVE_ROWS][joints] rad or m, s, then rad or m and rad in turn */
} pki_reference_table;

/* A table for the joints of a model, from text or from a file; an empty path is a table without rows for every joint that has a
 * coordinate of its own. To be freed also on failure. */
pk_status pki_reference_parse(const char *file, const char *text, size_t size, const pk_model *model,
                              pki_reference_table *out, pk_error *err);
pk_status pki_reference_read(const char *file, const pk_model *model, pki_reference_table *out,
                             pk_error *err);
void pki_reference_free(pki_reference_table *table);

/* A table that is ready to be followed; it lies in the memory that it was given and never changes. */
typedef struct pki_reference {
  int joints, rows, harmonics, loop; /* loop: the row to go back to, -1: none */
  bool linear;                       /* straight lines between rows */
  double ramp;                       /* s; 0: none */
  const int *dof;                    /* [joints] velocity coordinates */
  const double *time, *q, *slope, *wave;
} pki_reference;

/* Where in a table a time is: the row before it and how far it is to the next, 0 to 1. */
typedef struct pki_reference_place {
  double time; /* s */
  int row;
  double part;
  double fade, fade_rate, fade_acceleration; /* of the ramp: 0 to 1, 1/s, 1/s^2 */
} pki_reference_place;

/* What a joint should do: coordinate, rate, acceleration. */
typedef struct pki_goal {
  double q, u, a;
} pki_goal;

/* How a table is followed. */
typedef struct pki_reference_options {
  double loop; /* s, of the line that it goes back to after its last one; below 0: it stays there */
  double ramp; /* s, in which it is entered from the pose at the start */
  bool linear; /* straight lines between the table's lines, in the place of cubics */
} pki_reference_options;

/* Check that the table can go back to the time `loop`, and write it to memory of pki_reference_size bytes, aligned for doubles. */
size_t pki_reference_size(const pki_reference_table *table);
pk_status pki_reference_init(const pki_reference_table *table, const pki_reference_options *options,
                             void *memory, pki_reference *out, pk_error *err);

/* The place of a time in s, and what column k should do there: the same for all worlds. */
pki_reference_place pki_reference_find(const pki_reference *ref, double time);
pki_goal pki_reference_at(const pki_reference *ref, pki_reference_place place, int k);

/* The same for a world in which that joint started at the coordinate `start`: during the ramp between the two; with a file that
 * is missing, `start`. */
pki_goal pki_reference_from(const pki_reference *ref, pki_reference_place place, pki_goal to, double start);

#endif
