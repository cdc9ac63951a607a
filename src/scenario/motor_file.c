#include "scenario/motor_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "scenario/document.h"
#include "scenario/read.h"

const pki_yaml_kind pki_motor_files = {"motors", "PRONK_MOTORS", "motor"};
const char *const pki_motor_kind_words[] = {"dc", "torque"};
const char *const pki_motor_data_words[] = {"sheet", "sheet-copy", "identified", "robot-code", "own"};

enum { BYTES = 1 << 20 };

/* ---- keys ---- */

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define AT(member) offsetof(pki_motor_entry, member)
#define TEXT(member, least, doc) \
  { \
#member, AT(member), PK_FIELD_TEXT, "", 0, least, sizeof((pki_motor_entry *)0)->member - 1, NULL, doc \
  }
#define PART(name, doc) \
  { \
    name, 0, PK_FIELD_PART, "", 0, 0, 0, NULL, doc \
  }
/* A number that must be given has a default below its range. */
#define REQUIRED(key, member, unit, least, most, doc) \
  { \
    key, AT(member), PK_FIELD_REAL, unit, -1, least, most, NULL, doc \
  }
#define REAL(key, member, unit, preset, least, most, doc) \
  { \
    key, AT(member), PK_FIELD_REAL, unit, preset, least, most, NULL, doc \
  }

const pk_field pki_motor_fields[] = {
    TEXT(name, 1, "what it is called, with the order number"),
    TEXT(maker, 1, "who makes it"),
    TEXT(about, 0, "what it is, in a few words"),
    {"kind", AT(kind), PK_FIELD_ENUM, "", -1, 0, PKI_MOTOR_KIND_COUNT - 1, pki_motor_kind_words,
     "dc: a motor; torque: an envelope"},
    {"data", AT(data), PK_FIELD_ENUM, "", PKI_MOTOR_DATA_OWN, 0, PKI_MOTOR_DATA_COUNT - 1,
     pki_motor_data_words, "where its numbers come from"},
    REAL("mass", mass, "kg", 0, 0, 1e4, "with its gear, where it has one"),
    REAL("price", price, "EUR", 0, 0, 1e9, "of one, with its gear, where it has one"),
    PART("gears", "that fit the bare motor: a list of ratios or mappings"),
    PART("published", "what the source says of the line, to compare with"),
    PART("sources", "key: source of its number; all: of those that are not named"),
};
const int pki_motor_field_count = COUNT(pki_motor_fields);

const pk_field pki_motor_dc_fields[] = {
    REQUIRED("resistance", motor.resistance, "ohm", 1e-9, 1e9, "R at 25 degrees C"),
    REAL("inductance", motor.inductance, "H", 0, 0, 1e3, "L"),
    REQUIRED("constant", motor.constant, "N m/A", 1e-9, 1e6, "K, torque per ampere = volts per rad/s"),
    REQUIRED("inertia", motor.inertia, "kg m^2", 0, 1e6, "J of the rotor and what turns with it"),
    REAL("damping", motor.damping, "N m s/rad", 0, 0, 1e6, "at the rotor"),
    REAL("friction", motor.friction, "N m", 0, 0, 1e6, "dry, at the rotor"),
    REAL("gear", motor.gear, "", 1, 1e-6, 1e6, "turns of the rotor for one of the output"),
    REAL("efficiency", motor.efficiency, "", 1, 0.501, 1, "of the gear when the motor drives"),
    REAL("voltage", motor.voltage, "V", 0, 0, 1e6, "largest"),
    REAL("bus", bus, "V", 0, 0, 1e6, "of the supply, from which the controller makes at most voltage"),
    REAL("current", motor.current, "A", 0, 0, 1e6, "largest"),
    REAL("continuous_current", continuous_current, "A", 0, 0, 1e6, "for long"),
    REAL("winding_resistance", motor.winding_resistance, "K/W", 0, 0, 1e6, "from winding to housing"),
    REAL("housing_resistance", motor.housing_resistance, "K/W", 0, 0, 1e6, "from housing to air"),
    REAL("winding_capacity", motor.winding_capacity, "J/K", 0, 0, 1e9, "heat that warms the winding by 1 K"),
    REAL("housing_capacity", motor.housing_capacity, "J/K", 0, 0, 1e9, "heat that warms the housing by 1 K"),
    REAL("ambient", motor.ambient, "degrees C", 25, -100, 200, "the air"),
    REAL("temperature", motor.temperature, "degrees C", 0, 0, 1000, "largest of the winding"),
    REAL("derating", motor.derating, "K", 25, 0, 1000, "the limit of current falls over the last so many"),
    REAL("speed", speed, "rad/s", 0, 0, 1e6, "of the rotor, largest that its bearings allow"),
};
const int pki_motor_dc_field_count = COUNT(pki_motor_dc_fields);

const pk_field pki_motor_torque_fields[] = {
    REQUIRED("limit", torque.limit, "N m", 1e-9, 1e9, "largest torque at the output"),
    REAL("full_speed", torque.full_speed, "rad/s", 0, 0, 1e6, "up to which the whole limit is there"),
    REAL("no_load_speed", torque.no_load_speed, "rad/s", 0, 0, 1e6, "where the limit has fallen to zero"),
    REAL("armature", armature, "kg m^2", 0, 0, 1e6, "inertia of the drive at the output"),
    REAL("damping", damping, "N m s/rad", 0, 0, 1e6, "at the output"),
    REAL("friction", friction, "N m", 0, 0, 1e6, "dry, at the output"),
};
const int pki_motor_torque_field_count = COUNT(pki_motor_torque_fields);

const pk_field pki_motor_published_fields[] = {
    REAL("no_load_speed", published.no_load_speed, "rad/s", 0, 0, 1e6, "at the output"),
    REAL("stall_torque", published.stall_torque, "N m", 0, 0, 1e9, "at standstill, by voltage alone"),
    REAL("continuous_torque", published.continuous_torque, "N m", 0, 0, 1e9, "for long"),
    REAL("peak_torque", published.peak_torque, "N m", 0, 0, 1e9, "for a short time"),
};
const int pki_motor_published_field_count = COUNT(pki_motor_published_fields);

/* ---- parts ---- */

static void read_published(const pki_node *map, pki_motor_entry *m, pki_problems *problems)
{
  const pki_binding binding = {pki_motor_published_fields, COUNT(pki_motor_published_fields), m};
  if (map != NULL) {
    pki_read_map(map, &binding, 1, problems);
  }
}

/* Gears that fit a bare motor; one that has its gear has no choice. */
static void read_gears(const pki_node *root, pki_motor_entry *m, pki_problems *problems)
{
  const pki_node *list = pki_node_find(root, "gears");
  pki_gears_read(list, m->gears, PKI_MOTOR_GEARS, &m->ngear, problems);
  if (list != NULL && m->kind != PKI_MOTOR_KIND_DC) {
    pki_problem(problems, list, "gears are for kind: dc, not for an envelope at the output");
  } else if (list != NULL && m->motor.gear != 1) {
    pki_problem(problems, list, "gears are for a bare motor, and this one has a gear of %g", m->motor.gear);
  }
}

/* Each source belongs to a key that the file has, or to all. */
static void read_sources(const pki_node *map, const pki_node *root, pki_motor_entry *m,
                         pki_problems *problems)
{
  if (map == NULL || pki_expect_kind(map, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  size_t used = 0;
  for (const pki_node *n = map->first; n != NULL; n = n->next) {
    if (n->kind != PKI_NODE_SCALAR || pki_node_is_null(n) || n->text[0] == '\0') {
      pki_problem(problems, n, "%s is %s, expected a text", n->key, pki_node_what(n));
      continue;
    }
    if (strcmp(n->key, "all") != 0 && pki_node_find(root, n->key) == NULL) {
      pki_problem(problems, n, "this is the source of \"%s\", which the file does not have", n->key);
      continue;
    }
    const size_t room = sizeof m->sources - used;
    const int size = snprintf(m->sources + used, room, "%s: %s\n", n->key, n->text);
    if (size < 0 || (size_t)size >= room) {
      m->sources[used] = '\0';
      pki_problem(problems, map, "sources are longer than %d bytes", (int)sizeof m->sources - 1);
      return;
    }
    used += (size_t)size;
  }
}

/* ---- what goes together ---- */

/* The node of a key, or the root where it is not given: where a problem is told. */
static const pki_node *place_of(const pki_node *root, const char *key)
{
  const pki_node *n = pki_node_find(root, key);
  return n != NULL ? n : root;
}

static void check_dc(const pki_node *root, const pki_motor_entry *m, pki_problems *problems)
{
  const pk_motor_parameters *p = &m->motor;
  const double heat[] = {p->winding_resistance, p->housing_resistance, p->winding_capacity,
                         p->housing_capacity};
  int known = 0;
  for (int i = 0; i < COUNT(heat); i++) {
    known += heat[i] > 0;
  }
  if (known > 0 && known < COUNT(heat)) {
    pki_problem(problems, root,
                "heat needs all of winding_resistance, housing_resistance, winding_capacity and "
                "housing_capacity above 0, or none of them");
  }
  if (p->temperature > 0 && p->temperature <= p->ambient) {
    pki_problem(problems, place_of(root, "temperature"),
                "temperature is %g degrees C, expected more than ambient, which is %g", p->temperature,
                p->ambient);
  }
  if (m->bus > 0 && m->bus < p->voltage) {
    pki_problem(problems, place_of(root, "bus"), "bus is %g V, expected at least voltage, which is %g V",
                m->bus, p->voltage);
  } else if (m->bus > 0 && !(p->voltage > 0)) {
    pki_problem(problems, place_of(root, "bus"), "bus needs voltage, what the motor has of it");
  }
  if (p->current > 0 && m->continuous_current > p->current) {
    pki_problem(problems, place_of(root, "continuous_current"),
                "continuous_current is %g A, expected at most current, which is %g A", m->continuous_current,
                p->current);
  }
}

static void check_torque(const pki_node *root, const pki_motor_entry *m, pki_problems *problems)
{
  const pk_torque_parameters *p = &m->torque;
  if (p->full_speed > 0 && p->no_load_speed == 0) {
    pki_problem(problems, place_of(root, "full_speed"),
                "full_speed needs no_load_speed, to which the limit "
                "falls from there");
  } else if (p->no_load_speed > 0 && p->full_speed >= p->no_load_speed) {
    pki_problem(problems, place_of(root, "full_speed"),
                "full_speed is %g rad/s, expected less than no_load_speed, which is %g rad/s", p->full_speed,
                p->no_load_speed);
  }
}

/* ---- the whole ---- */

/* The name of a file without its folder and ending. */
static void set_id(const char *file, pki_motor_entry *m)
{
  pki_file_stem(file, m->id, sizeof m->id);
  snprintf(m->path, sizeof m->path, "%s", file);
}

static void set_defaults(pki_motor_entry *m)
{
  memset(m, 0, sizeof *m);
  pki_fields_preset(pki_motor_fields, COUNT(pki_motor_fields), m);
  pki_fields_preset(pki_motor_dc_fields, COUNT(pki_motor_dc_fields), m);
  pki_fields_preset(pki_motor_torque_fields, COUNT(pki_motor_torque_fields), m);
  /* What must be given in one kind is nothing in the other. */
  m->motor.resistance = 1;
  m->motor.constant = 0.1;
  m->motor.inertia = 0;
  m->torque.limit = 0;
}

/* Which kind it is says which keys there are. */
static bool read_kind(const pki_node *root, pki_motor_entry *m, pki_problems *problems)
{
  const pk_field *kind = pki_fields_find(pki_motor_fields, COUNT(pki_motor_fields), "kind");
  const pki_node *node = pki_node_find(root, "kind");
  pk_error err = {0};
  if (node == NULL) {
    pki_problem(problems, root, "the key \"kind\" is missing: a word, %s", kind->doc);
    return false;
  }
  return pki_problems_note(problems, pki_read_field(node, kind, m, &err), &err) == PK_OK;
}

/* Of a file whose kind is not known: what can be told whatever its kind is. */
static void read_any_kind(const pki_node *root, pki_motor_entry *m, pki_problems *problems)
{
  for (const pki_node *n = root->first; n != NULL; n = n->next) {
    const pk_field *f = pki_fields_find(pki_motor_fields, COUNT(pki_motor_fields), n->key);
    f = f != NULL ? f : pki_fields_find(pki_motor_dc_fields, COUNT(pki_motor_dc_fields), n->key);
    f = f != NULL ? f : pki_fields_find(pki_motor_torque_fields, COUNT(pki_motor_torque_fields), n->key);
    pk_error err = {0};
    if (f == NULL) {
      pki_problem(problems, n, "there is no key \"%.80s\" in files of motors of any kind", n->key);
    } else if (f->type != PK_FIELD_PART && strcmp(n->key, "kind") != 0) {
      pki_problems_note(problems, pki_read_field(n, f, m, &err), &err);
    }
  }
  for (int i = 0; i < COUNT(pki_motor_fields); i++) {
    const pk_field *f = &pki_motor_fields[i];
    if (pki_field_is_required(f) && strcmp(f->name, "kind") != 0 && pki_node_find(root, f->name) == NULL) {
      pki_problem(problems, root, "the key \"%s\" is missing: %s", f->name, f->doc);
    }
  }
  read_published(pki_node_find(root, "published"), m, problems);
  read_sources(pki_node_find(root, "sources"), root, m, problems);
}

static void read_root(const pki_node *root, pki_motor_entry *m, pki_problems *problems)
{
  if (pki_expect_kind(root, PKI_NODE_MAP, problems) != PK_OK) {
    return;
  }
  if (!read_kind(root, m, problems)) {
    read_any_kind(root, m, problems);
    return;
  }
  const bool dc = m->kind == PKI_MOTOR_KIND_DC;
  const pki_binding bindings[] = {{pki_motor_fields, COUNT(pki_motor_fields), m},
                                  {dc ? pki_motor_dc_fields : pki_motor_torque_fields,
                                   dc ? COUNT(pki_motor_dc_fields) : COUNT(pki_motor_torque_fields), m}};
  const bool good = pki_read_map(root, bindings, COUNT(bindings), problems) == PK_OK;
  read_gears(root, m, problems);
  read_published(pki_node_find(root, "published"), m, problems);
  read_sources(pki_node_find(root, "sources"), root, m, problems);
  if (good && dc) {
    const double N = m->motor.gear;
    check_dc(root, m, problems);
    m->bus = m->bus > 0 ? m->bus : m->motor.voltage;
    m->armature = N * N * m->motor.inertia;
    m->damping = N * N * m->motor.damping;
    m->friction = N * m->motor.friction;
  } else if (good) {
    check_torque(root, m, problems);
  }
}

pk_status pki_motor_parse(const char *file, const char *text, size_t size, pki_motor_entry *out,
                          pki_problems *problems)
{
  pki_document *document = NULL;
  pk_error err = {0};
  set_defaults(out);
  set_id(file, out);
  const pk_status status = pki_document_parse(file, text, size, &document, &err);
  if (status == PK_OK) {
    read_root(pki_document_root(document), out, problems);
  } else {
    pki_problems_note(problems, status, &err);
  }
  pki_document_destroy(document);
  return problems->status;
}

static const char folder[] = "motors/";

pk_status pki_motor_locate(const char *name, char path[PKI_PATH_MAX], pk_error *err)
{
  const size_t size = sizeof folder - 1;
  const bool named = strncmp(name, folder, size) == 0 && name[size] != '\0' && !pki_is_file(name);
  return pki_yaml_locate(&pki_motor_files, named ? name + size : name, path, err);
}

pk_status pki_motor_read(const char *path, pki_motor_entry *out, pki_problems *problems)
{
  size_t size;
  char *text = pki_file_read(path, BYTES, &size);
  if (text == NULL) {
    const int cause = errno;
    pk_error err = {0};
    const pk_status status =
        pki_fail(&err, cause == ENOMEM ? PK_ERROR_MEMORY : PK_ERROR_FILE, (pki_where){.file = path}, "%s",
                 cause == EFBIG ? "is too large to be the file of a motor"
                                : pki_read_cause(cause, "this is a folder, expected a YAML file"));
    return pki_problems_note(problems, status, &err);
  }
  const pk_status status = pki_motor_parse(path, text, size, out, problems);
  free(text);
  return status;
}

pk_status pki_motor_load(const char *name, pki_motor_entry *out, pk_error *err)
{
  char path[PKI_PATH_MAX];
  const pk_status status = pki_motor_locate(name, path, err);
  if (status != PK_OK) {
    return status;
  }
  pki_problems problems = {0};
  pki_motor_read(path, out, &problems);
  return pki_problems_first(&problems, err);
}

bool pki_is_motor_file(const char *name)
{
  if (strncmp(name, folder, sizeof folder - 1) == 0 && !pki_is_file(name)) {
    return true;
  }
  size_t size;
  pki_document *document = NULL;
  char *text = pki_is_scenario_name(name) ? pki_file_read(name, BYTES, &size) : NULL;
  const bool is = text != NULL && pki_document_parse(name, text, size, &document, NULL) == PK_OK &&
                  pki_document_root(document)->kind == PKI_NODE_MAP &&
                  pki_node_find(pki_document_root(document), "kind") != NULL;
  pki_document_destroy(document);
  free(text);
  return is;
}

pk_status pk_motor_load(const char *name, pk_motor_parameters *out, pk_error *err)
{
  pki_motor_entry *entry = malloc(sizeof *entry);
  if (entry == NULL) {
    return pki_fail_memory(err, "a motor");
  }
  pk_status status = pki_motor_load(name, entry, err);
  if (status == PK_OK && entry->kind != PKI_MOTOR_KIND_DC) {
    status = pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "name"},
        "of the motor \"%.60s\" only a torque-speed envelope is published: it is for the kind torque", name);
  }
  if (status == PK_OK) {
    *out = entry->motor;
  }
  free(entry);
  return status;
}
