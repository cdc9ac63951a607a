/* Gains of a joint's PD from the inertia that it moves. */
#ifndef PKI_CONTROL_GAINS_H
#define PKI_CONTROL_GAINS_H

#include "pronk/dynamics.h"

/* For each of the nu velocity coordinates of a model at q0, those of joints: kp = (2 pi frequency)^2 I, not more than what reaches the
 * effort limit at 0.1 rad or 0.01 m, and kd = 2 sqrt(kp I), which is critical damping. I is the inertia on the joint's heavier side:
 * what it carries, or, of a robot with a free root, all the rest, which turns about the joint when a foot stands. */
pk_status pki_gains_compute(const pk_model *model, double frequency, double *kp, double *kd, pk_error *err);

#endif
