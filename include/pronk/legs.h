/* Inverse kinematics of legs in closed form: the angles of a leg's hinges that bring its foot to a place.
 *
 * Two kinds of legs have one, and their geometry is read from the model, whatever its axes and offsets:
 *
 *   PK_LEG_POINT  three hinges, the second and third parallel (StarLETH, ANYmal, the arm of a UR), or the first
 *                 two meeting in the hip (Sony's quadruped): a point of the foot is placed, in up to 4 ways.
 *                 Hinges beyond the third (an ankle) keep the angles that they are given.
 *   PK_LEG_POSE   six hinges: three axes that meet in the hip, a knee, two axes that meet in the ankle (COMAN
 *                 and most humanoids; Pieper 1968): foot and sole are placed, in up to 8 ways.
 *
 * A place is given in the trunk's frame, that of the robot's root link:
 *
 *   pk_leg leg;
 *   pk_leg_init(&leg, model, PK_LEG_POINT, pk_model_find_link(model, "LF_FOOT"), NULL, &err);
 *   double angles[PK_LEG_HINGES] = {0, 0.7, -1.4};
 *   pk_pose foot = pk_pose_identity();
 *   foot.pos[0] = 0.25, foot.pos[1] = 0.2, foot.pos[2] = -0.4;
 *   status = pk_leg_solve(&leg, &foot, PK_LEG_NEAREST, angles, &err);     the way nearest to 0, 0.7, -1.4
 *   pk_leg_set(&leg, angles, q);                                          into the model's q
 *
 * Nothing iterates and, after pk_leg_init, nothing allocates. docs/theory/reduced.md has the equations.
 * Limits of joints are not looked at: they choose among ways, which is the caller's business
 * (pk_model.dof_lower, dof_upper at leg.u).
 *
 * Threads: all functions may run at the same time; a leg never changes after pk_leg_init. */
#ifndef PRONK_LEGS_H
#define PRONK_LEGS_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pk_leg_kind {
  PK_LEG_POINT, /* three hinges place a point */
  PK_LEG_POSE,  /* six hinges place point and sole */
  PK_LEG_KIND_COUNT
} pk_leg_kind;

enum {
  PK_LEG_HINGES = 8,   /* at most, from the trunk to the foot */
  PK_LEG_NEAREST = -1, /* instead of a branch: the solution nearest to the angles given */
};

/* One leg: numbers only, may be copied. The frame is the trunk's, all hinges at zero. */
typedef struct pk_leg {
  /* What it places. */
  pk_leg_kind kind;
  /* Whose leg it is: pk_model_hash. */
  unsigned long long model;
  /* Of the foot. */
  int link;
  /* m, the point of the link that is placed. */
  double point[3];
  /* Link: the robot's root. */
  int trunk;
  /* Hinges from the trunk to the foot. */
  int nhinge;
  /* How many of them are solved for, the first ones: 3 or 6. */
  int nsolve;
  /* Ways to place a foot, at most: 4 or 8. */
  int nbranch;
  /* [nhinge] coordinates of the hinges in the model's q. */
  int q[PK_LEG_HINGES];
  /* [nhinge] and in the model's u. */
  int u[PK_LEG_HINGES];
  /* [nhinge] unit. */
  double axis[PK_LEG_HINGES][3];
  /* [nhinge] m, a point on each axis; the hip's centre for the first three of a pose leg and for the first two
   * of a point leg whose axes meet there, the ankle's for the last two of a pose leg. */
  double at[PK_LEG_HINGES][3];
  /* Axes of the foot's link, position of the point. */
  pk_pose foot;
} pk_leg;

/* The leg from a robot's trunk to a link (index), point NULL: the link's origin. PK_ERROR_UNSUPPORTED says
 * what about the leg has no closed form: a joint that is no hinge, the count, axes that are not parallel or
 * do not meet within 1e-9. */
PK_API pk_status pk_leg_init(pk_leg *leg, const pk_model *model, pk_leg_kind kind, int link,
                             const double point[3], pk_error *err);

/* Angles [nhinge] that bring the foot to a place in the trunk's frame: position of the point and, for a pose
 * leg, axes of the link. On entry they are where the leg is: angles come out within half a turn of those, a
 * hinge that the place leaves free keeps its angle, and so do hinges beyond nsolve.
 *
 * which: a branch, 0 to nbranch - 1, or PK_LEG_NEAREST. Bits of a branch: 1: the knee bends against its axis,
 * counted from the stretched leg; 2: the other side of the hip (point leg) or ankle (pose leg); 4: the other
 * turn of the hip (pose leg).
 *
 * PK_ERROR_REACH when there is no solution (in this branch), however far the place is; the angles are as they
 * were. PK_ERROR_NONFINITE when a number is none. */
PK_API pk_status pk_leg_solve(const pk_leg *leg, const pk_pose *foot, int which, double *angles,
                              pk_error *err);

/* The branch that these angles belong to. */
PK_API int pk_leg_branch(const pk_leg *leg, const double *angles);

/* The place nearest to `foot` that the leg reaches, which pk_leg_solve then finds; `foot` itself when it is
 * reached. The foot keeps its orientation. Point leg: nearest in the plane in which the leg bends, turned
 * through the place (or as near to it as the first hinge can); that is the nearest of all when the foot's
 * plane holds the first axis. Where the first two axes meet in the hip: along the ray from the hip,
 * which is the nearest of all, or, when the second hinge does not allow that direction, turned about the hip
 * until it does. Pose leg: nearest within the knee's reach. A place beyond 1e9 times the leg's length is taken
 * as one at that distance in its direction. angles: of hinges beyond nsolve. PK_ERROR_REACH when a pose leg
 * cannot turn its foot so at that place. */
PK_API pk_status pk_leg_reach(const pk_leg *leg, const pk_pose *foot, const double *angles, pk_pose *nearest,
                              pk_error *err);

/* The foot's place in the trunk's frame for angles [nhinge]: forward kinematics. */
PK_API pk_pose pk_leg_foot(const pk_leg *leg, const double *angles);

/* Angles [nhinge] out of the model's q, and into it. */
PK_API void pk_leg_get(const pk_leg *leg, const double *q, double *angles);
PK_API void pk_leg_set(const pk_leg *leg, const double *angles, double *q);

#ifdef __cplusplus
}
#endif
#endif
