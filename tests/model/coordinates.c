/* What a model numbers and names: robots in one world, order, coordinates, followers, the hash. */
#include "model/pose_help.h"
#include "support/bounds.h"
#include "support/random_tree.h"

/* ---- several robots ---- */

static void robots_share_a_world_in_ranges_of_their_own(void **state)
{
  (void)state;
  world w = {.parts = {three_links(), three_links(), three_links()}, .nparts = 3, .gravity = {0, 0, -9.81}};
  static const char *const prefixes[3] = {"left/", NULL, "right/"}, *const names[3] = {"l", "m", "n"};
  static const pk_root_kind roots[3] = {PK_ROOT_FREE, PK_ROOT_FIXED, PK_ROOT_CHAIN};
  for (int r = 0; r < 3; r++) {
    w.parts[r].robot.prefix = prefixes[r], w.parts[r].robot.name = names[r], w.parts[r].robot.root = roots[r];
    w.parts[r].links[2].inertia.mass = r + 1;
  }
  w.parts[1].robot.file = NULL;
  pk_model *m = compile(&w);
  static const int body[3] = {0, 3, 5}, nbody[3] = {3, 2, 8}, q[3] = {0, 9, 11}, nq[3] = {9, 2, 8};
  static const int u[3] = {0, 8, 10}, nu[3] = {8, 2, 8};
  static const double mass[3] = {3, 3, 5};
  assert_int_equal(m->nrobot, 3);
  assert_int_equal(m->nlink, 9);
  assert_int_equal(m->njoint, 6);
  for (int r = 0; r < 3; r++) {
    const pk_model_robot *robot = &m->robots[r];
    assert_string_equal(robot->name, names[r]);
    assert_string_equal(robot->file, r == 1 ? "" : "r.urdf");
    assert_int_equal(robot->root, roots[r]);
    assert_int_equal(robot->root_link, 3 * r);
    assert_int_equal(robot->body, body[r]);
    assert_int_equal(robot->nbody, nbody[r]);
    assert_int_equal(robot->q, q[r]);
    assert_int_equal(robot->nq, nq[r]);
    assert_int_equal(robot->u, u[r]);
    assert_int_equal(robot->nu, nu[r]);
    assert_near(robot->mass, mass[r], 0);
    for (int i = body[r]; i < body[r] + nbody[r]; i++) {
      const int parent = m->body_parent[i];
      assert_true(parent == -1 ? i == body[r] : parent >= body[r] && parent < i);
    }
    for (int i = 0; i < 3; i++) {
      assert_int_equal(m->links[3 * r + i].robot, r);
    }
    assert_int_equal(m->joints[2 * r].robot, r);
    assert_int_equal(m->joints[2 * r].q, q[r] + nq[r] - 2);
  }
  assert_near(m->mass, 11, 0);
  assert_int_equal(pk_model_find_link(m, "left/b"), 1);
  assert_int_equal(pk_model_find_link(m, "b"), 4);
  assert_int_equal(pk_model_find_link(m, "right/c"), 8);
  assert_int_equal(pk_model_find_joint(m, "left/k"), 1);
  assert_int_equal(pk_model_find_joint(m, "right/k"), 5);
  assert_int_equal(pk_model_find_link(m, "left/"), -1);
  assert_int_equal(pk_model_find_link(m, "j"), -1);
  assert_int_equal(pk_model_find_joint(m, "b"), -1);
  assert_int_equal(pk_model_find_joint(m, ""), -1);
  pk_model_destroy(m);
}

/* ---- order ---- */

static void bodies_come_depth_first_in_the_order_of_description(void **state)
{
  (void)state;
  /*        a
   *      / | \
   *     d  b  e      joints described: a-d, c-f, a-b, b-c, a-e
   *        c
   *        f          */
  world w = one_robot();
  part *p = &w.parts[0];
  p->nlink = p->njoint = 0;
  static const char *const names[6] = {"f", "e", "d", "c", "b", "a"};
  for (int i = 0; i < 6; i++) {
    add_link(p, names[i]);
  }
  add_joint(p, "ad", PK_JOINT_CONTINUOUS, "a", "d");
  add_joint(p, "cf", PK_JOINT_CONTINUOUS, "c", "f");
  add_joint(p, "ab", PK_JOINT_CONTINUOUS, "a", "b");
  add_joint(p, "bc", PK_JOINT_CONTINUOUS, "b", "c");
  add_joint(p, "ae", PK_JOINT_CONTINUOUS, "a", "e");
  pk_model *m = compile(&w);
  static const char *const order[6] = {"a", "d", "b", "c", "f", "e"};
  static const int parents[6] = {-1, 0, 0, 2, 3, 0};
  for (int i = 0; i < 6; i++) {
    assert_string_equal(m->links[m->body_link[i]].name, order[i]);
    assert_int_equal(m->body_parent[i], parents[i]);
    assert_int_equal(m->body_u[i], i == 0 ? 0 : 5 + i);
    assert_int_equal(m->body_q[i], i == 0 ? 0 : 6 + i);
  }
  /* links and joints keep the order of description */
  assert_string_equal(m->links[0].name, "f");
  assert_string_equal(m->joints[1].name, "cf");
  assert_int_equal(m->joints[1].body, 4);
  assert_int_equal(m->joints[1].u, 9);
  assert_int_equal(m->joints[1].q, 10);
  assert_int_equal(m->dof_joint[9], 1);
  pk_model_destroy(m);
}

static void every_subtree_is_a_contiguous_range(void **state)
{
  (void)state;
  pki_random rng = pki_random_seeded(11);
  for (int round = 0; round < 200; round++) {
    const random_tree_options options = {
        .links = 1 + round % 30, .mimic = round % 2, .root = (pk_root_kind)(1 + round % 3)};
    pk_model *m = random_tree(&rng, &options);
    for (int i = 0; i < m->nbody; i++) {
      assert_less(m->body_parent[i], i);
      /* descendants follow without a gap */
      int ended = 0;
      for (int k = i + 1; k < m->nbody; k++) {
        int at = k;
        while (at > i) {
          at = m->body_parent[at];
        }
        assert_false(ended && at == i);
        ended |= at != i;
      }
    }
    pk_model_destroy(m);
  }
}

/* ---- coordinates ---- */

static void joint_numbers_stand_on_their_velocities(void **state)
{
  (void)state;
  world w = one_robot();
  part *p = &w.parts[0];
  pk_joint_desc *j = &p->joints[0], *k = &p->joints[1];
  p->robot.root = PK_ROOT_FREE;
  j->kind = PK_JOINT_REVOLUTE, j->lower = -1, j->upper = 2, j->velocity = 3, j->effort = 4;
  j->damping = 5, j->friction = 6, j->armature = 7;
  k->kind = PK_JOINT_PLANAR, k->lower = -8, k->upper = 9, k->velocity = 10, k->damping = 11;
  pk_model *m = compile(&w);
  assert_int_equal(m->nu, 10);
  for (int u = 0; u < 10; u++) {
    const bool root = u < 6, hinge = u == 6;
    assert_true(m->dof_lower[u] == (hinge ? -1 : -INFINITY)); /* limits are for one-axis joints */
    assert_true(m->dof_upper[u] == (hinge ? 2 : INFINITY));
    assert_true(m->dof_velocity[u] == (root ? INFINITY : hinge ? 3 : 10));
    assert_true(m->dof_effort[u] == (hinge ? 4 : INFINITY));
    assert_true(m->dof_damping[u] == (root ? 0 : hinge ? 5 : 11));
    assert_true(m->dof_friction[u] == (hinge ? 6 : 0));
    assert_true(m->dof_armature[u] == (hinge ? 7 : 0));
  }
  assert_true(m->joints[0].lower == -1 && m->joints[0].armature == 7);
  pk_model_destroy(m);
}

static void continuous_joints_have_no_limits(void **state)
{
  (void)state;
  world w = one_robot();
  w.parts[0].joints[0].lower = 0.5, w.parts[0].joints[0].upper = 1;
  pk_model *m = compile(&w);
  assert_true(m->dof_lower[6] == -INFINITY && m->dof_upper[6] == INFINITY && m->q0[7] == 0);
  pk_model_destroy(m);
}

static void the_start_lies_within_the_limits(void **state)
{
  (void)state;
  static const double cases[][3] = {{-1, 1, 0}, {0.5, 1, 0.5},       {-2, -0.25, -0.25},
                                    {0, 0, 0},  {-INFINITY, -3, -3}, {4, INFINITY, 4}};
  for (int i = 0; i < 6; i++) {
    world w = one_robot();
    pk_joint_desc *j = &w.parts[0].joints[0];
    j->kind = i % 2 ? PK_JOINT_PRISMATIC : PK_JOINT_REVOLUTE, j->lower = cases[i][0], j->upper = cases[i][1];
    pk_model *m = compile(&w);
    assert_true(m->q0[7] == cases[i][2]);
    pk_model_destroy(m);
  }
}

/* k = -2 j + 0.5, l = 3 k - 1 = -6 j + 0.5 */
static world followers(void)
{
  world w = one_robot();
  part *p = &w.parts[0];
  add_link(p, "d");
  pk_joint_desc *l = add_joint(p, "l", PK_JOINT_REVOLUTE, "a", "d");
  p->robot.root = PK_ROOT_FIXED;
  p->joints[0].kind = PK_JOINT_REVOLUTE;
  p->joints[1].kind = PK_JOINT_REVOLUTE;
  p->joints[1].mimic = "j", p->joints[1].mimic_multiplier = -2, p->joints[1].mimic_offset = 0.5;
  l->mimic = "k", l->mimic_multiplier = 3, l->mimic_offset = -1;
  l->axis[0] = -1;
  return w;
}

static void followers_move_with_their_leader(void **state)
{
  (void)state;
  const world w = followers();
  pk_model *m = compile(&w);
  assert_true(m->has_mimic);
  assert_int_equal(m->nq, 1);
  assert_int_equal(m->nu, 1);
  assert_int_equal(m->nbody, 3);
  assert_int_equal(m->joints[0].leader, -1);
  for (int i = 1; i < 3; i++) {
    assert_int_equal(m->joints[i].leader, 0); /* the one that has a coordinate */
    assert_int_equal(m->joints[i].q, 0);
    assert_int_equal(m->joints[i].u, 0);
    assert_near(m->joints[i].multiplier, i == 1 ? -2 : -6, 0);
    assert_near(m->joints[i].offset, 0.5, 1e-15);
  }
  assert_near(m->body_gain[2], 6, 0); /* its axis is negative */
  assert_near(m->body_offset[2], -0.5, 1e-15);
  const double q = 0.3, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  const pk_joint_desc *joints = w.parts[0].joints;
  const pk_pose b = compose(joints[0].origin, turned(x, q));
  assert_pose(pose_at(m, &q, "b"), b);
  assert_pose(pose_at(m, &q, "c"), compose(b, compose(joints[1].origin, turned(y, -2 * q + 0.5))));
  assert_pose(pose_at(m, &q, "d"), compose(joints[2].origin, turned(x, 6 * q - 0.5)));
  pk_model_destroy(m);
}

static void followers_add_to_their_leaders_numbers(void **state)
{
  (void)state;
  world w = followers();
  pk_joint_desc *j = w.parts[0].joints, *k = j + 1, *l = j + 2;
  j->lower = -1, j->upper = 2;
  k->lower = -1.5, k->upper = 1.5; /* j in [-0.5, 1] */
  l->lower = -4.3, l->upper = 100; /* j in [-16.6, 0.8] */
  j->velocity = 9, k->velocity = 10, l->velocity = 36;
  j->effort = 3, k->effort = 1;
  j->damping = 1, k->damping = 2, l->damping = 3;
  j->friction = 1, k->friction = 2, l->friction = 3;
  j->armature = 1, k->armature = 2, l->armature = 3;
  pk_model *m = compile(&w);
  assert_near(m->dof_lower[0], -0.5, 1e-15);
  assert_near(m->dof_upper[0], 0.8, 1e-15);
  assert_near(m->dof_velocity[0], 5, 1e-15);
  assert_near(m->dof_effort[0], 3, 0); /* a motor drives the leader */
  assert_near(m->dof_damping[0], 1 + 4 * 2 + 36 * 3, 0);
  assert_near(m->dof_friction[0], 1 + 2 * 2 + 6 * 3, 0);
  assert_near(m->dof_armature[0], 1 + 4 * 2 + 36 * 3, 0);
  assert_int_equal(m->dof_joint[0], 0);
  assert_int_equal(m->dof_q[0], 0);
  pk_model_destroy(m);
  /* the start pleases the followers too */
  k->lower = -1.5, k->upper = -0.5; /* j in [0.5, 1] */
  m = compile(&w);
  assert_near(m->q0[0], 0.5, 1e-15);
  pk_model_destroy(m);
}

/* The first body of a robot may follow the last one: its range begins at the first coordinate. */
static void a_follower_may_come_before_its_leader(void **state)
{
  (void)state;
  world w = {.parts = {three_links(), three_links()}, .nparts = 2};
  part *p = &w.parts[1];
  p->robot.prefix = "x_", p->robot.root = PK_ROOT_FIXED;
  add_link(p, "d");
  add_joint(p, "l", PK_JOINT_CONTINUOUS, "c", "d");
  p->joints[0].mimic = "l";
  pk_model *m = compile(&w);
  assert_int_equal(m->body_q[3], 10); /* j, with l's coordinate */
  assert_int_equal(m->body_q[4], 9);  /* k */
  assert_int_equal(m->body_q[5], 10); /* l */
  assert_int_equal(m->joints[2].leader, 4);
  assert_int_equal(m->robots[1].body, 3);
  assert_int_equal(m->robots[1].nbody, 3);
  assert_int_equal(m->robots[1].q, 9);
  assert_int_equal(m->robots[1].nq, 2);
  assert_int_equal(m->robots[1].u, 8);
  assert_int_equal(m->robots[1].nu, 2);
  pk_model_destroy(m);
}

static void a_follower_may_stand_still(void **state)
{
  (void)state;
  world w = followers();
  w.parts[0].joints[2].mimic_multiplier = 0, w.parts[0].joints[2].mimic_offset = 0.25;
  w.parts[0].joints[2].velocity = 0, w.parts[0].joints[2].damping = 1;
  pk_model *m = compile(&w);
  assert_true(m->dof_velocity[0] == INFINITY && m->dof_damping[0] == 0);
  const double q = 1, x[3] = {-1, 0, 0};
  assert_pose(pose_at(m, &q, "d"), compose(w.parts[0].joints[2].origin, turned(x, 0.25)));
  pk_model_destroy(m);
}

/* ---- identity ---- */

static unsigned long long hash_of(const world *w)
{
  pk_model *m = compile(w);
  const unsigned long long hash = pk_model_hash(m);
  pk_model_destroy(m);
  return hash;
}

/* A world in which everything has a value that is not zero, so that everything can change. */
static world full_world(void)
{
  pki_random rng = pki_random_seeded(12);
  world w = followers();
  pk_joint_desc *j = w.parts[0].joints;
  j->lower = -1, j->upper = 2, j->velocity = 3, j->effort = 4, j->damping = 5, j->friction = 6,
  j->armature = 7;
  j->origin = some_pose(&rng);
  w.parts[0].robot.pose = some_pose(&rng);
  w.parts[0].shapes[w.parts[0].nshape++] = (pk_shape_desc){
      .link = "b", .name = "ball", .kind = PK_SHAPE_SPHERE, .size = {1}, .pose = pk_pose_identity()};
  return w;
}

static void the_hash_sees_every_number_of_the_dynamics(void **state)
{
  (void)state;
  const world original = full_world();
  const unsigned long long hash = hash_of(&original);
  assert_true(hash == hash_of(&original));
  world w = original;
  part *p = &w.parts[0];
  pk_joint_desc *j = p->joints, *k = j + 1;
  double *const numbers[] = {&w.gravity[0],
                             &w.gravity[1],
                             &w.gravity[2],
                             &p->links[1].inertia.mass,
                             &p->links[1].inertia.com[0],
                             &p->links[1].inertia.com[1],
                             &p->links[1].inertia.com[2],
                             &p->links[1].inertia.moment[0],
                             &p->links[1].inertia.moment[1],
                             &p->links[1].inertia.moment[2],
                             &p->links[1].inertia.moment[3],
                             &p->links[1].inertia.moment[4],
                             &p->links[1].inertia.moment[5],
                             &p->robot.pose.pos[1],
                             &j->origin.pos[2],
                             &j->axis[1],
                             &j->lower,
                             &j->upper,
                             &j->velocity,
                             &j->effort,
                             &j->damping,
                             &j->friction,
                             &j->armature,
                             &k->mimic_multiplier,
                             &k->mimic_offset,
                             &k->damping};
  unsigned long long seen[sizeof numbers / sizeof numbers[0]];
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    const double before = *numbers[i];
    *numbers[i] += 1e-9;
    seen[i] = hash_of(&w);
    *numbers[i] = before;
    assert_true(seen[i] != hash);
    for (size_t e = 0; e < i; e++) {
      assert_true(seen[e] != seen[i]);
    }
  }
  assert_true(hash_of(&w) == hash);
  const double x[3] = {1, 0, 0};
  j->origin = compose(j->origin, turned(x, 1e-9));
  assert_true(hash_of(&w) != hash);
  w = original, j->kind = PK_JOINT_PRISMATIC;
  assert_true(hash_of(&w) != hash);
  w = original, p->robot.root = PK_ROOT_FREE;
  assert_true(hash_of(&w) != hash);
}

static void the_hash_does_not_see_names_and_colours(void **state)
{
  (void)state;
  const world original = full_world();
  const unsigned long long hash = hash_of(&original);
  world w = original;
  part *p = &w.parts[0];
  p->robot.name = "other", p->robot.file = "other.urdf", p->robot.prefix = "other_";
  assert_true(hash_of(&w) == hash);
  w = original;
  p->links[2].name = p->joints[1].child = "renamed", p->joints[1].name = p->joints[2].mimic = "hinge";
  p->links[1].line = p->joints[1].line = 1000;
  assert_true(hash_of(&w) == hash);
  w = original;
  p->shapes[0].rgba[1] = 0.5, p->shapes[0].name = "sphere", p->shapes[0].visual = true;
  assert_true(hash_of(&w) == hash);
  p->nshape = 0;
  assert_true(hash_of(&w) == hash);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_share_a_world_in_ranges_of_their_own),
      cmocka_unit_test(bodies_come_depth_first_in_the_order_of_description),
      cmocka_unit_test(every_subtree_is_a_contiguous_range),
      cmocka_unit_test(joint_numbers_stand_on_their_velocities),
      cmocka_unit_test(continuous_joints_have_no_limits),
      cmocka_unit_test(the_start_lies_within_the_limits),
      cmocka_unit_test(followers_move_with_their_leader),
      cmocka_unit_test(followers_add_to_their_leaders_numbers),
      cmocka_unit_test(a_follower_may_come_before_its_leader),
      cmocka_unit_test(a_follower_may_stand_still),
      cmocka_unit_test(the_hash_sees_every_number_of_the_dynamics),
      cmocka_unit_test(the_hash_does_not_see_names_and_colours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
