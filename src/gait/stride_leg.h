/* A leg of three hinges under a planned trunk, whose foot is a ball that rolls on the ground (stride.h). */
#ifndef PKI_GAIT_STRIDE_LEG_H
#define PKI_GAIT_STRIDE_LEG_H

#include "pronk/legs.h"

/* A foot on the ground: where its centre was, and its shank's rotation there, world. */
typedef struct pki_rolling_foot {
  double radius;
  double at[3], shank[9];
} pki_rolling_foot;

/* Angles with the foot's point at `place` (world) under a trunk, as near as the leg reaches; `angles` are where it is. */
void pki_leg_place(const pk_leg *leg, const pk_pose *trunk, const double place[3], double *angles);

/* Angles under a trunk with the foot where it has rolled to on level ground: its centre is at at + radius theta x z, theta the rotation of its
 * shank. `foot` becomes that. */
void pki_leg_roll(const pk_leg *leg, const pk_pose *trunk, pki_rolling_foot *foot, double *angles);

#endif
