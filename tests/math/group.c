/* Configurations as a group, where the answer is known in closed form: turns about an axis. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"

/* A free ball that carries another one on a spherical joint:
 * q: position, quaternion, quaternion; u: linear, angular, angular. */
enum { NQ = 11, NU = 9 };

typedef struct world {
  pk_model *model;
} world;

static int set_up(void **state)
{
  static world w;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_inertia ball = {.mass = 1, .moment = {0.1, 0, 0, 0.1, 0, 0.1}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "j", joint.parent = "a", joint.child = "b", joint.kind = PK_JOINT_SPHERICAL;
  pk_builder_add_robot(b, &robot, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = "a", .inertia = ball}, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = "b", .inertia = ball}, NULL);
  pk_builder_add_joint(b, &joint, NULL);
  const pk_status status = pk_builder_compile(b, &w.model, NULL);
  pk_builder_destroy(b);
  *state = &w;
  return status != PK_OK || w.model->nq != NQ || w.model->nu != NU;
}

static int tear_down(void **state)
{
  pk_model_destroy(((world *)*state)->model);
  return 0;
}

static const pk_model *model_of(void **state)
{
  return ((world *)*state)->model;
}

static void assert_close(const double *found, const double *expected, int n, double tolerance)
{
  for (int i = 0; i < n; i++) {
    if (!(fabs(found[i] - expected[i]) <= tolerance)) {
      fail_msg("component %d is %.17g, expected %.17g", i, found[i], expected[i]);
    }
  }
}

static double norm4(const double *q)
{
  return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static void a_half_turn_about_z_is_the_quaternion_k(void **state)
{
  const pk_model *m = model_of(state);
  const double pi = 3.14159265358979323846;
  const double v[NU] = {1, 2, 3, 0, 0, pi, 0, 0, -pi};
  const double expected[NQ] = {1, 2, 3, 0, 0, 0, 1, 0, 0, 0, -1};
  double q[NQ], back[NU];
  pk_config_add(m, m->q0, v, q);
  assert_close(q, expected, NQ, 1e-16);
  pk_config_subtract(m, q, m->q0, back);
  /* the two ways round are equally short */
  back[5] = fabs(back[5]), back[8] = -fabs(back[8]);
  assert_close(back, v, NU, 1e-15);
}

static void quarter_turns_are_exact_about_every_axis(void **state)
{
  const pk_model *m = model_of(state);
  const double pi = 3.14159265358979323846, half = sqrt(0.5);
  for (int axis = 0; axis < 3; axis++) {
    double v[NU] = {0}, q[NQ], back[NU], expected[NQ] = {0, 0, 0, half, 0, 0, 0, half, 0, 0, 0};
    v[3 + axis] = pi / 2, v[6 + axis] = -pi / 2;
    expected[4 + axis] = half, expected[8 + axis] = -half;
    pk_config_add(m, m->q0, v, q);
    assert_close(q, expected, NQ, 2e-16);
    pk_config_subtract(m, q, m->q0, back);
    assert_close(back, v, NU, 5e-16);
  }
}

/* More than half a turn comes back the short way. */
static void subtraction_takes_the_short_way(void **state)
{
  const pk_model *m = model_of(state);
  const double turn = 6.28318530717958647693;
  const double v[NU] = {0, 0, 0, 0, 4, 0, 0, 0, 2 * turn + 1};
  const double expected[NU] = {0, 0, 0, 0, 4 - turn, 0, 0, 0, 1};
  double q[NQ], back[NU];
  pk_config_add(m, m->q0, v, q);
  pk_config_subtract(m, q, m->q0, back);
  assert_close(back, expected, NU, 1e-14);
  /* q and -q are the same turn */
  for (int i = 3; i < NQ; i++) {
    q[i] = -q[i];
  }
  pk_config_subtract(m, q, m->q0, back);
  assert_close(back, expected, NU, 1e-14);
}

static void tiny_turns_keep_their_relative_accuracy(void **state)
{
  const pk_model *m = model_of(state);
  pki_random rng = pki_random_seeded(1);
  for (double size = 1; size > 1e-140; size *= 0.1) {
    double v[NU], q[NQ], back[NU];
    for (int i = 0; i < NU; i++) {
      v[i] = size * pki_random_between(&rng, 0.5, 1);
    }
    pk_config_add(m, m->q0, v, q);
    pk_config_subtract(m, q, m->q0, back);
    for (int i = 0; i < NU; i++) {
      assert_at_most(fabs(back[i] - v[i]), 2e-15 * size);
    }
    /* q = (1, v/2) to first order */
    for (int i = 0; i < 3 && size < 1e-8; i++) {
      assert_at_most(fabs(q[4 + i] - 0.5 * v[3 + i]), 2e-16 * size);
      assert_at_most(fabs(q[8 + i] - 0.5 * v[6 + i]), 2e-16 * size);
    }
  }
}

static void a_picoradian_is_seen_from_anywhere(void **state)
{
  const pk_model *m = model_of(state);
  pki_random rng = pki_random_seeded(2);
  for (int round = 0; round < 1000; round++) {
    double q0[NQ] = {0}, q1[NQ], v[NU] = {0}, back[NU];
    pki_random_quaternion(&rng, q0 + 3);
    pki_random_quaternion(&rng, q0 + 7);
    for (int i = 3; i < NU; i++) {
      v[i] = 1e-12 * pki_random_between(&rng, -1, 1);
    }
    pk_config_add(m, q0, v, q1);
    pk_config_subtract(m, q1, q0, back);
    assert_close(back, v, NU, 1e-15); /* roundings of unit quaternions */
  }
}

/* The two branches of sin(x)/x meet at |turn| = 0.02. */
static void the_series_meets_the_closed_form(void **state)
{
  const pk_model *m = model_of(state);
  for (int i = -2000; i <= 2000; i++) {
    const double angle = 0.02 * (1 + 1e-5 * i);
    const double v[NU] = {0, 0, 0, angle, 0, 0, 0, -angle, 0};
    double q[NQ];
    pk_config_add(m, m->q0, v, q);
    const double s = (double)sinl(0.5L * angle), c = (double)cosl(0.5L * angle);
    const double expected[NQ] = {0, 0, 0, c, s, 0, 0, c, 0, -s, 0};
    assert_close(q + 3, expected + 3, 1, 1.2e-16);
    assert_close(q + 4, expected + 4, 3, 4e-18);
    assert_close(q + 7, expected + 7, 1, 1.2e-16);
    assert_close(q + 8, expected + 8, 3, 4e-18);
  }
}

static void many_small_steps_about_one_axis_equal_a_big_one(void **state)
{
  const pk_model *m = model_of(state);
  enum { STEPS = 10000 };
  const double v[NU] = {0.5, -1, 2, 0.6, -1.2, 0.4, 0.3, 0.9, -0.2};
  double small[NU], q[NQ], big[NQ];
  for (int i = 0; i < NU; i++) {
    small[i] = v[i] / STEPS;
  }
  memcpy(q, m->q0, sizeof q);
  for (int k = 0; k < STEPS; k++) {
    pk_config_add(m, q, small, q);
  }
  pk_config_add(m, m->q0, v, big);
  assert_close(q, big, NQ, 1e-12);
}

/* Turns about the body's own axes: q exp(x) exp(z) with x, z quarter turns sends body z where
 * fixed-axis Rx(90) Rz(90) sends it. */
static void turns_compose_in_body_axes(void **state)
{
  const pk_model *m = model_of(state);
  const double quarter = 1.57079632679489661923;
  const double x[NU] = {0, 0, 0, quarter, 0, 0, 0, 0, 0}, z[NU] = {0, 0, 0, 0, 0, quarter, 0, 0, 0};
  double q[NQ];
  pk_config_add(m, m->q0, x, q);
  pk_config_add(m, q, z, q);
  /* (1 + i)(1 + k)/2 = (1 + i - j + k)/2 */
  const double expected[4] = {0.5, 0.5, -0.5, 0.5};
  assert_close(q + 3, expected, 4, 3e-16);
}

static void a_million_steps_keep_the_length(void **state)
{
  const pk_model *m = model_of(state);
  pki_random rng = pki_random_seeded(3);
  double q[NQ], v[NU], worst = 0;
  memcpy(q, m->q0, sizeof q);
  for (int k = 0; k < 1000000; k++) {
    if (k % 100 == 0) {
      for (int i = 0; i < NU; i++) {
        v[i] = pki_random_between(&rng, -1, 1) * (k % 200 == 0 ? 1e-3 : 2);
      }
    }
    pk_config_add(m, q, v, q);
    worst = fmax(worst, fmax(fabs(norm4(q + 3) - 1), fabs(norm4(q + 7) - 1)));
  }
  print_message("worst length error %.2g\n", worst);
  assert_less(worst, 1e-15);
}

static void a_quaternion_far_from_unit_length_is_brought_back(void **state)
{
  const pk_model *m = model_of(state);
  const double v[NU] = {0, 0, 0, 0, 0.5, 0, 0.1, 0, 0};
  static const double lengths[] = {1e-6, 0.5, 1 + 1e-6, 1 + 1e-9, 3, 1e6};
  double right[NQ];
  pk_config_add(m, m->q0, v, right);
  for (int k = 0; k < 6; k++) {
    double q[NQ];
    memcpy(q, m->q0, sizeof q);
    q[3] *= lengths[k], q[7] *= lengths[k];
    pk_config_add(m, q, v, q);
    assert_close(q, right, NQ, 5e-16);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_half_turn_about_z_is_the_quaternion_k),
      cmocka_unit_test(quarter_turns_are_exact_about_every_axis),
      cmocka_unit_test(subtraction_takes_the_short_way),
      cmocka_unit_test(tiny_turns_keep_their_relative_accuracy),
      cmocka_unit_test(a_picoradian_is_seen_from_anywhere),
      cmocka_unit_test(the_series_meets_the_closed_form),
      cmocka_unit_test(many_small_steps_about_one_axis_equal_a_big_one),
      cmocka_unit_test(turns_compose_in_body_axes),
      cmocka_unit_test(a_million_steps_keep_the_length),
      cmocka_unit_test(a_quaternion_far_from_unit_length_is_brought_back),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
