/* Four legs that are built alike are one function in four lanes.
 *
 * Code of one robot is long, straight and scalar; a processor has vectors. Where four chains of one shape hang on a free trunk
 * (quadrupeds), everything about a limb is written once, with the numbers in which the limbs differ as inputs, over a lane type
 * that holds the four limbs of one robot:
 *
 *   limb    M, h of trunk and limb for a trunk without mass; the limb's rows are eliminated: rows of L, y, and what is left for
 *           the trunk: B [6][6], b [6]
 *   trunk   B and b of its limbs and its own: L, and the change of its velocity
 *   limb    back substitution
 *
 * With more lanes (robots) the same functions run once for each limb, over lanes that hold robots. A lane does the same
 * arithmetic whatever limb it holds, and limbs are added up in one order, so bits do not depend on the lane count. The code is
 * about a third as long, too, which caches like. */
#ifndef PKI_SYMBOLIC_CODE_LIMBS_H
#define PKI_SYMBOLIC_CODE_LIMBS_H

#include "base/text.h"
#include "pronk/model.h"

enum { PKI_LIMBS = 4 };

/* Joints of each limb; 0: the model is of another kind. */
int pki_limbs_find(const pk_model *m);

/* robot_free_velocity and robot_kinematics (kernels_source.h) of such a model; after pki_emit_lanes("robot"). False: out of memory. */
bool pki_limbs_emit(const pk_model *m, pki_text *source);

#endif
