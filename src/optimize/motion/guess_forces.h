/* Small linear algebra of the first guess: legs that reach, forces that carry. */
#ifndef PKI_OPTIMIZE_MOTION_GUESS_FORCES_H
#define PKI_OPTIMIZE_MOTION_GUESS_FORCES_H

#include "optimize/motion/program.h"

/* Errors of a foot's place, and of a sole's level, and their derivatives by the coordinates of its chain; how many rows. */
int pki_motion_leg_errors(const pki_motion_program *program, const pki_motion_foot_functions *foot,
                          const double *chain, const double target[3], double error[5],
                          double jacobian[5][PKI_MOTION_DOFS]);

/* change = -J' inv(J J' + damping) error, of the columns that are free. */
void pki_motion_damped_step(int rows, int columns, const bool *free_column, const double error[5],
                            double jacobian[5][PKI_MOTION_DOFS], double *change);

/* Forces of the standing feet that balance the trunk as well as they can, torques that leave nothing to the joints; powers of them. */
void pki_motion_guess_forces(const pki_motion_program *program, const pki_point_variables *at,
                             const double *q, const double *v, const double *a);

/* rest := rest - J' f with the f of the standing feet for which least of it is left, on coordinates that are not locked. */
void pki_motion_push_back(const pki_motion_program *program, unsigned stance, const double *q, double *rest);

#endif
