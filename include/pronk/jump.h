/* The jump of velocities at an inelastic collision, (7) of Hardt and von Stryk 2002: points of a robot come to rest at once,
 * and the impulses that stop them spread through the whole robot.
 *
 *   M (u+ - u-) = J' P,   J u+ = 0        P = -inv(J inv(M) J') J u-,   u+ = u- + inv(M) J' P
 *
 * J has three rows for each point that is held: it neither leaves nor slides. Configurations do not change, forces of finite size
 * do not count, and kinetic energy never grows: what is lost is (u- - u+)' M (u- - u+)/2.
 *
 * A contact with a normal can push and not pull: of the contacts that are named those are held for which
 *
 *   held:      J_i u+ = 0,  n . P_i >= 0
 *   released:  P_i = 0,     n . J_i u+ >= 0
 *
 * in all of them at once, so that a foot that stood lifts when the impact of another one throws it up. Where several choices obey
 * this, the one that holds most of them is taken. A contact without a normal is held like a joint, whatever its impulse.
 * Friction holds whatever the impulse: whether it could is for the caller to see in P, against his cone. A foot that drags over the ground
 * can be stopped by friction alone with an impulse that pulls, and go into the ground when it is released: then nothing obeys the signs, and
 * what happens is a slide, which this law does not know (steps of a world do: sim.h).
 *
 *   pk_jump_contact feet[2] = {{.link = left, .normal = {0, 0, 1}}, {.link = right, .normal = {0, 0, 1}}};
 *   void *memory = aligned_alloc(64, pk_jump_memsize(model, 2));
 *   status = pk_jump(work, q, u, 2, feet, memory, after, impulse, &err);
 *
 * Threads: as the workspace. */
#ifndef PRONK_JUMP_H
#define PRONK_JUMP_H

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PK_JUMP_CONTACTS = 12 /* of one collision, at most */ };

/* A point of a robot that hits the world, or stands on it. */
typedef struct pk_jump_contact {
  /* Index in the model. */
  int link;
  /* m, in the link. */
  double point[3];
  /* World, unit, away from what is hit; zero: the point is held whatever its impulse. */
  double normal[3];
} pk_jump_contact;

/* Scratch of pk_jump, in bytes, 64-byte aligned; 0: there are more than PK_JUMP_CONTACTS contacts, or less than none. */
PK_API size_t pk_jump_memsize(const pk_model *model, int count);

/* Velocities u_out [nu] after the collision (u_out may be u), and impulses [count][3] on the robot, N s, world axes; impulse may
 * be NULL. Rows that depend on others (four corners of a sole) carry no impulse: u_out is the same however it is shared. Nothing
 * allocates; the workspace is left at q, at rest.
 *
 * PK_ERROR_ARGUMENT: a link that there is not, a normal that is not of length one, too many contacts, memory that is not aligned.
 * PK_ERROR_UNSUPPORTED: the model has loops or cut joints. PK_ERROR_NONFINITE: a number is none, or M is singular.
 * PK_ERROR_CONVERGENCE: no choice of contacts obeys the signs. u_out and impulse are then as they were. */
PK_API pk_status pk_jump(pk_workspace *w, const double *q, const double *u, int count,
                         const pk_jump_contact *contacts, void *memory, double *u_out, double *impulse,
                         pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
