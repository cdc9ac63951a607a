#include "support/hinge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

pk_joint_desc hinge_joint(void)
{
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "hinge", joint.parent = "base", joint.child = "arm";
  joint.axis[0] = 0, joint.axis[2] = 1;
  return joint;
}

pk_model *hinge_model(const pk_joint_desc *joint)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err;
  pk_model *m;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FIXED;
  const pk_link_desc base = {.name = "base"},
                     arm = {.name = "arm", .inertia = {.mass = 1, .moment = {1, 0, 0, 1, 0, 1}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &base, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &arm, &err), PK_OK);
  assert_int_equal(pk_builder_add_joint(b, joint, &err), PK_OK);
  assert_int_equal(pk_builder_compile(b, &m, &err), PK_OK);
  pk_builder_destroy(b);
  return m;
}
