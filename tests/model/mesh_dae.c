/* COLLADA files: what is read, and where it lands. */
#include "mesh_dae_support.h"
#include "support/bounds.h"

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int square_halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
static const int triangle[1][3] = {{0, 1, 2}};

/* ---- geometry ---- */

static void without_a_scene_geometries_are_taken_as_they_are(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){0});
  assert_mesh(&mesh, 3, square, 1, triangle);
}

static void several_inputs_share_an_index_list(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){
      .primitives =
          "<triangles count=\"2\"><input semantic=\"NORMAL\" source=\"#n\" offset=\"0\"/>"
          "<input semantic=\"VERTEX\" source=\"#v\" offset=\"1\"/><input semantic=\"TEXCOORD\" "
          "source=\"#t\" offset=\"2\"/><input semantic=\"TEXCOORD\" source=\"#u\" offset=\"2\" set=\"1\"/>"
          "<p>7 0 9 7 1 9 7 2 9  7 0 9 7 2 9 7 3 9</p></triangles>"});
  assert_mesh(&mesh, 4, square, 2, square_halves);
}

static void an_accessor_has_stride_offset_and_named_parameters(void **state)
{
  (void)state;
  /* Each point is preceded by a number without a name, and z comes first. */
  pki_mesh mesh = parse_parts(
      (dae_parts){.array = "<float_array id=\"a\" count=\"14\">5 5 7 0 0 0 7 0 1 0 7 0 1 1</float_array>",
                  .accessor = "<accessor source=\"#a\" count=\"3\" stride=\"4\" offset=\"2\"><param/>"
                              "<param name=\"Z\"/><param name=\"X\"/><param name=\"Y\"/></accessor>"});
  assert_mesh(&mesh, 3, square, 1, triangle);
}

static void a_polylist_becomes_fans(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_parts((dae_parts){.primitives = "<polylist count=\"3\">" INPUT
                                            "<vcount>4 2 3</vcount><p>0 1 2 3  0 1  2 3 0</p></polylist>"});
  const int all[3][3] = {{0, 1, 2}, {0, 2, 3}, {2, 3, 0}};
  assert_mesh(&mesh, 4, square, 3, all);
}

static void polygons_and_fans_and_strips_become_triangles(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts(
      (dae_parts){.primitives = "<polygons count=\"2\">" INPUT "<p>0 1 2 3</p><p>1 2 3</p></polygons>"
                                "<trifans count=\"1\">" INPUT "<p>0 1 2 3</p></trifans>"
                                "<tristrips count=\"1\">" INPUT "<p>0 1 3 2</p></tristrips>"
                                "<lines count=\"1\">" INPUT "<p>0 1</p></lines>"});
  const int all[7][3] = {{0, 1, 2}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {3, 1, 2}};
  assert_mesh(&mesh, 4, square, 7, all);
}

static void comments_and_character_data_may_stand_among_numbers(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){.array = "<float_array id=\"a\" count=\"12\">0 0 0<!-- <!DOCTYPE "
                                                   "-->\n1 0 0 <![CDATA[1 1]]>&#32;0\n0 1 0</float_array>"});
  assert_mesh(&mesh, 3, square, 1, triangle);
}

/* ---- scene ---- */

static void the_unit_scales_to_metres(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){.unit = "<unit name=\"inch\" meter=\"0.0254\"/>"});
  const double vertex[3][3] = {{0, 0, 0}, {0.0254, 0, 0}, {0.0254, 0.0254, 0}};
  assert_mesh(&mesh, 3, vertex, 1, triangle);
}

static void the_up_axis_turns_nothing(void **state)
{
  (void)state;
  static const char *const axes[] = {"X_UP", "Y_UP", "Z_UP"};
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
    char unit[64];
    snprintf(unit, sizeof unit, "<up_axis>%s</up_axis>", axes[i]);
    pki_mesh mesh = parse_parts((dae_parts){.unit = unit});
    assert_mesh(&mesh, 3, square, 1, triangle);
  }
}

static void transforms_apply_from_the_last_to_the_first(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_parts((dae_parts){.nodes = "<node><translate>10 20 30</translate><rotate>0 0 2 90</rotate>"
                                       "<scale>2 3 4</scale><instance_geometry url=\"#g\"/></node>"});
  /* scaled (2, 0, 0) and (2, 3, 0), then turned to (0, 2, 0) and (-3, 2, 0), then moved */
  const double vertex[3][3] = {{10, 20, 30}, {10, 22, 30}, {7, 22, 30}};
  assert_int_equal(mesh.nvertex, 3);
  for (int i = 0; i < 9; i++) {
    assert_less(fabs(mesh.vertex[i] - vertex[i / 3][i % 3]), 1e-14);
  }
  pki_mesh_free(&mesh);
}

static void nested_nodes_compose_their_matrices(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){
      .unit = "<unit meter=\"0.5\"/>",
      .nodes = "<node><matrix>0 -1 0 4  1 0 0 0  0 0 1 6  0 0 0 1</matrix><node>"
               "<matrix>1 0 0 2  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry url=\"#g\"/>"
               "</node></node>"});
  const double vertex[3][3] = {{2, 1, 3}, {2, 1.5, 3}, {1.5, 1.5, 3}};
  assert_mesh(&mesh, 3, vertex, 1, triangle);
}

static void a_node_can_be_instanced_many_times(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts(
      (dae_parts){.library = "<node id=\"part\"><instance_geometry url=\"#g\"/></node>",
                  .nodes = "<node><instance_node url=\"#part\"/></node>"
                           "<node><translate>0 0 1</translate><instance_node url=\"#part\"/></node>"});
  const double vertex[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}};
  const int both[2][3] = {{0, 1, 2}, {3, 4, 5}};
  assert_mesh(&mesh, 6, vertex, 2, both);
}

static void a_mirrored_instance_keeps_its_outside(void **state)
{
  (void)state;
  pki_mesh mesh =
      parse_parts((dae_parts){.nodes = "<node><scale>-1 1 1</scale><instance_geometry url=\"#g\"/></node>"});
  const double vertex[3][3] = {{0, 0, 0}, {-1, 0, 0}, {-1, 1, 0}};
  const int turned[1][3] = {{0, 2, 1}};
  assert_mesh(&mesh, 3, vertex, 1, turned);
}

static void the_scene_that_is_shown_is_taken(void **state)
{
  (void)state;
  char text[8192], other[8192];
  write_dae((dae_parts){.nodes = "<node><instance_geometry url=\"#g\"/></node>"}, text, sizeof text);
  /* a second scene, before the one that is shown */
  char *at = strstr(text, "<visual_scene");
  snprintf(other, sizeof other, "%.*s<visual_scene id=\"t\"/>%s", (int)(at - text), text, at);
  pki_mesh mesh = parse_good("dae", other, strlen(other));
  assert_mesh(&mesh, 3, square, 1, triangle);
  /* none is shown: the first one counts, and it is empty */
  at = strstr(other, "<scene>");
  memcpy(at, "<SCENE>", 7);
  memcpy(strstr(other, "</scene>"), "</SCENE>", 8);
  assert_text_refused(
      other, (expected_error){PK_ERROR_SYNTAX, 0, "", "the file holds no triangle; expected at least one"});
}

static void a_node_and_a_geometry_may_share_an_id(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts((dae_parts){.nodes = "<node id=\"g\"><instance_geometry url=\"#g\"/></node>"});
  assert_mesh(&mesh, 3, square, 1, triangle);
}

static void a_camera_may_look_at_something(void **state)
{
  (void)state;
  pki_mesh mesh = parse_parts(
      (dae_parts){.nodes = "<node><lookat>1 1 1 0 0 0 0 0 1</lookat><instance_camera url=\"#c\"/></node>"
                           "<node><instance_geometry url=\"#g\"/></node>"});
  assert_mesh(&mesh, 3, square, 1, triangle);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_scene_geometries_are_taken_as_they_are),
      cmocka_unit_test(several_inputs_share_an_index_list),
      cmocka_unit_test(an_accessor_has_stride_offset_and_named_parameters),
      cmocka_unit_test(a_polylist_becomes_fans),
      cmocka_unit_test(polygons_and_fans_and_strips_become_triangles),
      cmocka_unit_test(comments_and_character_data_may_stand_among_numbers),
      cmocka_unit_test(the_unit_scales_to_metres),
      cmocka_unit_test(the_up_axis_turns_nothing),
      cmocka_unit_test(transforms_apply_from_the_last_to_the_first),
      cmocka_unit_test(nested_nodes_compose_their_matrices),
      cmocka_unit_test(a_node_can_be_instanced_many_times),
      cmocka_unit_test(a_mirrored_instance_keeps_its_outside),
      cmocka_unit_test(the_scene_that_is_shown_is_taken),
      cmocka_unit_test(a_node_and_a_geometry_may_share_an_id),
      cmocka_unit_test(a_camera_may_look_at_something),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
