/* Every way in which a description can be wrong: exact status, place and message. */
#include "model/build_help.h"

#include "model/builder.h"

/* Compiling fails with this error, and says so in the diagnostics too. */
static void expect_error(const world *w, pk_status status, int line, const char *field, const char *message)
{
  pk_builder *b = describe(w);
  pk_model *model = (pk_model *)b; /* anything but NULL */
  pk_error err = {.message = ""};
  const pk_status found = pk_builder_compile(b, &model, &err);
  assert_string_equal(err.message, message);
  assert_string_equal(err.field, field);
  assert_int_equal(err.line, line);
  assert_string_equal(err.file, line > 0 ? "r.urdf" : err.file);
  assert_int_equal(found, status);
  assert_int_equal(err.status, status);
  assert_null(model);
  int count, errors = 0;
  const pk_diagnostic *all = pk_builder_diagnostics(b, &count);
  for (int i = 0; i < count; i++) {
    errors += all[i].is_error;
    assert_true(!all[i].is_error || errors > 1 || strcmp(all[i].error.message, message) == 0);
  }
  assert_true(errors > 0);
  assert_int_equal(pk_builder_compile(b, &model, NULL), status); /* nobody has to listen */
  pk_builder_destroy(b);
}

/* Compiling succeeds, with exactly this warning. */
static void expect_warning(const world *w, int line, const char *field, const char *message)
{
  pk_builder *b = describe(w);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  int count;
  const pk_diagnostic *all = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 1);
  assert_false(all[0].is_error);
  assert_string_equal(all[0].error.message, message);
  assert_string_equal(all[0].error.field, field);
  assert_int_equal(all[0].error.line, line);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

/* Compiling succeeds without a remark. */
static void expect_silence(const world *w)
{
  pk_builder *b = describe(w);
  pk_model *model = NULL;
  assert_int_equal(pk_builder_compile(b, &model, NULL), PK_OK);
  int count;
  pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 0);
  pk_model_destroy(model);
  pk_builder_destroy(b);
}

/* A test that edits the world of build_help.h (robot p, joints j and k, links a, b, c) and looks
 * at what compiling says. */
#define EDITED(name, expectation, ...) \
  static void name(void **state) \
  { \
    (void)state; \
    world w = one_robot(); \
    part *p = &w.parts[0]; \
    pk_joint_desc *j = &p->joints[0], *k = &p->joints[1]; \
    pk_inertia *b = &p->links[1].inertia, *c = &p->links[2].inertia; \
    (void)j, (void)k, (void)b, (void)c; \
    __VA_ARGS__; \
    expectation; \
  }
#define WRONG(name, line, field, message, ...) \
  EDITED(name, expect_error(&w, PK_ERROR_MODEL, line, field, message), __VA_ARGS__)
#define DOUBTFUL(name, line, field, message, ...) \
  EDITED(name, expect_warning(&w, line, field, message), __VA_ARGS__)
#define RIGHT(name, ...) EDITED(name, expect_silence(&w), __VA_ARGS__)

RIGHT(the_world_that_the_tests_break_is_right, (void)0)

/* ---- names ---- */

WRONG(two_links_of_one_name, 3, "b", "link \"b\" is there twice (first at line 2)", p->links[2].name = "b")
WRONG(two_links_of_one_name_built_by_code, 3, "b", "link \"b\" is there twice", {
  p->links[2].name = "b";
  p->links[1].line = 0;
})
WRONG(two_joints_of_one_name, 12, "j", "joint \"j\" is there twice (first at line 11)", k->name = "j")
WRONG(two_robots_without_prefix, 1, "a",
      "link \"a\" is there twice: give each robot its own prefix (first at line 1)",
      { w.parts[1] = w.parts[0], w.nparts = 2; })
WRONG(two_robots_with_one_prefix, 1, "a",
      "link \"x_a\" is there twice: give each robot its own prefix (first at line 1)", {
        p->robot.prefix = "x_";
        w.parts[1] = w.parts[0], w.nparts = 2;
      })
WRONG(two_robots_that_share_a_joint_name, 11, "j",
      "joint \"j\" is there twice: give each robot its own prefix (first at line 11)", {
        w.parts[1] = w.parts[0], w.nparts = 2;
        part *second = &w.parts[1];
        second->links[0].name = "d", second->links[1].name = "e", second->nlink = 2;
        second->joints[0].parent = "d", second->joints[0].child = "e", second->njoint = 1;
      })
WRONG(an_unknown_parent, 11, "j", "parent link \"bse\" of joint \"j\" does not exist; did you mean \"base\"?",
      {
        j->parent = "bse";
        p->links[0].name = "base";
      })
WRONG(an_unknown_child, 12, "k", "child link \"foott\" of joint \"k\" does not exist; did you mean \"foot\"?",
      {
        k->child = "foott";
        p->links[2].name = "foot";
      })
WRONG(an_unknown_parent_with_a_prefix, 11, "j",
      "parent link \"bse\" of joint \"j\" does not exist; did you mean \"base\"?", {
        j->parent = "bse";
        p->links[0].name = "base";
        p->robot.prefix = "left_arm_";
      })
WRONG(an_unknown_parent_that_resembles_nothing, 11, "j",
      "parent link \"banana\" of joint \"j\" does not exist", j->parent = "banana")
WRONG(a_joint_to_the_link_of_another_robot, 11, "y_j",
      "parent link \"x_a\" of joint \"y_j\" does not exist; did you mean \"y_a\"?", {
        p->robot.prefix = "x_";
        w.parts[1] = w.parts[0], w.nparts = 2;
        part *second = &w.parts[1];
        second->robot.prefix = NULL;
        second->links[0].name = "y_a", second->links[1].name = "y_b", second->nlink = 2;
        second->joints[0].name = "y_j", second->joints[0].child = "y_b", second->joints[0].parent = "x_a";
        second->njoint = 1;
      })
WRONG(a_shape_on_an_unknown_link, 21, "d", "a shape sits on link \"d\", which does not exist", {
  p->shapes[p->nshape++] = (pk_shape_desc){
      .link = "d", .kind = PK_SHAPE_SPHERE, .size = {1}, .pose = pk_pose_identity(), .line = 21};
})

/* ---- topology ---- */

WRONG(a_joint_from_a_link_to_itself, 12, "k", "joint \"k\" joins link \"c\" to itself", k->parent = "c")
WRONG(a_link_with_two_parents, 13, "l",
      "link \"c\" is the child of joint \"k\" and of joint \"l\": a link has one parent, loops are closed by "
      "constraints",
      add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "c"))
WRONG(two_roots, 3, "c", "robot \"r\" has two roots, links \"a\" and \"c\": join one to the rest",
      p->njoint = 1)
WRONG(a_loop_without_a_root, 0, "r",
      "robot \"r\" has no root link: it has no link, or every link is some joint's child, in a loop",
      add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "a"))
WRONG(a_robot_without_links_beside_another, 0, "s",
      "robot \"s\" has no root link: it has no link, or every link is some joint's child, in a loop",
      { w.parts[1].robot = pk_robot_desc_default(), w.parts[1].robot.name = "s", w.nparts = 2; })
WRONG(a_loop_beside_a_root, 2, "b", "link \"b\" hangs in a loop of joints: no root reaches it",
      { j->parent = "c"; })

/* ---- mimics ---- */

WRONG(an_unknown_leader, 12, "k", "joint \"k\" mimics \"knie\", which does not exist; did you mean \"knee\"?",
      {
        j->name = "knee";
        k->mimic = "knie";
      })
WRONG(an_unknown_leader_that_resembles_nothing, 12, "k",
      "joint \"k\" mimics \"banana\", which does not exist", k->mimic = "banana")
WRONG(a_joint_that_mimics_itself, 12, "k", "joint \"k\" mimics itself in a circle", k->mimic = "k")
WRONG(two_joints_that_mimic_each_other, 11, "j", "joint \"j\" mimics itself in a circle", {
  j->mimic = "k";
  k->mimic = "j";
})
WRONG(a_joint_that_mimics_a_circle, 11, "j",
      "joint \"j\" mimics itself in a circle, or through too many joints", {
        add_link(p, "d");
        add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "d")->mimic = "k";
        j->mimic = "l";
        k->mimic = "l";
      })
WRONG(a_planar_joint_that_mimics, 12, "k",
      "joint \"k\" (planar) mimics \"j\" (continuous): both must be revolute, continuous or prismatic", {
        k->kind = PK_JOINT_PLANAR;
        k->mimic = "j";
      })
WRONG(a_planar_leader, 12, "k",
      "joint \"k\" (continuous) mimics \"j\" (planar): both must be revolute, continuous or prismatic", {
        j->kind = PK_JOINT_PLANAR;
        k->mimic = "j";
      })
WRONG(a_fixed_leader, 12, "k",
      "joint \"k\" (continuous) mimics \"j\" (fixed): both must be revolute, continuous or prismatic", {
        j->kind = PK_JOINT_FIXED;
        k->mimic = "j";
      })
WRONG(a_mimic_multiplier_that_is_no_number, 12, "k",
      "mimic multiplier or offset of joint \"k\" is not finite", {
        k->mimic = "j";
        k->mimic_multiplier = NAN;
      })
WRONG(an_infinite_mimic_offset, 12, "k", "mimic multiplier or offset of joint \"k\" is not finite", {
  k->mimic = "j";
  k->mimic_offset = INFINITY;
})
WRONG(a_product_of_multipliers_beyond_all_numbers, 13, "l",
      "mimic multiplier or offset of joint \"l\" is not finite", {
        add_link(p, "d");
        pk_joint_desc *l = add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "d");
        l->mimic = "k", l->mimic_multiplier = 1e200;
        k->mimic = "j", k->mimic_multiplier = 1e200;
      })
WRONG(limits_that_leader_and_follower_do_not_share, 11, "j",
      "limits of joint \"j\" and of the joints that mimic it have no value in common", {
        j->kind = k->kind = PK_JOINT_REVOLUTE;
        j->lower = k->lower = 0, j->upper = k->upper = 1;
        k->mimic = "j", k->mimic_offset = 5;
      })

/* ---- joints ---- */

WRONG(an_axis_of_no_length, 11, "j", "axis of joint \"j\" is (0, 0, 0), expected a direction", j->axis[0] = 0)
WRONG(an_axis_of_next_to_no_length, 11, "j", "axis of joint \"j\" is (1e-13, 0, 0), expected a direction",
      j->axis[0] = 1e-13)
WRONG(an_axis_that_is_no_number, 11, "j", "axis of joint \"j\" is (nan, 0, 0), expected a direction",
      j->axis[0] = NAN)
WRONG(an_infinite_axis, 11, "j", "axis of joint \"j\" is (inf, 0, 0), expected a direction",
      j->axis[0] = INFINITY)
WRONG(a_planar_joint_without_a_normal, 11, "j", "axis of joint \"j\" is (0, 0, 0), expected a direction", {
  j->kind = PK_JOINT_PLANAR;
  j->axis[0] = 0;
})
#define BAD_ORIGIN "origin of joint \"j\" is not finite, or its matrix is no rotation"
WRONG(an_origin_that_scales, 11, "j", BAD_ORIGIN,
      j->origin.rot[0] = j->origin.rot[4] = j->origin.rot[8] = 1.001)
WRONG(an_origin_that_shears, 11, "j", BAD_ORIGIN, j->origin.rot[1] = 1e-6)
WRONG(an_origin_that_mirrors, 11, "j", BAD_ORIGIN, j->origin.rot[8] = -1)
WRONG(an_origin_of_zeros, 11, "j", BAD_ORIGIN, memset(j->origin.rot, 0, sizeof j->origin.rot))
WRONG(an_origin_that_is_nowhere, 11, "j", BAD_ORIGIN, j->origin.pos[1] = NAN)
WRONG(an_origin_whose_matrix_is_no_number, 11, "j", BAD_ORIGIN, j->origin.rot[3] = NAN)
WRONG(a_fixed_joint_with_a_bad_origin, 11, "j", BAD_ORIGIN, {
  j->kind = PK_JOINT_FIXED;
  j->origin.pos[0] = INFINITY;
})
#define BAD_LIMITS(range) \
  "limits of joint \"j\" are " range ", expected lower <= upper (a joint without limits is \"continuous\")"
WRONG(limits_the_wrong_way_round, 11, "j", BAD_LIMITS("1 to -1"), j->lower = 1, j->upper = -1)
WRONG(a_lower_limit_that_is_no_number, 11, "j", BAD_LIMITS("nan to inf"), j->lower = NAN)
WRONG(an_upper_limit_that_is_no_number, 11, "j", BAD_LIMITS("-inf to nan"), j->upper = NAN)
WRONG(limits_beyond_all_numbers, 11, "j", BAD_LIMITS("inf to inf"), j->lower = INFINITY)
WRONG(limits_below_all_numbers, 11, "j", BAD_LIMITS("-inf to -inf"), j->upper = -INFINITY)
WRONG(a_negative_velocity_limit, 11, "j", "velocity limit of joint \"j\" is -1, expected zero or more",
      j->velocity = -1)
WRONG(a_velocity_limit_that_is_no_number, 11, "j",
      "velocity limit of joint \"j\" is nan, expected zero or more", j->velocity = NAN)
WRONG(a_negative_effort_limit, 11, "j", "effort limit of joint \"j\" is -2, expected zero or more",
      j->effort = -2)
WRONG(an_effort_limit_that_is_no_number, 11, "j", "effort limit of joint \"j\" is nan, expected zero or more",
      j->effort = NAN)
WRONG(negative_damping, 11, "j", "damping of joint \"j\" is -0.5, expected zero or more", j->damping = -0.5)
WRONG(damping_that_is_no_number, 11, "j", "damping of joint \"j\" is nan, expected zero or more",
      j->damping = NAN)
WRONG(infinite_damping, 11, "j", "damping of joint \"j\" is inf, expected zero or more",
      j->damping = INFINITY)
WRONG(negative_friction, 11, "j", "friction of joint \"j\" is -1, expected zero or more", j->friction = -1)
WRONG(infinite_friction, 11, "j", "friction of joint \"j\" is inf, expected zero or more",
      j->friction = INFINITY)
WRONG(negative_armature, 11, "j", "armature of joint \"j\" is -1, expected zero or more", j->armature = -1)
WRONG(armature_that_is_no_number, 11, "j", "armature of joint \"j\" is nan, expected zero or more",
      j->armature = NAN)
WRONG(infinite_armature, 11, "j", "armature of joint \"j\" is inf, expected zero or more",
      j->armature = INFINITY)
RIGHT(joints_without_an_axis_may_have_any, {
  j->kind = PK_JOINT_SPHERICAL, k->kind = PK_JOINT_FLOATING;
  j->axis[0] = 0, k->axis[1] = NAN;
})
RIGHT(limits_may_meet, j->kind = PK_JOINT_REVOLUTE, j->lower = j->upper = 0.5)

/* ---- masses ---- */

WRONG(a_negative_mass, 2, "b", "mass of link \"b\" is -1 kg, expected zero or more", b->mass = -1)
#define NOT_FINITE "mass, centre of mass or inertia of link \"b\" is not finite"
WRONG(a_mass_that_is_no_number, 2, "b", NOT_FINITE, b->mass = NAN)
WRONG(an_infinite_mass, 2, "b", NOT_FINITE, b->mass = INFINITY)
WRONG(a_centre_of_mass_that_is_nowhere, 2, "b", NOT_FINITE, b->com[2] = NAN)
WRONG(an_inertia_that_is_no_number, 2, "b", NOT_FINITE, b->moment[4] = NAN)
WRONG(inertia_without_mass, 2, "b",
      "link \"b\" has no mass but moments of inertia: give it mass, or set both to zero", b->mass = 0)
WRONG(a_negative_moment, 2, "b",
      "inertia of link \"b\" has the principal moments -0.1, 0.08, 0.12: none may be negative",
      b->moment[0] = -0.1)
WRONG(a_moment_made_negative_by_products, 2, "b",
      "inertia of link \"b\" has the principal moments -1, 2, 3: none may be negative",
      memcpy(b->moment, (double[]){1, 2, 0, 1, 0, 2}, sizeof b->moment))
WRONG(a_huge_negative_moment, 2, "b",
      "inertia of link \"b\" has the principal moments -1e+200, 1e+200, 1e+200: none may be negative",
      memcpy(b->moment, (double[]){-1e200, 0, 0, 1e200, 0, 1e200}, sizeof b->moment))
WRONG(a_negative_ball_with_tiny_products, 2, "b",
      "inertia of link \"b\" has the principal moments -1, -1, -1: none may be negative",
      memcpy(b->moment, (double[]){-1, 1e-110, 0, -1, 0, -1}, sizeof b->moment))
WRONG(
    a_moment_above_the_sum_of_the_others, 2, "b",
    "inertia of link \"b\" has the principal moments 1, 2, 3.1: no body has one above the sum of the others",
    memcpy(b->moment, (double[]){1, 0, 0, 3.1, 0, 2}, sizeof b->moment))
RIGHT(a_moment_just_above_the_sum_of_the_others,
      memcpy(b->moment, (double[]){1, 0, 0, 3.0029, 0, 2}, sizeof b->moment))
WRONG(a_moment_just_beyond_the_tolerance, 2, "b",
      "inertia of link \"b\" has the principal moments 1, 2, 3.0031: no body has one above the sum of the "
      "others",
      memcpy(b->moment, (double[]){1, 0, 0, 3.0031, 0, 2}, sizeof b->moment))
RIGHT(a_moment_of_a_flat_body, memcpy(b->moment, (double[]){1, 0, 0, 3, 0, 2}, sizeof b->moment))
RIGHT(a_thin_rod, memcpy(b->moment, (double[]){1, 0, 0, 1, 0, 0}, sizeof b->moment))
DOUBTFUL(a_point_mass_away_from_the_axis, 2, "b",
         "link \"b\" has mass but no moments of inertia: it is a point mass",
         memset(b->moment, 0, sizeof b->moment))
#define POSE "the pose of robot \"r\" is not finite, or its matrix is no rotation"
WRONG(a_robot_that_is_nowhere, 0, "r", POSE, p->robot.pose.pos[0] = NAN)
WRONG(a_robot_whose_pose_is_no_rotation, 0, "r", POSE, p->robot.pose.rot[0] = 2)
WRONG(a_robot_whose_pose_was_left_empty, 0, "r", POSE, memset(&p->robot.pose, 0, sizeof p->robot.pose))
WRONG(a_shape_whose_pose_was_left_empty, 21, "b",
      "the pose of a shape on link \"b\" is not finite, or its matrix is no rotation", {
        p->shapes[p->nshape++] =
            (pk_shape_desc){.link = "b", .kind = PK_SHAPE_SPHERE, .size = {1}, .line = 21};
      })

/* ---- the same faults where nothing moves ---- */

#define WELDED (p->robot.root = PK_ROOT_FIXED, j->kind = PK_JOINT_FIXED)
DOUBTFUL(a_negative_mass_in_the_world, 2, "b", "mass of link \"b\" is -1 kg, expected zero or more", WELDED,
         b->mass = -1)
DOUBTFUL(inertia_without_mass_in_the_world, 2, "b",
         "link \"b\" has no mass but moments of inertia: give it mass, or set both to zero", WELDED,
         b->mass = 0)
DOUBTFUL(a_negative_moment_in_the_world, 2, "b",
         "inertia of link \"b\" has the principal moments -0.1, 0.08, 0.12: none may be negative", WELDED,
         b->moment[0] = -0.1)
DOUBTFUL(a_moment_above_the_others_in_the_world, 2, "b",
         "inertia of link \"b\" has the principal moments 0.08, 0.12, 0.3: no body has one above the sum of "
         "the others",
         WELDED, b->moment[0] = 0.3)
WRONG(a_mass_that_is_no_number_in_the_world, 2, "b", NOT_FINITE, WELDED, b->mass = NAN)

/* ---- parts that cannot move ---- */

#define MASSLESS(link) ((link) = (pk_inertia){0})
#define MOVES_NOTHING(joint, link) \
  "joint \"" joint "\" moves nothing that has inertia: give link \"" link \
  "\" or what hangs on it mass, or make the " \
  "joint fixed"
#define FREE_ROOT "link \"a\" is a free root without mass or inertia: give it mass, or fix the root"
WRONG(a_free_root_without_mass, 1, "a", FREE_ROOT, MASSLESS(p->links[0].inertia))
WRONG(a_chain_root_without_mass, 1, "a", FREE_ROOT, {
  p->robot.root = PK_ROOT_CHAIN;
  MASSLESS(p->links[0].inertia);
})
WRONG(a_massless_leaf, 12, "k", MOVES_NOTHING("k", "c"), MASSLESS(*c))
WRONG(a_massless_leaf_on_a_slide, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_PRISMATIC;
  MASSLESS(*c);
})
WRONG(a_massless_ball, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_SPHERICAL;
  MASSLESS(*c);
})
WRONG(a_massless_floating_link, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_FLOATING;
  MASSLESS(*c);
})
WRONG(a_massless_planar_link, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_PLANAR;
  MASSLESS(*c);
})
WRONG(a_massless_link_between_coincident_axes, 11, "j", MOVES_NOTHING("j", "b"), {
  MASSLESS(*b);
  memcpy(k->axis, j->axis, sizeof k->axis);
  k->origin.pos[0] = 0.7, k->origin.pos[1] = k->origin.pos[2] = 0; /* further along the same axis */
})
WRONG(a_massless_link_between_parallel_slides, 11, "j", MOVES_NOTHING("j", "b"), {
  MASSLESS(*b);
  j->kind = k->kind = PK_JOINT_PRISMATIC;
  memcpy(k->axis, j->axis, sizeof k->axis);
})
WRONG(a_ball_joint_under_a_massless_ball_joint, 11, "j", MOVES_NOTHING("j", "b"), {
  MASSLESS(*b);
  j->kind = k->kind = PK_JOINT_SPHERICAL;
  memset(k->origin.pos, 0, sizeof k->origin.pos);
})
DOUBTFUL(a_massless_link_between_crossed_axes_may_carry_a_point, 3, "c",
         "link \"c\" has mass but no moments of inertia: it is a point mass", {
           MASSLESS(*b);
           memset(c->moment, 0, sizeof c->moment);
         })
RIGHT(a_massless_link_between_crossed_axes, MASSLESS(*b))
RIGHT(a_massless_leaf_with_a_rotor, {
  MASSLESS(*c);
  k->armature = 0.01;
})
RIGHT(a_massless_leader_whose_follower_is_heavy, {
  add_link(p, "d");
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d")->mimic = "k";
  MASSLESS(*c);
})
WRONG(a_massless_leader_whose_follower_is_massless, 12, "k", MOVES_NOTHING("k", "c"), {
  add_link(p, "d")->inertia = (pk_inertia){0};
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d")->mimic = "k";
  MASSLESS(*c);
})
WRONG(a_massless_leader_whose_follower_stands_still, 12, "k", MOVES_NOTHING("k", "c"), {
  add_link(p, "d");
  pk_joint_desc *l = add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d");
  l->mimic = "k", l->mimic_multiplier = 0;
  MASSLESS(*c);
})
RIGHT(a_massless_leaf_welded_to_a_mass, {
  MASSLESS(*c);
  k->kind = PK_JOINT_FIXED;
})
WRONG(a_point_mass_on_its_axis, 12, "k", MOVES_NOTHING("k", "c"),
      *c = (pk_inertia){.mass = 1, .com = {0, 0.3, 0}})

/* ---- the world ---- */

static void gravity_that_is_no_number(void **state)
{
  (void)state;
  static const double wrong[3] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    world w = one_robot();
    w.gravity[i] = wrong[i];
    expect_error(&w, PK_ERROR_ARGUMENT, 0, "gravity", "gravity is not finite");
  }
}

static void an_empty_world(void **state)
{
  (void)state;
  const world empty = {.nparts = 0};
  expect_error(&empty, PK_ERROR_MODEL, 0, "", "there is no link: a world needs at least one robot");
  world robot_only = {.nparts = 1};
  robot_only.parts[0].robot = pk_robot_desc_default();
  expect_error(&robot_only, PK_ERROR_MODEL, 0, "", "there is no link: a world needs at least one robot");
}

static void every_error_of_a_stage_is_reported(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].joints[0].damping = w.parts[0].joints[1].friction = -1;
  w.parts[0].joints[0].axis[0] = 0;
  pk_builder *b = describe(&w);
  pk_model *model;
  pk_error err;
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_ERROR_MODEL);
  int count;
  const pk_diagnostic *all = pk_builder_diagnostics(b, &count);
  assert_int_equal(count, 3);
  assert_string_equal(all[0].error.message, "axis of joint \"j\" is (0, 0, 0), expected a direction");
  assert_string_equal(all[1].error.message, "damping of joint \"j\" is -1, expected zero or more");
  assert_string_equal(all[2].error.message, "friction of joint \"k\" is -1, expected zero or more");
  assert_string_equal(err.message, all[0].error.message);
  pk_builder_destroy(b);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
  const struct CMUnitTest tests[] = {
      T(the_world_that_the_tests_break_is_right),
      T(two_links_of_one_name),
      T(two_links_of_one_name_built_by_code),
      T(two_joints_of_one_name),
      T(two_robots_without_prefix),
      T(two_robots_with_one_prefix),
      T(two_robots_that_share_a_joint_name),
      T(an_unknown_parent),
      T(an_unknown_child),
      T(an_unknown_parent_with_a_prefix),
      T(an_unknown_parent_that_resembles_nothing),
      T(a_joint_to_the_link_of_another_robot),
      T(a_shape_on_an_unknown_link),
      T(a_joint_from_a_link_to_itself),
      T(a_link_with_two_parents),
      T(two_roots),
      T(a_loop_without_a_root),
      T(a_robot_without_links_beside_another),
      T(a_loop_beside_a_root),
      T(an_unknown_leader),
      T(an_unknown_leader_that_resembles_nothing),
      T(a_joint_that_mimics_itself),
      T(two_joints_that_mimic_each_other),
      T(a_joint_that_mimics_a_circle),
      T(a_planar_joint_that_mimics),
      T(a_planar_leader),
      T(a_fixed_leader),
      T(a_mimic_multiplier_that_is_no_number),
      T(an_infinite_mimic_offset),
      T(a_product_of_multipliers_beyond_all_numbers),
      T(limits_that_leader_and_follower_do_not_share),
      T(an_axis_of_no_length),
      T(an_axis_of_next_to_no_length),
      T(an_axis_that_is_no_number),
      T(an_infinite_axis),
      T(a_planar_joint_without_a_normal),
      T(an_origin_that_scales),
      T(an_origin_that_shears),
      T(an_origin_that_mirrors),
      T(an_origin_of_zeros),
      T(an_origin_that_is_nowhere),
      T(an_origin_whose_matrix_is_no_number),
      T(a_fixed_joint_with_a_bad_origin),
      T(limits_the_wrong_way_round),
      T(a_lower_limit_that_is_no_number),
      T(an_upper_limit_that_is_no_number),
      T(limits_beyond_all_numbers),
      T(limits_below_all_numbers),
      T(a_negative_velocity_limit),
      T(a_velocity_limit_that_is_no_number),
      T(a_negative_effort_limit),
      T(an_effort_limit_that_is_no_number),
      T(negative_damping),
      T(damping_that_is_no_number),
      T(infinite_damping),
      T(negative_friction),
      T(infinite_friction),
      T(negative_armature),
      T(armature_that_is_no_number),
      T(infinite_armature),
      T(joints_without_an_axis_may_have_any),
      T(limits_may_meet),
      T(a_negative_mass),
      T(a_mass_that_is_no_number),
      T(an_infinite_mass),
      T(a_centre_of_mass_that_is_nowhere),
      T(an_inertia_that_is_no_number),
      T(inertia_without_mass),
      T(a_negative_moment),
      T(a_moment_made_negative_by_products),
      T(a_huge_negative_moment),
      T(a_negative_ball_with_tiny_products),
      T(a_moment_above_the_sum_of_the_others),
      T(a_moment_just_above_the_sum_of_the_others),
      T(a_moment_just_beyond_the_tolerance),
      T(a_moment_of_a_flat_body),
      T(a_thin_rod),
      T(a_point_mass_away_from_the_axis),
      T(a_robot_that_is_nowhere),
      T(a_robot_whose_pose_is_no_rotation),
      T(a_robot_whose_pose_was_left_empty),
      T(a_shape_whose_pose_was_left_empty),
      T(a_negative_mass_in_the_world),
      T(inertia_without_mass_in_the_world),
      T(a_negative_moment_in_the_world),
      T(a_moment_above_the_others_in_the_world),
      T(a_mass_that_is_no_number_in_the_world),
      T(a_free_root_without_mass),
      T(a_chain_root_without_mass),
      T(a_massless_leaf),
      T(a_massless_leaf_on_a_slide),
      T(a_massless_ball),
      T(a_massless_floating_link),
      T(a_massless_planar_link),
      T(a_massless_link_between_coincident_axes),
      T(a_massless_link_between_parallel_slides),
      T(a_ball_joint_under_a_massless_ball_joint),
      T(a_massless_link_between_crossed_axes_may_carry_a_point),
      T(a_massless_link_between_crossed_axes),
      T(a_massless_leaf_with_a_rotor),
      T(a_massless_leader_whose_follower_is_heavy),
      T(a_massless_leader_whose_follower_is_massless),
      T(a_massless_leader_whose_follower_stands_still),
      T(a_massless_leaf_welded_to_a_mass),
      T(a_point_mass_on_its_axis),
      T(gravity_that_is_no_number),
      T(an_empty_world),
      T(every_error_of_a_stage_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
