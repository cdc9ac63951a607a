/* Actuators of joints: changes of what the model says of them, and kinds with parameters, by themselves or from the catalogue of
 * motors. And the battery that feeds motors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actuation/actuation.h"
#include "base/pattern.h"
#include "scenario/drives_file.h"
#include "scenario/files.h"
#include "scenario/motor_file.h"
#include "scenario/section.h"
#include "step/world.h"

#define CHANGE(name, unit, doc) \
  { \
#name, offsetof(pki_scenario_actuator, name), PK_FIELD_REAL, unit, 0, 0, INFINITY, NULL, \
        doc "; default: the model's" \
  }
const pk_field pki_actuator_change_fields[] = {
    PKI_TEXT("joints", pki_scenario_actuator, joints, 1, "a joint with its prefix, or a pattern with *"),
    CHANGE(effort, "N m", "largest torque, or force in N"),
    CHANGE(velocity, "rad/s", "largest speed, or in m/s"),
    CHANGE(damping, "N m s/rad", "viscous, or in N s/m"),
    CHANGE(friction, "N m", "Coulomb's, or in N"),
    CHANGE(armature, "kg m^2", "inertia of the rotor at the joint, or mass in kg"),
    {"mass", offsetof(pki_scenario_actuator, mass), PK_FIELD_REAL, "kg", 0, -1e6, 1e6, NULL,
     "of what drives the joint, a point in its origin, added to the link that it hangs on; below 0: taken "
     "away"},
    {"undriven", offsetof(pki_scenario_actuator, undriven), PK_FIELD_BOOL, "", 0, 0, 1, NULL,
     "actuators of the entries before this one are taken away from the joints; parallel springs stay"},
};
const int pki_actuator_change_field_count = PKI_COUNT(pki_actuator_change_fields);

static const pk_field kind_fields[] = {
    PKI_TEXT("joints", pki_scenario_actuator, joints, 1, "a joint with its prefix, or a pattern with *"),
    PKI_PART("kind", "of actuator (pronk list actuators): the entry then has its parameters"),
    PKI_TEXT("motor", pki_scenario_actuator, motor, 0,
             "of the catalogue (pronk list motors), or a file: its values, which keys of the entry replace"),
};
static const int kind_field_count = PKI_COUNT(kind_fields);

static const pk_field drives_fields[] = {
    PKI_PART("drives", "a model's name, or a file: the entries that belong to the robot, from its "
                       "drives.yaml; parameters beside "
                       "it replace those of all of them"),
};
static const int drives_field_count = PKI_COUNT(drives_fields);

/* ---- reading ---- */

/* The kind that an entry names; NULL: none that there is. */
static const pki_actuator_row *named_kind(const pki_node *node, pki_problems *problems)
{
  const char *words[32];
  int count = 0, row = 0;
  pk_error err = {0};
  for (; count < 32 && pki_actuators[count] != NULL; count++) {
    words[count] = pki_actuators[count]->kind.name;
  }
  if (node->kind != PKI_NODE_SCALAR) {
    pki_problem(problems, node, "kind is no word, expected one of those of `pronk list actuators`");
    return NULL;
  }
  const pk_status status = pki_read_choice(node, "kind of actuator", node->text, words, count, &row, &err);
  return pki_problems_note(problems, status, &err) == PK_OK ? pki_actuators[row] : NULL;
}

/* The motor of an entry is in the catalogue, or a file beside the scenario. */
static bool load_motor(pki_scenario *s, const pki_node *node, const char *name, pki_motor_entry *out,
                       pki_problems *problems)
{
  char path[PKI_PATH_MAX];
  pk_error err = {0};
  const bool is_file = strchr(name, '/') != NULL && strncmp(name, "motors/", 7) != 0;
  pk_status status = is_file ? pki_scenario_find_file(s, node, name, path, &err) : PK_OK;
  status = status == PK_OK ? pki_node_place(pki_motor_load(is_file ? path : name, out, &err), node, "", &err)
                           : status;
  return pki_problems_note(problems, status, &err) == PK_OK;
}

/* Values of the catalogue as a kind's parameters; false: the motor is of another kind. */
static bool take_motor(pki_scenario_actuator *a, const pki_motor_entry *motor, const pki_node *node,
                       pki_problems *problems)
{
  const bool envelope = motor->kind == PKI_MOTOR_KIND_TORQUE;
  const bool wants_envelope = strcmp(a->row->kind.name, "torque") == 0;
  const bool wants_motor = pki_is_motor(&a->row->kind);
  if (envelope ? !wants_envelope : !wants_motor) {
    pki_problem(problems, node, "the motor \"%.60s\" is for %s, not for kind: %s", motor->id,
                envelope ? "kind: torque, since only its torque-speed envelope is published"
                         : "kind: dc and sea",
                a->row->kind.name);
    return false;
  }
  if (envelope) {
    memcpy(a->parameters, &motor->torque, sizeof motor->torque);
    a->armature = motor->armature, a->damping = motor->damping, a->friction = motor->friction;
  } else {
    memcpy(a->parameters, &motor->motor, sizeof motor->motor);
  }
  return true;
}

/* A temperature derates a limit of current: where the catalogue has none it is what the voltage drives through a motor at rest. */
static void complete_motor(pk_motor_parameters *p)
{
  if (p->temperature > 0 && p->current == 0 && p->voltage > 0) {
    p->current = p->voltage / p->resistance;
  }
}

/* The rotor behind a rigid gear turns with the joint: it becomes part of the joint, where controllers and generated code know of it. */
static void move_rotor(pki_scenario_actuator *a)
{
  if (a->row->kind.inertia != NULL) {
    pk_motor_parameters *p = a->parameters;
    a->armature += a->row->kind.inertia(p);
    p->inertia = 0;
  }
}

/* Parameters beside `drives` in the place of those that its file says; NULL: there are none. */
static pk_status change_parameters(pki_scenario_actuator *a, const pki_node *changes, pki_problems *problems)
{
  const int before = pki_problems_total(problems);
  for (const pki_node *n = changes != NULL ? changes->first : NULL; n != NULL; n = n->next) {
    const pk_field *field = NULL;
    pk_error err = {0};
    for (int k = 0; k < a->row->nfield; k++) {
      field = strcmp(a->row->fields[k].name, n->key) == 0 ? &a->row->fields[k] : field;
    }
    if (field != NULL) {
      pki_problems_note(problems, pki_read_field(n, field, a->parameters, &err), &err);
    } else if (strcmp(n->key, "drives") != 0) {
      pki_problem(problems, n, "there is no key \"%.40s\" beside drives, expected parameters of kind: %s",
                  n->key, a->row->kind.name);
    }
  }
  return pki_problems_total(problems) == before ? PK_OK : PK_ERROR_ARGUMENT;
}

/* An entry with a kind, or a motor that implies one. */
static void read_kind(pki_scenario *s, pki_scenario_actuator *a, const pki_node *changes,
                      pki_problems *problems)
{
  const pki_node *kind = pki_node_find(a->node, "kind"), *motor = pki_node_find(a->node, "motor");
  pki_motor_entry *found = motor != NULL ? malloc(sizeof *found) : NULL;
  pk_error err = {0};
  bool good = motor == NULL || found != NULL;
  if (motor != NULL && found != NULL) {
    good = pki_problems_note(problems, pki_read_field(motor, &kind_fields[2], a, &err), &err) == PK_OK &&
           load_motor(s, motor, a->motor, found, problems);
  }
  const pki_actuator_row *row = kind != NULL ? named_kind(kind, problems) : NULL;
  if (kind == NULL && good && found != NULL) {
    row = pki_actuators[pki_row_find(pki_actuators, pki_motor_kind_words[found->kind])];
  }
  if (row == NULL || !good) {
    free(found);
    return;
  }
  a->row = row;
  a->parameters = calloc(1, row->kind.parameters_size);
  if (a->parameters == NULL) {
    free(found);
    pki_problem_memory(problems);
    return;
  }
  pki_fields_preset(row->fields, row->nfield, a->parameters);
  if (found == NULL || take_motor(a, found, motor, problems)) {
    const pki_binding bindings[] = {{kind_fields, kind_field_count, a},
                                    {row->fields, row->nfield, a->parameters}};
    pk_status status = pki_read_map(a->node, bindings, 2, problems);
    status = status == PK_OK ? change_parameters(a, changes, problems) : status;
    if (status == PK_OK && found != NULL && found->kind == PKI_MOTOR_KIND_DC) {
      complete_motor(a->parameters);
    }
    if (status == PK_OK && row->kind.validate != NULL) {
      const pk_status valid = row->kind.validate(a->parameters, &err);
      const pki_node *at = valid != PK_OK ? pki_node_find(a->node, err.field) : NULL;
      pki_problems_note(problems, pki_node_place(valid, at != NULL ? at : a->node, "", &err), &err);
      move_rotor(a);
    }
  }
  free(found);
}

/* One entry, with what is said beside `drives` where it comes from there. One that changes nothing was meant to. */
static void read_actuator(pki_scenario *s, const pki_node *n, const pki_node *changes, pki_problems *problems)
{
  pki_scenario_actuator *a = &s->actuators[s->nactuator++];
  a->node = n;
  if (n->kind == PKI_NODE_MAP && (pki_node_find(n, "kind") != NULL || pki_node_find(n, "motor") != NULL)) {
    read_kind(s, a, changes, problems);
    return;
  }
  const pki_binding binding = {pki_actuator_change_fields, pki_actuator_change_field_count, a};
  pki_read_map(n, &binding, 1, problems);
  if (n->kind == PKI_NODE_MAP && n->count == 1 && pki_node_find(n, "joints") != NULL) {
    pki_problem(problems, n,
                "nothing is said of these joints, expected a kind of actuator, a motor, or one of effort, "
                "velocity, "
                "damping, friction, armature, mass, undriven");
  }
}

/* Room for the entries of one more list. */
static bool make_room(pki_scenario *s, int more, pki_problems *problems)
{
  const size_t size = sizeof *s->actuators, used = (size_t)s->nactuator, count = used + (size_t)more + 1;
  pki_scenario_actuator *grown = realloc(s->actuators, count * size);
  if (grown == NULL) {
    pki_problem_memory(problems);
    return false;
  }
  memset(grown + used, 0, (count - used) * size);
  s->actuators = grown;
  return true;
}

/* The entries of a file of drives in the place of the entry that names it. */
static void read_drives(pki_scenario *s, const pki_node *entry, pki_problems *problems)
{
  const pki_node *node = pki_node_find(entry, "drives");
  pki_document **documents = realloc(s->drives, (size_t)(s->ndrives + 1) * sizeof *documents);
  if (documents == NULL) {
    pki_problem_memory(problems);
    return;
  }
  s->drives = documents;
  s->drives[s->ndrives] = pki_drives_load(s, node, problems);
  if (s->drives[s->ndrives] == NULL) {
    return;
  }
  const pki_node *list = pki_document_root(s->drives[s->ndrives++]);
  const int before = pki_problems_total(problems);
  for (const pki_node *n = list->first; n != NULL && make_room(s, 1, problems); n = n->next) {
    read_actuator(s, n, entry, problems);
    if (pki_problems_total(problems) > before) { /* what is wrong beside `drives` is told once */
      break;
    }
  }
}

static void read_actuators(pki_scenario *s, const pki_node *list, pki_problems *problems)
{
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  for (const pki_node *n = list->first; n != NULL && make_room(s, 1, problems); n = n->next) {
    if (n->kind == PKI_NODE_MAP && pki_node_find(n, "drives") != NULL) {
      read_drives(s, n, problems);
    } else {
      read_actuator(s, n, NULL, problems);
    }
  }
}

static void release_actuators(pki_scenario *s)
{
  for (int i = 0; i < s->nactuator; i++) {
    free(s->actuators[i].parameters);
  }
  free(s->actuators);
  for (int i = 0; i < s->ndrives; i++) {
    pki_document_destroy(s->drives[i]);
  }
  free(s->drives);
}

/* ---- a world ---- */

bool pki_scenario_is_undriven(const pki_scenario *s, int entry, const char *joint)
{
  const pki_actuator_row *row = s->actuators[entry].row;
  bool taken = false;
  for (int i = entry + 1; i < s->nactuator && row != NULL && !row->kind.adds; i++) {
    taken |= s->actuators[i].undriven && pki_pattern_matches(s->actuators[i].joints, joint);
  }
  return taken;
}

/* The actuators of the first entries, one for each joint that matches; how many comes back, with `list` NULL they are counted. */
static int list_actuators(const pki_scenario *s, int nentry, const pk_model *m, pk_actuator *list, int *entry)
{
  int count = 0;
  for (int i = 0; i < nentry; i++) {
    const pki_scenario_actuator *a = &s->actuators[i];
    for (int k = 0; k < m->nu && a->row != NULL; k++) {
      const int joint = m->dof_joint[k];
      if (joint >= 0 && m->dof_q[k] >= 0 && pki_pattern_matches(a->joints, m->joints[joint].name) &&
          !pki_scenario_is_undriven(s, i, m->joints[joint].name)) {
        if (list != NULL) {
          list[count] = (pk_actuator){.dof = k, .kind = &a->row->kind, .parameters = a->parameters};
          entry[count] = i;
        }
        count++;
      }
    }
  }
  return count;
}

/* The entry of the second actuator of a joint that only one can have; NULL: there is none. */
static const pki_node *find_second(const pki_scenario *s, const pk_actuator *list, const int *entry,
                                   int count)
{
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i; k++) {
      if (list[i].dof == list[k].dof && !list[i].kind->adds && !list[k].kind->adds) {
        return s->actuators[entry[i]].node;
      }
    }
  }
  return NULL;
}

int pki_world_entry_actuators(const pki_world *w, int entry, int *first)
{
  const pk_model *m = pki_joint_model(w->model);
  *first = list_actuators(w->scenario, entry, m, NULL, NULL);
  return list_actuators(w->scenario, entry + 1, m, NULL, NULL) - *first;
}

/* Whether a later entry takes actuators away from any joint of an entry. */
static bool is_taken_away(const pki_scenario *s, int entry, const pk_model *m)
{
  bool taken = false;
  for (int k = 0; k < m->njoint; k++) {
    taken |= pki_pattern_matches(s->actuators[entry].joints, m->joints[k].name) &&
             pki_scenario_is_undriven(s, entry, m->joints[k].name);
  }
  return taken;
}

/* An entry whose joints have no coordinate of their own drives nothing. */
static void check_driven(const pki_scenario *s, const pk_model *m, const int *entry, int count,
                         pki_problems *problems)
{
  for (int i = 0; i < s->nactuator; i++) {
    bool drives = s->actuators[i].row == NULL || is_taken_away(s, i, m);
    for (int k = 0; k < count; k++) {
      drives |= entry[k] == i;
    }
    if (!drives) {
      pki_problem(problems, pki_node_find(s->actuators[i].node, "joints"),
                  "no joint that \"%.60s\" names can have an actuator: it drives hinges and sliders that "
                  "follow no other "
                  "joint (a mimic joint follows its leader: drive that one)",
                  s->actuators[i].joints);
    }
  }
}

void pki_world_make_actuation(pki_world *w, pki_problems *problems)
{
  const pki_scenario *s = w->scenario;
  const pk_model *m = pki_joint_model(w->model);
  const int count = list_actuators(s, s->nactuator, m, NULL, NULL);
  pk_actuator *list = calloc((size_t)count + 1, sizeof *list);
  int *entry = calloc((size_t)count + 1, sizeof *entry);
  if (list == NULL || entry == NULL) {
    pki_problem_memory(problems);
  } else {
    pk_error err = {0};
    list_actuators(s, s->nactuator, m, list, entry);
    check_driven(s, m, entry, count, problems);
    const pk_battery *battery = s->has_battery ? &s->battery : NULL;
    const pk_status status =
        count > 0 ? pk_actuation_create(m, list, count, battery, &w->actuation, &err) : PK_OK;
    const pki_node *second = find_second(s, list, entry, count), *root = pki_document_root(s->document);
    const pki_node *at = second != NULL ? second : pki_node_find(root, "actuators");
    pki_problems_note(problems, pki_node_place(status, at != NULL ? at : root, "", &err), &err);
  }
  free(entry);
  free(list);
}

/* ---- the battery ---- */

#define BATTERY(name) #name, offsetof(pk_battery, name)
static const pk_field battery_fields[] = {
    {BATTERY(full), PK_FIELD_REAL, "V", -1, 1e-3, 1e6, NULL, "when full, without a load"},
    {BATTERY(empty), PK_FIELD_REAL, "V", 1e-3, 1e-3, 1e6, NULL, "when empty; default: as when full"},
    {BATTERY(resistance), PK_FIELD_REAL, "ohm", 0, 0, 1e6, NULL, "inside"},
    {BATTERY(capacity), PK_FIELD_REAL, "A s", 0, 0, 1e12, NULL,
     "of charge, after which no current flows; 0: it does not run down"},
    {BATTERY(regeneration), PK_FIELD_REAL, "W", INFINITY, 0, INFINITY, NULL,
     "largest power that it takes back"},
};
static const int battery_field_count = PKI_COUNT(battery_fields);

static void read_battery(pki_scenario *s, const pki_node *node, pki_problems *problems)
{
  if (node == NULL) {
    return;
  }
  pki_fields_preset(battery_fields, battery_field_count, &s->battery);
  const pki_binding binding = {battery_fields, battery_field_count, &s->battery};
  if (pki_read_map(node, &binding, 1, problems) != PK_OK) {
    return;
  }
  bool motors = false;
  for (int i = 0; i < s->nactuator; i++) {
    const pki_actuator_row *row = s->actuators[i].row;
    motors |= row != NULL && pki_is_motor(&row->kind);
  }
  if (pki_node_find(node, "empty") == NULL) {
    s->battery.empty = s->battery.full;
  } else if (s->battery.empty > s->battery.full) {
    pki_problem(problems, pki_node_find(node, "empty"),
                "empty is %g V, expected no more than full, which is %g V", s->battery.empty,
                s->battery.full);
  }
  if (!motors) {
    pki_problem(problems, node,
                "a battery feeds motors, and there are none: give `actuators` of kind dc or sea");
  }
  s->has_battery = true;
}

/* ---- the sections ---- */

#define KIND(name, fields, count) \
  {"actuator-" name, "each entry of `actuators` of kind " name, kind_fields, &kind_field_count}, \
  { \
    "actuator-" name, "each entry of `actuators` of kind " name, fields, &(count) \
  }
static const pki_schema_table actuators_tables[] = {
    {"actuator", "each entry of `actuators` without a kind", pki_actuator_change_fields,
     &pki_actuator_change_field_count},
    {"drives", "an entry of `actuators` that stands for those of a robot", drives_fields,
     &drives_field_count},
    KIND("torque", pki_actuator_torque_fields, pki_actuator_torque_field_count),
    KIND("servo", pki_actuator_servo_fields, pki_actuator_servo_field_count),
    KIND("dc", pki_motor_parameter_fields, pki_motor_parameter_field_count),
    KIND("sea", pki_motor_parameter_fields, pki_motor_parameter_field_count),
    KIND("parallel-spring", pki_actuator_parallel_spring_fields, pki_actuator_parallel_spring_field_count),
    KIND("hydraulic", pki_actuator_hydraulic_fields, pki_actuator_hydraulic_field_count),
    {NULL, NULL, NULL, NULL}};

const pki_section pki_section_actuators = {
    .name = "actuators",
    .doc = "what drives joints, or what they can do instead of what the model says: a list",
    .form = PKI_SECTION_IS_OWN,
    .tables = actuators_tables,
    .read = read_actuators,
    .release = release_actuators};

static const pki_schema_table battery_tables[] = {
    {"battery", "`battery`", battery_fields, &battery_field_count}, {NULL, NULL, NULL, NULL}};

const pki_section pki_section_battery = {.name = "battery",
                                         .doc = "what feeds all motors over one bus; default: no limit",
                                         .form = PKI_SECTION_IS_MAPPING,
                                         .tables = battery_tables,
                                         .read = read_battery};
