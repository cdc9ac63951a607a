/* Where shapes of a world touch each other and the ground. */
#ifndef PKI_COLLISION_WORLD_CONTACTS_H
#define PKI_COLLISION_WORLD_CONTACTS_H

#include <stdbool.h>

#include "collision/world/colliders.h"

/* One point at which two shapes touch. `geom` are the model's shapes by their index, solids of the ground by the number
 * of the model's shapes and theirs; both and the id name the contact from step to step. World frame. */
typedef struct pki_contact {
  int geom[2];
  unsigned id;
  int body, other; /* whose the shapes are: the first moves; the second may be -1, the world */
  int material;    /* the ground's; -1: the second is a shape of the model */
  double gap;      /* m, negative when it penetrates */
  /* Of the first shape on the ground, between bodies the middle of the gap; those of one pair and normal in one plane across it,
   * that of the deepest. */
  double point[3];
  double normal[3];                /* from the second to the first, unit */
  double tangent1[3], tangent2[3]; /* normal, tangent1, tangent2: orthonormal, right-handed */
  double apart
      [3]; /* from the second body's point to the first's, where they are not one (step/swept.h); else 0 */
} pki_contact;

/* Whether a contact has these partners. */
static inline bool pki_same_contact(const int geom[2], unsigned id, const pki_contact *c)
{
  return geom[0] == c->geom[0] && geom[1] == c->geom[1] && id == c->id;
}

/* All contacts with a gap of at most `margin` (m), ordered by their geoms, then by their ids, whatever the broad phase.
 * What of the ground lies hidden behind more of it is left out. Reads pose and origin of lane `lane` of `w`; pairs
 * remember this search for the next one. Returns how many are in `out`, at most `most`; *overflow tells whether there
 * were more, or more pairs than there is room for. Allocates nothing. */
int pki_contacts_find(pki_colliders *c, const pki_work *w, int lane, double margin, pki_contact *out,
                      int most, bool *overflow);

/* A pair of colliders, and the largest gap (m) of the contacts that are wanted of it. */
typedef struct pki_near_pair {
  int a, b;
  double margin;
} pki_near_pair;

/* The same of given pairs alone, sorted; a ground of more than one solid is not for this. */
int pki_contacts_touch(pki_colliders *c, const pki_work *w, int lane, const pki_near_pair *pairs, int npair,
                       pki_contact *out, int most, bool *overflow);

#endif
