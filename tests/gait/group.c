/* Controllers that see several worlds at once do in each what they do in one alone, to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/gait_kernels.h"
#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/update.h"

enum { WORLDS = 13, COORDINATES = 40, CONTACTS = 6 };

/* What a world shows its controller, and the two copies of what follows: alone, and in groups. */
typedef struct world {
  double time, q[COORDINATES], u[COORDINATES], tau[COORDINATES];
  pk_sim_contact contacts[CONTACTS];
  int ncontact;
  void *state[2];
  pk_command commands[2][COORDINATES];
} world;

typedef struct setting {
  pk_model *model;
  pk_workspace *work;
  int feet[4];
  pki_random random;
  world worlds[WORLDS];
} setting;

static int set_up_robot(void **state, bool arm)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  static setting s;
  s.model = walker_model(&walker_starleth, arm);
  pk_workspace_create(s.model, &s.work, NULL);
  for (int i = 0; i < 4; i++) {
    s.feet[i] = pk_model_find_link(s.model, feet[i]);
  }
  s.random = pki_random_seeded(20);
  *state = &s;
  return s.work == NULL || s.model->nq > COORDINATES || s.model->dof_q[6] != 7 || s.model->dof_q[17] != 18;
}

static int set_up(void **state)
{
  return set_up_robot(state, false);
}

static int set_up_with_arm(void **state)
{
  return set_up_robot(state, true);
}

static int tear_down(void **state)
{
  setting *s = *state;
  pk_workspace_destroy(s->work);
  pk_model_destroy(s->model);
  return 0;
}

/* Near the stance, somewhere and turned somehow, or on its side. */
static void stand_somewhere(setting *s, world *w, bool fallen)
{
  const double *leg = walker_starleth.leg, yaw = pki_random_between(&s->random, -3, 3);
  for (int k = 0; k < 2; k++) {
    w->q[k] = pki_random_between(&s->random, -5, 5);
  }
  w->q[2] = walker_starleth.height + pki_random_between(&s->random, -0.05, 0.05);
  w->q[3] = cos(0.5 * yaw), w->q[4] = fallen ? 2 : 0, w->q[5] = 0, w->q[6] = sin(0.5 * yaw);
  for (int i = 0; i < 12; i++) {
    w->q[7 + i] = (i < 6 ? 1 : -1) * leg[i % 3];
  }
}

/* Feet on the ground or not, against walls, two contacts at one foot; impulses as they come. */
static void touch_something(setting *s, world *w)
{
  w->ncontact = 0;
  for (int i = 0; i < CONTACTS; i++) {
    if (pki_random_unit(&s->random) < 0.4) {
      continue;
    }
    const bool wall = pki_random_unit(&s->random) < 0.1;
    const double push = 0.2 * pki_random_unit(&s->random);
    w->contacts[w->ncontact++] = (pk_sim_contact){.link = s->feet[i % 4],
                                                  .other_link = -1,
                                                  .other_shape = -1,
                                                  .normal = {wall, 0, !wall},
                                                  .impulse = {wall ? push : 0, 0, wall ? 0 : push},
                                                  .friction = 0.6};
  }
}

/* What a world shows next: it shakes. */
static void shake(setting *s, world *w)
{
  const pk_model *m = s->model;
  w->time += 2.5e-3;
  for (int k = 0; k < m->nu; k++) {
    w->u[k] = pki_random_between(&s->random, -0.5, 0.5);
    w->tau[k] = pki_random_between(&s->random, -10, 10);
  }
  double v[COORDINATES];
  for (int k = 0; k < m->nu; k++) {
    v[k] = 4e-3 * w->u[k];
  }
  pk_config_add(m, w->q, v, w->q);
  touch_something(s, w);
}

static void begin(setting *s, const pk_controller *by, bool same_time)
{
  for (int i = 0; i < WORLDS; i++) {
    world *w = &s->worlds[i];
    memset(w, 0, sizeof *w);
    memcpy(w->q, s->model->q0, (size_t)s->model->nq * sizeof w->q[0]);
    stand_somewhere(s, w, false);
    w->time = same_time ? 0 : 0.35 * i;
    for (int copy = 0; copy < 2; copy++) {
      const size_t size = (by->state_size + 63) / 64 * 64;
      w->state[copy] = aligned_alloc(64, size);
      memset(w->state[copy], 0, size);
      memset(w->commands[copy], 0, sizeof w->commands[copy]);
    }
  }
}

static void end(setting *s)
{
  for (int i = 0; i < WORLDS; i++) {
    free(s->worlds[i].state[0]);
    free(s->worlds[i].state[1]);
  }
}

static pk_observation observe(const setting *s, const world *w)
{
  return (pk_observation){.time = w->time,
                          .dt = 2.5e-3,
                          .model = s->model,
                          .q = w->q,
                          .u = w->u,
                          .tau = w->tau,
                          .workspace = s->work,
                          .contacts = w->contacts,
                          .ncontact = w->ncontact};
}

/* All worlds in any order, in groups of any size. */
static void update_groups(setting *s, const pk_controller *by)
{
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 13};
  int order[WORLDS];
  for (int i = 0; i < WORLDS; i++) {
    const int j = (int)(pki_random_unit(&s->random) * (i + 1));
    order[i] = order[j], order[j] = i;
  }
  for (int first = 0; first < WORLDS;) {
    const int asked = sizes[(int)(pki_random_unit(&s->random) * 8)];
    const int n = asked < WORLDS - first ? asked : WORLDS - first;
    pk_observation seen[WORLDS];
    void *states[WORLDS];
    pk_command *commands[WORLDS];
    pk_status status[WORLDS];
    for (int i = 0; i < n; i++) {
      world *w = &s->worlds[order[first + i]];
      seen[i] = observe(s, w), states[i] = w->state[1], commands[i] = w->commands[1];
      status[i] = PK_ERROR_ARGUMENT;
    }
    by->update_group(by, n, seen, states, commands, status);
    for (int i = 0; i < n; i++) {
      assert_int_equal(status[i], PK_OK);
    }
    first += n;
  }
}

/* The last world is one whose numbers are none, from the tenth update on: what it gets is no matter, its neighbours must
 * not notice. Two others fall. */
static void compare(setting *s, const pk_controller *by, bool same_time, int updates)
{
  begin(s, by, same_time);
  for (int n = 0; n < updates; n++) {
    for (int i = 0; i < WORLDS; i++) {
      world *w = &s->worlds[i];
      shake(s, w);
      if ((i == 3 && n == 20) || (i == 7 && n == 31)) {
        stand_somewhere(s, w, true);
      }
      if (i == WORLDS - 1 && n >= 10) {
        w->u[5] = NAN;
      }
      const pk_observation seen = observe(s, w);
      assert_int_equal(update_one(by, &seen, w->state[0], w->commands[0]), PK_OK);
    }
    update_groups(s, by);
    for (int i = 0; i < WORLDS - (n >= 10); i++) {
      const world *w = &s->worlds[i];
      if (memcmp(w->commands[0], w->commands[1], sizeof w->commands[0]) != 0 ||
          memcmp(w->state[0], w->state[1], by->state_size) != 0) {
        fail_msg("%s: world %d differs in update %d", by->name, i, n);
      }
    }
  }
  end(s);
}

static void holding_a_pose(void **state)
{
  pk_controller *by;
  assert_int_equal(pk_hold_create(((setting *)*state)->model, NULL, &by, NULL), PK_OK);
  compare(*state, by, false, PACE(60, 40));
  pk_hold_destroy(by);
}

static void following_a_table(void **state)
{
  setting *s = *state;
  char path[] = PK_BUILD_DIR "/group_table.csv";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "time,LF_HAA,LF_HFE,LF_KFE\n0,0,0.7,-1.3\n0.1,0.1,0.8,-1.2\n0.25,0,0.7,-1.3\n");
  fclose(file);
  for (int with = 0; with < 3; with++) { /* the pose of the start; a table, worlds at many times or at one */
    pk_track_options o = pk_track_options_default();
    pk_controller *by;
    pk_error err = {.message = ""};
    o.ki = 10;
    if (with > 0) {
      snprintf(o.file, sizeof o.file, "%s", path);
      o.loop = 0;
    }
    if (pk_track_create(s->model, &o, &by, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    compare(s, by, with == 2, PACE(200, 40));
    pk_track_destroy(by);
  }
}

/* A controller that takes the first of its plain legs for legs of any hinges. */
static pk_controller *create_with_general_legs(const setting *s, const pk_locomotion_options *o, int legs)
{
  pk_controller *by;
  assert_int_equal(pk_locomotion_create(s->model, o, &by, NULL), PK_OK);
  pki_locomotion *c = (pki_locomotion *)by;
  for (int i = 0; i < 4; i++) {
    assert_true(c->legs[i].plain);
    c->legs[i].plain = i >= legs;
  }
  pki_bodies_divide(c);
  assert_int_equal(c->other_count, s->model->robots[0].nbody - 1 - 3 * (4 - legs));
  return by;
}

/* With every instruction set that the machine has, with four and eight lanes, and with none, two and all of the legs taken
 * for legs of any hinges. */
static void compare_locomotion(setting *s, const pk_locomotion_options *o, int updates)
{
  static const char *const sets[] = {"base", "avx2", "avx512"};
  for (int k = 0; k < 18; k++) {
    pk_controller *by = create_with_general_legs(s, o, 2 * (k / 6));
    pki_locomotion *c = (pki_locomotion *)by;
    c->one = pki_gait_kernels_find(sets[k % 6 / 2], 1);
    c->wide = pki_gait_kernels_find(sets[k % 6 / 2], k % 2 ? 8 : 4);
    if (c->wide != NULL) {
      compare(s, by, false, updates);
    }
    pk_locomotion_destroy(by);
  }
}

static void one_gait(void **state, pk_gait gait, int updates)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = gait, o.forward = 0.2, o.turn = 0.1, o.jump = 0.1, o.start = 0.02;
  compare_locomotion(*state, &o, updates);
}

static void standing(void **state)
{
  one_gait(state, PK_GAIT_STAND, PACE(60, 40));
}

static void trotting(void **state)
{
  one_gait(state, PK_GAIT_TROT, PACE(150, 40));
}

static void walking_by_plan(void **state)
{
  one_gait(state, PK_GAIT_WALK, PACE(60, 40));
}

static void jumping(void **state)
{
  one_gait(state, PK_GAIT_JUMP, PACE(60, 40));
}

/* Worlds are at several times, so at one moment they do different things. */
static void a_different_gait_in_each_world(void **state)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT, o.forward = 0.2, o.start = 0.02, o.stop = 4, o.jump = 0.1;
  o.attitude = PK_LOCOMOTION_ATTITUDE_LEVEL;
  o.changes[o.change_count++] = (pk_gait_change){.at = 0.9, .gait = PK_GAIT_GALLOP, .forward = 0.3};
  o.changes[o.change_count++] = (pk_gait_change){.at = 1.8, .gait = PK_GAIT_TROT, .sideways = 0.1};
  o.changes[o.change_count++] = (pk_gait_change){.at = 2.8, .gait = PK_GAIT_JUMP};
  o.changes[o.change_count++] = (pk_gait_change){.at = 3.3, .gait = PK_GAIT_TROT, .turn = 0.3};
  compare_locomotion(*state, &o, PACE(120, 40));
}

/* Both compute the same torques with other roundings. Where a foot's force is at the edge of its friction cone, Newton's method stops
 * at a wrench within 1e-10 of the wanted one (share.h), and may do so one step earlier for one of them: forces then differ by
 * that over the arm of the feet, some 1e-7 N, and torques likewise. Elsewhere they differ by rounding alone. */
static void plain_legs_do_as_legs_of_any_hinges(void **state)
{
  setting *s = *state;
  pk_controller *by[2];
  int all = 0, stopped_apart = 0;
  s->random = pki_random_seeded(21);
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT, o.forward = 0.2, o.turn = 0.1, o.start = 0.02;
  for (int legs = 2; legs <= 4; legs += 2) {
    by[0] = create_with_general_legs(s, &o, 0), by[1] = create_with_general_legs(s, &o, legs);
    begin(s, by[0], false);
    for (int n = 0; n < 60 * WORLDS; n++) {
      world *w = &s->worlds[n % WORLDS];
      shake(s, w);
      const pk_observation seen = observe(s, w);
      for (int copy = 0; copy < 2; copy++) {
        assert_int_equal(update_one(by[copy], &seen, w->state[copy], w->commands[copy]), PK_OK);
      }
      for (int k = 6; k < s->model->nu; k++) {
        const pk_command *a = &w->commands[0][k], *b = &w->commands[1][k];
        const double apart = fabs(a->tau - b->tau) / (1 + fabs(a->tau));
        assert_less(apart, 1e-6);
        stopped_apart += apart > 1e-10, all++;
        assert_less(fabs(a->u_des - b->u_des), 1e-9 * (1 + fabs(a->u_des)));
      }
    }
    end(s);
    pk_locomotion_destroy(by[0]);
    pk_locomotion_destroy(by[1]);
  }
  assert_less(100 * stopped_apart, all);
}

/* ---- a trot as it is: what eight walkers saw and were told, replayed ---- */

enum { WALKERS = 8, RECORDED = 200 };

typedef struct record {
  world seen[RECORDED][WALKERS]; /* commands[0]: what the controller said */
  void *before[WALKERS], *state[WALKERS];
  int walker, update; /* -1: not yet */
  const pk_controller *by;
} record;

static pk_status listen(const pk_controller *self, const pk_observation *seen, void *state,
                        pk_command *commands)
{
  record *r = (record *)self->user;
  if (r->update < 0) {
    return update_one(r->by, seen, state, commands);
  }
  world *w = &r->seen[r->update][r->walker];
  const pk_model *m = seen->model;
  if (r->update++ == 0) {
    memcpy(r->before[r->walker], state, r->by->state_size);
  }
  w->time = seen->time;
  memcpy(w->q, seen->q, (size_t)m->nq * sizeof w->q[0]);
  memcpy(w->u, seen->u, (size_t)m->nu * sizeof w->u[0]);
  memcpy(w->tau, seen->tau, (size_t)m->nu * sizeof w->tau[0]);
  w->ncontact = seen->ncontact < CONTACTS ? seen->ncontact : CONTACTS;
  memcpy(w->contacts, seen->contacts, (size_t)w->ncontact * sizeof w->contacts[0]);
  const pk_status status = update_one(r->by, seen, state, commands);
  memcpy(w->commands[0], commands, (size_t)m->nu * sizeof *commands);
  return status;
}

/* One walker after the other, each a little later in its cycle than the one before. */
static void record_trots(record *r)
{
  for (r->walker = 0; r->walker < WALKERS; r->walker++) {
    pk_locomotion_options o = pk_locomotion_options_default();
    o.gait = PK_GAIT_TROT, o.forward = 0.3, o.start = 0.1 + 0.09 * r->walker;
    walker w = walker_create(NULL, &o, NULL);
    r->by = w.controller;
    const pk_controller ear = {.name = "ear",
                               .period = w.controller->period,
                               .state_size = w.controller->state_size,
                               .update = listen,
                               .user = r};
    r->before[r->walker] = aligned_alloc(64, (ear.state_size + 63) / 64 * 64);
    r->state[r->walker] = aligned_alloc(64, (ear.state_size + 63) / 64 * 64);
    assert_int_equal(pk_sim_set_controller(w.sim, &ear, NULL), PK_OK);
    walker_place(&w, 0, 0);
    for (int n = 0; n < PACE(600, 400) + RECORDED; n++) {
      r->update = n < PACE(600, 400) ? -1 : n - PACE(600, 400);
      assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
    }
    walker_destroy(&w);
  }
}

/* Microseconds of one update of one world. */
static double replay(setting *s, record *r, const pk_controller *by, int group)
{
  clock_t spent = 0;
  for (int i = 0; i < WALKERS; i++) {
    memcpy(r->state[i], r->before[i], by->state_size);
  }
  for (int n = 0; n < RECORDED; n++) {
    pk_observation seen[WALKERS];
    pk_command *commands[WALKERS];
    pk_status status[WALKERS];
    for (int i = 0; i < WALKERS; i++) {
      seen[i] = observe(s, &r->seen[n][i]);
      commands[i] = r->seen[n][i].commands[1];
      memset(commands[i], 0, sizeof r->seen[n][i].commands[1]);
    }
    const clock_t start = clock();
    for (int i = 0; i < WALKERS; i += group) {
      by->update_group(by, group, seen + i, r->state + i, commands + i, status + i);
    }
    spent += clock() - start;
    for (int i = 0; i < WALKERS; i++) {
      const size_t bytes = (size_t)s->model->nu * sizeof(pk_command);
      assert_memory_equal(r->seen[n][i].commands[0] + 6, commands[i] + 6, bytes - 6 * sizeof(pk_command));
    }
  }
  return 1e6 * (double)spent / CLOCKS_PER_SEC / (RECORDED * WALKERS);
}

static void a_trot_as_it_is(void **state)
{
  static record r;
  pk_locomotion_options o = pk_locomotion_options_default();
  pk_controller *by;
  o.gait = PK_GAIT_TROT, o.forward = 0.3, o.start = 0.1;
  record_trots(&r);
  setting *s = *state;
  assert_int_equal(pk_locomotion_create(s->model, &o, &by, NULL), PK_OK);
  double each[3];
  for (int k = 0; k < 3; k++) {
    each[k] = replay(s, &r, by, k == 0 ? 1 : 4 * k);
  }
  print_message("an update of a trot: alone %.2f us, in groups of four %.2f, of eight %.2f; %zu bytes\n",
                each[0], each[1], each[2], by->state_size);
  pk_locomotion_destroy(by);
  for (int i = 0; i < WALKERS; i++) {
    free(r.before[i]);
    free(r.state[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holding_a_pose),
      cmocka_unit_test(following_a_table),
      cmocka_unit_test(standing),
      cmocka_unit_test(trotting),
      cmocka_unit_test(walking_by_plan),
      cmocka_unit_test(jumping),
      cmocka_unit_test(a_different_gait_in_each_world),
      cmocka_unit_test(plain_legs_do_as_legs_of_any_hinges),
      cmocka_unit_test(a_trot_as_it_is),
  };
  const struct CMUnitTest with_arm[] = {
      cmocka_unit_test(trotting),
      cmocka_unit_test(a_different_gait_in_each_world),
      cmocka_unit_test(plain_legs_do_as_legs_of_any_hinges),
  };
  return cmocka_run_group_tests_name("worlds in groups do as worlds alone", tests, set_up, tear_down) +
         cmocka_run_group_tests_name("also of robots with an arm", with_arm, set_up_with_arm, tear_down);
}
