/* Design parameters: numbers of the robot that are chosen together with its motion.
 *
 *   parallel spring    motor torque = joint torque + k (q - q_0)
 *   gear N             the rotor adds N^2 J a + N^2 b v to the joint's equation of motion; heat R (tau/(N K))^2, lines scale with N
 *   series spring      rotor speed w = v + tau'/k, rotor torque tau_m = tau + N^2 J (a + tau''/k) + N^2 b w
 *
 * Torques of a program are those that reach the joint from its motor: what a parallel spring adds is a term of the equations of motion.
 * A gear or a series spring brings the rotor of its motor with it, in the place of the model's armature of that joint. */
#ifndef PKI_OPTIMIZE_MOTION_DESIGN_H
#define PKI_OPTIMIZE_MOTION_DESIGN_H

#include "optimize/motion/problem.h"

/* "parallel-stiffness" and so on, as gait files call them; "N m/rad". */
extern const char *const pki_design_words[];
const char *pki_design_unit(pki_design_kind kind);

/* The least value that makes sense: 0 of a stiffness, above 0 where the program divides by it. */
double pki_design_floor(pki_design_kind kind);

/* The row that has this parameter of a coordinate; -1: none. */
int pki_design_find(const pki_motion_problem *problem, pki_design_kind kind, int dof);

/* Its value for a coordinate, from the values of all rows; where no row has it: the rest angle of the standing pose, the motor's gear,
 * NAN otherwise. */
double pki_design_value(const pki_motion_problem *problem, const double *values, pki_design_kind kind,
                        int dof);

/* What the rotor is to a joint with a gear or series row: its inertia and damping at N = 1, and its gear without a row. A joint without the
 * inertia of a motor has the model's armature as its rotor. */
typedef struct pki_motion_rotor {
  double inertia, damping, gear;
} pki_motion_rotor;
pki_motion_rotor pki_design_rotor(const pki_motion_problem *problem, int dof);

/* rest += what the parameters add to the equations of motion M a + h - tau - J' f at a state. */
void pki_design_add_forces(const pki_motion_problem *problem, const double *values, const double *q,
                           const double *v, const double *a, double *rest);

/* Motors with the gears of these values: their lines and largest torques. */
void pki_design_apply(pki_motion_problem *problem, const double *values);

/* Rows by themselves and as a whole; called by pki_motion_validate. `mirror` NULL: the motion does not close on its image. */
pk_status pki_design_validate(const pki_motion_problem *problem, const pki_motion_mirror *mirror,
                              pk_error *err);

#endif
