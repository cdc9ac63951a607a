/* Closed-form angles of legs against the model's own forward kinematics. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/leg.h"
#include "math/mat3.h"
#include "model/pose.h"
#include "pronk/legs.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/random_tree.h"
#include "support/worst.h"

static const double pi = 3.14159265358979323846;

static pk_model *load(const char *name)
{
  char path[512];
  pk_error err = {0};
  pk_model *model = NULL;
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  if (pk_model_load_urdf(path, &options, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return model;
}

static pk_leg leg_of(const pk_model *m, pk_leg_kind kind, const char *link, const double *point)
{
  pk_leg leg;
  pk_error err = {0};
  if (pk_leg_init(&leg, m, kind, pk_model_find_link(m, link), point, &err) != PK_OK) {
    fail_msg("%s: %s", link, err.message);
  }
  return leg;
}

/* Where the model has the foot, in the trunk's frame. */
static pk_pose foot_at(pk_workspace *w, const pk_leg *leg, const double *q)
{
  pk_kinematics_compute(w, q, NULL);
  const pk_pose trunk = pk_link_pose(w, leg->trunk), back = pki_pose_invert(&trunk);
  pk_pose point = pk_pose_identity(), foot = pk_link_pose(w, leg->link);
  memcpy(point.pos, leg->point, sizeof point.pos);
  foot = pki_pose_mul(&foot, &point);
  return pki_pose_mul(&back, &foot);
}

static double farthest(const pk_leg *leg, const pk_pose *a, const pk_pose *b)
{
  double most = 0;
  for (int i = 0; i < 3; i++) {
    most = larger(most, fabs(a->pos[i] - b->pos[i]));
  }
  for (int i = 0; i < 9 && leg->kind == PK_LEG_POSE; i++) {
    most = larger(most, fabs(a->rot[i] - b->rot[i]));
  }
  return most;
}

/* Random angles give places that are within reach; every branch found must lead there, and one of them is the angles. */
static void check_leg(const pk_model *m, const pk_leg *leg, int count, uint64_t seed)
{
  enum { NQ = 64 };
  pki_random rng = pki_random_seeded(seed);
  pk_workspace *w;
  pk_workspace_create(m, &w, NULL);
  double q[NQ], worst = 0, worst_angle = 0;
  int found = 0;
  assert_non_null(w);
  assert_in_range(m->nq, 1, NQ);
  memcpy(q, m->q0, (size_t)m->nq * sizeof *q);
  for (int n = 0; n < count; n++) {
    double angles[PK_LEG_HINGES], tried[PK_LEG_HINGES], nearest = INFINITY;
    random_vector(&rng, leg->nhinge, pi, angles);
    pk_leg_set(leg, angles, q);
    const pk_pose foot = foot_at(w, leg, q), own = pk_leg_foot(leg, angles);
    worst = larger(worst, farthest(leg, &foot, &own));
    for (int b = 0; b < leg->nbranch; b++) {
      memcpy(tried, angles, sizeof tried);
      const pk_status status = pk_leg_solve(leg, &foot, b, tried, NULL);
      if (status == PK_ERROR_REACH) {
        continue;
      }
      double distance = 0;
      assert_int_equal(status, PK_OK);
      pk_leg_set(leg, tried, q);
      const pk_pose reached = foot_at(w, leg, q);
      worst = larger(worst, farthest(leg, &foot, &reached));
      for (int k = 0; k < leg->nhinge; k++) {
        distance = larger(distance, fabs(tried[k] - angles[k]));
      }
      nearest = fmin(nearest, distance);
      found++;
    }
    worst_angle = larger(worst_angle, nearest);
    /* from near by, the nearest way is the one that the place was made from */
    memcpy(tried, angles, sizeof tried);
    assert_int_equal(pk_leg_solve(leg, &foot, PK_LEG_NEAREST, tried, NULL), PK_OK);
    for (int k = 0; k < leg->nhinge; k++) {
      assert_less(fabs(tried[k] - angles[k]), 1e-4);
    }
    memcpy(tried, angles, sizeof tried);
    assert_int_equal(pk_leg_solve(leg, &foot, pk_leg_branch(leg, angles), tried, NULL), PK_OK);
  }
  if (!(worst < 1e-12)) {
    fail_msg("%s: feet are off by up to %g", m->links[leg->link].name, worst);
  }
  print_message("%s: %d solutions of %d places, off by at most %.2g\n", m->links[leg->link].name, found,
                count, worst);
  /* angles themselves lose half the digits where two ways meet */
  assert_less(worst_angle, 1e-4);
  /* the two bends of the knee are always there, and often more; with axes that meet in the hip one of them may not be */
  assert_at_least(found, leg->kind == PK_LEG_POSE || pki_leg_bends_in_plane(leg) ? 2 * count : count);
  pk_workspace_destroy(w);
}

static void quadrupeds_legs_reach_their_places_in_every_way(void **state)
{
  (void)state;
  static const char *const models[] = {"starleth", "anymal_b", "sony_quadruped"};
  static const char *const feet[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  for (int k = 0; k < 3; k++) {
    pk_model *m = load(models[k]);
    for (int f = 0; f < 4; f++) {
      const pk_leg leg = leg_of(m, PK_LEG_POINT, feet[f], NULL);
      assert_int_equal(leg.nhinge, 3);
      check_leg(m, &leg, PACE(3000, 300), (uint64_t)(10 * k + f));
    }
    pk_model_destroy(m);
  }
}

static void an_ankle_beyond_three_hinges_keeps_its_angle(void **state)
{
  (void)state;
  static const double tip[3] = {0, 0, -0.22};
  pk_model *m = load("thesis_quadruped");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "RH_FOOT", tip);
  assert_int_equal(leg.nhinge, 4);
  assert_int_equal(leg.nsolve, 3);
  check_leg(m, &leg, PACE(3000, 300), 3);
  double angles[PK_LEG_HINGES] = {0.1, 0.5, -1.2, 0.6};
  pk_pose foot = pk_leg_foot(&leg, angles);
  angles[3] = 0.4;
  assert_int_equal(pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, NULL), PK_OK);
  assert_true(angles[3] == 0.4);
  pk_model_destroy(m);
}

static void an_arm_on_the_ground_is_a_leg_too(void **state)
{
  (void)state;
  static const double point[3] = {0.1, -0.2, 0.3};
  pk_model *m = load("ur10");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "forearm_link", point);
  check_leg(m, &leg, PACE(3000, 300), 4);
  pk_model_destroy(m);
}

static void a_bipeds_leg_brings_foot_and_sole_in_place(void **state)
{
  (void)state;
  static const char *const feet[] = {"l_sole", "r_sole"};
  static const double point[3] = {0.05, -0.01, 0.02};
  pk_model *m = load("coman");
  for (int f = 0; f < 2; f++) {
    const pk_leg leg = leg_of(m, PK_LEG_POSE, feet[f], f == 0 ? NULL : point);
    check_leg(m, &leg, PACE(3000, 300), (uint64_t)(20 + f));
  }
  pk_model_destroy(m);
}

/* A free trunk and a leg of n hinges with these axes and offsets. */
static pk_model *made_up(int n, double (*axis)[3], double (*offset)[3])
{
  static const char *const names[] = {"trunk", "l1", "l2", "l3", "l4", "l5", "l6"};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  pk_model *m = NULL;
  pk_error err = {0};
  robot.root = PK_ROOT_FREE;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  for (int k = 0; k <= n; k++) {
    const pk_link_desc link = {.name = names[k], .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  }
  for (int k = 0; k < n; k++) {
    pk_joint_desc joint = pk_joint_desc_default();
    char name[8];
    snprintf(name, sizeof name, "j%d", k);
    joint.name = name, joint.parent = names[k], joint.child = names[k + 1];
    memcpy(joint.axis, axis[k], sizeof joint.axis);
    memcpy(joint.origin.pos, offset[k], sizeof joint.origin.pos);
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static void random_unit(pki_random *rng, double v[3])
{
  for (int i = 0; i < 3; i++) {
    v[i] = pki_random_normal(rng);
  }
  const double length = pki_length3(v);
  for (int i = 0; i < 3; i++) {
    v[i] /= length;
  }
}

static void any_skew_axes_and_offsets_of_three_hinges_will_do(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int n = 0; n < PACE(60, 10); n++) {
    double axis[3][3], offset[3][3], point[3];
    random_unit(&rng, axis[0]);
    random_unit(&rng, axis[1]);
    for (int k = 0; k < 3; k++) {
      axis[2][k] = n % 2 ? -axis[1][k] : axis[1][k];
      random_vector(&rng, 3, 0.5, offset[k]);
    }
    random_vector(&rng, 3, 0.5, point);
    if (n == 0) {
      const double backwards[3][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
      memcpy(axis, backwards, sizeof axis);
    }
    pk_model *m = made_up(3, axis, offset);
    const pk_leg leg = leg_of(m, PK_LEG_POINT, "l3", point);
    check_leg(m, &leg, 100, (uint64_t)(100 + n));
    pk_model_destroy(m);
  }
}

/* The first two axes meet, the third is anywhere. */
static void any_two_axes_that_meet_in_a_hip_will_do_for_three_hinges(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(8);
  for (int n = 0; n < PACE(60, 10); n++) {
    double axis[3][3], offset[3][3], point[3];
    for (int k = 0; k < 3; k++) {
      random_unit(&rng, axis[k]);
      random_vector(&rng, 3, 0.5, offset[k]);
    }
    random_vector(&rng, 3, 0.5, point);
    for (int i = 0; i < 3; i++) { /* slide both joints along their axes: the hip stays */
      offset[1][i] = 0.07 * axis[1][i] - 0.05 * axis[0][i];
    }
    pk_model *m = made_up(3, axis, offset);
    const pk_leg leg = leg_of(m, PK_LEG_POINT, "l3", point);
    check_leg(m, &leg, 100, (uint64_t)(300 + n));
    pk_model_destroy(m);
  }
}

/* A place beyond the leg of Sony's quadruped is brought back along its ray, and no place is nearer; one that the second hinge does not
 * allow is turned to where the leg does reach. */
static void a_leg_with_a_universal_hip_is_brought_within_reach(void **state)
{
  (void)state;
  pk_model *m = load("sony_quadruped");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "LF_FOOT", NULL);
  pki_random rng = pki_random_seeded(9);
  int along = 0, turned = 0;
  for (int n = 0; n < 300; n++) {
    double angles[PK_LEG_HINGES] = {0.8, 0.1, -1.6}, ray[3], off[3], across[3];
    pk_pose foot = pk_pose_identity(), nearest;
    pk_error err = {0};
    random_vector(&rng, 3, n < 200 ? 0.3 : 0.03, ray);
    pki_along3(leg.at[0], 1, ray, foot.pos);
    const pk_status status = pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, &err);
    assert_int_equal(pk_leg_reach(&leg, &foot, angles, &nearest, &err), PK_OK);
    assert_int_equal(pk_leg_solve(&leg, &nearest, PK_LEG_NEAREST, angles, &err), PK_OK);
    pki_sub3(nearest.pos, foot.pos, off);
    assert_true((status == PK_OK) == (pki_length3(off) == 0));
    pki_cross3(ray, off, across);
    const bool on_ray = pki_length3(across) <= 1e-12 * pki_length3(ray);
    along += status == PK_ERROR_REACH && on_ray, turned += status == PK_ERROR_REACH && !on_ray;
    for (int k = 0; k < 1000 && on_ray; k++) {
      double tried[PK_LEG_HINGES], there[3];
      random_vector(&rng, 3, pi, tried);
      const pk_pose place = pk_leg_foot(&leg, tried);
      pki_sub3(place.pos, foot.pos, there);
      assert_at_least(pki_length3(there), pki_length3(off) - 1e-12);
    }
  }
  assert_greater(along, 50);
  assert_greater(turned, 10);
  pk_model_destroy(m);
}

/* All axes skew, but three of them meet in the hip and two in the ankle. */
static void any_axes_that_meet_in_hip_and_ankle_will_do(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int n = 0; n < PACE(60, 10); n++) {
    double axis[6][3], offset[6][3] = {{0}}, point[3];
    for (int k = 0; k < 6; k++) {
      random_unit(&rng, axis[k]);
    }
    /* slide each joint along its own axis: the centres stay */
    for (int i = 0; i < 3; i++) {
      offset[0][i] = 0.1 * (i + 1) + 0.05 * axis[0][i];
      offset[1][i] = 0.07 * axis[1][i] - 0.05 * axis[0][i];
      offset[2][i] = -0.07 * axis[1][i];
      offset[5][i] = 0.03 * axis[4][i];
    }
    random_vector(&rng, 3, 0.5, offset[3]);
    random_vector(&rng, 3, 0.5, offset[4]);
    random_vector(&rng, 3, 0.2, point);
    pk_model *m = made_up(6, axis, offset);
    const pk_leg leg = leg_of(m, PK_LEG_POSE, "l6", point);
    check_leg(m, &leg, 100, (uint64_t)(200 + n));
    pk_model_destroy(m);
  }
}

static void a_place_out_of_reach_is_told_and_the_nearest_is_found(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "LF_FOOT", NULL);
  pki_random rng = pki_random_seeded(7);
  int outside = 0;
  for (int n = 0; n < 200; n++) {
    double angles[PK_LEG_HINGES] = {0.1, 0.6, -1.2}, kept[PK_LEG_HINGES];
    pk_pose foot = pk_pose_identity(), nearest;
    pk_error err = {0};
    double off[3];
    random_vector(&rng, 3, 1, foot.pos);
    memcpy(kept, angles, sizeof kept);
    const pk_status status = pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, &err);
    assert_int_equal(pk_leg_reach(&leg, &foot, angles, &nearest, &err), PK_OK);
    pki_sub3(nearest.pos, foot.pos, off);
    const double miss = pki_length3(off);
    if (status == PK_OK) {
      assert_true(miss == 0);
      continue;
    }
    assert_int_equal(status, PK_ERROR_REACH);
    assert_memory_equal(kept, angles, sizeof kept);
    assert_greater(miss, 0);
    assert_int_equal(pk_leg_solve(&leg, &nearest, PK_LEG_NEAREST, angles, &err), PK_OK);
    const pk_pose there = pk_leg_foot(&leg, angles);
    assert_less(farthest(&leg, &there, &nearest), 1e-12);
    /* its plane holds the first axis: no other place is nearer */
    for (int k = 0; k < PACE(2000, 200); k++) {
      random_vector(&rng, 3, pi, angles);
      const pk_pose other = pk_leg_foot(&leg, angles);
      pki_sub3(other.pos, foot.pos, off);
      assert_at_least(pki_length3(off), miss - 1e-12);
    }
    outside++;
  }
  assert_greater(outside, 20);
  pk_model_destroy(m);
}

/* Squares of such lengths are beyond all numbers. The nearest place is in the direction of the far one. */
static void no_place_is_too_far_to_be_told_out_of_reach(void **state)
{
  (void)state;
  pk_model *models[2] = {load("starleth"), load("coman")};
  const pk_leg legs[2] = {leg_of(models[0], PK_LEG_POINT, "LF_FOOT", NULL),
                          leg_of(models[1], PK_LEG_POSE, "l_sole", NULL)};
  static const double far[] = {10, 1e3, 1e7, 1e15, 1e100, 1e160, 1e308};
  for (int n = 0; n < 2 * 7 * 3; n++) {
    const pk_leg *leg = &legs[n % 2];
    double angles[PK_LEG_HINGES] = {0.1, 0.2, -0.4, 0.3}, kept[PK_LEG_HINGES];
    memcpy(kept, angles, sizeof kept);
    pk_pose foot = pk_leg_foot(leg, angles), nearest, close;
    close = foot;
    const double unit[3][3] = {{0, 0, -1}, {0.6, 0, -0.8}, {-0.48, 0.6, -0.64}};
    for (int i = 0; i < 3; i++) {
      foot.pos[i] = far[n / 6] * unit[n / 2 % 3][i];
      close.pos[i] = 1e6 * unit[n / 2 % 3][i];
    }
    pk_error err = {0};
    assert_int_equal(pk_leg_solve(leg, &foot, PK_LEG_NEAREST, angles, &err), PK_ERROR_REACH);
    assert_int_equal(pk_leg_solve(leg, &foot, 0, angles, NULL), PK_ERROR_REACH);
    assert_memory_equal(kept, angles, sizeof kept);
    const pk_status status = pk_leg_reach(leg, &foot, angles, &nearest, &err);
    if (leg->kind == PK_LEG_POSE && status == PK_ERROR_REACH) {
      continue; /* it cannot turn its sole so at that place */
    }
    assert_int_equal(status, PK_OK);
    assert_int_equal(pk_leg_solve(leg, &nearest, PK_LEG_NEAREST, angles, &err), PK_OK);
    const pk_pose there = pk_leg_foot(leg, angles);
    assert_less(farthest(leg, &there, &nearest), 1e-7);
    /* from 1e6 m the direction is the same but for a millionth */
    pk_pose expected;
    assert_int_equal(pk_leg_reach(leg, &close, kept, &expected, &err), PK_OK);
    assert_true(n / 6 < 2 || farthest(leg, &expected, &nearest) < 2e-6);
  }
  pk_model_destroy(models[0]);
  pk_model_destroy(models[1]);
}

static void legs_with_offsets_are_brought_within_reach(void **state)
{
  (void)state;
  static const char *const models[] = {"anymal_b", "coman"}, *const feet[] = {"LF_FOOT", "l_sole"};
  pki_random rng = pki_random_seeded(8);
  for (int k = 0; k < 2; k++) {
    pk_model *m = load(models[k]);
    const pk_leg leg = leg_of(m, k == 0 ? PK_LEG_POINT : PK_LEG_POSE, feet[k], NULL);
    int outside = 0;
    for (int n = 0; n < 500; n++) {
      double angles[PK_LEG_HINGES] = {0.1, 0.2, 0.3, 0.6, 0.1, 0.2}, off[3];
      pk_pose foot = pk_leg_foot(&leg, angles), nearest;
      random_vector(&rng, 3, 1, off);
      /* near the first axis, too, where the leg's plane cannot come; a sole is drawn away along its leg */
      for (int i = 0; i < 3; i++) {
        foot.pos[i] = k == 0 ? leg.at[0][i] + 0.5 * off[i] * (n % 2 ? 0.2 : 1)
                             : foot.pos[i] + 0.3 * fabs(off[0]) * (foot.pos[i] - leg.at[0][i]);
      }
      outside += pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, NULL) == PK_ERROR_REACH;
      if (pk_leg_reach(&leg, &foot, angles, &nearest, NULL) != PK_OK) {
        assert_int_equal(k, 1);
        continue;
      }
      assert_int_equal(pk_leg_solve(&leg, &nearest, PK_LEG_NEAREST, angles, NULL), PK_OK);
      const pk_pose there = pk_leg_foot(&leg, angles);
      assert_less(farthest(&leg, &there, &nearest), 1e-12);
    }
    assert_greater(outside, 50);
    pk_model_destroy(m);
  }
}

static void a_stretched_leg_is_within_reach(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "LH_FOOT", NULL);
  for (int n = 0; n < 200; n++) {
    double angles[PK_LEG_HINGES] = {0.02 * n - 2, 0.013 * n, n % 2 ? 0 : pi};
    const pk_pose foot = pk_leg_foot(&leg, angles);
    assert_int_equal(pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, NULL), PK_OK);
    const pk_pose there = pk_leg_foot(&leg, angles);
    assert_less(farthest(&leg, &there, &foot), 1e-12);
  }
  pk_model_destroy(m);
}

/* Where an angle is known to half the digits only, the foot is in its place all the same. */
static void near_a_double_solution_the_foot_is_still_in_place(void **state)
{
  (void)state;
  double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}};
  double offset[3][3] = {{0.2, 0.1, 0}, {0, 0.05, -0.1}, {0, 0.02, -0.25}}, point[3] = {0.15, 0.01, -0.2};
  pk_model *m[2] = {made_up(3, axis, offset), load("coman")};
  const pk_leg legs[2] = {leg_of(m[0], PK_LEG_POINT, "l3", point), leg_of(m[1], PK_LEG_POSE, "l_sole", NULL)};
  double worst = 0;
  for (int n = 0; n < 2 * 6 * 4 * 12; n++) {
    const pk_leg *leg = &legs[n / 288];
    const int hinge = n / 48 % 6 % leg->nsolve;
    double angles[PK_LEG_HINGES] = {0.3, -0.4, 0.5, 0.7, -0.2, 0.6};
    const double special[4] = {0, 0.5 * pi, -0.5 * pi, pi}, near = pow(10, -(n % 12) - 1);
    /* thigh and shank of the made-up leg are equal: folded at this angle from stretched, the foot is on the second axis */
    const double fold = leg->kind == PK_LEG_POINT ? atan2(0.15, 0.2) : 0;
    angles[hinge] = special[n / 12 % 4] + near + (hinge == 2 ? fold : 0);
    const pk_pose foot = pk_leg_foot(leg, angles);
    for (int b = 0; b < leg->nbranch; b++) {
      double tried[PK_LEG_HINGES];
      memcpy(tried, angles, sizeof tried);
      if (pk_leg_solve(leg, &foot, b, tried, NULL) == PK_OK) {
        const pk_pose there = pk_leg_foot(leg, tried);
        worst = larger(worst, farthest(leg, &there, &foot));
      }
    }
    assert_int_equal(pk_leg_solve(leg, &foot, PK_LEG_NEAREST, angles, NULL), PK_OK);
  }
  if (!(worst < 1e-13)) {
    fail_msg("feet are off by up to %g", worst);
  }
  pk_model_destroy(m[1]);
  pk_model_destroy(m[0]);
}

static void refuse(const pk_model *m, pk_leg_kind kind, const char *link, const char *message)
{
  pk_leg leg;
  pk_error err = {0};
  assert_int_equal(pk_leg_init(&leg, m, kind, pk_model_find_link(m, link), NULL, &err), PK_ERROR_UNSUPPORTED);
  assert_string_equal(err.message, message);
  assert_string_equal(err.field, link);
}

static void legs_without_a_closed_form_are_refused_with_the_reason(void **state)
{
  (void)state;
  pk_model *coman = load("coman"), *ur10 = load("ur10"), *starleth = load("starleth");
  pk_leg leg;
  pk_error err = {0};
  refuse(coman, PK_LEG_POINT, "l_sole",
         "its leg's first three axes meet in one point, expected a third one that bends a knee");
  double skew[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 1, 0}}, beside[3][3] = {{0}, {0.02, 0, 0.03}, {0, 0, -1}};
  pk_model *missed = made_up(3, skew, beside);
  refuse(
      missed, PK_LEG_POINT, "l3",
      "its leg's second and third axis are 1.57 rad apart and its first two do not meet, expected parallel "
      "axes or axes that meet in the hip");
  pk_model_destroy(missed);
  refuse(starleth, PK_LEG_POSE, "LF_FOOT", "its leg has 3 hinges, expected six to place its pose");
  refuse(starleth, PK_LEG_POINT, "LF_THIGH",
         "its leg has 2 hinges, expected three or more to place its point");
  refuse(starleth, PK_LEG_POINT, "base", "its leg has 0 hinges, expected three or more to place its point");
  refuse(ur10, PK_LEG_POSE, "wrist_3_link", "axes 2 and 3 of its leg are parallel in the hip");
  assert_int_equal(pk_leg_init(&leg, ur10, PK_LEG_POINT, -1, NULL, &err), PK_ERROR_ARGUMENT);
  double parallel[3][3] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}},
         down[3][3] = {{0, 0, -1}, {0, 0, -1}, {0, 0, -1}};
  pk_model *flat = made_up(3, parallel, down);
  refuse(flat, PK_LEG_POINT, "l3",
         "its leg's first three axes are parallel, expected a first one across the others");
  double hip[6][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}};
  double off[6][3] = {{0}, {0.01, 0, 0.02}, {0, 0, -0.1}, {0, 0, -0.2}, {0, 0, -0.2}, {0}};
  pk_model *apart = made_up(6, hip, off);
  refuse(apart, PK_LEG_POSE, "l6",
         "axes 1 to 3 of its leg miss each other by 0.01 m, expected axes that meet in the hip");
  pk_model_destroy(apart);
  pk_model_destroy(flat);
  pk_model_destroy(starleth);
  pk_model_destroy(ur10);
  pk_model_destroy(coman);
}

static void wrong_arguments_are_told(void **state)
{
  (void)state;
  pk_model *m = load("starleth");
  const pk_leg leg = leg_of(m, PK_LEG_POINT, "LF_FOOT", NULL);
  double angles[PK_LEG_HINGES] = {0};
  pk_pose foot = pk_leg_foot(&leg, angles);
  pk_error err = {0};
  assert_int_equal(pk_leg_solve(&leg, &foot, 4, angles, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the leg has no branch 4, expected 0 to 3 or PK_LEG_NEAREST");
  foot.pos[1] = NAN;
  assert_int_equal(pk_leg_solve(&leg, &foot, 0, angles, &err), PK_ERROR_NONFINITE);
  assert_int_equal(pk_leg_reach(&leg, &foot, angles, &foot, &err), PK_ERROR_NONFINITE);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadrupeds_legs_reach_their_places_in_every_way),
      cmocka_unit_test(an_ankle_beyond_three_hinges_keeps_its_angle),
      cmocka_unit_test(an_arm_on_the_ground_is_a_leg_too),
      cmocka_unit_test(a_bipeds_leg_brings_foot_and_sole_in_place),
      cmocka_unit_test(any_skew_axes_and_offsets_of_three_hinges_will_do),
      cmocka_unit_test(any_two_axes_that_meet_in_a_hip_will_do_for_three_hinges),
      cmocka_unit_test(a_leg_with_a_universal_hip_is_brought_within_reach),
      cmocka_unit_test(any_axes_that_meet_in_hip_and_ankle_will_do),
      cmocka_unit_test(a_place_out_of_reach_is_told_and_the_nearest_is_found),
      cmocka_unit_test(no_place_is_too_far_to_be_told_out_of_reach),
      cmocka_unit_test(legs_with_offsets_are_brought_within_reach),
      cmocka_unit_test(a_stretched_leg_is_within_reach),
      cmocka_unit_test(near_a_double_solution_the_foot_is_still_in_place),
      cmocka_unit_test(legs_without_a_closed_form_are_refused_with_the_reason),
      cmocka_unit_test(wrong_arguments_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
