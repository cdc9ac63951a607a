/* What a sweep leaves in its folder beside samples.pronk: results.csv, results.h5, worst/, report.html. */
#ifndef PKI_SWEEP_SWEEP_REPORT_H
#define PKI_SWEEP_SWEEP_REPORT_H

#include "sweep/store.h"

/* All finished samples, in the order of their numbers. Start from {0}. */
typedef struct pki_samples {
  const pki_sweep *sweep;
  pki_record *record; /* [count] */
  int count;
  long long ran, refused, failed, fell, uncertified; /* samples */
  int *worst;                                        /* [nworst] records, the worst first */
  int nworst;
} pki_samples;

pk_status pki_samples_read(const pki_sweep *sweep, const pki_store *store, pki_samples *out, pk_error *err);
void pki_samples_free(pki_samples *samples);

/* Where a parameter's values fall: its grid, or as many equal parts as are shown of what is drawn. */
enum { PKI_LEVELS_MOST = 24, PKI_LEVELS_DRAWN = 8 };
typedef struct pki_levels {
  char label[64], unit[32];
  int count;
  char name[PKI_LEVELS_MOST][24];
  const char *names[PKI_LEVELS_MOST]; /* of name */
  double middle[PKI_LEVELS_MOST];     /* NAN: no number */
  bool log;
} pki_levels;

/* Angles are in degrees for readers. `levels` must not move. */
void pki_levels_of(const pki_sweep *sweep, int parameter, pki_levels *levels);
int pki_level_at(const pki_sweep *sweep, int parameter, const pki_levels *levels,
                 const pki_sweep_point *point);

/* Record the worst again into FOLDER/worst; what they give must be what is in the table, bit by bit. */
pk_status pki_sweep_replay(const pki_samples *samples, const char *folder, const atomic_int *stop,
                           pk_error *err);

/* The folder of a replay, from that of the sweep: worst/000123. */
void pki_replay_folder(long long index, char out[64]);

pk_status pki_sweep_report(const pki_samples *samples, const char *folder, pk_error *err);

#endif
