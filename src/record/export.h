/* Recordings as other files: CSV for a table at a time, HDF5 for everything in one file, MCAP for a part of it. Files
 * appear whole. */
#ifndef PKI_RECORD_EXPORT_H
#define PKI_RECORD_EXPORT_H

#include "pronk/record.h"

/* What of a recording. */
typedef struct pki_export {
  const pk_recording *recording;
  const int *channels; /* [nchannel] their numbers in the recording, each once; NULL: the first ones */
  int nchannel;
  double from, to; /* s, ends included; -INFINITY and INFINITY: all */
  int samples;     /* set: how many were written */
} pki_export;

/* All of it. */
pki_export pki_export_all(const pk_recording *recording);

/* The number in the recording of channel i of an export. */
int pki_export_channel(const pki_export *what, int i);

/* One file for each channel, "joints/force" as joints.force.csv, in a folder that is made. A head row
 * "time [s],LF_HAA [N m],...", then a row for each sample; in a table a row for each of its rows, after the time its
 * number. */
pk_status pki_export_csv(pki_export *what, const char *folder, pk_error *err);

/* The name of a channel's file. */
void pki_export_csv_name(const char *channel, char *out, size_t size);

/* One group for each channel: time [n], values [n][columns] with the attributes columns, units, doc; in a table
 * values [rows][columns] and rows [n+1], the first row of each sample; where a column is `link`, the attribute links
 * has their names. Notes are attributes of the file, attachments are in the group attachments. PK_ERROR_UNSUPPORTED:
 * built without HDF5. */
pk_status pki_export_hdf5(pki_export *what, const char *path, pk_error *err);
bool pki_export_has_hdf5(void);

/* A recording of these samples, complete, with all notes and attachments. */
pk_status pki_export_mcap(pki_export *what, const char *path, pk_error *err);

#endif
