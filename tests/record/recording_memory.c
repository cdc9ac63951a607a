/* Recordings when memory is short: that is told, and never as damage, nor is anything left out. The linker sends
 * allocations of the library through the functions below. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/mcap.h"
#include "record/recording_read.h"
#include "support/bounds.h"
#include "support/recording.h"

#ifdef PKI_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static long left = -1; /* allocations until one fails; negative: none does */

static bool is_denied(void)
{
  return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
  return is_denied() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return is_denied() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
  return is_denied() ? NULL : __real_realloc(block, size);
}

#ifdef PKI_HAVE_ZSTD

size_t __real_ZSTD_decompress(void *out, size_t size, const void *in, size_t in_size);
size_t __wrap_ZSTD_decompress(void *out, size_t size, const void *in, size_t in_size);

static bool zstd_lacks_memory;

size_t __wrap_ZSTD_decompress(void *out, size_t size, const void *in, size_t in_size)
{
  return zstd_lacks_memory ? (size_t)-ZSTD_error_memory_allocation
                           : __real_ZSTD_decompress(out, size, in, in_size);
}

#endif

static char path[256];

/* Open the file and read all of it. PK_OK: all was there, and nothing was called damaged. */
static pk_status read_all(bool scan, pk_error *err)
{
  pk_recording *r = NULL;
  pk_status status = pki_recording_open(path, scan, &r, err);
  int count = 0;
  const pk_recorder_channel *channels = status == PK_OK ? pk_recording_channels(r, &count) : NULL;
  for (int i = 0; i < count && status == PK_OK; i++) {
    pk_recording_series s;
    status = pk_recording_read(r, i, 0, 1e9, &s, err);
    pk_recording_series_free(&s);
  }
  if (status == PK_OK) {
    assert_non_null(channels);
    assert_int_equal(count, SAMPLE_CHANNELS);
    assert_int_equal(r->damaged, 0);
    assert_true(pk_recording_is_complete(r));
    assert_int_equal(pk_recording_get_about(r)->nnote, sample_about.nnote);
    assert_int_equal(pk_recording_get_about(r)->nattachment, sample_about.nattachment);
  }
  pk_recording_close(r);
  return status;
}

/* Each allocation fails once. */
static void try_each(const pk_recording_options *options, bool scan)
{
  sample_record(path, options, 200, 0);
  bool done = false;
  for (long n = 0; !done; n++) {
    pk_error err = {0};
    left = n;
    const pk_status status = read_all(scan, &err);
    done = left >= 0; /* there was none left to fail */
    left = -1;
    if (status != PK_OK && status != PK_ERROR_MEMORY) {
      fail_msg("allocation %ld: status %d, %s", n, (int)status, err.message);
    }
    assert_int_equal(err.status, status);
    assert_int_equal(status == PK_OK, err.message[0] == '\0');
    assert_less(n, 100000);
  }
  assert_int_equal(read_all(scan, NULL), PK_OK);
}

static void a_failed_allocation_is_told_as_such(void **state)
{
  (void)state;
  for (int codec = 0; codec < PK_RECORDING_COMPRESSION_COUNT; codec++) {
    const pk_recording_options options = {(pk_recording_compression)codec, 0.05, true};
    if (pki_mcap_can_compress(codec)) {
      try_each(&options, false);
      try_each(&options, true);
    }
  }
}

static void a_codec_without_memory_is_told_as_such(void **state)
{
  (void)state;
#ifdef PKI_HAVE_ZSTD
  const pk_recording_options options = {PK_RECORDING_COMPRESSION_ZSTD, 0.05, true};
  sample_record(path, &options, 200, 0);
  for (int scan = 0; scan < 2; scan++) {
    pk_error err = {0};
    zstd_lacks_memory = true;
    const pk_status status = read_all(scan, &err);
    zstd_lacks_memory = false;
    assert_int_equal(status, PK_ERROR_MEMORY);
    assert_non_null(strstr(err.message, "not enough memory"));
  }
#else
  skip();
#endif
}

static char *folder;

static int make_folder(void **state)
{
  (void)state;
  folder = sample_folder();
  snprintf(path, sizeof path, "%s/run.mcap", folder);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  sample_folder_remove(folder);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_allocation_is_told_as_such),
      cmocka_unit_test(a_codec_without_memory_is_told_as_such),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
