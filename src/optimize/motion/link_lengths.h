/* Lengths of links as design parameters: the robot's expressions with lengths that are inputs.
 *
 * A length is a factor c: the link, with all that is fixed to it, is stretched along e, the direction from its own joint to the next one, or to its
 * foot where it is the last,
 *
 *   x -> S x,   S = 1 + (c - 1) e e'
 *
 * for the next joint, points of feet and gaps, and mass. Of uniform density along the link, mass is c times the model's; where the file keeps it constant
 * it is the model's. With the first and second moments h and Sigma of mass about the link's origin, both linear in mass,
 *
 *   m -> mu m,   h -> mu S h,   Sigma -> mu S Sigma S,   I = tr(Sigma) - Sigma,   mu = c or 1
 *
 * Radii of balls and sizes of soles stay what they are. */
#ifndef PKI_OPTIMIZE_MOTION_LINK_LENGTHS_H
#define PKI_OPTIMIZE_MOTION_LINK_LENGTHS_H

#include "optimize/motion/design.h"
#include "symbolic/robot/robot.h"

/* How many lengths are chosen; the row of the n-th one. */
int pki_lengths_count(const pki_motion_problem *problem);
int pki_lengths_row(const pki_motion_problem *problem, int n);

/* The body that a coordinate moves; -1: none, or several. */
int pki_lengths_body(const pk_model *model, int dof);

/* Unit vector along a body's link in its own frame, and the link's length in m. False: neither one joint nor a foot follows it. */
bool pki_lengths_axis(const pki_motion_problem *problem, int body, double axis[3], double *length);

/* The robot in a graph, as pki_robot_init makes it, with lengths [pki_lengths_count] that are inputs of a port of their own. To be freed by
 * pki_robot_free; false: out of memory. */
bool pki_lengths_draft(const pki_motion_problem *problem, pki_graph *g, pki_robot *robot, pki_x *lengths);

/* A point of a body where its link's length puts it. */
pki_x3 pki_lengths_point(const pki_motion_problem *problem, pki_graph *g, const pki_x *lengths, int body,
                         const double at[3]);

/* The model with the lengths of these values of all rows, feet and gaps of the problem with it: what files and reports are about. */
void pki_lengths_apply(pki_motion_problem *problem, pk_model *model, const double *values);

#endif
