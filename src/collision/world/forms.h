/* The forms that the narrow method of a world needs of its shapes and of the ground (method.h). */
#ifndef PKI_COLLISION_WORLD_FORMS_H
#define PKI_COLLISION_WORLD_FORMS_H

#include "collision/world/colliders.h"

/* By the method and the options of c; *out NULL: it needs none. */
pk_status pki_forms_of_shapes(const pki_colliders *c, pki_narrow_form **out, pk_error *err);
pk_status pki_forms_of_ground(const pki_colliders *c, const pk_terrain *ground, pki_narrow_form **out,
                              pk_error *err);
void pki_forms_free(pki_narrow_form *forms, int n); /* NULL is fine */

/* The form of a shape of the model; shapes with one geometry have one. NULL: the method needs none. */
const pki_narrow_form *pki_form_of_shape(const pki_colliders *c, int shape);

#endif
