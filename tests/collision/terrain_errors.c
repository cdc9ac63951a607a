/* What a terrain refuses, with the message. */
#include "collision/help.h"

#include <limits.h>

#include "collision/ground/terrain.h"

static void expect(const pk_terrain *t, const pk_error *err, pk_status found, const char *field,
                   const char *message)
{
  assert_int_equal(found, PK_ERROR_ARGUMENT);
  assert_int_equal(err->status, PK_ERROR_ARGUMENT);
  assert_string_equal(err->field, field);
  assert_string_equal(err->message, message);
  assert_int_equal(t->nsolid, 0); /* nothing of it stays */
}

static void a_plane_needs_a_point_a_direction_and_a_material(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  const double *const z = V3(0, 0, 1);
  expect(t, &err, pk_terrain_add_plane(t, V3(0, NAN, 0), z, 0, &err), "point",
         "point is (0, nan, 0), expected finite numbers");
  expect(t, &err, pk_terrain_add_plane(t, V3(0, 0, 0), V3(0, INFINITY, 0), 0, &err), "normal",
         "normal is (0, inf, 0), expected finite numbers");
  expect(t, &err, pk_terrain_add_plane(t, V3(0, 0, 0), V3(0, 0, 0), 0, &err), "normal",
         "normal is zero, expected a direction");
  expect(t, &err, pk_terrain_add_plane(t, V3(0, 0, 0), z, -1, &err), "material",
         "material is -1, expected 0 to 65535");
  expect(t, &err, pk_terrain_add_plane(t, V3(0, 0, 0), z, INT_MAX, &err), "material",
         "material is 2147483647, expected 0 to 65535");
  assert_int_equal(pk_terrain_add_plane(t, V3(0, 0, 0), z, -1, NULL), PK_ERROR_ARGUMENT);
  pk_terrain_destroy(t);
}

static void a_box_needs_a_rotation_and_lengths(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  pk_pose pose = pk_pose_identity();
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 0, 1), 0, &err), "size",
         "size[1] of the box is 0 m, expected 1e-09 to 1e+09");
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(-2, 1, 1), 0, &err), "size",
         "size[0] of the box is -2 m, expected 1e-09 to 1e+09");
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, INFINITY), 0, &err), "size",
         "size[2] of the box is inf m, expected 1e-09 to 1e+09");
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, 1), -7, &err), "material",
         "material is -7, expected 0 to 65535");
  pose.rot[8] = -1; /* a mirror */
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, 1), 0, &err), "pose",
         "the solid's rotation is not orthonormal and right-handed");
  pose.rot[8] = 1, pose.rot[0] = 1.001;
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, 1), 0, &err), "pose",
         "the solid's rotation is not orthonormal and right-handed");
  pose.rot[0] = NAN;
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, 1), 0, &err), "pose",
         "the solid's rotation is not orthonormal and right-handed");
  pose.rot[0] = 1, pose.pos[2] = NAN;
  expect(t, &err, pk_terrain_add_box(t, &pose, V3(1, 1, 1), 0, &err), "pose",
         "pose is (0, 0, nan), expected finite numbers");
  pk_terrain_destroy(t);
}

static void stairs_need_lengths_and_steps(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  const double *const o = V3(0, 0, 0);
  expect(t, &err, pk_terrain_add_stairs(t, V3(INFINITY, 0, 0), 1, 1, 1, 3, 0, &err), "start",
         "start is (inf, 0, 0), expected finite numbers");
  expect(t, &err, pk_terrain_add_stairs(t, o, 0, 1, 1, 3, 0, &err), "depth",
         "depth is 0 m, expected a positive length");
  expect(t, &err, pk_terrain_add_stairs(t, o, 1, -0.5, 1, 3, 0, &err), "height",
         "height is -0.5 m, expected a positive length");
  expect(t, &err, pk_terrain_add_stairs(t, o, 1, 1, NAN, 3, 0, &err), "width",
         "width is nan m, expected a positive length");
  expect(t, &err, pk_terrain_add_stairs(t, o, 1, 1, 1, 0, 0, &err), "count",
         "count is 0, expected 1 or more");
  expect(t, &err, pk_terrain_add_stairs(t, o, 1, 1, 1, 3, -1, &err), "material",
         "material is -1, expected 0 to 65535");
  assert_int_equal(pk_terrain_add_stairs(t, o, 1, 1, 1, 2147483647, 0, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "the terrain has too many solids");
  expect(t, &err, pk_terrain_add_stairs(t, o, 1, 1e308, 1, 3, 0, &err), "count",
         "3 steps of 1 m by 1e+308 m end beyond all numbers");
  pk_terrain_destroy(t);
}

static void a_height_field_needs_cells_and_finite_heights(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  double z[6] = {0};
  const double *const o = V3(0, 0, 0);
  expect(t, &err, pk_terrain_add_heights(t, V3(0, 0, NAN), 2, 3, 1, z, 0, &err), "origin",
         "origin is (0, 0, nan), expected finite numbers");
  expect(t, &err, pk_terrain_add_heights(t, o, 1, 3, 1, z, 0, &err), "nx",
         "the field has 1 x 3 heights, expected at least 2 x 2");
  expect(t, &err, pk_terrain_add_heights(t, o, 3, -1, 1, z, 0, &err), "ny",
         "the field has 3 x -1 heights, expected at least 2 x 2");
  expect(t, &err, pk_terrain_add_heights(t, o, 3, 2, 0, z, 0, &err), "cell",
         "cell is 0 m, expected a positive length");
  expect(t, &err, pk_terrain_add_heights(t, o, 3, 2, 1, z, -2, &err), "material",
         "material is -2, expected 0 to 65535");
  z[4] = INFINITY;
  expect(t, &err, pk_terrain_add_heights(t, o, 3, 2, 1, z, 0, &err), "heights",
         "heights[1][1] is inf, expected a finite height");
  pk_terrain_destroy(t);
  pk_terrain_destroy(NULL);
}

static void any_shape_needs_what_its_kind_needs(void **state)
{
  (void)state;
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err;
  pk_pose pose = pk_pose_identity();
  pk_geometry_desc desc = {.kind = PK_SHAPE_SPHERE, .size = {-1}};
  expect(t, &err, pk_terrain_add_geometry(t, &pose, &desc, 0, &err), "size",
         "size[0] of the sphere is -1 m, expected 1e-09 to 1e+09");
  expect(t, &err, pk_terrain_add_geometry(t, &pose, &desc, -1, &err), "material",
         "material is -1, expected 0 to 65535");
  expect(t, &err, pk_terrain_add_mesh(t, &pose, NULL, 0, &err), "mesh", "a mesh needs a mesh with vertices");
  pose.rot[0] = 2, desc.size[0] = 1;
  expect(t, &err, pk_terrain_add_geometry(t, &pose, &desc, 0, &err), "pose",
         "the solid's rotation is not orthonormal and right-handed");
  /* of stairs that cannot be finished nothing stays */
  assert_int_equal(pk_terrain_add_stairs(t, V3(0, 0, 0), 1, 4e8, 1, 3, 0, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(t->nsolid, 0);
  pk_terrain_destroy(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plane_needs_a_point_a_direction_and_a_material),
      cmocka_unit_test(a_box_needs_a_rotation_and_lengths),
      cmocka_unit_test(stairs_need_lengths_and_steps),
      cmocka_unit_test(a_height_field_needs_cells_and_finite_heights),
      cmocka_unit_test(any_shape_needs_what_its_kind_needs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
