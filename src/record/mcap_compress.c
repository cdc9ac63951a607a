/* The codecs of chunks: zstd and lz4 (as frames), each where it was built in. */
#include <string.h>

#include "pronk/record.h"
#include "record/crc32.h"
#include "record/mcap.h"

#ifdef PKI_HAVE_LZ4
#include <lz4frame.h>
#endif
#ifdef PKI_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

const char *const pki_mcap_compressions[] = {"", "lz4", "zstd"};

bool pki_mcap_can_compress(int compression)
{
#ifdef PKI_HAVE_LZ4
  if (compression == PK_RECORDING_COMPRESSION_LZ4) {
    return true;
  }
#endif
#ifdef PKI_HAVE_ZSTD
  if (compression == PK_RECORDING_COMPRESSION_ZSTD) {
    return true;
  }
#endif
  return compression == PK_RECORDING_COMPRESSION_NONE;
}

#ifdef PKI_HAVE_LZ4

static bool compress_lz4(pki_view in, pki_text *out)
{
  const LZ4F_preferences_t how = {.frameInfo = {.contentSize = in.size}};
  const size_t most = LZ4F_compressFrameBound(in.size, &how);
  if (!pki_text_reserve(out, most)) {
    return false;
  }
  const size_t size = LZ4F_compressFrame(out->data + out->size, most, in.data, in.size, &how);
  if (LZ4F_isError(size)) {
    return false;
  }
  out->size += size;
  return true;
}

/* Exactly `size` bytes from the frames of `in`. */
static pk_status expand_lz4(pki_view in, char *out, size_t size)
{
  LZ4F_dctx *context = NULL;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
    return PK_ERROR_MEMORY;
  }
  const char *from = in.data;
  size_t left = in.size, done = 0, hint = 1;
  bool memory = true;
  while (left > 0) {
    size_t got = size - done, used = left;
    hint = LZ4F_decompress(context, out + done, &got, from, &used, NULL);
    if (LZ4F_isError(hint) || (used == 0 && got == 0)) {
      memory = !LZ4F_isError(hint) || strcmp(LZ4F_getErrorName(hint), "ERROR_allocation_failed") != 0;
      hint = 1;
      break;
    }
    done += got;
    from += used;
    left -= used;
  }
  LZ4F_freeDecompressionContext(context);
  return hint == 0 && left == 0 && done == size ? PK_OK : memory ? PK_ERROR_SYNTAX : PK_ERROR_MEMORY;
}

#endif

#ifdef PKI_HAVE_ZSTD

enum { LEVEL = 1 };

static bool compress_zstd(void **state, pki_view in, pki_text *out)
{
  if (*state == NULL) {
    *state = ZSTD_createCCtx();
  }
  const size_t most = ZSTD_compressBound(in.size);
  if (*state == NULL || !pki_text_reserve(out, most)) {
    return false;
  }
  const size_t size = ZSTD_compressCCtx(*state, out->data + out->size, most, in.data, in.size, LEVEL);
  if (ZSTD_isError(size)) {
    return false;
  }
  out->size += size;
  return true;
}

#endif

bool pki_mcap_compress(int compression, void **state, pki_view in, pki_text *out)
{
  (void)state;
#ifdef PKI_HAVE_LZ4
  if (compression == PK_RECORDING_COMPRESSION_LZ4) {
    return compress_lz4(in, out);
  }
#endif
#ifdef PKI_HAVE_ZSTD
  if (compression == PK_RECORDING_COMPRESSION_ZSTD) {
    return compress_zstd(state, in, out);
  }
#endif
  if (compression == PK_RECORDING_COMPRESSION_NONE) {
    pki_text_add_bytes(out, in.data, in.size);
  }
  return compression == PK_RECORDING_COMPRESSION_NONE && !out->failed;
}

void pki_mcap_compress_free(void **state)
{
#ifdef PKI_HAVE_ZSTD
  ZSTD_freeCCtx(*state);
#endif
  *state = NULL;
}

#ifdef PKI_HAVE_ZSTD

static pk_status expand_zstd(pki_view in, char *out, size_t size)
{
  const size_t got = ZSTD_decompress(out, size, in.data, in.size);
  return got == size                                              ? PK_OK
         : ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? PK_ERROR_MEMORY
                                                                  : PK_ERROR_SYNTAX;
}

#endif

/* What is inside, when it has exactly `size` bytes. */
static pk_status expand_chunk(const pki_mcap_chunk *chunk, char *out, size_t size)
{
  (void)chunk, (void)out, (void)size;
#ifdef PKI_HAVE_LZ4
  if (pki_view_equals(chunk->compression, "lz4")) {
    return expand_lz4(chunk->records, out, size);
  }
#endif
#ifdef PKI_HAVE_ZSTD
  if (pki_view_equals(chunk->compression, "zstd")) {
    return expand_zstd(chunk->records, out, size);
  }
#endif
  return PK_ERROR_UNSUPPORTED;
}

pk_status pki_mcap_expand(const pki_mcap_chunk *chunk, pki_text *out, pki_view *records)
{
  const uint64_t size = chunk->uncompressed_size;
  if (chunk->compression.size == 0) {
    *records = chunk->records;
    if (chunk->records.size != size) {
      return PK_ERROR_SYNTAX;
    }
  } else {
    if (size > PKI_MCAP_RECORD_MOST) {
      return PK_ERROR_LIMIT;
    }
    out->size = 0;
    if (!pki_text_reserve(out, (size_t)size)) {
      return PK_ERROR_MEMORY;
    }
    const pk_status status = expand_chunk(chunk, out->data, (size_t)size);
    if (status != PK_OK) {
      return status;
    }
    out->size = (size_t)size;
    *records = (pki_view){out->data, out->size};
  }
  const bool sound =
      chunk->uncompressed_crc == 0 || pki_crc32(0, records->data, records->size) == chunk->uncompressed_crc;
  return sound ? PK_OK : PK_ERROR_SYNTAX;
}
