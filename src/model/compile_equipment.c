/* Shapes, sites, actuators, sensors, keyframes and pairs of a model: names become indices. */
#include "model/compile.h"

/* Planes and height fields have no bounds or no underside: only what stands still has them. */
void pki_check_ground_shapes(pki_draft *d)
{
  for (int s = 0; s < d->b->nshape; s++) {
    const pki_shape *shape = &d->b->shapes[s];
    const pk_shape_kind kind = shape->desc.kind;
    if ((kind == PK_SHAPE_PLANE || kind == PK_SHAPE_HEIGHTS) && d->link_body[d->shape_link[s]] >= 0) {
      pki_builder_error(
          d->b, PK_ERROR_MODEL,
          (pki_where){.file = d->b->robots[shape->robot].desc.file,
                      .line = shape->desc.line,
                      .field = shape->desc.link},
          "link \"%s\" moves and has a shape of kind %s, which only the ground and links fixed in "
          "the world can have",
          shape->desc.link, pk_shape_kind_name(kind));
    }
  }
}
