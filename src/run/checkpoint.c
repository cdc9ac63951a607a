/* The layout, little endian:
 *
 *   at   size
 *     0     8  PRONKCKP
 *     8     4  format, 1
 *    12     4  code
 *    16     8  size of the file
 *    24    32  version      texts end with a zero and are filled up with zeros
 *    56    16  isa
 *    72    48  compiler
 *   120     8  model_hash
 *   128     8  scenario_hash
 *   136     8  steps
 *   144     8  time, a double
 *   152     8  position
 *   160     8  sim_size
 *   168     8  run_size
 *   176        the bytes of the world, then those of the run
 *    -4     4  CRC-32 of all before
 */
#define _POSIX_C_SOURCE 200809L
#include "run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build.h"
#include "base/bytes.h"
#include "base/draft.h"
#include "base/file.h"
#include "pronk/dynamics.h"
#include "record/crc32.h"

enum { FORMAT = 1, HEAD = 176, TAIL = 4 };
static const char magic[8] = {'P', 'R', 'O', 'N', 'K', 'C', 'K', 'P'};
static const size_t most_bytes = (size_t)1 << 30;

/* ---- texts ---- */

static void put_text(unsigned char *at, const char *text, size_t room)
{
  const size_t size = strlen(text);
  memcpy(at, text, size < room ? size : room - 1);
}

/* ---- this program ---- */

void pki_checkpoint_stamp(pki_checkpoint *c)
{
  snprintf(c->version, sizeof c->version, "%s", pk_version());
  snprintf(c->isa, sizeof c->isa, "%s", pk_isa_name());
  snprintf(c->compiler, sizeof c->compiler, "%s", pki_build_compiler());
}

pk_status pki_checkpoint_fits(const pki_checkpoint *c, unsigned long long model_hash, uint64_t scenario_hash,
                              pk_error *err)
{
  const pki_where where = {.field = "checkpoint"};
  pki_checkpoint mine = {.version = ""};
  pki_checkpoint_stamp(&mine);
  if (strcmp(c->version, mine.version) != 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the checkpoint was written by pronk %s, this is pronk %s: resume with that version, or run "
        "the scenario from the start",
        c->version, mine.version);
  }
  if (strcmp(c->compiler, mine.compiler) != 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the checkpoint was written by a program built with %s, this one was built with %s: resume with "
        "that program, or run the scenario from the start",
        c->compiler, mine.compiler);
  }
  if (strcmp(c->isa, mine.isa) != 0) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the checkpoint was written with the instruction set %s, this run uses %s: set PRONK_ISA=%s, or "
        "run the scenario from the start",
        c->isa, mine.isa, c->isa);
  }
  if (c->model_hash != model_hash) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the checkpoint is of another model: its hash is %016llx, expected %016llx. A model file has "
        "changed since: put the old one back, or run the scenario from the start",
        (unsigned long long)c->model_hash, model_hash);
  }
  if (c->scenario_hash != scenario_hash) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, where,
        "the checkpoint is of another scenario: its hash is %016llx, expected %016llx. Go on with the "
        "same file and the same --set, or run the scenario from the start",
        (unsigned long long)c->scenario_hash, (unsigned long long)scenario_hash);
  }
  return PK_OK;
}

/* ---- out ---- */

static void make_head(const pki_checkpoint *c, unsigned char head[HEAD])
{
  memset(head, 0, HEAD);
  memcpy(head, magic, sizeof magic);
  pki_put_bytes(head + 8, FORMAT, 4);
  pki_put_bytes(head + 12, c->code, 4);
  pki_put_bytes(head + 16, (uint64_t)HEAD + c->sim_size + c->run_size + TAIL, 8);
  put_text(head + 24, c->version, sizeof c->version);
  put_text(head + 56, c->isa, sizeof c->isa);
  put_text(head + 72, c->compiler, sizeof c->compiler);
  pki_put_bytes(head + 120, c->model_hash, 8);
  pki_put_bytes(head + 128, c->scenario_hash, 8);
  pki_put_bytes(head + 136, c->steps, 8);
  pki_put_real(head + 144, c->time);
  pki_put_bytes(head + 152, c->position, 8);
  pki_put_bytes(head + 160, c->sim_size, 8);
  pki_put_bytes(head + 168, c->run_size, 8);
}

static bool write_checkpoint(int fd, const pki_checkpoint *c)
{
  unsigned char head[HEAD], tail[TAIL];
  make_head(c, head);
  uint32_t crc = pki_crc32(0, head, HEAD);
  crc = c->sim_size > 0 ? pki_crc32(crc, c->sim, c->sim_size) : crc;
  crc = c->run_size > 0 ? pki_crc32(crc, c->run, c->run_size) : crc;
  pki_put_bytes(tail, crc, TAIL);
  return pki_write_all(fd, head, HEAD) && pki_write_all(fd, c->sim, c->sim_size) &&
         pki_write_all(fd, c->run, c->run_size) && pki_write_all(fd, tail, TAIL) && fsync(fd) == 0;
}

/* The new name must survive, too. A folder that cannot be flushed is no reason to stop a run. */
static void flush_folder(const char *path)
{
  char folder[PKI_PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) {
    slash[slash == folder] = '\0';
  }
  const int fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
}

pk_status pki_checkpoint_save(const char *path, const pki_checkpoint *c, pk_error *err)
{
  const pki_where where = {.file = path};
  if (c->sim_size > most_bytes / 4 || c->run_size > most_bytes / 4) {
    return pki_fail(err, PK_ERROR_LIMIT, where, "a checkpoint of %zu bytes, expected at most %zu",
                    c->sim_size + c->run_size, most_bytes / 4);
  }
  pki_draft draft;
  pk_status status = pki_draft_begin(&draft, path, err);
  if (status != PK_OK) {
    return status;
  }
  status = write_checkpoint(draft.fd, c) ? pki_draft_keep(&draft, err) : pki_draft_fail(&draft, errno, err);
  if (status == PK_OK) {
    flush_folder(draft.target);
  }
  return status;
}

/* ---- in ---- */

/* Whole and undamaged. */
static pk_status check_bytes(const char *path, const unsigned char *data, size_t size, pk_error *err)
{
  const pki_where where = {.file = path};
  if (size < HEAD + TAIL || memcmp(data, magic, sizeof magic) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where,
                    size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0
                        ? "the checkpoint is cut off: it has %zu bytes, not even its head"
                        : "no checkpoint of pronk: %zu bytes that do not begin with PRONKCKP",
                    size);
  }
  const unsigned long long format = pki_take_bytes(data + 8, 4), whole = pki_take_bytes(data + 16, 8);
  if (format != FORMAT) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, where,
        "the checkpoint has the format %llu, this program reads %d: it was written by another version",
        format, FORMAT);
  }
  if (whole != size) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "the checkpoint is %s: it has %zu bytes, expected %llu",
                    whole > size ? "cut off" : "damaged", size, whole);
  }
  const unsigned long crc = pki_crc32(0, data, size - TAIL),
                      expected = (unsigned long)pki_take_bytes(data + size - TAIL, TAIL);
  return crc == expected
             ? PK_OK
             : pki_fail(err, PK_ERROR_SYNTAX, where,
                        "the checkpoint is damaged: its checksum is %08lx, expected %08lx", crc, expected);
}

/* A text that ends within its room, and nothing after it. */
static bool take_text(const unsigned char *at, char *out, size_t room)
{
  memcpy(out, at, room);
  const char *end = memchr(out, '\0', room);
  bool clean = end != NULL;
  for (const char *c = end; clean && c < out + room; c++) {
    clean = *c == '\0';
  }
  return clean;
}

static void *copy_bytes(const unsigned char *from, size_t size)
{
  void *copy = malloc(size + 1);
  if (copy != NULL) {
    memcpy(copy, from, size);
  }
  return copy;
}

pk_status pki_checkpoint_parse(const char *path, const void *bytes, size_t size, pki_checkpoint *out,
                               pk_error *err)
{
  const pki_where where = {.file = path};
  const unsigned char *data = bytes;
  *out = (pki_checkpoint){.version = ""};
  pk_status status = check_bytes(path, data, size, err);
  if (status != PK_OK) {
    return status;
  }
  pki_checkpoint c = {.code = (uint32_t)pki_take_bytes(data + 12, 4),
                      .model_hash = pki_take_bytes(data + 120, 8),
                      .scenario_hash = pki_take_bytes(data + 128, 8),
                      .steps = pki_take_bytes(data + 136, 8),
                      .time = pki_take_real(data + 144),
                      .position = pki_take_bytes(data + 152, 8)};
  const uint64_t sim = pki_take_bytes(data + 160, 8), run = pki_take_bytes(data + 168, 8);
  const uint64_t room = size - HEAD - TAIL;
  if (sim > room || run != room - sim) {
    return pki_fail(err, PK_ERROR_SYNTAX, where,
                    "the checkpoint is damaged: %llu and %llu bytes of states, expected %llu together",
                    (unsigned long long)sim, (unsigned long long)run, (unsigned long long)room);
  }
  if (!take_text(data + 24, c.version, sizeof c.version) || !take_text(data + 56, c.isa, sizeof c.isa) ||
      !take_text(data + 72, c.compiler, sizeof c.compiler)) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "the checkpoint is damaged: a text in its head has no end");
  }
  if (!isfinite(c.time) || c.time < 0 || c.steps > INT64_MAX) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "the checkpoint is damaged: %g s after %llu steps", c.time,
                    (unsigned long long)c.steps);
  }
  c.sim_size = (size_t)sim, c.run_size = (size_t)run;
  c.sim = copy_bytes(data + HEAD, c.sim_size);
  c.run = copy_bytes(data + HEAD + c.sim_size, c.run_size);
  if (c.sim == NULL || c.run == NULL) {
    pki_checkpoint_free(&c);
    return pki_fail(err, PK_ERROR_MEMORY, where, "out of memory for the checkpoint");
  }
  *out = c;
  return PK_OK;
}

pk_status pki_checkpoint_load(const char *path, pki_checkpoint *out, pk_error *err)
{
  size_t size;
  *out = (pki_checkpoint){.version = ""};
  char *data = pki_file_read(path, most_bytes, &size);
  if (data == NULL) {
    const int why = errno;
    return why == ENOENT
               ? pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path},
                          "there is no checkpoint to resume from: run the scenario from the start, with "
                          "--checkpoint-every")
               : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = path}, "the checkpoint cannot be read: %s",
                          strerror(why));
  }
  const pk_status status = pki_checkpoint_parse(path, data, size, out, err);
  free(data);
  return status;
}

void pki_checkpoint_free(pki_checkpoint *c)
{
  free(c->sim);
  free(c->run);
  c->sim = c->run = NULL;
  c->sim_size = c->run_size = 0;
}
