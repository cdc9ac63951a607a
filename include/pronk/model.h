/* pk_model: one compiled world. Immutable, one allocation, shareable between threads.
 *
 * Bodies are what moves: links joined by fixed joints are merged into one body. Its origin is that
 * of the link that the joint moves; its axes are that link's too, unless the joint's axis is no
 * coordinate axis of the link: then they are turned so that it becomes z (the link's pose in the
 * body, pk_model_link.pose, undoes the turn). Body i hangs on body_parent[i] by
 * one elementary joint; parents come before children, and each subtree is a contiguous
 * range. Joints with several elementary motions, such as planar ones, and chain roots become several bodies,
 * the first ones massless.
 *
 * Links are the names that users know: frames fixed in a body, or in the world.
 * Joints are the moving joints that users know, mimic followers included.
 *
 * Coordinates: q (nq) and u (nu) are independent. A mimic follower has no coordinate of
 * its own: body_q and body_u point at its leader's, with a gain and an offset. So do the
 * parts of a joint whose elementary motions share a coordinate.
 *
 * Threads: a model never changes after it was compiled; all functions here may run on it at the same time. */
#ifndef PRONK_MODEL_H
#define PRONK_MODEL_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elementary joints of bodies. */
typedef enum pk_motion {
  /* about one axis of the joint frame */
  PK_MOTION_REVOLUTE,
  /* along one axis of the joint frame */
  PK_MOTION_PRISMATIC,
  /* q: quaternion of the body in the joint frame; u: angular, body axes */
  PK_MOTION_SPHERICAL,
  /* q: position in the joint frame, quaternion; u: d(position)/dt, angular in body axes */
  PK_MOTION_FLOATING,
  PK_MOTION_COUNT
} pk_motion;

/* A link or the world, by its name. */
typedef struct pk_model_link {
  /* Prefix included. */
  const char *name;
  /* Index of its robot. */
  int robot;
  /* Link that its joint hangs it on; -1: the root of its robot. */
  int parent;
  /* That carries it; -1: fixed in the world. */
  int body;
  /* In the body's frame (in the world's for body -1). */
  pk_pose pose;
  /* As described, before merging. */
  pk_inertia inertia;
} pk_model_link;

/* A moving joint, by its name. */
typedef struct pk_model_joint {
  /* Prefix included. */
  const char *name;
  /* Index of its robot. */
  int robot;
  /* As described. */
  pk_joint_kind kind;
  /* The body that it moves (the last one, when it became several). */
  int body;
  /* First coordinate in q; a follower's is its leader's; -1: the joint is cut. */
  int q;
  /* First velocity in u; likewise. */
  int u;
  /* How many coordinates. */
  int nq;
  /* How many velocities. */
  int nu;
  /* That stands for it when it is cut; -1: none. */
  int constraint;
  /* Joint that this one follows; -1: none. */
  int leader;
  /* q_joint = multiplier * q[leader] + offset. */
  double multiplier;
  /* rad or m, see multiplier. */
  double offset;
  /* Unit, in the joint frame; zero for kinds without an axis. */
  double axis[3];
  /* rad or m, as described; -INFINITY: no limit. */
  double lower;
  /* rad or m, as described; INFINITY: no limit. */
  double upper;
  /* rad/s or m/s, as described; INFINITY: no limit. */
  double velocity;
  /* N m or N, as described; INFINITY: no limit; 0: no motor. */
  double effort;
  /* N m s/rad or N s/m, as described. */
  double damping;
  /* N m or N, as described. */
  double friction;
  /* kg m^2 or kg, as described. */
  double armature;
  /* N m/rad or N/m, of its spring, as described; 0: none. */
  double stiffness;
  /* rad or m, where that spring is at rest, as described. */
  double spring_ref;
  /* rad or m, coordinate at which the child link stands at the joint frame. */
  double ref;
} pk_model_joint;

/* One robot or free object. */
typedef struct pk_model_robot {
  /* As described. */
  const char *name;
  /* That it was read from; "" when built by code. */
  const char *file;
  /* Never PK_ROOT_AUTO. */
  pk_root_kind root;
  /* Why it is that. */
  pk_root_reason root_reason;
  /* Index of its root link. */
  int root_link;
  /* First of its bodies, which are a contiguous range. */
  int body;
  /* How many bodies. */
  int nbody;
  /* First of its coordinates in q. */
  int q;
  /* How many coordinates. */
  int nq;
  /* First of its velocities in u. */
  int u;
  /* How many velocities. */
  int nu;
  /* kg. */
  double mass;
} pk_model_robot;

typedef struct pk_model_shape {
  /* "" when it has none. */
  const char *name;
  /* That carries it. */
  int link;
  /* Of that link; -1: fixed in the world. */
  int body;
  /* Which of the shapes. */
  pk_shape_kind kind;
  /* true: to look at; false: to collide with. */
  bool visual;
  /* In the body's frame. */
  pk_pose pose;
  /* m, as pk_shape_kind says. */
  double size[3];
  /* Index into meshes; -1: none. */
  int mesh;
  /* Of PK_SHAPE_HEIGHTS; NULL for the others. */
  const pk_heights *heights;
  /* Colour, each 0 to 1. */
  double rgba[4];
  /* Bits of the groups that it is in; see pk_shape_desc. */
  unsigned group;
  /* Bits of the groups that it collides with. */
  unsigned mask;
  /* true: it collides only where a pair says so. */
  bool pairs_only;
  /* Coulomb's coefficient; 0: none of its own; -1: ice. */
  double friction;
  /* Whose friction counts where two shapes meet. */
  int priority;
} pk_model_shape;

/* A named frame. */
typedef struct pk_model_site {
  /* Prefix included. */
  const char *name;
  /* That carries it. */
  int link;
  /* Of that link; -1: fixed in the world. */
  int body;
  /* In the body's frame. */
  pk_pose pose;
  /* Its volume, as described. */
  pk_shape_kind kind;
  /* m; all 0: no volume. */
  double size[3];
} pk_model_site;

/* A motor: see pk_actuator_desc for its force. */
typedef struct pk_model_actuator {
  /* Prefix included. */
  const char *name;
  /* That it drives. */
  int joint;
  /* Joint force for one unit of its own. */
  double gear;
  /* Of the control value: constant, by length, by rate. */
  double gain[3];
  /* Without control: constant, by length, by rate. */
  double bias[3];
  /* Least control value; -INFINITY: no limit. */
  double ctrl_lower;
  /* Largest control value; INFINITY: no limit. */
  double ctrl_upper;
  /* Least force before the gear; -INFINITY: no limit. */
  double force_lower;
  /* Largest force before the gear; INFINITY: no limit. */
  double force_upper;
  /* true: it acts by the integral of the control value. */
  bool integrates;
  /* Least integral; -INFINITY: no limit. */
  double act_lower;
  /* Largest integral; INFINITY: no limit. */
  double act_upper;
} pk_model_actuator;

/* A sensor of a file. */
typedef struct pk_model_sensor {
  /* Prefix included. */
  const char *name;
  /* What it measures. */
  pk_sensor_kind kind;
  /* What it sits on. */
  pk_sensor_place place;
  /* Index of that thing; -1: PK_SENSOR_PLACE_NONE. */
  int object;
  /* What it is relative to. */
  pk_sensor_place reference;
  /* Index of that thing; -1: PK_SENSOR_PLACE_NONE. */
  int reference_object;
  /* Values are kept within +-cutoff; 0: they are not. */
  double cutoff;
  /* Standard deviation that the file speaks of. */
  double noise;
  /* Its first value among those of all sensors. */
  int first;
  /* How many values. */
  int dim;
} pk_model_sensor;

/* A named pose of some robots that follow each other. With cut joints its coordinates are those of the uncut model, `tree`. */
typedef struct pk_model_keyframe {
  /* Prefix included. */
  const char *name;
  /* First of its robots. */
  int robot;
  /* How many. */
  int nrobot;
  /* First of their coordinates. */
  int q;
  /* How many. */
  int nq;
  /* First of their velocities. */
  int u;
  /* How many. */
  int nu;
  /* First of their actuators. */
  int actuator;
  /* How many. */
  int nctrl;
  /* [nq] coordinates. */
  const double *q_value;
  /* [nu] velocities. */
  const double *u_value;
  /* [nctrl] control values. */
  const double *ctrl;
} pk_model_keyframe;

/* What is said of two links or of two shapes. */
typedef struct pk_model_pair {
  /* true: indices of shapes; false: of links. */
  bool shapes;
  /* The two, in the order of the description. Shapes that share a name have a pair each. */
  int index[2];
  /* false: they never collide; true: they do, whatever groups and joints say. */
  bool collide;
  /* Coulomb's coefficient; 0: that of the shapes; -1: ice. */
  double friction;
} pk_model_pair;

/* A bilateral constraint: a cut joint, or one that closes a loop. With frames a and b fixed in two bodies,
 * travel and turn of b relative to a along the axes of a are locked where their bit (1 << axis) is set. */
typedef struct pk_model_constraint {
  /* Of the cut joint, or as described. */
  const char *name;
  /* That was cut; -1: it closes a loop. */
  int joint;
  /* pk_constraint_kind; -1: a cut joint. */
  int kind;
  /* a and b; -1: the world. */
  int body[2];
  /* a and b in their bodies. */
  pk_pose frame[2];
  /* Bits of the axes along which b cannot travel. */
  int travel;
  /* Bits of the axes about which b cannot turn. */
  int turn;
  /* Of a cut joint's coordinate. */
  int axis;
  /* 1 or -1: the coordinate counts along sign * axis. */
  double sign;
  /* m, > 0: a distance instead, one row. */
  double length;
  /* Of a coupling: the velocities of the coordinates y and x, which it holds at y = p(x), one row; -1: none. */
  int dof[2];
  /* p in these coordinates, lowest power first. */
  double polynomial[5];
  /* Its first row among all bilateral rows. */
  int row;
  /* How many rows. */
  int nrow;
  /* Unknown of its first row in the elimination plan; drives follow the rows. */
  int plan;
  /* First coordinate of a cut joint among all drives. */
  int drive;
  /* How many of them. */
  int ndrive;
} pk_model_constraint;

struct pk_model {
  /* Counts of the arrays below. */
  int nrobot;
  int nbody;
  int nlink;
  int njoint;
  int nshape;
  int nmesh;
  /* Independent coordinates. */
  int nq;
  /* Independent velocities. */
  int nu;
  int nsite;
  int nactuator;
  int nsensor;
  int nkeyframe;
  int npair;
  /* Values of all sensors. */
  int nsensordata;
  /* Bilateral constraints. */
  int nconstraint;
  /* Rows of all constraints. */
  int nbilateral;
  /* Coordinates of all cut joints. */
  int ndrive;
  /* Unknowns of the elimination plan: velocities, bilateral rows, drives. */
  int nplan;
  /* Entries of its lower triangle. */
  int nM;
  /* Unknowns on the longest path from a root of its elimination tree. */
  int plan_depth;
  /* Some coordinate moves several bodies: followers, parts of one joint. */
  bool has_mimic;
  /* m/s^2, world axes. */
  double gravity[3];
  /* Of the world, in the units of its magnetometers, world axes. */
  double magnetic[3];
  /* kg, of everything that moves. */
  double mass;

  /* [nrobot] Names and descriptions. */
  const pk_model_robot *robots;
  /* [nlink] */
  const pk_model_link *links;
  /* [njoint] */
  const pk_model_joint *joints;
  /* [nshape] */
  const pk_model_shape *shapes;
  /* [nmesh] */
  const pk_mesh *meshes;
  /* [nsite] */
  const pk_model_site *sites;
  /* [nactuator] */
  const pk_model_actuator *actuators;
  /* [nsensor] */
  const pk_model_sensor *sensors;
  /* [nkeyframe] */
  const pk_model_keyframe *keyframes;
  /* [npair] */
  const pk_model_pair *pairs;
  /* [nconstraint] */
  const pk_model_constraint *constraints;
  /* The same world with no joint cut, owned; NULL: none is cut here. */
  const pk_model *tree;

  /* [nbody] Bodies, parents first: the body that each hangs on; -1: the world. */
  const int *body_parent;
  /* [nbody] pk_motion. */
  const int *body_motion;
  /* [nbody] 0, 1, 2: which axis of the joint frame (one-axis motions). */
  const int *body_axis;
  /* [nbody] first coordinate in q. */
  const int *body_q;
  /* [nbody] first velocity in u. */
  const int *body_u;
  /* [nbody] link whose frame or mass it carries; -1: a massless helper. */
  const int *body_link;
  /* [nbody] 0: body_rot is exactly the identity. */
  const int *body_turned;
  /* [nbody] elementary coordinate = gain * q + offset (one-axis motions). */
  const double *body_gain;
  /* [nbody] rad or m, see body_gain. */
  const double *body_offset;
  /* [nbody][3] m, joint frame in the parent body. */
  const double *body_pos;
  /* [nbody][9] row-major, likewise. */
  const double *body_rot;
  /* [nbody][10] kg, kg m, kg m^2: m, m c (3), I about the body origin xx xy xz yy yz zz. */
  const double *body_inertia;

  /* [nu] Independent velocities: kg m^2 or kg, followers included. */
  const double *dof_armature;
  /* [nu] N m s/rad or N s/m, followers included. */
  const double *dof_damping;
  /* [nu] N m or N, followers included. */
  const double *dof_friction;
  /* [nu] rad or m, least q of one-axis joints; -INFINITY otherwise. */
  const double *dof_lower;
  /* [nu] rad or m, largest q of one-axis joints; INFINITY otherwise. */
  const double *dof_upper;
  /* [nu] N m or N; INFINITY: no limit; 0: no motor. */
  const double *dof_effort;
  /* [nu] rad/s or m/s; INFINITY: no limit. */
  const double *dof_velocity;
  /* [nu] N m/rad or N/m, of springs in joints, followers included; 0: none. */
  const double *dof_stiffness;
  /* [nu] rad or m, where the springs that act on it are at rest together. */
  const double *dof_spring_ref;
  /* [nu] joint; -1: a free root. */
  const int *dof_joint;
  /* [nu] index in q where u is its rate: one-axis and planar joints, chain roots; else -1. */
  const int *dof_q;

  /* [nq] Initial pose: joints at their reference, clamped into their limits, free roots at their described pose. */
  const double *q0;

  /* [nplan+1] Elimination plan of [M J'; J 0], J the bilateral rows and drives: row k of its lower
   * triangle holds columns M_col[M_row[k]] < ... < k, the diagonal last, in M_row[k] .. M_row[k+1]-1; fill
   * included. */
  const int *M_row;
  /* [nM] columns of its entries. */
  const int *M_col;
  /* [nu] where the velocities stand in it; without constraints the plan is that of M, and plan_u counts
   * from 0. */
  const int *plan_u;
};

/* Free a model; NULL is fine. Nothing made from it may be used after. */
PK_API void pk_model_destroy(pk_model *model);

/* Index of a name, -1 when there is none. */
PK_API int pk_model_find_link(const pk_model *model, const char *name);
PK_API int pk_model_find_joint(const pk_model *model, const char *name);
PK_API int pk_model_find_site(const pk_model *model, const char *name);
PK_API int pk_model_find_actuator(const pk_model *model, const char *name);
PK_API int pk_model_find_sensor(const pk_model *model, const char *name);
PK_API int pk_model_find_keyframe(const pk_model *model, const char *name);

/* A hash of everything that affects the dynamics: equal models, equal hash. */
PK_API unsigned long long pk_model_hash(const pk_model *model);

/* The name of an enumeration value, as URDF and scenarios write it. */
PK_API const char *pk_joint_kind_name(pk_joint_kind kind);
PK_API const char *pk_root_kind_name(pk_root_kind kind);

/* Why a root is what it is, as the end of a sentence: "its root link is called world". */
PK_API const char *pk_root_reason_text(pk_root_reason reason);
PK_API const char *pk_shape_kind_name(pk_shape_kind kind);
PK_API const char *pk_mesh_collision_name(pk_mesh_collision kind);
PK_API const char *pk_constraint_kind_name(pk_constraint_kind kind);

/* The name of a kind of sensor, as MJCF writes it. */
PK_API const char *pk_sensor_kind_name(pk_sensor_kind kind);

/* What pk_builder_add_chain builds: n equal links, for benchmarks and studies. */
typedef struct pk_chain_options {
  /* 1 to 11584; 11578 with a free root. Default 10. */
  int links;
  /* m, of each link: a slender rod along -z. Default 0.3. */
  double length;
  /* kg, of each link. Default 1. */
  double mass;
  /* Axes alternate y, x, y, ...; false: all y. Default true. */
  bool alternate;
  /* PK_ROOT_FIXED or PK_ROOT_FREE. Default PK_ROOT_FIXED. */
  pk_root_kind root;
} pk_chain_options;

/* Ten rods of 0.3 m and 1 kg, axes alternating, root fixed. */
PK_API pk_chain_options pk_chain_options_default(void);

/* Add a robot "chain" of links base, link1, link2, ... and joints joint1, ...; options NULL: the defaults. */
PK_API pk_status pk_builder_add_chain(pk_builder *b, const pk_chain_options *options, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
