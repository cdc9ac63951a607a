/* What meshes that collide become when a robot is read. */
#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <unistd.h>

#include "model/urdf_help.h"
#include "pronk/collision.h"

/* An L of 20 triangles as it stands, a sheet without a volume. */
static const char ell[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                          "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                          "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
                          "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
static const char sheet[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

#define SHAPE(file) "<collision><geometry><mesh filename='" file "'/></geometry></collision>\n"
#define LOOK(file) "<visual><geometry><mesh filename='" file "'/></geometry></visual>\n"

static char folder[64];

static void write_file(const char *name, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/pronk-meshes-XXXXXX");
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  write_file("ell.obj", ell);
  write_file("sheet.obj", sheet);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  char path[128];
  static const char *const names[] = {"ell.obj", "sheet.obj"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

/* A robot of one link with these shapes; the builder keeps the remarks. */
static pk_model *load(const char *shapes, pk_mesh_collision become, pk_builder **b)
{
  char text[2048], file[128];
  snprintf(text, sizeof text, "<robot name='r'>\n<link name='a'>%s%s</link></robot>", INERTIAL, shapes);
  snprintf(file, sizeof file, "%s/r.urdf", folder);
  pk_load_options options = pk_load_options_default();
  options.collision_meshes = become;
  pk_model *model = NULL;
  pk_error err = {.message = ""};
  pk_builder_create(b, NULL);
  if (pk_builder_add_urdf_memory(*b, text, strlen(text), file, &options, &err) != PK_OK ||
      pk_builder_compile(*b, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return model;
}

static void done(pk_builder *b, pk_model *m)
{
  pk_builder_destroy(b);
  pk_model_destroy(m);
}

static void test_a_collision_mesh_is_its_hull_and_a_visual_one_stays(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load(LOOK("ell.obj") SHAPE("ell.obj"), PK_MESH_COLLISION_HULL, &b);
  assert_int_equal(m->nshape, 2);
  assert_int_equal(m->shapes[0].kind, PK_SHAPE_MESH);
  assert_int_equal(m->meshes[m->shapes[0].mesh].nvertex, 12);
  assert_int_equal(m->shapes[1].kind, PK_SHAPE_CONVEX);
  assert_int_equal(m->meshes[m->shapes[1].mesh].nvertex, 10); /* all but the inner corner's two */
  assert_string_equal(m->meshes[m->shapes[1].mesh].name, "ell.obj");
  int count;
  pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 0);
  done(b, m);
}

static void test_shapes_of_one_file_share_one_hull(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load(SHAPE("ell.obj") SHAPE("ell.obj"), PK_MESH_COLLISION_HULL, &b);
  assert_int_equal(m->nmesh, 1);
  assert_int_equal(m->shapes[0].mesh, m->shapes[1].mesh);
  done(b, m);
}

static void test_triangles_stay_on_demand(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load(LOOK("ell.obj") SHAPE("ell.obj"), PK_MESH_COLLISION_TRIANGLES, &b);
  assert_int_equal(m->nmesh, 1);
  assert_int_equal(m->shapes[1].kind, PK_SHAPE_MESH);
  done(b, m);
}

static void test_parts_follow_the_hollow_on_demand(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load(SHAPE("ell.obj") SHAPE("ell.obj"), PK_MESH_COLLISION_PARTS, &b);
  assert_int_equal(m->nshape, 4); /* two boxes each */
  assert_int_equal(m->nmesh, 2);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(m->shapes[i].kind, PK_SHAPE_CONVEX);
    assert_int_equal(m->meshes[m->shapes[i].mesh].nvertex, 8);
  }
  done(b, m);
}

static void test_a_pair_that_names_a_mesh_is_one_of_all_of_its_parts(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load("<collision name='ell'><geometry><mesh filename='ell.obj'/></geometry></collision>\n"
                     "<collision name='ball'><geometry><sphere radius='1'/></geometry></collision>\n",
                     PK_MESH_COLLISION_PARTS, &b);
  pk_model_destroy(m);
  const pk_pair_desc pair = {.name = {"ball", "ell"}, .shapes = true, .friction = 0.5};
  assert_int_equal(pk_builder_add_pair(b, &pair, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  assert_int_equal(m->nshape, 3);
  assert_int_equal(m->npair, 2);
  for (int i = 0; i < 2; i++) {
    assert_true(m->pairs[i].shapes && m->pairs[i].friction == 0.5 && !m->pairs[i].collide);
    assert_int_equal(m->pairs[i].index[0], 2);
    assert_int_equal(m->pairs[i].index[1], i);
  }
  done(b, m);
}

/* The same name on another link is another shape, of which the pair does not speak. */
static void test_a_pair_stays_on_the_link_of_the_first_shape_of_its_name(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = NULL;
  pk_builder_create(&b, NULL);
  const pk_robot_desc robot = pk_robot_desc_default();
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  const pk_inertia inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}};
  pk_builder_add_link(b, &(pk_link_desc){.name = "a", .inertia = inertia}, NULL);
  pk_builder_add_link(b, &(pk_link_desc){.name = "b", .inertia = inertia}, NULL);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "j", joint.parent = "a", joint.child = "b";
  assert_int_equal(pk_builder_add_joint(b, &joint, NULL), PK_OK);
  static const char *const links[4] = {"a", "b", "a", "a"};
  for (int i = 0; i < 4; i++) {
    pk_shape_desc shape = {.link = links[i], .name = "s", .size = {1}, .pose = pk_pose_identity()};
    assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
  }
  const pk_pair_desc pair = {.name = {"s", "s"}, .shapes = true};
  assert_int_equal(pk_builder_add_pair(b, &pair, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
  assert_int_equal(m->npair, 9);
  for (int i = 0; i < 9; i++) {
    assert_int_equal(m->shapes[m->pairs[i].index[0]].link, 0);
    assert_int_equal(m->shapes[m->pairs[i].index[1]].link, 0);
  }
  done(b, m);
}

static void test_a_sheet_has_no_hull_and_collides_as_it_is_with_one_warning(void **state)
{
  (void)state;
  pk_builder *b;
  pk_model *m = load(SHAPE("sheet.obj") SHAPE("sheet.obj"), PK_MESH_COLLISION_HULL, &b);
  assert_int_equal(m->shapes[0].kind, PK_SHAPE_MESH);
  assert_int_equal(m->shapes[1].kind, PK_SHAPE_MESH);
  int count;
  const pk_builder_diagnostic *d = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 1);
  assert_false(d[0].is_error);
  assert_string_equal(d[0].error.message,
                      "mesh sheet.obj: the 4 points of a convex hull lie in a plane (to 1e-09 of their "
                      "extent); a hull needs a volume: its triangles collide");
  done(b, m);
}

static void test_words_name_what_meshes_become(void **state)
{
  (void)state;
  assert_string_equal(pk_mesh_collision_name(PK_MESH_COLLISION_HULL), "hull");
  assert_string_equal(pk_mesh_collision_name(PK_MESH_COLLISION_TRIANGLES), "triangles");
  assert_string_equal(pk_mesh_collision_name(PK_MESH_COLLISION_PARTS), "parts");
  assert_string_equal(pk_mesh_collision_name((pk_mesh_collision)9), "unknown");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_collision_mesh_is_its_hull_and_a_visual_one_stays),
      cmocka_unit_test(test_shapes_of_one_file_share_one_hull),
      cmocka_unit_test(test_triangles_stay_on_demand),
      cmocka_unit_test(test_parts_follow_the_hollow_on_demand),
      cmocka_unit_test(test_a_pair_that_names_a_mesh_is_one_of_all_of_its_parts),
      cmocka_unit_test(test_a_pair_stays_on_the_link_of_the_first_shape_of_its_name),
      cmocka_unit_test(test_a_sheet_has_no_hull_and_collides_as_it_is_with_one_warning),
      cmocka_unit_test(test_words_name_what_meshes_become),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
