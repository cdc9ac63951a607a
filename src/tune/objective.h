/* What a run is worth: a weighted sum of metrics (sweep/metrics.h), and penalties.
 *
 *   objective = sum of weight * metric
 *   cost = objective (or its negative, to maximise it)
 *          + penalty (2 - t_fall/T)      when the robot fell at t_fall of T seconds: later falls are better
 *          + penalty                     when a step is above the bound
 *   cost = 2 lost (2 - t_end/T)          when a step failed at t_end, or a metric is none; refused scenarios have t_end = 0
 *
 * `lost` is the penalty, or what it is when none is given where that is larger: falls may cost nothing, but what has no value
 * must not look good. */
#ifndef PKI_TUNE_OBJECTIVE_H
#define PKI_TUNE_OBJECTIVE_H

#include "sweep/store.h"

enum { PKI_OBJECTIVE_TERMS = 16 };

typedef struct pki_objective {
  int metric[PKI_OBJECTIVE_TERMS]; /* rows of pki_metrics */
  double weight[PKI_OBJECTIVE_TERMS];
  int nterm;
  bool maximise;
  double penalty; /* negative: by the scenario as it is */
} pki_objective;

/* "METRIC" or "METRIC=WEIGHT" as one more term. */
pk_status pki_objective_add(pki_objective *objective, const char *text, pk_error *err);

/* The weighted sum; NAN: a metric is none, or the run did not end. */
double pki_objective_value(const pki_objective *objective, const pki_record *record);

/* What penalties are. */
typedef struct pki_penalty {
  double fall; /* of a fall, and of steps above the bound */
  double lost; /* of a run without a value */
} pki_penalty;

/* When none is given: ten times the value of the scenario as it is; of zero and of NAN 1. */
pki_penalty pki_objective_penalty(const pki_objective *objective, double value_as_written);

/* What is minimised, of a run that should have lasted `duration` s. */
double pki_objective_cost(const pki_objective *objective, const pki_penalty *penalty,
                          const pki_record *record, double duration);

/* "tracking_error + 0.1 effort" */
void pki_objective_text(const pki_objective *objective, pki_text *out);

/* The unit of a single term of weight one; else "". */
const char *pki_objective_unit(const pki_objective *objective);

#endif
