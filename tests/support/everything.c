#include "support/everything.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/model.h"

static void demand(pk_status status, const pk_error *err)
{
  if (status != PK_OK) {
    fail_msg("%s: %s", err->field, err->message);
  }
}

static void add_link(pk_builder *b, const char *name, double mass)
{
  const pk_link_desc link = {.name = name,
                             .inertia = {.mass = mass,
                                         .com = {0.01, -0.02, 0.1 / 3},
                                         .moment = {0.02 * mass, 0.001 * mass, -0.002 * mass, 0.03 * mass,
                                                    0.0005 * mass, 0.025 * mass}}};
  pk_error err;
  demand(pk_builder_add_link(b, &link, &err), &err);
}

static pk_joint_desc joint_between(const char *name, pk_joint_kind kind, const char *parent,
                                   const char *child)
{
  pk_joint_desc j = pk_joint_desc_default();
  j.name = name, j.kind = kind, j.parent = parent, j.child = child;
  j.origin = pk_pose_from_xyz_rpy((const double[3]){0.1, 0.2, -0.3}, (const double[3]){0.3, -0.4, 1.2});
  return j;
}

static void add_joint(pk_builder *b, const pk_joint_desc *joint)
{
  pk_error err;
  demand(pk_builder_add_joint(b, joint, &err), &err);
}

/* hip (revolute), slide, wrist (spherical), a welded toe, and what the options ask for */
static void add_limbs(pk_builder *b, const everything_options *o)
{
  pk_joint_desc hip = joint_between("hip", PK_JOINT_REVOLUTE, "trunk", "thigh");
  hip.axis[0] = 0.36, hip.axis[1] = 0.48, hip.axis[2] = -0.8;
  hip.lower = -1.1, hip.upper = 2.2, hip.effort = 40, hip.velocity = 12;
  hip.damping = 0.7, hip.friction = 0.2, hip.armature = 0.05;
  pk_joint_desc slide = joint_between("slide", PK_JOINT_PRISMATIC, "thigh", "shank");
  slide.axis[0] = 0, slide.axis[2] = -1, slide.lower = -0.1, slide.upper = 0.3, slide.effort = 100;
  pk_joint_desc wheel = joint_between("wheel", PK_JOINT_CONTINUOUS, "trunk", "wheel");
  wheel.axis[0] = 0, wheel.axis[1] = 1;
  if (o->springs) {
    hip.stiffness = 30, hip.spring_ref = 0.4, hip.ref = 0.25, slide.ref = -0.05, wheel.ref = 1;
  }
  const pk_joint_desc toe = joint_between("toe", PK_JOINT_FIXED, "shank", "toe"),
                      wrist = joint_between("wrist", PK_JOINT_SPHERICAL, "trunk", "hand");
  add_joint(b, &hip), add_joint(b, &slide), add_joint(b, &wheel), add_joint(b, &toe), add_joint(b, &wrist);
  if (o->mimic) {
    add_link(b, "follower", 0.4);
    pk_joint_desc follow = joint_between("follow", PK_JOINT_CONTINUOUS, "hand", "follower");
    follow.mimic = "wheel", follow.mimic_multiplier = -0.5, follow.mimic_offset = 0.2;
    add_joint(b, &follow);
  }
  if (o->planar) {
    add_link(b, "puck", 0.6);
    pk_joint_desc planar = joint_between("plane", PK_JOINT_PLANAR, "trunk", "puck");
    planar.axis[0] = 0.48, planar.axis[1] = 0.6, planar.axis[2] = 0.64;
    add_joint(b, &planar);
  }
  if (o->floating) {
    add_link(b, "balloon", 0.3);
    const pk_joint_desc floating = joint_between("string", PK_JOINT_FLOATING, "trunk", "balloon");
    add_joint(b, &floating);
  }
}

static pk_shape_desc shape_on(const char *link, pk_shape_kind kind, double x, double y, double z)
{
  pk_shape_desc s = {.link = link, .kind = kind, .size = {x, y, z}, .rgba = {0.7, 0.7, 0.7, 1}};
  s.pose = pk_pose_from_xyz_rpy((const double[3]){0.05, 0, -0.02}, (const double[3]){0.1, 0.2, 0.3});
  return s;
}

static void add_shape(pk_builder *b, const pk_shape_desc *shape)
{
  pk_error err;
  demand(pk_builder_add_shape(b, shape, &err), &err);
}

static void add_meshes(pk_builder *b)
{
  static const double vertex[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 / 3};
  static const double other[12] = {0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2};
  static const int triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const pk_mesh first = {"package://walker/meshes/wedge.dae", 4, 4, vertex, triangle},
                       second = {"other/wedge.stl", 4, 4, other, triangle};
  pk_shape_desc hull = shape_on("thigh", PK_SHAPE_CONVEX, 0, 0, 0),
                seen = shape_on("thigh", PK_SHAPE_MESH, 0, 0, 0);
  hull.mesh = &first, seen.mesh = &first, seen.visual = true;
  add_shape(b, &hull), add_shape(b, &seen);
  seen.mesh = &second, seen.link = "shank";
  add_shape(b, &seen);
}

static void add_shapes(pk_builder *b, const everything_options *o)
{
  pk_shape_desc box = shape_on("trunk", PK_SHAPE_BOX, 0.4, 0.2, 0.1),
                ball = shape_on("toe", PK_SHAPE_SPHERE, 0.02, 0, 0),
                rod = shape_on("shank", PK_SHAPE_CAPSULE, 0.02, 0.2, 0),
                tube = shape_on("wheel", PK_SHAPE_CYLINDER, 0.1, 0.04, 0);
  box.name = "shell & <hull>", box.visual = true, box.rgba[0] = 0.1, box.rgba[3] = 0.5;
  ball.name = "sole";
  if (o->equipment) {
    ball.group = 2, ball.mask = 5, ball.friction = 0.9, ball.priority = 1;
    rod.name = "rod", rod.pairs_only = true;
  }
  add_shape(b, &box), add_shape(b, &ball), add_shape(b, &rod), add_shape(b, &tube);
  if (o->cone) {
    const pk_shape_desc cone = shape_on("hand", PK_SHAPE_CONE, 0.02, 0.1, 0),
                        egg = shape_on("hand", PK_SHAPE_ELLIPSOID, 0.02, 0.03, 0.04);
    add_shape(b, &cone), add_shape(b, &egg);
  }
  if (o->meshes) {
    add_meshes(b);
  }
}

static void add_sensor(pk_builder *b, const char *name, pk_sensor_kind kind, pk_sensor_place place,
                       const char *at)
{
  pk_error err;
  const pk_sensor_desc s = {.name = name, .kind = kind, .place = place, .at = at, .cutoff = 3, .noise = 0.01};
  demand(pk_builder_add_sensor(b, &s, &err), &err);
}

static void add_equipment(pk_builder *b)
{
  pk_error err;
  pk_site_desc imu = pk_site_desc_default(), pad = pk_site_desc_default();
  imu.name = "imu", imu.link = "trunk", imu.pose.pos[2] = 0.1;
  pad.name = "pad", pad.link = "toe", pad.kind = PK_SHAPE_BOX, pad.size[0] = 0.1, pad.size[1] = 0.2,
  pad.size[2] = 0.3;
  demand(pk_builder_add_site(b, &imu, &err), &err);
  demand(pk_builder_add_site(b, &pad, &err), &err);
  pk_actuator_desc servo = pk_actuator_desc_default(), wind = pk_actuator_desc_default();
  servo.name = "servo", servo.joint = "hip", servo.gear = 2, servo.gain[0] = 50, servo.bias[1] = -50,
  servo.bias[2] = -3;
  servo.ctrl_lower = -1, servo.ctrl_upper = 1, servo.force_lower = -20, servo.force_upper = 25;
  wind.name = "wind", wind.joint = "wheel", wind.integrates = true, wind.act_lower = -2, wind.act_upper = 2;
  demand(pk_builder_add_actuator(b, &servo, &err), &err);
  demand(pk_builder_add_actuator(b, &wind, &err), &err);
  add_sensor(b, "turn", PK_SENSOR_GYRO, PK_SENSOR_PLACE_SITE, "imu");
  add_sensor(b, "step", PK_SENSOR_TOUCH, PK_SENSOR_PLACE_SITE, "pad");
  add_sensor(b, "angle", PK_SENSOR_JOINTPOS, PK_SENSOR_PLACE_JOINT, "hip");
  add_sensor(b, "pull", PK_SENSOR_ACTUATORFRC, PK_SENSOR_PLACE_ACTUATOR, "servo");
  add_sensor(b, "middle", PK_SENSOR_SUBTREECOM, PK_SENSOR_PLACE_LINK, "trunk");
  add_sensor(b, "time", PK_SENSOR_CLOCK, PK_SENSOR_PLACE_NONE, NULL);
  const pk_sensor_desc place = {.name = "place",
                                .kind = PK_SENSOR_FRAMEPOS,
                                .place = PK_SENSOR_PLACE_COM,
                                .at = "shank",
                                .reference = PK_SENSOR_PLACE_SITE,
                                .relative_to = "imu"};
  demand(pk_builder_add_sensor(b, &place, &err), &err);
}

static void add_pairs(pk_builder *b, const char *prefix)
{
  char name[4][64];
  static const char *const names[4] = {"trunk", "shank", "sole", "rod"};
  for (int i = 0; i < 4; i++) {
    snprintf(name[i], sizeof name[i], "%s%s", prefix != NULL ? prefix : "", names[i]);
  }
  pk_error err;
  const pk_pair_desc apart = {.name = {name[0], name[1]}},
                     rub = {.name = {name[2], name[3]}, .shapes = true, .collide = true, .friction = 0.3};
  demand(pk_builder_add_pair(b, &apart, &err), &err);
  demand(pk_builder_add_pair(b, &rub, &err), &err);
}

/* A weld between trunk and hand at rest, where both are known; a coupling of wheel and slide. */
static void add_constraints(pk_builder *b, const char *prefix)
{
  char trunk[64], hand[64], wheel[64], slide[64];
  snprintf(trunk, sizeof trunk, "%strunk", prefix != NULL ? prefix : "");
  snprintf(hand, sizeof hand, "%shand", prefix != NULL ? prefix : "");
  snprintf(wheel, sizeof wheel, "%swheel", prefix != NULL ? prefix : "");
  snprintf(slide, sizeof slide, "%sslide", prefix != NULL ? prefix : "");
  pk_error err;
  pk_constraint_desc ball = pk_constraint_desc_default(), couple = pk_constraint_desc_default();
  ball.name = "grip", ball.kind = PK_CONSTRAINT_BALL, ball.link[0] = trunk, ball.link[1] = hand;
  ball.frame[0] = pk_pose_from_xyz_rpy((const double[3]){0.1, 0.2, -0.3}, (const double[3]){0.3, -0.4, 1.2});
  demand(pk_builder_add_constraint(b, &ball, &err), &err);
  couple.name = "gear", couple.kind = PK_CONSTRAINT_COUPLING, couple.joint[0] = slide,
  couple.joint[1] = wheel;
  couple.polynomial[0] = 0.01, couple.polynomial[1] = 0.02, couple.polynomial[2] = -0.003;
  demand(pk_builder_add_constraint(b, &couple, &err), &err);
}

/* A fixed robot beside the other, which the ground belongs to. */
static void add_stand(pk_builder *b, const everything_options *o)
{
  pk_error err;
  pk_robot_desc stand = pk_robot_desc_default();
  stand.name = "stand", stand.prefix = "stand_", stand.root = PK_ROOT_FIXED;
  stand.pose = pk_pose_from_xyz_rpy((const double[3]){1, 2, 0.5}, (const double[3]){0, 0, 0.7});
  demand(pk_builder_add_robot(b, &stand, &err), &err);
  add_link(b, "post", 3), add_link(b, "arm", 0.8);
  pk_joint_desc elbow = joint_between("elbow", PK_JOINT_CONTINUOUS, "post", "arm");
  elbow.damping = 0.1;
  add_joint(b, &elbow);
  if (o->ground) {
    static double z[6] = {0, 0.1, 0.05, -0.1, 0.2, 1.0 / 3};
    static const pk_heights hills = {.nx = 3, .ny = 2, .cell = 0.5, .z = z};
    pk_shape_desc floor = shape_on("post", PK_SHAPE_PLANE, 0, 0, 0),
                  field = shape_on("post", PK_SHAPE_HEIGHTS, 0, 0, 0);
    field.heights = &hills;
    add_shape(b, &floor), add_shape(b, &field);
  }
}

/* Both robots in a pose of their own. */
static void add_keyframe(pk_builder *b)
{
  static double q[64];
  pk_model *model = NULL;
  pk_error err;
  demand(pk_builder_compile(b, &model, &err), &err);
  assert_in_range(model->nq, 1, 64);
  memcpy(q, model->q0, (size_t)model->nq * sizeof *q);
  q[0] = 0.5, q[2] = 1.0 / 3;
  const double ctrl[2] = {0.2, -0.1};
  const pk_keyframe_desc home = {
      .name = "home", .nrobot = 2, .q = q, .nq = model->nq, .ctrl = ctrl, .nctrl = 2};
  pk_model_destroy(model);
  demand(pk_builder_add_keyframe(b, &home, &err), &err);
}

void build_everything(pk_builder *b, const everything_options *o)
{
  pk_error err;
  pk_robot_desc walker = pk_robot_desc_default();
  walker.name = "walker", walker.prefix = o->prefix, walker.root = PK_ROOT_FREE, walker.pose.pos[2] = 0.8;
  demand(pk_builder_add_robot(b, &walker, &err), &err);
  add_link(b, "trunk", 12), add_link(b, "thigh", 2), add_link(b, "shank", 1.5), add_link(b, "toe", 0.2);
  add_link(b, "wheel", 0.9), add_link(b, "hand", 0.7);
  add_limbs(b, o);
  add_shapes(b, o);
  if (o->equipment) {
    add_equipment(b);
  }
  add_stand(b, o);
  if (o->constraints) {
    add_constraints(b, o->prefix);
  }
  if (o->equipment) {
    add_pairs(b, o->prefix);
    add_keyframe(b);
  }
}
