/* Dynamics on the graph: the recursions of docs/theory/dynamics.md for one particular model, written out.
 *
 * Vectors stand in each body's own axes, at its origin, because there most of a robot's numbers are constant and many are
 * zero: inertias do not turn, a joint turns two of three axes, offsets lie along axes. The generic kernels (src/dynamics) work
 * in world axes; results are the same.
 *
 * Ports: q [nq], u [nu], a [nu], tau [nu], then those parameters that are left free. Each function has a graph of its own. */
#ifndef PKI_SYMBOLIC_ROBOT_ROBOT_H
#define PKI_SYMBOLIC_ROBOT_ROBOT_H

#include "base/error.h"
#include "pronk/model.h"
#include "symbolic/robot/vec.h"

/* Parameters that are inputs instead of constants, as bits. */
enum {
  PKI_FREE_INERTIA = 1,  /* inertia [nbody][10] as pk_model.body_inertia */
  PKI_FREE_POSITION = 2, /* position [nbody][3] as pk_model.body_pos */
  PKI_FREE_GRAVITY = 4,  /* gravity [3] */
  PKI_FREE_ARMATURE = 8  /* armature [nu] */
};

/* The state's ports, as bits. */
enum { PKI_PORT_Q = 1, PKI_PORT_U = 2, PKI_PORT_A = 4, PKI_PORT_TAU = 8 };

typedef struct pki_robot_options {
  unsigned free;
} pki_robot_options;

/* The functions that there are. */
int pki_robot_function_count(void);
const char *pki_robot_function_name(int i);
const char *pki_robot_function_about(int i);

/* One of them by its name. PK_ERROR_ARGUMENT: there is none of that name. */
pk_status pki_robot_function(pki_graph *g, const pk_model *m, const pki_robot_options *options,
                             const char *name, pki_function *out, pk_error *err);

/* ---- the parts that functions are made of ---- */

/* How a body sits on its parent: v_parent = R v, R = J turn(axis; s, c) for a hinge, J for a slider, any R otherwise. */
typedef struct pki_lane_world_x {
  int motion, axis;
  bool turned; /* J is not the identity */
  pki_x33 J;   /* joint frame in the parent */
  pki_x s, c;  /* of a hinge's angle */
  pki_x33 R;   /* whole; of a hinge made when it is asked for (pki_lane_world_rotation) */
  pki_x3 r;    /* origin, in the parent's axes */
} pki_lane_world_x;

typedef struct pki_inertia_x {
  pki_x m;
  pki_x3 h;  /* m c */
  pki_xs3 I; /* about the origin */
  pki_x3 J;  /* sums of dm rho_k^2: tr(I)/2 - I_kk */
} pki_inertia_x;

typedef struct pki_robot {
  pki_graph *g;
  const pk_model *m;
  pki_x *q, *u, *a, *tau; /* [nq], [nu] inputs, or whatever stands for them */
  pki_x *diag;            /* [nu] on the diagonal of M: the armature */
  pki_x3 gravity;         /* world axes */
  pki_lane_world_x *seat; /* [nbody] */
  pki_inertia_x *inertia; /* [nbody] in body axes */
  pki_inertia_x *
      grouped; /* [nbody] the same for forces: what a joint cannot tell from its parent's is with the parent */
} pki_robot;

/* Ports and parts of a model in a graph. Everything in `robot` is freed by pki_robot_free; false: out of memory. */
bool pki_robot_init(pki_robot *robot, pki_graph *g, const pk_model *m, const pki_robot_options *options);
void pki_robot_free(pki_robot *robot);

/* A body's seat from other numbers than the model's: joint frame in the parent, offset of its coordinate. robot->q is read. */
void pki_robot_place(pki_robot *robot, int i, const pki_x pos[3], const pki_x rot[9], pki_x offset);

/* x, but a whole number that rounding has missed. */
double pki_round_near_integer(double x);

/* An inertia from its ten numbers; and that of a body from ten numbers of model/grouped.h, those that are always zero left
 * out. */
pki_inertia_x pki_inertia_in(pki_graph *g, const pki_x in[10]);
pki_inertia_x pki_inertia_grouped(pki_graph *g, const pk_model *m, int body, const pki_x in[10]);

/* R whole, and vectors between a body and its parent. */
pki_x33 pki_lane_world_rotation(pki_graph *g, const pki_lane_world_x *seat);
pki_x3 pki_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x3 v);
pki_x3 pki_to_child(pki_graph *g, const pki_lane_world_x *seat, pki_x3 v);
pki_xs3 pki_symmetric_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_xs3 S);
pki_x33 pki_matrix_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x33 B);

/* A force at a body's origin, in its axes, as its parent sees it. */
pki_x6 pki_force_to_parent(pki_graph *g, const pki_lane_world_x *seat, pki_x6 f);

/* Column c of a body's motion in its own axes; gain included. */
pki_x6 pki_motion_column(const pki_robot *robot, int body, int c);
/* Their products with a force, added to out [nu of the motion]. */
void pki_motion_feel(const pki_robot *robot, int body, pki_x6 f, pki_x *out);
/* The motion of all columns: S x, x [nu of the motion]. */
pki_x6 pki_motion_rate(const pki_robot *robot, int body, const pki_x *x);

/* World axes: poses [nbody] as rotation (9) and offset from the parent's origin (3), origins [nbody][3], twists [nbody][6] of
 * pki_work; twist NULL: none. */
bool pki_robot_world(const pki_robot *robot, const pki_x *u, pki_x *pose, pki_x *origin, pki_x *twist);

/* tau [nu] = M a + h; a NULL: h alone. Armature is included. */
bool pki_robot_rnea(const pki_robot *robot, const pki_x *u, const pki_x *a, pki_x *tau);

/* M [nu][nu], the lower triangle; entries that are always zero are constants. */
bool pki_robot_crba(const pki_robot *robot, pki_x *M);

/* a [nu] = inv(M + diag) (tau - h). */
bool pki_robot_aba(const pki_robot *robot, const pki_x *u, const pki_x *tau, pki_x *a);

/* M = L' D L in the place of M [n][n], 1/D on the diagonal: rows n - 1 down to `from` are eliminated, and what is left of
 * the rows before them is in their place. */
void pki_robot_factor(pki_graph *g, int n, int from, pki_x *M);

/* x := inv(D) inv(L') x for those rows, x := inv(L) x for rows from `from` on; and both: x := inv(M) x. */
void pki_robot_begin(pki_graph *g, int n, int from, const pki_x *L, pki_x *x);
void pki_robot_finish(pki_graph *g, int n, int from, const pki_x *L, pki_x *x);
void pki_robot_solve(pki_graph *g, int n, const pki_x *L, pki_x *x);

#endif
