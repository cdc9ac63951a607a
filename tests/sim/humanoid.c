/* A humanoid of 29 joints whose links collide by hulls of meshes: who of its links collide, and standing with self-collision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collision/meshes.h"
#include "pronk/collision.h"
#include "support/bounds.h"
#include "support/world.h"

/* ---- the robot ---- */

/* A link: what it hangs on, where and by which axis, its range, its mass, and the middle and half axes of its rounded body. */
typedef struct part {
  const char *name, *parent;
  double at[3];
  char axis;
  double lower, upper, mass, middle[3], half[3];
} part;

/* One side of the body; y of the right side is mirrored. */
static const part limbs[] = {
    {"hip_pitch", "pelvis", {0, 0.07, -0.08}, 'y', -2.5, 2.8, 1.4, {0, 0.02, -0.01}, {0.05, 0.05, 0.06}},
    {"hip_roll", "hip_pitch", {0, 0.03, -0.03}, 'x', -0.5, 2.9, 1.5, {0, 0, -0.02}, {0.06, 0.06, 0.07}},
    {"hip_yaw", "hip_roll", {0, 0, -0.10}, 'z', -2.7, 2.7, 1.7, {0, 0, -0.04}, {0.06, 0.06, 0.13}},
    {"knee", "hip_yaw", {0, 0, -0.17}, 'y', -0.09, 2.8, 1.9, {0, 0, -0.13}, {0.05, 0.045, 0.16}},
    {"ankle_pitch", "knee", {0, 0, -0.30}, 'y', -0.87, 0.52, 0.1, {0, 0, 0}, {0.03, 0.03, 0.03}},
    {"foot", "ankle_pitch", {0, 0, -0.02}, 'x', -0.26, 0.26, 0.6, {0.03, 0, -0.02}, {0.12, 0.04, 0.02}},
    {"shoulder_pitch", "torso", {0, 0.12, 0.25}, 'y', -3, 2.6, 0.7, {0, 0.03, 0}, {0.045, 0.05, 0.045}},
    {"shoulder_roll",
     "shoulder_pitch",
     {0, 0.05, 0},
     'x',
     -1.5,
     2.2,
     0.6,
     {0, 0.01, -0.03},
     {0.04, 0.04, 0.06}},
    {"shoulder_yaw",
     "shoulder_roll",
     {0, 0.01, -0.09},
     'z',
     -2.6,
     2.6,
     0.7,
     {0, 0, -0.04},
     {0.04, 0.04, 0.07}},
    {"elbow", "shoulder_yaw", {0, 0, -0.10}, 'y', -2.1, 1.0, 0.6, {0, 0, -0.04}, {0.035, 0.035, 0.06}},
    {"wrist_roll", "elbow", {0, 0, -0.10}, 'z', -1.9, 1.9, 0.1, {0, 0, -0.01}, {0.03, 0.03, 0.04}},
    {"wrist_pitch", "wrist_roll", {0, 0, -0.04}, 'y', -1.6, 1.6, 0.3, {0, 0, 0}, {0.03, 0.03, 0.04}},
    {"hand", "wrist_pitch", {0, 0, -0.05}, 'x', -1.6, 1.6, 0.3, {0, 0, -0.04}, {0.03, 0.025, 0.06}},
};

static const part trunk[] = {
    {"pelvis", NULL, {0, 0, 0}, 0, 0, 0, 3.8, {0, 0, -0.03}, {0.07, 0.09, 0.07}},
    {"waist_yaw", "pelvis", {0, 0, 0.03}, 'z', -2.6, 2.6, 0.3, {0, 0, 0}, {0.04, 0.04, 0.03}},
    {"waist_roll", "waist_yaw", {0, 0, 0.02}, 'x', -0.5, 0.5, 0.1, {0, 0, 0}, {0.04, 0.04, 0.03}},
    {"torso", "waist_roll", {0, 0, 0.02}, 'y', -0.5, 0.5, 9.6, {0, 0, 0.14}, {0.08, 0.11, 0.19}},
};

/* A body with rounded edges, |x/a|^4 + |y/b|^4 + |z/c|^4 = 1, with thousands of vertices. */
static mesh rounded_body(const double middle[3], const double half[3], double side)
{
  mesh m = mesh_ball(1, 48, 32);
  for (int i = 0; i < m.nvertex; i++) {
    double *x = m.vertex + 3 * i;
    const double norm = pow(pow(x[0], 4) + pow(x[1], 4) + pow(x[2], 4), 0.25);
    for (int k = 0; k < 3; k++) {
      x[k] = (k == 1 ? side : 1) * middle[k] + half[k] * x[k] / norm;
    }
  }
  return m;
}

static void add_body(pk_builder *b, const part *p, const char *name, double side)
{
  pk_error err = {.message = ""};
  mesh m = strstr(name, "foot") != NULL
               ? mesh_box(p->half[0], p->half[1], p->half[2], p->middle[0], side * p->middle[1], p->middle[2])
               : rounded_body(p->middle, p->half, side);
  const pk_mesh view = mesh_view(&m);
  pk_convex_parts *hull = NULL;
  pk_link_desc link = {.name = name, .inertia = {.mass = p->mass}};
  for (int k = 0; k < 3; k++) {
    const double y = p->half[(k + 1) % 3], z = p->half[(k + 2) % 3];
    link.inertia.com[k] = (k == 1 ? side : 1) * p->middle[k];
    link.inertia.moment[k == 0 ? 0 : k == 1 ? 3 : 5] = p->mass * (y * y + z * z) / 4;
  }
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  assert_int_equal(pk_mesh_convex_parts(&view, NULL, &hull, &err), PK_OK);
  assert_at_most(hull->parts[0].nvertex, 128);
  const pk_shape_desc shape = {
      .link = name, .kind = PK_SHAPE_CONVEX, .pose = pk_pose_identity(), .mesh = &hull->parts[0]};
  assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
  pk_convex_parts_destroy(hull);
  mesh_free(&m);
}

static void add_joint(pk_builder *b, const part *p, const char *name, const char *parent, double side)
{
  pk_error err = {.message = ""};
  char joint[64];
  snprintf(joint, sizeof joint, "%s_joint", name);
  pk_joint_desc j = pk_joint_desc_default();
  j.name = joint, j.kind = PK_JOINT_REVOLUTE, j.parent = parent, j.child = name;
  for (int k = 0; k < 3; k++) {
    j.origin.pos[k] = (k == 1 ? side : 1) * p->at[k];
    j.axis[k] = p->axis == "xyz"[k];
  }
  const bool turned = side < 0 && p->axis != 'y'; /* mirrored ranges */
  j.lower = turned ? -p->upper : p->lower, j.upper = turned ? -p->lower : p->upper;
  j.armature = 0.01;
  assert_int_equal(pk_builder_add_joint(b, &j, &err), PK_OK);
}

static pk_model *humanoid(void)
{
  pk_builder *b;
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_builder_create(&b, &err);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  pk_builder_add_robot(b, &robot, &err);
  for (size_t i = 0; i < sizeof trunk / sizeof *trunk; i++) {
    add_body(b, &trunk[i], trunk[i].name, 1);
    if (trunk[i].parent != NULL) {
      add_joint(b, &trunk[i], trunk[i].name, trunk[i].parent, 1);
    }
  }
  for (int side = 1; side >= -1; side -= 2) {
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
      char name[64], parent[64];
      const bool on_trunk = strcmp(limbs[i].parent, "pelvis") == 0 || strcmp(limbs[i].parent, "torso") == 0;
      snprintf(name, sizeof name, "%s_%s", side > 0 ? "left" : "right", limbs[i].name);
      snprintf(parent, sizeof parent, "%s%s", on_trunk ? "" : side > 0 ? "left_" : "right_", limbs[i].parent);
      add_body(b, &limbs[i], name, side);
      add_joint(b, &limbs[i], name, parent, side);
    }
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  assert_int_equal(m->njoint, 29);
  return m;
}

static int link_of(const pk_model *m, const char *name)
{
  const int link = pk_model_find_link(m, name);
  assert_at_least(link, 0);
  return link;
}

/* Why two links do not collide; -1: they do. */
static int reason_of(pk_sim *sim, const char *a, const char *b)
{
  enum { MOST = 512 };
  static pk_sim_exclusion all[MOST];
  const pk_model *m = pk_sim_model(sim);
  const int one = link_of(m, a), two = link_of(m, b), count = pk_sim_exclusions(sim, all, MOST);
  assert_at_most(count, MOST);
  for (int i = 0; i < count; i++) {
    const int *link = all[i].link;
    assert_less(link[0], link[1]);
    if ((link[0] == one && link[1] == two) || (link[0] == two && link[1] == one)) {
      return (int)all[i].reason;
    }
  }
  return -1;
}

static int q_of(const pk_model *m, const char *joint)
{
  const int j = pk_model_find_joint(m, joint);
  assert_at_least(j, 0);
  return m->joints[j].q;
}

/* All joints hold where they are. */
static void hold(pk_sim *sim, double kp, double kd)
{
  const pk_model *m = pk_sim_model(sim);
  for (int j = 0; j < m->njoint; j++) {
    pk_sim_commands(sim)[m->joints[j].u] =
        (pk_command){.q_des = pk_sim_q(sim)[m->joints[j].q], .kp = kp, .kd = kd};
  }
}

/* ---- who collides ---- */

static void links_that_overlap_by_design_are_left_out_and_others_are_not(void **state)
{
  (void)state;
  pk_model *m = humanoid();
  pk_sim *sim = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_sim_create(m, NULL, &sim, &err), PK_OK);
  assert_int_equal(reason_of(sim, "left_hip_roll", "left_hip_pitch"), PK_EXCLUSION_REASON_JOINED);
  /* the stacks of hip, waist and shoulder, over two joints and three */
  assert_int_equal(reason_of(sim, "pelvis", "left_hip_roll"), PK_EXCLUSION_REASON_NEUTRAL);
  assert_int_equal(reason_of(sim, "pelvis", "waist_roll"), PK_EXCLUSION_REASON_NEUTRAL);
  assert_int_equal(reason_of(sim, "pelvis", "torso"), PK_EXCLUSION_REASON_NEUTRAL);
  assert_int_equal(reason_of(sim, "right_hip_pitch", "right_hip_yaw"), PK_EXCLUSION_REASON_NEUTRAL);
  /* what can meet and can be apart */
  assert_int_equal(reason_of(sim, "left_hand", "left_hip_yaw"), -1);
  assert_int_equal(reason_of(sim, "left_hand", "right_hand"), -1);
  assert_int_equal(reason_of(sim, "left_knee", "right_knee"), -1);
  assert_int_equal(reason_of(sim, "left_foot", "right_foot"), -1);
  /* a pair is brought back by name, and left out by name */
  assert_int_equal(pk_sim_set_collision(sim, link_of(m, "pelvis"), link_of(m, "torso"), true, &err), PK_OK);
  assert_int_equal(reason_of(sim, "pelvis", "torso"), -1);
  assert_int_equal(pk_sim_set_collision(sim, link_of(m, "left_hand"), link_of(m, "right_hand"), false, &err),
                   PK_OK);
  assert_int_equal(reason_of(sim, "left_hand", "right_hand"), PK_EXCLUSION_REASON_NAMED);
  pk_sim_destroy(sim);
  pk_model_destroy(m);
}

/* Hulls of boxes on a hinge: a, massive; b, without a shape; c, which reaches from x = 0.2 to 1 and is turned by q. */
static pk_model *lever(double wall, double lower, double upper)
{
  pk_builder *b;
  pk_error err = {.message = ""};
  pk_model *m = NULL;
  pk_builder_create(&b, &err);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  pk_builder_add_robot(b, &robot, &err);
  mesh box[2] = {mesh_box(0.4, 1, 0.1, 0.6, wall + 1, 0), mesh_box(0.4, 0.05, 0.1, 0.6, 0, 0)};
  static const char *const names[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    const pk_link_desc link = {.name = names[i], .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    if (i != 1) {
      const pk_mesh view = mesh_view(&box[i / 2]);
      const pk_shape_desc shape = {
          .link = names[i], .kind = PK_SHAPE_CONVEX, .pose = pk_pose_identity(), .mesh = &view};
      assert_int_equal(pk_builder_add_shape(b, &shape, &err), PK_OK);
    }
    if (i > 0) {
      pk_joint_desc j = pk_joint_desc_default();
      j.name = i == 1 ? "ab" : "bc", j.parent = names[i - 1], j.child = names[i];
      j.kind = PK_JOINT_REVOLUTE;
      j.axis[0] = 0, j.axis[2] = 1;
      j.lower = i == 1 ? -0.001 : lower, j.upper = i == 1 ? 0.001 : upper;
      assert_int_equal(pk_builder_add_joint(b, &j, &err), PK_OK);
    }
  }
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  mesh_free(&box[0]), mesh_free(&box[1]);
  return m;
}

/* At q = 0 c is 5 mm clear of the wall of a, and from 0.005 rad on in it. */
static void links_that_overlap_in_nearly_all_poses_are_left_out(void **state)
{
  (void)state;
  static const struct {
    double lower, upper;
    int reason;
  } cases[] = {{0, 1, PK_EXCLUSION_REASON_ALWAYS}, /* apart in 0.5 % of its range */
               {-0.5, 0.5, -1},                    /* in half of it */
               {-0.1, 0.9, -1}};                   /* in a tenth of it */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pk_model *m = lever(0.055, cases[i].lower, cases[i].upper);
    pk_sim *sim = NULL;
    assert_int_equal(pk_sim_create(m, NULL, &sim, NULL), PK_OK);
    assert_int_equal(reason_of(sim, "a", "c"), cases[i].reason);
    assert_near(pk_sim_q(sim)[7], 0, 0); /* looking leaves no trace */
    pk_sim_destroy(sim);
    pk_model_destroy(m);
  }
}

/* ---- motion ---- */

static bool do_touch(pk_sim *sim, int a, int b)
{
  pk_sim_contact all[256];
  const int count = pk_sim_contacts(sim, all, 256);
  for (int i = 0; i < count && i < 256; i++) {
    if ((all[i].link == a && all[i].other_link == b) || (all[i].link == b && all[i].other_link == a)) {
      return true;
    }
  }
  return false;
}

/* In the air, a thigh lifted, an arm is moved down by its shoulder until the hand lies on the thigh; where the shoulder ends, and
 * whether they touched. */
static double press_on_thigh(const pk_model *m, bool self_collision, bool *touched)
{
  pk_sim *sim = NULL;
  pk_sim_options o = pk_sim_options_default();
  o.self_collision = self_collision;
  assert_int_equal(pk_sim_create(m, &o, &sim, NULL), PK_OK);
  double *q = pk_sim_q(sim);
  q[2] = 5;
  q[q_of(m, "left_hip_pitch_joint")] = -1.4;
  q[q_of(m, "left_knee_joint")] = 1.4;
  q[q_of(m, "left_shoulder_pitch_joint")] = -1.0;
  q[q_of(m, "left_shoulder_roll_joint")] = -0.18;            /* over the thigh, not beside it */
  assert_at_least(pk_sim_release_overlaps(sim, NULL, 0), 0); /* the thigh and the pelvis above it */
  hold(sim, 200, 5);
  pk_command *command =
      &pk_sim_commands(sim)[m->joints[pk_model_find_joint(m, "left_shoulder_pitch_joint")].u];
  *touched = false;
  for (int i = 0; i < 600; i++) {
    command->q_des = -1.0 + 1.0 * i / 600;
    must_step(sim);
    *touched |= do_touch(sim, link_of(m, "left_hand"), link_of(m, "left_hip_yaw")) ||
                do_touch(sim, link_of(m, "left_hand"), link_of(m, "left_knee"));
  }
  const double end = q[q_of(m, "left_shoulder_pitch_joint")];
  pk_sim_destroy(sim);
  return end;
}

static void a_hand_that_reaches_a_thigh_stops_there(void **state)
{
  (void)state;
  pk_model *m = humanoid();
  bool touched, through;
  const double on = press_on_thigh(m, true, &touched), off = press_on_thigh(m, false, &through);
  assert_true(touched);
  assert_false(through);
  assert_less(on, off - 0.02);
  pk_model_destroy(m);
}

static void it_stands_for_three_seconds_certified(void **state)
{
  (void)state;
  pk_model *m = humanoid();
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  pk_sim *sim = start_world(m, t, (pk_material){.friction = 0.8}, &o);
  double *q = pk_sim_q(sim);
  q[2] = 0.742; /* a hair above the ground */
  hold(sim, 400, 10);
  for (int i = 0; i < 3000; i++) {
    must_step(sim);
  }
  assert_int_equal(pk_sim_uncertified(sim), 0);
  assert_greater(q[2], 0.70);
  assert_greater(q[3] * q[3], 0.98); /* upright */
  assert_at_least(pk_sim_contacts(sim, NULL, 0), 3);
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_that_overlap_by_design_are_left_out_and_others_are_not),
      cmocka_unit_test(links_that_overlap_in_nearly_all_poses_are_left_out),
      cmocka_unit_test(a_hand_that_reaches_a_thigh_stops_there),
      cmocka_unit_test(it_stands_for_three_seconds_certified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
