/* Triangle meshes from files: STL (binary and text), Wavefront OBJ, COLLADA, PLY, GLB. */
#ifndef PKI_MODEL_MESH_H
#define PKI_MODEL_MESH_H

#include <stddef.h>

#include "base/error.h"
#include "pronk/builder.h"

/* A mesh that owns its arrays. Every vertex is finite, belongs to a triangle and differs from
 * all others; every triangle's indices are in range. A triangle may have no area. */
typedef struct pki_mesh {
  int nvertex, ntriangle;
  double *vertex; /* [nvertex][3] */
  int *triangle;  /* [ntriangle][3] */
} pki_mesh;

/* Shapes that are made from a mesh. */
static inline bool pki_shape_has_mesh(pk_shape_kind kind)
{
  return kind == PK_SHAPE_MESH || kind == PK_SHAPE_CONVEX;
}

/* Bounds on what a file may ask for. */
enum { PKI_MESH_MAX_TRIANGLES = 20000000, PKI_MESH_MAX_BYTES = 1 << 30 };

/* Read the file at `path`; the kind follows from its ending (.stl .obj .dae .ply .glb, any case). Lengths are
 * as the file has them, in COLLADA files multiplied by the unit that they declare. On failure
 * `out` is empty; a caller who knows which line of a model asked for the mesh adds that. */
pk_status pki_mesh_load(const char *path, pki_mesh *out, pk_error *err);

/* The same from memory: `kind` is "stl", "obj", "dae", "ply" or "glb", `file` names it in messages. */
pk_status pki_mesh_parse(const char *kind, const char *file, const void *data, size_t size, pki_mesh *out,
                         pk_error *err);

void pki_mesh_free(pki_mesh *mesh);

#endif
