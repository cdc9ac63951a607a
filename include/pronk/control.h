/* Controllers: what they see, and what they set.
 *
 *   static pk_status hold(const pk_controller *self, const pk_observation *seen, void *state,
 *                         pk_command *commands)
 *   {
 *     for (int k = 6; k < seen->model->nu; k++) {
 *       commands[k] = (pk_command){.q_des = pose[k], .kp = 80, .kd = 2, .tau_max = 30};
 *     }
 *     return PK_OK;
 *   }
 *   const pk_controller holding = {.name = "hold", .period = 2.5e-3, .update = hold};
 *   pk_sim_set_controller(sim, &holding, &err);
 *
 * Sensors and commands speak of joint coordinates: those of the robot's tree, whatever coordinates the world
 * is computed in. A controller keeps what it remembers in its state block, which lies in the sim: reset,
 * checkpoints and batches then work. The block is copied as bytes (pk_sim_get_state), into other worlds and
 * into files: it must hold no pointers.
 *
 * Threads: batches, and sims that share a controller, call its functions from several threads at the same
 * time, each with the state and the commands of another world. A controller must write nothing else. */
#ifndef PRONK_CONTROL_H
#define PRONK_CONTROL_H

#include "dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a controller sets for one velocity coordinate. The joint force is
 *
 *   clamp(tau + kp (q_des - q) + kd (u_des - u), -tau_max, tau_max)
 *
 * or, where `correction` is above zero, tau and whatever else it takes to bring the coordinate's velocity at the
 * end of the step to
 *
 *   u_des + (q_des - q - dt u_des) / max(dt, correction)
 *
 * within the same limits: the coordinate is tracked as a constraint of the step (docs/theory/tracking.md).
 *
 * Fields left out of an initialiser are zero and do nothing: (pk_command){.tau = 1} is a torque of 1 N m
 * without a limit, (pk_command){0} is no force. The effort and velocity limits of a model bind nothing by
 * themselves: a controller that honours an effort limit sets tau_max, and where that limit is zero (a joint
 * without a motor) no force. */
typedef struct pk_command {
  /* N m or N, force that is added to those of the gains. */
  double tau;
  /* rad or m, desired coordinate; of a tracked one that at the end of the step. It and kp apply to coordinates
   * with dof_q (pk_model), not to spherical and floating joints. */
  double q_des;
  /* rad/s or m/s, desired velocity; of a tracked coordinate its mean over the step. */
  double u_des;
  /* N m/rad or N/m, stiffness; zero or more. */
  double kp;
  /* N m s/rad or N s/m, damping; zero or more. */
  double kd;
  /* N m or N, largest force, zero or more; 0 and INFINITY: no limit. */
  double tau_max;
  /* s, time in which an error of a tracked coordinate shall vanish: at once where it is the step or less; kp and kd then
   * do not count. Schemes with contact and implicit forces know it, others refuse it. 0: the coordinate is not
   * tracked. */
  double correction;
} pk_command;

/* The first thing wrong with a command, by name. pk_sim_step checks all of them. */
PK_API pk_status pk_command_validate(const pk_command *command, pk_error *err);

/* A contact of the last step: of a link with the ground, or with another link. */
typedef struct pk_sim_contact {
  /* Link that touches. */
  int link;
  /* Its shape, index into the model's shapes. */
  int shape;
  /* Link that is touched; -1: the ground. */
  int other_link;
  /* Its shape; -1: the ground. */
  int other_shape;
  /* The ground's material; -1: the other is a link. */
  int material;
  /* 1: it pushes, and its friction is at the bound; else 0. */
  int slides;
  /* m, world. */
  double point[3];
  /* Unit, world axes, out of the ground or of the other link. */
  double normal[3];
  /* m, where M and the contact law were evaluated. */
  double gap;
  /* N s, on `link`, world axes; divided by dt it is the contact force. */
  double impulse[3];
  /* Coulomb's coefficient of the pair. */
  double friction;
} pk_sim_contact;

/* Whether a contact is one of `link`, at either end, with something that is not part of its own robot: the
 * ground, another robot, an object. Then the impulse (N s) and the normal as that link feels them, world;
 * each may be NULL. What carries a foot is the sum of these: a shank on its own trunk carries nothing. */
PK_API bool pk_sim_contact_carries(const pk_sim_contact *contact, const pk_model *model, int link,
                                   double impulse[3], double normal[3]);

/* The sensors of a robot (sensing.h). */
typedef struct pk_sensing pk_sensing;

/* The actuators of a robot (actuation.h). */
typedef struct pk_actuation pk_actuation;

/* What a controller sees, at the start of a step. Where it sees sensors (pk_sim_options.sees), q, u, tau and contacts are what
 * these show of them: docs/theory/sensing.md#what-a-controller-sees. */
typedef struct pk_observation {
  /* s, at the start of the step. */
  double time;
  /* s, the world's step. */
  double dt;
  /* The world in joint coordinates. */
  const pk_model *model;
  /* [nq] its configuration. */
  const double *q;
  /* [nu] its velocities. */
  const double *u;
  /* [nu] N m or N, joint forces of commands in the last step. */
  const double *tau;
  /* Scratch of the model for kinematics and dynamics, in no particular state. */
  pk_workspace *workspace;
  /* [ncontact] those of the last step's active set. */
  const pk_sim_contact *contacts;
  /* How many. */
  int ncontact;
  /* The world's sensors; NULL: none. */
  const pk_sensing *sensing;
  /* [pk_sensing_values] their readings; NULL: none. */
  const double *readings;
  /* The world's actuators (actuation.h); NULL: none. */
  const pk_actuation *actuation;
  /* [pk_actuation_state_size] what they remember, as it is; NULL: none. */
  const double *actuator_states;
  /* [pk_controller.scratch_size] bytes of the calling thread; NULL where that is zero. In an update of a group it is the same for
   * all its worlds. */
  void *scratch;
} pk_observation;

typedef struct pk_controller pk_controller;

struct pk_controller {
  /* For messages and states; required. */
  const char *name;
  /* s between updates, a whole number of steps; 0: each step. */
  double period;
  /* Bytes that it remembers in each world, 64-byte aligned, zero when it is set. */
  size_t state_size;
  /* pk_model_hash of the model that it was made for, in joint coordinates (pk_sim_joint_model): worlds of
   * other models refuse it. 0: it asks the model that it is given, and goes with any. */
  unsigned long long model;
  /* Called when it is set and when the world is reset, after the block was zeroed; may be NULL. */
  void (*reset)(const pk_controller *self, const pk_model *model, void *state);
  /* Set commands [nu], which keep their values from one update to the next. A failure ends the step and
   * leaves the state as it was. NULL only where there is update_group: a world alone is then a group of
   * one. */
  pk_status (*update)(const pk_controller *self, const pk_observation *seen, void *state,
                      pk_command *commands);
  /* The same for several worlds of a batch at once, world i its status[i]; may be NULL: then `update` is
   * called for each. What it does in a world must not depend on which others are in the group: it must be
   * what `update` does, to the bit. */
  void (*update_group)(const pk_controller *self, int count, const pk_observation *seen, void *const *states,
                       pk_command *const *commands, pk_status *status);
  /* Its parameters; read-only, so that worlds and threads can share a controller. */
  const void *user;
  /* Bytes of scratch that an update may write, 64-byte aligned: each sim, and each thread of a batch, has a block
   * (pk_observation.scratch) that is zero at first and then holds what the last update left there, whichever world that was of.
   * What an update computes must not depend on it. */
  size_t scratch_size;
};

#ifdef __cplusplus
}
#endif
#endif
