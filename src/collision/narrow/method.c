/* The narrow methods, and the way of a pair to one of them. */
#include "collision/narrow/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const pki_narrow_row *const pki_narrows[PK_NARROW_METHOD_COUNT + 1] = {
    [PK_NARROW_METHOD_AUTO] =
        &(const pki_narrow_row){
            "auto", "the quickest exact way for each pair: closed forms, features, simplices, trees", NULL,
            NULL, NULL, NULL, NULL},
    [PK_NARROW_METHOD_GJK] = &pki_narrow_gjk,
    [PK_NARROW_METHOD_FEATURES] = &pki_narrow_features,
    [PK_NARROW_METHOD_VOLUMES] = &pki_narrow_volumes,
    [PK_NARROW_METHOD_TREES] = &pki_narrow_trees,
};

/* ---- forms ---- */

bool pki_is_polytope(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_BOX || g->kind == PK_SHAPE_CONVEX ||
         (g->kind == PK_SHAPE_MESH && g->mesh->convex && g->hull != NULL);
}

const pk_geometry *pki_narrow_faces(const pki_side *side)
{
  if (side->geometry->kind == PK_SHAPE_MESH && !pki_is_polytope(side->geometry)) {
    return side->geometry;
  }
  return side->form != NULL ? side->form->faces : NULL;
}

/* The polygons of a hull, cut into triangles from their first corners. */
static int cut_faces(const pki_hull *h, int *triangle)
{
  int n = 0;
  for (int f = 0; f < h->nface; f++) {
    for (int i = h->face_start[f] + 1; i + 1 < h->face_start[f + 1]; i++, n++) {
      triangle[3 * n] = h->loop[h->face_start[f]];
      triangle[3 * n + 1] = h->loop[i], triangle[3 * n + 2] = h->loop[i + 1];
    }
  }
  return n;
}

/* Without its hull such a mesh answers by its triangles alone. */
pk_status pki_narrow_face(const pk_geometry *g, pki_narrow_form *out, pk_error *err)
{
  if (!pki_is_polytope(g)) {
    return PK_OK;
  }
  const pki_hull *h = g->hull;
  int *triangle = malloc(3 * (size_t)h->face_start[h->nface] * sizeof *triangle);
  if (triangle == NULL) {
    return pki_fail_memory(err, "the faces of a shape");
  }
  const pk_mesh mesh = {.name = "faces",
                        .nvertex = h->nvertex,
                        .vertex = h->vertex,
                        .ntriangle = cut_faces(h, triangle),
                        .triangle = triangle};
  const pk_status status =
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &mesh}, &out->faces, err);
  free(triangle);
  if (status == PK_OK) {
    pki_hull_destroy(out->faces->hull);
    out->faces->hull = NULL;
  }
  return status;
}

pk_status pki_narrow_form_make(pk_narrow_method method, const pk_geometry *g,
                               const pki_narrow_form_options *o, pki_narrow_form *out, pk_error *err)
{
  *out = (pki_narrow_form){0};
  const pki_narrow_row *row = pki_narrows[method];
  return row->prepare != NULL ? row->prepare(g, o, out, err) : PK_OK;
}

void pki_narrow_form_free(pki_narrow_form *form)
{
  pk_geometry_destroy(form->faces);
  pki_volume_destroy(form->volume);
  free(form->around_start);
  free(form->around);
  *form = (pki_narrow_form){0};
}

/* ---- the way of a pair ---- */

static bool can_measure(const pki_side *a, const pki_side *b, double reach)
{
  return pki_pose_finite(a->pose) && pki_pose_finite(b->pose) && !isnan(reach);
}

bool pki_distance_by(pk_narrow_method method, const pki_side *a, const pki_side *b, double reach,
                     pki_pair_memory *memory, pk_proximity *out)
{
  const pki_narrow_row *row = pki_narrows[method];
  if (row->takes == NULL || !can_measure(a, b, reach) || !row->takes(a, b)) {
    return pki_distance(a->geometry, a->pose, b->geometry, b->pose, reach, memory, out);
  }
  const bool turn = pki_kinds_turn(a->geometry, b->geometry);
  const bool near = row->distance(turn ? b : a, turn ? a : b, fmax(reach, 0), memory, out);
  if (near && turn) {
    pki_proximity_turn(out);
  }
  return near;
}

/* From the nearest points of two convex shapes. */
static int touch_from_nearest(const pki_narrow_row *row, const pki_side *a, const pki_side *b, double margin,
                              pki_pair_memory *memory, pk_touch_point out[PK_TOUCH_MOST])
{
  pk_proximity near;
  return row->distance(a, b, fmax(margin, 0), memory, &near)
             ? pki_body_touch(a->geometry, a->pose, b->geometry, b->pose, &near, margin, out)
             : 0;
}

int pki_touch_by(pk_narrow_method method, const pki_side *a, const pki_side *b, double margin,
                 pki_pair_memory *memory, pk_touch_point out[PK_TOUCH_MOST])
{
  const pki_narrow_row *row = pki_narrows[method];
  if (row->takes == NULL || !can_measure(a, b, margin) || !row->takes(a, b)) {
    return pki_touch(a->geometry, a->pose, b->geometry, b->pose, margin, memory, out);
  }
  const bool turn = pki_kinds_turn(a->geometry, b->geometry);
  const pki_side *first = turn ? b : a, *second = turn ? a : b;
  const int count = row->touch != NULL ? row->touch(first, second, margin, memory, out)
                                       : touch_from_nearest(row, first, second, margin, memory, out);
  if (turn) {
    pki_touch_turn(out, count);
  }
  return count;
}
