#define _POSIX_C_SOURCE 200809L
#include "record/mcap_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 18 }; /* bytes that are fetched at once, at least */

const void *pki_mcap_fetch(pki_mcap_file *file, uint64_t offset, uint64_t size)
{
  file->why = 0;
  if (offset > file->size || size > file->size - offset) {
    return NULL;
  }
  if (offset < file->start || offset + size > file->start + file->window.size) {
    const uint64_t left = file->size - offset;
    const size_t want = (size_t)(size > WINDOW ? size : left < WINDOW ? left : WINDOW);
    file->window.size = 0;
    file->start = offset;
    if (!pki_text_reserve(&file->window, want)) {
      file->why = ENOMEM;
      return NULL;
    }
    while (file->window.size < want) {
      const ssize_t got = pread(file->fd, file->window.data + file->window.size, want - file->window.size,
                                (off_t)(offset + file->window.size));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        file->why = got < 0 ? errno : 0; /* the disk fails, or it shrank */
        break;
      }
      file->window.size += (size_t)got;
    }
    if (file->window.size < size) {
      return NULL;
    }
  }
  return file->window.data + (offset - file->start);
}

pk_status pki_mcap_fetch_status(const pki_mcap_file *file, const char *path, pk_error *err)
{
  const pki_where where = {.file = path};
  switch (file->why) {
  case 0: return PK_OK;
  case ENOMEM: return pki_fail(err, PK_ERROR_MEMORY, where, "not enough memory to read this recording");
  default: return pki_fail(err, PK_ERROR_FILE, where, "cannot be read: %s", strerror(file->why));
  }
}

bool pki_mcap_fetch_head(pki_mcap_file *file, uint64_t offset, int *op, uint64_t *length)
{
  const uint8_t *head = pki_mcap_fetch(file, offset, PKI_MCAP_HEAD);
  if (head == NULL) {
    return false;
  }
  const uint64_t size = pki_get_le(head + 1, 8);
  *op = head[0];
  *length = size + PKI_MCAP_HEAD;
  return *op != 0 && size <= file->size - offset - PKI_MCAP_HEAD;
}

bool pki_mcap_fetch_record(pki_mcap_file *file, uint64_t offset, int *op, pki_view *bytes, uint64_t *length)
{
  if (!pki_mcap_fetch_head(file, offset, op, length) || *length > PKI_MCAP_RECORD_MOST) {
    return false;
  }
  const char *raw = pki_mcap_fetch(file, offset, *length);
  *bytes = (pki_view){raw == NULL ? NULL : raw + PKI_MCAP_HEAD, (size_t)*length - PKI_MCAP_HEAD};
  return raw != NULL;
}

bool pki_mcap_fetch_footer(pki_mcap_file *file, pki_mcap_footer *footer)
{
  enum { TAIL = PKI_MCAP_FOOTER_SIZE + PKI_MCAP_MAGIC_SIZE };
  if (file->size < 2 * PKI_MCAP_MAGIC_SIZE + PKI_MCAP_FOOTER_SIZE) {
    return false;
  }
  const uint64_t place = file->size - TAIL;
  const uint8_t *tail = pki_mcap_fetch(file, place, TAIL);
  if (tail == NULL || tail[0] != PKI_MCAP_FOOTER ||
      pki_get_le(tail + 1, 8) != PKI_MCAP_FOOTER_SIZE - PKI_MCAP_HEAD ||
      memcmp(tail + PKI_MCAP_FOOTER_SIZE, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE) != 0) {
    return false;
  }
  const pki_view bytes = {tail + PKI_MCAP_HEAD, PKI_MCAP_FOOTER_SIZE - PKI_MCAP_HEAD};
  return pki_mcap_decode(PKI_MCAP_FOOTER, bytes, footer) && footer->summary_start <= place &&
         footer->summary_offset_start <= place;
}
