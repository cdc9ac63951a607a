/* Controllers that come with Pronk: `hold` keeps a pose, `track` and `computed-torque` follow joint
 * references, `locomotion` lets a quadruped stand, go in nine gaits, and jump.
 *
 *   pk_locomotion_options o = pk_locomotion_options_default();
 *   o.gait = PK_GAIT_TROT;
 *   o.forward = 0.3;
 *   pk_controller *trot;
 *   pk_locomotion_create(model, &o, &trot, &err);
 *   pk_sim_set_controller(sim, trot, &err);
 *   ...
 *   pk_sim_destroy(sim);
 *   pk_locomotion_destroy(trot);
 *
 * docs/theory/control.md and docs/theory/locomotion.md have the equations. All honour the model's effort limits.
 *
 * Threads: a controller that was created never changes and may be shared by sims and batches in all threads.
 * pk_locomotion_set_speed and pk_locomotion_set_gait are functions on the sim: sim.h. */
#ifndef PRONK_GAIT_H
#define PRONK_GAIT_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_sim pk_sim; /* sim.h */

/* PD to the pose that the world has at the first update. */
typedef struct pk_hold_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* N m/rad. Default 100. */
  double kp;
  /* N m s/rad. Default 2. */
  double kd;
  /* N m, beside the model's effort limits; 0 and INFINITY: those alone. Default INFINITY. */
  double tau_max;
  /* Hz, of each joint: kp and kd follow from it and from the inertia that the joint moves, critically damped; those above
   * do not count. kp is not more than what reaches the effort limit at 0.1 rad (0.01 m). 0: kp and kd as they are given.
   * Default 0. */
  double frequency;
} pk_hold_options;

PK_API pk_hold_options pk_hold_options_default(void);
PK_API pk_status pk_hold_create(const pk_model *model, const pk_hold_options *options, pk_controller **out,
                                pk_error *err);
PK_API void pk_hold_destroy(pk_controller *controller);

/* PID along a table or sinusoids of joint references (docs/formats/track.md): tau + kp (q_des - q) + kd (u_des - u), tau
 * being ki times the integral of q_des - q since the start, which waits while the torque is at its limit and
 * would go beyond. Without a file: to the pose that the world has at the first update. Lines of the file give
 * each joint gains of its own, in the place of those here. */
typedef struct pk_track_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* Path of the table; "": none. Default "". */
  char file[1024];
  /* s, the line that the table goes back to after its last one; below 0: it stays there. Default -1. */
  double loop;
  /* s from time 0, in which the joints are led smoothly from the pose at the first update, at rest, into the table, whose time
   * goes on meanwhile; 0: at once. Default 0. */
  double ramp;
  /* N m/rad. Default 100. */
  double kp;
  /* N m s/rad. Default 2. */
  double kd;
  /* N m/(rad s). Default 0. */
  double ki;
  /* N m, beside the model's effort limits; 0 and INFINITY: those alone. Default INFINITY. */
  double tau_max;
} pk_track_options;

PK_API pk_track_options pk_track_options_default(void);
PK_API pk_status pk_track_create(const pk_model *model, const pk_track_options *options, pk_controller **out,
                                 pk_error *err);
PK_API void pk_track_destroy(pk_controller *controller);

/* Computed torques along joint references, for robots that are fixed to the world (docs/theory/control.md):
 *
 *   tau = M (a_ref + kp e + kd de/dt + ki integral of e) + h,   e = q_ref - q
 *
 * and the forces of damping and springs in joints. Gains are those of accelerations, the same for all joints: lines kp, kd and ki
 * of the table do not count, its tau_max does. Joints of the same robots that the table does not name keep the pose of the first
 * update; robots of which it names none are left alone. Each robot that it names is a tree with a motor in every joint:
 * PK_ERROR_UNSUPPORTED otherwise. */
typedef struct pk_computed_torque_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* Path of the table; "": none, the pose at the first update. Default "". */
  char file[1024];
  /* s, the line that the table goes back to after its last one; below 0: it stays there. Default -1. */
  double loop;
  /* s from time 0, in which the joints are led smoothly from the pose at the first update into the table; 0: at once.
   * Default 0. */
  double ramp;
  /* Hz, of the errors' undamped oscillation, where kp is below 0: kp = (2 pi frequency)^2. Default 3. */
  double frequency;
  /* Of the errors, 1 is critical, where kd is below 0: kd = 2 damping sqrt(kp). Default 1. */
  double damping;
  /* 1/s^2; below 0: by frequency. Default -1. */
  double kp;
  /* 1/s; below 0: by damping. Default -1. */
  double kd;
  /* 1/s^3. Default 0. */
  double ki;
  /* N m, beside the model's effort limits; 0 and INFINITY: those alone. Default INFINITY. */
  double tau_max;
} pk_computed_torque_options;

PK_API pk_computed_torque_options pk_computed_torque_options_default(void);
PK_API pk_status pk_computed_torque_create(const pk_model *model, const pk_computed_torque_options *options,
                                           pk_controller **out, pk_error *err);
PK_API void pk_computed_torque_destroy(pk_controller *controller);

typedef enum pk_gait {
  PK_GAIT_STAND,  /* four feet on the ground */
  PK_GAIT_TROT,   /* diagonal pairs in turn */
  PK_GAIT_CRAWL,  /* one foot after the other, three always stand */
  PK_GAIT_WALK,   /* the order of the crawl, two or three feet stand */
  PK_GAIT_PACE,   /* the pairs of a side in turn */
  PK_GAIT_AMBLE,  /* four beats, a fore foot soon after its hind foot */
  PK_GAIT_BOUND,  /* fore and hind pairs in turn, flight between them */
  PK_GAIT_CANTER, /* three beats, flight */
  PK_GAIT_GALLOP, /* hind feet, fore feet, each pair a little apart; flight */
  PK_GAIT_PRONK,  /* all four at once, then flight */
  PK_GAIT_JUMP,   /* one jump on the spot: crouch, push, flight, landing; then it stands */
  PK_GAIT_COUNT
} pk_gait;

typedef enum pk_locomotion_attitude {
  PK_LOCOMOTION_ATTITUDE_LEVEL, /* the trunk stays level */
  PK_LOCOMOTION_ATTITUDE_SLOPE, /* it follows the ground, estimated from the feet */
  PK_LOCOMOTION_ATTITUDE_COUNT
} pk_locomotion_attitude;

enum { PK_GAIT_CHANGES = 32 };

/* What a robot does from some time on. */
typedef struct pk_gait_change {
  /* s, when it begins. */
  double at;
  /* With its own cycle, duty and lift, unless it is the options' gait. */
  pk_gait gait;
  /* m/s. */
  double forward;
  /* m/s, to the left. */
  double sideways;
  /* rad/s, to the left. */
  double turn;
} pk_gait_change;

/* A quadruped on a free trunk with three hinges in each leg and balls or points as feet. The first hinge of a
 * leg turns it sideways, the others bend it, either way. The robot should be set on its feet before the first
 * update. Whoever has fallen (trunk tilted by more than 60 degrees, or on its belly) gets damping only, until
 * the world is reset. */
typedef struct pk_locomotion_options {
  /* s between updates, a whole number of steps. Default 2.5e-3. */
  double period;
  /* Links: left fore, right fore, left hind, right hind; NULL: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT. */
  const char *feet[4];

  /* Default PK_GAIT_STAND. */
  pk_gait gait;
  /* m/s, wanted speed of the trunk. Default 0. */
  double forward;
  /* m/s, to the left. Default 0. */
  double sideways;
  /* rad/s, to the left. Default 0. */
  double turn;
  /* s, when the gait begins; it stands before. Default 0.5. */
  double start;
  /* s, when it ends; it stands after. Default 1e9. */
  double stop;
  /* [change_count] times rise; each counts from its time on. */
  pk_gait_change changes[PK_GAIT_CHANGES];
  /* Default 0. */
  int change_count;
  /* m, top of a jump: the trunk over where it stands; more than the legs can is refused. Default 0.15. */
  double jump;
  /* s, of the gait; 0: the gait's own. Default 0. */
  double cycle;
  /* Part of the cycle that a foot is planned to be on the ground; 0: the gait's own. Default 0. */
  double duty;
  /* m/s^2 and rad/s^2, how fast the wanted speed may change. Default 0.5. */
  double acceleration;

  /* Default PK_LOCOMOTION_ATTITUDE_SLOPE. */
  pk_locomotion_attitude attitude;
  /* m, of the trunk's origin above the feet's points; 0: legs bent to 0.785 of their length. Default 0. */
  double height;
  /* m, of a swinging foot; 0: the gait's own. Default 0. */
  double lift;
  /* Stance forces stay within this friction cone. Default 0.6. */
  double friction;
} pk_locomotion_options;

PK_API pk_locomotion_options pk_locomotion_options_default(void);
PK_API pk_status pk_locomotion_create(const pk_model *model, const pk_locomotion_options *options,
                                      pk_controller **out, pk_error *err);
PK_API void pk_locomotion_destroy(pk_controller *controller);

/* Change what the robot of one world should do, between its steps. The request lies in the world, where its
 * controller remembers things: other worlds of the same controller do not notice, pk_sim_get_state holds it,
 * and a reset goes back to the options. A world of a batch gets one by pk_batch_get and pk_batch_set.
 * PK_ERROR_ARGUMENT: the world has no controller of pk_locomotion_create, or the value is out of the option's
 * range.
 *
 * The wanted speed: m/s, m/s (left), rad/s (left). It is approached with the option `acceleration`, and is
 * the speed of all changes of the gait too. */
PK_API pk_status pk_locomotion_set_speed(pk_sim *sim, double forward, double sideways, double turn,
                                         pk_error *err);

/* The gait, in the place of the options' gait and their changes. Cycle, duty and lift are its own, unless it
 * is the options' gait. The robot changes over within a few cycles, its feet never jumping in their cycle. A
 * jump is made once; the next one needs another gait between. */
PK_API pk_status pk_locomotion_set_gait(pk_sim *sim, pk_gait gait, pk_error *err);

#ifdef __cplusplus
}
#endif
#endif
