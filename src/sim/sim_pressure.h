/* Pressures of compliant pairs, for recordings. */
#ifndef PKI_SIM_SIM_PRESSURE_H
#define PKI_SIM_SIM_PRESSURE_H

#include "step/soft.h"

/* pk_sim_pressures from number `first` on. */
int pki_sim_pressures(const pk_sim *sim, int first, pk_sim_pressure *out, int most);

/* m, Pa: the deepest element that presses in the last step, and the largest pressure; 0: nothing does. */
void pki_sim_pressed(const pk_sim *sim, double *depth, double *pressure);

/* How many of pk_sim_contacts stand for compliant pairs. */
int pki_sim_soft_contacts(const pk_sim *sim);

/* Most that there can be; 0: the world has no compliance. */
int pki_sim_pressure_room(const pk_sim *sim);

#endif
