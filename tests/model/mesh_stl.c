/* STL files, binary and text: what is read, and what each kind of damage is answered with. */
#include "mesh_support.h"

enum { HEADER = 84, RECORD = 50 };

/* A binary file of `count` records; corner k of record i is at (i, k, i k). */
static size_t write_binary(unsigned char *out, const char *header, unsigned count)
{
  memset(out, 0, HEADER + RECORD * (size_t)count);
  memcpy(out, header, strlen(header));
  for (int k = 0; k < 4; k++) {
    out[80 + k] = (unsigned char)(count >> 8 * k);
  }
  for (unsigned i = 0; i < count; i++) {
    for (unsigned k = 0; k < 3; k++) {
      const float x[3] = {(float)i, (float)k, (float)(i * k)};
      memcpy(out + HEADER + RECORD * (size_t)i + 12 * (k + 1), x, sizeof x);
    }
  }
  return HEADER + RECORD * (size_t)count;
}

static pki_mesh parse_text(const char *text)
{
  return parse_good("stl", text, strlen(text));
}

static void assert_text_refused(const char *text, expected_error expected)
{
  assert_refused("stl", text, strlen(text), expected);
}

#define FACET(a, b, c) \
  "facet normal 0 0 1 outer loop vertex " a " vertex " b " vertex " c " endloop endfacet\n"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int square_halves[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void binary_triangles_are_read(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "made by hand", 2);
  pki_mesh mesh = parse_good("stl", data, size);
  const double vertex[6][3] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 1}, {1, 2, 2}};
  const int triangle[2][3] = {{0, 1, 2}, {3, 4, 5}};
  assert_mesh(&mesh, 6, vertex, 2, triangle);
}

static void a_binary_file_may_begin_with_solid(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "solid exported by a program", 1);
  pki_mesh mesh = parse_good("stl", data, size);
  const double vertex[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}};
  const int triangle[1][3] = {{0, 1, 2}};
  assert_mesh(&mesh, 3, vertex, 1, triangle);
}

static void equal_vertices_become_one(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_text("solid s\n" FACET("0 0 0", "1 0 0", "1 1 0") FACET("0 0 0", "1 1 0", "0 1 0") "endsolid");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void zero_and_minus_zero_are_the_same_place(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("solid s\n" FACET("0 0 0", "1 0 -0", "1 1 0")
                                 FACET("-0 0 0", "1 1 -0.0", "0 1 0") "endsolid");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void vertices_that_differ_in_the_last_bit_stay_two(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("solid\n" FACET("1 0 0", "1.0000000000000002 0 0", "0 1 0") "endsolid\n");
  assert_int_equal(mesh.nvertex, 3);
  pki_mesh_free(&mesh);
}

static void many_vertices_are_merged_exactly(void **state)
{
  (void)state;
  /* A strip of a grid: record i shares two corners with record i + 1. */
  enum { COUNT = 20000 };
  unsigned char *data = calloc(1, HEADER + RECORD * (size_t)COUNT);
  assert_non_null(data);
  const size_t size = write_binary(data, "", COUNT);
  for (unsigned i = 0; i < COUNT; i++) {
    for (unsigned k = 0; k < 3; k++) {
      const float x[3] = {(float)(i + k) * 0.125f, (float)((i + k) % 2), 0};
      memcpy(data + HEADER + RECORD * (size_t)i + 12 * (k + 1), x, sizeof x);
    }
  }
  pki_mesh mesh = parse_good("stl", data, size);
  free(data);
  assert_int_equal(mesh.ntriangle, COUNT);
  assert_int_equal(mesh.nvertex, COUNT + 2);
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 3; k++) {
      assert_int_equal(mesh.triangle[3 * i + k], i + k);
    }
  }
  pki_mesh_free(&mesh);
}

static void degenerate_triangles_are_kept(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("solid s\n" FACET("1 2 3", "1 2 3", "1 2 3") "endsolid s\n");
  const double vertex[1][3] = {{1, 2, 3}};
  const int triangle[1][3] = {{0, 0, 0}};
  assert_mesh(&mesh, 1, vertex, 1, triangle);
}

static void text_may_have_any_case_and_white_space(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_text("\n\t SOLID  My Part \r\nFacet\tNORMAL -nan nan nan\r\n OUTER\n\nLOOP Vertex 0 0 0\r\n"
                 "VERTEX +1e0 0. .0\rvertex 10E-1 1\n0\r\nEndLoop ENDFACET\n\n"
                 "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 1 0 vertex 0 1 0 endloop endfacet\n"
                 "  EndSolid My Part  \n\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_byte_order_mark_is_skipped(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("\xef\xbb\xbfsolid\n" FACET("0 0 0", "1 0 0", "1 1 0")
                                 FACET("0 0 0", "1 1 0", "0 1 0") "endsolid");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_whole_file_may_stand_on_one_line(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_text("solid facet of a part facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 "
                 "endloop endfacet facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 1 0 vertex 0 1 0 "
                 "endloop endfacet endsolid facet of a part");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void several_solids_make_one_mesh(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("solid a\n" FACET(
      "0 0 0", "1 0 0", "1 1 0") "endsolid Solid\n"
                                 "solid\nendsolid\n"
                                 "solid b\n" FACET("0 0 0", "1 1 0", "0 1 0") "endsolid b\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_truncated_binary_file_is_refused(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "solid", 2);
  assert_refused(
      "stl", data, size - 1,
      (expected_error){PK_ERROR_SYNTAX, 0, "",
                       "the count at byte 80 says 2 triangles, which take 184 bytes, but the file has "
                       "183; it is truncated or no STL file"});
}

static void bytes_after_the_last_record_are_refused(void **state)
{
  (void)state;
  unsigned char data[256] = {0};
  const size_t size = write_binary(data, "", 1);
  assert_refused(
      "stl", data, size + 3,
      (expected_error){PK_ERROR_SYNTAX, 0, "",
                       "the count at byte 80 says 1 triangles, which take 134 bytes, but the file has "
                       "137; it is followed by other data or no STL file"});
}

static void a_huge_count_is_refused_before_memory_is_asked_for(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "", 1);
  memset(data + 80, 0xff, 4);
  assert_refused(
      "stl", data, size,
      (expected_error){PK_ERROR_SYNTAX, 0, "",
                       "the count at byte 80 says 4294967295 triangles, which take 214748364834 bytes, "
                       "but the file has 134; it is truncated or no STL file"});
}

static void a_file_shorter_than_a_header_is_refused(void **state)
{
  (void)state;
  assert_refused(
      "stl",
      "\x7f"
      "ELF",
      4,
      (expected_error){PK_ERROR_SYNTAX, 0, "",
                       "the file has 4 bytes and does not begin with 'solid'; a binary STL has at least "
                       "84 bytes"});
}

static void a_binary_file_without_triangles_is_refused(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "", 0);
  assert_refused(
      "stl", data, size,
      (expected_error){PK_ERROR_SYNTAX, 0, "", "the file holds no triangle; expected at least one"});
}

static void a_text_file_without_triangles_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "solid empty\nendsolid empty\n",
      (expected_error){PK_ERROR_SYNTAX, 0, "", "the file holds no triangle; expected at least one"});
}

static void a_binary_coordinate_that_is_not_finite_is_refused(void **state)
{
  (void)state;
  unsigned char data[256];
  const size_t size = write_binary(data, "", 2);
  const uint32_t infinity = 0x7f800000;
  memcpy(data + HEADER + RECORD + 12 + 12 + 4, &infinity, 4);
  assert_refused(
      "stl", data, size,
      (expected_error){PK_ERROR_NONFINITE, 0, "",
                       "triangle 2 has a coordinate that is inf at byte 162; expected finite numbers"});
}

static void a_text_coordinate_that_is_not_finite_is_refused(void **state)
{
  (void)state;
  assert_text_refused("solid\n" FACET("0 0 0", "1 0 0", "1 1 0")
                          FACET("0 0 0", "1 NaN 0", "0 1 0") "endsolid\n",
                      (expected_error){PK_ERROR_NONFINITE, 3, "vertex",
                                       "found the coordinate 'NaN'; expected a finite number"});
  assert_text_refused("solid\n" FACET("0 0 0", "1e999 0 0", "1 1 0"),
                      (expected_error){PK_ERROR_NONFINITE, 2, "vertex",
                                       "found the coordinate '1e999'; expected a finite number"});
}

static void a_text_coordinate_that_is_no_number_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "solid\n" FACET("0 0 0", "1,5 0 0", "1 1 0"),
      (expected_error){PK_ERROR_SYNTAX, 2, "", "found '1,5' where a coordinate was expected"});
}

static void a_truncated_text_file_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "solid s\n" FACET("0 0 0", "1 0 0", "1 1 0"),
      (expected_error){PK_ERROR_SYNTAX, 3, "",
                       "the file ends where 'facet' or 'endsolid' was expected; it is not complete"});
  assert_text_refused(
      "solid s\nfacet normal 0 0",
      (expected_error){PK_ERROR_SYNTAX, 2, "",
                       "the file ends where a facet's normal was expected; it is not complete"});
  assert_text_refused("solid s\nfacet normal 0 0 1\nouter loop\nvertex 1 2",
                      (expected_error){PK_ERROR_SYNTAX, 4, "",
                                       "the file ends where a coordinate was expected; it is not complete"});
}

static void a_polygon_of_four_vertices_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\n",
      (expected_error){PK_ERROR_SYNTAX, 7, "",
                       "found 'vertex' where 'endloop' after three vertices was expected"});
}

static void a_wrong_word_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "solid s\nfacette normal 0 0 1",
      (expected_error){PK_ERROR_SYNTAX, 2, "", "found 'facette' where 'facet' or 'endsolid' was expected"});
  assert_text_refused(
      "solid s\nfacet 0 0 1",
      (expected_error){PK_ERROR_SYNTAX, 2, "", "found '0' where 'normal' after 'facet' was expected"});
  assert_text_refused("solid s\nendsolid s\nmore",
                      (expected_error){PK_ERROR_SYNTAX, 3, "",
                                       "found 'more' where 'solid' or the end of the file was expected"});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binary_triangles_are_read),
      cmocka_unit_test(a_binary_file_may_begin_with_solid),
      cmocka_unit_test(equal_vertices_become_one),
      cmocka_unit_test(zero_and_minus_zero_are_the_same_place),
      cmocka_unit_test(vertices_that_differ_in_the_last_bit_stay_two),
      cmocka_unit_test(many_vertices_are_merged_exactly),
      cmocka_unit_test(degenerate_triangles_are_kept),
      cmocka_unit_test(text_may_have_any_case_and_white_space),
      cmocka_unit_test(a_byte_order_mark_is_skipped),
      cmocka_unit_test(a_whole_file_may_stand_on_one_line),
      cmocka_unit_test(several_solids_make_one_mesh),
      cmocka_unit_test(a_truncated_binary_file_is_refused),
      cmocka_unit_test(bytes_after_the_last_record_are_refused),
      cmocka_unit_test(a_huge_count_is_refused_before_memory_is_asked_for),
      cmocka_unit_test(a_file_shorter_than_a_header_is_refused),
      cmocka_unit_test(a_binary_file_without_triangles_is_refused),
      cmocka_unit_test(a_text_file_without_triangles_is_refused),
      cmocka_unit_test(a_binary_coordinate_that_is_not_finite_is_refused),
      cmocka_unit_test(a_text_coordinate_that_is_not_finite_is_refused),
      cmocka_unit_test(a_text_coordinate_that_is_no_number_is_refused),
      cmocka_unit_test(a_truncated_text_file_is_refused),
      cmocka_unit_test(a_polygon_of_four_vertices_is_refused),
      cmocka_unit_test(a_wrong_word_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
