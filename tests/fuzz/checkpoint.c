/* Any bytes as the file of a checkpoint: a checkpoint or a message. The checksum is made right for a second try, so that
 * what comes after it is tried, too. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/crc32.h"
#include "run/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int holds)
{
  if (!holds) {
    abort();
  }
}

static void offer(const uint8_t *data, size_t size)
{
  pki_checkpoint c;
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pki_checkpoint_parse("input", data, size, &c, &err);
  if (status == PK_OK) {
    /* every byte can be read */
    uint32_t sum = pki_crc32(0, c.sim, c.sim_size);
    sum = pki_crc32(sum, c.run, c.run_size);
    need(c.sim_size + c.run_size < size && strlen(c.version) + strlen(c.isa) + strlen(c.compiler) < 96);
    need(pki_checkpoint_fits(&c, 1, sum, &err) == PK_OK || err.message[0] != '\0');
  } else {
    need(c.sim == NULL && c.run == NULL && err.status == status && err.message[0] != '\0');
  }
  pki_checkpoint_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  offer(data, size);
  uint8_t *copy = size >= 180 ? malloc(size) : NULL;
  if (copy != NULL) {
    memcpy(copy, data, size);
    for (int i = 0; i < 8; i++) {
      copy[16 + i] = (uint8_t)((uint64_t)size >> 8 * i);
    }
    const uint32_t crc = pki_crc32(0, copy, size - 4);
    for (size_t i = 0; i < 4; i++) {
      copy[size - 4 + i] = (uint8_t)(crc >> 8 * i);
    }
    offer(copy, size);
  }
  free(copy);
  return 0;
}
