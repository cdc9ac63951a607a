/* From descriptions to a model, in this order, each step one file:
 *
 *   tree.c    names, parents, roots, order; each link gets its joint
 *   constraints.c  which joints are cut, which loops are closed, the order of unknowns
 *   roots.c   how each root meets the world, where nobody has said
 *   bodies.c  bodies from links: fixed joints merged, axes aligned, coordinates numbered
 *   checks.c  every value that no robot can have
 *   balance.c  moments of inertia that no body has
 *   compile_equipment.c  sites, actuators, sensors, keyframes, pairs: names become indices
 *   plan.c    the elimination plan of M
 *   masses.c  massless parts that cannot move
 *   layout.c  everything copied into one allocation
 *
 * A pki_draft is what these steps share. Errors go to the builder's diagnostics. */
#ifndef PKI_MODEL_COMPILE_H
#define PKI_MODEL_COMPILE_H

#include "model/builder.h"
#include "model/joint_type.h"
#include "model/name_table.h"
#include "model/pose.h"
#include "pronk/model.h"

/* A body while it is drafted; the fields are those of pk_model. */
typedef struct pki_body {
  int parent, motion, axis, q, u, link, robot;
  /* description index, -1: part of a root; which part of the joint it is */
  int joint, part;
  /* joint whose cut freed it, -1: none */
  int cut;
  /* its coordinate is another body's: that of its joint's leader, or of an earlier part of its joint */
  bool follows;
  int turned;
  double gain, offset;
  double pos[3], rot[9], inertia[10];
} pki_body;

typedef struct pki_draft {
  pk_builder *b;
  /* names with prefixes [nlink], [njoint] */
  char **link_name, **joint_name;
  /* tree.c */
  pki_name_table links, joints;    /* of the names above */
  int *joint_parent, *joint_child; /* [njoint] links, -1: unknown name */
  int *link_joint;                 /* [nlink] joint that holds the link, -1: a root */
  int *robot_root;                 /* [nrobot] link, -1: none */
  int *shape_link;                 /* [nshape] */
  int *order, norder;              /* links, parents first, subtrees contiguous */
  int *joint_leader;               /* [njoint] resolved to the last leader, -1: none */
  double *joint_multiplier, *joint_offset;
  /* bodies.c */
  pk_root_kind *robot_kind;     /* [nrobot] never PK_ROOT_AUTO */
  pk_root_reason *robot_reason; /* [nrobot] why */
  pki_body *bodies;             /* [nbody] room for body_cap */
  int nbody, body_cap;
  int *link_body;                      /* [nlink] -1: the world */
  pk_pose *link_pose;                  /* [nlink] in the body */
  int *joint_body, *joint_q, *joint_u; /* [njoint] -1 for fixed joints */
  int nq, nu;
  double *q0;             /* [nq] */
  double *dof;            /* [PKI_DOF_COUNT][nu] */
  int *dof_joint, *dof_q; /* [nu] joint descriptions */
  bool has_mimic;         /* some coordinate moves several bodies */
  /* constraints.c */
  const pk_model *tree; /* the model without cuts, when there are any; NULL while it is compiled itself */
  bool *joint_cut;      /* [njoint] */
  int ncut;
  pk_model_constraint
      *constraints; /* [nconstraint] cuts in the order of bodies, then loops; joint: description */
  int nconstraint, nbilateral, ndrive;
  /* plan.c */
  int *plan_u; /* [nu] */
  int nplan;
  int *M_row, *M_col, nM;
  int plan_depth;
  /* compile_equipment.c: full names; joints are descriptions until layout.c numbers them */
  char **shape_name; /* [nshape] "" when it has none */
  char **site_name, **actuator_name, **sensor_name, **keyframe_name;
  pk_model_site *sites;
  pk_model_actuator *actuators;
  pk_model_sensor *sensors;
  pk_model_keyframe *keyframes;
  pk_model_pair *pairs; /* [npair] of all shapes that have the names */
  int npair, pair_cap;
  int nsensordata;
} pki_draft;

/* Rows of pki_draft.dof. */
enum {
  PKI_DOF_ARMATURE,
  PKI_DOF_DAMPING,
  PKI_DOF_FRICTION,
  PKI_DOF_LOWER,
  PKI_DOF_UPPER,
  PKI_DOF_EFFORT,
  PKI_DOF_VELOCITY,
  PKI_DOF_STIFFNESS,
  PKI_DOF_SPRING_REF,
  PKI_DOF_COUNT
};

/* Most entries of the plan of M: 256 MiB of columns. What that means for a chain: pki_chain_limit. */
enum { PKI_PLAN_MAX = 1 << 26 };

/* Free what the steps drafted, not the builder; an array of names with its names. */
void pki_draft_free(pki_draft *d);
void pki_free_names(char **names, int count);

/* The unit direction, in the joint frame, along or about which a one-axis part of a joint goes. */
void pki_joint_part_axis(const pk_joint_desc *joint, int part, double out[3]);

/* Each step returns false when it ran out of memory; other trouble is in the diagnostics. */
bool pki_compile_tree(pki_draft *d);
bool pki_choose_roots(pki_draft *d);
bool pki_compile_bodies(pki_draft *d);
bool pki_compile_plan(pki_draft *d);
bool pki_compile_cuts(pki_draft *d);
void pki_compile_loops(pki_draft *d);
void pki_number_unknowns(pki_draft *d);

/* A cut joint: its frame lies at `origin` in the body `parent` and at `frame` in the body `child`, its coordinate counts
 * along sign * axis. */
void pki_draft_cut(pki_draft *d, int joint, int parent, const pk_pose *origin, int child,
                   const pk_pose *frame, int axis, double sign);

/* Bodies that cuts have freed begin where the tree has them. */
void pki_cut_starts(pki_draft *d);
void pki_check_links(pki_draft *d);
void pki_check_inertias(pki_draft *d);
void pki_check_ground_shapes(pki_draft *d);
bool pki_compile_equipment(pki_draft *d);
void pki_free_equipment(pki_draft *d);
void pki_check_joints(pki_draft *d);
bool pki_check_masses(pki_draft *d);
pk_model *pki_compile_layout(const pki_draft *d);

/* Rows orthonormal, right-handed, position finite. */
bool pki_is_pose(const pk_pose *pose);

/* The direction of an axis of any length but zero; false when there is none. The scale is taken out by
 * a power of two, so that no length overflows, and none changes the bits. */
bool pki_unit_axis(const double axis[3], double out[3]);

/* Where a link or joint stands in the user's file. */
pki_where pki_link_where(const pki_draft *d, int link);
pki_where pki_joint_where(const pki_draft *d, int joint);

#endif
