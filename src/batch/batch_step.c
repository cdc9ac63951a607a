/* Steps of all worlds. A thread takes a chunk of worlds through all the steps, so that their blocks stay in its cache; in
 * each step it fills the lanes with worlds that have the same feet on the ground, since a group does what any of its worlds
 * needs. */
#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "sim/parameters.h"
#include "sim/sim_control.h"
#include "sim/sim_sense.h"
#include "step/joints.h"

/* ---- controllers ---- */

static double *row_of(const pk_batch *b, int k, int row)
{
  return (double *)(void *)(pki_block_of(b, k) + b->row_at[row]);
}

static pk_command *commands_of(const pk_batch *b, int k)
{
  return (pk_command *)(void *)(pki_block_of(b, k) + b->row_at[PKI_MEMORY_COMMANDS]);
}

/* A world whose step failed is stepped no more; as in a sim its pushes are spent. */
static void freeze_world(const pk_batch *b, int k, pk_status status)
{
  pki_world_head *h = pki_head_of(b, k);
  h->status = status;
  h->n.pushed = false;
  memset(row_of(b, k, PKI_MEMORY_PUSHES), 0, 6 * (size_t)b->model->nbody * sizeof(double));
}

/* The worlds of a chunk that still run. What callers may have written since the last step is checked before it is read. */
static int list_running_worlds(const pk_batch *b, int first, int count, bool written, int *worlds)
{
  int n = 0;
  for (int k = first; k < first + count; k++) {
    pk_step_info info;
    pk_status status = pki_head_of(b, k)->status;
    if (status == PK_OK && written) {
      status = pki_state_check(b->model, row_of(b, k, PKI_MEMORY_Q), row_of(b, k, PKI_MEMORY_U), &info);
      if (status != PK_OK) {
        freeze_world(b, k, status);
      }
    }
    worlds[n] = k;
    n += status == PK_OK;
  }
  return n;
}

/* One world by the controller's own update. */
static void control_one_world(const pk_batch *b, pki_thread_context *context, int k)
{
  pk_step_info info = {.term = ""};
  pki_bind_world(b, context, k);
  pki_joints_observe(context->sim);
  const pk_status status = pki_control(context->sim, &info);
  pki_release_world(b, context, k);
  if (status != PK_OK) {
    freeze_world(b, k, status);
  }
}

/* Several worlds at once. */
static void control_group(const pk_batch *b, pki_thread_context *context, const int *worlds, int count)
{
  pk_sim *sim = context->sim;
  const pk_controller *by = sim->control.by;
  const int room = b->options.keep;
  pk_observation seen[PKI_LANES_MOST] = {{0}};
  void *states[PKI_LANES_MOST] = {0};
  pk_command *commands[PKI_LANES_MOST] = {0};
  pk_status status[PKI_LANES_MOST];
  for (int i = 0; i < count; i++) {
    const int k = worlds[i];
    pk_sim_contact *contacts = context->contacts + (size_t)i * (size_t)room;
    const int n = pk_batch_contacts(b, k, contacts, room);
    const pki_observed world = {.time = pk_batch_world_time(b, k),
                                .q = row_of(b, k, PKI_MEMORY_Q),
                                .u = row_of(b, k, PKI_MEMORY_U),
                                .tau = row_of(b, k, PKI_MEMORY_TAU),
                                .contacts = contacts,
                                .ncontact = n,
                                .room = room,
                                .readings = row_of(b, k, PKI_MEMORY_READINGS),
                                .seen = row_of(b, k, PKI_MEMORY_SEEN),
                                .actuator_states = row_of(b, k, PKI_MEMORY_ACTUATION)};
    seen[i] = pki_observe(sim, &world);
    states[i] = b->control != NULL ? b->control + (size_t)k * b->control_stride : NULL;
    commands[i] = commands_of(b, k);
    status[i] = PK_OK;
  }
  by->update_group(by, count, seen, states, commands, status);
  for (int i = 0; i < count; i++) {
    if (status[i] != PK_OK) {
      freeze_world(b, worlds[i], status[i]);
    }
  }
}

/* The controllers of the worlds for which it is time. */
static void control_worlds(const pk_batch *b, pki_thread_context *context, const int *worlds, int count)
{
  const pk_sim *sim = context->sim;
  const pk_controller *by = sim->control.by;
  const bool together = by != NULL && by->update_group != NULL && !sim->joints.cut;
  int due[PKI_LANES_MOST], ndue = 0;
  for (int i = 0; i < count && by != NULL; i++) {
    const int k = worlds[i];
    if (pki_head_of(b, k)->n.steps % sim->control.every != 0) {
      continue;
    }
    if (!together) {
      control_one_world(b, context, k);
      continue;
    }
    due[ndue++] = k;
    if (ndue == b->lanes) {
      control_group(b, context, due, ndue);
      ndue = 0;
    }
  }
  if (ndue > 0) {
    control_group(b, context, due, ndue);
  }
}

/* ---- sensors ---- */

/* Worlds that were put somewhere by hand are read there. */
static void sense_placed_worlds(const pk_batch *b, pki_thread_context *context, const int *worlds, int count)
{
  const size_t q = (size_t)b->model->nq * sizeof(double), u = (size_t)b->model->nu * sizeof(double);
  for (int i = 0; i < count && b->options.sim.sensing != NULL; i++) {
    const int k = worlds[i];
    const double *const sensed = row_of(b, k, PKI_MEMORY_SENSED);
    if (sensed[0] == 0 || memcmp(sensed + 1, row_of(b, k, PKI_MEMORY_Q), q) != 0 ||
        memcmp(sensed + 1 + b->model->nq, row_of(b, k, PKI_MEMORY_U), u) != 0) {
      pki_bind_world(b, context, k);
      pki_sense_begin(context->sim);
      pki_release_world(b, context, k);
    }
  }
}

/* After a step on lanes; a sim reads its own. */
static void sense_world(const pk_batch *b, pki_thread_context *context, int k)
{
  if (b->options.sim.sensing != NULL) {
    pki_bind_world(b, context, k);
    pki_sense_end(context->sim);
    pki_release_world(b, context, k);
  }
}

/* ---- steps ---- */

/* Count a step of world k in the thread's figures. */
static void note_step(pki_thread_context *context, const pk_batch *b, int k, double residual, bool certified,
                      pk_lane_exit left)
{
  pk_batch_info *info = &context->info;
  pki_head_of(b, k)->residual = residual;
  pki_head_of(b, k)->certified = certified;
  pki_head_of(b, k)->n.uncertified += !certified && left == PK_LANE_EXIT_NONE; /* a sim counts its own */
  info->stepped++;
  info->uncertified += !certified;
  info->alone += left != PK_LANE_EXIT_NONE;
  info->left[left] += left != PK_LANE_EXIT_NONE;
  if (residual > info->worst ||
      (residual == info->worst && (info->worst_world < 0 || k < info->worst_world))) {
    info->worst = residual;
    info->worst_world = k;
  }
}

/* A world that lanes could not do. */
static void step_by_sim(const pk_batch *b, pki_thread_context *context, int k, pk_lane_exit why)
{
  pk_step_info info;
  pki_bind_world(b, context, k);
  const pk_status status = pki_sim_step_unobserved(context->sim, &info);
  pki_release_world(b, context, k);
  pki_head_of(b, k)->plain = false;
  if (status != PK_OK) {
    pki_head_of(b, k)->certified = false; /* a step that failed has no certificate */
    freeze_world(b, k, status);
    return;
  }
  context->info.shifted += info.shifted > 0;
  context->info.shift = fmax(context->info.shift, info.shift);
  note_step(context, b, k, info.certificate.relative, info.certified, why);
}

static pki_lane_world lane_world_of(const pk_batch *b, int k)
{
  double *const q = row_of(b, k, PKI_MEMORY_Q), *const u = row_of(b, k, PKI_MEMORY_U);
  unsigned char *const block = pki_block_of(b, k);
  const pki_world_head *const h = pki_head_of(b, k);
  const pki_latency latency = {.queue = (pk_command *)(void *)(block + b->row_at[PKI_MEMORY_QUEUE]),
                               .room = b->late_room,
                               .late = h->parameters.late};
  return (pki_lane_world){
      .q = q,
      .u = u,
      .commands = pki_latency_through(&latency, commands_of(b, k), b->joints, h->n.steps),
      .inertia = b->varied ? row_of(b, k, PKI_MEMORY_INERTIA) : NULL,
      .pushes = h->n.pushed ? row_of(b, k, PKI_MEMORY_PUSHES) : NULL,
      .grouped = b->varied && b->options.sim.code != NULL ? row_of(b, k, PKI_MEMORY_GROUPED) : NULL,
      .friction = h->parameters.friction,
      .actuation = row_of(b, k, PKI_MEMORY_ACTUATION),
      .motors = b->varied && b->options.sim.actuation != NULL ? row_of(b, k, PKI_MEMORY_MOTORS) : NULL,
      .actuation_next = row_of(b, k, PKI_MEMORY_ACTUATION),
      .q_next = q,
      .u_next = u,
      .tau = row_of(b, k, PKI_MEMORY_TAU),
      .last = (pki_contact *)(void *)(block + b->row_at[PKI_MEMORY_LAST]),
      .last_r = row_of(b, k, PKI_MEMORY_LAST_R),
      .last_sticks = (bool *)(block + b->row_at[PKI_MEMORY_STICKS]),
      .nlast = &pki_head_of(b, k)->n.nlast,
      .keep = b->options.keep,
      .last_joint = row_of(b, k, PKI_MEMORY_JOINT),
      .limited = (bool *)(block + b->row_at[PKI_MEMORY_LIMITED]),
      .plain = &pki_head_of(b, k)->plain,
      .memory = (pki_remembered *)(void *)(block + b->memory_at),
      .nmemory = &pki_head_of(b, k)->nmemory,
      .guard = (double *)(void *)(block + b->guard_at)};
}

/* A step on lanes is counted, and its pushes are spent. */
static void end_lane_step(const pk_batch *b, int k)
{
  pki_world_head *h = pki_head_of(b, k);
  h->n.steps++;
  if (h->n.pushed) {
    h->n.pushed = false;
    memset(row_of(b, k, PKI_MEMORY_PUSHES), 0, 6 * (size_t)b->model->nbody * sizeof(double));
  }
}

static void step_group(const pk_batch *b, pki_thread_context *context, const int *worlds, int count)
{
  pki_lane_world lane_worlds[PKI_LANES_MOST];
  pki_lane_info how[PKI_LANES_MOST];
  lane_worlds[0] = lane_world_of(b, worlds[0]);
  for (int i = 1; i < count; i++) {
    lane_worlds[i] = lane_world_of(b, worlds[i]);
  }
  b->kernels->advance(&context->group, lane_worlds, count, how);
  for (int i = 0; i < count; i++) {
    if (how[i].done) {
      end_lane_step(b, worlds[i]);
      sense_world(b, context, worlds[i]);
      context->info.impulses_alone += how[i].scalar_fallback;
      note_step(context, b, worlds[i], how[i].relative, how[i].relative <= b->options.sim.tolerance,
                PK_LANE_EXIT_NONE);
    } else {
      step_by_sim(b, context, worlds[i], how[i].left);
    }
  }
}

/* The shapes that touched in the last step, as a number: worlds with the same one go together. Where contacts are more than feet
 * their number counts first, since a group has as many rows as the one of its worlds that has most. */
static uint64_t pattern_of(const pk_batch *b, int k)
{
  const pki_contact *last =
      (const pki_contact *)(const void *)(pki_block_of(b, k) + b->row_at[PKI_MEMORY_LAST]);
  const int n = pki_head_of(b, k)->n.nlast;
  uint64_t pattern = n > b->plan.nball ? (uint64_t)n << 32 : 0;
  for (int i = 0; i < n; i++) {
    pattern |= UINT64_C(1) << (last[i].geom[0] & 31);
  }
  return pattern;
}

/* Worlds in the order of their patterns, each as it was otherwise. */
static void sort_by_pattern(const pk_batch *b, int *worlds, int count)
{
  uint64_t pattern[PKI_CHUNK];
  for (int i = 0; i < count; i++) {
    const int k = worlds[i];
    const uint64_t mine = pattern_of(b, k);
    int at = i;
    for (; at > 0 && pattern[at - 1] > mine; at--) {
      pattern[at] = pattern[at - 1];
      worlds[at] = worlds[at - 1];
    }
    pattern[at] = mine;
    worlds[at] = k;
  }
}

/* Commands that act later are checked now; what is wrong with them is for the world alone. Mostly nothing is: they are compared all
 * at once first. */
static bool commands_are_valid(const pk_batch *b, int k)
{
  const pk_command *const commands = commands_of(b, k);
  const int n = b->late_room > 0 ? b->joints : 0;
  int good = 0;
  for (int i = 0; i < n; i++) {
    const pk_command *c = &commands[i];
    good += (c->kp >= 0) & (c->kd >= 0) & (c->tau_max >= 0) & (c->correction >= 0) &
            (c->kp + c->kd + c->correction < 1e300) &
            (fabs(c->tau) + fabs(c->q_des) + fabs(c->u_des) < 1e300);
  }
  bool sound = true;
  for (int i = 0; i < n && good < n && sound; i++) {
    sound = pki_check_command(&commands[i]) == PK_OK;
  }
  return sound;
}

/* Worlds on lanes. */
static void step_lanes(const pk_batch *b, pki_thread_context *context, int *worlds, int count)
{
  if (b->lanes > 1) {
    sort_by_pattern(b, worlds, count);
  }
  for (int i = 0; i < count; i += b->lanes) {
    step_group(b, context, worlds + i, count - i < b->lanes ? count - i : b->lanes);
  }
}

/* One step of a chunk, the first of a call or not. */
static void step_chunk(pk_batch *b, pki_thread_context *context, int first, int count, bool begins)
{
  int worlds[PKI_CHUNK], lanes[PKI_CHUNK], nlanes = 0;
  if (b->call != NULL) {
    b->call(b->user, b, first, count);
  }
  const int n = list_running_worlds(b, first, count, begins || b->call != NULL, worlds);
  sense_placed_worlds(b, context, worlds, n);
  control_worlds(b, context, worlds, n);
  for (int i = 0; i < n; i++) {
    const pki_world_head *h = pki_head_of(b, worlds[i]);
    if (h->status != PK_OK) {
      continue;
    }
    const pk_lane_exit left = !b->plan.usable          ? PK_LANE_EXIT_WORLD
                              : h->n.nlast > PKI_SLOTS ? PK_LANE_EXIT_CONTACTS /* as in the last step */
                              : !commands_are_valid(b, worlds[i]) ? PK_LANE_EXIT_COMMAND
                                                                  : PK_LANE_EXIT_NONE;
    if (left == PK_LANE_EXIT_NONE) {
      lanes[nlanes++] = worlds[i];
    } else {
      step_by_sim(b, context, worlds[i], left);
    }
  }
  step_lanes(b, context, lanes, nlanes);
}

/* The sum of all threads' figures. */
static void sum_step_info(const pk_batch *b, pk_batch_info *info)
{
  *info = (pk_batch_info){.worst_world = -1};
  for (int t = 0; t < b->threads; t++) {
    const pk_batch_info *c = &b->contexts[t].info;
    info->shifted += c->shifted, info->shift = fmax(info->shift, c->shift);
    info->impulses_alone += c->impulses_alone;
    for (int i = 0; i < PK_LANE_EXIT_COUNT; i++) {
      info->left[i] += c->left[i];
    }
    info->stepped += c->stepped, info->uncertified += c->uncertified, info->alone += c->alone;
    info->frozen += c->frozen;
    if (c->worst_world >= 0 && (info->worst_world < 0 || c->worst > info->worst ||
                                (c->worst == info->worst && c->worst_world < info->worst_world))) {
      info->worst = c->worst, info->worst_world = c->worst_world;
    }
  }
}

pk_status pk_batch_step(pk_batch *b, int steps, pk_batch_info *info)
{
  if (steps < 0) {
    return PK_ERROR_ARGUMENT;
  }
  /* chunks of whole groups, and several for each thread */
  const int fair = (b->count + 4 * b->threads - 1) / (4 * b->threads);
  const int whole = (fair + b->lanes - 1) / b->lanes * b->lanes;
  const int chunk = whole < PKI_CHUNK ? whole : PKI_CHUNK, chunks = (b->count + chunk - 1) / chunk;
  for (int t = 0; t < b->threads; t++) {
    b->contexts[t].info = (pk_batch_info){.worst_world = -1};
  }
  b->stepping = true;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(b->threads)
#endif
  for (int c = 0; c < chunks; c++) {
    pki_thread_context *context = pki_this_thread_context(b);
    const int first = c * chunk, count = b->count - first < chunk ? b->count - first : chunk;
    for (int s = 0; s < steps; s++) {
      step_chunk(b, context, first, count, s == 0);
    }
    for (int k = first; k < first + count; k++) {
      context->info.frozen += pki_head_of(b, k)->status != PK_OK;
    }
  }
  b->stepping = false;
  if (info != NULL) {
    sum_step_info(b, info);
  }
  return PK_OK;
}
