/* The solids that a terrain is made of. Each kind is one file with two functions: make it from
 * checked numbers, and answer a query by the exact signed distance to its surface.
 *
 * A query fills `hit` and returns true when the distance is at most `reach` or negative. Points
 * are finite; `reach` may be infinite. docs/theory/terrain.md has the reasoning. */
#ifndef PKI_COLLISION_TERRAIN_H
#define PKI_COLLISION_TERRAIN_H

#include <stdbool.h>

#include "pronk/terrain.h"

typedef enum pki_solid_kind { PKI_SOLID_PLANE, PKI_SOLID_BOX, PKI_SOLID_HEIGHTS } pki_solid_kind;

/* All below a plane. */
typedef struct pki_plane {
  double point[3], normal[3]; /* normal: outward, unit */
} pki_plane;

typedef struct pki_box {
  pk_pose pose;
  double half[3]; /* half lengths, m */
  double radius;  /* of the sphere around it */
} pki_box;

/* All below a triangulated surface, down to any depth, with vertical sides. Cell (i, j) is cut along the
 * diagonal from vertex (i, j) to vertex (i+1, j+1). */
typedef struct pki_heights {
  double origin[3];
  double cell;
  int nx, ny;
  double top; /* largest height */
  double *z;  /* [ny][nx], relative to the origin; owned */
} pki_heights;

typedef struct pki_solid {
  pki_solid_kind kind;
  int material;
  union {
    pki_plane plane;
    pki_box box;
    pki_heights heights;
  } as;
} pki_solid;

struct pk_terrain {
  pki_solid *solids; /* [nsolid] in the order in which they were added */
  int nsolid, room;
};

pk_status pki_plane_init(pki_plane *p, const double point[3], const double normal[3], pk_error *err);
bool pki_plane_query(const pki_plane *p, const double point[3], double reach, pk_terrain_hit *hit);

pk_status pki_box_init(pki_box *b, const pk_pose *pose, const double size[3], pk_error *err);
bool pki_box_query(const pki_box *b, const double point[3], double reach, pk_terrain_hit *hit);

/* Copies the heights. */
pk_status pki_heights_init(pki_heights *f, const double origin[3], int nx, int ny, double cell,
                           const double *z, pk_error *err);
bool pki_heights_query(const pki_heights *f, const double point[3], double reach, pk_terrain_hit *hit);

/* How many materials a terrain refers to: one more than the largest index. */
int pki_terrain_materials(const pk_terrain *t);

/* One solid, whatever its kind. */
bool pki_solid_query(const pki_solid *s, const double point[3], double reach, pk_terrain_hit *hit);

/* Whether three numbers are finite; an error that names the field when they are not. */
bool pki_finite3(const double v[3]);
pk_status pki_check_finite3(const double v[3], const char *field, pk_error *err);

/* The surface of one solid near a point. */
typedef struct pki_near {
  int solid; /* index in the terrain */
  pk_terrain_hit hit;
} pki_near;

enum { PKI_NEAR_MOST = 4 };

/* Solids within `reach` of a point, nearest first, at most PKI_NEAR_MOST: what a ball there must stay
 * clear of at the same time, as in the corner of a step. A surface that lies hidden behind a nearer
 * solid is left out. */
int pki_terrain_near(const pk_terrain *t, const double point[3], double reach, pki_near out[PKI_NEAR_MOST]);

#endif
