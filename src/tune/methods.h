/* Searches that tuning knows: a table of rows. A new one is a new row. */
#ifndef PKI_TUNE_METHODS_H
#define PKI_TUNE_METHODS_H

#include <stdbool.h>

typedef struct pki_tune_method {
  const char *name, *doc;
  bool global;   /* looks everywhere; else it goes downhill from a start */
  bool random;   /* draws random numbers: other seeds give other searches */
  bool nested;   /* runs local searches of its own */
  bool sampled;  /* its points do not depend on what came of others: Sobol's sequence, in place of NLopt */
  int algorithm; /* an nlopt_algorithm, where Pronk was built with NLopt */
} pki_tune_method;

extern const pki_tune_method pki_tune_methods[];
extern const int pki_tune_method_count;

/* NULL: there is none. */
const pki_tune_method *pki_tune_method_find(const char *name);

/* Whether Pronk was built with NLopt. */
bool pki_tune_has_nlopt(void);

#endif
