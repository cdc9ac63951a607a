/* Every way in which a description can be wrong: exact status, place and message. */
#include "model/expect_help.h"

RIGHT(the_world_that_the_tests_break_is_right, (void)0)

/* ---- names ---- */

WRONG_NAME(two_links_of_one_name, 3, "b", "link \"b\" is there twice (first at line 2)",
           p->links[2].name = "b")
WRONG_NAME(two_links_of_one_name_built_by_code, 3, "b", "link \"b\" is there twice", {
  p->links[2].name = "b";
  p->links[1].line = 0;
})
WRONG_NAME(two_joints_of_one_name, 12, "j", "joint \"j\" is there twice (first at line 11)", k->name = "j")
WRONG_NAME(two_robots_without_prefix, 1, "a",
           "link \"a\" is there twice: give each robot its own prefix (first at line 1)",
           { w.parts[1] = w.parts[0], w.nparts = 2; })
WRONG_NAME(two_robots_with_one_prefix, 1, "a",
           "link \"x_a\" is there twice: give each robot its own prefix (first at line 1)", {
             p->robot.prefix = "x_";
             w.parts[1] = w.parts[0], w.nparts = 2;
           })
WRONG_NAME(two_robots_that_share_a_joint_name, 11, "j",
           "joint \"j\" is there twice: give each robot its own prefix (first at line 11)", {
             w.parts[1] = w.parts[0], w.nparts = 2;
             part *second = &w.parts[1];
             second->links[0].name = "d", second->links[1].name = "e", second->nlink = 2;
             second->joints[0].parent = "d", second->joints[0].child = "e", second->njoint = 1;
           })
WRONG_NAME(an_unknown_parent, 11, "j",
           "parent link \"bse\" of joint \"j\" does not exist; did you mean \"base\"?", {
             j->parent = "bse";
             p->links[0].name = "base";
           })
WRONG_NAME(an_unknown_child, 12, "k",
           "child link \"foott\" of joint \"k\" does not exist; did you mean \"foot\"?", {
             k->child = "foott";
             p->links[2].name = "foot";
           })
WRONG_NAME(an_unknown_parent_with_a_prefix, 11, "j",
           "parent link \"bse\" of joint \"j\" does not exist; did you mean \"base\"?", {
             j->parent = "bse";
             p->links[0].name = "base";
             p->robot.prefix = "left_arm_";
           })
WRONG_NAME(an_unknown_parent_that_resembles_nothing, 11, "j",
           "parent link \"banana\" of joint \"j\" does not exist", j->parent = "banana")
WRONG_NAME(a_joint_to_the_link_of_another_robot, 11, "y_j",
           "parent link \"x_a\" of joint \"y_j\" does not exist; did you mean \"y_a\"?", {
             p->robot.prefix = "x_";
             w.parts[1] = w.parts[0], w.nparts = 2;
             part *second = &w.parts[1];
             second->robot.prefix = NULL;
             second->links[0].name = "y_a", second->links[1].name = "y_b", second->nlink = 2;
             second->joints[0].name = "y_j", second->joints[0].child = "y_b",
             second->joints[0].parent = "x_a";
             second->njoint = 1;
           })
WRONG_NAME(a_shape_on_an_unknown_link, 21, "d", "a shape sits on link \"d\", which does not exist", {
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

WRONG_NAME(an_unknown_leader, 12, "k",
           "joint \"k\" mimics \"knie\", which does not exist; did you mean \"knee\"?", {
             j->name = "knee";
             k->mimic = "knie";
           })
WRONG_NAME(an_unknown_leader_that_resembles_nothing, 12, "k",
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
      "joint \"k\" (planar) mimics \"j\" (continuous): both must have one coordinate", {
        k->kind = PK_JOINT_PLANAR;
        k->mimic = "j";
      })
WRONG(a_planar_leader, 12, "k",
      "joint \"k\" (continuous) mimics \"j\" (planar): both must have one coordinate", {
        j->kind = PK_JOINT_PLANAR;
        k->mimic = "j";
      })
WRONG(a_fixed_leader, 12, "k", "joint \"k\" (continuous) mimics \"j\" (fixed): both must have one coordinate",
      {
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
RIGHT(an_axis_of_next_to_no_length, j->axis[0] = 1e-13)
RIGHT(an_axis_of_the_least_length, j->axis[0] = 0, j->axis[1] = 4.9e-324)
RIGHT(a_very_long_axis, j->axis[0] = 1e200, j->axis[1] = -1.7e308)
RIGHT(limits_may_meet, j->kind = PK_JOINT_REVOLUTE, j->lower = j->upper = 0.5)

/* ---- poses ---- */

#define POSE "the pose of robot \"r\" is not finite, or its matrix is no rotation"
WRONG(a_robot_that_is_nowhere, 0, "r", POSE, p->robot.pose.pos[0] = NAN)
WRONG(a_robot_whose_pose_is_no_rotation, 0, "r", POSE, p->robot.pose.rot[0] = 2)
WRONG(a_robot_whose_pose_was_left_empty, 0, "r", POSE, memset(&p->robot.pose, 0, sizeof p->robot.pose))
WRONG(a_shape_whose_pose_was_left_empty, 21, "b",
      "the pose of a shape on link \"b\" is not finite, or its matrix is no rotation", {
        p->shapes[p->nshape++] =
            (pk_shape_desc){.link = "b", .kind = PK_SHAPE_SPHERE, .size = {1}, .line = 21};
      })

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
  const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
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
      T(an_axis_of_the_least_length),
      T(a_very_long_axis),
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
      T(a_robot_that_is_nowhere),
      T(a_robot_whose_pose_is_no_rotation),
      T(a_robot_whose_pose_was_left_empty),
      T(a_shape_whose_pose_was_left_empty),
      T(gravity_that_is_no_number),
      T(an_empty_world),
      T(every_error_of_a_stage_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
