/* What came of a sample, as numbers: a table of metrics. A new one is a new row. */
#ifndef PKI_SWEEP_METRICS_H
#define PKI_SWEEP_METRICS_H

#include "run/run.h"

typedef struct pki_metric {
  const char *name, *unit, *doc;
  double (*of)(const pki_run_result *result); /* NAN: there is none */
} pki_metric;

extern const pki_metric pki_metrics[];
extern const int pki_metric_count;

enum { PKI_METRIC_MAX = 64 }; /* no more rows than that */

/* Which row has that name; -1: none. */
int pki_metric_find(const char *name);

#endif
