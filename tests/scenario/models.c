/* How a scenario's models are read, where they start, and what overrides of all of them do. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <sys/stat.h>

#include "pronk/collision.h"
#include "scenario/help.h"
#include "support/bounds.h"

static void write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

/* A scenario beside the files of this test. */
static pk_status read_here(const char *text, const char *set, pki_scenario **out, pk_error *err)
{
  const char *const sets[] = {set};
  return pki_scenario_parse("models_test/a.yaml", text, strlen(text), sets, set != NULL, out, err);
}

static pki_world world_here(const char *text, const char *set, pki_scenario **s)
{
  pk_error err = {.message = ""};
  pki_world w = {0};
  if (read_here(text, set, s, &err) != PK_OK || pki_world_create(*s, &w, &err) != PK_OK) {
    fail_msg("%s:%d: %s: %s", err.file, err.line, err.field, err.message);
  }
  return w;
}

static void expect_failure(const char *text, const char *set, int line, const char *message)
{
  pk_error err = {.message = ""};
  pki_scenario *s = NULL;
  pki_world w = {0};
  pk_status status = read_here(text, set, &s, &err);
  status = status == PK_OK ? pki_world_create(s, &w, &err) : status;
  if (status == PK_OK || err.line != line || strstr(err.message, message) == NULL) {
    fail_msg("%s\ngave %s:%d: %s: %s", text, err.file, err.line, err.field, err.message);
  }
  pki_scenario_destroy(s);
}

/* A ball of radius 0.1 m with two legs of 0.3 m, whose feet have a radius of 0.02 m; its mesh lies in a package. */
static const char robot[] =
    "<robot name='r'>\n"
    "  <link name='trunk'><inertial><mass value='4'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' "
    "iyz='0'/>"
    "</inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>"
    "<visual><geometry><mesh filename='package://stuff/meshes/trunk.stl'/></geometry></visual></link>\n"
    "  <joint name='l' type='revolute'><parent link='trunk'/><child link='left'/><origin xyz='0 .1 0'/>"
    "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='9'/></joint>\n"
    "  <link name='left'><inertial><origin xyz='0 0 -.3'/><mass value='1'/>"
    "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><origin xyz='0 0 -.3'/><geometry><sphere radius='0.02'/></geometry></collision></link>\n"
    "  <joint name='r' type='revolute'><parent link='trunk'/><child link='right'/><origin xyz='0 -.1 0'/>"
    "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='9'/></joint>\n"
    "  <link name='right'><inertial><origin xyz='0 0 -.3'/><mass value='1'/>"
    "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><origin xyz='0 0 -.3'/><geometry><sphere radius='0.02'/></geometry></collision></link>\n"
    "</robot>\n";

static const char triangle[] =
    "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    "endloop\nendfacet\nendsolid t\n";

static const char poses[] =
    "<robot name='r'>\n"
    "<group_state name='split' group='a'><joint name='l' value='0.5'/></group_state>\n"
    "<group_state name='split' group='b'><joint name='r' value='-0.5'/></group_state>\n"
    "<group_state name='wide' group='b'><joint name='r' value='3'/></group_state>\n"
    "<group_state name='other' group='b'><joint name='x' value='3'/></group_state>\n"
    "</robot>\n";

/* A ball with a leg that ends 0.3 m below its middle, in a ball of 0.02 m. */
static const char keyed[] =
    "<mujoco model='k'><compiler angle='radian'/><worldbody><body name='trunk' pos='0 0 2'><freejoint/>"
    "<geom type='sphere' size='.1' mass='4'/><body name='leg'><joint name='hip' axis='0 1 0' range='-2 2'/>"
    "<geom type='sphere' pos='0 0 -.3' size='.02' mass='1'/></body></body></worldbody>"
    "<keyframe><key name='high' qpos='1 2 .5 1 0 0 0 .3'/><key name='low' qpos='0 0 .1 1 0 0 0 "
    "0'/></keyframe>"
    "</mujoco>";

static int set_up(void **state)
{
  (void)state;
  static const char *const folders[] = {"models_test", "models_test/far", "models_test/far/stuff",
                                        "models_test/far/stuff/meshes"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    mkdir(folders[i], 0777);
  }
  write_text("models_test/r.urdf", robot);
  write_text("models_test/r.srdf", poses);
  write_text("models_test/k.xml", keyed);
  write_text("models_test/far/stuff/meshes/trunk.stl", triangle);
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  return 0;
}

static void packages_are_found_from_the_scenario(void **state)
{
  (void)state;
  pki_scenario *s;
  pki_world w =
      world_here("duration: 1\nmodel:\n  model: ./r.urdf\n  package_paths: [nowhere, far]\n", NULL, &s);
  if (w.model == NULL) {
    fail_msg("no model");
    return;
  }
  assert_int_equal(w.model->nmesh, 1);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  expect_failure("duration: 1\nmodel:\n  model: ./r.urdf\n  package_paths: far\n", NULL, 4,
                 "package_paths is a value, expected a list");
  expect_failure("duration: 1\nmodel:\n  model: ./r.urdf\n  package_paths: [[far]]\n", NULL, 4,
                 "this is a list, expected a folder");
}

static void meshes_can_be_left_out(void **state)
{
  (void)state;
  pki_scenario *s;
  pki_world w = world_here("duration: 1\nmodel: {model: ./r.urdf, meshes: false}\n", NULL, &s);
  if (w.model == NULL) {
    fail_msg("no model");
    return;
  }
  assert_int_equal(w.model->nmesh, 0);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* Names alone, mappings and lists take them; each model keeps its other keys. */
static void an_override_of_all_models_reaches_each(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "duration: 1\nmodel: starleth\n", "duration: 1\nmodel: {model: starleth, prefix: a_}\n",
      "duration: 1\nmodels: [starleth, {model: starleth, prefix: b_, root: free, position: [2, 0, 0]}]\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    pki_scenario *s;
    pki_world w = world_here(texts[i], "models.*.root=fixed", &s);
    if (w.model == NULL) {
      fail_msg("no model");
      return;
    }
    assert_int_equal(s->nmodel, i == 2 ? 2 : 1);
    for (int k = 0; k < s->nmodel; k++) {
      assert_int_equal(w.model->robots[k].root, PK_ROOT_FIXED);
    }
    assert_string_equal(s->models[s->nmodel - 1].prefix, i == 0 ? "" : i == 1 ? "a_" : "b_");
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  expect_failure("duration: 1\nmodel: starleth\n", "models.*.root=loose", 0, "expected one of auto, free");
  expect_failure("duration: 1\nobjects: [{shape: sphere, size: 1, mass: 1}]\n", "models.*.root=free", 0,
                 "the scenario has no model to set it of");
}

static void poses_have_names(void **state)
{
  (void)state;
  const char text[] =
      "duration: 1\nmodel:\n  model: ./r.urdf\n  meshes: false\n  srdf: ./r.srdf\n  pose: split\n";
  pki_scenario *s;
  pki_world w = world_here(text, NULL, &s);
  const double *q = pk_sim_q(w.sim);
  assert_true(q[7] == 0.5 && q[8] == -0.5);
  pki_world_free(&w);
  pki_scenario_destroy(s);

  /* joints change it */
  w = world_here(text, "model.joints={r: 0.25}", &s);
  q = pk_sim_q(w.sim);
  assert_true(q[7] == 0.5 && q[8] == 0.25);
  pki_world_free(&w);
  pki_scenario_destroy(s);

  expect_failure(text, "model.pose=splitt", 0, "there is no pose \"splitt\"; did you mean \"split\"?");
  expect_failure(text, "model.pose=wide", 4, "pose \"wide\": r is 3, but its limits are -2 to 2");
  expect_failure(text, "model.pose=other", 5, "names the joint \"x\", which the model does not have");
  expect_failure("duration: 1\nmodel:\n  model: ./r.urdf\n  meshes: false\n  pose: split\n", NULL, 5,
                 "there is no pose \"split\": the model's file has no keyframes");
}

/* Names are found by hash: with a comparison of each with all others this test would not end in its time. */
static void a_file_may_have_many_poses(void **state)
{
  (void)state;
  FILE *f = fopen("models_test/many.srdf", "wb");
  assert_non_null(f);
  fputs("<robot name='r'>\n", f);
  for (int i = 0; i < 200000; i++) {
    fprintf(f, "<group_state name='pose_%d'><joint name='l' value='%g'/></group_state>\n", i, 1e-6 * i);
  }
  fputs("</robot>\n", f);
  fclose(f);
  pki_scenario *s;
  pki_world w = world_here("duration: 1\nmodel:\n  model: ./r.urdf\n  meshes: false\n"
                           "  srdf: ./many.srdf\n  pose: pose_150000\n",
                           NULL, &s);
  assert_true(pk_sim_q(w.sim)[7] == 0.15);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  remove("models_test/many.srdf");
}

/* A pose of the file itself; the scenario's own words about root and joints count over it. */
static void keyframes_are_poses(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    double x, z, hip;
  } cases[] = {{"model={model: ./k.xml, pose: high}", 1, 0.5, 0.3},
               {"model={model: ./k.xml, pose: high, joints: {hip: 0.2}}", 1, 0.5, 0.2},
               /* the file has its trunk 2 m above its origin */
               {"model={model: ./k.xml, pose: high, position: [3, 0, 0.7]}", 3, 2.7, 0.3},
               {"model={model: ./k.xml, prefix: a_, pose: high}", 1, 0.5, 0.3},
               /* its height counts where it is not in the ground */
               {"model={model: ./k.xml, pose: high, on_ground: true}", 1, 0.5, 0.3},
               {"model={model: ./k.xml, pose: low, on_ground: true}", 0, 0.32, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_scenario *s;
    pki_world w = world_here("duration: 1\nmodel: starleth\nterrain: [{shape: plane}]\n", cases[i].set, &s);
    const double *q = pk_sim_q(w.sim);
    assert_near(q[0], cases[i].x, 1e-12);
    assert_near(q[2], cases[i].z, 1e-6);
    assert_near(q[7], cases[i].hip, 1e-12);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
  expect_failure("duration: 1\nmodel:\n  model: ./k.xml\n  pose: hihg\n", NULL, 4,
                 "there is no pose \"hihg\"; did you mean \"high\"? (one of: high, low)");
}

/* The legs are 0.3 m with feet of 0.02 m; turned by 0.5 rad their feet are 0.3 cos 0.5 below the trunk's middle. */
static void a_robot_is_put_on_the_ground(void **state)
{
  (void)state;
  static const struct {
    const char *set;
    double expected;
  } cases[] = {{NULL, 0.32},
               {"model.position=[0, 0, 7]", 0.32},
               {"model.position=[3, 0, -2]", 0.32},
               {"model.joints={l: 0.5, r: -0.5}", 0.02},
               {"model.root=chain", 0.32},
               {"terrain.0.position=[0, 0, 1.5]", 1.82},
               {"terrain=[{shape: box, size: [1, 1, 0.2]}]", 0.42}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pki_scenario *s;
    pki_world w = world_here("duration: 1\nmodel: {model: ./r.urdf, meshes: false, on_ground: true}\n"
                             "terrain: [{shape: plane}]\n",
                             cases[i].set, &s);
    double q[16], u[16];
    pk_sim_get_joints(w.sim, q, u);
    const double expected = i == 3 ? 0.3 * cos(0.5) + 0.02 : cases[i].expected;
    assert_near(q[2], expected, 1e-6);
    pki_problems warnings = {0};
    pki_world_check_overlaps(&w, &warnings);
    assert_int_equal(warnings.count, 0);
    pki_problems_free(&warnings);
    pki_world_free(&w);
    pki_scenario_destroy(s);
  }
}

static void nothing_below_leaves_a_robot_where_it_is(void **state)
{
  (void)state;
  pki_scenario *s;
  pki_world w = world_here(
      "duration: 1\nmodel: {model: ./r.urdf, meshes: false, on_ground: true, position: [0, 0, 2]}\n", NULL,
      &s);
  assert_true(pk_sim_q(w.sim)[2] == 2);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

static void a_start_in_the_ground_is_told_with_its_depth(void **state)
{
  (void)state;
  pki_scenario *s;
  pki_world w =
      world_here("duration: 1\nmodel:\n  model: ./r.urdf\n  meshes: false\n  position: [0, 0, 0.3]\n"
                 "terrain: [{shape: plane}]\n",
                 NULL, &s);
  pki_problems warnings = {0};
  pki_world_check_overlaps(&w, &warnings);
  assert_int_equal(warnings.count, 1);
  assert_int_equal(warnings.errors[0].line, 3);
  assert_string_equal(
      warnings.errors[0].message,
      "r starts in the ground: its link left by 0.02 m, 2 of its links in all; the first step throws "
      "it out. Raise its position by that, or let on_ground: true find the height");
  pki_problems_free(&warnings);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packages_are_found_from_the_scenario),
      cmocka_unit_test(meshes_can_be_left_out),
      cmocka_unit_test(an_override_of_all_models_reaches_each),
      cmocka_unit_test(poses_have_names),
      cmocka_unit_test(a_file_may_have_many_poses),
      cmocka_unit_test(keyframes_are_poses),
      cmocka_unit_test(a_robot_is_put_on_the_ground),
      cmocka_unit_test(nothing_below_leaves_a_robot_where_it_is),
      cmocka_unit_test(a_start_in_the_ground_is_told_with_its_depth),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
