/* Memory for the compliant pairs of a world. How much follows from its shapes alone, in time that grows with their number, so that
 * surfaces and filters may be set one by one; a step that finds more makes it larger. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collision/shapes/trimesh.h"
#include "step/soft.h"

/* ---- how much ---- */

/* What the compliances that a collider may have ask for. */
typedef struct softness {
  bool soft, faces; /* it gives way; by springs on faces */
} softness;

static softness add_surface(softness to, const pk_compliance *surface)
{
  return (softness){true, to.faces || pki_patch_has_faces(surface)};
}

static softness softness_of(const pki_scene *c, const pki_collider *of)
{
  const struct pki_soft *s = c->soft;
  const bool ground = of->material >= 0;
  const int kind = !ground                       ? c->surfaces[of->geom]
                   : of->material < c->nmaterial ? of->material
                                                 : c->nmaterial - 1;
  softness out = {0};
  if (ground ? s->soft_material[kind] : s->soft_surface[kind]) {
    out = add_surface(out, ground ? &s->material[kind] : &s->surface[kind]);
  }
  for (int i = 0; i < s->nrule; i++) {
    const pki_soft_rule *r = &s->rules[i];
    if (!r->hard && (ground ? r->material == kind : r->surface == kind || r->with == kind)) {
      out = add_surface(out, &r->both);
    }
  }
  return out;
}

/* How much there is to have room for. */
typedef struct need {
  int moving, fixed;          /* colliders that give way */
  const pk_geometry *mesh[2]; /* with most faces */
  int most;                   /* elements of one pair */
  int elements;               /* of all pairs, where every face presses in one of them */
  size_t scratch;
} need;

static int faces_of(const pk_geometry *g)
{
  const pki_trimesh *faces = g != NULL ? pki_patch_faces(g) : NULL;
  return faces != NULL ? faces->ntriangle : 0;
}

static void add_faces(need *n, const pk_geometry *g)
{
  const int faces = faces_of(g);
  n->most = faces > n->most ? faces : n->most;
  n->elements += faces;
  if (g->kind != PK_SHAPE_MESH) {
    return;
  }
  if (faces > faces_of(n->mesh[0])) {
    n->mesh[1] = n->mesh[0], n->mesh[0] = g;
  } else if (faces > faces_of(n->mesh[1])) {
    n->mesh[1] = g;
  }
}

static need find_need(const pk_sim *sim)
{
  enum { FEW = 16 }; /* pairs with all faces */
  const pki_colliders *c = &sim->scene.colliders;
  need n = {.most = 1};
  for (int i = 0; i < c->n; i++) {
    const softness is = softness_of(&sim->scene, &c->of[i]);
    n.moving += is.soft && i < c->nmoving;
    n.fixed += is.soft && i >= c->nmoving;
    if (is.faces) {
      add_faces(&n, c->of[i].geometry);
    }
  }
  if (n.mesh[1] != NULL) {
    const int both = pki_patch_room(n.mesh[0], n.mesh[1]);
    n.most = both > n.most ? both : n.most;
    n.scratch = pki_patch_scratch(n.mesh[0], n.mesh[1]);
  }
  n.elements = n.elements < FEW * n.most ? n.elements : FEW * n.most;
  return n;
}

/* ---- having it ---- */

/* Bytes of a patch of so many elements. */
static size_t patch_bytes(int room)
{
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_patch p;
  pki_patch_carve(&p, room, &arena);
  return arena.used;
}

/* s->room, elements, scratch_size and found.room of all that the search needs. */
static void carve_soft(struct pki_soft *s, const pk_sim *sim, pki_arena *arena)
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
  pki_patch_carve(&s->found, s->found.room, arena);
  s->scratch = pki_arena_take(arena, s->scratch_size, 1);
  s->M = pki_arena_take(arena, (size_t)sim->model->nM, sizeof *s->M);
  s->x = pki_arena_take(arena, (size_t)sim->model->nu, sizeof *s->x);
  s->forces = pki_arena_take(arena, (size_t)s->elements, sizeof *s->forces);
  s->spots = pki_arena_take(arena, (size_t)s->found.room, sizeof *s->spots);
  s->pool_size = (size_t)s->room * patch_bytes(1) + patch_bytes(s->elements);
  s->pool = pki_arena_take(arena, s->pool_size, 1);
}

/* Nothing is known of the last step, and pairs are yet to be checked. */
static void forget_patches(struct pki_soft *s)
{
  s->npatch = 0;
  s->shown = s->checked = false;
}

/* A block with room for what `wanted` has; false: no memory, and all stays as it was. */
static bool make_block(pk_sim *sim, const struct pki_soft *wanted)
{
  struct pki_soft *s = sim->scene.soft, made = *wanted;
  made.patches = NULL;
  pki_arena arena = pki_arena_over(NULL, 0);
  carve_soft(&made, sim, &arena);
  const size_t size = arena.used;
  void *const block = pki_aligned_alloc(size);
  if (block == NULL) {
    return false;
  }
  arena = pki_arena_over(block, size);
  carve_soft(&made, sim, &arena);
  PK_ASSERT(arena.used == arena.size);
  pki_aligned_free(s->block);
  made.block = block;
  *s = made;
  forget_patches(s);
  return true;
}

/* Room for `n` at least; what there is already stays. */
static bool make_room(pk_sim *sim, const need *n)
{
  enum { EACH = 4, MORE = 16 }; /* patches of a shape that moves, and of all beside them */
  const struct pki_soft *s = sim->scene.soft;
  const long long moving = n->moving, pairs = moving * (moving - 1) / 2 + moving * n->fixed,
                  usual = EACH * moving + MORE;
  const int few = (int)(pairs < usual ? pairs : usual), room = few > 0 ? few : 1;
  const int elements = (n->elements > n->most ? n->elements : n->most) + room;
  if (s->block != NULL && room <= s->room && elements <= s->elements && n->most <= s->found.room &&
      n->scratch <= s->scratch_size) {
    return true;
  }
  struct pki_soft wanted = *s;
  wanted.room = room > s->room ? room : s->room;
  wanted.elements = elements > s->elements ? elements : s->elements;
  wanted.found.room = n->most > s->found.room ? n->most : s->found.room;
  wanted.scratch_size = n->scratch > s->scratch_size ? n->scratch : s->scratch_size;
  return make_block(sim, &wanted);
}

/* Shapes that are no meshes get faces where the law of a surface that they may have needs them. */
static pk_status prepare_shapes(pk_sim *sim, pk_error *err)
{
  const pki_scene *c = &sim->scene;
  const pki_geometries *g = c->geometries;
  pk_status status = PK_OK;
  for (int i = 0; i < c->colliders.nshape && status == PK_OK; i++) {
    const pki_collider *of = &c->colliders.of[i];
    const bool faces = faces_of(of->geometry) == 0 && softness_of(c, of).faces;
    for (int k = 0; k < g->nmade && faces && status == PK_OK; k++) {
      status = g->made[k] == of->geometry ? pki_patch_prepare(g->made[k], err) : PK_OK;
    }
  }
  return status;
}

pk_status pki_soft_plan(pk_sim *sim, pk_error *err)
{
  struct pki_soft *s = sim->scene.soft;
  if (s == NULL) {
    return PK_OK;
  }
  forget_patches(s);
  s->planned = false;
  const pk_status status = prepare_shapes(sim, err);
  if (status != PK_OK) {
    return status;
  }
  const need n = find_need(sim);
  if (!make_room(sim, &n)) {
    return pki_fail_memory(err, "compliant pairs");
  }
  s->planned = true;
  pki_soft_attach(sim, true);
  return PK_OK;
}

void pki_soft_refilter(pk_sim *sim)
{
  if (sim->scene.soft != NULL) {
    forget_patches(sim->scene.soft);
  }
}

bool pki_soft_grow(pk_sim *sim)
{
  struct pki_soft wanted = *sim->scene.soft;
  wanted.room *= 2, wanted.elements *= 2;
  const bool checked = wanted.checked, made = make_block(sim, &wanted);
  sim->scene.soft->checked = checked;
  return made;
}

void pki_soft_free(pk_sim *sim)
{
  if (sim->scene.soft != NULL) {
    pki_aligned_free(sim->scene.soft->block);
    free(sim->scene.soft);
    sim->scene.soft = NULL;
    pki_soft_attach(sim, false);
  }
}
