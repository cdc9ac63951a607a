/* The first guess of a motion, from kinematics alone: a trunk at constant speed, or on a ballistic path, feet where they are under the hips in
 * the middle of their stance and on arcs between, joints by inverse kinematics, forces that carry the trunk, torques by inverse dynamics. */
#ifndef PKI_OPTIMIZE_MOTION_GUESS_H
#define PKI_OPTIMIZE_MOTION_GUESS_H

#include "optimize/motion/program.h"

pk_status pki_motion_guess(pki_motion_program *program, pk_error *err);

#endif
