/* Who has which compliance, and warnings about compliances that do nothing. */
#include <stdio.h>
#include <string.h>

#include "scenario/section.h"
#include "step/soft.h"
#include "step/world.h"

/* One search for the users of a compliance. */
typedef struct user_search {
  const char *compliance;
  pki_compliance_visitor *visit;
  void *user;
  int count;
} user_search;

static void meet_user(user_search *search, const char *kind, const char *name)
{
  search->count++;
  if (search->visit != NULL) {
    search->visit(kind, name, search->user);
  }
}

/* Whether an entry's key `compliance` is the one that is looked for. */
static bool names_compliance(const pki_node *entry, const char *compliance)
{
  const pki_node *n = entry->kind == PKI_NODE_MAP ? pki_node_find(entry, "compliance") : NULL;
  return n != NULL && n->kind == PKI_NODE_SCALAR && strcmp(n->text, compliance) == 0;
}

static void find_links(const pki_scenario_model *model, user_search *search)
{
  const pki_node *map = model->node->kind == PKI_NODE_MAP ? pki_node_find(model->node, "surfaces") : NULL;
  for (const pki_node *n = map != NULL ? map->first : NULL; n != NULL; n = n->next) {
    if (names_compliance(n, search->compliance)) {
      char name[256];
      snprintf(name, sizeof name, "%s%.180s", model->prefix, n->key);
      meet_user(search, "link", name);
    }
  }
}

static void find_pairs(const pki_scenario *s, user_search *search)
{
  for (const pki_node *n = s->pairs != NULL ? s->pairs->first : NULL; n != NULL; n = n->next) {
    if (names_compliance(n, search->compliance)) {
      const pki_node *surface = pki_node_find(n, "surface"), *with = pki_node_find(n, "with");
      const pki_node *other = with != NULL ? with : pki_node_find(n, "material");
      char name[256];
      snprintf(name, sizeof name, "%.100s on %.100s", surface != NULL ? surface->text : "",
               other != NULL ? other->text : "");
      meet_user(search, "pair", name);
    }
  }
}

int pki_compliance_users(const pki_scenario *scenario, const char *compliance, pki_compliance_visitor *visit,
                         void *user)
{
  const pki_scenario *s = scenario;
  user_search search = {compliance, visit, user, 0};
  for (int i = 0; i < s->nmodel; i++) {
    find_links(&s->models[i], &search);
  }
  for (int i = 0; i < s->nobject; i++) {
    if (strcmp(s->objects[i].compliance, compliance) == 0) {
      meet_user(&search, "object", s->objects[i].name[0] != '\0' ? s->objects[i].name : "object");
    }
  }
  for (int i = 0; i < s->nmaterial; i++) {
    if (strcmp(s->materials[i].compliance, compliance) == 0) {
      meet_user(&search, "material", s->materials[i].name);
    }
  }
  find_pairs(s, &search);
  return search.count;
}

/* Whether some pair has a compliance. */
typedef struct meeting {
  const pk_compliance *of;
  bool found;
} meeting;

static bool look_for_meeting(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user)
{
  meeting *m = user;
  (void)sim, (void)i, (void)j;
  m->found = memcmp(of[0], m->of, sizeof *m->of) == 0 || memcmp(of[1], m->of, sizeof *m->of) == 0;
  return !m->found;
}

static void check_entry(const pki_world *w, const pki_scenario_compliance *c, pki_problems *warnings)
{
  const pki_scenario *s = w->scenario;
  const pki_node *node = pki_node_find(s->compliance_node, c->name);
  if (pki_compliance_users(s, c->name, NULL, NULL) == 0) {
    pki_problem(
        warnings, node,
        "nobody has this compliance: name it in \"surfaces\" of a model, in an object, a material or a "
        "pair");
    return;
  }
  meeting met = {&c->compliance, false};
  if (w->sim->scene.soft != NULL) {
    pki_soft_visit_pairs(w->sim, look_for_meeting, &met);
  }
  if (!met.found) {
    pki_problem(
        warnings, node,
        "no pair gives way by it, all that have it touch hard: give what they meet a compliance, too");
  }
}

/* Numbers of the laws of hard contact that are given beside a compliance. */
static void check_material(const pki_scenario_material *m, pki_problems *warnings)
{
  static const char *const keys[] = {"restitution_n", "restitution_t", "viscous"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0] && m->compliance[0] != '\0'; i++) {
    const pki_node *n = pki_node_find(m->node, keys[i]);
    if (n != NULL) {
      pki_problem(warnings, n,
                  "%s does not act where both surfaces give way: \"dissipation\" and \"viscous_friction\" of "
                  "the compliance \"%s\" do",
                  keys[i], m->compliance);
    }
  }
}

void pki_world_check_compliance(const pki_world *world, pki_problems *warnings)
{
  const pki_scenario *s = world->scenario;
  for (int i = 0; i < s->ncompliance; i++) {
    check_entry(world, &s->compliances[i], warnings);
  }
  for (int i = 0; i < s->nmaterial; i++) {
    check_material(&s->materials[i], warnings);
  }
}
