/* Wavefront OBJ files: what is read, and what each kind of damage is answered with. */
#include "mesh_support.h"

static pki_mesh parse_text(const char *text)
{
  return parse_good("obj", text, strlen(text));
}

static void assert_text_refused(const char *text, expected_error expected)
{
  assert_refused("obj", text, strlen(text), expected);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int square_halves[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void triangles_are_read(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text(SQUARE "f 1 2 3\nf 1 3 4\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_polygon_becomes_a_fan(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text(SQUARE "v -1 0.5 0\nf 1 2 3 4 5\n");
  const double vertex[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-1, 0.5, 0}};
  const int triangle[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
  assert_mesh(&mesh, 5, vertex, 3, triangle);
}

static void a_corner_may_name_texture_and_normal(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text(SQUARE "vt 0 0\nvn 0 0 1\nf 1/1 2/1/1 3//1\nf 1/1/ 3// 4/\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void negative_indices_count_backwards(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4/-1/-1 -2//-2 -1\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_face_may_come_before_its_vertices(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("f 1 2 3\nf 1 3 4\n" SQUARE);
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void lines_may_be_continued(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("v 0 \\\n 0 0\nv\\\n 1 0\\\r\n 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n3 \\\n4\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void a_continued_comment_hides_the_next_line(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text(SQUARE "# \\\nf 9 9 9\nf 1 2 3 4\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void other_lines_and_ends_of_lines_are_ignored(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_text("\xef\xbb\xbf# made by hand\r\nmtllib a.mtl\r\n\r\no part\r\ng a b\r\n  v 0 0 0 1.0\r\n"
                 "v 1 0 0 0.5 0.5 0.5\rv\t1\t1\t0\n\nv 0 1 0 # corner\nvp 1 2\nusemtl m\ns 1\nl 1 2\n"
                 "p 1\nf 1 2 3 4 # face");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void equal_vertices_become_one_and_unused_ones_are_dropped(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("v 9 9 9\n" SQUARE "v 0 0 0\nv 1 1 0\nf 2 3 4\nf 6 7 5\n");
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void degenerate_triangles_are_kept(void **state)
{
  (void)state;
  pki_mesh mesh = parse_text("v 1 2 3\nf 1 1 1\n");
  const double vertex[1][3] = {{1, 2, 3}};
  const int triangle[1][3] = {{0, 0, 0}};
  assert_mesh(&mesh, 1, vertex, 1, triangle);
}

static void an_index_out_of_range_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      SQUARE "f 1 2 5\n",
      (expected_error){PK_ERROR_SYNTAX, 5, "f", "a corner names vertex 5; the file's vertices are 1 to 4"});
  assert_text_refused(
      SQUARE "f 0 1 2\n",
      (expected_error){PK_ERROR_SYNTAX, 5, "f", "a corner names vertex 0; the file's vertices are 1 to 4"});
  assert_text_refused(
      "v 0 0 0\nv 0 0 1\nf -3 -2 -1\nv 1 1 1\n",
      (expected_error){PK_ERROR_SYNTAX, 3, "f",
                       "a corner names vertex -3, counted backwards, but only 2 vertices come before "
                       "this line"});
}

static void an_index_that_fits_no_integer_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      SQUARE "f 1 2 99999999999999999999\n",
      (expected_error){PK_ERROR_SYNTAX, 5, "f",
                       "found '99999999999999999999' where a corner (v, v/vt, v//vn or v/vt/vn) was "
                       "expected"});
}

static void a_corner_that_is_no_index_is_refused(void **state)
{
  (void)state;
  static const char *const corners[] = {"x", "1.5", "/1", "1/x", "1/2/3/4", "1//x"};
  for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
    char text[128], message[128];
    snprintf(text, sizeof text, SQUARE "f 1 2 %s\n", corners[i]);
    snprintf(message, sizeof message, "found '%s' where a corner (v, v/vt, v//vn or v/vt/vn) was expected",
             corners[i]);
    assert_text_refused(text, (expected_error){PK_ERROR_SYNTAX, 5, "f", message});
  }
}

static void a_face_with_two_corners_is_refused(void **state)
{
  (void)state;
  assert_text_refused(SQUARE "f 1 2\n",
                      (expected_error){PK_ERROR_SYNTAX, 5, "f", "a face has 2 corners; expected at least 3"});
  assert_text_refused(SQUARE "f",
                      (expected_error){PK_ERROR_SYNTAX, 5, "f", "a face has 0 corners; expected at least 3"});
}

static void a_coordinate_that_is_not_finite_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "v 0 0 0\nv 0 inf 0\n",
      (expected_error){PK_ERROR_NONFINITE, 2, "v", "found the coordinate 'inf'; expected a finite number"});
  assert_text_refused(
      "v 0 0 -nan\n",
      (expected_error){PK_ERROR_NONFINITE, 1, "v", "found the coordinate '-nan'; expected a finite number"});
}

static void a_coordinate_that_is_no_number_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      "v 0 0 0\n\nv 0 1,5 0\n",
      (expected_error){PK_ERROR_SYNTAX, 3, "v", "found '1,5' where a coordinate was expected"});
}

static void a_truncated_vertex_is_refused(void **state)
{
  (void)state;
  assert_text_refused("v 0 0 0\nv 0 1", (expected_error){PK_ERROR_SYNTAX, 2, "v",
                                                         "a vertex has 2 coordinates; expected 'v X Y Z'"});
  assert_text_refused("v 1\nv 0 1 0", (expected_error){PK_ERROR_SYNTAX, 1, "v",
                                                       "a vertex has 1 coordinate; expected 'v X Y Z'"});
}

static void a_file_without_vertices_is_refused(void **state)
{
  (void)state;
  assert_text_refused("# nothing\n",
                      (expected_error){PK_ERROR_SYNTAX, 0, "",
                                       "the file has no vertex; expected lines 'v X Y Z' and 'f A B C'"});
}

static void a_file_without_faces_is_refused(void **state)
{
  (void)state;
  assert_text_refused(
      SQUARE "l 1 2\n",
      (expected_error){PK_ERROR_SYNTAX, 0, "", "the file holds no triangle; expected at least one"});
}

static void a_binary_file_is_refused(void **state)
{
  (void)state;
  assert_refused("obj", "v 0\0 0 0\n", 9,
                 (expected_error){PK_ERROR_SYNTAX, 0, "", "byte 3 is zero; an OBJ file is text"});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_are_read),
      cmocka_unit_test(a_polygon_becomes_a_fan),
      cmocka_unit_test(a_corner_may_name_texture_and_normal),
      cmocka_unit_test(negative_indices_count_backwards),
      cmocka_unit_test(a_face_may_come_before_its_vertices),
      cmocka_unit_test(lines_may_be_continued),
      cmocka_unit_test(a_continued_comment_hides_the_next_line),
      cmocka_unit_test(other_lines_and_ends_of_lines_are_ignored),
      cmocka_unit_test(equal_vertices_become_one_and_unused_ones_are_dropped),
      cmocka_unit_test(degenerate_triangles_are_kept),
      cmocka_unit_test(an_index_out_of_range_is_refused),
      cmocka_unit_test(an_index_that_fits_no_integer_is_refused),
      cmocka_unit_test(a_corner_that_is_no_index_is_refused),
      cmocka_unit_test(a_face_with_two_corners_is_refused),
      cmocka_unit_test(a_coordinate_that_is_not_finite_is_refused),
      cmocka_unit_test(a_coordinate_that_is_no_number_is_refused),
      cmocka_unit_test(a_truncated_vertex_is_refused),
      cmocka_unit_test(a_file_without_vertices_is_refused),
      cmocka_unit_test(a_file_without_faces_is_refused),
      cmocka_unit_test(a_binary_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
