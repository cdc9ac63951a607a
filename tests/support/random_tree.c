#include "support/random_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/joint_type.h"

pk_inertia random_inertia(pki_random *rng)
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

/* One robot before it is described: link i hangs on joint i, for i from 1. */
typedef struct plan {
  int links;
  pk_joint_kind kind[RANDOM_TREE_LINKS + 1];
  int parent[RANDOM_TREE_LINKS + 1];
  int leader[RANDOM_TREE_LINKS + 1]; /* of joint i, 0: none */
  bool massless[RANDOM_TREE_LINKS + 1];
} plan;

/* Only such joints lead and follow. */
static bool has_one_coordinate(pk_joint_kind kind)
{
  return pki_joint_nu(kind) == 1;
}

/* Kinds that a test has added to the table; some of them cannot be cut. */
static bool has_added_kinds(void)
{
  return pki_joint_type_count > PK_JOINT_KIND_COUNT;
}

/* Mostly chains, some branches. A massless link has the next one as a child, and perhaps more; it
 * stands between two hinges, as in a universal joint. */
static void plan_tree(pki_random *rng, bool massless, plan *p)
{
  static const pk_joint_kind kinds[] = {PK_JOINT_CONTINUOUS, PK_JOINT_CONTINUOUS, PK_JOINT_CONTINUOUS,
                                        PK_JOINT_PRISMATIC,  PK_JOINT_PLANAR,     PK_JOINT_SPHERICAL,
                                        PK_JOINT_FLOATING,   PK_JOINT_FIXED};
  /* and those that a test has added to the table */
  const int more = pki_joint_type_count - PK_JOINT_KIND_COUNT;
  p->massless[0] = false;
  for (int i = 1; i <= p->links; i++) {
    const bool above = p->massless[i - 1];
    p->massless[i] = massless && !above && i < p->links && pki_random_unit(rng) < 0.3;
    p->parent[i] = pki_random_unit(rng) < 0.7 || above ? i - 1 : (int)(i * pki_random_unit(rng));
    const int choice = (int)((8 + more) * pki_random_unit(rng));
    p->kind[i] = choice < 8 ? kinds[choice] : (pk_joint_kind)(PK_JOINT_KIND_COUNT + choice - 8);
    if (above || p->massless[i]) {
      p->kind[i] = PK_JOINT_CONTINUOUS;
    }
    p->leader[i] = 0;
  }
}

/* One-axis joints are leaders, followers or neither; a follower's leader may come before or after it. */
static void plan_followers(pki_random *rng, plan *p)
{
  int leaders[RANDOM_TREE_LINKS], count = 0;
  bool follows[RANDOM_TREE_LINKS + 1] = {false};
  for (int i = 1; i <= p->links; i++) {
    const double role = pki_random_unit(rng);
    if (has_one_coordinate(p->kind[i]) && role < 0.4) {
      leaders[count++] = i;
    }
    follows[i] = has_one_coordinate(p->kind[i]) && role > 0.6;
  }
  for (int i = 1; i <= p->links && count > 0; i++) {
    p->leader[i] = follows[i] ? leaders[(int)(count * pki_random_unit(rng))] : 0;
  }
}

static void describe_joint(pki_random *rng, pk_builder *b, const plan *p, int i)
{
  char name[32], parent[32], child[32], leader[32];
  snprintf(name, sizeof name, "j%d", i);
  snprintf(parent, sizeof parent, "l%d", p->parent[i]);
  snprintf(child, sizeof child, "l%d", i);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = name, joint.parent = parent, joint.child = child, joint.kind = p->kind[i];
  joint.origin = random_pose(rng);
  random_axis(rng, joint.axis);
  joint.armature = pki_random_unit(rng) < 0.3 ? pki_random_between(rng, 0, 0.1) : 0;
  if (p->leader[i] > 0) {
    snprintf(leader, sizeof leader, "j%d", p->leader[i]);
    joint.mimic = leader;
    joint.mimic_multiplier = pki_random_between(rng, -2, 2);
    joint.mimic_offset = pki_random_between(rng, -0.5, 0.5);
  }
  assert_int_equal(pk_builder_add_joint(b, &joint, NULL), PK_OK);
}

static void describe_robot(pki_random *rng, pk_builder *b, const random_tree_options *o, int index, int links)
{
  plan p = {.links = links};
  plan_tree(rng, o->massless, &p);
  if (o->mimic) {
    plan_followers(rng, &p);
  }
  char name[64], prefix[32];
  snprintf(name, sizeof name, "r%d", index);
  snprintf(prefix, sizeof prefix, "r%d_", index);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = name, robot.root = o->root;
  robot.prefix = o->robots > 1 ? prefix : NULL;
  robot.pose = o->robots > 1 ? random_pose(rng) : robot.pose;
  assert_int_equal(pk_builder_add_robot(b, &robot, NULL), PK_OK);
  for (int i = 0; i <= links; i++) {
    snprintf(name, sizeof name, "l%d", i);
    const pk_link_desc link = {.name = name,
                               .inertia = p.massless[i] ? (pk_inertia){0} : random_inertia(rng)};
    assert_int_equal(pk_builder_add_link(b, &link, NULL), PK_OK);
    if (o->shapes) {
      const pk_shape_desc ball = {
          .link = name, .kind = PK_SHAPE_SPHERE, .size = {1e-3}, .pose = pk_pose_identity()};
      assert_int_equal(pk_builder_add_shape(b, &ball, NULL), PK_OK);
    }
    if (i > 0) {
      describe_joint(rng, b, &p, i);
      snprintf(name, sizeof name, "%sj%d", o->robots > 1 ? prefix : "", i);
      const bool cut = o->cut == 1 ? i % 2 == 1 : o->cut == 2 && has_added_kinds();
      if (cut && pki_joint_can_be_cut(p.kind[i])) {
        assert_int_equal(pk_builder_cut_joint(b, name, NULL), PK_OK);
      }
    }
  }
}

pk_model *random_tree(pki_random *rng, const random_tree_options *o)
{
  const int robots = o->robots > 1 ? o->robots : 1;
  assert_in_range(o->links, 0, RANDOM_TREE_LINKS);
  pk_builder *b;
  pk_builder_create(&b, NULL);
  for (int r = 0, left = o->links; r < robots; r++) {
    const int links = left / (robots - r);
    describe_robot(rng, b, o, r, links);
    left -= links;
  }
  if (o->cut == 2 && !has_added_kinds()) {
    assert_int_equal(pk_builder_cut_joint(b, NULL, NULL), PK_OK);
  }
  pk_error err = {.message = ""};
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
