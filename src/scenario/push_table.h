/* Tables of forces over time, for pushes: text, one line for each time.
 *
 *   # comments begin with a hash
 *   time, fx, fz, ty
 *   0,    0,  0,  0
 *   0.1,  40, -5, 2
 *   0.3,  0,  0,  0
 *
 * docs/formats/scenario.md describes it. */
#ifndef PKI_SCENARIO_PUSH_TABLE_H
#define PKI_SCENARIO_PUSH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "pronk/status.h"

typedef struct pki_push_table {
  int rows;
  double *time;        /* [rows] s, 0 or more, rising */
  double (*wrench)[6]; /* [rows] force, torque; columns that are not given are zero */
} pki_push_table;

/* Read a file; what is wrong on a line is told with its number. To be freed also on failure. */
pk_status pki_push_table_load(const char *path, pki_push_table *out, pk_error *err);
void pki_push_table_free(pki_push_table *t);

/* Force and torque at a time, linear between lines; zero before the first and after the last. */
void pki_push_table_at(const pki_push_table *t, double time, double wrench[6]);

#endif
