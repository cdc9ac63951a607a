/* Tracked joints, rows that follow the motion, landing and giving way in batches: unlike worlds share lanes, and each does what it does alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/batch.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/world.h"

enum { WORLDS = 8, STEPS = 12 };

typedef struct setting {
  double dt, most; /* s; N m */
  int relinearise;
  bool yield, landing_friction;
} setting;

static const setting settings[] = {
    {0.05, 60, 4, false, false}, {0.05, 60, 4, true, false}, {0.05, 60, 1, true, false},
    {0.1, 30, 4, true, false},   {0.01, 30, 3, true, true},
};

typedef struct herd {
  pk_batch *batch;
  pk_sim *alone[WORLDS];
  double rate[WORLDS][12]; /* rad/s, that targets ask for */
} herd;

static pk_sim_options options_of(const setting *s)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = s->dt, o.stepper = PK_STEPPER_EULER;
  o.relinearise = s->relinearise, o.yield = s->yield, o.landing_friction = s->landing_friction;
  return o;
}

/* Every other world stands; the rest fall from some height with some pose and velocity. */
static void scatter_world(pk_sim *sim, int k, pki_random *random)
{
  starleth_pose(sim, 0.4461, false);
  for (int j = 0; j < 12 && k % 2 == 1; j++) {
    pk_sim_q(sim)[7 + j] += pki_random_between(random, -0.2, 0.2);
  }
  for (int j = 0; j < 18 && k % 2 == 1; j++) {
    pk_sim_u(sim)[j] = pki_random_between(random, -1, 1);
  }
  pk_sim_q(sim)[2] += k % 2 == 1 ? 0.3 * pki_random_unit(random) : 0;
}

static herd make_herd(const pk_model *m, const pk_terrain *t, const setting *s, int lanes, pki_random *random)
{
  herd h;
  const pk_sim_options o = options_of(s);
  pk_batch_options b = pk_batch_options_default();
  b.worlds = WORLDS, b.lanes = lanes, b.threads = 1, b.sim = o;
  assert_int_equal(pk_batch_create(m, &b, &h.batch, NULL), PK_OK);
  for (int k = 0; k < WORLDS; k++) {
    h.alone[k] = start_world(m, t, (pk_material){.friction = 0.8}, &o);
    if (k == 0) {
      assert_int_equal(pk_batch_set_like(h.batch, h.alone[0], NULL), PK_OK);
    }
    scatter_world(h.alone[k], k, random);
    for (int j = 0; j < 12; j++) {
      h.rate[k][j] = pki_random_between(random, -1, 1);
    }
    assert_int_equal(pk_batch_set(h.batch, k, h.alone[k], NULL), PK_OK);
  }
  return h;
}

static void command_world(const herd *h, const setting *s, int k)
{
  pk_sim *const sim = h->alone[k];
  pk_command *const commands = (pk_command *)(void *)pk_batch_view_world(pk_batch_commands(h->batch), k);
  for (int j = 0; j < 12; j++) {
    const double rate = h->rate[k][j];
    pk_sim_commands(sim)[6 + j] = commands[6 + j] = (pk_command){
        .q_des = pk_sim_q(sim)[7 + j] + rate * s->dt, .u_des = rate, .correction = s->dt, .tau_max = s->most};
  }
}

static void worlds_of_a_group_do_as_each_alone(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  pk_terrain *t = slope_terrain(0);
  pki_random random = pki_random_seeded(7);
  int relinearised = 0, yielded = 0;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    for (int seed = 0; seed < PACE(8, 1); seed++) {
      const herd h = make_herd(m, t, &settings[i], seed % 2 == 0 ? 4 : 8, &random);
      for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < WORLDS; k++) {
          command_world(&h, &settings[i], k);
        }
        assert_int_equal(pk_batch_step(h.batch, 1, NULL), PK_OK);
        for (int k = 0; k < WORLDS; k++) {
          const pk_step_info info = must_step(h.alone[k]);
          relinearised += info.relinearised, yielded += info.yielded;
          assert_int_equal(pk_batch_world_status(h.batch, k), PK_OK);
          assert_memory_equal(pk_sim_u(h.alone[k]), pk_batch_view_world(pk_batch_u(h.batch), k),
                              (size_t)m->nu * sizeof(double));
          assert_memory_equal(pk_sim_q(h.alone[k]), pk_batch_view_world(pk_batch_q(h.batch), k),
                              (size_t)m->nq * sizeof(double));
        }
      }
      for (int k = 0; k < WORLDS; k++) {
        pk_sim_destroy(h.alone[k]);
      }
      pk_batch_destroy(h.batch);
    }
  }
  assert_greater(relinearised, 100);
  assert_greater(yielded, 10);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_of_a_group_do_as_each_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
