/* The files of a scenario's models, into a builder. */
#ifndef PKI_SCENARIO_LOAD_MODELS_H
#define PKI_SCENARIO_LOAD_MODELS_H

#include "scenario/scenario.h"

/* Read the file of one entry of `models`. */
pk_status pki_scenario_add_model(const pki_scenario *scenario, const pki_scenario_model *model,
                                 pk_builder *builder, pk_error *err);

/* How many robots a builder holds so far: a file may hold several. */
int pki_builder_robots(const pk_builder *builder);

#endif
