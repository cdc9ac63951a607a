/* Which parts of the ground lie behind others. */
#ifndef PKI_COLLISION_WORLD_HIDDEN_H
#define PKI_COLLISION_WORLD_HIDDEN_H

#include "collision/world/colliders.h"

/* What of the ground is near one shape. */
enum { PKI_GROUND_MOST = 64 };
typedef struct pki_ground {
  int count;
  int collider[PKI_GROUND_MOST];
} pki_ground;

/* Whether a touch of a shape with collider `own` of the ground is hidden behind another one. `rounding`: the radius of a
 * sphere or capsule, m. docs/theory/collision.md has the rule. */
bool pki_touch_hidden(const pki_colliders *c, const pki_ground *ground, int own, const pk_touch_point *touch,
                      double rounding, double margin);

#endif
