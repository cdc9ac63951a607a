/* Quadrupeds change their gait while they go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gait/gaits.h"
#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"

/* A walk that becomes a trot, a gallop, a trot, and a stand. */
static void it_changes_its_gait_without_falling(void **state)
{
  (void)state;
  const walker_robot *robots[2] = {&walker_starleth, &walker_anymal};
  for (int k = 0; k < 2; k++) {
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = PK_GAIT_WALK;
    o.forward = 0.2;
    o.changes[0] = (pk_gait_change){.at = 4, .gait = PK_GAIT_TROT, .forward = 0.5};
    o.changes[1] = (pk_gait_change){.at = 8, .gait = PK_GAIT_GALLOP, .forward = 1};
    o.changes[2] = (pk_gait_change){.at = 12, .gait = PK_GAIT_TROT, .forward = 0.4};
    o.change_count = 3;
    o.stop = 17;
    walker w = walker_create_robot(robots[k], NULL, &o, NULL);
    static const double speed[5] = {0, 0.5, 1, 0.4, 0};
    for (int i = 0; i < 5; i++) {
      walker_facts before, f;
      assert_true(walker_run(&w, i < 4 ? 2.5 : 3, NULL, &before));
      assert_true(walker_run(&w, i < 3 ? 1.5 : 2.5, NULL, &f));
      walker_print(robots[k]->model, &f);
      assert_int_equal(before.uncertified + f.uncertified + before.others + f.others, 0);
      assert_true(i == 0 || fabs(f.speed[0] - speed[i]) < 0.1);
      assert_less(fmax(before.tilt, f.tilt), 0.3);
    }
    walker_facts f;
    assert_true(walker_run(&w, 1, NULL, &f));
    assert_less(f.drift, 2e-3);
    assert_true(f.stance == 0); /* it stands */
    walker_destroy(&w);
  }
}

/* From each gait to each other, at a moment of the cycle that differs from pair to pair. */
static void any_gait_can_follow_any_other(void **state)
{
  (void)state;
  const int count = PK_GAIT_PRONK - PK_GAIT_TROT + 1;
  for (int pair = 0; pair < count * count; pair += PACE(1, 16)) {
    const pk_gait from = (pk_gait)(PK_GAIT_TROT + pair / count), to = (pk_gait)(PK_GAIT_TROT + pair % count);
    if (from == to) {
      continue;
    }
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = from;
    o.forward = 0.3;
    o.changes[0] = (pk_gait_change){.at = 1.2 + 0.037 * (pair % 11), .gait = to, .forward = 0.3};
    o.change_count = 1;
    walker w = walker_create(NULL, &o, NULL);
    walker_facts f;
    if (!walker_run(&w, 4, NULL, &f)) {
      fail_msg("fell when it changed from %s to %s", pki_gaits[from]->name, pki_gaits[to]->name);
    }
    assert_int_equal(f.uncertified, 0);
    walker_destroy(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_changes_its_gait_without_falling),
      cmocka_unit_test(any_gait_can_follow_any_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
