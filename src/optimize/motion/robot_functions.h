/* The robot's part of a problem as functions of a nonlinear program (nlp/function.h), written out once for one model.
 *
 * With the velocity w_i = J_i(q) v of foot i, which is linear in v, everything about a contact follows from derivatives of w:
 *
 *   J_i' f     the gradient of f . w_i by v
 *   dw_i/dt    the rate of w_i along q' = v, v' = a
 *
 * A ball of radius r that rolls touches at its lowest point, w = c' + omega x (-r e_z); a point is a ball without radius; a sole has
 * six rows, its angular velocity after the velocity of its middle. A foot sees the coordinates of its own chain alone.
 *
 * Where lengths of links are design parameters (link_lengths.h) they are the last inputs of every function here. */
#ifndef PKI_OPTIMIZE_MOTION_ROBOT_FUNCTIONS_H
#define PKI_OPTIMIZE_MOTION_ROBOT_FUNCTIONS_H

#include "optimize/motion/support_edges.h"
#include "optimize/nlp/function.h"

enum { PKI_MOTION_CONTACT_ROWS = 6 };

/* What a foot needs. Inputs of all of them are coordinates of its chain, in this order, those of q before those of v and a. */
typedef struct pki_motion_foot_functions {
  int nchain, chain[PKI_MOTION_DOFS]; /* coordinates between the world and the foot */
  int rows;                           /* of its velocity: 3, of a sole 6 */
  int forces;                         /* components of its force: rows, and a moment of an ankle motor */
  pki_nlp_function *force;            /* q, f -> -J' f for each coordinate of the chain */
  pki_nlp_function *velocity;         /* q, v -> w */
  pki_nlp_function *acceleration;     /* q, v, a -> dw/dt */
  pki_nlp_function *place;            /* q -> the point that touches (3) */
  pki_nlp_function *
      moments; /* q, f -> l_y f_z/2 -+ T_x, l_x f_z/2 -+ T_y, mu_d f_z -+ T_z in axes of the sole, (6); NULL: no sole */
  pki_nlp_function *corners; /* q -> heights of the four corners of the sole; NULL: no sole */
  pki_nlp_function *level;   /* q -> x and y of the sole's normal, zero where it is level; NULL: no sole */
} pki_motion_foot_functions;

/* What a gap needs. */
typedef struct pki_motion_gap_function {
  int nchain, chain[PKI_MOTION_DOFS]; /* coordinates that move its balls */
  pki_nlp_function *distance;         /* q -> height of the ball, or squared distance of both */
} pki_motion_gap_function;

typedef struct pki_motion_robot {
  const pki_motion_problem *problem;
  int n, nmotor;
  int motor[PKI_MOTION_DOFS];   /* [nmotor] coordinates with a motor */
  pki_nlp_function *dynamics;   /* q, v, a, tau [nmotor] -> M a + h - tau [n] */
  pki_nlp_function *jump;       /* q, v-, v+ -> M (v+ - v-) [n] */
  pki_nlp_function *mass_place; /* q -> centre of mass (3) */
  pki_motion_foot_functions feet[PKI_MOTION_FEET];
  pki_motion_gap_function gaps[PKI_MOTION_GAPS];
  double mass, length, gravity; /* kg; m: height of the mass in the standing pose; m/s^2 */
} pki_motion_robot;

/* A function of the robot at `in`, to which the lengths among the design parameters `design` are added as inputs; its Jacobian. False: out of
 * memory. */
bool pki_motion_value(const pki_motion_problem *problem, const double *design, const pki_nlp_function *f,
                      const double *in, double *out);
bool pki_motion_jacobian(const pki_motion_problem *problem, const double *design, const pki_nlp_function *f,
                         const double *in, double *entries);

pk_status pki_motion_robot_create(const pki_motion_problem *problem, pki_motion_robot **out, pk_error *err);
void pki_motion_robot_destroy(pki_motion_robot *robot);

/* q, v -> for each edge these numbers, in kg m^2/s and m; r_h is the horizontal distance of the mass from it, inside or behind it positive. */
enum {
  PKI_EDGE_H,
  PKI_EDGE_H_REF,
  PKI_EDGE_H_MAX,
  PKI_EDGE_HOLDS,   /* H_ref - H: it does not tip over the edge */
  PKI_EDGE_ROLLS,   /* H - H_ref: it rolls over the edge */
  PKI_EDGE_CATCHES, /* H_max - H: a foot still comes in time */
  PKI_EDGE_R_H,
  PKI_EDGE_NUMBERS
};
pk_status pki_motion_edges_create(const pki_motion_robot *robot, unsigned stance, pki_nlp_function **out,
                                  pk_error *err);

/* T, q, forces of the standing feet; weight -> weight T |S - GCoM|^2, S where the forces act on the ground: J_s1. */
pk_status pki_motion_polygon_create(const pki_motion_robot *robot, unsigned stance, pki_nlp_function **out,
                                    pk_error *err);

#endif
