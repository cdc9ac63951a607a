/* Masses that no link can have, and parts that cannot move: exact status, place and message. */
#include "model/expect_help.h"

/* ---- masses ---- */

WRONG_MASS(a_negative_mass, 2, "b", "mass of link \"b\" is -1 kg, expected zero or more", b->mass = -1)
#define NOT_FINITE "mass, centre of mass or inertia of link \"b\" is not finite"
WRONG_MASS(a_mass_that_is_no_number, 2, "b", NOT_FINITE, b->mass = NAN)
WRONG_MASS(an_infinite_mass, 2, "b", NOT_FINITE, b->mass = INFINITY)
WRONG_MASS(a_centre_of_mass_that_is_nowhere, 2, "b", NOT_FINITE, b->com[2] = NAN)
WRONG_MASS(an_inertia_that_is_no_number, 2, "b", NOT_FINITE, b->moment[4] = NAN)
WRONG_MASS(inertia_without_mass, 2, "b",
           "link \"b\" has no mass but moments of inertia: give it mass, or set both to zero", b->mass = 0)
WRONG_MASS(a_negative_moment, 2, "b",
           "inertia of link \"b\" has the principal moments -0.1, 0.08, 0.12: none may be negative",
           b->moment[0] = -0.1)
WRONG_MASS(a_moment_made_negative_by_products, 2, "b",
           "inertia of link \"b\" has the principal moments -1, 2, 3: none may be negative",
           memcpy(b->moment, (double[]){1, 2, 0, 1, 0, 2}, sizeof b->moment))
WRONG_MASS(a_huge_negative_moment, 2, "b",
           "inertia of link \"b\" has the principal moments -1e+200, 1e+200, 1e+200: none may be negative",
           memcpy(b->moment, (double[]){-1e200, 0, 0, 1e200, 0, 1e200}, sizeof b->moment))
WRONG_MASS(a_negative_ball_with_tiny_products, 2, "b",
           "inertia of link \"b\" has the principal moments -1, -1, -1: none may be negative",
           memcpy(b->moment, (double[]){-1, 1e-110, 0, -1, 0, -1}, sizeof b->moment))
WRONG_MASS(
    a_moment_above_the_sum_of_the_others, 2, "b",
    "inertia of link \"b\" has the principal moments 1, 2, 3.1: no body has one above the sum of the others",
    memcpy(b->moment, (double[]){1, 0, 0, 3.1, 0, 2}, sizeof b->moment))
RIGHT(a_moment_just_above_the_sum_of_the_others,
      memcpy(b->moment, (double[]){1, 0, 0, 3.0029, 0, 2}, sizeof b->moment))
WRONG_MASS(
    a_moment_just_beyond_the_tolerance, 2, "b",
    "inertia of link \"b\" has the principal moments 1, 2, 3.0031: no body has one above the sum of the "
    "others",
    memcpy(b->moment, (double[]){1, 0, 0, 3.0031, 0, 2}, sizeof b->moment))
RIGHT(a_moment_of_a_flat_body, memcpy(b->moment, (double[]){1, 0, 0, 3, 0, 2}, sizeof b->moment))
RIGHT(a_thin_rod, memcpy(b->moment, (double[]){1, 0, 0, 1, 0, 0}, sizeof b->moment))
DOUBTFUL(a_point_mass_away_from_the_axis, 2, "b",
         "link \"b\" has mass but no moments of inertia: it is a point mass",
         memset(b->moment, 0, sizeof b->moment))
/* ---- the same faults where nothing moves ---- */

#define WELDED (p->robot.root = PK_ROOT_FIXED, j->kind = PK_JOINT_FIXED)
WRONG_MASS(a_negative_mass_in_the_world, 2, "b", "mass of link \"b\" is -1 kg, expected zero or more", WELDED,
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
WRONG_MASS(a_mass_that_is_no_number_in_the_world, 2, "b", NOT_FINITE, WELDED, b->mass = NAN)

/* ---- parts that cannot move ---- */

#define MASSLESS(link) ((link) = (pk_inertia){0})
#define MOVES_NOTHING(joint, link) \
  "joint \"" joint "\" moves nothing that has inertia: give link \"" link \
  "\" or what hangs on it mass, or make the " \
  "joint fixed"
#define FREE_ROOT "link \"a\" is a free root without mass or inertia: give it mass, or fix the root"
WRONG_MASS(a_free_root_without_mass, 1, "a", FREE_ROOT, MASSLESS(p->links[0].inertia))
WRONG_MASS(a_chain_root_without_mass, 1, "a", FREE_ROOT, {
  p->robot.root = PK_ROOT_CHAIN;
  MASSLESS(p->links[0].inertia);
})
WRONG_MASS(a_massless_leaf, 12, "k", MOVES_NOTHING("k", "c"), MASSLESS(*c))
WRONG_MASS(a_massless_leaf_on_a_slide, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_PRISMATIC;
  MASSLESS(*c);
})
WRONG_MASS(a_massless_ball, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_SPHERICAL;
  MASSLESS(*c);
})
WRONG_MASS(a_massless_floating_link, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_FLOATING;
  MASSLESS(*c);
})
WRONG_MASS(a_massless_planar_link, 12, "k", MOVES_NOTHING("k", "c"), {
  k->kind = PK_JOINT_PLANAR;
  MASSLESS(*c);
})
WRONG_MASS(a_massless_link_between_coincident_axes, 11, "j", MOVES_NOTHING("j", "b"), {
  MASSLESS(*b);
  memcpy(k->axis, j->axis, sizeof k->axis);
  k->origin.pos[0] = 0.7, k->origin.pos[1] = k->origin.pos[2] = 0; /* further along the same axis */
})
WRONG_MASS(a_massless_link_between_parallel_slides, 11, "j", MOVES_NOTHING("j", "b"), {
  MASSLESS(*b);
  j->kind = k->kind = PK_JOINT_PRISMATIC;
  memcpy(k->axis, j->axis, sizeof k->axis);
})
WRONG_MASS(a_ball_joint_under_a_massless_ball_joint, 11, "j", MOVES_NOTHING("j", "b"), {
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
WRONG_MASS(a_massless_leader_whose_follower_is_massless, 12, "k", MOVES_NOTHING("k", "c"), {
  add_link(p, "d")->inertia = (pk_inertia){0};
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d")->mimic = "k";
  MASSLESS(*c);
})
WRONG_MASS(a_massless_leader_whose_follower_stands_still, 12, "k", MOVES_NOTHING("k", "c"), {
  add_link(p, "d");
  pk_joint_desc *l = add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d");
  l->mimic = "k", l->mimic_multiplier = 0;
  MASSLESS(*c);
})
RIGHT(a_massless_leaf_welded_to_a_mass, {
  MASSLESS(*c);
  k->kind = PK_JOINT_FIXED;
})
WRONG_MASS(a_point_mass_on_its_axis, 12, "k",
           "joint \"k\" turns a mass on its axis that has no moments of inertia about it: give link \"c\" "
           "moments, or "
           "make the joint fixed",
           *c = (pk_inertia){.mass = 1, .com = {0, 0.3, 0}})

/* ---- numbers too large or too small to compute with ---- */

#define TOO_LARGE \
  "mass, centre of mass or inertia of link \"b\" is too large: its moments about the joint that moves it " \
  "are " \
  "not finite"
WRONG_MASS(a_mass_too_far_away, 2, "b", TOO_LARGE, b->mass = 1e300, b->com[0] = 1e200)
WRONG_MASS(
    a_welded_mass_too_far_away, 3, "c",
    "mass, centre of mass or inertia of link \"c\" is too large: its moments about the joint that moves it "
    "are not "
    "finite",
    {
      k->kind = PK_JOINT_FIXED;
      k->origin.pos[2] = 1e200;
    })
WRONG_MASS(masses_whose_sum_is_too_large, 11, "j",
           "joint \"j\" moves an inertia that is not finite: masses or distances beyond it are too large", {
             k->kind = PK_JOINT_FIXED;
             b->mass = c->mass = 1.5e308;
             memset(b->com, 0, sizeof b->com), memset(c->com, 0, sizeof c->com);
             memset(k->origin.pos, 0, sizeof k->origin.pos);
           })
WRONG_MASS(a_joint_too_far_from_the_root, 1, "a",
           "free root \"a\" moves an inertia that is not finite: masses or distances beyond it are too large",
           j->origin.pos[1] = 1e200)
#define LITTLE(value) \
  { \
    c->mass = value; \
    memset(c->com, 0, sizeof c->com); \
    memcpy(c->moment, (double[]){value, 0, 0, value, 0, value}, sizeof c->moment); \
  }
WRONG_MASS(an_inertia_without_an_inverse, 12, "k",
           "joint \"k\" moves an inertia of 1e-310, too little to compute with: give link \"c\" more mass",
           LITTLE(1e-310))
RIGHT(an_inertia_that_is_only_small, LITTLE(1e-200))

/* ---- followers that undo their leader ---- */

/* Joint k turns about j's axis against it, or slides along it. */
#define AGAINST(type) \
  { \
    MASSLESS(*b); \
    j->kind = k->kind = type; \
    memcpy(k->axis, j->axis, sizeof k->axis); \
    k->origin.pos[0] = 0.7, k->origin.pos[1] = k->origin.pos[2] = 0; \
    k->mimic = "j", k->mimic_multiplier = -1; \
  }
#define CANCEL(joint, link) \
  "joint \"" joint \
  "\" and the joints that mimic it cancel: together they move nothing that has inertia; give link " \
  "\"" link "\" mass, or change a multiplier"
WRONG_MASS(a_follower_that_undoes_its_massless_leader, 11, "j", CANCEL("j", "b"),
           AGAINST(PK_JOINT_CONTINUOUS))
WRONG_MASS(a_slide_that_undoes_its_massless_leader, 11, "j", CANCEL("j", "b"), AGAINST(PK_JOINT_PRISMATIC))
WRONG_MASS(a_follower_of_the_opposite_axis, 11, "j", CANCEL("j", "b"), {
  AGAINST(PK_JOINT_CONTINUOUS);
  k->axis[0] = -1, k->mimic_multiplier = 1;
})
WRONG_MASS(a_leader_below_the_follower_that_undoes_it, 12, "k", CANCEL("k", "c"), {
  AGAINST(PK_JOINT_CONTINUOUS);
  k->mimic = NULL, k->mimic_multiplier = 1;
  j->mimic = "k", j->mimic_multiplier = -1;
})
WRONG_MASS(two_followers_that_undo_their_leader, 11, "j", CANCEL("j", "b"), {
  AGAINST(PK_JOINT_CONTINUOUS);
  MASSLESS(*c);
  add_link(p, "d");
  pk_joint_desc *l = add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "d");
  memset(l->origin.pos, 0, sizeof l->origin.pos);
  l->mimic = "j", l->mimic_multiplier = 1, k->mimic_multiplier = -2;
})
WRONG_MASS(a_follower_that_undoes_its_leader_and_carries_an_arm, 11, "j", CANCEL("j", "b"), {
  AGAINST(PK_JOINT_CONTINUOUS);
  add_link(p, "d"), add_link(p, "e");
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "d")->axis[1] = 1;
  add_joint(p, "m", PK_JOINT_SPHERICAL, "c", "e");
})
WRONG_MASS(a_massless_leaf_beside_followers, 13, "l", MOVES_NOTHING("l", "d"), {
  k->mimic = "j";
  add_link(p, "d")->inertia = (pk_inertia){0};
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "a", "d");
})
RIGHT(a_follower_that_undoes_half_of_its_leader, {
  AGAINST(PK_JOINT_CONTINUOUS);
  k->mimic_multiplier = -0.5;
})
RIGHT(a_follower_that_undoes_a_leader_with_mass, {
  AGAINST(PK_JOINT_CONTINUOUS);
  *b = sound_inertia();
})
RIGHT(a_follower_that_undoes_a_leader_with_a_rotor, {
  AGAINST(PK_JOINT_CONTINUOUS);
  j->armature = 0.01;
})
RIGHT(a_follower_that_carries_its_link_round_without_turning, {
  AGAINST(PK_JOINT_CONTINUOUS);
  k->origin.pos[1] = 0.2;
})

/* What is legal has finite accelerations. */
static void expect_motion(const world *w)
{
  pk_model *model = compile(w);
  pk_workspace *work;
  pk_workspace_create(model, &work, NULL);
  double u[16] = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, tau[16] = {0}, a[16];
  assert_int_equal(pk_forward_dynamics(work, PK_DYNAMICS_METHOD_AUTO, model->q0, u, tau, a), PK_OK);
  for (int i = 0; i < model->nu; i++) {
    assert_true(isfinite(a[i]));
  }
  pk_workspace_destroy(work);
  pk_model_destroy(model);
}

static void what_is_just_legal_moves(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  pk_joint_desc *j = &p->joints[0], *k = &p->joints[1];
  pk_inertia *b = &p->links[1].inertia, *c = &p->links[2].inertia;
  AGAINST(PK_JOINT_CONTINUOUS);
  k->mimic_multiplier = -0.999;
  expect_motion(&w);
  k->mimic_multiplier = -1, k->origin.pos[1] = 1e-3;
  expect_motion(&w);
  w = one_robot();
  LITTLE(1e-290);
  expect_motion(&w);
}

#define T(name) cmocka_unit_test(name)
int main(void)
{
  const struct CMUnitTest tests[] = {
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
      T(a_mass_too_far_away),
      T(a_welded_mass_too_far_away),
      T(masses_whose_sum_is_too_large),
      T(a_joint_too_far_from_the_root),
      T(an_inertia_without_an_inverse),
      T(an_inertia_that_is_only_small),
      T(a_follower_that_undoes_its_massless_leader),
      T(a_slide_that_undoes_its_massless_leader),
      T(a_follower_of_the_opposite_axis),
      T(a_leader_below_the_follower_that_undoes_it),
      T(two_followers_that_undo_their_leader),
      T(a_follower_that_undoes_its_leader_and_carries_an_arm),
      T(a_massless_leaf_beside_followers),
      T(a_follower_that_undoes_half_of_its_leader),
      T(a_follower_that_undoes_a_leader_with_mass),
      T(a_follower_that_undoes_a_leader_with_a_rotor),
      T(a_follower_that_carries_its_link_round_without_turning),
      T(what_is_just_legal_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
