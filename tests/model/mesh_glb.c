/* GLB files: scenes put together here, sound and damaged. */
#include "model/mesh_support.h"

typedef struct glb {
  char data[4096];
  size_t size;
} glb;

static void put_uint(char *at, uint32_t value)
{
  for (int i = 0; i < 4; i++) {
    at[i] = (char)(value >> 8 * i);
  }
}

/* A file from a scene and a buffer. */
static glb make_glb(const char *json, const void *bin, size_t nbin)
{
  glb g = {.size = 20};
  const size_t n = strlen(json), padded = (n + 3) / 4 * 4;
  memcpy(g.data, "glTF", 4);
  put_uint(g.data + 4, 2);
  put_uint(g.data + 12, (uint32_t)padded);
  memcpy(g.data + 16, "JSON", 4);
  memset(g.data + 20, ' ', padded);
  memcpy(g.data + 20, json, n);
  g.size += padded;
  put_uint(g.data + g.size, (uint32_t)nbin);
  memcpy(g.data + g.size + 4, "BIN\0", 4);
  memcpy(g.data + g.size + 8, bin, nbin);
  g.size += 8 + nbin;
  put_uint(g.data + 8, (uint32_t)g.size);
  return g;
}

/* A square: 4 positions (48 bytes), 6 indices of 2 bytes, 4 of 1 byte; this machine is little-endian as the file is. */
typedef struct buffer {
  float position[4][3];
  uint16_t index[6];
  uint8_t strip[4];
} buffer;

static const buffer square_buffer = {.position = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                                     .index = {0, 1, 2, 0, 2, 3},
                                     .strip = {0, 1, 3, 2}};

#define BUFFERS \
  "\"buffers\":[{\"byteLength\":64}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0," \
  "\"byteOffset\":" \
  "48,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":60,\"byteLength\":4}],\"accessors\":[{\"bufferView\":" \
  "0," \
  "\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123," \
  "\"count\":6," \
  "\"type\":\"SCALAR\"},{\"bufferView\":2,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"}]"
#define SCENE(nodes, primitive) \
  "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" nodes \
  "],\"meshes\":[{\"primitives\":[" primitive "]}]," BUFFERS "}"
#define INDEXED "{\"attributes\":{\"POSITION\":0},\"indices\":1}"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};

static pki_mesh read_scene(const char *json)
{
  const glb g = make_glb(json, &square_buffer, sizeof square_buffer);
  return parse_good("glb", g.data, g.size);
}

static void an_indexed_mesh_is_read(void **state)
{
  (void)state;
  pki_mesh mesh = read_scene(SCENE("{\"mesh\":0,\"name\":\"a \\\"b\\\" [\"}", INDEXED));
  assert_mesh(&mesh, 4, square, 2, halves);
}

static void nodes_move_turn_and_scale(void **state)
{
  (void)state;
  /* the outer node turns by 90 degrees about z, the inner one is twice as large and one further along x */
  pki_mesh mesh =
      read_scene(SCENE("{\"children\":[1],\"rotation\":[0,0,0.7071067811865476,0.7071067811865476]},"
                       "{\"mesh\":0,\"translation\":[1,0,0],\"scale\":[2,2,2]}",
                       INDEXED));
  static const double there[4][3] = {{0, 1, 0}, {0, 3, 0}, {-2, 3, 0}, {-2, 1, 0}};
  for (int i = 0; i < 12; i++) {
    mesh.vertex[i] = round(1e12 * mesh.vertex[i]) / 1e12 + 0.0;
  }
  assert_mesh(&mesh, 4, there, 2, halves);
}

static void a_matrix_stands_by_columns_and_a_mirror_keeps_the_outside(void **state)
{
  (void)state;
  pki_mesh mesh = read_scene(SCENE("{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1]}", INDEXED));
  static const double there[4][3] = {{5, 6, 7}, {4, 7, 7}, {4, 6, 7}, {5, 7, 7}};
  static const int turned[2][3] = {{0, 1, 2}, {0, 3, 1}};
  assert_mesh(&mesh, 4, there, 2, turned);
}

static void strips_and_fans_are_read(void **state)
{
  (void)state;
  pki_mesh fan = read_scene(SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":0},\"mode\":6}"));
  assert_mesh(&fan, 4, square, 2, halves);
  pki_mesh strip =
      read_scene(SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":0},\"indices\":2,\"mode\":5}"));
  static const double order[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  static const int both[2][3] = {{0, 1, 2}, {1, 3, 2}};
  assert_mesh(&strip, 4, order, 2, both);
}

static void lines_are_ignored_beside_triangles(void **state)
{
  (void)state;
  pki_mesh mesh = read_scene(SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":0},\"mode\":1}," INDEXED));
  assert_mesh(&mesh, 4, square, 2, halves);
}

static void meshes_without_a_scene_are_read_as_they_are(void **state)
{
  (void)state;
  pki_mesh mesh = read_scene("{\"meshes\":[{\"primitives\":[" INDEXED "]}]," BUFFERS "}");
  assert_mesh(&mesh, 4, square, 2, halves);
}

static void every_cut_is_an_error(void **state)
{
  (void)state;
  const glb g = make_glb(SCENE("{\"mesh\":0}", INDEXED), &square_buffer, sizeof square_buffer);
  for (size_t n = 1; n < g.size; n++) {
    pki_mesh mesh;
    pk_error err = {PK_OK, 0, "", "", ""};
    assert_true(parse_block("glb", g.data, n, &mesh, &err) != PK_OK);
    assert_null(mesh.vertex);
  }
}

typedef struct damage {
  const char *json, *message;
  pk_status status;
} damage;

static void damage_is_told(void **state)
{
  (void)state;
  static const damage all[] = {
      {"{\"scene\":", "the scene is not JSON at byte 32", PK_ERROR_SYNTAX},
      {"{\"scenes\":[{\"nodes\":[0]}]}", "a scene names a node that is not there", PK_ERROR_SYNTAX},
      {"{\"scenes\":[{\"nodes\":[-1]}]}", "a scene names a node that is not there", PK_ERROR_SYNTAX},
      {SCENE("{\"children\":[0]}", INDEXED), "nodes are nested too deep, or hold themselves", PK_ERROR_LIMIT},
      {SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":9}}"),
       "an accessor has no buffer view, or is sparse", PK_ERROR_UNSUPPORTED},
      {SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":1}}"), "an accessor reaches beyond the buffer",
       PK_ERROR_SYNTAX},
      {SCENE("{\"mesh\":0}", "{\"attributes\":{\"POSITION\":0},\"indices\":0}"),
       "indices are not whole numbers", PK_ERROR_SYNTAX},
      {"{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
       "the file needs the extension 'KHR_draco_mesh_compression'; export it without compression",
       PK_ERROR_UNSUPPORTED},
      {"{\"scenes\":[{}]}", "the file holds no triangle; expected at least one", PK_ERROR_SYNTAX},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const glb g = make_glb(all[i].json, &square_buffer, sizeof square_buffer);
    assert_refused("glb", g.data, g.size, (expected_error){all[i].status, 0, "", all[i].message});
  }
  assert_refused(
      "glb", "glTF", 4,
      (expected_error){PK_ERROR_SYNTAX, 0, "", "the file does not begin with 'glTF' and version 2"});
}

/* Two children in each of 40 nodes would be 2^40 triangles. */
static void instances_are_bounded(void **state)
{
  (void)state;
  char json[3000] = "{\"scenes\":[{\"nodes\":[0]}],\"nodes\":[";
  for (int i = 1; i < 40; i++) {
    snprintf(json + strlen(json), sizeof json - strlen(json), "{\"children\":[%d,%d]},", i, i);
  }
  snprintf(json + strlen(json), sizeof json - strlen(json),
           "{\"mesh\":0}],\"meshes\":[{\"primitives\":[%s]}],%s}", INDEXED, BUFFERS);
  const glb g = make_glb(json, &square_buffer, sizeof square_buffer);
  assert_refused(
      "glb", g.data, g.size,
      (expected_error){PK_ERROR_LIMIT, 0, "", "nodes and instances make too much for a file of this size"});
}

/* A value takes two characters here and some 50 bytes of memory. */
static void values_are_bounded(void **state)
{
  (void)state;
  enum { VALUES = 4000000, SIZE = 2 * VALUES + 4 };
  char *file = malloc(20 + SIZE);
  memcpy(file, "glTF", 4);
  put_uint(file + 4, 2), put_uint(file + 8, 20 + SIZE), put_uint(file + 12, SIZE);
  memcpy(file + 16, "JSON", 4);
  for (int i = 0; i < VALUES; i++) {
    memcpy(file + 20 + 2 * (size_t)i, ",0", 2);
  }
  file[20] = '[';
  memcpy(file + 20 + SIZE - 4, "]   ", 4);
  assert_refused("glb", file, 20 + SIZE,
                 (expected_error){PK_ERROR_LIMIT, 0, "", "the scene has more than 4000000 values"});
  free(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_indexed_mesh_is_read),
      cmocka_unit_test(nodes_move_turn_and_scale),
      cmocka_unit_test(a_matrix_stands_by_columns_and_a_mirror_keeps_the_outside),
      cmocka_unit_test(strips_and_fans_are_read),
      cmocka_unit_test(lines_are_ignored_beside_triangles),
      cmocka_unit_test(meshes_without_a_scene_are_read_as_they_are),
      cmocka_unit_test(every_cut_is_an_error),
      cmocka_unit_test(damage_is_told),
      cmocka_unit_test(instances_are_bounded),
      cmocka_unit_test(values_are_bounded),
  };
  return cmocka_run_group_tests_name("GLB", tests, NULL, NULL);
}
