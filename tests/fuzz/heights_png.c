/* Height pictures: any bytes, and the same with the sums of their chunks mended, so that what is behind them is met. */
#include "heights_target.h"

#include <string.h>

#include "record/crc32.h"

static uint32_t word(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void mend(uint8_t *data, size_t size)
{
  for (size_t at = 8; at + 12 <= size;) {
    const size_t length = word(data + at);
    if (length > size - at - 12) {
      return;
    }
    const uint32_t crc = pki_crc32(0, data + at + 4, length + 4);
    for (int k = 0; k < 4; k++) {
      data[at + 8 + length + (size_t)k] = (uint8_t)(crc >> (24 - 8 * k));
    }
    at += length + 12;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pk_heights_options o = pk_heights_options_default();
  o.cell = 0.1, o.format = PK_HEIGHTS_PNG;
  try_heights(&o, data, size);
  uint8_t *copy = malloc(size + 1);
  memcpy(copy, data, size);
  mend(copy, size);
  try_heights(&o, copy, size);
  free(copy);
  return 0;
}
