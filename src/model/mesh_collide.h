/* What meshes that collide become, for every loader: pk_load_options.collision_meshes. */
#ifndef PKI_MODEL_MESH_COLLIDE_H
#define PKI_MODEL_MESH_COLLIDE_H

#include "pronk/builder.h"

/* A warning about what became of a mesh; kind NULL: none. */
typedef struct pki_mesh_remark {
  const char *kind;
  char text[320];
} pki_mesh_remark;

/* What the meshes of one load have become: each once, however many shapes use it. Begin with zeros. */
typedef struct pki_mesh_collider {
  struct pki_mesh_become *of;
  int count, room;
} pki_mesh_collider;

void pki_mesh_collider_free(pki_mesh_collider *c);

/* Add a shape of kind PK_SHAPE_MESH that collides as its hull, its triangles or its convex parts. A mesh without a volume has
 * no hull: its triangles collide. `remark` gets a warning, or stays as it is. The mesh must stay where it is
 * until the collider is freed. */
pk_status pki_builder_add_collision_mesh(pk_builder *b, pki_mesh_collider *c, const pk_shape_desc *shape,
                                         pk_mesh_collision become, pki_mesh_remark *remark, pk_error *err);

#endif
