/* A model's own actuators, driven by control values: the controller that files such as MJCF describe.
 *
 *   pk_actuators_options o = pk_actuators_options_default();
 *   strcpy(o.keyframe, "home");
 *   pk_controller *motors;
 *   pk_actuators_create(model, &o, &motors, &err);
 *   pk_sim_set_controller(sim, motors, &err);
 *   pk_actuators_set(sim, ctrl, &err);                (control values from now on; those of the keyframe at first)
 *
 * The force of each actuator is that of pk_actuator_desc. What it takes by position and velocity becomes stiffness and
 * damping of the joint's command, so that the step takes it at its end (docs/theory/stepping.md). Several actuators of
 * one joint add up, and the joint's effort limit holds their sum.
 *
 * Threads: as controllers (control.h); pk_actuators_set is a function on its sim. */
#ifndef PRONK_ACTUATORS_H
#define PRONK_ACTUATORS_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_actuators_options {
  /* s between updates; 0: each step. Default 0. */
  double period;
  /* Name of the keyframe whose control values it begins with; "": all zero. Default "". */
  char keyframe[128];
} pk_actuators_options;

/* each step, control values zero */
PK_API pk_actuators_options pk_actuators_options_default(void);

/* A controller for worlds of `model` (pk_sim_joint_model); PK_ERROR_ARGUMENT when it has no actuators, PK_ERROR_NAME when
 * it has no keyframe of that name. options NULL: the defaults. The model must outlive it. */
PK_API pk_status pk_actuators_create(const pk_model *model, const pk_actuators_options *options,
                                     pk_controller **out, pk_error *err);
PK_API void pk_actuators_destroy(pk_controller *controller);

/* Control values ctrl [nactuator] of a world from its next update on, part of its state; a reset goes back to the
 * keyframe's. PK_ERROR_ARGUMENT: its controller is another one, or a value is not finite. */
PK_API pk_status pk_actuators_set(pk_sim *sim, const double *ctrl, pk_error *err);

/* The force of an actuator before its gear, within its limits, at a control value (or, where it integrates, that integral)
 * and the coordinates q and velocities u of the model. */
PK_API double pk_actuator_force(const pk_model *model, int actuator, double ctrl, const double *q,
                                const double *u);

#ifdef __cplusplus
}
#endif
#endif
