/* How far joints are from where their commands want them: |q_des - q| over all coordinates that have a reference and over
 * all steps, its mean, its root mean square and its largest value. */
#ifndef PKI_RUN_TRACKING_ERROR_H
#define PKI_RUN_TRACKING_ERROR_H

#include "pronk/control.h"
#include "pronk/model.h"

/* What is added up. Plain numbers: a checkpoint keeps them as they are. */
typedef struct pki_tracking_error {
  double sum;      /* rad or m */
  double squares;  /* rad^2 or m^2 */
  double most;     /* rad or m */
  long long count; /* coordinates, in each step that had a reference for them */
} pki_tracking_error;

/* A step has been made by these commands, from q_start to q_end: joint coordinates of `model`. The place that a command names is one for the start of
 * the step, of a tracked joint for its end. */
void pki_tracking_error_add(const pk_model *model, const pk_command *commands, const double *q_start,
                            const double *q_end, pki_tracking_error *error);

/* rad or m; NAN: no coordinate had a reference. */
double pki_tracking_error_mean(const pki_tracking_error *error);
double pki_tracking_error_rms(const pki_tracking_error *error);
double pki_tracking_error_most(const pki_tracking_error *error);

#endif
