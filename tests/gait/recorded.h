/* Motions (docs/formats/motion.md) made from what a walking robot does, and robots that begin in them. */
#ifndef PKI_TESTS_GAIT_RECORDED_H
#define PKI_TESTS_GAIT_RECORDED_H

#include "gait/walker.h"

/* Record one period of a walker, a row for each step, as a motion that repeats: its end is led into its beginning. false: the
 * file cannot be written. */
bool recorded_write(walker *w, double period, const char *path);

/* Put a robot of a sim into the first row of a motion, its rates included. */
void recorded_begin(pk_sim *sim, const char *path);

/* The controller `follow` in the place of a walker's own, and the robot in the motion's first row. */
void recorded_follow(walker *w, const pk_follow_options *options);

#endif
