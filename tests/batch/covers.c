/* Links that touch each other, or the ground with anything but feet, are found in the step in which the general step finds
 * them: lanes hand over in time, however links come together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "step/sim.h"
#include "support/fleet.h"
#include "support/pace.h"

enum { ROOM = 48 };

/* What steps were, and what lanes missed. */
typedef struct seen {
  long long steps, alone, self, ground,
      handed; /* handed: lanes gave up a step in which nothing but feet touched */
} seen;

/* A contact that lanes do not know: of two links, or of a shape that is no foot. */
static bool is_other(const fleet *f, const pk_sim_contact *c)
{
  const pk_model_shape *s = &f->model->shapes[c->shape];
  return c->other_link >= 0 || s->kind != PK_SHAPE_SPHERE || s->size[0] > 0.0315; /* knees are larger balls */
}

/* One step both ways from the state of world 0; false: neither can do it. */
static bool step_both(const fleet *f, pk_batch *b, pk_sim *general, seen *s)
{
  pk_batch_info how;
  pk_sim_contact c[ROOM];
  assert_int_equal(pk_batch_get(b, 0, general, NULL), PK_OK);
  general->alone.stale = false;
  general->alone.plan.usable = false;
  const pk_status status = pk_sim_step(general, NULL);
  assert_int_equal(pk_batch_step(b, 1, &how), PK_OK);
  assert_int_equal(pk_batch_world_status(b, 0), status);
  if (status != PK_OK) {
    return false;
  }
  const int n = pk_sim_contacts(general, c, ROOM);
  bool self = false, ground = false;
  for (int i = 0; i < n; i++) {
    const bool pushes = c[i].impulse[0] != 0 || c[i].impulse[1] != 0 || c[i].impulse[2] != 0;
    self |= pushes && c[i].other_link >= 0;
    ground |= pushes && c[i].other_link < 0 && is_other(f, &c[i]);
  }
  s->steps++, s->alone += how.alone, s->self += self, s->ground += ground;
  s->handed += how.alone > 0 && !self && !ground;
  if ((self || ground) && how.alone == 0) {
    fail_msg("%s: step %lld was done on lanes, but %s touch", f->of->name, s->steps,
             self ? "two links" : "other shapes than feet");
  }
  return true;
}

/* New targets, gains and limits for all joints. */
static void command(const fleet *f, pk_batch *b, pki_random *rng, double reach, double kd)
{
  pk_command *c = (pk_command *)(void *)pk_world_of(pk_batch_commands(b), 0);
  for (int k = 6; k < 18; k++) {
    const double lower = fmax(f->model->dof_lower[k], -1.5), upper = fmin(f->model->dof_upper[k], 1.5);
    const double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower) * reach;
    c[k] = (pk_command){
        .kp = 200, .kd = kd, .q_des = middle + pki_random_between(rng, -half, half), .tau_max = INFINITY};
  }
}

static const fleet_setting settings[] = {
    {"legs that cross", FLEET_STARLETH, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 400,
     true},
    {"anymal's legs", FLEET_ANYMAL, 0, FLEET_PLANE, FLEET_DROP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 400, true},
    {"legs on a slope, euler", FLEET_STARLETH, 0, FLEET_SLOPE, FLEET_DROP, 0.6, PK_STEPPER_EULER, 0, 2e-3,
     400, true},
};

static void touches_are_found_in_the_step_of_the_general_search(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    pki_random rng = pki_random_seeded(7 + i);
    fleet f;
    seen s = {0};
    fleet_make(&f, &settings[i]);
    f.options.joint_limits = false; /* so that lanes see all of it */
    pk_batch *b = fleet_batch(&f, 1, 1, 1);
    pk_sim *general = fleet_sim(&f, 0);
    for (int k = 0; k < PACE(10, 2); k++) {
      pk_sim_reset(general);
      fleet_place(&f, general, k);
      pk_sim_q(general)[2] += 0.1 * (k % 4); /* some have time before they land */
      assert_int_equal(pk_batch_set(b, 0, general, NULL), PK_OK);
      for (int step = 0; step < settings[i].steps; step++) {
        if (step % 40 == 0) {
          command(&f, b, &rng, 1, 12);
        }
        assert_true(step_both(&f, b, general, &s));
      }
    }
    print_message(
        "%s: %lld steps, %lld alone (%lld early), %lld of links, %lld of other shapes on the ground\n",
        settings[i].name, s.steps, s.alone, s.handed, s.self, s.ground);
    assert_true(PACE(s.self > 0, true) && s.alone < s.steps);
    assert_true(PACE(s.ground > 0, true));
    pk_batch_destroy(b);
    pk_sim_destroy(general);
    fleet_free(&f);
  }
}

/* A trunk with a foot and two thin arms: one swings up from below the other, which points to the side in front of it. */
static pk_model *arms_model(void)
{
  static const struct {
    const char *name;
    double at[3], axis[3], size[3], centre[3];
    pk_shape_kind kind;
  } limbs[] = {{"left", {0, 0, 0.25}, {0, 1, 0}, {0.004, 0.3}, {0.2, 0, 0}, PK_SHAPE_CAPSULE},
               {"right", {0.3, -0.25, 0.15}, {0, 0, 1}, {0.004, 0.3}, {0, 0.2, 0}, PK_SHAPE_CAPSULE},
               {"leg", {0, 0, -0.1}, {0, 1, 0}, {0.03}, {0, 0, -0.2}, PK_SHAPE_SPHERE}};
  pk_builder *b = pk_builder_create();
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  const pk_link_desc trunk = {.name = "trunk", .inertia = {.mass = 10, .moment = {0.2, 0, 0, 0.2, 0, 0.2}}};
  const pk_shape_desc box = {
      .link = "trunk", .kind = PK_SHAPE_BOX, .size = {0.2, 0.3, 0.2}, .pose = pk_pose_identity()};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &trunk, &err), PK_OK);
  assert_int_equal(pk_builder_add_shape(b, &box, &err), PK_OK);
  for (int i = 0; i < 3; i++) {
    const pk_link_desc link = {.name = limbs[i].name,
                               .inertia = {.mass = 0.2, .moment = {1e-3, 0, 0, 1e-3, 0, 1e-3}}};
    pk_joint_desc joint = pk_joint_desc_default();
    pk_shape_desc shape = {.link = limbs[i].name, .kind = limbs[i].kind, .pose = pk_pose_identity()};
    joint.name = limbs[i].name, joint.parent = "trunk", joint.child = limbs[i].name;
    joint.kind = PK_JOINT_CONTINUOUS;
    memcpy(joint.origin.pos, limbs[i].at, sizeof joint.origin.pos);
    memcpy(joint.axis, limbs[i].axis, sizeof joint.axis);
    memcpy(shape.size, limbs[i].size, sizeof shape.size);
    memcpy(shape.pose.pos, limbs[i].centre, sizeof shape.pose.pos);
    if (limbs[i].kind == PK_SHAPE_CAPSULE) { /* along the arm: forward, to the left */
      static const double along[2][9] = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {1, 0, 0, 0, 0, 1, 0, -1, 0}};
      memcpy(shape.pose.rot, along[i], sizeof shape.pose.rot);
    }
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
    assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  }
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* Arms so fast that they are past each other at the end of a step, and slow ones. */
static void fast_links_do_not_pass_through_each_other(void **state)
{
  (void)state;
  static const fleet_setting flight = {
      "fast arms", FLEET_STARLETH, 0, FLEET_PLANE, 0, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 40, true};
  pki_random rng = pki_random_seeded(3);
  fleet f;
  seen s = {0};
  pk_error err = {.message = ""};
  fleet_make(&f, &flight);
  pk_model *arms = arms_model();
  f.model = arms;
  pk_batch_options o = pk_batch_options_default();
  o.lanes = o.threads = 1, o.sim = f.options;
  pk_batch *b;
  pk_sim *general;
  assert_int_equal(pk_batch_create(arms, &o, &b, &err), PK_OK);
  assert_int_equal(pk_batch_set_terrain(b, f.ground, &f.material, 1, &err), PK_OK);
  assert_int_equal(pk_sim_create(arms, &f.options, &general, &err), PK_OK);
  for (int k = 0; k < PACE(200, 40); k++) {
    double *q = pk_world_of(pk_batch_q(b), 0), *u = pk_world_of(pk_batch_u(b), 0);
    pk_batch_reset(b, 0);
    q[2] = 2, q[7] = pki_random_between(&rng, 0.5, 0.9), q[8] = pki_random_between(&rng, -0.1, 0.1);
    u[6] = -pki_random_between(&rng, 1, 40), u[7] = pki_random_between(&rng, -1, 1);
    for (int step = 0; step < flight.steps; step++) {
      assert_true(step_both(&f, b, general, &s));
    }
  }
  print_message("%s: %lld steps, %lld alone (%lld early), %lld of links\n", flight.name, s.steps, s.alone,
                s.handed, s.self);
  assert_true(s.self > 0 && s.alone < s.steps);
  pk_batch_destroy(b);
  pk_sim_destroy(general);
  fleet_free(&f);
  pk_model_destroy(arms);
}

/* When pairs were looked at last is no part of a state: a sim that forgets it before every step goes the same way. */
static void bits_do_not_hang_on_looks_of_the_past(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(5);
  pk_error err = {.message = ""};
  pk_model *arms = arms_model();
  pk_terrain *ground = pk_terrain_create();
  pk_sim_options o = pk_sim_options_default();
  o.dt = 2.5e-3;
  assert_int_equal(pk_terrain_add_plane(ground, (double[3]){0}, (double[3]){0, 0, 1}, 0, &err), PK_OK);
  pk_sim *sims[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pk_sim_create(arms, &o, &sims[i], &err), PK_OK);
    assert_int_equal(pk_sim_set_terrain(sims[i], ground, NULL, 0, &err), PK_OK);
  }
  for (int k = 0; k < PACE(400, 40); k++) {
    const double at[2] = {pki_random_between(&rng, 0.5, 0.9), pki_random_between(&rng, -0.1, 0.1)};
    const double speed[2] = {-pki_random_between(&rng, 1, 40), pki_random_between(&rng, -1, 1)};
    for (int i = 0; i < 2; i++) {
      pk_sim_reset(sims[i]);
      pk_sim_q(sims[i])[2] = 2, pk_sim_q(sims[i])[7] = at[0], pk_sim_q(sims[i])[8] = at[1];
      pk_sim_u(sims[i])[6] = speed[0], pk_sim_u(sims[i])[7] = speed[1];
    }
    for (int step = 0; step < 60; step++) {
      sims[1]->alone.stale = true;
      assert_int_equal(pk_sim_step(sims[0], NULL), PK_OK);
      assert_int_equal(pk_sim_step(sims[1], NULL), PK_OK);
      assert_memory_equal(pk_sim_u(sims[0]), pk_sim_u(sims[1]), (size_t)arms->nu * sizeof(double));
    }
  }
  pk_sim_destroy(sims[0]), pk_sim_destroy(sims[1]);
  pk_terrain_destroy(ground);
  pk_model_destroy(arms);
}

/* What was known of distances at one configuration says nothing wrong of another one, wherever the user puts it. */
static void another_configuration_is_looked_at_anew(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(11);
  fleet f;
  seen s = {0};
  fleet_make(&f, &settings[0]);
  f.options.joint_limits = false;
  pk_batch *b = fleet_batch(&f, 1, 1, 1);
  pk_sim *general = fleet_sim(&f, 0);
  for (int k = 0; k < PACE(2000, 200); k++) {
    double *q = pk_world_of(pk_batch_q(b), 0), *u = pk_world_of(pk_batch_u(b), 0);
    pk_sim_reset(general);
    fleet_place(&f, general, k);
    memcpy(q, pk_sim_q(general), 19 * sizeof *q);
    memset(u, 0, 18 * sizeof *u);
    q[2] = 1;
    for (int j = 7; j < 19; j++) { /* a leg's first joint as far as it goes, both ways */
      q[j] += pki_random_between(&rng, -0.4, 0.4);
    }
    assert_true(step_both(&f, b, general, &s));
  }
  print_message("jumps: %lld steps, %lld alone (%lld early), %lld of links\n", s.steps, s.alone, s.handed,
                s.self);
  assert_true(PACE(s.self > 0, true) && s.alone < s.steps);
  pk_batch_destroy(b);
  pk_sim_destroy(general);
  fleet_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(touches_are_found_in_the_step_of_the_general_search),
      cmocka_unit_test(fast_links_do_not_pass_through_each_other),
      cmocka_unit_test(bits_do_not_hang_on_looks_of_the_past),
      cmocka_unit_test(another_configuration_is_looked_at_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
