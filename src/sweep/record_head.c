#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "sweep/record_head.h"

#include <string.h>

#include "base/bytes.h"
#include "record/crc32.h"
#include "sweep/metrics.h"

enum { FORMAT = 1, FORMAT_AT = 8, SCENARIO_AT = 40, CRC_AT = 152 };

/* A text of at most size - 1 bytes; the rest stays zero. */
static void put_text(unsigned char *at, const char *text, size_t size)
{
  memcpy(at, text, strnlen(text, size - 1));
}

void pki_record_head_encode(const pki_record_head *head, unsigned char out[PKI_RECORD_HEAD])
{
  memset(out, 0, PKI_RECORD_HEAD);
  memcpy(out, head->magic, 8);
  pki_put_bytes(out + FORMAT_AT, FORMAT, 4);
  pki_put_bytes(out + 12, PKI_RECORD_HEAD, 4);
  pki_put_bytes(out + PKI_RECORD_HEAD_SIZES, head->each, 4);
  pki_put_bytes(out + 20, (uint64_t)pki_metric_count, 4);
  pki_put_bytes(out + PKI_RECORD_HEAD_COUNT, head->count, 8);
  pki_put_bytes(out + 32, head->owner_hash, 8);
  pki_put_bytes(out + SCENARIO_AT, head->scenario_hash, 8);
  pki_put_bytes(out + 48, head->model_hash, 8);
  put_text(out + 56, head->version, 32);
  put_text(out + 88, head->isa, 16);
  put_text(out + 104, head->compiler, 48);
  pki_put_bytes(out + CRC_AT, pki_crc32(0, out, CRC_AT), 4);
}

bool pki_record_head_is_whole(const unsigned char head[PKI_RECORD_HEAD])
{
  return pki_crc32(0, head, CRC_AT) == pki_take_bytes(head + CRC_AT, 4);
}

const char *pki_record_head_difference(const unsigned char theirs[PKI_RECORD_HEAD],
                                       const unsigned char mine[PKI_RECORD_HEAD], int own, const char *owner)
{
  const struct {
    int from, size;
    const char *what;
  } parts[] = {
      {FORMAT_AT, own - FORMAT_AT, "another format: they were written by another version of pronk"},
      {56, 32, "another version of pronk"},
      {104, 48, "a program built with another compiler"},
      {88, 16, "another instruction set: PRONK_ISA chooses one for all"},
      {48, 8, "another model: a model file has changed"},
      {SCENARIO_AT, 8, "another scenario: its file, a file that it names, or --set has changed"},
      {own, SCENARIO_AT - own, owner},
  };
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (memcmp(theirs + parts[i].from, mine + parts[i].from, (size_t)parts[i].size) != 0) {
      return parts[i].what;
    }
  }
  return NULL;
}
