/* What holds for every law of compliant surfaces, on random overlaps: slopes against differences, positive semidefinite, energy
 * balance, equal and opposite forces, independence of frames, threads, instruction sets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/compliant/press_kernels.h"
#include "math/mat3.h"
#include "support/bounds.h"
#include "support/soft_pair.h"
#include "support/soft_shapes.h"

enum { FOOT_ON_PLANE, BALL_IN_BALL, BRICK_ON_SLAB, SPRINGS_ON_SLAB, HERTZ, PAIRS, TRIALS = 40 };

typedef struct fixture {
  pk_geometry *foot, *plane, *ball, *sphere, *brick, *slab, *egg;
} fixture;

static pk_geometry *take_mesh(soft_mesh mesh)
{
  pk_geometry *out = soft_geometry(&mesh);
  soft_mesh_free(&mesh);
  assert_non_null(out);
  return out;
}

static void make_shapes(fixture *f)
{
  static const double brick[3] = {0.075, 0.075, 0.075}, slab[3] = {0.1, 0.12, 0.03};
  f->foot = take_mesh(soft_foot());
  f->ball = take_mesh(soft_ball(0.06, 3));
  f->brick = take_mesh(soft_brick(brick, 7));
  f->slab = take_mesh(soft_brick(slab, 5));
  f->plane = soft_shape(PK_SHAPE_PLANE, 0, 0, 0);
  f->sphere = soft_shape(PK_SHAPE_SPHERE, 0.05, 0, 0);
  f->egg = soft_shape(PK_SHAPE_ELLIPSOID, 0.05, 0.08, 0.03);
}

static void free_shapes(fixture *f)
{
  pk_geometry *const all[] = {f->foot, f->plane, f->ball, f->sphere, f->brick, f->slab, f->egg};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    pk_geometry_destroy(all[i]);
  }
}

/* A pair that overlaps by some millimetres, face on face but for a tilt, with materials of its own. */
static void random_pair(const fixture *f, int which, pki_random *r, soft_pair *p)
{
  static const struct {
    size_t first, second;
    pk_compliance_law law;
    double apart; /* m, of the origins where they touch */
  } pairs[PAIRS] = {
      [FOOT_ON_PLANE] = {offsetof(fixture, foot), offsetof(fixture, plane),
                         PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 0},
      [BALL_IN_BALL] = {offsetof(fixture, ball), offsetof(fixture, sphere),
                        PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 0.11},
      [BRICK_ON_SLAB] = {offsetof(fixture, brick), offsetof(fixture, slab),
                         PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 0.105},
      [SPRINGS_ON_SLAB] = {offsetof(fixture, foot), offsetof(fixture, slab), PK_COMPLIANCE_LAW_ELASTIC_MESH,
                           0.03},
      [HERTZ] = {offsetof(fixture, egg), offsetof(fixture, sphere), PK_COMPLIANCE_LAW_HERTZ, 0.08}};
  pk_geometry *const *a = (pk_geometry *const *)(const void *)((const char *)f + pairs[which].first);
  pk_geometry *const *b = (pk_geometry *const *)(const void *)((const char *)f + pairs[which].second);
  soft_pair_open(p, *a, *b, pairs[which].law);
  for (int i = 0; i < 2; i++) {
    pk_compliance *s = &p->surface[i];
    s->stiffness = pki_random_between(r, 1e6, 1e7), s->dissipation = pki_random_between(r, 0, 2);
    s->dynamic_friction = pki_random_between(r, 0.2, 1);
    s->static_friction = s->dynamic_friction + pki_random_between(r, 0, 0.5);
    s->viscous_friction = pki_random_between(r, 0, 0.5);
  }
  const double rpy[3] = {pki_random_between(r, -0.03, 0.03), pki_random_between(r, -0.03, 0.03),
                         pki_random_between(r, -3, 3)};
  const double xyz[3] = {pki_random_between(r, -0.01, 0.01), pki_random_between(r, -0.01, 0.01),
                         pairs[which].apart - pki_random_between(r, 2e-3, 4e-3)};
  p->side[0].pose = pk_pose_from_xyz_rpy(xyz, rpy);
}

static void set_friction(soft_pair *p, pk_compliance_friction friction)
{
  p->surface[0].friction = p->surface[1].friction = friction;
}

static void random_twist(pki_random *r, double speed, double out[6])
{
  for (int k = 0; k < 6; k++) {
    out[k] = speed * pki_random_between(r, -1, 1) * (k < 3 ? 5 : 1);
  }
}

/* ---- slopes ---- */

static double size_of(const double *A, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(A[i]));
  }
  return most;
}

/* Central differences of the wrench by the twist; the lever of turns is a tenth of a metre. */
static void differences(const soft_pair *p, const double twist[6], double dt, double h, double out[36])
{
  for (int k = 0; k < 6; k++) {
    double to[6], from[6];
    memcpy(to, twist, sizeof to);
    memcpy(from, twist, sizeof from);
    const double step = k < 3 ? 10 * h : h;
    to[k] += step, from[k] -= step;
    const pki_press ahead = soft_pair_press(p, to, dt), behind = soft_pair_press(p, from, dt);
    for (int i = 0; i < 6; i++) {
      out[6 * i + k] = -(ahead.wrench[i] - behind.wrench[i]) / (2 * step);
    }
  }
}

static void slopes_without_friction_are_the_derivatives_of_wrenches(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(1);
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    for (int i = 0; i < 2; i++) {
      p.surface[i].static_friction = p.surface[i].dynamic_friction = p.surface[i].viscous_friction = 0;
    }
    assert_true(soft_pair_find(&p) > 0);
    double twist[6], D[36], worst = 0;
    random_twist(&r, 0.02, twist);
    const double dt = n % 2 == 0 ? 0 : 1e-3;
    const pki_press out = soft_pair_press(&p, twist, dt);
    differences(&p, twist, dt, 1e-7, D);
    for (int i = 0; i < 36; i++) {
      worst = fmax(worst, fabs(D[i] - out.slope[i]));
    }
    /* rounding of wrenches of up to 1e4 N over 1e-7 m/s; an element that lets go in between has a kink */
    assert_less(worst, 1e-5 * size_of(out.slope, 36) + 1e-5 * out.normal_force);
    soft_pair_close(&p);
  }
}

static void slopes_of_convex_friction_are_exact(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(2);
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    set_friction(&p, PK_COMPLIANCE_FRICTION_CONVEX);
    p.surface[0].creep_speed = p.surface[1].creep_speed = 1e-3;
    assert_true(soft_pair_find(&p) > 0);
    double twist[6], D[36], worst = 0;
    random_twist(&r, 0.005, twist);
    pki_patch_lag(&p.patch, twist);
    random_twist(&r, 0.005, twist);
    const pki_press out = soft_pair_press(&p, twist, 1e-3);
    differences(&p, twist, 1e-3, 1e-7, D);
    for (int i = 0; i < 36; i++) {
      worst = fmax(worst, fabs(D[i] - out.slope[i]));
    }
    assert_less(worst, 1e-5 * size_of(out.slope, 36));
    soft_pair_close(&p);
  }
}

/* A brick that slides along x: only the tangential block is meant. */
static void slopes_of_stribecks_curve_are_exact_where_it_rises_and_flat_where_it_falls(void **state)
{
  const fixture *f = *state;
  soft_pair p;
  soft_pair_open(&p, f->brick, f->plane, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
  p.side[0].pose.pos[2] = 0.075 - 1e-3;
  static const double speeds[] = {1e-4, 3e-3, 8e-3, 0.015, 0.025};
  for (int friction = 0; friction < PK_COMPLIANCE_FRICTION_COUNT; friction++) {
    set_friction(&p, (pk_compliance_friction)friction);
    p.surface[0].static_friction = p.surface[1].static_friction = 1.2;
    soft_pair_find(&p);
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
      const double slide[6] = {0, 0, 0, speeds[i], 0, 0};
      double D[36];
      const pki_press out = soft_pair_press(&p, slide, 0);
      differences(&p, slide, 0, 1e-8, D);
      const double size = fabs(out.slope[28]); /* mu f/|u| across the slip */
      assert_near(out.slope[28], -out.wrench[3] / speeds[i], 1e-9 * size);
      assert_near(out.slope[28], D[28], 1e-5 * size);
      assert_near(out.slope[21], fmax(D[21], 0), 1e-5 * size);
      assert_true(D[21] >= 0 || speeds[i] > 0.01);
    }
  }
  soft_pair_close(&p);
}

/* The least pivot of Cholesky's factorisation of a matrix to which `shift` times the identity was added. */
static double least_pivot(const double C[36], double shift)
{
  double L[36], least = INFINITY;
  memcpy(L, C, sizeof L);
  for (int k = 0; k < 6; k++) {
    L[7 * k] += shift;
  }
  for (int k = 0; k < 6; k++) {
    least = fmin(least, L[7 * k]);
    for (int i = k + 1; i < 6; i++) {
      const double factor = L[6 * i + k] / L[7 * k];
      for (int j = k + 1; j < 6; j++) {
        L[6 * i + j] -= factor * L[6 * k + j];
      }
    }
  }
  return least;
}

static void slopes_are_symmetric_and_positive_semidefinite(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(3);
  for (int n = 0; n < TRIALS * PAIRS * PK_COMPLIANCE_FRICTION_COUNT; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    set_friction(&p, (pk_compliance_friction)(n / PAIRS % PK_COMPLIANCE_FRICTION_COUNT));
    soft_pair_find(&p);
    double twist[6];
    random_twist(&r, pow(10, pki_random_between(&r, -5, 0.5)), twist);
    const pki_press out = soft_pair_press(&p, twist, n % 2 == 0 ? 0 : 2e-3);
    for (int i = 0; i < 36; i++) {
      assert_true(out.slope[i] == out.slope[6 * (i % 6) + i / 6]);
    }
    assert_greater(least_pivot(out.slope, 1e-13 * size_of(out.slope, 36) + 1e-300), 0);
    soft_pair_close(&p);
  }
}

/* ---- energy ---- */

/* A pose moved by a twist at a point for a time h: to first order in position, exactly a rotation. */
static pk_pose moved(const pk_pose *pose, const double twist[6], const double point[3], double h)
{
  const double rpy_like[3] = {twist[0] * h, twist[1] * h, twist[2] * h};
  const double angle = pki_length3(rpy_like), half = 0.5 * angle, sine = angle > 0 ? sin(half) / angle : 0.5;
  const double q[4] = {cos(half), sine * rpy_like[0], sine * rpy_like[1], sine * rpy_like[2]};
  double R[9], arm[3];
  pk_pose out;
  pki_quat_to_mat3(q, R);
  pki_mat3_mul(R, pose->rot, out.rot);
  pki_sub3(pose->pos, point, arm);
  pki_mat3_apply(R, arm, arm);
  for (int k = 0; k < 3; k++) {
    out.pos[k] = point[k] + arm[k] + h * twist[3 + k];
  }
  return out;
}

static void power_is_what_the_forces_take_and_the_springs_do_not_keep(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(4);
  static const int smooth[] = {FOOT_ON_PLANE, BALL_IN_BALL, HERTZ};
  for (int n = 0; n < 3 * TRIALS; n++) {
    soft_pair p;
    random_pair(f, smooth[n % 3], &r, &p);
    soft_pair_find(&p);
    double twist[6], at[3];
    random_twist(&r, 0.02, twist);
    memcpy(at, p.patch.at, sizeof at);
    const pki_press out = soft_pair_press(&p, twist, 0);
    double taken = 0;
    for (int k = 0; k < 6; k++) {
      taken -= out.wrench[k] * twist[k];
    }
    const pk_pose here = p.side[0].pose;
    static const double still[6] = {0};
    double energy[2];
    for (int i = 0; i < 2; i++) {
      p.side[0].pose = moved(&here, twist, at, i == 0 ? -1e-6 : 1e-6);
      soft_pair_find(&p);
      energy[i] = soft_pair_press(&p, still, 0).energy;
    }
    const double stored = (energy[1] - energy[0]) / 2e-6;
    /* points of force slide on the surfaces as these turn, which moves them by the depth times the rate: of second order */
    assert_near(out.power, taken - stored, 2e-3 * (fabs(taken) + fabs(stored)) + 1e-6);
    soft_pair_close(&p);
  }
}

static void nothing_gains_energy(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(5);
  for (int n = 0; n < TRIALS * PAIRS * PK_COMPLIANCE_FRICTION_COUNT; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    set_friction(&p, (pk_compliance_friction)(n / PAIRS % PK_COMPLIANCE_FRICTION_COUNT));
    soft_pair_find(&p);
    for (int i = 0; i < 10; i++) {
      double twist[6];
      random_twist(&r, pow(10, pki_random_between(&r, -3, 1)), twist);
      const pki_press out = soft_pair_press(&p, twist, i % 2 == 0 ? 0 : 1e-3);
      assert_at_least(out.power, 0);
      assert_at_least(out.energy, 0);
      assert_at_least(out.normal_force, 0);
    }
    soft_pair_close(&p);
  }
}

/* ---- symmetry ---- */

static void forces_of_elements_add_up_to_the_wrench(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(6);
  static double forces[4096][3];
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    const int count = soft_pair_find(&p);
    double twist[6], sum[6] = {0}, normal = 0;
    pki_press out;
    random_twist(&r, 0.05, twist);
    pki_patch_press(&p.patch, twist, 1e-3, false, &out, forces);
    for (int i = 0; i < count; i++) {
      const double arm[3] = {p.patch.arm[0][i], p.patch.arm[1][i], p.patch.arm[2][i]};
      const double along[3] = {p.patch.normal[0][i], p.patch.normal[1][i], p.patch.normal[2][i]};
      double moment[3];
      pki_cross3(arm, forces[i], moment);
      for (int k = 0; k < 3; k++) {
        sum[k] += moment[k], sum[3 + k] += forces[i][k];
      }
      normal += pki_dot3(along, forces[i]);
      assert_near(pki_length3(along), 1, 1e-12);
    }
    for (int k = 0; k < 6; k++) {
      assert_near(out.wrench[k], sum[k], 1e-11 * out.normal_force);
    }
    assert_near(out.normal_force, normal, 1e-11 * normal);
    soft_pair_close(&p);
  }
}

static void surfaces_may_be_named_in_either_order(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(7);
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p, q;
    random_pair(f, n % PAIRS, &r, &p);
    soft_pair_open(&q, p.side[1].geometry, p.side[0].geometry, p.surface[0].law);
    for (int i = 0; i < 2; i++) {
      q.surface[i] = p.surface[1 - i];
      q.side[i].pose = p.side[1 - i].pose;
    }
    assert_int_equal(soft_pair_find(&p), soft_pair_find(&q));
    static const double origin[3] = {0, 0, 0};
    double twist[6], back[6], here[6], there[6], w[6], v[6];
    random_twist(&r, 0.05, twist);
    for (int k = 0; k < 6; k++) {
      back[k] = -twist[k];
    }
    soft_twist_from(&p, origin, twist, here);
    soft_twist_from(&q, origin, back, there);
    const pki_press one = soft_pair_press(&p, here, 1e-3), two = soft_pair_press(&q, there, 1e-3);
    soft_wrench_at(&p, one.wrench, origin, w);
    soft_wrench_at(&q, two.wrench, origin, v);
    for (int k = 0; k < 6; k++) {
      assert_near(w[k], -v[k], 1e-9 * one.normal_force);
    }
    assert_near(one.energy, two.energy, 1e-9 * one.energy);
    assert_near(one.power, two.power, 1e-9 * one.power);
    soft_pair_close(&p);
    soft_pair_close(&q);
  }
}

static void turning_the_world_turns_the_wrench(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(8);
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    soft_pair_find(&p);
    double twist[6], turned[6], q[4], R[9], shift[3], from[6], to[6];
    static const double origin[3] = {0, 0, 0};
    random_twist(&r, 0.05, twist);
    soft_twist_from(&p, origin, twist, from);
    const pki_press before = soft_pair_press(&p, from, 1e-3);
    soft_wrench_at(&p, before.wrench, origin, from);
    /* all of it elsewhere */
    pki_random_quaternion(&r, q);
    pki_quat_to_mat3(q, R);
    for (int k = 0; k < 3; k++) {
      shift[k] = pki_random_between(&r, -1, 1);
    }
    for (int i = 0; i < 2; i++) {
      pk_pose *pose = &p.side[i].pose;
      pki_mat3_mul(R, pose->rot, pose->rot);
      pki_mat3_apply(R, pose->pos, pose->pos);
      pki_along3(pose->pos, 1, shift, pose->pos);
    }
    pki_mat3_apply(R, twist, turned);
    pki_mat3_apply(R, twist + 3, turned + 3);
    soft_pair_find(&p);
    soft_twist_from(&p, shift, turned, to);
    const pki_press after = soft_pair_press(&p, to, 1e-3);
    soft_wrench_at(&p, after.wrench, shift, to);
    pki_mat3_apply(R, from, from);
    pki_mat3_apply(R, from + 3, from + 3);
    for (int k = 0; k < 6; k++) {
      assert_near(to[k], from[k], 1e-8 * before.normal_force);
    }
    assert_near(after.energy, before.energy, 1e-8 * before.energy);
    soft_pair_close(&p);
  }
}

/* ---- machines ---- */

static void no_bit_depends_on_the_threads(void **state)
{
  const fixture *f = *state;
  static const double half[3] = {0.075, 0.075, 0.075};
  pk_geometry *fine = take_mesh(soft_brick(half, 25));
  const pk_geometry *const other[3] = {f->slab, f->sphere, f->plane};
  static const double apart[3] = {0.103, 0.123, 0.073};
  for (int i = 0; i < 3; i++) {
    pki_press out[4];
    for (int threads = 1; threads <= 4; threads++) {
      soft_pair p;
      soft_pair_open(&p, fine, other[i], PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION);
      p.patch.threads = threads;
      p.side[0].pose.pos[0] = 0.003, p.side[0].pose.pos[2] = apart[i];
      assert_true(soft_pair_find(&p) > 5);
      static const double twist[6] = {0.1, 0.2, 0.3, 0.01, 0.02, -0.03};
      out[threads - 1] = soft_pair_press(&p, twist, 1e-3);
      soft_pair_close(&p);
      assert_memory_equal(&out[threads - 1], &out[0], sizeof out[0]);
    }
  }
  pk_geometry_destroy(fine);
}

static void instruction_sets_agree_to_rounding(void **state)
{
  const fixture *f = *state;
  pki_random r = pki_random_seeded(9);
  static const char *const isas[] = {"avx2", "avx512"};
  const pki_press_kernels *base = pki_press_kernels_find("base");
  assert_non_null(base);
  for (int n = 0; n < TRIALS * PAIRS; n++) {
    soft_pair p;
    random_pair(f, n % PAIRS, &r, &p);
    set_friction(&p, (pk_compliance_friction)(n / PAIRS % PK_COMPLIANCE_FRICTION_COUNT));
    soft_pair_find(&p);
    double twist[6];
    random_twist(&r, 0.05, twist);
    pki_press expected, found;
    base->press(&p.patch, twist, 1e-3, true, &expected, NULL);
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
      const pki_press_kernels *one = pki_press_kernels_find(isas[i]);
      if (one == NULL) {
        continue;
      }
      one->press(&p.patch, twist, 1e-3, true, &found, NULL);
      for (int k = 0; k < 6; k++) {
        assert_near(found.wrench[k], expected.wrench[k], 1e-11 * expected.normal_force);
      }
      for (int k = 0; k < 36; k++) {
        assert_near(found.slope[k], expected.slope[k], 1e-10 * size_of(expected.slope, 36));
      }
    }
    soft_pair_close(&p);
  }
}

int main(void)
{
  static fixture shapes;
  make_shapes(&shapes);
#define CASE(name) cmocka_unit_test_prestate(name, &shapes)
  const struct CMUnitTest tests[] = {
      CASE(slopes_without_friction_are_the_derivatives_of_wrenches),
      CASE(slopes_of_convex_friction_are_exact),
      CASE(slopes_of_stribecks_curve_are_exact_where_it_rises_and_flat_where_it_falls),
      CASE(slopes_are_symmetric_and_positive_semidefinite),
      CASE(power_is_what_the_forces_take_and_the_springs_do_not_keep),
      CASE(nothing_gains_energy),
      CASE(forces_of_elements_add_up_to_the_wrench),
      CASE(surfaces_may_be_named_in_either_order),
      CASE(turning_the_world_turns_the_wrench),
      CASE(no_bit_depends_on_the_threads),
      CASE(instruction_sets_agree_to_rounding),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free_shapes(&shapes);
  return failed;
}
