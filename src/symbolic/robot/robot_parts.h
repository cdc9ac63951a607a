/* Functions that are whole: each adds its outputs. False: out of memory. */
#ifndef PKI_SYMBOLIC_ROBOT_ROBOT_PARTS_H
#define PKI_SYMBOLIC_ROBOT_ROBOT_PARTS_H

#include "symbolic/robot/robot.h"

bool pki_robot_energy(const pki_robot *robot, pki_function *f);
bool pki_robot_momentum(const pki_robot *robot, pki_function *f);
bool pki_robot_velocities(const pki_robot *robot, pki_function *f);
bool pki_robot_jacobian(const pki_robot *robot, pki_function *f);
bool pki_robot_contacts(const pki_robot *robot, pki_function *f);
bool pki_robot_rnea_derivatives(const pki_robot *robot, pki_function *f);
bool pki_robot_aba_derivatives(const pki_robot *robot, pki_function *f);

/* Poses, origins and, when they move, twists of bodies `from` on (pki_robot_world), as outputs. */
bool pki_robot_add_world(const pki_robot *robot, pki_function *f, int from, bool moving);

/* The points that pki_robot_contacts speaks of: centres of balls that collide, else the origins of the last bodies. How
 * many; body [n] and where in it [n][3], or NULL to count. */
int pki_robot_points(const pk_model *m, int *body, double (*at)[3]);

/* a = inv(M) (tau - h): articulated bodies, or composite ones with mimic joints. */
bool pki_robot_forward(const pki_robot *robot, const pki_x *u, const pki_x *tau, pki_x *a);

#endif
