/* Joint references that several controllers follow: a table (docs/formats/track.md), and the coordinate, rate and acceleration
 * that it asks of each of its joints at any time. */
#ifndef PKI_CONTROL_REFERENCE_H
#define PKI_CONTROL_REFERENCE_H

#include "pronk/control.h"

/* Lines of a file with a number for each joint, in this order; what they mean is up to the controller. */
enum { PKI_REFERENCE_KP, PKI_REFERENCE_KD, PKI_REFERENCE_KI, PKI_REFERENCE_TAU_MAX, PKI_REFERENCE_GAINS };

/* A table as it was read: `joints` columns, `rows` lines with a time. One free() for each of the arrays. */
typedef struct pki_reference_table {
  int joints, rows;
  int *dof;     /* [joints] velocity coordinates */
  double *gain; /* [PKI_REFERENCE_GAINS][joints], zero or more; NaN where the file has no such line */
  double *time; /* [rows] s, ascending from 0 */
  double *q;    /* [rows][joints] rad or m */
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
  int joints, rows, loop; /* loop: the row to go back to, -1: none */
  const int *dof;         /* [joints] velocity coordinates */
  const double *time, *q, *slope;
} pki_reference;

/* Where in a table a time is: the row before it and how far it is to the next, 0 to 1. */
typedef struct pki_reference_place {
  int row;
  double part;
} pki_reference_place;

/* What a joint should do: coordinate, rate, acceleration. */
typedef struct pki_goal {
  double q, u, a;
} pki_goal;

/* Check that the table can go back to the time `loop` (below 0: it need not) and write it to memory of pki_reference_size bytes,
 * aligned for doubles. */
size_t pki_reference_size(const pki_reference_table *table);
pk_status pki_reference_init(const pki_reference_table *table, double loop, void *memory, pki_reference *out,
                             pk_error *err);

/* For tables with rows: the place of a time in s, and what column k should do there. */
pki_reference_place pki_reference_find(const pki_reference *ref, double time);
pki_goal pki_reference_at(const pki_reference *ref, pki_reference_place at, int k);

#endif
