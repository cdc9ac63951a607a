/* What real files have and no specification allows: each is read, with a warning that names its kind and says what was
 * done, and is an error for those who read strictly. Rows of one table, each a test of its own: one quirk, the warning,
 * and what the model is then. */
#include "model/urdf_help.h"

typedef struct quirk {
  const char *sentence;
  const char *kind;
  pk_status status; /* when read strictly */
  int line;
  const char *message; /* its essential part */
  const char *text;
  size_t size; /* of the text; 0: up to its NUL */
  int nu;
  double mass;
  int nshape;
  void (*holds)(const pk_model *m);
} quirk;

#define S PK_ERROR_SYNTAX
#define M PK_ERROR_MODEL
#define JOINT(attributes, inside) TWO("<joint " attributes ">" ENDS inside "</joint>\n")
#define FIXED(inside) JOINT("name='j' type='fixed'", inside)
#define REVOLUTE(inside) JOINT("name='j' type='revolute'", inside)
#define TURNING(inside) JOINT("name='j' type='continuous'", inside)
#define SHAPES(inside) ROBOT("<link name='a'>" INERTIAL "\n" inside "</link>\n")
#define SHAPE(kind, geometry) SHAPES("<" kind "><geometry>" geometry "</geometry></" kind ">")
#define BALL "<geometry><sphere radius='1'/></geometry>"
#define MASS(kg, moments) "<inertial><mass value='" kg "'/><inertia " moments "/></inertial>"
#define BODY(inertial) ROBOT("<link name='a'>" inertial "</link>")
#define ONE "<link name='a'>" INERTIAL "</link></robot>"

/* ---- what the model is ---- */

static double limit(const pk_model *m, bool upper)
{
  const int u = joint_of(m, "j")->u;
  return (upper ? m->dof_upper : m->dof_lower)[u];
}

static void has_no_limits(const pk_model *m)
{
  assert_true(limit(m, false) == -INFINITY && limit(m, true) == INFINITY);
}

static void goes_from_minus_one_to_zero(const pk_model *m)
{
  assert_close(limit(m, false), -1);
  assert_close(limit(m, true), 0);
}

static void has_an_effort_of_one(const pk_model *m)
{
  assert_close(m->dof_effort[joint_of(m, "j")->u], 1);
}

static void has_no_losses(const pk_model *m)
{
  const int u = joint_of(m, "j")->u;
  assert_true(m->dof_damping[u] == 0 && m->dof_friction[u] == 0 && m->dof_armature[u] == 0);
}

static void lies_at_one_two_three(const pk_model *m)
{
  const pk_pose *pose = &link_of(m, "b")->pose;
  assert_true(pose->pos[0] == 1 && pose->pos[1] == 2 && pose->pos[2] == 3);
}

static void is_not_turned(const pk_model *m)
{
  assert_true(link_of(m, "b")->pose.rot[0] == 1);
}

static void is_independent(const pk_model *m)
{
  assert_int_equal(joint_of(m, "j")->leader, -1);
}

static void is_called_robot(const pk_model *m)
{
  assert_string_equal(m->robots[0].name, "robot");
}

static void is_called_with_an_accent(const pk_model *m)
{
  assert_string_equal(m->robots[0].name, "caf\xc3\xa9");
}

static void is_red(const pk_model *m)
{
  assert_true(m->shapes[0].rgba[0] == 1 && m->shapes[0].rgba[1] == 0 && m->shapes[0].rgba[3] == 1);
}

static void is_a_sphere(const pk_model *m)
{
  assert_int_equal(m->shapes[0].kind, PK_SHAPE_SPHERE);
  assert_true(m->shapes[0].size[0] == 1);
}

/* Moments of the first body, about its origin, which is its centre of mass. */
static void has_moments(const pk_model *m, double xx, double yy, double zz)
{
  const double *I = m->body_inertia + 4;
  assert_close(I[0], xx), assert_close(I[3], yy), assert_close(I[5], zz);
  assert_true(fabs(I[1]) + fabs(I[2]) + fabs(I[4]) < 1e-15);
}

/* Second moments (2, -1, ...) / 2: with I = (1, 1, 3), S = (1.5, 1.5, -0.5) becomes (1.5, 1.5, 0). */
static void grew_the_small_ones(const pk_model *m)
{
  has_moments(m, 1.5, 1.5, 3);
}

/* I = (-1, 1, 1): S = (1.5, -0.5, -0.5) becomes (1.5, 0, 0). */
static void lost_the_negative_one(const pk_model *m)
{
  has_moments(m, 0, 1.5, 1.5);
}

static void has_moments_of_one(const pk_model *m)
{
  has_moments(m, 1, 1, 1);
}

/* Turned by 45 degrees about z: I = R diag(1, 3, 1) R' is balanced to R diag(1.5, 3, 1.5) R'. */
static void grew_along_its_own_axes(const pk_model *m)
{
  const double *I = m->body_inertia + 4;
  assert_close(I[0], 2.25), assert_close(I[3], 2.25), assert_close(I[5], 1.5), assert_close(I[1], -0.75);
}

/* ---- the quirks ---- */

static const quirk rows[] = {
    /* the text */
    {"blanks before the XML declaration", "xml-declaration", S, 2, "is not at the start of the file",
     "\n <?xml version='1.0'?>\n<robot name='r'>" ONE, .nu = 6, .mass = 1},
    {"a comment before the XML declaration", "xml-declaration", S, 1, "is not at the start of the file",
     "<!-- made by hand --><?xml version='1.0'?><robot name='r'>" ONE, .nu = 6, .mass = 1},
    {"an XML version that is none", "xml-declaration", S, 1,
     "says version \"0.0\": the file is read as XML 1.0", "<?xml version=\"0.0\" ?>\n<robot name='r'>" ONE,
     .nu = 6, .mass = 1},
    {"an encoding that is not read", "encoding", S, 1, "says encoding \"gb2312\": the file is read as UTF-8",
     "<?xml version='1.0' encoding='gb2312'?><robot name='r'>" ONE, .nu = 6, .mass = 1},
    {"Latin-1 in a name", "not-utf8", S, 1, "byte 0xe9 is not UTF-8: it is read as Latin-1",
     "<robot name='caf\xe9'>" ONE, .nu = 6, .mass = 1, .holds = is_called_with_an_accent},
    {"a NUL byte at the end", "nul-bytes", S, 3, "1 NUL byte is left out", ROBOT(LINK("a")) "\0",
     sizeof ROBOT(LINK("a")), .nu = 6, .mass = 1},
    {"NUL bytes inside", "nul-bytes", S, 1, "2 NUL bytes are left out", "<robot \0name='r'\0>" ONE,
     sizeof "<robot \0name='r'\0>" ONE - 1, .nu = 6, .mass = 1},
    {"an empty document type", "document-type", PK_ERROR_UNSUPPORTED, 2, "<!DOCTYPE ...> is not read",
     "<?xml version='1.0'?>\n<!DOCTYPE robot>\n<robot name='r'>" ONE, .nu = 6, .mass = 1},
    {"hyphens in a comment", "comment-hyphens", S, 2, "a comment has -- inside",
     ROBOT("<!-- ---- legs ---- -->" LINK("a")), .nu = 6, .mass = 1},

    /* names */
    {"a robot without a name", "name-missing", S, 1, "<robot> has no name", "<robot>" ONE, .nu = 6, .mass = 1,
     .holds = is_called_robot},
    {"a robot with an empty name", "name-missing", S, 1, "<robot> has no name", "<robot name=''>" ONE,
     .nu = 6, .mass = 1, .holds = is_called_robot},
    {"a material without a name", "name-missing", S, 2, "<material> in <robot> has no name",
     ROBOT("<material><color rgba='1 1 1 1'/></material>\n" LINK("a")), .nu = 6, .mass = 1},
    {"a joint type with a capital", "joint-type-case", S, 4, "\"Continuous\" is read as \"continuous\"",
     JOINT("name='j' type='Continuous'", ""), .nu = 7, .mass = 2},

    /* what is repeated, unknown or misplaced */
    {"a second material", "repeated", S, 3, "a second <material> in <visual> is not read",
     SHAPES("<visual>" BALL "<material name='r'><color rgba='1 0 0 1'/></material><material name='w'><color "
            "rgba='1 1 1 1'/></material></visual>"),
     .nu = 6, .mass = 1, .nshape = 1, .holds = is_red},
    {"a second inertial", "repeated", S, 3,
     "a second <inertial> in <link> is not read: the first is on line 2",
     ROBOT("<link name='a'>" INERTIAL "\n" MASS("5", "ixx='1' iyy='1' izz='1'") "</link>"), .nu = 6,
     .mass = 1},
    {"a second mass", "repeated", S, 2, "a second <mass> in <inertial> is not read",
     BODY("<inertial><mass value='1'/><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"),
     .nu = 6, .mass = 1},
    {"a second origin", "repeated", S, 4, "a second <origin> in <joint> is not read",
     FIXED("<origin xyz='1 2 3'/><origin xyz='0 0 9'/>"), .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"a second parent", "repeated", S, 5, "a second <parent> in <joint> is not read",
     FIXED("\n<parent link='b'/>"), .nu = 6, .mass = 2},
    {"a second limit", "repeated", S, 4, "a second <limit> in <joint> is not read",
     REVOLUTE("<limit lower='-1' upper='0'/><limit lower='0' upper='5'/>"), .nu = 7, .mass = 2,
     .holds = goes_from_minus_one_to_zero},
    {"a second geometry", "repeated", S, 3, "a second <geometry> in <visual> is not read",
     SHAPES("<visual>" BALL "<geometry><box size='1 1 1'/></geometry></visual>"), .nu = 6, .mass = 1,
     .nshape = 1, .holds = is_a_sphere},
    {"two shapes in a geometry", "repeated", S, 3, "<geometry> holds <sphere> and <box>: the first counts",
     SHAPE("collision", "<sphere radius='1'/><box size='1 1 1'/>"), .nu = 6, .mass = 1, .nshape = 1,
     .holds = is_a_sphere},
    {"two shapes of one kind in a geometry", "repeated", S, 3, "<geometry> holds <sphere> and <sphere>",
     SHAPE("visual", "<sphere radius='1'/><sphere radius='2'/>"), .nu = 6, .mass = 1, .nshape = 1,
     .holds = is_a_sphere},
    {"a material that is defined twice", "material-repeated", S, 3, "material \"m\" is defined twice",
     ROBOT("<material name='m'><color rgba='1 0 0 1'/></material>\n"
           "<material name='m'><color rgba='0 0 1 1'/></material>\n"
           "<link name='a'>" INERTIAL "<visual>" BALL "<material name='m'/></visual></link>"),
     .nu = 6, .mass = 1, .nshape = 1, .holds = is_red},
    {"a misspelt element", "misspelt", S, 3, "<colision> in <link> is not read; did you mean <collision>?",
     SHAPES("<colision/>"), .nu = 6, .mass = 1},
    {"a misspelt short element", "misspelt", S, 4, "<axsi> in <joint> is not read; did you mean <axis>?",
     TURNING("<axsi xyz='0 0 1'/>"), .nu = 7, .mass = 2},
    {"a misspelt element with a capital", "misspelt", S, 2, "did you mean <link>?",
     ROBOT("<Link name='x'/>" LINK("a")), .nu = 6, .mass = 1},
    {"a misspelt attribute", "misspelt", S, 4, "\"uper\" of <limit> is not read; did you mean \"upper\"?",
     REVOLUTE("<limit lower='-1' upper='0' uper='1'/>"), .nu = 7, .mass = 2,
     .holds = goes_from_minus_one_to_zero},
    {"an element in the wrong place", "misplaced", S, 3,
     "<mass> does not belong in <link>, but for example in <inertial>: it is not read",
     SHAPES("<mass value='5'/>"), .nu = 6, .mass = 1},
    {"an element of another tool", "unknown-element", S, 3, "<drake:frame> belongs to another tool",
     ROBOT(LINK("a") "<drake:frame/>"), .nu = 6, .mass = 1},
    {"an element that nobody knows", "unknown-element", S, 3, "<self_filter> in <link> is not read",
     SHAPES("<self_filter/>"), .nu = 6, .mass = 1},
    {"an attribute that nobody knows", "unknown-attribute", S, 4, "attribute \"dont_collapse\" of <joint>",
     JOINT("name='j' type='fixed' dont_collapse='true'", ""), .nu = 6, .mass = 2},

    /* numbers */
    {"commas between numbers", "commas", S, 4, "the commas in \"1, 2, 3\" are read as blanks",
     FIXED("<origin xyz='1, 2, 3'/>"), .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"commas without blanks", "commas", S, 4, "the commas in \"1,2,3\"", FIXED("<origin xyz='1,2,3'/>"),
     .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"more numbers than are wanted", "numbers-extra", S, 4, "xyz of <origin> has 4 numbers, expected 3",
     FIXED("<origin xyz='1 2 3 4'/>"), .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"two masses in one value", "numbers-extra", S, 2, "value of <mass> has 2 numbers, expected 1",
     BODY(MASS("1 2", "ixx='1' iyy='1' izz='1'")), .nu = 6, .mass = 1},
    {"a colour without opacity", "numbers-missing", S, 3,
     "rgba of <color> has 3 numbers, expected 4: it is opaque",
     SHAPES("<visual>" BALL "<material name='m'><color rgba='1 0 0'/></material></visual>"), .nu = 6,
     .mass = 1, .nshape = 1, .holds = is_red},
    {"one scale for all axes", "numbers-missing", S, 3, "scale of <mesh> has 1 number, expected 3",
     SHAPE("visual", "<mesh filename='a.stl' scale='0.001'/>"), .nu = 6, .mass = 1},
    {"an empty vector", "empty-attribute", S, 4, "rpy of <origin> is empty",
     FIXED("<origin xyz='1 2 3' rpy=''/>"), .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"a vector of blanks", "empty-attribute", S, 4, "rpy of <origin> is empty",
     FIXED("<origin xyz='1 2 3' rpy='  '/>"), .nu = 6, .mass = 2, .holds = lies_at_one_two_three},
    {"an infinite limit", "limit-infinite", S, 4, "upper of <limit> is infinite: that is read as no limit",
     REVOLUTE("<limit lower='-1' upper='inf'/>"), .nu = 7, .mass = 2},
    {"a colour beyond its range", "colour-clipped", S, 3, "rgba goes from 0 to 1",
     SHAPES("<visual>" BALL "<material name='m'><color rgba='255 0 0 1'/></material></visual>"), .nu = 6,
     .mass = 1, .nshape = 1, .holds = is_red},
    {"angles and a quaternion", "rotation-repeated", S, 4, "<origin> has rpy and quat_xyzw: rpy counts",
     FIXED("<origin rpy='0 0 0' quat_xyzw='0 0 1 0'/>"), .nu = 6, .mass = 2, .holds = is_not_turned},

    /* joints */
    {"a revolute joint without a limit", "limit-missing", M, 4, "a revolute joint without <limit>",
     REVOLUTE(""), .nu = 7, .mass = 2, .holds = has_no_limits},
    {"a prismatic joint without a limit", "limit-missing", M, 4, "a prismatic joint without <limit>",
     JOINT("name='j' type='prismatic'", ""), .nu = 7, .mass = 2, .holds = has_no_limits},
    {"a limit without its bounds", "limit-missing", M, 4, "has no lower and upper: the joint has no limits",
     REVOLUTE("<limit effort='1' velocity='1'/>"), .nu = 7, .mass = 2, .holds = has_no_limits},
    {"a limit without an upper bound", "limit-missing", M, 4, "<limit> has no upper: it is taken as 0",
     REVOLUTE("<limit lower='-1'/>"), .nu = 7, .mass = 2, .holds = goes_from_minus_one_to_zero},
    {"a lower bound above the upper", "limit-reversed", M, 4,
     "lower (1) is above upper (-1): the joint has no limits", REVOLUTE("<limit lower='1' upper='-1'/>"),
     .nu = 7, .mass = 2, .holds = has_no_limits},
    {"a lower bound above the upper on a slide", "limit-reversed", M, 4, "lower (0) is above upper (-1)",
     JOINT("name='j' type='prismatic'", "<limit lower='0' upper='-1'/>"), .nu = 7, .mass = 2,
     .holds = has_no_limits},
    {"a missing lower bound above the upper", "limit-reversed", M, 4, "lower (0) is above upper (-1)",
     REVOLUTE("<limit upper='-1'/>"), .nu = 7, .mass = 2, .holds = has_no_limits},
    {"equal bounds", "joint-locked", M, 4, "both 0.5: the joint is locked there",
     REVOLUTE("<limit lower='0.5' upper='0.5'/>"), .nu = 7, .mass = 2},
    {"bounds of a joint that turns freely", "limit-unused", M, 4, "have no meaning for a continuous joint",
     TURNING("<limit lower='-1' upper='1'/>"), .nu = 7, .mass = 2, .holds = has_no_limits},
    {"a negative effort", "negative", M, 4,
     "effort of <limit> is -1, expected zero or more: it is taken as 1", TURNING("<limit effort='-1'/>"),
     .nu = 7, .mass = 2, .holds = has_an_effort_of_one},
    {"a negative velocity", "negative", M, 4,
     "velocity of <limit> is -2, expected zero or more: it is taken as 2", TURNING("<limit velocity='-2'/>"),
     .nu = 7, .mass = 2},
    {"a negative damping", "negative", M, 4,
     "damping of <dynamics> is -1, expected zero or more: it is taken as 0",
     TURNING("<dynamics damping='-1'/>"), .nu = 7, .mass = 2, .holds = has_no_losses},
    {"a negative friction", "negative", M, 4, "friction of <dynamics> is -1",
     TURNING("<dynamics friction='-1'/>"), .nu = 7, .mass = 2, .holds = has_no_losses},
    {"a negative armature", "negative", M, 4, "armature of <dynamics> is -1",
     TURNING("<dynamics armature='-1'/>"), .nu = 7, .mass = 2, .holds = has_no_losses},
    {"an axis without a direction", "attribute-missing", S, 4, "<axis> has no attribute \"xyz\"",
     TURNING("<axis/>"), .nu = 7, .mass = 2},
    {"a leader that is not there", "mimic-unused", PK_ERROR_NAME, 4,
     "there is no joint \"k\": <mimic> is not used", TURNING("<mimic joint='k'/>"), .nu = 7, .mass = 2,
     .holds = is_independent},
    {"a leader that cannot move", "mimic-unused", PK_ERROR_NAME, 4, "joint \"k\" has not one coordinate",
     TWO("<joint name='j' type='continuous'>" ENDS "<mimic joint='k'/></joint>\n" LINK(
         "c") "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>"),
     .nu = 7, .mass = 3, .holds = is_independent},
    {"a fixed joint that mimics", "mimic-unused", M, 4, "a fixed joint cannot mimic",
     FIXED("<mimic joint='k'/>"), .nu = 6, .mass = 2},
    {"a ball joint that mimics", "mimic-unused", M, 4, "a spherical joint cannot mimic",
     TWO("<joint name='j' type='ball'>" ENDS "<mimic joint='k'/></joint>\n" LINK(
         "c") "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>"),
     .nu = 10, .mass = 3},

    {"a world that is not written down", "world-added", PK_ERROR_NAME, 3,
     "there is no link \"world\": it is added, without mass",
     ROBOT(LINK("b") "<joint name='j' type='continuous'><parent link='world'/><child link='b'/></joint>"),
     .nu = 1, .mass = 1},

    /* shapes */
    {"a visual without a geometry", "shape-unknown", S, 3,
     "<visual> has no <geometry>: the visual is left out", SHAPES("<visual/>"), .nu = 6, .mass = 1},
    {"a collision without a geometry", "shape-unknown", S, 3,
     "<collision> has no <geometry>: the collision shape is left out", SHAPES("<collision/>"), .nu = 6,
     .mass = 1},
    {"an empty geometry", "shape-unknown", PK_ERROR_UNSUPPORTED, 3, "<geometry> holds no shape",
     SHAPE("collision", ""), .nu = 6, .mass = 1},
    {"a shape of another tool", "shape-unknown", PK_ERROR_UNSUPPORTED, 3,
     "<geometry> holds <plane>, expected box, cylinder, sphere, capsule or mesh: nothing collides here",
     SHAPE("collision", "<plane normal='0 0 1'/>"), .nu = 6, .mass = 1},
    {"a collision shape without a size", "shape-empty", M, 3,
     "size of <box> is 0: the collision shape is left out", SHAPE("collision", "<box size='1 0 1'/>"),
     .nu = 6, .mass = 1},
    {"a visual without a size", "shape-empty", M, 3, "radius of <sphere> is 0: the visual is left out",
     SHAPE("visual", "<sphere radius='0'/>"), .nu = 6, .mass = 1},
    {"a mesh without a file", "mesh-missing", S, 3, "<mesh> names no file: the visual is left out",
     SHAPE("visual", "<mesh/>"), .nu = 6, .mass = 1},
    {"a mesh with an empty file", "collision-missing", S, 3,
     "<mesh> names no file: the collision shape is left out", SHAPE("collision", "<mesh filename=''/>"),
     .nu = 6, .mass = 1},
    {"a mesh without a size", "shape-empty", M, 3, "scale of <mesh> is 1 0 1: the visual is left out",
     SHAPE("visual", "<mesh filename='a.stl' scale='1 0 1'/>"), .nu = 6, .mass = 1},
    {"a material that nothing defines", "material-unknown", M, 3, "no material \"m\" has a colour",
     SHAPES("<visual>" BALL "<material name='m'/></visual>"), .nu = 6, .mass = 1, .nshape = 1},

    /* mass */
    {"an inertial without a mass", "mass-missing", S, 5, "<inertial> has no <mass>: the link has none",
     JOINED("<link name='c'><inertial/></link>\n<joint name='k' type='fixed'><parent link='b'/><child "
            "link='c'/></joint>"),
     .nu = 6, .mass = 2},
    {"a mass without moments", "inertia-missing", S, 5, "<inertial> has a mass but no <inertia>",
     JOINED(
         "<link name='c'><inertial><mass value='3'/></inertial></link>\n<joint name='k' type='fixed'><parent "
         "link='b'/><child link='c'/></joint>"),
     .nu = 6, .mass = 5},
    {"moments that are not all given", "attribute-missing", S, 5, "<inertia> has no attribute \"iyy\"",
     JOINED(
         "<link name='c'>" MASS("3", "ixx='0.1' izz='0.1'") "</link>\n<joint name='k' type='fixed'><parent "
                                                            "link='b'/><child link='c'/></joint>"),
     .nu = 6, .mass = 5},
    {"a moment above the sum of the others", "inertia-balanced", PK_ERROR_MASS, 2,
     "principal moments 1, 1, 3, which no body has (one is above the sum of the others): they are taken as "
     "1.5, 1.5, 3",
     BODY(MASS("1", "ixx='1' iyy='1' izz='3'")), .nu = 6, .mass = 1, .holds = grew_the_small_ones},
    {"a negative moment", "inertia-balanced", PK_ERROR_MASS, 3,
     "principal moments -1, 1, 1, which no body has (one is negative): they are taken as 0, 1.5, 1.5",
     ROBOT("<link name='world'/>\n<link name='b'>" MASS(
         "1", "ixx='-1' iyy='1' izz='1'") "</link>\n<joint name='j' type='continuous'><parent "
                                          "link='world'/><child "
                                          "link='b'/><axis xyz='0 1 0'/></joint>"),
     .nu = 1, .mass = 1, .holds = lost_the_negative_one},
    {"odd moments about axes that are turned", "inertia-balanced", PK_ERROR_MASS, 2,
     "are taken as 1.5, 1.5, 3", BODY(MASS("1", "ixx='2' iyy='2' ixy='-1' izz='1'")), .nu = 6, .mass = 1,
     .holds = grew_along_its_own_axes},
    {"a mass without any moments away from its axis", "point-mass", PK_ERROR_MASS, 3,
     "link \"b\" has mass but no moments of inertia: it is a point mass",
     ROBOT("<link name='world'/>\n<link name='b'><inertial><origin xyz='1 0 0'/><mass value='2'/><inertia "
           "ixx='0' "
           "iyy='0' izz='0'/></inertial></link>\n<joint name='j' type='continuous'><parent "
           "link='world'/><child "
           "link='b'/><axis xyz='0 0 1'/></joint>"),
     .nu = 1, .mass = 2},
    {"moments without mass at a leaf", "moments-without-mass", PK_ERROR_MASS, 3,
     "link \"b\" has no mass but moments of inertia: they are used as they are",
     ROBOT("<link name='world'/>\n<link name='b'>" MASS(
         "0",
         "ixx='1' iyy='1' izz='1'") "</link>\n<joint name='j' type='continuous'><parent link='world'/><child "
                                    "link='b'/></joint>"),
     .nu = 1, .mass = 0, .holds = has_moments_of_one},
    {"odd moments of a link that cannot move", "inertia-unused", PK_ERROR_MASS, 2, "link \"world\"",
     ROBOT("<link name='world'>" MASS("1", "ixx='1' iyy='1' izz='3'") "</link>"), .nu = 0, .mass = 0},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* ---- reading them ---- */

static pk_status read_row(const quirk *row, bool strict, pk_builder **b, pk_model **model, pk_error *err)
{
  pk_load_options options = no_meshes();
  options.strict = strict;
  options.root = row->nu >= 6 ? PK_ROOT_FREE : PK_ROOT_AUTO; /* of two links: they would be an arm */
  *model = NULL;
  pk_builder_create(b, NULL);
  const size_t size = row->size > 0 ? row->size : strlen(row->text);
  const pk_status status = pk_builder_add_urdf_memory(*b, row->text, size, "t.urdf", &options, err);
  return status == PK_OK ? pk_builder_compile(*b, model, err) : status;
}

static void expect_remark(const quirk *row, const pk_builder_diagnostic *d, bool is_error)
{
  if (d->is_error != is_error || strcmp(d->kind, row->kind) != 0 || d->error.line != row->line ||
      strstr(d->error.message, row->message) == NULL) {
    fail_msg("%s of kind %s, line %d: %s: %s", d->is_error ? "error" : "warning", d->kind, d->error.line,
             d->error.field, d->error.message);
  }
}

static void is_read_with_a_warning_and_refused_when_strict(void **state)
{
  const quirk *row = *state;
  pk_builder *b;
  pk_model *m;
  pk_error err = {0};
  int count = 0;
  if (read_row(row, false, &b, &m, &err) != PK_OK) {
    fail_msg("line %d: %s: %s", err.line, err.field, err.message);
  }
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
  assert_true(count > 0);
  expect_remark(row, &all[0], false);
  if (count > 1) {
    fail_msg("also %s: %s", all[1].kind, all[1].error.message);
  }
  if (m == NULL) {
    fail_msg("no model");
    return;
  }
  assert_int_equal(m->nu, row->nu);
  assert_close(m->mass, row->mass);
  assert_int_equal(m->nshape, row->nshape);
  if (row->holds != NULL) {
    row->holds(m);
  }
  pk_model_destroy(m);
  pk_builder_destroy(b);

  assert_int_equal(read_row(row, true, &b, &m, &err), row->status);
  assert_null(m);
  all = pk_builder_diagnostics(b, &count);
  assert_true(count > 0);
  expect_remark(row, &all[0], true);
  assert_string_equal(err.message, all[0].error.message);
  pk_builder_destroy(b);
}

/* ---- what is silent, and what is judged together ---- */

static void expect_silence_of(const char *text)
{
  pk_load_options options = no_meshes();
  options.strict = true;
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_error err = {0};
  int count = 0;
  pk_status status = pk_builder_add_urdf_memory(b, text, strlen(text), "t.urdf", &options, &err);
  status = status == PK_OK ? pk_builder_compile(b, &m, &err) : status;
  pk_builder_diagnostics(b, &count);
  if (status != PK_OK || count > 0) {
    fail_msg("%s", err.message);
  }
  pk_model_destroy(m);
  pk_builder_destroy(b);
}

static void roundings_below_zero_are_zero(void **state)
{
  (void)state;
  expect_silence_of(ROBOT("<link name='world'/>\n<link name='b'>" MASS(
      "1", "ixx='-2e-35' iyy='0.1' izz='0.1'") "</link>\n<joint name='j' type='continuous'><parent "
                                               "link='world'/><child link='b'/><axis xyz='0 1 0'/></joint>"));
}

static void odd_moments_of_a_part_count_with_the_rest_of_its_body(void **state)
{
  (void)state;
  expect_silence_of(JOINED("<link name='c'>" MASS(
      "0.01",
      "ixx='1e-5' iyy='1e-5' izz='1e-3'") "</link>\n<joint name='k' type='fixed'><parent link='b'/><child "
                                          "link='c'/></joint>"));
  expect_silence_of(JOINED("<link name='c'>" MASS(
      "0",
      "ixx='1e-5' iyy='1e-5' izz='1e-5'") "</link>\n<joint name='k' type='fixed'><parent link='b'/><child "
                                          "link='c'/></joint>"));
}

static void without_balance_odd_moments_are_an_error(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      {BODY(MASS("1", "ixx='1' iyy='1' izz='3'")),
       "principal moments 1, 1, 3: no body has one above the sum"},
      {BODY(MASS("1", "ixx='-1' iyy='1' izz='1'")), "principal moments -1, 1, 1: none may be negative"}};
  for (int i = 0; i < 2; i++) {
    pk_load_options options = no_meshes();
    options.balance_inertia = false;
    pk_builder *b;
    pk_builder_create(&b, NULL);
    pk_model *m = NULL;
    pk_error err = {0};
    assert_int_equal(
        pk_builder_add_urdf_memory(b, texts[i][0], strlen(texts[i][0]), "t.urdf", &options, &err), PK_OK);
    assert_int_equal(pk_builder_compile(b, &m, &err), PK_ERROR_MASS);
    assert_non_null(strstr(err.message, texts[i][1]));
    pk_builder_destroy(b);
  }
}

/* Strictness is a robot's own: another one in the same world may be odd. */
static void one_robot_is_strict_and_another_is_not(void **state)
{
  (void)state;
  const char *odd = BODY(MASS("1", "ixx='1' iyy='1' izz='3'")), *sound = ROBOT(LINK("a"));
  for (int strict = 0; strict < 2; strict++) {
    pk_load_options first = no_meshes(), second = no_meshes();
    first.strict = strict == 1, second.strict = strict == 0;
    first.prefix = "x", second.prefix = "y";
    pk_builder *b;
    pk_builder_create(&b, NULL);
    pk_model *m = NULL;
    pk_builder_add_urdf_memory(b, odd, strlen(odd), "t.urdf", &first, NULL);
    pk_builder_add_urdf_memory(b, sound, strlen(sound), "t.urdf", &second, NULL);
    assert_int_equal(pk_builder_compile(b, &m, NULL), strict == 1 ? PK_ERROR_MASS : PK_OK);
    pk_model_destroy(m);
    pk_builder_destroy(b);
  }
}

int main(void)
{
  enum { OTHERS = 4 };
  struct CMUnitTest tests[ROW_COUNT + OTHERS] = {
      cmocka_unit_test(roundings_below_zero_are_zero),
      cmocka_unit_test(odd_moments_of_a_part_count_with_the_rest_of_its_body),
      cmocka_unit_test(without_balance_odd_moments_are_an_error),
      cmocka_unit_test(one_robot_is_strict_and_another_is_not),
  };
  for (size_t i = 0; i < ROW_COUNT; i++) {
    tests[OTHERS + i] = (struct CMUnitTest){.name = rows[i].sentence,
                                            .test_func = is_read_with_a_warning_and_refused_when_strict,
                                            .initial_state = (void *)(size_t)&rows[i]};
  }
  return cmocka_run_group_tests_name("an odd URDF", tests, NULL, NULL);
}
