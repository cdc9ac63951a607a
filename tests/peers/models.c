#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/random_tree.h"

pk_model *load_robot(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_model_load_urdf(path, &options, &model, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", path, err.line, err.message);
    return NULL;
  }
  return model;
}

static pk_status add_joint(pk_builder *b, pki_random *random, int link, int kinds, pk_error *err)
{
  static const pk_joint_kind all[] = {PK_JOINT_REVOLUTE,  PK_JOINT_CONTINUOUS, PK_JOINT_PRISMATIC,
                                      PK_JOINT_SPHERICAL, PK_JOINT_PLANAR,     PK_JOINT_FLOATING};
  char name[32], parent[32], child[32];
  snprintf(name, sizeof name, "joint%d", link);
  snprintf(parent, sizeof parent, "link%d", (int)(pki_random_bits(random) % (unsigned)link));
  snprintf(child, sizeof child, "link%d", link);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = name;
  joint.kind = all[pki_random_bits(random) % (unsigned)kinds];
  joint.parent = parent;
  joint.child = child;
  double xyz[3], rpy[3];
  random_vector(random, 3, 0.3, xyz);
  random_vector(random, 3, 3.0, rpy);
  joint.origin = pk_pose_from_xyz_rpy(xyz, rpy);
  do {
    random_vector(random, 3, 1.0, joint.axis);
  } while (joint.axis[0] * joint.axis[0] + joint.axis[1] * joint.axis[1] + joint.axis[2] * joint.axis[2] <
           0.01);
  if (joint.kind <= PK_JOINT_PRISMATIC && pki_random_bits(random) % 2) {
    joint.armature = 0.05;
  }
  if (joint.kind == PK_JOINT_REVOLUTE) {
    joint.lower = -2.0;
    joint.upper = 1.0;
  }
  return pk_builder_add_joint(b, &joint, err);
}

pk_model *grow_tree(int links, bool planar_and_floating, unsigned seed)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (!b) {
    return NULL;
  }
  pki_random random = pki_random_seeded(seed);
  const double gravity[3] = {1.0, -2.0, -9.0};
  pk_builder_set_gravity(b, gravity);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "tree";
  robot.root = PK_ROOT_FREE;
  pk_error err = {0};
  pk_model *model = NULL;
  pk_status status = pk_builder_add_robot(b, &robot, &err);
  for (int i = 0; i < links && status == PK_OK; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    const pk_link_desc link = {.name = name, .inertia = random_inertia(&random)};
    status = pk_builder_add_link(b, &link, &err);
    if (status == PK_OK && i > 0) {
      status = add_joint(b, &random, i, planar_and_floating ? 6 : 4, &err);
    }
  }
  if (status == PK_OK) {
    status = pk_builder_compile(b, &model, &err);
  }
  if (status != PK_OK) {
    fprintf(stderr, "random tree %u: %s\n", seed, err.message);
  }
  pk_builder_destroy(b);
  return status == PK_OK ? model : NULL;
}
