/* Recordings that were cut, damaged, or made to harm. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/mcap_write.h"
#include "record/recording_read.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/recording.h"

static char path[256], part[256];

/* Steps in the chunks that end within the first `size` bytes. */
static int steps_within(const pk_recording *whole, uint64_t size)
{
  int steps = 0;
  for (int i = 0; i < whole->nblock; i++) {
    const pki_block *b = &whole->blocks[i];
    if (b->offset + b->length <= size) {
      steps = (int)lround(pki_time_decode(b->end) * 1e3) + 1;
    }
  }
  return steps;
}

static pk_recording *open_whole(void)
{
  pk_error err = {0};
  pk_recording *r;
  assert_int_equal(pk_recording_open(path, &r, &err), PK_OK);
  assert_false(r->scanned);
  return r;
}

/* The first `size` bytes open with all complete chunks. */
static void check_cut(const pk_recording *whole, const char *bytes, size_t size, size_t all)
{
  pk_error err = {0};
  pk_recording *r;
  sample_save(part, bytes, size);
  const pk_status status = pk_recording_open(part, &r, &err);
  if (size < PKI_MCAP_MAGIC_SIZE) {
    assert_int_equal(status, PK_ERROR_SYNTAX);
    return;
  }
  assert_int_equal(status, PK_OK);
  assert_int_equal(pk_recording_is_complete(r), size == all);
  const int steps = sample_count(r);
  assert_int_equal(steps, steps_within(whole, size));
  if (steps > 0) {
    sample_check(r, 0, steps);
    assert_string_equal(pk_recording_note(r, "scenario"), "trot");
    assert_int_equal(pk_recording_get_about(r)->nattachment, 4);
  }
  pk_recording_close(r);
}

static void a_small_recording_cut_at_any_byte_opens_with_all_complete_chunks(void **state)
{
  (void)state;
  const pk_recording_options options = {PK_RECORDING_COMPRESSION_NONE, 0.002, false};
  sample_record(path, &options, 10, 0);
  size_t all;
  char *bytes = sample_bytes(path, &all);
  pk_recording *whole = open_whole();
  assert_int_equal(whole->nblock, 5);
  for (size_t size = 0; size <= all; size++) {
    check_cut(whole, bytes, size, all);
  }
  pk_recording_close(whole);
  free(bytes);
}

static void a_larger_recording_cut_anywhere_opens_with_all_complete_chunks(void **state)
{
  (void)state;
  const pk_recording_options options = {pk_recording_options_default().compression, 0.1, true};
  sample_record(path, &options, 1500, 0);
  size_t all;
  char *bytes = sample_bytes(path, &all);
  pk_recording *whole = open_whole();
  uint64_t random = 7;
  for (int i = 0; i < PACE(300, 60); i++) {
    random = random * UINT64_C(6364136223846793005) + 1;
    check_cut(whole, bytes, (size_t)((random >> 20) % all), all);
  }
  pk_recording_close(whole);
  free(bytes);
}

/* What is found opens and reads without harm, whatever was changed; true numbers or an error. */
static void read_all(const char *file)
{
  for (int scan = 0; scan < 2; scan++) {
    pk_error err = {0};
    pk_recording *r;
    if (pki_recording_open(file, scan == 1, &r, &err) != PK_OK) {
      assert_true(err.message[0] != '\0');
      continue;
    }
    int count;
    pk_recording_channels(r, &count);
    for (int i = 0; i < count; i++) {
      pk_recording_series s;
      if (pk_recording_read(r, i, -INFINITY, INFINITY, &s, &err) == PK_OK) {
        assert_int_equal(s.row[0], 0);
        pk_recording_series_free(&s);
      }
    }
    pk_recording_close(r);
  }
}

static void changed_bytes_do_no_harm(void **state)
{
  (void)state;
  for (int codec = 0; codec < PK_RECORDING_COMPRESSION_COUNT; codec++) {
    if (!pki_mcap_can_compress(codec)) {
      continue;
    }
    const pk_recording_options options = {(pk_recording_compression)codec, 0.02, false};
    sample_record(path, &options, 60, 0);
    size_t all;
    char *bytes = sample_bytes(path, &all);
    uint64_t random = 11;
    for (int i = 0; i < PACE(1500, 300); i++) {
      random = random * UINT64_C(6364136223846793005) + 1;
      const size_t place = (size_t)((random >> 20) % all);
      const char was = bytes[place];
      bytes[place] = (char)(random >> 50);
      sample_save(part, bytes, all);
      read_all(part);
      bytes[place] = was;
    }
    free(bytes);
  }
}

static void a_damaged_chunk_is_told_and_a_scan_leaves_out_no_other(void **state)
{
  (void)state;
  const pk_recording_options options = {pk_recording_options_default().compression, 0.1, false};
  sample_record(path, &options, 500, 0);
  size_t all;
  char *bytes = sample_bytes(path, &all);
  pk_recording *r = open_whole();
  assert_int_equal(r->nblock, 5);
  const uint64_t offset = r->blocks[4].offset;
  bytes[offset + r->blocks[4].length / 2] ^= 1;
  pk_recording_close(r);
  sample_save(path, bytes, all);
  /* by the summary all seems well, until one reads */
  r = open_whole();
  pk_error err = {0};
  pk_recording_series s;
  char expected[64];
  snprintf(expected, sizeof expected, "the recording is damaged at byte %llu;", (unsigned long long)offset);
  assert_int_equal(pk_recording_read(r, 0, -INFINITY, INFINITY, &s, &err), PK_ERROR_SYNTAX);
  assert_non_null(strstr(err.message, expected));
  assert_null(s.time);
  assert_int_equal(pk_recording_read(r, 0, 0, 0.39, &s, &err), PK_OK); /* what does not need it */
  pk_recording_series_free(&s);
  pk_recording_close(r);
  assert_int_equal(pki_recording_open(path, true, &r, &err), PK_OK);
  assert_int_equal(r->damaged, 1);
  sample_check(r, 0, 400);
  pk_recording_close(r);
  free(bytes);
}

static bool into_text(void *user, const void *data, size_t size)
{
  pki_text_add_bytes(user, data, size);
  return true;
}

/* A file with one record of that kind. */
static void save_record(pki_mcap_op op, const void *record)
{
  pki_text out = {0};
  pki_mcap_writer w = {.put = into_text, .user = &out};
  pki_mcap_begin(&w, &(pki_mcap_header){pki_view_of(""), pki_view_of("")});
  pki_mcap_encode(&out, op, record, 0);
  pki_mcap_writer_free(&w);
  sample_save(part, out.data, out.size);
  pki_text_free(&out);
}

static void sizes_that_are_not_true_are_not_believed(void **state)
{
  (void)state;
  pk_error err = {0};
  pk_recording *r;
  /* a chunk of a few bytes that claims to hold all memory */
  static const char *const names[] = {"zstd", "lz4", "", "brotli"};
  for (int i = 0; i < 4; i++) {
    const pki_mcap_chunk chunk = {.uncompressed_size = UINT64_MAX - 100,
                                  .compression = pki_view_of(names[i]),
                                  .records = pki_view_of("1234567890")};
    save_record(PKI_MCAP_CHUNK, &chunk);
    const pk_status status = pk_recording_open(part, &r, &err);
    if (status == PK_OK) {
      assert_int_equal(r->damaged, 1);
      pk_recording_close(r);
    } else {
      assert_int_equal(status, PK_ERROR_UNSUPPORTED);
    }
  }
  /* a record longer than the file, and one as long as a number can say */
  for (int i = 0; i < 2; i++) {
    uint8_t file[PKI_MCAP_MAGIC_SIZE + PKI_MCAP_HEAD];
    memcpy(file, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE);
    file[8] = PKI_MCAP_ATTACHMENT;
    pki_put_le(file + 9, i == 0 ? 1 : UINT64_MAX, 8);
    sample_save(part, file, sizeof file);
    assert_int_equal(pk_recording_open(part, &r, &err), PK_OK);
    assert_int_equal(r->count, 0);
    double start, end;
    pk_recording_span(r, &start, &end);
    assert_true(isnan(start) && isnan(end));
    pk_recording_close(r);
  }
}

static void an_unknown_codec_is_named(void **state)
{
  (void)state;
  pk_error err = {0};
  pk_recording *r;
  const pki_mcap_chunk chunk = {.uncompressed_size = 10, .compression = pki_view_of("brotli")};
  save_record(PKI_MCAP_CHUNK, &chunk);
  assert_int_equal(pk_recording_open(part, &r, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(
      strstr(err.message, "a chunk is compressed by 'brotli', which this pronk was built without"));
}

/* Record without end, until the kill. */
static void record_for_ever(void)
{
  pk_recorder *file;
  const pk_recording_options options = {pk_recording_options_default().compression, 0.25, true};
  if (pk_recording_create(path, &options, &file, NULL) == PK_OK &&
      file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, NULL) == PK_OK) {
    for (int step = 0;; step += 100) {
      sample_write(file, step, step + 100);
    }
  }
  _exit(1);
}

static void a_killed_writer_leaves_a_recording_that_opens(void **state)
{
  (void)state;
  for (int round = 0; round < 5; round++) {
    unlink(path);
    const pid_t child = fork();
    assert_at_least(child, 0);
    if (child == 0) {
      record_for_ever();
    }
    /* until there is something, and then a little longer each time */
    struct timespec pause = {0, 3000000 + 2000000L * round};
    while (access(path, R_OK) != 0) {
      nanosleep(&pause, NULL);
    }
    for (int i = 0; i < 5; i++) {
      nanosleep(&pause, NULL);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    size_t size;
    char *bytes = sample_bytes(path, &size);
    free(bytes);
    pk_error err = {0};
    pk_recording *r;
    if (size >= PKI_MCAP_MAGIC_SIZE) {
      assert_int_equal(pk_recording_open(path, &r, &err), PK_OK);
      assert_false(pk_recording_is_complete(r));
      assert_int_equal(r->damaged, 0);
      sample_check(r, 0, sample_count(r));
      pk_recording_close(r);
    }
  }
}

static int make_folder(void **state)
{
  *state = sample_folder();
  snprintf(path, sizeof path, "%s/run.mcap", (char *)*state);
  snprintf(part, sizeof part, "%s/part.mcap", (char *)*state);
  return 0;
}

static int remove_folder(void **state)
{
  sample_folder_remove(*state);
  return 0;
}

/* Change bits of one byte of the file `part` in its place. */
static void change_byte(size_t at, int bits)
{
  FILE *file = fopen(part, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
  const int byte = fgetc(file);
  assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
  assert_int_equal(fputc(byte ^ bits, file), byte ^ bits);
  assert_int_equal(fclose(file), 0);
}

/* The part of a file that is gone on with is checked; one that is refused stays as it is. */
static void a_damaged_part_is_not_gone_on_with(void **state)
{
  (void)state;
  pk_error err = {0};
  pk_recorder *file;
  uint64_t position;
  const pk_recording_options options = {PK_RECORDING_COMPRESSION_NONE, 0.03, true};
  assert_int_equal(pk_recording_create(part, &options, &file, &err), PK_OK);
  assert_int_equal(file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err), PK_OK);
  sample_write(file, 0, 60);
  assert_int_equal(file->mark(file, &position, &err), PK_OK);
  file->destroy(file);
  size_t size;
  char *bytes = sample_bytes(part, &size);
  assert_int_equal(size, position);
  uint64_t first = 0;
  for (size_t at = PKI_MCAP_MAGIC_SIZE; at < size;) {
    const uint64_t length = PKI_MCAP_HEAD + pki_get_le(bytes + at + 1, 8);
    /* the program's name and the notes have no checksum, nor another place that they could be compared with */
    const bool free_text = bytes[at] == PKI_MCAP_HEADER || bytes[at] == PKI_MCAP_METADATA;
    first = first == 0 && bytes[at] == PKI_MCAP_CHUNK ? at : first;
    for (size_t k = 0; k < length && !free_text; k += k < 60 ? 1 : 7) {
      change_byte(at + k, 0x10);
      pk_status status = pk_recording_resume(part, position, &options, &file, &err);
      if (status == PK_OK) { /* channels are compared with those of the run */
        status = file->begin(file, &sample_about, sample_channels, SAMPLE_CHANNELS, &err);
        file->destroy(file);
      }
      if (status == PK_OK) {
        fail_msg("a changed byte at %zu + %zu (record %d) is gone on with", at, k, bytes[at]);
      }
      change_byte(at + k, 0x10);
    }
    at += length;
  }
  /* the message tells where, and what to do */
  char message[256];
  bytes[first + 100] ^= 1;
  change_byte(first + 100, 1);
  assert_int_equal(pk_recording_resume(part, position, &options, &file, &err), PK_ERROR_SYNTAX);
  snprintf(message, sizeof message, "is damaged at byte %llu, in the part that is kept",
           (unsigned long long)first);
  assert_non_null(strstr(err.message, message));
  assert_non_null(strstr(err.message, "start the run again from its beginning"));
  size_t after;
  char *kept = sample_bytes(part, &after);
  assert_int_equal(after, size);
  assert_memory_equal(kept, bytes, size);
  free(kept);
  free(bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_recording_cut_at_any_byte_opens_with_all_complete_chunks),
      cmocka_unit_test(a_larger_recording_cut_anywhere_opens_with_all_complete_chunks),
      cmocka_unit_test(changed_bytes_do_no_harm),
      cmocka_unit_test(a_damaged_chunk_is_told_and_a_scan_leaves_out_no_other),
      cmocka_unit_test(sizes_that_are_not_true_are_not_believed),
      cmocka_unit_test(an_unknown_codec_is_named),
      cmocka_unit_test(a_damaged_part_is_not_gone_on_with),
      cmocka_unit_test(a_killed_writer_leaves_a_recording_that_opens),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
