/* The solids that a terrain is made of: geometries that are fixed in the world. solid.c answers queries by the exact
 * signed distance to the surface of one, terrain.c by all of them.
 *
 * A query fills `hit` and returns true when the distance is at most `reach` or negative. Points
 * are finite; `reach` may be infinite. docs/theory/terrain.md has the reasoning. */
#ifndef PKI_COLLISION_GROUND_TERRAIN_H
#define PKI_COLLISION_GROUND_TERRAIN_H

#include <stdbool.h>

#include "collision/shapes/geometry.h"
#include "pronk/terrain.h"

typedef struct pki_solid {
  int material;
  pk_pose pose;          /* of a plane: its third column is the normal */
  pk_geometry *geometry; /* owned by the terrain */
} pki_solid;

struct pk_terrain {
  pki_solid *solids; /* [nsolid] in the order in which they were added */
  int nsolid, room;
};

/* How many materials a terrain refers to: one more than the largest index. */
int pki_terrain_materials(const pk_terrain *t);

/* The surface of one solid near a point. */
bool pki_solid_query(const pki_solid *s, const double point[3], double reach, pk_terrain_hit *hit);

#endif
