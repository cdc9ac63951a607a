/* Signed distances of points from every shape. */
#include "collision/shapes.h"

#include "support/bounds.h"
#include "support/pace.h"

static double distance_of(const pk_geometry *g, const double p[3], double n[3])
{
  double d;
  assert_true(pki_geometry_point(g, p, INFINITY, &d, n));
  assert_true(isfinite(d));
  assert_near(pki_dot3(n, n), 1, 1e-14);
  return d;
}

/* What holds for every exact signed distance: the foot is on the surface, the distance grows along the normal at rate one
 * outside, and nowhere faster. */
static void check_point(const pk_geometry *g, const double p[3], double size)
{
  double n[3], m[3], foot[3], ahead[3], aside[3], other[3];
  const double d = distance_of(g, p, n), step = 1e-4 * size;
  for (int k = 0; k < 3; k++) {
    foot[k] = p[k] - d * n[k];
    ahead[k] = p[k] + step * n[k];
    aside[k] = p[k] + step * (k == 1) - 0.7 * step * (k == 0);
  }
  assert_near(distance_of(g, foot, m), 0, 1e-12 * size);
  const double later = distance_of(g, ahead, m);
  if (d >= 0) {
    assert_near(later - d, step, 1e-12 * size);
  }
  assert_at_most(later - d, step + 1e-12 * size);
  assert_at_most(fabs(distance_of(g, aside, other) - d), step * sqrt(1.49) + 1e-12 * size);
}

static void distances_are_exact_and_smooth(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < PACE(700, 140); round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[round % CONVEX_KIND_COUNT]);
    for (int i = 0; i < 50; i++) {
      double p[3];
      random_direction(&rng, p);
      const double far = pki_random_between(&rng, 0, 2) * g->bound;
      for (int k = 0; k < 3; k++) {
        p[k] *= far;
        p[k] = i % 7 == k ? 0 : p[k]; /* also on the planes between halves */
      }
      check_point(g, p, g->bound);
    }
    pk_geometry_destroy(g);
  }
}

/* The inside is where no direction separates: max over directions of d'p - support(d) is the signed distance of every
 * convex shape (outside the most, inside the least negative, which is the same). */
static void distances_agree_with_the_supports_of_many_directions(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  const pk_pose own = pk_pose_identity();
  for (int round = 0; round < PACE(140, 28); round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[round % CONVEX_KIND_COUNT]);
    const pki_convex c = pki_convex_of(g, &own);
    for (int i = 0; i < 5; i++) {
      double p[3], n[3], s[3], most = -INFINITY;
      for (int k = 0; k < 3; k++) {
        p[k] = 1.3 * pki_random_between(&rng, g->box.min[k], g->box.max[k]);
      }
      const double d = distance_of(g, p, n);
      for (int k = 0; k < 3000; k++) {
        double u[3];
        random_direction(&rng, u);
        pki_convex_support(&c, u, -1, s);
        most = fmax(most, pki_dot3(u, p) - pki_dot3(u, s) - c.rounding);
      }
      assert_at_most(most, d + 1e-13);
      assert_near(most, d, 0.05 * g->bound);
      /* and the normal itself attains it */
      pki_convex_support(&c, n, -1, s);
      assert_near(pki_dot3(n, p) - pki_dot3(n, s) - c.rounding, d, 1e-13);
    }
    pk_geometry_destroy(g);
  }
}

/* Every triangle of every face (Ericson, Real-Time Collision Detection, 5.1.5). */
static double brute_distance(const pki_hull *h, const double p[3])
{
  double least = INFINITY;
  for (int f = 0; f < h->nface; f++) {
    const int *loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++) {
      const double *a = h->vertex + 3 * loop[0], *b = h->vertex + 3 * loop[k],
                   *c = h->vertex + 3 * loop[k + 1];
      double ab[3], ac[3], ap[3], bp[3], cp[3], q[3];
      for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i], ac[i] = c[i] - a[i], ap[i] = p[i] - a[i], bp[i] = p[i] - b[i],
        cp[i] = p[i] - c[i];
      }
      const double d1 = pki_dot3(ab, ap), d2 = pki_dot3(ac, ap), d3 = pki_dot3(ab, bp), d4 = pki_dot3(ac, bp),
                   d5 = pki_dot3(ab, cp), d6 = pki_dot3(ac, cp);
      const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
      double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
      if (d1 <= 0 && d2 <= 0) {
        v = w = 0;
      } else if (d3 >= 0 && d4 <= d3) {
        v = 1, w = 0;
      } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3), w = 0;
      } else if (d6 >= 0 && d5 <= d6) {
        v = 0, w = 1;
      } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        v = 0, w = d2 / (d2 - d6);
      } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / (d4 - d3 + d5 - d6), v = 1 - w;
      }
      for (int i = 0; i < 3; i++) {
        q[i] = ap[i] - v * ab[i] - w * ac[i];
      }
      least = fmin(least, sqrt(pki_dot3(q, q)));
    }
  }
  return least;
}

/* Hulls of many faces are walked; every place of them is looked at here. */
static void big_hulls_have_the_distance_of_their_nearest_triangle(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  static double points[3 * 500];
  for (int round = 0; round < PACE(24, 8); round++) {
    const double stretch[3] = {1, round % 2 ? 0.01 : 1, round % 3 ? 1 : 20};
    random_points(&rng, 500, stretch, points);
    for (int i = 0; i < 500 && round % 4 < 2; i++) { /* a sphere: all are corners */
      random_direction(&rng, points + 3 * i);
      for (int k = 0; k < 3; k++) {
        points[3 * i + k] *= stretch[k];
      }
    }
    pk_geometry *g = convex_of(points, 500);
    for (int i = 0; i < PACE(300, 60); i++) {
      double p[3], n[3];
      random_direction(&rng, p);
      const double far = pki_random_between(&rng, 0, 2);
      for (int k = 0; k < 3; k++) {
        p[k] *= far * (i % 2 ? stretch[k] : g->bound);
      }
      const double d = distance_of(g, p, n);
      assert_near(fabs(d), brute_distance(g->hull, p), 1e-13 * g->bound);
    }
    pk_geometry_destroy(g);
  }
}

/* ---- ellipsoids ---- */

/* A point x of the surface and its normal n: from x + d n, outside or less than the least curvature radius inside, x is the
 * nearest point. Axes to 1e6 : 1. */
static void ellipsoids_give_back_surface_points(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  for (int round = 0; round < PACE(20000, 4000); round++) {
    double e[3], u[3], x[3], n[3], p[3], m[3];
    const double size = pow(10, pki_random_between(&rng, -6, 3));
    for (int k = 0; k < 3; k++) {
      e[k] = size * pow(10, pki_random_between(&rng, round % 2 ? -6 : -1, 0));
    }
    e[2] = round % 5 == 0 ? e[1] : e[2];
    pk_geometry *g = shape(PK_SHAPE_ELLIPSOID, fmax(e[0], 1e-9), fmax(e[1], 1e-9), fmax(e[2], 1e-9));
    random_direction(&rng, u);
    u[round % 3] *= round % 4 == 0 ? pow(10, pki_random_between(&rng, -20, 0)) : 1; /* near planes and axes */
    u[(round + 1) % 3] *= round % 8 == 0 ? pow(10, pki_random_between(&rng, -20, 0)) : 1;
    u[round % 3] = round % 9 == 0 ? 0 : u[round % 3];
    const double length = sqrt(pki_dot3(u, u));
    double most = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = g->half[k] * u[k] / length;
      n[k] = u[k] / length / (g->half[k] / g->inner);
      most = fmax(most, fabs(n[k]));
    }
    const double norm =
        most * sqrt(n[0] / most * (n[0] / most) + n[1] / most * (n[1] / most) + n[2] / most * (n[2] / most));
    const double least = g->inner * g->inner / g->bound; /* the least radius of curvature */
    const double d =
        round % 3 ? g->bound * pow(10, pki_random_between(&rng, -3, 3)) : -least * pki_random_unit(&rng);
    for (int k = 0; k < 3; k++) {
      n[k] /= norm;
      p[k] = x[k] + d * n[k];
    }
    const double found = distance_of(g, p, m);
    assert_near(found, d, 1e-12 * fmax(g->bound, fabs(d)));
    if (round % 2 == 0 && d > 0) {
      assert_near3(m, n, 1e-11);
    }
    pk_geometry_destroy(g);
  }
}

static void ellipsoid_of_equal_axes_is_a_sphere(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  pk_geometry *e = shape(PK_SHAPE_ELLIPSOID, 0.7, 0.7, 0.7), *s = shape(PK_SHAPE_SPHERE, 0.7, 0, 0);
  for (int i = 0; i < 1000; i++) {
    double p[3], n[3], m[3];
    random_direction(&rng, p);
    const double r = pow(10, pki_random_between(&rng, -12, 6));
    for (int k = 0; k < 3; k++) {
      p[k] *= r;
    }
    assert_near(distance_of(e, p, n), distance_of(s, p, m), 1e-15 * fmax(1, r));
    assert_near3(n, m, 1e-14);
  }
  double n[3];
  assert_near(distance_of(e, V3(0, 0, 0), n), -0.7, 0);
  pk_geometry_destroy(e), pk_geometry_destroy(s);
}

/* Inside, the centre and the piece of the middle plane that is nearest to the flat sides. */
static void the_middle_of_a_disc_is_half_its_thickness_deep(void **state)
{
  (void)state;
  pk_geometry *g = shape(PK_SHAPE_ELLIPSOID, 1, 1e-6, 2);
  double n[3];
  assert_near(distance_of(g, V3(0, 0, 0), n), -1e-6, 1e-22);
  assert_near3(n, V3(0, 1, 0), 0);
  assert_near(distance_of(g, V3(0, 1e-320, 0), n), -1e-6, 1e-22);
  /* over (x, 0, z): y = e sqrt(1 - x^2 - z^2/4) to first order of the thinness */
  assert_near(distance_of(g, V3(0.5, 0, 1), n), -1e-6 * sqrt(0.5), 1e-17);
  assert_near(distance_of(g, V3(0.5, 1e-300, 1), n), -1e-6 * sqrt(0.5), 1e-17);
  assert_near(distance_of(g, V3(0.5, 1e-30, 1), n), -1e-6 * sqrt(0.5), 1e-17);
  assert_near(distance_of(g, V3(3, 0, 0), n), 2, 1e-15);
  assert_near3(n, V3(1, 0, 0), 1e-15);
  pk_geometry_destroy(g);
}

/* ---- special places ---- */

static void expect(const pk_geometry *g, const double p[3], double distance, const double normal[3])
{
  double n[3];
  assert_near(distance_of(g, p, n), distance, 1e-15);
  assert_near3(n, normal, 1e-15);
}

static void corners_centres_and_axes_have_a_normal(void **state)
{
  (void)state;
  pk_geometry *box = shape(PK_SHAPE_BOX, 2, 2, 2), *cone = shape(PK_SHAPE_CONE, 1, 2, 0),
              *cylinder = shape(PK_SHAPE_CYLINDER, 1, 2, 0), *capsule = shape(PK_SHAPE_CAPSULE, 1, 2, 0),
              *plane = shape(PK_SHAPE_PLANE, 0, 0, 0);
  expect(box, V3(0, 0, 0), -1, V3(0, 0, 1));
  expect(box, V3(1, 1, 1), 0, V3(0, 0, 1));
  expect(box, V3(4, 5, 1), 5, V3(0.6, 0.8, 0));
  expect(cylinder, V3(0, 0, 0), -1, V3(0, 0, 1));
  expect(cylinder, V3(0, 0.5, 0), -0.5, V3(0, 1, 0));
  expect(cylinder, V3(0, 4, -5), 5, V3(0, 0.6, -0.8));
  expect(capsule, V3(0, 0, 0.5), -1, V3(1, 0, 0));
  expect(capsule, V3(0, 0, -4), 2, V3(0, 0, -1));
  expect(cone, V3(0, 0, 1), 0, V3(2 / sqrt(5), 0, 1 / sqrt(5)));
  expect(cone, V3(0, 0, 3), 2, V3(0, 0, 1));
  expect(cone, V3(0, -4, -5), 5, V3(0, -0.6, -0.8));
  expect(cone, V3(0.2, 0, -2), 1, V3(0, 0, -1));
  expect(cone, V3(0, 0, -0.9), -0.1, V3(0, 0, -1));
  expect(plane, V3(5, 5, -3), -3, V3(0, 0, 1));
  pk_geometry *all[] = {box, cone, cylinder, capsule, plane};
  for (int i = 0; i < 5; i++) {
    pk_geometry_destroy(all[i]);
  }
}

static void reach_cuts_what_is_outside_only(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int i = 0; i < CONVEX_KIND_COUNT; i++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[i]);
    double d, n[3], p[3] = {0, 0, g->box.max[2] + 1};
    d = distance_of(g, p, n);
    assert_at_least(d, 1 - 1e-12);
    assert_false(pki_geometry_point(g, p, 0.9, &d, n));
    assert_true(pki_geometry_point(g, p, 2 * d, &d, n));
    assert_true(pki_geometry_point(g, V3(0, 0, 0), -1, &d, n));
    assert_less(d, 0);
    p[1] = NAN;
    assert_false(pki_geometry_point(g, p, INFINITY, &d, n));
    pk_geometry_destroy(g);
  }
}

/* The box as box, as hull and as mesh. */
static void one_box_has_one_distance(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  for (int round = 0; round < 20; round++) {
    const double size = pow(10, pki_random_between(&rng, -5, 5));
    double full[3];
    for (int k = 0; k < 3; k++) {
      full[k] = size * pki_random_between(&rng, 0.1, 1);
    }
    pk_geometry *box = shape(PK_SHAPE_BOX, full[0], full[1], full[2]);
    int triangle[36];
    for (int f = 0; f < 6; f++) {
      const int *l = box->hull->loop + 4 * f, two[6] = {l[0], l[1], l[2], l[0], l[2], l[3]};
      memcpy(triangle + 6 * f, two, sizeof two);
    }
    const pk_mesh m = {
        .name = "box", .nvertex = 8, .ntriangle = 12, .vertex = box->hull->vertex, .triangle = triangle};
    pk_geometry *same[2] = {made(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &m}),
                            made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &m})};
    for (int i = 0; i < 500; i++) {
      double p[3], n[3], other[3];
      for (int k = 0; k < 3; k++) {
        p[k] = pki_random_between(&rng, -1, 1) * size;
        p[k] = i % 3 == 0 ? p[k] : 0.7 * full[k] * (p[k] / size);
      }
      const double d = distance_of(box, p, n);
      for (int k = 0; k < 2; k++) {
        assert_near(distance_of(same[k], p, other), d, 1e-14 * size);
        if (fabs(d) > 1e-3 * size) {
          assert_near3(other, n, 1e-10);
        }
      }
    }
    pk_geometry_destroy(box), pk_geometry_destroy(same[0]), pk_geometry_destroy(same[1]);
  }
}

/* An open sheet has no inside. */
static void a_sheet_is_outside_on_both_sides(void **state)
{
  (void)state;
  const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const pk_mesh mesh = {
      .name = "sheet", .nvertex = 3, .ntriangle = 1, .vertex = points, .triangle = (const int[3]){0, 1, 2}};
  pk_geometry *g = made(&(pk_geometry_desc){.kind = PK_SHAPE_MESH, .mesh = &mesh});
  expect(g, V3(0.2, 0.2, 0.5), 0.5, V3(0, 0, 1));
  expect(g, V3(0.2, 0.2, -0.5), 0.5, V3(0, 0, -1));
  expect(g, V3(0.2, 0.2, 0), 0, V3(0, 0, 1));
  double d, n[3];
  assert_false(pki_geometry_point(g, V3(0.2, 0.2, 0.5), 0.4, &d, n));
  pk_geometry_destroy(g);
}

static void heights_are_asked_too(void **state)
{
  (void)state;
  const double z[4] = {1, 1, 1, 1};
  pk_geometry *g =
      made(&(pk_geometry_desc){.kind = PK_SHAPE_HEIGHTS, .nx = 2, .ny = 2, .cell = 4, .heights = z});
  expect(g, V3(1, 2, 1.5), 0.5, V3(0, 0, 1));
  expect(g, V3(1, 2, 0.5), -0.5, V3(0, 0, 1));
  pk_geometry_destroy(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_are_exact_and_smooth),
      cmocka_unit_test(distances_agree_with_the_supports_of_many_directions),
      cmocka_unit_test(big_hulls_have_the_distance_of_their_nearest_triangle),
      cmocka_unit_test(ellipsoids_give_back_surface_points),
      cmocka_unit_test(ellipsoid_of_equal_axes_is_a_sphere),
      cmocka_unit_test(the_middle_of_a_disc_is_half_its_thickness_deep),
      cmocka_unit_test(corners_centres_and_axes_have_a_normal),
      cmocka_unit_test(reach_cuts_what_is_outside_only),
      cmocka_unit_test(one_box_has_one_distance),
      cmocka_unit_test(a_sheet_is_outside_on_both_sides),
      cmocka_unit_test(heights_are_asked_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
