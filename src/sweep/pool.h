/* Threads that run samples. The caller puts samples in and takes records out; nothing else passes between threads. */
#ifndef PKI_SWEEP_POOL_H
#define PKI_SWEEP_POOL_H

#include "sweep/store.h"

typedef struct pki_pool pki_pool;

/* Run one sample in this thread. PK_OK when there is a record, *interrupted when a stop was requested and there is
 * none. With a folder the run is recorded there. Only memory and files that cannot be written are failures. */
pk_status pki_sample_run(const pki_sweep *sweep, long long index, const char *folder, const atomic_int *stop,
                         pki_record *out, bool *interrupted, pk_error *err);

/* NULL when there is no memory or no thread. `stop` as in pki_run_options. */
pki_pool *pki_pool_create(const pki_sweep *sweep, int threads, const atomic_int *stop);
void pki_pool_destroy(pki_pool *pool); /* waits for samples that run */

int pki_pool_room(pki_pool *pool);                        /* samples that can be put in */
void pki_pool_put(pki_pool *pool, long long index);       /* as long as there is room */
bool pki_pool_take(pki_pool *pool, pki_record *out);      /* false: nothing is finished */
bool pki_pool_idle(pki_pool *pool);                       /* nothing waits or runs, all was taken */
void pki_pool_clear(pki_pool *pool);                      /* forget what waits */
void pki_pool_wait(pki_pool *pool, double seconds);       /* until something is finished, at most so long */
pk_status pki_pool_status(pki_pool *pool, pk_error *err); /* of a sample that could not be run at all */

#endif
