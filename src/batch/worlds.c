/* One world: its block, into a sim and back. */
#include <string.h>

#include "batch/batch.h"
#include "pronk/sensing.h"
#include "sim/query.h"
#include "sim/sim_control.h"
#include "step/contact.h"

static size_t pad_to_line(size_t bytes)
{
  return (bytes + PKI_ALIGN - 1) / PKI_ALIGN * PKI_ALIGN;
}

/* ---- arrays ---- */

/* Elements of a row that a block has room for. A sim has room for more contacts than a world remembers: what is counted in them is
 * copied in and out, and all else stays where it is. */
static size_t room_of(const pk_batch *b, int row)
{
  const pki_memory_row *r = &pki_memory[row];
  const size_t room = r->room(b->model, &b->options.sim), keep = (size_t)b->options.keep;
  return r->used != PKI_USED_ALL && keep < room ? keep : room;
}

static bool is_copied(int row)
{
  return pki_memory_grows(row);
}

static size_t memory_room(const pk_batch *b)
{
  return (size_t)b->options.keep;
}

void pki_lay_out_worlds(pk_batch *b)
{
  size_t at = pad_to_line(sizeof(pki_world_head));
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    b->row_at[row] = at;
    at += (room_of(b, row) * pki_memory[row].size + 7) / 8 * 8;
  }
  b->memory_at = at;
  at += memory_room(b) * sizeof(pki_remembered);
  b->guard_at = at;
  at += (size_t)pki_guard_size(b->model) * sizeof(double);
  b->stride = pad_to_line(at);
}

/* ---- a sim that works on a world ---- */

static void load_head(pk_sim *sim, const pki_world_head *h)
{
  sim->state.n = h->n;
  sim->parameters = h->parameters;
  sim->workspace->work.params.varied = h->varied;
  sim->scene.colliders.nmemory = h->nmemory;
  if (sim->ark != NULL) {
    pki_ark_set_step(sim, h->ark_step);
  }
}

static void save_head(const pk_sim *sim, pki_world_head *h)
{
  h->n = sim->state.n;
  h->parameters = sim->parameters;
  h->varied = sim->workspace->work.params.varied;
  h->nmemory = sim->scene.colliders.nmemory;
  h->ark_step = pki_ark_get_step(sim);
}

/* What pairs of shapes remember, out of the sim or into it. */
static void copy_pairs(const pk_batch *b, pk_sim *sim, unsigned char *block, bool out)
{
  pki_colliders *c = &sim->scene.colliders;
  memcpy(out ? (void *)(block + b->memory_at) : c->memory,
         out ? c->memory : (const void *)(block + b->memory_at), (size_t)c->nmemory * sizeof *c->memory);
}

/* What the sim uses of one array, likewise. */
static void copy_row(const pk_batch *b, pk_sim *sim, int row, unsigned char *block, bool out)
{
  void *const array = pki_memory_array(sim, row);
  const size_t bytes = pki_memory_used(sim, row) * pki_memory[row].size;
  if (bytes > 0) {
    memcpy(out ? (void *)(block + b->row_at[row]) : array,
           out ? array : (const void *)(block + b->row_at[row]), bytes);
  }
}

/* What the sim remembers has room in a world's block. */
static bool fits_world_memory(const pk_batch *b, const pk_sim *sim)
{
  bool all = true;
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    all &= pki_memory_used(sim, row) <= room_of(b, row);
  }
  return all;
}

void pki_bind_world(const pk_batch *b, pki_thread_context *context, int k)
{
  pk_sim *sim = context->sim;
  unsigned char *const block = pki_block_of(b, k);
  load_head(sim, pki_head_of(b, k));
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (is_copied(row)) {
      copy_row(b, sim, row, block, false);
    } else if (room_of(b, row) > 0) {
      pki_memory_set_array(sim, row, block + b->row_at[row]);
    }
  }
  copy_pairs(b, sim, block, false);
  sim->control.state = b->control != NULL ? b->control + (size_t)k * b->control_stride : NULL;
}

void pki_release_world(const pk_batch *b, pki_thread_context *context, int k)
{
  pk_sim *sim = context->sim;
  unsigned char *const block = pki_block_of(b, k);
  pki_world_head *h = pki_head_of(b, k);
  const int room = (int)memory_room(b), pairs = sim->scene.colliders.nmemory;
  sim->scene.colliders.nmemory = pairs < room ? pairs : room; /* the rest is found anew */
  if (!fits_world_memory(b, sim)) {                           /* where it is now it stays */
    h->status = PK_ERROR_LIMIT;
    sim->state.n.nlast = sim->state.n.nspring = sim->scene.colliders.nmemory = 0;
  }
  save_head(sim, h);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    if (is_copied(row)) {
      copy_row(b, sim, row, block, true);
    } else {
      pki_memory_set_array(sim, row, context->own[row]);
    }
  }
  copy_pairs(b, sim, block, true);
  sim->workspace->work.params.varied = false;
  sim->control.state = NULL;
}

/* ---- the user's sims ---- */

/* There is such a world. */
static bool is_world(const pk_batch *b, int world)
{
  return world >= 0 && world < b->count;
}

static pk_status check_world_of_sim(const pk_batch *b, int world, const pk_sim *sim, pk_error *err)
{
  if (!is_world(b, world)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "world"}, "world is %d, expected 0 to %d",
                    world, b->count - 1);
  }
  const pk_status status = pki_sim_match(b->contexts[0].sim, sim, "sim", "the sim", err);
  if (status != PK_OK) {
    return status;
  }
  for (int i = 0; i < pki_sim_field_count; i++) {
    const pk_field *f = &pki_sim_fields[i];
    const double mine = pki_field_get(f, &sim->options, 0), all = pki_field_get(f, &b->options.sim, 0);
    if (f->offset != offsetof(pk_sim_options, timing) && f->offset != offsetof(pk_sim_options, broad) &&
        mine != all) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = f->name},
                      "the sim's option %s is %g, the batch has %g: take pk_batch_sim_options", f->name, mine,
                      all);
    }
  }
  if (sim->options.actuation != b->options.sim.actuation) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "actuation"},
                    "the sim has other actuators than the batch: take pk_batch_sim_options");
  }
  if (sim->options.code != b->options.sim.code) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "code"},
                    "the sim computes with other code than the batch: take pk_batch_sim_options");
  }
  if (sim->options.sensing != b->options.sim.sensing || sim->options.sees != b->options.sim.sees) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sensing"},
                    "the sim has other sensors than the batch, or its controller sees other things: take "
                    "pk_batch_sim_options");
  }
  return PK_OK;
}

/* All arrays of a block, from a sim or into it. */
static void copy_rows(const pk_batch *b, pk_sim *sim, int world, bool out)
{
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    copy_row(b, sim, row, pki_block_of(b, world), out);
  }
  copy_pairs(b, sim, pki_block_of(b, world), out);
}

pk_status pk_batch_get(const pk_batch *b, int world, pk_sim *sim, pk_error *err)
{
  const pk_sim *like = b->contexts[0].sim;
  pk_status status = check_world_of_sim(b, world, sim, err);
  if (status == PK_OK && !pki_sim_collides_as(sim, like)) {
    status = pk_sim_set_like(sim, like, err);
  }
  if (status == PK_OK && sim->control.by != like->control.by) {
    status = pk_sim_set_controller(sim, like->control.by, err);
  }
  if (status != PK_OK) {
    return status;
  }
  load_head(sim, pki_head_of(b, world));
  copy_rows(b, sim, world, false);
  if (b->control != NULL) {
    memcpy(sim->control.state, b->control + (size_t)world * b->control_stride, sim->control.by->state_size);
  }
  return PK_OK;
}

pk_status pk_batch_set(pk_batch *b, int world, const pk_sim *sim, pk_error *err)
{
  const pk_sim *like = b->contexts[0].sim;
  const pk_status status = check_world_of_sim(b, world, sim, err);
  if (status != PK_OK) {
    return status;
  }
  if (sim->scene.terrain != like->scene.terrain && sim->state.n.nlast + sim->state.n.nspring > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "the sim touches another ground than the batch's: pk_batch_set_terrain comes first");
  }
  if (sim->control.by != like->control.by && sim->control.by != NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "the sim has another controller than the batch: pk_batch_set_controller comes first");
  }
  if (!fits_world_memory(b, sim) || (size_t)sim->scene.colliders.nmemory > memory_room(b)) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "keep"},
                    "the sim has %d contacts, a world of the batch remembers %d: raise the option keep",
                    sim->state.n.nlast, b->options.keep);
  }
  pki_world_head *h = pki_head_of(b, world);
  copy_rows(b, (pk_sim *)sim, world, true);
  save_head(sim, h);
  h->status = PK_OK;
  h->plain = false;
  b->varied |= h->varied;
  if (b->control != NULL && sim->control.by != NULL) {
    memcpy(b->control + (size_t)world * b->control_stride, sim->control.state, sim->control.by->state_size);
  } else if (b->control != NULL) { /* the sim has no controller with a state */
    pki_bind_world(b, &b->contexts[0], world);
    pki_control_reset(b->contexts[0].sim);
    pki_release_world(b, &b->contexts[0], world);
  }
  return PK_OK;
}

void pki_batch_begin(pk_batch *b, int world)
{
  const size_t bytes = 10 * (size_t)b->model->nbody * sizeof(double);
  unsigned char *const block = pki_block_of(b, world);
  memcpy(block + b->row_at[PKI_MEMORY_INERTIA], b->model->body_inertia, bytes);
  if (b->options.sim.code != NULL) {
    memcpy(block + b->row_at[PKI_MEMORY_GROUPED], b->contexts[0].sim->workspace->grouped, bytes);
  }
  const pk_actuation *actuation = b->options.sim.actuation;
  if (actuation != NULL) {
    memcpy(block + b->row_at[PKI_MEMORY_MOTORS], actuation->constants,
           (size_t)actuation->nmotor * PKI_MOTOR_CONSTANTS * sizeof(double));
  }
  pki_head_of(b, world)->varied = false;
  pki_head_of(b, world)->parameters.friction = 1;
  pki_head_of(b, world)->n.stream = (uint64_t)world;
  pk_batch_reset(b, world);
}

void pk_batch_reset(pk_batch *b, int world)
{
  if (!is_world(b, world)) {
    return;
  }
  pki_thread_context *context = pki_this_thread_context(b);
  pki_world_head *h = pki_head_of(b, world);
  pki_bind_world(b, context, world);
  pk_sim_reset(context->sim);
  pki_release_world(b, context, world);
  h->status = PK_OK;
  h->residual = 0;
  h->certified = true;
}

pk_status pk_batch_add_push(pk_batch *b, int world, const pk_push *push)
{
  pki_thread_context *context = pki_this_thread_context(b);
  if (!is_world(b, world)) {
    return PK_ERROR_ARGUMENT;
  }
  pki_bind_world(b, context, world);
  const pk_status status = pk_sim_add_push(context->sim, push);
  pki_release_world(b, context, world);
  return status;
}

pk_status pk_batch_push(pk_batch *b, int world, int link, const double point[3], const double force[3])
{
  return pk_batch_add_push(b, world,
                           &(pk_push){.link = link,
                                      .point = {point[0], point[1], point[2]},
                                      .force = {force[0], force[1], force[2]}});
}

int pk_batch_contacts(const pk_batch *b, int world, pk_sim_contact *out, int most)
{
  if (!is_world(b, world)) {
    return 0;
  }
  const unsigned char *const block = pki_block_of(b, world);
  const int n = pki_head_of(b, world)->n.nlast;
  pki_show_contacts(b->contexts[0].sim, pki_head_of(b, world)->parameters.friction,
                    (const pki_contact *)(const void *)(block + b->row_at[PKI_MEMORY_LAST]),
                    (const double *)(const void *)(block + b->row_at[PKI_MEMORY_LAST_R]), n < most ? n : most,
                    out);
  return n;
}

/* ---- views ---- */

static pk_batch_view view_of(pk_batch *b, int row, int n)
{
  return (pk_batch_view){.data = (double *)(void *)(b->blocks + b->row_at[row]),
                         .stride = (ptrdiff_t)(b->stride / sizeof(double)),
                         .worlds = b->count,
                         .n = n};
}

pk_batch_view pk_batch_q(pk_batch *b)
{
  return view_of(b, PKI_MEMORY_Q, b->model->nq);
}

pk_batch_view pk_batch_u(pk_batch *b)
{
  return view_of(b, PKI_MEMORY_U, b->model->nu);
}

pk_batch_view pk_batch_commands(pk_batch *b)
{
  return view_of(b, PKI_MEMORY_COMMANDS, PKI_COMMAND_NUMBERS * pki_joint_model(b->model)->nu);
}

pk_batch_view pk_batch_tau(pk_batch *b)
{
  return view_of(b, PKI_MEMORY_TAU, pki_joint_model(b->model)->nu);
}

pk_batch_view pk_batch_actuation(pk_batch *b)
{
  const pk_actuation *a = b->options.sim.actuation;
  return view_of(b, PKI_MEMORY_ACTUATION, a != NULL ? a->nstate : 0);
}

pk_batch_view pk_batch_readings(pk_batch *b)
{
  const pk_sensing *sensing = b->options.sim.sensing;
  return view_of(b, PKI_MEMORY_READINGS, sensing != NULL ? pk_sensing_values(sensing) : 0);
}

void pk_batch_set_stream(pk_batch *b, int world, unsigned long long stream)
{
  if (is_world(b, world)) {
    pki_head_of(b, world)->n.stream = stream;
  }
}

pk_status pk_batch_world_status(const pk_batch *b, int world)
{
  return is_world(b, world) ? pki_head_of(b, world)->status : PK_ERROR_ARGUMENT;
}

double pk_batch_world_time(const pk_batch *b, int world)
{
  return is_world(b, world) ? (double)pki_head_of(b, world)->n.steps * b->options.sim.dt : 0;
}

double pk_batch_world_residual(const pk_batch *b, int world)
{
  return is_world(b, world) ? pki_head_of(b, world)->residual : 0;
}

bool pk_batch_world_certified(const pk_batch *b, int world)
{
  return is_world(b, world) && pki_head_of(b, world)->certified;
}

long long pk_batch_world_uncertified(const pk_batch *b, int world)
{
  return is_world(b, world) ? pki_head_of(b, world)->n.uncertified : 0;
}
