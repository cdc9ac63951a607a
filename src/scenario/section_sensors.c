/* Sensors of the robots: one for each link or joint that an entry speaks of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "math/mat3.h"
#include "scenario/section.h"
#include "sense/sensing.h"
#include "step/world.h"

static const pk_field sensor_fields[] = {
    {"kind", offsetof(pki_scenario_sensor, kind), PK_FIELD_ROW, "", -1, 0, 0, pki_sensing_kinds,
     "what it measures (pronk list sensors)"},
    PKI_TEXT("name", pki_scenario_sensor, name, 0,
             "what it is called; of several: with what each is on. Default: the kind"),
    PKI_TEXT("links", pki_scenario_sensor, links, 0,
             "of kinds on links: a link with its prefix, or a pattern with *; this or site"),
    PKI_TEXT("joints", pki_scenario_sensor, joints, 0,
             "of kinds on joints: a joint with its prefix, or a pattern with *"),
    PKI_TEXT("site", pki_scenario_sensor, site, 0, "of kinds on links: a site of the model, with its prefix"),
    PKI_TEXT("part", pki_scenario_sensor, part, 0,
             "a real part, whose numbers the keys below replace (pronk list sensors)"),
};
static const int sensor_field_count = PKI_COUNT(sensor_fields);

/* ---- reading ---- */

/* A key that only some kinds have a use for. */
typedef struct useful_key {
  const char *key;
  const char *kinds[3]; /* up to NULL */
} useful_key;

static const useful_key useful_keys[] = {
    {"axes", {"velocity", "contact-force", NULL}},
    {"velocity", {"encoder", "motor-encoder", NULL}},
    {"threshold", {"switch", NULL}},
    {"reach", {"ray", "height-scan", NULL}},
    {"spacing", {"height-scan", NULL}},
    {"points_x", {"height-scan", NULL}},
    {"points_y", {"height-scan", NULL}},
};

static bool has_key(const pki_scenario_sensor *s, const char *key)
{
  return pki_node_find(s->node, key) != NULL;
}

static void refuse_key(const pki_scenario_sensor *s, const char *key, bool allowed, pki_problems *problems)
{
  if (!allowed && has_key(s, key)) {
    pki_problem(problems, pki_node_find(s->node, key), "%s has no meaning for the sensor \"%s\"", key,
                pki_sensing_kinds[s->kind]->name);
  }
}

static void check_keys(const pki_scenario_sensor *s, pki_problems *problems)
{
  const pk_sensing_kind *kind = pki_sensing_kinds[s->kind];
  const bool joint = kind->place == PK_SENSING_ON_JOINT, at_site = has_key(s, "site");
  for (int i = 0; i < PKI_COUNT(useful_keys); i++) {
    bool useful = false;
    for (int k = 0; useful_keys[i].kinds[k] != NULL; k++) {
      useful |= strcmp(useful_keys[i].kinds[k], kind->name) == 0;
    }
    refuse_key(s, useful_keys[i].key, useful, problems);
  }
  for (int i = 0; i < pki_sensor_part_field_count; i++) {
    const char *key = pki_sensor_part_fields[i].name;
    const bool angular = strncmp(key, "angular_", 8) == 0;
    const bool digital = strcmp(key, "angular_resolution") == 0 || strcmp(key, "angular_range") == 0;
    refuse_key(s, key, !angular || (kind->angular != 0 && !(digital && kind->attitude)), problems);
  }
  refuse_key(s, "joints", joint, problems);
  refuse_key(s, "links", !joint, problems);
  refuse_key(s, "site", !joint, problems);
  refuse_key(s, "position", !joint && !at_site, problems);
  refuse_key(s, "rpy", !joint && !at_site, problems);
  if (joint && !has_key(s, "joints")) {
    pki_problem(problems, s->node, "the sensor \"%s\" needs the key \"joints\"", kind->name);
  }
  if (!joint && at_site && has_key(s, "links")) {
    pki_problem(
        problems, s->node,
        "the sensor \"%s\" has both \"links\" and \"site\", expected one of them: a site is on a link",
        kind->name);
  } else if (!joint && !at_site && !has_key(s, "links")) {
    pki_problem(problems, s->node, "the sensor \"%s\" needs one of the keys \"links\" and \"site\"",
                kind->name);
  }
}

/* The numbers of its part, before other keys replace some of them. */
static pk_status read_part(pki_scenario_sensor *s, pk_error *err)
{
  const pki_node *node = pki_node_find(s->node, "part");
  const char *words[64];
  int count = 0, row = 0;
  for (; count < 64 && pki_sensor_parts[count] != NULL; count++) {
    words[count] = pki_sensor_parts[count]->name;
  }
  pk_status status = pki_read_field(node, pki_fields_find(sensor_fields, sensor_field_count, "part"), s, err);
  if (status != PK_OK || node == NULL) {
    return status;
  }
  status = pki_read_choice(node, "part", s->part, words, count, &row, err);
  const char *kind = pki_sensing_kinds[s->kind]->name;
  kind = strcmp(kind, "motor-encoder") == 0 ? "encoder" : kind; /* the same parts */
  if (status == PK_OK && strcmp(pki_sensor_parts[row]->kind, kind) != 0) {
    return pki_node_fail(node, err, PK_ERROR_ARGUMENT,
                         "the part \"%s\" is of the kind \"%s\", this sensor is \"%s\"", s->part,
                         pki_sensor_parts[row]->kind, pki_sensing_kinds[s->kind]->name);
  }
  s->as.part = status == PK_OK ? pki_sensor_parts[row]->part : s->as.part;
  return status;
}

static void read_entry(pki_scenario_sensor *s, pki_problems *problems)
{
  pk_error err = {0};
  const int before = pki_problems_total(problems);
  if (pki_expect_kind(s->node, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  pki_fields_preset(pki_sensor_fields, pki_sensor_field_count, &s->as);
  pk_status status = pki_read_field(pki_node_find(s->node, "kind"), sensor_fields, s, &err);
  if (status == PK_OK && has_key(s, "kind")) {
    pki_problems_note(problems, read_part(s, &err), &err);
  }
  const pki_binding bindings[] = {{sensor_fields, sensor_field_count, s},
                                  {pki_sensor_fields, pki_sensor_field_count, &s->as},
                                  {pki_sensor_part_fields, pki_sensor_part_field_count, &s->as.part}};
  pki_read_map(s->node, bindings, 3, problems); /* tells of a kind that is none or not there */
  if (pki_problems_total(problems) == before) {
    check_keys(s, problems);
  }
}

static void read_sensors(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  s->sensors = calloc((size_t)list->count + 1, sizeof *s->sensors);
  if (s->sensors == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    s->sensors[s->nsensor].node = n;
    read_entry(&s->sensors[s->nsensor++], problems);
  }
}

static void release_sensors(pki_scenario *s)
{
  free(s->sensors);
}

/* ---- what entries stand for ---- */

/* A sensor that an entry stands for. */
typedef struct found_sensor {
  pk_sensor as;
  char name[128]; /* "": none */
  const pki_node *node;
} found_sensor;

/* The sensors of a world as they are found. */
typedef struct gathered {
  found_sensor *list; /* [count] */
  int count, room;
} gathered;

static bool gather(gathered *g, const pki_scenario_sensor *s, const pk_sensor *as)
{
  if (g->count == g->room) {
    const int room = 2 * g->room + 16;
    found_sensor *list = realloc(g->list, (size_t)room * sizeof *list);
    if (list == NULL) {
      return false;
    }
    g->list = list, g->room = room;
  }
  g->list[g->count++] = (found_sensor){.as = *as, .node = s->node};
  return true;
}

/* Of several sensors of a name each has that of what it is on, too. */
static void name_sensors(gathered *g, int first, const pki_scenario_sensor *s, const pk_model *m)
{
  for (int i = first; i < g->count && s->name[0] != '\0'; i++) {
    const pk_sensor *a = &g->list[i].as;
    const char *of =
        a->kind->place == PK_SENSING_ON_JOINT ? m->joints[m->dof_joint[a->dof]].name : m->links[a->link].name;
    snprintf(g->list[i].name, sizeof g->list[i].name, g->count - first > 1 ? "%s/%.60s" : "%s", s->name, of);
  }
}

/* The words that there are, and which of them match: a sensor for each. */
static bool gather_matches(gathered *g, const pki_scenario_sensor *s, const pk_model *m,
                           pki_problems *problems)
{
  const bool joint = pki_sensing_kinds[s->kind]->place == PK_SENSING_ON_JOINT;
  const char *pattern = joint ? s->joints : s->links;
  const int most = joint ? m->njoint : m->nlink, first = g->count;
  const char **words = calloc((size_t)most + 1, sizeof *words);
  bool ok = words != NULL;
  int count = 0;
  for (int i = 0; i < most && ok; i++) {
    const bool fits = !joint || (m->joints[i].nu == 1 && m->joints[i].leader < 0 && m->joints[i].u >= 0);
    words[count] = joint ? m->joints[i].name : m->links[i].name;
    pk_sensor as = s->as;
    as.kind = pki_sensing_kinds[s->kind];
    as.link = joint ? 0 : i, as.dof = joint ? m->joints[i].u : 0;
    ok = !fits || !pki_pattern_matches(pattern, words[count]) || gather(g, s, &as);
    count += fits;
  }
  if (ok && g->count == first) {
    pk_error err = {0};
    int chosen;
    const pki_node *node = pki_node_find(s->node, joint ? "joints" : "links");
    const pk_status status =
        pki_read_choice(node, joint ? "joint" : "link", pattern, words, count, &chosen, &err);
    pki_problems_note(problems, status, &err);
  }
  name_sensors(g, first, s, m);
  free(words);
  return ok;
}

/* A sensor at a site of the model. */
static bool gather_site(gathered *g, const pki_scenario_sensor *s, const pk_model *m, pki_problems *problems)
{
  const char **words = calloc((size_t)m->nsite + 1, sizeof *words);
  pk_error err = {0};
  int chosen = 0;
  if (words == NULL) {
    return false;
  }
  for (int i = 0; i < m->nsite; i++) {
    words[i] = m->sites[i].name;
  }
  const pk_status status =
      pki_read_choice(pki_node_find(s->node, "site"), "site", s->site, words, m->nsite, &chosen, &err);
  free(words);
  if (pki_problems_note(problems, status, &err) != PK_OK) {
    return true;
  }
  const pk_model_site *site = &m->sites[chosen];
  const pk_pose *link = &m->links[site->link].pose; /* both in the body */
  pk_sensor as = s->as;
  double back[9], turn[9], arm[3];
  pki_mat3_transpose(link->rot, back);
  pki_mat3_mul(back, site->pose.rot, turn);
  pki_sub3(site->pose.pos, link->pos, arm);
  pki_mat3_apply(back, arm, as.position);
  pki_mat3_to_rpy(turn, as.rpy);
  as.kind = pki_sensing_kinds[s->kind], as.link = site->link;
  const int first = g->count;
  const bool ok = gather(g, s, &as);
  name_sensors(g, first, s, m);
  return ok;
}

/* The entry of the first sensor that cannot be made beside those before it. */
static const pki_node *wrong_entry(const pk_model *m, const gathered *g, const pk_sensor *list)
{
  const pki_node *entry = NULL;
  pk_status status = PK_OK;
  for (int i = 0; i < g->count && status == PK_OK; i++) {
    pk_sensing *made = NULL;
    status = pk_sensing_create(m, list, i + 1, 0, &made, NULL);
    pk_sensing_destroy(made);
    entry = g->list[i].node;
  }
  return entry;
}

static void make_sensing(pki_world *world, const gathered *g, pki_problems *problems)
{
  const pk_model *m = pki_joint_model(world->model);
  pk_error err = {0};
  pk_sensor *list = calloc((size_t)g->count + 1, sizeof *list);
  if (list == NULL) {
    pki_problem_memory(problems);
    return;
  }
  for (int i = 0; i < g->count; i++) {
    list[i] = g->list[i].as;
    list[i].name = g->list[i].name;
  }
  const pk_status status =
      pk_sensing_create(m, list, g->count, (unsigned long long)world->scenario->seed, &world->sensing, &err);
  if (status != PK_OK) {
    const pki_node *entry = wrong_entry(m, g, list), *key = pki_node_find(entry, err.field);
    pki_problems_note(problems, pki_node_place(status, key != NULL ? key : entry, "", &err), &err);
  }
  free(list);
}

/* Sensors of motors are on joints that have one. */
static void check_motors(const pki_world *world, const pk_sim_options *options, const gathered *g,
                         pki_problems *problems)
{
  for (int i = 0; i < g->count && world->sensing != NULL; i++) {
    const pk_sensor s = pk_sensing_get(world->sensing, i);
    if (s.kind->motor && pki_find_motor(options->actuation, s.dof) < 0) {
      pki_problem(problems, pki_node_find(g->list[i].node, "joints"),
                  "the sensor \"%s\" reads a motor, but its joint has none: give it one by \"actuators\"",
                  s.name);
    }
  }
}

static void equip_sensors(pki_world *world, pk_sim_options *options, pki_problems *problems)
{
  const pki_scenario *s = world->scenario;
  const pk_model *m = pki_joint_model(world->model);
  gathered g = {.count = 0};
  bool ok = true;
  if (s->nsensor == 0) {
    if (options->sees == PK_SEES_SENSORS) {
      pki_problem(problems, pki_node_find(s->controller_node, "sees"),
                  "the controller is to see sensors, but the scenario has none: add \"sensors\"");
    }
    return;
  }
  for (int i = 0; i < s->nsensor && ok; i++) {
    const bool at_site = has_key(&s->sensors[i], "site");
    ok = at_site ? gather_site(&g, &s->sensors[i], m, problems)
                 : gather_matches(&g, &s->sensors[i], m, problems);
  }
  if (!ok) {
    pki_problem_memory(problems);
  } else if (problems->status == PK_OK) {
    make_sensing(world, &g, problems);
    options->sensing = world->sensing;
    check_motors(world, options, &g, problems);
  }
  free(g.list);
}

static const pki_schema_table sensors_tables[] = {
    {"sensor", "each entry of `sensors`", sensor_fields, &sensor_field_count},
    {"sensor", "where it is, and what its kind needs", pki_sensor_fields, &pki_sensor_field_count},
    {"sensor", "what it gets wrong", pki_sensor_part_fields, &pki_sensor_part_field_count},
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_sensors = {.name = "sensors",
                                         .doc =
                                             "sensors of the robots, with the errors of real parts: a list",
                                         .form = PKI_SECTION_IS_LIST,
                                         .tables = sensors_tables,
                                         .read = read_sensors,
                                         .release = release_sensors,
                                         .equip = equip_sensors};
