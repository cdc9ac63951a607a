/* How far shapes reach. */
#ifndef PKI_MODEL_EXTENT_H
#define PKI_MODEL_EXTENT_H

#include "pronk/builder.h"

/* How far a shape reaches from its origin along each of three axes, the rows of R [3][3]; a bound for cones, and 0 for shapes that
 * their vertices tell (meshes) or that are ground. */
void pki_shape_reach(pk_shape_kind kind, const double size[3], const double *R, double reach[3]);

/* The least and largest coordinate along z of a shape whose frame lies at `pose`. mesh NULL: it has none. */
void pki_shape_heights(pk_shape_kind kind, const double size[3], const pk_mesh *mesh, const pk_pose *pose,
                       double *low, double *high);

#endif
