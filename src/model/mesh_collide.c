#include "model/mesh_collide.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/builder.h"
#include "pronk/collision.h"

/* A hull whose mesh lies farther outside than this, as a part of its size, is remarked upon. */
static const double COARSE = 0.03;

/* Of PK_MESH_COLLISION_PARTS. */
enum { PARTS = 16, PART_VERTICES = 64 };

typedef struct pki_mesh_become {
  const pk_mesh *mesh;
  pk_mesh_collision kind;
  pk_convex_parts *parts; /* NULL: its triangles */
  bool remarked;
  pki_mesh_remark remark;
} pki_mesh_become;

void pki_mesh_collider_free(pki_mesh_collider *c)
{
  for (int i = 0; i < c->count; i++) {
    pk_convex_parts_destroy(c->of[i].parts);
  }
  free(c->of);
  *c = (pki_mesh_collider){0};
}

static pk_status make_convex(pki_mesh_become *m, pk_error *err)
{
  pk_convex_options options = pk_convex_options_default();
  pk_error why;
  if (m->kind == PK_MESH_COLLISION_PARTS) {
    options.max_parts = PARTS, options.max_vertices = PART_VERTICES;
  }
  const pk_status status = pk_mesh_convex_parts(m->mesh, &options, &m->parts, &why);
  if (status == PK_ERROR_MESH) {
    m->remark.kind = "mesh-flat";
    snprintf(m->remark.text, sizeof m->remark.text, "mesh %.100s: %.150s: its triangles collide",
             m->mesh->name, why.message);
    return PK_OK;
  }
  if (status != PK_OK && err != NULL) {
    *err = why;
  }
  if (status == PK_OK && m->parts->error > COARSE * m->parts->size) {
    m->remark.kind = "hull-coarse";
    snprintf(m->remark.text, sizeof m->remark.text,
             "mesh %.100s: its hull is simplified to %d vertices, and parts of the mesh lie up to %.2g m "
             "outside of it",
             m->mesh->name, m->parts->parts[0].nvertex, m->parts->error);
  }
  return status;
}

/* What a mesh has become, made the first time; NULL: an error. */
static pki_mesh_become *find_or_make(pki_mesh_collider *c, const pk_mesh *mesh, pk_mesh_collision kind,
                                     pk_error *err)
{
  for (int i = 0; i < c->count; i++) {
    if (c->of[i].mesh == mesh && c->of[i].kind == kind) {
      return &c->of[i];
    }
  }
  if (!pki_builder_grow((void **)&c->of, c->count, &c->room, sizeof *c->of)) {
    pki_builder_no_memory(err);
    return NULL;
  }
  pki_mesh_become *m = &c->of[c->count];
  *m = (pki_mesh_become){.mesh = mesh, .kind = kind};
  if (kind != PK_MESH_COLLISION_TRIANGLES && make_convex(m, err) != PK_OK) {
    return NULL;
  }
  c->count++;
  return m;
}

pk_status pki_builder_add_collision_mesh(pk_builder *b, pki_mesh_collider *c, const pk_shape_desc *shape,
                                         pk_mesh_collision become, pki_mesh_remark *remark, pk_error *err)
{
  pk_error why = {.status = PK_OK};
  pki_mesh_become *m = find_or_make(c, shape->mesh, become, &why);
  if (m == NULL) {
    if (err != NULL) {
      *err = why;
    }
    return why.status;
  }
  if (!m->remarked && m->remark.kind != NULL) {
    *remark = m->remark;
    m->remarked = true;
  }
  if (m->parts == NULL) {
    return pk_builder_add_shape(b, shape, err);
  }
  pk_status status = PK_OK;
  for (int i = 0; i < m->parts->count && status == PK_OK; i++) {
    pk_shape_desc part = *shape;
    part.kind = PK_SHAPE_CONVEX;
    part.mesh = &m->parts->parts[i];
    status = pk_builder_add_shape(b, &part, err);
  }
  return status;
}
