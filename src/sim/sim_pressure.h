/* Pressures of compliant pairs, for recordings. */
#ifndef PKI_SIM_SIM_PRESSURE_H
#define PKI_SIM_SIM_PRESSURE_H

#include "step/soft.h"

/* pk_sim_pressures from number `first` on. */
int pki_sim_pressures(const pk_sim *sim, int first, pk_sim_pressure *out, int most);

/* Most that there can be; 0: the world has no compliance. */
int pki_sim_pressure_room(const pk_sim *sim);

#endif
