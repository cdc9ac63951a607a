/* Controllers that come with Pronk: `hold` keeps a pose, `track` and `computed-torque` follow joint
 * references, `inverse-dynamics` follows them with feet that stand, at any step, `locomotion` lets a robot on four or
 * six legs stand, go in nine gaits, and jump, `gait-track` follows the joint references of a gait, `whole-body` lets any
 * robot follow tasks of its trunk, mass, feet and joints within friction and torque limits, `biped` makes a humanoid walk by the same program, `follow` makes a robot on legs repeat a motion of its whole body.
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

/* What leads from one line of a table of joint references to the next. */
typedef enum pk_track_interpolation {
  PK_TRACK_INTERPOLATION_CUBIC,  /* cubics whose rates are continuous */
  PK_TRACK_INTERPOLATION_LINEAR, /* straight lines: the rate jumps in the table's lines */
  PK_TRACK_INTERPOLATION_COUNT
} pk_track_interpolation;

/* PID along a table or sinusoids of joint references (docs/formats/track.md): tau + kp (q_des - q) + kd (u_des - u), tau
 * being ki times the integral of q_des - q since the start, which waits while the torque is at its limit and
 * would go beyond. Where an actuator's gains look at the motor's side of a spring (pk_motor_parameters.feedback), q is the motor's angle, in the
 * integral too. Without a file: to the pose that the world has at the first update. Lines of the file give
 * each joint gains of its own, in the place of those here. */
typedef struct pk_track_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* Path of the table; "": none. Default "". */
  char file[1024];
  /* Default PK_TRACK_INTERPOLATION_CUBIC. */
  pk_track_interpolation interpolation;
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
  /* s, above 0: joints are tracked as constraints of the step (pk_command.correction) instead of by gains, and errors vanish in this time; the
   * period is then 0. Default 0. */
  double correction;
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

/* How `inverse-dynamics` makes joints follow. */
typedef enum pk_inverse_dynamics_method {
  /* impulses of motors that let standing feet stand, from a cone program, then as rows of the step */
  PK_INVERSE_DYNAMICS_METHOD_TWO_STAGE,
  /* targets of the step (pk_command.correction): what gives way is the step's business */
  PK_INVERSE_DYNAMICS_METHOD_CONSTRAINT,
  /* the torques of the cone program alone, without any feedback within the step */
  PK_INVERSE_DYNAMICS_METHOD_TORQUE,
  /* gains kp and kd about the same references */
  PK_INVERSE_DYNAMICS_METHOD_PD,
  PK_INVERSE_DYNAMICS_METHOD_COUNT
} pk_inverse_dynamics_method;

/* What it makes them follow. */
typedef enum pk_inverse_dynamics_motion {
  /* a table of joint references, or the pose at the first update */
  PK_INVERSE_DYNAMICS_MOTION_TABLE,
  /* a quadruped's trot, planned in each step: inverse kinematics of a trunk that moves and feet that stand */
  PK_INVERSE_DYNAMICS_MOTION_TROT,
  /* a quadruped's trot of sinusoids, with footholds that keep its balance */
  PK_INVERSE_DYNAMICS_MOTION_SINUSOIDS,
  PK_INVERSE_DYNAMICS_MOTION_COUNT
} pk_inverse_dynamics_motion;

/* Joint references followed within the dynamics of the whole robot, at steps of any length: docs/theory/tracking.md.
 * Update and step are one: it has no period. Steps above some milliseconds need the scheme that is made for them,
 *
 *   o.stepper = PK_STEPPER_EULER, o.relinearise = 4, o.landing_friction = false;
 *
 * The model has at most 64 velocities. */
typedef struct pk_inverse_dynamics_options {
  /* Default PK_INVERSE_DYNAMICS_METHOD_TWO_STAGE. */
  pk_inverse_dynamics_method method;
  /* Default PK_INVERSE_DYNAMICS_MOTION_TABLE. */
  pk_inverse_dynamics_motion motion;
  /* Path of the table (docs/formats/track.md); "": none. Default "". */
  char file[1024];
  /* s, the line that the table goes back to after its last one; below 0: it stays there. Default -1. */
  double loop;
  /* s, in which the table is entered from the pose at the first update. Default 0. */
  double ramp;
  /* Links of a trot: left fore, right fore, left hind, right hind; NULL: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT. */
  const char *feet[4];
  /* m/s, wanted speed of the trunk. Default 0. */
  double forward;
  /* m/s, to the left. Default 0. */
  double sideways;
  /* rad/s, to the left. Default 0. */
  double turn;
  /* s, when the trot begins; it stands before. Default 0.4. */
  double start;
  /* s, of two half cycles; 0: 3.913 sqrt(h/g), h the height. Default 0. */
  double cycle;
  /* m, of a swinging foot; 0: a tenth of the height. Default 0. */
  double lift;
  /* m, of the trunk's origin above the feet's points; 0: legs bent to 0.785 of their length. Default 0. */
  double height;
  /* s, in which errors vanish, at once where it is the step or less. Default 0.1. */
  double correction;
  /* Of the cones in which feet are asked to stand; 0: 0.98 of each contact's own coefficient. Default 0. */
  double friction;
  /* N m, beside the model's effort limits; 0 and INFINITY: those alone. Default INFINITY. */
  double tau_max;
  /* (rad/s)/(N m s), how far the step may leave the rates of the cone program for each impulse that it adds: small values hold
   * the joints, large ones the torques. Default 0.5. */
  double compliance;
  /* N m/rad, of PK_INVERSE_DYNAMICS_METHOD_PD. Default 300. */
  double kp;
  /* N m s/rad. Default 4. */
  double kd;
} pk_inverse_dynamics_options;

PK_API pk_inverse_dynamics_options pk_inverse_dynamics_options_default(void);
PK_API pk_status pk_inverse_dynamics_create(const pk_model *model, const pk_inverse_dynamics_options *options,
                                            pk_controller **out, pk_error *err);
PK_API void pk_inverse_dynamics_destroy(pk_controller *controller);

typedef enum pk_gait {
  PK_GAIT_STAND,  /* all feet on the ground */
  PK_GAIT_TROT,   /* diagonal pairs in turn; on six legs the two tripods */
  PK_GAIT_CRAWL,  /* one foot after the other, three always stand */
  PK_GAIT_WALK,   /* the order of the crawl, two or three feet stand */
  PK_GAIT_PACE,   /* the pairs of a side in turn */
  PK_GAIT_AMBLE,  /* four beats, a fore foot soon after its hind foot */
  PK_GAIT_BOUND,  /* fore and hind pairs in turn, flight between them */
  PK_GAIT_CANTER, /* three beats, flight */
  PK_GAIT_GALLOP, /* hind feet, fore feet, each pair a little apart; flight */
  PK_GAIT_PRONK,  /* all feet at once, then flight */
  PK_GAIT_JUMP,   /* one jump on the spot: crouch, push, flight, landing; then it stands */
  PK_GAIT_COUNT
} pk_gait;

/* Sources of the references of a gait (references.h). Feet follow the oscillators in both. */
typedef enum pk_gait_references {
  PK_GAIT_REFERENCES_AUTO, /* the controller's own choice */
  PK_GAIT_REFERENCES_CPG,  /* oscillators alone: the trunk goes at the wanted speed */
  PK_GAIT_REFERENCES_ZMP, /* the mass follows a preview of the zero moment point, which the feet that stand carry */
  PK_GAIT_REFERENCES_COUNT
} pk_gait_references;

typedef enum pk_locomotion_attitude {
  PK_LOCOMOTION_ATTITUDE_LEVEL, /* the trunk stays level */
  PK_LOCOMOTION_ATTITUDE_SLOPE, /* it follows the ground, estimated from the feet */
  PK_LOCOMOTION_ATTITUDE_COUNT
} pk_locomotion_attitude;

enum {
  PK_GAIT_CHANGES = 32, /* of a gait, at most */
  PK_GAIT_LEGS = 6      /* of a robot, at most */
};

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

/* A robot with four or six legs on a free trunk, with three hinges in each leg and balls or points as feet. The first hinge of a
 * leg turns it sideways, the others bend it, either way. The robot should be set on its feet before the first
 * update. Whoever has fallen (trunk tilted by more than 60 degrees, or on its belly) gets damping only, until
 * the world is reset. */
typedef struct pk_locomotion_options {
  /* s between updates, a whole number of steps. Default 2.5e-3. */
  double period;
  /* Links, four or six, pair by pair from fore to hind, the left one first; the last two NULL: four. Others that are NULL: LF_FOOT,
   * RF_FOOT, LH_FOOT, RH_FOOT. All NULL: these, with LM_FOOT and RM_FOOT in the middle where the model has both. */
  const char *feet[PK_GAIT_LEGS];

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
  /* Where the references of the trunk come from. PK_GAIT_REFERENCES_AUTO: from the oscillators alone in a trot whose feet always carry, else
   * from the preview. Default PK_GAIT_REFERENCES_AUTO. */
  pk_gait_references references;
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

/* PID along joint references that are computed from a gait: phases of the legs from oscillators, footholds ahead of the trunk, the trunk's
 * way from the oscillators or from a preview of the zero moment point, and the angles of the legs from inverse kinematics (legs.h). They do not
 * know what the robot does, as references from a table do not. docs/theory/locomotion.md has the equations. A leg has
 * three hinges (PK_LEG_POINT); hinges beyond the third about the axis of the third keep the foot's tilt, others their angle. */
typedef struct pk_gait_track_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* Path of a table of joint references (docs/formats/track.md): its first line is the stance, its gains are those of the joints; "":
   * the model's initial pose and the gains below. Default "". */
  char file[1024];
  /* Links: left fore, right fore, left hind, right hind; NULL: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT. */
  const char *feet[4];
  /* PK_GAIT_REFERENCES_AUTO: the preview. Default PK_GAIT_REFERENCES_AUTO. */
  pk_gait_references references;
  /* A gait with feet on the ground at all times, no jump. Default PK_GAIT_TROT. */
  pk_gait gait;
  /* m/s, of the trunk. Default 0. */
  double forward;
  /* m/s, to the left. Default 0. */
  double sideways;
  /* s, when the first foot lifts; it stands before. Default 0.5. */
  double start;
  /* s, from then on, in which the wanted speed is reached; 0: two cycles. Default 0. */
  double ramp;
  /* s, of the gait; 0: the gait's own. Default 0. */
  double cycle;
  /* Part of the cycle that a foot is on the ground; 0: the gait's own. Default 0. */
  double duty;
  /* m, of a swinging foot; 0: the gait's own. Default 0. */
  double lift;
  /* m, of the mass above the feet in the preview; 0: of the model's mass in the stance. Default 0. */
  double height;
  /* Gains where the file has none: N m/rad, N m s/rad, N m/(rad s). Default 100, 2, 0. */
  double kp;
  double kd;
  double ki;
  /* N m, beside the model's effort limits; 0 and INFINITY: those alone. Default INFINITY. */
  double tau_max;
} pk_gait_track_options;

PK_API pk_gait_track_options pk_gait_track_options_default(void);
PK_API pk_status pk_gait_track_create(const pk_model *model, const pk_gait_track_options *options,
                                      pk_controller **out, pk_error *err);
PK_API void pk_gait_track_destroy(pk_controller *controller);

/* What a robot under whole-body control should do with accelerations of its coordinates, each as a task. */
typedef enum pk_whole_body_task {
  /* Feet that stand keep still. */
  PK_WHOLE_BODY_STANCE,
  /* Lifted feet follow their targets. */
  PK_WHOLE_BODY_SWING,
  /* The centre of mass follows its reference: the rate of linear momentum. */
  PK_WHOLE_BODY_MASS,
  /* Angular momentum about the centre of mass is damped. */
  PK_WHOLE_BODY_MOMENTUM,
  /* Attitude of the trunk. */
  PK_WHOLE_BODY_TRUNK,
  /* Position of the trunk. */
  PK_WHOLE_BODY_PLACE,
  /* Coordinates of the joints. */
  PK_WHOLE_BODY_POSTURE,
  PK_WHOLE_BODY_TASK_COUNT
} pk_whole_body_task;

/* How much a task counts, and what it asks for: the acceleration kp (reference - x) + kd (reference rate - rate) + reference
 * acceleration. */
typedef struct pk_whole_body_gains {
  /* Of squares of its rows, m/s^2 or rad/s^2; 0: there is no such task. */
  double weight;
  /* 1/s^2. */
  double kp;
  /* 1/s. */
  double kd;
  /* Tasks of a lower number come first: what they reach is kept whatever later ones ask for. Within a level weights count. */
  int level;
} pk_whole_body_gains;

typedef enum pk_whole_body_stance {
  PK_WHOLE_BODY_STANCE_CONTACT, /* feet stand that touch something */
  PK_WHOLE_BODY_STANCE_ALL,     /* all feet stand that are not lifted */
  PK_WHOLE_BODY_STANCE_COUNT
} pk_whole_body_stance;

enum { PK_WHOLE_BODY_FEET = 8, PK_WHOLE_BODY_MOVES = 16 };

/* Where the robot goes from some time on, from where the last move has brought it. */
typedef struct pk_whole_body_move {
  /* s, when it begins; not before the last move has ended. */
  double at;
  /* s, how long it takes. Default 1. */
  double time;
  /* m, of the centre of mass from the middle of the feet at the start: along the heading, to the left, up from its first height.
   * Default 0. */
  double forward;
  double left;
  double up;
  /* rad, of the trunk from its first attitude, about its axes at the start, roll first. Default 0. */
  double roll;
  double pitch;
  double yaw;
  /* Names of the feet that are off the ground from its beginning on, separated by spaces. Default "": none. */
  char lift[128];
} pk_whole_body_move;

/* Whole-body control of a tree robot on a free trunk or a fixed base, with feet of a point (a ball) or an area (boxes, or several balls): one convex
 * program for torques in their limits and contact forces in their friction cones, which come closest to all tasks. The robot should
 * be set on its feet before the first update, at which the references begin.
 * docs/theory/whole_body.md has the equations. */
typedef struct pk_whole_body_options {
  /* s between updates, a whole number of steps; 0: each step. Default 2.5e-3. */
  double period;
  /* Links that can stand, up to NULL; none: LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT where the robot has these, and no feet elsewhere. */
  const char *feet[PK_WHOLE_BODY_FEET];
  /* Which feet stand. Default PK_WHOLE_BODY_STANCE_CONTACT. */
  pk_whole_body_stance stance;
  /* Contact forces stay within this friction cone. Default 0.6. */
  double friction;
  /* N, largest normal force at each point of contact. Default INFINITY. */
  double load;
  /* Each of the tasks. */
  pk_whole_body_gains tasks[PK_WHOLE_BODY_TASK_COUNT];
  /* Weight of the posture of joints between the trunk and the feet, as part of that of others: feet, mass and trunk say where they
   * are. Default 0.01. */
  double legs;
  /* Weights of squares of torques over mass times height, and of contact forces over mass, both m/s^2: which of many equal
   * solutions is taken. Default 1e-5 and 1e-4. */
  double effort_weight;
  double force_weight;
  /* N m s/rad, of commands about the wanted rate of each joint; below 0: 0.0136 m h^2 sqrt(g/h), h the height of the centre of mass.
   * Default -1. */
  double damping;
  /* 1/s, the balance of a robot that stands on two points comes back this fast; 0: sqrt(g/h). Default 0. */
  double balance;
  /* m, of lifted feet over where they stood. Default 0.05. */
  double lift;
  /* m, the centre of mass goes from side to side, this far. Default 0. */
  double sway;
  /* m, it goes down and up, this deep. Default 0. */
  double squat;
  /* s, of sway and squat. Default 3. */
  double cycle;
  /* s, when they begin. Default 0.5. */
  double start;
  /* Path of a table of joint references (docs/formats/track.md) that the posture follows, its lines of gains apart; joints that it does
   * not name, and all without it, stay at their coordinates of the start. Default "". */
  char file[1024];
  /* s, the line that the table goes back to after its last one; below 0: it stays there. Default -1. */
  double loop;
  /* s, in which the posture goes over from that of the start. Default 0. */
  double ramp;
  /* [move_count] times rise. */
  pk_whole_body_move moves[PK_WHOLE_BODY_MOVES];
  /* Default 0. */
  int move_count;
} pk_whole_body_options;

PK_API pk_whole_body_options pk_whole_body_options_default(void);
PK_API pk_status pk_whole_body_create(const pk_model *model, const pk_whole_body_options *options,
                                      pk_controller **out, pk_error *err);
PK_API void pk_whole_body_destroy(pk_controller *controller);

/* How the last update of a world went. */
typedef struct pk_whole_body_report {
  /* m/s^2 or rad/s^2, root of the mean square by which each task is missed; 0: it has no rows. */
  double missed[PK_WHOLE_BODY_TASK_COUNT];
  /* Of the convex program, relative; solved up to 1e-10. */
  double residual;
  /* Factorisations that it took. */
  int rounds;
  /* Bits of the feet that stand, the first one 1. */
  int standing;
  /* Torques at their limits. */
  int torques;
  /* Contact forces at the edge of their cones, zero ones among them. */
  int forces;
  /* 1: limits keep the robot from what tasks ask for, and it does what misses them least; else 0. */
  int held;
  /* 1: the program needed the slow method. */
  int fallback;
} pk_whole_body_report;

/* Of a world whose controller is one of pk_whole_body_create; all zero before its first update. PK_ERROR_ARGUMENT: it is not. */
PK_API pk_status pk_whole_body_get_report(const pk_sim *sim, pk_whole_body_report *out, pk_error *err);

enum { PK_BIPED_CHANGES = 32 };

/* How a biped goes from some time on. */
typedef struct pk_biped_change {
  /* s, when it begins. */
  double at;
  /* m/s. */
  double forward;
  /* m/s, to the left. */
  double sideways;
  /* rad/s, to the left. */
  double turn;
} pk_biped_change;

/* Walking of a robot with two soles on a free trunk: footsteps, a plan of the divergent component of motion, steps that move when
 * it is pushed, and whole-body control of all of it (docs/theory/walking.md). It stands while all wanted speeds are zero. The robot should be set
 * on its feet, level and a little bent at the knees, before the first update. Whoever has fallen (trunk tilted by more than 60 degrees) gets
 * damping only, until the world is reset. */
typedef struct pk_biped_options {
  /* s between updates, a whole number of steps; 0: each step. Default 2e-3. */
  double period;
  /* Links of the left and the right foot. Required; the first one is not to the right of the second at the model's start. */
  const char *feet[2];
  /* Joints with motors that swing the left and the right arm; NULL: none. */
  const char *arms[2];

  /* m/s, wanted speed. Default 0. */
  double forward;
  /* m/s, to the left. Default 0. */
  double sideways;
  /* rad/s, to the left. Default 0. */
  double turn;
  /* s, when it starts; it stands before. Default 0.5. */
  double start;
  /* s, when it stops; it stands after. Default 1e9. */
  double stop;
  /* [change_count] times rise; each counts from its time on. */
  pk_biped_change changes[PK_BIPED_CHANGES];
  /* Default 0. */
  int change_count;
  /* m/s^2 and rad/s^2, how fast the wanted speed may change. Default 0.3. */
  double acceleration;

  /* s, a foot swings. Default 0.5. */
  double swing;
  /* s, both feet stand between two swings. Default 0.2. */
  double support;
  /* s, both feet stand before the first swing and after the last one. Default 0.8. */
  double shift;
  /* m, between the feet; 0: as they stand at the first update. Default 0. */
  double width;
  /* m, of a swinging foot. Default 0.03. */
  double lift;
  /* m, of the centre of mass over the soles; 0: as at the first update. Default 0. */
  double height;
  /* m/s, of a foot that finds no ground where it should land. Default 0.1. */
  double descent;
  /* Part of the weight on a foot that has landed. Default 0.05. */
  double touch;
  /* rad, forward lean of the trunk. Default 0. */
  double lean;
  /* rad, of an arm forward, for each height by which the foot of its side is behind the other one. Default 0.5. */
  double arm_swing;

  /* m, of the planned pressure from the middle of a sole, forward. Default 0. */
  double pressure_forward;
  /* m, likewise, towards the other foot. Default 0.005. */
  double pressure_inward;
  /* m, the pressure stays this far within the soles. Default 0.012. */
  double margin;
  /* m, the pressure that is asked for may be this far beyond them: the acceleration of the mass that goes with it comes from turns of
   * trunk and arms. Default 0.03. */
  double hips;
  /* 1/s, errors of the divergent component vanish at this rate. Default 4. */
  double gain;
  /* 1/s, of their integral. Default 0. */
  double integral;
  /* m, most of the integral's part. Default 0.02. */
  double integral_limit;

  /* Steps move when the robot is pushed. Default true. */
  bool adjust;
  /* m, most of a step ahead and behind. Default 0.3. */
  double reach;
  /* m, least and most distance of the feet to the side. Default 0.11 and 0.35. */
  double narrow;
  double wide;
  /* s, shortest and longest swing. Default 0.35 and 0.9. */
  double soonest;
  double latest;
  /* m^2, of the square of exp(omega T) over its planned value less 1. Default 0.01. */
  double time_weight;
  /* Of the square of the divergent component's offset from the planned one, beside that of the step. Default 100. */
  double offset_weight;

  /* Contact forces stay within this friction cone. Default 0.6. */
  double friction;
  /* Each of the tasks. The mass has gains of its height alone. */
  pk_whole_body_gains tasks[PK_WHOLE_BODY_TASK_COUNT];
  /* As those of pk_whole_body_options. Defaults 0.01, 1e-5, 1e-4, -1. */
  double legs;
  double effort_weight;
  double force_weight;
  double damping;
  /* N m s/rad, what drives take for each rad/s of their joint, as back-EMF in a loop on the torque of a spring does: commands add it.
   * Default 0. */
  double drive_damping;
} pk_biped_options;

PK_API pk_biped_options pk_biped_options_default(void);
PK_API pk_status pk_biped_create(const pk_model *model, const pk_biped_options *options, pk_controller **out,
                                 pk_error *err);
PK_API void pk_biped_destroy(pk_controller *controller);

/* The wanted speed of the robot of one world, between its steps, in the place of the options' and their changes: m/s, m/s (left), rad/s
 * (left); all zero: it stops. As pk_locomotion_set_speed, for controllers of pk_biped_create. */
PK_API pk_status pk_biped_set_speed(pk_sim *sim, double forward, double sideways, double turn, pk_error *err);

/* What a walking robot does. */
typedef enum pk_biped_phase {
  PK_BIPED_STANDS, /* both feet carry, and no step is planned */
  PK_BIPED_SHIFTS, /* both feet carry, the pressure goes from one to the other */
  PK_BIPED_SWINGS, /* one foot swings */
  PK_BIPED_FALLEN, /* it lies */
  PK_BIPED_PHASE_COUNT
} pk_biped_phase;

/* How the last update of a world went. */
typedef struct pk_biped_report {
  pk_biped_phase phase;
  /* The foot that carries, or to which the pressure goes: 0 left, 1 right. */
  int stance;
  /* Steps that have landed. */
  int steps;
  /* Of them steps that were moved by more than a centimetre or by more than 50 ms. */
  int moved;
  /* m, divergent component, its reference, and the pressure that was asked for. */
  double divergent[2];
  double reference[2];
  double pressure[2];
  /* m, the next footstep: planned, and as it is now. */
  double planned[2];
  double target[2];
  /* s, planned end of the phase. */
  double length;
  /* rad, heading that is wanted. */
  double heading;
} pk_biped_report;

/* Of a world whose controller is one of pk_biped_create; all zero before its first update. PK_ERROR_ARGUMENT: it is not. */
PK_API pk_status pk_biped_get_report(const pk_sim *sim, pk_biped_report *out, pk_error *err);

/* A motion of the whole body (docs/formats/motion.md) that a legged robot with a free trunk repeats, or makes once: joints follow it,
 * feet that stand bring the trunk back to it, and feet that swing land where they catch what is too fast. The robot should begin
 * near the first line of the motion; where it is and where it heads at the first update is where the motion begins. What its trunk does
 * is seen from there. Whoever has fallen (trunk tilted by more than 60 degrees from the motion) gets damping only, until the world
 * is reset. docs/theory/follow.md has the equations; h is the height of the centre of mass in the first line. */
typedef struct pk_follow_options {
  /* s between updates, a whole number of steps; 0: each step. Default 0. */
  double period;
  /* Path of the motion. Default "". */
  char file[1024];
  /* Natural frequency of joints of legs that swing and of all that are no legs, in sqrt(g/h). Default 12. */
  double joints;
  /* Their damping, 1 is critical. Default 1. */
  double joints_damping;
  /* Natural frequency of height and attitude of the trunk, in sqrt(g/h); 0: feet that stand give the torques of the motion alone.
   * Default 3. */
  double trunk;
  /* Their damping, 1 is critical. Default 1. */
  double trunk_damping;
  /* Weight of the balance (docs/theory/follow.md) on squares of errors of the horizontal place of the mass over h, in each
   * sqrt(h/g). Default 1. */
  double place_weight;
  /* Likewise, of errors of its velocity over sqrt(g h). Default 1. */
  double speed_weight;
  /* Likewise, of shifts of the pressure over the size of the support. Default 0.3. */
  double pressure_weight;
  /* On squares of shifts of footholds over h. Default 1. */
  double foothold_weight;
  /* Largest error of the place, in h; beyond it the motion goes along with the robot. Default 0.5. */
  double place_limit;
  /* Largest way of a foothold, seen from the mass, from that of the motion, in h. Default 0.5. */
  double foothold_limit;
  /* Forces of feet stay within this friction cone; 0: 0.95 of each contact's own coefficient. Default 0. */
  double friction;
  /* How long the motion waits for a foot that should have landed and one that should leave stays, in sqrt(h/g). Default 0. */
  double wait;
  /* The motion runs slower by this part for each h that the trunk is behind along its travel, and faster ahead. Default 0. */
  double phase;
} pk_follow_options;

PK_API pk_follow_options pk_follow_options_default(void);
PK_API pk_status pk_follow_create(const pk_model *model, const pk_follow_options *options,
                                  pk_controller **out, pk_error *err);
PK_API void pk_follow_destroy(pk_controller *controller);

#ifdef __cplusplus
}
#endif
#endif
