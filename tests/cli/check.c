/* pronk check. */
#include "cli/run.h"
#include "support/bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void good_models_are_explained(void **state)
{
  (void)state;
  run_result r = run("check starleth");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "starleth.urdf: ok"));
  assert_true(contains(r.out, "free root 'base', 18 degrees of freedom, 13 bodies"));
  assert_true(contains(r.out, "merged"));
  run_free(&r);
  r = run("check pendulum");
  assert_true(contains(r.out, "1 degree of freedom, 1 body, 1 kg"));
  run_free(&r);
}

/* A box of 1 m, and two joints further a ball whose lowest point is 0.125 m below its top. */
static void links_that_overlap_in_the_start_pose_are_told(void **state)
{
  (void)state;
  static const char inertial[] =
      "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial>";
  static const char limit[] =
      "<axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
  FILE *f = fopen("check_overlap.urdf", "w");
  assert_non_null(f);
  fprintf(f,
          "<robot name=\"o\"><link name=\"a\">%s<collision><geometry><box size=\"1 1 1\"/></geometry>"
          "</collision></link><link name=\"b\">%s</link>",
          inertial, inertial);
  fprintf(f,
          "<link name=\"c\">%s<collision><origin xyz=\"0 0 0.75\"/><geometry><sphere radius=\"0.375\"/>"
          "</geometry></collision></link>",
          inertial);
  fprintf(f,
          "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>%s</joint>"
          "<joint name=\"k\" type=\"revolute\"><parent link=\"b\"/><child link=\"c\"/>%s</joint></robot>\n",
          limit, limit);
  fclose(f);
  run_result r = run("check check_overlap.urdf");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "links a and c overlap by 125 mm in the start pose: they do not collide"));
  run_free(&r);
  cJSON *o = run_json("check check_overlap.urdf --json", 0);
  const cJSON *all = cJSON_GetObjectItem(o, "overlaps"), *first = cJSON_GetArrayItem(all, 0);
  assert_int_equal(cJSON_GetArraySize(all), 1);
  assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "links"), 1)->valuestring, "c");
  assert_less(fabs(cJSON_GetObjectItem(first, "depth")->valuedouble - 0.125), 1e-9);
  cJSON_Delete(o);
  remove("check_overlap.urdf");
}

/* Shapes that no world takes: pronk run says the same of them. */
static void shapes_that_cannot_collide_are_errors(void **state)
{
  (void)state;
  static const struct {
    const char *geometry, *message;
  } bad[] = {
      {"<sphere radius=\"1e308\"/>",
       "(sphere) of the link \"a\": size[0] of the sphere is 1e+308 m, expected "
       "1e-09 to 1e+09: give its lengths in m"},
      {"<sphere radius=\"1e-320\"/>", "is 9.99989e-321 m, expected 1e-09 to 1e+09: give its lengths in m"},
      {"<mesh filename=\"check_far.obj\" scale=\"1e300 1 1\"/>",
       "is 1e+300 m, expected at most 1e+09 in size: mend the mesh's file or its scale"},
      {"<mesh filename=\"check_far.obj\" scale=\"1 1 3e38\"/>",
       "is 3e+38 m, expected at most 1e+09 in size: mend the mesh's file or its scale"},
      {"<mesh filename=\"check_flat.obj\"/>",
       "none of the mesh's 1 triangles has an area: mend the mesh's file or its scale"},
  };
  write_file("check_far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write_file("check_flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  write_file("check_shape.yaml", "model: check_shape.urdf\nduration: 0.01\nterrain: [{shape: plane}]\n");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
             "izz=\"1\" "
             "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><box size=\"1 1 1\"/></geometry>"
             "</collision><collision><geometry>%s</geometry></collision><collision><geometry>%s</geometry>"
             "</collision></link></robot>",
             bad[i].geometry, bad[i].geometry);
    write_file("check_shape.urdf", text);
    run_result r = run("check check_shape.urdf");
    assert_int_equal(r.status, 2);
    assert_true(contains(r.out, bad[i].message));
    assert_true(contains(r.out, "shape 1 (") && contains(r.out, "shape 2 ("));
    assert_true(contains(r.out, "check_shape.urdf: not ok, 2 errors"));
    run_free(&r);
    cJSON *o = run_json("check check_shape.urdf --json", 2);
    assert_false(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "errors")), 2);
    cJSON_Delete(o);
    r = run("run -n check_shape.yaml");
    assert_int_equal(r.status, 2);
    assert_true(contains(r.err, bad[i].message));
    run_free(&r);
  }
  remove("check_far.obj"), remove("check_flat.obj"), remove("check_shape.yaml"), remove("check_shape.urdf");
}

/* What grows with the square of their number does not end within the test's time. */
static void very_many_shapes_planes_links_and_objects_are_checked_in_time(void **state)
{
  (void)state;
  FILE *f = fopen("check_shapes.urdf", "w");
  assert_non_null(f);
  fprintf(f, "<robot name=\"s\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
             "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>");
  for (int i = 0; i < 10000; i++) {
    fprintf(f, "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>\n");
  }
  fprintf(f, "</link></robot>\n");
  fclose(f);
  f = fopen("check_planes.yaml", "w");
  assert_non_null(f);
  fprintf(f, "model: starleth\nduration: 1\nterrain:\n");
  for (int i = 0; i < 100000; i++) {
    fprintf(f, "  - {shape: plane, position: [0, 0, -%d]}\n", 1 + i);
  }
  fclose(f);
  write_file(
      "check_objects.yaml",
      "duration: 1\nterrain: [{shape: plane}]\nobjects: [{name: ball, shape: sphere, size: 0.05, mass: 1, "
      "position: [0, 0, 1], count: [20, 20, 50], spacing: [0.2, 0.2, 0.2]}]\n");
  static const char *const what[] = {"check_shapes.urdf", "check_planes.yaml", "check_objects.yaml",
                                     "chain:11584"};
  for (int i = 0; i < 4; i++) {
    char line[60];
    snprintf(line, sizeof line, "check %s", what[i]);
    run_result r = run(line);
    assert_int_equal(r.status, 0);
    assert_true(contains(r.out, ": ok"));
    run_free(&r);
    remove(what[i]);
  }
}

static void every_error_is_named_with_its_line_and_the_nearest_word(void **state)
{
  (void)state;
  write_robot("check_bad.urdf", "revolut", "0 0 0");
  run_result r = run("check check_bad.urdf");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "check_bad.urdf:11: error: "));
  assert_true(contains(r.out, "revolute"));
  assert_true(contains(r.out, "check_bad.urdf: not ok, "));
  assert_true(contains(r.out, "\n  masses and the tree are checked once these are mended\n"));
  run_free(&r);
  remove("check_bad.urdf");
}

static void json_has_the_promised_fields(void **state)
{
  (void)state;
  write_robot("check_bad.urdf", "revolut", "0 1 0");
  cJSON *o = run_json("check check_bad.urdf --json", 2);
  assert_string_equal(cJSON_GetObjectItem(o, "file")->valuestring, "check_bad.urdf");
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "ok")));
  assert_true(cJSON_IsArray(cJSON_GetObjectItem(o, "warnings")));
  const cJSON *errors = cJSON_GetObjectItem(o, "errors");
  assert_at_least(cJSON_GetArraySize(errors), 1);
  const cJSON *first = cJSON_GetArrayItem(errors, 0);
  assert_string_equal(cJSON_GetObjectItem(first, "file")->valuestring, "check_bad.urdf");
  assert_int_equal(cJSON_GetObjectItem(first, "line")->valueint, 11);
  assert_true(cJSON_IsString(cJSON_GetObjectItem(first, "field")));
  assert_true(contains(cJSON_GetObjectItem(first, "message")->valuestring, "revolut"));
  cJSON_Delete(o);
  remove("check_bad.urdf");

  o = run_json("check pendulum --json", 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")));
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "errors")), 0);
  assert_int_equal(cJSON_GetObjectItem(o, "dof")->valueint, 1);
  cJSON_Delete(o);
}

/* Nine visuals without a size, and moments that no body has. */
static void write_odd_robot(const char *name)
{
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fprintf(f, "<robot name='odd'><link name='a'><inertial><mass value='1'/>"
             "<inertia ixx='1' iyy='1' izz='3'/></inertial>\n");
  for (int i = 0; i < 9; i++) {
    fprintf(f, "<visual><geometry><sphere radius='0'/></geometry></visual>\n");
  }
  fprintf(f, "</link></robot>\n");
  fclose(f);
}

static void warnings_of_one_kind_are_one_line(void **state)
{
  (void)state;
  write_odd_robot("check_odd.urdf");
  run_result r = run("check check_odd.urdf");
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.out, "check_odd.urdf:2: warning: link[a]/visual/geometry/sphere@radius: radius of <sphere> is "
             "0: the visual is left out [shape-empty]\n"
             "  8 more like it: lines 3, 4, 5, 6, 7, 8, ... (--verbose shows them)\n"
             "check_odd.urdf:1: warning: a: inertia of link \"a\""));
  assert_true(contains(r.out, "[inertia-balanced]\n"));
  assert_true(contains(r.out, "check_odd.urdf: ok, 10 warnings\n"));
  run_free(&r);
  r = run("check --verbose check_odd.urdf");
  assert_true(contains(r.out, "check_odd.urdf:10: warning: "));
  assert_false(contains(r.out, "more like it"));
  run_free(&r);
  cJSON *o = run_json("check check_odd.urdf --json", 0);
  const cJSON *warnings = cJSON_GetObjectItem(o, "warnings");
  assert_int_equal(cJSON_GetArraySize(warnings), 10);
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(warnings, 8), "kind")->valuestring,
                      "shape-empty");
  cJSON_Delete(o);
  remove("check_odd.urdf");
}

static void strict_and_unbalanced_models_are_refused(void **state)
{
  (void)state;
  write_odd_robot("check_odd.urdf");
  run_result r = run("check --strict check_odd.urdf");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "check_odd.urdf:2: error: "));
  assert_true(contains(r.out, "check_odd.urdf: not ok, 9 errors\n"));
  run_free(&r);
  r = run("check --no-balance check_odd.urdf");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "principal moments 1, 1, 3: no body has one above the sum of the others\n"));
  run_free(&r);
  r = run("info --strict check_odd.urdf");
  assert_int_equal(r.status, 2);
  run_free(&r);
  r = run("info check_odd.urdf");
  assert_int_equal(r.status, 0);
  run_free(&r);
  remove("check_odd.urdf");
}

static void several_models_are_checked_to_the_end(void **state)
{
  (void)state;
  write_robot("check_bad.urdf", "revolut", "0 1 0");
  run_result r = run("check check_bad.urdf pendulum nothing --json");
  assert_int_equal(r.status, 2);
  /* One object on each line. */
  int objects = 0;
  for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    cJSON *o = cJSON_Parse(line);
    assert_non_null(o);
    assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")), objects == 1);
    cJSON_Delete(o);
    objects++;
  }
  assert_int_equal(objects, 3);
  run_free(&r);
  remove("check_bad.urdf");
}

static void a_file_that_is_no_xml_or_not_there_is_not_ok(void **state)
{
  (void)state;
  write_file("check_broken.urdf", "<robot name=\"x\"><link");
  run_result r = run("check check_broken.urdf");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "check_broken.urdf:1: error: "));
  run_free(&r);
  remove("check_broken.urdf");
  r = run("check ./nowhere.urdf");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.out, "./nowhere.urdf: error: "));
  assert_null(strstr(r.out, "mended"));
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_models_are_explained),
      cmocka_unit_test(links_that_overlap_in_the_start_pose_are_told),
      cmocka_unit_test(shapes_that_cannot_collide_are_errors),
      cmocka_unit_test(very_many_shapes_planes_links_and_objects_are_checked_in_time),
      cmocka_unit_test(every_error_is_named_with_its_line_and_the_nearest_word),
      cmocka_unit_test(json_has_the_promised_fields),
      cmocka_unit_test(warnings_of_one_kind_are_one_line),
      cmocka_unit_test(strict_and_unbalanced_models_are_refused),
      cmocka_unit_test(several_models_are_checked_to_the_end),
      cmocka_unit_test(a_file_that_is_no_xml_or_not_there_is_not_ok),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
