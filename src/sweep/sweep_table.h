/* All samples as one table, in the order of their numbers. The same samples give the same bytes. */
#ifndef PKI_SWEEP_SWEEP_TABLE_H
#define PKI_SWEEP_SWEEP_TABLE_H

#include "sweep/store.h"

/* A number in the fewest digits that give it back; "" for NAN. */
void pki_number_text(double value, char out[PKI_SWEEP_NUMBER]);

/* results.csv: a line of names, then a line for each finished sample. */
pk_status pki_sweep_csv(const pki_sweep *sweep, const pki_store *store, const char *path, pk_error *err);

/* results.h5: a data set for each column. Without HDF5 PK_ERROR_UNSUPPORTED. */
pk_status pki_sweep_hdf5(const pki_sweep *sweep, const pki_store *store, const char *path, pk_error *err);
bool pki_sweep_has_hdf5(void);

#endif
