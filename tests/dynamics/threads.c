/* One model, many threads: each has a sim of its own, and nothing that they share is written. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"

enum { THREADS = 4, STEPS = 200, NQ_MAX = 32 };

/* What a thread is given, and what it leaves. Threads make no assertions: cmocka's belong to the main one. */
typedef struct job {
  const pk_model *model;
  int index;
  pk_status status;
  double q[NQ_MAX], u[NQ_MAX], tau[NQ_MAX];
} job;

/* A robot in free flight under PD commands; its start depends on the index. */
static void *fly(void *user)
{
  job *j = user;
  const pk_model *m = j->model;
  pk_sim_options options = pk_sim_options_default();
  options.dt = 1e-3;
  options.stepper = j->index % 2 == 0 ? PK_STEPPER_MOREAU : PK_STEPPER_RK4;
  options.joint_limits = options.joint_friction = false;
  pk_sim *sim = NULL;
  j->status = pk_sim_create(m, &options, &sim, NULL);
  for (int i = 0; j->status == PK_OK && i < m->nu; i++) {
    pk_sim_u(sim)[i] = 0.1 * (i % 5) - 0.05 * j->index;
    if (m->dof_q[i] >= 0) {
      pk_sim_commands(sim)[i] =
          (pk_command){.q_des = 0.2, .kp = 20, .kd = 1, .tau = 0.1 * j->index, .tau_max = 30};
    }
  }
  for (int s = 0; j->status == PK_OK && s < STEPS; s++) {
    j->status = pk_sim_step(sim, NULL);
  }
  if (j->status == PK_OK) {
    memcpy(j->q, pk_sim_q(sim), (size_t)m->nq * sizeof *j->q);
    memcpy(j->u, pk_sim_u(sim), (size_t)m->nu * sizeof *j->u);
    /* the sim's own scratch answers questions between steps */
    pk_inverse_dynamics(pk_sim_workspace(sim), j->q, j->u, NULL, j->tau);
  }
  pk_sim_destroy(sim);
  return NULL;
}

static void sims_of_one_model_run_in_threads_with_the_same_bits(void **state)
{
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/models/starleth/starleth.urdf", PK_SOURCE_DIR);
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  pk_model *model = NULL;
  assert_int_equal(pk_model_load_urdf(path, &options, &model, NULL), PK_OK);
  assert_in_range(model->nq, 1, NQ_MAX);
  static job alone[THREADS], together[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    together[i] = alone[i] = (job){.model = model, .index = i};
    assert_int_equal(pthread_create(&threads[i], NULL, fly, &together[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    fly(&alone[i]);
    assert_int_equal(alone[i].status, PK_OK);
    assert_int_equal(together[i].status, PK_OK);
    assert_memory_equal(together[i].q, alone[i].q, sizeof alone[i].q);
    assert_memory_equal(together[i].u, alone[i].u, sizeof alone[i].u);
    assert_memory_equal(together[i].tau, alone[i].tau, sizeof alone[i].tau);
  }
  /* different starts, different ends: the comparison compares something */
  assert_true(memcmp(alone[0].q, alone[2].q, sizeof alone[0].q) != 0);
  pk_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sims_of_one_model_run_in_threads_with_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
