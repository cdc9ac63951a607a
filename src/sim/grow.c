#include "sim/grow.h"

#include <string.h>

#include "sim/memory.h"
#include "step/contact.h"

void pki_room_carve(pk_sim *sim, const pk_model *model, const pk_sim_options *options, pki_arena *arena)
{
  pki_memory_carve(sim, model, options, true, arena);
  sim->control.contacts = pki_arena_take(arena, (size_t)options->max_contacts, sizeof *sim->control.contacts);
  pki_colliders_carve_memory(&sim->scene.colliders, options->max_contacts, arena);
  pki_sim_contact_carve(&sim->contact, model, options, arena);
}

/* What the law allows of `wanted` contacts. */
static int allowed_room(const pk_sim *sim, int wanted)
{
  enum { MOST = 100000 }; /* of the option */
  pk_sim_options o = sim->options;
  o.max_contacts = wanted < MOST ? wanted : MOST;
  const int room = pki_laws[o.law]->room != NULL ? pki_laws[o.law]->room(sim->model, &o) : 0;
  return room > 0 && room < o.max_contacts ? room : o.max_contacts;
}

/* The sim with its arrays in a new block; what is in use of the old ones is copied. */
static pk_sim move_to(const pk_sim *sim, const pk_sim_options *options, pki_arena *arena)
{
  pk_sim made = *sim;
  const pki_colliders *from = &sim->scene.colliders;
  pki_colliders *to = &made.scene.colliders;
  pki_room_carve(&made, sim->model, options, arena);
  made.options = *options;
  made.contact.observer = sim->contact.observer;
  made.single.stale = true;
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const size_t bytes = pki_memory_grows(row) ? pki_memory_used(sim, row) * pki_memory[row].size : 0;
    if (bytes > 0) {
      memcpy(pki_memory_array(&made, row), pki_memory_array(sim, row), bytes);
    }
  }
  memcpy(to->memory, from->memory, (size_t)from->nmemory * sizeof *to->memory);
  return made;
}

bool pki_room_grow(pk_sim *sim, int wanted)
{
  pk_sim_options options = sim->options;
  options.max_contacts = allowed_room(sim, wanted);
  if (!sim->grows || options.max_contacts <= sim->options.max_contacts) {
    return false;
  }
  pk_sim count = *sim;
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_room_carve(&count, sim->model, &options, &arena);
  const size_t size = arena.used;
  void *const block = pki_aligned_alloc(size);
  if (block == NULL || arena.overflow) {
    pki_aligned_free(block);
    return false;
  }
  arena = pki_arena_over(block, size);
  pk_sim made = move_to(sim, &options, &arena);
  PK_ASSERT(arena.used == arena.size);
  if (!pki_colliders_grow(&made.scene.colliders)) {
    pki_aligned_free(block);
    return false;
  }
  pki_aligned_free(sim->grown);
  made.grown = block;
  *sim = made;
  return true;
}
