/* Forces of the feet over the coming contacts, for a robot seen as one rigid body (mpc.c has the equations). */
#ifndef PKI_GAIT_MPC_H
#define PKI_GAIT_MPC_H

#include <stddef.h>

#include "gait/cpg.h"

enum { PKI_MPC_KNOTS = 16, PKI_MPC_STATES = 12, PKI_MPC_FORCES = 3 * PKI_LEGS };

/* The state x: turn from the wanted attitude (rotation vector), place of the mass, angular velocity, velocity; world
 * axes. Any consistent units; the mass of the body is 1. */
typedef struct pki_mpc_knot {
  double dt;
  double share[PKI_LEGS];        /* part of dt in which each foot is on the ground; 0: it has no force */
  double arm[PKI_LEGS][3];       /* foot's point from the mass */
  double wanted[PKI_MPC_STATES]; /* state at the end of the knot */
} pki_mpc_knot;

typedef struct pki_mpc_guess {
  /* z of each knot, three numbers for each leg that there is, then y: the first pki_mpc_guess_size bytes are used. */
  double zy[2 * PKI_MPC_KNOTS * PKI_MPC_FORCES];
} pki_mpc_guess;

/* Bytes of a guess for so many legs. */
size_t pki_mpc_guess_size(int legs);

typedef struct pki_mpc {
  int legs;
  double inertia_inverse[9], gravity[3];
  double normal[3], friction;    /* friction cone of a foot */
  double least, limit;           /* its normal force, while it stands */
  double weight[PKI_MPC_STATES]; /* of the state's errors */
  double last;                   /* those of the last knot are this much heavier */
  double effort;                 /* of forces squared */
  double start[PKI_MPC_STATES];
  int rounds; /* of the alternating directions, at most */
  pki_mpc_knot knots[PKI_MPC_KNOTS];
  /* out */
  double force[PKI_MPC_KNOTS][PKI_MPC_FORCES]; /* while the foot is on the ground; in the cones */
  double state[PKI_MPC_KNOTS][PKI_MPC_STATES]; /* at the end of each knot, by these forces */
} pki_mpc;

/* Solve from a guess, which becomes the next one's (zeroed: none). */
void pki_mpc_solve(pki_mpc *mpc, pki_mpc_guess *guess);

#endif
