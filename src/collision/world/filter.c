#include "collision/world/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { NOBODY = -2 };

/* ---- bodies that joints join ---- */

/* The body that body i hangs on, past helpers that carry no link. Free bodies hang on nothing. */
static int joined_to(const pk_model *m, int i)
{
  int parent = i;
  do {
    if (m->body_motion[parent] == PK_MOTION_FLOATING) {
      return NOBODY;
    }
    parent = m->body_parent[parent];
  } while (parent >= 0 && m->body_link[parent] < 0);
  return parent;
}

static int compare_pairs(const void *x, const void *y)
{
  const int *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Cut joints and constraints that close loops join bodies too; distances and couplings do not. */
static void join_constraints(pki_filter *f)
{
  for (int i = 0; i < f->model->nconstraint; i++) {
    const pk_model_constraint *c = &f->model->constraints[i];
    const int a = c->body[0], b = c->body[1];
    if (c->length > 0 || c->dof[0] >= 0 || a == b) {
      continue;
    }
    f->pairs[f->npair][0] = a < b ? a : b;
    f->pairs[f->npair++][1] = a < b ? b : a;
  }
  qsort(f->pairs, (size_t)f->npair, sizeof *f->pairs, compare_pairs);
}

bool pki_filter_joins(const pki_filter *f, int a, int b)
{
  if ((a >= 0 && f->joined[a] == b) || (b >= 0 && f->joined[b] == a)) {
    return true;
  }
  const int key[2] = {a < b ? a : b, a < b ? b : a};
  return f->npair > 0 && bsearch(key, f->pairs, (size_t)f->npair, sizeof *f->pairs, compare_pairs) != NULL;
}

/* ---- pairs of which the model speaks ---- */

static int compare_shape_rules(const void *x, const void *y)
{
  const pki_shape_rule *a = x, *b = y;
  return compare_pairs(a->shape, b->shape);
}

static int compare_words(const void *x, const void *y)
{
  const pki_shape_rule *a = x, *b = y;
  const int order = compare_shape_rules(x, y);
  return order != 0 ? order : (a->word > b->word) - (a->word < b->word);
}

/* Rules of shapes in order; the last word on a pair counts. */
static void sort_shape_rules(pki_filter *f)
{
  int kept = 0;
  qsort(f->shape_rules, (size_t)f->nshape_rule, sizeof *f->shape_rules, compare_words);
  for (int i = 0; i < f->nshape_rule; i++) {
    const bool again = kept > 0 && compare_shape_rules(&f->shape_rules[kept - 1], &f->shape_rules[i]) == 0;
    f->shape_rules[again ? kept - 1 : kept++] = f->shape_rules[i];
  }
  f->nshape_rule = kept;
}

/* Pairs of shapes become rules of their own; pairs of links are rules of links. */
static pk_status take_pairs(pki_filter *f, pk_error *err)
{
  const pk_model *m = f->model;
  f->shape_rules = malloc(((size_t)m->npair + 1) * sizeof *f->shape_rules);
  if (f->shape_rules == NULL) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for %d pairs of shapes", m->npair);
  }
  pk_status status = PK_OK;
  for (int i = 0; i < m->npair && status == PK_OK; i++) {
    const pk_model_pair *p = &m->pairs[i];
    const int a = p->index[0], b = p->index[1];
    if (p->shapes) {
      f->shape_rules[f->nshape_rule++] = (pki_shape_rule){
          .shape = {a < b ? a : b, a < b ? b : a}, .word = i, .collide = p->collide, .friction = p->friction};
    } else if (a != b) {
      status = pki_filter_set(f, a, b, p->collide ? PKI_RULE_ON : PKI_RULE_OFF, err);
    }
  }
  sort_shape_rules(f);
  return status;
}

const pki_shape_rule *pki_filter_shapes(const pki_filter *f, int a, int b)
{
  const pki_shape_rule key = {.shape = {a < b ? a : b, a < b ? b : a}};
  return f->nshape_rule == 0
             ? NULL
             : bsearch(&key, f->shape_rules, (size_t)f->nshape_rule, sizeof key, compare_shape_rules);
}

pk_status pki_filter_init(pki_filter *f, const pk_model *model, bool self_collision, pk_error *err)
{
  *f = (pki_filter){.model = model, .self_collision = self_collision};
  f->joined = malloc(((size_t)model->nbody + 1) * sizeof *f->joined);
  f->pairs = malloc(((size_t)model->nconstraint + 1) * sizeof *f->pairs);
  if (f->joined == NULL || f->pairs == NULL) {
    pki_filter_free(f);
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for the pairs of %d bodies",
                    model->nbody);
  }
  for (int i = 0; i < model->nbody; i++) {
    f->joined[i] = joined_to(model, i);
  }
  join_constraints(f);
  const pk_status status = take_pairs(f, err);
  if (status != PK_OK) {
    pki_filter_free(f);
  }
  return status;
}

void pki_filter_free(pki_filter *f)
{
  free(f->rules);
  free(f->shape_rules);
  free(f->joined);
  free(f->pairs);
  *f = (pki_filter){0};
}

/* ---- pairs of links ---- */

/* Where the rule of a pair (a < b) is, or would be. */
static int find_rule(const pki_filter *f, int a, int b)
{
  int low = 0, high = f->nrule;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const int *link = f->rules[middle].link;
    if (link[0] < a || (link[0] == a && link[1] < b)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

pk_status pki_filter_set(pki_filter *f, int a, int b, pki_rule_kind kind, pk_error *err)
{
  const int low = a < b ? a : b, high = a < b ? b : a, at = find_rule(f, low, high);
  if (at < f->nrule && f->rules[at].link[0] == low && f->rules[at].link[1] == high) {
    f->rules[at].kind = kind;
    return PK_OK;
  }
  if (f->nrule == f->room) {
    const int room = f->room > 0 ? 2 * f->room : 16;
    pki_rule *rules = realloc(f->rules, (size_t)room * sizeof *rules);
    if (rules == NULL) {
      return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "no memory for %d pairs of links", room);
    }
    f->rules = rules, f->room = room;
  }
  memmove(f->rules + at + 1, f->rules + at, (size_t)(f->nrule - at) * sizeof *f->rules);
  f->rules[at] = (pki_rule){.link = {low, high}, .kind = kind};
  f->nrule++;
  return PK_OK;
}

void pki_filter_unrelease(pki_filter *f)
{
  int kept = 0;
  for (int i = 0; i < f->nrule; i++) {
    if (f->rules[i].kind != PKI_RULE_RELEASED) {
      f->rules[kept++] = f->rules[i];
    }
  }
  f->nrule = kept;
}

const pki_rule *pki_filter_rule(const pki_filter *f, int link_a, int link_b)
{
  const int low = link_a < link_b ? link_a : link_b, high = link_a < link_b ? link_b : link_a;
  const int at = f->nrule > 0 ? find_rule(f, low, high) : 0;
  const bool found = at < f->nrule && f->rules[at].link[0] == low && f->rules[at].link[1] == high;
  return found ? &f->rules[at] : NULL;
}

pki_filter_answer pki_filter_decide(const pki_filter *f, int link_a, int body_a, int link_b, int body_b)
{
  if (body_a == body_b) {
    return PKI_FILTER_EXCLUDES;
  }
  const pki_rule *rule = pki_filter_rule(f, link_a, link_b);
  if (rule != NULL) {
    return rule->kind == PKI_RULE_ON ? PKI_FILTER_INCLUDES : PKI_FILTER_EXCLUDES;
  }
  const bool same_robot = f->model->links[link_a].robot == f->model->links[link_b].robot;
  if (same_robot && !f->self_collision) {
    return PKI_FILTER_EXCLUDES;
  }
  /* the world holds other robots' shapes too: only a robot's own are joined to it */
  const bool strangers = (body_a < 0 || body_b < 0) && !same_robot;
  return !strangers && pki_filter_joins(f, body_a, body_b) ? PKI_FILTER_EXCLUDES : PKI_FILTER_UNDECIDED;
}
