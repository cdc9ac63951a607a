/* Who is soft in a world, memory for its patches, and the search for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/mat3.h"
#include "step/law.h"
#include "step/soft.h"

/* ---- who is soft ---- */

/* What is said of two surfaces, or of a surface on a material; NULL: nothing. */
static const pki_soft_rule *find_rule(const struct pki_soft *s, int surface, int material, int with)
{
  for (int i = 0; i < s->nrule; i++) {
    const pki_soft_rule *r = &s->rules[i];
    if (r->surface == surface && r->material == material && r->with == with) {
      return r;
    }
  }
  return NULL;
}

/* The compliances of a shape's surface on the ground or on another shape's surface. */
static bool surfaces_of(const pki_scene *c, const int geom[2], int material, const pk_compliance *out[2])
{
  const struct pki_soft *s = c->soft;
  const int a = c->surfaces[geom[0]], b = material < 0 ? c->surfaces[geom[1]] : -1;
  const int ground = material < c->nmaterial ? material : c->nmaterial - 1;
  const pki_soft_rule *rule = s->nrule == 0   ? NULL
                              : material >= 0 ? find_rule(s, a, ground, -1)
                                              : find_rule(s, a < b ? a : b, -1, a < b ? b : a);
  if (rule != NULL) {
    out[0] = out[1] = &rule->both;
    return !rule->hard;
  }
  out[0] = &s->surface[a];
  out[1] = material >= 0 ? &s->material[ground] : &s->surface[b];
  return s->soft_surface[a] && (material >= 0 ? s->soft_material[ground] : s->soft_surface[b]);
}

bool pki_soft_surfaces(const pk_sim *sim, int i, int j, const pk_compliance *out[2])
{
  const pki_collider *a = &sim->scene.colliders.of[i], *b = &sim->scene.colliders.of[j];
  const int geom[2] = {a->geom, b->geom};
  return surfaces_of(&sim->scene, geom, b->material, out);
}

bool pki_soft_friction(const pki_scene *c, const pki_contact *f, double *mu)
{
  const pk_compliance *of[2];
  if (!surfaces_of(c, f->geom, f->material, of)) {
    return false;
  }
  const double a = of[0]->static_friction, b = of[1]->static_friction;
  *mu = a * b > 0 ? 2 * a * b / (a + b) : 0;
  return true;
}

/* A collider in words. */
static const char *name_of(const pk_sim *sim, const pki_collider *c)
{
  return c->link >= 0 ? sim->model->links[c->link].name : "the ground";
}

/* Pairs of colliders that may meet; `visit` returns false to stop. */
typedef bool visit_pair(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user);

static void visit_soft_pairs(pk_sim *sim, visit_pair *visit, void *user)
{
  pki_colliders *c = &sim->scene.colliders;
  for (int i = 0; i < c->nmoving; i++) {
    for (int j = i + 1; j < c->n; j++) {
      const pk_compliance *of[2];
      if (c->of[i].body != c->of[j].body && pki_soft_surfaces(sim, i, j, of) && pki_colliders_want(c, i, j) &&
          !visit(sim, i, j, of, user)) {
        return;
      }
    }
  }
}

/* The result of a check under way. */
typedef struct check {
  pk_status status;
  pk_error *err;
} check;

static bool check_pair(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user)
{
  check *all = user;
  const pki_collider *a = &sim->scene.colliders.of[i], *b = &sim->scene.colliders.of[j];
  const pki_soft_side sides[2] = {{.geometry = a->geometry, .surface = of[0]},
                                  {.geometry = b->geometry, .surface = of[1]}};
  pk_error why = {.message = ""};
  all->status = pki_patch_supports(&sides[0], &sides[1], &why);
  if (all->status != PK_OK) {
    pki_fail(all->err, all->status, (pki_where){.field = "compliance"}, "\"%.80s\" on \"%.80s\": %.200s",
             name_of(sim, a), name_of(sim, b), why.message);
  }
  return all->status == PK_OK;
}

pk_status pki_soft_check(pk_sim *sim, pk_error *err)
{
  check all = {PK_OK, err};
  if (sim->scene.soft != NULL) {
    visit_soft_pairs(sim, check_pair, &all);
  }
  return all.status;
}

/* ---- memory ---- */

/* How much there is to have room for. */
typedef struct need {
  int pairs;    /* soft pairs that may meet */
  int most;     /* elements of one pair */
  int elements; /* of all pairs, where each shape is in a few */
  size_t scratch;
} need;

static bool add_need(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user)
{
  need *n = user;
  const pk_geometry *a = sim->scene.colliders.of[i].geometry, *b = sim->scene.colliders.of[j].geometry;
  const int room = pki_patch_room(a, b);
  const size_t scratch = pki_patch_scratch(a, b);
  (void)of;
  n->pairs++;
  n->most = room > n->most ? room : n->most;
  n->elements += n->pairs <= 16 ? room : 0;
  n->scratch = scratch > n->scratch ? scratch : n->scratch;
  return true;
}

/* Bytes of a patch of so many elements. */
static size_t patch_bytes(int room)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_patch p;
  pki_patch_carve(&p, room, &arena);
  return arena.used;
}

static void carve_soft(struct pki_soft *s, const pk_sim *sim, const need *n, pki_arena *arena)
{
  const int depth = sim->contact.assembly.depth;
  s->patches = pki_arena_take(arena, (size_t)s->room, sizeof *s->patches);
  for (int i = 0; i < s->room; i++) {
    pki_twist_rows rows;
    double *white[4];
    pki_twist_rows_carve(&rows, depth, arena);
    for (int k = 0; k < 4; k++) {
      white[k] = pki_arena_take(arena, 4 * (size_t)depth, sizeof *white[k]);
    }
    if (s->patches != NULL) {
      pki_soft_patch *p = &s->patches[i];
      p->rows = rows;
      p->Y[0] = white[0], p->Y[1] = white[1], p->Z[0] = white[2], p->Z[1] = white[3];
    }
  }
  pki_patch_carve(&s->found, n->most, arena);
  s->scratch = pki_arena_take(arena, n->scratch, 1);
  s->M = pki_arena_take(arena, (size_t)sim->model->nM, sizeof *s->M);
  s->x = pki_arena_take(arena, (size_t)sim->model->nu, sizeof *s->x);
  s->forces = pki_arena_take(arena, (size_t)s->elements, sizeof *s->forces);
  s->spots = pki_arena_take(arena, (size_t)n->most, sizeof *s->spots);
  s->pool_size = (size_t)s->room * patch_bytes(1) + patch_bytes(s->elements);
  s->pool = pki_arena_take(arena, s->pool_size, 1);
}

/* A block for `room` patches and `elements` of them; false: no memory, and all stays as it was. */
static bool make_room(pk_sim *sim, const need *n, int room, int elements)
{
  struct pki_soft *s = sim->scene.soft, made = *s;
  made.room = room, made.elements = elements;
  made.patches = NULL;
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_soft(&made, sim, n, &arena);
  const size_t size = arena.used;
  void *const block = pki_aligned_alloc(size);
  if (block == NULL) {
    return false;
  }
  arena = pki_arena_over(block, size);
  carve_soft(&made, sim, n, &arena);
  PK_ASSERT(arena.used == arena.size);
  pki_aligned_free(s->block);
  made.block = block;
  made.npatch = 0;
  made.shown = made.checked = false;
  *s = made;
  return true;
}

static need find_need(pk_sim *sim)
{
  need n = {0};
  visit_soft_pairs(sim, add_need, &n);
  n.most = n.most > 0
               ? n.most
               : pki_patch_room(sim->scene.colliders.of[0].geometry, sim->scene.colliders.of[0].geometry);
  return n;
}

/* Shapes with a compliance that are no meshes get faces, where laws of springs on faces need them. */
static pk_status prepare_shapes(pk_sim *sim, pk_error *err)
{
  const pki_scene *c = &sim->scene;
  const pki_geometries *g = c->geometries;
  pk_status status = PK_OK;
  for (int i = 0; i < c->colliders.nshape && status == PK_OK; i++) {
    const pki_collider *of = &c->colliders.of[i];
    bool soft = c->soft->soft_surface[c->surfaces[of->geom]];
    for (int r = 0; r < c->soft->nrule; r++) {
      const pki_soft_rule *rule = &c->soft->rules[r];
      soft |= !rule->hard && (rule->surface == c->surfaces[of->geom] || rule->with == c->surfaces[of->geom]);
    }
    for (int k = 0; k < g->nmade && soft && status == PK_OK; k++) {
      status = g->made[k] == of->geometry ? pki_patch_prepare(g->made[k], err) : PK_OK;
    }
  }
  return status;
}

static bool take_soft_pair(void *taken, int i, int j);

pk_status pki_soft_plan(pk_sim *sim, pk_error *err)
{
  enum { FEW = 16 };
  struct pki_soft *s = sim->scene.soft;
  if (s == NULL || sim->scene.colliders.n == 0) {
    return PK_OK;
  }
  const pk_status status = prepare_shapes(sim, err);
  if (status != PK_OK) {
    return status;
  }
  const need n = find_need(sim);
  const int each = 4 * sim->scene.colliders.nmoving + FEW, room = n.pairs < each ? n.pairs : each;
  if (!make_room(sim, &n, room > 0 ? room : 1, n.elements > n.most ? n.elements : n.most)) {
    return pki_fail_memory(err, "compliant pairs");
  }
  sim->scene.colliders.takes = take_soft_pair;
  sim->scene.colliders.taken = sim;
  sim->single.stale = true;
  return PK_OK;
}

bool pki_soft_grow(pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  if (s == NULL) {
    return true;
  }
  const need n = find_need(sim);
  return make_room(sim, &n, 2 * s->room, 2 * s->elements);
}

void pki_soft_free(pk_sim *sim)
{
  if (sim->scene.soft != NULL) {
    pki_aligned_free(sim->scene.soft->block);
    free(sim->scene.soft);
    sim->scene.soft = NULL;
  }
}

/* ---- the search ---- */

/* m/s, of any point of a collider at most; 0 where it is fixed. */
static double collider_speed(const pki_work *w, const pki_collider *c)
{
  if (c->body < 0) {
    return 0;
  }
  const double *twist = w->twist + 6 * ((size_t)c->body + 1);
  const double extent = sqrt(pki_dot3(c->centre, c->centre)) + c->geometry->bound;
  return sqrt(pki_dot3(twist + 3, twist + 3)) + extent * sqrt(pki_dot3(twist, twist));
}

/* A copy of the elements found, from the pool. */
static bool keep_elements(struct pki_soft *s, pki_patch *to)
{
  enum { WHOLE = 8 };
  const pki_patch *from = &s->found;
  const int padded = (from->n + WHOLE - 1) / WHOLE * WHOLE, n = padded < from->room ? padded : from->room;
  pki_patch made;
  pki_patch_carve(&made, n, &s->rest);
  if (s->rest.overflow) {
    return false;
  }
  const size_t bytes = (size_t)n * sizeof(double);
  *to = *from;
  to->room = n;
  for (int k = 0; k < 3; k++) {
    to->arm[k] = memcpy(made.arm[k], from->arm[k], bytes);
    to->normal[k] = memcpy(made.normal[k], from->normal[k], bytes);
  }
  to->depth = memcpy(made.depth, from->depth, bytes);
  to->stiffness = memcpy(made.stiffness, from->stiffness, bytes);
  to->area = memcpy(made.area, from->area, bytes);
  to->load = memcpy(made.load, from->load, bytes);
  to->face = memcpy(made.face, from->face, (size_t)n * sizeof *to->face);
  to->side = memcpy(made.side, from->side, (size_t)n * sizeof *to->side);
  return true;
}

/* Coefficients of friction in this world. */
static void scale_friction(pki_patch *p, double factor)
{
  for (int side = 0; side < 2; side++) {
    pki_patch_law *law = &p->law[side];
    law->mu_static *= factor, law->mu_dynamic *= factor, law->mu_viscous *= factor;
  }
}

/* The elements of a pair into s->found. */
static int find_elements(pk_sim *sim, int i, int j, const pk_compliance *const of[2], double margin)
{
  struct pki_soft *s = sim->scene.soft;
  const pki_colliders *c = &sim->scene.colliders;
  const pki_soft_side a = {c->of[i].geometry, c->pose[i], of[0]}, b = {c->of[j].geometry, c->pose[j], of[1]};
  s->found.margin = margin;
  const int n = pki_patch_find(&a, &b, s->scratch, &s->found);
  scale_friction(&s->found, sim->parameters.friction);
  return n;
}

static void add_patch(pk_sim *sim, int i, int j, const pk_compliance *const of[2])
{
  struct pki_soft *s = sim->scene.soft;
  const pki_colliders *c = &sim->scene.colliders;
  const pki_collider *a = &c->of[i], *b = &c->of[j];
  const pki_work *w = &sim->workspace->work;
  const double travel = s->look * (collider_speed(w, a) + collider_speed(w, b));
  const double margin = s->look > 0 ? fmin(travel + s->margin, sim->options.margin) : 0;
  if (find_elements(sim, i, j, of, margin) == 0) {
    return;
  }
  if (s->npatch == s->room || !keep_elements(s, &s->patches[s->npatch].patch)) {
    s->full = true;
    return;
  }
  pki_soft_patch *p = &s->patches[s->npatch++];
  p->geom[0] = a->geom, p->geom[1] = b->geom;
  p->body[0] = a->body, p->body[1] = b->body;
  p->collider[0] = i, p->collider[1] = j;
  p->pose[0] = c->pose[i], p->pose[1] = c->pose[j];
  p->material = b->material;
  p->between = b->body >= 0;
  double most = 0;
  for (int e = 0; e < p->patch.n; e++) {
    const double x = p->patch.arm[0][e], y = p->patch.arm[1][e], z = p->patch.arm[2][e];
    most = fmax(most, x * x + y * y + z * z);
  }
  p->extent = sqrt(most);
}

static void add_energy(pk_sim *sim, int i, int j, const pk_compliance *const of[2])
{
  static const double rest[6] = {0};
  struct pki_soft *s = sim->scene.soft;
  pki_press press;
  if (find_elements(sim, i, j, of, 0) > 0) {
    pki_patch_press(&s->found, rest, 0, false, &press, NULL);
    s->energy += press.energy;
  }
}

/* Soft pairs are taken from the search for points (pki_colliders.takes). */
static bool take_soft_pair(void *taken, int i, int j)
{
  pk_sim *sim = taken;
  const pk_compliance *of[2];
  if (!pki_soft_surfaces(sim, i, j, of)) {
    return false;
  }
  if (sim->scene.soft->search == PKI_SOFT_SEARCH_PATCHES) {
    add_patch(sim, i, j, of);
  } else if (sim->scene.soft->search == PKI_SOFT_SEARCH_ENERGY) {
    add_energy(sim, i, j, of);
  }
  return true;
}

void pki_soft_begin_search(pk_sim *sim, double look)
{
  struct pki_soft *s = sim->scene.soft;
  static const double fall = 4; /* times the way of a free fall in a step: velocities change on the way */
  s->search = PKI_SOFT_SEARCH_PATCHES;
  s->npatch = 0;
  s->full = s->unsearched = s->near = s->kept = false;
  s->look = look;
  s->margin = fall * look * sim->options.dt * pki_length3(sim->model->gravity);
  s->rest = pki_arena_over(s->pool, s->pool_size);
  s->rounds = 0;
  s->settled = true;
  s->residual = 0;
  s->shown = false;
}

bool pki_soft_end_search(pk_sim *sim, pk_step_info *info)
{
  struct pki_soft *s = sim->scene.soft;
  s->search = PKI_SOFT_SEARCH_NONE;
  const int rows = 2 * pki_soft_between(sim); /* of contacts: six rows are those of two */
  const bool grows = sim->grows && pki_law_of(&sim->options)->room == NULL;
  const int shown = grows ? PKI_SOFT_SHOWN * s->npatch : 0;
  if (s->full || sim->contact.nfound + (rows > shown ? rows : shown) > sim->options.max_contacts) {
    info->term = "max_contacts";
    info->contacts = sim->contact.nfound + s->npatch;
    return false;
  }
  return true;
}
