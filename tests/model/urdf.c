/* What a URDF says is what the model holds, quirks of real files included. */
#include "model/urdf_help.h"
#include "support/bounds.h"

/* ---- links ---- */

static void masses_and_moments_are_read_in_link_axes(void **state)
{
  (void)state;
  /* a quarter turn about z swaps xx and yy of the inertial frame */
  pk_model *m =
      load_text(ROBOT("<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
                      "<mass value='2'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/>"
                      "</inertial></link>"));
  const pk_inertia *in = &link_of(m, "a")->inertia;
  const double expected[6] = {2, -0.1, -0.3, 1, 0.2, 2.5};
  assert_close(in->mass, 2);
  for (int i = 0; i < 3; i++) {
    assert_close(in->com[i], i + 1);
  }
  for (int i = 0; i < 6; i++) {
    assert_close(in->moment[i], expected[i]);
  }
  pk_model_destroy(m);
}

static void products_of_inertia_may_be_left_out(void **state)
{
  (void)state;
  pk_model *m = load_text(ROBOT(
      "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"));
  assert_close(link_of(m, "a")->inertia.moment[1], 0);
  pk_model_destroy(m);
}

static void a_link_without_inertial_or_with_zero_mass_is_massless(void **state)
{
  (void)state;
  pk_model *m = load_text(
      JOINED("<link name='c'/><joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint>"
             "<link name='d'><inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>"
             "<joint name='l' type='fixed'><parent link='a'/><child link='d'/></joint>"
             "<link name='e'><inertial><mass value='0'/></inertial></link>"
             "<joint name='m' type='fixed'><parent link='a'/><child link='e'/></joint>"));
  assert_close(m->mass, 2);
  assert_close(link_of(m, "c")->inertia.mass, 0);
  assert_close(link_of(m, "d")->inertia.mass, 0);
  pk_model_destroy(m);
}

/* ---- joints ---- */

static void every_joint_type_is_known(void **state)
{
  (void)state;
  static const struct {
    const char *type;
    pk_joint_kind kind;
  } types[] = {{"revolute", PK_JOINT_REVOLUTE},   {"continuous", PK_JOINT_CONTINUOUS},
               {"prismatic", PK_JOINT_PRISMATIC}, {"floating", PK_JOINT_FLOATING},
               {"planar", PK_JOINT_PLANAR},       {"spherical", PK_JOINT_SPHERICAL},
               {"ball", PK_JOINT_SPHERICAL}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             TWO("<joint name='j' type='%s'>" ENDS "<limit lower='-1' upper='2'/></joint>"), types[i].type);
    pk_model *m = load_text(text);
    assert_int_equal(joint_of(m, "j")->kind, types[i].kind);
    pk_model_destroy(m);
  }
}

static void limits_and_dynamics_are_read(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='j' type='revolute'>" ENDS
                              "<axis xyz='0 0 2'/><limit lower='-1.5' upper='2' effort='30' velocity='4'/>"
                              "<dynamics damping='0.5' friction='0.25' armature='0.125'/></joint>"));
  const pk_model_joint *j = joint_of(m, "j");
  assert_close(j->lower, -1.5);
  assert_close(j->upper, 2);
  assert_close(j->effort, 30);
  assert_close(j->velocity, 4);
  assert_close(j->damping, 0.5);
  assert_close(j->friction, 0.25);
  assert_close(j->armature, 0.125);
  assert_close(j->axis[2], 1);
  pk_model_destroy(m);
}

static void what_is_not_said_has_the_defaults_of_urdf(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='j' type='continuous'>" ENDS "</joint>"));
  const pk_model_joint *j = joint_of(m, "j");
  assert_close(j->axis[0], 1);
  assert_true(isinf(j->lower) && isinf(j->upper) && isinf(j->effort) && isinf(j->velocity));
  assert_close(j->damping + j->friction + j->armature, 0);
  assert_close(m->body_pos[3 * j->body], 0);
  pk_model_destroy(m);
}

static void an_origin_is_a_position_and_fixed_axis_angles(void **state)
{
  (void)state;
  /* roll then pitch then yaw about the parent's axes: x goes to z goes to ... */
  pk_model *m = load_text(TWO("<joint name='j' type='fixed'>" ENDS
                              "<origin xyz='1 2 3' rpy='1.5707963267948966 0 1.5707963267948966'/></joint>"));
  const double expected[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  const pk_pose *pose = &link_of(m, "b")->pose;
  for (int i = 0; i < 9; i++) {
    assert_close(pose->rot[i], expected[i]);
  }
  assert_close(pose->pos[1], 2);
  pk_model_destroy(m);
}

static void an_origin_may_be_a_quaternion(void **state)
{
  (void)state;
  pk_model *m = load_text(
      TWO("<joint name='j' type='fixed'>" ENDS "<origin xyz='0 0 1' quat_xyzw='0 0 1 0'/></joint>"));
  const double expected[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) {
    assert_close(link_of(m, "b")->pose.rot[i], expected[i]);
  }
  pk_model_destroy(m);
}

static void a_mimic_joint_follows_its_leader(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='j' type='continuous'>" ENDS "</joint>" LINK(
      "c") "<joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
           "<mimic joint='j' multiplier='-2' offset='0.5'/></joint>"));
  const pk_model_joint *k = joint_of(m, "k");
  assert_int_equal(k->leader, pk_model_find_joint(m, "j"));
  assert_close(k->multiplier, -2);
  assert_close(k->offset, 0.5);
  pk_model_destroy(m);
}

static void a_mimic_joint_copies_its_leader_unless_told(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='j' type='continuous'>" ENDS
                              "</joint>" LINK("c") "<joint name='k' type='continuous'><parent "
                                                   "link='b'/><child link='c'/><mimic joint='j'/></joint>"));
  assert_close(joint_of(m, "k")->multiplier, 1);
  assert_close(joint_of(m, "k")->offset, 0);
  pk_model_destroy(m);
}

static void a_fixed_joint_may_keep_its_old_axis_and_limits(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='j' type='fixed'>" ENDS
                              "<axis xyz='0 0 0'/><limit lower='0' upper='0' effort='0' velocity='0'/>"
                              "<dynamics damping='1'/></joint>"));
  assert_close(m->mass, 2);
  pk_model_destroy(m);
}

static void a_link_and_a_joint_may_share_a_name(void **state)
{
  (void)state;
  pk_model *m = load_text(TWO("<joint name='b' type='continuous'>" ENDS "</joint>"));
  assert_at_least(pk_model_find_joint(m, "b"), 0);
  assert_at_least(pk_model_find_link(m, "b"), 0);
  pk_model_destroy(m);
}

/* ---- shapes ---- */

static void every_shape_is_kept_with_its_size(void **state)
{
  (void)state;
  pk_model *m = load_text(
      ROBOT("<link name='a'>" INERTIAL
            "<collision name='c0'><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry></collision>"
            "<collision><geometry name='g'><cylinder radius='0.5' length='2'/></geometry></collision>"
            "<visual><geometry><sphere radius='0.25'/></geometry></visual>"
            "<visual><geometry><capsule radius='0.5' length='0'/></geometry></visual>"
            "<visual><geometry><mesh filename='nowhere.stl' scale='1 1 -1'/></geometry></visual></link>"));
  assert_int_equal(m->nshape, 4); /* the mesh is not wanted */
  static const pk_shape_kind kinds[4] = {PK_SHAPE_BOX, PK_SHAPE_CYLINDER, PK_SHAPE_SPHERE, PK_SHAPE_CAPSULE};
  static const double sizes[4][3] = {{1, 2, 3}, {0.5, 2, 0}, {0.25, 0, 0}, {0.5, 0, 0}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(m->shapes[i].kind, kinds[i]);
    assert_int_equal(m->shapes[i].visual, i >= 2);
    for (int k = 0; k < 3; k++) {
      assert_close(m->shapes[i].size[k], sizes[i][k]);
    }
  }
  assert_string_equal(m->shapes[0].name, "c0");
  assert_close(m->shapes[0].pose.pos[0], 1);
  pk_model_destroy(m);
}

static void assert_color(const pk_model_shape *shape, double r, double g, double b, double a)
{
  const double expected[4] = {r, g, b, a};
  for (int i = 0; i < 4; i++) {
    assert_close(shape->rgba[i], expected[i]);
  }
}

#define BALL(material) "<visual><geometry><sphere radius='1'/></geometry>" material "</visual>"

static void colours_come_from_the_visual_or_by_name(void **state)
{
  (void)state;
  pk_model *m = load_text(ROBOT(
      "<link name='a'>" INERTIAL BALL("<material name='own'><color rgba='1 0 0 1'/></material>") BALL(
          "<material name='global'/>") BALL("<material name='own'/>") BALL("<material name='unknown'/>")
          BALL("<material name=''><color rgba='0 0 255 1'/></material>") BALL(
              "") "</link>"
                  "<material name='global'><color rgba='0 1 0 0.5'/><texture filename='t.png'/></material>"
                  "<material name='global'><color rgba='1 1 1 1'/></material>"));
  assert_color(&m->shapes[0], 1, 0, 0, 1);
  assert_color(&m->shapes[1], 0, 1, 0, 0.5);
  assert_color(&m->shapes[2], 1, 0, 0, 1);
  assert_color(&m->shapes[3], 0.7, 0.7, 0.7, 1);
  assert_color(&m->shapes[4], 0, 0, 1, 1);
  assert_color(&m->shapes[5], 0.7, 0.7, 0.7, 1);
  pk_model_destroy(m);
}

/* ---- text ---- */

static void names_may_hold_any_character(void **state)
{
  (void)state;
  pk_model *m = load_text(ROBOT("<link name='a&amp;b &#233;\xc3\xa9'>" INERTIAL "</link>"));
  assert_string_equal(m->links[0].name, "a&b \xc3\xa9\xc3\xa9");
  pk_model_destroy(m);
}

static void declarations_comments_and_a_byte_order_mark_are_fine(void **state)
{
  (void)state;
  pk_model *m = load_text("\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><!-- <!DOCTYPE> <a> -->"
                          "<robot name='r' version='1.0' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
                          "<!-- - --><?x y?><![CDATA[ <b> ]]>" LINK("a") "</robot>");
  assert_int_equal(m->nlink, 1);
  pk_model_destroy(m);
}

static void a_default_name_space_changes_nothing(void **state)
{
  (void)state;
  pk_model *m = load_text("<robot name='r' xmlns='http://drake.mit.edu'>" LINK("a") "</robot>");
  assert_int_equal(m->nlink, 1);
  pk_model_destroy(m);
}

static void extensions_of_other_tools_are_left_alone(void **state)
{
  (void)state;
  pk_model *m =
      load_text(JOINED("<gazebo reference='a'><mu1>${x}</mu1><colision/></gazebo><transmission name='t'/>"
                       "<mujoco><compiler/></mujoco><ros2_control name='c'/><sensor name='s'/>"
                       "<link name='c'><contact><lateral_friction value='1'/></contact></link>"
                       "<joint name='k' type='fixed'><parent link='b'/><child link='c'/>"
                       "<calibration rising='0'/><safety_controller k_velocity='1'/></joint>"));
  assert_int_equal(m->nlink, 3);
  pk_model_destroy(m);
}

/* ---- remarks ---- */

/* The only remark on a text that loads; "" when there is none. */
static void assert_warns(const char *text, int line, const char *field, const char *message)
{
  const pk_load_options options = no_meshes();
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {0};
  int count = 0;
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", &options, &err), PK_OK);
  const pk_builder_diagnostic *d = pk_builder_diagnostics(b, &count);
  if (count != (message[0] != '\0')) {
    fail_msg("%d remarks on %s: %s", count, text, count > 0 ? d[0].error.message : "");
  }
  if (count == 1) {
    assert_false(d[0].is_error);
    assert_int_equal(d[0].error.line, line);
    assert_string_equal(d[0].error.field, field);
    assert_string_equal(d[0].error.file, "t.urdf");
    if (strstr(d[0].error.message, message) == NULL) {
      fail_msg("%s", d[0].error.message);
    }
  }
  pk_builder_destroy(b);
}

#define REVOLUTE(limit) TWO("<joint name='j' type='revolute'>" ENDS limit "</joint>")

static void doubtful_values_get_a_warning(void **state)
{
  (void)state;
  assert_warns(JOINED(""), 0, "", "");
  assert_warns(REVOLUTE("<limit upper='1'/>"), 4, "joint[j]/limit@lower",
               "<limit> has no lower: it is taken as 0");
  assert_warns(REVOLUTE("<limit lower='-1'/>"), 4, "joint[j]/limit@upper",
               "<limit> has no upper: it is taken as 0");
  assert_warns(REVOLUTE("<limit lower='1' upper='1'/>"), 4, "joint[j]/limit@lower",
               "lower and upper are both 1: the joint is locked there");
  assert_warns(TWO("<joint name='j' type='continuous'>" ENDS "<limit lower='-1' upper='1'/></joint>"), 4,
               "joint[j]/limit@lower", "have no meaning for a continuous joint");
  assert_warns(TWO("<joint name='j' type='fixed'>" ENDS "<mimic joint='k'/></joint>"), 4, "joint[j]/mimic",
               "a fixed joint cannot mimic");
  assert_warns(ROBOT("<link name='a'><visual><geometry><box size='1 1 0'/></geometry></visual></link>"), 2,
               "link[a]/visual/geometry/box@size", "size of <box> is 0: the visual is left out");
  assert_warns(ROBOT("<link name='a'>" BALL("<material name='red'/>") "</link>"), 2,
               "link[a]/visual/material@name", "no material \"red\" has a colour");
  assert_warns(
      ROBOT("<link name='a'>" BALL("<material name='m'><color rgba='255 0 0 1'/></material>") "</link>"), 2,
      "link[a]/visual/material/color@rgba", "values outside are clipped");
  assert_warns(ROBOT("<material name='m'><color rgba='1 1 1 1'/></material>\n"
                     "<material name='m'><color rgba='0 0 0 1'/></material><link name='a'/>"),
               3, "material", "material \"m\" is defined twice");
}

static void unknown_words_get_one_warning_for_each_kind(void **state)
{
  (void)state;
  assert_warns(ROBOT("<link name='a'/><loop_joint/>\n<loop_joint/>"), 2, "loop_joint",
               "<loop_joint> in <robot> is not read");
  assert_warns(ROBOT("<link name='a'/><drake:frame/>\n<drake:frame/>"), 2, "drake:frame",
               "<drake:frame> belongs to another tool");
  assert_warns(TWO("<joint name='j' type='continuous'>" ENDS "<limit gear_velocity='1'/></joint>\n"
                   "<joint name='k' type='continuous'>" ENDS "<limit gear_velocity='1'/></joint>"),
               4, "joint[j]/limit@gear_velocity", "attribute \"gear_velocity\" of <limit> is not read");
}

/* ---- loading ---- */

static void all_errors_are_reported_in_one_go(void **state)
{
  (void)state;
  const char *text =
      ROBOT("<link name='a'><inertial><mass/></inertial></link>\n<link/>\n<joint name='j' type='fix'>" ENDS
            "</joint>");
  static const int lines[] = {2, 3, 4};
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {0};
  int count = 0;
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", NULL, &err), PK_ERROR_SYNTAX);
  assert_int_equal(err.line, 2);
  const pk_builder_diagnostic *d = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 3);
  for (int i = 0; i < 3; i++) {
    assert_true(d[i].is_error);
    assert_int_equal(d[i].error.line, lines[i]);
  }
  pk_builder_destroy(b);
}

static void a_misspelled_word_is_not_also_missing(void **state)
{
  (void)state;
  const char *text = TWO("<joint name='j' type='fixed'><perent link='a'/><child lnik='b'/></joint>");
  pk_builder *b;
  pk_builder_create(&b, NULL);
  int count = 0;
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", NULL, NULL), PK_ERROR_SYNTAX);
  const pk_builder_diagnostic *d = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 2);
  assert_non_null(strstr(d[0].error.message, "did you mean <parent>?"));
  assert_non_null(strstr(d[1].error.message, "did you mean \"link\"?"));
  pk_builder_destroy(b);
}

static void a_failed_load_leaves_nothing_behind(void **state)
{
  (void)state;
  const char *bad = TWO("<joint name='j' type='fixed'>" ENDS "<origin xyz='0'/></joint>");
  const char *good = ROBOT(LINK("a"));
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_add_urdf_memory(b, bad, strlen(bad), NULL, NULL, NULL), PK_ERROR_SYNTAX);
  assert_int_equal(pk_builder_add_urdf_memory(b, good, strlen(good), NULL, NULL, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  assert_int_equal(model->nrobot, 1);
  assert_int_equal(model->nlink, 1);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

static void prefix_root_and_pose_come_from_the_options(void **state)
{
  (void)state;
  const char *text = ROBOT(LINK("a"));
  pk_load_options options = no_meshes();
  options.prefix = "left/";
  options.root = PK_ROOT_FIXED;
  options.pose.pos[2] = 3;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", &options, NULL), PK_OK);
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  assert_int_equal(model->nu, 0);
  assert_close(link_of(model, "left/a")->pose.pos[2], 3);
  assert_string_equal(model->robots[0].name, "r");
  assert_string_equal(model->robots[0].file, "t.urdf");
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

static void lines_beyond_sixteen_bits_are_exact(void **state)
{
  (void)state;
  enum { LINES = 70000 };
  static char text[LINES + 256];
  memset(text, '\n', LINES);
  strcpy(text + LINES, ROBOT("<link/>"));
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {0};
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", NULL, &err), PK_ERROR_SYNTAX);
  assert_int_equal(err.line, LINES + 2);
  pk_builder_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_and_moments_are_read_in_link_axes),
      cmocka_unit_test(products_of_inertia_may_be_left_out),
      cmocka_unit_test(a_link_without_inertial_or_with_zero_mass_is_massless),
      cmocka_unit_test(every_joint_type_is_known),
      cmocka_unit_test(limits_and_dynamics_are_read),
      cmocka_unit_test(what_is_not_said_has_the_defaults_of_urdf),
      cmocka_unit_test(an_origin_is_a_position_and_fixed_axis_angles),
      cmocka_unit_test(an_origin_may_be_a_quaternion),
      cmocka_unit_test(a_mimic_joint_follows_its_leader),
      cmocka_unit_test(a_mimic_joint_copies_its_leader_unless_told),
      cmocka_unit_test(a_fixed_joint_may_keep_its_old_axis_and_limits),
      cmocka_unit_test(a_link_and_a_joint_may_share_a_name),
      cmocka_unit_test(every_shape_is_kept_with_its_size),
      cmocka_unit_test(colours_come_from_the_visual_or_by_name),
      cmocka_unit_test(names_may_hold_any_character),
      cmocka_unit_test(declarations_comments_and_a_byte_order_mark_are_fine),
      cmocka_unit_test(a_default_name_space_changes_nothing),
      cmocka_unit_test(extensions_of_other_tools_are_left_alone),
      cmocka_unit_test(doubtful_values_get_a_warning),
      cmocka_unit_test(unknown_words_get_one_warning_for_each_kind),
      cmocka_unit_test(all_errors_are_reported_in_one_go),
      cmocka_unit_test(a_misspelled_word_is_not_also_missing),
      cmocka_unit_test(a_failed_load_leaves_nothing_behind),
      cmocka_unit_test(prefix_root_and_pose_come_from_the_options),
      cmocka_unit_test(lines_beyond_sixteen_bits_are_exact),
  };
  return cmocka_run_group_tests_name("a URDF", tests, NULL, NULL);
}
