/* A controller asked for the commands of one world, without a simulation. */
#ifndef PK_TESTS_UPDATE_H
#define PK_TESTS_UPDATE_H

#include "pronk/control.h"

/* By `update`, or where it is NULL as a group of one. */
static inline pk_status update_one(const pk_controller *by, const pk_observation *seen, void *state,
                                   pk_command *commands)
{
  if (by->update != NULL) {
    return by->update(by, seen, state, commands);
  }
  pk_status status = PK_OK;
  by->update_group(by, 1, seen, &state, &commands, &status);
  return status;
}

#endif
