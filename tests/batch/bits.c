/* World k of a batch is the world alone, to the bit: whoever is beside it, on however many lanes and threads, in one call
 * or in many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch/batch.h"
#include "dynamics/code.h"
#include "support/fleet.h"
#include "support/pace.h"

enum { MOST = 70 }; /* more than a chunk */

static const fleet_setting settings[] = {
    {"feet", FLEET_FEET, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 200, true},
    {"feet that drop on a slope", FLEET_FEET, 0, FLEET_SLOPE, FLEET_DROP, 0.3, PK_STEPPER_MOREAU, 0, 2.5e-3,
     120, true},
    {"feet, euler", FLEET_FEET, 0, FLEET_PLANE, FLEET_DROP, 0.1, PK_STEPPER_EULER, 0, 1e-3, 150, true},
    {"trot", FLEET_STARLETH, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 300,
     true},
    {"hold", FLEET_STARLETH, FLEET_HOLD, FLEET_PLANE, FLEET_DROP, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 150,
     true},
    {"anymal", FLEET_ANYMAL, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 200,
     true},
    {"all kinds", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_MIX, 0.1, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"all kinds, euler, slope", FLEET_STARLETH, 0, FLEET_SLOPE, FLEET_MIX, 0.7, PK_STEPPER_EULER, 0, 2e-3,
     100, true},
    {"worlds that differ", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_VARIED, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3,
     120, true},
    {"an arm", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_MOREAU, 0, 2e-3, 100, false},
    {"an arm, rk4", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_RK4, 0, 2e-3, 60, false},
    {"flight, rk4", FLEET_STARLETH, 0, FLEET_NOWHERE, FLEET_DROP, 0, PK_STEPPER_RK4, 0, 2e-3, 40, false},
    {"cut joints", FLEET_MAXIMAL, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 30, false},
    {"a loop", FLEET_LOOP, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, false},
    {"springs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_LAW_COMPLIANT, 5e-4,
     200, false},
    {"exact", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_LAW_EXACT_LCP, 2e-3, 80,
     false},
    {"rough ground", FLEET_STARLETH, FLEET_TROT, FLEET_HEIGHTS, FLEET_DROP, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3,
     80, true},
    {"objects", FLEET_OBJECTS, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, false},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* All worlds of a setting, each alone, and how they ended. */
typedef struct expected {
  fleet f;
  pk_sim *sims[MOST], *probe;
  pk_status status[MOST];
  int count, steps;
} expected;

static void expect(expected *e, const fleet_setting *s, bool compiled, int count, int steps)
{
  fleet_make(&e->f, s);
  if (compiled) {
    fleet_compile(&e->f);
  }
  e->count = count, e->steps = steps;
  e->probe = fleet_sim(&e->f, 0);
  for (int k = 0; k < count; k++) {
    e->sims[k] = fleet_sim(&e->f, k);
    e->status[k] = PK_OK;
    for (int i = 0; i < steps && e->status[k] == PK_OK; i++) {
      e->status[k] = pk_sim_step(e->sims[k], NULL);
    }
  }
}

static void forget(expected *e)
{
  for (int k = 0; k < e->count; k++) {
    pk_sim_destroy(e->sims[k]);
  }
  pk_sim_destroy(e->probe);
  fleet_free(&e->f);
}

static void must_be_same(const expected *e, pk_batch *b, const char *how)
{
  for (int k = 0; k < pk_batch_worlds(b); k++) {
    assert_int_equal(pk_batch_world_status(b, k), e->status[k]);
    if (!fleet_is_same(&e->f, b, k, e->sims[k], e->probe)) {
      fail_msg("%s: world %d of %d on %d lanes and %d threads (%s) is not the world alone", e->f.of->name, k,
               pk_batch_worlds(b), pk_batch_lanes(b), pk_batch_threads(b), how);
    }
  }
}

/* Every size on every number of lanes, threads in turn, for what lanes do; one of them for what goes alone. */
static void check_setting(const fleet_setting *s, bool compiled)
{
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 64};
  static const int lanes[] = {1, 4, 8};
  const int last = s->on_lanes ? PACE(10, 9) : 8, first = s->on_lanes ? 0 : 7;
  expected *e = malloc(sizeof *e);
  expect(e, s, compiled, sizes[last - 1], PACE(s->steps, s->steps / 5));
  long long stepped = 0, alone = 0;
  for (int n = first; n < last; n++) {
    for (int l = 0; l < 3; l++) {
      pk_batch_info info;
      pk_batch *b = fleet_batch(&e->f, sizes[n], lanes[l], 1 + (n + l) % 3);
      assert_ptr_equal(b->crews[0].group.work->code,
                       compiled ? &pki_code_find(e->f.code, lanes[l])->functions : NULL);
      assert_int_equal(pk_batch_step(b, e->steps, &info), PK_OK);
      must_be_same(e, b, "at once");
      stepped += info.stepped, alone += info.alone;
      pk_batch_destroy(b);
    }
  }
  print_message("%s%s: %lld steps, %lld alone\n", s->name, compiled ? ", compiled" : "", stepped, alone);
  assert_true(stepped > 0);
  assert_true((alone < stepped) == s->on_lanes);
  forget(e);
  free(e);
}

static void worlds_on_lanes_are_the_worlds_alone(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    if (settings[i].on_lanes) {
      check_setting(&settings[i], false);
    }
  }
}

static void worlds_that_lanes_cannot_do_are_the_worlds_alone(void **state)
{
  (void)state;
  for (int i = 0; i < SETTINGS; i++) {
    if (!settings[i].on_lanes) {
      check_setting(&settings[i], false);
    }
  }
}

/* Some have masses of their own, others the model's, and all run on the model's own code. */
static void compiled_worlds_are_the_worlds_alone(void **state)
{
  (void)state;
  static const char *const names[] = {"feet, euler", "trot",        "all kinds", "worlds that differ",
                                      "an arm",      "flight, rk4", "springs"};
  for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
    for (int i = 0; i < SETTINGS; i++) {
      if (strcmp(settings[i].name, names[c]) == 0) {
        check_setting(&settings[i], true);
      }
    }
  }
}

/* More than a chunk, and steps in pieces of any size. */
static void steps_in_one_call_are_steps_in_many(void **state)
{
  (void)state;
  const fleet_setting *s = &settings[6]; /* all kinds */
  const int steps = PACE(60, 20);
  expected *e = malloc(sizeof *e);
  expect(e, s, false, MOST, steps);
  for (int way = 0; way < 3; way++) {
    static const int pieces[] = {10, 1, 7};
    pk_batch *b = fleet_batch(&e->f, MOST, 4, 1 + way % 2);
    for (int i = 0; i < steps; i += pieces[way]) {
      assert_int_equal(pk_batch_step(b, i + pieces[way] < steps ? pieces[way] : steps - i, NULL), PK_OK);
    }
    must_be_same(e, b, "in pieces");
    pk_batch_destroy(b);
  }
  forget(e);
  free(e);
}

/* A zero keeps its sign whoever is beside it: in the air nothing is added to velocities. */
static void zeros_keep_their_signs(void **state)
{
  (void)state;
  const fleet_setting *s = &settings[0];
  expected *e = malloc(sizeof *e);
  fleet_make(&e->f, s);
  e->count = 4, e->steps = 30;
  e->probe = fleet_sim(&e->f, 0);
  pk_batch *b = fleet_batch(&e->f, 4, 4, 1);
  for (int k = 0; k < 4; k++) {
    e->sims[k] = fleet_sim(&e->f, k);
    if (k % 2) { /* high up, not turned, moving along no axis */
      pk_sim_q(e->sims[k])[2] = 2;
      for (int i = 0; i < 18; i++) {
        pk_sim_u(e->sims[k])[i] = -0.0;
      }
    }
    assert_int_equal(pk_batch_set(b, k, e->sims[k], NULL), PK_OK);
    for (int i = 0; i < e->steps; i++) {
      assert_int_equal(pk_sim_step(e->sims[k], NULL), PK_OK);
    }
    e->status[k] = PK_OK;
  }
  assert_int_equal(pk_batch_step(b, e->steps, NULL), PK_OK);
  must_be_same(e, b, "with zeros");
  pk_batch_destroy(b);
  forget(e);
  free(e);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_on_lanes_are_the_worlds_alone),
      cmocka_unit_test(worlds_that_lanes_cannot_do_are_the_worlds_alone),
      cmocka_unit_test(compiled_worlds_are_the_worlds_alone),
      cmocka_unit_test(steps_in_one_call_are_steps_in_many),
      cmocka_unit_test(zeros_keep_their_signs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
