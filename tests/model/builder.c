/* The builder: what it refuses at once, what it copies, what it remembers. */
#include "model/build_help.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/builder.h"
#include "support/bounds.h"

/* A builder with one robot "r" and one link "a". */
static pk_builder *started(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_robot_desc robot = pk_robot_desc_default();
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "a", .inertia = sound_inertia()}, NULL),
                   PK_OK);
  return b;
}

static void expect(const pk_error *err, pk_status found, pk_status status, int line, const char *field,
                   const char *message)
{
  assert_int_equal(found, status);
  assert_int_equal(err->status, status);
  assert_string_equal(err->message, message);
  assert_string_equal(err->field, field);
  assert_int_equal(err->line, line);
}

static void everything_needs_a_name(void **state)
{
  (void)state;
  pk_builder *b = started();
  static const char *const empty[2] = {NULL, ""};
  for (int i = 0; i < 2; i++) {
    pk_error err;
    pk_robot_desc robot = pk_robot_desc_default();
    pk_joint_desc joint = pk_joint_desc_default();
    robot.name = joint.name = empty[i];
    expect(&err, pk_builder_add_robot(b, &robot, &err), PK_ERROR_ARGUMENT, 0, "name", "a robot needs a name");
    expect(&err, pk_builder_add_link(b, &(pk_link_desc){.name = empty[i]}, &err), PK_ERROR_ARGUMENT, 0,
           "name", "a link needs a name");
    expect(&err, pk_builder_add_joint(b, &joint, &err), PK_ERROR_ARGUMENT, 0, "name", "a joint needs a name");
  }
  pk_builder_destroy(b);
}

static void everything_belongs_to_a_robot(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  expect(&err, pk_builder_add_link(b, &(pk_link_desc){.name = "a"}, &err), PK_ERROR_ARGUMENT, 0, "a",
         "link \"a\" belongs to no robot: call pk_builder_add_robot first");
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "j", joint.parent = "a", joint.child = "b";
  expect(&err, pk_builder_add_joint(b, &joint, &err), PK_ERROR_ARGUMENT, 0, "j",
         "joint \"j\" belongs to no robot: call pk_builder_add_robot first");
  const pk_shape_desc shape = {.link = "a", .size = {1}};
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 0, "a",
         "shape \"a\" belongs to no robot: call pk_builder_add_robot first");
  pk_builder_destroy(b);
}

static void a_robot_has_a_root_of_some_kind(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  pk_error err;
  robot.root = PK_ROOT_KIND_COUNT;
  expect(&err, pk_builder_add_robot(b, &robot, &err), PK_ERROR_ARGUMENT, 0, "root",
         "root is 4, expected a pk_root_kind");
  robot.root = (pk_root_kind)-1;
  expect(&err, pk_builder_add_robot(b, &robot, &err), PK_ERROR_ARGUMENT, 0, "root",
         "root is -1, expected a pk_root_kind");
  pk_builder_destroy(b);
}

static void a_joint_has_a_kind_and_two_ends(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_joint_desc right = pk_joint_desc_default();
  right.name = "j", right.parent = "a", right.child = "b";
  pk_joint_desc wrong[4] = {right, right, right, right};
  wrong[0].parent = NULL, wrong[1].child = NULL, wrong[2].kind = PK_JOINT_KIND_COUNT,
  wrong[3].kind = (pk_joint_kind)-1;
  for (int i = 0; i < 4; i++) {
    pk_error err;
    expect(&err, pk_builder_add_joint(b, &wrong[i], &err), PK_ERROR_ARGUMENT, 0, "j",
           "joint \"j\" needs a kind, a parent link and a child link");
  }
  pk_builder_destroy(b);
}

static void shapes_have_sizes_that_can_be(void **state)
{
  (void)state;
  pk_builder *b = started();
  static const struct {
    pk_shape_kind kind;
    double size[3];
    const char *message;
  } rows[] = {
      {PK_SHAPE_SPHERE, {0, 1, 1}, "size 1 of a sphere on link \"a\" is 0, expected a positive number"},
      {PK_SHAPE_SPHERE, {NAN, 1, 1}, "size 1 of a sphere on link \"a\" is nan, expected a positive number"},
      {PK_SHAPE_SPHERE,
       {INFINITY, 1, 1},
       "size 1 of a sphere on link \"a\" is inf, expected a positive number"},
      {PK_SHAPE_BOX, {1, -2, 1}, "size 2 of a box on link \"a\" is -2, expected a positive number"},
      {PK_SHAPE_BOX, {1, 1, 0}, "size 3 of a box on link \"a\" is 0, expected a positive number"},
      {PK_SHAPE_CYLINDER, {1, 0, 1}, "size 2 of a cylinder on link \"a\" is 0, expected a positive number"},
      {PK_SHAPE_CAPSULE, {0, 1, 1}, "size 1 of a capsule on link \"a\" is 0, expected a positive number"},
      {PK_SHAPE_CAPSULE, {1, -1, 1}, "size 2 of a capsule on link \"a\" is -1, expected a positive number"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pk_shape_desc shape = {.link = "a", .kind = rows[i].kind, .line = 7};
    memcpy(shape.size, rows[i].size, sizeof shape.size);
    pk_error err;
    expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "a", rows[i].message);
  }
  const pk_shape_desc ball = {.link = "a", .kind = PK_SHAPE_CAPSULE, .size = {1, 0, 0}};
  assert_int_equal(pk_builder_add_shape(b, &ball, NULL),
                   PK_OK); /* a capsule without a cylinder is a sphere */
  pk_builder_destroy(b);
}

static void shapes_have_a_kind_and_a_link(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  pk_shape_desc shape = {.link = NULL, .size = {1}, .line = 7};
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "",
         "a shape needs a kind and a link");
  shape.link = "a", shape.kind = PK_SHAPE_KIND_COUNT;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "",
         "a shape needs a kind and a link");
  pk_builder_destroy(b);
}

static void meshes_are_checked(void **state)
{
  (void)state;
  pk_builder *b = started();
  double vertex[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int triangle[6] = {0, 1, 2, 2, 1, 0};
  const pk_mesh mesh = {.name = "m", .nvertex = 3, .ntriangle = 2, .vertex = vertex, .triangle = triangle};
  const pk_mesh empty[4] = {{.nvertex = 0, .ntriangle = 2, .vertex = vertex, .triangle = triangle},
                            {.nvertex = 3, .ntriangle = 0, .vertex = vertex, .triangle = triangle},
                            {.nvertex = 3, .ntriangle = 2, .triangle = triangle},
                            {.nvertex = 3, .ntriangle = 2, .vertex = vertex}};
  pk_shape_desc shape = {.link = "a", .kind = PK_SHAPE_MESH, .line = 7, .mesh = NULL};
  pk_error err;
  for (int i = 0; i < 5; i++) {
    shape.mesh = i < 4 ? &empty[i] : NULL;
    expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "a",
           "a mesh shape needs a mesh with vertices and triangles");
  }
  shape.mesh = &mesh;
  triangle[4] = 3;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "a",
         "triangle 1 refers to vertex 3, expected 0 to 2");
  triangle[4] = -1;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "a",
         "triangle 1 refers to vertex -1, expected 0 to 2");
  triangle[4] = 1, vertex[5] = NAN;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, 7, "a", "vertex 1 is not finite");
  vertex[5] = 0;
  assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  pk_builder_destroy(b);
}

/* What is passed in may change or vanish after the call. */
static void descriptions_are_copied(void **state)
{
  (void)state;
  char name[8] = "a", child[8] = "b", joint_name[8] = "j", mesh_name[8] = "mesh", file[16] = "f.urdf";
  double vertex[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int triangle[3] = {0, 1, 2};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = name, robot.file = file;
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = joint_name, joint.parent = name, joint.child = child;
  const pk_mesh mesh = {
      .name = mesh_name, .nvertex = 3, .ntriangle = 1, .vertex = vertex, .triangle = triangle};
  const pk_shape_desc shape = {
      .link = child, .name = mesh_name, .kind = PK_SHAPE_MESH, .mesh = &mesh, .pose = pk_pose_identity()};
  pk_builder_add_robot(b, &robot, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = name, .inertia = sound_inertia()}, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = child, .inertia = sound_inertia()}, NULL);
  pk_builder_add_joint(b, &joint, NULL);
  pk_builder_add_shape(b, &shape, NULL);
  memset(name, 'x', 7), memset(child, 'x', 7), memset(joint_name, 'x', 7), memset(mesh_name, 'x', 7);
  memset(file, 'x', 15), memset(vertex, 0xff, sizeof vertex), memset(triangle, 0xff, sizeof triangle);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  pk_builder_destroy(b);
  assert_string_equal(m->robots[0].name, "a");
  assert_string_equal(m->robots[0].file, "f.urdf");
  assert_string_equal(m->links[1].name, "b");
  assert_string_equal(m->joints[0].name, "j");
  assert_string_equal(m->shapes[0].name, "mesh");
  assert_string_equal(m->meshes[0].name, "mesh");
  assert_true(m->meshes[0].vertex[3] == 1 && m->meshes[0].triangle[2] == 2);
  pk_model_destroy(m);
}

static void a_mesh_used_twice_is_kept_once(void **state)
{
  (void)state;
  double vertex[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int triangle[3] = {0, 1, 2};
  const pk_mesh mesh = {.nvertex = 3, .ntriangle = 1, .vertex = vertex, .triangle = triangle};
  const pk_shape_desc shape = {.link = "a", .kind = PK_SHAPE_MESH, .mesh = &mesh, .pose = pk_pose_identity()};
  pk_builder *b = started();
  for (int i = 0; i < 40; i++) {
    assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  }
  vertex[0] = 0.5; /* the same place in memory holds another mesh now */
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  assert_int_equal(m->nshape, 41);
  assert_int_equal(m->nmesh, 2);
  assert_int_equal(m->shapes[0].mesh, 0);
  assert_int_equal(m->shapes[39].mesh, 0);
  assert_int_equal(m->shapes[40].mesh, 1);
  assert_string_equal(m->meshes[0].name, "mesh"); /* never NULL */
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

/* A file may name one large mesh in a million shapes; a program may do as it likes. */
static void the_mesh_shapes_of_a_file_have_a_largest_size(void **state)
{
  (void)state;
  enum { TRIANGLES = 10000000 };
  const double vertex[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int *triangle = calloc(3 * (size_t)TRIANGLES, sizeof *triangle);
  const pk_mesh mesh = {.nvertex = 3, .ntriangle = TRIANGLES, .vertex = vertex, .triangle = triangle};
  const pk_shape_desc shape = {.link = "a", .kind = PK_SHAPE_CONVEX, .mesh = &mesh, .line = 7};
  const pk_load_options options = pk_load_options_default();
  pk_builder *b = started();
  for (int load = 0; load < 2; load++) { /* each file anew */
    pk_error err = {.message = ""};
    pki_builder_begin_load(b, &options);
    for (int i = 0; i < 9; i++) {
      assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
    }
    expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_LIMIT, 7, "a",
           "the mesh shapes of this file have more than 100000000 vertices and triangles, a mesh counted as "
           "often as shapes use it");
    pki_builder_end_load(b);
  }
  assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  assert_int_equal(b->nshape, 19);
  assert_int_equal(b->nmesh, 1);
  pk_builder_destroy(b);
  free(triangle);
}

static void there_is_a_largest_number_of_links(void **state)
{
  (void)state;
  pk_builder *b = started();
  const int count = b->nlink;
  pk_error err;
  b->nlink = PKI_LINK_MAX; /* as if they had been added */
  expect(&err, pk_builder_add_link(b, &(pk_link_desc){.name = "z", .line = 9}, &err), PK_ERROR_LIMIT, 9, "z",
         "there are more than 1000000 links");
  b->nlink = count;
  pk_builder_destroy(b);
}

static void diagnostics_are_kept_up_to_a_number(void **state)
{
  (void)state;
  pk_builder *b = started();
  for (int i = 0; i < PKI_DIAGNOSTIC_MAX + 100; i++) {
    assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "a", .line = i}, NULL), PK_OK);
  }
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_NAME);
  assert_string_equal(err.message, "link \"a\" is there twice");
  int count;
  pk_builder_diagnostics(b, &count);
  assert_int_equal(count, PKI_DIAGNOSTIC_MAX);
  assert_at_least(pki_builder_error_count(b), PKI_DIAGNOSTIC_MAX + 1);
  /* the errors of a second attempt have no room */
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_MODEL);
  assert_string_equal(err.message, "there are more than 1000 errors");
  pk_builder_destroy(b);
}

static void warnings_do_not_crowd_errors_out(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_robot_desc robot = pk_robot_desc_default();
  pk_builder_add_robot(b, &robot, NULL);
  enum { COUNT = PKI_DIAGNOSTIC_MAX + 100 };
  for (int i = 0; i < COUNT; i++) {
    /* point masses, then one that cannot be */
    char name[16], parent[16], joint_name[16];
    snprintf(name, sizeof name, "l%d", i);
    snprintf(parent, sizeof parent, "l%d", i - 1);
    snprintf(joint_name, sizeof joint_name, "j%d", i);
    pk_builder_add_link(b, &(pk_link_desc){.name = name, .inertia = {.mass = i < COUNT - 1 ? 1 : -1}}, NULL);
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joint_name, joint.parent = parent, joint.child = name;
    if (i > 0) {
      pk_builder_add_joint(b, &joint, NULL);
    }
  }
  pk_model *m;
  pk_error err;
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_MASS);
  assert_string_equal(err.message, "mass of link \"l1099\" is -1 kg, expected zero or more");
  pk_builder_destroy(b);
}

static void a_mark_brings_everything_back_but_the_remarks(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_builder_set_magnetic_field(b, (const double[3]){0, 7, 0});
  const pki_builder_mark mark = pki_builder_get_mark(b);
  const pk_robot_desc robot = pk_robot_desc_default();
  const pk_shape_desc shape = {.link = "z", .size = {1}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "j", joint.parent = "z", joint.child = "y";
  pk_builder_add_robot(b, &robot, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = "z"}, NULL);
  pk_builder_add_joint(b, &joint, NULL);
  pk_builder_add_shape(b, &shape, NULL);
  pk_builder_cut_joint(b, "j", NULL);
  pk_builder_cut_joint(b, NULL, NULL);
  pk_builder_set_gravity(b, (const double[3]){1, 2, 3});
  pk_builder_set_magnetic_field(b, (const double[3]){4, 5, 6});
  pki_builder_warn(b, b->nrobot - 1, "a-kind", PK_ERROR_MODEL, (pki_where){.field = "z"}, "%s", "a remark");
  pki_builder_rollback(b, mark);
  pk_model *m = NULL;
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  assert_int_equal(m->nrobot, 1);
  assert_int_equal(m->nlink, 1);
  assert_int_equal(m->njoint + m->nshape, 0);
  assert_true(b->ncut == 0 && !b->cut_all);
  assert_true(m->gravity[0] == 0 && m->gravity[2] == -9.81 && b->magnetic[1] == 7);
  int count;
  assert_string_equal(pk_builder_diagnostics(b, &count)->error.message, "a remark");
  assert_string_equal(pk_builder_diagnostics(b, &count)->kind, "a-kind");
  assert_int_equal(count, 1);
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

static void a_builder_can_be_compiled_again(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_model *first = NULL, *second = NULL;
  assert_int_equal(pk_builder_compile(b, &first, NULL), PK_OK);
  const double moon[3] = {0, 0, -1.62};
  pk_builder_set_gravity(b, moon);
  assert_int_equal(pk_builder_compile(b, &second, NULL), PK_OK);
  pk_builder_destroy(b);
  assert_true(first->gravity[2] == -9.81 && second->gravity[2] == -1.62);
  pk_model_destroy(first);
  pk_model_destroy(second);
  pk_builder_destroy(NULL);
}

/* Rz(yaw) Ry(pitch) Rx(roll), about fixed axes. */
static void poses_follow_urdfs_angles(void **state)
{
  (void)state;
  const double quarter = 1.57079632679489661923, xyz[3] = {1, 2, 3};
  static const double rotations[3][9] = {
      {1, 0, 0, 0, 0, -1, 0, 1, 0}, {0, 0, 1, 0, 1, 0, -1, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 1}};
  for (int k = 0; k < 3; k++) {
    double rpy[3] = {0, 0, 0};
    rpy[k] = quarter;
    const pk_pose pose = pk_pose_from_xyz_rpy(xyz, rpy);
    assert_all_near(pose.pos, xyz, 3, 0);
    assert_all_near(pose.rot, rotations[k], 9, 1e-16);
  }
  /* roll first, then yaw: x stays, goes to y; y goes to z; z goes to -y, then to x */
  const double rpy[3] = {quarter, 0, quarter}, expected[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  assert_all_near(pk_pose_from_xyz_rpy(xyz, rpy).rot, expected, 9, 1e-16);
  const pk_pose identity = pk_pose_identity();
  const double zero[3] = {0, 0, 0}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_all_near(identity.pos, zero, 3, 0);
  assert_all_near(identity.rot, one, 9, 0);
}

static void names_of_kinds_are_those_of_urdf(void **state)
{
  (void)state;
  assert_string_equal(pk_joint_kind_name(PK_JOINT_FIXED), "fixed");
  assert_string_equal(pk_joint_kind_name(PK_JOINT_SPHERICAL), "spherical");
  assert_string_equal(pk_root_kind_name(PK_ROOT_CHAIN), "chain");
  assert_string_equal(pk_shape_kind_name(PK_SHAPE_MESH), "mesh");
  assert_string_equal(pk_joint_kind_name(PK_JOINT_KIND_COUNT), "unknown");
  assert_string_equal(pk_root_kind_name((pk_root_kind)-1), "unknown");
  assert_string_equal(pk_shape_kind_name(PK_SHAPE_KIND_COUNT), "unknown");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_needs_a_name),
      cmocka_unit_test(everything_belongs_to_a_robot),
      cmocka_unit_test(a_robot_has_a_root_of_some_kind),
      cmocka_unit_test(a_joint_has_a_kind_and_two_ends),
      cmocka_unit_test(shapes_have_sizes_that_can_be),
      cmocka_unit_test(shapes_have_a_kind_and_a_link),
      cmocka_unit_test(meshes_are_checked),
      cmocka_unit_test(descriptions_are_copied),
      cmocka_unit_test(a_mesh_used_twice_is_kept_once),
      cmocka_unit_test(the_mesh_shapes_of_a_file_have_a_largest_size),
      cmocka_unit_test(there_is_a_largest_number_of_links),
      cmocka_unit_test(diagnostics_are_kept_up_to_a_number),
      cmocka_unit_test(warnings_do_not_crowd_errors_out),
      cmocka_unit_test(a_mark_brings_everything_back_but_the_remarks),
      cmocka_unit_test(a_builder_can_be_compiled_again),
      cmocka_unit_test(poses_follow_urdfs_angles),
      cmocka_unit_test(names_of_kinds_are_those_of_urdf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
