/* Robots without a scenario, and options that say how files of models are read. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run.h"
#include "support/bounds.h"

#define INERTIA "<inertia ixx='.02' iyy='.02' izz='.02' ixy='0' ixz='0' iyz='0'/>"

/* Motors that are too weak for legs that are not straight. */
#define WEAK \
  " --set controller.tau_max=0.1 --set 'model.joints={j0: 0.2, j1: 0.2, j2: 0.2, j3: 0.2}'" \
  " --set 'actuators=[{joints: \"*\", damping: 0.1}]'"

/* Four straight legs below a trunk, as light or as heavy as is asked. Its trunk has a mesh that is not there, or in far/. */
static void write_quadruped(const char *path, double mass, const char *visual)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fprintf(
      f,
      "<robot name='four'><link name='trunk'><inertial><mass value='%g'/><inertia ixx='%g' iyy='%g' izz='%g' "
      "ixy='0' ixz='0' iyz='0'/></inertial>%s<collision><geometry><box size='.4 .2 "
      ".1'/></geometry></collision>"
      "</link>\n",
      mass, mass / 100, mass / 80, mass / 80, visual);
  for (int i = 0; i < 4; i++) {
    const double x = i < 2 ? 0.2 : -0.2, y = i % 2 == 0 ? 0.15 : -0.15;
    fprintf(f,
            "<joint name='j%d' type='revolute'><parent link='trunk'/><child link='leg%d'/><origin xyz='%g %g "
            "-0.1'/>"
            "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='%g' velocity='10'/></joint>\n"
            "<link name='leg%d'><inertial><origin xyz='0 0 -.15'/><mass value='%g'/><inertia ixx='%g' "
            "iyy='%g' izz='%g' "
            "ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 -.3'/><geometry><sphere "
            "radius='.02'/>"
            "</geometry></collision></link>\n",
            i, i, x, y, 2 * mass, i, mass / 10, mass / 1000, mass / 1000, mass / 1000);
  }
  fputs("</robot>\n", f);
  fclose(f);
}

static double number(const cJSON *o, const char *key)
{
  const cJSON *item = cJSON_GetObjectItem(o, key);
  assert_non_null(item);
  return item->valuedouble;
}

/* The same command for one of 1 kg and one of 100 kg. */
static void robots_of_all_sizes_stand_certified(void **state)
{
  (void)state;
  static const double masses[] = {1, 10, 100};
  for (int i = 0; i < 3; i++) {
    write_quadruped("four.urdf", masses[i], "");
    cJSON *o = run_json("run --model four.urdf --certify -n --json", 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "certified")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "fell")));
    assert_near(number(o, "duration"), 3, 1e-9);
    assert_near(number(o, "height_min"), 0.42, 2e-3); /* 0.1 + 0.3 + 0.02, less what the weight bends */
    assert_near(number(o, "height_max"), 0.42, 1e-5);
    cJSON_Delete(o);
  }
}

/* The same robot on a link called world by a floating joint, which is described at some place. */
static void write_floating(const char *path)
{
  char text[8192];
  write_quadruped(path, 10, "");
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  const char *rest = strchr(text, '>') + 1;
  f = fopen(path, "wb");
  assert_non_null(f);
  fprintf(f,
          "<robot name='four'><link name='world'/><joint name='float' type='floating'><parent link='world'/>"
          "<child link='trunk'/><origin xyz='1 -2 0.3' rpy='0.1 -0.2 0.5'/></joint>%s",
          rest);
  fclose(f);
}

/* The last number of the first world's row, its height. */
static double first_height(const char *csv)
{
  FILE *f = fopen(csv, "rb");
  char line[1024];
  assert_non_null(f);
  for (int i = 0; i < 2; i++) {
    assert_non_null(fgets(line, sizeof line, f));
  }
  fclose(f);
  *strrchr(line, ',') = '\0'; /* the last column is the hottest winding */
  return strtod(strrchr(line, ',') + 1, NULL);
}

/* What floats on a fixed root has a height, and falls as a free root does, alone and among many. */
static void a_robot_that_floats_on_a_fixed_root_has_a_trunk(void **state)
{
  (void)state;
  write_floating("floating.urdf");
  run_result r = run("run --model floating.urdf -n --duration 0 --set model.on_ground=false");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "trunk height "));
  assert_true(contains(r.out, " 0.3 m (0.3 to 0.3 m)"));
  run_free(&r);
  cJSON *alone = run_json("run --model floating.urdf -n --json" WEAK, 0);
  cJSON *many = run_json("batch --model floating.urdf -o out-floating --worlds 2 --json" WEAK, 0);
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(alone, "fell")));
  assert_near(number(many, "fell"), 2, 0);
  assert_true(number(alone, "height") > 0.02 && number(alone, "height") < 0.25);
  assert_near(first_height("out-floating/worlds.csv"), number(alone, "height"), 1e-12);
  cJSON_Delete(alone);
  cJSON_Delete(many);
}

static void a_shipped_robot_has_a_world_by_its_name(void **state)
{
  (void)state;
  run_result r = run("run --model starleth --certify --duration 0.5 -o out-model --checkpoint-every 0.1");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "starleth: starleth on a plane, every joint held where it starts"));
  assert_true(contains(r.out, "fell                 no"));
  run_free(&r);
  /* what ran is in the recording */
  r = run("run --resume out-model --duration 0.6");
  assert_int_equal(r.status, 0);
  run_free(&r);
}

static void an_arm_stays_where_it_is_and_is_told_so(void **state)
{
  (void)state;
  write_file(
      "arm.urdf",
      "<robot name='arm'><link name='base'><inertial><mass value='20'/>" INERTIA "</inertial></link>"
      "<joint name='j' type='revolute'><parent link='base'/><child link='upper'/><origin xyz='0 0 .2'/>"
      "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='50' velocity='10'/></joint>"
      "<link name='upper'><inertial><origin xyz='.3 0 .1'/><mass value='2'/>" INERTIA
      "</inertial></link></robot>");
  run_result r = run("run --model arm.urdf --certify -n");
  assert_int_equal(r.status, 0);
  assert_true(contains(
      r.err, "the root of arm is fixed: it has nothing to stand or roll on; --root free lets it move"));
  run_free(&r);
  r = run("check arm.urdf");
  assert_true(contains(r.out, "root fixed: it has nothing to stand or roll on; --root free lets it move"));
  run_free(&r);
  r = run("info arm.urdf");
  assert_true(contains(r.out, "root                fixed: it has nothing to stand or roll on"));
  run_free(&r);
  r = run("info arm.urdf --root free");
  assert_true(contains(r.out, "root                free: it was asked for"));
  run_free(&r);
}

/* What the message advises is there. */
static void missing_meshes_are_found_by_the_option_that_the_message_names(void **state)
{
  (void)state;
  mkdir("far", 0777);
  mkdir("far/stuff", 0777);
  write_file("far/stuff/t.stl",
             "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
             "endloop\nendfacet\nendsolid t\n");
  write_quadruped("meshed.urdf", 10,
                  "<collision><geometry><mesh filename='package://stuff/t.stl'/></geometry></collision>");
  write_file("meshed.yaml", "model: ./meshed.urdf\nduration: 0.01\ngravity: [0, 0, 0]\n");
  run_result r = run("run meshed.yaml -n");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.err, "meshed.yaml:1: model: warning: "));
  assert_true(contains(r.err, "name the folder of its package with --package-path DIR"));
  run_free(&r);
  r = run("run meshed.yaml -n --strict");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "--package-path"));
  run_free(&r);
  static const char *const lines[] = {
      "run meshed.yaml -n --package-path far",
      "run meshed.yaml -n --package-path nowhere --package-path far",
      "run meshed.yaml -n --no-meshes",
      "run meshed.yaml -n --package-path far --collision-meshes triangles",
      "run --model meshed.urdf --package-path far -n --duration 0.01",
      "run --model meshed.urdf --no-meshes -n --duration 0.01",
      "batch meshed.yaml --package-path far -n --worlds 2",
      "batch --model meshed.urdf --no-meshes -n --worlds 2 --duration 0.01",
      "compare meshed.yaml --package-path far --vary duration=0.01,0.02 -o out-compare",
      "check meshed.yaml --package-path far",
      "check meshed.urdf --package-path far --collision-meshes hull"};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    r = run(lines[i]);
    if (r.status != 0 || contains(r.err, "--package-path") || contains(r.out, "--package-path")) {
      fail_msg("pronk %s: %d, %s%s", lines[i], r.status, r.out, r.err);
    }
    run_free(&r);
  }
}

static void poses_and_roots_of_a_scenario_can_be_overridden(void **state)
{
  (void)state;
  write_quadruped("four.urdf", 10, "");
  write_file("four.srdf",
             "<robot name='four'><group_state name='lean' group='all'><joint name='j0' value='.1'/>"
             "<joint name='j1' value='.1'/><joint name='j2' value='.1'/><joint name='j3' value='.1'/>"
             "</group_state></robot>");
  run_result r = run("run --model four.urdf --srdf four.srdf --pose lean --certify -n");
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "with models.*.pose=lean"));
  run_free(&r);
  r = run("run --model four.urdf --pose lean -n");
  assert_int_equal(r.status, 2);
  assert_true(contains(r.err, "there is no pose \"lean\""));
  run_free(&r);
  write_file("four.yaml", "model: ./four.urdf\nduration: 1\n");
  r = run("check four.yaml --root fixed");
  assert_true(contains(r.out, "four: fixed root"));
  run_free(&r);
}

/* No failure, but a word of what to do. */
static void a_robot_that_falls_is_told_of_poses(void **state)
{
  (void)state;
  write_quadruped("four.urdf", 10, "");
  run_result r = run("run --model four.urdf -n" WEAK);
  assert_int_equal(r.status, 0);
  assert_true(contains(r.out, "fell                 yes"));
  assert_true(contains(r.err, "it fell: perhaps it cannot stand in this pose; --pose NAME"));
  run_free(&r);
}

static void wrong_usage_is_told(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"run", "name one scenario"},
      {"run --model four.urdf starleth-stand", "--model makes a world of its own"},
      {"run --model nowhere.urdf", "no such file, folder or model"},
      {"run --model four.urdf --root loose", "root is \"loose\", expected one of auto, free, fixed, chain"},
      {"check four.urdf --collision-meshes boxes", "unknown kind of collision mesh 'boxes'"},
      {"run starleth-stand --collision-meshes boxes -n", "expected one of hull, triangles, parts"},
      {"run --resume out-model --root free",
       "--resume continues the run's own scenario: --root cannot change it"},
  };
  write_quadruped("four.urdf", 10, "");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    run_result r = run(cases[i][0]);
    if (r.status != 2 || !contains(r.err, cases[i][1])) {
      fail_msg("pronk %s: %d, %s", cases[i][0], r.status, r.err);
    }
    run_free(&r);
  }
}

/* Before it is thrown out. */
static void a_start_in_the_ground_is_told_by_run_and_check(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "run starleth-stand --set 'model.position=[0, 0, 0.1]' -n --duration 0.01",
      "check starleth-stand --set 'model.position=[0, 0, 0.1]'"};
  for (int i = 0; i < 2; i++) {
    run_result r = run(lines[i]);
    assert_int_equal(r.status, 0);
    assert_true(
        contains(i == 0 ? r.err : r.out, "starleth starts in the ground: its link LF_FOOT by 0.335 m"));
    assert_true(contains(i == 0 ? r.err : r.out, "on_ground: true"));
    run_free(&r);
  }
}

/* Nothing is lost in silence. */
static void earlier_results_are_replaced_with_a_word(void **state)
{
  (void)state;
  shell("rm -rf out-twice out-worlds", (char[8]){0}, 8);
  run_result r = run("run starleth-stand --duration 0.02 -o out-twice --export csv");
  assert_int_equal(r.status, 0);
  assert_false(contains(r.err, "replaced"));
  run_free(&r);
  r = run("run starleth-stand --duration 0.02 -o out-twice --export csv");
  assert_true(contains(r.err, "the earlier results in out-twice are replaced (-o DIR keeps them)\n"));
  run_free(&r);
  r = run("run starleth-stand --duration 0.01 -o out-twice");
  assert_true(contains(r.err, "are replaced (-o DIR keeps them); of the earlier run stays: run-csv\n"));
  run_free(&r);
  r = run("batch starleth-rough --worlds 3 --duration 0.01 -o out-worlds");
  assert_int_equal(r.status, 0);
  assert_false(contains(r.err, "replaced"));
  run_free(&r);
  r = run("batch starleth-rough --worlds 2 --duration 0.01 -o out-worlds");
  assert_true(contains(r.err, "the earlier results in out-worlds are replaced"));
  run_free(&r);
}

static int set_up(void **state)
{
  (void)state;
  setenv("PRONK_SCENARIOS", PK_SOURCE_DIR "/scenarios", 1);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_of_all_sizes_stand_certified),
      cmocka_unit_test(a_robot_that_floats_on_a_fixed_root_has_a_trunk),
      cmocka_unit_test(a_shipped_robot_has_a_world_by_its_name),
      cmocka_unit_test(an_arm_stays_where_it_is_and_is_told_so),
      cmocka_unit_test(missing_meshes_are_found_by_the_option_that_the_message_names),
      cmocka_unit_test(poses_and_roots_of_a_scenario_can_be_overridden),
      cmocka_unit_test(a_robot_that_falls_is_told_of_poses),
      cmocka_unit_test(wrong_usage_is_told),
      cmocka_unit_test(a_start_in_the_ground_is_told_by_run_and_check),
      cmocka_unit_test(earlier_results_are_replaced_with_a_word),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
