/* The nearest force in a truncated friction cone. */
#ifndef PKI_GAIT_CONE_H
#define PKI_GAIT_CONE_H

#include <stdbool.h>

/* The nearest force in the cone |f_T| <= mu f_N, least <= f_N <= limit. Beyond the top, the nearest point is in the top
 * disc, since the cone alone would go past it; so it is below the bottom. Returns whether f was there already. */
bool pki_cone_project(const double normal[3], double mu, double least, double limit, double f[3]);

#endif
