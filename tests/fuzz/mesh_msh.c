#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try_mesh("msh", data, size);
  return 0;
}
