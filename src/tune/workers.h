/* Threads that do jobs for whoever asks, also for several who ask at once. */
#ifndef PKI_TUNE_WORKERS_H
#define PKI_TUNE_WORKERS_H

#include <stddef.h>

typedef struct pki_workers pki_workers;

/* NULL when there is no memory or no thread. */
pki_workers *pki_workers_create(int threads);
void pki_workers_destroy(pki_workers *workers); /* when nobody waits for jobs */

/* `work` on each of `count` jobs of `size` bytes; returns when all are done. Any thread but a worker may call it. */
void pki_workers_run(pki_workers *workers, void (*work)(void *job), void *jobs, size_t size, int count);

#endif
