/* Worlds of robots with motors in batches go the way of sims alone, to the bit, however many lanes there are, with motors that
 * differ from world to world, compiled or not; and rows in slots and on chains tell the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step/world.h"
#include "support/bounds.h"
#include "support/fleet.h"
#include "support/world.h"

enum { WORLDS = 11 };

static const fleet_setting settings[] = {
    {"a trot", FLEET_STARLETH, FLEET_TROT, FLEET_PLANE, FLEET_STANCE, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150,
     true},
    {"weak legs", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_WEAK, 0.6, PK_STEPPER_EULER, 0, 2.5e-3, 120, true},
};

/* World k has motors of its own. */
static void vary_motors(const fleet *f, pk_sim *sim, int k)
{
  for (int i = 0; i + 1 < pk_actuation_count(f->actuation); i++) {
    assert_int_equal(pk_sim_scale_motor(sim, i, PK_MOTOR_VALUE_CONSTANT, 1 + 0.02 * ((k + i) % 5), NULL),
                     PK_OK);
    assert_int_equal(
        pk_sim_scale_motor(sim, i, PK_MOTOR_VALUE_RESISTANCE, 1 + 0.03 * ((k + 2 * i) % 4), NULL), PK_OK);
  }
}

static pk_sim *world_of(const fleet *f, int k, bool vary)
{
  pk_sim *sim = fleet_sim(f, k);
  if (vary) {
    vary_motors(f, sim, k);
  }
  return sim;
}

/* Batches of 1, 4 and 8 lanes beside the same worlds alone. */
static void compare_fleet(const fleet_setting *setting, bool vary, bool coded)
{
  fleet f;
  fleet_make(&f, setting);
  fleet_drive(&f);
  if (coded) {
    fleet_compile(&f);
  }
  pk_sim *sims[WORLDS], *probe = fleet_sim(&f, 0);
  for (int k = 0; k < WORLDS; k++) {
    sims[k] = world_of(&f, k, vary);
    for (int i = 0; i < setting->steps; i++) {
      must_step(sims[k]);
    }
  }
  static const int lanes[] = {1, 4, 8};
  for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
    pk_batch *b = fleet_batch(&f, WORLDS, lanes[i], 2);
    for (int k = 0; k < WORLDS; k++) {
      pk_sim *start = world_of(&f, k, vary);
      assert_int_equal(pk_batch_set(b, k, start, NULL), PK_OK);
      pk_sim_destroy(start);
    }
    pk_batch_info info;
    assert_int_equal(pk_batch_step(b, setting->steps, &info), PK_OK);
    assert_int_equal(info.frozen, 0);
    assert_less((double)info.alone, 0.2 * (double)info.stepped);
    for (int k = 0; k < WORLDS; k++) {
      if (!fleet_is_same(&f, b, k, sims[k], probe)) {
        fail_msg("%s: world %d of %d lanes is another than alone", setting->name, k, lanes[i]);
      }
    }
    pk_batch_destroy(b);
  }
  for (int k = 0; k < WORLDS; k++) {
    pk_sim_destroy(sims[k]);
  }
  pk_sim_destroy(probe);
  fleet_free(&f);
}

static void worlds_of_a_batch_are_the_worlds_alone(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    compare_fleet(&settings[i], false, false);
    compare_fleet(&settings[i], true, false);
  }
}

static void compiled_robots_have_motors_too(void **state)
{
  (void)state;
  compare_fleet(&settings[0], true, true);
}

/* A chain with more joints than lanes have room for: its worlds are stepped one by one, with their motors. */
static void long_chains_have_motors_in_batches(void **state)
{
  (void)state;
  enum { LINKS = 70 };
  pk_chain_options chain = pk_chain_options_default();
  chain.links = LINKS;
  pk_builder *builder;
  pk_model *m;
  assert_int_equal(pk_builder_create(&builder, NULL), PK_OK);
  assert_int_equal(pk_builder_add_chain(builder, &chain, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(builder, &m, NULL), PK_OK);
  pk_builder_destroy(builder);
  pk_motor_parameters p = pk_motor_parameters_default();
  pk_actuator list[LINKS];
  for (int k = 0; k < LINKS; k++) {
    list[k] = (pk_actuator){.dof = k, .kind = pk_actuator_kind_find("dc"), .parameters = &p};
  }
  pk_batch_options o = pk_batch_options_default();
  pk_actuation *motors;
  assert_int_equal(pk_actuation_create(m, list, LINKS, NULL, &motors, NULL), PK_OK);
  o.worlds = 5, o.lanes = 4, o.sim.actuation = motors;
  pk_batch *b;
  pk_sim *sim;
  assert_int_equal(pk_batch_create(m, &o, &b, NULL), PK_OK);
  assert_int_equal(pk_sim_create(m, &o.sim, &sim, NULL), PK_OK);
  pk_sim_q(sim)[0] = pk_batch_view_world(pk_batch_q(b), 3)[0] = 0.4;
  assert_int_equal(pk_batch_step(b, 20, NULL), PK_OK);
  for (int i = 0; i < 20; i++) {
    must_step(sim);
  }
  assert_memory_equal(pk_batch_view_world(pk_batch_q(b), 3), pk_sim_q(sim), (size_t)m->nq * sizeof(double));
  pk_batch_destroy(b), pk_sim_destroy(sim);
  pk_actuation_destroy(motors), pk_model_destroy(m);
}

/* The same step with its rows in slots and on chains. */
static void slots_and_chains_tell_the_same(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    fleet f;
    fleet_make(&f, &settings[i]);
    fleet_drive(&f);
    pk_sim *slots = fleet_sim(&f, 1), *chains = fleet_sim(&f, 1);
    const size_t size = pk_sim_state_size(slots);
    void *bytes = test_malloc(size);
    chains->single.chains_only = true;
    double worst = 0;
    for (int step = 0; step < settings[i].steps; step++) {
      pk_sim_get_state(slots, bytes);
      assert_int_equal(pk_sim_set_state(chains, bytes, size, NULL), PK_OK);
      assert_true(must_step(slots).certified);
      assert_true(must_step(chains).certified);
      for (int k = 0; k < f.model->nu; k++) {
        worst = fmax(worst, fabs(pk_sim_u(slots)[k] - pk_sim_u(chains)[k]));
      }
      for (int k = 0; k < pk_actuation_state_size(f.actuation); k++) {
        const double a = pk_sim_actuation(slots)[k], b = pk_sim_actuation(chains)[k];
        worst = fmax(worst, fabs(a - b) / (1 + fabs(a)));
      }
    }
    assert_less(worst, 2e-6);
    test_free(bytes);
    pk_sim_destroy(slots), pk_sim_destroy(chains);
    fleet_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_of_a_batch_are_the_worlds_alone),
      cmocka_unit_test(compiled_robots_have_motors_too),
      cmocka_unit_test(long_chains_have_motors_in_batches),
      cmocka_unit_test(slots_and_chains_tell_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
