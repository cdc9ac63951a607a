#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

pk_model *load_robot(const char *name)
{
  char path[512];
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  pk_urdf_options options = pk_urdf_options_default();
  options.load_meshes = false;
  pk_model *model = NULL;
  pk_error err = {0};
  if (pk_model_load_urdf(path, &options, &model, &err) != PK_OK) {
    fprintf(stderr, "%s:%d: %s\n", path, err.line, err.message);
    return NULL;
  }
  return model;
}

static void random_vector(pki_random *random, double reach, double v[3])
{
  for (int k = 0; k < 3; k++)
    v[k] = pki_random_between(random, -reach, reach);
}

/* Mass properties of six point masses: an inertia that a body can have. */
static pk_inertia random_inertia(pki_random *random)
{
  pk_inertia inertia = {.mass = pki_random_between(random, 0.5, 3.0)};
  random_vector(random, 0.1, inertia.com);
  for (int p = 0; p < 6; p++) {
    double r[3];
    random_vector(random, 0.1, r);
    const double m = inertia.mass / 6.0;
    const double add[6] = {r[1] * r[1] + r[2] * r[2], -r[0] * r[1], -r[0] * r[2],
                           r[0] * r[0] + r[2] * r[2], -r[1] * r[2], r[0] * r[0] + r[1] * r[1]};
    for (int k = 0; k < 6; k++)
      inertia.moment[k] += m * add[k];
  }
  return inertia;
}

static pk_status add_joint(pk_builder *b, pki_random *random, int link, pk_error *err)
{
  static const pk_joint_kind kinds[] = {PK_JOINT_REVOLUTE, PK_JOINT_CONTINUOUS, PK_JOINT_PRISMATIC,
                                        PK_JOINT_SPHERICAL};
  char name[32], parent[32], child[32];
  snprintf(name, sizeof name, "joint%d", link);
  snprintf(parent, sizeof parent, "link%d", (int)(pki_random_bits(random) % (unsigned)link));
  snprintf(child, sizeof child, "link%d", link);
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = name;
  joint.kind = kinds[pki_random_bits(random) % 4];
  joint.parent = parent;
  joint.child = child;
  double xyz[3], rpy[3];
  random_vector(random, 0.3, xyz);
  random_vector(random, 3.0, rpy);
  joint.origin = pk_pose_from_xyz_rpy(xyz, rpy);
  do
    random_vector(random, 1.0, joint.axis);
  while (joint.axis[0] * joint.axis[0] + joint.axis[1] * joint.axis[1] + joint.axis[2] * joint.axis[2] <
         0.01);
  if (joint.kind != PK_JOINT_SPHERICAL && pki_random_bits(random) % 2)
    joint.armature = 0.05;
  if (joint.kind == PK_JOINT_REVOLUTE) {
    joint.lower = -2.0;
    joint.upper = 1.0;
  }
  return pk_builder_add_joint(b, &joint, err);
}

pk_model *grow_tree(int links, unsigned seed)
{
  pk_builder *b = pk_builder_create();
  if (!b)
    return NULL;
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
    if (status == PK_OK && i > 0)
      status = add_joint(b, &random, i, &err);
  }
  if (status == PK_OK)
    status = pk_builder_compile(b, &model, &err);
  if (status != PK_OK)
    fprintf(stderr, "random tree %u: %s\n", seed, err.message);
  pk_builder_destroy(b);
  return status == PK_OK ? model : NULL;
}
