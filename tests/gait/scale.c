/* One tuning serves all sizes: a robot of other lengths, mass and gravity that sees the same in units of its own height, weight
 * and sqrt(h/g) gets the same commands in these units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/walker.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/update.h"

enum { COORDINATES = 20, JOINTS = 12 };

/* How much larger one robot is than the other: powers of two, so that no factor rounds. */
typedef struct units {
  double length, mass, time;
} units;

typedef struct robot {
  pk_model *model;
  pk_controller *by;
  pk_workspace *work;
  void *state;
  pk_command commands[COORDINATES];
} robot;

static void multiply(const double *x, int n, double by)
{
  double *const memory = (double *)(uintptr_t)x; /* of a model that the test owns */
  for (int i = 0; i < n; i++) {
    memory[i] *= by;
  }
}

/* A model of links that are grown alike in all directions. */
static pk_model *grow_model(pk_model *m, const units *k)
{
  const double inertia = k->mass * k->length * k->length, torque = inertia / (k->time * k->time);
  multiply(m->gravity, 3, k->length / (k->time * k->time));
  multiply(&m->mass, 1, k->mass);
  multiply(&m->robots[0].mass, 1, k->mass);
  multiply(m->body_pos, 3 * m->nbody, k->length);
  for (int i = 0; i < m->nbody; i++) {
    const double *own = m->body_inertia + 10 * (size_t)i;
    multiply(own, 1, k->mass);
    multiply(own + 1, 3, k->mass * k->length);
    multiply(own + 4, 6, inertia);
  }
  for (int i = 0; i < m->nlink; i++) {
    multiply(m->links[i].pose.pos, 3, k->length);
  }
  for (int i = 0; i < m->nshape; i++) {
    multiply(m->shapes[i].pose.pos, 3, k->length);
    multiply(m->shapes[i].size, 3, k->length);
  }
  multiply(m->q0, 3, k->length);
  multiply(m->dof_armature, m->nu, inertia);
  multiply(m->dof_effort, m->nu, torque);
  return m;
}

/* In a gait, and after a second in another one unless it is the same. */
static robot create(const units *k, pk_gait gait, pk_gait then)
{
  robot r = {.model = grow_model(walker_model(&walker_starleth, false), k)};
  const double speed = k->length / k->time;
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = gait, o.forward = 0.2 * speed, o.sideways = 0.05 * speed, o.start = 0.02 * k->time;
  o.acceleration *= speed / k->time, o.period *= k->time, o.jump = 0.1 * k->length;
  if (then != gait) {
    o.changes[o.change_count++] = (pk_gait_change){.at = k->time, .gait = then, .forward = 0.1 * speed};
  }
  pk_error err = {.message = ""};
  if (pk_locomotion_create(r.model, &o, &r.by, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_workspace_create(r.model, &r.work, NULL);
  r.state = aligned_alloc(64, (r.by->state_size + 63) / 64 * 64);
  assert_non_null(r.work);
  assert_non_null(r.state);
  assert_at_most(r.model->nq, COORDINATES);
  memset(r.state, 0, r.by->state_size);
  return r;
}

static void destroy(robot *r)
{
  free(r->state);
  pk_locomotion_destroy(r->by);
  pk_workspace_destroy(r->work);
  pk_model_destroy(r->model);
}

/* What the robot of the model as it is sees: the stance, shaken, and feet on the ground or not. */
typedef struct sight {
  double time, q[COORDINATES], u[COORDINATES], load[4];
} sight;

static void look(sight *s, pki_random *random, int update)
{
  s->time = 2.5e-3 * update;
  s->q[2] = walker_starleth.height + pki_random_between(random, -0.01, 0.01);
  s->q[3] = 1;
  for (int i = 0; i < JOINTS; i++) {
    s->q[7 + i] = (i < 6 ? 1 : -1) * walker_starleth.leg[i % 3] + pki_random_between(random, -0.03, 0.03);
  }
  for (int i = 0; i < 6 + JOINTS; i++) {
    s->u[i] = pki_random_between(random, -0.5, 0.5);
  }
  for (int i = 0; i < 4; i++) {
    const bool missed =
        i == 0 && update % 400 >= 100; /* for so long that the others no longer wait for this foot */
    s->load[i] = missed || pki_random_unit(random) < 0.1 ? 0 : 100 * pki_random_unit(random);
  }
}

static void update(robot *r, const units *k, const sight *s)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  const double speed = k->length / k->time, dt = 2.5e-3 * k->time;
  sight own = *s;
  pk_sim_contact contacts[4];
  for (int i = 0; i < 3; i++) {
    own.q[i] *= k->length, own.u[i] *= speed;
  }
  for (int i = 3; i < 6 + JOINTS; i++) {
    own.u[i] /= k->time;
  }
  for (int i = 0; i < 4; i++) {
    contacts[i] = (pk_sim_contact){.link = pk_model_find_link(r->model, feet[i]),
                                   .other_link = -1,
                                   .other_shape = -1,
                                   .normal = {0, 0, 1},
                                   .impulse = {0, 0, s->load[i] * k->mass * speed / k->time * dt},
                                   .friction = 0.6};
  }
  const pk_observation seen = {.time = s->time * k->time,
                               .dt = dt,
                               .model = r->model,
                               .q = own.q,
                               .u = own.u,
                               .tau = own.u,
                               .workspace = r->work,
                               .contacts = contacts,
                               .ncontact = 4};
  assert_int_equal(update_one(r->by, &seen, r->state, r->commands), PK_OK);
}

/* Forces of the feet are found to 1e-10 of the wrench and 1e-10 N, which is not in units of the robot. */
static void compare_commands(const robot *r, const units *k, const robot *grown, int update)
{
  const double torque = k->mass * k->length * k->length / (k->time * k->time);
  for (int u = 6; u < r->model->nu; u++) {
    const pk_command *a = &r->commands[u], *b = &grown->commands[u];
    if (!(fabs(a->tau - b->tau / torque) < 1e-8 * (1 + fabs(a->tau)) &&
          fabs(a->u_des - b->u_des * k->time) < 1e-9 * (1 + fabs(a->u_des)) &&
          fabs(a->kd - b->kd / (torque * k->time)) < 1e-12 * a->kd && a->tau_max == b->tau_max / torque)) {
      fail_msg("update %d, joint %d: %.12g and %.12g N m, to %.12g and %.12g rad/s, by %g and %g N m s/rad",
               update, u, a->tau, b->tau / torque, a->u_des, b->u_des * k->time, a->kd,
               b->kd / (torque * k->time));
    }
  }
}

/* Ends with a fall. */
static void compare(pk_gait gait, pk_gait then, int updates)
{
  static const units same = {1, 1, 1}, others[] = {{4, 64, 2}, {0.25, 0.125, 0.25}, {1, 8, 2}};
  for (int i = 0; i < 3; i++) {
    const units *k = &others[i];
    pki_random random = pki_random_seeded(30);
    robot r = create(&same, gait, then), grown = create(k, gait, then);
    sight s = {0};
    for (int n = 0; n < updates; n++) {
      look(&s, &random, n);
      s.q[2] *= n == updates - 1 ? 0.1 : 1;
      update(&r, &same, &s);
      update(&grown, k, &s);
      compare_commands(&r, k, &grown, n);
    }
    destroy(&r);
    destroy(&grown);
  }
}

static void standing(void **state)
{
  (void)state;
  compare(PK_GAIT_STAND, PK_GAIT_STAND, PACE(100, 40));
}

static void trotting(void **state)
{
  (void)state;
  compare(PK_GAIT_TROT, PK_GAIT_TROT, PACE(1000, 400));
}

static void walking_by_plan(void **state)
{
  (void)state;
  compare(PK_GAIT_WALK, PK_GAIT_WALK, PACE(200, 40));
}

static void galloping(void **state)
{
  (void)state;
  compare(PK_GAIT_GALLOP, PK_GAIT_GALLOP, PACE(200, 40));
}

static void changing_the_gait(void **state)
{
  (void)state;
  compare(PK_GAIT_TROT, PK_GAIT_BOUND, PACE(600, 450));
}

static void jumping(void **state)
{
  (void)state;
  compare(PK_GAIT_JUMP, PK_GAIT_JUMP, PACE(200, 40));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(standing),  cmocka_unit_test(trotting),          cmocka_unit_test(walking_by_plan),
      cmocka_unit_test(galloping), cmocka_unit_test(changing_the_gait), cmocka_unit_test(jumping),
  };
  return cmocka_run_group_tests_name("robots of all sizes are told the same", tests, NULL, NULL);
}
