/* Wrong scenarios: each refused with its line, its key, what was found, what was expected. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "scenario/help.h"

typedef struct wrong {
  const char *text;
  int line;
  const char *field, *message;
} wrong;

#define REST "model: starleth\nduration: 1\n" /* two lines that make a scenario */

static const wrong cases[] = {
    /* the whole */
    {"- 1\n", 1, "", "the file is a list, expected a mapping"},
    {"model: starleth\n", 1, "", "the key \"duration\" is missing: a number, how long it runs"},
    {"duration: 1\n", 1, "", "the key \"model\" is missing (or \"models\", a list): who is in the world"},
    {REST "models: [starleth]\n", 3, "models", "model and models are both there; give one"},
    {"duration: 1\nmodels: []\n", 2, "models", "models is an empty list, expected one at least"},
    {"duration: 1\nmodels: starleth\n", 2, "models", "models is a value, expected a list"},
    {REST "terain: []\n", 3, "terain",
     "there is no key \"terain\"; did you mean \"terrain\"? (one of: name, description, model, models, "
     "gravity, "
     "coordinates, terrain, materials, pairs, step, controller, push, duration, certify, seed)"},
    /* types */
    {"model: starleth\nduration: long\n", 2, "duration", "duration is \"long\", expected a number"},
    {"model: starleth\nduration: \"1\"\n", 2, "duration", "duration is the text \"1\", expected a number"},
    {"model: starleth\nduration:\n", 2, "duration", "duration is nothing, expected a number"},
    {"model: starleth\nduration: [1]\n", 2, "duration", "duration is a list, expected a number"},
    {"model: starleth\nduration: inf\n", 2, "duration", "duration is \"inf\", expected a number"},
    {"model: starleth\nduration: 1s\n", 2, "duration", "duration is \"1s\", expected a number"},
    {"model: starleth\nduration: -1\n", 2, "duration",
     "duration is -1, expected 0 to 1e+06 s (how long it runs)"},
    {"model: starleth\nduration: .inf\n", 2, "duration",
     "duration is inf, expected 0 to 1e+06 s (how long it runs)"},
    {"model: starleth\nduration: .nan\n", 2, "duration",
     "duration is nan, expected 0 to 1e+06 s (how long it runs)"},
    {REST "seed: 1.5\n", 3, "seed", "seed is \"1.5\", expected a whole number"},
    {REST "seed: -1\n", 3, "seed",
     "seed is -1, expected 0 to 2.14748e+09 (of random numbers, where something draws them)"},
    {REST "name: {a: 1}\n", 3, "name", "name is a mapping, expected a text"},
    {REST "gravity: [0, 0]\n", 3, "gravity", "gravity is a list of 2, expected a list of 3 numbers"},
    {REST "gravity: -9.81\n", 3, "gravity", "gravity is a value, expected a list of 3 numbers"},
    {REST "gravity:\n  - 0\n  - 0\n  - down\n", 6, "gravity.2", "gravity is \"down\", expected a number"},
    {REST "gravity: [0, 0, [1]]\n", 3, "gravity.2", "gravity is a list, expected a number"},
    /* models */
    {"duration: 1\nmodel:\n  prefix: a\n", 3, "model",
     "the key \"model\" is missing: a text, a model's name, or a path from the scenario's folder"},
    {"duration: 1\nmodel: ''\n", 2, "model",
     "model has 0 bytes, expected 1 to 255 (a model's name, or a path from the scenario's folder)"},
    {"duration: 1\nmodel:\n  model: starleth\n  root: floating\n", 4, "model.root",
     "root is \"floating\", expected one of auto, free, fixed, chain"},
    {"duration: 1\nmodels:\n  - model: starleth\n    rpy: [0, 0, 0]\n    quaternion: [1, 0, 0, 0]\n", 5,
     "models.0.quaternion", "quaternion and rpy both say how it is turned; give one"},
    {"duration: 1\nmodels:\n  - model: starleth\n    quaternion: [0, 0, 0, 0]\n", 4, "models.0.quaternion",
     "quaternion is zero, expected (w, x, y, z) with a length"},
    /* terrain */
    {REST "terrain: {}\n", 3, "terrain", "terrain is a mapping, expected a list"},
    {REST "terrain:\n  - material: a\n", 4, "terrain.0",
     "the key \"shape\" is missing: plane, box, stairs or heights"},
    {REST "terrain:\n  - shape: plain\n", 4, "terrain.0.shape",
     "shape is \"plain\", expected one of plane, box, stairs, heights; did you mean \"plane\"?"},
    {REST "terrain:\n  - shape: plane\n    size: [1, 1, 1]\n", 5, "terrain.0.size",
     "there is no key \"size\" (one of: shape, material, position, normal)"},
    {REST "terrain:\n  - shape: box\n", 4, "terrain.0",
     "the key \"size\" is missing: a list of 3 numbers, full lengths along x, y, z"},
    {REST "terrain:\n  - {shape: box, size: [1, 0, 1]}\n", 4, "terrain.0.size.1",
     "size is 0, expected 1e-06 to 1e+06 m (full lengths along x, y, z)"},
    {REST "terrain:\n  - {shape: plane, normal: [0, 0, 0]}\n", 4, "terrain.0", NULL},
    {REST "terrain:\n  - {shape: stairs, depth: 0.3, height: 0.1, width: 1}\n", 4, "terrain.0",
     "the key \"count\" is missing: a whole number, number of steps"},
    {REST "terrain:\n  - {shape: heights, cell: 1}\n", 4, "terrain.0",
     "the key \"heights\" is missing: rows of heights"},
    {REST "terrain:\n  - {shape: heights, cell: 1, heights: [[0, 0]]}\n", 4, "terrain.0.heights",
     "heights are 1 rows of 2, expected two rows of two at least"},
    {REST "terrain:\n  - shape: heights\n    cell: 1\n    heights:\n      - [0, 0]\n      - [0]\n", 8,
     "terrain.0.heights.1", "this row has 1 heights, the first one has 2"},
    {REST "terrain:\n  - {shape: heights, cell: 1, heights: [[0, 0], [0, x]]}\n", 4, "terrain.0.heights.1.1",
     "the value is \"x\", expected a number"},
    {REST "terrain:\n  - {shape: plane, material: ice}\n", 4, "terrain.0.material",
     "there is no material \"ice\" (there are none)"},
    {REST "materials:\n  rubber: {}\nterrain:\n  - shape: plane\n    material: ruber\n", 7,
     "terrain.0.material", "there is no material \"ruber\"; did you mean \"rubber\"? (one of: rubber)"},
    /* materials */
    {REST "materials: [rubber]\n", 3, "materials", "materials is a list, expected a mapping"},
    {REST "materials:\n  ice: {friction: -0.1}\n", 4, "materials.ice.friction",
     "friction is -0.1, expected 0 to 1e+06 (Coulomb's coefficient)"},
    {REST "materials:\n  ice: {frictoin: 0.1}\n", 4, "materials.ice.frictoin",
     "there is no key \"frictoin\"; did you mean \"friction\"? (one of: friction, restitution_n, "
     "restitution_t)"},
    /* step */
    {REST "step: fast\n", 3, "step", "step is a value, expected a mapping"},
    {REST "step:\n  dt: 0\n", 4, "step.dt", "dt is 0, expected 1e-09 to 10 s (time step)"},
    {REST "step:\n  preset: papper\n", 4, "step.preset",
     "preset is \"papper\", expected one of default, paper; did you mean \"paper\"?"},
    {REST "step:\n  joint_limits: yes\n", 4, "step.joint_limits",
     "joint_limits is \"yes\", expected one of false, true"},
    {REST "step:\n  joint_limits: \"true\"\n", 4, "step.joint_limits",
     "joint_limits is the text \"true\", expected true or false"},
    /* controller */
    {REST "controller:\n  kp: 1\n", 4, "controller",
     "the key \"name\" is missing: a text, which one (pronk list controllers)"},
    {REST "controller: hald\n", 3, "controller",
     "there is no controller \"hald\"; did you mean \"hold\"? (one of: hold, locomotion)"},
    {REST "controller: []\n", 3, "controller", "controller is a list, expected a text"},
    {REST "controller:\n  name: hold\n  kp: -1\n", 5, "controller.kp",
     "kp is -1, expected 0 to 1e+09 N m/rad (stiffness)"},
    {REST "controller:\n  name: hold\n  kq: 1\n", 5, "controller.kq",
     "there is no key \"kq\"; did you mean \"kp\"? (one of: name, period, kp, kd, tau_max)"},
    /* push */
    {REST "push:\n  link: base\n", 4, "push", "push is a mapping, expected a list"},
    {REST "push:\n  - {link: base, at: 1, for: 0.2}\n", 4, "push.0",
     "the key \"force\" is missing: a list of 3 numbers, world axes"},
    {REST "push:\n  - {at: 1, for: 0.2, force: [0, 0, 1]}\n", 4, "push.0",
     "the key \"link\" is missing: a text, what is pushed, with its prefix"},
};

static void wrong_scenarios_are_refused_with_the_right_message(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const wrong *c = &cases[i];
    pki_scenario *s = NULL;
    pk_error err = {.message = ""};
    const pk_status status = read_scenario(c->text, NULL, &s, &err);
    if (status == PK_OK || (c->message != NULL && strcmp(err.message, c->message) != 0) ||
        err.line != c->line || strcmp(err.field, c->field) != 0) {
      fail_msg("\n%s\ngave     %d %s: %s\nexpected %d %s: %s", c->text, err.line, err.field, err.message,
               c->line, c->field, c->message);
    }
    assert_null(s);
    assert_string_equal(err.file, PK_SOURCE_DIR "/scenarios/a.yaml");
    assert_true(err.message[0] != '\0');
    assert_int_not_equal(read_scenario(c->text, NULL, &s, NULL), PK_OK);
  }
}

/* What only the model can tell. */
static const wrong world_cases[] = {
    {"duration: 1\nmodel: starlet\n", 2, "model", NULL},
    {"duration: 1\nmodel: nowhere/robot.urdf\n", 2, "model", NULL},
    {"duration: 1\nmodel: chain:0\n", 2, "model", "chain:0: a chain has 1 to 11584 links, as in chain:10"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints:\n    hing: 1\n", 5, "model.joints.hing",
     "there is no joint \"hing\"; did you mean \"hinge\"? (one of: hinge)"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: [1]\n", 4, "model.joints",
     "joints is a list, expected a mapping"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: {hinge: up}\n", 4, "model.joints.hinge",
     "hinge is \"up\", expected a number"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: {hinge: [1, 2]}\n", 4, "model.joints.hinge",
     "hinge has 1 coordinate, found 2"},
    {"duration: 1\nmodel:\n  model: starleth\n  joints:\n    LF_KFE: 0\n", 5, "model.joints.LF_KFE",
     "LF_KFE is 0, but its limits are -2.46 to -0.1"},
    {"duration: 1\nmodel: pendulum\npush:\n  - {link: boddy, at: 0, for: 1, force: [1, 0, 0]}\n", 4,
     "push.0.link", "there is no link \"boddy\"; did you mean \"body\"? (one of: world, body)"},
    {"duration: 1\nmodel: pendulum\ncontroller:\n  name: hold\n  period: 1.5e-3\n", 4, "controller",
     "the controller \"hold\" has a period of 0.0015 s, expected a whole number of steps of 0.001 s, or 0 "
     "for each step"},
    {"duration: 1\nmodel: pendulum\nterrain:\n  - shape: plane\nstep:\n  stepper: rk4\n", 4, "terrain",
     "the stepper \"rk4\" knows no contact: use \"moreau\" or \"euler\""},
    {"duration: 1\nmodel: pendulum\ncoordinates: extended\n", 3, "coordinates",
     "there is no set of coordinates \"extended\" (one of: minimal, maximal)"},
    {"duration: 1\nmodel: pendulum\ncoordinates: [[1]]\n", 3, "coordinates.0",
     "this is a list, expected the name of a joint"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FEET: rubber}\n", 4, "model.surfaces.LF_FEET",
     "there is no link \"LF_FEET\""},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: }\n", 4, "model.surfaces.LF_FOOT",
     "LF_FOOT is nothing, expected the name of a surface"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\nmaterials: {wet: {}}\npairs:\n"
     "  - {surface: ruber, material: wet}\n",
     7, "pairs.0.surface", "there is no surface \"ruber\"; did you mean \"rubber\"? (one of: rubber)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\nmaterials: {wet: {}}\npairs:\n"
     "  - {surface: rubber, material: dry}\n",
     7, "pairs.0.material", "there is no material \"dry\" (one of: wet)"},
};

static void names_that_the_model_lacks_are_refused_at_their_line(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof world_cases / sizeof world_cases[0]; i++) {
    const wrong *c = &world_cases[i];
    pki_scenario *s = good_scenario(c->text, NULL);
    pki_world w;
    pk_error err = {.message = ""};
    const pk_status status = pki_world_create(s, &w, &err);
    if (status == PK_OK || (c->message != NULL && strcmp(err.message, c->message) != 0) ||
        err.line != c->line || strcmp(err.field, c->field) != 0) {
      fail_msg("\n%s\ngave     %d %s: %s\nexpected %d %s: %s", c->text, err.line, err.field, err.message,
               c->line, c->field, c->message);
    }
    assert_int_not_equal(pki_world_create(s, &w, NULL), PK_OK);
    pki_scenario_destroy(s);
  }
}

static void an_override_is_checked_like_the_file(void **state)
{
  (void)state;
  pki_scenario *s = NULL;
  pk_error err = {.message = ""};
  assert_int_not_equal(read_scenario(REST, "step.dtt=1", &s, &err), PK_OK);
  assert_string_equal(err.file, "--set step.dtt=1");
  assert_string_equal(err.field, "step.dtt");
  assert_int_equal(
      strncmp(err.message, "there is no key \"dtt\"; did you mean \"dt\"? (one of: preset, dt, ", 63), 0);
  assert_int_not_equal(read_scenario(REST, "duration=-2", &s, &err), PK_OK);
  assert_string_equal(err.message, "duration is -2, expected 0 to 1e+06 s (how long it runs)");
  assert_int_equal(err.line, 0);
}

static void a_file_that_cannot_be_read_says_why(void **state)
{
  (void)state;
  pki_scenario *s = NULL;
  pk_error err;
  assert_int_equal(pki_scenario_load("nowhere.yaml", NULL, 0, &s, &err), PK_ERROR_FILE);
  assert_string_equal(err.file, "nowhere.yaml");
  assert_string_equal(err.message, "cannot be read: No such file or directory");
  assert_int_equal(pki_scenario_load(".", NULL, 0, &s, &err), PK_ERROR_FILE);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_scenarios_are_refused_with_the_right_message),
      cmocka_unit_test(names_that_the_model_lacks_are_refused_at_their_line),
      cmocka_unit_test(an_override_is_checked_like_the_file),
      cmocka_unit_test(a_file_that_cannot_be_read_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
