/* Which pairs collide: links by name, SRDF files, and what overlaps in the start pose. */
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "pronk/collision.h"
#include "scenario/files.h"
#include "scenario/on_ground.h"
#include "scenario/section.h"
#include "sim/query.h"

/* ---- pairs ---- */

/* "there is no link ..." with the nearest one of the model. */
static pk_status fail_link(const pk_model *m, const pki_node *node, pk_error *err)
{
  const char **words = calloc((size_t)m->nlink + 1, sizeof *words);
  int chosen;
  for (int i = 0; words != NULL && i < m->nlink; i++) {
    words[i] = m->links[i].name;
  }
  const pk_status status =
      pki_read_choice(node, "link", node->text, words, words != NULL ? m->nlink : 0, &chosen, err);
  free(words);
  return status;
}

/* A name or a pattern that some link has. */
static pk_status check_name(const pk_model *m, const pki_node *node, pk_error *err)
{
  if (node->kind != PKI_NODE_SCALAR || pki_node_is_null(node)) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT, "this is %s, expected the name of a link",
                         pki_node_what(node));
  }
  for (int i = 0; i < m->nlink; i++) {
    if (pki_pattern_matches(node->text, m->links[i].name)) {
      return PK_OK;
    }
  }
  return strchr(node->text, '*') != NULL
             ? pki_node_fail(node, err, PK_ERROR_ARGUMENT, "no link has a name like \"%.100s\"", node->text)
             : fail_link(m, node, err);
}

/* All links like the one with all links like the other. */
static pk_status set_pair(pk_sim *sim, const pki_node *node, bool on, pk_error *err)
{
  const pk_model *m = pk_sim_model(sim);
  pk_status status = pki_read_kind(node, PKI_NODE_LIST, err);
  if (status == PK_OK && node->count != 2) {
    status = pki_node_fail(node, err, PK_ERROR_ARGUMENT, "this names %d link%s, expected two", node->count,
                           node->count == 1 ? "" : "s");
  }
  for (const pki_node *n = node->first; n != NULL && status == PK_OK; n = n->next) {
    status = check_name(m, n, err);
  }
  if (status != PK_OK || node->first == NULL || node->first->next == NULL) {
    return status;
  }
  const char *first = node->first->text, *second = node->first->next->text;
  int set = 0;
  for (int a = 0; a < m->nlink && status == PK_OK; a++) {
    for (int b = 0; b < m->nlink && status == PK_OK && pki_pattern_matches(first, m->links[a].name); b++) {
      if (m->links[a].body != m->links[b].body && pki_pattern_matches(second, m->links[b].name)) {
        status = pki_node_place(pk_sim_set_collision(sim, a, b, on, err), node, "", err);
        set++;
      }
    }
  }
  return status == PK_OK && set == 0
             ? pki_node_fail(node, err, PK_ERROR_ARGUMENT,
                             "these links do not move against each other: they never collide")
             : status;
}

static void set_pairs(pk_sim *sim, const pki_node *list, bool on, pki_problems *problems)
{
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    pk_error err = {0};
    pki_problems_note(problems, set_pair(sim, n, on, &err), &err);
  }
}

/* ---- SRDF ---- */

static void load_srdf(const pki_scenario *s, const pki_scenario_model *m, pk_sim *sim, pki_problems *problems)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  if (m->srdf[0] == '\0') {
    return;
  }
  const pki_node *node = pki_node_find(m->node, "srdf");
  pk_status status = pki_scenario_find_file(s, node, m->srdf, path, &err);
  if (status == PK_OK) {
    status = pk_sim_load_srdf(sim, path, m->prefix, &err);
    status = pki_scenario_place_file(status, node, m->srdf, &err);
  }
  pki_problems_note(problems, status, &err);
}

static void set_collide(pki_world *world, pki_problems *problems)
{
  const pki_scenario *scenario = world->scenario;
  pk_sim *sim = world->sim;
  const pki_node *map = scenario->collide;
  for (int i = 0; i < scenario->nmodel; i++) {
    load_srdf(scenario, &scenario->models[i], sim, problems);
  }
  if (map != NULL) {
    set_pairs(sim, pki_node_find(map, "ignore"), false, problems);
    set_pairs(sim, pki_node_find(map, "force"), true, problems);
  }
}

/* ---- warnings ---- */

/* Whether a link is one of the scenario's objects: they come after all models. */
static bool is_object(const pki_world *world, int link)
{
  return link >= 0 && world->model->links[link].robot >= world->model_robot[world->scenario->nmodel];
}

/* Objects that start in something else are pushed out of it. A millimetre may be meant, as of a heap that is shaken. */
static void check_objects(const pki_world *world, pki_problems *warnings)
{
  enum { MOST = 64, SHOWN = 8 };
  pk_sim_overlap_pair pairs[MOST];
  const pki_node *node = pki_node_find(pki_document_root(world->scenario->document), "objects");
  const int count = node != NULL ? pki_sim_intrusions(world->sim, 1e-3, pairs, MOST) : 0;
  int told = 0;
  for (int i = 0; i < count && i < MOST && told < SHOWN; i++) {
    const int *link = pairs[i].link; /* the first is the ground, or comes first in the model */
    if (is_object(world, link[0]) || is_object(world, link[1])) {
      pki_problem(warnings, node, "%s overlaps %s by %.3g mm at the start and will be pushed out",
                  world->model->links[link[1]].name,
                  link[0] >= 0 ? world->model->links[link[0]].name : "the ground", 1e3 * pairs[i].depth);
      told++;
    }
  }
  if (told == SHOWN && count > SHOWN) {
    pki_problem(warnings, node, "more objects overlap at the start");
  }
}

void pki_world_check_overlaps(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  const pk_sim_overlap_pair *pairs = world->overlaps;
  const pki_node *node = s->collide != NULL ? s->collide
                         : s->nmodel > 0    ? s->models[0].node
                                            : pki_document_root(s->document);
  const int count = world->noverlap;
  for (int i = 0; i < count && i < PKI_OVERLAPS_TOLD; i++) {
    pki_problem(
        warnings, node,
        "the links %s and %s overlap by %.3g mm in the start pose: they do not collide; move them apart, "
        "or name them under collide.ignore",
        world->model->links[pairs[i].link[0]].name, world->model->links[pairs[i].link[1]].name,
        1e3 * pairs[i].depth);
  }
  if (count > PKI_OVERLAPS_TOLD) {
    pki_problem(warnings, node, "%d more pairs of links overlap in the start pose and do not collide",
                count - PKI_OVERLAPS_TOLD);
  }
  check_objects(world, warnings);
  pki_world_check_ground(world, warnings);
  pki_world_check_files(world, warnings);
}

/* ---- the section ---- */

static const pk_field collide_fields[] = {
    PKI_PART("ignore",
             "pairs of links that do not collide, with their prefixes, or patterns with *: a list of lists"),
    PKI_PART("force", "pairs that do, though they are joined, or overlap at the start: likewise"),
};
static const int collide_field_count = PKI_COUNT(collide_fields);

/* Names are looked up when there is a world. */
static void read_collide(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  const pki_binding binding = {collide_fields, collide_field_count, s};
  if (map != NULL && pki_read_map(map, &binding, 1, problems) == PK_OK) {
    s->collide = map;
  }
}

static const pki_schema_table collide_tables[] = {
    {"collide", "`collide`", collide_fields, &collide_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_collide = {.name = "collide",
                                         .doc = "which links collide, beside what is usual",
                                         .form = PKI_SECTION_IS_MAPPING,
                                         .tables = collide_tables,
                                         .read = read_collide,
                                         .set = set_collide};
