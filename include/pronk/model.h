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
 */
#ifndef PRONK_MODEL_H
#define PRONK_MODEL_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elementary joints of bodies. */
typedef enum pk_motion {
  PK_MOTION_REVOLUTE,  /* about one axis of the joint frame */
  PK_MOTION_PRISMATIC, /* along one axis of the joint frame */
  PK_MOTION_SPHERICAL, /* q: quaternion of the body in the joint frame; u: angular, body axes */
  PK_MOTION_FLOATING, /* q: position in the joint frame, quaternion; u: d(position)/dt, angular in body axes */
  PK_MOTION_COUNT
} pk_motion;

/* A link or the world, by its name. */
typedef struct pk_model_link {
  const char *name;
  int robot;
  int body;           /* -1: fixed in the world */
  pk_pose pose;       /* in the body's frame (in the world's for body -1) */
  pk_inertia inertia; /* as described, before merging */
} pk_model_link;

/* A moving joint, by its name. */
typedef struct pk_model_joint {
  const char *name;
  int robot;
  pk_joint_kind kind;
  int body;       /* the body that it moves (the last one, when it became several) */
  int q, u;       /* first coordinate in q and u; a follower's are its leader's; -1: the joint is cut */
  int nq, nu;     /* how many of each */
  int constraint; /* that stands for it when it is cut, -1: none */
  int leader;     /* joint that this one follows, -1: none */
  double multiplier, offset; /* q_joint = multiplier * q[leader] + offset */
  double axis[3];            /* unit, in the joint frame; zero for kinds without an axis */
  double lower, upper, velocity, effort, damping, friction, armature; /* as described */
} pk_model_joint;

/* One robot or free object. */
typedef struct pk_model_robot {
  const char *name, *file; /* file "" when built by code */
  pk_root_kind root;       /* never PK_ROOT_AUTO */
  int root_link;
  int body, nbody; /* its contiguous ranges */
  int q, nq, u, nu;
  double mass; /* kg */
} pk_model_robot;

typedef struct pk_model_shape {
  const char *name; /* "" when it has none */
  int link, body;   /* body -1: fixed in the world */
  pk_shape_kind kind;
  bool visual;
  pk_pose pose; /* in the body's frame */
  double size[3];
  int mesh; /* index into meshes, -1: none */
  double rgba[4];
} pk_model_shape;

/* A bilateral constraint: a cut joint, or one that closes a loop. With frames a and b fixed in two bodies, travel and
 * turn of b relative to a along the axes of a are locked where their bit (1 << axis) is set. */
typedef struct pk_model_constraint {
  const char *name;
  int joint;         /* that was cut, -1: closes a loop */
  int kind;          /* pk_constraint_kind, -1: a cut joint */
  int body[2];       /* a and b; -1: the world */
  pk_pose frame[2];  /* in the bodies */
  int travel, turn;  /* locked axes */
  int axis;          /* of a cut joint's coordinate, */
  double sign;       /* which counts along sign * axis */
  double length;     /* m, > 0: a distance instead, one row */
  int row, nrow;     /* its rows among all bilateral rows */
  int plan;          /* unknown of its first row in the elimination plan; drives follow the rows */
  int drive, ndrive; /* coordinates of a cut joint among all drives, and how many */
} pk_model_constraint;

struct pk_model {
  /* counts */
  int nrobot, nbody, nlink, njoint, nshape, nmesh;
  int nq, nu; /* independent coordinates and velocities */
  int nconstraint;
  int nbilateral, ndrive; /* rows of all constraints, coordinates of all cut joints */
  int nplan;              /* unknowns of the elimination plan: velocities, bilateral rows, drives */
  int nM;                 /* entries of its lower triangle */
  int plan_depth;         /* unknowns on the longest path from a root of its elimination tree */
  bool has_mimic;         /* some coordinate moves several bodies: followers, parts of one joint */
  double gravity[3];      /* m/s^2, world */
  double mass;            /* of everything that moves, kg */

  /* names and descriptions */
  const pk_model_robot *robots;           /* [nrobot] */
  const pk_model_link *links;             /* [nlink] */
  const pk_model_joint *joints;           /* [njoint] */
  const pk_model_shape *shapes;           /* [nshape] */
  const pk_mesh *meshes;                  /* [nmesh] */
  const pk_model_constraint *constraints; /* [nconstraint] */
  const pk_model *tree; /* the same world with no joint cut, owned; NULL: none is cut here */

  /* bodies, parents first */
  const int *body_parent;     /* [nbody] -1: the world */
  const int *body_motion;     /* [nbody] pk_motion */
  const int *body_axis;       /* [nbody] 0, 1, 2: which axis of the joint frame (one-axis motions) */
  const int *body_q, *body_u; /* [nbody] first coordinate */
  const int *body_link;       /* [nbody] link whose frame or mass it carries; -1: a massless helper */
  const int *body_turned;     /* [nbody] 0: body_rot is exactly the identity */
  const double *body_gain;    /* [nbody] elementary coordinate = gain * q + offset (one-axis motions) */
  const double *body_offset;  /* [nbody] */
  const double *body_pos;     /* [nbody][3] joint frame in the parent body, m */
  const double *body_rot;     /* [nbody][9] row-major */
  const double *body_inertia; /* [nbody][10] m, m c (3), I about the body origin xx xy xz yy yz zz */

  /* independent velocities */
  const double *dof_armature, *dof_damping, *dof_friction; /* [nu] followers included */
  const double *dof_lower, *dof_upper;     /* [nu] limits of q of one-axis joints, infinite otherwise */
  const double *dof_effort, *dof_velocity; /* [nu] INFINITY: none */
  const int *dof_joint;                    /* [nu] joint, -1: a free root */
  const int
      *dof_q; /* [nu] index in q where u is its rate: one-axis and planar joints, chain roots; else -1 */

  /* initial pose: neutral joints clamped into their limits, free roots at their described pose */
  const double *q0; /* [nq] */

  /* Elimination plan of [M J'; J 0], J the bilateral rows and drives: row k of its lower triangle holds
   * columns M_col[M_row[k]] < ... < k, the diagonal last, in M_row[k] .. M_row[k+1]-1; fill included.
   * Velocities stand at plan_u; without constraints the plan is that of M, and plan_u counts from 0. */
  const int *M_row;  /* [nplan+1] */
  const int *M_col;  /* [nM] */
  const int *plan_u; /* [nu] */
};

/* Free a model; NULL is fine. Nothing made from it may be used after. */
PK_API void pk_model_destroy(pk_model *model);

/* Index of a name, -1 when there is none. */
PK_API int pk_model_find_link(const pk_model *model, const char *name);
PK_API int pk_model_find_joint(const pk_model *model, const char *name);

/* A hash of everything that affects the dynamics: equal models, equal hash. */
PK_API unsigned long long pk_model_hash(const pk_model *model);

/* The name of an enumeration value, as URDF and scenarios write it. */
PK_API const char *pk_joint_kind_name(pk_joint_kind kind);
PK_API const char *pk_root_kind_name(pk_root_kind kind);
PK_API const char *pk_shape_kind_name(pk_shape_kind kind);
PK_API const char *pk_constraint_kind_name(pk_constraint_kind kind);

/* What pk_builder_add_chain builds: n equal links, for benchmarks and studies. */
typedef struct pk_chain_options {
  int links;           /* 1 to 11584; 11578 with a free root */
  double length, mass; /* of each link: a slender rod along -z, m and kg */
  bool alternate;      /* axes alternate y, x, y, ...; false: all y */
  pk_root_kind root;   /* PK_ROOT_FIXED or PK_ROOT_FREE */
} pk_chain_options;

/* Ten rods of 0.3 m and 1 kg, axes alternating, root fixed. */
PK_API pk_chain_options pk_chain_options_default(void);

/* Add a robot "chain" of links base, link1, link2, ... and joints joint1, ...; options NULL: the defaults. */
PK_API pk_status pk_builder_add_chain(pk_builder *b, const pk_chain_options *options, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
