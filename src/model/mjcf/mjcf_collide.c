/* Meshes that collide, as the options ask. */
#include "model/mjcf/mjcf.h"

pk_status pki_mjcf_add_collision_mesh(pki_mjcf *m, pk_shape_desc *shape, pk_error *err)
{
  shape->kind = m->options->collision_meshes == PK_MESH_COLLISION_HULL ? PK_SHAPE_CONVEX : PK_SHAPE_MESH;
  return pk_builder_add_shape(m->b, shape, err);
}
