/* No tunnelling: pairs that meet on their way in a step.
 *
 * Contacts are looked for at one configuration of a step. A pair that moves in the step by more than half of
 * the balls that fit inside of both may have passed through each other there, or stand on the wrong side. For
 * such pairs the first touch is found along the way, with the velocities of the start
 * (collision/narrow/narrow.h). The plane that parts the two there, through the point p with the normal n,
 * stays with the larger one. At any configuration of the step the other one has gaps to that plane,
 *
 *   gap = n . (x - p)   for its farthest points x
 *
 * which tell the side that the pair came from, however far it is through. These contacts take the place of
 * the pair's others, but for those of a mesh or height field that look another way: in the velocity problem a
 * gap below zero counts as closed, and the projection of positions brings the pair back to its side. Of a
 * smaller one that is not convex the points stay that touched. Pairs that mostly slide on each other are left
 * as they are.
 *
 * Part of the stabilised scheme of the hard law. */
#ifndef PKI_STEP_SWEPT_H
#define PKI_STEP_SWEPT_H

#include "step/world.h"

/* The swept pairs of the step from the state's configuration with the velocities u. The workspace is at q
 * with the twists of u before and after. False when there is no room for all. */
bool pki_swept_find(pk_sim *sim, const double *q, const double *u, pk_step_info *info);

/* Put their contacts into c->found, in the place of other contacts of the same pairs, as they are at the
 * workspace's configuration. False when there is no room. */
bool pki_swept_place(pk_sim *sim);

/* Impacts with restitution happen in the step in which they are met: those that are still open and close in
 * the time `reach` count as closed. After c->speed is known. */
void pki_swept_close(pk_sim *sim, double reach);

#endif
