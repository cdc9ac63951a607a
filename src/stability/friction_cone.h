/* Generators of friction cones, for programs over contact forces. */
#ifndef PKI_STABILITY_FRICTION_CONE_H
#define PKI_STABILITY_FRICTION_CONE_H

#include "stability/stability.h"

/* The generator v = n + mu t of a contact's cone for which z . v is largest; that number comes back. The tangent points along the tangential part
 * of z: the promise is z . n + mu |z_t|. sides above 0: one of a pyramid within the cone. */
double pki_best_generator(const pk_stability_contact *contact, int sides, const double z[3], double v[3]);

#endif
