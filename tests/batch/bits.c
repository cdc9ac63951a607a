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
#include "support/bounds.h"
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
    {"an arm", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_MOREAU, 0, 2e-3, 100, true},
    {"an arm, rk4", FLEET_UR10, 0, FLEET_NOWHERE, 0, 0, PK_STEPPER_RK4, 0, 2e-3, 60, false},
    {"flight, rk4", FLEET_STARLETH, 0, FLEET_NOWHERE, FLEET_DROP, 0, PK_STEPPER_RK4, 0, 2e-3, 40, false},
    {"cut joints", FLEET_MAXIMAL, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 30, false},
    {"a loop", FLEET_LOOP, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, false},
    {"springs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_CONTACT_LAW_COMPLIANT,
     5e-4, 200, false},
    {"exact", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, PK_CONTACT_LAW_LCP_PYRAMID,
     2e-3, 80, false},
    {"rough ground", FLEET_STARLETH, FLEET_TROT, FLEET_HEIGHTS, FLEET_DROP, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3,
     80, true},
    {"objects", FLEET_OBJECTS, 0, FLEET_PLANE, FLEET_STANCE, 0.8, PK_STEPPER_MOREAU, 0, 2.5e-3, 60, true},
    {"limp coman", FLEET_COMAN, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"coman that holds its pose", FLEET_COMAN, 0, FLEET_PLANE, FLEET_HELD, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     120, true},
    {"weak motors", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 120, true},
    {"limp on rough ground", FLEET_STARLETH, 0, FLEET_HEIGHTS, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3,
     120, true},
    {"joints that rub", FLEET_RUBBING, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150,
     true},
    {"joints with springs", FLEET_SPRUNG, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150,
     true},
    {"limp anymal", FLEET_ANYMAL, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_EULER, 0, 2e-3, 120, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static const fleet_setting *setting_named(const char *name)
{
  int i = 0;
  while (strcmp(settings[i].name, name) != 0) {
    i++;
  }
  return &settings[i];
}

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

/* What steps of batches were, in all. */
typedef struct tally {
  long long stepped, alone, left[PK_LANE_EXIT_COUNT], impulses_alone, uncertified;
} tally;

static void add_to_tally(tally *t, const pk_batch_info *info)
{
  long long sum = 0;
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    t->left[i] += info->left[i], sum += info->left[i];
  }
  t->stepped += info->stepped, t->alone += info->alone;
  t->impulses_alone += info->impulses_alone, t->uncertified += info->uncertified;
  assert_int_equal(sum, info->alone); /* every step that left has one reason */
  assert_int_equal(info->left[PK_LANE_EXIT_NONE], 0);
}

static void print_tally(const char *name, const char *how, const tally *t)
{
  print_message("%s%s: %lld steps, %lld uncertified, impulses of %lld alone, %lld left", name, how,
                t->stepped, t->uncertified, t->impulses_alone, t->alone);
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    if (t->left[i] > 0) {
      print_message(", %s %lld", pk_lane_exit_name(i), t->left[i]);
    }
  }
  print_message("\n");
}

/* Every size on every number of lanes, threads in turn, for what lanes do; one of them for what goes alone. A lane alone has no
 * worlds beside it: two sizes will do; and under sanitizers those with worlds of a group left over, with none, and of two groups. */
static bool is_checked(int size, int lanes, int largest)
{
  if (size == largest) {
    return true;
  }
  return lanes == 1 ? size == 3 : PACE(true, size == 1 || size == 5 || size == 8);
}

static void check_setting(const fleet_setting *s, bool compiled)
{
  static const int sizes[] = {1, 2, 3, 5, 7, 8, 9, 13, 64};
  static const int lanes[] = {1, 4, 8};
  const bool many = PACE((s - settings) % 4 == 0, false);
  const int last = !s->on_lanes ? 7 : many ? 9 : 8, first = s->on_lanes ? 0 : 6;
  expected *e = malloc(sizeof *e);
  expect(e, s, compiled, sizes[last - 1], PACE(s->steps, s->steps / 5));
  tally t = {0};
  for (int n = first; n < last; n++) {
    for (int l = 0; l < 3; l++) {
      if (!is_checked(sizes[n], lanes[l], sizes[last - 1])) {
        continue;
      }
      pk_batch_info info;
      pk_batch *b = fleet_batch(&e->f, sizes[n], lanes[l], 1 + (n + l) % 3);
      assert_ptr_equal(b->contexts[0].group.work->code,
                       compiled ? &pki_code_find(e->f.code, lanes[l])->functions : NULL);
      assert_int_equal(pk_batch_step(b, e->steps, &info), PK_OK);
      must_be_same(e, b, "at once");
      add_to_tally(&t, &info);
      pk_batch_destroy(b);
    }
  }
  print_tally(s->name, compiled ? ", compiled" : "", &t);
  assert_greater(t.stepped, 0);
  /* the first steps of a fall are the fastest */
  if (s->on_lanes ? PACE(2, 1) * t.alone >= t.stepped : t.left[PK_LANE_EXIT_WORLD] != t.stepped) {
    fail_msg("%s: %lld of %lld steps left the lanes, %lld of them for the world", s->name, t.alone, t.stepped,
             t.left[PK_LANE_EXIT_WORLD]);
  }
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
                                      "an arm",      "flight, rk4", "springs",   "weak motors"};
  for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
    check_setting(setting_named(names[c]), true);
  }
}

/* More than a chunk, and steps in pieces of any size. */
static void steps_in_one_call_are_steps_in_many(void **state)
{
  (void)state;
  const fleet_setting *s = setting_named("all kinds");
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

/* ---- who looks on ---- */

/* Somebody who only counts what he is shown. */
static void count_problem(void *user, const pk_contact_problem *p, const double *r)
{
  int *shown = user;
  *shown += pk_contact_size(p) > 0 && isfinite(r[0]);
}

/* Link `link` of all worlds is pushed with no force. */
static void push_with_nothing(void *user, pk_batch *b, int first, int count)
{
  const int *link = user;
  for (int k = first; k < first + count; k++) {
    assert_int_equal(pk_batch_push(b, k, *link, (const double[3]){0.1, -0.2, 0.3}, (const double[3]){0}),
                     PK_OK);
  }
}

static void must_be_the_same_sim(const fleet *f, const pk_sim *sim, const pk_sim *other, const char *how,
                                 int step)
{
  const size_t size = pk_sim_state_size(sim);
  unsigned char *mine = malloc(size), *theirs = malloc(size);
  pk_sim_get_state(sim, mine);
  pk_sim_get_state(other, theirs);
  const bool same = size == pk_sim_state_size(other) && memcmp(mine, theirs, size) == 0;
  free(mine), free(theirs);
  if (!same) {
    fail_msg("%s: after step %d a world %s is another one", f->of->name, step, how);
  }
}

/* A report, somebody who is shown the problems, a stopwatch and a push of no force change no bit. */
static void bits_do_not_hang_on_who_looks(void **state)
{
  (void)state;
  static const char *const names[] = {"feet, euler", "all kinds", "limp coman", "weak motors",
                                      "limp on rough ground"};
  for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
    enum { WORLDS = 5 };
    const fleet_setting *s = setting_named(names[c]);
    const int steps = PACE(s->steps, s->steps / 5), link = 3;
    int shown = 0;
    expected *e = malloc(sizeof *e);
    expect(e, s, false, WORLDS, steps);
    for (int k = 0; k < WORLDS; k++) {
      pk_sim *watched = fleet_sim(&e->f, k), *pushed = fleet_sim(&e->f, k);
      watched->contact.observer = (pki_problem_observer){.observe = count_problem, .user = &shown};
      watched->options.timing = true;
      for (int i = 0; i < steps; i++) {
        pk_step_info info;
        assert_int_equal(pk_sim_step(watched, &info), PK_OK);
        assert_int_equal(pk_sim_push(pushed, link, (const double[3]){0.1, -0.2, 0.3}, (const double[3]){0}),
                         PK_OK);
        assert_int_equal(pk_sim_step(pushed, NULL), PK_OK);
      }
      watched->options.timing = false;
      must_be_the_same_sim(&e->f, e->sims[k], watched, "that is watched", steps);
      must_be_the_same_sim(&e->f, e->sims[k], pushed, "that is pushed with no force", steps);
      pk_sim_destroy(watched), pk_sim_destroy(pushed);
    }
    pk_batch *b = fleet_batch(&e->f, WORLDS, 4, 1);
    pk_batch_set_callback(b, push_with_nothing, (void *)&link);
    assert_int_equal(pk_batch_step(b, steps, NULL), PK_OK);
    must_be_same(e, b, "pushed with no force");
    assert_greater(shown, 0);
    pk_batch_destroy(b);
    forget(e);
    free(e);
  }
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
      cmocka_unit_test(bits_do_not_hang_on_who_looks),
      cmocka_unit_test(zeros_keep_their_signs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
