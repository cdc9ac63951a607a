/* Wrong scenarios: each refused with its line, its key, what was found, what was expected. Controllers, actuators and
 * what comes after them are in errors_parts.c, what only the model can tell in errors_world.c. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "scenario/wrong.h"

static const wrong cases[] = {
    /* the whole */
    {"- 1\n", 1, "", "the file is a list, expected a mapping"},
    {"model: starleth\n", 1, "", "the key \"duration\" is missing: a number, how long it runs"},
    {"duration: 1\n", 1, "",
     "the key \"model\" is missing (or \"models\", a list; or \"objects\"): what is in the world"},
    {REST "models: [starleth]\n", 3, "models", "model and models are both there; give one"},
    {"duration: 1\nmodels: []\n", 2, "models", "models is an empty list, expected one at least"},
    {"duration: 1\nobjects: []\n", 2, "objects",
     "objects is an empty list and there is no model, expected one of either at least"},
    {"duration: 1\nmodels: starleth\n", 2, "models", "models is a value, expected a list"},
    {REST "terain: []\n", 3, "terain",
     "there is no key \"terain\"; did you mean \"terrain\"? (one of: name, description, gravity, dynamics, "
     "world, "
     "duration, certify, seed, model, models, objects, coordinates, actuators, battery, constraints, "
     "compliance, materials, "
     "terrain, "
     "bodies, pairs, collide, step, sensors, estimator, controller, push, disturb, vary, stability, record)"},
    {REST "compliance: {hard: {}}\n", 3, "compliance.hard",
     "the name \"hard\" is taken: it is what pairs that do not give way have"},
    {REST "compliance: {rubber: {stiffness: -1}}\n", 3, "compliance.rubber.stiffness", NULL},
    {REST "compliance: {rubber: {static_friction: 0.5}}\n", 3, "compliance.rubber",
     "static_friction is 0.5, expected at least dynamic_friction, 0.8"},
    {REST "bodies: {friction: -1}\n", 3, "bodies.friction",
     "friction is -1, expected 0 to 1e+06 (Coulomb's coefficient)"},
    {REST "bodies: 1\n", 3, "bodies", "bodies is a value, expected a mapping"},
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
     "seed is -1, expected 0 to 2.14748e+09 (of what is drawn: vary, the directions of disturb, jitter and "
     "tumble of objects)"},
    {REST "name: {a: 1}\n", 3, "name", "name is a mapping, expected a text"},
    {REST "gravity: [0, 0]\n", 3, "gravity", "gravity is a list of 2, expected a list of 3 numbers"},
    {REST "gravity: -9.81\n", 3, "gravity", "gravity is a value, expected a list of 3 numbers"},
    {REST "gravity:\n  - 0\n  - 0\n  - down\n", 6, "gravity.2", "gravity is \"down\", expected a number"},
    {REST "gravity: [0, 0, [1]]\n", 3, "gravity.2", "gravity is a list, expected a number"},
    /* models */
    {"duration: 1\nmodel:\n  prefix: a\n", 3, "model",
     "the key \"model\" is missing: a text, a model's name, or a path from the scenario's folder"},
    {"duration: 1\nmodel: ''\n", 2, "model",
     "model has 0 bytes, expected 1 to 4095 (a model's name, or a path from the scenario's folder)"},
    {"duration: 1\nmodel:\n  model: starleth\n  root: floating\n", 4, "model.root",
     "root is \"floating\", expected one of auto, free, fixed, chain"},
    {"duration: 1\nmodels:\n  - model: starleth\n    rpy: [0, 0, 0]\n    quaternion: [1, 0, 0, 0]\n", 5,
     "models.0.quaternion", "quaternion and rpy both say how it is turned; give one"},
    {"duration: 1\nmodels:\n  - model: starleth\n    quaternion: [0, 0, 0, 0]\n", 4, "models.0.quaternion",
     "quaternion is zero, expected (w, x, y, z) with a length"},
    /* terrain */
    {REST "terrain: {}\n", 3, "terrain", "terrain is a mapping, expected a list"},
    {REST "terrain:\n  - material: a\n", 4, "terrain.0",
     "the key \"shape\" is missing: plane, box, stairs, heights, mesh, ..."},
    {REST "terrain:\n  - shape: plain\n", 4, "terrain.0.shape",
     "shape is \"plain\", expected one of plane, box, stairs, heights, mesh, convex, sphere, cylinder, "
     "capsule, "
     "ellipsoid, cone; did you mean \"plane\"?"},
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
     "the key \"heights\" is missing: rows of heights; or \"file\", or \"function\""},
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
     "restitution_t, viscous, "
     "compliance)"},
    {REST "materials:\n  ice: {restitution_n: 1.5}\n", 4, "materials.ice.restitution_n",
     "restitution_n is 1.5, expected 0 to 1 (Newton's coefficient, normal)"},
    {REST "materials:\n  ice: 0.5\n", 4, "materials.ice", "ice is a value, expected a mapping"},
    /* step */
    {REST "step: fast\n", 3, "step", "step is a value, expected a mapping"},
    {REST "step:\n  dt: 0\n", 4, "step.dt", "dt is 0, expected 1e-09 to 10 s (time step)"},
    {REST "step:\n  preset: gehring-2041\n", 4, "step.preset",
     "preset is \"gehring-2041\", expected one of default, gehring-2014; did you mean \"gehring-2014\"?"},
    {REST "step:\n  joint_limits: yes\n", 4, "step.joint_limits",
     "joint_limits is \"yes\", expected one of false, true"},
    {REST "step:\n  joint_limits: \"true\"\n", 4, "step.joint_limits",
     "joint_limits is the text \"true\", expected true or false"},
    {REST "step:\n  dtt: 1\n", 4, "step.dtt", NULL},
    {REST "step:\n  solver: newtn\n", 4, "step.solver",
     "solver is \"newtn\", expected one of auto, jor, sor, bgs, newton, aclm, ipm, jor-u, sor-u, bgs-u, "
     "newton-u, ipm-u, active-set; did you "
     "mean "
     "\"newton\"?"},
    {REST "step:\n  stepper: moreu\n", 4, "step.stepper",
     "stepper is \"moreu\", expected one of euler, moreau, rk4, ark-explicit, ark-implicit; did you mean "
     "\"moreau\"?"},
    {REST "step:\n  max_contacts: -1\n", 4, "step.max_contacts", NULL},
    {REST "step:\n  max_contacts: 1e2.5\n", 4, "step.max_contacts",
     "max_contacts is \"1e2.5\", expected a whole number"},
    {REST "step:\n  tolerance: 2\n", 4, "step.tolerance", NULL},
    /* certify */
    {REST "certify: 2\n", 3, "certify",
     "certify is 2, expected 0 to 1 (largest relative residual that a step may have, 0: no bound)"},
    {REST "certify: yes\n", 3, "certify", "certify is \"yes\", expected a number"},
    /* the YAML itself */
    {REST "a: [1, 2\n", 4, "", NULL},
    {REST "seed: 1\nseed: 2\n", 4, "", "the key \"seed\" comes twice; first on line 3"},
    {REST "seed: &a 1\n", 3, "", NULL},
    {REST "---\nseed: 1\n", 3, "", "a second document begins here; one is enough"},
    {"", 1, "", "there is nothing in it"},
};

static void wrong_scenarios_are_refused_with_the_right_message(void **state)
{
  (void)state;
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
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
      cmocka_unit_test(an_override_is_checked_like_the_file),
      cmocka_unit_test(a_file_that_cannot_be_read_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
