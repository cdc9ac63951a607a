#define _POSIX_C_SOURCE 200809L /* setenv */
/* Answers that can be written down: pendulums, a rolling frame, both kinds of free root. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/mat3.h"
#include "pronk/dynamics.h"
#include "support/bounds.h"

static pk_model *load(const char *path, const double *gravity, pk_root_kind root)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_load_options o = pk_load_options_default();
  o.root = root;
  if (gravity != NULL) {
    pk_builder_set_gravity(b, gravity);
  }
  assert_int_equal(pk_builder_add_urdf(b, path, &o, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* The double pendulum of the study (m 1 and 2, COM at 1 and 2.5, axes 2 apart, I 5.5 and 2):
 *   M11 = I1 + m1 l1^2 + I2 + m2 (a^2 + l2^2 + 2 a l2 cos q2), M12 = I2 + m2 (l2^2 + a l2 cos q2), ... */
static void the_double_pendulum_has_its_textbook_equations(void **state)
{
  (void)state;
  const double g = 1, m1 = 1, l1 = 1, I1 = 5.5, m2 = 2, l2 = 2.5, I2 = 2, a = 2;
  pk_model *model = load(PK_SOURCE_DIR "/models/double_pendulum/double_pendulum.urdf",
                         (const double[3]){0, 0, -g}, PK_ROOT_AUTO);
  assert_int_equal(model->nu, 2);
  pk_workspace *w;
  pk_workspace_create(model, &w, NULL);
  pki_random rng = pki_random_seeded(11);
  for (int k = 0; k < 100; k++) {
    const double q[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double u[2] = {pki_random_between(&rng, -3, 3), pki_random_between(&rng, -3, 3)};
    const double c = cos(q[1]), s = sin(q[1]);
    const double M12 = I2 + m2 * (l2 * l2 + a * l2 * c);
    const double expected[4] = {I1 + m1 * l1 * l1 + I2 + m2 * (a * a + l2 * l2 + 2 * a * l2 * c), M12, M12,
                                I2 + m2 * l2 * l2};
    const double swing = m2 * a * l2 * s, low = m2 * g * l2 * sin(q[0] + q[1]);
    const double h[2] = {-swing * (2 * u[0] * u[1] + u[1] * u[1]) + (m1 * l1 + m2 * a) * g * sin(q[0]) + low,
                         swing * u[0] * u[0] + low};
    double M[4], tau[2];
    pk_mass_matrix(w, q, M);
    pk_inverse_dynamics(w, q, u, NULL, tau);
    for (int i = 0; i < 4; i++) {
      assert_less(fabs(M[i] - expected[i]), 1e-13 * 50);
    }
    assert_less(fabs(tau[0] - h[0]), 1e-12 * 50);
    assert_less(fabs(tau[1] - h[1]), 1e-12 * 50);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(model);
}

/* Base angular velocity (body axes) and the rotation of Rx(a) Ry(b) Rz(c) from a chain's rates. */
static void chain_to_free(const double *q, const double *u, double *free_q, double *free_u)
{
  const double ca = cos(q[3]), sa = sin(q[3]), cb = cos(q[4]), sb = sin(q[4]), cc = cos(q[5]), sc = sin(q[5]);
  const double Rx[9] = {1, 0, 0, 0, ca, -sa, 0, sa, ca}, Ry[9] = {cb, 0, sb, 0, 1, 0, -sb, 0, cb};
  const double Rz[9] = {cc, -sc, 0, sc, cc, 0, 0, 0, 1};
  double R[9];
  pki_mat3_mul(Rx, Ry, R);
  pki_mat3_mul(R, Rz, R);
  memcpy(free_q, q, 3 * sizeof(double));
  memcpy(free_u, u, 3 * sizeof(double));
  pki_quat_from_mat3(R, free_q + 3);
  /* w = Rz' Ry' ex a' + Rz' ey b' + ez c' */
  free_u[3] = cc * cb * u[3] + sc * u[4];
  free_u[4] = -sc * cb * u[3] + cc * u[4];
  free_u[5] = sb * u[3] + u[5];
}

/* The two root models of Ayit's thesis (2015) are one robot: the same joints accelerate alike. */
static void both_free_root_models_move_alike(void **state)
{
  (void)state;
  const char *path = PK_SOURCE_DIR "/models/starleth/starleth.urdf";
  pk_model *chain = load(path, NULL, PK_ROOT_CHAIN), *free_root = load(path, NULL, PK_ROOT_FREE);
  assert_int_equal(chain->nu, free_root->nu);
  assert_int_equal(chain->nbody, free_root->nbody + 5);
  pk_workspace *wc, *wf;
  pk_workspace_create(chain, &wc, NULL);
  pk_workspace_create(free_root, &wf, NULL);
  pki_random rng = pki_random_seeded(12);
  for (int k = 0; k < 100; k++) {
    double q[18], u[18], fq[19], fu[18], tau[18] = {0}, ac[18], af[18], vc[6], vf[6];
    for (int i = 0; i < 18; i++) {
      q[i] = pki_random_between(&rng, -1, 1);
      u[i] = pki_random_between(&rng, -2, 2);
      tau[i] = i < 6 ? 0 : pki_random_between(&rng, -10, 10);
    }
    chain_to_free(q, u, fq, fu);
    memcpy(fq + 7, q + 6, 12 * sizeof(double));
    memcpy(fu + 6, u + 6, 12 * sizeof(double));
    assert_int_equal(pk_forward_dynamics(wc, PK_DYNAMICS_METHOD_ABA, q, u, tau, ac), PK_OK);
    assert_int_equal(pk_forward_dynamics(wf, PK_DYNAMICS_METHOD_ABA, fq, fu, tau, af), PK_OK);
    for (int i = 6; i < 18; i++) {
      assert_less(fabs(ac[i] - af[i]), 1e-9 * (1 + fabs(af[i])));
    }
    /* travel of the chain is world velocity of the base */
    for (int i = 0; i < 3; i++) {
      assert_less(fabs(ac[i] - af[i]), 1e-9 * (1 + fabs(af[i])));
    }
    for (int link = 0; link < chain->nlink; link++) {
      const pk_pose a = pk_link_pose(wc, link), b = pk_link_pose(wf, link);
      pk_link_velocity(wc, link, vc);
      pk_link_velocity(wf, link, vf);
      for (int i = 0; i < 6; i++) {
        assert_less(fabs(vc[i] - vf[i]), 1e-12 * 10);
        assert_true(i >= 3 || fabs(a.pos[i] - b.pos[i]) < 1e-14 * 10);
      }
    }
  }
  pk_workspace_destroy(wc), pk_workspace_destroy(wf);
  pk_model_destroy(chain), pk_model_destroy(free_root);
}

/* Forces do not depend on where in the world the robot stands, to rounding. */
static void dynamics_keep_their_accuracy_far_from_the_origin(void **state)
{
  (void)state;
  pk_model *m = load(PK_SOURCE_DIR "/models/coman/coman.urdf", NULL, PK_ROOT_FREE);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  double q[64], u[64], tau[64], here[64], far[64];
  pki_random rng = pki_random_seeded(13);
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  for (int i = 0; i < m->nu; i++) {
    u[i] = pki_random_between(&rng, -2, 2);
    tau[i] = pki_random_between(&rng, -5, 5);
  }
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_ABA, q, u, tau, here), PK_OK);
  q[0] += 1e6, q[1] -= 3e6;
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_ABA, q, u, tau, far), PK_OK);
  assert_memory_equal(here, far, (size_t)m->nu * sizeof(double));
  double momentum[2][6];
  for (int k = 0; k < 2; k++) {
    pk_kinematics_compute(w, q, u);
    pk_momentum_compute(w, -1, momentum[k]);
    q[0] = q[1] = 0;
  }
  for (int i = 0; i < 6; i++) {
    assert_less(fabs(momentum[0][i] - momentum[1][i]), 1e-7); /* positions themselves round to 4e-10 */
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

static void a_forced_instruction_set_is_used(void **state)
{
  (void)state;
  assert_int_equal(setenv("PRONK_ISA", "base", 1), 0);
  assert_string_equal(pk_isa_name(), "base");
  assert_int_equal(setenv("PRONK_ISA", "no-such-set", 1), 0);
  const char *fallback = pk_isa_name();
  assert_int_equal(unsetenv("PRONK_ISA"), 0);
  assert_string_equal(pk_isa_name(), fallback);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_double_pendulum_has_its_textbook_equations),
      cmocka_unit_test(both_free_root_models_move_alike),
      cmocka_unit_test(dynamics_keep_their_accuracy_far_from_the_origin),
      cmocka_unit_test(a_forced_instruction_set_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
