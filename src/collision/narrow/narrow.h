/* Two shapes: how far apart, and where they touch. Normals point from b to a. */
#ifndef PKI_COLLISION_NARROW_NARROW_H
#define PKI_COLLISION_NARROW_NARROW_H

#include "collision/shapes/convex.h"

/* What a pair remembers from step to step; zeroed: nothing. It speeds the search up and decides between answers that
 * are equally good, so it is part of a world's state. */
typedef struct pki_pair_memory {
  int feature[2]; /* 1 + a feature of each hull, as walk.c counts them */
} pki_pair_memory;

/* pk_geometry_distance with a memory (NULL: none). */
bool pki_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
                  double reach, pki_pair_memory *memory, pk_proximity *out);

/* pk_geometry_touch with a memory (NULL: none). */
int pki_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b, const pk_pose *pose_b,
              double margin, pki_pair_memory *memory, pk_touch_point out[PK_TOUCH_MOST]);

/* ---- the ways ---- */

/* closed.c: true when the pair has a closed form, the answer then in *near (whether within reach) and *out. In either
 * order: planes and spheres with convex shapes and meshes; capsule-capsule; boxes that overlap. */
bool pki_closed_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                         const pk_pose *pose_b, double reach, bool *near, pk_proximity *out);

/* closed_box.c: the boxes' part of it. False: apart, and perhaps within reach. */
bool pki_boxes_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                        const pk_pose *pose_b, double reach, bool *near, pk_proximity *out);

/* closed.c: an answer for (a, b) becomes one for (b, a). */
void pki_proximity_turn(pk_proximity *p);

/* gjk.c: any two convex shapes; overlapping cores go on to epa.c. */
bool pki_gjk_distance(const pki_convex *a, const pki_convex *b, double reach, pk_proximity *out);

/* epa.c: the shallowest way out of two cores that overlap; roundings are not in it. */
void pki_epa_depth(const pki_convex *a, const pki_convex *b, pk_proximity *out);

/* walk.c: two hulls (Mirtich, "V-Clip", 1998), from the memory's features. False when the hulls overlap or the walk cycles:
 * ask GJK and EPA then. `steps` from feature to feature were made; may be NULL. */
bool pki_walk_distance(const pki_hull *a, const pk_pose *pose_a, const pki_hull *b, const pk_pose *pose_b,
                       pki_pair_memory *memory, pk_proximity *out, int *steps);

/* manifold.c: a name from the n words that a point is made of; different seeds give different names. */
unsigned pki_touch_name(unsigned seed, const unsigned *word, int n);

/* manifold.c: the touch of two convex shapes from their nearest points. */
int pki_convex_touch(const pki_convex *a, const pki_convex *b, const pk_proximity *near, double margin,
                     pk_touch_point out[PK_TOUCH_MOST]);

/* manifold_plane.c: the touch of a shape (convex or mesh) with a half-space. The pair is (shape, plane). */
int pki_plane_touch(const pk_geometry *g, const pk_pose *pose, const pk_pose *plane, double margin,
                    pk_touch_point out[PK_TOUCH_MOST]);

/* manifold.c: at most PK_TOUCH_MOST of n points, the deepest always among them, the rest spread wide; in place, in an
 * order that depends on the ids alone. Returns how many stay. */
int pki_touch_reduce(pk_touch_point *points, int n);

/* surface.c: where one of the two is a mesh or a height field, in either order. */
bool pki_surface_distance(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                          const pk_pose *pose_b, double reach, pk_proximity *out);
int pki_surface_touch(const pk_geometry *a, const pk_pose *pose_a, const pk_geometry *b,
                      const pk_pose *pose_b, double margin, pk_touch_point out[PK_TOUCH_MOST]);

/* advance.c: shapes that move with constant velocities (linear of the frame's origin, angular; world) for `time` s: when
 * they first come within `gap` m of each other. False: they do not, or touch already. *out is the proximity then. */
typedef struct pki_motion {
  pk_pose pose; /* at the start */
  double linear[3], angular[3];
} pki_motion;
void pki_motion_at(const pki_motion *m, double time, pk_pose *out); /* turned about the frame's origin */
bool pki_first_touch(const pk_geometry *a, const pki_motion *motion_a, const pk_geometry *b,
                     const pki_motion *motion_b, double time, double gap, double *when, pk_proximity *out);

#endif
