/* The two thermal nodes of a motor over a duty that repeats.
 *
 * With the current of a sample constant, temperatures of winding and housing follow a linear equation (docs/theory/actuation.md), so that a sample
 * takes them to an affine image of themselves, and so does a whole cycle. An hour is a power of the cycle's map: its cost is that of one cycle. */
#ifndef PKI_SIZE_HEAT_H
#define PKI_SIZE_HEAT_H

#include "pronk/actuation.h"

/* x -> M x + c of (winding, housing), degrees C. */
typedef struct pki_heat_map {
  double M[4], c[2];
} pki_heat_map;

/* Whether the motor's four thermal numbers are known. */
bool pki_heat_is_known(const pk_motor_parameters *motor);

/* `joule` W, the heat at 25 degrees C, for `span` s; implicit midpoint, in steps that are short beside the winding's time constant. */
pki_heat_map pki_heat_of_sample(const pk_motor_parameters *motor, double ambient, double joule, double span);

/* First one, then the other. */
pki_heat_map pki_heat_then(const pki_heat_map *first, const pki_heat_map *next);

/* The map applied `count` times. */
pki_heat_map pki_heat_power(const pki_heat_map *map, long long count);

void pki_heat_apply(const pki_heat_map *map, double temperature[2]);

/* The resistance of a winding of that temperature over the one at 25 degrees C. */
double pki_heat_resistance(double temperature);

#endif
