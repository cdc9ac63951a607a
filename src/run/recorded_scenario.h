/* The scenario that a recording holds. */
#ifndef PKI_RUN_RECORDED_SCENARIO_H
#define PKI_RUN_RECORDED_SCENARIO_H

#include "pronk/record.h"
#include "scenario/scenario.h"

/* As it was run, overrides included. PK_ERROR_FILE: the recording holds none; `instead` is what the message asks the user to do. */
pk_status pki_recorded_scenario(const pk_recording *recording, const char *instead, pki_scenario **scenario,
                                pk_error *err);

#endif
