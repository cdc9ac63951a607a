/* What `pronk check` says of surfaces that give way. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd_check.h"
#include "contact/compliant/compliance_law.h"
#include "step/soft.h"
#include "step/world.h"

/* ---- who has which compliance ---- */

static void print_user(const char *kind, const char *name, void *user)
{
  int *shown = user;
  printf("%s%s %s", (*shown)++ == 0 ? "; " : ", ", kind, name);
}

static void add_user(const char *kind, const char *name, void *user)
{
  cJSON *entry = cJSON_CreateObject();
  cJSON_AddStringToObject(entry, "kind", kind);
  cJSON_AddStringToObject(entry, "name", name);
  cJSON_AddItemToArray(user, entry);
}

static const char *friction_word(const pk_compliance *c)
{
  for (int i = 0; i < pki_compliance_field_count; i++) {
    if (strcmp(pki_compliance_fields[i].name, "friction") == 0) {
      return pki_field_word(&pki_compliance_fields[i], (int)c->friction);
    }
  }
  return "";
}

/* "  compliance  sole: elastic-foundation, stiffness 1e+06, layer 0.005 m, friction stribeck 1.1 to 0.9; link LFoot" */
static void print_entry(const pki_scenario *s, const pki_scenario_compliance *entry)
{
  const pk_compliance *c = &entry->compliance;
  int shown = 0;
  printf("  compliance  %s: %s, stiffness %g, layer %g m", entry->name, pki_compliance_laws[c->law]->name,
         c->stiffness, c->layer);
  printf(", friction %s ", friction_word(c));
  if (c->friction != PK_COMPLIANCE_FRICTION_CONVEX && c->static_friction != c->dynamic_friction) {
    printf("%g to ", c->static_friction);
  }
  printf("%g", c->dynamic_friction);
  pki_compliance_users(s, entry->name, print_user, &shown);
  putchar('\n');
}

static void add_entry(cJSON *list, const pki_scenario *s, const pki_scenario_compliance *entry)
{
  const pk_compliance *c = &entry->compliance;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", entry->name);
  cJSON_AddStringToObject(o, "law", pki_compliance_laws[c->law]->name);
  pki_json_number(o, "stiffness", c->stiffness);
  pki_json_number(o, "layer", c->layer);
  cJSON_AddStringToObject(o, "friction", friction_word(c));
  pki_json_number(o, "static_friction", c->static_friction);
  pki_json_number(o, "dynamic_friction", c->dynamic_friction);
  pki_compliance_users(s, entry->name, add_user, cJSON_AddArrayToObject(o, "users"));
  cJSON_AddItemToArray(list, o);
}

/* ---- pairs ---- */

/* Pairs of links that give way, each once though they may have many shapes; in words or as JSON. */
typedef struct soft_pairs {
  const pki_scenario *scenario;
  const char *last[2]; /* the pair before; pairs of one link come one after the other */
  cJSON *list;         /* NULL: in words */
  int count;
} soft_pairs;

enum { PAIRS_SHOWN = 6 };

static const char *side_name(const pk_sim *sim, const pki_scenario *s, const pki_collider *c)
{
  return c->link >= 0                                     ? sim->model->links[c->link].name
         : c->material >= 0 && c->material < s->nmaterial ? s->materials[c->material].name
                                                          : "the ground";
}

static bool take_pair(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user)
{
  soft_pairs *p = user;
  const char *a = side_name(sim, p->scenario, &sim->scene.colliders.of[i]),
             *b = side_name(sim, p->scenario, &sim->scene.colliders.of[j]),
             *law = pki_compliance_laws[of[0]->law]->name;
  if (p->count > 0 && a == p->last[0] && b == p->last[1]) {
    return true;
  }
  p->last[0] = a, p->last[1] = b;
  p->count++;
  if (p->list != NULL) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "of", a);
    cJSON_AddStringToObject(o, "on", b);
    cJSON_AddStringToObject(o, "law", law);
    cJSON_AddItemToArray(p->list, o);
  } else if (p->count <= PAIRS_SHOWN) {
    printf("%s%s on %s (%s)", p->count == 1 ? "  soft pairs  " : ", ", a, b, law);
  }
  return true;
}

static bool is_soft(const pki_world *w)
{
  return w->sim->scene.soft != NULL;
}

/* A visitor that stops at the first pair. */
static bool find_one(pk_sim *sim, int i, int j, const pk_compliance *const of[2], void *user)
{
  bool *found = user;
  (void)sim, (void)i, (void)j, (void)of;
  *found = true;
  return false;
}

void pki_check_contact(const pki_scenario *scenario, const pki_world *world, char *out, size_t size)
{
  const char *law = pki_laws[scenario->step.law]->name;
  bool soft = false;
  if (is_soft(world)) {
    pki_soft_visit_pairs(world->sim, find_one, &soft);
  }
  if (soft && !pki_soft_has_hard_pair(world->sim)) {
    snprintf(out, size, "compliant surfaces");
  } else {
    snprintf(out, size, "%s%s contact", soft ? "compliant surfaces and " : "", law);
  }
}

void pki_check_print_compliance(const pki_scenario *scenario, const pki_world *world)
{
  soft_pairs pairs = {.scenario = scenario};
  for (int i = 0; i < scenario->ncompliance; i++) {
    print_entry(scenario, &scenario->compliances[i]);
  }
  if (!is_soft(world)) {
    return;
  }
  pki_soft_visit_pairs(world->sim, take_pair, &pairs);
  if (pairs.count > PAIRS_SHOWN) {
    printf(" and %d more", pairs.count - PAIRS_SHOWN);
  }
  puts(pairs.count > 0 ? "" : "  soft pairs  none");
}

void pki_check_add_compliance(cJSON *o, const pki_scenario *scenario, const pki_world *world)
{
  cJSON *entries = cJSON_AddArrayToObject(o, "compliance");
  soft_pairs pairs = {.scenario = scenario, .list = cJSON_AddArrayToObject(o, "soft_pairs")};
  char contact[128];
  for (int i = 0; i < scenario->ncompliance; i++) {
    add_entry(entries, scenario, &scenario->compliances[i]);
  }
  if (is_soft(world)) {
    pki_soft_visit_pairs(world->sim, take_pair, &pairs);
  }
  pki_check_contact(scenario, world, contact, sizeof contact);
  cJSON_AddStringToObject(o, "contact", contact);
}
