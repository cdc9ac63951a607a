/* Every way in which a URDF can be wrong beyond reading (what is odd but can be read: urdf_quirks.c): exact status, line, field and the essential part of the
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
    {"a misspelled attribute has a nearest word", PK_ERROR_SYNTAX, 3,
     "link[a]/visual/geometry/cylinder@lenght",
     "unknown attribute \"lenght\" of <cylinder>; did you mean \"length\"?",
     SHAPE("visual", "<cylinder radius='1' lenght='1'/>")},

    /* mass */
    {"a mass needs a value", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "<mass> needs the attribute \"value\"",
     ROBOT("<link name='a'><inertial><mass>1</mass></inertial></link>")},

    /* numbers */
    {"a vector of two is too short", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "xyz of <origin> needs 3 numbers, found 2: \"0 0\"",
     JOINT("name='j' type='fixed'", "<origin xyz='0 0'/>")},
    {"a unit after a number is refused", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "\"0.1m\" is not a number: units are metres",
     JOINT("name='j' type='fixed'", "<origin xyz='0.1m 0 0'/>")},
    {"a word is no number", PK_ERROR_SYNTAX, 4, "joint[j]/axis@xyz", "\"z\" is not a number",
     JOINT("name='j' type='fixed'", "<axis xyz='z'/>")},
    {"not a number is not finite", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "\"nan\" is not a finite number", JOINT("name='j' type='fixed'", "<origin xyz='nan 0 0'/>")},
    {"a number beyond double is not finite", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "\"1e999\" is not a finite number",
     ROBOT("<link name='a'><inertial><mass value='1e999'/></inertial></link>")},
    {"a quaternion has length one", PK_ERROR_SYNTAX, 4, "joint[j]/origin@quat_xyzw",
     "quat_xyzw has length 2, expected 1", JOINT("name='j' type='fixed'", "<origin quat_xyzw='0 0 0 2'/>")},

    /* joints */
    {"a mimic needs its leader", PK_ERROR_SYNTAX, 4, "joint[j]/mimic@joint",
     "<mimic> needs the attribute \"joint\"", JOINT("name='j' type='continuous'", "<mimic/>")},
    {"a mimic's multiplier is a number", PK_ERROR_SYNTAX, 4, "joint[j]/mimic@multiplier",
     "\"two\" is not a number", JOINT("name='j' type='continuous'", "<mimic joint='k' multiplier='two'/>")},

    {"a decimal comma is refused", PK_ERROR_SYNTAX, 4, "joint[j]/origin@xyz",
     "has commas and more than 3 numbers: numbers are separated by blanks, with a point before decimals",
     JOINT("name='j' type='fixed'", "<origin xyz='0,5 0,1 0,2'/>")},
    {"a decimal comma in one number is refused", PK_ERROR_SYNTAX, 2, "link[a]/inertial/mass@value",
     "has commas and more than 1 number",
     ROBOT("<link name='a'><inertial><mass value='1,5'/></inertial></link>")},
    {"a size of blanks is empty", PK_ERROR_SYNTAX, 3, "link[a]/visual/geometry/box@size",
     "attribute \"size\" of <box> is empty", SHAPE("visual", "<box size=' '/>")},
    {"a negative size is refused", PK_ERROR_MODEL, 3, "link[a]/collision/geometry/sphere@radius",
     "radius of <sphere> is -1, expected a positive length", SHAPE("collision", "<sphere radius='-1'/>")},
    {"a misspelled parent is not guessed", PK_ERROR_SYNTAX, 4, "joint[j]/perent", "did you mean <parent>?",
     TWO("<joint name='j' type='fixed'><perent link='a'/><child link='b'/></joint>")},
    {"a free point mass cannot turn", PK_ERROR_MASS, 2, "a",
     "link \"a\" is a free root that has mass but no moments of inertia about some axis, so it cannot turn: "
     "give it "
     "moments, or fix the root",
     ROBOT("<link name='a'><inertial><mass value='1'/></inertial></link>")},

    /* shapes */
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
    {"a joint does not mimic itself", PK_ERROR_MODEL, 4, "j", "mimics itself",
     JOINT("name='j' type='continuous'", "<mimic joint='j'/>")},
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
