/* Where features of a model are near the ground. */
#ifndef PKI_COLLISION_CONTACTS_H
#define PKI_COLLISION_CONTACTS_H

#include <stdbool.h>

#include "collision/features.h"
#include "dynamics/kernels.h"
#include "pronk/terrain.h"

/* One feature against one solid of the terrain; the pair (feature, solid) names it from step to step. World
 * frame. */
typedef struct pki_contact {
  int feature, solid;
  int body;
  int material;                    /* the terrain's */
  double gap;                      /* m, negative when it penetrates */
  double point[3];                 /* of the feature, nearest to the terrain */
  double normal[3];                /* out of the terrain, unit */
  double tangent1[3], tangent2[3]; /* normal, tangent1, tangent2: orthonormal, right-handed */
} pki_contact;

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
