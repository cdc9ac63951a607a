/* Gaps: balls on the robot that keep their distance from the ground, or from balls on other links.
 *
 * A ball is a point of a link; the least distance is that of its centre from the ground, or of both centres, so that it has their radii and
 * what is left free between them. Rows are z(q) >= d and |p(q) - p'(q)|^2 >= d^2, at all points of the grid: smooth, where the distance of boxes
 * is not. */
#ifndef PKI_OPTIMIZE_MOTION_GAP_H
#define PKI_OPTIMIZE_MOTION_GAP_H

#include "optimize/motion/program.h"

/* Function and chain of the gap `index` of the problem. */
pk_status pki_motion_gap_create(const pki_motion_problem *problem, int index, pki_motion_gap_function *out,
                                pk_error *err);

/* The rows of all gaps at one point. */
void pki_motion_add_gaps(pki_motion_program *program, int phase, int point);

#endif
