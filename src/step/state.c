/* All that the next step depends on, as bytes:
 *
 *   header | arrays of doubles | limited joints | contacts | springs | the controller's block
 *
 * Everything has its place from the world alone (room for max_contacts), so that nothing in the bytes says where to
 * write: the two counts in the header are checked against that room. What a step computes anew (workspace, rows,
 * searches) is not here. Room that is not used is zero: equal states are equal bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "collision/terrain.h"
#include "step/contact.h"

enum { FORMAT = 5, NAME = 64, OPTIONS = 48, ARRAYS = 11 };

static const char magic[8] = {'P', 'K', 'S', 'T', 'A', 'T', 'E', '\n'};
static const int64_t most_steps = INT64_C(1) << 52; /* time is still exact */

typedef struct header {
  char magic[8];
  uint64_t format, size;   /* size: of all bytes */
  uint64_t model, shapes;  /* hashes: dynamics, what collides */
  double options[OPTIONS]; /* as numbers, in the order of their fields */
  char controller[NAME];   /* "": nobody */
  uint64_t controller_size;
  int64_t steps;
  double ark_step;
  int32_t nlast, nspring;
  int32_t pushed, nmemory;
  int64_t uncertified;
} header;

typedef struct saved_contact {
  int32_t geom[2];
  uint32_t id;
  int32_t sticks;
  double r[3], gap, point[3], normal[3], tangent1[3], tangent2[3];
} saved_contact;

typedef struct saved_spring {
  int32_t geom[2];
  uint32_t id;
  int32_t slip;
  double anchor[3], point[3], way[3];
} saved_spring;

_Static_assert(sizeof(header) % 8 == 0 && sizeof(saved_contact) == 144 && sizeof(saved_spring) == 88,
               "saved structs have no holes");

/* ---- where everything is ---- */

typedef struct array {
  double *at;
  size_t n;
} array;

typedef struct places {
  array arrays[ARRAYS];
  size_t queue, limited, contacts, springs, memory, block, size; /* bytes from the start */
} places;

static size_t padded(size_t size)
{
  return (size + 7) / 8 * 8;
}

static places places_of(const pk_sim *sim)
{
  const pk_model *m = sim->model;
  const size_t nu = (size_t)m->nu, joints = (size_t)sim->joints.n, real = sizeof(double);
  const size_t most = (size_t)sim->options.max_contacts, per_command = sizeof(pk_command) / real;
  const pk_controller *by = sim->control.by;
  places p = {
      .arrays = {{sim->q, (size_t)m->nq},
                 {sim->u, nu},
                 {sim->carry_q, nu},
                 {sim->carry_u, nu},
                 {(double *)(void *)sim->commands, per_command * joints},
                 {sim->tau, joints},
                 {sim->pushes, 6 * (size_t)m->nbody},
                 {sim->joints.drives, (size_t)m->ndrive},
                 {sim->contact.last_joint, PKI_JOINT_ROWS * joints},
                 {sim->contact.last_bilateral, (size_t)m->nbilateral},
                 {(double *)(void *)sim->latency.queue, per_command * joints * (size_t)sim->latency.room}}};
  p.limited = sizeof(header);
  for (int i = 0; i < ARRAYS; i++) {
    p.queue = p.limited; /* the last of them */
    p.limited += p.arrays[i].n * real;
  }
  p.contacts = p.limited + padded(joints);
  p.springs = p.contacts + most * sizeof(saved_contact);
  p.memory = p.springs + most * sizeof(saved_spring);
  p.block = p.memory + most * PKI_MEMORY_INTS * sizeof(int32_t);
  p.size = p.block + padded(by != NULL ? by->state_size : 0);
  return p;
}

size_t pk_sim_state_size(const pk_sim *sim)
{
  return places_of(sim).size;
}

/* ---- out ---- */

static header header_of(const pk_sim *sim, size_t size)
{
  const pki_sim_contact *c = &sim->contact;
  const pk_controller *by = sim->control.by;
  header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  h.format = FORMAT;
  h.size = size;
  h.model = pk_model_hash(sim->model);
  h.shapes = pki_colliders_hash(&c->colliders);
  PK_ASSERT(pki_sim_field_count <= OPTIONS);
  for (int i = 0; i < pki_sim_field_count; i++) {
    h.options[i] = pki_field_get(&pki_sim_fields[i], &sim->options, 0);
  }
  if (by != NULL) {
    snprintf(h.controller, sizeof h.controller, "%s", by->name != NULL ? by->name : "");
    h.controller_size = by->state_size;
  }
  h.steps = sim->steps;
  h.ark_step = pki_ark_get_step(sim);
  h.nlast = c->nlast;
  h.nspring = c->nspring;
  h.pushed = sim->pushed;
  h.uncertified = sim->uncertified;
  h.nmemory = c->colliders.nmemory;
  return h;
}

static saved_contact save_contact(const pki_sim_contact *c, int i, bool hard)
{
  const pki_contact *f = &c->last[i];
  saved_contact s = {.geom = {f->geom[0], f->geom[1]}, .id = f->id, .gap = f->gap};
  s.sticks = hard && c->last_sticks[i]; /* compliant contacts do not tell */
  memcpy(s.r, c->last_r + 3 * i, sizeof s.r);
  memcpy(s.point, f->point, sizeof s.point);
  memcpy(s.normal, f->normal, sizeof s.normal);
  memcpy(s.tangent1, f->tangent1, sizeof s.tangent1);
  memcpy(s.tangent2, f->tangent2, sizeof s.tangent2);
  return s;
}

static saved_spring save_spring(const pki_spring *from)
{
  saved_spring s = {.geom = {from->geom[0], from->geom[1]}, .id = from->id, .slip = from->slip};
  memcpy(s.anchor, from->anchor, sizeof s.anchor);
  memcpy(s.point, from->point, sizeof s.point);
  memcpy(s.way, from->way, sizeof s.way);
  return s;
}

void pk_sim_get_state(const pk_sim *sim, void *state)
{
  const places p = places_of(sim);
  const pki_sim_contact *c = &sim->contact;
  const header h = header_of(sim, p.size);
  unsigned char *out = state, *at = out + sizeof h;
  memset(out, 0, p.size);
  memcpy(out, &h, sizeof h);
  for (int i = 0; i < ARRAYS; i++) {
    memcpy(at, p.arrays[i].at, p.arrays[i].n * sizeof(double));
    at += p.arrays[i].n * sizeof(double);
  }
  for (int k = 0; k < sim->joints.n; k++) {
    out[p.limited + (size_t)k] = c->limited[k];
  }
  for (int i = 0; i < c->nlast; i++) {
    const saved_contact s = save_contact(c, i, pki_laws[sim->options.law].force == NULL);
    memcpy(out + p.contacts + (size_t)i * sizeof s, &s, sizeof s);
  }
  for (int i = 0; i < c->nspring; i++) {
    const saved_spring s = save_spring(&c->springs[i]);
    memcpy(out + p.springs + (size_t)i * sizeof s, &s, sizeof s);
  }
  for (int i = 0; i < h.nmemory; i++) {
    int32_t m[PKI_MEMORY_INTS];
    pki_colliders_save(&c->colliders, i, m);
    memcpy(out + p.memory + (size_t)i * sizeof m, m, sizeof m);
  }
  if (h.controller_size > 0) {
    memcpy(out + p.block, sim->control.state, h.controller_size);
  }
}

/* ---- does it fit ---- */

static const pki_where where = {.field = "state"};

/* Bytes that are no state, or of which a part is missing. */
static pk_status check_shape(const header *h, size_t size, pk_error *err)
{
  if (memcmp(h->magic, magic, sizeof magic) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "these bytes are no state of a world");
  }
  if (h->format != FORMAT) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state has the format %llu, this build reads %d: it was saved by another version",
                    (unsigned long long)h->format, FORMAT);
  }
  if (h->size != size) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "this state has %zu bytes, but says that it has %llu", size,
                    (unsigned long long)h->size);
  }
  return PK_OK;
}

/* An option as people write it. */
static void write_option(const pk_field *f, double value, char *out, size_t room)
{
  if (f->words != NULL && value >= 0 && value <= f->most) {
    snprintf(out, room, "%s", f->words[(int)value]);
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
  for (int i = 0; i < pki_sim_field_count; i++) {
    const pk_field *f = &pki_sim_fields[i];
    if (f->offset != offsetof(pk_sim_options, timing) && h->options[i] != mine->options[i]) {
      char found[40], expected[40];
      write_option(f, h->options[i], found, sizeof found);
      write_option(f, mine->options[i], expected, sizeof expected);
      return pki_fail(err, PK_ERROR_ARGUMENT, where,
                      "this state was saved with the option %s %s, this world has %s", f->name, found,
                      expected);
    }
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

static pk_status damaged(pk_error *err, const char *what)
{
  return pki_fail(err, PK_ERROR_SYNTAX, where, "this state is damaged: %s out of range", what);
}

/* Partners of a contact that this world knows. */
static pk_status check_partners(const pk_sim *sim, const int32_t geom[2], pk_error *err)
{
  const pk_terrain *t = sim->contact.terrain;
  const pk_model_shape *shapes = sim->model->shapes;
  const int nshape = sim->model->nshape, solid = geom[1] - nshape;
  if (geom[0] < 0 || geom[0] >= nshape || shapes[geom[0]].body < 0 || geom[1] < 0) {
    return damaged(err, "a contact is");
  }
  if (solid < 0) { /* two shapes of the model */
    return shapes[geom[1]].body != shapes[geom[0]].body ? PK_OK : damaged(err, "a contact is");
  }
  if (t == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, where,
                    "this state has contacts, but this world has no ground: set the terrain first");
  }
  return solid < t->nsolid
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, where,
                        "this state touches solid %d of the ground, but this world's has %d (counted from 0)",
                        solid, t->nsolid);
}

static pk_status check_contacts(const pk_sim *sim, const header *h, const unsigned char *in, const places *p,
                                pk_error *err)
{
  pk_status status = PK_OK;
  for (int i = 0; i < h->nlast && status == PK_OK; i++) {
    saved_contact s;
    memcpy(&s, in + p->contacts + (size_t)i * sizeof s, sizeof s);
    status = check_partners(sim, s.geom, err);
    if (status == PK_OK && s.sticks != 0 && s.sticks != 1) {
      status = damaged(err, "a contact is");
    }
  }
  for (int i = 0; i < h->nspring && status == PK_OK; i++) {
    saved_spring s;
    memcpy(&s, in + p->springs + (size_t)i * sizeof s, sizeof s);
    status = check_partners(sim, s.geom, err);
    if (status == PK_OK && s.slip != 0 && s.slip != 1) {
      status = damaged(err, "a spring is");
    }
  }
  return status;
}

static pk_status check_numbers(const pk_sim *sim, const header *h, const unsigned char *in, const places *p,
                               pk_error *err)
{
  const int most = sim->options.max_contacts;
  if (h->steps < 0 || h->steps > most_steps) {
    return damaged(err, "the number of steps is");
  }
  if (!isfinite(h->ark_step) || h->ark_step < 0) {
    return damaged(err, "the internal step is");
  }
  if (h->nlast < 0 || h->nlast > most || h->nspring < 0 || h->nspring > most || h->nmemory < 0 ||
      h->nmemory > most) {
    return damaged(err, "the number of contacts is");
  }
  if (h->uncertified < 0 || h->uncertified > h->steps) {
    return damaged(err, "the number of uncertified steps is");
  }
  if (h->pushed != 0 && h->pushed != 1) {
    return damaged(err, "the pushes are");
  }
  for (int i = 0; i < sim->latency.room * sim->joints.n; i++) {
    pk_command c;
    memcpy(&c, in + p->queue + (size_t)i * sizeof c, sizeof c);
    if (pki_check_command(&c) != PK_OK) {
      return damaged(err, "a command on its way is");
    }
  }
  for (int k = 0; k < sim->joints.n; k++) {
    if (in[p->limited + (size_t)k] > 1) {
      return damaged(err, "a torque limit is");
    }
  }
  for (int i = 0, last[2] = {-1, -1}; i < h->nmemory; i++) {
    int32_t m[PKI_MEMORY_INTS];
    memcpy(m, in + p->memory + (size_t)i * sizeof m, sizeof m);
    if (!pki_colliders_check(&sim->contact.colliders, m, last)) {
      return damaged(err, "what a pair of shapes remembers is");
    }
  }
  return check_contacts(sim, h, in, p, err);
}

static pk_status check_state(const pk_sim *sim, const header *h, const unsigned char *in, const places *p,
                             size_t size, pk_error *err)
{
  const header mine = header_of(sim, p->size);
  pk_status status = check_shape(h, size, err);
  status = status == PK_OK ? check_world(h, &mine, err) : status;
  status = status == PK_OK ? check_controller(h, &mine, err) : status;
  if (status == PK_OK && size != p->size) {
    status = pki_fail(err, PK_ERROR_SYNTAX, where, "this state has %zu bytes, expected %zu", size, p->size);
  }
  return status == PK_OK ? check_numbers(sim, h, in, p, err) : status;
}

/* ---- in ---- */

static void load_contact(pki_sim_contact *c, const pk_model *m, int i, const saved_contact *s)
{
  pki_contact *f = &c->last[i];
  const int solid = s->geom[1] - m->nshape;
  *f = (pki_contact){.geom = {s->geom[0], s->geom[1]},
                     .id = s->id,
                     .body = m->shapes[s->geom[0]].body,
                     .other = solid < 0 ? m->shapes[s->geom[1]].body : -1,
                     .material = solid < 0 ? -1 : c->terrain->solids[solid].material,
                     .gap = s->gap};
  memcpy(f->point, s->point, sizeof f->point);
  memcpy(f->normal, s->normal, sizeof f->normal);
  memcpy(f->tangent1, s->tangent1, sizeof f->tangent1);
  memcpy(f->tangent2, s->tangent2, sizeof f->tangent2);
  memcpy(c->last_r + 3 * i, s->r, sizeof s->r);
  c->last_sticks[i] = s->sticks != 0;
}

static void load_spring(pki_spring *to, const saved_spring *s)
{
  *to = (pki_spring){.geom = {s->geom[0], s->geom[1]}, .id = s->id, .slip = s->slip != 0};
  memcpy(to->anchor, s->anchor, sizeof to->anchor);
  memcpy(to->point, s->point, sizeof to->point);
  memcpy(to->way, s->way, sizeof to->way);
}

static void load_contacts(pki_sim_contact *c, const pk_model *m, const header *h, const unsigned char *in,
                          const places *p)
{
  c->nlast = h->nlast;
  c->nspring = h->nspring;
  c->nspring_next = 0;
  for (int i = 0; i < c->nlast; i++) {
    saved_contact s;
    memcpy(&s, in + p->contacts + (size_t)i * sizeof s, sizeof s);
    load_contact(c, m, i, &s);
  }
  for (int i = 0; i < c->nspring; i++) {
    saved_spring s;
    memcpy(&s, in + p->springs + (size_t)i * sizeof s, sizeof s);
    load_spring(&c->springs[i], &s);
  }
}

pk_status pk_sim_set_state(pk_sim *sim, const void *state, size_t size, pk_error *err)
{
  const places p = places_of(sim);
  const unsigned char *in = state, *at = in + sizeof(header);
  header h;
  if (size < sizeof h) {
    return pki_fail(err, PK_ERROR_SYNTAX, where, "these %zu bytes are no state of a world, expected %zu",
                    size, p.size);
  }
  memcpy(&h, in, sizeof h);
  const pk_status status = check_state(sim, &h, in, &p, size, err);
  if (status != PK_OK) {
    return status;
  }
  for (int i = 0; i < ARRAYS; i++) {
    memcpy(p.arrays[i].at, at, p.arrays[i].n * sizeof(double));
    at += p.arrays[i].n * sizeof(double);
  }
  for (int k = 0; k < sim->joints.n; k++) {
    sim->contact.limited[k] = in[p.limited + (size_t)k] != 0;
  }
  load_contacts(&sim->contact, sim->model, &h, in, &p);
  pki_colliders_forget(&sim->contact.colliders);
  for (int i = 0; i < h.nmemory; i++) {
    int32_t m[PKI_MEMORY_INTS];
    memcpy(m, in + p.memory + (size_t)i * sizeof m, sizeof m);
    pki_colliders_load(&sim->contact.colliders, i, m);
  }
  sim->steps = h.steps;
  sim->pushed = h.pushed != 0;
  sim->uncertified = h.uncertified;
  pki_ark_set_step(sim, h.ark_step);
  if (h.controller_size > 0) {
    memcpy(sim->control.state, in + p.block, h.controller_size);
  }
  return PK_OK;
}
