/* The worlds of `pronk bench batch`: where they start, and that each gets its own targets from whoever steps it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/contact_run.h"
#include "bench/crowd.h"
#include "support/bounds.h"

enum { WORLDS = 10, STEPS = 7 };

static pki_contact_stage stage;

static int set_up(void **state)
{
  (void)state;
  return pki_contact_stage_create(&stage, PKI_CONTACT_TROT, 2.5e-3, NULL) == PK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  pki_contact_stage_destroy(&stage);
  return 0;
}

static void worlds_stand_all_over_the_cycle(void **state)
{
  (void)state;
  pki_crowd crowd;
  assert_int_equal(pki_crowd_create(&crowd, &stage, WORLDS, false, NULL), PK_OK);
  const size_t nq = (size_t)stage.model.nq;
  bool seen[WORLDS] = {false};
  for (int k = 0; k < WORLDS; k++) {
    const int tenth = crowd.place[k] * WORLDS / stage.ntarget;
    assert_false(seen[tenth]); /* one in each tenth of it */
    seen[tenth] = true;
    double *q = crowd.q + (size_t)k * nq;
    assert_false(pki_contact_is_down(&(pki_contact_sample){.q = q}));
    const double norm = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
    assert_less(fabs(norm - 1), 1e-12);
  }
  pki_crowd again;
  assert_int_equal(pki_crowd_create(&again, &stage, WORLDS, false, NULL), PK_OK);
  assert_memory_equal(crowd.q, again.q, WORLDS * nq * sizeof *crowd.q);
  pki_crowd_destroy(&again);
  pki_crowd_destroy(&crowd);
}

static void worlds_in_phase_share_their_targets_and_not_their_pose(void **state)
{
  (void)state;
  pki_crowd crowd;
  assert_int_equal(pki_crowd_create(&crowd, &stage, WORLDS, true, NULL), PK_OK);
  for (int k = 1; k < WORLDS; k++) {
    assert_ptr_equal(pki_crowd_target(&crowd, k, 3), pki_crowd_target(&crowd, 0, 3));
    assert_true(crowd.q[(size_t)k * (size_t)stage.model.nq] != crowd.q[0]);
  }
  pki_crowd_destroy(&crowd);
}

/* World k of a batch goes the way of a sim that is given world k's start and targets. */
static void a_batch_follows_each_worlds_own_targets(void **state)
{
  (void)state;
  const pk_model *m = &stage.model;
  pki_crowd crowd;
  pki_crowd_batch batch;
  assert_int_equal(pki_crowd_create(&crowd, &stage, WORLDS, false, NULL), PK_OK);
  assert_int_equal(pki_crowd_batch_create(&batch, &crowd, NULL, NULL, 4, 2, STEPS, NULL),
                   PK_OK); /* takes one step */
  pki_crowd_batch_call(&batch, 0);
  assert_int_equal(batch.info.stepped, WORLDS * STEPS);
  assert_false(pki_crowd_batch_fell(&batch));
  const pk_sim_options o = pk_batch_sim_options(batch.batch);
  assert_true(o.tolerance == 1e-6 && o.dt == 2.5e-3);
  for (int k = 0; k < WORLDS; k++) {
    pk_sim *sim;
    assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
    const pk_material rubber = {.friction = stage.scene.mu};
    assert_int_equal(pk_sim_set_terrain(sim, batch.ground, &rubber, 1, NULL), PK_OK);
    memcpy(pk_sim_q(sim), crowd.q + (size_t)k * (size_t)m->nq, (size_t)m->nq * sizeof(double));
    memcpy(pk_sim_u(sim), crowd.u + (size_t)k * (size_t)m->nu, (size_t)m->nu * sizeof(double));
    for (int step = 0; step < 1 + STEPS; step++) {
      for (int i = 6; i < m->nu; i++) {
        pk_sim_commands(sim)[i] = (pk_command){.q_des = pki_crowd_target(&crowd, k, step)[i],
                                               .kp = stage.scene.kp,
                                               .kd = stage.scene.kd,
                                               .tau_max = INFINITY};
      }
      assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
    }
    assert_memory_equal(pk_batch_view_world(pk_batch_q(batch.batch), k), pk_sim_q(sim),
                        (size_t)m->nq * sizeof(double));
    pk_sim_destroy(sim);
  }
  pki_crowd_batch_destroy(&batch);
  pki_crowd_destroy(&crowd);
}

/* ---- an engine that adds up its targets ---- */

typedef struct adder {
  const pki_contact_scene *scene;
  double state[64]; /* q, u, the sum */
} adder;

static int living; /* worlds that are not destroyed */

static int adder_size(void *world)
{
  const adder *a = world;
  return a->scene->model->nq + a->scene->model->nu + 1;
}

static void *adder_create(const pki_contact_scene *scene, int config, char *message, size_t size)
{
  (void)config, (void)message, (void)size;
  adder *a = calloc(1, sizeof *a);
  assert_non_null(a);
  a->scene = scene;
  living++;
  return a;
}

static void *adder_clone(void *world)
{
  const adder *from = world;
  return adder_create(from->scene, 0, NULL, 0);
}

static void adder_destroy(void *world)
{
  living--;
  free(world);
}

static bool adder_step(void *world, const double *q_des)
{
  adder *a = world;
  a->state[adder_size(a) - 1] += q_des[7];
  return true;
}

static void adder_get(void *world, double *state)
{
  const adder *a = world;
  memcpy(state, a->state, (size_t)adder_size(world) * sizeof *state);
}

static void adder_set(void *world, const double *state)
{
  adder *a = world;
  memcpy(a->state, state, (size_t)adder_size(world) * sizeof *state);
}

static const pki_contact_peer adders = {NULL,       0,         adder_create, adder_destroy,
                                        adder_step, NULL,      adder_clone,  adder_size,
                                        adder_get,  adder_set, NULL};

static void a_peer_follows_each_worlds_own_targets_on_any_number_of_threads(void **state)
{
  (void)state;
  pki_crowd crowd;
  assert_int_equal(pki_crowd_create(&crowd, &stage, WORLDS, false, NULL), PK_OK);
  for (int threads = 1; threads <= 12; threads += threads < 3 ? 2 : 9) { /* 1, 3, 12: more than worlds */
    pki_crowd_peer peer;
    char message[80];
    assert_true(pki_crowd_peer_create(&peer, &crowd, &adders, 0, threads, STEPS, message, sizeof message));
    pki_crowd_peer_call(&peer, 0);
    pki_crowd_peer_call(&peer, 0);
    for (int k = 0; k < WORLDS; k++) {
      double sum = 0;
      for (int i = 0; i < 2 * STEPS; i++) {
        sum += pki_crowd_target(&crowd, k, i)[7];
      }
      const double *mine = peer.states + (size_t)k * (size_t)peer.size;
      assert_true(mine[peer.size - 1] == sum);
      assert_memory_equal(mine, crowd.q + (size_t)k * (size_t)stage.model.nq,
                          (size_t)stage.model.nq * sizeof *mine);
    }
    assert_false(pki_crowd_peer_fell(&peer));
    pki_crowd_peer_destroy(&peer);
    assert_int_equal(living, 0);
  }
  pki_crowd_destroy(&crowd);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_stand_all_over_the_cycle),
      cmocka_unit_test(worlds_in_phase_share_their_targets_and_not_their_pose),
      cmocka_unit_test(a_batch_follows_each_worlds_own_targets),
      cmocka_unit_test(a_peer_follows_each_worlds_own_targets_on_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
