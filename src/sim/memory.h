/* What a world remembers from step to step: one row for each array of pki_sim_state (step/world.h), and for the inertias. The table serves the
 * memory of a sim, its reset, undoing a step that fails, states as bytes (state.c) and the worlds of a batch
 * (batch/worlds.c): to add an array to a world, add a field of pki_sim_state and a row here; what is no array is a field of
 * pki_numbers, and of the header in state.c.
 *
 * What pairs of shapes remember (collision/world/colliders.h) and a controller's block have owners of their own. */
#ifndef PKI_SIM_MEMORY_H
#define PKI_SIM_MEMORY_H

#include "step/world.h"

/* How many elements of an array are in use: all for which there is room, or a number of pki_numbers. */
typedef enum pki_used { PKI_USED_ALL, PKI_USED_CONTACTS, PKI_USED_SPRINGS } pki_used;

/* Whose an array is: part of the state, which is saved and reset; state that a step changes on its way, too, so that a failed one has
 * to put it back; or a parameter of the world, which a reset keeps. */
typedef enum pki_role { PKI_ROLE_STATE, PKI_ROLE_UNDONE, PKI_ROLE_PARAMETER } pki_role;

typedef struct pki_memory_row {
  const char *name;
  size_t at;   /* of the array's address, in pk_sim */
  size_t size; /* bytes of an element */
  size_t (*room)(const pk_model *model, const pk_sim_options *options); /* elements */
  pki_used used;
  pki_role role;
  /* The first state; NULL: zeros. */
  void (*reset)(pk_sim *sim);
  /* Whether an element that was read from bytes can be one; NULL: any can. */
  pk_status (*check)(const pk_sim *sim, const void *element, pk_error *err);
  /* Elements have been read: what follows from others is set. */
  void (*settle)(pk_sim *sim);
} pki_memory_row;

/* The rows by name. */
enum {
  PKI_MEMORY_Q,
  PKI_MEMORY_U,
  PKI_MEMORY_CARRY_Q,
  PKI_MEMORY_CARRY_U,
  PKI_MEMORY_COMMANDS,
  PKI_MEMORY_QUEUE,
  PKI_MEMORY_TAU,
  PKI_MEMORY_ACTUATION,
  PKI_MEMORY_PUSHES,
  PKI_MEMORY_DRIVES,
  PKI_MEMORY_LAST,
  PKI_MEMORY_LAST_R,
  PKI_MEMORY_STICKS,
  PKI_MEMORY_JOINT,
  PKI_MEMORY_BILATERAL,
  PKI_MEMORY_LIMITED,
  PKI_MEMORY_SPRINGS,
  PKI_MEMORY_READINGS,
  PKI_MEMORY_SENSING,
  PKI_MEMORY_SENSED,
  PKI_MEMORY_SEEN,
  PKI_MEMORY_ESTIMATE,
  PKI_MEMORY_INERTIA, /* parameters from here on, in the workspace's memory */
  PKI_MEMORY_GROUPED,
  PKI_MEMORY_MOTORS, /* constants of motors */
  PKI_MEMORY_ROWS
};
extern const pki_memory_row pki_memory[PKI_MEMORY_ROWS];

/* The array of a row, and how many of its elements are in use: now, or in a state with these numbers. */
void *pki_memory_array(const pk_sim *sim, int row);
void pki_memory_set_array(pk_sim *sim, int row, void *array);
size_t pki_memory_used(const pk_sim *sim, int row);
size_t pki_memory_count(const pk_sim *sim, const pki_numbers *n, int row);

/* Rows that have room for max_contacts, of which a number is in use: they can grow (grow.c). */
static inline bool pki_memory_grows(int row)
{
  return pki_memory[row].used != PKI_USED_ALL;
}

/* Take the arrays of a state and of what is put back from an arena, those that can grow or the others; with a counting
 * arena this counts. */
void pki_memory_carve(pk_sim *sim, const pk_model *model, const pk_sim_options *options, bool growing,
                      pki_arena *arena);

/* The state that a world begins with. */
void pki_memory_reset(pk_sim *sim);

/* Before a step, and after one that failed: what a step changes on its way is as it was. */
void pki_memory_keep(pk_sim *sim);
void pki_memory_restore(pk_sim *sim);

/* Impulses of contacts, joints and constraints are forgotten: the world has been moved, or stands on other ground. */
void pki_memory_forget_impulses(pk_sim *sim);

#endif
