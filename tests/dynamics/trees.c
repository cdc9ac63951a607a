/* Identities that the algorithms owe each other, on random trees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "support/bounds.h"
#include "support/random_tree.h"

enum { TREES = 1000, LINKS = 20, ROBOTS = 2, NU_MAX = 6 * (LINKS + ROBOTS), NQ_MAX = 7 * (LINKS + ROBOTS) };

static double norm(const double *v, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

/* |r| / (|M| |a| + |h| + |tau|), M in the Frobenius norm. */
static double relative(const double *r, const double *M, const double *a, const double *h, const double *tau,
                       int n)
{
  return n == 0 ? 0 : norm(r, n) / (norm(M, n * n) * norm(a, n) + norm(h, n) + norm(tau, n));
}

/* |M a + h - tau|, relative. */
static double backward_error(const double *M, const double *a, const double *h, const double *tau, int n)
{
  double r[NU_MAX];
  for (int i = 0; i < n; i++) {
    r[i] = h[i] - tau[i];
    for (int j = 0; j < n; j++) {
      r[i] += M[i * n + j] * a[j];
    }
  }
  return relative(r, M, a, h, tau, n);
}

static random_tree_options some_options(int k)
{
  return (random_tree_options){.links = 1 + k % LINKS,
                               .mimic = k % 5 == 4,
                               .massless = k % 5 == 3,
                               .robots = k % 7 == 6 ? ROBOTS : 1,
                               .root = k % 3 == 0   ? PK_ROOT_FREE
                                       : k % 3 == 1 ? PK_ROOT_FIXED
                                                    : PK_ROOT_CHAIN};
}

typedef struct tree_case {
  pk_model *model;
  pk_workspace *work;
  double q[NQ_MAX], u[NU_MAX], tau[NU_MAX];
} tree_case;

static tree_case make_case(pki_random *rng, int k)
{
  const random_tree_options options = some_options(k);
  tree_case c = {.model = random_tree(rng, &options)};
  assert_in_range(c.model->nu, 0, NU_MAX);
  pk_workspace_create(c.model, &c.work, NULL);
  assert_non_null(c.work);
  random_config(rng, c.model, c.q);
  random_vector(rng, c.model->nu, 3, c.u);
  random_vector(rng, c.model->nu, 20, c.tau);
  return c;
}

static void free_case(tree_case *c)
{
  pk_workspace_destroy(c->work);
  pk_model_destroy(c->model);
}

static void forward_and_inverse_dynamics_agree_on_random_trees(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  double worst_aba = 0, worst_crba = 0, worst_rnea = 0;
  for (int k = 0; k < TREES; k++) {
    tree_case c = make_case(&rng, k);
    const int n = c.model->nu;
    static double M[NU_MAX * NU_MAX];
    double a[NU_MAX], h[NU_MAX], r[NU_MAX];
    pk_mass_matrix(c.work, c.q, M);
    pk_inverse_dynamics(c.work, c.q, c.u, NULL, h);
    assert_int_equal(pk_forward_dynamics(c.work, PK_DYNAMICS_METHOD_CRBA, c.q, c.u, c.tau, a), PK_OK);
    worst_crba = fmax(worst_crba, backward_error(M, a, h, c.tau, n));
    pk_inverse_dynamics(c.work, c.q, c.u, a, r);
    for (int i = 0; i < n; i++) {
      r[i] -= c.tau[i];
    }
    worst_rnea = fmax(worst_rnea, relative(r, M, a, h, c.tau, n));
    const pk_status status = pk_forward_dynamics(c.work, PK_DYNAMICS_METHOD_ABA, c.q, c.u, c.tau, a);
    assert_int_equal(status, c.model->has_mimic ? PK_ERROR_UNSUPPORTED : PK_OK);
    if (status == PK_OK) {
      worst_aba = fmax(worst_aba, backward_error(M, a, h, c.tau, n));
    }
    free_case(&c);
  }
  print_message("backward error: aba %.2g, crba %.2g, rnea %.2g\n", worst_aba, worst_crba, worst_rnea);
  assert_less(worst_aba, 1e-12);
  assert_less(worst_crba, 1e-12);
  assert_less(worst_rnea, 1e-12);
}

static void the_inverse_mass_matrix_is_the_inverse(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, k);
    const int n = c.model->nu;
    static double M[NU_MAX * NU_MAX], Minv[NU_MAX * NU_MAX];
    pk_mass_matrix(c.work, c.q, M);
    assert_int_equal(pk_mass_matrix_inverse(c.work, c.q, Minv), PK_OK);
    double worst = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        double sum = i == j ? -1 : 0;
        for (int e = 0; e < n; e++) {
          sum += M[i * n + e] * Minv[e * n + j];
        }
        worst = fmax(worst, fabs(sum));
        assert_true(Minv[i * n + j] == Minv[j * n + i]);
      }
    }
    assert_at_most(worst, 1e-13 * norm(M, n * n) * norm(Minv, n * n) + 1e-14);
    free_case(&c);
  }
}

static void unit_force_responses_match_the_inverse_times_the_jacobian(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, k);
    const int n = c.model->nu, link = c.model->nlink - 1;
    const double point[3] = {0.1, -0.2, 0.3};
    static double Minv[NU_MAX * NU_MAX], J[6 * NU_MAX], R[6 * NU_MAX];
    double W[36];
    pk_mass_matrix_inverse(c.work, c.q, Minv);
    pk_link_response(c.work, c.q, link, point, R, W);
    pk_link_jacobian(c.work, link, point, J);
    double worst = 0, scale = norm(Minv, n * n) * norm(J, 6 * n);
    for (int i = 0; i < n; i++) {
      for (int r = 0; r < 6; r++) {
        double sum = -R[i * 6 + r];
        for (int j = 0; j < n; j++) {
          sum += Minv[i * n + j] * J[r * n + j];
        }
        worst = fmax(worst, fabs(sum));
      }
    }
    assert_at_most(worst, 1e-13 * scale + 1e-14);
    for (int r = 0; r < 6; r++) {
      for (int s = 0; s < 6; s++) {
        assert_at_most(fabs(W[r * 6 + s] - W[s * 6 + r]), 1e-12 * (scale * norm(J, 6 * n) + 1));
      }
    }
    free_case(&c);
  }
}

/* Central differences of poses along u give the Jacobian; those of J give its derivative. */
static void jacobians_are_the_derivatives_of_poses(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  const double eps = 1e-5;
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, k);
    const int n = c.model->nu, link = c.model->nlink - 1;
    const double point[3] = {0.1, -0.2, 0.3};
    static double J[6 * NU_MAX], Jd[6 * NU_MAX], Jp[2][6 * NU_MAX];
    double q[2][NQ_MAX], x[2][3], v[6], Jdu[6], place[3], speed[3];
    pk_kinematics_compute(c.work, c.q, c.u);
    pk_link_jacobian(c.work, link, point, J);
    pk_link_jacobian_dot(c.work, link, point, Jd);
    pk_link_jacobian_dot_u(c.work, link, point, c.u, Jdu);
    pk_link_velocity(c.work, link, v);
    const pk_pose pose = pk_link_pose(c.work, link);
    for (int r = 0; r < 3; r++) {
      place[r] = pose.pos[r] + pose.rot[3 * r] * point[0] + pose.rot[3 * r + 1] * point[1] +
                 pose.rot[3 * r + 2] * point[2];
    }
    pk_link_point_velocity(c.work, link, place, speed);
    for (int side = 0; side < 2; side++) {
      double step[NU_MAX];
      for (int i = 0; i < n; i++) {
        step[i] = (side ? eps : -eps) * c.u[i];
      }
      pk_config_add(c.model, c.q, step, q[side]);
      pk_kinematics_compute(c.work, q[side], NULL);
      pk_link_jacobian(c.work, link, point, Jp[side]);
      const pk_pose at = pk_link_pose(c.work, link);
      for (int r = 0; r < 3; r++) {
        x[side][r] = at.pos[r] + at.rot[3 * r] * point[0] + at.rot[3 * r + 1] * point[1] +
                     at.rot[3 * r + 2] * point[2];
      }
    }
    for (int r = 0; r < 6; r++) {
      double Ju = 0, Jdu_sum = 0;
      for (int i = 0; i < n; i++) {
        Ju += J[r * n + i] * c.u[i];
        Jdu_sum += Jd[r * n + i] * c.u[i];
        const double difference = (Jp[1][r * n + i] - Jp[0][r * n + i]) / (2 * eps);
        assert_less(fabs(difference - Jd[r * n + i]), 1e-5 * (1 + norm(Jd, 6 * n)));
      }
      assert_at_most(fabs(Jdu_sum - Jdu[r]), 1e-12 * (1 + fabs(Jdu[r])));
      if (r < 3) {
        /* angular velocity: world axes here, link axes in pk_link_velocity */
        const double world = pose.rot[3 * r] * v[0] + pose.rot[3 * r + 1] * v[1] + pose.rot[3 * r + 2] * v[2];
        assert_less(fabs(world - Ju), 1e-11 * (1 + fabs(Ju)));
      } else {
        const double rate = (x[1][r - 3] - x[0][r - 3]) / (2 * eps);
        assert_less(fabs(rate - Ju), 1e-5 * (1 + norm(c.u, n)));
        assert_less(fabs(rate - speed[r - 3]), 1e-5 * (1 + norm(c.u, n)));
        assert_less(fabs(speed[r - 3] - Ju), 1e-11 * (1 + norm(c.u, n)));
      }
    }
    free_case(&c);
  }
}

static void energy_and_momentum_match_the_mass_matrix(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, k);
    const int n = c.model->nu;
    static double M[NU_MAX * NU_MAX], A[6 * NU_MAX];
    pk_mass_matrix(c.work, c.q, M);
    pk_kinematics_compute(c.work, c.q, c.u);
    const pk_energy e = pk_energy_compute(c.work, c.u);
    double kinetic = 0, momentum[6], com[3], vel[3];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        kinetic += 0.5 * c.u[i] * M[i * n + j] * c.u[j];
      }
    }
    assert_less(fabs(kinetic - e.kinetic), 1e-12 * (1 + norm(M, n * n) * norm(c.u, n) * norm(c.u, n)));
    pk_momentum_compute(c.work, -1, momentum);
    pk_momentum_matrix(c.work, A);
    pk_com_compute(c.work, -1, com, vel);
    for (int r = 0; r < 6; r++) {
      double sum = -momentum[r];
      for (int i = 0; i < n; i++) {
        sum += A[r * n + i] * c.u[i];
      }
      assert_less(fabs(sum), 1e-11 * (1 + norm(A, 6 * n) * norm(c.u, n)));
      if (r >= 3) {
        assert_less(fabs(momentum[r] - c.model->mass * vel[r - 3]), 1e-11 * (1 + fabs(momentum[r])));
      }
    }
    assert_less(fabs(e.potential - 9.81 * c.model->mass * com[2]), 1e-11 * (1 + fabs(e.potential)));
    free_case(&c);
  }
}

/* Of one robot: what its own bodies add, by hand from the links' poses and velocities. */
static void sums_over_links(const tree_case *c, int robot, double com[3], double vel[3], double momentum[6])
{
  double mass = 0;
  memset(com, 0, 3 * sizeof *com), memset(vel, 0, 3 * sizeof *vel), memset(momentum, 0, 6 * sizeof *momentum);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->model->nlink; i++) {
      const pk_model_link *link = &c->model->links[i];
      if (link->body < 0 || (robot >= 0 && link->robot != robot)) {
        continue; /* what is fixed in the world has no part */
      }
      const pk_pose pose = pk_link_pose(c->work, i);
      double V[6], x[3], v[3], L[3], w[3], I[9], H[3];
      pk_link_velocity(c->work, i, V); /* link axes */
      pki_cross3(V, link->inertia.com, v);
      for (int k = 0; k < 3; k++) {
        v[k] += V[3 + k];
      }
      pki_mat3_from_sym(link->inertia.moment, I);
      pki_mat3_apply(I, V, H);
      pki_mat3_apply(pose.rot, v, v), pki_mat3_apply(pose.rot, H, H),
          pki_mat3_apply(pose.rot, link->inertia.com, x);
      for (int k = 0; k < 3; k++) {
        x[k] += pose.pos[k] - (pass ? com[k] : 0);
        w[k] = link->inertia.mass * v[k];
      }
      pki_cross3(x, w, L);
      mass += pass ? 0 : link->inertia.mass;
      for (int k = 0; k < 3; k++) {
        com[k] += pass ? 0 : link->inertia.mass * x[k];
        momentum[k] += pass ? L[k] + H[k] : 0;
        momentum[3 + k] += pass ? w[k] : 0;
      }
    }
    for (int k = 0; k < 3 && !pass && mass > 0; k++) {
      com[k] /= mass;
    }
  }
  for (int k = 0; k < 3 && mass > 0; k++) {
    vel[k] = momentum[3 + k] / mass;
  }
}

static void each_robot_has_its_own_centre_of_mass_and_momentum(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, 7 * k + 6); /* two robots in one world */
    assert_int_equal(c.model->nrobot, ROBOTS);
    pk_kinematics_compute(c.work, c.q, c.u);
    for (int robot = -1; robot < ROBOTS; robot++) {
      double com[2][3], vel[2][3], momentum[2][6];
      if (robot >= 0 && c.model->robots[robot].nbody == 0) {
        continue;
      }
      pk_com_compute(c.work, robot, com[0], vel[0]);
      pk_momentum_compute(c.work, robot, momentum[0]);
      sums_over_links(&c, robot, com[1], vel[1], momentum[1]);
      const double size = 1 + norm(momentum[1], 6);
      for (int e = 0; e < 6; e++) {
        assert_less(fabs(momentum[0][e] - momentum[1][e]), 1e-11 * size);
        assert_true(e >= 3 || fabs(com[0][e] - com[1][e]) < 1e-12 * (1 + norm(com[1], 3)));
        assert_true(e >= 3 || fabs(vel[0][e] - vel[1][e]) < 1e-12 * (1 + norm(vel[1], 3)));
      }
    }
    free_case(&c);
  }
}

static void config_subtract_undoes_config_add(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  for (int k = 0; k < 200; k++) {
    tree_case c = make_case(&rng, k);
    double v[NU_MAX], q[NQ_MAX], back[NU_MAX];
    random_vector(&rng, c.model->nu, k % 2 ? 1.5 : 1e-4, v);
    pk_config_add(c.model, c.q, v, q);
    pk_config_subtract(c.model, q, c.q, back);
    for (int i = 0; i < c.model->nu; i++) {
      assert_less(fabs(back[i] - v[i]), 1e-14 * 20);
    }
    free_case(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_and_inverse_dynamics_agree_on_random_trees),
      cmocka_unit_test(the_inverse_mass_matrix_is_the_inverse),
      cmocka_unit_test(unit_force_responses_match_the_inverse_times_the_jacobian),
      cmocka_unit_test(jacobians_are_the_derivatives_of_poses),
      cmocka_unit_test(energy_and_momentum_match_the_mass_matrix),
      cmocka_unit_test(each_robot_has_its_own_centre_of_mass_and_momentum),
      cmocka_unit_test(config_subtract_undoes_config_add),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
