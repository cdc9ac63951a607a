/* The key `size` of entries with a shape: one number, or a list of as many as the shape has. */
#include "model/builder.h"
#include "scenario/scenario.h"

static const char *const sizes[PK_SHAPE_KIND_COUNT] = {
    [PK_SHAPE_SPHERE] = "its radius",
    [PK_SHAPE_BOX] = "its lengths along x, y, z",
    [PK_SHAPE_CYLINDER] = "its radius and its length",
    [PK_SHAPE_CAPSULE] = "its radius and the length of its straight part",
    [PK_SHAPE_ELLIPSOID] = "its half axes",
    [PK_SHAPE_CONE] = "the radius of its base and its height",
};

pk_status pki_read_size(const pki_node *entry, pk_shape_kind shape, double size[3], pk_error *err)
{
  const pki_node *given = pki_node_find(entry, "size");
  const int count = pki_shape_sizes(shape);
  if (given == NULL) {
    return pki_node_fail(entry, err, PK_ERROR_ARGUMENT, "the key \"size\" is missing: %s, m", sizes[shape]);
  }
  const int found = given->kind == PKI_NODE_LIST ? given->count : 1;
  if (found != count || given->kind == PKI_NODE_MAP) {
    return pki_node_fail(given, err, PK_ERROR_ARGUMENT, "size has %d number%s, expected %d: %s, m", found,
                         found == 1 ? "" : "s", count, sizes[shape]);
  }
  const pki_node *n = given->kind == PKI_NODE_LIST ? given->first : given;
  for (int k = 0; k < count; k++, n = n->next) {
    const pk_status status = pki_read_real(n, &size[k], err);
    const bool may_be_zero = shape == PK_SHAPE_CAPSULE && k == 1;
    if (status != PK_OK) {
      return status;
    }
    if (!(size[k] >= 1e-6 && size[k] <= 1e6) && !(may_be_zero && size[k] == 0)) {
      return pki_node_fail(n, err, PK_ERROR_ARGUMENT, "size is %g m, expected 1e-06 to 1e+06", size[k]);
    }
  }
  return PK_OK;
}
