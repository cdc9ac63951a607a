/* Any bytes as a URDF. */
#include "robot_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return try_robot(pk_builder_add_urdf_memory, "fuzz.urdf", data, size);
}
