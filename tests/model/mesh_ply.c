/* PLY files, text and binary, sound and damaged. */
#include "model/mesh_support.h"

#define HEADER(format, face) \
  "ply\nformat " format " 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n" \
  "property float z\nelement face " face "\nproperty list uchar int vertex_indices\nend_header\n"
#define VERTICES "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void a_polygon_in_text_is_a_fan(void **state)
{
  (void)state;
  const char text[] = HEADER("ascii", "1") VERTICES "4 0 1 2 3\n";
  pki_mesh mesh = parse_good("ply", text, sizeof text - 1);
  assert_mesh(&mesh, 4, square, 2, halves);
}

static void ends_of_lines_may_be_those_of_windows(void **state)
{
  (void)state;
  const char text[] =
      "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty double y\r\n"
      "property double z\r\nelement face 1\r\nproperty list uchar uint vertex_index\r\n"
      "end_header\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n3 0 1 2\r\n";
  pki_mesh mesh = parse_good("ply", text, sizeof text - 1);
  assert_mesh(&mesh, 3, square, 1, halves);
}

static void other_properties_and_elements_are_skipped(void **state)
{
  (void)state;
  const char text[] =
      "ply\nformat ascii 1.0\nelement camera 2\nproperty list uchar float view\nproperty int id\n"
      "element vertex 3\nproperty uchar red\nproperty float x\nproperty float nx\nproperty float y\n"
      "property float z\nelement edge 0\nproperty int a\nelement face 1\nproperty float quality\n"
      "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"
      "3 1 2 3 7\n0 8\n255 0 9 0 0\n255 1 9 0 0\n255 1 9 1 0\n0.5 3 0 1 2 2 0.1 0.2\n";
  pki_mesh mesh = parse_good("ply", text, sizeof text - 1);
  assert_mesh(&mesh, 3, square, 1, halves);
}

/* Numbers as bytes, in either order. */
static size_t put_float(char *at, float value, bool big)
{
  unsigned char bytes[4];
  uint32_t bits;
  memcpy(&bits, &value, 4);
  for (int i = 0; i < 4; i++) {
    bytes[i] = (unsigned char)(bits >> 8 * (big ? 3 - i : i));
  }
  memcpy(at, bytes, 4);
  return 4;
}

static size_t put_int(char *at, int value, bool big)
{
  for (int i = 0; i < 4; i++) {
    at[i] = (char)(value >> 8 * (big ? 3 - i : i));
  }
  return 4;
}

static size_t write_binary(char *out, bool big)
{
  const char *head = big ? HEADER("binary_big_endian", "2") : HEADER("binary_little_endian", "2");
  size_t n = strlen(head);
  memcpy(out, head, n);
  for (int i = 0; i < 12; i++) {
    n += put_float(out + n, (float)square[i / 3][i % 3], big);
  }
  for (int t = 0; t < 2; t++) {
    out[n++] = 3;
    for (int k = 0; k < 3; k++) {
      n += put_int(out + n, halves[t][k], big);
    }
  }
  return n;
}

static void binary_files_of_both_orders_are_read(void **state)
{
  (void)state;
  for (int big = 0; big < 2; big++) {
    char data[512];
    pki_mesh mesh = parse_good("ply", data, write_binary(data, big == 1));
    assert_mesh(&mesh, 4, square, 2, halves);
  }
}

static void every_cut_of_a_binary_file_is_an_error(void **state)
{
  (void)state;
  char data[512];
  const size_t size = write_binary(data, false);
  for (size_t n = 1; n < size; n++) {
    pki_mesh mesh;
    pk_error err = {PK_OK, 0, "", "", ""};
    assert_int_equal(parse_block("ply", data, n, &mesh, &err), PK_ERROR_SYNTAX);
    assert_null(mesh.vertex);
  }
}

typedef struct damage {
  const char *text, *message;
  int line;
  pk_status status;
} damage;

static void damage_is_told(void **state)
{
  (void)state;
  static const damage all[] = {
      {"solid\n", "the file does not begin with 'ply' at byte 6", 2, PK_ERROR_SYNTAX},
      {"ply\nelement vertex 0\nend_header\n", "the header has no 'format' at byte 32", 4, PK_ERROR_SYNTAX},
      {"ply\nformat utf 1.0\n", "the format is none of ascii and binary_*_endian at byte 19", 0,
       PK_ERROR_SYNTAX},
      {"ply\nformat ascii 1.0\nproperty int x\n", "a property comes before its element at byte 36", 4,
       PK_ERROR_SYNTAX},
      {"ply\nformat ascii 1.0\nelement vertex -1\n", "an element is not 'element NAME COUNT' at byte 39", 4,
       PK_ERROR_SYNTAX},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n",
       "a property has an unknown type at byte 54", 5, PK_ERROR_SYNTAX},
      {"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty int x\nend_header\n0\n",
       "an element counts more records than the file has bytes at byte 74", 6, PK_ERROR_SYNTAX},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nend_header\n0 1\n",
       "the vertices have no property x, y or z at byte 79", 7, PK_ERROR_SYNTAX},
      {HEADER("ascii", "1") "0 0 0\n1 0 nan\n1 1 0\n0 1 0\n3 0 1 2\n",
       "vertex 1 has a coordinate that is not finite", 0, PK_ERROR_NONFINITE},
      {HEADER("ascii", "1") VERTICES "3 0 1 4\n",
       "a face names vertex 4; the file's vertices before it are 0 to 3", 0, PK_ERROR_SYNTAX},
      {HEADER("ascii", "1") VERTICES "3 0 -1 2\n",
       "a face names vertex -1; the file's vertices before it are 0 to 3", 0, PK_ERROR_SYNTAX},
      {HEADER("ascii", "1") VERTICES "3 0 x 2\n", "a number was expected at byte 198", 15, PK_ERROR_SYNTAX},
      {HEADER("ascii", "0") VERTICES, "the file holds no triangle; expected at least one", 0,
       PK_ERROR_SYNTAX},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    assert_refused("ply", all[i].text, strlen(all[i].text),
                   (expected_error){all[i].status, all[i].line, "", all[i].message});
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_polygon_in_text_is_a_fan),
      cmocka_unit_test(ends_of_lines_may_be_those_of_windows),
      cmocka_unit_test(other_properties_and_elements_are_skipped),
      cmocka_unit_test(binary_files_of_both_orders_are_read),
      cmocka_unit_test(every_cut_of_a_binary_file_is_an_error),
      cmocka_unit_test(damage_is_told),
  };
  return cmocka_run_group_tests_name("PLY", tests, NULL, NULL);
}
