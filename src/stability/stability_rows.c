/* The registry of stability measures: the rows that PK_STABILITY_MEASURE_LIST names. */
#include "stability/stability.h"

#define DECLARE(id, row, unit) extern const pki_stability_row pki_stability_##row;
#define ROW(id, row, unit) [id] = &pki_stability_##row,

PK_STABILITY_MEASURE_LIST(DECLARE)

const pki_stability_row *const pki_stability_rows[] = {
    PK_STABILITY_MEASURE_LIST(ROW)[PK_STABILITY_MEASURE_COUNT] = NULL};
