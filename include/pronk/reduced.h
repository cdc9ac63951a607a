/* Reduced dynamics: the motion of a robot whose stance feet do not move, as an ordinary differential equation
 * without constraints (Hardt and von Stryk 2002, section 2.2).
 *
 * Independent states (q1, u1) are those of the trunk, of legs that swing and of everything else; the hinges
 * of stance legs are dependent: their angles follow from where the feet stand by the legs' closed form
 * (legs.h), their velocities from J u = 0. docs/theory/reduced.md derives
 *
 *   u = T u1,   T' M T du1/dt = T' (tau - h - M g),   du/dt = T du1/dt + g,   J' f = M du/dt + h - tau
 *
 *   pk_reduced *r;
 *   pk_reduced_create(model, 4, legs, &r, &err);
 *   pk_reduced_stand(r, 1u << 0 | 1u << 3, NULL, q, &err);   feet 0 and 3 stand where they are at q
 *   pk_reduced_take(r, q, u, q1, u1);                        q1 [pk_reduced_nq(r)], u1 [pk_reduced_nu(r)]
 *   pk_reduced_forward(r, q1, u1, tau, a1, NULL, force, &err);
 *
 * A foot of a point leg cannot slip and exerts a force; one of a pose leg cannot turn either and exerts a
 * moment, too. Nothing says that they could: forces may pull. Only pk_reduced_create allocates.
 *
 * Threads: one pk_reduced belongs to one thread at a time; different ones may be used at the same time. */
#ifndef PRONK_REDUCED_H
#define PRONK_REDUCED_H

#include "dynamics.h"
#include "legs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PK_REDUCED_LEGS = 16 }; /* at most */

typedef struct pk_reduced pk_reduced;

/* For a model and its legs (copied), none of which stands yet. The model must outlive it.
 * PK_ERROR_UNSUPPORTED when the model has loops or cut joints, or two legs share a hinge; PK_ERROR_ARGUMENT
 * when a leg is of another model. */
PK_API pk_status pk_reduced_create(const pk_model *model, int nleg, const pk_leg *legs, pk_reduced **out,
                                   pk_error *err);

/* Free it; NULL is fine. */
PK_API void pk_reduced_destroy(pk_reduced *r);

/* Which legs stand: bit i of stance is leg i. feet [nleg], world: position of the leg's point, axes of its
 * link (pose legs); NULL: where they are at q. q [nq] says in which way the legs are bent: each keeps its
 * branch until the next call, and its angles stay within half a turn of those at q. PK_ERROR_REACH when a
 * foot is out of reach from q's trunk; nothing changes. */
PK_API pk_status pk_reduced_stand(pk_reduced *r, unsigned stance, const pk_pose *feet, const double *q,
                                  pk_error *err);

/* How many independent positions and velocities there are, and which of q and u they are. */
PK_API int pk_reduced_nq(const pk_reduced *r);
PK_API int pk_reduced_nu(const pk_reduced *r);
PK_API const int *pk_reduced_q(const pk_reduced *r);
PK_API const int *pk_reduced_u(const pk_reduced *r);

/* Independent states out of all. u, u1 may be NULL. */
PK_API void pk_reduced_take(const pk_reduced *r, const double *q, const double *u, double *q1, double *u1);

/* All states of independent ones: q [nq] by inverse kinematics, u [nu] = T u1. u1, u may be NULL.
 * PK_ERROR_REACH when a stance foot is out of its leg's reach, PK_ERROR_SINGULAR when a stance leg is
 * stretched or otherwise unable to hold its foot while the trunk moves (reciprocal condition of its Jacobian
 * below 1e-6). */
PK_API pk_status pk_reduced_complete(pk_reduced *r, const double *q1, const double *u1, double *q, double *u,
                                     pk_error *err);

/* Accelerations a1 [nu1] for forces tau [nu] of the model's coordinates; all accelerations a [nu] and what
 * the ground does to the feet, force [nleg][6]: moment about the point (zero for point legs) and force, world
 * axes, zero for legs that swing. a, force may be NULL. Fails as pk_reduced_complete does, and with
 * PK_ERROR_NONFINITE. */
PK_API pk_status pk_reduced_forward(pk_reduced *r, const double *q1, const double *u1, const double *tau,
                                    double *a1, double *a, double *force, pk_error *err);

/* q1 moved by the velocity v1 for unit time (as pk_config_add). */
PK_API void pk_reduced_add(pk_reduced *r, const double *q1, const double *v1, double *q1_out);

#ifdef __cplusplus
}
#endif
#endif
