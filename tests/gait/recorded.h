/* Motions (docs/formats/motion.md) made from what a robot does in a world, and robots that begin in them. */
#ifndef PKI_TESTS_GAIT_RECORDED_H
#define PKI_TESTS_GAIT_RECORDED_H

#include "pronk/gait.h"
#include "pronk/sim.h"

/* Record the first robot of a world for a time, a row for each step, with torques and the forces of its feet. What repeats is led from
 * its end into its beginning, and travels along x. false: the file cannot be written, or a step failed. */
bool recorded_write(pk_sim *sim, const char *const *feet, int nfeet, double time, bool repeats,
                    const char *path);

/* Put the first robot of a world into the first row of a motion, its rates included. */
void recorded_begin(pk_sim *sim, const char *path);

/* Begin in a motion, with the controller `follow` along it, which is returned. */
pk_controller *recorded_follow(pk_sim *sim, const pk_follow_options *options);

/* The same with default options. */
pk_controller *recorded_follow_file(pk_sim *sim, const char *path);

#endif
