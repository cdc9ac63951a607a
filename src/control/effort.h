/* Limits of commands by the efforts of joints. In a command a limit of zero is none; a joint whose effort is zero has no
 * motor, and is left alone. */
#ifndef PKI_CONTROL_EFFORT_H
#define PKI_CONTROL_EFFORT_H

#include <math.h>

#include "pronk/control.h"

/* N m or N: the largest force of velocity coordinate k by the model's effort limit and by `tau_max`, which is none when it
 * is zero. */
static inline double pki_effort_limit(const pk_model *model, int k, double tau_max)
{
  return tau_max > 0 ? fmin(tau_max, model->dof_effort[k]) : model->dof_effort[k];
}

/* Bind a command to a largest force, as pki_effort_limit gives it: with zero nothing drives the joint. */
static inline void pki_command_limit(pk_command *command, double most)
{
  command->tau_max = most;
  if (most == 0) {
    command->tau = command->kp = command->kd = command->correction = 0;
  }
}

#endif
