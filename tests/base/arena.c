/* Arenas: what is counted is what is carved, and nothing that does not fit is handed out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

/* Blocks of many sizes, empty ones too; how many were handed out. */
static int carve(pki_arena *arena, void *blocks[8])
{
  static const size_t counts[8] = {1, 0, 3, 64, 65, 7, 1000, 1}, sizes[8] = {1, 8, 4, 1, 1, 24, 8, 64};
  int given = 0;
  for (int i = 0; i < 8; i++) {
    blocks[i] = pki_arena_take(arena, counts[i], sizes[i]);
    given += blocks[i] != NULL;
  }
  return given;
}

static void counting_gives_the_size_that_carving_uses(void **state)
{
  (void)state;
  void *blocks[8];
  pki_arena count = pki_arena_over(NULL, 0);
  assert_int_equal(carve(&count, blocks), 0);
  assert_false(count.overflow);
  /* 1, 0, 12, 64, 65, 168, 8000 and 64 bytes in whole lines of 64 */
  assert_int_equal(count.used, 64 * (1 + 0 + 1 + 1 + 2 + 3 + 125 + 1));
  unsigned char *memory = pki_aligned_alloc(count.used);
  pki_arena arena = pki_arena_over(memory, count.used);
  assert_int_equal(carve(&arena, blocks), 8);
  assert_false(arena.overflow);
  assert_int_equal(arena.used, count.used);
  assert_int_equal(arena.high, count.high);
  pki_aligned_free(memory);
}

static void blocks_are_aligned_and_do_not_overlap(void **state)
{
  (void)state;
  static const size_t bytes[8] = {1, 0, 12, 64, 65, 168, 8000, 64};
  void *blocks[8];
  unsigned char *memory = pki_aligned_alloc(64 * 200);
  pki_arena arena = pki_arena_over(memory, 64 * 200);
  carve(&arena, blocks);
  for (int i = 0; i < 8; i++) {
    assert_int_equal((uintptr_t)blocks[i] % PKI_ALIGN, 0);
    memset(blocks[i], i + 1, bytes[i]);
  }
  for (int i = 0; i < 8; i++) {
    for (size_t k = 0; k < bytes[i]; k++) {
      assert_int_equal(((unsigned char *)blocks[i])[k], i + 1);
    }
  }
  pki_aligned_free(memory);
}

static void a_request_that_does_not_fit_leaves_a_flag(void **state)
{
  (void)state;
  unsigned char *memory = pki_aligned_alloc(128);
  pki_arena arena = pki_arena_over(memory, 128);
  assert_ptr_equal(pki_arena_take(&arena, 64, 1), memory);
  assert_null(pki_arena_take(&arena, 65, 1));
  assert_true(arena.overflow);
  assert_int_equal(arena.used, 64);
  /* the flag stays, and what follows gets nothing even where it would fit */
  assert_null(pki_arena_take(&arena, 1, 1));
  assert_true(arena.overflow);
  pki_aligned_free(memory);
}

static void the_last_byte_can_be_used(void **state)
{
  (void)state;
  unsigned char *memory = pki_aligned_alloc(128);
  pki_arena arena = pki_arena_over(memory, 128);
  assert_ptr_equal(pki_arena_take(&arena, 128, 1), memory);
  assert_non_null(pki_arena_take(&arena, 0, 8)); /* an empty block still fits */
  assert_false(arena.overflow);
  assert_null(pki_arena_take(&arena, 1, 1));
  assert_true(arena.overflow);
  pki_aligned_free(memory);
}

static void a_size_beyond_all_memory_is_an_overflow(void **state)
{
  (void)state;
  const size_t wrong[][2] = {{SIZE_MAX, 8}, {SIZE_MAX / 4, 8},     {SIZE_MAX, 1},
                             {1, SIZE_MAX}, {SIZE_MAX / 2 + 1, 1}, {((size_t)1 << 32) + 1, (size_t)1 << 32}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    pki_arena count = pki_arena_over(NULL, 0);
    pki_arena_take(&count, 3, 8);
    assert_null(pki_arena_take(&count, wrong[i][0], wrong[i][1]));
    assert_true(count.overflow);
    assert_int_equal(count.used, 64);
  }
  /* two that fit alone and not together */
  pki_arena count = pki_arena_over(NULL, 0);
  pki_arena_take(&count, SIZE_MAX / 4, 1);
  assert_false(count.overflow);
  pki_arena_take(&count, SIZE_MAX / 4, 1);
  pki_arena_take(&count, 1, 1);
  assert_true(count.overflow);
}

static void release_gives_back_what_was_taken_after_the_mark(void **state)
{
  (void)state;
  unsigned char *memory = pki_aligned_alloc(1024);
  pki_arena arena = pki_arena_over(memory, 1024);
  pki_arena_take(&arena, 1, 100);
  const size_t mark = pki_arena_mark(&arena);
  void *first = pki_arena_take(&arena, 1, 300);
  const size_t inner = pki_arena_mark(&arena);
  pki_arena_take(&arena, 1, 200);
  pki_arena_release(&arena, inner);
  assert_int_equal(arena.used, 128 + 320);
  pki_arena_release(&arena, mark);
  assert_int_equal(arena.used, 128);
  assert_ptr_equal(pki_arena_take(&arena, 1, 10), first);
  pki_aligned_free(memory);
}

static void the_high_water_mark_survives_release(void **state)
{
  (void)state;
  unsigned char *memory = pki_aligned_alloc(1024);
  pki_arena arena = pki_arena_over(memory, 1024);
  assert_int_equal(arena.high, 0);
  pki_arena_take(&arena, 1, 640);
  assert_int_equal(arena.high, 640);
  pki_arena_release(&arena, 0);
  assert_int_equal(arena.high, 640);
  pki_arena_take(&arena, 1, 64);
  assert_int_equal(arena.high, 640);
  pki_arena_take(&arena, 1, 640);
  assert_int_equal(arena.high, 704);
  pki_arena_take(&arena, 1, 1024); /* does not fit, does not count */
  assert_int_equal(arena.high, 704);
  pki_aligned_free(memory);
}

static void aligned_memory_is_aligned_whatever_its_size(void **state)
{
  (void)state;
  static const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 4096};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    unsigned char *memory = pki_aligned_alloc(sizes[i]);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % PKI_ALIGN, 0);
    memset(memory, 0xaa, sizes[i]);
    pki_aligned_free(memory);
  }
  assert_null(pki_aligned_alloc(SIZE_MAX)); /* rounding up would wrap */
  assert_null(pki_aligned_alloc(SIZE_MAX - 62));
  pki_aligned_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counting_gives_the_size_that_carving_uses),
      cmocka_unit_test(blocks_are_aligned_and_do_not_overlap),
      cmocka_unit_test(a_request_that_does_not_fit_leaves_a_flag),
      cmocka_unit_test(the_last_byte_can_be_used),
      cmocka_unit_test(a_size_beyond_all_memory_is_an_overflow),
      cmocka_unit_test(release_gives_back_what_was_taken_after_the_mark),
      cmocka_unit_test(the_high_water_mark_survives_release),
      cmocka_unit_test(aligned_memory_is_aligned_whatever_its_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
