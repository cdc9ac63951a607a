/* COLLADA files that are damaged or hostile: what each is answered with. */
#include "mesh_dae_support.h"
#include "support/bounds.h"

/* ---- XML ---- */

/* The parser's own words follow; they differ between its versions. */
static void assert_not_well_formed(const char *text)
{
  static const char begin[] = "this is not well-formed XML: ";
  pki_mesh mesh;
  pk_error err = {PK_OK, 0, "", "", ""};
  assert_int_equal(parse_block("dae", text, strlen(text), &mesh, &err), PK_ERROR_SYNTAX);
  assert_memory_equal(err.message, begin, strlen(begin));
  assert_greater(strlen(err.message), strlen(begin));
  assert_null(strchr(err.message, '\n'));
  assert_greater(err.line, 0);
}

static void a_truncated_file_is_refused(void **state)
{
  (void)state;
  assert_not_well_formed("<COLLADA>\n<asset>\n</asset>\n");
  assert_not_well_formed("<COLLADA>\n<asset");
  assert_not_well_formed("<COLLADA><!-- ");
  assert_not_well_formed("<COLLADA><![CDATA[");
  assert_not_well_formed("no XML at all");
}

static void another_root_element_is_refused(void **state)
{
  (void)state;
  assert_text_refused("<robot/>", (expected_error){PK_ERROR_SYNTAX, 1, "robot",
                                                   "the root element is <robot>; expected <COLLADA>"});
}

static void a_document_type_is_refused(void **state)
{
  (void)state;
  const expected_error expected = {
      PK_ERROR_UNSUPPORTED, 2, "",
      "found a document type or entity declaration (<!...>); COLLADA files have none, remove it"};
  assert_text_refused(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE COLLADA SYSTEM \"http://localhost/x.dtd\"><COLLADA/>", expected);
  assert_text_refused("<!-- x -->\n<!DOCTYPE C [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><C>&b;</C>",
                      expected);
}

static void an_undeclared_entity_is_refused(void **state)
{
  (void)state;
  assert_not_well_formed("<COLLADA>&lol;</COLLADA>");
}

static void utf_16_is_refused(void **state)
{
  (void)state;
  assert_refused(
      "dae", "\xff\xfe<\0C\0/\0>\0", 10,
      (expected_error){PK_ERROR_SYNTAX, 1, "", "the file holds zero bytes; expected XML in UTF-8"});
}

static void deep_nesting_is_refused(void **state)
{
  (void)state;
  char text[4096] = "";
  for (int i = 0; i < 201; i++) {
    strcat(text, "<a>\n");
  }
  assert_text_refused(text,
                      (expected_error){PK_ERROR_LIMIT, 201, "", "elements are nested more than 200 deep"});
}

static void a_tag_with_many_attributes_is_refused(void **state)
{
  (void)state;
  char text[4096] = "<COLLADA>\n<a";
  for (int i = 0; i < 65; i++) {
    char attribute[16];
    snprintf(attribute, sizeof attribute, " a%d='>'", i);
    strcat(text, attribute);
  }
  assert_text_refused(text,
                      (expected_error){PK_ERROR_LIMIT, 2, "",
                                       "a tag has more than 64 attributes or 65536 characters; is a quote "
                                       "missing?"});
}

static void a_text_of_ten_million_characters_is_refused(void **state)
{
  (void)state;
  const size_t size = 10000100;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, ' ', size);
  memcpy(text, "<COLLADA>", 9);
  assert_refused(
      "dae", text, size,
      (expected_error){PK_ERROR_LIMIT, 1, "",
                       "an element holds more than 10000000 characters; split the mesh, reduce it or "
                       "convert it to STL"});
  free(text);
}

/* ---- geometry ---- */

static void a_file_without_triangles_is_refused(void **state)
{
  (void)state;
  const expected_error expected = {PK_ERROR_SYNTAX, 0, "",
                                   "the file holds no triangle; expected at least one"};
  assert_text_refused("<COLLADA/>", expected);
  assert_parts_refused((dae_parts){.primitives = "<triangles count=\"0\">" INPUT "</triangles>"}, expected);
  assert_parts_refused((dae_parts){.nodes = ""}, expected);
}

static void a_coordinate_that_is_not_finite_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"12\">0 0 0 1 0 0\n1 NaN 0 0 1 0</float_array>"},
      (expected_error){PK_ERROR_NONFINITE, 5, "float_array", "found 'NaN'; expected a finite number"});
}

static void a_coordinate_that_is_no_number_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"3\">0 0 0x1</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "float_array", "found '0x1' where a number was expected"});
}

static void a_transform_that_overflows_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.nodes = "<node><scale>1e300 1 1</scale><node><scale>1e300 1 1</scale>"
                           "<instance_geometry url=\"#g\"/></node></node>"},
      (expected_error){PK_ERROR_NONFINITE, 7, "instance_geometry",
                       "a vertex is not finite after the transforms of its nodes and the unit"});
}

static void an_index_out_of_range_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.primitives = "<triangles count=\"1\">" INPUT "<p>0 1 4</p></triangles>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p", "a corner names vertex 4; there are 4, counted from 0"});
  assert_parts_refused(
      (dae_parts){.primitives = "<triangles count=\"1\">" INPUT "<p>0 1 -1</p></triangles>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p", "a corner names vertex -1; there are 4, counted from 0"});
}

static void an_index_that_is_no_number_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.primitives = "<triangles count=\"1\">" INPUT "<p>0 1\n1.5</p></triangles>"},
      (expected_error){PK_ERROR_SYNTAX, 6, "p", "found '1.5' where a whole number was expected"});
}

static void a_huge_count_is_refused_before_memory_is_asked_for(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"2147483647\">0 0 0</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "float_array",
                       "count=\"2147483647\" numbers do not fit into this text of 5 characters"});
  assert_parts_refused(
      (dae_parts){.accessor = "<accessor source=\"#a\" count=\"2147483647\" stride=\"2147483647\"/>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "accessor",
                       "count=\"2147483647\" with stride 2147483647 and offset 0 reaches beyond the "
                       "array of 12 numbers"});
  assert_parts_refused(
      (dae_parts){.primitives = "<triangles count=\"2147483647\">" INPUT "<p>0 1 2</p></triangles>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p",
                       "count=\"2147483647\" triangles with 1 indices a corner need 6442450941 "
                       "indices, but there are fewer"});
  assert_parts_refused(
      (dae_parts){.primitives =
                      "<polylist count=\"1\">" INPUT "<vcount>2147483647</vcount><p>0 1 2</p></polylist>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p", "the text ends where a whole number was expected"});
}

/* Without a bound a corner of 2^31 indices takes none, and the file endless triangles. */
static void an_offset_beyond_the_index_list_is_refused(void **state)
{
  (void)state;
  static const char *const kinds[] = {"triangles", "trifans", "tristrips", "polygons"};
  static const char *const offsets[] = {"2147483647", "2147483646", "3"};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      char primitives[256], message[128];
      snprintf(primitives, sizeof primitives,
               "<%s count=\"2000000000\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"%s\"/><p>0 1 "
               "2</p></%s>",
               kinds[i], offsets[k], kinds[i]);
      snprintf(message, sizeof message, "an input has offset=\"%s\", but this list has 3 indices at most",
               offsets[k]);
      assert_parts_refused((dae_parts){.primitives = primitives},
                           (expected_error){PK_ERROR_SYNTAX, 5, "p", message});
    }
  }
  assert_parts_refused(
      (dae_parts){.primitives = "<polylist count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "
                                "offset=\"0\"/><input semantic=\"NORMAL\" source=\"#n\" "
                                "offset=\"2147483647\"/><vcount>3</vcount><p>0 1 2</p></polylist>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p",
                       "an input has offset=\"2147483647\", but this list has 3 indices at most"});
}

static void a_count_that_is_no_count_is_refused(void **state)
{
  (void)state;
  static const char *const counts[] = {"-1", "3x", "", "2147483648", "1.0"};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char array[128], message[128];
    snprintf(array, sizeof array, "<float_array id=\"a\" count=\"%s\">0 0 0</float_array>", counts[i]);
    snprintf(message, sizeof message, "the attribute count=\"%s\" is no whole number from 0 to 2147483647",
             counts[i]);
    assert_parts_refused((dae_parts){.array = array},
                         (expected_error){PK_ERROR_SYNTAX, 4, "float_array", message});
  }
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\">0 0 0</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "float_array", "the attribute 'count' is missing"});
}

static void counts_that_do_not_fit_the_lists_are_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"3\">0.5 0.5</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "float_array", "count=\"3\", but there are fewer numbers"});
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"1\">0 1</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "float_array", "count=\"1\", but there are more numbers"});
  assert_parts_refused(
      (dae_parts){.primitives = "<triangles count=\"1\">" INPUT "<p>0 1 2 3</p></triangles>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p",
                       "count=\"1\" triangles with 1 indices a corner need 3 indices, but there are "
                       "more"});
  assert_parts_refused(
      (dae_parts){.primitives = "<polylist count=\"2\">" INPUT "<vcount>3</vcount><p>0 1 2</p></polylist>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "vcount", "there are 1 polygons; expected count=\"2\""});
  assert_parts_refused(
      (dae_parts){.primitives = "<polylist count=\"1\">" INPUT "<vcount>3</vcount><p>0 1 2 3</p></polylist>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "p",
                       "there are more indices than the polygons in <vcount> have corners"});
  assert_parts_refused(
      (dae_parts){.primitives = "<polylist count=\"1\">" INPUT "<vcount>-3</vcount><p>0 1 2</p></polylist>"},
      (expected_error){PK_ERROR_SYNTAX, 5, "vcount", "a polygon has -3 corners"});
}

static void an_accessor_that_reaches_one_number_too_far_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.array = "<float_array id=\"a\" count=\"11\">0 0 0 1 0 0 1 1 0 0 1</float_array>"},
      (expected_error){PK_ERROR_SYNTAX, 4, "accessor",
                       "count=\"4\" with stride 3 and offset 0 reaches beyond the array of 11 numbers"});
}

static void positions_need_three_coordinates(void **state)
{
  (void)state;
  assert_parts_refused((dae_parts){.accessor = "<accessor source=\"#a\" count=\"6\" stride=\"2\"/>"},
                       (expected_error){PK_ERROR_SYNTAX, 4, "accessor",
                                        "positions have stride=\"2\"; expected at least 3 (X, Y, Z)"});
}

static void missing_parts_are_named(void **state)
{
  (void)state;
  const struct {
    dae_parts parts;
    int line;
    const char *field, *message;
  } rows[] = {
      {{.vertices = " "}, 3, "mesh", "the element <vertices> is missing"},
      {{.vertices = "<vertices id=\"v\"/>"}, 4, "vertices", "an <input> with semantic POSITION is missing"},
      {{.vertices = "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#q\"/></vertices>"},
       4,
       "input",
       "the <source> that this input names is missing"},
      {{.vertices = "<vertices id=\"v\"><input semantic=\"POSITION\"/></vertices>"},
       4,
       "input",
       "the attribute 'source' is missing"},
      {{.vertices = "<vertices id=\"w\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"},
       5,
       "input",
       "the <vertices> that this input names is missing"},
      {{.accessor = " "}, 4, "source", "an <accessor> is missing"},
      {{.accessor = "<accessor source=\"#b\" count=\"4\" stride=\"3\"/>"},
       4,
       "accessor",
       "the <float_array> that this accessor names is missing"},
      {{.primitives = "<triangles count=\"1\"><p>0 1 2</p></triangles>"},
       5,
       "triangles",
       "an <input> with semantic VERTEX is missing"},
      {{.primitives = "<triangles count=\"1\">" INPUT "</triangles>"},
       5,
       "triangles",
       "the index list <p> is missing"},
      {{.primitives = "<polylist count=\"1\">" INPUT "<p>0 1 2</p></polylist>"},
       5,
       "polylist",
       "the list <vcount> is missing"},
      {{.nodes = "<node><instance_geometry/></node>"},
       7,
       "instance_geometry",
       "the attribute 'url' is missing"},
      {{.nodes = "<node><instance_geometry url=\"#s\"/></node>"},
       7,
       "instance_geometry",
       "url=\"#s\" does not name a <geometry> of this file"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_parts_refused(rows[i].parts,
                         (expected_error){PK_ERROR_SYNTAX, rows[i].line, rows[i].field, rows[i].message});
  }
}

/* ---- scene ---- */

static void bad_transforms_are_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.nodes = "<node><translate>1 2</translate></node>"},
      (expected_error){PK_ERROR_SYNTAX, 7, "translate", "the text ends where a number was expected"});
  assert_parts_refused((dae_parts){.nodes = "<node><scale>1 2 3 4</scale></node>"},
                       (expected_error){PK_ERROR_SYNTAX, 7, "scale", "there are more than 3 numbers"});
  assert_parts_refused(
      (dae_parts){.nodes = "<node><rotate>0 0 0 45</rotate></node>"},
      (expected_error){PK_ERROR_SYNTAX, 7, "rotate", "a rotation of 45 degrees has the axis 0 0 0"});
  assert_parts_refused((dae_parts){.nodes = "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix></node>"},
                       (expected_error){PK_ERROR_SYNTAX, 7, "matrix",
                                        "the last row of the matrix is 0 0 1 1; expected 0 0 0 1"});
}

static void a_bad_unit_is_refused(void **state)
{
  (void)state;
  static const char *const units[] = {"0", "-1", "inf", "nan", "1 m", ""};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char unit[64], message[64];
    snprintf(unit, sizeof unit, "<unit meter=\"%s\"/>", units[i]);
    snprintf(message, sizeof message, "meter=\"%.*s\" is no positive number of metres",
             (int)strcspn(units[i], " "), units[i]);
    assert_parts_refused((dae_parts){.unit = unit}, (expected_error){PK_ERROR_SYNTAX, 2, "unit", message});
  }
}

static void what_is_not_understood_is_refused(void **state)
{
  (void)state;
  assert_parts_refused((dae_parts){.primitives = "<polygons count=\"1\">" INPUT
                                                 "<ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>"},
                       (expected_error){PK_ERROR_UNSUPPORTED, 5, "ph",
                                        "polygons with holes are not read; export the mesh as triangles"});
  assert_parts_refused((dae_parts){.nodes = "<node><skew>45 0 1 0 1 0 0</skew><node>"
                                            "<instance_geometry url=\"#g\"/></node></node>"},
                       (expected_error){PK_ERROR_UNSUPPORTED, 7, "skew", "<skew> is not read; use <matrix>"});
  assert_parts_refused(
      (dae_parts){.nodes = "<node><instance_controller url=\"#c\"/></node>"},
      (expected_error){PK_ERROR_UNSUPPORTED, 7, "instance_controller",
                       "<instance_controller> is not read; apply the skin or morph (in Blender: the "
                       "modifiers) and export again"});
  assert_parts_refused(
      (dae_parts){.nodes = "<node><instance_geometry url=\"other.dae#g\"/></node>"},
      (expected_error){PK_ERROR_UNSUPPORTED, 7, "instance_geometry",
                       "url=\"other.dae#g\" does not name something in this file; expected \"#id\""});
  assert_text_refused(
      "<COLLADA><library_geometries><geometry><brep/></geometry></library_geometries></COLLADA>",
      (expected_error){PK_ERROR_UNSUPPORTED, 1, "geometry",
                       "a geometry made of <convex_mesh> or <brep> is not read; export it as a mesh "
                       "of triangles"});
}

static void a_node_that_instances_itself_is_refused(void **state)
{
  (void)state;
  assert_parts_refused(
      (dae_parts){.nodes = "<node id=\"n\"><instance_node url=\"#n\"/></node>"},
      (expected_error){PK_ERROR_LIMIT, 7, "node",
                       "nodes are nested more than 256 deep; does an <instance_node> name a node "
                       "that it is part of?"});
}

/* 2^30 instances from thirty nodes that each hold the one before twice. */
static void instances_that_multiply_are_refused_in_bounded_time(void **state)
{
  (void)state;
  static const char *const leaves[] = {"<instance_geometry url=\"#g\"/>", ""};
  for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
    char nodes[4096], library[256];
    int n = 0;
    for (int i = 30; i > 0; i--) {
      n += snprintf(nodes + n, sizeof nodes - (size_t)n,
                    "<node id=\"n%d\"><instance_node url=\"#n%d\"/><instance_node url=\"#n%d\"/></node>", i,
                    i - 1, i - 1);
    }
    snprintf(library, sizeof library, "<node id=\"n0\">%s</node>", leaves[k]);
    char text[8192];
    write_dae((dae_parts){.nodes = nodes, .library = library}, text, sizeof text);
    pki_mesh mesh;
    pk_error err;
    assert_int_equal(parse_block("dae", text, strlen(text), &mesh, &err), PK_ERROR_LIMIT);
    assert_string_equal(
        err.message,
        "the instances of nodes and geometries make more than 8 triangles or nodes for each byte of "
        "the file; export the scene as one mesh");
  }
}

/* Nothing is made here, but 900 visits to a node with 60 elements are work too. */
static void visits_without_triangles_are_bounded(void **state)
{
  (void)state;
  char inner[512] = "", middle[1024] = "", outer[1024] = "", library[4096];
  for (int i = 0; i < 60; i++) {
    strcat(inner, "<a/>");
  }
  for (int i = 0; i < 30; i++) {
    strcat(middle, "<instance_node url=\"#i\"/>");
    strcat(outer, "<instance_node url=\"#m\"/>");
  }
  snprintf(library, sizeof library, "<node id=\"i\">%s</node><node id=\"m\">%s</node>", inner, middle);
  char text[8192];
  write_dae((dae_parts){.nodes = outer, .library = library}, text, sizeof text);
  pki_mesh mesh;
  assert_int_equal(parse_block("dae", text, strlen(text), &mesh, NULL), PK_ERROR_LIMIT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_truncated_file_is_refused),
      cmocka_unit_test(another_root_element_is_refused),
      cmocka_unit_test(a_document_type_is_refused),
      cmocka_unit_test(an_undeclared_entity_is_refused),
      cmocka_unit_test(utf_16_is_refused),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(a_tag_with_many_attributes_is_refused),
      cmocka_unit_test(a_text_of_ten_million_characters_is_refused),
      cmocka_unit_test(a_file_without_triangles_is_refused),
      cmocka_unit_test(a_coordinate_that_is_not_finite_is_refused),
      cmocka_unit_test(a_coordinate_that_is_no_number_is_refused),
      cmocka_unit_test(a_transform_that_overflows_is_refused),
      cmocka_unit_test(an_index_out_of_range_is_refused),
      cmocka_unit_test(an_index_that_is_no_number_is_refused),
      cmocka_unit_test(a_huge_count_is_refused_before_memory_is_asked_for),
      cmocka_unit_test(an_offset_beyond_the_index_list_is_refused),
      cmocka_unit_test(a_count_that_is_no_count_is_refused),
      cmocka_unit_test(counts_that_do_not_fit_the_lists_are_refused),
      cmocka_unit_test(an_accessor_that_reaches_one_number_too_far_is_refused),
      cmocka_unit_test(positions_need_three_coordinates),
      cmocka_unit_test(missing_parts_are_named),
      cmocka_unit_test(bad_transforms_are_refused),
      cmocka_unit_test(a_bad_unit_is_refused),
      cmocka_unit_test(what_is_not_understood_is_refused),
      cmocka_unit_test(a_node_that_instances_itself_is_refused),
      cmocka_unit_test(instances_that_multiply_are_refused_in_bounded_time),
      cmocka_unit_test(visits_without_triangles_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
