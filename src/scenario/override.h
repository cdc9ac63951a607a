/* Overrides of a scenario's keys: those of one place, and those of all its models at once. */
#ifndef PKI_SCENARIO_OVERRIDE_H
#define PKI_SCENARIO_OVERRIDE_H

#include "scenario/document.h"

/* "a.b.0.c=value" as pki_document_set takes it; "models.*.key=value" for every model of the scenario, whether it is written
 * under `model` or `models`, as a mapping or as a name alone. */
pk_status pki_scenario_override(pki_document *document, const char *assignment, pk_error *err);

#endif
