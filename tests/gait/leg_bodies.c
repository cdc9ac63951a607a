/* What lanes make of the robot's bodies is what the dynamics say of the whole model: mass, feet, and the forces that a motion
 * needs; with plain legs, with legs of any hinges, and with an arm beside them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "gait/kernels/limb.h"
#include "gait/walker.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/update.h"

enum { COORDINATES = 40 };

static const double period = 2.5e-3;

/* One robot in the middle of a trot, two of its feet on the ground. */
typedef struct scene {
  pk_model *model;
  pk_workspace *work;
  pk_controller *by;
  const pki_locomotion *c;
  pki_walk walk;
  double q[COORDINATES], u[COORDINATES];
  pk_command commands[COORDINATES];
  pki_gait_scene seen;
} scene;

static void near(const double *a, const double *b, int n, double size)
{
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) < 1e-9 * size)) {
      fail_msg("number %d is %.15g, expected %.15g", i, a[i], b[i]);
    }
  }
}

static void take_pose(scene *s, pki_random *random)
{
  const pk_model *m = s->model;
  double v[COORDINATES];
  memcpy(s->q, m->q0, (size_t)m->nq * sizeof s->q[0]);
  s->q[2] = walker_starleth.height;
  for (int i = 0; i < 12; i++) {
    s->q[7 + i] = (i < 6 ? 1 : -1) * walker_starleth.leg[i % 3];
  }
  for (int k = 0; k < m->nu; k++) {
    v[k] = pki_random_between(random, -0.2, 0.2);
    s->u[k] = pki_random_between(random, -2, 2);
  }
  pk_config_add(m, s->q, v, s->q);
}

/* Updates at one pose until feet swing, and then one whose lanes are looked into. */
static void trot(scene *s)
{
  pk_sim_contact contacts[2];
  for (int i = 0; i < 2; i++) {
    contacts[i] = (pk_sim_contact){.link = s->c->legs[i == 0 ? 0 : 3].foot,
                                   .other_link = -1,
                                   .other_shape = -1,
                                   .normal = {0, 0, 1},
                                   .impulse = {0, 0, 0.2},
                                   .friction = 0.6};
  }
  memset(&s->walk, 0, sizeof s->walk);
  memset(s->commands, 0, sizeof s->commands);
  for (int n = 0; n < 60; n++) {
    const pk_observation seen = {.time = period * n,
                                 .dt = period,
                                 .model = s->model,
                                 .q = s->q,
                                 .u = s->u,
                                 .tau = s->u,
                                 .workspace = s->work,
                                 .contacts = contacts,
                                 .ncontact = 2};
    assert_int_equal(update_one(s->by, &seen, &s->walk, s->commands), PK_OK);
  }
  assert_true(s->walk.walking && !s->walk.planned && !s->walk.fallen);
  const pki_gait_group g = {
      .c = s->c, .model = s->model, .walk = {&s->walk}, .q = {s->q}, .u = {s->u}, .commands = {s->commands}};
  memset(&s->seen, 0xee, sizeof s->seen);
  s->c->one->sense(&g, (double *)&s->seen);
  s->c->one->refer(&g, (double *)&s->seen);
  s->c->one->act(&g, (double *)&s->seen);
}

static void compare_mass(const scene *s)
{
  const pk_model *m = s->model;
  static double M[COORDINATES * COORDINATES];
  double com[3], vel[3], inertia[9], off[3];
  pk_kinematics_compute(s->work, s->q, s->u);
  pk_com_compute(s->work, 0, com, vel);
  near(&s->seen.com.x, com, 3, 1);
  near(&s->seen.com_vel.x, vel, 3, 1);
  /* the trunk's block of M is the inertia about its origin: less that of the mass in its centre */
  const pk_pose trunk = pk_link_pose(s->work, s->c->trunk);
  double way[3];
  pki_sub3(com, trunk.pos, way);
  pki_mat3_apply_transposed(trunk.rot, way, off);
  pk_mass_matrix(s->work, s->q, M);
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < 3; k++) {
      inertia[3 * r + k] =
          M[(3 + r) * m->nu + 3 + k] - s->c->mass * ((r == k ? pki_dot3(off, off) : 0) - off[r] * off[k]);
    }
  }
  near(s->walk.inertia, inertia, 9, 1);
}

static void compare_feet(const scene *s)
{
  pk_kinematics_compute(s->work, s->q, s->u);
  for (int i = 0; i < 4; i++) {
    const pki_leg *leg = &s->c->legs[i];
    const pki_leg_r *got = &s->seen.legs[i];
    const pk_pose link = pk_link_pose(s->work, leg->foot);
    double centre[3], rate[6], bias[3];
    pki_mat3_apply(link.rot, leg->centre, centre);
    for (int k = 0; k < 3; k++) {
      centre[k] += link.pos[k];
    }
    near(&got->pos.x, centre, 3, 1);
    pk_link_jacobian_dot_u(s->work, leg->foot, leg->centre, s->u, rate);
    const pki_v3 world = pki_m3_apply(s->seen.R, got->bias);
    bias[0] = world.x, bias[1] = world.y, bias[2] = world.z;
    near(bias, rate + 3, 3, 10);
  }
}

/* Accelerations are those that the commands lead to; the arm keeps its velocities. The trunk's rows are what the feet have
 * to give, those of legs in the air are their torques. */
static void compare_forces(const scene *s)
{
  const pki_gait_scene *seen = &s->seen;
  double a[COORDINATES] = {seen->acc.l.x, seen->acc.l.y, seen->acc.l.z,
                           seen->acc.a.x, seen->acc.a.y, seen->acc.a.z},
         tau[COORDINATES];
  int swinging = 0;
  for (int i = 0; i < 3 * 4; i++) {
    const int u = s->c->legs[i / 3].u[i % 3];
    a[u] = (s->commands[u].u_des - s->u[u]) / period;
  }
  pk_inverse_dynamics(s->work, s->q, s->u, a, tau);
  const pki_v3 force = pki_m3_apply(seen->R, seen->limbs[0].force.l);
  near(&force.x, tau, 3, 1e3);
  near(&seen->limbs[0].force.a.x, tau + 3, 3, 1e3);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3 && !seen->stands[i]; k++) {
      const int u = s->c->legs[i].u[k];
      near(&s->commands[u].tau, tau + u, 1, 1e2);
      swinging++;
    }
  }
  assert_greater(swinging, 0);
}

/* `legs` of the plain legs are taken for legs of any hinges. */
static void compare(bool arm, int legs)
{
  static scene s;
  pk_locomotion_options o = pk_locomotion_options_default();
  o.gait = PK_GAIT_TROT, o.forward = 0.2, o.turn = 0.1, o.start = 0.02, o.period = period;
  s.model = walker_model(&walker_starleth, arm);
  pk_workspace_create(s.model, &s.work, NULL);
  assert_true(s.work != NULL);
  assert_at_most(s.model->nq, COORDINATES);
  assert_int_equal(pk_locomotion_create(s.model, &o, &s.by, NULL), PK_OK);
  pki_locomotion *c = (pki_locomotion *)s.by;
  for (int i = 0; i < 4; i++) {
    c->legs[i].plain = c->legs[i].plain && i >= legs;
  }
  pki_bodies_divide(c);
  s.c = c;
  assert_int_equal(c->other_count, 3 * legs + (arm ? 3 : 0));
  pki_random random = pki_random_seeded(7);
  for (int round = 0; round < 20; round++) {
    take_pose(&s, &random);
    trot(&s);
    compare_mass(&s);
    compare_feet(&s);
    compare_forces(&s);
  }
  pk_locomotion_destroy(s.by);
  pk_workspace_destroy(s.work);
  pk_model_destroy(s.model);
}

static void plain_legs(void **state)
{
  (void)state;
  compare(false, 0);
}

static void legs_of_any_hinges(void **state)
{
  (void)state;
  compare(false, 2);
  compare(false, 4);
}

static void an_arm_beside_the_legs(void **state)
{
  (void)state;
  for (int legs = 0; legs <= 4; legs += 2) {
    compare(true, legs);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_legs),
      cmocka_unit_test(legs_of_any_hinges),
      cmocka_unit_test(an_arm_beside_the_legs),
  };
  return cmocka_run_group_tests_name("bodies on lanes move as the model's do", tests, NULL, NULL);
}
