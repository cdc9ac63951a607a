/* Going on with a file: what stands in it is checked, record by record, and shown to the writer as if it had just been
 * written. */
#include <string.h>

#include "record/crc32.h"
#include "record/mcap_read.h"
#include "record/mcap_write.h"

static pk_status report_damaged_file(const pki_mcap_writer *w, uint64_t position, const char *path,
                                     pk_error *err)
{
  return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = path},
                  "is damaged at byte %llu, in the part that is kept (the checkpoint resumes at byte %llu): "
                  "start the run "
                  "again from its beginning; `pronk export --format mcap` makes a copy of what is sound",
                  (unsigned long long)w->offset, (unsigned long long)position);
}

/* The record at the writer's offset. */
static pk_status take_up_next(pki_mcap_writer *w, pki_mcap_file *file, uint64_t position, const char *path,
                              pk_error *err)
{
  int op;
  pki_view bytes;
  uint64_t length;
  if (!pki_mcap_fetch_record(file, w->offset, &op, &bytes, &length)) {
    const pk_status status = pki_mcap_fetch_status(file, path, err);
    return status != PK_OK ? status : report_damaged_file(w, position, path, err);
  }
  switch (pki_mcap_take_up(w, w->offset, length, op, bytes)) {
  case PK_OK:
    w->crc = pki_crc32(w->crc, (const char *)bytes.data - PKI_MCAP_HEAD, (size_t)length);
    w->offset += length;
    return PK_OK;
  case PK_ERROR_MEMORY:
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = path}, "not enough memory for the recording");
  case PK_ERROR_UNSUPPORTED:
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = path},
                    "the chunk at byte %llu is compressed in a way that this pronk was built without",
                    (unsigned long long)w->offset);
  default: return report_damaged_file(w, position, path, err);
  }
}

pk_status pki_mcap_resume(pki_mcap_writer *w, int fd, uint64_t position, const char *path, pk_error *err)
{
  /* only what stands is seen, so that no record reaches beyond it */
  pki_mcap_file file = {.fd = fd, .size = position};
  const void *magic = pki_mcap_fetch(&file, 0, PKI_MCAP_MAGIC_SIZE);
  pk_status status = pki_mcap_fetch_status(&file, path, err);
  if (status == PK_OK && (magic == NULL || memcmp(magic, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE) != 0)) {
    status = pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = path},
                      "is not an MCAP file, so it cannot be resumed");
  }
  if (status == PK_OK) {
    w->crc = pki_crc32(0, magic, PKI_MCAP_MAGIC_SIZE);
    w->offset = PKI_MCAP_MAGIC_SIZE;
  }
  while (status == PK_OK && w->offset < position) {
    status = take_up_next(w, &file, position, path, err);
  }
  pki_text_free(&file.window);
  return status;
}
