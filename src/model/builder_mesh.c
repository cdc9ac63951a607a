/* Meshes of a builder: each is checked and copied once, however many shapes use it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"

/* Vertices and triangles of the mesh shapes of one file, each as often as shapes use it: what comes after loading
 * looks at each use. */
enum { MESH_USE_MAX = 100000000 };

static void mesh_free(pk_mesh *m)
{
  pki_builder_free_text(m->name), free((void *)(size_t)m->vertex), free((void *)(size_t)m->triangle);
}

void pki_builder_drop_meshes(pk_builder *b, int keep)
{
  while (b->nmesh > keep) {
    mesh_free(&b->meshes[--b->nmesh]);
  }
}

/* The arrays must make a mesh: indices in range, numbers finite. */
static pk_status check_mesh(const pk_mesh *m, pki_where where, pk_error *err)
{
  if (m == NULL || m->nvertex <= 0 || m->ntriangle <= 0 || m->vertex == NULL || m->triangle == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where, "a mesh shape needs a mesh with vertices and triangles");
  }
  for (size_t i = 0; i < 3 * (size_t)m->ntriangle; i++) {
    if (m->triangle[i] < 0 || m->triangle[i] >= m->nvertex) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "triangle %zu refers to vertex %d, expected 0 to %d",
                      i / 3, m->triangle[i], m->nvertex - 1);
    }
  }
  for (size_t i = 0; i < 3 * (size_t)m->nvertex; i++) {
    if (!isfinite(m->vertex[i])) {
      return pki_fail(err, PK_ERROR_ARGUMENT, where, "vertex %zu is not finite", i / 3);
    }
  }
  return PK_OK;
}

static size_t vertex_bytes(const pk_mesh *m)
{
  return (size_t)m->nvertex * 3 * sizeof *m->vertex;
}

static size_t triangle_bytes(const pk_mesh *m)
{
  return (size_t)m->ntriangle * 3 * sizeof *m->triangle;
}

static bool is_same(const pk_mesh *kept, const pk_mesh *mesh)
{
  return kept->nvertex == mesh->nvertex && kept->ntriangle == mesh->ntriangle && mesh->vertex != NULL &&
         mesh->triangle != NULL && memcmp(kept->vertex, mesh->vertex, vertex_bytes(mesh)) == 0 &&
         memcmp(kept->triangle, mesh->triangle, triangle_bytes(mesh)) == 0;
}

/* The mesh that came by the same pointer before; -1: none. Loaders leave their meshes as they are, so that within one
 * load the pointer is enough. A caller may have filled the same arrays anew. */
static int find_mesh(const pk_builder *b, const pk_mesh *mesh)
{
  for (int i = b->nmesh - 1; i >= 0; i--) {
    const bool known = b->loading && i >= b->load_mesh;
    if (b->mesh_keys[i] == mesh && (known || is_same(&b->meshes[i], mesh))) {
      return i;
    }
  }
  return -1;
}

/* An owned copy; its index, -1 without memory. */
static int copy_mesh(pk_builder *b, const pk_mesh *mesh)
{
  int key_cap = b->mesh_cap;
  if (!pki_builder_grow((void **)&b->mesh_keys, b->nmesh, &key_cap, sizeof *b->mesh_keys) ||
      !pki_builder_grow((void **)&b->meshes, b->nmesh, &b->mesh_cap, sizeof *b->meshes)) {
    return -1;
  }
  bool ok = true;
  double *vertex = malloc(vertex_bytes(mesh));
  int *triangle = malloc(triangle_bytes(mesh));
  pk_mesh copy = {.name = pki_builder_copy(mesh->name ? mesh->name : "mesh", &ok),
                  .nvertex = mesh->nvertex,
                  .ntriangle = mesh->ntriangle,
                  .vertex = vertex,
                  .triangle = triangle};
  if (!ok || vertex == NULL || triangle == NULL) {
    mesh_free(&copy);
    return -1;
  }
  memcpy(vertex, mesh->vertex, vertex_bytes(mesh));
  memcpy(triangle, mesh->triangle, triangle_bytes(mesh));
  b->mesh_keys[b->nmesh] = mesh;
  b->meshes[b->nmesh] = copy;
  return b->nmesh++;
}

pk_status pki_builder_keep_mesh(pk_builder *b, const pk_shape_desc *shape, int *index, pk_error *err)
{
  const pki_where where = {.field = shape->link, .line = shape->line};
  *index = find_mesh(b, shape->mesh);
  const pk_status status = *index < 0 ? check_mesh(shape->mesh, where, err) : PK_OK;
  if (status != PK_OK) {
    return status;
  }
  b->mesh_uses += (long long)shape->mesh->nvertex + shape->mesh->ntriangle;
  if (b->loading && b->mesh_uses > MESH_USE_MAX) {
    return pki_fail(
        err, PK_ERROR_LIMIT, where,
        "the mesh shapes of this file have more than %d vertices and triangles, a mesh counted as "
        "often as shapes use it",
        MESH_USE_MAX);
  }
  *index = *index < 0 ? copy_mesh(b, shape->mesh) : *index;
  return *index >= 0 ? PK_OK : pki_builder_no_memory(err);
}
