/* A run that goes on: its scenario and options from the recording in its folder. */
#ifndef PKI_CLI_RESUME_H
#define PKI_CLI_RESUME_H

#include "run/run.h"

/* Options that the user left open are those of the run; one that is given (duration, ...) stays. */
pk_status pki_resume_scenario(const char *folder, pki_scenario **scenario, pki_run_options *options,
                              pk_error *err);

#endif
