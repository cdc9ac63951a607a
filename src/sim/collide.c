/* Who collides with whom in a world: pairs of links, groups, SRDF files, and what overlaps at the start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/match.h"
#include "model/srdf.h"
#include "sim/query.h"
#include "step/soft.h"

/* The filter has changed. */
static void rebuild_collision_filter(pk_sim *sim)
{
  pki_colliders_refilter(&sim->scene.colliders);
  sim->single.stale = true;
  sim->scene.bodies_touch = pki_colliders_touch(&sim->scene.colliders);
  pki_soft_refilter(sim);
}

/* The size of the largest of what moves: shapes, and ways from joint to joint. 1 m where there is none. */
static double length_of(const pk_model *m, const pki_colliders *c)
{
  double most = 0;
  for (int i = 0; i < c->nmoving; i++) {
    most = fmax(most, 2 * c->of[i].geometry->bound);
  }
  for (int i = 0; i < m->nbody; i++) {
    most = m->body_parent[i] >= 0 ? fmax(most, pki_length3(m->body_pos + 3 * (size_t)i)) : most;
  }
  return most > 0 && isfinite(most) ? most : 1;
}

pk_status pki_sim_collide_init(pk_sim *sim, pk_error *err)
{
  pki_scene *c = &sim->scene;
  const pk_sim_options *o = &sim->options;
  pk_status status = pki_geometries_create(sim->model, &c->geometries, err);
  if (status == PK_OK) {
    status = pki_colliders_init(&c->colliders, sim->model, c->geometries, o->broad, o->self_collision, err);
  }
  if (status == PK_OK && o->narrow != PK_NARROW_METHOD_AUTO) {
    const pki_narrow_form_options forms = {.cell = o->volume_cell, .margin = o->margin};
    status = pki_colliders_set_narrow(&c->colliders, o->narrow, forms, err);
  }
  c->length = status == PK_OK ? length_of(sim->model, &c->colliders) : 1;
  status = status == PK_OK ? pki_sim_exclude_by_design(sim, err) : status;
  if (status == PK_OK && pk_sim_release_overlaps(sim, NULL, 0) < 0) {
    status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for links that overlap");
  }
  return status;
}

void pki_sim_collide_free(pk_sim *sim)
{
  pki_soft_free(sim);
  pki_colliders_free(&sim->scene.colliders);
  pki_geometries_destroy(sim->scene.geometries);
  sim->scene.geometries = NULL;
}

static pk_status check_link(const pk_sim *sim, int link, const char *field, pk_error *err)
{
  return link >= 0 && link < sim->model->nlink
             ? PK_OK
             : pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field}, "%s is %d, expected 0 to %d",
                        field, link, sim->model->nlink - 1);
}

pk_status pk_sim_set_collision(pk_sim *sim, int link_a, int link_b, bool on, pk_error *err)
{
  pki_colliders *c = &sim->scene.colliders;
  pk_status status = check_link(sim, link_a, "link_a", err);
  status = status == PK_OK ? check_link(sim, link_b, "link_b", err) : status;
  if (status == PK_OK && sim->model->links[link_a].body == sim->model->links[link_b].body && on) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "link_b"},
                    "the links \"%s\" and \"%s\" do not move against each other: they cannot collide",
                    sim->model->links[link_a].name, sim->model->links[link_b].name);
  }
  if (status == PK_OK && link_a != link_b) {
    status = pki_filter_set(&c->filter, link_a, link_b, on ? PKI_RULE_ON : PKI_RULE_OFF, err);
    rebuild_collision_filter(sim);
  }
  return status;
}

pk_status pk_sim_set_group(pk_sim *sim, int shape, unsigned group, unsigned mask, pk_error *err)
{
  pki_colliders *c = &sim->scene.colliders;
  const int at = shape >= 0 ? pki_colliders_find(c, shape) : -1;
  if (at < 0) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "shape"},
                    "shape %d is none that collides; the model has %d shapes, counted from 0", shape,
                    sim->model->nshape);
  }
  c->of[at].group = group;
  c->of[at].mask = mask;
  rebuild_collision_filter(sim);
  return PK_OK;
}

/* ---- SRDF ---- */

/* A link of the file in the model; an error names the nearest one. */
static pk_status find_link(const pk_model *m, const char *path, int line, const char *prefix,
                           const char *name, int *out, pk_error *err)
{
  char full[512];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  *out = pk_model_find_link(m, full);
  if (*out >= 0) {
    return PK_OK;
  }
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  for (int i = 0; words != NULL && i < m->nlink; i++) {
    words[i] = m->links[i].name;
  }
  const char *near = words != NULL ? pki_nearest_word(full, words, m->nlink) : NULL;
  const pk_status status =
      pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.file = path, .line = line, .field = "disable_collisions"},
               "there is no link \"%.100s\"%s%.100s%s", full, near != NULL ? "; did you mean \"" : "",
               near != NULL ? near : "", near != NULL ? "\"?" : "");
  free(words);
  return status;
}

pk_status pk_sim_load_srdf(pk_sim *sim, const char *path, const char *prefix, pk_error *err)
{
  pki_srdf *srdf = NULL;
  pk_status status = pki_srdf_load(path, &srdf, err);
  int(*links)[2] = status == PK_OK ? calloc((size_t)srdf->npair + 1, sizeof *links) : NULL;
  if (status == PK_OK && links == NULL) {
    status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = path}, "out of memory");
  }
  for (int i = 0; links != NULL && status == PK_OK && i < srdf->npair; i++) {
    const pki_srdf_pair *p = &srdf->pairs[i];
    for (int k = 0; k < 2 && status == PK_OK; k++) {
      status =
          find_link(sim->model, path, p->line, prefix != NULL ? prefix : "", p->link[k], &links[i][k], err);
    }
  }
  for (int i = 0; links != NULL && status == PK_OK && i < srdf->npair; i++) {
    status = pk_sim_set_collision(sim, links[i][0], links[i][1], false, err);
  }
  free(links);
  pki_srdf_destroy(srdf);
  return status;
}

/* ---- what overlaps at the start ---- */

typedef struct overlaps {
  pk_sim_overlap_pair *pairs;
  int count, room;
} overlaps;

/* The deepest of each pair of links; false: no memory. */
static bool note_overlap(overlaps *all, int a, int b, double depth)
{
  const int low = a < b ? a : b, high = a < b ? b : a;
  for (int i = 0; i < all->count; i++) {
    pk_sim_overlap_pair *p = &all->pairs[i];
    if (p->link[0] == low && p->link[1] == high) {
      p->depth = depth > p->depth ? depth : p->depth;
      return true;
    }
  }
  if (all->count == all->room) {
    const int room = all->room > 0 ? 2 * all->room : 16;
    pk_sim_overlap_pair *pairs = realloc(all->pairs, (size_t)room * sizeof *pairs);
    if (pairs == NULL) {
      return false;
    }
    all->pairs = pairs, all->room = room;
  }
  all->pairs[all->count++] = (pk_sim_overlap_pair){.link = {low, high}, .depth = depth};
  return true;
}

/* Whether it was said by name that two colliders do. */
static bool is_named(const pki_colliders *c, const pki_collider *a, const pki_collider *b)
{
  return pki_filter_decide(&c->filter, a->link, a->body, b->link, b->body) == PKI_FILTER_INCLUDES;
}

/* Links that overlap by more than `least`, of one robot or, of those that collide, of two or with the ground (link -1); false: no
 * memory. */
static bool find_overlaps(pk_sim *sim, bool same_robot, double least, overlaps *all)
{
  pki_colliders *c = &sim->scene.colliders;
  const pki_work *w = &sim->workspace->work;
  bool memory = true;
  const int listed = pki_colliders_pairs(c, w, 0, 0);
  for (int p = 0; p < listed && memory; p++) {
    const int i = c->pairs[p].a, j = c->pairs[p].b;
    const pki_collider *a = &c->of[i], *b = &c->of[j];
    pk_proximity near;
    if ((a->robot == b->robot) == same_robot && pki_colliders_awake(c, w, 0, p, 0) &&
        pki_distance(a->geometry, &c->pose[i], b->geometry, &c->pose[j], 0, NULL, &near) &&
        near.distance < -least && !(same_robot && is_named(c, a, b))) {
      memory = note_overlap(all, a->link, b->link, -near.distance);
    }
  }
  return memory && listed >= 0;
}

int pk_sim_release_overlaps(pk_sim *sim, pk_sim_overlap_pair *out, int most)
{
  pki_colliders *c = &sim->scene.colliders;
  overlaps all = {0};
  pki_filter_unrelease(&c->filter);
  pki_colliders_refilter(c);
  pki_sim_place(sim);
  bool memory = find_overlaps(sim, true, PKI_OVERLAP * sim->scene.length, &all);
  for (int i = 0; i < all.count && memory; i++) {
    const int *link = all.pairs[i].link;
    memory = pki_filter_set(&c->filter, link[0], link[1], PKI_RULE_RELEASED, NULL) == PK_OK;
    if (i < most) {
      out[i] = all.pairs[i];
    }
  }
  rebuild_collision_filter(sim);
  free(all.pairs);
  return memory ? all.count : -1;
}

/* ---- like another sim ---- */

pk_status pki_sim_match(const pk_sim *sim, const pk_sim *other, const char *field, const char *what,
                        pk_error *err)
{
  if (sim->model == other->model) {
    return PK_OK;
  }
  const pk_status status = pki_model_match(sim->model, pk_model_hash(other->model), field, what, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_colliders *mine = &sim->scene.colliders, *its = &other->scene.colliders;
  if (sim->model->nlink != other->model->nlink || sim->model->nshape != other->model->nshape ||
      mine->nshape != its->nshape || pki_colliders_hash(mine) != pki_colliders_hash(its)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field},
                    "%s is of another model: it moves alike, but its links or collision shapes differ", what);
  }
  return PK_OK;
}

bool pki_sim_collides_as(const pk_sim *sim, const pk_sim *other)
{
  const pki_scene *a = &sim->scene, *b = &other->scene;
  const pki_filter *f = &a->colliders.filter, *g = &b->colliders.filter;
  bool same = a->terrain == b->terrain && a->nmaterial == b->nmaterial && a->npair == b->npair &&
              f->nrule == g->nrule &&
              memcmp(a->materials, b->materials, (size_t)a->nmaterial * sizeof *a->materials) == 0 &&
              memcmp(a->surfaces, b->surfaces, (size_t)sim->model->nshape * sizeof *a->surfaces) == 0 &&
              memcmp(a->pairs, b->pairs, (size_t)a->npair * sizeof *a->pairs) == 0 &&
              memcmp(&a->body_material, &b->body_material, sizeof a->body_material) == 0 &&
              (f->nrule == 0 || memcmp(f->rules, g->rules, (size_t)f->nrule * sizeof *f->rules) == 0);
  for (int i = 0; i < a->colliders.nshape && same; i++) {
    const pki_collider *x = &a->colliders.of[i], *y = &b->colliders.of[i];
    same = x->group == y->group && x->mask == y->mask;
  }
  return same && pki_sim_soft_as(sim, other);
}

pk_status pk_sim_set_like(pk_sim *sim, const pk_sim *other, pk_error *err)
{
  pki_scene *to = &sim->scene;
  const pki_scene *from = &other->scene;
  pk_status status = pki_sim_match(sim, other, "other", "the other sim", err);
  if (status != PK_OK) {
    return status;
  }
  status = pki_sim_soft_like(sim, other, err); /* before the ground: steppers without contact need to know */
  if (status != PK_OK) {
    return status;
  }
  status = pk_sim_set_terrain(sim, from->terrain, from->nmaterial > 0 ? from->materials : NULL,
                              from->nmaterial, err);
  if (status != PK_OK) {
    return status;
  }
  memcpy(to->surfaces, from->surfaces, (size_t)sim->model->nshape * sizeof *to->surfaces);
  memcpy(to->pairs, from->pairs, (size_t)from->npair * sizeof *to->pairs);
  to->npair = from->npair;
  to->body_material = from->body_material;
  to->colliders.filter.nrule = 0;
  for (int i = 0; i < from->colliders.filter.nrule && status == PK_OK; i++) {
    const pki_rule *r = &from->colliders.filter.rules[i];
    status = pki_filter_set(&to->colliders.filter, r->link[0], r->link[1], r->kind, err);
  }
  for (int i = 0; i < to->colliders.nshape; i++) {
    to->colliders.of[i].group = from->colliders.of[i].group;
    to->colliders.of[i].mask = from->colliders.of[i].mask;
  }
  rebuild_collision_filter(sim);
  return status == PK_OK ? pki_soft_plan(sim, err) : status; /* of the surfaces as they are now */
}

int pki_sim_intrusions(pk_sim *sim, double least, pk_sim_overlap_pair *out, int most)
{
  overlaps all = {0};
  pki_colliders_refilter(&sim->scene.colliders);
  pki_sim_place(sim);
  const bool memory = find_overlaps(sim, false, least, &all);
  for (int i = 0; i < all.count && i < most && memory; i++) {
    out[i] = all.pairs[i];
  }
  rebuild_collision_filter(sim);
  free(all.pairs);
  return memory ? all.count : -1;
}
