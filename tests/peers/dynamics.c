/* Smooth dynamics against another engine, named on the command line: the same compiled
 * numbers and the same random states must give the same answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/states.h"
#include "measure/dynamics_peer.h"
#include "measure/peer.h"
#include "models.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"

enum { PEERS_MAX = 16, SKIPPED = 77 };

static const double tolerance = 1e-9;

/* The engine on trial, the same for all tests. */
typedef struct trial {
  const pk_peer *peer;
  const pki_dynamics_peer *table;
} trial;

/* Largest relative differences over the states. */
typedef struct worst {
  double a_aba, a_crba, tau, M;
} worst;

static void keep_worst(double *largest, const double *x, const double *y, size_t count)
{
  *largest = fmax(*largest, pki_relative_difference(x, y, count));
}

/* One state on both sides. */
static void compare_state(const trial *t, void *engine, pk_workspace *w, const pki_dynamics_state *s,
                          size_t nu, double *mine, double *theirs, worst *out)
{
  t->table->store(engine, 0, s);
  t->table->run(engine, PKI_ALGORITHM_ABA, 0);
  t->table->read(engine, PKI_ALGORITHM_ABA, 0, theirs);
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_ABA, s->q, s->u, s->tau, mine), PK_OK);
  keep_worst(&out->a_aba, mine, theirs, nu);
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_CRBA, s->q, s->u, s->tau, mine), PK_OK);
  keep_worst(&out->a_crba, mine, theirs, nu);

  if (t->table->calls[PKI_ALGORITHM_RNEA]) {
    t->table->run(engine, PKI_ALGORITHM_RNEA, 0);
    t->table->read(engine, PKI_ALGORITHM_RNEA, 0, theirs);
    pk_inverse_dynamics(w, s->q, s->u, s->a, mine);
    keep_worst(&out->tau, mine, theirs, nu);
  }
  if (t->table->calls[PKI_ALGORITHM_CRBA]) {
    t->table->run(engine, PKI_ALGORITHM_CRBA, 0);
    t->table->read(engine, PKI_ALGORITHM_CRBA, 0, theirs);
    pk_mass_matrix(w, s->q, mine);
    keep_worst(&out->M, mine, theirs, nu * nu);
  }
}

/* `count` random states of a model; the worst differences stay below the tolerance. */
static void compare_model(const trial *t, const char *name, pk_model *model, int count, unsigned seed)
{
  assert_non_null(model);
  char message[400] = "";
  void *engine = t->table->create(model, 1, 1, message, sizeof message);
  if (!engine) {
    fail_msg("%s cannot take %s: %s", t->peer->name, name, message);
  }
  pk_workspace *w;
  pk_workspace_create(model, &w, NULL);
  assert_non_null(w);
  const size_t nu = (size_t)model->nu;
  double *mine = calloc(nu * nu, sizeof *mine), *theirs = calloc(nu * nu, sizeof *theirs);
  assert_true(mine && theirs);
  pki_states one;
  assert_true(pki_states_create(&one, model, 1, 0));
  const pki_dynamics_state state = {.q = one.q, .u = one.u, .tau = one.tau, .a = one.a};
  pki_random random = pki_random_seeded(seed);
  worst w_out = {0};
  for (int k = 0; k < count; k++) {
    pki_random_state(model, &random, one.q, one.u, one.tau, one.a);
    compare_state(t, engine, w, &state, nu, mine, theirs, &w_out);
  }
  print_message("%s: %d states against %s %s: a %.1e (ABA) %.1e (CRBA), tau %.1e, M %.1e\n", name, count,
                t->peer->name, t->peer->version, w_out.a_aba, w_out.a_crba, w_out.tau, w_out.M);
  assert_less(w_out.a_aba, tolerance);
  assert_less(w_out.a_crba, tolerance);
  assert_less(w_out.tau, tolerance);
  assert_less(w_out.M, tolerance);
  pki_states_destroy(&one);
  free(mine);
  free(theirs);
  pk_workspace_destroy(w);
  t->table->destroy(engine);
  pk_model_destroy(model);
}

static void accelerations_agree_on_starleth_at_1000_states(void **state)
{
  compare_model(*state, "starleth", load_robot("starleth"), 1000, 1);
}

static void accelerations_agree_on_ur10_at_1000_states(void **state)
{
  compare_model(*state, "ur10", load_robot("ur10"), 1000, 2);
}

static void accelerations_agree_on_coman_at_1000_states(void **state)
{
  compare_model(*state, "coman", load_robot("coman"), 1000, 3);
}

static void accelerations_agree_on_random_trees(void **state)
{
  for (unsigned seed = 0; seed < 20; seed++) {
    char name[32];
    snprintf(name, sizeof name, "tree %u", seed);
    compare_model(*state, name, grow_tree(3 + (int)seed, false, seed), 20, seed);
  }
}

/* MuJoCo has no floating joint inside a tree; it and DART take no massless bodies, which planar joints
 * begin with. */
static void accelerations_agree_on_planar_and_floating_joints(void **state)
{
  const trial *t = *state;
  int taken = 0;
  for (unsigned seed = 0; seed < 20; seed++) {
    char name[32], message[400] = "";
    snprintf(name, sizeof name, "tree %u", 100 + seed);
    pk_model *model = grow_tree(3 + (int)seed, true, 100 + seed);
    assert_non_null(model);
    void *engine = t->table->create(model, 1, 1, message, sizeof message);
    if (engine == NULL) {
      print_message("%s: not for %s: %s\n", name, t->peer->name, message);
      pk_model_destroy(model);
      continue;
    }
    t->table->destroy(engine);
    compare_model(t, name, model, 20, seed);
    taken++;
  }
  assert_true(taken == 20 || strcmp(t->peer->name, "simbody") != 0);
}

int main(int argc, char **argv)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  trial t = {0};
  for (int i = 0; i < count; i++) {
    if (argc == 2 && strcmp(peers[i]->name, argv[1]) == 0) {
      t = (trial){.peer = peers[i], .table = peers[i]->interface(PKI_DYNAMICS_INTERFACE)};
    }
  }
  if (!t.table) {
    printf("skipped: there is no plugin for \"%s\"; install the engine and configure again\n",
           argc == 2 ? argv[1] : "");
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(accelerations_agree_on_starleth_at_1000_states, &t),
      cmocka_unit_test_prestate(accelerations_agree_on_ur10_at_1000_states, &t),
      cmocka_unit_test_prestate(accelerations_agree_on_coman_at_1000_states, &t),
      cmocka_unit_test_prestate(accelerations_agree_on_random_trees, &t),
      cmocka_unit_test_prestate(accelerations_agree_on_planar_and_floating_joints, &t),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
