/* Scratch of controllers: a block of each sim and of each thread of a batch, zero at first, kept between updates. */
#include "pronk/batch.h"
#include "pronk/sim.h"
#include "step/world.h"
#include "support/bounds.h"

enum { SIZE = 200 };

/* What a world has seen of the scratch: how often it was updated, and what a counter there said. */
typedef struct witness {
  long long updates, counted;
} witness;

static pk_status count_updates(const pk_controller *self, const pk_observation *seen, void *state,
                               pk_command *commands)
{
  (void)self, (void)commands;
  long long *counter = seen->scratch;
  witness *w = state;
  if (counter == NULL || (uintptr_t)counter % 64 != 0) {
    return PK_ERROR_ARGUMENT;
  }
  for (size_t i = 0; i < SIZE / sizeof *counter; i++) {
    if (i > 0 && counter[i] + 1 != counter[0]) {
      return PK_ERROR_ARGUMENT;
    }
    counter[i]++;
  }
  w->updates++;
  w->counted = counter[0];
  return PK_OK;
}

static const pk_controller counting = {
    .name = "counting", .state_size = sizeof(witness), .update = count_updates, .scratch_size = SIZE};

static pk_model *load(void)
{
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_model_load_urdf(PK_SOURCE_DIR "/models/pendulum/pendulum.urdf", NULL, &m, &err), PK_OK);
  return m;
}

static const witness *witness_of(const pk_sim *sim)
{
  return sim->control.state;
}

static void a_sim_keeps_the_scratch_of_its_controller(void **state)
{
  (void)state;
  pk_model *m = load();
  pk_error err = {.message = ""};
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  for (int again = 0; again < 2; again++) { /* set anew it is zero anew */
    assert_int_equal(pk_sim_set_controller(sim, &counting, &err), PK_OK);
    for (int i = 0; i < 5; i++) {
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    assert_int_equal(witness_of(sim)->counted, 5);
  }
  /* a reset is of the world, not of the thread */
  pk_sim_reset(sim);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_int_equal(witness_of(sim)->updates, 1);
  assert_int_equal(witness_of(sim)->counted, 6);
  const pk_controller none = {.name = "none", .update = count_updates, .state_size = sizeof(witness)};
  assert_int_equal(pk_sim_set_controller(sim, &none, &err), PK_OK);
  assert_int_equal(pk_sim_step(sim, NULL), PK_ERROR_ARGUMENT); /* it asked for none and has none */
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

static void threads_of_a_batch_have_scratch_of_their_own(void **state)
{
  (void)state;
  enum { WORLDS = 40, STEPS = 30 };
  pk_model *m = load();
  pk_error err = {.message = ""};
  pk_batch_options o = pk_batch_options_default();
  o.worlds = WORLDS, o.threads = 2;
  pk_batch *batch;
  pk_sim *sim;
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_controller(sim, &counting, &err), PK_OK);
  assert_int_equal(pk_batch_create(m, &o, &batch, &err), PK_OK);
  assert_int_equal(pk_batch_set_controller(batch, &counting, &err), PK_OK);
  assert_int_equal(pk_batch_step(batch, STEPS, NULL), PK_OK);
  long long most = 0;
  for (int k = 0; k < WORLDS; k++) {
    assert_int_equal(pk_batch_world_status(batch, k), PK_OK); /* no other thread wrote there meanwhile */
    assert_int_equal(pk_batch_get(batch, k, sim, &err), PK_OK);
    const witness w = *witness_of(sim);
    assert_int_equal(w.updates, STEPS);
    most = w.counted > most ? w.counted : most;
  }
  assert_at_least(most, WORLDS * STEPS / 2); /* the counter of a thread is that of all its worlds */
  assert_at_most(most, WORLDS * STEPS);
  pk_sim_destroy(sim);
  pk_batch_destroy(batch);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sim_keeps_the_scratch_of_its_controller),
      cmocka_unit_test(threads_of_a_batch_have_scratch_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
