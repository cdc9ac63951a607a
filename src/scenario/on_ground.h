/* Robots and the ground at the start: put on it, and told of when they start in it. */
#ifndef PKI_SCENARIO_ON_GROUND_H
#define PKI_SCENARIO_ON_GROUND_H

#include "scenario/scenario.h"

/* Move what floats of model number `model` (free roots, floating joints on the world) up or down until it just stands on the
 * ground, with q [nq] and u [nu] of pk_sim_joint_model as they are; q changes with the world. What `keeps` is true of stays where it
 * is unless it is in the ground. */
void pki_world_place_model(pki_world *world, int model, bool keeps, double *q, const double *u);

/* Warn of robots that start in the ground by more than a millimetre. */
void pki_world_check_ground(const pki_world *world, pki_problems *warnings);

#endif
