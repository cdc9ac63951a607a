/* Problems of motions: what can be wrong with them, feet, the plane, and mirror images of robots. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "optimize/motion/solution.h"
#include "pronk/builder.h"
#include "support/bounds.h"
#include "support/motion_problems.h"

/* ---- what can be wrong ---- */

static void refuse(pki_motion_problem problem, pk_status status, const char *field, const char *message)
{
  pk_error err = {.message = ""};
  assert_int_equal(pki_motion_validate(&problem, &err), status);
  assert_string_equal(err.field, field);
  assert_string_equal(err.message, message);
}

/* A problem with nothing wrong: half a cycle of StarLETH's trot, which wants S_H. */
static pki_motion_problem sound_trot(const pk_model *m)
{
  pki_motion_problem p;
  stand_starleth(&p, m);
  p.closure = PKI_MOTION_HALF;
  add_phase(&p, 1 | 8, 3, 0.1, 0.3);
  add_phase(&p, 1 | 8, 3, 0.1, 0.3);
  p.phases[0].crossing = true;
  p.speed = 0.3;
  p.objective.stability = 1;
  return p;
}

static void a_sound_problem_is_accepted(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  pk_error err = {.message = ""};
  assert_int_equal(pki_motion_validate(&p, &err), PK_OK);
  assert_string_equal(err.message, "");
}

static void phases_must_be_there(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.nphase = 0;
  refuse(p, PK_ERROR_ARGUMENT, "phases", "there is none");
}

static void halves_have_at_most_half_of_the_phases(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.objective.stability = 0;
  p.nphase = PKI_MOTION_PHASES / 2 + 1;
  for (int i = 0; i < p.nphase; i++) {
    p.phases[i] = p.phases[0];
  }
  refuse(p, PK_ERROR_LIMIT, "phases", "half a cycle has 17, expected at most 16: a cycle has twice as many");
}

static void phases_have_intervals(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.phases[1].intervals = 0;
  refuse(p, PK_ERROR_ARGUMENT, "phases[1]", "0 intervals, expected at least 1");
}

static void durations_are_positive_and_in_order(void **state)
{
  static const struct {
    double shortest, longest, guess;
    const char *found;
  } rows[] = {{0, 0.3, 0.2, "lasts from 0 to 0.3 s with 0.2 to start from"},
              {0.1, 0.3, 0.05, "lasts from 0.1 to 0.3 s with 0.05 to start from"},
              {0.1, 0.3, 0.4, "lasts from 0.1 to 0.3 s with 0.4 to start from"},
              {NAN, 0.3, 0.2, "lasts from nan to 0.3 s with 0.2 to start from"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    pki_motion_problem p = sound_trot(*state);
    char message[200];
    p.phases[0].shortest = rows[i].shortest;
    p.phases[0].longest = rows[i].longest;
    p.phases[0].guess = rows[i].guess;
    snprintf(message, sizeof message, "%s, expected 0 < least <= start <= most", rows[i].found);
    refuse(p, PK_ERROR_ARGUMENT, "phases[0]", message);
  }
}

static void feet_that_stand_are_there(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.phases[1].stance = 1u << 4;
  refuse(p, PK_ERROR_ARGUMENT, "phases[1]", "a foot stands that there is not");
}

static void a_crossing_has_two_feet_on_a_diagonal(void **state)
{
  static const unsigned stances[] = {1, 1 | 2, 1 | 4, 1 | 2 | 8, 15};
  for (size_t i = 0; i < sizeof stances / sizeof stances[0]; i++) {
    pki_motion_problem p = sound_trot(*state);
    p.phases[0].stance = stances[i];
    refuse(p, PK_ERROR_ARGUMENT, "phases[0]",
           "ends when the mass crosses the diagonal, expected two feet on a diagonal");
  }
}

static void S_H_needs_two_feet(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.phases[0].crossing = false;
  p.phases[0].stance = 1;
  refuse(p, PK_ERROR_ARGUMENT, "phases[0]",
         "1 feet stand, expected at least 2: S_H is the momentum about the edges between feet");
  p.objective.stability = 0;
  p.least_stability = 0; /* which asks for S_H as well */
  p.phases[0].stance = 0;
  refuse(p, PK_ERROR_ARGUMENT, "phases[0]",
         "0 feet stand, expected at least 2: S_H is the momentum about the edges between feet");
}

static void S_H_on_a_diagonal_needs_a_crossing(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.phases[0].crossing = false;
  refuse(p, PK_ERROR_ARGUMENT, "phases[0]",
         "stands on a diagonal, and S_H jumps where the mass crosses it: make two phases of it, of which the "
         "first "
         "ends at the crossing");
}

static void friction_is_positive(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.friction = 0;
  refuse(p, PK_ERROR_ARGUMENT, "friction", "is 0, expected more than 0");
  p.friction = NAN;
  refuse(p, PK_ERROR_ARGUMENT, "friction", "is nan, expected more than 0");
}

static void a_share_of_the_cone_is_at_most_all_of_it(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.friction_share = 0;
  refuse(p, PK_ERROR_ARGUMENT, "friction_share", "is 0, expected more than 0 and at most 1");
  p.friction_share = 1.5;
  refuse(p, PK_ERROR_ARGUMENT, "friction_share", "is 1.5, expected more than 0 and at most 1");
}

static void half_a_cycle_has_equal_limits_on_both_sides(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.tau_upper[6] = 5;
  refuse(
      p, PK_ERROR_ARGUMENT, "limits",
      "LF_HAA and its mirror image RF_HAA differ, expected the same of both in half a cycle; use the closure "
      "\"cycle\"");
}

static void margins_are_those_of_level_ground(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.slope = 0.1;
  refuse(p, PK_ERROR_UNSUPPORTED, "slope",
         "is 0.1 rad, expected 0 where S_H or J_s1 counts: they are those of level ground");
}

static void gaits_have_feet(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.objective.stability = 0;
  p.nphase = 1;
  p.phases[0] = (pki_motion_phase){.intervals = 1, .shortest = 1, .longest = 1, .guess = 1};
  p.nfoot = 0;
  refuse(p, PK_ERROR_ARGUMENT, "feet", "a gait has none, expected the links that touch the ground");
}

static void energy_for_each_metre_needs_a_speed_or_a_stride(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  const char *const message = "is free, and so is the stride: energy for each metre needs one of them";
  pk_error err;
  p.speed = NAN;
  p.objective.work = 1;
  refuse(p, PK_ERROR_ARGUMENT, "speed", message);
  p.objective.work = 0, p.objective.joule = 1;
  refuse(p, PK_ERROR_ARGUMENT, "speed", message);
  p.stride_shortest = p.stride_longest = 0.2;
  p.objective.work = 1, p.objective.joule = 0;
  assert_int_equal(pki_motion_validate(&p, &err), PK_OK);
}

/* A joint without a motor has no resistance; the trunk is not driven and needs none. */
static void heat_needs_a_motor_in_each_driven_joint(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  pk_error err;
  p.objective.joule = 1;
  for (int k = 6; k < p.model->nu; k++) {
    assert_true(isnan(p.motor[k].resistance));
    p.motor[k].resistance = 1;
  }
  assert_int_equal(pki_motion_validate(&p, &err), PK_OK);
  p.motor[8].resistance = NAN;
  char message[160];
  snprintf(message, sizeof message,
           "the joint \"%s\" has no motor with a resistance, expected one for each joint that is driven",
           pki_motion_dof_name(p.model, 8));
  refuse(p, PK_ERROR_ARGUMENT, "objective.joule", message);
}

static void limits_do_not_cross(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.q_lower[7] = 0.5, p.q_upper[7] = 0.25;
  refuse(p, PK_ERROR_ARGUMENT, "limits", "coordinate 7 lies between 0.5 and 0.25, expected a range");
}

/* ---- models ---- */

/* A chain of hinges about x, the first `aside` of the middle; links of even numbers have balls; `coupled`: the first two. */
static pk_model *hinges(int count, bool coupled, pk_root_kind root, double aside)
{
  pk_builder *b;
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  pk_robot_desc robot = pk_robot_desc_default();
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  robot.root = root;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  for (int i = 0; i <= count; i++) {
    char name[16], above[16];
    snprintf(name, sizeof name, "link%d", i);
    snprintf(above, sizeof above, "link%d", i - 1);
    const pk_link_desc link = {.name = name, .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
    const pk_shape_desc ball = {
        .link = name, .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.01, 0, 0}};
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(i % 2 == 0 ? pk_builder_add_shape(b, &ball, &err) : PK_OK, PK_OK);
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = name, joint.kind = PK_JOINT_CONTINUOUS, joint.parent = above, joint.child = name;
    joint.axis[0] = 1, joint.axis[1] = joint.axis[2] = 0;
    joint.origin.pos[1] = i == 1 ? aside : 0, joint.origin.pos[2] = -0.1;
    assert_int_equal(i > 0 ? pk_builder_add_joint(b, &joint, &err) : PK_OK, PK_OK);
  }
  pk_constraint_desc couple = pk_constraint_desc_default();
  couple.kind = PK_CONSTRAINT_COUPLING, couple.name = "both", couple.joint[0] = "link1",
  couple.joint[1] = "link2";
  assert_int_equal(coupled ? pk_builder_add_constraint(b, &couple, &err) : PK_OK, PK_OK);
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static pki_motion_problem of_hinges(const pk_model *m)
{
  pki_motion_problem p;
  pki_motion_problem_default(&p, m);
  add_phase(&p, 0, 1, 1, 1);
  return p;
}

static void robots_have_no_more_coordinates_than_there_is_room_for(void **state)
{
  (void)state;
  pk_model *m = hinges(PKI_MOTION_DOFS + 1, false, PK_ROOT_FIXED, 0);
  refuse(of_hinges(m), PK_ERROR_LIMIT, "model", "65 degrees of freedom, expected at most 64");
  pk_model_destroy(m);
}

static void robots_are_trees(void **state)
{
  (void)state;
  pk_model *m = hinges(2, true, PK_ROOT_FIXED, 0);
  refuse(of_hinges(m), PK_ERROR_UNSUPPORTED, "model", "the robot has loops or couplings, expected a tree");
  pk_model_destroy(m);
}

static void free_roots_are_chains(void **state)
{
  (void)state;
  pk_model *m = hinges(1, false, PK_ROOT_FREE, 0);
  refuse(of_hinges(m), PK_ERROR_UNSUPPORTED, "model",
         "a joint of the robot is neither a hinge nor a slider, or its root is not a chain");
  pk_model_destroy(m);
}

/* ---- feet ---- */

static void refuse_foot(pki_motion_problem *problem, const char *link, pk_status status, const char *message)
{
  pk_error err = {.message = ""};
  const int before = problem->nfoot;
  assert_int_equal(pki_motion_add_foot(problem, link, &err), status);
  assert_string_equal(err.field, "feet");
  assert_string_equal(err.message, message);
  assert_int_equal(problem->nfoot, before);
}

static void feet_are_links_that_can_stand(void **state)
{
  (void)state;
  pk_model *m = hinges(2, false, PK_ROOT_FIXED, 0);
  pki_motion_problem p = of_hinges(m);
  refuse_foot(&p, "link9", PK_ERROR_NAME, "there is no moving link \"link9\"");
  refuse_foot(&p, "link0", PK_ERROR_NAME, "there is no moving link \"link0\"");
  refuse_foot(&p, "link1", PK_ERROR_ARGUMENT,
              "the link \"link1\" has neither a ball nor a box that collides, expected one that can stand");
  for (int i = 0; i < PKI_MOTION_FEET; i++) {
    assert_int_equal(pki_motion_add_foot(&p, "link2", NULL), PK_OK);
  }
  refuse_foot(&p, "link2", PK_ERROR_LIMIT, "more than 8 feet");
  assert_near(p.feet[0].radius, 0.01, 0);
  assert_false(p.feet[0].area);
  pk_model_destroy(m);
}

static void soles_are_the_lower_faces_of_boxes(void **state)
{
  (void)state;
  pk_model *m = chain_model("hardt_biped");
  pki_motion_problem p;
  stand_hardt(&p, m);
  add_phase(&p, 3, 1, 1, 1);
  assert_int_equal(pki_motion_validate(&p, NULL), PK_OK);
  for (int f = 0; f < 2; f++) {
    assert_true(p.feet[f].area);
    assert_near(p.feet[f].length, 0.16, 1e-15);
    assert_near(p.feet[f].width, 0.08, 1e-15);
    assert_near(p.feet[f].radius, 0, 0);
  }
  assert_near(p.feet[0].stand[0], p.feet[1].stand[0], 1e-12);
  assert_near(p.feet[0].stand[1], -p.feet[1].stand[1], 1e-12);
  assert_near(p.feet[0].stand[2], p.feet[1].stand[2], 1e-12);
  /* as the workspace has it: 0.0075 m below the middle of the box */
  pk_workspace *w;
  double at[3];
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  pk_kinematics_compute(w, p.pose, NULL);
  pki_motion_place_foot(&p, w, 0, at);
  for (int k = 0; k < 3; k++) {
    assert_near(at[k], p.feet[0].stand[k], 1e-12);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* ---- the plane ---- */

static void in_the_plane_what_leaves_it_is_locked(void **state)
{
  const pk_model *m = *state;
  pki_motion_problem p = sound_trot(m);
  p.planar = true;
  assert_int_equal(pki_motion_validate(&p, NULL), PK_OK);
  assert_true(p.along == 0 && p.across == 1 && p.height == 2);
  const bool root[6] = {false, true, false, true, false, true};
  for (int k = 0; k < m->nu; k++) {
    const bool abducts = k >= 6 && strstr(m->joints[m->dof_joint[k]].name, "HAA") != NULL;
    assert_int_equal(p.locked[k], k < 6 ? root[k] : abducts);
  }
}

static void a_robot_of_the_plane_is_planar_by_itself(void **state)
{
  (void)state;
  pk_model *m = chain_model("five_link_biped");
  pki_motion_problem p;
  five_link_step(&p, m, 1);
  assert_int_equal(pki_motion_validate(&p, NULL), PK_OK);
  assert_true(p.planar);
  assert_true(p.along == 0 && p.across == -1 && p.height == 1);
  for (int k = 0; k < m->nu; k++) {
    assert_false(p.locked[k]);
  }
  pk_model_destroy(m);
}

/* ---- mirror images ---- */

static void mirror_numbers(const pki_motion_mirror *mirror, int n, const double *from, double *to)
{
  for (int k = 0; k < n; k++) {
    to[mirror->to[k]] = mirror->sign[k] * from[k];
  }
}

/* Forces of a mirrored motion are the mirrored forces, whatever the motion. */
static void compare_images(const pki_motion_problem *p)
{
  const pk_model *m = p->model;
  pki_motion_mirror mirror;
  pk_error err = {.message = ""};
  pk_workspace *w;
  pki_random rng = pki_random_seeded(17);
  if (pki_motion_find_mirror(p, &mirror, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  for (int round = 0; round < 20; round++) {
    double x[3][PKI_MOTION_DOFS], y[3][PKI_MOTION_DOFS], tau[PKI_MOTION_DOFS], expected[PKI_MOTION_DOFS],
        found[PKI_MOTION_DOFS], unit = 0;
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < m->nu; k++) {
        x[i][k] = pki_random_between(&rng, -1, 1) * (i == 0 ? 1 : 3);
      }
      mirror_numbers(&mirror, m->nu, x[i], y[i]);
    }
    pk_inverse_dynamics(w, x[0], x[1], x[2], tau);
    pk_inverse_dynamics(w, y[0], y[1], y[2], found);
    mirror_numbers(&mirror, m->nu, tau, expected);
    for (int k = 0; k < m->nu; k++) {
      unit = fmax(unit, fabs(tau[k]));
    }
    for (int k = 0; k < m->nu; k++) {
      assert_near(found[k], expected[k], 1e-12 * unit);
    }
    for (int i = 0; i < p->nfoot; i++) { /* and so are the places of feet */
      double here[3], there[3];
      pk_kinematics_compute(w, x[0], NULL);
      pki_motion_place_foot(p, w, i, here);
      pk_kinematics_compute(w, y[0], NULL);
      pki_motion_place_foot(p, w, mirror.foot_to[i], there);
      assert_near(there[0], here[0], 1e-12);
      assert_near(there[1], -here[1], 1e-12);
      assert_near(there[2], here[2], 1e-12);
    }
  }
  pk_workspace_destroy(w);
}

static void mirrored_motions_have_mirrored_forces(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    void (*stand)(pki_motion_problem *problem, const pk_model *model);
  } robots[] = {{"starleth", stand_starleth},
                {"sony_quadruped", stand_sony},
                {"hardt_biped", stand_hardt},
                {"five_link_biped", stand_five_links}};
  for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
    pk_model *m = chain_model(robots[i].name);
    pki_motion_problem p;
    robots[i].stand(&p, m);
    compare_images(&p);
    pk_model_destroy(m);
  }
}

static void left_becomes_right(void **state)
{
  const pk_model *m = *state;
  pki_motion_problem p = sound_trot(m);
  pki_motion_mirror mirror;
  assert_int_equal(pki_motion_find_mirror(&p, &mirror, NULL), PK_OK);
  const double root[6] = {1, -1, 1, -1, 1, -1};
  for (int k = 0; k < 6; k++) {
    assert_int_equal(mirror.to[k], k);
    assert_near(mirror.sign[k], root[k], 0);
  }
  assert_int_equal(mirror.to[coordinate_of(m, "LF_HAA")], coordinate_of(m, "RF_HAA"));
  assert_int_equal(mirror.to[coordinate_of(m, "RH_KFE")], coordinate_of(m, "LH_KFE"));
  assert_near(mirror.sign[coordinate_of(m, "LF_HAA")], -1, 0);
  assert_near(mirror.sign[coordinate_of(m, "LF_HFE")], 1, 0);
  const int feet[4] = {1, 0, 3, 2};
  for (int f = 0; f < 4; f++) {
    assert_int_equal(mirror.foot_to[f], feet[f]);
  }
}

static void a_robot_with_one_side_has_no_image(void **state)
{
  (void)state;
  pk_model *m = hinges(2, false, PK_ROOT_CHAIN, 0.2);
  pki_motion_problem p = of_hinges(m);
  assert_int_equal(pki_motion_add_foot(&p, "link2", NULL), PK_OK);
  p.closure = PKI_MOTION_HALF;
  refuse(p, PK_ERROR_ARGUMENT, "closure",
         "the robot has no mirror image in its plane y = 0: link1 has no counterpart on the other side in "
         "the zero "
         "pose; use the closure \"cycle\"");
  pk_model_destroy(m);
}

static void feet_have_counterparts(void **state)
{
  pki_motion_problem p = sound_trot(*state);
  p.nfoot = 3;
  p.objective.stability = 0;
  p.nphase = 1;
  p.phases[0].crossing = false;
  p.phases[0].stance = 1;
  refuse(p, PK_ERROR_ARGUMENT, "feet", "the foot LH_FOOT has no counterpart on the other side");
}

static int set_up_model(void **state)
{
  *state = chain_model("starleth");
  return 0;
}

static int destroy_model(void **state)
{
  pk_model_destroy(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_problem_is_accepted),
      cmocka_unit_test(phases_must_be_there),
      cmocka_unit_test(halves_have_at_most_half_of_the_phases),
      cmocka_unit_test(phases_have_intervals),
      cmocka_unit_test(durations_are_positive_and_in_order),
      cmocka_unit_test(feet_that_stand_are_there),
      cmocka_unit_test(a_crossing_has_two_feet_on_a_diagonal),
      cmocka_unit_test(S_H_needs_two_feet),
      cmocka_unit_test(S_H_on_a_diagonal_needs_a_crossing),
      cmocka_unit_test(friction_is_positive),
      cmocka_unit_test(a_share_of_the_cone_is_at_most_all_of_it),
      cmocka_unit_test(half_a_cycle_has_equal_limits_on_both_sides),
      cmocka_unit_test(margins_are_those_of_level_ground),
      cmocka_unit_test(gaits_have_feet),
      cmocka_unit_test(energy_for_each_metre_needs_a_speed_or_a_stride),
      cmocka_unit_test(heat_needs_a_motor_in_each_driven_joint),
      cmocka_unit_test(limits_do_not_cross),
      cmocka_unit_test(robots_have_no_more_coordinates_than_there_is_room_for),
      cmocka_unit_test(robots_are_trees),
      cmocka_unit_test(free_roots_are_chains),
      cmocka_unit_test(feet_are_links_that_can_stand),
      cmocka_unit_test(soles_are_the_lower_faces_of_boxes),
      cmocka_unit_test(in_the_plane_what_leaves_it_is_locked),
      cmocka_unit_test(a_robot_of_the_plane_is_planar_by_itself),
      cmocka_unit_test(mirrored_motions_have_mirrored_forces),
      cmocka_unit_test(left_becomes_right),
      cmocka_unit_test(a_robot_with_one_side_has_no_image),
      cmocka_unit_test(feet_have_counterparts),
  };
  return cmocka_run_group_tests(tests, set_up_model, destroy_model);
}
