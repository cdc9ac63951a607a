/* Any bytes as a URDF: read, compile, destroy. No mesh is opened. */
#include <stddef.h>
#include <stdint.h>

#include "pronk/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pk_urdf_options options = pk_urdf_options_default();
  options.load_meshes = false;
  pk_builder *b = pk_builder_create();
  if (b == NULL) {
    return 0;
  }
  pk_error err;
  if (pk_builder_add_urdf_memory(b, (const char *)data, size, "fuzz.urdf", &options, &err) == PK_OK) {
    pk_model *model = NULL;
    if (pk_builder_compile(b, &model, &err) == PK_OK) {
      pk_model_destroy(model);
    }
  }
  pk_builder_destroy(b);
  return 0;
}
