/* The file of a checkpoint: whole or refused, and never believed when it is not its own. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "record/crc32.h"
#include "run/checkpoint.h"

static char folder[] = PK_BUILD_DIR "/test-checkpoint-XXXXXX", path[sizeof folder + 32];

static int set_up(void **state)
{
  (void)state;
  snprintf(path, sizeof path, "%s/checkpoint.pronk", mkdtemp(folder));
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(folder); /* nothing else is left behind */
}

static char world[] = "the world's bytes", run[] = "and the run's";

static pki_checkpoint example(void)
{
  pki_checkpoint c = {.code = 0x89abcdefu,
                      .model_hash = 0x0123456789abcdefu,
                      .scenario_hash = 0xfedcba9876543210u,
                      .steps = 1234567890123u,
                      .time = 12.345,
                      .position = 987654321,
                      .sim = world,
                      .sim_size = sizeof world,
                      .run = run,
                      .run_size = sizeof run};
  pki_checkpoint_stamp(&c);
  return c;
}

static void same(const pki_checkpoint *a, const pki_checkpoint *b)
{
  assert_string_equal(a->version, b->version);
  assert_string_equal(a->isa, b->isa);
  assert_string_equal(a->compiler, b->compiler);
  assert_true(a->code == b->code && a->model_hash == b->model_hash && a->scenario_hash == b->scenario_hash);
  assert_true(a->steps == b->steps && a->time == b->time && a->position == b->position);
  assert_true(a->sim_size == b->sim_size && a->run_size == b->run_size);
  assert_memory_equal(a->sim, b->sim, a->sim_size);
  assert_memory_equal(a->run, b->run, a->run_size);
}

/* The bytes of the example's file. */
static unsigned char *file_bytes(size_t *size)
{
  const pki_checkpoint c = example();
  assert_int_equal(pki_checkpoint_save(path, &c, NULL), PK_OK);
  unsigned char *bytes = (unsigned char *)pki_file_read(path, 1 << 20, size);
  assert_non_null(bytes);
  return bytes;
}

static void what_is_saved_is_loaded(void **state)
{
  (void)state;
  const pki_checkpoint saved = example();
  pki_checkpoint loaded;
  pk_error err = {.message = ""};
  for (int i = 0; i < 2; i++) { /* the second takes the place of the first */
    assert_int_equal(pki_checkpoint_save(path, &saved, &err), PK_OK);
    assert_int_equal(pki_checkpoint_load(path, &loaded, &err), PK_OK);
    same(&saved, &loaded);
    pki_checkpoint_free(&loaded);
    assert_null(loaded.sim);
    pki_checkpoint_free(&loaded);
  }
}

static void the_layout_is_the_documented_one(void **state)
{
  (void)state;
  size_t size;
  unsigned char *bytes = file_bytes(&size);
  assert_int_equal(size, 176 + sizeof world + sizeof run + 4);
  assert_memory_equal(bytes, "PRONKCKP\1\0\0\0\xef\xcd\xab\x89", 16);
  assert_int_equal(bytes[16], size);
  assert_string_equal((char *)bytes + 24, pk_version());
  static const unsigned char model[8] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};
  assert_memory_equal(bytes + 120, model, 8);
  assert_memory_equal(bytes + 176, world, sizeof world);
  assert_memory_equal(bytes + 176 + sizeof world, run, sizeof run);
  const uint32_t crc = pki_crc32(0, bytes, size - 4);
  const unsigned char tail[4] = {(unsigned char)crc, (unsigned char)(crc >> 8), (unsigned char)(crc >> 16),
                                 (unsigned char)(crc >> 24)};
  assert_memory_equal(bytes + size - 4, tail, 4);
  free(bytes);
}

/* Refused with these words; nothing to free. */
static void refused(const void *bytes, size_t size, pk_status status, const char *words)
{
  pki_checkpoint c;
  memset(&c, 0xa5, sizeof c);
  pk_error err = {.message = ""};
  const pk_status got = pki_checkpoint_parse("a/file", bytes, size, &c, &err);
  if (got != status || strstr(err.message, words) == NULL) {
    fail_msg("status %d, expected %d with \"%s\": %s", (int)got, (int)status, words, err.message);
  }
  assert_string_equal(err.file, "a/file");
  assert_true(c.sim == NULL && c.run == NULL && c.sim_size == 0 && c.run_size == 0);
}

static void a_file_cut_off_anywhere_is_refused(void **state)
{
  (void)state;
  size_t size;
  unsigned char *bytes = file_bytes(&size);
  for (size_t cut = 0; cut < size; cut++) {
    unsigned char *part = malloc(cut + 1); /* its end is where a reader must stop */
    memcpy(part, bytes, cut);
    part = realloc(part, cut > 0 ? cut : 1);
    refused(part, cut, PK_ERROR_SYNTAX, cut < 8 ? "no checkpoint of pronk" : "the checkpoint is cut off");
    free(part);
  }
  free(bytes);
}

static void a_file_with_any_bit_changed_is_refused(void **state)
{
  (void)state;
  size_t size;
  unsigned char *bytes = file_bytes(&size);
  for (size_t i = 0; i < size; i++) {
    for (int bit = 0; bit < 8; bit++) {
      bytes[i] ^= (unsigned char)(1 << bit);
      const bool format = i >= 8 && i < 12;
      refused(bytes, size, format ? PK_ERROR_UNSUPPORTED : PK_ERROR_SYNTAX,
              i < 8               ? "no checkpoint of pronk"
              : format            ? "this program reads 1"
              : i >= 16 && i < 24 ? "bytes, expected"
                                  : "the checkpoint is damaged: its checksum is ");
      bytes[i] ^= (unsigned char)(1 << bit);
    }
  }
  free(bytes);
}

/* Bytes with a checksum that is right for once. */
static void sign(unsigned char *bytes, size_t size)
{
  const uint32_t crc = pki_crc32(0, bytes, size - 4);
  for (int i = 0; i < 4; i++) {
    bytes[size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
  }
}

static void fields_out_of_range_are_refused_even_when_the_checksum_is_right(void **state)
{
  (void)state;
  static const struct {
    size_t at;
    unsigned char value;
    const char *words;
  } bad[] = {
      {55, 'x', "a text in its head has no end"},  {71, 'x', "a text in its head has no end"},
      {119, 'x', "a text in its head has no end"}, {143, 0x80, "s after "},
      {151, 0xc0, "the checkpoint is damaged: -"}, {160, 1, "bytes of states, expected"},
      {167, 0xff, "bytes of states, expected"},    {168, 0, "bytes of states, expected"},
      {175, 0xff, "bytes of states, expected"},
  };
  size_t size;
  unsigned char *bytes = file_bytes(&size);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const unsigned char was = bytes[bad[i].at];
    bytes[bad[i].at] = bad[i].value;
    sign(bytes, size);
    refused(bytes, size, PK_ERROR_SYNTAX, bad[i].words);
    bytes[bad[i].at] = was;
  }
  bytes[150] = 0xf8, bytes[151] = 0x7f;
  sign(bytes, size);
  refused(bytes, size, PK_ERROR_SYNTAX, "nan s after 1234567890123 steps");
  free(bytes);
}

static void a_checkpoint_that_is_not_there_says_what_to_do(void **state)
{
  (void)state;
  unlink(path);
  pki_checkpoint c;
  pk_error err = {.message = ""};
  assert_int_equal(pki_checkpoint_load(path, &c, &err), PK_ERROR_FILE);
  assert_non_null(strstr(err.message, "there is no checkpoint to resume from"));
  assert_string_equal(err.file, path);
  assert_int_equal(pki_checkpoint_load(folder, &c, &err), PK_ERROR_FILE);
  assert_non_null(strstr(err.message, "the checkpoint cannot be read: Is a directory"));
}

static void a_checkpoint_that_cannot_be_written_leaves_the_old_one(void **state)
{
  (void)state;
  const pki_checkpoint c = example();
  pk_error err = {.message = ""};
  char nowhere[sizeof path + 8];
  assert_int_equal(pki_checkpoint_save(path, &c, NULL), PK_OK);
  /* there is no room for it */
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, before.rlim_max}), 0);
  const pk_status status = pki_checkpoint_save(path, &c, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot be written: File too large");
  pki_checkpoint old;
  assert_int_equal(pki_checkpoint_load(path, &old, NULL), PK_OK);
  same(&c, &old);
  pki_checkpoint_free(&old);
  snprintf(nowhere, sizeof nowhere, "%s/x/y", folder);
  assert_int_equal(pki_checkpoint_save(nowhere, &c, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, nowhere);
}

static void does_not_fit(const pki_checkpoint *c, unsigned long long model, uint64_t scenario,
                         const char *words)
{
  pk_error err = {.message = ""};
  assert_int_equal(pki_checkpoint_fits(c, model, scenario, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "checkpoint");
  if (strstr(err.message, words) == NULL) {
    fail_msg("expected \"%s\": %s", words, err.message);
  }
}

static void a_checkpoint_of_something_else_says_what_differs_and_what_to_do(void **state)
{
  (void)state;
  const pki_checkpoint mine = example();
  pki_checkpoint c = mine;
  char words[200];
  assert_int_equal(pki_checkpoint_fits(&c, c.model_hash, c.scenario_hash, NULL), PK_OK);
  does_not_fit(
      &c, 1, c.scenario_hash,
      "the checkpoint is of another model: its hash is 0123456789abcdef, expected 0000000000000001. A model "
      "file has changed");
  does_not_fit(
      &c, c.model_hash, 2,
      "the checkpoint is of another scenario: its hash is fedcba9876543210, expected 0000000000000002. Go on "
      "with the same file and the same --set");
  strcpy(c.version, "9.9.9");
  snprintf(words, sizeof words,
           "the checkpoint was written by pronk 9.9.9, this is pronk %s: resume with that version",
           mine.version);
  does_not_fit(&c, c.model_hash, c.scenario_hash, words);
  c = mine;
  strcpy(c.isa, "abacus");
  snprintf(words, sizeof words, "the instruction set abacus, this run uses %s: set PRONK_ISA=abacus",
           mine.isa);
  does_not_fit(&c, c.model_hash, c.scenario_hash, words);
  c = mine;
  strcpy(c.compiler, "tcc 0.9");
  snprintf(words, sizeof words, "built with tcc 0.9, this one was built with %s", mine.compiler);
  does_not_fit(&c, c.model_hash, c.scenario_hash, words);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_saved_is_loaded),
      cmocka_unit_test(the_layout_is_the_documented_one),
      cmocka_unit_test(a_file_cut_off_anywhere_is_refused),
      cmocka_unit_test(a_file_with_any_bit_changed_is_refused),
      cmocka_unit_test(fields_out_of_range_are_refused_even_when_the_checksum_is_right),
      cmocka_unit_test(a_checkpoint_that_is_not_there_says_what_to_do),
      cmocka_unit_test(a_checkpoint_that_cannot_be_written_leaves_the_old_one),
      cmocka_unit_test(a_checkpoint_of_something_else_says_what_differs_and_what_to_do),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
