/* Ctrl-C: the first asks a command to end with what it has, the second ends it at once. */
#ifndef PKI_CLI_INTERRUPT_H
#define PKI_CLI_INTERRUPT_H

#include <stdatomic.h>

/* From now on SIGINT and SIGTERM set what is returned to their number; and no longer. */
const atomic_int *pki_interrupt_catch(void);
void pki_interrupt_release(void);

#endif
