/* Steps whose certificate is not met: they are counted whether or not anybody asks, and rows that nothing can move are named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/batch.h"
#include "support/bounds.h"
#include "support/hinge.h"
#include "support/world.h"

/* ---- counting ---- */

/* StarLETH falls on its feet, with solvers that cannot get where they should. */
static pk_sim *start_hopeless(const pk_model *m, const pk_terrain *ground, bool lanes)
{
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2.5e-3, o.tolerance = 1e-15, o.max_iterations = 1;
  o.implicit =
      lanes ? PK_IMPLICIT_FORCES_ALL : PK_IMPLICIT_FORCES_NONE; /* explicit forces are not for lanes */
  pk_sim *sim = start_world(m, ground, pk_material_default(), &o);
  starleth_pose(sim, 0.6, true);
  return sim;
}

static void uncertified_steps_are_counted_without_a_report(void **state)
{
  (void)state;
  enum { STEPS = 100 };
  pk_model *m = starleth_model();
  pk_terrain *ground = slope_terrain(0);
  for (int lanes = 0; lanes < 2; lanes++) {
    pk_sim *asked = start_hopeless(m, ground, lanes), *silent = start_hopeless(m, ground, lanes);
    long long told = 0;
    int left = 0;
    assert_int_equal(pk_sim_uncertified(silent), 0);
    for (int i = 0; i < STEPS; i++) {
      pk_step_info info;
      assert_int_equal(pk_sim_step(asked, &info), PK_OK);
      assert_int_equal(pk_sim_step(silent, NULL), PK_OK);
      told += !info.certified, left += info.left != PK_LANE_EXIT_NONE;
      assert_int_equal(pk_sim_uncertified(asked), told);
      assert_int_equal(pk_sim_uncertified(silent), told);
    }
    print_message("%lld of %d steps are not certified, %d left the lanes\n", told, STEPS, left);
    assert_greater(told, 0);
    assert_less(told, STEPS);                  /* in the air there is nothing to certify */
    assert_int_equal(left, lanes ? 0 : STEPS); /* a cap on iterations is no reason to leave */
    /* the count goes on in another world from the state, and ends with a reset */
    const size_t size = pk_sim_state_size(silent);
    void *bytes = malloc(size);
    pk_sim_get_state(silent, bytes);
    pk_sim_reset(asked);
    assert_int_equal(pk_sim_uncertified(asked), 0);
    assert_int_equal(pk_sim_set_state(asked, bytes, size, NULL), PK_OK);
    assert_int_equal(pk_sim_uncertified(asked), told);
    free(bytes);
    pk_sim_destroy(asked), pk_sim_destroy(silent);
  }
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

/* ---- rows that nothing can move ---- */

static pk_model *compile(pk_builder *b)
{
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* A ball on a fixed base by a joint along or about an axis (0: x, 2: z), 0.2 m above the origin. */
static pk_builder *begin_ball(pk_joint_kind kind, int axis, double radius, double upper)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc arm = {.name = "arm", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  const pk_shape_desc ball = {
      .link = "arm", .kind = PK_SHAPE_SPHERE, .size = {radius}, .pose = pk_pose_identity()};
  pk_joint_desc joint = hinge_joint();
  joint.kind = kind, joint.lower = -upper, joint.upper = upper;
  joint.axis[0] = joint.axis[2] = 0, joint.axis[axis] = 1;
  joint.origin.pos[2] = 0.2;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &(pk_link_desc){.name = "base"}, NULL), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &arm, NULL), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &ball, NULL), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, &joint, NULL), PK_OK);
  return b;
}

/* Every step of a ball that is 0.1 m in the ground and slides along it says that it is not certified, how many rows it was and
 * whose; a batch counts them. */
static void a_contact_that_nothing_can_move_is_named(void **state)
{
  (void)state;
  enum { STEPS = 5, WORLDS = 3 };
  pk_model *m = compile(begin_ball(PK_JOINT_PRISMATIC, 0, 0.3, 10));
  pk_terrain *ground = slope_terrain(0);
  pk_batch_options o = pk_batch_options_default();
  pk_batch_info all;
  pk_batch *b;
  pk_sim *sim = start_world(m, ground, pk_material_default(), &o.sim);
  o.worlds = WORLDS, o.lanes = 4;
  assert_int_equal(pk_batch_create(m, &o, &b, NULL), PK_OK);
  assert_int_equal(pk_batch_set_like(b, sim, NULL), PK_OK);
  for (int i = 0; i < STEPS; i++) {
    pk_step_info info;
    assert_int_equal(pk_sim_step(sim, &info), PK_OK);
    if (info.certified || info.shifted == 0 || !(fabs(info.shift - 0.1) < 1e-6)) {
      fail_msg("step %d has %d rows that are shifted by %g, and is %scertified", i, info.shifted, info.shift,
               info.certified ? "" : "not ");
    }
    assert_string_equal(info.term, "a row that nothing can move");
    assert_less(fabs(info.penetration - 0.1), 1e-12);
    assert_int_equal(pk_sim_uncertified(sim), i + 1);
  }
  assert_int_equal(pk_batch_step(b, STEPS, &all), PK_OK);
  assert_int_equal(all.stepped, WORLDS * STEPS);
  assert_int_equal(all.uncertified, WORLDS * STEPS);
  assert_int_equal(all.shifted, WORLDS * STEPS);
  assert_less(fabs(all.shift - 0.1), 1e-6);
  assert_false(pk_batch_world_certified(b, WORLDS - 1));
  pk_batch_destroy(b);
  pk_sim_destroy(sim);
  pk_terrain_destroy(ground);
  pk_model_destroy(m);
}

/* Friction across a slider, and along the axis of a hinge, moves nothing and is asked for nothing: such contacts are certified, on
 * lanes and in the step on chains. */
static void rows_that_nothing_moves_and_nothing_asks_for_do_no_harm(void **state)
{
  (void)state;
  pk_terrain *ground = slope_terrain(0);
  for (int lanes = 0; lanes < 2; lanes++) {
    pk_model *m = compile(begin_ball(PK_JOINT_PRISMATIC, 2, 0.15, 10));
    pk_sim_options o = pk_sim_options_default();
    o.implicit = lanes ? PK_IMPLICIT_FORCES_ALL : PK_IMPLICIT_FORCES_NONE;
    pk_sim *sim = start_world(m, ground, pk_material_default(), &o);
    int touching = 0;
    for (int i = 0; i < 300; i++) { /* it falls by 0.05 m in 0.1 s */
      const pk_step_info info = must_step(sim);
      touching += info.contacts;
      if (!info.certified || info.shifted != 0) {
        fail_msg("step %d has %d rows that are shifted by %g, and is %scertified", i, info.shifted,
                 info.shift, info.certified ? "" : "not ");
      }
    }
    assert_greater(touching, 100);
    assert_int_equal(pk_sim_uncertified(sim), 0);
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
  pk_terrain_destroy(ground);
}

/* A joint that is welded outside of its limits: one of the two has to give way, and no step is certified. Within them all are. */
static void a_weld_beyond_a_joint_limit_is_not_certified(void **state)
{
  (void)state;
  for (int within = 0; within < 2; within++) {
    pk_builder *b = begin_ball(PK_JOINT_REVOLUTE, 2, 0.01, within ? 0.3 : 0.1);
    const double c = cos(0.2), s = sin(0.2), turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    pk_constraint_desc weld = pk_constraint_desc_default();
    weld.name = "weld", weld.kind = PK_CONSTRAINT_WELD, weld.link[0] = "base", weld.link[1] = "arm";
    weld.frame[0].pos[2] = 0.2;
    memcpy(weld.frame[0].rot, turn, sizeof turn);
    assert_int_equal(pk_builder_add_constraint(b, &weld, NULL), PK_OK);
    pk_model *m = compile(b);
    pk_sim *sim = start_world(m, NULL, pk_material_default(), NULL);
    pk_sim_q(sim)[0] = 0.2;
    for (int i = 0; i < 5; i++) {
      const pk_step_info info = must_step(sim);
      assert_int_equal(info.certified, within);
      assert_int_equal(pk_sim_uncertified(sim), within ? 0 : i + 1);
    }
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uncertified_steps_are_counted_without_a_report),
      cmocka_unit_test(a_contact_that_nothing_can_move_is_named),
      cmocka_unit_test(rows_that_nothing_moves_and_nothing_asks_for_do_no_harm),
      cmocka_unit_test(a_weld_beyond_a_joint_limit_is_not_certified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
