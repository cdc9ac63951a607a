/* Farthest points and faces of convex shapes. */
#include "collision/shapes.h"

#include "support/bounds.h"
#include "support/pace.h"

/* A point within a core, not by its support. */
static void random_point_of(pki_random *rng, const pk_geometry *g, double p[3])
{
  const double a = pki_random_between(rng, 0, 6.283185307179586), r = g->radius, h = g->half_length;
  double d[3];
  random_direction(rng, d);
  switch (g->kind) {
  case PK_SHAPE_SPHERE: p[0] = p[1] = p[2] = 0; break;
  case PK_SHAPE_CAPSULE: p[0] = p[1] = 0, p[2] = pki_random_between(rng, -h, h); break;
  case PK_SHAPE_CYLINDER: p[0] = r * cos(a), p[1] = r * sin(a), p[2] = pki_random_between(rng, -h, h); break;
  case PK_SHAPE_CONE: {
    const double w = pki_random_unit(rng);
    p[0] = w * r * cos(a), p[1] = w * r * sin(a), p[2] = h - 2 * h * w;
    break;
  }
  case PK_SHAPE_ELLIPSOID:
    for (int k = 0; k < 3; k++) {
      p[k] = g->half[k] * d[k];
    }
    break;
  case PK_SHAPE_BOX:
    for (int k = 0; k < 3; k++) {
      p[k] = pki_random_between(rng, -g->half[k], g->half[k]);
    }
    break;
  default:
    memcpy(p, g->hull->vertex + 3 * (pki_random_bits(rng) % (unsigned)g->hull->nvertex), 3 * sizeof *p);
  }
}

/* On the core: the point's distance there is zero (less the rounding). */
static void supports_are_on_the_shape_and_nothing_is_farther(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  for (int round = 0; round < PACE(700, 140); round++) {
    pk_geometry *g = random_shape(&rng, CONVEX_KINDS[round % CONVEX_KIND_COUNT]);
    const pk_pose pose = random_pose(&rng, 3);
    const pki_convex c = pki_convex_of(g, &pose);
    for (int i = 0; i < 20; i++) {
      double d[3], s[3], local[3], distance, normal[3];
      random_direction(&rng, d);
      if (i < 6) {
        d[0] = d[1] = d[2] = 0;
        d[i / 2] = i % 2 ? 1 : -1;
        pki_mat3_apply(pose.rot, d, d); /* along its own axes */
      }
      const int v = pki_convex_support(&c, d, -1, s);
      for (int k = 0; k < 3; k++) {
        local[k] = s[k] - pose.pos[k];
      }
      pki_mat3_apply_transposed(pose.rot, local, local);
      assert_true(pki_geometry_point(g, local, INFINITY, &distance, normal));
      assert_near(distance, -c.rounding, 1e-13);
      if (g->kind == PK_SHAPE_BOX || g->kind == PK_SHAPE_CONVEX) {
        assert_near3(g->hull->vertex + 3 * v, local, 1e-14);
      }
      for (int k = 0; k < 100; k++) {
        double p[3];
        random_point_of(&rng, g, p);
        pki_mat3_apply(pose.rot, p, p);
        assert_at_most(pki_dot3(d, p) + pki_dot3(d, pose.pos), pki_dot3(d, s) + 1e-13);
      }
    }
    pk_geometry_destroy(g);
  }
}

/* Big hulls are climbed: whatever the hint, the answer is that of looking at every vertex. */
static void climbing_finds_the_farthest_vertex_from_every_hint(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(2);
  static double points[3 * 2000];
  for (int round = 0; round < 6; round++) {
    random_points(&rng, 2000, V3(1, round % 2 ? 1e-3 : 1, round % 3 ? 1 : 30), points);
    for (int i = 0; i < 2000 && round > 2; i++) {
      random_direction(&rng, points + 3 * i); /* all of them corners */
    }
    pk_geometry *g = convex_of(points, 2000);
    const pki_hull *h = g->hull;
    assert_greater(h->nvertex, 32);
    for (int i = 0; i < PACE(2000, 300); i++) {
      double d[3];
      random_direction(&rng, d);
      if (i % 4 == 0) { /* a face's normal: a plateau */
        memcpy(d, h->plane + 4 * (i % h->nface), sizeof d);
      }
      int best = 0;
      for (int v = 1; v < h->nvertex; v++) {
        best = pki_dot3(h->vertex + 3 * v, d) > pki_dot3(h->vertex + 3 * best, d) ? v : best;
      }
      const int hint = (int)(pki_random_bits(&rng) % (unsigned)h->nvertex);
      const int found = pki_hull_support(h, d, hint), again = pki_hull_support(h, d, -1);
      const double most = pki_dot3(h->vertex + 3 * best, d);
      assert_near(pki_dot3(h->vertex + 3 * found, d), most, 1e-14 * g->bound);
      assert_near(pki_dot3(h->vertex + 3 * again, d), most, 1e-14 * g->bound);
      if (i % 4 != 0) {
        assert_int_equal(found, best);
        assert_int_equal(again, best);
      }
    }
    pk_geometry_destroy(g);
  }
}

/* A prism of many sides, which stands level: its top is a plateau, and its first vertex the answer. */
static void equal_vertices_give_the_first_from_every_hint(void **state)
{
  (void)state;
  double points[3 * 128];
  for (int i = 0; i < 128; i++) {
    const int side = i / 2;
    const double a = 6.283185307179586 * side / 64;
    memcpy(points + 3 * i, V3(cos(a), sin(a), i % 2), 3 * sizeof *points);
  }
  pk_geometry *g = convex_of(points, 128);
  assert_int_equal(g->hull->nvertex, 128);
  assert_int_equal(g->hull->nface, 66);
  for (int hint = -1; hint < 128; hint++) {
    assert_int_equal(pki_hull_support(g->hull, V3(0, 0, 1), hint), 1);
    assert_int_equal(pki_hull_support(g->hull, V3(0, 0, -2), hint), 0);
  }
  pk_geometry_destroy(g);
}

/* ---- faces ---- */

static pki_face face_of(const pk_geometry *g, const pk_pose *pose, double x, double y, double z, double tilt)
{
  const pki_convex c = pki_convex_of(g, pose);
  double d[3];
  pki_mat3_apply(pose->rot, V3(x, y, z), d);
  pki_face f;
  pki_convex_face(&c, d, tilt, &f);
  assert_at_least(f.count, 1);
  assert_at_most(f.count, PKI_FACE_MOST);
  assert_near(pki_dot3(f.normal, f.normal), 1, 1e-14);
  /* a face goes counter-clockwise around its normal, and looks along the direction */
  if (f.count > 2) {
    assert_at_least(pki_dot3(f.normal, d), cos(tilt) * sqrt(pki_dot3(d, d)) - 1e-12);
  }
  for (int k = 0; k < f.count && f.count > 2; k++) {
    const double *a = f.point[k], *b = f.point[(k + 1) % f.count], *e = f.point[(k + 2) % f.count];
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
      u[i] = b[i] - a[i], v[i] = e[i] - b[i];
    }
    pki_cross3(u, v, w);
    assert_at_least(pki_dot3(w, f.normal), -1e-12);
  }
  for (int k = 0; k < f.count; k++) { /* back into the shape's frame */
    double *p = f.point[k];
    for (int i = 0; i < 3; i++) {
      p[i] -= pose->pos[i];
    }
    pki_mat3_apply_transposed(pose->rot, p, p);
    for (int j = 0; j < k; j++) {
      assert_int_not_equal(f.id[j], f.id[k]);
    }
  }
  return f;
}

static void a_box_shows_a_face_an_edge_or_a_corner(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  pk_geometry *g = shape(PK_SHAPE_BOX, 2, 4, 6);
  for (int round = 0; round < 20; round++) {
    const pk_pose pose = random_pose(&rng, 2);
    pki_face f = face_of(g, &pose, 0.02, -0.03, -1, 0.05);
    assert_int_equal(f.count, 4);
    for (int k = 0; k < 4; k++) {
      assert_near(f.point[k][2], -3, 1e-14);
      assert_near3(f.point[k], g->hull->vertex + 3 * f.id[k], 1e-14);
    }
    f = face_of(g, &pose, 1, 0.02, -1, 0.05);
    assert_int_equal(f.count, 2);
    assert_true((f.id[0] | f.id[1]) == 3 && (f.id[0] & f.id[1]) == 1); /* x > 0, z < 0 */
    f = face_of(g, &pose, 1, 1, -1, 0.05);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.id[0], 3);
  }
  pk_geometry_destroy(g);
}

static void hulls_show_what_is_farthest(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  for (int round = 0; round < PACE(300, 60); round++) {
    pk_geometry *g = random_shape(&rng, PK_SHAPE_CONVEX);
    const pk_pose pose = random_pose(&rng, 2);
    for (int i = 0; i < 30; i++) {
      double d[3];
      random_direction(&rng, d);
      const double tilt = 0.03;
      const int f0 = i % g->hull->nface;
      if (i % 2) {
        memcpy(d, g->hull->plane + 4 * f0, sizeof d);
      }
      const pki_face f = face_of(g, &pose, d[0], d[1], d[2], tilt);
      double most = -INFINITY;
      for (int v = 0; v < g->hull->nvertex; v++) {
        most = fmax(most, pki_dot3(d, g->hull->vertex + 3 * v));
      }
      for (int k = 0; k < f.count; k++) {
        assert_at_most(most - pki_dot3(d, f.point[k]), 2 * g->bound * sin(tilt) + 1e-12);
        assert_near3(f.point[k], g->hull->vertex + 3 * f.id[k], 1e-13);
      }
      if (i % 2) {
        assert_int_equal(f.count, g->hull->face_start[f0 + 1] - g->hull->face_start[f0]);
      }
    }
    pk_geometry_destroy(g);
  }
}

static void round_shapes_show_rims_lines_and_points(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  pk_geometry *cylinder = shape(PK_SHAPE_CYLINDER, 1, 4, 0), *cone = shape(PK_SHAPE_CONE, 1, 2, 0),
              *capsule = shape(PK_SHAPE_CAPSULE, 1, 4, 0), *ball = shape(PK_SHAPE_SPHERE, 1, 0, 0),
              *egg = shape(PK_SHAPE_ELLIPSOID, 1, 2, 3);
  for (int round = 0; round < 20; round++) {
    const pk_pose pose = random_pose(&rng, 2);
    pki_face f;
    for (int up = -1; up <= 1; up += 2) {
      f = face_of(cylinder, &pose, 0.01, 0, up, 0.05);
      assert_int_equal(f.count, PKI_RIM);
      for (int k = 0; k < f.count; k++) {
        const double a = 6.283185307179586 * (f.id[k] % PKI_RIM) / PKI_RIM;
        assert_near3(f.point[k], V3(cos(a), sin(a), 2 * up), 1e-14);
      }
      f = face_of(cylinder, &pose, 3, 4, 5 * up, 0.05);
      assert_int_equal(f.count, 1);
      assert_near3(f.point[0], V3(0.6, 0.8, 2 * up), 1e-14);
      f = face_of(capsule, &pose, 3, 4, 5 * up, 0.05);
      assert_int_equal(f.count, 1);
      assert_near3(f.point[0], V3(0, 0, 2 * up), 1e-14);
    }
    f = face_of(cylinder, &pose, 3, 4, 0.1, 0.05);
    assert_int_equal(f.count, 2);
    assert_near3(f.point[0], V3(0.6, 0.8, -2), 1e-14);
    assert_near3(f.point[1], V3(0.6, 0.8, 2), 1e-14);
    f = face_of(capsule, &pose, 3, 4, 0.1, 0.05);
    assert_int_equal(f.count, 2);
    f = face_of(cone, &pose, 0.01, 0.01, -1, 0.05);
    assert_int_equal(f.count, PKI_RIM);
    f = face_of(cone, &pose, 2 * 0.6, 2 * 0.8, 1.02, 0.05); /* along the side's normal */
    assert_int_equal(f.count, 2);
    assert_near3(f.point[0], V3(0, 0, 1), 1e-14);
    assert_near3(f.point[1], V3(0.6, 0.8, -1), 1e-14);
    f = face_of(cone, &pose, 0.1, 0.1, 1, 0.05);
    assert_int_equal(f.count, 1);
    assert_near3(f.point[0], V3(0, 0, 1), 1e-14);
    f = face_of(cone, &pose, 3, 4, -1, 0.05);
    assert_int_equal(f.count, 1);
    assert_near3(f.point[0], V3(0.6, 0.8, -1), 1e-14);
    f = face_of(ball, &pose, 3, 4, -1, 0.05);
    assert_near3(f.point[0], V3(0, 0, 0), 1e-14);
    f = face_of(egg, &pose, 0, 0, -1, 0.05);
    assert_near3(f.point[0], V3(0, 0, -3), 1e-14);
  }
  pk_geometry *all[] = {cylinder, cone, capsule, ball, egg};
  for (int i = 0; i < 5; i++) {
    pk_geometry_destroy(all[i]);
  }
}

static pki_face points_face(const double *points, int n, const double d[3])
{
  const pk_pose pose = pk_pose_identity();
  const pki_convex c = pki_convex_points(points, n, &pose);
  pki_face f;
  pki_convex_face(&c, d, 0.05, &f);
  return f;
}

static void triangles_and_prisms_show_their_faces(void **state)
{
  (void)state;
  const double prism[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1};
  pki_face f = points_face(prism, 3, V3(0.01, 0, 1));
  assert_int_equal(f.count, 3);
  assert_near3(f.normal, V3(0, 0, 1), 1e-15);
  f = points_face(prism, 3, V3(0, 0, -1));
  assert_int_equal(f.count, 3);
  assert_near3(f.normal, V3(0, 0, -1), 1e-15);
  f = points_face(prism, 3, V3(1, 1, 0.3));
  assert_int_equal(f.count, 2);
  f = points_face(prism, 3, V3(1, 0.2, 0));
  assert_int_equal(f.count, 1);
  assert_int_equal(f.id[0], 1);
  f = points_face(prism, 6, V3(0, 0, 1));
  assert_int_equal(f.count, 3);
  f = points_face(prism, 6, V3(0.7, 0.7, 0.01));
  assert_int_equal(f.count, 4);
  assert_near3(f.normal, V3(sqrt(0.5), sqrt(0.5), 0), 1e-15);
  f = points_face(prism, 6, V3(-0.3, -1, 0.01));
  assert_int_equal(f.count, 2);
  assert_true(f.id[0] % 3 == 0 && f.id[1] % 3 == 0);
  /* on the edge line all is one edge: the middle point is none */
  const double line[9] = {0, 0, 0, 2, 0, 0, 1, 0, 0};
  f = points_face(line, 3, V3(0, 0, 1));
  assert_int_equal(f.count, 2);
  assert_int_equal(f.id[0] + f.id[1], 1);
  const double same[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  assert_int_equal(points_face(same, 3, V3(0, 1, 0)).count, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(supports_are_on_the_shape_and_nothing_is_farther),
      cmocka_unit_test(climbing_finds_the_farthest_vertex_from_every_hint),
      cmocka_unit_test(equal_vertices_give_the_first_from_every_hint),
      cmocka_unit_test(a_box_shows_a_face_an_edge_or_a_corner),
      cmocka_unit_test(hulls_show_what_is_farthest),
      cmocka_unit_test(round_shapes_show_rims_lines_and_points),
      cmocka_unit_test(triangles_and_prisms_show_their_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
