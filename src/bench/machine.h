/* What the figures were measured on. */
#ifndef PKI_BENCH_MACHINE_H
#define PKI_BENCH_MACHINE_H

typedef struct pki_machine {
  char cpu[128];     /* model name */
  int cores;         /* logical, online */
  const char *isa;   /* instruction set of Pronk's kernels */
  char compiler[96]; /* that built Pronk */
  char system[96];   /* operating system and architecture */
} pki_machine;

void pki_machine_describe(pki_machine *machine);

/* Bytes of this process that lie in memory now; NAN where the system does not tell. */
double pki_machine_resident(void);

#endif
