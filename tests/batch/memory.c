/* Stepping a batch allocates nothing, and a world is small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/allocations.h"
#include "support/bounds.h"
#include "support/fleet.h"
#include "support/pace.h"

static const fleet_setting settings[] = {
    {"trot", FLEET_STARLETH, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 0,
     true},
    {"mixed", FLEET_STARLETH, FLEET_HOLD, FLEET_PLANE, FLEET_MIX, 0.3, PK_STEPPER_MOREAU, 0, 2.5e-3, 0, true},
    {"exact", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_EULER, PK_CONTACT_LAW_LCP_PYRAMID,
     2e-3, 0, false},
    {"springs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_EULER, PK_CONTACT_LAW_COMPLIANT,
     5e-4, 0, false}};

static void see(void *user, pk_batch *b, int first, int count)
{
  (void)user, (void)b, (void)first, (void)count;
}

static void no_step_of_a_batch_allocates(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    for (int threads = 1; threads <= 2; threads++) {
      fleet f;
      pk_batch_info info;
      fleet_make(&f, &settings[i]);
      pk_batch *b = fleet_batch(&f, 13, 4, threads);
      pk_batch_set_callback(b, see, NULL);
      allocations = 0;
      assert_int_equal(pk_batch_step(b, PACE(60, 20), &info), PK_OK);
      pk_batch_reset(b, 3);
      assert_int_equal(pk_batch_push(b, 4, 0, (const double[3]){0}, (const double[3]){1, 0, 0}), PK_OK);
      assert_int_equal(pk_batch_step(b, PACE(20, 5), &info), PK_OK);
      assert_int_equal(allocations, 0);
      pk_batch_destroy(b);
      fleet_free(&f);
    }
  }
}

/* With the room for contacts that a batch chooses by itself, and with the controller that trots. */
static void a_world_of_starleth_takes_less_than_17_kb(void **state)
{
  (void)state;
  fleet f;
  fleet_make(&f, &settings[0]);
  pk_batch *own, *b = fleet_batch(&f, 4, 4, 1), *two = fleet_batch(&f, 4, 4, 2);
  assert_int_equal(pk_batch_create(f.model, NULL, &own, NULL), PK_OK);
  assert_int_equal(pk_batch_keep(own), 24);
  assert_int_equal(pk_batch_sim_options(own).max_contacts, 128); /* as a sim's */
  assert_int_equal(pk_batch_worlds(own), 1);
  assert_at_least(pk_batch_threads(own), 1);
  assert_true(pk_batch_lanes(own) == 4 || pk_batch_lanes(own) == 8);
  print_message("a world: %zu bytes, with locomotion %zu; a thread: %zu bytes\n", pk_batch_world_bytes(own),
                pk_batch_world_bytes(b), pk_batch_shared_bytes(b));
  assert_less(pk_batch_world_bytes(b), 17408);
  assert_less(pk_batch_world_bytes(b) - pk_batch_world_bytes(own), f.controller->state_size + 64);
  assert_int_equal(pk_batch_world_bytes(b), pk_batch_world_bytes(two));
  assert_greater(pk_batch_shared_bytes(two), pk_batch_shared_bytes(b));
  pk_batch_destroy(own), pk_batch_destroy(b), pk_batch_destroy(two);
  fleet_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_step_of_a_batch_allocates),
      cmocka_unit_test(a_world_of_starleth_takes_less_than_17_kb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
