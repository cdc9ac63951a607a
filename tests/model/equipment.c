/* Sites, actuators, sensors, keyframes and pairs: what the builder refuses, copies and takes back. */
#include "model/build_help.h"

#include "model/builder.h"
#include "model/load.h"

/* A builder with one robot "r" and one link "a". */
static pk_builder *started(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  const pk_robot_desc robot = pk_robot_desc_default();
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "a", .inertia = sound_inertia()}, NULL),
                   PK_OK);
  return b;
}

static void expect(const pk_error *err, pk_status found, pk_status status, const char *message)
{
  assert_int_equal(found, status);
  assert_int_equal(err->status, status);
  assert_string_equal(err->message, message);
}

static pk_site_desc some_site(void)
{
  pk_site_desc site = pk_site_desc_default();
  site.name = "s", site.link = "a";
  return site;
}

static pk_actuator_desc some_actuator(void)
{
  pk_actuator_desc actuator = pk_actuator_desc_default();
  actuator.name = "m", actuator.joint = "j";
  return actuator;
}

static pk_sensor_desc some_sensor(void)
{
  return (pk_sensor_desc){.name = "g", .kind = PK_SENSOR_GYRO, .place = PK_SENSOR_PLACE_SITE, .at = "s"};
}

static pk_keyframe_desc some_keyframe(void)
{
  static const double q[7] = {0, 0, 1, 1, 0, 0, 0};
  return (pk_keyframe_desc){.name = "home", .nrobot = 1, .q = q, .nq = 7};
}

static void everything_needs_a_name_and_a_robot(void **state)
{
  (void)state;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_site_desc site = some_site();
  pk_actuator_desc actuator = some_actuator();
  pk_sensor_desc sensor = some_sensor();
  pk_keyframe_desc keyframe = some_keyframe();
  pk_error err;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT,
         "site \"s\" belongs to no robot: call pk_builder_add_robot first");
  expect(&err, pk_builder_add_actuator(b, &actuator, &err), PK_ERROR_ARGUMENT,
         "actuator \"m\" belongs to no robot: call pk_builder_add_robot first");
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT,
         "sensor \"g\" belongs to no robot: call pk_builder_add_robot first");
  expect(&err, pk_builder_add_keyframe(b, &keyframe, &err), PK_ERROR_ARGUMENT,
         "keyframe \"home\" belongs to no robot: call pk_builder_add_robot first");
  site.name = actuator.name = sensor.name = keyframe.name = "";
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, "a site needs a name");
  expect(&err, pk_builder_add_actuator(b, &actuator, &err), PK_ERROR_ARGUMENT, "an actuator needs a name");
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT, "a sensor needs a name");
  expect(&err, pk_builder_add_keyframe(b, &keyframe, &err), PK_ERROR_ARGUMENT, "a keyframe needs a name");
  const pk_pair_desc pair = {.name = {"a", NULL}};
  expect(&err, pk_builder_add_pair(b, &pair, &err), PK_ERROR_ARGUMENT, "a pair needs the names of two links");
  pk_builder_destroy(b);
}

static void sites_sit_on_links_and_have_volumes_that_can_be(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  pk_site_desc site = some_site();
  static const char *const place =
      "site \"s\" needs a link and a pose that is finite and whose matrix is a rotation";
  static const char *const volume = "the volume of site \"s\" is no sphere, box, cylinder, capsule or "
                                    "ellipsoid of positive sizes; sizes of 0 "
                                    "are no volume";
  site.link = NULL;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, place);
  site = some_site(), site.pose.rot[0] = 2;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, place);
  site = some_site(), site.kind = PK_SHAPE_MESH;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, volume);
  site = some_site(), site.kind = PK_SHAPE_BOX, site.size[1] = 1;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, volume);
  site = some_site(), site.size[0] = NAN;
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_ARGUMENT, volume);
  pk_builder_destroy(b);
}

static void actuators_have_joints_numbers_and_limits_in_order(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  pk_actuator_desc actuator = some_actuator();
  actuator.joint = NULL;
  expect(&err, pk_builder_add_actuator(b, &actuator, &err), PK_ERROR_ARGUMENT,
         "actuator \"m\" needs a joint");
  for (int i = 0; i < 3; i++) {
    actuator = some_actuator();
    *(i == 0 ? &actuator.gear : i == 1 ? &actuator.gain[2] : &actuator.bias[1]) = INFINITY;
    expect(&err, pk_builder_add_actuator(b, &actuator, &err), PK_ERROR_ARGUMENT,
           "gear, gain or bias of actuator \"m\" is not finite");
    actuator = some_actuator();
    *(i == 0 ? &actuator.ctrl_lower : i == 1 ? &actuator.force_lower : &actuator.act_lower) = INFINITY;
    expect(&err, pk_builder_add_actuator(b, &actuator, &err), PK_ERROR_ARGUMENT,
           "a lower limit of actuator \"m\" is above its upper limit; no limit is -INFINITY and INFINITY");
  }
  pk_builder_destroy(b);
}

static void sensors_have_kinds_and_places(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  static const char *const kind =
      "sensor \"g\" needs a kind, a place and a reference that is a frame or none";
  pk_sensor_desc sensor = some_sensor();
  sensor.kind = PK_SENSOR_KIND_COUNT;
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT, kind);
  sensor = some_sensor(), sensor.place = (pk_sensor_place)-1;
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT, kind);
  sensor = some_sensor(), sensor.reference = PK_SENSOR_PLACE_JOINT, sensor.relative_to = "j";
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT, kind);
  sensor = some_sensor(), sensor.at = NULL;
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT,
         "sensor \"g\" needs the name of what it sits on");
  sensor = some_sensor(), sensor.reference = PK_SENSOR_PLACE_LINK;
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT,
         "sensor \"g\" needs the name of what it is relative to");
  sensor = some_sensor(), sensor.cutoff = -1;
  expect(&err, pk_builder_add_sensor(b, &sensor, &err), PK_ERROR_ARGUMENT,
         "cutoff and noise of sensor \"g\" are -1 and 0, expected 0 or more");
  pk_builder_destroy(b);
}

static void keyframes_are_of_robots_that_are_there(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  pk_keyframe_desc keyframe = some_keyframe();
  keyframe.nrobot = 2;
  expect(&err, pk_builder_add_keyframe(b, &keyframe, &err), PK_ERROR_ARGUMENT,
         "keyframe \"home\" is of 2 robots, expected 1 to 1, as many as were added");
  keyframe = some_keyframe(), keyframe.nq = -1;
  expect(&err, pk_builder_add_keyframe(b, &keyframe, &err), PK_ERROR_LIMIT,
         "q of keyframe \"home\" has -1 numbers, expected 0 to 1000000");
  const double bad[1] = {NAN};
  keyframe = some_keyframe(), keyframe.ctrl = bad, keyframe.nctrl = 1;
  expect(&err, pk_builder_add_keyframe(b, &keyframe, &err), PK_ERROR_ARGUMENT,
         "a number in ctrl of keyframe \"home\" is not finite");
  pk_builder_destroy(b);
}

static void frictions_are_coefficients_none_or_ice(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  const double wrong[3] = {-0.5, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    const pk_pair_desc pair = {.name = {"a", "b"}, .friction = wrong[i]};
    const pk_shape_desc shape = {.link = "a", .size = {1}, .friction = wrong[i]};
    assert_int_equal(pk_builder_add_pair(b, &pair, &err), PK_ERROR_ARGUMENT);
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT);
  }
  const pk_shape_desc shape = {.link = "a", .size = {1}, .friction = -0.5};
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT,
         "the friction of a shape on link \"a\" is -0.5, expected 0 or more, or -1 for none at all");
  pk_builder_destroy(b);
}

static void couplings_have_a_joint_and_numbers(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  pk_constraint_desc c = pk_constraint_desc_default();
  assert_true(c.polynomial[0] == 0 && c.polynomial[1] == 1 && c.polynomial[2] == 0);
  c.name = "c", c.kind = PK_CONSTRAINT_COUPLING;
  expect(&err, pk_builder_add_constraint(b, &c, &err), PK_ERROR_ARGUMENT,
         "coupling \"c\" needs the joint whose coordinate it gives");
  c.joint[0] = "y", c.polynomial[4] = NAN;
  expect(&err, pk_builder_add_constraint(b, &c, &err), PK_ERROR_ARGUMENT,
         "coefficient 4 of coupling \"c\" is not finite");
  pk_builder_destroy(b);
}

static void there_is_a_largest_number_of_each(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  const pk_site_desc site = some_site();
  b->equipment.nsite = PKI_EQUIPMENT_MAX; /* as if they had been added */
  expect(&err, pk_builder_add_site(b, &site, &err), PK_ERROR_LIMIT, "there are more than 100000 sites");
  b->equipment.nsite = 0;
  pk_builder_destroy(b);
}

static void a_mark_takes_all_of_them_back(void **state)
{
  (void)state;
  pk_builder *b = started();
  const pk_site_desc site = some_site();
  const pk_actuator_desc actuator = some_actuator();
  const pk_sensor_desc sensor = some_sensor();
  const pk_keyframe_desc keyframe = some_keyframe();
  const pk_pair_desc pair = {.name = {"a", "b"}};
  double z[4] = {0, 0, 0, 0};
  const pk_heights heights = {.nx = 2, .ny = 2, .cell = 1, .z = z};
  const pk_shape_desc shape = {.link = "a", .kind = PK_SHAPE_HEIGHTS, .heights = &heights};
  pk_constraint_desc constraint = pk_constraint_desc_default();
  constraint.name = "c";
  pki_builder_mark mark = {0};
  for (int round = 0; round < 2; round++) {
    mark = round == 1 ? pki_builder_get_mark(b) : mark;
    assert_int_equal(pk_builder_add_site(b, &site, NULL), PK_OK);
    assert_int_equal(pk_builder_add_actuator(b, &actuator, NULL), PK_OK);
    assert_int_equal(pk_builder_add_sensor(b, &sensor, NULL), PK_OK);
    assert_int_equal(pk_builder_add_keyframe(b, &keyframe, NULL), PK_OK);
    assert_int_equal(pk_builder_add_pair(b, &pair, NULL), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, NULL), PK_OK);
    assert_int_equal(pk_builder_add_constraint(b, &constraint, NULL), PK_OK);
  }
  pki_builder_rollback(b, mark);
  const pki_equipment *e = &b->equipment;
  assert_int_equal(e->nsite, 1);
  assert_int_equal(e->nactuator, 1);
  assert_int_equal(e->nsensor, 1);
  assert_int_equal(e->nkeyframe, 1);
  assert_int_equal(e->npair, 1);
  assert_int_equal(b->nshape, 1);
  assert_int_equal(b->nconstraint, 1);
  assert_true(e->keyframes[0].desc.q != keyframe.q && e->keyframes[0].desc.q[2] == 1);
  assert_true(b->shapes[0].desc.heights->z != z);
  pk_builder_destroy(b);
}

static void heights_are_checked(void **state)
{
  (void)state;
  pk_builder *b = started();
  pk_error err;
  double z[4] = {0, 0, 0, NAN};
  pk_heights heights = {.nx = 2, .ny = 2, .cell = 1, .z = z};
  pk_shape_desc shape = {.link = "a", .kind = PK_SHAPE_HEIGHTS};
  static const char *const grid = "a shape of heights needs a grid of 2 x 2 or more and a positive cell";
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, grid);
  shape.heights = &heights;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, "height 3 is not finite");
  heights.cell = 0;
  expect(&err, pk_builder_add_shape(b, &shape, &err), PK_ERROR_ARGUMENT, grid);
  pk_builder_destroy(b);
}

/* A robot with one of everything: links a, b, c; joints j, k; a box on c. */
static pk_builder *equipped(const char *prefix)
{
  world w = one_robot();
  w.parts[0].robot.prefix = prefix;
  w.parts[0].shapes[0] = (pk_shape_desc){
      .link = "c", .name = "foot", .kind = PK_SHAPE_BOX, .size = {1, 1, 1}, .pose = pk_pose_identity()};
  w.parts[0].nshape = 1;
  pk_builder *b = describe(&w);
  pk_site_desc site = some_site();
  site.link = "c", site.pose.pos[0] = 0.5;
  pk_actuator_desc actuator = some_actuator();
  pk_sensor_desc sensor = some_sensor(),
                 frame = {.name = "f",
                          .kind = PK_SENSOR_FRAMEQUAT,
                          .place = PK_SENSOR_PLACE_SHAPE,
                          .at = "foot",
                          .reference = PK_SENSOR_PLACE_COM,
                          .relative_to = "b"},
                 angle = {.name = "p", .kind = PK_SENSOR_JOINTPOS, .place = PK_SENSOR_PLACE_JOINT, .at = "k"};
  static const double q[9] = {0, 0, 1, 1, 0, 0, 0, 0.25, 0.5}, ctrl[1] = {0.75};
  const pk_keyframe_desc keyframe = {.name = "home", .nrobot = 1, .q = q, .nq = 9, .ctrl = ctrl, .nctrl = 1};
  assert_int_equal(pk_builder_add_site(b, &site, NULL), PK_OK);
  assert_int_equal(pk_builder_add_actuator(b, &actuator, NULL), PK_OK);
  assert_int_equal(pk_builder_add_sensor(b, &sensor, NULL), PK_OK);
  assert_int_equal(pk_builder_add_sensor(b, &frame, NULL), PK_OK);
  assert_int_equal(pk_builder_add_sensor(b, &angle, NULL), PK_OK);
  assert_int_equal(pk_builder_add_keyframe(b, &keyframe, NULL), PK_OK);
  return b;
}

static void names_become_indices(void **state)
{
  (void)state;
  for (int cut = 0; cut < 2; cut++) {
    pk_builder *b = equipped("left_");
    const pk_pair_desc pairs[2] = {
        {.name = {"left_a", "left_c"}},
        {.name = {"left_foot", "left_foot"}, .shapes = true, .collide = true, .friction = -1}};
    assert_int_equal(pk_builder_add_pair(b, &pairs[0], NULL), PK_OK);
    assert_int_equal(pk_builder_add_pair(b, &pairs[1], NULL), PK_OK);
    if (cut) {
      assert_int_equal(pk_builder_cut_joint(b, "left_k", NULL), PK_OK);
    }
    pk_model *m = NULL;
    assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
    pk_builder_destroy(b);
    assert_int_equal(pk_model_find_site(m, "left_s"), 0);
    assert_int_equal(pk_model_find_site(m, "s"), -1);
    assert_int_equal(m->sites[0].link, 2);
    assert_true(m->sites[0].pose.pos[0] == 0.5);
    assert_int_equal(pk_model_find_actuator(m, "left_m"), 0);
    assert_string_equal(m->joints[m->actuators[0].joint].name, "left_j");
    assert_int_equal(pk_model_find_sensor(m, "left_f"), 1);
    assert_int_equal(m->sensors[0].object, 0);
    assert_int_equal(m->sensors[1].object, 0);
    assert_int_equal(m->sensors[1].reference_object, 1);
    assert_string_equal(m->joints[m->sensors[2].object].name, "left_k");
    assert_int_equal(m->sensors[2].first, 7);
    assert_int_equal(m->nsensordata, 8);
    const pk_model_keyframe *home = &m->keyframes[pk_model_find_keyframe(m, "left_home")];
    assert_int_equal(home->nq, 9);
    assert_int_equal(home->nu, 8);
    assert_true(home->q_value[8] == 0.5 && home->u_value[7] == 0 && home->ctrl[0] == 0.75);
    assert_int_equal(m->npair, 2);
    assert_int_equal(m->pairs[0].index[1], 2);
    assert_true(m->pairs[1].shapes && m->pairs[1].friction == -1);
    pk_model_destroy(m);
  }
}

/* Compiling fails with this message. */
static void refuses(pk_builder *b, const char *message)
{
  pk_model *m;
  pk_error err = {.message = ""};
  assert_int_not_equal(pk_builder_compile(b, &m, &err), PK_OK);
  assert_string_equal(err.message, message);
  pk_builder_destroy(b);
}

static void names_that_lead_nowhere_are_errors(void **state)
{
  (void)state;
  pk_builder *b = equipped(NULL);
  pk_site_desc site = some_site();
  site.name = "t", site.link = "cc";
  pk_builder_add_site(b, &site, NULL);
  refuses(b, "a site names link \"cc\", which does not exist; did you mean \"c\"?");
  b = equipped(NULL);
  pk_actuator_desc actuator = some_actuator();
  actuator.name = "n", actuator.joint = "knee";
  pk_builder_add_actuator(b, &actuator, NULL);
  refuses(b, "an actuator names joint \"knee\", which does not exist");
  b = equipped(NULL);
  actuator = some_actuator();
  pk_builder_add_actuator(b, &actuator, NULL);
  refuses(b, "actuator \"m\" is there twice");
  b = equipped(NULL);
  pk_sensor_desc sensor = {.name = "h", .kind = PK_SENSOR_GYRO, .place = PK_SENSOR_PLACE_LINK, .at = "a"};
  pk_builder_add_sensor(b, &sensor, NULL);
  refuses(b, "sensor \"h\" (gyro) cannot sit on a link");
  b = equipped(NULL);
  sensor =
      (pk_sensor_desc){.name = "h", .kind = PK_SENSOR_BALLQUAT, .place = PK_SENSOR_PLACE_JOINT, .at = "k"};
  pk_builder_add_sensor(b, &sensor, NULL);
  refuses(b, "sensor \"h\" (ballquat) sits on joint \"k\" (continuous), expected a spherical joint");
  b = equipped(NULL);
  static const double q[3] = {0, 0, 0};
  const pk_keyframe_desc keyframe = {.name = "short", .nrobot = 1, .q = q, .nq = 3};
  pk_builder_add_keyframe(b, &keyframe, NULL);
  refuses(b, "q of keyframe \"short\" has 3 numbers, expected 9");
  b = equipped(NULL);
  const pk_pair_desc pair = {.name = {"foot", "hand"}, .shapes = true};
  pk_builder_add_pair(b, &pair, NULL);
  refuses(b, "a pair names shape \"hand\", which does not exist");
}

static void springs_and_references_are_of_joints_with_one_coordinate(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].joints[0].kind = PK_JOINT_SPHERICAL, w.parts[0].joints[0].stiffness = 1;
  refuses(describe(&w),
          "joint \"j\" (spherical) has a spring or a reference, which only joints with one coordinate have");
  w = one_robot();
  w.parts[0].joints[0].stiffness = -1;
  refuses(describe(&w), "stiffness of joint \"j\" is -1, expected zero or more");
  w = one_robot();
  w.parts[0].joints[0].ref = NAN;
  refuses(describe(&w), "reference or spring reference of joint \"j\" is not finite");
}

static void only_what_stands_still_has_planes(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].shapes[0] = (pk_shape_desc){.link = "c", .kind = PK_SHAPE_PLANE, .pose = pk_pose_identity()};
  w.parts[0].nshape = 1;
  refuses(describe(&w),
          "link \"c\" moves and has a shape of kind plane, which only the ground and links fixed in the "
          "world can have");
}

static void files_are_told_apart_by_their_root_element(void **state)
{
  (void)state;
  static const struct {
    const char *text, *root;
  } rows[] = {
      {"<robot name=\"a\"/>", "robot"},
      {"\xef\xbb\xbf  <?xml version=\"1.0\"?>\n<!-- <robot> --><mujoco>", "mujoco"},
      {"<!DOCTYPE x>\n<mujoco\tmodel='a'>", "mujoco"},
      {"<!-- never ends <robot>", ""},
      {"<", ""},
      {"", ""},
      {"no element", ""},
      {"<a_root_element_with_a_name_that_is_far_too_long_to_be_kept>", "a_root_element_with_a_name_that"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[PKI_ROOT_NAME_MAX];
    pki_root_element(rows[i].text, strlen(rows[i].text), name);
    assert_string_equal(name, rows[i].root);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_needs_a_name_and_a_robot),
      cmocka_unit_test(sites_sit_on_links_and_have_volumes_that_can_be),
      cmocka_unit_test(actuators_have_joints_numbers_and_limits_in_order),
      cmocka_unit_test(sensors_have_kinds_and_places),
      cmocka_unit_test(keyframes_are_of_robots_that_are_there),
      cmocka_unit_test(frictions_are_coefficients_none_or_ice),
      cmocka_unit_test(couplings_have_a_joint_and_numbers),
      cmocka_unit_test(there_is_a_largest_number_of_each),
      cmocka_unit_test(a_mark_takes_all_of_them_back),
      cmocka_unit_test(heights_are_checked),
      cmocka_unit_test(names_become_indices),
      cmocka_unit_test(names_that_lead_nowhere_are_errors),
      cmocka_unit_test(springs_and_references_are_of_joints_with_one_coordinate),
      cmocka_unit_test(only_what_stands_still_has_planes),
      cmocka_unit_test(files_are_told_apart_by_their_root_element),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
