/* One world: its block, into a sim and back. */
#include <string.h>

#include "batch/batch.h"
#include "step/contact.h"
#include "step/joints.h"
#include "step/outside.h"
#include "step/parameters.h"
#include "step/query.h"

static size_t padded(size_t bytes)
{
  return (bytes + PKI_ALIGN - 1) / PKI_ALIGN * PKI_ALIGN;
}

/* ---- pieces ---- */

int pki_list_pieces(pk_sim *sim, pki_piece out[PKI_PIECES])
{
  const pk_model *m = sim->model;
  pki_sim_contact *c = &sim->contact;
  const size_t real = sizeof(double), nu = (size_t)m->nu, joints = (size_t)sim->joints.n;
  const size_t grouped = sim->options.code != NULL ? 10 * (size_t)m->nbody * real : 0;
  const bool carries = sim->options.stepper != PK_STEPPER_MOREAU && sim->options.stepper != PK_STEPPER_EULER;
  const pki_piece pieces[] = {
      [PKI_PIECE_Q] = {&sim->q, (size_t)m->nq * real, 0},
      [PKI_PIECE_U] = {&sim->u, nu * real, 0},
      [PKI_PIECE_COMMANDS] = {&sim->commands, joints * sizeof *sim->commands, 0},
      [PKI_PIECE_TAU] = {&sim->tau, joints * real, 0},
      [PKI_PIECE_LAST] = {&c->last, 0, sizeof *c->last},
      [PKI_PIECE_LAST_R] = {&c->last_r, 0, 3 * real},
      [PKI_PIECE_STICKS] = {&c->last_sticks, 0, sizeof *c->last_sticks},
      [PKI_PIECE_JOINT] = {&c->last_joint, PKI_JOINT_ROWS * joints * real, 0},
      [PKI_PIECE_LIMITED] = {&c->limited, joints * sizeof *c->limited, 0},
      [PKI_PIECE_PUSHES] = {&sim->pushes, 6 * (size_t)m->nbody * real, 0},
      [PKI_PIECE_INERTIA] = {&sim->workspace->work.params.inertia, 10 * (size_t)m->nbody * real, 0},
      [PKI_PIECE_GROUPED] = {&sim->workspace->work.params.grouped, grouped, 0},
      [PKI_PIECE_QUEUE] = {&sim->latency.queue, (size_t)sim->latency.room * joints * sizeof *sim->commands,
                           0},
      {&sim->joints.drives, (size_t)m->ndrive * real, 0},
      {&c->last_bilateral, (size_t)m->nbilateral * real, 0},
      {&sim->carry_q, carries ? nu * real : 0, 0},
      {&sim->carry_u, carries ? nu * real : 0, 0}};
  memcpy(out, pieces, sizeof pieces);
  return sizeof pieces / sizeof pieces[0];
}

/* Rooms of arrays that sims swap. */
static size_t spring_room(const pk_batch *b)
{
  return pki_laws[b->options.sim.law].force != NULL ? (size_t)b->options.keep : 0;
}

static size_t memory_room(const pk_batch *b)
{
  return (size_t)b->options.keep;
}

void pki_lay_out(pk_batch *b, pk_sim *sim)
{
  pki_piece pieces[PKI_PIECES];
  size_t at = padded(sizeof(pki_world_head));
  b->npiece = pki_list_pieces(sim, pieces);
  for (int i = 0; i < b->npiece; i++) {
    b->piece_at[i] = at;
    at += (pieces[i].bytes + (size_t)b->options.keep * pieces[i].each + 7) / 8 * 8;
  }
  b->springs_at = at;
  at += spring_room(b) * sizeof *sim->contact.springs;
  b->memory_at = at;
  at += memory_room(b) * sizeof *sim->contact.colliders.memory;
  b->guard_at = at;
  at += (size_t)pki_guard_size(b->model) * sizeof(double);
  b->stride = padded(at);
}

/* ---- a sim that works on a world ---- */

static void load_head(pk_sim *sim, const pki_world_head *h)
{
  pki_sim_contact *c = &sim->contact;
  sim->steps = h->steps, sim->uncertified = h->uncertified;
  sim->pushed = h->pushed;
  sim->workspace->work.params.varied = h->varied;
  c->nlast = h->nlast, c->nspring = h->nspring;
  c->nspring_next = 0;
  c->friction = h->friction, sim->latency.late = h->late;
  c->colliders.nmemory = h->nmemory;
  if (sim->ark != NULL) {
    pki_ark_set_step(sim, h->ark_step);
  }
}

static void save_head(const pk_sim *sim, pki_world_head *h)
{
  const pki_sim_contact *c = &sim->contact;
  h->steps = sim->steps, h->uncertified = sim->uncertified;
  h->pushed = sim->pushed;
  h->varied = sim->workspace->work.params.varied;
  h->nlast = c->nlast, h->nspring = c->nspring;
  h->friction = c->friction, h->late = sim->latency.late;
  h->nmemory = c->colliders.nmemory;
  h->ark_step = pki_ark_get_step(sim);
}

/* What sims swap: springs, and what pairs of shapes remember. */
static void copy_swapped(const pk_batch *b, pk_sim *sim, unsigned char *block, bool out)
{
  pki_sim_contact *c = &sim->contact;
  const size_t springs = (size_t)c->nspring * sizeof *c->springs;
  const size_t memory = (size_t)c->colliders.nmemory * sizeof *c->colliders.memory;
  memcpy(out ? (void *)(block + b->springs_at) : c->springs,
         out ? c->springs : (const void *)(block + b->springs_at), springs);
  memcpy(out ? (void *)(block + b->memory_at) : c->colliders.memory,
         out ? c->colliders.memory : (const void *)(block + b->memory_at), memory);
}

/* One piece with n contacts, into the sim or out of it. */
static void copy_piece(const pk_batch *b, const pki_piece *piece, int i, int n, unsigned char *block,
                       bool out)
{
  void *array;
  memcpy(&array, piece->at, sizeof array);
  memcpy(out ? (void *)(block + b->piece_at[i]) : array, out ? array : (const void *)(block + b->piece_at[i]),
         piece->bytes + (size_t)n * piece->each);
}

/* A world remembers so much. */
static bool fits(const pk_batch *b, const pk_sim *sim)
{
  const pki_sim_contact *c = &sim->contact;
  return c->nlast <= b->options.keep && (size_t)c->nspring <= spring_room(b);
}

void pki_bind(const pk_batch *b, pki_crew *crew, int k)
{
  pk_sim *sim = crew->sim;
  unsigned char *const block = pki_block_of(b, k);
  pki_piece pieces[PKI_PIECES];
  const int n = pki_list_pieces(sim, pieces);
  for (int i = 0; i < n; i++) {
    void *const to = block + b->piece_at[i];
    if (pieces[i].bytes > 0) {
      memcpy(pieces[i].at, &to, sizeof to);
    }
  }
  load_head(sim, pki_head_of(b, k));
  for (int i = 0; i < n; i++) {
    if (pieces[i].each > 0) {
      copy_piece(b, &pieces[i], i, sim->contact.nlast, block, false);
    }
  }
  copy_swapped(b, sim, block, false);
  sim->control.state = b->control != NULL ? b->control + (size_t)k * b->control_stride : NULL;
}

void pki_release(const pk_batch *b, pki_crew *crew, int k)
{
  pki_piece pieces[PKI_PIECES];
  const int n = pki_list_pieces(crew->sim, pieces);
  pki_sim_contact *c = &crew->sim->contact;
  pki_world_head *h = pki_head_of(b, k);
  const int room = (int)memory_room(b);
  c->colliders.nmemory =
      c->colliders.nmemory < room ? c->colliders.nmemory : room; /* the rest is found anew */
  if (!fits(b, crew->sim)) {                                     /* where it is now it stays */
    h->status = PK_ERROR_LIMIT;
    c->nlast = c->nspring = c->colliders.nmemory = 0;
  }
  save_head(crew->sim, h);
  for (int i = 0; i < n; i++) {
    if (pieces[i].each > 0) {
      copy_piece(b, &pieces[i], i, c->nlast, pki_block_of(b, k), true);
    }
  }
  copy_swapped(b, crew->sim, pki_block_of(b, k), true);
  for (int i = 0; i < n; i++) {
    memcpy(pieces[i].at, &crew->own[i].at, sizeof crew->own[i].at);
  }
  crew->sim->workspace->work.params.varied = false;
  crew->sim->control.state = NULL;
}

/* ---- the user's sims ---- */

/* There is such a world. */
static bool is_world(const pk_batch *b, int world)
{
  return world >= 0 && world < b->count;
}

static pk_status check(const pk_batch *b, int world, const pk_sim *sim, pk_error *err)
{
  if (!is_world(b, world)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "world"}, "world is %d, expected 0 to %d",
                    world, b->count - 1);
  }
  if (sim->model != b->model) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "the sim has another model than the batch");
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
  if (sim->options.code != b->options.sim.code) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "code"},
                    "the sim computes with other code than the batch: take pk_batch_sim_options");
  }
  return PK_OK;
}

/* All pieces of a block, from a sim or into it. */
static void copy_pieces(const pk_batch *b, pk_sim *sim, int world, bool out)
{
  pki_piece pieces[PKI_PIECES];
  const int n = pki_list_pieces(sim, pieces);
  const int contacts = out ? sim->contact.nlast : pki_head_of(b, world)->nlast;
  for (int i = 0; i < n; i++) {
    copy_piece(b, &pieces[i], i, contacts, pki_block_of(b, world), out);
  }
}

pk_status pk_batch_get(const pk_batch *b, int world, pk_sim *sim, pk_error *err)
{
  const pk_sim *like = b->crews[0].sim;
  pk_status status = check(b, world, sim, err);
  if (status == PK_OK && !pki_sim_collides_as(sim, like)) {
    status = pk_sim_set_like(sim, like, err);
  }
  if (status == PK_OK && sim->control.by != like->control.by) {
    status = pk_sim_set_controller(sim, like->control.by, err);
  }
  if (status != PK_OK) {
    return status;
  }
  copy_pieces(b, sim, world, false);
  load_head(sim, pki_head_of(b, world));
  copy_swapped(b, sim, pki_block_of(b, world), false);
  if (b->control != NULL) {
    memcpy(sim->control.state, b->control + (size_t)world * b->control_stride, sim->control.by->state_size);
  }
  return PK_OK;
}

pk_status pk_batch_set(pk_batch *b, int world, const pk_sim *sim, pk_error *err)
{
  const pk_sim *like = b->crews[0].sim;
  const pk_status status = check(b, world, sim, err);
  if (status != PK_OK) {
    return status;
  }
  if (sim->contact.terrain != like->contact.terrain && sim->contact.nlast + sim->contact.nspring > 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "the sim touches another ground than the batch's: pk_batch_set_terrain comes first");
  }
  if (sim->control.by != like->control.by && sim->control.by != NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "sim"},
                    "the sim has another controller than the batch: pk_batch_set_controller comes first");
  }
  if (!fits(b, sim) || (size_t)sim->contact.colliders.nmemory > memory_room(b)) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "keep"},
                    "the sim has %d contacts, a world of the batch remembers %d: raise the option keep",
                    sim->contact.nlast, b->options.keep);
  }
  pki_world_head *h = pki_head_of(b, world);
  copy_pieces(b, (pk_sim *)sim, world, true);
  save_head(sim, h);
  copy_swapped(b, (pk_sim *)sim, pki_block_of(b, world), true);
  h->status = PK_OK;
  h->plain = false;
  b->varied |= h->varied;
  if (b->control != NULL && sim->control.by != NULL) {
    memcpy(b->control + (size_t)world * b->control_stride, sim->control.state, sim->control.by->state_size);
  } else if (b->control != NULL) { /* the sim has nobody who remembers */
    pki_bind(b, &b->crews[0], world);
    pki_control_reset(b->crews[0].sim);
    pki_release(b, &b->crews[0], world);
  }
  return PK_OK;
}

void pki_batch_begin(pk_batch *b, int world)
{
  const size_t bytes = 10 * (size_t)b->model->nbody * sizeof(double);
  unsigned char *const block = pki_block_of(b, world);
  memcpy(block + b->piece_at[PKI_PIECE_INERTIA], b->model->body_inertia, bytes);
  if (b->options.sim.code != NULL) {
    memcpy(block + b->piece_at[PKI_PIECE_GROUPED], b->crews[0].sim->workspace->grouped, bytes);
  }
  pki_head_of(b, world)->varied = false;
  pki_head_of(b, world)->friction = 1;
  pk_batch_reset(b, world);
}

void pk_batch_reset(pk_batch *b, int world)
{
  if (!is_world(b, world)) {
    return;
  }
  pki_crew *crew = pki_crew_here(b);
  pki_world_head *h = pki_head_of(b, world);
  pki_bind(b, crew, world);
  pk_sim_reset(crew->sim);
  pki_release(b, crew, world);
  h->status = PK_OK;
  h->residual = 0;
  h->certified = true;
}

pk_status pk_batch_push(pk_batch *b, int world, int link, const double point[3], const double force[3])
{
  pki_crew *crew = pki_crew_here(b);
  if (!is_world(b, world)) {
    return PK_ERROR_ARGUMENT;
  }
  pki_bind(b, crew, world);
  const pk_status status = pk_sim_push(crew->sim, link, point, force);
  pki_release(b, crew, world);
  return status;
}

int pk_batch_contacts(const pk_batch *b, int world, pk_sim_contact *out, int most)
{
  if (!is_world(b, world)) {
    return 0;
  }
  const unsigned char *const block = pki_block_of(b, world);
  const int n = pki_head_of(b, world)->nlast;
  pki_show_contacts(b->crews[0].sim, pki_head_of(b, world)->friction,
                    (const pki_contact *)(const void *)(block + b->piece_at[PKI_PIECE_LAST]),
                    (const double *)(const void *)(block + b->piece_at[PKI_PIECE_LAST_R]),
                    n < most ? n : most, out);
  return n;
}

/* ---- views ---- */

static pk_view view_of(pk_batch *b, int piece, int n)
{
  return (pk_view){.data = (double *)(void *)(b->blocks + b->piece_at[piece]),
                   .stride = (ptrdiff_t)(b->stride / sizeof(double)),
                   .worlds = b->count,
                   .n = n};
}

pk_view pk_batch_q(pk_batch *b)
{
  return view_of(b, PKI_PIECE_Q, b->model->nq);
}

pk_view pk_batch_u(pk_batch *b)
{
  return view_of(b, PKI_PIECE_U, b->model->nu);
}

pk_view pk_batch_commands(pk_batch *b)
{
  return view_of(b, PKI_PIECE_COMMANDS, 6 * pki_joint_model(b->model)->nu);
}

pk_view pk_batch_tau(pk_batch *b)
{
  return view_of(b, PKI_PIECE_TAU, pki_joint_model(b->model)->nu);
}

pk_status pk_batch_world_status(const pk_batch *b, int world)
{
  return is_world(b, world) ? pki_head_of(b, world)->status : PK_ERROR_ARGUMENT;
}

double pk_batch_world_time(const pk_batch *b, int world)
{
  return is_world(b, world) ? (double)pki_head_of(b, world)->steps * b->options.sim.dt : 0;
}

double pk_batch_world_residual(const pk_batch *b, int world)
{
  return is_world(b, world) ? pki_head_of(b, world)->residual : 0;
}

bool pk_batch_world_certified(const pk_batch *b, int world)
{
  return is_world(b, world) && pki_head_of(b, world)->certified;
}
