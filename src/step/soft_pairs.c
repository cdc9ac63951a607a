/* Who is soft in a world, and the search for its patches. */
#include <math.h>
#include <stdio.h>
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

/* The geometry of a contact's partner. */
static const pk_geometry *geometry_of(const pki_colliders *c, int geom, bool ground)
{
  int i = ground ? c->nshape : 0;
  while (i < c->n - 1 && c->of[i].geom != geom) {
    i++;
  }
  return c->of[i].geometry;
}

bool pki_soft_friction(const pki_scene *c, const pki_contact *f, double *mu)
{
  const pk_compliance *of[2];
  if (!surfaces_of(c, f->geom, f->material, of)) {
    return false;
  }
  const pki_soft_side a = {.geometry = geometry_of(&c->colliders, f->geom[0], false), .surface = of[0]};
  const pki_soft_side b = {.geometry = geometry_of(&c->colliders, f->geom[1], f->material >= 0),
                           .surface = of[1]};
  *mu = pki_patch_friction(&a, &b);
  return true;
}

/* A collider in words. */
static const char *name_of(const pk_sim *sim, const pki_collider *c)
{
  return c->link >= 0 ? sim->model->links[c->link].name : "the ground";
}

void pki_soft_visit_pairs(pk_sim *sim, pki_soft_visitor *visit, void *user)
{
  const pki_colliders *c = &sim->scene.colliders;
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

bool pki_soft_has_hard_pair(const pk_sim *sim)
{
  const pki_colliders *c = &sim->scene.colliders;
  bool found = false;
  for (int i = 0; i < c->nmoving && !found; i++) {
    for (int j = i + 1; j < c->n && !found; j++) {
      const pk_compliance *of[2];
      found =
          c->of[i].body != c->of[j].body && pki_colliders_want(c, i, j) && !pki_soft_surfaces(sim, i, j, of);
    }
  }
  return found;
}

/* The result of a check under way. */
typedef struct check {
  pk_status status;
  int body; /* of a pair without a law */
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
    all->body = a->body;
    pki_fail(all->err, all->status, (pki_where){.field = "compliance"}, "\"%.80s\" on \"%.80s\": %.300s",
             name_of(sim, a), name_of(sim, b), why.message);
  }
  return all->status == PK_OK;
}

pk_status pki_soft_check(pk_sim *sim, pk_error *err)
{
  check all = {PK_OK, -1, err};
  if (sim->scene.soft != NULL) {
    pki_soft_visit_pairs(sim, check_pair, &all);
  }
  return all.status;
}

pk_status pki_soft_ready(pk_sim *sim, pk_step_info *info)
{
  struct pki_soft *s = sim->scene.soft;
  if (s == NULL || (s->planned && s->checked)) {
    return PK_OK;
  }
  pk_error err = {.message = ""};
  check all = {s->planned ? PK_OK : pki_soft_plan(sim, &err), -1, &err};
  if (all.status == PK_OK) {
    pki_soft_visit_pairs(sim, check_pair, &all);
  }
  s->checked = all.status == PK_OK;
  if (!s->checked) {
    snprintf(s->why, sizeof s->why, "compliance: %.480s", err.message);
    info->term = s->why, info->body = all.body;
  }
  return all.status;
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
  if (s->used + from->n > s->elements) {
    return false;
  }
  pki_patch_carve(&made, n, &s->rest);
  if (s->rest.overflow) {
    return false;
  }
  s->used += from->n;
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
  s->found.threads = sim->options.threads;
  const int n = pki_patch_find(&a, &b, s->scratch, &s->found);
  scale_friction(&s->found, sim->parameters.friction);
  return n;
}

static void add_patch(pk_sim *sim, int i, int j, const pk_compliance *const of[2])
{
  struct pki_soft *s = sim->scene.soft;
  pki_colliders *c = &sim->scene.colliders;
  const pki_collider *a = &c->of[i], *b = &c->of[j];
  const pki_work *w = &sim->workspace->work;
  const double travel = s->look * (collider_speed(w, a) + collider_speed(w, b));
  const double margin = s->look > 0 ? travel + s->margin : 0;
  if (!pki_colliders_near(c, w, 0, i, j, margin) || find_elements(sim, i, j, of, margin) == 0) {
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
  const pki_soft_search search = sim->scene.soft->search;
  const pk_compliance *of[2];
  if (!pki_soft_surfaces(sim, i, j, of)) {
    return search == PKI_SOFT_SEARCH_AHEAD; /* which is not for them */
  }
  if (search == PKI_SOFT_SEARCH_PATCHES || search == PKI_SOFT_SEARCH_AHEAD) {
    add_patch(sim, i, j, of);
  } else if (search == PKI_SOFT_SEARCH_ENERGY) {
    add_energy(sim, i, j, of);
  }
  return true;
}

void pki_soft_attach(pk_sim *sim, bool on)
{
  sim->scene.colliders.takes = on ? take_soft_pair : NULL;
  sim->scene.colliders.taken = on ? sim : NULL;
  sim->single.stale = true;
}

/* m, by which any two colliders can come nearer within s->look, at most. */
static double most_travel(const pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  const pki_colliders *c = &sim->scene.colliders;
  double first = 0, second = 0; /* m/s, the two fastest */
  for (int i = 0; i < c->nmoving && s->look > 0; i++) {
    const double speed = collider_speed(&sim->workspace->work, &c->of[i]);
    second = fmax(second, fmin(first, speed));
    first = fmax(first, speed);
  }
  return s->look * (first + second) + s->margin;
}

/* Patches of pairs within s->within, which is more than hard contacts are looked for in. What hard pairs remember stays. */
static bool search_ahead(pk_sim *sim)
{
  struct pki_soft *s = sim->scene.soft;
  pki_colliders *c = &sim->scene.colliders;
  pki_remembered *const memory = c->memory, *const next = c->next;
  const int nmemory = c->nmemory;
  bool overflow;
  s->search = PKI_SOFT_SEARCH_AHEAD;
  pki_contacts_find(c, &sim->workspace->work, 0, s->within, sim->contact.found, 0, &overflow);
  c->memory = memory, c->next = next, c->nmemory = nmemory;
  return !overflow;
}

void pki_soft_begin_search(pk_sim *sim, double look, double past, double margin)
{
  struct pki_soft *s = sim->scene.soft;
  static const double fall = 4; /* times the way of a free fall in a step: velocities change on the way */
  s->npatch = s->used = 0;
  s->full = s->unsearched = s->near = s->kept = false;
  s->look = look, s->past = past;
  s->margin = fall * look * sim->options.dt * pki_length3(sim->model->gravity);
  s->within = most_travel(sim);
  s->ahead = s->within > margin && isfinite(s->within);
  s->search = s->ahead ? PKI_SOFT_SEARCH_NONE : PKI_SOFT_SEARCH_PATCHES;
  s->rest = pki_arena_over(s->pool, s->pool_size);
  s->rounds = 0;
  s->settled = true;
  s->residual = 0;
  s->shown = false;
}

bool pki_soft_end_search(pk_sim *sim, pk_step_info *info)
{
  struct pki_soft *s = sim->scene.soft;
  const bool listed = !s->ahead || search_ahead(sim);
  s->search = PKI_SOFT_SEARCH_NONE;
  const int rows = 2 * pki_soft_between(sim); /* of contacts: six rows are those of two */
  const bool grows = sim->grows && pki_law_of(&sim->options)->room == NULL;
  const int shown = grows ? PKI_SOFT_SHOWN * s->npatch : s->npatch;
  if (s->full || !listed || sim->contact.nfound + (rows > shown ? rows : shown) > sim->options.max_contacts) {
    info->term = s->full ? PKI_SOFT_FULL : "max_contacts";
    info->contacts = sim->contact.nfound + s->npatch;
    return false;
  }
  return true;
}
