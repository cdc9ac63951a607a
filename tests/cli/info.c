/* pronk info. */
#include "cli/run.h"
#include "support/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const cJSON *object, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  assert_true(cJSON_IsNumber(item));
  return item->valuedouble;
}

static const cJSON *array(const cJSON *object, const char *name, int size)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  assert_true(cJSON_IsArray(item));
  assert_int_equal(cJSON_GetArraySize(item), size);
  return item;
}

static void a_person_sees_the_tree_with_kinds_limits_and_masses(void **state)
{
  (void)state;
  run_result r = run("info double_pendulum");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "double_pendulum"));
  assert_true(contains(r.out, "mass                3 kg"));
  assert_true(contains(r.out, "degrees of freedom  2  (nq 2, nu 2)"));
  assert_true(contains(r.out, "└─ hinge_1"));
  assert_true(contains(r.out, "   └─ hinge_2"));
  assert_true(contains(r.out, "continuous"));
  /* (1 * -1 + 2 * -4.5) / 3 */
  assert_true(contains(r.out, "centre of mass      (0.0000, 0.0000, -3.3333) m"));
  assert_true(contains(r.out, "gravity             (0, 0, -9.81) m/s²"));
  run_free(&r);
}

static void legs_hang_on_the_free_root(void **state)
{
  (void)state;
  run_result r = run("info starleth");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "free root"));
  assert_true(contains(r.out, "├─ LF_HAA"));
  assert_true(contains(r.out, "│     └─ LF_KFE"));
  assert_true(contains(r.out, "└─ RH_HAA"));
  assert_true(contains(r.out, "rad"));
  assert_true(contains(r.out, "N m"));
  run_free(&r);
}

/* The planted numbers of StarLETH: hips, links of 0.2 and 0.235 m, and 1.8 + 0.31 + 0.32 kg. */
static void legs_have_hips_reach_and_masses(void **state)
{
  (void)state;
  cJSON *o = run_json("info starleth --legs --json", 0);
  const cJSON *legs = array(o, "legs", 4), *leg = cJSON_GetArrayItem(legs, 0);
  assert_string_equal(cJSON_GetObjectItem(leg, "foot")->valuestring, "LF_FOOT");
  assert_string_equal(cJSON_GetObjectItem(leg, "form")->valuestring, "point, plane");
  assert_near(number(leg, "mass"), 2.43, 1e-12);
  assert_near(number(leg, "thigh"), 0.2, 1e-12);
  assert_near(number(leg, "shank"), 0.235, 1e-12);
  assert_near(cJSON_GetArrayItem(array(leg, "reach", 2), 0)->valuedouble, 0.035, 1e-12);
  assert_near(cJSON_GetArrayItem(array(leg, "reach", 2), 1)->valuedouble, 0.435, 1e-12);
  /* knees of 0.1 to 2.46 rad: the law of cosines */
  const double c = 0.2 * 0.2 + 0.235 * 0.235, k = 2 * 0.2 * 0.235;
  const cJSON *within = array(leg, "reach_within_limits", 2);
  assert_near(cJSON_GetArrayItem(within, 0)->valuedouble, sqrt(c + k * cos(2.46)), 1e-12);
  assert_near(cJSON_GetArrayItem(within, 1)->valuedouble, sqrt(c + k * cos(0.1)), 1e-12);
  assert_near(cJSON_GetArrayItem(array(leg, "hip", 3), 2)->valuedouble, -0.0685, 1e-12);
  const cJSON *knee = cJSON_GetArrayItem(array(leg, "hinges", 3), 2);
  assert_string_equal(cJSON_GetObjectItem(knee, "joint")->valuestring, "LF_KFE");
  cJSON_Delete(o);
  o = run_json("info coman --legs --json", 0);
  legs = array(o, "legs", 4);
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(legs, 0), "form")->valuestring, "pose");
  assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(legs, 2), "form")->valuestring, "none");
  assert_true(cJSON_IsString(cJSON_GetObjectItem(cJSON_GetArrayItem(legs, 2), "why")));
  cJSON_Delete(o);
  run_result r = run("info ur10 --legs");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "point, plane"));
  assert_true(contains(r.out, "wrist_1_joint (kept)"));
  run_free(&r);
  r = run("info motors/maxon-re40 --legs");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--legs is for models"));
  run_free(&r);
}

static void json_has_the_promised_fields_and_full_arrays(void **state)
{
  (void)state;
  cJSON *o = run_json("info starleth --json", 0);
  assert_string_equal(cJSON_GetObjectItem(o, "model")->valuestring, "starleth");
  assert_int_equal((int)number(o, "dof"), 18);
  assert_int_equal((int)number(o, "nq"), 19);
  array(o, "q0", 19);
  array(o, "gravity", 3);
  array(o, "com", 3);
  const cJSON *bodies = array(o, "bodies", 13), *joints = array(o, "joints", 12);
  double mass = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, bodies)
  {
    mass += number(item, "mass");
    array(item, "inertia", 6);
    array(item, "rotation", 9);
    assert_less(number(item, "parent"), number(item, "index"));
  }
  assert_less(fabs(mass - number(o, "mass")), 1e-12 * mass);
  cJSON_ArrayForEach(item, joints)
  {
    assert_string_equal(cJSON_GetObjectItem(item, "kind")->valuestring, "revolute");
    assert_less(number(item, "lower"), number(item, "upper"));
    array(item, "axis", 3);
  }
  cJSON_Delete(o);
}

static void what_has_no_bound_is_null(void **state)
{
  (void)state;
  cJSON *o = run_json("info pendulum --json", 0);
  const cJSON *joint = cJSON_GetArrayItem(array(o, "joints", 1), 0);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(joint, "lower")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(joint, "upper")));
  /* Moments about the centre of mass, though the model keeps them about the axis. */
  const cJSON *body = cJSON_GetArrayItem(array(o, "bodies", 1), 0);
  const double diagonal[6] = {5.5, 0, 0, 5.5, 0, 5.5};
  const cJSON *moments = array(body, "inertia", 6);
  for (int i = 0; i < 6; i++) {
    assert_less(fabs(cJSON_GetArrayItem(moments, i)->valuedouble - diagonal[i]), 1e-12);
  }
  cJSON_Delete(o);
}

static void a_model_is_a_file_a_folder_or_a_name(void **state)
{
  (void)state;
  static const char *const names[] = {"pendulum", PK_SOURCE_DIR "/models/pendulum",
                                      PK_SOURCE_DIR "/models/pendulum/",
                                      PK_SOURCE_DIR "/models/pendulum/pendulum.urdf"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char line[1024];
    snprintf(line, sizeof line, "info '%s' --json", names[i]);
    cJSON *o = run_json(line, 0);
    assert_string_equal(cJSON_GetObjectItem(o, "model")->valuestring, "pendulum");
    cJSON_Delete(o);
  }
}

static void the_user_chooses_the_root(void **state)
{
  (void)state;
  write_robot("info_two.urdf", "continuous", "0 1 0");
  static const struct {
    const char *line;
    int dof, bodies;
  } cases[] = {{"info info_two.urdf --json", 1, 1},
               {"info info_two.urdf --json --root free", 7, 2},
               {"info info_two.urdf --json --root=fixed", 1, 1},
               {"info info_two.urdf --json --root chain", 7, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cJSON *o = run_json(cases[i].line, 0);
    assert_int_equal((int)number(o, "dof"), cases[i].dof);
    array(o, "bodies", cases[i].bodies);
    cJSON_Delete(o);
  }
  /* Helpers of the chain root are bodies for the machine and nothing to look at. */
  run_result r = run("info info_two.urdf --root chain");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "chain root"));
  assert_true(contains(r.out, "└─ hinge"));
  run_free(&r);
  remove("info_two.urdf");
}

static void chains_are_generated_to_any_length(void **state)
{
  (void)state;
  cJSON *o = run_json("info chain:7 --json", 0);
  assert_int_equal((int)number(o, "dof"), 7);
  cJSON_Delete(o);
  o = run_json("info chain:7 --root free --json", 0);
  assert_greater(number(o, "dof"), 7);
  cJSON_Delete(o);
  run_result r = run("info chain:3000");
  assert_int_equal(r.status, 0);
  run_free(&r);
}

static void the_size_is_that_of_the_shapes(void **state)
{
  (void)state;
  write_file(
      "info_box.urdf",
      "<robot name=\"box\"><link name=\"box\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial><collision><origin xyz=\"0 0 1\" "
      "rpy=\"1.5707963267948966 0 0\"/><geometry><cylinder radius=\"0.5\" length=\"4\"/></geometry>"
      "</collision></link></robot>\n");
  cJSON *o = run_json("info info_box.urdf --json", 0);
  const cJSON *least = array(o, "extent_min", 3), *most = array(o, "extent_max", 3);
  const double expected[2][3] = {{-0.5, -2, 0.5}, {0.5, 2, 1.5}};
  for (int i = 0; i < 3; i++) {
    assert_less(fabs(cJSON_GetArrayItem(least, i)->valuedouble - expected[0][i]), 1e-12);
    assert_less(fabs(cJSON_GetArrayItem(most, i)->valuedouble - expected[1][i]), 1e-12);
  }
  cJSON_Delete(o);
  remove("info_box.urdf");
}

/* The axis is no coordinate axis, so that the model's own frame is turned; the user's is not. */
static void inertias_are_in_the_frame_of_the_link(void **state)
{
  (void)state;
  write_file("info_skew.urdf",
             "<robot name=\"skew\"><link name=\"world\"/><link name=\"arm\"><inertial>"
             "<origin xyz=\"0.1 0 0\" rpy=\"0 0 0\"/><mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0.125\" "
             "ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2.5\"/></inertial></link><joint name=\"hinge\" "
             "type=\"continuous\"><parent link=\"world\"/><child link=\"arm\"/><axis xyz=\"1 1 0\"/></joint>"
             "</robot>\n");
  cJSON *o = run_json("info info_skew.urdf --json", 0);
  const cJSON *body = cJSON_GetArrayItem(array(o, "bodies", 1), 0);
  static const double com[3] = {0.1, 0, 0}, moment[6] = {1, 0.125, 0, 2, 0, 2.5};
  for (int i = 0; i < 3; i++) {
    assert_less(fabs(cJSON_GetArrayItem(array(body, "com", 3), i)->valuedouble - com[i]), 1e-15);
  }
  for (int i = 0; i < 6; i++) {
    assert_less(fabs(cJSON_GetArrayItem(array(body, "inertia", 6), i)->valuedouble - moment[i]), 1e-14);
  }
  cJSON_Delete(o);
  run_result r = run("info info_skew.urdf");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "arm   2.0000  0.1000  0.0000  0.0000    1  0.125    0    2    0  2.5"));
  run_free(&r);
  remove("info_skew.urdf");
}

static void a_bad_file_is_wrong_input_with_its_line(void **state)
{
  (void)state;
  write_robot("info_bad.urdf", "revolut", "0 1 0");
  run_result r = run("info info_bad.urdf");
  assert_int_equal(r.status, 2);
  assert_string_equal(r.out, "");
  assert_true(contains(r.err, "pronk info: info_bad.urdf:11: "));
  assert_true(contains(r.err, "revolute"));
  run_free(&r);
  r = run("info info_bad.urdf --json");
  assert_int_equal(r.status, 2);
  run_free(&r);
  remove("info_bad.urdf");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_person_sees_the_tree_with_kinds_limits_and_masses),
      cmocka_unit_test(legs_hang_on_the_free_root),
      cmocka_unit_test(legs_have_hips_reach_and_masses),
      cmocka_unit_test(json_has_the_promised_fields_and_full_arrays),
      cmocka_unit_test(what_has_no_bound_is_null),
      cmocka_unit_test(a_model_is_a_file_a_folder_or_a_name),
      cmocka_unit_test(the_user_chooses_the_root),
      cmocka_unit_test(chains_are_generated_to_any_length),
      cmocka_unit_test(the_size_is_that_of_the_shapes),
      cmocka_unit_test(inertias_are_in_the_frame_of_the_link),
      cmocka_unit_test(a_bad_file_is_wrong_input_with_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
