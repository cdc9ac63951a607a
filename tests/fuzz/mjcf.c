/* Any bytes as MJCF. */
#include "robot_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return try_robot(pk_builder_add_mjcf_memory, "fuzz.xml", data, size);
}
