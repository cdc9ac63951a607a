/* The first touch of shapes in motion: closed forms, and distances sampled densely in time. */
#include "support/bounds.h"
#include "support/pace.h"
#include "touch_help.h"

static pki_motion moving(pk_pose pose, double vx, double vy, double vz, double wx, double wy, double wz)
{
  return (pki_motion){.pose = pose, .linear = {vx, vy, vz}, .angular = {wx, wy, wz}};
}

static pki_motion still(pk_pose pose)
{
  return moving(pose, 0, 0, 0, 0, 0, 0);
}

/* The pose at time t, by a quaternion. */
static pk_pose later(const pki_motion *m, double t)
{
  pk_pose p = m->pose;
  const double spin = sqrt(pki_dot3(m->angular, m->angular));
  if (spin > 0) {
    p = turned(p, m->angular[0], m->angular[1], m->angular[2], spin * t);
  }
  for (int k = 0; k < 3; k++) {
    p.pos[k] += t * m->linear[k];
  }
  return p;
}

static void a_fast_ball_stops_at_a_thin_plate(void **state)
{
  (void)state;
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 0.01, 0, 0), *plate = make(PK_SHAPE_BOX, 1, 1, 0.001),
              *cap = make(PK_SHAPE_CAPSULE, 0.01, 0.1, 0);
  const pki_motion fixed = still(at(0, 0, 0));
  double when;
  pk_proximity near;
  for (int i = 0; i < 100; i++) {
    const double start = 0.0106 + 0.0003 * i, expected = (start - 0.0105) / 20;
    const pki_motion fall = moving(at(0.1, 0.2, start), 3, -2, -20, 100, 200, 300);
    const bool hit = pki_first_touch(ball, &fall, plate, &fixed, 2.5e-3, 0, &when, &near);
    assert_true(hit);
    assert_near(when, expected, 1e-9);
    assert_near(near.distance, 0, 1e-9);
    assert_near3(near.normal, V3(0, 0, 1), 1e-9);
    /* the other way round, and lying capsules */
    assert_true(pki_first_touch(plate, &fixed, ball, &fall, 2.5e-3, 0, &when, &near));
    assert_near(when, expected, 1e-9);
    const pki_motion flat = moving(turned(at(0, 0, start), 1, 0, 0, 0.5 * PI), 0, 0, -20, 0, 0, 0);
    assert_true(pki_first_touch(cap, &flat, plate, &fixed, 2.5e-3, 0, &when, &near));
    assert_near(when, expected, 1e-9);
    /* with a gap it stops earlier */
    if (start > 0.012) {
      assert_true(pki_first_touch(ball, &fall, plate, &fixed, 2.5e-3, 1e-3, &when, &near));
      assert_near(when, expected - 1e-3 / 20, 1e-9);
    }
  }
  /* too far, away, or there already */
  const pki_motion far = moving(at(0, 0, 0.0606), 0, 0, -20, 0, 0, 0),
                   up = moving(at(0, 0, 0.02), 0, 0, 20, 0, 0, 0),
                   in = moving(at(0, 0, 0.01), 0, 0, -20, 0, 0, 0);
  assert_false(pki_first_touch(ball, &far, plate, &fixed, 2.5e-3, 0, &when, &near));
  assert_false(pki_first_touch(ball, &up, plate, &fixed, 2.5e-3, 0, &when, &near));
  assert_false(pki_first_touch(ball, &in, plate, &fixed, 2.5e-3, 0, &when, &near));
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plate);
  pk_geometry_destroy(cap);
}

/* The corner of a box at radius r and angle -phi0 turns to x = r cos(w t - phi0); the wall stands at x = d. */
static void a_spinning_box_hits_a_wall_with_its_corner(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 0.6, 0.4, 0.2), *wall = make(PK_SHAPE_BOX, 1, 4, 4),
              *plane = make(PK_SHAPE_PLANE, 0, 0, 0);
  const double r = hypot(0.3, 0.2), phi0 = atan2(0.2, 0.3);
  double when;
  pk_proximity near;
  for (int i = 1; i < 30; i++) {
    const double d = 0.3 + (r - 0.3) * i / 30, w = 5 + i;
    const double expected = (phi0 - acos(d / r)) / w, rate = r * w * sin(acos(d / r));
    const pki_motion spin = moving(at(0, 0, 0), 0, 0, 0, 0, 0, w), fixed = still(at(d + 0.5, 0.3, 0)),
                     flat = still(turned(at(d, 7, 3), 0, 1, 0, -0.5 * PI));
    assert_true(pki_first_touch(box, &spin, wall, &fixed, 1, 0, &when, &near));
    assert_near(when, expected, 1e-8 / rate);
    assert_true(pki_first_touch(box, &spin, plane, &flat, 1, 0, &when, &near));
    assert_near(when, expected, 1e-8 / rate);
    assert_near(near.point[0][0], d, 1e-8);
    /* just before there is nothing */
    assert_false(pki_first_touch(box, &spin, wall, &fixed, 0.999 * expected, 0, &when, &near));
  }
  const pki_motion spin = moving(at(0, 0, 0), 0, 0, 0, 0, 0, 20), out = still(at(r + 0.5 + 1e-3, 0, 0));
  assert_false(pki_first_touch(box, &spin, wall, &out, 1, 0, &when, &near));
  pk_geometry_destroy(box);
  pk_geometry_destroy(wall);
  pk_geometry_destroy(plane);
}

static void a_wheel_that_rolls_over_the_ground_never_meets_it(void **state)
{
  (void)state;
  pk_geometry *wheel = make(PK_SHAPE_CYLINDER, 0.1, 0.05, 0), *plane = make(PK_SHAPE_PLANE, 0, 0, 0),
              *road = make(PK_SHAPE_BOX, 100, 100, 1);
  const pki_motion ground = still(at(0, 0, 0)), slab = still(at(0, 0, -0.5));
  double when;
  pk_proximity near;
  for (int i = 0; i < 4; i++) {
    const pki_motion roll =
        moving(turned(at(0, 0, 0.1 + 1e-3 * pow(10, -i)), 1, 0, 0, 0.5 * PI), 20, 0, 0, 0, 200, 0);
    assert_false(pki_first_touch(wheel, &roll, plane, &ground, 2.5e-3, 0, &when, &near));
    assert_false(pki_first_touch(wheel, &roll, road, &slab, 2.5e-3, 0, &when, &near));
  }
  pk_geometry_destroy(wheel);
  pk_geometry_destroy(plane);
  pk_geometry_destroy(road);
}

/* A ground that turns: the half-space swings up about its origin, tan(w t) = height of the ball's lowest point. */
static void a_turning_half_space_meets_what_lies_above(void **state)
{
  (void)state;
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 0.1, 0, 0), *plane = make(PK_SHAPE_PLANE, 0, 0, 0);
  const pki_motion swing = moving(at(0, 0, 0), 0, 0, 0, 0, -2, 0), fixed = still(at(2, 0, 0.5));
  double when;
  pk_proximity near;
  assert_true(pki_first_touch(ball, &fixed, plane, &swing, 1, 0, &when, &near));
  /* distance of the centre: 0.5 cos(a) - 2 sin(a) = 0.1 */
  const double a = atan2(0.5, 2) - asin(0.1 / hypot(0.5, 2));
  assert_near(when, a / 2, 1e-8);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plane);
}

enum { NSHAPE = 9 };

static void make_all(pk_geometry *all[NSHAPE])
{
  make_kinds(all);
  all[7] = make(PK_SHAPE_BOX, 3, 2, 0.001);
  all[8] = make(PK_SHAPE_PLANE, 0, 0, 0);
}

static pki_motion random_motion(pki_random *rng, bool turns)
{
  pki_motion m = {.pose = random_pose(rng, 1)};
  for (int k = 0; k < 3; k++) {
    m.linear[k] = pki_random_between(rng, -4, 4);
    m.angular[k] = turns ? pki_random_between(rng, -4, 4) : 0;
  }
  return m;
}

/* The pair over the time until the touch, or all of it: nearer than the gap at no sample. */
static void check_samples(const pk_geometry *a, const pki_motion *ma, const pk_geometry *b,
                          const pki_motion *mb, double until, double gap)
{
  enum { SAMPLES = 40 };
  for (int i = 0; i < SAMPLES; i++) {
    const double t = until * i / SAMPLES;
    const pk_pose pa = later(ma, t), pb = later(mb, t);
    pk_proximity p;
    assert_true(pki_distance(a, &pa, b, &pb, INFINITY, NULL, &p));
    if (p.distance < gap - 1e-9) {
      fail_msg("kinds %d %d: %g at %g of %g", (int)a->kind, (int)b->kind, p.distance - gap, t, until);
    }
  }
}

static void touches_are_the_first_and_misses_are_misses(void **state)
{
  (void)state;
  pk_geometry *all[NSHAPE];
  make_all(all);
  pki_random rng = pki_random_seeded(1);
  int hits = 0, misses = 0, early = 0;
  for (int i = 0; i < PACE(10000, 500); i++) {
    const pk_geometry *a = all[i % 8], *b = all[i / 8 % NSHAPE];
    const pki_motion ma = random_motion(&rng, true), mb = random_motion(&rng, b->kind != PK_SHAPE_PLANE);
    const double gap = i % 3 ? 0 : 0.02, time = 0.5;
    pk_proximity p;
    if (!pki_distance(a, &ma.pose, b, &mb.pose, INFINITY, NULL, &p) || p.distance <= gap + 1e-6) {
      continue;
    }
    double when;
    if (pki_first_touch(a, &ma, b, &mb, time, gap, &when, &p)) {
      assert_greater(when, 0);
      assert_at_most(when, time);
      check_samples(a, &ma, b, &mb, when, gap);
      const pk_pose pa = later(&ma, when), pb = later(&mb, when);
      pk_proximity q;
      assert_true(pki_distance(a, &pa, b, &pb, INFINITY, NULL, &q));
      assert_near(p.distance, q.distance, 1e-8);
      hits++;
      early += fabs(q.distance - gap) > 1e-8;
    } else {
      check_samples(a, &ma, b, &mb, time, gap);
      misses++;
    }
  }
  assert_greater(hits, PACE(1000, 50));
  assert_greater(misses, PACE(1000, 50));
  /* stops for want of steps, short of the touch: none */
  assert_int_equal(early, 0);
  for (int i = 0; i < NSHAPE; i++) {
    pk_geometry_destroy(all[i]);
  }
}

/* A floor of two triangles, and one of heights. */
static pk_geometry *make_sheet(void)
{
  static const double vertex[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
  static const int triangle[6] = {0, 1, 2, 0, 2, 3};
  const pk_mesh mesh = {
      .name = "sheet", .vertex = vertex, .nvertex = 4, .triangle = triangle, .ntriangle = 2};
  pk_geometry *g = NULL;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &mesh}, &g, NULL),
                   PK_OK);
  return g;
}

static pk_geometry *make_field(void)
{
  static const double heights[25] = {0};
  pk_geometry *g = NULL;
  assert_int_equal(
      pk_geometry_create(
          &(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 5, .ny = 5, .cell = 0.5, .heights = heights},
          &g, NULL),
      PK_OK);
  return g;
}

static void meshes_and_height_fields_are_not_passed(void **state)
{
  (void)state;
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 0.01, 0, 0), *box = make(PK_SHAPE_BOX, 0.02, 0.02, 0.02),
              *ground[2] = {make_sheet(), make_field()};
  double when;
  pk_proximity near;
  for (int g = 0; g < 2; g++) {
    const pki_motion fixed = still(g ? at(-1, -1, 0) : at(0, 0, 0));
    for (int i = 0; i < 50; i++) {
      const double start = 0.011 + 0.0005 * i;
      const pki_motion fall = moving(at(0.1, 0.2, start), 3, -2, -20, 10, 20, 30),
                       drop = moving(at(0.1, 0.2, start), 3, -2, -20, 0, 0, 0);
      assert_true(pki_first_touch(ball, &fall, ground[g], &fixed, 2.5e-3, 0, &when, &near));
      assert_near(when, (start - 0.01) / 20, 1e-9);
      assert_true(pki_first_touch(ground[g], &fixed, ball, &fall, 2.5e-3, 0, &when, &near));
      assert_near(when, (start - 0.01) / 20, 1e-9);
      assert_true(pki_first_touch(box, &drop, ground[g], &fixed, 2.5e-3, 0, &when, &near));
      assert_near(when, (start - 0.01) / 20, 1e-9);
    }
    const pki_motion aside = moving(at(0.1, 0.2, 0.02), 3, -2, 0.1, 1, 2, 3);
    assert_false(pki_first_touch(box, &aside, ground[g], &fixed, 2.5e-3, 0, &when, &near));
    pk_geometry_destroy(ground[g]);
  }
  pk_geometry_destroy(ball);
  pk_geometry_destroy(box);
}

/* Over a floor towards a wall: the nearest place never comes nearer, the wall does. */
static void a_wall_behind_the_nearest_floor_is_met(void **state)
{
  (void)state;
  static const double vertex[18] = {-1, -1, 0, 0.5, -1, 0, 0.5, 1, 0, -1, 1, 0, 0.5, -1, 1, 0.5, 1, 1};
  static const int triangle[12] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
  const pk_mesh mesh = {
      .name = "corner", .vertex = vertex, .nvertex = 6, .triangle = triangle, .ntriangle = 4};
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 0.01, 0, 0), *corner = NULL;
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &mesh}, &corner, NULL), PK_OK);
  const pki_motion fixed = still(at(0, 0, 0)), slide = moving(at(0.46, 0, 0.02), 20, 1, 0, 0, 0, 0);
  double when;
  pk_proximity near;
  assert_true(pki_first_touch(ball, &slide, corner, &fixed, 2.5e-3, 0, &when, &near));
  assert_near(when, 0.03 / 20, 1e-9);
  assert_near3(near.normal, V3(-1, 0, 0), 1e-9);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(corner);
}

static void sizes_do_not_matter(void **state)
{
  (void)state;
  for (int e = -6; e <= 6; e++) {
    const double s = pow(10, e);
    pk_geometry *ball = make(PK_SHAPE_SPHERE, s, 0, 0), *box = make(PK_SHAPE_BOX, 2 * s, 2 * s, 2 * s);
    const pki_motion fixed = still(at(0, 0, 0)), fall = moving(at(0.1 * s, 0, 5 * s), 0, 0, -s, 0, 0, 0);
    double when;
    pk_proximity near;
    assert_true(pki_first_touch(ball, &fall, box, &fixed, 10, 0, &when, &near));
    assert_near(when, 3, 1e-8);
    const pki_motion spin = moving(at(0, 0, 5 * s), 0, 0, -s, 0, 1e-3, 0);
    assert_true(pki_first_touch(box, &spin, box, &fixed, 10, 0, &when, &near));
    assert_greater(when, 2.9);
    assert_less(when, 3);
    pk_geometry_destroy(ball);
    pk_geometry_destroy(box);
  }
}

static void nothing_comes_of_no_time_and_no_motion(void **state)
{
  (void)state;
  pk_geometry *ball = make(PK_SHAPE_SPHERE, 1, 0, 0), *plane = make(PK_SHAPE_PLANE, 0, 0, 0);
  const pki_motion fixed = still(at(0, 0, 0)), rest = still(at(0, 0, 1.5)),
                   fall = moving(at(0, 0, 1.5), 0, 0, -1, 0, 0, 0),
                   bad = moving(at(0, 0, 1.5), 0, 0, NAN, 0, 0, 0);
  double when;
  pk_proximity near;
  assert_false(pki_first_touch(ball, &rest, plane, &fixed, 1, 0, &when, &near));
  assert_false(pki_first_touch(ball, &fall, plane, &fixed, 0, 0, &when, &near));
  assert_false(pki_first_touch(ball, &bad, plane, &fixed, 1, 0, &when, &near));
  assert_false(pki_first_touch(plane, &fixed, plane, &fall, 1, 0, &when, &near));
  assert_true(pki_first_touch(ball, &fall, plane, &fixed, 1, 0, &when, &near));
  assert_near(when, 0.5, 1e-9);
  pk_geometry_destroy(ball);
  pk_geometry_destroy(plane);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fast_ball_stops_at_a_thin_plate),
      cmocka_unit_test(a_spinning_box_hits_a_wall_with_its_corner),
      cmocka_unit_test(a_wheel_that_rolls_over_the_ground_never_meets_it),
      cmocka_unit_test(a_turning_half_space_meets_what_lies_above),
      cmocka_unit_test(touches_are_the_first_and_misses_are_misses),
      cmocka_unit_test(meshes_and_height_fields_are_not_passed),
      cmocka_unit_test(a_wall_behind_the_nearest_floor_is_met),
      cmocka_unit_test(sizes_do_not_matter),
      cmocka_unit_test(nothing_comes_of_no_time_and_no_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
