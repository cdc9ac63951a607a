/* Plugins are found where they should be, and what is no plugin is passed over. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/peer.h"

static void plugins_come_in_order_of_name(void **state)
{
  (void)state;
  const pk_peer *peers[8];
  setenv("PRONK_PEERS", TEST_PLUGINS, 1);
  assert_int_equal(pki_peers_load(peers, 8), 2);
  assert_string_equal(peers[0]->name, "alpha");
  assert_string_equal(peers[1]->name, "beta");
  assert_string_equal(peers[1]->version, "1.0");
}

static void interfaces_are_asked_by_name(void **state)
{
  (void)state;
  const pk_peer *peers[8];
  setenv("PRONK_PEERS", TEST_PLUGINS, 1);
  assert_int_equal(pki_peers_load(peers, 8), 2);
  assert_string_equal((const char *)peers[0]->interface("test/1"), "alpha");
  assert_null(peers[0]->interface("test/2"));
}

static void no_more_than_asked_are_loaded(void **state)
{
  (void)state;
  const pk_peer *peers[1];
  setenv("PRONK_PEERS", TEST_PLUGINS, 1);
  assert_int_equal(pki_peers_load(peers, 1), 1);
}

static void a_file_that_is_no_library_is_passed_over(void **state)
{
  (void)state;
  /* The folder holds pronk_peer_text.so, which is a text. */
  const pk_peer *peers[8];
  setenv("PRONK_PEERS", TEST_BROKEN, 1);
  assert_int_equal(pki_peers_load(peers, 8), 0);
}

static void a_folder_that_is_not_there_has_no_peers(void **state)
{
  (void)state;
  const pk_peer *peers[8];
  setenv("PRONK_PEERS", TEST_PLUGINS "/nowhere", 1);
  assert_int_equal(pki_peers_load(peers, 8), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plugins_come_in_order_of_name),
      cmocka_unit_test(interfaces_are_asked_by_name),
      cmocka_unit_test(no_more_than_asked_are_loaded),
      cmocka_unit_test(a_file_that_is_no_library_is_passed_over),
      cmocka_unit_test(a_folder_that_is_not_there_has_no_peers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
