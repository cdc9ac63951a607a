/* Building a world: robots and free objects are described link by link, or read from
 * files, and then compiled into one immutable pk_model (model.h).
 *
 *   pk_builder *b = pk_builder_create();
 *   pk_builder_add_urdf(b, "models/starleth/starleth.urdf", NULL, &err);
 *   pk_builder_compile(b, &model, &err);
 *   pk_builder_destroy(b);
 *
 * A robot is a tree of links joined by joints. Descriptions are copied: strings and
 * arrays passed in may be freed after the call. Angles are radians, lengths metres.
 */
#ifndef PRONK_BUILDER_H
#define PRONK_BUILDER_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_builder pk_builder;
typedef struct pk_model pk_model;

/* Joint kinds as users know them from URDF. */
typedef enum pk_joint_kind {
  PK_JOINT_FIXED,
  PK_JOINT_REVOLUTE,   /* 1 coordinate: angle about the axis, with limits */
  PK_JOINT_CONTINUOUS, /* 1 coordinate: angle about the axis, without limits */
  PK_JOINT_PRISMATIC,  /* 1 coordinate: travel along the axis */
  PK_JOINT_PLANAR,     /* 3 coordinates: travel along two axes normal to `axis`, angle about it */
  PK_JOINT_FLOATING,   /* q: position (3), quaternion (4); u: linear (3), angular (3) */
  PK_JOINT_SPHERICAL,  /* q: quaternion (4); u: angular velocity in the child's frame (3) */
  PK_JOINT_KIND_COUNT
} pk_joint_kind;

/* How the root link of a robot meets the world. */
typedef enum pk_root_kind {
  /* fixed when the root link is called "world", or when neither it nor a link that fixed joints weld to it has mass;
   * free otherwise: a root without mass that carries a trunk is free */
  PK_ROOT_AUTO,
  PK_ROOT_FREE,  /* a floating joint */
  PK_ROOT_FIXED, /* welded to the world */
  PK_ROOT_CHAIN, /* three prismatic joints (x, y, z), then three revolute (x, y, z) */
  PK_ROOT_KIND_COUNT
} pk_root_kind;

/* A frame relative to another: v_outer = R v_inner + pos. */
typedef struct pk_pose {
  double pos[3];
  double rot[9]; /* row-major rotation matrix */
} pk_pose;

/* The pose that changes nothing. */
PK_API pk_pose pk_pose_identity(void);

/* A pose from a position and fixed-axis roll, pitch, yaw, as URDF writes it. */
PK_API pk_pose pk_pose_from_xyz_rpy(const double xyz[3], const double rpy[3]);

/* Mass properties of a link in its own frame. mass = 0 with zero inertia means massless. A negative mass
 * is an error in every link; moments that no body has are an error in links that move, a warning in
 * links that are fixed in the world. */
typedef struct pk_inertia {
  double mass;      /* kg */
  double com[3];    /* centre of mass, m */
  double moment[6]; /* about the centre of mass, link axes: xx xy xz yy yz zz, kg m^2 */
} pk_inertia;

typedef struct pk_robot_desc {
  const char *name;   /* for messages and listings; required */
  const char *prefix; /* put before every link and joint name of this robot; NULL: none */
  const char *file;   /* where it was read from, for messages; NULL: none */
  pk_root_kind root;
  pk_pose pose; /* of the root link in the world: a fixed root stays there, a free root starts there */
} pk_robot_desc;

typedef struct pk_link_desc {
  const char *name;
  pk_inertia inertia;
  int line; /* in the robot's file, 0: none */
} pk_link_desc;

/* Start from pk_joint_desc_default(): no limits, axis x, identity origin. */
typedef struct pk_joint_desc {
  const char *name;
  pk_joint_kind kind;
  const char *parent; /* link names, without the prefix */
  const char *child;
  pk_pose origin;          /* joint frame (= child link frame at zero) in the parent link frame */
  double axis[3];          /* in the joint frame; any length but zero */
  double lower, upper;     /* rad or m; -INFINITY and INFINITY: none */
  double velocity, effort; /* largest speed and force; INFINITY: none */
  double damping;          /* viscous, N m s/rad or N s/m */
  double friction;         /* Coulomb, N m or N */
  double armature;         /* rotor inertia seen at the joint, kg m^2 or kg */
  const char *mimic;       /* name of the joint that this one follows, NULL: none */
  double mimic_multiplier, mimic_offset; /* q = multiplier * q_leader + offset */
  int line;
} pk_joint_desc;

/* A robot called "robot" at the world's origin, its root chosen by its mass. */
PK_API pk_robot_desc pk_robot_desc_default(void);

/* A continuous joint about x at the parent's origin, without limits, losses or leader. Names are NULL. */
PK_API pk_joint_desc pk_joint_desc_default(void);

typedef enum pk_shape_kind {
  PK_SHAPE_SPHERE,    /* size: radius */
  PK_SHAPE_BOX,       /* size: full lengths x, y, z */
  PK_SHAPE_CYLINDER,  /* size: radius, full length along z */
  PK_SHAPE_CAPSULE,   /* size: radius, length of the cylindrical part along z */
  PK_SHAPE_MESH,      /* a triangle mesh, as it is: hollows stay hollow */
  PK_SHAPE_ELLIPSOID, /* size: half axes x, y, z */
  PK_SHAPE_CONE,      /* size: radius of the base at z = -height/2, height along z; the tip at z = height/2 */
  PK_SHAPE_CONVEX,    /* the convex hull of a mesh's vertices */
  PK_SHAPE_PLANE,     /* all below z = 0; ground only */
  PK_SHAPE_HEIGHTS,   /* all below a surface of heights; ground only */
  PK_SHAPE_KIND_COUNT
} pk_shape_kind;

/* A triangle mesh, link units (scale already applied). */
typedef struct pk_mesh {
  const char *name; /* file it came from, or a name; never NULL in a model */
  int nvertex, ntriangle;
  const double *vertex; /* [nvertex][3] m */
  const int *triangle;  /* [ntriangle][3] vertex indices, counter-clockwise seen from outside */
} pk_mesh;

typedef struct pk_shape_desc {
  const char *link; /* without the prefix */
  const char *name; /* NULL: none */
  pk_shape_kind kind;
  bool visual;  /* true: to look at; false: to collide with */
  pk_pose pose; /* in the link frame */
  double size[3];
  const pk_mesh *mesh; /* for PK_SHAPE_MESH and PK_SHAPE_CONVEX */
  double rgba[4];
  int line;
} pk_shape_desc;

/* Bilateral constraints between two links, which close loops. Each link carries a frame; what the constraint allows
 * is named in the first link's frame. */
typedef enum pk_constraint_kind {
  PK_CONSTRAINT_WELD,     /* the frames coincide */
  PK_CONSTRAINT_BALL,     /* their origins coincide */
  PK_CONSTRAINT_HINGE,    /* they coincide but for a turn about z */
  PK_CONSTRAINT_SLIDER,   /* they coincide but for a travel along z */
  PK_CONSTRAINT_DISTANCE, /* their origins are `length` apart */
  PK_CONSTRAINT_KIND_COUNT
} pk_constraint_kind;

typedef struct pk_constraint_desc {
  const char *name;
  pk_constraint_kind kind;
  const char *link[2]; /* full names, prefix included; NULL: the world */
  pk_pose frame[2];    /* in the links */
  double length;       /* m, of PK_CONSTRAINT_DISTANCE; positive */
  int line;
} pk_constraint_desc;

/* A weld of two links at their origins; names are NULL. */
PK_API pk_constraint_desc pk_constraint_desc_default(void);

/* One remark of a loader or of the compiler. */
typedef struct pk_builder_diagnostic {
  bool is_error; /* false: a warning */
  pk_error error;
} pk_builder_diagnostic;

/* An empty world; NULL when out of memory. */
PK_API pk_builder *pk_builder_create(void);

/* Free a builder; NULL is fine. Models that it compiled stay. */
PK_API void pk_builder_destroy(pk_builder *b);

/* Gravity of the world, m/s^2; (0, 0, -9.81) unless set. */
PK_API void pk_builder_set_gravity(pk_builder *b, const double gravity[3]);

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

/* Cut a joint (full name; NULL: every joint that moves): what it moves becomes a free body of its own, and the joint a
 * bilateral constraint with the same coordinate, limits and losses. Worlds then compute in extended or maximal
 * coordinates; controllers and logs see joint coordinates all the same (pk_sim_joint_model). */
PK_API pk_status pk_builder_cut_joint(pk_builder *b, const char *joint, pk_error *err);

/* Check everything and compile. All errors go to the diagnostics, the first to `err`. */
PK_API pk_status pk_builder_compile(pk_builder *b, pk_model **out, pk_error *err);

/* Remarks so far, oldest first; valid until the builder is next used. */
PK_API const pk_builder_diagnostic *pk_builder_diagnostics(const pk_builder *b, int *count);

/* How to read a URDF file. Start from pk_urdf_options_default(). */
typedef struct pk_urdf_options {
  const char *prefix; /* NULL: none */
  pk_root_kind root;
  pk_pose pose;
  const char *const *package_paths; /* folders to search for package:// names */
  int npackage_paths;
  bool load_meshes; /* false: keep no mesh geometry, do not open mesh files */
} pk_urdf_options;

/* No prefix, the root chosen by its mass, at the world's origin, meshes loaded. */
PK_API pk_urdf_options pk_urdf_options_default(void);

/* Add the robot of a URDF file (or of `size` bytes in memory, `file` naming them in
 * messages and resolving relative paths). On failure nothing of it stays in the builder
 * but the diagnostics. options NULL: the defaults. */
PK_API pk_status pk_builder_add_urdf(pk_builder *b, const char *path, const pk_urdf_options *options,
                                     pk_error *err);
PK_API pk_status pk_builder_add_urdf_memory(pk_builder *b, const char *text, size_t size, const char *file,
                                            const pk_urdf_options *options, pk_error *err);

/* Read one URDF into a model of its own: create, add, compile, destroy. */
PK_API pk_status pk_model_load_urdf(const char *path, const pk_urdf_options *options, pk_model **out,
                                    pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
