/* The layout, little endian:
 *
 *   the head of sweep/record_head.h, PRONKSWP
 *
 * then records:
 *
 *     0     8  sample
 *     8     4  outcome
 *    12     4  0
 *    16     8  s of computing, a double
 *    24   8 n  metrics, doubles
 *          160 message
 *    -4     4  CRC-32 of the record so far
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "sweep/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record/crc32.h"
#include "run/checkpoint.h"

enum { CRC = 4 };
static const char magic[8] = {'P', 'R', 'O', 'N', 'K', 'S', 'W', 'P'};

const char *const pki_outcome_words[] = {"ran", "refused", "failed"};

/* ---- heads ---- */

void pki_store_head_of(const pki_sweep *sweep, pki_store_head *out)
{
  pki_checkpoint stamp = {.version = ""};
  pki_checkpoint_stamp(&stamp);
  *out = (pki_store_head){.samples = (uint64_t)sweep->count,
                          .sweep_hash = pki_sweep_hash(sweep),
                          .scenario_hash = pki_scenario_hash(sweep->base),
                          .model_hash = sweep->model_hash};
  memcpy(out->version, stamp.version, sizeof out->version);
  memcpy(out->isa, stamp.isa, sizeof out->isa);
  memcpy(out->compiler, stamp.compiler, sizeof out->compiler);
}

void pki_store_head_encode(const pki_store_head *head, unsigned char out[PKI_STORE_HEAD])
{
  const pki_record_head encoded = {.magic = magic,
                                   .each = pki_record_size(),
                                   .count = head->samples,
                                   .owner_hash = head->sweep_hash,
                                   .scenario_hash = head->scenario_hash,
                                   .model_hash = head->model_hash,
                                   .version = head->version,
                                   .isa = head->isa,
                                   .compiler = head->compiler};
  pki_record_head_encode(&encoded, out);
}

pk_status pki_store_head_fits(const unsigned char theirs[PKI_STORE_HEAD], const pki_store_head *mine,
                              const char *whose, const char *hint, pk_error *err)
{
  const pki_where where = {.file = whose};
  unsigned char own[PKI_STORE_HEAD];
  if (memcmp(theirs, magic, sizeof magic) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "no samples of pronk: it does not begin with PRONKSWP");
  }
  if (!pki_record_head_is_whole(theirs)) {
    return pki_fail(err, PK_ERROR_SYNTAX, where,
                    "its head is damaged, so it is unknown whose samples these are: --again starts afresh");
  }
  pki_store_head_encode(mine, own);
  const char *why = pki_record_head_difference(theirs, own, PKI_RECORD_HEAD_COUNT,
                                               "another sweep: its file, a file that it names, the "
                                               "scenario's duration or certify, or --set has changed");
  return why == NULL ? PK_OK
                     : pki_fail(err, PK_ERROR_ARGUMENT, where,
                                "these are samples of %s. Samples of two kinds are not mixed: %s", why, hint);
}

/* ---- records ---- */

void pki_record_begin(pki_record *record, long long index)
{
  *record = (pki_record){.index = index};
  for (int i = 0; i < pki_metric_count; i++) {
    record->metric[i] = NAN;
  }
}

void pki_record_fill(pki_record *record, const pki_run_result *result)
{
  record->wall = result->wall;
  for (int i = 0; i < pki_metric_count; i++) {
    const double value = pki_metrics[i].of(result);
    record->metric[i] = isnan(value) ? NAN : value; /* one NAN: of one sign, of one content */
  }
  if (result->stopped[0] != '\0') {
    record->outcome = PKI_OUTCOME_FAILED;
    pki_copy_cut(record->message, sizeof record->message, result->stopped);
  }
}

void pki_record_refuse(pki_record *record, const pk_error *why)
{
  char line[sizeof why->message + 320];
  pki_error_line(why, line, sizeof line);
  record->outcome = PKI_OUTCOME_REFUSED;
  pki_copy_cut(record->message, sizeof record->message, line);
}

size_t pki_record_size(void)
{
  return 24 + 8 * (size_t)pki_metric_count + PKI_STORE_MESSAGE + CRC;
}

void pki_record_encode(const pki_record *record, unsigned char *out)
{
  const size_t size = pki_record_size();
  memset(out, 0, size);
  pki_put_bytes(out, (uint64_t)record->index, 8);
  pki_put_bytes(out + 8, (uint64_t)record->outcome, 4);
  pki_put_real(out + 16, record->wall);
  for (int i = 0; i < pki_metric_count; i++) {
    pki_put_real(out + 24 + 8 * i, record->metric[i]);
  }
  memcpy(out + size - CRC - PKI_STORE_MESSAGE, record->message,
         strnlen(record->message, PKI_STORE_MESSAGE - 1));
  pki_put_bytes(out + size - CRC, pki_crc32(0, out, size - CRC), CRC);
}

bool pki_record_decode(const unsigned char *bytes, long long samples, pki_record *out)
{
  const size_t size = pki_record_size();
  *out = (pki_record){0};
  const uint64_t index = pki_take_bytes(bytes, 8), outcome = pki_take_bytes(bytes + 8, 4);
  if (pki_crc32(0, bytes, size - CRC) != pki_take_bytes(bytes + size - CRC, CRC) ||
      index >= (uint64_t)samples || outcome >= PKI_OUTCOME_COUNT || bytes[size - CRC - 1] != '\0') {
    return false;
  }
  out->index = (long long)index;
  out->outcome = (pki_outcome)outcome;
  out->wall = pki_take_real(bytes + 16);
  for (int i = 0; i < pki_metric_count; i++) {
    out->metric[i] = pki_take_real(bytes + 24 + 8 * i);
  }
  memcpy(out->message, bytes + size - CRC - PKI_STORE_MESSAGE, PKI_STORE_MESSAGE);
  return true;
}

bool pki_record_equal(const pki_record *a, const pki_record *b)
{
  return a->index == b->index && a->outcome == b->outcome &&
         memcmp(a->metric, b->metric, (size_t)pki_metric_count * sizeof *a->metric) == 0 &&
         strcmp(a->message, b->message) == 0;
}

/* ---- the file ---- */

/* The store and the head that it is opened with. */
typedef struct store_opening {
  pki_store *store;
  const pki_store_head *head;
} store_opening;

static pk_status check_store_head(void *user, const unsigned char *theirs, const char *path, pk_error *err)
{
  const store_opening *o = user;
  return pki_store_head_fits(theirs, o->head, path, "give another --output, or start afresh with --again",
                             err);
}

/* Which sample it is of. */
static pk_status note_record(void *user, long long at, const unsigned char *bytes, pk_error *err)
{
  pki_store *s = ((store_opening *)user)->store;
  pki_record record;
  (void)err;
  if (!pki_record_decode(bytes, s->samples, &record)) {
    s->damaged++;
  } else if (s->slot[record.index] == 0) {
    s->slot[record.index] = (int32_t)(at + 1);
    s->finished++;
    s->fell += record.metric[0] > 0;
  }
  return PK_OK;
}

pk_status pki_store_open(const char *path, const pki_store_head *head, bool again, pki_store *out,
                         pk_error *err)
{
  unsigned char bytes[PKI_STORE_HEAD];
  *out = (pki_store){.file = {.fd = -1}, .samples = (long long)head->samples};
  out->slot = calloc((size_t)out->samples + 1, sizeof *out->slot);
  if (out->slot == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for %lld samples", out->samples);
  }
  pki_store_head_encode(head, bytes);
  store_opening of = {out, head};
  const pki_record_opening opening = {.head = bytes,
                                      .head_size = sizeof bytes,
                                      .each = pki_record_size(),
                                      .noun = "a sample",
                                      .again = again,
                                      .fits = check_store_head,
                                      .found = note_record,
                                      .user = &of};
  const pk_status status = pki_record_file_open(path, &opening, &out->file, err);
  if (status != PK_OK) {
    pki_store_close(out);
  }
  return status;
}

void pki_store_close(pki_store *store)
{
  pki_record_file_close(&store->file);
  free(store->slot);
  store->slot = NULL;
}

pk_status pki_store_add(pki_store *store, const pki_record *record, pk_error *err)
{
  unsigned char bytes[PKI_STORE_RECORD_MOST];
  if (store->slot[record->index] != 0) {
    return PK_OK;
  }
  pki_record_encode(record, bytes);
  const pk_status status = pki_record_file_add(&store->file, bytes, err);
  if (status == PK_OK) {
    store->slot[record->index] = (int32_t)store->file.records;
    store->finished++;
    store->fell += record->metric[0] > 0;
  }
  return status;
}

pk_status pki_store_flush(pki_store *store, bool now, pk_error *err)
{
  return pki_record_file_flush(&store->file, now, err);
}

bool pki_store_get(const pki_store *store, long long index, pki_record *out)
{
  unsigned char bytes[PKI_STORE_RECORD_MOST];
  const int32_t slot = index >= 0 && index < store->samples ? store->slot[index] : 0;
  return slot > 0 && pki_record_file_get(&store->file, slot - 1, bytes) &&
         pki_record_decode(bytes, store->samples, out) && out->index == index;
}
