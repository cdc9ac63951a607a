/* Ground of every shape, from files and from functions, and what is said of ground that is wrong. */
#define _POSIX_C_SOURCE 200809L
#include "scenario/wrong.h"
#include "support/bounds.h"

#include <math.h>
#include <unistd.h>

static void expect_surface(const pki_scenario *s, double x, double y, double z, double tolerance)
{
  const pk_terrain_hit hit = pk_terrain_query(s->terrain, (double[3]){x, y, z}, 100);
  assert_less(fabs(hit.distance), tolerance);
}

static void expect_distance(const char *solid, const double point[3], double distance)
{
  char text[400];
  snprintf(text, sizeof text, REST "terrain:\n  - %s\n", solid);
  pki_scenario *s = good_scenario(text, NULL);
  const pk_terrain_hit hit = pk_terrain_query(s->terrain, point, 100);
  if (!(fabs(hit.distance - distance) < 1e-9)) {
    fail_msg("%s: found %.17g, expected %g", solid, hit.distance, distance);
  }
  pki_scenario_destroy(s);
}

static void every_shape_stands_where_it_was_put(void **state)
{
  (void)state;
  const double above[3] = {1, 2, 5};
  expect_distance("{shape: sphere, position: [1, 2, 3], size: 0.5}", above, 1.5);
  expect_distance("{shape: sphere, position: [1, 2, 3], size: [0.5]}", above, 1.5);
  expect_distance("{shape: cylinder, position: [1, 2, 3], size: [0.5, 2]}", above, 1);
  expect_distance("{shape: cylinder, position: [1, 2, 3], size: [0.5, 2], rpy: [1.5707963267948966, 0, 0]}",
                  above, 1.5);
  expect_distance("{shape: capsule, position: [1, 2, 3], size: [0.5, 2]}", above, 0.5);
  expect_distance("{shape: capsule, position: [1, 2, 3], size: [0.5, 0]}", above, 1.5);
  expect_distance("{shape: ellipsoid, position: [1, 2, 3], size: [1, 2, 0.25]}", above, 1.75);
  expect_distance("{shape: cone, position: [1, 2, 3], size: [0.5, 1]}", above, 1.5);
  expect_distance("{shape: mesh, position: [0.98, 1.99, 3], file: ground/rock.obj}", above, 1.8);
  expect_distance("{shape: convex, position: [0.96, 1.98, 3], file: ground/rock.obj, scale: 2}", above, 1.6);
}

static void heights_come_from_a_list_a_file_or_a_function(void **state)
{
  (void)state;
  pki_scenario *s =
      good_scenario(REST "terrain:\n"
                         "  - {shape: heights, cell: 0.1, file: ground/hills.csv}\n"
                         "  - {shape: heights, position: [10, 0, 0], cell: 0.5, nx: 9, ny: 9, function: "
                         "waves, amplitude: 0.2, length: 2}\n"
                         "  - {shape: heights, position: [20, 0, 0], rpy: [0, 0, 1.5707963267948966], "
                         "cell: 1, heights: [[0, 0, 3], [0, 0, 3]]}\n",
                    NULL);
  expect_surface(s, 2.8, 1.6, 0.06, 1e-4); /* the highest hill */
  expect_surface(s, 10.5, 0.5, 0.2, 1e-12);
  expect_surface(s, 11.5, 1.5, -0.2, 1e-12);
  /* turned by a quarter: its x goes along y */
  const pk_terrain_hit hit = pk_terrain_query(s->terrain, (double[3]){19.5, 1.75, 2}, 100);
  assert_less(hit.distance, 0);
  pki_scenario_destroy(s);
}

/* The hash of a scenario whose one file holds the one text or the other; the file counts by what it holds. */
static void expect_hashed(const char *scenario, const char *first, const char *second)
{
  char name[] = PK_BUILD_DIR "/hashed-XXXXXX", text[400];
  const int fd = mkstemp(name);
  assert_at_least(fd, 0);
  close(fd);
  snprintf(text, sizeof text, scenario, name);
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(i < 2 ? first : second, f);
    fclose(f);
    pki_scenario *s = good_scenario(text, NULL);
    hash[i] = pki_scenario_hash(s);
    pki_scenario_destroy(s);
  }
  assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
  remove(name);
}

/* A run may only be resumed on the ground, with the objects and with the pairs that it began with. */
static void what_files_hold_counts_for_the_hash(void **state)
{
  (void)state;
  expect_hashed(REST "terrain:\n  - {shape: heights, cell: 1, format: text, file: %s}\n", "0 0\n0 0\n",
                "0 0\n0 1\n");
  expect_hashed("duration: 1\nobjects:\n  - {shape: convex, file: %s}\n", "v 0 0 0\n", "v 0 0 1\n");
  expect_hashed("duration: 1\nmodel: {model: pendulum, srdf: %s}\n", "<robot/>", "<robot name='a'/>");
}

#define SOLID(text) REST "terrain:\n  - {" text "}\n"

static const wrong cases[] = {
    /* shapes by size */
    {SOLID("shape: sphere"), 4, "terrain.0", "the key \"size\" is missing: its radius, m"},
    {SOLID("shape: cylinder, size: 1"), 4, "terrain.0.size",
     "size has 1 number, expected 2: its radius and its length, m"},
    {SOLID("shape: capsule, size: [1, 2, 3]"), 4, "terrain.0.size",
     "size has 3 numbers, expected 2: its radius and the length of its straight part, m"},
    {SOLID("shape: ellipsoid, size: [1, 0, 3]"), 4, "terrain.0.size.1",
     "size is 0 m, expected 1e-06 to 1e+06"},
    {SOLID("shape: cone, size: [1, x]"), 4, "terrain.0.size.1", "size is \"x\", expected a number"},
    {SOLID("shape: cone, size: {a: 1}"), 4, "terrain.0.size", NULL},
    {SOLID("shape: sphere, size: 1, radius: 2"), 4, "terrain.0.radius",
     "there is no key \"radius\" (one of: shape, material, position, rpy, size)"},
    {SOLID("shape: spher, size: 1"), 4, "terrain.0.shape",
     "shape is \"spher\", expected one of plane, box, stairs, heights, mesh, convex, sphere, cylinder, "
     "capsule, "
     "ellipsoid, cone; did you mean \"sphere\"?"},
    /* meshes */
    {SOLID("shape: mesh"), 4, "terrain.0",
     "the key \"file\" is missing: a text, STL, OBJ or COLLADA: a path from the scenario's folder"},
    {SOLID("shape: mesh, file: ground/rok.obj"), 4, "terrain.0.file",
     "there is no file \"ground/rok.obj\"; did you mean \"rock.obj\"?"},
    {SOLID("shape: mesh, file: nowhere/rock.obj"), 4, "terrain.0.file",
     "there is no file \"nowhere/rock.obj\""},
    {SOLID("shape: mesh, file: ground"), 4, "terrain.0.file", "\"ground\" is a folder, expected a file"},
    {SOLID("shape: mesh, file: ground/hills.csv"), 4, "terrain.0.file",
     "ground/hills.csv: the ending '.csv' is not known; expected .stl, .obj, .dae, .ply, .glb or .msh. Other "
     "meshes can be "
     "converted, "
     "for example with `assimp export in.csv out.obj`, MeshLab or Blender"},
    {SOLID("shape: convex, file: ground/rock.obj, scale: 0"), 4, "terrain.0.scale", NULL},
    /* heights */
    {SOLID("shape: heights, cell: 1, file: ground/hils.csv"), 4, "terrain.0.file",
     "there is no file \"ground/hils.csv\"; did you mean \"hills.csv\"?"},
    {SOLID("shape: heights, cell: 1, file: ground/rock.obj"), 4, "terrain.0.file",
     "ground/rock.obj: the name tells no format; expected .png, .csv, .txt, .f32, .u16, .r16, or a format "
     "that is "
     "given"},
    {SOLID("shape: heights, cell: 1, file: ground/hills.csv, format: uint16"), 4, "terrain.0.file",
     "ground/hills.csv: a uint16 file tells nothing of its shape: nx and ny are needed"},
    {SOLID("shape: heights, cell: 1, file: ground/hills.csv, format: uint16, nx: 2, ny: 2"), 4,
     "terrain.0.file", NULL},
    {SOLID("shape: heights, cell: 1, file: ground/hills.csv, nx: 40"), 4, "terrain.0.file",
     "ground/hills.csv: the file has 41 x 31 heights, expected 40 x 31"},
    {SOLID("shape: heights, cell: 1, file: ground/hills.csv, format: pgn"), 4, "terrain.0.format",
     "format is \"pgn\", expected one of auto, png, text, float32, uint16; did you mean \"png\"?"},
    {SOLID("shape: heights, file: ground/hills.csv"), 4, "terrain.0",
     "the key \"cell\" is missing: a number, distance between heights, along x and y"},
    {SOLID("shape: heights, cell: 1, function: waves"), 4, "terrain.0",
     "a function needs nx and ny, 2 or more: how many heights there are along x and y"},
    {SOLID("shape: heights, cell: 1, function: wave, nx: 3, ny: 3"), 4, "terrain.0.function",
     "function is \"wave\", expected one of none, waves, steps, rough; did you mean \"waves\"?"},
    {SOLID("shape: heights, cell: 1, function: rough, nx: 3000, ny: 3000"), 4, "terrain.0",
     "functions make 9000000 heights up to here, at most 2097152 are possible; a file may have more"},
    {SOLID("shape: heights, cell: 1, function: rough, nx: 3, ny: 3, file: ground/hills.csv"), 4, "terrain.0",
     "heights come from one of \"heights\", \"file\" and \"function\", found 2 of them"},
    {SOLID("shape: heights, cell: 1, heights: [[0, 0], [0, 0]], seed: 1"), 4, "terrain.0.seed",
     "\"seed\" is for heights from a function"},
    {SOLID("shape: heights, cell: 1, heights: [[0, 0], [0, 0]], nx: 2"), 4, "terrain.0.nx",
     "\"nx\" is for heights from a file or function"},
    {SOLID("shape: heights, cell: 1, file: ground/hills.csv, amplitude: 2"), 4, "terrain.0.amplitude",
     "\"amplitude\" is for heights from a function"},
};

static void wrong_ground_is_refused_where_it_stands(void **state)
{
  (void)state;
  refuse_scenarios(cases, sizeof cases / sizeof *cases);
}

/* What is wrong inside a file of text is told with the file's own line. */
static void a_wrong_line_of_a_file_is_named(void **state)
{
  (void)state;
  char name[] = PK_BUILD_DIR "/wrong-XXXXXX", text[400];
  const int fd = mkstemp(name);
  assert_at_least(fd, 0);
  FILE *f = fdopen(fd, "w");
  fputs("0 0\n0 zero\n", f);
  fclose(f);
  snprintf(text, sizeof text, REST "terrain:\n  - {shape: heights, cell: 1, format: text, file: %s}\n", name);
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(read_scenario(text, NULL, &s, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.file, name);
  assert_int_equal(err.line, 2);
  assert_string_equal(err.message, "found \"zero\", expected a height");
  remove(name);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_stands_where_it_was_put),
      cmocka_unit_test(heights_come_from_a_list_a_file_or_a_function),
      cmocka_unit_test(what_files_hold_counts_for_the_hash),
      cmocka_unit_test(wrong_ground_is_refused_where_it_stands),
      cmocka_unit_test(a_wrong_line_of_a_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
