/* The layout, little endian:
 *
 *   the head of sweep/record_head.h, PRONKTUN
 *
 * then records:
 *
 *     0     4  world, from -1 on
 *     4     4  1: the scenario as it is written, 0: with the values
 *     8   8 n  values, doubles
 *              a record of a sample (sweep/store.c), its number 0
 *    -4     4  CRC-32 of the record so far
 */
#include "tune/evaluations.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "record/crc32.h"
#include "run/checkpoint.h"

enum { CRC = 4, FIRST_SLOTS = 256 };
enum { RECORD_MOST = 8 + 8 * PKI_TUNE_PARAMETERS + PKI_STORE_RECORD_MOST + CRC };
static const char magic[8] = {'P', 'R', 'O', 'N', 'K', 'T', 'U', 'N'};

/* ---- the head ---- */

static size_t run_size(int nparameter)
{
  return 8 + 8 * (size_t)nparameter + pki_record_size() + CRC;
}

/* What decides results beside the scenario and the program: keys, duration, the bound, names of metrics. */
static uint64_t hash_tune(const pki_tune *t)
{
  uint64_t hash = PKI_HASH_START;
  const double duration = t->duration >= 0 ? t->duration : t->base->duration;
  hash = pki_hash_bytes(hash, &duration, sizeof duration);
  hash = pki_hash_bytes(hash, &t->base->certify, sizeof t->base->certify);
  for (int i = 0; i < t->nparameter; i++) {
    hash = pki_hash_bytes(hash, t->parameters[i].key, strlen(t->parameters[i].key) + 1);
  }
  for (int i = 0; i < pki_metric_count; i++) {
    hash = pki_hash_bytes(hash, pki_metrics[i].name, strlen(pki_metrics[i].name) + 1);
  }
  return hash;
}

static void encode_head(const pki_tune *t, unsigned char out[PKI_EVALUATIONS_HEAD])
{
  pki_checkpoint stamp = {.version = ""};
  pki_checkpoint_stamp(&stamp);
  const pki_record_head head = {.magic = magic,
                                .each = run_size(t->nparameter),
                                .count = (uint64_t)t->nparameter,
                                .owner_hash = hash_tune(t),
                                .scenario_hash = pki_scenario_hash(t->base),
                                .model_hash = t->model_hash,
                                .version = stamp.version,
                                .isa = stamp.isa,
                                .compiler = stamp.compiler};
  pki_record_head_encode(&head, out);
}

static pk_status check_head(const unsigned char *theirs, const unsigned char *mine, const char *path,
                            pk_error *err)
{
  const pki_where where = {.file = path};
  if (memcmp(theirs, magic, sizeof magic) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "no evaluations of pronk: it does not begin with PRONKTUN");
  }
  if (!pki_record_head_is_whole(theirs)) {
    return pki_fail(
        err, PK_ERROR_SYNTAX, where,
        "its head is damaged, so it is unknown whose evaluations these are: --again starts afresh");
  }
  const char *why = pki_record_head_difference(
      theirs, mine, PKI_RECORD_HEAD_SIZES,
      "other keys: those of --vary, their order, --duration or the scenario's certify have changed");
  return why == NULL
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, where,
                        "these are evaluations of %s. Give another --output, or start afresh with --again",
                        why);
}

/* ---- records ---- */

static void encode_run(const pki_kept_run *run, int nparameter, unsigned char *out)
{
  const size_t size = run_size(nparameter);
  pki_put_bytes(out, (uint32_t)run->key.world, 4);
  pki_put_bytes(out + 4, run->key.as_written, 4);
  for (int i = 0; i < nparameter; i++) {
    pki_put_real(out + 8 + 8 * i, run->key.value[i]);
  }
  pki_record_encode(&run->record, out + 8 + 8 * nparameter);
  pki_put_bytes(out + size - CRC, pki_crc32(0, out, size - CRC), CRC);
}

static bool decode_run(const unsigned char *bytes, int nparameter, pki_kept_run *out)
{
  const size_t size = run_size(nparameter);
  *out = (pki_kept_run){.key = {.world = (int32_t)(uint32_t)pki_take_bytes(bytes, 4),
                                .as_written = pki_take_bytes(bytes + 4, 4) != 0}};
  for (int i = 0; i < nparameter; i++) {
    out->key.value[i] = pki_take_real(bytes + 8 + 8 * i);
  }
  return pki_crc32(0, bytes, size - CRC) == pki_take_bytes(bytes + size - CRC, CRC) &&
         pki_record_decode(bytes + 8 + 8 * nparameter, 1, &out->record);
}

/* ---- the table in memory ---- */

static uint64_t hash_key(const pki_evaluation_key *key)
{
  uint64_t hash = pki_hash_bytes(PKI_HASH_START, key->value, sizeof key->value);
  hash = pki_hash_bytes(hash, &key->world, sizeof key->world);
  return pki_hash_bytes(hash, &key->as_written, sizeof key->as_written);
}

bool pki_evaluation_keys_equal(const pki_evaluation_key *a, const pki_evaluation_key *b)
{
  return memcmp(a->value, b->value, sizeof a->value) == 0 && a->world == b->world &&
         a->as_written == b->as_written;
}

/* The slot of a key, or the free one where it belongs. */
static int find_slot(const pki_evaluations *e, const pki_evaluation_key *key)
{
  int at = (int)(hash_key(key) & (uint64_t)(e->slots - 1));
  while (e->slot[at] != 0 && !pki_evaluation_keys_equal(&e->runs[e->slot[at] - 1].key, key)) {
    at = (at + 1) & (e->slots - 1);
  }
  return at;
}

/* Room for one more, with at least half of the slots free. */
static bool make_room(pki_evaluations *e)
{
  if (e->runs == NULL || e->count == e->room) {
    const int room = e->room > 0 ? 2 * e->room : FIRST_SLOTS / 2;
    pki_kept_run *runs = realloc(e->runs, (size_t)room * sizeof *runs);
    if (runs == NULL) {
      return false;
    }
    e->runs = runs;
    e->room = room;
  }
  if (2 * (e->count + 1) <= e->slots) {
    return true;
  }
  const int slots = e->slots > 0 ? 2 * e->slots : FIRST_SLOTS;
  int *slot = calloc((size_t)slots, sizeof *slot);
  if (slot == NULL) {
    return false;
  }
  free(e->slot);
  e->slot = slot;
  e->slots = slots;
  for (int i = 0; i < e->count; i++) {
    slot[find_slot(e, &e->runs[i].key)] = i + 1;
  }
  return true;
}

/* False without memory. */
static bool insert_run(pki_evaluations *e, const pki_kept_run *run)
{
  if (!make_room(e)) {
    return false;
  }
  const int at = find_slot(e, &run->key);
  if (e->slot[at] == 0) {
    e->runs[e->count] = *run;
    e->slot[at] = ++e->count;
  }
  return true;
}

const pki_record *pki_evaluations_find(const pki_evaluations *evaluations, const pki_evaluation_key *key)
{
  const pki_evaluations *e = evaluations;
  if (e->runs == NULL || e->slots == 0) {
    return NULL;
  }
  const int run = e->slot[find_slot(e, key)];
  return run > 0 ? &e->runs[run - 1].record : NULL;
}

/* ---- the file ---- */

typedef struct evaluations_opening {
  pki_evaluations *evaluations;
  const unsigned char *head;
} evaluations_opening;

static pk_status fits_evaluations(void *user, const unsigned char *theirs, const char *path, pk_error *err)
{
  return check_head(theirs, ((const evaluations_opening *)user)->head, path, err);
}

static pk_status note_run(void *user, long long at, const unsigned char *bytes, pk_error *err)
{
  pki_evaluations *e = ((evaluations_opening *)user)->evaluations;
  pki_kept_run run;
  (void)at;
  if (!decode_run(bytes, e->nparameter, &run)) {
    e->damaged++;
    return PK_OK;
  }
  return insert_run(e, &run) ? PK_OK : pki_fail_memory(err, "evaluations");
}

pk_status pki_evaluations_open(const char *path, const pki_tune *tune, bool again, pki_evaluations *out,
                               pk_error *err)
{
  unsigned char head[PKI_EVALUATIONS_HEAD];
  *out = (pki_evaluations){.file = {.fd = -1}, .nparameter = tune->nparameter};
  encode_head(tune, head);
  evaluations_opening of = {out, head};
  const pki_record_opening opening = {.head = head,
                                      .head_size = sizeof head,
                                      .each = run_size(tune->nparameter),
                                      .noun = "an evaluation",
                                      .again = again,
                                      .fits = fits_evaluations,
                                      .found = note_run,
                                      .user = &of};
  const pk_status status = pki_record_file_open(path, &opening, &out->file, err);
  if (status != PK_OK) {
    pki_evaluations_close(out);
  }
  return status;
}

void pki_evaluations_close(pki_evaluations *evaluations)
{
  pki_record_file_close(&evaluations->file);
  free(evaluations->runs);
  free(evaluations->slot);
  evaluations->runs = NULL;
  evaluations->slot = NULL;
  evaluations->count = evaluations->room = evaluations->slots = 0;
}

pk_status pki_evaluations_add(pki_evaluations *evaluations, const pki_evaluation_key *key,
                              const pki_record *record, pk_error *err)
{
  unsigned char bytes[RECORD_MOST];
  pki_kept_run run = {.key = *key, .record = *record};
  run.record.index = 0;
  if (pki_evaluations_find(evaluations, key) != NULL) {
    return PK_OK;
  }
  if (!insert_run(evaluations, &run)) {
    return pki_fail_memory(err, "evaluations");
  }
  encode_run(&run, evaluations->nparameter, bytes);
  const pk_status status = pki_record_file_add(&evaluations->file, bytes, err);
  return status == PK_OK ? pki_record_file_flush(&evaluations->file, false, err) : status;
}
