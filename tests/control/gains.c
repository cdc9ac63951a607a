/* Gains by inertia: the numbers of two legs on a trunk, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "control/gains.h"
#include "support/bounds.h"

static const double pi = 3.14159265358979323846;

/* A trunk of 4 kg with legs of 1 kg, 0.3 m below hinges about y; 0.1 and 0.01 kg m^2 about their own centres. The root is turned and
 * elsewhere, which changes nothing. */
static pk_model *make_robot(pk_root_kind root, const char *kind, const char *effort)
{
  char text[2000];
  snprintf(
      text, sizeof text,
      "<robot name='r'><link name='trunk'><inertial><mass value='4'/><inertia ixx='.1' iyy='.1' izz='.1' "
      "ixy='0' "
      "ixz='0' iyz='0'/></inertial></link>"
      "<joint name='l' type='%s'><parent link='trunk'/><child link='left'/><origin xyz='0 .1 0'/><axis "
      "xyz='0 1 "
      "0'/><limit lower='-2' upper='2' effort='%s' velocity='9'/></joint>"
      "<link name='left'><inertial><origin xyz='0 0 -.3'/><mass value='1'/><inertia ixx='.01' iyy='.01' "
      "izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='r' type='revolute'><parent link='trunk'/><child link='right'/><origin xyz='0 -.1 "
      "0'/><axis "
      "xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='9'/></joint>"
      "<link name='right'><inertial><origin xyz='0 0 -.3'/><mass value='1'/><inertia ixx='.01' iyy='.01' "
      "izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
      kind, effort);
  pk_load_options options = pk_load_options_default();
  options.root = root;
  options.pose = pk_pose_from_xyz_rpy((const double[3]){3, -1, 2}, (const double[3]){0.4, -1.1, 2.5});
  pk_builder *b;
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  pk_builder_create(&b, NULL);
  if (pk_builder_add_urdf_memory(b, text, strlen(text), "r.urdf", &options, &err) != PK_OK ||
      pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

/* Of joint l, at 1 Hz. */
static void expect_gains(pk_root_kind root, const char *kind, const char *effort, double inertia, double most)
{
  pk_model *m = make_robot(root, kind, effort);
  double kp[8], kd[8];
  pk_error err;
  assert_int_equal(pki_gains_compute(m, 1, kp, kd, &err), PK_OK);
  const int u = m->joints[pk_model_find_joint(m, "l")].u;
  const double expected = fmin(4 * pi * pi * inertia, most);
  assert_near(kp[u], expected, 1e-12 * expected);
  assert_near(kd[u], 2 * sqrt(expected * inertia), 1e-12 * expected);
  for (int k = 0; root == PK_ROOT_FREE && k < 6; k++) {
    assert_true(kp[k] == 0 && kd[k] == 0);
  }
  pk_model_destroy(m);
}

static void a_fixed_root_carries_what_is_below(void **state)
{
  (void)state;
  expect_gains(PK_ROOT_FIXED, "revolute", "50", 0.01 + 0.09, INFINITY);
  expect_gains(PK_ROOT_FIXED, "prismatic", "50", 1, INFINITY);
}

/* A leg that stands turns trunk and the other leg about its hinge, which lie on the hinge's axis and 0.3 m off it. */
static void a_free_root_turns_about_the_foot(void **state)
{
  (void)state;
  expect_gains(PK_ROOT_FREE, "revolute", "50", 0.1 + 0.01 + 0.09, INFINITY);
  expect_gains(PK_ROOT_FREE, "prismatic", "50", 5, INFINITY);
}

static void the_effort_limit_bounds_them(void **state)
{
  (void)state;
  expect_gains(PK_ROOT_FREE, "revolute", "0.5", 0.2, 5);
  expect_gains(PK_ROOT_FREE, "prismatic", "0.5", 5, 50);
  expect_gains(PK_ROOT_FREE, "revolute", "0", 0.2, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fixed_root_carries_what_is_below),
      cmocka_unit_test(a_free_root_turns_about_the_foot),
      cmocka_unit_test(the_effort_limit_bounds_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
