/* Where features of a model are near the ground. */
#ifndef PKI_COLLISION_CONTACTS_H
#define PKI_COLLISION_CONTACTS_H

#include <stdbool.h>

#include "collision/features.h"
#include "dynamics/kernels.h"
#include "pronk/terrain.h"

/* One point at which two shapes touch. `geom` are the model's shapes by their index, solids of the ground by the number
 * of the model's shapes and theirs; both and the id name the contact from step to step. World frame. */
typedef struct pki_contact {
  int geom[2];
  unsigned id;
  int body, other; /* whose the shapes are: the first moves; the second may be -1, the world */
  int material;    /* the ground's; -1: the second is a shape of the model */
  double gap;      /* m, negative when it penetrates */
  double
      point[3]; /* on the ground: of the first shape, nearest to it; between bodies: the middle of the gap */
  double normal[3];                /* from the second to the first, unit */
  double tangent1[3], tangent2[3]; /* normal, tangent1, tangent2: orthonormal, right-handed */
} pki_contact;

/* Whether a contact has these partners. */
static inline bool pki_same_contact(const int geom[2], unsigned id, const pki_contact *c)
{
  return geom[0] == c->geom[0] && geom[1] == c->geom[1] && id == c->id;
}

/* All contacts with a gap of at most `margin` (m), in the order of the features, each feature's smallest
 * gap first; a feature in a corner has one for each solid, PKI_NEAR_MOST at most. Reads pose and origin of
 * lane `lane` of `w`. Returns how many are in `out`, at most `most`; *overflow tells whether there were
 * more. Allocates nothing. */
int pki_contacts_find(const pki_work *w, int lane, const pki_feature *features,
                      const pki_feature_group *groups, int ngroup, const pk_terrain *terrain, double margin,
                      pki_contact *out, int most, bool *overflow);

/* Two tangents to a unit normal, so that normal, t1, t2 are orthonormal and right-handed. They turn
 * smoothly with the normal except where it looks down steeply (z = -0.9). */
void pki_tangents(const double normal[3], double t1[3], double t2[3]);

#endif
