/* pk_batch: very many worlds of one model, stepped together on vector lanes and threads.
 *
 *   pk_batch_options o = pk_batch_options_default();
 *   o.worlds = 4096;
 *   o.sim.dt = 2.5e-3;
 *   pk_batch *batch;
 *   pk_batch_create(model, &o, &batch, &err);
 *   pk_batch_set_terrain(batch, ground, NULL, 0, &err);
 *   pk_batch_set_controller(batch, trot, &err);
 *   for (int k = 0; k < 4096; k++) {
 *     pk_batch_get(batch, k, sim, &err);  one of them into a sim of its own ...
 *     pk_sim_q(sim)[0] = 0.1 * k;         ... for whatever a sim can do ...
 *     pk_batch_set(batch, k, sim, &err);  ... and back
 *   }
 *   pk_batch_info info;
 *   pk_batch_step(batch, 400, &info);     400 steps of all; info.worst is the worst residual of all
 *   double *q17 = pk_batch_view_world(pk_batch_q(batch), 17);
 *
 * World k goes the way that a pk_sim of the same model, options, ground, parameters, state and controller
 * goes, to the bit, however many worlds, lanes and threads there are: pk_sim_step and pk_batch_step step on
 * lanes by the same code. What lanes cannot do (loops, laws other than the hard one, more contacts than lanes
 * have room for, problems that the lanes do not solve) is done for that world by itself, and costs only that
 * world. docs/theory/batch.md tells how.
 *
 * A world whose step fails (numbers that are not finite, more contacts than there is room for) is frozen: it
 * keeps its last good state (one that has more contacts than it remembers: the state after that step),
 * pk_batch_world_status tells why, and it is not stepped until it is reset or set anew. Other worlds are not
 * affected. Stepping allocates nothing, unless a step has more contacts than the room that was left to the model
 * (max_contacts): a thread's room grows then. What a world remembers, keep, does not.
 *
 * Threads: pk_batch_step runs on threads of its own, which call the controller and the callback for different
 * worlds at the same time. Everything else belongs to one thread at a time, as with a sim; different batches
 * may be used at the same time. */
#ifndef PRONK_BATCH_H
#define PRONK_BATCH_H

#include <stdint.h>

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_batch pk_batch;

typedef struct pk_batch_options {
  /* How many worlds. Default 1. */
  int worlds;
  /* Worlds that share vector registers: 1, 4 or 8; 0: what suits the machine. Default 0. */
  int lanes;
  /* Threads that step them; 0: one for each processor. Default 0. */
  int threads;
  /* Contacts that a world remembers from step to step, which is most of its memory; a step with more of
   * them is its last: PK_ERROR_LIMIT. 8 at least; 0: 24 for each robot and object. Default 0. */
  int keep;
  /* Options of all worlds. */
  pk_sim_options sim;
} pk_batch_options;

/* Defaults, and the first option that is out of its range by name. */
PK_API pk_batch_options pk_batch_options_default(void);
PK_API pk_status pk_batch_options_validate(const pk_batch_options *options, pk_error *err);

/* Worlds at the model's initial pose. The model must outlive them. */
PK_API pk_status pk_batch_create(const pk_model *model, const pk_batch_options *options, pk_batch **out,
                                 pk_error *err);
PK_API void pk_batch_destroy(pk_batch *batch);

/* What all worlds share: the ground, as pk_sim_set_terrain; or ground, surfaces, pairs and who collides, as a
 * sim has them (pk_sim_set_like); the controller, each world with a state block of its own. One with
 * update_group sees several worlds at once. */
PK_API pk_status pk_batch_set_terrain(pk_batch *batch, const pk_terrain *terrain,
                                      const pk_material *materials, int count, pk_error *err);
PK_API pk_status pk_batch_set_like(pk_batch *batch, const pk_sim *sim, pk_error *err);
PK_API pk_status pk_batch_set_controller(pk_batch *batch, const pk_controller *controller, pk_error *err);

/* One world as a sim, and a sim as one world: state, parameters, what contacts and controllers remember. The
 * sim must have the batch's model and options, and in pk_batch_get gets the batch's ground, materials and
 * controller. A world that was frozen goes on after pk_batch_set. */
PK_API pk_status pk_batch_get(const pk_batch *batch, int world, pk_sim *sim, pk_error *err);
PK_API pk_status pk_batch_set(pk_batch *batch, int world, const pk_sim *sim, pk_error *err);

/* One world back to the model's initial pose, as pk_sim_reset; its parameters stay. That pose is no stance:
 * put the robot where it can stand. No such world: nothing happens. */
PK_API void pk_batch_reset(pk_batch *batch, int world);

/* A force on a link of one world during its next step, as pk_sim_push. */
PK_API pk_status pk_batch_push(pk_batch *batch, int world, int link, const double point[3],
                               const double force[3]);
PK_API pk_status pk_batch_add_push(pk_batch *batch, int world, const pk_push *push);

/* What happened in a number of steps of all worlds. */
typedef struct pk_batch_info {
  /* Largest relative residual of all steps and worlds. */
  double worst;
  /* The world that had it. */
  int worst_world;
  /* Steps of single worlds that were made. */
  long long stepped;
  /* Of them, those above the tolerance or with shifted rows, as pk_sim_uncertified counts them. */
  long long uncertified;
  /* Of them, those with rows that nothing can move (pk_step_info.shifted). */
  long long shifted;
  /* m/s, the largest shift of such a row (pk_step_info.shift). */
  double shift;
  /* Of them, those that lanes could not make and that were made for the world alone. */
  long long alone;
  /* [reason] how many of the steps alone had which reason: pk_lane_exit_name. */
  long long left[PK_LANE_EXIT_COUNT];
  /* Steps on lanes whose impulses the scalar solvers found. */
  long long impulses_alone;
  /* Worlds that are frozen now. */
  int frozen;
} pk_batch_info;

/* `steps` steps of all worlds that are not frozen; info may be NULL. Worlds go their ways independently: a
 * thread takes some worlds through all the steps before it takes others. PK_OK also when worlds froze;
 * PK_ERROR_ARGUMENT: steps is negative. */
PK_API pk_status pk_batch_step(pk_batch *batch, int steps, pk_batch_info *info);

/* Called for a group of worlds before each of their steps, by the thread that steps them: it may read and
 * write the views of worlds first .. first + count - 1, and no others, and may reset and push these worlds
 * (pk_batch_reset, pk_batch_push); pk_batch_set is not for callbacks. NULL: none. */
typedef void (*pk_batch_callback)(void *user, pk_batch *batch, int first, int count);
PK_API void pk_batch_set_callback(pk_batch *batch, pk_batch_callback call, void *user);

/* Numbers of all worlds as they lie in memory: those of world k begin at data + k * stride. */
typedef struct pk_batch_view {
  /* Numbers of the first world. */
  double *data;
  /* Doubles from one world to the next. */
  ptrdiff_t stride;
  /* How many worlds there are. */
  int worlds;
  /* How many numbers each of them has. */
  int n;
} pk_batch_view;

/* World k of a view. */
static inline double *pk_batch_view_world(pk_batch_view view, int k)
{
  return view.data + (ptrdiff_t)k * view.stride;
}

/* [nq] Configurations; write to set them. */
PK_API pk_batch_view pk_batch_q(pk_batch *batch);

/* [nu] Velocities; write to set them. */
PK_API pk_batch_view pk_batch_u(pk_batch *batch);

/* [7 nu] pk_command of each joint coordinate, kept until changed. */
PK_API pk_batch_view pk_batch_commands(pk_batch *batch);

/* [nu] N m or N, joint forces of commands in the last step. */
PK_API pk_batch_view pk_batch_tau(pk_batch *batch);

/* [pk_actuation_state_size] What actuators remember, as pk_sim_actuation. */
PK_API pk_batch_view pk_batch_actuation(pk_batch *batch);

/* Contacts of the active set of a world's last step, as pk_sim_contacts. */
PK_API int pk_batch_contacts(const pk_batch *batch, int world, pk_sim_contact *out, int most);

/* PK_OK, or why a world is frozen; and how its last step was solved. */
PK_API pk_status pk_batch_world_status(const pk_batch *batch, int world);
PK_API double pk_batch_world_time(const pk_batch *batch, int world);
PK_API double pk_batch_world_residual(const pk_batch *batch, int world);
PK_API bool pk_batch_world_certified(const pk_batch *batch, int world);

/* Steps of a world since its last reset whose certificate was not met, as pk_sim_uncertified; 0: no such
 * world. */
PK_API long long pk_batch_world_uncertified(const pk_batch *batch, int world);

PK_API int pk_batch_worlds(const pk_batch *batch);
PK_API int pk_batch_lanes(const pk_batch *batch);
PK_API int pk_batch_threads(const pk_batch *batch);

/* Contacts that a world remembers. */
PK_API int pk_batch_keep(const pk_batch *batch);

PK_API const pk_model *pk_batch_model(const pk_batch *batch);

/* The options of its worlds, what was left to the model chosen: for sims that pk_batch_get is to fill. */
PK_API pk_sim_options pk_batch_sim_options(const pk_batch *batch);

/* Bytes that one world more takes, and bytes that do not depend on their number: one workspace for each
 * thread. */
PK_API size_t pk_batch_world_bytes(const pk_batch *batch);
PK_API size_t pk_batch_shared_bytes(const pk_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
