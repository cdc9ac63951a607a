/* Convex hulls against brute force and known solids. */
#include "collision/shapes.h"

#include "support/bounds.h"
#include "support/pace.h"

static pki_hull *hull_of(const double *points, int n)
{
  pki_hull *h;
  pk_error err;
  if (pki_hull_create(points, n, &h, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return h;
}

static double volume_of(const pki_hull *h)
{
  double six = 0;
  for (int f = 0; f < h->nface; f++) {
    const int *loop = h->loop + h->face_start[f], n = h->face_start[f + 1] - h->face_start[f];
    for (int k = 1; k + 1 < n; k++) {
      double w[3];
      pki_cross3(h->vertex + 3 * loop[k], h->vertex + 3 * loop[k + 1], w);
      six += pki_dot3(h->vertex + 3 * loop[0], w);
    }
  }
  return six / 6;
}

/* What the header promises of a hull. */
static void check_links(const pki_hull *h)
{
  assert_int_equal(h->nvertex - h->nedge + h->nface, 2);
  for (int f = 0; f < h->nface; f++) {
    assert_near(pki_dot3(h->plane + 4 * f, h->plane + 4 * f), 1, 1e-14);
    for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
      const int next = i + 1 < h->face_start[f + 1] ? i + 1 : h->face_start[f];
      const int *e = h->edge + 4 * h->loop_edge[i];
      const bool forward = e[0] == h->loop[i] && e[1] == h->loop[next] && e[2] == f;
      const bool backward = e[1] == h->loop[i] && e[0] == h->loop[next] && e[3] == f;
      assert_true(forward || backward);
    }
  }
  int total = 0;
  for (int v = 0; v < h->nvertex; v++) {
    assert_at_least(h->vertex_start[v + 1] - h->vertex_start[v], 3);
    for (int k = h->vertex_start[v]; k < h->vertex_start[v + 1]; k++, total++) {
      const int *e = h->edge + 4 * h->vertex_edge[k];
      const int after = k + 1 < h->vertex_start[v + 1] ? k + 1 : h->vertex_start[v];
      const int *n = h->edge + 4 * h->vertex_edge[after];
      assert_true(e[0] == v || e[1] == v);
      /* one after the other around the vertex: they share the face between them */
      assert_int_equal(e[0] == v ? e[2] : e[3], n[0] == v ? n[3] : n[2]);
    }
  }
  assert_int_equal(total, 2 * h->nedge);
}

/* Every point below every plane, every vertex one of the points and on the planes of its faces. */
static void check_hull(const pki_hull *h, const double *points, int n, double extent)
{
  check_links(h);
  for (int f = 0; f < h->nface; f++) {
    const double *p = h->plane + 4 * f;
    for (int i = 0; i < n; i++) {
      assert_at_most(pki_dot3(p, points + 3 * i) - p[3], 1e-9 * extent);
    }
    for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
      assert_near(pki_dot3(p, h->vertex + 3 * h->loop[i]), p[3], 1e-9 * extent);
    }
  }
  for (int v = 0; v < h->nvertex; v++) {
    bool found = false;
    for (int i = 0; i < n && !found; i++) {
      found = memcmp(h->vertex + 3 * v, points + 3 * i, 3 * sizeof(double)) == 0;
    }
    assert_true(found);
  }
}

static void the_hull_of_random_points_lies_around_all_of_them(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  static double points[3 * 400];
  for (int round = 0; round < PACE(300, 60); round++) {
    const int n = 4 + (int)(pki_random_unit(&rng) * 396);
    const double size = pow(10, pki_random_between(&rng, -6, 6));
    double stretch[3], far[3];
    for (int k = 0; k < 3; k++) {
      stretch[k] = size * pow(10, pki_random_between(&rng, -2, 0));
      far[k] = size * pki_random_between(&rng, -3, 3);
    }
    random_points(&rng, n, stretch, points);
    for (int i = 0; i < 3 * n; i++) {
      points[i] += far[i % 3];
    }
    pki_hull *h = hull_of(points, n);
    check_hull(h, points, n, size);
    pki_hull_destroy(h);
  }
}

static void coplanar_triangles_become_one_face(void **state)
{
  (void)state;
  /* a lattice in a box: only its corners and six faces are left */
  double points[3 * 343];
  int n = 0;
  for (int x = 0; x < 7; x++) {
    for (int y = 0; y < 7; y++) {
      for (int z = 0; z < 7; z++, n++) {
        points[3 * n] = 0.1 * x, points[3 * n + 1] = 0.3 * y, points[3 * n + 2] = 0.7 * z;
      }
    }
  }
  pki_hull *h = hull_of(points, n);
  check_hull(h, points, n, 4.2);
  assert_int_equal(h->nvertex, 8);
  assert_int_equal(h->nface, 6);
  assert_int_equal(h->nedge, 12);
  assert_near(volume_of(h), 0.6 * 1.8 * 4.2, 1e-12);
  pki_hull_destroy(h);
}

static void a_turned_lattice_has_six_faces_too(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  for (int round = 0; round < 20; round++) {
    double points[3 * 125];
    const pk_pose pose = random_pose(&rng, 1);
    for (int i = 0; i < 125; i++) {
      const int x = i % 5, y = i / 5 % 5, z = i / 25;
      const double p[3] = {0.2 * x, 0.3 * y, 0.01 * z};
      pki_mat3_apply(pose.rot, p, points + 3 * i);
    }
    pki_hull *h = hull_of(points, 125);
    check_hull(h, points, 125, 1.5);
    assert_near(volume_of(h), 0.8 * 1.2 * 0.04, 1e-12);
    assert_int_equal(h->nface, 6);
    pki_hull_destroy(h);
  }
}

static void known_solids_have_their_volumes_and_counts(void **state)
{
  (void)state;
  /* a dodecahedron: golden section; 20 corners, 12 pentagons */
  const double g = 0.5 * (1 + sqrt(5)), i = 1 / g;
  double points[60];
  int n = 0;
  for (int c = 0; c < 8; c++, n++) {
    for (int k = 0; k < 3; k++) {
      points[3 * n + k] = c >> k & 1 ? 1 : -1;
    }
  }
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 4; c++, n++) {
      points[3 * n + k] = 0;
      points[3 * n + (k + 1) % 3] = c & 1 ? i : -i;
      points[3 * n + (k + 2) % 3] = c & 2 ? g : -g;
    }
  }
  pki_hull *h = hull_of(points, n);
  check_hull(h, points, n, 4);
  assert_int_equal(h->nvertex, 20);
  assert_int_equal(h->nface, 12);
  assert_int_equal(h->nedge, 30);
  const double edge = 2 * i;
  assert_near(volume_of(h), (15 + 7 * sqrt(5)) / 4 * edge * edge * edge, 1e-13);
  pki_hull_destroy(h);
}

static void a_box_is_numbered_by_the_signs_of_its_corners(void **state)
{
  (void)state;
  const double half[3] = {1, 2, 3};
  pki_hull *h = pki_hull_box(half);
  check_hull(h, h->vertex, 8, 6);
  assert_near(volume_of(h), 48, 1e-13);
  for (int c = 0; c < 8; c++) {
    assert_near3(h->vertex + 3 * c, V3(c & 1 ? 1 : -1, c & 2 ? 2 : -2, c & 4 ? 3 : -3), 0);
  }
  for (int f = 0; f < 6; f++) {
    assert_near(h->plane[4 * f + f / 2], f % 2 ? 1 : -1, 0);
    assert_near(h->plane[4 * f + 3], half[f / 2], 0);
  }
  pki_hull_destroy(h);
}

/* Points of a sphere are all corners; many of them are as few to a hull. */
static void thousands_of_points_and_duplicates_are_fine(void **state)
{
  (void)state;
  const int n = PACE(8000, 2000);
  pki_random rng = pki_random_seeded(2);
  double *points = malloc(3 * sizeof *points * (size_t)(2 * n));
  assert_non_null(points);
  for (int i = 0; i < n; i++) {
    random_direction(&rng, points + 3 * i);
    memcpy(points + 3 * (n + i), points + 3 * i, 3 * sizeof *points);
  }
  pki_hull *h = hull_of(points, 2 * n);
  check_links(h);
  assert_int_equal(h->nvertex, n);
  assert_near(volume_of(h), 4.0 / 3 * acos(-1), 70.0 / n);
  pki_hull_destroy(h);
  free(points);
}

/* Slivers, almost flat and needle-thin clouds: a good hull or an error, and errors only near the limit. */
static void thin_clouds_give_a_good_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(3);
  int failed = 0;
  static double points[3 * 200];
  for (int round = 0; round < PACE(300, 100); round++) {
    const double thin = pow(10, pki_random_between(&rng, -7.5, -3));
    const double stretch[3] = {1, round % 2 ? thin : 1, thin};
    const pk_pose pose = random_pose(&rng, 1);
    const int n = 10 + round % 190;
    random_points(&rng, n, stretch, points);
    for (int i = 0; i < n; i++) {
      pki_mat3_apply(pose.rot, points + 3 * i, points + 3 * i);
    }
    pki_hull *h;
    pk_error err;
    if (pki_hull_create(points, n, &h, &err) != PK_OK) {
      failed++;
      continue;
    }
    check_hull(h, points, n, 1);
    pki_hull_destroy(h);
  }
  assert_int_equal(failed, 0);
}

/* Coordinates of float files: corners of facets that are flat to 1e-7 only. */
static void rounded_coordinates_give_a_good_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(4);
  static double points[3 * 300];
  for (int round = 0; round < PACE(100, 30); round++) {
    const pk_pose pose = random_pose(&rng, 1);
    for (int i = 0; i < 300; i++) {
      /* on a cylinder */
      const int level = i / 100;
      const double a = (i % 100) * 0.0628318530717958648, p[3] = {cos(a), sin(a), 0.5 * level};
      pki_mat3_apply(pose.rot, p, points + 3 * i);
      for (int k = 0; k < 3; k++) {
        points[3 * i + k] = (double)(float)points[3 * i + k];
      }
    }
    pki_hull *h = hull_of(points, 300);
    check_hull(h, points, 300, 2);
    assert_near(volume_of(h), 50 * sin(0.0628318530717958648), 1e-5);
    pki_hull_destroy(h);
  }
}

static void expect_refused(const double *points, int n, const char *word)
{
  pki_hull *h;
  pk_error err;
  assert_int_equal(pki_hull_create(points, n, &h, &err), PK_ERROR_MESH);
  assert_null(h);
  if (strstr(err.message, word) == NULL) {
    fail_msg("found \"%s\", expected \"%s\" in it", err.message, word);
  }
}

static void points_without_a_volume_are_refused(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(6);
  double points[3 * 50];
  for (int i = 0; i < 50; i++) {
    memcpy(points + 3 * i, V3(1, 2, 3), 3 * sizeof *points);
  }
  expect_refused(points, 50, "at the same place");
  for (int i = 0; i < 50; i++) {
    memcpy(points + 3 * i, V3(0.1 * i, 0.2 * i, 5 - 0.7 * i), 3 * sizeof *points);
  }
  expect_refused(points, 50, "on a line");
  for (int i = 0; i < 50; i++) {
    const double x = pki_random_normal(&rng), y = pki_random_normal(&rng);
    memcpy(points + 3 * i, V3(x, y, 0.3 * x - 0.7 * y), 3 * sizeof *points);
  }
  expect_refused(points, 50, "in a plane");
  expect_refused(points, 3, "4 or more");
  points[7] = NAN;
  expect_refused(points, 50, "coordinate 1 of point 2 is");
}

/* Points stand on each other's edges and faces, to a hair: qhull must merge or leave what it cannot tell apart. */
static void points_a_hair_from_faces_give_a_good_hull(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(7);
  static double points[3 * 260];
  for (int round = 0; round < PACE(200, 50); round++) {
    const double hair = pow(10, pki_random_between(&rng, -17, -8));
    const pk_pose pose = random_pose(&rng, 1);
    for (int i = 0; i < 260; i++) {
      double p[3];
      for (int k = 0; k < 3; k++) {
        p[k] = i < 8 ? (i >> k & 1 ? 1 : -1) : pki_random_between(&rng, -1, 1);
      }
      if (i >= 8) {
        p[i % 3] = i % 2 ? 1 : -1;
        p[(i + 1) % 3] = i % 5 == 0 ? 1 : p[(i + 1) % 3];
      }
      for (int k = 0; k < 3; k++) {
        p[k] += hair * pki_random_normal(&rng);
      }
      pki_mat3_apply(pose.rot, p, points + 3 * i);
    }
    pki_hull *h = hull_of(points, 260);
    check_hull(h, points, 260, 3);
    assert_near(volume_of(h), 8, 1e-6);
    pki_hull_destroy(h);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hull_of_random_points_lies_around_all_of_them),
      cmocka_unit_test(coplanar_triangles_become_one_face),
      cmocka_unit_test(a_turned_lattice_has_six_faces_too),
      cmocka_unit_test(known_solids_have_their_volumes_and_counts),
      cmocka_unit_test(a_box_is_numbered_by_the_signs_of_its_corners),
      cmocka_unit_test(thousands_of_points_and_duplicates_are_fine),
      cmocka_unit_test(thin_clouds_give_a_good_hull),
      cmocka_unit_test(rounded_coordinates_give_a_good_hull),
      cmocka_unit_test(points_without_a_volume_are_refused),
      cmocka_unit_test(points_a_hair_from_faces_give_a_good_hull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
