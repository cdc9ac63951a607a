/* Narrow methods as rows: which pairs of shapes each takes, how it measures them, where they touch. What a method does not
 * take goes the way of pki_touch. docs/theory/collision.md has the table of pairs.
 *
 *   narrow_gjk.c       simplices: GJK and EPA
 *   narrow_features.c  a walk from feature to feature (walk.c)
 *   narrow_volumes.c   signed distances on grids (volume.c)
 *   narrow_trees.c     triangles in trees of boxes (surface_mesh.c) */
#ifndef PKI_COLLISION_NARROW_METHOD_H
#define PKI_COLLISION_NARROW_METHOD_H

#include "collision/narrow/narrow.h"
#include "collision/shapes/volume.h"

/* What a method asks of a shape beside its geometry. */
typedef struct pki_narrow_form {
  /* A mesh without a hull: the triangles of a polytope. NULL: the geometry has its own, or none */
  pk_geometry *faces;
  /* NULL: none */
  pki_volume *volume;
  /* The vertices to which an edge leads from vertex v of the faces are around[around_start[v]] and so on. NULL: none */
  int *around_start, *around;
} pki_narrow_form;

/* One shape of a pair. */
typedef struct pki_side {
  const pk_geometry *geometry;
  const pk_pose *pose;
  const pki_narrow_form *form; /* NULL: none */
} pki_side;

/* Sizes of grids, m: between nodes (0: by the shape), and how far around the shape they reach at least. */
typedef struct pki_narrow_form_options {
  double cell, margin;
} pki_narrow_form_options;

typedef struct pki_narrow_row {
  const char *name, *doc;
  /* Whether it takes a pair, in either order. NULL: none. */
  bool (*takes)(const pki_side *a, const pki_side *b);
  /* As pki_distance and pki_touch, of a pair that it takes and whose poses are finite; a is not after b in their order. */
  bool (*distance)(const pki_side *a, const pki_side *b, double reach, pki_pair_memory *memory,
                   pk_proximity *out);
  /* NULL: from the nearest points of two convex shapes. */
  int (*touch)(const pki_side *a, const pki_side *b, double margin, pki_pair_memory *memory,
               pk_touch_point out[PK_TOUCH_MOST]);
  /* The form of a geometry, zeroed before; NULL: it needs none. */
  pk_status (*prepare)(const pk_geometry *g, const pki_narrow_form_options *o, pki_narrow_form *out,
                       pk_error *err);
  /* Words of options that it reads (sim/reads.h); NULL: none. */
  const char *reads;
} pki_narrow_row;

extern const pki_narrow_row pki_narrow_gjk, pki_narrow_features, pki_narrow_volumes, pki_narrow_trees;

/* By pk_narrow_method; ends with NULL. */
extern const pki_narrow_row *const pki_narrows[];

/* The form that a method needs of a geometry; nothing: an empty one. To be freed also on failure. */
pk_status pki_narrow_form_make(pk_narrow_method method, const pk_geometry *g,
                               const pki_narrow_form_options *o, pki_narrow_form *out, pk_error *err);
void pki_narrow_form_free(pki_narrow_form *form);

/* pki_distance and pki_touch by a method. */
bool pki_distance_by(pk_narrow_method method, const pki_side *a, const pki_side *b, double reach,
                     pki_pair_memory *memory, pk_proximity *out);
int pki_touch_by(pk_narrow_method method, const pki_side *a, const pki_side *b, double margin,
                 pki_pair_memory *memory, pk_touch_point out[PK_TOUCH_MOST]);

/* ---- for the methods ---- */

/* Whether a shape is a polytope with a hull: a box, a hull, a mesh that is convex. */
bool pki_is_polytope(const pk_geometry *g);

/* The faces of a form: of the geometry itself where it is a mesh that is not convex. NULL: none. */
const pk_geometry *pki_narrow_faces(const pki_side *side);

/* Faces of a geometry that has them, for pki_narrow_faces. */
pk_status pki_narrow_face(const pk_geometry *g, pki_narrow_form *out, pk_error *err);

/* narrow.c: where two convex shapes touch, of which the nearest points are known; a is not after b in their order. */
int pki_body_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
                   const pk_proximity *near, double margin, pk_touch_point out[PK_TOUCH_MOST]);

/* narrow.c: whether a stands after b in the order of kinds; whether all numbers of a pose are finite; turn touches round. */
bool pki_kinds_turn(const pk_geometry *a, const pk_geometry *b);
bool pki_pose_finite(const pk_pose *pose);
void pki_touch_turn(pk_touch_point *touch, int n);

#endif
