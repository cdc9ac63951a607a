/* The PID of `track` over a table from elsewhere (track.c has the equations). */
#ifndef PKI_CONTROL_TRACK_H
#define PKI_CONTROL_TRACK_H

#include "control/reference.h"
#include "pronk/gait.h"

/* A controller in one block, freed by pki_controller_destroy; `file` of the options is not read. model: the hash of the one that the table
 * is for. */
pk_status pki_track_pack(const pki_reference_table *table, const pk_track_options *options,
                         unsigned long long model, pk_controller **out, pk_error *err);

#endif
