/* Planes, boxes, stairs and their unions. */
#include "collision/help.h"

#include "pronk/collision.h"
#include "support/bounds.h"

/* ---- planes ---- */

static void a_plane_gives_its_signed_distance(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, V3(1, 2, 0.5), V3(0, 0, 7), 3, NULL), PK_OK);
  expect_hit(t, V3(10, -3, 0.75), 0.25, V3(0, 0, 1), 0);
  expect_hit(t, V3(1e8, 1e8, -2), -2.5, V3(0, 0, 1), 0);
  expect_hit(t, V3(4, 4, 0.5), 0, V3(0, 0, 1), 0);
  assert_int_equal(pk_terrain_query(t, V3(0, 0, 0), 1).material, 3);
  pk_terrain_destroy(t);
}

static void a_slope_gives_its_signed_distance(void **state)
{
  (void)state;
  const double a = 0.2;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  /* lengths that would overflow or vanish when squared are directions too */
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0), V3(-1e200 * sin(a), 0, 1e200 * cos(a)), 0, NULL),
                   PK_OK);
  expect_hit(t, V3(3, 1, 2), 2 * cos(a) - 3 * sin(a), V3(-sin(a), 0, cos(a)), 1e-15);
  pk_terrain_destroy(t);
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0), V3(0, 1e-200, 0), 0, NULL), PK_OK);
  expect_hit(t, V3(3, 0.5, 2), 0.5, V3(0, 1, 0), 0);
  pk_terrain_destroy(t);
}

/* ---- boxes ---- */

static pk_terrain *box_at(const pk_pose *pose, const double size[3])
{
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_box(t, pose, size, 0, NULL), PK_OK);
  return t;
}

static void a_box_has_faces_edges_and_corners(void **state)
{
  (void)state;
  const pk_pose here = pk_pose_identity();
  pk_terrain *t = box_at(&here, V3(2, 4, 6));
  const double r2 = sqrt(0.5), r3 = sqrt(1.0 / 3);
  expect_hit(t, V3(0.3, 0.2, 3.5), 0.5, V3(0, 0, 1), 0);
  expect_hit(t, V3(-1.25, 1, -2), 0.25, V3(-1, 0, 0), 0);
  expect_hit(t, V3(2, 3, 0), sqrt(2), V3(r2, r2, 0), 1e-15);
  expect_hit(t, V3(-2, -3, -4), sqrt(3), V3(-r3, -r3, -r3), 1e-15);
  expect_hit(t, V3(0.75, 0, 0), -0.25, V3(1, 0, 0), 0);
  expect_hit(t, V3(0, -1.9375, 2.5), -0.0625, V3(0, -1, 0), 0);
  pk_terrain_destroy(t);
}

static void ties_in_a_box_go_to_the_face_that_looks_up(void **state)
{
  (void)state;
  const pk_pose here = pk_pose_identity();
  pk_terrain *t = box_at(&here, V3(2, 2, 2));
  expect_hit(t, V3(0, 0, 0), -1, V3(0, 0, 1), 0);   /* the centre of a cube */
  expect_hit(t, V3(1, 0, 1), 0, V3(0, 0, 1), 0);    /* on an edge */
  expect_hit(t, V3(-1, 1, 1), 0, V3(0, 0, 1), 0);   /* at a corner */
  expect_hit(t, V3(-1, 1, -1), 0, V3(-1, 0, 0), 0); /* at a lower corner: the sides tie, x comes first */
  expect_hit(t, V3(0, 0, -1), 0, V3(0, 0, -1), 0);  /* on a face */
  expect_hit(t, V3(0.5, 0.5, 0.5), -0.5, V3(0, 0, 1), 0);
  pk_terrain_destroy(t);
}

static void tiny_distances_keep_their_direction(void **state)
{
  (void)state;
  const pk_pose here = pk_pose_identity();
  pk_terrain *t = box_at(&here, V3(2, 2, 0x1p-29));
  expect_hit(t, V3(0, 0, 0x1p-29), 0x1p-30, V3(0, 0, 1), 0);
  expect_hit(t, V3(0, 0, 0x1p-30 + 0x1p-80), 0x1p-80, V3(0, 0, 1), 0);
  pk_terrain_destroy(t);
}

/* The smallest distance from p to a grid of n x n points on each face. */
static double distance_by_sampling(const pk_pose *pose, const double size[3], const double p[3], int n)
{
  double best = INFINITY;
  for (int face = 0; face < 6; face++) {
    const int k = face / 2, a = (k + 1) % 3, b = (k + 2) % 3;
    for (int i = 0; i <= n; i++) {
      for (int j = 0; j <= n; j++) {
        double x[3];
        x[k] = (face % 2 ? 0.5 : -0.5) * size[k];
        x[a] = size[a] * ((double)i / n - 0.5), x[b] = size[b] * ((double)j / n - 0.5);
        pki_mat3_apply(pose->rot, x, x);
        const double r[3] = {x[0] + pose->pos[0] - p[0], x[1] + pose->pos[1] - p[1],
                             x[2] + pose->pos[2] - p[2]};
        best = fmin(best, sqrt(pki_dot3(r, r)));
      }
    }
  }
  return best;
}

static void a_turned_box_agrees_with_dense_sampling(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(1);
  enum { N = 40 };
  for (int trial = 0; trial < 150; trial++) {
    const pk_pose pose = random_pose(&rng, 1);
    const double size[3] = {pki_random_between(&rng, 0.1, 2), pki_random_between(&rng, 0.1, 2),
                            pki_random_between(&rng, 0.1, 2)};
    pk_terrain *t = box_at(&pose, size);
    double x[3], p[3];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
      x[k] = pki_random_between(&rng, -1, 1) * size[k];
      inside &= fabs(x[k]) < 0.5 * size[k];
    }
    pki_mat3_apply(pose.rot, x, p);
    for (int k = 0; k < 3; k++) {
      p[k] += pose.pos[k];
    }
    const double d = pk_terrain_query(t, p, 100).distance, sampled = distance_by_sampling(&pose, size, p, N);
    assert_true((d < 0) == inside);
    /* some sample is within half a diagonal of a grid's cell of the nearest point */
    assert_at_most(fabs(d), sampled + 1e-14);
    assert_at_most(sampled, hypot(fabs(d), 2 * sqrt(0.5) / N) + 1e-14);
    check_distance(t, p, 1e-14);
    pk_terrain_destroy(t);
  }
}

static void a_box_far_from_the_origin_is_as_good_as_its_coordinates(void **state)
{
  (void)state;
  const double far = 1048576; /* 2^20: sums with small powers of two are exact */
  pk_pose pose = pk_pose_identity();
  pose.pos[0] = far, pose.pos[1] = -far, pose.pos[2] = far;
  pk_terrain *t = box_at(&pose, V3(2, 2, 2));
  expect_hit(t, V3(far + 0.5, -far, far + 1.0009765625), 0.0009765625, V3(0, 0, 1), 0);
  expect_hit(t, V3(far + 0.5, -far, far + 0.9990234375), -0.0009765625, V3(0, 0, 1), 0);
  pk_terrain_destroy(t);
}

/* ---- reach ---- */

static void nothing_beyond_reach_is_found(void **state)
{
  (void)state;
  const pk_pose here = pk_pose_identity();
  pk_terrain *t = box_at(&here, V3(2, 2, 2));
  assert_no_hit(pk_terrain_query(t, V3(0, 0, 1.5), 0.25));
  assert_near(pk_terrain_query(t, V3(0, 0, 1.5), 0.5).distance, 0.5, 0);
  assert_near(pk_terrain_query(t, V3(2, 2, 2), INFINITY).distance, sqrt(3), 1e-15);
  assert_no_hit(pk_terrain_query(t, V3(2, 2, 2), 1.7));
  /* points inside are found whatever the reach */
  assert_near(pk_terrain_query(t, V3(0, 0, 0.25), 0).distance, -0.75, 0);
  assert_near(pk_terrain_query(t, V3(0, 0, 0.25), -5).distance, -0.75, 0);
  assert_no_hit(pk_terrain_query(t, V3(0, 0, 1.5), -5));
  pk_terrain_destroy(t);
  pk_terrain_create(&t, NULL);
  assert_no_hit(pk_terrain_query(t, V3(0, 0, 0), INFINITY));
  pk_terrain_destroy(t);
}

static void a_point_that_is_not_a_number_hits_nothing(void **state)
{
  (void)state;
  const pk_pose here = pk_pose_identity();
  const double z[4] = {0, 0, 0, 0};
  pk_terrain *t = box_at(&here, V3(2, 2, 2));
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_heights(t, V3(0, 0, 0), 2, 2, 1, z, 0, NULL), PK_OK);
  for (int k = 0; k < 3; k++) {
    double p[3] = {0.5, 0.5, -0.1};
    assert_less(pk_terrain_query(t, p, 1).distance, 0);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
      p[k] = bad[i];
      assert_no_hit(pk_terrain_query(t, p, 1));
      assert_no_hit(pk_terrain_query(t, p, INFINITY));
    }
  }
  assert_no_hit(pk_terrain_query(t, V3(0.5, 0.5, -0.1), NAN));
  pk_terrain_destroy(t);
}

/* ---- unions ---- */

static void a_union_takes_the_smallest_distance_and_the_first_of_equals(void **state)
{
  (void)state;
  pk_pose pose = pk_pose_identity();
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0), V3(0, 0, 1), 1, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_box(t, &pose, V3(2, 2, 1), 2, NULL), PK_OK);
  pose.pos[0] = 0.5;
  assert_int_equal(pk_terrain_add_box(t, &pose, V3(2, 2, 1), 3, NULL), PK_OK);
  /* over the plane; over both boxes, which tie; over the second alone */
  assert_int_equal(pk_terrain_query(t, V3(-3, 0, 0.5), 1).material, 1);
  assert_int_equal(pk_terrain_query(t, V3(0.25, 0, 0.75), 1).material, 2);
  assert_int_equal(pk_terrain_query(t, V3(1.25, 0, 0.75), 1).material, 3);
  /* inside several, the deepest: 2 below the plane, 0.25 within the box */
  expect_hit(t, V3(0, 0, -0.25), -0.25, V3(0, 0, 1), 0);
  expect_hit(t, V3(0, 0, -0.4375), -0.4375, V3(0, 0, 1), 0);
  assert_int_equal(pk_terrain_query(t, V3(0, 0, -0.4375), 1).material, 1);
  assert_int_equal(pk_terrain_query(t, V3(0, 0, 0.125), 1).material, 2);
  pk_terrain_destroy(t);
}

/* ---- stairs ---- */

static pk_terrain *stairs(int count)
{
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0.5), V3(0, 0, 1), 0, NULL), PK_OK);
  assert_int_equal(pk_terrain_add_stairs(t, V3(1, 2, 0.5), 0.25, 0.125, 2, count, 1, NULL), PK_OK);
  return t;
}

static void stairs_have_treads_and_risers_where_they_are_asked_for(void **state)
{
  (void)state;
  pk_terrain *t = stairs(4);
  for (int i = 0; i < 4; i++) {
    const double x = 1 + 0.25 * i, top = 0.5 + 0.125 * (i + 1);
    /* over the middle of a tread; before the middle of a riser */
    expect_hit(t, V3(x + 0.125, 2, top + 0.0625), 0.0625, V3(0, 0, 1), 0);
    expect_hit(t, V3(x - 0.03125, 2.5, top - 0.0625), 0.03125, V3(-1, 0, 0), 0);
    /* a little below the tread */
    expect_hit(t, V3(x + 0.125, 2, top - 0.015625), -0.015625, V3(0, 0, 1), 0);
    expect_hit(t, V3(x + 0.015625, 2, top - 0.0625), -0.015625, V3(-1, 0, 0), 0);
  }
  /* sides and back */
  expect_hit(t, V3(1.875, 3.25, 0.875), 0.25, V3(0, 1, 0), 0);
  expect_hit(t, V3(2.125, 2, 0.9375), 0.125, V3(1, 0, 0), 0);
  pk_terrain_destroy(t);
}

/* Walking down into the stairs from any tread, the way out is up, until a riser is nearer. */
static void nothing_inside_stairs_pushes_sideways_under_a_tread(void **state)
{
  (void)state;
  pk_terrain *t = stairs(5);
  for (int i = 0; i < 5; i++) {
    for (int k = 1; k < 50; k++) {
      const double x = 1 + 0.25 * (i + k / 50.0), top = 0.5 + 0.125 * (i + 1);
      for (double deep = 0.001; deep < 0.004; deep += 0.001) {
        const pk_terrain_hit hit = pk_terrain_query(t, V3(x, 2, top - deep), 1);
        assert_near(hit.distance, -deep, 1e-15);
        assert_near3(hit.normal, V3(0, 0, 1), 0);
      }
    }
  }
  pk_terrain_destroy(t);
}

/* ---- any shape ---- */

static void add(pk_terrain *t, const pk_pose *pose, const pk_geometry_desc *desc)
{
  pk_error err = {.message = ""};
  if (pk_terrain_add_geometry(t, pose, desc, 1, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
}

static void any_shape_is_ground_where_it_is_put(void **state)
{
  (void)state;
  const pk_pose at = pk_pose_from_xyz_rpy(V3(1, 2, 3), V3(0, acos(0), 0)); /* z along x, x along -z */
  const double r = sqrt(0.5);
  const struct {
    pk_geometry_desc desc;
    double point[3], distance, normal[3];
  } cases[] = {
      {{.kind = PK_SHAPE_SPHERE, .size = {0.5}}, {1, 2, 4}, 0.5, {0, 0, 1}},
      {{.kind = PK_SHAPE_CYLINDER, .size = {0.5, 2}}, {2.25, 2, 3.125}, 0.25, {1, 0, 0}},
      {{.kind = PK_SHAPE_CAPSULE, .size = {0.5, 2}}, {3, 2, 4}, sqrt(2) - 0.5, {r, 0, r}},
      {{.kind = PK_SHAPE_ELLIPSOID, .size = {1, 2, 4}}, {1, 2, 5}, 1, {0, 0, 1}},
      {{.kind = PK_SHAPE_CONE, .size = {1, 2}}, {2.5, 2, 3}, 0.5, {1, 0, 0}},
      {{.kind = PK_SHAPE_PLANE}, {1.5, 7, -9}, 0.5, {1, 0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pk_terrain *t;
    pk_terrain_create(&t, NULL);
    add(t, &at, &cases[i].desc);
    expect_hit(t, cases[i].point, cases[i].distance, cases[i].normal, 1e-12);
    assert_no_hit(pk_terrain_query(t, cases[i].point, 0.9 * cases[i].distance));
    assert_int_equal(pk_terrain_query(t, cases[i].point, 9).material, 1);
    pk_terrain_destroy(t);
  }
}

/* A tetrahedron with legs of 1 m, its right corner at the origin, and what is left of it without one face. */
static const double tetra[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void a_mesh_is_solid_where_it_is_closed(void **state)
{
  (void)state;
  const pk_mesh mesh = {.name = "tetra", .nvertex = 4, .ntriangle = 4, .vertex = tetra, .triangle = faces};
  const pk_pose at = pk_pose_from_xyz_rpy(V3(5, 0, 0), V3(0, 0, 0));
  const double n = sqrt(1.0 / 3);
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_mesh(t, &at, &mesh, 2, NULL), PK_OK);
  expect_hit(t, V3(6, 1, 1), 2 * n, V3(n, n, n), 1e-12);
  expect_hit(t, V3(5.25, 0.25, -0.5), 0.5, V3(0, 0, -1), 1e-12);
  expect_hit(t, V3(5.25, 0.25, 0.0625), -0.0625, V3(0, 0, -1), 1e-12); /* inside */
  assert_int_equal(pk_terrain_query(t, V3(6, 1, 1), 9).material, 2);
  pk_terrain_destroy(t);
  /* the same as its hull */
  pk_terrain_create(&t, NULL);
  add(t, &at, &(pk_geometry_desc){.kind = PK_SHAPE_CONVEX, .mesh = &mesh});
  expect_hit(t, V3(6, 1, 1), 2 * n, V3(n, n, n), 1e-12);
  expect_hit(t, V3(5.25, 0.25, 0.0625), -0.0625, V3(0, 0, -1), 1e-12);
  pk_terrain_destroy(t);
}

static void a_field_may_be_turned(void **state)
{
  (void)state;
  const double z[6] = {0, 0, 0, 0, 0, 0};
  const pk_geometry_desc desc = {.kind = PK_SHAPE_HEIGHTS, .nx = 3, .ny = 2, .cell = 1, .heights = z};
  const pk_pose at = pk_pose_from_xyz_rpy(V3(10, 0, 1), V3(0, 0, acos(0))); /* x along y, y along -x */
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  add(t, &at, &desc);
  expect_hit(t, V3(9.5, 1.5, 1.25), 0.25, V3(0, 0, 1), 1e-12);
  expect_hit(t, V3(9.5, 2.5, 0), 0.5, V3(0, 1, 0), 1e-12);
  assert_no_hit(pk_terrain_query(t, V3(10.5, 1.5, 1), 0.4));
  pk_terrain_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plane_gives_its_signed_distance),
      cmocka_unit_test(a_slope_gives_its_signed_distance),
      cmocka_unit_test(a_box_has_faces_edges_and_corners),
      cmocka_unit_test(ties_in_a_box_go_to_the_face_that_looks_up),
      cmocka_unit_test(tiny_distances_keep_their_direction),
      cmocka_unit_test(a_turned_box_agrees_with_dense_sampling),
      cmocka_unit_test(a_box_far_from_the_origin_is_as_good_as_its_coordinates),
      cmocka_unit_test(nothing_beyond_reach_is_found),
      cmocka_unit_test(a_point_that_is_not_a_number_hits_nothing),
      cmocka_unit_test(a_union_takes_the_smallest_distance_and_the_first_of_equals),
      cmocka_unit_test(stairs_have_treads_and_risers_where_they_are_asked_for),
      cmocka_unit_test(nothing_inside_stairs_pushes_sideways_under_a_tread),
      cmocka_unit_test(any_shape_is_ground_where_it_is_put),
      cmocka_unit_test(a_mesh_is_solid_where_it_is_closed),
      cmocka_unit_test(a_field_may_be_turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
