/* The robots of gait optimisation: the Sony quadruped against the table of its joints, the biped against the proportions that it is
 * made of, the five-link biped against its energies by hand; and that left and right are mirror images to the last bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "pronk/dynamics.h"
#include "pronk/legs.h"
#include "pronk/model.h"
#include "support/bounds.h"

enum { NQ = 32 };

static const double degree = 3.14159265358979323846 / 180;

static pk_model *load(const char *name)
{
  char path[512];
  pk_model *model = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  if (pk_model_load_urdf(path, NULL, &model, &err) != PK_OK) {
    fail_msg("%s:%d: %s", path, err.line, err.message);
  }
  assert_in_range(model->nq, 1, NQ);
  return model;
}

static pk_workspace *workspace_of(const pk_model *m)
{
  pk_workspace *w = NULL;
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  return w;
}

static int link_of(const pk_model *m, const char *name)
{
  const int link = pk_model_find_link(m, name);
  if (link < 0) {
    fail_msg("there is no link %s", name);
  }
  return link;
}

static void assert_joints_in_order(const pk_model *m, const char *const *names, int count)
{
  assert_int_equal(m->njoint, count);
  for (int j = 0; j < count; j++) {
    assert_string_equal(m->joints[j].name, names[j]);
  }
}

/* ---- the Sony quadruped ---- */

static const char *const sony_joints[12] = {"LF_HFE", "LF_HAA", "LF_KFE", "RF_HFE", "RF_HAA", "RF_KFE",
                                            "LH_HFE", "LH_HAA", "LH_KFE", "RH_HFE", "RH_HAA", "RH_KFE"};

static void the_sony_quadruped_has_its_published_masses_and_limits(void **state)
{
  (void)state;
  static const double speeds[3] = {2.8143, 2.498, 2.8361};
  pk_model *m = load("sony_quadruped");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->nbody, 13);
  assert_int_equal(m->nu, 18);
  assert_joints_in_order(m, sony_joints, 12);
  assert_near(m->mass, 0.613 + 0.015 + 0.01 + 0.19 + 0.01 + 4 * (0.05 + 2 * 0.073) + 0.006, 1e-12);
  for (int j = 0; j < 12; j++) {
    assert_near(m->joints[j].axis[j % 3 == 1 ? 0 : 1], 1, 0);
    assert_near(m->joints[j].effort, 0.852212, 0);
    assert_near(m->joints[j].velocity, speeds[j % 3], 0);
  }
  /* a solid of the README, by hand */
  const pk_inertia *thigh = &m->links[link_of(m, "RH_THIGH")].inertia;
  assert_near(thigh->moment[0], 0.073 / 12 * (0.026 * 0.026 + 0.0695 * 0.0695), 1e-12);
  assert_near(thigh->moment[3], 0.073 / 12 * (0.036 * 0.036 + 0.0695 * 0.0695), 1e-12);
  pk_model_destroy(m);
}

/* A row of the table of joints: turn by theta about z, move by d along it, by r along x, turn by alpha about x; then turn by the
 * joint's angle about z. Millimetres and degrees, as the table has them. */
typedef struct dh_row {
  double theta, d, alpha, r;
} dh_row;

/* Leg by leg LF, RF, LH, RH: rotor, elevator, knee, foot frame (Tekkotsu, ERS-210.kin). */
static const dh_row sony_table[4][4] = {
    {{0, 0, 90, 65}, {-90, -62.5, -90, 0}, {0, 9, 90, 69.5}, {-4.4088, -4.7, 0, 65.434}},
    {{0, 0, 90, 65}, {-90, 62.5, 90, 0}, {0, -9, -90, 69.5}, {-4.4088, 4.7, 0, 65.434}},
    {{0, 0, -90, -65}, {90, 62.5, 90, 0}, {0, -9, -90, 69.5}, {-11.537, 4.7, 180, 67.647}},
    {{0, 0, -90, -65}, {90, -62.5, -90, 0}, {0, 9, 90, 69.5}, {-11.537, -4.7, 180, 67.647}}};

/* Where the table puts the foot of a leg, in metres: rows from the last to the first move the point. */
static void foot_by_table(const dh_row rows[4], const double angles[3], double p[3])
{
  p[0] = p[1] = p[2] = 0;
  for (int k = 3; k >= 0; k--) {
    const double turn = k < 3 ? angles[k] : 0, alpha = rows[k].alpha * degree, theta = rows[k].theta * degree;
    /* about z by the joint's angle */
    const double a = cos(turn) * p[0] - sin(turn) * p[1], b = sin(turn) * p[0] + cos(turn) * p[1], c = p[2];
    /* about x by alpha, along x by r, along z by d */
    const double x = a + rows[k].r, y = cos(alpha) * b - sin(alpha) * c;
    const double z = sin(alpha) * b + cos(alpha) * c + rows[k].d;
    /* about z by theta */
    p[0] = cos(theta) * x - sin(theta) * y;
    p[1] = sin(theta) * x + cos(theta) * y;
    p[2] = z;
  }
  for (int i = 0; i < 3; i++) {
    p[i] *= 1e-3;
  }
}

static void the_sony_quadrupeds_feet_are_where_its_table_of_joints_puts_them(void **state)
{
  (void)state;
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  /* signs of the README: what is positive in the table, about our axes */
  static const double signs[4][3] = {{-1, 1, -1}, {-1, -1, -1}, {1, 1, 1}, {1, -1, 1}};
  static const double least[3] = {-130, -10, -25}, most[3] = {115, 88, 122};
  pk_model *m = load("sony_quadruped");
  pk_workspace *w = workspace_of(m);
  pki_random rng = pki_random_seeded(210);
  for (int leg = 0; leg < 4; leg++) {
    for (int n = 0; n < 50; n++) {
      double q[NQ] = {0, 0, 0, 1}, angles[3], expected[3];
      for (int k = 0; k < 3; k++) {
        const pk_model_joint *joint = &m->joints[3 * leg + k];
        const double sign = signs[leg][k];
        angles[k] = degree * pki_random_between(&rng, least[k], most[k]);
        q[joint->q] = sign * angles[k];
        assert_near(joint->lower, degree * (sign > 0 ? least[k] : -most[k]), 1e-9);
        assert_near(joint->upper, degree * (sign > 0 ? most[k] : -least[k]), 1e-9);
      }
      foot_by_table(sony_table[leg], angles, expected);
      pk_kinematics_compute(w, q, NULL);
      const pk_pose foot = pk_link_pose(w, link_of(m, feet[leg]));
      for (int i = 0; i < 3; i++) {
        assert_near(foot.pos[i], expected[i], 1e-9); /* the file has its lengths to 1e-10 m */
      }
    }
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* Hips 130 x 125 mm apart, feet of the README's stance below them, on balls of 26 mm. */
static void the_sony_quadruped_stands_on_balls_below_its_hips(void **state)
{
  (void)state;
  static const char *const legs[4] = {"LF", "RF", "LH", "RH"};
  static const double fore[3] = {0.7856222726598383, 0, -1.575401296013326},
                      hind[3] = {-0.8177319154980682, 0, 1.7380424159949595};
  pk_model *m = load("sony_quadruped");
  pk_workspace *w = workspace_of(m);
  double q[NQ] = {0, 0, 0, 1};
  for (int j = 0; j < 12; j++) {
    q[m->joints[j].q] = j < 6 ? fore[j % 3] : hind[j % 3];
  }
  pk_kinematics_compute(w, q, NULL);
  for (int leg = 0; leg < 4; leg++) {
    char name[16];
    const double x = leg < 2 ? 0.065 : -0.065, side = leg % 2 == 0 ? 1 : -1;
    snprintf(name, sizeof name, "%s_THIGH", legs[leg]);
    const pk_pose hip = pk_link_pose(w, link_of(m, name));
    assert_near(hip.pos[0], x, 1e-15);
    assert_near(hip.pos[1], side * 0.0625, 1e-15);
    snprintf(name, sizeof name, "%s_FOOT", legs[leg]);
    const int link = link_of(m, name);
    const pk_pose foot = pk_link_pose(w, link);
    assert_near(foot.pos[0], x, 1e-9);
    assert_near(foot.pos[1], side * 0.0672, 1e-12);
    assert_near(foot.pos[2], -0.105, 1e-9);
    int balls = 0;
    for (int s = 0; s < m->nshape; s++) {
      if (m->shapes[s].link == link && !m->shapes[s].visual) {
        assert_true(m->shapes[s].kind == PK_SHAPE_SPHERE);
        assert_near(m->shapes[s].size[0], 0.013, 0);
        balls++;
      }
    }
    assert_int_equal(balls, 1);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* ---- the biped ---- */

static const char *const biped_joints[16] = {
    "L_HIP_YAW",        "L_HIP_ROLL",      "L_HIP_PITCH",      "L_KNEE_PITCH",
    "L_ANKLE_PITCH",    "L_ANKLE_ROLL",    "R_HIP_YAW",        "R_HIP_ROLL",
    "R_HIP_PITCH",      "R_KNEE_PITCH",    "R_ANKLE_PITCH",    "R_ANKLE_ROLL",
    "L_SHOULDER_PITCH", "L_SHOULDER_ROLL", "R_SHOULDER_PITCH", "R_SHOULDER_ROLL"};

static void the_biped_has_18_kg_16_hinges_and_feet_with_areas(void **state)
{
  (void)state;
  static const int axes[16] = {2, 0, 1, 1, 1, 0, 2, 0, 1, 1, 1, 0, 1, 0, 1, 0};
  pk_model *m = load("hardt_biped");
  assert_true(m->robots[0].root == PK_ROOT_FREE);
  assert_int_equal(m->nq, 23);
  assert_int_equal(m->nu, 22);
  assert_near(m->mass, 18, 1e-12);
  assert_joints_in_order(m, biped_joints, 16);
  for (int j = 0; j < 16; j++) {
    assert_near(m->joints[j].axis[axes[j]], 1, 0);
    assert_near(m->joints[j].effort, 40, 0);
    assert_near(m->joints[j].velocity, 12, 0);
  }
  int soles = 0;
  for (int s = 0; s < m->nshape; s++) {
    const pk_model_shape *shape = &m->shapes[s];
    const char *link = m->links[shape->link].name;
    if (!shape->visual && strstr(link, "_FOOT") != NULL) {
      assert_true(shape->kind == PK_SHAPE_BOX);
      assert_near(shape->pose.pos[0], 0.024, 0);
      assert_near(shape->pose.pos[2] - 0.5 * 0.015, -0.0312, 1e-15);
      soles++;
    }
  }
  assert_int_equal(soles, 2);
  pk_model_destroy(m);
}

/* Heights as parts of 0.8 m: ankle 0.039, knee 0.285, hip 0.53, shoulder 0.818, all of it 1. */
static void the_biped_has_the_proportions_of_its_table(void **state)
{
  (void)state;
  static const struct {
    const char *link;
    double part;
  } heights[] = {{"L_SOLE", 0}, {"L_FOOT", 0.039}, {"R_SHANK", 0.285}, {"R_THIGH", 0.53}, {"L_ARM", 0.818}};
  pk_model *m = load("hardt_biped");
  pk_workspace *w = workspace_of(m);
  const double q[NQ] = {0, 0, 0.53 * 0.8, 1};
  pk_kinematics_compute(w, q, NULL);
  for (size_t k = 0; k < sizeof heights / sizeof heights[0]; k++) {
    assert_near(pk_link_pose(w, link_of(m, heights[k].link)).pos[2], heights[k].part * 0.8, 1e-12);
  }
  assert_near(pk_link_pose(w, link_of(m, "head")).pos[2] + 0.052, 0.8, 1e-12);
  assert_near(pk_link_pose(w, link_of(m, "L_ARM")).pos[1], 0.129 * 0.8, 1e-12);
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* Hip axes meet in one point and ankle axes in another: the angles of the README's stance from where its feet are. */
static void the_bipeds_legs_have_their_angles_in_closed_form(void **state)
{
  (void)state;
  static const char *const feet[2] = {"L_SOLE", "R_SOLE"};
  const double stance[6] = {0, 0, -0.3006300126449751, 0.6, -0.2993699873550249, 0};
  pk_model *m = load("hardt_biped");
  for (int side = 0; side < 2; side++) {
    pk_leg leg;
    pk_error err = {0};
    if (pk_leg_init(&leg, m, PK_LEG_POSE, link_of(m, feet[side]), NULL, &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
    pk_pose foot = pk_leg_foot(&leg, stance);
    assert_near(foot.pos[0], 0, 1e-12);
    assert_near(foot.pos[1], side == 0 ? 0.058 : -0.058, 1e-12);
    assert_near(foot.pos[2], -0.40645624740112735, 1e-12);
    assert_near(foot.rot[8], 1, 1e-12);
    double angles[PK_LEG_HINGES] = {0.1, 0.1, -0.2, 0.4, -0.2, 0.1};
    assert_int_equal(pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, &err), PK_OK);
    for (int k = 0; k < 6; k++) {
      assert_near(angles[k], stance[k], 1e-9);
    }
  }
  pk_model_destroy(m);
}

/* ---- left and right ---- */

/* The link or joint on the other side; the same one when it is of no side. */
static void other_side(const char *name, char *out, size_t size)
{
  snprintf(out, size, "%s", name);
  out[0] = name[0] == 'L' ? 'R' : name[0] == 'R' ? 'L' : name[0];
}

static void assert_links_are_mirrored(const pk_model *m)
{
  static const double flip[6] = {1, -1, 1, 1, -1, 1}; /* of xx xy xz yy yz zz */
  for (int l = 0; l < m->nlink; l++) {
    char name[64];
    other_side(m->links[l].name, name, sizeof name);
    const int twin = link_of(m, name);
    const pk_inertia *a = &m->links[l].inertia, *b = &m->links[twin].inertia;
    assert_near(a->mass, b->mass, 0);
    for (int i = 0; i < 3; i++) {
      assert_near(a->com[i], i == 1 ? -b->com[i] : b->com[i], 0);
      assert_near(m->links[l].pose.pos[i], (i == 1 ? -1 : 1) * m->links[twin].pose.pos[i], 0);
    }
    for (int i = 0; i < 6; i++) {
      assert_near(a->moment[i], flip[i] * b->moment[i], 0);
    }
  }
}

/* Places, axes and limits of joints: turns about x and z change their sign. sign[u] becomes that of each velocity. */
static void assert_joints_are_mirrored(const pk_model *m, int *twin_of, double *sign)
{
  for (int j = 0; j < m->njoint; j++) {
    char name[64];
    const pk_model_joint *joint = &m->joints[j];
    other_side(joint->name, name, sizeof name);
    const pk_model_joint *twin = &m->joints[pk_model_find_joint(m, name)];
    const double s = joint->axis[1] == 1 ? 1 : -1;
    const double *at = m->body_pos + 3 * joint->body, *there = m->body_pos + 3 * twin->body;
    for (int i = 0; i < 3; i++) {
      assert_near(joint->axis[i], twin->axis[i], 0);
      assert_near(at[i], i == 1 ? -there[i] : there[i], 0);
    }
    assert_near(joint->lower, s > 0 ? twin->lower : -twin->upper, 0);
    assert_near(joint->upper, s > 0 ? twin->upper : -twin->lower, 0);
    twin_of[joint->u] = twin->u;
    sign[joint->u] = s;
  }
}

/* Torques of a motion and those of its mirror image: of the free root x, z and pitch keep their signs. */
static void assert_dynamics_are_mirrored(const pk_model *m, const int *twin_of, const double *sign)
{
  static const double of_root[6] = {1, -1, 1, -1, 1, -1};
  pk_workspace *w = workspace_of(m);
  pki_random rng = pki_random_seeded(7);
  for (int n = 0; n < 20; n++) {
    double q[NQ] = {0}, u[NQ], a[NQ], tau[NQ], q2[NQ] = {0}, u2[NQ], a2[NQ], tau2[NQ], turn[NQ] = {0};
    double turn2[NQ] = {0};
    for (int k = 0; k < m->nu; k++) {
      const int other = k < 6 ? k : twin_of[k];
      const double s = k < 6 ? of_root[k] : sign[k];
      turn[k] = pki_random_between(&rng, -1, 1);
      u[k] = pki_random_between(&rng, -3, 3);
      a[k] = pki_random_between(&rng, -20, 20);
      turn2[other] = s * turn[k];
      u2[other] = s * u[k];
      a2[other] = s * a[k];
    }
    pk_config_add(m, m->q0, turn, q);
    pk_config_add(m, m->q0, turn2, q2);
    pk_inverse_dynamics(w, q, u, a, tau);
    pk_inverse_dynamics(w, q2, u2, a2, tau2);
    for (int k = 0; k < m->nu; k++) {
      const double s = k < 6 ? of_root[k] : sign[k], mirrored = s * tau2[k < 6 ? k : twin_of[k]];
      assert_near(tau[k], mirrored, 1e-11 * (1 + fabs(tau[k])));
    }
  }
  pk_workspace_destroy(w);
}

static void left_and_right_are_mirror_images_to_the_last_bit(void **state)
{
  (void)state;
  static const char *const names[2] = {"sony_quadruped", "hardt_biped"};
  for (int k = 0; k < 2; k++) {
    pk_model *m = load(names[k]);
    int twin_of[NQ];
    double sign[NQ];
    assert_links_are_mirrored(m);
    assert_joints_are_mirrored(m, twin_of, sign);
    assert_dynamics_are_mirrored(m, twin_of, sign);
    pk_model_destroy(m);
  }
}

/* ---- the five-link biped ---- */

/* Velocity and height of the point that is l below the pivot of a link of absolute angle a and rate w: its rate is added to the pivot's. */
static void add_link(double l, double a, double w, double at[2], double v[2])
{
  at[0] -= l * sin(a);
  at[1] -= l * cos(a);
  v[0] -= l * cos(a) * w;
  v[1] += l * sin(a) * w;
}

/* Energies by the places and velocities of five centres of mass, with absolute angles: torso, then thigh and shank of each leg. */
static pk_energy energy_by_hand(const double q[7], const double u[7])
{
  pk_energy sum = {0};
  double at[2] = {q[0], q[1]}, v[2] = {u[0], u[1]};
  add_link(-0.2, q[2], u[2], at, v);
  sum.kinetic = 0.5 * 20 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * 2.22 * u[2] * u[2];
  sum.potential = 20 * 9.81 * at[1];
  for (int leg = 0; leg < 2; leg++) {
    static const double length = 0.4, middle[2] = {0.163, 0.128}, mass[2] = {6.8, 3.2},
                        inertia[2] = {1.08, 0.93};
    double pivot[2] = {q[0], q[1]}, speed[2] = {u[0], u[1]}, a = q[2], w = u[2];
    for (int k = 0; k < 2; k++) {
      a += q[3 + 2 * leg + k];
      w += u[3 + 2 * leg + k];
      memcpy(at, pivot, sizeof at);
      memcpy(v, speed, sizeof v);
      add_link(middle[k], a, w, at, v);
      sum.kinetic += 0.5 * mass[k] * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia[k] * w * w;
      sum.potential += mass[k] * 9.81 * at[1];
      add_link(length, a, w, pivot, speed);
    }
  }
  return sum;
}

static void the_five_link_biped_has_the_energies_of_its_table(void **state)
{
  (void)state;
  static const char *const joints[7] = {"base_x", "base_z", "base_pitch", "L_HIP",
                                        "L_KNEE", "R_HIP",  "R_KNEE"};
  pk_model *m = load("five_link_biped");
  pk_workspace *w = workspace_of(m);
  pki_random rng = pki_random_seeded(5);
  assert_int_equal(m->nq, 7);
  assert_int_equal(m->nu, 7);
  assert_near(m->mass, 40, 1e-12);
  assert_joints_in_order(m, joints, 7);
  for (int k = 0; k < 7; k++) {
    assert_true(k < 3 ? m->dof_effort[k] == 0 : isinf(m->dof_effort[k]));
  }
  for (int n = 0; n < 50; n++) {
    double q[7], u[7];
    for (int k = 0; k < 7; k++) {
      q[k] = pki_random_between(&rng, -2, 2);
      u[k] = pki_random_between(&rng, -5, 5);
    }
    pk_kinematics_compute(w, q, u);
    const pk_energy found = pk_energy_compute(w, u), expected = energy_by_hand(q, u);
    assert_near(found.kinetic, expected.kinetic, 1e-11 * expected.kinetic);
    assert_near(found.potential, expected.potential, 1e-10);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sony_quadruped_has_its_published_masses_and_limits),
      cmocka_unit_test(the_sony_quadrupeds_feet_are_where_its_table_of_joints_puts_them),
      cmocka_unit_test(the_sony_quadruped_stands_on_balls_below_its_hips),
      cmocka_unit_test(the_biped_has_18_kg_16_hinges_and_feet_with_areas),
      cmocka_unit_test(the_biped_has_the_proportions_of_its_table),
      cmocka_unit_test(the_bipeds_legs_have_their_angles_in_closed_form),
      cmocka_unit_test(left_and_right_are_mirror_images_to_the_last_bit),
      cmocka_unit_test(the_five_link_biped_has_the_energies_of_its_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
