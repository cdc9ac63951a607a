/* What a batch calls: callbacks and controllers, from several threads, and what happens when they change, and the ground. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "support/fleet.h"
#include "support/pace.h"

enum { COUNT = 11, MANY = 150 };

static const fleet_setting feet = {"feet", FLEET_FEET, 0,  FLEET_PLANE, FLEET_DROP, 0.5, PK_STEPPER_MOREAU,
                                   0,      2.5e-3,     60, true};
static const fleet_setting held = {"held", FLEET_STARLETH,    FLEET_HOLD, FLEET_PLANE, FLEET_STANCE,
                                   0.8,    PK_STEPPER_MOREAU, 0,          2.5e-3,      40,
                                   true};

static void must_be_same(const fleet *f, pk_batch *b, int k, pk_sim *sim, pk_sim *probe)
{
  if (!fleet_is_same(f, b, k, sim, probe)) {
    fail_msg("world %d on %d lanes is not the world alone", k, pk_batch_lanes(b));
  }
}

/* ---- callbacks ---- */

typedef struct calls {
  atomic_int of[MANY];
  atomic_int wrong;
} calls;

static void called(void *user, pk_batch *b, int first, int count)
{
  calls *c = user;
  const pk_batch_view u = pk_batch_u(b), commands = pk_batch_commands(b);
  c->wrong += first < 0 || count < 1 || first + count > MANY;
  for (int k = first; k < first + count; k++) {
    const int before = c->of[k]++;
    c->wrong += fabs(pk_batch_world_time(b, k) - 2.5e-3 * before) > 1e-12; /* before each step, in order */
    for (int j = 6; j < 18; j++) {
      pk_command *at = (pk_command *)(void *)pk_batch_view_world(commands, k) + j;
      at->tau = -0.1 * pk_batch_view_world(u, k)[j] + 0.01 * k;
    }
  }
}

/* Each world is shown once before each of its steps, to the thread that steps it; what is written there is obeyed. */
static void callbacks_see_each_world_before_each_step(void **state)
{
  (void)state;
  fleet f;
  const int steps = PACE(20, 6);
  fleet_make(&f, &feet);
  pk_sim *sim = fleet_sim(&f, 0), *probe = fleet_sim(&f, 0);
  for (int threads = 1; threads <= 3; threads++) {
    calls *c = calloc(1, sizeof *c);
    pk_batch *b = fleet_batch(&f, MANY, 4, threads);
    pk_batch_set_callback(b, called, c);
    assert_int_equal(pk_batch_step(b, steps, NULL), PK_OK);
    assert_int_equal(c->wrong, 0);
    for (int k = 0; k < MANY; k++) {
      assert_int_equal(c->of[k], steps);
    }
    for (int k = 0; k < MANY; k += 29) {
      pk_sim_reset(sim);
      fleet_place(&f, sim, k);
      for (int i = 0; i < steps; i++) {
        for (int j = 6; j < 18; j++) {
          pk_sim_commands(sim)[j].tau = -0.1 * pk_sim_u(sim)[j] + 0.01 * k;
        }
        assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
      }
      must_be_same(&f, b, k, sim, probe);
    }
    pk_batch_set_callback(b, NULL, NULL);
    assert_int_equal(pk_batch_step(b, 1, NULL), PK_OK);
    assert_int_equal(c->of[0], steps);
    pk_batch_destroy(b);
    free(c);
  }
  pk_sim_destroy(sim), pk_sim_destroy(probe);
  fleet_free(&f);
}

#ifdef PK_TEST_THREADS

/* Who was called. The first waits for somebody else to come, for a while. */
typedef struct meeting {
  atomic_int here;
  atomic_flag first;
} meeting;

static _Thread_local bool counted;

static void meet(void *user, pk_batch *b, int first, int count)
{
  (void)b, (void)first, (void)count;
  meeting *m = user;
  if (!counted) {
    counted = true;
    m->here++;
  }
  const time_t start = time(NULL);
  if (!atomic_flag_test_and_set(&m->first)) {
    while (m->here < 2 && time(NULL) - start < 20) {}
  }
}

/* Threads are there when they are asked for. */
static void several_threads_work_on_a_batch(void **state)
{
  (void)state;
  meeting m = {.first = ATOMIC_FLAG_INIT};
  fleet f;
  fleet_make(&f, &feet);
  pk_batch *b = fleet_batch(&f, MANY, 4, 2);
  assert_int_equal(pk_batch_threads(b), 2);
  pk_batch_set_callback(b, meet, &m);
  assert_int_equal(pk_batch_step(b, 2, NULL), PK_OK);
  assert_int_equal(m.here, 2);
  pk_batch_destroy(b);
  fleet_free(&f);
}

#endif

static void spoil(void *user, pk_batch *b, int first, int count)
{
  const int *k = user;
  if (*k >= first && *k < first + count) {
    pk_batch_view_world(pk_batch_u(b), *k)[0] = NAN;
  }
}

static void what_callbacks_write_is_checked(void **state)
{
  (void)state;
  fleet f;
  pk_batch_info info;
  int k = 2;
  fleet_make(&f, &held); /* its controller must not see it either */
  pk_batch *b = fleet_batch(&f, 5, 4, 1);
  pk_batch_set_callback(b, spoil, &k);
  assert_int_equal(pk_batch_step(b, 3, &info), PK_OK);
  assert_int_equal(info.frozen, 1);
  assert_int_equal(pk_batch_world_status(b, 2), PK_ERROR_NONFINITE);
  pk_batch_destroy(b);
  fleet_free(&f);
}

/* ---- controllers and grounds that change ---- */

/* Counts in its block, and gives up in worlds of which the trunk is high. */
static pk_status count_up(const pk_controller *self, const pk_observation *seen, void *state,
                          pk_command *commands)
{
  (void)self;
  double *count = state;
  count[0] += 1;
  count[1] += seen->ncontact;
  for (int k = 6; k < seen->model->nu; k++) {
    commands[k] = (pk_command){.tau = 0.01 * count[0], .kd = 1, .tau_max = 5};
  }
  return seen->q[2] > 2 ? PK_ERROR_UNSUPPORTED : PK_OK;
}

static void begin_count(const pk_controller *self, const pk_model *model, void *state)
{
  (void)self, (void)model;
  ((double *)state)[2] = 42;
}

static void controllers_and_grounds_take_turns(void **state)
{
  (void)state;
  static const pk_controller counting = {.name = "counting",
                                         .period = 5e-3,
                                         .state_size = 3 * sizeof(double),
                                         .reset = begin_count,
                                         .update = count_up};
  static const pk_material ice = {.friction = 0.05};
  fleet f;
  pk_error err = {.message = ""};
  fleet_make(&f, &held);
  pk_terrain *slope;
  pk_terrain_create(&slope, NULL);
  assert_int_equal(
      pk_terrain_add_plane(slope, (const double[3]){0, 0, -0.05}, (const double[3]){0.1, 0, 1}, 0, &err),
      PK_OK);
  pk_batch *b = fleet_batch(&f, COUNT, 4, 2);
  pk_sim *probe = fleet_sim(&f, 0), *sims[COUNT];
  for (int k = 0; k < COUNT; k++) {
    sims[k] = fleet_sim(&f, k);
  }
  const pk_controller *by[] = {f.controller, &counting, NULL, f.controller, &counting};
  const pk_terrain *ground[] = {f.ground, f.ground, slope, slope, f.ground};
  for (int turn = 0; turn < 5; turn++) {
    const pk_material *material = turn % 2 ? &ice : &f.material;
    assert_int_equal(pk_batch_set_controller(b, by[turn], &err), PK_OK);
    assert_int_equal(pk_batch_set_terrain(b, ground[turn], material, 1, &err), PK_OK);
    assert_int_equal(pk_batch_step(b, 20, NULL), PK_OK);
    for (int k = 0; k < COUNT; k++) {
      assert_int_equal(pk_sim_set_controller(sims[k], by[turn], &err), PK_OK);
      assert_int_equal(pk_sim_set_terrain(sims[k], ground[turn], material, 1, &err), PK_OK);
      for (int i = 0; i < 20; i++) {
        assert_int_equal(pk_sim_step(sims[k], NULL), PK_OK);
      }
      must_be_same(&f, b, k, sims[k], probe);
    }
  }
  /* a controller that gives up freezes its world */
  pk_batch_view_world(pk_batch_q(b), 4)[2] = 3;
  assert_int_equal(pk_batch_step(b, 4, NULL), PK_OK);
  assert_int_equal(pk_batch_world_status(b, 4), PK_ERROR_UNSUPPORTED);
  assert_int_equal(pk_batch_world_status(b, 3), PK_OK);
  /* a period that is no number of steps */
  const pk_controller odd = {.name = "odd", .period = 3e-3, .update = count_up};
  assert_int_equal(pk_batch_set_controller(b, &odd, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "\"odd\" has a period of 0.003 s"));
  for (int k = 0; k < COUNT; k++) {
    pk_sim_destroy(sims[k]);
  }
  pk_batch_destroy(b);
  pk_sim_destroy(probe);
  pk_terrain_destroy(slope);
  fleet_free(&f);
}

static void controllers_that_do_not_fit_are_refused_and_the_old_one_stays(void **state)
{
  (void)state;
  static const fleet_setting arm = {.name = "arm", .robot = FLEET_UR10, .driver = FLEET_HOLD, .dt = 2.5e-3};
  fleet f, other;
  pk_error err = {.message = ""};
  fleet_make(&f, &held);
  fleet_make(&other, &arm);
  pk_batch *b = fleet_batch(&f, COUNT, 4, 2), *same = fleet_batch(&f, COUNT, 4, 2);
  assert_int_equal(pk_batch_set_controller(b, other.controller, &err), PK_ERROR_ARGUMENT);
  assert_non_null(strstr(err.message, "the controller \"hold\" is of another model"));
  assert_int_equal(pk_batch_set_controller(b, &(pk_controller){.name = "idle", .state_size = 8}, &err),
                   PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "update");
  const pk_controller huge = {.name = "huge", .state_size = SIZE_MAX - 10, .update = count_up};
  assert_int_equal(pk_batch_set_controller(b, &huge, &err), PK_ERROR_MEMORY);
  assert_int_equal(pk_batch_step(b, 10, NULL), PK_OK);
  assert_int_equal(pk_batch_step(same, 10, NULL), PK_OK);
  for (int k = 0; k < COUNT; k++) {
    assert_memory_equal(pk_batch_view_world(pk_batch_q(b), k), pk_batch_view_world(pk_batch_q(same), k),
                        (size_t)f.model->nq * sizeof(double));
  }
  pk_batch_destroy(b);
  pk_batch_destroy(same);
  fleet_free(&other);
  fleet_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callbacks_see_each_world_before_each_step),
#ifdef PK_TEST_THREADS
      cmocka_unit_test(several_threads_work_on_a_batch),
#endif
      cmocka_unit_test(what_callbacks_write_is_checked),
      cmocka_unit_test(controllers_and_grounds_take_turns),
      cmocka_unit_test(controllers_that_do_not_fit_are_refused_and_the_old_one_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
