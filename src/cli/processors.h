/* How many processors this process may use. */
#ifndef PKI_CLI_PROCESSORS_H
#define PKI_CLI_PROCESSORS_H

int pki_count_processors(void); /* 1 where the system does not tell */

#endif
