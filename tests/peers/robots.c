/* The scenes of `pronk bench robots` in MuJoCo: the same mass, and in flight the same motion. Both engines are of the first order
 * in the step, so that they come together as it shrinks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/contact_pronk.h"
#include "bench/robots_scene.h"
#include "measure/peer.h"
#include "support/bounds.h"

enum { PEERS_MAX = 16, SKIPPED = 77, MOST = 64 };

static const double FLIGHT = 0.2; /* s */

static const pki_contact_peer *mujoco;

static const pki_robots_work *find_work(const char *name)
{
  int count;
  const pki_robots_work *works = pki_robots_works(&count);
  for (int k = 0; k < count; k++) {
    if (strcmp(works[k].name, name) == 0) {
      return &works[k];
    }
  }
  fail_msg("there is no work %s", name);
  return NULL;
}

static void create_scene(pki_robots_scene *s, const char *name)
{
  pk_error err = {0};
  if (pki_robots_scene_create(s, find_work(name), &err) != PK_OK) {
    fail_msg("%s: %s", name, err.message);
  }
}

static void *create_peer(const pki_robots_scene *s, int config)
{
  char message[400] = "";
  void *world = mujoco->create(&s->scene, config, message, sizeof message);
  if (!world) {
    fail_msg("%s: %s", s->work->name, message);
  }
  return world;
}

static void both_engines_have_the_same_mass(void **state)
{
  (void)state;
  int count;
  const pki_robots_work *works = pki_robots_works(&count);
  for (int k = 0; k < count; k++) {
    pki_robots_scene s;
    if (works[k].size >= 1000) {
      continue; /* takes MuJoCo long */
    }
    create_scene(&s, works[k].name);
    void *world = create_peer(&s, 3);
    const double mass = mujoco->mass(world);
    if (!(fabs(mass - s.scene.model->mass) < 1e-9 * mass)) {
      fail_msg("%s: MuJoCo has %.17g kg, Pronk %.17g", works[k].name, mass, s.scene.model->mass);
    }
    mujoco->destroy(world);
    pki_robots_scene_destroy(&s);
  }
}

/* A start of the scene, 10 m above the ground, after the flight in both engines: the largest difference of joint angles and of
 * the base's position, and of velocities relative to the largest. */
static void fly(pki_robots_scene *s, double dt, double *apart, double *faster)
{
  pki_crowd crowd;
  pk_error err = {0};
  const pk_model *m = s->model;
  double state[3 * MOST], *q = state, *u = state + m->nq;
  assert_at_most(m->nq, MOST);
  assert_at_most(m->nu, MOST);
  s->scene.dt = dt;
  if (pki_robots_start(s, 1, 3, &crowd, &err) != PK_OK) {
    fail_msg("%s: %s", s->work->name, err.message);
  }
  crowd.q[2] += 10;
  pki_crowd_sim ours;
  assert_int_equal(pki_crowd_sim_create(&ours, &crowd, (int)lround(FLIGHT / dt), &err), PK_OK);
  pki_crowd_sim_call(&ours, 0);
  assert_int_equal(ours.status, PK_OK);
  void *world = create_peer(s, 5);
  assert_in_range(mujoco->state_size(world), m->nq + m->nu, 3 * MOST);
  memset(state, 0, sizeof state);
  memcpy(q, crowd.q, (size_t)m->nq * sizeof *q);
  memcpy(u, crowd.u, (size_t)m->nu * sizeof *u);
  mujoco->set_state(world, state);
  for (int k = 0; k < ours.steps; k++) {
    assert_true(mujoco->step(world, pki_crowd_target(&crowd, 0, k)));
  }
  mujoco->get_state(world, state);
  double most = 0;
  *apart = *faster = 0;
  for (int i = 0; i < m->nq; i++) {
    *apart = fmax(*apart, fabs(q[i] - pk_sim_q(ours.sim)[i]));
  }
  for (int i = 0; i < m->nu; i++) {
    *faster = fmax(*faster, fabs(u[i] - pk_sim_u(ours.sim)[i]));
    most = fmax(most, fabs(u[i]));
  }
  *faster /= most;
  mujoco->destroy(world);
  pki_crowd_sim_destroy(&ours);
  pki_crowd_destroy(&crowd);
}

/* Limp, held and weak robots. Joint limits are soft in MuJoCo: the others' limp joints come to one within the flight, and
 * engines part there. */
static void in_flight_both_engines_move_alike(void **state)
{
  (void)state;
  static const char *const names[] = {"fall anymal_b", "hold starleth",  "hold anymal_b",
                                      "hold boxdog",   "stand starleth", "stand coman",
                                      "hold coman",    "lie anymal_b",   "lie boxdog"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    pki_robots_scene s;
    double apart[2], faster[2];
    create_scene(&s, names[k]);
    fly(&s, 2e-4, &apart[0], &faster[0]);
    fly(&s, 5e-5, &apart[1], &faster[1]);
    print_message("%s: %.1e and %.1e at 0.2 ms, %.1e and %.1e at 0.05 ms\n", names[k], apart[0], faster[0],
                  apart[1], faster[1]);
    if (!(apart[1] < 5e-4 && apart[1] < 0.4 * apart[0] + 1e-9 && faster[1] < 0.02 &&
          faster[1] < 0.4 * faster[0] + 1e-9)) {
      fail_msg("%s: apart by %.3g, velocities by %.3g", names[k], apart[1], faster[1]);
    }
    pki_robots_scene_destroy(&s);
  }
}

int main(void)
{
  const pk_peer *peers[PEERS_MAX];
  const int count = pki_peers_load(peers, PEERS_MAX);
  for (int i = 0; i < count; i++) {
    if (strcmp(peers[i]->name, "mujoco") == 0) {
      mujoco = peers[i]->interface(PKI_CONTACT_INTERFACE);
    }
  }
  if (!mujoco) {
    puts("skipped: there is no plugin for \"mujoco\"; install the engine and configure again");
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_engines_have_the_same_mass),
      cmocka_unit_test(in_flight_both_engines_move_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
