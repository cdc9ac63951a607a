/* Which root a robot gets when nobody says: by what it can do, not by what it is called. */
#include "model/build_help.h"

static void sphere_on(part *p, const char *link, double radius)
{
  p->shapes[p->nshape++] = (pk_shape_desc){.link = link,
                                           .kind = PK_SHAPE_SPHERE,
                                           .pose = pk_pose_identity(),
                                           .size = {radius},
                                           .rgba = {1, 1, 1, 1}};
}

/* A hinge at a place of its parent. */
static pk_joint_desc *hinge(part *p, const char *name, const char *parent, const char *child, double x,
                            double z)
{
  pk_joint_desc *j = add_joint(p, name, PK_JOINT_REVOLUTE, parent, child);
  j->origin.pos[0] = x, j->origin.pos[1] = 0, j->origin.pos[2] = z;
  j->lower = -3, j->upper = 3;
  return j;
}

/* A root of 1 kg, its centre of mass in its middle, and nothing else. */
static part rooted(const char *name)
{
  part p = {.robot = pk_robot_desc_default()};
  p.robot.name = "r";
  add_link(&p, name)->inertia.com[2] = 0;
  return p;
}

static void expect_root(const part *p, pk_root_kind kind, pk_root_reason reason)
{
  const world w = {.parts = {*p}, .nparts = 1, .gravity = {0, 0, -9.81}};
  pk_model *m = compile(&w);
  assert_string_equal(pk_root_reason_text(m->robots[0].root_reason), pk_root_reason_text(reason));
  assert_int_equal(m->robots[0].root_reason, reason);
  assert_int_equal(m->robots[0].root, kind);
  pk_model_destroy(m);
}

/* Base, upper arm, forearm upwards, as arms stand on tables; the base weighs as much as it likes. */
static part arm(void)
{
  part p = rooted("base");
  p.links[0].inertia.mass = 100;
  for (int i = 0; i < 6; i++) {
    p.links[0].inertia.moment[i] *= 100;
  }
  add_link(&p, "upper"), add_link(&p, "fore");
  hinge(&p, "shoulder", "base", "upper", 0, 0.2);
  hinge(&p, "elbow", "upper", "fore", 0, 0.4);
  return p;
}

static void an_arm_on_a_heavy_base_is_fixed(void **state)
{
  (void)state;
  part p = arm();
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
  /* its gripper has two fingers, but they are at the far end */
  add_link(&p, "left"), add_link(&p, "right");
  hinge(&p, "l", "fore", "left", 0.02, -2), hinge(&p, "r", "fore", "right", -0.02, -2);
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
  /* whoever knows better says so */
  p.robot.root = PK_ROOT_FREE;
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_GIVEN);
}

static void a_pendulum_on_a_heavy_base_is_fixed(void **state)
{
  (void)state;
  part p = rooted("base");
  add_link(&p, "bob");
  hinge(&p, "pivot", "base", "bob", 0, -0.1);
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
}

static void legs_make_a_root_free(void **state)
{
  (void)state;
  part p = rooted("trunk");
  add_link(&p, "left"), add_link(&p, "right"), add_link(&p, "head");
  hinge(&p, "l", "trunk", "left", 0.1, -0.3), hinge(&p, "r", "trunk", "right", -0.1, -0.3);
  hinge(&p, "neck", "trunk", "head", 0, 0.3);
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_STANDS);
}

/* Two arms and a head on a torso whose pedestal reaches the floor. */
static void a_torso_on_a_pedestal_is_fixed(void **state)
{
  (void)state;
  part p = rooted("torso");
  add_link(&p, "left"), add_link(&p, "right"), add_link(&p, "head"), add_link(&p, "pedestal");
  hinge(&p, "l", "torso", "left", 0.3, 0.2), hinge(&p, "r", "torso", "right", -0.3, 0.2);
  hinge(&p, "neck", "torso", "head", 0, 0.5);
  pk_joint_desc *weld = add_joint(&p, "weld", PK_JOINT_FIXED, "torso", "pedestal");
  weld->origin.pos[2] = -0.9;
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
}

/* Fingers point away from the palm. */
static void a_hand_is_fixed(void **state)
{
  (void)state;
  part p = rooted("palm");
  static const char *const fingers[] = {"index", "middle", "ring", "thumb"};
  for (int i = 0; i < 4; i++) {
    add_link(&p, fingers[i])->inertia.com[2] = 0.02;
    hinge(&p, fingers[i], "palm", fingers[i], 0.02 * i, 0.1);
  }
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
}

/* Legs of an insect at zero angles lie beside the trunk, and reach as low as it does but for a few per cent. */
static void legs_beside_the_trunk_count(void **state)
{
  (void)state;
  part p = rooted("trunk");
  sphere_on(&p, "trunk", 0.1);
  p.links[0].inertia.com[2] = 0;
  for (int i = 0; i < 4; i++) {
    static const char *const legs[] = {"a", "b", "c", "d"};
    add_link(&p, legs[i])->inertia.com[2] = -0.099;
    hinge(&p, legs[i], "trunk", legs[i], 0.1, 0);
  }
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_STANDS);
  for (int i = 1; i <= 4; i++) {
    p.links[i].inertia.com[2] = 0.05;
  }
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
}

/* By shapes: the wheel's centre is above the base's bottom, its rim is not. An arm on it changes nothing. */
static void wheels_make_a_root_free(void **state)
{
  (void)state;
  part p = rooted("base");
  p.links[0].inertia.com[2] = -0.05;
  add_link(&p, "left"), add_link(&p, "right"), add_link(&p, "arm");
  for (int i = 1; i <= 2; i++) {
    p.links[i].inertia.com[2] = 0;
    hinge(&p, p.links[i].name, "base", p.links[i].name, i == 1 ? 0.2 : -0.2, 0);
    sphere_on(&p, p.links[i].name, 0.1);
  }
  hinge(&p, "arm", "base", "arm", 0, 0.4);
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_STANDS);
  p.nshape = 0;
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
  /* without shapes they are wheels by their joints, as rotors above a quadrotor are */
  p.joints[0].kind = p.joints[1].kind = PK_JOINT_CONTINUOUS;
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_ROLLS);
}

static void one_body_is_free(void **state)
{
  (void)state;
  part p = rooted("cube");
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_ONE_BODY);
  add_link(&p, "lid");
  add_joint(&p, "glue", PK_JOINT_FIXED, "cube", "lid");
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_ONE_BODY);
}

static void a_massless_root_and_a_world_are_fixed(void **state)
{
  (void)state;
  part cart = rooted("rail");
  cart.links[0].inertia = (pk_inertia){0};
  add_link(&cart, "cart"), add_link(&cart, "pole");
  hinge(&cart, "slide", "rail", "cart", 0, 0)->kind = PK_JOINT_PRISMATIC;
  hinge(&cart, "pivot", "cart", "pole", 0, 0.1);
  expect_root(&cart, PK_ROOT_FIXED, PK_ROOT_REASON_MASSLESS);

  part p = rooted("world");
  add_link(&p, "left"), add_link(&p, "right");
  hinge(&p, "l", "world", "left", 0.1, -0.3), hinge(&p, "r", "world", "right", -0.1, -0.3);
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_WORLD);
}

/* The knee cannot be straight: at its limit, where the robot starts, the foot is above the trunk's bottom. */
static void the_start_pose_decides(void **state)
{
  (void)state;
  part p = rooted("trunk");
  for (int i = 0; i < 2; i++) {
    static const char *const legs[] = {"left", "right"};
    add_link(&p, legs[i])->inertia.com[2] = -0.3;
    p.links[1 + i].inertia.com[0] = p.links[1 + i].inertia.com[1] = 0;
    hinge(&p, legs[i], "trunk", legs[i], 0.1, 0.1)->lower = 0;
  }
  expect_root(&p, PK_ROOT_FREE, PK_ROOT_REASON_STANDS);
  p.joints[0].lower = p.joints[1].lower = 1.6; /* rad about x: they lie */
  expect_root(&p, PK_ROOT_FIXED, PK_ROOT_REASON_CANNOT_STAND);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_on_a_heavy_base_is_fixed),
      cmocka_unit_test(a_pendulum_on_a_heavy_base_is_fixed),
      cmocka_unit_test(legs_make_a_root_free),
      cmocka_unit_test(a_torso_on_a_pedestal_is_fixed),
      cmocka_unit_test(a_hand_is_fixed),
      cmocka_unit_test(legs_beside_the_trunk_count),
      cmocka_unit_test(wheels_make_a_root_free),
      cmocka_unit_test(one_body_is_free),
      cmocka_unit_test(a_massless_root_and_a_world_are_fixed),
      cmocka_unit_test(the_start_pose_decides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
