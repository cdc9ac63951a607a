/* N equal rods, for benchmarks and studies of cost against size. */
#include "model/chain.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "model/compile.h"
#include "model/motion.h"

pk_chain_options pk_chain_options_default(void)
{
  return (pk_chain_options){.links = 10, .length = 0.3, .mass = 1, .alternate = true, .root = PK_ROOT_FIXED};
}

int pki_chain_limit(pk_root_kind root)
{
  /* n velocities make n (n + 1) / 2 entries */
  int n = (int)sqrt(2.0 * PKI_PLAN_MAX);
  while ((size_t)n * ((size_t)n + 1) / 2 > PKI_PLAN_MAX) {
    n--;
  }
  return root == PK_ROOT_FREE ? n - pki_motion_nu(PK_MOTION_FLOATING) : n;
}

static pk_status check_options(const pk_chain_options *o, pk_error *err)
{
  const int most = pki_chain_limit(o->root);
  if (o->links < 1 || o->links > most) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "links"}, "links is %d, expected 1 to %d",
                    o->links, most);
  }
  if (!(o->length > 0 && isfinite(o->length)) || !(o->mass > 0 && isfinite(o->mass))) {
    const bool length_is_right = o->length > 0 && isfinite(o->length);
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = length_is_right ? "mass" : "length"},
                    "length is %g m and mass %g kg, expected positive numbers", o->length, o->mass);
  }
  if (o->root != PK_ROOT_FIXED && o->root != PK_ROOT_FREE) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "root"},
                    "the root of a chain is fixed or free");
  }
  return PK_OK;
}

pk_status pk_builder_add_chain(pk_builder *b, const pk_chain_options *options, pk_error *err)
{
  const pk_chain_options o = options ? *options : pk_chain_options_default();
  pk_status status = check_options(&o, err);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "chain";
  robot.root = o.root;
  if (status == PK_OK) {
    status = pk_builder_add_robot(b, &robot, err);
  }
  /* a slender rod of radius length/20 along -z, its joint at the top */
  const double radius = o.length / 20;
  const double across = o.mass * (3 * radius * radius + o.length * o.length) / 12,
               along = o.mass * radius * radius / 2;
  const pk_inertia rod = {
      .mass = o.mass, .com = {0, 0, -o.length / 2}, .moment = {across, 0, 0, across, 0, along}};
  for (int i = 0; i <= o.links && status == PK_OK; i++) {
    char name[32], joint_name[32], parent[32];
    snprintf(name, sizeof name, i == 0 ? "base" : "link%d", i);
    snprintf(parent, sizeof parent, i == 1 ? "base" : "link%d", i - 1);
    snprintf(joint_name, sizeof joint_name, "joint%d", i);
    const pk_link_desc link = {.name = name,
                               .inertia = i > 0 || o.root == PK_ROOT_FREE ? rod : (pk_inertia){0}};
    status = pk_builder_add_link(b, &link, err);
    if (i == 0 || status != PK_OK) {
      continue;
    }
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = joint_name, joint.parent = parent, joint.child = name;
    joint.axis[0] = o.alternate && i % 2 == 0;
    joint.axis[1] = !joint.axis[0];
    joint.origin.pos[2] = i > 1 || o.root == PK_ROOT_FREE ? -o.length : 0;
    status = pk_builder_add_joint(b, &joint, err);
  }
  return status;
}
