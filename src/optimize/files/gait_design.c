/* What a gait file says of numbers of the robot that are chosen together with its motion. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "optimize/files/gait_fields.h"
#include "optimize/motion/design.h"

/* Joints of a name or pattern get this sign; of those that are to be a part of the row already, `within`. */
static void mark_joints(const pki_gait_file *g, const pki_node *node, int sign, bool within,
                        pki_motion_design *d, pki_problems *problems)
{
  int dofs[PKI_MOTION_DOFS];
  if (node->kind != PKI_NODE_SCALAR || node->text[0] == '\0') {
    pki_problem(problems, node, "this is %s, expected the name of a joint", pki_node_what(node));
    return;
  }
  const int count = pki_gait_find_coordinates(g, node, node->text, dofs, problems);
  for (int k = 0; k < count; k++) {
    if (within && d->sign[dofs[k]] == 0) {
      pki_problem(problems, node, "%s is none of the joints of the row",
                  pki_gait_coordinate_name(g->model, dofs[k]));
    }
    d->sign[dofs[k]] = sign;
  }
}

/* The same of links, by the joints that they hang on. */
static void mark_links(const pki_gait_file *g, const pki_node *node, int sign, bool within,
                       pki_motion_design *d, pki_problems *problems)
{
  const pk_model *m = g->model;
  int found = 0;
  (void)within;
  if (node->kind != PKI_NODE_SCALAR || node->text[0] == '\0') {
    pki_problem(problems, node, "this is %s, expected the name of a link", pki_node_what(node));
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    const int body = m->links[i].body;
    if (body >= 0 && m->body_link[body] == i && pki_pattern_matches(node->text, m->links[i].name)) {
      d->sign[m->body_u[body]] = sign;
      found++;
    }
  }
  if (found == 0) {
    pki_problem(problems, node, "there is no link \"%.60s\" that hangs on a joint", node->text);
  }
}

typedef void (*mark_function)(const pki_gait_file *g, const pki_node *node, int sign, bool within,
                              pki_motion_design *d, pki_problems *problems);

/* A name, a pattern, or a list of such. */
static void read_names(const pki_gait_file *g, const pki_node *node, mark_function mark, int sign,
                       bool within, pki_motion_design *d, pki_problems *problems)
{
  if (node == NULL || node->kind != PKI_NODE_LIST) {
    if (node != NULL) {
      mark(g, node, sign, within, d, problems);
    }
    return;
  }
  for (const pki_node *n = node->first; n != NULL; n = n->next) {
    mark(g, n, sign, within, d, problems);
  }
}

/* "*_KFE", or "LF_KFE, RF_KFE" of a list. */
static void name_row(const pki_gait_design *e, const pki_node *joints, pki_motion_design *d)
{
  if (e->name[0] != '\0') {
    pki_copy_cut(d->name, sizeof d->name, e->name);
  } else if (joints->kind != PKI_NODE_LIST) {
    pki_copy_cut(d->name, sizeof d->name, joints->text);
  } else {
    size_t at = 0;
    for (const pki_node *n = joints->first; n != NULL && at < sizeof d->name; n = n->next) {
      at += (size_t)snprintf(d->name + at, sizeof d->name - at, "%s%s", at > 0 ? ", " : "", n->text);
    }
  }
}

/* Whether a key is there; a problem where it is not. */
static bool has_key(const pki_gait_design *e, const char *key, pki_problems *problems)
{
  const bool there = pki_node_find(e->node, key) != NULL;
  if (!there) {
    pki_problem(problems, e->node, "the key \"%s\" is missing", key);
  }
  return there;
}

/* Keys that are there, and none that is about another kind. */
static bool check_keys(const pki_gait_design *e, pki_problems *problems)
{
  const bool length = e->what == PKI_DESIGN_LENGTH;
  const struct {
    const char *key, *why;
    bool fits;
  } keys[] = {
      {"opposite", "has no sign: `opposite` is for parallel-rest alone", e->what == PKI_DESIGN_PARALLEL_REST},
      {"joints", "is one of links: `links` names them", !length},
      {"links", "is one of joints: `joints` names them", length},
      {"mass", "has no mass: `mass` is for length alone", length}};
  bool whole = has_key(e, "what", problems);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0] && whole; i++) {
    const pki_node *node = pki_node_find(e->node, keys[i].key);
    if (node != NULL && !keys[i].fits) {
      pki_problem(problems, node, "a %s %s", pki_design_words[e->what], keys[i].why);
      return false;
    }
  }
  whole = has_key(e, length ? "links" : "joints", problems) && whole;
  whole = has_key(e, "lower", problems) && whole;
  return has_key(e, "upper", problems) && whole;
}

static void read_row(pki_gait_file *g, const pki_gait_design *e, pki_problems *problems)
{
  pki_motion_problem *p = &g->problem;
  if (!check_keys(e, problems)) {
    return;
  }
  if (p->ndesign == PKI_MOTION_DESIGNS) {
    pki_problem(problems, e->node, "more than %d rows", PKI_MOTION_DESIGNS);
    return;
  }
  const bool length = e->what == PKI_DESIGN_LENGTH;
  const pki_node *names = pki_node_find(e->node, length ? "links" : "joints");
  pki_motion_design *d = &p->designs[p->ndesign];
  const bool given = pki_node_find(e->node, "start") != NULL;
  *d = (pki_motion_design){.kind = (pki_design_kind)e->what,
                           .constant_mass = e->mass != 0,
                           .lower = e->lower,
                           .upper = e->upper,
                           .start = given ? e->start : (e->lower + e->upper) / 2,
                           .scan = e->scan};
  const int before = pki_problems_total(problems);
  read_names(g, names, length ? mark_links : mark_joints, 1, false, d, problems);
  read_names(g, pki_node_find(e->node, "opposite"), mark_joints, -1, true, d, problems);
  name_row(e, names, d);
  p->ndesign += pki_problems_total(problems) == before ? 1 : 0;
}

/* Motors whose gear is chosen have the gear that the search starts with. What limits the torque of a motor behind a chosen gear or a
 * spring is a row of the program; the joint keeps the limit of the model or the file. */
static void set_motors(pki_motion_problem *p)
{
  double start[PKI_MOTION_DESIGNS];
  for (int i = 0; i < p->ndesign; i++) {
    start[i] = p->designs[i].start;
  }
  for (int k = 0; k < p->model->nu; k++) {
    const bool behind = pki_design_find(p, PKI_DESIGN_GEAR, k) >= 0 ||
                        pki_design_find(p, PKI_DESIGN_SERIES_STIFFNESS, k) >= 0;
    if (behind && p->motor[k].peak > 0) {
      p->tau_upper[k] = p->motor[k].effort;
    }
  }
  pki_design_apply(p, start);
}

const pki_node *pki_gait_design_node(const pki_gait_file *g, const char *field)
{
  const pki_node *list = pki_node_find(pki_document_root(g->document), "design");
  if (list == NULL || strncmp(field, "design[", 7) != 0) {
    return NULL;
  }
  const pki_node *n = list->first;
  for (int left = atoi(field + 7); left > 0 && n != NULL; left--) {
    n = n->next;
  }
  return n;
}

void pki_gait_read_design(pki_gait_file *g, pki_problems *problems)
{
  const pki_node *list = pki_node_find(pki_document_root(g->document), "design");
  void *read = NULL;
  int count = 0;
  pki_read_entries(list, pki_gait_design_fields, pki_gait_design_field_count, sizeof(pki_gait_design), &read,
                   &count, problems);
  const pki_gait_design *entries = read;
  for (int i = 0; i < count; i++) {
    read_row(g, &entries[i], problems);
  }
  free(read);
  set_motors(&g->problem);
}
