/* Building a world: robots and free objects are described link by link, or read from
 * files, and then compiled into one immutable pk_model (model.h).
 *
 *   pk_builder *b;
 *   pk_builder_create(&b, &err);
 *   pk_builder_add_urdf(b, "models/starleth/starleth.urdf", NULL, &err);
 *   pk_builder_compile(b, &model, &err);
 *   pk_builder_destroy(b);
 *
 * A robot is a tree of links joined by joints. Descriptions are copied: strings and
 * arrays passed in may be freed after the call. Angles are radians, lengths metres.
 *
 * Threads: different builders may be used at the same time, one builder by one thread. */
#ifndef PRONK_BUILDER_H
#define PRONK_BUILDER_H

#include <stdbool.h>
#include <stddef.h>

#include "heights.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_builder pk_builder;
typedef struct pk_model pk_model;

/* Joint kinds as users know them from URDF, a row ROW(value, name) for each. The values are those of
 * pk_joint_kind below, in this order; a new kind comes last. */
#define PK_JOINT_KINDS(ROW) \
  /* no coordinate: the links become one body */ \
  ROW(PK_JOINT_FIXED, fixed) \
  /* 1 coordinate: angle about the axis, with limits */ \
  ROW(PK_JOINT_REVOLUTE, revolute) \
  /* 1 coordinate: angle about the axis, without limits */ \
  ROW(PK_JOINT_CONTINUOUS, continuous) \
  /* 1 coordinate: travel along the axis */ \
  ROW(PK_JOINT_PRISMATIC, prismatic) \
  /* 3 coordinates: travel along two axes normal to `axis`, angle about it */ \
  ROW(PK_JOINT_PLANAR, planar) \
  /* q: position (3), quaternion (4); u: linear (3), angular (3) */ \
  ROW(PK_JOINT_FLOATING, floating) \
  /* q: quaternion (4); u: angular velocity in the child's frame (3) */ \
  ROW(PK_JOINT_SPHERICAL, spherical)

#define PK_JOINT_VALUE(value, name) value,
typedef enum pk_joint_kind { PK_JOINT_KINDS(PK_JOINT_VALUE) PK_JOINT_KIND_COUNT } pk_joint_kind;
#undef PK_JOINT_VALUE

/* How the root link of a robot meets the world. */
typedef enum pk_root_kind {
  /* free when the robot can stand or roll, or is one body; fixed otherwise: pk_root_reason has the rule */
  PK_ROOT_AUTO,
  PK_ROOT_FREE,  /* a floating joint */
  PK_ROOT_FIXED, /* welded to the world */
  PK_ROOT_CHAIN, /* three prismatic joints (x, y, z), then three revolute (x, y, z) */
  PK_ROOT_KIND_COUNT
} pk_root_kind;

/* Why a root is free or fixed: the rule of PK_ROOT_AUTO, from the first row that holds. A limb is what a moving joint joins to
 * the root link, or to a link that fixed joints weld to it; its lowest point is that of its shapes that collide, link origins and
 * centres of mass in the start pose, the root link's z up. */
typedef enum pk_root_reason {
  /* as it was asked for */
  PK_ROOT_REASON_GIVEN,
  /* fixed: the root link is called "world" */
  PK_ROOT_REASON_WORLD,
  /* fixed: neither the root link nor a link that is welded to it has mass */
  PK_ROOT_REASON_MASSLESS,
  /* free: it has no limbs, and is one body */
  PK_ROOT_REASON_ONE_BODY,
  /* free: two limbs at least reach as low as the root does, within 5 % of the robot's height: legs, wheels */
  PK_ROOT_REASON_STANDS,
  /* free: two limbs at least are one body on a continuous joint: wheels, rotors */
  PK_ROOT_REASON_ROLLS,
  /* fixed: none of these, as an arm on a heavy base or a hand */
  PK_ROOT_REASON_CANNOT_STAND,
  PK_ROOT_REASON_COUNT
} pk_root_reason;

/* A frame relative to another: v_outer = R v_inner + pos. */
typedef struct pk_pose {
  /* m, origin of the inner frame in the outer one. */
  double pos[3];
  /* [3][3] row-major rotation matrix: axes of the inner frame as its columns. */
  double rot[9];
} pk_pose;

/* The pose that changes nothing. */
PK_API pk_pose pk_pose_identity(void);

/* A pose from a position and fixed-axis roll, pitch, yaw, as URDF writes it. */
PK_API pk_pose pk_pose_from_xyz_rpy(const double xyz[3], const double rpy[3]);

/* Mass properties of a link in its own frame. mass = 0 with zero inertia means massless. A negative mass
 * is an error in every link. Moments that no body has are judged on the links that fixed joints weld together: an error
 * where they move, unless a loader has been told to balance them (pk_load_options); a warning where they are fixed in
 * the world. */
typedef struct pk_inertia {
  /* kg. */
  double mass;
  /* m, centre of mass. */
  double com[3];
  /* kg m^2, about the centre of mass, link axes: xx xy xz yy yz zz. */
  double moment[6];
} pk_inertia;

typedef struct pk_robot_desc {
  /* For messages and listings; required. */
  const char *name;
  /* Put before every link and joint name of this robot; NULL: none. */
  const char *prefix;
  /* Where it was read from, for messages; NULL: none. */
  const char *file;
  /* How its root link meets the world. */
  pk_root_kind root;
  /* Of the root link in the world: a fixed root stays there, a free root starts there. */
  pk_pose pose;
} pk_robot_desc;

typedef struct pk_link_desc {
  /* Without the prefix; required. */
  const char *name;
  /* Mass properties in the link frame. */
  pk_inertia inertia;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_link_desc;

/* Start from pk_joint_desc_default(): no limits, axis x, identity origin. */
typedef struct pk_joint_desc {
  /* Without the prefix; required. */
  const char *name;
  /* What it allows. */
  pk_joint_kind kind;
  /* Name of the link that it hangs on, without the prefix. */
  const char *parent;
  /* Name of the link that it moves, without the prefix. */
  const char *child;
  /* Joint frame (which is the child link frame at zero) in the parent link frame. */
  pk_pose origin;
  /* Direction in the joint frame, of any length but zero. */
  double axis[3];
  /* rad or m, least coordinate; -INFINITY: no limit. */
  double lower;
  /* rad or m, largest coordinate; INFINITY: no limit. */
  double upper;
  /* rad/s or m/s, largest speed; INFINITY: no limit. */
  double velocity;
  /* N m or N, largest force of its motor; INFINITY: no limit; 0: no motor. */
  double effort;
  /* N m s/rad or N s/m, viscous. */
  double damping;
  /* N m or N, Coulomb's. */
  double friction;
  /* kg m^2 or kg, rotor inertia seen at the joint. */
  double armature;
  /* N m/rad or N/m, of a spring in the joint; 0: none. */
  double stiffness;
  /* rad or m, coordinate at which that spring is at rest. */
  double spring_ref;
  /* rad or m, coordinate at which the child link stands at the joint frame. */
  double ref;
  /* Name of the joint that this one follows; NULL: none. */
  const char *mimic;
  /* q = mimic_multiplier * q_leader + mimic_offset. */
  double mimic_multiplier;
  /* rad or m, see mimic_multiplier. */
  double mimic_offset;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_joint_desc;

/* A robot called "robot" at the world's origin, its root chosen by its mass. */
PK_API pk_robot_desc pk_robot_desc_default(void);

/* A continuous joint about x at the parent's origin, without limits, losses or leader. Names are NULL. */
PK_API pk_joint_desc pk_joint_desc_default(void);

typedef enum pk_shape_kind {
  /* size: radius */
  PK_SHAPE_SPHERE,
  /* size: full lengths x, y, z */
  PK_SHAPE_BOX,
  /* size: radius, full length along z */
  PK_SHAPE_CYLINDER,
  /* size: radius, length of the cylindrical part along z */
  PK_SHAPE_CAPSULE,
  /* a triangle mesh, as it is: hollows stay hollow */
  PK_SHAPE_MESH,
  /* size: half axes x, y, z */
  PK_SHAPE_ELLIPSOID,
  /* size: radius of the base at z = -height/2, height along z; the tip at z = height/2 */
  PK_SHAPE_CONE,
  /* the convex hull of a mesh's vertices */
  PK_SHAPE_CONVEX,
  /* all below z = 0; of the ground, and of links that are fixed in the world */
  PK_SHAPE_PLANE,
  /* all below a surface of heights; likewise */
  PK_SHAPE_HEIGHTS,
  PK_SHAPE_KIND_COUNT
} pk_shape_kind;

/* A triangle mesh, link units (scale already applied). */
typedef struct pk_mesh {
  /* File that it came from, or a name; never NULL in a model. */
  const char *name;
  /* How many vertices. */
  int nvertex;
  /* How many triangles. */
  int ntriangle;
  /* [nvertex][3] m. */
  const double *vertex;
  /* [ntriangle][3] vertex indices, counter-clockwise seen from outside. */
  const int *triangle;
} pk_mesh;

typedef struct pk_shape_desc {
  /* Name of the link that carries it, without the prefix. */
  const char *link;
  /* NULL: none. */
  const char *name;
  /* Which of the shapes. */
  pk_shape_kind kind;
  /* true: to look at; false: to collide with. */
  bool visual;
  /* In the link frame. */
  pk_pose pose;
  /* m, as pk_shape_kind says. */
  double size[3];
  /* Of PK_SHAPE_MESH and PK_SHAPE_CONVEX; NULL for the others. */
  const pk_mesh *mesh;
  /* Of PK_SHAPE_HEIGHTS, whose index 0, 0 lies at the shape's origin; NULL for the others. */
  const pk_heights *heights;
  /* Colour, each 0 to 1. */
  double rgba[4];
  /* Bits of the groups that it is in and that it collides with: two shapes collide when one's group has a bit of the
   * other's mask, either way round. Both 0: 1 and all bits. */
  unsigned group;
  /* See group. */
  unsigned mask;
  /* true: it collides only where a pair says so (pk_pair_desc), whatever groups and masks say. */
  bool pairs_only;
  /* Coulomb's coefficient: where two shapes meet, that of the higher priority counts, of equal ones the larger.
   * 0: it has none of its own, and the materials of the world decide; -1: none at all, ice. On the ground
   * (pk_sim_set_terrain) its materials decide. */
  double friction;
  /* See friction. */
  int priority;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_shape_desc;

/* Bilateral constraints between two links, which close loops. Each link carries a frame; what the constraint
 * allows is named in the first link's frame. */
typedef enum pk_constraint_kind {
  PK_CONSTRAINT_WELD,     /* the frames coincide */
  PK_CONSTRAINT_BALL,     /* their origins coincide */
  PK_CONSTRAINT_HINGE,    /* they coincide but for a turn about z */
  PK_CONSTRAINT_SLIDER,   /* they coincide but for a travel along z */
  PK_CONSTRAINT_DISTANCE, /* their origins are `length` apart */
  PK_CONSTRAINT_COUPLING, /* the coordinate of joint[0] is a polynomial of that of joint[1] */
  PK_CONSTRAINT_KIND_COUNT
} pk_constraint_kind;

typedef struct pk_constraint_desc {
  /* For messages and listings; required. */
  const char *name;
  /* What it locks. */
  pk_constraint_kind kind;
  /* Full names, prefix included; NULL: the world. */
  const char *link[2];
  /* Its frame in each of the links. */
  pk_pose frame[2];
  /* m, of PK_CONSTRAINT_DISTANCE; positive. */
  double length;
  /* Of PK_CONSTRAINT_COUPLING, full names of joints with one coordinate each, y and x; x NULL: y is the constant
   * polynomial[0]. Both keep their coordinates, unlike a mimic joint. */
  const char *joint[2];
  /* y = sum of polynomial[k] x^k. */
  double polynomial[5];
  /* For messages; 0: none. */
  int line;
} pk_constraint_desc;

/* A weld of two links at their origins; names and joints are NULL, the coupling is y = x. */
PK_API pk_constraint_desc pk_constraint_desc_default(void);

/* A named frame of a link: where a sensor sits, a tool ends, a camera looks from. */
typedef struct pk_site_desc {
  /* Without the prefix; required. */
  const char *name;
  /* Name of the link that carries it, without the prefix. */
  const char *link;
  /* In the link frame. */
  pk_pose pose;
  /* Its volume, for a touch sensor: a sphere, a box, a cylinder, a capsule or an ellipsoid. */
  pk_shape_kind kind;
  /* m, as pk_shape_kind says; all 0: it has no volume. */
  double size[3];
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_site_desc;

/* A point at its link's origin, without a volume; names are NULL. */
PK_API pk_site_desc pk_site_desc_default(void);

/* A motor as a file describes it: a force on one joint coordinate that is affine in a control value c. With the length
 * l = gear q and its rate v,
 *
 *   force on the joint = gear clamp((gain[0] + gain[1] l + gain[2] v) c + bias[0] + bias[1] l + bias[2] v)
 *
 * A torque is gain {1}, a servo of stiffness kp and damping kd gain {kp} and bias {0, -kp, -kd}. */
typedef struct pk_actuator_desc {
  /* Without the prefix; required. */
  const char *name;
  /* Joint with one coordinate that it drives, without the prefix. */
  const char *joint;
  /* Joint force for one unit of its own. */
  double gear;
  /* See above. */
  double gain[3];
  /* See above. */
  double bias[3];
  /* The control value is at least this; -INFINITY: no limit. */
  double ctrl_lower;
  /* The control value is at most this; INFINITY: no limit. */
  double ctrl_upper;
  /* Its force, before the gear, is at least this; -INFINITY: no limit. */
  double force_lower;
  /* Its force, before the gear, is at most this; INFINITY: no limit. */
  double force_upper;
  /* true: c is the integral of the control value over time, kept between the next two. */
  bool integrates;
  /* Least integral; -INFINITY: no limit. */
  double act_lower;
  /* Largest integral; INFINITY: no limit. */
  double act_upper;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_actuator_desc;

/* A torque of one unit for each unit of control, without limits; names are NULL. */
PK_API pk_actuator_desc pk_actuator_desc_default(void);

/* What a sensor of a file measures; the names are those of MJCF. Vectors are in the frame of the site or link
 * unless said otherwise. The values are those of pk_sensor_kind below, in this order; a new kind comes last. */
#define PK_SENSOR_KINDS(ROW) \
  /* m/s^2, linear acceleration without gravity, as an IMU feels it (3) */ \
  ROW(PK_SENSOR_ACCELEROMETER, accelerometer) \
  /* rad/s (3) */ \
  ROW(PK_SENSOR_GYRO, gyro) \
  /* m/s, linear velocity (3) */ \
  ROW(PK_SENSOR_VELOCIMETER, velocimeter) \
  /* the world's magnetic field (3) */ \
  ROW(PK_SENSOR_MAGNETOMETER, magnetometer) \
  /* N, between the site's body and its parent (3) */ \
  ROW(PK_SENSOR_FORCE, force) \
  /* N m (3) */ \
  ROW(PK_SENSOR_TORQUE, torque) \
  /* N, sum of the normal contact forces on the site's body whose points lie in the site's volume (1) */ \
  ROW(PK_SENSOR_TOUCH, touch) \
  /* rad or m (1) */ \
  ROW(PK_SENSOR_JOINTPOS, jointpos) \
  /* rad/s or m/s (1) */ \
  ROW(PK_SENSOR_JOINTVEL, jointvel) \
  /* quaternion of a ball joint (4) */ \
  ROW(PK_SENSOR_BALLQUAT, ballquat) \
  /* rad/s of a ball joint (3) */ \
  ROW(PK_SENSOR_BALLANGVEL, ballangvel) \
  /* length, velocity and force of an actuator (1 each) */ \
  ROW(PK_SENSOR_ACTUATORPOS, actuatorpos) \
  ROW(PK_SENSOR_ACTUATORVEL, actuatorvel) \
  ROW(PK_SENSOR_ACTUATORFRC, actuatorfrc) \
  /* m, position in the world or in a reference frame (3) */ \
  ROW(PK_SENSOR_FRAMEPOS, framepos) \
  /* quaternion, likewise (4) */ \
  ROW(PK_SENSOR_FRAMEQUAT, framequat) \
  /* axes of the frame, likewise (3 each) */ \
  ROW(PK_SENSOR_FRAMEXAXIS, framexaxis) \
  ROW(PK_SENSOR_FRAMEYAXIS, frameyaxis) \
  ROW(PK_SENSOR_FRAMEZAXIS, framezaxis) \
  /* m/s and rad/s, world axes or those of a reference frame, in which they are then relative (3 each) */ \
  ROW(PK_SENSOR_FRAMELINVEL, framelinvel) \
  ROW(PK_SENSOR_FRAMEANGVEL, frameangvel) \
  /* m/s^2 and rad/s^2, world axes, the linear one without gravity (3 each) */ \
  ROW(PK_SENSOR_FRAMELINACC, framelinacc) \
  ROW(PK_SENSOR_FRAMEANGACC, frameangacc) \
  /* of a link and all that hangs on it: m, m/s and kg m^2/s, world axes (3 each) */ \
  ROW(PK_SENSOR_SUBTREECOM, subtreecom) \
  ROW(PK_SENSOR_SUBTREELINVEL, subtreelinvel) \
  ROW(PK_SENSOR_SUBTREEANGMOM, subtreeangmom) \
  /* s (1) */ \
  ROW(PK_SENSOR_CLOCK, clock)

#define PK_SENSOR_VALUE(value, name) value,
typedef enum pk_sensor_kind { PK_SENSOR_KINDS(PK_SENSOR_VALUE) PK_SENSOR_KIND_COUNT } pk_sensor_kind;
#undef PK_SENSOR_VALUE

/* What a sensor or its reference is attached to. */
typedef enum pk_sensor_place {
  PK_SENSOR_PLACE_NONE,     /* the world */
  PK_SENSOR_PLACE_LINK,     /* a link's frame */
  PK_SENSOR_PLACE_COM,      /* the principal frame of a link's own inertia */
  PK_SENSOR_PLACE_SITE,     /* a site */
  PK_SENSOR_PLACE_SHAPE,    /* a named shape */
  PK_SENSOR_PLACE_JOINT,    /* a joint */
  PK_SENSOR_PLACE_ACTUATOR, /* an actuator */
  PK_SENSOR_PLACE_COUNT
} pk_sensor_place;

typedef struct pk_sensor_desc {
  /* Without the prefix; required. */
  const char *name;
  /* What it measures. */
  pk_sensor_kind kind;
  /* What it sits on. */
  pk_sensor_place place;
  /* That thing's name, without the prefix; NULL: PK_SENSOR_PLACE_NONE. */
  const char *at;
  /* What it is relative to: PK_SENSOR_PLACE_NONE or a frame. */
  pk_sensor_place reference;
  /* That frame's name, without the prefix; NULL: PK_SENSOR_PLACE_NONE. */
  const char *relative_to;
  /* Values are kept within +-cutoff; 0: they are not. */
  double cutoff;
  /* Standard deviation of noise that the file speaks of; nothing adds it here. */
  double noise;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_sensor_desc;

/* A named pose of the robots that a file holds: coordinates of the last `nrobot` robots of the builder, in the order
 * in which the model has them. */
typedef struct pk_keyframe_desc {
  /* Without the prefix; required. */
  const char *name;
  /* How many robots, the last ones that were added. */
  int nrobot;
  /* [nq] Their coordinates; NULL: the model's initial pose. */
  const double *q;
  /* How many. */
  int nq;
  /* [nu] Their velocities; NULL: at rest. */
  const double *u;
  /* How many. */
  int nu;
  /* [nctrl] Control values of their actuators; NULL: zero. */
  const double *ctrl;
  /* How many. */
  int nctrl;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_keyframe_desc;

/* What a file says of two links, or of two shapes: whether they collide, and how. */
typedef struct pk_pair_desc {
  /* Full names of links, prefix included; or of shapes, which take the prefix of their robot, where `shapes` is
   * true. Shapes of one link that share a name, as the convex parts of a mesh do, are all meant. */
  const char *name[2];
  /* See name. */
  bool shapes;
  /* false: they never collide; true: they do, whatever groups and joints say. */
  bool collide;
  /* Coulomb's coefficient; 0: that of the shapes; -1: none at all, ice. */
  double friction;
  /* Line in the robot's file, for messages; 0: none. */
  int line;
} pk_pair_desc;

/* One remark of a loader or of the compiler. */
typedef struct pk_builder_diagnostic {
  /* true: an error; false: a warning. */
  bool is_error;
  /* Of a warning, and of the error that pk_load_options.strict makes of it: a short word for what was found, such as
   * "inertia-balanced" (docs/formats/urdf.md lists them); "" for other errors. Static. */
  const char *kind;
  /* What and where. */
  pk_error error;
} pk_builder_diagnostic;

/* An empty world. */
PK_API pk_status pk_builder_create(pk_builder **out, pk_error *err);

/* Free a builder; NULL is fine. Models that it compiled stay. */
PK_API void pk_builder_destroy(pk_builder *b);

/* Gravity of the world, m/s^2; (0, 0, -9.81) unless set. */
PK_API void pk_builder_set_gravity(pk_builder *b, const double gravity[3]);

/* Magnetic field of the world, in the units of the magnetometers that shall measure it; none unless set. */
PK_API void pk_builder_set_magnetic_field(pk_builder *b, const double field[3]);

/* Start a robot; links, joints and shapes added next belong to it. */
PK_API pk_status pk_builder_add_robot(pk_builder *b, const pk_robot_desc *robot, pk_error *err);

/* Add a link to the current robot; exactly one of a robot's links is no joint's child, its root. */
PK_API pk_status pk_builder_add_link(pk_builder *b, const pk_link_desc *link, pk_error *err);

/* Add a joint between two links of the current robot, which may be added later. */
PK_API pk_status pk_builder_add_joint(pk_builder *b, const pk_joint_desc *joint, pk_error *err);

/* Add a shape to a link of the current robot; a mesh is copied, once for each pointer. */
PK_API pk_status pk_builder_add_shape(pk_builder *b, const pk_shape_desc *shape, pk_error *err);

/* Add a constraint between two links of any robots, which may be added later. */
PK_API pk_status pk_builder_add_constraint(pk_builder *b, const pk_constraint_desc *constraint,
                                           pk_error *err);

/* Add a site, an actuator or a sensor to the current robot; what they name may be added later. */
PK_API pk_status pk_builder_add_site(pk_builder *b, const pk_site_desc *site, pk_error *err);
PK_API pk_status pk_builder_add_actuator(pk_builder *b, const pk_actuator_desc *actuator, pk_error *err);
PK_API pk_status pk_builder_add_sensor(pk_builder *b, const pk_sensor_desc *sensor, pk_error *err);

/* Add a named pose of the robots added last. Numbers of coordinates are checked when the model is compiled. All
 * keyframes together have at most 10 million numbers. */
PK_API pk_status pk_builder_add_keyframe(pk_builder *b, const pk_keyframe_desc *keyframe, pk_error *err);

/* Say of two links or shapes of any robots whether they collide. */
PK_API pk_status pk_builder_add_pair(pk_builder *b, const pk_pair_desc *pair, pk_error *err);

/* Cut a joint (full name; NULL: every joint that moves): what it moves becomes a free body of its own, and
 * the joint a bilateral constraint with the same coordinate, limits and losses. Worlds then compute in
 * extended or maximal coordinates; controllers and logs still see joint coordinates (pk_sim_joint_model). */
PK_API pk_status pk_builder_cut_joint(pk_builder *b, const char *joint, pk_error *err);

/* Check everything and compile. All errors go to the diagnostics, the first to `err`. */
PK_API pk_status pk_builder_compile(pk_builder *b, pk_model **out, pk_error *err);

/* Remarks so far, oldest first; valid until the builder is next used. */
PK_API const pk_builder_diagnostic *pk_builder_diagnostics(const pk_builder *b, int *count);

/* What a mesh that collides becomes. */
typedef enum pk_mesh_collision {
  /* its convex hull, as in other engines */
  PK_MESH_COLLISION_HULL,
  /* its triangles as they are: hollows stay hollow, and contact costs more */
  PK_MESH_COLLISION_TRIANGLES,
  /* several convex parts that follow its hollows (docs/formats/meshes.md) */
  PK_MESH_COLLISION_PARTS,
  PK_MESH_COLLISION_COUNT
} pk_mesh_collision;

/* How to read a robot's file. Start from pk_load_options_default(). */
typedef struct pk_load_options {
  /* Put before every name; NULL: none. Default NULL. */
  const char *prefix;
  /* How the root link meets the world. Default PK_ROOT_AUTO. */
  pk_root_kind root;
  /* Of the root link in the world. Default the origin. */
  pk_pose pose;
  /* [npackage_paths] folders to search for package:// names. Default NULL. */
  const char *const *package_paths;
  /* How many of them. Default 0. */
  int npackage_paths;
  /* false: keep no mesh geometry and open no mesh file. Default true. */
  bool load_meshes;
  /* What meshes that collide become. Default PK_MESH_COLLISION_HULL. */
  pk_mesh_collision collision_meshes;
  /* Every warning is an error. Default false. */
  bool strict;
  /* Moments of inertia that no body has are mended, with a warning; false: they are an error. Default true. */
  bool balance_inertia;
} pk_load_options;

/* No prefix, the root chosen by its mass, at the world's origin, meshes loaded, collision meshes as hulls, warnings
 * allowed. */
PK_API pk_load_options pk_load_options_default(void);

/* Add the robot of a URDF file (or of `size` bytes in memory, `file` naming them in
 * messages and resolving relative paths). On failure nothing of it stays in the builder
 * but the diagnostics. options NULL: the defaults. */
PK_API pk_status pk_builder_add_urdf(pk_builder *b, const char *path, const pk_load_options *options,
                                     pk_error *err);
PK_API pk_status pk_builder_add_urdf_memory(pk_builder *b, const char *text, size_t size, const char *file,
                                            const pk_load_options *options, pk_error *err);

/* The same for MJCF, MuJoCo's XML format (docs/formats/mjcf.md): all trees of the file, each a robot of its own, its
 * ground, constraints, actuators, sensors and keyframes. The root and the pose of the options are for files with one
 * tree. */
PK_API pk_status pk_builder_add_mjcf(pk_builder *b, const char *path, const pk_load_options *options,
                                     pk_error *err);
PK_API pk_status pk_builder_add_mjcf_memory(pk_builder *b, const char *text, size_t size, const char *file,
                                            const pk_load_options *options, pk_error *err);

/* A robot's file of any kind that Pronk reads, by its root element. */
PK_API pk_status pk_builder_add_file(pk_builder *b, const char *path, const pk_load_options *options,
                                     pk_error *err);
PK_API pk_status pk_model_load(const char *path, const pk_load_options *options, pk_model **out,
                               pk_error *err);

/* Read one URDF into a model of its own: create, add, compile, destroy. */
PK_API pk_status pk_model_load_urdf(const char *path, const pk_load_options *options, pk_model **out,
                                    pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
