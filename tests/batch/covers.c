/* Whatever the general search finds pushing, the step on lanes finds too, however links come together; its ends are clear of
 * overlaps, and fast links do not pass through each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "batch/batch.h"
#include "step/contact.h"
#include "support/bounds.h"
#include "support/dense_step.h"
#include "support/fleet.h"
#include "support/pace.h"

enum { ROOM = 48 };

/* What steps were. */
typedef struct seen {
  long long steps, alone, left[PK_LANE_EXIT_COUNT];
  long long self,
      ground; /* with links that push each other; with other shapes than feet that push the ground */
  long long
      excused; /* contacts that push in the step on chains, and stay open in another solution of the lanes */
  double depth,
      start; /* m, the deepest overlap at the end of steps on lanes, and of what began without any */
} seen;

/* A batch of one world, and a sim that never is on lanes. */
typedef struct pair {
  const fleet *f;
  pk_batch *b;
  pk_sim *general, *probe;
  pk_workspace *w;
} pair;

static bool pushes(const pk_sim_contact *c)
{
  return c->impulse[0] != 0 || c->impulse[1] != 0 || c->impulse[2] != 0;
}

/* A shape that is no foot. */
static bool is_other(const fleet *f, const pk_sim_contact *c)
{
  const pk_model_shape *s = &f->model->shapes[c->shape];
  return s->kind != PK_SHAPE_SPHERE || s->size[0] > 0.0315; /* knees are larger balls */
}

/* m, how deep shapes are in each other and in the ground at q, by the general search. */
static double depth_at(const pair *p, const double *q)
{
  pk_sim *sim = p->probe;
  double most = 0;
  assert_at_least(dense_search(sim, q, pki_touching(sim)), 0);
  for (int i = 0; i < sim->contact.nfound; i++) {
    most = fmax(most, -sim->contact.found[i].gap);
  }
  return most;
}

/* A contact that pushes in the step on chains took part on lanes, or their velocities leave it open. */
static void check_found(const pair *p, const dense_step *from, const pk_sim_contact *c, seen *s)
{
  pk_sim_contact mine[ROOM];
  const int n = pk_batch_contacts(p->b, 0, mine, ROOM);
  for (int i = 0; i < n; i++) {
    if (mine[i].shape == c->shape && mine[i].other_shape == c->other_shape) {
      return;
    }
  }
  const double *u = pk_batch_view_world(pk_batch_u(p->b), 0);
  const double broken = dense_broken(from, c->link, c->other_link, c->point, c->normal, c->gap, u);
  s->excused++;
  if (broken > 1e-9) {
    fail_msg(
        "%s: in step %lld shapes %d and %d push in the step on chains; lanes did not find them and go %g "
        "m deep",
        p->f->of->name, s->steps, c->shape, c->other_shape, broken);
  }
}

/* One step both ways from the state of world 0; false: neither can do it. */
static bool step_both(const pair *p, seen *s)
{
  pk_batch_info how;
  pk_sim_contact c[ROOM];
  dense_step from;
  assert_int_equal(pk_batch_get(p->b, 0, p->general, NULL), PK_OK);
  assert_int_equal(pk_batch_get(p->b, 0, p->probe, NULL), PK_OK);
  dense_begin(&from, p->general, &p->f->options, p->w);
  p->general->single.chains_only = true;
  const bool clear = depth_at(p, pk_sim_q(p->general)) <= 1e-6;
  const pk_status status = pk_sim_step(p->general, NULL);
  assert_int_equal(pk_batch_step(p->b, 1, &how), PK_OK);
  assert_int_equal(pk_batch_world_status(p->b, 0), status);
  if (status != PK_OK) {
    return false;
  }
  const int n = pk_sim_contacts(p->general, c, ROOM);
  bool self = false, ground = false;
  for (int i = 0; i < n; i++) {
    self |= pushes(&c[i]) && c[i].other_link >= 0;
    ground |= pushes(&c[i]) && c[i].other_link < 0 && is_other(p->f, &c[i]);
    if (pushes(&c[i]) && how.alone == 0) {
      check_found(p, &from, &c[i], s);
    }
  }
  s->steps++, s->alone += how.alone, s->self += self, s->ground += ground;
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    s->left[i] += how.left[i];
  }
  if (how.alone == 0) {
    const double depth = depth_at(p, pk_batch_view_world(pk_batch_q(p->b), 0));
    s->depth = fmax(s->depth, depth);
    s->start = fmax(s->start, clear ? depth : 0);
  }
  return true;
}

static void begin_pair(pair *p, const fleet *f, pk_batch *b)
{
  pk_error err = {.message = ""};
  const pk_sim_options o = pk_batch_sim_options(b);
  *p = (pair){.f = f, .b = b};
  pk_workspace_create(f->model, &p->w, NULL);
  assert_int_equal(pk_sim_create(f->model, &o, &p->general, &err), PK_OK);
  assert_int_equal(pk_sim_create(f->model, &o, &p->probe, &err), PK_OK);
  assert_int_equal(pk_batch_get(b, 0, p->general, &err), PK_OK);
}

static void end_pair(pair *p)
{
  pk_batch_destroy(p->b);
  pk_sim_destroy(p->general);
  pk_sim_destroy(p->probe);
  pk_workspace_destroy(p->w);
}

static void print_seen(const char *name, const seen *s)
{
  print_message("%s: %lld steps, %lld of links, %lld of other shapes on the ground, %lld excused; depth "
                "%.1e, from clear "
                "starts %.1e; %lld left",
                name, s->steps, s->self, s->ground, s->excused, s->depth, s->start, s->alone);
  for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
    if (s->left[i] > 0) {
      print_message(", %s %lld", pk_lane_exit_name(i), s->left[i]);
    }
  }
  print_message("\n");
}

/* Nothing is left in anything, and what is excused is rare: measured none. */
static void must_be_clear(const char *name, double depth, const seen *s)
{
  assert_at_most(1000 * s->excused, s->steps);
  if (!(depth < 1e-6)) {
    fail_msg("%s: a step on lanes ends %g m deep", name, depth);
  }
}

/* New targets, gains and limits for all joints. */
static void command(const fleet *f, pk_batch *b, pki_random *rng, double reach, double kd)
{
  pk_command *c = (pk_command *)(void *)pk_batch_view_world(pk_batch_commands(b), 0);
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
    {"limp coman", FLEET_COMAN, 0, FLEET_PLANE, FLEET_LIMP, 0.6, PK_STEPPER_MOREAU, 0, 2.5e-3, 150, true},
};

static void touches_are_found_in_the_step_of_the_general_search(void **state)
{
  (void)state;
  long long self = 0, ground = 0;
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    pki_random rng = pki_random_seeded(7 + i);
    fleet f;
    seen s = {0};
    fleet_make(&f, &settings[i]);
    f.options.joint_limits = false; /* so that legs go everywhere */
    pair p;
    begin_pair(&p, &f, fleet_batch(&f, 1, 1, 1));
    for (int k = 0; k < PACE(10, 2); k++) {
      pk_sim_reset(p.general);
      fleet_place(&f, p.general, k);
      pk_sim_q(p.general)[2] += 0.1 * (k % 4); /* some have time before they land */
      assert_int_equal(pk_batch_set(p.b, 0, p.general, NULL), PK_OK);
      for (int step = 0; step < settings[i].steps; step++) {
        if (step % 40 == 0 && settings[i].start != FLEET_LIMP) {
          command(&f, p.b, &rng, 1, 12);
        }
        assert_true(step_both(&p, &s));
      }
    }
    print_seen(settings[i].name, &s);
    if (!PK_TEST_SLOW) {
      assert_greater(s.self, 0);
      assert_greater(s.ground, 0);
    }
    self += s.self, ground += s.ground;
    assert_less(20 * s.alone, s.steps);
    must_be_clear(settings[i].name, s.start, &s);
    end_pair(&p);
    fleet_free(&f);
  }
  assert_greater(self, 0); /* in one setting at least, where fewer worlds run */
  assert_greater(ground, 0);
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
  pk_builder *b;
  pk_builder_create(&b, NULL);
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

/* m, how far the left arm's axis is above the right one's where they cross when seen from above; both are joined to the trunk, so
 * that two angles tell. false: they do not cross. */
static bool arms_apart(const double *q, double *above)
{
  const double left = q[7], right = q[8], t = 0.25 / cos(right), s = (0.3 - t * sin(right)) / cos(left);
  *above = 0.25 - s * sin(left) - 0.15;
  return cos(left) > 0 && s > 0.05 && s < 0.35 && t > 0.05 && t < 0.35;
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
  pair p;
  assert_int_equal(pk_batch_create(arms, &o, &b, &err), PK_OK);
  assert_int_equal(pk_batch_set_terrain(b, f.ground, &f.material, 1, &err), PK_OK);
  begin_pair(&p, &f, b);
  int stopped = 0;
  for (int k = 0; k < PACE(200, 40); k++) {
    double *q = pk_batch_view_world(pk_batch_q(b), 0), *u = pk_batch_view_world(pk_batch_u(b), 0), above;
    pk_batch_reset(b, 0);
    q[2] = 2, q[7] = pki_random_between(&rng, 0.5, 0.9), q[8] = pki_random_between(&rng, -0.1, 0.1);
    u[6] = -pki_random_between(&rng, 1, 40), u[7] = pki_random_between(&rng, -1, 1);
    bool cross = arms_apart(q, &above);
    const bool below = cross && above < 0;
    for (int step = 0; step < flight.steps; step++) {
      double now;
      const double before = above;
      const bool crossed = cross;
      assert_true(step_both(&p, &s));
      cross = arms_apart(q, &now);
      if (cross && crossed && (now > 0) != (before > 0)) {
        fail_msg("start %d, step %d: the arms passed through each other, %g m before, %g m after", k, step,
                 before, now);
      }
      above = now;
    }
    stopped += below && cross && above < 0;
  }
  print_seen(flight.name, &s);
  print_message("  %d arms were stopped\n", stopped);
  assert_greater(s.self, 0);
  assert_less(2 * s.alone, s.steps);
  assert_greater(stopped, 0);
  assert_int_equal(s.left[PK_LANE_EXIT_FAST], s.alone);
  must_be_clear(flight.name, s.start, &s);
  end_pair(&p);
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
  pk_terrain *ground;
  pk_terrain_create(&ground, NULL);
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
      sims[1]->single.stale = true;
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
  pair p;
  begin_pair(&p, &f, fleet_batch(&f, 1, 1, 1));
  for (int k = 0; k < PACE(2000, 200); k++) {
    double *q = pk_batch_view_world(pk_batch_q(p.b), 0), *u = pk_batch_view_world(pk_batch_u(p.b), 0);
    pk_sim_reset(p.general);
    fleet_place(&f, p.general, k);
    memcpy(q, pk_sim_q(p.general), 19 * sizeof *q);
    memset(u, 0, 18 * sizeof *u);
    q[2] = 1;
    for (int j = 7; j < 19; j++) { /* a leg's first joint as far as it goes, both ways */
      q[j] += pki_random_between(&rng, -1, 1);
    }
    assert_true(step_both(&p, &s));
  }
  print_seen("jumps", &s);
  assert_greater(s.self, 0);
  assert_less(20 * s.alone, s.steps);
  must_be_clear("jumps", s.start, &s);
  assert_at_most(s.depth, PKI_DEEP); /* of starts in which links are in each other */
  end_pair(&p);
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
