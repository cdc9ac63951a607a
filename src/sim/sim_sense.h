/* Sensors of a world: when they are read, and of what. */
#ifndef PKI_SIM_SIM_SENSE_H
#define PKI_SIM_SIM_SENSE_H

#include "step/world.h"

/* Numbers of pki_sim_state.sensed, and of scratch. */
size_t pki_sensed_size(const pk_model *model);
size_t pki_sense_scratch(const pk_model *model, const pk_sim_options *options);

/* The sensors of the options are of this model, and fit its step. */
pk_status pki_sense_check(const pk_model *model, const pk_sim_options *options, pk_error *err);

/* Before a step: read them where somebody has put the world by hand. After a step: read them. Without sensors nothing happens. */
void pki_sense_begin(pk_sim *sim);
void pki_sense_end(pk_sim *sim);

#endif
