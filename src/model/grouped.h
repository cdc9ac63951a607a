/* Inertias of a model's bodies, regrouped: what a joint cannot tell from its parent's belongs to the parent.
 *
 * What a turn about a hinge's axis does not change - the mass, put on the axis, and moments (J, J, 0) about it - may as well
 * belong to the parent (Gautier, Khalil 1990). Three of the ten numbers of each hinge's body follow from the others then:
 * mass and first moment along the axis k are zero, I_kk = I_aa + I_bb. A slider's body gives all its moments. What the
 * world is given is gone. M, bias forces and accelerations stay what they were; energy and momentum do not. */
#ifndef PKI_MODEL_GROUPED_H
#define PKI_MODEL_GROUPED_H

#include "pronk/model.h"

/* grouped [nbody][10] from inertia [nbody][10] as pk_model.body_inertia; one may not be the other. */
void pki_group_inertias(const pk_model *m, const double *inertia, double *grouped);

#endif
