#include "support/random_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* An inertia that a solid has: a few point masses. */
static pk_inertia random_inertia(pki_random *rng)
{
  pk_inertia in = {.mass = 0};
  double m[5], x[5][3];
  for (int i = 0; i < 5; i++) {
    m[i] = pki_random_between(rng, 0.05, 0.5);
    in.mass += m[i];
    for (int k = 0; k < 3; k++) {
      x[i][k] = pki_random_between(rng, -0.2, 0.2);
      in.com[k] += m[i] * x[i][k];
    }
  }
  for (int k = 0; k < 3; k++) {
    in.com[k] /= in.mass;
  }
  for (int i = 0; i < 5; i++) {
    const double a = x[i][0] - in.com[0], b = x[i][1] - in.com[1], c = x[i][2] - in.com[2];
    const double moment[6] = {b * b + c * c, -a * b, -a * c, a * a + c * c, -b * c, a * a + b * b};
    for (int e = 0; e < 6; e++) {
      in.moment[e] += m[i] * moment[e];
    }
  }
  return in;
}

static pk_pose random_pose(pki_random *rng)
{
  const double xyz[3] = {pki_random_between(rng, -0.4, 0.4), pki_random_between(rng, -0.4, 0.4),
                         pki_random_between(rng, -0.4, 0.4)};
  const double turn = pki_random_unit(rng) < 0.5 ? 0 : 3;
  const double rpy[3] = {pki_random_between(rng, -turn, turn), pki_random_between(rng, -turn, turn),
                         pki_random_between(rng, -turn, turn)};
  return pk_pose_from_xyz_rpy(xyz, rpy);
}

static void random_axis(pki_random *rng, double axis[3])
{
  const bool aligned = pki_random_unit(rng) < 0.6;
  const int k = (int)(3 * pki_random_unit(rng));
  for (int i = 0; i < 3; i++) {
    axis[i] = aligned ? (i == k ? (pki_random_unit(rng) < 0.5 ? 1 : -1) : 0) : pki_random_between(rng, -1, 1);
  }
}

pk_model *random_tree(pki_random *rng, const random_tree_options *o)
{
  static const pk_joint_kind kinds[] = {PK_JOINT_CONTINUOUS, PK_JOINT_CONTINUOUS, PK_JOINT_CONTINUOUS,
                                        PK_JOINT_PRISMATIC,  PK_JOINT_PLANAR,     PK_JOINT_SPHERICAL,
                                        PK_JOINT_FLOATING,   PK_JOINT_FIXED};
  pk_builder *b = pk_builder_create();
  pk_error err = {.message = ""};
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = o->root;
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  char name[32], parent[32], joint_name[32], leader[32] = "";
  bool above_massless = false;
  for (int i = 0; i <= o->links; i++) {
    snprintf(name, sizeof name, "l%d", i);
    const bool massless =
        o->massless && !above_massless && i > 0 && i < o->links && pki_random_unit(rng) < 0.3;
    const pk_link_desc link = {.name = name, .inertia = massless ? (pk_inertia){0} : random_inertia(rng)};
    assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
    if (i == 0) {
      continue;
    }
    pk_joint_desc joint = pk_joint_desc_default();
    /* mostly chains, some branches; a massless link always gets the next one as a child */
    const int up = pki_random_unit(rng) < 0.7 || o->massless ? i - 1 : (int)(i * pki_random_unit(rng));
    snprintf(parent, sizeof parent, "l%d", up);
    snprintf(joint_name, sizeof joint_name, "j%d", i);
    joint.name = joint_name, joint.parent = parent, joint.child = name;
    joint.kind = kinds[(int)(8 * pki_random_unit(rng))];
    /* a massless link stands between two hinges, as in a universal joint */
    if (massless || above_massless) {
      joint.kind = PK_JOINT_CONTINUOUS;
    }
    above_massless = massless;
    joint.origin = random_pose(rng);
    random_axis(rng, joint.axis);
    joint.armature = pki_random_unit(rng) < 0.3 ? pki_random_between(rng, 0, 0.1) : 0;
    const bool one_axis = joint.kind == PK_JOINT_CONTINUOUS || joint.kind == PK_JOINT_PRISMATIC;
    if (o->mimic && one_axis && leader[0] != '\0' && pki_random_unit(rng) < 0.4) {
      joint.mimic = leader;
      joint.mimic_multiplier = pki_random_between(rng, -2, 2);
      joint.mimic_offset = pki_random_between(rng, -0.5, 0.5);
    }
    assert_int_equal(pk_builder_add_joint(b, &joint, &err), PK_OK);
    if (one_axis && joint.mimic == NULL && pki_random_unit(rng) < 0.5) {
      snprintf(leader, sizeof leader, "j%d", i);
    }
  }
  pk_model *model = NULL;
  const pk_status status = pk_builder_compile(b, &model, &err);
  if (status != PK_OK) {
    print_error("%s\n", err.message);
  }
  assert_int_equal(status, PK_OK);
  pk_builder_destroy(b);
  return model;
}

void random_config(pki_random *rng, const pk_model *m, double *q)
{
  for (int i = 0; i < m->nbody; i++) {
    double *qi = q + m->body_q[i];
    const int quat = m->body_motion[i] == PK_MOTION_FLOATING ? 3 : 0;
    switch (m->body_motion[i]) {
    case PK_MOTION_REVOLUTE: qi[0] = pki_random_between(rng, -3.14, 3.14); break;
    case PK_MOTION_PRISMATIC: qi[0] = pki_random_between(rng, -1, 1); break;
    default:
      for (int k = 0; k < quat; k++) {
        qi[k] = pki_random_between(rng, -1, 1);
      }
      pki_random_quaternion(rng, qi + quat);
    }
  }
}

void random_vector(pki_random *rng, int n, double scale, double *v)
{
  for (int i = 0; i < n; i++) {
    v[i] = pki_random_between(rng, -scale, scale);
  }
}
