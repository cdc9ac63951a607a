/* Measuring in turns: order, calls and statistics, none of them by the clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/measure.h"
#include "support/bounds.h"

static void quantiles_lie_between_neighbours(void **state)
{
  (void)state;
  const double sorted[] = {1.0, 2.0, 4.0, 8.0};
  assert_true(pki_measure_quantile(sorted, 4, 0.0) == 1.0);
  assert_true(pki_measure_quantile(sorted, 4, 0.5) == 3.0);
  assert_true(pki_measure_quantile(sorted, 4, 1.0) == 8.0);
  assert_true(pki_measure_quantile(sorted, 4, 0.25) == 1.75);
  assert_true(pki_measure_quantile(sorted, 1, 0.75) == 1.0);
}

/* Remembers who ran last, how often the turn changed, and which inputs were used. */
typedef struct diary {
  int last, changes;
} diary;

typedef struct guest {
  diary *diary;
  int id;
  long used[4];
  volatile double sum;
} guest;

static void run_guest(void *user, int index)
{
  guest *g = user;
  if (g->diary->last != g->id) {
    g->diary->changes++;
  }
  g->diary->last = g->id;
  g->used[index]++;
  for (int i = 0; i < 100; i++) {
    g->sum = g->sum + sqrt((double)i);
  }
}

static void entrants_take_turns_over_all_inputs(void **state)
{
  (void)state;
  diary d = {.last = -1};
  guest guests[2] = {{.diary = &d, .id = 0}, {.diary = &d, .id = 1}};
  pki_entrant entrants[2] = {{.run = run_guest, .user = &guests[0], .inputs = 4},
                             {.run = run_guest, .user = &guests[1], .inputs = 2}};
  const pki_measure_options options = {.round = 1e-5, .total = 0.0, .least = 6, .most = 6};
  assert_true(pki_measure(entrants, 2, &options));

  /* Two changes while calibrating, then two in each of six rounds. */
  assert_int_equal(d.changes, 14);
  for (int k = 0; k < 4; k++) {
    assert_greater(guests[0].used[k], 0);
  }
  assert_greater(guests[1].used[0], 0);
  assert_greater(guests[1].used[1], 0);
  assert_int_equal(guests[1].used[2] + guests[1].used[3], 0);
  for (int e = 0; e < 2; e++) {
    assert_greater(entrants[e].median, 0.0);
    assert_true(isfinite(entrants[e].median));
    assert_at_least(entrants[e].spread, 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_lie_between_neighbours),
      cmocka_unit_test(entrants_take_turns_over_all_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
