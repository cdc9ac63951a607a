/* All that the next step depends on, as bytes:
 *
 *   header | arrays of the memory table (memory.h) | what pairs of shapes remember | the controller's block
 *
 * Everything has its place from the world and the room for contacts that the header names, which is checked: nothing else in the
 * bytes says where to write, and the counts in the header are checked against that room. What a step computes anew (workspace, rows,
 * searches) is not here. Room that is not used is zero: equal states are equal bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sense/sensing.h"
#include "sim/grow.h"
#include "sim/memory.h"
#include "step/contact.h"
#include "step/soft.h"

enum { FORMAT = 9, NAME = 64, OPTIONS = 48 };

static const char magic[8] = {'P', 'K', 'S', 'T', 'A', 'T', 'E', '\n'};
static const int64_t most_steps = INT64_C(1) << 52; /* time is still exact */

typedef struct header {
  char magic[8];
  uint64_t format, size;   /* size: of all bytes */
  uint64_t model, shapes;  /* hashes: dynamics, what collides */
  uint64_t actuation;      /* and actuators; 0: none */
  double options[OPTIONS]; /* as numbers, in the order of their fields */
  char controller[NAME];   /* "": nobody */
  uint64_t controller_size;
  int64_t steps;
  double ark_step;
  int32_t nlast, nspring;
  int32_t pushed, nmemory;
  int64_t uncertified;
  int64_t room;     /* for contacts, of the world that was saved */
  uint64_t sensing; /* a hash of its sensors, 0: none */
  uint64_t stream;
} header;

_Static_assert(sizeof(header) % 8 == 0 && sizeof(pki_contact) == 6 * sizeof(int) + 16 * sizeof(double) &&
                   sizeof(pki_spring) == 4 * sizeof(int) + 10 * sizeof(double),
               "saved structs have no holes");

/* ---- where everything is ---- */

typedef struct places {
  size_t row[PKI_MEMORY_ROWS], memory, block, size; /* bytes from the start */
} places;

static size_t pad_to_word(size_t size)
{
  return (size + 7) / 8 * 8;
}

/* A row that is part of the state. */
static bool is_saved(int row)
{
  return pki_memory[row].role != PKI_ROLE_PARAMETER;
}

static places places_of(const pk_sim *sim, int room)
{
  const pk_controller *by = sim->control.by;
  const size_t most = (size_t)room;
  pk_sim_options options = sim->options;
  options.max_contacts = room;
  places p = {.memory = sizeof(header)};
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    p.row[row] = p.memory;
    p.memory +=
        is_saved(row) ? pad_to_word(pki_memory[row].room(sim->model, &options) * pki_memory[row].size) : 0;
  }
  p.block = p.memory + most * PKI_MEMORY_INTS * sizeof(int32_t);
  p.size = p.block + pad_to_word(by != NULL ? by->state_size : 0);
  return p;
}

size_t pk_sim_state_size(const pk_sim *sim)
{
  return places_of(sim, sim->options.max_contacts).size;
}

/* ---- out ---- */

static header header_of(const pk_sim *sim, size_t size)
{
  const pki_numbers *n = &sim->state.n;
  const pk_controller *by = sim->control.by;
  header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  h.format = FORMAT;
  h.size = size;
  h.model = pk_model_hash(sim->model);
  h.shapes = pki_colliders_hash(&sim->scene.colliders);
  h.actuation = sim->options.actuation != NULL ? sim->options.actuation->hash : 0;
  PK_ASSERT(pki_sim_field_count <= OPTIONS);
  for (int i = 0; i < pki_sim_field_count; i++) {
    h.options[i] = pki_field_get(&pki_sim_fields[i], &sim->options, 0);
  }
  if (by != NULL) {
    snprintf(h.controller, sizeof h.controller, "%s", by->name != NULL ? by->name : "");
    h.controller_size = by->state_size;
  }
  h.steps = n->steps;
  h.ark_step = pki_ark_get_step(sim);
  h.nlast = n->nlast;
  h.nspring = n->nspring;
  h.pushed = n->pushed;
  h.uncertified = n->uncertified;
  h.nmemory = sim->scene.colliders.nmemory;
  h.room = sim->options.max_contacts;
  h.sensing = sim->options.sensing != NULL ? sim->options.sensing->shape ^ (uint64_t)sim->options.sees : 0;
  h.stream = n->stream;
  return h;
}

void pk_sim_get_state(const pk_sim *sim, void *state)
{
  const places p = places_of(sim, sim->options.max_contacts);
  const header h = header_of(sim, p.size);
  unsigned char *out = state;
  memset(out, 0, p.size);
  memcpy(out, &h, sizeof h);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const size_t bytes = is_saved(row) ? pki_memory_used(sim, row) * pki_memory[row].size : 0;
    if (bytes > 0) {
      memcpy(out + p.row[row], pki_memory_array(sim, row), bytes);
    }
  }
  for (int i = 0; i < h.nmemory; i++) {
    int32_t m[PKI_MEMORY_INTS];
    pki_colliders_save(&sim->scene.colliders, i, m);
    memcpy(out + p.memory + (size_t)i * sizeof m, m, sizeof m);
  }
  if (h.controller_size > 0) {
    memcpy(out + p.block, sim->control.state, h.controller_size);
  }
}

/* ---- does it fit ---- */

static const pki_where where = {.field = "state"};

/* Bytes that are no state, or of which a part is missing. A state may be shorter than those of a world whose room has grown
 * since, `now`. */
static pk_status check_shape(const header *h, size_t size, size_t now, pk_error *err)
{
  if (memcmp(h->magic, magic, sizeof magic) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "these bytes are no state of a world");
  }
  if (h->format != FORMAT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state has the format %llu, this build reads %d: it was saved by another version",
                    (unsigned long long)h->format, FORMAT);
  }
  if (h->size != size && !(size == now && h->size < size)) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "this state has %zu bytes, but says that it has %llu", size,
                    (unsigned long long)h->size);
  }
  return PK_OK;
}

/* An option as people write it. */
static void write_option(const pk_field *f, double value, char *out, size_t room)
{
  const char *word = value >= 0 && value < pki_field_word_count(f) ? pki_field_word(f, (int)value) : NULL;
  if (word != NULL) {
    snprintf(out, room, "%s", word);
  } else {
    snprintf(out, room, "%.17g", value);
  }
}

/* The state's model and options against the world's. */
static pk_status check_world(const header *h, const header *mine, pk_error *err)
{
  if (h->model != mine->model || h->shapes != mine->shapes) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state is of another model: its hash is %016llx (collision shapes %016llx), the "
                    "world's is %016llx (%016llx)",
                    (unsigned long long)h->model, (unsigned long long)h->shapes,
                    (unsigned long long)mine->model, (unsigned long long)mine->shapes);
  }
  if (h->actuation != mine->actuation) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state was saved with other actuators (hash %016llx) than this world has (%016llx)",
                    (unsigned long long)h->actuation, (unsigned long long)mine->actuation);
  }
  for (int i = 0; i < pki_sim_field_count; i++) {
    const pk_field *f = &pki_sim_fields[i];
    if (f->offset != offsetof(pk_sim_options, timing) && f->offset != offsetof(pk_sim_options, threads) &&
        f->offset != offsetof(pk_sim_options, max_contacts) && h->options[i] != mine->options[i]) {
      char found[40], expected[40];
      write_option(f, h->options[i], found, sizeof found);
      write_option(f, mine->options[i], expected, sizeof expected);
      return pki_fail(err, PK_ERROR_ARGUMENT, where,
                      "this state was saved with the option %s %s, this world has %s", f->name, found,
                      expected);
    }
  }
  if (h->sensing != mine->sensing) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state was saved with other sensors than this world's, or with none");
  }
  return PK_OK;
}

static pk_status check_controller(const header *h, const header *mine, pk_error *err)
{
  if (memcmp(h->controller, mine->controller, NAME) != 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state has %s%.63s%s, this world has %s%.63s%s: set the controller before the state",
                    h->controller[0] ? "the controller \"" : "no controller", h->controller,
                    h->controller[0] ? "\"" : "", mine->controller[0] ? "\"" : "none", mine->controller,
                    mine->controller[0] ? "\"" : "");
  }
  if (h->controller_size != mine->controller_size) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "the controller \"%.63s\" of this state remembers %llu bytes, this world's %llu",
                    mine->controller, (unsigned long long)h->controller_size,
                    (unsigned long long)mine->controller_size);
  }
  return PK_OK;
}

static pk_status report_damaged_state(pk_error *err, const char *what)
{
  return pki_fail(err, PK_ERROR_SYNTAX, where, "this state is damaged: %s out of range", what);
}

/* Numbers of the header; its room is in range. */
static pk_status check_numbers(const pk_sim *sim, const header *h, pk_error *err)
{
  const int most = (int)h->room;
  pk_sim_options options = sim->options;
  options.max_contacts = most;
  if (h->steps < 0 || h->steps > most_steps) {
    return report_damaged_state(err, "the number of steps is");
  }
  if (!isfinite(h->ark_step) || h->ark_step < 0) {
    return report_damaged_state(err, "the internal step is");
  }
  const size_t springs = pki_memory[PKI_MEMORY_SPRINGS].room(sim->model, &options);
  if (h->nlast < 0 || h->nlast > most || h->nspring < 0 || (size_t)h->nspring > springs || h->nmemory < 0 ||
      h->nmemory > most) {
    return report_damaged_state(err, "the number of contacts is");
  }
  if (h->uncertified < 0 || h->uncertified > h->steps) {
    return report_damaged_state(err, "the number of uncertified steps is");
  }
  return h->pushed != 0 && h->pushed != 1 ? report_damaged_state(err, "the pushes are") : PK_OK;
}

/* The numbers that the bytes hold. */
static pki_numbers numbers_of(const header *h)
{
  return (pki_numbers){.steps = h->steps,
                       .uncertified = h->uncertified,
                       .nlast = h->nlast,
                       .nspring = h->nspring,
                       .pushed = h->pushed != 0,
                       .stream = h->stream};
}

static pk_status check_arrays(const pk_sim *sim, const header *h, const unsigned char *in, const places *p,
                              pk_error *err)
{
  const pki_numbers numbers = numbers_of(h);
  pk_status status = PK_OK;
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const pki_memory_row *r = &pki_memory[row];
    const size_t n = is_saved(row) && r->check != NULL ? pki_memory_count(sim, &numbers, row) : 0;
    for (size_t i = 0; i < n && status == PK_OK; i++) {
      status = r->check(sim, in + p->row[row] + i * r->size, err);
    }
  }
  for (int i = 0, last[2] = {-1, -1}; i < h->nmemory && status == PK_OK; i++) {
    int32_t m[PKI_MEMORY_INTS];
    memcpy(m, in + p->memory + (size_t)i * sizeof m, sizeof m);
    status = pki_colliders_check(&sim->scene.colliders, m, last)
                 ? PK_OK
                 : report_damaged_state(err, "what a pair of shapes remembers is");
  }
  return status;
}

static pk_status check_state(const pk_sim *sim, const header *h, const unsigned char *in, size_t size,
                             pk_error *err)
{
  enum { MOST = 100000 }; /* of the option max_contacts */
  const size_t now = pk_sim_state_size(sim);
  const header mine = header_of(sim, now);
  pk_status status = check_shape(h, size, now, err);
  status = status == PK_OK ? check_world(h, &mine, err) : status;
  status = status == PK_OK ? check_controller(h, &mine, err) : status;
  if (status == PK_OK && (h->room < 1 || h->room > MOST)) {
    status = report_damaged_state(err, "the room for contacts is");
  }
  if (status != PK_OK) {
    return status;
  }
  const places p = places_of(sim, (int)h->room);
  if (h->size != p.size) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "this state has %llu bytes, expected %zu",
                    (unsigned long long)h->size, p.size);
  }
  status = check_numbers(sim, h, err);
  return status == PK_OK ? check_arrays(sim, h, in, &p, err) : status;
}

/* Room for what the state holds. */
static pk_status make_room(pk_sim *sim, const header *h, pk_error *err)
{
  int most = h->nlast > h->nspring ? h->nlast : h->nspring;
  most = most > h->nmemory ? most : h->nmemory;
  if (most <= sim->options.max_contacts || pki_room_grow(sim, (int)h->room)) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_LIMIT, where,
                  "this state has %d contacts, this world has room for %d: raise max_contacts", most,
                  sim->options.max_contacts);
}

/* ---- in ---- */

pk_status pk_sim_set_state(pk_sim *sim, const void *state, size_t size, pk_error *err)
{
  const unsigned char *in = state;
  header h;
  if (size < sizeof h) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "these %zu bytes are no state of a world, expected %zu",
                    size, pk_sim_state_size(sim));
  }
  memcpy(&h, in, sizeof h);
  pk_status status = check_state(sim, &h, in, size, err);
  status = status == PK_OK ? make_room(sim, &h, err) : status;
  if (status != PK_OK) {
    return status;
  }
  const places p = places_of(sim, (int)h.room);
  sim->past.known = false;
  sim->state.n = numbers_of(&h);
  for (int row = 0; row < PKI_MEMORY_ROWS; row++) {
    const size_t bytes = is_saved(row) ? pki_memory_used(sim, row) * pki_memory[row].size : 0;
    if (bytes > 0) {
      memcpy(pki_memory_array(sim, row), in + p.row[row], bytes);
    }
    if (pki_memory[row].settle != NULL) {
      pki_memory[row].settle(sim);
    }
  }
  pki_soft_forget(sim);
  pki_colliders_forget(&sim->scene.colliders);
  for (int i = 0; i < h.nmemory; i++) {
    int32_t m[PKI_MEMORY_INTS];
    memcpy(m, in + p.memory + (size_t)i * sizeof m, sizeof m);
    pki_colliders_load(&sim->scene.colliders, i, m);
  }
  pki_ark_set_step(sim, h.ark_step);
  if (h.controller_size > 0) {
    memcpy(sim->control.state, in + p.block, h.controller_size);
  }
  return PK_OK;
}
