/* summary.json: how a run went, for machines. */
#ifndef PKI_CLI_PRINT_SUMMARY_H
#define PKI_CLI_PRINT_SUMMARY_H

#include "cli/print_json.h"
#include "run/run.h"

/* Sums of stability measures: {time, supported, measures: {NAME: {unit, least, at, mean}}, js1, js1_mean, js2}. */
void pki_json_stability(cJSON *object, const pk_stability_sum *sum);

/* What `pronk run --json` prints. */
cJSON *pki_run_json(const pki_scenario *scenario, const pki_run_result *result);

/* What computed the dynamics, and, unless it is "", why that is not what was asked for. */
void pki_json_dynamics(cJSON *o, const char *dynamics, const char *not_compiled);

/* The same into FOLDER/summary.json; false after a complaint. */
bool pki_run_save_json(const char *folder, const pki_scenario *scenario, const pki_run_result *result,
                       const char *command);

#endif
