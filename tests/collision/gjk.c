/* GJK, EPA and the polish on shapes given by few points and on cases with known answers. Random pairs of all kinds are in
 * narrow.c. */
#include "collision/help.h"
#include "collision/narrow/minkowski.h"
#include "support/bounds.h"
#include "support/pace.h"

static const double triangle[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};

static pk_pose at(double x, double y, double z)
{
  pk_pose p = pk_pose_identity();
  p.pos[0] = x, p.pos[1] = y, p.pos[2] = z;
  return p;
}

/* What every answer owes. */
static void check_sane(const pk_proximity *p)
{
  assert_true(isfinite(p->distance));
  assert_near(pki_dot3(p->normal, p->normal), 1, 1e-12);
  for (int k = 0; k < 3; k++) {
    assert_near(p->point[0][k] - p->point[1][k], p->distance * p->normal[k], 1e-9);
  }
}

static pk_proximity ask(const pki_convex *a, const pki_convex *b)
{
  pk_proximity p;
  assert_true(pki_gjk_distance(a, b, INFINITY, &p));
  check_sane(&p);
  return p;
}

static void a_point_over_a_triangle_is_as_far_as_it_is_high(void **state)
{
  (void)state;
  const double point[3] = {0};
  const pk_pose here = pk_pose_identity(), above = at(0.5, 0.5, 0.25), beside = at(-3, -4, 0),
                corner = at(3, 3, 1);
  const pki_convex t = pki_convex_points(triangle, 3, &here);
  const pki_convex one = pki_convex_points(point, 1, &above), two = pki_convex_points(point, 1, &beside),
                   three = pki_convex_points(point, 1, &corner);
  pk_proximity p = ask(&one, &t);
  assert_near(p.distance, 0.25, 1e-15);
  assert_near3(p.normal, V3(0, 0, 1), 1e-15);
  assert_near3(p.point[1], V3(0.5, 0.5, 0), 1e-15);
  p = ask(&two, &t);
  assert_near(p.distance, 5, 1e-15);
  assert_near3(p.point[1], V3(0, 0, 0), 1e-15);
  p = ask(&three, &t);
  assert_near(p.distance, 3, 1e-15);
  assert_near3(p.point[1], V3(1, 1, 0), 1e-15);
}

/* Differences without an inside: a point, a line, a plane. */
static void flat_shapes_that_meet_leave_across(void **state)
{
  (void)state;
  const double segment[6] = {-1, 0, 0, 1, 0, 0}, across[6] = {0, -1, 0, 0, 1, 0};
  const pk_pose here = pk_pose_identity(), inside = at(0.5, 0.5, 0), along = at(0.5, 0, 0);
  const pki_convex t = pki_convex_points(triangle, 3, &here), u = pki_convex_points(triangle, 3, &inside);
  const pki_convex s = pki_convex_points(segment, 2, &here), v = pki_convex_points(across, 2, &here),
                   w = pki_convex_points(segment, 2, &along),
                   point = pki_convex_points(segment + 3, 1, &here);
  pk_proximity p = ask(&t, &u);
  assert_near(p.distance, 0, 1e-15);
  assert_near(fabs(p.normal[2]), 1, 1e-15);
  p = ask(&s, &v);
  assert_near(p.distance, 0, 1e-15);
  assert_near(fabs(p.normal[2]), 1, 1e-15);
  p = ask(&s, &w);
  assert_near(p.distance, 0, 1e-15);
  assert_near(p.normal[0], 0, 1e-15);
  p = ask(&point, &point);
  assert_near(p.distance, 0, 0);
}

static void roundings_come_off_the_distance_of_the_cores(void **state)
{
  (void)state;
  const double point[3] = {0};
  const pk_pose here = pk_pose_identity();
  for (int i = -3; i <= 3; i++) {
    const double height = i == 0 ? 0 : i * 0.1;
    const pk_pose above = at(0.5, 0.5, height);
    pki_convex ball = pki_convex_points(point, 1, &above), t = pki_convex_points(triangle, 3, &here);
    ball.rounding = 0.5;
    t.rounding = 0.125;
    const pk_proximity p = ask(&ball, &t);
    assert_near(p.distance, fabs(height) - 0.625, 1e-15);
    assert_near(p.normal[2], height < 0 ? -1 : p.normal[2] < 0 ? -1 : 1, 1e-15);
    assert_near(fabs(p.normal[2]), 1, 1e-15);
  }
}

static void reach_ends_the_search_early(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int n = 0; n < 1000; n++) {
    double x[12], y[12];
    for (int k = 0; k < 12; k++) {
      x[k] = pki_random_between(&rng, -1, 1);
      y[k] = pki_random_between(&rng, -1, 1);
    }
    const pk_pose one = random_pose(&rng, 1), two = random_pose(&rng, 2);
    pki_convex a = pki_convex_points(x, 4, &one), b = pki_convex_points(y, 4, &two);
    a.rounding = 0.01;
    const pk_proximity all = ask(&a, &b);
    pk_proximity p;
    const double d = fmax(all.distance, 0);
    assert_true(pki_gjk_distance(&a, &b, d + 1e-12, &p));
    assert_near(p.distance, all.distance, 1e-13);
    if (d > 0) {
      assert_false(pki_gjk_distance(&a, &b, d - 1e-9, &p));
    }
  }
}

/* ---- polytopes by brute force ---- */

/* Signed distance of two tetrahedra from the normals of all faces and pairs of edges (depth) or from all pairs of corners,
 * edges and faces (apart). */
typedef struct tetrahedron {
  double p[4][3];
} tetrahedron;

static void widen(const tetrahedron *t, const double n[3], double *low, double *high)
{
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < 4; i++) {
    *low = fmin(*low, pki_dot3(t->p[i], n));
    *high = fmax(*high, pki_dot3(t->p[i], n));
  }
}

static double along(const tetrahedron *a, const tetrahedron *b, const double axis[3])
{
  const double length = pki_length3(axis);
  if (length < 1e-12) {
    return -INFINITY;
  }
  const double n[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  double a0, a1, b0, b1;
  widen(a, n, &a0, &a1);
  widen(b, n, &b0, &b1);
  return fmax(a0 - b1, b0 - a1);
}

static void edge(const tetrahedron *t, int e, double out[3])
{
  static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  pki_sub3(t->p[ends[e][1]], t->p[ends[e][0]], out);
}

/* The largest separation along the axes that can be the shortest way: of faces, of pairs of edges, from corner to corner
 * and from corner to edge. Apart it is the distance, overlapping minus the depth (from the first two alone). */
static double brute(const tetrahedron *a, const tetrahedron *b)
{
  double best = -INFINITY, n[3], u[3], v[3];
  const tetrahedron *const both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    for (int e = 0; e < 6; e++) {
      for (int f = 0; f < e; f++) {
        edge(both[k], e, u);
        edge(both[k], f, v);
        pki_cross3(u, v, n);
        best = fmax(best, along(a, b, n));
      }
    }
  }
  for (int e = 0; e < 6; e++) {
    for (int f = 0; f < 6; f++) {
      edge(a, e, u);
      edge(b, f, v);
      pki_cross3(u, v, n);
      best = fmax(best, along(a, b, n));
    }
  }
  if (best <= 0) {
    return best;
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      double r[3];
      pki_sub3(a->p[i], b->p[j], r);
      best = fmax(best, along(a, b, r));
      for (int k = 0; k < 12; k++) { /* across an edge of either */
        edge(both[k / 6], k % 6, u);
        pki_along3(r, -pki_dot3(r, u) / pki_dot3(u, u), u, n);
        best = fmax(best, along(a, b, n));
      }
    }
  }
  return best;
}

static void tetrahedra_agree_with_all_axes_tried_in_turn(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  const pk_pose here = pk_pose_identity();
  int apart = 0;
  for (int n = 0; n < PACE(20000, 1000); n++) {
    tetrahedron a, b;
    for (int k = 0; k < 12; k++) {
      a.p[k / 3][k % 3] = pki_random_between(&rng, -1, 1);
      b.p[k / 3][k % 3] = pki_random_between(&rng, -1, 1) + (k % 3 == 0 ? 0.7 : 0);
    }
    const pki_convex x = pki_convex_points(a.p[0], 4, &here), y = pki_convex_points(b.p[0], 4, &here);
    const pk_proximity p = ask(&x, &y), q = ask(&y, &x);
    assert_near(p.distance, brute(&a, &b), 1e-11);
    assert_near(q.distance, p.distance, 1e-12);
    apart += p.distance > 0;
  }
  assert_greater(apart, 100);
}

/* ---- bounds ---- */

static void few_steps_are_enough(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  pk_geometry *ellipsoid, *plate;
  pk_error err;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_ELLIPSOID, .size = {1, 0.5, 0.2}},
                                      &ellipsoid, &err),
                   PK_OK);
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_CYLINDER, .size = {1, 0.01}}, &plate, &err),
      PK_OK);
  for (int n = 0; n < PACE(5000, 500); n++) {
    const pk_pose one = random_pose(&rng, 1), two = random_pose(&rng, 1);
    const pki_convex a = pki_convex_of(ellipsoid, &one), b = pki_convex_of(plate, &two);
    pki_difference d;
    pki_gjk_result r;
    pki_difference_make(&a, &b, &d);
    pki_gjk_run(&d, d.apart, INFINITY, &r);
    assert_less(r.steps, 100);
  }
  pk_geometry_destroy(ellipsoid);
  pk_geometry_destroy(plate);
}

/* Depth of cores alone, and from a start that is off by a degree. */
static void polishing_mends_a_normal(void **state)
{
  (void)state;
  pk_geometry *egg, *box;
  pk_error err;
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_ELLIPSOID, .size = {1, 1, 0.5}}, &egg, &err),
      PK_OK);
  assert_int_equal(
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_BOX, .size = {20, 20, 20}}, &box, &err), PK_OK);
  const pk_pose top = at(0, 0, 10.25), here = pk_pose_identity();
  const pki_convex a = pki_convex_of(egg, &top), b = pki_convex_of(box, &here);
  pk_proximity p;
  pki_epa_depth(&a, &b, &p);
  check_sane(&p);
  assert_near(p.distance, -0.25, 1e-12);
  assert_near3(p.normal, V3(0, 0, 1), 1e-6);
  assert_near3(p.point[0], V3(0, 0, 9.75), 1e-6);
  pki_difference d;
  pki_difference_make(&a, &b, &d);
  const double angle = 0.0175, out[3] = {-sin(angle), 0, -cos(angle)};
  pki_corner c;
  pki_difference_support(&d, out, &c);
  pki_depth_answer(out, pki_dot3(out, c.w), c.a, c.b, &p);
  pki_depth_polish(&d, 10, &p);
  assert_near(p.distance, -0.25, 1e-12);
  assert_near3(p.normal, V3(0, 0, 1), 1e-6);
  pk_geometry_destroy(egg);
  pk_geometry_destroy(box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_over_a_triangle_is_as_far_as_it_is_high),
      cmocka_unit_test(flat_shapes_that_meet_leave_across),
      cmocka_unit_test(roundings_come_off_the_distance_of_the_cores),
      cmocka_unit_test(reach_ends_the_search_early),
      cmocka_unit_test(tetrahedra_agree_with_all_axes_tried_in_turn),
      cmocka_unit_test(few_steps_are_enough),
      cmocka_unit_test(polishing_mends_a_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
