/* A robot at rest on feet that stand: the pose by the closed form of its legs, forces by the reduced dynamics. */
#ifndef PKI_CLI_STANCE_POSE_H
#define PKI_CLI_STANCE_POSE_H

#include "cli/find_legs.h"

/* What is asked. */
typedef struct pki_stance_question {
  const pk_model *model;
  pk_pose trunk;
  int count; /* legs that stand */
  pki_robot_leg limbs[PKI_LIMBS];
  pk_pose feet[PKI_LIMBS]; /* world: the placed point, and for pose legs the axes of the link */
} pki_stance_question;

/* What comes out; arrays are the caller's. */
typedef struct pki_stance_answer {
  double *q, *tau;            /* [nq], [nu]: torques that hold it still with the least forces */
  double *a1;                 /* [nu]: accelerations of the independent velocities with these */
  bool within[PKI_LIMBS];     /* joints are within their limits */
  double force[PKI_LIMBS][6]; /* on the foot: moment about its point, force; world */
  int nq1, nu1;               /* independent states */
  double unbalanced[6]; /* on the trunk: what feet that stand there cannot balance; as in u: force, moment */
  double fastest;       /* largest of a1 */
} pki_stance_answer;

/* The trunk level over the origin, with legs bent to 0.785 of their reach, and feet below their hips on z = 0 (by their balls). */
void pki_stance_preset(pki_stance_question *s);

/* PK_ERROR_REACH when a foot is out of reach, PK_ERROR_SINGULAR when a leg is stretched, PK_ERROR_MEMORY. */
pk_status pki_stance_solve(const pki_stance_question *s, pki_stance_answer *out, pk_error *err);

#endif
