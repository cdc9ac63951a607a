/* What the joints of a world carry. */
#ifndef PKI_SIM_JOINT_LOADS_H
#define PKI_SIM_JOINT_LOADS_H

#include "step/world.h"

/* What acted on the bodies of a world in its last step beside contacts relieves the loads in a workspace of the joint model (sense/loads.h),
 * which is at the world's configuration: pushes [nbody][6] (NULL: none), constraints that close loops, and the wrenches of patches of
 * compliant surfaces less those of their contacts. */
void pki_relieve_by_world(const pk_sim *sim, pk_workspace *w, const double *pushes);

#endif
