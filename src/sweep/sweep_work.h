/* Running what is not finished: threads of this process and, under MPI, other processes. */
#ifndef PKI_SWEEP_SWEEP_WORK_H
#define PKI_SWEEP_SWEEP_WORK_H

#include "sweep/ranks.h"
#include "sweep/store.h"

typedef struct pki_work_options {
  int threads; /* of this process */
  const atomic_int *stop;
  void (*progress)(void *user, double fraction, const char *what); /* NULL: none */
  void *user;
  const pki_ranks *comm; /* NULL: only this process */
} pki_work_options;

/* How it went. */
typedef struct pki_work_result {
  long long kept; /* samples that were finished before */
  long long ran;  /* samples that ran now */
  double seconds; /* of the clock */
  bool interrupted;
} pki_work_result;

/* Rank 0, or a process alone: all that the store does not have. PK_OK also when it was interrupted. */
pk_status pki_work_lead(const pki_sweep *sweep, const pki_store_head *head, pki_store *store,
                        const pki_work_options *options, pki_work_result *out, pk_error *err);

/* Every other rank: until there is nothing more to do. */
pk_status pki_work_follow(const pki_sweep *sweep, const pki_store_head *head, const pki_work_options *options,
                          pk_error *err);

#endif
