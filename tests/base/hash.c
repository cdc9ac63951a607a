#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

/* The test vectors of the authors' page (Fowler, Noll, Vo, FNV-1a, 64 bits). */
static void hashes_are_those_of_the_authors(void **state)
{
  (void)state;
  assert_true(pki_hash_bytes(PKI_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(pki_hash_bytes(PKI_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(pki_hash_bytes(PKI_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void a_hash_goes_on_where_it_stopped(void **state)
{
  (void)state;
  const uint64_t part = pki_hash_bytes(PKI_HASH_START, "foo", 3);
  assert_true(pki_hash_bytes(part, "bar", 3) == pki_hash_bytes(PKI_HASH_START, "foobar", 6));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hashes_are_those_of_the_authors),
      cmocka_unit_test(a_hash_goes_on_where_it_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
