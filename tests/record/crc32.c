#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/crc32.h"

/* By its definition, a bit at a time. */
static uint32_t plain(const uint8_t *data, size_t size)
{
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < size; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    }
  }
  return ~crc;
}

static void the_check_value_of_the_standard_is_met(void **state)
{
  (void)state;
  assert_int_equal(pki_crc32(0, "123456789", 9), 0xCBF43926);
  assert_int_equal(pki_crc32(0, "", 0), 0);
}

static void bytes_of_any_length_and_place_sum_as_the_definition_says(void **state)
{
  (void)state;
  uint8_t data[300];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (uint8_t)(i * i * 31 + i * 7 + 3);
  }
  for (size_t from = 0; from < 9; from++) {
    for (size_t size = 0; size + from <= sizeof data; size++) {
      assert_int_equal(pki_crc32(0, data + from, size), plain(data + from, size));
    }
  }
}

static void each_single_byte_sums_as_the_definition_says(void **state)
{
  (void)state;
  /* among zeros, so that every table is asked for every byte */
  for (int n = 0; n < 256; n++) {
    for (int place = 0; place < 16; place++) {
      uint8_t data[16] = {0};
      data[place] = (uint8_t)n;
      assert_int_equal(pki_crc32(0, data, sizeof data), plain(data, sizeof data));
    }
  }
}

static void a_sum_goes_on_from_part_to_part(void **state)
{
  (void)state;
  const char text[] = "what was written before can be read after a crash";
  const size_t size = sizeof text - 1;
  for (size_t cut = 0; cut <= size; cut++) {
    assert_int_equal(pki_crc32(pki_crc32(0, text, cut), text + cut, size - cut), pki_crc32(0, text, size));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_check_value_of_the_standard_is_met),
      cmocka_unit_test(bytes_of_any_length_and_place_sum_as_the_definition_says),
      cmocka_unit_test(each_single_byte_sums_as_the_definition_says),
      cmocka_unit_test(a_sum_goes_on_from_part_to_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
