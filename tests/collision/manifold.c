/* The points at which convex shapes touch: how many, where, how far, and their names. */
#include "support/bounds.h"
#include "support/pace.h"
#include "touch_help.h"

static int touch(const pk_geometry *a, const pk_pose *pa, const pk_geometry *b, const pk_pose *pb,
                 double margin, pk_touch_point *t)
{
  const int n = pki_touch(a, pa, b, pb, margin, NULL, t);
  check(t, n, margin);
  return n;
}

static void a_box_on_a_box_has_four_corners_that_keep_their_names(void **state)
{
  (void)state;
  pk_geometry *table = make(PK_SHAPE_BOX, 4, 3, 1), *box = make(PK_SHAPE_BOX, 0.2, 0.3, 0.1);
  pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  const pk_pose ground = at(0, 0, -0.5);
  pki_random rng = pki_random_seeded(5);
  for (int i = 0; i < 500; i++) {
    const double lean = i % 3 == 0 ? 0 : pow(10, pki_random_between(&rng, -9, -3));
    pk_pose pose = turned(at(0.002 * i, 0.001 * i, 0.05 - 1e-4 + 1e-6 * i), pki_random_normal(&rng),
                          pki_random_normal(&rng), 0, lean);
    pose = turned(pose, 0, 0, 1, 0.05 * i);
    assert_int_equal(touch(box, &pose, table, &ground, 0.02, t), 4);
    if (i == 0) {
      memcpy(first, t, sizeof t);
    }
    assert_true(same_names(first, 4, t, 4));
    for (int k = 0; k < 4; k++) {
      assert_near3(t[k].normal, V3(0, 0, 1), 1e-12);
      assert_near(t[k].gap, t[k].point[0][2], 1e-9);
      double x[3];
      local(&pose, t[k].point[0], x);
      assert_near3(x, V3(copysign(0.1, x[0]), copysign(0.15, x[1]), -0.05), 1e-9);
    }
  }
  pk_geometry_destroy(table);
  pk_geometry_destroy(box);
}

static void a_box_half_over_the_edge_is_clipped_there(void **state)
{
  (void)state;
  pk_geometry *table = make(PK_SHAPE_BOX, 2, 2, 1), *box = make(PK_SHAPE_BOX, 0.2, 0.3, 0.1);
  pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  const pk_pose ground = at(0, 0, -0.5);
  for (int i = 0; i < 100; i++) {
    const pk_pose pose = at(1 + 0.0005 * i, 0.3, 0.051);
    assert_int_equal(touch(box, &pose, table, &ground, 0.02, t), 4);
    for (int k = 0; k < 4; k++) {
      assert_near(t[k].gap, 0.001, 1e-12);
      assert_true(fabs(t[k].point[0][0] - 1) < 1e-9 || fabs(t[k].point[0][0] - (pose.pos[0] - 0.1)) < 1e-9);
      assert_near(fabs(t[k].point[0][1] - 0.3), 0.15, 1e-9);
    }
    if (i == 0) {
      memcpy(first, t, sizeof t);
    }
    assert_true(same_names(first, 4, t, 4));
  }
  /* beside it: the corner alone, then nothing */
  pk_pose pose = at(1.11, 0.3, 0.06);
  const int n = touch(box, &pose, table, &ground, 0.02, t);
  assert_at_least(n, 1);
  assert_near(least_gap(t, n), hypot(0.01, 0.01), 1e-9);
  pose = at(1.13, 0.3, 0.06);
  assert_int_equal(touch(box, &pose, table, &ground, 0.02, t), 0);
  pk_geometry_destroy(table);
  pk_geometry_destroy(box);
}

static void equal_boxes_in_a_tower_keep_their_names(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 0.1, 0.1, 0.1);
  pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  const pk_pose below = at(0, 0, 0);
  pki_random rng = pki_random_seeded(6);
  for (int i = 0; i < 500; i++) {
    pk_pose pose = at(0, 0, 0.1);
    for (int k = 0; k < 3 && i; k++) {
      pose.pos[k] += pki_random_between(&rng, -3e-8, 3e-8);
    }
    pose =
        turned(pose, pki_random_normal(&rng), pki_random_normal(&rng), pki_random_normal(&rng), i ? 1e-8 : 0);
    assert_int_equal(touch(box, &pose, box, &below, 0.02, t), 4);
    if (i == 0) {
      memcpy(first, t, sizeof t);
    }
    assert_true(same_names(first, 4, t, 4));
  }
  pk_geometry_destroy(box);
}

/* Corner over corner: one corner of each and two crossings, whichever face is the reference. */
static void names_do_not_tell_which_face_was_the_reference(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 0.2, 0.2, 0.2);
  const double lean = 5e-3;
  const pk_pose below = at(0, 0, 0), above = turned(at(0.1, 0.12, 0.2), 1, 0, 0, lean);
  const pki_convex a = pki_convex_of(box, &above), b = pki_convex_of(box, &below);
  pk_touch_point t[2][PK_TOUCH_MOST];
  int n[2];
  for (int i = 0; i < 2; i++) {
    pk_proximity near = {.normal = {0, i ? -sin(lean) : 0, i ? cos(lean) : 1}};
    pki_convex_touch(&a, &b, &near, 0.02, t[i]);
    near.distance = least_gap(t[i], 4);
    n[i] = pki_convex_touch(&a, &b, &near, 0.02, t[i]);
    check(t[i], n[i], 0.02);
    assert_near3(t[i][0].normal, near.normal, 1e-12);
  }
  assert_int_equal(n[0], 4);
  assert_true(same_names(t[0], n[0], t[1], n[1]));
  for (int k = 0; k < 4; k++) {
    for (int c = 0; c < 3; c++) {
      assert_near(t[0][k].point[0][c], t[1][k].point[0][c], 2e-3);
    }
  }
  pk_geometry_destroy(box);
}

/* Leaning by less than decides: the lower box is the reference in either order. */
static void equal_boxes_agree_in_either_order(void **state)
{
  (void)state;
  pk_geometry *box = make(PK_SHAPE_BOX, 0.1, 0.1, 0.1);
  const pk_pose below = at(0, 0, 0), above = turned(at(0, 0.02, 0.1), 1, 2, 0, 5e-4);
  pk_touch_point s[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  assert_int_equal(touch(box, &above, box, &below, 0.02, s), 4);
  assert_int_equal(touch(box, &below, box, &above, 0.02, t), 4);
  for (int k = 0; k < 4; k++) {
    assert_near3(s[k].normal, V3(0, 0, 1), 1e-15);
    assert_near3(t[k].normal, V3(0, 0, -1), 1e-15);
  }
  pk_geometry_destroy(box);
}

static void capsules_touch_along_lines_and_at_crossings(void **state)
{
  (void)state;
  pk_geometry *rod = make(PK_SHAPE_CAPSULE, 0.05, 0.4, 0), *box = make(PK_SHAPE_BOX, 2, 2, 1);
  pk_touch_point t[PK_TOUCH_MOST];
  const pk_pose ground = at(0, 0, -0.5), flat = turned(at(0, 0, 0.05), 1, 0, 0, PI / 2);
  assert_int_equal(touch(rod, &flat, box, &ground, 0.02, t), 2);
  assert_near(t[0].gap, 0, 1e-12);
  assert_near(fabs(t[0].point[0][1] - t[1].point[0][1]), 0.4, 1e-9);
  /* leaning a little each end has its own gap */
  const double lean = 0.03;
  const pk_pose pose = turned(at(0, 0, 0.06), 1, 0, 0, PI / 2 + lean);
  assert_int_equal(touch(rod, &pose, box, &ground, 0.02, t), 2);
  assert_near(least_gap(t, 2), 0.01 - 0.2 * sin(lean), 1e-9);
  assert_near(t[0].gap + t[1].gap, 0.02, 1e-9);
  /* two side by side; shifted by a quarter they share three quarters */
  const pk_pose other = turned(at(0, 0.1, 0.16), 1, 0, 0, PI / 2);
  assert_int_equal(touch(rod, &other, rod, &flat, 0.02, t), 2);
  assert_near(t[0].gap, 0.01, 1e-12);
  assert_near(fabs(t[0].point[0][1] - t[1].point[0][1]), 0.3, 1e-9);
  /* turned by a hair the ends are nearly as near, at a right angle there is the crossing alone */
  const pk_pose hair = turned(at(0, 0, 0.16), 1, 0, 0, PI / 2), yawed = turned(hair, 0, 0, 1, 1e-3);
  const int n = touch(rod, &yawed, rod, &flat, 0.02, t);
  assert_at_least(n, 2);
  assert_near(least_gap(t, n), 0.01, 1e-12);
  const pk_pose crossed = turned(hair, 0, 0, 1, PI / 2);
  assert_int_equal(touch(rod, &crossed, rod, &flat, 0.02, t), 1);
  assert_near(t[0].gap, 0.01, 1e-12);
  pk_geometry_destroy(rod);
  pk_geometry_destroy(box);
}

static void a_cylinder_stands_and_lies_on_a_box(void **state)
{
  (void)state;
  pk_geometry *can = make(PK_SHAPE_CYLINDER, 0.1, 0.3, 0), *box = make(PK_SHAPE_BOX, 2, 2, 1);
  pk_touch_point first[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
  const pk_pose ground = at(0, 0, -0.5);
  int n = 0;
  for (int i = 0; i < 100; i++) {
    const pk_pose pose = turned(at(0.001 * i, 0, 0.1501), 1, i, 0, 1e-9 * i);
    const int m = touch(can, &pose, box, &ground, 0.02, t);
    assert_at_least(m, 4);
    if (i == 0) {
      memcpy(first, t, sizeof t), n = m;
    }
    assert_true(same_names(first, n, t, m));
  }
  const pk_pose leaning = turned(at(0, 0, 0.16), 0.3, 1, 0, 0.01);
  const int m = touch(can, &leaning, box, &ground, 0.02, t);
  assert_near(least_gap(t, m), 0.16 - 0.15 * cos(0.01) - 0.1 * sin(0.01), 1e-9);
  const pk_pose lying = turned(turned(at(0, 0, 0.1), 0, 0, 1, 1.1), 1, 0, 0, PI / 2);
  assert_int_equal(touch(can, &lying, box, &ground, 0.02, t), 2);
  assert_near(t[0].gap, 0, 1e-9);
  assert_near(t[1].gap, 0, 1e-9);
  pk_geometry_destroy(can);
  pk_geometry_destroy(box);
}

static void logs_lie_on_each_other_along_a_line(void **state)
{
  (void)state;
  pk_geometry *trunk = make(PK_SHAPE_CYLINDER, 0.1, 0.6, 0), *cone = make(PK_SHAPE_CONE, 0.1, 0.3, 0),
              *box = make(PK_SHAPE_BOX, 2, 2, 1);
  pk_touch_point t[PK_TOUCH_MOST];
  const pk_pose low = turned(at(0, 0, 0.1), 1, 0, 0, PI / 2), ground = at(0, 0, -0.5);
  for (int i = 0; i < 10; i++) { /* parallel, and to a hair */
    const pk_pose high = turned(turned(at(0, 0.1, 0.301), 1, 0, 0, PI / 2), 0, 0, 1, 1e-5 * i);
    const int n = touch(trunk, &high, trunk, &low, 0.02, t);
    assert_true(n == 2 || n == 3);
    for (int k = 0; k < n; k++) {
      assert_near(t[k].gap, 0.001, 1e-6);
    }
    assert_near(fabs(t[0].point[0][1] - t[1].point[0][1]), 0.5, 1e-3);
  }
  /* a cone on its side */
  const double half = atan2(0.1, 0.3);
  const pk_pose side = turned(at(0, 0, 0.15 * sin(half)), 1, 0, 0, PI / 2 + half);
  assert_int_equal(touch(cone, &side, box, &ground, 0.02, t), 2);
  assert_near(t[0].gap, 0, 1e-9);
  assert_near(t[1].gap, 0, 1e-9);
  pk_geometry_destroy(trunk);
  pk_geometry_destroy(cone);
  pk_geometry_destroy(box);
}

/* A triangle as surfaces hand it over: three points without a geometry. */
static void a_box_on_a_triangle_has_its_corners_or_is_clipped(void **state)
{
  (void)state;
  static const double points[9] = {-1, -1, 0, 2, -1, 0, -1, 2, 0};
  pk_geometry *box = make(PK_SHAPE_BOX, 0.2, 0.3, 0.1);
  const pk_pose world = pk_pose_identity();
  const pki_convex triangle = pki_convex_points(points, 3, &world);
  pk_touch_point t[PK_TOUCH_MOST];
  for (int i = 0; i < 2; i++) {
    const pk_pose pose = at(i ? 0.5 : 0, i ? 0.5 : 0, 0.051);
    const pki_convex c = pki_convex_of(box, &pose);
    const pk_proximity near = {.distance = 0.001,
                               .normal = {0, 0, 1},
                               .point = {{i ? 0.4 : 0, i ? 0.4 : 0, 0.001}, {i ? 0.4 : 0, i ? 0.4 : 0, 0}}};
    const int n = pki_convex_touch(&c, &triangle, &near, 0.02, t);
    check(t, n, 0.02);
    assert_int_equal(n, 4);
    for (int k = 0; k < n; k++) {
      assert_near(t[k].gap, 0.001, 1e-12);
      assert_at_most(t[k].point[0][0] + t[k].point[0][1], 1 + 1e-5);
    }
  }
  pk_geometry_destroy(box);
}

static void faces_of_hulls_meet_in_the_polygon_they_share(void **state)
{
  (void)state;
  double inradius;
  pk_geometry *die = make_dodecahedron(&inradius), *box = make(PK_SHAPE_BOX, 10, 10, 1),
              *prism = make_prism(3, 1, 0.2), *six = make_prism(6, 2, 0.2);
  pk_touch_point t[PK_TOUCH_MOST];
  const pk_pose ground = at(0, 0, -0.5);
  pk_pose pose = turned(at(1, 0, inradius + 0.001), 0, 0, 1, 0.3);
  assert_int_equal(touch(die, &pose, box, &ground, 0.02, t), 5);
  assert_near(least_gap(t, 5), 0.001, 1e-9);
  /* a triangle within a hexagon; a triangle across its side */
  const pk_pose low = at(0, 0, 0);
  pose = turned(at(0.1, 0, 0.4), 0, 0, 1, 0.2);
  assert_int_equal(touch(prism, &pose, six, &low, 0.02, t), 3);
  pose = at(1.6, 0, 0.4);
  const int n = touch(prism, &pose, six, &low, 0.02, t);
  assert_at_least(n, 4);
  for (int i = 0; i < n; i++) {
    assert_near(t[i].gap, 0, 1e-9);
  }
  pk_geometry_destroy(die);
  pk_geometry_destroy(box);
  pk_geometry_destroy(prism);
  pk_geometry_destroy(six);
}

/* ---- any pair ---- */

enum { NSHAPE = 8 };

static void make_all(pk_geometry *all[NSHAPE])
{
  make_kinds(all);
  all[7] = make_prism(5, 0.4, 0.3);
}

static double distance_to(const pk_geometry *g, const pk_pose *pose, const double x[3])
{
  double y[3], distance, normal[3];
  local(pose, x, y);
  assert_true(pki_geometry_point(g, y, INFINITY, &distance, normal));
  return distance;
}

/* Two shapes brought to within about the margin of each other. */
static bool near_pair(pki_random *rng, const pk_geometry *a, pk_pose *pa, const pk_geometry *b, pk_pose *pb,
                      double apart)
{
  *pa = random_pose(rng, 3), *pb = random_pose(rng, 3);
  pk_proximity p;
  for (int i = 0; i < 2; i++) {
    if (!pki_distance(a, pa, b, pb, INFINITY, NULL, &p)) {
      return false;
    }
    for (int k = 0; k < 3; k++) {
      pa->pos[k] -= (p.distance - apart) * p.normal[k];
    }
  }
  return pki_distance(a, pa, b, pb, INFINITY, NULL, &p) && fabs(p.distance - apart) < 1e-6;
}

/* How far the ball of radius r at a core point stays inside a capsule that leans by 0.08. */
static double depth_of_cut(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_CAPSULE ? g->radius * (1 - cos(0.08)) : 0;
}

static void every_gap_is_a_distance_and_the_nearest_points_are_there(void **state)
{
  (void)state;
  const double margin = 0.05;
  pk_geometry *all[NSHAPE];
  make_all(all);
  pki_random rng = pki_random_seeded(7);
  int tried = 0;
  for (int i = 0; i < PACE(20000, 2000); i++) {
    const pk_geometry *a = all[i % NSHAPE], *b = all[i / NSHAPE % NSHAPE];
    pk_pose pa, pb;
    pk_touch_point t[PK_TOUCH_MOST];
    pk_proximity p;
    if (!near_pair(&rng, a, &pa, b, &pb, pki_random_between(&rng, -0.05, 0.04))) {
      continue;
    }
    tried++;
    const int n = touch(a, &pa, b, &pb, margin, t);
    assert_greater(n, 0);
    assert_true(pki_distance(a, &pa, b, &pb, INFINITY, NULL, &p));
    assert_at_most(least_gap(t, n), p.distance + 4e-3 * fabs(p.distance) + 1e-6);
    for (int k = 0; k < n; k++) {
      /* both points lie on their shapes; a leaning capsule that a border cuts touches with the ball there */
      const double inner = fmax(depth_of_cut(a), depth_of_cut(b));
      assert_near(distance_to(a, &pa, t[k].point[0]), 0, 1e-6 + inner);
      assert_near(distance_to(b, &pb, t[k].point[1]), 0, 1e-6 + inner);
      if (p.distance > 0) {
        const double e0 = distance_to(b, &pb, t[k].point[0]) - t[k].gap,
                     e1 = distance_to(a, &pa, t[k].point[1]) - t[k].gap;
        assert_at_most(e0, 1e-9);
        assert_at_most(e1, 1e-9);
        if (fmin(fabs(e0), fabs(e1)) > 1e-8) {
          fail_msg("kinds %d %d: gap %g, off by %g and %g", (int)a->kind, (int)b->kind, t[k].gap, e0, e1);
        }
      }
    }
  }
  assert_greater(tried, PACE(15000, 1500));
  for (int i = 0; i < NSHAPE; i++) {
    pk_geometry_destroy(all[i]);
  }
}

static void the_other_order_gives_the_same_points_and_the_normal_turned(void **state)
{
  (void)state;
  pk_geometry *all[NSHAPE];
  make_all(all);
  pki_random rng = pki_random_seeded(8);
  for (int i = 0; i < PACE(10000, 1000); i++) {
    const int ia = i % NSHAPE, ib = i / NSHAPE % NSHAPE;
    pk_pose pa, pb;
    if (!near_pair(&rng, all[ia], &pa, all[ib], &pb, pki_random_between(&rng, -0.05, 0.04))) {
      continue;
    }
    const pki_convex a = pki_convex_of(all[ia], &pa), b = pki_convex_of(all[ib], &pb);
    pk_proximity p, q;
    assert_true(pki_distance(all[ia], &pa, all[ib], &pb, INFINITY, NULL, &p));
    q = p;
    for (int k = 0; k < 3; k++) {
      q.normal[k] = -p.normal[k];
      q.point[0][k] = p.point[1][k], q.point[1][k] = p.point[0][k];
    }
    pk_touch_point s[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
    const int n = pki_convex_touch(&a, &b, &p, 0.05, s), m = pki_convex_touch(&b, &a, &q, 0.05, t);
    assert_int_equal(n, m);
    for (int k = 0; k < n; k++) {
      bool found = false;
      for (int l = 0; l < m && !found; l++) {
        double off = fabs(s[k].gap - t[l].gap);
        for (int c = 0; c < 3; c++) {
          off += fabs(s[k].point[0][c] - t[l].point[1][c]) + fabs(s[k].normal[c] + t[l].normal[c]);
        }
        found = off < 1e-9;
      }
      assert_true(found);
    }
  }
  for (int i = 0; i < NSHAPE; i++) {
    pk_geometry_destroy(all[i]);
  }
}

static void small_motions_keep_the_names(void **state)
{
  (void)state;
  pk_geometry *all[NSHAPE];
  make_all(all);
  pki_random rng = pki_random_seeded(9);
  int tried = 0, changed = 0;
  for (int i = 0; i < PACE(5000, 500); i++) {
    const pk_geometry *a = all[i % NSHAPE], *b = all[i / NSHAPE % NSHAPE];
    pk_pose pa, pb;
    if (!near_pair(&rng, a, &pa, b, &pb, pki_random_between(&rng, -0.02, 0.02))) {
      continue;
    }
    pk_touch_point s[PK_TOUCH_MOST], t[PK_TOUCH_MOST];
    const int n = touch(a, &pa, b, &pb, 0.05, s);
    for (int k = 0; k < 3; k++) {
      pa.pos[k] += pki_random_between(&rng, -1e-7, 1e-7);
    }
    pa = turned(pa, pki_random_normal(&rng), pki_random_normal(&rng), pki_random_normal(&rng), 1e-7);
    tried++;
    changed += !same_names(s, n, t, touch(a, &pa, b, &pb, 0.05, t));
  }
  /* only where one part gives way to another */
  assert_less(changed, 0.002 * tried + 2);
  for (int i = 0; i < NSHAPE; i++) {
    pk_geometry_destroy(all[i]);
  }
}

/* ---- the best few ---- */

static void the_best_few_hold_the_deepest_and_the_corners(void **state)
{
  (void)state;
  enum { SIDE = 11, N = SIDE * SIDE };
  pki_random rng = pki_random_seeded(10);
  for (int round = 0; round < 50; round++) {
    pk_touch_point grid[N], once[PK_TOUCH_MOST];
    const int deep = (int)(pki_random_unit(&rng) * N);
    for (int i = 0; i < N; i++) {
      grid[i] = (pk_touch_point){.normal = {0, 0, 1}, .gap = i == deep ? -1e-3 : 0, .id = (unsigned)i};
      const int row = i / SIDE;
      grid[i].point[0][0] = grid[i].point[1][0] = i % SIDE;
      grid[i].point[0][1] = grid[i].point[1][1] = row;
    }
    for (int again = 0; again < 2; again++) {
      for (int i = N - 1; i > 0; i--) { /* in any order */
        const int j = (int)(pki_random_unit(&rng) * (i + 1));
        const pk_touch_point t = grid[i];
        grid[i] = grid[j], grid[j] = t;
      }
      pk_touch_point few[N];
      memcpy(few, grid, sizeof grid);
      assert_int_equal(pki_touch_reduce(few, N), PK_TOUCH_MOST);
      bool found = false;
      int corners = 0;
      for (int k = 0; k < PK_TOUCH_MOST; k++) {
        found = found || few[k].id == (unsigned)deep;
        const unsigned x = few[k].id % SIDE, y = few[k].id / SIDE;
        corners += (x == 0 || x == SIDE - 1) && (y == 0 || y == SIDE - 1);
      }
      assert_true(found);
      assert_at_least(corners, 3);
      if (again) {
        assert_memory_equal(once, few, sizeof once);
      }
      memcpy(once, few, sizeof once);
    }
  }
  /* points in one place with other normals are not the same */
  pk_touch_point same[9];
  for (int i = 0; i < 9; i++) {
    same[i] = (pk_touch_point){.normal = {cos(i), sin(i), 0}, .id = (unsigned)(9 - i)};
  }
  assert_int_equal(pki_touch_reduce(same, 9), 8);
  assert_int_equal(pki_touch_reduce(same, 0), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_a_box_has_four_corners_that_keep_their_names),
      cmocka_unit_test(a_box_half_over_the_edge_is_clipped_there),
      cmocka_unit_test(equal_boxes_in_a_tower_keep_their_names),
      cmocka_unit_test(names_do_not_tell_which_face_was_the_reference),
      cmocka_unit_test(equal_boxes_agree_in_either_order),
      cmocka_unit_test(capsules_touch_along_lines_and_at_crossings),
      cmocka_unit_test(a_cylinder_stands_and_lies_on_a_box),
      cmocka_unit_test(logs_lie_on_each_other_along_a_line),
      cmocka_unit_test(a_box_on_a_triangle_has_its_corners_or_is_clipped),
      cmocka_unit_test(faces_of_hulls_meet_in_the_polygon_they_share),
      cmocka_unit_test(every_gap_is_a_distance_and_the_nearest_points_are_there),
      cmocka_unit_test(the_other_order_gives_the_same_points_and_the_normal_turned),
      cmocka_unit_test(small_motions_keep_the_names),
      cmocka_unit_test(the_best_few_hold_the_deepest_and_the_corners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
