/* A scene, read back by another JSON reader, holds the world that it was made from. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/scene.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pronk/collision.h"
#include "support/bounds.h"
#include "support/world.h"

static const char *const materials[] = {"rubber </script>", "ice"};
static const double frictions[] = {0.8, 0.1};

static cJSON *scene_of(const pk_model *world, const pk_model *joints, const pk_terrain *terrain,
                       const int *feet, int nfoot)
{
  const pki_scene_source source = {.name = "a \"scene\" <b>",
                                   .world = world,
                                   .joints = joints,
                                   .terrain = terrain,
                                   .materials = materials,
                                   .frictions = frictions,
                                   .nmaterial = terrain != NULL ? 2 : 0,
                                   .dt = 1e-3,
                                   .feet = feet,
                                   .nfoot = nfoot};
  pki_text text = {0};
  pk_error err = {.message = ""};
  if (pki_scene_json(&source, &text, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_null(strchr(text.data, '<')); /* nothing that a browser could take for markup */
  cJSON *json = cJSON_Parse(text.data);
  assert_non_null(json);
  pki_text_free(&text);
  return json;
}

static double number(const cJSON *object, const char *key)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static int integer(const cJSON *object, const char *key)
{
  return (int)number(object, key);
}

static const char *string(const cJSON *object, const char *key)
{
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  assert_non_null(text);
  return text;
}

static const cJSON *list(const cJSON *object, const char *key, int count)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  assert_true(cJSON_IsArray(item));
  assert_int_equal(cJSON_GetArraySize(item), count);
  return item;
}

static void assert_numbers(const cJSON *object, const char *key, const double *expected, int count)
{
  const cJSON *item = list(object, key, count);
  for (int i = 0; i < count; i++) {
    const double found = cJSON_GetArrayItem(item, i)->valuedouble;
    if (!(fabs(found - expected[i]) <= 1e-8 * fmax(1, fabs(expected[i])))) {
      fail_msg("%s[%d] is %g, expected %g", key, i, found, expected[i]);
    }
  }
}

/* Words of 32 bits; returns how many. */
static int decode(const char *base64, uint32_t *out, int most)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char bytes[4096];
  size_t n = 0;
  uint32_t word = 0;
  int have = 0;
  for (const char *c = base64; *c != '\0' && *c != '='; c++) {
    const char *digit = strchr(digits, *c);
    assert_non_null(digit);
    word = word << 6 | (uint32_t)(digit - digits);
    have += 6;
    if (have >= 8) {
      have -= 8;
      assert_less(n, sizeof bytes);
      bytes[n++] = (unsigned char)(word >> have);
    }
  }
  assert_int_equal(n % 4, 0);
  assert_at_most((int)n / 4, most);
  for (size_t i = 0; i < n / 4; i++) {
    const unsigned char *b = bytes + 4 * i;
    out[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  }
  return (int)n / 4;
}

static void a_robot_has_bodies_joints_feet_and_shapes(void **state)
{
  (void)state;
  pk_model *m = starleth_model();
  const int feet[] = {pk_model_find_link(m, "LF_FOOT"), pk_model_find_link(m, "RH_FOOT")};
  assert_at_least(feet[0], 0);
  assert_at_least(feet[1], 0);
  cJSON *json = scene_of(m, m, NULL, feet, 2);
  assert_string_equal(string(json, "format"), "pronk-scene-1");
  assert_string_equal(string(json, "name"), "a \"scene\" <b>");
  assert_true(number(json, "dt") == 1e-3);
  assert_numbers(json, "gravity", m->gravity, 3);

  const cJSON *robot = cJSON_GetArrayItem(list(json, "robots", 1), 0);
  assert_int_equal(integer(robot, "nbody"), m->nbody);
  assert_int_equal(integer(robot, "trunk"), m->links[m->robots[0].root_link].body);
  const cJSON *links = list(json, "links", m->nlink);
  for (int i = 0; i < m->nlink; i++) {
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(links, i)), m->links[i].name);
  }
  const cJSON *bodies = list(json, "bodies", m->nbody);
  for (int i = 0; i < m->nbody; i++) {
    const cJSON *body = cJSON_GetArrayItem(bodies, i);
    assert_string_equal(string(body, "name"), m->links[m->body_link[i]].name);
    assert_int_equal(integer(body, "parent"), m->body_parent[i]);
    assert_int_equal(integer(body, "robot"), 0);
  }
  /* joints count from 0 in joints/force, behind the free root in q and u */
  const cJSON *joint = cJSON_GetArrayItem(list(json, "joints", 12), 3);
  assert_string_equal(string(joint, "name"), m->joints[m->dof_joint[6 + 3]].name);
  assert_int_equal(integer(joint, "column"), 3);
  assert_int_equal(integer(joint, "u"), 6 + 3);
  assert_int_equal(integer(joint, "q"), 7 + 3);
  assert_less(fabs(number(joint, "effort") - m->dof_effort[6 + 3]), 1e-6);
  assert_string_equal(string(joint, "unit"), "rad");

  const cJSON *foot = cJSON_GetArrayItem(list(json, "feet", 2), 1);
  assert_string_equal(string(foot, "name"), "RH_FOOT");
  assert_int_equal(integer(foot, "body"), m->links[feet[1]].body);
  assert_greater(number(foot, "radius"), 0);

  const cJSON *shapes = list(json, "shapes", m->nshape);
  for (int i = 0; i < m->nshape; i++) {
    const cJSON *shape = cJSON_GetArrayItem(shapes, i);
    assert_int_equal(integer(shape, "body"), m->shapes[i].body);
    assert_string_equal(string(shape, "link"), m->links[m->shapes[i].link].name);
    assert_string_equal(string(shape, "kind"), pk_shape_kind_name(m->shapes[i].kind));
    assert_numbers(shape, "size", m->shapes[i].size, 3);
    list(shape, "pose", 7);
  }
  cJSON_Delete(json);
  pk_model_destroy(m);
}

/* A limit that there is not is null, not a number that a reader would draw. */
static void missing_limits_are_null(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_add_chain(b, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  cJSON *json = scene_of(m, m, NULL, NULL, 0);
  const cJSON *joint = cJSON_GetArrayItem(list(json, "joints", 10), 0);
  static const char *const keys[] = {"lower", "upper", "effort", "velocity"};
  for (int i = 0; i < 4; i++) {
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(joint, keys[i])));
  }
  cJSON_Delete(json);
  pk_model_destroy(m);
}

/* Bodies of a world whose joints are cut are its own; joints and their columns are those of the tree. */
static void a_cut_world_keeps_its_joints(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_add_chain(b, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_cut_joint(b, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  const int feet[] = {pk_model_find_link(m->tree, "link10")};
  cJSON *json = scene_of(m, m->tree, NULL, feet, 1);
  const cJSON *bodies = list(json, "bodies", m->nbody);
  assert_int_equal(integer(cJSON_GetArrayItem(bodies, 4), "parent"), -1);
  const cJSON *joint = cJSON_GetArrayItem(list(json, "joints", 10), 7);
  assert_int_equal(integer(joint, "u"), 7);
  const int moved = m->joints[pk_model_find_joint(m, m->tree->joints[m->tree->dof_joint[7]].name)].body;
  assert_int_equal(integer(joint, "body"), moved);
  const cJSON *foot = cJSON_GetArrayItem(list(json, "feet", 1), 0);
  assert_int_equal(integer(foot, "body"), m->links[pk_model_find_link(m, "link10")].body);
  cJSON_Delete(json);
  pk_model_destroy(m);
}

static void terrain_is_drawn_as_it_is_touched(void **state)
{
  (void)state;
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (double[3]){0.1}, 1, (double[3]){1, 1, 1});
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  pk_error err = {.message = ""};
  const pk_pose pose = pk_pose_from_xyz_rpy((double[3]){1, 2, 3}, (double[3]){0, 0, acos(0)});
  pk_terrain_add_plane(t, (double[3]){0, 0, 1}, (double[3]){0, 0, 5}, 1, &err);
  pk_terrain_add_heights(t, (double[3]){1, 2, 3}, 3, 2, 0.5, (double[6]){0, 1, 2, 3, 4, 5}, 0, &err);
  pk_terrain_add_box(t, &pose, (double[3]){1, 2, 3}, 0, &err);
  cJSON *json = scene_of(m, m, t, NULL, 0);
  const cJSON *terrain = list(json, "terrain", 3);
  const cJSON *plane = cJSON_GetArrayItem(terrain, 0), *mesh = cJSON_GetArrayItem(terrain, 1),
              *box = cJSON_GetArrayItem(terrain, 2);
  assert_string_equal(string(plane, "kind"), "plane");
  assert_numbers(plane, "normal", (double[3]){0, 0, 1}, 3);
  assert_int_equal(integer(plane, "material"), 1);
  assert_string_equal(string(box, "kind"), "box");
  assert_numbers(box, "size", (double[3]){1, 2, 3}, 3);
  assert_numbers(box, "pose", (double[7]){1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)}, 7);
  const cJSON *material = cJSON_GetArrayItem(list(json, "materials", 2), 0);
  assert_string_equal(string(material, "name"), "rubber </script>");
  assert_true(number(material, "friction") == 0.8);

  /* 6 vertices and as many below the rim; 2 cells and 6 sides of two triangles each */
  assert_string_equal(string(mesh, "kind"), "mesh");
  const cJSON *m0 = cJSON_GetArrayItem(list(json, "meshes", 1), integer(mesh, "mesh"));
  uint32_t words[256], triangle[256];
  float v[36];
  assert_int_equal(decode(string(m0, "positions"), words, 256), 36);
  memcpy(v, words, sizeof v);
  assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0 && v[15] == 1 && v[16] == 0.5f && v[17] == 5);
  assert_numbers(mesh, "pose", (double[7]){1, 2, 3, 1, 0, 0, 0}, 7);
  assert_true(v[18 + 2] == -0.5f); /* a cell below the lowest */
  const int ntriangle = decode(string(m0, "triangles"), triangle, 256) / 3;
  assert_int_equal(ntriangle, 2 * 2 + 2 * 6);

  /* closed but for its floor, and facing outward: the signed volume above the floor is that of the cells */
  double volume = 0;
  for (int i = 0; i < ntriangle; i++) {
    double p[3][3];
    for (int k = 0; k < 3; k++) {
      assert_less(triangle[3 * i + k], 12);
      for (int a = 0; a < 3; a++) {
        p[k][a] = (double)v[3 * triangle[3 * i + k] + (uint32_t)a] - (a == 2 ? -0.5 : 0);
      }
    }
    volume += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
              6;
  }
  /* base 0.25 m^2; mean heights of the four triangles over the floor: 0.5 + {5/3, 7/3, 8/3, 10/3} */
  assert_less(fabs(volume - 0.125 * (4 * 0.5 + 10)), 1e-6);
  cJSON_Delete(json);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* Two robots of one kind share a mesh. */
static void equal_meshes_are_written_once(void **state)
{
  (void)state;
  static const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                      other[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2};
  static const int triangle[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const pk_mesh meshes[3] = {
      {"a", 4, 4, vertex, triangle}, {"a", 4, 4, vertex, triangle}, {"b", 4, 4, other, triangle}};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  const pk_link_desc link = {.name = "body", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  static const char *const prefix[3] = {"a_", "b_", "c_"};
  for (int i = 0; i < 3; i++) {
    robot.prefix = prefix[i];
    const pk_shape_desc shape = {.link = "body",
                                 .kind = PK_SHAPE_MESH,
                                 .visual = true,
                                 .pose = pk_pose_identity(),
                                 .mesh = &meshes[i]};
    assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  cJSON *json = scene_of(m, m, NULL, NULL, 0);
  list(json, "meshes", 2);
  const cJSON *shapes = list(json, "shapes", 3);
  assert_int_equal(integer(cJSON_GetArrayItem(shapes, 0), "mesh"), 0);
  assert_int_equal(integer(cJSON_GetArrayItem(shapes, 1), "mesh"), 0);
  assert_int_equal(integer(cJSON_GetArrayItem(shapes, 2), "mesh"), 1);
  cJSON_Delete(json);
  pk_model_destroy(m);
}

/* A cube's corners and a point within it, as a mesh that is no hull. */
static const double cube[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1,   0,   0,  0,
                                1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5};
static const int spread[9] = {0, 1, 8, 2, 3, 4, 5, 6, 7};

/* 12 triangles over 8 vertices, facing outward: the volume of the cube. */
static void expect_cube(const cJSON *mesh)
{
  uint32_t words[64], triangle[64];
  float v[24];
  assert_int_equal(decode(string(mesh, "positions"), words, 64), 24);
  memcpy(v, words, sizeof v);
  assert_int_equal(decode(string(mesh, "triangles"), triangle, 64), 36);
  double volume = 0;
  for (int i = 0; i < 12; i++) {
    const float *a = v + 3 * triangle[3 * i], *b = v + 3 * triangle[3 * i + 1],
                *c = v + 3 * triangle[3 * i + 2];
    volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0])) /
              6;
  }
  assert_less(fabs(volume - 1), 1e-6);
}

static void ground_of_any_shape_has_its_pose_and_size(void **state)
{
  (void)state;
  const pk_mesh mesh = {"spread", 9, 3, cube, spread};
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (double[3]){0.1}, 1, (double[3]){1, 1, 1});
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  const pk_pose pose = pk_pose_from_xyz_rpy((double[3]){1, 2, 3}, (double[3]){0, 0, acos(0)});
  const pk_geometry_desc desc[] = {{.kind = PK_SHAPE_CONVEX, .mesh = &mesh},
                                   {.kind = PK_SHAPE_ELLIPSOID, .size = {1, 2, 3}},
                                   {.kind = PK_SHAPE_CONE, .size = {1, 2}},
                                   {.kind = PK_SHAPE_MESH, .mesh = &mesh}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pk_terrain_add_geometry(t, &pose, &desc[i], 0, NULL), PK_OK);
  }
  cJSON *json = scene_of(m, m, t, NULL, 0);
  const cJSON *terrain = list(json, "terrain", 4), *meshes = list(json, "meshes", 2);
  static const char *const kinds[] = {"mesh", "ellipsoid", "cone", "mesh"};
  for (int i = 0; i < 4; i++) {
    const cJSON *part = cJSON_GetArrayItem(terrain, i);
    assert_string_equal(string(part, "kind"), kinds[i]);
    assert_numbers(part, "pose", (double[7]){1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)}, 7);
  }
  assert_numbers(cJSON_GetArrayItem(terrain, 1), "size", (double[3]){1, 2, 3}, 3);
  expect_cube(cJSON_GetArrayItem(meshes, integer(cJSON_GetArrayItem(terrain, 0), "mesh")));
  cJSON_Delete(json);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* A field that is too large to draw is thinned, and keeps its extent. */
static void a_huge_field_is_thinned(void **state)
{
  (void)state;
  enum { NX = 1500, NY = 1001 };
  double *z = calloc((size_t)NX * NY, sizeof *z);
  assert_non_null(z);
  z[(size_t)NX * NY - 1] = 7;
  pk_model *m = solid_model(PK_SHAPE_SPHERE, (double[3]){0.1}, 1, (double[3]){1, 1, 1});
  pk_terrain *t;
  pk_terrain_create(&t, NULL);
  assert_int_equal(pk_terrain_add_heights(t, (double[3]){0, 0, 0}, NX, NY, 0.5, z, 0, NULL), PK_OK);
  cJSON *json = scene_of(m, m, t, NULL, 0);
  const cJSON *mesh = cJSON_GetArrayItem(list(json, "meshes", 1), 0);
  /* a vertex has 12 bytes, which are 16 letters */
  const size_t nx = 751, ny = 501, rim = 2 * (nx + ny - 2);
  const char *positions = string(mesh, "positions");
  assert_int_equal(strlen(positions), 16 * (nx * ny + rim));
  char corner[17] = "";
  uint32_t words[3];
  float last[3];
  memcpy(corner, positions + 16 * (nx * ny - 1), 16);
  assert_int_equal(decode(corner, words, 3), 3);
  memcpy(last, words, sizeof last);
  assert_true(last[0] == 749.5f && last[1] == 500 && last[2] == 7);
  free(z);
  cJSON_Delete(json);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* The hull of a mesh is drawn as what it is; the mesh beside it stays as it is. */
static void a_convex_shape_is_drawn_as_its_hull(void **state)
{
  (void)state;
  const pk_mesh mesh = {"spread", 9, 3, cube, spread};
  const free_solid solids[2] = {{.kind = PK_SHAPE_CONVEX, .mass = 1, .moment = {1, 1, 1}, .mesh = &mesh},
                                {.kind = PK_SHAPE_MESH, .mass = 1, .moment = {1, 1, 1}, .mesh = &mesh}};
  pk_model *m = solids_model(solids, 2, NULL);
  cJSON *json = scene_of(m, m, NULL, NULL, 0);
  const cJSON *meshes = list(json, "meshes", 2), *shapes = list(json, "shapes", 2);
  assert_string_equal(string(cJSON_GetArrayItem(shapes, 0), "kind"), "convex");
  expect_cube(cJSON_GetArrayItem(meshes, integer(cJSON_GetArrayItem(shapes, 0), "mesh")));
  uint32_t words[64];
  const cJSON *own = cJSON_GetArrayItem(meshes, integer(cJSON_GetArrayItem(shapes, 1), "mesh"));
  assert_int_equal(decode(string(own, "triangles"), words, 64), 9);
  cJSON_Delete(json);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_has_bodies_joints_feet_and_shapes),
      cmocka_unit_test(missing_limits_are_null),
      cmocka_unit_test(a_cut_world_keeps_its_joints),
      cmocka_unit_test(terrain_is_drawn_as_it_is_touched),
      cmocka_unit_test(equal_meshes_are_written_once),
      cmocka_unit_test(ground_of_any_shape_has_its_pose_and_size),
      cmocka_unit_test(a_huge_field_is_thinned),
      cmocka_unit_test(a_convex_shape_is_drawn_as_its_hull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
