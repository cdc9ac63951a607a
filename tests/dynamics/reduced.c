/* Reduced dynamics against constrained forward dynamics: the whole system [M -J'; J 0] solved by dense elimination. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/reduced.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/random_tree.h"
#include "support/worst.h"

enum { NQ = 64, NU = 48, ROWS = 24, SIZE = NU + ROWS };

/* A robot with its legs, and a state of it. */
typedef struct robot {
  pk_model *model;
  pk_workspace *work;
  pk_reduced *reduced;
  int nleg;
  pk_leg legs[4];
  double q[NQ], u[NU], tau[NU], q1[NQ], u1[NU];
} robot;

static const char *const quadrupeds[] = {"starleth", "anymal_b", "thesis_quadruped", "sony_quadruped"};

static robot load_on(const char *name, pk_root_kind root)
{
  static const char *const four[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"}, *const two[] = {"l_sole",
                                                                                                  "r_sole"};
  static const double tip[3] = {0, 0, -0.22};
  const bool biped = strcmp(name, "coman") == 0, thesis = strcmp(name, "thesis_quadruped") == 0;
  robot r = {.nleg = biped ? 2 : 4};
  char path[512];
  pk_error err = {0};
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  options.root = root;
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  if (pk_model_load_urdf(path, &options, &r.model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < r.nleg; i++) {
    const int link = pk_model_find_link(r.model, biped ? two[i] : four[i]);
    if (pk_leg_init(&r.legs[i], r.model, biped ? PK_LEG_POSE : PK_LEG_POINT, link, thesis ? tip : NULL,
                    &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
  assert_in_range(r.model->nq, 1, NQ);
  assert_in_range(r.model->nu, 1, NU);
  pk_workspace_create(r.model, &r.work, NULL);
  assert_int_equal(pk_reduced_create(r.model, r.nleg, r.legs, &r.reduced, &err), PK_OK);
  return r;
}

static robot load(const char *name)
{
  return load_on(name, PK_ROOT_AUTO);
}

static void unload(robot *r)
{
  pk_reduced_destroy(r->reduced);
  pk_workspace_destroy(r->work);
  pk_model_destroy(r->model);
}

/* Any trunk, any joints, knees bent by 0.4 rad or more. */
static void random_pose(robot *r, pki_random *rng)
{
  random_config(rng, r->model, r->q);
  for (int k = 6; k < r->model->nu; k++) {
    r->q[r->model->dof_q[k]] *= 0.25;
  }
  for (int i = 0; i < r->nleg; i++) {
    const bool biped = r->legs[i].kind == PK_LEG_POSE;
    double angles[PK_LEG_HINGES];
    pk_leg_get(&r->legs[i], r->q, angles);
    angles[biped ? 3 : 2] = pki_random_between(rng, 0.4, 2) * (pki_random_unit(rng) < 0.5 && !biped ? -1 : 1);
    pk_leg_set(&r->legs[i], angles, r->q);
  }
}

/* Velocities that keep the stance feet, and torques; q, u are complete after. */
static void random_motion(robot *r, pki_random *rng)
{
  pk_error err = {0};
  pk_reduced_take(r->reduced, r->q, NULL, r->q1, NULL);
  random_vector(rng, pk_reduced_nu(r->reduced), 2, r->u1);
  random_vector(rng, r->model->nu, 20, r->tau);
  if (pk_reduced_complete(r->reduced, r->q1, r->u1, r->q, r->u, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
}

/* Rows of the stance feet [rows][nu], and dJ/dt u. */
static int stance_rows(robot *r, unsigned stance, double *J, double *rate)
{
  const int nu = r->model->nu;
  int rows = 0;
  pk_kinematics_compute(r->work, r->q, r->u);
  for (int i = 0; i < r->nleg; i++) {
    const int n = r->legs[i].nsolve;
    double all[6 * NU], drift[6];
    if (!(stance >> i & 1)) {
      continue;
    }
    pk_link_jacobian(r->work, r->legs[i].link, r->legs[i].point, all);
    pk_link_jacobian_dot_u(r->work, r->legs[i].link, r->legs[i].point, r->u, drift);
    memcpy(J + rows * nu, all + (6 - n) * nu, (size_t)(n * nu) * sizeof *J);
    memcpy(rate + rows, drift + 6 - n, (size_t)n * sizeof *rate);
    rows += n;
  }
  return rows;
}

/* x := inv(A) x, Gauss with full pivoting. */
static void eliminate(double *A, int n, double *x)
{
  int order[SIZE];
  double y[SIZE];
  for (int k = 0; k < n; k++) {
    order[k] = k;
  }
  for (int k = 0; k < n; k++) {
    int row = k, column = k;
    for (int i = k * n; i < n * n; i++) {
      if (i % n >= k && fabs(A[i]) > fabs(A[row * n + column])) {
        row = i / n, column = i % n;
      }
    }
    for (int j = 0; j < n; j++) {
      const double swap = A[k * n + j];
      A[k * n + j] = A[row * n + j], A[row * n + j] = swap;
    }
    for (int i = 0; i < n; i++) {
      const double swap = A[i * n + k];
      A[i * n + k] = A[i * n + column], A[i * n + column] = swap;
    }
    const double value = x[k];
    const int index = order[k];
    x[k] = x[row], x[row] = value;
    order[k] = order[column], order[column] = index;
    assert_true(A[k * n + k] != 0);
    for (int i = k + 1; i < n; i++) {
      const double l = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) {
        A[i * n + j] -= l * A[k * n + j];
      }
      x[i] -= l * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      x[k] -= A[k * n + j] * y[j];
    }
    y[k] = x[k] / A[k * n + k];
  }
  for (int k = 0; k < n; k++) {
    x[order[k]] = y[k];
  }
}

/* [a; f] of M a + h = tau + J' f, J a = -dJ/dt u. */
static void constrained(robot *r, int rows, const double *J, const double *rate, double *x)
{
  static double A[SIZE * SIZE], M[NU * NU];
  const int nu = r->model->nu, n = nu + rows;
  double h[NU];
  pk_inverse_dynamics(r->work, r->q, r->u, NULL, h);
  pk_mass_matrix(r->work, r->q, M);
  memset(A, 0, sizeof A);
  for (int i = 0; i < nu; i++) {
    memcpy(A + i * n, M + i * nu, (size_t)nu * sizeof *A);
    x[i] = r->tau[i] - h[i];
    for (int k = 0; k < rows; k++) {
      A[i * n + nu + k] = -J[k * nu + i];
      A[(nu + k) * n + i] = J[k * nu + i];
    }
  }
  for (int k = 0; k < rows; k++) {
    x[nu + k] = -rate[k];
  }
  eliminate(A, n, x);
}

static double norm(const double *v, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

/* |a - b| / |b| */
static double differ(const double *a, const double *b, int n)
{
  double d[SIZE];
  for (int i = 0; i < n; i++) {
    d[i] = a[i] - b[i];
  }
  return n == 0 ? 0 : norm(d, n) / norm(b, n);
}

/* One stance pattern at one random state: returns the largest relative difference. */
static double compare(robot *r, unsigned stance, pki_random *rng)
{
  double J[ROWS * NU], rate[ROWS], x[SIZE], a1[NU], a[NU], force[6 * 4], f[ROWS], Ju[ROWS] = {0}, balance[NU];
  pk_error err = {0};
  const int nu = r->model->nu;
  random_pose(r, rng);
  assert_int_equal(pk_reduced_stand(r->reduced, stance, NULL, r->q, &err), PK_OK);
  random_motion(r, rng);
  const int rows = stance_rows(r, stance, J, rate);
  assert_int_equal(pk_reduced_nu(r->reduced), nu - rows);
  assert_int_equal(pk_reduced_nq(r->reduced), r->model->nq - rows);
  for (int k = 0; k < rows * nu; k++) {
    Ju[k / nu] += J[k] * r->u[k % nu];
  }
  assert_less(norm(Ju, rows), 1e-12 * (1 + norm(r->u, nu)));
  constrained(r, rows, J, rate, x);
  assert_int_equal(pk_reduced_forward(r->reduced, r->q1, r->u1, r->tau, a1, a, force, &err), PK_OK);
  for (int i = 0, k = 0; i < r->nleg; i++) {
    const int n = r->legs[i].nsolve;
    for (int j = 0; j < 6; j++) {
      if (stance >> i & 1 && j >= 6 - n) {
        f[k++] = force[6 * i + j];
      } else {
        assert_true(force[6 * i + j] == 0);
      }
    }
  }
  for (int k = 0; k < pk_reduced_nu(r->reduced); k++) {
    assert_true(a1[k] == a[pk_reduced_u(r->reduced)[k]]);
  }
  /* all rows, those of the trunk included: M a + h - tau = J' f */
  double pushed[NU] = {0};
  pk_inverse_dynamics(r->work, r->q, r->u, a, balance);
  for (int k = 0; k < nu; k++) {
    balance[k] -= r->tau[k];
    for (int j = 0; j < rows; j++) {
      pushed[k] += J[j * nu + k] * f[j];
    }
  }
  const double worst = larger(differ(a, x, nu), differ(f, x + nu, rows));
  return stance == 0 ? worst : larger(worst, differ(balance, pushed, nu));
}

static void quadrupeds_agree_with_constrained_dynamics_in_every_stance(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    robot r = load(quadrupeds[k]);
    pki_random rng = pki_random_seeded((uint64_t)(30 + k));
    double most = 0;
    for (unsigned stance = 0; stance < 16; stance++) {
      for (int n = 0; n < PACE(20, 3); n++) {
        const double worst = compare(&r, stance, &rng);
        if (!(worst < 1e-10)) {
          fail_msg("%s, stance %u: %g", quadrupeds[k], stance, worst);
        }
        most = larger(most, worst);
      }
    }
    print_message("%s: differs by at most %.2g\n", quadrupeds[k], most);
    unload(&r);
  }
}

static void a_trunk_on_six_joints_agrees_with_constrained_dynamics_too(void **state)
{
  (void)state;
  robot r = load_on("anymal_b", PK_ROOT_CHAIN);
  pki_random rng = pki_random_seeded(45);
  for (unsigned stance = 1; stance < 16; stance++) {
    const double worst = compare(&r, stance, &rng);
    if (!(worst < 1e-10)) {
      fail_msg("stance %u: %g", stance, worst);
    }
  }
  unload(&r);
}

static void flat_feet_of_a_biped_agree_with_constrained_dynamics(void **state)
{
  (void)state;
  robot r = load("coman");
  pki_random rng = pki_random_seeded(40);
  double most = 0;
  for (unsigned stance = 0; stance < 4; stance++) {
    for (int n = 0; n < PACE(20, 2); n++) {
      const double worst = compare(&r, stance, &rng);
      if (!(worst < 1e-10)) {
        fail_msg("stance %u: %g", stance, worst);
      }
      most = larger(most, worst);
    }
  }
  print_message("coman: differs by at most %.2g\n", most);
  unload(&r);
}

/* Legs well bent, so that a few millimetres are within reach. */
static void bent_pose(robot *r, pki_random *rng)
{
  random_pose(r, rng);
  for (int i = 0; i < r->nleg; i++) {
    double quadruped[PK_LEG_HINGES] = {0, 0.6, -1.2, 0.5}, biped[PK_LEG_HINGES] = {-0.4, 0, 0, 0.8, 0, -0.4};
    double *angles = r->legs[i].kind == PK_LEG_POSE ? biped : quadruped;
    for (int k = 0; k < r->legs[i].nhinge; k++) {
      angles[k] += pki_random_between(rng, -0.2, 0.2);
    }
    pk_leg_set(&r->legs[i], angles, r->q);
  }
}

static void feet_stay_where_they_stand_while_the_trunk_moves(void **state)
{
  (void)state;
  static const char *const models[] = {"starleth", "anymal_b", "thesis_quadruped", "coman"};
  for (int k = 0; k < 4; k++) {
    robot r = load(models[k]);
    pki_random rng = pki_random_seeded((uint64_t)(50 + k));
    for (int n = 0; n < 50; n++) {
      double v[NU];
      pk_pose feet[4];
      bent_pose(&r, &rng);
      /* places a little off where they are, the legs bent as before */
      pk_kinematics_compute(r.work, r.q, NULL);
      for (int i = 0; i < r.nleg; i++) {
        feet[i] = pk_link_pose(r.work, r.legs[i].link);
        for (int j = 0; j < 3; j++) {
          feet[i].pos[j] +=
              feet[i].rot[3 * j] * r.legs[i].point[0] + feet[i].rot[3 * j + 1] * r.legs[i].point[1] +
              feet[i].rot[3 * j + 2] * r.legs[i].point[2] + pki_random_between(&rng, -2e-3, 2e-3);
        }
      }
      const unsigned all = (1u << r.nleg) - 1;
      assert_int_equal(pk_reduced_stand(r.reduced, all, feet, r.q, NULL), PK_OK);
      pk_reduced_take(r.reduced, r.q, NULL, r.q1, NULL);
      random_vector(&rng, pk_reduced_nu(r.reduced), 5e-3, v);
      pk_reduced_add(r.reduced, r.q1, v, r.q1);
      assert_int_equal(pk_reduced_complete(r.reduced, r.q1, v, r.q, r.u, NULL), PK_OK);
      pk_kinematics_compute(r.work, r.q, NULL);
      for (int i = 0; i < r.nleg; i++) {
        const pk_pose foot = pk_link_pose(r.work, r.legs[i].link);
        for (int j = 0; j < 3; j++) {
          const double *R = foot.rot + 3 * j, *p = r.legs[i].point;
          assert_less(fabs(foot.pos[j] + R[0] * p[0] + R[1] * p[1] + R[2] * p[2] - feet[i].pos[j]), 1e-12);
        }
      }
    }
    unload(&r);
  }
}

/* d(q1)/dt: the free root is first in q and u, its quaternion turns by half q w; hinges follow in the same order. */
static void rates(const robot *r, const double *q1, const double *u1, double *rate)
{
  for (int k = 7; k < pk_reduced_nq(r->reduced); k++) {
    assert_int_equal(r->model->dof_q[pk_reduced_u(r->reduced)[k - 1]], pk_reduced_q(r->reduced)[k]);
    rate[k] = u1[k - 1];
  }
  const double *w = u1 + 3, *p = q1 + 3;
  memcpy(rate, u1, 3 * sizeof *rate);
  rate[3] = 0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
  rate[4] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
  rate[5] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
  rate[6] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
}

/* Runge-Kutta of order 4 on (q1, u1) as plain numbers; the quaternion is used at unit length. Returns the energy at the end. */
static double integrate(robot *r, const double *q0, const double *u0, int steps, double time, double *end)
{
  static const double weight[4] = {1, 2, 2, 1}, ahead[4] = {0, 0.5, 0.5, 1};
  const int nq1 = pk_reduced_nq(r->reduced), nu1 = pk_reduced_nu(r->reduced), n = nq1 + nu1;
  const double h = time / steps, zero[NU] = {0};
  double y[NQ + NU], k[NQ + NU], next[NQ + NU], at[NQ + NU];
  pk_error err = {0};
  memcpy(y, q0, (size_t)nq1 * sizeof *y);
  memcpy(y + nq1, u0, (size_t)nu1 * sizeof *y);
  for (int s = 0; s < steps; s++) {
    memcpy(next, y, sizeof next);
    memset(k, 0, sizeof k);
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < n; i++) {
        at[i] = y[i] + ahead[stage] * h * k[i];
      }
      rates(r, at, at + nq1, k);
      const double length = norm(at + 3, 4);
      for (int i = 3; i < 7; i++) {
        at[i] /= length;
      }
      if (pk_reduced_forward(r->reduced, at, at + nq1, zero, k + nq1, NULL, NULL, &err) != PK_OK) {
        fail_msg("%s: %s", err.field, err.message);
      }
      for (int i = 0; i < n; i++) {
        next[i] += h / 6 * weight[stage] * k[i];
      }
    }
    memcpy(y, next, sizeof y);
  }
  const double length = norm(y + 3, 4);
  for (int i = 3; i < 7; i++) {
    y[i] /= length;
  }
  memcpy(end, y, (size_t)n * sizeof *end);
  assert_int_equal(pk_reduced_complete(r->reduced, y, y + nq1, r->q, r->u, &err), PK_OK);
  pk_kinematics_compute(r->work, r->q, r->u);
  const pk_energy e = pk_energy_compute(r->work, r->u);
  return e.kinetic + e.potential;
}

static void feet_that_stand_do_no_work_and_the_motion_has_order_four(void **state)
{
  (void)state;
  static const unsigned stances[] = {1, 9, 7, 15};
  for (int c = 0; c < 12; c++) {
    robot r = load(quadrupeds[c / 4]);
    double start[NU], end[3][NQ + NU], energy[4], *q1 = r.q1;
    pki_random rng = pki_random_seeded((uint64_t)(60 + c));
    memcpy(r.q, r.model->q0, (size_t)r.model->nq * sizeof *r.q);
    for (int i = 0; i < 4; i++) {
      double angles[PK_LEG_HINGES] = {i % 2 ? -0.1 : 0.1, 0.6, -1.2, 0.5};
      pk_leg_set(&r.legs[i], angles, r.q);
    }
    assert_int_equal(pk_reduced_stand(r.reduced, stances[c % 4], NULL, r.q, NULL), PK_OK);
    pk_reduced_take(r.reduced, r.q, NULL, q1, NULL);
    const int nu1 = pk_reduced_nu(r.reduced), n = pk_reduced_nq(r.reduced) + nu1;
    random_vector(&rng, nu1, 0.5, start);
    assert_int_equal(pk_reduced_complete(r.reduced, q1, start, r.q, r.u, NULL), PK_OK);
    pk_kinematics_compute(r.work, r.q, r.u);
    const pk_energy e = pk_energy_compute(r.work, r.u);
    energy[3] = e.kinetic + e.potential;
    for (int k = 0; k < 3; k++) {
      energy[k] = integrate(&r, q1, start, 8 << k, 0.06, end[k]);
    }
    double coarse[NQ + NU], fine[NQ + NU];
    for (int i = 0; i < n; i++) {
      coarse[i] = end[0][i] - end[1][i], fine[i] = end[1][i] - end[2][i];
    }
    const double order = log2(norm(coarse, n) / norm(fine, n));
    const double drift[2] = {fabs(energy[0] - energy[3]), fabs(energy[2] - energy[3])};
    print_message("%s, stance %u: order %.2f, energy off by %.2g, then %.2g of %.3g J\n", quadrupeds[c / 4],
                  stances[c % 4], order, drift[0], drift[1], e.kinetic);
    assert_greater(order, 3.7);
    assert_less(order, 4.5);
    assert_less(drift[1], 1e-6 * e.kinetic);
    assert_less(drift[1], drift[0] / 100);
    unload(&r);
  }
}

static void legs_that_cannot_hold_their_feet_are_told(void **state)
{
  (void)state;
  robot r = load("starleth");
  pk_error err = {0};
  memcpy(r.q, r.model->q0, (size_t)r.model->nq * sizeof *r.q);
  for (int i = 0; i < 4; i++) {
    double angles[PK_LEG_HINGES] = {0, 0.6, i == 2 ? 0 : -1.2};
    pk_leg_set(&r.legs[i], angles, r.q);
  }
  assert_int_equal(pk_reduced_stand(r.reduced, 4, NULL, r.q, &err), PK_OK);
  pk_reduced_take(r.reduced, r.q, NULL, r.q1, NULL);
  assert_int_equal(pk_reduced_complete(r.reduced, r.q1, NULL, r.q, NULL, &err), PK_ERROR_SINGULAR);
  assert_string_equal(err.field, "LH_FOOT");
  assert_string_equal(err.message,
                      "its leg is stretched or folded and cannot hold the foot while the trunk moves");
  assert_int_equal(pk_reduced_stand(r.reduced, 1, NULL, r.q, &err), PK_OK);
  pk_reduced_take(r.reduced, r.q, NULL, r.q1, NULL);
  r.q1[2] += 1;
  assert_int_equal(pk_reduced_complete(r.reduced, r.q1, NULL, r.q, NULL, &err), PK_ERROR_REACH);
  assert_string_equal(err.field, "LF_FOOT");
  r.q1[2] = NAN;
  assert_int_equal(pk_reduced_complete(r.reduced, r.q1, NULL, r.q, NULL, &err), PK_ERROR_NONFINITE);
  /* what failed leaves nothing behind */
  pki_random rng = pki_random_seeded(70);
  assert_less(compare(&r, 5, &rng), 1e-10);
  unload(&r);
}

static void a_place_out_of_reach_changes_no_stance(void **state)
{
  (void)state;
  robot r = load("starleth");
  pki_random rng = pki_random_seeded(71);
  pk_pose feet[4];
  pk_error err = {0};
  random_pose(&r, &rng);
  assert_int_equal(pk_reduced_stand(r.reduced, 3, NULL, r.q, &err), PK_OK);
  for (int i = 0; i < 4; i++) {
    feet[i] = pk_pose_identity();
    feet[i].pos[0] = 50;
  }
  assert_int_equal(pk_reduced_stand(r.reduced, 4, feet, r.q, &err), PK_ERROR_REACH);
  assert_int_equal(pk_reduced_nu(r.reduced), 12);
  assert_int_equal(pk_reduced_stand(r.reduced, 16, NULL, r.q, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "stance 0x10 names a leg beyond the 4 that there are");
  unload(&r);
}

static void legs_that_share_a_hinge_are_refused(void **state)
{
  (void)state;
  robot r = load("starleth");
  const pk_leg twice[2] = {r.legs[1], r.legs[1]};
  pk_reduced *reduced = NULL;
  pk_error err = {0};
  assert_int_equal(pk_reduced_create(r.model, 2, twice, &reduced, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.message,
                      "the legs of \"RF_FOOT\" and \"RF_FOOT\" share a hinge, expected legs that move apart");
  assert_null(reduced);
  pk_reduced_destroy(reduced);
  unload(&r);
}

static void calls_allocate_nothing(void **state)
{
  (void)state;
  robot r = load("coman");
  pki_random rng = pki_random_seeded(72);
  double a1[NU], force[12];
  random_pose(&r, &rng);
  const int before = allocations;
  assert_int_equal(pk_reduced_stand(r.reduced, 3, NULL, r.q, NULL), PK_OK);
  random_motion(&r, &rng);
  assert_int_equal(pk_reduced_forward(r.reduced, r.q1, r.u1, r.tau, a1, NULL, force, NULL), PK_OK);
  pk_reduced_add(r.reduced, r.q1, r.u1, r.q1);
  assert_int_equal(allocations, before);
  unload(&r);
}

static void legs_of_another_model_are_refused(void **state)
{
  (void)state;
  robot r = load("starleth"), other = load("anymal_b");
  pk_reduced *reduced = NULL;
  pk_error err = {0};
  char message[160];
  snprintf(message, sizeof message,
           "leg 0 is of another model: of one with the hash %016llx, this one has %016llx",
           pk_model_hash(other.model), pk_model_hash(r.model));
  assert_int_equal(pk_reduced_create(r.model, 4, other.legs, &reduced, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, message);
  assert_string_equal(err.field, "legs");
  assert_null(reduced);
  unload(&r);
  unload(&other);
}

static void a_place_that_is_no_number_has_no_nearest(void **state)
{
  (void)state;
  robot r = load("starleth"), biped = load("coman");
  for (int i = 0; i < 2; i++) {
    const pk_leg *leg = i == 0 ? r.legs : biped.legs;
    const double angles[PK_LEG_HINGES] = {0};
    pk_pose foot = pk_leg_foot(leg, angles), nearest, before;
    pk_error err = {0};
    foot.pos[1] = NAN;
    memset(&nearest, 0x5a, sizeof nearest);
    before = nearest;
    assert_int_equal(pk_leg_reach(leg, &foot, angles, &nearest, &err), PK_ERROR_NONFINITE);
    assert_string_equal(err.message, "the foot's place or an angle is no number");
    assert_memory_equal(&nearest, &before, sizeof nearest);
  }
  unload(&r);
  unload(&biped);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadrupeds_agree_with_constrained_dynamics_in_every_stance),
      cmocka_unit_test(a_trunk_on_six_joints_agrees_with_constrained_dynamics_too),
      cmocka_unit_test(flat_feet_of_a_biped_agree_with_constrained_dynamics),
      cmocka_unit_test(feet_stay_where_they_stand_while_the_trunk_moves),
      cmocka_unit_test(feet_that_stand_do_no_work_and_the_motion_has_order_four),
      cmocka_unit_test(legs_that_cannot_hold_their_feet_are_told),
      cmocka_unit_test(a_place_out_of_reach_changes_no_stance),
      cmocka_unit_test(legs_that_share_a_hinge_are_refused),
      cmocka_unit_test(calls_allocate_nothing),
      cmocka_unit_test(legs_of_another_model_are_refused),
      cmocka_unit_test(a_place_that_is_no_number_has_no_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
