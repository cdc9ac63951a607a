/* What meshes become when only convex shapes are to collide: hulls with few vertices, against brute force. */
#include "collision/meshes.h"
#include "collision/shapes.h"
#include "collision/shapes/hull.h"

#include "support/bounds.h"

static pk_convex_parts *convex(const mesh *m, const pk_convex_options *options)
{
  const pk_mesh view = mesh_view(m);
  pk_convex_parts *parts = NULL;
  pk_error err = {.message = ""};
  if (pk_mesh_convex_parts(&view, options, &parts, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return parts;
}

static double volume_of(const pk_mesh *m)
{
  double six = 0;
  for (int i = 0; i < m->ntriangle; i++) {
    const int *t = m->triangle + 3 * i;
    double w[3];
    pki_cross3(m->vertex + 3 * t[1], m->vertex + 3 * t[2], w);
    six += pki_dot3(m->vertex + 3 * t[0], w);
  }
  return six / 6;
}

static pk_geometry *geometry_of(const pk_mesh *m)
{
  pk_geometry *g;
  pk_error err;
  if (pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = m}, &g, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return g;
}

/* How far the vertices of a mesh lie outside of a convex one, by the distance of points. */
static double outside_of(const mesh *m, const pk_mesh *hull)
{
  pk_geometry *g = geometry_of(hull);
  double most = 0, distance, normal[3];
  for (int i = 0; i < m->nvertex; i++) {
    assert_true(pki_geometry_point(g, m->vertex + 3 * i, INFINITY, &distance, normal));
    most = fmax(most, distance);
  }
  pk_geometry_destroy(g);
  return most;
}

static void assert_vertices_of(const pk_mesh *hull, const mesh *m)
{
  for (int v = 0; v < hull->nvertex; v++) {
    bool found = false;
    for (int i = 0; i < m->nvertex && !found; i++) {
      found = memcmp(hull->vertex + 3 * v, m->vertex + 3 * i, 3 * sizeof(double)) == 0;
    }
    assert_true(found);
  }
}

/* 128 corners spread evenly over a sphere leave caps 0.0195 of the radius high. Taking the farthest point again and again
 * covers with at most twice the least distance (Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985), and
 * a cap's height goes with its square. */
static void test_a_ball_of_many_vertices_keeps_128_and_says_how_far_it_shrank(void **state)
{
  (void)state;
  mesh m = mesh_ball(0.1, 100, 60);
  pk_convex_parts *parts = convex(&m, NULL);
  assert_int_equal(parts->count, 1);
  assert_int_equal(parts->parts[0].nvertex, 128);
  assert_vertices_of(&parts->parts[0], &m);
  assert_near(parts->size, 0.2, 2e-4);
  assert_near(parts->error, outside_of(&m, &parts->parts[0]), 1e-12);
  assert_at_most(parts->error, 4 * 0.0195 * 0.1);
  assert_at_least(parts->error, 0.0195 * 0.1);
  pk_convex_parts_destroy(parts);
  mesh_free(&m);
}

static void test_a_hull_with_few_vertices_stays_as_it_is(void **state)
{
  (void)state;
  mesh m = mesh_join(mesh_box(0.3, 0.2, 0.1, 1, 0, 0), mesh_box(0.1, 0.1, 0.05, 1, 0, 0)); /* one inside */
  pk_convex_parts *parts = convex(&m, NULL);
  assert_int_equal(parts->parts[0].nvertex, 8);
  assert_near(volume_of(&parts->parts[0]), 0.6 * 0.4 * 0.2, 1e-15);
  assert_near(parts->error, 0, 1e-12);
  pk_convex_parts_destroy(parts);
  mesh_free(&m);
}

/* Without a tolerance, and with room, it is the hull of quickhull. */
static void test_random_points_have_the_hull_of_quickhull_without_a_tolerance(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  mesh m = mesh_room(2000, 0);
  for (int i = 0; i < 3 * m.nvertex; i++) {
    m.vertex[i] = pki_random_between(&rng, -1, 1) * (i % 3 == 2 ? 0.1 : 1);
  }
  pk_convex_options o = pk_convex_options_default();
  o.tolerance = 0, o.max_vertices = 2000;
  pk_convex_parts *parts = convex(&m, &o);
  pki_hull *whole;
  assert_int_equal(pki_hull_create(m.vertex, m.nvertex, &whole, NULL), PK_OK);
  assert_int_equal(parts->parts[0].nvertex, whole->nvertex);
  assert_near(parts->error, 0, 1e-8);
  pki_hull_destroy(whole);
  pk_convex_parts_destroy(parts);
  mesh_free(&m);
}

static void test_vertices_are_taken_until_the_tolerance_is_met(void **state)
{
  (void)state;
  mesh m = mesh_ball(1, 60, 40);
  pk_convex_options o = pk_convex_options_default();
  o.tolerance = 0.03, o.max_vertices = 1000;
  pk_convex_parts *parts = convex(&m, &o);
  assert_less(parts->parts[0].nvertex, 128);
  assert_at_most(parts->error, 0.03 * parts->size);
  pk_convex_parts_destroy(parts);
  mesh_free(&m);
}

static void test_the_same_mesh_gives_the_same_hull_to_the_bit(void **state)
{
  (void)state;
  mesh m = mesh_torus(0.3, 0.1, 80, 40);
  pk_convex_parts *one = convex(&m, NULL), *two = convex(&m, NULL);
  assert_int_equal(one->parts[0].nvertex, two->parts[0].nvertex);
  assert_memory_equal(one->parts[0].vertex, two->parts[0].vertex,
                      3 * (size_t)one->parts[0].nvertex * sizeof(double));
  pk_convex_parts_destroy(one);
  pk_convex_parts_destroy(two);
  mesh_free(&m);
}

/* ---- parts ---- */

/* A prism over a polygon of n corners, counter-clockwise, whose caps are the given triangles; from z = 0 to 1. */
static mesh prism(const double (*corner)[2], int n, const int (*cap)[3], int ncap)
{
  mesh m = mesh_room(2 * n, 2 * n + 2 * ncap);
  int *t = m.triangle;
  for (int i = 0; i < n; i++) {
    const int j = (i + 1) % n;
    for (int top = 0; top < 2; top++) {
      double *x = m.vertex + 3 * (top * n + i);
      x[0] = corner[i][0], x[1] = corner[i][1], x[2] = top;
    }
    t[0] = i, t[1] = j, t[2] = n + j, t[3] = i, t[4] = n + j, t[5] = n + i, t += 6;
  }
  for (int i = 0; i < ncap; i++, t += 6) {
    t[0] = cap[i][0], t[1] = cap[i][2], t[2] = cap[i][1];
    t[3] = n + cap[i][0], t[4] = n + cap[i][1], t[5] = n + cap[i][2];
  }
  return m;
}

static pk_convex_parts *parts_of(const mesh *m)
{
  pk_convex_options o = pk_convex_options_default();
  o.max_parts = 16, o.max_vertices = 64;
  return convex(m, &o);
}

static double volume_of_parts(const pk_convex_parts *p)
{
  double sum = 0;
  for (int i = 0; i < p->count; i++) {
    sum += volume_of(&p->parts[i]);
  }
  return sum;
}

/* How far a point lies outside of all parts, or inside of one (negative: how deep). */
static double from_parts(pk_geometry *const *g, int n, const double x[3])
{
  double least = INFINITY, distance, normal[3];
  for (int i = 0; i < n; i++) {
    assert_true(pki_geometry_point(g[i], x, INFINITY, &distance, normal));
    least = fmin(least, distance);
  }
  return least;
}

/* Every vertex of the mesh is at the parts: nowhere farther outside than `outside`. */
static void assert_covers(const pk_convex_parts *p, const mesh *m, double outside)
{
  pk_geometry *g[64];
  assert_at_most(p->count, 64);
  for (int i = 0; i < p->count; i++) {
    g[i] = geometry_of(&p->parts[i]);
  }
  for (int i = 0; i < m->nvertex; i++) {
    assert_at_most(from_parts(g, p->count, m->vertex + 3 * i), outside);
  }
  for (int i = 0; i < p->count; i++) {
    pk_geometry_destroy(g[i]);
  }
}

static void test_an_ell_becomes_two_boxes(void **state)
{
  (void)state;
  static const double corner[6][2] = {{0, 0}, {2, 0}, {2, 0.7}, {0.6, 0.7}, {0.6, 2}, {0, 2}};
  static const int cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  mesh m = prism(corner, 6, cap, 4);
  pk_convex_parts *p = parts_of(&m);
  assert_int_equal(p->count, 2);
  assert_near(volume_of_parts(p), 2 * 0.7 + 0.6 * 1.3, 1e-12);
  assert_covers(p, &m, 1e-12);
  assert_near(p->concavity, 0, 1e-12);
  pk_convex_parts_destroy(p);
  mesh_free(&m);
}

static void test_a_u_becomes_few_boxes_and_its_channel_is_free(void **state)
{
  (void)state;
  static const double corner[8][2] = {{0, 0},     {3, 0},     {3, 2},   {2.2, 2},
                                      {2.2, 0.5}, {0.9, 0.5}, {0.9, 2}, {0, 2}};
  static const int cap[6][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {0, 4, 5}, {0, 5, 7}, {5, 6, 7}};
  mesh m = prism(corner, 8, cap, 6);
  pk_convex_parts *p = parts_of(&m);
  assert_at_most(p->count, 4); /* 3, and one more when the first cut is through the channel */
  assert_near(volume_of_parts(p), 3 * 0.5 + 1.5 * (0.9 + 0.8), 1e-12);
  assert_covers(p, &m, 1e-12);
  pk_geometry *g[4];
  for (int i = 0; i < p->count; i++) {
    g[i] = geometry_of(&p->parts[i]);
  }
  assert_near(from_parts(g, p->count, (double[3]){1.55, 1.5, 0.5}), 0.65, 1e-9); /* to both sides */
  for (int i = 0; i < p->count; i++) {
    pk_geometry_destroy(g[i]);
  }
  pk_convex_parts_destroy(p);
  mesh_free(&m);
}

/* 16 parts of a ring with a hole of 0.2 m. Its volume is 2 pi^2 R r^2; that of the whole hull is a third more. */
static void test_a_torus_keeps_its_hole(void **state)
{
  (void)state;
  const double R = 0.3, r = 0.1, pi = 3.141592653589793;
  mesh m = mesh_torus(R, r, 64, 32);
  pk_convex_parts *p = parts_of(&m), *whole = convex(&m, NULL);
  const double volume = 2 * pi * pi * R * r * r, hull = volume_of(&whole->parts[0]);
  assert_greater(p->count, 4);
  assert_at_most(p->count, 16);
  assert_less(volume_of_parts(p), volume + 0.25 * (hull - volume));
  assert_greater(volume_of_parts(p), 0.93 * volume);
  assert_covers(p, &m, p->error + 1e-12);
  assert_less(p->error, 0.01);
  assert_less(p->concavity, 0.5 * r);
  pk_geometry *g[16];
  for (int i = 0; i < p->count; i++) {
    g[i] = geometry_of(&p->parts[i]);
  }
  assert_greater(from_parts(g, p->count, (double[3]){0, 0, 0}), R - r - p->concavity - 0.01);
  for (int i = 0; i < p->count; i++) {
    pk_geometry_destroy(g[i]);
  }
  pk_convex_parts_destroy(p);
  pk_convex_parts_destroy(whole);
  mesh_free(&m);
}

static void test_a_convex_body_is_one_part_and_so_is_one_with_a_hollow_that_nobody_sees(void **state)
{
  (void)state;
  mesh ball = mesh_ball(0.2, 40, 20), hollow = mesh_box(0.15, 0.15, 0.15, 0, 0, 0);
  pk_convex_parts *p = parts_of(&ball);
  assert_int_equal(p->count, 1);
  pk_convex_parts_destroy(p);
  mesh_turn_all(&hollow);
  mesh box = mesh_join(mesh_box(0.2, 0.2, 0.2, 0, 0, 0), hollow);
  p = parts_of(&box);
  assert_int_equal(p->count, 1);
  assert_near(volume_of_parts(p), 0.4 * 0.4 * 0.4, 1e-12);
  pk_convex_parts_destroy(p);
  mesh_free(&ball);
  mesh_free(&box);
}

static void test_parts_are_bounded_in_number_and_vertices_and_repeat_to_the_bit(void **state)
{
  (void)state;
  mesh m = mesh_torus(0.3, 0.1, 64, 32);
  pk_convex_options o = pk_convex_options_default();
  o.max_parts = 5, o.max_vertices = 20;
  pk_convex_parts *one = convex(&m, &o), *two = convex(&m, &o);
  assert_int_equal(one->count, 5);
  for (int i = 0; i < 5; i++) {
    const pk_mesh *a = &one->parts[i], *b = &two->parts[i];
    assert_at_most(a->nvertex, 20);
    assert_int_equal(a->nvertex, b->nvertex);
    assert_memory_equal(a->vertex, b->vertex, 3 * (size_t)a->nvertex * sizeof(double));
  }
  pk_convex_parts_destroy(one);
  pk_convex_parts_destroy(two);
  mesh_free(&m);
}

static void refuse(const mesh *m, const pk_convex_options *o, pk_status status, const char *message)
{
  const pk_mesh view = mesh_view(m);
  pk_convex_parts *parts;
  pk_error err;
  assert_int_equal(pk_mesh_convex_parts(&view, o, &parts, &err), status);
  assert_null(parts);
  assert_string_equal(err.message, message);
}

static void test_what_cannot_be_made_convex_is_refused(void **state)
{
  (void)state;
  mesh box = mesh_box(1, 1, 1, 0, 0, 0), flat = mesh_box(1, 1, 0, 0, 0, 0), none = {0};
  pk_convex_options o = pk_convex_options_default();
  refuse(&flat, &o, PK_ERROR_MESH,
         "the 8 points of a convex hull lie in a plane (to 1e-09 of their extent); a hull needs a volume");
  refuse(&none, &o, PK_ERROR_ARGUMENT, "a mesh with vertices is needed to make it convex");
  o.max_vertices = 7;
  refuse(&box, &o, PK_ERROR_ARGUMENT, "max_vertices is 7, expected 8 to 10000");
  o = pk_convex_options_default();
  o.tolerance = NAN;
  refuse(&box, &o, PK_ERROR_ARGUMENT, "tolerance is nan, expected 0 to 1, a part of the mesh's size");
  o = pk_convex_options_default();
  o.max_parts = 0;
  refuse(&box, &o, PK_ERROR_ARGUMENT, "max_parts is 0, expected 1 to 1024");
  o = pk_convex_options_default();
  o.concavity = 2;
  refuse(&box, &o, PK_ERROR_ARGUMENT, "concavity is 2, expected 0 to 1, a part of the mesh's size");
  mesh_free(&box);
  mesh_free(&flat);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ball_of_many_vertices_keeps_128_and_says_how_far_it_shrank),
      cmocka_unit_test(test_a_hull_with_few_vertices_stays_as_it_is),
      cmocka_unit_test(test_random_points_have_the_hull_of_quickhull_without_a_tolerance),
      cmocka_unit_test(test_vertices_are_taken_until_the_tolerance_is_met),
      cmocka_unit_test(test_the_same_mesh_gives_the_same_hull_to_the_bit),
      cmocka_unit_test(test_an_ell_becomes_two_boxes),
      cmocka_unit_test(test_a_u_becomes_few_boxes_and_its_channel_is_free),
      cmocka_unit_test(test_a_torus_keeps_its_hole),
      cmocka_unit_test(test_a_convex_body_is_one_part_and_so_is_one_with_a_hollow_that_nobody_sees),
      cmocka_unit_test(test_parts_are_bounded_in_number_and_vertices_and_repeat_to_the_bit),
      cmocka_unit_test(test_what_cannot_be_made_convex_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
