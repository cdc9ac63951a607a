/* A program sees whether it was compiled with the headers of its library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/pronk.h"

static void headers_of_the_library_pass(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  assert_int_equal(pk_layout_check(&err), PK_OK);
  assert_int_equal(pk_struct_size("pk_command"), sizeof(pk_command));
  assert_int_equal(pk_struct_size("pk_step_info"), sizeof(pk_step_info));
  assert_int_equal(pk_struct_size("pk_sim"), 0); /* opaque */
}

static void a_struct_of_another_size_is_named(void **state)
{
  (void)state;
#define SIZE(type) sizeof(type),
  size_t sizes[] = {PK_STRUCT_LIST(SIZE)};
#undef SIZE
  const int count = (int)(sizeof sizes / sizeof sizes[0]);
  char first[64];
  pk_error err = {.message = ""};
  assert_int_equal(pk_layout_compare(sizes, count, &err), PK_OK);
  sizes[0] += 8;
  assert_int_equal(pk_layout_compare(sizes, count, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.field, "pk_actuator");
  snprintf(first, sizeof first, "pk_actuator has %zu bytes in this program", sizes[0]);
  assert_memory_equal(err.message, first, strlen(first));
  assert_int_equal(pk_layout_compare(sizes, count - 1, &err), PK_ERROR_UNSUPPORTED);
}

static void headers_and_library_have_one_version(void **state)
{
  (void)state;
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", PK_VERSION_MAJOR, PK_VERSION_MINOR, PK_VERSION_PATCH);
  assert_string_equal(pk_version(), version);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_the_library_pass),
      cmocka_unit_test(a_struct_of_another_size_is_named),
      cmocka_unit_test(headers_and_library_have_one_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
