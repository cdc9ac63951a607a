/* Oscillators of four and of six legs find every gait from everywhere, never run backward, and change without a break. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "control/registry.h"
#include "gait/cpg.h"
#include "gait/gaits.h"
#include "support/bounds.h"

static pki_rhythm rhythm_on(pk_gait gait, int legs)
{
  const pki_gait_row *row = pki_gaits[gait];
  pki_rhythm r = {.duty = row->duty, .cycle = 0.2 * row->cycle};
  pki_gait_footfall(row, legs, r.footfall);
  return r;
}

static pki_rhythm rhythm(pk_gait gait)
{
  return rhythm_on(gait, 4);
}

/* From random phases, and from those that are worst: each leg half a cycle off. */
static void it_finds_every_gait_on(int legs)
{
  pki_random random = pki_random_seeded(7);
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait++) {
    if (!pki_gait_suits(pki_gaits[gait], legs)) {
      continue;
    }
    const pki_rhythm goal = rhythm_on((pk_gait)gait, legs);
    for (int trial = 0; trial < 200; trial++) {
      pki_cpg g;
      pki_cpg_start(&g, legs, &goal);
      for (int i = 0; i < legs; i++) {
        g.phase[i] += trial < 1 << legs ? 0.5 * (trial >> i & 1) : pki_random_between(&random, 0, 1);
      }
      for (double t = 0; t < 8 * goal.cycle; t += 2.5e-3) {
        pki_cpg_step(&g, &goal, 2.5e-3);
      }
      assert_less(pki_cpg_distance(&g, &goal), 2e-3);
    }
  }
}

static void it_finds_every_gait_from_everywhere(void **state)
{
  (void)state;
  it_finds_every_gait_on(4);
}

static void six_legs_find_theirs(void **state)
{
  (void)state;
  it_finds_every_gait_on(6);
}

/* Fore and hind foot of a side land with the middle one of the other; a wave runs from hind to fore, one foot at a time. */
static void six_legs_have_tripods_and_waves(void **state)
{
  (void)state;
  const pki_rhythm trot = rhythm_on(PK_GAIT_TROT, 6), crawl = rhythm_on(PK_GAIT_CRAWL, 6);
  for (int i = 0; i < 6; i++) {
    static const double tripods[6] = {0, 0.5, 0.5, 0, 0, 0.5}, wave[6] = {0, 3, 5, 2, 4, 1};
    assert_near(trot.footfall[i], tripods[i], 0);
    assert_near(crawl.footfall[i], wave[i] / 6, 1e-15);
  }
  assert_false(pki_gait_suits(pki_gaits[PK_GAIT_GALLOP], 6));
  assert_false(pki_gait_suits(pki_gaits[PK_GAIT_CANTER], 6));
  assert_true(pki_gait_suits(pki_gaits[PK_GAIT_GALLOP], 4));
}

/* Between all pairs of gaits: phases rise in every step by less than twice their pace, duty and cycle move without steps,
 * and no foot is in the air for longer than in both. */
static void gaits_change_without_a_break(void **state)
{
  (void)state;
  static const double dt = 1e-3;
  for (int pair = 0; pair < 81; pair++) {
    const pki_rhythm from = rhythm((pk_gait)(PK_GAIT_TROT + pair / 9));
    const pki_rhythm to = rhythm((pk_gait)(PK_GAIT_TROT + pair % 9));
    const double swing = fmax((1 - from.duty) * from.cycle, (1 - to.duty) * to.cycle);
    const double longer = fmax(from.cycle, to.cycle);
    pki_cpg g;
    pki_cpg_start(&g, 4, &from);
    for (double t = 0; t < 7 * longer; t += dt) {
      const pki_cpg before = g;
      pki_cpg_step(&g, &to, dt);
      for (int i = 0; i < g.legs; i++) {
        const double gone = (g.phase[i] - before.phase[i]) * before.cycle / dt;
        assert_greater(gone, 0.3);
        assert_less(gone, 2);
      }
      assert_less(fabs(g.cycle - before.cycle), 2.1 * dt / before.cycle * longer);
      assert_less(fabs(g.duty - before.duty), 20 * dt);
      assert_less((1 - g.duty) * g.cycle, swing + 1e-9);
    }
    assert_less(pki_cpg_distance(&g, &to), 5e-3);
    assert_less(fabs(g.duty - to.duty), 1e-3);
    assert_less(fabs(g.cycle - to.cycle), 1e-3 * to.cycle);
  }
}

/* Which gaits leave the ground follows from their rows; counted here moment by moment. */
static void flight_is_where_no_foot_stands(void **state)
{
  (void)state;
  for (int gait = PK_GAIT_TROT; gait <= PK_GAIT_PRONK; gait++) {
    const pki_rhythm r = rhythm((pk_gait)gait);
    pki_cpg g;
    pki_cpg_start(&g, 4, &r);
    memset(g.late, 0, sizeof g.late);
    const bool flies = pki_cpg_flies(&g);
    int seen = 0;
    for (int k = 0; k < 997; k++) {
      bool any = false;
      for (int i = 0; i < g.legs; i++) {
        any = any || pki_cpg_stance(&g, i);
      }
      seen += !any;
      pki_cpg_step(&g, &r, r.cycle / 997);
    }
    /* a pace changes from one pair to the other in a moment, twice a cycle: rounding may show it as flight, but no longer */
    if (gait == PK_GAIT_PACE) {
      assert_at_most(seen, 2);
    } else {
      assert_int_equal(flies, seen > 0);
    }
  }
}

/* The table, the words of scenarios and the enumeration are in one order. */
static void every_gait_has_its_word(void **state)
{
  (void)state;
  const pki_controller_row *row = pki_controllers[pki_row_find(pki_controllers, "locomotion")];
  const pk_field *f = pki_fields_find(row->fields, row->nfield, "gait");
  assert_int_equal(pki_field_word_count(f), PK_GAIT_COUNT);
  for (int gait = 0; gait < PK_GAIT_COUNT; gait++) {
    assert_string_equal(pki_gaits[gait]->name, pki_field_word(f, gait));
  }
  assert_string_equal(pki_gaits[PK_GAIT_TROT]->name, "trot");
  assert_string_equal(pki_gaits[PK_GAIT_CANTER]->name, "canter");
  assert_string_equal(pki_gaits[PK_GAIT_JUMP]->name, "jump");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_finds_every_gait_from_everywhere), cmocka_unit_test(six_legs_find_theirs),
      cmocka_unit_test(six_legs_have_tripods_and_waves),     cmocka_unit_test(gaits_change_without_a_break),
      cmocka_unit_test(flight_is_where_no_foot_stands),      cmocka_unit_test(every_gait_has_its_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
