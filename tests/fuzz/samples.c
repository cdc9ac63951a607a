/* Any bytes as samples.pronk: a store that opens, or a message; what it believes can be read, and it goes on behind that.
 * Checksums are made right for a second try, so that what comes after them is tried, too. */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/crc32.h"
#include "sweep/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const pki_store_head head = {100, 1, 2, 3, "1", "base", "cc"};

static void need(int holds)
{
  if (!holds) {
    abort();
  }
}

static void offer(const uint8_t *data, size_t size)
{
  char path[64];
  pki_store s;
  pk_error err = {PK_OK, 0, "", "", ""};
  const int fd = memfd_create("samples", 0);
  need(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const pk_status status = pki_store_open(path, &head, false, &s, &err);
  if (status == PK_OK) {
    long long found = 0, missing = -1;
    for (long long i = 0; i < s.samples; i++) {
      pki_record r;
      const bool there = pki_store_get(&s, i, &r);
      need(there == (s.slot[i] != 0));
      found += there;
      missing = there ? missing : i;
    }
    need(found == s.finished && s.finished <= s.file.records);
    const pki_record more = {.index = missing};
    need(missing < 0 || (pki_store_add(&s, &more, &err) == PK_OK && s.finished == found + 1));
    pki_store_close(&s);
  } else {
    need(err.status == status && err.message[0] != '\0');
  }
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const size_t each = pki_record_size();
  offer(data, size);
  uint8_t *copy = size >= PKI_STORE_HEAD ? malloc(size) : NULL;
  if (copy != NULL) {
    memcpy(copy, data, size);
    pki_store_head_encode(&head, copy);
    for (size_t at = PKI_STORE_HEAD; at + each <= size; at += each) {
      pki_put_bytes(copy + at + each - 4, pki_crc32(0, copy + at, each - 4), 4);
    }
    offer(copy, size);
  }
  free(copy);
  return 0;
}
