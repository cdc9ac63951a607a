/* Every way in which a URDF can be wrong: exact status, line, field and the essential part of the
 * message. Rows of one table, each a test of its own. */
#include <stdlib.h>

#include "model/urdf_help.h"

typedef struct wrong {
  const char *sentence;
  pk_status status;
  int line;
  const char *field, *message; /* NULL field: not looked at */
  const char *text;
} wrong;

#define JOINT(attributes, inside) TWO("<joint " attributes ">" ENDS inside "</joint>\n")
#define REVOLUTE(inside) JOINT("name='j' type='revolute'", inside)
#define SHAPE(kind, geometry) \
  ROBOT("<link name='a'>\n<" kind "><geometry>" geometry "</geometry></" kind "></link>\n")

static const wrong rows[] = {
    /* not XML, not URDF */
    {"an unclosed element is not well-formed", PK_ERROR_SYNTAX, 3, "", "not well-formed XML",
     "<robot name='r'>\n<link name='a'>\n</robot>"},
    {"text after the robot is not well-formed", PK_ERROR_SYNTAX, 2, "", "not well-formed XML",
     "<robot name='r'><link name='a'/></robot>\n<x/>"},
    {"a file without markup is not well-formed", PK_ERROR_SYNTAX, 1, "", "not well-formed XML", "solid cube"},
    {"an attribute given twice is not well-formed", PK_ERROR_SYNTAX, 2, "",
     "not well-formed XML: Attribute name redefined", ROBOT("<link name='a' name='b'/>")},
    {"an attribute without quotes is not well-formed", PK_ERROR_SYNTAX, 2, "", "not well-formed XML",
     ROBOT("<link name=a/>")},
    {"an MJCF file is recognised", PK_ERROR_SYNTAX, 1, "mujoco",
     "expected <robot>, found <mujoco>: this is an MJCF file", "<mujoco model='m'/>"},
    {"an SDF file is recognised", PK_ERROR_SYNTAX, 1, "sdf",
     "expected <robot>, found <sdf>: this is an SDF file", "<sdf version='1.6'/>"},
    {"another root element is refused", PK_ERROR_SYNTAX, 2, "robots", "expected <robot>, found <robots>",
     "\n<robots/>"},
    {"an unexpanded macro is refused", PK_ERROR_UNSUPPORTED, 2, "xacro:macro",
     "expand it first with `xacro file.xacro > file.urdf`",
     "<robot xmlns:xacro='http://x'>\n<xacro:macro name='leg'/></robot>"},
    {"an unexpanded macro with an undeclared prefix is refused", PK_ERROR_UNSUPPORTED, 2, "xacro:leg",
     "expand it first", ROBOT("<xacro:leg/>")},
    {"a macro's value is refused", PK_ERROR_UNSUPPORTED, 2, "link[a]/inertial/mass", "expand it first",
     ROBOT("<link name='a'><inertial><mass value='${m}'/></inertial></link>")},
    {"a macro's substitution is refused", PK_ERROR_UNSUPPORTED, 2, NULL, "expand it first",
     ROBOT("<link name='a'><visual><geometry><mesh filename='$(find p)/a.stl'/></geometry></visual></link>")},

    /* structure */
    {"a robot needs a name", PK_ERROR_SYNTAX, 1, "robot@name", "<robot> needs the attribute \"name\"",
     "<robot><link name='a'/></robot>"},
    {"a robot's name is not empty", PK_ERROR_SYNTAX, 1, "robot@name",
     "attribute \"name\" of <robot> is empty", "<robot name=''><link name='a'/></robot>"},
    {"a robot needs a link", PK_ERROR_MODEL, 1, "robot", "<robot> has no <link>", "<robot name='r'/>"},
    {"a link needs a name", PK_ERROR_SYNTAX, 2, "link@name", "<link> needs the attribute \"name\"",
     ROBOT("<link/>")},
    {"a link's name is not empty", PK_ERROR_SYNTAX, 2, "link[]@name", "attribute \"name\" of <link> is empty",
     ROBOT("<link name=''/>")},
    {"a joint needs a name", PK_ERROR_SYNTAX, 4, "joint@name", "<joint> needs the attribute \"name\"",
     JOINT("type='fixed'", "")},
    {"a joint needs a type", PK_ERROR_SYNTAX, 4, "joint[j]@type", "<joint> needs the attribute \"type\"",
     JOINT("name='j'", "")},
    {"a joint's type has a nearest word", PK_ERROR_SYNTAX, 4, "joint[j]@type",
     "unknown joint type \"revolut\"; did you mean \"revolute\"?", JOINT("name='j' type='revolut'", "")},
    {"a joint's type is written small", PK_ERROR_SYNTAX, 4, "joint[j]@type", "did you mean \"fixed\"?",
     JOINT("name='j' type='Fixed'", "")},
    {"a joint type far from all gets the list", PK_ERROR_SYNTAX, 4, "joint[j]@type",
     "unknown joint type \"xyzzyxy\": expected fixed, revolute, continuous, prismatic, planar, floating",
     JOINT("name='j' type='xyzzyxy'", "")},
    {"a joint needs a parent", PK_ERROR_SYNTAX, 4, "joint[j]", "<joint> needs a <parent>",
     TWO("<joint name='j' type='fixed'><child link='b'/></joint>")},
    {"a joint needs a child", PK_ERROR_SYNTAX, 4, "joint[j]", "<joint> needs a <child>",
     TWO("<joint name='j' type='fixed'><parent link='a'/></joint>")},
    {"a parent needs a link", PK_ERROR_SYNTAX, 4, "joint[j]/parent@link",
     "<parent> needs the attribute \"link\"",
     TWO("<joint name='j' type='fixed'><parent/><child link='b'/></joint>")},
    {"a child's link is not empty", PK_ERROR_SYNTAX, 4, "joint[j]/child@link",
     "attribute \"link\" of <child> is empty",
     TWO("<joint name='j' type='fixed'><parent link='a'/><child link=''/></joint>")},
    {"a second parent is refused", PK_ERROR_SYNTAX, 5, "joint[j]/parent",
     "a second <parent> in <joint>: the first is on line 4",
     JOINT("name='j' type='fixed'", "\n<parent link='b'/>")},
    {"a second inertial is refused", PK_ERROR_SYNTAX, 3, "link[a]/inertial",
     "a second <inertial> in <link>: the first is on line 2",
     ROBOT("<link name='a'>" INERTIAL "\n" INERTIAL "</link>")},
    {"a second origin is refused", PK_ERROR_SYNTAX, 4, "joint[j]/origin", "a second <origin> in <joint>",
     JOINT("name='j' type='fixed'", "<origin/><origin/>")},
    {"a second axis is refused", PK_ERROR_SYNTAX, 4, "joint[j]/axis", "a second <axis> in <joint>",
     JOINT("name='j' type='fixed'", "<axis xyz='1 0 0'/><axis xyz='0 1 0'/>")},
    {"a misspelled element has a nearest word", PK_ERROR_SYNTAX, 3, "link[a]/colision",
     "unknown element <colision> in <link>; did you mean <collision>?",
     ROBOT("<link name='a'>\n<colision/></link>")},
    {"swapped letters have a nearest word", PK_ERROR_SYNTAX, 2, "link[a]/inertail",
     "did you mean <inertial>?", ROBOT("<link name='a'><inertail/></link>")},
    {"swapped letters of a short word have a nearest word", PK_ERROR_SYNTAX, 4, "joint[j]/axsi",
     "unknown element <axsi> in <joint>; did you mean <axis>?",
     JOINT("name='j' type='continuous'", "<axsi xyz='0 0 1'/>")},
    {"a capital letter has a nearest word", PK_ERROR_SYNTAX, 2, "Link",
     "unknown element <Link> in <robot>; did you mean <link>?", ROBOT("<Link name='a'/><link name='b'/>")},
    {"a misspelled attribute has a nearest word", PK_ERROR_SYNTAX, 3,
     "link[a]/visual/geometry/cylinder@lenght",
     "unknown attribute \"lenght\" of <cylinder>; did you mean \"length\"?",
     SHAPE("visual", "<cylinder radius='1' lenght='1'/>")},
    {"a misspelled attribute of a limit has a nearest word", PK_ERROR_SYNTAX, 4, "joint[j]/limit@uper",
     "did you mean \"upper\"?", REVOLUTE("<limit lower='0' uper='1'/>")},
    {"an element in the wrong place is sent home", PK_ERROR_SYNTAX, 2, "link[a]/mass",
     "<mass> does not belong in <link>, but for example in <inertial>",
     ROBOT("<link name='a'><mass value='1'/></link>")},
    {"an inertia outside its inertial is sent home", PK_ERROR_SYNTAX, 2, "link[a]/inertia",
     "<inertia> does not belong in <link>, but for example in <inertial>",
     ROBOT("<link name='a'><inertia ixx='1' iyy='1' izz='1'/></link>")},
    {"a joint inside a link is sent home", PK_ERROR_SYNTAX, 2, "link[a]/joint[j]",
     "<joint> does not belong in <link>, but for example in <robot>",
     ROBOT("<link name='a'><joint name='j' type='fixed'/></link>")},

    /* mass */
    {"an inertial needs a mass", PK_ERROR_SYNTAX, 2, "link[a]/inertial", "<inertial> needs a <mass>",
     ROBOT("<link name='a'><inertial/></link>")},
    {"a mass needs a value", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "<mass> needs the attribute \"value\"",
     ROBOT("<link name='a'><inertial><mass>1</mass></inertial></link>")},
    {"a mass needs moments", PK_ERROR_SYNTAX, 2, "link[a]/inertial", "<inertial> has a mass but no <inertia>",
     ROBOT("<link name='a'><inertial><mass value='1'/></inertial></link>")},
    {"moments on the diagonal are needed", PK_ERROR_SYNTAX, 2, "link[a]/inertial/inertia@iyy",
     "<inertia> needs the attribute \"iyy\"",
     ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' izz='1'/></inertial></link>")},
    {"two masses are too many", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "value of <mass> needs 1 number, found 2: \"1 2\"",
     ROBOT("<link name='a'><inertial><mass value='1 2'/></inertial></link>")},

    /* numbers */
    {"a vector of two is too short", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "xyz of <origin> needs 3 numbers, found 2: \"0 0\"",
     JOINT("name='j' type='fixed'", "<origin xyz='0 0'/>")},
    {"a vector of four is too long", PK_ERROR_SYNTAX, 4, "joint[j]/origin@rpy",
     "rpy of <origin> needs 3 numbers, found 4", JOINT("name='j' type='fixed'", "<origin rpy='0 0 0 1'/>")},
    {"an empty vector is too short", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "xyz of <origin> needs 3 numbers, found 0", JOINT("name='j' type='fixed'", "<origin xyz=' '/>")},
    {"a unit after a number is refused", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "\"0.1m\" is not a number: units are metres",
     JOINT("name='j' type='fixed'", "<origin xyz='0.1m 0 0'/>")},
    {"commas between numbers are refused", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "\"0,0,0\" is not a number: numbers are separated by blanks",
     JOINT("name='j' type='fixed'", "<origin xyz='0,0,0'/>")},
    {"a word is no number", PK_ERROR_SYNTAX, 4, "joint[j]/axis@xyz", "\"z\" is not a number",
     JOINT("name='j' type='fixed'", "<axis xyz='z'/>")},
    {"an axis needs its direction", PK_ERROR_SYNTAX, 4, "joint[j]/axis@xyz",
     "<axis> needs the attribute \"xyz\"", JOINT("name='j' type='fixed'", "<axis/>")},
    {"not a number is not finite", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "\"nan\" is not a finite number", JOINT("name='j' type='fixed'", "<origin xyz='nan 0 0'/>")},
    {"infinity is not finite", PK_ERROR_SYNTAX, 4, "joint[j]/limit@upper", "\"inf\" is not a finite number",
     REVOLUTE("<limit lower='0' upper='inf'/>")},
    {"a number beyond double is not finite", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "\"1e999\" is not a finite number",
     ROBOT("<link name='a'><inertial><mass value='1e999'/></inertial></link>")},
    {"angles and a quaternion are too much", PK_ERROR_SYNTAX, 4, "joint[j]/origin@quat_xyzw",
     "<origin> has rpy and quat_xyzw",
     JOINT("name='j' type='fixed'", "<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>")},
    {"a quaternion has length one", PK_ERROR_SYNTAX, 4, "joint[j]/origin@quat_xyzw",
     "quat_xyzw has length 2, expected 1", JOINT("name='j' type='fixed'", "<origin quat_xyzw='0 0 0 2'/>")},

    /* joints */
    {"a revolute joint needs a limit", PK_ERROR_MODEL, 4, "joint[j]",
     "a revolute joint needs a <limit> with lower and upper, or make it continuous", REVOLUTE("")},
    {"a prismatic joint needs a limit", PK_ERROR_MODEL, 4, "joint[j]",
     "a prismatic joint needs a <limit> with lower and upper", JOINT("name='j' type='prismatic'", "")},
    {"a revolute limit needs its bounds", PK_ERROR_MODEL, 4, "joint[j]/limit",
     "<limit> of a revolute joint needs lower and upper, or make the joint continuous",
     REVOLUTE("<limit effort='1' velocity='1'/>")},
    {"lower is not above upper", PK_ERROR_MODEL, 4, "joint[j]/limit@lower",
     "lower (1) is above upper (-1): if the joint is meant to turn freely, make it continuous",
     REVOLUTE("<limit lower='1' upper='-1'/>")},
    {"lower of a prismatic joint is not above upper", PK_ERROR_MODEL, 4, "joint[j]/limit@lower",
     "lower (1) is above upper (0): swap them",
     JOINT("name='j' type='prismatic'", "<limit lower='1' upper='0'/>")},
    {"a missing lower is zero and may be above upper", PK_ERROR_MODEL, 4, "joint[j]/limit@lower",
     "lower (0) is above upper (-1)", REVOLUTE("<limit upper='-1'/>")},
    {"effort is not negative", PK_ERROR_MODEL, 4, "joint[j]/limit@effort",
     "effort of <limit> is -1, expected zero or more: leave it out for no limit",
     REVOLUTE("<limit lower='0' upper='1' effort='-1'/>")},
    {"velocity is not negative", PK_ERROR_MODEL, 4, "joint[j]/limit@velocity",
     "velocity of <limit> is -2, expected zero or more",
     REVOLUTE("<limit lower='0' upper='1' velocity='-2'/>")},
    {"damping is not negative", PK_ERROR_MODEL, 4, "joint[j]/dynamics@damping",
     "damping of <dynamics> is -1, expected zero or more",
     JOINT("name='j' type='continuous'", "<dynamics damping='-1'/>")},
    {"friction is not negative", PK_ERROR_MODEL, 4, "joint[j]/dynamics@friction",
     "friction of <dynamics> is -1", JOINT("name='j' type='continuous'", "<dynamics friction='-1'/>")},
    {"armature is not negative", PK_ERROR_MODEL, 4, "joint[j]/dynamics@armature",
     "armature of <dynamics> is -1", JOINT("name='j' type='continuous'", "<dynamics armature='-1'/>")},
    {"a mimic needs its leader", PK_ERROR_SYNTAX, 4, "joint[j]/mimic@joint",
     "<mimic> needs the attribute \"joint\"", JOINT("name='j' type='continuous'", "<mimic/>")},
    {"a mimic's multiplier is a number", PK_ERROR_SYNTAX, 4, "joint[j]/mimic@multiplier",
     "\"two\" is not a number", JOINT("name='j' type='continuous'", "<mimic joint='k' multiplier='two'/>")},

    /* shapes */
    {"a visual needs a geometry", PK_ERROR_SYNTAX, 2, "link[a]/visual", "<visual> needs a <geometry>",
     ROBOT("<link name='a'><visual/></link>")},
    {"a collision needs a geometry", PK_ERROR_SYNTAX, 2, "link[a]/collision",
     "<collision> needs a <geometry>", ROBOT("<link name='a'><collision/></link>")},
    {"a second geometry is refused", PK_ERROR_SYNTAX, 2, "link[a]/visual/geometry",
     "a second <geometry> in <visual>",
     ROBOT("<link name='a'><visual><geometry><sphere radius='1'/></geometry><geometry/></visual></link>")},
    {"a geometry is not empty", PK_ERROR_SYNTAX, 3, "link[a]/collision/geometry",
     "<geometry> is empty: expected box, cylinder, sphere, capsule or mesh", SHAPE("collision", "")},
    {"a geometry is one shape", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/box",
     "<geometry> holds <sphere> and <box>", SHAPE("visual", "<sphere radius='1'/><box size='1 1 1'/>")},
    {"a geometry is one sphere", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/sphere",
     "a second <sphere> in <geometry>", SHAPE("visual", "<sphere radius='1'/><sphere radius='2'/>")},
    {"a misspelled shape has a nearest word", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/cilinder",
     "did you mean <cylinder>?", SHAPE("visual", "<cilinder radius='1' length='1'/>")},
    {"a shape of another tool is not offered", PK_ERROR_UNSUPPORTED, 3, "link[a]/collision/geometry/plane",
     "<plane> is not offered in <geometry>", SHAPE("collision", "<plane normal='0 0 1'/>")},
    {"a box needs its size", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/box@size",
     "<box> needs the attribute \"size\"", SHAPE("visual", "<box/>")},
    {"a box has three sizes", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/box@size",
     "size of <box> needs 3 numbers, found 1", SHAPE("visual", "<box size='1'/>")},
    {"a sphere needs its radius", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/sphere@radius",
     "<sphere> needs the attribute \"radius\"", SHAPE("visual", "<sphere/>")},
    {"a cylinder needs its length", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/cylinder@length",
     "<cylinder> needs the attribute \"length\"", SHAPE("visual", "<cylinder radius='1'/>")},
    {"a capsule needs its radius", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/capsule@radius",
     "<capsule> needs the attribute \"radius\"", SHAPE("visual", "<capsule length='1'/>")},
    {"a radius is not negative", PK_ERROR_MODEL, 3, "link[a]/visual/geometry/sphere@radius",
     "radius of <sphere> is -1, expected a positive length", SHAPE("visual", "<sphere radius='-1'/>")},
    {"a collision has a size", PK_ERROR_MODEL, 3, "link[a]/collision/geometry/box@size",
     "size of <box> is 0, expected a positive length", SHAPE("collision", "<box size='1 0 1'/>")},
    {"a mesh needs its file", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/mesh@filename",
     "<mesh> needs the attribute \"filename\"", SHAPE("visual", "<mesh/>")},
    {"a mesh's file is not empty", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/mesh@filename",
     "attribute \"filename\" of <mesh> is empty", SHAPE("visual", "<mesh filename=''/>")},
    {"a scale is three numbers", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/mesh@scale",
     "scale of <mesh> needs 3 numbers, found 1", SHAPE("visual", "<mesh filename='a.stl' scale='0.001'/>")},
    {"a scale is not zero", PK_ERROR_MODEL, 3, "link[a]/visual/geometry/mesh@scale",
     "scale of <mesh> is 1 0 1: no factor may be 0",
     SHAPE("visual", "<mesh filename='a.stl' scale='1 0 1'/>")},
    {"a colour is four numbers", PK_ERROR_SYNTAX, 2, "link[a]/visual/material/color@rgba",
     "rgba of <color> needs 4 numbers, found 3",
     ROBOT("<link name='a'><visual><geometry><sphere radius='1'/></geometry><material name='m'><color "
           "rgba='1 1 1'/></material></visual></link>")},
    {"a global material needs a name", PK_ERROR_SYNTAX, 2, "material@name",
     "<material> in <robot> needs the attribute \"name\"",
     ROBOT("<material><color rgba='1 1 1 1'/></material><link name='a'/>")},

    /* what the compiler finds, at the loader's lines */
    {"two links of one name are refused", PK_ERROR_NAME, 4, "a", "link \"a\" is there twice", TWO(LINK("a"))},
    {"two joints of one name are refused", PK_ERROR_NAME, 5, "j", "joint \"j\" is there twice",
     JOINED("<joint name='j' type='fixed'>" ENDS "</joint>")},
    {"an unknown parent has a nearest word", PK_ERROR_NAME, 3, "j",
     "parent link \"basee\" of joint \"j\" does not exist; did you mean \"base\"?",
     ROBOT(LINK("base") "<joint name='j' type='fixed'><parent link='basee'/><child link='base'/></joint>")},
    {"an unknown child is refused", PK_ERROR_NAME, 3, "j",
     "child link \"nowhere\" of joint \"j\" does not exist",
     ROBOT(LINK("a") "<joint name='j' type='fixed'><parent link='a'/><child link='nowhere'/></joint>")},
    {"a link is not its own parent", PK_ERROR_MODEL, 4, "j", "joins link \"a\" to itself",
     TWO("<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>")},
    {"a link has one parent", PK_ERROR_MODEL, 5, "k", "is the child of joint \"j\" and of joint \"k\"",
     JOINED("<joint name='k' type='fixed'>" ENDS "</joint>")},
    {"two roots are refused", PK_ERROR_MODEL, 3, "b", "has two roots, links \"a\" and \"b\"", TWO("")},
    {"a loop without a root is refused", PK_ERROR_MODEL, 0, "r", "has no root link",
     JOINED("<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>")},
    {"a loop beside the tree is refused", PK_ERROR_MODEL, 5, NULL, "in a loop",
     JOINED(LINK("c")
                LINK("d") "<joint name='k' type='fixed'><parent link='c'/><child link='d'/></joint><joint "
                          "name='l' type='fixed'><parent link='d'/><child link='c'/></joint>")},
    {"an axis has a direction", PK_ERROR_MODEL, 4, "j",
     "axis of joint \"j\" is (0, 0, 0), expected a direction",
     JOINT("name='j' type='continuous'", "<axis xyz='0 0 0'/>")},
    {"a mimic's leader exists", PK_ERROR_NAME, 4, "j", "mimics \"k\", which does not exist",
     JOINT("name='j' type='continuous'", "<mimic joint='k'/>")},
    {"a joint does not mimic itself", PK_ERROR_MODEL, 4, "j", "mimics itself",
     JOINT("name='j' type='continuous'", "<mimic joint='j'/>")},
    {"a ball joint does not mimic", PK_ERROR_MODEL, 4, "j", "both must have one coordinate",
     TWO("<joint name='j' type='ball'>" ENDS "<mimic joint='k'/></joint>\n" LINK(
         "c") "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>")},
    {"a mass is not negative", PK_ERROR_MASS, 2, "a", "mass of link \"a\" is -1 kg",
     ROBOT("<link name='a'><inertial><mass value='-1'/><inertia ixx='1' iyy='1' "
           "izz='1'/></inertial></link>" LINK(
               "b") "<joint name='j' type='continuous'><parent link='b'/><child link='a'/></joint>")},
    {"a leaf that moves has mass", PK_ERROR_MASS, 6, "k", "joint \"k\" moves nothing that has inertia",
     JOINED(
         "<link name='c'/>\n<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>")},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void is_reported(void **state)
{
  const wrong *row = *state;
  const pk_load_options options = no_meshes();
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *model = NULL;
  pk_error err = {0};
  pk_status status = pk_builder_add_urdf_memory(b, row->text, strlen(row->text), "t.urdf", &options, &err);
  if (status == PK_OK) {
    status = pk_builder_compile(b, &model, &err);
  }
  pk_builder_destroy(b);
  pk_model_destroy(model);
  if (status != row->status || err.line != row->line || strstr(err.message, row->message) == NULL ||
      (row->field != NULL && strcmp(err.field, row->field) != 0)) {
    fail_msg("status %d, line %d, field \"%s\": %s", status, err.line, err.field, err.message);
  }
  assert_int_equal(err.status, row->status);
  assert_string_equal(err.file, "t.urdf");
}

int main(void)
{
  struct CMUnitTest tests[ROW_COUNT];
  for (size_t i = 0; i < ROW_COUNT; i++) {
    tests[i] = (struct CMUnitTest){
        .name = rows[i].sentence, .test_func = is_reported, .initial_state = (void *)(size_t)&rows[i]};
  }
  return cmocka_run_group_tests_name("a wrong URDF", tests, NULL, NULL);
}
