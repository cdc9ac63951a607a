/* What a mesh becomes when only convex shapes are to collide: its hull or the hulls of its parts, with few vertices. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/decompose.h"

enum { LEAST_VERTICES = 8, MOST_VERTICES = 10000, MOST_PARTS = 1024 };

pk_convex_options pk_convex_options_default(void)
{
  return (pk_convex_options){.max_parts = 1, .concavity = 0.02, .max_vertices = 128, .tolerance = 1e-3};
}

/* ---- checks ---- */

static pk_status check_options(const pk_convex_options *o, pk_error *err)
{
  if (o->max_vertices < LEAST_VERTICES || o->max_vertices > MOST_VERTICES) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "max_vertices"},
                    "max_vertices is %d, expected %d to %d", o->max_vertices, LEAST_VERTICES, MOST_VERTICES);
  }
  if (o->max_parts < 1 || o->max_parts > MOST_PARTS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "max_parts"},
                    "max_parts is %d, expected 1 to %d", o->max_parts, MOST_PARTS);
  }
  if (!(o->concavity >= 0 && o->concavity <= 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "concavity"},
                    "concavity is %g, expected 0 to 1, a part of the mesh's size", o->concavity);
  }
  if (!(o->tolerance >= 0 && o->tolerance <= 1)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "tolerance"},
                    "tolerance is %g, expected 0 to 1, a part of the mesh's size", o->tolerance);
  }
  return PK_OK;
}

static pk_status check_mesh(const pk_mesh *m, pk_error *err)
{
  if (m == NULL || m->vertex == NULL || m->nvertex <= 0 || m->ntriangle < 0 ||
      (m->ntriangle > 0 && m->triangle == NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mesh"},
                    "a mesh with vertices is needed to make it convex");
  }
  return PK_OK;
}

/* ---- from hulls to meshes ---- */

/* Faces as fans of triangles, in one block with the vertices; false: no memory. */
static bool copy_hull(const pki_hull *h, const char *name, pk_mesh *out)
{
  const size_t nvertex = (size_t)h->nvertex, loops = (size_t)h->face_start[h->nface];
  const size_t ntriangle = loops - 2 * (size_t)h->nface;
  const size_t reals = 3 * nvertex * sizeof(double), ints = 3 * ntriangle * sizeof(int);
  char *const block = malloc(reals + ints + strlen(name) + 1);
  if (block == NULL) {
    return false;
  }
  double *const vertex = (double *)(void *)block;
  int *const triangle = (int *)(void *)(block + reals), *t = triangle;
  char *const copy = block + reals + ints;
  memcpy(vertex, h->vertex, reals);
  memcpy(copy, name, strlen(name) + 1);
  for (int f = 0; f < h->nface; f++) {
    const int *const loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++, t += 3) {
      t[0] = loop[0], t[1] = loop[k], t[2] = loop[k + 1];
    }
  }
  *out = (pk_mesh){.name = copy,
                   .nvertex = (int)nvertex,
                   .ntriangle = (int)ntriangle,
                   .vertex = vertex,
                   .triangle = triangle};
  return true;
}

void pk_convex_parts_destroy(pk_convex_parts *parts)
{
  if (parts == NULL) {
    return;
  }
  for (int i = 0; i < parts->count; i++) {
    free((void *)(size_t)parts->parts[i].vertex); /* the block begins with them */
  }
  free((void *)(size_t)parts->parts);
  free(parts);
}

/* Hulls as meshes; false: no memory. */
static bool copy_hulls(pki_hull *const *hulls, int count, const pk_mesh *mesh, pk_convex_parts *out)
{
  pk_mesh *parts = calloc((size_t)count, sizeof *parts);
  out->parts = parts;
  while (parts != NULL && out->count < count &&
         copy_hull(hulls[out->count], mesh->name != NULL ? mesh->name : "mesh", &parts[out->count])) {
    out->count++;
  }
  return out->count == count;
}

/* One hull, or several. */
static pk_status find_hulls(const pk_mesh *mesh, const pk_convex_options *o, double size,
                            pki_decomposition *out, pk_error *err)
{
  if (o->max_parts > 1 && mesh->ntriangle > 0) {
    return pki_decompose(mesh, o, size, out, err);
  }
  *out = (pki_decomposition){.hulls = calloc(1, sizeof *out->hulls)};
  if (out->hulls == NULL) {
    return pki_fail_memory(err, "the hull of a mesh");
  }
  const pk_status status = pki_hull_few(mesh->vertex, mesh->nvertex, o->max_vertices, o->tolerance * size,
                                        &out->hulls[0], &out->error, err);
  out->count = status == PK_OK;
  return status;
}

pk_status pk_mesh_convex_parts(const pk_mesh *mesh, const pk_convex_options *options, pk_convex_parts **out,
                               pk_error *err)
{
  const pk_convex_options o = options != NULL ? *options : pk_convex_options_default();
  *out = NULL;
  pk_status status = check_options(&o, err);
  status = status == PK_OK ? check_mesh(mesh, err) : status;
  int corner[4];
  double size = 0;
  pki_decomposition found = {0};
  status = status == PK_OK ? pki_hull_span(mesh->vertex, mesh->nvertex, corner, &size, err) : status;
  status = status == PK_OK ? find_hulls(mesh, &o, size, &found, err) : status;
  if (status == PK_OK) {
    pk_convex_parts *parts = calloc(1, sizeof *parts);
    if (parts == NULL || !copy_hulls(found.hulls, found.count, mesh, parts)) {
      pk_convex_parts_destroy(parts);
      status = pki_fail_memory(err, "the hull of a mesh");
    } else {
      parts->size = size, parts->error = found.error, parts->concavity = found.concavity;
      *out = parts;
    }
  }
  pki_decomposition_free(&found);
  return status;
}
