/* Heights in text and raw numbers: the first byte says which, and how many. */
#include "heights_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) {
    return 0;
  }
  pk_heights_options o = pk_heights_options_default();
  o.cell = 0.1;
  o.format = (pk_heights_format)(PK_HEIGHTS_TEXT + data[0] % 3);
  if (o.format != PK_HEIGHTS_TEXT) {
    o.nx = 2 + data[0] / 3 % 8, o.ny = 2 + data[0] / 24;
  }
  try_heights(&o, data + 1, size - 1);
  return 0;
}
