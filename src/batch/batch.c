#include "batch/batch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "dynamics/code.h"
#include "sim/sim_control.h"
#include "step/contact.h"
#include "step/joints.h"

/* ---- memory ---- */

/* Vectors of this machine: four doubles on most. */
int pki_best_lanes(void)
{
  return strcmp(pki_kernels_get(1)->isa, "avx512") == 0 ? 8 : 4;
}

static int count_processors(void)
{
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

/* The options with what is left to the machine and the model chosen. */
static pk_batch_options fill_batch_options(const pk_model *model, const pk_batch_options *options)
{
  pk_batch_options o = options != NULL ? *options : pk_batch_options_default();
  o.lanes = o.lanes > 0 ? o.lanes : pki_best_lanes();
  o.threads = o.threads > 0 ? o.threads : count_processors();
  o.keep = o.keep > 0 ? o.keep : pki_usual_contacts(model);
  return o;
}

static size_t carve_group(pki_thread_context *context, const pk_batch *b, pki_arena *arena)
{
  const size_t shown = (size_t)b->lanes * (size_t)b->options.keep;
  pki_work_carve(&context->work, b->model, b->lanes, arena);
  pki_group_carve(&context->group, b->model, b->options.sim.actuation, b->lanes, arena);
  context->contacts = pki_arena_take(arena, shown, sizeof *context->contacts);
  return arena->used;
}

static pk_status create_thread_context(pk_batch *b, pki_thread_context *context, pk_error *err)
{
  pk_status status = pk_sim_create(b->model, &b->options.sim, &context->sim, err);
  if (status != PK_OK) {
    return status;
  }
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    context->own[row] = pki_memory_array(context->sim, row);
  }
  pki_arena arena = pki_arena_over(NULL, 0);
  const size_t size = carve_group(context, b, &arena);
  context->memory = pki_aligned_alloc(size);
  if (context->memory == NULL) {
    return pki_fail_memory(err, "the workspace of a thread");
  }
  arena = pki_arena_over(context->memory, size);
  carve_group(context, b, &arena);
  context->group.work = &context->work;
  context->group.dynamics = pki_work_use(&context->work, pki_code_find(b->options.sim.code, b->lanes));
  context->group.plan = &b->plan;
  pki_group_use_actuation(&context->group, b->options.sim.actuation, b->lanes);
  pki_add_rotors(context->sim, &context->work);
  context->group.colliders = &context->sim->scene.colliders;
  context->group.scene = &context->sim->scene;
  return PK_OK;
}

pki_thread_context *pki_this_thread_context(const pk_batch *b)
{
#ifdef _OPENMP
  return &b->contexts[b->stepping ? omp_get_thread_num() : 0];
#else
  return &b->contexts[0];
#endif
}

void pki_batch_plan(pk_batch *b)
{
  pki_group_plan_make(&b->plan, b->contexts[0].sim);
  for (int k = 0; k < b->count; k++) {
    ((double *)(void *)(pki_block_of(b, k) + b->guard_at))[b->model->nu] = 0;
  }
}

pk_status pk_batch_create(const pk_model *model, const pk_batch_options *options, pk_batch **out,
                          pk_error *err)
{
  *out = NULL;
  const pk_status valid = options != NULL ? pk_batch_options_validate(options, err) : PK_OK;
  if (valid != PK_OK) {
    return valid;
  }
  pk_batch *b = calloc(1, sizeof *b);
  pk_status status = b != NULL ? PK_OK : PK_ERROR_MEMORY;
  if (b != NULL) {
    b->model = model;
    b->options = fill_batch_options(model, options);
    b->count = b->options.worlds, b->lanes = b->options.lanes, b->threads = b->options.threads;
    b->kernels = pki_group_kernels_get(b->lanes);
    b->contexts = pki_aligned_alloc((size_t)b->threads * sizeof *b->contexts);
    if (b->contexts != NULL) {
      memset(b->contexts, 0, (size_t)b->threads * sizeof *b->contexts);
    }
    pki_arena arena = pki_arena_over(NULL, 0);
    pki_group_plan_carve(&b->plan, model, &arena);
    b->plan_memory = pki_aligned_alloc(arena.used);
    status = b->contexts != NULL && b->plan_memory != NULL ? PK_OK : PK_ERROR_MEMORY;
    arena = pki_arena_over(b->plan_memory, status == PK_OK ? arena.used : 0);
    pki_group_plan_carve(&b->plan, model, &arena);
  }
  status = status == PK_OK ? pki_code_check(b->options.sim.code, model, b->lanes, err) : status;
  for (int t = 0; status == PK_OK && t < b->threads; t++) {
    status = create_thread_context(b, &b->contexts[t], err);
  }
  if (status == PK_OK) {
    const int room = pk_sim_max_contacts(b->contexts[0].sim);
    b->options.sim.max_contacts = room;
    b->options.keep =
        b->options.keep > PKI_BALLS ? b->options.keep : PKI_BALLS; /* lanes are not choosy then */
    b->options.keep = b->options.keep < room ? b->options.keep : room;
    b->joints = b->contexts[0].sim->joints.n, b->late_room = b->contexts[0].sim->late_room;
    pki_lay_out_worlds(b);
    b->blocks = pki_aligned_alloc((size_t)b->count * b->stride);
    status = b->blocks != NULL ? PK_OK : PK_ERROR_MEMORY;
  }
  if (status == PK_OK) {
    memset(b->blocks, 0, (size_t)b->count * b->stride);
    for (int k = 0; k < b->count; k++) {
      pki_batch_begin(b, k);
    }
    pki_batch_plan(b);
    *out = b;
    return PK_OK;
  }
  pk_batch_destroy(b);
  return status == PK_ERROR_MEMORY ? pki_fail(err, status, (pki_where){0}, "out of memory for %d worlds",
                                              options != NULL ? options->worlds : 1)
                                   : status;
}

void pk_batch_destroy(pk_batch *b)
{
  if (b == NULL) {
    return;
  }
  for (int t = 0; b->contexts != NULL && t < b->threads; t++) {
    pk_sim_destroy(b->contexts[t].sim);
    pki_aligned_free(b->contexts[t].memory);
  }
  pki_aligned_free(b->contexts);
  pki_aligned_free(b->plan_memory);
  pki_aligned_free(b->blocks);
  pki_aligned_free(b->control);
  free(b);
}

/* ---- what all worlds share ---- */

/* The ground of all contexts has changed: contacts with the old one are forgotten. */
static void change_ground(pk_batch *b)
{
  for (int k = 0; k < b->count; k++) {
    pki_bind_world(b, &b->contexts[0], k);
    pki_memory_forget_impulses(b->contexts[0].sim);
    pki_release_world(b, &b->contexts[0], k);
  }
  pki_batch_plan(b);
}

pk_status pk_batch_set_terrain(pk_batch *b, const pk_terrain *terrain, const pk_material *materials,
                               int count, pk_error *err)
{
  pk_status status = PK_OK;
  for (int t = 0; t < b->threads && status == PK_OK; t++) {
    status = pk_sim_set_terrain(b->contexts[t].sim, terrain, materials, count, err);
  }
  if (status == PK_OK) {
    change_ground(b);
  }
  return status;
}

pk_status pk_batch_set_like(pk_batch *b, const pk_sim *sim, pk_error *err)
{
  pk_status status = PK_OK;
  for (int t = 0; t < b->threads && status == PK_OK; t++) {
    status = pk_sim_set_like(b->contexts[t].sim, sim, err);
  }
  if (status == PK_OK) {
    change_ground(b);
  }
  return status;
}

pk_status pk_batch_set_controller(pk_batch *b, const pk_controller *controller, pk_error *err)
{
  const size_t asked = controller != NULL ? controller->state_size : 0, worlds = (size_t)b->count;
  const bool fits = asked <= (SIZE_MAX - PKI_ALIGN) / worlds - PKI_ALIGN;
  const size_t size = fits ? (asked + PKI_ALIGN - 1) / PKI_ALIGN * PKI_ALIGN : 0;
  unsigned char *control = size > 0 ? pki_aligned_alloc(worlds * size) : NULL;
  if (asked > 0 && control == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory for the controllers of %d worlds",
                    b->count);
  }
  for (int t = 0; t < b->threads; t++) {
    pk_sim *sim = b->contexts[t].sim;
    const pk_status status = pk_sim_set_controller(sim, controller, err);
    if (status != PK_OK) {
      pki_aligned_free(control);
      return status; /* it refuses the first already */
    }
    pki_aligned_free(sim->control.state); /* worlds have their own */
    sim->control.state = NULL;
  }
  pki_aligned_free(b->control);
  b->control = control;
  b->control_stride = size;
  for (int k = 0; k < b->count; k++) {
    pki_bind_world(b, &b->contexts[0], k);
    pki_control_reset(b->contexts[0].sim);
    pki_release_world(b, &b->contexts[0], k);
  }
  return PK_OK;
}

void pk_batch_set_callback(pk_batch *b, pk_batch_callback call, void *user)
{
  b->call = call;
  b->user = user;
}

/* ---- figures ---- */

int pk_batch_worlds(const pk_batch *b)
{
  return b->count;
}

int pk_batch_lanes(const pk_batch *b)
{
  return b->lanes;
}

int pk_batch_threads(const pk_batch *b)
{
  return b->threads;
}

int pk_batch_keep(const pk_batch *b)
{
  return b->options.keep;
}

const pk_model *pk_batch_model(const pk_batch *b)
{
  return b->model;
}

pk_sim_options pk_batch_sim_options(const pk_batch *b)
{
  return b->options.sim;
}

size_t pk_batch_world_bytes(const pk_batch *b)
{
  return b->stride + b->control_stride;
}

size_t pk_batch_shared_bytes(const pk_batch *b)
{
  pki_thread_context count = {.sim = NULL};
  pki_arena arena = pki_arena_over(NULL, 0);
  const size_t group = carve_group(&count, b, &arena);
  return sizeof *b + (size_t)b->threads * (pk_sim_memsize(b->model, &b->options.sim) + group + sizeof count);
}
