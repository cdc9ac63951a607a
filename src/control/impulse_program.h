/* Impulses of motors for one step in which feet that stand keep standing: the first of two stages of the controller `inverse-dynamics`.
 *
 * A step ends with u = u_f + inv(M)(P' l + J' r), l the impulses of motors, r those of the feet that shall stand, and the contact
 * problem of the step chooses r. A motor that follows its reference whatever it takes wins against friction, and the feet slide. So l is chosen
 * before, together with the r that it needs:
 *
 *   min |P u - v|^2 + w^2 |J u + c|^2 + |e x|^2   over x = (l, r),   |l| <= dt tau_max,   r in the cones of a part of mu
 *
 * v are the velocities that the references ask for, J u + c what the feet move over dt (step/follow.h), e a small part of the response to x, which
 * chooses among forces that do the same. It is a cone program (cone_program.h). Rows of feet follow the motion in some rounds, as those of the step
 * do, and what is left of J u + c is added to c in each (method of multipliers: Hestenes 1969, Powell 1969), so that w need not be large.
 *
 * Where J u + c = 0 and r lies inside the cones, (u, l, r) satisfies every row of the contact problem of the step, whose solution it is then: the
 * certificate proves what was promised here. Where it was wrong, contact decides. */
#ifndef PKI_CONTROL_IMPULSE_PROGRAM_H
#define PKI_CONTROL_IMPULSE_PROGRAM_H

#include "base/arena.h"
#include "control/cone_program.h"
#include "dynamics/workspace.h"
#include "step/follow.h"

/* A point that shall stand, or that may land in the step: then only its normal row counts, without friction, where the motion would end below
 * the ground. */
typedef struct pki_standing {
  pki_contact contact; /* body, point and axes, world, at the start of the step */
  double radius;       /* m, of its ball; 0: a point */
  double friction;     /* of its cone */
  bool lands;
} pki_standing;

typedef struct pki_impulse_program {
  double dt;
  int joints;
  const int *dof;         /* [joints] velocity coordinates */
  const double *velocity; /* [joints] rad/s or m/s, wanted at the end of the step */
  const double *most;     /* [joints] N m or N, largest force */
  int feet;
  const pki_standing *standing; /* [feet] */
} pki_impulse_program;

/* Largest numbers of velocities, joints and standing points. */
enum { PKI_IMPULSE_NU = 64, PKI_IMPULSE_JOINTS = 58, PKI_IMPULSE_FEET = 8 };

typedef struct pki_impulse_solution {
  double impulse[PKI_IMPULSE_JOINTS]; /* N m s or N s, l */
  double rate[PKI_IMPULSE_JOINTS];    /* rad/s or m/s, P u */
  double foot[3 * PKI_IMPULSE_FEET];  /* N s, r, contact axes */
  double moved;                       /* m, the farthest that a standing point moves */
  double residual;                    /* of the last cone program */
} pki_impulse_solution;

/* Bytes of scratch, 64-byte aligned. */
size_t pki_impulse_program_size(int nu, int joints, int feet);

/* q, u: the state at the start of the step; `warm`: the solution holds that of a program of the same sizes. The workspace is left in no
 * particular state. */
void pki_impulse_program_solve(const pki_impulse_program *p, pk_workspace *w, const double *q,
                               const double *u, bool warm, void *memory, pki_impulse_solution *out);

#endif
