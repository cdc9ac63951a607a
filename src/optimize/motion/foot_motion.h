/* Where a foot touches the ground and how fast, and the mass and momentum of the robot, as expressions. */
#ifndef PKI_OPTIMIZE_MOTION_FOOT_MOTION_H
#define PKI_OPTIMIZE_MOTION_FOOT_MOTION_H

#include "optimize/motion/link_lengths.h"
#include "optimize/motion/robot_functions.h"

typedef struct pki_foot_motion {
  pki_x3 point;                     /* that touches, world axes */
  pki_x3 turn;                      /* angular velocity of the foot's body, world axes */
  pki_x3 axes[3];                   /* of a sole, the last its normal; world axes */
  pki_x w[PKI_MOTION_CONTACT_ROWS]; /* velocity of the point that touches; of a sole, its angular velocity */
} pki_foot_motion;

/* A robot in a graph with what is left free of it: lengths of links (link_lengths.h). */
typedef struct pki_drafted_robot {
  const pki_motion_problem *problem;
  pki_graph *g;
  pki_robot robot;
  int nlength;
  pki_x lengths[PKI_MOTION_DESIGNS];
  bool good; /* false: out of memory */
} pki_drafted_robot;
pki_drafted_robot pki_draft_robot(const pki_motion_problem *problem);
void pki_drop_robot(pki_drafted_robot *draft);

/* A function of `inputs` [n], to which the lengths are added. */
pk_status pki_drafted_function(const pki_drafted_robot *draft, const char *name, int n, const pki_x *inputs,
                               int np, const pki_x *parameters, int ny, const pki_x *values,
                               pki_nlp_function **out, pk_error *err);

/* False: out of memory. */
bool pki_motion_of_foot(const pki_drafted_robot *draft, const pki_motion_foot *foot, pki_foot_motion *out);

/* Centre of mass; momentum[0] angular about it, momentum[1] linear. False: out of memory. */
bool pki_motion_mass(const pki_robot *robot, pki_x3 *c, pki_x3 momentum[2]);

double pki_motion_gravity(const pk_model *model); /* m/s^2 */

#endif
