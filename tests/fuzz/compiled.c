/* Any bytes as a compiled model: read, compile, write again, destroy. The head is made right for a second try, so that what
 * comes after the checksum is tried, too. What was read must read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "model/convert/compiled.h"
#include "pronk/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int holds)
{
  if (!holds) {
    abort();
  }
}

/* What a builder holds is written, and can be read. */
static void write_again(const pk_builder *b)
{
  pki_text bytes = {0};
  pk_builder *again = NULL;
  pk_error err;
  pki_compiled_encode(b, 0, &bytes);
  need(!bytes.failed && pk_builder_create(&again, &err) == PK_OK);
  need(pk_builder_add_compiled_memory(again, bytes.data, bytes.size, "again", NULL, &err) == PK_OK);
  pk_builder_destroy(again);
  pki_text_free(&bytes);
}

static void offer(const uint8_t *data, size_t size)
{
  pk_builder *b;
  pk_error err = {0};
  if (pk_builder_create(&b, &err) != PK_OK) {
    return;
  }
  if (pk_builder_add_compiled_memory(b, data, size, "fuzz.pkm", NULL, &err) == PK_OK) {
    pk_model *model = NULL;
    pk_builder_compile(b, &model, &err);
    pk_model_destroy(model);
    write_again(b);
  } else {
    need(err.message[0] != '\0' && b->nrobot == 0 && b->nlink == 0 && b->nmesh == 0);
  }
  pk_builder_destroy(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  offer(data, size);
  uint8_t *copy = size >= PKI_COMPILED_HEAD ? malloc(size) : NULL;
  if (copy != NULL) {
    char digest[65];
    memcpy(copy, data, size);
    memcpy(copy, PKI_COMPILED_MAGIC, 8);
    pki_put_bytes(copy + 8, PKI_COMPILED_VERSION, 4);
    pki_put_bytes(copy + 12, PKI_COMPILED_ORDER, 4);
    pki_put_bytes(copy + 24, size - PKI_COMPILED_HEAD, 8);
    pki_sha256_hex(copy + PKI_COMPILED_HEAD, size - PKI_COMPILED_HEAD, digest);
    memcpy(copy + 32, digest, 64);
    offer(copy, size);
    free(copy);
  }
  return 0;
}
