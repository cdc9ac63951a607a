/* The robots in models/: what their READMEs promise is what the loader finds. Poses are
 * found by walking the bodies here, so that nothing but the model itself is on trial. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/dynamics.h"
#include "pronk/model.h"
#include "support/bounds.h"

static const double PI = 3.14159265358979323846;

static pk_model *load(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  pk_model *model = NULL;
  pk_error err = {0};
  const pk_status status = pk_model_load_urdf(path, NULL, &model, &err);
  if (status != PK_OK) {
    fail_msg("%s:%d: %s", path, err.line, err.message);
  }
  assert_non_null(model);
  return model;
}

static int link_of(const pk_model *m, const char *name)
{
  const int link = pk_model_find_link(m, name);
  if (link < 0) {
    fail_msg("there is no link %s", name);
  }
  return link;
}

static const pk_model_joint *joint_of(const pk_model *m, const char *name)
{
  const int joint = pk_model_find_joint(m, name);
  if (joint < 0) {
    fail_msg("there is no joint %s", name);
  }
  return &m->joints[joint];
}

static void assert_joints_in_order(const pk_model *m, const char *const *names, int count)
{
  assert_int_equal(m->njoint, count);
  for (int j = 0; j < count; j++) {
    assert_string_equal(m->joints[j].name, names[j]);
  }
}

static pk_pose compose(const pk_pose *a, const pk_pose *b)
{
  pk_pose c;
  for (int i = 0; i < 3; i++) {
    c.pos[i] = a->pos[i];
    for (int k = 0; k < 3; k++) {
      c.pos[i] += a->rot[3 * i + k] * b->pos[k];
    }
    for (int j = 0; j < 3; j++) {
      c.rot[3 * i + j] = 0.0;
      for (int k = 0; k < 3; k++) {
        c.rot[3 * i + j] += a->rot[3 * i + k] * b->rot[3 * k + j];
      }
    }
  }
  return c;
}

/* Pose of a link in the frame of the root: one-axis joints at q, a free root at the origin. */
static pk_pose link_pose(const pk_model *m, int link, const double *q)
{
  pk_pose pose = m->links[link].pose;
  for (int b = m->links[link].body; b >= 0; b = m->body_parent[b]) {
    if (m->body_motion[b] == PK_MOTION_REVOLUTE) {
      const double angle = m->body_gain[b] * q[m->body_q[b]] + m->body_offset[b];
      double axis_angle[3] = {0.0, 0.0, 0.0};
      axis_angle[m->body_axis[b]] = angle;
      const pk_pose turn = pk_pose_from_xyz_rpy((const double[3]){0.0, 0.0, 0.0}, axis_angle);
      pose = compose(&turn, &pose);
    }
    if (m->body_motion[b] == PK_MOTION_FLOATING) {
      continue;
    }
    pk_pose joint;
    memcpy(joint.pos, m->body_pos + 3 * b, sizeof joint.pos);
    memcpy(joint.rot, m->body_rot + 9 * b, sizeof joint.rot);
    pose = compose(&joint, &pose);
  }
  return pose;
}

static void assert_link_at(const pk_model *m, const char *name, const double *q, double x, double y, double z)
{
  const pk_pose pose = link_pose(m, link_of(m, name), q);
  assert_near(pose.pos[0], x, 1e-12);
  assert_near(pose.pos[1], y, 1e-12);
  assert_near(pose.pos[2], z, 1e-12);
}

/* Is the symmetric matrix xx xy xz yy yz zz positive definite (leading minors)? */
static int is_positive(const double s[6])
{
  const double minor = s[0] * s[3] - s[1] * s[1];
  const double det = s[0] * (s[3] * s[5] - s[4] * s[4]) - s[1] * (s[1] * s[5] - s[4] * s[2]) +
                     s[2] * (s[1] * s[4] - s[3] * s[2]);
  return s[0] > 0.0 && minor > 0.0 && det > 0.0;
}

static void every_link_has_an_inertia_that_a_body_can_have(void **state)
{
  (void)state;
  static const char *const names[] = {"pendulum",          "double_pendulum", "ur10",
                                      "starleth",          "coman",           "anymal_b",
                                      "thesis_quadruped",  "boxdog",          "links_quadruped",
                                      "quadruped15",       "sony_quadruped",  "hardt_biped",
                                      "five_link_biped",   "coman_mesh_feet", "walkman",
                                      "walkman_mesh_feet", "starleth_points", "hexapod"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    pk_model *m = load(names[k]);
    for (int l = 0; l < m->nlink; l++) {
      const pk_inertia *in = &m->links[l].inertia;
      if (in->mass == 0.0) {
        continue;
      }
      /* Second moments of mass, tr(I)/2 - I: positive when the triangle inequality holds. */
      const double *I = in->moment, half = 0.5 * (I[0] + I[3] + I[5]);
      const double second[6] = {half - I[0], -I[1], -I[2], half - I[3], -I[4], half - I[5]};
      if (!is_positive(I) || !is_positive(second)) {
        fail_msg("%s: link %s", names[k], m->links[l].name);
      }
    }
    pk_model_destroy(m);
  }
}

static void the_pendulum_is_one_unit_body_on_a_free_hinge(void **state)
{
  (void)state;
  pk_model *m = load("pendulum");
  assert_int_equal(m->nbody, 1);
  assert_int_equal(m->nq, 1);
  assert_int_equal(m->nu, 1);
  assert_joints_in_order(m, (const char *const[]){"hinge"}, 1);
  assert_near(m->mass, 1.0, 0.0);
  assert_true(m->joints[0].kind == PK_JOINT_CONTINUOUS);
  assert_near(m->joints[0].axis[1], 1.0, 0.0);
  assert_near(m->dof_damping[0], 0.0, 0.0);
  const pk_inertia *body = &m->links[link_of(m, "body")].inertia;
  assert_near(body->com[2], -1.0, 0.0);
  assert_near(body->moment[3], 5.5, 0.0);
  pk_model_destroy(m);
}

static void the_double_pendulum_permits_the_synchronous_rotation(void **state)
{
  (void)state;
  pk_model *m = load("double_pendulum");
  assert_int_equal(m->nbody, 2);
  assert_int_equal(m->nq, 2);
  assert_int_equal(m->nu, 2);
  assert_joints_in_order(m, (const char *const[]){"hinge_1", "hinge_2"}, 2);
  assert_near(m->mass, 3.0, 0.0);
  assert_link_at(m, "body_2", (const double[2]){0.0, 0.0}, 0.0, 0.0, -2.0);

  /* The two rows of the equations of motion at equal angles, per sin(angle): README. */
  const pk_inertia *b1 = &m->links[link_of(m, "body_1")].inertia;
  const pk_inertia *b2 = &m->links[link_of(m, "body_2")].inertia;
  const double l = -b1->com[2], c = -b2->com[2], d = 2.0;
  const double M1 = b1->moment[3] + b1->mass * l * l + b2->mass * d * d + b2->mass * d * c;
  const double M2 = b2->moment[3] + b2->mass * c * c + b2->mass * d * c;
  const double a1 = (b1->mass * l + b2->mass * d) / M1, a2 = b2->mass * c / M2;
  assert_near(a1, 10.0 / 49.0, 1e-15);
  assert_near(a2, a1, 1e-15);

  /* The period from 2.1 at the lowest point; equal steps are spectral for a periodic function. */
  double period = 0.0;
  for (int k = 0; k < 64; k++) {
    period += 2.0 * PI / 64.0 / sqrt(2.1 * 2.1 - 2.0 * a1 * (1.0 - cos(2.0 * PI * k / 64.0)));
  }
  assert_near(period, 3.147033054308, 1e-12);
  pk_model_destroy(m);
}

static void the_ur10_is_a_fixed_arm_with_the_makers_reach(void **state)
{
  (void)state;
  static const char *const joints[] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                       "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
  static const double effort[] = {330.0, 330.0, 150.0, 56.0, 56.0, 56.0};
  static const double speed[] = {120.0, 120.0, 180.0, 180.0, 180.0, 180.0};
  pk_model *m = load("ur10");
  assert_true(m->robots[0].root == PK_ROOT_FIXED);
  assert_int_equal(m->nbody, 6);
  assert_int_equal(m->nq, 6);
  assert_int_equal(m->nu, 6);
  assert_near(m->mass, 28.435, 1e-12); /* the base, 4 kg, does not move */
  assert_joints_in_order(m, joints, 6);
  for (int i = 0; i < 6; i++) {
    assert_near(m->dof_effort[i], effort[i], 0.0);
    assert_near(m->dof_velocity[i], speed[i] * PI / 180.0, 1e-15);
    assert_near(m->dof_upper[i], i == 2 ? PI : 2.0 * PI, 1e-15);
    assert_near(m->dof_lower[i], i == 2 ? -PI : -2.0 * PI, 1e-15);
  }
  /* Stretched along x, and pointing straight up with the shoulder lifted. */
  assert_link_at(m, "tool0", (const double[6]){0.0}, 1.1843, 0.256141, 0.0116);
  assert_link_at(m, "tool0", (const double[6]){0.0, -0.5 * PI}, 0.1157, 0.256141, 1.3116);
  /* The flange looks sideways, along y of base_link. */
  const pk_pose tool = link_pose(m, link_of(m, "tool0"), (const double[6]){0.0});
  assert_near(tool.rot[2], 0.0, 1e-12);
  assert_near(tool.rot[5], 1.0, 1e-12);
  assert_near(tool.rot[8], 0.0, 1e-12);
  pk_model_destroy(m);
}

static void starleth_has_thirteen_bodies_and_twelve_hinges(void **state)
{
  (void)state;
  static const char *const joints[] = {"LF_HAA", "LF_HFE", "LF_KFE", "RF_HAA", "RF_HFE", "RF_KFE",
                                       "LH_HAA", "LH_HFE", "LH_KFE", "RH_HAA", "RH_HFE", "RH_KFE"};
  pk_model *m = load("starleth");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->nbody, 13);
  assert_int_equal(m->nq, 19);
  assert_int_equal(m->nu, 18);
  assert_near(m->mass, 26.82, 1e-12);
  assert_joints_in_order(m, joints, 12);
  for (int j = 0; j < 12; j++) {
    assert_near(m->joints[j].axis[j % 3 == 0 ? 0 : 1], 1.0, 0.0);
    assert_near(m->joints[j].effort, 30.0, 0.0);
    assert_near(m->joints[j].velocity, 10.0, 0.0);
    assert_near(m->joints[j].damping, 0.0, 0.0);
  }
  pk_model_destroy(m);
}

static void starleth_stands_on_four_balls_below_its_hips(void **state)
{
  (void)state;
  static const char *const legs[] = {"LF", "RF", "LH", "RH"};
  pk_model *m = load("starleth");
  const double zero[19] = {0.0};
  double stance[19] = {0.0};
  for (int leg = 0; leg < 4; leg++) {
    char name[16];
    const double fore = leg < 2 ? 1.0 : -1.0, left = leg % 2 == 0 ? 1.0 : -1.0;
    snprintf(name, sizeof name, "%s_HFE", legs[leg]);
    stance[joint_of(m, name)->q] = fore * 0.7343101344764329;
    snprintf(name, sizeof name, "%s_KFE", legs[leg]);
    const pk_model_joint *knee = joint_of(m, name);
    stance[knee->q] = -fore * 1.3411529067300831;
    assert_at_most(knee->lower, stance[knee->q]);
    assert_at_most(stance[knee->q], knee->upper);

    snprintf(name, sizeof name, "%s_FOOT", legs[leg]);
    assert_link_at(m, name, zero, fore * 0.2525, left * 0.185, -0.5035);
    assert_link_at(m, name, stance, fore * 0.2525, left * 0.185, -0.41);

    int balls = 0;
    for (int s = 0; s < m->nshape; s++) {
      if (m->shapes[s].link != link_of(m, name) || m->shapes[s].visual) {
        continue;
      }
      assert_true(m->shapes[s].kind == PK_SHAPE_SPHERE);
      assert_near(m->shapes[s].size[0], 0.025, 0.0);
      balls++;
    }
    assert_int_equal(balls, 1);
  }
  pk_model_destroy(m);
}

/* Tables 5.1 and 5.2 by hand: masses, boxes, and where the middle of it all is when the legs hang down. */
static void boxdog_is_starleth_with_other_shapes_and_damping(void **state)
{
  (void)state;
  pk_model *m = load("boxdog"), *like = load("starleth");
  assert_int_equal(m->nbody, like->nbody);
  assert_int_equal(m->nu, like->nu);
  assert_memory_equal(m->body_inertia, like->body_inertia, 10 * (size_t)m->nbody * sizeof(double));
  assert_memory_equal(m->body_pos, like->body_pos, 3 * (size_t)m->nbody * sizeof(double));
  assert_memory_equal(m->dof_lower, like->dof_lower, (size_t)m->nu * sizeof(double));
  assert_near(m->dof_damping[6], 0.1, 0);
  int boxes = 0, balls = 0, others = 0;
  for (int i = 0; i < m->nshape; i++) {
    if (!m->shapes[i].visual) {
      boxes += m->shapes[i].kind == PK_SHAPE_BOX;
      balls += m->shapes[i].kind == PK_SHAPE_SPHERE;
      others += m->shapes[i].kind != PK_SHAPE_BOX && m->shapes[i].kind != PK_SHAPE_SPHERE;
    }
  }
  assert_int_equal(boxes, 5);
  assert_int_equal(balls, 4);
  assert_int_equal(others, 0);
  pk_model_destroy(like);
  pk_model_destroy(m);
}

/* Masses by hand, and feet of the README's stance: below the hips, 0.785057 of two links of 0.213 m down. */
static void quadruped15_weighs_15_kg_and_stands_on_its_feet(void **state)
{
  (void)state;
  static const char *const feet[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  static const double angles[3] = {0, 0.6680081840779306, -1.3360163681558612};
  pk_model *m = load("quadruped15");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->nu, 18);
  assert_near(m->mass, 6.923 + 4 * (0.678 + 1.152 + 0.154 + 0.04), 1e-12);
  pk_workspace *work;
  assert_int_equal(pk_workspace_create(m, &work, NULL), PK_OK);
  double q[19] = {0, 0, 0, 1};
  for (int k = 0; k < 12; k++) {
    q[7 + k] = angles[k % 3];
    assert_near(m->dof_effort[6 + k], k % 3 == 2 ? 45.43 : 23.7, 0);
  }
  pk_kinematics_compute(work, q, NULL);
  for (int leg = 0; leg < 4; leg++) {
    const pk_pose foot = pk_link_pose(work, pk_model_find_link(m, feet[leg]));
    assert_near(foot.pos[0], leg < 2 ? 0.1934 : -0.1934, 1e-12);
    assert_near(foot.pos[1], leg % 2 == 0 ? 0.142 : -0.142, 1e-12);
    assert_near(foot.pos[2], -0.785057 * 0.426, 1e-9);
  }
  pk_workspace_destroy(work);
  pk_model_destroy(m);
}

/* Feet of the README's stance, by hand: 0.1 m of thigh and 0.1 m of shank at 45 degrees to either side of the plumb line, all turned outwards by pi/8. */
static void links_is_what_its_primitives_say_and_stands_on_its_feet(void **state)
{
  (void)state;
  static const char *const legs[] = {"LF", "RF", "LH", "RH"};
  static const double angles[3] = {0.39269908169872414, -0.7853981633974483, 1.5707963267948966};
  pk_model *m = load("links_quadruped");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->nu, 18);
  assert_near(m->mass, 3.5 + 2 * 0.05 + 0.025 + 2 * 0.05 + 3 * 0.005 + 4 * 0.25, 1e-12);
  double zero[19] = {0, 0, 0, 1}, stance[19] = {0, 0, 0, 1};
  for (int k = 0; k < 12; k++) {
    assert_near(m->dof_effort[6 + k], 4, 0);
    const bool mirrored = k / 3 == 1 || k / 3 == 2;
    stance[m->joints[k].q] = mirrored ? -angles[k % 3] : angles[k % 3];
  }
  const double reach = 0.2 * sqrt(0.5), down = reach * cos(angles[0]), out = reach * sin(angles[0]);
  for (int leg = 0; leg < 4; leg++) {
    char name[16];
    const double x = leg < 2 ? 0.15 : -0.15, side = leg % 2 == 0 ? 1 : -1;
    snprintf(name, sizeof name, "%s_FOOT", legs[leg]);
    assert_link_at(m, name, zero, x, 0.06 * side, -0.2);
    assert_link_at(m, name, stance, x, (0.06 + out) * side, -down);
  }
  assert_near(down + 0.01, 0.14, 1e-3); /* the trunk's height in the source */
  const pk_inertia *trunk = &m->links[link_of(m, "BODY0")].inertia,
                   *shank = &m->links[link_of(m, "LF_LEG_3")].inertia;
  assert_near(trunk->moment[0], 3.5 / 12 * (0.14 * 0.14 + 0.02 * 0.02), 1e-12);
  assert_near(shank->moment[0], 0.5 * 0.04 * 0.005 * 0.005, 1e-15);
  assert_near(shank->moment[3], 0.04 / 12 * (3 * 0.005 * 0.005 + 0.1 * 0.1), 1e-12);
  pk_model_destroy(m);
}

static void the_thesis_quadruped_is_what_its_tables_say(void **state)
{
  (void)state;
  pk_model *m = load("thesis_quadruped");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->njoint, 16);
  assert_int_equal(m->nu, 22);
  assert_near(m->mass, 50 + 4 * (4.4 + 3.65 + 3.65), 1e-12);
  for (int k = 6; k < 22; k++) {
    assert_near(m->dof_damping[k], 0.3, 0);
    assert_near(m->dof_friction[k], 0.55, 0);
  }
  const pk_inertia *torso = &m->links[link_of(m, "base")].inertia,
                   *foot = &m->links[link_of(m, "RH_FOOT")].inertia;
  assert_near(torso->moment[0], 50.0 / 12 * (0.6 * 0.6 + 0.15 * 0.15), 1e-12);
  assert_near(torso->moment[5], 50.0 / 12 * (1.2 * 1.2 + 0.6 * 0.6), 1e-12);
  assert_near(foot->moment[3], 3.65 / 12 * (0.22 * 0.22 + 0.05 * 0.05), 1e-12);
  assert_near(foot->com[2], -0.11, 0);
  pk_model_destroy(m);
}

/* The README's stance: ankles below the hips, feet upright, the lowest points 0.67 m below the hips. */
static void the_thesis_quadruped_stands_on_the_tips_of_its_legs(void **state)
{
  (void)state;
  static const char *const legs[] = {"LF", "RF", "LH", "RH"};
  pk_model *m = load("thesis_quadruped");
  const double zero[23] = {0}, angles[4] = {0, 0.5998915856661312, -1.2253418506770677, 0.6254502650109364};
  double stance[23] = {0};
  for (int k = 0; k < 16; k++) {
    stance[m->joints[k].q] = k < 8 ? angles[k % 4] : -angles[k % 4];
  }
  int balls = 0;
  for (int leg = 0; leg < 4; leg++) {
    char name[16];
    const double x = leg < 2 ? 0.6 : -0.6, y = leg % 2 == 0 ? 0.3 : -0.3;
    snprintf(name, sizeof name, "%s_FOOT", legs[leg]);
    assert_link_at(m, name, zero, x, y, -0.075 - 0.28 - 0.27);
    assert_link_at(m, name, stance, x, y, -0.075 - 0.45);
    for (int s = 0; s < m->nshape; s++) {
      if (m->shapes[s].link == link_of(m, name) && !m->shapes[s].visual) {
        assert_true(m->shapes[s].kind == PK_SHAPE_SPHERE);
        assert_near(m->shapes[s].pose.pos[2] - m->shapes[s].size[0], -0.22, 1e-15);
        balls++;
      }
    }
  }
  assert_int_equal(balls, 4);
  for (int s = 0; s < m->nshape; s++) {
    balls -= !m->shapes[s].visual; /* nothing else collides */
  }
  assert_int_equal(balls, 0);
  pk_model_destroy(m);
}

static void coman_has_the_paper_s_29_degrees_of_freedom(void **state)
{
  (void)state;
  static const char *const joints[] = {"RHipSag",  "RHipLat",  "RHipYaw",  "RKneeSag", "RAnkLat", "RAnkSag",
                                       "LHipSag",  "LHipLat",  "LHipYaw",  "LKneeSag", "LAnkLat", "LAnkSag",
                                       "WaistLat", "WaistSag", "WaistYaw", "RShSag",   "RShLat",  "RShYaw",
                                       "RElbj",    "LShSag",   "LShLat",   "LShYaw",   "LElbj"};
  pk_model *m = load("coman");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_string_equal(m->links[m->robots[0].root_link].name, "Waist");
  assert_int_equal(m->nbody, 24);
  assert_int_equal(m->nq, 30);
  assert_int_equal(m->nu, 29);
  assert_near(m->mass, 28.35740094, 1e-12);
  assert_joints_in_order(m, joints, 23);
  for (int j = 0; j < 23; j++) {
    assert_near(m->joints[j].effort, 50.0, 0.0);
    assert_near(m->joints[j].velocity, 4.0, 0.0);
  }
  assert_near(joint_of(m, "RKneeSag")->upper, 120.0 * PI / 180.0, 1e-9);

  const double zero[30] = {0.0};
  assert_link_at(m, "r_sole", zero, 0.0, -0.0726, -0.5268);
  assert_link_at(m, "l_sole", zero, 0.0, 0.0726, -0.5268);
  assert_link_at(m, "l_wrist", zero, 0.005281504, 0.1535, -0.05265947);
  pk_model_destroy(m);
}

/* Every R link has an L link that is its image in the plane y = 0, to the last bit. */
static void coman_is_its_own_mirror_image(void **state)
{
  (void)state;
  static const double flip[6] = {1.0, -1.0, 1.0, 1.0, -1.0, 1.0};
  pk_model *m = load("coman");
  int pairs = 0;
  for (int l = 0; l < m->nlink; l++) {
    if (m->links[l].name[0] != 'R') {
      continue;
    }
    char name[64];
    snprintf(name, sizeof name, "L%s", m->links[l].name + 1);
    const pk_inertia *r = &m->links[l].inertia, *left = &m->links[link_of(m, name)].inertia;
    assert_near(left->mass, r->mass, 0.0);
    for (int i = 0; i < 3; i++) {
      assert_near(left->com[i], i == 1 ? -r->com[i] : r->com[i], 0.0);
    }
    for (int i = 0; i < 6; i++) {
      assert_near(left->moment[i], flip[i] * r->moment[i], 0.0);
    }
    pairs++;
  }
  assert_int_equal(pairs, 10);
  pk_model_destroy(m);
}

/* One of its sources lost every negative product of inertia; here they are. */
static void coman_keeps_its_negative_products_of_inertia(void **state)
{
  (void)state;
  static const struct {
    const char *link;
    int entry; /* of xx xy xz yy yz zz */
    double value;
  } expected[] = {
      {"Waist", 1, -5.7170981e-05},        {"RHipmot", 1, -3.9936567e-06},
      {"RHipmot", 2, -2.4802574e-06},      {"RHipmot", 4, -3.3389575e-06},
      {"RThighUpLeg", 1, -1.4449904e-06},  {"RThighUpLeg", 2, -1.6685011e-05},
      {"RFootmot", 4, -3.6889276e-06},     {"RFoot", 1, -9.2387693e-05},
      {"LThighLowLeg", 1, -1.7802399e-06}, {"LThighLowLeg", 4, -4.522711e-05},
      {"LLowLeg", 1, -1.1227206e-05},      {"LLowLeg", 4, -0.00051899176},
      {"DWL", 1, -6.2120042e-06},          {"DWL", 2, -1.3863473e-06},
      {"DWS", 1, -7.2101244e-07},          {"DWS", 4, -0.00017450917},
      {"DWYTorso", 1, -9.8308572e-06},     {"DWYTorso", 2, -0.0007564929},
      {"RShp", 2, -3.0037676e-06},         {"RShr", 1, -2.4111086e-07},
      {"RShr", 4, -4.721695e-07},          {"RShy", 4, -0.00052663661},
      {"RElb", 1, -2.637647e-07},          {"RElb", 2, -9.8007285e-06},
      {"RElb", 4, -2.0435288e-06},
  };
  pk_model *m = load("coman");
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    assert_near(m->links[link_of(m, expected[i].link)].inertia.moment[expected[i].entry], expected[i].value,
                0.0);
  }
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_link_has_an_inertia_that_a_body_can_have),
      cmocka_unit_test(the_pendulum_is_one_unit_body_on_a_free_hinge),
      cmocka_unit_test(the_double_pendulum_permits_the_synchronous_rotation),
      cmocka_unit_test(the_ur10_is_a_fixed_arm_with_the_makers_reach),
      cmocka_unit_test(starleth_has_thirteen_bodies_and_twelve_hinges),
      cmocka_unit_test(starleth_stands_on_four_balls_below_its_hips),
      cmocka_unit_test(boxdog_is_starleth_with_other_shapes_and_damping),
      cmocka_unit_test(quadruped15_weighs_15_kg_and_stands_on_its_feet),
      cmocka_unit_test(links_is_what_its_primitives_say_and_stands_on_its_feet),
      cmocka_unit_test(the_thesis_quadruped_is_what_its_tables_say),
      cmocka_unit_test(the_thesis_quadruped_stands_on_the_tips_of_its_legs),
      cmocka_unit_test(coman_has_the_paper_s_29_degrees_of_freedom),
      cmocka_unit_test(coman_is_its_own_mirror_image),
      cmocka_unit_test(coman_keeps_its_negative_products_of_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
