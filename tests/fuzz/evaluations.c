/* Any bytes as evaluations.pronk: a file that opens, or a message; what it believes can be found, and it goes on behind that.
 * Head and checksums are made right for a second try, so that what comes after them is tried, too. */
#define _GNU_SOURCE /* memfd_create */
#include "tune/evaluations.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/crc32.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pki_tune tune = {
    .duration = -1, .parameters = {{.key = "controller.kp", .low = 1, .high = 2}}, .nparameter = 1};
static uint8_t head[PKI_EVALUATIONS_HEAD];

static void need(int holds)
{
  if (!holds) {
    abort();
  }
}

static int file_of(const uint8_t *data, size_t size, char path[64])
{
  const int fd = memfd_create("evaluations", 0);
  need(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

/* What this program writes as the head. */
static void learn_head(void)
{
  static const char text[] = "model: pendulum\nduration: 1\n";
  char path[64];
  pki_evaluations e;
  need(pki_scenario_parse("a.yaml", text, sizeof text - 1, NULL, 0, &tune.base, NULL) == PK_OK);
  const int fd = file_of(head, 0, path);
  need(pki_evaluations_open(path, &tune, false, &e, NULL) == PK_OK);
  need(pread(fd, head, sizeof head, 0) == sizeof head);
  pki_evaluations_close(&e);
  close(fd);
}

static void offer(const uint8_t *data, size_t size)
{
  char path[64];
  pki_evaluations e;
  pk_error err = {PK_OK, 0, "", "", ""};
  const int fd = file_of(data, size, path);
  const pk_status status = pki_evaluations_open(path, &tune, false, &e, &err);
  if (status == PK_OK) {
    for (int i = 0; i < e.count; i++) {
      need(pki_evaluations_find(&e, &e.runs[i].key) == &e.runs[i].record);
    }
    const pki_evaluation_key key = {.value = {1.5}, .world = 123456};
    const int before = e.count, known = pki_evaluations_find(&e, &key) != NULL;
    pki_record record;
    pki_record_begin(&record, 0);
    need(pki_evaluations_add(&e, &key, &record, &err) == PK_OK && e.count == before + !known);
    pki_evaluations_close(&e);
  } else {
    need(err.status == status && err.message[0] != '\0');
  }
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (tune.base == NULL) {
    learn_head();
  }
  offer(data, size);
  const size_t each = pki_take_bytes(head + 16, 4), inner = 8 + 8, sample = pki_record_size();
  uint8_t *copy = size >= sizeof head ? malloc(size) : NULL;
  if (copy != NULL) {
    memcpy(copy, data, size);
    memcpy(copy, head, sizeof head);
    for (size_t at = sizeof head; at + each <= size; at += each) {
      uint8_t *record = copy + at;
      pki_put_bytes(record + inner + sample - 4, pki_crc32(0, record + inner, sample - 4), 4);
      pki_put_bytes(record + each - 4, pki_crc32(0, record, each - 4), 4);
    }
    offer(copy, size);
  }
  free(copy);
  return 0;
}
