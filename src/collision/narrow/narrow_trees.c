/* Trees of bounding boxes over triangles for every pair of polyhedra: boxes, hulls, meshes. Both trees are gone down at once, and the triangles
 * of leaves that are near are measured (surface_search.c, surface_mesh.c). Depths are local: that of the deepest point of
 * one in the other. Pairs of a mesh and a round shape go down the mesh's tree in any case. */
#include "collision/narrow/method.h"
#include "collision/narrow/surface.h"

static bool takes_faces(const pki_side *a, const pki_side *b)
{
  return pki_narrow_faces(a) != NULL && pki_narrow_faces(b) != NULL;
}

static bool distance_by_trees(const pki_side *a, const pki_side *b, double reach, pki_pair_memory *memory,
                              pk_proximity *out)
{
  (void)memory;
  return pki_surface_distance(pki_narrow_faces(a), a->pose, pki_narrow_faces(b), b->pose, reach, out);
}

static int touch_by_trees(const pki_side *a, const pki_side *b, double margin, pki_pair_memory *memory,
                          pk_touch_point out[PK_TOUCH_MOST])
{
  (void)memory;
  return pki_surface_touch(pki_narrow_faces(a), a->pose, pki_narrow_faces(b), b->pose, margin, out);
}

static pk_status face_polytope(const pk_geometry *g, const pki_narrow_form_options *o, pki_narrow_form *out,
                               pk_error *err)
{
  (void)o;
  return pki_narrow_face(g, out, err);
}

const pki_narrow_row pki_narrow_trees = {"trees",
                                         "triangles in trees of bounding boxes; boxes, hulls and meshes",
                                         takes_faces,
                                         distance_by_trees,
                                         touch_by_trees,
                                         face_polytope,
                                         NULL};
