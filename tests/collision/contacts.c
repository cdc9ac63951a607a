/* Where shapes meet the ground. */
#include "collision/rig.h"
#include "support/bounds.h"

/* Exactly one contact is at this place. */
static void expect_point(const pki_contact *c, int n, const double point[3], double gap,
                         const double normal[3], double tolerance)
{
  int found = 0;
  for (int i = 0; i < n; i++) {
    const double d[3] = {c[i].point[0] - point[0], c[i].point[1] - point[1], c[i].point[2] - point[2]};
    if (pki_dot3(d, d) < 1e-16 && pki_dot3(c[i].normal, normal) > 0.9) {
      expect_contact(&c[i], gap, point, normal, tolerance);
      found++;
    }
  }
  if (found != 1) {
    fail_msg("%d contacts at (%g, %g, %g)", found, point[0], point[1], point[2]);
  }
}

/* ---- one solid ---- */

static void a_ball_over_a_plane_has_its_gap(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 7);
  rig_ground(r);
  pki_contact c[MOST];
  assert_int_equal(find_at(r, V3(3, 4, 0.375), 0.125, c), 1);
  expect_contact(&c[0], 0.125, V3(3, 4, 0.125), V3(0, 0, 1), 0);
  assert_near3(c[0].tangent1, V3(1, 0, 0), 0);
  assert_near3(c[0].tangent2, V3(0, 1, 0), 0);
  assert_int_equal(c[0].material, 7);
  assert_int_equal(c[0].body, 0);
  assert_int_equal(c[0].other, -1);
  assert_int_equal(c[0].geom[0], 0);
  assert_int_equal(c[0].geom[1], 1);
  assert_int_equal(find_at(r, V3(3, 4, 0.376), 0.125, c), 0);
  assert_int_equal(find_at(r, V3(3, 4, 0.125), 0, c), 1);
  expect_contact(&c[0], -0.125, V3(3, 4, -0.125), V3(0, 0, 1), 0);
  /* the centre below the ground */
  assert_int_equal(find_at(r, V3(3, 4, -0.5), 0, c), 1);
  expect_contact(&c[0], -0.75, V3(3, 4, -0.75), V3(0, 0, 1), 0);
  /* nowhere */
  assert_int_equal(find_at(r, V3(3, 4, NAN), 0, c), 0);
  rig_free(r);
}

static void a_turned_box_touches_a_slope_with_its_corners(void **state)
{
  (void)state;
  const double a = 0.3, n[3] = {-sin(a), 0, cos(a)};
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 0.4, 0.2, 0.1));
  add_plane(r, V3(0, 0, 0), n, 0);
  rig_ground(r);
  /* its axes along the slope, its lower face 1 mm over it; sliding along it the names stay */
  pki_contact c[MOST], last[MOST];
  for (int step = 0; step < 20; step++) {
    const double lift = 0.051, along = 0.01 * step;
    const double q[7] = {
        lift * n[0] + along * cos(a), 0, lift * n[2] + along * sin(a), cos(a / 2), 0, -sin(a / 2), 0};
    assert_int_equal(find_q(r, q, 0.002, c), 4);
    expect_order(c, 4);
    for (int i = 0; i < 4; i++) {
      const double x = along + (i & 1 ? 0.2 : -0.2), y = i & 2 ? 0.1 : -0.1;
      expect_point(c, 4, V3(x * cos(a) + 0.001 * n[0], y, x * sin(a) + 0.001 * n[2]), 0.001, n, 1e-15);
      assert_true(step == 0 || c[i].id == last[i].id);
      last[i] = c[i];
    }
  }
  rig_free(r);
}

/* Corners of a face act in one plane across the normal, that of the lowest one, and each has its own gap. */
static void corners_of_a_leaning_box_act_at_the_height_of_the_lowest(void **state)
{
  (void)state;
  const double a = 2e-3, half[3] = {0.2, 0.1, 0.05};
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 2 * half[0], 2 * half[1], 2 * half[2]));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  rig_ground(r);
  pki_contact c[MOST];
  const double q[7] = {0, 0, 0.0505, cos(a / 2), 0, sin(a / 2), 0}; /* +x goes down by a */
  const double lowest = 0.0505 - half[0] * sin(a) - half[2] * cos(a);
  assert_int_equal(find_q(r, q, 0.002, c), 4);
  for (int i = 0; i < 4; i++) {
    const double x = i & 1 ? half[0] : -half[0], y = i & 2 ? half[1] : -half[1];
    const double corner[3] = {x * cos(a) - half[2] * sin(a), y, 0.0505 - x * sin(a) - half[2] * cos(a)};
    expect_contact(&c[i], corner[2], V3(corner[0], corner[1], lowest), V3(0, 0, 1), 1e-15);
    assert_near3(c[i].tangent1, V3(1, 0, 0), 0);
    assert_near3(c[i].tangent2, V3(0, 1, 0), 0);
  }
  rig_free(r);
}

static void a_capsule_on_a_plane_has_its_ends(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_CAPSULE, 0.0625, 0.5, 0));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  rig_ground(r);
  pki_contact c[MOST];
  const double q[7] = {1, 2, 0.0625, sqrt(0.5), 0, sqrt(0.5), 0};
  assert_int_equal(find_q(r, q, 0.01, c), 2);
  expect_point(c, 2, V3(0.75, 2, 0), 0, V3(0, 0, 1), 1e-15);
  expect_point(c, 2, V3(1.25, 2, 0), 0, V3(0, 0, 1), 1e-15);
  rig_free(r);
}

static void a_ball_over_a_height_field_has_its_gap(void **state)
{
  (void)state;
  enum { N = 9 };
  double z[N][N];
  for (int j = 0; j < N; j++) {
    for (int i = 0; i < N; i++) {
      z[j][i] = 0.1 * i * 0.5; /* slope 0.1 along x */
    }
  }
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.125, 0, 0));
  assert_int_equal(pk_terrain_add_heights(r->terrain, V3(0, 0, 0), N, N, 0.5, z[0], 2, NULL), PK_OK);
  rig_ground(r);
  const double length = hypot(1, 0.1), n[3] = {-0.1 / length, 0, 1 / length};
  pki_contact c[MOST];
  for (double x = 0.5; x < 3.5; x += 0.125) {
    const double gap = 0.001, lift = 0.125 + gap;
    const double place[3] = {x + lift * n[0], 1.5, 0.1 * x + lift * n[2]};
    assert_int_equal(find_at(r, place, 0.002, c), 1);
    expect_contact(&c[0], gap, V3(x + gap * n[0], 1.5, 0.1 * x + gap * n[2]), n, 1e-14);
    assert_int_equal(c[0].material, 2);
  }
  rig_free(r);
}

/* ---- several solids ---- */

static void add_stairs(rig *r)
{
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  assert_int_equal(pk_terrain_add_stairs(r->terrain, V3(1, 0, 0), 0.25, 0.0625, 2, 4, 1, NULL), PK_OK);
  rig_ground(r);
}

static void a_ball_in_the_corner_of_a_step_has_two_contacts(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.03125, 0, 0));
  add_stairs(r);
  pki_contact c[MOST];
  for (int step = 0; step < 4; step++) {
    /* on the tread before riser `step`; the first tread is the plane */
    const double riser = 1 + 0.25 * step, tread = 0.0625 * step;
    const double x = riser - 0.03125 - 0.0009765625, z = tread + 0.03125 - 0.000244140625;
    assert_int_equal(find_at(r, V3(x, 0.5, z), 0.005, c), 2);
    expect_contact(&c[0], -0.000244140625, V3(x, 0.5, z - 0.03125), V3(0, 0, 1), 1e-15);
    expect_contact(&c[1], 0.0009765625, V3(x + 0.03125, 0.5, z), V3(-1, 0, 0), 1e-15);
    assert_int_equal(c[0].geom[1] - r->model->nshape, step);
    assert_int_equal(c[1].geom[1] - r->model->nshape, step + 1);
    /* away from the riser only the tread */
    assert_int_equal(find_at(r, V3(riser - 0.1, 0.5, z), 0.005, c), 1);
    assert_int_equal(c[0].geom[1] - r->model->nshape, step);
  }
  rig_free(r);
}

/* A box in a corner of the ground, touching or a little inside either side. */
static void a_box_in_the_corner_of_a_step_stands_and_leans(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 0.03125, 0.03125, 0.03125));
  add_stairs(r);
  const double gaps[] = {1e-3, 1e-6, 1e-9, 1e-15, 0, -1e-15, -1e-9, -1e-6, -1e-3};
  pki_contact c[MOST];
  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < 81; i++) {
      const double gx = gaps[i / 9], gz = gaps[i % 9], half = 0.015625;
      const double x = 1 + 0.25 * step - gx, z = 0.0625 * step + gz;
      const int n = find_at(r, V3(x - half, 0.1, z + half), 2e-3, c);
      expect_order(c, n);
      for (int side = -1; side <= 1; side += 2) {
        const double y = 0.1 + side * half;
        expect_point(c, n, V3(x, y, z), gz, V3(0, 0, 1), 1e-15);
        expect_point(c, n, V3(x, y, z), gx, V3(-1, 0, 0), 1e-15);
        expect_point(c, n, V3(x - 2 * half, y, z), gz, V3(0, 0, 1), 1e-15);
        expect_point(c, n, V3(x, y, z + 2 * half), gx, V3(-1, 0, 0), 1e-15);
      }
      if (n != 8) {
        fail_msg("%d contacts at gaps %g, %g of step %d", n, gx, gz, step);
      }
    }
  }
  rig_free(r);
}

static void a_valley_of_two_planes_holds_a_ball_on_both_sides(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  const double a = 0.1;
  add_plane(r, V3(0, 0, 0), V3(-sin(a), 0, cos(a)), 0);
  add_plane(r, V3(0, 0, 0), V3(sin(a), 0, cos(a)), 0);
  rig_ground(r);
  pki_contact c[MOST];
  assert_int_equal(find_at(r, V3(1e-4, 0, 0.25 / cos(a) + 1e-5), 1e-3, c), 2);
  assert_int_equal(find_at(r, V3(0, 0, 0.25 / cos(a) - 1e-5), 1e-3, c), 2);
  rig_free(r);
}

/* Two boxes side by side, and a flush height field. */
static void add_joints(rig *r)
{
  const double z[4] = {0, 0, 0, 0};
  add_box(r, 0, 0, -0.5, V3(2, 2, 1));
  add_box(r, 2, 0, -0.5, V3(2, 2, 1));
  assert_int_equal(pk_terrain_add_heights(r->terrain, V3(3, -1, 0), 2, 2, 2, z, 0, NULL), PK_OK);
  rig_ground(r);
}

static void a_ball_cannot_feel_joints_between_solids(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.02, 0, 0));
  add_joints(r);
  pki_contact c[MOST];
  for (double x = -0.9; x < 4.9; x += 0.000977) {
    assert_int_equal(find_at(r, V3(x, 0, 0.0201), 0.005, c), 1);
    assert_near(c[0].gap, 1e-4, 1e-14);
    assert_near3(c[0].normal, V3(0, 0, 1), 1e-12);
  }
  /* to the bit above the joints */
  assert_int_equal(find_at(r, V3(1, 0, 0.02), 0.005, c), 1);
  assert_int_equal(find_at(r, V3(3, 0, 0.02), 0.005, c), 1);
  rig_free(r);
}

static void a_box_cannot_feel_joints_between_solids(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 0.2, 0.1, 0.04));
  add_joints(r);
  const double gaps[] = {1e-4, 1e-9, 0, -1e-9};
  pki_contact c[MOST];
  for (int g = 0; g < 4; g++) {
    for (double x = -0.8; x < 4.8; x += 0.00977) {
      const int n = find_at(r, V3(x, 0, 0.02 + gaps[g]), 0.005, c);
      if (n < 4 || n > 12) {
        fail_msg("%d contacts at %g, gap %g", n, x, gaps[g]);
      }
      for (int i = 0; i < n; i++) {
        assert_near(c[i].gap, gaps[g], 1e-14);
        assert_near3(c[i].normal, V3(0, 0, 1), 1e-12);
      }
      for (int k = 0; k < 4; k++) {
        expect_point(c, n, V3(x + (k & 1 ? 0.1 : -0.1), k & 2 ? 0.05 : -0.05, gaps[g]), gaps[g], V3(0, 0, 1),
                     1e-9);
      }
    }
  }
  rig_free(r);
}

/* Sunk in deeper than its front is past the joint, a box would be pushed back the shorter way. */
static void a_joint_is_not_felt_from_below_either(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 0.2, 0.1, 0.04));
  add_box(r, 0, 0, -0.5, V3(2, 2, 1));
  add_box(r, 2, 0, -0.5, V3(2, 2, 1));
  rig_ground(r);
  const double past[] = {1e-9, 1e-7, 1e-6, 5e-6, 9e-6};
  pki_contact c[MOST];
  for (int i = 0; i < 5; i++) {
    const int n = find_at(r, V3(0.9 + past[i], 0, 0.02 - 1e-5), 0.005, c);
    assert_at_least(n, 4);
    for (int k = 0; k < n; k++) {
      assert_near3(c[k].normal, V3(0, 0, 1), 1e-12);
      assert_near(c[k].gap, -1e-5, 1e-14);
    }
  }
  rig_free(r);
}

static void surfaces_that_coincide_are_one_contact(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_SPHERE, 0.25, 0, 0));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  add_plane(r, V3(0, 0, 0), V3(1e-5, 0, 1), 0);
  add_plane(r, V3(0, 0, -0.002), V3(0, 0, 1), 0);
  add_box(r, 0, 0, -1, V3(2, 2, 2));
  rig_ground(r);
  pki_contact c[MOST];
  for (int k = -2; k <= 2; k++) {
    assert_int_equal(find_at(r, V3(0, 0, 0.25 + 1e-3 * k), 0.01, c), 1);
  }
  rig_free(r);
}

/* ---- limits ---- */

static void too_many_contacts_are_told(void **state)
{
  (void)state;
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 1, 1, 1));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  rig_ground(r);
  pki_contact c[5];
  bool overflow = true;
  const double q[7] = {0, 0, 0.5, 1, 0, 0, 0};
  memset(c, 0xa5, sizeof c);
  const pki_contact untouched = c[4];
  pk_kinematics_compute(r->work, q, NULL);
  const pki_work *w = &r->work->work;
  for (int most = 4; most >= 0; most--) {
    assert_int_equal(pki_contacts_find(&r->colliders, w, 0, 0, c, most, &overflow), most);
    assert_int_equal(overflow, most < 4);
  }
  assert_memory_equal(&c[4], &untouched, sizeof untouched);
  rig_free(r);
}

static void each_lane_has_its_own_contacts(void **state)
{
  (void)state;
  enum { LANES = 4 };
  rig *r = rig_with(shape_of(PK_SHAPE_BOX, 0.4, 0.2, 0.1));
  add_plane(r, V3(0, 0, 0), V3(0, 0, 1), 0);
  rig_ground(r);
  const pki_kernels *k = pki_kernels_get(LANES);
  pki_work w;
  pki_arena count = pki_arena_over(NULL, 0);
  pki_work_carve(&w, r->model, LANES, &count);
  void *memory = pki_aligned_alloc(count.used);
  pki_arena arena = pki_arena_over(memory, count.used);
  pki_work_carve(&w, r->model, LANES, &arena);
  pki_random rng = pki_random_seeded(5);
  double q[LANES][7];
  _Alignas(64) double all[7 * LANES];
  for (int l = 0; l < LANES; l++) {
    q[l][0] = l, q[l][1] = -l, q[l][2] = 0.1;
    pki_random_quaternion(&rng, q[l] + 3);
    for (int e = 0; e < 7; e++) {
      all[e * LANES + l] = q[l][e];
    }
  }
  k->kinematics(&w, all);
  for (int l = 0; l < LANES; l++) {
    pki_contact one[MOST], lane[MOST];
    bool overflow;
    const int n = find_q(r, q[l], 0.1, one);
    assert_greater(n, 0);
    assert_int_equal(pki_contacts_find(&r->colliders, &w, l, 0.1, lane, MOST, &overflow), n);
    for (int i = 0; i < n; i++) {
      assert_int_equal(lane[i].id, one[i].id);
      assert_near(lane[i].gap, one[i].gap, 1e-15);
      assert_near3(lane[i].point, one[i].point, 1e-15);
    }
  }
  pki_aligned_free(memory);
  rig_free(r);
}

static void tangents_turn_smoothly_with_the_normal(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int trial = 0; trial < 2000; trial++) {
    double q[4], R[9], turn[9];
    pki_contact c, next;
    pki_random_quaternion(&rng, q);
    pki_quat_to_mat3(q, R);
    for (int k = 0; k < 3; k++) {
      c.normal[k] = R[3 * k];
    }
    if (trial % 4 == 0) { /* walls: z is zero up to rounding, of either sign */
      const double length = hypot(c.normal[0], c.normal[1]);
      c.normal[0] /= length, c.normal[1] /= length;
      c.normal[2] = trial % 8 ? 1e-17 : -1e-17;
    }
    pki_tangents(c.normal, c.tangent1, c.tangent2);
    assert_near(pki_dot3(c.tangent1, c.tangent2), 0, 1e-14);
    assert_near(pki_dot3(c.tangent1, c.normal), 0, 1e-14);
    assert_near(pki_dot3(c.tangent2, c.normal), 0, 1e-14);
    assert_near(pki_dot3(c.tangent1, c.tangent1), 1, 1e-14);
    pki_cross3(c.normal, c.tangent1, turn);
    assert_near3(turn, c.tangent2, 1e-14);
    if (c.normal[2] < -0.89) {
      continue;
    }
    /* a small turn of the normal is a small turn of the tangents: 1 / (1 + z) bounds the rate */
    const double v[4] = {1, 1e-7 * pki_random_normal(&rng), 1e-7 * pki_random_normal(&rng), 0};
    pki_quat_to_mat3(v, turn);
    pki_mat3_apply(turn, c.normal, next.normal);
    pki_tangents(next.normal, next.tangent1, next.tangent2);
    assert_near3(next.tangent1, c.tangent1, 2e-5);
    assert_near3(next.tangent2, c.tangent2, 2e-5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_over_a_plane_has_its_gap),
      cmocka_unit_test(a_turned_box_touches_a_slope_with_its_corners),
      cmocka_unit_test(corners_of_a_leaning_box_act_at_the_height_of_the_lowest),
      cmocka_unit_test(a_capsule_on_a_plane_has_its_ends),
      cmocka_unit_test(a_ball_over_a_height_field_has_its_gap),
      cmocka_unit_test(a_ball_in_the_corner_of_a_step_has_two_contacts),
      cmocka_unit_test(a_box_in_the_corner_of_a_step_stands_and_leans),
      cmocka_unit_test(a_valley_of_two_planes_holds_a_ball_on_both_sides),
      cmocka_unit_test(a_ball_cannot_feel_joints_between_solids),
      cmocka_unit_test(a_box_cannot_feel_joints_between_solids),
      cmocka_unit_test(a_joint_is_not_felt_from_below_either),
      cmocka_unit_test(surfaces_that_coincide_are_one_contact),
      cmocka_unit_test(too_many_contacts_are_told),
      cmocka_unit_test(each_lane_has_its_own_contacts),
      cmocka_unit_test(tangents_turn_smoothly_with_the_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
