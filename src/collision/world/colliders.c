#include "collision/world/colliders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "collision/ground/terrain.h"
#include "collision/world/forms.h"
#include "math/mat3.h"
#include "model/mesh.h"

enum { FEW = 64, PAIRS_EACH = 64, PAIRS_MORE = 4096, PAIRS_CONTACT = 16 };

/* ---- shapes made ready ---- */

/* Shapes to look at never collide, nor do those whose mesh was not read. */
static bool shape_collides(const pk_model *m, const pk_model_shape *s)
{
  return !s->visual && (!pki_shape_has_mesh(s->kind) || (s->mesh >= 0 && m->meshes[s->mesh].nvertex > 0));
}

/* The geometry of an earlier shape that is the same: by its mesh, or the last one by its size. */
static const pk_geometry *same_as(const pk_model *m, const pki_geometries *g, int i,
                                  pk_geometry *const *by_mesh)
{
  const pk_model_shape *s = &m->shapes[i];
  if (pki_shape_has_mesh(s->kind)) {
    return by_mesh[2 * s->mesh + (s->kind == PK_SHAPE_CONVEX)];
  }
  if (s->kind == PK_SHAPE_HEIGHTS) {
    return NULL;
  }
  const pk_geometry *last = g->nmade > 0 ? g->made[g->nmade - 1] : NULL;
  const bool same = last != NULL && last->kind == s->kind && memcmp(last->size, s->size, sizeof s->size) == 0;
  return same ? last : NULL;
}

static pk_status make_geometry(const pk_model *m, int i, pk_geometry **out, pk_error *err)
{
  const pk_model_shape *s = &m->shapes[i];
  pk_geometry_desc desc = {.kind = s->kind,
                           .size = {s->size[0], s->size[1], s->size[2]},
                           .mesh = pki_shape_has_mesh(s->kind) ? &m->meshes[s->mesh] : NULL};
  if (s->heights != NULL) {
    desc.nx = s->heights->nx, desc.ny = s->heights->ny, desc.cell = s->heights->cell;
    desc.heights = s->heights->z;
  }
  pk_error why = {.message = ""};
  const pk_status status = pk_geometry_create(&desc, out, &why);
  if (status == PK_OK) {
    return PK_OK;
  }
  const pk_model_link *link = &m->links[s->link];
  const char *file = m->robots[link->robot].file;
  char name[128] = "";
  if (s->name[0] != '\0') {
    snprintf(name, sizeof name, " \"%.100s\"", s->name);
  }
  return pki_fail(err, status, (pki_where){.file = file[0] != '\0' ? file : NULL, .field = link->name},
                  "shape %d%s (%s) of the link \"%.60s\": %.200s: %s", i, name, pk_shape_kind_name(s->kind),
                  link->name, why.message,
                  status == PK_ERROR_MEMORY     ? "give the machine more memory"
                  : pki_shape_has_mesh(s->kind) ? "mend the mesh's file or its scale"
                                                : "give its lengths in m");
}

/* All geometries. Where somebody is told of errors (report not NULL) shapes that cannot be made are left out. */
static pk_status make_geometries(const pk_model *model, pki_shape_report report, void *user,
                                 pki_geometries **out, pk_error *err)
{
  const size_t nshape = (size_t)model->nshape;
  *out = NULL;
  pki_geometries *g = calloc(1, sizeof *g);
  pk_geometry **by_mesh = calloc(2 * (size_t)model->nmesh + 1, sizeof *by_mesh);
  bool memory = g != NULL && by_mesh != NULL;
  if (memory) {
    g->of = calloc(nshape + 1, sizeof *g->of);
    g->made = calloc(nshape + 1, sizeof *g->made);
    memory = g->of != NULL && g->made != NULL;
  }
  if (!memory) {
    free(by_mesh);
    pki_geometries_destroy(g);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for %d shapes", model->nshape);
  }
  pk_status status = PK_OK;
  for (int i = 0; i < model->nshape && status == PK_OK; i++) {
    const pk_model_shape *s = &model->shapes[i];
    if (!shape_collides(model, s)) {
      continue;
    }
    g->of[i] = same_as(model, g, i, by_mesh);
    if (g->of[i] == NULL) {
      status = make_geometry(model, i, &g->made[g->nmade], err);
      g->of[i] = g->made[g->nmade];
      g->nmade += status == PK_OK;
      if (status == PK_OK && pki_shape_has_mesh(s->kind)) {
        by_mesh[2 * s->mesh + (s->kind == PK_SHAPE_CONVEX)] = g->made[g->nmade - 1];
      }
    }
    if (status != PK_OK && report != NULL) {
      report(err, user);
      status = PK_OK;
    }
  }
  free(by_mesh);
  if (status != PK_OK) {
    pki_geometries_destroy(g);
    return status;
  }
  *out = g;
  return PK_OK;
}

pk_status pki_geometries_create(const pk_model *model, pki_geometries **out, pk_error *err)
{
  return make_geometries(model, NULL, NULL, out, err);
}

void pki_geometries_check(const pk_model *model, pki_shape_report report, void *user)
{
  pk_error err = {.message = ""};
  pki_geometries *made = NULL;
  if (make_geometries(model, report, user, &made, &err) != PK_OK) {
    report(&err, user);
  }
  pki_geometries_destroy(made);
}

void pki_geometries_destroy(pki_geometries *g)
{
  if (g == NULL) {
    return;
  }
  for (int i = 0; i < g->nmade; i++) {
    pk_geometry_destroy(g->made[i]);
  }
  free(g->made);
  free(g->of);
  free(g);
}

/* ---- making ---- */

void pki_colliders_carve(pki_colliders *c, const pk_model *model, pki_arena *arena)
{
  *c = (pki_colliders){.model = model};
  c->seen = pki_arena_take(arena, (size_t)model->nq, sizeof *c->seen);
}

void pki_colliders_carve_memory(pki_colliders *c, int max_contacts, pki_arena *arena)
{
  const size_t room = (size_t)max_contacts;
  c->memory_room = max_contacts;
  c->memory = pki_arena_take(arena, room, sizeof *c->memory);
  c->next = pki_arena_take(arena, room, sizeof *c->next);
  c->kept = pki_arena_take(arena, room, sizeof *c->kept);
}

/* Room for the pairs of n colliders; who asks for room for more contacts gets more. */
static int pair_room(int n, int max_contacts)
{
  const double all = 0.5 * n * (n - 1.0);
  const double some = (double)PAIRS_EACH * n + PAIRS_MORE + (double)PAIRS_CONTACT * max_contacts;
  return (int)fmin(fmin(all, some), 1 << 28);
}

static void carve_block(pki_colliders *c, pki_arena *arena)
{
  const size_t n = (size_t)c->n, bodies = (size_t)c->model->nbody;
  c->listed = c->broad_kind == PK_BROAD_PHASE_AUTO && c->n <= FEW;
  c->room = pair_room(c->n, c->memory_room);
  c->of = pki_arena_take(arena, n, sizeof *c->of);
  c->centre = pki_arena_take(arena, n, sizeof *c->centre);
  c->pose = pki_arena_take(arena, n, sizeof *c->pose);
  c->box = pki_arena_take(arena, n, sizeof *c->box);
  c->ready = pki_arena_take(arena, n, sizeof *c->ready);
  c->pairs = pki_arena_take(arena, (size_t)c->room, sizeof *c->pairs);
  c->wake = pki_arena_take(arena, (size_t)c->room, sizeof *c->wake);
  c->start = pki_arena_take(arena, n + 1, sizeof *c->start);
  c->fixed = pki_arena_take(arena, n + 1, sizeof *c->fixed);
  c->first_wake = pki_arena_take(arena, n, sizeof *c->first_wake);
  c->rim = pki_arena_take(arena, bodies, sizeof *c->rim);
  c->last = pki_arena_take(arena, bodies, sizeof *c->last);
  if (!c->listed) {
    c->reach = pki_arena_take(arena, n, sizeof *c->reach);
    c->body = pki_arena_take(arena, n, sizeof *c->body);
    pki_broad_carve(&c->broad, c->broad_kind, c->n, arena);
    c->broad.family = c->body;
  }
}

/* The ball around a geometry, in the frame of a pose. */
static void put_ball(const pk_geometry *g, const pk_pose *pose, double centre[3])
{
  pki_mat3_apply(pose->rot, g->centre, centre);
  for (int k = 0; k < 3; k++) {
    centre[k] += pose->pos[k];
  }
}

/* What is fixed in the world has its place for good. */
static void place_fixed_collider(pki_colliders *c, int i)
{
  const pki_collider *at = &c->of[i];
  c->pose[i] = at->pose;
  memcpy(c->centre[i], at->centre, sizeof at->centre);
  pki_geometry_bounds(at->geometry, &at->pose, &c->box[i]);
  c->ready[i] = PKI_PLACED_BOX;
}

static void add_shape(pki_colliders *c, int shape, int *count)
{
  const pk_model_shape *s = &c->model->shapes[shape];
  pki_collider *to = &c->of[*count];
  *to = (pki_collider){.geometry = c->geometries->of[shape],
                       .form = pki_form_of_shape(c, shape),
                       .geom = shape,
                       .body = s->body,
                       .link = s->link,
                       .robot = c->model->links[s->link].robot,
                       .material = -1,
                       .group = 1,
                       .mask = ~0u,
                       .pose = s->pose};
  put_ball(to->geometry, &to->pose, to->centre);
  ++*count;
}

static void add_solid(pki_colliders *c, int solid)
{
  const pki_solid *s = &c->ground->solids[solid];
  pki_collider *to = &c->of[c->nshape + solid];
  *to = (pki_collider){.geometry = s->geometry,
                       .form = c->ground_forms != NULL ? &c->ground_forms[solid] : NULL,
                       .geom = c->model->nshape + solid,
                       .body = -1,
                       .link = -1,
                       .robot = -1,
                       .material = s->material,
                       .group = ~0u,
                       .mask = ~0u,
                       .pose = s->pose};
  put_ball(to->geometry, &to->pose, to->centre);
}

/* How far from a body's origin its shapes reach; no body has moved yet. */
static void fill_bodies(pki_colliders *c)
{
  const size_t bodies = (size_t)c->model->nbody;
  memset(c->rim, 0, bodies * sizeof *c->rim);
  memset(c->last, 0, bodies * sizeof *c->last);
  c->skin = c->clock = 0;
  for (int i = 0; i < c->nmoving; i++) {
    const pki_collider *at = &c->of[i];
    double *rim = &c->rim[at->body];
    *rim = fmax(*rim, sqrt(pki_dot3(at->centre, at->centre)) + at->geometry->bound);
    c->skin += 0.25 * at->geometry->bound / c->nmoving;
  }
}

/* All colliders of a block that has just been made; groups are those of the colliders before. */
static void fill_colliders(pki_colliders *c, const pki_collider *before)
{
  int count = 0;
  for (int moving = 1; moving >= 0; moving--) {
    for (int i = 0; i < c->model->nshape; i++) {
      if (c->geometries->of[i] != NULL && (c->model->shapes[i].body >= 0) == moving) {
        add_shape(c, i, &count);
      }
    }
    c->nmoving = moving ? count : c->nmoving;
  }
  for (int i = 0; i < count && before != NULL; i++) {
    c->of[i].group = before[i].group, c->of[i].mask = before[i].mask;
  }
  for (int s = 0; s < c->n - c->nshape; s++) {
    add_solid(c, s);
  }
  for (int i = c->nmoving; i < c->n; i++) {
    place_fixed_collider(c, i);
  }
  for (int i = 0; i < c->n && !c->listed; i++) {
    c->body[i] = c->of[i].body;
  }
  fill_bodies(c);
  c->stale = true;
  c->placed = false;
}

/* The block of colliders over a ground made anew; false: no memory, all stays as it was. */
static bool remake_block(pki_colliders *c, const pk_terrain *ground)
{
  pki_colliders made = *c;
  made.ground = ground;
  made.n = c->nshape + (ground != NULL ? ground->nsolid : 0);
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_block(&made, &arena);
  const size_t size = arena.used > 0 ? arena.used : 1;
  made.block = pki_aligned_alloc(size);
  if (made.block == NULL || arena.overflow) {
    pki_aligned_free(made.block);
    return false;
  }
  arena = pki_arena_over(made.block, size);
  carve_block(&made, &arena);
  fill_colliders(&made, c->block != NULL ? c->of : NULL);
  pki_aligned_free(c->block);
  *c = made;
  return true;
}

pk_status pki_colliders_set_narrow(pki_colliders *c, pk_narrow_method narrow, pki_narrow_form_options options,
                                   pk_error *err)
{
  c->narrow = narrow;
  c->form_options = options;
  const pk_status status = pki_forms_of_shapes(c, &c->shape_forms, err);
  return status == PK_OK ? pki_colliders_set_ground(c, c->ground, err) : status;
}

pk_status pki_colliders_set_ground(pki_colliders *c, const pk_terrain *ground, pk_error *err)
{
  const int solids = ground != NULL ? ground->nsolid : 0, before = c->ground != NULL ? c->n - c->nshape : 0;
  pki_narrow_form *forms, *old = c->ground_forms;
  const pk_status status = pki_forms_of_ground(c, ground, &forms, err);
  if (status != PK_OK) {
    return status;
  }
  c->ground_forms = forms;
  if (!remake_block(c, ground)) {
    c->ground_forms = old;
    pki_forms_free(forms, solids);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for %d shapes and solids that collide",
                    c->nshape + solids);
  }
  pki_forms_free(old, before);
  pki_colliders_forget(c);
  return PK_OK;
}

bool pki_colliders_grow(pki_colliders *c)
{
  return pair_room(c->n, c->memory_room) <= c->room || remake_block(c, c->ground);
}

/* What a shape has of its own, where it has some: heights, groups, friction. */
static uint64_t hash_own(uint64_t hash, const pk_model_shape *s)
{
  if (s->heights != NULL) {
    hash = pki_hash_bytes(hash, &s->heights->cell, sizeof s->heights->cell);
    hash = pki_hash_bytes(hash, s->heights->z,
                          (size_t)s->heights->nx * (size_t)s->heights->ny * sizeof *s->heights->z);
  }
  if (s->group != 1 || s->mask != ~0u || s->pairs_only || s->friction != 0) {
    const unsigned numbers[4] = {s->group, s->mask, s->pairs_only, (unsigned)s->priority};
    hash = pki_hash_bytes(hash, numbers, sizeof numbers);
    hash = pki_hash_bytes(hash, &s->friction, sizeof s->friction);
  }
  return hash;
}

static uint64_t hash_shapes(const pki_colliders *c)
{
  uint64_t hash = PKI_HASH_START;
  for (int i = 0; i < c->nshape; i++) {
    const pki_collider *at = &c->of[i];
    const int numbers[3] = {at->geom, at->body, (int)at->geometry->kind};
    hash = pki_hash_bytes(hash, numbers, sizeof numbers);
    hash = pki_hash_bytes(hash, &at->pose, sizeof at->pose);
    hash = pki_hash_bytes(hash, at->geometry->size, sizeof at->geometry->size);
    const int mesh = c->model->shapes[at->geom].mesh;
    if (mesh >= 0) {
      const pk_mesh *m = &c->model->meshes[mesh];
      hash = pki_hash_bytes(hash, m->vertex, 3 * (size_t)m->nvertex * sizeof *m->vertex);
      hash = pki_hash_bytes(hash, m->triangle, 3 * (size_t)m->ntriangle * sizeof *m->triangle);
    }
    hash = hash_own(hash, &c->model->shapes[at->geom]);
  }
  return hash;
}

pk_status pki_colliders_init(pki_colliders *c, const pk_model *model, const pki_geometries *geometries,
                             pk_broad_phase broad, bool self_collision, pk_error *err)
{
  c->model = model;
  c->geometries = geometries;
  c->broad_kind = broad;
  c->nshape = 0;
  for (int i = 0; i < model->nshape; i++) {
    c->nshape += geometries->of[i] != NULL;
  }
  pk_status status = pki_filter_init(&c->filter, model, self_collision, err);
  status = status == PK_OK ? pki_colliders_set_ground(c, NULL, err) : status;
  c->hash = status == PK_OK ? hash_shapes(c) : 0;
  return status;
}

void pki_colliders_free(pki_colliders *c)
{
  pki_filter_free(&c->filter);
  pki_forms_free(c->shape_forms, c->geometries != NULL ? c->geometries->nmade : 0);
  pki_forms_free(c->ground_forms, c->ground_forms != NULL ? c->n - c->nshape : 0);
  c->shape_forms = c->ground_forms = NULL;
  pki_aligned_free(c->block);
  c->block = NULL;
}

int pki_colliders_find(const pki_colliders *c, int shape)
{
  for (int i = 0; i < c->nshape; i++) {
    if (c->of[i].geom == shape) {
      return i;
    }
  }
  return -1;
}

/* ---- where they are ---- */

/* No point of a body's shapes can have gone further since the last call than |o - o'| + |R - R'|_F rim. Inlined, so that
 * one lane is a plain array. */
static inline double travel_bound(const double *R, const double *o, size_t lanes, double *last, double rim)
{
  double now[12], square[12];
  for (size_t k = 0; k < 9; k++) {
    now[k] = R[k * lanes];
  }
  for (size_t k = 0; k < 3; k++) {
    now[9 + k] = o[k * lanes];
  }
  for (size_t k = 0; k < 12; k++) {
    const double d = now[k] - last[k];
    square[k] = d * d;
    last[k] = now[k];
  }
  /* in pairs, so that no sum waits for all before it */
  const double *const s = square;
  const double turned = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])) + s[8];
  return sqrt(s[9] + s[10] + s[11]) + sqrt(turned) * rim;
}

/* The clock: two bodies come nearer by twice the largest way at most. */
static void add_travel(pki_colliders *c, const pki_work *w, int lane)
{
  const size_t lanes = (size_t)w->lanes;
  double most = 0;
  for (size_t body = 0; body < (size_t)c->model->nbody; body++) {
    if (c->rim[body] == 0) {
      continue;
    }
    const double *const R = w->pose + 12 * (body + 1) * lanes + (size_t)lane;
    const double *const o = w->origin + 3 * (body + 1) * lanes + (size_t)lane;
    const double way = lanes == 1 ? travel_bound(R, o, 1, c->last[body], c->rim[body])
                                  : travel_bound(R, o, lanes, c->last[body], c->rim[body]);
    most = way > most || isnan(way) ? way : most;
  }
  c->clock += 2 * most;
  /* begun anew before small ways are lost in it, and when it is no number */
  c->stale |= !(c->clock < 1e6 * c->skin);
}

void pki_colliders_move(pki_colliders *c, const pki_work *w, int lane)
{
  c->placed = false;
  memset(c->ready, PKI_PLACED_NOTHING, (size_t)c->nmoving * sizeof *c->ready);
  add_travel(c, w, lane);
}

void pki_colliders_ball(pki_colliders *c, const pki_work *w, int lane, int i)
{
  if (c->ready[i] != PKI_PLACED_NOTHING) {
    return;
  }
  const pki_collider *at = &c->of[i];
  const size_t lanes = (size_t)w->lanes, entry = (size_t)at->body + 1;
  const double *const R = w->pose + 12 * entry * lanes + (size_t)lane;
  const double *const o = w->origin + 3 * entry * lanes + (size_t)lane;
  for (size_t k = 0; k < 3; k++) {
    c->centre[i][k] = o[k * lanes] + R[3 * k * lanes] * at->centre[0] +
                      R[(3 * k + 1) * lanes] * at->centre[1] + R[(3 * k + 2) * lanes] * at->centre[2];
  }
  c->ready[i] = PKI_PLACED_BALL;
}

void pki_colliders_pose(pki_colliders *c, const pki_work *w, int lane, int i)
{
  if (c->ready[i] >= PKI_PLACED_POSE) {
    return;
  }
  pki_colliders_ball(c, w, lane, i);
  const size_t lanes = (size_t)w->lanes, entry = (size_t)c->of[i].body + 1;
  const double *const from = w->pose + 12 * entry * lanes + (size_t)lane;
  const double *const o = w->origin + 3 * entry * lanes + (size_t)lane;
  const pk_pose *in = &c->of[i].pose;
  pk_pose *out = &c->pose[i];
  double R[9];
  for (size_t k = 0; k < 9; k++) {
    R[k] = from[k * lanes];
  }
  pki_mat3_mul(R, in->rot, out->rot);
  pki_mat3_apply(R, in->pos, out->pos);
  for (size_t k = 0; k < 3; k++) {
    out->pos[k] += o[k * lanes];
  }
  c->ready[i] = PKI_PLACED_POSE;
}

void pki_colliders_box(pki_colliders *c, const pki_work *w, int lane, int i)
{
  if (c->ready[i] != PKI_PLACED_BOX) {
    pki_colliders_pose(c, w, lane, i);
    pki_geometry_bounds(c->of[i].geometry, &c->pose[i], &c->box[i]);
    c->ready[i] = PKI_PLACED_BOX;
  }
}

void pki_colliders_place(pki_colliders *c, const pki_work *w, int lane)
{
  pki_colliders_move(c, w, lane);
  for (int i = 0; i < c->nmoving; i++) {
    pki_colliders_box(c, w, lane, i);
  }
}

/* ---- what pairs remember ---- */

void pki_colliders_forget(pki_colliders *c)
{
  c->nmemory = c->nkept = 0;
}

void pki_colliders_keep(pki_colliders *c)
{
  memcpy(c->kept, c->memory, (size_t)c->nmemory * sizeof *c->memory);
  c->nkept = c->nmemory;
}

void pki_colliders_restore(pki_colliders *c)
{
  memcpy(c->memory, c->kept, (size_t)c->nkept * sizeof *c->memory);
  c->nmemory = c->nkept;
}

/* The collider of a number, -1: none. */
static int collider_of(const pki_colliders *c, int geom)
{
  if (geom >= c->model->nshape) {
    const int solid = geom - c->model->nshape;
    return solid < c->n - c->nshape ? c->nshape + solid : -1;
  }
  return geom >= 0 ? pki_colliders_find(c, geom) : -1;
}

void pki_colliders_save(const pki_colliders *c, int i, int32_t out[PKI_MEMORY_INTS])
{
  const pki_remembered *m = &c->memory[i];
  for (int k = 0; k < 2; k++) {
    out[k] = c->of[m->pair[k]].geom;
    out[2 + k] = m->memory.feature[k];
  }
}

void pki_colliders_load(pki_colliders *c, int i, const int32_t in[PKI_MEMORY_INTS])
{
  c->memory[i] =
      (pki_remembered){.pair = {collider_of(c, in[0]), collider_of(c, in[1])}, .memory = {{in[2], in[3]}}};
  c->nmemory = i + 1;
}

/* How many features a geometry's hull has, as walk.c counts them. */
static int feature_count(const pk_geometry *g)
{
  return g->hull != NULL ? g->hull->nvertex + g->hull->nedge + g->hull->nface : 0;
}

bool pki_colliders_check(const pki_colliders *c, const int32_t in[PKI_MEMORY_INTS], int last[2])
{
  int pair[2];
  for (int k = 0; k < 2; k++) {
    pair[k] = collider_of(c, in[k]);
    if (pair[k] < 0 || in[2 + k] < 0 || in[2 + k] > feature_count(c->of[pair[k]].geometry)) {
      return false;
    }
  }
  const bool sound = pair[0] < pair[1] && pair[0] < c->nmoving && pki_pair_before(last, pair);
  last[0] = pair[0], last[1] = pair[1];
  return sound;
}
