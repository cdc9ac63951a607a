/* How good the cubics are between the points of the grid, and a finer grid where they are not. */
#ifndef PKI_OPTIMIZE_MOTION_REFINE_H
#define PKI_OPTIMIZE_MOTION_REFINE_H

#include "optimize/motion/program.h"
#include "optimize/motion/solution.h"

/* The largest error of an interval; errors [intervals of all phases], NULL: not asked for. An error is how much the motion is off the equations
 * of motion at the quarters of the interval, times its length: as velocities, divided by their scale. */
double pki_motion_grid_error(const pki_motion_program *program, const pki_motion_solution *solution,
                             double *errors);

/* Split every interval whose error is above the tolerance, as long as there are not more than `most` in all. */
pk_status pki_motion_refine(pki_motion_grid *grid, int nphase, const double *errors, double tolerance,
                            int most, bool *changed, pk_error *err);

#endif
