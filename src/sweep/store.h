/* samples.pronk: what came of each sample, kept as soon as it is known.
 *
 * A file of records (record_file.h): a head that says whose samples these are, then one record for each finished sample, in
 * the order in which they ended, each with a checksum. A record that was damaged is not believed, and its sample runs
 * again. Nothing that is written is ever changed. docs/formats/samples.md has the layout. */
#ifndef PKI_SWEEP_STORE_H
#define PKI_SWEEP_STORE_H

#include "sweep/metrics.h"
#include "sweep/record_file.h"
#include "sweep/record_head.h"
#include "sweep/sweep.h"

enum {
  PKI_STORE_HEAD = PKI_RECORD_HEAD,
  PKI_STORE_MESSAGE = 160,
  PKI_STORE_RECORD_MOST = 28 + 8 * PKI_METRIC_MAX + 160
};

/* Whose samples. Two processes may share a file only when their heads are equal. */
typedef struct pki_store_head {
  uint64_t samples, sweep_hash, scenario_hash, model_hash;
  char version[32], isa[16], compiler[48]; /* bits are equal only within one build */
} pki_store_head;

typedef enum pki_outcome {
  PKI_OUTCOME_RAN,     /* to the end */
  PKI_OUTCOME_REFUSED, /* the scenario is not in order with these values; no metrics */
  PKI_OUTCOME_FAILED,  /* a step failed; metrics up to there */
  PKI_OUTCOME_COUNT
} pki_outcome;
extern const char *const pki_outcome_words[];

typedef struct pki_record {
  long long index;
  pki_outcome outcome;
  double wall; /* s of computing; in no table, because it is never the same again */
  double metric[PKI_METRIC_MAX];
  char message[PKI_STORE_MESSAGE]; /* why it was refused or failed */
} pki_record;

/* A sample that has not run: no metrics. Then what came of it: a run, or a scenario that is not in order. */
void pki_record_begin(pki_record *record, long long index);
void pki_record_fill(pki_record *record, const pki_run_result *result);
void pki_record_refuse(pki_record *record, const pk_error *why);

/* The head of a sweep in this program. */
void pki_store_head_of(const pki_sweep *sweep, pki_store_head *out);
void pki_store_head_encode(const pki_store_head *head, unsigned char out[PKI_STORE_HEAD]);

/* Whether samples with the head `theirs` are samples of `mine`; else what differs. `whose` tells where they come from,
 * `hint` what to do. */
pk_status pki_store_head_fits(const unsigned char theirs[PKI_STORE_HEAD], const pki_store_head *mine,
                              const char *whose, const char *hint, pk_error *err);

/* Records as bytes: all are of one size. */
size_t pki_record_size(void);
void pki_record_encode(const pki_record *record, unsigned char *out);
bool pki_record_decode(const unsigned char *bytes, long long samples, pki_record *out); /* false: damaged */

/* Bit by bit, the time of computing apart. */
bool pki_record_equal(const pki_record *a, const pki_record *b);

typedef struct pki_store {
  pki_record_file file;
  long long samples;
  int32_t *slot;      /* [samples] which record of the file has it, from 1; 0: none */
  long long finished; /* samples */
  long long fell;     /* of them */
  long long damaged;  /* records that were not believed */
} pki_store;

/* Open or begin the file; `again`: throw away what is there. It is locked until it is closed: a second process is
 * refused, where the file system has locks. On failure there is nothing to close. */
pk_status pki_store_open(const char *path, const pki_store_head *head, bool again, pki_store *out,
                         pk_error *err);
void pki_store_close(pki_store *store);

/* A finished sample; one that is there already is left alone. */
pk_status pki_store_add(pki_store *store, const pki_record *record, pk_error *err);

/* To the disk, when a second has passed since the last time or `now`. */
pk_status pki_store_flush(pki_store *store, bool now, pk_error *err);

/* The record of a sample; false: it is not finished, or cannot be read. */
bool pki_store_get(const pki_store *store, long long index, pki_record *out);

#endif
